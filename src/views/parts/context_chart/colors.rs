//! The colours of the parts of a chart, and the scale that says what they mean.

use egui::epaint::Mesh;
use egui::{Align2, Color32, FontId, Painter, Pos2, Rect, Shape, pos2, vec2};

use super::choice::Tint;
use crate::parts::style;
use callscape_base::units::{Cost, ModuleId, grouped};
use callscape_facts::hierarchy::Hierarchy;
use callscape_layout::hues::{Hues, Tones};
use callscape_look::ink::sequential;
use callscape_model::theme::Theme;
use callscape_state::document::Document;

/// Gives parts their colours.
pub(crate) struct Colors<'a> {
    pub tint: Tint,
    pub theme: Theme,
    /// Of modules.
    pub tones: Tones,
    pub hues: &'a Hues,
    pub hierarchy: &'a Hierarchy,
    /// The largest of what is seen.
    pub most: f64,
    /// What values are of and how the largest is written, where they are no costs of the value shown.
    pub of: Option<[String; 2]>,
}

/// How much more B has, of what the run shown has and the other.
pub(crate) fn difference(document: &Document, [shown, other]: [f64; 2]) -> f64 {
    match document.runs.as_ref().map_or(1, |it| it.side()) {
        1 => shown - other,
        _ => other - shown,
    }
}

impl Colors<'_> {
    /// The colour of what has a value of the tint, or of a module.
    pub(crate) fn of(&self, value: f64, module: Option<ModuleId>) -> Color32 {
        let share = value / self.most.max(1.0);
        match self.tint {
            Tint::Module => {
                let module = module.unwrap_or(ModuleId::ROOT);
                style::opaque(self.hues.color(self.hierarchy, module, &self.tones))
            }
            // Equal factors look alike, as what is small is seen as well.
            _ => self.scale(share.abs().sqrt().copysign(share) as f32),
        }
    }

    /// The colour of a share of the largest; below 0 for what became less.
    pub(crate) fn scale(&self, share: f32) -> Color32 {
        match self.tint {
            // What is as it was has neither colour.
            Tint::Difference if share == 0.0 => style::colors(self.theme).hovered,
            Tint::Difference => style::diverged(self.theme, share),
            _ => style::opaque(sequential(self.theme, share)),
        }
    }

    /// Says what colours mean at the right end of a line; where that begins.
    pub(crate) fn legend(&self, painter: &Painter, right: Pos2, document: &Document) -> f32 {
        let font = FontId::proportional(11.5);
        let weak = style::colors(self.theme).weak;
        let write = |x: f32, said: &str| {
            let at = pos2(x, right.y);
            let place = painter.text(at, Align2::RIGHT_CENTER, said, font.clone(), weak);
            place.left() - 6.0
        };
        let cost = || document.show_cost(Cost::from_ns(self.most as u64));
        let title = || format!("colour: {}", self.tint.title());
        let [from, to] = match self.tint {
            Tint::Module => {
                let named = self.of.as_ref().map(|it| it[0].clone());
                return write(right.x, &named.unwrap_or_else(title));
            }
            Tint::Own | Tint::Calls if self.of.is_some() => self.of.clone().unwrap_or_default(),
            Tint::Own => [title(), cost()],
            Tint::Calls => [title(), grouped(self.most as u64)],
            Tint::Difference => ["less in B", "more in B"].map(str::to_owned),
        };
        let end = write(right.x, &to);
        let bar = Rect::from_min_size(pos2(end - 80.0, right.y - 5.0), vec2(80.0, 10.0));
        let shares: &[f32] = match self.tint {
            Tint::Difference => &[-1.0, -0.01, 0.0, 0.01, 1.0],
            _ => &[0.0, 0.5, 1.0],
        };
        let mut mesh = Mesh::default();
        let step = bar.width() / (shares.len() as f32 - 1.0);
        for (k, &share) in (0_u32..).zip(shares) {
            let (x, color) = (bar.left() + step * k as f32, self.scale(share));
            mesh.colored_vertex(pos2(x, bar.top()), color);
            mesh.colored_vertex(pos2(x, bar.bottom()), color);
            if let Some(first) = (2 * k).checked_sub(2) {
                mesh.add_triangle(first, first + 1, first + 2);
                mesh.add_triangle(first + 1, first + 2, first + 3);
            }
        }
        painter.add(Shape::mesh(mesh));
        write(bar.left() - 6.0, &from)
    }
}

//! What colours segments have.

use egui::Color32;

use super::view::Tint;
use crate::parts::contexts::ShownContexts;
use callscape_base::units::ContextId;
use callscape_layout::geometry::Color;
use callscape_layout::hues::{Hues, Tones, encoded};
use callscape_look::ink::{diverging, sequential};
use callscape_model::theme::Theme;
use callscape_state::document::Document;

/// Gives contexts their colours.
pub(super) struct Colors<'a> {
    pub document: &'a Document,
    pub shown: &'a ShownContexts,
    pub tint: Tint,
    pub theme: Theme,
    hues: Hues,
    /// The largest of what is seen.
    most: f64,
}

impl<'a> Colors<'a> {
    /// For the contexts that are seen. O(modules + seen).
    pub(super) fn new(
        document: &'a Document,
        shown: &'a ShownContexts,
        tint: Tint,
        theme: Theme,
        seen: impl Iterator<Item = ContextId>,
    ) -> Colors<'a> {
        let mut colors = Colors {
            document,
            shown,
            tint,
            theme,
            hues: match tint {
                Tint::Module => Hues::new(&document.session.hierarchy),
                _ => Hues::default(),
            },
            most: 0.0,
        };
        let most = seen.map(|it| colors.value(it).abs()).fold(0.0, f64::max);
        colors.most = most;
        colors
    }

    fn value(&self, context: ContextId) -> f64 {
        match self.tint {
            Tint::Module => 0.0,
            Tint::Own => self.shown.own(context).ns() as f64,
            Tint::Calls => self.shown.calls(context) as f64,
            Tint::Difference => {
                let [this, other] = [self.shown.total(context), self.shown.other_total(context)];
                this.ns() as f64 - other.ns() as f64
            }
        }
    }

    pub(super) fn of(&self, context: ContextId) -> Color32 {
        let value = self.value(context);
        let share = if self.most > 0.0 {
            value / self.most
        } else {
            0.0
        };
        match self.tint {
            Tint::Module => {
                let hierarchy = &self.document.session.hierarchy;
                let function = self.shown.contexts.function(context);
                let module = self.document.module_of(function);
                let tones = match self.theme {
                    Theme::Light => Tones::LIGHT,
                    Theme::Dark => Tones::DARK,
                };
                let module = module.unwrap_or(callscape_base::units::ModuleId::ROOT);
                opaque(self.hues.color(hierarchy, module, &tones))
            }
            Tint::Own | Tint::Calls => opaque(sequential(self.theme, share.sqrt() as f32)),
            Tint::Difference => {
                // Equal factors look alike, as small differences are seen too.
                let strength = share.signum() * share.abs().sqrt();
                let [r, g, b] = diverging(self.theme, strength as f32);
                opaque([r, g, b, 1.0])
            }
        }
    }

    /// The ends of the scale, for the legend; none for hues.
    pub(super) fn ends(&self) -> Option<[Color32; 2]> {
        match self.tint {
            Tint::Module => None,
            Tint::Own | Tint::Calls => {
                Some([0.0, 1.0].map(|it| opaque(sequential(self.theme, it))))
            }
            Tint::Difference => Some([-1.0, 1.0].map(|it| {
                let [r, g, b] = diverging(self.theme, it);
                opaque([r, g, b, 1.0])
            })),
        }
    }
}

fn opaque(color: Color) -> Color32 {
    let [r, g, b, _] = encoded(color);
    Color32::from_rgb(r, g, b)
}

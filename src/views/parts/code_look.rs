//! The colours of source text: what a reader tells apart in a text in calm hues, and what lines cost.

use egui::{Color32, Rgba};

use crate::parts::style;
use callscape_layout::hues::{encoded, oklch};
use callscape_look::ink::diverging;
use callscape_model::theme::Theme;
use callscape_source::syntax::Class;

/// The height of a line, and of the letters in it, in points.
pub(crate) const ROW: f32 = 17.0;
pub(crate) const LETTERS: f32 = 12.5;

/// The width of costs, in points.
pub(crate) const COSTS: f32 = 66.0;

/// How much of the colour of a line lies behind its text.
const BEHIND: f32 = 0.42;

/// How pale the text of a function is that was never executed.
const DIMMED: f32 = 0.5;

/// The colours in one theme.
#[derive(Clone, Copy)]
pub(crate) struct Look {
    pub theme: Theme,
    pub panel: style::Colors,
    /// Behind the text.
    pub paper: Color32,
}

impl Look {
    pub(crate) fn of(theme: Theme) -> Look {
        Look {
            theme,
            panel: style::colors(theme),
            paper: match theme {
                Theme::Light => Color32::from_rgb(0xFD, 0xFD, 0xFE),
                Theme::Dark => Color32::from_rgb(0x17, 0x1A, 0x20),
            },
        }
    }

    /// Of a stretch of text; pale in what was never executed.
    pub(crate) fn text(&self, class: Class, is_dimmed: bool) -> Color32 {
        let [light, dark] = match class {
            Class::Plain => {
                let plain = self.panel.text;
                return if is_dimmed { self.dimmed(plain) } else { plain };
            }
            Class::Comment => [0x737B88, 0x818A99],
            Class::Keyword => [0x77509C, 0xBFA3DD],
            Class::Text => [0x3B7A4C, 0x96C49C],
            Class::Constant => [0x93591F, 0xDDB184],
            Class::Function => [0x2C5E9B, 0x92B8E8],
            Class::Type => [0x1E747B, 0x7FC4C9],
            Class::Attribute => [0x80661C, 0xC9B573],
        };
        let of = match self.theme {
            Theme::Light => light,
            Theme::Dark => dark,
        };
        let [_, r, g, b] = u32::to_be_bytes(of);
        let color = Color32::from_rgb(r, g, b);
        if is_dimmed { self.dimmed(color) } else { color }
    }

    fn dimmed(&self, color: Color32) -> Color32 {
        self.paper.lerp_to_gamma(color, DIMMED)
    }

    /// What a line costs, from 0 to 1, in one hue that no text has, with equal steps of lightness. Small shares are seen, for
    /// that something ran is what a line says first.
    pub(crate) fn heat(&self, strength: f32) -> Color32 {
        let share = strength.clamp(0.0, 1.0).sqrt();
        let [r, g, b, _] = encoded(match self.theme {
            Theme::Light => oklch(0.90 - 0.30 * share, 0.06 + 0.12 * share, 52.0),
            Theme::Dark => oklch(0.38 + 0.38 * share, 0.05 + 0.10 * share, 52.0),
        });
        Color32::from_rgb(r, g, b)
    }

    /// How much less or more a line costs in B, from −1 to 1.
    pub(crate) fn change(&self, strength: f32) -> Color32 {
        let strength = strength.clamp(-1.0, 1.0);
        let [r, g, b] = diverging(self.theme, strength.signum() * strength.abs().sqrt());
        Rgba::from_rgb(r, g, b).into()
    }

    /// The colour of a line behind its text.
    pub(crate) fn behind(&self, color: Color32) -> Color32 {
        self.paper.lerp_to_gamma(color, BEHIND)
    }
}

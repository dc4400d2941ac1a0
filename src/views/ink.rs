//! The colours that views on sheets share, by theme.

use crate::layout::axis::AxisColors;
use crate::layout::geometry::Color;
use crate::layout::hues::Tones;
use crate::render::theme::{Theme, linear};

/// Linear colours of everything that is no data.
#[derive(Clone, Copy, Debug)]
pub struct Ink {
    /// Behind everything.
    pub ground: Color,
    /// Behind data, and behind headings.
    pub paper: Color,
    pub heading: Color,
    pub line: Color,
    pub grid: Color,
    pub text: Color,
    pub weak: Color,
    /// Letters on the colour of a module.
    pub on_module: Color,
    /// The time that all views show, and the time pointed at.
    pub time: Color,
    pub pointed_time: Color,
    /// Over what lies outside of the chosen range.
    pub outside: Color,
    /// Around what is pointed at and what is chosen.
    pub pointed: Color,
    pub chosen: Color,
    /// Filled curves.
    pub curve: Color,
    /// Colours of modules: as surfaces under letters, and as what shows activity on paper.
    pub tones: Tones,
    pub strong: Tones,
}

fn opaque([r, g, b]: [f32; 3]) -> Color {
    [r, g, b, 1.0]
}

fn faint([r, g, b]: [f32; 3], alpha: f32) -> Color {
    [r, g, b, alpha]
}

impl Ink {
    pub fn of(theme: Theme) -> Ink {
        let palette = theme.palette();
        let text = palette.text;
        let (paper, heading, weak, tones) = match theme {
            Theme::Light => (
                linear(0xF7F8FA),
                linear(0xE3E7ED),
                linear(0x69707C),
                Tones::LIGHT,
            ),
            Theme::Dark => (
                linear(0x1A1E24),
                linear(0x252A32),
                linear(0x9AA1AD),
                Tones::DARK,
            ),
        };
        Ink {
            ground: opaque(palette.ground),
            paper: opaque(paper),
            heading: opaque(heading),
            line: faint(text, 0.28),
            // Light adds up linearly: on dark paper less of it is as faint.
            grid: match theme {
                Theme::Light => faint(text, 0.07),
                Theme::Dark => faint(text, 0.02),
            },
            text: opaque(text),
            weak: opaque(weak),
            on_module: match theme {
                Theme::Light => opaque(linear(0x1B1F26)),
                Theme::Dark => opaque(linear(0xF0F2F6)),
            },
            time: opaque(palette.hot),
            pointed_time: faint(text, 0.45),
            outside: faint(palette.ground, 0.62),
            pointed: palette.hovered,
            chosen: palette.selected,
            curve: faint(text, 0.32),
            tones,
            strong: match theme {
                Theme::Light => Tones {
                    lightness: 0.56,
                    deepest: 0.0,
                    chroma: 0.125,
                },
                Theme::Dark => Tones {
                    lightness: 0.76,
                    deepest: 0.0,
                    chroma: 0.11,
                },
            },
        }
    }

    pub fn axis(&self) -> AxisColors {
        AxisColors {
            line: self.line,
            text: self.weak,
            strong: self.text,
        }
    }
}

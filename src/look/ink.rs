//! The colours that views share, by theme.

use crate::theme::{Palette, linear};
use callscape_layout::axis::AxisColors;
use callscape_layout::geometry::Color;
use callscape_layout::hues::{Tones, oklch};
use callscape_model::theme::Theme;

/// Objects in memory: living, released, and what is new of both (AVID, section 2.1). Seen on both grounds.
pub const OBJECTS: [u32; 3] = [0x2F9E69, 0xCF5B45, 0xF2C230];

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
        let palette = Palette::of(theme);
        let text = palette.text;
        let (paper, heading, weak, tones) = match theme {
            Theme::Light => (
                linear(0xF7F8FA),
                linear(0xE3E7ED),
                linear(0x5C636F),
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

/// One hue with equal steps of lightness: more stands out more from the ground.
pub fn sequential(theme: Theme, share: f32) -> Color {
    let share = share.clamp(0.0, 1.0);
    match theme {
        Theme::Light => oklch(0.93 - 0.42 * share, 0.02 + 0.11 * share, 235.0),
        Theme::Dark => oklch(0.30 + 0.42 * share, 0.015 + 0.10 * share, 235.0),
    }
}

/// From barely to much less, and from barely to much more: blue and orange differ for colour-blind people, and both
/// grow away from the lightness of the terraces.
const LESS: [[u32; 3]; 2] = [
    [0xC3D9EE, 0x5E9BD1, 0x12529B],
    [0x3E74B4, 0x4F9FEC, 0x93CFFF],
];

const MORE: [[u32; 3]; 2] = [
    [0xF7DDBB, 0xEE9A4D, 0xC24E00],
    [0xAA6A30, 0xE88A34, 0xFFBA72],
];

/// The linear colour of a difference from -1 to 1.
pub fn diverging(theme: Theme, strength: f32) -> [f32; 3] {
    let of_theme = usize::from(theme == Theme::Dark);
    let map = if strength < 0.0 {
        LESS[of_theme]
    } else {
        MORE[of_theme]
    };
    let at = strength.abs().clamp(0.0, 1.0) * 2.0;
    let first = (at as usize).min(1);
    let (from, to) = (linear(map[first]), linear(map[first + 1]));
    let part = at - first as f32;
    std::array::from_fn(|i| from[i] + (to[i] - from[i]) * part)
}

/// The colour of an arc of which B has more, or less.
pub fn difference_color(theme: Theme, is_more: bool) -> [f32; 3] {
    diverging(theme, if is_more { 0.9 } else { -0.9 })
}

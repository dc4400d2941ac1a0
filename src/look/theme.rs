//! The palettes of the light and the dark theme.

use callscape_model::theme::Theme;

/// The colours and lights of a theme; colours are linear.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Palette {
    /// The table that the model stands on, and what is behind it.
    pub ground: [f32; 3],
    /// Terraces from the root to the deepest level.
    pub root: [f32; 3],
    pub deepest: [f32; 3],
    /// Letters, and the plate behind those on the screen.
    pub text: [f32; 3],
    pub plate: [f32; 3],
    /// Activity from fading to open now.
    pub warm: [f32; 3],
    pub hot: [f32; 3],
    /// How much light active blocks give off.
    pub emission: f32,
    /// Light from the whole sky and from the one soft lamp, on a level surface in the open.
    pub sky: [f32; 3],
    pub sun: [f32; 3],
    /// How much darker the table is far from the model than beside it, 0 to 1.
    pub falloff: f32,
    /// Outlines of what is hovered and selected.
    pub hovered: [f32; 4],
    pub selected: [f32; 4],
    /// Call relations at the caller and at the callee, for whoever makes arcs.
    pub caller: [f32; 3],
    pub callee: [f32; 3],
}

impl Palette {
    pub fn of(theme: Theme) -> Palette {
        match theme {
            Theme::Light => Palette {
                ground: linear(0xECEFF4),
                root: linear(0xB4BAC4),
                deepest: linear(0xF6F7F9),
                text: linear(0x22262E),
                plate: linear(0xFFFFFF),
                warm: linear(0xF6B73C),
                hot: linear(0xD7301F),
                emission: 0.12,
                sky: [0.58, 0.605, 0.64],
                sun: [0.36, 0.35, 0.325],
                falloff: 0.10,
                hovered: [0.02, 0.025, 0.035, 0.75],
                selected: [0.015, 0.018, 0.025, 1.0],
                caller: linear(0x006D85),
                callee: linear(0xF27D26),
            },
            Theme::Dark => Palette {
                ground: linear(0x191D24),
                root: linear(0x2D333E),
                // White letters have a contrast of 4.5 on it.
                deepest: linear(0x697284),
                text: linear(0xF0F2F6),
                plate: linear(0x14171C),
                warm: linear(0xF6B73C),
                hot: linear(0xE8452C),
                emission: 0.42,
                sky: [0.44, 0.49, 0.58],
                sun: [0.56, 0.545, 0.50],
                falloff: 0.50,
                hovered: [0.80, 0.84, 0.90, 0.75],
                selected: [0.95, 0.97, 1.0, 1.0],
                caller: linear(0x40CBBE),
                callee: linear(0xFF7F2E),
            },
        }
    }
}

/// The linear colour of a web colour such as `0xECEFF4`.
pub fn linear(rgb: u32) -> [f32; 3] {
    [rgb >> 16, rgb >> 8, rgb].map(|component| decoded((component & 0xFF) as u8))
}

/// The linear component of a colour that is stored as sRGB.
pub fn decoded(component: u8) -> f32 {
    let encoded = f32::from(component) / 255.0;
    if encoded <= 0.04045 {
        encoded / 12.92
    } else {
        ((encoded + 0.055) / 1.055).powf(2.4)
    }
}

/// A component of a colour as sRGB.
pub fn encoded(linear: f32) -> u8 {
    let encoded = if linear <= 0.003_130_8 {
        linear * 12.92
    } else {
        1.055 * linear.powf(1.0 / 2.4) - 0.055
    };
    (encoded * 255.0).round().clamp(0.0, 255.0) as u8
}

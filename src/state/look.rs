//! How what is shown looks, but for the settings of the landscape: quality, text, detail, the question that colours answer.

use glam::Vec2;

use super::question::Question;
use callscape_look::pose::Pose;
use callscape_look::quality::Quality;
use callscape_model::theme::Theme;

/// The smallest and the largest letters and lines, times the usual size.
const TEXT_SCALES: [f32; 2] = [0.5, 4.0];

/// How what is shown looks, and what of the landscape has changed.
#[derive(Debug)]
pub struct Look {
    /// How finely the landscape is drawn; none: as suits the device.
    pub quality: Option<Quality>,
    /// Letters and lines are this many times as large as usual.
    pub text_scale: f32,
    /// The theme is that of the system, where that is known; else what the user chose.
    pub follows_system: bool,
    pub(super) theme_of_system: Option<Theme>,
    /// What is collapsed follows the size on the screen.
    pub detail_by_size: bool,
    /// What the cut was last fitted to.
    pub(super) detail_seen: Option<(Pose, Vec2)>,
    /// What the colours answer.
    pub question: Question,
    /// [`super::Stamps::blocks`]
    pub blocks: u64,
    /// [`super::Stamps::looks`]
    pub(super) looks: u64,
    /// [`super::Stamps::names`]
    pub names: u64,
}

impl Default for Look {
    fn default() -> Look {
        Look {
            quality: None,
            text_scale: 1.0,
            follows_system: true,
            theme_of_system: None,
            detail_by_size: false,
            detail_seen: None,
            question: Question::default(),
            blocks: 0,
            looks: 0,
            names: 0,
        }
    }
}

impl Look {
    /// Makes letters and lines this many times as large as they are; for 0 as large as usual.
    pub(super) fn scale_text(&mut self, by: f32) {
        let scale = if by == 0.0 { 1.0 } else { self.text_scale * by };
        // Steps up and down meet where they began.
        self.set_text_scale((scale * 100.0).round() / 100.0);
    }

    /// Makes letters and lines this many times as large as usual, within bounds.
    pub fn set_text_scale(&mut self, scale: f32) {
        if scale.is_finite() {
            self.text_scale = scale.clamp(TEXT_SCALES[0], TEXT_SCALES[1]);
            self.names += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_grow_and_shrink_within_bounds() {
        let mut look = Look::default();
        for by in [1.1, 1.1, 1.1, 1.0 / 1.1, 1.0 / 1.1, 1.0 / 1.1] {
            look.scale_text(by);
        }
        assert_eq!(look.text_scale, 1.0, "steps meet where they began");
        look.scale_text(100.0);
        assert_eq!(look.text_scale, TEXT_SCALES[1]);
        look.scale_text(0.0);
        assert_eq!(look.text_scale, 1.0);
        look.scale_text(0.001);
        assert_eq!(look.text_scale, TEXT_SCALES[0]);
    }
}

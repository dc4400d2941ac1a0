//! How two runs stand beside each other, and where each is drawn.

use glam::Vec2;

use super::ask::RunsAsk;
use super::runs::RunsLayout;
use callscape_model::arcs::ArcMode;
use callscape_model::landscape::LandscapeSettings;
use callscape_model::surface::Surface;

/// How two runs stand beside each other.
#[derive(Clone, Debug)]
pub struct RunsView {
    pub together: RunsLayout,
    /// Of one run, the sum so far stands beside the cel.
    pub with_sum: bool,
    /// Where the divider of a wipe stands, as a share of the width.
    pub divider: f32,
    /// Districts in which nothing differs are collapsed.
    pub only_differences: bool,
    /// While both can be seen.
    pub halves: Option<Halves>,
    /// What is to be done, one after the other, when nothing else is under way.
    pub to_do: Vec<RunsAsk>,
}

impl Default for RunsView {
    fn default() -> RunsView {
        RunsView {
            together: RunsLayout::One,
            with_sum: false,
            divider: 0.5,
            only_differences: false,
            halves: None,
            to_do: Vec::new(),
        }
    }
}

/// Where both landscapes are in the window, in physical pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Halves {
    /// The top left corners of the pictures of A and B, which are equally large.
    pub origins: [Vec2; 2],
    /// To the right of it is B.
    pub split: f32,
    /// On which of them the pointer is: 0 for A.
    pub pointed: usize,
}

/// The settings that suit two runs standing otherwise than before: what differs is one landscape's to show, two show
/// the runs as they are. What was chosen besides these stays.
pub fn suited(
    mut settings: LandscapeSettings,
    was: RunsLayout,
    now: RunsLayout,
) -> LandscapeSettings {
    let both = (settings.surface, settings.arcs);
    let is_difference = both == (Surface::Difference, ArcMode::Difference);
    let is_plain = both == (Surface::Neutral, ArcMode::All);
    match (was, now) {
        (RunsLayout::One, RunsLayout::SideBySide | RunsLayout::Wipe) if is_difference => {
            (settings.surface, settings.arcs) = (Surface::Neutral, ArcMode::All);
        }
        (RunsLayout::SideBySide | RunsLayout::Wipe, RunsLayout::One) if is_plain => {
            (settings.surface, settings.arcs) = (Surface::Difference, ArcMode::Difference);
        }
        _ => {}
    }
    settings
}

#[cfg(any(test, feature = "testing"))]
pub mod testing;
#[cfg(test)]
mod tests;

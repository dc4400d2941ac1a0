//! Which cards are open over the views.

use glam::Vec2;

use super::ask::CardAsk;

/// Which cards are open.
#[derive(Clone, Copy, Debug)]
pub struct Cards {
    pub help: bool,
    pub settings: bool,
    pub legend: bool,
    pub stacks: bool,
    pub timings: bool,
    pub minimap: bool,
    /// The list of steps.
    pub steps: bool,
    pub frequency: bool,
}

impl Default for Cards {
    fn default() -> Cards {
        Cards {
            help: false,
            settings: false,
            legend: true,
            stacks: true,
            timings: false,
            minimap: true,
            steps: false,
            frequency: false,
        }
    }
}

impl Cards {
    pub(super) fn on(&mut self, ask: CardAsk) {
        match ask {
            CardAsk::ToggleHelp => self.help ^= true,
            CardAsk::ToggleSettings => self.settings ^= true,
            CardAsk::ToggleLegend => self.legend ^= true,
            CardAsk::ToggleStacks => self.stacks ^= true,
            CardAsk::ToggleTimings => self.timings ^= true,
            CardAsk::ToggleMinimap => self.minimap ^= true,
            CardAsk::ToggleSteps => self.steps ^= true,
            CardAsk::ToggleFrequency => self.frequency ^= true,
        }
    }

    /// Leaves the landscape the room that it needs where the window has little.
    pub(super) fn fit(&mut self, size: Vec2) {
        self.stacks = size.x >= 900.0 && size.y >= 500.0;
    }
}

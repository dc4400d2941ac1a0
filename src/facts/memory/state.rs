//! What lives at an instant: the sums of all cells, from the nearest checkpoint, moved to any other instant.

use super::cell_totals::CellTotals;
use super::events::Events;

/// The sums of all cells after the first so many events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    position: u32,
    cells: Vec<CellTotals>,
}

impl State {
    /// How many events it includes.
    pub fn position(&self) -> u32 {
        self.position
    }

    /// By cell.
    pub fn cells(&self) -> &[CellTotals] {
        &self.cells
    }
}

impl Events {
    /// The sums after the first `position` events. O(cells + events to the nearest checkpoint).
    pub fn state(&self, position: u32) -> State {
        let mut state = State::default();
        self.jump(&mut state, position);
        self.step(&mut state, position);
        state
    }

    /// Moves `state` to `position`, forwards or backwards: by the events between, or from a checkpoint where that is
    /// nearer.
    pub fn advance(&self, state: &mut State, position: u32) {
        let position = position.min(self.end());
        let distance = state.position.abs_diff(position);
        let (_, nearest) = self.nearest_checkpoint(position);
        // Going to a checkpoint costs what copying its cells does.
        let jump = nearest.abs_diff(position) as usize + self.cells().len() / 2;
        if state.cells.len() != self.cells().len() || jump < distance as usize {
            self.jump(state, position);
        }
        self.step(state, position);
    }

    fn jump(&self, state: &mut State, position: u32) {
        let (number, at) = self.nearest_checkpoint(position.min(self.end()));
        state.position = at;
        state.cells.clear();
        state.cells.extend_from_slice(self.checkpoint(number));
        state
            .cells
            .resize(self.cells().len(), CellTotals::default());
    }

    fn step(&self, state: &mut State, position: u32) {
        let position = position.min(self.end());
        for event in state.position..position {
            let (site, is_release) = self.raw(event);
            let (cell, size) = self.site(site);
            if let Some(of) = state.cells.get_mut(cell as usize) {
                of.take(is_release, size);
            }
        }
        for event in position..state.position {
            let (site, is_release) = self.raw(event);
            let (cell, size) = self.site(site);
            if let Some(of) = state.cells.get_mut(cell as usize) {
                of.untake(is_release, size);
            }
        }
        state.position = position;
    }

    /// The sums of groups of cells, `of[cell]` being the group of a cell (those past `out` are left out). O(cells).
    pub fn add_up(&self, state: &State, of: &[u32], out: &mut [CellTotals]) {
        out.fill(CellTotals::default());
        for (totals, &group) in state.cells.iter().zip(of) {
            if let Some(out) = out.get_mut(group as usize) {
                out.add(totals);
            }
        }
    }
}

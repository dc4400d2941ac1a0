//! What the view knows, and what it does with that.

use super::form::{Form, Offered};
use super::hunks::Hunks;
use super::listing::{Column, Listing, Of, Row};
use crate::parts::found::Found;
use crate::parts::list::{At, turned};
use callscape_base::units::ModuleId;
use callscape_state::State;
use callscape_state::ask::Shown;
use callscape_state::ask::{Asks, CameraAsk, SelectAsk, TableKey};
use callscape_state::findings::Changed;
use std::sync::Arc;

/// So many tags, and as many commits, are offered.
pub(super) const MOST_OFFERED: usize = 60;

/// What a list was made of: stamps of findings and document, what its rows are, and what they are sorted by.
pub(super) type MadeFor = ([u64; 2], Of, Option<(Column, bool)>);

#[derive(Default)]
pub(crate) struct FaultsView {
    /// What the rows are.
    pub(super) of: Of,
    /// What they are to be where what changed is shown.
    pub(super) wanted: Of,
    /// Other than at first.
    pub(super) sort: Option<(Column, bool)>,
    pub(super) listing: Arc<Listing>,
    pub(super) made_for: Option<MadeFor>,
    /// What is asked for next, while it is.
    pub(super) form: Option<Form>,
    /// Revisions that one may mean, of which folder.
    pub(super) revisions: Found<std::path::PathBuf, Offered>,
    pub(super) hunks: Hunks,
    /// The chosen row.
    pub(super) row: Option<usize>,
    pub(super) at: At,
    /// What was chosen in the frame before.
    pub(super) chosen: u64,
    pub(super) is_finding: bool,
}

impl FaultsView {
    /// Goes to another row.
    pub(super) fn walk(&mut self, key: TableKey, asks: &mut Asks) {
        let rows = self.listing.rows.len();
        let to = self.at.place(key, self.row, rows);
        let Some((to, row)) = to.and_then(|to| Some((to, self.listing.rows.get(to)?))) else {
            return;
        };
        (self.row, self.at.to_show) = (Some(to), Some(to));
        // What did not run is not in what is open.
        let Some(module) = row.module else {
            return;
        };
        asks.push(SelectAsk::Walk(row.pointed()));
        if key == TableKey::Enter {
            asks.push(CameraAsk::FlyTo(module));
        }
    }

    /// What changed, and the number of the fault that the chosen row is about.
    pub(super) fn chosen_fault<'a>(&self, state: &'a State) -> Option<(&'a Arc<Changed>, usize)> {
        let document = state.document.as_ref()?;
        let row = self.listing.rows.get(self.row?)?;
        let is_shown = state.findings.shown == Shown::Changed;
        let changed = state.findings.changed_in(&document.base);
        Some((changed.filter(|_| is_shown)?, row.fault?))
    }

    /// Has the chosen row be one that is about `module`: where it is so already it stays. O(rows).
    pub(super) fn follow(&mut self, module: Option<ModuleId>) {
        let is_of = |row: &Row| module.is_some() && row.module == module;
        let rows = &self.listing.rows;
        let stays = self.row.filter(|&it| rows.get(it).is_some_and(is_of));
        self.row = stays.or_else(|| rows.iter().position(is_of));
        self.at.to_show = self.row;
    }

    /// Sorts by a column; by the one that it is sorted by already, the other way round.
    pub(super) fn sort_by(&mut self, column: Column) {
        // Names are read from A, numbers from the largest.
        let falls = column.is_number();
        let before = self.sort.or(self.of.order());
        let sort = before.map_or((column, falls), |it| turned(it, column, falls));
        self.sort = Some(sort);
    }

    /// Begins to list the revisions that one may mean, while one is asked for.
    pub(super) fn update_revisions(&mut self, state: &State) {
        let dir = state
            .document
            .as_ref()
            .and_then(|it| it.inputs.source_dir.clone());
        let asks_for_one = matches!(self.form, Some(Form::Since { .. }));
        if let Some(dir) = dir.filter(|_| asks_for_one) {
            self.revisions.want(dir.clone(), || {
                let work = move |_: &_| {
                    let found = callscape_source::history::revisions(&dir, MOST_OFFERED);
                    Ok(found.map_err(|error| error.to_string()))
                };
                callscape_state::job::Job::named("listing revisions", state.waker(), work)
            });
        }
        self.revisions.poll();
    }
}

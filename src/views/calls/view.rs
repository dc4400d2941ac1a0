//! What the view knows, and what it does with that.

use super::list::{CallList, CallRow};
use crate::parts::export::Exporting;
use crate::parts::list::At;
use callscape_base::units::TimeRange;
use callscape_filter::filters::Filters;
use callscape_filter::selection::{CallOf, Pointed};
use callscape_model::calls::{CallColumn, CallsOf};
use callscape_state::State;
use callscape_state::ask::{Asks, SelectAsk};
use callscape_state::document::Document;
use callscape_state::job::Job;
use std::sync::Arc;

/// Longer lists take longer to sort than a frame may.
pub(super) const MOST_AT_ONCE: usize = 50_000;

/// What a list of calls was made for: the same need not be made again.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ListedFor {
    pub(super) of: CallsOf,
    pub(super) range: Option<TimeRange>,
    pub(super) filters: Filters,
}

#[derive(Default)]
pub struct Calls {
    pub(super) list: Option<Arc<CallList>>,
    /// Behind what the calls are listed.
    pub(super) list_of: Option<CallsOf>,
    pub(super) listing: Option<Job<CallList>>,
    pub(super) listed_for: Option<ListedFor>,
    pub(super) exporting: Exporting,
    /// What was chosen when the list was last looked for.
    pub(super) chosen: u64,
    /// The row that was chosen in the list, which stays.
    pub(super) own: Option<CallOf>,
    pub(super) at: At,
    /// Which run the list is of.
    pub(super) run: u64,
}

impl Calls {
    pub(super) fn show_chosen(&mut self, chosen: Option<CallOf>) {
        let list = self.list.as_ref();
        self.at.to_show = list
            .zip(chosen)
            .and_then(|(list, call)| list.place_of(call));
    }

    /// Follows what is chosen, unless it was chosen here.
    pub(super) fn follow(&mut self, document: &Document) {
        let stamp = document.selection.chosen_stamp();
        if std::mem::replace(&mut self.chosen, stamp) == stamp {
            return;
        }
        let chosen = document.selection.chosen;
        let own = self.own.take();
        if own.is_none() || chosen.call != own {
            self.list_of = CallsOf::chosen(&chosen);
        }
        self.show_chosen(chosen.call);
    }

    pub(super) fn begin(&mut self, state: &State, document: &Document) {
        let wanted = self.list_of.map(|of| ListedFor {
            of,
            range: document.selection.range,
            filters: document.filters.clone(),
        });
        if wanted == self.listed_for {
            return;
        }
        self.listed_for.clone_from(&wanted);
        self.list = None;
        self.listing = wanted.map(|wanted| {
            let session = Arc::clone(&document.session);
            let recording = document.recording();
            Job::start(state.waker(), move |progress| {
                let ListedFor { of, range, filters } = wanted;
                CallList::find(&session, recording, of, range, &filters, progress)
            })
        });
    }

    /// Sorts the list, a long one on another thread.
    pub(super) fn sort_by(&mut self, state: &State, document: &Document, column: CallColumn) {
        let Some(list) = &mut self.list else {
            return;
        };
        let recording = document.recording();
        if list.len() <= MOST_AT_ONCE {
            Arc::make_mut(list).sort_by(&document.session, recording, column);
            return;
        }
        let (session, mut list) = (Arc::clone(&document.session), Arc::clone(list));
        self.listing = Some(Job::start(state.waker(), move |progress| {
            progress.start("sorting the calls", 0);
            Arc::make_mut(&mut list).sort_by(&session, recording, column);
            Ok(Arc::unwrap_or_clone(list))
        }));
    }

    /// Writes the list to a new file where the user looks for such.
    pub(super) fn export(&mut self, state: &State, document: &Document) {
        let Some(list) = &self.list else {
            return;
        };
        let (session, list) = (Arc::clone(&document.session), Arc::clone(list));
        let recording = document.recording();
        self.exporting.begin("calls", state, move |file, progress| {
            list.write_csv(&session, recording, file, progress)
        });
    }

    /// Chooses a call of the list, which stays.
    pub(super) fn choose(
        &mut self,
        pointed: Pointed,
        ask: fn(Pointed) -> SelectAsk,
        asks: &mut Asks,
    ) {
        self.own = pointed.call;
        asks.push(ask(pointed));
    }
}

/// What is meant by a row.
pub(super) fn pointed_at(document: &Document, row: &CallRow) -> Pointed {
    Pointed {
        module: document.module_of(row.function),
        function: Some(row.function),
        call: Some(row.of()),
        thread: Some(row.thread),
        time: Some(row.start),
        ..Pointed::default()
    }
}

//! The calls of the selected item, listed.

mod list;
mod ui;

use std::sync::Arc;

use serde_json::{Map, Value};

pub use self::list::{CallList, CallRow, MOST};
use super::{Entry, Pane, View};
use crate::parts::export::Exporting;
use crate::parts::list::At;
use callscape_base::progress::Progress;
use callscape_base::units::{ModuleId, TimeRange};
use callscape_filter::filters::Filters;
use callscape_filter::selection::{CallOf, Pointed};
use callscape_model::calls::{CallColumn, CallsOf};
use callscape_state::State;
use callscape_state::ask::{Ask, Asks, CameraAsk, PlayAsk, SelectAsk, TableKey, ViewAsk};
use callscape_state::document::Document;
use callscape_state::job::Job;
use callscape_state::panes::Artifact::{
    Call, CallRelation, Function, Module, TimePoint, TimeRange as Range,
};
use callscape_state::panes::{Kind, Needs, Side, ViewId, ViewLine};

pub static ENTRY: Entry = Entry {
    line: ViewLine {
        id: "calls",
        title: "Calls",
        key: '5',
        about: "the calls of the selected item",
        help: "calls of the selected item",
        in_scenes: "",
        side: Side::Right,
        kind: Kind::Table,
        needs: Needs::Times,
        // Not in the thesis: details on demand, by the calls themselves.
        offers: &[Function, Call, TimePoint],
        answers: &[Function, Module, Call, CallRelation, TimePoint, Range],
        // The calls behind an arc are what people click it for.
        opens_for: &[CallRelation],
        purposes: &[],
    },
    keys: &[],
    open: || Box::new(Calls::default()),
};

/// Longer lists take longer to sort than a frame may.
const MOST_AT_ONCE: usize = 50_000;

/// What a list of calls was made for: the same need not be made again.
#[derive(Clone, Debug, PartialEq)]
struct ListedFor {
    of: CallsOf,
    range: Option<TimeRange>,
    filters: Filters,
}

#[derive(Default)]
pub struct Calls {
    list: Option<Arc<CallList>>,
    /// Behind what the calls are listed.
    list_of: Option<CallsOf>,
    listing: Option<Job<CallList>>,
    listed_for: Option<ListedFor>,
    exporting: Exporting,
    /// What was chosen when the list was last looked for.
    chosen: u64,
    /// The row that was chosen in the list, which stays.
    own: Option<CallOf>,
    at: At,
    /// Which run the list is of.
    run: u64,
}

impl Calls {
    fn show_chosen(&mut self, chosen: Option<CallOf>) {
        let list = self.list.as_ref();
        self.at.to_show = list
            .zip(chosen)
            .and_then(|(list, call)| list.place_of(call));
    }

    /// Follows what is chosen, unless it was chosen here.
    fn follow(&mut self, document: &Document) {
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

    fn begin(&mut self, state: &State, document: &Document) {
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
    fn sort_by(&mut self, state: &State, document: &Document, column: CallColumn) {
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
    fn export(&mut self, state: &State, document: &Document) {
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
    fn choose(&mut self, pointed: Pointed, ask: fn(Pointed) -> SelectAsk, asks: &mut Asks) {
        self.own = pointed.call;
        asks.push(ask(pointed));
    }
}

/// What is meant by a row.
fn pointed_at(document: &Document, row: &CallRow) -> Pointed {
    Pointed {
        module: document.module_of(row.function),
        function: Some(row.function),
        call: Some(row.of()),
        thread: Some(row.thread),
        time: Some(row.start),
        ..Pointed::default()
    }
}

impl View for Calls {
    fn update(&mut self, state: &State, asks: &mut Asks) {
        self.exporting.tell(asks);
        if std::mem::replace(&mut self.run, state.stamps().run) != state.stamps().run {
            // What was found out is of the calls of the other run.
            self.list = None;
            self.list_of = None;
            self.listing = None;
            self.listed_for = None;
        }
        if let Some(listed) = self.listing.as_ref().and_then(Job::poll) {
            self.listing = None;
            if let Ok(list) = listed {
                self.list = Some(Arc::new(list));
                let document = state.document.as_ref();
                self.show_chosen(document.and_then(|it| it.selection.chosen.call));
            }
        }
        let Some(document) = &state.document else {
            return;
        };
        self.follow(document);
        if state.panes.is_visible(ViewId::of(&ENTRY.line)) {
            self.begin(state, document);
        }
    }

    fn ui(&mut self, ui: &mut egui::Ui, pane: &mut Pane<'_>) {
        ui::show(self, ui, pane);
    }

    fn press(&mut self, key: TableKey, document: &Document, asks: &mut Asks) {
        let Some(list) = self.list.clone() else {
            return;
        };
        let chosen = document.selection.chosen;
        let at = chosen.call.and_then(|call| list.place_of(call));
        let to = self.at.place(key, at, list.len());
        let Some(row) = to.and_then(|to| list.row(to)) else {
            return;
        };
        let pointed = pointed_at(document, row);
        self.choose(pointed, SelectAsk::Walk, asks);
        asks.push(PlayAsk::Seek(row.start));
        if key == TableKey::Enter {
            asks.push(Ask::View(None, ViewAsk::Fit(row.of())));
            asks.extend(pointed.module.map(CameraAsk::FlyIfSeen));
        } else {
            asks.push(Ask::View(None, ViewAsk::Reveal(row.of())));
        }
    }

    fn show_all(&mut self, _document: &Document) {
        self.list_of = self.list_of.or(Some(CallsOf::Module(ModuleId::ROOT)));
    }

    fn is_waiting(&self) -> bool {
        self.listing.is_some() || self.exporting.is_running()
    }

    fn progress(&self) -> Option<&Progress> {
        self.exporting.progress()
    }

    fn cancel(&mut self) {
        self.exporting.stop();
    }

    fn log(&self, line: &mut Map<String, Value>) {
        let listed = self.list.as_ref().map(|list| list.counted());
        line.insert("listed".to_owned(), listed.into());
    }
}

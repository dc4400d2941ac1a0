//! What the view knows, and what it does with that.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::compared::Compared;
use super::marks::Marks;
use super::miniature::Miniature;
use super::numbers::{Counting, FactsKey, Numbers, Question, Tint};
use super::page::Page;
use super::reading::{Reading, TextKey};
use super::scrolling::Scroll;
use super::touched::Touched;
use crate::parts::found::Found;
use callscape_analysis::line_changes::Aligned;
use callscape_analysis::session::Session;
use callscape_base::units::ModuleId;
use callscape_filter::selection::Pointed;
use callscape_state::State;
use callscape_state::document::Document;
use callscape_state::job::Job;

/// Columns between tab stops at first, and what can be chosen.
pub(super) const TAB: u32 = 4;

pub(super) const TABS: [u32; 3] = [2, 4, 8];

/// Where a session file has the view.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Restored {
    /// Its path in the structure without a mapping.
    pub(super) code_file: Option<String>,
    pub(super) code_line: Option<u32>,
    pub(super) code_top: f64,
}

/// What is to be brought into sight as soon as it is known where it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Goal {
    /// A line, with what stands above it.
    Line(u32),
    /// The line that costs most in the function around this one.
    Hottest(u32),
    /// The line in which the calls of the chosen relation cost most; this one where none is known.
    Relation(u32),
}

pub struct CodeView {
    /// The structure that is displayed, and how many there were before.
    pub(super) session: Option<Arc<Session>>,
    pub(super) sessions: u64,
    /// The file that is shown, or what is around a function without one: of the structure without a mapping.
    pub(super) file: Option<ModuleId>,
    /// What was chosen when it was last followed, and whether it was chosen here.
    pub(super) followed: u64,
    pub(super) is_own: bool,
    pub(super) goal: Option<Goal>,
    /// Of A and of B; of one run the latter.
    pub(super) readings: [Reading; 2],
    pub(super) countings: [Counting; 2],
    /// Which of these the run that is shown is.
    pub(super) own: usize,
    pub(super) alignment: Found<[TextKey; 2], Arc<Aligned>>,
    /// Both texts as they are beside each other, once that is known.
    pub(super) aligned: Option<Arc<Aligned>>,
    pub(super) compared: Option<Compared>,
    pub(super) marks: [Marks; 2],
    /// What changed of the text of the run that is shown.
    pub(super) touched: Touched,
    pub(super) marked: Option<(u64, Pointed, Pointed)>,
    /// Counts what has become known: pictures of before are made anew.
    pub(super) revision: u64,
    /// What the user has chosen that colours say.
    pub(super) tint: Option<Tint>,
    /// Colours say what differs between two runs.
    pub(super) compares: bool,
    /// Both versions of the text are shown.
    pub(super) is_beside: bool,
    pub(super) tab: u32,
    /// The line that keys move from: of A or B, and its number.
    pub(super) caret: Option<(usize, u32)>,
    pub(super) scroll: Scroll,
    pub(super) query: String,
    pub(super) miniatures: [Option<Miniature>; 2],
    /// The folder that is offered as source tree.
    pub(super) folder: String,
    pub(super) restored: Option<Restored>,
}

impl Default for CodeView {
    fn default() -> CodeView {
        CodeView {
            session: None,
            sessions: 0,
            file: None,
            followed: 0,
            is_own: false,
            goal: None,
            readings: Default::default(),
            countings: Default::default(),
            own: 1,
            alignment: Found::default(),
            aligned: None,
            compared: None,
            marks: Default::default(),
            touched: Touched::default(),
            marked: None,
            revision: 0,
            tint: None,
            compares: true,
            is_beside: true,
            tab: TAB,
            caret: None,
            scroll: Scroll::default(),
            query: String::new(),
            miniatures: [None, None],
            folder: String::new(),
            restored: None,
        }
    }
}

impl CodeView {
    /// As at first where another structure is displayed; what was chosen of the view stays.
    pub(super) fn open(&mut self, document: &Document) {
        let session = &document.session;
        if self
            .session
            .as_ref()
            .is_some_and(|known| Arc::ptr_eq(known, session))
        {
            return;
        }
        *self = CodeView {
            session: Some(Arc::clone(session)),
            sessions: self.sessions + 1,
            revision: self.revision + 1,
            tint: self.tint,
            compares: self.compares,
            is_beside: self.is_beside,
            tab: self.tab,
            query: std::mem::take(&mut self.query),
            restored: self.restored.take(),
            ..CodeView::default()
        };
    }

    /// The texts that are shown: of A (0), of B (1), or both beside each other.
    pub(super) fn sides(&self, document: &Document) -> &'static [usize] {
        match (document.has_two_sources() && self.is_beside, self.own) {
            (true, _) => &[0, 1],
            (false, 0) => &[0],
            (false, _) => &[1],
        }
    }

    /// Whether the numbers of the other run are wanted.
    pub(super) fn wants_both(document: &Document) -> bool {
        document.runs.is_some()
    }

    /// Begins to read and to count what is wanted, and takes what was found.
    pub(super) fn read(&mut self, state: &State, document: &Document) {
        let Some(file) = self.file else {
            return;
        };
        let both = CodeView::wants_both(document);
        let sides: &[usize] = if both { &[0, 1] } else { &[self.own] };
        let mut is_new = false;
        for &side in sides {
            let place = document.runs.as_ref().map_or(0, |runs| runs.places()[side]);
            let resolved = document.base.recordings.get(place);
            let known = resolved.and_then(|it| it.recording.lines.as_ref());
            let infers = resolved.is_some() && !known.is_some_and(|it| it.knows().sites);
            let key = document
                .tree_file(file, side)
                .filter(|_| document.is_file(file));
            let key = key.map(|file| TextKey {
                file,
                sources: state.stamps().sources,
                tab: self.tab,
                recording: resolved.map(|it| it.recording.path.clone()),
            });
            // A text that both runs have is read once.
            let text = match document.has_two_sources() {
                true => side,
                false => self.own,
            };
            if let Some(key) = &key
                && text == side
            {
                is_new |= self.readings[side].update(key, infers, state);
            }
            if resolved.is_none() {
                continue;
            }
            let reading = &self.readings[text];
            let is_read = key.is_some() && reading.failure().is_none();
            let range = match side == self.own {
                true => document.selection.range,
                false => document
                    .selection
                    .range
                    .zip(document.runs.as_ref())
                    .map(|(range, runs)| runs.range_of_other(range)),
            };
            let asked = Question {
                facts: FactsKey {
                    session: self.sessions,
                    recording: place,
                    range,
                },
                file,
                structure: document.structure_of(side),
                sites: reading
                    .sites()
                    .filter(|_| infers && is_read)
                    .map(|it| (it, state.stamps().sources)),
                waits: infers && is_read && reading.sites().is_none(),
            };
            is_new |= self.countings[side].update(asked, state, document);
        }
        is_new |= self.align(state, document);
        if is_new {
            self.revision += 1;
            self.compare(document);
        }
    }

    /// Lays both versions of the text beside each other: whether they are so now, and were not before.
    pub(super) fn align(&mut self, state: &State, document: &Document) -> bool {
        let keys = [0, 1].map(|side| self.readings[side].key().cloned());
        let pages = [0, 1].map(|side| self.readings[side].page().cloned());
        let both = (document.has_two_sources(), keys, pages);
        let (true, [Some(a), Some(b)], [Some(of_a), Some(of_b)]) = both else {
            self.aligned = None;
            return false;
        };
        let keys = [a, b];
        self.alignment.want(keys.clone(), || {
            Job::named("comparing texts", state.waker(), move |progress| {
                progress.start("comparing the two versions", 0);
                Ok(Arc::new(Aligned::new([&of_a.text, &of_b.text])))
            })
        });
        let is_new = self.alignment.poll();
        self.aligned = self.alignment.of(&keys).cloned();
        is_new
    }

    pub(super) fn compare(&mut self, document: &Document) {
        self.compared = None;
        if !CodeView::wants_both(document) {
            return;
        }
        let aligned = self.aligned.clone();
        if document.has_two_sources() && aligned.is_none() {
            return;
        }
        if let (Some(a), Some(b)) = (self.numbers(0), self.numbers(1)) {
            let compared = Compared::new([a, b], aligned.as_deref(), self.tint());
            self.compared = Some(compared);
        }
    }

    /// What the recording of A (0) or B (1) tells of the file.
    pub(super) fn numbers(&self, side: usize) -> Option<&Numbers> {
        let of = self.countings[side].of(self.sessions, self.file?);
        of.map(|numbers| &**numbers)
    }

    /// The text of A (0) or B (1).
    pub(super) fn page(&self, side: usize) -> Option<&Arc<Page>> {
        self.readings[side].page()
    }

    /// Finds the lines that are meant, where something else is.
    pub(super) fn mark(&mut self, document: &Document) {
        let selection = &document.selection;
        let key = (self.revision, selection.pointed, selection.chosen);
        if self.marked == Some(key) {
            return;
        }
        self.marked = Some(key);
        self.marks = match self.numbers(self.own) {
            None => Default::default(),
            Some(numbers) => {
                [&selection.pointed, &selection.chosen].map(|of| Marks::of(document, numbers, of))
            }
        };
    }

    /// What colours say: what is chosen, else the lines themselves where the recording knows these and not their calls.
    pub(super) fn tint(&self) -> Tint {
        self.tint.unwrap_or_else(|| match self.numbers(self.own) {
            Some(numbers) if numbers.lines.knows_self && !numbers.lines.knows_sites => Tint::Own,
            _ => Tint::Run,
        })
    }

    pub(super) fn set_tint(&mut self, tint: Tint, compares: bool, document: &Document) {
        if (self.tint(), self.compares) != (tint, compares) {
            (self.tint, self.compares) = (Some(tint), compares);
            self.revision += 1;
            self.compare(document);
        }
    }

    /// What differs between the runs, where colours say so.
    pub(super) fn shown_difference(&self) -> Option<&Compared> {
        self.compared
            .as_ref()
            .filter(|it| self.compares && !it.is_mixed)
    }
}

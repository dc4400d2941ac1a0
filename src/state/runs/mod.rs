//! Two runs in one window: which of them is shown, which time of it is which of the other, and what differs.

mod anew;
mod between;
mod part;
mod parts;

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use callscape_analysis::alignment::{Alignment, Link, Run};
use callscape_analysis::comparison::amounts::{Change, Measure};
use callscape_analysis::comparison::tables::{Given, Norm, RelationChange};
use callscape_analysis::comparison::{self, Comparison, Settings, calls, threads};
use callscape_analysis::session::{Inputs, OpenError, Session};
use callscape_base::escape;
use callscape_base::progress::Progress;
use callscape_base::units::{FunctionId, ModuleId, ThreadId, Time, TimeRange};
use callscape_facts::hierarchy::{Hierarchy, HierarchyBuilder};
use callscape_filter::selection::CallOf;
use callscape_import as import;
use callscape_model::difference::{Amount, Difference, Strength};
use callscape_model::linked::LinkedRuns;
use callscape_model::pairs::Pairs;
use part::Whole;
pub use part::{ContextsOf, Part};
use part::{amounts_of, mirrored};

/// How two runs stand beside each other in the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunsLayout {
    /// One landscape.
    #[default]
    One,
    /// A at the left, B at the right.
    SideBySide,
    /// In one place: A up to a divider, B behind it.
    Wipe,
}

impl RunsLayout {
    pub const ALL: [RunsLayout; 3] = [RunsLayout::One, RunsLayout::SideBySide, RunsLayout::Wipe];

    /// As session files name it.
    pub fn name(self) -> &'static str {
        match self {
            RunsLayout::One => "one",
            RunsLayout::SideBySide => "side-by-side",
            RunsLayout::Wipe => "wipe",
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            RunsLayout::One => "Difference",
            RunsLayout::SideBySide => "Side by side",
            RunsLayout::Wipe => "Wipe",
        }
    }

    /// The next one, from the last to the first.
    pub fn next(self) -> RunsLayout {
        match self {
            RunsLayout::One => RunsLayout::SideBySide,
            RunsLayout::SideBySide => RunsLayout::Wipe,
            RunsLayout::Wipe => RunsLayout::One,
        }
    }
}

/// Two runs over one structure, one of them shown. The session holds the first run of each side of the inputs; then, where
/// several runs of A and B are compared, the rest, which no view along time shows. What is said of A and B
/// changes places when they are swapped.
#[derive(Clone, Debug)]
pub struct Runs {
    /// Of the modules of the structure that is shown.
    pub difference: Difference,
    /// What is compared, by row, and the relations between rows: of both runs as a whole, or of the parts of them that
    /// range and filters leave.
    pub functions: Arc<[Change]>,
    pub relations: Arc<[RelationChange<u32>]>,
    /// The same of both as a whole, while parts are compared.
    whole: Option<Whole>,
    /// What they are brought on.
    norm: Norm,
    /// The comparison without its structure, which the session has.
    base: Arc<Comparison>,
    /// What is compared of A and of B while parts are.
    parts: Option<[Arc<Part>; 2]>,
    /// What differences of functions and of relations count.
    amounts: [Amount; 2],
    /// The value that the user compares both by; none for what their recordings begin with.
    value: Option<String>,
    pub doubts: Vec<String>,
    /// What differs between two revisions, a sentence each, and the same with A as B; none for two runs.
    revised: [Arc<[String]>; 2],
    /// Which function of one run is which of the other.
    pub pairs: Arc<Pairs>,
    names: [String; 2],
    /// How many recordings of A and B are compared.
    counts: [usize; 2],
    /// 0 for A, 1 for B.
    shown: usize,
    /// A is the second of the inputs.
    is_swapped: bool,
    link: Link,
    /// None where one of them has no times.
    clocks: Option<Arc<Alignment>>,
    /// By function of each run, the row of the comparison.
    row_of: [Arc<[u32]>; 2],
    /// The same of the rest of the session's recordings.
    row_of_rest: Arc<[Vec<u32>]>,
    /// By thread of each run, the one of the other run that it is.
    threads: [Arc<[Option<ThreadId>]>; 2],
    /// What has been asked of calls of the run that is shown.
    same_calls: Arc<Mutex<HashMap<CallOf, Option<CallOf>>>>,
    /// What was last asked of calls between modules.
    between: Arc<Mutex<Option<Asked>>>,
    /// Other numbers are other runs, or other clocks.
    revision: u64,
}

/// A revision of two runs and two modules, with what the calls between these come to.
type Asked = ((u64, ModuleId, ModuleId), Change);

fn next_revision() -> u64 {
    static MADE: AtomicU64 = AtomicU64::new(1);
    MADE.fetch_add(1, Ordering::Relaxed)
}

impl Runs {
    /// Opens two recordings as A and B; none for parts of one recording, which are read together.
    pub fn open(
        inputs: &Inputs,
        progress: &Progress,
    ) -> Result<Option<(Session, Runs)>, OpenError> {
        Runs::paired(inputs, Settings::default(), progress)
    }

    /// The same with functions paired, and by the value, as the user says.
    fn paired(
        inputs: &Inputs,
        settings: Settings,
        progress: &Progress,
    ) -> Result<Option<(Session, Runs)>, OpenError> {
        let Some(of_sides) = inputs.recordings_of_sides() else {
            return Ok(None);
        };
        let (of_a, of_b) = (&inputs.sides.source_of_a, &inputs.source_dir);
        let sides = comparison::Inputs {
            recordings: of_sides.map(<[_]>::to_vec),
            source_dirs: of_a.iter().chain(of_b).cloned().collect(),
        };
        let alone = match (inputs.sides.runs_of_a, of_sides) {
            (0, [[a], [b]]) => Some([a.as_path(), b.as_path()]),
            _ => None,
        };
        if let Some(paths) = alone
            && import::are_parts(paths, progress)?
        {
            return Ok(None);
        }
        let comparison = Comparison::open(&sides, &settings, progress)?;
        let counts = comparison.runs;
        // What is no comparison is opened otherwise right away.
        let hold = |comparison: &Comparison| {
            let opened = comparison.session.recordings.iter();
            opened.for_each(|it| import::hold(&it.recording));
        };
        if counts.contains(&0) {
            hold(&comparison);
            return Ok(None);
        }
        // The first run of each side is the one that is shown along time.
        let of =
            [0, counts[0]].map(|place| Arc::clone(&comparison.session.recordings[place].recording));
        if let Some([a, b]) = alone
            && import::are_processes([(a, &of[0]), (b, &of[1])])
        {
            hold(&comparison);
            return Ok(None);
        }
        Ok(Some(Runs::of(comparison, settings)))
    }

    /// Two runs that are compared, with functions paired, and by the value, as the user says; and their session.
    pub fn of(mut comparison: Comparison, settings: Settings) -> (Session, Runs) {
        let counts = comparison.runs;
        let of =
            [0, counts[0]].map(|place| Arc::clone(&comparison.session.recordings[place].recording));
        let [of_a, of_b] = of.each_ref().map(|it| &it.trace);
        let threads = [threads::paired(of_a, of_b), threads::paired(of_b, of_a)];
        let doubts = comparison.doubts.iter().map(ToString::to_string).collect();
        let revised = [false, true].map(|it| comparison.revised_in_words(it).into());
        let pairs = Arc::new(Pairs::new(&comparison, &settings.corrections));
        let nothing = HierarchyBuilder::new("").build().0;
        let mut session = Session {
            hierarchy: std::mem::replace(&mut comparison.session.hierarchy, nothing),
            ..comparison.session.clone()
        };
        let mut row_of = comparison.row_of.clone();
        session.recordings.swap(1, counts[0]);
        row_of.swap(1, counts[0]);
        let row_of_rest = row_of.split_off(2).into();
        let runs = Runs {
            difference: Difference::default(),
            functions: comparison.functions(Given::Compared).into(),
            relations: comparison.relations(Given::Compared).into(),
            whole: None,
            norm: comparison.norm(),
            parts: None,
            amounts: amounts_of(&comparison),
            base: Arc::new(comparison),
            value: settings.value,
            doubts,
            revised,
            pairs,
            names: of.each_ref().map(|it| it.name()),
            counts,
            shown: 0,
            is_swapped: false,
            link: Link::Share,
            clocks: None,
            row_of: [0, 1].map(|place| row_of[place].as_slice().into()),
            row_of_rest,
            threads: threads.map(Into::into),
            same_calls: Arc::default(),
            between: Arc::default(),
            revision: next_revision(),
        };
        let runs = runs.linked(&session, Link::Share);
        let runs = runs.over(&session, Measure::SelfCost, Strength::Absolute);
        (session, runs)
    }

    /// The same by another measure, or over another structure of the same recordings. O(functions + modules).
    pub fn over(&self, session: &Session, measure: Measure, strength: Strength) -> Runs {
        let places = self.modules(session);
        let hierarchy = &session.hierarchy;
        let [functions, relations] = &self.amounts;
        let modules = self.changes_of_modules(hierarchy, &places);
        let difference = Difference::over(
            hierarchy,
            &places,
            &self.functions,
            modules,
            functions.by(measure),
            strength,
        );
        Runs {
            difference: difference.with_relations(&places, &self.relations, relations.clone()),
            revision: next_revision(),
            ..self.clone()
        }
    }

    /// The thread of the other run that one of the run that is shown is.
    pub(crate) fn thread_of_other(&self, thread: ThreadId) -> Option<ThreadId> {
        *self.threads[self.shown].get(thread.index())?
    }

    /// The rows of each recording of the session by its functions, with the recording's place: a row's last one is what
    /// names it, B as it is shown, else A, else another run.
    fn rows(&self) -> impl DoubleEndedIterator<Item = (usize, &[u32])> {
        let rest = (2..).zip(self.row_of_rest.iter().map(Vec::as_slice));
        let rest: Vec<_> = rest.collect();
        let shown = [0, 1].map(|side| (self.places()[side], &*self.row_of[side]));
        rest.into_iter().chain(shown)
    }

    /// The call of the other run that one of the run that is shown is; none where it has none. Looked for once.
    pub fn call_of_other(&self, session: &Session, of: CallOf) -> Option<CallOf> {
        // Nothing is left half done by a thread that panics here.
        let asked = || {
            self.same_calls
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        if let Some(known) = asked().get(&of) {
            return *known;
        }
        let found = self.find_call(session, of);
        asked().insert(of, found);
        found
    }

    fn find_call(&self, session: &Session, of: CallOf) -> Option<CallOf> {
        let thread = self.thread_of_other(of.thread)?;
        let run = |side: usize| {
            let resolved = session.recordings.get(self.places()[side])?;
            Some(Run {
                trace: &resolved.recording.trace,
                row_of: &self.row_of[side],
            })
        };
        let (own, other) = (run(self.shown)?, run(1 - self.shown)?);
        let call = calls::found_again((own, of.thread), of.call, (other, thread))?;
        Some(CallOf { thread, call })
    }

    /// By row, its module in the structure of a session of the same recordings.
    pub fn modules(&self, session: &Session) -> Vec<ModuleId> {
        let mut modules = vec![ModuleId::ROOT; self.functions.len()];
        // What is in both stands where B has it.
        for (place, rows) in self.rows() {
            let resolved = session.recordings.get(place);
            let of = resolved.map(|it| it.resolution.modules.as_slice());
            for (&row, &module) in rows.iter().zip(of.unwrap_or_default()) {
                if let Some(place) = modules.get_mut(row as usize) {
                    *place = module;
                }
            }
        }
        modules
    }

    /// The same with clocks linked by something else. For a worker thread.
    pub fn linked(&self, session: &Session, link: Link) -> Runs {
        let of = self.places().map(|place| session.recordings.get(place));
        let run = |side: usize| {
            let recording = &of[side]?.recording;
            recording.profile.is_none().then_some(Run {
                trace: &recording.trace,
                row_of: &self.row_of[side],
            })
        };
        let clocks = match (run(0), run(1)) {
            (Some(a), Some(b)) => Some(Arc::new(Alignment::new(a, b, &link))),
            _ => None,
        };
        Runs {
            link,
            clocks,
            revision: next_revision(),
            ..self.clone()
        }
    }

    /// The same with the other one shown.
    pub fn flipped(&self) -> Runs {
        Runs {
            shown: 1 - self.shown,
            same_calls: Arc::default(),
            revision: next_revision(),
            ..self.clone()
        }
    }

    /// The same with A and B exchanged, the same run shown; what differs has to be found [`over`](Self::over) the
    /// structure again.
    pub fn swapped(&self) -> Runs {
        let [a, b] = self.names.clone();
        let [row_a, row_b] = self.row_of.clone();
        let [threads_a, threads_b] = self.threads.clone();
        let relation = |of: &RelationChange<u32>| RelationChange {
            change: mirrored(of.change),
            ..*of
        };
        Runs {
            difference: self.difference.clone(),
            functions: self.functions.iter().copied().map(mirrored).collect(),
            relations: self.relations.iter().map(relation).collect(),
            whole: self.whole.as_ref().map(|(functions, relations)| {
                let functions = functions.iter().copied().map(mirrored).collect();
                (functions, relations.iter().map(relation).collect())
            }),
            norm: self.norm,
            base: Arc::clone(&self.base),
            parts: self.parts.clone().map(|[a, b]| [b, a]),
            amounts: self.amounts.clone(),
            value: self.value.clone(),
            doubts: self.doubts.clone(),
            revised: self.revised.clone(),
            pairs: Arc::new(self.pairs.swapped()),
            names: [b, a],
            counts: [self.counts[1], self.counts[0]],
            shown: 1 - self.shown,
            is_swapped: !self.is_swapped,
            link: self.link,
            clocks: self.clocks.as_ref().map(|it| Arc::new(it.swapped())),
            row_of: [row_b, row_a],
            row_of_rest: Arc::clone(&self.row_of_rest),
            threads: [threads_b, threads_a],
            same_calls: Arc::clone(&self.same_calls),
            between: Arc::default(),
            revision: next_revision(),
        }
    }

    /// Which of the inputs is shown.
    pub fn input(&self) -> usize {
        self.place()
    }

    /// What differs between two revisions, a sentence each; none for two runs.
    pub fn revised(&self) -> &[String] {
        &self.revised[usize::from(self.is_swapped)]
    }

    /// Whether A is the second of the inputs.
    pub fn is_swapped(&self) -> bool {
        self.is_swapped
    }

    /// The structure at the lines of the text of A (0) or B (1), where that is not the structure's own.
    pub fn structure_of(&self, side: usize) -> Option<&Arc<Hierarchy>> {
        let is_first = (side == 0) != self.is_swapped;
        self.base.structure_of_a.as_ref().filter(|_| is_first)
    }

    /// Which is shown: 0 for A, 1 for B.
    pub fn side(&self) -> usize {
        self.shown
    }

    /// Which is shown: `A` or `B`.
    pub fn letter(&self) -> &'static str {
        ["A", "B"][self.shown]
    }

    /// Where A and B stand in the session.
    pub fn places(&self) -> [usize; 2] {
        match self.is_swapped {
            false => [0, 1],
            true => [1, 0],
        }
    }

    /// Where the run that is shown stands in the session.
    pub fn place(&self) -> usize {
        self.places()[self.shown]
    }

    /// Where the other one stands.
    pub fn place_of_other(&self) -> usize {
        self.places()[1 - self.shown]
    }

    /// A side for people.
    pub fn title_of(&self, side: usize) -> String {
        let side = side.min(1);
        let (letter, name) = (["A", "B"][side], escape::name(&self.names[side]));
        match (self.counts[side], self.counted_runs()[side]) {
            (1, 1) => format!("{letter}: {name}"),
            (1, runs) => format!("{letter}: {name}, mean of {runs} runs"),
            (count, _) => format!("{letter}: {name}, 1 of {count} runs"),
        }
    }

    /// How many runs of A and B are compared: recordings, or those that one is the mean of.
    pub fn counted_runs(&self) -> [usize; 2] {
        let mut counted = self.base.counted_runs();
        if self.is_swapped {
            counted.reverse();
        }
        counted
    }

    /// What the user has said of which function is which, as names or paths in A and in B.
    pub fn corrections(&self) -> Vec<[String; 2]> {
        let said = self.pairs.corrections.iter();
        let said = said.map(|it| [it.old.clone(), it.new.clone()]);
        said.map(|mut names| {
            if self.is_swapped {
                names.reverse();
            }
            names
        })
        .collect()
    }

    /// What the clocks are linked by.
    pub fn link(&self) -> &Link {
        &self.link
    }

    /// None where one of the runs has no times.
    pub fn clocks(&self) -> Option<&Alignment> {
        self.clocks.as_deref()
    }

    /// The row of a function of the run `side`.
    pub fn row_of(&self, side: usize, function: FunctionId) -> Option<u32> {
        self.row_of[side].get(function.index()).copied()
    }

    /// The row of a function of the run that is shown.
    pub fn row(&self, function: FunctionId) -> Option<u32> {
        self.row_of[self.shown].get(function.index()).copied()
    }

    /// The place in the session of a recording that has a row's function, and its number there. O(functions).
    fn function(&self, row: u32) -> Option<(usize, FunctionId)> {
        self.rows().rev().find_map(|(place, rows)| {
            let function = rows.iter().position(|&of| of == row)?;
            Some((place, FunctionId(function as u32)))
        })
    }

    /// The module of a row's function in the structure of a session of the same recordings. O(functions).
    pub fn module(&self, session: &Session, row: u32) -> Option<ModuleId> {
        let (place, function) = self.function(row)?;
        let resolved = session.recordings.get(place)?;
        resolved.resolution.modules.get(function.index()).copied()
    }

    /// The name of a row's function. O(functions).
    pub fn row_name<'a>(&self, session: &'a Session, row: u32) -> &'a str {
        let found = self.function(row);
        found.map_or("", |(place, id)| session.function_name(place, id))
    }

    /// Other numbers are other runs, another measure, or other clocks.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// By row, a recording of the session that has its function, and its number there.
    fn functions_of_rows(&self) -> Vec<Option<(usize, FunctionId)>> {
        let mut found = vec![None; self.functions.len()];
        for (place, rows) in self.rows() {
            for (&row, function) in rows.iter().zip(0..) {
                if let Some(of) = found.get_mut(row as usize) {
                    *of = Some((place, FunctionId(function)));
                }
            }
        }
        found
    }

    /// By row, the name of its function as one of the session's recordings has it.
    pub fn names_of_rows<'a>(&self, session: &'a Session) -> Vec<&'a str> {
        let found = self.functions_of_rows().into_iter().map(|found| {
            let (place, function) = found?;
            Some(session.function_name(place, function))
        });
        found.map(Option::unwrap_or_default).collect()
    }

    /// The time of the run that is not shown that is `time` of the one that is.
    pub fn time_of_other(&self, time: Time) -> Time {
        self.clocks
            .as_ref()
            .map_or(time, |it| it.map(self.shown, time))
    }

    /// The same for both ends of a range.
    pub fn range_of_other(&self, range: TimeRange) -> TimeRange {
        TimeRange::new(
            self.time_of_other(range.start),
            self.time_of_other(range.end),
        )
    }

    /// How many times as long B takes where the run that is shown is at `time`.
    pub fn stretch_at(&self, time: Time) -> Option<f64> {
        let clocks = self.clocks.as_ref()?;
        let in_a = if self.shown == 0 {
            time
        } else {
            clocks.map(1, time)
        };
        clocks.stretch_at(in_a)
    }

    /// Both along one time axis; none where one has no times.
    pub fn pair(&self) -> Option<LinkedRuns<'_>> {
        Some(LinkedRuns {
            places: self.places(),
            names: self.names.each_ref().map(String::as_str),
            clocks: self.clocks.as_deref()?,
            is_wall: self.link == Link::WallTime,
            difference: &self.difference,
            threads: self.threads.each_ref().map(|it| &**it),
            row_of: self.row_of.each_ref().map(|it| &**it),
            revision: self.revision,
        })
    }
}

#[cfg(test)]
mod tests;

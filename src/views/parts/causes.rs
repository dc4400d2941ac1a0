//! Why the whole of one run costs more or less than that of the other, in sentences, found on another thread.

use std::sync::Arc;

use callscape_analysis::comparison::causes::Cause;
use callscape_base::units::ModuleId;
use callscape_model::causes::Words;
use callscape_model::difference::CauseAt;
use callscape_state::State;
use callscape_state::job::Job;
use callscape_state::runs::ContextsOf;

/// A cause as it is shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    pub module: ModuleId,
    /// Rows of the comparison, outermost first, of the context with the largest part.
    pub path: Arc<[u32]>,
    /// The sentence.
    pub what: String,
    /// How much of the difference it is.
    pub share: String,
    /// All functions on the way to it.
    pub way: String,
    /// Share of the difference; negative of what makes it smaller.
    pub explains: f64,
}

/// All causes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lines {
    pub lines: Vec<Line>,
    /// Total of B less total of A.
    pub difference: String,
    /// The share of what is not told.
    pub rest: f64,
    /// Where the largest lie.
    pub places: Arc<[CauseAt]>,
}

/// What the causes are found of: the runs, and whether A and B are exchanged.
type Of = (ContextsOf, bool);

/// The causes shown, and the search for others.
#[derive(Default)]
pub struct Causes {
    pub lines: Lines,
    finding: Option<Job<(Of, Lines)>>,
    /// What is shown or on its way.
    of: Option<(u64, Of)>,
}

impl Causes {
    pub fn is_waiting(&self) -> bool {
        self.finding.is_some()
    }

    /// Begins to look for the causes where other runs are shown, and takes what was found.
    pub fn update(&mut self, state: &State) {
        if let Some(done) = self.finding.as_ref().and_then(Job::poll) {
            self.finding = None;
            if let Ok((_, lines)) = done {
                self.lines = lines;
            }
        }
        let Some(document) = &state.document else {
            return;
        };
        let Some(runs) = document.runs.clone() else {
            return;
        };
        let of = (
            runs.contexts_of(document.selection.range),
            runs.is_swapped(),
        );
        let wanted = (runs.revision(), of.clone());
        if self.of.as_ref() == Some(&wanted) {
            return;
        }
        self.of = Some(wanted);
        let session = Arc::clone(&document.session);
        self.finding = Some(Job::start(state.waker(), move |progress| {
            let causes = of.0.causes(of.1, progress)?;
            let names = runs.names_of_rows(&session);
            let modules = runs.modules(&session);
            let name = |row: u32| names.get(row as usize).copied().unwrap_or_default();
            let words = Words {
                unit: of.0.unit(),
                is_per_call: of.0.is_per_call(),
                counts_calls: causes.counts_calls,
            };
            let line = |cause: &Cause| {
                let way: Vec<&str> = cause.path.iter().map(|&row| name(row)).collect();
                let module = modules.get(cause.row() as usize);
                Line {
                    module: module.copied().unwrap_or(ModuleId::ROOT),
                    path: Arc::from(&*cause.path),
                    what: words.what(cause, name),
                    share: words.share(cause, &causes),
                    way: way.join(" → "),
                    explains: cause.explains,
                }
            };
            let lines = Lines {
                lines: causes.causes.iter().map(line).collect(),
                difference: words.difference(causes.difference),
                rest: causes.rest,
                places: CauseAt::first(&causes, &modules),
            };
            Ok((of, lines))
        }));
    }
}

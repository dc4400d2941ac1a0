//! Values of the arguments of the selected function over time, in the range that is selected. Found on another thread.

use std::sync::Arc;

use super::document::Document;
use super::job::{self, Job};
use callscape_analysis::arguments::{Series, series};
use callscape_analysis::session::Session;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{FunctionId, ModuleId, TimeRange};

/// So many parts of the range have a value each.
const COLUMNS: usize = 64;

/// What values are found of.
#[derive(Clone, Debug)]
struct Of {
    session: Arc<Session>,
    recording: usize,
    module: ModuleId,
    range: TimeRange,
}

impl PartialEq for Of {
    fn eq(&self, other: &Of) -> bool {
        let key = |it: &Of| (it.recording, it.module, it.range);
        Arc::ptr_eq(&self.session, &other.session) && key(self) == key(other)
    }
}

/// The numeric arguments of the selected function.
#[derive(Debug, Default)]
pub struct FunctionArguments {
    of: Option<Of>,
    found: Vec<Series>,
    job: Option<Job<Vec<Series>>>,
}

impl FunctionArguments {
    /// Those that are known to be numbers, and the range that they are of.
    pub fn series(&self) -> Option<(TimeRange, &[Series])> {
        let of = self.of.as_ref()?;
        Some((of.range, &self.found))
    }

    /// Takes the values that were found, and begins to find those of what is selected now; `waker` gives what a worker
    /// calls at its end.
    pub(super) fn update(
        &mut self,
        document: &Document,
        waker: impl Fn() -> Box<dyn FnOnce() + Send>,
    ) {
        if let Some(found) = job::take(&mut self.job) {
            self.found = found;
        }
        let wanted = wanted(document);
        if self.of == wanted {
            return;
        }
        self.of.clone_from(&wanted);
        self.found.clear();
        self.job = wanted.map(|of| Job::named("arguments", waker(), move |it| find(&of, it)));
    }

    pub(super) fn is_under_way(&self) -> bool {
        self.job.is_some()
    }
}

/// The selected function of a recording with arguments.
fn wanted(document: &Document) -> Option<Of> {
    let module = document.selection.chosen.module?;
    let trace = &document.resolved()?.recording.trace;
    let is_function = document.session.hierarchy.is_leaf(module);
    (is_function && trace.calls_with_arguments() > 0).then(|| Of {
        session: Arc::clone(&document.session),
        recording: document.recording(),
        module,
        range: document.selection.range.unwrap_or(trace.range()),
    })
}

fn find(of: &Of, progress: &Progress) -> Result<Vec<Series>, Cancelled> {
    let Some(resolved) = of.session.recordings.get(of.recording) else {
        return Ok(Vec::new());
    };
    let modules = resolved.resolution.modules.iter().zip(0..);
    let functions = modules.filter(|(module, _)| **module == of.module);
    let functions: Vec<FunctionId> = functions.map(|(_, id)| FunctionId(id)).collect();
    let trace = &resolved.recording.trace;
    let mut found = series(trace, &functions, of.range, COLUMNS, progress)?;
    found.retain(|it| it.whole.calls > 0);
    Ok(found)
}

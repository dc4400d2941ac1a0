//! What is remarkable about one run, found on another thread, and what a click on a finding asks for.

use std::sync::Arc;

use callscape_analysis::findings::{Finding, findings};
use callscape_base::progress::Progress;
use callscape_base::units::FunctionId;
use callscape_filter::marked::Marked;
use callscape_filter::selection::Pointed;
use callscape_state::State;
use callscape_state::ask::{Ask, CameraAsk, PaneAsk, SelectAsk};
use callscape_state::document::Document;
use callscape_state::job::{Job, take};
use callscape_state::made::Generation;
use callscape_state::panes::ViewId;

/// The findings of the run that is open.
#[derive(Default)]
pub struct Remarks {
    pub found: Arc<[Finding]>,
    job: Option<Job<Vec<Finding>>>,
    /// The document that they are found in, or are being looked for.
    of: Option<Generation>,
}

/// The document, if it has one run.
pub fn one_run(state: &State) -> Option<&Document> {
    let document = state.document.as_ref()?;
    (document.runs.is_none() && document.resolved().is_some()).then_some(document)
}

impl Remarks {
    pub fn is_waiting(&self) -> bool {
        self.job.is_some()
    }

    /// How far the search is, if it takes long.
    pub fn slow(&self) -> Option<&Progress> {
        self.job.as_ref().and_then(Job::slow)
    }

    /// Takes what was found, and begins to look in another document; findings of the document before stay until then.
    pub fn update(&mut self, state: &State) {
        if let Some(found) = take(&mut self.job) {
            self.found = found.into();
        }
        let wanted = one_run(state);
        let shown = wanted.map(Document::generation);
        if std::mem::replace(&mut self.of, shown) == shown {
            return;
        }
        self.job = wanted.and_then(Document::resolved).map(|resolved| {
            let recording = resolved.recording.clone();
            let work = move |progress: &Progress| findings(&recording, progress);
            Job::named("findings", state.waker(), work)
        });
    }

    /// Forgets what was found, and looks again with the next update.
    pub fn forget(&mut self) {
        *self = Remarks::default();
    }
}

/// The function that a finding is about first.
pub fn subject(finding: &Finding) -> Option<FunctionId> {
    let first = finding.functions.first();
    first.or(finding.path.last()).copied()
}

/// The functions that a finding names.
fn marked(finding: &Finding, document: &Document) -> Arc<Marked> {
    let functions = finding.functions.iter().copied().chain(subject(finding));
    let title = format!("named by the finding \"{}\"", finding.text);
    document.marked(title, functions.collect())
}

/// What a click on a finding asks for: its function is selected everywhere, its blocks are lit, every view shows its time, and
/// the view that shows more is open.
pub fn show(finding: &Finding, state: &State) -> Vec<Ask> {
    let mut asks: Vec<Ask> = Vec::new();
    let Some(document) = one_run(state) else {
        return asks;
    };
    let function = subject(finding);
    if let Some(module) = function.and_then(|it| document.module_of(it)) {
        let pointed = Pointed {
            function,
            ..Pointed::at_module(Some(module))
        };
        asks.push(SelectAsk::Choose(pointed).into());
        asks.push(Ask::LightWhileChosen(marked(finding, document)));
        asks.push(CameraAsk::FlyIfSeen(module).into());
    }
    if let Some((_, range)) = finding.when {
        asks.push(SelectAsk::SetRange(Some(range)).into());
    }
    let view = view(finding, state);
    asks.extend(view.map(|it| PaneAsk::Toggle(it).into()));
    asks
}

/// The view that shows more of a finding, unless it is visible.
fn view(finding: &Finding, state: &State) -> Option<ViewId> {
    let view = state.panes.named(finding.view)?;
    (!state.panes.is_visible(view)).then_some(view)
}

//! What changed since a revision and ran.

use std::sync::Arc;

use super::marking::marked_in;
use callscape_analysis::comparison::{Comparison, Settings};
use callscape_analysis::faults::{self, Failing, Fault, Faults, Question, opening};
use callscape_analysis::session::{Session, Since};
use callscape_base::progress::Progress;
use callscape_facts::recording::Recording;
use callscape_filter::marked::Marked;
use callscape_import as import;
use callscape_source::history;
use callscape_source::history::change::Changes;

/// What changed between two revisions, of one session.
pub struct Changed {
    pub since: Since,
    /// The modules are of it.
    pub session: Arc<Session>,
    pub changes: Changes,
    pub faults: Faults,
    pub marked: Arc<Marked>,
    /// The good recordings: whoever looks again while they are kept does not read them again.
    pub good: Vec<Arc<Recording>>,
}

impl Changed {
    /// Looks for it; an error says why it cannot be found. For a worker thread: reads source tree and repository, and another
    /// recording where one is named.
    pub fn find(
        since: &Since,
        session: &Arc<Session>,
        progress: &Progress,
    ) -> Result<Changed, String> {
        let told = |error: &dyn std::fmt::Display| error.to_string();
        let (Some(dir), Some(resolved)) = (&session.source_dir, session.recordings.first()) else {
            return Err("changes are looked up in a source tree and a recording of it".to_owned());
        };
        if session.recordings.len() > 1 && since.good_recording.is_none() {
            return Err(
                "two runs are open: open only the failing run, and name the other as the good recording"
                    .to_owned(),
            );
        }
        let scan = opening::scan(dir, progress).map_err(|it| told(&it))?;
        let bad = since.bad.as_deref();
        let paths = opening::paths(&scan);
        let changes = history::changes(dir, &since.good, bad, &paths, progress);
        let changes = changes.map_err(|it| told(&it))?;
        let good = import::open_all(since.good_recording.as_slice(), progress);
        let good = good.map_err(|it| told(&it))?;
        let against = match &since.good_recording {
            None => None,
            Some(_) => {
                let both = [good.clone(), vec![Arc::clone(&resolved.recording)]];
                let settings = Settings::default();
                let compared = Comparison::of(&[scan.hierarchy()], both, &settings, progress);
                Some(compared.map_err(|it| told(&it))?)
            }
        };
        let question = Question {
            session,
            changes: &changes,
            scan: Some(&scan),
            against: against.as_ref(),
            failing: Failing::default(),
        };
        progress.check().map_err(|it| told(&it))?;
        let faults = faults::find(&question, progress).map_err(|it| told(&it))?;
        let modules = faults.faults.iter().map(|it| it.module).collect();
        let title = format!("changed since {}", since.good);
        Ok(Changed {
            since: since.clone(),
            session: Arc::clone(session),
            marked: Arc::new(marked_in(title, modules, resolved)),
            changes,
            faults,
            good,
        })
    }

    /// The name of a fault as people know it: that of the function itself, where the recording has names for parts of it too.
    pub fn name(&self, fault: &Fault) -> &str {
        let recording = self.session.recordings.first().map(|it| &it.recording);
        let names = fault.functions.iter();
        let names = names.filter_map(|&it| Some(recording?.functions.get(it).name));
        names.min_by_key(|it| it.len()).unwrap_or_default()
    }
}

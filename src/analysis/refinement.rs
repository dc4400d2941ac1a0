//! A structure that is shown while it is still being read: the files are there, what is in them follows.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use callscape_base::progress::Progress;
use callscape_base::warnings::{Reporter, Warning};
use callscape_facts::hierarchy::Hierarchy;
use callscape_source::{Scan, SourceError};

/// What is read in this many bytes is waited for: it takes no longer than anyone notices.
const WORTH_WAITING: u64 = 4 << 20;

/// The first step is short, so that functions are seen soon; each later one is twice as long, so that laying out
/// again takes a small part of the time whatever the size of the tree.
const FIRST_STEP: Duration = Duration::from_millis(700);

/// A scan under way, shared by the sessions that show what it has found so far.
#[derive(Clone)]
pub struct Refinement(Arc<Mutex<State>>);

struct State {
    scan: Scan,
    step: Duration,
}

/// What a step has found.
pub struct Step {
    /// Everything found so far.
    pub source: Hierarchy,
    /// What was left out so far.
    pub warnings: Vec<Warning>,
    pub is_whole: bool,
}

impl Refinement {
    /// Opens the tree at `dir`: what is known at first, and what goes on, unless that is all.
    pub fn start(
        dir: &Path,
        progress: &Progress,
    ) -> Result<(Step, Option<Refinement>), SourceError> {
        let mut scan = Scan::start(dir, progress)?;
        if scan.unread_bytes() <= WORTH_WAITING {
            scan.finish(progress)?;
        }
        let first = step(&scan);
        let refinement = (!first.is_whole).then(|| {
            Refinement(Arc::new(Mutex::new(State {
                scan,
                step: FIRST_STEP,
            })))
        });
        Ok((first, refinement))
    }

    /// Reads on for a while. For a worker thread: blocks for the time of a step.
    pub fn read_on(&self, progress: &Progress) -> Result<Step, SourceError> {
        // A panic while a scan is locked leaves it whole: it changes file by file.
        let mut state = self
            .0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        let State { scan, step: length } = &mut *state;
        scan.read_on(*length, progress)?;
        *length *= 2;
        Ok(step(scan))
    }
}

fn step(scan: &Scan) -> Step {
    let reporter = Reporter::new();
    scan.report(&reporter);
    Step {
        source: scan.hierarchy(),
        warnings: reporter.warnings(),
        is_whole: scan.state().1 == 0,
    }
}

impl fmt::Debug for Refinement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Refinement").finish_non_exhaustive()
    }
}

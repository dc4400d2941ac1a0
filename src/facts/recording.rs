//! One recorded execution: its functions, its calls, and what had to be repaired to read it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::functions::Functions;
use super::trace::Trace;
use crate::warnings::Warning;

/// What kind of facts a recording holds about time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordingKind {
    /// Exact enter and exit of every call.
    Trace,
    /// Ordered stacks with times: calls known to the sampling interval.
    Sampled,
    /// Weights per calling context, no times.
    Profile,
}

/// One recorded execution as read from its file.
#[derive(Debug)]
pub struct Recording {
    /// The file or directory it was read from.
    pub path: PathBuf,
    /// The identifier of the format in `info`: `chrome-json`, `uftrace`, …
    pub format: &'static str,
    pub kind: RecordingKind,
    pub functions: Functions,
    pub trace: Trace,
    /// How many samples were taken; none of a trace.
    pub samples: u64,
    pub warnings: Vec<Warning>,
}

impl Recording {
    /// What to tell once answers leave parts out, because the index has turned out to be damaged and what
    /// it was made from does not give the same calls again; none as long as answers are whole.
    pub fn damage(&self) -> Option<String> {
        self.trace.is_damaged().then(|| {
            format!(
                "{}: its index is damaged, and the recording no longer gives the calls that the index was \
                 made from",
                self.path.display()
            )
        })
    }

    /// The name of the recording's file, to be shown.
    pub fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        name.to_string_lossy().into_owned()
    }
}

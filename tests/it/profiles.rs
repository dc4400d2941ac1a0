//! Profiles, the recordings without times: folded stacks, pprof, callgrind and HPROF.

mod commands;
mod contexts;
mod damage;
mod facts;
mod signed;

use std::collections::BTreeMap;
use std::path::Path;

use callscape::facts::profile::Profile;
use callscape::facts::recording::{Recording, RecordingKind};
use callscape::import::{self, ImportError};
use callscape::progress::Progress;
use callscape::units::{ContextId, FunctionId};

use crate::common::Scratch;

fn open(path: &Path) -> Result<Recording, ImportError> {
    import::open(path, &Progress::new())
}

fn read(path: &Path) -> Recording {
    let recording = open(path).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(recording.kind, RecordingKind::Profile);
    assert_eq!(recording.trace.calls(), 0);
    recording
}

fn profile(recording: &Recording) -> &Profile {
    recording.profile.as_ref().expect("a profile")
}

/// How often each kind of repair was counted.
fn warnings(recording: &Recording) -> BTreeMap<&str, u64> {
    let warnings = recording.warnings.iter();
    warnings
        .map(|warning| (warning.kind.as_ref(), warning.count))
        .collect()
}

fn name(recording: &Recording, function: FunctionId) -> &str {
    recording.functions.get(function).name
}

/// Calls, total and self weight by function name.
fn functions(recording: &Recording) -> BTreeMap<String, (u64, u64, u64)> {
    let metrics = profile(recording).function_metrics();
    let rows = recording.functions.ids().zip(metrics);
    let mut by_name: BTreeMap<String, (u64, u64, u64)> = BTreeMap::new();
    for (id, metrics) in rows {
        let sums = by_name.entry(name(recording, id).to_owned()).or_default();
        sums.0 += metrics.calls;
        sums.1 += metrics.total.ns();
        sums.2 += metrics.self_cost.ns();
    }
    by_name
}

/// The contexts as `depth name total self`, in order.
fn tree(recording: &Recording) -> Vec<String> {
    let profile = profile(recording);
    let contexts = profile.contexts().expect("contexts");
    let value = profile.shown();
    let depth = |mut context: ContextId| {
        let mut depth = 0;
        while let Some(parent) = contexts.parent(context) {
            (context, depth) = (parent, depth + 1);
        }
        depth
    };
    let show = |context| {
        let name = name(recording, contexts.function(context));
        let total = contexts.total(value, context).ns();
        let own = contexts.self_weight(value, context).ns();
        format!("{} {name} {total} {own}", depth(context))
    };
    contexts.ids().map(show).collect()
}

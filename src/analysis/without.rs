//! A recording without parts of the system ("Visualizing and animating sampled dynamic information" (AVID), section 5.3):
//! the calls of some modules are gone, and what they called, cost or created belongs to who called them.

use std::sync::Arc;

use super::frequency::{FrequencyError, without};
use super::meant_by::MeantBy;
use super::session::Session;
use callscape_base::progress::Progress;
use callscape_base::units::FunctionId;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::contexts::{Contexts, ContextsBuilder, NodeId};
use callscape_facts::profile::{Profile, Weights};
use callscape_facts::recording::Recording;

/// What is excluded from a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Without {
    /// In order of their names.
    pub names: Vec<String>,
    /// How many calls they have, and all functions together; zero where calls are not counted.
    pub calls: u64,
    pub of: u64,
}

impl Without {
    /// Excludes what `names` mean from the first recording of a session: functions by their name, in which `*` stands for
    /// anything, or all of a module by its path. Functions and threads keep their ids, and times theirs. An error where a
    /// name means nothing, and where a recording has sums without call paths. O(calls).
    pub fn apply(
        session: &mut Session,
        names: &[String],
        progress: &Progress,
    ) -> Result<Without, FrequencyError> {
        let Some(resolved) = session.recordings.first() else {
            return Ok(Without::default());
        };
        let recording = &resolved.recording;
        let meant = MeantBy::new(session, resolved);
        let mut is_out = vec![false; recording.functions.len()];
        for name in names {
            let mut found = 0;
            for id in recording.functions.ids().filter(|&id| meant.is(name, id)) {
                is_out[id.index()] = true;
                found += 1;
            }
            if found == 0 {
                let of = recording.name();
                return Err(FrequencyError::Unfit(format!(
                    "{of}: expected functions or modules of the recording after --without, found none called '{name}'"
                )));
            }
        }
        let ids = recording.functions.ids();
        let ids: Vec<FunctionId> = ids.filter(|id| is_out[id.index()]).collect();
        let calls = recording.calls_by_function();
        let mut names: Vec<String> = ids
            .iter()
            .map(|&id| recording.functions.get(id).name.to_owned())
            .collect();
        names.sort_unstable();
        let without = Without {
            names,
            calls: ids.iter().filter_map(|id| calls.get(id.index())).sum(),
            of: calls.iter().sum(),
        };
        let left = Arc::new(left(recording, &ids, &is_out, progress)?);
        if let Some(resolved) = session.recordings.first_mut() {
            resolved.recording = left;
        }
        Ok(without)
    }
}

/// A recording without some functions.
fn left(
    recording: &Recording,
    ids: &[FunctionId],
    is_out: &[bool],
    progress: &Progress,
) -> Result<Recording, FrequencyError> {
    let name = recording.name();
    let is_out = |id: FunctionId| is_out.get(id.index()) == Some(&true);
    let mut left = Recording::clone(recording);
    if recording.trace.calls() > 0 {
        let functions = &recording.functions;
        let (trace, warnings) = without(&recording.trace, functions, ids, &name, progress)?;
        left.trace = trace;
        left.warnings.extend(warnings);
        // Its samples weigh calls that are gone now.
        left.weighed = None;
    }
    if let Some(memory) = &mut left.memory {
        memory.stacks = memory.stacks.without(is_out);
    }
    if let Some(profile) = &recording.profile {
        let contexts = profile.contexts().ok_or_else(|| {
            let reason = "without call paths, costs cannot be attributed to the callers of excluded functions";
            FrequencyError::Unfit(format!("{name}: {reason}"))
        })?;
        let reporter = Reporter::new();
        let contexts = contexts_without(contexts, is_out, &name, &reporter);
        let (values, shown) = (profile.values().to_vec(), profile.shown());
        let weights = Weights::Contexts(contexts);
        let of = Profile::new(values, shown, weights, recording.functions.len());
        left.profile = Some(of.with_threads(profile.threads().to_vec()));
        left.warnings.extend(reporter.warnings());
    }
    left.failed.retain(|&(id, _)| !is_out(id));
    Ok(left)
}

/// Contexts without those of some functions: what these weigh themselves goes to the context around them. What has none
/// around it is lost. O(contexts × values).
fn contexts_without(
    contexts: &Contexts,
    is_out: impl Fn(FunctionId) -> bool,
    name: &str,
    reporter: &Reporter,
) -> Contexts {
    let place = || Place::file(name);
    let mut builder = ContextsBuilder::new(contexts.values(), reporter);
    let mut nodes: Vec<NodeId> = Vec::with_capacity(contexts.len());
    for context in contexts.ids() {
        let parent = contexts.parent(context);
        let parent = parent.and_then(|it| nodes.get(it.index()).copied());
        let parent = parent.unwrap_or(NodeId::ROOT);
        let function = contexts.function(context);
        let node = match is_out(function) {
            true => parent,
            false => builder.child(parent, function, place),
        };
        nodes.push(node);
        for value in 0..contexts.values() {
            builder.add(
                node,
                value,
                contexts.self_weight(value, context).weight(),
                place,
            );
        }
        if let Some(calls) = contexts.calls(context).filter(|_| !is_out(function)) {
            builder.add_calls(node, calls, place);
        }
    }
    builder.finish()
}

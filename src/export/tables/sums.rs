//! The tables of what a recording adds up to: one row a recording, thread, function, call relation, calling context.

use std::io::{self, Write};

use super::modules;
use super::writer::TableWriter;
use crate::part::{ExportError, Part};
use callscape_analysis::contexts::WAITING;
use callscape_base::progress::Progress;
use callscape_base::units::{ContextId, Cost};
use callscape_facts::contexts::Contexts;
use callscape_facts::fnv::Fnv;
use callscape_facts::recording::{Recording, RecordingKind};

pub(super) fn recordings<W: Write + Send>(recording: &Recording, rows: &mut TableWriter<W>) {
    rows.text(&recording.name());
    rows.text(recording.format);
    rows.text(match recording.kind {
        RecordingKind::Trace => "trace",
        RecordingKind::Sampled => "sampled",
        RecordingKind::Profile => "profile",
    });
    rows.text(&recording.unit().name());
    let profile = recording.profile.as_ref();
    let value = profile.and_then(|it| it.values().get(it.shown()));
    rows.text(value.map_or("", |it| &it.name));
    let duration = recording.trace.duration().ns();
    rows.number_or_null(recording.has_times().then_some(duration));
    rows.number_or_null(recording.counts_calls().then(|| recording.calls()));
    rows.number(recording.functions.len() as u64);
    rows.number(recording.threads().len() as u64);
    rows.number(recording.samples);
    rows.number(recording.warnings.iter().map(|it| it.count).sum());
    let memory = recording.memory.as_ref().filter(|it| it.timed().is_some());
    let clock = memory.map(|it| it.clock.name());
    rows.text(clock.as_deref().unwrap_or_default());
    rows.end_row();
}

pub(super) fn threads<W: Write + Send>(
    recording: &Recording,
    rows: &mut TableWriter<W>,
) -> io::Result<()> {
    for (number, thread) in (0..).zip(recording.threads()) {
        rows.number(number);
        rows.text(&thread.id);
        rows.text(&thread.process);
        rows.text(&thread.name);
        rows.number(thread.calls);
        rows.number(thread.max_depth.into());
        rows.number(thread.start.ns());
        rows.number(thread.end.ns());
        rows.end_row();
        rows.end_batch_if_full()?;
    }
    Ok(())
}

pub(super) fn functions<W: Write + Send>(
    part: &Part<'_>,
    rows: &mut TableWriter<W>,
) -> io::Result<()> {
    let recording = part.recording;
    let metrics = recording.function_metrics(None);
    let counts = recording.counts_calls();
    let knows_waiting = recording.trace.knows_waiting();
    for (id, metrics) in recording.functions.ids().zip(metrics) {
        let function = recording.functions.get(id);
        rows.number(id.0.into());
        rows.text(function.name);
        rows.text(&modules::path_of(part, id));
        rows.text(function.file);
        rows.number(function.line.into());
        rows.number(recording.functions.column(id).into());
        rows.text(function.library);
        rows.number_or_null(counts.then_some(metrics.calls));
        rows.weight(metrics.total);
        rows.weight(metrics.self_cost);
        rows.number_or_null(knows_waiting.then(|| metrics.waiting.ns()));
        rows.number_or_null(knows_waiting.then(|| metrics.self_waiting.ns()));
        rows.text(&modules::levels_of(part, id));
        rows.end_row();
        rows.end_batch_if_full()?;
    }
    Ok(())
}

pub(super) fn relations<W: Write + Send>(
    recording: &Recording,
    rows: &mut TableWriter<W>,
) -> io::Result<()> {
    let counts = recording.counts_calls();
    let knows_waiting = recording.trace.knows_waiting();
    for relation in recording.relations(None) {
        rows.number(relation.caller.0.into());
        rows.number(relation.callee.0.into());
        rows.number_or_null(counts.then_some(relation.calls));
        rows.weight(relation.cost);
        rows.weight(relation.self_cost);
        let is_linked = relation.links > 0 && relation.links == relation.calls;
        let knows = knows_waiting && !is_linked;
        rows.number_or_null(knows.then(|| relation.waiting.ns()));
        rows.number_or_null(knows.then(|| relation.self_waiting.ns()));
        rows.end_row();
        rows.end_batch_if_full()?;
    }
    Ok(())
}

pub(super) fn contexts<W: Write + Send>(
    part: &Part<'_>,
    contexts: &Contexts,
    rows: &mut TableWriter<W>,
    progress: &Progress,
) -> Result<(), ExportError> {
    let recording = part.recording;
    let value = recording.value();
    let knows_waiting = recording.trace.knows_waiting();
    let functions = &recording.functions;
    let modules: Vec<String> = functions
        .ids()
        .map(|id| modules::path_of(part, id))
        .collect();
    // The contexts around the one at hand, and the numbers of their paths.
    let mut around: Vec<(ContextId, u64)> = Vec::new();
    progress.start("writing calling contexts", contexts.len() as u64);
    for id in contexts.ids() {
        let parent = contexts.parent(id);
        while around.last().is_some_and(|last| Some(last.0) != parent) {
            around.pop();
        }
        rows.number(id.0.into());
        rows.number_or_null(parent.map(|it| it.0.into()));
        rows.number(contexts.function(id).0.into());
        rows.number(around.len() as u64);
        rows.number_or_null(contexts.calls(id));
        rows.weight(contexts.total(value, id));
        rows.weight(contexts.self_weight(value, id));
        rows.number_or_null(knows_waiting.then(|| contexts.total(WAITING, id).ns()));
        rows.number_or_null(knows_waiting.then(|| contexts.self_weight(WAITING, id).ns()));
        let function = contexts.function(id);
        let path = path_number(
            around.last().map_or(Fnv::START.get(), |last| last.1),
            functions.get(function).name,
            modules.get(function.index()).map_or("", String::as_str),
        );
        rows.number(path & i64::MAX as u64);
        rows.end_row();
        around.push((id, path));
        if rows.end_batch_if_full()? {
            progress.set(u64::from(id.0))?;
        }
    }
    Ok(())
}

/// The number of the path that `around` numbers and a function in it: FNV-1a over that number, the lowest byte first,
/// then the function's name and module, each with a byte 0 behind.
fn path_number(around: u64, name: &str, module: &str) -> u64 {
    let mut hash = Fnv::START;
    hash.add_number(around);
    for text in [name, module] {
        hash.add(text.as_bytes());
        hash.add(&[0]);
    }
    hash.get()
}

/// What was sampled, or counted, of each value of a profile.
pub(super) fn samples<W: Write + Send>(
    recording: &Recording,
    rows: &mut TableWriter<W>,
    progress: &Progress,
) -> Result<(), ExportError> {
    let Some(profile) = &recording.profile else {
        return Ok(());
    };
    let Some(contexts) = profile.contexts() else {
        return Ok(());
    };
    for (number, value) in profile.values().iter().enumerate() {
        let unit = value.unit.name();
        for id in contexts.ids() {
            let weight = contexts.self_weight(number, id);
            if weight == Cost::ZERO {
                continue;
            }
            rows.number(id.0.into());
            rows.text(&value.name);
            rows.text(&unit);
            rows.weight(weight);
            rows.end_row();
            if rows.end_batch_if_full()? {
                progress.check()?;
            }
        }
    }
    Ok(())
}

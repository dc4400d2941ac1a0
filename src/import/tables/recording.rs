//! One recording of a folder of tables: its calls where they are there, else what they add up to.

use super::calls::{self, MostThreads};
use super::contexts::{ContextTable, relations, unit_named};
use super::file::Ask;
use super::folder::Folder;
use super::functions::FunctionTable;
use super::memory;
use super::rows::Rows;
use crate::error::ImportError;
use crate::input::Input;
use callscape_base::progress::Progress;
use callscape_base::units::{Time, Unit};
use callscape_base::warnings::Reporter;
use callscape_facts::builder::TraceBuilder;
use callscape_facts::profile::{OfValue, Profile, Sums, Value, Weights};
use callscape_facts::recording::{Recording, RecordingKind};
use callscape_facts::trace::Thread;

/// The row of a recording in the table of recordings.
pub(super) struct About {
    kind: RecordingKind,
    /// What its costs are of.
    pub value: Value,
    pub samples: u64,
    /// What a time of objects counts.
    clock: Unit,
    duration: Time,
    /// How often something was repaired before it was written as tables.
    pub repaired: u64,
}

impl About {
    /// Reads it; what another engine has left out is what most recordings have.
    pub(super) fn read(
        files: Vec<Input>,
        progress: &Progress,
        reporter: &Reporter,
    ) -> Result<About, ImportError> {
        let asks = vec![
            Ask::text("kind").or_none(),
            Ask::text("unit").or_none(),
            Ask::text("value").or_none(),
            Ask::number("samples").or_none(),
            Ask::number("warnings").or_none(),
            Ask::text("clock").or_none(),
            Ask::number("duration_ns").or_none(),
        ];
        let mut rows = Rows::new(files, "recordings", asks, progress, reporter);
        rows.next()?;
        let unit = rows.text(1, 0);
        let unit = match unit.is_empty() {
            true => Unit::Nanoseconds,
            false => unit_named(&unit),
        };
        let name = match &*rows.text(2, 0) {
            "" if unit.is_time() => "time".to_owned(),
            "" => unit.name().into_owned(),
            name => name.to_owned(),
        };
        Ok(About {
            kind: match &*rows.text(0, 0) {
                "sampled" => RecordingKind::Sampled,
                "profile" => RecordingKind::Profile,
                _ => RecordingKind::Trace,
            },
            value: Value { name, unit },
            samples: rows.number(3, 0).unwrap_or_default(),
            repaired: rows.number(4, 0).unwrap_or_default(),
            clock: match &*rows.text(5, 0) {
                "" => Unit::Nanoseconds,
                clock => unit_named(clock),
            },
            duration: Time::from_ns(rows.number(6, 0).unwrap_or_default()),
        })
    }
}

/// Counts what is known of repairs and of recordings that are left out.
pub(super) fn count(folder: &Folder, repaired: u64, reporter: &Reporter) {
    reporter.warn_many("repaired-before-export", repaired, || folder.place());
    let left_out = folder.half_written.len() as u64;
    reporter.warn_many("half-written-recording", left_out, || folder.place());
}

/// Opens the recording `id` of a folder.
pub(super) fn open(
    folder: &Folder,
    id: &str,
    input: &Input,
    (format, progress): (&'static str, &Progress),
) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let about = About::read(folder.files("recordings", id), progress, &reporter)?;
    count(folder, about.repaired, &reporter);
    let functions = folder.needed("functions", id)?;
    let mut table = FunctionTable::read(functions, progress, &reporter)?;
    let calls = folder.files("calls", id);
    let objects = ["objects", "stacks"].map(|table| folder.files(table, id));
    if !calls.is_empty() {
        let mut builder = TraceBuilder::new(&reporter);
        let links = folder.files("links", id);
        let files = [folder.files("threads", id), calls, links];
        calls::read(files, &mut table, &mut builder, progress, &reporter)?;
        progress.check()?;
        let (functions, trace) = builder.finish(|| folder.place());
        let of = (about.clock, trace.threads().len());
        let mut memory = memory::read(objects, of, &mut table, (progress, &reporter))?;
        if let Some(memory) = &mut memory {
            memory.end = memory.end.max(trace.range().end).max(about.duration);
        }
        // A function that memory alone has, and no table.
        let functions = match table.functions.len() > functions.len() {
            true => table.functions,
            false => functions,
        };
        let samples = (about.kind == RecordingKind::Sampled).then_some(about.samples);
        let calls = (functions, trace);
        let warnings = reporter.warnings();
        let recording = Recording::of_calls(input, format, samples, calls, warnings);
        return Ok(Recording {
            memory,
            ..recording
        });
    }
    let threads = threads(folder.files("threads", id), progress, &reporter)?;
    let of = (about.clock, threads.len());
    if let Some(mut memory) = memory::read(objects, of, &mut table, (progress, &reporter))? {
        memory.end = memory.end.max(about.duration);
        let releases = memory.timed().map_or(0, |it| it.totals(it.end()).releases);
        if releases == 0 && !tells_living(folder.files("samples", id), progress, &reporter)? {
            memory = memory.without_releases(Vec::new());
        }
        let warnings = reporter.warnings();
        let functions = table.functions;
        let mut recording = Recording::of_memory(input, format, functions, memory, warnings);
        let profile = recording.profile.take();
        recording.profile = profile.map(|mut profile| {
            // Another one is shown where it has not what was shown.
            let _ = profile.show(&about.value.name);
            profile.with_threads(threads)
        });
        return Ok(recording);
    }
    let profile = profile(folder, id, about.value, &mut table, (progress, &reporter))?;
    let profile = (table.functions, profile.with_threads(threads));
    let warnings = reporter.warnings();
    Ok(Recording::of_profile(
        input,
        format,
        about.samples,
        profile,
        warnings,
    ))
}

/// Whether a recording of memory alone knows what lives at the end: then something of that value is among what its
/// contexts weigh. Where it is not and nothing was released, releases were not recorded.
fn tells_living(
    files: Vec<Input>,
    progress: &Progress,
    reporter: &Reporter,
) -> Result<bool, ImportError> {
    let mut rows = Rows::new(
        files,
        "samples",
        vec![Ask::text("value")],
        progress,
        reporter,
    );
    let mut is_empty = true;
    while rows.next()? > 0 {
        is_empty = false;
        for row in 0..rows.len() {
            if matches!(&*rows.text(0, row), "live" | "objects") {
                return Ok(true);
            }
        }
    }
    Ok(is_empty)
}

/// What the tables of sums say: calling contexts where they are there, else functions and relations.
fn profile(
    folder: &Folder,
    id: &str,
    value: Value,
    table: &mut FunctionTable,
    (progress, reporter): (&Progress, &Reporter),
) -> Result<Profile, ImportError> {
    let files = folder.files("contexts", id);
    if files.is_empty() {
        let files = folder.files("relations", id);
        let relations = relations(files, table, progress, reporter)?;
        let of = OfValue {
            functions: std::mem::take(&mut table.metrics),
            relations,
        };
        let sums = Sums::new(vec![of], table.counts_calls, reporter, || folder.place());
        let sums = Weights::Sums(sums);
        let functions = table.functions.len();
        return Ok(Profile::new(vec![value], 0, sums, functions));
    }
    let mut contexts = ContextTable::read(files, value, table, progress, reporter)?;
    let samples = folder.files("samples", id);
    let shown = match samples.is_empty() {
        true => 0,
        false => contexts.read_samples(samples, progress, reporter)?,
    };
    progress.check()?;
    let columns = std::mem::take(&mut contexts.columns);
    let (tree, cut) = columns.finish().map_err(|error| contexts.no_tree(error))?;
    reporter.warn_many("weight-out-of-range", cut, || contexts.place().clone());
    let weights = Weights::Contexts(tree);
    let functions = table.functions.len();
    Ok(Profile::new(contexts.values, shown, weights, functions))
}

/// The threads that a profile names.
fn threads(
    files: Vec<Input>,
    progress: &Progress,
    reporter: &Reporter,
) -> Result<Vec<Thread>, ImportError> {
    let asks = vec![
        Ask::text("id"),
        Ask::text("process").or_none(),
        Ask::text("name").or_none(),
    ];
    let most = MostThreads::of(&files);
    let mut rows = Rows::new(files, "threads", asks, progress, reporter);
    let mut threads = Vec::new();
    while rows.next()? > 0 {
        for row in 0..rows.len() {
            most.check(threads.len(), &rows)?;
            threads.push(Thread {
                id: rows.text(0, row).into_owned(),
                process: rows.text(1, row).into_owned(),
                name: rows.text(2, row).into_owned(),
                lane: 0,
                calls: 0,
                max_depth: 0,
                start: Time::ZERO,
                end: Time::ZERO,
            });
        }
    }
    Ok(threads)
}

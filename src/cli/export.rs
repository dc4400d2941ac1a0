//! `callscape export`: A recording, or a part of it, in a format that other tools open

mod args;
#[cfg(feature = "parquet")]
mod table_args;
#[cfg(feature = "parquet")]
mod tables;

use anyhow::{Context, bail};

use super::progress::with_progress;
use super::trace_arg::TraceArg;
use super::{output, threads};
pub(crate) use args::ExportArgs;
use args::Target;
use callscape_base::files;
use callscape_base::units::{Time, TimeRange, TimeSpec, counted};
use callscape_export::{self as export, ExportError, Part};

pub(crate) fn run(args: ExportArgs) -> anyhow::Result<()> {
    let format = match args.format {
        Target::File(format) => format,
        #[cfg(feature = "parquet")]
        Target::Tables => return tables::run(args),
    };
    #[cfg(feature = "parquet")]
    args.tables.refuse()?;
    let [trace] = &args.traces[..] else {
        bail!(
            "expected one recording, found {}: several recordings can be exported only as tables",
            args.traces.len()
        );
    };
    let mut session = output::open(&TraceArg {
        trace: trace.clone(),
        source: args.source.clone(),
        value: args.value.clone(),
        left_out: args.left_out,
    })?;
    args.without.apply(&mut session)?;
    let resolved = output::recording(&session)?;
    let trace = &resolved.recording.trace;
    let resolve = |time: TimeSpec| time.resolve(trace.duration());
    let range = (args.from.is_some() || args.to.is_some()).then(|| {
        let from = args.from.map_or(Time::ZERO, resolve);
        let to = args.to.map_or(trace.range().end, resolve);
        TimeRange::new(from, to)
    });
    let threads = match &args.thread {
        Some(wanted) => Some(threads::find(trace, Some(wanted))?),
        None => None,
    };
    let part = Part {
        recording: &resolved.recording,
        resolution: &resolved.resolution,
        hierarchy: &session.hierarchy,
        range,
        threads: threads.as_deref(),
    };
    match export::links_left_out(&part, format) {
        0 => {}
        count => say!(
            "callscape: {}: {} excluded: not in {} or not in this part",
            part.recording.name(),
            counted(count, "link", "links"),
            format.name()
        ),
    }
    let file = args.output.filter(|path| path.as_os_str() != "-");
    let written = with_progress(|progress| match &file {
        Some(path) => export::to_file(&part, format, path, progress),
        None => {
            let mut out = files::standard_output()?;
            export::write(&part, format, &mut out, progress)
        }
    })?;
    match (written, file) {
        (Err(ExportError::Io(error)), None) => output::written(Err(error)),
        (written, Some(path)) => {
            written.with_context(|| format!("cannot write {}", path.display()))
        }
        (written, None) => Ok(written?),
    }
}

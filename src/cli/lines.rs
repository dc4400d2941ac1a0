//! `callscape lines`: What the lines of a file cost, and what is called in them

mod document;
mod find;
mod text;

use std::path::{Path, PathBuf};

use anyhow::ensure;

use document::{Document, Source};

use super::output;
use super::progress::with_progress;
use callscape_analysis::lines::{FileLines, LineFacts, file_around, recorded_at};
use callscape_analysis::session::Session;
use callscape_base::units::{ModuleId, Time, TimeRange, TimeSpec};
use callscape_source::text::TextTree;

#[derive(Debug, clap::Args)]
#[command(about = "What the lines of a file cost, and what is called in them", after_help = HELP)]
pub struct LinesArgs {
    /// The recording: a file or a directory, in any format that Callscape knows
    trace: PathBuf,
    /// The source tree of the recording: for the text, and where the recording does not say from which line calls were made
    source_dir: Option<PathBuf>,
    /// The file, by the end of its path in the source tree or in the recording
    #[arg(long, value_name = "FILE")]
    file: String,
    /// Only the lines of this function of the file
    #[arg(long, value_name = "NAME")]
    function: Option<String>,
    /// Only the calls from this time on, where lines are inferred
    #[arg(long, value_name = "TIME")]
    from: Option<TimeSpec>,
    /// Only the calls up to this time
    #[arg(long, value_name = "TIME")]
    to: Option<TimeSpec>,
    /// What to show of a profile that holds several values, such as alloc_space; `info` lists them
    #[arg(long, value_name = "NAME")]
    value: Option<String>,
    #[command(flatten)]
    left_out: super::frequency::FrequencyArg,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const HELP: &str = "Examples:
  callscape lines callgrind.out.1234 src --file parser.c
  callscape lines cpu.pb.gz src --file server/handler.go --function ServeHTTP
  callscape lines trace.json src --file app/views.py --json

Only lines with something to say are listed: what ran in the line itself, and the calls made in it with what they \
cost. `share` is the part of what all calls of the function cost. callgrind, pprof, perf with source lines, Firefox, \
Java Flight Recorder, HPROF, and speedscope files of py-spy, rbspy and austin say from which line a call was made; V8 \
and Chrome say which line ran. Elsewhere lines are inferred: the name of what was called is looked for among the \
calls in the text of the caller. Such lines are marked with ~, and calls that several lines share, because each calls \
something of that name, with how many. `self` is null in the JSON document where the recording does not know it, and \
calls are 0 where it does not count them.";

pub fn run(args: LinesArgs) -> anyhow::Result<()> {
    let input = super::trace_arg::TraceArg {
        trace: args.trace.clone(),
        source: args.source_dir.clone(),
        value: args.value.clone(),
        left_out: args.left_out,
    };
    let session = output::open(&input)?;
    let resolved = output::recording(&session)?;
    let recording = &resolved.recording;
    let duration = recording.trace.duration();
    let from = args.from.map(|it| it.resolve(duration));
    let to = args.to.map(|it| it.resolve(duration));
    let range = (from.is_some() || to.is_some()).then(|| {
        TimeRange::new(
            from.unwrap_or(Time::ZERO),
            to.unwrap_or(Time::ZERO + duration),
        )
    });
    if range.is_some() {
        output::ensure_times(recording, "no range of it can be chosen")?;
        ensure!(
            recording.lines.is_none(),
            "{}: it knows what its lines cost over all of its time alone, so no range of it can be chosen",
            recording.name()
        );
    }
    let file = find::file(&session, &args.file)?;
    let functions = match &args.function {
        Some(name) => Some(find::functions(&session, file, name)?),
        None => None,
    };
    let knows_sites = recording.lines.as_ref().is_some_and(|it| it.knows().sites);
    let source = source(&session, file, !knows_sites, &recording.path)?;
    let hierarchy = &session.hierarchy;
    let sites = source.as_ref().and_then(|it| it.sites.as_deref());
    let facts = LineFacts::new(hierarchy, resolved, range);
    let lines = match &functions {
        Some(functions) => facts.functions(hierarchy, resolved, (file, functions), sites),
        None => facts.file(hierarchy, resolved, file, sites),
    };
    output::ensure_whole(recording)?;
    say_what_is_wrong(&lines, source.as_ref(), &hierarchy.path(file));
    let document = Document::new(&session, &lines, source.as_ref())?;
    match args.json {
        true => output::print_json(&document),
        false => output::print(|out| text::write(&document, &lines, out)),
    }
}

/// The text of a file; none without a source tree, or where it cannot be shown, which is said.
fn source(
    session: &Session,
    file: ModuleId,
    wants_sites: bool,
    recording: &Path,
) -> anyhow::Result<Option<Source>> {
    let Some(tree) = session.source_dir.as_deref() else {
        return Ok(None);
    };
    // A saved structure has no texts.
    let Ok(tree) = TextTree::new(tree) else {
        return Ok(None);
    };
    let around = file_around(&session.hierarchy, file);
    let path = session.hierarchy.path(around.unwrap_or(file));
    let found = tree.locate(Path::new(&path));
    let found = found.and_then(|at| Ok((tree.read(Path::new(&path))?, at)));
    let (text, at) = match found {
        Ok(found) => found,
        Err(error) => {
            say!("callscape: {error}");
            return Ok(None);
        }
    };
    let sites = match wants_sites {
        true => with_progress(|progress| text.calls(&at, progress))?,
        false => None,
    };
    let is_newer = recorded_at(recording).is_some_and(|it| text.is_newer_than(it));
    Ok(Some(Source {
        text,
        sites,
        is_newer,
    }))
}

fn say_what_is_wrong(lines: &FileLines, source: Option<&Source>, path: &str) {
    if !lines.knows_self && !lines.knows_sites && source.is_none() {
        say!(
            "callscape: the recording knows no lines; with the source tree, those of calls can be inferred by name"
        );
    }
    let Some(source) = source else {
        return;
    };
    if source.is_newer {
        say!("callscape: {path} is newer than the recording: its lines may not be those that ran");
    }
    let past = lines.past_end(source.text.lines());
    if past > 0 {
        say!(
            "callscape: {past} of the lines lie past the end of {path}, which has {}: another version of it ran",
            source.text.lines()
        );
    }
    if source.text.replaced() > 0 {
        say!(
            "callscape: {} sequences of bytes in {path} are no text and are shown as U+FFFD",
            source.text.replaced()
        );
    }
}

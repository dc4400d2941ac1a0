//! `callscape lines`: Show the cost of each line of a file and the calls made from it

mod document;
mod find;
mod text;

use std::path::{Path, PathBuf};

use anyhow::ensure;

use document::{Document, Source};
use find::Meant;

use super::output;
use super::progress::with_progress;
use super::range::RangeArgs;
use callscape_analysis::lines::{FileLines, LineFacts, file_around, recorded_at};
use callscape_analysis::session::Session;
use callscape_base::units::{ModuleId, counted};
use callscape_source::text::TextTree;

#[derive(Debug, clap::Args)]
#[command(about = "Show the cost of each line of a file and the calls made from it", after_help = HELP)]
pub(crate) struct LinesArgs {
    /// The recording: a file or a directory in any supported format
    trace: PathBuf,
    /// Source tree of the recording, for the text, and to infer the lines of calls if they are not recorded
    source_dir: Option<PathBuf>,
    /// The file, by the end of its path in the source tree or in the recording
    #[arg(long, value_name = "FILE")]
    file: String,
    /// Only the lines of this function of the file
    #[arg(long, value_name = "NAME")]
    function: Option<String>,
    #[command(flatten)]
    range: RangeArgs,
    /// Value to show, of a profile or sampled recording: alloc_space, samples, cycles, 'wall time'; `info` lists them
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

Only lines with data are listed: the self cost of the line; its total, the time in which the line or a call made from \
it runs, each moment counted once; and the calls made from it with the sum of their costs, in which recursive calls \
count more than once. `share` is the share of the cost of all calls of the function. callgrind, pprof, perf with source lines, Firefox, Java Flight \
Recorder, HPROF, and speedscope files of py-spy, rbspy and austin record the line from which a call was made; V8 and \
Chrome record which line ran. For other recordings lines are inferred: the callee's name is looked up among the calls \
in the caller's text. Such lines are marked with ~. If several lines call the same name, their shared calls are \
marked with the number of lines. `self` is null in the JSON document if the recording does not contain it, and calls \
are 0 if it does not count them.";

pub(crate) fn run(args: LinesArgs) -> anyhow::Result<()> {
    let input = super::trace_arg::TraceArg {
        trace: args.trace.clone(),
        source: args.source_dir.clone(),
        value: args.value.clone(),
        left_out: args.left_out,
    };
    let session = output::open(&input)?;
    let resolved = output::recording(&session)?;
    let recording = &resolved.recording;
    let within = args.range.of_weights(recording)?;
    if within.range.is_some() {
        ensure!(
            recording.lines.is_none(),
            "{}: line costs are known only for the whole recording, so --from and --to cannot be used",
            recording.name()
        );
    }
    let hierarchy = &session.hierarchy;
    let facts = LineFacts::new(hierarchy, resolved, within);
    let (path, source, lines) = match find::file(&session, &args.file)? {
        Meant::Recorded(path) => {
            ensure!(
                args.function.is_none(),
                "{path}: --function needs a file of the source tree, found a file that only the recording names"
            );
            let lines = facts.recorded_file(hierarchy, resolved, &path);
            (path, None, lines)
        }
        Meant::Module(file) => {
            let knows_sites = recording.lines.as_ref().is_some_and(|it| it.knows().sites);
            let source = source(&session, file, !knows_sites, &recording.path)?;
            let sites = source.as_ref().and_then(|it| it.sites.as_deref());
            let lines = match &args.function {
                Some(name) => {
                    let functions = find::functions(&session, file, name)?;
                    facts.functions(hierarchy, resolved, (file, &functions), sites)
                }
                None => facts.file(hierarchy, resolved, file, sites),
            };
            (hierarchy.path(file), source, lines)
        }
    };
    output::ensure_whole(recording)?;
    say_what_is_wrong(&lines, source.as_ref(), &path);
    let document = Document::new(&session, (path, &lines), source.as_ref())?;
    match args.json {
        true => output::print_json(&document),
        false => output::print(|out| text::write(&document, &lines, out)),
    }
}

/// Text of a file; `None` without a source tree, or, with a message, if it cannot be shown.
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
        true => with_progress(|progress| text.calls(&at, tree.root(), progress))?,
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
            "callscape: the recording has no line data; with the source tree, the lines of calls can be inferred by \
             name"
        );
    }
    let Some(source) = source else {
        return;
    };
    if source.is_newer {
        say!("callscape: {path} is newer than the recording: its lines may have changed since");
    }
    let past = lines.past_end(source.text.lines());
    if past > 0 {
        say!(
            "callscape: {past} of the lines are past the end of {path}, which has {}: another version of it ran",
            source.text.lines()
        );
    }
    if source.text.replaced() > 0 {
        say!(
            "callscape: {} in {path} that are no text are shown as U+FFFD",
            counted(
                source.text.replaced(),
                "sequence of bytes",
                "sequences of bytes"
            )
        );
    }
}

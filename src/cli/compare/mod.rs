//! `callscape compare`: What differs between two recordings

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use clap::error::ErrorKind;

use super::output;
use crate::analysis::comparison::amounts::Measure;
use crate::analysis::comparison::condition::Condition;
use crate::analysis::comparison::pairing::{self, Correction};
use crate::analysis::comparison::{Comparison, Inputs, Settings};
use crate::facts::pack;
use crate::import;
use crate::source;

mod clocks;
mod document;
mod moments;
mod picture;
mod report;
mod tables;
mod text;

use moments::Moment;
use tables::Tables;

#[derive(Debug, clap::Args)]
#[command(about = "What differs between two recordings, A before a change and B after it", after_help = EXAMPLES)]
pub struct Args {
    /// The recordings A and B; a source tree of both, or one of each
    #[arg(value_name = "A B SOURCE_DIR", required_unless_present_all = ["a", "b"])]
    inputs: Vec<PathBuf>,
    /// Several runs of A: what is noise among them is told from what differs
    #[arg(long, value_name = "TRACE", num_args = 1.., requires = "b")]
    a: Vec<PathBuf>,
    /// Several runs of B
    #[arg(long, value_name = "TRACE", num_args = 1.., requires = "a")]
    b: Vec<PathBuf>,
    /// By which difference the tables are sorted
    #[arg(long, value_enum, default_value_t = Sort::SelfCost)]
    sort: Sort,
    /// Only the first N of each table [default: 20 in text, all in JSON]
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Only what has this text in its name or path
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,
    /// Modules and relations by the entities of this mapping file; what it leaves out is left out
    #[arg(long, value_name = "FILE", conflicts_with = "level")]
    map: Option<PathBuf>,
    /// Relations between the modules of this depth of the hierarchy; the root has depth 0
    #[arg(long, value_name = "N")]
    level: Option<u16>,
    /// The call tree of both too: calls and costs by calling context
    #[arg(long)]
    contexts: bool,
    /// Only calls that start after this time of each run, or after it makes the call CALLER -> CALLEE, and the calls
    /// around them
    #[arg(long, value_name = "TIME|CALL")]
    from: Option<Moment>,
    /// Only calls that end before this time of each run, or before such a call, and the calls around them
    #[arg(long, value_name = "TIME|CALL")]
    to: Option<Moment>,
    /// Calls and costs per call of this function
    #[arg(long, value_name = "FUNCTION")]
    per: Option<String>,
    /// Costs as shares of their runs, calls as shares of all calls
    #[arg(long, conflicts_with = "per")]
    shares: bool,
    /// These two functions are one; without NEW, OLD is in A alone, without OLD, NEW in B; may be repeated
    #[arg(long, value_name = "OLD=NEW")]
    pair: Vec<Correction>,
    /// A file of such pairs, one a line
    #[arg(long, value_name = "FILE")]
    pairs: Option<PathBuf>,
    /// Only functions of one name in one place are the same: none is taken for moved or renamed
    #[arg(long)]
    exact: bool,
    /// Exit with 1 when this holds, such as 'total(parse) > 1.1x'; may be repeated
    #[arg(long, value_name = "CONDITION")]
    fail_if: Vec<Condition>,
    /// Link the clocks of both by this, and say in JSON which times are the same
    #[arg(long, value_enum, value_name = "LINK")]
    align: Option<clocks::Align>,
    /// The function whose calls link the clocks; --align calls alone takes those that both call equally often
    #[arg(long, value_name = "FUNCTION", requires = "align")]
    align_by: Option<String>,
    #[command(flatten)]
    picture: picture::PictureArgs,
    /// What to show of profiles that hold several values, such as alloc_space; `info` lists them
    #[arg(long, value_name = "NAME")]
    value: Option<String>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "Examples:
  callscape compare before.json after.json
  callscape compare before after src --sort calls --top 10 --json
  callscape compare before.json after.json src-1.0 src-2.0 --pair parse_slow=parse
  callscape compare --a before*.json --b after*.json
  callscape compare before.json after.json src -o difference.png
  callscape compare before.json after.json --map layers.map --from 'UI -> CORE' --json
  callscape compare before.json after.json -o stacks.png --view flame --align calls
  callscape compare before.json after.json src -o report.html --fail-if 'total(parse) > 1.1x'

Functions are paired by name and place, then by name and file name, then by a name that is unique on both sides,
then by likeness of names and of callers and callees (renamed); --exact stops after the first, --pair corrects it.
Of several runs of a side the mean is shown; with two or more on each, what a test of the logarithms of costs (Smyth's,
which learns from all functions how much they vary) and the bound of Benjamini and Hochberg (5 % false discoveries) do
not tell from chance counts as noise, and stands last.
Recordings of different kinds are compared by the shares that functions have in their run.

The CALL of --from, --to and --at is the first one of CALLEE by CALLER in each run, functions, modules or entities of
the mapping; * is any of them, and CALLER -> CALLEE#2 the second one.

A condition is total|self|calls|average(FUNCTION), or duration, then > >= < or <=, then a limit: 1.1x (of A),
+10% (the same), +5ms (more than A), 5ms or 100 (B alone). * in a name stands for anything. The exit code is 1 when
one holds, or when no function has the name; 2 when it cannot be read; else 0.";

/// The largest difference first.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Sort {
    /// Cost in the function itself: where a difference arises
    #[value(name = "self")]
    SelfCost,
    /// Time in which the function is open: where a difference arrives
    Total,
    /// Number of calls
    Calls,
    /// Total cost a call
    Average,
}

impl Sort {
    fn measure(self) -> Measure {
        match self {
            Sort::SelfCost => Measure::SelfCost,
            Sort::Total => Measure::Total,
            Sort::Calls => Measure::Calls,
            Sort::Average => Measure::Average,
        }
    }
}

pub fn run(args: Args) -> anyhow::Result<()> {
    let inputs = sort_inputs(&args)?;
    let output = args.picture.output()?;
    let mut corrections = args.pair.clone();
    if let Some(path) = &args.pairs {
        let shown = || path.display().to_string();
        let text = std::fs::read_to_string(path).with_context(shown)?;
        let listed = pairing::corrections(&text);
        corrections.extend(listed.map_err(anyhow::Error::msg).with_context(shown)?);
    }
    let settings = Settings {
        corrections,
        is_exact: args.exact,
        value: args.value.clone(),
    };
    let mut comparison =
        output::with_progress(|progress| Comparison::open(&inputs, &settings, progress))??;
    if let Some(per) = &args.per {
        let rows = comparison.rows_named(per);
        let [row] = rows[..] else {
            bail!(
                "--per {per}: expected the name or path of one function, found {}",
                rows.len()
            );
        };
        comparison.per = Some(row);
    }
    comparison.is_by_shares |= args.shares;
    for warning in &comparison.session.source_warnings {
        eprintln!("callscape: {warning}");
    }
    for doubt in &comparison.doubts {
        eprintln!("callscape: {doubt}");
    }
    for unclear in &comparison.unclear {
        eprintln!("callscape: {unclear}");
    }
    let with_contexts = args.contexts || output.as_ref().is_some_and(picture::Output::is_report);
    let mapped = args.map.as_deref();
    let mapped = mapped.map(|map| super::mapping::apply(&comparison.session, map));
    let mapped = mapped.transpose()?;
    moments::limit(&args, &mut comparison, mapped.as_ref())?;
    let tables = Tables::new(&args, &comparison, mapped, with_contexts)?;
    for resolved in &comparison.session.recordings {
        output::ensure_whole(&resolved.recording)?;
    }
    let clocks = match args.align {
        Some(align) => Some(align.alignment(&args, &comparison)?),
        None => None,
    };
    let mut findings = Vec::new();
    for condition in &args.fail_if {
        let finding = condition.check(&comparison, &tables.functions);
        findings.push((condition, finding.map_err(anyhow::Error::msg)?));
    }
    if let Some(output) = &output {
        output.write(&args, &inputs, &comparison, &tables)?;
    }
    if args.json {
        output::print_json(&tables.document(&comparison, &args, clocks.as_ref()))?;
    } else if output.is_none() {
        output::print(|out| tables.write(out, &comparison, &args))?;
    }
    let held = findings.iter().filter(|(_, finding)| finding.holds);
    let held: Vec<String> = held
        .map(|(condition, finding)| format!("{condition} holds: {}", finding.of.join("; ")))
        .collect();
    if !held.is_empty() {
        bail!(held.join("\n"));
    }
    Ok(())
}

/// Ends the program as wrong usage does.
fn usage(message: String) -> ! {
    clap::Error::raw(ErrorKind::WrongNumberOfValues, message + "\n").exit()
}

/// The sides that a pack holds.
fn of_pack(path: &Path) -> anyhow::Result<Inputs> {
    let opened = super::input::unpacked(path)?;
    let found = opened.recordings.len();
    let of_a = opened.sides.runs_of_a.max(1);
    ensure!(
        found > of_a,
        "{}: expected a pack with the recordings A and B, found {found} in it",
        path.display()
    );
    let (a, b) = opened.recordings.split_at(of_a);
    let sources = opened.sides.source_of_a.into_iter();
    Ok(Inputs {
        recordings: [a.to_vec(), b.to_vec()],
        source_dirs: sources.chain(opened.source_dir).collect(),
    })
}

/// Which paths are recordings and which source trees.
fn sort_inputs(args: &Args) -> anyhow::Result<Inputs> {
    if let [path] = &args.inputs[..]
        && args.a.is_empty()
        && pack::is_pack(path)
    {
        return of_pack(path);
    }
    // What stands behind --a or --b is taken by it, source trees too.
    let (after, recordings) = super::input::apart([&args.a, &args.b]);
    let mut inputs = Inputs {
        recordings,
        source_dirs: Vec::new(),
    };
    let mut recordings = Vec::new();
    for path in &args.inputs {
        let is_pipe = path.as_os_str() == import::input::STANDARD_INPUT;
        if !is_pipe {
            std::fs::metadata(path).with_context(|| path.display().to_string())?;
        }
        let is_source = !is_pipe && source::is_source(path, import::is_recording);
        if is_source {
            inputs.source_dirs.push(path.clone());
        } else {
            recordings.push(path.clone());
        }
    }
    inputs.source_dirs.extend(after);
    if !args.a.is_empty() && inputs.recordings.iter().any(Vec::is_empty) {
        usage("expected recordings behind both --a and --b, found source trees alone".to_owned());
    }
    if inputs.source_dirs.len() > 2 {
        let count = inputs.source_dirs.len();
        usage(format!(
            "expected at most two source trees, that of A and that of B, found {count}"
        ));
    }
    match (&recordings[..], args.a.is_empty()) {
        ([a, b], true) => inputs.recordings = [vec![a.clone()], vec![b.clone()]],
        ([], false) => {}
        (found, true) => usage(format!(
            "expected two recordings, A and B, found {}; several of a side are given with --a and --b",
            found.len()
        )),
        ([first, ..], false) => usage(format!(
            "{}: expected a source tree beside --a and --b, found a recording",
            first.display()
        )),
    }
    Ok(inputs)
}

//! `callscape findings`: List the findings about a recording

mod page;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use serde::Serialize;

use super::output;
use super::progress::with_progress;
use callscape_analysis::findings::condition::Condition;
use callscape_analysis::findings::{Certainty, Finding, LIMITS, Limit, findings};
use callscape_analysis::session::{Resolved, Session};
use callscape_base::escape;
use callscape_base::files::{self, Temporary};
use callscape_base::units::{Cost, FunctionId, Time, Unit};
use callscape_presentation::files::{folder_of, relative, write_scene};
use callscape_presentation::findings::shots;
use callscape_presentation::scene::{Scene, SceneInputs};

#[derive(Debug, clap::Args)]
#[command(about = "List the findings about a recording, most important first", after_help = HELP)]
pub(crate) struct FindingsArgs {
    /// The recording: a file or a directory in any supported format
    trace: PathBuf,
    /// Source tree in which to look up the recording's functions
    source_dir: Option<PathBuf>,
    /// Value to count, of a profile or sampled recording: alloc_space, samples, cycles, 'wall time'; `info` lists them
    #[arg(long, value_name = "NAME")]
    value: Option<String>,
    #[command(flatten)]
    left_out: super::frequency::FrequencyArg,
    /// Also list the thresholds, with the reason for each
    #[arg(long)]
    explain: bool,
    /// Exit with 1 if this condition holds, such as 'finding(repeated) > 10%'; may be repeated
    #[arg(long, value_name = "CONDITION")]
    fail_if: Vec<Condition>,
    /// Also write a page with the findings, FILE.html
    #[arg(short, long, value_name = "FILE.html")]
    output: Option<PathBuf>,
    /// Also write a scene that presents them one by one, with captions, FILE.toml
    #[arg(long, value_name = "FILE.toml")]
    scene: Option<PathBuf>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const HELP: &str = "Examples:
  callscape findings trace.json
  callscape findings trace.json src --json
  callscape findings cpu.pb.gz --explain
  callscape findings trace.json --fail-if 'finding(repeated) > 10%'
  callscape findings trace.json src -o findings.html
  callscape findings trace.json src --scene findings.toml

At most ten findings are listed; none means that nothing is remarkable. Shares of findings that are not part of others \
add up to at most 100 %. Shares of samples are given with the error of 19 of 20 recordings. A finding is inferred if it \
is concluded from the names of functions, or from what threads do at some instants.

A condition is finding(KIND) followed by >, >=, < or <=, and a share. KIND is repeated, hot, waiting, start-up, \
one-slow, growing, one-at-a-time, recursion, memory, collection, care, errors, or * for all kinds. The shares of all \
findings of the kind are added up. The exit code is 1 if a condition holds, 2 if it cannot be parsed, otherwise 0.";

pub(crate) fn run(args: FindingsArgs) -> anyhow::Result<()> {
    for (path, end) in [(&args.output, "html"), (&args.scene, "toml")] {
        path.as_ref().map_or(Ok(()), |it| ensure_can_be(it, end))?;
    }
    let input = super::trace_arg::TraceArg {
        trace: args.trace.clone(),
        source: args.source_dir.clone(),
        value: args.value,
        left_out: args.left_out,
    };
    let session = output::open(&input)?;
    let resolved = output::recording(&session)?;
    let found = with_progress(|progress| findings(&resolved.recording, progress))??;
    output::ensure_whole(&resolved.recording)?;
    let shown = Shown {
        session: &session,
        resolved,
        findings: &found,
    };
    if let Some(path) = &args.output {
        files::write(path, shown.page()?.as_bytes()).with_context(|| path.display().to_string())?;
    }
    if let Some(path) = &args.scene {
        let relative = |of: &PathBuf| relative(of, folder_of(path));
        let scene = Scene {
            title: format!("Findings in {}", resolved.recording.name()),
            inputs: SceneInputs {
                source: args.source_dir.as_ref().map(relative),
                recordings: vec![relative(&args.trace)],
                ..SceneInputs::default()
            },
            shots: shots(&found, &session, resolved)
                .into_iter()
                .map(|it| it.1)
                .collect(),
            ..Scene::default()
        };
        write_scene(path, &scene)?;
    }
    match args.json {
        true => output::print_json(&shown.document(args.explain))?,
        false => output::print(|out| shown.write(out, args.explain))?,
    }
    for condition in &args.fail_if {
        if let (true, of) = condition.check(&found) {
            let of: Vec<&str> = of.iter().map(|it| it.text.as_str()).collect();
            bail!("{condition} holds: {}", of.join("; "));
        }
    }
    Ok(())
}

/// Fails if a file cannot be written, or its name does not end so: before the long work, not after it.
fn ensure_can_be(path: &Path, end: &str) -> anyhow::Result<()> {
    let shown = path.display();
    ensure!(
        path.extension()
            .is_some_and(|it| it.eq_ignore_ascii_case(end)),
        "{shown}: expected a name that ends in .{end}"
    );
    Temporary::beside(path).with_context(|| format!("cannot write {shown}"))?;
    Ok(())
}

/// The findings with what names them.
pub(crate) struct Shown<'a> {
    pub session: &'a Session,
    pub resolved: &'a Resolved,
    pub findings: &'a [Finding],
}

#[derive(Serialize)]
struct Document<'a> {
    unit: &'a Unit,
    findings: Vec<Row<'a>>,
    #[serde(skip_serializing_if = "<[Limit]>::is_empty")]
    limits: &'static [Limit],
}

#[derive(Serialize)]
struct Row<'a> {
    kind: &'static str,
    text: &'a str,
    why: &'static str,
    path: Vec<&'a str>,
    functions: Vec<&'a str>,
    /// The path in the hierarchy of the first of the functions.
    module: String,
    share: f64,
    /// What the share is of.
    of: &'static str,
    calls: Option<u64>,
    self_ns: Cost,
    total_ns: Cost,
    certainty: &'static str,
    /// Error of a share of samples.
    error: Option<f64>,
    part_of: Option<usize>,
    view: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<Range<'a>>,
}

/// When it happened, and on which thread.
#[derive(Serialize)]
struct Range<'a> {
    thread: &'a str,
    from_ns: Time,
    to_ns: Time,
}

impl<'a> Shown<'a> {
    fn name(&self, function: FunctionId) -> &'a str {
        self.resolved.recording.functions.get(function).name
    }

    fn names(&self, functions: &[FunctionId]) -> Vec<&'a str> {
        functions.iter().map(|&it| self.name(it)).collect()
    }

    fn document(&self, explains: bool) -> Document<'a> {
        Document {
            unit: self.resolved.recording.unit(),
            findings: self.findings.iter().map(|it| self.row(it)).collect(),
            limits: if explains { LIMITS } else { &[] },
        }
    }

    fn row(&self, of: &'a Finding) -> Row<'a> {
        let modules = &self.resolved.resolution.modules;
        let module = of.functions.first().and_then(|it| modules.get(it.index()));
        let threads = self.resolved.recording.trace.threads();
        Row {
            kind: of.kind.name(),
            text: &of.text,
            why: of.kind.why(),
            path: self.names(&of.path),
            functions: self.names(&of.functions),
            module: module.map_or_else(String::new, |&it| self.session.hierarchy.path(it)),
            share: of.share,
            of: of.of.name(),
            calls: of.calls,
            self_ns: of.self_cost,
            total_ns: of.total,
            certainty: of.certainty.name(),
            error: match of.certainty {
                Certainty::Sampled(error) => Some(error),
                _ => None,
            },
            part_of: of.part_of,
            view: of.view,
            range: of.when.and_then(|(thread, range)| {
                Some(Range {
                    thread: &threads.get(thread.index())?.id,
                    from_ns: range.start,
                    to_ns: range.end,
                })
            }),
        }
    }

    fn write(&self, out: &mut dyn Write, explains: bool) -> io::Result<()> {
        if self.findings.is_empty() {
            writeln!(out, "nothing remarkable")?;
        }
        for (number, of) in (1..).zip(self.findings) {
            let text = escape::name(&of.text);
            writeln!(out, "{number:2}  {}: {text}", of.kind.title())?;
            let inferred = match of.certainty {
                Certainty::Inferred => "inferred; ",
                _ => "",
            };
            writeln!(
                out,
                "    {inferred}{}; more in the view {}",
                of.kind.why(),
                of.view
            )?;
        }
        if explains {
            writeln!(out, "\nthresholds:")?;
            for Limit {
                name,
                value,
                reason,
            } in LIMITS
            {
                writeln!(out, "  {name}: {value} ({reason})")?;
            }
        }
        Ok(())
    }
}

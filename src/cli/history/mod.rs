//! `callscape history`: Show what changed when in a source tree, by whom, and what changes together

mod document;
mod question;

use std::path::PathBuf;

use anyhow::{bail, ensure};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::output::{self, Align, Table};
use super::progress::with_progress;
use callscape_analysis::history::{
    Couplings, LARGE, Limits, OfFile, Question, Span, by_file, coupled,
};
use callscape_base::escape;
use callscape_base::progress::Progress;
use callscape_base::units::{counted, date, day};
use callscape_facts::history::Timeline;
use callscape_source::history;
use document::Document;

#[derive(Debug, clap::Args)]
#[command(about = "Show what changed when in a source tree, by whom, and what changes together", after_help = HELP)]
pub(crate) struct HistoryArgs {
    /// The source tree, in a git repository
    source_dir: PathBuf,
    /// List the files that are there at a revision or at the end of a day instead
    #[arg(long, value_name = "REV|DATE", conflicts_with_all = ["from", "to"])]
    at: Option<String>,
    /// Only commits that this revision does not have, or from this day on
    #[arg(long, value_name = "REV|DATE")]
    from: Option<String>,
    /// Only commits up to this revision, or to the end of this day [default: the checked-out commit]
    #[arg(long, value_name = "REV|DATE")]
    to: Option<String>,
    /// Answer a question instead, with ten files
    #[arg(long, value_name = "NAME", value_parser = questions())]
    preset: Option<Question>,
    /// Recording that shows which files run, for --preset untouched
    #[arg(long, value_name = "TRACE", requires = "preset")]
    recording: Option<PathBuf>,
    /// Leave out commits that changed more files when looking for files that change together
    #[arg(long, value_name = "N", default_value_t = LARGE, value_parser = clap::value_parser!(u32).range(2..=1000))]
    most_files: u32,
    /// Only the first N files, and pairs of files
    #[arg(long, value_name = "N")]
    top: Option<usize>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const HELP: &str = "Changes, lines and renames are those of `git log --numstat -M --use-mailmap`, without merges. A file keeps \
its history when it is renamed, and is listed under the path it has in the end; `lines` is null where it is gone. Binary files have \
0 lines. The attributes of files, which may tell git to take some for binary, are not read, and submodules are left \
out. Times are seconds since 1970, of the committer. `main_author` made the most changes to the file.

Files change together if commits changed both at least 5 times, at least 30 % of the commits of the one changed less often \
(`confidence`), and more often than by chance (`lift` above 1: how many times as often as if they were changed \
independently). Commits of more than --most-files files are left out and counted in `large_commits`.

A date has the form 2019-05-01, in UTC. Nothing in the repository is executed. What was read is kept in the cache \
directory of the user, and only new commits are read the next time.

Example:
  callscape history . --json
  callscape history . --from v1.0 --to v2.0
  callscape history . --at 2019-05-01
  callscape history . --preset one-author";

fn questions() -> impl TypedValueParser<Value = Question> {
    let values = Question::ALL.map(|it| PossibleValue::new(it.id()).help(it.title()));
    let found = |id: String| Question::ALL.into_iter().find(|it| it.id() == id);
    // What the first parser lets through is the id of one.
    PossibleValuesParser::new(values).map(move |id| found(id).unwrap_or(Question::Recent))
}

/// A history, and the commits of it that are asked for.
struct Asked {
    timeline: Timeline,
    span: Span,
}

pub(crate) fn run(args: HistoryArgs) -> anyhow::Result<()> {
    let dir = &args.source_dir;
    ensure!(
        dir.is_dir(),
        "{}: expected the directory of a source tree, found {}",
        dir.display(),
        if dir.exists() { "a file" } else { "nothing" }
    );
    ensure!(
        args.recording.is_none() || args.preset == Some(Question::Untouched),
        "--recording is only for --preset untouched"
    );
    let asked = with_progress(|progress| asked(&args, progress))??;
    for limit in limits(&asked.timeline) {
        say!("callscape: {limit}");
    }
    if let Some(question) = args.preset {
        return question::run(question, &args, &asked);
    }
    let Asked { timeline, span } = &asked;
    let mut files = by_file(timeline, span);
    if args.at.is_some() {
        files.retain(|of| of.lines.is_some());
    }
    let limits = Limits {
        most_files: args.most_files,
        ..Limits::default()
    };
    let mut couplings = coupled(timeline, span, &limits);
    let top = args.top.unwrap_or(usize::MAX);
    files.truncate(top);
    couplings.pairs.truncate(top);
    match args.json {
        true => output::print_json(&Document::new(timeline, span, &files, &couplings)),
        false => print(timeline, span, &files, &couplings),
    }
}

fn asked(args: &HistoryArgs, progress: &Progress) -> anyhow::Result<Asked> {
    let dir = &args.source_dir;
    let end = args.at.as_deref().or(args.to.as_deref());
    let revision = |text: &'_ Option<&str>| text.filter(|it| day(it).is_none()).map(str::to_owned);
    let timeline = history::timeline(dir, revision(&end).as_deref(), progress)?;
    let total = timeline.commits.len() as u32;
    let midnight = |day: i64| day.saturating_mul(DAY);
    let to = end
        .and_then(day)
        .map_or(total, |day| timeline.before(midnight(day + 1)));
    let from = args.from.as_deref();
    let start = from
        .and_then(day)
        .map_or(0, |day| timeline.before(midnight(day)));
    let mut span = Span::of(&timeline, start..to.max(start));
    if let Some(from) = revision(&from) {
        span = span.without(&timeline, &history::timeline(dir, Some(&from), progress)?);
    }
    if span.end() == 0 {
        bail!(none(args, &timeline));
    }
    Ok(Asked { timeline, span })
}

/// Why there is no commit.
fn none(args: &HistoryArgs, timeline: &Timeline) -> String {
    let days = [timeline.clock.first(), timeline.clock.last()];
    let [first, last] = days.map(|time| time.map_or(0, |time| time.div_euclid(DAY)));
    format!(
        "{}: no commit lies between --from and --to; the commits are from {} to {}",
        args.source_dir.display(),
        date(first),
        date(last)
    )
}

const DAY: i64 = 86_400;

/// What is not known of a history, each a sentence.
fn limits(timeline: &Timeline) -> Vec<String> {
    let missing = &timeline.missing;
    let mut limits = Vec::new();
    if missing.is_shallow {
        limits.push(
            "the clone is shallow: older changes are not known; `git fetch --unshallow` fetches them".to_owned(),
        );
    }
    if missing.is_cut_off {
        limits.push(format!(
            "only the {} newest commits are read",
            history::MOST_COMMITS
        ));
    }
    let counts = [
        (
            missing.commits,
            "commit",
            "commits",
            "could not be read: missing or damaged objects",
        ),
        (
            missing.versions,
            "change",
            "changes",
            "have no lines: their objects are missing, damaged or too large",
        ),
        (
            missing.submodules,
            "submodule",
            "submodules",
            "left out: they have histories of their own",
        ),
    ];
    for (count, one, many, what) in counts.into_iter().filter(|it| it.0 > 0) {
        limits.push(format!("{} {what}", counted(count.into(), one, many)));
    }
    limits
}

fn print(
    timeline: &Timeline,
    span: &Span,
    files: &[OfFile],
    couplings: &Couplings,
) -> anyhow::Result<()> {
    let end = span.end();
    let path = |file: u32| escape::name(timeline.path(file, end)).into_owned();
    let mut table = Table::new(&[
        ("changes", Align::Right),
        ("added", Align::Right),
        ("removed", Align::Right),
        ("lines", Align::Right),
        ("people", Align::Right),
        ("most by", Align::Left),
        ("last", Align::Left),
        ("file", Align::Left),
    ]);
    for of in files {
        let author = of
            .main_author
            .map(|it| escape::name(&timeline.authors[it as usize].name).into_owned());
        table.row([
            of.changes.to_string(),
            of.added.to_string(),
            of.removed.to_string(),
            of.lines.map_or("gone".to_owned(), |it| it.to_string()),
            of.authors.to_string(),
            author.unwrap_or_default(),
            date(of.last.div_euclid(DAY)),
            path(of.file),
        ]);
    }
    let mut pairs = Table::new(&[
        ("together", Align::Right),
        ("confidence", Align::Right),
        ("lift", Align::Right),
        ("file", Align::Left),
        ("changes with", Align::Left),
    ]);
    for pair in &couplings.pairs {
        pairs.row([
            pair.together.to_string(),
            format!("{:.2}", pair.confidence),
            format!("{:.1}", pair.lift),
            path(pair.a),
            path(pair.b),
        ]);
    }
    output::print(|out| {
        let commits = span.commits().count() as u64;
        let mut ends = span.commits();
        let (first, last) = (ends.next().unwrap_or(0), ends.next_back());
        let day = |commit: u32| date(timeline.clock[commit as usize].div_euclid(DAY));
        let last = day(last.unwrap_or(first));
        let commits = counted(commits, "commit", "commits");
        let files = counted(files.len() as u64, "file", "files");
        writeln!(out, "{commits} from {} to {last}, {files}", day(first))?;
        table.write(out)?;
        if !couplings.pairs.is_empty() {
            writeln!(out, "\nFiles that change together")?;
            pairs.write(out)?;
        }
        Ok(())
    })
}

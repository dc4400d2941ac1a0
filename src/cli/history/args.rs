//! The arguments of `callscape history`.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use callscape_analysis::history::{LARGE, Question};

#[derive(Debug, clap::Args)]
#[command(about = "Show what changed when in a source tree, by whom, and what changes together", after_help = HELP)]
pub(crate) struct HistoryArgs {
    /// The source tree, in a git repository
    pub source_dir: PathBuf,
    /// List the files that are there at a revision or at the end of a day instead
    #[arg(long, value_name = "REV|DATE", conflicts_with_all = ["from", "to"])]
    pub at: Option<String>,
    /// Only commits that this revision does not have, or from this day on
    #[arg(long, value_name = "REV|DATE")]
    pub from: Option<String>,
    /// Only commits up to this revision, or to the end of this day [default: the checked-out commit]
    #[arg(long, value_name = "REV|DATE")]
    pub to: Option<String>,
    /// Answer a question instead, with ten files
    #[arg(long, value_name = "NAME", value_parser = questions())]
    pub preset: Option<Question>,
    /// Recording that shows which files run, for --preset untouched
    #[arg(long, value_name = "TRACE", requires = "preset")]
    pub recording: Option<PathBuf>,
    /// Leave out commits that changed more files when looking for files that change together
    #[arg(long, value_name = "N", default_value_t = LARGE, value_parser = clap::value_parser!(u32).range(2..=1000))]
    pub most_files: u32,
    /// Only the first N files, and pairs of files
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

const HELP: &str = "Changes, lines and renames equal `git log --numstat -M --use-mailmap`, without merges. A file keeps \
its history when it is renamed, and is listed under the path it has in the end; `lines` is null where it is gone. Binary files have \
0 lines. The attributes of files, which may tell git to take some for binary, are not read, and submodules are left \
out. Times are seconds since 1970, of the committer. `main_author` made the most changes to the file.

Files change together if commits changed both at least 5 times, at least 30 % of the commits of the one changed less often \
(`confidence`), and more often than by chance (`lift` above 1: how many times as often as if they were changed \
independently). Commits of more than --most-files files are left out and counted in `large_commits`.

A date has the form 2019-05-01, in UTC. Nothing in the repository is executed. Results are cached in the user's cache \
directory, so the next time only new commits are read.

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

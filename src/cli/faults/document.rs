//! Faults as a JSON document.

use serde::Serialize;

use super::report::Report;
use callscape_analysis::faults::by_commit::groups;
use callscape_analysis::faults::{Fault, NotRun, Used};
use callscape_base::units::{Cost, Time};

#[derive(Serialize)]
pub(super) struct Function {
    pub function: String,
    pub module: String,
    pub file: String,
    pub lines: Vec<u32>,
    pub reason: &'static str,
    pub commits: Vec<Commit>,
    pub first_ns: Option<Time>,
    pub calls: u64,
    pub self_ns: Cost,
    pub total_ns: Cost,
    pub phases: Vec<String>,
    pub score: f64,
    pub why: Vec<Why>,
    /// Whether the recording saw it run.
    pub ran: bool,
    /// Declarations changed outside functions that it uses.
    pub uses: Vec<Declaration>,
}

#[derive(Serialize)]
pub(super) struct Commit {
    /// `None` for uncommitted changes.
    pub id: Option<String>,
    pub author: String,
    pub email: String,
    /// In seconds since 1970.
    pub time: Option<i64>,
    pub summary: String,
}

#[derive(Serialize)]
pub(super) struct Why {
    pub part: &'static str,
    pub score: f64,
    pub text: String,
}

#[derive(Serialize)]
pub(super) struct Declaration {
    pub name: String,
    pub file: String,
    pub line: u32,
    /// It was removed: the line is of the earlier revision.
    pub removed: bool,
}

#[derive(Serialize)]
pub(super) struct ByCommit {
    #[serde(flatten)]
    pub commit: Commit,
    pub score: f64,
    pub functions: Vec<Function>,
    /// Changed functions that did not run.
    pub not_run: u32,
}

/// Functions, most suspect first, then those that did not run, if requested.
pub(super) fn functions(report: &Report<'_>) -> Vec<Function> {
    let faults = report.faults.faults.iter().map(|it| function(report, it));
    let not_run = report.faults.not_run.iter().filter(|_| report.args.not_run);
    let all = faults.chain(not_run.map(|it| function_not_run(report, it)));
    all.take(report.args.top.unwrap_or(usize::MAX)).collect()
}

/// The functions by commit, the most suspect first.
pub(super) fn by_commit(report: &Report<'_>) -> Vec<ByCommit> {
    let groups = groups(report.faults).into_iter();
    let groups = groups.map(|group| {
        let faults = group
            .faults
            .iter()
            .map(|&at| function(report, &report.faults.faults[at]));
        ByCommit {
            commit: match group.commit {
                Some(commit) => commit_of(report, commit),
                None => uncommitted(),
            },
            score: group.score,
            functions: faults.take(report.args.top.unwrap_or(usize::MAX)).collect(),
            not_run: group.not_run,
        }
    });
    groups.collect()
}

fn function(report: &Report<'_>, fault: &Fault) -> Function {
    let hierarchy = &report.opened.session.hierarchy;
    Function {
        function: name(report, fault),
        module: hierarchy.path(fault.module),
        file: fault.file.clone(),
        lines: fault.lines.clone(),
        reason: fault.reason.name(),
        commits: commits(report, &fault.commits, fault.is_uncommitted),
        first_ns: fault.first.map(|(time, _)| time),
        calls: fault.calls,
        self_ns: fault.self_cost,
        total_ns: fault.total,
        phases: fault.phases.clone(),
        score: rounded(fault.score),
        why: fault
            .why
            .iter()
            .map(|it| Why {
                part: it.of.name(),
                score: rounded(it.score),
                text: it.text.clone(),
            })
            .collect(),
        ran: true,
        uses: fault.uses.iter().map(declaration).collect(),
    }
}

/// Display name of the function itself, even if the recording also has names for parts of it.
pub(super) fn name(report: &Report<'_>, fault: &Fault) -> String {
    let recording = report
        .opened
        .session
        .recordings
        .first()
        .map(|it| &it.recording);
    let names = fault
        .functions
        .iter()
        .filter_map(|&it| Some(recording?.functions.get(it).name));
    let shortest = names.min_by_key(|it| it.len()).unwrap_or_default();
    shortest.to_owned()
}

fn function_not_run(report: &Report<'_>, not_run: &NotRun) -> Function {
    Function {
        function: not_run.name.clone(),
        module: format!("{}/{}", not_run.file, not_run.name.replace('.', "/")),
        file: not_run.file.clone(),
        lines: not_run.lines.clone(),
        reason: "body",
        commits: commits(report, &not_run.commits, not_run.is_uncommitted),
        first_ns: None,
        calls: 0,
        self_ns: Cost::ZERO,
        total_ns: Cost::ZERO,
        phases: Vec::new(),
        score: 0.0,
        why: Vec::new(),
        ran: false,
        uses: Vec::new(),
    }
}

fn declaration(used: &Used) -> Declaration {
    Declaration {
        name: used.name.clone(),
        file: used.file.clone(),
        line: used.line,
        removed: used.is_gone,
    }
}

fn commits(report: &Report<'_>, commits: &[u32], is_uncommitted: bool) -> Vec<Commit> {
    let uncommitted = is_uncommitted.then(uncommitted);
    let commits = commits.iter().map(|&it| commit_of(report, it));
    uncommitted.into_iter().chain(commits).collect()
}

fn commit_of(report: &Report<'_>, commit: u32) -> Commit {
    let commit = report
        .faults
        .commits
        .get(commit as usize)
        .cloned()
        .unwrap_or_default();
    Commit {
        id: Some(commit.id),
        author: commit.author,
        email: commit.email,
        time: Some(commit.time),
        summary: commit.summary,
    }
}

fn uncommitted() -> Commit {
    Commit {
        id: None,
        author: String::new(),
        email: String::new(),
        time: None,
        summary: "not committed yet".to_owned(),
    }
}

/// As much of a score as says something.
fn rounded(score: f64) -> f64 {
    (score * 10_000.0).round() / 10_000.0
}

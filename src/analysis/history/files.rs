//! What some commits did with each file.

use super::Span;
use callscape_facts::history::{Main, Timeline};

/// What some commits did with a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OfFile {
    /// An index into the files of the history.
    pub file: u32,
    pub changes: u32,
    /// Lines, over all changes.
    pub added: u64,
    pub removed: u64,
    /// Who changed it, each once.
    pub authors: u32,
    /// Who changed it most often; of several the one with the most lines, then the first.
    pub main_author: Option<u32>,
    /// The share of its changes that are by the main author.
    pub main_share: f64,
    /// When it was changed first and last, in seconds since 1970 by the clock of the history.
    pub first: i64,
    pub last: i64,
    /// Lines after the last of the commits; none if the file does not exist then.
    pub lines: Option<u32>,
}

/// Files that exist after some commits without a change in any of them: merges added them, or a shallow clone begins with
/// them. `first` and `last` are the time of that. By path, linear in the changes.
pub fn brought(timeline: &Timeline, span: &Span) -> Vec<OfFile> {
    let end = span.end();
    let mut files = Vec::new();
    for file in 0..timeline.files.len() as u32 {
        let lines = timeline.state(file, end).lines;
        let mut changes = (timeline.changes_of(file)).filter(|it| span.has(it.commit));
        if lines.is_none() || changes.clone().any(|it| it.is_counted()) {
            continue;
        }
        let first = changes.next();
        let at = first.map_or(0, |it| timeline.clock[it.commit as usize]);
        files.push(OfFile {
            file,
            first: at,
            last: at,
            lines,
            ..OfFile::default()
        });
    }
    files.sort_by(|a, b| timeline.path(a.file, end).cmp(timeline.path(b.file, end)));
    files
}

/// The files that some commits changed, the most often changed first, then by path. Linear in the changes.
pub fn by_file(timeline: &Timeline, span: &Span) -> Vec<OfFile> {
    let end = span.end();
    let mut files = Vec::new();
    for file in 0..timeline.files.len() as u32 {
        let mut of = OfFile {
            file,
            first: i64::MAX,
            last: i64::MIN,
            ..OfFile::default()
        };
        let mut main = Main::default();
        let changes = timeline.changes_of(file);
        for change in changes.filter(|it| it.is_counted() && span.has(it.commit)) {
            let commit = &timeline.commits[change.commit as usize];
            let time = timeline.clock[change.commit as usize];
            of.changes += 1;
            of.added += u64::from(change.added);
            of.removed += u64::from(change.removed);
            of.first = of.first.min(time);
            of.last = of.last.max(time);
            main.add(commit.author, change.touched());
        }
        if of.changes == 0 {
            continue;
        }
        of.authors = main.authors();
        of.main_author = main.author();
        of.main_share = f64::from(main.changes()) / f64::from(of.changes);
        of.lines = timeline.state(file, end).lines;
        files.push(of);
    }
    let path = |of: &OfFile| timeline.path(of.file, end);
    files.sort_by(|a, b| b.changes.cmp(&a.changes).then_with(|| path(a).cmp(path(b))));
    files
}

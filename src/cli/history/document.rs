//! The JSON document of `callscape history`.

use serde::Serialize;

use callscape_analysis::history::{Couplings, OfFile, Span};
use callscape_facts::history::Timeline;

#[derive(Serialize)]
pub(super) struct Document<'a> {
    commits: usize,
    merges: usize,
    /// Seconds since 1970, of the first and the last commit.
    from: Option<i64>,
    to: Option<i64>,
    from_commit: Option<&'a str>,
    to_commit: Option<&'a str>,
    files: Vec<File<'a>>,
    coupled: Vec<Pair<'a>>,
    /// Commits considered for files that change together, and commits with too many files.
    coupled_commits: u32,
    large_commits: u32,
    tags: Vec<Tag<'a>>,
    not_read: NotRead,
}

#[derive(Serialize)]
struct File<'a> {
    path: &'a str,
    changes: u32,
    added: u64,
    removed: u64,
    authors: u32,
    main_author: Option<&'a str>,
    main_share: f64,
    first: i64,
    last: i64,
    lines: Option<u32>,
}

#[derive(Serialize)]
struct Pair<'a> {
    a: &'a str,
    b: &'a str,
    together: u32,
    a_changes: u32,
    b_changes: u32,
    confidence: f64,
    lift: f64,
}

#[derive(Serialize)]
struct Tag<'a> {
    name: &'a str,
    commit: &'a str,
    time: i64,
}

#[derive(Serialize)]
struct NotRead {
    is_shallow: bool,
    is_cut_off: bool,
    commits: u32,
    versions: u32,
    submodules: u32,
}

impl<'a> Document<'a> {
    pub(super) fn new(
        timeline: &'a Timeline,
        span: &Span,
        files: &[OfFile],
        couplings: &Couplings,
    ) -> Document<'a> {
        let end = span.end();
        let path = |file: u32| timeline.path(file, end);
        let commit = |at: u32| &timeline.commits[at as usize];
        let mut commits = span.commits();
        let commits_in = span.commits().count();
        let first = commits.next();
        let last = commits.next_back().or(first);
        let time = |at: u32| timeline.clock[at as usize];
        let files = files.iter().map(|of| File {
            path: path(of.file),
            changes: of.changes,
            added: of.added,
            removed: of.removed,
            authors: of.authors,
            main_author: of
                .main_author
                .map(|it| timeline.authors[it as usize].name.as_str()),
            main_share: of.main_share,
            first: of.first,
            last: of.last,
            lines: of.lines,
        });
        let pairs = couplings.pairs.iter().map(|pair| Pair {
            a: path(pair.a),
            b: path(pair.b),
            together: pair.together,
            a_changes: pair.of[0],
            b_changes: pair.of[1],
            confidence: pair.confidence,
            lift: pair.lift,
        });
        let tags = timeline.tags.iter().filter(|tag| span.has(tag.commit));
        let tags = tags.map(|tag| Tag {
            name: &tag.name,
            commit: &commit(tag.commit).id,
            time: time(tag.commit),
        });
        Document {
            commits: commits_in,
            merges: span.commits().filter(|&at| commit(at).is_merge).count(),
            from: first.map(time),
            to: last.map(time),
            from_commit: first.map(|at| commit(at).id.as_str()),
            to_commit: last.map(|at| commit(at).id.as_str()),
            files: files.collect(),
            coupled: pairs.collect(),
            coupled_commits: couplings.commits,
            large_commits: couplings.large,
            tags: tags.collect(),
            not_read: NotRead {
                is_shallow: timeline.missing.is_shallow,
                is_cut_off: timeline.missing.is_cut_off,
                commits: timeline.missing.commits,
                versions: timeline.missing.versions,
                submodules: timeline.missing.submodules,
            },
        }
    }
}

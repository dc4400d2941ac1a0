//! The history of a git repository, from its folder `.git`: <https://git-scm.com/docs/gitrepository-layout>. It plays like
//! any other recording.
//!
//! A commit is a call of its author, at the time of the commit and without a duration, that calls each file it changed;
//! each author is a thread. Lines added and removed, the commit and the first line of its message are arguments. Merges call
//! nothing. `source::history` reads the repository, of which only objects count.

use std::sync::Arc;

use super::error::ImportError;
use super::input::Input;
use callscape_base::progress::Progress;
use callscape_base::units::{FunctionId, ThreadId};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::functions::Function;
use callscape_facts::history::{Change, Kind, Played, Timeline};
use callscape_facts::recording::Recording;
use callscape_facts::trace::Value;
use callscape_source::history::{self, HistoryError};

/// The identifier of the format in `info`.
pub(crate) const FORMAT: &str = "git-history";

/// Letters of an id that people tell commits apart by.
const DIGITS: usize = 10;

/// Seconds that times in nanoseconds can tell.
const MOST_SECONDS: i64 = i64::MAX / 1_000_000_000;

/// Whether a directory is the `.git` of a repository, or a bare repository.
pub(crate) fn sniff(dir: &Input) -> bool {
    history::is_repository(dir)
}

/// Whether a file is the `.git` of a linked work tree or of a submodule, which names the repository.
pub(crate) fn sniff_file(head: &[u8]) -> bool {
    head.starts_with(b"gitdir: ")
}

/// Reads the history of what is checked out. As [`history::timeline`], and linear in changes.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let is_bare = !input.ends_with(".git");
    let top = input.parent().filter(|_| !is_bare).unwrap_or(input);
    let place = || Place::file(input.display().to_string());
    let timeline = history::timeline(top, None, progress).map_err(|error| match error {
        HistoryError::Cancelled(cancelled) => ImportError::Cancelled(cancelled),
        HistoryError::NoCommit(_) => {
            ImportError::malformed(place(), "a git repository with commits", "one without")
        }
        error => {
            ImportError::malformed(place(), "a git repository with commits", error.to_string())
        }
    })?;
    let reporter = Reporter::new();
    let missing = &timeline.missing;
    let counts = [
        ("shallow-clone", u32::from(missing.is_shallow)),
        ("history-cut-off", u32::from(missing.is_cut_off)),
        ("unreadable-commit", missing.commits),
        ("unreadable-version", missing.versions),
        ("submodule-left-out", missing.submodules),
    ];
    for (kind, count) in counts {
        reporter.warn_many(kind, count.into(), place);
    }
    let mut builder = TraceBuilder::new(&reporter);
    let cast = Cast::new(&timeline, &mut builder);
    cast.play(&mut builder, progress)?;
    let (functions, trace) = builder.finish(place);
    let first = timeline.changes.iter().find(|it| it.is_counted());
    let began = first.map_or(0, |it| timeline.clock[it.commit as usize]);
    let files = cast.files;
    let played = Played {
        timeline: Arc::new(timeline),
        began,
        files,
    };
    let warnings = reporter.warnings();
    Ok(Recording {
        played: Some(Arc::new(played)),
        ..Recording::of_calls(input, FORMAT, None, (functions, trace), warnings)
    })
}

/// What stands for the authors and files of a history.
struct Cast<'a> {
    timeline: &'a Timeline,
    /// By author.
    authors: Vec<(ThreadId, FunctionId)>,
    /// By file, under its last path.
    files: Vec<FunctionId>,
}

impl<'a> Cast<'a> {
    fn new(timeline: &'a Timeline, builder: &mut TraceBuilder<'_>) -> Cast<'a> {
        let authors = timeline.authors.iter().map(|author| {
            let name = match author.name.is_empty() {
                true => "(no name)",
                false => author.name.as_str(),
            };
            let thread = builder.thread("", &format!("{name} <{}>", author.email));
            builder.name_thread(thread, name);
            let function = Function {
                name,
                library: "people",
                ..Function::default()
            };
            (thread, builder.function(function))
        });
        let authors = authors.collect();
        let files = timeline.files.iter().map(|file| {
            let name = file.path.rsplit('/').next().unwrap_or(&file.path);
            builder.function(Function {
                name,
                file: &file.path,
                ..Function::default()
            })
        });
        Cast {
            timeline,
            authors,
            files: files.collect(),
        }
    }

    fn play(&self, builder: &mut TraceBuilder<'_>, progress: &Progress) -> Result<(), ImportError> {
        let timeline = self.timeline;
        let changes = timeline.changes.chunk_by(|a, b| a.commit == b.commit);
        progress.start("putting commits in order", timeline.changes.len() as u64);
        for changes in changes {
            progress.add(changes.len() as u64)?;
            let (commit, at) = (
                &timeline.commits[changes[0].commit as usize],
                changes[0].commit,
            );
            if !changes.iter().any(Change::is_counted) {
                continue;
            }
            let seconds = timeline.clock[at as usize].clamp(-MOST_SECONDS, MOST_SECONDS);
            let time = Timestamp::from_ns(seconds * 1_000_000_000);
            let (thread, author) = self.authors[commit.author as usize];
            let place = || Place::file(commit.id.clone());
            builder.enter(thread, time, author, place);
            let told = builder.arguments();
            told.add(
                "commit",
                &Value::Text(commit.id[..commit.id.len().min(DIGITS)].into()),
            );
            told.add("summary", &Value::Text(commit.summary.as_str().into()));
            told.of_begun((thread, author), time, Some(time), at.into());
            for change in changes.iter().filter(|it| it.is_counted()) {
                let file = self.files[change.file as usize];
                builder.enter(thread, time, file, place);
                let told = builder.arguments();
                told.add("added", &Value::Integer(change.added.into()));
                told.add("removed", &Value::Integer(change.removed.into()));
                if let Some(what) = what(change.kind) {
                    told.add("what", &Value::Text(what.into()));
                }
                told.of_begun((thread, file), time, Some(time), at.into());
                builder.exit(thread, time, Some(file), place);
            }
            builder.exit(thread, time, Some(author), place);
        }
        Ok(())
    }
}

fn what(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Added => Some("added"),
        Kind::Removed => Some("removed"),
        Kind::Renamed => Some("renamed"),
        Kind::Modified | Kind::Taken | Kind::Dropped => None,
    }
}

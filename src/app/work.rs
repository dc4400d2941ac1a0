//! What the window works out on other threads: the numbers that need every call to be looked at, the calls
//! behind what is chosen, and files of them.

use std::path::PathBuf;
use std::sync::Arc;

use super::document::{Document, Limits, Parts};
use super::job::{self, Job};
use super::versus::ContextsOf;
use super::workbench::{Message, Workbench};
use crate::analysis::comparison::contexts::ContextTree;
use crate::analysis::session::Session;
use crate::filter::filters::Filters;
use crate::filter::running::Running;
use crate::filter::summary::Summary;
use crate::model::calls::{CallColumn, CallsOf};
use crate::model::differences::{Choice, Of};
use crate::progress::Progress;
use crate::units::TimeRange;
use crate::views::calls::CallList;
use crate::views::differences::DifferenceTable;
use crate::views::table::ViewId;

/// Longer lists take longer to sort than a frame may.
const MOST_AT_ONCE: usize = 50_000;

/// What a list of calls was made for: the same need not be made again.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedFor {
    of: CallsOf,
    range: Option<TimeRange>,
    filters: Filters,
}

/// What looking at every call has found.
#[derive(Default)]
pub struct Counted {
    summary: Summary,
    /// Where the filters leave something out, what they leave along time.
    running: Option<Arc<Running>>,
}

/// Work under way and what came of it.
#[derive(Default)]
pub struct Work {
    /// Looks at every call for the function table and the filters.
    pub counting: Option<Job<Counted>>,
    /// The user stopped it: it is not begun again for the same.
    pub counting_is_stopped: bool,
    /// Counts what range and filters leave of two runs.
    comparing: Option<Job<Parts>>,
    compared_for: Option<Limits>,
    /// Counts the calling contexts in which two runs differ, what they were counted of, and the list of which numbers
    /// and choice.
    contexts: Option<Job<(ContextsOf, Arc<ContextTree>, DifferenceTable)>>,
    tree: Option<(ContextsOf, Arc<ContextTree>)>,
    contexts_for: Option<(u64, Choice)>,
    pub listing: Option<Job<CallList>>,
    listed_for: Option<ListedFor>,
    pub calls: Option<Arc<CallList>>,
    pub exporting: Option<Job<Result<PathBuf, String>>>,
}

impl Work {
    pub fn is_under_way(&self) -> bool {
        self.counting.is_some()
            || self.comparing.is_some()
            || self.contexts.is_some()
            || self.listing.is_some()
            || self.exporting.is_some()
    }
}

impl Work {
    /// Whether calling contexts are being counted.
    pub fn counts_contexts(&self) -> bool {
        self.contexts.is_some()
    }
}

impl Workbench {
    /// Takes what has been worked out and begins what is needed.
    pub fn update_work(&mut self) {
        self.take_count();
        self.take_parts();
        self.take_contexts();
        self.take_list();
        self.take_export();
    }

    fn take_count(&mut self) {
        let Some(document) = &mut self.document else {
            self.work = Work::default();
            return;
        };
        if let Some(counted) = self.work.counting.as_ref().and_then(Job::poll) {
            self.work.counting = None;
            match counted {
                Ok(counted) => {
                    document.count(&counted.summary);
                    if let Some(running) = counted.running {
                        document.run(running);
                    }
                    self.left_is_new = true;
                    self.show_chosen();
                }
                Err(_) => self.work.counting_is_stopped = true,
            }
            return;
        }
        let is_known = document
            .functions
            .as_ref()
            .is_none_or(|it| it.is_complete());
        let is_wanted = self.dock.is_visible(ViewId::Functions) || !document.filters.is_empty();
        let is_idle = self.work.counting.is_none() && !self.work.counting_is_stopped;
        if is_known || !is_wanted || !is_idle {
            return;
        }
        let session = Arc::clone(&document.session);
        let (recording, range) = (document.recording(), document.selection.range);
        let filters = document.filters.clone();
        let wants_running = document.wants_running();
        self.work.counting = Some(Job::start((self.wake)(), move |progress| {
            let Some(resolved) = session.recordings.get(recording) else {
                return Ok(Counted::default());
            };
            let rules = filters.rules(&session.hierarchy, &resolved.resolution.modules);
            let trace = &resolved.recording.trace;
            let summary = Summary::of(&resolved.recording, range, &rules, progress)?;
            let running = match wants_running {
                true => Some(Arc::new(Running::new(trace, &rules, progress)?)),
                false => None,
            };
            Ok(Counted { summary, running })
        }));
    }

    /// Of two runs, compares what range and filters leave of both.
    fn take_parts(&mut self) {
        let counted = self.work.comparing.as_ref().and_then(Job::poll);
        if let Some(counted) = counted {
            self.work.comparing = None;
            if let Ok(parts) = counted {
                self.compare_parts(Some(parts));
            }
        }
        let Some(document) = self.document.as_ref().filter(|it| it.versus.is_some()) else {
            return;
        };
        let wanted = document.limits_of_both();
        if wanted == self.work.compared_for {
            return;
        }
        self.work.compared_for.clone_from(&wanted);
        self.work.comparing = None;
        match wanted {
            Some(limits) => {
                let count = move |progress: &Progress| limits.count(progress);
                self.work.comparing = Some(Job::start((self.wake)(), count));
            }
            None => self.compare_parts(None),
        }
    }

    /// Of two runs, lists the calling contexts in which they differ, while that is to be seen.
    fn take_contexts(&mut self) {
        if let Some(done) = self.work.contexts.as_ref().and_then(Job::poll) {
            self.work.contexts = None;
            if let Ok((of, tree, table)) = done {
                self.work.tree = Some((of, tree));
                self.pair.contexts = Arc::new(table);
            }
        }
        let choice = &self.pair.choice;
        let is_seen = self.dock.is_visible(ViewId::Differences) && choice.of == Of::Contexts;
        let Some(document) = self.document.as_ref().filter(|_| is_seen) else {
            return;
        };
        let Some(versus) = document.versus.clone() else {
            return;
        };
        let wanted = (versus.revision(), choice.clone());
        if self.work.contexts_for.as_ref() == Some(&wanted) {
            return;
        }
        self.work.contexts_for = Some(wanted);
        let (session, choice) = (Arc::clone(&document.session), choice.clone());
        let of = versus.contexts_of(document.selection.range);
        let known = self.work.tree.clone().filter(|(known, _)| *known == of);
        self.work.contexts = Some(Job::start((self.wake)(), move |progress| {
            let tree = match known {
                Some((_, tree)) => tree,
                None => Arc::new(of.count(progress)?),
            };
            let table = versus.context_table(&session, &tree, &choice);
            Ok((of, tree, table))
        }));
    }

    fn compare_parts(&mut self, parts: Option<Parts>) {
        let is_limited = |document: &Document| {
            let versus = document.versus.as_ref();
            versus.is_some_and(|versus| versus.is_limited())
        };
        let Some(document) = &mut self.document else {
            return;
        };
        if parts.is_none() && !is_limited(document) {
            return;
        }
        document.take_parts(parts);
        self.left_is_new = true;
        self.blocks_moved();
        if self.pair.only_differences {
            self.show_only_differences();
        }
    }

    /// Range or filters changed: what is being counted is of no use.
    pub fn outdate_count(&mut self) {
        self.work.counting = None;
        self.work.counting_is_stopped = false;
    }

    fn take_list(&mut self) {
        if let Some(listed) = self.work.listing.as_ref().and_then(Job::poll) {
            self.work.listing = None;
            if let Ok(list) = listed {
                self.work.calls = Some(Arc::new(list));
                self.show_call();
            }
        }
        let Some(document) = &self.document else {
            return;
        };
        if !self.dock.is_visible(ViewId::Calls) {
            return;
        }
        let wanted = self.list_of.map(|of| ListedFor {
            of,
            range: document.selection.range,
            filters: document.filters.clone(),
        });
        if wanted == self.work.listed_for {
            return;
        }
        self.work.listed_for.clone_from(&wanted);
        self.work.calls = None;
        self.work.listing = wanted.map(|wanted| {
            let session = Arc::clone(&document.session);
            let (recording, cut) = (document.recording(), document.cut.clone());
            Job::start((self.wake)(), move |progress| {
                let ListedFor { of, range, filters } = wanted;
                CallList::find(&session, recording, &cut, of, range, &filters, progress)
            })
        });
    }

    /// Brings the chosen call into sight in the list.
    pub fn show_call(&mut self) {
        let chosen = self
            .document
            .as_ref()
            .and_then(|open| open.selection.chosen.call);
        let list = self.work.calls.as_ref();
        self.call_to_show = list
            .zip(chosen)
            .and_then(|(list, call)| list.place_of(call));
    }

    /// Sorts the list of calls, a long one on another thread.
    pub fn sort_calls(&mut self, column: CallColumn) {
        let (Some(document), Some(list)) = (&self.document, &mut self.work.calls) else {
            return;
        };
        let recording = document.recording();
        if list.len() <= MOST_AT_ONCE {
            Arc::make_mut(list).sort_by(&document.session, recording, column);
            return;
        }
        let (session, mut list) = (Arc::clone(&document.session), Arc::clone(list));
        self.work.listing = Some(Job::start((self.wake)(), move |progress| {
            progress.start("sorting the calls", 0);
            Arc::make_mut(&mut list).sort_by(&session, recording, column);
            Ok(Arc::unwrap_or_clone(list))
        }));
    }

    /// Writes the list of calls to a new file where the user looks for such.
    pub fn export_calls(&mut self) {
        let (Some(document), Some(list)) = (&self.document, &self.work.calls) else {
            return;
        };
        let folder = dirs::download_dir().filter(|dir| dir.is_dir());
        let Some(folder) = folder.or_else(|| std::env::current_dir().ok()) else {
            return;
        };
        let (session, list) = (Arc::clone(&document.session), Arc::clone(list));
        let recording = document.recording();
        self.work.exporting = Some(Job::start((self.wake)(), move |progress| {
            let written = export(&session, recording, &list, folder, progress);
            progress.check()?;
            Ok(written.map_err(|error| error.to_string()))
        }));
    }

    fn take_export(&mut self) {
        let Some(written) = job::take(&mut self.work.exporting) else {
            return;
        };
        let is_error = written.is_err();
        let (title, line) = match written {
            Ok(path) => ("The calls are written", path.display().to_string()),
            Err(reason) => ("The calls could not be written", reason),
        };
        self.messages.push(Message {
            is_error,
            is_open: true,
            title: title.to_owned(),
            lines: vec![line],
        });
    }
}

/// Writes `list` to a file of a name that is not taken in `folder`.
fn export(
    session: &Session,
    recording: usize,
    list: &CallList,
    folder: PathBuf,
    progress: &Progress,
) -> std::io::Result<PathBuf> {
    let names = (1..).map(|number: u32| match number {
        1 => "callscape-calls.csv".to_owned(),
        _ => format!("callscape-calls-{number}.csv"),
    });
    for name in names {
        let path = folder.join(name);
        // Taken names are found out by trying, so that no other program can take one in between.
        match std::fs::File::create_new(&path) {
            Ok(file) => {
                let file = std::io::BufWriter::new(file);
                let written = list.write_csv(session, recording, file, progress);
                return written.map(|()| path.clone()).inspect_err(|_| {
                    // What was begun is of no use; that it could not be removed adds nothing.
                    let _ = std::fs::remove_file(&path);
                });
            }
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(std::io::ErrorKind::AlreadyExists.into())
}

//! What is asked of the view: lists of objects, their export, and the way to an object's creation.

use std::sync::Arc;

use super::choice::Mode;
use super::keys::Does;
use super::listing::{Fate, ObjectList, Query, Wish};
use super::view::MemoryView;
use callscape_facts::memory::{Events, Memory, Object};
use callscape_filter::selection::{CallOf, Pointed};
use callscape_state::State;
use callscape_state::ask::{Ask, Asks, PlayAsk, SelectAsk, ViewAsk};
use callscape_state::document::Document;
use callscape_state::job::Job;

/// Which objects of a row are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// All created to date.
    Created,
    Released,
    Living,
    Temporary,
    /// What was created in the range and lives at its end.
    OfRange,
    /// What lives at the peak.
    AtPeak,
    /// Of an age, as a bin of the histogram.
    Age(usize),
    /// Created in an interval of the run.
    Interval(usize),
    /// Released at an age, as a bin of the whole run; the last: never.
    ReleaseAge(usize),
}

impl MemoryView {
    /// What a query for objects of a group is; none where what it needs is not known.
    pub(super) fn query(
        &self,
        document: &Document,
        events: &Events,
        group: Option<u32>,
        which: Which,
    ) -> Option<Query> {
        let at = self.now.position();
        let range = MemoryView::range(document, events);
        let time = match document.playback.as_ref()?.summary {
            true => "the end".to_owned(),
            false => document.selection.time.to_string(),
        };
        let (created, fate, what) = match which {
            Which::Created => ((0, at), Fate::Any, format!("allocated up to {time}")),
            Which::Released => {
                let fate = Fate::ReleasedBy(at);
                ((0, at), fate, format!("released up to {time}"))
            }
            Which::Living => ((0, at), Fate::LivesAt(at), format!("live at {time}")),
            Which::Temporary => {
                let fate = Fate::TemporaryBy(at);
                ((0, at), fate, format!("temporary up to {time}"))
            }
            Which::OfRange => {
                let what = "allocated in the range and live at its end".to_owned();
                (range, Fate::LivesAt(range.1), what)
            }
            Which::AtPeak => {
                let at = events.peak_position();
                ((0, at), Fate::LivesAt(at), "live at the peak".to_owned())
            }
            Which::Age(bin) => {
                let (_, ages) = self.ages.last()?;
                let last = bin + 1 == ages.edges.len();
                let or_older = if last { " and older" } else { "" };
                let what = format!("of age {}{or_older} at {time}", bin + 1);
                (ages.created(bin), Fate::Any, what)
            }
            Which::Interval(interval) => {
                let (_, patterns) = self.patterns.last()?;
                let edges = patterns.edges.get(interval..interval + 2)?;
                let what = format!("allocated in interval {} of 10", interval + 1);
                ((edges[0], edges[1]), Fate::Any, what)
            }
            Which::ReleaseAge(bin) => {
                let (_, patterns) = self.patterns.last()?;
                let (fate, what) = match bin {
                    0..9 => {
                        let oldest = patterns.oldest;
                        let fate = Fate::ReleasedAt {
                            bin: bin as u32,
                            oldest,
                        };
                        (fate, format!("released in age interval {} of 9", bin + 1))
                    }
                    _ => (Fate::Never, "never released".to_owned()),
                };
                ((0, events.end()), fate, what)
            }
        };
        let of = group.and_then(|group| self.groups.all.get(group as usize));
        let of = of.map_or_else(String::new, |it| format!(" of {}", it.name));
        Some(Query {
            title: format!("{what}{of}"),
            group,
            created,
            fate,
        })
    }

    /// Lists the objects of a group.
    pub(super) fn list(&mut self, document: &Document, group: u32, which: Which) {
        let events = document.memory().and_then(Memory::events);
        let query = events.and_then(|it| self.query(document, it, Some(group), which));
        if query.is_some() {
            self.query = query;
        }
    }

    /// Lists objects of the row that the menu was last opened on.
    pub(super) fn list_of_menu(&mut self, document: &Document, does: Does) {
        let which = match does {
            Does::Living => Which::Living,
            Does::Created => Which::Created,
            Does::Released => Which::Released,
            Does::Temporary => Which::Temporary,
            Does::OfRange => Which::OfRange,
            Does::AtPeak => Which::AtPeak,
            Does::Rows | Does::Mode | Does::Peak => return,
        };
        if let Some(group) = self.menu_of {
            self.list(document, group, which);
        }
    }

    /// Lists the objects that the table counts of a group.
    pub(super) fn list_row(&mut self, document: &Document, group: u32) {
        let which = match self.choice.mode {
            Mode::Live => Which::Living,
            Mode::Peaks => Which::AtPeak,
            Mode::Range => Which::OfRange,
            Mode::Temporary => Which::Temporary,
        };
        self.list(document, group, which);
    }

    /// Takes a list that was found, and begins to look for the one wanted.
    pub(super) fn update_list(&mut self, state: &State, document: &Document) {
        self.list.poll();
        let Some(query) = &self.query else {
            self.list.stop();
            return;
        };
        let wish = Wish {
            query: query.clone(),
            groups: self.groups_number,
            filter: self.filter.clone(),
            sort: self.list_sort,
        };
        if self.list.is_wanted(&wish) {
            return;
        }
        let (session, place) = (Arc::clone(&document.session), document.recording());
        let (groups, of) = (Arc::clone(&self.groups), wish.clone());
        self.list.want(wish, || {
            Job::named("list of objects", state.waker(), move |progress| {
                let Some(resolved) = session.recordings.get(place) else {
                    return Ok(Arc::default());
                };
                ObjectList::find(resolved, &groups, &of, progress).map(Arc::new)
            })
        });
    }

    /// Writes the list to a new file where the user looks for such.
    pub(super) fn export(&mut self, state: &State, document: &Document) {
        let list = self.list.last().map(|(_, list)| Arc::clone(list));
        let owners = self.owners.last().map(|(_, owners)| Arc::clone(owners));
        let Some(list) = list else {
            return;
        };
        let owners = owners.unwrap_or_default();
        let (session, place) = (Arc::clone(&document.session), document.recording());
        self.exporting
            .begin("objects", state, move |file, progress| {
                match session.recordings.get(place) {
                    Some(resolved) => {
                        list.write_csv(resolved, &session.hierarchy, &owners, file, progress)
                    }
                    None => Ok(()),
                }
            });
    }

    /// Goes to the time at which an object was created, and to the call that created it where calls are known.
    pub(super) fn go_to(&mut self, document: &Document, object: &Object, asks: &mut Asks) {
        let pointed = self.created_by(document, object);
        asks.push(SelectAsk::Choose(pointed));
        asks.push(PlayAsk::Seek(object.creation));
        if let Some(call) = pointed.call {
            asks.push(Ask::View(None, ViewAsk::Reveal(call)));
        }
    }

    /// What created an object. O(log n + depth).
    pub(super) fn created_by(&self, document: &Document, object: &Object) -> Pointed {
        let function = document
            .memory()
            .and_then(|memory| memory.stacks.function(object.stack));
        let module = function.and_then(|it| document.module_of(it));
        Pointed {
            function,
            module,
            call: call_at(document, object),
            time: Some(object.creation),
            ..Pointed::default()
        }
    }
}

/// The innermost call that is open on the object's thread when it is created, of the function that created it if that is
/// open.
pub(super) fn call_at(document: &Document, object: &Object) -> Option<CallOf> {
    let resolved = document.resolved()?;
    let trace = &resolved.recording.trace;
    if object.thread.index() >= trace.threads().len() {
        return None;
    }
    let mut stack = Vec::new();
    trace.stack_at(object.thread, object.creation, &mut stack);
    let memory = resolved.recording.memory.as_ref();
    let creator = memory.and_then(|it| it.stacks.function(object.stack));
    let is_creator = |call: &&callscape_base::units::CallId| {
        Some(trace.call(object.thread, **call).function) == creator
    };
    let call = stack.iter().rev().find(is_creator).or(stack.last())?;
    Some(CallOf {
        thread: object.thread,
        call: *call,
    })
}

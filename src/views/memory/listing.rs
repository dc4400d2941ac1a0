//! The objects behind a bar, a bin or a row.

use std::io::{self, Write};
use std::sync::Arc;

use super::groups::Groups;
use crate::parts::kept::choices;
use callscape_analysis::session::Resolved;
use callscape_base::escape;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{Cost, ModuleId, Time};
use callscape_facts::hierarchy::Hierarchy;
use callscape_facts::memory::{Events, Memory, Object, Sequence};

/// No more objects than this are kept.
pub(super) const MOST: usize = 200_000;

/// How many bins of [`Fate::ReleasedAt`] have ages.
const AGES: u128 = 9;

/// What became of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Any,
    /// It lives at a position.
    LivesAt(u32),
    /// It was released before a position.
    ReleasedBy(u32),
    /// The next event of memory released it, before a position.
    TemporaryBy(u32),
    Never,
    /// It was released at an age of this bin, of nine up to the oldest.
    ReleasedAt {
        bin: u32,
        oldest: Cost,
    },
}

impl Fate {
    fn holds(self, events: &Events, object: &Object) -> bool {
        let by = |position: u32| object.released.is_some_and(|event| event < position);
        match self {
            Fate::Any => true,
            Fate::LivesAt(position) => object.created < position && !by(position),
            Fate::ReleasedBy(position) => by(position),
            Fate::TemporaryBy(position) => {
                by(position) && object.released.is_some_and(|it| events.is_temporary(it))
            }
            Fate::Never => object.released.is_none(),
            Fate::ReleasedAt { bin, oldest } => object.release.is_some_and(|release| {
                let age = u128::from(release.since(object.creation).ns());
                age * AGES / (u128::from(oldest.ns()) + 1) == u128::from(bin)
            }),
        }
    }
}

/// Which objects are wanted.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Query {
    /// In words.
    pub title: String,
    /// The group that they are of, all for none.
    pub group: Option<u32>,
    /// The positions between which they were created.
    pub created: (u32, u32),
    pub fate: Fate,
}

choices! {
    /// A column of the list.
    #[derive(Default)]
    pub(super) enum Column {
        #[default]
        Created = "created";
        Released = "released";
        Age = "age";
        Size = "size";
        Type = "type";
        Stack = "created by";
    }
}

impl Column {
    pub(super) fn is_number(self) -> bool {
        !matches!(self, Column::Type | Column::Stack)
    }

    /// What is kept where there are too many.
    fn sequence(self) -> Sequence {
        match self {
            Column::Age => Sequence::Age,
            Column::Size => Sequence::Size,
            _ => Sequence::Creation,
        }
    }
}

/// What is listed, and how.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wish {
    pub query: Query,
    /// Which groups the query is about, as the view numbers them.
    pub groups: u64,
    /// Text in the name of the type or of a function of the stack.
    pub filter: String,
    /// By which column, and whether from the largest.
    pub sort: (Column, bool),
}

/// Objects, as they are listed.
#[derive(Clone, Debug, Default)]
pub(super) struct ObjectList {
    pub objects: Vec<Object>,
    /// How many there are, those left out among them.
    pub counted: u64,
    /// When the recording ends: the age of what lives until then.
    pub end: Time,
}

impl ObjectList {
    /// Finds the objects. O(events between the positions + objects log objects).
    pub(super) fn find(
        resolved: &Resolved,
        groups: &Arc<Groups>,
        wish: &Wish,
        progress: &Progress,
    ) -> Result<ObjectList, Cancelled> {
        let Some(memory) = &resolved.recording.memory else {
            return Ok(ObjectList::default());
        };
        let Some(events) = memory.events() else {
            return Ok(ObjectList::default());
        };
        let (from, to) = wish.query.created;
        progress.start("looking for the objects", 0);
        let mut cells = groups.holds(wish.query.group);
        keep_named(resolved, memory, &wish.filter, &mut cells);
        let keep = |object: &Object| {
            cells.get(object.cell as usize) == Some(&true) && wish.query.fate.holds(events, object)
        };
        let (column, descending) = wish.sort;
        let sequence = column.sequence();
        let (mut objects, counted) = events.objects((from, to), keep, sequence, MOST, progress)?;
        let end = last_time(events);
        sort(&mut objects, resolved, memory, column, end);
        if descending {
            objects.reverse();
        }
        Ok(ObjectList {
            objects,
            counted,
            end,
        })
    }

    pub(super) fn left_out(&self) -> u64 {
        self.counted.saturating_sub(self.objects.len() as u64)
    }

    /// Writes them as comma-separated values with a line of titles. Ends with an error when it is cancelled.
    pub(super) fn write_csv(
        &self,
        resolved: &Resolved,
        hierarchy: &Hierarchy,
        owners: &[Option<ModuleId>],
        out: impl Write,
        progress: &Progress,
    ) -> io::Result<()> {
        progress.start("writing the objects", self.objects.len() as u64);
        let mut out = csv::Writer::from_writer(out);
        out.write_record([
            "created_ns",
            "released_ns",
            "age_ns",
            "size_bytes",
            "type",
            "module",
            "stack",
            "thread",
        ])?;
        let Some(memory) = &resolved.recording.memory else {
            return out.flush();
        };
        for (place, object) in self.objects.iter().enumerate() {
            if place.is_multiple_of(4096) {
                progress.set(place as u64).map_err(io::Error::other)?;
            }
            let module = owners.get(object.cell as usize).copied().flatten();
            let module = module.map(|it| hierarchy.path(it)).unwrap_or_default();
            let release = object.release.map(|it| it.ns().to_string());
            let size = memory.sizes_known.then(|| object.size.to_string());
            out.write_record([
                object.creation.ns().to_string().as_str(),
                release.as_deref().unwrap_or_default(),
                &object.age(self.end).ns().to_string(),
                size.as_deref().unwrap_or_default(),
                &escape::cell(type_name(memory, object)),
                &escape::cell(&module),
                &escape::cell(&stack_text(resolved, memory, object, "; ")),
                &object.thread.0.to_string(),
            ])?;
        }
        out.flush()
    }
}

/// When the last event happens.
fn last_time(events: &Events) -> Time {
    let last = events.end().checked_sub(1);
    last.map_or(Time::ZERO, |event| events.time(event))
}

/// The name of an object's type; empty where it is not known.
pub(super) fn type_name<'a>(memory: &'a Memory, object: &Object) -> &'a str {
    memory
        .types
        .get(object.kind as usize)
        .map_or("", String::as_str)
}

/// The functions of the stack that created an object, innermost first.
pub(super) fn stack_text(
    resolved: &Resolved,
    memory: &Memory,
    object: &Object,
    between: &str,
) -> String {
    let functions = &resolved.recording.functions;
    let known = |it: &callscape_base::units::FunctionId| it.index() < functions.len();
    let of_stack = memory.stacks.functions(object.stack).filter(known);
    let names: Vec<&str> = of_stack.map(|it| functions.get(it).name).collect();
    names.join(between)
}

/// Leaves the cells whose type or one of whose functions has a name with this text in it.
fn keep_named(resolved: &Resolved, memory: &Memory, text: &str, cells: &mut [bool]) {
    let text = text.trim().to_lowercase();
    if text.is_empty() {
        return;
    }
    let functions = &resolved.recording.functions;
    let named: Vec<bool> = functions
        .ids()
        .map(|it| functions.get(it).name.to_lowercase().contains(&text))
        .collect();
    let kinds: Vec<bool> = memory
        .types
        .iter()
        .map(|it| it.to_lowercase().contains(&text))
        .collect();
    for (is_kept, cell) in cells.iter_mut().zip(memory.cells()) {
        let mut stack = memory.stacks.functions(cell.stack);
        *is_kept &= kinds.get(cell.kind as usize) == Some(&true)
            || stack.any(|it| named.get(it.index()) == Some(&true));
    }
}

/// From the least to the greatest; equals stay in order of their creation.
fn sort(objects: &mut [Object], resolved: &Resolved, memory: &Memory, column: Column, end: Time) {
    let functions = &resolved.recording.functions;
    objects.sort_by_key(|object| object.created);
    match column {
        Column::Created => {}
        Column::Released => objects.sort_by_key(|it| it.released.unwrap_or(u32::MAX)),
        Column::Age => objects.sort_by_key(|it| it.age(end)),
        Column::Size => objects.sort_by_key(|it| it.size),
        Column::Type => objects.sort_by(|a, b| type_name(memory, a).cmp(type_name(memory, b))),
        Column::Stack => {
            let name = |object: &Object| {
                let creator = memory.stacks.function(object.stack);
                let creator = creator.filter(|it| it.index() < functions.len());
                creator.map_or("", |it| functions.get(it).name)
            };
            objects.sort_by(|a, b| name(a).cmp(name(b)).then(a.stack.cmp(&b.stack)));
        }
    }
}

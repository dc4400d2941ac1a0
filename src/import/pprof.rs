//! pprof profiles. Specification: <https://github.com/google/pprof/blob/main/proto/profile.proto>.
//!
//! Read: every sample type as a value, the default one shown (the last where none is named); samples with
//! their locations, the functions inlined there as contexts of their own, and the lines that ran; functions with file and
//! first line;
//! the file that is mapped where a location lies as its library; `drop_frames` and `keep_frames`, applied as
//! pprof itself applies them. A location without function is named by its address.
//!
//! Not read: labels, times, comments, and the older formats of gperftools.
//!
//! Samples stand before the tables that they refer to: they are merged by location as they stream by, and
//! by function once all tables are known.

mod prune;
mod tables;

use std::collections::HashMap;

use super::error::ImportError;
use super::input::Input;
use super::protobuf::{Fields, Value as Field, is_text, varint};
use super::stream::Window;
use callscape_base::progress::Progress;
use callscape_base::units::{FunctionId, Unit};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::contexts::{Contexts, ContextsBuilder, NodeId};
use callscape_facts::functions::{Functions, NO_FRAMES};
use callscape_facts::hashing::BuildFast;
use callscape_facts::lines::{
    FileId, Knows, LineStackId, LineStacks, Lines, LinesBuilder, PlaceId,
};
use callscape_facts::profile::{Profile, Value, Weights};
use callscape_facts::recording::Recording;
use prune::{Prune, Pruning};
use tables::Tables;

/// The identifier in `info`.
pub(crate) const FORMAT: &str = "pprof";

/// Stands for the location of a sample without any: no table has it, for it is no id.
const NO_LOCATION: u64 = 0;

/// More sample types than any profiler writes; each costs memory in every context.
const MOST_VALUES: usize = 32;

/// How many contexts inlined functions may make, beyond one for each byte of the file: a small file can name
/// one location with many lines many times.
const FREE_CONTEXTS: u64 = 1 << 20;

/// Fields of a profile.
mod field {
    pub(super) const SAMPLE_TYPE: u32 = 1;
    pub(super) const SAMPLE: u32 = 2;
    pub(super) const MAPPING: u32 = 3;
    pub(super) const LOCATION: u32 = 4;
    pub(super) const FUNCTION: u32 = 5;
    pub(super) const STRING: u32 = 6;
    pub(super) const DROP_FRAMES: u32 = 7;
    pub(super) const KEEP_FRAMES: u32 = 8;
    pub(super) const PERIOD_TYPE: u32 = 11;
    pub(super) const COMMENT: u32 = 13;
    pub(super) const DEFAULT_SAMPLE_TYPE: u32 = 14;
    pub(super) const LAST: u32 = 15;
}

/// What profiles know of lines: values say how often they were found.
const KNOWS: Knows = Knows {
    sites: true,
    calls: false,
    totals: true,
    samples: false,
};

/// Whether the first bytes are fields that a profile has, in the order of any writer.
pub(crate) fn sniff(head: &[u8]) -> bool {
    if is_text(head) {
        return false;
    }
    let mut fields = Fields::new(head);
    // Fields that are made of fields, which a text is not; of these a type of values says the most.
    let (mut made, mut typed) = (0, false);
    for (number, value) in &mut fields {
        let fits = match (number, value) {
            (field::SAMPLE_TYPE | field::PERIOD_TYPE, Field::Bytes(bytes)) => is_value_type(bytes),
            (field::SAMPLE, Field::Bytes(bytes)) => has_fields(bytes, 1..=3),
            (field::MAPPING, Field::Bytes(bytes)) => has_fields(bytes, 1..=10),
            (field::LOCATION | field::FUNCTION, Field::Bytes(bytes)) => has_fields(bytes, 1..=5),
            (field::STRING, Field::Bytes(_)) => true,
            (field::COMMENT, Field::Bytes(_)) => true,
            (7..=field::LAST, Field::Number(_)) => true,
            _ => false,
        };
        if !fits {
            // So much before it is no accident: the file is damaged.
            return made >= 3;
        }
        typed |= matches!((number, value), (field::SAMPLE_TYPE, Field::Bytes(bytes)) if !bytes.is_empty());
        made += usize::from(number <= field::FUNCTION || number == field::PERIOD_TYPE);
    }
    let cut = fields.rest();
    let mut at = 0;
    let key = varint(cut, &mut at);
    let may_go_on = key.is_none_or(|key| (1..=u64::from(field::LAST)).contains(&(key >> 3)));
    (made > 1 || typed) && may_go_on || made > 0 && cut.is_empty()
}

fn is_value_type(bytes: &[u8]) -> bool {
    let mut fields = Fields::new(bytes);
    let numbers = fields.all(|(number, value)| number <= 2 && value.number().is_some());
    numbers && fields.rest().is_empty()
}

fn has_fields(bytes: &[u8], known: std::ops::RangeInclusive<u32>) -> bool {
    let mut fields = Fields::new(bytes);
    fields.all(|(number, _)| known.contains(&number)) && fields.rest().is_empty()
}

/// Reads the profile. O(size); memory for its tables and contexts.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut window = Window::open(input, progress, &reporter)?;
    let mut reader = Reader {
        reporter: &reporter,
        file: input.display().to_string(),
        offset: 0,
        types: Vec::new(),
        default_type: 0,
        tables: Tables::default(),
        numbers: HashMap::default(),
        locations: Vec::new(),
        samples: ContextsBuilder::new(0, &reporter),
        count: 0,
        drop: 0,
        keep: 0,
        stack: Vec::new(),
        values: Vec::new(),
    };
    reader.read(&mut window)?;
    reader.offset = window.offset();
    if reader.types.is_empty() {
        return Err(ImportError::malformed(
            Place::file(reader.file),
            "a profile's sample types",
            "none",
        ));
    }
    Ok(reader.finish(input))
}

struct Reader<'r> {
    reporter: &'r Reporter,
    file: String,
    /// Of the field at hand.
    offset: u64,
    /// Type and unit of each value, as numbers of texts.
    types: Vec<(u64, u64)>,
    default_type: u64,
    tables: Tables,
    /// By id, the place in `locations` of those that samples name.
    numbers: HashMap<u64, u32, BuildFast>,
    locations: Vec<u64>,
    /// Samples merged by location, which stand where functions will.
    samples: ContextsBuilder<'r>,
    /// How many samples there were.
    count: u64,
    drop: u64,
    keep: u64,
    /// Scratch: the locations and values of a sample.
    stack: Vec<u64>,
    values: Vec<i64>,
}

impl Reader<'_> {
    fn warn(&self, kind: &'static str) {
        self.reporter
            .warn(kind, || Place::offset(&self.file, self.offset));
    }

    /// Takes the fields as they stream by.
    fn read(&mut self, window: &mut Window<'_>) -> Result<(), ImportError> {
        loop {
            self.offset = window.offset();
            let data = window.data();
            if let Some((number, value, length)) = field_at(data) {
                match value {
                    Field::Number(value) => self.number(number, value),
                    Field::Bytes(bytes) => self.message(number, bytes),
                }
                window.consume(length);
                continue;
            }
            if data.len() >= MOST_HEADER && !is_cut(data) {
                let expected = "a field of a profile";
                let found = format!("the bytes {:02x?}", &data[..8]);
                return Err(ImportError::malformed(
                    window.place(self.offset),
                    expected,
                    found,
                ));
            }
            if !window.more()? {
                if !window.data().is_empty() {
                    self.warn("truncated-file");
                }
                return Ok(());
            }
        }
    }

    fn number(&mut self, number: u32, value: u64) {
        match number {
            field::DROP_FRAMES => self.drop = value,
            field::KEEP_FRAMES => self.keep = value,
            field::DEFAULT_SAMPLE_TYPE => self.default_type = value,
            _ => {}
        }
    }

    fn message(&mut self, number: u32, bytes: &[u8]) {
        let result = match number {
            field::SAMPLE_TYPE => {
                let mut of = (0, 0);
                for (number, value) in Fields::new(bytes) {
                    match (number, value) {
                        (1, Field::Number(text)) => of.0 = text,
                        (2, Field::Number(text)) => of.1 = text,
                        _ => {}
                    }
                }
                if self.types.len() < MOST_VALUES {
                    self.types.push(of);
                    Ok(())
                } else {
                    Err("too-many-values")
                }
            }
            field::SAMPLE => {
                self.sample(bytes);
                Ok(())
            }
            field::MAPPING => self.tables.add_mapping(bytes),
            field::LOCATION => self.tables.add_location(bytes),
            field::FUNCTION => self.tables.add_function(bytes),
            field::STRING => {
                self.tables.add_string(bytes);
                Ok(())
            }
            _ => Ok(()),
        };
        if let Err(kind) = result {
            self.warn(kind);
        }
    }

    fn sample(&mut self, message: &[u8]) {
        self.count += 1;
        let (mut stack, mut values) = (
            std::mem::take(&mut self.stack),
            std::mem::take(&mut self.values),
        );
        stack.clear();
        values.clear();
        let mut is_whole = true;
        let mut fields = Fields::new(message);
        for (number, value) in &mut fields {
            match (number, value) {
                (1, Field::Number(location)) => stack.push(location),
                (1, Field::Bytes(packed)) => {
                    is_whole &= numbers(packed, |location| stack.push(location));
                }
                (2, Field::Number(value)) => values.push(value as i64),
                (2, Field::Bytes(packed)) => {
                    is_whole &= numbers(packed, |value| values.push(value as i64));
                }
                _ => {}
            }
        }
        if !is_whole || !fields.rest().is_empty() {
            self.warn("malformed-sample");
        }
        if values.len() > MOST_VALUES {
            self.warn("too-many-values");
            values.truncate(MOST_VALUES);
        }
        while self.samples.values() < values.len() {
            self.samples.add_value();
        }
        let all = stack.len();
        stack.retain(|&location| location != NO_LOCATION);
        if stack.len() < all {
            self.warn("unknown-location");
        }
        let mut context = NodeId::ROOT;
        if stack.is_empty() {
            self.warn("empty-stack");
            stack.push(NO_LOCATION);
        }
        // Innermost first in the file.
        for &location in stack.iter().rev() {
            let next = self.locations.len() as u32;
            let number = *self.numbers.entry(location).or_insert(next);
            if number == next {
                self.locations.push(location);
            }
            let place = || Place::offset(&self.file, self.offset);
            context = self.samples.child(context, FunctionId(number), place);
        }
        for (value, &weight) in values.iter().enumerate() {
            // In a difference between two profiles.
            if weight < 0 {
                self.warn("negative-value");
            }
            // A weight of nothing still says that the context is there.
            self.samples.add(context, value, weight, || {
                Place::offset(&self.file, self.offset)
            });
        }
        (self.stack, self.values) = (stack, values);
    }

    fn finish(mut self, input: &Input) -> Recording {
        while self.samples.values() < self.types.len() {
            self.samples.add_value();
        }
        while self.types.len() < self.samples.values() {
            self.warn("value-without-type");
            self.types.push((0, 0));
        }
        let text = |number| {
            let text = self.tables.string(number).unwrap_or_default();
            crate::text::decode(text).0.into_owned()
        };
        let types = self.types.iter().enumerate();
        let (values, factors): (Vec<Value>, Vec<u64>) = types
            .map(|(index, &(name, unit))| {
                let name = match text(name) {
                    name if name.is_empty() => format!("value {}", index + 1),
                    name => name,
                };
                let (unit, factor) = unit_of(&name, &text(unit));
                (Value { name, unit }, factor)
            })
            .unzip();
        for (value, &factor) in factors.iter().enumerate() {
            if factor > 1 && !self.samples.scale(value, factor) {
                self.warn("weight-out-of-range");
            }
        }
        let default = text(self.default_type);
        let named = values.iter().position(|value| value.name == default);
        let shown = named.unwrap_or(values.len() - 1);
        let counted = values
            .iter()
            .position(|value| matches!(&*value.name, "samples" | "sample"));
        let samples = counted.map_or(self.count, |value| self.samples.size(value));
        let samples_by_location = std::mem::replace(
            &mut self.samples,
            ContextsBuilder::new(values.len(), self.reporter),
        );
        let by_location = samples_by_location.finish();
        let mut functions = Functions::default();
        let lines = self.merge_by_function(&by_location, &mut functions);
        drop(by_location);
        let weights = Weights::Contexts(self.samples.finish());
        let profile = Profile::new(values, shown, weights, functions.len());
        let (profile, warnings) = ((functions, profile), self.reporter.warnings());
        Recording::of_profile(input, FORMAT, samples, profile, warnings).with_lines(lines)
    }

    /// Fills `samples` with contexts of functions from those of locations, and gives what is known of lines.
    fn merge_by_function(
        &mut self,
        by_location: &Contexts,
        functions: &mut Functions,
    ) -> Option<Lines> {
        let text = |number| self.tables.string(number).unwrap_or_default();
        let mut prune = Prune::new(text(self.drop), text(self.keep)).unwrap_or_else(|()| {
            self.warn("invalid-drop-frames");
            None
        });
        // By location, where its functions lie in `all`, outermost first, and how it is pruned.
        let mut all: Vec<(FunctionId, PlaceId)> = Vec::new();
        let mut lines = LinesBuilder::new(by_location.values(), KNOWS);
        let mut at: Vec<(u32, u32, Pruning)> = Vec::with_capacity(self.locations.len());
        let mut found = Vec::new();
        for &location in &self.locations {
            found.clear();
            if location == NO_LOCATION {
                found.push((functions.intern(NO_FRAMES), 0));
            } else {
                let mut warn = |kind| self.warn(kind);
                self.tables
                    .functions_at(location, functions, &mut found, &mut warn);
            }
            let pruning = match &mut prune {
                Some(prune) => prune.of(self.tables.names_at(location)),
                None => Pruning::None,
            };
            let kept = match pruning {
                Pruning::Innermost(count) => found.len() - count,
                _ => found.len(),
            };
            at.push((all.len() as u32, kept as u32, pruning));
            let kept = found[..kept].iter();
            let place = |&(function, line): &(FunctionId, u32)| {
                (function, lines.place(function, FileId::OWN, line))
            };
            all.extend(kept.map(place));
        }
        let mut line_stacks = LineStacks::new(by_location.values());
        let mut budget = FREE_CONTEXTS.saturating_add(self.offset);
        let mut contexts: Vec<Merged> = Vec::with_capacity(by_location.len());
        for id in by_location.ids() {
            let around = match by_location.parent(id) {
                Some(parent) => contexts[parent.index()],
                None => Merged::default(),
            };
            let (first, count, pruning) = at[by_location.function(id).index()];
            let mut merged = around;
            if !around.is_pruned {
                let whole = pruning == Pruning::Whole && around.in_program;
                merged.is_pruned = pruning != Pruning::None && around.in_program;
                merged.in_program |= pruning == Pruning::None;
                if !whole && u64::from(count) > budget {
                    self.warn("context-left-out");
                    merged.is_pruned = true;
                } else if !whole {
                    budget -= u64::from(count);
                    let functions = &all[first as usize..(first + count) as usize];
                    for &(function, line) in functions {
                        let place = || Place::offset(&self.file, self.offset);
                        let child = self.samples.child(merged.node, function, place);
                        merged.node = child;
                        merged.lines = line_stacks.push(merged.lines, line);
                    }
                }
            }
            contexts.push(merged);
            for value in 0..by_location.values() {
                let weight = by_location.self_weight(value, id).weight();
                if weight != 0 && merged.node == NodeId::ROOT {
                    // All its locations are unknown.
                    let function = functions.intern(NO_FRAMES);
                    let place = || Place::offset(&self.file, self.offset);
                    let node = self.samples.child(NodeId::ROOT, function, place);
                    self.samples.add(node, value, weight, place);
                    let nowhere = lines.place(function, FileId::OWN, 0);
                    let alone = line_stacks.push(LineStackId::EMPTY, nowhere);
                    line_stacks.add(alone, value, weight);
                } else if weight != 0 {
                    let place = || Place::offset(&self.file, self.offset);
                    self.samples.add(merged.node, value, weight, place);
                    line_stacks.add(merged.lines, value, weight);
                }
            }
        }
        line_stacks.finish(&mut lines);
        lines.finish()
    }
}

/// What a context of locations has become.
#[derive(Clone, Copy, Default)]
struct Merged {
    /// The root where no function lies around or in it.
    node: NodeId,
    /// The same with the lines that ran.
    lines: LineStackId,
    /// What lies below belongs to it.
    is_pruned: bool,
    /// Something that is not to be left out lies around it: what stands before the first such is kept.
    in_program: bool,
}

/// A tag and a length take up to ten bytes each.
const MOST_HEADER: usize = 20;

/// The first field of `data`, and how long it is; none where it is cut or no field.
fn field_at(data: &[u8]) -> Option<(u32, Field<'_>, usize)> {
    let mut fields = Fields::new(data);
    let (number, value) = fields.next()?;
    Some((number, value, data.len() - fields.rest().len()))
}

/// Whether `data` begins like a field of bytes, which may go on behind it.
fn is_cut(data: &[u8]) -> bool {
    let mut at = 0;
    let key = varint(data, &mut at);
    let is_bytes =
        key.is_some_and(|key| key & 7 == 2 && (1..=u64::from(u32::MAX)).contains(&(key >> 3)));
    is_bytes && varint(data, &mut at).is_some_and(|length| length < u64::from(u32::MAX))
}

/// Hands on the numbers that are packed; whether all of them are whole.
fn numbers(packed: &[u8], mut take: impl FnMut(u64)) -> bool {
    let mut at = 0;
    while let Some(number) = varint(packed, &mut at) {
        take(number);
    }
    at == packed.len()
}

/// The unit of a value by its name, and what one of the file's is in it.
fn unit_of(name: &str, unit: &str) -> (Unit, u64) {
    match unit {
        "nanoseconds" | "nanosecond" | "ns" => (Unit::Nanoseconds, 1),
        "microseconds" | "microsecond" | "us" | "µs" => (Unit::Nanoseconds, 1_000),
        "milliseconds" | "millisecond" | "ms" => (Unit::Nanoseconds, 1_000_000),
        "seconds" | "second" | "s" => (Unit::Nanoseconds, 1_000_000_000),
        "bytes" | "byte" | "B" => (Unit::Bytes, 1),
        "kilobytes" | "kilobyte" | "kb" | "kB" | "KB" => (Unit::Bytes, 1 << 10),
        "megabytes" | "megabyte" | "mb" | "MB" => (Unit::Bytes, 1 << 20),
        "gigabytes" | "gigabyte" | "gb" | "GB" => (Unit::Bytes, 1 << 30),
        "count" | "" => (Unit::Things(name.to_owned()), 1),
        unit => (Unit::Things(unit.to_owned()), 1),
    }
}

//! The tables of a profile: strings, mappings, functions and locations by their ids.

use std::collections::HashMap;

use super::super::demangle::demangle;
use super::super::protobuf::{Fields, Value as Field};
use super::super::text;
use callscape_base::units::FunctionId;
use callscape_facts::functions::{Function, Functions};
use callscape_facts::hashing::BuildFast;

/// A function as the profile describes it; texts by their numbers.
#[derive(Clone, Copy, Default)]
struct Described {
    name: u64,
    system_name: u64,
    file: u64,
    line: u32,
}

/// A place in the code: the functions that run there, innermost first, as a range of all lines.
#[derive(Clone, Copy, Default)]
struct Location {
    mapping: u64,
    address: u64,
    first_line: u32,
    lines: u32,
}

/// The tables so far.
#[derive(Default)]
pub(super) struct Tables {
    /// All texts one behind the other, and where each ends.
    text: Vec<u8>,
    ends: Vec<usize>,
    /// By id, the file's name.
    mappings: HashMap<u64, u64, BuildFast>,
    functions: HashMap<u64, Described, BuildFast>,
    locations: HashMap<u64, Location, BuildFast>,
    /// The functions that run at locations, by id, and the lines in them; 0 where not known.
    lines: Vec<(u64, u32)>,
}

/// What a table's entry was not taken for.
pub(super) type Repair = &'static str;

impl Tables {
    pub(super) fn add_string(&mut self, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
        self.ends.push(self.text.len());
    }

    pub(super) fn add_mapping(&mut self, message: &[u8]) -> Result<(), Repair> {
        let (mut id, mut file) = (0, 0);
        for (number, value) in Fields::new(message) {
            match (number, value) {
                (1, Field::Number(number)) => id = number,
                (5, Field::Number(text)) => file = text,
                _ => {}
            }
        }
        insert(&mut self.mappings, id, file)
    }

    pub(super) fn add_function(&mut self, message: &[u8]) -> Result<(), Repair> {
        let mut id = 0;
        let mut function = Described::default();
        for (number, value) in Fields::new(message) {
            match (number, value) {
                (1, Field::Number(number)) => id = number,
                (2, Field::Number(text)) => function.name = text,
                (3, Field::Number(text)) => function.system_name = text,
                (4, Field::Number(text)) => function.file = text,
                (5, Field::Number(line)) => function.line = u32::try_from(line).unwrap_or(0),
                _ => {}
            }
        }
        insert(&mut self.functions, id, function)
    }

    pub(super) fn add_location(&mut self, message: &[u8]) -> Result<(), Repair> {
        let mut id = 0;
        let mut location = Location {
            first_line: self.lines.len() as u32,
            ..Location::default()
        };
        for (number, value) in Fields::new(message) {
            match (number, value) {
                (1, Field::Number(number)) => id = number,
                (2, Field::Number(mapping)) => location.mapping = mapping,
                (3, Field::Number(address)) => location.address = address,
                (4, Field::Bytes(line)) => {
                    let (mut function, mut running) = (0, 0);
                    for (number, value) in Fields::new(line) {
                        match (number, value) {
                            (1, Field::Number(id)) => function = id,
                            (2, Field::Number(line)) => running = u32::try_from(line).unwrap_or(0),
                            _ => {}
                        }
                    }
                    self.lines.push((function, running));
                    location.lines += 1;
                }
                _ => {}
            }
        }
        insert(&mut self.locations, id, location)
    }

    /// A text; none where the profile holds no such.
    pub(super) fn string(&self, number: u64) -> Option<&[u8]> {
        let number = usize::try_from(number).ok()?;
        let end = *self.ends.get(number)?;
        let start = match number.checked_sub(1) {
            Some(before) => self.ends[before],
            None => 0,
        };
        Some(&self.text[start..end])
    }

    /// The functions that run at a location with their lines, outermost first, into `found`; named by the address where
    /// none is known; nothing where there is no such location. What had to be repaired goes to `warn`.
    pub(super) fn functions_at(
        &self,
        id: u64,
        functions: &mut Functions,
        found: &mut Vec<(FunctionId, u32)>,
        warn: &mut impl FnMut(&'static str),
    ) {
        let Some(location) = self.locations.get(&id) else {
            warn("unknown-location");
            return;
        };
        let text = |number: u64, warn: &mut dyn FnMut(&'static str)| -> String {
            let Some(bytes) = self.string(number) else {
                if number != 0 {
                    warn("unknown-string");
                }
                return String::new();
            };
            let (text, is_sound) = text::checked(bytes);
            if !is_sound {
                warn("invalid-text");
            }
            text.into_owned()
        };
        let mapping = match location.mapping {
            0 => None,
            id => {
                let mapping = self.mappings.get(&id).copied();
                if mapping.is_none() {
                    warn("unknown-mapping");
                }
                mapping
            }
        };
        let library = mapping.map_or_else(String::new, |file| text(file, warn));
        let first = location.first_line as usize;
        let lines = &self.lines[first..first + location.lines as usize];
        for (id, running) in lines.iter().rev() {
            let function = match self.functions.get(id) {
                Some(function) => *function,
                None => {
                    warn("unknown-function");
                    Described::default()
                }
            };
            let mut name = text(function.name, warn);
            if name.is_empty() {
                name = text(function.system_name, warn);
            }
            let file = text(function.file, warn);
            let function = functions.intern(Function {
                name: &match name.is_empty() {
                    true => address(location.address),
                    // What the profiler has demangled itself is left as it is.
                    false if name.starts_with("_Z") || name.starts_with("_R") => demangle(&name),
                    false => name,
                },
                file: &file,
                line: function.line,
                library: &library,
            });
            found.push((function, *running));
        }
        if found.is_empty() {
            let function = functions.intern(Function {
                name: &address(location.address),
                library: &library,
                ..Function::default()
            });
            found.push((function, 0));
        }
    }

    /// The texts of the functions' names at a location, innermost first, as the profile has them.
    pub(super) fn names_at(&self, id: u64) -> impl DoubleEndedIterator<Item = &[u8]> {
        let location = self.locations.get(&id).copied().unwrap_or_default();
        let first = location.first_line as usize;
        let lines = &self.lines[first..first + location.lines as usize];
        lines.iter().map(|(id, _)| {
            let name = self.functions.get(id).map(|function| function.name);
            name.and_then(|name| self.string(name)).unwrap_or_default()
        })
    }
}

fn address(address: u64) -> String {
    format!("0x{address:x}")
}

/// Ids are for one entry each; the first counts.
fn insert<T>(table: &mut HashMap<u64, T, BuildFast>, id: u64, entry: T) -> Result<(), Repair> {
    if id == 0 {
        return Err("missing-id");
    }
    if table.contains_key(&id) {
        return Err("duplicate-id");
    }
    table.insert(id, entry);
    Ok(())
}

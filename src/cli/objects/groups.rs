//! Whose objects are counted together: the entries of the answer.

use std::collections::HashMap;
use std::path::Path;

use super::answers::Answer;
use super::args::{By, Owner};
use super::document::{Document, Entry};
use callscape_analysis::mapping::Mapping;
use callscape_analysis::session::{Resolved, Session};
use callscape_base::units::{FunctionId, Unit};
use callscape_facts::memory::{Cell, Memory, SumRow};

/// How many functions of objects that no entry matches are named.
const LISTED: usize = 10;

/// Marks a cell that belongs to no group.
const NONE: usize = usize::MAX;

/// Cells put together.
pub(super) struct Groups {
    /// By cell its group, or [`NONE`].
    of: Vec<usize>,
    /// Name, module and stack.
    names: Vec<(String, String, Option<Vec<String>>)>,
}

impl Groups {
    pub(super) fn of(by: By, memory: &Memory, session: &Session, resolved: &Resolved) -> Groups {
        let functions = &resolved.recording.functions;
        let name = |function: FunctionId| functions.get(function).name.to_owned();
        let module =
            |function: FunctionId| resolved.resolution.modules.get(function.index()).copied();
        let path = |cell: &Cell, around: bool| {
            let module = memory.creator(*cell).and_then(module);
            let module = match around {
                true => module.map(|it| session.hierarchy.parent(it).unwrap_or(it)),
                false => module,
            };
            module.map_or_else(String::new, |it| session.hierarchy.path(it))
        };
        let mut ids: HashMap<(String, u32), usize> = HashMap::new();
        let mut names = Vec::new();
        let of = memory.cells().iter().map(|cell| {
            let creator = memory.creator(*cell);
            let key = match by {
                By::Module => (path(cell, true), 0),
                By::Function => (String::new(), creator.map_or(u32::MAX, |it| it.0)),
                By::Context => (String::new(), cell.stack.0),
                By::Type => (String::new(), cell.kind),
            };
            *ids.entry(key).or_insert_with(|| {
                let function = creator.map_or_else(String::new, name);
                names.push(match by {
                    By::Module => (path(cell, true), path(cell, true), None),
                    By::Function => (function, path(cell, false), None),
                    By::Context => {
                        let mut stack: Vec<String> =
                            memory.stacks.functions(cell.stack).map(name).collect();
                        stack.reverse();
                        (function, path(cell, false), Some(stack))
                    }
                    By::Type => {
                        let kind = memory.types.get(cell.kind as usize).cloned();
                        (kind.unwrap_or_default(), String::new(), None)
                    }
                });
                names.len() - 1
            })
        });
        let of = of.collect();
        Groups { of, names }
    }

    /// Groups by the entities of a mapping file. Lists functions that match no entry, and entries that match nothing,
    /// on standard error.
    pub(super) fn of_entities(
        path: &Path,
        owner: Owner,
        memory: &Memory,
        session: &Session,
        resolved: &Resolved,
    ) -> anyhow::Result<Groups> {
        let file = path.display();
        let mapping = Mapping::open(path)?;
        let functions = &resolved.recording.functions;
        let modules = &resolved.resolution.modules;
        let by_class = owner == Owner::Class;
        let mapped =
            mapping.apply_to_objects(memory, (functions, modules), &session.hierarchy, by_class);
        let mut without: Vec<String> = Vec::new();
        let cells = memory.cells().iter().zip(&mapped.entities);
        for (cell, _) in cells.filter(|(_, entity)| entity.is_none()) {
            let kind = memory.types.get(cell.kind as usize);
            let class = kind.filter(|name| !name.is_empty() && by_class);
            let creator = memory.creator(*cell).map(|it| functions.get(it).name);
            let name = match (class, creator) {
                (Some(class), _) => class.clone(),
                (None, creator) => creator.unwrap_or("objects without a stack").to_owned(),
            };
            if !without.contains(&name) {
                without.push(name);
            }
        }
        if !without.is_empty() {
            let more = match without.len().saturating_sub(LISTED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            without.truncate(LISTED);
            say!(
                "{file}: excluded, as no entry matches: objects of {}{more}",
                without.join(", ")
            );
        }
        for (line, entry) in &mapped.unused {
            say!("{file}, line {line}: matches no function and no class: {entry}");
        }
        let names = mapping.entities().iter();
        Ok(Groups {
            of: mapped
                .entities
                .iter()
                .map(|entity| entity.unwrap_or(NONE))
                .collect(),
            names: names
                .map(|name| (name.clone(), name.clone(), None))
                .collect(),
        })
    }

    pub(super) fn document(self, memory: &Memory, answer: Answer<'_>) -> Document {
        let mut sums = vec![None; self.names.len()];
        for (&group, &row) in self.of.iter().zip(answer.rows.iter()) {
            let sum: Option<&mut Option<SumRow>> = sums.get_mut(group);
            if let Some(sum) = sum {
                *sum = Some(sum.map_or(row, |sum| sum.plus(row)));
            }
        }
        let rows = self.names.into_iter().zip(sums);
        let known = rows.filter_map(|(names, sum)| Some((names, sum?)));
        let mut entries: Vec<Entry> = known
            .map(|((name, module, stack), sum)| Entry {
                name,
                module,
                stack,
                allocations: sum.allocations,
                bytes_allocated: sum.allocated,
                live: sum.live,
                live_bytes: sum.live_bytes,
            })
            .filter(|it| {
                let amounts = [it.allocations, it.bytes_allocated, it.live, it.live_bytes];
                amounts.iter().any(|it| it.is_some_and(|it| it > 0))
            })
            .collect();
        let peak = answer.peak.map(|(most, _)| most);
        // Equals stay in the order of their first appearance.
        entries.sort_by_key(|it| {
            let bytes = (it.live_bytes, it.bytes_allocated);
            std::cmp::Reverse((bytes, it.live, it.allocations))
        });
        Document {
            at_ns: answer.at,
            detail: memory.detail,
            time_unit: match &memory.clock {
                Unit::Nanoseconds => None,
                unit => Some(unit.name().into_owned()),
            },
            allocations: answer.whole.allocations,
            bytes_allocated: answer.whole.allocated,
            temporary: answer.temporary,
            peak_bytes: peak.filter(|_| memory.sizes_known),
            peak_live: peak.filter(|_| !memory.sizes_known),
            peak_ns: answer.peak.map(|(_, at)| at),
            live: answer.whole.live,
            live_bytes: answer.whole.live_bytes,
            entries_known: !answer.rows.is_empty() || memory.cells().is_empty(),
            entries,
            released: None,
        }
    }
}

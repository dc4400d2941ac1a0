//! V8's heap snapshots, `.heapsnapshot` and `.heaptimeline`. Specification: `HeapSnapshotJSONSerializer` of
//! <https://github.com/v8/v8/blob/main/src/profiler/heap-snapshot-generator.cc>; fields are found by their names in
//! `snapshot.meta`.
//!
//! Read are the nodes: their types, own sizes, and, if allocations were tracked, the stacks that allocated them
//! (`trace_node_id` in `trace_tree`, `trace_function_infos`). The type of an object is the name of its class, that of
//! others the name of their kind, as DevTools show it. Not read: edges, so that it is not known what keeps an object, and
//! what was allocated and freed while allocations were tracked.
//!
//! Nodes stream by and are added up by type and stack. Of the strings, which stand last, only those are kept that name
//! something.

use std::collections::{HashMap, HashSet};

use super::document::{self, Document, Next};
use super::error::ImportError;
use super::input::Input;
use callscape_base::progress::Progress;
use callscape_base::units::Unit;
use callscape_base::warnings::Reporter;
use callscape_facts::functions::{Function, Functions};
use callscape_facts::hashing::BuildFast;
use callscape_facts::memory::{Cells, Detail, Instant, Memory, StackId, SumRow, Sums};
use callscape_facts::recording::Recording;

/// The identifier in `info`.
pub(crate) const FORMAT: &str = "heapsnapshot";

/// Whether it names the fields of nodes.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let paths = document::paths(head);
    paths.iter().any(|path| path == "snapshot.meta.node_fields")
}

/// Reads the snapshot. O(size).
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut document = Document::open(input, progress, &reporter)?;
    let mut reader = Reader::default();
    if document.object()? {
        while let Some(key) = document.member()? {
            match key {
                b"snapshot" => reader.snapshot(&mut document)?,
                b"nodes" => reader.nodes(&mut document)?,
                b"trace_function_infos" => reader.infos(&mut document)?,
                b"trace_tree" => reader.tree(&mut document)?,
                b"strings" => reader.strings(&mut document)?,
                _ => document.skip()?,
            }
        }
    }
    document.close()?;
    if reader.sums.is_empty() {
        return Err(document.error("a member nodes with nodes", "none"));
    }
    let (functions, memory) = reader.finish(&document);
    let warnings = reporter.warnings();
    Ok(Recording::of_memory(
        input, FORMAT, functions, memory, warnings,
    ))
}

/// Which nodes are added up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Key {
    kind: u32,
    /// The string that names the class, 0 of other kinds.
    name: u32,
    trace: u32,
}

/// A function that has allocated something: its name and file are strings.
#[derive(Clone, Copy, Default)]
struct Info {
    name: u32,
    file: u32,
    line: u32,
    column: u32,
}

/// A node of the tree of stacks.
struct Trace {
    id: u32,
    info: u32,
    around: Option<usize>,
}

#[derive(Default)]
struct Reader {
    node_fields: Vec<String>,
    info_fields: Vec<String>,
    trace_fields: Vec<String>,
    kinds: Vec<String>,
    /// How many nodes, and their bytes.
    sums: HashMap<Key, (u64, u64), BuildFast>,
    infos: Vec<Info>,
    /// Those around others come first.
    traces: Vec<Trace>,
    strings: HashMap<u32, String, BuildFast>,
}

/// The kinds that have classes.
const WITH_CLASSES: [&str; 2] = ["object", "native"];

/// The place of a field; none where there is none of this name.
fn field(fields: &[String], name: &str) -> Option<usize> {
    fields.iter().position(|it| it == name)
}

/// Hands on rows of `width` numbers; a part of a row at the end is counted.
fn rows(
    document: &mut Document<'_>,
    width: usize,
    mut take: impl FnMut(&[i64]),
) -> Result<(), ImportError> {
    if width == 0 || !document.array()? {
        return document.skip();
    }
    let mut row = Vec::with_capacity(width);
    loop {
        document.integers(|number| {
            row.push(number);
            if row.len() == width {
                take(&row);
                row.clear();
            }
        })?;
        if !document.element()? {
            break;
        }
        row.push(document.amount()?.unwrap_or(0));
        if row.len() == width {
            take(&row);
            row.clear();
        }
    }
    if !row.is_empty() {
        document.warn("incomplete-row");
    }
    Ok(())
}

fn texts(document: &mut Document<'_>) -> Result<Vec<String>, ImportError> {
    let mut texts = Vec::new();
    if document.array()? {
        while document.element()? {
            texts.push(document.text()?);
        }
    }
    Ok(texts)
}

fn unsigned(number: Option<&i64>) -> u32 {
    number
        .and_then(|&it| u32::try_from(it).ok())
        .unwrap_or_default()
}

impl Reader {
    fn snapshot(&mut self, document: &mut Document<'_>) -> Result<(), ImportError> {
        if !document.object()? {
            return Ok(());
        }
        while let Some(key) = document.member()? {
            if key != b"meta" {
                document.skip()?;
                continue;
            }
            if !document.object()? {
                continue;
            }
            while let Some(key) = document.member()? {
                match key {
                    b"node_fields" => self.node_fields = texts(document)?,
                    b"trace_function_info_fields" => self.info_fields = texts(document)?,
                    b"trace_node_fields" => self.trace_fields = texts(document)?,
                    b"node_types" => self.node_types(document)?,
                    _ => document.skip()?,
                }
            }
        }
        Ok(())
    }

    /// The first of the types of fields is the list of kinds.
    fn node_types(&mut self, document: &mut Document<'_>) -> Result<(), ImportError> {
        if document.array()? {
            while document.element()? {
                if self.kinds.is_empty() && document.next()? == Next::Array {
                    self.kinds = texts(document)?;
                } else {
                    document.skip()?;
                }
            }
        }
        Ok(())
    }

    fn nodes(&mut self, document: &mut Document<'_>) -> Result<(), ImportError> {
        let fields = &self.node_fields;
        let of = |name: &str| field(fields, name);
        let (Some(kind), Some(name), Some(size)) = (of("type"), of("name"), of("self_size")) else {
            let expected = "snapshot.meta.node_fields with type, name and self_size";
            return Err(document.error(expected, fields.join(", ")));
        };
        let trace = of("trace_node_id");
        let has_class = |kind: &String| WITH_CLASSES.contains(&kind.as_str());
        let has_class: Vec<bool> = self.kinds.iter().map(has_class).collect();
        let sums = &mut self.sums;
        let mut negative = 0;
        rows(document, fields.len(), |row| {
            let kind = unsigned(row.get(kind));
            let is_class = has_class.get(kind as usize) == Some(&true);
            let key = Key {
                kind,
                name: if is_class { unsigned(row.get(name)) } else { 0 },
                trace: trace.map_or(0, |at| unsigned(row.get(at))),
            };
            let bytes = row.get(size).copied().unwrap_or(0);
            negative += u64::from(bytes < 0);
            let sum = sums.entry(key).or_default();
            sum.0 += 1;
            sum.1 = sum.1.saturating_add(u64::try_from(bytes).unwrap_or(0));
        })?;
        document.warn_many("negative-size", negative);
        Ok(())
    }

    fn infos(&mut self, document: &mut Document<'_>) -> Result<(), ImportError> {
        let fields = &self.info_fields;
        let of = |name: &str| field(fields, name);
        let [name, file, line, column] = ["name", "script_name", "line", "column"].map(of);
        let infos = &mut self.infos;
        rows(document, fields.len(), |row| {
            let at = |field: Option<usize>| unsigned(field.and_then(|it| row.get(it)));
            infos.push(Info {
                name: at(name),
                file: at(file),
                line: at(line),
                column: at(column),
            });
        })
    }

    /// The tree of stacks: rows of numbers, the last of which is an array of further rows.
    fn tree(&mut self, document: &mut Document<'_>) -> Result<(), ImportError> {
        let of = |name: &str| field(&self.trace_fields, name);
        let (id, info, inner) = (of("id"), of("function_info_index"), of("children"));
        let (Some(id), Some(info), Some(inner)) = (id, info, inner) else {
            return document.skip();
        };
        let width = self.trace_fields.len();
        if !document.array()? {
            return Ok(());
        }
        /// An open array of rows: the node around it, the field that comes next, and the node of that row.
        struct Open {
            around: Option<usize>,
            next: usize,
            node: usize,
        }
        let begun = |around| Open {
            around,
            next: 0,
            node: 0,
        };
        let mut open = vec![begun(None)];
        while let Some(at) = open.last_mut() {
            if !document.element()? {
                open.pop();
                continue;
            }
            if at.next == 0 {
                at.node = self.traces.len();
                self.traces.push(Trace {
                    id: 0,
                    info: 0,
                    around: at.around,
                });
            }
            let (field, node) = (at.next, at.node);
            at.next = (at.next + 1) % width;
            if field == inner {
                if document.array()? {
                    open.push(begun(Some(node)));
                }
                continue;
            }
            let number = document.index()?.unwrap_or(0);
            if field == id {
                self.traces[node].id = number;
            } else if field == info {
                self.traces[node].info = number;
            }
        }
        Ok(())
    }

    /// Keeps the strings that name something.
    fn strings(&mut self, document: &mut Document<'_>) -> Result<(), ImportError> {
        let names = self.sums.keys().map(|key| key.name);
        let infos = self.infos.iter().flat_map(|it| [it.name, it.file]);
        let wanted: HashSet<u32, BuildFast> = names.chain(infos).collect();
        // Should nodes come later.
        let all = self.sums.is_empty();
        if !document.array()? {
            return Ok(());
        }
        let mut number = 0;
        while document.element()? {
            if all || wanted.contains(&number) {
                let text = document.text()?;
                self.strings.insert(number, text);
            } else {
                document.skip()?;
            }
            number = number.saturating_add(1);
        }
        Ok(())
    }

    fn string(&self, number: u32, document: &Document<'_>) -> &str {
        match self.strings.get(&number) {
            Some(text) => text,
            None => {
                document.warn("unknown-string");
                ""
            }
        }
    }

    /// The name of what nodes of a key are.
    fn kind(&self, key: Key, document: &Document<'_>) -> String {
        match self.kinds.get(key.kind as usize).map(String::as_str) {
            Some(kind) if WITH_CLASSES.contains(&kind) => {
                let name = self.string(key.name, document);
                if name.is_empty() { "(unnamed)" } else { name }.to_owned()
            }
            Some("hidden") => "(system)".to_owned(),
            Some("code") => "(compiled code)".to_owned(),
            Some(kind) => format!("({kind})"),
            None => {
                document.warn("unknown-type");
                "(unknown)".to_owned()
            }
        }
    }

    /// By id of a node of the tree, its stack.
    fn stacks(
        &self,
        functions: &mut Functions,
        cells: &mut Cells,
        document: &Document<'_>,
    ) -> HashMap<u32, StackId, BuildFast> {
        let infos = self.infos.iter().map(|info| {
            let function = Function {
                name: match self.string(info.name, document) {
                    "" => "(anonymous)",
                    name => name,
                },
                file: self.string(info.file, document),
                line: info.line,
                library: "",
            };
            let file = function.file.strip_prefix("file://");
            let function = Function {
                file: file.unwrap_or(function.file),
                library: match function.file.starts_with("node:") {
                    true => "node",
                    false => "",
                },
                ..function
            };
            functions.intern_at(function, info.column)
        });
        let infos: Vec<_> = infos.collect();
        let mut stacks = vec![StackId::EMPTY; self.traces.len()];
        let mut by_id = HashMap::default();
        for (number, trace) in self.traces.iter().enumerate() {
            let around = trace.around.map_or(StackId::EMPTY, |it| stacks[it]);
            stacks[number] = match (trace.around, infos.get(trace.info as usize)) {
                // The root is no function.
                (None, _) => around,
                (Some(_), Some(&function)) => cells.stack(around, function),
                (Some(_), None) => {
                    document.warn("unknown-function");
                    around
                }
            };
            by_id.entry(trace.id).or_insert(stacks[number]);
        }
        by_id
    }

    fn finish(self, document: &Document<'_>) -> (Functions, Memory) {
        let mut functions = Functions::default();
        let mut cells = Cells::default();
        let stacks = self.stacks(&mut functions, &mut cells, document);
        let mut keys: Vec<(Key, (u64, u64))> = self.sums.iter().map(|it| (*it.0, *it.1)).collect();
        keys.sort_unstable();
        let mut types = vec![String::new()];
        let mut numbers: HashMap<(u32, u32), u32, BuildFast> = HashMap::default();
        let mut by_name: HashMap<String, u32> = HashMap::new();
        let mut rows: Vec<SumRow> = Vec::new();
        for (key, (count, bytes)) in keys {
            let kind = *numbers.entry((key.kind, key.name)).or_insert_with(|| {
                let name = self.kind(key, document);
                *by_name.entry(name.clone()).or_insert_with(|| {
                    types.push(name);
                    types.len() as u32 - 1
                })
            });
            let stack = match key.trace {
                // Before allocations were tracked.
                0 => StackId::EMPTY,
                trace => stacks.get(&trace).copied().unwrap_or_else(|| {
                    document.warn_many("unknown-stack", count);
                    StackId::EMPTY
                }),
            };
            let cell = cells.cell(stack, kind) as usize;
            let row = |live, live_bytes| SumRow {
                live: Some(live),
                live_bytes: Some(live_bytes),
                ..SumRow::default()
            };
            rows.resize(rows.len().max(cell + 1), row(0, 0));
            rows[cell] = rows[cell].plus(row(count, bytes));
        }
        let (stacks, cells) = cells.finish();
        let sums = Sums {
            cells,
            instants: vec![Instant::new(0, rows)],
            peak: None,
        };
        let memory = Memory {
            types,
            ..Memory::of_sums(Detail::Sums, Unit::Nanoseconds, stacks, sums)
        };
        (functions, memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::made;
    use callscape_facts::memory::Known;

    const TRACKED: &str = r#"{"snapshot":{"meta":{"node_fields":["type","name","id","self_size","edge_count","trace_node_id","detachedness"],
"node_types":[["hidden","array","string","object","code","native"],"string","number","number","number","number","number"],
"trace_function_info_fields":["function_id","name","script_name","script_id","line","column"],
"trace_node_fields":["id","function_info_index","count","size","children"]},"node_count":5,"edge_count":0,"trace_function_count":3},
"nodes":[3,1,1,16,0,3,0,3,1,3,24,0,3,0
,1,4,5,100,0,2,0,0,5,7,8,0,0,0,3,2,9,32,0,9,0],
"edges":[],
"trace_function_infos":[0,2,0,0,0,0,1,3,6,5,7,2,2,0,6,5,9,4],
"trace_tree":[1,0,0,0,[2,1,1,100,[3,2,2,40,[]]]],
"samples":[],"locations":[],
"strings":["","Item","(root)","main","list","x","file:///a.js"]}"#;

    /// By type and stack, innermost function first: objects and bytes.
    fn cells(recording: &Recording) -> Vec<String> {
        let memory = recording.memory.as_ref().expect("memory");
        let Known::Sums(sums) = &memory.known else {
            panic!("sums");
        };
        let rows = sums.cells.iter().zip(sums.last());
        let mut cells: Vec<String> = rows
            .map(|(cell, row)| {
                let functions = memory.stacks.functions(cell.stack);
                let names = functions.map(|it| {
                    let it = recording.functions.get(it);
                    format!(" {}@{}:{}", it.name, it.file, it.line)
                });
                format!(
                    "{} {:?} {:?}{}",
                    memory.types[cell.kind as usize],
                    row.live.unwrap_or(0),
                    row.live_bytes.unwrap_or(0),
                    names.collect::<String>()
                )
            })
            .collect();
        cells.sort();
        cells
    }

    #[test]
    fn objects_are_added_up_by_type_and_stack() {
        let recording = made::found(FORMAT, TRACKED.as_bytes());
        assert_eq!(
            cells(&recording),
            [
                "(array) 1 100 main@/a.js:7",
                "(root) 1 32",
                "(system) 1 8",
                "Item 2 40 (anonymous)@/a.js:9 main@/a.js:7",
            ]
        );
        assert_eq!(made::kinds(&recording), ["unknown-stack"]);
    }

    #[test]
    fn strings_may_come_first() {
        let strings = r#""strings":["","Item","(root)","main","list","x","file:///a.js"]"#;
        let moved = TRACKED.replace(&format!(",\n{strings}"), "");
        let moved = moved.replace("\"nodes\":", &format!("{strings},\"nodes\":"));
        let recordings = [TRACKED, &moved].map(|it| made::read(import, it.as_bytes()));
        let [a, b] = recordings.map(|it| cells(&it.expect("a recording")));
        assert_eq!(a, b);
    }

    #[test]
    fn cut_and_damaged_snapshots_are_borne() {
        made::survives(import, TRACKED.as_bytes());
    }

    #[test]
    fn a_real_snapshot_has_all_of_its_bytes() {
        let path = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../tests/data/import/heapsnapshot/items.heapsnapshot.gz"
        );
        let recording = import(&Input::on_disk(path.into()), &Progress::new());
        let recording = recording.expect("a recording");
        assert!(recording.warnings.is_empty(), "{:?}", recording.warnings);
        let memory = recording.memory.expect("memory");
        let Known::Sums(sums) = &memory.known else {
            panic!("sums");
        };
        let whole = sums.instants.last().expect("an instant").whole;
        assert_eq!((whole.live, whole.live_bytes), (Some(605), Some(27_024)));
        let items = sums.cells.iter().zip(sums.last());
        let items = items.filter(|(cell, _)| memory.types[cell.kind as usize] == "Item");
        let made: Vec<_> = items
            .map(|(cell, row)| {
                let by = memory
                    .creator(*cell)
                    .map(|it| recording.functions.get(it).name);
                (by, row.live)
            })
            .collect();
        assert_eq!(made, [(Some("make"), Some(50))]);
    }
}

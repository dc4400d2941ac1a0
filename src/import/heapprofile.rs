//! V8's sampled heap profiles, `.heapprofile`. Specification: the DevTools protocol, type
//! `HeapProfiler.SamplingHeapProfile`,
//! <https://chromedevtools.github.io/devtools-protocol/tot/HeapProfiler/#type-SamplingHeapProfile>.
//!
//! Read are the nodes, a tree of call frames below `head`, with the bytes of the sampled objects that live at the end
//! (`selfSize`), scaled by V8 to what all objects take. There are no times and no counts of objects. Not read: `samples`,
//! which tell the same bytes by size.

use super::document::{self, Document};
use super::error::ImportError;
use super::input::Input;
use callscape_base::progress::Progress;
use callscape_base::units::{FunctionId, Unit};
use callscape_base::warnings::Reporter;
use callscape_facts::functions::{Function, Functions};
use callscape_facts::memory::{Cells, Detail, Instant, Memory, StackId, SumRow, Sums};
use callscape_facts::recording::Recording;

/// The identifier in `info`.
pub(crate) const FORMAT: &str = "heapprofile";

/// Whether it is a tree of call frames that weigh bytes.
pub(crate) fn sniff(head: &[u8]) -> bool {
    let paths = document::paths(head);
    let has = |wanted: &str| paths.iter().any(|path| path == wanted);
    has("head.callFrame") && (has("head.selfSize") || !has("head.hitCount"))
}

/// A node: its function, the node around it, and what it weighs.
#[derive(Default)]
struct Node {
    function: Option<FunctionId>,
    around: Option<usize>,
    bytes: u64,
}

/// What is open while the tree is read.
enum Open {
    Node(usize),
    Children(usize),
}

/// Reads the tree. O(size), whatever its depth.
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut document = Document::open(input, progress, &reporter)?;
    let (mut functions, mut nodes) = (Functions::default(), Vec::new());
    if document.object()? {
        while let Some(key) = document.member()? {
            match key {
                b"head" => tree(&mut document, &mut functions, &mut nodes)?,
                _ => document.skip()?,
            }
        }
    }
    document.close()?;
    if nodes.is_empty() {
        return Err(document.error("a member head with a node", "none"));
    }
    let mut cells = Cells::default();
    let mut stacks: Vec<StackId> = Vec::with_capacity(nodes.len());
    let mut rows: Vec<SumRow> = Vec::new();
    for node in &nodes {
        // Those around come first.
        let around = node
            .around
            .and_then(|it| stacks.get(it))
            .copied()
            .unwrap_or_default();
        let stack = node.function.map_or(around, |it| cells.stack(around, it));
        stacks.push(stack);
        if node.bytes == 0 {
            continue;
        }
        let cell = cells.cell(stack, 0) as usize;
        let nothing = SumRow {
            live_bytes: Some(0),
            ..SumRow::default()
        };
        rows.resize(rows.len().max(cell + 1), nothing);
        rows[cell] = rows[cell].plus(SumRow {
            live_bytes: Some(node.bytes),
            ..SumRow::default()
        });
    }
    let (stacks, cells) = cells.finish();
    let sums = Sums {
        cells,
        instants: vec![Instant::new(0, rows)],
        peak: None,
    };
    let memory = Memory::of_sums(Detail::Samples, Unit::Nanoseconds, stacks, sums);
    Ok(Recording::of_memory(
        input,
        FORMAT,
        functions,
        memory,
        reporter.warnings(),
    ))
}

/// Reads the node that stands next, with all below it.
fn tree(
    document: &mut Document<'_>,
    functions: &mut Functions,
    nodes: &mut Vec<Node>,
) -> Result<(), ImportError> {
    if !document.object()? {
        return Ok(());
    }
    nodes.push(Node::default());
    let mut open = vec![Open::Node(nodes.len() - 1)];
    while let Some(innermost) = open.last() {
        match *innermost {
            Open::Node(node) => match document.member()? {
                None => {
                    open.pop();
                }
                Some(b"callFrame") => nodes[node].function = frame(document, functions)?,
                Some(b"selfSize") => nodes[node].bytes = document.size()?,
                Some(b"children") => {
                    if document.array()? {
                        open.push(Open::Children(node));
                    }
                }
                Some(_) => document.skip()?,
            },
            Open::Children(around) => {
                if !document.element()? {
                    open.pop();
                } else if document.object()? {
                    nodes.push(Node {
                        around: Some(around),
                        ..Node::default()
                    });
                    open.push(Open::Node(nodes.len() - 1));
                }
            }
        }
    }
    Ok(())
}

/// The function of a call frame; none of the root.
fn frame(
    document: &mut Document<'_>,
    functions: &mut Functions,
) -> Result<Option<FunctionId>, ImportError> {
    let (mut name, mut url, mut line, mut column) = (String::new(), String::new(), None, None);
    if !document.object()? {
        return Ok(None);
    }
    while let Some(key) = document.member()? {
        match key {
            b"functionName" => name = document.text()?,
            b"url" => url = document.text()?,
            b"lineNumber" => line = document.amount()?,
            b"columnNumber" => column = document.amount()?,
            _ => document.skip()?,
        }
    }
    if name == "(root)" {
        return Ok(None);
    }
    // From 0 in the file, and -1 where unknown.
    let from_one = |number: Option<i64>| {
        let number = number.and_then(|it| it.checked_add(1)).unwrap_or(0);
        u32::try_from(number).unwrap_or(0)
    };
    let file = url.strip_prefix("file://").unwrap_or(&url);
    let function = Function {
        name: match name.as_str() {
            "" => "(anonymous)",
            name => name,
        },
        file,
        line: from_one(line),
        library: if url.starts_with("node:") { "node" } else { "" },
    };
    Ok(Some(functions.intern_at(function, from_one(column))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_facts::memory::Known;

    #[test]
    fn what_lives_at_the_end_of_a_real_recording() {
        let path = concat!(
            concat!(env!("CARGO_MANIFEST_DIR"), "/../.."),
            "/tests/data/import/heapprofile/parse.heapprofile.gz"
        );
        let input = Input::on_disk(path.into());
        let recording = import(&input, &Progress::new()).expect("a recording");
        assert!(recording.warnings.is_empty(), "{:?}", recording.warnings);
        let memory = recording.memory.expect("memory");
        let Known::Sums(sums) = &memory.known else {
            panic!("sums");
        };
        let end = sums.instants.last().expect("the end");
        assert_eq!((end.whole.live_bytes.unwrap_or(0), end.time), (330_640, 0));
        for instant in sums.instants.iter().filter(|it| !it.cells.is_empty()) {
            let cells: u64 = instant.cells.iter().filter_map(|it| it.live_bytes).sum();
            assert_eq!(Some(cells), instant.whole.live_bytes);
        }
    }
}

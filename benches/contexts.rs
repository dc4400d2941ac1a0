//! Calling contexts: the tree of a trace of `CALLS` calls (a million by default) held against reading all its calls once;
//! merging its recursion; what is remarkable about it, found from its index; why two such traces differ, held against
//! opening them and making the tables; and the layout of a ring chart of 2.17 million contexts (Eclipse in table I of the
//! paper on calling context ring charts, where it takes 14 to 204 ms), held against reading that tree once. Expanding and
//! compacting one node of a compacted call tree of a million contexts, held against compacting all of it anew.
//!
//! Run with `CALLS=100000000 cargo bench --bench contexts`. Least times of five, in one process.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use callscape::analysis::compaction::{Compaction, Direction, Names, Tree as Compactable};
use callscape::analysis::comparison::tables::Given;
use callscape::analysis::comparison::{Comparison, Inputs, Settings};
use callscape::analysis::contexts;
use callscape::analysis::findings::findings;
use callscape::facts::contexts::{Contexts, ContextsBuilder, Merge, NodeId};
use callscape::facts::hierarchy::{self, Hierarchy, HierarchyBuilder, Module, ModuleKind};
use callscape::facts::trace::Trace;
use callscape::import;
use callscape::layout::fan;
use callscape::layout::rings::{Of, Rings, Sizing, Tree};
use callscape::progress::Progress;
use callscape::units::{FunctionId, ModuleId, ThreadId};
use callscape::warnings::{Place, Reporter};

use callscape_testing::built::record;
use callscape_testing::generate::Plan;
use callscape_testing::measured::{Measured, amount};
use callscape_testing::random::Random;
use callscape_testing::timing::{least, ms, setting};

const TIMES: usize = 5;

/// Nodes of the tree of Eclipse in table I of the paper.
const ECLIPSE: usize = 2_170_000;

/// Reads every call: the sum of their costs.
fn scan(trace: &Trace) -> u64 {
    let mut sum = 0_u64;
    for thread in trace.thread_ids() {
        let add = |_, call: callscape::facts::trace::Call| sum += call.cost().ns();
        trace.calls_in(thread, trace.range(), u32::MAX, add);
    }
    sum
}

/// The same as blocks of calls are read by number.
fn scan_by_number(trace: &Trace) -> u64 {
    let of_thread = |(thread, calls): (ThreadId, u64)| {
        let starts = (0..calls as u32).step_by(4096);
        let runs = starts.map(|start| start..(start + 4096).min(calls as u32));
        let calls = runs.flat_map(|run| trace.calls_numbered(thread, run));
        calls.map(|call| call.cost().ns()).sum::<u64>()
    };
    let calls = trace.threads().iter().map(|thread| thread.calls);
    trace.thread_ids().zip(calls).map(of_thread).sum()
}

/// The tree of a trace.
fn tree(path: &Path, calls: u64) {
    let recording = import::open(path, &Progress::new()).expect("a trace");
    let (reading, sum) = least(TIMES, || scan(&recording.trace));
    let (by_number, _) = least(TIMES, || scan_by_number(&recording.trace));
    let build = || contexts::contexts(&recording, &Progress::new()).expect("nobody cancels");
    let (building, found) = least(TIMES, build);
    let found = found.expect("contexts");
    println!(
        "reading all calls {reading:.3?} (by number {by_number:.3?}, {sum} ns), their tree {building:.3?}, {} contexts: \
         {:.2} ×",
        found.len(),
        building.as_secs_f64() / reading.as_secs_f64()
    );
    Measured {
        target: &format!("contexts: tree of {} calls", amount(calls)),
        value: ms(building),
        unit: "ms",
        peer: Some(("reading all calls once", ms(reading))),
        aim: "≤ 1.5 ×",
        ..Measured::default()
    }
    .print();
    let merge = || found.merged(Merge::Recursion, |it| it, &Progress::new());
    let (merging, merged) = least(TIMES, || merge().expect("nobody cancels"));
    println!("without recursion {merging:.3?}, {} contexts", merged.len());
}

/// What is remarkable about a trace, opened anew each time from an index that has its contexts.
fn found(path: &Path, calls: u64) {
    let open = || import::open(path, &Progress::new()).expect("a trace");
    let recording = open();
    let (reading, _) = least(TIMES, || scan(&recording.trace));
    let opened: Vec<_> = (0..TIMES).map(|_| open()).collect();
    let mut opened = opened.iter();
    let find = || {
        let recording = opened.next().expect("one for each time");
        findings(recording, &Progress::new()).expect("nobody cancels")
    };
    let (finding, found) = least(TIMES, find);
    println!("{} findings {finding:.3?}", found.len());
    Measured {
        target: &format!("contexts: findings of {} calls, indexed", amount(calls)),
        value: ms(finding),
        unit: "ms",
        peer: Some(("reading all calls once", ms(reading))),
        aim: "≤ 100 ms of 100 M",
        ..Measured::default()
    }
    .print();
}

/// Why two traces differ.
fn causes(paths: &[PathBuf; 2], calls: u64) {
    let inputs = Inputs {
        recordings: paths.clone().map(|path| vec![path]),
        source_dirs: Vec::new(),
    };
    let compare = || {
        let settings = Settings::default();
        let comparison = Comparison::open(&inputs, &settings, &Progress::new());
        let comparison = comparison.expect("a comparison");
        black_box(comparison.functions(Given::Compared));
        black_box(comparison.relations(Given::Compared));
        comparison
    };
    let (tables, comparison) = least(TIMES, compare);
    let explain = || comparison.causes(&Progress::new()).expect("nobody cancels");
    let (explaining, causes) = least(TIMES, explain);
    println!(
        "opening and tables {tables:.3?}, causes {explaining:.3?}, {} of them: {:.2} ×",
        causes.causes.len(),
        explaining.as_secs_f64() / tables.as_secs_f64()
    );
    Measured {
        target: &format!("contexts: causes of {} calls each", amount(calls)),
        value: ms(explaining),
        unit: "ms",
        peer: Some(("opening both and their tables, with indexes", ms(tables))),
        aim: "≤ 2 ×",
        ..Measured::default()
    }
    .print();
}

/// Nodes in preorder with weights, most of which lie in few branches as those of programs do.
fn eclipse() -> (Vec<u32>, Vec<u64>) {
    let mut random = Random(7);
    let mut parents: Vec<u32> = Vec::with_capacity(ECLIPSE);
    let mut path: Vec<u32> = Vec::new();
    for node in 0..ECLIPSE as u32 {
        // Down more often than up; rarely back nearly to the root.
        let depth = path.len() as u64;
        let up = match random.below(100) {
            0 => random.below(depth + 1),
            1..55 => random.below(4).min(depth),
            _ => 0,
        };
        // One outermost call.
        path.truncate((depth - up).clamp(1, 120) as usize);
        parents.push(path.last().copied().unwrap_or(u32::MAX));
        path.push(node);
    }
    let mut ends: Vec<u32> = (1..=ECLIPSE as u32).collect();
    for node in (0..ECLIPSE).rev() {
        if let Some(end) = ends.get(parents[node] as usize).copied() {
            ends[parents[node] as usize] = end.max(ends[node]);
        }
    }
    let mut before = vec![0_u64];
    let mut sum = 0;
    for _ in 0..ECLIPSE {
        let heavy = random.below(1000) == 0;
        sum += random.below(if heavy { 1_000_000 } else { 100 });
        before.push(sum);
    }
    (ends, before)
}

/// Milliseconds that d3's partition layout takes for the same tree; none where node finds no d3-hierarchy. `D3` names the
/// module, as `npm install d3-hierarchy` puts it: node_modules/d3-hierarchy/dist/d3-hierarchy.mjs.
fn d3(ends: &[u32], before: &[u64]) -> Option<f64> {
    /// As d3 wants it: nodes inside each other; the sums are made before the clock runs, and are part of no layout here.
    const SCRIPT: &str = "
        import { readFileSync } from 'node:fs';
        const d3 = await import(process.env.D3);
        const words = new Uint32Array(readFileSync(process.env.TREE).buffer);
        const count = words.length / 2;
        const open = [], roots = [];
        for (let i = 0; i < count; i++) {
            while (open.length && open[open.length - 1].end <= i) open.pop();
            const node = { end: words[2 * i], own: words[2 * i + 1] };
            const around = open.length ? open[open.length - 1] : null;
            if (around) (around.children ||= []).push(node); else roots.push(node);
            open.push(node);
        }
        const root = d3.hierarchy({ own: 0, children: roots }).sum(it => it.own);
        const layout = d3.partition().size([2 * Math.PI, 1000]);
        let least = Infinity;
        for (let k = 0; k < 5; k++) {
            const begin = performance.now();
            layout(root);
            least = Math.min(least, performance.now() - begin);
        }
        console.log(least);";
    let module = std::env::var_os("D3")?;
    let path = std::env::temp_dir().join(format!("callscape-d3-{}", std::process::id()));
    let own = before.windows(2).map(|it| (it[1] - it[0]) as u32);
    let words = ends.iter().zip(own).flat_map(|(&end, own)| [end, own]);
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    std::fs::write(&path, bytes).expect("a file");
    let output = std::process::Command::new("node")
        .args([
            "--max-old-space-size=8000",
            "--input-type=module",
            "-e",
            SCRIPT,
        ])
        .env("D3", module)
        .env("TREE", &path)
        .output();
    // What was written is of no use to anybody; that it stays does no harm.
    let _ = std::fs::remove_file(&path);
    let output = output.ok()?;
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().parse().ok()
}

fn rings() {
    let (ends, before) = eclipse();
    let d3 = d3(&ends, &before);
    let tree = Tree {
        ends: &ends,
        before: &before,
        negative: &[],
    };
    let (reading, _) = least(TIMES, || {
        let ends = ends.iter().map(|&it| u64::from(it)).sum::<u64>();
        ends + before.iter().sum::<u64>()
    });
    for (sizing, name) in [
        (Sizing::Alike, "alike"),
        (Sizing::Angle, "by angle"),
        (Sizing::Area, "by area"),
    ] {
        for rings in [10, 120] {
            let of = Of {
                root: None,
                sizing,
                rings,
                radius: 1000.0,
                least: 0.5,
            };
            let mut chart = Rings::default();
            let (took, ()) = least(TIMES, || chart.lay_out(tree, &of));
            let bytes = chart.segments.capacity() * 16 + chart.slivers.capacity() * 16;
            println!(
                "ring chart {name}, {rings} rings: {took:.3?}, {} segments, {} lines, {} kB",
                chart.segments.len(),
                chart.slivers.len(),
                bytes / 1000
            );
            Measured {
                target: &format!(
                    "contexts: ring chart of 2.17 million contexts, {name}, {rings} rings"
                ),
                value: ms(took),
                unit: "ms",
                peer: Some(match d3 {
                    Some(d3) => ("d3's partition layout", d3),
                    None => ("reading the tree once", ms(reading)),
                }),
                aim: "≤ 5 (1) ms",
                ..Measured::default()
            }
            .print();
        }
    }
}

/// Contexts of the tree that is compacted.
const COMPACTED: usize = 1_000_000;

/// 20 packages of 10 packages of 5 classes of 5 functions; all in one more package, or not.
fn packages(is_one: bool) -> (Hierarchy, Vec<ModuleId>) {
    let mut builder = HierarchyBuilder::new("program");
    let mut functions = Vec::new();
    let mut add = |parent, kind, name: &str, number: usize| {
        builder.add(parent, Module::named(kind, &format!("{name}{number}")))
    };
    let root = match is_one {
        true => add(hierarchy::NodeId::ROOT, ModuleKind::Namespace, "all", 0),
        false => hierarchy::NodeId::ROOT,
    };
    for outer in 0..20 {
        let outer = add(root, ModuleKind::Namespace, "p", outer);
        for inner in 0..10 {
            let inner = add(outer, ModuleKind::Namespace, "q", inner);
            for class in 0..5 {
                let class = add(inner, ModuleKind::Class, "C", class);
                for function in 0..5 {
                    functions.push(add(class, ModuleKind::Function, "f", function));
                }
            }
        }
    }
    let (hierarchy, ids) = builder.build();
    let modules = functions.into_iter().map(|it| ids[it.index()]).collect();
    (hierarchy, modules)
}

/// Calls that stay in their class or package more often than not.
fn called(functions: u64) -> Contexts {
    let mut random = Random(11);
    let reporter = Reporter::new();
    let place = || Place::file("made here");
    let mut builder = ContextsBuilder::new(1, &reporter);
    let main = builder.child(NodeId::ROOT, FunctionId(0), place);
    let mut known = vec![(main, 0_u64)];
    let mut taken = HashSet::new();
    while known.len() < COMPACTED {
        let count = known.len() as u64;
        let far = [3, 100, count][random.below(3) as usize].min(count);
        let around = (count - 1 - random.below(far)) as usize;
        let (parent, function) = known[around];
        let span = [5, 25, 250, functions][random.below(4) as usize];
        let function = function / span * span + random.below(span);
        if taken.insert((around, function)) {
            let node = builder.child(parent, FunctionId(function as u32), place);
            builder.add(node, 0, random.below(100), place);
            known.push((node, function));
        }
    }
    builder.finish()
}

/// Of the nodes of a tree some, those that hold most, and those that call most.
fn some_of(compaction: &Compaction) -> Vec<u32> {
    let mut random = Random(5);
    let all = compaction.all();
    let mut some: Vec<u32> = (0..200)
        .map(|_| all[random.below(all.len() as u64) as usize])
        .collect();
    let mut largest = all.clone();
    largest.sort_by_key(|&it| Reverse(compaction.contexts(it)));
    some.extend(largest.iter().take(20));
    largest.sort_by_cached_key(|&it| Reverse(compaction.children(Some(it)).count()));
    some.extend(largest.iter().take(20));
    some.sort_unstable();
    some.dedup();
    some
}

/// The least time of five of an action on one node, each from the same tree; none where it is blocked.
fn action(
    tree: Compactable<'_>,
    from: &Compaction,
    node: u32,
    direction: Direction,
) -> Option<Duration> {
    let mut at = from.clone();
    let mut best = None;
    for _ in 0..TIMES {
        at.clone_from(from);
        let start = Instant::now();
        let done = at.change(tree, node, direction);
        let took = start.elapsed();
        black_box(done).ok()?;
        best = Some(best.map_or(took, |least: Duration| least.min(took)));
    }
    best
}

/// One node expanded, in trees that are compacted to each level, and a part of it compacted again.
fn compaction() {
    let (hierarchy, modules) = packages(false);
    let contexts = called(modules.len() as u64);
    let names = Names::new(&hierarchy, &modules, |_| "");
    for level in 1..=3 {
        one_of(&contexts, &names, level, &format!("at level {level}"));
    }
    // Where one package holds all, the first action splits a node of a million contexts.
    let (hierarchy, modules) = packages(true);
    let names = Names::new(&hierarchy, &modules, |_| "");
    one_of(&contexts, &names, 1, "that are one node");
    fans();
}

fn one_of(contexts: &Contexts, names: &Names, level: u16, title: &str) {
    let tree = Compactable {
        contexts,
        value: 0,
        names,
    };
    // The sums of weights are made when they are first asked for.
    black_box(contexts.sizes_before(0));
    let (anew, compacted) = least(TIMES, || Compaction::new(tree, level));
    let (mut expanding, mut compacting) = (Vec::new(), Vec::new());
    for node in some_of(&compacted) {
        expanding.extend(action(tree, &compacted, node, Direction::Expand));
        let first = compacted.first_context(node);
        let mut expanded = compacted.clone();
        if expanded.change(tree, node, Direction::Expand).is_ok() {
            let part = expanded.node_of(tree, first);
            compacting.extend(action(tree, &expanded, part, Direction::Compact));
        }
    }
    for (what, mut times) in [("expand", expanding), ("compact", compacting)] {
        times.sort_unstable();
        let Some(&most) = times.last() else {
            continue;
        };
        println!(
            "{} contexts in {} nodes, {title}: {what} one of {}: median {:.3?}, most {most:.3?}; all anew {anew:.3?}",
            contexts.len(),
            compacted.len(),
            times.len(),
            times[times.len() / 2],
        );
        Measured {
            target: &format!(
                "contexts: {what} one node of a million contexts {title}, the slowest node"
            ),
            value: ms(most),
            unit: "ms",
            peer: Some(("compacting all anew", ms(anew))),
            aim: "≤ 8 ms",
            ..Measured::default()
        }
        .print();
    }
}

/// Bytes of what the three views keep of a million contexts: the tree, what a compacted one adds, and a ring chart.
fn memory() {
    let (hierarchy, modules) = packages(false);
    let contexts = called(modules.len() as u64);
    let names = Names::new(&hierarchy, &modules, |_| "");
    black_box(contexts.sizes_before(0));
    let tree = contexts.bytes();
    let of = Compactable {
        contexts: &contexts,
        value: 0,
        names: &names,
    };
    let before = resident();
    let compaction = Compaction::new(of, 2);
    let compacted = resident().saturating_sub(before);
    black_box(&compaction);
    let mut chart = Rings::default();
    chart.lay_out(
        Tree {
            ends: contexts.ends(),
            before: &contexts.sizes_before(0),
            negative: &[],
        },
        &Of {
            root: None,
            sizing: Sizing::Angle,
            rings: 120,
            radius: 1000.0,
            least: 0.5,
        },
    );
    let chart = (chart.segments.capacity() + chart.slivers.capacity()) * 16;
    for (view, bytes) in [
        ("compacted call tree", tree as u64 + compacted),
        ("ring chart", (tree + chart) as u64),
    ] {
        println!(
            "a {view} of a million contexts: {} kB, {tree} bytes of them the tree",
            bytes / 1000
        );
        Measured {
            target: &format!("contexts: memory of a {view} of a million contexts"),
            value: bytes as f64 / f64::from(1 << 20),
            unit: "MB",
            aim: "≤ 64 MB",
            ..Measured::default()
        }
        .print();
    }
}

/// Bytes of memory that the process has now; 0 where the system does not say.
fn resident() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|it| it.parse::<u64>().ok());
    pages.unwrap_or(0) * 4096
}

/// The layout of as many discs as the view draws.
fn fans() {
    let mut random = Random(3);
    let parents: Vec<Option<u32>> = (0..6_000_u64)
        .map(|it| (it > 0).then(|| random.below(it) as u32))
        .collect();
    let mut weights = vec![1_u64; parents.len()];
    for node in (0..parents.len()).rev() {
        if let Some(parent) = parents[node] {
            weights[parent as usize] += weights[node];
        }
    }
    let mut places = Vec::new();
    let (took, ()) = least(TIMES, || fan::lay_out(&parents, &weights, &mut places));
    println!("fan of {} discs: {took:.3?}", places.len());
}

fn main() {
    if std::env::var_os("ONLY_COMPACTION").is_some() {
        return compaction();
    }
    if std::env::var_os("ONLY_RINGS").is_some() {
        return rings();
    }
    memory();
    compaction();
    let calls = setting("CALLS", 1_000_000);
    let plan = |seed| Plan {
        calls,
        functions: 5_000,
        threads: 4,
        seed,
    };
    rings();
    let folder = std::env::temp_dir().join(format!("callscape-contexts-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let paths = [record(&folder, "a", plan(1)), record(&folder, "b", plan(2))];
    tree(&paths[0], calls);
    found(&paths[0], calls);
    causes(&paths, calls);
    // What was written is of no use to anybody; that it stays does no harm.
    let _ = std::fs::remove_dir_all(&folder);
}

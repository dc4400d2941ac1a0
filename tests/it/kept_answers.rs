//! What an index keeps of all calls: contexts and phases are the same with it, without it, and where it is damaged; and
//! contexts of real recordings are those of their calls one by one.

use std::collections::HashMap;
use std::path::Path;

use callscape::analysis::contexts;
use callscape::facts::contexts::Contexts;
use callscape::facts::trace::Trace;
use callscape::import;
use callscape::progress::Progress;
use callscape::units::{ContextId, ThreadId, Time, TimeRange};

use super::common::{data, large_data};
use super::folder::{Folder, program};
use super::generate::write_uftrace;

/// The first bytes of each section.
const MAGIC: &[u8] = b"CSADDED\n";

/// Where the sections of an index begin: behind its tail.
fn sections(index: &[u8]) -> usize {
    let number = |at: usize| {
        let number = index[at..at + 8].try_into().expect("8 bytes");
        u64::from_le_bytes(number) as usize
    };
    let (tail_at, tail_bytes) = (number(24), number(32));
    (tail_at + tail_bytes).next_multiple_of(8)
}

fn places_of_sections(index: &[u8]) -> Vec<usize> {
    let from = sections(index);
    let places = (from..index.len()).step_by(8);
    places
        .filter(|&at| index[at..].starts_with(MAGIC))
        .collect()
}

fn answers(folder: &Folder) -> Vec<String> {
    let asked: [&[&str]; 6] = [
        &["info", "run", "--json"],
        &["contexts", "run", "--json"],
        &["contexts", "run", "--json", "--merge-recursion"],
        &["contexts", "run", "--json", "--from", "20%", "--to", "70%"],
        &["phases", "run", "--json"],
        &["compare", "run", "run", "--json"],
    ];
    let answer = |arguments: &&[&str]| {
        let output = folder.run(arguments);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {error}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    asked.iter().map(answer).collect()
}

#[test]
fn answers_are_the_same_with_sections_without_and_with_damaged_ones() {
    let folder = Folder::new("kept-answers");
    write_uftrace(&program(210_000), &folder.file("run")).expect("there is room");
    let first = answers(&folder);
    let index = folder.file("run.callscape");
    // Phases are added to what the import has written: contexts and numbers of calls by depth.
    assert_eq!(answers(&folder), first);
    let whole = std::fs::read(&index).expect("it has been written");
    let places = places_of_sections(&whole);
    let &[begin, second, last] = &places[..] else {
        panic!("sections at {places:?}");
    };
    // As an index from before there were sections, cut in one, and damaged in each.
    for (name, length, flipped) in [
        ("without", begin, None),
        ("cut", last + 50, None),
        ("header", whole.len(), Some(begin + 9)),
        ("first", whole.len(), Some(begin + 60)),
        ("second", whole.len(), Some(second + 60)),
        ("last", whole.len(), Some(last + 60)),
    ] {
        let mut changed = whole[..length].to_vec();
        if let Some(at) = flipped {
            changed[at] ^= 0x10;
        }
        std::fs::write(&index, &changed).expect("there is room");
        assert_eq!(answers(&folder), first, "{name}");
        let mended = std::fs::read(&index).expect("it is there");
        assert!(mended.len() >= whole.len(), "{name}");
        assert_eq!(mended[..places[0]], whole[..places[0]], "{name}");
        assert_eq!(answers(&folder), first, "{name}");
        let after = std::fs::read(&index).expect("it is there");
        assert_eq!(after, mended, "{name}: nothing is found out twice");
    }
}

/// By path of functions calls, self cost, and what of it was waiting.
type ByPath = HashMap<Vec<u32>, [u64; 3]>;

fn one_by_one(trace: &Trace, threads: &[ThreadId], range: TimeRange) -> ByPath {
    let mut found = ByPath::new();
    for &thread in threads {
        let waited = |t: Time| trace.waited_until(thread, t).ns();
        let mut path = Vec::new();
        trace.calls_in(thread, range, u32::MAX, |_, call| {
            let (start, end) = (call.start.max(range.start), call.end.min(range.end));
            let (cost, waited) = (end.since(start).ns(), waited(end) - waited(start));
            path.truncate(call.depth as usize);
            if let Some(around) = found.get_mut(&path) {
                around[1] = around[1].wrapping_sub(cost);
                around[2] = around[2].wrapping_sub(waited);
            }
            path.push(call.function.0);
            let of = found.entry(path.clone()).or_default();
            of[0] += 1;
            of[1] = of[1].wrapping_add(cost);
            of[2] = of[2].wrapping_add(waited);
        });
    }
    found
}

fn by_path(tree: &Contexts) -> ByPath {
    let mut found = ByPath::new();
    let mut paths: Vec<Vec<u32>> = Vec::new();
    for id in tree.ids() {
        let around = tree
            .parent(id)
            .map(|it: ContextId| paths[it.0 as usize].clone());
        let mut path = around.unwrap_or_default();
        path.push(tree.function(id).0);
        let value = |value: usize| match value < tree.values() {
            true => tree.self_weight(value, id).ns(),
            false => 0,
        };
        let of = [tree.calls(id).unwrap_or_default(), value(0), value(1)];
        assert_eq!(found.insert(path.clone(), of), None);
        paths.push(path);
    }
    found
}

fn check(file: &Path) {
    let recording = import::open(file, &Progress::new()).expect("a sound recording");
    let trace = &recording.trace;
    let threads: Vec<ThreadId> = trace.thread_ids().collect();
    let at = |percent: u64| {
        let end = trace.duration().ns();
        Time::from_ns((u128::from(end) * u128::from(percent) / 100) as u64)
    };
    for (from, to) in [(0, 100), (0, 37), (41, 100), (12, 88), (50, 51)] {
        let range = TimeRange::new(at(from), at(to));
        let sets = threads.chunks(1).take(3).chain([&threads[..]]);
        for threads in sets {
            let of = threads.iter().copied();
            let found = contexts::of_threads(trace, of, range, &Progress::new());
            let found = by_path(&found.expect("nobody cancels"));
            let expected = one_by_one(trace, threads, range);
            assert!(found == expected, "{}, {from} to {to}", file.display());
        }
    }
}

#[test]
fn contexts_of_real_recordings_are_those_of_their_calls() {
    for file in ["import/tasks.uftrace", "import/toml-threads.viztracer.json"] {
        check(&data(file));
    }
    let large = [
        "uftrace/lua-queens.tar.gz",
        "uftrace/lua-report-optimized.tar.gz",
        "chrome/packaging-26.3.viztracer.json.gz",
        "chrome/markdown.py-spy.chrome.json",
    ];
    for relative in large {
        if let Some(file) = large_data(relative) {
            check(&file);
        }
    }
}

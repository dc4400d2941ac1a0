//! Lines that are inferred from names, against what is known of the same calls otherwise.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;

use callscape::analysis::lines::{Evidence, FileLines, LineFacts, difference};
use callscape::analysis::session::{Inputs, Resolved, Session};
use callscape::facts::hierarchy::ModuleKind;
use callscape::facts::recording::Recording;
use callscape::progress::Progress;
use callscape::source::relations::sites::CallSite;
use callscape::source::text::TextTree;
use callscape::units::{Cost, ModuleId, Time, TimeRange};

use crate::common::{Random, Scratch, data, large_data};

fn session(source: &Path, recordings: &[&Path]) -> Session {
    let inputs = Inputs {
        source_dir: Some(source.to_owned()),
        recordings: recordings.iter().map(|it| it.to_path_buf()).collect(),
        ..Inputs::default()
    };
    Session::open(&inputs, &Progress::new()).unwrap_or_else(|error| panic!("{error}"))
}

fn file(session: &Session, name: &str) -> ModuleId {
    let hierarchy = &session.hierarchy;
    let mut files = hierarchy.outermost_files();
    let found = files.find(|&id| hierarchy.name(id) == name);
    found.unwrap_or_else(|| panic!("{name} is no file of the tree"))
}

fn sites(session: &Session, file: ModuleId) -> Vec<CallSite> {
    let source = session.source_dir.as_ref().expect("a source tree");
    let tree = TextTree::new(source).expect("a tree");
    let path = session.hierarchy.path(file);
    let text = tree.read(Path::new(&path)).expect("a text");
    let at = tree.locate(Path::new(&path)).expect("a file");
    text.calls(&at, tree.root(), &Progress::new())
        .expect("a grammar")
}

/// The lines of a file as inferred, whatever the recording knows itself.
fn inferred(session: &Session, resolved: &Resolved, file: ModuleId) -> FileLines {
    let blind = Resolved {
        recording: Arc::new(Recording {
            lines: None,
            ..(*resolved.recording).clone()
        }),
        resolution: resolved.resolution.clone(),
    };
    let facts = LineFacts::new(&session.hierarchy, &blind, None);
    let sites = sites(session, file);
    facts.file(&session.hierarchy, &blind, file, Some(&sites))
}

/// A program of functions that call each other by name, one call a line, as C, and which calls stand where.
struct Program {
    text: String,
    /// By function, the line of each call and what it calls.
    calls: Vec<Vec<(u32, usize)>>,
}

fn program(random: &mut Random) -> Program {
    let count = 3 + random.below(5) as usize;
    let mut text = String::from("/* made for a test */\n");
    let mut line = 2;
    let mut calls = Vec::new();
    for function in 0..count {
        writeln!(text, "int f{function}(int x)\n{{").expect("text");
        line += 2;
        let mut own = Vec::new();
        for _ in 0..random.below(5) {
            // Only later ones, so that the program ends.
            let others = count - function - 1;
            if others > 0 {
                let callee = function + 1 + random.below(others as u64) as usize;
                writeln!(text, "    x += f{callee}(x);").expect("text");
                own.push((line, callee));
                line += 1;
            }
            if random.below(3) == 0 {
                writeln!(text, "    x += g(x) + other.f1; /* f2(x) */").expect("text");
                line += 1;
            }
        }
        writeln!(text, "    return x;\n}}\n").expect("text");
        line += 3;
        calls.push(own);
    }
    Program { text, calls }
}

/// Runs a function: each call of its text once or not at all. Adds its events, and counts calls and costs by relation.
fn run(
    program: &Program,
    function: usize,
    random: &mut Random,
    now: &mut u64,
    events: &mut Vec<String>,
    sums: &mut BTreeMap<(usize, usize), (u64, u64)>,
) {
    let event = |phase: char, at: u64| {
        format!(r#"{{"ph":"{phase}","pid":1,"tid":1,"ts":{at},"name":"f{function} (a.c:1)"}}"#)
    };
    events.push(event('B', *now));
    *now += 1 + random.below(5);
    for &(_, callee) in &program.calls[function] {
        if random.below(4) > 0 && events.len() < 4000 {
            let start = *now;
            run(program, callee, random, now, events, sums);
            let of = sums.entry((function, callee)).or_default();
            of.0 += 1;
            of.1 += (*now - start) * 1000;
        }
    }
    *now += 1;
    events.push(event('E', *now));
}

/// Calls and cost of relations go to the lines in which the caller calls the callee, in equal parts.
#[test]
fn names_lead_to_the_lines_that_a_direct_evaluation_finds() {
    for seed in 0..60 {
        let mut random = Random(seed);
        let program = program(&mut random);
        let scratch = Scratch::new("inferred");
        std::fs::create_dir_all(scratch.0.join("src")).expect("a folder");
        scratch.write("src/a.c", program.text.as_bytes());
        let (mut now, mut events, mut sums) = (0, Vec::new(), BTreeMap::new());
        for _ in 0..3 {
            run(&program, 0, &mut random, &mut now, &mut events, &mut sums);
        }
        let trace = format!("[{}]", events.join(","));
        let trace = scratch.write("trace.json", trace.as_bytes());
        let session = session(&scratch.0.join("src"), &[&trace]);
        let file = file(&session, "a.c");
        let found = inferred(&session, &session.recordings[0], file);
        let mut expected: BTreeMap<(u32, usize), (u64, u64, u32)> = BTreeMap::new();
        for (&(caller, callee), &(calls, cost)) in &sums {
            let own = program.calls[caller].iter();
            let lines: Vec<u32> = own.filter(|it| it.1 == callee).map(|it| it.0).collect();
            let count = lines.len() as u64;
            for (at, &line) in (0..).zip(&lines) {
                let part = |whole: u64| whole * (at + 1) / count - whole * at / count;
                let of = expected.entry((line, callee)).or_default();
                *of = (part(calls), part(cost), count as u32);
            }
        }
        let mut answered = BTreeMap::new();
        for line in &found.lines {
            assert_eq!(line.self_cost, None);
            assert!(line.is_inferred());
            let of_line: Cost = line.by_callee.iter().map(|it| it.cost).sum();
            assert_eq!(line.cost, of_line);
            for calls in &line.by_callee {
                let Evidence::Name { places } = calls.evidence else {
                    panic!("{calls:?}");
                };
                let callee = session.hierarchy.name(calls.callee);
                let callee = callee[1..].parse().expect("the number of a function");
                let numbers = (calls.calls, calls.cost.ns(), places);
                answered.insert((line.line, callee), numbers);
            }
        }
        assert_eq!(answered, expected, "seed {seed}\n{}", program.text);
        for function in &found.functions {
            assert!(function.unplaced.is_empty());
            let own = found
                .lines
                .iter()
                .filter(|line| line.by_callee.iter().any(|it| it.caller == function.module));
            let shares: f64 = own.map(|line| line.share).sum();
            assert!(function.call_costs == Cost::ZERO || (shares - 1.0).abs() < 1e-9);
            let name = session.hierarchy.name(function.module);
            let has_run = name == "f0" || sums.keys().any(|it| format!("f{}", it.1) == name);
            assert_eq!(function.is_executed, has_run, "{name}");
        }
    }
}

/// A macro calls what its text names; only what the tree uses as a value is called through a pointer.
#[test]
fn a_call_through_a_pointer_is_given_nothing_that_a_macro_made() {
    let scratch = Scratch::new("pointer");
    std::fs::create_dir_all(scratch.0.join("src/other")).expect("a folder");
    let text = "#include \"next.h\"\n\
        int extend(int x) { return x; }\n\
        int chosen(int x) { return x; }\n\
        int run(int (*f)(int), int x)\n\
        {\n\
            x += next(x);\n\
            return (*f)(x);\n\
        }\n";
    scratch.write("src/a.c", text.as_bytes());
    let header =
        "/* extend, not chosen */\n#define next(x) ((x) ? extend(x) : 0)\nint extend(int x);\n";
    scratch.write("src/next.h", header.as_bytes());
    let table = "int chosen(int x);\nint (*table[])(int) = {chosen};\n";
    scratch.write("src/other/table.c", table.as_bytes());
    let event = |phase: char, at: u32, name: &str| {
        format!(r#"{{"ph":"{phase}","pid":1,"tid":1,"ts":{at},"name":"{name} (a.c:1)"}}"#)
    };
    let events = [
        event('B', 0, "run"),
        event('B', 1, "extend"),
        event('E', 2, "extend"),
        event('B', 3, "chosen"),
        event('E', 4, "chosen"),
        event('E', 5, "run"),
    ];
    let trace = format!("[{}]", events.join(","));
    let trace = scratch.write("trace.json", trace.as_bytes());
    let session = session(&scratch.0.join("src"), &[&trace]);
    let found = inferred(&session, &session.recordings[0], file(&session, "a.c"));
    let name = |it: ModuleId| session.hierarchy.name(it);
    let placed = found.lines.iter().flat_map(|line| {
        let of_line = line.by_callee.iter();
        of_line.map(|it| (line.line, name(it.callee), it.evidence))
    });
    let placed: Vec<_> = placed.collect();
    assert_eq!(placed, [(7, "chosen", Evidence::Nameless)]);
    let unplaced = found.functions.iter().flat_map(|it| &it.unplaced);
    let unplaced: Vec<&str> = unplaced.map(|it| name(it.callee)).collect();
    assert_eq!(unplaced, ["extend"]);
}

/// How much of the cost of recorded call sites is inferred to be in the same line, or in one beside it as of a call that is
/// written on several, and how much in another.
fn agreement(recorded: &FileLines, inferred: &FileLines) -> (u64, u64, u64) {
    let costs = |lines: &FileLines| {
        let mut costs: BTreeMap<(ModuleId, ModuleId, u32), u64> = BTreeMap::new();
        for line in &lines.lines {
            for calls in &line.by_callee {
                *costs
                    .entry((calls.caller, calls.callee, line.line))
                    .or_default() += calls.cost.ns();
            }
        }
        costs
    };
    let (recorded, inferred) = (costs(recorded), costs(inferred));
    let all = recorded.values().sum();
    let both = recorded.iter().map(|(&(caller, callee, line), &cost)| {
        let beside = line - 1..=line + 1;
        let found = beside.filter_map(|line| inferred.get(&(caller, callee, line)));
        found.sum::<u64>().min(cost)
    });
    let both: u64 = both.sum();
    (all, both, inferred.values().sum::<u64>() - both)
}

/// What callgrind knows of Lua, and what is inferred of the same calls without it.
#[test]
fn inferred_lines_are_mostly_those_that_callgrind_recorded() {
    let (Some(recording), Some(source)) = (
        large_data("callgrind/callgrind.lua-queens6.out"),
        large_data("sources/lua-5.4.9"),
    ) else {
        return;
    };
    let session = session(&source, &[&recording]);
    let resolved = &session.recordings[0];
    let facts = LineFacts::new(&session.hierarchy, resolved, None);
    let (mut all, mut right, mut wrong) = (0, 0, 0);
    for file in session.hierarchy.outermost_files() {
        if session.hierarchy.module(file).language != "C" {
            continue;
        }
        let recorded = facts.file(&session.hierarchy, resolved, file, None);
        let inferred = inferred(&session, resolved, file);
        let of = agreement(&recorded, &inferred);
        (all, right, wrong) = (all + of.0, right + of.1, wrong + of.2);
    }
    eprintln!("of {all}: in the same line {right}, in another {wrong}");
    // What is left stands in macros, of which the text of a file alone does not say what they call.
    assert!(right * 10 >= all * 8, "{right} of {all}");
    assert!(wrong * 20 <= all, "{wrong} of {all}");
}

/// Calls of other languages, by what their recorders call things.
#[test]
fn names_of_constructors_methods_and_comprehensions_are_found() {
    let scratch = Scratch::new("inferred-python");
    std::fs::create_dir_all(scratch.0.join("src")).expect("a folder");
    scratch.write(
        "src/shapes.py",
        b"class Square:\n    def __init__(self, side):\n        self.side = side\n\n    def area(self):\n        \
          return self.side ** 2\n\nclass Circle:\n    def area(self):\n        return 3\n\n\
          def total(shapes):\n    return sum(shape.area()\n               for shape in shapes)\n\n\
          def main():\n    shapes = [Square(2),\n              Circle()]\n    return total(shapes)\n\nmain()\n",
    );
    let names = [
        ("<module>", 1, 0, 100),
        ("main", 16, 10, 90),
        ("Square.__init__", 2, 20, 30),
        ("total", 12, 40, 80),
        ("total.<locals>.<genexpr>", 13, 45, 75),
        ("Square.area", 5, 50, 55),
        ("Circle.area", 9, 60, 70),
    ];
    let events = names.map(|(name, line, start, end)| {
        format!(
            r#"{{"ph":"X","pid":1,"tid":1,"ts":{start},"dur":{},"name":"{name} (/x/src/shapes.py:{line})"}}"#,
            end - start
        )
    });
    let trace = scratch.write("trace.json", format!("[{}]", events.join(",")).as_bytes());
    let session = session(&scratch.0.join("src"), &[&trace]);
    let file = file(&session, "shapes.py");
    let found = inferred(&session, &session.recordings[0], file);
    let callees = |line: u32| -> Vec<&str> {
        let line = found.line(line).expect("something is known of it");
        let callees = line.by_callee.iter();
        callees
            .map(|it| {
                session.recordings[0]
                    .recording
                    .functions
                    .get(it.function)
                    .name
            })
            .collect()
    };
    assert_eq!(callees(17), ["Square.__init__"]);
    assert_eq!(callees(19), ["total"]);
    assert_eq!(callees(21), ["main"]);
    // The generator is a part of `total`, and both callees of its polymorphic call are there.
    let polymorphic: Vec<&str> = found
        .lines
        .iter()
        .filter(|it| (13..=14).contains(&it.line))
        .flat_map(|it| callees(it.line))
        .collect();
    for name in ["Square.area", "Circle.area", "total.<locals>.<genexpr>"] {
        assert!(polymorphic.contains(&name), "{name}: {polymorphic:?}");
    }
    let never = found.functions.iter().filter(|it| !it.is_executed);
    assert_eq!(never.count(), 0);
}

/// Of C's calls through pointers the one without a name is meant where it is alone.
#[test]
fn a_call_of_something_without_a_name_is_meant_where_it_is_alone() {
    let session = session(
        &data("import/callgrind"),
        &[&data("import/callgrind/lines.callgrind.out")],
    );
    let resolved = &session.recordings[0];
    let file = file(&session, "lines.c");
    let facts = LineFacts::new(&session.hierarchy, resolved, None);
    let recorded = facts.file(&session.hierarchy, resolved, file, None);
    assert!(recorded.knows_self && recorded.knows_sites);
    let indirect = recorded.line(15).expect("the call through a pointer");
    let callees: Vec<(&str, u64)> = indirect
        .callees()
        .iter()
        .map(|it| (session.hierarchy.name(it.callee), it.calls))
        .collect();
    assert_eq!(callees, [("square", 100), ("twice", 50)]);
    let inferred = inferred(&session, resolved, file);
    let of = inferred.line(15).expect("it is inferred");
    assert!(
        of.by_callee
            .iter()
            .all(|it| it.evidence == Evidence::Nameless)
    );
    assert_eq!((of.calls, of.cost), (indirect.calls, indirect.cost));
    // `clamp` is put into its callers: its lines ran though nobody called it.
    let header = super::inferred::file(&session, "lines.h");
    let header = facts.file(&session.hierarchy, resolved, header, None);
    let clamp = &header.functions[0];
    assert!(clamp.is_executed && clamp.calls == 0);
    assert_eq!(header.lines.len(), 2);
}

/// A range of time, and two recordings of one session.
#[test]
fn ranges_and_differences_of_lines() {
    let scratch = Scratch::new("inferred-range");
    std::fs::create_dir_all(scratch.0.join("src")).expect("a folder");
    scratch.write(
        "src/a.py",
        b"def f():\n    pass\n\ndef g():\n    pass\n\ndef main():\n    f()\n    g()\n",
    );
    let event = |name: &str, line: u32, start: u32, end: u32| {
        format!(
            r#"{{"ph":"X","pid":1,"tid":1,"ts":{start},"dur":{},"name":"{name} (src/a.py:{line})"}}"#,
            end - start
        )
    };
    let a = [
        event("main", 7, 0, 100),
        event("f", 1, 10, 20),
        event("f", 1, 30, 50),
    ];
    let b = [
        event("main", 7, 0, 100),
        event("f", 1, 10, 15),
        event("g", 4, 20, 90),
    ];
    let a = scratch.write("a.json", format!("[{}]", a.join(",")).as_bytes());
    let b = scratch.write("b.json", format!("[{}]", b.join(",")).as_bytes());
    let session = session(&scratch.0.join("src"), &[&a, &b]);
    let file = file(&session, "a.py");
    let sites = sites(&session, file);
    let lines = |recording: usize, range: Option<TimeRange>| {
        let resolved = &session.recordings[recording];
        let facts = LineFacts::new(&session.hierarchy, resolved, range);
        facts.file(&session.hierarchy, resolved, file, Some(&sites))
    };
    let (a, b) = (lines(0, None), lines(1, None));
    let costs = |lines: &FileLines| -> Vec<(u32, u64, u64)> {
        let lines = lines.lines.iter();
        lines.map(|it| (it.line, it.calls, it.cost.ns())).collect()
    };
    assert_eq!(costs(&a), [(8, 2, 30_000)]);
    assert_eq!(costs(&b), [(8, 1, 5_000), (9, 1, 70_000)]);
    let range = TimeRange::new(Time::from_ns(5_000), Time::from_ns(25_000));
    let first = lines(0, Some(range));
    assert_eq!(costs(&first), [(8, 1, 10_000)]);
    assert!(!first.is_of_whole);
    let all = difference(&a, &b, Some);
    let found: Vec<_> = all
        .iter()
        .map(|it| {
            (
                it.in_b,
                it.cost_change(),
                it.calls_change(),
                it.self_change(),
            )
        })
        .collect();
    assert_eq!(
        found,
        [(Some(8), -25_000, -1, None), (Some(9), 70_000, 1, None)]
    );
    let callees = all[1].callees();
    assert!(callees[0].a.is_none() && callees[0].b.is_some());
    // B has a line before those of A, and none of A's line 8.
    let moved = difference(&a, &b, |line| (line != 8).then_some(line + 1));
    let found: Vec<_> = moved.iter().map(|it| (it.in_a, it.in_b)).collect();
    assert_eq!(found, [(Some(8), None), (None, Some(8)), (None, Some(9))]);
    let functions = &a.functions;
    let kinds = functions.iter().map(|it| session.hierarchy.kind(it.module));
    assert!(kinds.eq([ModuleKind::Function; 3]));
    let ran: Vec<bool> = functions.iter().map(|it| it.is_executed).collect();
    assert_eq!(ran, [true, false, true]);
}

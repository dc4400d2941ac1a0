//! What the formats say, as contexts, functions and call relations.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use callscape::analysis::contexts;
use callscape::import;
use callscape::progress::Progress;
use callscape::units::{TimeRange, Unit};

use super::{Scratch, functions, name, profile, read, tree, warnings};
use crate::common::{Random, data};

/// Figure 1 of "Towards Anomaly Comprehension" as input, figure 2 as what is to come out.
#[test]
fn the_paper_s_hprof_output_gives_the_paper_s_tree() {
    let recording = read(&data("import/hprof/figure1.hprof.txt"));
    assert_eq!(recording.format, "hprof");
    assert_eq!(recording.samples, 6);
    assert!(recording.warnings.is_empty(), "{:?}", recording.warnings);
    let figure_2 = [
        "0 lib1.Whale.breath 6 0",
        "1 lib1.Mammal.inhale 6 0",
        "2 lib2.Lung.inhale 6 0",
        "3 lib2.Muscle.contract 4 0",
        "4 lib2.Nerve.transmit 3 0",
        "5 lib3.Signal.travel 3 3",
        "4 lib3.Pressure.foo 1 0",
        "5 lib3.Blood.flow 1 1",
        "3 lib2.Muscle.stop 2 0",
        "4 lib2.Nerve.transmit 2 0",
        "5 lib3.Signal.travel 2 2",
    ];
    assert_eq!(tree(&recording), figure_2);

    // Both ways to Signal.travel together, as the text of section 2 has them.
    let functions = functions(&recording);
    assert_eq!(functions["lib3.Signal.travel"], (0, 5, 5));
    assert_eq!(functions["lib2.Nerve.transmit"], (0, 5, 0));
    assert_eq!(functions["lib2.Lung.inhale"], (0, 6, 0));
    assert_eq!(functions.len(), 9);
    let function = recording.functions.get(callscape::units::FunctionId(0));
    assert_eq!((function.file, function.line), ("ToyProgram.java", 0));

    // Figures 5 and 6: the relations between classes and between packages.
    let relations = profile(&recording).relations();
    let between = |parts: usize| {
        let mut sums: BTreeMap<(String, String), u64> = BTreeMap::new();
        for relation in relations {
            let [from, to] = [relation.caller, relation.callee].map(|function| {
                let parts: Vec<&str> = name(&recording, function).split('.').take(parts).collect();
                parts.join(".")
            });
            if from != to {
                *sums.entry((from, to)).or_default() += relation.cost.ns();
            }
        }
        sums.into_iter()
            .map(|((from, to), cost)| format!("{from} {to} {cost}"))
            .collect::<Vec<_>>()
    };
    let figure_5 = [
        "lib1.Mammal lib2.Lung 6",
        "lib1.Whale lib1.Mammal 6",
        "lib2.Lung lib2.Muscle 6",
        "lib2.Muscle lib2.Nerve 5",
        "lib2.Muscle lib3.Pressure 1",
        "lib2.Nerve lib3.Signal 5",
        "lib3.Pressure lib3.Blood 1",
    ];
    assert_eq!(between(2), figure_5);
    assert_eq!(between(1), ["lib1 lib2 6", "lib2 lib3 6"]);
}

/// One recording, written by its profiler in two formats.
#[test]
fn pprof_and_folded_stacks_of_one_recording_agree() {
    let pprof = read(&data("import/pprof/markdown-render.pb.gz"));
    let folded = read(&data("import/folded/markdown-render.folded.gz"));
    assert_eq!((pprof.format, folded.format), ("pprof", "folded"));
    assert_eq!((pprof.samples, folded.samples), (507, 507));
    assert!(pprof.warnings.is_empty() && folded.warnings.is_empty());
    // Folded stacks begin with the process.
    assert_eq!((pprof.functions.len(), folded.functions.len()), (271, 272));
    assert_eq!((pprof.max_depth(), folded.max_depth()), (46, 47));
    let values = profile(&pprof).values();
    let named: Vec<_> = values
        .iter()
        .map(|it| (&*it.name, it.unit.name()))
        .collect();
    assert_eq!(
        named,
        [("samples", "samples".into()), ("cpu", "nanoseconds".into())]
    );
    assert_eq!(profile(&pprof).unit(), &Unit::Nanoseconds);
    assert_eq!(profile(&pprof).weight().ns(), 1_016_032_057);

    let mut pprof = pprof;
    let shown = pprof.profile.as_mut().expect("a profile").show("samples");
    assert_eq!(shown, Ok(()));
    assert_eq!(profile(&pprof).weight().ns(), 507);
    let mut expected = functions(&folded);
    assert_eq!(expected.remove("md_pprof"), Some((0, 507, 0)));
    assert_eq!(functions(&pprof), expected);
    let pairs = |recording| {
        let relations = profile(recording).relations().iter();
        let pairs = relations.map(|it| {
            let names = [it.caller, it.callee].map(|id| name(recording, id).to_owned());
            (names, it.cost.ns(), it.self_cost.ns())
        });
        pairs.collect::<BTreeSet<_>>()
    };
    let mut expected = pairs(&folded);
    expected.retain(|([caller, _], ..)| caller != "md_pprof");
    assert_eq!(pairs(&pprof), expected);
}

/// Numbers from `callgrind_annotate --inclusive=yes`, but for what calls itself, which it counts more than once:
/// `fib` is what it says of the outer calls.
#[test]
fn callgrind_s_functions_are_those_of_its_own_report() {
    let recording = read(&data("import/callgrind/fib.callgrind.out"));
    assert_eq!(recording.format, "callgrind");
    assert!(recording.warnings.is_empty(), "{:?}", recording.warnings);
    let profile = profile(&recording);
    assert!(profile.contexts().is_none());
    assert_eq!(profile.unit().name(), "instructions");
    assert_eq!(profile.weight().ns(), 13_745);
    let functions = functions(&recording);
    for (name, expected) in [
        ("sum", (1, 12_277, 109)),
        ("fib", (740, 12_168, 226 + 11_942)),
        ("printf", (1, 1_323, 27)),
        ("__vfprintf_internal", (1, 1_296, 510)),
        ("malloc", (1, 151, 37)),
        ("even", (5, 126, 13 + 52)),
    ] {
        assert_eq!(functions[name], expected, "{name}");
    }
    let fib = profile.relations().iter().find(|it| {
        let names = [it.caller, it.callee].map(|id| name(&recording, id));
        names == ["fib", "fib"]
    });
    assert_eq!(fib.map(|it| it.calls), Some(740 - 12));
}

/// The example of the format's manual, plain and with every kind of compression.
#[test]
fn callgrind_s_compressions_say_the_same() {
    const PLAIN: &str = "events: Cycles Instructions Flops
fl=file.f
fn=main
15 90 14 2
16 20 12
cfn=func1
calls=1 50
16 400 7 1
cob=lib.so
cfi=file2.c
cfn=func2
calls=3 20
16 400

fn=func1
51 100 7
cob=lib.so
cfl=file2.c
cfn=func2
calls=2 20
51 300

ob=lib.so
fl=file2.c
fn=func2
20 700
";
    const COMPRESSED: &str = "# callgrind format
version: 1
creator: by hand
positions: instr line
events: Cycles Instructions Flops

fl=(1) file.f
fn=(1) main
0x10 15 90 14 2
+4 +1 20 12
cfn=(2) func1
calls=1 0x40 50
* * 400 7 1
cob=(1) lib.so
cfi=(2) file2.c
cfn=(3) func2
calls=3 0x80 20
+2 * 400
jump=2 +5 +1
jcnd=1/3 -2 *

part: 2
fn=(2)
0x40 51 100 7
cob=(1)
cfl=(2)
cfn=(3)
calls=2 +1 -30
* * 300

ob=(1)
fl=(2)
fn=(3)
* -31 0x2bc
";
    let scratch = Scratch::new("callgrind");
    let plain = read(&scratch.write("plain", PLAIN.as_bytes()));
    let compressed = read(&scratch.write("compressed", COMPRESSED.as_bytes()));
    for (recording, jumps) in [(&plain, None), (&compressed, Some(2))] {
        let counted: Vec<(&str, u64)> = warnings(recording).into_iter().collect();
        let expected = jumps.map(|jumps| ("jump-not-shown", jumps));
        assert_eq!(counted, Vec::from_iter(expected));
        let expected = BTreeMap::from([
            ("main".to_owned(), (0, 910, 110)),
            ("func1".to_owned(), (1, 400, 100)),
            ("func2".to_owned(), (5, 700, 700)),
        ]);
        assert_eq!(functions(recording), expected);
        assert_eq!(recording.functions.len(), 3);
    }
    assert_eq!(
        profile(&plain).relations(),
        profile(&compressed).relations()
    );
    let mut plain = plain;
    let shown = plain
        .profile
        .as_mut()
        .expect("a profile")
        .show("Instructions");
    assert_eq!(shown, Ok(()));
    assert_eq!(functions(&plain)["main"], (0, 33, 26));
    let wrong = plain.profile.as_mut().expect("a profile").show("Ir");
    let message = wrong.expect_err("no such value").to_string();
    assert!(message.contains("Cycles, Instructions, Flops"), "{message}");
}

#[test]
fn xdebug_s_units_are_read_from_its_events() {
    const XDEBUG: &str = "version: 1
creator: xdebug 3.0.2 (PHP 7.4.14)
events: Time_(10ns) Memory_(bytes)

fl=(1) index.php
fn=(1) {main}
16 20 15000
cfn=(2) load
calls=1 0 0
16 400 20000
fn=(2)
51 400 20000

summary: 420 35000
";
    let scratch = Scratch::new("xdebug");
    let mut recording = read(&scratch.write("cachegrind.out.1", XDEBUG.as_bytes()));
    assert!(recording.warnings.is_empty(), "{:?}", recording.warnings);
    assert_eq!(functions(&recording)["{main}"], (0, 4_200, 200));
    let shown = recording
        .profile
        .as_mut()
        .expect("a profile")
        .show("Memory_(bytes)");
    assert_eq!(shown, Ok(()));
    assert_eq!(profile(&recording).unit(), &Unit::Bytes);
    assert_eq!(functions(&recording)["{main}"], (0, 35_000, 15_000));
}

#[test]
fn folded_dialects_are_read() {
    let scratch = Scratch::new("dialects");
    let recording = read(&scratch.write(
        "stacks",
        b"# a comment\njava;A.run_[j];read_[k] 3\r\njava;A.run_[i] 2\njava;A.run 1\n\
          sh;libc.so.1`malloc 4\n// another\n<module> (a.py:3);f (b.py:7)\t5\n",
    ));
    assert!(recording.warnings.is_empty(), "{:?}", recording.warnings);
    let expected = [
        "0 java 6 0",
        "1 A.run 6 3",
        "2 read 3 3",
        "0 sh 4 0",
        "1 malloc 4 4",
        "0 <module> 5 0",
        "1 f 5 5",
    ];
    assert_eq!(tree(&recording), expected);
    let of = |wanted: &str| {
        let mut functions = recording
            .functions
            .ids()
            .map(|id| recording.functions.get(id));
        functions
            .find(|function| function.name == wanted)
            .expect("the function")
    };
    assert_eq!(of("read").library, "[kernel]");
    assert_eq!(of("malloc").library, "libc.so.1");
    assert_eq!((of("f").file, of("f").line), ("b.py", 7));

    // They begin like JSON.
    for first in [
        "[unknown]",
        "{main}",
        "[libc.so.6] more",
        "{closure:/a.php:3-5}",
    ] {
        let text = format!("{first};f 3\n{first} 2\n");
        let recording = read(&scratch.write("brackets", text.as_bytes()));
        assert_eq!(recording.samples, 5, "{first}");
    }

    let fractions = read(&scratch.write("fractions", b"a;b 1.5\na 2\na;b 0.0004\na;c 0.0005\n"));
    assert_eq!(
        tree(&fractions),
        ["0 a 3501 2000", "1 b 1500 1500", "1 c 1 1"]
    );
    assert_eq!(
        profile(&fractions)
            .unit()
            .show(profile(&fractions).weight()),
        "3.501 samples"
    );
    let whole = read(&scratch.write("whole", b"a;b 1.000\na 2\n"));
    assert_eq!(tree(&whole), ["0 a 3 2", "1 b 1 1"]);

    let mut pairs = read(&scratch.write("pairs", b"a;b 1 2\na 0 5\n"));
    assert_eq!(tree(&pairs), ["0 a 7 5", "1 b 2 2"]);
    let shown = pairs.profile.as_mut().expect("a profile").show("before");
    assert_eq!(shown, Ok(()));
    assert_eq!(tree(&pairs), ["0 a 1 0", "1 b 1 1"]);
}

#[test]
fn callgrind_files_of_others_may_list_names_first_and_have_decimals() {
    let scratch = Scratch::new("others");
    let recording = read(&scratch.write(
        "yappi.callgrind",
        b"version: 1\ncreator: yappi\nevents: Ticks\n\nfl=(1) a.py\nfl=(2) b.py\nfn=(1) main\nfn=(2) work\n\n\
          fl=(1)\nfn=(1)\n1 10.5\n2 1.0\ncfl=(2)\ncfn=(2)\ncalls=3 1\n0 7.4\n\nfl=(2)\nfn=(2)\n5 7\n",
    ));
    let files: Vec<(&str, &str)> = recording
        .functions
        .ids()
        .map(|id| recording.functions.get(id))
        .map(|function| (function.name, function.file))
        .collect();
    assert_eq!(files, [("main", "a.py"), ("work", "b.py")]);
    assert_eq!(profile(&recording).weight().ns(), 19);
    let kinds: Vec<(&str, u64)> = recording
        .warnings
        .iter()
        .map(|it| (it.kind.as_ref(), it.count))
        .collect();
    assert_eq!(kinds, [("decimals-left-out", 2)]);
}

/// Random stacks in random order and form against sums over the stacks themselves.
#[test]
fn folded_stacks_in_any_order_and_compression_add_up() {
    let scratch = Scratch::new("random");
    for seed in 0..40 {
        let random = &mut Random(seed);
        let names = ["a", "aa", "b", "x::y", "f (c.py:3)", "g_[k]", "é"];
        let mut lines: Vec<(Vec<&str>, u64)> = Vec::new();
        for _ in 0..random.below(200) + 1 {
            let depth = 1 + random.below(9);
            let stack = (0..depth).map(|_| names[random.below(7) as usize]);
            lines.push((stack.collect(), random.below(1000)));
        }
        if random.below(2) == 0 {
            lines.sort();
        }
        let mut text = String::new();
        for (stack, count) in &lines {
            let _ = writeln!(text, "{} {count}", stack.join(";"));
        }
        let bytes = match seed % 3 {
            0 => text.into_bytes(),
            1 => {
                let mut gzip = Vec::new();
                let level = flate2::Compression::fast();
                let mut encoder = flate2::read::GzEncoder::new(text.as_bytes(), level);
                std::io::Read::read_to_end(&mut encoder, &mut gzip).expect("memory");
                gzip
            }
            _ => zstd::encode_all(text.as_bytes(), 1).expect("memory"),
        };
        // A name that says nothing.
        let recording = read(&scratch.write("recording", &bytes));
        assert!(recording.warnings.is_empty(), "{:?}", recording.warnings);
        let paths: BTreeSet<&[&str]> = lines
            .iter()
            .flat_map(|(stack, _)| (1..=stack.len()).map(|end| &stack[..end]))
            .collect();
        let contexts = profile(&recording).contexts().expect("contexts");
        assert_eq!(contexts.len(), paths.len(), "seed {seed}");
        let all: u64 = lines.iter().map(|(_, count)| count).sum();
        assert_eq!(recording.samples, all, "seed {seed}");
        let functions = functions(&recording);
        for spelled in names {
            let name = spelled.split(" (").next().unwrap_or(spelled);
            let name = name.trim_end_matches("_[k]");
            let with = lines.iter().filter(|(stack, _)| stack.contains(&spelled));
            let total: u64 = with.map(|(_, count)| count).sum();
            let on_top = lines
                .iter()
                .filter(|(stack, _)| stack.last() == Some(&spelled));
            let own: u64 = on_top.map(|(_, count)| count).sum();
            let found = functions.get(name).copied().unwrap_or_default();
            assert_eq!(found, (0, total, own), "seed {seed} {spelled}");
        }
    }
}

/// A trace merged by call path has the metrics and relations of the trace.
#[test]
fn the_contexts_of_a_trace_have_its_metrics() {
    for file in [
        "import/tasks.uftrace",
        "import/toml-threads.viztracer.json",
        "import/cpuprofile/words.cpuprofile",
        "import/perf-script/inlined.perf.txt",
    ] {
        let progress = Progress::new();
        let recording = import::open(&data(file), &progress).expect("a sound recording");
        let trace = &recording.trace;
        let merged = contexts::contexts(&recording, &progress).expect("not cancelled");
        let merged = merged.expect("contexts");
        let functions = recording.functions.len();
        assert_eq!(
            merged.function_metrics(0, functions),
            recording.function_metrics(None),
            "{file}"
        );
        assert_eq!(merged.relations(0), recording.relations(None), "{file}");
        assert_eq!(merged.max_depth(), trace.max_depth(), "{file}");
        let range = trace.range();
        let middle = callscape::units::Time::from_ns(range.end.ns() / 2);
        let half = TimeRange::new(range.start, middle);
        let of_half = contexts::of_trace(trace, half, &progress).expect("not cancelled");
        assert!(
            of_half.weight(0) < merged.weight(0) && of_half.len() <= merged.len(),
            "{file}"
        );
        let cancelled = Progress::new();
        cancelled.cancel();
        assert!(contexts::of_trace(trace, half, &cancelled).is_err());
    }
}

#[test]
fn files_of_other_formats_are_not_taken_for_profiles() {
    for folder in [
        "import",
        "import/speedscope",
        "import/otlp",
        "import/perfetto",
        "import/firefox",
    ] {
        for entry in std::fs::read_dir(data(folder)).expect("a folder").flatten() {
            let path = entry.path();
            if let Ok(recording) = import::open(&path, &Progress::new()) {
                assert!(
                    recording.profile.is_none(),
                    "{}: {}",
                    path.display(),
                    recording.format
                );
            }
        }
    }
    assert!(warnings(&read(&data("import/hprof/figure1.hprof.txt"))).is_empty());
}

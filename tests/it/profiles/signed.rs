//! Differences between two profiles: negative weights keep their sign in every sum, and are counted.

use std::collections::{BTreeMap, BTreeSet};

use super::{Scratch, name, open, profile, read, warnings};
use crate::common::Random;
use callscape::facts::recording::Recording;
use callscape::units::ContextId;
use callscape_testing::wire;

/// By function, total and self weight of a value.
fn sums(recording: &Recording, value: usize) -> BTreeMap<String, (i64, i64)> {
    let shown = profile(recording).showing(value);
    let rows = recording.functions.ids().zip(shown.function_metrics());
    let mut sums: BTreeMap<String, (i64, i64)> = BTreeMap::new();
    for (id, of) in rows {
        let (total, own) = sums.entry(name(recording, id).to_owned()).or_default();
        *total += of.total.weight();
        *own += of.self_cost.weight();
    }
    sums
}

fn expected(rows: &[(&str, i64, i64)]) -> BTreeMap<String, (i64, i64)> {
    let row = |&(name, total, own): &(&str, i64, i64)| (name.to_owned(), (total, own));
    rows.iter().map(row).collect()
}

#[test]
fn sums_of_random_differences_are_those_of_their_stacks() {
    let scratch = Scratch::new("signed-random");
    for seed in 0..40 {
        let mut random = Random(seed * 2 + 1);
        let mut below = |most: u64| random.next() % most;
        let (mut text, mut stacks) = (String::new(), Vec::new());
        for _ in 0..1 + below(60) {
            let frames: Vec<String> = (0..1 + below(6))
                .map(|_| format!("f{}", below(5)))
                .collect();
            let weight = below(200) as i64 - 100;
            text += &format!("{} {weight}\n", frames.join(";"));
            stacks.push((frames, weight));
        }
        let recording = read(&scratch.write("random.folded", text.as_bytes()));
        let mut direct: BTreeMap<String, (i64, i64)> = BTreeMap::new();
        for (frames, weight) in &stacks {
            for function in frames.iter().collect::<BTreeSet<_>>() {
                direct.entry(function.clone()).or_default().0 += weight;
            }
            if let Some(last) = frames.last() {
                direct.entry(last.clone()).or_default().1 += weight;
            }
        }
        let all: i64 = stacks.iter().map(|(_, weight)| weight).sum();
        let found = sums(&recording, 0);
        assert_eq!(found, direct, "seed {seed}");
        assert_eq!(profile(&recording).weight().weight(), all, "seed {seed}");
        let own: i64 = found.values().map(|it| it.1).sum();
        assert_eq!(own, all, "seed {seed}");
        let negative = stacks.iter().filter(|it| it.1 < 0).count() as u64;
        let counted = warnings(&recording).get("negative-count").copied();
        assert_eq!(counted.unwrap_or(0), negative, "seed {seed}");
        // A context weighs what is below it, and what is drawn is never less than nothing.
        let contexts = profile(&recording).contexts().expect("contexts");
        let (drawn, sizes) = (contexts.shown_before(0), contexts.sizes_before(0));
        for id in contexts.ids() {
            let below = contexts.subtree(id);
            let own = below
                .clone()
                .map(|it| contexts.self_weight(0, ContextId(it)).weight());
            let (mut sum, mut shown, mut size) = (0, 0, 0);
            for weight in own {
                sum += weight;
                shown += weight.max(0) as u64;
                size += weight.unsigned_abs();
            }
            let of = |sums: &[u64]| sums[below.end as usize] - sums[below.start as usize];
            assert_eq!(contexts.total(0, id).weight(), sum, "seed {seed}");
            assert_eq!((of(&drawn), of(&sizes)), (shown, size), "seed {seed}");
        }
    }
}

#[test]
fn memory_that_xdebug_says_was_given_back_is_negative() {
    let scratch = Scratch::new("signed-xdebug");
    let text = "version: 1\ncreator: xdebug 3.1.0\npositions: line\n\nevents: Time_(10ns) Memory_(bytes)\n\n\
                fl=(1) php:internal\nfn=(1) php::strlen\n1 50 -128\n\n\
                fl=(2) /x.php\nfn=(2) foo\n3 100 400\ncfl=(1)\ncfn=(1)\ncalls=1 0 0\n4 50 -128\n\n\
                fl=(2)\nfn=(3) {main}\n1 200 64\ncfl=(2)\ncfn=(2)\ncalls=1 0 0\n8 150 272\n";
    let recording = read(&scratch.write("cachegrind.out.1", text.as_bytes()));
    let rows = [
        ("foo", 272, 400),
        ("php::strlen", -128, -128),
        ("{main}", 336, 64),
    ];
    assert_eq!(sums(&recording, 1), expected(&rows));
    assert_eq!(profile(&recording).negative(1), 2);
    assert_eq!(warnings(&recording)["negative-cost"], 2);
}

#[test]
fn what_cg_diff_finds_less_is_negative() {
    let scratch = Scratch::new("signed-cg");
    let text = "desc: diff\ncmd: a\nevents: Ir Dr\nfl=a.c\nfn=main\n1 100 5\n2 -30 -2\nfn=f\n10 -200 -9\nsummary: -130 -6\n";
    let recording = read(&scratch.write("diff.out", text.as_bytes()));
    assert_eq!(
        sums(&recording, 0),
        expected(&[("f", -200, -200), ("main", 70, 70)])
    );
    assert_eq!(
        sums(&recording, 1),
        expected(&[("f", -9, -9), ("main", 3, 3)])
    );
}

#[test]
fn profiles_of_other_units_are_values_and_keep_their_signs() {
    let scratch = Scratch::new("signed-speedscope");
    let text = r#"{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"main"},{"name":"a"},{"name":"b"}]},"profiles":[
        {"type":"sampled","name":"alloc","unit":"bytes","startValue":0,"endValue":10,"samples":[[0,1],[0,2],[0]],"weights":[100,-40,7]},
        {"type":"sampled","name":"count","unit":"none","startValue":0,"endValue":10,"samples":[[0,1],[0,2]],"weights":[3,-1]}]}"#;
    let recording = read(&scratch.write("x.speedscope.json", text.as_bytes()));
    let rows = [("a", 100, 100), ("b", -40, -40), ("main", 67, 7)];
    assert_eq!(sums(&recording, 0), expected(&rows));
    assert_eq!(
        sums(&recording, 1),
        expected(&[("a", 3, 3), ("b", -1, -1), ("main", 2, 0)])
    );
}

#[test]
fn costs_of_tables_keep_their_signs_in_other_locales_too() {
    let scratch = Scratch::new("signed-table");
    let text = "function;file;self_bytes;src_line\nmain;m.c;-5;10\na;m.c;1.234.567;20\nb;m.c;-7.000.000;30\n";
    let recording = open(&scratch.write("t.csv", text.as_bytes())).expect("a profile");
    let rows = [
        ("a", 1_234_567, 1_234_567),
        ("b", -7_000_000, -7_000_000),
        ("main", -5, -5),
    ];
    assert_eq!(sums(&recording, 0), expected(&rows));
    assert_eq!(profile(&recording).values().len(), 1);
}

/// What formats of one value say of two functions, the one of which weighs less than nothing.
#[test]
fn text_formats_keep_the_sign_and_count_it() {
    let scratch = Scratch::new("signed-texts");
    let hprof = "JAVA PROFILE 1.0.1, created Thu\n\nTRACE 1:\n\ta.f(A.java:1)\nTRACE 2:\n\ta.g(A.java:2)\n\
                 CPU SAMPLES BEGIN (total = 1.002) Thu\nrank   self  accum   count trace method\n\
                 1 100,00% 100,00%  1.005 1 a.f\n2 -0,30% 99,70%  -3 2 a.g\nCPU SAMPLES END\n";
    let speedscope = r#"{"$schema":"https://www.speedscope.app/file-format-schema.json",
        "shared":{"frames":[{"name":"a.f"},{"name":"a.g"}]},"profiles":[{"type":"sampled","name":"x","unit":"bytes",
        "startValue":0,"endValue":2,"samples":[[0],[1]],"weights":[1005,-3]}]}"#;
    let csv = "function,selfBytes\na.f,\"1,005\"\na.g,-3\n";
    for (name, text) in [
        ("a.hprof.txt", hprof),
        ("a.speedscope.json", speedscope),
        ("a.csv", csv),
    ] {
        let recording = read(&scratch.write(name, text.as_bytes()));
        let rows = [("a.f", 1005, 1005), ("a.g", -3, -3)];
        assert_eq!(sums(&recording, 0), expected(&rows), "{name}");
        assert_eq!(profile(&recording).negative(0), 1, "{name}");
        let counted = warnings(&recording).into_keys();
        assert!(
            counted.into_iter().any(|kind| kind.starts_with("negative")),
            "{name}"
        );
    }
}

/// As `go tool pprof -diff_base` writes them.
#[test]
fn differences_of_pprof_keep_their_sign() {
    let mut bytes = Vec::new();
    let pair = |numbers: [u64; 2]| {
        move |out: &mut Vec<u8>| {
            for (field, value) in (1..).zip(numbers) {
                wire::number(field, value, out);
            }
        }
    };
    wire::message(1, &mut bytes, pair([1, 2]));
    for (location, value) in [(1, 40_u64), (2, -7_i64 as u64)] {
        wire::message(2, &mut bytes, pair([location, value]));
    }
    for id in [1, 2] {
        wire::message(4, &mut bytes, |out| {
            wire::number(1, id, out);
            wire::message(4, out, pair([id, 3]));
        });
        wire::message(5, &mut bytes, pair([id, id + 2]));
    }
    for text in ["", "space", "bytes", "a", "b"] {
        wire::bytes(6, text.as_bytes(), &mut bytes);
    }
    let recording = read(&Scratch::new("signed-pprof").write("diff.pb", &bytes));
    assert_eq!(
        sums(&recording, 0),
        expected(&[("a", 40, 40), ("b", -7, -7)])
    );
    assert_eq!(profile(&recording).negative(0), 1);
    let lines = recording.lines.as_ref().expect("lines");
    let own: Vec<i64> = (0..lines.len())
        .map(|it| lines.own(0, it).weight())
        .collect();
    assert_eq!(own, [40, -7]);
}

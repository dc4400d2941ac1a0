//! Damaged profiles: an error that names the file, or counted repairs; never a panic, a hang or lost memory.

use super::{Scratch, functions, open, profile, read, warnings};
use crate::common::{Random, data, large_data};

/// What is expected of a damaged file: words of the error, or the kinds of its warnings.
enum Outcome {
    Error(&'static [&'static str]),
    Warnings(&'static [&'static str]),
}

use Outcome::{Error, Warnings};

const DAMAGED: &[(&str, Outcome)] = &[
    (
        "folded-count-overflow.folded",
        Warnings(&["count-out-of-range"]),
    ),
    ("folded-deep-200k.folded.gz", Warnings(&[])),
    (
        "folded-empty-frames.folded",
        Warnings(&["empty-frame", "empty-stack"]),
    ),
    ("folded-invalid-utf8.folded", Warnings(&["invalid-text"])),
    (
        "folded-negative-count.folded",
        Warnings(&["negative-count"]),
    ),
    ("folded-no-count.folded", Error(&["known format"])),
    ("folded-nul.folded", Warnings(&["invalid-text"])),
    (
        "callgrind-calls-without-cost-line.out",
        Warnings(&["missing-call-cost", "truncated-file"]),
    ),
    ("callgrind-negative-cost.out", Warnings(&["negative-cost"])),
    ("callgrind-no-events.out", Error(&["line 4", "events:"])),
    ("callgrind-truncated.out", Warnings(&["truncated-file"])),
    ("callgrind-unknown-file-id.out", Warnings(&["unknown-id"])),
    (
        "hprof-no-table.hprof.txt",
        Error(&["line 174", "CPU SAMPLES"]),
    ),
    (
        "hprof-table-unknown-trace.hprof.txt",
        Warnings(&["unknown-trace"]),
    ),
    (
        "hprof-truncated-in-table.hprof.txt",
        Warnings(&["truncated-file"]),
    ),
    ("pprof-empty.pb", Error(&["empty file"])),
    ("pprof-length-overruns.pb", Error(&["byte 0"])),
    ("pprof-truncated.pb", Warnings(&["truncated-file"])),
];

#[test]
fn damaged_profiles_give_a_clear_error_or_counted_warnings() {
    let Some(dir) = large_data("corrupt") else {
        return;
    };
    for (name, outcome) in DAMAGED {
        match (outcome, open(&dir.join(name))) {
            (Error(words), Err(error)) => {
                let message = error.to_string();
                assert!(message.contains(name), "{message}");
                assert!(words.iter().all(|word| message.contains(word)), "{message}");
            }
            (Warnings(kinds), Ok(recording)) => {
                let counted = warnings(&recording);
                assert!(
                    kinds.iter().all(|kind| counted.contains_key(kind)),
                    "{name}: {counted:?}"
                );
                assert!(
                    !kinds.is_empty() || counted.is_empty(),
                    "{name}: {counted:?}"
                );
                assert!(!recording.functions.is_empty(), "{name}");
                for warning in &recording.warnings {
                    assert!(warning.first.file.contains(name), "{warning}");
                }
            }
            (_, Ok(recording)) => panic!("{name}: {:?}", warnings(&recording)),
            (_, Err(error)) => panic!("{name}: {error}"),
        }
    }
}

#[test]
fn what_folded_lines_hold_is_kept_beside_what_they_do_not() {
    let scratch = Scratch::new("folded-damage");
    let deep = "f;".repeat(200_000) + "g 3\n";
    let recording = read(&scratch.write("deep", deep.as_bytes()));
    assert_eq!(recording.max_depth(), 200_001);
    assert_eq!(functions(&recording)["f"], (0, 3, 0));

    let overflow = format!("a;b {0}\nc {0}\nd 1\n", i64::MAX);
    let recording = read(&scratch.write("overflow", overflow.as_bytes()));
    assert_eq!(warnings(&recording)["weight-out-of-range"], 2);
    assert_eq!(profile(&recording).weight().weight(), i64::MAX);

    let odd = b"main;f 3\nmain;g\nmain;h -3\nmain;i 1.2.3\nmain;j 99999999999999999999\n\xff\xfe;\0k 4\n;; 2\n";
    let recording = read(&scratch.write("odd", odd));
    let counted = warnings(&recording);
    let expected = [
        ("count-out-of-range", 1),
        ("empty-frame", 3),
        ("empty-stack", 1),
        ("invalid-text", 2),
        ("missing-count", 2),
        ("negative-count", 1),
    ];
    assert_eq!(counted.into_iter().collect::<Vec<_>>(), expected);
    // A sample less is one that the difference is made of too.
    assert_eq!(recording.samples, 12);
    let names = functions(&recording);
    assert!(
        names.contains_key("\0k") && names.contains_key("[no frames]"),
        "{names:?}"
    );
}

/// A field of bytes.
fn bytes(number: u8, content: &[u8]) -> Vec<u8> {
    let mut field = vec![number << 3 | 2];
    let mut length = content.len();
    while length >= 0x80 {
        field.push(length as u8 | 0x80);
        length >>= 7;
    }
    field.push(length as u8);
    field.extend_from_slice(content);
    field
}

/// Two sample types, functions 1 and 2, locations 1 (function 1) and 2 (function 2 inlined in 1).
fn small(samples: &[&[u8]]) -> Vec<u8> {
    let mut profile = [bytes(1, b"\x08\x01\x10\x02"), bytes(1, b"\x08\x03\x10\x04")].concat();
    for sample in samples {
        profile.extend(bytes(2, sample));
    }
    profile.extend(bytes(4, b"\x08\x01\x22\x02\x08\x01"));
    profile.extend(bytes(4, b"\x08\x02\x22\x02\x08\x02\x22\x02\x08\x01"));
    profile.extend(bytes(5, b"\x08\x01\x10\x05\x20\x07\x28\x0c"));
    profile.extend(bytes(5, b"\x08\x02\x10\x06"));
    for text in [
        "",
        "space",
        "bytes",
        "wait",
        "microseconds",
        "outer",
        "inner",
        "a.c",
    ] {
        profile.extend(bytes(6, text.as_bytes()));
    }
    profile
}

#[test]
fn pprof_inlines_values_and_drop_frames_are_read() {
    let scratch = Scratch::new("pprof");
    let samples: [&[u8]; 3] = [
        b"\x0a\x02\x02\x01\x12\x02\x05\x07",
        // The same, not packed, and one without locations.
        b"\x08\x02\x08\x01\x10\x01\x10\x01",
        b"\x12\x02\x03\x04",
    ];
    let mut profile_bytes = small(&samples);
    let mut recording = read(&scratch.write("profile", &profile_bytes));
    assert_eq!(recording.format, "pprof");
    assert_eq!(
        warnings(&recording).into_iter().collect::<Vec<_>>(),
        [("empty-stack", 1)]
    );
    // The last value where none is named; microseconds as nanoseconds.
    let expected = [
        "0 outer 8000 0",
        "1 outer 8000 0",
        "2 inner 8000 8000",
        "0 [no frames] 4000 4000",
    ];
    assert_eq!(super::tree(&recording), expected);
    assert_eq!(functions(&recording)["outer"], (0, 8000, 0));
    let outer = recording.functions.get(callscape::units::FunctionId(0));
    assert_eq!((outer.name, outer.file, outer.line), ("outer", "a.c", 12));
    let shown = recording.profile.as_mut().expect("a profile").show("space");
    assert_eq!(shown, Ok(()));
    assert_eq!(profile(&recording).unit().name(), "bytes");
    assert_eq!(functions(&recording)["inner"], (0, 6, 6));

    // The default by name, and frames to drop: "inner" is inlined, what is around it stays.
    profile_bytes.extend(bytes(6, b"inn.*"));
    profile_bytes.extend(b"\x38\x08\x70\x01");
    let recording = read(&scratch.write("dropping", &profile_bytes));
    assert_eq!(super::tree(&recording)[..2], ["0 outer 6 0", "1 outer 6 6"]);
    profile_bytes.extend(b"\x40\x06");
    let recording = read(&scratch.write("keeping", &profile_bytes));
    assert_eq!(functions(&recording)["inner"], (0, 6, 6));
}

#[test]
fn hostile_pprof_profiles_are_bounded() {
    let scratch = Scratch::new("hostile");
    // One location with very many lines, named very many times.
    let line = b"\x22\x02\x08\x01";
    let location = [&b"\x08\x01"[..], &line.repeat(60_000)].concat();
    let mut profile_bytes = bytes(1, b"\x08\x01\x10\x02");
    let stack = bytes(1, &[1; 200_000]);
    profile_bytes.extend(bytes(2, &[&stack[..], b"\x10\x01"].concat()));
    profile_bytes.extend(bytes(4, &location));
    profile_bytes.extend(bytes(5, b"\x08\x01"));
    let recording = read(&scratch.write("lines", &profile_bytes));
    assert!(warnings(&recording).contains_key("context-left-out"));
    assert!(recording.max_depth() < 5_000_000);

    // Ids that are missing, doubled or nothing's, and values that fit nothing.
    let samples: [&[u8]; 4] = [
        b"\x0a\x03\x09\x00\x01\x12\x03\x01\x02\x03",
        b"\x0a\x01\x02\x12\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
        b"\x0a\x01\x02\x12\x02\xff\xff",
        b"\x0a\x05\x01",
    ];
    let mut profile_bytes = small(&samples);
    profile_bytes.extend(bytes(4, b"\x08\x02"));
    profile_bytes.extend(bytes(4, b""));
    profile_bytes.extend(bytes(5, b"\x08\x01\x10\x7f"));
    let recording = read(&scratch.write("ids", &profile_bytes));
    let counted = warnings(&recording);
    for kind in [
        "unknown-location",
        "duplicate-id",
        "missing-id",
        "negative-value",
        "malformed-sample",
        "value-without-type",
    ] {
        assert!(counted.contains_key(kind), "{kind}: {counted:?}");
    }
}

#[test]
fn profiles_with_flipped_bits_or_cut_do_no_harm() {
    let scratch = Scratch::new("flips");
    let mut opened = 0;
    for file in [
        "hprof/figure1.hprof.txt",
        "callgrind/fib.callgrind.out",
        "pprof/markdown-render.pb.gz",
        "folded/markdown-render.folded.gz",
    ] {
        let whole = std::fs::read(data(&format!("import/{file}"))).expect("a sample");
        let whole = match file.ends_with(".gz") {
            true => {
                let mut bytes = Vec::new();
                let mut decoder = flate2::read::GzDecoder::new(&whole[..]);
                std::io::Read::read_to_end(&mut decoder, &mut bytes).expect("a sample");
                bytes
            }
            false => whole,
        };
        // As many bytes as a test has time for.
        let whole = &whole[..whole.len().min(30_000)];
        for seed in 0..120 {
            let random = &mut Random(seed);
            let mut damaged = whole.to_vec();
            match random.below(3) {
                0 => damaged.truncate(random.below(whole.len() as u64) as usize),
                1 => {
                    let from = random.below(whole.len() as u64) as usize;
                    damaged.drain(from..(from + 40).min(whole.len()));
                }
                _ => {
                    for _ in 0..1 + random.below(8) {
                        let at = random.below(damaged.len() as u64) as usize;
                        damaged[at] ^= 1 << random.below(8);
                    }
                }
            }
            let Ok(recording) = open(&scratch.write("damaged", &damaged)) else {
                continue;
            };
            opened += 1;
            if let Some(profile) = &recording.profile {
                assert_eq!(profile.function_metrics().len(), recording.functions.len());
                let all = profile.weight();
                assert!(profile.function_metrics().iter().all(|it| it.total <= all));
            }
        }
    }
    assert!(opened > 300, "{opened}");
}

/// Found by fuzzing: more columns than there are events, since these are named again and again.
#[test]
fn callgrind_events_may_be_named_twice() {
    let scratch = Scratch::new("twice");
    let (names, costs) = ("Ir ".repeat(40), "2 ".repeat(40));
    let text = format!("# callgrind format\nevents: {names}\nfn=main\n1 {costs}\n");
    let path = scratch.write("twice.callgrind.out", text.as_bytes());
    let recording = open(&path).expect("a profile");
    assert_eq!(functions(&recording)["main"], (0, 80, 80));
    assert_eq!(warnings(&recording).get("duplicate-event"), Some(&1));
}

#[test]
fn later_tables_of_the_hprof_agent_replace_earlier_ones() {
    let scratch = Scratch::new("hprof");
    let text = "TRACE 1:\n\ta.B.c(B.java:1)\nTRACE 2:\n\ta.B.c(Unknown Source)\n\td.E.<init>(E.java)\n\
                TRACE 2:\n\tx.Y.z(Y.java:3)\nTRACE 3: (thread=200001)\n\t<empty>\n\
                CPU TIME (ms) BEGIN (total = 10) now\nrank   self  accum   count trace method\n\
                \x20  1 50.00% 50.00%       3 1 a.B.c\nCPU TIME (ms) END\n\
                THREAD START (obj=1, id = 200001, name=\"main\", group=\"main\")\n\
                CPU TIME (ms) BEGIN (total = 20) now\nrank   self  accum   count trace method\n\
                \x20  1 50.00% 50.00%       6 2 a.B.c\n   2 25.00% 75.00% 2 3 <Unknown>\n\
                \x20  3 what is this\n   4 1.00% 76.00% -5 1 a.B.c\n   5 0.50% 76.50% 4 77 f.G.h\nCPU TIME (ms) END\n";
    let recording = read(&scratch.write("times", text.as_bytes()));
    let expected = [
        "0 d.E.<init> 10000000 0",
        "1 a.B.c 10000000 10000000",
        "0 <Unknown> 5000000 5000000",
        "0 a.B.c 200000 200000",
        "0 f.G.h 100000 100000",
    ];
    assert_eq!(super::tree(&recording), expected);
    let counted = warnings(&recording);
    let expected = [
        ("duplicate-id", 1),
        ("earlier-table", 1),
        ("malformed-row", 1),
        ("negative-count", 1),
        ("unknown-trace", 1),
    ];
    assert_eq!(counted.into_iter().collect::<Vec<_>>(), expected);
    assert_eq!(recording.calls(), 12);
    assert_eq!(recording.threads()[0].name, "main");
}

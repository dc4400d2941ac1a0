//! Damaged recordings: an error that names the file, or counted repairs; never a panic, never a bad time.

use std::path::Path;

use super::{Scratch, open, read, warnings};
use crate::common::{Random, data, large_data};

/// What is expected of a damaged file: words of the error, or the kinds of its warnings.
enum Outcome {
    Error(&'static [&'static str]),
    Warnings(&'static [&'static str]),
}

use Outcome::{Error, Warnings};

const DAMAGED: &[(&str, Outcome)] = &[
    ("chrome-empty.json", Error(&["empty file"])),
    ("chrome-empty-array.json", Error(&["found none"])),
    (
        "chrome-no-events-key.json",
        Error(&["traceEvents", "displayTimeUnit"]),
    ),
    (
        "chrome-truncated-mid-string.json",
        Warnings(&["truncated-file", "open-at-end"]),
    ),
    (
        "chrome-truncated-after-comma.json",
        Warnings(&["unterminated-array", "open-at-end"]),
    ),
    (
        "chrome-truncated-no-bracket.json",
        Warnings(&["unterminated-array", "open-at-end"]),
    ),
    ("chrome-nul-inside.json", Warnings(&["invalid-text"])),
    ("chrome-invalid-utf8-name.json", Warnings(&["invalid-text"])),
    ("chrome-utf8-bom.json", Warnings(&["open-at-end"])),
    ("chrome-non-monotonic.json", Warnings(&["out-of-order"])),
    (
        "chrome-end-without-begin.json",
        Warnings(&["end-without-begin"]),
    ),
    (
        "chrome-begin-without-end.json",
        Warnings(&["missing-end", "open-at-end"]),
    ),
    (
        "chrome-mismatched-end-names.json",
        Warnings(&["end-without-begin", "missing-end"]),
    ),
    (
        "chrome-nan-timestamps.json",
        Warnings(&["time-not-a-number"]),
    ),
    ("chrome-string-timestamps.json", Warnings(&["open-at-end"])),
    (
        "chrome-huge-timestamps.json",
        Warnings(&["time-out-of-range"]),
    ),
    (
        "chrome-negative-duration.json",
        Warnings(&["negative-duration"]),
    ),
    (
        "chrome-missing-fields.json",
        Warnings(&["missing-field", "not-an-event"]),
    ),
    ("chrome-unknown-phases.json", Warnings(&["unknown-phase"])),
    ("chrome-tid-strings.json", Warnings(&["open-at-end"])),
    ("chrome-10k-threads.json.gz", Warnings(&[])),
    ("chrome-deep-200k.json.gz", Warnings(&[])),
    (
        "json-nesting-200k.json.gz",
        Error(&["found none", "not an event"]),
    ),
    (
        "json-args-nesting-5k.json",
        Warnings(&["argument-text-cut"]),
    ),
    (
        "gzip-truncated.json.gz",
        Warnings(&["truncated-compression"]),
    ),
    ("gzip-bad-crc.json.gz", Error(&["compressed", "checksum"])),
    ("gzip-claims-4gb.json.gz", Warnings(&["wrong-size-field"])),
    ("gzip-header-only.json.gz", Error(&["empty file"])),
    (
        "gzip-trailing-garbage.json.gz",
        Warnings(&["trailing-garbage"]),
    ),
    ("gzip-two-members.json.gz", Warnings(&["open-at-end"])),
    (
        "gzip-bomb-64mib.json.gz",
        Error(&["found none", "unterminated array"]),
    ),
    (
        "elf-named.json",
        Error(&["known format", "byte 0", "a program"]),
    ),
    ("wrong-magic.jfr", Error(&["known format"])),
    ("uftrace-cut-mid-record", Warnings(&["truncated-file"])),
    ("uftrace-no-task-txt", Warnings(&["missing-task-file"])),
    ("uftrace-no-sym", Warnings(&["missing-symbol"])),
    ("uftrace-empty-dat", Error(&["25806.dat", "empty file"])),
    (
        "uftrace-wrong-info-magic",
        Error(&["info", "byte 0", "Ftrace!", "Xtrace!"]),
    ),
    (
        "uftrace-bad-record-magic",
        Error(&["25806.dat", "byte 24000", "a record"]),
    ),
    ("uftrace-time-goes-back", Warnings(&["time-goes-back"])),
    ("uftrace-exits-removed", Warnings(&["missing-end"])),
];

#[test]
fn damaged_files_give_a_clear_error_or_counted_warnings() {
    let Some(dir) = large_data("corrupt") else {
        return;
    };
    for (name, outcome) in DAMAGED {
        let mut result = open(&dir.join(name));
        // An index that an older version has left in the cache is made anew by the first reading.
        if matches!(&result, Ok(it) if warnings(it).contains_key("index-of-other-version")) {
            // While a recording is open, whoever opens it again has the same one.
            drop(result);
            result = open(&dir.join(name));
        }
        match (outcome, result) {
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
                for warning in &recording.warnings {
                    assert!(warning.first.file.contains(name), "{warning}");
                }
            }
            (_, Ok(recording)) => panic!("{name}: {:?}", warnings(&recording)),
            (_, Err(error)) => panic!("{name}: {error}"),
        }
    }
}

/// Other calls keep the right times where some ends are missing: the depth in the records tells.
#[test]
fn calls_beside_missing_exits_keep_their_times() {
    let Some(dir) = large_data("corrupt") else {
        return;
    };
    let whole = read(&dir.join("uftrace-cut-mid-record"));
    let without = read(&dir.join("uftrace-exits-removed"));
    let (whole, without) = (super::calls(&whole, 0), super::calls(&without, 0));
    assert_eq!(whole.len(), without.len());
    for (whole, without) in whole.iter().zip(&without) {
        assert_eq!(
            (whole.start, whole.depth, &whole.name),
            (without.start, without.depth, &without.name)
        );
        assert!(without.end >= whole.end || whole.end == whole.start);
    }
}

/// Opens a damaged copy: whatever comes of it, no panic, and no time beyond the trace's duration.
fn survive(path: &Path) -> Option<u64> {
    let recording = open(path).ok()?;
    let trace = &recording.trace;
    let end = trace.range().end;
    for thread in trace.threads() {
        assert!(thread.start <= thread.end && thread.end <= end);
    }
    if recording.profile.is_some() {
        return None;
    }
    assert_eq!(
        trace.function_metrics(None).len(),
        recording.functions.len()
    );
    Some(trace.calls())
}

#[test]
fn a_trace_cut_anywhere_keeps_what_was_whole() {
    let scratch = Scratch::new("cut");
    for file in ["syn-spans.tracing-chrome.json", "tinyxml2.ftime-trace.json"] {
        let whole = std::fs::read(data(&format!("import/{file}"))).expect("a sample");
        // As many cuts as a test has time for; each byte of one event among them.
        let whole = &whole[..whole.len().min(2500)];
        let mut calls = 0;
        for length in 0..whole.len() {
            let now = survive(&scratch.write("trace", &whole[..length]));
            // Until the array begins there is nothing to keep.
            if now.is_some() || calls > 0 {
                assert!(
                    now >= Some(calls),
                    "{file} cut to {length}: {now:?} after {calls}"
                );
                calls = now.unwrap_or(calls);
            }
        }
        assert!(calls > 5);
    }
    let whole = std::fs::read(data("import/tinyxml2.ftime-trace.json")).expect("a sample");
    let gzip = flate2::read::GzEncoder::new(&whole[..], flate2::Compression::fast());
    let gzip: Result<Vec<u8>, _> = std::io::Read::bytes(gzip).collect();
    let gzip = gzip.expect("memory");
    for length in 0..gzip.len() {
        survive(&scratch.write("trace", &gzip[..length]));
    }
}

#[test]
fn what_was_decompressed_before_damage_is_kept() {
    use std::io::Write;
    let whole = std::fs::read(data("import/syn-spans.tracing-chrome.json")).expect("a sample");
    let half = &whole[..whole.len() / 2];
    let scratch = Scratch::new("damage");
    let plain = read(&scratch.write("half.json", half));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(half).expect("memory");
    gzip.flush().expect("memory");
    // A block of a kind that deflate does not have.
    let gzip = [gzip.get_ref(), &[0xff; 40][..]].concat();
    let name = "half.json.gz";
    let damaged = read(&scratch.write(name, &gzip));
    assert!(damaged.trace.calls() > 5);
    assert_eq!(damaged.trace.calls(), plain.trace.calls());
    assert_eq!(warnings(&damaged)["damaged-compression"], 1);
    // With nothing before it there is nothing to keep.
    let header = 10;
    let bad = [&gzip[..header], &[0xff; 40]].concat();
    let error = open(&scratch.write(name, &bad)).expect_err("no recording");
    assert!(error.to_string().contains("compressed"), "{error}");
}

#[test]
fn what_stands_in_whole_blocks_of_zstandard_is_kept_and_checksums_are_looked_at() {
    use std::io::Write;
    // Longer than what is read at once: a trace ends before its checksum is at hand.
    let event = |at: u32| {
        format!(
            "{{\"ph\":\"X\",\"name\":\"f{}\",\"ts\":{at},\"dur\":1,\"pid\":1,\"tid\":1}}",
            at * 7919 % 1009
        )
    };
    let events: Vec<String> = (0..6000).map(event).collect();
    let text = format!("[{}]", events.join(",\n"));
    let scratch = Scratch::new("checksums");
    let zstd = {
        let mut packed = zstd::Encoder::new(Vec::new(), 1).expect("an encoder");
        packed.include_checksum(true).expect("an encoder");
        packed.write_all(text.as_bytes()).expect("memory");
        packed.finish().expect("memory")
    };
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).expect("memory");
    let gzip = gzip.finish().expect("memory");
    for (name, packed, checksum) in [("a.json.zst", &zstd, 1), ("a.json.gz", &gzip, 6)] {
        let all = read(&scratch.write(name, packed)).trace.calls();
        assert_eq!(all, 6000);
        let mut wrong = packed.clone();
        let last = packed.len() - checksum;
        wrong[last] ^= 1;
        let error = open(&scratch.write(name, &wrong)).expect_err("a wrong checksum");
        assert!(error.to_string().contains("checksum"), "{error}");
        let cut = read(&scratch.write(name, &packed[..packed.len() * 3 / 4]));
        assert!((1000..6000).contains(&cut.trace.calls()), "{name}");
        assert_eq!(warnings(&cut)["truncated-compression"], 1);
        assert!(!warnings(&cut).contains_key("trailing-garbage"));
    }
    // A single block, of which nothing can be had before its end.
    let one = zstd::encode_all("main;work 3\n".repeat(99).as_bytes(), 1).expect("memory");
    let error = open(&scratch.write("one.zst", &one[..one.len() / 2])).expect_err("nothing");
    assert!(error.to_string().contains("truncated stream"), "{error}");
    let behind = format!("{text} and more");
    assert_eq!(
        warnings(&read(&scratch.write("b.json", behind.as_bytes())))["trailing-garbage"],
        1
    );
}

#[test]
fn traces_with_flipped_bits_do_no_harm() {
    let scratch = Scratch::new("flips");
    for file in [
        "syn-spans.tracing-chrome.json",
        "tinyxml2.ftime-trace.json",
        "toml-threads.viztracer.json",
    ] {
        let whole = std::fs::read(data(&format!("import/{file}"))).expect("a sample");
        for seed in 0..150 {
            let random = &mut Random(seed);
            let mut damaged = whole[..whole.len().min(6000)].to_vec();
            for _ in 0..1 + random.below(6) {
                let at = random.below(damaged.len() as u64) as usize;
                damaged[at] ^= 1 << random.below(8);
            }
            survive(&scratch.write("trace", &damaged));
        }
    }
}

#[test]
fn uftrace_directories_with_cut_or_flipped_files_do_no_harm() {
    let sample = data("import/tasks.uftrace");
    let files: Vec<_> = std::fs::read_dir(&sample)
        .expect("a sample")
        .flatten()
        .collect();
    for seed in 0..250 {
        let random = &mut Random(seed);
        let scratch = Scratch::new(&format!("uftrace-damage-{seed}"));
        let victim = random.below(files.len() as u64) as usize;
        for (index, file) in files.iter().enumerate() {
            let mut bytes = std::fs::read(file.path()).expect("a sample");
            if index == victim && !bytes.is_empty() {
                if random.below(2) == 0 {
                    bytes.truncate(random.below(bytes.len() as u64) as usize);
                } else {
                    for _ in 0..1 + random.below(4) {
                        let at = random.below(bytes.len() as u64) as usize;
                        bytes[at] ^= 1 << random.below(8);
                    }
                }
            }
            scratch.write(&file.file_name().to_string_lossy(), &bytes);
        }
        survive(&scratch.0);
    }
}

#[test]
fn what_is_no_recording_gives_one_clear_error() {
    let scratch = Scratch::new("no-recording");
    for (path, words) in [
        (scratch.0.join("missing"), &["missing", "No such file"][..]),
        (
            scratch.0.clone(),
            &["known format", "chrome-json", "directory"],
        ),
        (
            scratch.write("text", b"hello world"),
            &["byte 0", "hello world"],
        ),
        (
            scratch.write("string.json", b"\"traceEvents\""),
            &["known format"],
        ),
        (scratch.write("null.json", b"null"), &["known format"]),
        (
            scratch.write(
                "header.txt",
                b"# ========\n# captured on    : Sun Nov 22\n# cmdline : perf record ./a 20\n#\n",
            ),
            &["line 4", "samples"],
        ),
        (
            scratch.write("open.json", b"{"),
            &["traceEvents", "no members"],
        ),
        (
            scratch.write("wrong.json", b"{\"traceEvents\": 3, \"a\": 1}"),
            &["traceEvents, a"],
        ),
        (
            scratch.write("broken.json", b"{\"a\": 1, 7}"),
            &["byte 9", "JSON"],
        ),
    ] {
        let message = open(&path).expect_err("no recording").to_string();
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
        assert!(!message.contains('\n'));
    }
}

/// What the fuzzer found, by the format that it was found in: `FORMAT-what.bin`.
#[test]
fn what_the_fuzzer_found_does_no_harm() {
    let found = std::fs::read_dir(data("import/fuzz")).expect("the folder");
    for entry in found.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if let Some(stem) = name.strip_suffix(".bin") {
            let formats = ["perf-script", "chrome-json"];
            let format = formats.into_iter().find(|format| stem.starts_with(format));
            let format = format.unwrap_or(stem.split('-').next().unwrap_or_default());
            let progress = callscape::progress::Progress::new();
            let read = callscape::import::read_as(format, &entry.path(), &progress);
            if let Ok(recording) = read.unwrap_or_else(|| panic!("{name}: no such format")) {
                for thread in 0..recording.trace.threads().len() {
                    super::calls(&recording, thread);
                }
            }
            survive(&entry.path());
        }
    }
}

/// Every file of the table of damaged inputs is held against what it says somewhere: here, or beside its format.
#[test]
fn no_damaged_file_is_forgotten() {
    let Some(dir) = large_data("corrupt") else {
        return;
    };
    // Those that the tests of their formats look at.
    let elsewhere = [
        "cpuprofile-",
        "folded-",
        "pprof-",
        "callgrind-",
        "hprof-",
        "truncated.jfr",
    ];
    for entry in std::fs::read_dir(dir).expect("the folder").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let known = DAMAGED.iter().any(|(known, _)| *known == name)
            || elsewhere.iter().any(|start| name.starts_with(start))
            || name == "generate.py";
        assert!(known, "{name}");
    }
}

//! A small part of what `./x damage` does: inputs made from seeds by damage that a number decides give no false answer.
//! And archives and ignore files that are made to wait for.

use std::path::{Path, PathBuf};

use callscape::import;
use callscape::progress::Progress;

use crate::common::{self, Random, Scratch};
use callscape_testing::{check, mutate};

/// Inputs of each format.
const INPUTS: u64 = 24;

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder);
    let entries = entries.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.flatten().map(|it| it.path()).collect();
    files.sort();
    files
}

/// The fuzz target in `source`, and the format whose files it reads. None of the one that reads directories.
fn target(source: &Path) -> Option<(String, String)> {
    let text = std::fs::read_to_string(source).expect("a target");
    let (_, rest) = text.split_once("callscape_fuzz::file(\"")?;
    let (format, _) = rest.split_once('"').expect("a name");
    let name = source.file_stem().expect("a name").to_str();
    Some((name.expect("text").to_owned(), format.to_owned()))
}

#[test]
fn damaged_seeds_of_each_format_give_no_false_answer() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let scratch = Scratch::new("damaged-seeds");
    let sources = files(&fuzz.join("fuzz_targets"));
    for (name, format) in sources.iter().filter_map(|source| target(source)) {
        let read = |path: &PathBuf| std::fs::read(path).expect("a seed");
        let seeds = files(&fuzz.join("seeds").join(&name));
        let seeds: Vec<Vec<u8>> = seeds.iter().map(read).collect();
        assert!(!seeds.is_empty(), "the fuzz target {name} needs a seed");
        let mut opened = 0;
        for number in 0..INPUTS {
            let mut random = Random(number);
            let [seed, other] = [0, 1].map(|_| &seeds[random.index(seeds.len())]);
            let input = mutate::damaged(seed, other, &mut random);
            let path = scratch.write("input", &input);
            // Where the build leaves a format out, nothing is known of it.
            if let Some(read) = import::read_as(&format, &path, &Progress::new()) {
                opened += u64::from(check::check(read));
            }
        }
        println!("{format}: {opened} of {INPUTS} opened");
    }
}

#[test]
fn what_was_found_gives_no_false_answer() {
    for path in files(&common::data("import/fuzz")) {
        let recording = import::open(&path, &Progress::new());
        if path.extension().is_some_and(|it| it == "bin") {
            check::check(recording);
        }
    }
}

/// Calls, and the kinds of warnings, of one of the inputs that were found.
fn found(name: &str) -> (u64, Vec<String>) {
    let path = common::data("import/fuzz").join(name);
    let recording = import::open(&path, &Progress::new()).expect("a recording");
    let kinds = recording.warnings.iter().map(|it| it.kind.to_string());
    (recording.calls(), kinds.collect())
}

#[test]
fn what_contradicts_itself_is_repaired_and_counted() {
    let (_, kinds) = found("callgrind-self-above-total.bin");
    assert!(kinds.contains(&"total-below-self".to_owned()), "{kinds:?}");
    for beyond in [
        "otlp-costs-beyond-63-bits.bin",
        "otlp-costs-beyond-64-bits.bin",
    ] {
        let (_, kinds) = found(beyond);
        assert!(
            kinds.contains(&"costs-out-of-range".to_owned()),
            "{kinds:?}"
        );
    }
}

#[cfg(feature = "parquet")]
#[test]
fn numbers_past_64_bits_are_left_out_and_sums_past_them_are_cut_and_both_are_counted() {
    let (calls, kinds) = found("csv-calls-saturate.bin");
    assert_eq!((calls, kinds), (1, vec!["number-out-of-range".to_owned()]));
    let scratch = Scratch::new("sums");
    let most = u64::MAX / 2;
    let text = format!("function,self_ns,calls\nf,1,{most}\ng,1,{most}\nh,1,{most}\n");
    let path = scratch.write("sums.csv", text.as_bytes());
    let recording = import::open(&path, &Progress::new()).expect("a table");
    assert_eq!(recording.calls(), u64::MAX);
    assert_eq!(recording.warnings[0].kind, "calls-out-of-range");
    check::check(Ok(recording));
}

/// A tar of many small members, compressed or not, is read once: while each member was looked for from the start of the
/// archive, this took minutes.
#[test]
fn many_members_of_a_tar_are_read_once() {
    let scratch = Scratch::new("members");
    let mut tar = tar::Builder::new(Vec::new());
    let mut add = |name: &str, content: &[u8]| {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, content).expect("memory");
    };
    for number in 0..20_000 {
        add(&format!("d{}/{number}", number % 50), b"");
    }
    add("last/stacks.txt", b"main;work 3\n");
    let tar = tar.into_inner().expect("memory");
    let packed = zstd::encode_all(&tar[..], 1).expect("memory");
    for (name, bytes) in [("a.tar", &tar), ("a.tar.zst", &packed)] {
        let path = scratch.write(name, bytes);
        let recording = import::open(&path, &Progress::new()).expect("one recording");
        assert_eq!(recording.samples, 3, "{name}");
    }
}

/// What does not fit into memory of a compressed tar is found all the same, and sparse members are left out.
#[test]
fn large_members_of_a_compressed_tar_are_found_by_their_first_bytes() {
    let scratch = Scratch::new("large-members");
    let mut tar = tar::Builder::new(zstd::Encoder::new(Vec::new(), 1).expect("memory"));
    let mut add = |name: &str, content: &[u8]| {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        tar.append_data(&mut header, name, content).expect("memory");
    };
    let mut random = Random(1);
    let mut noise = |bytes: usize| -> Vec<u8> { (0..bytes).map(|_| random.next() as u8).collect() };
    // More than is kept, so that nothing behind it is.
    for number in 0..3 {
        add(&format!("noise{number}"), &noise(30 << 20));
    }
    let mut stacks = String::from("main;work 3\n");
    for byte in noise(2 << 20) {
        stacks += &format!("main;f{byte:x} 1\n");
    }
    add("stacks.txt", stacks.as_bytes());
    let mut sparse = tar::Header::new_gnu();
    sparse.set_entry_type(tar::EntryType::GNUSparse);
    sparse.set_size(0);
    sparse.as_gnu_mut().expect("it is one").realsize = *b"00000000000\0";
    sparse.set_cksum();
    tar.append_data(&mut sparse, "sparse", &b""[..])
        .expect("memory");
    let packed = tar
        .into_inner()
        .and_then(zstd::Encoder::finish)
        .expect("memory");
    let path = scratch.write("large.tar.zst", &packed);
    let recording = import::open(&path, &Progress::new()).expect("one recording");
    assert_eq!(recording.samples, 3 + (2 << 20));
    let kinds: Vec<_> = recording.warnings.iter().map(|it| &*it.kind).collect();
    assert_eq!(kinds, ["member-not-plain"]);
}

/// Runs the program with little memory, and fails once it takes too long.
#[cfg(unix)]
fn within_a_minute(arguments: &[&std::ffi::OsStr]) -> std::process::Output {
    let mut command = std::process::Command::new("timeout");
    let limited = "ulimit -v 8000000; exec \"$0\" \"$@\"";
    command.args(["60", "sh", "-c", limited, env!("CARGO_BIN_EXE_callscape")]);
    let output = command.args(arguments).output().expect("timeout and sh");
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {output:?}");
    output
}

#[cfg(unix)]
#[test]
fn ignore_files_that_are_no_files_are_counted_and_the_scan_goes_on() {
    let scratch = Scratch::new("ignored");
    let source = "int f(void) { return 1; }\n";
    let below = |path: &str| {
        let path = scratch.0.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        path
    };
    let pipe = |path: &str| {
        let status = std::process::Command::new("mkfifo")
            .arg(below(path))
            .status();
        assert!(status.is_ok_and(|it| it.success()));
    };
    for folder in ["a", "b", "c", "d", "e"] {
        std::fs::write(below(&format!("{folder}/x.c")), source).expect("a file");
        std::fs::write(below(&format!("{folder}/left/out.c")), source).expect("a file");
    }
    let rules = |path: &str| std::fs::write(below(path), "left\n").expect("a file");
    rules("e/.ignore");
    std::os::unix::fs::symlink("/dev/zero", below("a/.gitignore")).expect("a link");
    pipe("b/.ignore");
    pipe("c/.tokeignore");
    std::fs::create_dir_all(below("d/.git/info/x")).expect("a folder");
    pipe("d/.git/info/exclude");
    pipe("d/.git/HEAD");
    let tree = scratch.0.as_os_str();
    let output = within_a_minute(&["tree".as_ref(), tree, "--json".as_ref()]);
    let text = String::from_utf8(output.stdout).expect("text");
    assert_eq!(text.matches("\"out.c\"").count(), 4, "{text}");
    let said = String::from_utf8(output.stderr).expect("text");
    assert!(said.contains("ignore file not plain: 4"), "{said}");
    // What git itself would read.
    let error = callscape::source::history::history(&scratch.0.join("d"), &Progress::new());
    let error = error.expect_err("no repository").to_string();
    assert!(error.contains("HEAD is not a plain file"), "{error}");
}

/// Names come back as they were from what is exported, in which nothing steers a terminal.
#[cfg(feature = "parquet")]
#[test]
fn exported_names_steer_nothing_and_come_back() {
    let scratch = Scratch::new("names");
    let pieces = [
        "a",
        "\u{1b}[31m",
        "\n",
        ";",
        "\\u{1b}",
        "\u{9b}",
        "\u{202e}",
        "=",
        "\t",
        "\\",
        "b",
        "\u{7f}",
    ];
    let mut random = Random(7);
    let mut names = std::collections::BTreeSet::new();
    while names.len() < 60 {
        let middle: String = (0..4).map(|_| pieces[random.index(pieces.len())]).collect();
        names.insert(format!("x{middle}y"));
    }
    let events: Vec<serde_json::Value> = (0..)
        .zip(&names)
        .map(|(at, name)| serde_json::json!({"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": at * 10, "dur": 5}))
        .collect();
    let trace = scratch.write("trace.json", &serde_json::to_vec(&events).expect("JSON"));
    for format in ["csv", "folded"] {
        let output = common::callscape()
            .args(["export", "--format", format])
            .arg(&trace)
            .output()
            .expect("the program runs");
        let text = String::from_utf8(output.stdout).expect("text");
        let steers = |c: char| callscape::escape::steers(c) && c != '\n' && c != '\r';
        assert!(!text.contains(steers), "{format}: {text:?}");
        let path = scratch.write(&format!("names.{format}"), text.as_bytes());
        let read = import::open(&path, &Progress::new()).expect("what was written");
        let functions = read
            .functions
            .ids()
            .map(|id| read.functions.get(id).name.to_owned());
        let found: std::collections::BTreeSet<String> = functions.collect();
        assert_eq!(found, names, "{format}");
    }
}

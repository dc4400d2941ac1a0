//! Through the public interface: recordings that come through pipes and lie in archives.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use callscape::import::{self, ImportError};
use callscape::progress::Progress;
use callscape::units::CallId;

use super::common::{self, Scratch, gzip, output as run, text};

/// Runs the program with `bytes` on its standard input, through a pipe.
fn piped(arguments: &[&str], bytes: &[u8]) -> Output {
    let mut child = common::callscape()
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program runs");
    let mut stdin = child.stdin.take().expect("its standard input");
    std::thread::scope(|scope| {
        // A program that fails early closes the pipe.
        scope.spawn(move || drop(stdin.write_all(bytes)));
        child.wait_with_output().expect("the program ends")
    })
}

/// What `info --json` says, but for where it was found.
fn facts(output: &Output) -> serde_json::Value {
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let text = String::from_utf8_lossy(&output.stdout);
    let mut info: serde_json::Value = serde_json::from_str(&text).expect("one JSON document");
    for warning in info["warnings"].as_array_mut().expect("a list") {
        warning["first"]["file"] = serde_json::Value::Null;
    }
    info
}

const SAMPLES: [&str; 9] = [
    "toml-threads.viztracer.json",
    "tinyxml2.ftime-trace.json",
    "cpuprofile/words.cpuprofile",
    "firefox/lua-queens11.samply.json",
    "jaeger/shop.json",
    "otlp/shop.jsonl",
    "perf-script/plain.perf.txt",
    "perfetto/slices.perfetto-trace",
    "jfr/spin.jfr.gz",
];

#[test]
fn a_pipe_says_the_same_as_the_file() {
    for name in SAMPLES {
        let path = common::data("import").join(name);
        let bytes = std::fs::read(&path).expect("a sample");
        let file = facts(&run(&["info", text(&path), "--json"]));
        assert_eq!(
            facts(&piped(&["info", "-", "--json"], &bytes)),
            file,
            "{name}"
        );
    }
}

#[test]
fn what_must_be_read_twice_is_kept() {
    let scratch = Scratch::new("pipe-twice");
    // Larger than any buffer, and with an end before its beginning at the very end.
    let event =
        |ph: &str, ts: u64| format!(r#"{{"ph":"{ph}","pid":1,"tid":1,"ts":{ts},"name":"f"}}"#);
    let mut events: Vec<String> = (0..20_000)
        .map(|n| event(["B", "E"][n % 2], n as u64))
        .collect();
    events.push(event("B", 30_000));
    events.push(event("E", 29_999));
    let bytes = format!("[{}]", events.join(",\n")).into_bytes();
    let path = scratch.write("trace.json", &bytes);
    let file = facts(&run(&["info", text(&path), "--json"]));
    assert_eq!(facts(&piped(&["info", "-", "--json"], &bytes)), file);
    // speedscope's frames behind its profiles.
    let bytes = std::fs::read(common::data("import/speedscope/spin.speedscope.json"));
    let bytes = bytes.expect("a sample");
    let path = scratch.write("spin.json", &bytes);
    let file = facts(&run(&["info", text(&path), "--json"]));
    assert_eq!(facts(&piped(&["info", "-", "--json"], &bytes)), file);
}

#[test]
fn a_pipe_without_a_recording_is_told() {
    let output = piped(&["info", "-"], b"");
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        error.contains("standard input") && error.contains("an empty pipe"),
        "{error}"
    );
    let output = piped(&["info", "-"], b"no recording at all\n");
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("begins with 'no recording"), "{error}");
}

#[test]
fn an_index_is_made_of_a_pipe_where_it_is_asked_for() {
    let scratch = Scratch::new("pipe-index");
    let bytes = std::fs::read(common::data("import/toml-threads.viztracer.json"));
    let bytes = bytes.expect("a sample");
    let index = scratch.0.join("out.callscape");
    let output = piped(&["index", "-", "-o", text(&index)], &bytes);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let info = facts(&run(&["info", text(&index), "--json"]));
    assert_eq!(
        info["calls"],
        facts(&piped(&["info", "-", "--json"], &bytes))["calls"]
    );
    // A name would have to be invented.
    let output = piped(&["index", "-"], &bytes);
    assert_eq!(output.status.code(), Some(1));
}

#[cfg(unix)]
mod named {
    use super::*;

    fn fifo(scratch: &Scratch, name: &str) -> PathBuf {
        let path = scratch.0.join(name);
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.expect("mkfifo is there").success());
        path
    }

    #[test]
    fn a_named_pipe_is_read_and_read_again() {
        let scratch = Scratch::new("pipe-named");
        let path = fifo(&scratch, "pipe");
        let sample = common::data("import/tinyxml2.ftime-trace.json");
        let bytes = std::fs::read(&sample).expect("a sample");
        std::thread::scope(|scope| {
            scope.spawn(|| std::fs::write(&path, &bytes).expect("somebody reads"));
            let open = || import::open(&path, &Progress::new());
            let first = open().unwrap_or_else(|error| panic!("{error}"));
            // A window that opens it anew gets what was read.
            let again = open().unwrap_or_else(|error| panic!("{error}"));
            let file = import::open(&sample, &Progress::new()).expect("a sample");
            assert_eq!(first.trace.calls(), file.trace.calls());
            assert_eq!(again.trace.calls(), file.trace.calls());
        });
        assert_eq!(
            std::fs::read_dir(&scratch.0).expect("the folder").count(),
            1
        );
    }

    #[test]
    fn waiting_can_be_cancelled() {
        let scratch = Scratch::new("pipe-cancel");
        // Nobody ever writes into the first, and not enough into the second.
        for (name, written) in [("silent", None), ("slow", Some("[{\"ph\":\"B\","))] {
            let path = fifo(&scratch, name);
            let mut writer = None;
            if let Some(written) = written {
                let file = std::fs::File::options().read(true).write(true).open(&path);
                let mut file = file.expect("both ends of the pipe");
                file.write_all(written.as_bytes())
                    .expect("room in the pipe");
                writer = Some(file);
            }
            let progress = Progress::new();
            let wish = progress.clone();
            let waiting = std::thread::spawn(move || import::open(&path, &progress));
            std::thread::sleep(std::time::Duration::from_millis(100));
            wish.cancel();
            let result = waiting.join().expect("no panic");
            assert!(
                matches!(result, Err(ImportError::Cancelled(_))),
                "{name}: {result:?}"
            );
            drop(writer);
        }
    }
}

/// The files of a directory of data, by name.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let mut files: Vec<(String, Vec<u8>)> = entries
        .map(|entry| entry.expect("an entry").path())
        .map(|path| {
            let name = path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            (name, std::fs::read(&path).expect("a file"))
        })
        .collect();
    files.sort();
    files
}

fn tar(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    for (name, content) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len() as u64);
        header.set_mode(0o644);
        let added = builder.append_data(&mut header, name, content.as_slice());
        added.expect("memory takes everything");
    }
    builder.into_inner().expect("memory takes everything")
}

/// A zip file; every second member is deflated.
fn zip(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let (mut file, mut directory) = (Vec::new(), Vec::new());
    for (place, (name, content)) in members.iter().enumerate() {
        let deflated = place % 2 == 0;
        let packed = if deflated {
            let level = flate2::Compression::fast();
            let mut packed = flate2::write::DeflateEncoder::new(Vec::new(), level);
            packed.write_all(content).expect("memory takes everything");
            packed.finish().expect("memory takes everything")
        } else {
            content.clone()
        };
        let method: u16 = if deflated { 8 } else { 0 };
        let mut common = Vec::new();
        common.extend_from_slice(&[20, 0, 0, 0]);
        common.extend_from_slice(&method.to_le_bytes());
        common.extend_from_slice(&[0; 4]);
        common.extend_from_slice(&crc32fast::hash(content).to_le_bytes());
        common.extend_from_slice(&(packed.len() as u32).to_le_bytes());
        common.extend_from_slice(&(content.len() as u32).to_le_bytes());
        common.extend_from_slice(&(name.len() as u16).to_le_bytes());
        common.extend_from_slice(&[0; 2]);
        directory.extend_from_slice(b"PK\x01\x02\x14\0");
        directory.extend_from_slice(&common);
        directory.extend_from_slice(&[0; 10]);
        directory.extend_from_slice(&(file.len() as u32).to_le_bytes());
        directory.extend_from_slice(name.as_bytes());
        file.extend_from_slice(b"PK\x03\x04");
        file.extend_from_slice(&common);
        file.extend_from_slice(name.as_bytes());
        file.extend_from_slice(&packed);
    }
    let start = file.len() as u32;
    file.extend_from_slice(&directory);
    file.extend_from_slice(b"PK\x05\x06\0\0\0\0");
    let count = (members.len() as u16).to_le_bytes();
    file.extend_from_slice(&count);
    file.extend_from_slice(&count);
    file.extend_from_slice(&(directory.len() as u32).to_le_bytes());
    file.extend_from_slice(&start.to_le_bytes());
    file.extend_from_slice(&[0; 2]);
    file
}

#[test]
fn archives_are_read_as_they_are() {
    let scratch = Scratch::new("archives");
    let folder = common::data("import/tasks.uftrace");
    let expected = facts(&run(&["info", text(&folder), "--json"]));
    let mut members = vec![
        ("README.md".to_owned(), b"# what this is".to_vec()),
        (
            "settings.json".to_owned(),
            b"{\"no\": \"recording\"}".to_vec(),
        ),
    ];
    let inside = files(&folder).into_iter();
    members.extend(inside.map(|(name, content)| (format!("runs/tasks/{name}"), content)));
    let tar = tar(&members);
    let archives = [
        ("a.tar", tar.clone()),
        ("a.tar.gz", gzip(&tar)),
        (
            "a.tar.zst",
            zstd::encode_all(tar.as_slice(), 1).expect("memory takes everything"),
        ),
        ("a.zip", zip(&members)),
    ];
    for (name, bytes) in &archives {
        let path = scratch.write(name, bytes);
        assert_eq!(
            facts(&run(&["info", text(&path), "--json"])),
            expected,
            "{name}"
        );
        assert_eq!(
            facts(&piped(&["info", "-", "--json"], bytes)),
            expected,
            "{name}"
        );
    }
    // Nothing is unpacked.
    let count = std::fs::read_dir(&scratch.0).expect("the folder").count();
    assert_eq!(count, archives.len());
}

#[test]
fn an_archive_with_more_or_less_than_one_recording_is_told() {
    let scratch = Scratch::new("archives-wrong");
    let sample = std::fs::read(common::data("import/toml-threads.viztracer.json"));
    let sample = sample.expect("a sample");
    let none = vec![("notes.txt".to_owned(), b"nothing here".to_vec())];
    let one = vec![("inner/trace.json.gz".to_owned(), gzip(&sample))];
    let open = |name: &str, bytes: &[u8]| {
        let path = scratch.write(name, bytes);
        import::open(&path, &Progress::new())
    };
    let error = open("none.tar", &tar(&none))
        .expect_err("no recording")
        .to_string();
    assert!(
        error.contains("none.tar") && error.contains("without one"),
        "{error}"
    );
    let found = open("one.zip", &zip(&one)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(found.path, scratch.0.join("one.zip"));
    assert!(found.trace.calls() > 0);
    let call = found.trace.call(callscape::units::ThreadId(0), CallId(0));
    assert!(call.end >= call.start);
}

#[test]
fn a_zip_file_that_was_cut_or_damaged_keeps_what_stands_before() {
    let scratch = Scratch::new("archives-cut");
    let sample = std::fs::read(common::data("import/toml-threads.viztracer.json"));
    let sample = sample.expect("a sample");
    let open = |name: &str, bytes: &[u8]| {
        let opened = import::open(&scratch.write(name, bytes), &Progress::new());
        opened.map(|found| {
            let kinds = found.warnings.iter().map(|it| it.kind.to_string());
            (found.trace.calls(), kinds.collect::<Vec<String>>())
        })
    };
    let members = vec![
        ("trace.json".to_owned(), sample),
        ("notes.txt".to_owned(), vec![b'x'; 100]),
    ];
    let whole = zip(&members);
    let (all, kinds) = open("whole.zip", &whole).expect("sound");
    assert!(kinds.is_empty(), "{kinds:?}");
    let directory = memchr::memmem::find(&whole, b"PK\x01\x02").expect("a directory");
    let (calls, kinds) = open("no-directory.zip", &whole[..directory]).expect("all members");
    assert_eq!((calls, kinds), (all, vec!["truncated-archive".to_owned()]));
    // Sizes behind the data, as writers to a pipe have them.
    let packed = u32::from_le_bytes(whole[18..22].try_into().expect("four bytes")) as usize;
    let end = 30 + "trace.json".len() + packed;
    let mut streamed = whole[..end].to_vec();
    streamed[6] = 1 << 3;
    streamed[14..26].fill(0);
    streamed.extend_from_slice(b"PK\x07\x08");
    streamed.extend_from_slice(&whole[14..26]);
    streamed.extend_from_slice(&whole[end..directory]);
    let (calls, _) = open("streamed.zip", &streamed).expect("all members");
    assert_eq!(calls, all);
    for bytes in [&whole[..end / 2], &streamed[..end / 2]] {
        let (calls, kinds) = open("cut.zip", bytes).expect("a part");
        assert!(0 < calls && calls < all);
        for kind in ["truncated-archive", "truncated-compression"] {
            assert!(kinds.iter().any(|it| it == kind), "{kinds:?}");
        }
    }
    // A kind of block that deflate does not have; a wrong checksum.
    let mut damaged = whole.clone();
    damaged[end / 2..end].fill(0xff);
    let (calls, kinds) = open("damaged.zip", &damaged).expect("a part");
    assert!(0 < calls && calls < all);
    assert!(
        kinds.iter().any(|it| it.ends_with("compression")),
        "{kinds:?}"
    );
    let mut wrong = whole.clone();
    wrong[directory + 16] ^= 1;
    let error = open("wrong.zip", &wrong).expect_err("a wrong checksum");
    assert!(error.to_string().contains("checksum"), "{error}");
}

#[test]
fn damaged_archives_give_errors_or_counted_repairs() {
    let scratch = Scratch::new("archives-damaged");
    let members = files(&common::data("import/tasks.uftrace"));
    let mut random = common::Random(11);
    for (name, bytes) in [
        ("a.tar", tar(&members)),
        ("a.tgz", gzip(&tar(&members))),
        ("a.zip", zip(&members)),
    ] {
        for round in 0..40 {
            let mut damaged = bytes.clone();
            if round % 2 == 0 {
                damaged.truncate(random.below(bytes.len() as u64) as usize);
            } else {
                for _ in 0..4 {
                    let last = bytes.len() as u64;
                    // Zip files have their directory at the end.
                    let at = if round % 4 == 1 {
                        last - 1 - random.below(600.min(last))
                    } else {
                        random.below(last)
                    };
                    damaged[at as usize] = random.next() as u8;
                }
            }
            let path = scratch.write(name, &damaged);
            if let Err(error) = import::open(&path, &Progress::new()) {
                assert!(error.to_string().contains(name), "round {round}: {error}");
            }
        }
    }
}

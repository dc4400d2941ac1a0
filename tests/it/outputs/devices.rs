//! Outputs that are no regular file: pipes, devices, open files, links. Never those of the machine itself.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::{FileTypeExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::{Scratch, common, recording, sample, text};

/// What writes one file, its name put behind.
struct Writer {
    words: Vec<String>,
    /// What the name of the file ends in.
    ending: &'static str,
}

fn writers(scratch: &Scratch) -> Vec<Writer> {
    let second = recording(scratch, "second.json", 500);
    let second = text(&second);
    let source = common::data("window/source");
    let source = text(&source);
    let mut all: Vec<(Vec<&str>, &str)> = vec![
        (vec!["index", second, "-o"], ".callscape"),
        (vec!["sample", second, "--calls", "100", "-o"], ".callscape"),
        (vec!["map", source, "-o"], ".map"),
        (vec!["pack", source, second, "-o"], ".callscape-pack"),
        (vec!["render", source, "--size", "40x30", "-o"], ".png"),
        (vec!["render", source, "-o"], ".glb"),
    ];
    for format in ["csv", "folded", "speedscope", "chrome-json"] {
        all.push((vec!["export", second, "--format", format, "-o"], ".txt"));
        all.push((vec!["export", second, "--format", format, "-o"], ".gz"));
        all.push((vec!["export", second, "--format", format, "-o"], ".zst"));
    }
    let owned = |(words, ending): (Vec<&str>, _)| Writer {
        words: words.into_iter().map(str::to_owned).collect(),
        ending,
    };
    all.into_iter().map(owned).collect()
}

fn run(scratch: &Scratch, writer: &Writer, output: &Path) -> Output {
    common::callscape()
        .args(&writer.words)
        .arg(output)
        .env("XDG_CACHE_HOME", scratch.0.join("cache"))
        .env("TMPDIR", temporary(scratch))
        .output()
        .expect("it runs")
}

/// A folder for temporary files.
fn temporary(scratch: &Scratch) -> PathBuf {
    let folder = scratch.0.join("tmp");
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Runs it well.
fn done(scratch: &Scratch, writer: &Writer, output: &Path) {
    let ended = run(scratch, writer, output);
    let said = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{:?}: {said}", writer.words);
}

fn fifo(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.expect("mkfifo is there").success());
}

/// What somebody reads from a pipe who reads it to its end.
fn read_from(path: &Path, write: impl FnOnce()) -> Vec<u8> {
    std::thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut all = Vec::new();
            let mut pipe = File::open(path).expect("a pipe");
            pipe.read_to_end(&mut all).expect("a pipe");
            all
        });
        write();
        // Ends the reader where nothing has been written: its open waits for a writer.
        drop(File::options().read(true).write(true).open(path));
        reader.join().expect("it is read")
    })
}

#[test]
fn a_pipe_gets_what_a_file_gets_and_stays() {
    let scratch = Scratch::new("outputs-pipe");
    for (number, writer) in writers(&scratch).iter().enumerate() {
        let name = |what: &str| scratch.0.join(format!("{number}-{what}{}", writer.ending));
        let (file, pipe, link) = (name("file"), name("pipe"), name("link"));
        done(&scratch, writer, &file);
        fifo(&pipe);
        symlink(&pipe, &link).expect("a link");
        // The link goes by the name of the output as well.
        let is_long = writer.words[0] == "render";
        for to in [&pipe, &link].into_iter().take(2 - usize::from(is_long)) {
            let got = read_from(&pipe, || done(&scratch, writer, to));
            let expected = fs::read(&file).expect("it was written");
            assert!(got == expected, "{:?}: {} bytes", writer.words, got.len());
            let kind = pipe.symlink_metadata().expect("it is there").file_type();
            assert!(kind.is_fifo(), "{:?}", writer.words);
        }
    }
    assert_eq!(
        fs::read_dir(temporary(&scratch)).expect("a folder").count(),
        0
    );
}

#[test]
fn a_file_that_may_not_grow_is_an_error_and_leaves_nothing() {
    let scratch = Scratch::new("outputs-limit");
    let recording = recording(&scratch, "run.json", 500);
    let mut writers = writers(&scratch);
    if cfg!(feature = "parquet") {
        let words = ["export", text(&recording), "--format", "parquet", "-o"];
        writers.push(Writer {
            words: words.map(str::to_owned).to_vec(),
            ending: "-tables",
        });
    }
    for (number, writer) in writers.iter().enumerate() {
        let folder = scratch.0.join(number.to_string());
        fs::create_dir(&folder).expect("a folder");
        let ended = Command::new("sh")
            .args(["-c", "ulimit -f 0; exec \"$0\" \"$@\""])
            .arg(common::callscape().get_program())
            .args(&writer.words)
            .arg(folder.join(format!("out{}", writer.ending)))
            .env("XDG_CACHE_HOME", scratch.0.join("cache"))
            .env("TMPDIR", temporary(&scratch))
            .output()
            .expect("it runs");
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(1), "{:?}: {said}", writer.words);
        assert!(said.contains("too large"), "{:?}: {said}", writer.words);
        let mut left = files_below(&folder);
        left.extend(files_below(&temporary(&scratch)));
        assert_eq!(left, [""; 0], "{:?}", writer.words);
    }
}

/// The files in a folder and in those below it.
fn files_below(folder: &Path) -> Vec<String> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        match entry.path().is_dir() {
            true => files.extend(files_below(&entry.path())),
            false => files.push(entry.path().display().to_string()),
        }
    }
    files
}

/// A device in the folder; none where only the system may make some.
fn device(scratch: &Scratch, name: &str, minor: &str) -> Option<PathBuf> {
    let path = scratch.0.join(name);
    let mut made = Command::new("mknod");
    made.arg(&path)
        .args(["c", "1", minor])
        .stderr(Stdio::null());
    // Where the folder is mounted so, a device is there but cannot be opened.
    let is_made = made.status().is_ok_and(|it| it.success());
    let may_write = is_made && File::options().write(true).open(&path).is_ok();
    if !may_write {
        eprintln!("left out: needs the right to make devices");
    }
    may_write.then_some(path)
}

#[test]
fn a_device_is_written_to_and_a_full_one_is_an_error() {
    let scratch = Scratch::new("outputs-device");
    for (number, writer) in writers(&scratch).iter().enumerate() {
        let name = |what: &str| format!("{number}-{what}{}", writer.ending);
        let (null, full) = (name("null"), name("full"));
        let Some(null) = device(&scratch, &null, "3") else {
            return;
        };
        let is_device = |path: &Path| {
            let found = path.symlink_metadata().expect("it is there").file_type();
            assert!(found.is_char_device(), "{:?}", writer.words);
        };
        done(&scratch, writer, &null);
        is_device(&null);
        if writer.words[0] == "render" {
            continue;
        }
        let full = device(&scratch, &full, "7").expect("another");
        let ended = run(&scratch, writer, &full);
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!(ended.status.code(), Some(1), "{:?}: {said}", writer.words);
        assert!(said.contains("No space left"), "{:?}: {said}", writer.words);
        is_device(&full);
    }
}

#[test]
fn an_open_file_is_gone_on_with() {
    let scratch = Scratch::new("outputs-open");
    let recording = sample();
    let export = |to: &str| {
        let program = env!("CARGO_BIN_EXE_callscape");
        format!(
            "'{program}' export '{}' --format folded -o {to}",
            text(&recording)
        )
    };
    let alone = Command::new("sh").args(["-c", &export("-")]).output();
    let alone = String::from_utf8(alone.expect("sh runs").stdout).expect("text");
    assert!(alone.lines().count() > 3);
    let file = scratch.0.join("all.txt");
    for to in [
        "/dev/stdout",
        "/dev/fd/1",
        "/proc/self/fd/1",
        "/proc/thread-self/fd/1",
    ] {
        if !Path::new(to).exists() {
            continue;
        }
        let script = format!("(echo before; {} && echo after) > all.txt", export(to));
        let ended = Command::new("sh")
            .args(["-c", &script])
            .current_dir(&scratch.0)
            .status();
        assert!(ended.expect("sh runs").success(), "{to}");
        let found = fs::read_to_string(&file).expect("it was written");
        assert_eq!(found, format!("before\n{alone}after\n"), "{to}");
    }
    let number = format!("{} 5> all.txt", export("/dev/fd/5"));
    let ended = Command::new("sh")
        .args(["-c", &number])
        .current_dir(&scratch.0)
        .status();
    assert!(ended.expect("sh runs").success());
    assert_eq!(fs::read_to_string(&file).expect("it was written"), alone);
    let ended = Command::new("sh")
        .args(["-c", &export("/dev/fd/77")])
        .output();
    assert_eq!(ended.expect("sh runs").status.code(), Some(1));
}

#[test]
fn a_link_stays_and_what_it_leads_to_is_replaced() {
    let scratch = Scratch::new("outputs-link");
    fs::create_dir_all(scratch.0.join("inner")).expect("a folder");
    for (number, writer) in writers(&scratch).iter().enumerate() {
        if ["render", "pack"].contains(&&*writer.words[0]) {
            continue;
        }
        let plain = scratch.0.join(format!("{number}-plain{}", writer.ending));
        done(&scratch, writer, &plain);
        // From another folder, through two links; the second time there is a file already.
        let end = scratch.0.join(format!("{number}-end{}", writer.ending));
        let between = scratch.0.join(format!("inner/{number}-between"));
        let link = scratch.0.join(format!("{number}-link{}", writer.ending));
        let shown = format!("../{number}-end{}", writer.ending);
        symlink(shown, &between).expect("a link");
        symlink(&between, &link).expect("a link");
        for before in [None, Some("what was there")] {
            if let Some(before) = before {
                fs::write(&end, before).expect("there is room");
            }
            let mut again = Writer {
                words: writer.words.clone(),
                ending: writer.ending,
            };
            if before.is_some() && writer.words[0] == "map" {
                again.words.insert(1, "--force".to_owned());
            }
            done(&scratch, &again, &link);
            for link in [&link, &between] {
                assert!(link.symlink_metadata().expect("it is there").is_symlink());
            }
            let [found, expected] = [&end, &plain].map(|it| fs::read(it).expect("written"));
            assert!(found == expected, "{:?}", writer.words);
        }
    }
    let inside = fs::read_dir(scratch.0.join("inner"))
        .expect("a folder")
        .flatten();
    assert!(inside.into_iter().all(|it| it.path().is_symlink()));
}

#[test]
fn a_socket_is_refused_and_stays() {
    let scratch = Scratch::new("outputs-socket");
    let path = scratch.0.join("socket.txt");
    let _listener = UnixListener::bind(&path).expect("a socket");
    let recording = sample();
    let ended = common::callscape()
        .args(["export", text(&recording), "--format", "csv", "-o"])
        .arg(&path)
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&ended.stderr);
    assert_eq!(ended.status.code(), Some(1), "{said}");
    assert!(said.contains("socket"), "{said}");
    assert!(
        path.symlink_metadata()
            .expect("it is there")
            .file_type()
            .is_socket()
    );
}

//! Writers that are killed at random moments: what had the name before is whole, or the new one is; the next writer
//! finds nothing in its way and leaves nothing behind.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use callscape::import;
use callscape::look::image::Image;
use callscape::presentation::files::write_beside;
use callscape::presentation::film::{Film, FilmSettings, Format, Plan};
use callscape::progress::Progress;

use super::cut::times;
use super::{Random, Scratch, common, recording, text};

/// Runs `command` again and again and kills it at random moments, asking after each whether all is well. Then lets it
/// end. How many were killed before they had ended.
fn kill(name: &str, command: &dyn Fn() -> Command, check: &mut dyn FnMut(bool)) {
    let quiet = || {
        let mut command = command();
        command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command
    };
    let started = Instant::now();
    assert!(quiet().status().expect("it runs").success(), "{name}");
    let lasts = started.elapsed();
    check(true);
    let mut random = Random(43);
    let mut killed = 0;
    for _ in 0..times(4) {
        let mut child = quiet().spawn().expect("it runs");
        let micros = u64::try_from(lasts.as_micros()).unwrap_or(1).max(1);
        std::thread::sleep(Duration::from_micros(random.below(micros)));
        let _ = child.kill();
        let status = child.wait().expect("it ends");
        killed += u32::from(!status.success());
        check(status.success());
    }
    eprintln!("{name}: {killed} killed of {}", times(4));
    assert!(quiet().status().expect("it runs").success(), "{name}");
    check(true);
}

/// Whether anything is left of a killed writer, in a folder and those in it.
fn left(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.contains("callscape-tmp") || name.contains("callscape-new") {
            found.push(entry.path());
        } else if entry.path().is_dir() {
            found.extend(left(&entry.path()));
        }
    }
    found
}

/// Kills what writes one file, which is `output` before and one of these after.
fn kill_writer_of(scratch: &Scratch, output: &str, words: &[&str]) {
    let path = scratch.0.join(output);
    let mut known: Vec<Vec<u8>> = vec![b"what was there before".to_vec()];
    let command = || {
        let mut command = common::callscape();
        command.args(words).arg(&path).current_dir(&scratch.0);
        command.env("XDG_CACHE_HOME", scratch.0.join("cache"));
        command
    };
    let mut is_first = true;
    kill(output, &command, &mut |has_ended| {
        let found = fs::read(&path).expect("it is always there");
        if is_first {
            known.push(found.clone());
            is_first = false;
        }
        assert!(known.contains(&found), "{output}: {} bytes", found.len());
        assert!(!has_ended || found == known[1], "{output} was written");
        fs::write(&path, &known[0]).expect("there is room");
    });
    assert_eq!(left(&scratch.0), Vec::<PathBuf>::new());
}

#[test]
fn an_index_a_pack_and_exports_are_there_whole() {
    let scratch = Scratch::new("killed-files");
    let run = recording(&scratch, "run.json", 30_000);
    let run = text(&run);
    kill_writer_of(&scratch, "out.callscape", &["index", run, "-o"]);
    kill_writer_of(
        &scratch,
        "out.csv",
        &["export", run, "--format", "csv", "-o"],
    );
    kill_writer_of(
        &scratch,
        "out.folded.gz",
        &["export", run, "--format", "folded", "-o"],
    );
    let source = common::data("window/source");
    let pack = ["pack", text(&source), run, "--force", "-o"];
    kill_writer_of(&scratch, "out.callscape-pack", &pack);
}

#[cfg(feature = "parquet")]
#[test]
fn tables_are_the_old_or_the_new_ones() {
    let scratch = Scratch::new("killed-tables");
    let (small, large) = (
        recording(&scratch, "small.json", 300),
        recording(&scratch, "large.json", 20_000),
    );
    let dir = scratch.0.join("runs");
    let export = |trace: &Path, more: &[&str]| {
        let mut command = common::callscape();
        command.args(["export", text(trace), "--format", "parquet", "--id", "x"]);
        command.args(more).arg("-o").arg(&dir);
        command
    };
    let calls = || {
        let opened = import::open(&dir, &Progress::new());
        let opened = opened.unwrap_or_else(|error| panic!("{error}"));
        let functions = opened.functions.len() as u64;
        assert_eq!(functions, opened.functions.ids().count() as u64);
        opened.trace.calls()
    };
    // Nothing stands there before: a killed export does not block its name.
    kill(
        "parquet, new",
        &|| export(&small, &["--replace"]),
        &mut |has_ended| {
            let is_there = dir.join("recordings/recording=x/part-0.parquet").exists();
            if has_ended || is_there {
                assert_eq!(calls(), 300);
            }
            let _ = fs::remove_dir_all(dir.join("recordings"));
        },
    );
    assert!(export(&small, &[]).status().expect("it runs").success());
    assert_eq!(calls(), 300);
    kill(
        "parquet, replaced",
        &|| export(&large, &["--replace"]),
        &mut |has_ended| {
            let found = calls();
            assert!(
                found == 20_000 || found == 300 && !has_ended,
                "{found} calls"
            );
            let back = export(&small, &["--replace"]).status().expect("it runs");
            assert!(back.success());
            assert_eq!(calls(), 300);
        },
    );
    assert_eq!(left(&dir), Vec::<PathBuf>::new());
}

/// Runs a test of this file that writes, in a process of its own.
fn writer(test: &str, path: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", "--ignored", &format!("outputs::killed::{test}")]);
    command.env(PATH, path);
    command
}

/// Where such a test writes.
const PATH: &str = "CALLSCAPE_KILLED_PATH";

fn path() -> Option<PathBuf> {
    std::env::var_os(PATH).map(PathBuf::from)
}

/// A document of some size that says how long it is.
fn document(number: u64) -> Vec<u8> {
    let body = number.to_string().repeat(50_000);
    format!("{}:{body}", body.len()).into_bytes()
}

#[test]
#[ignore = "run by the tests of killed writers"]
fn writes_documents() {
    let Some(path) = path() else {
        return;
    };
    for number in 0..20 {
        write_beside(&path, &document(number)).expect("there is room");
    }
}

/// Sessions, scenes, settings, what is remembered and recent: all are written in this way.
#[test]
fn settings_and_sessions_are_whole() {
    let scratch = Scratch::new("killed-settings");
    let path = scratch.0.join("own/window.json");
    kill(
        "settings",
        &|| writer("writes_documents", &path),
        &mut |has_ended| {
            let found = String::from_utf8(fs::read(&path).expect("it is there")).expect("text");
            let (length, body) = found.split_once(':').expect("a whole document");
            assert_eq!(length, body.len().to_string());
            assert!(!has_ended || body.starts_with("19"));
        },
    );
    assert_eq!(left(&scratch.0), Vec::<PathBuf>::new());
}

const FRAMES: u64 = 60;

#[test]
#[ignore = "run by the tests of killed writers"]
fn writes_a_film() {
    let Some(path) = path() else {
        return;
    };
    let settings = FilmSettings {
        format: Format::of(&path).expect("a film"),
        size: [64, 48],
        fps: 5,
        by_ffmpeg: false,
    };
    let plan = Plan("test".to_owned());
    let mut film = Film::begin(&path, settings, FRAMES, &plan).expect("it can be begun");
    while film.next() < FRAMES {
        let shade = film.next() as u8;
        let image = Image {
            width: 64,
            height: 48,
            rgba: vec![shade; 64 * 48 * 4],
        };
        film.push(Some(&image)).expect("it can be encoded");
    }
    film.finish().expect("it can be put together");
}

#[test]
fn a_film_is_the_old_or_the_new_one_and_gone_on_with() {
    let scratch = Scratch::new("killed-film");
    for name in ["film.mp4", "film.gif"] {
        let path = scratch.0.join(name);
        let mut whole = None;
        kill(name, &|| writer("writes_a_film", &path), &mut |has_ended| {
            let found = fs::read(&path).expect("it is there");
            let expected = whole.get_or_insert_with(|| found.clone());
            let is_whole = found == *expected;
            assert!(is_whole || found == b"before" && !has_ended, "{name}");
            fs::write(&path, "before").expect("there is room");
        });
    }
    assert_eq!(left(&scratch.0), Vec::<PathBuf>::new());
}

#[test]
fn what_is_kept_of_source_trees_is_whole() {
    let scratch = Scratch::new("killed-cache");
    let line = "int f(int a) { return a > 1 ? f(a - 1) : 0; }\n";
    let source = scratch.0.join("src");
    fs::create_dir_all(&source).expect("a folder");
    for number in 0..12 {
        let text = line.replace('f', &format!("f{number}")).repeat(5_000);
        fs::write(source.join(format!("{number}.c")), text).expect("there is room");
    }
    let cache = scratch.0.join("cache");
    let tree = || {
        let mut command = common::callscape();
        command.args(["tree", text(&source), "--json"]);
        command.env("XDG_CACHE_HOME", &cache);
        command
    };
    let expected = tree().output().expect("it runs").stdout;
    let mut number = 0;
    kill("cache", &tree, &mut |_| {
        let found = tree().output().expect("it runs");
        assert!(found.status.success() && found.stdout == expected);
        // Each time there is something to write.
        number += 1;
        let _ = fs::remove_dir_all(cache.join("callscape/sources"));
    });
    assert!(number > 1);
    assert_eq!(left(&cache), Vec::<PathBuf>::new());
}

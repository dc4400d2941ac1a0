//! Recordings have names of their own: however many start at once, and whenever one is killed.

use std::collections::BTreeSet;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::super::common::{Scratch, callscape};
use super::{json, path, record, text, tools};

/// Stands for node: writes a profile in which a function has the name that the program is told, after a while.
pub const NODE: &str = r#"#!/bin/sh
[ "$1" = --version ] && { echo v20.0.0; exit 0; }
for word; do
  case "$word" in --cpu-prof-dir=*) dir=${word#*=};; esac
  last=$word
done
echo running
sleep 0.02
callFrame='"url":"","scriptId":"0","lineNumber":0,"columnNumber":0'
printf '{"nodes":[{"id":1,"callFrame":{"functionName":"(root)",%s},"children":[2]},' "$callFrame" > "$dir/x.cpuprofile"
printf '{"id":2,"callFrame":{"functionName":"%s",%s}}],' "$last" "$callFrame" >> "$dir/x.cpuprofile"
echo '"startTime":0,"endTime":2000,"samples":[2,2],"timeDeltas":[0,1000]}' >> "$dir/x.cpuprofile"
exit 3
"#;

/// Stands for uftrace: takes no folder that is there.
const UFTRACE: &str = r#"#!/bin/sh
[ "$1" = --version ] && { echo 'uftrace v0.13 ( dwarf dynamic )'; exit 0; }
while [ "$1" != -- ]; do
  [ "$1" = -d ] && dir=$2
  shift
done
mkdir "$dir" || exit 9
sleep 0.02
cp -r "$RECORDED"/* "$dir" && shift 2 && echo "$1" > "$dir/told"
"#;

pub fn stand_in(scratch: &Scratch, name: &str, text: &str) {
    let path = scratch.write(&format!("bin/{name}"), text.as_bytes());
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
}

/// The command that records with these before all others in PATH.
pub fn recording(scratch: &Scratch, options: &[&str], command: &[&str]) -> Command {
    let mut run = record(scratch, options, command);
    let path = tools::path();
    let all = [scratch.0.join("bin")]
        .into_iter()
        .chain(std::env::split_paths(&path));
    run.env("PATH", std::env::join_paths(all).expect("a path"));
    run.stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    run
}

/// What is in the folder with this ending.
fn found(scratch: &Scratch, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(&scratch.0).expect("a folder").flatten();
    let mut found: Vec<PathBuf> = entries.map(|it| it.path()).collect();
    found.retain(|it| it.to_string_lossy().ends_with(ending));
    found.sort();
    found
}

fn functions(recording: &Path) -> BTreeSet<String> {
    let all = json(&["functions", path(recording), "--json"]);
    let all = all.as_array().expect("a list").iter();
    all.filter_map(|it| it["name"].as_str().map(str::to_owned))
        .collect()
}

#[test]
fn any_number_start_at_once_and_none_loses_its_recording() {
    let scratch = Scratch::new("record-at-once");
    std::fs::create_dir(scratch.0.join("bin")).expect("a folder");
    stand_in(&scratch, "node", NODE);
    stand_in(&scratch, "uftrace", UFTRACE);
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/import/lists.uftrace");
    let words: Vec<String> = (0..8).map(|it| format!("function{it}")).collect();
    let start = |word: &String, command: &[&str]| {
        let mut run = recording(&scratch, &["--no-open"], &[command, &[word]].concat());
        run.env("RECORDED", &recorded).spawn().expect("it starts")
    };
    let children: Vec<Child> = words
        .iter()
        .flat_map(|it| [start(it, &["node", "app.js"]), start(it, &["/bin/true"])])
        .collect();
    let ends = children
        .into_iter()
        .map(|it| it.wait_with_output().expect("it ends"));
    for ended in ends {
        let said = text(&ended.stderr);
        assert!(said.contains("recorded by"), "{said}");
    }
    let profiles = found(&scratch, ".cpuprofile");
    let told: BTreeSet<String> = profiles.iter().flat_map(|it| functions(it)).collect();
    assert!(words.iter().all(|it| told.contains(it)), "{told:?}");
    let folders = found(&scratch, ".uftrace");
    let read = |it: &PathBuf| std::fs::read_to_string(it.join("told")).expect("it is whole");
    let told: BTreeSet<String> = folders.iter().map(read).collect();
    assert_eq!((profiles.len(), folders.len(), told.len()), (8, 8, 8));
    assert!(functions(&folders[0]).len() > 1);
    assert_eq!(found(&scratch, "callscape-tmp"), Vec::<PathBuf>::new());
}

#[test]
fn of_two_that_want_one_name_the_second_is_refused_and_nothing_is_written_over() {
    let scratch = Scratch::new("record-one-name");
    std::fs::create_dir(scratch.0.join("bin")).expect("a folder");
    stand_in(
        &scratch,
        "node",
        &NODE.replace("sleep 0.02", "read line < go"),
    );
    let made = Command::new("mkfifo").arg(scratch.0.join("go")).status();
    assert!(made.is_ok_and(|it| it.success()));
    let options = ["--no-open", "-o", "out.cpuprofile"];
    let start = |word| recording(&scratch, &options, &["node", "app.js", word]).spawn();
    let mut first = start("first").expect("it starts");
    let mut line = [0; 8];
    let mut out = first.stdout.take().expect("it writes");
    out.read_exact(&mut line).expect("it runs");
    let second = start("second")
        .expect("it starts")
        .wait_with_output()
        .expect("it ends");
    let said = text(&second.stderr);
    assert!(
        said.contains("another recording is being made there"),
        "{said}"
    );
    assert_eq!(second.status.code(), Some(1));
    // A stranger does not ask.
    scratch.write("out.cpuprofile", b"of a stranger");
    scratch.write("go", b"on\n");
    let first = first.wait_with_output().expect("it ends");
    assert_eq!(first.status.code(), Some(3), "{}", text(&first.stderr));
    assert!(text(&first.stderr).contains("out-2.cpuprofile"));
    assert!(functions(&scratch.0.join("out-2.cpuprofile")).contains("first"));
    let kept = std::fs::read(scratch.0.join("out.cpuprofile"));
    assert_eq!(kept.expect("it is there"), b"of a stranger");
}

#[test]
fn whenever_it_is_killed_nothing_stays_and_nothing_that_was_recorded_is_lost() {
    let scratch = Scratch::new("record-killed");
    std::fs::create_dir(scratch.0.join("bin")).expect("a folder");
    stand_in(&scratch, "node", NODE);
    let start = || recording(&scratch, &["--no-open"], &["node", "app.js", "work"]).spawn();
    let begin = Instant::now();
    let whole = start()
        .expect("it starts")
        .wait_with_output()
        .expect("it ends");
    assert!(
        text(&whole.stderr).contains("recorded by node"),
        "{}",
        text(&whole.stderr)
    );
    let usual = begin.elapsed().max(Duration::from_millis(40));
    let mut said = text(&whole.stderr);
    for part in 0..20 {
        let mut child = start().expect("it starts");
        std::thread::sleep(usual * part / 19);
        let _ = child.kill();
        // The stand-in goes on: what it has not closed is open until it ends.
        let killed = child.wait_with_output().expect("it ends");
        said += &text(&killed.stderr);
    }
    let last = start()
        .expect("it starts")
        .wait_with_output()
        .expect("it ends");
    said += &text(&last.stderr);
    assert_eq!(found(&scratch, "callscape-tmp"), Vec::<PathBuf>::new());
    let there = found(&scratch, ".cpuprofile");
    for recording in &there {
        assert!(
            functions(recording).contains("work"),
            "{}",
            recording.display()
        );
    }
    let names = said.lines().filter(|it| it.contains("recorded by")).count();
    assert!(names >= 2 && there.len() >= names, "{said}");
    for recording in said
        .split_whitespace()
        .filter(|it| it.contains(".cpuprofile"))
    {
        let name = recording.trim_end_matches(';');
        assert!(
            scratch.0.join(name).exists(),
            "{name} was said to be recorded"
        );
    }
}

#[test]
fn the_end_of_a_program_whose_recorder_was_killed_is_not_said_to_be_kept() {
    let scratch = Scratch::new("record-keep-killed");
    let folder = scratch.0.join(".app.perf.txt.record.callscape-tmp");
    std::fs::create_dir(&folder).expect("a folder");
    let mut program = Command::new("cat")
        .env("CALLSCAPE_KEEP", &folder)
        .stdin(Stdio::piped())
        .spawn()
        .expect("it starts");
    let pid = program.id().to_string();
    let asked = callscape().args(["record", "--keep", &pid]).output();
    let asked = asked.expect("it starts");
    let said = text(&asked.stderr);
    assert_eq!(asked.status.code(), Some(1), "{said}");
    assert!(said.contains("was killed"), "{said}");
    assert!(!folder.join("keep").exists());
    drop(program.stdin.take());
    program.wait().expect("it ends");
}

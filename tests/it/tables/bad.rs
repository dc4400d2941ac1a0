//! What cannot be written, and what is there already.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;

use super::super::common::{self, Scratch};

fn export(arguments: &[&str], recording: &Path, dir: &Path) -> Output {
    let mut command = common::callscape();
    command
        .arg("export")
        .arg(recording)
        .args(["--format", "parquet", "-o"]);
    let output = command.arg(dir).args(arguments).output();
    output.expect("the program starts")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// All files below a folder with what they hold.
fn files(dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => {
                let bytes = std::fs::read(&path).expect("it can be read");
                found.insert(path, bytes);
            }
        }
    }
    found
}

#[test]
fn a_recording_that_is_there_is_refused_or_replaced_as_a_whole_and_others_stay() {
    let scratch = Scratch::new("there");
    let dir = scratch.0.join("runs");
    let (lists, orders) = ("import/lists.uftrace", "import/orders.viztracer.json");
    let first = export(&[], &common::data(lists), &dir);
    assert!(first.status.success(), "{}", said(&first));
    let before = files(&dir);
    assert!(before.len() >= 6, "{before:?}");

    let again = export(&[], &common::data(lists), &dir);
    assert_eq!(again.status.code(), Some(1));
    assert!(
        said(&again).contains("expected no recording lists.uftrace"),
        "{}",
        said(&again)
    );
    assert!(said(&again).contains("--replace"), "{}", said(&again));
    assert_eq!(files(&dir), before);

    // Another one beside it.
    assert!(
        export(&["--id", "b"], &common::data(orders), &dir)
            .status
            .success()
    );
    let both = files(&dir);
    for (path, bytes) in &before {
        assert_eq!(both.get(path), Some(bytes), "{}", path.display());
    }
    // What is not written again goes too: no recording is a mixture of two.
    let replaced = export(
        &["--id", "b", "--replace", "--tables", "functions"],
        &common::data(lists),
        &dir,
    );
    assert!(replaced.status.success(), "{}", said(&replaced));
    let after = files(&dir);
    let of_b = after
        .keys()
        .filter(|it| it.to_string_lossy().contains("recording=b/"));
    assert_eq!(of_b.count(), 2, "functions and recordings");
    for (path, bytes) in &before {
        assert_eq!(after.get(path), Some(bytes), "{}", path.display());
    }
    // The same recording gives the same bytes.
    assert!(
        export(&["--replace"], &common::data(lists), &dir)
            .status
            .success()
    );
    assert_eq!(files(&dir), after);
}

#[test]
fn what_cannot_be_written_is_said_with_its_place_and_leaves_nothing() {
    let scratch = Scratch::new("unwritable");
    let recording = common::data("import/lists.uftrace");
    let file = scratch.write("file", b"no folder");
    let output = export(&[], &recording, &file.join("runs"));
    assert_eq!(output.status.code(), Some(1));
    assert!(said(&output).contains("file/runs/"), "{}", said(&output));

    // A folder in the place of a file.
    let dir = scratch.0.join("runs");
    let taken = dir.join("functions/recording=lists.uftrace/part-0.parquet/full");
    std::fs::create_dir_all(&taken).expect("there is room");
    let output = export(&["--replace"], &recording, &dir);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said(&output).contains("part-0.parquet"),
        "{}",
        said(&output)
    );
    assert!(
        files(&dir).is_empty(),
        "nothing half written stays: {:?}",
        files(&dir).keys()
    );

    for (arguments, expected) in [
        (&["--id", "../x"][..], "expected letters"),
        (&["--from", "10%"], "whole recordings"),
        (&["--tables", "calls,what"], "expected one of recordings"),
    ] {
        let output = export(arguments, &recording, &scratch.0.join("other"));
        assert!(!output.status.success());
        assert!(said(&output).contains(expected), "{}", said(&output));
    }
    assert!(!scratch.0.join("other").exists());
    let output = export(&[], &recording, Path::new("-"));
    assert!(
        said(&output).contains("standard output"),
        "{}",
        said(&output)
    );
    assert!(!Path::new("-").exists());
}

#[test]
fn what_a_killed_export_has_left_goes_with_the_next() {
    let scratch = Scratch::new("killed");
    let dir = scratch.0.join("runs");
    let folder = dir.join("functions/recording=lists.uftrace");
    std::fs::create_dir_all(&folder).expect("there is room");
    std::fs::write(folder.join(".1-0.callscape-tmp"), b"PAR1").expect("there is room");
    let output = export(&[], &common::data("import/lists.uftrace"), &dir);
    assert!(output.status.success(), "{}", said(&output));
    let left = std::fs::read_dir(&folder).expect("it is there").count();
    assert_eq!(left, 1);
}

#[test]
fn names_with_control_characters_are_data_and_no_paths() {
    let scratch = Scratch::new("control");
    let mut events = Vec::new();
    for name in [r"a\u001b[31m", r#"b\u0007'\"é"#, "c/../d"] {
        events.push(format!(
            r#"{{"ph":"X","pid":1,"tid":1,"ts":0,"dur":9,"name":"{name}"}}"#
        ));
    }
    let text = format!("[{}]", events.join(","));
    let recording = scratch.write("run\x1b[2J \n1.json", text.as_bytes());
    let dir = scratch.0.join("ta'b*les\x07");
    let output = export(&[], &recording, &dir);
    assert!(output.status.success(), "{}", said(&output));
    let id = "run__2J__1.json";
    let functions = super::rows(&dir, super::Table::Functions, id).expect("it is there");
    let names: Vec<&str> = functions.iter().map(|row| row[1].as_str()).collect();
    assert_eq!(names, ["a\u{1b}[31m", "b\u{7}'\"é", "c/../d"]);
    // Refused a second time, with the names escaped.
    let output = export(&[], &recording, &dir);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        !said(&output).contains(['\u{1b}', '\u{7}']),
        "{:?}",
        said(&output)
    );
}

#[test]
fn only_whole_recordings_under_names_of_their_own_are_written_together() {
    let scratch = Scratch::new("several");
    let (dir, recording) = (scratch.0.join("runs"), common::data("import/lists.uftrace"));
    let mut command = common::callscape();
    command.arg("export").arg(&recording).arg(&recording);
    let output = command
        .args(["--format", "parquet", "-o"])
        .arg(&dir)
        .output();
    let output = output.expect("the program starts");
    assert_eq!(output.status.code(), Some(1));
    assert!(
        said(&output).contains("expected a name other than"),
        "{}",
        said(&output)
    );
    assert!(!dir.exists());
}

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::atomic::{AtomicU32, Ordering};

use super::*;
use callscape_state::document::source::TreeFile;

/// A folder for one test, gone after it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("callscape-editor-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(path.join("tree")).expect("a temporary folder");
        Folder(path.canonicalize().expect("it is there"))
    }

    fn file(&self, name: &str) {
        let path = self.0.join("tree").join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, "int a;\n").expect("a file");
    }

    /// A program that writes its arguments beside itself, each behind a zero, and ends with `status`.
    fn editor(&self, status: i32) -> PathBuf {
        let path = self.0.join("fake editor");
        let script = format!("#!/bin/sh\nprintf '%s\\0' \"$@\" >\"$0.args\"\nexit {status}\n");
        fs::write(&path, script).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("its mode");
        path
    }

    /// What such a program was given.
    fn arguments(&self) -> Vec<String> {
        let all = fs::read(self.0.join("fake editor.args")).expect("it was started");
        let all = String::from_utf8(all).expect("they are text");
        let all = all.strip_suffix('\0').expect("each ends with a zero");
        all.split('\0').map(str::to_owned).collect()
    }

    fn editors(&self, command: &str) -> Editors {
        let (mut editors, _) = Editors::at(Some(self.0.join("kept/editor.json")));
        editors.command = command.to_owned();
        editors.keep().expect("there is room");
        editors
    }

    /// Opens a file of the tree and waits for the editor to end; what is told.
    fn open(&self, editors: &mut Editors, name: &str) -> Result<Vec<String>, String> {
        let to_edit = ToEdit {
            file: TreeFile {
                root: self.0.join("tree"),
                path: name.into(),
            },
            line: 12,
        };
        let told = editors.open(&to_edit, Box::new(|| ()))?;
        let mut said: Vec<String> = told.into_iter().collect();
        while !editors.starting.is_empty() {
            said.extend(editors.poll());
            std::thread::yield_now();
        }
        Ok(said)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_editor_gets_file_and_line_whatever_the_file_is_called() {
    let folder = Folder::new();
    let editor = folder.editor(0);
    let command = format!("'{}' --at {{line}} {{file}}", editor.display());
    let mut editors = folder.editors(&command);
    for name in [
        "plain.c",
        "a b.c",
        "-rf",
        "--version",
        "it's.c",
        "say \"hi\".c",
        "$(touch x).c",
        "`id`;&|<>*?.c",
        "two\nlines.c",
        "{line}.c",
        "deep/er/a.c",
        "größe.c",
    ] {
        folder.file(name);
        assert_eq!(folder.open(&mut editors, name), Ok(vec![]), "{name}");
        let path = folder.0.join("tree").join(name);
        let expected = ["--at", "12", path.to_str().expect("text")];
        assert_eq!(folder.arguments(), expected);
    }
    assert!(!folder.0.join("tree/x").exists());
}

#[test]
fn nothing_outside_of_the_tree_is_opened() {
    let folder = Folder::new();
    let editor = folder.editor(0);
    let mut editors = folder.editors(&format!("'{}'", editor.display()));
    fs::write(folder.0.join("secret"), "x").expect("a file");
    symlink(folder.0.join("secret"), folder.0.join("tree/link")).expect("a link");
    symlink("/etc", folder.0.join("tree/etc")).expect("a link");
    for name in [
        "/etc/passwd",
        "../secret",
        "a/../../secret",
        "link",
        "etc/passwd",
        "gone.c",
        "",
        ".",
    ] {
        let refused = folder.open(&mut editors, name);
        assert!(refused.is_err(), "{name}: {refused:?}");
    }
    assert!(
        !folder.0.join("fake editor.args").exists(),
        "nothing was started"
    );
}

#[test]
fn what_goes_wrong_is_told() {
    let folder = Folder::new();
    folder.file("a.c");
    let editor = folder.editor(3);
    let mut editors = folder.editors(&format!("'{}' {{file}}", editor.display()));
    let said = folder.open(&mut editors, "a.c").expect("it starts");
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(
        said[0].contains("not at the line") && said[1].contains("ended"),
        "{said:?}"
    );
    let mut editors = folder.editors("'/no/such program' {file}:{line}");
    let failed = folder
        .open(&mut editors, "a.c")
        .expect_err("it is not there");
    assert!(failed.contains("/no/such program"), "{failed}");
    // What is there and is no program is not started.
    let mut editors = folder.editors(&format!("'{}/tree/a.c' {{file}}", folder.0.display()));
    assert!(folder.open(&mut editors, "a.c").is_err());
}

#[test]
fn the_command_is_kept_and_what_cannot_be_read_stays() {
    let folder = Folder::new();
    let path = folder.0.join("kept/editor.json");
    drop(folder.editors("code -g {file}:{line}"));
    let (editors, unread) = Editors::at(Some(path.clone()));
    assert_eq!(
        (editors.command.as_str(), unread),
        ("code -g {file}:{line}", None)
    );
    for text in ["{", "{\"version\": 99, \"command\": \"x\"}", ""] {
        fs::write(&path, text).expect("it is there");
        let (mut editors, unread) = Editors::at(Some(path.clone()));
        assert_eq!(editors.command.as_str(), "");
        assert!(unread.is_some_and(|reason| reason.contains("editor.json")));
        editors.command = "vim".to_owned();
        assert!(editors.keep().is_err());
        assert_eq!(fs::read_to_string(&path).expect("it is there"), text);
    }
}

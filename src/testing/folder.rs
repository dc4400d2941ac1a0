//! Folders for tests that write indexes, and what damages these.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::common::callscape;
use super::generate::{Plan, Program, write_chrome};

/// A folder of its own for a test, with a cache directory in it, removed at the end.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(test: &str) -> Folder {
        let name = format!("callscape-it-{test}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(folder.join("cache")).expect("temporary files can be written");
        Folder(folder)
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The program, with the folder's own cache directory.
    pub fn callscape(&self, arguments: &[&str]) -> Command {
        let mut command = callscape();
        command.args(arguments).current_dir(&self.0);
        command.env("XDG_CACHE_HOME", self.file("cache"));
        command.env("HOME", self.file("cache"));
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.callscape(arguments)
            .output()
            .expect("the program starts")
    }

    /// What the program prints about `trace`; its warnings left out.
    pub fn answers(&self, trace: &str) -> String {
        let mut text = String::new();
        for arguments in [
            &["functions", trace, "--json"][..],
            &["stack", trace, "--at", "40%", "--json"],
            &["graph", trace, "--from", "20%", "--to", "70%", "--json"],
        ] {
            let output = self.run(arguments);
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{arguments:?}: {error}");
            text += &String::from_utf8_lossy(&output.stdout);
        }
        text
    }

    /// The names of what lies in the folder and in its cache.
    pub fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        for dir in [self.0.clone(), self.file("cache/callscape")] {
            let Ok(entries) = dir.read_dir() else {
                continue;
            };
            let entry_names = entries.flatten().map(|entry| entry.file_name());
            names.extend(entry_names.map(|name| name.to_string_lossy().into_owned()));
        }
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A made-up program with this number of calls.
pub fn program(calls: u64) -> Program {
    Program::new(Plan {
        calls,
        functions: 800,
        threads: 3,
        seed: 5,
    })
}

/// A Chrome trace whose index is so large that its calls are checked only when they are read: few calls, and
/// a thread with a name of 17 MB.
pub fn write_with_large_index(path: &Path) {
    let mut json = Vec::new();
    write_chrome(&program(5000), &mut json).expect("memory takes all");
    let name = "n".repeat(17 << 20);
    let thread =
        format!(r#"{{"name":"thread_name","ph":"M","pid":1,"tid":1,"args":{{"name":"{name}"}}}},"#);
    let events = json
        .iter()
        .position(|&byte| byte == b'[')
        .map_or(0, |at| at + 1);
    json.splice(events..events, thread.into_bytes());
    std::fs::write(path, json).expect("there is room");
}

/// Flips a bit of every byte of an index that is not looked at when it is opened.
pub fn flip_all_calls(index: &Path) {
    const HEADER: usize = 64;
    const TAIL_AT: usize = 24;
    let mut bytes = std::fs::read(index).expect("the index lies there");
    let number = bytes[TAIL_AT..TAIL_AT + 8].try_into().expect("8 bytes");
    let tail = u64::from_le_bytes(number) as usize;
    for byte in &mut bytes[HEADER..tail] {
        *byte ^= 0x10;
    }
    std::fs::write(index, bytes).expect("there is room");
}

/// Blanks some events in a Chrome trace of one line for each, so that the file looks the same to who looks
/// at its size, times, start and end only.
pub fn blank_some_events(path: &Path) {
    let modified = path.metadata().and_then(|it| it.modified());
    let mut bytes = std::fs::read(path).expect("the recording lies there");
    let from = bytes.len() - 300_000;
    let mut lines = (from..bytes.len()).filter(|&at| bytes[at] == b'\n');
    let (first, last) = (lines.next(), lines.nth(100));
    let (first, last) = first.zip(last).expect("lines are short");
    bytes[first..last].fill(b' ');
    let file = std::fs::File::create(path).expect("it is ours");
    (&file).write_all(&bytes).expect("there is room");
    let modified = modified.expect("times are known here");
    file.set_modified(modified).expect("it is ours");
}

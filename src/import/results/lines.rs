//! Places in text: `file:line` as compilers and `grep -n` write it, and the frames of stack traces.
//!
//! A line that has no place in it says nothing. Of a frame only its place is taken: the function is found by that.

use std::io::BufRead;
use std::sync::LazyLock;

use regex::Regex;

use super::set::{Failed, ResultSet, each_line};
use callscape_base::progress::Progress;

/// Tried in order; the first that fits counts. `file` and `line` are named, and `class` where it tells the directory.
static FORMS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    let forms = [
        // Python: `File "a.py", line 3, in f`.
        r#"^\s*File "(?P<file>[^"]+)", line (?P<line>\d+)"#,
        // Java and Kotlin: `at a.b.C.f(C.java:3)`, with `module@1.0/` before it in newer ones.
        r"^\s*at (?:[\w.$@-]+/)?(?P<class>[\w.$]+)\.[\w$<>]+\((?P<file>[\w$]+\.(?:java|kt|scala|groovy)):(?P<line>\d+)\)",
        // JavaScript: `at f (a.js:3:4)`, `at a.js:3:4`.
        r"^\s*at (?:.*\()?(?:file://)?(?P<file>[^()\s][^()]*?):(?P<line>\d+):\d+\)?$",
        // Rust: `at ./src/a.rs:3:4`, ` --> src/a.rs:3:4`, `panicked at src/a.rs:3:4:`.
        r"(?:^\s*at|-->|panicked at) (?P<file>[^\s:][^:]*):(?P<line>\d+):\d+",
        // gdb: `#1 0x4 in f (x=1) at a.c:3`; sanitizers: `#1 0x4 in f a.c:3:4`.
        r"^\s*#\d+\s.* (?P<file>[^\s:]+):(?P<line>\d+)(?::\d+)?\s*$",
        // Go: a tab, `/a/b.go:3 +0x1d`.
        r"^\s+(?P<file>\S+\.go):(?P<line>\d+)(?: \+0x[0-9a-f]+)?\s*$",
        // MSVC: `a.cpp(3,4): error`.
        r"^\s*(?P<file>[^\s(][^(]*\.\w+)\((?P<line>\d+)(?:,\d+)*\)\s*:",
        // Compilers and grep: `a.c:3:4: error`, `a.c:3:text`, on Windows behind a drive.
        r"^(?P<file>(?:[A-Za-z]:[\\/])?[^:\s][^:]*):(?P<line>\d+)(?::|$)",
    ];
    forms
        .iter()
        .filter_map(|form| Regex::new(form).ok())
        .collect()
});

pub(super) fn read(
    from: impl BufRead,
    set: &mut ResultSet,
    progress: &Progress,
) -> Result<(), Failed> {
    set.format = "lines";
    each_line(from, progress, |line| {
        let line = String::from_utf8_lossy(line);
        if let Some((file, number)) = place(&line) {
            set.add(&file, number, 1);
        }
    })
}

/// The place that a line names.
pub(super) fn place(line: &str) -> Option<(String, u32)> {
    for form in FORMS.iter() {
        let Some(found) = form.captures(line) else {
            continue;
        };
        let (file, number) = (found.name("file")?.as_str(), found.name("line")?.as_str());
        let number = number.parse().ok()?;
        let class = found.name("class").map(|it| it.as_str());
        let package = class.and_then(|it| Some(it.rsplit_once('.')?.0.replace('.', "/")));
        return Some(match package {
            Some(package) => (format!("{package}/{file}"), number),
            None => (file.to_owned(), number),
        });
    }
    None
}

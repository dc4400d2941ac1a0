//! Other programs that tests ask: those that `./x test` installs from `tests/requirements.txt`, or the system's.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use super::common::repository;

/// The folders in which programs are looked for, as the variable `PATH` has them.
pub fn path() -> OsString {
    let own = repository().join("target/venv/bin");
    let system = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(own).chain(std::env::split_paths(&system));
    std::env::join_paths(folders).expect("no colon in the path of the repository")
}

/// The Python interpreter with the modules that tests ask.
pub fn python() -> PathBuf {
    let own = repository().join("target/venv/bin/python3");
    if own.exists() { own } else { "python3".into() }
}

/// Whether a program is installed. If not, the caller leaves its test out, and `./x test` counts the printed line.
pub fn has(name: &str, argument: &str) -> bool {
    let mut asked = Command::new(name);
    let asked = asked.arg(argument).env("PATH", path());
    let is_there = asked.stdin(Stdio::null()).output();
    let is_there = is_there.is_ok_and(|it| it.status.success());
    if !is_there {
        eprintln!("left out: {name} is not installed");
    }
    is_there
}

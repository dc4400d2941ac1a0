//! The script that loads ours into a program by Frida: its files, and its private folder, in which others find it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::signals;

/// What is loaded into the program, and what loads it, by their names in the private folder.
pub(crate) const SCRIPTS: [(&str, &str); 7] = [
    (DRIVER, include_str!("../../assets/frida/driver.py")),
    (
        "following.py",
        include_str!("../../assets/frida/following.py"),
    ),
    (
        "recording.py",
        include_str!("../../assets/frida/recording.py"),
    ),
    (
        "stopping.py",
        include_str!("../../assets/frida/stopping.py"),
    ),
    ("agent.js", include_str!("../../assets/frida/agent.js")),
    ("records.c", include_str!("../../assets/frida/records.c")),
    ("calls.c", include_str!("../../assets/frida/calls.c")),
];
pub(crate) const DRIVER: &str = "driver.py";
/// In the private folder: what is recorded, what the driver says, and how the program ended.
pub(crate) const RECORDING: &str = "recording";
pub(crate) const LOG: &str = "log";
pub(crate) const ENDED: &str = "ended";
/// The process that is recorded.
pub(crate) const PROCESS: &str = "process";

/// Makes a recording whole whose driver was killed; whether there is one.
pub(crate) fn finish(folder: &Path) -> bool {
    if !folder.join(RECORDING).join("task.txt").exists() {
        return false;
    }
    let driver = folder.join(DRIVER);
    for (name, text) in SCRIPTS {
        let _ = fs::write(folder.join(name), text);
    }
    let mut finish = Command::new("python3");
    finish.arg(driver).arg("--finish").arg(folder);
    finish
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    let done = finish.status();
    done.is_ok_and(|it| it.success())
}

/// The private folder of the recording of a process, where it is recorded by Frida.
pub(crate) fn folder_of(pid: u32) -> Option<PathBuf> {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut folders = processes.filter_map(|process| {
        let line = fs::read(process.path().join("cmdline")).ok()?;
        let mut words = line.split(|&byte| byte == 0);
        let driver = words.find(|it| it.ends_with(DRIVER.as_bytes()))?;
        let folder = signals::path(words.next()?);
        (signals::path(driver).parent() == Some(&folder)).then_some(folder)
    });
    let wanted = pid.to_string();
    folders
        .find(|folder| fs::read_to_string(folder.join(PROCESS)).is_ok_and(|it| it.trim() == wanted))
}

/// Where switches of a recording are noted.
pub(crate) fn recording(folder: &Path) -> PathBuf {
    folder.join(RECORDING)
}

//! The processes that could be recorded: what each is, and how busy.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use super::program::Program;

/// Over this time it is measured how busy a process is.
const WATCHED: Duration = Duration::from_millis(300);

/// A running process.
#[derive(Clone, Debug, PartialEq)]
pub struct Process {
    pub pid: u32,
    /// Of its executable file.
    pub name: String,
    /// Its command line, words apart.
    pub command: String,
    /// What kind of program it is.
    pub about: String,
    /// How many processors it keeps busy; at least 0.
    pub busy: f64,
}

/// The processes of this user, or of all for root, the busiest first. Takes a third of a second.
pub fn all() -> Vec<Process> {
    let begin = Instant::now();
    let before = times();
    std::thread::sleep(WATCHED);
    let after = times();
    let passed = begin.elapsed().as_nanos().max(1) as f64;
    let mut found: Vec<Process> = after
        .into_iter()
        .filter(|(pid, _)| *pid != std::process::id())
        .filter_map(|(pid, time)| {
            let since = before.get(&pid).copied().unwrap_or(time);
            of(pid, time.saturating_sub(since) as f64 / passed)
        })
        .collect();
    found.sort_by(|a, b| b.busy.total_cmp(&a.busy).then(a.pid.cmp(&b.pid)));
    found
}

/// Nanoseconds of processor time by process.
fn times() -> HashMap<u32, u64> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let times = entries.filter_map(|entry| {
        let pid = entry.file_name().to_str()?.parse().ok()?;
        let tasks = fs::read_dir(entry.path().join("task")).ok()?.flatten();
        let taken = tasks.filter_map(|task| {
            let text = fs::read_to_string(task.path().join("schedstat")).ok()?;
            text.split_whitespace().next()?.parse::<u64>().ok()
        });
        Some((pid, taken.sum()))
    });
    times.collect()
}

/// A process; none of the system's own threads, of other users, and of those that have ended.
fn of(pid: u32, busy: f64) -> Option<Process> {
    let folder = Path::new("/proc").join(pid.to_string());
    let program = Program::of_process(pid)?;
    let line = fs::read(folder.join("cmdline")).ok()?;
    let words = line.split(|&byte| byte == 0).filter(|it| !it.is_empty());
    let words: Vec<_> = words.map(String::from_utf8_lossy).collect();
    let name = program.path.file_name().unwrap_or_default();
    Some(Process {
        pid,
        name: name.to_string_lossy().into_owned(),
        command: words.join(" "),
        about: program.about(),
        busy,
    })
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn what_runs_is_listed_with_what_it_is() {
        let mut child = Command::new("cat")
            .stdin(Stdio::piped())
            .spawn()
            .expect("it starts");
        let found = all();
        let cat = found.iter().find(|it| it.pid == child.id());
        let cat = cat.expect("it is listed");
        assert!(cat.about.contains("native"), "{cat:?}");
        assert_eq!(cat.command, "cat");
        // It waits, but may still be loading its libraries.
        assert!((0.0..2.0).contains(&cat.busy), "{cat:?}");
        assert!(found.iter().all(|it| it.pid != std::process::id()));
        assert!(found.is_sorted_by(|a, b| a.busy >= b.busy));
        drop(child.stdin.take());
        child.wait().expect("it ends");
    }
}

//! `task.txt`: sessions, their tasks, and the libraries that were loaded later.

use std::collections::BTreeMap;

use crate::error::ImportError;
use crate::input::Input;
use crate::switches::Switches;
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::Timestamp;

/// One executable image of a process: a new one with each exec.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Session {
    /// Names the session's map file.
    pub id: String,
    pub pid: u32,
    /// Nanoseconds.
    pub start: u64,
    /// Base name of the executable.
    pub executable: String,
    pub loaded: Vec<Loaded>,
}

/// A library loaded while the session ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Loaded {
    pub time: u64,
    pub base: u64,
    pub path: String,
}

/// The tasks of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tasks {
    /// In order of the file.
    pub sessions: Vec<Session>,
    /// By task: its process.
    processes: BTreeMap<u32, u32>,
    /// By process: the one that it was forked from, and when.
    parents: BTreeMap<u32, (u32, u64)>,
    /// When recording was switched on and off.
    switches: Switches,
}

impl Tasks {
    /// Reads `task.txt`, and when processes were switched. Without the file each map in the directory counts as a session of its own.
    pub(super) fn read(dir: &Input, reporter: &Reporter) -> Result<Tasks, ImportError> {
        let path = dir.join("task.txt");
        let file = path.display().to_string();
        match path.read() {
            Ok(bytes) => {
                let text = String::from_utf8_lossy(&bytes);
                Ok(Tasks {
                    switches: Switches::read(dir, reporter),
                    ..Tasks::parse(&text, &file, reporter)
                })
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                reporter.warn("missing-task-file", || Place::file(file));
                Tasks::from_maps(dir)
            }
            Err(error) => Err(ImportError::io(&path, error)),
        }
    }

    fn from_maps(dir: &Input) -> Result<Tasks, ImportError> {
        let entries = dir.entries().map_err(|error| ImportError::io(dir, error))?;
        let mut ids: Vec<String> = entries
            .iter()
            .filter_map(|entry| {
                let name = entry.file_name()?.to_str()?;
                let id = name.strip_prefix("sid-")?.strip_suffix(".map")?;
                Some(id.to_owned())
            })
            .collect();
        ids.sort();
        let sessions = ids.into_iter().map(|id| Session {
            id,
            pid: 0,
            start: 0,
            executable: String::new(),
            loaded: Vec::new(),
        });
        Ok(Tasks {
            sessions: sessions.collect(),
            ..Tasks::default()
        })
    }

    fn parse(text: &str, file: &str, reporter: &Reporter) -> Tasks {
        let mut tasks = Tasks::default();
        for (index, line) in text.lines().enumerate() {
            if !line.trim().is_empty() && tasks.line(line).is_none() {
                reporter.warn("malformed-task-line", || {
                    Place::line(file, index as u64 + 1)
                });
            }
        }
        tasks
    }

    /// Takes one line; none when something in it is missing.
    fn line(&mut self, line: &str) -> Option<()> {
        let (kind, fields) = line.split_once(' ')?;
        let field = |name| field(fields, name);
        let number = |name| field(name)?.parse::<u32>().ok();
        let start = nanoseconds(field("timestamp")?)?;
        match kind {
            "SESS" => {
                let pid = number("pid")?;
                let executable = base_name(field("exename")?).to_owned();
                let id = field("sid")?.to_owned();
                self.sessions.push(Session {
                    id,
                    pid,
                    start,
                    executable,
                    loaded: Vec::new(),
                });
            }
            "TASK" => {
                self.processes.insert(number("tid")?, number("pid")?);
            }
            "FORK" => {
                let pid = number("pid")?;
                self.processes.insert(pid, pid);
                self.parents.insert(pid, (number("ppid")?, start));
            }
            "DLOP" => {
                let id = field("sid")?;
                let base = u64::from_str_radix(field("base")?, 16).ok()?;
                let path = field("libname")?.to_owned();
                let mut sessions = self.sessions.iter_mut().rev();
                let session = sessions.find(|session| session.id == id)?;
                session.loaded.push(Loaded {
                    time: start,
                    base,
                    path,
                });
            }
            _ => return None,
        }
        Some(())
    }

    /// When recording of a task's process went on after it had stopped, in order; and whether it was off at last.
    pub(super) fn switches_of(&self, tid: u32) -> (&[u64], bool) {
        self.switches.of(self.process(tid))
    }

    /// From when until when recording of a process was off, in order; and since when, where it was off at last.
    pub(super) fn off(&self, process: u32) -> (&[(u64, u64)], Option<u64>) {
        self.switches.off(process)
    }

    /// The process that a task belongs to; itself where that is not known.
    pub(super) fn process(&self, tid: u32) -> u32 {
        self.processes.get(&tid).copied().unwrap_or(tid)
    }

    /// The sessions of a task as indices with the time from which each holds, in order of time; the
    /// first holds from the start. A forked process runs in its parent's session until it execs.
    pub(super) fn sessions_of(&self, tid: u32) -> Vec<(u64, usize)> {
        let mut process = self.process(tid);
        let of = |process| {
            let sessions = self.sessions.iter().enumerate();
            let own = sessions.filter(move |(_, session)| session.pid == process);
            own.map(|(index, session)| (session.start, index))
        };
        let mut sessions: Vec<(u64, usize)> = of(process).collect();
        sessions.sort_unstable();
        // As many steps as there are processes: a file may make one its own ancestor.
        for _ in 0..=self.parents.len() {
            let Some(&(parent, forked)) = self.parents.get(&process) else {
                break;
            };
            process = parent;
            // The parent's session at that time; if its clock is not exact, its first one.
            let before = of(process).filter(|&(start, _)| start <= forked).max();
            let is_last = !self.parents.contains_key(&process);
            let inherited = before.or_else(|| of(process).min().filter(|_| is_last));
            if let Some(inherited) = inherited {
                sessions.insert(0, inherited);
                break;
            }
        }
        if sessions.is_empty() {
            sessions.extend((!self.sessions.is_empty()).then_some((0, 0)));
        }
        if let Some(first) = sessions.first_mut() {
            first.0 = 0;
        }
        sessions
    }
}

/// The value of `name=value` among fields, without the quotes around it.
fn field<'a>(fields: &'a str, name: &str) -> Option<&'a str> {
    let mut from = 0;
    let start = loop {
        let at = from + fields.get(from..)?.find(name)?;
        let value = at + name.len();
        let begins = at == 0 || fields.as_bytes()[at - 1] == b' ';
        if begins && fields.as_bytes().get(value) == Some(&b'=') {
            break value + 1;
        }
        from = value;
    };
    let value = fields.get(start..)?;
    match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => value.split(' ').next(),
    }
}

/// Seconds with up to nine decimals as nanoseconds.
fn nanoseconds(seconds: &str) -> Option<u64> {
    let (whole, decimals) = seconds.split_once('.').unwrap_or((seconds, ""));
    let decimals = format!("{decimals:0<9}");
    let ns: u64 = decimals.get(..9)?.parse().ok()?;
    whole
        .parse::<u64>()
        .ok()?
        .checked_mul(1_000_000_000)?
        .checked_add(ns)
}

/// What stands behind the last slash.
pub(super) fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A time of the recording's own clock, for the builder of calls.
pub(super) fn timestamp(time: u64) -> Timestamp {
    Timestamp::from_ns(i64::try_from(time).unwrap_or(i64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_follow_fork_and_exec() {
        let text = "SESS timestamp=10.5 pid=1 sid=aa exename=\"/bin/my app\"\n\
                    TASK timestamp=10.600000001 tid=1 pid=1\n\
                    TASK timestamp=10.7 tid=2 pid=1\n\
                    FORK timestamp=11.0 pid=3 ppid=1\n\
                    SESS timestamp=12.0 pid=3 sid=bb exename=\"/bin/other\"\n\
                    DLOP timestamp=13.0 tid=1 sid=aa base=7f00 libname=\"/lib/x.so\"\n\
                    nonsense\n";
        let reporter = Reporter::new();
        let tasks = Tasks::parse(text, "task.txt", &reporter);
        assert_eq!(tasks.sessions[0].executable, "my app");
        assert_eq!(tasks.sessions[0].loaded[0].base, 0x7f00);
        assert_eq!(tasks.process(2), 1);
        assert_eq!(tasks.sessions_of(2), [(0, 0)]);
        assert_eq!(tasks.sessions_of(3), [(0, 0), (12_000_000_000, 1)]);
        assert_eq!(tasks.sessions_of(99), [(0, 0)]);
        let warnings = reporter.warnings();
        assert_eq!(warnings.len(), 1);
        assert_eq!(warnings[0].first, Place::line("task.txt", 7));
    }

    #[test]
    fn a_process_inherits_the_program_that_its_parent_then_ran() {
        let text = "SESS timestamp=1.0 pid=1 sid=aa exename=\"/bin/first\"\n\
                    FORK timestamp=2.0 pid=2 ppid=1\n\
                    SESS timestamp=3.0 pid=1 sid=bb exename=\"/bin/second\"\n\
                    FORK timestamp=4.0 pid=3 ppid=1\n\
                    FORK timestamp=5.0 pid=4 ppid=2\n";
        let tasks = Tasks::parse(text, "task.txt", &Reporter::new());
        assert_eq!(tasks.sessions_of(1), [(0, 0), (3_000_000_000, 1)]);
        assert_eq!(tasks.sessions_of(2), [(0, 0)]);
        assert_eq!(tasks.sessions_of(3), [(0, 1)]);
        assert_eq!(tasks.sessions_of(4), [(0, 0)]);
    }

    #[test]
    fn a_process_that_is_its_own_ancestor_ends_the_search() {
        let text = "FORK timestamp=1.0 pid=3 ppid=4\nFORK timestamp=1.0 pid=4 ppid=3\n";
        let tasks = Tasks::parse(text, "task.txt", &Reporter::new());
        assert_eq!(tasks.sessions_of(3), []);
    }
}

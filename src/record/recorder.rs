//! The recorders that are driven, whether they are there, and how one gets them.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::process::{Command, Stdio};

use super::program;

/// A recorder that is driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Recorder {
    Uftrace,
    Frida,
    Perf,
    Viztracer,
    PySpy,
    Node,
    Jfr,
}

/// Whether a recorder can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// With what it says of its version.
    Ready(String),
    /// It is not there; this installs it.
    Missing(&'static str),
    /// It is there and does not do what is needed; why, and what helps.
    Unfit(String),
}

impl Recorder {
    pub const ALL: [Recorder; 7] = [
        Recorder::Uftrace,
        Recorder::Frida,
        Recorder::Perf,
        Recorder::Viztracer,
        Recorder::PySpy,
        Recorder::Node,
        Recorder::Jfr,
    ];

    /// Those that can be switched on and off while the program runs.
    pub const SWITCHABLE: [Recorder; 3] = [Recorder::Uftrace, Recorder::Frida, Recorder::Perf];

    /// Whether it can be switched on and off while the program runs.
    pub fn can_be_switched(self) -> bool {
        Recorder::SWITCHABLE.contains(&self)
    }

    /// Whether it records only some functions: those that are named, or are in some files.
    pub fn can_choose(self) -> bool {
        let can = [Recorder::Uftrace, Recorder::Frida, Recorder::Viztracer];
        can.contains(&self)
    }

    /// Whether it can leave out functions that are called too often.
    pub fn can_count(self) -> bool {
        matches!(self, Recorder::Uftrace | Recorder::Frida)
    }

    /// What it is called on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Recorder::Uftrace => "uftrace",
            Recorder::Frida => "frida",
            Recorder::Perf => "perf",
            Recorder::Viztracer => "viztracer",
            Recorder::PySpy => "py-spy",
            Recorder::Node => "node",
            Recorder::Jfr => "jfr",
        }
    }

    /// What it records of what.
    pub fn about(self) -> &'static str {
        match self {
            Recorder::Uftrace => "every call of C, C++ and Rust programs, not rebuilt",
            Recorder::Frida => {
                "every call of started and running native programs; no cost while off"
            }
            Recorder::Perf => "samples of any native program",
            Recorder::Viztracer => "every call of Python programs",
            Recorder::PySpy => "samples of Python programs",
            Recorder::Node => "samples of JavaScript in node",
            Recorder::Jfr => "samples of programs on the Java virtual machine",
        }
    }

    /// How the names of its recordings end.
    pub fn ending(self) -> &'static str {
        match self {
            Recorder::Uftrace => "uftrace",
            Recorder::Frida => "frida.uftrace",
            Recorder::Perf => "perf.txt",
            Recorder::Viztracer => "viztracer.json",
            Recorder::PySpy => "speedscope.json",
            Recorder::Node => "cpuprofile",
            Recorder::Jfr => "jfr",
        }
    }

    /// The exact command that installs it on Debian and its like, or everywhere.
    pub fn install(self) -> &'static str {
        match self {
            Recorder::Uftrace => "sudo apt-get install uftrace",
            Recorder::Frida => "python3 -m pip install frida",
            Recorder::Perf => "sudo apt-get install linux-perf",
            Recorder::Viztracer => "python3 -m pip install viztracer",
            Recorder::PySpy => "python3 -m pip install py-spy",
            Recorder::Node => "sudo apt-get install nodejs",
            Recorder::Jfr => "sudo apt-get install default-jdk-headless",
        }
    }

    /// Whether it can be used on this machine. Of Python's, for the `python3` in PATH.
    pub fn state(self) -> State {
        match self {
            Recorder::Uftrace => uftrace(),
            Recorder::Frida => frida(),
            Recorder::Perf => perf(),
            Recorder::Viztracer => viztracer(&["python3".into()], &[]),
            Recorder::PySpy => version("py-spy", "--version", self),
            Recorder::Node => version("node", "--version", self),
            Recorder::Jfr => version("java", "-version", self),
        }
    }
}

impl std::str::FromStr for Recorder {
    type Err = String;

    fn from_str(text: &str) -> Result<Recorder, String> {
        let mut all = Recorder::ALL.into_iter();
        all.find(|it| it.name() == text).ok_or_else(|| {
            let names = Recorder::ALL.map(Recorder::name).join(", ");
            format!("expected one of {names}, found '{text}'")
        })
    }
}

/// What a command says when it is asked for something, on either stream; none where it is not there or fails.
fn says(mut command: Command) -> Option<String> {
    program::find(command.get_program()).ok()?;
    let asked = command.stdin(Stdio::null()).output().ok()?;
    let text = match asked.stdout.is_empty() {
        true => asked.stderr,
        false => asked.stdout,
    };
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().next().unwrap_or_default().trim().to_owned();
    asked.status.success().then_some(line)
}

fn version(name: &str, argument: &str, of: Recorder) -> State {
    let mut command = Command::new(name);
    command.arg(argument);
    match says(command) {
        Some(version) => State::Ready(version),
        None => State::Missing(of.install()),
    }
}

/// The oldest uftrace that patches programs without being told to rebuild them.
const OLDEST_UFTRACE: (u32, u32) = (0, 13);

/// The first two numbers of `uftrace v0.13.1 ( x86_64 dwarf … dynamic )`.
fn numbers(version: &str) -> Option<(u32, u32)> {
    let at = version.find(|it: char| it.is_ascii_digit())?;
    let mut parts = version[at..].split(|it: char| !it.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

fn uftrace() -> State {
    let State::Ready(version) = version("uftrace", "--version", Recorder::Uftrace) else {
        return State::Missing(Recorder::Uftrace.install());
    };
    match numbers(&version) {
        Some(found) if found >= OLDEST_UFTRACE => State::Ready(version),
        _ => State::Unfit(format!(
            "{version} is older than 0.13; see https://github.com/namhyung/uftrace"
        )),
    }
}

/// Whether this machine is one whose code our script for Frida writes.
const HAS_STUBS: bool = cfg!(all(target_os = "linux", target_arch = "x86_64"));

fn frida() -> State {
    let mut ask = Command::new("python3");
    ask.args(["-c", "import frida; print('frida ' + frida.__version__)"]);
    match says(ask) {
        _ if !HAS_STUBS => State::Unfit("it needs Linux on x86-64".to_owned()),
        Some(version) => State::Ready(version),
        None => State::Missing(Recorder::Frida.install()),
    }
}

/// The level from which on the kernel lets nobody but root record.
const FORBIDDEN: i32 = 3;

fn perf() -> State {
    let State::Ready(version) = version("perf", "--version", Recorder::Perf) else {
        return State::Missing(Recorder::Perf.install());
    };
    let level = fs::read_to_string("/proc/sys/kernel/perf_event_paranoid");
    let level = level.ok().and_then(|it| it.trim().parse::<i32>().ok());
    match level {
        Some(level) if level >= FORBIDDEN && !is_root() => State::Unfit(format!(
            "kernel.perf_event_paranoid is {level}: `sudo sysctl kernel.perf_event_paranoid=2` permits it until the \
             next reboot"
        )),
        _ => State::Ready(version),
    }
}

fn is_root() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|it| it.strip_prefix("Uid:"));
    line.and_then(|it| it.split_whitespace().nth(1)) == Some("0")
}

/// Whether an interpreter with these options and in this environment has VizTracer.
pub fn viztracer(python: &[OsString], environment: &[(OsString, OsString)]) -> State {
    let ask = "import viztracer; print('viztracer ' + viztracer.__version__)";
    let (name, options) = python
        .split_first()
        .map_or((OsStr::new(""), &[][..]), |it| (it.0, it.1));
    let mut command = Command::new(name);
    command.args(options).args(["-c", ask]);
    command.envs(environment.iter().map(|(name, value)| (name, value)));
    match says(command) {
        Some(version) => State::Ready(version),
        None => State::Missing(Recorder::Viztracer.install()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recorders_are_named_once() {
        for recorder in Recorder::ALL {
            assert_eq!(recorder.name().parse(), Ok(recorder));
        }
        let refused = "gdb".parse::<Recorder>();
        assert!(refused.is_err_and(|it| it.contains("uftrace") && it.contains("gdb")));
    }

    #[test]
    fn the_version_of_uftrace_is_read() {
        assert_eq!(numbers("uftrace v0.13 ( x86_64 dwarf )"), Some((0, 13)));
        assert_eq!(numbers("uftrace v0.9.4"), Some((0, 9)));
        assert_eq!(numbers("uftrace"), None);
    }
}

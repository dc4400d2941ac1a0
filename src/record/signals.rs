//! Signals that are for the program and reach whoever records it; and those that switch recording on and off.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::error::RecordError;
use super::private;
use callscape_import::switches::{FILE, Switched};

/// In the environment of a program in which recording can be switched on and off: the folder of the recording.
pub(crate) const SWITCH: &str = "CALLSCAPE_SWITCH";

/// What makes a recorder stop and keep what it has.
pub(crate) const INTERRUPT: i32 = 2;
/// What asks a program to end.
pub const TERMINATE: i32 = 15;
/// What makes it end.
pub(crate) const KILL: i32 = 9;

/// What recording is switched to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    On,
    Off,
}

/// Two realtime signals that few programs use: SIGRTMIN+8 and SIGRTMIN+9 with glibc.
const SIGNALS: [i32; 2] = [42, 43];

/// A signal is taken by then, unless the program is stopped. No longer: a window waits for it.
const DELIVERY: Duration = Duration::from_millis(80);

impl Switch {
    pub fn signal(self) -> i32 {
        SIGNALS[self as usize]
    }

    /// What uftrace calls it.
    pub fn trigger(self) -> &'static str {
        match self {
            Switch::On => "trace-on",
            Switch::Off => "trace-off",
        }
    }

    fn option(self) -> &'static str {
        match self {
            Switch::On => "--on",
            Switch::Off => "--off",
        }
    }
}

/// A line of `/proc/PID/status` that holds a set of signals.
fn signals_of(status: &str, name: &str) -> u64 {
    let line = status.lines().find_map(|it| it.strip_prefix(name));
    line.and_then(|it| u64::from_str_radix(it.trim(), 16).ok())
        .unwrap_or(0)
}

fn holds(set: u64, signal: i32) -> bool {
    set >> (signal - 1) & 1 == 1
}

/// Why a process that catches these signals is not sent ours; none where it can be.
fn unfit(caught: u64) -> Option<&'static str> {
    let [first, last] = SIGNALS;
    if !SIGNALS.iter().all(|&it| holds(caught, it)) {
        return Some("it does not listen to the signals that switch recording");
    }
    // A recorder catches no others: a program that takes a whole range has taken these two away from it.
    [first - 1, last + 1]
        .iter()
        .any(|&it| holds(caught, it))
        .then_some("it handles the signals next to those used to switch recording, and therefore also these")
}

/// The path that a variable in the environment of a process holds.
pub(crate) fn path_in_environment(process: &Path, name: &str) -> Option<PathBuf> {
    let environment = fs::read(process.join("environ")).ok()?;
    let wanted = format!("{name}=");
    let mut variables = environment.split(|&byte| byte == 0);
    let found = variables.find_map(|it| it.strip_prefix(wanted.as_bytes()))?;
    Some(path(found))
}

/// Switches recording of the process `pid` on or off by a signal, and notes when, once the process has taken the signal. A
/// process that has no handler for it is refused: the signal would end it.
pub(crate) fn switch(pid: u32, to: Switch) -> Result<(), RecordError> {
    let process = Path::new("/proc").join(pid.to_string());
    let refuse = |why: &str| {
        Err(RecordError::Recorder(format!(
            "process {pid}: {why}; `callscape record --paused -- CMD` and `--switchable` run a program that {} can switch",
            to.option()
        )))
    };
    if !process.exists() {
        return refuse("no such process");
    }
    let Some(folder) = path_in_environment(&process, SWITCH) else {
        return refuse("not being recorded, not switchable, or owned by another user");
    };
    if !folder.parent().is_some_and(private::is_held) {
        return refuse("its recording has ended, or its recorder was killed");
    }
    let status = || fs::read_to_string(process.join("status")).unwrap_or_default();
    if let Some(why) = unfit(signals_of(&status(), "SigCgt:")) {
        return refuse(why);
    }
    let waits = |why: &str| {
        let reason = format!("process {pid}: {why}: recording continues as before");
        Err(RecordError::Recorder(reason))
    };
    // What is sent to one that does not take it now would switch recording later, and nobody would know when.
    if is_stopped(&status()) {
        return waits("it is stopped");
    }
    if is_blocked(&process, to.signal()) {
        return waits("it blocks the signals that switch recording");
    }
    let log = folder.join(FILE);
    let line = Switched {
        is_on: to == Switch::On,
        process: pid,
        time: monotonic(),
    };
    // What cannot be noted is not done: calls would reach across a time in which nothing was recorded.
    let file = fs::OpenOptions::new().create(true).append(true).open(&log);
    let mut file = file.map_err(|error| RecordError::io(&log, error))?;
    if !send(pid, to.signal()) {
        return refuse("it cannot be reached");
    }
    let begin = std::time::Instant::now();
    // One that waits would come before one of a lower number that is sent after it.
    while is_pending(&status(), to.signal()) {
        if begin.elapsed() >= DELIVERY {
            let reason = format!(
                "process {pid}: has not yet received the signal that switches recording {}; it will when it can, but \
                 the recording will not show when",
                to.option().trim_start_matches('-')
            );
            return Err(RecordError::Recorder(reason));
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    writeln!(file, "{line}").map_err(|error| RecordError::io(&log, error))
}

/// Whether a signal was sent to a process that it has not taken yet.
fn is_pending(status: &str, signal: i32) -> bool {
    let sets = ["ShdPnd:", "SigPnd:"].map(|it| signals_of(status, it));
    sets.into_iter().any(|set| holds(set, signal))
}

/// Whether a process does not run until another signal lets it.
fn is_stopped(status: &str) -> bool {
    let state = status.lines().find_map(|it| it.strip_prefix("State:"));
    state.is_some_and(|it| it.trim_start().starts_with(['T', 't']))
}

/// Whether no thread of a process takes a signal.
fn is_blocked(process: &Path, signal: i32) -> bool {
    let threads = fs::read_dir(process.join("task")).into_iter().flatten();
    let mut statuses = threads
        .flatten()
        .filter_map(|it| fs::read_to_string(it.path().join("status")).ok())
        .peekable();
    statuses.peek().is_some()
        && statuses.all(|status| holds(signals_of(&status, "SigBlk:"), signal))
}

#[cfg(target_os = "linux")]
pub(crate) use linux::{
    Forwarding, Orphan, adopt, make_fifo, monotonic, open_fifo, path, path_of_open, send,
};
#[cfg(not(target_os = "linux"))]
pub use others::{
    Forwarding, Orphan, adopt, make_fifo, monotonic, open_fifo, path, path_of_open, send,
};

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::{CString, OsStr};
    use std::fs::{File, OpenOptions};
    use std::io;
    use std::os::fd::AsRawFd;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::OpenOptionsExt;
    use std::path::{Path, PathBuf};
    use std::sync::atomic::{AtomicU64, Ordering};

    use crate::ended::Ended;

    /// What is handed on to the program when somebody sends it to us.
    const HANDED_ON: [i32; 7] = [
        libc::SIGINT,
        libc::SIGTERM,
        libc::SIGHUP,
        libc::SIGQUIT,
        libc::SIGUSR1,
        libc::SIGUSR2,
        libc::SIGALRM,
    ];

    /// A bit for each signal that came and was not handed on yet.
    static CAME: AtomicU64 = AtomicU64::new(0);

    extern "C" fn came(signal: i32, about: *mut libc::siginfo_t, _: *mut libc::c_void) {
        // SAFETY: the system hands in a pointer to what it knows of the signal, valid until this returns.
        let by_kernel = unsafe { about.as_ref() }.is_some_and(|it| it.si_code == libc::SI_KERNEL);
        // A key such as Ctrl + C sends it to the program too.
        if !by_kernel {
            CAME.fetch_or(1 << signal, Ordering::Relaxed);
        }
    }

    /// While this lives signals are for the program, and end this process no more. What it runs has its own ways again:
    /// handlers do not outlive the start of another program.
    pub(crate) struct Forwarding {
        before: Vec<(i32, libc::sigaction)>,
    }

    impl Forwarding {
        pub(crate) fn begin() -> Forwarding {
            CAME.store(0, Ordering::Relaxed);
            let mut before = Vec::new();
            for signal in HANDED_ON {
                // SAFETY: both structures are plain data, for which zeros are valid; the handler only touches an
                // atomic number, which handlers may.
                unsafe {
                    let mut old: libc::sigaction = std::mem::zeroed();
                    let is_known = libc::sigaction(signal, std::ptr::null(), &raw mut old) == 0;
                    // What is ignored, as by nohup, the program is to ignore too.
                    if is_known && old.sa_sigaction == libc::SIG_IGN {
                        continue;
                    }
                    let mut new: libc::sigaction = std::mem::zeroed();
                    new.sa_sigaction = came as *const () as usize;
                    new.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
                    if libc::sigaction(signal, &raw const new, &raw mut old) == 0 {
                        before.push((signal, old));
                    }
                }
            }
            Forwarding { before }
        }

        /// Hands on to `pid` what has come since.
        pub(crate) fn hand_on(&self, pid: u32) {
            let came = CAME.swap(0, Ordering::Relaxed);
            for signal in HANDED_ON.into_iter().filter(|it| came >> it & 1 == 1) {
                send(pid, signal);
            }
        }
    }

    impl Drop for Forwarding {
        fn drop(&mut self) {
            for (signal, old) in &self.before {
                // SAFETY: `old` is what the system said was in force.
                unsafe { libc::sigaction(*signal, std::ptr::from_ref(old), std::ptr::null_mut()) };
            }
        }
    }

    /// Sends a signal; whether it could be.
    pub(crate) fn send(pid: u32, signal: i32) -> bool {
        let Ok(pid) = libc::pid_t::try_from(pid) else {
            return false;
        };
        // SAFETY: takes two numbers. A number of a process, never 0 or less, which would mean several.
        pid > 0 && unsafe { libc::kill(pid, signal) } == 0
    }

    /// A path as the system keeps it.
    pub(crate) fn path(bytes: &[u8]) -> PathBuf {
        PathBuf::from(OsStr::from_bytes(bytes))
    }

    /// Makes a fifo.
    pub(crate) fn make_fifo(path: &Path) -> io::Result<()> {
        let name = CString::new(path.as_os_str().as_bytes())?;
        // SAFETY: `name` ends with a zero and lives until it returns.
        match unsafe { libc::mkfifo(name.as_ptr(), 0o600) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Opens a fifo to write or to read, without waiting: an error where it is to be written and nobody reads.
    pub(crate) fn open_fifo(path: &Path, writes: bool) -> io::Result<File> {
        let mut options = OpenOptions::new();
        let options = options.read(!writes).write(writes);
        options.custom_flags(libc::O_NONBLOCK).open(path)
    }

    /// The path by which other processes find an open folder.
    pub(crate) fn path_of_open(folder: &File) -> String {
        format!("/proc/{}/fd/{}", std::process::id(), folder.as_raw_fd())
    }

    /// Nanoseconds of the clock that uftrace reads.
    pub(crate) fn monotonic() -> u64 {
        let mut now = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // SAFETY: `now` lives until it returns.
        unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
        let [seconds, rest] = [now.tv_sec, now.tv_nsec].map(|it| u64::try_from(it).unwrap_or(0));
        seconds * 1_000_000_000 + rest
    }

    /// From now on programs whose parent ends become children of this process, so that it learns how they end.
    pub(crate) fn adopt() {
        // SAFETY: takes numbers; where the system does not know it, it says so and changes nothing.
        unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
    }

    /// A program whose parent ended before it.
    pub(crate) struct Orphan(pub u32);

    impl Orphan {
        /// How it has ended; none while it runs.
        pub(crate) fn ended(&self) -> Option<Ended> {
            let pid = libc::pid_t::try_from(self.0).ok()?;
            let mut status = 0;
            // SAFETY: `status` lives until it returns.
            match unsafe { libc::waitpid(pid, &raw mut status, libc::WNOHANG) } {
                0 => None,
                found if found == pid => Some(Ended::of_status(status)),
                // Somebody else's child.
                _ => Some(Ended::Unknown),
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod others {
    use std::fs::File;
    use std::io;
    use std::path::{Path, PathBuf};

    use crate::ended::Ended;

    pub struct Forwarding;

    impl Forwarding {
        pub fn begin() -> Forwarding {
            Forwarding
        }

        pub fn hand_on(&self, _: u32) {}
    }

    pub fn send(_: u32, _: i32) -> bool {
        false
    }

    pub fn path(bytes: &[u8]) -> PathBuf {
        PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
    }

    pub fn make_fifo(_: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn open_fifo(_: &Path, _: bool) -> io::Result<File> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub fn path_of_open(_: &File) -> String {
        String::new()
    }

    pub fn monotonic() -> u64 {
        0
    }

    pub fn adopt() {}

    pub struct Orphan(pub u32);

    impl Orphan {
        pub fn ended(&self) -> Option<Ended> {
            Some(Ended::Unknown)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_is_switched_only_where_the_recorder_has_the_signals() {
        let set = |signals: &[i32]| signals.iter().fold(0u64, |set, it| set | 1 << (it - 1));
        assert_eq!(unfit(set(&[42, 43, 2, 15, 34])), None);
        assert!(unfit(set(&[42])).is_some_and(|it| it.contains("does not listen")));
        assert!(unfit(0).is_some());
        let range: Vec<i32> = (34..=64).collect();
        assert!(unfit(set(&range)).is_some_and(|it| it.contains("next to those")));
        let status = "Name:\ta\nSigCgt:\t0000060000000000\n";
        assert_eq!(signals_of(status, "SigCgt:"), set(&[42, 43]));
    }

    #[test]
    fn a_signal_that_was_not_taken_and_a_process_that_is_stopped_are_known() {
        let sent = "State:\tS (sleeping)\nSigPnd:\t0\nShdPnd:\t0000020000000000\n";
        assert!(is_pending(sent, 42) && !is_pending(sent, 43));
        let to_thread = "State:\tT (stopped)\nSigPnd:\t0000040000000000\nShdPnd:\t0\n";
        assert!(is_pending(to_thread, 43) && !is_pending(to_thread, 42));
        assert!(is_stopped(to_thread) && !is_stopped(sent));
    }
}

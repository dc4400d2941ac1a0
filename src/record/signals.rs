//! Signals that are for the program and reach whoever records it; and the signal that begins it.

use std::path::Path;

use super::error::RecordError;

/// In the environment of a program that is recorded: the signal that switches recording on.
pub const SWITCH: &str = "CALLSCAPE_SWITCH";

/// A realtime signal that hardly a program uses: the ninth above the lowest, which is 34 with glibc.
pub const ON: i32 = 42;

/// Begins to record the process `pid`, which waits for that; any other is refused, for the signal would end it.
pub fn switch_on(pid: u32) -> Result<(), RecordError> {
    let folder = Path::new("/proc").join(pid.to_string());
    let refuse = |why: &str| {
        Err(RecordError::Recorder(format!(
            "process {pid}: {why}; `callscape record --paused -- CMD` runs a program that waits to be recorded"
        )))
    };
    let Ok(environment) = std::fs::read(folder.join("environ")) else {
        return refuse("there is none, or it is of somebody else");
    };
    let mut variables = environment.split(|&byte| byte == 0);
    let wanted = format!("{SWITCH}={ON}");
    if !variables.any(|it| it == wanted.as_bytes()) {
        return refuse("it is not recorded, or does not wait for it");
    }
    let status = std::fs::read_to_string(folder.join("status")).unwrap_or_default();
    let caught = status.lines().find_map(|it| it.strip_prefix("SigCgt:"));
    let caught = caught.and_then(|it| u64::from_str_radix(it.trim(), 16).ok());
    if caught.unwrap_or(0) >> (ON - 1) & 1 == 0 {
        return refuse("nothing in it listens to the signal that begins it");
    }
    match send(pid, ON) {
        true => Ok(()),
        false => refuse("it cannot be reached"),
    }
}

#[cfg(target_os = "linux")]
pub use linux::{Forwarding, Orphan, adopt, send};
#[cfg(not(target_os = "linux"))]
pub use others::{Forwarding, Orphan, adopt, send};

#[cfg(target_os = "linux")]
mod linux {
    use std::sync::atomic::{AtomicU64, Ordering};

    use crate::record::ended::Ended;

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
    pub struct Forwarding {
        before: Vec<(i32, libc::sigaction)>,
    }

    impl Forwarding {
        pub fn begin() -> Forwarding {
            CAME.store(0, Ordering::Relaxed);
            let mut before = Vec::new();
            for signal in HANDED_ON {
                // SAFETY: both structures are plain data, for which zeros are valid; the handler only touches an
                // atomic number, which handlers may.
                unsafe {
                    let mut old: libc::sigaction = std::mem::zeroed();
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
        pub fn hand_on(&self, pid: u32) {
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
    pub fn send(pid: u32, signal: i32) -> bool {
        let Ok(pid) = libc::pid_t::try_from(pid) else {
            return false;
        };
        // SAFETY: takes two numbers. A number of a process, never 0 or less, which would mean several.
        pid > 0 && unsafe { libc::kill(pid, signal) } == 0
    }

    /// From now on programs whose parent ends become children of this process, so that it learns how they end.
    pub fn adopt() {
        // SAFETY: takes numbers; where the system does not know it, it says so and changes nothing.
        unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
    }

    /// A program whose parent ended before it.
    pub struct Orphan(pub u32);

    impl Orphan {
        /// How it has ended; none while it runs.
        pub fn ended(&self) -> Option<Ended> {
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
    use crate::record::ended::Ended;

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

    pub fn adopt() {}

    pub struct Orphan(pub u32);

    impl Orphan {
        pub fn ended(&self) -> Option<Ended> {
            Some(Ended::Unknown)
        }
    }
}

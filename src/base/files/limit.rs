//! The largest size that the system lets files of this process have.

/// Lets a write beyond that size fail, in place of ending the program.
pub fn fail_at_limit() {
    #[cfg(unix)]
    // SAFETY: no handler of ours is replaced, and none is set.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
    }
}

/// Starts a program as if [`fail_at_limit`] had not been: what is ignored stays so in a program that is started.
#[cfg(unix)]
pub fn start_with_limit(command: &mut std::process::Command) {
    use std::os::unix::process::CommandExt;

    // SAFETY: sets how a signal is handled, and nothing else, between fork and exec.
    unsafe {
        command.pre_exec(|| {
            libc::signal(libc::SIGXFSZ, libc::SIG_DFL);
            Ok(())
        });
    }
}

#[cfg(not(unix))]
pub fn start_with_limit(_: &mut std::process::Command) {}

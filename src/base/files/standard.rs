//! The standard streams as they were when the program was started. The standard library puts `/dev/null` where one was
//! closed, and takes no notice where one cannot be written to: what was said there would be lost without an error.

#[cfg(unix)]
use std::fs::File;
use std::io::{self, Write};
#[cfg(unix)]
use std::sync::atomic::{AtomicBool, Ordering};

/// Standard output, each of whose errors is told. No buffer.
#[cfg(unix)]
pub fn output() -> io::Result<impl Write> {
    use std::os::fd::{AsFd, AsRawFd};

    let output = io::stdout();
    ensure_open(output.as_raw_fd())?;
    Ok(File::from(output.as_fd().try_clone_to_owned()?))
}

#[cfg(not(unix))]
pub fn output() -> io::Result<impl Write> {
    Ok(io::stdout())
}

/// An error where the stream of this number was closed when the program was started.
#[cfg(unix)]
pub(super) fn ensure_open(number: i32) -> io::Result<()> {
    let closed = usize::try_from(number).ok().and_then(|it| CLOSED.get(it));
    match closed.is_some_and(|it| it.load(Ordering::Relaxed)) {
        true => Err(io::Error::other("closed")),
        false => Ok(()),
    }
}

/// By number of a standard stream, whether it was closed when the program was started.
#[cfg(unix)]
static CLOSED: [AtomicBool; 3] = [const { AtomicBool::new(false) }; 3];

/// Run by the system's loader, before the standard library opens anything.
#[cfg(unix)]
#[used]
#[cfg_attr(
    target_vendor = "apple",
    unsafe(link_section = "__DATA,__mod_init_func")
)]
#[cfg_attr(not(target_vendor = "apple"), unsafe(link_section = ".init_array"))]
static LOOK: extern "C" fn() = look;

#[cfg(unix)]
extern "C" fn look() {
    for (number, closed) in (0..).zip(&CLOSED) {
        // SAFETY: asks for the flags of an open file, and a number that is none is an error.
        let flags = unsafe { libc::fcntl(number, libc::F_GETFD) };
        closed.store(flags == -1, Ordering::Relaxed);
    }
}

//! `callscape --goto FILE:LINE`: has the window that shows the source tree of a file show a line of it, so that an editor can
//! lead here as we lead to it.
//!
//! Each window listens at a local socket of its own in the user's runtime folder, which nobody else may enter. A message is
//! one line of JSON, `{"file": "/src/a.c", "line": 12}`, the answer another, `{}` or `{"error": "…"}`. Both are bounded; what
//! is not understood is refused and changes nothing.

#[cfg(unix)]
mod listen;
mod message;
#[cfg(unix)]
mod tell;

#[cfg(unix)]
pub use self::listen::Listener;
pub use self::message::{Place, place};

/// Has an open window show a line: the one opened last that shows the file's source tree.
#[cfg(unix)]
pub fn go_to(place: &Place) -> anyhow::Result<()> {
    tell::tell(&listen::folder()?, place)
}

/// Has an open window show a line.
#[cfg(not(unix))]
pub fn go_to(_: &Place) -> anyhow::Result<()> {
    anyhow::bail!("on this system windows do not listen: --goto needs local sockets")
}

/// Where there are no local sockets, nobody asks.
#[cfg(not(unix))]
pub struct Listener;

#[cfg(not(unix))]
impl Listener {
    pub fn start(_: impl Fn() + Send + 'static) -> anyhow::Result<Listener> {
        anyhow::bail!("this system has no local sockets")
    }

    pub fn answer(&self, _: impl FnMut(&Place) -> Result<(), String>) {}
}

#[cfg(all(test, unix))]
mod tests;

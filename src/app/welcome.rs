//! The welcome as it is shown, and whether the desktop has dialogs for files.

use std::ffi::OsStr;
use std::path::PathBuf;

use super::recent::RecentInputs;
use super::rescue::Kept;
use callscape_base::files::program;
use callscape_state::State;

/// The welcome as it is shown.
#[derive(Debug, Default)]
pub struct Welcome {
    pub is_open: bool,
    /// The path that is typed.
    pub path: String,
    pub recent: RecentInputs,
    /// What was open when the window was closed last.
    pub last: Option<Kept>,
    /// Why there is no dialog.
    pub no_dialog: Option<&'static str>,
}

/// The path that was typed, with `~` for the home directory.
pub(crate) fn typed(text: &str) -> PathBuf {
    let text = text.trim();
    match (text.strip_prefix("~/"), dirs::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(text),
    }
}

/// The same; where nothing is there that is told.
pub(crate) fn typed_path(text: &str, state: &mut State) -> Option<PathBuf> {
    let path = typed(text);
    if path.as_os_str().is_empty() {
        return None;
    }
    if !path.exists() {
        let line = format!("{}: file or folder not found", path.display());
        state.tell("The file could not be opened", line);
        return None;
    }
    Some(path)
}

/// Why no dialog can be shown; nothing where one can. On Linux dialogs come from the desktop's portal over D-Bus, or from
/// zenity.
pub(crate) fn no_dialog() -> Option<&'static str> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let bus = std::env::var_os("DBUS_SESSION_BUS_ADDRESS").is_some_and(|it| !it.is_empty());
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let has_bus = bus || runtime.is_some_and(|dir| dir.join("bus").exists());
    let has_zenity = program(OsStr::new("zenity")).is_some();
    (!has_bus && !has_zenity).then_some(
        "No file dialog is available on this machine: neither a desktop portal nor zenity. Type the path, or drop the \
         file.",
    )
}

//! The welcome as it is shown, and whether the desktop has dialogs for files.

use std::ffi::OsStr;
use std::path::PathBuf;

use super::recent::RecentInputs;
use callscape_base::files::program;

/// The welcome as it is shown.
#[derive(Debug, Default)]
pub struct Welcome {
    pub is_open: bool,
    /// The path that is typed.
    pub path: String,
    pub recent: RecentInputs,
    /// Why there is no dialog.
    pub no_dialog: Option<&'static str>,
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

//! A folder of this user among the temporary files of all.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Where a session keeps its sockets: <https://specifications.freedesktop.org/basedir-spec/latest/>.
pub const RUNTIME_FOLDER: &str = "XDG_RUNTIME_DIR";

static HAS_OWN: AtomicBool = AtomicBool::new(false);

/// Sets [`RUNTIME_FOLDER`] for this process, where the session has none.
///
/// # Safety
///
/// No other thread may read or write the environment.
pub unsafe fn set_runtime_folder(folder: &Path) {
    // SAFETY: as said above.
    unsafe { std::env::set_var(RUNTIME_FOLDER, folder) };
    HAS_OWN.store(true, Ordering::Relaxed);
}

/// Whether [`set_runtime_folder`] was called: programs of the user are not to see it.
pub fn has_own_runtime_folder() -> bool {
    HAS_OWN.load(Ordering::Relaxed)
}

/// The folder of this user among the temporary files, which nobody else can reach. An error where its name is taken by
/// something of somebody else.
#[cfg(unix)]
pub fn private_folder() -> io::Result<PathBuf> {
    // SAFETY: a plain call, which cannot fail.
    let user = unsafe { libc::geteuid() };
    private(std::env::temp_dir().join(format!("callscape-{user}")), user)
}

#[cfg(unix)]
fn private(folder: PathBuf, user: u32) -> io::Result<PathBuf> {
    use std::os::unix::fs::{DirBuilderExt, MetadataExt};

    match std::fs::DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        made => made?,
    }
    // Of the folder itself, not of what a link leads to.
    let found = folder.symlink_metadata()?;
    match found.is_dir() && found.uid() == user && found.mode() & 0o077 == 0 {
        true => Ok(folder),
        false => {
            let shown = folder.display();
            let text = format!("{shown}: expected a private folder of this user");
            Err(io::Error::new(io::ErrorKind::PermissionDenied, text))
        }
    }
}

#[cfg(not(unix))]
pub fn private_folder() -> io::Result<PathBuf> {
    // Each user has temporary files of their own.
    let folder = std::env::temp_dir().join("callscape");
    std::fs::create_dir_all(&folder).map(|()| folder)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_folder_that_others_can_reach_or_have_placed_is_refused() {
        // SAFETY: a plain call, which cannot fail.
        let user = unsafe { libc::geteuid() };
        let name = format!("callscape-private-test-{}", std::process::id());
        let around = std::env::temp_dir().join(name);
        fs::create_dir_all(around.join("open")).expect("a folder");
        fs::set_permissions(around.join("open"), fs::Permissions::from_mode(0o777)).expect("ours");
        let own = private(around.join("own"), user).expect("nobody has it");
        assert_eq!(private(own.clone(), user).ok(), Some(own.clone()));
        symlink(&own, around.join("link")).expect("a link");
        fs::write(around.join("file"), "").expect("a file");
        for other in ["open", "link", "file"] {
            assert!(private(around.join(other), user).is_err(), "{other}");
        }
        assert!(private(own, user + 1).is_err());
        fs::remove_dir_all(&around).expect("it is there");
    }
}

//! The room on a disk that a recording is written to: a recorder is stopped while there is enough of it to finish.

use std::path::{Path, PathBuf};

/// So much is left free, in bytes: what a recorder has not written yet, and the names of functions, which it writes last.
const ENOUGH: u64 = 16 << 20;

/// The room around a recording.
pub(crate) struct Room {
    folder: PathBuf,
    least: u64,
}

impl Room {
    /// Around `output`; on a small disk a quarter of what is free now is enough. None where the system does not tell.
    pub(crate) fn around(output: &Path) -> Option<Room> {
        let folder = match output.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
            _ => PathBuf::from("."),
        };
        let least = ENOUGH.min(free(&folder)? / 4);
        Some(Room { folder, least })
    }

    pub(crate) fn is_short(&self) -> bool {
        free(&self.folder).is_some_and(|free| free < self.least)
    }
}

/// Bytes that are left on the disk around `output`, where these are few.
pub(crate) fn nearly_none(output: &Path) -> Option<u64> {
    free(output.parent()?).filter(|&it| it < ENOUGH)
}

/// Bytes that are free for everybody on the disk of a folder.
#[cfg(target_os = "linux")]
fn free(folder: &Path) -> Option<u64> {
    use std::os::unix::ffi::OsStrExt;

    let path = std::ffi::CString::new(folder.as_os_str().as_bytes()).ok()?;
    // SAFETY: plain data, for which zeros are valid; path and structure live until the system has read and filled them.
    let (found, about) = unsafe {
        let mut about: libc::statvfs = std::mem::zeroed();
        let found = libc::statvfs(path.as_ptr(), &raw mut about);
        (found, about)
    };
    (found == 0).then(|| about.f_bavail.saturating_mul(about.f_frsize))
}

#[cfg(not(target_os = "linux"))]
fn free(_: &Path) -> Option<u64> {
    None
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_disk_with_room_is_not_short() {
        let room = Room::around(&std::env::temp_dir().join("recording")).expect("the system tells");
        assert!(room.least <= ENOUGH && !room.is_short());
        let full = Room {
            least: u64::MAX,
            ..room
        };
        assert!(full.is_short());
        assert!(Room::around(Path::new("/no/such/folder/recording")).is_none());
    }
}

//! What the integration tests share: the program itself, test data, folders for a test, seeded random numbers.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

pub use super::random::Random;

/// A file or directory of the large set of test data, which the variable `CALLSCAPE_TEST_DATA` names.
/// Without it the caller leaves its test out; the line printed is counted by `./x test`.
pub fn large_data(relative: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("CALLSCAPE_TEST_DATA") else {
        eprintln!("left out: needs {relative} of CALLSCAPE_TEST_DATA");
        return None;
    };
    Some(PathBuf::from(folder).join(relative))
}

/// A file or directory under `tests/data`.
pub fn data(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(relative)
}

/// The program, as a command to add arguments to.
pub fn callscape() -> std::process::Command {
    std::process::Command::new(env!("CARGO_BIN_EXE_callscape"))
}

/// A folder for the files of one test, removed with it.
pub struct Scratch(pub PathBuf);

impl Scratch {
    pub fn new(test: &str) -> Scratch {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("callscape-{test}-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        Scratch(folder)
    }

    pub fn write(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, content).expect("a temporary file");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // What is left in the temporary folder does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

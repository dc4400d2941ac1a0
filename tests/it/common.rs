//! What the integration tests share: the program itself, test data, seeded random numbers.

use std::path::{Path, PathBuf};

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

//! The program as a command, test data, and folders for a test.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

pub use super::random::Random;
use super::tools;
use callscape_base::progress::Progress;
use callscape_facts::recording::Recording;
use serde_json::Value;

/// The root of the repository.
pub fn repository() -> PathBuf {
    let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    folders
        .skip(2)
        .map(Path::to_owned)
        .next()
        .expect("two folders above")
}

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
    repository().join("tests/data").join(relative)
}

/// The program, as a command to add arguments to. Cargo says where it is to the tests and benches that it runs.
pub fn callscape() -> Command {
    let program = std::env::var_os("CARGO_BIN_EXE_callscape");
    let mut command = Command::new(program.expect("run by Cargo"));
    command.env("PATH", tools::path());
    command
}

/// Runs the program, which may print anything.
pub fn output(arguments: &[&str]) -> Output {
    callscape()
        .args(arguments)
        .output()
        .expect("the program runs")
}

/// Runs the program, which prints text: exit status, standard output and standard error.
pub fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = output(arguments);
    let [out, error] = [output.stdout, output.stderr].map(String::from_utf8);
    let code = output.status.code();
    (code, out.expect("text"), error.expect("text"))
}

/// The document that the program prints.
pub fn json(arguments: &[&str]) -> Value {
    let (code, out, error) = run(arguments);
    assert_eq!(code, Some(0), "{arguments:?}: {error}");
    serde_json::from_str(&out).expect("one JSON document")
}

/// A path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("a path of letters")
}

/// Reads a recording.
pub fn read(path: &Path) -> Recording {
    callscape_import::open(path, &Progress::new()).unwrap_or_else(|error| panic!("{error}"))
}

/// `bytes` as gzip compresses them.
pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(bytes).expect("memory takes everything");
    packed.finish().expect("memory takes everything")
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

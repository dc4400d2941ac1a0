//! Facts from source trees: directories, files, lines of code, functions, classes and namespaces.
//!
//! `walk` lists the files, `count` counts their lines and `kinds` tells what they are: with that there is a landscape. Then `reader` reads
//! their syntax (`languages`, `patterns`, `plan`, `definitions`, `nesting` and `code_lines`; `macros` and `conditionals` for
//! what stands in a grammar's way), and `tree` puts them together. `cache` keeps what was read.

// `callscape_cli::messages` and `callscape_cli::output` write what commands say, and know what to do where that fails.
#![cfg_attr(
    not(test),
    deny(clippy::print_stderr, clippy::print_stdout, clippy::dbg_macro)
)]
// No tree is scanned in a browser.
#![cfg_attr(target_arch = "wasm32", allow(dead_code))]

use std::path::Path;

use callscape_base::progress::Progress;
use callscape_base::warnings::Reporter;
use callscape_facts::hierarchy::Hierarchy;

mod amalgamation;
mod cache;
mod cache_bytes;
mod cache_relations;
mod code_lines;
mod conditionals;
mod count;
mod definitions;
mod edits;
mod file;
pub mod file_syntax;
mod highlights;
mod hints;
pub mod history;
mod ignoring;
mod kinds;
#[cfg(feature = "kotlin")]
mod kotlin;
mod languages;
mod macros;
mod made;
mod misread;
mod nesting;
mod patterns;
mod plan;
mod problem;
pub mod qualified;
mod reader;
pub mod relations;
pub mod saved;
mod scan;
pub mod structure;
pub mod syntax;
pub mod taken;
pub mod text;
mod tree;
mod values;
mod walk;
mod workers;

pub use definitions::Definition;
pub use file::SourceFile;
pub use ignoring::plain_walk;
pub use misread::Errors;
pub use problem::{Problem, SourceError};
pub use scan::Scan;

/// Whether a path is a source tree that is read as one: a saved structure, or a directory that is no recording, as
/// `is_recording` says.
pub fn is_source(path: &Path, is_recording: impl FnOnce(&Path) -> bool) -> bool {
    match path.is_dir() {
        true => !is_recording(path),
        false => structure::is_structure(path),
    }
}

/// The module hierarchy of the source tree below `dir`: directory, file, namespace, class, function.
///
/// `loc` of a file is what tokei reports as Code of the file's own language. A file in a language without a
/// grammar is a leaf. A file in no language that tokei knows is no module; how many there are is reported
/// as `unknown-language`. Modules stand in order of path and of line: the same tree gives the same hierarchy.
///
/// Returns within some 20 ms of being cancelled, whatever a thread is busy with at that moment. [`Scan`] does the
/// same in steps.
pub fn scan(
    dir: &Path,
    progress: &Progress,
    reporter: &Reporter,
) -> Result<Hierarchy, SourceError> {
    let mut scan = Scan::start(dir, progress)?;
    scan.finish(progress)?;
    scan.report(reporter);
    Ok(scan.hierarchy())
}

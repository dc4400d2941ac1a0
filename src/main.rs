//! The program: parses the command line, runs it, prints one error.

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(folder) = runtime_folder() {
        // SAFETY: nothing has started a thread yet.
        unsafe { callscape::files::set_runtime_folder(&folder) };
    }
    callscape::files::fail_at_limit();
    // Parsing exits with 2 on wrong usage.
    match callscape_cli::run(callscape::cli::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            callscape_cli::say_error(&error);
            ExitCode::from(1)
        }
    }
}

/// A private folder to stand in where the session has none, as in a container: the libraries of the graphics driver would
/// complain of that on standard error before the program says anything.
#[cfg(unix)]
fn runtime_folder() -> Option<PathBuf> {
    use std::os::unix::fs::DirBuilderExt;

    let is_named = std::env::var_os(callscape::files::RUNTIME_FOLDER)
        .is_some_and(|it| PathBuf::from(it).is_absolute());
    if is_named {
        return None;
    }
    let folder = match dirs::cache_dir() {
        Some(cache) => cache.join("callscape-run"),
        None => callscape::files::private_folder().ok()?,
    };
    let mut private = std::fs::DirBuilder::new();
    // Nothing is kept there: where it cannot be made, its name is enough.
    let _ = private.recursive(true).mode(0o700).create(&folder);
    folder.is_absolute().then_some(folder)
}

#[cfg(not(unix))]
fn runtime_folder() -> Option<PathBuf> {
    None
}

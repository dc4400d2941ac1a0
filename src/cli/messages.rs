//! What is said on standard error. Its reader may have gone and its disk may be full: a message that cannot be written
//! changes neither what a command does nor what it ends with.

use std::io::{self, Write};

use callscape_base::escape;

/// Writes a text as it is.
pub(crate) fn write(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

/// Writes a line: what in it would steer a terminal, or begin another line, is shown as an escape.
pub(crate) fn line(text: &str) {
    write(&format!("{}\n", escape::name(text)));
}

/// Prints an error, followed by its chain of causes.
pub fn say_error(error: &anyhow::Error) {
    line(&format!("callscape: {error:#}"));
}

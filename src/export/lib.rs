//! Recordings written for other tools: one file per format, registered in one table; and landscapes, as models.
//!
//! A part of a recording holds what a recording of that part alone would: the calls of its threads that
//! overlap its range, cut to the range. Writing streams: memory does not grow with the calls, but for what
//! is summed by function or by call path.

// `callscape_cli::messages` and `callscape_cli::output` write what commands say, and know what to do where that fails.
#![cfg_attr(
    not(test),
    deny(clippy::print_stderr, clippy::print_stdout, clippy::dbg_macro)
)]
// Nothing is written in a browser.
#![cfg_attr(target_arch = "wasm32", allow(dead_code, unused_imports))]

use std::io::{self, Write};

use callscape_base::progress::Progress;
pub use part::{ExportError, Part};

mod chrome_json;
mod csv;
mod file;
mod folded;
pub mod glb;
mod links;
mod manifest;
pub mod pack;
mod part;
mod speedscope;
#[cfg(feature = "parquet")]
pub mod tables;
mod walk;

pub use file::to_file;

/// A format that recordings are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    ChromeJson,
    Speedscope,
    Folded,
    Csv,
}

/// Links that are not written, since the format has none or a call of theirs is not in the part. O(links × log n).
pub fn links_left_out(part: &Part<'_>, format: Format) -> u64 {
    let all = part.recording.trace.links_by_kind();
    let all: u64 = all.iter().map(|(_, count)| count).sum();
    match format {
        Format::ChromeJson => all - links::of(part).count() as u64,
        _ => all,
    }
}

/// A format in the table: its name on the command line, the usual end of a file's name, what writes it.
struct Row {
    format: Format,
    name: &'static str,
    extension: &'static str,
    write: Writer,
}

type Writer = fn(&Part<'_>, &mut dyn Write, &Progress) -> Result<(), ExportError>;

const FORMATS: [Row; 4] = [
    Row {
        format: Format::ChromeJson,
        name: chrome_json::NAME,
        extension: "json",
        write: chrome_json::write,
    },
    Row {
        format: Format::Speedscope,
        name: speedscope::NAME,
        extension: "speedscope.json",
        write: speedscope::write,
    },
    Row {
        format: Format::Folded,
        name: folded::NAME,
        extension: "folded",
        write: folded::write,
    },
    Row {
        format: Format::Csv,
        name: csv::NAME,
        extension: "csv",
        write: csv::write,
    },
];

impl Format {
    /// All formats, in the order in which they are listed.
    pub fn all() -> impl Iterator<Item = Format> {
        FORMATS.iter().map(|row| row.format)
    }

    fn row(self) -> &'static Row {
        // In the order of the enum, which a test holds.
        &FORMATS[self as usize]
    }

    /// What it is called on the command line: `chrome-json`.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// How the names of its files end, without the dot.
    pub fn extension(self) -> &'static str {
        self.row().extension
    }
}

/// A profile has no times: only what tells none can be written of it, and only all of it.
fn ensure_fits_profile(part: &Part<'_>, format: Format) -> Result<(), ExportError> {
    let name = part.recording.name();
    if !part.is_whole() {
        let reason = "a profile has no times or threads to select a part";
        return Err(ExportError::Unfit(format!("{name}: {reason}")));
    }
    match format {
        Format::Folded | Format::Csv | Format::Speedscope => Ok(()),
        Format::ChromeJson => Err(ExportError::Unfit(format!(
            "{name}: a profile has no times, which {} needs; speedscope, folded and csv do without",
            format.name()
        ))),
    }
}

/// Writes a part of a recording. The answer is whole or an error: a recording whose index turns out to be
/// damaged on the way is one. O(calls of the part), O(depth + functions) memory.
pub fn write(
    part: &Part<'_>,
    format: Format,
    out: &mut dyn Write,
    progress: &Progress,
) -> Result<(), ExportError> {
    if part.recording.profile.is_some() {
        ensure_fits_profile(part, format)?;
    }
    let mut out = io::BufWriter::with_capacity(1 << 16, out);
    (format.row().write)(part, &mut out, progress)?;
    out.flush()?;
    match part.recording.damage() {
        Some(damage) => Err(ExportError::Damaged(damage)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_formats() {
        for (place, format) in Format::all().enumerate() {
            assert_eq!(format as usize, place);
        }
    }
}

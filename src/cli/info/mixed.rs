//! Lists the files of a folder with different formats.

use std::path::Path;

use crate::output::{self, Align, Table};
use crate::progress::with_progress;
use callscape_base::escape;
use callscape_base::units::{counted, grouped};
use callscape_import::mixed::{self, Mixed};

/// Lists the files of a folder; false, and nothing is printed, if none is a recording.
pub(super) fn run(folder: &Path, json: bool) -> anyhow::Result<bool> {
    let mixed = with_progress(|progress| mixed::list(folder, progress))??;
    if mixed.files.iter().all(|it| it.format.is_none()) {
        return Ok(false);
    }
    if json {
        output::print_json(&mixed)?;
        return Ok(true);
    }
    output::print(|out| {
        let mut table = Table::new(&[
            ("bytes", Align::Right),
            ("format", Align::Left),
            ("file", Align::Left),
        ]);
        for file in &mixed.files {
            let bytes = file.bytes.map(grouped).unwrap_or_default();
            let format = file.format.unwrap_or("-");
            let name = escape::name(&file.file);
            let name = match &file.found {
                Some(found) => format!("{name}: {}", escape::name(found)),
                None => name.into_owned(),
            };
            table.row([bytes, format.to_owned(), name]);
        }
        table.write(out)?;
        for line in notes(&mixed) {
            writeln!(out, "{line}")?;
        }
        Ok(())
    })?;
    Ok(true)
}

/// The lines below the table.
fn notes(mixed: &Mixed) -> Vec<String> {
    let together = mixed.together.iter().map(|files| {
        let names: Vec<_> = files.iter().map(|it| escape::name(it)).collect();
        format!("one recording together: {}", names.join(", "))
    });
    let mut notes: Vec<String> = together.collect();
    if mixed.left_out > 0 {
        let more = counted(mixed.left_out as u64, "file", "files");
        notes.push(format!("and {more} more"));
    }
    notes
}

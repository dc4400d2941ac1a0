//! Source lines: what recordings know of them, against other evaluations of the same recordings, and the command.

mod commands;
mod damage;
mod files;
mod inferred;
mod recordings;

use std::collections::BTreeMap;
use std::path::Path;

use callscape::facts::lines::Lines;
use callscape::facts::recording::Recording;
use callscape::import;
use callscape::progress::Progress;

fn open(path: &Path) -> Recording {
    import::open(path, &Progress::new())
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn lines(recording: &Recording) -> &Lines {
    let lines = recording.lines.as_ref();
    lines.unwrap_or_else(|| panic!("{}: it knows no lines", recording.path.display()))
}

/// Function and line with what `of` gives of their place; what is in several files added up, and nothing left out.
fn by_line<T: Default + std::ops::AddAssign + PartialEq>(
    recording: &Recording,
    of: impl Fn(&Lines, usize) -> T,
) -> BTreeMap<(String, u32), T> {
    let lines = lines(recording);
    let mut found: BTreeMap<(String, u32), T> = BTreeMap::new();
    for at in 0..lines.len() {
        let place = lines.place(at);
        let name = recording.functions.get(place.function()).name;
        *found.entry((name.to_owned(), place.line())).or_default() += of(lines, at);
    }
    found.retain(|_, it| *it != T::default());
    found
}

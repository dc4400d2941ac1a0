//! How the fuzz targets read their inputs: by the importers, whose results have to hold what holds for all recordings.

use std::path::{Path, PathBuf};

use callscape_base::progress::Progress;
use callscape_import as import;
use callscape_testing::check::check;

/// A place for the input of one process, in memory where the system has such a place.
pub fn place() -> PathBuf {
    let memory = Path::new("/dev/shm");
    let temporary = std::env::temp_dir();
    let folder = if memory.is_dir() { memory } else { &temporary };
    folder.join(format!("callscape-fuzz-{}", std::process::id()))
}

/// Reads `input` as a file of `format`, and as a file of whatever format it seems to be.
pub fn file(format: &str, input: &[u8]) {
    let path = place();
    std::fs::write(&path, input).expect("room for the input");
    let named = import::read_as(format, &path, &Progress::new());
    check(named.expect("a format of the table"));
    // The index of a large recording is not looked for: there is none beside the input.
    let input = import::input::Input::on_disk(path);
    check(import::read(&input, &Progress::new()));
}

/// Reads the directory that `input` holds: files, each behind [`FILE`] and the number of its name. Says whether it was a
/// recording.
pub fn directory(format: &str, names: &[&str], input: &[u8]) -> bool {
    const FILE: &[u8] = b"\n=file ";
    let dir = place();
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir(&dir).expect("room for the input");
    let mut rest = input;
    while let Some(at) = rest.windows(FILE.len()).position(|bytes| bytes == FILE) {
        rest = &rest[at + FILE.len()..];
        let Some((number, content)) = rest.split_first() else {
            break;
        };
        let end = content.windows(FILE.len()).position(|bytes| bytes == FILE);
        let content = &content[..end.unwrap_or(content.len())];
        let name = names[usize::from(number.wrapping_sub(b'0')) % names.len()];
        let path = dir.join(name);
        std::fs::create_dir_all(path.parent().expect("it is below")).expect("room for the input");
        std::fs::write(path, content).expect("room for the input");
    }
    let named = import::read_as(format, &dir, &Progress::new());
    check(named.expect("a format of the table"))
}

/// Reads `input` as what another tool has found, or as numbers of files and functions.
pub fn results(input: &[u8]) {
    let Ok(set) = import::results::read_from(input, "input", &Progress::new()) else {
        return;
    };
    let Some(numbers) = set.numbers else {
        return;
    };
    let width: usize = numbers.columns.iter().map(|it| it.width()).sum();
    for row in &numbers.rows {
        assert_eq!(row.values.len(), width, "{}", row.file);
        assert!(!row.values.iter().any(|it| it.is_infinite()), "{}", row.file);
    }
}

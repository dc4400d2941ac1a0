//! New files where the user looks for such.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::PathBuf;

use callscape_base::files::Temporary;

/// The folder for what is downloaded, else the one that the program was started in.
pub fn folder() -> Option<PathBuf> {
    if cfg!(test) {
        // Tests press every button.
        return None;
    }
    let folder = dirs::download_dir().filter(|dir| dir.is_dir());
    folder.or_else(|| std::env::current_dir().ok())
}

/// Writes a file of comma-separated values in `folder`, `stem.csv` or with a number behind it where that name is taken.
pub fn write(
    folder: PathBuf,
    stem: &str,
    write: impl Fn(BufWriter<File>) -> io::Result<()>,
) -> io::Result<PathBuf> {
    let mut temporary = Temporary::beside(&folder.join(stem))?;
    write(BufWriter::new(temporary.file.try_clone()?))?;
    let names = (1..).map(|number: u32| match number {
        1 => format!("{stem}.csv"),
        _ => format!("{stem}-{number}.csv"),
    });
    for name in names {
        let path = folder.join(name);
        // Taken names are found out by trying, so that no other program can take one in between.
        match temporary.keep_as_new(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            kept => return kept.map(|()| path),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

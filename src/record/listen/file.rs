//! The file that requests are kept in. It appears with its first request, and each further one is added whole or not at all.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::super::error::RecordError;
use super::limits::{LEAST_SHARE, MOST_KEPT};
use callscape_base::files::Temporary;
use callscape_import::otlp::kept::{self, Form};

/// The file of one receiver.
pub(super) struct SpanFile {
    folder: PathBuf,
    /// What it is called, without its ending.
    name: String,
    /// Bytes that it may have; see `Limits::kept`.
    most: u64,
    open: Mutex<Option<Open>>,
}

struct Open {
    file: File,
    path: PathBuf,
    /// Where the last whole request ends.
    end: u64,
    /// Something may be behind it, of a request that could not be written.
    is_torn: bool,
    counted: u64,
}

impl SpanFile {
    /// Tries whether files can be written in the folder, and removes what a killed receiver left there.
    pub(super) fn new(folder: &Path, name: &str, most: u64) -> Result<SpanFile, RecordError> {
        let here = match folder.as_os_str().is_empty() {
            true => Path::new("."),
            false => folder,
        };
        let tried = Temporary::create(here).and_then(|mut it| it.file.write_all(kept::MAGIC));
        tried.map_err(|error| {
            let why = format!("spans cannot be stored in this folder: {error}");
            RecordError::program(here, why)
        })?;
        Ok(SpanFile {
            folder: folder.to_owned(),
            name: name.to_owned(),
            most,
            open: Mutex::default(),
        })
    }

    /// Adds a request, which has `whole` bytes when it is decompressed. It is written when this returns; gives the path of the
    /// file when this is its first, and what is wrong where it was not kept.
    pub(super) fn add(
        &self,
        form: Form,
        body: &[u8],
        whole: u64,
    ) -> Result<Option<PathBuf>, String> {
        // What is half done when a thread panics is torn.
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let counted = (body.len() as u64).max(whole / LEAST_SHARE);
        let before = open.as_ref().map_or(0, |it| it.counted);
        if before.saturating_add(counted) > self.most {
            let most = self.most;
            return Err(format!(
                "at most {most} bytes of spans are stored (the variable {MOST_KEPT} sets another limit, such as 64G)"
            ));
        }
        let failed = |path: &Path, error: io::Error| format!("{}: {error}", path.display());
        if let Some(open) = open.as_mut() {
            let added = open.add(form, body);
            added.map_err(|error| failed(&open.path, error))?;
            open.counted += counted;
            return Ok(None);
        }
        let begun = self.begin(form, body, counted);
        let begun = begun.map_err(|error| failed(&self.path(1), error))?;
        Ok(Some(open.insert(begun).path.clone()))
    }

    fn path(&self, number: u32) -> PathBuf {
        let name = &self.name;
        self.folder.join(match number {
            1 => format!("{name}.otlp"),
            number => format!("{name}-{number}.otlp"),
        })
    }

    /// Writes the first request to a file under another name, and gives it its own when it is whole.
    fn begin(&self, form: Form, body: &[u8], counted: u64) -> io::Result<Open> {
        let mut temporary = Temporary::beside(&self.path(1))?;
        temporary.file.write_all(kept::MAGIC)?;
        temporary.file.write_all(&kept::header(form, body))?;
        temporary.file.write_all(body)?;
        let end = temporary.file.stream_position()?;
        let file = temporary.file.try_clone()?;
        for number in 1..1000 {
            let path = self.path(number);
            match temporary.keep_as_new(&path) {
                // Another receiver began in the same second.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                named => {
                    return named.map(|()| Open {
                        file,
                        path,
                        end,
                        is_torn: false,
                        counted,
                    });
                }
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }
}

impl Open {
    fn add(&mut self, form: Form, body: &[u8]) -> io::Result<()> {
        self.mend()?;
        self.is_torn = true;
        let added = self.write(form, body);
        match added {
            Ok(end) => {
                self.end = end;
                self.is_torn = false;
                Ok(())
            }
            Err(error) => {
                // Where this fails it is tried again before the next.
                let _ = self.mend();
                Err(error)
            }
        }
    }

    /// Cuts what was not written to its end.
    fn mend(&mut self) -> io::Result<()> {
        if self.is_torn {
            self.file.set_len(self.end)?;
            self.is_torn = false;
        }
        Ok(())
    }

    fn write(&mut self, form: Form, body: &[u8]) -> io::Result<u64> {
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(&kept::header(form, body))?;
        self.file.write_all(body)?;
        let end = self.file.stream_position()?;
        // Not synced: that takes milliseconds of each request, and what is written outlives this process. What a power failure
        // takes is told by its checksum.
        if !is_there(&self.file, &self.path)? {
            return Err(io::Error::other("the file was removed or replaced"));
        }
        Ok(end)
    }
}

/// Whether a file still has its name.
#[cfg(unix)]
fn is_there(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;
    let place = |it: std::fs::Metadata| (it.dev(), it.ino());
    let named = path.symlink_metadata().map(place);
    Ok(named.is_ok_and(|it| file.metadata().map(place).is_ok_and(|open| open == it)))
}

#[cfg(not(unix))]
fn is_there(_: &File, path: &Path) -> io::Result<bool> {
    path.try_exists()
}

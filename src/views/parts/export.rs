//! New files where the user looks for such.

use std::fs::File;
use std::io::{self, BufWriter};
use std::path::PathBuf;

use callscape_base::files::Temporary;
use callscape_base::progress::Progress;
use callscape_state::State;
use callscape_state::ask::{Ask, Asks};
use callscape_state::job::Job;
use callscape_state::message::Message;

/// The folder for what is downloaded, else the one that the program was started in.
fn folder() -> Option<PathBuf> {
    if cfg!(test) {
        // Tests press every button.
        return None;
    }
    let folder = dirs::download_dir().filter(|dir| dir.is_dir());
    folder.or_else(|| std::env::current_dir().ok())
}

/// Writes a file of comma-separated values in `folder`, `stem.csv` or with a number behind it where that name is taken.
fn write(
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

/// A list that is written to a new file on another thread.
#[derive(Default)]
pub(crate) struct Exporting {
    /// What is written, and the work.
    job: Option<(&'static str, Job<io::Result<PathBuf>>)>,
}

impl Exporting {
    /// Begins to write what is called `what`, as `write_to` does.
    pub(crate) fn begin(
        &mut self,
        what: &'static str,
        state: &State,
        write_to: impl Fn(BufWriter<File>, &Progress) -> io::Result<()> + Send + 'static,
    ) {
        let Some(folder) = folder() else {
            return;
        };
        let job = Job::start(state.waker(), move |progress| {
            let stem = format!("callscape-{what}");
            let written = write(folder, &stem, |file| write_to(file, progress));
            progress.check()?;
            Ok(written)
        });
        self.job = Some((what, job));
    }

    /// Says where it is, once it is written.
    pub(crate) fn tell(&mut self, asks: &mut Asks) {
        let Some((what, done)) = self.job.as_ref().and_then(|it| Some((it.0, it.1.poll()?))) else {
            return;
        };
        self.job = None;
        let Ok(written) = done else {
            return;
        };
        let is_error = written.is_err();
        let (title, line) = match written {
            Ok(path) => (
                format!("The {what} are written"),
                path.display().to_string(),
            ),
            Err(reason) => (
                format!("The {what} could not be written"),
                reason.to_string(),
            ),
        };
        asks.push(Ask::Tell(Message {
            is_error,
            is_open: true,
            title,
            lines: vec![line],
        }));
    }

    pub(crate) fn is_running(&self) -> bool {
        self.job.is_some()
    }

    /// How far it is, where it takes long.
    pub(crate) fn progress(&self) -> Option<&Progress> {
        self.job.as_ref().and_then(|it| it.1.slow())
    }

    pub(crate) fn stop(&mut self) {
        self.job = None;
    }
}

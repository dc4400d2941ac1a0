//! The user's editor: which program shows a line of a source file, and starting it.
//!
//! Only files inside the source tree that the user named are opened, after all links in their paths have been followed. The
//! program gets its arguments as a list; no shell reads what a file is called.

mod launch;
mod programs;
pub(crate) mod words;

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use self::launch::{Launch, Surroundings, launch};
use callscape_base::files::{self, program};
use callscape_presentation::files::write_beside;
use callscape_source::text::TextTree;
use callscape_state::document::source::ToEdit;
use callscape_state::job::Job;

/// What files of this version hold; others are not read.
const VERSION: u32 = 1;

/// The file of the command has no more bytes.
const LARGEST: u64 = 1 << 20;

/// An editor that ends later than this has shown something: why it ends is no business of ours.
const STARTING: Duration = Duration::from_secs(5);

#[derive(Debug, Serialize, Deserialize)]
struct Kept {
    version: u32,
    command: String,
}

/// How the last program that was started ended: none where all is well.
type Ended = Option<String>;

/// The command from the settings, the file that keeps it, and the editors that have just been started.
#[derive(Default)]
pub struct Editors {
    /// None where the user has no configuration directory.
    path: Option<PathBuf>,
    /// Empty for the editor that the environment names.
    pub command: String,
    starting: Vec<Job<Ended>>,
}

impl Editors {
    /// Reads the command that is kept; and what could not be read.
    pub fn recall() -> (Editors, Option<String>) {
        let path = dirs::config_dir().map(|dir| dir.join("callscape").join("editor.json"));
        Editors::at(path)
    }

    fn at(path: Option<PathBuf>) -> (Editors, Option<String>) {
        match path.as_deref().map(read).transpose() {
            Ok(command) => {
                let command = command.unwrap_or_default();
                let starting = Vec::new();
                (
                    Editors {
                        path,
                        command,
                        starting,
                    },
                    None,
                )
            }
            // What cannot be read is not written over either.
            Err(reason) => (Editors::default(), Some(reason)),
        }
    }

    /// Keeps the command: writes the file.
    pub fn keep(&self) -> io::Result<()> {
        let Some(path) = &self.path else {
            return Err(io::Error::new(
                io::ErrorKind::NotFound,
                "no configuration directory to save the command in",
            ));
        };
        let (version, command) = (VERSION, self.command.clone());
        let text = serde_json::to_string_pretty(&Kept { version, command })?;
        write_beside(path, text.as_bytes())
    }

    /// Starts the editor on a line; what to tell the user where something of it is not as asked. `wake` is called when the
    /// program ends.
    pub fn open(
        &mut self,
        of: &ToEdit,
        wake: Box<dyn FnOnce() + Send>,
    ) -> Result<Option<String>, String> {
        let tree = TextTree::new(&of.file.root);
        let tree = tree.map_err(|error| format!("{}: {error}", of.file.root.display()))?;
        let path = tree
            .locate(&of.file.path)
            .map_err(|error| error.to_string())?;
        let surroundings = Surroundings {
            command: &self.command,
            variable: &|name| std::env::var_os(name),
            find: &program,
        };
        let launch = launch(&surroundings, &path, of.line).map_err(|error| error.to_string())?;
        self.starting.push(start(&launch, tree.root(), wake)?);
        let notice = "Unknown editor: it opens the file, but not at the line";
        Ok((!launch.tells_line).then(|| notice.to_owned()))
    }

    /// What became of programs that ended soon.
    pub fn poll(&mut self) -> Vec<String> {
        let mut said = Vec::new();
        self.starting.retain(|job| match job.poll() {
            None => job.elapsed() < STARTING,
            Some(ended) => {
                said.extend(ended.ok().flatten());
                false
            }
        });
        said
    }
}

/// The command in the file at `path`, none where there is no file.
fn read(path: &Path) -> Result<String, String> {
    let text = match files::read_text(path, LARGEST) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(String::new()),
        Err(error) => return Err(format!("{}: {error}", path.display())),
    };
    let found: Kept =
        serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))?;
    match found.version {
        VERSION => Ok(found.command),
        found => Err(format!(
            "{}: expected version {VERSION}, found {found}",
            path.display()
        )),
    }
}

/// Starts a program that goes on when the window closes.
fn start(
    launch: &Launch,
    folder: &Path,
    wake: Box<dyn FnOnce() + Send>,
) -> Result<Job<Ended>, String> {
    let mut command = Command::new(&launch.program);
    command
        .args(&launch.arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        // What interrupts us in a terminal is not meant for it.
        command.process_group(0);
    }
    let name = launch.program.display().to_string();
    let child = command.spawn();
    let mut child = child.map_err(|error| format!("{name} cannot be started: {error}"))?;
    Ok(Job::named("editor", wake, move |_| {
        Ok(match child.wait() {
            Ok(status) if status.success() => None,
            Ok(status) => Some(format!("{name} ended: {status}")),
            Err(error) => Some(format!("{name}: {error}")),
        })
    }))
}

#[cfg(all(test, unix))]
mod tests;

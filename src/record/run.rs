//! What is asked for, one run under a recorder, and what came of it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::control::Control;
use super::ended::Ended;
use super::place::Place;
use super::program::{Kind, Program};
use super::recorder::Recorder;
use callscape_base::files;
use callscape_facts::frequency::{Frequency, LeftOut};

/// What is asked for.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// The recorder to take; the best that is there for none.
    pub with: Option<Recorder>,
    /// Where the recording goes; named after program and time for none.
    pub output: Option<PathBuf>,
    /// Whether allocations and releases are recorded too.
    pub memory: bool,
    /// Where patching breaks the program, runs it again without the functions that break it.
    pub retry: bool,
    /// Functions that a short trial run calls more often than this are not recorded.
    pub max_frequency: Option<Frequency>,
    /// Calls until a function is found to be called too often are kept.
    pub keeps_massive: bool,
    /// Functions of these names are not recorded; `*` stands for anything. A name with a slash is the path of a file or folder
    /// with source code, and means the functions in it; behind `@`, of a mapping file or a list of findings.
    pub without: Vec<String>,
    /// Functions of these names, or in these files and folders, alone are recorded; all for none.
    pub only: Vec<String>,
    /// Functions with less code than these bytes are not recorded.
    pub min_size: Option<u32>,
    /// Calls within as many others are not recorded.
    pub max_depth: Option<u32>,
    /// The source tree, which tells which functions are in a file or folder.
    pub source: Option<PathBuf>,
    /// Every call of a running process, rather than samples.
    pub calls: bool,
    /// How long the trial run may take before the program is asked to end.
    pub probe: Duration,
    /// Nothing is recorded until that is asked for.
    pub is_paused: bool,
    /// Recording can be switched on and off while the program runs.
    pub is_switchable: bool,
    /// Only while this function runs, by its name, and in the thread that runs it.
    pub only_while: Option<String>,
    /// Only the end of the run is kept, of this length.
    pub last: Option<Duration>,
    /// The folder that the program runs in, as an absolute path; the current one for none.
    pub folder: Option<PathBuf>,
    /// Another thread steers it and takes what the program writes: then signals to this process are its own.
    pub control: Option<Control>,
}

/// What came of it.
#[derive(Clone, Debug)]
pub struct Recorded {
    /// One recording; several of a program that ran others.
    pub paths: Vec<PathBuf>,
    pub by: Recorder,
    pub ended: Ended,
    /// Bytes of the recordings together.
    pub bytes: u64,
    pub elapsed: Duration,
    pub program: Program,
    pub left_out: Option<LeftOut>,
}

impl Recorded {
    /// Whether the program crashed while it was patched, which may be why.
    pub fn may_be_broken(&self) -> bool {
        let is_patched = match self.program.kind {
            Kind::Executable(elf) => !elf.is_instrumented,
            _ => false,
        };
        matches!(self.by, Recorder::Uftrace | Recorder::Frida)
            && is_patched
            && self.ended.is_crash()
    }
}

/// What came of recording a process that ran already.
#[derive(Clone, Debug)]
pub struct Attached {
    /// What the user should know about it.
    pub notes: Vec<String>,
    pub paths: Vec<PathBuf>,
    pub by: Recorder,
    /// Bytes of the recordings together.
    pub bytes: u64,
    pub elapsed: Duration,
    /// The file that the process runs.
    pub program: PathBuf,
}

/// What is done for a recorder that writes into a folder.
pub(crate) type Act = fn(&Path, &Wish);

/// How a program is run under a recorder, and where that puts what it records.
#[derive(Debug)]
pub(crate) struct Plan {
    pub command: std::process::Command,
    /// The recorder runs the program as its child, rather than in the program.
    pub wraps: bool,
    /// Interrupted, it stops and keeps what it has recorded.
    pub leaves_off: bool,
    /// Where it writes meanwhile.
    pub folder: PathBuf,
    /// About how many calls are in the folder, where that can be said.
    pub calls: Option<fn(&Path) -> u64>,
    /// Whether the program itself runs by now: patching a large one takes seconds.
    pub has_begun: Option<fn(&Path) -> bool>,
    pub control: Option<Control>,
    /// What is done again and again while it runs, with what was wished for.
    pub meanwhile: Option<(Act, Wish)>,
}

impl Plan {
    /// Of a recorder that runs in the program and writes into `folder`, of which nothing more is known.
    pub(crate) fn new(command: std::process::Command, folder: &Path) -> Plan {
        Plan {
            command,
            wraps: false,
            leaves_off: false,
            folder: folder.to_path_buf(),
            calls: None,
            has_begun: None,
            control: None,
            meanwhile: None,
        }
    }

    /// Has another thread steer the recorder of a process that runs already.
    pub(crate) fn attach(&mut self, pid: u32, wish: &Wish) {
        self.control = wish.control.clone();
        if let Some(control) = &self.control {
            control.attach(pid);
        }
    }

    /// Has a program run where and how the wish says, with what a shim sets for it.
    pub(crate) fn run_as(&mut self, program: &Program, wish: &Wish) {
        if files::has_own_runtime_folder() {
            self.command.env_remove(files::RUNTIME_FOLDER);
        }
        let set = program.environment.iter();
        self.command.envs(set.map(|(name, value)| (name, value)));
        if let Some(folder) = &wish.folder {
            self.command.current_dir(folder);
        }
        self.control = wish.control.clone();
    }
}

/// One run of a program.
pub(crate) struct Run<'a> {
    pub wish: &'a Wish,
    pub program: &'a Program,
    pub place: &'a Place,
    /// Functions that are not recorded, as their symbols.
    pub without: Vec<String>,
    /// Functions of libraries that call nothing, by name: they are not recorded either.
    pub untraced: Vec<String>,
}

/// What a run has left.
pub(crate) struct Done {
    /// What the user should know about it.
    pub notes: Vec<String>,
    /// In the private folder; the first is the recording, if there are several.
    pub paths: Vec<PathBuf>,
    pub by: Recorder,
    pub ended: Ended,
    pub elapsed: Duration,
    /// Functions that the recorder itself found to be called too often.
    pub left_out: Option<LeftOut>,
}

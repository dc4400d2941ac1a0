//! Recording a program from the window: what is found out about a command, and the run.

use callscape_base::clock::Instant;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::command::RecordWish;
use super::editor::words;
use callscape_analysis::session::Inputs;
use callscape_base::progress::Progress;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};
use callscape_import as import;
use callscape_record::choice::{self, Offer};
use callscape_record::control::Control;
use callscape_record::processes::Process;
use callscape_record::program::Program;
use callscape_record::recorder::Recorder;
use callscape_record::{self as record, Ended, TERMINATE, Wish};
use callscape_state::job::Job;

/// So long after the last key the command is looked at.
pub(super) const PAUSE: Duration = Duration::from_millis(200);

/// So long a program may take to end when the window is closed, before it is made to.
const PATIENCE: Duration = Duration::from_secs(2);

/// How often it is looked whether a recording is whole.
const LOOK: Duration = Duration::from_millis(5);

/// What is known of a command.
#[derive(Clone, Debug)]
pub struct Looked {
    /// What kind of program it runs.
    pub about: String,
    /// The recorder that would be taken, or why there is none.
    pub best: Result<Recorder, String>,
    /// What should be known about that it was taken.
    pub notes: Vec<String>,
    pub offers: Vec<Offer>,
}

/// What was chosen in a dialog.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Picked {
    Folder(PathBuf),
    Program(PathBuf),
}

/// Programs that run scripts, by the ending of those.
const RUN_BY: [(&str, &str); 5] = [
    ("py", "python3"),
    ("js", "node"),
    ("mjs", "node"),
    ("cjs", "node"),
    ("rb", "ruby"),
];

impl Picked {
    /// What is to be recorded then.
    pub(super) fn into_wish(self, wish: RecordWish) -> RecordWish {
        match self {
            Picked::Folder(folder) => RecordWish {
                folder: folder.display().to_string(),
                ..wish
            },
            Picked::Program(path) => {
                let ending = path.extension().and_then(|it| it.to_str());
                let by = RUN_BY.iter().find(|it| Some(it.0) == ending);
                let by = by.map_or(String::new(), |it| format!("{} ", it.1));
                let name = words::quote(&path.display().to_string());
                RecordWish {
                    command: by + &name,
                    ..wish
                }
            }
        }
    }
}

/// What came of a run: what is to be opened, and what is to be told; or why it failed.
pub(super) type Outcome = Result<(Inputs, Vec<String>), String>;

/// A program that runs and is recorded.
pub struct Running {
    pub control: Control,
    pub(super) job: Job<Outcome>,
    /// Recording can be switched on and off.
    pub is_switchable: bool,
    pub is_on: bool,
}

impl Drop for Running {
    /// Ends the program that nothing could stop any more.
    fn drop(&mut self) {
        self.control.stop();
    }
}

/// The card in which a program is recorded.
#[derive(Default)]
pub struct RecordCard {
    pub is_open: bool,
    pub wish: RecordWish,
    /// None while nothing is known yet.
    pub looked: Option<Result<Looked, String>>,
    pub(super) looking: Option<Job<Result<Looked, String>>>,
    pub(super) choosing: Option<Job<Option<Picked>>>,
    /// The processes that can be recorded, the busiest first; none before they are looked for.
    pub processes: Vec<Process>,
    pub(super) listing: Option<Job<Vec<Process>>>,
    pub running: Option<Running>,
    /// What the program wrote, and how many bytes that were in all.
    pub wrote: String,
    pub(super) written: u64,
    /// Why the last run, or a switch, failed.
    pub failure: Option<String>,
    /// What is to be told of a run as soon as its recording is open.
    pub(super) told: Vec<String>,
}

impl RecordCard {
    pub fn is_working(&self) -> bool {
        self.running.is_some() || self.looking.is_some()
    }

    /// How far the run is, where the card does not show it.
    pub fn slow(&self) -> Option<&Progress> {
        let running = self.running.as_ref().filter(|_| !self.is_open)?;
        running.job.slow()
    }

    /// The recorder that would be taken.
    pub fn by(&self) -> Option<Recorder> {
        let looked = self.looked.as_ref()?.as_ref().ok()?;
        self.wish.with.or(looked.best.as_ref().ok().copied())
    }

    /// Whether Start means something.
    pub fn can_start(&self) -> bool {
        self.running.is_none() && self.looking.is_none() && self.by().is_some()
    }

    pub fn stop(&self) {
        if let Some(running) = &self.running {
            running.control.stop();
        }
    }

    /// Ends the program that is recorded and waits until its recording is whole: the end of this process would take the
    /// thread that records with it.
    pub fn finish(&mut self) {
        let Some(running) = self.running.take() else {
            return;
        };
        // What was recorded is not opened any more.
        running.job.progress.cancel();
        if running.control.stops() == 0 {
            running.control.stop();
        }
        let begin = Instant::now();
        let mut is_asked = true;
        while running.job.poll().is_none() {
            if is_asked && begin.elapsed() >= PATIENCE {
                is_asked = false;
                running.control.stop();
            }
            std::thread::sleep(LOOK);
        }
    }
}

/// The words of a command and the folder that it runs in; what is wrong with them.
pub(super) fn parts(wish: &RecordWish) -> Result<(Vec<OsString>, PathBuf), String> {
    let words = words::split(&wish.command).ok_or("A quotation mark is not closed")?;
    let folder = match (wish.folder.strip_prefix("~/"), dirs::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(&wish.folder),
    };
    let folder = std::path::absolute(&folder).map_err(|error| format!("The folder: {error}"))?;
    if !folder.is_dir() {
        return Err(format!("{}: folder not found", folder.display()));
    }
    Ok((words.into_iter().map(OsString::from).collect(), folder))
}

/// How recorders are told of a module: the path of a file or directory, or the name of a function with its scopes. None for
/// the root, classes, namespaces and external modules.
pub(crate) fn chosen(hierarchy: &Hierarchy, module: ModuleId) -> Option<String> {
    let is_external = |it| hierarchy.kind(it) == ModuleKind::External;
    if module == ModuleId::ROOT || hierarchy.ancestors(module).any(is_external) {
        return None;
    }
    let name = match hierarchy.kind(module) {
        ModuleKind::Directory | ModuleKind::File => format!("./{}", hierarchy.path(module)),
        ModuleKind::Function => {
            let scopes = hierarchy.ancestors(module);
            let scopes = scopes.take_while(|&it| hierarchy.kind(it) != ModuleKind::File);
            let mut names: Vec<&str> = scopes.map(|it| hierarchy.name(it)).collect();
            names.reverse();
            // Outer scopes, such as the crate, are not always in the tree.
            let any = if names.len() > 1 { "*" } else { "" };
            format!("{any}{}", names.join("::"))
        }
        _ => return None,
    };
    Some(words::quote(&name))
}

pub(super) fn look(words: &[OsString], folder: &Path) -> Result<Looked, String> {
    let program = Program::look(words, Some(folder)).map_err(|error| error.to_string())?;
    let (choice, offers) = choice::offers(&program);
    let (best, notes) = match choice {
        Ok(choice) => (Ok(choice.recorder), choice.notes),
        Err(error) => (Err(error.to_string()), Vec::new()),
    };
    Ok(Looked {
        about: program.about(),
        best,
        notes,
        offers,
    })
}

/// What is known of a process.
pub(super) fn look_at(pid: u32) -> Result<Looked, String> {
    let gone = || format!("Process {pid} has ended, or belongs to another user");
    let program = Program::of_process(pid).ok_or_else(gone)?;
    let (best, offers) = record::offers_of_process(&program);
    Ok(Looked {
        about: program.about(),
        best: Ok(best),
        notes: Vec::new(),
        offers,
    })
}

/// Records a process until it ends or that is stopped, and finds what is to be opened then.
pub(super) fn attach(pid: u32, wish: &Wish, progress: &Progress) -> Outcome {
    let control = wish.control.clone().unwrap_or_default();
    let attached = record::attach(pid, wish, &mut |seen| control.see(seen));
    let attached = attached.map_err(|error| error.to_string())?;
    Ok((
        opened(attached.paths, &attached.program, progress),
        attached.notes,
    ))
}

/// Runs and records a program, and finds what is to be opened then.
pub(super) fn run(wish: &Wish, progress: &Progress) -> Outcome {
    let mut told = Vec::new();
    let mut say = |line: &str| told.push(line.to_owned());
    let control = wish.control.clone().unwrap_or_default();
    let recorded = record::record(wish, &mut say, &mut |seen| control.see(seen));
    let recorded = recorded.map_err(|error| error.to_string())?;
    // By hand: nothing new. A profiler ends node with the code that a shell has for the signal.
    let is_stopped = control.stops() > 0
        && match recorded.ended {
            Ended::Signal(_) => true,
            ended => ended.code() == Ended::Signal(TERMINATE).code(),
        };
    match recorded.ended {
        Ended::Code(0) | Ended::Unknown => {}
        _ if is_stopped => {}
        Ended::Code(code) => told.push(format!("the program ended with {code}")),
        Ended::Signal(signal) => told.push(format!("signal {signal} ended the program")),
    }
    let program = &recorded.program.path;
    Ok((opened(recorded.paths, program, progress), told))
}

/// What is to be opened of recordings of a program. The first is held, so that it is read once.
fn opened(recordings: Vec<PathBuf>, program: &Path, progress: &Progress) -> Inputs {
    let first = recordings.first();
    let opened = first.and_then(|path| import::open_shared(path, progress).ok());
    opened.iter().for_each(import::hold);
    let functions = opened.as_ref().map(|it| &it.functions);
    Inputs {
        source_dir: functions.and_then(|it| record::find_source(it, program)),
        recordings,
        ..Inputs::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_facts::hierarchy::{HierarchyBuilder, Module, NodeId};

    #[test]
    fn modules_are_chosen_by_their_paths_and_names() {
        let mut builder = HierarchyBuilder::new("app");
        let mut add = |parent, kind, name| builder.add(parent, Module::named(kind, name));
        let folder = add(NodeId::ROOT, ModuleKind::Directory, "a b");
        let file = add(folder, ModuleKind::File, "c.cpp");
        let class = add(file, ModuleKind::Class, "Parser");
        add(class, ModuleKind::Function, "parse");
        add(file, ModuleKind::Function, "main");
        let outside = add(NodeId::ROOT, ModuleKind::External, "external");
        add(outside, ModuleKind::Function, "malloc");
        let (hierarchy, _) = builder.build();
        let found: Vec<String> = hierarchy
            .modules()
            .filter_map(|it| chosen(&hierarchy, it))
            .collect();
        let expected = ["\"./a b\"", "\"./a b/c.cpp\"", "*Parser::parse", "main"];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_program_that_was_chosen_is_a_command() {
        for (path, command) in [
            ("/a/app", "/a/app"),
            ("/a b/app", "\"/a b/app\""),
            ("/a/run.py", "python3 /a/run.py"),
            ("/a b/run.mjs", "node \"/a b/run.mjs\""),
        ] {
            let wish = Picked::Program(path.into()).into_wish(RecordWish::default());
            assert_eq!(wish.command, command);
            let parts = words::split(&wish.command).expect("quotes have an end");
            assert_eq!(parts.last().map(String::as_str), Some(path));
        }
    }
}

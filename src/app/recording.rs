//! Recording a program from the window: what is asked for, what is found out about the command, and the run.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::command::{FileAsk, RecordAsk};
use super::desk::Desk;
use super::editor::words;
use crate::analysis::session::Inputs;
use crate::import;
use crate::progress::Progress;
use crate::record::choice::{self, Offer};
use crate::record::control::Control;
use crate::record::program::Program;
use crate::record::recorder::Recorder;
use crate::record::{self, Ended, Switch, Wish};
use crate::state::job::{Job, take};
use crate::state::message::Message;

/// Who types is left alone for so long before the command is looked at.
const PAUSE: Duration = Duration::from_millis(200);

/// What is to be recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordWish {
    /// As it is typed: cut into words without a shell.
    pub command: String,
    /// The folder that it runs in, and where the recording goes.
    pub folder: String,
    /// None for the best that is there.
    pub with: Option<Recorder>,
    /// Nothing is recorded until that is switched on.
    pub is_paused: bool,
    /// What malloc gives and free takes back is recorded too.
    pub memory: bool,
}

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

/// What came of a run: what is to be opened, and what is to be told; or why it failed.
type Outcome = Result<(Inputs, Vec<String>), String>;

/// A program that runs and is recorded.
pub struct Running {
    pub control: Control,
    job: Job<Outcome>,
    /// Recording can be switched on and off.
    pub is_switchable: bool,
    pub is_on: bool,
}

impl Drop for Running {
    /// What nobody can stop any more does not go on.
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
    looking: Option<Job<Result<Looked, String>>>,
    choosing: Option<Job<Option<PathBuf>>>,
    pub running: Option<Running>,
    /// What the program wrote, and how many bytes that were in all.
    pub wrote: String,
    written: u64,
    /// Why the last run, or a switch, failed.
    pub failure: Option<String>,
    /// What is to be told of a run as soon as its recording is open.
    told: Vec<String>,
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
}

/// The words of a command and the folder that it runs in; what is wrong with them.
fn parts(wish: &RecordWish) -> Result<(Vec<OsString>, PathBuf), String> {
    let words = words::split(&wish.command).ok_or("A quote has no end")?;
    let folder = match (wish.folder.strip_prefix("~/"), dirs::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(&wish.folder),
    };
    let folder = std::path::absolute(&folder).map_err(|error| format!("The folder: {error}"))?;
    if !folder.is_dir() {
        return Err(format!("{}: there is no such folder", folder.display()));
    }
    Ok((words.into_iter().map(OsString::from).collect(), folder))
}

fn look(words: &[OsString], folder: &Path) -> Result<Looked, String> {
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

/// Runs and records a program, and finds what is to be opened then.
fn run(wish: &Wish, progress: &Progress) -> Outcome {
    let mut told = Vec::new();
    let mut say = |line: &str| told.push(line.to_owned());
    let recorded = record::record(wish, &mut say, &mut |_| ());
    let recorded = recorded.map_err(|error| error.to_string())?;
    match recorded.ended {
        Ended::Code(0) | Ended::Unknown => {}
        Ended::Code(code) => told.push(format!("the program ended with {code}")),
        // It was stopped by hand.
        Ended::Signal(_) if wish.control.as_ref().is_some_and(|it| it.stops() > 0) => {}
        Ended::Signal(signal) => told.push(format!("signal {signal} ended the program")),
    }
    let first = recorded.paths.first();
    let opened = first.and_then(|path| import::open(path, progress).ok());
    let functions = opened.as_ref().map(|it| &it.functions);
    let source_dir = functions.and_then(|it| record::find_source(it, &recorded.program.path));
    let inputs = Inputs {
        source_dir,
        recordings: recorded.paths,
        ..Inputs::default()
    };
    Ok((inputs, told))
}

impl Desk {
    pub fn on_record(&mut self, ask: RecordAsk) {
        match ask {
            RecordAsk::Toggle => {
                self.recording.is_open ^= true;
                if self.recording.is_open && self.recording.wish.folder.is_empty() {
                    let here = std::env::current_dir().unwrap_or_default();
                    self.recording.wish.folder = here.display().to_string();
                }
                self.welcome.is_open &= !self.recording.is_open;
            }
            RecordAsk::Edit(wish) => self.edit_recording(wish),
            RecordAsk::ChooseFolder => {
                let work = |_: &Progress| {
                    let dialog = rfd::FileDialog::new().set_title("The folder the program runs in");
                    Ok(dialog.pick_folder())
                };
                self.recording.choosing = Some(Job::start(self.state.waker(), work));
            }
            RecordAsk::Start => self.start_recording(),
            RecordAsk::Stop => self.recording.stop(),
            RecordAsk::Switch(to) => {
                let card = &mut self.recording;
                let Some(running) = &mut card.running else {
                    return;
                };
                match running.control.switch(to) {
                    Ok(()) => running.is_on = to == Switch::On,
                    Err(error) => card.failure = Some(error.to_string()),
                }
            }
        }
    }

    fn edit_recording(&mut self, wish: RecordWish) {
        let card = &mut self.recording;
        let of = |it: &RecordWish| (it.command.clone(), it.folder.clone());
        let is_other = of(&card.wish) != of(&wish);
        card.wish = wish;
        if !is_other {
            return;
        }
        (card.failure, card.looking) = (None, None);
        if card.wish.command.trim().is_empty() {
            card.looked = None;
            return;
        }
        match parts(&card.wish) {
            Ok((words, folder)) => {
                let work = move |progress: &Progress| {
                    std::thread::sleep(PAUSE);
                    progress.check()?;
                    Ok(look(&words, &folder))
                };
                card.looking = Some(Job::start(self.state.waker(), work));
            }
            Err(reason) => card.looked = Some(Err(reason)),
        }
    }

    fn start_recording(&mut self) {
        let card = &mut self.recording;
        let (Some(by), true) = (card.by(), card.can_start()) else {
            return;
        };
        let (command, folder) = match parts(&card.wish) {
            Ok(parts) => parts,
            Err(reason) => return card.failure = Some(reason),
        };
        let name = command.first().map(|it| it.display().to_string());
        let is_switchable = by == Recorder::Uftrace;
        let control = Control::default();
        let wish = Wish {
            command,
            with: Some(by),
            folder: Some(folder),
            memory: card.wish.memory && is_switchable,
            is_paused: card.wish.is_paused && is_switchable,
            is_switchable,
            control: Some(control.clone()),
            ..Wish::default()
        };
        (card.failure, card.written) = (None, 0);
        card.wrote.clear();
        let is_on = !wish.is_paused;
        let work = move |progress: &Progress| {
            progress.start(format!("recording {}", name.unwrap_or_default()), 0);
            Ok(run(&wish, progress))
        };
        card.running = Some(Running {
            control,
            job: Job::named("recording", self.state.waker(), work),
            is_switchable,
            is_on,
        });
    }

    /// Takes what was found out about a command, what a program wrote, and what came of its run.
    pub fn poll_recording(&mut self) {
        let card = &mut self.recording;
        if let Some(Some(folder)) = take(&mut card.choosing) {
            let folder = folder.display().to_string();
            let wish = RecordWish {
                folder,
                ..card.wish.clone()
            };
            self.edit_recording(wish);
        }
        let card = &mut self.recording;
        if let Some(looked) = take(&mut card.looking) {
            let can = |with: &Recorder| {
                let offers = looked.iter().flat_map(|it| &it.offers);
                let mut fit = offers.filter(|it| it.refused.is_none());
                fit.any(|it| it.recorder == *with)
            };
            card.wish.with = card.wish.with.filter(can);
            card.looked = Some(looked);
        }
        let Some(running) = &card.running else { return };
        if let Some((written, wrote)) = running.control.wrote(card.written) {
            (card.written, card.wrote) = (written, wrote);
        }
        let Some(done) = running.job.poll() else {
            return;
        };
        card.running = None;
        match done {
            Ok(Ok((inputs, told))) => {
                card.is_open = false;
                card.told = told;
                self.open_recorded(inputs);
            }
            Ok(Err(failure)) => {
                card.failure = Some(failure);
                card.is_open = true;
            }
            Err(_) => card.failure = Some("There is no thread to record on".to_owned()),
        }
    }

    /// Tells how the run went whose recording has just been opened.
    pub fn tell_of_recording(&mut self) {
        let lines = std::mem::take(&mut self.recording.told);
        if !lines.is_empty() {
            self.state.messages.push(Message {
                is_error: false,
                is_open: false,
                title: "How the recording went".to_owned(),
                lines,
            });
        }
    }

    /// Opens what was recorded: over the source tree that is open where none was found.
    fn open_recorded(&mut self, inputs: Inputs) {
        if inputs.source_dir.is_none() {
            return self.execute(FileAsk::Open(inputs.recordings));
        }
        self.welcome.is_open = false;
        self.open(inputs);
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::Command;

    use super::*;

    /// Waits with `desk` until something holds, as frames do.
    fn wait(desk: &mut Desk, until: impl Fn(&Desk) -> bool) {
        while !until(desk) {
            desk.collect();
            std::thread::yield_now();
        }
    }

    fn edit(desk: &mut Desk, wish: RecordWish) {
        desk.execute(RecordAsk::Edit(wish));
        wait(desk, |desk| desk.recording.looking.is_none());
    }

    fn opened() -> (Desk, RecordWish, PathBuf) {
        static MADE: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
        let number = MADE.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let name = format!("callscape-window-record-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        let mut desk = Desk::unattended();
        desk.welcome.is_open = true;
        desk.execute(RecordAsk::Toggle);
        assert!(desk.recording.is_open && !desk.welcome.is_open);
        assert!(!desk.recording.wish.folder.is_empty());
        let wish = RecordWish {
            folder: folder.display().to_string(),
            ..RecordWish::default()
        };
        (desk, wish, folder)
    }

    #[test]
    fn what_cannot_be_recorded_is_said_before_it_is_started() {
        let (mut desk, wish, folder) = opened();
        let mut said = |command: &str, folder: &str| {
            let (command, folder) = (command.to_owned(), folder.to_owned());
            let wish = RecordWish {
                command,
                folder,
                ..wish.clone()
            };
            edit(&mut desk, wish);
            assert!(!desk.recording.can_start());
            desk.execute(RecordAsk::Start);
            assert!(desk.recording.running.is_none());
            let looked = desk.recording.looked.clone();
            looked.map(|it| {
                it.map(|it| it.best.expect_err("none"))
                    .unwrap_or_else(|it| it)
            })
        };
        let here = folder.display().to_string();
        assert_eq!(said(" ", &here), None);
        assert_eq!(
            said("./app 'a b", &here).as_deref(),
            Some("A quote has no end")
        );
        assert!(said("./app", &here).is_some_and(|it| it.contains("no such program")));
        assert!(said("./app", "/no/such").is_some_and(|it| it.contains("no such folder")));
        std::fs::write(folder.join("odd"), "#!/usr/bin/perl\n").expect("it can be written");
        let is_set = Command::new("chmod")
            .arg("+x")
            .arg(folder.join("odd"))
            .status();
        assert!(is_set.is_ok_and(|it| it.success()));
        assert!(said("./odd", &here).is_some_and(|it| it.contains("no recorder")));
        std::fs::remove_dir_all(folder).expect("it can be removed");
    }

    const PROGRAM: &str = r#"
#include <stdio.h>
#include <unistd.h>
int __attribute__((noinline)) leaf(int x) { volatile int y = x; return y + 1; }
int main(int count, char **words) {
  printf("%s\n", count > 1 ? words[1] : ""); fflush(stdout);
  for (int i = 0;; i++) { leaf(i); usleep(500); }
}
"#;

    #[test]
    fn a_program_is_recorded_switched_and_stopped_and_its_recording_opens() {
        let has = |name: &str| {
            let asked = Command::new(name).arg("--version").output();
            asked.is_ok_and(|it| it.status.success())
        };
        if !has("uftrace") || !has("gcc") {
            eprintln!("left out: uftrace or gcc is not installed");
            return;
        }
        let (mut desk, wish, folder) = opened();
        std::fs::write(folder.join("app.c"), PROGRAM).expect("it can be written");
        let built = Command::new("gcc")
            .args(["-O2", "-g", "-o", "app", "app.c"])
            .current_dir(&folder)
            .status();
        assert!(built.is_ok_and(|it| it.success()));
        let command = "./app 'two words'".to_owned();
        edit(&mut desk, RecordWish { command, ..wish });
        assert_eq!(desk.recording.by(), Some(Recorder::Uftrace));
        desk.execute(RecordAsk::Start);
        let wrote = |desk: &Desk| desk.recording.wrote.contains("two words\n");
        wait(&mut desk, |desk| {
            wrote(desk) || desk.recording.running.is_none()
        });
        assert!(wrote(&desk), "{:?}", desk.recording.failure);
        // Hidden it goes on, and is one of the works under way.
        desk.execute(RecordAsk::Toggle);
        assert!(desk.is_working());
        desk.execute(RecordAsk::Toggle);
        for to in [Switch::Off, Switch::On] {
            desk.execute(RecordAsk::Switch(to));
            assert_eq!(desk.recording.failure, None);
            let is_on = desk.recording.running.as_ref().map(|it| it.is_on);
            assert_eq!(is_on, Some(to == Switch::On));
        }
        desk.execute(RecordAsk::Stop);
        wait(&mut desk, |desk| desk.recording.running.is_none());
        assert_eq!(desk.recording.failure, None);
        wait(&mut desk, |desk| desk.state.loading.is_none());
        assert!(!desk.recording.is_open);
        let document = desk.state.document.as_ref().expect("what was recorded");
        let [recording] = &document.inputs.recordings[..] else {
            panic!("one recording");
        };
        assert_eq!(recording.parent(), Some(&*folder));
        assert_eq!(document.inputs.source_dir.as_deref(), Some(&*folder));
        let resolved = document.resolved().expect("it is resolved");
        let functions = &resolved.recording.functions;
        assert!(functions.ids().any(|id| functions.get(id).name == "leaf"));
        std::fs::remove_dir_all(folder).expect("it can be removed");
    }
}

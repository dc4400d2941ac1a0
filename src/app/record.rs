//! What is asked for in the card in which a program is recorded, and what comes of it.

use std::path::Path;

use super::command::{FileAsk, RecordAsk, RecordWish};
use super::desk::Desk;
use super::editor::words;
use super::pair::Replacement;
use super::recording::{PAUSE, Picked, Running, attach, chosen, look, look_at, parts, run};
use callscape_analysis::session::Inputs;
use callscape_base::progress::Progress;
use callscape_base::units::ModuleId;
use callscape_record::control::Control;
use callscape_record::processes;
use callscape_record::recorder::Recorder;
use callscape_record::{PROBE, Switch, Wish};
use callscape_state::job::{Job, take};
use callscape_state::message::Message;

impl Desk {
    /// No program is recorded in a browser.
    #[cfg(target_arch = "wasm32")]
    pub fn on_record(&mut self, _: RecordAsk) {}

    #[cfg(not(target_arch = "wasm32"))]
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
            RecordAsk::Choose { module, is_only } => self.choose_to_record(module, is_only),
            RecordAsk::Edit(wish) => self.edit_recording(wish),
            RecordAsk::ChooseFolder => {
                let work = |_: &Progress| {
                    let dialog = rfd::FileDialog::new().set_title("The folder the program runs in");
                    Ok(dialog.pick_folder().map(Picked::Folder))
                };
                self.recording.choosing = Some(Job::start(self.state.waker(), work));
            }
            RecordAsk::ChooseProgram => {
                let folder = self.recording.wish.folder.clone();
                let work = move |_: &Progress| {
                    let dialog =
                        rfd::FileDialog::new().set_title("The program or script to record");
                    Ok(dialog
                        .set_directory(folder)
                        .pick_file()
                        .map(Picked::Program))
                };
                self.recording.choosing = Some(Job::start(self.state.waker(), work));
            }
            RecordAsk::List => {
                let work = |_: &Progress| Ok(processes::all());
                self.recording.listing = Some(Job::start(self.state.waker(), work));
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

    /// Opens the card and adds a module to the functions to record, or to those to leave out.
    fn choose_to_record(&mut self, module: ModuleId, is_only: bool) {
        let Some(document) = &self.state.document else {
            return;
        };
        let hierarchy = &document.base.hierarchy;
        let module = document.without_map(module);
        let Some(name) = chosen(hierarchy, module) else {
            return;
        };
        if !self.recording.is_open {
            self.on_record(RecordAsk::Toggle);
        }
        let wish = &mut self.recording.wish;
        let names = if is_only {
            &mut wish.only
        } else {
            &mut wish.without
        };
        let before = words::split(names).unwrap_or_default();
        if words::split(&name).is_some_and(|it| before.ends_with(&it)) {
            return;
        }
        *names = [names.trim(), &name].join(" ").trim().to_owned();
    }

    fn edit_recording(&mut self, wish: RecordWish) {
        let card = &mut self.recording;
        let of = |it: &RecordWish| {
            let process = it.pid.filter(|_| it.is_of_process);
            (
                it.is_of_process,
                process,
                it.command.clone(),
                it.folder.clone(),
            )
        };
        let is_other = of(&card.wish) != of(&wish);
        let is_listed = wish.is_of_process && !card.wish.is_of_process;
        card.wish = wish;
        if !is_other {
            return;
        }
        (card.failure, card.looking) = (None, None);
        if is_listed {
            self.on_record(RecordAsk::List);
        }
        let card = &mut self.recording;
        if card.wish.is_of_process {
            card.looked = None;
            if let Some(pid) = card.wish.pid {
                let work = move |_: &Progress| Ok(look_at(pid));
                card.looking = Some(Job::start(self.state.waker(), work));
            }
            return;
        }
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
        let process = card.wish.pid.filter(|_| card.wish.is_of_process);
        let (command, folder) = match parts(&card.wish) {
            Ok(parts) => parts,
            Err(reason) => return card.failure = Some(reason),
        };
        let name = match process {
            Some(pid) => Some(format!("process {pid}")),
            None => command.first().map(|it| it.display().to_string()),
        };
        let chooses = by.can_choose();
        let names = |text: &str| words::split(if chooses { text } else { "" });
        let chosen = names(&card.wish.only).zip(names(&card.wish.without));
        let Some((only, without)) = chosen else {
            return card.failure = Some("A quotation mark is not closed".to_owned());
        };
        let limit = card.wish.at_most.trim();
        let limit = match by.can_count() && !limit.is_empty() {
            true => limit.parse().map(Some),
            false => Ok(None),
        };
        let max_frequency = match limit {
            Ok(limit) => limit,
            Err(error) => return card.failure = Some(error),
        };
        let document = self.state.document.as_ref();
        let source = document.and_then(|it| it.source_root()).map(Path::to_owned);
        // perf is switched by fifos of a program that it starts.
        let is_switchable = by.can_be_switched() && (process.is_none() || by == Recorder::Frida);
        let control = Control::default();
        let wish = Wish {
            command,
            with: Some(by),
            folder: Some(folder),
            memory: card.wish.memory && by == Recorder::Uftrace,
            is_paused: card.wish.is_paused && is_switchable,
            is_switchable,
            only,
            without,
            max_frequency,
            probe: PROBE,
            source,
            control: Some(control.clone()),
            ..Wish::default()
        };
        (card.failure, card.written) = (None, 0);
        card.wrote.clear();
        let is_on = !wish.is_paused;
        let work = move |progress: &Progress| {
            progress.start(format!("recording {}", name.unwrap_or_default()), 0);
            Ok(match process {
                Some(pid) => attach(pid, &wish, progress),
                None => run(&wish, progress),
            })
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
        if let Some(Some(picked)) = take(&mut card.choosing) {
            let wish = picked.into_wish(card.wish.clone());
            self.edit_recording(wish);
        }
        let card = &mut self.recording;
        if let Some(processes) = take(&mut card.listing) {
            card.processes = processes;
        }
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
            Err(_) => card.failure = Some("No thread is available for recording".to_owned()),
        }
    }

    /// Tells how the run went whose recording has just been opened.
    pub fn tell_of_recording(&mut self) {
        let lines = std::mem::take(&mut self.recording.told);
        if !lines.is_empty() {
            self.state.told.messages.push(Message {
                is_error: false,
                is_open: false,
                title: "Notes on the recording".to_owned(),
                lines,
            });
        }
    }

    /// Opens what was recorded: over the source tree that is open where none was found.
    fn open_recorded(&mut self, inputs: Inputs) {
        if inputs.source_dir.is_none() {
            return self.execute(FileAsk::Open(inputs.recordings));
        }
        self.replace_with(Replacement::Inputs(inputs));
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::path::PathBuf;
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
            Some("A quotation mark is not closed")
        );
        assert!(said("./app", &here).is_some_and(|it| it.contains("no such program")));
        assert!(said("./app", "/no/such").is_some_and(|it| it.contains("folder not found")));
        std::fs::write(folder.join("odd"), "#!/usr/bin/perl\n").expect("it can be written");
        let is_set = Command::new("chmod")
            .arg("+x")
            .arg(folder.join("odd"))
            .status();
        assert!(is_set.is_ok_and(|it| it.success()));
        assert!(said("./odd", &here).is_some_and(|it| it.contains("no supported recorder")));
        std::fs::remove_dir_all(folder).expect("it can be removed");
    }

    const PROGRAM: &str = r#"
#include <stdio.h>
#include <unistd.h>
int __attribute__((noinline)) leaf(int x) { volatile int y = x; return y + 1; }
int main(int count, char **words) {
  leaf(0); /* Before anyone can stop it. */
  printf("%s\n", count > 1 ? words[1] : ""); fflush(stdout);
  for (int i = 0;; i++) { leaf(i); usleep(500); }
}
"#;

    /// A desk in which a program is recorded by `by`, and has begun to write; its folder.
    fn recorded(text: &str, by: Recorder) -> Option<(Desk, PathBuf)> {
        let has = |name: &str| {
            let asked = Command::new(name).arg("--version").output();
            asked.is_ok_and(|it| it.status.success())
        };
        if !has(by.name()) || !has("gcc") {
            eprintln!("left out: {} or gcc is not installed", by.name());
            return None;
        }
        let (mut desk, wish, folder) = opened();
        std::fs::write(folder.join("app.c"), text).expect("it can be written");
        let built = Command::new("gcc")
            .args(["-O2", "-g", "-o", "app", "app.c"])
            .current_dir(&folder)
            .status();
        assert!(built.is_ok_and(|it| it.success()));
        let command = "./app 'two words'".to_owned();
        let with = Some(by);
        let wish = RecordWish {
            command,
            with,
            ..wish
        };
        edit(&mut desk, wish);
        if desk.recording.by() != with {
            eprintln!("left out: {} may not record here", by.name());
            return None;
        }
        desk.execute(RecordAsk::Start);
        let wrote = |desk: &Desk| desk.recording.wrote.contains("two words\n");
        wait(&mut desk, |desk| {
            wrote(desk) || desk.recording.running.is_none()
        });
        assert!(wrote(&desk), "{:?}", desk.recording.failure);
        Some((desk, folder))
    }

    #[test]
    fn a_window_that_is_closed_ends_the_program_and_keeps_what_was_recorded() {
        // One ends when it is asked to, the other has to be made to.
        let deaf = PROGRAM.replace("printf(", "signal(SIGTERM, SIG_IGN); printf(");
        let deaf = deaf.replace(
            "#include <stdio.h>",
            "#include <stdio.h>\n#include <signal.h>",
        );
        for program in [PROGRAM, &deaf] {
            let Some((mut desk, folder)) = recorded(program, Recorder::Uftrace) else {
                return;
            };
            desk.recording.finish();
            assert!(desk.recording.running.is_none());
            let entries = std::fs::read_dir(&folder).expect("a folder").flatten();
            let names: Vec<String> = entries
                .map(|it| it.file_name().to_string_lossy().into_owned())
                .filter(|it| it != "app" && it != "app.c")
                .collect();
            let [name] = &names[..] else {
                panic!("the recording alone: {names:?}");
            };
            assert!(name.ends_with(".uftrace"), "{name}");
            let opened = callscape_import::open(&folder.join(name), &Progress::new());
            let functions = opened.expect("it is whole").functions;
            assert!(functions.ids().any(|id| functions.get(id).name == "leaf"));
            std::fs::remove_dir_all(folder).expect("it can be removed");
        }
    }

    #[test]
    fn a_program_is_recorded_switched_and_stopped_and_its_recording_opens() {
        if let Some(desk) = recorded(PROGRAM, Recorder::Uftrace) {
            switched_and_stopped(desk, true);
        }
        // There is something to sample before it is switched off.
        let busy = "for (int i = 0; i < 300000000; i++) leaf(i); printf(";
        if let Some(desk) = recorded(&PROGRAM.replace("printf(", busy), Recorder::Perf) {
            switched_and_stopped(desk, false);
        }
    }

    fn switched_and_stopped((mut desk, folder): (Desk, PathBuf), knows_source: bool) {
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
        wait(&mut desk, |desk| desk.state.opening.loading.is_none());
        assert!(!desk.recording.is_open);
        let document = desk.state.document.as_ref().expect("what was recorded");
        let [recording] = &document.inputs.recordings[..] else {
            panic!("one recording");
        };
        assert_eq!(recording.parent(), Some(&*folder));
        let source = document.inputs.source_dir.as_deref();
        assert!(source == Some(&folder) || !knows_source);
        let resolved = document.resolved().expect("it is resolved");
        let functions = &resolved.recording.functions;
        assert!(functions.ids().any(|id| functions.get(id).name == "leaf"));
        std::fs::remove_dir_all(folder).expect("it can be removed");
    }
}

//! A scene before an audience: shot by shot on keys, and free to look around at any moment.

use std::path::PathBuf;
use std::time::Duration;

use super::opening::{Opened, Opens};
use super::talk::{Beginning, Fading, Live};
use crate::command::{LiveAsk, PointsWith};
use crate::desk::Desk;
use callscape_base::progress::Progress;
use callscape_base::units::ModuleId;
use callscape_presentation::scene::{Bookmark, Scene, SceneFile};
use callscape_presentation::show::Show;
use callscape_state::State;
use callscape_state::job::{Job, take};
use callscape_state::message::Message;

/// Panels have found their places after so many frames, and with them the landscape.
const FRAMES_TO_SETTLE: u8 = 4;
/// A window that is to fill the screen has come to rest when its size has stayed for so long.
const REST: Duration = Duration::from_millis(300);
/// So much of that has passed in its first frame.
const FIRST: Duration = Duration::from_millis(33);
/// What was shown goes over into what a shot changes at once within this, as in films.
const DISSOLVE: Duration = Duration::from_millis(600);

impl Desk {
    /// Whether a scene is presented.
    pub fn is_live(&self) -> bool {
        self.talk.live.is_some()
    }

    /// What all but which module is dimmed for; the inner none dims everything.
    pub fn spot(&self) -> Option<Option<ModuleId>> {
        let live = self.talk.live.as_ref()?;
        let shines = live.points_with == PointsWith::Flashlight;
        let pointed = self
            .state
            .document
            .as_ref()
            .map(|it| it.selection.pointed.module);
        shines.then(|| pointed.flatten())
    }

    pub fn on_live(&mut self, ask: LiveAsk) {
        match ask {
            LiveAsk::Open(path) => return self.present_file(path),
            LiveAsk::Begin(usize::MAX) => {
                let chosen = self.talk.script.chosen.unwrap_or(0);
                return self.present_scene(chosen);
            }
            LiveAsk::Begin(shot) => return self.present_scene(shot),
            LiveAsk::FullScreen => {
                self.talk.is_full ^= true;
                return;
            }
            _ => {}
        }
        let now = self.state.now().as_secs_f64() * 1e3;
        let Some(live) = &mut self.talk.live else {
            return;
        };
        live.heard_ms = Some(now);
        match ask {
            LiveAsk::Black => live.is_black ^= true,
            LiveAsk::Point(with) => {
                live.points_with = match live.points_with == with {
                    true => PointsWith::Arrow,
                    false => with,
                };
            }
            LiveAsk::Notes => live.has_notes ^= true,
            LiveAsk::Digit(digit) if live.number.len() < 6 => live.number.push(digit),
            LiveAsk::Leave if !live.number.is_empty() => live.number.clear(),
            LiveAsk::Leave if live.is_black => live.is_black = false,
            LiveAsk::Leave if live.is_away => self.follow_script(|_, _| ()),
            LiveAsk::Leave => self.leave_presentation(),
            LiveAsk::Enter => {
                let number = std::mem::take(&mut live.number).parse::<usize>();
                match number.ok().and_then(|number| number.checked_sub(1)) {
                    Some(shot) => self.follow_script(|show, state| {
                        show.is_running = true;
                        show.go_to(shot, state);
                    }),
                    None => self.follow_script(|_, _| ()),
                }
            }
            LiveAsk::Script => self.follow_script(|_, _| ()),
            LiveAsk::Next => self.follow_script(Show::next),
            LiveAsk::Previous => self.follow_script(Show::previous),
            LiveAsk::First => self.follow_script(|show, state| {
                show.is_running = true;
                show.go_to(0, state);
            }),
            LiveAsk::Last => self.follow_script(|show, state| {
                show.is_running = true;
                show.go_to(usize::MAX, state);
            }),
            LiveAsk::Auto => {
                if let Some(show) = &mut self.show {
                    show.stops ^= true;
                    show.is_running |= !show.stops;
                }
            }
            LiveAsk::Begin(_) | LiveAsk::Open(_) | LiveAsk::FullScreen | LiveAsk::Digit(_) => {}
        }
    }

    /// Does something to the script; when someone has looked around the camera flies back to it first.
    fn follow_script(&mut self, change: impl FnOnce(&mut Show, &mut State)) {
        let (Some(mut show), Some(live)) = (self.show.take(), &mut self.talk.live) else {
            return;
        };
        let was_black = live.is_black;
        live.is_black = false;
        live.number.clear();
        let was_away = std::mem::take(&mut live.is_away);
        live.returns = false;
        let from = self.state.moving.camera.pose();
        if was_away {
            show.resume(&mut self.state);
        }
        let (before, at) = (show.shot(), show.at());
        change(&mut show, &mut self.state);
        let to = self.state.moving.camera.pose();
        let goes_over = match show.shot() {
            shot if shot == before => show.at() != at,
            shot if shot == before + 1 => show.has_changed_at_once(before),
            _ => true,
        };
        self.show = Some(show);
        if let Some(live) = self.talk.live.as_mut().filter(|_| goes_over && !was_away) {
            live.fading = match was_black {
                true => Fading::Not,
                false => Fading::Waits,
            };
        }
        if was_away && to != from {
            self.state.moving.camera.look_from(from);
            self.state.moving.camera.fly_to_pose(to);
            if let Some(live) = &mut self.talk.live {
                live.returns = true;
            }
        }
        self.note_script();
    }

    /// Presents what the panel holds: its shots, or each bookmark as one.
    fn present_scene(&mut self, shot: usize) {
        let mut scene = self.talk.script.scene.clone();
        if scene.shots.is_empty() {
            scene.shots = super::script::shots_of(&self.talk.bookmarks);
        }
        if scene.shots.is_empty() {
            let told = "Nothing to present: add bookmarks (F2), or record a scene (F9)";
            return self.state.tell_briefly(told.to_owned());
        }
        let own: Vec<String> = scene.bookmarks.iter().map(|it| it.name.clone()).collect();
        let mut bookmarks = scene.bookmarks.clone();
        let others = self.talk.bookmarks.iter();
        bookmarks.extend(others.filter(|it| !own.contains(&it.name)).cloned());
        // Its inputs are open already.
        scene.inputs = Default::default();
        let path = match self.talk.script.path() {
            Some(path) => path,
            None => PathBuf::from("scene.toml"),
        };
        match parsed(path, &scene) {
            Ok(file) => self.begin(file, bookmarks, shot),
            Err(error) => self
                .state
                .tell("The scene cannot be presented", error.to_string()),
        }
    }

    /// Opens what a scene file names and presents it.
    pub fn present_file(&mut self, path: PathBuf) {
        let read = SceneFile::read(&path).and_then(|file| {
            let opens = Opens::of(&file)?;
            Ok((file, opens))
        });
        let (file, opens) = match read {
            Ok(read) => read,
            Err(error) => {
                return self
                    .state
                    .tell("The scene cannot be presented", format!("{error:#}"));
            }
        };
        let work = move |progress: &Progress| {
            let opened = opens.open(&file, progress);
            progress.check()?;
            Ok(opened.map(|opened| (file, opened)))
        };
        self.jobs.staging = Some(Job::start(self.state.waker(), work));
    }

    /// Takes what a scene opens.
    pub fn poll_staged(&mut self) {
        let Some(staged) = take(&mut self.jobs.staging) else {
            return;
        };
        match staged {
            Ok((file, opened)) => {
                let scenes = std::mem::take(&mut self.talk.scenes);
                let bookmarks = self.show_staged(opened);
                self.talk.scenes = scenes;
                self.talk.script.take(&file);
                self.talk.bookmarks.clone_from(&bookmarks);
                self.begin(file, bookmarks, 0);
            }
            Err(error) => self
                .state
                .tell("The scene cannot be presented", format!("{error:#}")),
        }
    }

    /// Shows what a scene opens, and gives what its shots can go to.
    pub fn show_staged(&mut self, opened: Opened) -> Vec<Bookmark> {
        let Opened { document, opens } = opened;
        if let Some(mapping) = &opens.mapping {
            self.use_map_file(mapping);
        }
        match opens.session {
            Some((path, saved)) => self.show_saved(document, saved, path),
            None => self.show(document),
        }
        // Nothing changes under a scene.
        self.state.opening.stop_watching();
        opens.bookmarks
    }

    fn begin(&mut self, file: SceneFile, bookmarks: Vec<Bookmark>, shot: usize) {
        self.leave_presentation();
        // A browser fills the screen only when its reader asks for it.
        self.talk.is_full = !cfg!(target_arch = "wasm32");
        self.talk.recorder = None;
        self.state.moving.following.is_on = false;
        self.talk.live = Some(Live {
            begins: Some(Beginning {
                file,
                bookmarks,
                shot,
                frames: FRAMES_TO_SETTLE,
                viewport: self.state.moving.viewport,
                since: self.state.now(),
            }),
            is_black: false,
            number: String::new(),
            points_with: PointsWith::Arrow,
            has_notes: false,
            is_away: false,
            returns: false,
            left_at: None,
            heard_ms: None,
            fading: Fading::Not,
        });
    }

    fn leave_presentation(&mut self) {
        self.talk.live = None;
        self.talk.is_full = false;
        if let Some(mut show) = self.show.take() {
            self.talk.pending = show.leave(&mut self.state);
        }
    }

    /// Lets `seconds` of the scene pass, unless someone looks around.
    pub fn advance_show(&mut self, seconds: f64) {
        let (pose, now) = (self.state.moving.camera.pose(), self.state.now());
        if let Some(live) = &mut self.talk.live {
            if let Some(begins) = &mut live.begins {
                begins.frames = begins.frames.saturating_sub(1);
                if begins.viewport != self.state.moving.viewport {
                    (begins.viewport, begins.since) = (self.state.moving.viewport, now);
                }
                let rests = now.saturating_sub(begins.since) >= REST;
                let is_placed = begins.frames == 0 && rests && self.state.opening.loading.is_none();
                if let Some(begins) = live.begins.take_if(|_| is_placed) {
                    self.start_show(begins.file, begins.bookmarks, begins.shot);
                }
            } else if live.returns {
                if self.state.moving.camera.destination().is_some() {
                    return;
                }
                live.returns = false;
            } else if live.left_at.is_some_and(|left| left != pose)
                || self.state.moving.camera.is_moving()
            {
                live.is_away = true;
            }
            if self.talk.live.as_ref().is_some_and(|live| live.is_away) {
                return;
            }
        }
        if let Some(mut show) = self.show.take() {
            let before = show.shot();
            show.advance(seconds, &mut self.state);
            let has_changed = show.has_changed_at_once(before);
            let is_there = !show.is_behind();
            self.show = Some(show);
            if let Some(live) = &mut self.talk.live {
                match live.fading {
                    _ if has_changed => live.fading = Fading::Waits,
                    Fading::Since(since) if now.saturating_sub(since) >= DISSOLVE => {
                        live.fading = Fading::Not;
                    }
                    _ => {}
                }
                if live.fading == Fading::Waits && is_there {
                    live.fading = Fading::Begins;
                }
            }
        }
    }

    /// Whether what is shown has to be kept before the next frame is drawn: it goes over into that. To be asked once
    /// a frame.
    pub fn keeps_what_was(&mut self) -> bool {
        let now = self.state.now();
        let live = self.talk.live.as_mut();
        let fading = live.map(|live| &mut live.fading);
        let begins = fading.filter(|it| **it == Fading::Begins);
        begins.is_some_and(|it| {
            // A first frame of nothing but what was shown would be none.
            *it = Fading::Since(now.saturating_sub(FIRST));
            true
        })
    }

    /// How much of what was shown is still to be seen, 0 to 1.
    pub fn strength_before(&self) -> f32 {
        match self.talk.live.as_ref().map(|live| live.fading) {
            Some(Fading::Since(since)) => {
                let passed = self.state.now().saturating_sub(since).as_secs_f32();
                let share = (passed / DISSOLVE.as_secs_f32()).clamp(0.0, 1.0);
                1.0 - share * share * (3.0 - 2.0 * share)
            }
            _ => 0.0,
        }
    }

    fn start_show(&mut self, file: SceneFile, bookmarks: Vec<Bookmark>, shot: usize) {
        let mut show = Show::new(file, bookmarks, &mut self.state);
        show.stops = true;
        if shot > 0 {
            show.go_to(shot, &mut self.state);
        }
        if !show.problems.is_empty() {
            let lines = show.problems.iter().map(ToString::to_string).collect();
            self.state.told.messages.push(Message {
                is_error: true,
                is_open: false,
                title: "Parts of the scene are missing; the rest plays".to_owned(),
                lines,
            });
            let first = &show.problems[0];
            let more = show.problems.len() - 1;
            let line = match more {
                0 => first.to_string(),
                more => format!("{first}; and {more} more"),
            };
            self.state.tell_briefly(line);
        }
        self.show = Some(show);
        self.note_script();
    }

    /// Notes where views and the landscape were laid out: the camera keeps looking at the same place.
    pub fn follow_layout(&mut self) {
        self.dock.tell(&mut self.state);
        let is_away = self.talk.live.as_ref().is_some_and(|live| live.is_away);
        if let Some(show) = self.show.as_mut().filter(|_| !is_away) {
            show.look_where_it_is(&mut self.state);
        }
        self.note_script();
    }

    /// The camera is where the script has it.
    pub fn note_script(&mut self) {
        let pose = self.state.moving.camera.pose();
        if let Some(live) = &mut self.talk.live
            && !live.is_away
            && !live.returns
        {
            live.left_at = self.show.as_ref().map(|_| pose);
        }
    }

    /// Whether the next frame will be another without anything being done.
    pub fn show_is_moving(&self) -> bool {
        let live = self.talk.live.as_ref();
        let begins = live.is_some_and(|live| live.begins.is_some());
        let is_away = live.is_some_and(|live| live.is_away);
        let is_shown = self.show.as_ref().is_some_and(Show::is_moving);
        let is_fading = live.is_some_and(|live| live.fading != Fading::Not);
        begins || is_fading || (is_shown && !is_away)
    }
}

/// A scene as if it had been read from the file at `path`.
pub(super) fn parsed(path: PathBuf, scene: &Scene) -> anyhow::Result<SceneFile> {
    let text = toml::to_string(scene)?;
    Ok(SceneFile::parse(&path, text)?)
}

//! A scene before an audience: shot by shot on keys, and free to look around at any moment.

use std::path::PathBuf;
use std::time::Duration;

use super::super::camera::pose::Pose;
use super::super::job::Job;
use super::super::workbench::{Message, Viewport, Workbench};
use super::Show;
use super::opening::{Opened, Opens};
use crate::presentation::scene::{Bookmark, Scene, SceneFile};
use crate::progress::Progress;
use crate::units::ModuleId;

/// Panels have found their places after so many frames, and with them the landscape.
const FRAMES_TO_SETTLE: u8 = 4;
/// A window that is to fill the screen has come to rest when its size has stayed for so long.
const REST: Duration = Duration::from_millis(300);
/// So much of that has passed in its first frame.
const FIRST: Duration = Duration::from_millis(33);
/// What was shown goes over into what a shot changes at once within this, as in films.
const DISSOLVE: Duration = Duration::from_millis(600);

/// What the pointer shows to the audience.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PointsWith {
    #[default]
    Arrow,
    /// A bright dot.
    Laser,
    /// All but the module under it is dimmed.
    Flashlight,
}

/// What one asks for while presenting.
#[derive(Clone, Debug, PartialEq)]
pub enum LiveAsk {
    /// Presents what the panel holds, from its first shot or from this one.
    Begin(usize),
    /// Opens what a scene file names and presents it.
    Open(PathBuf),
    Next,
    Previous,
    First,
    Last,
    /// A digit of the number of a shot.
    Digit(char),
    /// Goes to the shot whose number was typed; without one back to the script.
    Enter,
    /// Back to where the script has it.
    Script,
    /// Nothing is seen, or all again.
    Black,
    Point(PointsWith),
    /// Notes in a window of their own, or none.
    Notes,
    /// Shots follow one another by themselves, or wait.
    Auto,
    FullScreen,
    Leave,
}

/// A presentation under way.
pub struct Live {
    /// Shown as soon as the landscape has its place.
    begins: Option<Beginning>,
    pub is_black: bool,
    /// The number of a shot, as far as it is typed.
    pub number: String,
    pub points_with: PointsWith,
    pub has_notes: bool,
    /// Someone looks around.
    pub is_away: bool,
    /// The camera flies back to the script.
    returns: bool,
    /// Where the script has left the camera; elsewhere someone moved it.
    left_at: Option<Pose>,
    /// When the last key was heard, in milliseconds, until its first frame is drawn.
    pub heard_ms: Option<f64>,
    fading: Fading,
}

/// What was shown goes over into what a shot has changed at once.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Fading {
    #[default]
    Not,
    /// It does as soon as what the shot shows is there.
    Waits,
    /// What was shown is to be kept before the next frame is drawn.
    Begins,
    Since(Duration),
}

/// A scene that waits for the landscape to come to rest in a window of another size.
struct Beginning {
    file: SceneFile,
    bookmarks: Vec<Bookmark>,
    shot: usize,
    /// Frames to wait for at least.
    frames: u8,
    /// Where the landscape was last, and since when.
    viewport: Viewport,
    since: Duration,
}

impl Workbench {
    /// Whether a scene is presented.
    pub fn is_live(&self) -> bool {
        self.talk.live.is_some()
    }

    /// What all but which module is dimmed for; the inner none dims everything.
    pub fn spot(&self) -> Option<Option<ModuleId>> {
        let live = self.talk.live.as_ref()?;
        let shines = live.points_with == PointsWith::Flashlight;
        let pointed = self.document.as_ref().map(|it| it.selection.pointed.module);
        shines.then(|| pointed.flatten())
    }

    pub(in crate::app) fn on_live(&mut self, ask: LiveAsk) {
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
        let now = self.now().as_secs_f64() * 1e3;
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
                    Some(shot) => self.follow_script(|show, bench| {
                        show.is_running = true;
                        show.go_to(shot, bench);
                    }),
                    None => self.follow_script(|_, _| ()),
                }
            }
            LiveAsk::Script => self.follow_script(|_, _| ()),
            LiveAsk::Next => self.follow_script(Show::next),
            LiveAsk::Previous => self.follow_script(Show::previous),
            LiveAsk::First => self.follow_script(|show, bench| {
                show.is_running = true;
                show.go_to(0, bench);
            }),
            LiveAsk::Last => self.follow_script(|show, bench| {
                show.is_running = true;
                show.go_to(usize::MAX, bench);
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
    fn follow_script(&mut self, change: impl FnOnce(&mut Show, &mut Workbench)) {
        let (Some(mut show), Some(live)) = (self.show.take(), &mut self.talk.live) else {
            return;
        };
        let was_black = live.is_black;
        live.is_black = false;
        live.number.clear();
        let was_away = std::mem::take(&mut live.is_away);
        live.returns = false;
        let from = self.camera.pose();
        if was_away {
            show.resume(self);
        }
        let (before, at) = (show.shot(), show.at());
        change(&mut show, self);
        let to = self.camera.pose();
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
            self.camera.look_from(from);
            self.camera.fly_to_pose(to);
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
            let told = "Nothing to present: take bookmarks (F2), or record a scene (F9)";
            return self.tell_briefly(told.to_owned());
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
            Err(error) => self.tell("The scene cannot be presented", error.to_string()),
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
            Err(error) => return self.tell("The scene cannot be presented", format!("{error:#}")),
        };
        let work = move |progress: &Progress| {
            let opened = opens.open(&file, progress);
            progress.check()?;
            Ok(opened.map(|opened| (file, opened)))
        };
        self.jobs.staging = Some(Job::start(self.waker(), work));
    }

    /// Takes what a scene opens.
    pub(in crate::app) fn take_staged(&mut self, staged: anyhow::Result<(SceneFile, Opened)>) {
        match staged {
            Ok((file, opened)) => {
                let scenes = std::mem::take(&mut self.talk.scenes);
                let bookmarks = opened.show(self);
                self.talk.scenes = scenes;
                self.talk.script.take(&file);
                self.talk.bookmarks.clone_from(&bookmarks);
                self.begin(file, bookmarks, 0);
            }
            Err(error) => self.tell("The scene cannot be presented", format!("{error:#}")),
        }
    }

    fn begin(&mut self, file: SceneFile, bookmarks: Vec<Bookmark>, shot: usize) {
        self.leave_presentation();
        self.talk.is_full = true;
        self.talk.recorder = None;
        self.following.is_on = false;
        self.talk.live = Some(Live {
            begins: Some(Beginning {
                file,
                bookmarks,
                shot,
                frames: FRAMES_TO_SETTLE,
                viewport: self.viewport,
                since: self.now(),
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
            show.leave(self);
        }
    }

    /// Lets `seconds` of the scene pass, unless someone looks around.
    pub(in crate::app) fn advance_show(&mut self, seconds: f64) {
        let (pose, now) = (self.camera.pose(), self.now());
        if let Some(live) = &mut self.talk.live {
            if let Some(begins) = &mut live.begins {
                begins.frames = begins.frames.saturating_sub(1);
                if begins.viewport != self.viewport {
                    (begins.viewport, begins.since) = (self.viewport, now);
                }
                let rests = now.saturating_sub(begins.since) >= REST;
                let is_placed = begins.frames == 0 && rests && self.loading.is_none();
                if let Some(begins) = live.begins.take_if(|_| is_placed) {
                    self.start_show(begins.file, begins.bookmarks, begins.shot);
                }
            } else if live.returns {
                if self.camera.destination().is_some() {
                    return;
                }
                live.returns = false;
            } else if live.left_at.is_some_and(|left| left != pose) || self.camera.is_moving() {
                live.is_away = true;
            }
            if self.talk.live.as_ref().is_some_and(|live| live.is_away) {
                return;
            }
        }
        if let Some(mut show) = self.show.take() {
            let before = show.shot();
            show.advance(seconds, self);
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
        let now = self.now();
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
                let passed = self.now().saturating_sub(since).as_secs_f32();
                let share = (passed / DISSOLVE.as_secs_f32()).clamp(0.0, 1.0);
                1.0 - share * share * (3.0 - 2.0 * share)
            }
            _ => 0.0,
        }
    }

    fn start_show(&mut self, file: SceneFile, bookmarks: Vec<Bookmark>, shot: usize) {
        let mut show = Show::new(file, bookmarks, self);
        show.stops = true;
        if shot > 0 {
            show.go_to(shot, self);
        }
        if !show.problems.is_empty() {
            let lines = show.problems.iter().map(ToString::to_string).collect();
            self.messages.push(Message {
                is_error: true,
                is_open: false,
                title: "Parts of the scene are not there; the rest plays".to_owned(),
                lines,
            });
            let first = &show.problems[0];
            let more = show.problems.len() - 1;
            let line = match more {
                0 => first.to_string(),
                more => format!("{first}; and {more} more"),
            };
            self.tell_briefly(line);
        }
        self.show = Some(show);
        self.note_script();
    }

    /// The camera is where the script has it.
    pub(in crate::app) fn note_script(&mut self) {
        let pose = self.camera.pose();
        if let Some(live) = &mut self.talk.live
            && !live.is_away
            && !live.returns
        {
            live.left_at = self.show.as_ref().map(|_| pose);
        }
    }

    /// Whether the next frame will be another without anything being done.
    pub(in crate::app) fn show_is_moving(&self) -> bool {
        let live = self.talk.live.as_ref();
        let begins = live.is_some_and(|live| live.begins.is_some());
        let is_away = live.is_some_and(|live| live.is_away);
        let is_shown = self.show.as_ref().is_some_and(Show::is_moving);
        let is_fading = live.is_some_and(|live| live.fading != Fading::Not);
        begins || is_fading || (is_shown && !is_away)
    }
}

/// A scene as if it had been read from the file at `path`.
fn parsed(path: PathBuf, scene: &Scene) -> anyhow::Result<SceneFile> {
    let text = toml::to_string(scene)?;
    Ok(SceneFile::parse(&path, text)?)
}

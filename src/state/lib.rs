//! What is open and what is shown of it, in pieces that know no window.

// `callscape_cli::messages` and `callscape_cli::output` write what commands say, and know what to do where that fails.
#![cfg_attr(
    not(test),
    deny(clippy::print_stderr, clippy::print_stdout, clippy::dbg_macro)
)]

pub mod action;
mod apply;
mod arranging;
pub mod ask;
mod asking;
pub mod call_steps;
pub mod camera;
pub mod chord;
pub mod city;
mod counting;
pub mod destination;
pub mod details;
pub mod document;
pub mod editing;
mod finding;
pub mod findings;
pub mod following;
mod frequency;
pub mod growing;
pub mod history;
mod importing;
pub mod job;
pub mod jobs;
pub mod loading;
mod looking;
pub mod made;
pub mod mapping;
pub mod message;
mod opening;
pub mod own;
pub mod panes;
pub mod playback;
mod playing;
pub mod pointer;
mod pointing;
pub mod purpose;
pub mod question;
mod replacing;
mod revision;
pub mod runs;
pub mod runs_view;
mod selecting;
pub mod stepping;
pub mod steps;
mod structure;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
pub mod viewpoint;
pub mod watch;
pub mod work;

use std::time::{Duration, Instant};

use glam::Vec2;

use self::ask::{Chapter, ViewAsk};
use self::camera::CameraControl;
use self::camera::past::PastViews;
pub use self::destination::Destination;
use self::document::Document;
use self::document::source::ToEdit;
use self::findings::Findings;
use self::following::Following;
use self::growing::Growing;
use self::jobs::Jobs;
use self::loading::Loading;
use self::made::Made;
use self::mapping::MappingEditor;
use self::message::Message;
use self::panes::{Panes, ViewId};
use self::pointer::Pointer;
use self::question::Question;
use self::runs_view::RunsView;
use self::steps::Steps;
use self::watch::Watch;
use self::work::Work;
use callscape_base::units::{ModuleId, Time};
use callscape_facts::frequency::Frequency;
use callscape_layout::labels::Covered;
use callscape_look::pose::{FreeArea, Pose};
use callscape_look::quality::Quality;
use callscape_model::landscape::LandscapeSettings;

/// A short line is read in this time.
const NOTICE: Duration = Duration::from_millis(2500);

/// The search field and its results.
#[derive(Clone, Debug, Default)]
pub struct Search {
    pub is_open: bool,
    /// The field is to have the keyboard from the next frame on.
    pub wants_focus: bool,
    pub query: String,
    pub marked: usize,
    /// The mark moved in this frame, and has to stay in sight.
    pub mark_moved: bool,
}

/// Which cards are open.
#[derive(Clone, Copy, Debug)]
pub struct Cards {
    pub help: bool,
    pub settings: bool,
    pub legend: bool,
    pub stacks: bool,
    pub timings: bool,
    pub minimap: bool,
    /// The list of steps.
    pub steps: bool,
    pub frequency: bool,
}

/// Where in the window the landscape is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// Its top left corner in the window, in physical pixels.
    pub origin: Vec2,
    /// In physical pixels.
    pub size: Vec2,
    /// Physical pixels of a point.
    pub scale: f32,
    pub free: FreeArea,
}

impl Viewport {
    pub fn aspect(&self) -> f32 {
        self.size.x.max(1.0) / self.size.y.max(1.0)
    }
}

/// What changed, as counters: whoever has seen another number has something to bring up to date.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stamps {
    /// Other inputs were opened.
    pub opened: u64,
    /// Another document shows the same inputs.
    pub document: u64,
    /// Another run is shown: calls, threads and times mean something else.
    pub run: u64,
    /// The blocks of the city.
    pub blocks: u64,
    /// Their colours.
    pub looks: u64,
    /// What filters and range leave of the recording.
    pub left: u64,
    /// The names that are to be shown over the landscape.
    pub names: u64,
    /// The files of the source tree, as far as it is watched.
    pub sources: u64,
}

/// What says what time it is.
#[derive(Clone, Copy, Debug)]
enum Clock {
    /// Since then.
    Running(Instant),
    Told(Duration),
}

/// What is open and what is shown of it.
pub struct State {
    pub document: Option<Document>,
    /// The one that was shown before, until views have said what of it is to go on.
    replaced: Option<Document>,
    /// The open views.
    pub panes: Panes,
    pub camera: CameraControl,
    pub following: Following,
    pub pointer: Pointer,
    pub loading: Option<Loading>,
    /// Recordings are followed as they grow.
    pub growing: Option<Growing>,
    /// What is called more often is left out of what is opened first.
    pub frequency_at_start: Option<Frequency>,
    pub settings: LandscapeSettings,
    /// How finely the landscape is drawn; none: as suits the device.
    pub quality: Option<Quality>,
    pub messages: Vec<Message>,
    /// Bookmarks are to be made of them.
    pub chapters: Vec<Chapter>,
    /// Lines that the user's editor is to show.
    pub to_edit: Vec<ToEdit>,
    pub search: Search,
    pub cards: Cards,
    /// What the colours answer.
    pub question: Question,
    /// Rows of a table are being stepped through: together they are one step on the way back.
    walks: bool,
    /// Letters and lines are this many times as large as usual.
    pub text_scale: f32,
    /// Something short to tell, and until when.
    notice: Option<(String, Duration)>,
    /// The mapping file and its editor.
    pub mapping: MappingEditor,
    /// What is collapsed follows the size on the screen.
    pub detail_by_size: bool,
    /// What the cut was last fitted to.
    detail_seen: Option<(Pose, Vec2)>,
    pub jobs: Jobs,
    /// What is known of functions from elsewhere.
    pub findings: Findings,
    watch: Option<Watch>,
    /// Where to look from once the landscape has its place.
    pub pose_to_restore: Option<Pose>,
    /// What was changed of what is shown, to be undone and done again.
    pub steps: Steps,
    /// Past places to look from.
    past_views: PastViews,
    /// What goes on on other threads.
    pub work: Work,
    pub viewport: Viewport,
    /// How two runs stand beside each other.
    pub runs_view: RunsView,
    clock: Clock,
    /// When the last frame was made, since the start.
    last_frame: Duration,
    was_moving: bool,
    /// How much time all frames together have taken.
    pub drawing: Duration,
    pub stamps: Stamps,
    /// What is asked of views, of one or of all that it concerns.
    pub view_asks: Vec<(Option<ViewId>, ViewAsk)>,
    /// What lies over the window where landscapes are, in physical pixels.
    pub covered: Covered,
    /// Where the camera is to fly as soon as the free area is known: what asked for the flight may have
    /// opened or closed a panel.
    flight_pending: Option<Made<Destination>>,
    /// The camera is to show everything as soon as the free area is known.
    home_pending: bool,
    /// The last view of everything: kept when the window changes its size.
    home: Option<Pose>,
    frames_to_fit: u8,
    damage_is_told: bool,
    pub wake: Box<dyn Fn() -> Box<dyn FnOnce() + Send>>,
}

impl State {
    /// Nothing open; the camera moves in the first of `views`. `wake` makes what a worker calls to have the window
    /// look for its outcome.
    pub fn new(views: Vec<ViewId>, wake: Box<dyn Fn() -> Box<dyn FnOnce() + Send>>) -> State {
        let nothing = callscape_look::pose::Bounds {
            min: glam::Vec3::ZERO,
            max: glam::Vec3::ONE,
        };
        State {
            document: None,
            replaced: None,
            panes: Panes::new(views),
            camera: CameraControl::new(nothing, 1.0, FreeArea::WINDOW),
            following: Following::default(),
            pointer: Pointer::default(),
            loading: None,
            growing: None,
            frequency_at_start: None,
            settings: LandscapeSettings::default(),
            quality: None,
            messages: Vec::new(),
            chapters: Vec::new(),
            to_edit: Vec::new(),
            search: Search::default(),
            cards: Cards {
                help: false,
                settings: false,
                legend: true,
                stacks: true,
                timings: false,
                minimap: true,
                steps: false,
                frequency: false,
            },
            question: Question::default(),
            walks: false,
            text_scale: 1.0,
            notice: None,
            mapping: MappingEditor::default(),
            detail_by_size: false,
            detail_seen: None,
            jobs: Jobs::default(),
            findings: Findings::default(),
            watch: None,
            pose_to_restore: None,
            steps: Steps::default(),
            past_views: PastViews::default(),
            work: Work::default(),
            viewport: Viewport {
                origin: Vec2::ZERO,
                size: Vec2::ONE,
                scale: 1.0,
                free: FreeArea::WINDOW,
            },
            runs_view: RunsView::default(),
            clock: Clock::Running(Instant::now()),
            last_frame: Duration::ZERO,
            was_moving: false,
            drawing: Duration::ZERO,
            stamps: Stamps::default(),
            view_asks: Vec::new(),
            covered: Covered::default(),
            flight_pending: None,
            home_pending: false,
            home: None,
            frames_to_fit: 0,
            damage_is_told: false,
            wake,
        }
    }

    /// Whether the pointer is drawing a range.
    pub fn draws_range(&self) -> bool {
        let document = self.document.as_ref();
        document.is_some_and(|it| it.before_drag.is_some())
    }

    /// Asks something of a view, or of all views that it concerns.
    pub fn ask_views(&mut self, view: Option<ViewId>, ask: ViewAsk) {
        self.view_asks.push((view, ask));
    }

    /// The panels leave `free` of a window of `size` pixels to the landscape.
    pub fn set_viewport(&mut self, viewport: Viewport) {
        let resized = viewport.size != self.viewport.size;
        if self.viewport.size == Vec2::ONE {
            // Where there is little room the landscape needs it.
            self.cards.stacks = viewport.size.x >= 900.0 && viewport.size.y >= 500.0;
        }
        self.viewport = viewport;
        let Some(document) = &self.document else {
            return;
        };
        // The panels take a frame or two to find their places in a window of another size.
        self.frames_to_fit = if resized || self.home_pending {
            3
        } else {
            self.frames_to_fit.saturating_sub(1)
        };
        let stays_home = self.frames_to_fit > 0 && self.home == Some(self.camera.pose());
        if self.home_pending || stays_home {
            let bounds = document.bounds();
            self.camera = CameraControl::new(bounds, viewport.aspect(), viewport.free);
            self.home = Some(self.camera.pose());
            if std::mem::take(&mut self.home_pending) {
                self.past_views = PastViews::default();
            }
            if let Some(pose) = self.pose_to_restore.take() {
                self.camera.look_from(pose);
            }
        }
        let aspect = viewport.aspect();
        let flight = self.flight_pending.take();
        match flight.and_then(|it| it.into(document.generation())) {
            Some(Destination::Home) => {
                self.camera.fly_home(aspect, viewport.free);
                self.home = self.camera.destination();
            }
            Some(Destination::Module(module)) => {
                if let Some(bounds) = document.bounds_of(module) {
                    self.camera.fly_to(&bounds, aspect, viewport.free);
                }
            }
            None => {}
        }
    }

    /// The landscape is not to be seen: nothing waits for its place.
    pub fn hide_viewport(&mut self) {
        self.frames_to_fit = 0;
        self.flight_pending = None;
    }

    /// Whether the next frame will differ from this one without any input.
    pub fn is_moving(&self) -> bool {
        let playback = self
            .document
            .as_ref()
            .and_then(|open| open.playback.as_ref());
        let is_playing = playback.is_some_and(|playback| playback.is_playing());
        let is_pending = self.flight_pending.is_some() || self.frames_to_fit > 0;
        let is_easing = self.document.as_ref().is_some_and(|it| it.city.is_moving());
        let is_easing = is_easing || self.panes.is_moving;
        let is_moving = self.camera.is_moving() || is_easing;
        is_moving || is_playing || is_pending || self.untold_damage().is_some()
    }

    /// The time since the window opened.
    pub fn now(&self) -> Duration {
        match self.clock {
            Clock::Running(started) => started.elapsed(),
            Clock::Told(now) => now,
        }
    }

    /// It is `now`, whatever clocks say, from now on until told otherwise: what moves does not depend on how fast the
    /// machine is.
    pub fn tell_time(&mut self, now: Duration) {
        self.clock = Clock::Told(now);
    }

    /// Shows a line for a while.
    pub fn tell_briefly(&mut self, line: String) {
        self.notice = Some((line, self.now() + NOTICE));
    }

    /// The line that is shown for a while, and for how long.
    pub fn notice(&self) -> Option<(&str, Duration)> {
        let (line, until) = self.notice.as_ref()?;
        let left = until.checked_sub(self.now())?;
        Some((line, left))
    }

    /// Begins a frame: the time that everything which moves goes on by.
    pub fn begin_frame(&mut self) -> Duration {
        let now = self.now();
        let since = now.saturating_sub(self.last_frame);
        // Motion that has just begun has nothing to catch up with.
        let most = match (&self.clock, self.was_moving) {
            (Clock::Told(_), _) => Duration::MAX,
            (Clock::Running(_), true) => Duration::from_millis(250),
            (Clock::Running(_), false) => Duration::from_millis(10),
        };
        self.last_frame = now;
        since.min(most)
    }

    /// Moves camera and playback on by the time since the last frame.
    pub fn advance(&mut self, since: Duration) {
        let now = self.now();
        let seconds = since.as_secs_f32();
        self.camera.advance(seconds);
        self.keep_camera_clear(seconds, now);
        if let Some(document) = &mut self.document {
            if let Some((playback, trace)) = document.playing() {
                playback.advance(now, trace);
            }
            let time = document
                .playback
                .as_ref()
                .map_or(Time::ZERO, |it| it.time());
            document.selection.time = time;
            if let Some(module) = self.following.next(document, now) {
                let to = Destination::Module(module);
                self.flight_pending = Some(Made::new(document.generation(), to));
            }
            document.city.advance(seconds);
            if self.panes.is_main_visible() {
                let (camera, size) = (self.camera.camera(), self.viewport.size);
                document.city.find_filling(&camera, size);
                document.city.part_arcs(&camera, size);
            }
            if let Some(beside) = &mut document.other_city {
                beside.advance(seconds);
            }
        }
        self.update_work();
        self.update_imports();
        self.update_question();
        self.fit_detail();
        self.tell_damage();
    }

    /// Ends a frame; `is_moving` says whether something goes on by itself.
    pub fn end_advance(&mut self, is_moving: bool) {
        self.was_moving = is_moving;
    }

    /// Flies, where it can be seen, as soon as it is known where that is.
    pub fn fly(&mut self, to: Destination) {
        let generation = self.document.as_ref().map(Document::generation);
        if let Some(of) = generation.filter(|_| self.panes.is_main_visible()) {
            self.leaves_for_elsewhere();
            self.flight_pending = Some(Made::new(of, to));
        }
    }

    /// Flies to a module, which opens the landscape where that is closed.
    pub fn fly_there(&mut self, module: ModuleId) {
        if self.document.is_some() {
            if !self.panes.is_main_visible() {
                self.panes.open_main();
            }
            self.fly(Destination::Module(module));
        }
    }

    /// What a worker calls to have the window look for its outcome.
    pub fn waker(&self) -> Box<dyn FnOnce() + Send> {
        (self.wake)()
    }
}

//! What the window holds and how commands change it: the open document, the camera, the panels' state.
//! Knows neither the window system nor the GPU.

mod commands;
mod looking;
mod on_sheets;
mod opening;
mod playing;
mod selecting;
mod structure;
mod tables;

pub use tables::ROW;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use glam::Vec2;

use super::camera::past::PastViews;
use super::camera::pose::{FreeArea, Pose};
use super::camera::{self, CameraControl};
use super::details::{FunctionNeighbours, Neighbours};
use super::dock::Dock;
use super::document::Document;
use super::following::Following;
use super::growing::Growing;
use super::history::{History, Place};
use super::loading::Loading;
use super::mapping::MappingEditor;
use super::pair::PairView;
use super::panels::RowsSeen;
use super::picture::PictureCard;
use super::pointer::Pointer;
use super::presenting::{Show, Talk};
use super::revision::Jobs;
use super::saved::SavedSession;
use super::watch::Watch;
use super::work::Work;
use crate::layout::labels::Covered;
use crate::model::calls::CallsOf;
use crate::model::landscape::LandscapeSettings;
use crate::render::renderer::Quality;
use crate::units::{ModuleId, Time};
use crate::views::table::ViewId;

/// Something to tell the user, until dismissed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub is_error: bool,
    /// Shown in full from the start, not as its title only.
    pub is_open: bool,
    pub title: String,
    pub lines: Vec<String>,
}

/// A short line is read in this time.
const NOTICE: Duration = Duration::from_millis(2500);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Destination {
    Home,
    Module(ModuleId),
}

/// The search field and its results.
#[derive(Clone, Debug, Default)]
pub struct Search {
    pub is_open: bool,
    /// The field is to have the keyboard from the next frame on.
    pub wants_focus: bool,
    pub query: String,
    pub results: Vec<ModuleId>,
    pub marked: usize,
    /// The mark moved in this frame, and has to stay in sight.
    pub mark_moved: bool,
}

/// Which panels are open.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    pub help: bool,
    pub settings: bool,
    pub legend: bool,
    pub stacks: bool,
    pub timings: bool,
    pub minimap: bool,
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

/// What says what time it is.
#[derive(Clone, Copy, Debug)]
enum Clock {
    /// Since then.
    Running(Instant),
    Told(Duration),
}

pub struct Workbench {
    pub document: Option<Document>,
    /// The open views.
    pub dock: Dock,
    pub camera: CameraControl,
    pub following: Following,
    pub pointer: Pointer,
    pub loading: Option<Loading>,
    /// Recordings are followed as they grow.
    pub growing: Option<Growing>,
    pub settings: LandscapeSettings,
    /// How finely the landscape is drawn; none: as suits the device.
    pub quality: Option<Quality>,
    pub messages: Vec<Message>,
    pub search: Search,
    pub shown: Shown,
    /// Callers and callees of the selected module.
    pub neighbours: Neighbours,
    /// Callers and callees of the selected function.
    pub function_neighbours: FunctionNeighbours,
    /// Rows of a table are being gone through: they are one step on the way back.
    walks: bool,
    /// Bookmarks and presentations.
    pub talk: Talk,
    /// Letters and lines are so many times as large as usual.
    pub text_scale: f32,
    /// Something short to tell, and until when.
    notice: Option<(String, Duration)>,
    /// Where one asks for a picture to be saved.
    pub picture: PictureCard,
    /// The landscape is to be copied to the clipboard as soon as it has been drawn well.
    pub wants_copy: bool,
    /// The mapping file and its editor.
    pub mapping: MappingEditor,
    /// What is collapsed follows the size on the screen.
    pub detail_by_size: bool,
    /// What the cut was last fitted to.
    pub(super) detail_seen: Option<(Pose, Vec2)>,
    pub jobs: Jobs,
    pub(super) watch: Option<Watch>,
    /// The file that the session was opened from.
    pub session_file: Option<PathBuf>,
    /// Where to bring what is being opened.
    to_restore: Option<SavedSession>,
    /// Where to look from once the landscape has its place.
    pose_to_restore: Option<Pose>,
    /// Past selections.
    pub history: History,
    /// Past places to look from.
    past_views: PastViews,
    /// What was selected when the pointer began to draw a range.
    before_drag: Option<Place>,
    /// The row of the function table that is to be brought into sight in the next frame.
    pub row_to_show: Option<usize>,
    /// The row of the list of calls that is to be brought into sight in the next frame.
    pub call_to_show: Option<usize>,
    /// Behind what the calls are listed.
    pub list_of: Option<CallsOf>,
    /// What goes on on other threads.
    pub work: Work,
    /// The view under the pointer in the last frame.
    pub view_pointed_at: Option<ViewId>,
    pub rows_seen: RowsSeen,
    /// Where the pointer is in that view, in physical pixels.
    pub sheet_pointer: Option<Vec2>,
    pub viewport: Viewport,
    /// How two runs stand beside each other.
    pub pair: PairView,
    /// The scene that is shown.
    pub show: Option<Show>,
    clock: Clock,
    /// When the last frame was made, since the start.
    last_frame: Duration,
    was_moving: bool,
    /// How much time all frames together have taken.
    pub drawing: Duration,
    /// The blocks are others than the renderer has.
    pub blocks_are_new: bool,
    /// The blocks have other colours than the renderer has.
    pub looks_are_new: bool,
    /// Something else is left of the recording than the renderer shows.
    pub left_is_new: bool,
    /// Other names are to be shown over the landscape than before.
    pub names_are_new: bool,
    /// What lies over the window where landscapes are, in physical pixels.
    pub cards: Covered,
    /// Where the camera is to fly as soon as the free area is known: what asked for the flight may have
    /// opened or closed a panel.
    flight_pending: Option<Destination>,
    /// The camera is to show everything as soon as the free area is known.
    home_pending: bool,
    /// The last view of everything: kept when the window changes its size.
    home: Option<Pose>,
    frames_to_fit: u8,
    damage_is_told: bool,
    pub wake: Box<dyn Fn() -> Box<dyn FnOnce() + Send>>,
}

impl Workbench {
    /// Nothing open. `wake` makes what a worker calls to have the window look for its outcome.
    pub fn new(wake: Box<dyn Fn() -> Box<dyn FnOnce() + Send>>) -> Workbench {
        let nothing = camera::pose::Bounds {
            min: glam::Vec3::ZERO,
            max: glam::Vec3::ONE,
        };
        Workbench {
            document: None,
            dock: Dock::default(),
            camera: CameraControl::new(nothing, 1.0, FreeArea::WINDOW),
            following: Following::default(),
            pointer: Pointer::default(),
            loading: None,
            growing: None,
            settings: LandscapeSettings::default(),
            quality: None,
            messages: Vec::new(),
            search: Search::default(),
            shown: Shown {
                help: false,
                settings: false,
                legend: true,
                stacks: true,
                timings: false,
                minimap: true,
            },
            neighbours: Neighbours::default(),
            function_neighbours: FunctionNeighbours::default(),
            walks: false,
            talk: Talk::default(),
            text_scale: 1.0,
            notice: None,
            picture: PictureCard::default(),
            wants_copy: false,
            mapping: MappingEditor::default(),
            detail_by_size: false,
            detail_seen: None,
            jobs: Jobs::default(),
            watch: None,
            session_file: None,
            to_restore: None,
            pose_to_restore: None,
            history: History::default(),
            past_views: PastViews::default(),
            before_drag: None,
            row_to_show: None,
            call_to_show: None,
            list_of: None,
            work: Work::default(),
            view_pointed_at: None,
            rows_seen: RowsSeen::default(),
            sheet_pointer: None,
            viewport: Viewport {
                origin: Vec2::ZERO,
                size: Vec2::ONE,
                scale: 1.0,
                free: FreeArea::WINDOW,
            },
            pair: PairView::default(),
            show: None,
            clock: Clock::Running(Instant::now()),
            last_frame: Duration::ZERO,
            was_moving: false,
            drawing: Duration::ZERO,
            blocks_are_new: false,
            looks_are_new: false,
            left_is_new: false,
            names_are_new: false,
            cards: Covered::default(),
            flight_pending: None,
            home_pending: false,
            home: None,
            frames_to_fit: 0,
            damage_is_told: false,
            wake,
        }
    }

    /// The panels leave `free` of a window of `size` pixels to the landscape.
    pub fn set_viewport(&mut self, viewport: Viewport) {
        let resized = viewport.size != self.viewport.size;
        if self.viewport.size == Vec2::ONE {
            // Where there is little room the landscape needs it.
            self.shown.stacks = viewport.size.x >= 900.0 && viewport.size.y >= 500.0;
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
        match self.flight_pending.take() {
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
        if let Some(mut show) = self.show.take() {
            if self.talk.live.as_ref().is_none_or(|live| !live.is_away) {
                show.look_where_it_is(self);
            }
            self.show = Some(show);
            self.note_script();
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
        let is_easing = self
            .document
            .as_ref()
            .is_some_and(|it| it.landscape.is_moving());
        let is_shown = self.show_is_moving();
        let is_easing = is_easing || self.dock.is_moving();
        let is_moving = self.camera.is_moving() || is_easing || is_shown;
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

    /// Moves camera and playback on to now.
    pub fn advance(&mut self) {
        let now = self.now();
        let since = now.saturating_sub(self.last_frame);
        // Motion that has just begun has nothing to catch up with.
        let most = match (&self.clock, self.was_moving) {
            (Clock::Told(_), _) => Duration::MAX,
            (Clock::Running(_), true) => Duration::from_millis(250),
            (Clock::Running(_), false) => Duration::from_millis(10),
        };
        let since = since.min(most);
        let seconds = since.as_secs_f32();
        self.last_frame = now;
        self.advance_show(since.as_secs_f64());
        self.dock.advance(seconds);
        self.camera.advance(seconds);
        self.keep_camera_clear(seconds, now);
        self.note_script();
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
                self.flight_pending = Some(Destination::Module(module));
            }
            document.landscape.advance(seconds);
            if self.dock.is_visible(ViewId::Landscape) {
                let (camera, size) = (self.camera.camera(), self.viewport.size);
                document.landscape.find_filling(&camera, size);
            }
            if let Some(beside) = &mut document.beside {
                beside.advance(seconds);
            }
        }
        self.update_work();
        self.update_differences();
        self.fit_detail();
        self.tell_damage();
        self.record();
        self.was_moving = self.is_moving();
    }

    /// Flies, where it can be seen, as soon as it is known where that is.
    fn fly(&mut self, to: Destination) {
        if self.dock.is_visible(ViewId::Landscape) && self.document.is_some() {
            self.flight_pending = Some(to);
        }
    }

    /// Flies to a module, which opens the landscape where that is closed.
    fn fly_there(&mut self, module: ModuleId) {
        if self.document.is_some() {
            if !self.dock.is_visible(ViewId::Landscape) {
                self.dock.open(ViewId::Landscape);
            }
            self.fly(Destination::Module(module));
        }
    }

    /// What a worker calls to have the window look for its outcome.
    pub(super) fn waker(&self) -> Box<dyn FnOnce() + Send> {
        (self.wake)()
    }
}

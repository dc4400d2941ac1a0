//! What the window holds and how commands change it: the open document, the camera, the panels' state.
//! Knows neither the window system nor the GPU.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use glam::Vec2;

use super::camera::pose::{FreeArea, Pose};
use super::camera::{self, CameraControl};
use super::command::{CallWalk, Command, SheetKey};
use super::details::Neighbours;
use super::dock::Dock;
use super::document::{Document, dropped};
use super::following::Following;
use super::growing::{self, Growing};
use super::history::{History, Place};
use super::job::Job;
use super::loading::{Loading, Outcome};
use super::mapping::MappingEditor;
use super::pointer::Pointer;
use super::revision::Jobs;
use super::saved::{SavedSession, is_session_file};
use super::sheets::SheetAction;
use super::watch::Watch;
use super::work::Work;
use crate::analysis::session::Inputs;
use crate::facts::hierarchy::Hierarchy;
use crate::filter::filters::{FilterStep, Filters};
use crate::filter::selection::{CallOf, Pointed, Selection};
use crate::progress::Progress;
use crate::render::theme::Theme;
use crate::units::{Cost, FunctionId, ModuleId, Time, TimeRange};
use crate::views::calls::CallsOf;
use crate::views::flame::navigate;
use crate::views::landscape::LandscapeSettings;
use crate::views::search::search;
use crate::views::table::ViewId;

/// More modules are laid out on another thread: it takes longer than a frame may.
const MOST_AT_ONCE: usize = 60_000;

/// Search shows no more results than one reads.
const MAX_RESULTS: usize = 50;

/// Something to tell the user, until dismissed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub is_error: bool,
    /// Shown in full from the start, not as its title only.
    pub is_open: bool,
    pub title: String,
    pub lines: Vec<String>,
}

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
}

/// Where in the window the landscape is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Viewport {
    /// Its top left corner in the window, in physical pixels.
    pub origin: Vec2,
    /// In physical pixels.
    pub size: Vec2,
    pub free: FreeArea,
}

impl Viewport {
    pub fn aspect(&self) -> f32 {
        self.size.x.max(1.0) / self.size.y.max(1.0)
    }
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
    pub messages: Vec<Message>,
    pub search: Search,
    pub shown: Shown,
    /// Callers and callees of the selected module.
    pub neighbours: Neighbours,
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
    /// What was selected when the pointer began to draw a range.
    before_drag: Option<Place>,
    /// The function whose row is to be brought into sight in the next frame.
    pub function_to_show: Option<FunctionId>,
    /// The row of the list of calls that is to be brought into sight in the next frame.
    pub call_to_show: Option<usize>,
    /// Behind what the calls are listed.
    pub list_of: Option<CallsOf>,
    /// What goes on on other threads.
    pub work: Work,
    /// The view under the pointer in the last frame.
    pub view_pointed_at: Option<ViewId>,
    /// Where the pointer is in that view, in physical pixels.
    pub sheet_pointer: Option<Vec2>,
    pub viewport: Viewport,
    started: Instant,
    /// When the last frame was made, since the start.
    last_frame: Duration,
    was_moving: bool,
    /// How much time all frames together have taken.
    pub drawing: Duration,
    /// The blocks are others than the renderer has.
    pub blocks_are_new: bool,
    /// Something else is left of the recording than the renderer shows.
    pub left_is_new: bool,
    /// Other names are to be shown over the landscape than before.
    pub names_are_new: bool,
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
            messages: Vec::new(),
            search: Search::default(),
            shown: Shown {
                help: false,
                settings: false,
                legend: true,
                stacks: true,
                timings: false,
            },
            neighbours: Neighbours::default(),
            mapping: MappingEditor::default(),
            detail_by_size: false,
            detail_seen: None,
            jobs: Jobs::default(),
            watch: None,
            session_file: None,
            to_restore: None,
            pose_to_restore: None,
            history: History::default(),
            before_drag: None,
            function_to_show: None,
            call_to_show: None,
            list_of: None,
            work: Work::default(),
            view_pointed_at: None,
            sheet_pointer: None,
            viewport: Viewport {
                origin: Vec2::ZERO,
                size: Vec2::ONE,
                free: FreeArea::WINDOW,
            },
            started: Instant::now(),
            last_frame: Duration::ZERO,
            was_moving: false,
            drawing: Duration::ZERO,
            blocks_are_new: false,
            left_is_new: false,
            names_are_new: false,
            flight_pending: None,
            home_pending: false,
            home: None,
            frames_to_fit: 0,
            damage_is_told: false,
            wake,
        }
    }

    /// Opens the session that a file keeps.
    pub fn open_session(&mut self, path: PathBuf) {
        let saved = match SavedSession::read(&path) {
            Ok(saved) => saved,
            Err(error) => {
                self.messages.push(Message {
                    is_error: true,
                    is_open: true,
                    title: "The session could not be opened".to_owned(),
                    lines: vec![format!("{error:#}")],
                });
                return;
            }
        };
        let (inputs, missing) = saved.inputs(&path);
        if !missing.is_empty() {
            self.messages.push(Message {
                is_error: true,
                is_open: true,
                title: "Parts of the session are missing".to_owned(),
                lines: missing
                    .iter()
                    .map(|path| path.display().to_string())
                    .collect(),
            });
        }
        if saved.has_inputs() && inputs == Inputs::default() {
            // Nothing of it is left: the demo would not be what was asked for.
            return;
        }
        self.open(inputs);
        self.session_file = Some(path);
        self.to_restore = Some(saved);
    }

    pub fn open(&mut self, inputs: Inputs) {
        self.session_file = None;
        self.to_restore = None;
        if let Some(loading) = self.loading.take() {
            loading.progress.cancel();
        }
        if let Some(growing) = &mut self.growing {
            growing.opening(&inputs);
        }
        let map = self.usable_map();
        self.loading = Some(Loading::start(inputs, map, self.settings, (self.wake)()));
    }

    /// What is still to be told of damage that answers have met with; told once for each document.
    fn untold_damage(&self) -> Option<String> {
        if self.damage_is_told {
            return None;
        }
        let resolved = self.document.as_ref().and_then(Document::resolved)?;
        resolved.recording.damage()
    }

    fn tell_damage(&mut self) {
        if let Some(damage) = self.untold_damage() {
            self.damage_is_told = true;
            self.messages.push(Message {
                is_error: true,
                is_open: true,
                title: "Parts of the recording are missing".to_owned(),
                lines: vec![damage],
            });
        }
    }

    /// Takes what the worker has finished; whether there was something.
    pub fn poll_loading(&mut self) -> bool {
        let outcome = self.loading.as_ref().and_then(Loading::poll);
        let Some(outcome) = outcome else {
            self.poll_growing();
            return false;
        };
        let name = self.loading.take().map(|loading| loading.name);
        match outcome {
            Outcome::Opened(document) => self.show(*document),
            Outcome::Cancelled => {}
            Outcome::Failed(reason) => self.messages.push(Message {
                is_error: true,
                is_open: true,
                title: format!("{} could not be opened", name.unwrap_or_default()),
                lines: vec![reason],
            }),
        }
        true
    }

    /// Takes what was read anew of recordings that grow.
    fn poll_growing(&mut self) {
        let Some(news) = self.growing.as_mut().and_then(Growing::poll) else {
            return;
        };
        let Some(mut document) = news else {
            self.watch();
            return;
        };
        if let Some(old) = &self.document {
            growing::carry_over(old, &mut document, self.now());
        }
        growing::forget_the_end(&mut document);
        self.search.results.clear();
        self.history = History::default();
        self.blocks_are_new = true;
        self.document = Some(*document);
        self.list_of = None;
        self.work = Work::default();
        self.show_chosen();
        self.watch();
    }

    /// Waits for what is open to grow, where it is followed.
    fn watch(&mut self) {
        if let (Some(growing), Some(document)) = (&mut self.growing, &self.document) {
            let map = document.map.clone();
            growing.watch(&document.inputs, map, self.settings, (self.wake)());
        }
    }

    fn show(&mut self, mut document: Document) {
        if self.growing.is_some() {
            growing::forget_the_end(&mut document);
        }
        self.settings.half_life = document.settings.half_life;
        let restored = self.to_restore.take();
        let lost = restored.as_ref().map(|saved| saved.restore(&mut document));
        // Other settings may have been chosen while it was loading.
        if document.settings != self.settings {
            document.lay_out(&self.settings);
        }
        self.messages.retain(|message| message.is_error);
        self.messages.extend(notes(&document));
        self.search = Search::default();
        self.neighbours = Neighbours::default();
        self.history = History::default();
        self.list_of = None;
        self.work = Work::default();
        self.blocks_are_new = true;
        self.home_pending = true;
        self.damage_is_told = false;
        self.jobs = Jobs::default();
        self.detail_seen = None;
        let base = Arc::clone(&document.base);
        self.document = Some(document);
        self.watch();
        self.mapping.find_out(&base, (self.wake)());
        self.watch_again();
        self.ask_history();
        if let Some(saved) = restored {
            self.restore(&saved, lost.unwrap_or_default());
        }
    }

    /// Brings what is not the document's to where a saved session has it.
    fn restore(&mut self, saved: &SavedSession, lost: usize) {
        let (dock, unknown) = Dock::arranged(&saved.views);
        self.dock = dock;
        self.pose_to_restore = saved.pose();
        if lost + unknown.len() > 0 {
            self.messages.push(Message {
                is_error: true,
                is_open: false,
                title: "Parts of the session are no longer there".to_owned(),
                lines: vec![format!(
                    "{} names mean nothing now and are left out",
                    lost + unknown.len()
                )],
            });
        }
        // What is collapsed decides the layout.
        self.lay_out();
        self.execute(Command::Seek(saved.time()));
        self.list_of = self
            .document
            .as_ref()
            .and_then(|open| CallsOf::chosen(&open.selection.chosen));
        self.left_is_new = true;
        self.show_chosen();
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
            self.home_pending = false;
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
        let is_moving = self.camera.is_moving() || is_easing;
        is_moving || is_playing || is_pending || self.untold_damage().is_some()
    }

    /// The time since the window opened.
    pub fn now(&self) -> Duration {
        self.started.elapsed()
    }

    /// Moves camera and playback on to now.
    pub fn advance(&mut self) {
        let now = self.now();
        let since = now.saturating_sub(self.last_frame).as_secs_f32();
        // Motion that has just begun has nothing to catch up with.
        let seconds = since.min(if self.was_moving { 0.25 } else { 0.01 });
        self.last_frame = now;
        self.camera.advance(seconds);
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
            self.blocks_are_new |= document.landscape.advance(seconds);
        }
        self.update_work();
        self.fit_detail();
        self.tell_damage();
        self.was_moving = self.is_moving();
    }

    pub fn execute(&mut self, command: Command) {
        match command {
            Command::Open(paths) => {
                if let Some(path) = paths.iter().find(|path| is_session_file(path)) {
                    return self.open_session(path.clone());
                }
                let open = self.document.as_ref().map(|document| &document.inputs);
                self.open(dropped(open, &paths));
            }
            Command::SaveSession => {
                let (is_error, title, line) = match self.save_session() {
                    Ok(path) => (false, "The session is saved", path.display().to_string()),
                    Err(error) => (true, "The session could not be saved", format!("{error:#}")),
                };
                self.messages.push(Message {
                    is_error,
                    is_open: true,
                    title: title.to_owned(),
                    lines: vec![line],
                });
            }
            Command::CancelLoading => {
                if let Some(loading) = &self.loading {
                    loading.progress.cancel();
                }
            }
            Command::DismissMessage(index) => {
                if index < self.messages.len() {
                    self.messages.remove(index);
                }
            }
            Command::ToggleView(view) => self.toggle_view(view),
            Command::Maximise(view) => {
                let view = view.or(self.dock.maximised()).or(self.view_pointed_at);
                self.dock.maximise(view.unwrap_or(ViewId::Landscape));
            }
            Command::ResetViews => self.dock = Dock::default(),
            Command::Sheet(view, action) => self.act_on_sheet(view, action),
            Command::SheetUnderPointer(key) => self.press_on_sheet(key),
            Command::GoToCall(walk) => self.go_to_call(walk),
            Command::Choose(pointed) => self.choose(pointed),
            Command::Select(module) => self.choose(Pointed::at_module(module)),
            Command::SetRange(range) => self.set_range(range),
            Command::DragRange(range) => {
                if self.before_drag.is_none() {
                    let open = self.document.as_ref();
                    self.before_drag = open.map(|open| Place::of(&open.selection));
                }
                self.limit(Some(range));
            }
            Command::EndRangeDrag => {
                if let Some(place) = self.before_drag.take() {
                    self.history.leave(place);
                }
            }
            Command::StartRangeHere | Command::EndRangeHere => self.move_range(&command),
            Command::Back => self.go(History::back),
            Command::Forward => self.go(History::forward),
            Command::SearchFunctions(query) => {
                if let Some((table, session)) = self.document.as_mut().and_then(Document::table) {
                    table.search(session, query);
                }
            }
            Command::ChooseListed(pointed) => {
                let list_of = self.list_of;
                self.choose(pointed);
                self.list_of = list_of;
                if let Some(call) = pointed.call {
                    self.act_on_sheet(ViewId::Flame, SheetAction::Reveal(call));
                }
            }
            Command::SortCalls(column) => {
                if let (Some(open), Some(list)) = (&self.document, &mut self.work.calls) {
                    let recording = open.recording();
                    Arc::make_mut(list).sort_by(&open.session, recording, column);
                }
            }
            Command::ExportCalls => self.export_calls(),
            Command::CancelCounting => {
                self.work.counting = None;
                self.work.counting_is_stopped = true;
            }
            Command::CancelListing => self.work.listing = None,
            Command::Filter(step) => self.filter(|filters| filters.add(step)),
            Command::RemoveModule | Command::RemoveBelow | Command::HideThread => {
                self.leave_out(&command);
            }
            Command::RemoveFilter(index) => self.filter(|filters| filters.remove(index)),
            Command::UndoFilter => self.filter(Filters::undo),
            Command::RedoFilter => self.filter(Filters::redo),
            Command::SortFunctions(column) => {
                if let Some((table, session)) = self.document.as_mut().and_then(Document::table) {
                    table.sort_by(session, column);
                }
            }
            Command::FlyTo(module) => self.fly(Destination::Module(module)),
            Command::FlyToSelection => {
                let selection = self.document.as_ref().map(|open| &open.selection);
                if let Some(module) =
                    selection.and_then(|it| it.chosen.module.or(it.pointed.module))
                {
                    self.fly(Destination::Module(module));
                }
            }
            Command::FlyHome if self.sheet_pointed_at().is_some() => {
                if let Some(view) = self.sheet_pointed_at() {
                    self.act_on_sheet(view, SheetAction::ShowAll);
                }
            }
            Command::FlyHome => self.fly(Destination::Home),
            Command::OrbitOrFly => self.camera.toggle_mode(),
            Command::CollapseOrExpand(module) => self.collapse_or_expand(module),
            Command::ExpandWhole(_)
            | Command::ExpandAll
            | Command::ChangeLevel(_)
            | Command::SetLevel(_)
            | Command::ToggleDetailBySize => self.change_cut(&command),
            Command::ToggleMapping
            | Command::EditMapping(_)
            | Command::NameMapping(_)
            | Command::SaveMapping
            | Command::UseNoMapping => self.edit_mapping(command),
            Command::CancelJobs => self.jobs = Jobs::default(),
            Command::Search(query) => self.search_for(query),
            Command::OpenSearch => {
                self.search.is_open = true;
                self.search.wants_focus = true;
            }
            Command::MoveInResults(by) => {
                let last = self.search.results.len().saturating_sub(1);
                let marked = self.search.marked.saturating_add_signed(by as isize);
                self.search.marked = marked.min(last);
                self.search.mark_moved = true;
            }
            Command::TakeResult(index) => {
                let index = index.unwrap_or(self.search.marked);
                if let Some(&module) = self.search.results.get(index) {
                    self.close_search();
                    self.choose(Pointed::at_module(Some(module)));
                    self.fly(Destination::Module(module));
                }
            }
            Command::Configure(settings) => self.configure(settings),
            Command::SwitchTheme => self.configure(LandscapeSettings {
                theme: match self.settings.theme {
                    Theme::Light => Theme::Dark,
                    Theme::Dark => Theme::Light,
                },
                ..self.settings
            }),
            Command::ToggleFollowing => self.following.toggle(),
            Command::ToggleHelp => self.shown.help ^= true,
            Command::ToggleSettings => self.shown.settings ^= true,
            Command::ToggleLegend => self.shown.legend ^= true,
            Command::ToggleStacks => self.shown.stacks ^= true,
            Command::ToggleTimings => self.shown.timings ^= true,
            Command::Escape => self.escape(),
            Command::PlayOrPause
            | Command::PlayBackward
            | Command::StepCall(..)
            | Command::ToCel(_)
            | Command::SetStride(_)
            | Command::ToggleSummary
            | Command::ToggleSkipIdle
            | Command::Step(_)
            | Command::Seek(_)
            | Command::ToStart
            | Command::ToEnd
            | Command::SetSpeed(_)
            | Command::ScaleSpeed(_)
            | Command::SetClock(_)
            | Command::SetStep(_)
            | Command::ToggleLoop => self.control_playback(command),
        }
    }

    fn control_playback(&mut self, command: Command) {
        let now = self.now();
        let thread = self.document.as_ref().and_then(Document::stepping_thread);
        let Some((playback, trace)) = self.document.as_mut().and_then(Document::playing) else {
            return;
        };
        match command {
            Command::PlayOrPause if playback.is_playing() => playback.pause(),
            Command::PlayOrPause => {
                playback.reverse(false, now, trace);
                playback.play(now, trace);
            }
            Command::PlayBackward if playback.is_playing() && playback.is_backward() => {
                playback.pause();
            }
            Command::PlayBackward => {
                playback.reverse(true, now, trace);
                playback.play(now, trace);
            }
            Command::StepCall(by, forward) => {
                if let Some(thread) = thread {
                    playback.step_call(by, forward, thread, trace);
                }
            }
            Command::ToCel(number) => {
                playback.pause();
                playback.seek(playback.end_of_cel(number, trace), now, trace);
            }
            Command::SetStride(cels) => playback.stride = cels.max(1),
            Command::ToggleSummary => {
                playback.pause();
                playback.summary ^= true;
            }
            Command::ToggleSkipIdle => playback.skips_idle ^= true,
            Command::Step(cels) => playback.step(cels, trace),
            Command::Seek(time) => playback.seek(time, now, trace),
            Command::ToStart => playback.seek(Time::ZERO, now, trace),
            Command::ToEnd => playback.seek(Time::MAX, now, trace),
            Command::SetSpeed(speed) => playback.set_speed(speed, now, trace),
            Command::ScaleSpeed(by) => playback.set_speed(playback.speed() * by, now, trace),
            Command::SetClock(clock) => playback.set_clock(clock, now, trace),
            Command::SetStep(step) => playback.step = step,
            Command::ToggleLoop => playback.looping ^= true,
            _ => {}
        }
    }

    /// Flies, where it can be seen, as soon as it is known where that is.
    fn fly(&mut self, to: Destination) {
        if self.dock.is_visible(ViewId::Landscape) {
            self.flight_pending = Some(to);
        }
    }

    /// Whether a sheet that can be seen is still being worked out.
    pub fn sheets_wait(&self) -> bool {
        let Some(document) = &self.document else {
            return false;
        };
        let Some(sheets) = &document.sheets else {
            return false;
        };
        let mut views = ViewId::ALL.into_iter();
        views.any(|view| self.dock.is_visible(view) && sheets.is_waiting(&document.session, view))
    }

    /// The view under the pointer if it draws on a sheet.
    pub fn sheet_pointed_at(&self) -> Option<ViewId> {
        let sheets = self.document.as_ref()?.sheets.as_ref()?;
        let view = self.view_pointed_at?;
        sheets.visible(view).map(|_| view)
    }

    fn act_on_sheet(&mut self, view: ViewId, action: SheetAction) {
        let Some(document) = &mut self.document else {
            return;
        };
        let all = document.resolved().map(|it| it.recording.trace.range());
        let all = document.selection.range.or(all);
        if let (Some(sheets), Some(all)) = (&mut document.sheets, all) {
            sheets.act(&document.session, view, action, all);
        }
    }

    fn press_on_sheet(&mut self, key: SheetKey) {
        let (Some(view), Some(at)) = (self.sheet_pointed_at(), self.sheet_pointer) else {
            return;
        };
        let width = self.dock.place(view).map_or(0.0, |place| place.width());
        self.act_on_sheet(
            view,
            match key {
                SheetKey::Zoom(factor) => SheetAction::Zoom {
                    at,
                    factor: Vec2::new(factor, 1.0),
                },
                SheetKey::Pan(share) => SheetAction::Pan(Vec2::new(share * width, 0.0)),
            },
        );
    }

    /// Chooses another call, moves the clock to its start and shows it.
    fn go_to_call(&mut self, walk: CallWalk) {
        let Some((document, resolved)) = self
            .document
            .as_ref()
            .and_then(|open| Some((open, open.resolved()?)))
        else {
            return;
        };
        let trace = &resolved.recording.trace;
        let (chosen, time) = (document.selection.chosen, document.selection.time);
        let from = chosen.call.filter(|&of| navigate::exists(trace, of));
        let of_function = |next: bool| {
            let function = chosen.function?;
            let found = if next {
                trace.next_call(function, time)
            } else {
                trace.previous_call(function, time)
            };
            found.map(|(thread, call)| CallOf { thread, call })
        };
        let to = match (walk, from) {
            (CallWalk::NextOfFunction, Some(of)) => navigate::next_of_function(trace, of),
            (CallWalk::PreviousOfFunction, Some(of)) => navigate::previous_of_function(trace, of),
            (CallWalk::NextOfFunction, None) => of_function(true),
            (CallWalk::PreviousOfFunction, None) => of_function(false),
            (CallWalk::Caller, Some(of)) => navigate::caller(trace, of),
            (CallWalk::FirstChild, Some(of)) => navigate::first_child(trace, of),
            (CallWalk::LongestChild, Some(of)) => navigate::longest_child(trace, of),
            (CallWalk::Fit, of) => of,
            (_, None) => None,
        };
        let Some(to) = to else {
            return;
        };
        let call = trace.call(to.thread, to.call);
        let pointed = Pointed {
            function: Some(call.function),
            call: Some(to),
            thread: Some(to.thread),
            time: Some(call.start),
            ..Pointed::default()
        };
        self.choose(pointed);
        if walk == CallWalk::Fit {
            self.act_on_sheet(ViewId::Flame, SheetAction::Fit(to));
        } else {
            self.execute(Command::Seek(call.start));
            self.act_on_sheet(ViewId::Flame, SheetAction::Reveal(to));
        }
    }

    fn toggle_view(&mut self, view: ViewId) {
        let can_show = self.document.as_ref().is_none_or(|it| it.can_show(view));
        if can_show || self.dock.is_visible(view) {
            self.dock.toggle(view);
        }
    }

    /// Chooses what `pointed` names, and remembers what was chosen before.
    fn choose(&mut self, pointed: Pointed) {
        let Some(document) = &mut self.document else {
            return;
        };
        let chosen = document.complete(pointed);
        let before = Place::of(&document.selection);
        if chosen != before.chosen {
            // The same at another time is no other place to go back to.
            let time = chosen.time;
            if chosen
                != (Pointed {
                    time,
                    ..before.chosen
                })
            {
                self.history.leave(before);
            }
            document.selection.chosen = chosen;
            self.list_of = CallsOf::chosen(&chosen);
            // The calls behind an arc are what one clicks it for.
            if chosen.relation.is_some() && document.can_show(ViewId::Calls) {
                self.dock.open(ViewId::Calls);
            }
            self.show_chosen();
        }
    }

    /// Limits every view to a range, and remembers what was shown before.
    fn set_range(&mut self, range: Option<TimeRange>) {
        let before = self
            .document
            .as_ref()
            .map(|open| Place::of(&open.selection));
        if self.limit(range) {
            before
                .into_iter()
                .for_each(|place| self.history.leave(place));
        }
    }

    /// Limits every view to a range; whether it is another than before.
    fn limit(&mut self, range: Option<TimeRange>) -> bool {
        let Some(document) = &mut self.document else {
            return false;
        };
        let whole = document.resolved().map(|it| it.recording.trace.range());
        // A range without length shows nothing, and one past the ends no more than the whole.
        let range = range.zip(whole).and_then(|(range, whole)| {
            let range = TimeRange::new(
                range.start.clamp(whole.start, whole.end),
                range.end.clamp(whole.start, whole.end),
            );
            (range.length() > Cost::ZERO && range != whole).then_some(range)
        });
        let is_other = range != document.selection.range;
        if is_other {
            let filters = document.filters.clone();
            document.limit(range, filters);
            self.left_is_new = true;
            self.outdate_count();
            self.show_chosen();
        }
        is_other
    }

    /// Changes what is left out.
    fn filter(&mut self, change: impl FnOnce(&mut Filters)) {
        let Some(document) = &mut self.document else {
            return;
        };
        let mut filters = document.filters.clone();
        change(&mut filters);
        if filters != document.filters {
            document.limit(document.selection.range, filters);
            self.left_is_new = true;
            self.outdate_count();
            self.show_chosen();
        }
    }

    /// Leaves out what is chosen or pointed at. Not the root: nothing would be left.
    fn leave_out(&mut self, command: &Command) {
        let Some(document) = self.document.as_ref().filter(|it| it.playback.is_some()) else {
            return;
        };
        let Selection {
            chosen, pointed, ..
        } = &document.selection;
        let module = chosen.module.or(pointed.module);
        let module = module.filter(|&module| module != ModuleId::ROOT);
        let thread = pointed.thread.or(chosen.thread);
        let step = match command {
            Command::RemoveModule => module.map(FilterStep::RemoveModule),
            Command::RemoveBelow => module.map(FilterStep::RemoveBelow),
            _ => thread.map(FilterStep::HideThread),
        };
        if let Some(step) = step {
            self.filter(|filters| filters.add(step));
        }
    }

    /// Moves an end of the range to the time shown; the other end stays, or is the recording's.
    fn move_range(&mut self, command: &Command) {
        let Some((document, whole)) = self.document.as_ref().and_then(|document| {
            let whole = document.resolved()?.recording.trace.range();
            Some((document, whole))
        }) else {
            return;
        };
        let time = document.selection.time;
        let range = document.selection.range.unwrap_or(whole);
        let range = match command {
            Command::StartRangeHere if time < range.end => TimeRange::new(time, range.end),
            Command::StartRangeHere => TimeRange::new(time, whole.end),
            _ if time > range.start => TimeRange::new(range.start, time),
            _ => TimeRange::new(whole.start, time),
        };
        self.set_range(Some(range));
    }

    /// Goes to another place in the history.
    fn go(&mut self, to: fn(&mut History, Place) -> Option<Place>) {
        let Some(document) = &mut self.document else {
            return;
        };
        let now = Place::of(&document.selection);
        if let Some(place) = to(&mut self.history, now) {
            document.selection.chosen = place.chosen;
            self.list_of = CallsOf::chosen(&place.chosen);
            self.limit(place.range);
            self.show_chosen();
        }
    }

    /// Brings up to date what is shown of the chosen.
    pub fn show_chosen(&mut self) {
        let Some(document) = &self.document else {
            return;
        };
        let chosen = document.selection.chosen;
        self.function_to_show = chosen.function;
        self.show_call();
        let Some(document) = &self.document else {
            return;
        };
        self.neighbours = match chosen.module {
            Some(module) => document
                .calls
                .neighbours(&document.session.hierarchy, module),
            None => Neighbours::default(),
        };
    }

    fn configure(&mut self, settings: LandscapeSettings) {
        self.settings = settings;
        self.lay_out();
        self.ask_history();
    }

    fn collapse_or_expand(&mut self, module: Option<ModuleId>) {
        let Some(document) = &mut self.document else {
            return;
        };
        let selection = &document.selection;
        let module = module
            .or(selection.chosen.module)
            .or(selection.pointed.module);
        let hierarchy = &document.session.hierarchy;
        let Some(module) = module.and_then(|module| collapsible(hierarchy, module)) else {
            return;
        };
        document.cut.toggle(module);
        self.detail_by_size = false;
        self.lay_out();
        self.choose(Pointed::at_module(Some(module)));
    }

    /// Lays the landscape out anew, a large one on another thread.
    pub(super) fn lay_out(&mut self) {
        let Some(document) = &mut self.document else {
            return;
        };
        if document.session.hierarchy.len() > MOST_AT_ONCE {
            let lay_out = document.relayout(self.settings);
            let work = move |progress: &Progress| {
                progress.start("laying out", 0);
                Ok(lay_out())
            };
            self.jobs.laying_out = Some(Job::start((self.wake)(), work));
            return;
        }
        self.jobs.laying_out = None;
        document.lay_out(&self.settings);
        self.blocks_moved();
    }

    /// The landscape has other blocks.
    pub(super) fn blocks_moved(&mut self) {
        if let Some(document) = &self.document {
            self.camera.set_bounds(document.bounds());
            self.blocks_are_new = true;
        }
    }

    /// Past selections and results speak of modules that are others now.
    pub(super) fn forget_places(&mut self) {
        self.history = History::default();
        self.before_drag = None;
        self.search.results.clear();
        self.show_chosen();
    }

    /// What a worker calls to have the window look for its outcome.
    pub(super) fn waker(&self) -> Box<dyn FnOnce() + Send> {
        (self.wake)()
    }

    fn search_for(&mut self, query: String) {
        let hierarchy = self.document.as_ref().map(|open| &open.session.hierarchy);
        self.search.results = match hierarchy {
            Some(hierarchy) => search(hierarchy, &query, MAX_RESULTS),
            None => Vec::new(),
        };
        self.names_are_new = true;
        self.search.query = query;
        self.search.marked = 0;
        self.search.is_open = true;
    }

    /// Closes the list of results; the query stays for the next time.
    pub fn close_search(&mut self) {
        self.names_are_new |= self.search.is_open;
        self.search.is_open = false;
    }

    fn escape(&mut self) {
        let selection = self.document.as_ref().map(|open| &open.selection);
        let is_selected = selection.is_some_and(|it| it.chosen != Pointed::default());
        let is_limited = selection.is_some_and(|it| it.range.is_some());
        if let Some(loading) = &self.loading {
            loading.progress.cancel();
        } else if self.shown.help {
            self.shown.help = false;
        } else if self.search.is_open {
            self.search = Search::default();
            self.names_are_new = true;
        } else if self.shown.settings {
            self.shown.settings = false;
        } else if self.mapping.is_open {
            self.mapping.is_open = false;
        } else if self.camera.destination().is_some() {
            self.camera.stop();
        } else if let Some(view) = self.dock.maximised() {
            self.dock.maximise(view);
        } else if is_selected {
            self.choose(Pointed::default());
        } else if is_limited {
            self.set_range(None);
        } else {
            self.messages.clear();
        }
    }
}

/// The module to collapse for `module`: itself, or its parent when it has nothing to collapse. Not the
/// root: nothing would be left to see.
fn collapsible(hierarchy: &Hierarchy, module: ModuleId) -> Option<ModuleId> {
    let module = if hierarchy.is_leaf(module) {
        hierarchy.parent(module)?
    } else {
        module
    };
    (module != ModuleId::ROOT).then_some(module)
}

/// What the user should know about what was opened.
fn notes(document: &Document) -> Vec<Message> {
    let mut notes = Vec::new();
    let mut note = |is_open: bool, title: String, lines: Vec<String>| {
        notes.push(Message {
            is_error: false,
            is_open,
            title,
            lines,
        });
    };
    let warnings: Vec<String> = document.warnings().map(ToString::to_string).collect();
    if !warnings.is_empty() {
        note(
            false,
            "Repaired or left out while reading".to_owned(),
            warnings,
        );
    }
    let Some(resolved) = document.resolved() else {
        return notes;
    };
    let functions = resolved.recording.functions.len();
    let found = resolved.resolution.found();
    if document.inputs.source_dir.is_some() && functions > 0 && found == 0 {
        let line = format!(
            "None of the {functions} functions of {} was found in the source tree. They stand in the \
             district of external functions.",
            resolved.recording.name()
        );
        note(
            true,
            "Source tree and recording do not match".to_owned(),
            vec![line],
        );
    }
    if resolved.recording.profile.is_none() && resolved.recording.trace.calls() == 0 {
        let line = format!("{} holds no calls.", resolved.recording.name());
        note(true, "Nothing to play".to_owned(), vec![line]);
    }
    if document.session.recordings.len() > 1 {
        let line = format!("{} is shown.", resolved.recording.name());
        note(
            false,
            format!("{} recordings are open", document.session.recordings.len()),
            vec![line],
        );
    }
    notes
}

//! The window and its event loop. A frame is drawn when something changed and never otherwise.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Context;
use glam::Vec2;
use winit::application::ApplicationHandler;
use winit::dpi::LogicalSize;
use winit::event::{ElementState, MouseButton, MouseScrollDelta, StartCause, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop, EventLoopProxy};
use winit::keyboard::{Key, ModifiersState, NamedKey};
use winit::window::{Window, WindowId};

use super::camera::Mode;
use super::camera::pose::FreeArea;
use super::command::Command;
use super::document::Document;
use super::graphics::{Graphics, Presented, Target};
use super::growing::Growing;
use super::keys::{self, FlyKeys};
use super::overlay::Overlay;
use super::pace::Pace;
use super::panels::{self, Layout, Place, Timings};
use super::pointer::Button;
use super::remembered::Memory;
use super::sheets::DrawnWith;
use super::state_log::StateLog;
use super::workbench::{Message, Viewport, Workbench};
use crate::analysis::session::Inputs;
use crate::filter::selection::Pointed;
use crate::render::gpu::GpuError;
use crate::render::renderer::{Frame, Quality};
use crate::units::{ModuleId, ThreadId};
use crate::views::Scope;
use crate::views::landscape::Moment;
use crate::views::table::ViewId;

/// The picture of a landscape at rest is made better only when nothing else is going on: on a software
/// renderer each step takes long enough to make the panels stutter.
const CALM: Duration = Duration::from_millis(150);
/// How often the progress of work on another thread is looked at.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(60);
/// When the display cannot take a frame it is tried again after this.
const RETRY_INTERVAL: Duration = Duration::from_millis(16);
/// Letters on the screen are so many points high.
const LETTERS: f32 = 13.0;
/// Names of search results shown over the landscape.
const MAX_NAMES_FOUND: usize = 12;
/// A device that is lost again and again is given up.
const MAX_LOSSES: u32 = 3;

/// A worker has something to tell.
#[derive(Debug)]
struct Wake;

/// Opens the window on `inputs`, the built-in demo when there are none, through the mapping file `map`, and stays
/// until it is closed. Recordings are followed as they grow if `follow` says so.
pub fn run(inputs: Inputs, map: Option<PathBuf>, follow: bool) -> anyhow::Result<()> {
    start(Start::Inputs(inputs), map, follow)
}

/// Opens the window on the session that the file at `path` keeps.
pub fn run_session(path: PathBuf, map: Option<PathBuf>, follow: bool) -> anyhow::Result<()> {
    // What is no session at all is better said where it was asked for.
    super::saved::SavedSession::read(&path)?;
    start(Start::Session(path), map, follow)
}

/// What the window opens first.
enum Start {
    Inputs(Inputs),
    Session(PathBuf),
}

fn start(start: Start, map: Option<PathBuf>, follow: bool) -> anyhow::Result<()> {
    let event_loop = event_loop()?;
    let mut app = App::new(event_loop.create_proxy(), start, map);
    app.bench.growing = follow.then(Growing::default);
    event_loop
        .run_app(&mut app)
        .context("the window system failed")?;
    app.failure.map_or(Ok(()), Err)
}

fn event_loop() -> anyhow::Result<EventLoop<Wake>> {
    EventLoop::<Wake>::with_user_event()
        .build()
        .map_err(|error| {
            // Before the reason winit says in which of its own files it stands.
            let text = error.to_string();
            let reason = text.rsplit_once(".rs:").map_or(&*text, |(_, reason)| reason);
            let reason = reason.trim_start_matches(|c: char| c.is_ascii_digit() || c == ':');
            let reason = reason.trim().trim_end_matches('.');
            anyhow::anyhow!(
                "no window can be opened: {reason}. It needs a display (DISPLAY or WAYLAND_DISPLAY) \
                 and, on Debian and Ubuntu, the packages libx11-6, libxcursor1, libxi6, libxrandr2, \
                 libx11-xcb1, libxkbcommon-x11-0 and libwayland-client0. \
                 `callscape render` draws pictures without a window"
            )
        })
}

struct App {
    bench: Workbench,
    memory: Memory,
    view: Option<View>,
    start: Option<Start>,
    map: Option<PathBuf>,
    modifiers: ModifiersState,
    fly_keys: FlyKeys,
    dropped: Vec<PathBuf>,
    commands: Vec<Command>,
    timings: Timings,
    log: Option<StateLog>,
    /// Whether keys reach this window.
    is_focused: bool,
    losses: u32,
    is_hidden: bool,
    last_input: Instant,
    /// When the next frame is due without an event.
    next_frame: Option<Instant>,
    failure: Option<anyhow::Error>,
}

/// A call relation, and the thread of a hop of a hyperarc.
type Marked = (Option<(ModuleId, ModuleId)>, Option<ThreadId>);

/// The window and what draws on it.
struct View {
    overlay: Overlay,
    graphics: Graphics,
    window: Arc<Window>,
    /// What the landscape's picture shows.
    drawn: Option<Frame>,
    /// The moment that the renderer has; none when it has nothing of the present blocks.
    shown: Option<Option<Moment>>,
    /// The call relations that stand out among the arcs that the renderer has.
    marked: Option<[Marked; 2]>,
    /// What the pictures of the sheets show.
    sheets: BTreeMap<ViewId, DrawnWith>,
    /// The sheets that were not all worked out when they were drawn.
    waited: Vec<ViewId>,
    last_frame: Instant,
    pace: Pace,
}

impl App {
    fn new(proxy: EventLoopProxy<Wake>, start: Start, map: Option<PathBuf>) -> App {
        let wake = move || -> Box<dyn FnOnce() + Send> {
            let proxy = proxy.clone();
            Box::new(move || {
                // The window is gone: nobody waits any more.
                let _ = proxy.send_event(Wake);
            })
        };
        let mut bench = Workbench::new(Box::new(wake));
        let (memory, dock, notice) = Memory::recall();
        bench.dock = dock;
        bench.messages.extend(notice.map(|reason| Message {
            is_error: true,
            is_open: true,
            title: "The views are arranged as at first".to_owned(),
            lines: vec![reason],
        }));
        App {
            bench,
            memory,
            view: None,
            start: Some(start),
            map,
            modifiers: ModifiersState::default(),
            fly_keys: FlyKeys::default(),
            dropped: Vec::new(),
            commands: Vec::new(),
            timings: Timings::default(),
            log: StateLog::from_environment(),
            is_focused: false,
            losses: 0,
            is_hidden: false,
            last_input: Instant::now(),
            next_frame: None,
            failure: None,
        }
    }

    fn fail(&mut self, event_loop: &ActiveEventLoop, error: anyhow::Error) {
        self.failure.get_or_insert(error);
        event_loop.exit();
    }

    fn redraw(&self) {
        if let Some(view) = &self.view {
            view.window.request_redraw();
        }
    }

    fn execute(&mut self, command: Command) {
        self.bench.execute(command);
        self.redraw();
    }

    /// A key went down or up: whether egui is to see it too.
    fn on_key(&mut self, event: &winit::event::KeyEvent) -> bool {
        let Some(view) = &self.view else {
            return false;
        };
        let pressed = event.state == ElementState::Pressed;
        if view.overlay.is_typing() {
            let in_search = view
                .overlay
                .ctx()
                .memory(|memory| memory.has_focus(egui::Id::unique(panels::SEARCH_FIELD)));
            let in_functions = view
                .overlay
                .ctx()
                .memory(|memory| memory.has_focus(egui::Id::unique(panels::FUNCTION_FIELD)));
            let ctrl_f = self.modifiers.control_key();
            let is_s =
                matches!(&event.logical_key, Key::Character(key) if key.eq_ignore_ascii_case("s"));
            let command = match (pressed, in_search) {
                (true, true) if !ctrl_f => keys::in_search(event),
                (true, _) if ctrl_f && is_s && self.bench.mapping.is_open => {
                    Some(Command::SaveMapping)
                }
                (true, false) if !ctrl_f && in_functions => keys::in_function_search(event)
                    .map(|key| Command::Table(ViewId::Functions, key)),
                _ => None,
            };
            let is_ours = command.is_some();
            if let Some(command) = command {
                self.execute(command);
            }
            return !is_ours;
        }
        let escape = event.logical_key == Key::Named(NamedKey::Escape);
        if escape && view.overlay.has_open_menu() {
            return true;
        }
        let moves = self.fly_keys.set(event.physical_key, pressed);
        if self.bench.camera.mode() == Mode::Fly {
            self.bench.camera.set_thrust(self.fly_keys.thrust());
            self.redraw();
            if moves {
                return false;
            }
        }
        if pressed
            && !self.modifiers.control_key()
            && self.bench.sheet_pointed_at().is_some()
            && let Some(command) = keys::on_sheet(event)
        {
            self.execute(command);
            return false;
        }
        let plain = !self.modifiers.control_key() && !self.modifiers.alt_key();
        if pressed
            && plain
            && let Some(table) = self.bench.table_pointed_at()
            && let Some(key) = keys::on_table(event)
        {
            self.execute(Command::Table(table, key));
            return false;
        }
        if pressed && let Some(command) = keys::command(event, self.modifiers) {
            self.execute(command);
        }
        false
    }

    fn on_pointer(&mut self, event: &WindowEvent) {
        let Some(view) = &self.view else {
            return;
        };
        match event {
            WindowEvent::CursorMoved { position, .. } => {
                let at = Vec2::new(position.x as f32, position.y as f32);
                let over_panel = view.overlay.covers(at.x, at.y);
                self.bench
                    .pointer_moved(at - self.bench.viewport.origin, over_panel);
            }
            WindowEvent::CursorLeft { .. } => self.bench.pointer_left(),
            WindowEvent::MouseInput { state, button, .. } => {
                let button = match button {
                    MouseButton::Left => Button::Left,
                    MouseButton::Right => Button::Right,
                    MouseButton::Middle => Button::Middle,
                    MouseButton::Back | MouseButton::Forward => {
                        if *state == ElementState::Pressed {
                            let back = *button == MouseButton::Back;
                            self.execute(if back {
                                Command::Back
                            } else {
                                Command::Forward
                            });
                        }
                        return;
                    }
                    MouseButton::Other(_) => return,
                };
                match state {
                    ElementState::Pressed => {
                        let shift = self.modifiers.shift_key();
                        self.bench.pointer_pressed(button, shift);
                    }
                    ElementState::Released => self.bench.pointer_released(button),
                }
            }
            WindowEvent::MouseWheel { delta, .. } if self.bench.pointer.at.is_some() => {
                let notches = match delta {
                    MouseScrollDelta::LineDelta(_, y) => *y,
                    // What browsers take a line to be.
                    MouseScrollDelta::PixelDelta(by) => by.y as f32 / 40.0,
                };
                self.bench.wheel_turned(notches);
            }
            _ => {}
        }
    }

    /// Draws a frame and finds out when the next is due.
    fn frame(&mut self, event_loop: &ActiveEventLoop) {
        self.next_frame = None;
        if self.bench.poll_loading()
            && let (Some(view), Some(document)) = (&self.view, &self.bench.document)
        {
            let title = format!("{} — Callscape", document.name());
            view.window.set_title(&title);
        }
        self.bench.poll_jobs();
        let Some(view) = &mut self.view else {
            return;
        };
        let begin = Instant::now();
        self.bench.advance();
        let camera = self.bench.camera.camera();
        let in_motion = view.drawn.is_some_and(|drawn| drawn.camera != camera);
        let scale = view.pace.begin_frame(self.bench.now(), in_motion);
        if view.graphics.size().contains(&0) {
            // Nothing to draw on until the window gets a size.
            return;
        }
        let mut dock = std::mem::take(&mut self.bench.dock);
        let graphics = &mut view.graphics;
        let pictures = ViewId::ALL.map(|view| (view, graphics.picture(view)));
        let (bench, timings, commands) = (&self.bench, &self.timings, &mut self.commands);
        let mut layout = Layout::default();
        let theme = bench.settings.theme;
        let shown = view.overlay.run(&view.window, event_loop, theme, |ui| {
            commands.clear();
            layout = panels::show(ui, bench, &mut dock, &pictures, timings, commands);
            layout.landscape.map_or(egui::Rect::NOTHING, |it| it.seen)
        });
        self.bench.dock = dock;
        let points = shown.panels.pixels_per_point;
        let target = layout.landscape.map(|landscape| {
            let viewport = viewport(landscape, points);
            self.bench.set_viewport(viewport);
            let size = (viewport.size * scale).as_uvec2();
            view.graphics.target(ViewId::Landscape, size.to_array())
        });
        if target.is_none() {
            self.bench.hide_viewport();
        }
        self.bench.search.wants_focus = false;
        self.bench.search.mark_moved = false;
        self.bench.row_to_show = None;
        self.bench.call_to_show = None;
        self.bench.view_pointed_at = layout.under_pointer;
        self.bench.rows_seen = layout.rows_seen;
        let place = layout
            .under_pointer
            .and_then(|view| self.bench.dock.place(view));
        self.bench.sheet_pointer = place.zip(layout.pointer).map(|(place, at)| {
            let at = (at - place.min) * points;
            Vec2::new(at.x, at.y)
        });
        let had_commands = !self.commands.is_empty();
        for command in std::mem::take(&mut self.commands) {
            self.bench.execute(command);
        }
        let (overlay, origin) = (&view.overlay, self.bench.viewport.origin);
        let covers = |at: Vec2| overlay.covers(at.x + origin.x, at.y + origin.y);
        let is_brushed = self.bench.update_hover(layout.pointed, covers);

        let restless = CALM.saturating_sub(self.last_input.elapsed());
        let may_settle = scale == 1.0 && restless.is_zero() && !shown.repaint_after.is_zero();
        let landscape =
            target.and_then(|target| landscape_frame(&mut self.bench, view, target, may_settle));
        let sheets = prepare_sheets(&mut self.bench, view, points);
        let is_waiting = self.bench.sheets_wait();
        let presented = view
            .graphics
            .draw(landscape.as_ref(), &sheets, theme, shown.panels);
        if landscape.is_some() {
            view.drawn = landscape;
        }
        self.timings.frames += 1;
        let smooth = |old: f32, new: f32| old + (new - old) * 0.1;
        let interval = begin.duration_since(view.last_frame).as_secs_f32() * 1e3;
        self.timings.interval_ms = smooth(self.timings.interval_ms, interval);
        self.bench.drawing += begin.elapsed();
        if in_motion {
            view.pace.end_frame(begin.elapsed().as_secs_f32());
        }
        let cpu = begin.elapsed().as_secs_f32() * 1e3;
        self.timings.cpu_ms = smooth(self.timings.cpu_ms, cpu);
        view.last_frame = begin;
        if let Some(log) = &mut self.log {
            log.write(self.timings.frames, self.is_focused, &self.bench);
        }

        let now = Instant::now();
        let mut due = None;
        let mut by = |after: Duration| {
            // Too far away to be told is never.
            let at = now.checked_add(after);
            due = [due, at].into_iter().flatten().min();
        };
        by(shown.repaint_after);
        if self.bench.is_moving() || had_commands || is_brushed {
            by(Duration::ZERO);
        } else if target.is_some()
            && self.bench.document.is_some()
            && !view.graphics.renderer.settled()
        {
            by(restless);
        }
        if let Some(rest) = view.pace.rests_in(self.bench.now()) {
            by(rest);
        }
        let is_working = self.bench.work.is_under_way() || self.bench.jobs.is_any();
        if self.bench.loading.is_some() || is_working || is_waiting {
            by(PROGRESS_INTERVAL);
        }
        match presented {
            Ok(Presented::Yes) => {}
            Ok(Presented::TryAgain) => by(RETRY_INTERVAL),
            Ok(Presented::NotNow) => due = None,
            Err(error) => {
                self.on_gpu_error(event_loop, error);
                return;
            }
        }
        match due {
            Some(at) if at <= now => self.redraw(),
            due => {
                self.next_frame = due;
                self.remember();
            }
        }
    }

    /// Keeps how the views are arranged.
    fn remember(&mut self) {
        if let Err(error) = self.memory.keep(&self.bench.dock) {
            self.bench.messages.push(Message {
                is_error: true,
                is_open: false,
                title: "The arrangement of the views cannot be kept".to_owned(),
                lines: vec![error.to_string()],
            });
            self.redraw();
        }
    }

    /// Opens the device anew when it is lost; tells of any other error once.
    fn on_gpu_error(&mut self, event_loop: &ActiveEventLoop, error: GpuError) {
        let Some(view) = &self.view else {
            return;
        };
        if !matches!(error, GpuError::Lost(_)) {
            let message = Message {
                is_error: true,
                is_open: true,
                title: "The graphics driver reported an error".to_owned(),
                lines: vec![error.to_string()],
            };
            if !self.bench.messages.contains(&message) {
                self.bench.messages.push(message);
                self.redraw();
            }
            return;
        }
        self.losses += 1;
        if self.losses > MAX_LOSSES {
            self.fail(event_loop, error.into());
            return;
        }
        let window = Arc::clone(&view.window);
        // The old surface has to go before the window can have another.
        self.view = None;
        self.make_view(event_loop, window);
    }

    fn make_view(&mut self, event_loop: &ActiveEventLoop, window: Arc<Window>) {
        match Graphics::new(Arc::clone(&window)) {
            Ok(graphics) => {
                let side = graphics.gpu.device.limits().max_texture_dimension_2d;
                let theme = self.bench.settings.theme;
                self.timings.adapter = graphics.gpu.name();
                self.view = Some(View {
                    overlay: Overlay::new(&window, side, theme),
                    graphics,
                    window,
                    drawn: None,
                    shown: None,
                    marked: None,
                    sheets: BTreeMap::new(),
                    waited: Vec::new(),
                    last_frame: Instant::now(),
                    pace: Pace::default(),
                });
                self.bench.blocks_are_new = true;
                self.redraw();
            }
            Err(error) => self.fail(event_loop, error.into()),
        }
    }
}

/// Brings the renderer up to date, and gives the frame to draw; none when the picture would be the same,
/// or only better and it may not settle now.
fn landscape_frame(
    bench: &mut Workbench,
    view: &mut View,
    target: Target,
    may_settle: bool,
) -> Option<Frame> {
    let mut frame = Frame {
        camera: bench.camera.camera(),
        size: target.size,
        theme: bench.settings.theme,
        hovered: [None; 2],
        selected: [None; 2],
        quality: Quality::default(),
    };
    let Graphics { gpu, renderer, .. } = &mut view.graphics;
    let Some(document) = &mut bench.document else {
        return (target.is_new || view.drawn != Some(frame)).then_some(frame);
    };
    let mut is_stale = target.is_new | std::mem::take(&mut bench.names_are_new);
    if std::mem::take(&mut bench.blocks_are_new) {
        renderer.set_blocks(gpu, document.landscape.blocks_now());
        renderer.set_looks(gpu, 0, document.landscape.looks());
        view.shown = None;
        is_stale = true;
    }
    let moment = document.moment();
    if std::mem::take(&mut bench.left_is_new) {
        view.shown = None;
    }
    if view.shown != Some(moment) {
        view.shown = Some(moment);
        document.landscape.show(&document.session, moment);
        let landscape = &document.landscape;
        for range in landscape.changed_looks() {
            let range = range.start as usize..range.end as usize;
            let looks = landscape.looks().get(range.clone());
            renderer.set_looks(gpu, range.start, looks.unwrap_or_default());
        }
        view.marked = None;
        is_stale = true;
    }
    let marks = [&document.selection.pointed, &document.selection.chosen]
        .map(|of| (of.relation, of.thread.filter(|_| of.relation.is_some())));
    if view.marked != Some(marks) {
        view.marked = Some(marks);
        let Document {
            landscape,
            selection,
            ..
        } = &mut *document;
        renderer.set_arcs(gpu, landscape.marked_arcs(selection));
        is_stale = true;
    }
    let outlined = |of: &Pointed| {
        let modules = document.meant(of).modules();
        modules.map(|module| document.landscape.displayed(module?))
    };
    frame.hovered = outlined(&document.selection.pointed);
    frame.selected = outlined(&document.selection.chosen);
    if is_stale || view.drawn != Some(frame) {
        let found: &[ModuleId] = if bench.search.is_open {
            let shown = bench.search.results.len().min(MAX_NAMES_FOUND);
            &bench.search.results[..shown]
        } else {
            &[]
        };
        let pixels = Vec2::new(target.size[0] as f32, target.size[1] as f32);
        let scale = pixels.x / bench.viewport.size.x.max(1.0);
        let em = LETTERS * view.window.scale_factor() as f32 * scale;
        let Document {
            landscape,
            session,
            selection,
            ..
        } = document;
        // What is hovered here has a tooltip of its own.
        let mut named = selection.clone();
        if bench.pointer.at.is_some() {
            named.pointed.module = None;
        }
        landscape.label(session, &named, found, &frame.camera, pixels, em);
        renderer.set_labels(gpu, landscape.flat_labels(), landscape.screen_labels());
        return Some(frame);
    }
    (may_settle && !renderer.settled()).then_some(frame)
}

/// Brings the renderers of the sheets that can be seen up to date; those whose picture would be another than
/// before.
fn prepare_sheets(bench: &mut Workbench, view: &mut View, pixels_per_point: f32) -> Vec<ViewId> {
    let mut changed = Vec::new();
    let theme = bench.settings.theme;
    let Some(document) = &mut bench.document else {
        return changed;
    };
    let recording = document.recording();
    let Some(sheets) = &mut document.sheets else {
        return changed;
    };
    for of in ViewId::ALL {
        let Some(place) = bench
            .dock
            .place(of)
            .filter(|_| sheets.visible(of).is_some())
        else {
            continue;
        };
        let size = place.size() * pixels_per_point;
        let target = view
            .graphics
            .target(of, [size.x.round() as u32, size.y.round() as u32]);
        let scope = Scope {
            session: &document.session,
            recording,
            selection: &document.selection,
            filters: &document.filters,
            theme,
            size: Vec2::new(target.size[0] as f32, target.size[1] as f32),
            scale: pixels_per_point,
        };
        let with = DrawnWith::new(sheets, of, &scope);
        let is_waiting = sheets.is_waiting(&document.session, of);
        let is_same = view.sheets.get(&of) == Some(&with);
        if is_same && !target.is_new && !is_waiting && !view.waited.contains(&of) {
            continue;
        }
        // What was waited for is drawn once more when it is there.
        view.waited.retain(|&waited| waited != of);
        view.waited.extend(is_waiting.then_some(of));
        if let Some(sheet) = sheets.show(of, &scope) {
            view.graphics.prepare_sheet(of, sheet);
            view.sheets.insert(of, with);
            changed.push(of);
        }
    }
    changed
}

/// Where the landscape is drawn, in pixels, and what of it is seen, as normalised device coordinates.
fn viewport(landscape: Place, pixels_per_point: f32) -> Viewport {
    let Place { seen, drawn } = landscape;
    let ndc = |at: egui::Pos2| {
        let share = (at - drawn.min) / drawn.size();
        Vec2::new(share.x * 2.0 - 1.0, 1.0 - share.y * 2.0)
    };
    let (min, max) = (ndc(seen.left_bottom()), ndc(seen.right_top()));
    let margin = 0.05;
    let area = FreeArea {
        min: min.clamp(Vec2::NEG_ONE, Vec2::ONE) + margin,
        max: max.clamp(Vec2::NEG_ONE, Vec2::ONE) - margin,
    };
    let pixels = |at: egui::Vec2| (Vec2::new(at.x, at.y) * pixels_per_point).round();
    Viewport {
        origin: pixels(drawn.min.to_vec2()),
        size: pixels(drawn.size()).max(Vec2::ONE),
        free: if (area.max - area.min).min_element() > 0.2 {
            area
        } else {
            FreeArea::WINDOW
        },
    }
}

impl ApplicationHandler<Wake> for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.view.is_some() {
            return;
        }
        let attributes = Window::default_attributes()
            .with_title("Callscape")
            .with_min_inner_size(LogicalSize::new(320.0, 240.0))
            .with_inner_size(LogicalSize::new(1280.0, 800.0));
        #[cfg(target_os = "linux")]
        let attributes = {
            use winit::platform::x11::WindowAttributesExtX11;
            // What X11 calls the class and Wayland the application's id.
            attributes.with_name("callscape", "callscape")
        };
        match event_loop.create_window(attributes) {
            Ok(window) => self.make_view(event_loop, Arc::new(window)),
            Err(error) => {
                let error = anyhow::Error::new(error).context("no window can be opened");
                self.fail(event_loop, error);
                return;
            }
        }
        if let Some(map) = self.map.take() {
            self.bench.use_map_file(&map);
        }
        match self.start.take() {
            Some(Start::Inputs(inputs)) => self.bench.open(inputs),
            Some(Start::Session(path)) => self.bench.open_session(path),
            None => {}
        }
    }

    fn new_events(&mut self, _: &ActiveEventLoop, cause: StartCause) {
        if matches!(cause, StartCause::ResumeTimeReached { .. }) {
            self.next_frame = None;
            self.redraw();
        }
    }

    fn user_event(&mut self, _: &ActiveEventLoop, Wake: Wake) {
        self.redraw();
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, _: WindowId, event: WindowEvent) {
        if !matches!(event, WindowEvent::RedrawRequested) {
            self.last_input = Instant::now();
        }
        if let WindowEvent::KeyboardInput { event: key, .. } = &event
            && !self.on_key(key)
        {
            return;
        }
        if let Some(view) = &mut self.view
            && view.overlay.on_event(&view.window, &event)
        {
            self.redraw();
        }
        match &event {
            WindowEvent::CloseRequested => event_loop.exit(),
            WindowEvent::RedrawRequested if !self.is_hidden => self.frame(event_loop),
            WindowEvent::Resized(_) | WindowEvent::ScaleFactorChanged { .. } => {
                if let Some(view) = &mut self.view {
                    view.graphics.resize();
                }
                self.redraw();
            }
            WindowEvent::Occluded(hidden) => {
                self.is_hidden = *hidden;
                self.redraw();
            }
            WindowEvent::ModifiersChanged(modifiers) => self.modifiers = modifiers.state(),
            WindowEvent::Focused(is_focused) => {
                self.is_focused = *is_focused;
                if !is_focused {
                    self.fly_keys.release_all();
                    self.bench.camera.set_thrust(self.fly_keys.thrust());
                    self.bench.release_pointer();
                }
                self.redraw();
            }
            WindowEvent::DroppedFile(path) => self.dropped.push(path.clone()),
            _ => self.on_pointer(&event),
        }
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        // Files dropped together arrive one by one.
        if !self.dropped.is_empty() {
            let dropped = std::mem::take(&mut self.dropped);
            self.execute(Command::Open(dropped));
        }
        event_loop.set_control_flow(match self.next_frame {
            Some(at) if !self.is_hidden => ControlFlow::WaitUntil(at),
            _ => ControlFlow::Wait,
        });
    }
}

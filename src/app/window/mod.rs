//! The window and its event loop. A frame is drawn when something changed and never otherwise.

#[cfg(target_arch = "wasm32")]
pub(crate) mod browser;
mod copy;
#[cfg(debug_assertions)]
mod faults;
mod frame;
mod input;
mod notes;
#[cfg(target_arch = "wasm32")]
pub mod page;
mod place;
mod second;
mod told;
mod touch;

use callscape_base::clock::Instant;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context;
use winit::application::ApplicationHandler;
use winit::dpi::LogicalSize;
use winit::event::{StartCause, WindowEvent};
use winit::event_loop::{ActiveEventLoop, ControlFlow, EventLoop, EventLoopProxy};
use winit::keyboard::ModifiersState;
use winit::window::{Window, WindowId};

use self::notes::Notes;
use self::told::Told;
use self::touch::Fingers;
use super::canvas::landscapes;
use super::command::{Command, FileAsk};
use super::editor::Editors;
use super::goto::Listener;
use super::graphics::Graphics;
use super::keys::FlyKeys;
use super::overlay::Overlay;
use super::own::Own;
use super::pace::Pace;
use super::palette::Palette;
use super::panels::context::{Before, Pictures, Timings};
use super::remembered::Memory;
use super::state_log::StateLog;
use crate::action_log::{ActionLog, Source};
use crate::desk::Desk;
use crate::rescue::Rescue;
use crate::sharing;
use callscape_analysis::session::Inputs;
use callscape_facts::frequency::Frequency;
use callscape_filter::selection::Pointed;
use callscape_model::theme::Theme;
use callscape_render::gpu::{GpuError, quality_for};
use callscape_render::renderer::Renderer;
use callscape_state::ask::{Asks, LookAsk};
use callscape_state::growing::Growing;
use callscape_state::made::Made;
use callscape_state::message::Message;

/// A device that is lost again and again is given up.
const MAX_LOSSES: u32 = 3;

/// How the window opens what it opens.
#[derive(Clone, Debug, Default)]
pub struct Opening {
    /// A mapping file to show it through.
    pub map: Option<PathBuf>,
    /// Whether recordings are followed as they grow.
    pub follow: bool,
    /// What is called more often is left out.
    pub max_frequency: Option<Frequency>,
    /// Only the calls of functions that changed are shown.
    pub only_changed: bool,
    /// Where what the user does is logged.
    pub log: Option<PathBuf>,
    /// Writes pages that play in a browser.
    pub write_page: Option<sharing::Writer>,
}

/// Opens the window on `inputs`, the built-in demo when there are none, and stays until it is closed.
pub fn run(inputs: Inputs, opening: Opening) -> anyhow::Result<()> {
    start(Start::Inputs(inputs), opening)
}

/// Opens the window on the session that the file at `path` keeps.
pub fn run_session(path: PathBuf, opening: Opening) -> anyhow::Result<()> {
    // What is no session at all is better said where it was asked for.
    super::saved::SavedSession::read(&path)?;
    start(Start::Session(path), opening)
}

/// Opens the window on the pack at `path`.
pub fn run_pack(path: PathBuf, opening: Opening) -> anyhow::Result<()> {
    start(Start::Pack(path), opening)
}

/// Opens the window on the scene at `path` and presents it.
pub fn run_scene(path: PathBuf, opening: Opening) -> anyhow::Result<()> {
    start(Start::Scene(path), opening)
}

/// What the window opens first.
enum Start {
    Inputs(Inputs),
    Session(PathBuf),
    Pack(PathBuf),
    Scene(PathBuf),
}

fn start(start: Start, opening: Opening) -> anyhow::Result<()> {
    let log = opening.log.as_deref().map(ActionLog::create).transpose()?;
    let event_loop = event_loop()?;
    let mut app = App::new(event_loop.create_proxy(), start, opening.map);
    app.desk.log = log;
    app.desk.state.opening.growing = opening.follow.then(Growing::default);
    app.desk.state.opening.frequency_at_start = opening.max_frequency;
    app.desk.state.opening.changed_alone_at_start = opening.only_changed;
    app.desk.write_page = opening.write_page;
    let ran = event_loop.run_app(&mut app);
    // It shows nothing new any more.
    app.view = None;
    app.desk.recording.finish();
    ran.context("the window system failed")?;
    match app.failure {
        Some(failure) => Err(failure),
        None => {
            app.desk.rescue.finish();
            Ok(())
        }
    }
}

fn event_loop() -> anyhow::Result<EventLoop<Told>> {
    EventLoop::<Told>::with_user_event()
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
    /// Where a screen reader's questions come in, and what a browser has opened.
    #[cfg(any(feature = "accesskit", target_arch = "wasm32"))]
    proxy: EventLoopProxy<Told>,
    /// The window and its device, once a browser has opened that.
    #[cfg(target_arch = "wasm32")]
    opened: browser::Opened,
    /// Where the page's address leads, until that is shown.
    #[cfg(target_arch = "wasm32")]
    link: Option<crate::link::Link>,
    desk: Desk,
    /// What the presenter alone sees; dropped before the view, whose device it draws with.
    notes: Option<Notes>,
    view: Option<View>,
    start: Option<Start>,
    map: Option<PathBuf>,
    modifiers: ModifiersState,
    fly_keys: FlyKeys,
    fingers: Fingers,
    dropped: Vec<PathBuf>,
    /// What the panels were asked for in the last frame: applied to the next.
    asks: Asks<Command>,
    /// What keys pressed while typing ask for: what was typed before them reaches its field in the next frame.
    after_typing: Asks<Command>,
    /// What the pointer was on in the last frame, as far as views say.
    pointed: Option<Made<Pointed>>,
    /// The search was open when asks were last applied.
    was_searching: bool,
    /// A key may have given the keyboard to a field or taken it away, which the next frame decides: keys wait.
    keys_wait: bool,
    waiting: Vec<WindowEvent>,
    timings: Timings,
    log: Option<StateLog>,
    /// Where other programs ask for lines to be shown; none where the system or the session has no place for it.
    goto: Option<Listener>,
    /// Whether keys reach this window.
    is_focused: bool,
    losses: u32,
    #[cfg(debug_assertions)]
    fault: faults::Fault,
    is_hidden: bool,
    last_input: Instant,
    /// When the next frame is due without an event.
    next_frame: Option<Instant>,
    failure: Option<anyhow::Error>,
}

/// The window and what draws on it.
struct View {
    overlay: Overlay,
    graphics: Graphics,
    window: Arc<Window>,
    last_frame: Instant,
    pace: Pace,
    /// When it was last asked how many frames the display shows.
    display_asked: Option<Instant>,
    /// Sides of the finest picture of the landscape as parts of the window's: less than 1 where memory is short.
    finest: f32,
    /// What was painted of landscapes in the last frame, and before a shot of a talk changed them at once.
    painted: Before,
    before: Before,
    /// What views are shown by.
    pictures: Pictures,
}

impl View {
    /// Keeps what landscapes show now as what was shown before.
    fn keep_before(&mut self, desk: &Desk) {
        let canvas = &mut self.graphics.canvas;
        let fill = desk.state.moving.viewport.size.as_uvec2().to_array();
        let kept = canvas.keep_before(fill);
        let own = landscapes().map(|of| canvas.picture(of));
        self.before = self.painted.map(|painted| {
            let mut painted = painted?;
            let which = own.iter().position(|id| *id == painted.picture)?;
            painted.picture = kept[which];
            Some(painted)
        });
    }
}

impl App {
    fn new(proxy: EventLoopProxy<Told>, start: Start, map: Option<PathBuf>) -> App {
        #[cfg(any(feature = "accesskit", target_arch = "wasm32"))]
        let own_proxy = proxy.clone();
        let goto = listener(&proxy);
        let wake = move || -> Box<dyn FnOnce() + Send> {
            let proxy = proxy.clone();
            Box::new(move || {
                // The window is gone: nobody waits any more.
                let _ = proxy.send_event(Told::Wake);
            })
        };
        let mut desk = Desk::new(Box::new(wake));
        let (own_looks, no_looks) = Own::recall("looks.json");
        let (own_views, no_views) = Own::recall("views.json");
        (desk.own_looks, desk.own_views) = (own_looks, own_views);
        let (palette, not_recalled) = Palette::recall();
        desk.palette = palette;
        desk.rescue = Rescue::begin();
        let is_bare = matches!(&start, Start::Inputs(inputs) if *inputs == Inputs::default());
        let no_recent = desk.begin_welcome(is_bare);
        let unread = no_looks.into_iter().chain(no_views).chain(no_recent);
        let unread = unread.chain(not_recalled);
        desk.state
            .told
            .messages
            .extend(unread.map(|reason| Message {
                is_error: true,
                is_open: true,
                title: "A custom look or arrangement could not be read".to_owned(),
                lines: vec![reason],
            }));
        let (editors, unread) = Editors::recall();
        desk.editors = editors;
        desk.state
            .told
            .messages
            .extend(unread.map(|reason| Message {
                is_error: true,
                is_open: true,
                title: "The command of your editor could not be read".to_owned(),
                lines: vec![reason],
            }));
        let (memory, notice) = Memory::recall(&mut desk.state);
        desk.memory = memory;
        desk.state
            .told
            .messages
            .extend(notice.map(|reason| Message {
                is_error: true,
                is_open: true,
                title: "The views are in their default arrangement".to_owned(),
                lines: vec![reason],
            }));
        App {
            #[cfg(any(feature = "accesskit", target_arch = "wasm32"))]
            proxy: own_proxy,
            #[cfg(target_arch = "wasm32")]
            opened: browser::Opened::default(),
            #[cfg(target_arch = "wasm32")]
            link: None,
            desk,
            notes: None,
            view: None,
            start: Some(start),
            map,
            modifiers: ModifiersState::default(),
            fly_keys: FlyKeys::default(),
            fingers: Fingers::default(),
            dropped: Vec::new(),
            asks: Asks::default(),
            after_typing: Asks::default(),
            pointed: None,
            was_searching: false,
            keys_wait: false,
            waiting: Vec::new(),
            timings: Timings::default(),
            log: StateLog::from_environment(),
            goto,
            is_focused: false,
            losses: 0,
            #[cfg(debug_assertions)]
            fault: faults::Fault::from_environment(),
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

    /// The theme of the system, where the window system tells it.
    fn follow_system(&mut self, theme: Option<winit::window::Theme>) {
        if let Some(theme) = theme {
            self.execute(LookAsk::SystemTheme(match theme {
                winit::window::Theme::Light => Theme::Light,
                winit::window::Theme::Dark => Theme::Dark,
            }));
        }
    }

    fn redraw(&self) {
        if let Some(view) = &self.view {
            view.window.request_redraw();
        }
    }

    fn execute(&mut self, ask: impl Into<Command>) {
        self.desk.execute(ask);
        self.redraw();
    }

    fn on_event(&mut self, event_loop: &ActiveEventLoop, event: WindowEvent) {
        let is_key = matches!(
            event,
            WindowEvent::KeyboardInput { .. } | WindowEvent::ModifiersChanged(_)
        );
        if self.keys_wait && is_key {
            self.waiting.push(event);
            self.redraw();
            return;
        }
        match &event {
            WindowEvent::KeyboardInput { .. } => self.desk.source = Source::Key,
            WindowEvent::MouseInput { .. }
            | WindowEvent::MouseWheel { .. }
            | WindowEvent::Touch(_) => {
                self.desk.source = Source::Mouse;
            }
            _ => {}
        }
        if !matches!(event, WindowEvent::RedrawRequested) {
            self.last_input = Instant::now();
            self.desk.rescue.touch();
        }
        if self.log.as_mut().is_some_and(|log| log.hears(&event)) {
            self.redraw();
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
            WindowEvent::CloseRequested => {
                self.remember();
                self.desk.keep_last();
                event_loop.exit();
            }
            WindowEvent::RedrawRequested if !self.is_hidden => {
                self.frame(event_loop);
                self.keys_wait &= !self.asks.is_empty();
                for event in std::mem::take(&mut self.waiting) {
                    self.on_event(event_loop, event);
                }
            }
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
                    self.desk
                        .state
                        .moving
                        .camera
                        .set_thrust(self.fly_keys.thrust());
                    self.desk.state.release_pointer();
                }
                self.redraw();
            }
            WindowEvent::ThemeChanged(theme) => self.follow_system(Some(*theme)),
            WindowEvent::DroppedFile(path) => self.dropped.push(path.clone()),
            _ => self.on_pointer(&event),
        }
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn make_view(&mut self, event_loop: &ActiveEventLoop, window: Arc<Window>) {
        let graphics = Graphics::new(Arc::clone(&window));
        self.show_view(event_loop, window, graphics);
    }

    fn show_view(
        &mut self,
        event_loop: &ActiveEventLoop,
        window: Arc<Window>,
        graphics: Result<Graphics, GpuError>,
    ) {
        match graphics {
            Ok(graphics) => {
                let side = graphics.canvas.gpu.device.limits().max_texture_dimension_2d;
                let theme = self.desk.state.settings.theme;
                let adapter = graphics.canvas.gpu.adapter.get_info();
                self.timings.quality = quality_for(adapter.device_type);
                self.timings.adapter = adapter.name;
                let is_slow = adapter.device_type == wgpu::DeviceType::Cpu;
                let pace = Pace::new(graphics.canvas.renderer.together(), is_slow);
                self.desk
                    .state
                    .set_most_blocks(Renderer::most_blocks(&graphics.canvas.gpu));
                let overlay = Overlay::new(&window, side, theme);
                #[cfg(feature = "accesskit")]
                let overlay = overlay.with_reader(event_loop, &window, self.proxy.clone());
                #[cfg(feature = "accesskit")]
                window.set_visible(true);
                self.view = Some(View {
                    overlay,
                    graphics,
                    window,
                    last_frame: Instant::now(),
                    pace,
                    display_asked: None,
                    finest: 1.0,
                    painted: [None; 2],
                    before: [None; 2],
                    pictures: Pictures::default(),
                });
                self.redraw();
            }
            Err(error) => self.fail(event_loop, error.into()),
        }
    }
}

/// Where other programs ask for lines; none where there are none.
fn listener(proxy: &EventLoopProxy<Told>) -> Option<Listener> {
    if cfg!(target_arch = "wasm32") {
        return None;
    }
    let asked = proxy.clone();
    let listener = Listener::start(move || {
        // The window is gone: nobody answers any more.
        let _ = asked.send_event(Told::Wake);
    });
    listener.ok()
}

impl ApplicationHandler<Told> for App {
    fn resumed(&mut self, event_loop: &ActiveEventLoop) {
        if self.view.is_some() {
            return;
        }
        let attributes = Window::default_attributes().with_title("Callscape");
        #[cfg(target_arch = "wasm32")]
        let attributes = browser::on_canvas(attributes);
        #[cfg(not(target_arch = "wasm32"))]
        let attributes = attributes
            .with_min_inner_size(LogicalSize::new(320.0, 240.0))
            .with_inner_size(place::first_size(event_loop));
        let attributes = match self.desk.memory.place() {
            Some(before) => place::placed(attributes, before, event_loop),
            None => attributes,
        };
        #[cfg(target_os = "linux")]
        let attributes = {
            use winit::platform::x11::WindowAttributesExtX11;
            // What X11 calls the class and Wayland the application's id.
            attributes.with_name("callscape", "callscape")
        };
        // A screen reader has to be told of a window before that is seen.
        #[cfg(feature = "accesskit")]
        let attributes = attributes.with_visible(false);
        match event_loop.create_window(attributes) {
            Ok(window) => {
                self.follow_system(window.theme());
                self.make_view(event_loop, Arc::new(window));
            }
            Err(error) => {
                let error = anyhow::Error::new(error).context("no window can be opened");
                self.fail(event_loop, error);
                return;
            }
        }
        if let Some(map) = self.map.take() {
            self.desk.use_map_file(&map);
        }
        match self.start.take() {
            Some(Start::Inputs(inputs)) => self.desk.open_first(inputs),
            Some(Start::Session(path)) => self.desk.open_session(path),
            Some(Start::Pack(path)) => self.desk.open_pack(path),
            Some(Start::Scene(path)) => self.desk.present_file(path),
            None => {}
        }
    }

    fn new_events(&mut self, _: &ActiveEventLoop, cause: StartCause) {
        if matches!(cause, StartCause::ResumeTimeReached { .. }) {
            self.next_frame = None;
            self.redraw();
        }
    }

    #[cfg_attr(
        not(target_arch = "wasm32"),
        expect(
            unused_variables,
            reason = "the event loop shows what a browser opened"
        )
    )]
    fn user_event(&mut self, event_loop: &ActiveEventLoop, told: Told) {
        match told {
            Told::Wake => {}
            #[cfg(target_arch = "wasm32")]
            Told::Device => {
                if let Some((window, graphics)) = self.opened.take() {
                    self.show_view(event_loop, window, graphics);
                }
            }
            #[cfg(target_arch = "wasm32")]
            Told::Link(link) => self.link = crate::link::parse(&link),
            #[cfg(target_arch = "wasm32")]
            Told::Dropped(paths) => self.execute(FileAsk::Open(paths)),
            #[cfg(target_arch = "wasm32")]
            Told::Watch => self.watch(),
            #[cfg(feature = "accesskit")]
            Told::Reader(event) => {
                // The window of the notes has words alone, and no reader of its own.
                let own = self
                    .view
                    .as_mut()
                    .filter(|it| it.window.id() == event.window_id);
                if let Some(view) = own {
                    view.overlay.on_reader(event.window_event);
                }
            }
        }
        self.redraw();
    }

    fn window_event(&mut self, event_loop: &ActiveEventLoop, of: WindowId, event: WindowEvent) {
        if self.notes.as_ref().is_some_and(|notes| notes.id() == of) {
            return self.on_notes_event(event_loop, event);
        }
        self.on_event(event_loop, event);
    }

    fn about_to_wait(&mut self, event_loop: &ActiveEventLoop) {
        // Files dropped together arrive one by one.
        if !self.dropped.is_empty() {
            let dropped = std::mem::take(&mut self.dropped);
            self.execute(FileAsk::Open(dropped));
        }
        event_loop.set_control_flow(match self.next_frame {
            Some(at) if !self.is_hidden => ControlFlow::WaitUntil(at),
            _ => ControlFlow::Wait,
        });
    }
}

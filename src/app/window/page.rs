//! The window as a page in a browser: a canvas, a device that the browser opens between two frames, and files that are held
//! in memory.

use std::cell::{Cell, RefCell};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use wasm_bindgen_futures::spawn_local;
use winit::event_loop::{ActiveEventLoop, EventLoop, EventLoopProxy};
use winit::platform::web::EventLoopExtWebSys;
use winit::window::Window;

use super::told::Told;
use super::{App, Start};
use crate::command::BookmarkAsk;
use crate::graphics::Graphics;
use crate::link::Link;
use crate::saved::find;
use crate::state_log::StateLog;
use callscape_analysis::session::Inputs;
use callscape_base::files::held;
use callscape_filter::selection::Pointed;
use callscape_state::ask::{PlayAsk, SelectAsk};
use callscape_state::queue;

thread_local! {
    /// Where what happens to the page is told.
    static PROXY: RefCell<Option<EventLoopProxy<Told>>> = const { RefCell::new(None) };
    /// The state of the last frame, if a test has asked for it.
    static SEEN: RefCell<Option<String>> = const { RefCell::new(None) };
    /// Asks the page's script to call [`work`], in browsers that can suspend WebAssembly.
    static WORKER: Cell<Option<fn()>> = const { Cell::new(None) };
}

/// Opens the window on the canvas of this page: on a pack, or on the demo.
pub fn start(pack: Option<&[u8]>) -> anyhow::Result<()> {
    let event_loop = EventLoop::<Told>::with_user_event().build()?;
    let proxy = event_loop.create_proxy();
    PROXY.set(Some(proxy.clone()));
    let start = match pack {
        Some(bytes) => {
            let path = Path::new("/page.callscape-pack");
            held::hold(path, bytes);
            Start::Pack(path.to_owned())
        }
        None => Start::Inputs(Inputs::default()),
    };
    let mut app = App::new(proxy, start, None);
    app.desk.welcome.is_open = false;
    event_loop.spawn_app(app);
    Ok(())
}

/// Opens what was dropped on the page: the names and contents of files.
pub fn open(files: &[(String, Vec<u8>)]) {
    let mut paths = Vec::new();
    for (name, bytes) in files {
        // The folder of a name that leads elsewhere is not asked for.
        let name = Path::new(name).file_name().unwrap_or_default();
        let path = PathBuf::from("/dropped").join(name);
        held::hold(&path, bytes);
        paths.push(path);
    }
    tell(Told::Dropped(paths));
}

/// Moves jobs out of frames: the browser can suspend WebAssembly, so the page's script calls [`work`] after each `wake`.
pub fn work_by(wake: fn()) {
    WORKER.set(Some(wake));
}

/// Does the work that waits; `rest` returns when others had their turn.
pub fn work(rest: fn()) {
    queue::run_all(rest);
}

/// Runs waiting jobs for one slice, or asks the page's script to run them.
pub(super) fn work_between_frames() {
    match WORKER.get() {
        Some(wake) if queue::is_any() => wake(),
        Some(_) => (),
        None => queue::run(queue::SLICE),
    }
}

fn tell(told: Told) {
    PROXY.with_borrow(|proxy| {
        if let Some(proxy) = proxy {
            // The window is gone: nobody waits any more.
            let _ = proxy.send_event(told);
        }
    });
}

/// Goes where a link within the page leads.
pub fn go(link: String) {
    tell(Told::Link(link));
}

/// The state of the last frame, as the JSON that tests of the window read; none until the frame after the first call.
pub fn state() -> Option<String> {
    let seen = SEEN.with_borrow(Option::clone);
    if seen.is_none() {
        tell(Told::Watch);
    }
    seen
}

impl App {
    /// Keeps the state of each frame for [`state`].
    pub(super) fn watch(&mut self) {
        let keep = |line| SEEN.set(Some(line));
        self.log.get_or_insert_with(|| StateLog::to(keep));
    }

    /// Goes where the page's address leads, once that is open.
    pub(super) fn follow_link(&mut self) {
        let is_open = self.desk.state.document.is_some() && !self.desk.is_working();
        let Some(link) = self.link.take_if(|_| is_open) else {
            return;
        };
        match link {
            Link::Bookmark(number) => self.execute(BookmarkAsk::GoTo(number, None)),
            Link::Place { time, select } => {
                let Some(document) = &self.desk.state.document else {
                    return;
                };
                let duration = document.resolved().map(|it| it.recording.trace.duration());
                let time = time.zip(duration).map(|(time, of)| time.resolve(of));
                let module = select.and_then(|it| find(&document.session.hierarchy, &it));
                let playback = document.playback.as_ref();
                let is_playing = playback.is_some_and(|it| it.is_playing());
                if let Some(time) = time {
                    self.execute(PlayAsk::Seek(time));
                    // What the link shows stays until the reader plays on.
                    if is_playing {
                        self.execute(PlayAsk::PlayOrPause);
                    }
                }
                if let Some(module) = module {
                    self.execute(SelectAsk::Choose(Pointed {
                        module: Some(module),
                        ..Pointed::default()
                    }));
                }
            }
        }
    }

    /// Has the browser open a device for `window`; it is told when that has come.
    pub(super) fn make_view(&mut self, _: &ActiveEventLoop, window: Arc<Window>) {
        let (opened, proxy) = (self.opened.clone(), self.proxy.clone());
        spawn_local(async move {
            let graphics = Graphics::new(Arc::clone(&window)).await;
            opened.put(window, graphics);
            // The window is gone: nobody waits any more.
            let _ = proxy.send_event(Told::Device);
        });
    }
}

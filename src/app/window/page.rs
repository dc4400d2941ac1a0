//! The window as a page in a browser: a canvas, a device that the browser opens between two frames, and files that are held
//! in memory.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::HtmlCanvasElement;
use winit::event_loop::{ActiveEventLoop, EventLoop, EventLoopProxy};
use winit::platform::web::{EventLoopExtWebSys, WindowAttributesExtWebSys};
use winit::window::{Window, WindowAttributes};

use super::told::Told;
use super::{App, Start};
use crate::graphics::Graphics;
use callscape_analysis::session::Inputs;
use callscape_base::files::held;
use callscape_render::gpu::GpuError;

/// How long a frame works on what runs on other threads elsewhere.
pub(super) const SLICE: Duration = Duration::from_millis(12);

/// The canvas of a page.
pub const CANVAS: &str = "callscape";

/// A window, and what draws on it once the browser has opened that.
#[derive(Clone, Default)]
pub(super) struct Opened(Rc<RefCell<Option<Drawn>>>);

type Drawn = (Arc<Window>, Result<Graphics, GpuError>);

impl Opened {
    pub(super) fn take(&self) -> Option<Drawn> {
        self.0.borrow_mut().take()
    }
}

thread_local! {
    /// Where what happens to the page is told.
    static PROXY: RefCell<Option<EventLoopProxy<Told>>> = const { RefCell::new(None) };
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
    event_loop.spawn_app(App::new(proxy, start, None));
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

fn tell(told: Told) {
    PROXY.with_borrow(|proxy| {
        if let Some(proxy) = proxy {
            // The window is gone: nobody waits any more.
            let _ = proxy.send_event(told);
        }
    });
}

/// A window on the canvas, as large as the page makes that.
pub(super) fn on_canvas(attributes: WindowAttributes) -> WindowAttributes {
    let document = web_sys::window().and_then(|window| window.document());
    let canvas = document.and_then(|document| document.get_element_by_id(CANVAS));
    let canvas = canvas.and_then(|canvas| canvas.dyn_into::<HtmlCanvasElement>().ok());
    let is_missing = canvas.is_none();
    attributes.with_canvas(canvas).with_append(is_missing)
}

impl App {
    /// Has the browser open a device for `window`; it is told when that has come.
    pub(super) fn make_view(&mut self, _: &ActiveEventLoop, window: Arc<Window>) {
        let (opened, proxy) = (self.opened.clone(), self.proxy.clone());
        spawn_local(async move {
            let graphics = Graphics::new(Arc::clone(&window)).await;
            opened.0.replace(Some((window, graphics)));
            // The window is gone: nobody waits any more.
            let _ = proxy.send_event(Told::Device);
        });
    }
}

//! What a page gives the window: its canvas, the device that the browser opens, and its address.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use wasm_bindgen::JsCast;
use web_sys::HtmlCanvasElement;
use winit::platform::web::WindowAttributesExtWebSys;
use winit::window::{Window, WindowAttributes};

use crate::desk::DeskRef;
use crate::graphics::Graphics;
use crate::link;
use callscape_render::gpu::GpuError;

/// The canvas of a page.
pub(super) const CANVAS: &str = "callscape";

/// A window, and what draws on it once the browser has opened that.
#[derive(Clone, Default)]
pub(super) struct Opened(Rc<RefCell<Option<Drawn>>>);

type Drawn = (Arc<Window>, Result<Graphics, GpuError>);

impl Opened {
    pub(super) fn put(&self, window: Arc<Window>, graphics: Result<Graphics, GpuError>) {
        self.0.replace(Some((window, graphics)));
    }

    pub(super) fn take(&self) -> Option<Drawn> {
        self.0.borrow_mut().take()
    }
}

/// The link to what is seen: the time, and what is selected.
pub(crate) fn seen(desk: DeskRef<'_>) -> Option<String> {
    let document = desk.state.document.as_ref()?;
    let time = document.playback.as_ref().map(|it| it.time().ns());
    let module = document.complete(document.selection.chosen).module;
    let path = module.map(|it| document.session.hierarchy.path(it));
    let page = web_sys::window()?.location().href().ok()?;
    let page = page.split('#').next().unwrap_or_default();
    Some(format!("{page}{}", link::of(time, path.as_deref())))
}

/// A window on the canvas, as large as the page makes that.
pub(super) fn on_canvas(attributes: WindowAttributes) -> WindowAttributes {
    let canvas = canvas();
    let is_missing = canvas.is_none();
    attributes.with_canvas(canvas).with_append(is_missing)
}

fn canvas() -> Option<HtmlCanvasElement> {
    let document = web_sys::window()?.document()?;
    document.get_element_by_id(CANVAS)?.dyn_into().ok()
}

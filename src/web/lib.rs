//! The page that plays: what its script calls. Empty elsewhere than in a browser.

#![cfg(target_arch = "wasm32")]

use callscape_app::page;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = console)]
    fn error(text: &str);
    /// Has the page's script call [`work`] soon, unless it has not returned.
    #[wasm_bindgen(js_name = callscape_wake)]
    fn wake();
    /// Returns when the browser has drawn and taken events; only below [`work`].
    #[wasm_bindgen(js_name = callscape_rest)]
    fn rest();
}

/// Has work done by [`work`] from now on, since the browser has JavaScript Promise Integration
/// (<https://github.com/WebAssembly/js-promise-integration>).
#[wasm_bindgen]
pub fn work_aside() {
    page::work_by(wake);
}

/// Does the work that waits.
#[wasm_bindgen]
pub fn work() {
    page::work(rest);
}

/// Opens the window on the canvas `callscape`: on a pack, or without one on the built-in demo.
#[wasm_bindgen]
pub fn start(pack: Option<Vec<u8>>) -> Result<(), JsError> {
    std::panic::set_hook(Box::new(|panic| error(&panic.to_string())));
    page::start(pack.as_deref()).map_err(|error| JsError::new(&format!("{error:#}")))
}

/// Goes where a link within the page leads, such as `#3` or `#t=12.5ms`.
#[wasm_bindgen]
pub fn go(link: String) {
    page::go(link);
}

/// The state of the last frame, as JSON; nothing until the frame after the first call.
#[wasm_bindgen]
pub fn state() -> Option<String> {
    page::state()
}

/// Files that were dropped together on the page.
#[wasm_bindgen]
#[derive(Default)]
pub struct Dropped(Vec<(String, Vec<u8>)>);

#[wasm_bindgen]
impl Dropped {
    #[wasm_bindgen(constructor)]
    pub fn new() -> Dropped {
        Dropped::default()
    }

    pub fn add(&mut self, name: String, bytes: Vec<u8>) {
        self.0.push((name, bytes));
    }

    /// Opens them.
    pub fn open(self) {
        page::open(&self.0);
    }
}

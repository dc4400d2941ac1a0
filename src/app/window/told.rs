//! What reaches the event loop from other threads.

/// A worker has something to tell, or a screen reader asks for something.
#[derive(Debug)]
pub(super) enum Told {
    Wake,
    /// The browser has opened a device, or has none.
    #[cfg(target_arch = "wasm32")]
    Device,
    /// The page's address leads elsewhere.
    #[cfg(target_arch = "wasm32")]
    Link(String),
    /// Files that were dropped on the page and are held.
    #[cfg(target_arch = "wasm32")]
    Dropped(Vec<std::path::PathBuf>),
    /// The page's script wants to know what each frame shows.
    #[cfg(target_arch = "wasm32")]
    Watch,
    #[cfg(feature = "accesskit")]
    Reader(egui_winit::accesskit_winit::Event),
}

#[cfg(feature = "accesskit")]
impl From<egui_winit::accesskit_winit::Event> for Told {
    fn from(event: egui_winit::accesskit_winit::Event) -> Told {
        Told::Reader(event)
    }
}

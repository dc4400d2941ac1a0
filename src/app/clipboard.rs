//! The clipboard of X11, and pictures on that of Wayland. What egui's window layer would bring for them decodes every
//! kind of picture, a twentieth of the whole build. Text on Wayland, and everything on other systems, is left to it.

use egui::OutputCommand;
use winit::window::Window;

/// What is copied and pasted where egui's window layer does neither.
#[derive(Default)]
pub(crate) struct Clipboard {
    #[cfg(all(unix, not(target_vendor = "apple")))]
    system: system::System,
}

impl Clipboard {
    pub(crate) fn new(window: &Window) -> Clipboard {
        #[cfg(all(unix, not(target_vendor = "apple")))]
        return Clipboard {
            system: system::System::new(window),
        };
        #[cfg(not(all(unix, not(target_vendor = "apple"))))]
        {
            let _ = window;
            Clipboard::default()
        }
    }

    /// The text that Ctrl + V pastes; none where there is no text, or where it is not ours to say.
    pub(crate) fn text(&mut self) -> Option<String> {
        #[cfg(all(unix, not(target_vendor = "apple")))]
        return self.system.text(system::Of::Clipboard);
        #[cfg(not(all(unix, not(target_vendor = "apple"))))]
        None
    }

    /// The text that is selected somewhere, which the middle button pastes.
    pub(crate) fn selected_text(&mut self) -> Option<String> {
        #[cfg(all(unix, not(target_vendor = "apple")))]
        return self.system.text(system::Of::Selection);
        #[cfg(not(all(unix, not(target_vendor = "apple"))))]
        None
    }

    /// Carries out what of `commands` it can and takes it out. An error says what was not copied and why.
    pub(crate) fn take(&mut self, commands: &mut Vec<OutputCommand>) -> Result<(), String> {
        let mut result = Ok(());
        commands.retain(|command| match self.copy(command) {
            None => true,
            Some(done) => {
                result = std::mem::replace(&mut result, Ok(())).and(done);
                false
            }
        });
        result
    }

    /// A browser takes text, and says later whether it has.
    #[cfg(target_arch = "wasm32")]
    fn copy(&mut self, command: &OutputCommand) -> Option<Result<(), String>> {
        let OutputCommand::CopyText(text) = command else {
            return None;
        };
        let window = web_sys::window()?;
        let _ = window.navigator().clipboard().write_text(text);
        Some(Ok(()))
    }

    /// None for what is left to egui's window layer.
    #[cfg(not(target_arch = "wasm32"))]
    fn copy(&mut self, command: &OutputCommand) -> Option<Result<(), String>> {
        #[cfg(all(unix, not(target_vendor = "apple")))]
        return match command {
            OutputCommand::CopyText(text) => self.system.set_text(system::Of::Clipboard, text),
            OutputCommand::CopyImage(image) => Some(self.system.set_picture(image)),
            OutputCommand::TextSelectionSettled(text) => {
                self.system.set_text(system::Of::Selection, text)
            }
            _ => None,
        };
        #[cfg(not(all(unix, not(target_vendor = "apple"))))]
        {
            let _ = command;
            None
        }
    }
}

#[cfg(all(unix, not(target_vendor = "apple")))]
mod system {
    use std::time::Duration;

    use egui::ColorImage;
    use winit::raw_window_handle::{HasDisplayHandle, RawDisplayHandle};
    use winit::window::Window;
    use wl_clipboard_rs::copy::{MimeType, Options, Source};
    use x11_clipboard::Clipboard as X11;

    /// A program that holds the clipboard and does not answer in this time has nothing to paste.
    const PATIENCE: Duration = Duration::from_millis(500);

    /// The two clipboards that X11 and Wayland have.
    #[derive(Clone, Copy)]
    pub(super) enum Of {
        Clipboard,
        /// What is selected, X11's primary selection.
        Selection,
    }

    #[derive(Default)]
    pub(super) struct System {
        is_wayland: bool,
        /// The connection, made when it is first needed.
        x11: Option<X11>,
    }

    impl System {
        pub(super) fn new(window: &Window) -> System {
            let handle = window.display_handle();
            System {
                is_wayland: handle
                    .is_ok_and(|handle| matches!(handle.as_raw(), RawDisplayHandle::Wayland(_))),
                x11: None,
            }
        }

        fn x11(&mut self) -> Result<&X11, String> {
            if self.x11.is_none() {
                self.x11 = Some(X11::new().map_err(|error| error.to_string())?);
            }
            self.x11.as_ref().ok_or_else(String::new)
        }

        /// None on Wayland, where egui's window layer copies and pastes text.
        pub(super) fn text(&mut self, of: Of) -> Option<String> {
            if self.is_wayland {
                return None;
            }
            let x11 = self.x11().ok()?;
            let atoms = &x11.getter.atoms;
            let selection = match of {
                Of::Clipboard => atoms.clipboard,
                Of::Selection => atoms.primary,
            };
            let bytes = x11.load(selection, atoms.utf8_string, atoms.property, PATIENCE);
            let text = String::from_utf8(bytes.ok()?).ok()?;
            (!text.is_empty()).then_some(text)
        }

        pub(super) fn set_text(&mut self, of: Of, text: &str) -> Option<Result<(), String>> {
            (!self.is_wayland).then(|| {
                let x11 = self.x11()?;
                let atoms = &x11.setter.atoms;
                let selection = match of {
                    Of::Clipboard => atoms.clipboard,
                    Of::Selection => atoms.primary,
                };
                x11.store(selection, atoms.utf8_string, text)
                    .map_err(|error| error.to_string())
            })
        }

        pub(super) fn set_picture(&mut self, image: &ColorImage) -> Result<(), String> {
            let file = png(image)?;
            if self.is_wayland {
                let source = Source::Bytes(file.clone().into_boxed_slice());
                let kind = MimeType::Specific("image/png".to_owned());
                if Options::new().copy(source, kind).is_ok() {
                    return Ok(());
                }
                // A compositor without the protocol for it may run a server for X11 beside, and shares what that holds.
            }
            let x11 = self.x11()?;
            let kind = x11.setter.get_atom("image/png");
            let kind = kind.map_err(|error| error.to_string())?;
            x11.store(x11.setter.atoms.clipboard, kind, file)
                .map_err(|error| error.to_string())
        }
    }

    /// The picture as a PNG file.
    fn png(image: &ColorImage) -> Result<Vec<u8>, String> {
        let side = |side: usize| u32::try_from(side).map_err(|error| error.to_string());
        let pixels = image.pixels.iter();
        let image = callscape_look::image::Image {
            width: side(image.size[0])?,
            height: side(image.size[1])?,
            rgba: pixels
                .flat_map(|pixel| pixel.to_srgba_unmultiplied())
                .collect(),
        };
        image.png().map_err(|error| error.to_string())
    }
}

//! The panels' side of the window: egui's context, its input, and the triangles it makes.

use std::time::Duration;

use egui::{Pos2, Rect, Ui};
use winit::event::{MouseButton, WindowEvent};
use winit::event_loop::ActiveEventLoop;
use winit::keyboard::{Key, KeyCode, PhysicalKey};
use winit::window::Window;

use super::canvas::Panels;
use super::clipboard::Clipboard;
use super::letters::Letters;
use callscape_model::theme::Theme;
use callscape_views::{style, widgets};
#[cfg(feature = "accesskit")]
use egui_winit::accesskit_winit;
#[cfg(feature = "accesskit")]
use winit::event_loop::EventLoopProxy;

/// egui and what it knows of one window.
pub(crate) struct Overlay {
    ctx: egui::Context,
    letters: Letters,
    input: egui_winit::State,
    clipboard: Clipboard,
    theme: Theme,
    /// Where the landscape was seen in the last frame, in points.
    landscape: Rect,
}

/// One frame's panels, and when egui wants the next.
pub(crate) struct PanelFrame {
    pub panels: Panels,
    pub repaint_after: Duration,
    /// Why something that was to be copied is not on the clipboard.
    pub copied: Result<(), String>,
}

impl Overlay {
    pub(crate) fn new(window: &Window, max_texture_side: u32, theme: Theme) -> Overlay {
        let ctx = egui::Context::default();
        // Zooming the panels is the window system's affair; + and - are the speed.
        ctx.options_mut(|options| options.zoom_with_keyboard = false);
        style::set_fonts(&ctx, None);
        style::set_theme(&ctx, theme);
        let input = egui_winit::State::new(
            ctx.clone(),
            egui::ViewportId::ROOT,
            window,
            Some(window.scale_factor() as f32),
            None,
            Some(max_texture_side as usize),
        );
        Overlay {
            ctx,
            letters: Letters::default(),
            input,
            clipboard: Clipboard::new(window),
            theme,
            landscape: Rect::NOTHING,
        }
    }

    /// Lets a screen reader ask what the window shows; what it asks comes back as an event. Before the window is seen.
    #[cfg(feature = "accesskit")]
    pub fn with_reader<T: From<accesskit_winit::Event> + Send>(
        mut self,
        event_loop: &ActiveEventLoop,
        window: &Window,
        proxy: EventLoopProxy<T>,
    ) -> Overlay {
        self.input.init_accesskit(event_loop, window, proxy);
        self
    }

    /// Takes what a screen reader asks; it is answered with the next frame.
    #[cfg(feature = "accesskit")]
    pub fn on_reader(&mut self, event: accesskit_winit::WindowEvent) {
        match event {
            accesskit_winit::WindowEvent::InitialTreeRequested => self.ctx.enable_accesskit(),
            accesskit_winit::WindowEvent::ActionRequested(request) => {
                self.input.on_accesskit_action_request(request);
            }
            accesskit_winit::WindowEvent::AccessibilityDeactivated => self.ctx.disable_accesskit(),
        }
    }

    pub(crate) fn ctx(&self) -> &egui::Context {
        &self.ctx
    }

    /// Letters and lines are so many times as large as usual.
    pub(crate) fn set_scale(&self, scale: f32) {
        self.ctx.set_zoom_factor(scale);
    }

    /// Hands an event to egui; whether it wants to be shown anew.
    pub(crate) fn on_event(&mut self, window: &Window, event: &WindowEvent) -> bool {
        // egui answers this one with the wish to be redrawn, for ever.
        if matches!(event, WindowEvent::RedrawRequested) {
            return false;
        }
        self.paste(event);
        self.input.on_window_event(window, event).repaint
    }

    /// Has the text ready that this event may paste. Ctrl + V takes egui's own copy of the clipboard, which is only
    /// brought up to date here.
    fn paste(&mut self, event: &WindowEvent) {
        match event {
            WindowEvent::KeyboardInput { event, .. } if event.state.is_pressed() => {
                let may_paste = match event.physical_key {
                    PhysicalKey::Code(KeyCode::Paste) => true,
                    _ if !self.ctx.input(|input| input.modifiers.command) => false,
                    PhysicalKey::Code(KeyCode::KeyV) => true,
                    _ => {
                        matches!(&event.logical_key, Key::Character(key) if key.eq_ignore_ascii_case("v"))
                    }
                };
                if let Some(text) = may_paste.then(|| self.clipboard.text()).flatten() {
                    self.input.set_clipboard_text(text);
                }
            }
            WindowEvent::MouseInput { state, button, .. }
                if state.is_pressed() && *button == MouseButton::Middle && self.is_typing() =>
            {
                let pos = self.ctx.pointer_latest_pos();
                if let (Some(pos), Some(text)) = (pos, self.clipboard.selected_text()) {
                    let events = &mut self.input.egui_input_mut().events;
                    events.push(egui::Event::MiddleClickPaste { pos, text });
                }
            }
            _ => {}
        }
    }

    /// Whether a panel or another view, and not the landscape, lies at a place in physical pixels, or has
    /// the pointer.
    pub(crate) fn covers(&self, x: f32, y: f32) -> bool {
        let at = Pos2::new(x, y) / self.ctx.pixels_per_point();
        match self.ctx.layer_id_at(at) {
            Some(layer) if layer.order != egui::Order::Background => true,
            _ => !self.landscape.contains(at) || self.ctx.dragged_id().is_some(),
        }
    }

    /// Whether a field has the keyboard.
    pub(crate) fn is_typing(&self) -> bool {
        self.ctx.egui_wants_keyboard_input()
    }

    /// Gives the keyboard to the first widget, as Tab does where it is egui's; to that of the card in front where one says so.
    pub(crate) fn focus_first(&mut self) {
        if let Some(id) = widgets::first_in_front(&self.ctx) {
            self.ctx.memory_mut(|memory| memory.request_focus(id));
            return;
        }
        let events = &mut self.input.egui_input_mut().events;
        for pressed in [true, false] {
            events.push(egui::Event::Key {
                key: egui::Key::Tab,
                physical_key: None,
                pressed,
                repeat: false,
                modifiers: egui::Modifiers::NONE,
            });
        }
    }

    pub(crate) fn has_open_menu(&self) -> bool {
        egui::Popup::is_any_open(&self.ctx)
    }

    /// Runs the panels once. `show` gives back where the landscape is seen, in points.
    pub(crate) fn run(
        &mut self,
        window: &Window,
        event_loop: &ActiveEventLoop,
        theme: Theme,
        show: impl FnMut(&mut Ui) -> Rect,
    ) -> PanelFrame {
        if theme != self.theme {
            self.theme = theme;
            style::set_theme(&self.ctx, theme);
        }
        let input = self.input.take_egui_input(window);
        let mut show = show;
        let landscape = &mut self.landscape;
        let mut output = self.ctx.run_ui(input, |ui| {
            let root = egui::accesskit_root_id();
            ui.accesskit_node_builder(root, |node| node.set_label("Callscape"));
            *landscape = show(ui);
        });
        let mut platform = std::mem::take(&mut output.platform_output);
        let copied = self.clipboard.take(&mut platform.commands);
        self.input
            .handle_platform_output_with_event_loop(window, event_loop, platform);
        let viewport = output.viewport_output.get(&egui::ViewportId::ROOT);
        let mut repaint_after = viewport.map_or(Duration::MAX, |viewport| viewport.repaint_delay);
        let pixels_per_point = output.pixels_per_point;
        let shapes = std::mem::take(&mut output.shapes);
        if self.letters.look(&self.ctx, &shapes) {
            repaint_after = Duration::ZERO;
        }
        PanelFrame {
            panels: Panels {
                primitives: self.ctx.tessellate(shapes, pixels_per_point),
                textures: std::mem::take(&mut output.textures_delta),
                pixels_per_point,
            },
            repaint_after,
            copied,
        }
    }
}

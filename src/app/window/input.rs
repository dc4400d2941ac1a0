//! Keys and the pointer, and what they ask for.

use glam::Vec2;
use winit::event::{ElementState, MouseButton, MouseScrollDelta, WindowEvent};
use winit::keyboard::{Key, NamedKey};

use super::App;
use crate::app::camera::Mode;
use crate::app::command::Command;
use crate::app::keys;
use crate::app::panels;
use crate::app::pointer::Button;
use crate::views::table::ViewId;

/// What browsers take a line of a wheel to be, in pixels.
const PIXELS_OF_A_LINE: f32 = 40.0;

impl App {
    /// A key went down or up: whether egui is to see it too.
    pub(super) fn on_key(&mut self, event: &winit::event::KeyEvent) -> bool {
        let Some(view) = &self.view else {
            return false;
        };
        let pressed = event.state == ElementState::Pressed;
        if self.bench.is_live() {
            if pressed && let Some(command) = keys::in_presentation(event, self.modifiers) {
                self.execute(command);
                return false;
            }
            if event.logical_key == Key::Named(NamedKey::F5) {
                return false;
            }
        }
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
                self.after_typing.push(command);
                self.keys_wait = true;
                self.redraw();
            }
            return !is_ours;
        }
        let escape = event.logical_key == Key::Named(NamedKey::Escape);
        if escape && view.overlay.has_open_menu() {
            return true;
        }
        // With Ctrl a letter is a command, whatever it does alone.
        let flies = !pressed || !self.modifiers.control_key();
        let moves = flies && self.fly_keys.set(event.physical_key, pressed);
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
            self.keys_wait |= command == Command::OpenSearch;
            self.execute(command);
        }
        false
    }

    pub(super) fn on_pointer(&mut self, event: &WindowEvent) {
        let Some(view) = &self.view else {
            return;
        };
        match event {
            WindowEvent::CursorMoved { position, .. } => {
                let at = Vec2::new(position.x as f32, position.y as f32);
                let over_panel = view.overlay.covers(at.x, at.y);
                self.bench.enter_half(at);
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
                let by = match delta {
                    MouseScrollDelta::LineDelta(x, y) => Vec2::new(*x, *y),
                    MouseScrollDelta::PixelDelta(by) => {
                        Vec2::new(by.x as f32, by.y as f32) / PIXELS_OF_A_LINE
                    }
                };
                let shift = self.modifiers.shift_key();
                self.bench.scrolled(by, PIXELS_OF_A_LINE, shift);
                self.redraw();
            }
            WindowEvent::PinchGesture { delta, .. } => {
                self.bench.pinched(*delta as f32);
                self.redraw();
            }
            WindowEvent::RotationGesture { delta, .. } => {
                self.bench.twisted(*delta);
                self.redraw();
            }
            WindowEvent::PanGesture { delta, .. } => {
                self.bench.moved_along(Vec2::new(delta.x, delta.y));
                self.redraw();
            }
            // What a Mac calls the smart zoom.
            WindowEvent::DoubleTapGesture { .. } => {
                let pointed = self.bench.document.as_ref();
                let module = pointed.and_then(|open| open.selection.pointed.module);
                if let Some(module) = module.filter(|_| self.bench.pointer.at.is_some()) {
                    self.execute(Command::FlyTo(module));
                }
            }
            _ => {}
        }
    }
}

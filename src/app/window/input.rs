//! Keys and the pointer, and what they ask for.

use glam::Vec2;
use winit::event::{ElementState, MouseButton, MouseScrollDelta, WindowEvent};
use winit::keyboard::{Key, NamedKey};

use super::App;
use super::touch::Gesture;
use crate::command::{Command, PaletteAsk};
use crate::keys;
use crate::panels;
use callscape_state::action::Scope;
use callscape_state::ask::{CameraAsk, SearchAsk, SelectAsk};
use callscape_state::camera::Mode;
use callscape_state::panes::Kind;
use callscape_state::pointer::Button;

/// What browsers take a line of a wheel to be, in pixels.
const PIXELS_OF_A_LINE: f32 = 40.0;

impl App {
    /// A key went down or up: whether egui is to see it too.
    pub(super) fn on_key(&mut self, event: &winit::event::KeyEvent) -> bool {
        let Some(view) = &self.view else {
            return false;
        };
        let pressed = event.state == ElementState::Pressed;
        if self.desk.is_live() {
            let asked = keys::asked(Scope::Presentation, event, self.modifiers, &self.desk.state);
            if pressed && let Some(ask) = asked {
                self.execute(ask);
                return false;
            }
            if event.logical_key == Key::Named(NamedKey::F5) {
                return false;
            }
        }
        if view.overlay.is_typing() {
            let ask = self.asked_while_typing(event).filter(|_| pressed);
            let is_ours = ask.is_some();
            if let Some(ask) = ask {
                self.after_typing.push(ask);
                self.keys_wait = true;
                self.redraw();
            }
            return !is_ours;
        }
        // Keys go to what lies on top: the arrows to a list that has dropped down, and not to the table behind it.
        if view.overlay.has_open_menu() {
            if !pressed {
                self.fly_keys.set(event.physical_key, false);
            }
            return true;
        }
        // With Ctrl a letter is a command, whatever it does alone, and the sign of a view may lie on a key of fly mode.
        let is_sign = keys::is_sign_of_view(&event.logical_key, self.modifiers);
        let flies = !pressed || !self.modifiers.control_key() && !is_sign;
        let moves = flies && self.fly_keys.set(event.physical_key, pressed);
        if self.desk.state.moving.camera.mode() == Mode::Fly {
            self.desk
                .state
                .moving
                .camera
                .set_thrust(self.fly_keys.thrust());
            self.redraw();
            if moves {
                return false;
            }
        }
        if !pressed {
            return false;
        }
        if self.desk.palette.menu.is_some() {
            let ask = keys::asked(Scope::Palette, event, self.modifiers, &self.desk.state);
            self.execute(ask.unwrap_or(PaletteAsk::CloseMenu.into()));
            return false;
        }
        let mut scopes = Vec::with_capacity(4);
        let panes = &self.desk.state.panes;
        scopes.extend(
            panes
                .under_pointer(Kind::AlongTime)
                .map(|_| Scope::AlongTime),
        );
        scopes.extend(panes.under_pointer(Kind::Table).map(|_| Scope::Table));
        scopes.extend(panes.under_pointer(Kind::Chart).map(|_| Scope::Chart));
        scopes.extend(panes.under_pointer(Kind::Graph).map(|_| Scope::Graph));
        scopes.push(Scope::Anywhere);
        let mut asks = scopes.into_iter();
        let asked =
            asks.find_map(|scope| keys::asked(scope, event, self.modifiers, &self.desk.state));
        if let Some(ask) = asked {
            self.keys_wait |= ask == SearchAsk::Open.into() || ask == PaletteAsk::Toggle.into();
            self.execute(ask);
        }
        false
    }

    /// What a key asks for while a field has the keyboard; nothing for what edits the text.
    fn asked_while_typing(&self, event: &winit::event::KeyEvent) -> Option<Command> {
        let ctx = self.view.as_ref()?.overlay.ctx();
        let is_in = |field: &str| ctx.memory(|memory| memory.has_focus(egui::Id::unique(field)));
        let asked = |scope| keys::asked(scope, event, self.modifiers, &self.desk.state);
        if is_in(panels::SEARCH_FIELD)
            && let Some(ask) = asked(Scope::Search)
        {
            return Some(ask);
        }
        if is_in(panels::PALETTE_FIELD)
            && let Some(ask) = asked(Scope::Palette)
        {
            return Some(ask);
        }
        if self.desk.state.mapping.is_open
            && let Some(ask) = asked(Scope::Mapping)
        {
            return Some(ask);
        }
        let mut fields = self.desk.views.fields();
        let (view, _) = fields.find(|(_, field)| is_in(field))?;
        keys::asked_of_field(view, event, self.modifiers, &self.desk.state)
    }

    pub(super) fn on_pointer(&mut self, event: &WindowEvent) {
        let Some(view) = &self.view else {
            return;
        };
        match event {
            WindowEvent::CursorMoved { position, .. } => {
                let at = Vec2::new(position.x as f32, position.y as f32);
                let over_panel = view.overlay.covers(at.x, at.y);
                self.desk.state.enter_half(at);
                self.desk
                    .state
                    .pointer_moved(at - self.desk.state.moving.viewport.origin, over_panel);
            }
            WindowEvent::CursorLeft { .. } => self.desk.state.pointer_left(),
            WindowEvent::MouseInput { state, button, .. } => {
                let button = match button {
                    MouseButton::Left => Button::Left,
                    MouseButton::Right => Button::Right,
                    MouseButton::Middle => Button::Middle,
                    MouseButton::Back | MouseButton::Forward => {
                        if *state == ElementState::Pressed {
                            let back = *button == MouseButton::Back;
                            self.execute(if back {
                                SelectAsk::Back
                            } else {
                                SelectAsk::Forward
                            });
                        }
                        return;
                    }
                    MouseButton::Other(_) => return,
                };
                let command = match cfg!(target_vendor = "apple") {
                    true => self.modifiers.super_key(),
                    false => self.modifiers.control_key(),
                };
                match state {
                    ElementState::Pressed => {
                        let shift = self.modifiers.shift_key();
                        self.desk.state.pointer_pressed(button, shift);
                        if command && button == Button::Left {
                            self.desk.state.carry_district();
                        }
                    }
                    ElementState::Released => {
                        self.desk.state.pointer_released(button, command);
                    }
                }
            }
            WindowEvent::MouseWheel { delta, .. }
                if self.desk.state.moving.pointer.at.is_some() =>
            {
                let by = match delta {
                    MouseScrollDelta::LineDelta(x, y) => Vec2::new(*x, *y),
                    MouseScrollDelta::PixelDelta(by) => {
                        Vec2::new(by.x as f32, by.y as f32) / PIXELS_OF_A_LINE
                    }
                };
                let shift = self.modifiers.shift_key();
                self.desk.state.scrolled(by, PIXELS_OF_A_LINE, shift);
                self.redraw();
            }
            WindowEvent::Touch(touch) => {
                if let Some(gesture) = self.fingers.on(touch) {
                    self.on_gesture(gesture);
                }
            }
            WindowEvent::PinchGesture { delta, .. } => {
                self.desk.state.pinched(*delta as f32);
                self.redraw();
            }
            WindowEvent::RotationGesture { delta, .. } => {
                self.desk.state.twisted(*delta);
                self.redraw();
            }
            WindowEvent::PanGesture { delta, .. } => {
                self.desk.state.moved_along(Vec2::new(delta.x, delta.y));
                self.redraw();
            }
            // What a Mac calls the smart zoom.
            WindowEvent::DoubleTapGesture { .. } => {
                let pointed = self.desk.state.document.as_ref();
                let module = pointed.and_then(|open| open.selection.pointed.module);
                if let Some(module) = module.filter(|_| self.desk.state.moving.pointer.at.is_some())
                {
                    self.execute(CameraAsk::FlyTo(module));
                }
            }
            _ => {}
        }
    }

    /// One finger drags and selects as the left button does; two zoom, turn and move.
    fn on_gesture(&mut self, gesture: Gesture) {
        match gesture {
            Gesture::Down(at) => {
                self.touched(at);
                self.desk.state.pointer_pressed(Button::Left, false);
            }
            Gesture::Moved(at) => self.touched(at),
            Gesture::Joined => self.desk.state.release_pointer(),
            Gesture::Parted(change) => {
                self.touched(change.middle);
                let state = &mut self.desk.state;
                state.pinched(change.share);
                state.twisted(change.degrees);
                state.moved_along(change.by);
            }
            Gesture::Up => {
                self.desk.state.pointer_released(Button::Left, false);
                self.desk.state.pointer_left();
            }
            Gesture::Cancelled => {
                self.desk.state.release_pointer();
                self.desk.state.pointer_left();
            }
        }
        self.redraw();
    }

    fn touched(&mut self, at: Vec2) {
        let Some(view) = &self.view else { return };
        let over_panel = view.overlay.covers(at.x, at.y);
        let state = &mut self.desk.state;
        state.enter_half(at);
        state.pointer_moved(at - state.moving.viewport.origin, over_panel);
    }
}

//! What the asks of the camera do: those that lead somewhere first find out where that is.

use super::ask::{CameraAsk, ViewAsk};
use super::destination::Destination;
use super::document::Document;
use super::panes::Kind;
use super::state::State;
use callscape_base::units::ModuleId;

impl State {
    pub(super) fn on_camera(&mut self, ask: CameraAsk) {
        match ask {
            CameraAsk::FlyTo(module) => self.fly_there(module),
            CameraAsk::FlyIfSeen(module) => self.fly(Destination::Module(module)),
            CameraAsk::FlyToSelection => {
                let selection = self.document.as_ref().map(|open| &open.selection);
                let module = selection.and_then(|it| it.chosen.module.or(it.pointed.module));
                if let Some(module) = module {
                    self.fly_there(module);
                }
            }
            CameraAsk::FlyHome => {
                let kinds = [Kind::AlongTime, Kind::Chart, Kind::Graph];
                match kinds.iter().find_map(|&it| self.panes.under_pointer(it)) {
                    Some(view) => self.ask_views(Some(view), ViewAsk::ShowAll),
                    None => self.fly(Destination::Home),
                }
            }
            CameraAsk::ToggleFollowing
            | CameraAsk::OrbitOrFly
            | CameraAsk::LookFrom(_)
            | CameraAsk::LookAt(..)
            | CameraAsk::PastView
            | CameraAsk::NextView => {
                let is_seen = self.panes.is_main_visible();
                let seen = self.document.as_ref().filter(|_| is_seen);
                self.moving.on(ask, seen);
            }
        }
    }

    /// An action is about to have the camera fly somewhere.
    pub fn leaves_for_elsewhere(&mut self) {
        if let Some(document) = &self.document {
            self.moving.leaves_for_elsewhere(document.generation());
        }
    }

    /// Flies, where it can be seen, as soon as it is known where that is.
    pub fn fly(&mut self, to: Destination) {
        let shown = self.document.as_ref().map(Document::generation);
        if let Some(shown) = shown.filter(|_| self.panes.is_main_visible()) {
            self.moving.fly(to, shown);
        }
    }

    /// Flies to a module, which opens the landscape where that is closed.
    pub(crate) fn fly_there(&mut self, module: ModuleId) {
        if self.document.is_some() {
            if !self.panes.is_main_visible() {
                self.panes.open_main();
            }
            self.fly(Destination::Module(module));
        }
    }

    /// The module that fills the landscape: nothing else is to be seen, but for the rim.
    pub fn filling(&self) -> Option<ModuleId> {
        let document = self.document.as_ref();
        let document = document.filter(|_| self.panes.is_main_visible());
        document?.city.filling()
    }
}

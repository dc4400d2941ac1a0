//! Where a flight of the camera leads.

use callscape_base::units::ModuleId;
use callscape_look::pose::Pose;

/// Where a flight leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Destination {
    Home,
    Module(ModuleId),
}

/// Where the camera is, or on its way to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goal {
    Pose(Pose),
    /// As soon as it is known where that is.
    To(Destination),
}

impl Goal {
    /// The same in another structure, in which `to` says which module is which; home where one is gone.
    pub fn moved(self, to: &dyn Fn(ModuleId) -> Option<ModuleId>) -> Goal {
        match self {
            Goal::To(Destination::Module(module)) => {
                Goal::To(to(module).map_or(Destination::Home, Destination::Module))
            }
            goal => goal,
        }
    }
}

//! What the user can ask for: keys, buttons and the pointer all come down to these.

use std::path::PathBuf;

use super::playback::{Clock, Step};
use crate::units::{ModuleId, Time};
use crate::views::landscape::LandscapeSettings;

#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Opens what was dropped: a source tree, recordings, or both.
    Open(Vec<PathBuf>),
    CancelLoading,
    DismissMessage(usize),

    PlayOrPause,
    /// By this many cels.
    Step(i64),
    Seek(Time),
    ToStart,
    ToEnd,
    /// Nanoseconds of trace, or events, a second.
    SetSpeed(f64),
    /// Multiplies the speed.
    ScaleSpeed(f64),
    SetClock(Clock),
    SetStep(Step),
    ToggleLoop,

    Select(Option<ModuleId>),
    FlyTo(ModuleId),
    FlyToSelection,
    FlyHome,
    OrbitOrFly,
    /// The module given, or what is selected or pointed at.
    CollapseOrExpand(Option<ModuleId>),

    /// The query was edited.
    Search(String),
    OpenSearch,
    /// Down the list of results, up for negative numbers.
    MoveInResults(i32),
    /// Selects the result with this number, or the marked one, and flies to it.
    TakeResult(Option<usize>),

    Configure(LandscapeSettings),
    SwitchTheme,
    ToggleHelp,
    ToggleSettings,
    ToggleLegend,
    ToggleStacks,
    ToggleTimings,
    /// Leaves the innermost of what is open: work under way, search, help, settings, a flight, the
    /// selection.
    Escape,
}

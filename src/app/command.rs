//! What the user can ask for: keys, buttons and the pointer all come down to these.

use std::path::PathBuf;

use glam::Vec2;

use super::call_steps::CallStep;
use super::camera::Preset;
use super::details::NeighbourOrder;
use super::picture::PictureWish;
use super::playback::{Clock, Step};
use super::presenting::{bookmarks, live, script};
use super::rows::RowsChoice;
use super::sheets::SheetAction;
use super::versus::Together;
use crate::analysis::alignment::Link;
use crate::analysis::comparison::amounts::Measure;
use crate::analysis::comparison::pairing::Correction;
use crate::analysis::comparison::tables::Norm;
use crate::filter::filters::FilterStep;
use crate::filter::selection::Pointed;
use crate::model::calls::CallColumn;
use crate::model::difference::Strength;
use crate::model::differences::Choice;
use crate::model::functions::Column;
use crate::model::highlight::Highlight;
use crate::model::landscape::LandscapeSettings;
use crate::model::linked::Along;
use crate::render::renderer::Quality;
use crate::units::{ModuleId, Time, TimeRange};
use crate::views::table::ViewId;

/// What a key does to the sheet under the pointer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SheetKey {
    /// Times as much detail along time.
    Zoom(f32),
    /// By a share of what is visible.
    Pan(f32),
}

/// From a call to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallWalk {
    NextOfFunction,
    PreviousOfFunction,
    Caller,
    FirstChild,
    LongestChild,
    /// Stays, and shows all of it.
    Fit,
    /// Stays, and limits every view to its time.
    Limit,
}

/// What a key does in a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableKey {
    /// Chooses the row so many further down.
    Rows(i64),
    /// By as many rows as are seen, down or up.
    Pages(i64),
    First,
    Last,
    /// Shows what the chosen row stands for: flies there, and shows all of a call.
    Enter,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Opens what was dropped: a source tree, recordings, or both.
    Open(Vec<PathBuf>),
    CancelLoading,
    /// Saves what is open and how it is looked at.
    SaveSession,
    DismissMessage(usize),

    PlayOrPause,
    /// Plays backward; pauses when it does.
    PlayBackward,
    /// By this many cels.
    Step(i64),
    Seek(Time),
    /// By calls, of the thread chosen or of the one that something happened on last; forward or back.
    StepCall(CallStep, bool),
    /// To the end of the cel with this number, from 1.
    ToCel(u64),
    ToStart,
    ToEnd,
    /// Nanoseconds of trace, or events, a second.
    SetSpeed(f64),
    /// Multiplies the speed.
    ScaleSpeed(f64),
    SetClock(Clock),
    SetStep(Step),
    /// How many cels a step goes.
    SetStride(u64),
    /// Shows the value of this name of a profile.
    ShowValue(String),
    /// Shows the other one of two runs.
    Flip,
    /// The final state over the whole recording or range, or back to the cel.
    ToggleSummary,
    ToggleSkipIdle,
    /// Lets the camera follow what runs.
    ToggleFollowing,
    ToggleLoop,

    /// Opens a view that is not seen, closes one that is.
    ToggleView(ViewId),
    /// Shows a view alone, that under the pointer for none, or all again.
    Maximise(Option<ViewId>),
    /// All views as they are at first.
    ResetViews,

    /// Does something to the sheet of a view.
    Sheet(ViewId, SheetAction),
    /// The same to the sheet under the pointer.
    SheetUnderPointer(SheetKey),
    /// Other rows of the overview, and those after the ones shown.
    SetRows(RowsChoice),
    NextRows,
    /// Chooses another call, from the one chosen.
    GoToCall(CallWalk),

    /// Chooses what a view says is at a place; nothing when it names nothing.
    Choose(Pointed),
    Select(Option<ModuleId>),
    /// Limits every view to a range, or to none.
    SetRange(Option<TimeRange>),
    /// The same while the pointer draws a range, and the end of that.
    DragRange(TimeRange),
    EndRangeDrag,
    /// Moves an end of the range to the time shown.
    StartRangeHere,
    EndRangeHere,
    /// Through past selections.
    Back,
    Forward,
    SearchFunctions(String),
    SortFunctions(Column),
    SortNeighbours(NeighbourOrder),
    /// A key in the table of a view.
    Table(ViewId, TableKey),
    /// Chooses a call of the list, which stays.
    ChooseListed(Pointed),
    SortCalls(CallColumn),
    ExportCalls,
    CancelCounting,
    CancelListing,

    /// Leaves something out of every view.
    Filter(FilterStep),
    /// Leaves out the module, what it triggers, or the thread that is chosen or pointed at.
    RemoveModule,
    RemoveBelow,
    HideThread,
    /// Brings back what the step with this number left out.
    RemoveFilter(usize),
    UndoFilter,
    RedoFilter,
    FlyTo(ModuleId),
    FlyToSelection,
    /// Looks in a preset direction: at everything where that is in sight, else at what is in the middle.
    LookFrom(Preset),
    /// Has this place of the ground in the middle; eases there, or is there at once.
    LookAt(Vec2, bool),
    /// Past views, and those gone back from.
    PastView,
    NextView,
    ToggleMinimap,
    /// Opens or closes the card in which one asks for a picture; changes what is asked for; draws and writes it.
    TogglePicture,
    EditPicture(PictureWish),
    SavePicture,
    /// Copies the landscape as it is seen to the clipboard.
    CopyPicture,
    /// Has a range of values stand out, or all alike.
    Highlight(Option<Highlight>),
    FlyHome,
    OrbitOrFly,
    /// What one asks of the bookmarks, and of the panel that lists them.
    Bookmarks(bookmarks::Ask),
    ToggleTalk,
    /// Shows the scene that is edited in it, or the bookmarks.
    ShowScript(bool),
    /// What one asks of the scene that is edited, and while one is presented.
    Script(script::Ask),
    Live(live::Ask),
    /// The file of bookmarks was named; writes them to it, and reads those in it.
    NameTalkFile(String),
    ExportBookmarks,
    ImportBookmarks,
    /// Puts what is open into a pack.
    Share,
    /// Letters and lines are so many times as large as before; as usual for 0.
    ScaleText(f32),
    /// The module given, or what is selected or pointed at.
    CollapseOrExpand(Option<ModuleId>),

    /// The module given, or what is selected or pointed at, and all in it.
    ExpandWhole(Option<ModuleId>),
    ExpandAll,
    /// Collapses what lies deeper than one level less, or expands one level more.
    ChangeLevel(i32),
    SetLevel(u16),
    /// Collapses what is too small on the screen, as the camera moves, or no longer.
    ToggleDetailBySize,

    ToggleMapping,
    EditMapping(String),
    /// The name of the mapping file was edited.
    NameMapping(String),
    SaveMapping,
    /// Shows the structure as it is.
    UseNoMapping,
    CancelJobs,

    /// The query was edited.
    Search(String),
    OpenSearch,
    /// Down the list of results, up for negative numbers.
    MoveInResults(i32),
    /// Selects the result with this number, or the marked one, and flies to it.
    TakeResult(Option<usize>),

    Configure(LandscapeSettings),
    SwitchTheme,
    /// How two runs stand beside each other; none: in the next way.
    Together(Option<Together>),
    /// A becomes B, and B becomes A.
    SwapRuns,
    /// By what two runs are compared, and what a strong colour says.
    CompareBy(Measure, Strength),
    /// What the amounts of two runs are brought on.
    Normalise(Norm),
    /// What the table of differences lists, and how.
    ListDifferences(Choice),
    /// Marks a function of A and one of B, to be paired or taken apart.
    MarkPair([Option<u32>; 2]),
    /// All that the user says of which function is which.
    CorrectPairs(Vec<Correction>),
    /// What is drawn of two runs along time.
    DrawAlong(Along),
    /// What the clocks of two runs are linked by.
    LinkClocks(Link),
    /// Moves the divider of a wipe to this share of the landscape's width.
    MoveDivider(f32),
    /// Collapses districts in which nothing differs, or expands everything.
    ToggleOnlyDifferences,
    ToggleHelp,
    ToggleSettings,
    ToggleLegend,
    ToggleStacks,
    ToggleTimings,
    /// How finely the landscape is drawn.
    SetQuality(Quality),
    /// Leaves the innermost of what is open: work under way, search, help, settings, a flight, the
    /// selection.
    Escape,
}

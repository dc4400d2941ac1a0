//! What the user can ask for: keys, buttons and the pointer all come down to these.
//!
//! Asks are gathered while a frame is shown and carried out before the next one, so that every view shows the same state.

use std::path::PathBuf;

use glam::Vec2;

use super::call_steps::CallStep;
use super::camera::Preset;
use super::details::NeighbourOrder;
use super::picture::PictureWish;
use super::playback::{Clock, Step};
pub use super::presenting::bookmarks::BookmarkAsk;
pub use super::presenting::live::LiveAsk;
pub use super::presenting::script::ScriptAsk;
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

/// Files: what is open.
#[derive(Clone, Debug, PartialEq)]
pub enum FileAsk {
    /// Opens what was dropped: a source tree, recordings, or both.
    Open(Vec<PathBuf>),
    CancelLoading,
    /// Saves what is open and how it is looked at.
    SaveSession,
    /// Puts what is open into a pack.
    Share,
    /// Shows the value of this name of a profile.
    ShowValue(String),
}

/// The clock of the recording.
#[derive(Clone, Debug, PartialEq)]
pub enum PlayAsk {
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
    /// The final state over the whole recording or range, or back to the cel.
    ToggleSummary,
    ToggleSkipIdle,
    ToggleLoop,
}

/// Where the landscape is looked at from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CameraAsk {
    /// Lets the camera follow what runs.
    ToggleFollowing,
    FlyTo(ModuleId),
    FlyToSelection,
    FlyHome,
    /// Looks in a preset direction: at everything where that is in sight, else at what is in the middle.
    LookFrom(Preset),
    /// Has this place of the ground in the middle; eases there, or is there at once.
    LookAt(Vec2, bool),
    /// Past views, and those gone back from.
    PastView,
    NextView,
    OrbitOrFly,
}

/// What is chosen, and the range that limits every view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SelectAsk {
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
    /// Chooses another call, from the one chosen.
    GoToCall(CallWalk),
}

/// What is left out of every view.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FilterAsk {
    Add(FilterStep),
    /// Leaves out the module, what it triggers, or the thread that is chosen or pointed at.
    RemoveModule,
    RemoveBelow,
    HideThread,
    /// Brings back what the step with this number left out.
    Remove(usize),
    Undo,
    Redo,
}

/// What is collapsed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CutAsk {
    /// The module given, or what is selected or pointed at.
    CollapseOrExpand(Option<ModuleId>),
    /// The same and all in it.
    ExpandWhole(Option<ModuleId>),
    ExpandAll,
    /// Collapses what lies deeper than one level less, or expands one level more.
    ChangeLevel(i32),
    SetLevel(u16),
    /// Collapses what is too small on the screen, as the camera moves, or no longer.
    ToggleDetailBySize,
}

/// What the landscape looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LookAsk {
    Configure(LandscapeSettings),
    SwitchTheme,
    /// Has a range of values stand out, or all alike.
    Highlight(Option<Highlight>),
    /// How finely the landscape is drawn.
    SetQuality(Quality),
    /// Multiplies the size of letters and lines; 0 makes it the usual one.
    ScaleText(f32),
}

/// Two runs beside each other.
#[derive(Clone, Debug, PartialEq)]
pub enum RunsAsk {
    /// Shows the other one of two runs.
    Flip,
    /// How two runs stand beside each other; none: in the next way.
    Together(Option<Together>),
    /// A becomes B, and B becomes A.
    Swap,
    /// By what two runs are compared, and what a strong colour says.
    CompareBy(Measure, Strength),
    /// What the amounts of two runs are divided by.
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
}

/// The search field.
#[derive(Clone, Debug, PartialEq)]
pub enum SearchAsk {
    /// The query was edited.
    Query(String),
    Open,
    /// Down the list of results, up for negative numbers.
    Move(i32),
    /// Selects the result with this number, or the marked one, and flies to it.
    Take(Option<usize>),
}

/// The mapping file and its editor.
#[derive(Clone, Debug, PartialEq)]
pub enum MappingAsk {
    Toggle,
    Edit(String),
    /// The name of the mapping file was edited.
    Name(String),
    Save,
    /// Shows the structure as it is.
    UseNone,
}

/// Cards over the views.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CardAsk {
    ToggleHelp,
    ToggleSettings,
    ToggleLegend,
    ToggleStacks,
    ToggleTimings,
    ToggleMinimap,
    DismissMessage(usize),
}

/// Which views are seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PaneAsk {
    /// Opens a view that is not seen, closes one that is.
    Toggle(ViewId),
    /// Shows a view alone, that under the pointer for none, or all again.
    Maximise(Option<ViewId>),
    /// All views as they are at first.
    Reset,
}

/// The tables.
#[derive(Clone, Debug, PartialEq)]
pub enum TableAsk {
    SearchFunctions(String),
    SortFunctions(Column),
    SortNeighbours(NeighbourOrder),
    /// A key in the table of a view, or of the one under the pointer.
    Press(Option<ViewId>, TableKey),
    /// Chooses a call of the list, which stays.
    ChooseListed(Pointed),
    SortCalls(CallColumn),
    ExportCalls,
}

/// The views that draw on sheets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SheetAsk {
    /// Does something to the sheet of a view.
    Act(ViewId, SheetAction),
    /// The same to the sheet under the pointer.
    Press(SheetKey),
    /// Other rows of the overview, and those after the ones shown.
    SetRows(RowsChoice),
    NextRows,
}

/// Cancels work on other threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CancelAsk {
    Counting,
    Listing,
    Everything,
}

/// Pictures for files and the clipboard.
#[derive(Clone, Debug, PartialEq)]
pub enum PictureAsk {
    /// Opens or closes the card in which a picture is asked for.
    Toggle,
    /// Changes what is asked for.
    Edit(PictureWish),
    /// Draws and writes it.
    Save,
    /// Copies the landscape as it is seen to the clipboard.
    Copy,
}

/// The panel that lists bookmarks and the scene that is edited.
#[derive(Clone, Debug, PartialEq)]
pub enum TalkAsk {
    Toggle,
    /// Shows the scene that is edited in it, or the bookmarks.
    ShowScript(bool),
    /// The file of bookmarks was named.
    Name(String),
    /// Writes the bookmarks to it.
    Export,
    /// Reads those in it.
    Import,
}

/// Anything that can be asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    File(FileAsk),
    Play(PlayAsk),
    Camera(CameraAsk),
    Select(SelectAsk),
    Filter(FilterAsk),
    Cut(CutAsk),
    Look(LookAsk),
    Runs(RunsAsk),
    Search(SearchAsk),
    Mapping(MappingAsk),
    Card(CardAsk),
    Pane(PaneAsk),
    Table(TableAsk),
    Sheet(SheetAsk),
    Cancel(CancelAsk),
    Picture(PictureAsk),
    Talk(TalkAsk),
    Bookmarks(BookmarkAsk),
    /// The scene that is edited.
    Script(ScriptAsk),
    /// While a scene is presented.
    Live(LiveAsk),
    /// Leaves the innermost of what is open: work under way, search, help, settings, a flight, the
    /// selection.
    Escape,
}

/// Makes an ask of each group.
macro_rules! groups {
    ($($group:ident($of:ty),)*) => {$(
        impl From<$of> for Ask {
            fn from(ask: $of) -> Ask {
                Ask::$group(ask)
            }
        }
    )*};
}

groups! {
    File(FileAsk),
    Play(PlayAsk),
    Camera(CameraAsk),
    Select(SelectAsk),
    Filter(FilterAsk),
    Cut(CutAsk),
    Look(LookAsk),
    Runs(RunsAsk),
    Search(SearchAsk),
    Mapping(MappingAsk),
    Card(CardAsk),
    Pane(PaneAsk),
    Table(TableAsk),
    Sheet(SheetAsk),
    Cancel(CancelAsk),
    Picture(PictureAsk),
    Talk(TalkAsk),
    Bookmarks(BookmarkAsk),
    Script(ScriptAsk),
    Live(LiveAsk),
}

/// What was asked for in a frame, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asks(Vec<Ask>);

impl Asks {
    pub fn push(&mut self, ask: impl Into<Ask>) {
        self.0.push(ask.into());
    }

    pub fn extend<T: Into<Ask>>(&mut self, asks: impl IntoIterator<Item = T>) {
        self.0.extend(asks.into_iter().map(Into::into));
    }

    pub fn append(&mut self, other: &mut Asks) {
        self.0.append(&mut other.0);
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Everything asked for, which is forgotten here.
    pub fn take(&mut self) -> Vec<Ask> {
        std::mem::take(&mut self.0)
    }
}

//! What the user can ask for: keys, buttons and the pointer all come down to these.
//!
//! Asks are gathered while a frame is shown and carried out before the next one, so that every view shows the same state.

use std::path::PathBuf;
use std::sync::Arc;

use glam::Vec2;

use super::call_steps::CallStep;
use super::camera::Preset;
use super::document::source::SourceLine;
use super::message::Message;
use super::own::Own;
use super::own_view::OwnView;
use super::playback::{Clock, Step};
use super::runs::RunsLayout;
use crate::panes::{Arrangement, Purpose, ViewId};
use callscape_analysis::alignment::Link;
use callscape_analysis::comparison::amounts::{Measure, Timed};
use callscape_analysis::comparison::pairing::Correction;
use callscape_analysis::comparison::tables::Norm;
use callscape_analysis::findings::Finding;
use callscape_analysis::session::Since;
use callscape_base::units::{ModuleId, Time, TimeRange};
use callscape_facts::frequency::Frequency;
use callscape_filter::filters::FilterStep;
use callscape_filter::marked::Marked;
use callscape_filter::selection::{CallOf, Pointed};
use callscape_look::quality::Quality;
use callscape_model::band::Band;
use callscape_model::difference::Strength;
use callscape_model::highlight::Highlight;
use callscape_model::landscape::LandscapeSettings;
use callscape_model::metric::Metric;
use callscape_model::surface::Surface;
use callscape_model::theme::Theme;

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
    /// Of any function that is marked.
    NextMarked,
    PreviousMarked,
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
    /// Chooses the row this many further down.
    Rows(i64),
    /// By as many rows as are seen, down or up.
    Pages(i64),
    First,
    Last,
    /// Shows what the chosen row stands for: flies there, and shows all of a call.
    Enter,
}

/// What a key does in a graph of who calls whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphKey {
    /// Shows what is chosen in more detail, or in less, or whichever it is not.
    More,
    Less,
    Toggle,
    /// The same of all.
    AllMore,
    AllLess,
    /// Has the width of lines say something else.
    Width,
    /// Shows more of what there was no room for.
    Rest,
    Nearer,
    Farther,
    /// Goes on to another box.
    Left,
    Right,
    Up,
    Down,
    /// Moves the selected box, or puts all boxes back that the user moved.
    MoveLeft,
    MoveRight,
    MoveUp,
    MoveDown,
    PutBack,
}

/// What is open.
#[derive(Clone, Debug, PartialEq)]
pub enum OpenAsk {
    CancelLoading,
    /// Shows the value of this name of a profile.
    ShowValue(String),
    /// Opens the same recordings with a source tree.
    Source(PathBuf),
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
    /// The sum so far beside the cel, or the cel alone.
    ToggleWithSum,
    ToggleSkipIdle,
    ToggleLoop,
}

/// Where the landscape is looked at from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CameraAsk {
    /// Lets the camera follow what runs.
    ToggleFollowing,
    /// Opens the view that the camera moves in where it is not seen.
    FlyTo(ModuleId),
    /// The same only where it is seen.
    FlyIfSeen(ModuleId),
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
    /// Chooses the next row of a walk, which is one step on the way back however long it is.
    Walk(Pointed),
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
    /// Leaves out what is called more often, in place of a limit before; none brings it back.
    LimitFrequency(Option<Frequency>),
    /// Brings back what the step with this number left out.
    Remove(usize),
}

/// What was changed of what is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepAsk {
    Undo,
    Redo,
    /// To what was shown after so many changes.
    GoTo(usize),
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
    /// Two districts of the outermost level change places.
    Swap(ModuleId, ModuleId),
    /// The district of what is selected or pointed at goes so many places on.
    MoveDistrict(i32),
    /// All districts go where the layout has them.
    PutBack,
    /// Collapses what is too small on the screen, as the camera moves, or no longer.
    ToggleDetailBySize,
}

/// What the landscape looks like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LookAsk {
    Configure(LandscapeSettings),
    SwitchTheme,
    /// This theme, or for none that of the system.
    Theme(Option<Theme>),
    /// The system has this theme.
    SystemTheme(Theme),
    /// What colours say, and what heights do.
    Surface(Surface),
    Height(Option<Metric>),
    /// Has a range of values stand out, or all alike.
    Highlight(Option<Highlight>),
    /// How finely the landscape is drawn.
    SetQuality(Quality),
    /// Multiplies the size of letters and lines; 0 makes it the usual one.
    ScaleText(f32),
    /// Has the colours answer the question of this id, and lists what stands out.
    Question(&'static str),
    /// The panel of the question.
    ToggleQuestion,
}

/// Two runs beside each other.
#[derive(Clone, Debug, PartialEq)]
pub enum RunsAsk {
    /// Shows the other one of two runs.
    Flip,
    /// How two runs stand beside each other; none: in the next way.
    Together(Option<RunsLayout>),
    /// A becomes B, and B becomes A.
    Swap,
    /// By what two runs are compared, and what a strong colour says.
    CompareBy(Measure, Strength),
    /// What the amounts of two runs are divided by.
    Normalise(Norm),
    /// Which time is compared, where both runs know when their threads wait.
    CompareTime(Timed),
    /// All that the user says of which function is which.
    CorrectPairs(Vec<Correction>),
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
    ToggleSteps,
    /// What is called often, and how much of it is left out.
    ToggleFrequency,
}

/// Which views are seen.
#[derive(Clone, Debug, PartialEq)]
pub enum PaneAsk {
    /// Opens a view that is not seen, closes one that is.
    Toggle(ViewId),
    /// Shows a view alone, that under the pointer for none, or all again.
    Maximise(Option<ViewId>),
    /// Gives the keys to the next view, or back to the one before.
    GiveKeys { is_back: bool },
    /// All views as they are at first.
    Reset,
    /// The views for a purpose, in place of those that are open.
    For(Purpose),
    /// As saved under a name, in place of those that are open.
    Arrange(Arrangement),
    /// Where the user moved those that are open.
    Move(Arrangement),
}

/// What a view does; places are in physical pixels from its top left corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ViewAsk {
    /// Shows this many times as much detail about a place.
    Zoom {
        at: Vec2,
        factor: Vec2,
    },
    Pan(Vec2),
    /// Shows all of the recording, or of the range that limits what is shown.
    ShowAll,
    /// Shows modules as the cut has them, where it could show something else.
    ByModules,
    /// Shows all of the range that was just chosen, where one run is shown.
    ShowRange,
    /// Shows all of a call.
    Fit(CallOf),
    /// Moves as far as needed to see a call.
    Reveal(CallOf),
    /// A key over a view along time.
    Along(SheetKey),
    /// A key over a table.
    Press(TableKey),
    /// A key over a graph.
    Graph(GraphKey),
    /// One of its own actions.
    Do(Own),
    /// Shows a line of the source.
    ShowLine(SourceLine),
}

impl ViewAsk {
    /// Whether it speaks of something by its id.
    pub(super) fn names_ids(&self) -> bool {
        match self {
            ViewAsk::Fit(_) | ViewAsk::Reveal(_) | ViewAsk::ShowLine(_) => true,
            ViewAsk::Zoom { .. }
            | ViewAsk::Pan(_)
            | ViewAsk::ShowAll
            | ViewAsk::ByModules
            | ViewAsk::ShowRange
            | ViewAsk::Along(_)
            | ViewAsk::Press(_)
            | ViewAsk::Graph(_)
            | ViewAsk::Do(_) => false,
        }
    }
}

/// What the user's editor is to show.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EditAsk {
    Line(SourceLine),
    /// Where what a view says stands.
    Meant(Pointed),
    /// Where what is chosen stands.
    Chosen,
}

/// What a view is opened with, or brought to the front.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShowAsk {
    /// The code of what is chosen.
    Code,
    /// What calls it and what it calls.
    Neighbours,
}

/// A stretch of the recording that has a name, and the module that it is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chapter {
    pub name: String,
    pub range: TimeRange,
    pub module: Option<ModuleId>,
}

/// What is asked of what is known from elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub enum FindingAsk {
    /// Looks for what changed since a revision; for none no longer.
    Since(Option<Since>),
    /// Reads what another tool has written into a file.
    Read(PathBuf),
    /// Reads what was pasted.
    Paste(String),
    /// Adds the set of what is in both of these.
    Both(usize, usize),
    /// Forgets a set.
    Forget(usize),
    /// Marks what is known of one kind, or nothing.
    Show(Shown),
    /// Has what is marked stand out in the landscape, the rest in neutral colours; or no longer.
    Color(bool),
    /// Leaves out what is not marked, or no longer.
    Alone(bool),
    /// Looks once more for what was stopped, or could not be found.
    Again,
}

/// What is marked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shown {
    #[default]
    Nothing,
    Changed,
    /// The set with this number.
    Set(usize),
}

/// Cancels work on other threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CancelAsk {
    Counting,
    Everything,
}

/// Anything that can be asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Ask {
    Open(OpenAsk),
    Play(PlayAsk),
    Camera(CameraAsk),
    Select(SelectAsk),
    Filter(FilterAsk),
    Step(StepAsk),
    Cut(CutAsk),
    Look(LookAsk),
    /// Chooses something in one calling context: with the rows of the comparison on the way to it, outermost first.
    Context(Pointed, Arc<[u32]>),
    /// Has these functions stand out in the landscape, all alike for none, and be marked in graphs and contexts.
    Light(Option<Arc<Marked>>),
    /// The same until another module is chosen.
    LightWhileChosen(Arc<Marked>),
    /// Has these stretches of time stand over every view along time; none: nothing stands there.
    Band(Option<Arc<Band>>),
    /// A view along time shows this range of the recording; all of it, or nothing, for none.
    Shown(ViewId, Option<TimeRange>),
    Finding(FindingAsk),
    Runs(RunsAsk),
    Search(SearchAsk),
    Mapping(MappingAsk),
    Card(CardAsk),
    Pane(PaneAsk),
    /// Of a view, or of all that it concerns.
    View(Option<ViewId>, ViewAsk),
    /// A key, of the view under the pointer.
    Pointed(ViewAsk),
    /// Makes a bookmark of each, and a scene that goes from one to the next.
    Bookmark(Vec<Chapter>),
    /// Makes a bookmark and a shot with a caption of each.
    Present(Arc<[Finding]>),
    /// Has the user's editor show something.
    Edit(EditAsk),
    /// Has a view show what is chosen.
    Show(ShowAsk),
    /// Something was done in a view, which before showed the first of these and now the second.
    Noted(ViewId, [OwnView; 2]),
    /// Tells the user something.
    Tell(Message),
    /// The same in a line that goes by itself.
    TellBriefly(String),
    /// The message with this number has been read.
    Dismiss(usize),
    Cancel(CancelAsk),
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
    Open(OpenAsk),
    Play(PlayAsk),
    Camera(CameraAsk),
    Select(SelectAsk),
    Filter(FilterAsk),
    Step(StepAsk),
    Cut(CutAsk),
    Look(LookAsk),
    Finding(FindingAsk),
    Runs(RunsAsk),
    Search(SearchAsk),
    Mapping(MappingAsk),
    Card(CardAsk),
    Pane(PaneAsk),
    Edit(EditAsk),
    Show(ShowAsk),
    Cancel(CancelAsk),
}

/// What was asked for in a frame, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Asks<T = Ask>(Vec<T>);

impl<T> Default for Asks<T> {
    fn default() -> Asks<T> {
        Asks(Vec::new())
    }
}

impl<T> Asks<T> {
    pub fn push(&mut self, ask: impl Into<T>) {
        self.0.push(ask.into());
    }

    pub fn extend<A: Into<T>>(&mut self, asks: impl IntoIterator<Item = A>) {
        self.0.extend(asks.into_iter().map(Into::into));
    }

    pub fn append(&mut self, other: &mut Asks<T>) {
        self.0.append(&mut other.0);
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Everything asked for, which is forgotten here.
    pub fn take(&mut self) -> Vec<T> {
        std::mem::take(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asks_are_carried_out_in_the_order_in_which_they_were_queued() {
        let mut asks: Asks = Asks::default();
        assert!(asks.is_empty());
        asks.push(PlayAsk::ToEnd);
        asks.extend(Some(CameraAsk::FlyHome));
        let mut others: Asks = Asks::default();
        others.push(Ask::Pointed(ViewAsk::ShowAll));
        asks.append(&mut others);
        assert!(others.is_empty());
        let expected = [
            Ask::Play(PlayAsk::ToEnd),
            Ask::Camera(CameraAsk::FlyHome),
            Ask::Pointed(ViewAsk::ShowAll),
        ];
        assert_eq!(asks.take(), expected);
        assert!(asks.is_empty(), "they are asked once");
    }
}

//! What can be asked for in the window: of the state, and of what only the window has.

use std::path::PathBuf;

use egui::Pos2;

use crate::presenting::film_wish::FilmWish;
use callscape_base::units::ModuleId;
use callscape_presentation::scene::{Section, Shot};
use callscape_record::Switch;
use callscape_record::recorder::Recorder;
use callscape_state::action::On;
use callscape_state::ask::FindingAsk;
use callscape_state::ask::{
    Ask, CameraAsk, CancelAsk, CardAsk, CutAsk, EditAsk, FilterAsk, LookAsk, MappingAsk, OpenAsk,
    PaneAsk, PlayAsk, RunsAsk, SearchAsk, SelectAsk, ShowAsk, StepAsk,
};
use callscape_state::panes::ViewId;

/// What a dialog asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chosen {
    Folder,
    /// One or several.
    Recordings,
    /// The same for A (0) or B (1).
    Run(usize),
}

/// Files: what is open, and where it is kept.
#[derive(Clone, Debug, PartialEq)]
pub enum FileAsk {
    /// Opens what was dropped: a source tree, recordings, or both.
    Open(Vec<PathBuf>),
    /// Asks for a folder or a recording in a dialog of the desktop, and opens it.
    Choose(Chosen),
    /// Opens the history of the repository around the source tree, on a map of all files that were ever there.
    History,
    /// Opens the source tree whose history is open.
    Tree,
    /// Opens that tree as it was at the displayed date, with its functions.
    TreeThen,
    /// Opens the built-in demo.
    Demo,
    /// Opens what was opened before, by its number.
    Recent(usize),
    /// Opens what was open when the window was closed last.
    Last,
    /// Shows or hides the welcome.
    Welcome,
    /// The path in the welcome was edited.
    Path(String),
    /// Opens it.
    OpenPath,
    /// Saves what is open and how it is looked at.
    SaveSession,
    /// Puts what is open into a pack.
    Share,
    SharePage,
    /// Makes a film.
    Film,
    /// Of this, in this size.
    FilmAs(FilmWish),
    /// The name of the file to write was edited.
    NameFile(String),
    /// Writes it, or does not.
    WriteNamed,
    LeaveName,
    /// Opens what a crash has left, or forgets it.
    OpenLeft,
    DiscardLeft,
}

/// What is done where something would take the place of what is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplaceAsk {
    /// Adds the recordings as the second run.
    AsSecond,
    /// Opens it all the same.
    Instead,
    /// Opens nothing.
    Keep,
    /// Opens again what was open before.
    Reopen,
}

/// Two runs that are compared; A is 0 and B is 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PairAsk {
    /// The card in which they are chosen.
    Toggle,
    /// Asks for recordings of a side in a dialog of the desktop.
    Choose(usize),
    Add(usize, Vec<PathBuf>),
    /// Opens the card with what is open and these recordings.
    With(Vec<PathBuf>),
    /// The recording of a side with this number.
    Remove(usize, usize),
    /// The path in the card was edited.
    Path(String),
    /// Adds it to the side that is to be filled.
    AddPath,
    /// Exchanges what is chosen.
    Swap,
    /// Opens what is chosen.
    Compare,
    /// Opens or closes the card in which two revisions are chosen.
    Revisions,
    /// Names that of a side; nothing stands for the checked-out commit.
    Name(usize, String),
    /// Takes one that is offered for the side that is to be filled, and goes on to the other.
    Take(String),
    /// A click on what is offered names that of this side.
    Fill(usize),
    /// Opens both.
    CompareRevisions,
    /// Closes a side that is open: the other one stays.
    Close(usize),
    /// Shows the cause with this number, and the list of all.
    Cause(Option<usize>),
    /// Closes the card with the first causes.
    CloseCauses,
}

/// What can be asked of the card of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RemarkAsk {
    /// Selects what the finding with this number is about, and opens the view that shows more.
    Show(usize),
    /// Opens the list of all.
    All,
    /// It stays closed for this recording.
    Close,
}

/// What is to be recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RecordWish {
    /// As it is typed: cut into words without a shell.
    pub command: String,
    /// The folder that it runs in, and where the recording goes.
    pub folder: String,
    /// None for the best that is there.
    pub with: Option<Recorder>,
    /// Nothing is recorded until that is switched on.
    pub is_paused: bool,
    /// What malloc gives and free takes back is recorded too.
    pub memory: bool,
    /// Functions that alone are recorded, and those that are not, by their names with `*` for anything, or by the paths of
    /// files and folders; words as those of the command.
    pub only: String,
    pub without: String,
    /// Functions that are called more often are excluded, such as `80/100ms`; none if empty.
    pub at_most: String,
    /// A running process is recorded, and which; rather than the command.
    pub is_of_process: bool,
    pub pid: Option<u32>,
}

/// The card in which a program is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordAsk {
    Toggle,
    /// Opens the card and adds a module to the functions to record, or to those to leave out.
    Choose {
        module: ModuleId,
        is_only: bool,
    },
    Edit(RecordWish),
    /// Asks for the folder in a dialog of the desktop.
    ChooseFolder,
    /// Asks for the program, or the script.
    ChooseProgram,
    Start,
    /// Looks again which processes run.
    List,
    /// Asks the program to end; makes it end when it was asked before.
    Stop,
    /// Begins to record, or leaves off, while the program runs.
    Switch(Switch),
}

/// What is to be saved as a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureWish {
    /// A PNG; vector graphics where the name ends in `.svg`, a model where in `.glb`.
    pub file: String,
    /// In pixels; the height follows from the shape of the landscape in the window.
    pub width: u32,
    pub legend: bool,
    pub labels: bool,
    pub transparent: bool,
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
    /// Copies a view as it is seen to the clipboard: the one under the pointer, or this one.
    Copy(Option<ViewId>),
    /// Copies the command that renders the view under the pointer.
    Command,
}

/// What the user keeps under names of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnList {
    /// Looks of the landscape.
    Looks,
    /// Arrangements of views.
    Views,
}

/// What is done with one of a list, each by its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnDoes {
    Use(usize),
    /// Keeps what is shown now under a name.
    Keep(String),
    Remove(usize),
}

/// Of the lists that the user keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnAsk {
    pub of: OwnList,
    pub does: OwnDoes,
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
    /// Brings back bookmarks and scene as they were before bookmarks were added.
    Restore,
}

/// The bookmarks, each by its number.
#[derive(Clone, Debug, PartialEq)]
pub enum BookmarkAsk {
    /// Keeps what is shown.
    Add,
    /// Goes to all of it, or to one section.
    GoTo(usize, Option<Section>),
    Rename(usize, String),
    Remove(usize),
    /// Keeps what is shown under its name.
    Renew(usize),
    /// Puts the first where the second is.
    Move(usize, usize),
    /// Adds a shot to the scene that goes there.
    AddShot(usize),
}

/// The scene that is edited; shots by their numbers.
#[derive(Clone, Debug, PartialEq)]
pub enum ScriptAsk {
    Name(String),
    Read,
    Write,
    /// Nothing in it.
    Clear,
    Choose(Option<usize>),
    Remove(usize),
    Move(usize, usize),
    /// Puts a shot in place of another.
    Edit(usize, Box<Shot>),
    /// A shot that goes to the bookmark with this number.
    AddBookmark(usize),
    /// Begins to record, or ends it.
    Record,
}

/// What the pointer shows to the audience.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PointsWith {
    #[default]
    Arrow,
    /// A bright dot.
    Laser,
    /// All but the module under it is dimmed.
    Flashlight,
}

/// The palette, and the menu of what is pointed at.
#[derive(Clone, Debug, PartialEq)]
pub enum PaletteAsk {
    Toggle,
    /// What is looked for was edited.
    Query(String),
    /// Down the rows, up for negative numbers.
    Move(i32),
    /// Does what the row with this number says, or the marked one.
    Take(Option<usize>),
    /// Opens the menu of what is pointed at, or chosen, with its corner here, in points; with what a view says that is.
    Menu(Option<Pos2>, &'static [On]),
    CloseMenu,
}

/// While a scene is presented.
#[derive(Clone, Debug, PartialEq)]
pub enum LiveAsk {
    /// Presents what the panel holds, from its first shot or from this one.
    Begin(usize),
    /// Opens what a scene file names and presents it.
    Open(PathBuf),
    Next,
    Previous,
    First,
    Last,
    /// A digit of the number of a shot.
    Digit(char),
    /// Goes to the shot whose number was typed; without one back to the script.
    Enter,
    /// Back to where the script has it.
    Script,
    /// Nothing is seen, or all again.
    Black,
    Point(PointsWith),
    /// Notes in a window of their own, or none.
    Notes,
    /// Shots follow one another by themselves, or wait.
    Auto,
    FullScreen,
    Leave,
}

/// The user's editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EditorAsk {
    /// The command that it is started with was edited; empty for the editor that the environment names.
    Command(String),
    /// Keeps it.
    Keep,
}

/// The tour of the demo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TourAsk {
    /// From its first stop; opens the demo where something else is open, which is opened again after it.
    Begin,
    /// Does what is to be done; goes on where it is done.
    Go,
    /// To the next stop, whatever was done.
    Skip,
    Leave,
}

/// Anything that can be asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Of the state.
    Ask(Ask),
    File(FileAsk),
    Replace(ReplaceAsk),
    Pair(PairAsk),
    Remark(RemarkAsk),
    Record(RecordAsk),
    Picture(PictureAsk),
    Own(OwnAsk),
    Talk(TalkAsk),
    Bookmarks(BookmarkAsk),
    Script(ScriptAsk),
    Live(LiveAsk),
    Palette(PaletteAsk),
    Editor(EditorAsk),
    Tour(TourAsk),
    /// Gives the keyboard to the buttons and fields of the window, the first of them.
    Focus,
    /// Leaves what lies on top: see [`super::leaving`].
    Escape,
}

impl From<Ask> for Command {
    fn from(ask: Ask) -> Command {
        Command::Ask(ask)
    }
}

/// Makes a command of each group of the window's own, and of each group of the state's.
macro_rules! groups {
    (own: $($group:ident($of:ty),)* ; state: $($ask:ty,)*) => {
        $(impl From<$of> for Command {
            fn from(ask: $of) -> Command {
                Command::$group(ask)
            }
        })*
        $(impl From<$ask> for Command {
            fn from(ask: $ask) -> Command {
                Command::Ask(ask.into())
            }
        })*
    };
}

groups! {
    own:
    File(FileAsk),
    Replace(ReplaceAsk),
    Pair(PairAsk),
    Remark(RemarkAsk),
    Record(RecordAsk),
    Picture(PictureAsk),
    Own(OwnAsk),
    Talk(TalkAsk),
    Bookmarks(BookmarkAsk),
    Script(ScriptAsk),
    Live(LiveAsk),
    Palette(PaletteAsk),
    Editor(EditorAsk),
    Tour(TourAsk),
    ; state:
    OpenAsk,
    PlayAsk,
    CameraAsk,
    SelectAsk,
    FilterAsk,
    StepAsk,
    CutAsk,
    LookAsk,
    FindingAsk,
    RunsAsk,
    SearchAsk,
    MappingAsk,
    CardAsk,
    PaneAsk,
    EditAsk,
    ShowAsk,
    CancelAsk,
}

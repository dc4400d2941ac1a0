//! The table of keys: for each page of the help its lines, and the actions that they are about.

use super::super::action::{Action, Chord, Line, Page, Scope};
use super::super::ask::{
    Ask, BookmarkAsk, CallWalk, CameraAsk, CardAsk, CutAsk, FileAsk, FilterAsk, LiveAsk, LookAsk,
    MappingAsk, PaneAsk, PictureAsk, PlayAsk, RunsAsk, ScriptAsk, SearchAsk, SelectAsk, SheetAsk,
    SheetKey, TableAsk, TableKey, TalkAsk,
};
use super::super::call_steps::CallStep;
use super::super::camera::Preset;
use super::super::presenting::live::PointsWith;
use super::super::workbench::Workbench;

/// The page that has the views of two runs, and the one that has all others.
pub const TWO_RUNS: &str = "Two runs";
pub const VIEWS: &str = "Views";

fn is_open(bench: &Workbench) -> bool {
    bench.document.is_some()
}

fn has_recording(bench: &Workbench) -> bool {
    bench
        .document
        .as_ref()
        .is_some_and(|it| it.resolved().is_some())
}

fn has_times(bench: &Workbench) -> bool {
    bench
        .document
        .as_ref()
        .is_some_and(|it| it.playback.is_some())
}

fn has_two_runs(bench: &Workbench) -> bool {
    bench
        .document
        .as_ref()
        .is_some_and(|it| it.versus.is_some())
}

fn is_chosen(bench: &Workbench) -> bool {
    let chosen = bench.document.as_ref().map(|it| it.selection.chosen);
    has_times(bench) && chosen.is_some_and(|it| it.module.is_some() || it.function.is_some())
}

fn is_something_meant(bench: &Workbench) -> bool {
    let selection = bench.document.as_ref().map(|it| &it.selection);
    selection.is_some_and(|it| it.chosen.module.or(it.pointed.module).is_some())
}

fn is_call_chosen(bench: &Workbench) -> bool {
    let selection = bench.document.as_ref().map(|it| &it.selection);
    selection.is_some_and(|it| it.chosen.call.or(it.pointed.call).is_some())
}

fn is_presenting(bench: &Workbench) -> bool {
    bench.is_live()
}

const LOOK_AROUND_LINES: &[Line] = &[
    Line {
        keys: "Left drag",
        text: "turn about the point grabbed",
        actions: &[],
    },
    Line {
        keys: "Right drag",
        text: "move along the ground",
        actions: &[],
    },
    Line {
        keys: "Shift + drag",
        text: "the same",
        actions: &[],
    },
    Line {
        keys: "Wheel",
        text: "zoom to the pointer",
        actions: &[],
    },
    Line {
        keys: "Double-click, F",
        text: "fly to a module",
        actions: &[Action::new(
            "camera.fly-to-selection",
            "Fly to the selection",
            "Flies to the module that is chosen or pointed at.",
            &[Chord::letter('f')],
            || CameraAsk::FlyToSelection.into(),
        )
        .when(is_something_meant)],
    },
    Line {
        keys: "Two fingers",
        text: "zoom; sideways: turn; Shift: move; pinch, twist",
        actions: &[],
    },
    Line {
        keys: "Home",
        text: "show everything",
        actions: &[Action::new(
            "camera.home",
            "Show everything",
            "Shows all of the landscape, or of the view along time under the pointer.",
            &[Chord::key("Home")],
            || CameraAsk::FlyHome.into(),
        )
        .when(is_open)],
    },
    Line {
        keys: "Page up, down",
        text: "from above; from a corner, isometric",
        actions: &[
            Action::new(
                "camera.top",
                "From above",
                "Looks at the landscape from above, north up.",
                &[Chord::key("PageUp")],
                || CameraAsk::LookFrom(Preset::Top).into(),
            )
            .when(is_open),
            Action::new(
                "camera.isometric",
                "From a corner",
                "Looks at the landscape from a corner, isometric.",
                &[Chord::key("PageDown")],
                || CameraAsk::LookFrom(Preset::Isometric).into(),
            )
            .when(is_open),
        ],
    },
    Line {
        keys: "Ctrl + ← →",
        text: "back and forward through past views",
        actions: &[
            Action::new(
                "camera.back",
                "The view before",
                "Goes back to where the camera looked from before.",
                &[Chord::key("Left").ctrl()],
                || CameraAsk::PastView.into(),
            )
            .when(is_open),
            Action::new(
                "camera.forward",
                "The view after",
                "Goes forward again through past views.",
                &[Chord::key("Right").ctrl()],
                || CameraAsk::NextView.into(),
            )
            .when(is_open),
        ],
    },
    Line {
        keys: "Shift + M",
        text: "the map: click and drag to go there",
        actions: &[Action::new(
            "card.map",
            "Map",
            "Shows or hides the map of the landscape.",
            &[Chord::letter('m').shift()],
            || CardAsk::ToggleMinimap.into(),
        )],
    },
    Line {
        keys: "Title",
        text: "beside it the way to what fills the view: click to see all of it",
        actions: &[],
    },
    Line {
        keys: "Tab",
        text: "orbit or fly",
        actions: &[Action::new(
            "camera.mode",
            "Orbit or fly",
            "Switches between orbiting around the landscape and flying through it.",
            &[Chord::key("Tab")],
            || CameraAsk::OrbitOrFly.into(),
        )],
    },
    Line {
        keys: "W A S D  Q E",
        text: "fly: ahead, left, back, right, down, up",
        actions: &[],
    },
    Line {
        keys: "Drag, wheel",
        text: "fly: look around, change speed",
        actions: &[],
    },
];

const WHERE_A_FEATURE_RUNS_LINES: &[Line] = &[
    Line {
        keys: "/  name  Enter",
        text: "find it: what ran stands first",
        actions: &[],
    },
    Line {
        keys: "5",
        text: "its calls; a click on one goes there",
        actions: &[],
    },
    Line {
        keys: "Shift + G",
        text: "limit every view to that call",
        actions: &[],
    },
    Line {
        keys: "2, then P",
        text: "its modules in the order of their first call",
        actions: &[],
    },
    Line {
        keys: "Escape, Alt + ←",
        text: "out of it again",
        actions: &[],
    },
];

const PLAY_LINES: &[Line] = &[
    Line {
        keys: "Space",
        text: "play and pause",
        actions: &[Action::new(
            "play.play",
            "Play or pause",
            "Plays the recording, or pauses it.",
            &[Chord::key("Space")],
            || PlayAsk::PlayOrPause.into(),
        )
        .when(has_times)],
    },
    Line {
        keys: "Shift + Space",
        text: "play backward",
        actions: &[Action::new(
            "play.backward",
            "Play backward",
            "Plays the recording backward, or pauses it when it does.",
            &[Chord::key("Space").shift()],
            || PlayAsk::PlayBackward.into(),
        )
        .when(has_times)],
    },
    Line {
        keys: "← →",
        text: "step back and forward",
        actions: &[
            Action::new(
                "play.step-back",
                "Step back",
                "Goes back by a cel.",
                &[Chord::key("Left")],
                || PlayAsk::Step(-1).into(),
            )
            .repeating()
            .when(has_times),
            Action::new(
                "play.step",
                "Step forward",
                "Goes forward by a cel.",
                &[Chord::key("Right")],
                || PlayAsk::Step(1).into(),
            )
            .repeating()
            .when(has_times),
        ],
    },
    Line {
        keys: "Shift + ← →",
        text: "ten steps",
        actions: &[
            Action::new(
                "play.ten-back",
                "Ten steps back",
                "Goes back by ten cels.",
                &[Chord::key("Left").shift()],
                || PlayAsk::Step(-10).into(),
            )
            .repeating()
            .when(has_times),
            Action::new(
                "play.ten",
                "Ten steps forward",
                "Goes forward by ten cels.",
                &[Chord::key("Right").shift()],
                || PlayAsk::Step(10).into(),
            )
            .repeating()
            .when(has_times),
        ],
    },
    Line {
        keys: "I  U  J",
        text: "step into, out of, over a call; Shift: back",
        actions: &[
            Action::new(
                "play.into",
                "Step into a call",
                "Goes to the next event of the thread, forward.",
                &[Chord::letter('i')],
                || PlayAsk::StepCall(CallStep::Into, true).into(),
            )
            .repeating()
            .when(has_times),
            Action::new(
                "play.into-back",
                "Step into a call, back",
                "Goes to the next event of the thread, backward.",
                &[Chord::letter('i').shift()],
                || PlayAsk::StepCall(CallStep::Into, false).into(),
            )
            .repeating()
            .when(has_times),
            Action::new(
                "play.out",
                "Step out of a call",
                "Goes to the end of the innermost call of the thread, forward.",
                &[Chord::letter('u')],
                || PlayAsk::StepCall(CallStep::Out, true).into(),
            )
            .repeating()
            .when(has_times),
            Action::new(
                "play.out-back",
                "Step out of a call, back",
                "Goes to the end of the innermost call of the thread, backward.",
                &[Chord::letter('u').shift()],
                || PlayAsk::StepCall(CallStep::Out, false).into(),
            )
            .repeating()
            .when(has_times),
            Action::new(
                "play.over",
                "Step over a call",
                "Goes to the next event of the thread that is no deeper, forward.",
                &[Chord::letter('j')],
                || PlayAsk::StepCall(CallStep::Over, true).into(),
            )
            .repeating()
            .when(has_times),
            Action::new(
                "play.over-back",
                "Step over a call, back",
                "Goes to the next event of the thread that is no deeper, backward.",
                &[Chord::letter('j').shift()],
                || PlayAsk::StepCall(CallStep::Over, false).into(),
            )
            .repeating()
            .when(has_times),
        ],
    },
    Line {
        keys: "H",
        text: "the camera follows what runs, until you turn it",
        actions: &[Action::new(
            "camera.follow",
            "Follow what runs",
            "Lets the camera follow what runs, until it is turned.",
            &[Chord::letter('h')],
            || CameraAsk::ToggleFollowing.into(),
        )
        .when(has_times)],
    },
    Line {
        keys: "Y",
        text: "summary of the whole recording or range",
        actions: &[Action::new(
            "play.summary",
            "Summary",
            "Shows the sum of the whole recording or range, or the current moment again.",
            &[Chord::letter('y')],
            || PlayAsk::ToggleSummary.into(),
        )
        .when(has_times)],
    },
    Line {
        keys: ",  .",
        text: "to the start, to the end",
        actions: &[
            Action::new(
                "play.to-start",
                "To the start",
                "Goes to the start of the recording or range.",
                &[Chord::letter(',')],
                || PlayAsk::ToStart.into(),
            )
            .when(has_times),
            Action::new(
                "play.to-end",
                "To the end",
                "Goes to the end of the recording or range.",
                &[Chord::letter('.')],
                || PlayAsk::ToEnd.into(),
            )
            .when(has_times),
        ],
    },
    Line {
        keys: "−  +",
        text: "half and double speed",
        actions: &[
            Action::new(
                "play.slower",
                "Half speed",
                "Plays at half the speed.",
                &[Chord::letter('-'), Chord::letter('−')],
                || PlayAsk::ScaleSpeed(0.5).into(),
            )
            .when(has_times),
            Action::new(
                "play.faster",
                "Double speed",
                "Plays at twice the speed.",
                &[Chord::letter('+'), Chord::letter('=')],
                || PlayAsk::ScaleSpeed(2.0).into(),
            )
            .when(has_times),
        ],
    },
    Line {
        keys: "R",
        text: "repeat",
        actions: &[Action::new(
            "play.loop",
            "Repeat",
            "Begins again at the end, or stops there.",
            &[Chord::letter('r')],
            || PlayAsk::ToggleLoop.into(),
        )
        .when(has_times)],
    },
    Line {
        keys: "List below",
        text: "of a profile with several values: the one shown",
        actions: &[],
    },
    Line {
        keys: "[  ]",
        text: "start and end the range at the time shown",
        actions: &[
            Action::new(
                "range.start",
                "Start the range here",
                "Starts the range at the time shown.",
                &[Chord::letter('[')],
                || SelectAsk::StartRangeHere.into(),
            )
            .when(has_times),
            Action::new(
                "range.end",
                "End the range here",
                "Ends the range at the time shown.",
                &[Chord::letter(']')],
                || SelectAsk::EndRangeHere.into(),
            )
            .when(has_times),
        ],
    },
    Line {
        keys: "Shift + drag",
        text: "on the time bar: choose a range",
        actions: &[],
    },
];

const RUNS_LINES: &[Line] = &[
    Line {
        keys: "Q",
        text: "what differs, A and B side by side, or a wipe from A to B",
        actions: &[Action::new(
            "runs.together",
            "Difference, side by side or wipe",
            "Shows two runs in the next way: what differs, side by side, or a wipe.",
            &[Chord::letter('q')],
            || RunsAsk::Together(None).into(),
        )
        .when(has_two_runs)],
    },
    Line {
        keys: "V",
        text: "the other run, at the time that is the same",
        actions: &[Action::new(
            "runs.flip",
            "The other run",
            "Shows the other run, at the time that is the same.",
            &[Chord::letter('v')],
            || RunsAsk::Flip.into(),
        )
        .when(has_two_runs)],
    },
    Line {
        keys: "Shift + V",
        text: "swap A and B",
        actions: &[Action::new(
            "runs.swap",
            "Swap A and B",
            "Makes A of B, and B of A.",
            &[Chord::letter('v').shift()],
            || RunsAsk::Swap.into(),
        )
        .when(has_two_runs)],
    },
    Line {
        keys: "D",
        text: "collapse districts in which nothing differs",
        actions: &[Action::new(
            "runs.only-differences",
            "Only what differs",
            "Collapses districts in which nothing differs, or expands everything.",
            &[Chord::letter('d')],
            || RunsAsk::ToggleOnlyDifferences.into(),
        )
        .when(has_two_runs)],
    },
    Line {
        keys: "X, B, [ ], Shift + G",
        text: "leave modules and threads out, and limit the time, of both",
        actions: &[],
    },
    Line {
        keys: "Strip at the top",
        text: "what is compared, as it was recorded or per run or call; linked clocks",
        actions: &[],
    },
];

const PANES_LINES: &[Line] = &[
    Line {
        keys: "M",
        text: "the view under the pointer alone, all again",
        actions: &[Action::new(
            "pane.maximise",
            "One view alone",
            "Shows the view under the pointer alone, or all again.",
            &[Chord::letter('m')],
            || PaneAsk::Maximise(None).into(),
        )],
    },
    Line {
        keys: "Drag a title",
        text: "move the view beside others or among them",
        actions: &[],
    },
];

const OVERVIEW_AND_CALL_STACKS_LINES: &[Line] = &[
    Line {
        keys: "Wheel, W S",
        text: "zoom along time about the pointer",
        actions: &[
            Action::new(
                "time.zoom-in",
                "Zoom in along time",
                "Shows more detail about the pointer.",
                &[Chord::place('w')],
                || SheetAsk::Press(SheetKey::Zoom(1.3)).into(),
            )
            .within(Scope::AlongTime)
            .repeating()
            .when(has_times),
            Action::new(
                "time.zoom-out",
                "Zoom out along time",
                "Shows less detail about the pointer.",
                &[Chord::place('s')],
                || SheetAsk::Press(SheetKey::Zoom(1.0 / 1.3)).into(),
            )
            .within(Scope::AlongTime)
            .repeating()
            .when(has_times),
        ],
    },
    Line {
        keys: "Drag, A D",
        text: "move",
        actions: &[
            Action::new(
                "time.earlier",
                "Earlier",
                "Moves to earlier times.",
                &[Chord::place('a')],
                || SheetAsk::Press(SheetKey::Pan(0.12)).into(),
            )
            .within(Scope::AlongTime)
            .repeating()
            .when(has_times),
            Action::new(
                "time.later",
                "Later",
                "Moves to later times.",
                &[Chord::place('d')],
                || SheetAsk::Press(SheetKey::Pan(-0.12)).into(),
            )
            .within(Scope::AlongTime)
            .repeating()
            .when(has_times),
        ],
    },
    Line {
        keys: "Ctrl, Shift + wheel",
        text: "zoom and scroll from top to bottom",
        actions: &[],
    },
    Line {
        keys: "Shift + drag",
        text: "choose a range; the right button does too",
        actions: &[],
    },
    Line {
        keys: "Click",
        text: "choose what is there, go to that time",
        actions: &[],
    },
    Line {
        keys: "Double-click, G",
        text: "show all of the call",
        actions: &[Action::new(
            "call.fit",
            "Show all of the call",
            "Shows all of the chosen call along time.",
            &[Chord::letter('g')],
            || SelectAsk::GoToCall(CallWalk::Fit).into(),
        )
        .when(is_call_chosen)],
    },
    Line {
        keys: "Shift + G",
        text: "limit every view to the time of the call",
        actions: &[Action::new(
            "call.limit",
            "Limit to the call",
            "Limits every view to the time of the chosen call.",
            &[Chord::letter('g').shift()],
            || SelectAsk::GoToCall(CallWalk::Limit).into(),
        )
        .when(is_call_chosen)],
    },
    Line {
        keys: "↑ ↓, Shift + ↓",
        text: "to the caller, the first and the longest call in it",
        actions: &[
            Action::new(
                "call.caller",
                "To the caller",
                "Chooses the call that the chosen one was made in.",
                &[Chord::key("Up")],
                || SelectAsk::GoToCall(CallWalk::Caller).into(),
            )
            .when(is_call_chosen),
            Action::new(
                "call.first",
                "To the first call in it",
                "Chooses the first call that the chosen one made.",
                &[Chord::key("Down")],
                || SelectAsk::GoToCall(CallWalk::FirstChild).into(),
            )
            .when(is_call_chosen),
            Action::new(
                "call.longest",
                "To the longest call in it",
                "Chooses the longest call that the chosen one made.",
                &[Chord::key("Down").shift()],
                || SelectAsk::GoToCall(CallWalk::LongestChild).into(),
            )
            .when(is_call_chosen),
        ],
    },
    Line {
        keys: "N, Shift + N",
        text: "next and previous call of the function",
        actions: &[
            Action::new(
                "call.next",
                "Next call of the function",
                "Chooses the next call of the same function or module.",
                &[Chord::letter('n')],
                || SelectAsk::GoToCall(CallWalk::NextOfFunction).into(),
            )
            .repeating()
            .when(is_chosen),
            Action::new(
                "call.previous",
                "Previous call of the function",
                "Chooses the call before of the same function or module.",
                &[Chord::letter('n').shift()],
                || SelectAsk::GoToCall(CallWalk::PreviousOfFunction).into(),
            )
            .repeating()
            .when(is_chosen),
        ],
    },
    Line {
        keys: "P",
        text: "rows of the overview: functions, modules by level",
        actions: &[Action::new(
            "rows.next",
            "Other rows",
            "Shows functions, or modules of the next level, in the rows of the overview.",
            &[Chord::letter('p')],
            || SheetAsk::NextRows.into(),
        )
        .when(has_times)],
    },
    Line {
        keys: "Home",
        text: "show everything",
        actions: &[],
    },
];

const FUNCTIONS_AND_CALLS_LINES: &[Line] = &[
    Line {
        keys: "Click, ↑ ↓",
        text: "choose a row; Page, Home and End go further",
        actions: &[
            Action::new(
                "row.up",
                "The row above",
                "Chooses the row above.",
                &[Chord::key("Up")],
                || TableAsk::Press(None, TableKey::Rows(-1)).into(),
            )
            .within(Scope::Table)
            .repeating()
            .when(has_recording),
            Action::new(
                "row.down",
                "The row below",
                "Chooses the row below.",
                &[Chord::key("Down")],
                || TableAsk::Press(None, TableKey::Rows(1)).into(),
            )
            .within(Scope::Table)
            .repeating()
            .when(has_recording),
            Action::new(
                "row.page-up",
                "A page up",
                "Chooses the row a page further up.",
                &[Chord::key("PageUp")],
                || TableAsk::Press(None, TableKey::Pages(-1)).into(),
            )
            .within(Scope::Table)
            .repeating()
            .when(has_recording),
            Action::new(
                "row.page-down",
                "A page down",
                "Chooses the row a page further down.",
                &[Chord::key("PageDown")],
                || TableAsk::Press(None, TableKey::Pages(1)).into(),
            )
            .within(Scope::Table)
            .repeating()
            .when(has_recording),
            Action::new(
                "row.first",
                "The first row",
                "Chooses the first row.",
                &[Chord::key("Home")],
                || TableAsk::Press(None, TableKey::First).into(),
            )
            .within(Scope::Table)
            .repeating()
            .when(has_recording),
            Action::new(
                "row.last",
                "The last row",
                "Chooses the last row.",
                &[Chord::key("End")],
                || TableAsk::Press(None, TableKey::Last).into(),
            )
            .within(Scope::Table)
            .repeating()
            .when(has_recording),
            Action::new(
                "field.row.up",
                "The row above",
                "Chooses the row above.",
                &[Chord::key("Up")],
                || TableAsk::Press(None, TableKey::Rows(-1)).into(),
            )
            .within(Scope::TableField)
            .repeating()
            .when(has_recording),
            Action::new(
                "field.row.down",
                "The row below",
                "Chooses the row below.",
                &[Chord::key("Down")],
                || TableAsk::Press(None, TableKey::Rows(1)).into(),
            )
            .within(Scope::TableField)
            .repeating()
            .when(has_recording),
            Action::new(
                "field.row.page-up",
                "A page up",
                "Chooses the row a page further up.",
                &[Chord::key("PageUp")],
                || TableAsk::Press(None, TableKey::Pages(-1)).into(),
            )
            .within(Scope::TableField)
            .repeating()
            .when(has_recording),
            Action::new(
                "field.row.page-down",
                "A page down",
                "Chooses the row a page further down.",
                &[Chord::key("PageDown")],
                || TableAsk::Press(None, TableKey::Pages(1)).into(),
            )
            .within(Scope::TableField)
            .repeating()
            .when(has_recording),
        ],
    },
    Line {
        keys: "Enter",
        text: "fly there; in the list of calls show all of the call",
        actions: &[
            Action::new(
                "row.enter",
                "Show the row",
                "Flies to what the chosen row stands for, and shows all of a call.",
                &[Chord::key("Enter")],
                || TableAsk::Press(None, TableKey::Enter).into(),
            )
            .within(Scope::Table)
            .repeating()
            .when(has_recording),
            Action::new(
                "field.row.enter",
                "Show the row",
                "Flies to what the chosen row stands for, and shows all of a call.",
                &[Chord::key("Enter")],
                || TableAsk::Press(None, TableKey::Enter).into(),
            )
            .within(Scope::TableField)
            .repeating()
            .when(has_recording),
        ],
    },
    Line {
        keys: "Click a heading",
        text: "sort; again: the other way round",
        actions: &[],
    },
    Line {
        keys: "Caller, callee",
        text: "click: go on to it; Alt + ← comes back",
        actions: &[],
    },
];

const FIND_AND_CHOOSE_LINES: &[Line] = &[
    Line {
        keys: "/, Ctrl + F",
        text: "search; ↑ ↓ choose, Enter flies there",
        actions: &[
            Action::new(
                "search.open",
                "Search",
                "Searches modules and functions by name.",
                &[Chord::letter('/'), Chord::letter('f').ctrl()],
                || SearchAsk::Open.into(),
            )
            .when(is_open),
            Action::new(
                "search.up",
                "The result above",
                "Marks the result above.",
                &[Chord::key("Up")],
                || SearchAsk::Move(-1).into(),
            )
            .within(Scope::Search)
            .repeating(),
            Action::new(
                "search.down",
                "The result below",
                "Marks the result below.",
                &[Chord::key("Down")],
                || SearchAsk::Move(1).into(),
            )
            .within(Scope::Search)
            .repeating(),
            Action::new(
                "search.take",
                "Go to the result",
                "Chooses the marked result and flies there.",
                &[Chord::key("Enter")],
                || SearchAsk::Take(None).into(),
            )
            .within(Scope::Search)
            .repeating(),
            Action::new(
                "search.leave",
                "Leave the search",
                "Closes the search.",
                &[Chord::key("Escape")],
                || Ask::Escape,
            )
            .within(Scope::Search)
            .repeating(),
        ],
    },
    Line {
        keys: "Point at",
        text: "the arcs of that module alone",
        actions: &[],
    },
    Line {
        keys: "Click",
        text: "select: its arcs stand out",
        actions: &[],
    },
    Line {
        keys: "Click an arc",
        text: "list the calls behind it",
        actions: &[],
    },
    Line {
        keys: "C",
        text: "collapse or expand the module",
        actions: &[Action::new(
            "cut.toggle",
            "Collapse or expand",
            "Collapses or expands the module that is chosen or pointed at.",
            &[Chord::letter('c')],
            || CutAsk::CollapseOrExpand(None).into(),
        )
        .when(is_something_meant)],
    },
    Line {
        keys: "X",
        text: "leave the module out of every view",
        actions: &[Action::new(
            "filter.module",
            "Leave the module out",
            "Leaves the module that is chosen or pointed at out of every view.",
            &[Chord::letter('x')],
            || FilterAsk::RemoveModule.into(),
        )
        .when(is_something_meant)],
    },
    Line {
        keys: "Shift + X",
        text: "leave out what it triggers",
        actions: &[Action::new(
            "filter.below",
            "Leave out what it triggers",
            "Leaves what the module triggers out of every view.",
            &[Chord::letter('x').shift()],
            || FilterAsk::RemoveBelow.into(),
        )
        .when(is_something_meant)],
    },
    Line {
        keys: "B",
        text: "leave the thread out",
        actions: &[Action::new(
            "filter.thread",
            "Leave the thread out",
            "Leaves the thread that is chosen or pointed at out of every view.",
            &[Chord::letter('b')],
            || FilterAsk::HideThread.into(),
        )
        .when(has_recording)],
    },
    Line {
        keys: "Ctrl + Z, Y",
        text: "undo what was left out, and redo",
        actions: &[
            Action::new(
                "filter.undo",
                "Bring back",
                "Brings back what was left out last.",
                &[Chord::letter('z').ctrl()],
                || FilterAsk::Undo.into(),
            )
            .when(has_recording),
            Action::new(
                "filter.redo",
                "Leave out again",
                "Leaves out again what was brought back.",
                &[Chord::letter('z').ctrl().shift(), Chord::letter('y').ctrl()],
                || FilterAsk::Redo.into(),
            )
            .when(has_recording),
        ],
    },
    Line {
        keys: "E",
        text: "expand the module and all in it",
        actions: &[Action::new(
            "cut.expand",
            "Expand the module and all in it",
            "Expands the module that is chosen or pointed at and all in it.",
            &[Chord::letter('e')],
            || CutAsk::ExpandWhole(None).into(),
        )
        .when(is_something_meant)],
    },
    Line {
        keys: "<  >",
        text: "collapse or expand everything by a level",
        actions: &[
            Action::new(
                "cut.less",
                "One level less",
                "Collapses everything by a level.",
                &[Chord::letter('<')],
                || CutAsk::ChangeLevel(-1).into(),
            )
            .when(is_open),
            Action::new(
                "cut.more",
                "One level more",
                "Expands everything by a level.",
                &[Chord::letter('>')],
                || CutAsk::ChangeLevel(1).into(),
            )
            .when(is_open),
        ],
    },
    Line {
        keys: "Z",
        text: "collapse what is small on the screen",
        actions: &[Action::new(
            "cut.by-size",
            "Detail by size",
            "Collapses what is small on the screen as the camera moves, or no longer.",
            &[Chord::letter('z')],
            || CutAsk::ToggleDetailBySize.into(),
        )
        .when(is_open)],
    },
    Line {
        keys: "Alt + ← →",
        text: "back and forward through what was selected",
        actions: &[
            Action::new(
                "select.back",
                "Back",
                "Goes back to what was selected before.",
                &[Chord::key("Left").alt()],
                || SelectAsk::Back.into(),
            )
            .when(is_open),
            Action::new(
                "select.forward",
                "Forward",
                "Goes forward again through what was selected.",
                &[Chord::key("Right").alt()],
                || SelectAsk::Forward.into(),
            )
            .when(is_open),
        ],
    },
    Line {
        keys: "Escape",
        text: "leave: search, help, flight, selection, range",
        actions: &[Action::new(
            "escape",
            "Leave",
            "Leaves the innermost of what is open: search, help, a flight, the selection, the range.",
            &[Chord::key("Escape")],
            || Ask::Escape,
        )],
    },
];

const BOOKMARKS_LINES: &[Line] = &[
    Line {
        keys: "F2",
        text: "keep what is shown as a bookmark",
        actions: &[Action::new(
            "bookmark.add",
            "Add a bookmark",
            "Keeps what is shown as a bookmark.",
            &[Chord::key("F2")],
            || BookmarkAsk::Add.into(),
        )
        .when(is_open)],
    },
    Line {
        keys: "F4",
        text: "list them: go, rename, put in order, export",
        actions: &[Action::new(
            "card.bookmarks",
            "Bookmarks and scenes",
            "Lists the bookmarks and the scene that is edited.",
            &[Chord::key("F4")],
            || TalkAsk::Toggle.into(),
        )],
    },
    Line {
        keys: "Alt + 1 … 9",
        text: "go to a bookmark",
        actions: &[
            Action::new(
                "bookmark.1",
                "Go to bookmark 1",
                "Shows what bookmark 1 keeps.",
                &[Chord::letter('1').alt()],
                || BookmarkAsk::GoTo(0, None).into(),
            )
            .when(is_open),
            Action::new(
                "bookmark.2",
                "Go to bookmark 2",
                "Shows what bookmark 2 keeps.",
                &[Chord::letter('2').alt()],
                || BookmarkAsk::GoTo(1, None).into(),
            )
            .when(is_open),
            Action::new(
                "bookmark.3",
                "Go to bookmark 3",
                "Shows what bookmark 3 keeps.",
                &[Chord::letter('3').alt()],
                || BookmarkAsk::GoTo(2, None).into(),
            )
            .when(is_open),
            Action::new(
                "bookmark.4",
                "Go to bookmark 4",
                "Shows what bookmark 4 keeps.",
                &[Chord::letter('4').alt()],
                || BookmarkAsk::GoTo(3, None).into(),
            )
            .when(is_open),
            Action::new(
                "bookmark.5",
                "Go to bookmark 5",
                "Shows what bookmark 5 keeps.",
                &[Chord::letter('5').alt()],
                || BookmarkAsk::GoTo(4, None).into(),
            )
            .when(is_open),
            Action::new(
                "bookmark.6",
                "Go to bookmark 6",
                "Shows what bookmark 6 keeps.",
                &[Chord::letter('6').alt()],
                || BookmarkAsk::GoTo(5, None).into(),
            )
            .when(is_open),
            Action::new(
                "bookmark.7",
                "Go to bookmark 7",
                "Shows what bookmark 7 keeps.",
                &[Chord::letter('7').alt()],
                || BookmarkAsk::GoTo(6, None).into(),
            )
            .when(is_open),
            Action::new(
                "bookmark.8",
                "Go to bookmark 8",
                "Shows what bookmark 8 keeps.",
                &[Chord::letter('8').alt()],
                || BookmarkAsk::GoTo(7, None).into(),
            )
            .when(is_open),
            Action::new(
                "bookmark.9",
                "Go to bookmark 9",
                "Shows what bookmark 9 keeps.",
                &[Chord::letter('9').alt()],
                || BookmarkAsk::GoTo(8, None).into(),
            )
            .when(is_open),
        ],
    },
    Line {
        keys: "F9",
        text: "record a scene: fly and click; again: end",
        actions: &[Action::new(
            "scene.record",
            "Record a scene",
            "Makes shots of what is done from now on; again: ends it.",
            &[Chord::key("F9")],
            || ScriptAsk::Record.into(),
        )
        .when(is_open)],
    },
];

const PRESENT_LINES: &[Line] = &[
    Line {
        keys: "F5, Shift + F5",
        text: "present: from the start, from the chosen shot",
        actions: &[
            Action::new(
                "present.begin",
                "Present",
                "Presents the scene from its first shot.",
                &[Chord::key("F5")],
                || LiveAsk::Begin(0).into(),
            )
            .when(is_open),
            Action::new(
                "present.here",
                "Present from the chosen shot",
                "Presents the scene from the shot that is chosen.",
                &[Chord::key("F5").shift()],
                || LiveAsk::Begin(usize::MAX).into(),
            )
            .when(is_open),
        ],
    },
    Line {
        keys: "→ Page down Space",
        text: "next shot; ← Page up: the one before",
        actions: &[
            Action::new(
                "present.next",
                "Next shot",
                "Goes on to the next shot.",
                &[
                    Chord::key("Right"),
                    Chord::key("Down"),
                    Chord::key("PageDown"),
                    Chord::key("Space"),
                ],
                || LiveAsk::Next.into(),
            )
            .within(Scope::Presentation)
            .when(is_presenting),
            Action::new(
                "present.previous",
                "Previous shot",
                "Goes back to the shot before.",
                &[Chord::key("Left"), Chord::key("Up"), Chord::key("PageUp")],
                || LiveAsk::Previous.into(),
            )
            .within(Scope::Presentation)
            .when(is_presenting),
        ],
    },
    Line {
        keys: "Number, Enter",
        text: "to that shot; Home, End: first and last",
        actions: &[
            Action::new(
                "present.digit-0",
                "Digit 0",
                "Types a digit of the number of a shot.",
                &[Chord::letter('0')],
                || LiveAsk::Digit('0').into(),
            )
            .within(Scope::Presentation)
            .when(is_presenting),
            Action::new(
                "present.digit-1",
                "Digit 1",
                "Types a digit of the number of a shot.",
                &[Chord::letter('1')],
                || LiveAsk::Digit('1').into(),
            )
            .within(Scope::Presentation)
            .when(is_presenting),
            Action::new(
                "present.digit-2",
                "Digit 2",
                "Types a digit of the number of a shot.",
                &[Chord::letter('2')],
                || LiveAsk::Digit('2').into(),
            )
            .within(Scope::Presentation)
            .when(is_presenting),
            Action::new(
                "present.digit-3",
                "Digit 3",
                "Types a digit of the number of a shot.",
                &[Chord::letter('3')],
                || LiveAsk::Digit('3').into(),
            )
            .within(Scope::Presentation)
            .when(is_presenting),
            Action::new(
                "present.digit-4",
                "Digit 4",
                "Types a digit of the number of a shot.",
                &[Chord::letter('4')],
                || LiveAsk::Digit('4').into(),
            )
            .within(Scope::Presentation)
            .when(is_presenting),
            Action::new(
                "present.digit-5",
                "Digit 5",
                "Types a digit of the number of a shot.",
                &[Chord::letter('5')],
                || LiveAsk::Digit('5').into(),
            )
            .within(Scope::Presentation)
            .when(is_presenting),
            Action::new(
                "present.digit-6",
                "Digit 6",
                "Types a digit of the number of a shot.",
                &[Chord::letter('6')],
                || LiveAsk::Digit('6').into(),
            )
            .within(Scope::Presentation)
            .when(is_presenting),
            Action::new(
                "present.digit-7",
                "Digit 7",
                "Types a digit of the number of a shot.",
                &[Chord::letter('7')],
                || LiveAsk::Digit('7').into(),
            )
            .within(Scope::Presentation)
            .when(is_presenting),
            Action::new(
                "present.digit-8",
                "Digit 8",
                "Types a digit of the number of a shot.",
                &[Chord::letter('8')],
                || LiveAsk::Digit('8').into(),
            )
            .within(Scope::Presentation)
            .when(is_presenting),
            Action::new(
                "present.digit-9",
                "Digit 9",
                "Types a digit of the number of a shot.",
                &[Chord::letter('9')],
                || LiveAsk::Digit('9').into(),
            )
            .within(Scope::Presentation)
            .when(is_presenting),
            Action::new(
                "present.enter",
                "Go to the shot",
                "Goes to the shot whose number was typed.",
                &[Chord::key("Enter")],
                || LiveAsk::Enter.into(),
            )
            .within(Scope::Presentation)
            .when(is_presenting),
            Action::new(
                "present.first",
                "First shot",
                "Goes to the first shot.",
                &[Chord::key("Home")],
                || LiveAsk::First.into(),
            )
            .within(Scope::Presentation)
            .when(is_presenting),
            Action::new(
                "present.last",
                "Last shot",
                "Goes to the last shot.",
                &[Chord::key("End")],
                || LiveAsk::Last.into(),
            )
            .within(Scope::Presentation)
            .when(is_presenting),
        ],
    },
    Line {
        keys: "Drag, wheel",
        text: "look around; Backspace: back to the script",
        actions: &[Action::new(
            "present.script",
            "Back to the script",
            "Goes back to where the script has it.",
            &[Chord::key("Backspace")],
            || LiveAsk::Script.into(),
        )
        .within(Scope::Presentation)
        .when(is_presenting)],
    },
    Line {
        keys: "L, F",
        text: "laser pointer, flashlight",
        actions: &[
            Action::new(
                "present.laser",
                "Laser pointer",
                "Shows a bright dot for the pointer.",
                &[Chord::letter('l')],
                || LiveAsk::Point(PointsWith::Laser).into(),
            )
            .within(Scope::Presentation)
            .when(is_presenting),
            Action::new(
                "present.flashlight",
                "Flashlight",
                "Dims all but the module under the pointer.",
                &[Chord::letter('f')],
                || LiveAsk::Point(PointsWith::Flashlight).into(),
            )
            .within(Scope::Presentation)
            .when(is_presenting),
        ],
    },
    Line {
        keys: "N",
        text: "notes and next shot in a second window",
        actions: &[Action::new(
            "present.notes",
            "Notes",
            "Shows notes and the next shot in a second window.",
            &[Chord::letter('n')],
            || LiveAsk::Notes.into(),
        )
        .within(Scope::Presentation)
        .when(is_presenting)],
    },
    Line {
        keys: "B .",
        text: "black",
        actions: &[Action::new(
            "present.black",
            "Black",
            "Shows nothing, or all again.",
            &[Chord::letter('b'), Chord::letter('.')],
            || LiveAsk::Black.into(),
        )
        .within(Scope::Presentation)
        .when(is_presenting)],
    },
    Line {
        keys: "A",
        text: "by itself, or shot by shot",
        actions: &[Action::new(
            "present.auto",
            "By itself",
            "Has shots follow one another by themselves, or wait.",
            &[Chord::letter('a')],
            || LiveAsk::Auto.into(),
        )
        .within(Scope::Presentation)
        .when(is_presenting)],
    },
    Line {
        keys: "F11, Escape",
        text: "full screen or not, leave",
        actions: &[
            Action::new(
                "window.full-screen",
                "Full screen",
                "Fills the screen, or no longer.",
                &[Chord::key("F11")],
                || LiveAsk::FullScreen.into(),
            ),
            Action::new(
                "present.full-screen",
                "Full screen",
                "Fills the screen, or no longer.",
                &[Chord::key("F11")],
                || LiveAsk::FullScreen.into(),
            )
            .within(Scope::Presentation)
            .when(is_presenting),
            Action::new(
                "present.leave",
                "Leave the presentation",
                "Ends the presentation.",
                &[Chord::key("Escape"), Chord::key("F5")],
                || LiveAsk::Leave.into(),
            )
            .within(Scope::Presentation)
            .when(is_presenting),
        ],
    },
];

const WINDOW_LINES: &[Line] = &[
    Line {
        keys: "F1, ?",
        text: "this help",
        actions: &[Action::new(
            "card.help",
            "Help",
            "Shows all keys.",
            &[Chord::key("F1"), Chord::letter('?')],
            || CardAsk::ToggleHelp.into(),
        )],
    },
    Line {
        keys: "O",
        text: "settings",
        actions: &[Action::new(
            "card.settings",
            "Settings",
            "Shows what the landscape is drawn by.",
            &[Chord::letter('o')],
            || CardAsk::ToggleSettings.into(),
        )],
    },
    Line {
        keys: "A",
        text: "the mapping file and its editor",
        actions: &[
            Action::new(
                "card.mapping",
                "Mapping",
                "Shows the mapping file and its editor.",
                &[Chord::letter('a')],
                || MappingAsk::Toggle.into(),
            )
            .when(is_open),
            Action::new(
                "mapping.save",
                "Save the mapping",
                "Writes the mapping file and shows the structure through it.",
                &[Chord::letter('s').ctrl()],
                || MappingAsk::Save.into(),
            )
            .within(Scope::Mapping),
        ],
    },
    Line {
        keys: "L",
        text: "legend",
        actions: &[Action::new(
            "card.legend",
            "Legend",
            "Shows or hides the legend.",
            &[Chord::letter('l')],
            || CardAsk::ToggleLegend.into(),
        )],
    },
    Line {
        keys: "K",
        text: "call stacks",
        actions: &[Action::new(
            "card.stacks",
            "Running now",
            "Shows or hides what runs now.",
            &[Chord::letter('k')],
            || CardAsk::ToggleStacks.into(),
        )],
    },
    Line {
        keys: "T",
        text: "light or dark",
        actions: &[Action::new(
            "look.theme",
            "Light or dark",
            "Switches between the light and the dark theme.",
            &[Chord::letter('t')],
            || LookAsk::SwitchTheme.into(),
        )],
    },
    Line {
        keys: "F3",
        text: "frame times, and those of the passes on the device",
        actions: &[Action::new(
            "card.timings",
            "Frame times",
            "Shows or hides how long frames take.",
            &[Chord::key("F3")],
            || CardAsk::ToggleTimings.into(),
        )],
    },
    Line {
        keys: "Ctrl + −, +, 0",
        text: "smaller and larger letters and lines, as usual",
        actions: &[
            Action::new(
                "look.smaller",
                "Smaller letters",
                "Makes letters and lines smaller.",
                &[Chord::letter('-').ctrl(), Chord::letter('−').ctrl()],
                || LookAsk::ScaleText(1.0 / 1.1).into(),
            ),
            Action::new(
                "look.larger",
                "Larger letters",
                "Makes letters and lines larger.",
                &[Chord::letter('+').ctrl(), Chord::letter('=').ctrl()],
                || LookAsk::ScaleText(1.1).into(),
            ),
            Action::new(
                "look.usual",
                "Usual letters",
                "Makes letters and lines as large as usual.",
                &[Chord::letter('0').ctrl()],
                || LookAsk::ScaleText(0.0).into(),
            ),
        ],
    },
    Line {
        keys: "Ctrl + S",
        text: "save the session: files, views, selection",
        actions: &[Action::new(
            "file.save",
            "Save the session",
            "Saves what is open and how it is looked at.",
            &[Chord::letter('s').ctrl()],
            || FileAsk::SaveSession.into(),
        )
        .when(is_open)],
    },
    Line {
        keys: "Ctrl + C",
        text: "copy the picture of the landscape",
        actions: &[Action::new(
            "picture.copy",
            "Copy the picture",
            "Copies the picture of the landscape to the clipboard.",
            &[Chord::letter('c').ctrl()],
            || PictureAsk::Copy.into(),
        )
        .when(is_open)],
    },
    Line {
        keys: "Ctrl + P",
        text: "save a picture, of up to 16384 pixels a side, or a model",
        actions: &[Action::new(
            "picture.card",
            "Save a picture",
            "Asks for a picture or a model to be saved.",
            &[Chord::letter('p').ctrl()],
            || PictureAsk::Toggle.into(),
        )
        .when(is_open)],
    },
    Line {
        keys: "Drop files",
        text: "open a source tree or a recording",
        actions: &[],
    },
];

/// What keys and the mouse do, page by page.
pub const PAGES: &[Page] = &[
    Page {
        title: "Look around",
        lines: LOOK_AROUND_LINES,
    },
    Page {
        title: "Where a feature runs",
        lines: WHERE_A_FEATURE_RUNS_LINES,
    },
    Page {
        title: "Play",
        lines: PLAY_LINES,
    },
    Page {
        title: TWO_RUNS,
        lines: RUNS_LINES,
    },
    Page {
        title: VIEWS,
        lines: PANES_LINES,
    },
    Page {
        title: "Overview and call stacks",
        lines: OVERVIEW_AND_CALL_STACKS_LINES,
    },
    Page {
        title: "Functions and calls",
        lines: FUNCTIONS_AND_CALLS_LINES,
    },
    Page {
        title: "Find and choose",
        lines: FIND_AND_CHOOSE_LINES,
    },
    Page {
        title: "Bookmarks",
        lines: BOOKMARKS_LINES,
    },
    Page {
        title: "Present",
        lines: PRESENT_LINES,
    },
    Page {
        title: "Window",
        lines: WINDOW_LINES,
    },
];

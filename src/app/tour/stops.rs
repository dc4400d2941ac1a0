//! The stops of the tour in their order.

use super::seen::{Now, Seen, is_playing};
use crate::command::Command;
use crate::keys;
use callscape_base::units::{ModuleId, Time, TimeRange};
use callscape_filter::filters::FilterStep;
use callscape_state::State;
use callscape_state::ask::{FilterAsk, SelectAsk};
use callscape_state::document::Document;

/// Of a turn of the camera, in radians, and of its distance, as a share: less is no looking about.
const TURN: f32 = 0.1;
const NEARER: f32 = 0.1;

/// What is done at a stop.
pub(crate) struct Stop {
    pub title: &'static str,
    /// Why one does it.
    pub about: &'static str,
    pub mouse: &'static str,
    /// Ids of actions in braces stand for their keys.
    pub keys: &'static str,
    /// What is clicked, as panels name it to the ring; empty for the landscape.
    pub at: &'static str,
    pub(super) is_done: fn(&Now<'_>, &Seen) -> bool,
    /// Does it for the user.
    pub(super) does: fn(&Document, &State) -> Vec<Command>,
}

/// The stop before which something is left out.
pub(super) const UNDO: &str = "Undo";

/// What the action of this id asks for; nothing where it is not possible.
fn action(state: &State, id: &str) -> Vec<Command> {
    let action = keys::listed().find(|it| it.id == id);
    action
        .and_then(|it| it.command(state))
        .into_iter()
        .collect()
}

/// The function that costs most itself.
fn hottest(document: &Document) -> Option<ModuleId> {
    let rows = document.functions.as_ref()?.rows().iter();
    Some(rows.max_by_key(|it| it.metrics.self_cost)?.module)
}

/// The stops in their order.
pub(crate) static STOPS: [Stop; 11] = [
    Stop {
        title: "Look around",
        about: "Each block is a file or a function of Lua, sized by its code. Districts are folders.",
        mouse: "Drag to turn, right-drag to move, scroll to zoom.",
        keys: "{camera.top} shows the view from above, {camera.isometric} from a corner, {camera.home} everything.",
        at: "",
        does: |_, state| action(state, "camera.top"),
        is_done: |now, seen| {
            let camera = &now.state.moving.camera;
            let now = camera.destination().unwrap_or(camera.pose());
            let turned = (now.forward() - seen.pose.forward()).length() > TURN;
            let moved = now.target.distance(seen.pose.target) > NEARER * seen.pose.distance;
            let zoomed = (now.distance / seen.pose.distance).ln().abs() > NEARER;
            turned || moved || zoomed
        },
    },
    Stop {
        title: "Select a function",
        about: "Its arcs stand out, and a panel lists its callers and callees.",
        mouse: "Click a block. Double-click also flies there.",
        keys: "{search.open}, then a name such as luaH_get, and Enter.",
        at: "",
        does: |document, _| {
            let hottest = hottest(document).map(|it| SelectAsk::Select(Some(it)).into());
            hottest.into_iter().collect()
        },
        is_done: |now, seen| {
            let chosen = now.document.selection.chosen;
            chosen.module.is_some() && chosen.module != seen.chosen.module
        },
    },
    Stop {
        title: "Play",
        about: "A recorded run of Lua plays over its own code: blocks rise and glow while they run.",
        mouse: "Click the triangle at the bottom left.",
        keys: "{play.play}",
        at: "play",
        does: |_, state| action(state, "play.play"),
        is_done: |now, _| is_playing(now.document),
    },
    Stop {
        title: "Step",
        about: "You can also step through time, backward and forward.",
        mouse: "Click the buttons next to the triangle, or click the time bar.",
        keys: "{play.step} and {play.step-back}; {play.play} pauses.",
        at: "step",
        does: |document, state| {
            let pauses = is_playing(document).then(|| action(state, "play.play"));
            let steps = action(state, "play.step");
            pauses.into_iter().flatten().chain(steps).collect()
        },
        is_done: |now, seen| !is_playing(now.document) && now.document.selection.time != seen.time,
    },
    Stop {
        title: "Limit the time",
        about: "Every view then shows and counts only that part of the run.",
        mouse: "Hold Shift and drag along the time bar at the bottom.",
        keys: "{range.start} starts the range at the time shown, {range.end} ends it there.",
        at: "time",
        does: |document, _| {
            let whole = document.resolved().map(|it| it.recording.trace.range());
            let half = |it: TimeRange| TimeRange::new(it.start, Time::from_ns(it.end.ns() / 2));
            let limits = whole.map(|it| SelectAsk::SetRange(Some(half(it))).into());
            limits.into_iter().collect()
        },
        is_done: |now, seen| {
            let range = now.document.selection.range;
            range.is_some() && range != seen.range
        },
    },
    Stop {
        title: "Colour",
        about: "Colours compare all modules at once: which ones take the time, and which are called often?",
        mouse: "Settings, Colour: select self cost, for example.",
        keys: "{palette.open}, then “colour by self”, and Enter.",
        at: "Settings",
        does: |_, state| action(state, "colour.self"),
        is_done: |now, seen| now.state.settings.surface != seen.surface,
    },
    Stop {
        title: "Open a view",
        about: "Other views show the same data differently; a selection applies to all of them.",
        mouse: "Views, at the top right: select Functions, for example.",
        keys: "{functions} opens Functions, {flame} the call stacks.",
        at: "views",
        does: |_, state| action(state, "functions"),
        is_done: |now, seen| now.state.panes.open_views().len() > seen.views,
    },
    Stop {
        title: "Exclude something",
        about: "Exclude code that gets in the way of your question. Its callers then call its callees directly.",
        mouse: "Right-click a block: Exclude the module.",
        keys: "{filter.module} excludes the selection.",
        at: "",
        does: |document, _| {
            let chosen = document
                .selection
                .chosen
                .module
                .or_else(|| hottest(document));
            let step = chosen.map(FilterStep::RemoveModule);
            step.map(|it| FilterAsk::Add(it).into())
                .into_iter()
                .collect()
        },
        is_done: |now, seen| now.document.filters.steps().len() > seen.left_out,
    },
    Stop {
        title: UNDO,
        about: "Every change of the display can be undone, so you can try anything.",
        mouse: "Click the arrow that bends to the left, at the top left.",
        keys: "{step.undo}; {step.list} lists all changes.",
        at: "undo",
        does: |_, state| action(state, "step.undo"),
        is_done: |now, seen| now.document.filters.steps().len() < seen.left_out,
    },
    Stop {
        title: "Compare two runs",
        about: "Open two recordings of one program: the landscape shows the difference, and a card says why they differ.",
        mouse: "Menu: Compare with…, or drop a second recording on the window.",
        keys: "{palette.open}, then “compare with”, and Enter.",
        at: "menu",
        does: |_, state| action(state, "runs.compare"),
        is_done: |now, seen| now.outside.compares && !seen.outside.compares,
    },
    Stop {
        title: "Keep and share",
        about: "A bookmark keeps the display. Share, below the bookmarks of your own recordings, writes everything into one file.",
        mouse: "Menu, Bookmarks: Add a bookmark.",
        keys: "{bookmark.add} adds one, {card.bookmarks} lists them.",
        at: "menu",
        does: |_, state| action(state, "bookmark.add"),
        is_done: |now, seen| now.outside.bookmarks > seen.outside.bookmarks,
    },
];

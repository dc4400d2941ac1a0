//! When an action would do something.

use callscape_state::State;

pub(super) fn is_open(state: &State) -> bool {
    state.document.is_some()
}

pub(super) fn has_source(state: &State) -> bool {
    let document = state.document.as_ref();
    document.is_some_and(|it| it.session.source_dir.is_some())
}

/// The history of a source tree is open, without the tree.
pub(super) fn is_history(state: &State) -> bool {
    let document = state.document.as_ref();
    document
        .is_some_and(|it| it.session.source_dir.is_none() && it.city.metrics().played().is_some())
}

pub(super) fn has_recording(state: &State) -> bool {
    state
        .document
        .as_ref()
        .is_some_and(|it| it.resolved().is_some())
}

pub(super) fn has_times(state: &State) -> bool {
    state
        .document
        .as_ref()
        .is_some_and(|it| it.playback.is_some())
}

/// One run is shown, with times.
pub(super) fn plays_one_run(state: &State) -> bool {
    let document = state.document.as_ref();
    document.is_some_and(|it| it.playback.is_some() && it.runs.is_none())
}

pub(super) fn is_limited(state: &State) -> bool {
    let document = state.document.as_ref();
    document.is_some_and(|it| it.selection.range.is_some())
}

pub(super) fn has_two_runs(state: &State) -> bool {
    state.document.as_ref().is_some_and(|it| it.runs.is_some())
}

pub(super) fn is_chosen(state: &State) -> bool {
    let chosen = state.document.as_ref().map(|it| it.selection.chosen);
    has_times(state) && chosen.is_some_and(|it| it.module.is_some() || it.function.is_some())
}

pub(super) fn is_something_meant(state: &State) -> bool {
    let selection = state.document.as_ref().map(|it| &it.selection);
    selection.is_some_and(|it| it.chosen.module.or(it.pointed.module).is_some())
}

pub(super) fn is_call_chosen(state: &State) -> bool {
    let selection = state.document.as_ref().map(|it| &it.selection);
    selection.is_some_and(|it| it.chosen.call.or(it.pointed.call).is_some())
}

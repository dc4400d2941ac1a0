//! How a session plays, as its file keeps it.

use serde::{Deserialize, Serialize};

use callscape_base::units::Cost;
use callscape_state::State;
use callscape_state::playback::{Clock, PlaybackSettings, Step};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedPlayback {
    clock: Clock,
    wall_speed: f64,
    event_speed: f64,
    cel_speed: f64,
    cel_events: Option<u64>,
    cel_ns: Option<u64>,
    stride: u64,
    repeat: bool,
    skip_idle: bool,
    backward: bool,
    #[serde(default)]
    summary: bool,
    #[serde(default)]
    with_sum: bool,
    #[serde(default)]
    follow: bool,
}

impl SavedPlayback {
    /// None without a recording that plays.
    pub fn of(state: &State) -> Option<SavedPlayback> {
        let playback = state.document.as_ref()?.playback.as_ref()?;
        let settings = playback.settings();
        let (events, span) = match settings.step {
            Step::Events(events) => (Some(events), None),
            Step::Span(span) => (None, Some(span.ns())),
        };
        Some(SavedPlayback {
            clock: settings.clock,
            wall_speed: settings.wall_speed,
            event_speed: settings.event_speed,
            cel_speed: settings.cel_speed,
            cel_events: events,
            cel_ns: span,
            stride: settings.stride,
            repeat: settings.looping,
            skip_idle: settings.skips_idle,
            backward: settings.backward,
            summary: playback.summary,
            with_sum: state.runs_view.with_sum,
            follow: state.moving.following.is_on,
        })
    }

    /// After the time has been found.
    pub fn restore(&self, state: &mut State) {
        state.moving.following.is_on = self.follow;
        let playback = state.document.as_mut().and_then(|it| it.playback.as_mut());
        let Some(playback) = playback else { return };
        let known = playback.step;
        let step = match (self.cel_events, self.cel_ns) {
            (Some(events), _) => Step::Events(events),
            (None, Some(ns)) => Step::Span(Cost::from_ns(ns)),
            (None, None) => known,
        };
        playback.configure(&PlaybackSettings {
            clock: self.clock,
            wall_speed: self.wall_speed,
            event_speed: self.event_speed,
            cel_speed: self.cel_speed,
            step,
            stride: self.stride,
            looping: self.repeat,
            skips_idle: self.skip_idle,
            backward: self.backward,
        });
        playback.summary = self.summary;
        state.show_with_sum(self.with_sum);
    }
}

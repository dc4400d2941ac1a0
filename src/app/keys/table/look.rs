//! What colours and heights of the landscape say.

use crate::command::Command;
use callscape_model::metric::Metric;
use callscape_model::surface::Surface;
use callscape_state::State;
use callscape_state::action::Line;
use callscape_state::ask::LookAsk;
use callscape_state::keys;

use super::possible::is_open;

/// Whether what is open knows a metric.
fn knows(state: &State, metric: Metric) -> bool {
    let document = state.document.as_ref();
    document.is_some_and(|it| it.city.metrics().has(metric))
}

fn by(metric: Metric) -> Command {
    LookAsk::Surface(Surface::Metric(metric)).into()
}

fn high(metric: Metric) -> Command {
    LookAsk::Height(Some(metric)).into()
}

pub const LINES: &[Line<Command>] = keys! {
    ["Ctrl + P, “colour”"] "colour by kind, district, language, or what is known of each module" {
        "colour.kind" [] "Colour by kind", "Has colours say the level of the hierarchy, and what runs glow." => LookAsk::Surface(Surface::Neutral), when(is_open);
        "colour.district" [] "Colour by district", "Has colours say the districts." => LookAsk::Surface(Surface::District), when(is_open);
        "colour.language" [] "Colour by language", "Has colours say the languages." => LookAsk::Surface(Surface::Language), when(is_open);
        "colour.self" [] "Colour by self cost", "Has colours compare what modules cost themselves." => by(Metric::SelfCost), when(|state| knows(state, Metric::SelfCost));
        "colour.total" [] "Colour by total cost", "Has colours compare what modules cost with all that they call." => by(Metric::Total), when(|state| knows(state, Metric::Total));
        "colour.calls" [] "Colour by calls", "Has colours compare how often modules are called." => by(Metric::Calls), when(|state| knows(state, Metric::Calls));
        "colour.waiting" [] "Colour by waiting", "Has colours compare how long modules wait." => by(Metric::Waiting), when(|state| knows(state, Metric::Waiting));
        "colour.complexity" [] "Colour by complexity", "Has colours compare how complex modules are." => by(Metric::Complexity), when(|state| knows(state, Metric::Complexity));
        "colour.coverage" [] "Colour by coverage", "Has colours say what share of the lines ran, of those that reports of coverage count." => by(Metric::Coverage), when(|state| knows(state, Metric::Coverage));
    }
    ["Ctrl + P, “height”"] "even heights, or by what is known of each module" {
        "height.even" [] "Even height", "Makes all modules equally high." => LookAsk::Height(None), when(is_open);
        "height.self" [] "Height by self cost", "Makes modules as high as what they cost themselves." => high(Metric::SelfCost), when(|state| knows(state, Metric::SelfCost));
        "height.calls" [] "Height by calls", "Makes modules as high as they are called often." => high(Metric::Calls), when(|state| knows(state, Metric::Calls));
        "height.complexity" [] "Height by complexity", "Makes modules as high as they are complex." => high(Metric::Complexity), when(|state| knows(state, Metric::Complexity));
        "height.uncovered" [] "Height by uncovered lines", "Makes modules as high as they have lines that did not run, of those that reports of coverage count." => high(Metric::Uncovered), when(|state| knows(state, Metric::Uncovered));
    }
};

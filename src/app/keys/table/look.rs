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

fn knows_people(state: &State) -> bool {
    let document = state.document.as_ref();
    document.is_some_and(|it| !it.city.metrics().people().is_empty())
}

fn by(metric: Metric) -> Command {
    LookAsk::Surface(Surface::Metric(metric)).into()
}

fn high(metric: Metric) -> Command {
    LookAsk::Height(Some(metric)).into()
}

pub(super) const LINES: &[Line<Command>] = keys! {
    ["Ctrl + P, “colour”"] "colour by kind, district, language, or a metric of each module" {
        "colour.kind" [] "Colour by kind", "Colours blocks by their level in the hierarchy; running code glows." => LookAsk::Surface(Surface::Neutral), when(is_open);
        "colour.district" [] "Colour by district", "Colours blocks by district." => LookAsk::Surface(Surface::District), when(is_open);
        "colour.language" [] "Colour by language", "Colours blocks by language." => LookAsk::Surface(Surface::Language), when(is_open);
        "colour.person" [] "Colour by main author", "Colours files by who made most changes to them." => LookAsk::Surface(Surface::Person), when(knows_people);
        "colour.self" [] "Colour by self cost", "Colours modules by their self cost." => by(Metric::SelfCost), when(|state| knows(state, Metric::SelfCost));
        "colour.total" [] "Colour by total cost", "Colours modules by their total cost, including callees." => by(Metric::Total), when(|state| knows(state, Metric::Total));
        "colour.calls" [] "Colour by calls", "Colours modules by their number of calls." => by(Metric::Calls), when(|state| knows(state, Metric::Calls));
        "colour.waiting" [] "Colour by waiting", "Colours modules by their waiting time." => by(Metric::Waiting), when(|state| knows(state, Metric::Waiting));
        "colour.complexity" [] "Colour by complexity", "Colours modules by complexity." => by(Metric::Complexity), when(|state| knows(state, Metric::Complexity));
        "colour.coverage" [] "Colour by coverage", "Colours modules by the share of covered lines in coverage reports." => by(Metric::Coverage), when(|state| knows(state, Metric::Coverage));
    }
    ["Ctrl + P, “height”"] "even heights, or by a metric of each module" {
        "height.even" [] "Even height", "Makes all modules equally high." => LookAsk::Height(None), when(is_open);
        "height.self" [] "Height by self cost", "Shows the self cost of modules as their height." => high(Metric::SelfCost), when(|state| knows(state, Metric::SelfCost));
        "height.calls" [] "Height by calls", "Makes modules as high as they are called often." => high(Metric::Calls), when(|state| knows(state, Metric::Calls));
        "height.complexity" [] "Height by complexity", "Makes modules as high as they are complex." => high(Metric::Complexity), when(|state| knows(state, Metric::Complexity));
        "height.uncovered" [] "Height by uncovered lines", "Shows the uncovered lines of modules, from coverage reports, as their height." => high(Metric::Uncovered), when(|state| knows(state, Metric::Uncovered));
    }
};

//! What colours and heights of the landscape say.

use crate::command::Command;
use callscape_model::metric::Metric;
use callscape_model::surface::Surface;
use callscape_state::State;
use callscape_state::action::{Action, Line};
use callscape_state::ask::LookAsk;

use super::possible::is_open;

/// Whether what is open knows a metric.
fn knows(state: &State, metric: Metric) -> bool {
    let document = state.document.as_ref();
    document.is_some_and(|it| it.city.metrics().has(metric))
}

/// An action that has the palette and the menu alone.
const fn plain(
    id: &'static str,
    title: &'static str,
    about: &'static str,
    ask: fn() -> Command,
) -> Action<Command> {
    Action::new(id, title, about, &[], ask)
}

fn by(metric: Metric) -> Command {
    LookAsk::Surface(Surface::Metric(metric)).into()
}

fn high(metric: Metric) -> Command {
    LookAsk::Height(Some(metric)).into()
}

pub const LINES: &[Line<Command>] = &[
    Line {
        keys: "Ctrl + P, “colour”",
        text: "colour by kind, district, language, or what is known of each module",
        actions: &[
            plain(
                "colour.kind",
                "Colour by kind",
                "Has colours say the level of the hierarchy, and what runs glow.",
                || LookAsk::Surface(Surface::Neutral).into(),
            )
            .when(is_open),
            plain(
                "colour.district",
                "Colour by district",
                "Has colours say the districts.",
                || LookAsk::Surface(Surface::District).into(),
            )
            .when(is_open),
            plain(
                "colour.language",
                "Colour by language",
                "Has colours say the languages.",
                || LookAsk::Surface(Surface::Language).into(),
            )
            .when(is_open),
            plain(
                "colour.self",
                "Colour by self cost",
                "Has colours compare what modules cost themselves.",
                || by(Metric::SelfCost),
            )
            .when(|state| knows(state, Metric::SelfCost)),
            plain(
                "colour.total",
                "Colour by total cost",
                "Has colours compare what modules cost with all that they call.",
                || by(Metric::Total),
            )
            .when(|state| knows(state, Metric::Total)),
            plain(
                "colour.calls",
                "Colour by calls",
                "Has colours compare how often modules are called.",
                || by(Metric::Calls),
            )
            .when(|state| knows(state, Metric::Calls)),
            plain(
                "colour.waiting",
                "Colour by waiting",
                "Has colours compare how long modules wait.",
                || by(Metric::Waiting),
            )
            .when(|state| knows(state, Metric::Waiting)),
            plain(
                "colour.complexity",
                "Colour by complexity",
                "Has colours compare how complex modules are.",
                || by(Metric::Complexity),
            )
            .when(|state| knows(state, Metric::Complexity)),
            plain(
                "colour.coverage",
                "Colour by coverage",
                "Has colours say what share of the lines ran, of those that reports of coverage count.",
                || by(Metric::Coverage),
            )
            .when(|state| knows(state, Metric::Coverage)),
        ],
    },
    Line {
        keys: "Ctrl + P, “height”",
        text: "even heights, or by what is known of each module",
        actions: &[
            plain(
                "height.even",
                "Even height",
                "Makes all modules equally high.",
                || LookAsk::Height(None).into(),
            )
            .when(is_open),
            plain(
                "height.self",
                "Height by self cost",
                "Makes modules as high as what they cost themselves.",
                || high(Metric::SelfCost),
            )
            .when(|state| knows(state, Metric::SelfCost)),
            plain(
                "height.calls",
                "Height by calls",
                "Makes modules as high as they are called often.",
                || high(Metric::Calls),
            )
            .when(|state| knows(state, Metric::Calls)),
            plain(
                "height.complexity",
                "Height by complexity",
                "Makes modules as high as they are complex.",
                || high(Metric::Complexity),
            )
            .when(|state| knows(state, Metric::Complexity)),
            plain(
                "height.uncovered",
                "Height by uncovered lines",
                "Makes modules as high as they have lines that did not run, of those that reports of coverage count.",
                || high(Metric::Uncovered),
            )
            .when(|state| knows(state, Metric::Uncovered)),
        ],
    },
];

//! What Escape leaves: what lies on top goes first, whatever came before what.
//!
//! A field that is typed into and a list that drops down are egui's, which closes them before it comes to this order
//! (`window/input.rs`). A presentation covers everything, and has keys of its own.

use super::desk::Desk;
use callscape_filter::selection::Pointed;
use callscape_state::State;
use callscape_state::ask::{CardAsk, LookAsk, OpenAsk, SelectAsk};

/// Something that Escape leaves.
struct Layer {
    name: &'static str,
    is_there: fn(&Desk) -> bool,
    leave: fn(&mut Desk),
}

/// A layer that is there while a flag is set.
macro_rules! flag {
    ($name:literal, $($field:ident).+) => {
        Layer {
            name: $name,
            is_there: |desk| desk.$($field).+,
            leave: |desk| desk.$($field).+ = false,
        }
    };
}

/// In the order in which they are left: menus, cards in the order in which they lie on each other, the help, the search,
/// notices, and then what the views show. Whoever adds something that can be left adds a line.
const LAYERS: [Layer; 24] = [
    Layer {
        name: "the menu",
        is_there: |desk| desk.palette.menu.is_some(),
        leave: |desk| desk.palette.menu = None,
    },
    flag!("the palette", palette.is_open),
    Layer {
        name: "opening files",
        is_there: |desk| desk.state.opening.loading.is_some(),
        leave: |desk| desk.state.execute(OpenAsk::CancelLoading),
    },
    Layer {
        name: "the question",
        is_there: |desk| desk.question.is_some(),
        leave: |desk| desk.question = None,
    },
    Layer {
        name: "the name of a file",
        is_there: |desk| desk.naming.is_some(),
        leave: |desk| desk.naming = None,
    },
    flag!("the recording panel", recording.is_open),
    flag!("the comparison panel", pair.is_open),
    Layer {
        name: "the revisions panel",
        is_there: |desk| desk.pair.revisions.is_some(),
        leave: |desk| desk.pair.revisions = None,
    },
    flag!("the welcome", welcome.is_open),
    flag!("the picture panel", picture.is_open),
    flag!("the steps", state.cards.steps),
    flag!("the bookmarks", talk.is_open),
    flag!("the mapping", state.mapping.is_open),
    Layer {
        name: "the panel of frequent calls",
        is_there: |desk| desk.state.cards.frequency,
        leave: |desk| desk.state.execute(CardAsk::ToggleFrequency),
    },
    flag!("the settings", state.cards.settings),
    Layer {
        name: "the tour",
        is_there: |desk| desk.tour.card().is_some(),
        leave: |desk| {
            desk.tour.leave();
        },
    },
    flag!("the help", state.cards.help),
    Layer {
        name: "the search",
        is_there: |desk| desk.state.search.is_open,
        leave: |desk| desk.state.leave_search(),
    },
    Layer {
        name: "notices",
        is_there: |desk| !desk.state.told.messages.is_empty(),
        leave: |desk| desk.state.told.messages.clear(),
    },
    Layer {
        name: "a flight",
        is_there: |desk| desk.state.moving.camera.destination().is_some(),
        leave: |desk| desk.state.moving.camera.stop(),
    },
    Layer {
        name: "a maximised view",
        is_there: |desk| desk.state.panes.maximised.is_some(),
        leave: |desk| {
            if let Some(view) = desk.state.panes.maximised {
                desk.state.panes.maximise(view);
            }
        },
    },
    Layer {
        name: "the selection",
        is_there: |desk| is_chosen(&desk.state),
        leave: |desk| desk.state.execute(SelectAsk::Select(None)),
    },
    Layer {
        name: "the highlight",
        is_there: |desk| desk.state.settings.highlight.is_some(),
        leave: |desk| desk.state.execute(LookAsk::Highlight(None)),
    },
    Layer {
        name: "the range",
        is_there: |desk| {
            let open = desk.state.document.as_ref();
            open.is_some_and(|open| open.selection.range.is_some())
        },
        leave: |desk| desk.state.execute(SelectAsk::SetRange(None)),
    },
];

fn is_chosen(state: &State) -> bool {
    let open = state.document.as_ref();
    open.is_some_and(|open| open.selection.chosen != Pointed::default())
}

impl Desk {
    /// What Escape would leave now, by name, what goes first first.
    pub fn layers(&self) -> impl Iterator<Item = &'static str> {
        let there = LAYERS.iter().filter(|layer| (layer.is_there)(self));
        there.map(|layer| layer.name)
    }

    /// Leaves what lies on top.
    pub(super) fn escape(&mut self) {
        if let Some(top) = LAYERS.iter().find(|layer| (layer.is_there)(self)) {
            (top.leave)(self);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::{Command, PaletteAsk};
    use crate::naming::{NameCard, Written};
    use crate::pair::{Question, Replacement, RevisionsCard};
    use callscape_analysis::session::Inputs;
    use callscape_base::progress::Progress;
    use callscape_base::units::{ModuleId, Time, TimeRange};
    use callscape_filter::cut::Cut;
    use callscape_model::highlight::Highlight;
    use callscape_model::metric::Metric;
    use callscape_state::ask::PaneAsk;
    use callscape_state::document::Document;
    use callscape_state::message::Message;
    use callscape_views as views;

    /// Opens a layer, and nothing else.
    type Open = fn(&mut Desk);

    /// In the order in which they are left; what is being opened would open.
    const OPEN: [(&str, Open); 23] = [
        ("the menu", |desk| {
            // It takes the place of the palette otherwise.
            let is_open = desk.palette.is_open;
            desk.execute(PaletteAsk::Menu(None, &[]));
            desk.palette.is_open = is_open;
        }),
        ("the palette", |desk| desk.palette.is_open = true),
        ("the question", |desk| {
            desk.question = Some(Question {
                replacement: Replacement::Demo,
                second: Vec::new(),
            });
        }),
        ("the name of a file", |desk| {
            desk.naming = Some(NameCard {
                what: Written::Session,
                path: String::new(),
                films: Vec::new(),
            });
        }),
        ("the recording panel", |desk| desk.recording.is_open = true),
        ("the comparison panel", |desk| desk.pair.is_open = true),
        ("the revisions panel", |desk| {
            desk.pair.revisions = Some(RevisionsCard::default());
        }),
        ("the welcome", |desk| desk.welcome.is_open = true),
        ("the picture panel", |desk| desk.picture.is_open = true),
        ("the steps", |desk| desk.state.cards.steps = true),
        ("the bookmarks", |desk| desk.talk.is_open = true),
        ("the mapping", |desk| desk.state.mapping.is_open = true),
        ("the panel of frequent calls", |desk| {
            desk.state.cards.frequency = true
        }),
        ("the settings", |desk| desk.state.cards.settings = true),
        ("the tour", |desk| desk.tour.begin()),
        ("the help", |desk| desk.state.cards.help = true),
        ("the search", |desk| desk.state.search.is_open = true),
        ("notices", |desk| {
            desk.state.told.messages.push(Message {
                is_error: false,
                is_open: false,
                title: "The picture is on the clipboard".to_owned(),
                lines: Vec::new(),
            });
        }),
        ("a flight", |desk| {
            let mut pose = desk.state.moving.camera.pose();
            pose.yaw += 1.0;
            desk.state.moving.camera.fly_to_pose(pose);
        }),
        ("a maximised view", |desk| {
            desk.execute(PaneAsk::Maximise(Some(views::main())));
        }),
        ("the selection", |desk| {
            desk.state.execute(SelectAsk::Select(Some(ModuleId(1))));
        }),
        ("the highlight", |desk| {
            desk.state.settings.highlight = Some(Highlight {
                metric: Metric::LinesOfCode,
                low: 0.0,
                high: 1.0,
            });
        }),
        ("the range", |desk| {
            let range = TimeRange::new(Time::from_ns(10), Time::from_ns(20));
            desk.state.execute(SelectAsk::SetRange(Some(range)));
        }),
    ];

    fn desk() -> Desk {
        let mut desk = Desk::unattended();
        let settings = desk.state.settings;
        let document = Document::open(&Inputs::default(), None, &settings, &Progress::new());
        let mut document = document.expect("the demo is built in");
        // What is not displayed takes no time.
        document.cut = Cut::at_level(&document.session.hierarchy, 0);
        desk.show(document);
        desk.state.told.messages.clear();
        // A view that is the only one is alone already.
        let other = views::named("functions").expect("it is registered");
        desk.execute(PaneAsk::Toggle(other));
        (0..OPEN.len()).for_each(|_| desk.escape());
        assert_eq!(layers(&desk), [""; 0]);
        desk
    }

    fn layers(desk: &Desk) -> Vec<&'static str> {
        desk.layers().collect()
    }

    #[test]
    fn of_any_two_that_are_open_the_upper_one_is_left_whichever_came_first() {
        let mut desk = desk();
        for (i, first) in OPEN.iter().enumerate() {
            for (j, second) in OPEN.iter().enumerate().filter(|(j, _)| *j != i) {
                (first.1)(&mut desk);
                (second.1)(&mut desk);
                let [upper, lower] = [OPEN[i.min(j)].0, OPEN[i.max(j)].0];
                assert_eq!(layers(&desk), [upper, lower]);
                desk.execute(Command::Escape);
                assert_eq!(layers(&desk), [lower], "{upper} goes before it");
                desk.execute(Command::Escape);
                assert_eq!(layers(&desk), [""; 0], "after {lower}");
            }
        }
    }

    #[test]
    fn all_that_is_open_is_left_from_top_to_bottom() {
        let names: Vec<_> = OPEN.iter().map(|it| it.0).collect();
        let listed = LAYERS.iter().map(|it| it.name);
        let listed: Vec<_> = listed.filter(|it| *it != "opening files").collect();
        assert_eq!(listed, names, "each has its line here");
        let mut desk = desk();
        OPEN.iter().rev().for_each(|it| (it.1)(&mut desk));
        for left in 0..=names.len() {
            assert_eq!(layers(&desk), names[left..]);
            desk.execute(Command::Escape);
        }
    }
}

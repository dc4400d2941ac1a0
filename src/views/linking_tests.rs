//! Tables 6.3 and 6.4 of Bohnet's thesis, tried: for every view of the registry and everything that can be pointed at,
//! whether the view answers is what its line says.
//!
//! | pointed at in any view | landscape | overview | call stacks | functions | calls | code |
//! |---|---|---|---|---|---|---|
//! | function | outline, name | its row | its calls | its row | its calls | its lines, and those that call it |
//! | module | outline, name | its rows | its calls | its rows | its calls | the lines of its functions |
//! | call | outline of its function | row, and where in it | outline of it | row of its function | its row | the line that makes it |
//! | call relation | arc, both ends | rows of both ends | calls of the one by the other | rows of both | the calls | the lines that make them |
//! | time point | the clock's cel | line | line | – | rows that are open | – |
//! | time range | counts and arcs in it | pales the rest | pales the rest | numbers in it | calls in it | numbers in it |
//!
//! | pointed at in any view | collaboration | call neighbourhood |
//! |---|---|---|
//! | function | box that it is in, lines there | its boxes, lines there |
//! | module | box or frame, lines there | its frames or what is in it |
//! | call | box, line from its caller | boxes, line from its caller |
//! | call relation | lines, both ends | line, both ends |
//! | time point | – | what is on the call stacks |
//! | time range | calls in it | calls in it |

use std::sync::Arc;
use std::time::Duration;

use egui::{Pos2, RawInput, Rect, Shape, TextureId};

use super::{Entry, Picture, REGISTRY, Surface, View};
use crate::parts::style;
use crate::testing::{self, data, document as open, frame};
use callscape_analysis::session::Inputs;
use callscape_base::units::{CallId, Cost, FunctionId, ModuleId, ThreadId, Time, TimeRange};
use callscape_filter::selection::{CallOf, Pointed, Selection};
use callscape_layout::sheet::Sheet;
use callscape_model::band::{Band, Stretch};
use callscape_model::moment::Moment;
use callscape_state::State;
use callscape_state::ask::{Ask, Asks, GraphKey, PlayAsk, SelectAsk, ViewAsk};
use callscape_state::document::Document;
use callscape_state::panes::{Artifact, Kind, Needs, ViewId};

/// What pictures are drawn on.
const SURFACE: Surface = Surface {
    size: [900, 300],
    scale: 1.0,
    is_new: true,
};

/// The window that has the widgets: 50 rows of a table are seen.
const WINDOW: egui::Vec2 = egui::vec2(900.0, 1200.0);

/// What is shown at first: so little that tables also tell of the rows that are out of sight.
const SHOWN: Cost = Cost::from_ns(4_000_000);

const ARTIFACTS: [Artifact; 6] = [
    Artifact::Function,
    Artifact::Module,
    Artifact::Call,
    Artifact::CallRelation,
    Artifact::TimePoint,
    Artifact::TimeRange,
];

/// Everything that a view shows, told apart by equality.
#[derive(Debug, PartialEq)]
enum Shown {
    City {
        outlined: [Option<ModuleId>; 2],
        wide_arcs: usize,
        moment: Option<Moment>,
    },
    Sheet(Sheet),
    Widgets(Vec<Shape>),
}

/// The demo, or two runs for views along the time of both.
fn state_for(needs: Needs) -> State {
    let recordings = match needs {
        Needs::TwoRunsWithTimes => vec!["parsed.json.gz", "stored.json.gz"],
        _ => Vec::new(),
    };
    let paths = recordings.into_iter();
    testing::state(&Inputs {
        recordings: paths.map(|it| data("compare/paths").join(it)).collect(),
        ..Inputs::default()
    })
}

/// A view of the registry with the state that it shows, alone in a window.
struct Alone {
    id: ViewId,
    view: Box<dyn View>,
    state: State,
    ctx: egui::Context,
}

impl Alone {
    /// Of all of the recording.
    fn new(entry: &'static Entry) -> Alone {
        let ctx = egui::Context::default();
        style::set_fonts(&ctx, None);
        let mut state = state_for(entry.line.needs);
        let id = ViewId::of(&entry.line);
        state.panes.open(id);
        state.ask_views(Some(id), ViewAsk::ShowAll);
        if entry.line.kind == Kind::Graph {
            // Around this function there is something to see.
            let function = Examples::of(open(&state)).function;
            state.execute(SelectAsk::Choose(Pointed {
                function: Some(function),
                ..Pointed::default()
            }));
        }
        Alone {
            id,
            view: (entry.open)(),
            state,
            ctx,
        }
    }

    fn can_show(&self) -> bool {
        open(&self.state).has(self.id.line().needs)
    }

    /// Takes what workers have found, and hands the view what was asked of it.
    fn update(&mut self) {
        let Alone {
            id, view, state, ..
        } = self;
        state.work.is_asked = view.wants_counts();
        state.poll_jobs();
        state.update_work();
        let mut asks = Asks::default();
        view.update(state, &mut asks);
        for (of, ask) in std::mem::take(&mut state.errands.view_asks) {
            if of.is_none_or(|of| of == *id) {
                view.on(ask, state, &mut asks);
                view.update(state, &mut asks);
            }
        }
        asks.take().into_iter().for_each(|ask| state.execute(ask));
    }

    fn is_waiting(&self) -> bool {
        let state = &self.state;
        self.view.is_waiting() || state.work.is_under_way() || state.work.jobs.is_any()
    }

    /// What is shown once nothing more is being worked out.
    fn shown(&mut self) -> Shown {
        let mut is_quiet = false;
        loop {
            // What eases is where it leads to once time has gone on.
            let later = self.state.now() + Duration::from_secs(1);
            self.state.tell_time(later);
            self.update();
            let was_waiting = self.is_waiting();
            let shown = match self.view.picture(&self.state, SURFACE) {
                Picture::City => None,
                Picture::Sheet(sheet) => Some(Shown::Sheet(sheet.clone())),
                Picture::Nothing => Some(Shown::Widgets(Vec::new())),
                Picture::Same => panic!("{:?}: nothing is drawn on it yet", self.id),
            };
            if was_waiting || self.is_waiting() {
                is_quiet = false;
                std::thread::sleep(Duration::from_millis(2));
                continue;
            }
            if !std::mem::replace(&mut is_quiet, true) {
                continue;
            }
            return match shown {
                None => city(&mut self.state),
                Some(Shown::Widgets(_)) => {
                    let widgets = self.widgets();
                    if self.is_waiting() {
                        // What is seen decides what is worked out.
                        continue;
                    }
                    Shown::Widgets(widgets)
                }
                Some(sheet) => sheet,
            };
        }
    }

    /// Its widgets, as they are once all have found their places.
    fn widgets(&mut self) -> Vec<Shape> {
        let mut shapes = Vec::new();
        loop {
            let before = std::mem::replace(&mut shapes, self.frame(RawInput::default()).0);
            if shapes == before {
                return shapes;
            }
        }
    }

    /// A frame of its widgets, and what it says the pointer is on.
    fn frame(&mut self, input: RawInput) -> (Vec<Shape>, Pointed) {
        let window = Rect::from_min_size(Pos2::ZERO, WINDOW);
        let (view, shown) = (&mut *self.view, (window, Some(TextureId::default())));
        let (shapes, pointed, asks) = frame(&self.ctx, view, &self.state, shown, input);
        assert!(asks.is_empty(), "nobody clicked: {asks:?}");
        (shapes, pointed)
    }

    /// Points at it, chooses the range, or shows the time.
    fn mean(&mut self, artifact: Artifact, of: &Examples) {
        if artifact == Artifact::TimeRange {
            return self.state.execute(SelectAsk::SetRange(Some(of.half)));
        }
        let picture = self.view.picture(&self.state, SURFACE);
        if artifact == Artifact::TimePoint && matches!(picture, Picture::City) {
            // It shows the time of the clock: a time pointed at moves nothing.
            return self.seek(of.early);
        }
        let document = self.state.document.as_mut().expect("something is open");
        let pointed = document.complete(of.pointed(artifact));
        document.selection.change(|it| it.pointed = pointed);
    }

    fn mean_nothing(&mut self, of: &Examples) {
        let document = self.state.document.as_mut().expect("something is open");
        document
            .selection
            .change(|it| it.pointed = Pointed::default());
        self.state.execute(SelectAsk::SetRange(Some(of.shown)));
        self.seek(of.middle);
    }

    fn seek(&mut self, time: Time) {
        self.state.execute(PlayAsk::Seek(time));
        self.state.advance(Duration::ZERO);
    }
}

/// What the city of the state shows.
fn city(state: &mut State) -> Shown {
    let document = state.document.as_mut().expect("something is open");
    let moment = document.moment();
    document.city.show(&Arc::clone(&document.session), moment);
    let plain = document.city.marked_arcs(&Selection::default()).clone();
    let marked = document.city.marked_arcs(&document.selection);
    let pairs = plain.arcs.iter().zip(&marked.arcs);
    let wide_arcs = pairs.filter(|(a, b)| b.width > a.width).count();
    let modules = document.meant(&document.selection.pointed).modules();
    let outlined = modules.map(|module| document.city.displayed(module?));
    Shown::City {
        outlined,
        wide_arcs,
        moment,
    }
}

/// One of everything that can be pointed at.
struct Examples {
    function: FunctionId,
    /// A district.
    module: ModuleId,
    call: CallOf,
    relation: (ModuleId, ModuleId),
    /// What the clock shows at first.
    middle: Time,
    /// A call that stands among the first of what is shown is open then, and no longer in the middle.
    early: Time,
    /// What is shown at first, and the latter half of that.
    shown: TimeRange,
    half: TimeRange,
}

impl Examples {
    fn of(document: &Document) -> Examples {
        let trace = &document.resolved().expect("a recording").recording.trace;
        let middle = Time::from_ns(trace.range().end.ns() * 6 / 10);
        let start = Time::from_ns(middle.ns() - SHOWN.ns() / 2);
        let shown = TimeRange::new(start, start + SHOWN);
        // An outer call that is open then, has begun in what is shown, and leads to another module.
        let thread = ThreadId(0);
        let mut stack: Vec<CallId> = Vec::new();
        trace.stack_at(thread, middle, &mut stack);
        let found = stack.windows(2).find_map(|pair| {
            let [caller, call] = [pair[0], pair[1]].map(|call| trace.call(thread, call));
            let relation = document.displayed_relation(caller.function, call.function)?;
            (call.start >= shown.start).then_some((pair[1], call.function, relation))
        });
        let (call, function, relation) = found.expect("something runs then");
        let module = document.module_of(function).expect("a module");
        let starts = (0..=call.0)
            .rev()
            .map(|id| trace.call(thread, CallId(id)).start);
        let early = starts.take_while(|&it| it >= start).last();
        Examples {
            function,
            module: document.session.hierarchy.parent(module).expect("a parent"),
            call: CallOf { thread, call },
            relation,
            middle,
            early: early.expect("calls begin in what is shown"),
            shown,
            half: TimeRange::new(middle, shown.end),
        }
    }

    fn pointed(&self, artifact: Artifact) -> Pointed {
        let nothing = Pointed::default();
        match artifact {
            Artifact::Function => Pointed {
                function: Some(self.function),
                ..nothing
            },
            Artifact::Module | Artifact::Neighbours => Pointed::at_module(Some(self.module)),
            Artifact::Call => Pointed {
                call: Some(self.call),
                thread: Some(self.call.thread),
                ..nothing
            },
            Artifact::CallRelation => Pointed {
                relation: Some(self.relation),
                ..nothing
            },
            Artifact::TimePoint => Pointed {
                time: Some(self.early),
                ..nothing
            },
            Artifact::TimeRange | Artifact::Line => nothing,
        }
    }
}

#[test]
fn every_view_answers_what_the_table_of_views_says() {
    for entry in REGISTRY {
        let mut alone = Alone::new(entry);
        let of = Examples::of(open(&alone.state));
        alone.mean_nothing(&of);
        let before = alone.shown();
        for artifact in ARTIFACTS {
            alone.mean(artifact, &of);
            let after = alone.shown();
            // What differs between two runs is nothing of one.
            let answers = alone.can_show() && entry.line.answers.contains(&artifact);
            let id = alone.id;
            assert_eq!(before != after, answers, "{id:?} {artifact:?}");
            alone.mean_nothing(&of);
            let again = alone.shown();
            assert!(again == before, "{id:?}: something is left of {artifact:?}");
        }
    }
}

#[test]
fn graphs_offer_what_the_table_says_and_a_click_chooses_it() {
    let graphs = REGISTRY
        .iter()
        .filter(|entry| entry.line.kind == Kind::Graph);
    for entry in graphs {
        let mut alone = Alone::new(entry);
        alone.shown();
        // Functions are seen once their module unfolds.
        let unfold = ViewAsk::Graph(GraphKey::More);
        alone.state.ask_views(Some(alone.id), unfold);
        alone.shown();
        // Its picture fills the window.
        let surface = Surface {
            size: [WINDOW.x as u32, WINDOW.y as u32],
            ..SURFACE
        };
        let mut found = [None; 3];
        for _ in 0..3 {
            alone.view.picture(&alone.state, surface);
            alone.widgets();
        }
        for x in (2..WINDOW.x as u32).step_by(9) {
            for y in (2..WINDOW.y as u32).step_by(7) {
                let at = egui::pos2(x as f32, y as f32);
                let input = RawInput {
                    events: vec![egui::Event::PointerMoved(at)],
                    ..RawInput::default()
                };
                let (_, pointed) = alone.frame(input);
                let place = Some((at, pointed));
                let [relation, function, module] = &mut found;
                match (pointed.relation, pointed.function, pointed.module) {
                    (Some(_), ..) => *relation = relation.or(place),
                    (None, Some(_), _) => *function = function.or(place),
                    (None, None, Some(_)) => *module = module.or(place),
                    _ => {}
                }
            }
        }
        let id = alone.id;
        let offers = |artifact| entry.line.offers.contains(&artifact);
        for (artifact, found) in [Artifact::CallRelation, Artifact::Function, Artifact::Module]
            .into_iter()
            .zip(found)
        {
            // A function in a frame of its own has no other module to point at.
            if artifact == Artifact::Module && found.is_none() {
                continue;
            }
            assert_eq!(found.is_some(), offers(artifact), "{id:?} {artifact:?}");
            let Some((at, pointed)) = found else { continue };
            let asks = click(&mut alone, at);
            assert!(
                asks.contains(&Ask::Select(SelectAsk::Choose(pointed))),
                "{id:?} {artifact:?}: {asks:?}"
            );
        }
    }
}

#[test]
fn the_views_along_time_offer_what_the_table_says() {
    let along_time = |entry: &&&Entry| entry.line.kind == Kind::AlongTime;
    for entry in REGISTRY.iter().filter(along_time) {
        let mut alone = Alone::new(entry);
        alone.shown();
        let mut found = Pointed::default();
        for x in (10..SURFACE.size[0]).step_by(7) {
            for y in (4..SURFACE.size[1]).step_by(5) {
                let at = egui::pos2(x as f32, y as f32);
                let input = RawInput {
                    events: vec![egui::Event::PointerMoved(at)],
                    ..RawInput::default()
                };
                let (_, pointed) = alone.frame(input);
                found.function = found.function.or(pointed.function);
                found.module = found.module.or(pointed.module);
                found.call = found.call.or(pointed.call);
                found.time = found.time.or(pointed.time);
            }
        }
        let id = alone.id;
        let offers = |artifact| entry.line.offers.contains(&artifact);
        let expected = [Artifact::Function, Artifact::Call, Artifact::TimePoint].map(offers);
        let of = [
            found.function.is_some(),
            found.call.is_some(),
            found.time.is_some(),
        ];
        assert_eq!(of, expected, "{id:?}");
        assert!(
            offers(Artifact::TimeRange) && found.module.is_some(),
            "{id:?}"
        );
    }
}

/// What a click on a place asks for, in a window of its own: two clicks at once are a double-click.
fn click(alone: &mut Alone, at: Pos2) -> Vec<Ask> {
    alone.ctx = egui::Context::default();
    style::set_fonts(&alone.ctx, None);
    alone.widgets();
    let mut asks = Vec::new();
    for pressed in [None, Some(true), Some(false)] {
        let mut events = vec![egui::Event::PointerMoved(at)];
        events.extend(pressed.map(|pressed| egui::Event::PointerButton {
            pos: at,
            button: egui::PointerButton::Primary,
            pressed,
            modifiers: egui::Modifiers::NONE,
        }));
        let window = Rect::from_min_size(Pos2::ZERO, WINDOW);
        let input = RawInput {
            events,
            ..RawInput::default()
        };
        let (view, shown) = (&mut *alone.view, (window, Some(TextureId::default())));
        asks.extend(frame(&alone.ctx, view, &alone.state, shown, input).2);
    }
    asks
}

#[test]
fn overview_and_call_stacks_show_a_band_and_a_click_on_it_limits_every_view() {
    let along_time = |entry: &&&Entry| {
        entry.line.kind == Kind::AlongTime && !matches!(entry.line.needs, Needs::TwoRunsWithTimes)
    };
    let mut views = 0;
    for entry in REGISTRY.iter().filter(along_time) {
        let mut alone = Alone::new(entry);
        let of = Examples::of(open(&alone.state));
        alone.mean_nothing(&of);
        alone.state.execute(SelectAsk::SetRange(None));
        let before = alone.shown();
        let range = TimeRange::new(Time::ZERO, of.middle);
        let band = Band {
            title: "all",
            rows: vec![vec![Stretch {
                name: "all".to_owned(),
                range,
                thread: of.call.thread,
                call: of.call.call,
                function: of.function,
            }]],
        };
        alone.state.execute(Ask::Band(Some(Arc::new(band))));
        let with = alone.shown();
        let id = alone.id;
        assert!(before != with, "{id:?} shows it");
        let limits = |asks: &[Ask], to: Option<TimeRange>| {
            asks.contains(&Ask::Select(SelectAsk::SetRange(to)))
        };
        let x = SURFACE.size[0] as f32 * 0.4;
        let mut places = (1..SURFACE.size[1]).map(|y| egui::pos2(x, y as f32));
        let at = places.find(|&at| limits(&click(&mut alone, at), Some(range)));
        let at = at.unwrap_or_else(|| panic!("{id:?}: a click on it"));
        // Another click no longer limits them.
        alone.state.execute(SelectAsk::SetRange(Some(range)));
        assert!(limits(&click(&mut alone, at), None), "{id:?}");
        alone.state.execute(SelectAsk::SetRange(None));
        alone.state.execute(Ask::Band(None));
        assert!(alone.shown() == before, "{id:?}: something is left of it");
        views += 1;
    }
    assert_eq!(views, 2);
}

#[test]
fn the_phases_have_their_band_shown_while_they_are_seen() {
    let entry = REGISTRY.iter().find(|it| it.line.title == "Phases");
    let mut alone = Alone::new(entry.expect("the phases"));
    alone.shown();
    let band = alone.state.band().cloned().expect("a band");
    assert!(!band.rows.is_empty());
    for row in &band.rows {
        let ranges = row.windows(2).map(|pair| [pair[0].range, pair[1].range]);
        assert!(ranges.into_iter().all(|[a, b]| a.end <= b.start));
    }
    alone.state.panes.close(alone.id);
    alone.update();
    assert_eq!(alone.state.band(), None);
}

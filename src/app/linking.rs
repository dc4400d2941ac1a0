//! Tables 6.3 and 6.4 of Bohnet's thesis, tried: for every view and everything that can be pointed at, whether the
//! view answers is what its line in the table of views says.
//!
//! | pointed at in any view | landscape | overview | call stacks | functions | calls |
//! |---|---|---|---|---|---|
//! | function | outline, name | its row | its calls | its row | its calls |
//! | module | outline, name | its rows | its calls | its rows | its calls |
//! | call | outline of its function | row, and where in it | outline of it | row of its function | its row |
//! | call relation | arc, both ends | rows of both ends | calls of the one by the other | rows of both | the calls |
//! | time point | the clock's cel | line | line | – | rows that are open |
//! | time range | counts and arcs in it | pales the rest | pales the rest | numbers in it | calls in it |

use glam::Vec2;

use super::document::Document;
use crate::analysis::session::Inputs;
use crate::filter::filters::Filters;
use crate::filter::selection::{CallOf, Pointed, Selection};
use crate::layout::sheet::Fill;
use crate::model::calls::CallsOf;
use crate::model::landscape::LandscapeSettings;
use crate::model::theme::Theme;
use crate::progress::Progress;
use crate::units::{CallId, FunctionId, ModuleId, ThreadId, Time, TimeRange};
use crate::views::Scope;
use crate::views::calls::CallList;
use crate::views::functions::FunctionRow;
use crate::views::table::{Artifact, Needs, ViewId};

const SIZE: Vec2 = Vec2::new(900.0, 300.0);

fn open() -> Document {
    let settings = LandscapeSettings::default();
    let inputs = Inputs::default();
    Document::open(&inputs, None, &settings, &Progress::new()).expect("the demo is built in")
}

/// Everything that a view shows of a selection, told apart by equality.
#[derive(Debug, PartialEq)]
enum Shown {
    Landscape {
        outlined: [Option<ModuleId>; 2],
        wide_arcs: usize,
        moment: Option<crate::model::moment::Moment>,
    },
    Marks(Vec<Fill>),
    Functions {
        lit: Vec<usize>,
        rows: Vec<FunctionRow>,
    },
    Calls {
        lit: Vec<usize>,
        open: usize,
        counted: u64,
    },
}

/// The calls of `of`, in the whole recording and in a range of it.
fn lists(document: &Document, of: CallsOf, range: TimeRange) -> [CallList; 2] {
    [None, Some(range)].map(|range| {
        CallList::find(
            &document.session,
            document.recording(),
            &document.cut,
            of,
            range,
            &Filters::default(),
            &Progress::new(),
        )
        .expect("nobody cancels")
    })
}

fn shown(document: &mut Document, lists: &[CallList; 2], view: ViewId, pointed: Pointed) -> Shown {
    let pointed = document.complete(pointed);
    let selection = Selection {
        pointed,
        ..document.selection.clone()
    };
    match view {
        ViewId::Landscape => {
            let moment = document.moment();
            document.landscape.show(&document.session, moment);
            let plain = document
                .landscape
                .marked_arcs(&Selection::default())
                .clone();
            let marked = document.landscape.marked_arcs(&selection);
            let pairs = plain.arcs.iter().zip(&marked.arcs);
            let wide_arcs = pairs.filter(|(a, b)| b.width > a.width).count();
            let modules = document.meant(&pointed).modules();
            let outlined = modules.map(|module| document.landscape.displayed(module?));
            Shown::Landscape {
                outlined,
                wide_arcs,
                moment,
            }
        }
        ViewId::Mural | ViewId::Flame => {
            let recording = document.recording();
            let scope = Scope {
                session: &document.session,
                recording,
                selection: &selection,
                filters: &Filters::default(),
                theme: Theme::Light,
                size: SIZE,
                scale: 1.0,
            };
            let sheets = document.sheets.as_mut().expect("the demo plays");
            let mut marks = Vec::new();
            loop {
                let is_waiting = sheets.is_waiting(view);
                if let Some(sheet) = sheets.show(view, &scope) {
                    marks.clone_from(&sheet.marks);
                }
                if !is_waiting {
                    return Shown::Marks(marks);
                }
                std::thread::sleep(std::time::Duration::from_millis(2));
            }
        }
        ViewId::Functions => {
            let meant = document.meant(&pointed);
            let table = document.functions.as_ref().expect("the demo has functions");
            let lit = table.rows().enumerate();
            let lit = lit.filter(|(_, row)| meant.holds_function(row.function));
            Shown::Functions {
                lit: lit.map(|(place, _)| place).collect(),
                rows: table.rows().copied().collect(),
            }
        }
        ViewId::Differences | ViewId::Timelines => Shown::Marks(Vec::new()),
        ViewId::Calls => {
            let list = &lists[usize::from(document.selection.range.is_some())];
            let meant = document.meant(&pointed);
            let rows = || (0..list.len()).filter_map(|place| list.row(place));
            let lit = rows()
                .enumerate()
                .filter(|(_, row)| meant.holds_call(row.of(), row.function, || row.caller));
            let time = pointed.time.unwrap_or(document.selection.time);
            let is_open = |start: Time, end: Time| start <= time && time < end;
            Shown::Calls {
                lit: lit.map(|(place, _)| place).collect(),
                open: rows()
                    .filter(|row| is_open(row.start, row.start + row.cost))
                    .count(),
                counted: list.counted(),
            }
        }
    }
}

#[test]
fn every_view_answers_what_the_table_of_views_says() {
    let mut document = open();
    let whole = document
        .resolved()
        .expect("a recording")
        .recording
        .trace
        .range();
    let middle = Time::from_ns(whole.end.ns() * 6 / 10);
    let (playback, trace) = document.playing().expect("the demo plays");
    playback.seek(middle, std::time::Duration::ZERO, trace);
    document.selection.time = middle;
    // A call that is open then, deep enough to have a caller and long enough to be drawn.
    let thread = ThreadId(0);
    let (call, function, caller) = {
        let trace = &document.resolved().expect("a recording").recording.trace;
        let mut stack: Vec<CallId> = Vec::new();
        trace.stack_at(thread, middle, &mut stack);
        let at = stack.len().min(5);
        let [.., caller, call] = stack[..at] else {
            panic!("something runs in the demo");
        };
        let function = trace.call(thread, call).function;
        (call, function, trace.call(thread, caller).function)
    };
    let module = document.module_of(function).expect("a module");
    let moment = document.moment();
    document.landscape.show(&document.session, moment);
    let relation = document.displayed_relation(caller, function);
    let district = document.session.hierarchy.parent(module).expect("a parent");
    let of = |artifact| match artifact {
        Artifact::Function => Pointed {
            function: Some(function),
            ..Pointed::default()
        },
        Artifact::Module => Pointed::at_module(Some(district)),
        Artifact::Call => Pointed {
            call: Some(CallOf { thread, call }),
            thread: Some(thread),
            ..Pointed::default()
        },
        Artifact::CallRelation => Pointed {
            relation,
            ..Pointed::default()
        },
        Artifact::TimePoint => Pointed {
            time: Some(whole.start),
            ..Pointed::default()
        },
        Artifact::TimeRange => Pointed::default(),
    };
    assert!(relation.is_some(), "the call leads to another module");
    let half = TimeRange::new(Time::from_ns(whole.end.ns() / 2), whole.end);
    let lists = lists(&document, CallsOf::Module(district), half);
    for artifact in [
        Artifact::Function,
        Artifact::Module,
        Artifact::Call,
        Artifact::CallRelation,
        Artifact::TimePoint,
        Artifact::TimeRange,
    ] {
        // Those of two runs show nothing of one.
        let needs_one = |view: &ViewId| view.line().needs != Needs::Comparison;
        for view in ViewId::ALL.into_iter().filter(needs_one) {
            let before = shown(&mut document, &lists, view, Pointed::default());
            if artifact == Artifact::TimeRange {
                document.limit(Some(half), Filters::default());
            }
            if artifact == Artifact::TimePoint && view == ViewId::Landscape {
                // It shows the time of the clock: a time pointed at moves nothing.
                document.selection.time = Time::from_ns(whole.end.ns() / 3);
                let time = document.selection.time;
                let (playback, trace) = document.playing().expect("the demo plays");
                playback.seek(time, std::time::Duration::ZERO, trace);
            }
            let after = shown(&mut document, &lists, view, of(artifact));
            let answers = view.line().answers.contains(&artifact);
            assert_eq!(before != after, answers, "{view:?} {artifact:?}: {after:?}");
            document.limit(None, Filters::default());
            document.selection.time = middle;
            let (playback, trace) = document.playing().expect("the demo plays");
            playback.seek(middle, std::time::Duration::ZERO, trace);
            // Nothing is left of it.
            assert_eq!(
                shown(&mut document, &lists, view, Pointed::default()),
                before
            );
        }
    }
}

#[test]
fn the_views_along_time_offer_what_the_table_says() {
    let mut document = open();
    let of = CallsOf::Function(FunctionId(u32::MAX));
    let nothing = TimeRange::new(Time::ZERO, Time::ZERO);
    let lists = lists(&document, of, nothing);
    for view in [ViewId::Mural, ViewId::Flame] {
        shown(&mut document, &lists, view, Pointed::default());
        let sheets = document.sheets.as_ref().expect("the demo plays");
        let mut found = Pointed::default();
        for x in (10..SIZE.x as u32).step_by(7) {
            for y in (4..SIZE.y as u32).step_by(5) {
                let pointed =
                    sheets.pointed(view, &document.session, Vec2::new(x as f32, y as f32));
                found.function = found.function.or(pointed.function);
                found.module = found.module.or(pointed.module);
                found.call = found.call.or(pointed.call);
                found.time = found.time.or(pointed.time);
            }
        }
        let offers = |artifact| view.line().offers.contains(&artifact);
        assert_eq!(
            found.function.is_some(),
            offers(Artifact::Function),
            "{view:?}"
        );
        assert_eq!(found.call.is_some(), offers(Artifact::Call), "{view:?}");
        assert_eq!(
            found.time.is_some(),
            offers(Artifact::TimePoint),
            "{view:?}"
        );
        assert!(
            offers(Artifact::TimeRange) && found.module.is_some(),
            "{view:?}"
        );
    }
}

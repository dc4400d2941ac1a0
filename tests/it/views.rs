//! Views and how they are linked: tables 6.3 and 6.4 of Bohnet's thesis, section 6.5, tried for every pair of
//! views, and their pictures from the command line.

use callscape::analysis::session::{Inputs, Session};
use callscape::filter::cut::Cut;
use callscape::filter::filters::Filters;
use callscape::filter::selection::{CallOf, Pointed, Selection};
use callscape::layout::sheet::Sheet;
use callscape::look::camera::Camera;
use callscape::model::calls::CallsOf;
use callscape::model::functions::FunctionNumbers;
use callscape::model::landscape::LandscapeSettings;
use callscape::model::moment::Moment;
use callscape::model::theme::Theme;
use callscape::progress::Progress;
use callscape::state::city::{City, Lettering};
use callscape::state::panes::{Artifact, ViewId};
use callscape::units::{CallId, FunctionId, ModuleId, ThreadId, Time, TimeRange};
use callscape::views::Scope;
use callscape::views::calls::CallList;
use callscape::views::flame::FlameView;
use callscape::views::functions::FunctionTable;
use callscape::views::mural::MuralView;
use callscape::views::{all, named};
use glam::{Vec2, Vec3};
use std::sync::Arc;

use crate::common;

const SIZE: Vec2 = Vec2::new(900.0, 420.0);

const ARTIFACTS: [Artifact; 6] = [
    Artifact::Function,
    Artifact::Module,
    Artifact::Call,
    Artifact::CallRelation,
    Artifact::TimePoint,
    Artifact::TimeRange,
];

fn view_named(id: &str) -> ViewId {
    named(id).expect("it is a view")
}

fn demo() -> Session {
    Session::open(&Inputs::default(), &Progress::new()).expect("the demo is built in")
}

/// The tables as the thesis prints them, for the views that it has.
#[test]
fn views_offer_and_answer_what_the_thesis_says() {
    use Artifact::{Call, CallRelation, Function, Module, TimePoint, TimeRange};
    let thesis: [(ViewId, &[Artifact], &[Artifact]); 3] = [
        (
            view_named("mural"),
            &[TimePoint, TimeRange],
            &[Function, Module, Call, CallRelation, TimePoint, TimeRange],
        ),
        (
            view_named("flame"),
            &[Function, Call, TimePoint, TimeRange],
            &[Function, Module, Call, CallRelation, TimePoint, TimeRange],
        ),
        (
            view_named("landscape"),
            &[Function, Module],
            &[Function, Module],
        ),
    ];
    for (view, offers, answers) in thesis {
        let line = view.line();
        assert!(
            offers.iter().all(|it| line.offers.contains(it)),
            "{}",
            line.id
        );
        assert!(
            answers.iter().all(|it| line.answers.contains(it)),
            "{}",
            line.id
        );
    }
}

/// A call in the middle of the demo, what called it, and a relation between them.
fn some_call(session: &Session) -> (CallOf, FunctionId, FunctionId) {
    let trace = &session.recordings[0].recording.trace;
    let thread = ThreadId(0);
    let middle = Time::from_ns(trace.duration().ns() / 2);
    let mut stack = Vec::new();
    trace.stack_at(thread, middle, &mut stack);
    let [.., outer, inner] = stack[..] else {
        panic!("something runs in the middle of the demo");
    };
    let function = |id: CallId| trace.call(thread, id).function;
    let call = CallOf {
        thread,
        call: inner,
    };
    (call, function(outer), function(inner))
}

/// What a view that offers `artifact` hands on when one is chosen, as the window completes it.
fn chosen(session: &Session, artifact: Artifact) -> Selection {
    let (call, outer, inner) = some_call(session);
    let module = |function: FunctionId| session.recordings[0].resolution.modules[function.index()];
    let trace = &session.recordings[0].recording.trace;
    let pointed = match artifact {
        Artifact::Function => Pointed {
            function: Some(inner),
            module: Some(module(inner)),
            ..Pointed::default()
        },
        Artifact::Module | Artifact::Neighbours => Pointed {
            module: session.hierarchy.parent(module(inner)),
            ..Pointed::default()
        },
        Artifact::Call => Pointed {
            call: Some(call),
            thread: Some(call.thread),
            function: Some(inner),
            module: Some(module(inner)),
            ..Pointed::default()
        },
        Artifact::CallRelation => Pointed {
            relation: Some((module(outer), module(inner))),
            module: Some(module(inner)),
            ..Pointed::default()
        },
        Artifact::TimePoint | Artifact::TimeRange | Artifact::Line => Pointed::default(),
    };
    let middle = Time::from_ns(trace.duration().ns() / 2);
    Selection {
        chosen: pointed,
        time: match artifact {
            Artifact::TimePoint => middle,
            _ => Time::ZERO,
        },
        range: (artifact == Artifact::TimeRange)
            .then(|| TimeRange::new(Time::from_ns(1_000_000), middle)),
        ..Selection::default()
    }
}

/// What a view shows of a selection, so that two of them can be compared.
fn shown(session: &Session, view: ViewId, selection: &Selection) -> String {
    let filters = Filters::default();
    let scope = Scope {
        session,
        recording: 0,
        selection,
        filters: &filters,
        theme: Theme::Light,
        size: SIZE,
        scale: 1.0,
    };
    let sheet = |sheet: &Sheet| format!("{:?}{:?}", sheet.marks, sheet.texts);
    match view.id() {
        "mural" => sheet(MuralView::new(session, 0).show(&scope)),
        "flame" => sheet(FlameView::new(session, 0).show(&scope)),
        "functions" => {
            let mut numbers = FunctionNumbers::new(session, 0);
            numbers.limit(session, selection.range, &filters);
            let table = FunctionTable::new(session, Arc::new(numbers));
            let module = |module| {
                let mut rows = table.rows();
                rows.any(|row| session.hierarchy.contains(module, row.module))
            };
            let place = selection.chosen.function.and_then(|it| table.place_of(it));
            let total: u64 = table.rows().map(|row| row.metrics.calls).sum();
            format!(
                "{place:?} {:?} {total}",
                selection.chosen.module.map(module)
            )
        }
        "calls" => {
            let of = CallsOf::Module(ModuleId::ROOT);
            let (range, none) = (selection.range, Progress::new());
            let list = CallList::find(session, 0, of, range, &filters, &none);
            let list = list.expect("nobody cancels");
            let rows = (0..list.len()).filter_map(|place| list.row(place));
            let time = selection.time;
            let open = rows.filter(|row| row.start <= time && time < row.start + row.cost);
            format!(
                "{:?} {range:?} {}",
                CallsOf::chosen(&selection.chosen),
                open.count()
            )
        }
        "landscape" => landscape(session, selection),
        // They show two runs, and nothing of one.
        _ => String::new(),
    }
}

/// The names and counts over the landscape, and its arcs.
fn landscape(session: &Session, selection: &Selection) -> String {
    let settings = LandscapeSettings::default();
    let mut view = City::new(session, &settings, &Cut::all());
    let trace = &session.recordings[0].recording.trace;
    // All that ran, but for the time chosen.
    let time = match selection.time {
        Time::ZERO => trace.range().end,
        time => time,
    };
    view.show(
        session,
        Some(Moment {
            recording: 0,
            time,
            previous: time,
            range: selection.range,
            ..Moment::default()
        }),
    );
    let camera = Camera {
        eye: Vec3::new(500.0, -600.0, 900.0),
        target: Vec3::new(500.0, 300.0, 0.0),
        fov_y: 0.8,
    };
    view.label(
        session,
        selection,
        &[],
        &camera,
        &Lettering::whole(SIZE, 13.0),
    );
    let outlined = selection.chosen.module.and_then(|it| view.bounds(it));
    format!(
        "{:?} {:?} {outlined:?}",
        view.screen_labels(),
        view.arcs().points
    )
}

#[test]
fn what_is_chosen_in_one_view_is_shown_in_all_that_answer_it() {
    let session = demo();
    let nothing = Selection::default();
    // Beside the registry every view is tried by what it draws; here these by the numbers that they show.
    for to in ["landscape", "mural", "flame", "functions", "calls"].map(view_named) {
        let before = shown(&session, to, &nothing);
        for artifact in ARTIFACTS {
            let mut from = all().into_iter();
            let is_offered = from.any(|from| from.line().offers.contains(&artifact));
            assert!(is_offered, "{artifact:?} can be chosen nowhere");
            let is_shown = shown(&session, to, &chosen(&session, artifact)) != before;
            if to.line().answers.contains(&artifact) {
                assert!(
                    is_shown,
                    "{} does not show the {artifact:?} chosen",
                    to.line().id
                );
            }
        }
    }
}

/// What is pointed at is shown as what is chosen is, and moves nothing.
#[test]
fn what_is_pointed_at_is_marked_and_moves_nothing() {
    let session = demo();
    for view in [view_named("mural"), view_named("flame")] {
        for artifact in [Artifact::Function, Artifact::Module, Artifact::Call] {
            let of = chosen(&session, artifact);
            let pointed = Selection {
                pointed: of.chosen,
                ..Selection::default()
            };
            let filters = Filters::default();
            let [still, marked] = [&Selection::default(), &pointed].map(|selection| {
                let scope = Scope {
                    session: &session,
                    recording: 0,
                    selection,
                    filters: &filters,
                    theme: Theme::Dark,
                    size: SIZE,
                    scale: 1.0,
                };
                let mut mural = MuralView::new(&session, 0);
                let mut flame = FlameView::new(&session, 0);
                match view.id() {
                    "mural" => mural.show(&scope).clone(),
                    _ => flame.show(&scope).clone(),
                }
            });
            assert_ne!(still.marks, marked.marks, "{view:?} {artifact:?}");
            assert_eq!(still.rasters, marked.rasters, "{view:?} {artifact:?}");
        }
    }
}

/// What a view says is at a place is what it marks when that is chosen: the mark covers the place.
#[test]
fn a_call_stack_view_marks_the_call_that_it_says_is_under_the_pointer() {
    let session = demo();
    let filters = Filters::default();
    let mut flame = FlameView::new(&session, 0);
    fn scope<'a>(
        session: &'a Session,
        filters: &'a Filters,
        selection: &'a Selection,
    ) -> Scope<'a> {
        Scope {
            session,
            recording: 0,
            selection,
            filters,
            theme: Theme::Light,
            size: SIZE,
            scale: 1.0,
        }
    }
    let nothing = Selection::default();
    flame.show(&scope(&session, &filters, &nothing));
    let mut found = 0;
    for step in 0..40 {
        let at = Vec2::new(20.0 + 21.7 * step as f32, 60.0 + (step * 7 % 60) as f32);
        let pointed = flame.pointed(at);
        if pointed.call.is_none() {
            continue;
        }
        found += 1;
        let selection = Selection {
            chosen: pointed,
            ..Selection::default()
        };
        let sheet = flame.show(&scope(&session, &filters, &selection));
        assert!(
            sheet.marks.iter().any(|mark| mark.rect.contains(at)),
            "{at}"
        );
    }
    assert!(found > 10, "{found}");
}

#[test]
fn every_view_along_time_is_a_picture_too() {
    let folder = crate::folder::Folder::new("view-pictures");
    let trace = common::data("window/meal.json");
    let trace = trace.to_str().expect("a path of the repository");
    for view in ["mural", "flame", "functions", "calls"] {
        let file = format!("{view}.png");
        let mut pictures = Vec::new();
        for range in [["0%", "100%"], ["20%", "30%"], ["0%", "100%"]] {
            let [from, to] = range;
            let run = folder.run(&[
                "render", trace, "-o", &file, "--view", view, "--size", "400x200", "--from", from,
                "--to", to, "--at", "25%",
            ]);
            assert!(
                run.status.success(),
                "{}",
                String::from_utf8_lossy(&run.stderr)
            );
            pictures.push(std::fs::read(folder.file(&file)).expect("a picture"));
        }
        assert_eq!(pictures[0], pictures[2], "{view}");
        assert_ne!(pictures[0], pictures[1], "{view}");
    }
    let source = common::data("window/source");
    let source = source.to_str().expect("a path of the repository");
    let run = folder.run(&["render", source, "-o", "none.png", "--view", "flame"]);
    assert_eq!(run.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&run.stderr).contains("recording"));
}

#[test]
fn memory_is_a_picture_at_any_time() {
    let folder = crate::folder::Folder::new("memory-pictures");
    let recording = common::data("import/heaptrack/python-start.heaptrack.zst");
    let recording = recording.to_str().expect("a path of the repository");
    let picture = |arguments: &[&str]| {
        let mut all = vec![
            "render",
            recording,
            "-o",
            "memory.png",
            "--view",
            "memory",
            "--size",
            "900x600",
        ];
        all.extend(arguments);
        let run = folder.run(&all);
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(run.status.success(), "{said}");
        std::fs::read(folder.file("memory.png")).expect("a picture")
    };
    let half = picture(&["--at", "50%"]);
    assert_eq!(picture(&["--at", "50%"]), half);
    let others: [&[&str]; 3] = [
        &["--at", "100%"],
        &["--summary"],
        &["--at", "50%", "--theme", "dark"],
    ];
    for other in others {
        assert_ne!(picture(other), half, "{other:?}");
    }
}

#[test]
fn what_is_called_too_often_is_said_below_pictures_of_views() {
    let folder = crate::folder::Folder::new("called-often-pictures");
    let trace = common::data("window/meal.json");
    let trace = trace.to_str().expect("a path of the repository");
    let below = |view: &str, limit: &str| {
        let run = folder.run(&[
            "render",
            trace,
            "-o",
            "often.png",
            "--view",
            view,
            "--size",
            "400x200",
            "--max-frequency",
            limit,
        ]);
        let said = String::from_utf8_lossy(&run.stderr).into_owned();
        assert!(run.status.success(), "{said}");
        let image = crate::render::read_png(&folder.file("often.png"));
        assert_eq!([image.width, image.height], [400, 200]);
        image.rgba[174 * 400 * 4..].to_vec()
    };
    let of_flame = below("flame", "10/1s");
    let first = of_flame[..4].to_vec();
    assert!(of_flame.chunks(4).any(|pixel| pixel != first), "letters");
    for view in ["mural", "functions", "rings", "tree"] {
        assert!(below(view, "10/1s") == of_flame, "{view}");
    }
    assert!(below("flame", "20/1s") != of_flame, "it says how many");
}

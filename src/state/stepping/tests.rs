//! Undoing and redoing, against what was shown before and after each change.

use glam::Vec2;

use super::super::ask::{
    Ask, CameraAsk, CutAsk, FilterAsk, LookAsk, PaneAsk, PlayAsk, RunsAsk, SelectAsk, StepAsk,
};
use super::super::camera::Preset;
use super::super::destination::Goal;
use super::super::runs::RunsLayout;
use super::super::steps::{LONGEST, Shown};
use super::super::testing::{
    CALLS, STACKS, frame_at, micros, module, nothing_open, open, range, settle, tiny, two_runs,
};
use super::super::{State, Viewport};
use callscape_analysis::comparison::amounts::Measure;
use callscape_base::units::{ModuleId, ThreadId};
use callscape_filter::filters::FilterStep;
use callscape_filter::selection::Pointed;
use callscape_look::pose::FreeArea;
use callscape_model::arcs::ArcMode;
use callscape_model::difference::Strength;
use callscape_model::landscape::LandscapeSettings;
use callscape_model::metric::Metric;
use callscape_model::surface::Surface;

/// A linear congruential generator: the same numbers in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// A frame of a window with a landscape, as far as the state sees it.
fn frame(state: &mut State) {
    settle(state);
    state.set_viewport(Viewport {
        origin: Vec2::ZERO,
        size: Vec2::new(800.0, 600.0),
        scale: 1.0,
        free: FreeArea::WINDOW,
    });
    let next = state.now().as_millis() as u64 + 3_000;
    frame_at(state, next);
    state.note_step(false);
}

fn begin(mut state: State) -> State {
    for _ in 0..5 {
        frame(&mut state);
    }
    assert!(!state.steps.can_undo() && !state.steps.can_redo());
    state
}

fn names(state: &State) -> Vec<&str> {
    state.steps.all().map(|step| step.name.as_str()).collect()
}

/// All that steps bring back: what is shown, where the camera is, and what the landscape has of it. When something was
/// chosen makes no difference.
fn seen(state: &State) -> (Shown, usize, [i32; 3]) {
    let mut shown = state.shown().expect("something is open");
    shown.chosen.time = None;
    let pose = match state.goal() {
        Goal::Pose(pose) => pose,
        Goal::To(_) => state.moving.camera.pose(),
    };
    let rough = |number: f32| (number * 100.0).round() as i32;
    let pose = [pose.distance, pose.yaw, pose.pitch].map(rough);
    (shown, open(state).city.blocks().len(), pose)
}

/// Something that a user may do.
fn any_ask(state: &State, numbers: &mut Numbers) -> Ask {
    let modules = open(state).session.hierarchy.len() as u64;
    let module = ModuleId(numbers.below(modules) as u32);
    let settings = state.settings;
    match numbers.below(20) {
        0 => FilterAsk::Add(FilterStep::RemoveModule(module)).into(),
        1 => FilterAsk::Add(FilterStep::RemoveBelow(module)).into(),
        2 => FilterAsk::Add(FilterStep::HideThread(ThreadId(0))).into(),
        3 => FilterAsk::Remove(0).into(),
        4 => CutAsk::CollapseOrExpand(Some(module)).into(),
        5 => CutAsk::SetLevel(1 + numbers.below(3) as u16).into(),
        6 => CutAsk::ExpandAll.into(),
        7 => SelectAsk::Select(Some(module)).into(),
        8 => SelectAsk::Choose(Pointed {
            relation: Some((module, ModuleId(1))),
            ..Pointed::default()
        })
        .into(),
        9 => SelectAsk::SetRange(Some(range(numbers.below(40), 50 + numbers.below(40)))).into(),
        10 => SelectAsk::SetRange(None).into(),
        11 => LookAsk::SwitchTheme.into(),
        12 => LookAsk::ScaleText(1.1).into(),
        13 => LookAsk::Configure(LandscapeSettings {
            surface: Surface::Metric(Metric::Calls),
            height: [None, Some(Metric::Total)][numbers.below(2) as usize],
            arcs: ArcMode::ALL[numbers.below(5) as usize],
            ..settings
        })
        .into(),
        14 => CameraAsk::FlyTo(module).into(),
        15 => CameraAsk::LookFrom(Preset::Top).into(),
        16 => RunsAsk::Flip.into(),
        17 => RunsAsk::Swap.into(),
        18 => RunsAsk::Together(None).into(),
        _ => RunsAsk::CompareBy(
            Measure::ALL[numbers.below(4) as usize],
            Strength::ALL[numbers.below(2) as usize],
        )
        .into(),
    }
}

#[test]
fn undoing_all_leads_to_the_first_and_redoing_all_to_the_last_whatever_was_done() {
    for seed in 0..8 {
        let mut numbers = Numbers(seed);
        let mut state = begin(if seed % 3 == 0 { two_runs() } else { tiny() });
        let mut expected = vec![seen(&state)];
        for _ in 0..25 {
            let ask = any_ask(&state, &mut numbers);
            state.execute(ask.clone());
            frame(&mut state);
            let steps = state.steps.all().len();
            assert!(steps <= expected.len(), "{ask:?} is one step at most");
            expected.truncate(steps);
            expected.push(seen(&state));
        }
        let last = expected.len() - 1;
        assert!(last > 5, "{:?}", names(&state));
        for done in (0..last).rev() {
            state.execute(StepAsk::Undo);
            frame(&mut state);
            frame(&mut state);
            assert_eq!(state.steps.done(), done);
            assert_eq!(seen(&state), expected[done], "seed {seed}, step {done}");
        }
        assert!(!state.steps.can_undo());
        for (done, expected) in expected.iter().enumerate().skip(1) {
            state.execute(StepAsk::Redo);
            frame(&mut state);
            frame(&mut state);
            assert_eq!(seen(&state), *expected, "seed {seed}, step {done}");
        }
        assert!(!state.steps.can_redo());
        for _ in 0..8 {
            let to = numbers.below(last as u64 + 1) as usize;
            state.execute(StepAsk::GoTo(to));
            for _ in 0..3 {
                frame(&mut state);
            }
            assert_eq!(seen(&state), expected[to], "seed {seed}, straight to {to}");
        }
        assert_eq!(state.steps.all().len(), last, "nothing was added meanwhile");
    }
}

#[test]
fn steps_say_in_plain_words_what_was_done() {
    let mut state = begin(tiny());
    let step = module(&state, "step");
    let settings = state.settings;
    let asks: [(Ask, &str); 11] = [
        (SelectAsk::Select(Some(step)).into(), "Selected step"),
        (CameraAsk::FlyTo(step).into(), "Flew to step"),
        (FilterAsk::RemoveModule.into(), "Excluded step"),
        (FilterAsk::Remove(0).into(), "Included step"),
        (FilterAsk::RemoveBelow.into(), "Excluded below step"),
        (
            SelectAsk::SetRange(Some(range(10, 50))).into(),
            "Limited the time to 10.0 µs – 50.0 µs",
        ),
        (CutAsk::CollapseOrExpand(Some(step)).into(), "Collapsed b"),
        (
            LookAsk::Configure(LandscapeSettings {
                surface: Surface::Metric(Metric::Calls),
                ..settings
            })
            .into(),
            "Coloured by calls",
        ),
        (LookAsk::SwitchTheme.into(), "Switched to the dark theme"),
        (LookAsk::ScaleText(1.1).into(), "Text at 110 %"),
        (SelectAsk::Select(None).into(), "Cleared the selection"),
    ];
    for (ask, name) in asks {
        state.execute(ask);
        state.note_step(false);
        frame(&mut state);
        assert_eq!(names(&state).last(), Some(&name));
    }
    assert_eq!(names(&state).len(), 11);
}

#[test]
fn playing_and_looking_about_by_hand_are_no_steps() {
    let mut state = begin(tiny());
    state.execute(PlayAsk::Seek(micros(30)));
    state.moving.camera.twist(0.3, None);
    frame(&mut state);
    state.execute(PlayAsk::ToEnd);
    frame(&mut state);
    assert_eq!(names(&state), Vec::<&str>::new());
    // Of the same at another time there is nothing to go back to.
    let step = module(&state, "step");
    for _ in 0..3 {
        state.execute(SelectAsk::Select(Some(step)));
        frame(&mut state);
    }
    assert_eq!(names(&state), ["Selected step"]);
}

#[test]
fn what_changes_by_degrees_is_one_step() {
    let mut state = begin(tiny());
    let settings = state.settings;
    let bundle = |state: &mut State, bundling: f32| {
        state.execute(LookAsk::Configure(LandscapeSettings {
            bundling,
            ..settings
        }));
    };
    // While a button is held.
    for bundling in [0.1, 0.2, 0.3] {
        bundle(&mut state, bundling);
        state.note_step(true);
    }
    assert_eq!(names(&state).len(), 0);
    state.note_step(false);
    assert_eq!(names(&state), ["Changed the bundling of arcs"]);
    // Notches of a wheel.
    for bundling in [0.4, 0.5] {
        bundle(&mut state, bundling);
        state.note_step(false);
    }
    assert_eq!(names(&state).len(), 1);
    state.execute(StepAsk::Undo);
    assert_eq!(state.settings.bundling, settings.bundling);
    state.execute(StepAsk::Redo);
    assert_eq!(state.settings.bundling, 0.5);
    // Later it is another.
    frame(&mut state);
    bundle(&mut state, 0.6);
    frame(&mut state);
    assert_eq!(names(&state).len(), 2);
    // A walk through rows is one however long it is.
    let all: Vec<ModuleId> = open(&state).session.hierarchy.modules().skip(1).collect();
    for &module in &all {
        let pointed = Pointed::at_module(Some(module));
        state.execute(SelectAsk::Walk(pointed));
        frame(&mut state);
    }
    assert_eq!(names(&state).len(), 3, "{:?}", names(&state));
    state.execute(StepAsk::Undo);
    assert_eq!(open(&state).selection.chosen.module, None);
}

#[test]
fn old_steps_are_forgotten_and_new_inputs_begin_anew() {
    let mut state = begin(tiny());
    let [step, wait] = ["step", "wait"].map(|name| module(&state, name));
    for _ in 0..LONGEST {
        for module in [step, wait] {
            state.execute(SelectAsk::Select(Some(module)));
            state.note_step(false);
        }
    }
    assert_eq!(state.steps.all().len(), LONGEST);
    state.execute(StepAsk::GoTo(0));
    assert_eq!(open(&state).selection.chosen.module, Some(wait));
    state.execute(StepAsk::GoTo(LONGEST + 1));
    assert_eq!(state.steps.done(), 0, "there are no more");
    state.show(tiny().document.expect("a recording"), |_, _| ());
    frame(&mut state);
    assert_eq!(state.steps.all().len(), 0);
}

#[test]
fn a_new_step_forgets_those_undone() {
    let mut state = begin(tiny());
    let step = module(&state, "step");
    for ask in [
        SelectAsk::Select(Some(step)).into(),
        LookAsk::SwitchTheme.into(),
        Ask::Step(StepAsk::Undo),
        CutAsk::SetLevel(1).into(),
    ] {
        state.execute(ask);
        frame(&mut state);
    }
    assert_eq!(names(&state), ["Selected step", "Collapsed deeper modules"]);
    assert!(!state.steps.can_redo());
}

#[test]
fn another_run_that_is_shown_is_a_step_that_takes_a_job() {
    let mut state = begin(two_runs());
    let letter = |state: &State| open(state).runs.as_ref().expect("two runs").letter();
    let chosen = open(&state).session.hierarchy.modules().last();
    state.execute(SelectAsk::Select(chosen));
    frame(&mut state);
    let first = letter(&state);
    state.execute(RunsAsk::Flip);
    frame(&mut state);
    assert_ne!(letter(&state), first);
    state.execute(RunsAsk::Together(Some(RunsLayout::Wipe)));
    frame(&mut state);
    state.execute(StepAsk::GoTo(0));
    assert!(
        state.work.jobs.is_revising(),
        "the other run is brought back first"
    );
    state.note_step(false);
    assert_eq!(state.steps.done(), 3, "and until then nothing is noted");
    frame(&mut state);
    frame(&mut state);
    assert_eq!(letter(&state), first);
    assert_eq!(state.steps.done(), 0);
    assert_eq!(state.runs_view.together, RunsLayout::One);
    assert_eq!(open(&state).selection.chosen.module, None);
}

#[test]
fn a_job_that_is_cancelled_leaves_everything_as_it_is() {
    let mut state = begin(two_runs());
    state.execute(RunsAsk::Flip);
    frame(&mut state);
    state.execute(StepAsk::Undo);
    state.work.jobs = Default::default();
    for _ in 0..3 {
        frame(&mut state);
    }
    assert_eq!(state.steps.done(), 1);
    assert!(state.steps.going.is_none());
}

#[test]
fn nothing_happens_where_nothing_is_open() {
    let mut state = nothing_open();
    for ask in [StepAsk::Undo, StepAsk::Redo, StepAsk::GoTo(3)] {
        state.execute(ask);
        state.note_step(false);
    }
    state.execute(PaneAsk::Toggle(CALLS));
    state.execute(PaneAsk::Toggle(STACKS));
    state.note_step(false);
    assert_eq!(state.steps.all().len(), 0);
}

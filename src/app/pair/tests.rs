//! Two runs put together in the window by mouse, and what is read of them first.

use std::path::PathBuf;

use egui::PointerButton;

use crate::command::{Command, FileAsk, PairAsk, PaletteAsk, ReplaceAsk};
use crate::driven::{Driven, Files, inputs};
use crate::palette::Row;
use callscape_state::ask::{PaneAsk, RunsAsk, SelectAsk};
use callscape_views as views;

/// A window with one recording over a source tree, and the path of another one beside it.
fn with_one(name: &str) -> (Files, Driven, [PathBuf; 2]) {
    let files = Files::new(name);
    let source = files.source(0..5);
    let runs = [
        files.recording("run-1.json", 0..9),
        files.recording("run-2.json", 0..30),
    ];
    let mut driven = Driven::new(&inputs(Some(&source), &runs[..1]));
    driven.size = egui::vec2(1280.0, 720.0);
    driven.settle();
    (files, driven, runs)
}

fn recordings(driven: &Driven) -> Vec<PathBuf> {
    driven.document().inputs.recordings.clone()
}

#[test]
fn a_newcomer_reads_why_two_runs_differ_after_four_clicks() {
    let (_files, mut driven, runs) = with_one("four-clicks");
    driven.click_on("Menu", PointerButton::Primary);
    driven.click_on("Compare with", PointerButton::Primary);
    driven.settle();
    driven.click_on("run-2.json", PointerButton::Primary);
    driven.click_on("Compare", PointerButton::Primary);
    driven.settle();
    assert_eq!(recordings(&driven), runs);
    assert!(driven.document().inputs.source_dir.is_some());
    for text in [
        "Why B differs by",
        "1. ",
        "A: run-1",
        "B: run-2",
        "All causes",
    ] {
        assert!(driven.find(text).is_some(), "{text}");
    }
    assert_eq!(driven.desk.causes.first().len(), 3);
}

#[test]
fn a_dropped_recording_is_asked_about_and_becomes_b_with_all_that_was_shown() {
    let (_files, mut driven, runs) = with_one("dropped-second");
    let functions = views::named("functions").expect("it is registered");
    driven.execute(PaneAsk::Toggle(functions));
    let chosen = driven.document().session.hierarchy.modules().nth(3);
    driven.execute(SelectAsk::Select(chosen));
    driven.settle();
    let path = |driven: &Driven| {
        let document = driven.document();
        let chosen = document.selection.chosen.module;
        chosen.map(|it| document.session.hierarchy.path(it))
    };
    let before = path(&driven);
    driven.execute(FileAsk::Open(vec![runs[1].clone()]));
    assert_eq!(recordings(&driven), runs[..1], "it is asked first");
    driven.click_on("Add as second run", PointerButton::Primary);
    driven.settle();
    assert_eq!(recordings(&driven), runs);
    assert!(driven.document().runs.is_some());
    assert!(before.is_some());
    assert_eq!(path(&driven), before);
    assert!(driven.desk.state.panes.is_open(functions));
}

#[test]
fn what_replaces_a_session_asks_and_can_be_undone() {
    let (_files, mut driven, runs) = with_one("replaced");
    driven.execute(FileAsk::Open(vec![runs[1].clone()]));
    driven.click_on("Cancel", PointerButton::Primary);
    driven.settle();
    assert_eq!(recordings(&driven), runs[..1]);
    driven.execute(FileAsk::Open(vec![runs[1].clone()]));
    driven.click_on("Open instead", PointerButton::Primary);
    while driven.desk.done.is_none() {
        driven.wait();
    }
    assert_eq!(recordings(&driven), runs[1..]);
    driven.click_on("Undo", PointerButton::Primary);
    driven.settle();
    assert_eq!(recordings(&driven), runs[..1]);
    // What takes nothing away is not asked about: the same again, and a tree for a recording without one.
    driven.execute(FileAsk::Open(runs[..1].to_vec()));
    assert!(driven.desk.question.is_none());
    for other in [
        FileAsk::Demo,
        FileAsk::Open(vec!["a.callscape-session.json".into()]),
    ] {
        driven.execute(other.clone());
        assert!(driven.desk.question.take().is_some(), "{other:?}");
    }
}

#[test]
fn several_runs_of_a_side_are_a_set_and_a_side_is_closed_with_undo() {
    let (files, mut driven, runs) = with_one("sets");
    let more = files.recording("run-3.json", 0..31);
    driven.execute(PairAsk::Toggle);
    driven.execute(PairAsk::Add(1, vec![runs[1].clone(), more.clone()]));
    driven.execute(PairAsk::Compare);
    driven.settle();
    let compared = driven.document().runs.as_ref().map(|it| it.counted_runs());
    assert_eq!(compared, Some([1, 2]));
    driven.execute(PairAsk::Close(0));
    driven.settle();
    assert_eq!(recordings(&driven), [runs[1].clone(), more]);
    assert!(driven.document().runs.is_none(), "runs of one side");
    driven.execute(ReplaceAsk::Reopen);
    driven.settle();
    let compared = driven.document().runs.as_ref().map(|it| it.counted_runs());
    assert_eq!(compared, Some([1, 2]));
    driven.execute(PairAsk::Close(1));
    driven.settle();
    assert_eq!(recordings(&driven), runs[..1]);
}

#[test]
fn a_cause_selects_its_context_and_the_closed_card_stays_closed() {
    let (_files, mut driven, runs) = with_one("causes-card");
    driven.execute(FileAsk::Open(vec![runs[1].clone()]));
    driven.execute(ReplaceAsk::AsSecond);
    driven.settle();
    driven.click_on("1. ", PointerButton::Primary);
    driven.settle();
    let first = driven.desk.causes.first()[0].clone();
    assert_eq!(
        driven.document().selection.chosen.module,
        Some(first.module)
    );
    let differences = views::named("differences").expect("it is registered");
    assert!(driven.desk.state.panes.is_visible(differences));
    assert!(driven.find("explains").is_some(), "the list of causes");
    assert!(
        driven.find("Why B differs by").is_none(),
        "it is not needed beside it"
    );
    driven.execute(PaneAsk::Toggle(differences));
    assert!(driven.find("Why B differs by").is_some());
    driven.execute(PairAsk::CloseCauses);
    assert!(driven.find("Why B differs by").is_none());
    driven.execute(RunsAsk::Swap);
    driven.settle();
    assert!(driven.find("Why B differs by").is_none(), "the same pair");
}

#[test]
fn comparing_is_found_by_the_words_of_newcomers_and_two_runs_say_what_they_need() {
    let (_files, mut driven, _runs) = with_one("palette-words");
    for words in ["compare", "second run", "B"] {
        driven.execute(PaletteAsk::Toggle);
        driven.execute(PaletteAsk::Query(words.to_owned()));
        let mut rows = driven.desk.palette.rows.iter();
        let is_there = rows.any(|it| matches!(it, Row::Action(it) if it.id == "runs.compare"));
        assert!(is_there, "{words}");
        driven.execute(Command::Escape);
    }
    driven.click_on("Menu", PointerButton::Primary);
    driven.click_on("Two runs", PointerButton::Primary);
    driven.settle();
    assert!(driven.find("Needs a second run").is_some());
}

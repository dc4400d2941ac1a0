//! What is told of one run when it is opened.

use egui::PointerButton;

use crate::command::RemarkAsk;
use crate::driven::{Driven, Files, inputs};
use callscape_state::ask::SelectAsk;

#[test]
fn a_newcomer_reads_what_is_remarkable_and_is_led_there() {
    let files = Files::new("remarkable");
    let runs = [files.recording("run-1.json", 0..30)];
    let mut driven = Driven::new(&inputs(None, &runs));
    driven.size = egui::vec2(1280.0, 720.0);
    driven.settle();
    let first = driven.desk.remarks.first().to_vec();
    assert!(!first.is_empty());
    assert!(driven.find("What is remarkable").is_some());
    driven.click_on("1. ", PointerButton::Primary);
    let about = first[0].functions.first().copied();
    assert_eq!(driven.document().selection.chosen.function, about);
    let view = callscape_views::named(first[0].view).expect("a view");
    assert!(driven.desk.state.panes.is_visible(view));

    // Closed once, it stays closed for this recording.
    driven.execute(RemarkAsk::Close);
    driven.show(&inputs(None, &runs));
    driven.settle();
    assert!(driven.find("What is remarkable").is_none());
}

#[test]
fn all_findings_are_listed_in_place_of_the_card_and_presented() {
    let files = Files::new("all-remarkable");
    let runs = [files.recording("run-1.json", 0..30)];
    let mut driven = Driven::new(&inputs(None, &runs));
    driven.size = egui::vec2(1280.0, 720.0);
    driven.settle();
    driven.click_on("All findings", PointerButton::Primary);
    driven.settle();
    let list = callscape_views::named("findings").expect("a view");
    assert!(driven.desk.state.panes.is_visible(list));
    assert!(driven.find("What is remarkable").is_none());
    let first = driven.desk.remarks.first()[0].clone();
    assert!(driven.find("1. ").is_some());
    driven.click_on("Present", PointerButton::Primary);
    driven.settle();
    let talk = &driven.desk.talk;
    let shots = &talk.script.scene.shots;
    assert_eq!(talk.bookmarks.len(), shots.len());
    let caption = shots[0].caption.clone().expect("it has a caption");
    assert_eq!(caption.below, first.text);
    assert!(shots[0].show.iter().any(|it| it.0.id() == first.view));

    // What is lit goes with the selection, in the window too.
    driven.click_on("1. ", PointerButton::Primary);
    driven.settle();
    // The list stays to be seen beside what was opened, and the card away.
    assert!(driven.desk.state.panes.is_visible(list));
    assert!(driven.find("What is remarkable").is_none());
    let lit = |driven: &Driven| driven.document().city.highlighted().0;
    assert!(lit(&driven) > 0);
    driven.execute(SelectAsk::Select(None));
    assert_eq!(lit(&driven), 0);
}

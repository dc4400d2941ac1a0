//! What is told of one run when it is opened.

use egui::PointerButton;

use crate::command::RemarkAsk;
use crate::driven::{Driven, Files, inputs};

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
    let view = callscape_views::named(first[0].kind.view()).expect("a view");
    assert!(driven.desk.state.panes.is_visible(view));

    // Closed once, it stays closed for this recording.
    driven.execute(RemarkAsk::Close);
    driven.show(&inputs(None, &runs));
    driven.settle();
    assert!(driven.find("What is remarkable").is_none());
}

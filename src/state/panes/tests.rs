//! Which views are open as they are opened, closed, moved and asked for.

use super::*;
use crate::testing::{CALLS, CITY, STACKS};

fn panes() -> Panes {
    Panes::new(vec![CITY, STACKS, CALLS])
}

/// Views beside each other, the last of them over the tab of another.
fn behind(hidden: ViewId, mut seen: Vec<ViewId>) -> Arrangement {
    let last = seen.pop().expect("a view");
    let mut parts: Vec<Arrangement> = seen.into_iter().map(Arrangement::of).collect();
    parts.push(Arrangement::Tabs {
        active: 0,
        parts: [last, hidden].map(Arrangement::of).into(),
    });
    let shares = vec![1.0; parts.len()];
    Arrangement::Row { shares, parts }
}

fn shown_at(panes: &mut Panes, view: ViewId, place: [Vec2; 2]) {
    panes.shown(vec![(view, place)], panes.room);
}

#[test]
fn the_view_that_the_camera_moves_in_is_open_at_first() {
    let panes = panes();
    assert!(panes.is_main_visible() && panes.is_open(CITY));
    assert!(!panes.is_open(STACKS));
    assert_eq!(panes.named("stacks"), Some(STACKS));
    assert_eq!(panes.named("nothing"), None);
    assert!(!Panes::new(Vec::new()).is_main_visible());
}

#[test]
fn views_open_and_close_each_in_its_place() {
    let mut panes = panes();
    panes.toggle(CALLS);
    panes.toggle(STACKS);
    let open = panes.open_views();
    assert_eq!(open, [CITY, STACKS, CALLS], "in the order of their keys");
    panes.toggle(CITY);
    assert!(!panes.is_open(CITY));
    panes.open_main();
    assert!(panes.is_main_visible());
}

#[test]
fn the_last_view_stays_open() {
    let mut panes = panes();
    panes.close(CITY);
    assert!(panes.is_open(CITY));
}

#[test]
fn a_view_behind_a_tab_is_brought_to_the_front() {
    let mut panes = panes();
    panes.arrange(&behind(STACKS, vec![CITY]));
    assert!(panes.is_open(STACKS) && !panes.is_visible(STACKS));
    panes.toggle(STACKS);
    assert!(panes.is_visible(STACKS) && !panes.is_visible(CITY));
    assert_eq!(panes.open_views().len(), 2);
}

#[test]
fn keys_are_for_the_view_that_was_opened_or_gone_to_until_the_pointer_moves() {
    let mut panes = panes();
    let over = Some((CITY, Vec2::new(3.0, 4.0)));
    panes.note_pointer(over, true, 2.0);
    assert_eq!(panes.under_pointer, over);
    panes.toggle(CALLS);
    shown_at(&mut panes, CALLS, [Vec2::ZERO, Vec2::new(100.0, 60.0)]);
    panes.note_pointer(over, false, 2.0);
    let middle = Some((CALLS, Vec2::new(100.0, 60.0)));
    assert_eq!(panes.under_pointer, middle, "its middle in pixels");
    // Over it the pointer is where it is.
    let within = Some((CALLS, Vec2::ONE));
    panes.note_pointer(within, false, 2.0);
    assert_eq!(panes.under_pointer, within);
    panes.note_pointer(over, true, 2.0);
    assert_eq!((panes.under_pointer, panes.with_keys), (over, None));
    // From view to view and round, past what is behind a tab.
    panes.arrange(&behind(STACKS, vec![CITY, CALLS]));
    panes.with_keys = Some(CITY);
    panes.note_pointer(over, false, 1.0);
    let mut walked = Vec::new();
    for is_back in [false, false, true] {
        panes.give_keys(is_back);
        panes.note_pointer(over, false, 1.0);
        walked.extend(panes.under_pointer.map(|(view, _)| view));
    }
    assert_eq!(walked, [CALLS, CITY, CALLS]);
    // One that is closed has none.
    panes.toggle(CALLS);
    panes.note_pointer(None, false, 1.0);
    assert_eq!((panes.under_pointer, panes.with_keys), (None, None));
    Panes::new(Vec::new()).give_keys(true);
}

#[test]
fn a_view_shown_alone_hides_the_others() {
    let mut panes = panes();
    panes.maximise(CITY);
    assert_eq!(panes.maximised, None, "it is the only one");
    panes.open(STACKS);
    panes.maximise(STACKS);
    assert!(panes.is_visible(STACKS) && !panes.is_visible(CITY));
    panes.open(CALLS);
    assert_eq!(panes.maximised, None, "another one is to be seen");
    panes.maximise(STACKS);
    panes.close(STACKS);
    assert_eq!(panes.maximised, None);
    assert!(panes.is_visible(CITY));
}

#[test]
fn sizes_and_kinds_are_those_of_the_view() {
    let mut panes = panes();
    assert_eq!(panes.size(CITY), None, "it was not shown yet");
    shown_at(
        &mut panes,
        CITY,
        [Vec2::new(10.0, 20.0), Vec2::new(110.0, 70.0)],
    );
    assert_eq!(panes.size(CITY), Some(Vec2::new(100.0, 50.0)));
    panes.under_pointer = Some((STACKS, Vec2::ZERO));
    assert_eq!(panes.under_pointer(Kind::AlongTime), Some(STACKS));
    assert_eq!(panes.under_pointer(Kind::Table), None);
}

#[test]
fn views_on_their_way_are_where_they_lead_in_the_end() {
    let mut at_once = panes();
    at_once.open(CALLS);
    let mut panes = panes();
    panes.ease(true);
    panes.open(CALLS);
    panes.ease(false);
    assert!(panes.is_open(CALLS) && panes.is_moving());
    assert_eq!(panes.arrangement(), at_once.arrangement());
    assert_eq!(panes.coming()[0].open(), 0.0);
    panes.advance(0.25);
    assert_eq!(panes.coming()[0].open(), 0.5);
    panes.advance(0.25);
    assert!(!panes.is_moving());
    // It goes, comes back before it is gone, and goes at last.
    panes.ease(true);
    panes.close(CALLS);
    assert!(!panes.is_open(CALLS) && !panes.is_visible(CALLS));
    assert_eq!(panes.open_views(), [CITY]);
    panes.advance(0.2);
    panes.open(CALLS);
    panes.arrive();
    assert_eq!(panes.arrangement(), at_once.arrangement());
    panes.close(CALLS);
    panes.arrive();
    assert_eq!(*panes.arrangement(), Arrangement::of(CITY));
    // An arrangement is there at once.
    panes.open(CALLS);
    assert!(panes.is_moving());
    panes.arrange(&Arrangement::of(STACKS));
    assert!(!panes.is_moving());
    panes.open(CALLS);
    assert!(!panes.is_moving(), "views ease only in scenes");
}

#[test]
fn an_arrangement_with_faults_is_mended() {
    let view = |id: &str| Arrangement::View(id.to_owned());
    let faulty = Arrangement::Row {
        shares: vec![f32::NAN, -3.0],
        parts: vec![
            Arrangement::of(CITY),
            Arrangement::Tabs {
                active: 9,
                parts: vec![
                    Arrangement::of(CALLS),
                    Arrangement::of(CITY),
                    view("nonsense"),
                ],
            },
            Arrangement::Column {
                shares: Vec::new(),
                parts: Vec::new(),
            },
        ],
    };
    let mut panes = panes();
    assert_eq!(panes.arrange(&faulty), ["nonsense"]);
    let mended = Arrangement::Row {
        shares: vec![1.0, 0.01],
        parts: vec![Arrangement::of(CITY), Arrangement::of(CALLS)],
    };
    assert_eq!(*panes.arrangement(), mended);
    assert_eq!(panes.arrange(&view("nonsense")), ["nonsense"]);
    assert_eq!(panes.open_views(), [CITY]);
}

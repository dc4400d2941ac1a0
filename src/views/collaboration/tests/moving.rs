//! Boxes that the user puts elsewhere.

use super::*;
use callscape_state::ask::StepAsk;

#[test]
fn a_box_stays_where_it_was_put_until_it_is_put_back() {
    let (mut view, mut state) = open();
    let lvm = module(&state, LVM);
    let place = |view: &Collaboration| {
        let laid = view.base.chart.laid().expect("it is made");
        let mut boxes = laid.graph.boxes.iter();
        let at = boxes.position(|it| it.of == Of::Module(lvm))?;
        let rect = laid.layout.nodes[at];
        Some((rect.min + rect.max) * 0.5)
    };
    let press = |view: &mut Collaboration, state: &mut State, key| {
        let mut asks = Asks::default();
        view.graph_key(key, document(state), &mut asks);
        asks.take().into_iter().for_each(|ask| state.execute(ask));
        settle(view, state);
        state.note_step(false);
    };
    state.note_step(false);
    state.execute(SelectAsk::Select(Some(lvm)));
    settle(&mut view, &mut state);
    state.note_step(false);
    let before = place(&view).expect("a box of its own");
    press(&mut view, &mut state, GraphKey::MoveDown);
    press(&mut view, &mut state, GraphKey::MoveRight);
    let put = place(&view).expect("it is there");
    assert!(put.x > before.x && put.y > before.y, "{before} to {put}");
    // The layout is calculated anew with other boxes and lines.
    view.base.by = By::Calls;
    view.most_lines = 3;
    view.base.revision += 1;
    settle(&mut view, &mut state);
    assert!(place(&view).expect("it is there").distance(put) < 0.01);
    // In a session file, too.
    let mut saved = SavedViews::default();
    view.save(&state, &mut saved);
    let mut again = Collaboration::default();
    assert_eq!(again.restore(&saved, &state), 0);
    settle(&mut again, &mut state);
    assert!(place(&again).expect("it is there").distance(put) < 0.01);
    state.execute(StepAsk::Undo);
    settle(&mut view, &mut state);
    let undone = place(&view).expect("it is there");
    assert!(undone.x < put.x && undone.y == put.y, "{put} to {undone}");
    state.note_step(false);
    press(&mut view, &mut state, GraphKey::PutBack);
    assert!(
        !view
            .base
            .chart
            .has_moved(&document(&state).session.hierarchy)
    );
    state.execute(StepAsk::Undo);
    settle(&mut view, &mut state);
    assert_eq!(place(&view), Some(undone));
}

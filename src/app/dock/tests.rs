//! The tiles follow the arrangement of the state, and the state follows the user's moves.

use super::*;
use callscape_views::all;

fn id(name: &str) -> ViewId {
    named(name).expect("a view of this name")
}

#[test]
fn tiles_stand_as_views_do_and_the_last_view_stays() {
    for seed in 0..200u64 {
        let (mut dock, mut panes) = (Dock::default(), Panes::new(all()));
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        for _ in 0..40 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let at = (state >> 33) as usize;
            let of = ViewId::of(&REGISTRY[at % REGISTRY.len()].line);
            let before = panes.open_views();
            if at.is_multiple_of(7) {
                panes.maximise(of);
            } else {
                panes.toggle(of);
            }
            dock.follow(&panes);
            let tiles = dock.tree.tiles.tiles().filter(|tile| tile.is_pane());
            let after = panes.open_views();
            assert_eq!(tiles.count(), after.len(), "seed {seed}");
            assert!(!after.is_empty() && before.len().abs_diff(after.len()) <= 1);
            assert!(
                after.iter().any(|&view| panes.is_visible(view)),
                "seed {seed}"
            );
            // Neither the tiles nor an arrangement that was kept have anything to mend.
            assert_eq!(dock.described().as_ref(), Some(panes.arrangement()));
            let mut again = Panes::new(all());
            assert_eq!(again.arrange(panes.arrangement()), [""; 0]);
            assert_eq!(again.arrangement(), panes.arrangement(), "seed {seed}");
        }
    }
}

fn nothing_open() -> State {
    State::new(all(), Box::new(|| Box::new(|| ())))
}

/// The views shown after a frame: each with the place for which it is laid out, and the visible part.
fn shown(dock: &mut Dock, state: &mut State) -> Vec<(ViewId, Rect, Rect)> {
    let ctx = egui::Context::default();
    let mut seen = Vec::new();
    let screen = Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(1200.0, 900.0));
    let input = egui::RawInput {
        screen_rect: Some(screen),
        ..egui::RawInput::default()
    };
    // The first frame of a context finds out sizes.
    for _ in 0..2 {
        seen.clear();
        let mut output = ctx.run_ui(input.clone(), |ui| {
            dock.show(ui, &state.panes, false, &mut |ui, view| {
                let whole = ui.max_rect();
                seen.push((view, whole, ui.clip_rect().intersect(whole)));
            });
        });
        output.textures_delta.clear();
        dock.tell(state);
    }
    seen
}

#[test]
fn views_of_scenes_come_and_go_step_by_step_and_end_where_they_would_at_once() {
    let (mut dock, mut at_once) = (Dock::default(), nothing_open());
    at_once.panes.open(id("mural"));
    let wanted = shown(&mut dock, &mut at_once);
    let (mut dock, mut eased) = (Dock::default(), nothing_open());
    shown(&mut dock, &mut eased);
    eased.panes.ease(true);
    eased.panes.open(id("mural"));
    assert!(eased.panes.is_open(id("mural")) && eased.panes.is_moving());
    let mut last = shown(&mut dock, &mut eased)[0].2.height();
    assert!(last > 897.0, "{last}");
    for _ in 0..14 {
        eased.panes.advance(1.0 / 30.0);
        let now = shown(&mut dock, &mut eased);
        let height = now[0].2.height();
        assert!(height < last && last - height < 60.0, "{last} {height}");
        last = height;
        // It is laid out as large as it will be.
        let whole = now[1].1.height() - wanted[1].1.height();
        assert!(whole.abs() < 3.0, "{whole}");
    }
    eased.panes.advance(0.1);
    assert!(!eased.panes.is_moving());
    assert_eq!(shown(&mut dock, &mut eased), wanted);
    // One goes while another comes; the one that goes is no longer open.
    eased.panes.close(id("mural"));
    eased.panes.open(id("flame"));
    assert_eq!(eased.panes.open_views(), [id("landscape"), id("flame")]);
    let height = shown(&mut dock, &mut eased)[0].2.height();
    for _ in 0..20 {
        eased.panes.advance(1.0 / 30.0);
        let now = shown(&mut dock, &mut eased)[0].2.height();
        assert!((now - height).abs() < 4.0, "{now} {height}");
    }
    assert_eq!(eased.panes.open_views(), [id("landscape"), id("flame")]);
    assert_eq!(shown(&mut dock, &mut eased)[1].1, wanted[1].1);
    eased.panes.close(id("flame"));
    eased.panes.arrive();
    assert_eq!(shown(&mut dock, &mut eased).len(), 1);
}

#[test]
fn what_the_user_moves_is_how_the_views_stand() {
    let (mut dock, mut state) = (Dock::default(), nothing_open());
    state.panes.open(id("mural"));
    shown(&mut dock, &mut state);
    assert!(
        state
            .panes
            .size(id("mural"))
            .is_some_and(|it| it.x == 1200.0)
    );
    let before = dock.tree.root;
    let Some(root) = before else {
        panic!("nothing is shown");
    };
    if let Some(Tile::Container(Container::Linear(linear))) = dock.tree.tiles.get_mut(root) {
        let last = linear.children[1];
        linear.shares.set_share(last, 3.0);
    }
    shown(&mut dock, &mut state);
    let Arrangement::Column { shares, .. } = state.panes.arrangement() else {
        panic!("{:?}", state.panes.arrangement());
    };
    assert_eq!(shares[1], 3.0);
    assert_eq!(dock.tree.root, before, "the tiles stay as they are");
}

//! Views come, go and stand as they are arranged.

use super::*;

fn id(name: &str) -> ViewId {
    named(name).expect("a view of this name")
}

fn view(id: &str) -> Arrangement {
    Arrangement::View(id.to_owned())
}

#[test]
fn views_open_once_and_the_last_one_stays() {
    for seed in 0..200u64 {
        let mut dock = Dock::default();
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        for _ in 0..40 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            let at = (state >> 33) as usize;
            let of = ViewId::of(&REGISTRY[at % REGISTRY.len()].line);
            let before = dock.open_views();
            if at.is_multiple_of(7) {
                dock.maximise(of);
            } else {
                dock.toggle(of);
            }
            let panes = dock.tree.tiles.tiles().filter(|tile| tile.is_pane());
            let after = dock.open_views();
            assert_eq!(panes.count(), after.len(), "seed {seed}");
            assert!(!after.is_empty() && before.len().abs_diff(after.len()) <= 1);
            assert!(
                after.iter().any(|&view| dock.is_visible(view)),
                "seed {seed}"
            );
            let (again, unknown) = Dock::arranged(&dock.arrangement());
            assert!(unknown.is_empty());
            assert_eq!(again.arrangement(), dock.arrangement(), "seed {seed}");
        }
    }
}

/// What is shown after a frame: each view, where it is laid out, and what of that is seen.
fn shown(dock: &mut Dock) -> Vec<(ViewId, Rect, Rect)> {
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
            dock.show_bare(ui, &mut |ui, view| {
                let whole = ui.max_rect();
                seen.push((view, whole, ui.clip_rect().intersect(whole)));
            });
        });
        output.textures_delta.clear();
    }
    seen
}

#[test]
fn views_of_scenes_come_and_go_step_by_step_and_end_where_they_would_at_once() {
    let mut at_once = Dock::default();
    at_once.open(id("mural"));
    let wanted = shown(&mut at_once);
    let mut eased = Dock::default();
    shown(&mut eased);
    eased.set_easing(true);
    eased.open(id("mural"));
    assert!(eased.is_open(id("mural")) && eased.is_moving());
    let mut last = shown(&mut eased)[0].2.height();
    assert!(last > 897.0, "{last}");
    for _ in 0..14 {
        eased.advance(1.0 / 30.0);
        let now = shown(&mut eased);
        let height = now[0].2.height();
        assert!(height < last && last - height < 60.0, "{last} {height}");
        last = height;
        // It is laid out as large as it will be.
        let whole = now[1].1.height() - wanted[1].1.height();
        assert!(whole.abs() < 3.0, "{whole}");
    }
    eased.advance(0.1);
    assert!(!eased.is_moving());
    assert_eq!(shown(&mut eased), wanted);
    // One goes while another comes; the one that goes is no longer open.
    eased.close(id("mural"));
    eased.open(id("flame"));
    assert_eq!(eased.open_views(), [id("landscape"), id("flame")]);
    let height = shown(&mut eased)[0].2.height();
    for _ in 0..20 {
        eased.advance(1.0 / 30.0);
        let now = shown(&mut eased)[0].2.height();
        assert!((now - height).abs() < 4.0, "{now} {height}");
    }
    assert_eq!(eased.open_views(), [id("landscape"), id("flame")]);
    assert_eq!(shown(&mut eased)[1].1, wanted[1].1);
    // Back before it is gone.
    eased.close(id("flame"));
    eased.advance(0.2);
    eased.open(id("flame"));
    eased.arrive();
    assert_eq!(shown(&mut eased)[1].1, wanted[1].1);
    eased.close(id("flame"));
    eased.arrive();
    assert_eq!(shown(&mut eased).len(), 1);
}

#[test]
fn an_arrangement_with_faults_is_mended() {
    let faulty = Arrangement::Row {
        shares: vec![f32::NAN, -3.0],
        parts: vec![
            view("landscape"),
            Arrangement::Tabs {
                active: 9,
                parts: vec![view("functions"), view("landscape"), view("nonsense")],
            },
            Arrangement::Column {
                shares: Vec::new(),
                parts: Vec::new(),
            },
        ],
    };
    let (dock, unknown) = Dock::arranged(&faulty);
    assert_eq!(unknown, ["nonsense"]);
    assert_eq!(dock.open_views(), [id("landscape"), id("functions")]);
    let (dock, unknown) = Dock::arranged(&view("nonsense"));
    assert_eq!(unknown, ["nonsense"]);
    assert_eq!(dock.open_views(), [id("landscape")]);
}

//! Names over blocks: which have room, and which stay.

use glam::Mat4;

use super::*;

const ROOM: [Vec2; 2] = [Vec2::ZERO, Vec2::new(1000.0, 500.0)];

/// Looks straight at the plane z = 0; one unit is a pixel.
fn eye() -> Eye {
    let size = Vec2::new(1000.0, 500.0);
    Eye {
        position: Vec3::Z,
        right: Vec3::X,
        clip_from_world: Mat4::from_scale(Vec3::new(2.0 / size.x, 2.0 / size.y, 1.0)),
        size,
        focal: 1.0,
    }
}

fn request(module: u32, reason: Reason, x: f32) -> Request<'static> {
    let top = Vec3::new(x, 0.0, 0.0);
    Request {
        of: Subject::Module(ModuleId(module)),
        name: "a_function",
        own: "",
        reason,
        top,
        site: None,
    }
}

#[test]
fn names_never_overlap_and_important_ones_win() {
    let mut labels = ScreenLabels::default();
    let requests: Vec<Request> = (0..40)
        .map(|i| request(i, Reason::Running, i as f32 * 20.0 - 400.0))
        .chain([request(99, Reason::Hovered, 7.0)])
        .collect();
    labels.update(requests, &eye(), ROOM, &Covered::default(), 14.0);
    let shown = labels.labels();
    assert!(shown[0].emphasized && shown.len() > 12);
    for (index, (min, max)) in labels.plates().iter().enumerate() {
        for (other_min, other_max) in &labels.plates()[index + 1..] {
            assert!(min.cmpge(*other_max).any() || max.cmple(*other_min).any());
        }
    }
}

#[test]
fn ten_names_that_crowd_are_all_shown_and_lines_lead_from_those_far_away() {
    let mut labels = ScreenLabels::default();
    let requests = (0..10).map(|i| request(i, Reason::Running, i as f32 * 9.0 - 40.0));
    labels.update(requests, &eye(), ROOM, &Covered::default(), 14.0);
    assert_eq!(labels.labels().len(), 10);
    for label in labels.labels() {
        let is_near = 250.0 - label.at.y < 2.0 * GAP * 14.0;
        assert_eq!(label.stem.is_none(), is_near, "{label:?}");
    }
}

#[test]
fn names_stay_in_the_room_that_panels_leave() {
    let mut labels = ScreenLabels::default();
    let room = [Vec2::new(0.0, 245.0), ROOM[1]];
    let running = request(1, Reason::Running, 0.0);
    labels.update([running], &eye(), ROOM, &Covered::default(), 14.0);
    assert!(labels.plates()[0].0.y < room[0].y);
    labels.update([running], &eye(), room, &Covered::default(), 14.0);
    assert!(labels.plates()[0].0.y >= room[0].y);
    labels.update(
        [request(1, Reason::Counted, 0.0)],
        &eye(),
        room,
        &Covered::default(),
        14.0,
    );
    assert!(
        labels.labels().is_empty(),
        "a count lies on its arc or nowhere"
    );
}

#[test]
fn names_stand_beside_what_covers_the_picture_or_nowhere() {
    let mut labels = ScreenLabels::default();
    let half = text::width("a_function") * 7.0;
    // The block's middle is at 500, 250; a card ends a little to the left of it.
    let mut covered = Covered::default();
    covered.add(Vec2::ZERO, Vec2::new(490.0, 500.0));
    let running = request(1, Reason::Running, 0.0);
    labels.update([running], &eye(), ROOM, &covered, 14.0);
    assert!(labels.labels()[0].at.x - half >= 490.0);
    labels.update(
        [request(1, Reason::Counted, 0.0)],
        &eye(),
        ROOM,
        &covered,
        14.0,
    );
    assert!(labels.labels().is_empty(), "a count lies on its arc");
    // Under the card's middle there is nothing to stand over.
    labels.update(
        [request(1, Reason::Running, -250.0)],
        &eye(),
        ROOM,
        &covered,
        14.0,
    );
    assert!(labels.labels().is_empty());
    assert_eq!(labels.plates(), covered.rectangles());
}

#[test]
fn what_is_shown_stays_when_the_order_changes() {
    let mut labels = ScreenLabels::default();
    let [a, b] = [(1, 0.0), (2, 10.0)].map(|(id, x)| request(id, Reason::Running, x));
    labels.update([a, b], &eye(), ROOM, &Covered::default(), 14.0);
    let first = labels.labels().to_vec();
    labels.update([b, a], &eye(), ROOM, &Covered::default(), 14.0);
    assert_eq!(labels.labels(), first);
}

#[test]
fn a_name_comes_where_there_is_room_to_spare_and_stays_where_there_is_just_enough() {
    let mut labels = ScreenLabels::default();
    let wide = 2.0 * plate("a_function", 14.0).x;
    let mut shown = |away: Option<f32>| {
        let other = away.map(|away| request(2, Reason::Selected, wide + away - 200.0));
        let requests = [Some(request(1, Reason::Selected, -200.0)), other];
        let requests = requests.into_iter().flatten();
        labels.update(requests, &eye(), ROOM, &Covered::default(), 14.0);
        labels.labels().len()
    };
    assert_eq!(shown(None), 1);
    // It trembles about the place where there is just enough room, and neither comes nor goes.
    for away in [1.0, -1.0, 2.0, 4.0] {
        assert_eq!(shown(Some(away)), 1, "{away}");
    }
    for away in [COMES * 14.0 + 1.0, 1.0, 4.0, 1.0] {
        assert_eq!(shown(Some(away)), 2, "{away}");
    }
    assert_eq!(shown(Some(-1.0)), 1);
}

#[test]
fn a_hovered_name_at_the_edge_stays_whole() {
    let mut labels = ScreenLabels::default();
    labels.update(
        [request(1, Reason::Hovered, -499.0)],
        &eye(),
        ROOM,
        &Covered::default(),
        14.0,
    );
    let half = text::width("a_function") * 7.0;
    assert!(labels.labels()[0].at.x >= half);
}

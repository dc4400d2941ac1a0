//! Where the names of districts lie in a picture: on them in whole or in part, or at its side.

use callscape::layout::labels::screen::{Reason, Request, ScreenLabels, Site, Subject};
use callscape::layout::labels::{Covered, Eye};
use callscape::units::ModuleId;
use glam::{Mat4, Vec2, Vec3};

const ROOM: [Vec2; 2] = [Vec2::ZERO, Vec2::new(1000.0, 500.0)];

fn eye() -> Eye {
    Eye {
        position: Vec3::Z,
        right: Vec3::X,
        clip_from_world: Mat4::IDENTITY,
        size: ROOM[1],
        focal: 1.0,
    }
}

/// A district with its corners on the screen, to be named by `name`.
fn district(block: u32, name: &str, min: Vec2, size: Vec2, is_large: bool) -> Request<'_> {
    let (x, y) = (Vec2::new(size.x, 0.0), Vec2::new(0.0, size.y));
    Request {
        of: Subject::Module(ModuleId(block)),
        name,
        own: name,
        reason: Reason::Distant,
        top: Vec3::ZERO,
        site: Some(Site::of(
            block,
            [min, min + x, min + size, min + y],
            is_large,
        )),
    }
}

#[test]
fn districts_are_named_whole_or_in_part_or_by_a_number_with_the_name_at_the_side() {
    let texts = |of: &[Request<'_>]| {
        let mut labels = ScreenLabels::default();
        labels.update(of.iter().copied(), &eye(), ROOM, &Covered::default(), 14.0);
        let all = labels.labels().iter();
        let all: Vec<_> = all.map(|label| (label.text.clone(), label.at)).collect();
        all
    };
    let name = "configuration";
    let place = Vec2::new(300.0, 200.0);
    let of = |size: Vec2, is_large| district(1, name, place, size, is_large);
    let [whole] = &texts(&[of(Vec2::new(200.0, 60.0), false)])[..] else {
        panic!("one name")
    };
    assert_eq!(whole.0, name);
    assert!(whole.1.x > 300.0 && whole.1.x < 500.0 && whole.1.y > 200.0 && whole.1.y <= 260.0);
    let short = texts(&[of(Vec2::new(60.0, 60.0), true)]);
    assert_eq!(short.len(), 1);
    assert!(short[0].0.contains('…'), "{}", short[0].0);
    let numbered = texts(&[of(Vec2::new(25.0, 60.0), true)]);
    let said: Vec<&str> = numbered.iter().map(|it| it.0.as_str()).collect();
    assert_eq!(said, ["1 configuration", "1"]);
    assert!(numbered[0].1.x > 800.0, "at the side");
    // What is small and has no room has no name; nor is there a number without one.
    assert!(texts(&[of(Vec2::new(25.0, 60.0), false)]).is_empty());
    assert!(texts(&[of(Vec2::new(10.0, 5.0), true)]).is_empty());
    // Two of the same place lie apart, or one is left out.
    let size = Vec2::new(200.0, 60.0);
    let both = [of(size, false), district(2, "settings", place, size, false)];
    let both = texts(&both);
    assert!(both.len() == 2 && both[0].1.distance(both[1].1) > 10.0);
}

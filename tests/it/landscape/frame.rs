//! What pictures of trees and recordings show whole: the names of large districts, towers, and what they are taken for.

use std::path::PathBuf;

use callscape::analysis::session::{Inputs, Session};
use callscape::filter::cut::Cut;
use callscape::filter::selection::Selection;
use callscape::layout::geometry::{Block, BlockKind};
use callscape::look::camera::Camera;
use callscape::model::landscape::LandscapeSettings;
use callscape::model::metric::Metric;
use callscape::model::moment::Moment;
use callscape::progress::Progress;
use callscape::state::city::{City, Lettering};
use callscape::state::viewpoint::{Viewpoint, pose};
use callscape::units::{ModuleId, Time};
use glam::{Vec2, Vec3};

use crate::common::{data, large_data, repository};

const SIZES: [[u32; 2]; 3] = [[1280, 720], [1920, 1080], [3840, 2160]];

/// A district has a name if it covers more than this share of the picture.
const LARGE: f32 = 0.002;

/// By tree, how many of its large districts may be nameless at most, over the sizes of [`SIZES`].
const NAMELESS: [(&str, usize); 3] = [
    ("sources/lua-5.4.9", 0),
    ("sources/python", 9),
    ("src/views", 13),
];

fn open(source: Option<PathBuf>, recording: Option<&str>) -> Session {
    let recordings = recording.map(|name| data("import").join(name));
    let inputs = Inputs {
        source_dir: source,
        recordings: recordings.into_iter().collect(),
        ..Inputs::default()
    };
    Session::open(&inputs, &Progress::new()).expect("inputs that can be read")
}

fn city(session: &Session) -> City {
    City::new(session, &LandscapeSettings::default(), &Cut::all())
}

/// The names of a picture as `render` has them.
pub(super) fn label(city: &mut City, session: &Session, size: [u32; 2]) -> Camera {
    let plays = !session.recordings.is_empty();
    let pose = pose(city, &session.hierarchy, &Viewpoint::default(), size, plays);
    let size = Vec2::from_array(size.map(|side| side as f32));
    let scale = (size.min_element() / 720.0).max(1.0).sqrt();
    let em = (size.min_element() / 46.0 / scale).max(9.0);
    let lettering = Lettering {
        scale,
        is_still: true,
        is_single: true,
        ..Lettering::whole(size, em)
    };
    let camera = pose.camera();
    city.label(session, &Selection::default(), &[], &camera, &lettering);
    camera
}

/// The districts that cover more than [`LARGE`] of a picture, and those of them without a name.
fn large(city: &City, camera: &Camera, size: [u32; 2]) -> [Vec<ModuleId>; 2] {
    let size = Vec2::from_array(size.map(|side| side as f32));
    let named: Vec<ModuleId> = city.named().collect();
    let mut all = [Vec::new(), Vec::new()];
    for (index, block) in city.blocks().iter().enumerate() {
        if block.kind != BlockKind::Terrace {
            continue;
        }
        // One that holds nothing but another is named together with that.
        let next = city.blocks().get(index + 1);
        if next.is_some_and(|it| it.kind != BlockKind::Leaf && it.subtree_end == block.subtree_end)
        {
            continue;
        }
        let (min, max) = (block.min.with_z(block.max.z), block.max);
        let around = [min, min.with_x(max.x), max, max.with_x(min.x)];
        let [a, b, c, d] = around.map(|at| camera.project(at, size).expect("in front"));
        if 0.5 * (c - a).perp_dot(d - b).abs() < LARGE * size.element_product() {
            continue;
        }
        all[0].push(block.module);
        if !named.contains(&block.module) {
            all[1].push(block.module);
        }
    }
    all
}

#[test]
fn districts_that_cover_a_five_hundredth_of_the_picture_are_named() {
    for (tree, most) in NAMELESS {
        let place = match tree.starts_with("src/") {
            true => Some(repository().join(tree)),
            false => large_data(tree),
        };
        let Some(place) = place else { continue };
        let session = open(Some(place), None);
        let mut city = city(&session);
        let mut nameless = 0;
        for size in SIZES {
            let camera = label(&mut city, &session, size);
            let [all, without] = large(&city, &camera, size);
            let names = without.iter().map(|&it| session.hierarchy.path(it));
            let names: Vec<_> = names.collect();
            println!(
                "{tree} {size:?}: {} of {} nameless {names:?}",
                without.len(),
                all.len()
            );
            nameless += without.len();
            assert!(all.len() > 4);
        }
        assert!(nameless <= most, "{tree}: {nameless} of at most {most}");
    }
}

/// Whether all corners of a block's top, as it stands now, lie in the picture.
fn is_whole(city: &City, index: usize, camera: &Camera, size: Vec2) -> bool {
    let (block, rise) = (&city.blocks()[index], city.looks()[index].rise);
    let top = block.max.z + rise;
    let corners = [
        block.min,
        block.max,
        block.min.with_x(block.max.x),
        block.max.with_x(block.min.x),
    ];
    corners.into_iter().all(|at| {
        let at = camera.project(at.with_z(top), size);
        at.is_some_and(|at| at.cmpge(Vec2::ZERO).all() && at.cmple(size).all())
    })
}

#[test]
fn no_tower_leaves_the_picture() {
    for name in [
        "heaptrack/python-start.heaptrack.zst",
        "orders.viztracer.json",
        "lists.uftrace",
    ] {
        let session = open(None, Some(name));
        let mut city = city(&session);
        let metrics = Metric::ALL.into_iter();
        let metrics = metrics.filter(|&it| city.metrics().has(it));
        for metric in metrics.collect::<Vec<_>>() {
            let settings = LandscapeSettings {
                height: Some(metric),
                ..*city.settings()
            };
            city.lay_out(&session, &settings, &Cut::all());
            let end = session.recordings[0].recording.trace.duration();
            for moment in [0, 3, 10].map(|part| Moment {
                time: Time::from_ns(end.ns() / 10 * part),
                summary: part == 10,
                ..Moment::without_time(0)
            }) {
                city.show(&session, Some(moment));
                for size in [[1280, 720], [720, 1280], [3840, 2160], [1000, 300]] {
                    let view = Viewpoint::default();
                    let camera = pose(&city, &session.hierarchy, &view, size, true).camera();
                    let size = Vec2::from_array(size.map(|side| side as f32));
                    let whole = |index| is_whole(&city, index, &camera, size);
                    let cut = (0..city.blocks().len()).filter(|&it| !whole(it)).count();
                    assert_eq!(cut, 0, "{name} {metric:?} {size}");
                }
            }
        }
    }
}

#[test]
fn what_runs_is_shown_from_above_and_not_its_wall() {
    let session = open(None, Some("orders.viztracer.json"));
    let mut city = city(&session);
    let end = session.recordings[0].recording.trace.duration();
    let moment = Moment {
        time: Time::from_ns(end.ns() / 2),
        summary: false,
        ..Moment::without_time(0)
    };
    city.show(&session, Some(moment));
    let risen = city.blocks().iter().zip(city.looks());
    let risen = risen.filter(|(_, look)| look.rise > 5.0);
    let risen: Vec<Block> = risen.map(|(block, _)| *block).collect();
    assert!(!risen.is_empty());
    for block in risen {
        let size = [1280, 720];
        let view = Viewpoint {
            focus: Some(block.module),
            ..Viewpoint::default()
        };
        let camera = pose(&city, &session.hierarchy, &view, size, true).camera();
        let size = Vec2::from_array(size.map(|side| side as f32));
        let top = city.top(block.module).expect("a block");
        let at = |x: f32, y: f32, z: f32| {
            let at = Vec3::new(x, y, z);
            camera.project(at, size).expect("in front").y
        };
        let (x, south, north) = (block.min.x, block.min.y, block.max.y);
        let roof = at(x, south, top) - at(x, north, top);
        let wall = at(x, south, block.min.z) - at(x, south, top);
        assert!(
            roof >= 0.9 * wall,
            "{:?}: {roof} {wall}",
            session.module_name(block.module)
        );
    }
}

use std::collections::BTreeSet;
use std::time::Duration;

use glam::Vec2;

use super::geometry::{Geometry, distance};
use super::laid::{Laid, TITLE};
use super::model::{Arrangement, Frame, Graph, GraphBox, Line, Of, Sum};
use super::moved::{self, Moved};
use super::nesting::{Nested, module_at, module_key, nest};
use super::walk;
pub(crate) use crate::testing::document;
use crate::{Surface, View};
use callscape_base::units::{FunctionId, ModuleId};
use callscape_facts::hierarchy::{Hierarchy, HierarchyBuilder, Module, ModuleKind, NodeId};
use callscape_facts::trace::random::random_numbers;
use callscape_layout::labels::text::width;
use callscape_layout::layered::Memory;
use callscape_state::State;
use callscape_state::ask::{Asks, GraphKey};

/// What pictures are drawn on.
pub(crate) const SURFACE: Surface = Surface {
    size: [1000, 600],
    scale: 1.0,
    is_new: true,
};

/// Waits until a view shows what the state has.
pub(crate) fn settle(view: &mut dyn View, state: &mut State) {
    loop {
        state.update_work();
        let mut asks = Asks::default();
        view.update(state, &mut asks);
        asks.take().into_iter().for_each(|ask| state.execute(ask));
        if !view.is_waiting() && !state.work.is_under_way() {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

pub(crate) fn function(state: &State, name: &str) -> FunctionId {
    let functions = &document(state)
        .resolved()
        .expect("a recording")
        .recording
        .functions;
    let found = functions.ids().find(|&it| functions.get(it).name == name);
    found.unwrap_or_else(|| panic!("no function is called {name}"))
}

/// `src` with `a.c` (`f`, `g`) and `deep/only/b.c` (`h`), and `lib.c` (`k`).
fn hierarchy() -> Hierarchy {
    let mut builder = HierarchyBuilder::new("app");
    let mut add = |parent, kind, name| builder.add(parent, Module::named(kind, name));
    let src = add(NodeId::ROOT, ModuleKind::Directory, "src");
    let a = add(src, ModuleKind::File, "a.c");
    add(a, ModuleKind::Function, "f");
    add(a, ModuleKind::Function, "g");
    let deep = add(src, ModuleKind::Directory, "deep");
    let only = add(deep, ModuleKind::Directory, "only");
    let b = add(only, ModuleKind::File, "b.c");
    add(b, ModuleKind::Function, "h");
    let lib = add(NodeId::ROOT, ModuleKind::File, "lib.c");
    add(lib, ModuleKind::Function, "k");
    builder.build().0
}

fn a_box(module: ModuleId) -> GraphBox {
    GraphBox {
        key: module_key(0, module),
        of: Of::Module(module),
        frame: None,
        title: String::new(),
        detail: String::new(),
        sign: None,
        is_middle: false,
        own: String::new(),
        inner: Sum::default(),
    }
}

fn nested(hierarchy: &Hierarchy, path: &str, group: u8) -> Nested {
    let module = module_at(hierarchy, path).expect("a module");
    let around = hierarchy
        .ancestors(module)
        .skip(1)
        .filter(|it| *it != ModuleId::ROOT);
    let mut around: Vec<ModuleId> = around.collect();
    around.reverse();
    Nested {
        of: a_box(module),
        around,
        group,
    }
}

#[test]
fn modules_are_found_by_their_paths() {
    let hierarchy = hierarchy();
    for module in hierarchy.modules().skip(1) {
        assert_eq!(module_at(&hierarchy, &hierarchy.path(module)), Some(module));
    }
    for path in ["", "src/", "src/b.c", "src/a", "nothing"] {
        assert_eq!(module_at(&hierarchy, path), None, "{path}");
    }
    let mut builder = HierarchyBuilder::new("app");
    let a = builder.add(NodeId::ROOT, Module::named(ModuleKind::Directory, "a"));
    builder.add(a, Module::named(ModuleKind::File, "c"));
    builder.add(NodeId::ROOT, Module::named(ModuleKind::Directory, "a/b"));
    let odd = builder.build().0;
    assert_eq!(
        module_at(&odd, "a/b"),
        Some(ModuleId(3)),
        "a name with the sign between names"
    );
}

#[test]
fn frames_are_the_modules_around_boxes_and_what_holds_only_one_is_one_with_it() {
    let hierarchy = hierarchy();
    let all = |paths: &[&str]| {
        paths
            .iter()
            .map(|it| nested(&hierarchy, it, 0))
            .collect::<Vec<_>>()
    };
    let titles = |frames: &[Frame]| frames.iter().map(|it| it.title.clone()).collect::<Vec<_>>();
    let paths = ["src/a.c/f", "src/a.c/g", "src/deep/only/b.c/h", "lib.c/k"];
    let (boxes, frames) = nest(&hierarchy, all(&paths), false, true);
    assert_eq!(titles(&frames), ["src", "a.c", "deep/only/b.c", "lib.c"]);
    let parents: Vec<_> = frames.iter().map(|it| it.parent).collect();
    assert_eq!(parents, [None, Some(0), Some(0), None]);
    let around: Vec<_> = boxes.iter().map(|it| it.frame).collect();
    assert_eq!(around, [Some(1), Some(1), Some(2), Some(3)]);
    // Flat, a frame around one box is its second line.
    let (boxes, frames) = nest(&hierarchy, all(&paths), true, false);
    assert_eq!(titles(&frames), ["src", "a.c"]);
    let details: Vec<_> = boxes.iter().map(|it| it.detail.as_str()).collect();
    assert_eq!(details, ["", "", "deep/only/b.c", "lib.c"]);
    let around: Vec<_> = boxes.iter().map(|it| it.frame).collect();
    assert_eq!(around, [Some(1), Some(1), Some(0), None]);
    // Groups share nothing.
    let mut two = all(&paths[..1]);
    two.push(nested(&hierarchy, "src/a.c/g", 1));
    let (_, frames) = nest(&hierarchy, two, false, true);
    assert_eq!(titles(&frames), ["src/a.c", "src/a.c"]);
}

/// A random graph of so many boxes, in frames of three.
fn random(seed: u64, boxes: u32, lines: u32) -> Graph {
    let mut below = random_numbers(seed);
    let frames = (0..boxes / 4).map(|number| Frame {
        key: module_key(9, ModuleId(number)),
        module: ModuleId(number),
        parent: None,
        title: format!("frame {number}"),
        folds: true,
    });
    let frames: Vec<Frame> = frames.collect();
    let boxes: Vec<GraphBox> = (0..boxes)
        .map(|number| GraphBox {
            frame: (!frames.is_empty()).then(|| number % frames.len() as u32),
            title: format!("box {number}"),
            ..a_box(ModuleId(number))
        })
        .collect();
    let pairs = (0..lines).map(|_| {
        (
            below(boxes.len() as u64) as u32,
            below(boxes.len() as u64) as u32,
        )
    });
    let pairs: BTreeSet<(u32, u32)> = pairs.filter(|(from, to)| from != to).collect();
    let lines = pairs.into_iter().map(|(from, to)| Line {
        moments: Vec::new(),
        from,
        to,
        sum: Sum {
            calls: f64::from(1 + (from * 7 + to) % 90),
            cost: f64::from(1 + (from * 13 + to * 5) % 1000),
            ..Sum::default()
        },
        label: format!("{}", from * 100 + to),
        label_at_caller: (from + to) % 2 == 0,
    });
    Graph {
        lines: lines.collect(),
        boxes,
        frames,
        ..Graph::default()
    }
}

#[test]
fn names_have_room_in_letters_that_can_be_read() {
    let mut grown = 0;
    for seed in 0..12 {
        let laid = Laid::new(random(seed, 60, 90), &Memory::default());
        grown += usize::from(laid.grow > 1.0);
        assert!((1.0..=3.0).contains(&laid.grow));
        for (of, rect) in laid.graph.boxes.iter().zip(&laid.layout.nodes) {
            let needed = (width(&of.title) * TITLE).min(300.0) * laid.grow;
            assert!(rect.size().x >= needed, "{} in {rect:?}", of.title);
        }
    }
    assert!(grown > 0, "none of these graphs is large");
}

#[test]
fn labels_lie_over_no_box_and_over_no_other_label() {
    let mut placed = [0; 2];
    let both = Arrangement::ALL.into_iter().enumerate();
    let seeds = both.flat_map(|it| (0..40).map(move |seed| (it, seed)));
    for ((way, arrangement), seed) in seeds {
        let graph = Graph {
            arrangement,
            ..random(seed, 12, 18)
        };
        let laid = Laid::new(graph, &Memory::default());
        placed[way] += laid.labels.len();
        let overlap = |a: callscape_layout::sheet::Rect, b: callscape_layout::sheet::Rect| {
            a.min.cmplt(b.max).all() && b.min.cmplt(a.max).all()
        };
        for (number, label) in laid.labels.iter().enumerate() {
            let nodes = laid.layout.nodes.iter();
            let others = laid.labels[..number].iter().map(|it| &it.rect);
            let hit = nodes.chain(others).find(|it| overlap(label.rect, **it));
            assert_eq!(hit, None, "seed {seed}");
        }
    }
    assert!(placed.iter().all(|it| *it > 200), "{placed:?}");
}

/// Boxes put to random places: they are there, frames hold what is in them, lines end at their boxes, and all else is as
/// it was.
#[test]
fn boxes_are_where_they_were_put_with_frames_around_them_and_lines_at_them() {
    let hierarchy = hierarchy();
    let known = hierarchy.len() as u32;
    for seed in 0..60 {
        let laid = Laid::new(random(seed, 3 + (seed as u32 % 9), 14), &Memory::default());
        assert_eq!(moved::apply(&laid, &Moved::default(), &hierarchy), None);
        let mut below = random_numbers(seed + 1000);
        let mut all = Moved::default();
        let mut places: Vec<Option<Vec2>> = vec![None; laid.graph.boxes.len()];
        for (of, place) in laid.graph.boxes.iter().zip(&mut places) {
            let name = moved::name_of(of, &hierarchy);
            assert_eq!(name.is_some(), of.key < u64::from(known));
            if let Some(name) = name.filter(|_| below(2) == 0) {
                let mut number = || below(1200) as f32 - 400.0;
                let at = Vec2::new(number(), number());
                all.put(String::new(), name, at);
                *place = Some(at);
            }
        }
        let Some(put) = moved::apply(&laid, &all, &hierarchy) else {
            assert!(places.iter().all(Option::is_none));
            continue;
        };
        assert_eq!((&put.graph, &put.widths), (&laid.graph, &laid.widths));
        for (at, rect) in put.layout.nodes.iter().enumerate() {
            let before = laid.layout.nodes[at];
            match places[at] {
                Some(place) => assert!(((rect.min + rect.max) * 0.5).distance(place) < 0.01),
                None => assert_eq!(*rect, before, "seed {seed}"),
            }
            assert!((rect.size() - before.size()).abs().max_element() < 0.01);
            if let Some(frame) = laid.graph.boxes[at].frame {
                let around = put.layout.clusters[frame as usize];
                assert!(around.min.cmple(rect.min).all() && rect.max.cmple(around.max).all());
            }
        }
        for (line, route) in put.graph.lines.iter().zip(&put.layout.routes) {
            let [first, .., last] = route[..] else {
                panic!("seed {seed}: a line without a way");
            };
            for (end, of) in [(first, line.from), (last, line.to)] {
                let rect = put.layout.nodes[of as usize];
                let aside = (end.x - rect.min.x).abs().min((end.x - rect.max.x).abs());
                let is_level = end.y > rect.min.y - 0.5 && end.y < rect.max.y + 0.5;
                assert!(aside < 0.5 && is_level, "seed {seed}: {end} at {rect:?}");
            }
        }
        let again = Moved::of_numbers(&all.numbers());
        assert_eq!(again, all);
        assert_eq!(all.clone().sound(), (all.clone(), 0));
        all.put_back("");
        assert_eq!(moved::apply(&laid, &all, &hierarchy), None);
    }
    let mut odd = Moved::default();
    odd.put(String::new(), "far".into(), Vec2::splat(f32::INFINITY));
    odd.put(String::new(), "near".into(), Vec2::ONE);
    let (sound, lost) = odd.sound();
    assert_eq!(lost, 1);
    assert!(sound.has(""));
}

#[test]
fn what_comes_from_somewhere_is_there_at_first_and_where_it_leads_at_the_end() {
    let hierarchy = hierarchy();
    for seed in 0..20 {
        let before = Laid::new(random(seed, 9, 14), &Memory::default());
        let mut graph = random(seed, 9, 14);
        graph.lines.truncate(8);
        graph.boxes[0].key = 77;
        graph.boxes[0].of = Of::More(3);
        let after = Laid::new(graph, &before.layout.memory);
        let shown = Geometry::of(&before);
        let from = Geometry::before(&after, (&before, &shown), &hierarchy);
        let to = Geometry::of(&after);
        assert_eq!(
            from.boxes[0],
            (to.boxes[0].0, 0.0),
            "new, it comes from nowhere"
        );
        assert_eq!(from.boxes[1..], shown.boxes[1..]);
        assert_eq!(from.frames, shown.frames);
        let half = from.between(&to, 0.5);
        for (at, (rect, seen)) in half.boxes.iter().enumerate() {
            let middle = (from.boxes[at].0.min + to.boxes[at].0.min) * 0.5;
            assert!(rect.min.distance(middle) < 1e-3, "seed {seed}");
            assert!((*seen - if at == 0 { 0.5 } else { 1.0 }).abs() < 1e-6);
        }
        for (line, (points, _)) in half.lines.iter().enumerate() {
            let ends = |of: &Geometry| {
                (
                    of.lines[line].0[0],
                    of.lines[line].0[of.lines[line].0.len() - 1],
                )
            };
            let (a, b) = (ends(&from), ends(&to));
            assert!(points[0].distance((a.0 + b.0) * 0.5) < 1e-2);
            assert!(points[points.len() - 1].distance((a.1 + b.1) * 0.5) < 1e-2);
        }
    }
}

#[test]
fn distances_are_those_to_the_nearest_piece() {
    let line = [Vec2::ZERO, Vec2::new(10.0, 0.0), Vec2::new(10.0, 10.0)];
    for (at, expected) in [
        ([5.0, 3.0], 3.0),
        ([14.0, 5.0], 4.0),
        ([-3.0, -4.0], 5.0),
        ([10.0, 0.0], 0.0),
    ] {
        assert!(
            (distance(&line, at.into()) - expected).abs() < 1e-5,
            "{at:?}"
        );
    }
    assert_eq!(distance(&[], Vec2::ZERO), f32::MAX);
}

#[test]
fn keys_go_along_the_widest_line_and_else_to_the_nearest_box() {
    let mut graph = random(1, 5, 0);
    graph.frames.clear();
    graph.boxes.iter_mut().for_each(|it| it.frame = None);
    let line = |from, to, cost| Line {
        moments: Vec::new(),
        from,
        to,
        sum: Sum {
            cost,
            ..Sum::default()
        },
        label: String::new(),
        label_at_caller: true,
    };
    // 0 calls 1 and 2, both call 3.
    graph.lines = vec![
        line(0, 1, 5.0),
        line(0, 2, 50.0),
        line(1, 3, 9.0),
        line(2, 3, 2.0),
    ];
    let laid = Laid::new(graph, &Memory::default());
    let go = |from, key| walk::next(&laid, Some(from), key);
    assert_eq!(go(0, GraphKey::Right), Some(2));
    assert_eq!(go(2, GraphKey::Right), Some(3));
    assert_eq!(go(3, GraphKey::Left), Some(1));
    let [above, below] = match laid.layout.nodes[1].min.y < laid.layout.nodes[2].min.y {
        true => [1, 2],
        false => [2, 1],
    };
    assert_eq!(go(above, GraphKey::Down), Some(below));
    assert_eq!(go(below, GraphKey::Up), Some(above));
    assert!(
        walk::next(&laid, None, GraphKey::Right).is_some(),
        "from nowhere to the first"
    );
    assert_eq!(walk::next(&Laid::default(), None, GraphKey::Right), None);
}

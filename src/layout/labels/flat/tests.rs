//! Which names are shown, on an invented city.

use glam::Mat4;

use super::*;
use crate::geometry::CITY_SIZE;
use crate::treemap::{Heights, Rect, label_strip, layout};
use callscape_facts::hierarchy::{HierarchyBuilder, Module, ModuleKind, NodeId};
use callscape_filter::cut::Cut;
use callscape_model::tiling::Tiling;

/// Nine districts of nine files with a function each.
fn city() -> (Hierarchy, Vec<Block>) {
    let mut builder = HierarchyBuilder::new("city");
    for district in 0..9 {
        let name = format!("district_with_a_rather_long_name_{district}");
        let module = Module::named(ModuleKind::Directory, &name);
        let district = builder.add(NodeId::ROOT, module);
        for file in 0..9 {
            let name = format!("{file}.c");
            let file = builder.add(district, Module::named(ModuleKind::File, &name));
            builder.add(file, Module::named(ModuleKind::Function, "function"));
        }
    }
    let (hierarchy, _) = builder.build();
    let blocks = layout(
        &hierarchy,
        &Cut::all(),
        &[],
        &Heights::Even,
        Tiling::Squarified,
    );
    (hierarchy, blocks)
}

/// Straight from above, `width` world units across the picture, north at the top.
fn above(middle: Vec2, width: f32) -> Eye {
    let size = Vec2::new(1400.0, 1000.0);
    let scale = 2.0 / width;
    let scale = Vec3::new(scale, scale * size.x / size.y, 1e-4);
    let position = middle.extend(1000.0);
    Eye {
        position,
        right: Vec3::X,
        clip_from_world: Mat4::from_scale(scale) * Mat4::from_translation(-middle.extend(0.0)),
        size,
        focal: size.x / width * 1000.0,
    }
}

#[expect(clippy::type_complexity, reason = "closures have no names")]
fn around(
    is_seen: bool,
) -> Around<'static, impl Fn(u32, [Vec3; 2], &[Vec3]) -> usize, impl Fn(u32, ModuleId) -> Option<u8>>
{
    Around {
        looks: &[],
        seen: move |_, _, points: &[Vec3]| if is_seen { points.len() } else { 0 },
        name: None,
        importance: |_, _| Some(0),
        most: 1000,
    }
}

fn names(labels: &FlatLabels) -> Vec<&str> {
    let shown = labels.labels().iter();
    shown.map(|label| label.text.as_str()).collect()
}

#[test]
fn names_appear_as_they_become_large_enough_those_of_functions_last() {
    let (hierarchy, blocks) = city();
    let mut labels = FlatLabels::new(&blocks);
    let middle = Vec2::new(500.0, 350.0);
    labels.update(
        &hierarchy,
        &blocks,
        &above(middle, 60_000.0),
        &around(true),
        u32::MAX,
    );
    assert!(names(&labels).is_empty());
    let far_away = above(middle, 2.0 * CITY_SIZE);
    labels.update(&hierarchy, &blocks, &far_away, &around(true), u32::MAX);
    let far = names(&labels).len();
    labels.update(
        &hierarchy,
        &blocks,
        &above(middle, CITY_SIZE),
        &around(true),
        u32::MAX,
    );
    let near = names(&labels);
    assert!((1..near.len()).contains(&far), "{far} {near:?}");
    assert!(near.contains(&"city") && near.iter().any(|name| name.ends_with(".c")));
    assert!(
        near.iter()
            .all(|name| !name.contains('…') || name.starts_with("district"))
    );
    labels.update(
        &hierarchy,
        &blocks,
        &above(middle, CITY_SIZE),
        &around(false),
        u32::MAX,
    );
    assert!(names(&labels).is_empty(), "all hidden");
    let eye = above(Vec2::new(300.0, 300.0), 120.0);
    labels.update(&hierarchy, &blocks, &eye, &around(true), u32::MAX);
    let close = names(&labels);
    assert!(close.contains(&"function"), "{close:?}");
}

#[test]
fn names_of_a_single_picture_are_there_or_not() {
    let (hierarchy, blocks) = city();
    let mut labels = FlatLabels::new(&blocks);
    let (mut fading, mut gone) = (0, 0);
    for width in 10..40 {
        let eye = above(Vec2::new(500.0, 350.0), 100.0 * width as f32);
        labels.outdate();
        labels.update(&hierarchy, &blocks, &eye, &around(true), u32::MAX);
        let of = |labels: &FlatLabels| {
            let of = labels.labels().iter();
            of.map(|label| (label.module, label.opacity))
                .collect::<Vec<_>>()
        };
        let before = of(&labels);
        labels.decide();
        let strong = before.iter().filter(|(_, opacity)| *opacity >= DECIDED);
        let strong = strong.map(|(module, _)| (*module, 1.0)).collect::<Vec<_>>();
        assert_eq!(of(&labels), strong);
        fading += before.iter().filter(|(_, opacity)| *opacity < 1.0).count();
        gone += before.len() - strong.len();
    }
    assert!(0 < gone && gone < fading, "{gone} of {fading}");
}

#[test]
fn a_name_slides_along_its_strip_into_the_picture() {
    let (hierarchy, blocks) = city();
    let mut labels = FlatLabels::new(&blocks);
    // The west end of the root's strip lies outside.
    let eye = above(Vec2::new(700.0, 100.0), 600.0);
    labels.update(&hierarchy, &blocks, &eye, &around(true), u32::MAX);
    let root = labels.labels().iter().find(|label| label.text == "city");
    let root = root.expect("the root's strip is in the picture");
    assert!((400.0..1000.0).contains(&root.origin.x), "{root:?}");
}

#[test]
fn a_chain_of_only_districts_has_one_name_and_one_strip() {
    let mut builder = HierarchyBuilder::new("library");
    let mut top = NodeId::ROOT;
    for name in ["src", "main", "java"] {
        top = builder.add(top, Module::named(ModuleKind::Directory, name));
    }
    for file in ["Gson.java", "Json.java"] {
        let class = file.trim_end_matches(".java");
        let file = builder.add(top, Module::named(ModuleKind::File, file));
        let class = builder.add(file, Module::named(ModuleKind::Class, class));
        for name in ["read", "write"] {
            builder.add(class, Module::named(ModuleKind::Function, name));
        }
    }
    let (hierarchy, _) = builder.build();
    let cut = Cut::all();
    let blocks = layout(&hierarchy, &cut, &[], &Heights::Even, Tiling::Squarified);
    // Four terraces on each other leave no more free than one strip and their ledges.
    let (low, high) = (&blocks[0], &blocks[4]);
    let strip = label_strip(Rect::of_block(low), 0) as f32;
    let free = high.min.y - low.min.y;
    assert!(free < 1.6 * strip, "{free} of a strip of {strip}");
    let mut labels = FlatLabels::new(&blocks);
    let eye = above(Vec2::new(500.0, 357.0), 1150.0);
    labels.update(&hierarchy, &blocks, &eye, &around(true), u32::MAX);
    let names: Vec<&str> = labels.labels().iter().map(|it| it.text.as_str()).collect();
    assert!(names.contains(&"library/src/main/java"), "{names:?}");
    assert!(names.contains(&"Gson.java"), "{names:?}");
    assert!(
        !names.contains(&"src") && !names.contains(&"Gson"),
        "{names:?}"
    );
}

#[test]
fn a_file_without_functions_and_a_collapsed_module_are_named_as_large_as_a_function() {
    let mut builder = HierarchyBuilder::new("city");
    let pages = builder.add(NodeId::ROOT, Module::named(ModuleKind::Directory, "pages"));
    builder.add(pages, Module::named(ModuleKind::File, "tables.html"));
    let code = builder.add(pages, Module::named(ModuleKind::File, "code.c"));
    builder.add(code, Module::named(ModuleKind::Function, "run"));
    let (hierarchy, ids) = builder.build();
    let mut cut = Cut::all();
    for is_collapsed in [false, true] {
        if is_collapsed {
            cut.toggle(ids[code.index()]);
        }
        let blocks = layout(&hierarchy, &cut, &[], &Heights::Even, Tiling::Squarified);
        let mut labels = FlatLabels::new(&blocks);
        let eye = above(Vec2::new(500.0, 357.0), 1150.0);
        labels.update(&hierarchy, &blocks, &eye, &around(true), u32::MAX);
        let em = |name: &str| {
            let label = labels.labels().iter().find(|it| it.text == name)?;
            Some(label.em)
        };
        let page = em("tables.html").expect("the page is named");
        let other = em(if is_collapsed { "code.c" } else { "run" });
        // A longer name has smaller letters.
        let ratio = page / other.unwrap_or(0.0);
        assert!((0.4..1.2).contains(&ratio), "{page} {other:?}");
    }
}

#[test]
fn a_name_that_is_too_long_for_its_roof_stands_on_several_lines_and_none_is_cut() {
    let mut builder = HierarchyBuilder::new("city");
    let file = builder.add(NodeId::ROOT, Module::named(ModuleKind::File, "code.c"));
    let names = ["read_the_whole_of_it", "incomprehensibilities", "a"];
    for name in names.iter().cycle().take(30) {
        builder.add(file, Module::named(ModuleKind::Function, name));
    }
    let (hierarchy, _) = builder.build();
    let cut = Cut::all();
    let blocks = layout(&hierarchy, &cut, &[], &Heights::Even, Tiling::Squarified);
    let mut labels = FlatLabels::new(&blocks);
    let mut lines_seen = 0;
    for width in (2..24).map(|step| 50.0 * step as f32) {
        let eye = above(Vec2::new(500.0, 357.0), width);
        labels.outdate();
        labels.update(&hierarchy, &blocks, &eye, &around(true), u32::MAX);
        let mut labels = labels.labels().iter().peekable();
        while let Some(first) = labels.next() {
            let mut name = first.text.clone();
            let mut last = first;
            while let Some(line) = labels.next_if(|line| line.block == first.block) {
                assert!(
                    line.origin.y < last.origin.y - line.em,
                    "below the line before"
                );
                assert_eq!((line.em, line.opacity), (first.em, first.opacity));
                name.push_str(&line.text);
                last = line;
                lines_seen += 1;
            }
            // Those of districts that hold nothing but another are joined.
            assert!(name.ends_with(hierarchy.name(first.module)), "{name}");
        }
    }
    assert!(lines_seen > 20, "{lines_seen}");
}

/// Two districts on the same ground, so that only one of their names has room; and the places of the two.
fn contended() -> (Hierarchy, Vec<Block>, [usize; 2]) {
    let mut builder = HierarchyBuilder::new("city");
    for district in ["first", "other"] {
        let module = Module::named(ModuleKind::Directory, district);
        let district = builder.add(NodeId::ROOT, module);
        for file in 0..9 {
            let name = format!("{file}.c");
            builder.add(district, Module::named(ModuleKind::File, &name));
        }
    }
    let (hierarchy, _) = builder.build();
    let cut = Cut::all();
    let mut blocks = layout(&hierarchy, &cut, &[], &Heights::Even, Tiling::Squarified);
    let [first, other] = [1, blocks[1].subtree_end as usize];
    (blocks[other].min, blocks[other].max) = (blocks[first].min, blocks[first].max);
    (hierarchy, blocks, [first, other])
}

#[test]
fn of_two_names_for_one_place_the_one_that_is_there_stays() {
    let (hierarchy, mut blocks, [first, other]) = contended();
    let mut labels = FlatLabels::new(&blocks);
    let eye = above(Vec2::new(500.0, 350.0), CITY_SIZE);
    let height = blocks[first].max.z;
    let mut shown = |by: f32| {
        (blocks[first].max.z, blocks[other].max.z) = (height + by, height - by);
        labels.update(&hierarchy, &blocks, &eye, &around(true), u32::MAX);
        let names = labels.labels().iter().map(|it| it.text.clone());
        let names: Vec<String> = names.filter(|it| it == "first" || it == "other").collect();
        assert_eq!(names.len(), 1, "{names:?}");
        names.concat()
    };
    let before = shown(3.0);
    assert_eq!(before, "first", "the nearer one is larger");
    for frame in 0u8..20 {
        // Now the one, now the other is a little nearer.
        assert_eq!(shown(if frame % 2 == 0 { -3.0 } else { 3.0 }), before);
    }
    // Nearer by far.
    assert_eq!(shown(-200.0), "other");
    assert_eq!(shown(3.0), "other", "and stays as well");
}

#[test]
fn a_name_goes_later_than_it_comes_when_something_comes_before_it() {
    let (hierarchy, blocks) = city();
    let mut labels = FlatLabels::new(&blocks);
    let eye = above(Vec2::new(500.0, 350.0), CITY_SIZE);
    labels.update(&hierarchy, &blocks, &eye, &around(true), u32::MAX);
    let city = labels.labels().iter().find(|it| it.text == "city");
    let city = city.expect("it has room").clone();
    let (start, width) = (city.origin.x, text::width("city") * city.em);
    // By how much of the root's name shows.
    let mut is_shown = |share: f32| {
        let end = start + width * share;
        let around = Around {
            looks: &[],
            seen: |on, _, points: &[Vec3]| {
                let seen = points.iter();
                seen.filter(|point| on != 0 || point.x < end).count()
            },
            name: None,
            importance: |_, _| Some(0),
            most: 1000,
        };
        labels.update(&hierarchy, &blocks, &eye, &around, u32::MAX);
        labels.labels().iter().any(|it| it.text == "city")
    };
    assert!(is_shown(1.0));
    assert!(is_shown(0.5), "what is there stays");
    assert!(!is_shown(0.2));
    for _ in 0..3 {
        assert!(!is_shown(0.5), "what is not there does not come at once");
    }
    assert!(is_shown(0.9));
    assert!(is_shown(0.5));
}

#[test]
fn names_chosen_in_parts_are_those_chosen_at_once_and_until_then_those_before_stay() {
    let (hierarchy, blocks) = city();
    let around = around(true);
    let shown = |labels: &FlatLabels| labels.labels().to_vec();
    let mut labels = FlatLabels::new(&blocks);
    let [before, after] = [0.0, 60.0].map(|x| above(Vec2::new(300.0 + x, 300.0), 300.0));
    labels.update(&hierarchy, &blocks, &before, &around, 10);
    let first = shown(&labels);
    assert!(
        first.len() > 5 && labels.is_settled(),
        "there was nothing to show until then"
    );
    labels.outdate();
    let mut calls = 0;
    while !labels.update(&hierarchy, &blocks, &after, &around, 10) {
        assert!(!labels.is_settled());
        assert_eq!(shown(&labels), first);
        calls += 1;
    }
    assert!(labels.is_settled() && calls > 3, "{calls}");
    assert!(
        !labels.update(&hierarchy, &blocks, &after, &around, 10),
        "nothing is to be done"
    );
    let in_parts = shown(&labels);
    let mut at_once = FlatLabels::new(&blocks);
    for eye in [&before, &after] {
        at_once.update(&hierarchy, &blocks, eye, &around, u32::MAX);
    }
    assert_ne!(in_parts, first);
    assert_eq!(in_parts, shown(&at_once));
    // What is asked for on the way is not forgotten.
    labels.outdate();
    labels.update(&hierarchy, &blocks, &before, &around, 10);
    labels.outdate();
    while !labels.update(&hierarchy, &blocks, &after, &around, 10) {}
    assert!(!labels.is_settled());
    while !labels.update(&hierarchy, &blocks, &after, &around, 10) {}
    assert!(labels.is_settled());
    // From somewhere else those before would be out of place.
    labels.outdate();
    let elsewhere = above(Vec2::new(800.0, 300.0), 300.0);
    assert!(labels.update(&hierarchy, &blocks, &elsewhere, &around, 10));
}

#[test]
fn names_under_plates_give_way_as_long_as_these_are_there() {
    let (hierarchy, blocks) = city();
    let mut labels = FlatLabels::new(&blocks);
    let eye = above(Vec2::new(500.0, 350.0), CITY_SIZE);
    labels.update(&hierarchy, &blocks, &eye, &around(true), u32::MAX);
    let all = labels.labels().to_vec();
    let label = &all[all.len() / 2];
    let at = eye
        .project(label.origin + label.right * label.em)
        .expect("it is in the picture");
    labels.give_way(&[(at - 3.0, at + 3.0)], &eye, &[]);
    let left = labels.labels();
    assert!(left.len() < all.len() && !left.contains(label));
    labels.give_way(&[], &eye, &[]);
    assert_eq!(labels.labels().len(), all.len());
    assert!(labels.labels().contains(label));
}

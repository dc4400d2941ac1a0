//! Every text is in the file, whatever it contains, and the file is well-formed.

use std::collections::BTreeSet;

use egui::epaint::{ClippedShape, TextShape};
use egui::{Color32, FontId, Mesh, Pos2, Rect, Shape, pos2, vec2};
use glam::Vec2;

use super::{Svg, Textures};
use callscape_layout::sheet::{self, Fill, Raster, Sheet};
use callscape_model::theme::Theme;
use callscape_views::style;

const HOSTILE: [&str; 6] = [
    "<script>alert(1)</script>",
    "a & b \"c\" 'd' ]]>",
    "\u{1}\u{1b}[31m\u{7f}\u{85}",
    "שלום \u{202e}עולם",
    "\u{fffe}\u{ffff}",
    "--><!DOCTYPE svg>",
];

/// The texts of a file: panics where it is no well-formed XML, as far as the writer can go wrong.
pub(crate) fn texts(svg: &str) -> Vec<String> {
    let legal = |c: char| matches!(c, '\n' | ' '..='\u{fffd}' | '\u{10000}'..);
    assert!(svg.chars().all(legal), "no control characters");
    let (declaration, mut rest) = svg.split_once("?>\n").expect("a declaration");
    assert!(declaration.starts_with("<?xml "));
    let (mut open, mut found, mut ids) = (Vec::new(), Vec::new(), BTreeSet::new());
    while let Some(start) = rest.find('<') {
        let text = &rest[..start];
        assert!(!text.contains('>'), "{text}");
        for (at, _) in text.match_indices('&') {
            let known = ["&amp;", "&lt;", "&gt;"];
            assert!(known.iter().any(|it| text[at..].starts_with(it)), "{text}");
        }
        if open.last() == Some(&"text") && !text.is_empty() {
            let plain = text.replace("&lt;", "<").replace("&gt;", ">");
            found.push(plain.replace("&amp;", "&"));
        } else {
            assert_eq!(text.trim(), "", "only texts have text");
        }
        let (tag, behind) = rest[start + 1..]
            .split_once('>')
            .expect("an end of the tag");
        rest = behind;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
            continue;
        }
        assert!(!tag.contains(['<', '&']), "{tag}");
        let (tag, is_closed) = tag.strip_suffix('/').map_or((tag, false), |it| (it, true));
        let (name, mut attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let mut names = BTreeSet::new();
        while !attributes.trim().is_empty() {
            let (name, behind) = attributes.split_once("=\"").expect("a value");
            let (value, behind) = behind.split_once('"').expect("the end of a value");
            assert!(names.insert(name.trim()), "twice: {name} in {tag}");
            assert!(!value.contains("NaN") && !value.contains("inf"), "{tag}");
            if name.trim() == "id" {
                assert!(ids.insert(value), "twice: {value}");
            }
            if let Some(id) = value
                .strip_prefix("url(#")
                .and_then(|it| it.strip_suffix(')'))
            {
                assert!(ids.contains(id), "{id} is defined before");
            }
            attributes = behind;
        }
        if !is_closed {
            open.push(name);
        }
    }
    assert_eq!(open, Vec::<&str>::new(), "all is closed");
    found
}

fn painted(add: impl Fn(&egui::Painter)) -> Vec<ClippedShape> {
    let ctx = egui::Context::default();
    style::set_fonts(&ctx, None);
    let mut shapes = Vec::new();
    for _ in 0..2 {
        let mut output = ctx.run_ui(Default::default(), |ui| add(ui.painter()));
        output.textures_delta.clear();
        shapes = output.shapes;
    }
    shapes
}

fn written(shapes: &[ClippedShape], sheet: Option<(egui::TextureId, &Sheet, f32)>) -> String {
    let mut svg = Svg::new([800.0, 600.0], [255; 4]);
    let mut textures = Textures {
        sheet,
        theme: Theme::Light,
        painted: &mut || None,
    };
    svg.shapes(shapes, &mut textures);
    svg.finish([800, 600])
}

/// As it is in the file.
fn shown(text: &str) -> String {
    let shown = |c: char| match c {
        '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        c if c.is_control() => '\u{fffd}',
        c => c,
    };
    text.chars().map(shown).collect()
}

#[test]
fn hostile_names_are_text_of_a_well_formed_file() {
    let font = FontId::proportional(12.0);
    let shapes = painted(|painter| {
        for name in HOSTILE {
            let galley = painter.layout_no_wrap(name.to_owned(), font.clone(), Color32::RED);
            painter.add(TextShape::new(pos2(5.0, 5.0), galley, Color32::RED).with_angle(0.5));
        }
    });
    let expected: Vec<String> = HOSTILE.map(shown).into();
    assert_eq!(texts(&written(&shapes, None)), expected);
    let mut sheet = Sheet::default();
    let clip = sheet::Rect::new(Vec2::ZERO, Vec2::splat(100.0));
    for name in HOSTILE {
        sheet.write(name, Vec2::splat(9.0), 12.0, [0.0, 0.0, 0.0, 1.0], clip);
    }
    let mut svg = Svg::new([800.0, 600.0], [255; 4]);
    svg.sheet(&sheet, Theme::Light);
    assert_eq!(texts(&svg.finish([800, 600])), expected);
}

#[test]
fn a_name_along_a_ring_is_one_text_and_its_neighbour_another() {
    let font = FontId::proportional(12.0);
    let shapes = painted(|painter| {
        let mut at = 10.0;
        for (number, letter) in "run loop".chars().enumerate() {
            // Between the two names is room.
            at += if number == 4 { 12.0 } else { 0.0 };
            let text = letter.to_string();
            let galley = painter.layout_no_wrap(text, font.clone(), Color32::BLACK);
            let place = pos2(at, 50.0 + at * 0.01);
            at += galley.size().x;
            painter.add(TextShape::new(place, galley, Color32::BLACK).with_angle(0.01));
        }
    });
    let svg = written(&shapes, None);
    assert_eq!(texts(&svg), ["run ", "loop"]);
    assert!(svg.contains("rotate=\"0.573 0.573"), "{svg}");
}

#[test]
fn triangles_of_one_colour_are_one_outline_and_others_a_gradient() {
    let rect = Rect::from_min_size(Pos2::ZERO, vec2(10.0, 20.0));
    let mut plain = Mesh::default();
    plain.add_colored_rect(rect, Color32::RED);
    plain.add_colored_rect(rect.translate(vec2(10.0, 0.0)), Color32::RED);
    let mut two = plain.clone();
    two.vertices.truncate(4);
    two.indices.truncate(6);
    for vertex in two.vertices.iter_mut().filter(|it| it.pos.x > 5.0) {
        vertex.color = Color32::BLUE;
    }
    let shapes = painted(|painter| {
        painter.add(Shape::mesh(plain.clone()));
        painter.add(Shape::mesh(two.clone()));
    });
    let svg = written(&shapes, None);
    texts(&svg);
    assert_eq!(svg.matches("<path").count(), 2, "{svg}");
    let first = svg.lines().find(|it| it.starts_with("<path"));
    assert_eq!(
        first.map(|it| it.matches('L').count()),
        Some(5),
        "{first:?}"
    );
    let gradient =
        "x1=\"10\" y1=\"0\" x2=\"0\" y2=\"0\"><stop offset=\"0\" stop-color=\"#0000ff\"/>";
    assert_eq!(svg.matches(gradient).count(), 1, "{svg}");
}

#[test]
fn edges_that_fade_are_sharp_where_they_are_half_seen() {
    let mut mesh = Mesh::default();
    for (x, color) in [
        (0.0, Color32::TRANSPARENT),
        (1.0, Color32::RED),
        (9.0, Color32::RED),
    ] {
        mesh.colored_vertex(pos2(x, 0.0), color);
        mesh.colored_vertex(pos2(x, 8.0), color);
    }
    for first in [0, 2] {
        mesh.add_triangle(first, first + 1, first + 2);
        mesh.add_triangle(first + 2, first + 1, first + 3);
    }
    let svg = written(
        &painted(|painter| {
            painter.add(Shape::mesh(mesh.clone()));
        }),
        None,
    );
    assert!(svg.contains("0.5 0"), "{svg}");
    assert!(!svg.contains("Gradient"), "{svg}");
    let mut mesh = sheet::Mesh::default();
    let mut pen = callscape_layout::curves::Pen::default();
    let way = [Vec2::new(0.0, 10.0), Vec2::new(50.0, 10.0)];
    pen.line(&mut mesh, &way, 4.0, [[0.0, 0.0, 0.0, 1.0]; 2]);
    let mut svg = Svg::new([100.0, 100.0], [255; 4]);
    let sheet = Sheet {
        mesh,
        ..Sheet::default()
    };
    svg.sheet(&sheet, Theme::Light);
    let svg = svg.finish([100, 100]);
    for corner in ["0 8", "50 8", "50 12", "0 12"] {
        assert!(svg.contains(corner), "{corner} in {svg}");
    }
}

#[test]
fn a_texture_is_the_sheet_on_it_and_what_a_sheet_has_of_pixels_a_png() {
    let rect = sheet::Rect::new(Vec2::ZERO, Vec2::splat(8.0));
    let color = [0.0, 1.0, 0.0, 0.5];
    let sheet = Sheet {
        rasters: vec![Raster {
            rect,
            size: [2, 1],
            pixels: vec![[9, 8, 7, 255]; 2],
        }],
        marks: vec![Fill { rect, color }],
        ..Sheet::default()
    };
    let id = egui::TextureId::User(7);
    let at = Rect::from_min_size(pos2(30.0, 40.0), vec2(100.0, 100.0));
    let uv = Rect::from_min_max(Pos2::ZERO, pos2(1.0, 1.0));
    let shapes = painted(|painter| {
        painter.image(id, at, uv, Color32::WHITE);
    });
    let svg = written(&shapes, Some((id, &sheet, 2.0)));
    texts(&svg);
    assert!(svg.contains("translate(30 40) scale(0.5)"), "{svg}");
    assert!(svg.contains("data:image/png;base64,iVBORw0KGgo"), "{svg}");
    // Half of the light of white and green together is more than half of their codes.
    assert!(
        svg.contains("fill=\"#79ff79\" fill-opacity=\"0.502\""),
        "{svg}"
    );
}

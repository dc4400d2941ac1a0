//! Names on segments: along a ring or outwards, whole as long as there is room.

use std::sync::Arc;

use egui::epaint::TextShape;
use egui::{Color32, FontId, Galley, Pos2, Ui, pos2, vec2};

use super::drawing::Arc as Part;
use crate::parts::rows;

/// The size of names, and the room that one line needs.
pub(super) const LETTERS: f32 = 11.5;
pub(super) const LINE: f32 = 14.0;

/// Writes a name on a segment, along it or outwards, where it is better read; nothing where there is no room.
pub(super) fn write(ui: &Ui, center: Pos2, part: Part, name: &str, color: Color32) {
    let thick = part.outer - part.inner;
    let radius = (part.outer + part.inner) * 0.5;
    // A straight line stays within the ring as far as it bends no more than there is room for.
    let straight = (8.0 * radius * (thick - LINE).max(0.0)).sqrt();
    let along = (part.length() - 8.0).min(straight.max(0.0));
    let outwards = match part.length() >= LINE + 2.0 {
        true => thick - 6.0,
        false => 0.0,
    };
    let is_along = along >= outwards;
    let room = along.max(outwards);
    if room < 26.0 {
        return;
    }
    let font = FontId::proportional(LETTERS);
    let mut galley = ui
        .painter()
        .layout_no_wrap(name.to_owned(), font.clone(), color);
    if galley.size().x > room && part.length() - 8.0 >= galley.size().x && thick >= LINE {
        return write_curved(ui, center, part, name, color);
    }
    if galley.size().x > room {
        let letters = name.chars().count() as f32 * room / galley.size().x;
        if letters < 6.0 {
            return;
        }
        let short = rows::shortened(name, letters as usize);
        galley = ui.painter().layout_no_wrap(short, font, color);
    }
    let turn = (part.from + part.to) * 0.5;
    let angle = turn * std::f32::consts::TAU;
    let (angle, is_turned) = match is_along {
        true => (angle, (0.25..0.75).contains(&turn)),
        false => (angle - std::f32::consts::FRAC_PI_2, turn > 0.5),
    };
    // Nothing stands on its head.
    let angle = if is_turned {
        angle + std::f32::consts::PI
    } else {
        angle
    };
    let middle = part.place(center, 0.5, 0.5);
    write_turned(ui, middle, galley, angle, color);
}

/// Writes letters at an angle around their middle.
fn write_turned(ui: &Ui, middle: Pos2, letters: Arc<Galley>, angle: f32, color: Color32) {
    let half = letters.size() * 0.5;
    let (sin, cos) = angle.sin_cos();
    let corner = pos2(
        middle.x - half.x * cos + half.y * sin,
        middle.y - half.x * sin - half.y * cos,
    );
    let shape = TextShape::new(corner, letters, color).with_angle(angle);
    ui.painter().add(shape);
}

/// Writes a name letter by letter along its ring, where it bends too much for a straight line.
fn write_curved(ui: &Ui, center: Pos2, part: Part, name: &str, color: Color32) {
    let radius = (part.outer + part.inner) * 0.5;
    let font = FontId::proportional(LETTERS);
    let letters: Vec<_> = name
        .chars()
        .map(|it| {
            let text = it.to_string();
            ui.painter().layout_no_wrap(text, font.clone(), color)
        })
        .collect();
    // A space alone has no width.
    let width = |of: f32| of.max(LETTERS * 0.25);
    let all: f32 = letters.iter().map(|it| width(it.size().x)).sum();
    let turn = (part.from + part.to) * 0.5;
    // Nothing stands on its head.
    let is_turned = (0.25..0.75).contains(&turn);
    let mut at = -0.5 * all;
    for letter in letters {
        let wide = width(letter.size().x);
        let by = (at + 0.5 * wide) / radius;
        at += wide;
        let place = turn * std::f32::consts::TAU + if is_turned { -by } else { by };
        let (sin, cos) = place.sin_cos();
        let middle = center + vec2(sin, -cos) * radius;
        let angle = match is_turned {
            true => place + std::f32::consts::PI,
            false => place,
        };
        write_turned(ui, middle, letter, angle, color);
    }
}

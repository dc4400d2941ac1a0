//! Where what stands beside lines goes: over a level part of the line, over no box and over no other label.

use glam::Vec2;

use super::laid::{LABEL, Laid};
use crate::layout::labels::text::width;
use crate::layout::sheet::Rect;

/// A label that found a place, in points of the graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placed {
    pub line: u32,
    pub rect: Rect,
}

/// Places the labels of lines, those of wide lines first. What finds no place is left out: pointing at the line says it.
/// O(labels × (boxes + labels)).
pub fn place(laid: &Laid) -> Vec<Placed> {
    let mut order: Vec<u32> = (0..laid.graph.lines.len() as u32).collect();
    order.sort_by(|&a, &b| {
        let width = |it: u32| laid.widths[it as usize];
        width(b).total_cmp(&width(a)).then(a.cmp(&b))
    });
    let mut taken: Vec<Rect> = laid.layout.nodes.clone();
    let titles = laid.layout.clusters.iter().zip(&laid.graph.frames);
    taken.extend(titles.map(|(rect, frame)| {
        let size = Vec2::new(width(&frame.title) * super::laid::FRAME + 16.0, 17.0);
        Rect::new(rect.min, (rect.min + size).min(rect.max))
    }));
    let mut placed = Vec::new();
    for number in order {
        let line = &laid.graph.lines[number as usize];
        let route = &laid.layout.routes[number as usize];
        if line.label.is_empty() || route.len() < 2 {
            continue;
        }
        let size = Vec2::new(width(&line.label) * LABEL + 2.0, LABEL + 1.0);
        let above = laid.widths[number as usize] * 0.5 + 0.5;
        let found = level_parts(route, line.label_at_caller).find_map(|(from, to)| {
            let [left, right] = [from.x.min(to.x), from.x.max(to.x)];
            if right - left < size.x {
                return None;
            }
            // Beside the box that the part ends at.
            let x = match from.x < to.x {
                true => left + 2.0,
                false => right - size.x - 2.0,
            };
            let rect = |y: f32| Rect::new(Vec2::new(x, y), Vec2::new(x, y) + size);
            let over = rect(from.y - above - size.y);
            let under = rect(from.y + above);
            [over, under]
                .into_iter()
                .find(|it| !taken.iter().any(|other| overlap(it, other)))
        });
        if let Some(rect) = found {
            taken.push(rect);
            placed.push(Placed { line: number, rect });
        }
    }
    placed
}

/// The level parts of a line, from the end that its label stands at; each from there on.
fn level_parts(route: &[Vec2], from_caller: bool) -> impl Iterator<Item = (Vec2, Vec2)> + '_ {
    let count = route.len() - 1;
    (0..count).filter_map(move |step| {
        let (a, b) = match from_caller {
            true => (route[step], route[step + 1]),
            false => (route[count - step], route[count - step - 1]),
        };
        ((a.y - b.y).abs() < 0.5).then_some((a, b))
    })
}

fn overlap(a: &Rect, b: &Rect) -> bool {
    a.min.cmplt(b.max).all() && b.min.cmplt(a.max).all()
}

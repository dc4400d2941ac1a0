//! Where what stands beside lines goes: over a level part of the line, over no box and over no other label.

use glam::Vec2;

use super::model::Graph;
use callscape_layout::curves::flatten;
use callscape_layout::labels::text::width;
use callscape_layout::layered::Layout;
use callscape_layout::sheet::Rect;

/// Letters, in points.
pub(crate) const LABEL: f32 = 11.5;

/// A label that found a place, in points of the graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Placed {
    pub line: u32,
    pub rect: Rect,
}

/// Places the labels of lines of these widths, those of wide lines first. What finds no place is left out: pointing at
/// the line says it. O(labels × (boxes + labels + points of lines)).
pub(crate) fn place(graph: &Graph, layout: &Layout, widths: &[f32], grow: f32) -> Vec<Placed> {
    let has_label = |it: &u32| !graph.lines[*it as usize].label.is_empty();
    let mut order: Vec<u32> = (0..graph.lines.len() as u32).filter(has_label).collect();
    if order.is_empty() {
        return Vec::new();
    }
    order.sort_by(|&a, &b| {
        let width = |it: u32| widths[it as usize];
        width(b).total_cmp(&width(a)).then(a.cmp(&b))
    });
    let mut taken: Vec<Rect> = layout.nodes.clone();
    let titles = layout.clusters.iter().zip(&graph.frames);
    taken.extend(titles.map(|(rect, frame)| {
        let size = Vec2::new(width(&frame.title) * 12.5 + 16.0, 18.0) * grow;
        Rect::new(rect.min, (rect.min + size).min(rect.max))
    }));
    let lines = layout.routes.iter().map(|route| {
        let mut points = Vec::new();
        match graph.is_straight() {
            true => points = stepped(route),
            false => flatten(route, 4.0, &mut points),
        }
        points
    });
    let lines: Vec<Vec<Vec2>> = lines.collect();
    let mut placed = Vec::new();
    for number in order {
        let line = &graph.lines[number as usize];
        let route = &layout.routes[number as usize];
        if route.len() < 2 {
            continue;
        }
        let size = Vec2::new(width(&line.label) * LABEL + 2.0, LABEL + 1.0) * grow;
        let thick = widths[number as usize];
        let above = thick * 0.5 + 1.5;
        // The arrow head is wider than its line.
        let head = match line.label_at_caller {
            true => 2.0,
            false => 6.0 + 1.35 * thick,
        };
        let is_free = |rect: &Rect| {
            let others = lines.iter().zip(widths).enumerate();
            let mut others = others.filter(|(other, _)| *other != number as usize);
            !taken.iter().any(|other| overlap(rect, other))
                && !others.any(|(_, (points, &width))| crosses(points, width * 0.5, rect))
        };
        if graph.is_straight() {
            let at = beside(route, size, above, line.label_at_caller);
            if let Some(rect) = at.into_iter().find(is_free) {
                taken.push(rect);
                placed.push(Placed { line: number, rect });
            }
            continue;
        }
        let found = level_parts(route, line.label_at_caller).find_map(|(from, to)| {
            let [left, right] = [from.x.min(to.x), from.x.max(to.x)];
            if right - left < size.x + head {
                return None;
            }
            // Beside the box that the part ends at.
            let x = match from.x < to.x {
                true => left + head,
                false => right - size.x - head,
            };
            let rect = |y: f32| Rect::new(Vec2::new(x, y), Vec2::new(x, y) + size);
            let over = rect(from.y - above - size.y);
            let under = rect(from.y + above);
            [over, under].into_iter().find(is_free)
        });
        if let Some(rect) = found {
            taken.push(rect);
            placed.push(Placed { line: number, rect });
        }
    }
    placed
}

/// The points of a straight line, no two farther apart than a step.
fn stepped(route: &[Vec2]) -> Vec<Vec2> {
    const STEP: f32 = 4.0;
    let &[from, to] = route else {
        return Vec::new();
    };
    let steps = (from.distance(to) / STEP).ceil().clamp(1.0, 2_000.0) as u32;
    let at = |step| from.lerp(to, step as f32 / steps as f32);
    (0..=steps).map(at).collect()
}

/// Places for something of this size on both sides of a straight line, so far `above` it, from its middle on; those
/// nearer to the end that it stands at come first.
fn beside(route: &[Vec2], size: Vec2, above: f32, at_caller: bool) -> Vec<Rect> {
    const SHARES: [f32; 5] = [0.5, 0.4, 0.3, 0.6, 0.7];
    let &[from, to] = route else {
        return Vec::new();
    };
    let (near, far) = if at_caller { (from, to) } else { (to, from) };
    let across = (to - from).normalize_or_zero().perp();
    // How far its middle is from the line where only a corner comes close.
    let away = (across.abs() * size * 0.5).element_sum() + above;
    let places = SHARES.into_iter().flat_map(|share| {
        let at = near.lerp(far, share);
        [at - across * away, at + across * away]
    });
    places
        .map(|at| Rect::new(at - size * 0.5, at + size * 0.5))
        .collect()
}

/// Whether a line of half this width goes through a rectangle; its points stand close.
fn crosses(points: &[Vec2], half: f32, rect: &Rect) -> bool {
    let wide = Rect::new(rect.min - half, rect.max + half);
    points.windows(2).any(|pair| {
        let [low, high] = [pair[0].min(pair[1]), pair[0].max(pair[1])];
        low.cmplt(wide.max).all() && high.cmpgt(wide.min).all()
    })
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

//! From one box of a graph to another by keys.

use glam::Vec2;

use super::laid::Laid;
use callscape_layout::sheet::Rect;
use callscape_state::ask::GraphKey;

/// The box that a key leads to: along the widest line where it leads left or right, else the nearest in that direction.
/// From nowhere it is the one in the middle, or the first.
pub(super) fn next(laid: &Laid, from: Option<u32>, key: GraphKey) -> Option<u32> {
    let boxes = &laid.graph.boxes;
    let Some(from) = from.filter(|it| (*it as usize) < boxes.len()) else {
        let middle = boxes.iter().position(|it| it.is_middle);
        let first = || {
            let middles = laid
                .layout
                .nodes
                .iter()
                .map(|it| middle_of(*it))
                .enumerate();
            let first =
                middles.min_by(|a, b| a.1.x.total_cmp(&b.1.x).then(a.1.y.total_cmp(&b.1.y)));
            first.map(|it| it.0)
        };
        return middle.or_else(first).map(|it| it as u32);
    };
    let lines = laid.graph.lines.iter().zip(&laid.widths);
    let along = lines.filter_map(|(line, &width)| match key {
        GraphKey::Right => (line.from == from).then_some((width, line.to)),
        GraphKey::Left => (line.to == from).then_some((width, line.from)),
        _ => None,
    });
    let widest = along.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    if let Some((_, to)) = widest {
        return Some(to);
    }
    let way = match key {
        GraphKey::Left => Vec2::NEG_X,
        GraphKey::Right => Vec2::X,
        GraphKey::Up => Vec2::NEG_Y,
        GraphKey::Down => Vec2::Y,
        _ => return None,
    };
    let at = middle_of(*laid.layout.nodes.get(from as usize)?);
    let others = laid
        .layout
        .nodes
        .iter()
        .zip(0_u32..)
        .filter(|it| it.1 != from);
    let there = others.filter_map(|(&rect, place)| {
        let by = middle_of(rect) - at;
        let ahead = by.dot(way);
        // What lies aside is farther than what lies ahead.
        let aside = by.perp_dot(way).abs();
        (ahead > 1.0).then_some((ahead + 3.0 * aside, place))
    });
    there.min_by(|a, b| a.0.total_cmp(&b.0)).map(|it| it.1)
}

fn middle_of(rect: Rect) -> Vec2 {
    (rect.min + rect.max) * 0.5
}

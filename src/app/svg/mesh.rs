//! Triangles as areas: neighbours of one colour become one path, so that no seam is seen between them.

use std::collections::BTreeMap;
use std::fmt::Write;

use glam::Vec2;

use super::{Ink, Svg, number, paint};

/// A corner as a key: its coordinates bit by bit.
type Key = [u32; 2];

fn key(at: Vec2) -> Key {
    // There is one zero.
    at.to_array().map(|it| (it + 0.0).to_bits())
}

/// Triangles that are filled alike.
struct Area {
    paint: String,
    /// With a gradient.
    opacity: Option<u8>,
    /// It shares a corner with what is before it.
    goes_on: bool,
    triangles: Vec<[Vec2; 3]>,
}

impl Svg {
    /// Adds triangles with a colour at each corner, in their order.
    pub(super) fn triangles(&mut self, corners: &[(Vec2, Ink)], triangles: &[u32]) {
        let mut areas: Vec<Area> = Vec::new();
        let mut before: &[u32] = &[];
        for three in triangles.chunks_exact(3) {
            let goes_on = three.iter().any(|it| before.contains(it));
            before = three;
            let corner = |at: usize| corners.get(three[at] as usize).copied();
            let (Some(a), Some(b), Some(c)) = (corner(0), corner(1), corner(2)) else {
                continue;
            };
            let of = [a, b, c];
            let is_seen = of.iter().any(|it| it.1[3] > 0);
            if !is_seen || !of.iter().all(|it| it.0.is_finite()) {
                continue;
            }
            let (paint, opacity) = self.paint_of(of);
            // All go round in the same direction.
            let is_turned = (b.0 - a.0).perp_dot(c.0 - a.0) < 0.0;
            let of = if is_turned {
                [a.0, c.0, b.0]
            } else {
                [a.0, b.0, c.0]
            };
            match areas.last_mut() {
                Some(last) if last.paint == paint => last.triangles.push(of),
                _ => areas.push(Area {
                    paint,
                    opacity,
                    goes_on,
                    triangles: vec![of],
                }),
            }
        }
        self.areas(&areas);
    }

    /// Areas with gradients that go on in one another overlap a little, so that no seam is seen between them. Together
    /// they are as opaque as one.
    fn areas(&mut self, areas: &[Area]) {
        let goes_on =
            |a: &Area, b: &Area| b.goes_on && a.opacity.is_some() && a.opacity == b.opacity;
        for together in areas.chunk_by(goes_on) {
            let opacity = together[0].opacity;
            if let Some(opacity) = opacity {
                let opacity = number(f32::from(opacity) / 255.0);
                let _ = writeln!(self.body, "<g opacity=\"{opacity}\" stroke-width=\"0.2\">");
            }
            for Area {
                paint, triangles, ..
            } in together
            {
                let stroke = paint.replace(" fill=", " stroke=");
                let stroke = if opacity.is_some() { &stroke } else { "" };
                self.path(&outline(triangles), &format!("{paint}{stroke}"));
            }
            if opacity.is_some() {
                self.body.push_str("</g>\n");
            }
        }
    }

    /// What fills a triangle: a colour, or a gradient between the two corners that differ most; of a gradient that is
    /// opaque, how opaque what has it is then.
    fn paint_of(&mut self, of: [(Vec2, Ink); 3]) -> (String, Option<u8>) {
        let apart = |(i, j): (usize, usize)| {
            let parts = of[i].1.into_iter().zip(of[j].1);
            parts.map(|(a, b)| u32::from(a.abs_diff(b))).sum::<u32>()
        };
        let (from, to) = [(0, 1), (1, 2), (0, 2)]
            .into_iter()
            .max_by_key(|it| apart(*it))
            .unwrap_or((0, 1));
        // The same for all triangles that it goes through.
        let (from, to) = match of[from].1 <= of[to].1 {
            true => (from, to),
            false => (to, from),
        };
        let all = apart((from, to));
        if all == 0 {
            return (paint("fill", of[0].1), None);
        }
        let other = 3 - from - to;
        let share = apart((from, other)) as f32 / all as f32;
        let (along, aside) = (of[to].0 - of[from].0, of[other].0 - of[from].0);
        let area = along.perp_dot(aside);
        // How fast the share grows, and in which direction.
        let slope = (along * share - aside).perp() / area;
        if area.abs() < 1e-6 || slope.length_squared() < 1e-12 {
            return (paint("fill", of[from].1), None);
        }
        let opacity = of[from].1[3];
        let opacity = of.iter().all(|it| it.1[3] == opacity).then_some(opacity);
        let way = slope / slope.length_squared();
        // The same line for all triangles that the same gradient goes through.
        let start = slope * (slope.dot(of[from].0) / slope.length_squared());
        let stop = |at: u8, [r, g, b, a]: Ink| {
            let ink = [r, g, b, if opacity.is_some() { 255 } else { a }];
            let paint = paint("stop-color", ink).replace("stop-color-opacity", "stop-opacity");
            format!("<stop offset=\"{at}\"{paint}/>")
        };
        let [x1, y1] = start.to_array().map(number);
        let [x2, y2] = (start + way).to_array().map(number);
        let (first, last) = (stop(0, of[from].1), stop(1, of[to].1));
        let gradient = self.define(&format!(
            "<linearGradient id=\"d{{}}\" gradientUnits=\"userSpaceOnUse\" x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" \
             y2=\"{y2}\">{first}{last}</linearGradient>"
        ));
        (format!(" fill=\"url(#d{gradient})\""), opacity)
    }
}

/// What is around triangles that all go round in the same direction: edges between two of them are left out.
fn outline(area: &[[Vec2; 3]]) -> String {
    let mut next: BTreeMap<Key, Vec<Key>> = BTreeMap::new();
    for of in area {
        for edge in 0..3 {
            let [from, to] = [of[edge], of[(edge + 1) % 3]].map(key);
            if from == to {
                continue;
            }
            let back = next.get_mut(&to);
            let back = back.and_then(|it| Some((it.iter().position(|it| *it == from)?, it)));
            match back {
                Some((place, ends)) => drop(ends.swap_remove(place)),
                None => next.entry(from).or_default().push(to),
            }
        }
    }
    let mut way = String::new();
    while let Some((&first, _)) = next.iter().find(|it| !it.1.is_empty()) {
        next.retain(|_, ends| !ends.is_empty());
        let (mut at, mut sign) = (first, 'M');
        while let Some(to) = next.get_mut(&at).and_then(Vec::pop) {
            let [x, y] = at.map(|it| number(f32::from_bits(it)));
            let _ = write!(way, "{sign}{x} {y}");
            (at, sign) = (to, 'L');
        }
        way.push('Z');
    }
    way
}

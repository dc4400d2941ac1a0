//! What the shades of the temporal overview mean, on one line below its axis.

use glam::Vec2;

use crate::parts::hatching;
use crate::parts::shading::{ON_STACK, shade_of};
use callscape_facts::trace::Why;
use callscape_layout::axis::write_within;
use callscape_layout::geometry::Color;
use callscape_layout::labels::text;
use callscape_layout::sheet::{Fill, Rect, Sheet};
use callscape_look::ink::Ink;

/// How many steps a ramp of shades has, and how wide each is, in letters.
const STEPS: u32 = 12;
const STEP: f32 = 0.4;

/// How wide a sample of hatching is, in letters.
const SAMPLE: f32 = 1.6;

/// What hatching there may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hatched {
    pub waits: bool,
    pub gaps: bool,
}

/// Draws the line over `rect`, with what hatching means that there is; what does not fit is left out from its end.
pub(super) fn draw(
    sheet: &mut Sheet,
    rect: Rect,
    em: f32,
    ink: &Ink,
    (hatched, bracket): (Hatched, Option<String>),
) {
    if rect.size().min_element() <= 0.0 {
        return;
    }
    let middle = (rect.min.y + rect.max.y) * 0.5;
    let letters = em * 0.95;
    let mut x = rect.min.x + em * 0.5;
    let write = |sheet: &mut Sheet, x: f32, color: Color, what: &str| {
        let at = Vec2::new(x, middle);
        write_within(sheet, at, rect, letters, color, |letters| {
            letters.push_str(what);
        })
    };
    let gap = em * 0.45;
    let ramps = [
        ("on top of the stack", 1.0, "100 % of a column's time"),
        ("with others on top of it", ON_STACK, "100 %"),
    ];
    for (name, most, of) in ramps {
        // The ramp and what ends it fit as well, or neither is drawn.
        let width = em * STEP * STEPS as f32;
        let needed = width + gap * 2.0 + text::width(of) * letters;
        let within = Rect::new(rect.min, rect.max - Vec2::new(needed, 0.0));
        let named = write_within(
            sheet,
            Vec2::new(x, middle),
            within,
            letters,
            ink.text,
            |out| {
                out.push_str(name);
                out.push_str("  0");
            },
        );
        let Some(end) = named else {
            return;
        };
        let start = (end + gap).round();
        let [top, bottom] = [middle - em * 0.45, middle + em * 0.45].map(f32::round);
        let strip = |from: f32, to: f32| {
            let x = |at: f32| (start + width * at).round();
            Rect::new(Vec2::new(x(from), top), Vec2::new(x(to), bottom))
        };
        sheet.fills.push(Fill {
            rect: strip(0.0, 1.0),
            color: ink.paper,
        });
        let [r, g, b, _] = ink.text;
        for step in 0..STEPS {
            let at = |step: u32| step as f32 / STEPS as f32;
            let share = at(step) + 0.5 / STEPS as f32;
            sheet.fills.push(Fill {
                rect: strip(at(step), at(step + 1)),
                color: [r, g, b, most * shade_of(share)],
            });
        }
        let Some(end) = write(sheet, start + width + gap, ink.text, of) else {
            return;
        };
        x = end + em * 1.6;
    }
    let of_waits = [
        (Some(Why::Preempted), "pre-empted"),
        (Some(Why::Voluntary), "waits for something"),
    ];
    let of_waits = of_waits.into_iter().filter(|_| hatched.waits);
    let of_gaps = hatched.gaps.then_some((None, hatching::NOT_RECORDED));
    for (why, what) in of_waits.chain(of_gaps) {
        let [top, bottom] = [middle - em * 0.45, middle + em * 0.45].map(f32::round);
        let sample = Rect::new(
            Vec2::new(x.round(), top),
            Vec2::new((x + em * SAMPLE).round(), bottom),
        );
        let start = sample.max.x + gap;
        let fits = start + text::width(what) * letters <= rect.max.x;
        if !fits {
            return;
        }
        let (rect, stroke) = (sample, (em * 0.08).round().max(1.0));
        let color = if why.is_some() { ink.weak } else { ink.paper };
        sheet.fills.push(Fill { rect, color });
        match why {
            Some(why) => hatching::hatch(rect, why, stroke, ink.paper, sheet),
            None => hatching::hatch_gap(rect, stroke, ink, sheet),
        }
        let Some(end) = write(sheet, start, ink.text, what) else {
            return;
        };
        x = end + em * 1.6;
    }
    let rest = [
        "colour: module",
        "curves: calls that start; calls open at once",
    ];
    for what in bracket.as_deref().into_iter().chain(rest) {
        let Some(end) = write(sheet, x, ink.weak, what) else {
            return;
        };
        x = end + em * 1.6;
    }
}

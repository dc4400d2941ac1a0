//! The call stacks of a run: calls as boxes along time, those that they made below them.

use std::collections::HashMap;

use glam::Vec2;

use super::clock::Stretch;
use super::half::{On, sign};
use super::places::LETTERS;
use super::spot::Spot;
use callscape_base::units::{Cost, ThreadId};
use callscape_facts::recording::Recording;
use callscape_facts::trace::{Flame, FlameOf, LeaveOut, Trace};
use callscape_filter::filters::FilterRules;
use callscape_filter::selection::CallOf;
use callscape_layout::hues::encoded;
use callscape_layout::labels::text;
use callscape_layout::sheet::{Fill, Raster, Rect, Sheet};

/// How many threads of each run are drawn, those with most calls.
const MOST_THREADS: usize = 4;

/// Heights in points: of a depth, and of a thread's name.
const HIGHEST: f32 = 17.0;
const LOWEST: f32 = 5.0;
const HEADING: f32 = 14.0;

/// Calls at least this many pixels wide are boxes of their own.
const BOX: f32 = 3.0;
const MOST_NAMES: usize = 1500;

/// What is there at all is at least so opaque.
const FAINTEST: f32 = 0.2;

/// By depth, call and thread, the boxes found so far: what lies in several stretches is one.
type Seen = HashMap<(u32, u32, u32), usize>;

/// The threads of a run that are drawn.
struct ChosenThreads {
    /// In their own order.
    threads: Vec<ThreadId>,
    /// How many more have fewer calls, and no room.
    hidden: usize,
    /// In pixels; without height where one thread needs none.
    heading: f32,
}

/// The busiest threads that are not left out, as many as fit `room` pixels with a heading and a depth each.
fn busiest(trace: &Trace, rules: &FilterRules, room: f32, scale: f32) -> ChosenThreads {
    let calls = |thread: &ThreadId| trace.threads()[thread.index()].calls;
    let is_shown = |thread: &ThreadId| calls(thread) > 0 && !rules.hides(*thread);
    let mut threads: Vec<ThreadId> = trace.thread_ids().filter(is_shown).collect();
    let all = threads.len();
    let (heading, least) = ((HEADING * scale).round(), (LOWEST * scale).max(1.0));
    let fitting = (room / (heading + least)).max(0.0) as usize;
    threads.sort_by_key(|thread| (std::cmp::Reverse(calls(thread)), *thread));
    threads.truncate(fitting.clamp(1, MOST_THREADS));
    threads.sort_unstable();
    ChosenThreads {
        hidden: all - threads.len(),
        threads,
        heading: if all > 1 && fitting > 0 { heading } else { 0.0 },
    }
}

pub(super) fn draw(on: &On<'_>, sheet: &mut Sheet, spots: &mut Vec<Spot>) {
    let Some(resolved) = on.session.recordings.get(on.pair.places[on.side]) else {
        return;
    };
    let trace = &resolved.recording.trace;
    let (em, plot) = (on.places.em, on.plot);
    let scale = em / LETTERS;
    let rules = &on.rules[on.side];
    let ChosenThreads {
        threads,
        hidden,
        heading,
    } = busiest(trace, rules, plot.size().y, scale);
    if threads.is_empty() {
        let at = Vec2::new(plot.min.x + em, plot.min.y + em * 1.5);
        return sheet.write("No calls to show", at, em, on.ink.weak, plot);
    }
    let depths = |thread: &ThreadId| trace.threads()[thread.index()].max_depth.max(1);
    // A depth is as high in both.
    let fitting = on.pair.places.iter().zip(on.rules);
    let fitting = fitting.filter_map(|(&place, rules)| {
        let trace = &on.session.recordings.get(place)?.recording.trace;
        let of = busiest(trace, rules, plot.size().y, scale);
        let depth = |it: &ThreadId| trace.threads()[it.index()].max_depth.max(1);
        let all: u32 = of.threads.iter().map(depth).sum();
        let room = plot.size().y - of.heading * of.threads.len() as f32;
        Some(room / all.max(1) as f32)
    });
    let row = fitting
        .fold(f32::INFINITY, f32::min)
        .clamp(LOWEST * scale, HIGHEST * scale)
        .floor()
        .max(1.0);
    let names = match heading > 0.0 {
        true => callscape_model::threads::thread_names(trace),
        false => Vec::new(),
    };
    let mut top = plot.min.y;
    for (place, thread) in threads.iter().enumerate() {
        if top >= plot.max.y {
            break;
        }
        if heading > 0.0 {
            let rect = Rect::new(
                Vec2::new(plot.min.x, top),
                Vec2::new(plot.max.x, top + heading),
            );
            let color = on.ink.heading;
            sheet.fills.push(Fill { rect, color });
            let mut name = names.get(thread.index()).cloned().unwrap_or_default();
            if hidden > 0 && place + 1 == threads.len() {
                name.push_str(&format!("   and {hidden} more threads with fewer calls"));
            }
            let at = Vec2::new(plot.min.x + em * 0.5, top + heading * 0.5);
            sheet.write(&name, at, em * 0.9, on.ink.weak, rect);
            top += heading;
        }
        // Where not all fit each thread has its share.
        let left = (threads.len() - place - 1) as f32;
        let share = (plot.max.y - top - left * heading) / (left + 1.0);
        let fitting = ((plot.max.y - top - left * (heading + row)) / row).max(share / row);
        let room = ((plot.max.y - top) / row).max(0.0);
        let shown = depths(thread).min(fitting.max(1.0).min(room) as u32);
        let lane = Lane {
            on,
            place: on.pair.places[on.side],
            recording: &resolved.recording,
            thread: *thread,
            depths: shown,
            top,
            row,
            gap: if row >= 6.0 * scale {
                on.places.line
            } else {
                0.0
            },
        };
        lane.draw(sheet, spots);
        top += row * shown as f32;
    }
}

/// The first depths of one thread.
struct Lane<'a> {
    on: &'a On<'a>,
    /// The place of the recording in the session.
    place: usize,
    recording: &'a Recording,
    thread: ThreadId,
    depths: u32,
    /// Where it begins, how high a depth is, and how much of that stays free between depths, in pixels.
    top: f32,
    row: f32,
    gap: f32,
}

impl Lane<'_> {
    fn draw(&self, sheet: &mut Sheet, spots: &mut Vec<Spot>) {
        let on = self.on;
        let (columns, edges) = on.axis.columns();
        let width = columns.count() as usize;
        let mut pixels = vec![[0u8; 4]; width * self.depths as usize];
        let mut flame = Flame::default();
        let mut seen = Seen::new();
        let first_spot = spots.len();
        for stretch in on.common.stretches(on.axis, on.side) {
            self.measure(&stretch, &mut flame);
            self.shade(&stretch, &flame, width, &mut pixels);
            self.find_spots(&flame, &mut seen, spots);
        }
        sheet.rasters.push(Raster {
            rect: Rect::new(
                Vec2::new(edges[0], self.top),
                Vec2::new(edges[1], self.top + self.row * self.depths as f32),
            ),
            size: [columns.count(), self.depths],
            pixels,
        });
        if self.gap > 0.0 {
            for depth in 0..self.depths {
                let bottom = self.top + self.row * (depth + 1) as f32;
                let rect = Rect::new(
                    Vec2::new(on.plot.min.x, bottom - self.gap),
                    Vec2::new(on.plot.max.x, bottom),
                );
                let color = on.ink.paper;
                sheet.fills.push(Fill { rect, color });
            }
        }
        self.paint_boxes(&spots[first_spot..], sheet);
    }

    /// Finds the calls of a stretch, and what the shorter ones cover.
    fn measure(&self, stretch: &Stretch, flame: &mut Flame) {
        let (trace, rules) = (&self.recording.trace, &self.on.rules[self.on.side]);
        let of = FlameOf {
            columns: stretch.columns,
            depths: 0..self.depths,
            least: Cost::from_ns(column_length(stretch).max(1)),
            columns_of_cell: 1,
            is_near: true,
        };
        if rules.is_empty() {
            return trace.flame(self.thread, &of, flame);
        }
        let thread = self.thread;
        let leave_out = LeaveOut {
            removes: &|function| rules.removes(function),
            cuts_below: &|function, call| rules.cuts_below(function, CallOf { thread, call }),
        };
        trace.flame_without(thread, &of, &leave_out, flame);
    }

    /// Shades the columns of a stretch by how much of each calls of a depth cover; `width` is that of the picture.
    fn shade(&self, stretch: &Stretch, flame: &Flame, width: usize, pixels: &mut [[u8; 4]]) {
        let on = self.on;
        let length = column_length(stretch).max(1) as f32;
        for depth in 0..self.depths {
            for k in 0..stretch.columns.count() {
                let cell = flame.cell(k, depth);
                let Some(cell) = cell.filter(|it| it.open > Cost::ZERO || it.started > 0) else {
                    continue;
                };
                let strength = cell.function.and_then(|it| on.strength(it));
                let color = strength.map(|(_, it, _)| on.tones.of(it));
                let share = (cell.open.ns() as f32 / length).min(1.0);
                let alpha = FAINTEST + (1.0 - FAINTEST) * share;
                let [r, g, b, _] = encoded(color.unwrap_or(on.tones.same));
                let line = depth as usize * width;
                let of = stretch.pixels(k);
                let pixels = pixels.get_mut(line + of.start..line + of.end);
                pixels
                    .unwrap_or_default()
                    .fill([r, g, b, (alpha * 255.0) as u8]);
            }
        }
    }

    /// Adds the calls that are wide enough for boxes; one that lies in several stretches once.
    fn find_spots(&self, flame: &Flame, seen: &mut Seen, spots: &mut Vec<Spot>) {
        let (on, thread) = (self.on, self.thread);
        for bar in &flame.bars {
            let key = (bar.depth, bar.call.0, thread.0);
            if seen.contains_key(&key) {
                continue;
            }
            let x = |time| on.axis.x_within(on.common.on_axis(on.side, time));
            let (left, right) = (x(bar.start), x(bar.end));
            if right - left < BOX {
                continue;
            }
            let Some((module, ..)) = on.strength(bar.function) else {
                continue;
            };
            seen.insert(key, spots.len());
            let y = self.top + self.row * bar.depth as f32;
            spots.push(Spot {
                rect: Rect::new(
                    Vec2::new(left, y),
                    Vec2::new((right - self.gap).max(left + 1.0), y + self.row - self.gap),
                ),
                side: on.side,
                module,
                function: Some(bar.function),
                call: Some(CallOf {
                    thread,
                    call: bar.call,
                }),
            });
        }
    }

    /// Paints boxes in the colours of what differs, and writes the names of functions where there is room.
    fn paint_boxes(&self, spots: &[Spot], sheet: &mut Sheet) {
        let on = self.on;
        let letters = (self.row * 0.74).min(on.places.em);
        let is_written = letters >= 6.5 * (on.places.em / LETTERS);
        let mut label = String::new();
        let mut short = String::new();
        for spot in spots {
            let Some(function) = spot.function else {
                continue;
            };
            let Some((_, strength, mark)) = on.strength(function) else {
                continue;
            };
            let color = on.tones.of(strength);
            sheet.fills.push(Fill {
                rect: spot.rect,
                color,
            });
            let pad = letters * 0.35;
            let room = (spot.rect.size().x - 2.0 * pad) / letters;
            if !is_written || room < 2.5 || sheet.texts.len() >= MOST_NAMES {
                continue;
            }
            label.clear();
            label.push_str(sign(mark));
            label.push_str(on.session.function_name(self.place, function));
            if text::shorten(&label, room, &mut short) {
                let at = Vec2::new(
                    spot.rect.min.x + pad,
                    (spot.rect.min.y + spot.rect.max.y) * 0.5,
                );
                let color = on.tones.ink_on(color, on.ink);
                sheet.write(&short, at, letters, color, spot.rect);
            }
        }
    }
}

/// How long a column of a stretch is, in nanoseconds.
fn column_length(stretch: &Stretch) -> u64 {
    let columns = &stretch.columns;
    columns.start(1).since(columns.start(0)).ns()
}

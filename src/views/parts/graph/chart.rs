//! A graph on a sheet: it eases from one layout to the next, marks what is meant, and says what is at a place.

use std::sync::Arc;
use std::time::Duration;

use glam::Vec2;

use super::geometry::{Geometry, distance};
use super::laid::{Laid, SIGN};
use super::legend;
use super::marks::{self, Marked, marked};
use super::model::Tint;
use super::moved::{self, Held, Moved};
use super::painting::{Colors, Painting};
use super::sight::Sight;
use crate::{Picture, Surface};
use callscape_facts::hierarchy::Hierarchy;
use callscape_filter::marked::Marked as Functions;
use callscape_layout::curves::Pen;
use callscape_layout::hues::Hues;
use callscape_layout::labels::text::width;
use callscape_layout::layered::{Key, Memory};
use callscape_layout::sheet::{Rect, Sheet};
use callscape_model::theme::Theme;
use callscape_state::State;
use callscape_state::document::Document;

/// How long the way from one layout to the next takes.
const WAY: Duration = Duration::from_millis(450);

/// Lines are pointed at from so far, in points.
const NEAR: f32 = 5.0;

/// So many layouts are kept: what is shown again looks as it did.
const KEPT: usize = 24;

/// Something at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    Box(u32),
    /// The sign on it.
    BoxSign(u32),
    Frame(u32),
    FrameSign(u32),
    Line(u32),
}

/// A way from what was shown before.
pub(super) struct Way {
    pub(super) from: Geometry,
    pub(super) sight: Sight,
    pub(super) begun: Duration,
}

/// What the sheet was drawn with.
#[derive(Clone, Debug, PartialEq)]
struct DrawnWith {
    revision: u64,
    size: [u32; 2],
    scale: f32,
    theme: Theme,
    tint: Tint,
    sight: Sight,
    share: f32,
    head: f32,
    words: String,
    /// The functions of a chosen phase.
    lit: Option<Arc<Functions>>,
}

/// How many corners and triangles lie under the marks.
type Below = (usize, usize);

#[derive(Default)]
pub(crate) struct Chart {
    /// As it was laid out, and with boxes where the user put them.
    pub(super) plain: Option<Arc<Laid>>,
    pub(super) laid: Option<Arc<Laid>>,
    pub(super) moved: Moved,
    pub(super) held: Option<Held>,
    pub(super) geometry: Geometry,
    hues: Hues,
    pub(super) way: Option<Way>,
    /// Where the user looks; none: all is in sight.
    free: Option<Sight>,
    /// Room at the top that widgets cover, in points.
    pub head: f32,
    pub tint: Tint,
    /// What was last laid out, newest last.
    past: Vec<Arc<Laid>>,
    memory: Memory,
    /// This stays where it is on the sheet when the next graph comes.
    anchor: Option<Key>,
    /// The sheet in points, and how many pixels each is.
    size: Vec2,
    pub(super) scale: f32,
    pub(super) revision: u64,
    pen: Pen,
    sheet: Sheet,
    drawn: Option<(DrawnWith, Below)>,
    marks: [Marked; 3],
}

impl Chart {
    pub(crate) fn laid(&self) -> Option<&Arc<Laid>> {
        self.laid.as_ref()
    }

    /// What is known for the layout of the next graph: where things stood, and layouts that were shown before.
    pub(crate) fn known(&self) -> (Memory, Vec<Arc<Laid>>) {
        (self.memory.clone(), self.past.clone())
    }

    /// Everything is laid out as if for the first time.
    pub(crate) fn forget(&mut self) {
        self.memory = Memory::default();
        self.past.clear();
    }

    /// Keeps this box or frame where it is when the next graph comes.
    pub(crate) fn hold(&mut self, key: Key) {
        self.anchor = Some(key);
    }

    /// Shows a graph; what was shown eases over to it.
    pub(crate) fn take(&mut self, laid: Arc<Laid>, now: Duration, hierarchy: &Hierarchy) {
        if self.plain.as_ref().is_some_and(|it| Arc::ptr_eq(it, &laid)) {
            return;
        }
        self.held = None;
        let mut memory = laid.layout.memory.clone();
        memory.complete(&self.memory);
        self.memory = memory;
        self.past.retain(|it| !Arc::ptr_eq(it, &laid));
        self.past.push(Arc::clone(&laid));
        if self.past.len() > KEPT {
            self.past.remove(0);
        }
        let placed = self.placed(&laid, hierarchy);
        self.plain = Some(laid);
        self.show(placed, now, hierarchy);
    }

    /// A layout with boxes where the user put them.
    pub(super) fn placed(&self, laid: &Arc<Laid>, hierarchy: &Hierarchy) -> Arc<Laid> {
        let placed = moved::apply(laid, &self.moved, hierarchy);
        placed.map_or_else(|| Arc::clone(laid), Arc::new)
    }

    /// Eases over from what was shown.
    pub(super) fn show(&mut self, laid: Arc<Laid>, now: Duration, hierarchy: &Hierarchy) {
        let before = self.laid.take();
        if let Some(before) = before.filter(|_| self.drawn.is_some()) {
            let (shown, sight) = (self.shown(now), self.shown_sight(now));
            self.keep_anchor(&before, &shown, &laid);
            let from = Geometry::before(&laid, (&before, &shown), hierarchy);
            self.way = Some(Way {
                from,
                sight,
                begun: now,
            });
        } else {
            self.hues = Hues::new(hierarchy);
        }
        self.anchor = None;
        self.geometry = Geometry::of(&laid);
        self.laid = Some(laid);
        self.revision += 1;
    }

    /// Moves the sight so that what is held stays under the same place of the sheet.
    fn keep_anchor(&mut self, before: &Laid, shown: &Geometry, next: &Laid) {
        let (Some(free), Some(key)) = (self.free, self.anchor) else {
            return;
        };
        let old = corner(before, &shown.boxes, &shown.frames, key);
        let geometry = Geometry::of(next);
        let new = corner(next, &geometry.boxes, &geometry.frames, key);
        if let (Some(old), Some(new)) = (old, new) {
            self.free = Some(free.moved((old - new) * free.zoom));
        }
    }

    /// Nothing is shown.
    pub(crate) fn clear(&mut self) {
        (self.plain, self.laid) = (None, None);
        (self.way, self.held) = (None, None);
        self.geometry = Geometry::default();
        self.revision += 1;
    }

    /// Whether it is on its way.
    pub(crate) fn is_moving(&self) -> bool {
        self.way.is_some()
    }

    /// How far the way is gone, eased.
    fn share(&self, now: Duration) -> f32 {
        let Some(way) = &self.way else {
            return 1.0;
        };
        let t = now.saturating_sub(way.begun).as_secs_f32() / WAY.as_secs_f32();
        let t = t.clamp(0.0, 1.0);
        t * t * (3.0 - 2.0 * t)
    }

    fn shown(&self, now: Duration) -> Geometry {
        match &self.way {
            Some(way) => way.from.between(&self.geometry, self.share(now)),
            None => self.geometry.clone(),
        }
    }

    /// What there is room for the graph in, in points.
    fn room(&self) -> Rect {
        let bottom = (self.size.y - legend::HEIGHT).max(self.head + 1.0);
        Rect::new(Vec2::new(0.0, self.head), Vec2::new(self.size.x, bottom))
    }

    /// How it lies on the sheet once it is there.
    pub(super) fn sight(&self) -> Sight {
        let whole = || {
            let one = Rect::new(Vec2::ZERO, Vec2::ONE);
            let bounds = self.laid.as_ref().map_or(one, |it| it.bounds());
            Sight::whole(bounds, self.room())
        };
        let held = self.held.as_ref().map(|it| it.sight);
        held.or(self.free).unwrap_or_else(whole)
    }

    fn shown_sight(&self, now: Duration) -> Sight {
        let sight = self.sight();
        match &self.way {
            Some(way) => way.sight.between(sight, self.share(now)),
            None => sight,
        }
    }

    /// So many times as large; what is at `at`, in pixels, stays there.
    pub(crate) fn zoom(&mut self, at: Vec2, factor: f32) {
        if self.scale > 0.0 && factor.is_finite() {
            self.free = Some(self.sight().zoomed(at / self.scale, factor));
        }
    }

    /// The same about the middle.
    pub(crate) fn zoom_in_the_middle(&mut self, factor: f32) {
        let room = self.room();
        self.zoom((room.min + room.max) * 0.5 * self.scale, factor);
    }

    /// Moves it by so many pixels.
    pub(crate) fn pan(&mut self, by: Vec2) {
        if self.scale > 0.0 && by.is_finite() {
            self.free = Some(self.sight().moved(by / self.scale));
        }
    }

    /// All of it in sight.
    pub(crate) fn show_all(&mut self) {
        self.free = None;
    }

    /// How it is looked at, for session files: none where all is in sight.
    pub(crate) fn free(&self) -> Option<Sight> {
        self.free
    }

    pub(crate) fn set_free(&mut self, sight: Option<Sight>) {
        self.free = sight;
    }

    /// Moves as far as needed to see a box.
    pub(crate) fn reveal(&mut self, place: u32) {
        let (Some(free), Some(laid)) = (self.free, &self.laid) else {
            return;
        };
        let Some(&rect) = laid.layout.nodes.get(place as usize) else {
            return;
        };
        let (room, at) = (self.room(), free.rect(rect));
        let before = (room.min + 8.0 - at.min).max(Vec2::ZERO);
        let behind = (room.max - 8.0 - at.max).min(Vec2::ZERO);
        self.free = Some(free.moved(before + behind));
    }

    /// What is at a place of the sheet, in pixels.
    pub(crate) fn spot(&self, at: Vec2) -> Option<Spot> {
        let laid = self
            .laid
            .as_ref()
            .filter(|_| self.way.is_none() && self.scale > 0.0)?;
        let point = at / self.scale;
        let room = self.room();
        if point.y < room.min.y || point.y > room.max.y {
            return None;
        }
        let sight = self.sight();
        let at = sight.under(point);
        let found = |rects: &[(Rect, f32)]| rects.iter().rposition(|(rect, _)| rect.contains(at));
        if let Some(place) = found(&self.geometry.boxes) {
            let rect = self.geometry.boxes[place].0;
            let is_sign = laid.graph.boxes[place].sign.is_some() && at.x > rect.max.x - SIGN - 6.0;
            let place = place as u32;
            return Some(if is_sign {
                Spot::BoxSign(place)
            } else {
                Spot::Box(place)
            });
        }
        let lines = self.geometry.lines.iter().zip(&laid.widths).enumerate();
        let near = lines.filter_map(|(place, ((points, _), width))| {
            let away = distance(points, at) - width * 0.5;
            (away <= NEAR / sight.zoom.max(0.3)).then_some((away, place))
        });
        let line = near.min_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((_, place)) = line {
            return Some(Spot::Line(place as u32));
        }
        let place = found(&self.geometry.frames)?;
        let rect = self.geometry.frames[place].0;
        let is_title = at.y < rect.min.y + 20.0;
        let is_sign = is_title && laid.graph.frames[place].folds && at.x > rect.max.x - SIGN - 8.0;
        let place = place as u32;
        Some(if is_sign {
            Spot::FrameSign(place)
        } else {
            Spot::Frame(place)
        })
    }

    /// What it draws; `words` stand in place of a graph, or over it while another one is being made. `running` is on the
    /// call stack.
    pub(crate) fn picture(
        &mut self,
        state: &State,
        document: Option<&Document>,
        surface: Surface,
        words: &str,
        running: Marked,
    ) -> Picture<'_> {
        let pixels = Vec2::new(surface.size[0] as f32, surface.size[1] as f32);
        self.scale = surface.scale;
        self.size = pixels / surface.scale;
        let now = state.now();
        let share = self.share(now);
        if share >= 1.0 {
            // Drawn without a way, the end is exactly what is laid out.
            self.way = None;
        }
        let with = DrawnWith {
            revision: self.revision,
            size: surface.size,
            scale: surface.scale,
            theme: state.settings.theme,
            tint: self.tint,
            sight: self.shown_sight(now),
            share,
            head: self.head,
            words: words.to_owned(),
            lit: document.and_then(|it| it.lit.clone()),
        };
        let marks = self.marks_now(document, running);
        let drawn = self.drawn.as_ref().filter(|it| it.0 == with);
        let is_same = drawn.is_some() && self.marks == marks;
        if is_same && !surface.is_new {
            return Picture::Same;
        }
        let below = drawn.map(|it| it.1);
        self.marks = marks;
        let below = self.draw(document, &with, now, below, words);
        self.drawn = Some((with, below));
        Picture::Sheet(&self.sheet)
    }

    fn marks_now(&self, document: Option<&Document>, running: Marked) -> [Marked; 3] {
        let (Some(document), Some(laid)) = (document, &self.laid) else {
            return Default::default();
        };
        let selection = &document.selection;
        let of = |of| marked(document, &laid.graph, of);
        [running, of(&selection.chosen), of(&selection.pointed)]
    }

    /// Draws all, or where something lies on the sheet already only the marks over it.
    fn draw(
        &mut self,
        document: Option<&Document>,
        with: &DrawnWith,
        now: Duration,
        below: Option<Below>,
        words: &str,
    ) -> Below {
        let colors = Colors::of(with.theme);
        let pixels = self.size * self.scale;
        let whole = Rect::new(Vec2::ZERO, pixels);
        let (Some(document), Some(laid)) = (document, self.laid.clone()) else {
            self.sheet.clear();
            write_words(&mut self.sheet, words, whole, self.scale, &colors);
            return (0, 0);
        };
        let shown = self.shown(now);
        let painting = Painting {
            laid: &laid,
            geometry: &shown,
            labels: if self.way.is_some() {
                &[]
            } else {
                &laid.labels
            },
            hierarchy: &document.session.hierarchy,
            hues: &self.hues,
            sight: with.sight,
            scale: self.scale,
            clip: whole,
            tint: self.tint,
            colors,
            is_still: self.way.is_none(),
        };
        let below = match below {
            Some((corners, triangles)) => {
                self.sheet.mesh.truncate(corners, triangles);
                (corners, triangles)
            }
            None => {
                self.sheet.clear();
                painting.graph(&mut self.pen, &mut self.sheet);
                let of_phase = marks::of_phase(document, &laid.graph);
                painting.underline(&mut self.pen, &mut self.sheet, &of_phase);
                let strip = Vec2::new(0.0, pixels.y - legend::HEIGHT * self.scale);
                let strip = Rect::new(strip, pixels);
                let ground = colors.paper;
                self.pen.fill_box(&mut self.sheet.mesh, strip, 0.0, ground);
                let of = (document, &laid.graph, self.tint);
                legend::draw(
                    &mut self.pen,
                    &mut self.sheet,
                    of,
                    strip,
                    self.scale,
                    &colors,
                );
                if !words.is_empty() {
                    let top = Rect::new(
                        Vec2::new(0.0, self.head * self.scale),
                        Vec2::new(pixels.x, (self.head + 26.0) * self.scale),
                    );
                    write_words(&mut self.sheet, words, top, self.scale, &colors);
                }
                let mesh = &self.sheet.mesh;
                (mesh.corners.len(), mesh.triangles.len())
            }
        };
        let [_, chosen, pointed] = &self.marks;
        painting.beside(&mut self.pen, &mut self.sheet, chosen, 0.0);
        painting.beside(&mut self.pen, &mut self.sheet, pointed, 0.8);
        let strong = [colors.running, colors.ink.chosen, colors.pointed];
        for (marked, color) in self.marks.iter().zip(strong) {
            painting.marks(&mut self.pen, &mut self.sheet, marked, color);
        }
        below
    }
}

/// The upper left corner of a box or frame.
fn corner(laid: &Laid, boxes: &[(Rect, f32)], frames: &[(Rect, f32)], key: Key) -> Option<Vec2> {
    let of_box = laid.graph.boxes.iter().position(|it| it.key == key);
    let of_box = of_box.and_then(|it| boxes.get(it));
    let of_frame = laid.graph.frames.iter().position(|it| it.key == key);
    let of_frame = of_frame.and_then(|it| frames.get(it));
    of_box.or(of_frame).map(|it| it.0.min)
}

/// Writes lines in the middle of `rect`.
fn write_words(sheet: &mut Sheet, words: &str, rect: Rect, scale: f32, colors: &Colors) {
    let em = 13.0 * scale;
    let most = (rect.size().x / em - 2.0).max(8.0);
    let mut lines: Vec<String> = Vec::new();
    for word in words.split_whitespace() {
        match lines
            .last_mut()
            .filter(|it| width(it) + width(word) + 0.4 <= most.min(46.0))
        {
            Some(line) => {
                line.push(' ');
                line.push_str(word);
            }
            None => lines.push(word.to_owned()),
        }
    }
    let middle = (rect.min + rect.max) * 0.5;
    let first = middle.y - (lines.len() as f32 - 1.0) * em * 0.75;
    for (number, line) in lines.iter().enumerate() {
        let at = Vec2::new(
            middle.x - width(line) * em * 0.5,
            first + number as f32 * em * 1.5,
        );
        sheet.write(line, at, em, colors.ink.weak, rect);
    }
}

//! Draws a graph on a sheet: frames, lines, boxes, and over them what is meant.

use glam::Vec2;

use super::geometry::Geometry;
use super::labels::Placed;
use super::laid::{DETAIL, FRAME, LABEL, Laid, MIDDLE, SIDE, SIGN, THICKEST, TITLE};
use super::marks::Marked;
use super::model::{GraphBox, Of, Sign, Tint};
use super::sight::Sight;
use callscape_facts::hierarchy::Hierarchy;
use callscape_layout::curves::Pen;
use callscape_layout::geometry::Color;
use callscape_layout::hues::{Hues, oklch};
use callscape_layout::labels::text::{shorten, width};
use callscape_layout::sheet::{Rect, Sheet};
use callscape_look::ink::{Ink, diverging};
use callscape_look::theme::Palette;
use callscape_model::theme::Theme;

/// Letters smaller than this many points are not drawn.
const READABLE: f32 = 6.5;

/// Names of boxes are no smaller than this, in points, as far as there is room for them.
const LEAST: f32 = 11.0;

/// Colours of graphs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Colors {
    pub ink: Ink,
    pub theme: Theme,
    pub paper: Color,
    /// Of lines, at the caller and at the callee.
    pub ends: [Color; 2],
    /// On the call stack.
    pub running: Color,
    /// Pointed at.
    pub pointed: Color,
}

impl Colors {
    pub(crate) fn of(theme: Theme) -> Colors {
        let palette = Palette::of(theme);
        let opaque = |[r, g, b]: [f32; 3]| [r, g, b, 1.0];
        let ink = Ink::of(theme);
        Colors {
            paper: opaque(palette.plate),
            ends: [opaque(palette.caller), opaque(palette.callee)],
            running: opaque(palette.hot),
            pointed: match theme {
                Theme::Light => oklch(0.52, 0.10, 225.0),
                Theme::Dark => oklch(0.80, 0.09, 215.0),
            },
            ink,
            theme,
        }
    }

    /// The ground of a frame that lies in so many others.
    fn frame(&self, depth: u32) -> Color {
        let step = depth.min(4) as f32 * 0.018;
        match self.theme {
            Theme::Light => oklch(0.945 - step, 0.006, 255.0),
            Theme::Dark => oklch(0.265 + step * 1.3, 0.012, 260.0),
        }
    }

    fn border(&self) -> Color {
        let [r, g, b, _] = self.ink.text;
        match self.theme {
            Theme::Light => [r, g, b, 0.22],
            Theme::Dark => [r, g, b, 0.16],
        }
    }
}

/// What is drawn, and how.
pub(crate) struct Painting<'a> {
    pub laid: &'a Laid,
    pub geometry: &'a Geometry,
    /// Labels, where nothing moves.
    pub labels: &'a [Placed],
    pub hierarchy: &'a Hierarchy,
    pub hues: &'a Hues,
    pub sight: Sight,
    /// Pixels of one point.
    pub scale: f32,
    pub clip: Rect,
    pub tint: Tint,
    pub colors: Colors,
    /// Whether routes are those of the layout.
    pub is_still: bool,
}

fn faded([r, g, b, a]: Color, by: f32) -> Color {
    [r, g, b, a * by]
}

impl Painting<'_> {
    /// Points of the graph as pixels of the sheet.
    fn at(&self, of: Vec2) -> Vec2 {
        self.sight.place(of) * self.scale
    }

    fn rect(&self, of: Rect) -> Rect {
        Rect::new(self.at(of.min), self.at(of.max))
    }

    /// Pixels of a length in the graph.
    fn long(&self, points: f32) -> f32 {
        points * self.sight.zoom * self.scale
    }

    fn is_seen(&self, rect: Rect) -> bool {
        rect.max.cmpge(self.clip.min).all() && rect.min.cmple(self.clip.max).all()
    }

    /// Frames, lines and boxes, with all letters.
    pub(crate) fn graph(&self, pen: &mut Pen, sheet: &mut Sheet) {
        self.frames(pen, sheet);
        for line in 0..self.laid.graph.lines.len() as u32 {
            // What is little stays in the background.
            let share = (self.laid.widths[line as usize] - 1.0) / (THICKEST - 1.0);
            let seen = 0.5 + 0.45 * share.sqrt();
            let colors = self.line_colors(line).map(|it| faded(it, seen));
            self.line(pen, sheet, line, 0.0, colors);
        }
        self.boxes(pen, sheet);
        self.labels(pen, sheet);
    }

    fn frames(&self, pen: &mut Pen, sheet: &mut Sheet) {
        let mut depths = vec![0_u32; self.laid.graph.frames.len()];
        let width = self.scale.max(1.0);
        for (number, (frame, &(rect, seen))) in (self.laid.graph.frames.iter())
            .zip(&self.geometry.frames)
            .enumerate()
        {
            let depth = frame.parent.map_or(0, |it| depths[it as usize] + 1);
            depths[number] = depth;
            let rect = self.rect(rect);
            if !self.is_seen(rect) {
                continue;
            }
            let radius = self.long(7.0);
            pen.fill_box(
                &mut sheet.mesh,
                rect,
                radius,
                faded(self.colors.frame(depth), seen),
            );
            pen.outline_box(
                &mut sheet.mesh,
                rect,
                radius,
                width,
                faded(self.colors.border(), seen),
            );
            let em = self.least(self.letters(FRAME));
            let left = rect.min.x + self.long(9.0);
            let middle = rect.min.y + self.long(10.5).max(0.7 * em);
            let mut right = rect.max.x - self.long(6.0);
            if frame.folds && self.is_readable(em) {
                self.sign(
                    pen,
                    sheet,
                    Vec2::new(right - self.long(6.0), middle),
                    Sign::Less,
                );
                right -= self.long(SIGN);
            }
            self.write(
                sheet,
                &frame.title,
                [left, right],
                middle,
                em,
                self.colors.ink.text,
            );
        }
    }

    /// A plus or a minus.
    fn sign(&self, pen: &mut Pen, sheet: &mut Sheet, middle: Vec2, sign: Sign) {
        let long = self.long(3.8);
        let width = self.long(1.4).max(1.0);
        let color = [faded(self.colors.ink.text, 0.7); 2];
        let across = Vec2::new(long, 0.0);
        pen.line(
            &mut sheet.mesh,
            &[middle - across, middle + across],
            width,
            color,
        );
        if sign == Sign::More {
            let down = Vec2::new(0.0, long);
            pen.line(
                &mut sheet.mesh,
                &[middle - down, middle + down],
                width,
                color,
            );
        }
    }

    /// The colours of a line at its caller and its callee.
    pub(crate) fn line_colors(&self, line: u32) -> [Color; 2] {
        let line = &self.laid.graph.lines[line as usize];
        let by = self.laid.graph.by;
        match (self.tint, line.sum.change) {
            (Tint::Difference, Some(change)) => {
                let measure = by.measure();
                let most = self.laid.graph.most().max(1e-9);
                let share = (change.delta(measure) / most) as f32;
                // Equal factors look alike, as small differences are seen too.
                let [r, g, b] = diverging(self.colors.theme, share.signum() * share.abs().sqrt());
                let color = match share == 0.0 {
                    true => self.colors.ink.weak,
                    false => [r, g, b, 1.0],
                };
                [color; 2]
            }
            _ => self.colors.ends,
        }
    }

    /// A line with its arrow head, `more` points wider than it is.
    pub(crate) fn line(
        &self,
        pen: &mut Pen,
        sheet: &mut Sheet,
        line: u32,
        more: f32,
        colors: [Color; 2],
    ) {
        let Some((points, seen)) = self.geometry.lines.get(line as usize) else {
            return;
        };
        let colors = colors.map(|it| faded(it, *seen));
        let is_curved = self.is_still && !self.laid.graph.is_straight();
        let route = match is_curved {
            true => &self.laid.layout.routes[line as usize],
            false => points,
        };
        let mut route: Vec<Vec2> = route.iter().map(|&it| self.at(it)).collect();
        let [.., before, tip] = route[..] else {
            return;
        };
        let bounds = route.iter().fold(Rect::new(tip, tip), |all, &it| {
            Rect::new(all.min.min(it), all.max.max(it))
        });
        if !self.is_seen(bounds) {
            return;
        }
        let natural = self.laid.widths[line as usize] + more;
        let width = self.long(natural).max(0.35 * self.scale);
        let head = self.long(5.0 + 1.35 * natural).max(2.0 * width);
        let way = (tip - before).normalize_or_zero();
        let way = if way == Vec2::ZERO { Vec2::X } else { way };
        // The line ends in the head, not behind its tip.
        if let Some(last) = route.last_mut() {
            let room = tip.distance(before);
            *last = tip - way * (head * 0.7).min(room * 0.98);
        }
        match is_curved {
            true => pen.route(&mut sheet.mesh, &route, width, colors),
            false => pen.line(&mut sheet.mesh, &route, width, colors),
        }
        pen.head(&mut sheet.mesh, tip, way, head, colors[1]);
    }

    fn boxes(&self, pen: &mut Pen, sheet: &mut Sheet) {
        for (of, &(rect, seen)) in self.laid.graph.boxes.iter().zip(&self.geometry.boxes) {
            let rect = self.rect(rect);
            if !self.is_seen(rect) {
                continue;
            }
            let ink = &self.colors.ink;
            let (fill, text) = match of.of {
                Of::More(_) => (ink.heading, ink.text),
                Of::Module(module) | Of::Itself(module) | Of::Function(_, module) => (
                    self.hues.color(self.hierarchy, module, &ink.tones),
                    ink.on_module,
                ),
            };
            let radius = self.long(if of.of.function().is_some() {
                11.0
            } else {
                5.0
            });
            pen.fill_box(&mut sheet.mesh, rect, radius, faded(fill, seen));
            let border = faded(self.colors.border(), seen);
            pen.outline_box(&mut sheet.mesh, rect, radius, self.scale.max(1.0), border);
            if of.is_middle {
                let width = self.long(2.0);
                pen.outline_box(
                    &mut sheet.mesh,
                    rect,
                    radius,
                    width,
                    faded(ink.text, 0.8 * seen),
                );
            }
            self.name(pen, sheet, of, rect, faded(text, seen));
        }
    }

    /// The name of a box with its second line and its sign.
    fn name(&self, pen: &mut Pen, sheet: &mut Sheet, of: &GraphBox, rect: Rect, color: Color) {
        let natural = self.letters(if of.is_middle { MIDDLE } else { TITLE });
        let least = (LEAST * self.scale).min(rect.size().y * 0.72);
        let em = natural.max(least);
        // Enlarged letters need the margins too.
        let side = self.long(SIDE) * (natural / em).powi(3);
        let left = rect.min.x + side;
        let mut right = rect.max.x - side * 0.8;
        let middle = (rect.min.y + rect.max.y) * 0.5;
        let is_small = em > natural * 1.05;
        if let Some(sign) = of.sign.filter(|_| !is_small) {
            self.sign(pen, sheet, Vec2::new(right - self.long(5.0), middle), sign);
            right -= self.long(SIGN);
        }
        // A number is smaller, or not there, before it is cut.
        let fits = 0.99 * (right - left) / width(&of.detail).max(0.1);
        let detail = self.least(self.letters(DETAIL)).min(fits);
        let is_low = rect.size().y < 1.1 * (em + detail);
        if of.detail.is_empty() || is_low || detail < LEAST * self.scale {
            self.write(sheet, &of.title, [left, right], middle, em, color);
            return;
        }
        let apart = self.long(7.5).max(0.3 * (em + detail));
        self.write(sheet, &of.title, [left, right], middle - apart, em, color);
        let faint = faded(color, 0.9);
        self.write(
            sheet,
            &of.detail,
            [left, right],
            middle + apart,
            detail,
            faint,
        );
    }

    /// Letters of this natural size, in pixels.
    fn letters(&self, em: f32) -> f32 {
        self.long(em * self.laid.grow)
    }

    /// Letters of this size, or the smallest that can be read well.
    fn least(&self, em: f32) -> f32 {
        em.max(LEAST * self.scale)
    }

    fn is_readable(&self, em: f32) -> bool {
        em >= READABLE * self.scale
    }

    fn labels(&self, pen: &mut Pen, sheet: &mut Sheet) {
        let natural = self.letters(LABEL);
        if !self.is_readable(natural) {
            return;
        }
        let em = self.least(natural);
        let more = em / natural - 1.0;
        for placed in self.labels {
            let rect = self.rect(placed.rect);
            let by = rect.size() * 0.5 * more;
            let rect = Rect::new(rect.min - by, rect.max + by);
            if !self.is_seen(rect) {
                continue;
            }
            // Lines that run behind it would make it hard to read.
            pen.fill_box(
                &mut sheet.mesh,
                rect,
                self.long(2.0),
                faded(self.colors.paper, 0.72),
            );
            let line = &self.laid.graph.lines[placed.line as usize];
            let middle = (rect.min.y + rect.max.y) * 0.5;
            let ends = [rect.min.x + self.long(1.0), rect.max.x + em];
            self.write(sheet, &line.label, ends, middle, em, self.colors.ink.text);
        }
    }

    /// Lines at what is meant, clearer than others.
    pub(crate) fn beside(&self, pen: &mut Pen, sheet: &mut Sheet, marked: &Marked, more: f32) {
        for &line in &marked.beside {
            self.line(pen, sheet, line, more, self.line_colors(line));
        }
    }

    /// A bar along the lower edge of boxes.
    pub(crate) fn underline(&self, pen: &mut Pen, sheet: &mut Sheet, boxes: &[u32]) {
        for &place in boxes {
            let Some(&(rect, _)) = self.geometry.boxes.get(place as usize) else {
                continue;
            };
            let side = (rect.size().x * 0.5).min(12.0);
            let bar = Rect::new(
                Vec2::new(rect.min.x + side, rect.max.y - 5.0),
                Vec2::new(rect.max.x - side, rect.max.y - 2.0),
            );
            let round = self.long(1.5);
            pen.fill_box(&mut sheet.mesh, self.rect(bar), round, self.colors.ink.text);
        }
    }

    /// What is meant, over everything: lines and outlines.
    pub(crate) fn marks(&self, pen: &mut Pen, sheet: &mut Sheet, marked: &Marked, color: Color) {
        for &line in &marked.lines {
            self.line(pen, sheet, line, 1.6, [color; 2]);
        }
        let width = self.long(2.2).max(1.5 * self.scale);
        for &place in &marked.boxes {
            let Some(&(rect, _)) = self.geometry.boxes.get(place as usize) else {
                continue;
            };
            let round = self.laid.graph.boxes[place as usize]
                .of
                .function()
                .is_some();
            let around = Rect::new(rect.min - 2.0, rect.max + 2.0);
            let radius = self.long(if round { 13.0 } else { 7.0 });
            pen.outline_box(&mut sheet.mesh, self.rect(around), radius, width, color);
        }
        for &place in &marked.frames {
            if let Some(&(rect, _)) = self.geometry.frames.get(place as usize) {
                pen.outline_box(
                    &mut sheet.mesh,
                    self.rect(rect),
                    self.long(7.0),
                    width,
                    color,
                );
            }
        }
    }

    /// Writes a text between two places of a line, shortened where it has to be.
    fn write(
        &self,
        sheet: &mut Sheet,
        text: &str,
        [left, right]: [f32; 2],
        middle: f32,
        em: f32,
        color: Color,
    ) {
        if !self.is_readable(em) || right <= left {
            return;
        }
        let mut short = String::new();
        if shorten(text, (right - left) / em, &mut short) {
            sheet.write(&short, Vec2::new(left, middle), em, color, self.clip);
        }
    }
}

//! How the fan is painted: lines from callers to what they call, discs over them, names where there is room.

use std::borrow::Cow;
use std::collections::HashMap;

use egui::epaint::TextShape;
use egui::{Align2, Color32, FontId, Painter, Pos2, Rect, Stroke, pos2, vec2};
use glam::Vec2;

use super::compacted::Compacted;
use super::discs::Disc;
use super::view::{Colour, Fan};
use crate::parts::context_chart::choice::Tint;
use crate::parts::context_chart::colors::Colors;
use crate::parts::{rows, style, text, widgets};
use callscape_base::escape;
use callscape_layout::hues::{Tones, oklch};
use callscape_model::theme::Theme;
use callscape_state::document::Document;

/// Names are written at discs of at least this radius, in points, and not more than so many.
const NAMED: f32 = 4.0;
const MOST_NAMES: usize = 160;

/// The size of names, and how many of their letters are written.
const LETTERS: f32 = 11.5;
const MOST_LETTERS: usize = 60;

/// A disc is drawn from this radius on, in points of half a pixel.
const LEAST: f32 = 0.5;

/// A ring so far inside of a disc, in points, says that something is known of it from elsewhere. Smaller discs have none.
const RING_INSIDE: f32 = 2.5;
const LEAST_WITH_RING: f32 = 5.0;

/// Smaller discs have no triangle.
const LEAST_WITH_MARK: f32 = 12.0;

/// From units of the layout to points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    pub middle: Pos2,
    /// What lies there.
    pub at: Vec2,
    /// Of distances, both ways, and of discs.
    pub points: egui::Vec2,
    pub radius: f32,
}

impl Scale {
    pub(super) fn place(self, at: Vec2) -> Pos2 {
        let by = at - self.at;
        self.middle + vec2(by.x, by.y) * self.points
    }
}

/// The colours of discs.
pub(super) fn colors<'a>(
    view: &'a Fan,
    of: &Compacted,
    document: &'a Document,
    theme: Theme,
) -> Colors<'a> {
    Colors {
        tint: match view.colour(of) {
            Colour::Difference => Tint::Difference,
            Colour::Package | Colour::Module => Tint::Module,
        },
        theme,
        tones: match theme {
            Theme::Light => Tones::LIGHT,
            // Discs have more ground around them than blocks.
            Theme::Dark => Tones {
                lightness: 0.55,
                chroma: 0.075,
                ..Tones::DARK
            },
        },
        hues: &view.hues,
        hierarchy: &document.session.hierarchy,
        most: view.differences.most(),
        of: (view.colour(of) == Colour::Package)
            .then(|| ["colour: package".to_owned(), String::new()]),
    }
}

/// The colour of a disc: by how much it differs in two runs, or that of its package or module, so that what is close in the
/// structure has a similar hue.
fn color(view: &Fan, of: &Compacted, disc: &Disc, colors: &Colors<'_>, on: &Document) -> Color32 {
    let name = of.compaction.name(disc.node);
    if view.colour(of) == Colour::Package {
        let Tones {
            lightness,
            chroma,
            deepest,
        } = colors.tones;
        // What is further inside is lighter.
        let depth = (f32::from(of.names.length(name).saturating_sub(1)) / 6.0).min(1.0);
        let color = oklch(lightness + deepest * depth, chroma, of.hues[name.index()]);
        return style::opaque(color);
    }
    let mut module = of.names.module(name);
    if view.hues.district_of(module).is_none() {
        // What is around districts has the hue of the one that it is first in.
        let inside = on.module_of(of.shown.contexts.function(disc.first));
        let district = inside.and_then(|it| view.hues.district_of(it));
        module = district.unwrap_or(module);
    }
    colors.of(view.differences.of(of, disc, on), Some(module))
}

/// Paints what is in sight; how many discs are too small to be seen.
pub(super) fn paint(
    view: &Fan,
    of: &Compacted,
    document: &Document,
    painter: &Painter,
    scale: Scale,
    inks: &Colors<'_>,
) -> usize {
    let colors = style::colors(inks.theme);
    let clip = painter.clip_rect();
    let discs = &view.discs;
    let now: Vec<(Pos2, f32)> = discs
        .all
        .iter()
        .map(|it| {
            let (at, radius) = discs.now(it);
            (scale.place(at), radius * scale.radius)
        })
        .collect();
    let least = LEAST / painter.pixels_per_point();
    let heaviest = discs.all.iter().map(|it| it.weight).max().unwrap_or(1) as f32;
    let hover = painter.ctx().input(|input| input.pointer.hover_pos());
    let mut unseen = 0;
    for (disc, &(at, radius)) in discs.all.iter().zip(&now) {
        if radius < least {
            continue;
        }
        if let Some(&(around, _)) = disc.parent.and_then(|it| now.get(it as usize))
            && clip.intersects(Rect::from_two_pos(at, around))
        {
            let width = 0.8 + 5.0 * (disc.weight as f32 / heaviest).sqrt();
            let stroke = Stroke::new(width, colors.line);
            painter.line_segment([around, at], stroke);
        }
    }
    for leaving in &discs.leaving {
        let Some(((at, radius), into)) = discs
            .leaving_now(leaving)
            .zip(discs.all.get(leaving.into as usize))
        else {
            continue;
        };
        let color = color(view, of, into, inks, document);
        painter.circle_filled(scale.place(at), radius * scale.radius, color);
    }
    for (disc, &(at, radius)) in discs.all.iter().zip(&now) {
        if radius < least {
            unseen += 1;
            continue;
        }
        if !clip.expand(radius).contains(at) {
            continue;
        }
        let color = color(view, of, disc, inks, document);
        painter.circle_filled(at, radius, color);
        if let Some(mark) = mark_of(disc, (at, radius)) {
            let is_pointed = hover.is_some_and(|it| it.distance(at) <= radius);
            if disc.hidden > 0 || is_pointed {
                widgets::triangle(painter, mark, disc.hidden == 0, style::ink_on(color));
            }
        }
        if disc.hidden > 0 {
            let around = Stroke::new(1.0, colors.text);
            painter.circle_stroke(at, radius + 3.0, around);
        }
        if disc.has_findings && radius >= LEAST_WITH_RING {
            let ring = Stroke::new(1.6, style::ink_on(color));
            painter.circle_stroke(at, radius - RING_INSIDE, ring);
        }
    }
    let marks = [(colors.text, 1.0), (colors.accent, 2.0)];
    for (number, (color, width)) in marks.into_iter().enumerate() {
        for (disc, &(at, radius)) in discs.all.iter().zip(&now) {
            if disc.is_marked[number] && clip.expand(radius + 4.0).contains(at) {
                painter.circle_stroke(at, radius.max(1.0) + 2.0, Stroke::new(width, color));
            }
        }
    }
    write_names(view, of, document, painter, &now, inks);
    unseen
}

/// Where the triangle of a disc is that collapses its branch; none of those without callees, and of those too small for it.
pub(super) fn mark_of(disc: &Disc, (at, radius): (Pos2, f32)) -> Option<Pos2> {
    (disc.has_callees && radius >= LEAST_WITH_MARK).then(|| at + vec2(0.0, radius * 0.6))
}

/// Writes names, those of the largest discs first; one that would cover another, or a disc that is no part of it, is not.
fn write_names(
    view: &Fan,
    of: &Compacted,
    document: &Document,
    painter: &Painter,
    now: &[(Pos2, f32)],
    inks: &Colors<'_>,
) {
    let colors = style::colors(inks.theme);
    let clip = painter.clip_rect();
    let is_named = |it: &usize| now[*it].1 >= NAMED && clip.contains(now[*it].0);
    let mut largest: Vec<usize> = (0..now.len()).filter(is_named).collect();
    largest.sort_by(|x, y| now[*y].1.total_cmp(&now[*x].1).then(x.cmp(y)));
    largest.truncate(MOST_NAMES);
    let around: Vec<Rect> = largest
        .iter()
        .map(|&it| Rect::from_center_size(now[it].0, egui::Vec2::splat(now[it].1 * 1.9)))
        .collect();
    let names = names_of(view, of, document, &largest);
    let mut taken: Vec<Rect> = Vec::new();
    for (place, &number) in largest.iter().enumerate() {
        let (at, radius) = now[number];
        let mut name = rows::shortened(&escape::name(&names[place]), MOST_LETTERS);
        let hidden = view.discs.all[number].hidden;
        if hidden > 0 {
            name += &format!(" + {}", text::count(hidden.into()));
        }
        let font = FontId::proportional(LETTERS);
        let galley = painter.layout_no_wrap(name, font, colors.text);
        let size = galley.size();
        let below = pos2(at.x, at.y + radius + 1.0);
        let above = pos2(at.x, at.y - radius - 1.0);
        let beside = pos2(at.x + radius + 3.0, at.y);
        let before = pos2(at.x - radius - 3.0, at.y);
        let within = (size.x < 1.8 * radius).then(|| Align2::CENTER_CENTER.anchor_size(at, size));
        let places = within.into_iter().chain([
            Align2::LEFT_CENTER.anchor_size(beside, size),
            Align2::RIGHT_CENTER.anchor_size(before, size),
            Align2::CENTER_TOP.anchor_size(below, size),
            Align2::CENTER_BOTTOM.anchor_size(above, size),
        ]);
        let is_free = |rect: &Rect| {
            let is_covered = taken.iter().any(|it| it.intersects(*rect));
            let covers = |(other, it): (usize, &Rect)| other != place && it.intersects(*rect);
            !is_covered && clip.contains_rect(*rect) && !around.iter().enumerate().any(covers)
        };
        if let Some(rect) = places.into_iter().find(is_free) {
            taken.push(rect);
            let is_within = within == Some(rect);
            let letters = match is_within {
                true => {
                    let disc = &view.discs.all[number];
                    style::ink_on(color(view, of, disc, inks, document))
                }
                false => colors.text,
            };
            painter
                .add(TextShape::new(rect.min, galley, letters).with_override_text_color(letters));
        }
    }
}

/// The names of some discs. A module that several stand for says nothing: these have the name of the function that is
/// entered in them and costs most, too.
fn names_of<'a>(
    view: &Fan,
    of: &'a Compacted,
    document: &'a Document,
    discs: &[usize],
) -> Vec<Cow<'a, str>> {
    let own = discs.iter().map(|&it| {
        let name = of.compaction.name(view.discs.all[it].node);
        last_element(of, document, name)
    });
    let own: Vec<&str> = own.collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for name in &own {
        *counts.entry(name).or_default() += 1;
    }
    let name = |(&disc, &own): (&usize, &&'a str)| {
        // The context that costs most says most.
        let contexts = of.compaction.highest(view.discs.all[disc].node);
        let most = contexts.max_by_key(|&it| (of.shown.total(it), std::cmp::Reverse(it)));
        let context = most.unwrap_or(view.discs.all[disc].first);
        let function = of.shown.contexts.function(context);
        let inner = document.function_name(function);
        match counts[own] > 1 && inner != own {
            true => Cow::Owned(format!("{own}: {inner}")),
            false => Cow::Borrowed(own),
        }
    };
    discs.iter().zip(&own).map(name).collect()
}

/// The last element of a name.
fn last_element<'a>(
    of: &'a Compacted,
    document: &'a Document,
    name: callscape_analysis::compaction::Name,
) -> &'a str {
    match of.names.function(name) {
        Some(function) => document.function_name(function),
        None => of.names.text(&document.session.hierarchy, name),
    }
}

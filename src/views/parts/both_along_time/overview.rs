//! Which functions of a run are active when, a row each, the same rows in the same order for both runs.

use std::cmp::Reverse;

use glam::Vec2;

use super::half::{On, sign};
use super::places::LETTERS;
use super::spot::Spot;
use crate::parts::shading::Shader;
use callscape_analysis::session::Resolved;
use callscape_base::units::ModuleId;
use callscape_facts::trace::{Coverage, Without};
use callscape_filter::selection::CallOf;
use callscape_layout::hues::encoded;
use callscape_layout::labels::text;
use callscape_layout::sheet::{Raster, Rect, Sheet};
use callscape_model::difference::Which;

/// Heights of a row in points.
const HIGHEST: f32 = 22.0;
const LOWEST: f32 = 9.0;

/// Stands for no row.
const NO_ROW: u32 = u32::MAX;

/// The modules of functions that have a row, at most `most`: those that differ most and then those that cost most, in
/// order of the hierarchy.
fn rows(on: &On<'_>, most: usize) -> Vec<ModuleId> {
    let difference = on.pair.difference;
    let recordings = on.pair.places.iter();
    let recordings = recordings.filter_map(|&place| on.session.recordings.get(place));
    let mut modules: Vec<ModuleId> = recordings
        .flat_map(|it| it.resolution.modules.iter().copied())
        .collect();
    modules.sort_unstable();
    modules.dedup();
    if modules.len() > most {
        let [a, b, delta] =
            [Which::A, Which::B, Which::Difference].map(|which| difference.values(which));
        let of = |values: &[f64], module: &ModuleId| {
            let value = values.get(module.index()).copied().unwrap_or(0.0);
            // Whole nanoseconds and calls; shares are parts of one.
            Reverse((value * 1e6) as u64)
        };
        modules.sort_by_key(|module| {
            let most = of(&a, module).min(of(&b, module));
            (of(&delta, module), most, *module)
        });
        modules.truncate(most);
        modules.sort_unstable();
    }
    modules
}

pub(super) fn draw(on: &On<'_>, sheet: &mut Sheet, spots: &mut Vec<Spot>) {
    let Some(resolved) = on.session.recordings.get(on.pair.places[on.side]) else {
        return;
    };
    let (em, plot) = (on.places.em, on.plot);
    let scale = em / LETTERS;
    let most = (plot.size().y / (LOWEST * scale)).max(1.0) as usize;
    let rows = rows(on, most);
    if rows.is_empty() {
        let at = Vec2::new(plot.min.x + em, plot.min.y + em * 1.5);
        return sheet.write("No calls to show", at, em, on.ink.weak, plot);
    }
    let row = (plot.size().y / rows.len() as f32).min(HIGHEST * scale);
    let (columns, edges) = on.axis.columns();
    let pixels = pixels(on, resolved, &rows, columns.count() as usize);
    let bottom = plot.min.y + row * rows.len() as f32;
    sheet.rasters.push(Raster {
        rect: Rect::new(Vec2::new(edges[0], plot.min.y), Vec2::new(edges[1], bottom)),
        size: [columns.count(), rows.len() as u32],
        pixels,
    });
    names(on, sheet, spots, &rows, row);
}

/// The colour of a row: how much the module differs, strong enough to be seen where it does at all.
fn color_of(on: &On<'_>, module: ModuleId) -> [u8; 3] {
    let strength = on.pair.difference.strength(module);
    let color = match strength {
        0.0 => on.ink.weak,
        _ => on.tones.of(strength.signum() * strength.abs().max(0.5)),
    };
    let [r, g, b, _] = encoded(color);
    [r, g, b]
}

/// The picture of the rows, `count` pixels wide and a pixel a row: how much of its time each is active.
fn pixels(on: &On<'_>, resolved: &Resolved, rows: &[ModuleId], count: usize) -> Vec<[u8; 4]> {
    let row_of: Vec<u32> = resolved
        .resolution
        .modules
        .iter()
        .map(|module| rows.binary_search(module).map_or(NO_ROW, |it| it as u32))
        .collect();
    let colors: Vec<[u8; 3]> = rows.iter().map(|&module| color_of(on, module)).collect();
    let mut pixels = vec![[0u8; 4]; count * rows.len()];
    let mut coverage: Vec<Coverage> = Vec::new();
    let mut shader = Shader::default();
    let mut part = Vec::new();
    let rules = &on.rules[on.side];
    let without = Without {
        hides: &|thread| rules.hides(thread),
        removes: &|function| rules.removes(function),
        cuts_below: &|function, thread, call| rules.cuts_below(function, CallOf { thread, call }),
    };
    for stretch in on.common.stretches(on.axis, on.side) {
        let trace = &resolved.recording.trace;
        let (columns, of) = (stretch.columns, rows.len() as u32);
        match rules.is_empty() {
            true => trace.coverage(columns, &row_of, of, &mut coverage),
            false => trace.coverage_without(columns, &row_of, of, &without, &mut coverage),
        }
        shader.shade(stretch.columns, &coverage, |row| row, &colors, &mut part);
        let width = stretch.columns.count() as usize;
        for (cell, &color) in part.iter().enumerate() {
            let line = cell / width.max(1) * count;
            let of = stretch.pixels((cell % width.max(1)) as u32);
            let into = pixels.get_mut(line + of.start..line + of.end);
            into.unwrap_or_default().fill(color);
        }
    }
    pixels
}

/// The names of the rows, which are `row` pixels high, and where they can be pointed at.
fn names(on: &On<'_>, sheet: &mut Sheet, spots: &mut Vec<Spot>, rows: &[ModuleId], row: f32) {
    let (em, plot, difference) = (on.places.em, on.plot, on.pair.difference);
    let letters = (row * 0.8).min(em);
    let mut label = String::new();
    let mut short = String::new();
    for (place, &module) in rows.iter().enumerate() {
        let y = plot.min.y + row * place as f32;
        let rect = Rect::new(Vec2::new(0.0, y), Vec2::new(plot.max.x, y + row));
        spots.push(Spot {
            rect,
            side: on.side,
            module,
            function: None,
            call: None,
        });
        label.clear();
        label.push_str(sign(difference.mark(module)));
        label.push_str(on.session.module_name(module));
        let room = (plot.min.x - letters) / letters;
        if text::shorten(&label, room, &mut short) {
            let at = Vec2::new(letters * 0.4, y + row * 0.5);
            let clip = Rect::new(Vec2::new(0.0, y), Vec2::new(plot.min.x, y + row));
            let color = match difference.strength(module) {
                0.0 => on.ink.weak,
                _ => on.ink.text,
            };
            sheet.write(&short, at, letters, color, clip);
        }
    }
}

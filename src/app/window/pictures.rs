//! Brings the pictures of the landscape and of the sheets up to date.

use glam::Vec2;

use super::View;
use crate::app::camera::pose::FreeArea;
use crate::app::document::Document;
use crate::app::graphics::{Graphics, Target};
use crate::app::panels::Place;
use crate::app::sheets::DrawnWith;
use crate::app::workbench::{Viewport, Workbench};
use crate::filter::selection::Pointed;
use crate::render::renderer::{Frame, Quality};
use crate::units::ModuleId;
use crate::views::Scope;
use crate::views::table::ViewId;

/// Letters on the screen are so many points high.
const LETTERS: f32 = 13.0;
/// Names of search results shown over the landscape.
const MAX_NAMES_FOUND: usize = 12;

/// Brings the renderer up to date, and gives the frame to draw; none when the picture would be the same,
/// or only better and it may not settle now.
pub(super) fn landscape_frame(
    bench: &mut Workbench,
    view: &mut View,
    target: Target,
    may_settle: bool,
    quality: Quality,
) -> Option<Frame> {
    let mut frame = Frame {
        camera: bench.camera.camera(),
        size: target.size,
        theme: bench.settings.theme,
        hovered: [None; 2],
        selected: [None; 2],
        quality,
    };
    let Graphics { gpu, renderer, .. } = &mut view.graphics;
    let shown = target.size[0] as f32 / bench.viewport.size.x.max(1.0);
    renderer.set_scale(view.window.scale_factor() as f32 * shown);
    let Some(document) = &mut bench.document else {
        return (target.is_new || view.drawn != Some(frame)).then_some(frame);
    };
    let mut is_stale = target.is_new | std::mem::take(&mut bench.names_are_new);
    if std::mem::take(&mut bench.blocks_are_new) {
        renderer.set_blocks(gpu, document.landscape.blocks());
        renderer.set_looks(0, document.landscape.looks());
        if let Some((starts, _)) = document.landscape.way() {
            renderer.start_from(gpu, starts);
        }
        view.shown = None;
        is_stale = true;
    }
    let share = document.landscape.way().map_or(1.0, |(_, share)| share);
    if renderer.move_on(share) {
        // Arcs go along with the blocks that they join.
        view.shown = None;
        is_stale = true;
    }
    if std::mem::take(&mut bench.looks_are_new) {
        renderer.set_looks(0, document.landscape.looks());
        is_stale = true;
    }
    let moment = document.moment();
    if std::mem::take(&mut bench.left_is_new) {
        view.shown = None;
    }
    if document.landscape.point(&document.selection) {
        view.shown = None;
    }
    if view.shown != Some(moment) {
        view.shown = Some(moment);
        document.landscape.show(&document.session, moment);
        let landscape = &document.landscape;
        for range in landscape.changed_looks() {
            let range = range.start as usize..range.end as usize;
            let looks = landscape.looks().get(range.clone());
            renderer.set_looks(range.start, looks.unwrap_or_default());
        }
        view.marked = None;
        is_stale = true;
    }
    let marks = [&document.selection.pointed, &document.selection.chosen]
        .map(|of| (of.relation, of.thread.filter(|_| of.relation.is_some())));
    if view.marked != Some(marks) {
        view.marked = Some(marks);
        let Document {
            landscape,
            selection,
            ..
        } = &mut *document;
        renderer.set_arcs(gpu, landscape.marked_arcs(selection));
        is_stale = true;
    }
    is_stale |= renderer.focus_arcs(gpu, document.landscape.arc_focus());
    let outlined = |of: &Pointed| {
        let modules = document.meant(of).modules();
        modules.map(|module| document.landscape.displayed(module?))
    };
    frame.hovered = outlined(&document.selection.pointed);
    frame.selected = outlined(&document.selection.chosen);
    if is_stale || view.drawn != Some(frame) {
        let found: &[ModuleId] = if bench.search.is_open {
            let shown = bench.search.results.len().min(MAX_NAMES_FOUND);
            &bench.search.results[..shown]
        } else {
            &[]
        };
        let pixels = Vec2::new(target.size[0] as f32, target.size[1] as f32);
        let scale = pixels.x / bench.viewport.size.x.max(1.0);
        let em = LETTERS * view.window.scale_factor() as f32 * scale;
        let Document {
            landscape,
            session,
            selection,
            ..
        } = document;
        // What is hovered here has a tooltip of its own.
        let mut named = selection.clone();
        if bench.pointer.at.is_some() {
            named.pointed.module = None;
        }
        landscape.label(session, &named, found, &frame.camera, pixels, em);
        renderer.set_labels(gpu, landscape.flat_labels(), landscape.screen_labels());
        return Some(frame);
    }
    (may_settle && !renderer.settled()).then_some(frame)
}

/// Brings the renderers of the sheets that can be seen up to date; those whose picture would be another than
/// before.
pub(super) fn prepare_sheets(
    bench: &mut Workbench,
    view: &mut View,
    pixels_per_point: f32,
) -> Vec<ViewId> {
    let mut changed = Vec::new();
    let theme = bench.settings.theme;
    let Some(document) = &mut bench.document else {
        return changed;
    };
    let recording = document.recording();
    let Some(sheets) = &mut document.sheets else {
        return changed;
    };
    for of in ViewId::ALL {
        let Some(place) = bench
            .dock
            .place(of)
            .filter(|_| sheets.visible(of).is_some())
        else {
            continue;
        };
        let size = place.size() * pixels_per_point;
        let target = view
            .graphics
            .target(of, [size.x.round() as u32, size.y.round() as u32]);
        let scope = Scope {
            session: &document.session,
            recording,
            selection: &document.selection,
            filters: &document.filters,
            theme,
            size: Vec2::new(target.size[0] as f32, target.size[1] as f32),
            scale: pixels_per_point,
        };
        let with = DrawnWith::new(sheets, of, &scope);
        let is_waiting = sheets.is_waiting(&document.session, of);
        let is_same = view.sheets.get(&of) == Some(&with);
        if is_same && !target.is_new && !is_waiting && !view.waited.contains(&of) {
            continue;
        }
        // What was waited for is drawn once more when it is there.
        view.waited.retain(|&waited| waited != of);
        view.waited.extend(is_waiting.then_some(of));
        if let Some(sheet) = sheets.show(of, &scope) {
            view.graphics.prepare_sheet(of, sheet);
            view.sheets.insert(of, with);
            changed.push(of);
        }
    }
    changed
}

/// Where the landscape is drawn, in pixels, and what of it is seen, as normalised device coordinates.
pub(super) fn viewport(landscape: Place, pixels_per_point: f32) -> Viewport {
    let Place { seen, drawn } = landscape;
    let ndc = |at: egui::Pos2| {
        let share = (at - drawn.min) / drawn.size();
        Vec2::new(share.x * 2.0 - 1.0, 1.0 - share.y * 2.0)
    };
    let (min, max) = (ndc(seen.left_bottom()), ndc(seen.right_top()));
    let margin = 0.05;
    let area = FreeArea {
        min: min.clamp(Vec2::NEG_ONE, Vec2::ONE) + margin,
        max: max.clamp(Vec2::NEG_ONE, Vec2::ONE) - margin,
    };
    let pixels = |at: egui::Vec2| (Vec2::new(at.x, at.y) * pixels_per_point).round();
    Viewport {
        origin: pixels(drawn.min.to_vec2()),
        size: pixels(drawn.size()).max(Vec2::ONE),
        scale: pixels_per_point,
        free: if (area.max - area.min).min_element() > 0.2 {
            area
        } else {
            FreeArea::WINDOW
        },
    }
}

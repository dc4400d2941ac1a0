//! Brings the pictures of the landscape and of the sheets up to date.

use glam::Vec2;

use super::{Canvas, Shown, Target};
use crate::app::camera::pose::FreeArea;
use crate::app::document::Document;
use crate::app::pair::Halves;
use crate::app::panels::{Layout, Place};
use crate::app::sheets::DrawnWith;
use crate::app::workbench::{Viewport, Workbench};
use crate::render::renderer::{Frame, Quality};
use crate::state::city::Lettering;
use crate::units::ModuleId;
use crate::views::Scope;
use crate::views::table::ViewId;

/// Letters on the screen are so many points high.
const LETTERS: f32 = 13.0;
/// Names of search results shown over the landscape.
const MAX_NAMES_FOUND: usize = 12;

/// What is to be drawn: a frame of the landscape and of that of a second run, and sheets, where they are others.
#[derive(Clone, Debug, Default)]
pub struct Prepared {
    pub landscapes: [Option<Frame>; 2],
    pub sheets: Vec<ViewId>,
}

impl Prepared {
    /// What is newer takes the place of the same.
    pub fn add(&mut self, newer: Prepared) {
        for (old, new) in self.landscapes.iter_mut().zip(newer.landscapes) {
            *old = new.or(*old);
        }
        for view in newer.sheets {
            if !self.sheets.contains(&view) {
                self.sheets.push(view);
            }
        }
    }

    /// Nothing is new.
    pub fn is_empty(&self) -> bool {
        self.sheets.is_empty() && self.landscapes.iter().all(Option::is_none)
    }
}

/// How well a landscape is drawn.
#[derive(Clone, Copy, Debug)]
pub struct Sharpness {
    pub quality: Quality,
    /// A picture that would only be better is drawn again too.
    pub may_settle: bool,
    /// Names may be chosen over several frames where they are many.
    pub may_spread: bool,
}

/// What is new since the last frame, for every landscape.
#[derive(Clone, Copy, Debug)]
struct News {
    names: bool,
    blocks: bool,
    looks: bool,
    left: bool,
}

impl News {
    fn take(bench: &mut Workbench) -> News {
        News {
            names: std::mem::take(&mut bench.names_are_new),
            blocks: std::mem::take(&mut bench.blocks_are_new),
            looks: std::mem::take(&mut bench.looks_are_new),
            left: std::mem::take(&mut bench.left_is_new),
        }
    }
}

impl Canvas {
    /// Brings all renderers up to date with the workbench, and says what there is to draw on the `targets` of the
    /// landscapes and of the sheets.
    pub fn prepare(
        &mut self,
        bench: &mut Workbench,
        targets: [Option<Target>; 2],
        sharpness: Sharpness,
        pixels_per_point: f32,
    ) -> Prepared {
        let news = News::take(bench);
        let mut landscapes = [None; 2];
        for (which, (frame, target)) in landscapes.iter_mut().zip(targets).enumerate() {
            *frame = target.and_then(|target| {
                self.landscape_frame(bench, target, sharpness, pixels_per_point, (which, news))
            });
        }
        // A view that opens is hardly open in a rough frame: the next one draws it.
        let sheets = if self.is_rough {
            Vec::new()
        } else {
            self.prepare_sheets(bench, pixels_per_point)
        };
        Prepared { landscapes, sheets }
    }

    /// What was prepared has been drawn.
    pub fn note_drawn(&mut self, new: &Prepared) {
        for (drawn, frame) in self.drawn.iter_mut().zip(new.landscapes) {
            drawn.frame = frame.or(drawn.frame);
        }
    }

    /// Brings the renderer of the landscape, or of that of a second run, `which` 1, up to date, and gives the frame
    /// to draw; none when the picture would be the same, or only better and it may not settle now.
    fn landscape_frame(
        &mut self,
        bench: &mut Workbench,
        target: Target,
        sharpness: Sharpness,
        pixels_per_point: f32,
        (which, news): (usize, News),
    ) -> Option<Frame> {
        let mut frame = Frame {
            camera: bench.camera.camera(),
            size: target.size,
            theme: bench.settings.theme,
            hovered: [None; 2],
            selected: [None; 2],
            quality: sharpness.quality,
        };
        let shown = target.size[0] as f32 / bench.viewport.size.x.max(1.0);
        let Canvas {
            gpu,
            renderer,
            second,
            drawn,
            ..
        } = self;
        let drawn = drawn.get_mut(which)?;
        let (cards, corner) = (bench.cards, bench.corner(which));
        let spot = bench.spot();
        let Some(document) = &mut bench.document else {
            return (target.is_new || drawn.frame != Some(frame)).then_some(frame);
        };
        let meant = [&document.selection.pointed, &document.selection.chosen]
            .map(|of| document.meant(of).modules());
        let (moment, moment_beside) = (document.moment(), document.moment_beside());
        let Document {
            landscape,
            beside,
            session,
            selection,
            ..
        } = document;
        let (renderer, landscape, moment) = match which {
            0 => (renderer, landscape, moment),
            _ => (second.as_mut()?, beside.as_mut()?, moment_beside),
        };
        renderer.set_scale(pixels_per_point * shown);
        let is_still = sharpness.may_settle
            && !drawn.names_wait
            && drawn.shown == Some(moment)
            && drawn
                .frame
                .is_some_and(|drawn| drawn.camera == frame.camera);
        let mut is_stale = target.is_new | news.names | renderer.set_spot(spot);
        is_stale |= std::mem::replace(&mut drawn.cards, cards) != cards;
        is_stale |= !std::mem::replace(&mut drawn.was_still, is_still) && is_still;
        if news.blocks || !drawn.has_blocks {
            renderer.set_blocks(gpu, landscape.blocks());
            renderer.set_looks(0, landscape.looks());
            if let Some((starts, _)) = landscape.way() {
                renderer.start_from(gpu, starts);
            }
            drawn.has_blocks = true;
            drawn.shown = None;
            is_stale = true;
        }
        let share = landscape.way().map_or(1.0, |(_, share)| share);
        if renderer.move_on(share) {
            // Arcs go along with the blocks that they join.
            drawn.shown = None;
            is_stale = true;
        }
        if news.looks {
            renderer.set_looks(0, landscape.looks());
            is_stale = true;
        }
        if news.left {
            drawn.shown = None;
        }
        if landscape.point(selection) {
            drawn.shown = None;
        }
        if drawn.shown != Some(moment) {
            drawn.shown = Some(moment);
            landscape.show(session, moment);
            renderer.set_changed_looks(landscape.looks(), landscape.changed_looks());
            drawn.marked = None;
            is_stale = true;
        }
        let is_fading = landscape.is_fading();
        if is_fading || drawn.was_fading {
            renderer.set_looks(0, landscape.looks_now());
            is_stale = true;
        }
        drawn.was_fading = is_fading;
        let marks = [&selection.pointed, &selection.chosen]
            .map(|of| (of.relation, of.thread.filter(|_| of.relation.is_some())));
        if drawn.marked != Some(marks) {
            drawn.marked = Some(marks);
            renderer.set_arcs(gpu, landscape.marked_arcs(selection));
            is_stale = true;
        }
        is_stale |= drawn.names_wait | renderer.focus_arcs(landscape.arc_focus());
        let outlined = meant.map(|modules| modules.map(|module| landscape.displayed(module?)));
        [frame.hovered, frame.selected] = outlined;
        if is_stale || drawn.frame != Some(frame) {
            let found: &[ModuleId] = if bench.search.is_open {
                let shown = bench.search.results.len().min(MAX_NAMES_FOUND);
                &bench.search.results[..shown]
            } else {
                &[]
            };
            let pixels = Vec2::new(target.size[0] as f32, target.size[1] as f32);
            let scale = pixels.x / bench.viewport.size.x.max(1.0);
            let em = LETTERS * pixels_per_point * scale;
            // What is hovered here has a tooltip of its own.
            let mut named = selection.clone();
            if bench.pointer.at.is_some() {
                named.pointed.module = None;
            }
            let mut free = bench.viewport.free;
            if which == 1 {
                // The panels above and below are the same; what lies west and east is another.
                (free.min.x, free.max.x) = (FreeArea::WINDOW.min.x, FreeArea::WINDOW.max.x);
            }
            let size = pixels;
            let covered = cards.seen_from(corner, shown);
            let lettering = Lettering {
                size,
                free,
                covered,
                em,
                scale: pixels_per_point * scale,
                is_still,
                is_single: false,
            };
            landscape.spread_names(sharpness.may_spread);
            landscape.label(session, &named, found, &frame.camera, &lettering);
            drawn.names_wait = !landscape.names_are_settled();
            renderer.set_labels(gpu, landscape.flat_labels(), landscape.screen_labels());
            return Some(frame);
        }
        (sharpness.may_settle && !renderer.settled()).then_some(frame)
    }

    /// Brings the renderers of the sheets that can be seen up to date; those whose picture would be another than
    /// before.
    fn prepare_sheets(&mut self, bench: &mut Workbench, pixels_per_point: f32) -> Vec<ViewId> {
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
            let target = self.target(
                Shown::View(of),
                [size.x.round() as u32, size.y.round() as u32],
            );
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
            let is_waiting = sheets.is_waiting(of);
            let is_same = self.drawn_with.get(&of) == Some(&with);
            if is_same && !target.is_new && !is_waiting && !self.waited.contains(&of) {
                continue;
            }
            // What was waited for is drawn once more when it is there.
            self.waited.retain(|&waited| waited != of);
            self.waited.extend(is_waiting.then_some(of));
            if let Some(sheet) = sheets.show(of, &scope) {
                self.prepare_sheet(of, sheet);
                self.drawn_with.insert(of, with);
                changed.push(of);
            }
        }
        changed
    }
}

/// Where both landscapes are, in physical pixels; none where there is one.
pub fn halves(layout: &Layout, pixels_per_point: f32) -> Option<Halves> {
    let split = layout.split.as_ref()?;
    let corner = |rect: egui::Rect| {
        let at = rect.min.to_vec2() * pixels_per_point;
        Vec2::new(at.x, at.y).round()
    };
    Some(Halves {
        origins: split.places.map(corner),
        split: split.at * pixels_per_point,
        pointed: 0,
    })
}

/// Where the landscape is drawn, in pixels, and what of it is seen, as normalised device coordinates.
pub fn viewport(landscape: Place, pixels_per_point: f32) -> Viewport {
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

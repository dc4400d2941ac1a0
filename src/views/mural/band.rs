//! The band of stretches above the temporal overview.

use std::sync::Arc;

use glam::Vec2;

use super::super::Scope;
use super::kept::MuralView;
use super::places::Places;
use crate::parts::time_band::TimeBand;
use callscape_base::units::{ModuleId, TimeRange};
use callscape_layout::axis::TimeAxis;
use callscape_layout::hues::Hues;
use callscape_layout::sheet::{Rect, Sheet};
use callscape_look::ink::Ink;
use callscape_model::band::Band;
use callscape_state::State;
use callscape_state::panes::ViewId;

impl MuralView {
    /// Shows stretches of time above all, or none; whether that is something else than before.
    pub fn set_band(&mut self, band: Option<&Arc<Band>>) -> bool {
        self.band.take(band)
    }

    /// Takes what the view beside `own` shows; whether that is something else than before.
    pub(crate) fn take_beside(&mut self, own: ViewId, state: &State) -> bool {
        self.band.beside.take(own, state)
    }

    /// The range of the stretch of the band at a point of the sheet shown last.
    pub fn range_at(&self, at: Vec2) -> Option<TimeRange> {
        Some(self.band.at(&self.axis, at)?.range)
    }
}

/// Draws the band, with what it shows beside it.
pub(super) fn draw(
    band: &TimeBand,
    axis: &TimeAxis,
    (scope, recording): (&Scope<'_>, usize),
    hues: &Hues,
    places: &Places,
    sheet: &mut Sheet,
) {
    let ink = Ink::of(scope.theme);
    let Some(resolved) = scope.session.recordings.get(recording) else {
        return;
    };
    band.draw(sheet, axis, |function| {
        let module = resolved.resolution.modules.get(function.index());
        let module = *module.unwrap_or(&ModuleId::ROOT);
        hues.color(&scope.session.hierarchy, module, &ink.strong)
    });
    let place = places.band;
    if place.size().y >= places.em {
        let clip = Rect::new(
            Vec2::new(0.0, place.min.y),
            Vec2::new(places.names.max.x, place.max.y),
        );
        let at = Vec2::new(places.em * 0.5, (place.min.y + place.max.y) * 0.5);
        sheet.write(band.title(), at, places.em, ink.weak, clip);
    }
}

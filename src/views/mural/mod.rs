//! The temporal overview: which functions or modules are active when, over the whole recording or a part.
//!
//! Thesis, section 6.2.1, drawn as ISVis draws its mural (Jerding and Stasko, *The information mural*, 1998):
//! rows are functions or modules, columns are time. A cell is shaded by the share of its column in which
//! the row is on top of a call stack and, lighter, in which it is on one; these shares are exact at any zoom.

mod band;
pub mod choice;
mod coverage;
mod kept;
mod keys;
mod legend;
mod menu;
mod names;
mod places;
mod profile;
mod rows;
mod view;
mod waits;

use glam::Vec2;
use legend::Hatched;

pub use self::kept::MuralView;
pub use self::view::ENTRY;
use super::Scope;
use crate::parts::drawing::mark_times;
use callscape_layout::sheet::{Fill, Rect};
use callscape_look::ink::Ink;

impl MuralView {
    /// Everything that lies over the cells.
    fn annotate(&mut self, scope: &Scope<'_>) {
        let ink = Ink::of(scope.theme);
        let places = self.places;
        let selection = scope.selection;
        let sheet = &mut self.sheet;
        sheet.fills.clear();
        sheet.mesh.clear();
        sheet.texts.clear();
        sheet.letters.clear();
        sheet.marks.clear();
        self.waits
            .draw(&self.axis, &self.lines, &places, ink.paper, sheet);
        let recording = scope.session.recordings.get(self.recording);
        let gaps = recording.map(|it| &it.recording.gaps);
        waits::draw_gaps(gaps, &self.axis, &places, &ink, sheet);
        // Rows that begin or end outside of the plot are covered there.
        let top = Rect::new(Vec2::ZERO, Vec2::new(places.size.x, places.plot.min.y));
        let bottom = Rect::new(Vec2::new(0.0, places.plot.max.y), places.size);
        for rect in [top, bottom] {
            sheet.fills.push(Fill {
                rect,
                color: ink.ground,
            });
        }
        if let Some(covered) = self.measuring.covered() {
            covered.profile.draw(
                sheet,
                &self.axis,
                places.profile,
                places.names.max.x,
                places.em,
                &ink,
            );
        }
        band::draw(
            &self.band,
            &self.axis,
            (scope, self.recording),
            &self.hues,
            &places,
            sheet,
        );
        self.axis.draw_grid(sheet, places.plot, places.em, ink.grid);
        self.axis.draw(sheet, places.axis, places.em, ink.axis());
        let hatched = Hatched {
            waits: self.waits.are_known(),
            gaps: gaps.is_some_and(|it| !it.is_empty()),
        };
        let bracket = self.band.beside.meaning();
        legend::draw(sheet, places.legend, places.em, &ink, (hatched, bracket));
        let meant = [&selection.pointed, &selection.chosen];
        let modules = meant.map(|of| self.module_of(scope, of));
        self.names.draw(
            &mut self.sheet,
            scope.session,
            &self.rows,
            &self.lines,
            &places,
            modules,
            &ink,
        );
        self.write_state(scope, &ink);
        let colors = [ink.pointed, ink.chosen];
        for ((module, of), color) in modules.into_iter().zip(meant).zip(colors) {
            // Of a call relation both ends.
            let caller = of.relation.map(|(from, _)| from);
            self.mark_rows(&scope.session.hierarchy, [module, caller], color);
        }
        for (of, color) in meant.into_iter().zip(colors) {
            self.mark_call(scope, of, color);
        }
        let whole = Rect::new(places.band.min, places.plot.max);
        let line = places.line;
        self.band
            .mark(&mut self.sheet, &self.axis, selection, &ink, line);
        mark_times(&mut self.sheet, &self.axis, selection, whole, line, &ink);
        let beside = &self.band.beside;
        beside.mark(&mut self.sheet, &self.axis, places.plot, line, &ink);
    }
}

//! Names beside the rows: of all rows where they are high enough, else of those that cost most.

use glam::Vec2;

use super::places::{Lines, Places};
use super::rows::Rows;
use callscape_analysis::session::Session;
use callscape_base::units::ModuleId;
use callscape_layout::labels::text;
use callscape_layout::sheet::{Fill, Rect, Sheet};
use callscape_look::ink::Ink;

/// How many rows are tried for a place at most.
const MOST_TRIED: usize = 4096;

/// Places names, and keeps its memory.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// By pixel of the plot's height: taken.
    taken: Vec<bool>,
    order: Vec<u32>,
    text: String,
    /// Space for rows, for whoever needs it.
    pub rows: Vec<u32>,
}

impl Names {
    /// Writes names; those of `emphasized` modules before all others.
    #[expect(clippy::too_many_arguments)]
    pub(super) fn draw(
        &mut self,
        sheet: &mut Sheet,
        session: &Session,
        rows: &Rows,
        lines: &Lines,
        places: &Places,
        emphasized: [Option<ModuleId>; 2],
        ink: &Ink,
    ) {
        let height = places.names.size().y;
        self.taken.clear();
        self.taken.resize(height.max(0.0) as usize, false);
        self.order.clear();
        for module in emphasized.into_iter().flatten() {
            rows.of(&session.hierarchy, module, |row| self.order.push(row));
        }
        // The most expensive of a district stand for it.
        self.order.sort_by_key(|&row| rows.rank[row as usize]);
        self.order.truncate(MOST_TRIED);
        let strong = self.order.len();
        let (first, last) = (
            lines.first.floor() as u32,
            (lines.first + lines.rows).ceil() as u32,
        );
        let last = last.min(rows.len());
        if (last.saturating_sub(first) as usize) < MOST_TRIED {
            self.order.extend(first..last);
            self.order[strong..].sort_by_key(|&row| rows.rank[row as usize]);
        } else {
            self.order.extend(rows.by_cost.iter().take(MOST_TRIED));
        }
        for place in 0..self.order.len() {
            self.write(
                sheet,
                session,
                rows,
                lines,
                places,
                place,
                place < strong,
                ink,
            );
        }
    }

    #[expect(clippy::too_many_arguments)]
    fn write(
        &mut self,
        sheet: &mut Sheet,
        session: &Session,
        rows: &Rows,
        lines: &Lines,
        places: &Places,
        place: usize,
        is_strong: bool,
        ink: &Ink,
    ) {
        let em = places.em * 0.95;
        let names = places.names;
        let row = self.order[place];
        let [top, bottom] = lines.edges(row);
        let middle = (top + bottom) * 0.5;
        if middle < names.min.y || middle >= names.max.y {
            return;
        }
        let half = em * 0.58;
        // A name at the edge moves in.
        let middle = middle.clamp(
            names.min.y + half,
            (names.max.y - half).max(names.min.y + half),
        );
        let from = (middle - half - names.min.y).max(0.0) as usize;
        let to = ((middle + half - names.min.y) as usize).min(self.taken.len());
        if from >= to || self.taken[from..to].contains(&true) {
            return;
        }
        let Some(&module) = rows.modules.get(row as usize) else {
            return;
        };
        let room = (names.size().x - places.em) / em;
        if !text::shorten(session.module_name(module), room, &mut self.text) {
            return;
        }
        self.taken[from..to].fill(true);
        let at = Vec2::new(places.em * 0.5, middle.round());
        let color = if is_strong { ink.text } else { ink.weak };
        if is_strong {
            let plate = Rect::new(
                Vec2::new(0.0, middle - half),
                Vec2::new(names.max.x, middle + half),
            );
            sheet.fills.push(Fill {
                rect: plate,
                color: ink.heading,
            });
        }
        sheet.write(&self.text, at, em, color, names);
    }
}

//! The band between both runs: how many times as long one takes as the other.

use glam::Vec2;

use super::BothAlongTime;
use super::clock::Common;
use super::half::Tones;
use crate::Scope;
use callscape_layout::geometry::Color;
use callscape_layout::labels::text;
use callscape_layout::sheet::{Fill, Rect, Sheet};
use callscape_look::ink::{Ink, diverging};
use callscape_model::linked::LinkedRuns;

impl BothAlongTime {
    /// How many times as long B takes as A, by colour and in numbers.
    pub(super) fn draw_band(
        &mut self,
        scope: &Scope<'_>,
        pair: &LinkedRuns<'_>,
        common: &Common<'_>,
        ink: &Ink,
    ) {
        let (band, em) = (self.places.band, self.places.em);
        let plain_band = |sheet: &mut Sheet, color: Color| {
            sheet.fills.push(Fill { rect: band, color });
        };
        plain_band(&mut self.sheet, ink.heading);
        if common.reference.is_none() {
            let at = Vec2::new(band.min.x + em * 0.5, (band.min.y + band.max.y) * 0.5);
            let text = "equal times since the first event are aligned";
            return self.sheet.write(text, at, em * 0.9, ink.weak, band);
        }
        let [a, b] = pair.ranges(scope.session).map(|it| it.length().ns() as f64);
        // By equal shares one is as many times as long everywhere.
        let usual = if a > 0.0 { b / a } else { 1.0 };
        for (columns, stretch) in self.paces(common) {
            let x = |k: u32| self.axis.x_within(self.axis.columns().0.start(k));
            let (left, right) = (x(columns.start), x(columns.end));
            // Four times as long has the full colour.
            let strength = (stretch.max(1e-9).ln() / 4f64.ln()).clamp(-1.0, 1.0) as f32;
            let [r, g, bl] = diverging(scope.theme, strength);
            let inset = self.places.line;
            let rect = Rect::new(
                Vec2::new(left, band.min.y + inset),
                Vec2::new(right, band.max.y - inset),
            );
            if strength.abs() > 0.02 {
                let color = [r, g, bl, 0.85];
                self.sheet.fills.push(Fill { rect, color });
            }
            let number = match stretch {
                it if it <= 0.0 => "B takes no time".to_owned(),
                it if it >= 100.0 => format!("B ×{it:.0}"),
                it if it >= 0.1 => format!("B ×{it:.2}"),
                it => format!("B ×{it:.4}"),
            };
            let wide = text::width(&number) * em * 0.9;
            if right - left > wide + em {
                let at = Vec2::new((left + right - wide) * 0.5, (band.min.y + band.max.y) * 0.5);
                let color = match strength.abs() > 0.02 {
                    true => Tones::new(scope.theme, ink).ink_on([r, g, bl, 1.0], ink),
                    false => ink.text,
                };
                self.sheet.write(&number, at, em * 0.9, color, rect);
            }
        }
        if band.min.x > em * 4.0 {
            let at = Vec2::new(em * 0.5, (band.min.y + band.max.y) * 0.5);
            let clip = Rect::new(
                Vec2::new(0.0, band.min.y),
                Vec2::new(band.min.x, band.max.y),
            );
            let text = format!("B ×{usual:.2} in all");
            self.sheet.write(&text, at, em * 0.9, ink.weak, clip);
        }
    }

    /// Pixel columns in which B takes equally many times as long as A, and how many; where A stands still, none. O(columns
    /// × log points).
    fn paces(&self, common: &Common<'_>) -> Vec<(std::ops::Range<u32>, f64)> {
        let columns = self.axis.columns().0;
        let at = |k: u32| [0, 1].map(|side| common.time_of(side, columns.start(k)));
        let mut paces: Vec<(std::ops::Range<u32>, f64)> = Vec::new();
        let mut before = at(0);
        for k in 0..columns.count() {
            let after = at(k + 1);
            let [a, b] = [0, 1].map(|side| after[side].since(before[side]).ns() as f64);
            before = after;
            if a <= 0.0 {
                continue;
            }
            let pace = b / a;
            let is_even = |of: f64| (of - pace).abs() <= 0.02 * of.max(pace);
            match paces.last_mut() {
                Some((run, of)) if run.end == k && is_even(*of) => run.end = k + 1,
                _ => paces.push((k..k + 1, pace)),
            }
        }
        paces
    }
}

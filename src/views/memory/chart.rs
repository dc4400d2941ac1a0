//! The chart along time: what is consumed as an area with counters as lines over it, and below it allocations, the
//! temporary ones apart.

use egui::Ui;
use glam::Vec2;

use super::ENTRY;
use super::along::{Along, Columns, allocated, amount};
use super::painting::{self, Paint};
use super::view::MemoryView;
use crate::Pane;
use crate::parts::drawing::mark_times;
use crate::parts::{along_time, text};
use callscape_base::units::Time;
use callscape_facts::memory::{Detail, Events, Known, Memory};
use callscape_layout::geometry::Color;
use callscape_layout::labels::text as letters;
use callscape_layout::sheet::{Fill, Rect, Sheet};
use callscape_look::ink::Ink;
use callscape_model::theme::Theme;
use callscape_state::document::Document;
use callscape_state::panes::ViewId;

/// Heights and widths, in points.
const LETTERS: f32 = 11.6;
const AXIS: f32 = 18.0;
const GUTTER: f32 = 72.0;
/// The share of the chart below the curve that shows allocations.
const ALLOCATIONS: f32 = 0.26;

/// Shows the chart in so many points of height.
pub(super) fn show(
    view: &mut MemoryView,
    ui: &mut Ui,
    document: &Document,
    memory: &Memory,
    height: f32,
    pane: &mut Pane<'_>,
) {
    let size = egui::vec2(ui.available_width(), height);
    let (rect, _) = ui.allocate_exact_size(size, egui::Sense::hover());
    let scale = ui.pixels_per_point();
    let has_curve = memory.events().is_some() || !memory.counters.is_empty();
    let share = match (has_curve, memory.detail) {
        (false, _) => 1.0,
        (true, Detail::Counters) => 0.0,
        (true, _) => ALLOCATIONS,
    };
    let size = Vec2::new(rect.width(), rect.height()) * scale;
    let places = Places::new(size, scale, share);
    view.along.place(places.plot);
    let mut inner = ui.new_child(egui::UiBuilder::new().max_rect(rect).id_salt("along time"));
    // It has no picture of its own: what is drawn is drawn here.
    let pictures = std::mem::take(&mut pane.pictures);
    along_time::show(&mut inner, ViewId::of(&ENTRY.line), &mut view.along, pane);
    pane.pictures = pictures;
    let theme = pane.state.settings.theme;
    let mut sheet = Sheet::default();
    let drawing = Drawing {
        along: &view.along,
        hidden: &view.hidden,
        places,
        theme,
        memory,
        peak: memory.events().map(Events::peak),
    };
    drawing.draw(&mut sheet);
    let ink = Ink::of(theme);
    let line = places.line;
    mark_times(
        &mut sheet,
        &view.along.axis,
        &document.selection,
        places.plot,
        line,
        &ink,
    );
    painting::sheet(ui, rect, scale, &sheet);
}

/// Where the parts of the chart lie, in pixels.
#[derive(Clone, Copy, Debug)]
struct Places {
    em: f32,
    line: f32,
    /// Curve and allocations.
    plot: Rect,
    curve: Rect,
    allocations: Rect,
    axis: Rect,
}

impl Places {
    /// `share` of the chart is below the curve.
    fn new(size: Vec2, scale: f32, share: f32) -> Places {
        let px = |points: f32| (points * scale).round();
        let left = px(GUTTER).min(size.x * 0.4);
        let bottom = (size.y - px(AXIS)).max(1.0);
        let middle = (bottom * (1.0 - share)).round();
        let part =
            |top: f32, bottom: f32| Rect::new(Vec2::new(left, top), Vec2::new(size.x, bottom));
        Places {
            em: LETTERS * scale,
            line: px(1.0).max(1.0),
            plot: part(0.0, bottom),
            curve: part(px(3.0), middle - px(4.0)),
            allocations: part(middle, bottom),
            axis: part(bottom, size.y),
        }
    }
}

struct Drawing<'a> {
    along: &'a Along,
    /// Counters that are not drawn.
    hidden: &'a [usize],
    places: Places,
    theme: Theme,
    memory: &'a Memory,
    /// The most that lived, and when; none where that is not known.
    peak: Option<(u64, Time)>,
}

/// What the highest place of the chart stands for.
#[derive(Clone, Copy, Debug, Default)]
struct Most {
    live: u64,
    /// Bytes of counters; as much as lives where both are bytes.
    measured: u64,
    /// Allocations, or bytes of those that are samples.
    allocated: u64,
    /// The grid tells bytes of counters and not what lives.
    grid_is_measured: bool,
}

/// A round number of bytes so that about three of them are `most`.
pub(super) fn round_step(most: u64) -> u64 {
    (most / 3).max(1).next_power_of_two()
}

/// The colour of a counter's line.
pub(super) fn counter_color(theme: Theme, number: usize) -> Color {
    let hue = 250.0_f32 + 70.0 * number as f32;
    let lightness = match theme {
        Theme::Light => 0.55,
        Theme::Dark => 0.75,
    };
    callscape_layout::hues::oklch(lightness, 0.13, hue.to_radians())
}

/// Of the colour of a widget, that of a sheet.
fn linear(color: egui::Color32) -> Color {
    egui::Rgba::from(color).to_array()
}

impl Drawing<'_> {
    fn draw(&self, sheet: &mut Sheet) {
        let ink = Ink::of(self.theme);
        let places = self.places;
        sheet.fills.push(Fill {
            rect: places.plot,
            color: ink.paper,
        });
        let axis = &self.along.axis;
        axis.draw_grid(sheet, places.plot, places.em, ink.grid);
        let columns = self.along.columns();
        let most = columns.map(|it| self.most(it)).unwrap_or_default();
        if let Some(columns) = columns {
            if most.live.max(most.measured) > 0 {
                self.grid(sheet, most, &ink);
            }
            if self.memory.events().is_some() {
                self.area(sheet, columns, most.live);
            }
            self.counters(sheet, columns, most.measured);
            if self.memory.detail != Detail::Counters {
                self.allocations(sheet, columns, most.allocated, &ink);
            }
        }
        axis.draw(sheet, places.axis, places.em, ink.axis());
        self.peak(sheet, most.live, &ink);
    }

    /// Bytes that live and bytes that were measured have one scale. Objects, where no sizes are known, have their own.
    fn most(&self, columns: &Columns) -> Most {
        let lives_known = self.memory.events().is_some();
        let live = if lives_known { columns.most_live() } else { 0 };
        let measured = columns.most_measured(self.hidden);
        let allocated = columns.most_allocated(self.memory);
        match self.memory.sizes_known {
            true => {
                let both = live.max(measured.unwrap_or_default());
                Most {
                    live: both,
                    measured: both,
                    allocated,
                    grid_is_measured: false,
                }
            }
            false => Most {
                live,
                measured: measured.unwrap_or_default(),
                allocated,
                grid_is_measured: measured.is_some(),
            },
        }
    }

    fn y(&self, bytes: u64, most: u64) -> f32 {
        let rect = self.places.curve;
        let share = bytes as f64 / most.max(1) as f64;
        rect.max.y - share.min(1.0) as f32 * rect.size().y
    }

    /// Lines at round numbers, with their amounts at the left.
    fn grid(&self, sheet: &mut Sheet, most: Most, ink: &Ink) {
        let places = self.places;
        let words = |it: u64| match most.grid_is_measured {
            true => text::bytes(it),
            false => amount(self.memory, it),
        };
        let most = match most.grid_is_measured {
            true => most.measured,
            false => most.live,
        };
        let step = round_step(most);
        let mut bytes = 0_u64;
        while bytes <= most {
            let y = self.y(bytes, most).round();
            let rect = Rect::new(
                Vec2::new(places.curve.min.x, y - places.line),
                Vec2::new(places.curve.max.x, y),
            );
            sheet.fills.push(Fill {
                rect,
                color: ink.grid,
            });
            self.label(sheet, &words(bytes), y, ink.weak);
            let Some(next) = bytes.checked_add(step) else {
                break;
            };
            bytes = next;
        }
    }

    /// Writes at the left of the plot, ending at it.
    fn label(&self, sheet: &mut Sheet, text: &str, y: f32, color: Color) {
        let places = self.places;
        let em = places.em * 0.95;
        let width = letters::width(text) * em;
        let x = (places.plot.min.x - places.em * 0.5 - width).max(0.0);
        // The topmost and the lowest still fit.
        let y = y.max(em * 0.6).min(places.axis.max.y - em * 0.6);
        let clip = Rect::new(Vec2::ZERO, Vec2::new(places.plot.min.x, places.axis.max.y));
        sheet.write(text, Vec2::new(x, y), em, color, clip);
    }

    /// Where a column begins and ends; none out of sight.
    fn across(&self, columns: &Columns, column: usize) -> Option<[f32; 2]> {
        let plot = self.places.plot;
        let of = |it: usize| {
            let time = columns.times.get(it)?;
            Some(self.along.axis.x_of(*time).clamp(plot.min.x, plot.max.x))
        };
        let [left, right] = [of(column)?, of(column + 1)?];
        (left < right).then_some([left, right])
    }

    fn area(&self, sheet: &mut Sheet, columns: &Columns, most: u64) {
        let color = linear(Paint::of(self.theme).living);
        let bottom = self.places.curve.max.y;
        for (number, stretch) in columns.stretches.iter().enumerate() {
            let Some([left, right]) = self.across(columns, number) else {
                continue;
            };
            let top = self.y(stretch.most, most);
            sheet.fills.push(Fill {
                rect: Rect::new(Vec2::new(left, top), Vec2::new(right, bottom)),
                color: [color[0], color[1], color[2], 0.75],
            });
        }
    }

    fn counters(&self, sheet: &mut Sheet, columns: &Columns, most: u64) {
        let wide = self.places.line * 1.5;
        let counters = columns.counters.iter().enumerate();
        for (number, values) in counters.filter(|(number, _)| !self.hidden.contains(number)) {
            let color = counter_color(self.theme, number);
            let mut before = None;
            for (column, value) in values.iter().enumerate() {
                let (Some(value), Some([left, right])) = (value, self.across(columns, column))
                else {
                    before = None;
                    continue;
                };
                let y = self.y(*value, most);
                let from = before.unwrap_or(y);
                let (top, bottom) = (y.min(from), y.max(from) + wide);
                let mut part = |min: Vec2, max: Vec2| {
                    sheet.fills.push(Fill {
                        rect: Rect::new(min, max),
                        color,
                    });
                };
                part(Vec2::new(left, y), Vec2::new(right, y + wide));
                if bottom - top > 2.0 * wide {
                    part(Vec2::new(left, top), Vec2::new(left + wide, bottom));
                }
                before = Some(y);
            }
        }
    }

    fn allocations(&self, sheet: &mut Sheet, columns: &Columns, most: u64, ink: &Ink) {
        let rect = self.places.allocations;
        let paint = Paint::of(self.theme);
        let height = |count: u64| (count as f64 / most.max(1) as f64) as f32 * rect.size().y;
        for (number, stretch) in columns.stretches.iter().enumerate() {
            let Some([left, right]) = self.across(columns, number) else {
                continue;
            };
            let parts = [
                (allocated(self.memory, stretch), paint.allocated),
                (stretch.temporary.min(stretch.allocations), paint.temporary),
            ];
            for (count, color) in parts.into_iter().filter(|it| it.0 > 0) {
                let top = rect.max.y - height(count).max(self.places.line * 0.5);
                sheet.fills.push(Fill {
                    rect: Rect::new(Vec2::new(left, top), Vec2::new(right, rect.max.y)),
                    color: linear(color),
                });
            }
        }
        let edge = Rect::new(
            Vec2::new(rect.min.x, rect.min.y - self.places.line),
            Vec2::new(rect.max.x, rect.min.y),
        );
        sheet.fills.push(Fill {
            rect: edge,
            color: ink.line,
        });
        let middle = (rect.min.y + rect.max.y) * 0.5;
        let line = self.places.em * 0.6;
        let [most, what] = match &self.memory.known {
            Known::Allocations(_) => [text::bytes(most), "allocated".to_owned()],
            _ => [text::count(most), "allocations".to_owned()],
        };
        self.label(sheet, &most, middle - line, ink.weak);
        self.label(sheet, &what, middle + line, ink.weak);
    }

    /// Marks the peak where it is in sight, with its bytes and its time.
    fn peak(&self, sheet: &mut Sheet, most: u64, ink: &Ink) {
        let Some((bytes, time)) = self.peak else {
            return;
        };
        let places = self.places;
        let x = self.along.axis.x_of(time);
        if bytes == 0 || x < places.plot.min.x || x > places.plot.max.x {
            return;
        }
        let half = places.line * 2.5;
        let y = self.y(bytes, most);
        let dot = Rect::new(Vec2::new(x - half, y - half), Vec2::new(x + half, y + half));
        sheet.fills.push(Fill {
            rect: dot,
            color: ink.text,
        });
        let words = format!("peak {} at {time}", amount(self.memory, bytes));
        let em = places.em;
        let width = letters::width(&words) * em;
        // Beside it where there is room, else before it.
        let left = match x + half * 2.0 + width < places.plot.max.x {
            true => x + half * 2.0,
            false => (x - half * 2.0 - width).max(places.plot.min.x),
        };
        let y = y.max(places.curve.min.y + em * 0.7);
        let ground = Rect::new(
            Vec2::new(left - em * 0.3, y - em * 0.65),
            Vec2::new(left + width + em * 0.3, y + em * 0.65),
        );
        let [r, g, b, _] = ink.paper;
        sheet.fills.push(Fill {
            rect: ground,
            color: [r, g, b, 0.8],
        });
        sheet.write(&words, Vec2::new(left, y), em, ink.text, places.plot);
    }
}

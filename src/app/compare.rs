//! Pictures of two runs without a window: the landscape of what differs, and both side by side over one layout.

use std::sync::Arc;

use glam::Vec2;

use super::headless::{PictureSettings, Studio};
use crate::analysis::comparison::Comparison;
use crate::analysis::comparison::amounts::{Change, Measure};
use crate::analysis::comparison::tables::RelationChange;
use crate::filter::cut::Cut;
use crate::layout::geometry::Mark;
use crate::layout::sheet::{Fill, Raster, Rect, Sheet};
use crate::render::gpu::{Gpu, GpuError};
use crate::render::image::Image;
use crate::render::sheet::SheetRenderer;
use crate::render::theme::Theme;
use crate::units::{Cost, ModuleId, Time};
use crate::views::difference::{Difference, Strength, difference_color, diverging};
use crate::views::landscape::{ArcMode, Moment, RelationDifference, Surface};
use crate::views::metrics::ModuleMetrics;

/// Letters of captions are this part of the picture's shorter side high.
const LETTERS: f32 = 1.0 / 42.0;

/// So many of the functions that differ most are named, of those with at least this strength of colour.
const NAMED: usize = 6;
const LEAST_NAMED: f32 = 0.15;

/// What of a comparison is drawn, and how.
pub struct Pictures<'a> {
    comparison: &'a Comparison,
    settings: PictureSettings,
    cut: Cut,
    functions: &'a [Change],
    measure: Measure,
    strength: Strength,
}

impl<'a> Pictures<'a> {
    /// Pictures of `settings.size` pixels, captions included. `functions` are the changes by row.
    pub fn new(
        comparison: &'a Comparison,
        settings: &PictureSettings,
        functions: &'a [Change],
        measure: Measure,
        strength: Strength,
    ) -> Pictures<'a> {
        let cut = match settings.level {
            Some(level) => Cut::at_level(&comparison.session.hierarchy, level),
            None => Cut::all(),
        };
        Pictures {
            comparison,
            settings: *settings,
            cut,
            functions,
            measure,
            strength,
        }
    }

    fn em(&self) -> f32 {
        let [width, height] = self.settings.size.map(|side| side as f32);
        (width.min(height) * LETTERS).clamp(10.0, 60.0)
    }

    fn metrics(&self) -> (Difference, ModuleMetrics) {
        let difference =
            Difference::new(self.comparison, self.functions, self.measure, self.strength);
        let mut metrics = ModuleMetrics::new(&self.comparison.session, self.comparison.runs[0]);
        metrics.set_difference(difference.clone());
        (difference, metrics)
    }

    /// One landscape, coloured by what differs, with arcs for the call relations that differ most, and what the
    /// colours mean below it.
    pub fn difference(&self, relations: &[RelationChange<u32>]) -> Result<Image, GpuError> {
        let [width, height] = self.settings.size;
        let lines = (self.em() * 1.9) as u32;
        let mut settings = self.settings;
        settings.size = [width, height.saturating_sub(2 * lines).max(1)];
        settings.landscape.surface = Surface::Difference;
        let (difference, metrics) = self.metrics();
        let session = &self.comparison.session;
        let mut studio = Studio::with(session, &settings, &self.cut, Arc::new(metrics))?;
        let relations = self.relations(relations);
        let picture = studio.differences(&relations, self.named(&difference))?;
        let title = format!(
            "{}: {}",
            self.measure.title(),
            match difference.strength {
                Strength::Absolute => "what B has more or less than A",
                Strength::Relative => "how many times as much B has as A",
            }
        );
        let runs = [self.caption(0), self.caption(1)];
        let mut strips = Strips::new(self.settings.landscape.theme, self.em())?;
        let head = strips.texts(
            [width, lines],
            &[(0.0, &runs[0]), (0.33, &runs[1]), (0.66, &title)],
        )?;
        let legend = strips.legend([width, lines], &difference, self.settings.landscape.arcs)?;
        Ok(stacked(&[head, picture, legend]))
    }

    /// Both runs as a whole, or each at its time, side by side: the same camera and the same layout, each with its
    /// own arcs, and what ran measured against the larger of both.
    pub fn side_by_side(&self, times: Option<[Time; 2]>) -> Result<Image, GpuError> {
        let [width, height] = self.settings.size;
        let lines = (self.em() * 1.9) as u32;
        let half = (width / 2).max(1);
        let mut settings = self.settings;
        settings.size = [half, height.saturating_sub(lines).max(1)];
        let (_, metrics) = self.metrics();
        let session = &self.comparison.session;
        let mut studio = Studio::with(session, &settings, &self.cut, Arc::new(metrics))?;
        let firsts = [0, self.comparison.runs[0]];
        let most = firsts.iter().filter_map(|&run| session.recordings.get(run));
        let most = most.flat_map(|it| it.recording.function_metrics(None));
        let most = most.map(|it| it.self_cost).max().unwrap_or_default();
        let mut halves = Vec::new();
        let mut strips = Strips::new(settings.landscape.theme, self.em())?;
        for (side, run) in firsts.into_iter().enumerate() {
            let moment = match times {
                Some(times) => super::headless::moment_at(session, run, times[side]),
                None => Some(Moment {
                    most,
                    ..Moment::without_time(run)
                }),
            };
            let moment = moment.filter(|_| self.comparison.runs[side] > 0);
            let mut caption = self.caption(side);
            if let Some(times) = times {
                caption.push_str(&format!(", at {}", times[side]));
            }
            let head = strips.texts([half, lines], &[(0.0, &caption)])?;
            halves.push(stacked(&[head, studio.picture(moment)?]));
        }
        Ok(beside(&halves, self.settings.size))
    }

    fn relations(&self, relations: &[RelationChange<u32>]) -> Vec<RelationDifference> {
        let rows = &self.comparison.rows;
        // Arcs count calls where there are any, as those of one run do.
        let measure = match self.comparison.counts_calls() && self.comparison.per.is_none() {
            true => Measure::Calls,
            false => Measure::Total,
        };
        let scale = if measure == Measure::Calls { 1.0 } else { 1e9 };
        let scale = if self.comparison.is_by_shares || self.comparison.per.is_some() {
            scale
        } else {
            1.0
        };
        let noted = relations
            .iter()
            .filter(|it| it.change.is_significant(measure));
        let differences = noted.map(|relation| RelationDifference {
            from: rows[relation.from as usize].module,
            to: rows[relation.to as usize].module,
            more: (relation.change.delta(measure) * scale).round() as i64,
            is_one_sided: relation.change.a.is_there() != relation.change.b.is_there(),
        });
        differences.collect()
    }

    /// The functions that differ most, the first of them first.
    fn named(&self, difference: &Difference) -> Vec<ModuleId> {
        let mut modules: Vec<ModuleId> = self.comparison.rows.iter().map(|it| it.module).collect();
        modules.sort_unstable();
        modules.dedup();
        modules.retain(|&module| difference.strength(module).abs() >= LEAST_NAMED);
        modules.sort_by(|&x, &y| {
            let [x_change, y_change] = [x, y].map(|module| difference.change(module));
            x_change.order(&y_change, self.measure).then(x.cmp(&y))
        });
        modules.truncate(NAMED);
        modules
    }

    /// What is said of a side: its name, how long it took, how often.
    fn caption(&self, side: usize) -> String {
        let of = self.comparison.recordings(side);
        let letter = ["A", "B"][side];
        let Some(first) = of.first() else {
            return letter.to_owned();
        };
        let recording = &first.recording;
        let name = recording.name();
        let duration = recording.trace.duration();
        let took = match recording.profile.is_none() && duration > Cost::ZERO {
            true => format!(", {duration}"),
            false => String::new(),
        };
        match of.len() {
            1 => format!("{letter}  {name}{took}"),
            runs => format!("{letter}  {name} and {} more", runs - 1),
        }
    }
}

/// Strips of captions above and below pictures.
struct Strips {
    gpu: Gpu,
    renderer: SheetRenderer,
    theme: Theme,
    em: f32,
}

impl Strips {
    fn new(theme: Theme, em: f32) -> Result<Strips, GpuError> {
        let gpu = Gpu::headless()?;
        let renderer = SheetRenderer::new(&gpu, wgpu::TextureFormat::Rgba8UnormSrgb);
        Ok(Strips {
            gpu,
            renderer,
            theme,
            em,
        })
    }

    fn ink(&self) -> [f32; 4] {
        let [r, g, b] = self.theme.palette().text;
        [r, g, b, 1.0]
    }

    /// Texts that start at shares of the width, each cut off where the next starts.
    fn texts(&mut self, size: [u32; 2], texts: &[(f32, &str)]) -> Result<Image, GpuError> {
        let [width, height] = size.map(|side| side as f32);
        let mut sheet = Sheet::default();
        for (index, &(share, text)) in texts.iter().enumerate() {
            let next = texts.get(index + 1).map_or(1.0, |next| next.0);
            let left = share * width + self.em * 0.8;
            let clip = Rect::new(
                Vec2::new(left, 0.0),
                Vec2::new(next * width - self.em * 0.5, height),
            );
            let at = Vec2::new(left, height * 0.5);
            sheet.write(text, at, self.em, self.ink(), clip);
        }
        self.renderer.image(&self.gpu, &sheet, size, self.theme)
    }

    /// What colours, patterns and arcs mean.
    fn legend(
        &mut self,
        size: [u32; 2],
        difference: &Difference,
        arcs: ArcMode,
    ) -> Result<Image, GpuError> {
        let [width, height] = size.map(|side| side as f32);
        let em = self.em;
        let ink = self.ink();
        let mut sheet = Sheet::default();
        let everywhere = Rect::new(Vec2::ZERO, Vec2::new(width, height));
        // The scale: a band, with its values below it.
        let (left, right) = (em * 4.0, width * 0.46);
        let (top, bottom) = (height * 0.14, height * 0.44);
        let steps = (right - left).max(1.0) as u32;
        let shades = (0..steps).map(|step| {
            let strength = (step as f32 + 0.5) / steps as f32 * 2.0 - 1.0;
            let [r, g, b] = diverging(self.theme, strength).map(encoded);
            [r, g, b, 255]
        });
        sheet.rasters.push(Raster {
            rect: Rect::new(Vec2::new(left, top), Vec2::new(right, bottom)),
            size: [steps, 1],
            pixels: shades.collect(),
        });
        let small = em * 0.78;
        for (at, text) in difference.ticks() {
            let x = left + (right - left) * (at + 1.0) * 0.5;
            sheet.fills.push(Fill {
                rect: Rect::new(
                    Vec2::new(x - 0.5, top),
                    Vec2::new(x + 0.5, bottom + height * 0.08),
                ),
                color: ink,
            });
            // Letters are about half as wide as high.
            let half = text.chars().count() as f32 * small * 0.25;
            let place = Vec2::new((x - half).max(0.0), height * 0.76);
            sheet.write(&text, place, small, ink, everywhere);
        }
        // The patterns.
        let mut x = width * 0.53;
        let middle = height * 0.5;
        for (mark, strength, text) in [
            (Mark::None, 0.7, "more"),
            (Mark::Less, -0.7, "less"),
            (Mark::Added, 0.7, "only in B"),
            (Mark::Gone, -0.7, "only in A"),
        ] {
            let swatch = Vec2::new(em * 1.8, em * 1.1);
            let min = Vec2::new(x, middle - swatch.y * 0.5).round();
            sheet.rasters.push(pattern(
                mark,
                diverging(self.theme, strength),
                Rect::new(min, min + swatch.round()),
            ));
            x += swatch.x + em * 0.4;
            sheet.write(text, Vec2::new(x, middle), small, ink, everywhere);
            x += text.chars().count() as f32 * small * 0.5 + em * 1.1;
        }
        if arcs != ArcMode::None {
            for (is_more, text) in [(true, "more calls"), (false, "fewer")] {
                let [r, g, b] = difference_color(self.theme, is_more);
                sheet.fills.push(Fill {
                    rect: Rect::new(
                        Vec2::new(x, middle - em * 0.12),
                        Vec2::new(x + em * 1.6, middle + em * 0.12),
                    ),
                    color: [r, g, b, 1.0],
                });
                x += em * 2.0;
                sheet.write(text, Vec2::new(x, middle), small, ink, everywhere);
                x += text.chars().count() as f32 * small * 0.5 + em;
            }
        }
        self.renderer.image(&self.gpu, &sheet, size, self.theme)
    }
}

/// A swatch with the pattern of a mark, as the landscape draws it.
fn pattern(mark: Mark, color: [f32; 3], rect: Rect) -> Raster {
    let size = rect.size();
    let (width, height) = (size.x.max(1.0) as u32, size.y.max(1.0) as u32);
    let period = (height / 2).max(4);
    let mut pixels = Vec::with_capacity((width * height) as usize);
    for y in 0..height {
        for x in 0..width {
            let is_ink = |at: u32| at % period < period.div_ceil(3);
            let (up, down) = (is_ink(x + y), is_ink(x + height * period - y));
            let is_inked = match mark {
                Mark::None => false,
                Mark::Added => up,
                Mark::Gone => up || down,
                Mark::Less => is_ink(y),
            };
            let light = if is_inked { 0.5 } else { 1.0 };
            let [r, g, b] = color.map(|part| encoded(part * light));
            pixels.push([r, g, b, 255]);
        }
    }
    Raster {
        rect,
        size: [width, height],
        pixels,
    }
}

/// A linear part of a colour as sRGB has it.
fn encoded(value: f32) -> u8 {
    let value = value.clamp(0.0, 1.0);
    let encoded = match value <= 0.003_130_8 {
        true => value * 12.92,
        false => 1.055 * value.powf(1.0 / 2.4) - 0.055,
    };
    (encoded * 255.0).round() as u8
}

/// Pictures of one width, one below the other.
fn stacked(images: &[Image]) -> Image {
    Image {
        width: images.first().map_or(0, |image| image.width),
        height: images.iter().map(|image| image.height).sum(),
        rgba: images
            .iter()
            .flat_map(|image| &image.rgba)
            .copied()
            .collect(),
    }
}

/// Two pictures of one height side by side, in a picture of `size`; what is left over stays transparent.
fn beside(images: &[Image], size: [u32; 2]) -> Image {
    let [width, _] = size;
    let height = images.first().map_or(0, |image| image.height);
    let mut rgba = Vec::with_capacity((width * height * 4) as usize);
    for row in 0..height as usize {
        let start = rgba.len();
        for image in images {
            let bytes = image.width as usize * 4;
            rgba.extend_from_slice(&image.rgba[row * bytes..(row + 1) * bytes]);
        }
        // An odd width leaves a column: the last pixel once more.
        while rgba.len() < start + width as usize * 4 {
            rgba.extend_from_within(rgba.len() - 4..);
        }
        rgba.truncate(start + width as usize * 4);
    }
    Image {
        width,
        height,
        rgba,
    }
}

//! Strips of captions and legends above and below the pictures of two runs.

use glam::Vec2;

use callscape_layout::labels::text;
use callscape_layout::sheet::{Fill, Raster, Rect, Sheet};
use callscape_look::image::Image;
use callscape_look::ink::{difference_color, diverging};
use callscape_look::theme::Palette;
use callscape_model::arcs::ArcMode;
use callscape_model::difference::Difference;
use callscape_model::mark::Mark;
use callscape_model::theme::Theme;
use callscape_render::gpu::{Gpu, GpuError};
use callscape_render::sheet::SheetRenderer;

/// Strips of captions above and below pictures.
pub(super) struct Strips {
    pub(super) gpu: Gpu,
    pub(super) renderer: SheetRenderer,
    pub(super) theme: Theme,
    em: f32,
}

impl Strips {
    pub(super) fn new(theme: Theme, em: f32) -> Result<Strips, GpuError> {
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
        let [r, g, b] = Palette::of(self.theme).text;
        [r, g, b, 1.0]
    }

    /// A row's height.
    fn line(&self) -> f32 {
        (self.em * 1.9).floor()
    }

    /// Texts in columns of one row, or the last of them in a row of its own where they do not fit beside each other;
    /// what is still too long is shortened from the middle.
    pub(super) fn head(&mut self, width: u32, texts: &[String]) -> Result<Image, GpuError> {
        let em = self.em;
        let column = |of: usize| width as f32 / of.max(1) as f32 - em * 1.3;
        let fits = |text: &String| text::width(text) * em <= column(texts.len());
        let rows = match texts.split_last() {
            Some((last, others)) if !others.is_empty() && !texts.iter().all(fits) => {
                vec![others, std::slice::from_ref(last)]
            }
            _ => vec![texts],
        };
        let size = [width, (self.line() * rows.len() as f32) as u32];
        let everywhere = Rect::new(Vec2::ZERO, Vec2::new(size[0] as f32, size[1] as f32));
        let mut sheet = Sheet::default();
        let mut short = String::new();
        for (row, texts) in rows.iter().enumerate() {
            for (place, text) in texts.iter().enumerate() {
                let left = width as f32 * place as f32 / texts.len() as f32 + em * 0.8;
                if text::shorten(text, column(texts.len()) / em, &mut short) {
                    let at = Vec2::new(left, self.line() * (row as f32 + 0.5));
                    sheet.write(&short, at, em, self.ink(), everywhere);
                }
            }
        }
        self.renderer.image(&self.gpu, &sheet, size, self.theme)
    }

    /// What colours, patterns and arcs mean: a scale, and what else there is beside it or, where that does not fit,
    /// below it.
    pub(super) fn legend(
        &mut self,
        width: u32,
        difference: &Difference,
        entries: &[Entry],
    ) -> Result<Image, GpuError> {
        let (em, ink) = (self.em, self.ink());
        let all: f32 = entries.iter().map(|entry| entry.width(em)).sum();
        let width_here = width as f32;
        let is_beside = width_here * 0.53 + all <= width_here;
        let (start, above) = match is_beside {
            true => (width_here * 0.53, 0.0),
            false => (em * 0.8, self.line()),
        };
        let (places, rows) = flow(entries, start, width_here, em);
        let height = above + rows as f32 * self.line();
        let size = [width, height as u32];
        let mut sheet = Sheet::default();
        let everywhere = Rect::new(Vec2::ZERO, Vec2::new(width_here, height));
        // The scale: a band, with its values below it.
        let end = if is_beside {
            width_here * 0.46
        } else {
            width_here - em * 4.0
        };
        let (left, right) = (em * 4.0, end.max(em * 5.0));
        let (top, bottom) = (self.line() * 0.14, self.line() * 0.44);
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
        let small = em * SMALL;
        for (at, text) in difference.ticks() {
            let x = left + (right - left) * (at + 1.0) * 0.5;
            sheet.fills.push(Fill {
                rect: Rect::new(
                    Vec2::new(x - 0.5, top),
                    Vec2::new(x + 0.5, bottom + self.line() * 0.08),
                ),
                color: ink,
            });
            // Letters are about half as wide as high.
            let half = text.chars().count() as f32 * small * 0.25;
            let place = Vec2::new((x - half).max(0.0), self.line() * 0.76);
            sheet.write(&text, place, small, ink, everywhere);
        }
        self.write(&mut sheet, entries, &places, above, everywhere);
        self.renderer.image(&self.gpu, &sheet, size, self.theme)
    }

    /// Entries alone, in as many rows as they need.
    pub(super) fn entries(&mut self, width: u32, entries: &[Entry]) -> Result<Image, GpuError> {
        let (places, rows) = flow(entries, self.em * 0.8, width as f32, self.em);
        let size = [width, (rows as f32 * self.line()) as u32];
        let everywhere = Rect::new(Vec2::ZERO, Vec2::new(size[0] as f32, size[1] as f32));
        let mut sheet = Sheet::default();
        self.write(&mut sheet, entries, &places, 0.0, everywhere);
        self.renderer.image(&self.gpu, &sheet, size, self.theme)
    }

    fn write(
        &self,
        sheet: &mut Sheet,
        entries: &[Entry],
        places: &[(f32, usize)],
        above: f32,
        clip: Rect,
    ) {
        let em = self.em;
        for (entry, &(x, row)) in entries.iter().zip(places) {
            let middle = above + self.line() * (row as f32 + 0.5);
            let high = if entry.is_line { em * 0.24 } else { em * 1.1 };
            let min = Vec2::new(x, middle - high * 0.5).round();
            let swatch = Vec2::new(em * SWATCH, high).round().max(Vec2::ONE);
            let rect = Rect::new(min, min + swatch);
            let [from, to] = entry.colors;
            sheet.rasters.push(pattern(entry.mark, from, to, rect));
            let at = Vec2::new(x + em * (SWATCH + 0.4), middle);
            sheet.write(entry.text, at, em * SMALL, self.ink(), clip);
        }
    }

    /// What the colours and arcs of one run mean.
    pub(super) fn of_runs(&self, at_a_time: bool, mode: ArcMode) -> Vec<Entry> {
        let palette = Palette::of(self.theme);
        let (colors, text) = match at_a_time {
            true => ([palette.hot, palette.warm], "runs now, then fades"),
            false => {
                let text = "self cost of active functions, one scale for both";
                ([palette.warm, palette.hot], text)
            }
        };
        let entry = |colors, is_line, text| Entry {
            mark: Mark::None,
            colors,
            is_line,
            text,
        };
        let mut entries = vec![entry(colors, false, text)];
        if mode != ArcMode::None {
            let colors = [palette.caller, palette.callee];
            entries.push(entry(colors, true, "caller to callee"));
        }
        entries
    }
}

/// Letters of legends beside those of captions, and how wide a swatch is in em.
const SMALL: f32 = 0.78;
const SWATCH: f32 = 1.8;

/// One thing that a legend explains.
pub(super) struct Entry {
    mark: Mark,
    /// At the left and at the right end.
    colors: [[f32; 3]; 2],
    /// Thin as an arc rather than high as a block.
    is_line: bool,
    text: &'static str,
}

impl Entry {
    fn width(&self, em: f32) -> f32 {
        em * (SWATCH + 1.3 + text::width(self.text) * SMALL * 0.9)
    }
}

/// Where each entry starts, and its row; the number of rows.
fn flow(entries: &[Entry], start: f32, end: f32, em: f32) -> (Vec<(f32, usize)>, usize) {
    let (mut x, mut row) = (start, 0);
    let mut places = Vec::with_capacity(entries.len());
    for entry in entries {
        let width = entry.width(em);
        if x + width > end && x > start {
            (x, row) = (start, row + 1);
        }
        places.push((x, row));
        x += width;
    }
    (places, row + 1)
}

/// The patterns of what differs.
pub(super) fn marks(theme: Theme) -> Vec<Entry> {
    let marks = [
        (Mark::More, 0.7, "more"),
        (Mark::Less, -0.7, "less"),
        (Mark::Added, 0.7, "only in B"),
        (Mark::Gone, -0.7, "only in A"),
    ];
    let entries = marks.map(|(mark, strength, text)| Entry {
        mark,
        colors: [diverging(theme, strength); 2],
        is_line: false,
        text,
    });
    entries.into()
}

/// The arcs of what differs.
pub(super) fn arcs(theme: Theme, counts_calls: bool) -> [Entry; 2] {
    let texts = match counts_calls {
        true => ["cause, more calls", "fewer"],
        false => ["cause, costs more", "less"],
    };
    [true, false].map(|is_more| Entry {
        mark: Mark::None,
        colors: [difference_color(theme, is_more); 2],
        is_line: true,
        text: texts[usize::from(!is_more)],
    })
}

/// How much darker stripes are, as `shaders/resolve.wgsl` has it.
const INKED: f32 = 0.68;

/// A swatch with the pattern of a mark, as the landscape draws it.
fn pattern(mark: Mark, from: [f32; 3], to: [f32; 3], rect: Rect) -> Raster {
    let size = rect.size();
    let (width, height) = (size.x.max(1.0) as u32, size.y.max(1.0) as u32);
    let period = (height / 4).max(3);
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
                Mark::More => is_ink(x),
            };
            let light = if is_inked { INKED } else { 1.0 };
            let part = (x as f32 + 0.5) / width as f32;
            let mixed = |i: usize| from[i] + (to[i] - from[i]) * part;
            let [r, g, b] = [0, 1, 2].map(|i| encoded(mixed(i) * light));
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
pub(super) fn stacked(images: &[Image]) -> Image {
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
pub(super) fn beside(images: &[Image], size: [u32; 2]) -> Image {
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

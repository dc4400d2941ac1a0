//! Names at places on the screen, each on a plate. Drawn on the finished picture.

use std::collections::HashMap;

use glyphon::{
    Buffer, Cache, Color, ColorMode, Resolution, TextArea, TextAtlas, TextBounds, TextRenderer,
    Viewport,
};

use callscape_layout::geometry::ScreenLabel;

use super::growing::Growing;
use super::pass::{self, Draw, Maker};
use super::recording::{Depth, Recording};
use super::text::Fonts;
use callscape_look::theme::{Palette, encoded};

/// Shaped labels that are kept; beyond that all are forgotten and those in use shaped again.
const KEPT: usize = 2_000;

/// Larger letters, in pixels, fill the atlas with few of them.
const LARGEST: f32 = 400.0;

/// How much plates of lettering cover.
const QUIET: f32 = 0.78;
/// How much the line covers from a name to what it stands over.
const STEM: f32 = 0.75;
/// The plate around letters, in em, and around quiet ones.
const PADS: [[f32; 2]; 2] = [[0.55, 0.2], [0.3, 0.1]];

pub(crate) mod gpu {
    use bytemuck::{Pod, Zeroable};

    /// `Plate` of `shaders/screen_labels.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Pod, Zeroable)]
    pub(crate) struct Plate {
        pub sides: [f32; 4],
        pub radius: f32,
        pub opacity: f32,
        pub raised: f32,
        pub ink: f32,
    }
}

pub(crate) struct ScreenLabels {
    layout: wgpu::BindGroupLayout,
    group: Option<wgpu::BindGroup>,
    pipeline: wgpu::RenderPipeline,
    plates: Growing,
    records: Vec<gpu::Plate>,
    /// Of each label shown, its place among the shaped and where its text starts.
    texts: Vec<(usize, [f32; 2])>,
    shaped: Vec<Buffer>,
    /// By text, the bits of its size and whether it is emphasized, and its place among the shaped.
    places: HashMap<String, Vec<(u32, bool, usize)>>,
    atlas: TextAtlas,
    viewport: Viewport,
    renderer: TextRenderer,
}

impl ScreenLabels {
    pub(crate) fn new(
        maker: &Maker<'_>,
        queue: &wgpu::Queue,
        target: wgpu::TextureFormat,
    ) -> ScreenLabels {
        let device = maker.device;
        let layout = maker.layout("screen labels", &[pass::STORAGE]);
        let module = maker.shader("screen labels", SHADER);
        let (encode, mode) = if target.is_srgb() {
            (0.0, ColorMode::Accurate)
        } else {
            (1.0, ColorMode::Web)
        };
        let cache = Cache::new(device);
        let mut atlas = TextAtlas::with_color_mode(device, queue, &cache, target, mode);
        ScreenLabels {
            group: None,
            pipeline: maker.pipeline(Draw {
                label: "screen labels",
                module: &module,
                layout: Some(&layout),
                vertex: "corner",
                fragment: "plate",
                constants: &[("ENCODE", encode)],
                target,
                blend: Some(pass::OVER),
                depth: None,
            }),
            plates: Growing::new(device, "screen labels"),
            records: Vec::new(),
            texts: Vec::new(),
            shaped: Vec::new(),
            places: HashMap::new(),
            viewport: Viewport::new(device, &cache),
            renderer: TextRenderer::new(
                &mut atlas,
                device,
                wgpu::MultisampleState::default(),
                None,
            ),
            atlas,
            layout,
        }
    }

    /// Takes other labels.
    pub(crate) fn prepare(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        fonts: &mut Fonts,
        labels: &[ScreenLabel],
    ) {
        if self.shaped.len() > KEPT {
            self.shaped.clear();
            self.places.clear();
        }
        self.records.clear();
        self.texts.clear();
        // Lines pass below all plates.
        for label in labels {
            if let Some(over) = label.stem.filter(|over| over.is_finite()) {
                let half = 0.05 * label.em;
                self.records.push(gpu::Plate {
                    sides: [over.x - half, label.at.y, over.x + half, over.y],
                    radius: 0.0,
                    opacity: STEM,
                    raised: 0.0,
                    ink: 1.0,
                });
            }
        }
        for label in labels {
            if !label.at.is_finite() || !label.em.is_finite() || label.text.is_empty() {
                continue;
            }
            let em = label.em.clamp(4.0, LARGEST);
            let place = self.place(fonts, label, em);
            let line = &self.shaped[place];
            let Some((width, height)) = line
                .layout_runs()
                .next()
                .map(|run| (run.line_w, run.line_height))
            else {
                continue;
            };
            let pad = PADS[usize::from(label.is_quiet)].map(|pad| pad * em);
            // On whole pixels the letters stay sharp.
            let left = (label.at.x - 0.5 * width - pad[0]).round();
            let top = (label.at.y - height - 2.0 * pad[1]).round();
            let right = left + (width + 2.0 * pad[0]).round();
            let bottom = top + (height + 2.0 * pad[1]).round();
            self.records.push(gpu::Plate {
                sides: [left, top, right, bottom],
                radius: 0.42 * em,
                opacity: match (label.emphasized, label.is_quiet) {
                    (true, _) => 0.96,
                    (_, false) => 0.86,
                    (_, true) => QUIET,
                },
                raised: if label.is_quiet { 0.0 } else { 1.0 },
                ink: 0.0,
            });

            self.texts
                .push((place, [(left + pad[0]).round(), (top + pad[1]).round()]));
        }
        let bytes = (self.records.len() * size_of::<gpu::Plate>()) as u64;
        if self.plates.reserve(device, bytes) {
            self.group = None;
        }
        self.plates.write(queue, 0, &self.records);
    }

    /// The place of a label's text among the shaped; it is shaped once.
    fn place(&mut self, fonts: &mut Fonts, label: &ScreenLabel, em: f32) -> usize {
        let (bits, is_emphasized) = (em.to_bits(), label.emphasized);
        let known = self.places.get(&label.text).into_iter().flatten();
        for &(of, emphasized, place) in known {
            if (of, emphasized) == (bits, is_emphasized) {
                return place;
            }
        }
        let place = self.shaped.len();
        self.shaped.push(fonts.line(&label.text, em, is_emphasized));
        let places = self.places.entry(label.text.clone()).or_default();
        places.push((bits, is_emphasized, place));
        place
    }

    pub(crate) fn draw(
        &mut self,
        on: &mut Recording<'_>,
        fonts: &mut Fonts,
        palette: &Palette,
        target: &wgpu::TextureView,
    ) {
        if self.records.is_empty() {
            return;
        }
        let [width, height] = on.targets.size;
        self.viewport.update(on.queue, Resolution { width, height });
        let [r, g, b] = palette.text.map(encoded);
        let origin = on.part.origin.map(|at| at as f32);
        let areas = self.texts.iter().filter_map(|(place, [left, top])| {
            Some(TextArea {
                buffer: self.shaped.get(*place)?,
                left: *left - origin[0],
                top: *top - origin[1],
                scale: 1.0,
                bounds: TextBounds::default(),
                default_color: Color::rgb(r, g, b),
                custom_glyphs: &[],
            })
        });
        let prepared = self.renderer.prepare(
            on.device,
            on.queue,
            &mut fonts.system,
            &mut self.atlas,
            &self.viewport,
            areas,
            &mut fonts.rasters,
        );
        let group = self.group.get_or_insert_with(|| {
            let plates = self.plates.buffer().as_entire_binding();
            pass::group(on.device, "screen labels", &self.layout, &[plates])
        });
        let mut pass = on.pass("screen labels", target, None, Depth::None);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(1, &*group, &[]);
        pass.draw(0..6, 0..self.records.len() as u32);
        // A full atlas is the only failure: then plates stand without names until some are gone.
        if prepared.is_ok() {
            let drawn = self.renderer.render(&self.atlas, &self.viewport, &mut pass);
            debug_assert!(drawn.is_ok(), "prepared for this atlas and viewport");
        }
        drop(pass);
        self.atlas.trim();
    }
}

pub(crate) const SHADER: &str = concat!(
    include_str!("../../shaders/screen_labels.wgsl"),
    include_str!("../../shaders/frame.wgsl"),
);

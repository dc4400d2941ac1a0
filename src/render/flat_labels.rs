//! Names that lie on their blocks like the lettering of a map, and rise with them. Reads glyphs, blocks, looks and
//! depth; blends over the colour picture.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use glam::Vec3;

use callscape_layout::geometry::FlatLabel;

use super::city::City;
use super::glyphs::{self, Glyph, Glyphs};
use super::growing::{Growing, each_difference};
use super::pass::{self, Draw, Maker};
use super::recording::{Depth, Recording};
use super::targets;
use super::text::Fonts;

/// Names are shaped at this size and scaled.
const SHAPED: f32 = 100.0;
/// Shaped names that are kept; beyond that all are forgotten and those in use shaped again.
const KEPT: usize = 20_000;

pub(crate) mod gpu {
    use bytemuck::{Pod, Zeroable};

    /// `Glyph` of `shaders/flat_labels.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
    pub(crate) struct Glyph {
        pub corner: [f32; 3],
        pub opacity: f32,
        pub right: [f32; 3],
        pub pad0: f32,
        pub up: [f32; 3],
        pub block: u32,
        pub uv: [f32; 4],
    }
}

pub(crate) struct FlatLabels {
    layout: wgpu::BindGroupLayout,
    sampler: wgpu::Sampler,
    group: Option<wgpu::BindGroup>,
    pipeline: wgpu::RenderPipeline,
    glyphs: Glyphs,
    quads: Growing,
    /// Of each name its glyphs and where their pens stand, in ems.
    shaped: HashMap<String, Vec<(Glyph, f32)>, BuildHasherDefault<Quick>>,
    /// What the device holds, and what it is to hold.
    records: Vec<gpu::Glyph>,
    next: Vec<gpu::Glyph>,
}

impl FlatLabels {
    pub(crate) fn new(maker: &Maker<'_>) -> FlatLabels {
        let layout = maker.layout(
            "flat labels",
            &[
                pass::STORAGE,
                pass::COLOUR,
                pass::SAMPLER,
                pass::STORAGE,
                pass::STORAGE,
            ],
        );
        let module = maker.shader("flat labels", SHADER);
        FlatLabels {
            sampler: maker.device.create_sampler(&wgpu::SamplerDescriptor {
                label: Some("flat labels"),
                mag_filter: wgpu::FilterMode::Linear,
                min_filter: wgpu::FilterMode::Linear,
                ..Default::default()
            }),
            group: None,
            pipeline: maker.pipeline(Draw {
                label: "flat labels",
                module: &module,
                layout: Some(&layout),
                vertex: "letter",
                fragment: "ink",
                constants: &[],
                target: targets::COLOUR,
                blend: Some(pass::OVER),
                depth: Some(wgpu::DepthStencilState {
                    format: targets::DEPTH,
                    depth_write_enabled: Some(false),
                    depth_compare: Some(wgpu::CompareFunction::GreaterEqual),
                    stencil: wgpu::StencilState::default(),
                    bias: wgpu::DepthBiasState::default(),
                }),
            }),
            glyphs: Glyphs::new(maker.device),
            quads: Growing::new(maker.device, "flat labels"),
            shaped: HashMap::default(),
            records: Vec::new(),
            next: Vec::new(),
            layout,
        }
    }

    /// Blocks and looks lie in other buffers than before.
    pub(crate) fn outdate(&mut self) {
        self.group = None;
    }

    /// Takes other labels.
    pub(crate) fn prepare(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        fonts: &mut Fonts,
        labels: &[FlatLabel],
    ) {
        if self.shaped.len() > KEPT {
            self.shaped.clear();
        }
        self.next.clear();
        for label in labels {
            let shaped = match self.shaped.get(&label.text) {
                Some(shaped) => shaped,
                None => {
                    let pens = shape(fonts, &label.text).into_iter();
                    let glyph = |(key, pen)| Some((self.glyphs.get(queue, fonts, key)?, pen));
                    let glyphs = pens.filter_map(glyph).collect();
                    self.shaped.entry(label.text.clone()).or_insert(glyphs)
                }
            };
            for &(glyph, pen) in shaped {
                let em = label.em;
                let corner = label.origin
                    + (label.right * (pen + glyph.left) + label.up * glyph.bottom) * em;
                self.next.push(gpu::Glyph {
                    corner: corner.to_array(),
                    opacity: label.opacity.clamp(0.0, 1.0),
                    right: Vec3::to_array(&(label.right * (glyph.width * em))),
                    pad0: 0.0,
                    up: Vec3::to_array(&(label.up * (glyph.height * em))),
                    block: label.block,
                    uv: glyph.uv,
                });
            }
        }
        self.next
            .truncate(Growing::most::<gpu::Glyph>(device).min(1 << 20));
        let bytes = (self.next.len() * size_of::<gpu::Glyph>()) as u64;
        if self.quads.reserve(device, bytes) {
            self.group = None;
            self.records.clear();
        }
        each_difference(&self.records, &self.next, |range| {
            self.quads.write(queue, range.start, &self.next[range]);
        });
        std::mem::swap(&mut self.records, &mut self.next);
    }

    pub(crate) fn draw(&mut self, on: &mut Recording<'_>, city: &City) {
        if self.records.is_empty() {
            return;
        }
        let group = self.group.get_or_insert_with(|| {
            let resources = [
                self.quads.buffer().as_entire_binding(),
                wgpu::BindingResource::TextureView(&self.glyphs.view),
                wgpu::BindingResource::Sampler(&self.sampler),
                city.looks.buffer().as_entire_binding(),
                city.blocks.buffer().as_entire_binding(),
            ];
            pass::group(on.device, "flat labels", &self.layout, &resources)
        });
        let mut pass = on.pass("flat labels", &on.targets.colour, None, Depth::Read);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(1, &*group, &[]);
        pass.draw(0..6, 0..self.records.len() as u32);
    }
}

/// A quick hash of names: every name is looked up in every frame in which the camera moves. Names made to collide make
/// frames slower, but there is a bound on how many are kept.
#[derive(Clone, Copy, Debug, Default)]
struct Quick(u64);

impl Hasher for Quick {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.0 = (self.0 ^ u64::from_le_bytes(word)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            self.0 ^= self.0 >> 29;
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

fn shape(fonts: &mut Fonts, text: &str) -> Vec<(glyphs::Key, f32)> {
    let line = fonts.line(text, SHAPED, false);
    let runs = line.layout_runs().take(1);
    runs.flat_map(|run| run.glyphs)
        .map(|glyph| {
            let pen = glyph.x + glyph.x_offset * glyph.font_size;
            let key = (glyph.font_id, glyph.glyph_id, glyph.font_weight);
            (key, pen / SHAPED)
        })
        .collect()
}

pub(crate) const SHADER: &str = concat!(
    include_str!("../../shaders/flat_labels.wgsl"),
    include_str!("../../shaders/city.wgsl"),
    include_str!("../../shaders/frame.wgsl"),
);

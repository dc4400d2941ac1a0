//! The height maps: the city from above, drawn when blocks change, read by the light.
//!
//! Three layers of one texture: the whole city, and two smaller squares about what is near the eye. Each
//! has levels of halved resolution, whose texels are means.

use glam::Vec2;

use super::city::{Bounds, City};
use super::cull::Cull;
use super::pass::{self, Draw, Maker};
use super::recording::{Depth, Recording};
use super::squares::{SIDE, Square, Squares};
use super::uniform::Uniform;
use callscape_look::camera::Camera;

/// From 1024 texels to 32: the widest cone step spans few texels of the last.
const LEVELS: u32 = 6;
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rg16Float;
/// Blocks in an instance, as in the shader.
const BATCH: u32 = 64;
const QUAD: [u32; 6] = [0, 1, 2, 2, 1, 3];

pub(crate) mod gpu {
    use bytemuck::{Pod, Zeroable};

    /// `Square` of `shaders/heights.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Pod, Zeroable)]
    pub(crate) struct Square {
        pub origin: [f32; 2],
        pub scale: f32,
        pub pad: f32,
    }
}

/// Heights and glow from above.
pub(crate) struct Heights {
    /// All layers and levels, for reading.
    pub view: wgpu::TextureView,
    pub sampler: wgpu::Sampler,
    layers: [Layer; 3],
    /// Which list of blocks the groups bind.
    made: u32,
    layout: wgpu::BindGroupLayout,
    indices: wgpu::Buffer,
    draw: wgpu::RenderPipeline,
    halve: wgpu::RenderPipeline,
}

struct Layer {
    /// What it shows; none until drawn, or when blocks changed since.
    drawn: Option<Square>,
    uniform: Uniform<gpu::Square>,
    group: Option<wgpu::BindGroup>,
    levels: Vec<wgpu::TextureView>,
    /// Reads of each level but the last.
    sources: Vec<wgpu::BindGroup>,
}

impl Layer {
    fn new(
        device: &wgpu::Device,
        texture: &wgpu::Texture,
        halve_layout: &wgpu::BindGroupLayout,
        index: u32,
    ) -> Layer {
        let levels: Vec<_> = (0..LEVELS)
            .map(|level| {
                texture.create_view(&wgpu::TextureViewDescriptor {
                    label: Some("heights"),
                    dimension: Some(wgpu::TextureViewDimension::D2),
                    base_mip_level: level,
                    mip_level_count: Some(1),
                    base_array_layer: index,
                    array_layer_count: Some(1),
                    ..Default::default()
                })
            })
            .collect();
        let sources = levels[..levels.len() - 1]
            .iter()
            .map(|level| {
                let level = wgpu::BindingResource::TextureView(level);
                pass::group(device, "halve", halve_layout, &[level])
            })
            .collect();
        Layer {
            drawn: None,
            uniform: Uniform::new(device, "heights"),
            group: None,
            levels,
            sources,
        }
    }
}

/// The texture with all layers and levels.
fn texture(device: &wgpu::Device) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some("heights"),
        size: wgpu::Extent3d {
            width: SIDE,
            height: SIDE,
            depth_or_array_layers: 3,
        },
        mip_level_count: LEVELS,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format: FORMAT,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
        view_formats: &[],
    })
}

impl Heights {
    pub(crate) fn new(maker: &Maker<'_>) -> Heights {
        let device = maker.device;
        let texture = texture(device);
        let layout = maker.layout("heights", &[pass::STORAGE, pass::UNIFORM]);
        let halve_layout = maker.layout("halve", &[pass::COLOUR]);
        let module = maker.shader("heights", HEIGHTS);
        let halve_module = maker.shader("halve", HALVE);
        let layer = |index| Layer::new(device, &texture, &halve_layout, index);
        Heights {
            view: texture.create_view(&wgpu::TextureViewDescriptor {
                label: Some("heights"),
                dimension: Some(wgpu::TextureViewDimension::D2Array),
                ..Default::default()
            }),
            sampler: device.create_sampler(&wgpu::SamplerDescriptor {
                label: Some("smooth"),
                mag_filter: wgpu::FilterMode::Linear,
                min_filter: wgpu::FilterMode::Linear,
                mipmap_filter: wgpu::MipmapFilterMode::Nearest,
                ..Default::default()
            }),
            layers: [layer(0), layer(1), layer(2)],
            made: 0,
            indices: pass::indices(device, "heights", BATCH, 4, &QUAD),
            draw: maker.pipeline(Draw {
                label: "heights",
                module: &module,
                layout: Some(&layout),
                vertex: "top",
                fragment: "height",
                constants: &[],
                target: FORMAT,
                blend: None,
                depth: None,
            }),
            halve: maker.pipeline(Draw {
                label: "halve",
                module: &halve_module,
                layout: Some(&halve_layout),
                vertex: "full_screen",
                fragment: "halve",
                constants: &[],
                target: FORMAT,
                blend: None,
                depth: None,
            }),
            layout,
        }
    }

    /// Blocks changed: layers must be drawn again.
    pub(crate) fn outdate(&mut self) {
        for layer in &mut self.layers {
            layer.drawn = None;
        }
    }

    /// What the layers show as they are.
    pub(crate) fn drawn(&self) -> Squares {
        self.layers.each_ref().map(|layer| layer.drawn)
    }

    /// Draws the layers that do not show what they should; returns what they show.
    pub(crate) fn draw(&mut self, on: &mut Recording<'_>, city: &City, cull: &mut Cull) -> Squares {
        let whole = whole(&city.bounds);
        let middle = about(
            on.camera,
            on.part.whole,
            &city.bounds,
            [-1.0, 0.1],
            whole.side,
        );
        let larger = middle.map_or(whole.side, |middle| middle.side);
        let near = about(on.camera, on.part.whole, &city.bounds, [-1.0, -0.5], larger);
        let squares = [Some(whole), middle, near];
        let ground = Some(wgpu::Color::TRANSPARENT);
        for (index, square) in squares.into_iter().enumerate() {
            let (Some(square), Some(layer)) = (square, self.layers.get_mut(index)) else {
                continue;
            };
            if layer.drawn == Some(square) {
                continue;
            }
            layer.drawn = Some(square);
            cull.list_from_above(on, city, index, square, BATCH * QUAD.len() as u32);
            let (shown, made) = cull.shown();
            if self.made != made {
                self.made = made;
                for layer in &mut self.layers {
                    layer.group = None;
                }
            }
            let Some(layer) = self.layers.get_mut(index) else {
                continue;
            };
            let view = gpu::Square {
                origin: square.origin.to_array(),
                scale: 1.0 / square.side,
                pad: 0.0,
            };
            layer.uniform.write(on.queue, view);
            let group = layer.group.get_or_insert_with(|| {
                let resources = [shown.as_entire_binding(), layer.uniform.binding()];
                pass::group(on.device, "heights", &self.layout, &resources)
            });
            let [first, rest @ ..] = layer.levels.as_slice() else {
                continue;
            };
            let mut pass = on.pass("heights", first, ground, Depth::None);
            pass.set_pipeline(&self.draw);
            pass.set_bind_group(1, &*group, &[]);
            pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
            if city.count() > 0 {
                pass.draw_indexed_indirect(cull.draw(), 0);
            }
            drop(pass);
            for (level, source) in rest.iter().zip(&layer.sources) {
                let mut pass = on.pass("heights", level, ground, Depth::None);
                pass.set_pipeline(&self.halve);
                pass.set_bind_group(1, source, &[]);
                pass.draw(0..3, 0..1);
            }
        }
        squares
    }
}

/// The square about the city, with a margin in which the ground is in its shade.
fn whole(bounds: &Bounds) -> Square {
    let extent = bounds.max - bounds.min;
    let side = extent.max_element().max(1.0) * 1.16;
    Square {
        origin: 0.5 * (bounds.min + bounds.max) - 0.5 * side,
        side,
    }
}

/// The square about what stands in a part of the picture, between two heights from -1 at the bottom to
/// 1 at the top; moves and grows in steps, so that it is drawn again only now and then. None where
/// `larger`, the side of a larger square, is not much larger.
fn about(
    camera: &Camera,
    size: [u32; 2],
    bounds: &Bounds,
    heights: [f32; 2],
    larger: f32,
) -> Option<Square> {
    let size = Vec2::from(size.map(|side| side as f32));
    // The level at which most tops are.
    let level = 0.6 * bounds.top;
    let mut min = Vec2::INFINITY;
    let mut max = Vec2::NEG_INFINITY;
    for height in heights {
        for side in [0.0, 1.0] {
            let at = Vec2::new(side * size.x, 0.5 * (1.0 - height) * size.y);
            let ray = camera.ray(at, size);
            // Rays that do not come down meet the level far away.
            let distance = (level - camera.eye.z) / ray.z.min(-1e-3);
            let met = (camera.eye + ray * distance.max(0.0)).truncate();
            min = min.min(met);
            max = max.max(met);
        }
    }
    let min = min.clamp(bounds.min, bounds.max);
    let max = max.clamp(bounds.min, bounds.max);
    // With a rim for what shades from outside, in steps of a quarter octave.
    let wanted = (1.15 * (max - min).max_element()).max(larger / 64.0);
    let side = ((wanted.log2() * 4.0).ceil() / 4.0).exp2();
    if !side.is_finite() || side > 0.6 * larger {
        return None;
    }
    let step = side / 16.0;
    let origin = ((0.5 * (min + max) - 0.5 * side) / step).round() * step;
    Some(Square { origin, side })
}

pub(crate) const HEIGHTS: &str = concat!(
    include_str!("../../shaders/heights.wgsl"),
    include_str!("../../shaders/city.wgsl"),
    include_str!("../../shaders/frame.wgsl"),
);
pub(crate) const HALVE: &str = concat!(
    include_str!("../../shaders/halve.wgsl"),
    include_str!("../../shaders/frame.wgsl"),
);

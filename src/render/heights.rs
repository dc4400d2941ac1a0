//! The height maps: the city from above, drawn when blocks change, read by the light.
//!
//! Two layers of one texture: the whole city, and a square about the place that the camera looks at
//! when it is near. Each has levels of halved resolution, whose texels are means.

use glam::Vec2;

use super::camera::Camera;
use super::city::{Bounds, City};
use super::pass::{self, Draw, Maker};
use super::recording::{Depth, Recording};

/// Texels along a side of each layer.
pub const SIDE: u32 = 1024;
/// From 1024 texels to 32: the widest cone step spans few texels of the last.
const LEVELS: u32 = 6;
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rg16Float;
/// Blocks in an instance, as in the shader.
const BATCH: u32 = 64;

pub mod gpu {
    use bytemuck::{Pod, Zeroable};

    /// `View` of `shaders/heights.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Pod, Zeroable)]
    pub struct View {
        pub origin: [f32; 2],
        pub scale: f32,
        pub count: u32,
    }
}

/// The square that a layer shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Square {
    /// South-west corner.
    pub origin: Vec2,
    pub side: f32,
}

/// Heights and glow from above.
pub struct Heights {
    /// All layers and levels, for reading.
    pub view: wgpu::TextureView,
    pub sampler: wgpu::Sampler,
    layers: [Layer; 2],
    layout: wgpu::BindGroupLayout,
    indices: wgpu::Buffer,
    draw: wgpu::RenderPipeline,
    halve: wgpu::RenderPipeline,
}

struct Layer {
    /// What it shows; none until drawn, or when blocks changed since.
    drawn: Option<Square>,
    uniform: wgpu::Buffer,
    group: Option<wgpu::BindGroup>,
    levels: Vec<wgpu::TextureView>,
    /// Reads of each level but the last.
    sources: Vec<wgpu::BindGroup>,
}

impl Heights {
    pub fn new(maker: &Maker<'_>) -> Heights {
        let device = maker.device;
        let texture = device.create_texture(&wgpu::TextureDescriptor {
            label: Some("heights"),
            size: wgpu::Extent3d {
                width: SIDE,
                height: SIDE,
                depth_or_array_layers: 2,
            },
            mip_level_count: LEVELS,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: FORMAT,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING,
            view_formats: &[],
        });
        let layout = maker.layout("heights", &[pass::STORAGE, pass::STORAGE, pass::UNIFORM]);
        let halve_layout = maker.layout("halve", &[pass::COLOUR]);
        let module = maker.shader("heights", HEIGHTS);
        let halve_module = maker.shader("halve", HALVE);
        let layer = |index: u32| {
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
                    pass::group(device, "halve", &halve_layout, &[level])
                })
                .collect();
            Layer {
                drawn: None,
                uniform: device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some("heights"),
                    size: size_of::<gpu::View>() as u64,
                    usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                    mapped_at_creation: false,
                }),
                group: None,
                levels,
                sources,
            }
        };
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
            layers: [layer(0), layer(1)],
            indices: pass::indices(device, "heights", BATCH, 4, &[0, 1, 2, 2, 1, 3]),
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

    /// Blocks changed: layers must be drawn again. `moved`: their buffers are others than before.
    pub fn outdate(&mut self, moved: bool) {
        for layer in &mut self.layers {
            layer.drawn = None;
            if moved {
                layer.group = None;
            }
        }
    }

    /// Draws the layers that do not show what they should; returns what they show: the city, and the
    /// part near the eye when that is worth it.
    pub fn draw(
        &mut self,
        on: &mut Recording<'_>,
        city: &City,
        camera: &Camera,
    ) -> (Square, Option<Square>) {
        let whole = whole(&city.bounds);
        let near = near(camera, &city.bounds, &whole);
        let ground = Some(wgpu::Color::TRANSPARENT);
        for (index, square) in [Some(whole), near].into_iter().enumerate() {
            let Some(square) = square else { continue };
            let layer = &mut self.layers[index];
            if layer.drawn == Some(square) {
                continue;
            }
            layer.drawn = Some(square);
            let view = gpu::View {
                origin: square.origin.to_array(),
                scale: 1.0 / square.side,
                count: city.count(),
            };
            on.queue
                .write_buffer(&layer.uniform, 0, bytemuck::bytes_of(&view));
            let group = layer.group.get_or_insert_with(|| {
                let resources = [
                    city.blocks.buffer().as_entire_binding(),
                    city.looks.buffer().as_entire_binding(),
                    layer.uniform.as_entire_binding(),
                ];
                pass::group(on.device, "heights", &self.layout, &resources)
            });
            let [first, rest @ ..] = layer.levels.as_slice() else {
                continue;
            };
            let mut pass = on.pass("heights", first, ground, Depth::None);
            pass.set_pipeline(&self.draw);
            pass.set_bind_group(1, &*group, &[]);
            pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
            pass.draw_indexed(0..BATCH * 6, 0, 0..city.count().div_ceil(BATCH));
            drop(pass);
            for (level, source) in rest.iter().zip(&layer.sources) {
                let mut pass = on.pass("heights", level, ground, Depth::None);
                pass.set_pipeline(&self.halve);
                pass.set_bind_group(1, source, &[]);
                pass.draw(0..3, 0..1);
            }
        }
        (whole, near)
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

/// The square in which a texel is about a pixel wide where the camera looks; moves in steps, so that
/// it is drawn again only now and then. None where the map of the city is as fine.
fn near(camera: &Camera, bounds: &Bounds, whole: &Square) -> Option<Square> {
    let forward = (camera.target - camera.eye).normalize_or(glam::Vec3::NEG_Z);
    // A little below the middle of the picture is what is closest and largest.
    let toward = forward - glam::Vec3::Z * 0.12;
    let height = camera.eye.z - 0.5 * bounds.top;
    let distance = if toward.z < -1e-3 && height > 0.0 {
        height / -toward.z
    } else {
        height.abs()
    };
    let wanted = distance * 1.7 * (camera.fov_y * 0.5).tan() * 2.0;
    // Steps of a quarter octave.
    let side = (wanted.max(whole.side / 4096.0).log2() * 4.0).ceil() / 4.0;
    let side = side.exp2();
    if !side.is_finite() || side > 0.8 * whole.side {
        return None;
    }
    let centre = (camera.eye + toward * distance).truncate();
    let centre = centre.clamp(bounds.min, bounds.max);
    let step = side / 16.0;
    let origin = ((centre - 0.5 * side) / step).round() * step;
    Some(Square { origin, side })
}

pub const HEIGHTS: &str = concat!(
    include_str!("../../shaders/heights.wgsl"),
    include_str!("../../shaders/city.wgsl"),
    include_str!("../../shaders/frame.wgsl"),
);
pub const HALVE: &str = concat!(
    include_str!("../../shaders/halve.wgsl"),
    include_str!("../../shaders/frame.wgsl"),
);

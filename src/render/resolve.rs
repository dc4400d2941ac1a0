//! Light and colour of each pixel. Reads the visibility buffer, the blocks and the height maps; writes
//! the colour picture.

use super::city::{Bounds, City};
use super::frame::{SLOTS, Sample};
use super::heights::{Heights, SIDE, Square, Squares};
use super::pass::{self, Draw, Maker};
use super::recording::{Depth, Recording};
use super::targets;

pub mod gpu {
    use bytemuck::{Pod, Zeroable};

    /// `Map` of `shaders/resolve.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
    pub struct Map {
        pub place: [f32; 4],
        pub steps: [[f32; 4]; 6],
    }

    /// `Maps` of `shaders/resolve.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
    pub struct Maps {
        pub layers: [Map; 3],
        pub directions: [[f32; 4]; 4],
        pub footprint: [f32; 4],
    }
}

/// Steps of a cone toward the sky and toward the lamp, as in the shader.
const SKY_STEPS: f32 = 3.0;
const LAMP_STEPS: f32 = 6.0;
/// How far they reach in world units, about as far as what runs rises, or its shadow.
const SKY_REACH: f32 = 30.0;
const LAMP_REACH: f32 = 45.0;

pub struct Resolve {
    layout: wgpu::BindGroupLayout,
    /// Of each picture that is recorded together with others.
    slots: [Slot; SLOTS],
    shaded: wgpu::RenderPipeline,
    plain: wgpu::RenderPipeline,
}

struct Slot {
    maps: wgpu::Buffer,
    group: Option<wgpu::BindGroup>,
}

impl Resolve {
    pub fn new(maker: &Maker<'_>) -> Resolve {
        let heights = wgpu::BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Float { filterable: true },
            view_dimension: wgpu::TextureViewDimension::D2Array,
            multisampled: false,
        };
        let layout = maker.layout(
            "resolve",
            &[
                pass::STORAGE,
                pass::STORAGE,
                pass::UNIFORM,
                pass::IDS,
                heights,
                pass::SAMPLER,
            ],
        );
        let module = maker.shader("resolve", SHADER);
        let pipeline = |constants: &[(&str, f64)]| {
            maker.pipeline(Draw {
                label: "resolve",
                module: &module,
                layout: Some(&layout),
                vertex: "full_screen",
                fragment: "resolve",
                constants,
                target: targets::COLOUR,
                blend: None,
                depth: None,
            })
        };
        Resolve {
            slots: std::array::from_fn(|_| Slot {
                maps: maker.device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some("resolve"),
                    size: size_of::<gpu::Maps>() as u64,
                    usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                    mapped_at_creation: false,
                }),
                group: None,
            }),
            shaded: pipeline(&[]),
            plain: pipeline(&[("CONES", 0.0), ("SHADOW_STEPS", 0.0)]),
            layout,
        }
    }

    /// Buffers or pictures are others than before.
    pub fn outdate(&mut self) {
        for slot in &mut self.slots {
            slot.group = None;
        }
    }

    pub fn draw(
        &mut self,
        on: &mut Recording<'_>,
        city: &City,
        heights: &Heights,
        squares: &Squares,
        shade: bool,
        sample: Sample,
    ) {
        let size = on.targets.size;
        let maps = maps(squares, &city.bounds, sample);
        let Some(slot) = self.slots.get_mut(on.slot) else {
            return;
        };
        on.queue
            .write_buffer(&slot.maps, 0, bytemuck::bytes_of(&maps));
        let group = slot.group.get_or_insert_with(|| {
            let resources = [
                city.blocks.buffer().as_entire_binding(),
                city.looks.buffer().as_entire_binding(),
                slot.maps.as_entire_binding(),
                wgpu::BindingResource::TextureView(&on.targets.ids),
                wgpu::BindingResource::TextureView(&heights.view),
                wgpu::BindingResource::Sampler(&heights.sampler),
            ];
            pass::group(on.device, "resolve", &self.layout, &resources)
        });
        // Where only the open table is seen there is nothing to seek.
        let shaded = shade.then(|| on.rectangle(built(city), 1.0));
        let mut pass = on.pass(
            "resolve",
            &on.targets.colour,
            Some(wgpu::Color::BLACK),
            Depth::None,
        );
        pass.set_bind_group(1, &*group, &[]);
        let [width, height] = size;
        let (corner, extent) = shaded.flatten().unwrap_or_default();
        let end = corner + extent;
        if extent.min_element() > 0 {
            pass.set_pipeline(&self.shaded);
            pass.set_scissor_rect(corner.x, corner.y, extent.x, extent.y);
            pass.draw(0..3, 0..1);
        }
        pass.set_pipeline(&self.plain);
        for (x, y, right, bottom) in [
            (0, 0, width, corner.y),
            (0, corner.y, corner.x, end.y),
            (end.x, corner.y, width, end.y),
            (0, end.y, width, height),
        ] {
            if x < right && y < bottom {
                pass.set_scissor_rect(x, y, right - x, bottom - y);
                pass.draw(0..3, 0..1);
            }
        }
    }
}

/// The box in which what is built can be seen or shades the table.
fn built(city: &City) -> (glam::Vec3, glam::Vec3) {
    let Bounds { min, max, .. } = city.bounds;
    let rim = SKY_REACH + LAMP_REACH;
    ((min - rim).extend(0.0), (max + rim).extend(city.highest()))
}

fn maps(squares: &Squares, bounds: &Bounds, sample: Sample) -> gpu::Maps {
    // A square far away holds no pixel, so places read the other maps.
    let nowhere = Square {
        origin: glam::Vec2::splat(1e9),
        side: 1.0,
    };
    let layers = squares.map(|square| {
        let square = square.unwrap_or(nowhere);
        let Square { origin, side } = square;
        let mut steps = [[0.0; 4]; 6];
        for (step, number) in steps.iter_mut().zip(0..) {
            let [distance, level] = sky_step(square, number, sample.shift);
            let [lamp_distance, lamp_level] = lamp_step(square, number, sample.shift);
            *step = [distance, level, lamp_distance, lamp_level];
        }
        gpu::Map {
            place: [origin.x, origin.y, 1.0 / side, side / SIDE as f32],
            steps,
        }
    });
    let mut directions = [[0.0; 4]; 4];
    for (direction, cone) in directions.iter_mut().zip(0u8..) {
        let share = (f32::from(cone) + sample.turn) / 4.0 - 0.5;
        let roof = glam::Vec2::from_angle(share * std::f32::consts::TAU);
        let wall = glam::Vec2::from_angle(share * std::f32::consts::PI);
        *direction = [roof.x, roof.y, wall.x, wall.y];
    }
    gpu::Maps {
        layers,
        directions,
        footprint: [bounds.min.x, bounds.min.y, bounds.max.x, bounds.max.y],
    }
}

/// The distance of a step in world units, and the level of the map whose texels are as wide as the cone
/// there. Steps grow by a constant ratio; `shift`, 0 to 1, moves them all by up to one.
fn sky_step(square: Square, number: u8, shift: f32) -> [f32; 2] {
    let texel = square.side / SIDE as f32;
    // Nearer than this a texel's own width blurs the height away.
    let first = 1.3 * texel;
    let ratio = (SKY_REACH / first).max(2.0);
    let distance = first * ratio.powf((f32::from(number) + shift) / (SKY_STEPS - 0.5));
    [distance, level(0.45 * distance / texel)]
}

/// The same toward the lamp. What stands in its way may be thin, so the cone is narrow and far steps lie
/// closer together.
fn lamp_step(square: Square, number: u8, shift: f32) -> [f32; 2] {
    let texel = square.side / SIDE as f32;
    let share = (f32::from(number) + shift) / LAMP_STEPS;
    let distance = (LAMP_REACH * share.powf(1.6)).max(1.3 * texel);
    [distance, level(0.16 * distance / texel)]
}

/// The level of the map whose texels are so many of the finest wide.
fn level(texels: f32) -> f32 {
    texels.max(1.0).log2()
}

pub const SHADER: &str = concat!(
    include_str!("../../shaders/resolve.wgsl"),
    include_str!("../../shaders/city.wgsl"),
    include_str!("../../shaders/frame.wgsl"),
);

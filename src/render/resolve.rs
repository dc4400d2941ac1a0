//! Light and colour of each pixel. Reads the visibility buffer, the blocks and the height maps; writes
//! the colour picture.

use super::city::{Bounds, City};
use super::frame::{SLOTS, Sample};
use super::heights::Heights;
use super::pass::{self, Draw, Maker};
use super::recording::{Depth, Recording};
use super::squares::{SIDE, Square, Squares};
use super::targets;
use super::uniform::Uniform;
use callscape_look::quality::Light;

pub(crate) mod gpu {
    use bytemuck::{Pod, Zeroable};

    /// `Map` of `shaders/resolve.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
    pub(crate) struct Map {
        pub place: [f32; 4],
        pub steps: [[f32; 4]; 8],
    }

    /// `Maps` of `shaders/resolve.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
    pub(crate) struct Maps {
        pub layers: [Map; 3],
        pub directions: [[f32; 4]; 8],
        pub footprint: [f32; 4],
        pub grain: [f32; 4],
    }
}

/// How far they reach in world units, about as far as what runs rises, or its shadow.
const SKY_REACH: f32 = 30.0;
const LAMP_REACH: f32 = 45.0;

pub(crate) struct Resolve {
    layout: wgpu::BindGroupLayout,
    /// Of each picture that is recorded together with others.
    slots: [Slot; SLOTS],
    module: wgpu::ShaderModule,
    frame: wgpu::BindGroupLayout,
    /// By how light is sought and whether the lamp throws shadows; made when first wanted.
    pipelines: Vec<((Light, bool), wgpu::RenderPipeline)>,
}

struct Slot {
    maps: Uniform<gpu::Maps>,
    group: Option<wgpu::BindGroup>,
}

impl Resolve {
    /// `first`: how light is sought in the first picture. What else is wanted later is made then.
    pub(crate) fn new(maker: &Maker<'_>, (light, shadow): (Light, bool)) -> Resolve {
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
                pass::STORAGE,
                pass::UNIFORM,
                pass::IDS,
                heights,
                pass::SAMPLER,
            ],
        );
        let module = maker.shader("resolve", SHADER);
        let mut resolve = Resolve {
            slots: std::array::from_fn(|_| Slot {
                maps: Uniform::new(maker.device, "resolve"),
                group: None,
            }),
            pipelines: Vec::new(),
            frame: maker.frame.clone(),
            module,
            layout,
        };
        resolve.pipeline(maker.device, Light::None, false);
        resolve.pipeline(maker.device, light, shadow);
        resolve
    }

    /// The place of the pipeline for so much light.
    fn pipeline(&mut self, device: &wgpu::Device, light: Light, shadow: bool) -> usize {
        let wanted = (light, shadow);
        if let Some(place) = self.pipelines.iter().position(|(made, _)| *made == wanted) {
            return place;
        }
        let [cones, steps, lamp] = light.counts().map(f64::from);
        let constants = [
            ("CONES", cones),
            ("STEPS", steps),
            ("SHADOW_STEPS", if shadow { lamp } else { 0.0 }),
        ];
        let maker = Maker {
            device,
            frame: &self.frame,
        };
        let pipeline = maker.pipeline(Draw {
            label: "resolve",
            module: &self.module,
            layout: Some(&self.layout),
            vertex: "full_screen",
            fragment: "resolve",
            constants: &constants,
            target: targets::COLOUR,
            blend: None,
            depth: None,
        });
        self.pipelines.push((wanted, pipeline));
        self.pipelines.len() - 1
    }

    /// Buffers or pictures are others than before.
    pub(crate) fn outdate(&mut self) {
        for slot in &mut self.slots {
            slot.group = None;
        }
    }

    pub(crate) fn draw(
        &mut self,
        on: &mut Recording<'_>,
        city: &City,
        heights: &Heights,
        squares: &Squares,
        (light, shadow): (Light, bool),
        sample: Sample,
    ) {
        let size = on.targets.size;
        let maps = maps(squares, &city.bounds, light, sample);
        let plain = self.pipeline(on.device, Light::None, false);
        let shaded = self.pipeline(on.device, light, shadow && light != Light::None);
        let Some(slot) = self.slots.get_mut(on.slot) else {
            return;
        };
        slot.maps.write(on.queue, maps);
        let group = slot.group.get_or_insert_with(|| {
            let resources = [
                city.blocks.buffer().as_entire_binding(),
                city.looks.buffer().as_entire_binding(),
                city.merged.buffer().as_entire_binding(),
                slot.maps.binding(),
                wgpu::BindingResource::TextureView(&on.targets.ids),
                wgpu::BindingResource::TextureView(&heights.view),
                wgpu::BindingResource::Sampler(&heights.sampler),
            ];
            pass::group(on.device, "resolve", &self.layout, &resources)
        });
        // Where only the open table is seen there is nothing to seek.
        let lit = (light != Light::None).then(|| on.rectangle(built(city), 1.0));
        let mut pass = on.pass(
            "resolve",
            &on.targets.colour,
            Some(wgpu::Color::BLACK),
            Depth::None,
        );
        pass.set_bind_group(1, &*group, &[]);
        let [width, height] = size;
        let (corner, extent) = lit.flatten().unwrap_or_default();
        let end = corner + extent;
        if extent.min_element() > 0 {
            pass.set_pipeline(&self.pipelines[shaded].1);
            pass.set_scissor_rect(corner.x, corner.y, extent.x, extent.y);
            pass.draw(0..3, 0..1);
        }
        pass.set_pipeline(&self.pipelines[plain].1);
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

fn maps(squares: &Squares, bounds: &Bounds, light: Light, sample: Sample) -> gpu::Maps {
    let [cones, sky_steps, lamp_steps] = light.counts().map(|count| f32::from(count.max(1)));
    // A square far away holds no pixel, so places read the other maps.
    let nowhere = Square {
        origin: glam::Vec2::splat(1e9),
        side: 1.0,
    };
    let layers = squares.map(|square| {
        let square = square.unwrap_or(nowhere);
        let Square { origin, side } = square;
        let mut steps = [[0.0; 4]; 8];
        for (step, number) in steps.iter_mut().zip(0..) {
            let [distance, level] = sky_step(square, number, sky_steps, sample.shift);
            let [lamp_distance, lamp_level] = lamp_step(square, number, lamp_steps, sample.shift);
            *step = [distance, level, lamp_distance, lamp_level];
        }
        gpu::Map {
            place: [origin.x, origin.y, 1.0 / side, side / SIDE as f32],
            steps,
        }
    });
    let mut directions = [[0.0; 4]; 8];
    for (direction, cone) in directions.iter_mut().zip(0u8..) {
        let share = (f32::from(cone) + sample.turn) / cones - 0.5;
        let roof = glam::Vec2::from_angle(share * std::f32::consts::TAU);
        let wall = glam::Vec2::from_angle(share * std::f32::consts::PI);
        *direction = [roof.x, roof.y, wall.x, wall.y];
    }
    gpu::Maps {
        layers,
        directions,
        footprint: [bounds.min.x, bounds.min.y, bounds.max.x, bounds.max.y],
        grain: [sample.grain, 0.0, 0.0, 0.0],
    }
}

/// The distance of a step in world units, and the level of the map whose texels are as wide as the cone
/// there. Steps grow by a constant ratio; `shift`, 0 to 1, moves them all by up to one.
fn sky_step(square: Square, number: u8, steps: f32, shift: f32) -> [f32; 2] {
    let texel = square.side / SIDE as f32;
    // Nearer than this a texel's own width blurs the height away.
    let first = 1.3 * texel;
    let ratio = (SKY_REACH / first).max(2.0);
    let distance = first * ratio.powf((f32::from(number) + shift) / (steps - 0.5));
    [distance, level(0.45 * distance / texel)]
}

/// The same toward the lamp. What stands in its way may be thin, so the cone is narrow and far steps lie
/// closer together.
fn lamp_step(square: Square, number: u8, steps: f32, shift: f32) -> [f32; 2] {
    let texel = square.side / SIDE as f32;
    let share = (f32::from(number) + shift) / steps;
    let distance = (LAMP_REACH * share.powf(1.6)).max(1.3 * texel);
    [distance, level(0.16 * distance / texel)]
}

/// The level of the map whose texels are so many of the finest wide.
fn level(texels: f32) -> f32 {
    texels.max(1.0).log2()
}

pub(crate) const SHADER: &str = concat!(
    include_str!("../../shaders/resolve.wgsl"),
    include_str!("../../shaders/city.wgsl"),
    include_str!("../../shaders/frame.wgsl"),
);

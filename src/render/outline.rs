//! The outline of what is hovered or selected. Reads the visibility buffer; blends over the colour
//! picture.

use super::city::City;
use super::pass::{self, Draw, Maker};
use super::recording::{Depth, Recording};
use super::targets;
use super::uniform::Uniform;

pub(crate) mod gpu {
    use bytemuck::{Pod, Zeroable};

    /// `Outline` of `shaders/outline.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Pod, Zeroable)]
    pub(crate) struct Outline {
        pub colour: [f32; 4],
        pub count: u32,
        pub outer: f32,
        pub pad: [u32; 2],
        pub blocks: [[u32; 4]; super::AROUND],
    }
}

/// A module is outlined with at most so many around it, less itself.
const AROUND: usize = 8;

/// How many outlines a picture can have: two of what is selected, two of what is hovered.
const MOST: usize = 4;

pub(crate) struct OutlinePass {
    layout: wgpu::BindGroupLayout,
    marks: [Mark; MOST],
    pipeline: wgpu::RenderPipeline,
}

struct Mark {
    uniform: Uniform<gpu::Outline>,
    group: Option<wgpu::BindGroup>,
}

/// What is outlined, and how.
pub(crate) struct Outlined {
    pub blocks: std::ops::Range<u32>,
    pub colour: [f32; 4],
    /// By about three pixels, else by two.
    pub wide: bool,
    /// With what is around them, up to the root.
    pub with_around: bool,
}

impl OutlinePass {
    pub(crate) fn new(maker: &Maker<'_>) -> OutlinePass {
        let layout = maker.layout("outline", &[pass::UNIFORM, pass::IDS]);
        let module = maker.shader("outline", SHADER);
        OutlinePass {
            marks: std::array::from_fn(|_| Mark {
                uniform: Uniform::new(maker.device, "outline"),
                group: None,
            }),
            pipeline: maker.pipeline(Draw {
                label: "outline",
                module: &module,
                layout: Some(&layout),
                vertex: "full_screen",
                fragment: "line",
                constants: &[],
                target: targets::COLOUR,
                blend: Some(pass::OVER),
                depth: None,
            }),
            layout,
        }
    }

    /// The visibility buffer is another than before.
    pub(crate) fn outdate(&mut self) {
        for mark in &mut self.marks {
            mark.group = None;
        }
    }

    /// Draws outlines, one over the other; those beyond the fourth are left out.
    pub(crate) fn draw(
        &mut self,
        on: &mut Recording<'_>,
        city: &City,
        outlined: impl Iterator<Item = Outlined>,
    ) {
        for (place, outlined) in outlined.take(MOST).enumerate() {
            self.draw_one(on, city, place, outlined);
        }
    }

    fn draw_one(
        &mut self,
        on: &mut Recording<'_>,
        city: &City,
        place: usize,
        Outlined {
            blocks,
            colour,
            wide,
            with_around,
        }: Outlined,
    ) {
        let mut nested = [[0; 4]; AROUND];
        let around = city.around(blocks.start).filter(|_| with_around);
        let all = std::iter::once(blocks.clone()).chain(around);
        let mut count = 0;
        for (place, blocks) in nested.iter_mut().zip(all) {
            [place[0], place[1]] = [blocks.start, blocks.end];
            count += 1;
        }
        nested[..count].reverse();
        let corners = city.corners(nested[0][0] as usize);
        let (Some((low, high)), Some(mark)) = (corners, self.marks.get_mut(place)) else {
            return;
        };
        // Whatever stands on it stands on its footprint and is no higher than this.
        let high = high.with_z(high.z.max(city.highest()));
        // The line is drawn on both sides of the edge.
        let rectangle = on.rectangle((low, high), 4.0 * on.scale);
        let Some((corner, extent)) = rectangle else {
            return;
        };
        let record = gpu::Outline {
            colour,
            count: count as u32,
            outer: if wide { 0.55 } else { 0.0 },
            pad: [0; 2],
            blocks: nested,
        };
        mark.uniform.write(on.queue, record);
        let group = mark.group.get_or_insert_with(|| {
            let resources = [
                mark.uniform.binding(),
                wgpu::BindingResource::TextureView(&on.targets.ids),
            ];
            pass::group(on.device, "outline", &self.layout, &resources)
        });
        let mut pass = on.pass("outline", &on.targets.colour, None, Depth::None);
        pass.set_scissor_rect(corner.x, corner.y, extent.x, extent.y);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(1, &*group, &[]);
        pass.draw(0..3, 0..1);
    }
}

pub(crate) const SHADER: &str = concat!(
    include_str!("../../shaders/outline.wgsl"),
    include_str!("../../shaders/frame.wgsl"),
);

//! Blocks on their way to a new layout: where they start and end is given once, the device moves them.

use super::city::City;
use super::growing::Growing;
use super::pass::{self, Maker};
use super::recording::Recording;
use super::records::gpu::Block;
use super::uniform::Uniform;

pub(crate) mod gpu {
    use bytemuck::{Pod, Zeroable};

    /// `Way` of `shaders/ease.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Pod, Zeroable)]
    pub(crate) struct Way {
        pub share: f32,
        pub count: u32,
        pub pad0: u32,
        pub pad1: u32,
    }
}

const GROUP: u32 = 64;
/// More workgroups than this do not help; each then moves several blocks.
const MOST_GROUPS: u32 = 16_384;

pub(crate) struct Ease {
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::ComputePipeline,
    uniform: Uniform<gpu::Way>,
    way: Option<Way>,
}

/// What is held while blocks move.
struct Way {
    start: Growing,
    goal: Growing,
    group: Option<wgpu::BindGroup>,
    share: f32,
    is_drawn: bool,
}

impl Ease {
    pub(crate) fn new(maker: &Maker<'_>) -> Ease {
        let bindings = [pass::STORAGE, pass::STORAGE, pass::WRITTEN, pass::UNIFORM];
        let layout = maker.compute_layout("ease", &bindings);
        let module = maker.shader("ease", SHADER);
        Ease {
            pipeline: maker.compute("ease", &module, &layout, "ease"),
            uniform: Uniform::new(maker.device, "ease"),
            way: None,
            layout,
        }
    }

    /// The blocks are at rest.
    pub(crate) fn forget(&mut self) {
        self.way = None;
    }

    /// The blocks go from `start` to `goal`, as many as the city has.
    pub(crate) fn prepare(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        start: &[Block],
        goal: &[Block],
    ) {
        let fill = |records: &[Block]| {
            let mut buffer = Growing::new(device, "ease");
            buffer.reserve(device, size_of_val(records) as u64);
            buffer.write(queue, 0, records);
            buffer
        };
        self.way = Some(Way {
            start: fill(start),
            goal: fill(goal),
            group: None,
            share: 0.0,
            is_drawn: false,
        });
    }

    /// How far they are, 0 to 1; whether that is another place than before.
    pub(crate) fn set(&mut self, share: f32) -> bool {
        let Some(way) = &mut self.way else {
            return false;
        };
        let share = if share.is_finite() {
            share.clamp(0.0, 1.0)
        } else {
            1.0
        };
        let is_other = way.share != share;
        way.share = share;
        way.is_drawn &= !is_other;
        is_other
    }

    /// Brings the blocks to where they are now.
    pub(crate) fn draw(&mut self, on: &mut Recording<'_>, city: &City) {
        let Some(way) = self.way.as_mut().filter(|way| !way.is_drawn) else {
            return;
        };
        way.is_drawn = true;
        let record = gpu::Way {
            share: way.share,
            count: city.count(),
            pad0: 0,
            pad1: 0,
        };
        self.uniform.write(on.queue, record);
        let group = way.group.get_or_insert_with(|| {
            let resources = [
                way.start.buffer().as_entire_binding(),
                way.goal.buffer().as_entire_binding(),
                city.blocks.buffer().as_entire_binding(),
                self.uniform.binding(),
            ];
            pass::group(on.device, "ease", &self.layout, &resources)
        });
        let groups = city.count().div_ceil(GROUP).min(MOST_GROUPS);
        let mut pass = on.compute("ease");
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(1, &*group, &[]);
        pass.dispatch_workgroups(groups, 1, 1);
        drop(pass);
        if way.share >= 1.0 {
            // They are there; the memory is wanted elsewhere.
            self.way = None;
        }
    }
}

pub(crate) const SHADER: &str = concat!(
    include_str!("../../shaders/ease.wgsl"),
    include_str!("../../shaders/city.wgsl"),
    include_str!("../../shaders/frame.wgsl"),
);

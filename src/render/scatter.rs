//! Looks that changed, put in their places on the device: during playback a few hundred among a million.

use super::city::City;
use super::growing::Growing;
use super::pass::{self, Maker};
use super::recording::Recording;
use super::uniform::Uniform;

pub(crate) mod gpu {
    use bytemuck::{Pod, Zeroable};

    /// `Changes` of `shaders/scatter.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Pod, Zeroable)]
    pub(crate) struct Changes {
        pub count: u32,
        pub pad0: u32,
        pub pad1: u32,
        pub pad2: u32,
    }
}

const GROUP: u32 = 64;

pub(crate) struct Scatter {
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::ComputePipeline,
    uniform: Uniform<gpu::Changes>,
    changed: Growing,
    group: Option<wgpu::BindGroup>,
}

impl Scatter {
    pub(crate) fn new(maker: &Maker<'_>) -> Scatter {
        let bindings = [pass::STORAGE, pass::WRITTEN, pass::UNIFORM];
        let layout = maker.compute_layout("scatter", &bindings);
        let module = maker.shader("scatter", SHADER);
        Scatter {
            pipeline: maker.compute("scatter", &module, &layout, "scatter"),
            uniform: Uniform::new(maker.device, "scatter"),
            changed: Growing::new(maker.device, "scatter"),
            group: None,
            layout,
        }
    }

    /// The looks lie in another buffer than before.
    pub(crate) fn outdate(&mut self) {
        self.group = None;
    }

    /// Puts the changes that wait in their places.
    pub(crate) fn draw(&mut self, on: &mut Recording<'_>, city: &mut City) {
        city.upload_looks(on.queue);
        let changes = city.changes();
        if changes.is_empty() {
            return;
        }
        if self.changed.reserve(on.device, size_of_val(changes) as u64) {
            self.group = None;
        }
        self.changed.write(on.queue, 0, changes);
        let count = changes.len() as u32;
        let record = gpu::Changes {
            count,
            pad0: 0,
            pad1: 0,
            pad2: 0,
        };
        self.uniform.write(on.queue, record);
        let group = self.group.get_or_insert_with(|| {
            let resources = [
                self.changed.buffer().as_entire_binding(),
                city.looks.buffer().as_entire_binding(),
                self.uniform.binding(),
            ];
            pass::group(on.device, "scatter", &self.layout, &resources)
        });
        let mut pass = on.compute("scatter");
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(1, &*group, &[]);
        pass.dispatch_workgroups(count.div_ceil(GROUP), 1, 1);
        drop(pass);
        city.changes_are_done();
    }
}

pub(crate) const SHADER: &str = concat!(
    include_str!("../../shaders/scatter.wgsl"),
    include_str!("../../shaders/city.wgsl"),
    include_str!("../../shaders/frame.wgsl"),
);

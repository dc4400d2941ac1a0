//! What the passes share in their making: shader modules, layouts of bind groups, pipelines.

use wgpu::{BindingType, BufferBindingType, ShaderStages, TextureSampleType};

/// The device and what every pass binds as group 0.
pub(crate) struct Maker<'a> {
    pub device: &'a wgpu::Device,
    pub frame: &'a wgpu::BindGroupLayout,
}

/// A draw that a pipeline is for; what is left at its default covers the screen without blending.
pub(crate) struct Draw<'a> {
    pub label: &'static str,
    pub module: &'a wgpu::ShaderModule,
    pub layout: Option<&'a wgpu::BindGroupLayout>,
    pub vertex: &'static str,
    pub fragment: &'static str,
    pub constants: &'a [(&'a str, f64)],
    pub target: wgpu::TextureFormat,
    pub blend: Option<wgpu::BlendState>,
    pub depth: Option<wgpu::DepthStencilState>,
}

impl Maker<'_> {
    /// A shader of a pass: its own text, then what it shares. WGSL needs no declaration before use,
    /// so errors keep the lines of the pass's own file.
    pub(crate) fn shader(&self, label: &str, text: &'static str) -> wgpu::ShaderModule {
        self.device
            .create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(label),
                source: wgpu::ShaderSource::Wgsl(text.into()),
            })
    }

    /// The layout of a pass's own group: bindings are numbered in order, each seen by both stages.
    pub(crate) fn layout(&self, label: &str, bindings: &[BindingType]) -> wgpu::BindGroupLayout {
        self.layout_for(ShaderStages::VERTEX_FRAGMENT, label, bindings)
    }

    /// The same for a pass that computes.
    pub(crate) fn compute_layout(
        &self,
        label: &str,
        bindings: &[BindingType],
    ) -> wgpu::BindGroupLayout {
        self.layout_for(ShaderStages::COMPUTE, label, bindings)
    }

    fn layout_for(
        &self,
        visibility: ShaderStages,
        label: &str,
        bindings: &[BindingType],
    ) -> wgpu::BindGroupLayout {
        let entries: Vec<_> = bindings
            .iter()
            .zip(0..)
            .map(|(&ty, binding)| wgpu::BindGroupLayoutEntry {
                binding,
                visibility,
                ty,
                count: None,
            })
            .collect();
        self.device
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some(label),
                entries: &entries,
            })
    }

    /// A step of a pass that computes.
    pub(crate) fn compute(
        &self,
        label: &str,
        module: &wgpu::ShaderModule,
        own: &wgpu::BindGroupLayout,
        entry: &str,
    ) -> wgpu::ComputePipeline {
        let layout = self
            .device
            .create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some(label),
                bind_group_layouts: &[Some(self.frame), Some(own)],
                immediate_size: 0,
            });
        self.device
            .create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(label),
                layout: Some(&layout),
                module,
                entry_point: Some(entry),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                cache: None,
            })
    }

    pub(crate) fn pipeline(&self, draw: Draw<'_>) -> wgpu::RenderPipeline {
        let layout = self
            .device
            .create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some(draw.label),
                bind_group_layouts: &[Some(self.frame), draw.layout],
                immediate_size: 0,
            });
        let compilation_options = wgpu::PipelineCompilationOptions {
            constants: draw.constants,
            ..Default::default()
        };
        self.device
            .create_render_pipeline(&wgpu::RenderPipelineDescriptor {
                label: Some(draw.label),
                layout: Some(&layout),
                vertex: wgpu::VertexState {
                    module: draw.module,
                    entry_point: Some(draw.vertex),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    buffers: &[],
                },
                primitive: wgpu::PrimitiveState::default(),
                depth_stencil: draw.depth,
                multisample: wgpu::MultisampleState::default(),
                fragment: Some(wgpu::FragmentState {
                    module: draw.module,
                    entry_point: Some(draw.fragment),
                    compilation_options,
                    targets: &[Some(wgpu::ColorTargetState {
                        format: draw.target,
                        blend: draw.blend,
                        write_mask: wgpu::ColorWrites::ALL,
                    })],
                }),
                multiview_mask: None,
                cache: None,
            })
    }
}

/// Makes passes at the same time, each in a thread of its own: drivers compile their shaders meanwhile, which takes most
/// of the time before the first frame.
#[cfg(not(target_arch = "wasm32"))]
macro_rules! made_at_once {
    ($($name:ident: $make:expr,)*) => {
        let ($($name,)*) = std::thread::scope(|scope| {
            $(let $name = scope.spawn(|| $make);)*
            ($($crate::pass::joined($name),)*)
        });
    };
}
/// The same one after the other: a page has no threads, and a browser compiles beside it.
#[cfg(target_arch = "wasm32")]
macro_rules! made_at_once {
    ($($name:ident: $make:expr,)*) => {
        $(let $name = $make;)*
    };
}
pub(super) use made_at_once;

/// What a thread has made; its panic goes on here.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn joined<T>(thread: std::thread::ScopedJoinHandle<'_, T>) -> T {
    let made = thread.join();
    made.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

/// A group of a pass's own resources, numbered in order.
pub(crate) fn group(
    device: &wgpu::Device,
    label: &str,
    layout: &wgpu::BindGroupLayout,
    resources: &[wgpu::BindingResource<'_>],
) -> wgpu::BindGroup {
    let entries: Vec<_> = resources
        .iter()
        .zip(0..)
        .map(|(resource, binding)| wgpu::BindGroupEntry {
            binding,
            resource: resource.clone(),
        })
        .collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: Some(label),
        layout,
        entries: &entries,
    })
}

pub(crate) const UNIFORM: BindingType = buffer(BufferBindingType::Uniform);
pub(crate) const STORAGE: BindingType = buffer(BufferBindingType::Storage { read_only: true });
/// A storage buffer that a pass writes.
pub(crate) const WRITTEN: BindingType = buffer(BufferBindingType::Storage { read_only: false });
pub(crate) const SAMPLER: BindingType = BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
pub(crate) const COLOUR: BindingType = texture(TextureSampleType::Float { filterable: true });
/// Layers of pictures.
pub(crate) const LAYERS: BindingType = BindingType::Texture {
    sample_type: TextureSampleType::Float { filterable: true },
    view_dimension: wgpu::TextureViewDimension::D2Array,
    multisampled: false,
};
pub(crate) const IDS: BindingType = texture(TextureSampleType::Uint);
pub(crate) const DEPTH: BindingType = texture(TextureSampleType::Depth);

/// Colour laid over what is there, by its alpha.
pub(crate) const OVER: wgpu::BlendState = wgpu::BlendState::ALPHA_BLENDING;

const fn buffer(ty: BufferBindingType) -> BindingType {
    BindingType::Buffer {
        ty,
        has_dynamic_offset: false,
        min_binding_size: None,
    }
}

const fn texture(sample_type: TextureSampleType) -> BindingType {
    BindingType::Texture {
        sample_type,
        view_dimension: wgpu::TextureViewDimension::D2,
        multisampled: false,
    }
}

/// Indices that repeat `pattern` for `batch` shapes of `corners` numbers each: shapes so small are
/// drawn faster in batches than one an instance.
pub(crate) fn indices(
    device: &wgpu::Device,
    label: &str,
    batch: u32,
    corners: u32,
    pattern: &[u32],
) -> wgpu::Buffer {
    use wgpu::util::DeviceExt;
    let indices: Vec<u32> = (0..batch)
        .flat_map(|shape| pattern.iter().map(move |corner| shape * corners + corner))
        .collect();
    device.create_buffer_init(&wgpu::util::BufferInitDescriptor {
        label: Some(label),
        contents: bytemuck::cast_slice(&indices),
        usage: wgpu::BufferUsages::INDEX,
    })
}

//! The pictures that passes of a frame hand to each other, as large as the frame.

use std::sync::OnceLock;

/// Linear light; more than 1 where something glows.
pub(crate) const COLOUR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;
/// The place of the block seen at a pixel plus one; 0 where there is none.
pub(crate) const IDS: wgpu::TextureFormat = wgpu::TextureFormat::R32Uint;
/// 1 at the near plane, 0 at infinity.
pub(crate) const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

pub(crate) struct Targets {
    pub size: [u32; 2],
    pub ids_texture: wgpu::Texture,
    pub ids: wgpu::TextureView,
    pub depth: wgpu::TextureView,
    pub colour: wgpu::TextureView,
    /// The mean of the pictures drawn since something moved.
    pub mean: wgpu::TextureView,
    /// The steady picture up to this frame and up to the one before, which take turns; made when first asked for.
    steady: OnceLock<[wgpu::TextureView; 2]>,
    /// One of these with what is drawn over it; made when first asked for.
    steady_and_arcs: OnceLock<wgpu::TextureView>,
    /// The pictures drawn last of what a resting camera sees, each with another shift; made when first asked for.
    turns: OnceLock<wgpu::TextureView>,
}

/// A finished picture among them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Colour,
    Mean,
    /// One of the two steady pictures, 0 or 1.
    Steady(usize),
    /// A steady one with arcs over it.
    SteadyAndArcs,
}

impl Source {
    /// How many there are, and the place of this one among them.
    pub(crate) const COUNT: usize = 5;

    pub(crate) fn place(self) -> usize {
        match self {
            Source::Colour => 0,
            Source::Mean => 1,
            Source::Steady(which) => 2 + which.min(1),
            Source::SteadyAndArcs => 4,
        }
    }
}

impl Targets {
    pub(crate) fn new(device: &wgpu::Device, size: [u32; 2]) -> Targets {
        let make = |label, format, more| texture(device, label, size, 1, format, more);
        let view = |texture: &wgpu::Texture| texture.create_view(&Default::default());
        let none = wgpu::TextureUsages::empty();
        let ids_texture = make("ids", IDS, wgpu::TextureUsages::COPY_SRC);
        Targets {
            size,
            ids: view(&ids_texture),
            ids_texture,
            depth: view(&make("depth", DEPTH, none)),
            colour: view(&make("colour", COLOUR, wgpu::TextureUsages::COPY_SRC)),
            mean: view(&make("mean", COLOUR, wgpu::TextureUsages::COPY_SRC)),
            steady: OnceLock::new(),
            steady_and_arcs: OnceLock::new(),
            turns: OnceLock::new(),
        }
    }

    pub(crate) fn steady(&self, device: &wgpu::Device) -> &[wgpu::TextureView; 2] {
        self.steady.get_or_init(|| {
            let more = wgpu::TextureUsages::COPY_SRC;
            let make = || texture(device, "steady", self.size, 1, COLOUR, more);
            [make(), make()].map(|texture| texture.create_view(&Default::default()))
        })
    }

    /// As many layers as `count` says when it is first asked for, until they are forgotten.
    pub(crate) fn turns(&self, device: &wgpu::Device, count: u32) -> &wgpu::TextureView {
        self.turns.get_or_init(|| {
            let more = wgpu::TextureUsages::COPY_DST;
            let layers = texture(device, "turns", self.size, count, COLOUR, more);
            layers.create_view(&wgpu::TextureViewDescriptor {
                dimension: Some(wgpu::TextureViewDimension::D2Array),
                ..Default::default()
            })
        })
    }

    /// Another number of layers is asked for next.
    pub(crate) fn forget_turns(&mut self) {
        self.turns.take();
    }

    pub(crate) fn picture(&self, device: &wgpu::Device, source: Source) -> &wgpu::TextureView {
        match source {
            Source::Colour => &self.colour,
            Source::Mean => &self.mean,
            Source::Steady(which) => &self.steady(device)[which.min(1)],
            Source::SteadyAndArcs => self.steady_and_arcs.get_or_init(|| {
                let more = wgpu::TextureUsages::COPY_DST;
                let picture = texture(device, "steady and arcs", self.size, 1, COLOUR, more);
                picture.create_view(&Default::default())
            }),
        }
    }
}

fn texture(
    device: &wgpu::Device,
    label: &str,
    size: [u32; 2],
    layers: u32,
    format: wgpu::TextureFormat,
    more: wgpu::TextureUsages,
) -> wgpu::Texture {
    device.create_texture(&wgpu::TextureDescriptor {
        label: Some(label),
        size: wgpu::Extent3d {
            width: size[0],
            height: size[1],
            depth_or_array_layers: layers,
        },
        mip_level_count: 1,
        sample_count: 1,
        dimension: wgpu::TextureDimension::D2,
        format,
        usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::TEXTURE_BINDING | more,
        view_formats: &[],
    })
}

//! The pictures that passes of a frame hand to each other, as large as the frame.

/// Linear light; more than 1 where something glows.
pub const COLOUR: wgpu::TextureFormat = wgpu::TextureFormat::Rgba16Float;
/// The place of the block seen at a pixel plus one; 0 where there is none.
pub const IDS: wgpu::TextureFormat = wgpu::TextureFormat::R32Uint;
/// 1 at the near plane, 0 at infinity.
pub const DEPTH: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

pub struct Targets {
    pub size: [u32; 2],
    pub ids_texture: wgpu::Texture,
    pub ids: wgpu::TextureView,
    pub depth: wgpu::TextureView,
    pub colour: wgpu::TextureView,
    /// The mean of the pictures drawn since something moved.
    pub mean: wgpu::TextureView,
}

impl Targets {
    pub fn new(device: &wgpu::Device, size: [u32; 2]) -> Targets {
        let make = |label, format, more| {
            device.create_texture(&wgpu::TextureDescriptor {
                label: Some(label),
                size: wgpu::Extent3d {
                    width: size[0],
                    height: size[1],
                    depth_or_array_layers: 1,
                },
                mip_level_count: 1,
                sample_count: 1,
                dimension: wgpu::TextureDimension::D2,
                format,
                usage: wgpu::TextureUsages::RENDER_ATTACHMENT
                    | wgpu::TextureUsages::TEXTURE_BINDING
                    | more,
                view_formats: &[],
            })
        };
        let view = |texture: &wgpu::Texture| texture.create_view(&Default::default());
        let none = wgpu::TextureUsages::empty();
        let ids_texture = make("ids", IDS, wgpu::TextureUsages::COPY_SRC);
        Targets {
            size,
            ids: view(&ids_texture),
            ids_texture,
            depth: view(&make("depth", DEPTH, none)),
            colour: view(&make("colour", COLOUR, none)),
            mean: view(&make("mean", COLOUR, none)),
        }
    }
}

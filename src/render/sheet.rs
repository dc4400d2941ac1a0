//! Flat views: takes a sheet when it changes, draws it on a texture when asked.

use std::collections::HashMap;

use glyphon::{
    Buffer, Cache, Color, ColorMode, Resolution, TextArea, TextAtlas, TextBounds, TextRenderer,
    Viewport,
};

use super::frame::{FrameGroup, Part, Sample};
use super::gpu::{Gpu, GpuError};
use super::growing::Growing;
use super::pass::{self, Draw, Maker};
use super::readback;
use super::text::Fonts;
use callscape_layout::sheet::{Corner, Fill, Mesh, Raster, Sheet, TextRun};
use callscape_look::image::Image;
use callscape_look::theme::{Palette, encoded};
use callscape_model::theme::Theme;

/// Shaped texts that are kept; beyond that all are forgotten and those in use shaped again.
const KEPT: usize = 8_000;

/// Letters smaller than this are no letters any more, larger ones are no text.
const SMALLEST: f32 = 4.0;
const LARGEST: f32 = 200.0;

pub mod gpu {
    use bytemuck::{Pod, Zeroable};

    /// `Fill` of `shaders/sheet.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Pod, Zeroable)]
    pub struct Fill {
        pub sides: [f32; 4],
        pub colour: [f32; 4],
    }

    /// `MeshCorner` of `shaders/sheet.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Pod, Zeroable)]
    pub struct MeshCorner {
        pub at: [f32; 2],
        pub across: [f32; 2],
        pub colour: [f32; 4],
    }

    /// `Stretch` of `shaders/sheet.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Pod, Zeroable)]
    pub struct Stretch {
        pub sides: [f32; 4],
        pub cells: [f32; 2],
        pub pad: [f32; 2],
    }
}

/// A raster on the device, and what it was made from.
struct Picture {
    raster: Raster,
    texture: wgpu::Texture,
    stretch: wgpu::Buffer,
    group: wgpu::BindGroup,
}

/// Where a shaped text goes.
struct Placed {
    /// Into the shaped texts.
    text: usize,
    run: TextRun,
}

/// Draws the sheet of one view.
pub struct SheetRenderer {
    format: wgpu::TextureFormat,
    frame: FrameGroup,
    fill_layout: wgpu::BindGroupLayout,
    picture_layout: wgpu::BindGroupLayout,
    fill_pipeline: wgpu::RenderPipeline,
    mesh_pipeline: wgpu::RenderPipeline,
    picture_pipeline: wgpu::RenderPipeline,
    corners: Growing,
    corner_group: Option<wgpu::BindGroup>,
    corner_records: Vec<gpu::MeshCorner>,
    triangles: Growing,
    /// How many corners triangles have together.
    drawn: u32,
    /// Fills, then marks.
    fills: Growing,
    fill_group: Option<wgpu::BindGroup>,
    records: Vec<gpu::Fill>,
    /// How many of the records lie below the texts.
    below: u32,
    pictures: Vec<Picture>,
    placed: Vec<Placed>,
    shaped: Vec<Buffer>,
    /// Their places by the bits of their size, so that a text is looked up without a copy of it.
    known: HashMap<u32, HashMap<String, usize>>,
    fonts: Fonts,
    atlas: TextAtlas,
    viewport: Viewport,
    texts: TextRenderer,
}

impl SheetRenderer {
    /// A renderer for targets of the format `target`, which stores colours as sRGB.
    pub fn new(gpu: &Gpu, target: wgpu::TextureFormat) -> SheetRenderer {
        let device = &gpu.device;
        let frame = FrameGroup::new(device);
        let maker = Maker {
            device,
            frame: &frame.layout,
        };
        let module = maker.shader("sheet", SHADER);
        let fill_layout = maker.layout("sheet fills", &[pass::STORAGE]);
        let picture_layout = maker.layout("sheet pictures", &[pass::UNIFORM, pass::COLOUR]);
        let pipeline = |label, layout, vertex, fragment| {
            maker.pipeline(Draw {
                label,
                module: &module,
                layout: Some(layout),
                vertex,
                fragment,
                constants: &[],
                target,
                blend: Some(pass::OVER),
                depth: None,
            })
        };
        let fill_pipeline = pipeline("sheet fills", &fill_layout, "fill_corner", "fill");
        let mesh_pipeline = pipeline("sheet mesh", &fill_layout, "mesh_corner", "on_mesh");
        let picture_pipeline = pipeline(
            "sheet pictures",
            &picture_layout,
            "picture_corner",
            "stretched",
        );
        let mode = if target.is_srgb() {
            ColorMode::Accurate
        } else {
            ColorMode::Web
        };
        let cache = Cache::new(device);
        let mut atlas = TextAtlas::with_color_mode(device, &gpu.queue, &cache, target, mode);
        SheetRenderer {
            format: target,
            fill_layout,
            picture_layout,
            fill_pipeline,
            mesh_pipeline,
            picture_pipeline,
            corners: Growing::new(device, "sheet corners"),
            corner_group: None,
            corner_records: Vec::new(),
            triangles: Growing::with_usage(device, "sheet triangles", wgpu::BufferUsages::INDEX),
            drawn: 0,
            fills: Growing::new(device, "sheet fills"),
            fill_group: None,
            records: Vec::new(),
            below: 0,
            pictures: Vec::new(),
            placed: Vec::new(),
            shaped: Vec::new(),
            known: HashMap::new(),
            fonts: Fonts::default(),
            viewport: Viewport::new(device, &cache),
            texts: TextRenderer::new(&mut atlas, device, wgpu::MultisampleState::default(), None),
            atlas,
            frame,
        }
    }

    /// Takes another sheet. What is not finite is left out.
    pub fn prepare(&mut self, gpu: &Gpu, sheet: &Sheet) {
        self.records.clear();
        self.records.extend(sheet.fills.iter().filter_map(record));
        self.below = self.records.len() as u32;
        self.records.extend(sheet.marks.iter().filter_map(record));
        let bytes = (self.records.len() * size_of::<gpu::Fill>()) as u64;
        if self.fills.reserve(&gpu.device, bytes) {
            self.fill_group = None;
        }
        self.fills.write(&gpu.queue, 0, &self.records);
        let most = Growing::most::<gpu::Fill>(&gpu.device);
        self.records.truncate(most);
        self.below = self.below.min(most as u32);
        self.take_mesh(gpu, &sheet.mesh);
        self.take_pictures(gpu, &sheet.rasters);
        self.take_texts(sheet);
    }

    /// Takes triangles; none of a mesh with a corner that is not there or not finite, or with more than the device can
    /// hold.
    fn take_mesh(&mut self, gpu: &Gpu, mesh: &Mesh) {
        self.drawn = 0;
        let count = mesh.corners.len();
        let is_whole = mesh.triangles.len().is_multiple_of(3)
            && mesh.triangles.iter().all(|&it| (it as usize) < count)
            && mesh.corners.iter().all(is_finite)
            && count <= Growing::most::<gpu::MeshCorner>(&gpu.device)
            && mesh.triangles.len() <= Growing::most::<u32>(&gpu.device);
        if !is_whole || mesh.triangles.is_empty() {
            return;
        }
        self.corner_records.clear();
        let records = mesh.corners.iter().map(|corner| gpu::MeshCorner {
            at: corner.at.to_array(),
            across: corner.across.to_array(),
            colour: corner.color,
        });
        self.corner_records.extend(records);
        let bytes = (count * size_of::<gpu::MeshCorner>()) as u64;
        if self.corners.reserve(&gpu.device, bytes) {
            self.corner_group = None;
        }
        self.corners.write(&gpu.queue, 0, &self.corner_records);
        let bytes = (mesh.triangles.len() * size_of::<u32>()) as u64;
        self.triangles
            .reserve(&gpu.device, bytes.next_multiple_of(16));
        self.triangles.write(&gpu.queue, 0, &mesh.triangles);
        self.drawn = mesh.triangles.len() as u32;
    }

    fn take_pictures(&mut self, gpu: &Gpu, rasters: &[Raster]) {
        let side = gpu.device.limits().max_texture_dimension_2d;
        let fits = |raster: &&Raster| {
            let [columns, rows] = raster.size;
            let cells = columns as usize * rows as usize;
            cells > 0
                && columns.max(rows) <= side
                && raster.pixels.len() == cells
                && raster.rect.min.is_finite()
                && raster.rect.max.is_finite()
        };
        let mut kept = std::mem::take(&mut self.pictures).into_iter();
        for raster in rasters.iter().filter(fits) {
            let picture = match kept.next() {
                Some(mut picture) if picture.raster.size == raster.size => {
                    if picture.raster.pixels != raster.pixels {
                        write_pixels(gpu, &picture.texture, raster);
                    }
                    if picture.raster.rect != raster.rect {
                        write_stretch(gpu, &picture.stretch, raster);
                    }
                    picture.raster.clone_from(raster);
                    picture
                }
                _ => self.make_picture(gpu, raster),
            };
            self.pictures.push(picture);
        }
    }

    fn make_picture(&self, gpu: &Gpu, raster: &Raster) -> Picture {
        let [width, height] = raster.size;
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("sheet picture"),
            size: wgpu::Extent3d {
                width,
                height,
                depth_or_array_layers: 1,
            },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba8UnormSrgb,
            usage: wgpu::TextureUsages::TEXTURE_BINDING | wgpu::TextureUsages::COPY_DST,
            view_formats: &[],
        });
        let stretch = gpu.device.create_buffer(&wgpu::BufferDescriptor {
            label: Some("sheet picture"),
            size: size_of::<gpu::Stretch>() as u64,
            usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        write_pixels(gpu, &texture, raster);
        write_stretch(gpu, &stretch, raster);
        let view = texture.create_view(&Default::default());
        let resources = [
            stretch.as_entire_binding(),
            wgpu::BindingResource::TextureView(&view),
        ];
        Picture {
            raster: raster.clone(),
            group: pass::group(
                &gpu.device,
                "sheet picture",
                &self.picture_layout,
                &resources,
            ),
            texture,
            stretch,
        }
    }

    fn take_texts(&mut self, sheet: &Sheet) {
        if self.shaped.len() > KEPT {
            self.shaped.clear();
            self.known.clear();
        }
        self.placed.clear();
        for run in &sheet.texts {
            let range = run.letters.start as usize..run.letters.end as usize;
            let text = sheet.letters.get(range).unwrap_or_default();
            if text.is_empty() || !run.at.is_finite() || !run.em.is_finite() {
                continue;
            }
            let em = run.em.clamp(SMALLEST, LARGEST);
            let of_size = self.known.entry(em.to_bits()).or_default();
            let place = match of_size.get(text) {
                Some(&place) => place,
                None => {
                    self.shaped.push(self.fonts.line(text, em, false));
                    of_size.insert(text.to_owned(), self.shaped.len() - 1);
                    self.shaped.len() - 1
                }
            };
            self.placed.push(Placed {
                text: place,
                run: run.clone(),
            });
        }
    }

    /// Records the drawing of the sheet taken last; `target` is of the renderer's format and has `size`
    /// pixels, each of them drawn.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        size: [u32; 2],
        theme: Theme,
    ) {
        let has_texts = self.prepare_texts(gpu, size);
        let palette = Palette::of(theme);
        let [slot, ..] = &mut self.frame.slots;
        let camera = callscape_look::camera::Camera {
            eye: glam::Vec3::Z,
            target: glam::Vec3::ZERO,
            fov_y: 1.0,
        };
        let part = Part::all(size);
        slot.prepare(
            &gpu.queue,
            &camera,
            part,
            &palette,
            1.0,
            Sample::new(0),
            true,
            1.0,
            (0.0, 0..0),
        );
        let [red, green, blue] = palette.plate.map(f64::from);
        let group = self.fill_group.get_or_insert_with(|| {
            let fills = self.fills.buffer().as_entire_binding();
            pass::group(&gpu.device, "sheet fills", &self.fill_layout, &[fills])
        });
        let corner_group = self.corner_group.get_or_insert_with(|| {
            let corners = self.corners.buffer().as_entire_binding();
            pass::group(&gpu.device, "sheet mesh", &self.fill_layout, &[corners])
        });
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            label: Some("sheet"),
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: target,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color {
                        r: red,
                        g: green,
                        b: blue,
                        a: 1.0,
                    }),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..Default::default()
        });
        pass.set_bind_group(0, &slot.group, &[]);
        pass.set_pipeline(&self.picture_pipeline);
        for picture in &self.pictures {
            pass.set_bind_group(1, &picture.group, &[]);
            pass.draw(0..6, 0..1);
        }
        pass.set_pipeline(&self.fill_pipeline);
        pass.set_bind_group(1, &*group, &[]);
        pass.draw(0..6, 0..self.below);
        if self.drawn > 0 {
            pass.set_pipeline(&self.mesh_pipeline);
            pass.set_bind_group(1, &*corner_group, &[]);
            pass.set_index_buffer(self.triangles.buffer().slice(..), wgpu::IndexFormat::Uint32);
            pass.draw_indexed(0..self.drawn, 0, 0..1);
            pass.set_pipeline(&self.fill_pipeline);
            pass.set_bind_group(1, &*group, &[]);
        }
        if has_texts {
            let drawn = self.texts.render(&self.atlas, &self.viewport, &mut pass);
            debug_assert!(drawn.is_ok(), "prepared for this atlas and viewport");
            pass.set_bind_group(0, &slot.group, &[]);
            pass.set_pipeline(&self.fill_pipeline);
            pass.set_bind_group(1, &*group, &[]);
        }
        pass.draw(0..6, self.below..self.records.len() as u32);
        drop(pass);
        self.atlas.trim();
    }

    /// Whether there are texts to draw. A full atlas is the only failure: then the sheet stays without.
    fn prepare_texts(&mut self, gpu: &Gpu, [width, height]: [u32; 2]) -> bool {
        self.viewport
            .update(&gpu.queue, Resolution { width, height });
        let areas = self.placed.iter().filter_map(|placed| {
            let buffer = self.shaped.get(placed.text)?;
            let height = buffer.layout_runs().next()?.line_height;
            let run = &placed.run;
            let [r, g, b, a] = run.color;
            let [r, g, b] = [r, g, b].map(encoded);
            let alpha = (a * 255.0).round().clamp(0.0, 255.0) as u8;
            Some(TextArea {
                buffer,
                // On whole pixels the letters stay sharp.
                left: run.at.x.round(),
                top: (run.at.y - 0.5 * height).round(),
                scale: 1.0,
                bounds: TextBounds {
                    left: run.clip.min.x.ceil() as i32,
                    top: run.clip.min.y.ceil() as i32,
                    right: run.clip.max.x.floor() as i32,
                    bottom: run.clip.max.y.floor() as i32,
                },
                default_color: Color::rgba(r, g, b, alpha),
                custom_glyphs: &[],
            })
        });
        let prepared = self.texts.prepare(
            &gpu.device,
            &gpu.queue,
            &mut self.fonts.system,
            &mut self.atlas,
            &self.viewport,
            areas,
            &mut self.fonts.rasters,
        );
        prepared.is_ok() && !self.placed.is_empty()
    }

    /// The picture of `sheet`, without a window; waits for the device.
    pub fn image(
        &mut self,
        gpu: &Gpu,
        sheet: &Sheet,
        size: [u32; 2],
        theme: Theme,
    ) -> Result<Image, GpuError> {
        gpu.check_size(size)?;
        let texture = gpu.device.create_texture(&wgpu::TextureDescriptor {
            label: Some("image"),
            size: wgpu::Extent3d {
                width: size[0],
                height: size[1],
                depth_or_array_layers: 1,
            },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: self.format,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        self.prepare(gpu, sheet);
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let view = texture.create_view(&Default::default());
        self.draw(gpu, &mut encoder, &view, size, theme);
        gpu.queue.submit([encoder.finish()]);
        let image = readback::image(gpu, &texture)?;
        gpu.check()?;
        Ok(image)
    }
}

fn is_finite(corner: &Corner) -> bool {
    corner.at.is_finite() && corner.across.is_finite()
}

fn record(fill: &Fill) -> Option<gpu::Fill> {
    let (min, max) = (fill.rect.min, fill.rect.max);
    let is_seen = min.is_finite() && max.is_finite() && min.cmplt(max).all();
    is_seen.then_some(gpu::Fill {
        sides: [min.x, min.y, max.x, max.y],
        colour: fill.color,
    })
}

fn write_pixels(gpu: &Gpu, texture: &wgpu::Texture, raster: &Raster) {
    gpu.queue.write_texture(
        texture.as_image_copy(),
        bytemuck::cast_slice(&raster.pixels),
        wgpu::TexelCopyBufferLayout {
            offset: 0,
            bytes_per_row: Some(raster.size[0] * 4),
            rows_per_image: None,
        },
        texture.size(),
    );
}

fn write_stretch(gpu: &Gpu, buffer: &wgpu::Buffer, raster: &Raster) {
    let (min, max) = (raster.rect.min, raster.rect.max);
    let record = gpu::Stretch {
        sides: [min.x, min.y, max.x, max.y],
        cells: raster.size.map(|cells| cells as f32),
        pad: [0.0; 2],
    };
    gpu.queue
        .write_buffer(buffer, 0, bytemuck::bytes_of(&record));
}

pub const SHADER: &str = concat!(
    include_str!("../../shaders/sheet.wgsl"),
    include_str!("../../shaders/frame.wgsl"),
);

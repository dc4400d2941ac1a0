//! Call relations and hyperarcs as ribbons evaluated on the device. Reads splines and depth; blends
//! over the colour picture.

use glam::Vec3;

use crate::layout::geometry::{Arc, Arcs};

use super::growing::Growing;
use super::pass::{self, Draw, Maker};
use super::recording::{Depth, Recording};
use super::targets;

/// Segments of a piece, as in the shader.
const SEGMENTS: u32 = 24;
/// An arc of more spans than this is drawn in several pieces.
const SPANS: u32 = 2;

pub mod gpu {
    use bytemuck::{Pod, Zeroable};

    /// `Arc` of `shaders/arcs.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Pod, Zeroable)]
    pub struct Arc {
        pub from_colour: [f32; 4],
        pub to_colour: [f32; 4],
        pub first_point: u32,
        pub points: u32,
        pub width: f32,
        pub pulse: f32,
    }

    /// `Piece` of `shaders/arcs.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Pod, Zeroable)]
    pub struct Piece {
        pub arc: u32,
        pub start: f32,
        pub end: f32,
        pub outlined: u32,
    }
}

pub struct ArcsPass {
    layout: wgpu::BindGroupLayout,
    group: Option<wgpu::BindGroup>,
    pipeline: wgpu::RenderPipeline,
    indices: wgpu::Buffer,
    arcs: Growing,
    points: Growing,
    pieces: Growing,
    /// What the device holds; kept to be filled again without allocating.
    arc_records: Vec<gpu::Arc>,
    point_records: Vec<[f32; 4]>,
    piece_records: Vec<gpu::Piece>,
}

impl ArcsPass {
    pub fn new(maker: &Maker<'_>) -> ArcsPass {
        let layout = maker.layout(
            "arcs",
            &[pass::STORAGE, pass::STORAGE, pass::STORAGE, pass::DEPTH],
        );
        let module = maker.shader("arcs", SHADER);
        ArcsPass {
            group: None,
            pipeline: maker.pipeline(Draw {
                label: "arcs",
                module: &module,
                layout: Some(&layout),
                vertex: "ribbon",
                fragment: "cord",
                constants: &[],
                target: targets::COLOUR,
                blend: Some(pass::OVER),
                depth: None,
            }),
            indices: pass::indices(maker.device, "arcs", SEGMENTS, 2, &[0, 1, 2, 2, 1, 3]),
            arcs: Growing::new(maker.device, "arcs"),
            points: Growing::new(maker.device, "arc points"),
            pieces: Growing::new(maker.device, "arc pieces"),
            arc_records: Vec::new(),
            point_records: Vec::new(),
            piece_records: Vec::new(),
            layout,
        }
    }

    /// The depth picture is another than before.
    pub fn outdate(&mut self) {
        self.group = None;
    }

    /// Takes other arcs; those that name control points that are not there are left out.
    pub fn prepare(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, arcs: &Arcs) {
        self.arc_records.clear();
        self.point_records.clear();
        self.piece_records.clear();
        for outlined in [false, true] {
            for arc in arcs.arcs.iter().filter(|arc| arc.outlined == outlined) {
                let first = arc.first_point as usize;
                let end = first.saturating_add(arc.points as usize);
                if let Some(points) = arcs.points.get(first..end) {
                    self.push(arc, points);
                }
            }
        }
        let fits = self.arc_records.len() <= Growing::most::<gpu::Arc>(device)
            && self.point_records.len() <= Growing::most::<[f32; 4]>(device)
            && self.piece_records.len() <= Growing::most::<gpu::Piece>(device);
        if !fits {
            // Millions of arcs hide everything; none is the better picture.
            self.piece_records.clear();
            return;
        }
        let bytes = |count: usize, record: usize| (count * record) as u64;
        let moved = self
            .arcs
            .reserve(device, bytes(self.arc_records.len(), size_of::<gpu::Arc>()))
            | self
                .points
                .reserve(device, bytes(self.point_records.len(), 16))
            | self.pieces.reserve(
                device,
                bytes(self.piece_records.len(), size_of::<gpu::Piece>()),
            );
        if moved {
            self.group = None;
        }
        self.arcs.write(queue, 0, &self.arc_records);
        self.points.write(queue, 0, &self.point_records);
        self.pieces.write(queue, 0, &self.piece_records);
    }

    fn push(&mut self, arc: &Arc, points: &[Vec3]) {
        let first_point = self.point_records.len() as u32;
        // The shader knows cubic curves only: lower degrees are raised, which is exact.
        let cubic;
        let points = match *points {
            [] | [_] => return,
            [a, b] => {
                cubic = [a, a.lerp(b, 1.0 / 3.0), a.lerp(b, 2.0 / 3.0), b];
                &cubic
            }
            [a, b, c] => {
                cubic = [a, a.lerp(b, 2.0 / 3.0), c.lerp(b, 2.0 / 3.0), c];
                &cubic
            }
            _ => points,
        };
        self.point_records
            .extend(points.iter().map(|point| point.extend(1.0).to_array()));
        let count = self.point_records.len() as u32 - first_point;
        let pieces = (count - 3).div_ceil(SPANS);
        let place = self.arc_records.len() as u32;
        self.arc_records.push(gpu::Arc {
            from_colour: arc.from,
            to_colour: arc.to,
            first_point,
            points: count,
            width: arc.width,
            pulse: arc.pulse,
        });
        self.piece_records
            .extend((0..pieces).map(|piece| gpu::Piece {
                arc: place,
                start: piece as f32 / pieces as f32,
                end: (piece + 1) as f32 / pieces as f32,
                outlined: u32::from(arc.outlined),
            }));
    }

    pub fn draw(&mut self, on: &mut Recording<'_>) {
        if self.piece_records.is_empty() {
            return;
        }
        let group = self.group.get_or_insert_with(|| {
            let resources = [
                self.arcs.buffer().as_entire_binding(),
                self.points.buffer().as_entire_binding(),
                self.pieces.buffer().as_entire_binding(),
                wgpu::BindingResource::TextureView(&on.targets.depth),
            ];
            pass::group(on.device, "arcs", &self.layout, &resources)
        });
        let mut pass = on.pass("arcs", &on.targets.colour, None, Depth::None);
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(1, &*group, &[]);
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        pass.draw_indexed(0..SEGMENTS * 6, 0, 0..self.piece_records.len() as u32);
    }
}

pub const SHADER: &str = concat!(
    include_str!("../../shaders/arcs.wgsl"),
    include_str!("../../shaders/frame.wgsl"),
);

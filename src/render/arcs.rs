//! Call relations and hyperarcs as ribbons evaluated on the device. Reads splines and depth; blends
//! over the colour picture.

use std::ops::Range;

use glam::Vec3;

use crate::layout::emphasis::{Emphasis, Focus};
use crate::layout::geometry::{Arc, Arcs, CORD_SEGMENTS, THREAD_SEGMENTS};

use super::growing::Growing;
use super::pass::{self, Draw, Maker};
use super::recording::{Depth, Recording};
use super::targets;

/// So many control points, or arcs, are compared and written together.
const CHUNK: usize = 1024;

pub mod gpu {
    use bytemuck::{Pod, Zeroable};

    /// `Arc` of `shaders/arcs.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
    pub struct Arc {
        pub from_colour: [f32; 4],
        pub to_colour: [f32; 4],
        pub ends: [u32; 2],
        pub rises: [f32; 2],
        pub first_point: u32,
        pub points: u32,
        pub width: f32,
        pub pulse: f32,
        pub flags: u32,
        /// Among all arcs.
        pub place: u32,
        pub pad0: u32,
        pub pad1: u32,
    }

    pub const OUTLINED: u32 = 1;
    pub const DASHED: u32 = 2;
    pub const CORD: u32 = 4;

    /// `Emphasis` of `shaders/arcs.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
    pub struct Emphasis {
        pub first: u32,
        pub end: u32,
        pub opacity: f32,
        pub pad: u32,
    }

    /// `Focus` of `shaders/arcs.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
    pub struct Focus {
        pub hovered: Emphasis,
        pub before: Emphasis,
        pub chosen: Emphasis,
        pub share: f32,
        pub pad0: f32,
        pub pad1: f32,
        pub pad2: f32,
    }
}

pub struct ArcsPass {
    layout: wgpu::BindGroupLayout,
    group: Option<wgpu::BindGroup>,
    pipeline: wgpu::RenderPipeline,
    ids: wgpu::RenderPipeline,
    /// Of a ribbon of the most segments; one of fewer uses the first of them.
    indices: wgpu::Buffer,
    arcs: Growing,
    points: Growing,
    focus: wgpu::Buffer,
    /// What the device holds.
    records: Vec<gpu::Arc>,
    shown_points: Vec<Vec3>,
    /// Kept to be filled again without allocating.
    next: Vec<gpu::Arc>,
    packed: Vec<[f32; 4]>,
    shown_focus: gpu::Focus,
    /// The arcs of few segments, and those of many, drawn over them.
    threads: Range<u32>,
    cords: Range<u32>,
}

impl ArcsPass {
    pub fn new(maker: &Maker<'_>) -> ArcsPass {
        let layout = maker.layout(
            "arcs",
            &[pass::STORAGE, pass::STORAGE, pass::UNIFORM, pass::DEPTH],
        );
        let module = maker.shader("arcs", SHADER);
        let pipeline = |fragment, target, blend| {
            maker.pipeline(Draw {
                label: "arcs",
                module: &module,
                layout: Some(&layout),
                vertex: "ribbon",
                fragment,
                constants: &[],
                target,
                blend,
                depth: None,
            })
        };
        ArcsPass {
            group: None,
            pipeline: pipeline("cord", targets::COLOUR, Some(pass::OVER)),
            ids: pipeline("which", targets::IDS, None),
            indices: pass::indices(maker.device, "arcs", CORD_SEGMENTS, 2, &[0, 1, 2, 2, 1, 3]),
            arcs: Growing::new(maker.device, "arcs"),
            points: Growing::new(maker.device, "arc points"),
            focus: maker.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("arc focus"),
                size: size_of::<gpu::Focus>() as u64,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            }),
            records: Vec::new(),
            shown_points: Vec::new(),
            next: Vec::new(),
            packed: Vec::new(),
            shown_focus: gpu::Focus::default(),
            threads: 0..0,
            cords: 0..0,
            layout,
        }
    }

    /// The depth picture is another than before.
    pub fn outdate(&mut self) {
        self.group = None;
    }

    /// Takes other arcs; those that name control points that are not there are left out. Whether anything has
    /// changed: only what has is written.
    pub fn prepare(&mut self, device: &wgpu::Device, queue: &wgpu::Queue, arcs: &Arcs) -> bool {
        self.next.clear();
        let is_there = |arc: &Arc| {
            let end = arc.first_point as usize + arc.points as usize;
            arc.points >= 2 && end <= arcs.points.len()
        };
        let kinds = [
            |arc: &Arc| !arc.is_cord && !arc.outlined,
            |arc: &Arc| arc.is_cord && !arc.outlined,
            |arc: &Arc| arc.outlined,
        ];
        let mut threads = 0;
        for (index, is_of_kind) in kinds.into_iter().enumerate() {
            let all = (0u32..).zip(&arcs.arcs);
            let of_kind = all.filter(|(_, arc)| is_there(arc) && is_of_kind(arc));
            self.next
                .extend(of_kind.map(|(place, arc)| record(place, arc)));
            if index == 0 {
                threads = self.next.len() as u32;
            }
        }
        if self.next.len() > Growing::most::<gpu::Arc>(device)
            || arcs.points.len() > Growing::most::<[f32; 4]>(device)
        {
            // Millions of arcs hide everything; none is the better picture.
            self.next.clear();
            threads = 0;
        }
        let all = self.next.len() as u32;
        let is_same_count = self.cords.end == all && self.threads.end == threads;
        (self.threads, self.cords) = (0..threads, threads..all);

        let bytes = |count: usize, record: usize| (count * record) as u64;
        let has_moved = [
            self.arcs
                .reserve(device, bytes(self.next.len(), size_of::<gpu::Arc>())),
            self.points.reserve(device, bytes(arcs.points.len(), 16)),
        ];
        if has_moved.contains(&true) {
            self.group = None;
        }
        if has_moved[0] {
            self.records.clear();
        }
        if has_moved[1] {
            self.shown_points.clear();
        }
        let mut is_other = !is_same_count;
        for range in differing(&self.records, &self.next) {
            self.arcs.write(queue, range.start, &self.next[range]);
            is_other = true;
        }
        std::mem::swap(&mut self.records, &mut self.next);
        for range in differing(&self.shown_points, &arcs.points) {
            self.packed.clear();
            let points = arcs.points[range.clone()].iter();
            self.packed
                .extend(points.map(|point| point.extend(1.0).to_array()));
            self.points.write(queue, range.start, &self.packed);
            is_other = true;
        }
        if is_other {
            self.shown_points.clear();
            self.shown_points.extend_from_slice(&arcs.points);
        }
        is_other
    }

    /// Takes what stands out; whether it is something else.
    pub fn focus(&mut self, queue: &wgpu::Queue, focus: &Focus) -> bool {
        let of = |of: &Emphasis| gpu::Emphasis {
            first: of.blocks.start,
            end: of.blocks.end,
            opacity: of.opacity,
            pad: 0,
        };
        let focus = gpu::Focus {
            hovered: of(&focus.hovered),
            before: of(&focus.before),
            chosen: of(&focus.chosen),
            share: focus.share,
            ..gpu::Focus::default()
        };
        let is_other = self.shown_focus != focus;
        if is_other {
            self.shown_focus = focus;
            queue.write_buffer(&self.focus, 0, bytemuck::bytes_of(&focus));
        }
        is_other
    }

    pub fn draw(&mut self, on: &mut Recording<'_>) {
        self.record(on, None);
    }

    /// Draws in place of their colours which arc is seen where into `ids`: its place among all arcs plus one.
    pub fn draw_ids(&mut self, on: &mut Recording<'_>, ids: &wgpu::TextureView) {
        self.record(on, Some(ids));
    }

    fn record(&mut self, on: &mut Recording<'_>, ids: Option<&wgpu::TextureView>) {
        if self.records.is_empty() && ids.is_none() {
            return;
        }
        let group = self.group.get_or_insert_with(|| {
            let resources = [
                self.arcs.buffer().as_entire_binding(),
                self.points.buffer().as_entire_binding(),
                self.focus.as_entire_binding(),
                wgpu::BindingResource::TextureView(&on.targets.depth),
            ];
            pass::group(on.device, "arcs", &self.layout, &resources)
        });
        let target = ids.unwrap_or(&on.targets.colour);
        let clear = ids.map(|_| wgpu::Color::TRANSPARENT);
        let mut pass = on.pass("arcs", target, clear, Depth::None);
        pass.set_pipeline(if ids.is_some() {
            &self.ids
        } else {
            &self.pipeline
        });
        pass.set_bind_group(1, &*group, &[]);
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        for (segments, arcs) in [
            (THREAD_SEGMENTS, &self.threads),
            (CORD_SEGMENTS, &self.cords),
        ] {
            if !arcs.is_empty() {
                pass.draw_indexed(0..segments * 6, 0, arcs.clone());
            }
        }
    }
}

fn record(place: u32, arc: &Arc) -> gpu::Arc {
    let flag = |is_set: bool, flag: u32| if is_set { flag } else { 0 };
    gpu::Arc {
        from_colour: arc.from,
        to_colour: arc.to,
        ends: arc.ends,
        rises: arc.rises,
        first_point: arc.first_point,
        points: arc.points,
        width: arc.width,
        pulse: arc.pulse,
        flags: flag(arc.outlined, gpu::OUTLINED)
            | flag(arc.dashed, gpu::DASHED)
            | flag(arc.segments() == CORD_SEGMENTS, gpu::CORD),
        place,
        pad0: 0,
        pad1: 0,
    }
}

/// The parts of `new` that are not in `old` at the same place, in chunks.
fn differing<'a, T: PartialEq>(
    old: &'a [T],
    new: &'a [T],
) -> impl Iterator<Item = Range<usize>> + 'a {
    let starts = (0..new.len()).step_by(CHUNK);
    let chunks = starts.map(|start| start..(start + CHUNK).min(new.len()));
    chunks.filter(|range| old.get(range.clone()) != Some(&new[range.clone()]))
}

pub const SHADER: &str = concat!(
    include_str!("../../shaders/arcs.wgsl"),
    include_str!("../../shaders/frame.wgsl"),
);

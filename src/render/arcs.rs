//! Call relations and hyperarcs as ribbons evaluated on the device. Reads splines, looks and depth; blends
//! over the colour picture.
//!
//! While a trace plays only what is other than before is sent: records of arcs are small and say nothing of what the
//! device knows, how far blocks have risen and where lights are.

use std::ops::Range;

use glam::Vec3;

use callscape_layout::emphasis::{Emphasis, Focus};
use callscape_layout::geometry::{Arc, Arcs, Fineness, MOST_SEGMENTS, Settled};

use super::city::City;
use super::growing::{Growing, each_difference, keep};
use super::pass::{self, Draw, Maker};
use super::recording::{Depth, Recording};
use super::targets;
use super::uniform::Uniform;

/// More control points than a path over the deepest tree has.
const MOST_POINTS: u32 = 0xFFFF;
/// More inks than threads are shown.
const MOST_INKS: u32 = 0xFF;

pub(crate) mod gpu {
    use bytemuck::{Pod, Zeroable};

    /// `Arc` of `shaders/arcs.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
    pub(crate) struct Arc {
        pub ends: [u32; 2],
        pub first_point: u32,
        /// From the lowest bit on: how many points, 16 bits; its ink, 8; the flags.
        pub points_ink_flags: u32,
        pub span: f32,
        pub width: f32,
        pub opacity: f32,
        /// Among all arcs.
        pub place: u32,
    }

    pub(crate) const OUTLINED: u32 = 1 << 24;
    pub(crate) const DASHED: u32 = 2 << 24;
    pub(crate) const CORD: u32 = 4 << 24;
    pub(crate) const LIT: u32 = 8 << 24;

    impl Arc {
        /// Threads are drawn first, then cords, then what is outlined.
        pub(crate) fn layer(&self) -> u32 {
            match self.points_ink_flags {
                flags if flags & OUTLINED != 0 => 2,
                flags if flags & CORD != 0 => 1,
                _ => 0,
            }
        }
    }

    /// `Ink` of `shaders/arcs.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
    pub(crate) struct Ink {
        pub caller: [f32; 4],
        pub callee: [f32; 4],
    }

    /// `Emphasis` of `shaders/arcs.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
    pub(crate) struct Emphasis {
        pub first: u32,
        pub end: u32,
        pub opacity: f32,
        pub pad: u32,
    }

    /// `Focus` of `shaders/arcs.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
    pub(crate) struct Focus {
        pub hovered: Emphasis,
        pub before: Emphasis,
        pub chosen: Emphasis,
        pub squares: [f32; 2],
        pub most: [f32; 2],
        pub share: f32,
        pub phase: f32,
        pub pad: [f32; 2],
    }
}

pub(crate) struct ArcsPass {
    layout: wgpu::BindGroupLayout,
    group: Option<wgpu::BindGroup>,
    pipeline: wgpu::RenderPipeline,
    ids: wgpu::RenderPipeline,
    /// Of a ribbon of the most segments; one of fewer uses the first of them.
    indices: wgpu::Buffer,
    arcs: Growing,
    points: Growing,
    inks: Growing,
    focus: Uniform<gpu::Focus>,
    /// What the device holds.
    records: Vec<gpu::Arc>,
    shown_points: Vec<Vec3>,
    /// Which of them stay.
    settled: Settled,
    shown_inks: Vec<gpu::Ink>,
    /// Kept to be filled again without allocating.
    next: Vec<gpu::Arc>,
    next_inks: Vec<gpu::Ink>,
    packed: Vec<[f32; 4]>,
    shown_focus: gpu::Focus,
    /// The arcs of few segments, and those of many, drawn over them.
    threads: Range<u32>,
    cords: Range<u32>,
}

impl ArcsPass {
    pub(crate) fn new(maker: &Maker<'_>) -> ArcsPass {
        let layout = maker.layout(
            "arcs",
            &[
                pass::STORAGE,
                pass::STORAGE,
                pass::STORAGE,
                pass::STORAGE,
                pass::UNIFORM,
                pass::DEPTH,
            ],
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
            indices: pass::indices(maker.device, "arcs", MOST_SEGMENTS, 2, &[0, 1, 2, 2, 1, 3]),
            arcs: Growing::new(maker.device, "arcs"),
            points: Growing::new(maker.device, "arc points"),
            inks: Growing::new(maker.device, "arc inks"),
            focus: Uniform::new(maker.device, "arc focus"),
            records: Vec::new(),
            shown_points: Vec::new(),
            settled: Settled::default(),
            shown_inks: Vec::new(),
            next: Vec::new(),
            next_inks: Vec::new(),
            packed: Vec::new(),
            shown_focus: gpu::Focus::default(),
            threads: 0..0,
            cords: 0..0,
            layout,
        }
    }

    /// The depth picture, or the buffer of looks, is another than before.
    pub(crate) fn outdate(&mut self) {
        self.group = None;
    }

    /// Takes the records of arcs, layer by layer, and leaves out those that name control points that are not there. How
    /// many are drawn as threads.
    fn take_records(&mut self, device: &wgpu::Device, arcs: &Arcs) -> u32 {
        self.next.clear();
        let (mut threads, mut last, mut is_in_order) = (0, 0, true);
        for (place, arc) in (0u32..).zip(&arcs.arcs) {
            let end = arc.first_point as usize + arc.points as usize;
            let is_there = (2..=MOST_POINTS).contains(&arc.points) && end <= arcs.points.len();
            if is_there {
                let record = record(place, arc);
                let layer = record.layer();
                is_in_order &= layer >= last;
                threads += u32::from(layer == 0);
                last = layer;
                self.next.push(record);
            }
        }
        if !is_in_order {
            // By place within a layer, so that this does not allocate and is what a stable order would be.
            self.next
                .sort_unstable_by_key(|record| (record.layer(), record.place));
        }
        if self.next.len() > Growing::most::<gpu::Arc>(device)
            || arcs.points.len() > Growing::most::<[f32; 4]>(device)
        {
            // Millions of arcs hide everything; none is the better picture.
            self.next.clear();
            return 0;
        }
        threads
    }

    /// Takes other arcs; those that name control points that are not there are left out. Whether anything has
    /// changed: only what has is written.
    pub(crate) fn prepare(
        &mut self,
        device: &wgpu::Device,
        queue: &wgpu::Queue,
        arcs: &Arcs,
    ) -> bool {
        let threads = self.take_records(device, arcs);
        let all = self.next.len() as u32;
        let is_same_count = self.cords.end == all && self.threads.end == threads;
        (self.threads, self.cords) = (0..threads, threads..all);
        self.next_inks.clear();
        let opaque = |[r, g, b]: [f32; 3]| [r, g, b, 1.0];
        self.next_inks
            .extend(arcs.inks.iter().map(|&[caller, callee]| gpu::Ink {
                caller: opaque(caller),
                callee: opaque(callee),
            }));

        let bytes = |count: usize, record: usize| (count * record) as u64;
        let of_inks = bytes(self.next_inks.len(), size_of::<gpu::Ink>());
        let has_moved = [
            self.arcs
                .reserve(device, bytes(self.next.len(), size_of::<gpu::Arc>())),
            self.points.reserve(device, bytes(arcs.points.len(), 16)),
            self.inks.reserve(device, of_inks),
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
        if has_moved[2] {
            self.shown_inks.clear();
        }
        let mut is_other = !is_same_count;
        each_difference(&self.records, &self.next, |range| {
            self.arcs.write(queue, range.start, &self.next[range]);
            is_other = true;
        });
        std::mem::swap(&mut self.records, &mut self.next);
        let same = self.settled.shared(arcs.settled);
        let same = same.min(self.shown_points.len()).min(arcs.points.len());
        let (old, new) = (&self.shown_points[same..], &arcs.points[same..]);
        each_difference(old, new, |range| {
            self.packed.clear();
            let points = new[range.clone()].iter();
            self.packed
                .extend(points.map(|point| point.extend(1.0).to_array()));
            self.points.write(queue, same + range.start, &self.packed);
            is_other = true;
        });
        keep(&mut self.shown_points, &arcs.points, same);
        self.settled = arcs.settled;
        each_difference(&self.shown_inks, &self.next_inks, |range| {
            self.inks.write(queue, range.start, &self.next_inks[range]);
            is_other = true;
        });
        std::mem::swap(&mut self.shown_inks, &mut self.next_inks);
        let focus = gpu::Focus {
            phase: arcs.phase,
            ..self.shown_focus
        };
        self.show_focus(focus) | is_other
    }

    /// Takes what stands out; whether it is something else.
    pub(crate) fn focus(&mut self, focus: &Focus) -> bool {
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
            ..self.shown_focus
        };
        self.show_focus(focus)
    }

    fn show_focus(&mut self, focus: gpu::Focus) -> bool {
        std::mem::replace(&mut self.shown_focus, focus) != focus
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Draws them over a picture.
    pub(crate) fn draw(&mut self, on: &mut Recording<'_>, city: &City, over: &wgpu::TextureView) {
        if !self.records.is_empty() {
            self.record(on, city, over, false);
        }
    }

    /// Draws in place of their colours which arc is seen where into `ids`: its place among all arcs plus one.
    pub(crate) fn draw_ids(
        &mut self,
        on: &mut Recording<'_>,
        city: &City,
        ids: &wgpu::TextureView,
    ) {
        self.record(on, city, ids, true);
    }

    fn record(
        &mut self,
        on: &mut Recording<'_>,
        city: &City,
        target: &wgpu::TextureView,
        are_ids: bool,
    ) {
        let fineness = Fineness::new(on.pixels_below());
        self.shown_focus.squares = fineness.squares;
        self.shown_focus.most = fineness.most.map(|most| most as f32);
        self.focus.write(on.queue, self.shown_focus);
        let group = self.group.get_or_insert_with(|| {
            let resources = [
                self.arcs.buffer().as_entire_binding(),
                self.points.buffer().as_entire_binding(),
                self.inks.buffer().as_entire_binding(),
                city.looks.buffer().as_entire_binding(),
                self.focus.binding(),
                wgpu::BindingResource::TextureView(&on.targets.depth),
            ];
            pass::group(on.device, "arcs", &self.layout, &resources)
        });
        let clear = are_ids.then_some(wgpu::Color::TRANSPARENT);
        let mut pass = on.pass("arcs", target, clear, Depth::None);
        pass.set_pipeline(if are_ids { &self.ids } else { &self.pipeline });
        pass.set_bind_group(1, &*group, &[]);
        pass.set_index_buffer(self.indices.slice(..), wgpu::IndexFormat::Uint32);
        for (segments, arcs) in fineness.most.into_iter().zip([&self.threads, &self.cords]) {
            if !arcs.is_empty() {
                pass.draw_indexed(0..segments * 6, 0, arcs.clone());
            }
        }
    }
}

fn record(place: u32, arc: &Arc) -> gpu::Arc {
    let flag = |is_set: bool, flag: u32| if is_set { flag } else { 0 };
    gpu::Arc {
        ends: arc.ends,
        first_point: arc.first_point,
        points_ink_flags: arc.points
            | arc.ink.min(MOST_INKS) << 16
            | flag(arc.outlined, gpu::OUTLINED)
            | flag(arc.dashed, gpu::DASHED)
            | flag(arc.is_cord || arc.outlined, gpu::CORD)
            | flag(arc.is_lit, gpu::LIT),
        span: if arc.span.is_finite() { arc.span } else { 0.0 },
        width: arc.width,
        opacity: arc.opacity,
        place,
    }
}

pub(crate) const SHADER: &str = concat!(
    include_str!("../../shaders/arcs.wgsl"),
    include_str!("../../shaders/city.wgsl"),
    include_str!("../../shaders/frame.wgsl"),
);

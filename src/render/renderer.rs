//! The landscape's renderer: takes geometry when it changes, draws a frame when asked.

/// Begins recording what belongs to a picture, in a slot below [`SLOTS`]; borrows but what it needs of the renderer.
macro_rules! recording {
    ($self:ident, $gpu:ident, $encoder:expr, $frame:ident, $targets:ident, $slot:expr) => {
        Recording {
            device: &$gpu.device,
            queue: &$gpu.queue,
            encoder: $encoder,
            slot: $slot,
            frame: &$self.frame.slots[$slot].group,
            camera: &$frame.camera,
            part: $self.part,
            scale: $self.scale,
            targets: $targets,
            timings: &mut $self.timings,
        }
    };
}

mod picking;
mod quick;
mod still;

use glam::Vec3;

use crate::gpu::quality_for;
use callscape_base::units::ModuleId;
use callscape_layout::emphasis::Focus;
use callscape_layout::geometry::{Arcs, Block, BlockLook, ChangedLooks, FlatLabel, ScreenLabel};
use callscape_look::theme::Palette;

use super::accumulate::Accumulate;
use super::arcs::ArcsPass;
use super::blocks::Blocks;
use super::city::{Change, City};
use super::compose::Compose;
use super::cull::Cull;
use super::ease::Ease;
use super::flat_labels::FlatLabels;
use super::frame::{FrameGroup, Part, SLOTS, Sample};
use super::gpu::Gpu;
use super::heights::Heights;
use super::outline::{OutlinePass, Outlined};
use super::pass::{Maker, made_at_once};
use super::readback::Picks;
use super::recording::Recording;
use super::resolve::Resolve;
use super::scatter::Scatter;
use super::screen_labels::ScreenLabels;
use super::steady::{Motion, Steady};
use super::targets::{Source, Targets};
use super::text::Fonts;
use super::timings::Timings;
use callscape_look::camera::Camera;
use callscape_look::quality::{Light, Quality};
use callscape_model::theme::Theme;

/// What one frame shows of the geometry that the renderer holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    pub camera: Camera,
    /// Of the target, in physical pixels.
    pub size: [u32; 2],
    pub theme: Theme,
    /// Outlined: a module, or both ends of a call relation.
    pub hovered: [Option<ModuleId>; 2],
    pub selected: [Option<ModuleId>; 2],
    pub quality: Quality,
}

/// Means of fewer pictures than this still have their edges smoothed.
const SMOOTH_BELOW: u32 = 4;

/// How much darker is what a flashlight does not meet.
const DIM: f32 = 0.72;

/// How many pictures of a frame a device draws at once while things move: a fast one smooths edges so.
fn together(device: wgpu::DeviceType) -> u32 {
    match device {
        wgpu::DeviceType::DiscreteGpu => SLOTS as u32,
        wgpu::DeviceType::IntegratedGpu | wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Cpu | wgpu::DeviceType::Other => 1,
    }
}

/// How finely light is sought in a frame in which something is new, where it is to be sought so finely at rest: a device
/// that draws one picture at once is slow.
fn quick_light(light: Light, together: u32) -> Light {
    match together {
        1 => light.coarser(),
        _ => light,
    }
}

/// What holds the mean of so many pictures.
fn source(averaged: u32) -> Source {
    if averaged == 0 {
        Source::Colour
    } else {
        Source::Mean
    }
}

/// Draws the landscape.
pub struct Renderer {
    format: wgpu::TextureFormat,
    frame: FrameGroup,
    targets: Option<Targets>,
    city: City,
    scatter: Scatter,
    ease: Ease,
    cull: Cull,
    heights: Heights,
    blocks: Blocks,
    resolve: Resolve,
    outline: OutlinePass,
    flat_labels: FlatLabels,
    arcs: ArcsPass,
    accumulate: Accumulate,
    steady: Steady,
    compose: Compose,
    screen_labels: ScreenLabels,
    fonts: Fonts,
    picks: Picks,
    timings: Timings,
    /// What was given last, to leave out work that changes nothing.
    shown_flat: Vec<FlatLabel>,
    shown_screen: Vec<ScreenLabel>,
    /// How many pictures are drawn and averaged for each frame.
    together: u32,
    /// Whether the ground is drawn; pictures without it are transparent there.
    backdrop: bool,
    /// Pixels that lines are drawn as wide as one.
    scale: f32,
    /// What a flashlight leaves as it is: a module, or nothing; none without one.
    spot: Option<Option<ModuleId>>,
    /// What of the frame is drawn.
    part: Part,
    /// The frame drawn last, if nothing changed since, and how many pictures of it were averaged.
    last: Option<(Frame, u32)>,
    /// The frame drawn last, whatever changed since.
    seen: Option<Frame>,
}

impl Renderer {
    /// A renderer for targets of the format `target`: four bytes a pixel, sRGB or not.
    pub fn new(gpu: &Gpu, target: wgpu::TextureFormat) -> Renderer {
        let device = &gpu.device;
        let frame = FrameGroup::new(device);
        let maker = &Maker {
            device,
            frame: &frame.layout,
        };
        let kind = gpu.adapter.get_info().device_type;
        let together = together(kind);
        let quality = quality_for(kind);
        let first = (quick_light(quality.light, together), quality.shadow);
        made_at_once! {
            resolve: Resolve::new(maker, first),
            arcs: ArcsPass::new(maker),
            cull: Cull::new(maker),
            steady: Steady::new(maker),
            compose: Compose::new(maker, target),
            screen_labels: ScreenLabels::new(maker, &gpu.queue, target),
            heights: Heights::new(maker),
            flat_labels: FlatLabels::new(maker),
            outline: OutlinePass::new(maker),
            blocks: Blocks::new(maker),
            scatter: Scatter::new(maker),
            ease: Ease::new(maker),
            accumulate: Accumulate::new(maker),
        }
        Renderer {
            format: target,
            targets: None,
            city: City::new(device),
            scatter,
            ease,
            cull,
            heights,
            blocks,
            resolve,
            outline,
            flat_labels,
            arcs,
            accumulate,
            steady,
            compose,
            screen_labels,
            fonts: Fonts::default(),
            picks: Picks::new(device),
            timings: Timings::new(device, &gpu.queue),
            shown_flat: Vec::new(),
            shown_screen: Vec::new(),
            together,
            backdrop: true,
            scale: 1.0,
            spot: None,
            part: Part::all([1, 1]),
            last: None,
            seen: None,
            frame,
        }
    }

    /// How many blocks can be drawn on a device; those beyond are left out.
    pub fn most_blocks(gpu: &Gpu) -> usize {
        City::most(&gpu.device)
    }

    /// Takes a new layout, in preorder of modules; all blocks are at rest until `set_looks`.
    pub fn set_blocks(&mut self, gpu: &Gpu, blocks: &[Block]) {
        let change = self.city.set_blocks(&gpu.device, &gpu.queue, blocks);
        self.ease.forget();
        self.changed(change);
    }

    /// The blocks, just taken, come from other places: the lowest and highest corner of each. They are drawn where
    /// they start until [`move_on`](Self::move_on). The device moves them; nothing more is uploaded.
    pub fn start_from(&mut self, gpu: &Gpu, corners: &[(Vec3, Vec3)]) {
        let (starts, goals) = self.city.start_from(corners);
        self.ease.prepare(&gpu.device, &gpu.queue, starts, goals);
        self.changed(Change {
            visible: true,
            relief: true,
            moved: false,
        });
    }

    /// Brings blocks on their way so far: 0 where they started, 1 where they stay. Whether they move.
    pub fn move_on(&mut self, share: f32) -> bool {
        let is_moving = self.ease.set(share);
        if is_moving {
            if share >= 1.0 {
                self.city.arrive();
            }
            self.changed(Change {
                visible: true,
                relief: true,
                moved: false,
            });
        }
        is_moving
    }

    /// Takes the looks of the blocks from `first` on; those past the last block are left out.
    pub fn set_looks(&mut self, first: usize, looks: &[BlockLook]) {
        let change = self.city.set_looks(first, looks);
        self.changed(change);
    }

    /// The same of what of the looks of all is other than before.
    pub fn set_changed_looks(&mut self, looks: &[BlockLook], changed: ChangedLooks<'_>) {
        let change = match changed {
            ChangedLooks::All => self.city.set_looks(0, looks),
            ChangedLooks::Activity(activity) => self.city.set_activity(activity),
        };
        self.changed(change);
    }

    fn changed(&mut self, change: Change) {
        if change.moved {
            self.resolve.outdate();
            self.scatter.outdate();
            self.arcs.outdate();
            self.flat_labels.outdate();
        }
        if change.relief {
            self.heights.outdate();
            self.cull.outdate(change.moved);
        }
        if change.visible {
            self.last = None;
        }
    }

    /// Takes other arcs.
    pub fn set_arcs(&mut self, gpu: &Gpu, arcs: &Arcs) {
        if self.arcs.prepare(&gpu.device, &gpu.queue, arcs) {
            self.last = None;
        }
    }

    /// Takes which arcs stand out and which step back; whether they are others.
    pub fn focus_arcs(&mut self, focus: &Focus) -> bool {
        let is_other = self.arcs.focus(focus);
        if is_other {
            self.last = None;
        }
        is_other
    }

    /// Takes other labels.
    pub fn set_labels(&mut self, gpu: &Gpu, flat: &[FlatLabel], screen: &[ScreenLabel]) {
        if self.shown_flat != flat {
            flat.clone_into(&mut self.shown_flat);
            self.flat_labels
                .prepare(&gpu.device, &gpu.queue, &mut self.fonts, flat);
            self.last = None;
        }
        if self.shown_screen != screen {
            screen.clone_into(&mut self.shown_screen);
            self.screen_labels
                .prepare(&gpu.device, &gpu.queue, &mut self.fonts, screen);
        }
    }

    /// Records the passes of a frame; `target` is of the renderer's format and the frame's size.
    /// Draws nothing on a target without pixels or larger than the device can draw.
    pub fn draw(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        target: &wgpu::TextureView,
        frame: &Frame,
    ) {
        if gpu.check_size(frame.size).is_err() {
            return;
        }
        self.part = Part::all(frame.size);
        let (is_same, mut averaged) = match &self.last {
            Some((last, averaged)) if last == frame => (true, *averaged),
            _ => (false, 0),
        };
        let before = self.seen.replace(*frame);
        let is_in_theme = before.is_some_and(|before| before.theme == frame.theme);
        if is_in_theme && self.steady.is_on_way(&frame.camera, frame.size) {
            // Not the camera alone is another: looks, arcs and names, or what is pointed at and chosen.
            let marks = |of: Frame| (of.hovered, of.selected);
            let is_lively = self.last.is_none() || before.map(marks) != Some(marks(*frame));
            let first = self.steady.next_shift(self.together);
            // The depth is that of the picture drawn last.
            let jitter = Sample::new(first + self.together - 1).jitter;
            let motion = Motion::Moves { jitter, is_lively };
            self.draw_quick(gpu, encoder, frame, first, motion, target);
            return;
        }
        let is_slow = (self.together as usize) < SLOTS;
        if is_slow {
            if !is_in_theme || !self.steady.is_at_rest(&frame.camera, frame.size) {
                self.steady.pass_by(&frame.camera, frame.size);
            }
            if !is_same || averaged == 0 && !self.steady.is_complete(self.together) {
                let (turn, first) = self.steady.next_turn(self.together);
                let is_lively = !is_same;
                let motion = Motion::Rests { turn, is_lively };
                self.draw_quick(gpu, encoder, frame, first, motion, target);
                return;
            }
        } else {
            self.steady.pass_by(&frame.camera, frame.size);
        }
        let more = frame.quality.samples.saturating_sub(averaged);
        for slot in 0..more.min(self.together) {
            averaged += 1;
            let sample = Sample::new(averaged);
            self.draw_sample(gpu, encoder, frame, sample, slot as usize);
            self.average(gpu, encoder, frame, averaged, slot as usize);
        }
        self.last = Some((*frame, averaged));
        let smooth = averaged < SMOOTH_BELOW;
        let (source, smooth) = if smooth && self.steady.has_begun() {
            // Until there are enough pictures what was seen before is better.
            (self.steady_source(), false)
        } else {
            (source(averaged), smooth)
        };
        self.finish(gpu, encoder, frame, source, smooth, target);
    }

    /// Adds arcs to the picture just drawn, and it to the mean, as the one of number `index`.
    fn average(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        frame: &Frame,
        index: u32,
        slot: usize,
    ) {
        self.draw_arcs(gpu, encoder, frame, slot, Source::Colour);
        if let Some(targets) = &self.targets {
            let on = &mut recording!(self, gpu, encoder, frame, targets, slot);
            self.accumulate.draw(on, index);
        }
    }

    fn draw_arcs(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        frame: &Frame,
        slot: usize,
        over: Source,
    ) {
        if let Some(targets) = &self.targets
            && frame.quality.light != Light::None
        {
            let on = &mut recording!(self, gpu, encoder, frame, targets, slot);
            let over = targets.picture(&gpu.device, over);
            self.arcs.draw(on, &self.city, over);
        }
    }

    /// Tells the passes of a picture what it is of.
    fn prepare(&mut self, gpu: &Gpu, frame: &Frame, sample: Sample, slot: usize) {
        let spot = self.spot.map_or((0.0, 0..0), |module| {
            let lit = module.and_then(|module| self.city.blocks_of(module));
            (DIM, lit.unwrap_or(0..0))
        });
        self.frame.slots[slot].prepare(
            &gpu.queue,
            &frame.camera,
            self.part,
            &Palette::of(frame.theme),
            self.city.levels,
            sample,
            self.backdrop,
            self.scale,
            spot,
        );
    }

    /// Draws a picture but for arcs; `slot` numbers the pictures whose commands are submitted together, below [`SLOTS`].
    fn draw_sample(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        frame: &Frame,
        sample: Sample,
        slot: usize,
    ) {
        if self
            .targets
            .as_ref()
            .is_none_or(|targets| targets.size != self.part.size)
        {
            self.targets = None;
            self.resolve.outdate();
            self.outline.outdate();
            self.arcs.outdate();
            self.accumulate.outdate();
            self.steady.outdate();
            self.compose.outdate();
        }
        self.prepare(gpu, frame, sample, slot);
        let palette = Palette::of(frame.theme);
        let targets = self
            .targets
            .get_or_insert_with(|| Targets::new(&gpu.device, self.part.size));
        let on = &mut recording!(self, gpu, encoder, frame, targets, slot);
        self.scatter.draw(on, &mut self.city);
        let city = &self.city;
        self.ease.draw(on, city);
        let squares = match frame.quality.light {
            // Nothing is sought in them: they wait.
            Light::None => self.heights.drawn(),
            _ => self.heights.draw(on, city, &mut self.cull),
        };
        self.blocks.draw(on, city, &mut self.cull);
        self.resolve.draw(
            on,
            city,
            &self.heights,
            &squares,
            (frame.quality.light, frame.quality.shadow),
            sample,
        );
        let outlined = |modules: [Option<ModuleId>; 2], colour, wide| {
            // Both ends of a relation are enough to see.
            let with_around = wide && modules[1].is_none();
            let modules = modules.into_iter().flatten();
            let blocks = modules.filter_map(|module| city.blocks_of(module));
            blocks.map(move |blocks| Outlined {
                blocks,
                colour,
                wide,
                with_around,
            })
        };
        let selected = outlined(frame.selected, palette.selected, true);
        let hovered = outlined(frame.hovered, palette.hovered, false);
        self.outline.draw(on, city, selected.chain(hovered));
        self.flat_labels.draw(on, city);
    }

    /// Shows what was drawn.
    fn finish(
        &mut self,
        gpu: &Gpu,
        encoder: &mut wgpu::CommandEncoder,
        frame: &Frame,
        source: Source,
        smooth: bool,
        target: &wgpu::TextureView,
    ) {
        let Some(targets) = &self.targets else {
            return;
        };
        let on = &mut recording!(self, gpu, encoder, frame, targets, 0);
        self.compose.draw(on, source, smooth, target);
        self.screen_labels
            .draw(on, &mut self.fonts, &Palette::of(frame.theme), target);
        self.timings.finish(encoder);
    }

    /// Whether drawing the same frame again would not make the picture better.
    pub fn settled(&self) -> bool {
        self.last
            .is_some_and(|(frame, averaged)| averaged >= frame.quality.samples)
    }

    /// How many pictures are averaged for a frame while things move: at first as many as suit a device of this kind.
    pub fn together(&self) -> u32 {
        self.together
    }

    /// Has so many averaged from the next frame on, 1, 2 or 4. What was seen before goes on.
    pub fn set_together(&mut self, together: u32) {
        let together = together.clamp(1, SLOTS as u32);
        if together == self.together {
            return;
        }
        self.together = together;
        self.steady.take_others();
        if let Some(targets) = &mut self.targets {
            targets.forget_turns();
        }
    }

    /// Leaves the ground out of pictures, all but the shadows on it, or draws it again.
    pub fn set_transparent(&mut self, is_transparent: bool) {
        self.backdrop = !is_transparent;
        self.last = None;
    }

    /// Draws arcs and outlines for pixels so many times as fine as usual.
    pub fn set_scale(&mut self, scale: f32) {
        let scale = if scale.is_finite() {
            scale.clamp(0.25, 32.0)
        } else {
            1.0
        };
        if scale != self.scale {
            self.scale = scale;
            self.last = None;
        }
    }

    /// Dims all but a module, everything for the inner none, or nothing.
    /// Whether that is another than before.
    pub fn set_spot(&mut self, spot: Option<Option<ModuleId>>) -> bool {
        let is_other = spot != self.spot;
        if is_other {
            self.spot = spot;
            self.last = None;
        }
        is_other
    }

    /// How long each pass of a recent frame took on the device in milliseconds; empty where the
    /// device cannot tell. Never waits.
    pub fn timings(&mut self, gpu: &Gpu) -> &[(&'static str, f32)] {
        self.timings.read(&gpu.device)
    }
}

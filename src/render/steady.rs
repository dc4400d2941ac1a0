//! Pictures that follow each other, each mixed into the mean of those before it: of a moving camera, and of one that rests
//! while something changes. Reads the colour picture or the mean of several, the depth, and the steady picture of the
//! frame before; writes that of this one.
//!
//! At rest pictures with a few shifts take turns. What differs from the one before with the same shift has changed; where
//! nothing has, the mean of all is what a device that draws so many at once shows.

use glam::{Mat4, Vec2};

use super::frame::SLOTS;
use super::pass::{self, Draw, Maker};
use super::recording::{Depth, Recording};
use super::targets::{self, Source};
use super::uniform::Uniform;
use callscape_look::camera::Camera;

pub(crate) mod gpu {
    use bytemuck::{Pod, Zeroable};

    /// `Steady` of `shaders/steady.wgsl`.
    #[repr(C)]
    #[derive(Clone, Copy, Debug, Pod, Zeroable)]
    pub(crate) struct Steady {
        pub clip_from_world: [[f32; 4]; 4],
        pub jitter: [f32; 2],
        pub near: f32,
        pub share: f32,
        pub period: u32,
        pub layer: u32,
        pub same: f32,
        pub others: u32,
    }
}

/// The share of a new picture that is never fallen short of: what moves otherwise is seen soon.
const LEAST_SHARE: f32 = 0.12;
/// The same where not the camera alone has changed what is seen.
const LEAST_SHARE_LIVELY: f32 = 0.4;

/// A finished picture counts as so many.
const FINISHED: u32 = 5;

/// Shapes whose sides differ by less than this share are the same but for rounding.
const SAME_SHAPE: f32 = 0.02;

/// How many shifts of the picture follow each other while the camera moves.
const SHIFTS: u32 = 8;

/// The first of the samples that take turns at rest: from this one on they lie evenly in a pixel.
const FIRST_TURN: u32 = SLOTS as u32;

/// By how much, and by what share, what has not changed differs at most between two pictures with the same shift.
const SAME: f32 = 0.02;

/// Before what camera a picture was drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Motion {
    /// It may be another than in the frame before.
    Moves {
        /// The shift of the picture in pixels.
        jitter: Vec2,
        /// Whether more than the camera is another than in the frame before.
        is_lively: bool,
    },
    /// It is that of the frame before; with the shift of this turn, and whether all else may be another.
    Rests { turn: u32, is_lively: bool },
}

pub(crate) struct Steady {
    layout: wgpu::BindGroupLayout,
    sampler: wgpu::Sampler,
    uniform: Uniform<gpu::Steady>,
    pipeline: wgpu::RenderPipeline,
    rest: Rest,
    /// For a mean on either of the two pictures that take turns.
    groups: [Option<wgpu::BindGroup>; 2],
    /// Which of them is the mean up to the frame drawn last.
    latest: usize,
    /// The camera of the frame drawn last, and its shape.
    before: Option<(Camera, [u32; 2])>,
    /// Taken for the mean of the frame before by the next frame.
    seed: Option<wgpu::TextureView>,
    /// How many pictures the mean is of, and the shift of the next picture.
    count: u32,
    shift: u32,
}

/// What a camera at rest needs besides.
struct Rest {
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::RenderPipeline,
    groups: [Option<wgpu::BindGroup>; 2],
    /// Which of the pictures that take turns are there, each with its own shift.
    is_drawn: [bool; SLOTS],
    next: u32,
    /// How many of the pictures drawn last show what is seen now.
    current: u32,
}

impl Steady {
    pub(crate) fn new(maker: &Maker<'_>) -> Steady {
        let bindings = [
            pass::UNIFORM,
            pass::COLOUR,
            pass::COLOUR,
            pass::SAMPLER,
            pass::DEPTH,
            pass::LAYERS,
        ];
        let layout = maker.layout("steady", &bindings[..5]);
        let at_rest = maker.layout("steady at rest", &bindings);
        let module = maker.shader("steady", SHADER);
        let pipeline = |layout: &wgpu::BindGroupLayout, fragment| {
            maker.pipeline(Draw {
                label: "steady",
                module: &module,
                layout: Some(layout),
                vertex: "full_screen",
                fragment,
                constants: &[],
                target: targets::COLOUR,
                blend: None,
                depth: None,
            })
        };
        Steady {
            sampler: maker.device.create_sampler(&wgpu::SamplerDescriptor {
                label: Some("steady"),
                mag_filter: wgpu::FilterMode::Linear,
                min_filter: wgpu::FilterMode::Linear,
                ..Default::default()
            }),
            uniform: Uniform::new(maker.device, "steady"),
            pipeline: pipeline(&layout, "steady_mean"),
            layout,
            rest: Rest {
                pipeline: pipeline(&at_rest, "steady_rest"),
                layout: at_rest,
                groups: [None, None],
                is_drawn: [false; SLOTS],
                next: 0,
                current: 0,
            },
            groups: [None, None],
            latest: 0,
            before: None,
            seed: None,
            count: 0,
            shift: 0,
        }
    }

    /// The pictures are others than before.
    pub(crate) fn outdate(&mut self) {
        self.take_others();
        self.count = 0;
    }

    /// What is mixed from now on comes from elsewhere; the mean goes on.
    pub(crate) fn take_others(&mut self) {
        self.groups = [None, None];
        self.rest.groups = [None, None];
        self.rest.forget();
    }

    /// Notes a frame that was drawn without this.
    pub(crate) fn pass_by(&mut self, camera: &Camera, size: [u32; 2]) {
        self.before = Some((*camera, size));
        self.seed = None;
        self.rest.forget();
        self.count = 0;
    }

    /// Goes on from the mean up to the frame before, of whatever size.
    pub(crate) fn go_on_from(&mut self, picture: wgpu::TextureView) {
        self.seed = Some(picture);
    }

    /// Whether the next frame can go on from the one before.
    pub(crate) fn has_begun(&self) -> bool {
        self.count > 0
    }

    /// Whether a frame is one of a camera on its way, or more or less fine than the one before: one of the same shape
    /// was seen just before.
    pub(crate) fn is_on_way(&self, camera: &Camera, size: [u32; 2]) -> bool {
        let aspect = |[width, height]: [u32; 2]| width as f32 / height.max(1) as f32;
        self.before.is_some_and(|(before, shape)| {
            let is_other = before != *camera || shape != size;
            is_other && (aspect(shape) / aspect(size) - 1.0).abs() < SAME_SHAPE
        })
    }

    /// Whether a frame is one of the camera that was seen just before.
    pub(crate) fn is_at_rest(&self, camera: &Camera, size: [u32; 2]) -> bool {
        self.before == Some((*camera, size))
    }

    /// The number of the next shift of the picture, from 1, where each frame takes `each`.
    pub(crate) fn next_shift(&mut self, each: u32) -> u32 {
        let first = self.shift % SHIFTS;
        self.shift = first + each;
        first + 1
    }

    /// The turn of the next picture at rest, and its first sample, where each frame takes `each`.
    pub(crate) fn next_turn(&mut self, each: u32) -> (u32, u32) {
        let turn = self.rest.next % period(each);
        self.rest.next = turn + 1;
        (turn, FIRST_TURN + turn * each)
    }

    /// Whether all the pictures that take turns at rest show what is seen now, where each frame takes `each`.
    pub(crate) fn is_complete(&self, each: u32) -> bool {
        self.rest.current >= period(each)
    }

    /// Mixes what was drawn, where each frame takes `each` pictures. How many frames the mean is of.
    pub(crate) fn draw(
        &mut self,
        on: &mut Recording<'_>,
        source: Source,
        motion: Motion,
        each: u32,
    ) -> u32 {
        let seed = self.seed.take();
        if seed.is_some() {
            self.count = FINISHED;
        }
        let before = self.before.map(|(camera, _)| camera);
        let before = before.filter(|_| self.count > 0);
        let record = self.record(on, before, motion, period(each));
        self.uniform.write(on.queue, record);
        let views = on.targets.steady(on.device);
        let new = 1 - self.latest;
        let moves = matches!(motion, Motion::Moves { .. });
        let (layout, pipeline, groups) = if moves {
            (&self.layout, &self.pipeline, &mut self.groups)
        } else {
            let rest = &mut self.rest;
            (&rest.layout, &rest.pipeline, &mut rest.groups)
        };
        let make = |before: &wgpu::TextureView| {
            let mut resources = vec![
                self.uniform.binding(),
                wgpu::BindingResource::TextureView(on.targets.picture(on.device, source)),
                wgpu::BindingResource::TextureView(before),
                wgpu::BindingResource::Sampler(&self.sampler),
                wgpu::BindingResource::TextureView(&on.targets.depth),
            ];
            if !moves {
                let turns = on.targets.turns(on.device, period(each));
                resources.push(wgpu::BindingResource::TextureView(turns));
            }
            pass::group(on.device, "steady", layout, &resources)
        };
        let seeded = seed.as_ref().map(&make);
        let group = match &seeded {
            Some(group) => group,
            None => groups[new].get_or_insert_with(|| make(&views[self.latest])),
        };
        let clear = Some(wgpu::Color::BLACK);
        let mut pass = on.pass("steady", &views[new], clear, Depth::None);
        pass.set_pipeline(pipeline);
        pass.set_bind_group(1, group, &[]);
        pass.draw(0..3, 0..1);
        drop(pass);
        match motion {
            Motion::Moves { .. } => self.rest.forget(),
            Motion::Rests { turn, is_lively } => {
                let turns = on.targets.turns(on.device, period(each));
                on.copy(on.targets.picture(on.device, source), turns, turn);
                let rest = &mut self.rest;
                rest.is_drawn[turn as usize] = true;
                rest.current = if is_lively { 1 } else { rest.current + 1 };
            }
        }
        self.latest = new;
        self.before = Some((*on.camera, on.part.whole));
        self.count += 1;
        self.count
    }

    /// What the shader needs to know of a picture and of the camera `before`, of which the mean is.
    fn record(
        &self,
        on: &Recording<'_>,
        before: Option<Camera>,
        motion: Motion,
        period: u32,
    ) -> gpu::Steady {
        let is_drawn = &self.rest.is_drawn[..period as usize];
        let (jitter, least, layer, same) = match motion {
            Motion::Moves { jitter, is_lively } => {
                let least = if is_lively {
                    LEAST_SHARE_LIVELY
                } else {
                    LEAST_SHARE
                };
                (jitter, least, 0, 0.0)
            }
            Motion::Rests { turn, is_lively } => {
                let same = match (is_drawn[turn as usize], is_lively) {
                    (true, _) => SAME,
                    (false, true) => 0.0,
                    (false, false) => -1.0,
                };
                (Vec2::ZERO, LEAST_SHARE, turn, same)
            }
        };
        let share = (1.0 / (self.count + 1) as f32).max(least);
        let others = is_drawn.iter().zip(0..).filter(|(_, turn)| *turn != layer);
        let is_full = others.into_iter().all(|(is_drawn, _)| *is_drawn);
        let is_current = matches!(
            motion,
            Motion::Rests {
                is_lively: false,
                ..
            }
        ) && self.rest.current + 1 >= period;
        gpu::Steady {
            clip_from_world: before
                .map_or(Mat4::IDENTITY, |camera| on.part.clip_from_world(&camera))
                .to_cols_array_2d(),
            jitter: jitter.to_array(),
            near: on.camera.near(),
            share: if before.is_some() { share } else { 1.0 },
            period,
            layer,
            same,
            others: u32::from(is_full) + u32::from(is_full && is_current),
        }
    }

    /// Where the mean up to the frame drawn last is.
    pub(crate) fn source(&self) -> Source {
        Source::Steady(self.latest)
    }
}

impl Rest {
    fn forget(&mut self) {
        self.is_drawn = [false; SLOTS];
        self.current = 0;
    }
}

/// How many frames of `each` pictures take turns.
fn period(each: u32) -> u32 {
    SLOTS as u32 / each.clamp(1, SLOTS as u32)
}

pub(crate) const SHADER: &str = concat!(
    include_str!("../../shaders/steady.wgsl"),
    include_str!("../../shaders/frame.wgsl"),
);

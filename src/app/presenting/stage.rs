//! A scene without a window, frame by frame: what the window would show of it, at moments that are told and not
//! measured. The same scene gives the same pictures on the same adapter.

use callscape_base::clock::Instant;
use std::time::Duration;

use egui::{Pos2, RawInput, Rect, Vec2, ViewportId};

use super::super::canvas::{Canvas, Panels, Prepared, Sharpness};
use super::super::letters::Letters;
use super::super::panels;
use super::super::panels::context::{Layout, Pictures};
use super::opening::Opened;
use crate::desk::Desk;
use crate::rest::{Stuck, wait};
use callscape_base::progress::Progress;
use callscape_look::image::Image;
use callscape_look::quality::Quality;
use callscape_model::theme::Theme;
use callscape_presentation::dissolve::Dissolve;
use callscape_presentation::scene::SceneFile;
use callscape_presentation::show::Show;
use callscape_render::gpu::{Gpu, GpuError};
use callscape_render::readback;
use callscape_render::renderer::Renderer;
use callscape_views::Surface;
use callscape_views::style;

/// egui makes colours as they are stored.
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8Unorm;

/// Letters and lines have their size in the window on a picture whose shorter side has so many pixels.
const PLAIN_SIDE: f32 = 640.0;

/// Panels have found their places after so many frames.
const FRAMES_TO_SETTLE: u32 = 4;

/// Seconds in which everything that eases has arrived.
const LONG: f32 = 60.0;

/// Panels that begin to work something out each time they are shown would never end.
const MOST_ROUNDS: u32 = 8;

/// Why a frame cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StageError {
    #[error(transparent)]
    Gpu(#[from] GpuError),
    #[error(transparent)]
    Stuck(#[from] Stuck),
}

/// Who is told how far work is that a frame waits for.
pub type Tell = Box<dyn Fn(&Progress)>;

/// How frames are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StageSettings {
    /// In pixels.
    pub size: [u32; 2],
    /// Frames a second.
    pub fps: u32,
    pub quality: Quality,
    /// Whatever the scene says.
    pub theme: Option<Theme>,
}

/// Draws the frames of a scene.
pub struct Stage {
    desk: Desk,
    settings: StageSettings,
    ctx: egui::Context,
    letters: Letters,
    theme: Theme,
    /// The next frame.
    next: u64,
    /// Frames that panels were made for.
    runs: u32,
    tell: Tell,
    pictures: Pictures,
    panels: Option<Vec<egui::ClippedPrimitive>>,
    /// What panels show of letters may be others than before.
    has_new_textures: bool,
    // Dropped before the device, which the canvas has.
    target: wgpu::Texture,
    easel: Easel,
    /// What is drawn of the last frame that was.
    last: Image,
    /// Into what is drawn, from what was shown before.
    dissolve: Option<Dissolve>,
    /// The last frame shows what is drawn through a dissolve.
    was_dissolving: bool,
}

/// What views are drawn by.
struct Easel {
    quality: Quality,
    /// Pixels of a point, and what landscapes are drawn on.
    placed: (f32, [Option<Surface>; 2]),
    /// What of the views is not drawn yet.
    to_draw: Prepared,
    canvas: Canvas,
}

impl Easel {
    /// Brings the pictures of views up to date, where they were placed last.
    fn prepare(&mut self, desk: &mut Desk) {
        let (points, targets) = self.placed;
        let sharpness = Sharpness {
            quality: self.quality,
            may_settle: false,
            may_spread: false,
        };
        let spot = desk.spot();
        let of = (&mut desk.state, &mut desk.views);
        let new = self.canvas.prepare(of, spot, targets, sharpness, points);
        self.canvas.note_drawn(&new);
        self.to_draw.add(new);
        for target in self.placed.1.iter_mut().flatten() {
            target.is_new = false;
        }
    }
}

/// A frame of a film.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameIs {
    /// Another than the one before.
    New,
    /// The same as the one before.
    Same,
}

impl Stage {
    /// Opens a device and shows the first shot.
    pub fn new(
        file: SceneFile,
        opened: Opened,
        settings: StageSettings,
    ) -> Result<Stage, StageError> {
        Stage::watched(file, opened, settings, Box::new(|_| ()))
    }

    /// The same, which tells how far work is that frames wait for, the first ones among them.
    pub fn watched(
        mut file: SceneFile,
        opened: Opened,
        settings: StageSettings,
        tell: Tell,
    ) -> Result<Stage, StageError> {
        let gpu = Gpu::headless()?;
        gpu.check_size(settings.size)?;
        let mut desk = Desk::unattended();
        desk.state.tell_time(Duration::ZERO);
        desk.state.set_most_blocks(Renderer::most_blocks(&gpu));
        let bookmarks = desk.show_staged(opened);
        desk.state.told.messages.clear();
        if let Some(theme) = settings.theme {
            file.scene.look.theme = Some(match theme {
                Theme::Light => callscape_presentation::scene::Theme::Light,
                Theme::Dark => callscape_presentation::scene::Theme::Dark,
            });
        }
        let ctx = egui::Context::default();
        style::set_fonts(&ctx, None);
        let theme = desk.state.settings.theme;
        style::set_theme(&ctx, theme);
        let target = readback::target(&gpu, settings.size, FORMAT);
        let mut stage = Stage {
            desk,
            settings,
            ctx,
            letters: Letters::default(),
            theme,
            next: 0,
            runs: 0,
            tell,
            pictures: Pictures::default(),
            panels: None,
            has_new_textures: true,
            target,
            easel: Easel {
                quality: settings.quality,
                placed: (1.0, [None; 2]),
                to_draw: Prepared::default(),
                canvas: Canvas::new(gpu, FORMAT),
            },
            last: Image::default(),
            dissolve: None,
            was_dissolving: false,
        };
        for _ in 0..FRAMES_TO_SETTLE {
            // Where the landscape is drawn decides where cameras stand.
            stage.wait()?;
            stage.come_to_rest()?;
        }
        let show = Show::new(file, bookmarks, &mut stage.desk.state);
        stage.desk.show = Some(show);
        for _ in 0..FRAMES_TO_SETTLE {
            stage.wait()?;
            stage.come_to_rest()?;
        }
        // A film begins with the shot at rest, not with what was shown before on its way there.
        stage.arrive();
        Ok(stage)
    }

    /// Who is told from now on how far work is that frames wait for.
    pub fn set_tell(&mut self, tell: Tell) {
        self.tell = tell;
    }

    /// The scene; there always is one.
    pub fn scene(&self) -> Option<&Show> {
        self.desk.show.as_ref()
    }

    /// How many frames the scene has; at least one.
    pub fn frames(&self) -> u64 {
        let total = self.scene().map_or(0.0, |show| show.timeline.total());
        let frames = (total * f64::from(self.settings.fps) - 1e-6).ceil();
        (frames as u64).max(1)
    }

    /// The number of the next frame.
    pub fn next(&self) -> u64 {
        self.next
    }

    /// What draws.
    pub fn adapter(&self) -> String {
        self.easel.canvas.gpu.name()
    }

    /// The picture that [`draw`](Self::draw) made last.
    pub fn image(&self) -> &Image {
        match &self.dissolve {
            Some(dissolve) if self.was_dissolving => dissolve.image(),
            _ => &self.last,
        }
    }

    /// Draws the next frame; [`image`](Self::image) has it then.
    pub fn draw(&mut self) -> Result<FrameIs, StageError> {
        self.frame(true)
    }

    /// Goes on by a frame without drawing it. Later frames are the same as if it had been drawn.
    pub fn skip(&mut self) -> Result<(), StageError> {
        self.frame(false).map(|_| ())
    }

    fn frame(&mut self, is_drawn: bool) -> Result<FrameIs, StageError> {
        let shot = self.scene().map_or(0, Show::shot);
        let now = self.time_of(self.next);
        self.desk.state.tell_time(now);
        self.next += 1;
        self.wait()?;
        // What other threads have made, and what follows from it, belongs to this frame.
        for _ in 0..FRAMES_TO_SETTLE {
            if !self.scene().is_some_and(Show::is_behind) {
                break;
            }
            self.wait()?;
        }
        if self
            .scene()
            .is_some_and(|show| show.has_changed_at_once(shot))
        {
            let from = self.image().clone();
            self.dissolve = Some(Dissolve::new(from, self.settings.fps));
        }
        // What is shown before something changes at once is needed even where nobody asks for it.
        let until_next = self.time_of(self.next).saturating_sub(now);
        let is_drawn = is_drawn
            || self
                .scene()
                .is_some_and(|show| show.will_change_at_once(until_next.as_secs_f64()));
        let share = self.dissolve.as_mut().map(Dissolve::advance);
        if share.is_some_and(|share| share >= 1.0) {
            self.dissolve = None;
        }
        let shown = self.come_to_rest()?;
        if !is_drawn {
            self.panels = None;
            return Ok(FrameIs::Same);
        }
        let panels_are_same = |before: &Vec<_>| are_same(before, &shown.primitives);
        let has_new_textures = std::mem::take(&mut self.has_new_textures);
        if self.easel.to_draw.is_empty()
            && !has_new_textures
            && self.panels.as_ref().is_some_and(panels_are_same)
        {
            return Ok(self.show_drawn(FrameIs::Same));
        }
        let new = std::mem::take(&mut self.easel.to_draw);
        self.easel.canvas.draw_finished(&new, self.theme);
        let gpu = &self.easel.canvas.gpu;
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        let view = self.target.create_view(&Default::default());
        let size = self.settings.size;
        self.easel.canvas.paint(&mut encoder, &view, &shown, size);
        let gpu = &self.easel.canvas.gpu;
        gpu.queue.submit([encoder.finish()]);
        self.last = readback::image(gpu, &self.target)?;
        gpu.check()?;
        self.panels = Some(shown.primitives);
        Ok(self.show_drawn(FrameIs::New))
    }

    /// Shows what is drawn, through a dissolve where there is one; `drawn` says whether it is new.
    fn show_drawn(&mut self, drawn: FrameIs) -> FrameIs {
        let was_dissolving = self.was_dissolving;
        self.was_dissolving = self.dissolve.is_some();
        if let Some(dissolve) = &mut self.dissolve {
            dissolve.mix(&self.last);
        }
        match self.was_dissolving || was_dissolving {
            true => FrameIs::New,
            false => drawn,
        }
    }

    /// When a frame is, in whole nanoseconds since the start, so that nothing sums up.
    fn time_of(&self, frame: u64) -> Duration {
        let fps = u64::from(self.settings.fps.max(1));
        Duration::from_nanos(frame.saturating_mul(1_000_000_000) / fps)
    }

    /// The panels once all is there that they and the views show, and found out where everything is drawn.
    fn come_to_rest(&mut self) -> Result<Panels, StageError> {
        // All that is shown for one frame is shown for one moment, however often.
        self.runs += 1;
        let since = Instant::now();
        for _ in 0..MOST_ROUNDS {
            let panels = self.place();
            self.easel.prepare(&mut self.desk);
            if !self.desk.is_waiting() {
                return Ok(panels);
            }
            self.wait()?;
        }
        Err(Stuck::new(&self.desk, since).into())
    }

    /// Goes on to now, as often as it takes until nothing is waited for any more.
    fn wait(&mut self) -> Result<(), Stuck> {
        let easel = &mut self.easel;
        wait(&mut self.desk, &self.tell, |desk| {
            desk.poll_jobs();
            desk.update();
            easel.prepare(desk);
        })
    }

    /// Finds out where everything is drawn.
    fn place(&mut self) -> Panels {
        let (layout, panels) = self.run_panels();
        let scale = (panels.pixels_per_point, 1.0);
        let targets = self
            .easel
            .canvas
            .targets(&mut self.desk.state, &layout, scale);
        self.easel.placed = (panels.pixels_per_point, targets);
        self.desk.follow_layout();
        panels
    }

    /// Ends what eases, where it leads.
    fn arrive(&mut self) {
        if let Some(document) = &mut self.desk.state.document {
            document.city.advance(LONG);
            if let Some(beside) = &mut document.other_city {
                beside.advance(LONG);
            }
            self.desk.state.look.blocks += 1;
        }
    }

    fn run_panels(&mut self) -> (Layout, Panels) {
        let theme = self.desk.state.settings.theme;
        if theme != self.theme {
            self.theme = theme;
            style::set_theme(&self.ctx, theme);
        }
        let [width, height] = self.settings.size.map(|side| side as f32);
        let scale = self.scene().map_or(1.0, Show::text_scale);
        let points = (width.min(height) / PLAIN_SIDE).max(0.5) * scale;
        let limit = self
            .easel
            .canvas
            .gpu
            .device
            .limits()
            .max_texture_dimension_2d;
        let mut input = RawInput {
            screen_rect: Some(Rect::from_min_size(
                Pos2::ZERO,
                Vec2::new(width, height) / points,
            )),
            max_texture_side: Some(limit as usize),
            time: Some(f64::from(self.runs) / f64::from(self.settings.fps.max(1))),
            predicted_dt: 1.0 / self.settings.fps.max(1) as f32,
            ..RawInput::default()
        };
        if let Some(viewport) = input.viewports.get_mut(&ViewportId::ROOT) {
            viewport.native_pixels_per_point = Some(points);
        }
        self.easel.canvas.set_second(self.desk.state.shows_both());
        self.easel.canvas.name_pictures(&mut self.pictures);
        let mut layout = Layout::default();
        let panels = loop {
            let (desk, views, dock) = self.desk.parts();
            let pictures = &self.pictures;
            let mut output = self.ctx.run_ui(input.clone(), |ui| {
                layout = panels::show_scene(ui, desk, (&mut *views, &mut *dock), pictures);
            });
            let shapes = std::mem::take(&mut output.shapes);
            // A frame has all its letters, whatever was drawn before.
            let lacks = self.letters.look(&self.ctx, &shapes);
            let mut panels = Panels {
                primitives: self.ctx.tessellate(shapes, output.pixels_per_point),
                textures: output.textures_delta,
                pixels_per_point: output.pixels_per_point,
            };
            self.has_new_textures |= !panels.textures.set.is_empty();
            self.easel.canvas.take_textures(&mut panels.textures);
            self.easel.canvas.free_textures(&mut panels.textures);
            if !lacks {
                break panels;
            }
        };
        (layout, panels)
    }
}

/// Whether two frames of panels look the same.
fn are_same(a: &[egui::ClippedPrimitive], b: &[egui::ClippedPrimitive]) -> bool {
    use egui::epaint::Primitive;
    a.len() == b.len()
        && a.iter()
            .zip(b)
            .all(|(a, b)| match (&a.primitive, &b.primitive) {
                (Primitive::Mesh(x), Primitive::Mesh(y)) => a.clip_rect == b.clip_rect && x == y,
                _ => false,
            })
}

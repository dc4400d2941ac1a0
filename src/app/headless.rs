//! Pictures without a window: the same view and the same renderer, read back.

use std::sync::Arc;

use glam::Vec2;

use super::feed::Feed;
use super::legend::Legend;
use super::panels::legend::entries::{Meanings, RecordingShown};
use super::panels::legend::marked;
use callscape_analysis::session::Session;
use callscape_base::progress::Progress;
use callscape_base::units::{Cost, ModuleId, Time};
use callscape_filter::cut::Cut;
use callscape_filter::filters::Filters;
use callscape_filter::marked::Marked;
use callscape_filter::selection::{Pointed, Selection};
use callscape_look::image::Image;
use callscape_look::pose::Pose;
use callscape_look::quality::Quality;
use callscape_model::called_often;
use callscape_model::difference::{CauseAt, RelationDifference};
use callscape_model::landscape::LandscapeSettings;
use callscape_model::metrics::ModuleMetrics;
use callscape_model::moment::Moment;
use callscape_render::gpu::{Gpu, GpuError};
use callscape_render::renderer::{Frame, Renderer};
use callscape_state::city::{City, ColorScale, Lettering};
pub use callscape_state::viewpoint::Viewpoint;
use callscape_state::viewpoint::pose;

/// What all pictures of a sequence share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PictureSettings {
    /// In pixels.
    pub size: [u32; 2],
    pub landscape: LandscapeSettings,
    /// The depth below which modules are collapsed.
    pub level: Option<u16>,
    pub viewpoint: Viewpoint,
    pub quality: Quality,
    /// Says under the picture what area, height, colour and arcs mean.
    pub legend: bool,
}

/// What draws pictures: the name that the driver gives, the driver, the interface to it, and what sort of device it
/// is.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Adapter {
    pub adapter: String,
    pub driver: String,
    pub backend: String,
    pub kind: &'static str,
}

/// The landscape of a session on a device without a window.
pub struct Studio<'a> {
    session: &'a Session,
    settings: PictureSettings,
    gpu: Gpu,
    renderer: Renderer,
    view: City,
    /// Found once it is known what the first picture shows; that of a sequence stays.
    pose: Option<Pose>,
    /// With its height in pixels.
    legend: Option<(Legend, u32)>,
    /// Modules that are named whatever is shown.
    named: Vec<ModuleId>,
    selection: Selection,
    /// What is not among what is marked, in words.
    dropped: String,
    has_labels: bool,
    /// Whether each picture is for itself, and does not follow the one before.
    is_single: bool,
    /// A larger picture is drawn in tiles with sides of so many pixels.
    tile: [u32; 2],
    /// How long each pass of the last picture took, in milliseconds.
    passes: Vec<(&'static str, f32)>,
}

/// No picture has longer sides, in pixels.
pub const MAX_SIDE: u32 = 16_384;

/// What is no larger is drawn at once; else in tiles, in rows of which a strip of the picture is held at a time.
const AT_ONCE: u32 = 4096;
const TILE: [u32; 2] = [4096, 2048];

/// A legend takes no more than this share of a picture's height; without that much room there is none.
pub(super) const LEGEND_SHARE: f32 = 0.45;

/// Lines are as wide as in the window on a picture whose shorter side has so many pixels, or less.
const PLAIN_LINES: f32 = 720.0;

/// Letters on the screen are this part of the picture's shorter side high.
const LETTERS: f32 = 1.0 / 46.0;

impl<'a> Studio<'a> {
    /// Opens a device and lays the session out.
    pub fn new(session: &'a Session, settings: &PictureSettings) -> Result<Studio<'a>, GpuError> {
        let cut = match settings.level {
            Some(level) => Cut::at_level(&session.hierarchy, level),
            None => Cut::all(),
        };
        let metrics = Arc::new(ModuleMetrics::new(session, 0));
        Studio::with(session, settings, &cut, metrics)
    }

    /// The same with a cut of its own, whatever the level, and metrics that are known already.
    pub fn with(
        session: &'a Session,
        settings: &PictureSettings,
        cut: &Cut,
        metrics: Arc<ModuleMetrics>,
    ) -> Result<Studio<'a>, GpuError> {
        Studio::marking(session, settings, cut, metrics, None)
    }

    /// The same with marked functions, and what is not among them in words.
    pub fn marking(
        session: &'a Session,
        settings: &PictureSettings,
        cut: &Cut,
        metrics: Arc<ModuleMetrics>,
        marked: Option<(Arc<Marked>, String)>,
    ) -> Result<Studio<'a>, GpuError> {
        let gpu = Gpu::headless()?;
        let landscape = LandscapeSettings {
            most_blocks: settings
                .landscape
                .most_blocks
                .min(Renderer::most_blocks(&gpu)),
            ..settings.landscape
        };
        let mut view = City::with(session, metrics, Arc::default(), &landscape, cut);
        let (marked, dropped) = marked.unzip();
        view.outline(&session.hierarchy, marked.as_ref());
        let dropped = dropped.unwrap_or_default();
        let mut studio = Studio::of_view_on(gpu, session, settings, view, dropped)?;
        studio.selection.marked = marked;
        Ok(studio)
    }

    /// The same of a landscape that is laid out already.
    pub fn of_view(
        session: &'a Session,
        settings: &PictureSettings,
        view: City,
    ) -> Result<Studio<'a>, GpuError> {
        let gpu = Gpu::headless()?;
        Studio::of_view_on(gpu, session, settings, view, String::new())
    }

    fn of_view_on(
        gpu: Gpu,
        session: &'a Session,
        settings: &PictureSettings,
        view: City,
        dropped: String,
    ) -> Result<Studio<'a>, GpuError> {
        check_size(settings.size)?;
        let mut renderer = Renderer::new(&gpu, wgpu::TextureFormat::Rgba8UnormSrgb);
        let mut view = view;
        let mut feed = Feed {
            gpu: &gpu,
            renderer: &mut renderer,
            city: &mut view,
        };
        feed.blocks();
        let mut settings = *settings;
        let mut legend = None;
        if settings.legend {
            let mut drawn = Legend::new(&gpu, settings.landscape.theme, settings.size);
            // As high as it can become in a sequence.
            let said = meanings(session, &settings.landscape, &view, (99_999, &dropped));
            let height = drawn.height(&gpu, &said);
            let [_, all] = &mut settings.size;
            if height as f32 <= *all as f32 * LEGEND_SHARE {
                *all -= height;
                legend = Some((drawn, height));
            }
        }
        Ok(Studio {
            session,
            legend,
            selection: Selection {
                chosen: Pointed::at_module(settings.viewpoint.focus),
                ..Selection::default()
            },
            dropped,
            has_labels: true,
            is_single: true,
            passes: Vec::new(),
            tile: match settings.size.iter().all(|&side| side <= AT_ONCE) {
                true => settings.size,
                false => TILE,
            },
            settings,
            gpu,
            renderer,
            view,
            pose: None,
            named: Vec::new(),
        })
    }

    /// Looks from a place of its own, in place of the viewpoint.
    pub fn look_from(&mut self, pose: Pose) {
        self.pose = Some(pose);
    }

    /// The pose for what is shown, which may stand before the focus.
    pub(super) fn pose(&mut self) -> Pose {
        let (view, session) = (&self.view, self.session);
        *self.pose.get_or_insert_with(|| {
            let (viewpoint, size) = (&self.settings.viewpoint, self.settings.size);
            let plays = !session.recordings.is_empty();
            pose(view, &session.hierarchy, viewpoint, size, plays)
        })
    }

    /// What is chosen is outlined and named.
    pub fn select(&mut self, selection: Selection) {
        self.selection = selection;
    }

    /// Whether names stand in pictures; they do unless told otherwise.
    pub fn set_labels(&mut self, has_labels: bool) {
        self.has_labels = has_labels;
    }

    /// Whether each picture is for itself, as it is unless told otherwise, or one of a sequence, in which names come and
    /// go by degrees.
    pub fn set_single(&mut self, is_single: bool) {
        self.is_single = is_single;
    }

    /// Leaves the ground out, all but the shadows on it.
    pub fn set_transparent(&mut self, is_transparent: bool) {
        self.renderer.set_transparent(is_transparent);
    }

    /// Draws in tiles with sides of so many pixels; by itself only what is large.
    pub fn set_tile(&mut self, tile: [u32; 2]) {
        self.tile = tile.map(|side| side.max(1));
    }

    /// Sides of the pictures with their legends, in pixels.
    pub fn size(&self) -> [u32; 2] {
        let [width, height] = self.settings.size;
        let legend = self.legend.as_ref().map_or(0, |(_, height)| *height);
        [width, height + legend]
    }

    /// The picture of a moment, or of the structure alone.
    pub fn picture(&mut self, moment: Option<Moment>) -> Result<Image, GpuError> {
        self.show(moment);
        self.whole()
    }

    /// The same in strips as wide as the picture, from the top; each is handed to `take`.
    pub fn strips(
        &mut self,
        moment: Option<Moment>,
        progress: &Progress,
        take: impl FnMut(&Image) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        self.show(moment);
        self.take(progress, take)
    }

    fn show(&mut self, moment: Option<Moment>) {
        let [width, height] = self.settings.size;
        let size = Vec2::new(width as f32, height as f32);
        let marked = self.selection.marked.as_ref();
        self.view.outline(&self.session.hierarchy, marked);
        self.view.point(&self.selection);
        if self.pose.is_none() {
            self.view.show(self.session, moment);
        }
        let camera = self.pose().camera();
        self.view.part_arcs(&camera, size);
        self.view.show(self.session, moment);
    }

    fn whole(&mut self) -> Result<Image, GpuError> {
        let [width, height] = self.size();
        let mut whole = Image {
            width,
            height,
            rgba: Vec::with_capacity(width as usize * height as usize * 4),
        };
        self.take(&Progress::new(), |strip| {
            whole.rgba.extend_from_slice(&strip.rgba);
            Ok(())
        })
        .map_err(|error| match error.downcast::<GpuError>() {
            Ok(error) => error,
            Err(error) => GpuError::Failed(error.to_string()),
        })?;
        Ok(whole)
    }

    /// Has the causes of a difference stand out.
    pub(crate) fn tell_causes(&mut self, causes: &Arc<[CauseAt]>) {
        self.view.tell_causes(self.session, causes);
    }

    /// The picture of what differs between two runs, with the names of the modules `named`.
    pub fn differences(
        &mut self,
        relations: &[RelationDifference],
        named: Vec<ModuleId>,
    ) -> Result<Image, GpuError> {
        self.view.show_differences(self.session, relations);
        self.named = named;
        self.whole()
    }

    /// Hands the geometry to the renderer, and says what frame to draw of it.
    fn prepare(&mut self) -> Frame {
        let [width, height] = self.settings.size;
        let size = Vec2::new(width as f32, height as f32);
        self.renderer
            .set_scale((size.min_element() / PLAIN_LINES).max(1.0));
        let camera = self.pose().camera();
        // A picture is rare: all looks are handed over, whether they changed or not.
        let mut feed = Feed {
            gpu: &self.gpu,
            renderer: &mut self.renderer,
            city: &mut self.view,
        };
        feed.looks();
        feed.arcs(&self.selection);
        feed.city.settle();
        feed.focus();
        if self.has_labels {
            // A large picture is looked at closely, and shrunk: half of each.
            let scale = (size.min_element() / PLAIN_LINES).max(1.0).sqrt();
            let em = (size.min_element() * LETTERS / scale).max(9.0);
            let lettering = Lettering {
                scale,
                is_still: true,
                is_single: self.is_single,
                ..Lettering::whole(size, em)
            };
            let (selection, named) = (&self.selection, &self.named);
            feed.names(self.session, selection, named, &camera, &lettering);
        } else {
            feed.no_names();
        }
        let chosen = self.selection.chosen;
        let [from, to] = match chosen.relation {
            Some((from, to)) => [Some(from), Some(to)],
            None => [chosen.module, None],
        };
        let selected = [from, to].map(|module| self.view.displayed(module?));
        Frame {
            camera,
            size: self.settings.size,
            theme: self.settings.landscape.theme,
            hovered: [None; 2],
            selected,
            quality: self.settings.quality,
        }
    }

    fn take(
        &mut self,
        progress: &Progress,
        mut take: impl FnMut(&Image) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let frame = self.prepare();
        progress.start("drawing", self.tiles());
        for top in self.tops() {
            take(&self.strip(&frame, top, progress)?)?;
        }
        if let Some((legend, height)) = &mut self.legend {
            let left_out = self.view.arcs_left_out();
            let left_out = (left_out, self.dropped.as_str());
            let said = meanings(self.session, &self.settings.landscape, &self.view, left_out);
            take(&legend.picture(&self.gpu, &said, *height)?)?;
        }
        Ok(())
    }

    /// Begins the picture of a moment: what its strips are drawn with.
    pub(super) fn begin(&mut self, moment: Option<Moment>) -> Frame {
        self.show(moment);
        self.prepare()
    }

    /// Where strips begin, from the top.
    pub(super) fn tops(&self) -> impl Iterator<Item = u32> + use<> {
        let [_, height] = self.settings.size;
        (0..height).step_by(self.tile[1] as usize)
    }

    /// How many tiles a picture is drawn in.
    pub(super) fn tiles(&self) -> u64 {
        let tiles = |side: usize| u64::from(self.settings.size[side].div_ceil(self.tile[side]));
        tiles(0) * tiles(1)
    }

    /// The strip of a picture that begins at `top`.
    pub(super) fn strip(
        &mut self,
        frame: &Frame,
        top: u32,
        progress: &Progress,
    ) -> anyhow::Result<Image> {
        if top == 0 {
            self.passes.clear();
        }
        let [width, height] = frame.size;
        let [across, down] = self.tile;
        let high = down.min(height.saturating_sub(top));
        let mut strip = Image::default();
        for left in (0..width).step_by(across as usize) {
            let size = [across.min(width - left), high];
            let image = self
                .renderer
                .image_of(&self.gpu, frame, [left, top], size)?;
            self.gpu.check()?;
            for &(pass, ms) in self.renderer.timings(&self.gpu) {
                match self.passes.iter_mut().find(|(known, _)| *known == pass) {
                    Some((_, sum)) => *sum += ms,
                    None => self.passes.push((pass, ms)),
                }
            }
            if image.width == width {
                strip = image;
            } else {
                if left == 0 {
                    strip = Image {
                        width,
                        height: high,
                        rgba: vec![0; width as usize * high as usize * 4],
                    };
                }
                strip.put(&image, [left, 0]);
            }
            progress.add(1)?;
        }
        Ok(strip)
    }

    /// The landscape that pictures show.
    pub fn view(&self) -> &City {
        &self.view
    }

    /// How long each pass of the last picture took on the device, in milliseconds, over all the pictures that
    /// were averaged; empty where the device cannot tell.
    pub fn timings(&self) -> &[(&'static str, f32)] {
        &self.passes
    }

    /// What draws the pictures.
    pub fn adapter(&self) -> Adapter {
        let info = self.gpu.adapter.get_info();
        Adapter {
            adapter: info.name,
            driver: format!("{} {}", info.driver, info.driver_info)
                .trim()
                .to_owned(),
            backend: info.backend.to_string(),
            kind: match info.device_type {
                wgpu::DeviceType::DiscreteGpu => "discrete",
                wgpu::DeviceType::IntegratedGpu => "integrated",
                wgpu::DeviceType::VirtualGpu => "virtual",
                wgpu::DeviceType::Cpu => "software",
                wgpu::DeviceType::Other => "other",
            },
        }
    }

    /// Whether pictures have the legend that was asked for.
    pub fn has_legend(&self) -> bool {
        self.legend.is_some()
    }

    /// What the colours of a metric mean.
    pub fn color_scale(&self) -> &ColorScale {
        self.view.color_scale()
    }

    /// How many modules are drawn, and how many have no block of their own since the device cannot hold more.
    pub fn blocks(&self) -> (usize, usize) {
        (self.view.blocks().len(), self.view.blocks_left_out())
    }

    /// How many call relations the last picture draws.
    pub fn arcs_drawn(&self) -> usize {
        self.view.arcs_drawn()
    }

    /// How many call relations the last picture leaves out.
    pub fn arcs_left_out(&self) -> usize {
        self.view.arcs_left_out()
    }
}

/// Whether a picture of this size can be drawn, in tiles where the device cannot draw it at once.
fn check_size([width, height]: [u32; 2]) -> Result<(), GpuError> {
    let limit = MAX_SIDE;
    match (1..=limit).contains(&width) && (1..=limit).contains(&height) {
        true => Ok(()),
        false => Err(GpuError::Size {
            width,
            height,
            limit,
        }),
    }
}

/// What a legend says of a landscape: of how many call relations that are left out, and of what is not among what is marked.
pub(super) fn meanings<'a>(
    session: &'a Session,
    settings: &'a LandscapeSettings,
    view: &'a City,
    (left_out, dropped): (usize, &str),
) -> Meanings<'a> {
    Meanings {
        settings,
        hierarchy: &session.hierarchy,
        landscape: view,
        is_window: false,
        recording: session.recordings.first().map(|of| RecordingShown {
            frequent: called_often::left_out(&of.recording, &Filters::default()),
            marked: marked(view.outlined(), dropped),
            plays: of.recording.has_times(),
            letter: None,
            counts_calls: of.recording.counts_calls(),
            value: of.recording.value_shown().map(|it| it.name.clone()),
            known_to: of.recording.known_to(),
            left_out,
            // They are the window's.
            has_boxes: false,
            keeps_room: false,
        }),
    }
}

/// The moment at `time` with a step of a fiftieth of the recording before it.
pub fn moment_at(session: &Session, recording: usize, time: Time) -> Option<Moment> {
    let of = &session.recordings.get(recording)?.recording;
    if !of.has_times() {
        return Some(Moment::without_time(recording));
    }
    let trace = &of.trace;
    let step = Cost::from_ns(trace.duration().ns() / 50);
    Some(Moment {
        recording,
        time,
        previous: time - step,
        ..Moment::default()
    })
}

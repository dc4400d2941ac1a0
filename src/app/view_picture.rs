//! Pictures of views without a window: what a view draws, or its widgets, read back. The landscape has tiles and a legend:
//! [`super::headless`] draws it.

use std::time::Duration;

use egui::epaint::ClippedShape;

use super::desk::Desk;
use super::offscreen::Offscreen;
use super::panels;
use super::rest::{Stuck, wait};
use super::svg::{self, Svg, Textures};
use super::view_settings;
use callscape_analysis::session::Elsewhere;
use callscape_base::progress::Progress;
use callscape_base::units::{ModuleId, Time, TimeRange};
use callscape_filter::cut::Cut;
use callscape_filter::filters::Filters;
use callscape_filter::selection::{Pointed, Selection};
use callscape_look::image::Image;
use callscape_model::called_often;
use callscape_model::landscape::LandscapeSettings;
use callscape_model::moment::Moment;
use callscape_model::theme::Theme;
use callscape_render::gpu::{Gpu, GpuError};
use callscape_render::sheet::SheetRenderer;
use callscape_state::ask::ViewAsk;
use callscape_state::document::Document;
use callscape_state::findings::Findings;
use callscape_state::panes::{Kind, ViewId};
use callscape_views::{Picture, Surface, style};

/// Letters have their size on a picture whose shorter side has so many pixels, or less.
const PLAIN_SIDE: f32 = 1080.0;

/// Height of the caption, in points. Lower pictures have none.
const CAPTION: f32 = 26.0;
const LEAST_WITH_CAPTION: u32 = 6;

/// Everything that moves has arrived after this.
const ARRIVED: Duration = Duration::from_secs(5);

/// Widgets take a few frames to find their places.
const FRAMES: u32 = 4;

/// A view on a device without a window.
pub struct ViewStudio {
    desk: Desk,
    view: ViewId,
    /// Of the view itself.
    size: [u32; 2],
    /// What is below it: what is left out because it is called too often.
    caption: Option<(Image, String)>,
    gpu: Gpu,
    sheets: SheetRenderer,
}

impl ViewStudio {
    /// Opens a device for pictures of `size` pixels. Of `document`, `range` is shown, and `focus` chosen.
    pub fn new(
        mut document: Document,
        view: ViewId,
        settings: &LandscapeSettings,
        size: [u32; 2],
        range: Option<TimeRange>,
        focus: Option<ModuleId>,
    ) -> Result<ViewStudio, GpuError> {
        let gpu = Gpu::headless()?;
        gpu.check_size(size)?;
        let mut desk = Desk::unattended();
        desk.state.settings = *settings;
        let is_along_time = view.line().kind == Kind::AlongTime;
        if is_along_time {
            // What is left of a range is a matter of what is visible, and limits nothing.
            document.selection.change(|it| it.range = range);
        } else {
            document.limit(range, Filters::default());
            let chosen = document.complete(Pointed::at_module(focus));
            document.selection.change(|it| {
                it.time = range.map_or(Time::ZERO, |range| range.start);
                it.chosen = chosen;
            });
        }
        let often = document.resolved().and_then(|of| {
            let says_itself = desk.views.says_called_often(view);
            let often = called_often::left_out(&of.recording, &document.filters);
            often.filter(|_| !says_itself)
        });
        let caption = often.and_then(|text| {
            let drawn = caption(&gpu, settings.theme, size, &text).transpose()?;
            Some(drawn.map(|image| (image, text)))
        });
        let caption = caption.transpose()?;
        let below = caption.as_ref().map_or(0, |it| it.0.height);
        desk.state.show_as_is(document);
        for &other in &desk.state.panes.all().to_vec() {
            if other != view {
                desk.state.panes.close(other);
            }
        }
        desk.state.panes.open(view);
        desk.views.update(&mut desk.state);
        desk.state.ask_views(Some(view), ViewAsk::ShowAll);
        desk.views.update(&mut desk.state);
        if is_along_time && let Some(document) = &mut desk.state.document {
            let chosen = Pointed::at_module(focus);
            document.selection.change(|it| {
                *it = Selection {
                    chosen,
                    ..Selection::default()
                }
            });
        }
        Ok(ViewStudio {
            desk,
            view,
            size: [size[0], size[1] - below],
            caption,
            sheets: SheetRenderer::new(&gpu, wgpu::TextureFormat::Rgba8UnormSrgb),
            gpu,
        })
    }

    /// Collapses modules as `cut` has it, and has the view show modules.
    pub fn show_cut(&mut self, cut: Cut) {
        if let Some(document) = &mut self.desk.state.document {
            document.cut = cut;
        }
        self.desk
            .state
            .ask_views(Some(self.view), ViewAsk::ByModules);
    }

    /// Changes settings of the view, each a name and a value, as the window can.
    pub fn set(&mut self, wanted: &[(String, String)]) -> Result<(), String> {
        let Desk { state, views, .. } = &mut self.desk;
        view_settings::set(views, state, self.view, wanted)
    }

    /// Marks what is known from elsewhere. Of what changed the most suspect function is chosen, unless another one is.
    pub fn take_findings(&mut self, findings: Findings, wanted: Elsewhere) {
        let state = &mut self.desk.state;
        let first = findings.most_suspect();
        state.findings = findings;
        if let Some(document) = &mut state.document {
            document.inputs.elsewhere = wanted;
            document
                .inputs
                .source_dir
                .clone_from(&document.session.source_dir);
            let is_chosen = document.selection.chosen != Pointed::default();
            if !is_chosen && self.view.line().kind == Kind::Table {
                let chosen = document.complete(Pointed::at_module(first));
                document.selection.change(|it| it.chosen = chosen);
            }
        }
        state.update_findings();
    }

    /// The picture of a moment; of a view that plays nothing the same at any. `tell` is told how far long work is.
    pub fn picture(
        &mut self,
        moment: Option<Moment>,
        tell: &dyn Fn(&Progress),
    ) -> anyhow::Result<Image> {
        let mut image = self.of_view(moment, tell)?;
        if let Some((caption, _)) = &self.caption {
            image.rgba.extend_from_slice(&caption.rgba);
            image.height += caption.height;
        }
        Ok(image)
    }

    /// The same as vector graphics, with text as text.
    pub fn vector(
        &mut self,
        moment: Option<Moment>,
        tell: &dyn Fn(&Progress),
    ) -> anyhow::Result<String> {
        self.show(moment, tell)?;
        let (surface, whole) = (self.surface(), self.whole());
        let theme = self.desk.state.settings.theme;
        let Desk { state, views, .. } = &mut self.desk;
        let colors = style::colors(theme);
        let mut svg;
        let mut scale = 1.0;
        match views.picture(self.view, state, surface) {
            Picture::Sheet(sheet) => {
                svg = Svg::new(whole.map(|it| it as f32), svg::plate(theme));
                svg.sheet(sheet, theme);
            }
            Picture::Nothing | Picture::City => {
                scale = surface.scale;
                let (mut drawn, shapes) = self.widgets(scale, tell)?;
                let points = whole.map(|it| it as f32 / scale);
                svg = Svg::new(points, colors.panel.to_srgba_unmultiplied());
                let primitives = drawn.triangles(shapes.clone());
                let (gpu, size) = (&self.gpu, self.size);
                let mut textures = Textures {
                    sheet: None,
                    theme,
                    painted: &mut || drawn.picture(gpu, &primitives, size).ok(),
                };
                svg.shapes(&shapes, &mut textures);
            }
            Picture::Same => anyhow::bail!("the view draws nothing"),
        }
        if let Some((image, text)) = &self.caption {
            let [_, top] = self.size.map(|it| it as f32 / scale);
            let em = 11.0 * surface.scale / scale;
            let middle = top + 0.5 * image.height as f32 / scale;
            let ground = [0.0, top, whole[0] as f32 / scale, whole[1] as f32 / scale];
            svg.fill(ground, colors.panel.to_srgba_unmultiplied());
            let ink = colors.weak.to_srgba_unmultiplied();
            svg.line(text, [10.0 * surface.scale / scale, middle], em, ink);
        }
        Ok(svg.finish(whole))
    }

    fn of_view(
        &mut self,
        moment: Option<Moment>,
        tell: &dyn Fn(&Progress),
    ) -> anyhow::Result<Image> {
        self.show(moment, tell)?;
        let surface = self.surface();
        let Desk { state, views, .. } = &mut self.desk;
        match views.picture(self.view, state, surface) {
            Picture::Sheet(sheet) => {
                let theme = state.settings.theme;
                Ok(self.sheets.image(&self.gpu, sheet, self.size, theme)?)
            }
            Picture::Nothing | Picture::City => {
                let (mut drawn, shapes) = self.widgets(surface.scale, tell)?;
                let primitives = drawn.triangles(shapes);
                Ok(drawn.picture(&self.gpu, &primitives, self.size)?)
            }
            Picture::Same => anyhow::bail!("the view draws nothing"),
        }
    }

    /// Shows a moment, and waits until all of it is there.
    fn show(&mut self, moment: Option<Moment>, tell: &dyn Fn(&Progress)) -> Result<(), Stuck> {
        let plays = self.view.line().plays();
        if let Some(document) = &mut self.desk.state.document
            && let Some(moment) = moment.filter(|_| plays)
        {
            document.selection.change(|it| it.time = moment.time);
            if let Some((playback, all)) = document.playing() {
                playback.seek(moment.time, Duration::ZERO, all);
                playback.summary = moment.summary;
            }
        }
        self.wait(tell)?;
        // What was shown before settings were changed may still move to where it is now.
        let state = &mut self.desk.state;
        state.tell_time(state.now() + ARRIVED);
        Ok(())
    }

    /// What the view is drawn on.
    fn surface(&self) -> Surface {
        Surface {
            size: self.size,
            scale: scale(self.whole()),
            is_new: true,
        }
    }

    /// The size of pictures, with what is below the view.
    fn whole(&self) -> [u32; 2] {
        let below = self.caption.as_ref().map_or(0, |it| it.0.height);
        [self.size[0], self.size[1] + below]
    }

    /// Waits for what other threads work out for the view: a picture is exact, whatever a frame would show first.
    fn wait(&mut self, tell: &dyn Fn(&Progress)) -> Result<(), Stuck> {
        let (view, surface) = (self.view, self.surface());
        // What is there already is not drawn again.
        let surface = Surface {
            is_new: false,
            ..surface
        };
        wait(&mut self.desk, tell, |desk| {
            desk.poll_jobs();
            let Desk { state, views, .. } = desk;
            state.update_work();
            views.update(state);
            views.picture(view, state, surface);
        })
    }

    /// What the widgets of a view paint, and what draws it.
    fn widgets(
        &mut self,
        scale: f32,
        tell: &dyn Fn(&Progress),
    ) -> Result<(Offscreen, Vec<ClippedShape>), Stuck> {
        let mut drawn = Offscreen::new(&self.gpu, self.desk.state.settings.theme, scale);
        let points = egui::vec2(self.size[0] as f32, self.size[1] as f32) / scale;
        let mut shapes = Vec::new();
        for _ in 0..FRAMES {
            // What is chosen comes into sight once sizes are known: each frame is as the first.
            self.desk.state.opening.documents += 1;
            self.wait(tell)?;
            let (desk, view) = (&mut self.desk, self.view);
            let add = |ui: &mut egui::Ui| panels::show_alone(ui, desk, view);
            shapes = drawn.shapes(&self.gpu, points, add);
        }
        Ok((drawn, shapes))
    }
}

/// How many pixels a point has on pictures of this size.
fn scale(size: [u32; 2]) -> f32 {
    (size[0].min(size[1]) as f32 / PLAIN_SIDE).max(1.0)
}

/// A line below pictures of `size`; none where that would leave hardly any room for the view.
fn caption(gpu: &Gpu, theme: Theme, size: [u32; 2], text: &str) -> Result<Option<Image>, GpuError> {
    let scale = scale(size);
    let height = (CAPTION * scale).round() as u32;
    if size[1] < LEAST_WITH_CAPTION * height {
        return Ok(None);
    }
    let mut drawn = Offscreen::new(gpu, theme, scale);
    let points = egui::vec2(size[0] as f32, height as f32) / scale;
    let mut primitives = Vec::new();
    for _ in 0..FRAMES {
        primitives = drawn.run(gpu, points, |ui| {
            let margins = egui::Margin::symmetric(10, 4);
            let frame = egui::Frame::new().fill(ui.visuals().panel_fill);
            frame.inner_margin(margins).show(ui, |ui| {
                ui.set_min_size(ui.available_size());
                ui.add(egui::Label::new(style::weak(text).small()).truncate());
            });
        });
    }
    drawn.picture(gpu, &primitives, [size[0], height]).map(Some)
}

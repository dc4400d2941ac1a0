//! The same of a view that draws on a sheet.

use glam::Vec2;

use super::super::sheets::{SheetAction, Sheets};
use crate::analysis::session::Session;
use crate::filter::filters::Filters;
use crate::filter::selection::{Pointed, Selection};
use crate::layout::sheet::Sheet;
use crate::model::moment::Moment;
use crate::model::rows::MuralRows;
use crate::model::theme::Theme;
use crate::render::gpu::{Gpu, GpuError};
use crate::render::image::Image;
use crate::render::sheet::SheetRenderer;
use crate::units::{ModuleId, TimeRange};
use crate::views::Scope;
use crate::views::table::ViewId;

/// Letters of a sheet have their size on a picture whose shorter side has so many pixels, or less.
const PLAIN_SIDE: f32 = 1080.0;

/// A view that draws on a sheet, on a device without a window.
pub struct SheetStudio<'a> {
    session: &'a Session,
    view: ViewId,
    size: [u32; 2],
    theme: Theme,
    gpu: Gpu,
    renderer: SheetRenderer,
    sheets: Sheets,
}

impl<'a> SheetStudio<'a> {
    /// Opens a device. `visible` is the range of time that the pictures show.
    pub fn new(
        session: &'a Session,
        view: ViewId,
        size: [u32; 2],
        theme: Theme,
        visible: Option<TimeRange>,
    ) -> Result<SheetStudio<'a>, GpuError> {
        let gpu = Gpu::headless()?;
        gpu.check_size(size)?;
        let mut sheets = Sheets::new(session, 0);
        if let Some(range) = visible {
            sheets.act(session, view, SheetAction::ShowAll, range);
        }
        Ok(SheetStudio {
            session,
            view,
            size,
            theme,
            renderer: SheetRenderer::new(&gpu, wgpu::TextureFormat::Rgba8UnormSrgb),
            gpu,
            sheets,
        })
    }

    /// Takes other rows of the overview than functions in order of their first call.
    pub fn set_rows(&mut self, rows: MuralRows) {
        self.sheets.set_rows(self.session, rows, None);
    }

    /// The picture of a moment, with `focus` chosen.
    pub fn picture(&mut self, moment: Moment, focus: Option<ModuleId>) -> Result<Image, GpuError> {
        let selection = Selection {
            chosen: Pointed::at_module(focus),
            time: moment.time,
            range: moment.range,
            ..Selection::default()
        };
        let size = Vec2::new(self.size[0] as f32, self.size[1] as f32);
        let scope = Scope {
            session: self.session,
            recording: moment.recording,
            selection: &selection,
            filters: &Filters::default(),
            theme: self.theme,
            size,
            scale: (size.min_element() / PLAIN_SIDE).max(1.0),
        };
        // A picture is exact, whatever a frame would show first.
        self.sheets.show(self.view, &scope);
        while self.sheets.is_waiting(self.view) {
            std::thread::sleep(std::time::Duration::from_millis(5));
            self.sheets.show(self.view, &scope);
        }
        let nothing = Sheet::default();
        let sheet = self.sheets.show(self.view, &scope).unwrap_or(&nothing);
        self.renderer.image(&self.gpu, sheet, self.size, self.theme)
    }
}

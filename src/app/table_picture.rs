//! Pictures of the tables without a window: the panels of the window, drawn once and read back.

use std::sync::Arc;

use super::document::Document;
use super::offscreen::Offscreen;
use super::panels;
use super::workbench::Workbench;
use crate::analysis::session::{Inputs, Session};
use crate::filter::filters::{FilterRules, Filters};
use crate::filter::selection::Pointed;
use crate::filter::summary::Summary;
use crate::model::calls::CallsOf;
use crate::model::landscape::LandscapeSettings;
use crate::progress::{Cancelled, Progress};
use crate::render::gpu::{Gpu, GpuError};
use crate::render::image::Image;
use crate::units::{ModuleId, Time, TimeRange};
use crate::views::calls::CallList;
use crate::views::table::ViewId;

/// Letters have their size on a picture whose shorter side has so many pixels, or less.
const PLAIN_SIDE: f32 = 1080.0;

/// Panels take a few frames to find their places.
const FRAMES: u32 = 4;

/// A table to be drawn.
pub struct TableStudio {
    document: Document,
    calls: Option<Arc<CallList>>,
    settings: LandscapeSettings,
    view: ViewId,
}

impl TableStudio {
    /// Makes the table of `view` over `range`, with `focus` chosen, whose calls are listed; those of everything for
    /// none. O(calls in the range).
    pub fn new(
        session: Arc<Session>,
        view: ViewId,
        settings: &LandscapeSettings,
        range: Option<TimeRange>,
        focus: Option<ModuleId>,
        progress: &Progress,
    ) -> Result<TableStudio, Cancelled> {
        let none = Inputs::default();
        let mut document = Document::of(&none, session, None, None, None, settings, progress)?;
        document.limit(range, Filters::default());
        document.selection.time = range.map_or(Time::ZERO, |range| range.start);
        document.selection.chosen = document.complete(Pointed::at_module(focus));
        let recording = document.recording();
        let mut calls = None;
        if let Some(resolved) = document.resolved()
            && document.playback.is_some()
        {
            if view == ViewId::Calls {
                let of = CallsOf::chosen(&document.selection.chosen);
                let of = of.unwrap_or(CallsOf::Module(ModuleId::ROOT));
                let filters = Filters::default();
                let (session, cut) = (&document.session, &document.cut);
                let list = CallList::find(session, recording, cut, of, range, &filters, progress)?;
                calls = Some(Arc::new(list));
            } else {
                let functions = resolved.recording.functions.len();
                let rules = FilterRules::default();
                let trace = &resolved.recording.trace;
                let summary = Summary::new(trace, functions, range, &rules, progress)?;
                document.count(&summary);
            }
        }
        Ok(TableStudio {
            document,
            calls,
            settings: *settings,
            view,
        })
    }

    /// The picture, with sides of `size` pixels.
    pub fn picture(self, size: [u32; 2]) -> Result<Image, GpuError> {
        let mut bench = Workbench::new(Box::new(|| Box::new(|| ())));
        bench.settings = self.settings;
        bench.document = Some(self.document);
        bench.work.calls = self.calls;
        bench.show_chosen();
        let gpu = Gpu::headless()?;
        gpu.check_size(size)?;
        let scale = (size[0].min(size[1]) as f32 / PLAIN_SIDE).max(1.0);
        let mut drawn = Offscreen::new(&gpu, self.settings.theme, scale);
        let points = egui::vec2(size[0] as f32, size[1] as f32) / scale;
        let mut primitives = Vec::new();
        for _ in 0..FRAMES {
            let add = |ui: &mut egui::Ui| panels::show_table(ui, &bench, self.view);
            primitives = drawn.run(&gpu, points, add);
        }
        drawn.picture(&gpu, &primitives, size)
    }
}

//! Two runs along one time axis, one over the other.

use glam::Vec2;

use super::Pictures;
use callscape_analysis::alignment::Alignment;
use callscape_base::units::TimeRange;
use callscape_filter::filters::Filters;
use callscape_filter::selection::Selection;
use callscape_look::image::Image;
use callscape_model::linked::{Along, LinkedRuns};
use callscape_render::gpu::{Gpu, GpuError};
use callscape_render::sheet::SheetRenderer;
use callscape_views::Scope;
use callscape_views::both_along_time::BothAlongTime;

/// Letters have their size on a picture whose shorter side has so many pixels, or less.
const PLAIN_SIDE: f32 = 1080.0;

impl Pictures<'_> {
    /// The call stacks of both runs, or which functions are active when, in the colours of what differs; the first
    /// run of each side. `clocks` says which times are the same, `is_wall` that those since the first event are;
    /// `visible` are the times of the longer run that are shown, all without.
    pub fn along(
        &self,
        along: Along,
        clocks: &Alignment,
        is_wall: bool,
        visible: Option<TimeRange>,
    ) -> Result<Image, GpuError> {
        let session = self.session;
        let (difference, _) = self.metrics();
        let places = [0, self.comparison.runs[0]];
        let names = places.map(|place| {
            let of = session.recordings.get(place);
            of.map_or_else(String::new, |it| it.recording.name())
        });
        let pair = LinkedRuns {
            places,
            names: names.each_ref().map(String::as_str),
            clocks,
            is_wall,
            difference: &difference,
            threads: [&[], &[]],
            row_of: [&[], &[]],
            revision: 0,
        };
        let gpu = Gpu::headless()?;
        gpu.check_size(self.settings.size)?;
        let theme = self.settings.landscape.theme;
        let size = self.settings.size.map(|side| side as f32);
        let size = Vec2::from_array(size);
        let scope = Scope {
            session,
            recording: places[0],
            selection: &Selection::default(),
            filters: &Filters::default(),
            theme,
            size,
            scale: (size.min_element() / PLAIN_SIDE).max(1.0),
        };
        let mut view = BothAlongTime::new(session, &pair, along);
        if let Some(range) = visible {
            view.set_visible(range);
        }
        let sheet = view.show(&scope, &pair);
        let mut renderer = SheetRenderer::new(&gpu, wgpu::TextureFormat::Rgba8UnormSrgb);
        renderer.image(&gpu, sheet, self.settings.size, theme)
    }
}

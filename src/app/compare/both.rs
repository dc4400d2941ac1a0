//! Two landscapes in one picture as the window has them: beside each other, or to both sides of a divider.

use std::path::Path;
use std::sync::Arc;

use super::super::headless::{LEGEND_SHARE, PictureSettings, Studio, meanings};
use super::super::legend::Legend;
use super::letters;
use super::strips::Strips;
use callscape_analysis::session::Session;
use callscape_base::progress::Progress;
use callscape_filter::selection::{Pointed, Selection};
use callscape_look::image::{Image, PngWriter};
use callscape_look::pose::Pose;
use callscape_look::theme::{Palette, encoded};
use callscape_model::moment::Moment;
use callscape_state::city::City;

/// Between two landscapes, as a part of the width; and how wide the divider of a wipe is.
const GAP: f32 = 1.0 / 480.0;
const DIVIDER: f32 = 1.0 / 960.0;

/// What is drawn, of A and of B.
pub(crate) struct Both {
    pub views: [City; 2],
    pub moments: [Option<Moment>; 2],
    pub captions: [String; 2],
    /// Where the divider of a wipe stands, as a share of the width; none where both stand beside each other.
    pub divider: Option<f32>,
    /// None: as the settings say.
    pub pose: Option<Pose>,
    pub selection: Selection,
    pub has_labels: bool,
    pub is_transparent: bool,
}

impl Both {
    /// Writes a PNG of `settings.size` pixels, captions and legend included; what both do not leave half of the height
    /// is left out.
    pub(crate) fn write(
        self,
        session: &Session,
        settings: &PictureSettings,
        path: &Path,
        progress: &Progress,
    ) -> anyhow::Result<()> {
        let [width, mut height] = settings.size;
        let theme = settings.landscape.theme;
        let mut strips = Strips::new(theme, letters(settings.size))?;
        let head = strips.head(width, &self.captions)?;
        let head = Some(head).filter(|head| head.height * 2 <= height);
        height -= head.as_ref().map_or(0, |head| head.height);
        let mut legend = None;
        if settings.legend {
            let mut drawn = Legend::new(&strips.gpu, theme, settings.size);
            let said = meanings(session, &settings.landscape, &self.views[0], (99_999, ""));
            let high = drawn.height(&strips.gpu, &said);
            if high as f32 <= height as f32 * LEGEND_SHARE {
                height -= high;
                legend = Some((drawn, high));
            }
        }
        let gap = ((width as f32 * GAP) as u32).max(1);
        let half = match self.divider {
            None => (width.saturating_sub(gap) / 2).max(1),
            Some(_) => width,
        };
        let own = PictureSettings {
            size: [half, height],
            legend: false,
            ..*settings
        };
        let mut studios = Vec::new();
        let mut frames = Vec::new();
        let mut pose = self.pose;
        for (view, moment) in self.views.into_iter().zip(self.moments) {
            let mut studio = Studio::of_view(session, &own, view)?;
            if let Some(pose) = pose {
                studio.look_from(pose);
            }
            studio.select(self.selection.clone());
            studio.set_labels(self.has_labels);
            studio.set_transparent(self.is_transparent);
            frames.push(studio.begin(moment));
            pose = Some(pose.unwrap_or_else(|| studio.pose()));
            studios.push(studio);
        }
        let mut file = PngWriter::create(path, settings.size)?;
        if let Some(head) = &head {
            file.rows(head)?;
        }
        progress.start("drawing", studios.iter().map(Studio::tiles).sum());
        let [r, g, b] = Palette::of(theme).text.map(encoded);
        let line = [r, g, b, 255];
        let tops = studios.first().map(Studio::tops);
        for top in tops.into_iter().flatten() {
            let mut parts = Vec::new();
            for (studio, frame) in studios.iter_mut().zip(&frames) {
                parts.push(studio.strip(frame, top, progress)?);
            }
            file.rows(&joined(&parts, width, self.divider, line))?;
        }
        if let (Some((legend, high)), Some(studio)) = (&mut legend, studios.first()) {
            let left_out = studio.arcs_left_out();
            let said = meanings(session, &settings.landscape, studio.view(), (left_out, ""));
            file.rows(&legend.picture(&strips.gpu, &said, *high)?)?;
        }
        Ok(file.finish()?)
    }
}

/// Writes the cel at a moment and the sum of all that happened up to it as a PNG of `settings.size` pixels.
pub fn write_with_sum(
    session: &Session,
    settings: &PictureSettings,
    view: City,
    moment: Moment,
    (path, has_labels, is_transparent): (&Path, bool, bool),
    progress: &Progress,
) -> anyhow::Result<()> {
    let metrics = Arc::clone(view.metrics());
    let other = view.for_other_run(session, metrics);
    let moments = [moment, moment.summed()];
    let both = Both {
        views: [view, other],
        moments: moments.map(Some),
        captions: moments.map(|it| it.caption()),
        divider: None,
        pose: None,
        selection: Selection {
            chosen: Pointed::at_module(settings.viewpoint.focus),
            ..Selection::default()
        },
        has_labels,
        is_transparent,
    };
    both.write(session, settings, path, progress)
}

/// Rows of both in rows of `width` pixels, with a line of this colour between them.
fn joined(parts: &[Image], width: u32, divider: Option<f32>, line: [u8; 4]) -> Image {
    let height = parts.first().map_or(0, |part| part.height);
    let mut rows = Image {
        width,
        height,
        rgba: line.repeat(width as usize * height as usize),
    };
    let [a, b] = parts else {
        return rows;
    };
    match divider {
        None => {
            rows.put(a, [0, 0]);
            rows.put(b, [width.saturating_sub(b.width), 0]);
        }
        Some(share) => {
            let wide = ((width as f32 * DIVIDER) as u32).max(1);
            let left = ((width as f32 * share) as u32).min(width);
            let right = left.saturating_add(wide).min(width);
            rows.put(&a.part([0, 0], [left, height]), [0, 0]);
            rows.put(&b.part([right, 0], [width - right, height]), [right, 0]);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_stand_beside_each_other_or_to_both_sides_of_a_line() {
        let plain = |width: u32, value: u8| Image {
            width,
            height: 1,
            rgba: vec![value; width as usize * 4],
        };
        let row = |image: Image| -> Vec<u8> {
            image.rgba.chunks_exact(4).map(|pixel| pixel[0]).collect()
        };
        let beside = joined(&[plain(3, 1), plain(3, 2)], 8, None, [9; 4]);
        assert_eq!(row(beside), [1, 1, 1, 9, 9, 2, 2, 2]);
        let wipe = |share| row(joined(&[plain(8, 1), plain(8, 2)], 8, Some(share), [9; 4]));
        assert_eq!(wipe(0.5), [1, 1, 1, 1, 9, 2, 2, 2]);
        assert_eq!(wipe(0.0), [9, 2, 2, 2, 2, 2, 2, 2]);
        assert_eq!(wipe(2.0), [1; 8]);
    }
}

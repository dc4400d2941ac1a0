//! The names of looks, and what they mean.

use super::scene::{Look, Theme};
use crate::layout::treemap::Tiling;
use crate::render::theme;
use crate::views::landscape::{Highlight, LandscapeSettings, Scale, Surface};
use crate::views::metrics::Metric;

/// A field, and what is wrong with it.
pub type Wrong = (&'static str, String);

/// What `name` means of `all`; of what means nothing, the names that would.
fn named<T: Copy>(
    field: &'static str,
    name: &str,
    all: impl Iterator<Item = (&'static str, T)> + Clone,
) -> Result<T, Wrong> {
    let found = all.clone().find(|(known, _)| *known == name);
    found.map(|(_, value)| value).ok_or_else(|| {
        let names: Vec<&str> = all.map(|(known, _)| known).collect();
        let problem = format!("expected one of {}, found '{name}'", names.join(", "));
        (field, problem)
    })
}

/// A metric and a range of its values, such as `complexity:10..50`; either end may be left out.
pub fn highlight(text: &str) -> Result<Highlight, String> {
    let names = Metric::ALL.map(Metric::name).join(", ");
    let wrong = || {
        format!(
            "expected a range of a metric like complexity:10..50, found '{text}'; metrics are {names}"
        )
    };
    let (name, range) = text.split_once(':').ok_or_else(wrong)?;
    let metric = Metric::ALL.into_iter().find(|metric| metric.name() == name);
    let (low, high) = range.split_once("..").ok_or_else(wrong)?;
    let end = |text: &str, open: f64| match text {
        "" => Some(open),
        text => text.parse::<f64>().ok().filter(|end| end.is_finite()),
    };
    let (low, high) = (
        end(low, 0.0).ok_or_else(wrong)?,
        end(high, f64::MAX).ok_or_else(wrong)?,
    );
    if low > high {
        return Err(wrong());
    }
    Ok(Highlight {
        metric: metric.ok_or_else(wrong)?,
        low,
        high,
    })
}

impl Look {
    /// Changes what it says of the landscape; the first field that says what is not known, after those before it.
    pub fn apply(&self, settings: &mut LandscapeSettings) -> Result<(), Wrong> {
        let metrics = || Metric::ALL.into_iter().map(|it| (it.name(), it));
        if let Some(theme) = self.theme {
            settings.theme = match theme {
                Theme::Light => theme::Theme::Light,
                Theme::Dark => theme::Theme::Dark,
            };
        }
        if let Some(name) = &self.area {
            settings.area = named("area", name, metrics().filter(|(_, it)| it.is_amount()))?;
        }
        if let Some(name) = &self.height {
            let heights = metrics().map(|(name, it)| (name, Some(it)));
            settings.height = named("height", name, [("even", None)].into_iter().chain(heights))?;
        }
        if let Some(name) = &self.color {
            let surfaces = Surface::all().chain([Surface::Difference]);
            let surfaces: Vec<_> = surfaces.map(|it| (it.name(), it)).collect();
            settings.surface = named("color", name, surfaces.into_iter())?;
        }
        let scales = || Scale::ALL.into_iter().map(|it| (it.name(), it));
        if let Some(name) = &self.scale {
            settings.scale = named("scale", name, scales())?;
        }
        if let Some(name) = &self.height_scale {
            let scales = scales().map(|(name, it)| (name, Some(it)));
            let scales = [("root", None)].into_iter().chain(scales);
            settings.height_scale = named("height-scale", name, scales)?;
        }
        if let Some(name) = &self.layout {
            let tilings = Tiling::ALL.into_iter().map(|it| (it.name(), it));
            settings.tiling = named("layout", name, tilings)?;
        }
        if let Some(text) = &self.highlight {
            settings.highlight = match &**text {
                "" => None,
                text => Some(highlight(text).map_err(|problem| ("highlight", problem))?),
            };
        }
        Ok(())
    }

    /// The first field that says what cannot be.
    pub fn problem(&self) -> Option<Wrong> {
        let wrong = self.apply(&mut LandscapeSettings::default()).err();
        wrong.or_else(|| {
            let scale = self.text_scale?;
            let is_fit = (0.5..=4.0).contains(&scale);
            (!is_fit).then(|| ("text-scale", format!("expected 0.5 to 4, found {scale}")))
        })
    }
}

//! The names of looks, and what they mean.

use super::scene::{Look, Theme};
use callscape_model::arcs::{ARCS_AT_MOST, ArcMeasure, ArcMode};
use callscape_model::highlight::Highlight;
use callscape_model::landscape::LandscapeSettings;
use callscape_model::metric::Metric;
use callscape_model::surface::{Scale, Surface};
use callscape_model::theme;
use callscape_model::tiling::Tiling;

/// A field, and what is wrong with it.
pub type Wrong = (&'static str, String);

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
    /// Changes what it says of the landscape, and gives the fields that say what is not known, which change nothing.
    pub fn apply(&self, settings: &mut LandscapeSettings) -> Vec<Wrong> {
        let mut wrong = Vec::new();
        let metrics = || Metric::ALL.into_iter().map(|it| (it.name(), it));
        if let Some(theme) = self.theme {
            settings.theme = match theme {
                Theme::Light => theme::Theme::Light,
                Theme::Dark => theme::Theme::Dark,
            };
        }
        let mut set = Setter(&mut wrong);
        let areas = metrics().filter(|(_, it)| it.is_amount());
        set.to(&mut settings.area, ("area", &self.area), areas);
        let even = [("even", None)].into_iter();
        let heights = even.chain(metrics().map(|(name, it)| (name, Some(it))));
        set.to(&mut settings.height, ("height", &self.height), heights);
        let surfaces = Surface::all().chain([Surface::Difference]);
        let surfaces = surfaces.map(|it| (it.name(), it));
        set.to(&mut settings.surface, ("color", &self.color), surfaces);
        let scales = || Scale::ALL.into_iter().map(|it| (it.name(), it));
        set.to(&mut settings.scale, ("scale", &self.scale), scales());
        let root = [("root", None)].into_iter();
        let scales = root.chain(scales().map(|(name, it)| (name, Some(it))));
        let field = ("height-scale", &self.height_scale);
        set.to(&mut settings.height_scale, field, scales);
        let tilings = Tiling::ALL.into_iter().map(|it| (it.name(), it));
        set.to(&mut settings.tiling, ("layout", &self.layout), tilings);
        let arcs = ArcMode::ALL.into_iter().map(|it| (it.name(), it));
        set.to(&mut settings.arcs, ("arcs", &self.arcs), arcs);
        let widths = ArcMeasure::ALL.into_iter().map(|it| (it.name(), it));
        let field = ("arc-width", &self.arc_width);
        set.to(&mut settings.arc_measure, field, widths);
        if let Some(bundling) = self.bundling.filter(|it| it.is_finite()) {
            settings.bundling = bundling.clamp(0.0, 1.0);
        }
        if let Some(most) = self.most_arcs {
            settings.most_arcs = most.min(ARCS_AT_MOST);
        }
        match self.highlight.as_deref() {
            None => {}
            Some("") => settings.highlight = None,
            Some(text) => match highlight(text) {
                Ok(found) => settings.highlight = Some(found),
                Err(problem) => wrong.push(("highlight", problem)),
            },
        }
        wrong
    }

    /// The first field that says what cannot be.
    pub fn problem(&self) -> Option<Wrong> {
        let wrong = self.apply(&mut LandscapeSettings::default());
        let ranges = [
            ("text-scale", self.text_scale, 0.5, 4.0),
            ("bundling", self.bundling, 0.0, 1.0),
        ];
        let out = ranges
            .into_iter()
            .filter_map(|(field, value, least, most)| {
                // Also for what is no number.
                let value = value.filter(|value| !(least..=most).contains(value))?;
                Some((field, format!("expected {least} to {most}, found {value}")))
            });
        wrong.into_iter().chain(out).next()
    }
}

/// Sets values by their names, and notes the names that mean nothing.
struct Setter<'a>(&'a mut Vec<Wrong>);

impl Setter<'_> {
    fn to<T>(
        &mut self,
        value: &mut T,
        (field, name): (&'static str, &Option<String>),
        all: impl Iterator<Item = (&'static str, T)>,
    ) {
        let Some(name) = name else { return };
        let mut names = Vec::new();
        for (known, meant) in all {
            if known == name {
                *value = meant;
                return;
            }
            names.push(known);
        }
        let problem = format!("expected one of {}, found '{name}'", names.join(", "));
        self.0.push((field, problem));
    }
}

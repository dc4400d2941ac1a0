//! How a session is looked at, as its file keeps it: theme, and what the landscape maps to what. What a file of another
//! version does not say stays as it is.

use serde::{Deserialize, Serialize};

use super::scene::{self, Look};
use callscape_base::units::Cost;
use callscape_facts::kinds::Purpose;
use callscape_model::arcs::{ARCS_AT_MOST, ArcMeasure, ArcMode};
use callscape_model::highlight::Highlight;
use callscape_model::landscape::LandscapeSettings;
use callscape_model::metric::Metric;
use callscape_model::surface::{Scale, Surface};
use callscape_model::theme::Theme;
use callscape_model::tiling::Tiling;

/// The names that files use are those of the command line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedLook {
    theme: Option<String>,
    area: Option<String>,
    height: Option<String>,
    color: Option<String>,
    scale: Option<String>,
    layout: Option<String>,
    arcs: Option<String>,
    arc_width: Option<String>,
    bundling: Option<f32>,
    most_arcs: Option<usize>,
    half_life_ns: Option<u64>,
    height_scale: Option<String>,
    full_size: Option<bool>,
    without: Option<Vec<Purpose>>,
    highlight: Option<SavedHighlight>,
}

/// The values of a metric that stand out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SavedHighlight {
    metric: String,
    low: f64,
    high: f64,
}

const THEMES: [(Theme, &str); 2] = [(Theme::Light, "light"), (Theme::Dark, "dark")];
fn heights() -> Vec<(Option<Metric>, &'static str)> {
    let mut heights = vec![(None, "even")];
    heights.extend(Metric::ALL.map(|metric| (Some(metric), metric.name())));
    heights
}

fn height_scales() -> Vec<(Option<Scale>, &'static str)> {
    let mut scales = vec![(None, "root")];
    scales.extend(Scale::ALL.map(|scale| (Some(scale), scale.name())));
    scales
}

fn named<T: PartialEq + Copy>(of: &[(T, &'static str)], value: T) -> Option<String> {
    let found = of.iter().find(|(it, _)| *it == value);
    found.map(|(_, name)| (*name).to_owned())
}

/// Sets `value` to what `name` means; whether it means nothing.
fn set<T: Copy>(value: &mut T, name: Option<&String>, of: &[(T, &'static str)]) -> usize {
    let Some(name) = name else { return 0 };
    match of.iter().find(|(_, it)| it == name) {
        Some((found, _)) => {
            *value = *found;
            0
        }
        None => 1,
    }
}

impl SavedLook {
    pub fn of(settings: &LandscapeSettings) -> SavedLook {
        SavedLook {
            theme: named(&THEMES, settings.theme),
            area: Some(settings.area.name().to_owned()),
            height: named(&heights(), settings.height),
            color: Some(settings.surface.name().to_owned()),
            scale: Some(settings.scale.name().to_owned()),
            layout: Some(settings.tiling.name().to_owned()),
            arcs: Some(settings.arcs.name().to_owned()),
            arc_width: Some(settings.arc_measure.name().to_owned()),
            bundling: Some(settings.bundling),
            most_arcs: Some(settings.most_arcs),
            half_life_ns: Some(settings.half_life.ns()),
            height_scale: named(&height_scales(), settings.height_scale),
            full_size: Some(settings.full_size),
            without: Some(settings.without.iter().collect()),
            highlight: settings.highlight.map(|of| SavedHighlight {
                metric: of.metric.name().to_owned(),
                low: of.low,
                high: of.high,
            }),
        }
    }

    /// The same as a scene says it.
    pub fn look(self) -> Look {
        Look {
            theme: self.theme.map(|name| match name.as_str() {
                "dark" => scene::Theme::Dark,
                _ => scene::Theme::Light,
            }),
            area: self.area,
            height: self.height,
            height_scale: self.height_scale,
            color: self.color,
            scale: self.scale,
            layout: self.layout,
            arcs: self.arcs,
            arc_width: self.arc_width,
            bundling: self.bundling,
            most_arcs: self.most_arcs,
            highlight: Some(self.highlight.map_or_else(String::new, |of| {
                let end = |value: f64| match value {
                    f64::MAX => String::new(),
                    value => value.to_string(),
                };
                format!("{}:{}..{}", of.metric, end(of.low), end(of.high))
            })),
            legend: None,
            text_scale: None,
        }
    }

    /// Brings `settings` to what was saved; how many names mean nothing.
    pub fn restore(&self, settings: &mut LandscapeSettings) -> usize {
        let metrics = Metric::ALL.map(|metric| (metric, metric.name()));
        settings.highlight = None;
        let mut lost = 0;
        if let Some(of) = &self.highlight {
            let mut metric = Metric::LinesOfCode;
            lost = set(&mut metric, Some(&of.metric), &metrics);
            let (low, high) = (of.low, of.high);
            settings.highlight = (lost == 0).then_some(Highlight { metric, low, high });
        }
        lost + self.restore_parts(settings)
    }

    /// The same for what is said alone: what stands out stays.
    pub fn restore_parts(&self, settings: &mut LandscapeSettings) -> usize {
        let areas = Metric::ALL.map(|metric| (metric, metric.name()));
        let areas: Vec<_> = areas.into_iter().filter(|(it, _)| it.is_amount()).collect();
        let surfaces = Surface::all().chain([Surface::Difference]);
        let surfaces: Vec<_> = surfaces.map(|it| (it, it.name())).collect();
        let arcs = ArcMode::ALL.map(|it| (it, it.name()));
        let widths = ArcMeasure::ALL.map(|it| (it, it.name()));
        if let Some(bundling) = self.bundling.filter(|it| it.is_finite()) {
            settings.bundling = bundling.clamp(0.0, 1.0);
        }
        if let Some(most) = self.most_arcs {
            settings.most_arcs = most.min(ARCS_AT_MOST);
        }
        let scales = Scale::ALL.map(|it| (it, it.name()));
        let tilings = Tiling::ALL.map(|it| (it, it.name()));
        settings.full_size = self.full_size.unwrap_or(settings.full_size);
        if let Some(without) = &self.without {
            settings.without = without.iter().copied().collect();
        }
        if let Some(ns) = self.half_life_ns {
            settings.half_life = Cost::from_ns(ns.max(1));
        }
        set(&mut settings.theme, self.theme.as_ref(), &THEMES)
            + set(&mut settings.area, self.area.as_ref(), &areas)
            + set(&mut settings.height, self.height.as_ref(), &heights())
            + set(
                &mut settings.height_scale,
                self.height_scale.as_ref(),
                &height_scales(),
            )
            + set(&mut settings.surface, self.color.as_ref(), &surfaces)
            + set(&mut settings.scale, self.scale.as_ref(), &scales)
            + set(&mut settings.tiling, self.layout.as_ref(), &tilings)
            + set(&mut settings.arcs, self.arcs.as_ref(), &arcs)
            + set(&mut settings.arc_measure, self.arc_width.as_ref(), &widths)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_saved_and_taken_again() {
        let mut settings = LandscapeSettings {
            theme: Theme::Dark,
            height: Some(Metric::SelfCost),
            scale: Scale::Quantile,
            tiling: Tiling::Stable,
            arcs: ArcMode::Selection,
            arc_measure: ArcMeasure::Cost,
            bundling: 0.5,
            most_arcs: 77,
            half_life: Cost::from_ns(1234),
            height_scale: Some(Scale::Log),
            full_size: true,
            without: [Purpose::Test, Purpose::Documentation]
                .into_iter()
                .collect(),
            highlight: Some(Highlight {
                metric: Metric::Complexity,
                low: 2.5,
                high: 1e12,
            }),
            ..LandscapeSettings::default()
        };
        for surface in Surface::all() {
            settings.surface = surface;
            let mut again = LandscapeSettings::default();
            let saved = SavedLook::of(&settings);
            let text = serde_json::to_string(&saved).expect("it can be written");
            let saved: SavedLook = serde_json::from_str(&text).expect("it can be read");
            assert_eq!(saved.restore(&mut again), 0);
            assert_eq!(again, settings);
        }
        let odd: SavedLook =
            serde_json::from_str(r#"{"theme":"purple","color":"","half_life_ns":0}"#)
                .expect("it can be read");
        let mut again = settings;
        assert_eq!(odd.restore(&mut again), 2);
        assert_eq!(
            (again.theme, again.surface),
            (settings.theme, settings.surface)
        );
        assert_eq!(again.half_life, Cost::from_ns(1));
    }
}

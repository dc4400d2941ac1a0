//! How a session is looked at, as its file keeps it: theme, what the landscape maps to what, playback, visible
//! ranges, the function table. What a file of another version does not say stays as it is.

use serde::{Deserialize, Serialize};

use super::super::document::Document;
use super::super::playback::{Clock, PlaybackSettings, Step};
use super::super::rows::RowsChoice;
use super::super::sheets::SheetAction;
use super::super::workbench::Workbench;
use crate::model::arcs::{ARCS_AT_MOST, ArcMeasure, ArcMode};
use crate::model::functions::Column;
use crate::model::highlight::Highlight;
use crate::model::landscape::LandscapeSettings;
use crate::model::metric::Metric;
use crate::model::surface::{Scale, Surface};
use crate::model::theme::Theme;
use crate::model::tiling::Tiling;
use crate::presentation::scene::{self, Look};
use crate::units::{Cost, ThreadId, Time, TimeRange};
use crate::views::table::ViewId;

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

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedPlayback {
    clock: Clock,
    wall_speed: f64,
    event_speed: f64,
    cel_speed: f64,
    cel_events: Option<u64>,
    cel_ns: Option<u64>,
    stride: u64,
    repeat: bool,
    skip_idle: bool,
    backward: bool,
    #[serde(default)]
    summary: bool,
    #[serde(default)]
    follow: bool,
}

impl SavedPlayback {
    /// None without a recording that plays.
    pub fn of(bench: &Workbench) -> Option<SavedPlayback> {
        let playback = bench.document.as_ref()?.playback.as_ref()?;
        let settings = playback.settings();
        let (events, span) = match settings.step {
            Step::Events(events) => (Some(events), None),
            Step::Span(span) => (None, Some(span.ns())),
        };
        Some(SavedPlayback {
            clock: settings.clock,
            wall_speed: settings.wall_speed,
            event_speed: settings.event_speed,
            cel_speed: settings.cel_speed,
            cel_events: events,
            cel_ns: span,
            stride: settings.stride,
            repeat: settings.looping,
            skip_idle: settings.skips_idle,
            backward: settings.backward,
            summary: playback.summary,
            follow: bench.following.is_on,
        })
    }

    /// After the time has been found.
    pub fn restore(&self, bench: &mut Workbench) {
        bench.following.is_on = self.follow;
        let playback = bench.document.as_mut().and_then(|it| it.playback.as_mut());
        let Some(playback) = playback else { return };
        let known = playback.step;
        let step = match (self.cel_events, self.cel_ns) {
            (Some(events), _) => Step::Events(events),
            (None, Some(ns)) => Step::Span(Cost::from_ns(ns)),
            (None, None) => known,
        };
        playback.configure(&PlaybackSettings {
            clock: self.clock,
            wall_speed: self.wall_speed,
            event_speed: self.event_speed,
            cel_speed: self.cel_speed,
            step,
            stride: self.stride,
            looping: self.repeat,
            skips_idle: self.skip_idle,
            backward: self.backward,
        });
        playback.summary = self.summary;
    }
}

/// The ranges of time that the views along time show, and how the function table is sorted and searched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedViews {
    overview_ns: Option<[u64; 2]>,
    stacks_ns: Option<[u64; 2]>,
    rows: RowsChoice,
    /// The threads of the call stacks that are collapsed; none of a file that does not say.
    collapsed_threads: Option<Vec<u32>>,
    functions_by: Option<String>,
    functions_descending: bool,
    functions_query: String,
}

impl SavedViews {
    pub fn of(document: &Document) -> SavedViews {
        let visible = |view| {
            let range = document.sheets.as_ref()?.visible(view)?;
            Some([range.start.ns(), range.end.ns()])
        };
        let (column, descending, query) = match &document.functions {
            Some(table) => {
                let (column, descending) = table.sort();
                (Some(column), descending, table.query().to_owned())
            }
            None => (None, true, String::new()),
        };
        SavedViews {
            overview_ns: visible(ViewId::Mural),
            stacks_ns: visible(ViewId::Flame),
            rows: document.rows,
            collapsed_threads: document.sheets.as_ref().map(|sheets| {
                let threads = sheets.collapsed_threads();
                threads.into_iter().map(|thread| thread.0).collect()
            }),
            functions_by: column.map(|column| column.title().to_lowercase()),
            functions_descending: descending,
            functions_query: query,
        }
    }

    pub fn restore(&self, document: &mut Document) -> usize {
        let mut lost = 0;
        if let Some((table, session)) = document.table() {
            let wanted = self.functions_by.as_ref().map(|name| {
                let mut columns = Column::ALL.into_iter();
                columns.find(|column| column.title().to_lowercase() == *name)
            });
            match wanted {
                Some(Some(column)) => table.set_sort(session, column, self.functions_descending),
                Some(None) => lost += 1,
                None => {}
            }
            table.search(session, self.functions_query.clone());
        }
        document.rows = self.rows;
        document.update_rows();
        let whole = document.resolved().map(|it| it.recording.trace.range());
        if let (Some(sheets), Some(threads)) = (&mut document.sheets, &self.collapsed_threads) {
            let threads: Vec<ThreadId> = threads.iter().copied().map(ThreadId).collect();
            sheets.collapse_threads(&threads);
        }
        let (Some(sheets), Some(whole)) = (&mut document.sheets, whole) else {
            return lost;
        };
        for (view, range) in [
            (ViewId::Mural, self.overview_ns),
            (ViewId::Flame, self.stacks_ns),
        ] {
            let Some([start, end]) = range else { continue };
            let limit = |ns| Time::from_ns(ns).clamp(whole.start, whole.end);
            let range = TimeRange::new(limit(start), limit(end));
            if range.length() > Cost::ZERO {
                sheets.act(&document.session, view, SheetAction::ShowAll, range);
            }
        }
        lost
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

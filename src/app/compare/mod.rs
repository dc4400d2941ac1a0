//! Pictures of two runs without a window: the landscape of what differs, and both side by side over one layout.

use std::sync::Arc;

mod along;
pub(super) mod both;
mod strips;

pub use both::write_with_sum;

use super::headless::{PictureSettings, Studio};
use callscape_analysis::comparison::Comparison;
use callscape_analysis::comparison::amounts::{Change, Measure};
use callscape_analysis::comparison::causes::Causes;
use callscape_analysis::comparison::tables::{Given, RelationChange};
use callscape_analysis::mapping::regroup::Regrouped;
use callscape_analysis::session::Session;
use callscape_base::units::{Cost, ModuleId, Time, Unit};
use callscape_filter::cut::Cut;
use callscape_look::image::Image;
use callscape_model::arcs::ArcMode;
use callscape_model::difference::{Amount, CauseAt, Difference, Strength};
use callscape_model::metrics::ModuleMetrics;
use callscape_model::moment::Moment;
use callscape_model::surface::Surface;
use callscape_render::gpu::GpuError;
use strips::{Strips, arcs, beside, marks, stacked};

/// Letters of captions are this part of the picture's shorter side high.
const LETTERS: f32 = 1.0 / 42.0;

/// So many of the functions that differ most are named, of those with at least this strength of colour.
const NAMED: usize = 6;
const LEAST_NAMED: f32 = 0.15;

/// How high letters of captions are in a picture of `size` pixels.
fn letters(size: [u32; 2]) -> f32 {
    let [width, height] = size.map(|side| side as f32);
    (width.min(height) * LETTERS).clamp(10.0, 60.0)
}

/// What of a comparison is drawn, and how.
pub struct Pictures<'a> {
    comparison: &'a Comparison,
    /// The structure that is shown, with the recordings of the comparison: its own, or that of a mapping.
    session: &'a Session,
    /// By row, its module there.
    places: Vec<ModuleId>,
    settings: PictureSettings,
    cut: Cut,
    functions: &'a [Change],
    measure: Measure,
    strength: Strength,
}

impl<'a> Pictures<'a> {
    /// Pictures of `settings.size` pixels, captions included. `functions` are the changes by row. With
    /// `only_differences` districts in which nothing differs are collapsed; `mapped` is the structure of the comparison
    /// through a mapping.
    pub fn new(
        comparison: &'a Comparison,
        settings: &PictureSettings,
        functions: &'a [Change],
        measure: Measure,
        strength: Strength,
        only_differences: bool,
        mapped: Option<&'a Regrouped>,
    ) -> Pictures<'a> {
        let session = mapped.map_or(&comparison.session, |mapped| &mapped.session);
        let mut places: Vec<ModuleId> = comparison.rows.iter().map(|row| row.module).collect();
        if mapped.is_some() {
            // What is in both stands where B has it.
            for (rows, resolved) in comparison.row_of.iter().zip(&session.recordings) {
                for (&row, &module) in rows.iter().zip(&resolved.resolution.modules) {
                    places[row as usize] = module;
                }
            }
        }
        let hierarchy = &session.hierarchy;
        let mut cut = match settings.level {
            Some(level) => Cut::at_level(hierarchy, level),
            None => Cut::all(),
        };
        cut = cut.hiding(mapped.and_then(|mapped| mapped.left_out));
        if only_differences {
            let amount = Amount::of(comparison, measure);
            let modules = comparison.modules_over(hierarchy, &places, Given::Compared);
            let difference =
                Difference::over(hierarchy, &places, functions, modules, amount, strength);
            for module in difference.unchanged(hierarchy) {
                cut.collapse(hierarchy, module);
            }
        }
        Pictures {
            comparison,
            session,
            places,
            settings: *settings,
            cut,
            functions,
            measure,
            strength,
        }
    }

    fn em(&self) -> f32 {
        letters(self.settings.size)
    }

    fn metrics(&self) -> (Difference, ModuleMetrics) {
        let difference = match std::ptr::eq(self.session, &self.comparison.session) {
            true => Difference::new(self.comparison, self.functions, self.measure, self.strength),
            false => Difference::over(
                &self.session.hierarchy,
                &self.places,
                self.functions,
                self.comparison.modules_over(
                    &self.session.hierarchy,
                    &self.places,
                    Given::Compared,
                ),
                Amount::of(self.comparison, self.measure),
                self.strength,
            ),
        };
        let mut metrics = ModuleMetrics::new(self.session, self.comparison.runs[0]);
        metrics.set_difference(difference.clone());
        (difference, metrics)
    }

    /// One landscape, coloured by what differs, with arcs for its causes and, faintly, the call relations that differ
    /// most, and what the colours mean below it.
    pub fn difference(
        &self,
        relations: &[RelationChange<u32>],
        causes: &Causes,
    ) -> Result<Image, GpuError> {
        let mut settings = self.settings;
        settings.landscape.surface = Surface::Difference;
        let (difference, mut metrics) = self.metrics();
        let counted = Amount::of_relations(self.comparison);
        let counts = counted.measure == Measure::Calls;
        let difference = difference.with_relations(&self.places, relations, counted);
        metrics.set_difference(difference.clone());
        // Of a weight by what it counts, such as lines.
        let what = match (self.measure, self.comparison.unit()) {
            (Measure::SelfCost, Unit::Things(of) | Unit::Thousandths(of)) => of,
            (measure, _) => measure.title(),
        };
        let title = format!(
            "{what}: {}",
            match difference.strength {
                Strength::Absolute => "difference of B from A",
                Strength::Relative => "ratio of B to A",
            }
        );
        let texts = [self.caption(0), self.caption(1), title];
        let mut strips = Strips::new(self.settings.landscape.theme, self.em())?;
        let [width, height] = self.settings.size;
        let mut entries = marks(strips.theme);
        if self.settings.landscape.arcs != ArcMode::None {
            entries.extend(arcs(strips.theme, counts));
        }
        let head = strips.head(width, &texts)?;
        let legend = strips.legend(width, &difference, &entries)?;
        // A picture that captions would fill shows the landscape alone.
        let has_strips = (head.height + legend.height) * 2 <= height;
        let strips = if has_strips {
            head.height + legend.height
        } else {
            0
        };
        settings.size = [width, height - strips];
        let session = self.session;
        let mut studio = Studio::with(session, &settings, &self.cut, Arc::new(metrics))?;
        let causes = CauseAt::first(causes, &self.places);
        studio.tell_causes(&causes);
        let mut named: Vec<ModuleId> = causes.iter().map(|it| it.to).collect();
        named.truncate(NAMED / 2);
        for module in self.named(&difference) {
            if named.len() < NAMED && !named.contains(&module) {
                named.push(module);
            }
        }
        let picture = studio.differences(difference.relations(), named)?;
        Ok(match has_strips {
            true => stacked(&[head, picture, legend]),
            false => picture,
        })
    }

    /// Both runs as a whole, or each at its time, side by side: the same camera and the same layout, each with its
    /// own arcs, and what ran measured against the larger of both.
    pub fn side_by_side(&self, times: Option<[Time; 2]>) -> Result<Image, GpuError> {
        let [width, height] = self.settings.size;
        let half = (width / 2).max(1);
        let mut settings = self.settings;
        let mut strips = Strips::new(settings.landscape.theme, self.em())?;
        let mut captions = [0, 1].map(|side| self.caption(side));
        if let Some(times) = times {
            for (caption, time) in captions.iter_mut().zip(times) {
                caption.push_str(&format!(", at {time}"));
            }
        }
        let [head_a, head_b] = captions.map(|caption| strips.head(half, &[caption]));
        let heads = [head_a?, head_b?];
        let entries = strips.of_runs(times.is_some(), settings.landscape.arcs);
        let legend = strips.entries(width, &entries)?;
        // A picture that captions would fill shows the landscapes alone.
        let has_strips = (heads[0].height + legend.height) * 2 <= height;
        let lines = if has_strips {
            heads[0].height + legend.height
        } else {
            0
        };
        settings.size = [half, height - lines];
        let (_, metrics) = self.metrics();
        let session = self.session;
        let mut studio = Studio::with(session, &settings, &self.cut, Arc::new(metrics))?;
        let firsts = [0, self.comparison.runs[0]];
        let most = firsts.iter().filter_map(|&run| session.recordings.get(run));
        let most = most.flat_map(|it| it.recording.function_metrics(None));
        let most = most.map(|it| it.self_cost).max().unwrap_or_default();
        let mut halves = Vec::new();
        for ((side, run), head) in firsts.into_iter().enumerate().zip(heads) {
            let moment = match times {
                Some(times) => super::headless::moment_at(session, run, times[side]),
                None => Some(Moment {
                    most,
                    ..Moment::without_time(run)
                }),
            };
            let moment = moment.filter(|_| self.comparison.runs[side] > 0);
            let picture = studio.picture(moment)?;
            halves.push(match has_strips {
                true => stacked(&[head, picture]),
                false => picture,
            });
        }
        let both = beside(&halves, self.settings.size);
        Ok(match has_strips {
            true => stacked(&[both, legend]),
            false => both,
        })
    }

    /// The functions that differ most, the first of them first.
    fn named(&self, difference: &Difference) -> Vec<ModuleId> {
        let mut modules: Vec<ModuleId> = self.comparison.rows.iter().map(|it| it.module).collect();
        modules.sort_unstable();
        modules.dedup();
        modules.retain(|&module| difference.strength(module).abs() >= LEAST_NAMED);
        modules.sort_by(|&x, &y| {
            let [x_change, y_change] = [x, y].map(|module| difference.change(module));
            x_change.order(&y_change, self.measure).then(x.cmp(&y))
        });
        modules.truncate(NAMED);
        modules
    }

    /// What is said of a side: its name, how long it took, how often.
    fn caption(&self, side: usize) -> String {
        let of = self.comparison.recordings(side);
        let letter = ["A", "B"][side];
        let Some(first) = of.first() else {
            return letter.to_owned();
        };
        let recording = &first.recording;
        let name = recording.name();
        let duration = recording.trace.duration();
        let took = match recording.profile.is_none() && duration > Cost::ZERO {
            true => format!(", {duration}"),
            false => String::new(),
        };
        match of.len() {
            1 => format!("{letter}  {name}{took}"),
            runs => format!("{letter}  {name} and {} more", runs - 1),
        }
    }
}

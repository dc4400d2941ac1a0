//! What is open: a session, its views, and where its playback stands.

mod anew;
mod by_module;
mod inputs;
mod meaning;
mod other_run;
mod same;
pub mod source;
#[cfg(test)]
mod tests;

use std::sync::{Arc, OnceLock};

use glam::Vec3;

pub use self::anew::{Change, Part, Revised};
use self::by_module::functions_by_module;
pub use self::inputs::{dropped, is_results, name_of, runs_beside, with_sides};
pub use self::other_run::{Limits, Parts};
pub use self::same::Same;
use super::choosing::Choosing;
use super::details::{Calls, Neighbours};
use super::made::Generation;
use super::playback::Playback;
use super::runs::Runs;
use crate::city::City;
use crate::panes::{Needs, ViewId};
use callscape_analysis::coverage::Coverage;
use callscape_analysis::mapping::Mapping;
use callscape_analysis::mapping::regroup::{assign, regroup};
use callscape_analysis::numbers::Numbers;
use callscape_analysis::refinement::Refinement;
use callscape_analysis::session::{Inputs, Resolved, Session};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{Cost, FunctionId, ModuleId, ThreadId, TimeRange};
use callscape_base::warnings::Warning;
use callscape_facts::all_events::AllEvents;
use callscape_facts::hierarchy::Hierarchy;
use callscape_facts::memory::Memory;
use callscape_facts::profile::Profile;
use callscape_facts::recording::Recording;
use callscape_filter::cut::Cut;
use callscape_filter::filters::Filters;
use callscape_filter::marked::Marked;
use callscape_filter::running::Running;
use callscape_filter::summary::Summary;
use callscape_layout::geometry::CITY_SIZE;
use callscape_look::pose::Bounds;
use callscape_model::arcs::ArcMode;
use callscape_model::band::Band;
use callscape_model::functions::FunctionNumbers;
use callscape_model::imports::Imports;
use callscape_model::landscape::LandscapeSettings;
use callscape_model::left::Left;
use callscape_model::metrics::ModuleMetrics;
use callscape_model::moment::Moment;
use callscape_model::search::Names;
use callscape_model::surface::Surface;
use callscape_model::threads::thread_names;
use callscape_source::history::History;

/// Where the recording that is shown stands in the session: of two runs either, else the first.
fn place_of(runs: Option<&Arc<Runs>>) -> usize {
    runs.map_or(0, |runs| runs.place())
}

/// What has run glows half as bright after this part of the recording, unless the user chooses.
const GLOW_SHARE: u64 = 60;

/// An open session and the state of its views.
#[derive(Debug)]
pub struct Document {
    generation: Generation,
    pub inputs: Inputs,
    /// What is shown.
    pub session: Arc<Session>,
    /// The same without a mapping.
    pub base: Arc<Session>,
    /// The mapping that it is shown through.
    pub map: Option<Arc<Mapping>>,
    /// The district of what the mapping leaves out.
    left_out: Option<ModuleId>,
    /// By module, the module of `base` that it is; empty without a mapping.
    origins: Vec<ModuleId>,
    /// Kinds of warnings that are none here.
    pub forgiven: &'static [&'static str],
    /// What git says of the files, once that is known.
    pub history: Option<Arc<History>>,
    pub cut: Cut,
    pub city: City,
    /// The names of the modules, once they are searched.
    names: Arc<OnceLock<Names>>,
    /// What the landscape was last laid out with.
    pub settings: LandscapeSettings,
    pub selection: Choosing,
    /// Callers and callees of the selected module.
    pub neighbours: Neighbours,
    /// What the search found.
    pub found: Vec<ModuleId>,
    /// Functions of a chosen phase or finding, which stand out in the landscape; none where all are alike.
    pub lit: Option<Arc<Marked>>,
    /// The module that is chosen while they stand out, if only so long.
    pub(crate) lit_for: Option<ModuleId>,
    /// What stands over the views along time.
    pub band: Option<Arc<Band>>,
    /// Which views along time show a part of the recording, and which.
    pub shown: Vec<(ViewId, TimeRange)>,
    /// What is left out of every view.
    pub filters: Filters,
    /// How many calls range and filters leave, once they have been counted.
    pub calls_left: Option<u64>,
    /// None when there is no recording to play: a profile has no times.
    pub playback: Option<Playback>,
    /// Who calls whom in the range.
    pub calls: Calls,
    /// What its functions did; none when there is no recording.
    pub functions: Option<Arc<FunctionNumbers>>,
    /// By thread its name, told from others of the same name.
    thread_names: Vec<String>,
    /// By module, the function of the recording that it stands for, where it is one alone.
    function_of: Vec<Option<FunctionId>>,
    /// What is still to be read of the source tree.
    pub refinement: Option<Refinement>,
    /// Where two runs are compared, the one that is shown and what differs.
    pub runs: Option<Arc<Runs>>,
    /// The landscape of the run that is not shown, while both are to be seen.
    pub other_city: Option<City>,
    /// What is left of that run.
    left_of_other_run: Left,
    /// The most self cost that a function of either run has, while both are to be seen in one unit: they glow on one
    /// scale.
    most_of_both: Cost,
}

impl Document {
    /// Reads `inputs` and lays them out, through a mapping if there is one. For a worker thread: takes as long as
    /// it takes.
    pub fn open(
        inputs: &Inputs,
        map: Option<Arc<Mapping>>,
        settings: &LandscapeSettings,
        progress: &Progress,
    ) -> anyhow::Result<Document> {
        let (session, refinement, runs) = match Runs::open(inputs, progress)? {
            Some((session, runs)) => (session, None, Some(Arc::new(runs))),
            None => {
                let (session, refinement) = Session::open_first(inputs, progress)?;
                (session, refinement, None)
            }
        };
        let session = Arc::new(session);
        progress.start("laying out the landscape", 0);
        progress.check()?;
        let mut settings = *settings;
        if let Some(resolved) = session.recordings.get(place_of(runs.as_ref())) {
            let duration = resolved.recording.trace.duration();
            settings.half_life = Cost::from_ns((duration.ns() / GLOW_SHARE).max(1));
        }
        let shown = session.recordings.get(place_of(runs.as_ref()));
        let shown = shown.map(|resolved| &*resolved.recording);
        settings = settings.once_open(shown, session.source_dir.is_some());
        let usual = Surface::usual(runs.is_some(), !session.recordings.is_empty());
        settings.surface = settings.surface.once_open(usual);
        settings.arcs = match (&runs, settings.arcs) {
            (Some(_), ArcMode::All) => ArcMode::Difference,
            (None, ArcMode::Difference) => ArcMode::All,
            (_, other) => other,
        };
        let document = Document::of(inputs, session, map, None, runs, &settings, progress)?;
        Ok(Document {
            refinement,
            ..document
        })
    }

    /// Lays a session out, through a mapping if there is one.
    pub fn of(
        inputs: &Inputs,
        base: Arc<Session>,
        map: Option<Arc<Mapping>>,
        history: Option<Arc<History>>,
        runs: Option<Arc<Runs>>,
        settings: &LandscapeSettings,
        progress: &Progress,
    ) -> Result<Document, Cancelled> {
        let mut session = Arc::clone(&base);
        let (mut left_out, mut origins) = (None, Vec::new());
        if let Some(map) = &map {
            let assignment = assign(&base, map, progress)?;
            let regrouped = regroup(&base, map, assignment);
            session = Arc::new(regrouped.session);
            (left_out, origins) = (regrouped.left_out, regrouped.origins);
        }
        session.name_all();
        progress.check()?;
        let recording = place_of(runs.as_ref());
        let mut metrics = ModuleMetrics::new(&session, recording);
        if let Some(history) = &history {
            set_history(&mut metrics, &session, &base, &origins, history);
        }
        let runs = runs.map(|runs| {
            let difference = &runs.difference;
            let over = runs.over(&session, difference.measure, difference.strength);
            metrics.set_difference(over.difference.clone());
            Arc::new(over)
        });
        let cut = Cut::all().hiding(left_out);
        let metrics = Arc::new(metrics);
        let city = City::with(&session, metrics, Arc::default(), settings, &cut);
        progress.check()?;
        let resolved = session.recordings.get(recording);
        Ok(Document {
            generation: Generation::next(),
            inputs: inputs.clone(),
            names: Arc::default(),
            city,
            settings: *settings,
            cut,
            selection: Choosing::default(),
            neighbours: Neighbours::default(),
            found: Vec::new(),
            lit: None,
            lit_for: None,
            band: None,
            shown: Vec::new(),
            filters: Filters::default(),
            calls_left: None,
            playback: resolved
                .filter(|resolved| resolved.recording.has_times())
                .map(|resolved| Playback::new(resolved.recording.all_events())),
            calls: resolved
                .map(|resolved| Calls::new(resolved, None))
                .unwrap_or_default(),
            functions: resolved.map(|_| Arc::new(FunctionNumbers::new(&session, recording))),
            thread_names: resolved
                .map(|resolved| thread_names(&resolved.recording.trace))
                .unwrap_or_default(),
            function_of: functions_by_module(&session, recording),
            refinement: None,
            runs,
            other_city: None,
            left_of_other_run: Left::default(),
            most_of_both: Cost::ZERO,
            session,
            base,
            map,
            left_out,
            origins,
            forgiven: &[],
            history,
        })
    }

    /// Takes what git says of the files.
    pub fn set_history(&mut self, history: Arc<History>) {
        let mut metrics = ModuleMetrics::clone(self.city.metrics());
        set_history(
            &mut metrics,
            &self.session,
            &self.base,
            &self.origins,
            &history,
        );
        self.history = Some(history);
        self.set_metrics(metrics);
    }

    /// Takes what reports of coverage say of the structure without a mapping, or that there are none.
    pub fn set_coverage(&mut self, coverage: Option<&Arc<Coverage>>) {
        let mut metrics = ModuleMetrics::clone(self.city.metrics());
        metrics.set_coverage(&self.session.hierarchy, coverage, |id| {
            self.origins.get(id.index()).copied().unwrap_or(id)
        });
        self.set_metrics(metrics);
    }

    /// Takes what tables of numbers say of the structure without a mapping, or that there are none.
    pub fn set_numbers(&mut self, numbers: Option<&Arc<Numbers>>) {
        let mut metrics = ModuleMetrics::clone(self.city.metrics());
        metrics.set_numbers(&self.session.hierarchy, numbers, |id| {
            self.origins.get(id.index()).copied().unwrap_or(id)
        });
        self.set_metrics(metrics);
    }

    /// Takes which file imports which.
    pub fn set_imports(&mut self, imports: Arc<Imports>) {
        let mut metrics = ModuleMetrics::clone(self.city.metrics());
        metrics.set_imports(&self.session.hierarchy, imports);
        self.set_metrics(metrics);
    }

    /// Lays the landscape out anew; blocks ease to their new places.
    pub fn lay_out(&mut self, settings: &LandscapeSettings) {
        let boxes = self.city.boxes(Some);
        self.settings = *settings;
        if self.city.lay_out(&self.session, settings, &self.cut) {
            self.city.ease_from(&boxes, Some);
        }
        self.follow();
    }

    /// What lays the landscape out anew on another thread, with these settings.
    pub fn relayout(&self, settings: LandscapeSettings) -> impl FnOnce() -> City + Send + use<> {
        let session = Arc::clone(&self.session);
        let metrics = Arc::clone(self.city.metrics());
        let references = Arc::clone(self.city.references());
        let cut = self.cut.clone();
        move || City::with(&session, metrics, references, &settings, &cut)
    }

    /// Takes a landscape that was laid out on another thread.
    pub fn take_landscape(&mut self, mut landscape: City) {
        let boxes = self.city.boxes(Some);
        landscape.ease_from(&boxes, Some);
        landscape.fade_from_that_of(&self.city);
        self.settings = *landscape.settings();
        landscape.leave(self.city.left().clone());
        self.city = landscape;
        self.follow();
    }

    /// Which document its ids are of.
    pub fn generation(&self) -> Generation {
        self.generation
    }

    /// The recording that plays.
    pub fn resolved(&self) -> Option<&Resolved> {
        self.session.recordings.get(self.recording())
    }

    /// The clock, and what happens by it.
    pub fn playing(&mut self) -> Option<(&mut Playback, AllEvents<'_>)> {
        let resolved = self.session.recordings.get(self.recording())?;
        Some((self.playback.as_mut()?, resolved.recording.all_events()))
    }

    /// The thread that steps by calls go along: the one chosen, else the one on which something happened last.
    pub fn stepping_thread(&self) -> Option<ThreadId> {
        let trace = &self.resolved()?.recording.trace;
        let chosen = self.selection.chosen;
        let of_call = chosen.call.map(|call| call.thread);
        of_call.or(chosen.thread).or_else(|| {
            let seen = trace.events_until(self.playback.as_ref()?.time());
            Some(trace.event(seen.saturating_sub(1))?.thread)
        })
    }

    /// The profile that is open instead of a recording that plays.
    pub fn profile(&self) -> Option<&Profile> {
        self.resolved()?.recording.profile.as_ref()
    }

    /// What the recording knows of memory.
    pub fn memory(&self) -> Option<&Memory> {
        self.resolved()?.recording.memory.as_ref()
    }

    /// A cost of the recording for people, in its unit.
    pub fn show_cost(&self, cost: Cost) -> String {
        match self.resolved() {
            Some(resolved) => resolved.recording.unit().show(cost),
            None => cost.to_string(),
        }
    }

    /// Costs of the run, or of A and B, for people; `None` of nothing.
    pub fn show_costs(&self, costs: &[Cost]) -> Option<String> {
        both(costs.iter().map(|&it| self.show_cost(it)))
    }

    /// What is said of the recording, or of A and of B.
    pub fn of_runs(&self, text: impl Fn(&Recording) -> String) -> String {
        let runs = self.runs.as_ref();
        let places = runs.map_or_else(|| vec![self.recording()], |it| it.places().to_vec());
        let all = places
            .iter()
            .filter_map(|&it| self.session.recordings.get(it));
        both(all.map(|it| text(&it.recording))).unwrap_or_default()
    }

    /// Whether calls are known.
    pub fn counts_calls(&self) -> bool {
        self.resolved()
            .is_some_and(|resolved| resolved.recording.counts_calls())
    }

    /// Limits what is shown to `range` and what `filters` leave.
    pub fn limit(&mut self, range: Option<TimeRange>, filters: Filters) {
        let resolved = self.session.recordings.get(self.recording());
        self.selection.change(|it| it.range = range);
        if let Some(numbers) = &mut self.functions
            && !numbers.is_of(range, &filters)
        {
            Arc::make_mut(numbers).limit(&self.session, range, &filters);
        }
        let table = self.functions.as_ref();
        // The same range and filters once more: what has been counted holds.
        let is_counted = !filters.is_empty() && table.is_some_and(|it| it.is_complete());
        if !is_counted {
            self.calls_left = None;
        }
        if let (Some(playback), Some(resolved)) = (&mut self.playback, resolved) {
            playback.limit(range, resolved.recording.all_events());
        }
        if let Some(resolved) = resolved.filter(|_| filters.is_empty()) {
            self.calls = Calls::new(resolved, range);
        }
        if let Some(resolved) = resolved.filter(|_| !is_counted) {
            let modules = &resolved.resolution.modules;
            let rules = filters.rules(&self.session.hierarchy, modules);
            let left = self.city.left().uncounted(rules);
            self.city.leave(left);
        }
        self.filters = filters;
        if !is_counted {
            self.limit_other();
        }
        self.leave_beside();
    }

    /// Takes what looking at every call that is left has found.
    pub fn count(&mut self, summary: &Summary) {
        if let Some(numbers) = &mut self.functions {
            Arc::make_mut(numbers).complete(&self.session, summary);
        }
        let calls = summary.functions.iter().map(|it| it.metrics.calls);
        self.calls_left = Some(calls.sum());
        let resolved = self.session.recordings.get(self.recording());
        if let Some(resolved) = resolved.filter(|_| !self.filters.is_empty()) {
            self.calls = Calls::of(resolved, &summary.relations);
            let mut left = self.city.left().clone();
            left.count(summary);
            self.city.leave(left);
            self.leave_beside();
        }
    }

    /// Whether the running sums of what the filters leave are still to be made.
    pub fn wants_running(&self) -> bool {
        let left = self.city.left();
        self.playback.is_some() && !left.is_all() && left.running().is_none()
    }

    /// Takes the running sums of what the filters leave.
    pub fn run(&mut self, running: Arc<Running>) {
        let mut left = self.city.left().clone();
        left.run(running);
        self.city.leave(left);
        self.leave_beside();
    }

    /// Whether a view that needs this has something to show.
    pub fn has(&self, needs: Needs) -> bool {
        match needs {
            Needs::Nothing => true,
            Needs::Recording => self.resolved().is_some(),
            Needs::Times => self.playback.is_some(),
            Needs::Memory => self.memory().is_some(),
            Needs::TwoRuns => self.runs.is_some(),
            Needs::TwoRunsWithTimes => {
                let runs = self.runs.as_ref();
                runs.is_some_and(|runs| runs.clocks().is_some())
            }
        }
    }

    /// The recording that plays, as an index into the session's.
    pub fn recording(&self) -> usize {
        place_of(self.runs.as_ref())
    }

    /// What the landscape has to show of the recording.
    pub fn moment(&self) -> Option<Moment> {
        let recording = &self.resolved()?.recording;
        if !recording.has_times() {
            return Some(Moment {
                most: self.most_of_both,
                ..Moment::without_time(self.recording())
            });
        }
        let playback = self.playback.as_ref()?;
        let cel = playback.cel(recording.all_events());
        Some(Moment {
            recording: self.recording(),
            time: cel.end,
            previous: cel.start,
            range: self.selection.range,
            summary: playback.summary,
            so_far: false,
            most: self.most_of_both,
        })
    }

    /// The box around the whole landscape.
    pub fn bounds(&self) -> Bounds {
        bounds_of(&self.city)
    }

    /// The box around the block that stands for `module`.
    pub fn bounds_of(&self, module: ModuleId) -> Option<Bounds> {
        let (min, max) = self.city.bounds(module)?;
        Some(Bounds { min, max })
    }

    /// The names of the modules, ready to be searched.
    pub fn names(&self) -> &Names {
        self.names
            .get_or_init(|| Names::of(&self.session.hierarchy))
    }

    /// Makes the names ready on another thread: somebody is about to search.
    pub fn prepare_names(&self) {
        // Without threads they are made when they are needed.
        if !cfg!(target_arch = "wasm32") && self.names.get().is_none() {
            let (names, session) = (Arc::clone(&self.names), Arc::clone(&self.session));
            rayon::spawn(move || {
                names.get_or_init(|| Names::of(&session.hierarchy));
            });
        }
    }

    /// The name of a module, which nothing else has.
    pub fn module_name(&self, module: ModuleId) -> &str {
        self.session.module_name(module)
    }

    /// The name of a function of the recording that is shown, which nothing else has.
    pub fn function_name(&self, function: FunctionId) -> &str {
        self.session.function_name(self.recording(), function)
    }

    /// The name of a thread, told from others of the same name.
    pub fn thread_name(&self, thread: ThreadId) -> &str {
        self.thread_names
            .get(thread.index())
            .map_or("", String::as_str)
    }

    /// The names of what was opened, to be shown.
    pub fn name(&self) -> String {
        name_of(&self.inputs)
    }

    /// What was repaired or left out while reading.
    pub fn warnings(&self) -> impl Iterator<Item = &Warning> {
        let recordings = self.session.recordings.iter();
        let of_recordings = recordings.flat_map(|resolved| &resolved.recording.warnings);
        let all = self.session.source_warnings.iter().chain(of_recordings);
        all.filter(|warning| !self.forgiven.contains(&warning.kind.as_ref()))
    }
}

/// One text, or those of A and B; `None` of none.
fn both(texts: impl Iterator<Item = String>) -> Option<String> {
    let texts: Vec<String> = texts.collect();
    match &texts[..] {
        [a, b] => Some(format!("A {a}, B {b}")),
        _ => texts.into_iter().next(),
    }
}

/// The box around a whole landscape, as high as anything in it may rise.
pub fn bounds_of(landscape: &City) -> Bounds {
    let nothing = (Vec3::ZERO, Vec3::new(CITY_SIZE, CITY_SIZE, 1.0));
    let (min, max) = landscape.whole().unwrap_or(nothing);
    Bounds { min, max }
}

fn set_history(
    metrics: &mut ModuleMetrics,
    session: &Session,
    base: &Session,
    origins: &[ModuleId],
    history: &History,
) {
    let of_base: &Hierarchy = &base.hierarchy;
    metrics.set_history(&session.hierarchy, history, |id| {
        let origin = origins.get(id.index()).copied().unwrap_or(id);
        of_base.path(origin)
    });
}

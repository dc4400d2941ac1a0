//! What is open: a session, its views, and where its playback stands.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::Vec3;

use super::camera::pose::Bounds;
use super::details::Calls;
use super::playback::Playback;
use super::sheets::Sheets;
use super::versus::Versus;
use crate::analysis::refinement::Refinement;
use crate::analysis::session::{Inputs, Resolved, Session};
use crate::facts::hierarchy::Hierarchy;
use crate::facts::profile::Profile;
use crate::facts::recording::Recording;
use crate::facts::trace::Trace;
use crate::filter::correspond;
use crate::filter::cut::Cut;
use crate::filter::filters::Filters;
use crate::filter::mapping::Mapping;
use crate::filter::regroup::{assign, regroup};
use crate::filter::running::Running;
use crate::filter::selection::{Meant, Pointed, Selection};
use crate::filter::summary::Summary;
use crate::import;
use crate::layout::geometry::CITY_SIZE;
use crate::progress::{Cancelled, Progress};
use crate::source::history::History;
use crate::units::{Cost, FunctionId, ModuleId, ThreadId, Time, TimeRange};
use crate::views::flame::navigate;
use crate::views::functions::FunctionTable;
use crate::views::landscape::{LandscapeSettings, LandscapeView, Moment, Surface};
use crate::views::metrics::ModuleMetrics;
use crate::views::table::{Needs, ViewId};
use crate::warnings::Warning;

/// The recording that is explored; several can be open.
const RECORDING: usize = 0;

/// What has run glows half as bright after this part of the recording, unless the user chooses.
const GLOW_SHARE: u64 = 60;

/// An open session and the state of its views.
#[derive(Debug)]
pub struct Document {
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
    pub landscape: LandscapeView,
    /// What the landscape was last laid out with.
    pub settings: LandscapeSettings,
    pub selection: Selection,
    /// What is left out of every view.
    pub filters: Filters,
    /// How many calls range and filters leave, once they have been counted.
    pub calls_left: Option<u64>,
    /// None when there is no recording to play: a profile has no times.
    pub playback: Option<Playback>,
    /// Who calls whom in the range.
    pub calls: Calls,
    /// None when there is no recording.
    pub sheets: Option<Sheets>,
    pub functions: Option<FunctionTable>,
    /// By module, the function of the recording that it stands for, where it is one alone.
    function_of: Vec<Option<FunctionId>>,
    /// What is still to be read of the source tree.
    pub refinement: Option<Refinement>,
    /// Where two runs are compared, the one that is shown and what differs.
    pub versus: Option<Arc<Versus>>,
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
        let (session, refinement, versus) = match Versus::open(inputs, progress)? {
            Some((session, versus)) => (session, None, Some(Arc::new(versus))),
            None => {
                let (session, refinement) = Session::open_first(inputs, progress)?;
                (session, refinement, None)
            }
        };
        let session = Arc::new(session);
        progress.start("laying out the landscape", 0);
        progress.check()?;
        let mut settings = *settings;
        if let Some(resolved) = session.recordings.get(RECORDING) {
            let duration = resolved.recording.trace.duration();
            settings.half_life = Cost::from_ns((duration.ns() / GLOW_SHARE).max(1));
        }
        settings.surface = match (&versus, settings.surface) {
            (Some(_), _) => Surface::Difference,
            (None, Surface::Difference) => Surface::Neutral,
            (None, other) => other,
        };
        let document = Document::of(inputs, session, map, None, versus, &settings, progress)?;
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
        versus: Option<Arc<Versus>>,
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
        progress.check()?;
        let mut metrics = ModuleMetrics::new(&session, RECORDING);
        if let Some(history) = &history {
            set_history(&mut metrics, &session, &base, &origins, history);
        }
        // What differs is known of the modules as they are without a mapping.
        if let (Some(versus), None) = (&versus, &map) {
            metrics.set_difference(versus.difference.clone());
        }
        let cut = Cut::all().hiding(left_out);
        let metrics = Arc::new(metrics);
        let landscape = LandscapeView::with(&session, metrics, Arc::default(), settings, &cut);
        progress.check()?;
        let resolved = session.recordings.get(RECORDING);
        Ok(Document {
            inputs: inputs.clone(),
            landscape,
            settings: *settings,
            cut,
            selection: Selection::default(),
            filters: Filters::default(),
            calls_left: None,
            playback: resolved
                .filter(|resolved| resolved.recording.profile.is_none())
                .map(|resolved| Playback::new(&resolved.recording.trace)),
            calls: resolved
                .map(|resolved| Calls::new(resolved, None))
                .unwrap_or_default(),
            sheets: resolved
                .filter(|resolved| resolved.recording.profile.is_none())
                .map(|_| Sheets::new(&session, RECORDING)),
            functions: resolved.map(|_| FunctionTable::new(&session, RECORDING)),
            function_of: functions_by_module(&session),
            refinement: None,
            versus,
            session,
            base,
            map,
            left_out,
            origins,
            forgiven: &[],
            history,
        })
    }

    /// The same inputs made anew: over the source tree as it is now with `rescan` (while it is still being read, over
    /// what more of it is known after another step), through another mapping, or both.
    /// None when nothing has changed. For a worker thread.
    pub fn revise(
        now: &Basis,
        rescan: bool,
        map: Option<Arc<Mapping>>,
        settings: &LandscapeSettings,
        progress: &Progress,
    ) -> anyhow::Result<Option<Revised>> {
        let mut base = Arc::clone(&now.base);
        let mut is_other = false;
        // The structure of two runs is made of both: it stays as it was when they were opened.
        let rescan = rescan && now.versus.is_none();
        let mut rest = now.refinement.clone().filter(|_| !rescan);
        if rescan && let Some(refinement) = &now.refinement {
            let (session, is_whole) = base.refine(refinement, progress)?;
            rest = (!is_whole).then(|| refinement.clone());
            base = Arc::new(session);
            is_other = true;
        } else if rescan && let Some(session) = base.rescan(progress)? {
            is_other = !correspond::are_equal(&session.hierarchy, &base.hierarchy);
            if is_other {
                base = Arc::new(session);
            }
        }
        let same_map = match (&map, &now.map) {
            (Some(map), Some(now)) => Arc::ptr_eq(map, now),
            (None, None) => true,
            _ => false,
        };
        if same_map && !is_other {
            return Ok(None);
        }
        let history = now.history.clone();
        let document = Document {
            refinement: rest,
            ..Document::of(
                &now.inputs,
                base,
                map,
                history,
                now.versus.clone(),
                settings,
                progress,
            )?
        };
        let moved = moved(now, &document);
        Ok(Some(Revised { document, moved }))
    }

    /// The same with the value of this name of a profile shown. None where nothing changes, or several runs are
    /// compared, by the value they have in common. For a worker thread.
    pub fn with_value(
        now: &Basis,
        name: &str,
        settings: &LandscapeSettings,
        progress: &Progress,
    ) -> anyhow::Result<Option<Revised>> {
        let mut base = Session::clone(&now.base);
        let resolved = base.recordings.get_mut(RECORDING);
        let Some(resolved) = resolved.filter(|_| now.versus.is_none()) else {
            return Ok(None);
        };
        let mut recording = Recording::clone(&resolved.recording);
        let Some(profile) = &mut recording.profile else {
            return Ok(None);
        };
        let shown = profile.shown();
        profile.show(name)?;
        if profile.shown() == shown {
            return Ok(None);
        }
        resolved.recording = Arc::new(recording);
        let document = Document {
            refinement: now.refinement.clone(),
            ..Document::of(
                &now.inputs,
                Arc::new(base),
                now.map.clone(),
                now.history.clone(),
                None,
                settings,
                progress,
            )?
        };
        let moved = document.session.hierarchy.modules().map(Some).collect();
        Ok(Some(Revised { document, moved }))
    }

    /// The other one of two runs in place of the one that is shown, over the same structure. None where there is no
    /// other. For a worker thread.
    pub fn flip(
        now: &Basis,
        settings: &LandscapeSettings,
        progress: &Progress,
    ) -> anyhow::Result<Option<Revised>> {
        let Some(versus) = &now.versus else {
            return Ok(None);
        };
        let mut base = Session::clone(&now.base);
        base.recordings.reverse();
        let document = Document::of(
            &now.inputs,
            Arc::new(base),
            now.map.clone(),
            now.history.clone(),
            Some(Arc::new(versus.flipped())),
            settings,
            progress,
        )?;
        let moved = document.session.hierarchy.modules().map(Some).collect();
        Ok(Some(Revised { document, moved }))
    }

    /// Which run is shown: nothing of another is at the same time, on the same thread, or has the same numbers.
    fn is_same_run(&self, other: &Document) -> bool {
        let letter = |of: &Document| of.versus.as_ref().map(|versus| versus.letter());
        letter(self) == letter(other)
    }

    /// Takes the clock of another run over: as it plays, at the time that is the same, without its range.
    fn take_clock(&mut self, old: &Document) {
        let trace = self.session.recordings.get(RECORDING);
        let trace = trace.map(|it| &it.recording.trace);
        if let (Some(playback), Some(of), Some(trace), Some(versus)) =
            (&mut self.playback, &old.playback, trace, &old.versus)
        {
            let time = versus.time_of_other(of.time());
            let duration = Time::ZERO + trace.duration();
            let summary = of.summary;
            playback.configure(&of.settings());
            playback.summary = summary;
            playback.seek(time.min(duration), std::time::Duration::ZERO, trace);
        }
    }

    /// What [`revise`](Self::revise) starts from.
    pub fn basis(&self) -> Basis {
        Basis {
            inputs: self.inputs.clone(),
            base: Arc::clone(&self.base),
            session: Arc::clone(&self.session),
            map: self.map.clone(),
            origins: self.origins.clone(),
            history: self.history.clone(),
            refinement: self.refinement.clone(),
            versus: self.versus.clone(),
        }
    }

    /// Goes on from where `old` stands: what is selected, collapsed and played. `moved` says which module of this
    /// each of the old is.
    pub fn take_over(
        &mut self,
        old: Document,
        moved: &[Option<ModuleId>],
        settings: &LandscapeSettings,
    ) {
        let to = |module: ModuleId| moved.get(module.index()).copied().flatten();
        let is_same_run = self.is_same_run(&old);
        let point = |pointed: Pointed| Pointed {
            module: pointed.module.and_then(to),
            relation: pointed.relation.and_then(|(a, b)| Some((to(a)?, to(b)?))),
            ..match is_same_run {
                true => pointed,
                false => Pointed::default(),
            }
        };
        self.selection = Selection {
            chosen: point(old.selection.chosen),
            pointed: Pointed::default(),
            range: None,
            ..old.selection
        };
        let (filters, range) = match is_same_run {
            true => (old.filters.moved(to), old.selection.range),
            false => (Filters::default(), None),
        };
        let boxes = old.landscape.boxes(to);
        let references: Option<Arc<[f64]>> = (!old.landscape.references().is_empty()).then(|| {
            let mut references = vec![0.0; self.session.hierarchy.len()];
            for (&moved, &reference) in moved.iter().zip(old.landscape.references().iter()) {
                if let Some(module) = moved {
                    references[module.index()] = reference;
                }
            }
            references.into()
        });
        let cut = old.cut.without_hidden().moved(to).hiding(self.left_out);
        match is_same_run {
            true => self.playback = old.playback,
            false => self.take_clock(&old),
        }
        if let (Some(table), Some(old)) = (&mut self.functions, &old.functions) {
            table.search(&self.session, old.query().to_owned());
            let (column, descending) = old.sort();
            table.set_sort(&self.session, column, descending);
        }
        if cut != self.cut || *settings != self.settings || references.is_some() {
            self.cut = cut;
            self.settings = *settings;
            let metrics = Arc::clone(self.landscape.metrics());
            let references = references.unwrap_or_default();
            self.landscape =
                LandscapeView::with(&self.session, metrics, references, settings, &self.cut);
        }
        self.landscape.ease_from(&boxes, Some);
        self.limit(range, filters);
    }

    /// Takes what git says of the files.
    pub fn set_history(&mut self, history: Arc<History>) {
        let mut metrics = ModuleMetrics::clone(self.landscape.metrics());
        set_history(
            &mut metrics,
            &self.session,
            &self.base,
            &self.origins,
            &history,
        );
        self.history = Some(history);
        let references = Arc::clone(self.landscape.references());
        let (metrics, settings) = (Arc::new(metrics), self.settings);
        let left = self.landscape.left().clone();
        self.landscape =
            LandscapeView::with(&self.session, metrics, references, &settings, &self.cut);
        self.landscape.leave(left);
    }

    /// Lays the landscape out anew; blocks ease to their new places.
    pub fn lay_out(&mut self, settings: &LandscapeSettings) {
        let boxes = self.landscape.boxes(Some);
        self.settings = *settings;
        if self.landscape.lay_out(&self.session, settings, &self.cut) {
            self.landscape.ease_from(&boxes, Some);
        }
    }

    /// What lays the landscape out anew on another thread, with these settings.
    pub fn relayout(
        &self,
        settings: LandscapeSettings,
    ) -> impl FnOnce() -> LandscapeView + Send + use<> {
        let session = Arc::clone(&self.session);
        let metrics = Arc::clone(self.landscape.metrics());
        let references = Arc::clone(self.landscape.references());
        let cut = self.cut.clone();
        move || LandscapeView::with(&session, metrics, references, &settings, &cut)
    }

    /// Takes a landscape that was laid out on another thread.
    pub fn take_landscape(&mut self, mut landscape: LandscapeView) {
        let boxes = self.landscape.boxes(Some);
        landscape.ease_from(&boxes, Some);
        self.settings = *landscape.settings();
        landscape.leave(self.landscape.left().clone());
        self.landscape = landscape;
    }

    /// The recording that plays.
    pub fn resolved(&self) -> Option<&Resolved> {
        self.session.recordings.get(RECORDING)
    }

    /// The trace and its clock.
    pub fn playing(&mut self) -> Option<(&mut Playback, &Trace)> {
        let resolved = self.session.recordings.get(RECORDING)?;
        Some((self.playback.as_mut()?, &resolved.recording.trace))
    }

    /// The function table and what it is made from.
    pub fn table(&mut self) -> Option<(&mut FunctionTable, &Session)> {
        Some((self.functions.as_mut()?, &self.session))
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

    /// A cost of the recording for people, in its unit.
    pub fn show_cost(&self, cost: Cost) -> String {
        match self.resolved() {
            Some(resolved) => resolved.recording.unit().show(cost),
            None => cost.to_string(),
        }
    }

    /// Whether calls are known.
    pub fn counts_calls(&self) -> bool {
        self.resolved()
            .is_some_and(|resolved| resolved.recording.counts_calls())
    }

    /// The module of a function of the recording that plays.
    pub fn module_of(&self, function: FunctionId) -> Option<ModuleId> {
        let modules = &self.resolved()?.resolution.modules;
        modules.get(function.index()).copied()
    }

    /// What is pointed at, with the function of a call, the module of a function and the one function of a
    /// module added.
    pub fn complete(&self, pointed: Pointed) -> Pointed {
        let of_call = || {
            let (of, trace) = (pointed.call?, &self.resolved()?.recording.trace);
            navigate::exists(trace, of).then(|| trace.call(of.thread, of.call).function)
        };
        let function = pointed.function.or_else(of_call);
        let module = pointed.module.or_else(|| self.module_of(function?));
        // Of a call relation what is called.
        let module = module.or(pointed.relation.map(|(_, to)| to));
        let function = function.or_else(|| *self.function_of.get(module?.index())?);
        Pointed {
            module,
            function,
            ..pointed
        }
    }

    /// Limits what is shown to `range` and what `filters` leave.
    pub fn limit(&mut self, range: Option<TimeRange>, filters: Filters) {
        let resolved = self.session.recordings.get(RECORDING);
        self.selection.range = range;
        if let Some(table) = &mut self.functions {
            table.limit(&self.session, range, &filters);
        }
        let table = self.functions.as_ref();
        // The same range and filters once more: what has been counted holds.
        let is_counted = !filters.is_empty() && table.is_some_and(|it| it.is_complete());
        if !is_counted {
            self.calls_left = None;
        }
        if let (Some(playback), Some(resolved)) = (&mut self.playback, resolved) {
            playback.limit(range, &resolved.recording.trace);
        }
        if let Some(resolved) = resolved.filter(|_| filters.is_empty()) {
            self.calls = Calls::new(resolved, range);
        }
        if let Some(resolved) = resolved.filter(|_| !is_counted) {
            let modules = &resolved.resolution.modules;
            let rules = filters.rules(&self.session.hierarchy, modules);
            let left = self.landscape.left().uncounted(rules);
            self.landscape.leave(left);
        }
        self.filters = filters;
    }

    /// Takes what looking at every call that is left has found.
    pub fn count(&mut self, summary: &Summary) {
        if let Some(table) = &mut self.functions {
            table.complete(&self.session, summary);
        }
        let calls = summary.functions.iter().map(|it| it.metrics.calls);
        self.calls_left = Some(calls.sum());
        let resolved = self.session.recordings.get(RECORDING);
        if let Some(resolved) = resolved.filter(|_| !self.filters.is_empty()) {
            self.calls = Calls::of(resolved, &summary.relations);
            let mut left = self.landscape.left().clone();
            left.count(summary);
            self.landscape.leave(left);
        }
    }

    /// Whether the running sums of what the filters leave are still to be made.
    pub fn wants_running(&self) -> bool {
        let left = self.landscape.left();
        self.playback.is_some() && !left.is_all() && left.running().is_none()
    }

    /// Takes the running sums of what the filters leave.
    pub fn run(&mut self, running: Arc<Running>) {
        let mut left = self.landscape.left().clone();
        left.run(running);
        self.landscape.leave(left);
    }

    /// Whether there is something to see in `view`.
    pub fn can_show(&self, view: ViewId) -> bool {
        match view.line().needs {
            Needs::Nothing => true,
            Needs::Recording => self.resolved().is_some(),
            Needs::Times => self.playback.is_some(),
        }
    }

    /// The recording that plays, as an index into the session's.
    pub fn recording(&self) -> usize {
        RECORDING
    }

    /// What the landscape has to show of the recording.
    pub fn moment(&self) -> Option<Moment> {
        let recording = &self.resolved()?.recording;
        if recording.profile.is_some() {
            return Some(Moment::without_time(RECORDING));
        }
        let trace = &recording.trace;
        let playback = self.playback.as_ref()?;
        let cel = playback.cel(trace);
        Some(Moment {
            recording: RECORDING,
            time: cel.end,
            previous: cel.start,
            range: self.selection.range,
            summary: playback.summary,
            ..Moment::default()
        })
    }

    /// The box around the whole landscape.
    pub fn bounds(&self) -> Bounds {
        let blocks = self.landscape.blocks();
        let mut bounds = match blocks.first() {
            Some(root) => Bounds {
                min: root.min,
                max: root.max,
            },
            None => Bounds {
                min: Vec3::ZERO,
                max: Vec3::new(CITY_SIZE, CITY_SIZE, 1.0),
            },
        };
        for block in blocks {
            bounds.max = bounds.max.max(block.max);
        }
        bounds
    }

    /// The box around the block that stands for `module`.
    pub fn bounds_of(&self, module: ModuleId) -> Option<Bounds> {
        let (min, max) = self.landscape.bounds(module)?;
        Some(Bounds { min, max })
    }

    /// What is meant by what is pointed at or chosen.
    pub fn meant(&self, of: &Pointed) -> Meant<'_> {
        let modules = self
            .resolved()
            .map_or(&[][..], |it| it.resolution.modules.as_slice());
        Meant::new(of, &self.session.hierarchy, modules)
    }

    /// The functions of the recording in a module. O(functions).
    pub fn functions_in(&self, module: ModuleId) -> impl Iterator<Item = FunctionId> + '_ {
        let modules = self
            .resolved()
            .map_or(&[][..], |it| it.resolution.modules.as_slice());
        let hierarchy = &self.session.hierarchy;
        let is_in = move |inner: ModuleId| {
            module.index() < hierarchy.len() && hierarchy.contains(module, inner)
        };
        let all = modules.iter().zip(0..);
        all.filter(move |(inner, _)| is_in(**inner))
            .map(|(_, function)| FunctionId(function))
    }

    /// The call relation between two functions as it is drawn: between displayed modules; none within one.
    pub fn displayed_relation(
        &self,
        caller: FunctionId,
        callee: FunctionId,
    ) -> Option<(ModuleId, ModuleId)> {
        let shown = |function| self.landscape.displayed(self.module_of(function)?);
        let (from, to) = (shown(caller)?, shown(callee)?);
        (from != to).then_some((from, to))
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

/// What a document is made anew from.
#[derive(Clone, Debug)]
pub struct Basis {
    inputs: Inputs,
    base: Arc<Session>,
    session: Arc<Session>,
    map: Option<Arc<Mapping>>,
    origins: Vec<ModuleId>,
    history: Option<Arc<History>>,
    refinement: Option<Refinement>,
    versus: Option<Arc<Versus>>,
}

/// A document made anew, and by module of the old one which module of the new one it is.
#[derive(Debug)]
pub struct Revised {
    pub document: Document,
    pub moved: Vec<Option<ModuleId>>,
}

/// By module of the old document, the module of the new one: by path, else as the same module of the structure
/// without a mapping.
fn moved(old: &Basis, new: &Document) -> Vec<Option<ModuleId>> {
    let mut moved = correspond::by_path(&old.session.hierarchy, &new.session.hierarchy);
    let bases = if Arc::ptr_eq(&old.base, &new.base) {
        None
    } else {
        Some(correspond::by_path(
            &old.base.hierarchy,
            &new.base.hierarchy,
        ))
    };
    let origin = |origins: &[ModuleId], module: ModuleId| match origins {
        [] => Some(module),
        _ => origins
            .get(module.index())
            .copied()
            .filter(|it| *it != ModuleId::ROOT),
    };
    let mut by_origin: Vec<Option<ModuleId>> = vec![None; new.base.hierarchy.len()];
    for module in new.session.hierarchy.modules() {
        let is_hidden = new
            .left_out
            .is_some_and(|hidden| new.session.hierarchy.contains(hidden, module));
        if let Some(origin) = origin(&new.origins, module).filter(|_| !is_hidden) {
            by_origin[origin.index()].get_or_insert(module);
        }
    }
    for (index, moved) in moved.iter_mut().enumerate() {
        if moved.is_none()
            && let Some(mut origin) = origin(&old.origins, ModuleId(index as u32))
        {
            if let Some(bases) = &bases {
                let Some(there) = bases[origin.index()] else {
                    continue;
                };
                origin = there;
            }
            *moved = by_origin[origin.index()];
        }
    }
    moved
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

fn functions_by_module(session: &Session) -> Vec<Option<FunctionId>> {
    let mut functions = vec![None; session.hierarchy.len()];
    let Some(resolved) = session.recordings.get(RECORDING) else {
        return functions;
    };
    let mut counts = vec![0u8; functions.len()];
    for (module, function) in resolved.resolution.modules.iter().zip(0..) {
        if let (Some(of), Some(count)) = (
            functions.get_mut(module.index()),
            counts.get_mut(module.index()),
        ) {
            *count = count.saturating_add(1);
            *of = (*count == 1).then_some(FunctionId(function));
        }
    }
    functions
}

/// The names of source tree and recordings, without their folders; what they are without any.
pub fn name_of(inputs: &Inputs) -> String {
    if *inputs == Inputs::default() {
        return "Built-in demo".into();
    }
    let paths = inputs.source_dir.iter().chain(&inputs.recordings);
    let names = paths.map(|path| file_name(path));
    names.collect::<Vec<_>>().join(" · ")
}

/// The last part of a path; of `.` the directory that it is.
fn file_name(path: &Path) -> String {
    if path.as_os_str() == import::input::STANDARD_INPUT {
        return "standard input".into();
    }
    let whole = std::fs::canonicalize(path);
    let path = whole.as_deref().unwrap_or(path);
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().into_owned()
}

/// What to open when `paths` are dropped on a window that shows `open`.
///
/// Recordings replace the recordings and keep the structure. A source tree keeps the recordings only
/// when there was no source tree: recordings belong to the tree they were opened with.
pub fn dropped(open: Option<&Inputs>, paths: &[PathBuf]) -> Inputs {
    let is_source = |path: &&PathBuf| path.is_dir() && !import::is_recording(path);
    let source_dir = paths.iter().rfind(is_source).cloned();
    let recordings = paths.iter().filter(|path| !is_source(path));
    let mut inputs = Inputs {
        source_dir,
        recordings: recordings.cloned().collect(),
    };
    if let Some(open) = open {
        if inputs.source_dir.is_none() {
            inputs.source_dir.clone_from(&open.source_dir);
        } else if open.source_dir.is_none() && inputs.recordings.is_empty() {
            inputs.recordings.clone_from(&open.recordings);
        }
    }
    inputs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_value_of_a_profile_is_shown_with_the_same_selection() {
        let file = "tests/data/import/pprof/markdown-render.pb.gz";
        let inputs = Inputs {
            source_dir: None,
            recordings: vec![PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(file)],
        };
        let (settings, progress) = (LandscapeSettings::default(), Progress::new());
        let mut document = Document::open(&inputs, None, &settings, &progress)
            .expect("a profile that can be read");
        let profile = document.profile().expect("a profile");
        let shown = profile.shown();
        let names: Vec<String> = profile.values().iter().map(|it| it.name.clone()).collect();
        assert!(names.len() > 1, "{names:?}");
        let before = profile.weight();
        document.selection.chosen = Pointed::at_module(Some(ModuleId(1)));
        let basis = document.basis();
        let with = |name: &str| Document::with_value(&basis, name, &settings, &progress);
        assert!(with(&names[shown]).expect("it is known").is_none());
        assert!(with("no such value").is_err());
        let other = (shown + 1) % names.len();
        let revised = with(&names[other]).expect("it is known");
        let Revised {
            document: mut next,
            moved,
        } = revised.expect("another value");
        next.take_over(document, &moved, &settings);
        let profile = next.profile().expect("a profile");
        assert_eq!(profile.shown(), other);
        assert_ne!(profile.weight(), before);
        assert_eq!(next.selection.chosen.module, Some(ModuleId(1)));
    }

    #[test]
    fn what_is_dropped_joins_or_replaces_what_is_open() {
        let tree = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
        let other = tree.join("src");
        let trace = tree.join("Cargo.toml");
        let of = |source: Option<&PathBuf>, recordings: &[&PathBuf]| Inputs {
            source_dir: source.cloned(),
            recordings: recordings.iter().map(|&path| path.clone()).collect(),
        };
        let old = PathBuf::from("old.json");
        let structure = of(Some(&tree), &[&old]);
        let recording = of(None, &[&old]);
        let drop =
            |open: Option<&Inputs>, path: &PathBuf| dropped(open, std::slice::from_ref(path));
        assert_eq!(drop(None, &tree), of(Some(&tree), &[]));
        assert_eq!(drop(Some(&structure), &trace), of(Some(&tree), &[&trace]));
        assert_eq!(drop(Some(&structure), &other), of(Some(&other), &[]));
        assert_eq!(drop(Some(&recording), &tree), of(Some(&tree), &[&old]));
        let both = dropped(Some(&structure), &[trace.clone(), other.clone()]);
        assert_eq!(both, of(Some(&other), &[&trace]));
    }
}

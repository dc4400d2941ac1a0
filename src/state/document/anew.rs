//! A document made anew where what it shows has changed underneath, and what of the old one goes on in the new.

use std::path::PathBuf;
use std::sync::Arc;

use super::Document;
use super::same::Same;
use crate::city::City;
use crate::runs::Runs;
use callscape_analysis::comparison::pairing::Correction;
use callscape_analysis::mapping::Mapping;
use callscape_analysis::refinement::Refinement;
use callscape_analysis::session::{Inputs, Session};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{ModuleId, Time, TimeRange};
use callscape_facts::recording::Recording;
use callscape_filter::correspond;
use callscape_filter::filters::Filters;
use callscape_filter::selection::Pointed;
use callscape_model::landscape::LandscapeSettings;
use callscape_source::history::History;

/// What a document is made anew from.
#[derive(Clone, Debug)]
pub(crate) struct Basis {
    inputs: Inputs,
    base: Arc<Session>,
    session: Arc<Session>,
    map: Option<Arc<Mapping>>,
    origins: Vec<ModuleId>,
    history: Option<Arc<History>>,
    refinement: Option<Refinement>,
    runs: Option<Arc<Runs>>,
}

/// A document made anew, and by module of the old one which module of the new one it is.
#[derive(Debug)]
pub struct Revised {
    pub document: Document,
    pub moved: Vec<Option<ModuleId>>,
}

/// What of the inputs is shown, where there is a choice; what they begin with for none.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// The name of a profile's value.
    pub value: Option<String>,
    /// The letter of one of two runs.
    pub run: Option<String>,
}

/// What of a document is to be another.
#[derive(Clone, Debug)]
pub enum Change {
    /// The structure: over the source tree as it is now with `rescan` (while it is still being read, over what more of it
    /// is known after another step), through another mapping, or both.
    Structure {
        rescan: bool,
        map: Option<Arc<Mapping>>,
    },
    /// The value of this name is shown.
    Value(String),
    /// The other one of two runs is shown, over the same structure.
    Flip,
    /// A and B are exchanged.
    Swap,
    /// The functions of two runs are paired as the user says.
    Pairs(Vec<Correction>),
}

impl Basis {
    /// The document with a change made; none where that changes nothing. For a worker thread.
    pub(crate) fn with(
        &self,
        change: Change,
        settings: &LandscapeSettings,
        progress: &Progress,
    ) -> anyhow::Result<Option<Revised>> {
        let base = || Arc::clone(&self.base);
        let runs = self.runs.as_ref();
        let is_same_structure = match change {
            Change::Pairs(_) => false,
            // Two runs are opened anew.
            Change::Value(_) => runs.is_none(),
            _ => true,
        };
        let changed = match change {
            Change::Structure { rescan, map } => {
                return self.with_structure(rescan, map, settings, progress);
            }
            Change::Value(name) => self.with_value(&name, progress)?,
            Change::Flip => runs.map(|runs| (base(), Some(runs.flipped()))),
            Change::Swap => runs.map(|runs| (base(), Some(runs.swapped()))),
            Change::Pairs(corrections) => match runs {
                Some(runs) => (runs.again(&self.inputs, corrections, progress)?)
                    .map(|(base, runs)| (Arc::new(base), Some(runs))),
                None => None,
            },
        };
        let Some((base, runs)) = changed else {
            return Ok(None);
        };
        let (map, runs) = (self.map.clone(), runs.map(Arc::new));
        let document = self.document(base, map, runs, settings, progress)?;
        let moved = match is_same_structure {
            true => document.session.hierarchy.modules().map(Some).collect(),
            false => moved(self, &document),
        };
        let document = Document {
            refinement: self.refinement.clone(),
            ..document
        };
        Ok(Some(Revised { document, moved }))
    }

    fn document(
        &self,
        base: Arc<Session>,
        map: Option<Arc<Mapping>>,
        runs: Option<Arc<Runs>>,
        settings: &LandscapeSettings,
        progress: &Progress,
    ) -> Result<Document, Cancelled> {
        let history = self.history.clone();
        Document::of(&self.inputs, base, map, history, runs, settings, progress)
    }

    fn with_structure(
        &self,
        rescan: bool,
        map: Option<Arc<Mapping>>,
        settings: &LandscapeSettings,
        progress: &Progress,
    ) -> anyhow::Result<Option<Revised>> {
        let mut base = Arc::clone(&self.base);
        let mut is_other = false;
        // The structure of two runs is made of both.
        let mut runs = self.runs.clone();
        if let Some(old) = self.runs.as_ref().filter(|_| rescan)
            && let Some((session, other)) = old.reopen(&self.inputs, &base, progress)?
        {
            (base, runs) = (Arc::new(session), Some(Arc::new(other)));
            is_other = true;
        }
        let rescan = rescan && self.runs.is_none();
        let mut rest = self.refinement.clone().filter(|_| !rescan);
        if rescan && let Some(refinement) = &self.refinement {
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
        if map.as_ref().map(Arc::as_ptr) == self.map.as_ref().map(Arc::as_ptr) && !is_other {
            return Ok(None);
        }
        let document = Document {
            refinement: rest,
            ..self.document(base, map, runs, settings, progress)?
        };
        let moved = moved(self, &document);
        Ok(Some(Revised { document, moved }))
    }

    /// The session with the value of this name shown, of two runs in both. None where nothing changes.
    fn with_value(
        &self,
        name: &str,
        progress: &Progress,
    ) -> anyhow::Result<Option<(Arc<Session>, Option<Runs>)>> {
        let place = self.runs.as_ref().map_or(0, |runs| runs.place());
        let Some(shown) = self.base.recordings.get(place) else {
            return Ok(None);
        };
        let shown = shown.recording.value_shown();
        if shown.is_none_or(|it| it.name == name) {
            return Ok(None);
        }
        if let Some(runs) = &self.runs {
            let found = runs.by_value(&self.inputs, name, progress)?;
            return Ok(found.map(|(base, runs)| (Arc::new(base), Some(runs))));
        }
        let mut base = Session::clone(&self.base);
        if let Some(resolved) = base.recordings.get_mut(place) {
            let mut recording = Recording::clone(&resolved.recording);
            recording.show_value(name)?;
            resolved.recording = Arc::new(recording);
        }
        Ok(Some((Arc::new(base), None)))
    }
}

impl Document {
    /// The document as it opens, with `part` shown: what its inputs do not have is left as it is. For a worker
    /// thread.
    pub fn showing(self, part: &Part, progress: &Progress) -> anyhow::Result<Document> {
        let mut document = self;
        let settings = document.settings;
        let has_value = |name: &&String| {
            let recording = document.resolved().map(|it| &it.recording);
            let values = recording.into_iter().flat_map(|it| it.values());
            values.into_iter().any(|value| value.name == **name)
        };
        let value = part.value.as_ref().filter(has_value);
        let letter = document.runs.as_ref().map(|runs| runs.letter());
        let is_other_run = part.run.is_some() && letter != part.run.as_deref();
        let changes = [
            value.cloned().map(Change::Value),
            is_other_run.then_some(Change::Flip),
        ];
        for change in changes.into_iter().flatten() {
            if let Some(revised) = document.basis().with(change, &settings, progress)? {
                document = revised.document;
            }
        }
        Ok(document)
    }

    /// What of the inputs is shown.
    pub fn part(&self) -> Part {
        let recording = self.resolved().map(|it| &it.recording);
        let value = recording.and_then(|it| it.values().get(it.value()));
        Part {
            value: value.map(|value| value.name.clone()),
            run: self.runs.as_ref().map(|runs| runs.letter().to_owned()),
        }
    }

    /// What it was opened from, A standing first.
    pub fn inputs_of_sides(&self) -> Inputs {
        let inputs = self.inputs.clone();
        match &self.runs {
            Some(runs) if runs.is_swapped() => inputs.swapped(),
            _ => inputs,
        }
    }

    /// The recordings of A and B; all of them are of A where there are no two runs.
    pub fn recordings_of_sides(&self) -> [Vec<PathBuf>; 2] {
        let inputs = self.inputs_of_sides();
        let sides = self
            .runs
            .as_ref()
            .and_then(|_| inputs.recordings_of_sides());
        match sides {
            Some(sides) => sides.map(<[PathBuf]>::to_vec),
            None => [inputs.recordings, Vec::new()],
        }
    }

    /// Which run is shown: nothing of another is at the same time, on the same thread, or has the same numbers.
    pub(crate) fn is_same_run(&self, other: &Document) -> bool {
        let input = |of: &Document| of.runs.as_ref().map(|runs| runs.input());
        input(self) == input(other)
    }

    /// The part of a range that the recording has; none where that is nothing, or all of it.
    pub(crate) fn within(&self, range: TimeRange) -> Option<TimeRange> {
        let whole = self.resolved()?.recording.trace.range();
        let [start, end] = [range.start, range.end].map(|time| time.clamp(whole.start, whole.end));
        let part = TimeRange::new(start, end);
        (start < end && part != whole).then_some(part)
    }

    /// Takes the clock of another run over: as it plays, at the time that is the same, without its range.
    fn take_clock(&mut self, old: &Document) {
        let of = self.session.recordings.get(self.recording());
        let all = of.map(|it| it.recording.all_events());
        if let (Some(playback), Some(of), Some(all), Some(runs)) =
            (&mut self.playback, &old.playback, all, &old.runs)
        {
            let time = runs.time_of_other(of.time());
            let duration = Time::ZERO + all.trace.duration();
            let summary = of.summary;
            playback.configure(&of.settings());
            playback.summary = summary;
            playback.seek(time.min(duration), std::time::Duration::ZERO, all);
        }
    }

    /// What it is made anew from.
    pub(crate) fn basis(&self) -> Basis {
        Basis {
            inputs: self.inputs.clone(),
            base: Arc::clone(&self.base),
            session: Arc::clone(&self.session),
            map: self.map.clone(),
            origins: self.origins.clone(),
            history: self.history.clone(),
            refinement: self.refinement.clone(),
            runs: self.runs.clone(),
        }
    }

    /// Goes on from where `old` stands: what is selected, collapsed and played. `moved` says which module of this
    /// each of the old is.
    pub(crate) fn take_over(
        &mut self,
        old: &Document,
        moved: &[Option<ModuleId>],
        settings: &LandscapeSettings,
    ) {
        let to = |module: ModuleId| moved.get(module.index()).copied().flatten();
        let is_same_run = self.is_same_run(old);
        let point = |pointed: Pointed| Pointed {
            module: pointed.module.and_then(to),
            relation: pointed.relation.and_then(|(a, b)| Some((to(a)?, to(b)?))),
            ..match is_same_run {
                true => pointed,
                false => Pointed::default(),
            }
        };
        // What is marked may have other numbers now: whoever marked it does so again.
        self.selection.change(|it| {
            it.chosen = point(old.selection.chosen);
            it.time = old.selection.time;
        });
        let same = Same {
            old,
            new: self,
            moved: Some(moved),
        };
        let (filters, range) = match (is_same_run, &old.runs) {
            (true, _) => (old.filters.moved(&same), old.selection.range),
            (false, Some(runs)) => {
                let range = old.selection.range;
                let range = range.and_then(|range| self.within(runs.range_of_other(range)));
                (old.filters_of_other().moved(&same), range)
            }
            (false, None) => (Filters::default(), None),
        };
        let boxes = old.city.boxes(to);
        let references: Option<Arc<[f64]>> = (!old.city.references().is_empty()).then(|| {
            let mut references = vec![0.0; self.session.hierarchy.len()];
            for (&moved, &reference) in moved.iter().zip(old.city.references().iter()) {
                if let Some(module) = moved {
                    references[module.index()] = reference;
                }
            }
            references.into()
        });
        let cut = old.cut.without_hidden().moved(to).hiding(self.left_out);
        match is_same_run {
            true => self.playback = old.playback.clone(),
            false => self.take_clock(old),
        }
        if cut != self.cut || *settings != self.settings || references.is_some() {
            self.cut = cut;
            self.settings = *settings;
            let metrics = Arc::clone(self.city.metrics());
            let references = references.unwrap_or_default();
            self.city = City::with(&self.session, metrics, references, settings, &self.cut);
        }
        self.city.ease_from(&boxes, Some);
        self.limit(range, filters);
    }
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

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;
    use callscape_filter::filters::FilterStep;
    use callscape_filter::summary::Summary;

    #[test]
    fn another_value_of_a_profile_is_shown_with_the_same_selection() {
        let file = "tests/data/import/pprof/markdown-render.pb.gz";
        let inputs = Inputs {
            source_dir: None,
            recordings: vec![
                PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(file),
            ],
            ..Inputs::default()
        };
        let (settings, progress) = (LandscapeSettings::default(), Progress::new());
        let mut document = Document::open(&inputs, None, &settings, &progress)
            .expect("a profile that can be read");
        let profile = document.profile().expect("a profile");
        let shown = profile.shown();
        let names: Vec<String> = profile.values().iter().map(|it| it.name.clone()).collect();
        assert!(names.len() > 1, "{names:?}");
        let before = profile.weight();
        let chosen = Pointed::at_module(Some(ModuleId(1)));
        document.selection.change(|it| it.chosen = chosen);
        let basis = document.basis();
        let with = |name: &str| {
            let change = Change::Value(name.to_owned());
            basis.with(change, &settings, &progress)
        };
        assert!(with(&names[shown]).expect("it is known").is_none());
        assert!(with("no such value").is_err());
        let other = (shown + 1) % names.len();
        let revised = with(&names[other]).expect("it is known");
        let Revised {
            document: mut next,
            moved,
        } = revised.expect("another value");
        next.take_over(&document, &moved, &settings);
        let profile = next.profile().expect("a profile");
        assert_eq!(profile.shown(), other);
        assert_ne!(profile.weight(), before);
        assert_eq!(next.selection.chosen.module, Some(ModuleId(1)));
    }

    #[test]
    fn under_filters_a_profile_glows_by_what_they_leave() {
        let folder = std::env::temp_dir().join(format!("callscape-glow-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for the test");
        let file = folder.join("stacks.folded");
        std::fs::write(&file, "main;a;b 90\nmain;a 1\nmain;c 10\n").expect("it can be written");
        let inputs = Inputs {
            source_dir: None,
            recordings: vec![file],
            ..Inputs::default()
        };
        let (settings, progress) = (LandscapeSettings::default(), Progress::new());
        let document = Document::open(&inputs, None, &settings, &progress);
        let mut document = document.expect("a profile that can be read");
        let module = |document: &Document, name: &str| {
            let ids = (0..document.session.hierarchy.len() as u32).map(ModuleId);
            let mut named = ids.filter(|&id| document.session.hierarchy.name(id) == name);
            named.next().expect("a function of this name")
        };
        let glow = |document: &mut Document, name: &str| {
            let module = module(document, name);
            let moment = document.moment();
            document.city.show(&document.session, moment);
            let mut blocks = document.city.blocks().iter();
            let block = blocks.position(|block| block.module == module);
            document.city.looks()[block.expect("it is shown")].glow
        };
        let shares = |document: &mut Document| ["a", "b", "c"].map(|name| glow(document, name));
        let is = |found: [f32; 3], shares: [f32; 3]| {
            let pairs = found.into_iter().zip(shares);
            for (found, share) in pairs {
                assert!((found - share.sqrt()).abs() < 1e-5, "{found} {share}");
            }
        };
        is(shares(&mut document), [1.0 / 90.0, 1.0, 10.0 / 90.0]);
        // What b took is now of a, which called it.
        let b = module(&document, "b");
        document.limit(None, Filters::new([FilterStep::RemoveModule(b)]));
        let resolved = document.resolved().expect("a recording");
        let rules = document
            .filters
            .rules(&document.session.hierarchy, &resolved.resolution.modules);
        let summary = Summary::of(&resolved.recording, None, &rules, &progress);
        document.count(&summary.expect("nobody cancels"));
        is(shares(&mut document), [1.0, 0.0, 10.0 / 91.0]);
        let _ = std::fs::remove_dir_all(&folder);
    }
}

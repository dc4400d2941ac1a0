//! What shots change, and how what is open is brought there.

use std::path::{Path, PathBuf};

use super::kept::Kept;
use super::places::Places;
use super::scene::{Arcs, Bookmark, Compare, Run, Section, Shot, TimeText};
use callscape_base::units::{ModuleId, Time, TimeRange};
use callscape_filter::cut::Cut;
use callscape_filter::filters::Filters;
use callscape_model::arcs::ArcMode;
use callscape_model::landscape::LandscapeSettings;
use callscape_state::State;
use callscape_state::ask::{PlayAsk, RunsAsk};
use callscape_state::camera;
use callscape_state::document::Document;
use callscape_state::runs::RunsLayout;
use callscape_state::runs_view::suited;

/// What is shown, as far as scenes say. Times are those of A where two runs are open.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneState {
    pub kept: Kept,
    pub together: RunsLayout,
    pub divider: f32,
    /// Of two runs, the one that is shown: 0 for A.
    pub side: usize,
    /// The mapping file through which the structure is shown.
    pub mapping: Option<PathBuf>,
}

/// A time of A as one of the run that is shown.
fn shown_time(document: &Document, time: Time) -> Time {
    match &document.runs {
        Some(runs) if runs.side() == 1 => runs.clocks().map_or(time, |clocks| clocks.map(0, time)),
        _ => time,
    }
}

impl SceneState {
    /// What `state` shows now.
    pub fn of(state: &State) -> SceneState {
        let document = state.document.as_ref();
        let runs = document.and_then(|it| it.runs.as_ref());
        let in_a = |time: Time| match runs {
            Some(runs) if runs.side() == 1 => runs.time_of_other(time),
            _ => time,
        };
        let mut kept = Kept::of(state);
        kept.time = in_a(kept.time);
        let range = kept.range;
        kept.range = range.map(|range| TimeRange::new(in_a(range.start), in_a(range.end)));
        SceneState {
            kept,
            together: state.runs_view.together,
            divider: state.runs_view.divider,
            side: runs.map_or(0, |runs| runs.side()),
            mapping: state.mapping_shown(),
        }
    }

    /// What is shown when nothing but the inputs was opened: a scene begins so whatever the window showed.
    pub fn fresh(state: &State) -> SceneState {
        let mut settings = LandscapeSettings {
            half_life: state.settings.half_life,
            theme: state.settings.theme,
            most_blocks: state.settings.most_blocks,
            ..LandscapeSettings::default()
        };
        let main = state.panes.all().first().copied();
        let (mut cut, mut pose) = (Cut::all(), state.moving.camera.pose());
        if let Some(document) = &state.document {
            cut = document.cut.only_hidden();
            let viewport = &state.moving.viewport;
            pose = camera::home(&document.bounds(), viewport.aspect(), viewport.free);
            let shown = document.resolved().map(|resolved| &*resolved.recording);
            settings = settings.once_open(shown, document.session.source_dir.is_some());
            if document.runs.is_some() {
                settings = suited(settings, RunsLayout::Wipe, RunsLayout::One);
            }
        }
        SceneState {
            kept: Kept {
                settings,
                legend: false,
                text_scale: 1.0,
                cut,
                filters: Filters::default(),
                marked: None,
                color_marked: false,
                module: None,
                range: None,
                time: Time::ZERO,
                summary: false,
                views: main.into_iter().collect(),
                pose,
            },
            together: RunsLayout::One,
            divider: 0.5,
            side: 0,
            mapping: state.mapping_shown(),
        }
    }

    /// Takes over what another structure makes of what is collapsed, left out and chosen: nothing, but for what
    /// `mark` says of them.
    pub fn fit(&mut self, document: &Document, mark: Option<&Bookmark>, places: &Places) {
        self.kept.cut = document.cut.only_hidden();
        (self.kept.filters, self.kept.module) = (Filters::default(), None);
        if let Some(mark) = mark {
            let sections = [Section::Cut, Section::Filters, Section::Selection];
            self.kept.take(mark, &sections, document, places.modules());
        }
    }

    /// What a shot changes at once.
    pub fn change(
        &mut self,
        shot: &Shot,
        bookmark: Option<&Bookmark>,
        places: &Places,
        document: &Document,
    ) {
        let hierarchy = &document.session.hierarchy;
        if let Some(bookmark) = bookmark {
            let sections = shot.sections.as_deref().unwrap_or(&Section::ALL);
            // The camera flies there by itself. What is not there any more is told when the scene is opened.
            let pose = self.kept.pose;
            self.kept
                .take(bookmark, sections, document, places.modules());
            self.kept.pose = pose;
            if let Some(mapping) = mapping_of(shot, bookmark) {
                self.mapping = mapping;
            }
        }
        if let Some(compare) = shot.compare.filter(|_| document.runs.is_some()) {
            let together = match compare {
                Compare::Difference => RunsLayout::One,
                Compare::SideBySide => RunsLayout::SideBySide,
                Compare::Wipe => RunsLayout::Wipe,
            };
            self.kept.settings = suited(self.kept.settings, self.together, together);
            self.together = together;
        }
        if let Some(&divider) = shot.divider.first() {
            self.divider = divider;
        }
        if let Some(run) = shot.run.filter(|_| document.runs.is_some()) {
            self.side = match run {
                Run::A => 0,
                Run::B => 1,
            };
        }
        if let Some(look) = &shot.look {
            // A file whose names mean nothing is not opened.
            self.kept.look(look);
        }
        if let Some(level) = shot.level {
            self.kept.cut.set_level(hierarchy, level);
        }
        for module in shot.expand.iter().filter_map(|path| places.module(path)) {
            self.kept.cut.expand(hierarchy, module);
        }
        for module in shot.collapse.iter().filter_map(|path| places.module(path)) {
            if module != ModuleId::ROOT {
                self.kept.cut.collapse(hierarchy, module);
            }
        }
        if let Some(path) = &shot.select {
            self.kept.module = places.module(path);
        }
        if let Some(arcs) = shot.arcs {
            self.kept.settings.arcs = match arcs {
                Arcs::All => ArcMode::All,
                Arcs::Step => ArcMode::Step,
                Arcs::Whole => ArcMode::Whole,
                Arcs::Selection => ArcMode::Selection,
                Arcs::Difference => ArcMode::Difference,
                Arcs::Together => ArcMode::Together,
                Arcs::None => ArcMode::None,
            };
        }
        self.kept.views.extend(shot.show.iter().map(|view| view.0));
        for hidden in &shot.hide {
            self.kept.views.remove(&hidden.0);
        }
        if let Some(summary) = shot.summary {
            self.kept.summary = summary;
        }
        if let Some(range) = &shot.range {
            self.kept.range = range_of(range, document);
        }
    }

    /// Brings `state` to this, all but its camera; what is the same is not touched. False where the
    /// structure has to be shown through another mapping first, which has begun.
    pub fn apply(&self, state: &mut State) -> bool {
        if state.document.is_none() {
            return true;
        }
        if self.mapping != state.mapping_shown()
            && state.go_to_mapping(self.mapping.as_deref().unwrap_or(Path::new("")))
        {
            return false;
        }
        self.apply_runs(state);
        let Some(document) = &state.document else {
            return true;
        };
        let mut kept = self.kept.clone();
        kept.time = shown_time(document, kept.time);
        kept.range = kept.range.map(|range| {
            let [start, end] = [range.start, range.end].map(|it| shown_time(document, it));
            TimeRange::new(start, end)
        });
        if let Some((playback, _)) = state.document.as_mut().and_then(Document::playing) {
            playback.pause();
        }
        kept.apply(state);
        true
    }

    fn apply_runs(&self, state: &mut State) {
        if state.runs_view.together != self.together {
            state.execute(RunsAsk::Together(Some(self.together)));
        }
        state.runs_view.divider = self.divider;
        let runs = state.document.as_ref().and_then(|it| it.runs.as_ref());
        if runs.is_some_and(|runs| runs.side() != self.side) {
            state.execute(RunsAsk::Flip);
        }
    }

    /// Whether the run that is to be seen is not there yet.
    pub fn waits_for_run(&self, state: &State) -> bool {
        let runs = state.document.as_ref().and_then(|it| it.runs.as_ref());
        state.work.jobs.is_any() && runs.is_some_and(|runs| runs.side() != self.side)
    }
}

/// The mapping file that a shot which goes to `bookmark` shows the structure through, the inner none for no mapping;
/// none where it stays as it is.
pub fn mapping_of(shot: &Shot, bookmark: &Bookmark) -> Option<Option<PathBuf>> {
    let sections = shot.sections.as_deref().unwrap_or(&Section::ALL);
    let path = bookmark.mapping.as_ref();
    let path = path.filter(|_| sections.contains(&Section::Mapping))?;
    Some((!path.as_os_str().is_empty()).then(|| path.clone()))
}

/// Shows a time of A, or what is the same in B where that is shown.
pub fn seek(state: &mut State, time: Time) {
    let Some(document) = &state.document else {
        return;
    };
    let time = shown_time(document, time);
    state.execute(PlayAsk::Seek(time));
}

/// Where A ends; none without times.
pub fn end_of_a(document: &Document) -> Option<Time> {
    let place = document.runs.as_ref().map_or(0, |it| it.places()[0]);
    let recording = &document.session.recordings.get(place)?.recording;
    let has_times = recording.has_times();
    has_times.then(|| recording.trace.range().end)
}

fn range_of(times: &[TimeText], document: &Document) -> Option<TimeRange> {
    let end = end_of_a(document)?;
    let [a, b] = times else { return None };
    let [a, b] = [a, b].map(|time| time.0.resolve(end.since(Time::ZERO)).min(end));
    Some(TimeRange::new(a.min(b), a.max(b)))
}

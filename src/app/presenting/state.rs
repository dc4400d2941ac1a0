//! What shots change, and how the workbench is brought there.

use std::collections::BTreeSet;

use super::super::camera;
use super::super::camera::pose::Pose;
use super::super::command::Command;
use super::super::document::Document;
use super::super::pair::suited;
use super::super::versus::Together;
use super::super::workbench::Workbench;
use super::places::Places;
use crate::filter::cut::Cut;
use crate::filter::filters::{FilterStep, Filters};
use crate::filter::selection::{CallOf, Pointed};
use crate::presentation::scene::{
    self, Arcs, Bookmark, Compare, LeftOut, Look, Run, Section, Shot, TimeText,
};
use crate::units::{CallId, ModuleId, ThreadId, Time, TimeRange};
use crate::views::landscape::{ArcMode, LandscapeSettings};
use crate::views::table::ViewId;

/// What is shown, as far as scenes say. Times are those of A where two runs are open.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    pub settings: LandscapeSettings,
    pub legend: bool,
    /// Times as large as usual.
    pub text_scale: f32,
    pub cut: Cut,
    pub filters: Filters,
    pub module: Option<ModuleId>,
    pub range: Option<TimeRange>,
    pub time: Time,
    pub summary: bool,
    pub views: BTreeSet<ViewId>,
    pub pose: Pose,
    pub together: Together,
    pub divider: f32,
    /// Of two runs, the one that is shown: 0 for A.
    pub side: usize,
}

/// The view of the application that a scene means.
pub fn view(of: scene::View) -> ViewId {
    match of {
        scene::View::Landscape => ViewId::Landscape,
        scene::View::Mural => ViewId::Mural,
        scene::View::Flame => ViewId::Flame,
        scene::View::Functions => ViewId::Functions,
        scene::View::Calls => ViewId::Calls,
        scene::View::Differences => ViewId::Differences,
        scene::View::Timelines => ViewId::Timelines,
    }
}

/// A time of A as one of the run that is shown.
fn shown_time(document: &Document, time: Time) -> Time {
    match &document.versus {
        Some(versus) if versus.side() == 1 => {
            versus.clocks().map_or(time, |clocks| clocks.map(0, time))
        }
        _ => time,
    }
}

impl State {
    /// What `bench` shows now.
    pub fn of(bench: &Workbench) -> State {
        let document = bench.document.as_ref();
        let selection = document.map(|it| &it.selection);
        let playback = document.and_then(|it| it.playback.as_ref());
        let versus = document.and_then(|it| it.versus.as_ref());
        let in_a = |time: Time| match versus {
            Some(versus) if versus.side() == 1 => versus.time_of_other(time),
            _ => time,
        };
        State {
            settings: bench.settings,
            legend: false,
            text_scale: 1.0,
            cut: document.map_or_else(Cut::all, |it| it.cut.clone()),
            filters: document.map(|it| it.filters.clone()).unwrap_or_default(),
            module: selection.and_then(|it| it.chosen.module),
            range: selection.and_then(|it| {
                let range = it.range?;
                Some(TimeRange::new(in_a(range.start), in_a(range.end)))
            }),
            time: playback.map_or(Time::ZERO, |it| in_a(it.time())),
            summary: playback.is_some_and(|it| it.summary),
            views: bench.dock.open_views().into_iter().collect(),
            pose: bench.camera.pose(),
            together: bench.pair.together,
            divider: bench.pair.divider,
            side: versus.map_or(0, |versus| versus.side()),
        }
    }

    /// What is shown when nothing but the inputs was opened: a scene begins so whatever the window showed.
    pub fn fresh(bench: &Workbench) -> State {
        let mut settings = LandscapeSettings {
            half_life: bench.settings.half_life,
            theme: bench.settings.theme,
            ..LandscapeSettings::default()
        };
        let (mut cut, mut pose) = (Cut::all(), bench.camera.pose());
        if let Some(document) = &bench.document {
            for hidden in document.cut.hidden() {
                cut = cut.hiding(Some(hidden));
            }
            let viewport = &bench.viewport;
            pose = camera::home(&document.bounds(), viewport.aspect(), viewport.free);
            if document.versus.is_some() {
                settings = suited(settings, Together::Wipe, Together::One);
            }
        }
        State {
            settings,
            legend: false,
            text_scale: 1.0,
            cut,
            filters: Filters::default(),
            module: None,
            range: None,
            time: Time::ZERO,
            summary: false,
            views: [ViewId::Landscape].into(),
            pose,
            together: Together::One,
            divider: 0.5,
            side: 0,
        }
    }

    pub fn look(&mut self, look: &Look) {
        // A file whose names mean nothing is not opened; bookmarks of elsewhere keep the rest.
        let _ = look.apply(&mut self.settings);
        self.legend = look.legend.unwrap_or(self.legend);
        self.text_scale = look.text_scale.unwrap_or(self.text_scale);
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
            self.take(bookmark, sections, places, document);
        }
        if let Some(compare) = shot.compare.filter(|_| document.versus.is_some()) {
            let together = match compare {
                Compare::Difference => Together::One,
                Compare::SideBySide => Together::SideBySide,
                Compare::Wipe => Together::Wipe,
            };
            self.settings = suited(self.settings, self.together, together);
            self.together = together;
        }
        if let Some(&divider) = shot.divider.first() {
            self.divider = divider;
        }
        if let Some(run) = shot.run.filter(|_| document.versus.is_some()) {
            self.side = match run {
                Run::A => 0,
                Run::B => 1,
            };
        }
        if let Some(look) = &shot.look {
            self.look(look);
        }
        if let Some(level) = shot.level {
            self.cut.set_level(hierarchy, level);
        }
        for module in shot.expand.iter().filter_map(|path| places.module(path)) {
            self.cut.expand(hierarchy, module);
        }
        for module in shot.collapse.iter().filter_map(|path| places.module(path)) {
            if module != ModuleId::ROOT {
                self.cut.collapse(hierarchy, module);
            }
        }
        if let Some(path) = &shot.select {
            self.module = places.module(path);
        }
        if let Some(arcs) = shot.arcs {
            self.settings.arcs = match arcs {
                Arcs::All => ArcMode::All,
                Arcs::Step => ArcMode::Step,
                Arcs::Selection => ArcMode::Selection,
                Arcs::Difference => ArcMode::Difference,
                Arcs::None => ArcMode::None,
            };
        }
        self.views.extend(shot.show.iter().map(|&it| view(it)));
        for &hidden in &shot.hide {
            self.views.remove(&view(hidden));
        }
        if let Some(summary) = shot.summary {
            self.summary = summary;
        }
        if let Some(range) = &shot.range {
            self.range = range_of(range, document);
        }
    }

    /// Brings what a bookmark says of these sections here; the camera goes there by itself.
    fn take(
        &mut self,
        bookmark: &Bookmark,
        sections: &[Section],
        places: &Places,
        document: &Document,
    ) {
        let wants = |section| sections.contains(&section);
        let hierarchy = &document.session.hierarchy;
        if let Some(collapsed) = bookmark.collapsed.as_ref().filter(|_| wants(Section::Cut)) {
            self.cut.expand_all();
            for module in collapsed.iter().filter_map(|path| places.module(path)) {
                self.cut.collapse(hierarchy, module);
            }
        }
        if let Some(look) = bookmark.look.as_ref().filter(|_| wants(Section::Look)) {
            self.look(look);
        }
        if let Some(steps) = (bookmark.left_out.as_ref()).filter(|_| wants(Section::Filters)) {
            self.filters = Filters::new(steps.iter().filter_map(|step| {
                Some(match step {
                    LeftOut::Thread(thread) => FilterStep::HideThread(ThreadId(*thread)),
                    LeftOut::Module(path) => FilterStep::RemoveModule(places.module(path)?),
                    LeftOut::Below(path) => FilterStep::RemoveBelow(places.module(path)?),
                    LeftOut::BelowCall([thread, call]) => FilterStep::RemoveBelowCall(CallOf {
                        thread: ThreadId(*thread),
                        call: CallId(*call),
                    }),
                })
            }));
        }
        if let Some(path) = (bookmark.module.as_ref()).filter(|_| wants(Section::Selection)) {
            self.module = places.module(path);
        }
        if let Some(range) = bookmark.range.filter(|_| wants(Section::Range)) {
            self.range = range_of(&range, document);
        }
        if let Some(views) = bookmark.views.as_ref().filter(|_| wants(Section::Views)) {
            self.views = views.iter().map(|&it| view(it)).collect();
        }
        if let Some(time) = bookmark.time.filter(|_| wants(Section::Time))
            && let Some(end) = end_of_a(document)
        {
            self.time = time.0.resolve(end.since(Time::ZERO)).min(end);
        }
    }

    /// Brings the workbench to this state, all but its camera; what is the same is not touched.
    pub fn apply(&self, bench: &mut Workbench) {
        if bench.document.is_none() {
            return;
        }
        self.apply_views(bench);
        self.apply_runs(bench);
        bench.detail_by_size = false;
        let Some(document) = &mut bench.document else {
            return;
        };
        let has_other_cut = document.cut != self.cut;
        if has_other_cut {
            document.cut = self.cut.clone();
        }
        if has_other_cut || bench.settings != self.settings {
            bench.execute(Command::Configure(self.settings));
        }
        let Some(document) = &bench.document else {
            return;
        };
        if document.selection.chosen.module != self.module {
            bench.execute(Command::Choose(Pointed::at_module(self.module)));
        }
        let Some(document) = &bench.document else {
            return;
        };
        let range = self.range.map(|range| {
            let [start, end] = [range.start, range.end].map(|it| shown_time(document, it));
            TimeRange::new(start, end)
        });
        if document.selection.range != range {
            bench.execute(Command::SetRange(range));
        }
        let is_other = |it: &Document| it.filters != self.filters;
        if bench.document.as_ref().is_some_and(is_other) {
            bench.leave_out_instead(self.filters.clone());
        }
        seek(bench, self.time);
        let playback = bench.document.as_mut().and_then(|it| it.playback.as_mut());
        if let Some(playback) = playback {
            playback.pause();
            playback.summary = self.summary;
        }
    }

    fn apply_views(&self, bench: &mut Workbench) {
        let can_show = |bench: &Workbench, view| {
            let document = bench.document.as_ref();
            document.is_some_and(|it| it.can_show(view))
        };
        // What is to be seen opens first: the last view cannot be closed.
        for view in ViewId::ALL {
            if self.views.contains(&view) && !bench.dock.is_visible(view) && can_show(bench, view) {
                bench.dock.open(view);
            }
        }
        for view in ViewId::ALL {
            if !self.views.contains(&view) && bench.dock.is_open(view) {
                bench.dock.close(view);
            }
        }
    }

    fn apply_runs(&self, bench: &mut Workbench) {
        if bench.pair.together != self.together {
            bench.execute(Command::Together(Some(self.together)));
        }
        bench.pair.divider = self.divider;
        let versus = bench.document.as_ref().and_then(|it| it.versus.as_ref());
        if versus.is_some_and(|versus| versus.side() != self.side) {
            bench.execute(Command::Flip);
        }
    }

    /// Whether the run that is to be seen is not there yet.
    pub fn waits_for_run(&self, bench: &Workbench) -> bool {
        let versus = bench.document.as_ref().and_then(|it| it.versus.as_ref());
        bench.jobs.is_any() && versus.is_some_and(|versus| versus.side() != self.side)
    }
}

/// Shows a time of A, or what is the same in B where that is shown.
pub fn seek(bench: &mut Workbench, time: Time) {
    let Some(document) = &bench.document else {
        return;
    };
    let time = shown_time(document, time);
    bench.execute(Command::Seek(time));
}

/// Where A ends; none without times.
pub fn end_of_a(document: &Document) -> Option<Time> {
    let place = document.versus.as_ref().map_or(0, |it| it.places()[0]);
    let recording = &document.session.recordings.get(place)?.recording;
    let has_times = recording.profile.is_none();
    has_times.then(|| recording.trace.range().end)
}

fn range_of(times: &[TimeText], document: &Document) -> Option<TimeRange> {
    let end = end_of_a(document)?;
    let [a, b] = times else { return None };
    let [a, b] = [a, b].map(|time| time.0.resolve(end.since(Time::ZERO)).min(end));
    Some(TimeRange::new(a.min(b), a.max(b)))
}

//! What a bookmark keeps and a scene changes, as one value: taken from the state, changed, and brought back to it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use glam::Vec3;

use super::saved_look::SavedLook;
use super::scene::{Bookmark, Camera, LeftOut, Look, MarkedFor, Section, TimeText, ViewName};
use callscape_base::units::{CallId, ModuleId, ThreadId, Time, TimeRange, TimeSpec};
use callscape_facts::hierarchy::Hierarchy;
use callscape_filter::cut::Cut;
use callscape_filter::filters::{FilterStep, Filters};
use callscape_filter::selection::{CallOf, Pointed};
use callscape_look::pose::{self, Pose};
use callscape_model::landscape::LandscapeSettings;
use callscape_state::State;
use callscape_state::ask::{FindingAsk, LookAsk, PlayAsk, SelectAsk, Shown};
use callscape_state::document::Document;
use callscape_state::findings::SetFrom;
use callscape_state::mapping::one_name;
use callscape_state::panes::ViewId;

/// A camera does not look down more steeply: the heading would have no direction.
const MAX_PITCH: f32 = 1.55;

/// Behind the names of functions in lists of modules.
pub const CALLED: &str = "()";

/// All that bookmarks keep, but the mapping.
#[derive(Clone, Debug, PartialEq)]
pub struct Kept {
    pub settings: LandscapeSettings,
    pub legend: bool,
    /// Letters and lines are so many times as large as usual.
    pub text_scale: f32,
    pub cut: Cut,
    pub filters: Filters,
    /// None leaves marked what is: a set that is of no file cannot be named.
    pub marked: Option<MarkedFor>,
    pub color_marked: bool,
    pub module: Option<ModuleId>,
    pub range: Option<TimeRange>,
    pub time: Time,
    pub summary: bool,
    pub views: BTreeSet<ViewId>,
    pub pose: Pose,
}

/// Modules by their paths: those that bookmarks and shots name, found in one pass.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Modules(BTreeMap<String, ModuleId>);

impl Modules {
    /// The paths of functions may end in `()`, as lists of modules show them. O(modules).
    pub fn find(hierarchy: &Hierarchy, paths: &BTreeSet<String>) -> Modules {
        let last = |path: &str| {
            let name = path.rsplit('/').next().unwrap_or(path);
            name.strip_suffix(CALLED).unwrap_or(name).to_owned()
        };
        let ends: BTreeSet<String> = paths.iter().map(|path| last(path)).collect();
        let mut found = BTreeMap::new();
        for module in hierarchy.modules() {
            // A name may hold the sign that separates names.
            if ends.contains(&last(hierarchy.name(module))) {
                let path = hierarchy.path(module);
                for path in [format!("{path}{CALLED}"), path] {
                    if paths.contains(&path) {
                        found.entry(path).or_insert(module);
                    }
                }
            }
        }
        Modules(found)
    }

    pub fn get(&self, path: &str) -> Option<ModuleId> {
        self.0.get(path).copied()
    }

    pub fn has(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }
}

/// The paths of all modules that a bookmark names.
pub fn named_by(bookmark: &Bookmark) -> impl Iterator<Item = &String> {
    let left_out = bookmark.left_out.iter().flatten();
    let left_out = left_out.filter_map(|step| match step {
        LeftOut::Module(path) | LeftOut::Below(path) => Some(path),
        LeftOut::Thread(_) | LeftOut::BelowCall(_) | LeftOut::Frequent(_) | LeftOut::NotMarked => {
            None
        }
    });
    let module = bookmark.module.iter().filter(|path| !path.is_empty());
    let collapsed = bookmark.collapsed.iter().flatten();
    collapsed.chain(module).chain(left_out)
}

impl Kept {
    /// What `state` shows now.
    pub fn of(state: &State) -> Kept {
        let document = state.document.as_ref();
        let selection = document.map(|it| &it.selection);
        let playback = document.and_then(|it| it.playback.as_ref());
        Kept {
            settings: state.settings,
            legend: state.cards.legend,
            text_scale: state.look.text_scale,
            cut: document.map_or_else(Cut::all, |it| it.cut.clone()),
            filters: document.map(|it| it.filters.clone()).unwrap_or_default(),
            marked: marked_in(state),
            color_marked: state.findings.is_colored,
            module: selection.and_then(|it| it.chosen.module),
            range: selection.and_then(|it| it.range),
            time: playback.map_or(Time::ZERO, |it| it.time()),
            summary: playback.is_some_and(|it| it.summary),
            views: state.panes.open_views().into_iter().collect(),
            pose: state
                .moving
                .camera
                .destination()
                .unwrap_or(state.moving.camera.pose()),
        }
    }

    /// Takes a look over; how many names in it mean nothing.
    pub fn look(&mut self, look: &Look) -> usize {
        self.legend = look.legend.unwrap_or(self.legend);
        self.text_scale = look.text_scale.unwrap_or(self.text_scale);
        look.apply(&mut self.settings).len()
    }

    /// Takes over what a bookmark says of these sections, but the mapping; how many names in it mean nothing. What
    /// is hidden by a mapping stays hidden.
    pub fn take(
        &mut self,
        bookmark: &Bookmark,
        sections: &[Section],
        document: &Document,
        modules: &Modules,
    ) -> usize {
        let wants = |section| sections.contains(&section);
        let hierarchy = &document.session.hierarchy;
        let (mut lost, mut not_marked) = (0, 0);
        let mut module = |path: &String| {
            let found = modules.get(path);
            lost += usize::from(found.is_none());
            found
        };
        if let Some(collapsed) = bookmark.collapsed.as_ref().filter(|_| wants(Section::Cut)) {
            self.cut.expand_all();
            for module in collapsed.iter().filter_map(&mut module) {
                self.cut.collapse(hierarchy, module);
            }
        }
        if let Some(steps) = bookmark
            .left_out
            .as_ref()
            .filter(|_| wants(Section::Filters))
        {
            let steps = steps.iter().filter_map(|step| {
                Some(match step {
                    LeftOut::Thread(thread) => FilterStep::HideThread(ThreadId(*thread)),
                    LeftOut::Module(path) => FilterStep::RemoveModule(module(path)?),
                    LeftOut::Below(path) => FilterStep::RemoveBelow(module(path)?),
                    LeftOut::BelowCall([thread, call]) => FilterStep::RemoveBelowCall(CallOf {
                        thread: ThreadId(*thread),
                        call: CallId(*call),
                    }),
                    LeftOut::Frequent(limit) => FilterStep::RemoveFrequent(*limit),
                    LeftOut::NotMarked => FilterStep::RemoveNotMarked,
                })
            });
            self.filters = Filters::new(steps);
        }
        if wants(Section::Filters) {
            self.color_marked = bookmark.color_marked.unwrap_or(self.color_marked);
            if let Some(wanted) = &bookmark.marked {
                let found = marked_of(wanted, document);
                not_marked = usize::from(found.is_none());
                self.marked = found.or(self.marked.take());
            }
        }
        if let Some(path) = bookmark
            .module
            .as_ref()
            .filter(|_| wants(Section::Selection))
        {
            self.module = match path.is_empty() {
                true => None,
                false => module(path),
            };
        }
        if let Some(look) = bookmark.look.as_ref().filter(|_| wants(Section::Look)) {
            lost += self.look(look);
        }
        if let Some(camera) = bookmark.camera.filter(|_| wants(Section::Camera)) {
            self.pose = pose_of(&camera);
        }
        if let Some(range) = bookmark.range.as_ref().filter(|_| wants(Section::Range)) {
            self.range = range_of(range, document);
        }
        if let Some(views) = bookmark.views.as_ref().filter(|_| wants(Section::Views)) {
            self.views = views.iter().map(|it| it.0).collect();
        }
        if let Some(time) = bookmark.time.filter(|_| wants(Section::Time))
            && let Some(resolved) = document.resolved()
        {
            let duration = resolved.recording.trace.duration();
            self.time = time.0.resolve(duration).min(Time::ZERO + duration);
        }
        lost + not_marked
    }

    /// A bookmark of all of it; `mapping` is the file of the mapping in force, if there is one.
    pub fn bookmark(
        &self,
        name: String,
        mapping: Option<PathBuf>,
        document: &Document,
    ) -> Bookmark {
        let path = |module: ModuleId| document.session.hierarchy.path(module);
        let left_out = self.filters.steps().iter().map(|step| match *step {
            FilterStep::HideThread(thread) => LeftOut::Thread(thread.0),
            FilterStep::RemoveModule(module) => LeftOut::Module(path(module)),
            FilterStep::RemoveBelow(module) => LeftOut::Below(path(module)),
            FilterStep::RemoveBelowCall(of) => LeftOut::BelowCall([of.thread.0, of.call.0]),
            FilterStep::RemoveFrequent(limit) => LeftOut::Frequent(limit),
            FilterStep::RemoveNotMarked => LeftOut::NotMarked,
        });
        let plays = document.playback.is_some();
        let at = |time: Time| TimeText(TimeSpec::At(time));
        let range = self
            .range
            .map_or_else(Vec::new, |range| vec![at(range.start), at(range.end)]);
        Bookmark {
            name,
            camera: Some(camera_of(&self.pose)),
            collapsed: Some(self.cut.collapsed().map(path).collect()),
            look: Some(Look {
                legend: Some(self.legend),
                text_scale: (self.text_scale != 1.0).then_some(self.text_scale),
                ..SavedLook::of(&self.settings).look()
            }),
            mapping: Some(mapping.unwrap_or_default()),
            left_out: Some(left_out.collect()),
            marked: self.marked.clone(),
            color_marked: Some(self.color_marked),
            module: Some(self.module.map(path).unwrap_or_default()),
            time: plays.then(|| at(self.time)),
            range: plays.then_some(range),
            views: Some(self.views.iter().copied().map(ViewName).collect()),
        }
    }

    /// Brings `state` to this but for the camera; what is the same is not touched.
    pub fn apply(&self, state: &mut State) {
        if state.document.is_none() {
            return;
        }
        state.cards.legend = self.legend;
        state.look.text_scale = self.text_scale;
        // Those that go leave their room to those that come, but for the last one.
        self.close_others(state);
        for view in self.views.iter().copied() {
            let can_show = state
                .document
                .as_ref()
                .is_some_and(|it| it.has(view.line().needs));
            if can_show && !state.panes.is_open(view) {
                state.panes.open(view);
            }
        }
        self.close_others(state);
        if let Some(document) = &mut state.document {
            let has_other_cut = document.cut != self.cut;
            if has_other_cut {
                document.cut = self.cut.clone();
                state.look.detail_by_size = false;
            }
            if has_other_cut || state.settings != self.settings {
                state.execute(LookAsk::Configure(self.settings));
            }
        }
        mark(self.marked.as_ref(), self.color_marked, state);
        let differs = |state: &State, is_other: &dyn Fn(&Document) -> bool| {
            state.document.as_ref().is_some_and(is_other)
        };
        if differs(state, &|it| it.selection.chosen.module != self.module) {
            state.execute(SelectAsk::Choose(Pointed::at_module(self.module)));
        }
        if differs(state, &|it| it.selection.range != self.range) {
            state.execute(SelectAsk::SetRange(self.range));
        }
        if differs(state, &|it| it.filters.steps() != self.filters.steps()) {
            state.leave_out_instead(&self.filters);
        }
        if differs(state, &|it| {
            let playback = it.playback.as_ref();
            playback.is_some_and(|it| it.time() != self.time)
        }) {
            state.execute(PlayAsk::Seek(self.time));
        }
        // Seeking leaves the summary.
        if differs(state, &|it| {
            let playback = it.playback.as_ref();
            playback.is_some_and(|it| it.summary != self.summary)
        }) {
            state.execute(PlayAsk::ToggleSummary);
        }
    }
}

impl Kept {
    fn close_others(&self, state: &mut State) {
        if self.views.is_empty() {
            return;
        }
        let open = state.panes.open_views();
        for view in open {
            if !self.views.contains(&view) {
                state.panes.close(view);
            }
        }
    }
}

/// Has the functions marked that are `marked` for, and has them stand out or not. None leaves marked what is.
fn mark(marked: Option<&MarkedFor>, is_colored: bool, state: &mut State) {
    if let Some(wanted) = marked
        && marked_in(state).as_ref() != Some(wanted)
        && let Some(shown) = shown_for(wanted, state)
    {
        state.execute(FindingAsk::Show(shown));
    }
    if is_colored != state.findings.is_colored {
        state.execute(FindingAsk::Color(is_colored));
    }
}

/// The same for what a file kept; how many names mean nothing now.
pub fn mark_again(kept: Option<&MarkedFor>, is_colored: bool, state: &mut State) -> usize {
    let Some(document) = &state.document else {
        return 0;
    };
    let found = kept.and_then(|it| marked_of(it, document));
    let lost = usize::from(kept.is_some() && found.is_none());
    mark(found.as_ref(), is_colored, state);
    lost
}

/// Why functions are marked now; none where that cannot be named.
pub fn marked_in(state: &State) -> Option<MarkedFor> {
    match state.findings.shown {
        Shown::Nothing => Some(MarkedFor::Nothing),
        Shown::Changed => Some(MarkedFor::Changed),
        Shown::Set(at) => match state.findings.sets.get(at)? {
            SetFrom::File(path) => Some(MarkedFor::Results(path.clone())),
            SetFrom::Text(..) | SetFrom::Both(_) => None,
        },
    }
}

/// The same with a file named as the inputs name it; none where they do not name what is wanted.
fn marked_of(wanted: &MarkedFor, document: &Document) -> Option<MarkedFor> {
    let elsewhere = &document.inputs.elsewhere;
    match wanted {
        MarkedFor::Nothing => Some(MarkedFor::Nothing),
        MarkedFor::Changed => elsewhere.since.as_ref().map(|_| MarkedFor::Changed),
        MarkedFor::Results(path) => {
            let path = one_name(path);
            let mut known = elsewhere.results.iter();
            let known = known.find(|it| one_name(it) == path)?;
            Some(MarkedFor::Results(known.clone()))
        }
    }
}

fn shown_for(marked: &MarkedFor, state: &State) -> Option<Shown> {
    match marked {
        MarkedFor::Nothing => Some(Shown::Nothing),
        MarkedFor::Changed => Some(Shown::Changed),
        MarkedFor::Results(path) => {
            let mut sets = state.findings.sets.iter();
            let of_file = |it: &SetFrom| matches!(it, SetFrom::File(of) if of == path);
            sets.position(of_file).map(Shown::Set)
        }
    }
}

/// The range that two times mean, none for other numbers of times.
pub fn range_of(times: &[TimeText], document: &Document) -> Option<TimeRange> {
    let whole = document.resolved()?.recording.trace.range();
    let [a, b] = times else { return None };
    let length = whole.end.since(Time::ZERO);
    let [a, b] = [a, b].map(|time| time.0.resolve(length).min(whole.end));
    Some(TimeRange::new(a.min(b), a.max(b)))
}

/// Where the camera stands that a scene describes.
pub fn pose_of(camera: &Camera) -> Pose {
    let target = Vec3::from_array(camera.target);
    Pose {
        target: if target.is_finite() {
            target
        } else {
            Vec3::ZERO
        },
        distance: camera.distance.clamp(0.1, 1e6),
        yaw: camera.yaw.to_radians().rem_euclid(std::f32::consts::TAU),
        pitch: camera.pitch.to_radians().clamp(-MAX_PITCH, MAX_PITCH),
        fov_y: camera
            .lens
            .map_or(pose::FOV_Y, |lens| lens.to_radians().clamp(0.01, 1.5)),
    }
}

/// A pose as a scene describes it, as exactly as people read it.
pub fn camera_of(pose: &Pose) -> Camera {
    let round = |value: f32, digits: f32| (value * digits).round() / digits;
    let degrees = |radians: f32| round(radians.to_degrees(), 1000.0);
    let is_usual = (pose.fov_y - pose::FOV_Y).abs() < 1e-4;
    Camera {
        target: pose.target.to_array().map(|axis| round(axis, 1000.0)),
        distance: round(pose.distance, 1000.0).max(1e-3),
        yaw: degrees(pose.yaw.rem_euclid(std::f32::consts::TAU)),
        pitch: degrees(pose.pitch),
        lens: (!is_usual).then(|| degrees(pose.fov_y)),
    }
}

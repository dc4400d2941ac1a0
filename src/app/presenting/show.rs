//! A scene on the workbench: what each shot does to it, and where camera and playback are at a moment.

use std::path::PathBuf;

use super::super::camera::pose::Pose;
use super::super::dock::{Arrangement, Dock};
use super::super::document::Document;
use super::super::workbench::{Viewport, Workbench};
use super::framing::{Framing, is_anchored};
use super::mappings::{mappings, unusable_mappings};
use super::places::Places;
use super::state::{State, end_of_a, seek};
use crate::presentation::path::CameraPath;
use crate::presentation::scene::{
    Bookmark, Caption, Clock, Easing, Go, SceneError, SceneFile, Section, Shot, of_shot,
};
use crate::presentation::timeline::{Played, Problem, Timeline};
use crate::state::city::City;
use crate::units::Time;

/// Words come and go within so many seconds.
const FADE: f64 = 0.35;
/// What is earlier by less than this counts as now: times are sums of frames.
const GRAIN: f64 = 1e-6;

/// A scene being shown.
pub struct Show {
    pub file: SceneFile,
    pub timeline: Timeline,
    /// What the inputs do not have; the rest is shown.
    pub problems: Vec<SceneError>,
    places: Places,
    bookmarks: Vec<Bookmark>,
    /// As it was before the first shot.
    begin: State,
    /// By shot, the mapping file through which it is shown.
    mappings: Vec<Option<PathBuf>>,
    /// Those whose shots have been looked at for what the structure does not have.
    looked_at: Vec<Option<PathBuf>>,
    /// As the scene has it at this moment, but for what moves.
    state: State,
    /// The structure is being shown through another mapping.
    awaits_mapping: bool,
    /// The workbench could not be brought there at once.
    is_behind: bool,
    shot: usize,
    /// Seconds since the start of the scene.
    at: f64,
    way: Way,
    /// Time goes on.
    pub is_running: bool,
    /// Time stops at the end of each shot.
    pub stops: bool,
    /// What was shown before the scene.
    before: (State, Arrangement),
    /// The same by names, which mean something in another structure too. Last of the bookmarks that are looked up.
    mark: Option<Bookmark>,
}

/// The way of the camera in the shot that is shown.
struct Way {
    /// Where the camera was when the shot began.
    from: Pose,
    /// For where the landscape was drawn when it was found; none before it is found.
    found: Option<(Viewport, Option<CameraPath>)>,
}

/// Words and how much of them is to be seen, 0 to 1.
pub struct Words<'a> {
    pub caption: &'a Caption,
    pub is_title: bool,
    pub strength: f32,
}

impl Show {
    /// Shows `file` on what is open on `bench`, from the first shot on as soon as time goes on. `bookmarks` are those
    /// that it can go to. O(modules + shots).
    pub fn new(file: SceneFile, bookmarks: Vec<Bookmark>, bench: &mut Workbench) -> Show {
        let document = bench.document.as_ref();
        let end = document.and_then(end_of_a);
        let duration = end.map(|end| end.since(Time::ZERO));
        let (timeline, mut problems) = Timeline::new(&file.scene, duration);
        problems.extend(others(&file, &bookmarks, document));
        let mut bookmarks = bookmarks;
        problems.extend(unusable_mappings(&file, &mut bookmarks));
        let now = bench.mapping_shown();
        let mappings = mappings(&file, &bookmarks, now.clone());
        let mark = bench.bookmark(String::new());
        bookmarks.extend(mark.clone());
        let mut places = Places::default();
        places.find(&file, &bookmarks, document.map(|it| &it.session));
        problems.extend(places.problems(&file, |shot| mappings[shot] == now));
        let problems = file.problems(problems);
        let before = State::of(bench);
        let mut begin = match file.scene.inputs.session {
            Some(_) => before.clone(),
            None => State::fresh(bench),
        };
        begin.kept.look(&file.scene.look);
        let way = Way {
            from: begin.kept.pose,
            found: None,
        };
        let mut show = Show {
            file,
            timeline,
            problems,
            places,
            bookmarks,
            state: begin.clone(),
            begin,
            mappings,
            looked_at: vec![now],
            awaits_mapping: false,
            is_behind: false,
            shot: 0,
            at: 0.0,
            way,
            is_running: true,
            stops: false,
            before: (before, bench.dock.arrangement()),
            mark,
        };
        show.go_to(0, bench);
        show
    }

    /// The shot that is shown, from 0.
    pub fn shot(&self) -> usize {
        self.shot
    }

    pub fn shots(&self) -> &[Shot] {
        &self.file.scene.shots
    }

    /// Seconds since the start of the scene.
    pub fn at(&self) -> f64 {
        self.at
    }

    /// Whether everything has been shown.
    pub fn is_over(&self) -> bool {
        self.at + GRAIN >= self.timeline.total()
    }

    /// Whether the shots between `before` and the one that is shown, that or what is undone among them, change at their
    /// start what does not ease by itself. A camera that is cut is meant to be seen so.
    pub fn has_changed_at_once(&self, before: usize) -> bool {
        let [first, last] = [before.min(self.shot), before.max(self.shot)];
        (first + 1..=last).any(|shot| self.changes(shot))
    }

    /// Whether those do that begin within so many seconds from now.
    pub fn will_change_at_once(&self, seconds: f64) -> bool {
        let to = self.at + seconds + GRAIN;
        let next = self.timeline.shots.iter().enumerate().skip(self.shot + 1);
        let mut next = next.take_while(|(_, of)| of.start <= to);
        next.any(|(shot, _)| self.changes(shot))
    }

    fn changes(&self, shot: usize) -> bool {
        let is_cut = |go: &Go| go.easing == Easing::Cut;
        let shot = self.shots().get(shot);
        let shot = shot.filter(|shot| !shot.camera.as_ref().is_some_and(is_cut));
        shot.is_some_and(|shot| {
            let sections = shot.sections.as_deref().unwrap_or(&Section::ALL);
            let is_more = sections.iter().any(|it| *it != Section::Camera);
            let goes = shot.bookmark.is_some() && is_more;
            let folds =
                shot.level.is_some() || !shot.expand.is_empty() || !shot.collapse.is_empty();
            let times = shot.at.is_some() || shot.summary.is_some() || shot.range.is_some();
            let leaps = shot.play.as_ref().is_some_and(|play| play.from.is_some());
            let runs = shot.run.is_some() || shot.compare.is_some();
            let looks = shot.look.is_some() || shot.arcs.is_some() || shot.select.is_some();
            goes || folds || times || leaps || runs || looks
        })
    }

    /// Whether what this moment shows is not there yet, or has come since.
    pub fn is_behind(&self) -> bool {
        self.is_behind
    }

    /// The first shot of each mapping through which shots show the structure, but for that of the scene's start.
    pub fn first_of_mappings(&self) -> Vec<usize> {
        let mut seen = self.looked_at.clone();
        let mut first = Vec::new();
        for (number, mapping) in self.mappings.iter().enumerate() {
            if !seen.contains(mapping) {
                seen.push(mapping.clone());
                first.push(number);
            }
        }
        first
    }

    /// Whether the next frame will be another without anything being done.
    pub fn is_moving(&self) -> bool {
        self.is_running && !self.is_over()
    }

    /// Begins a shot, after all that those before it have done.
    pub fn go_to(&mut self, shot: usize, bench: &mut Workbench) {
        let shot = shot.min(self.shots().len().saturating_sub(1));
        let state = self.state_before(shot, bench);
        bench.camera.look_from(state.kept.pose);
        self.state = state;
        self.shot = shot;
        self.at = self.timeline.shots.get(shot).map_or(0.0, |of| of.start);
        self.enter(bench);
        bench.dock.arrive();
    }

    /// Begins the next shot, wherever the one that is shown stands; of the last, its end.
    pub fn next(&mut self, bench: &mut Workbench) {
        self.is_running = true;
        if self.shot + 1 < self.shots().len() {
            self.settle(bench);
            self.shot += 1;
            self.at = self
                .timeline
                .shots
                .get(self.shot)
                .map_or(0.0, |of| of.start);
            self.enter(bench);
        } else {
            self.at = self.timeline.total();
            self.follow(bench);
        }
    }

    /// Begins the shot before; the one that is shown where it has been shown for a while.
    pub fn previous(&mut self, bench: &mut Workbench) {
        /// Seconds.
        const WHILE: f64 = 1.5;
        let start = self
            .timeline
            .shots
            .get(self.shot)
            .map_or(0.0, |of| of.start);
        self.is_running = true;
        match self.at - start > WHILE {
            true => self.go_to(self.shot, bench),
            false => self.go_to(self.shot.saturating_sub(1), bench),
        }
    }

    /// Brings everything back to where the scene has it at this moment, after someone has looked around.
    pub fn resume(&mut self, bench: &mut Workbench) {
        self.apply(bench);
        self.follow(bench);
    }

    /// Brings everything back to where it was before the scene.
    pub fn leave(&mut self, bench: &mut Workbench) {
        hold_names(bench, false);
        let (before, arrangement) = &self.before;
        match (before.mapping == bench.mapping_shown(), &self.mark) {
            // Its modules are those of another structure.
            (false, Some(mark)) => bench.go_to(mark, &Section::ALL),
            _ => drop(before.apply(bench)),
        }
        (bench.dock, _) = Dock::arranged(arrangement);
        bench.camera.look_from(before.kept.pose);
    }

    /// Lets `seconds` of the scene pass.
    pub fn advance(&mut self, seconds: f64, bench: &mut Workbench) {
        self.look_up(bench);
        if self.waits(bench) {
            return;
        }
        if !self.is_running {
            self.follow(bench);
            return;
        }
        let mut to = (self.at + seconds).min(self.timeline.total());
        while let Some(next) = self.timeline.shots.get(self.shot + 1)
            && next.start <= to + GRAIN
        {
            if self.stops {
                to = next.start;
                self.is_running = false;
                break;
            }
            self.at = next.start;
            self.settle(bench);
            self.shot += 1;
            self.enter(bench);
            if self.waits(bench) {
                return;
            }
        }
        self.at = to;
        self.follow(bench);
    }

    /// The landscape is drawn elsewhere than before, or as before: has the camera look at the same of it.
    pub fn look_where_it_is(&mut self, bench: &mut Workbench) {
        let found = self.way.found.as_ref();
        if self.is_running && found.is_some_and(|(viewport, _)| *viewport != bench.viewport) {
            self.follow(bench);
        }
    }

    /// The words of the shot that is shown.
    pub fn words(&self) -> impl Iterator<Item = Words<'_>> {
        let shot = self.shots().get(self.shot);
        let timed = self.timeline.shots.get(self.shot);
        let strength = timed.map_or(0.0, |of| {
            let since = self.at - of.start;
            let fade = FADE.min(of.length * 0.25).max(GRAIN);
            let (comes, goes) = (since / fade, (of.length - since) / fade);
            // The last words stay, and those that wait to be read.
            let is_last = self.shot + 1 >= self.timeline.shots.len();
            let goes = if is_last || self.stops { 1.0 } else { goes };
            // A first frame is what a film shows before it plays.
            let comes = if self.shot == 0 { 1.0 } else { comes };
            comes.min(goes).clamp(0.0, 1.0) as f32
        });
        let words = shot.into_iter().flat_map(|shot| {
            let title = shot.title.iter().map(|it| (it, true));
            title.chain(shot.caption.iter().map(|it| (it, false)))
        });
        words.map(move |(caption, is_title)| Words {
            caption,
            is_title,
            strength,
        })
    }

    /// Times as large as usual.
    pub fn text_scale(&self) -> f32 {
        self.state.kept.text_scale
    }

    pub fn has_legend(&self) -> bool {
        self.state.kept.legend
    }

    /// Whether the landscape that this moment shows is still being made beside the frames: the scene stands still.
    fn waits(&self, bench: &Workbench) -> bool {
        let waits_for_mapping = self.awaits_mapping && bench.jobs.is_revising();
        bench.jobs.laying_out.is_some() || waits_for_mapping || self.state.waits_for_run(bench)
    }

    /// Brings the workbench to the state, as far as that can be done at once.
    fn apply(&mut self, bench: &mut Workbench) {
        bench.dock.set_easing(true);
        self.awaits_mapping = !self.state.apply(bench);
        bench.dock.set_easing(false);
        self.is_behind |= self.awaits_mapping;
    }

    /// Looks the modules up again where the structure is another, and begins the shot that is shown again in it.
    fn look_up(&mut self, bench: &mut Workbench) {
        let session = bench.document.as_ref().map(|it| &it.session);
        if !self.places.find(&self.file, &self.bookmarks, session) {
            return;
        }
        if let Some(document) = &bench.document {
            let is_of_session = self.file.scene.inputs.session.is_some();
            let mark = self.mark.as_ref().filter(|_| is_of_session);
            self.begin.fit(document, mark, &self.places);
        }
        let now = bench.mapping_shown();
        if !self.looked_at.contains(&now) {
            let found = self
                .places
                .problems(&self.file, |shot| self.mappings[shot] == now);
            self.problems.extend(self.file.problems(found));
            self.looked_at.push(now);
        }
        let (pose, way) = (self.state.kept.pose, self.way.from);
        self.state = self.state_before(self.shot, bench);
        self.state.kept.pose = pose;
        self.begin_shot(bench);
        self.way = Way {
            from: way,
            found: None,
        };
    }

    fn bookmark(&self, shot: &Shot) -> Option<&Bookmark> {
        let name = shot.bookmark.as_ref().filter(|name| !name.is_empty())?;
        self.bookmarks.iter().find(|it| it.name == *name)
    }

    /// Where the camera goes in a shot.
    fn go(&self, shot: &Shot) -> Option<Go> {
        if let Some(go) = &shot.camera {
            return Some(go.clone());
        }
        let sections = shot.sections.as_deref().unwrap_or(&Section::ALL);
        let camera = self.bookmark(shot)?.camera?;
        sections.contains(&Section::Camera).then(|| Go {
            at: Some(camera),
            ..Go::default()
        })
    }

    /// What is shown when a shot begins. Lays landscapes out where shots before it go to modules of others than the
    /// one that is shown.
    fn state_before(&self, shot: usize, bench: &Workbench) -> State {
        let mut state = self.begin.clone();
        let Some(document) = &bench.document else {
            return state;
        };
        let before = self.shots().get(..shot).unwrap_or_default();
        // Ways that lead to a place of their own make no difference where they began.
        let is_anchor = |of: &Shot| self.go(of).is_some_and(|go| is_anchored(&go));
        let anchor = before.iter().rposition(is_anchor).unwrap_or(0);
        let mut other: Option<City> = None;
        for (number, of) in before.iter().enumerate() {
            state.change(of, self.bookmark(of), &self.places, document);
            state.kept.time = self
                .timed(number)
                .and_then(|it| it.after)
                .unwrap_or(state.kept.time);
            if let Some(&divider) = of.divider.last() {
                state.divider = divider;
            }
            let Some(go) = self.go(of).filter(|_| number >= anchor) else {
                continue;
            };
            let is_laid_out =
                document.cut == state.kept.cut && document.settings == state.kept.settings;
            let landscape = match is_laid_out {
                true => &document.landscape,
                false => {
                    let metrics = document.landscape.metrics();
                    let references = document.landscape.references();
                    let view = other.get_or_insert_with(|| {
                        City::with(
                            &document.session,
                            metrics.clone(),
                            references.clone(),
                            &state.kept.settings,
                            &state.kept.cut,
                        )
                    });
                    view.lay_out(&document.session, &state.kept.settings, &state.kept.cut);
                    view
                }
            };
            let framing = Framing {
                landscape,
                viewport: &bench.viewport,
                places: &self.places,
            };
            if let Some(way) = framing.way(&go, state.kept.pose) {
                state.kept.pose = way.end();
            }
        }
        state
    }

    fn timed(&self, shot: usize) -> Option<&crate::presentation::timeline::Timed> {
        self.timeline.shots.get(shot)
    }

    /// Brings the state to what the shot that is shown leaves behind.
    fn settle(&mut self, bench: &Workbench) {
        self.find_way(bench);
        self.state.kept.pose = match &self.way.found {
            Some((_, Some(way))) => way.end(),
            _ => self.way.from,
        };
        let after = self.timed(self.shot).and_then(|of| of.after);
        self.state.kept.time = after.unwrap_or(self.state.kept.time);
        let divider = self.shots().get(self.shot).and_then(|of| of.divider.last());
        self.state.divider = divider.copied().unwrap_or(self.state.divider);
    }

    /// Begins the shot that is shown now, after the state before it.
    fn enter(&mut self, bench: &mut Workbench) {
        self.look_up(bench);
        self.begin_shot(bench);
        self.way = Way {
            from: self.state.kept.pose,
            found: None,
        };
        self.follow(bench);
    }

    /// Brings state and workbench to what the shot that is shown now changes at once.
    fn begin_shot(&mut self, bench: &mut Workbench) {
        let mut state = self.state.clone();
        if let (Some(document), Some(of)) = (&bench.document, self.shots().get(self.shot)) {
            state.change(of, self.bookmark(of), &self.places, document);
            let timed = self.timed(self.shot);
            if let Some(Played { from, .. }) = timed.and_then(|of| of.played) {
                state.kept.time = from;
            } else if let Some(after) = timed.and_then(|of| of.after).filter(|_| of.at.is_some()) {
                state.kept.time = after;
            }
        }
        self.state = state;
        self.apply(bench);
    }

    /// Finds the way of the camera where that is not known, or the landscape is drawn elsewhere than it was.
    fn find_way(&mut self, bench: &Workbench) {
        let viewport = bench.viewport;
        if self
            .way
            .found
            .as_ref()
            .is_some_and(|(of, _)| *of == viewport)
        {
            return;
        }
        let (Some(document), Some(shot)) = (&bench.document, self.shots().get(self.shot)) else {
            return;
        };
        let framing = Framing {
            landscape: &document.landscape,
            viewport: &viewport,
            places: &self.places,
        };
        let way = self.go(shot);
        let way = way.and_then(|go| framing.way(&go, self.way.from));
        self.way.found = Some((viewport, way));
    }

    /// Brings camera and playback to where they are at this moment.
    fn follow(&mut self, bench: &mut Workbench) {
        if self.waits(bench) {
            self.is_behind = true;
            return;
        }
        if std::mem::take(&mut self.awaits_mapping) && self.state.mapping != bench.mapping_shown() {
            // It could not be shown so, which has been told.
            self.state.mapping = bench.mapping_shown();
            self.is_behind = true;
        }
        if std::mem::take(&mut self.is_behind) {
            self.apply(bench);
            if self.is_behind {
                return;
            }
        }
        self.find_way(bench);
        let Some(timed) = self.timed(self.shot).copied() else {
            return;
        };
        hold_names(bench, timed.played.is_some());
        let share = timed.share(self.at - timed.start);
        let pose = match &self.way.found {
            Some((_, Some(way))) => way.at(share),
            _ => self.way.from,
        };
        if bench.camera.pose() != pose {
            bench.camera.look_from(pose);
        }
        if let Some(played) = timed.played {
            let time = match played.clock {
                Clock::Time => played.at(share),
                Clock::Events => by_events(bench, &played, share),
            };
            seek(bench, time);
        }
        if let Some([from, to]) = (self.shots().get(self.shot)).map(|of| &of.divider[..]) {
            let share = share as f32;
            let eased = share * share * (3.0 - 2.0 * share);
            bench.pair.divider = from + (to - from) * eased;
        }
    }
}

/// Names of what runs stay for a moment while a part of the recording plays, however fast it does.
fn hold_names(bench: &mut Workbench, is_on: bool) {
    if let Some(document) = &mut bench.document {
        document.landscape.hold_names(is_on);
        if let Some(beside) = &mut document.beside {
            beside.hold_names(is_on);
        }
    }
}

/// What the scene names besides modules and times and the inputs do not have.
fn others(file: &SceneFile, bookmarks: &[Bookmark], document: Option<&Document>) -> Vec<Problem> {
    let is_pair = document.is_some_and(|it| it.versus.is_some());
    let mut problems = Vec::new();
    for (number, shot) in file.scene.shots.iter().enumerate() {
        let mut tell = |field: &[&str], problem: String| {
            problems.push((of_shot(number, field), problem));
        };
        if let Some(name) = &shot.bookmark
            && !bookmarks.iter().any(|it| it.name == *name)
        {
            tell(&["bookmark"], format!("no bookmark is named '{name}'"));
        }
        if !is_pair {
            let two = "two recordings of one program are needed for this".to_owned();
            if shot.run.is_some() {
                tell(&["run"], two.clone());
            }
            if shot.compare.is_some() {
                tell(&["compare"], two);
            }
        }
        for (index, &shown) in shot.show.iter().enumerate() {
            let view = super::kept::view(shown);
            if document.is_some_and(|it| !it.can_show(view)) {
                let problem = format!("these inputs have nothing to show in '{}'", view.line().id);
                tell(&["show", &index.to_string()], problem);
            }
        }
    }
    problems
}

/// The time at a share of what is played, counted in events.
fn by_events(bench: &Workbench, played: &Played, share: f64) -> Time {
    let document = bench.document.as_ref();
    let place = document
        .and_then(|it| it.versus.as_ref())
        .map_or(0, |it| it.places()[0]);
    let Some(resolved) = document.and_then(|it| it.session.recordings.get(place)) else {
        return played.at(share);
    };
    let trace = &resolved.recording.trace;
    let [from, to] = [played.from, played.to].map(|time| trace.events_until(time) as f64);
    let number = (from + (to - from) * share).round() as u64;
    let event = number.checked_sub(1).and_then(|number| trace.event(number));
    let range = played.range();
    event.map_or(range.start, |event| {
        event.time.clamp(range.start, range.end)
    })
}

//! A scene on what is open: what each shot does to it, and where camera and playback are at a moment.

use std::path::PathBuf;
use std::sync::{Arc, Weak};

use super::bookmark::{Pending, bookmark_of, go_to};
use super::framing::{Framing, is_anchored};
use super::mappings::{mappings, unusable_mappings};
use super::missing::missing;
use super::path::CameraPath;
use super::places::Places;
use super::scene::{Bookmark, Caption, Clock, Go, SceneError, SceneFile, Section, Shot};
use super::scene_state::{SceneState, end_of_a, seek};
use super::timeline::{Played, Timed, Timeline, by_events};
use callscape_analysis::session::Session;
use callscape_base::units::Time;
use callscape_look::pose::Pose;
use callscape_state::city::City;
use callscape_state::panes::Arrangement;
use callscape_state::{State, Viewport};

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
    begin: SceneState,
    /// By shot, the mapping file through which it is shown.
    mappings: Vec<Option<PathBuf>>,
    /// Those whose shots have been looked at for what the structure does not have.
    looked_at: Vec<Option<PathBuf>>,
    /// As the scene has it at this moment, but for what moves.
    wanted: SceneState,
    /// The structure is being shown through another mapping.
    awaits_mapping: bool,
    /// What is open could not be brought there at once.
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
    before: (SceneState, Arrangement),
    /// The same by names, which mean something in another structure too. Last of the bookmarks that are looked up.
    mark: Option<Bookmark>,
    /// The structure that `before` is of; of none where nothing was open.
    structure: Weak<Session>,
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
    /// Shows `file` on what is open in `state`, from the first shot on as soon as time goes on. `bookmarks` are those
    /// that it can go to. O(modules + shots).
    pub fn new(file: SceneFile, bookmarks: Vec<Bookmark>, state: &mut State) -> Show {
        let document = state.document.as_ref();
        let end = document.and_then(end_of_a);
        let duration = end.map(|end| end.since(Time::ZERO));
        let (timeline, mut problems) = Timeline::new(&file.scene, duration);
        problems.extend(missing(&file, &bookmarks, document));
        let mut bookmarks = bookmarks;
        problems.extend(unusable_mappings(&file, &mut bookmarks));
        let now = state.mapping_shown();
        let mappings = mappings(&file, &bookmarks, now.clone());
        let mark = bookmark_of(state, String::new());
        bookmarks.extend(mark.clone());
        let mut places = Places::default();
        places.find(&file, &bookmarks, document.map(|it| &it.session));
        problems.extend(places.problems(&file, |shot| mappings[shot] == now));
        let problems = file.problems(problems);
        let before = SceneState::of(state);
        let mut begin = match file.scene.inputs.session {
            Some(_) => before.clone(),
            None => SceneState::fresh(state),
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
            wanted: begin.clone(),
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
            before: (before, state.panes.arrangement().clone()),
            mark,
            structure: structure_of(state),
        };
        show.go_to(0, state);
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
        self.shots().get(shot).is_some_and(Shot::changes_at_once)
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
    pub fn go_to(&mut self, shot: usize, state: &mut State) {
        let shot = shot.min(self.shots().len().saturating_sub(1));
        let wanted = self.wanted_before(shot, state);
        state.moving.camera.look_from(wanted.kept.pose);
        self.wanted = wanted;
        self.shot = shot;
        self.at = self.timeline.shots.get(shot).map_or(0.0, |of| of.start);
        self.enter(state);
        state.panes.arrive();
    }

    /// Begins the next shot, wherever the one that is shown stands; of the last, its end.
    pub fn next(&mut self, state: &mut State) {
        self.is_running = true;
        if self.shot + 1 < self.shots().len() {
            self.settle(state);
            self.shot += 1;
            self.at = self
                .timeline
                .shots
                .get(self.shot)
                .map_or(0.0, |of| of.start);
            self.enter(state);
        } else {
            self.at = self.timeline.total();
            self.follow(state);
        }
    }

    /// Begins the shot before; the one that is shown where it has been shown for a while.
    pub fn previous(&mut self, state: &mut State) {
        /// Seconds.
        const WHILE: f64 = 1.5;
        let start = self
            .timeline
            .shots
            .get(self.shot)
            .map_or(0.0, |of| of.start);
        self.is_running = true;
        match self.at - start > WHILE {
            true => self.go_to(self.shot, state),
            false => self.go_to(self.shot.saturating_sub(1), state),
        }
    }

    /// Brings everything back to where the scene has it at this moment, after someone has looked around.
    pub fn resume(&mut self, state: &mut State) {
        self.look_up(state);
        self.apply(state);
        self.follow(state);
    }

    /// Brings everything back to where it was before the scene; what is given is left to do once the structure is shown
    /// through the mapping of before.
    pub fn leave(&mut self, state: &mut State) -> Option<Pending> {
        hold_names(state, false);
        let (before, arrangement) = &self.before;
        let is_of_shown = self.structure.ptr_eq(&structure_of(state));
        let pending = match &self.mark {
            _ if is_of_shown => {
                before.apply(state);
                None
            }
            // The ids of its modules mean others in the structure that is shown now.
            Some(mark) => go_to(state, mark, &Section::ALL),
            None => None,
        };
        state.panes.arrange(arrangement);
        state.moving.camera.look_from(before.kept.pose);
        pending
    }

    /// Lets `seconds` of the scene pass.
    pub fn advance(&mut self, seconds: f64, state: &mut State) {
        self.look_up(state);
        if self.waits(state) {
            return;
        }
        if !self.is_running {
            self.follow(state);
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
            self.settle(state);
            self.shot += 1;
            self.enter(state);
            if self.waits(state) {
                return;
            }
        }
        self.at = to;
        self.follow(state);
    }

    /// The landscape is drawn elsewhere than before, or as before: has the camera look at the same of it.
    pub fn look_where_it_is(&mut self, state: &mut State) {
        let found = self.way.found.as_ref();
        if self.is_running && found.is_some_and(|(viewport, _)| *viewport != state.moving.viewport)
        {
            self.follow(state);
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
        self.wanted.kept.text_scale
    }

    pub fn has_legend(&self) -> bool {
        self.wanted.kept.legend
    }

    /// Whether the landscape that this moment shows is still being made beside the frames: the scene stands still.
    fn waits(&self, state: &State) -> bool {
        let waits_for_mapping = self.awaits_mapping && state.work.jobs.is_revising();
        state.work.jobs.laying_out.is_some()
            || waits_for_mapping
            || self.wanted.waits_for_run(state)
    }

    /// Brings `state` to what the scene wants, as far as that can be done at once.
    fn apply(&mut self, state: &mut State) {
        state.panes.ease(true);
        self.awaits_mapping = !self.wanted.apply(state);
        state.panes.ease(false);
        self.is_behind |= self.awaits_mapping;
    }

    /// Looks the modules up again where the structure is another, and begins the shot that is shown again in it.
    fn look_up(&mut self, state: &mut State) {
        let session = state.document.as_ref().map(|it| &it.session);
        if !self.places.find(&self.file, &self.bookmarks, session) {
            return;
        }
        if let Some(document) = &state.document {
            let is_of_session = self.file.scene.inputs.session.is_some();
            let mark = self.mark.as_ref().filter(|_| is_of_session);
            self.begin.fit(document, mark, &self.places);
        }
        let now = state.mapping_shown();
        if !self.looked_at.contains(&now) {
            let found = self
                .places
                .problems(&self.file, |shot| self.mappings[shot] == now);
            self.problems.extend(self.file.problems(found));
            self.looked_at.push(now);
        }
        let (pose, way) = (self.wanted.kept.pose, self.way.from);
        self.wanted = self.wanted_before(self.shot, state);
        self.wanted.kept.pose = pose;
        self.begin_shot(state);
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
    fn wanted_before(&self, shot: usize, state: &State) -> SceneState {
        let mut wanted = self.begin.clone();
        let Some(document) = &state.document else {
            return wanted;
        };
        let before = self.shots().get(..shot).unwrap_or_default();
        // Ways that lead to a place of their own make no difference where they began.
        let is_anchor = |of: &Shot| self.go(of).is_some_and(|go| is_anchored(&go));
        let anchor = before.iter().rposition(is_anchor).unwrap_or(0);
        let mut other: Option<City> = None;
        for (number, of) in before.iter().enumerate() {
            wanted.change(of, self.bookmark(of), &self.places, document);
            wanted.kept.time = self
                .timed(number)
                .and_then(|it| it.after)
                .unwrap_or(wanted.kept.time);
            if let Some(&divider) = of.divider.last() {
                wanted.divider = divider;
            }
            let Some(go) = self.go(of).filter(|_| number >= anchor) else {
                continue;
            };
            let is_laid_out =
                document.cut == wanted.kept.cut && document.settings == wanted.kept.settings;
            let city = match is_laid_out {
                true => &document.city,
                false => {
                    let metrics = document.city.metrics();
                    let references = document.city.references();
                    let view = other.get_or_insert_with(|| {
                        City::with(
                            &document.session,
                            metrics.clone(),
                            references.clone(),
                            &wanted.kept.settings,
                            &wanted.kept.cut,
                        )
                    });
                    view.lay_out(&document.session, &wanted.kept.settings, &wanted.kept.cut);
                    view
                }
            };
            let framing = Framing {
                city,
                viewport: &state.moving.viewport,
                places: &self.places,
            };
            if let Some(way) = framing.way(&go, wanted.kept.pose) {
                wanted.kept.pose = way.end();
            }
        }
        wanted
    }

    fn timed(&self, shot: usize) -> Option<&Timed> {
        self.timeline.shots.get(shot)
    }

    /// Brings the state to what the shot that is shown leaves behind.
    fn settle(&mut self, state: &State) {
        self.find_way(state);
        self.wanted.kept.pose = match &self.way.found {
            Some((_, Some(way))) => way.end(),
            _ => self.way.from,
        };
        let after = self.timed(self.shot).and_then(|of| of.after);
        self.wanted.kept.time = after.unwrap_or(self.wanted.kept.time);
        let divider = self.shots().get(self.shot).and_then(|of| of.divider.last());
        self.wanted.divider = divider.copied().unwrap_or(self.wanted.divider);
    }

    /// Begins the shot that is shown now, after the state before it.
    fn enter(&mut self, state: &mut State) {
        self.look_up(state);
        self.begin_shot(state);
        self.way = Way {
            from: self.wanted.kept.pose,
            found: None,
        };
        self.follow(state);
    }

    /// Brings the scene and `state` to what the shot that is shown now changes at once.
    fn begin_shot(&mut self, state: &mut State) {
        let mut wanted = self.wanted.clone();
        if let (Some(document), Some(of)) = (&state.document, self.shots().get(self.shot)) {
            wanted.change(of, self.bookmark(of), &self.places, document);
            let timed = self.timed(self.shot);
            if let Some(Played { from, .. }) = timed.and_then(|of| of.played) {
                wanted.kept.time = from;
            } else if let Some(after) = timed.and_then(|of| of.after).filter(|_| of.at.is_some()) {
                wanted.kept.time = after;
            }
        }
        self.wanted = wanted;
        self.apply(state);
    }

    /// Finds the way of the camera where that is not known, or the landscape is drawn elsewhere than it was.
    fn find_way(&mut self, state: &State) {
        let viewport = state.moving.viewport;
        if self
            .way
            .found
            .as_ref()
            .is_some_and(|(of, _)| *of == viewport)
        {
            return;
        }
        let (Some(document), Some(shot)) = (&state.document, self.shots().get(self.shot)) else {
            return;
        };
        let framing = Framing {
            city: &document.city,
            viewport: &viewport,
            places: &self.places,
        };
        let way = self.go(shot);
        let way = way.and_then(|go| framing.way(&go, self.way.from));
        self.way.found = Some((viewport, way));
    }

    /// Brings camera and playback to where they are at this moment.
    fn follow(&mut self, state: &mut State) {
        if self.waits(state) {
            self.is_behind = true;
            return;
        }
        if std::mem::take(&mut self.awaits_mapping) && self.wanted.mapping != state.mapping_shown()
        {
            // It could not be shown so, which has been told.
            self.wanted.mapping = state.mapping_shown();
            self.is_behind = true;
        }
        if std::mem::take(&mut self.is_behind) {
            self.apply(state);
            if self.is_behind {
                return;
            }
        }
        self.find_way(state);
        let Some(timed) = self.timed(self.shot).copied() else {
            return;
        };
        hold_names(state, timed.played.is_some());
        let share = timed.share(self.at - timed.start);
        let pose = match &self.way.found {
            Some((_, Some(way))) => way.at(share),
            _ => self.way.from,
        };
        if state.moving.camera.pose() != pose {
            state.moving.camera.look_from(pose);
        }
        if let Some(played) = timed.played {
            let time = match played.clock {
                Clock::Time => played.at(share),
                Clock::Events => by_events(state, &played, share),
            };
            seek(state, time);
        }
        if let Some([from, to]) = (self.shots().get(self.shot)).map(|of| &of.divider[..]) {
            let share = share as f32;
            let eased = share * share * (3.0 - 2.0 * share);
            state.runs_view.divider = from + (to - from) * eased;
        }
    }
}

/// Names of what runs stay for a moment while a part of the recording plays, however fast it does.
fn hold_names(state: &mut State, is_on: bool) {
    if let Some(document) = &mut state.document {
        document.city.hold_names(is_on);
        if let Some(beside) = &mut document.other_city {
            beside.hold_names(is_on);
        }
    }
}

/// The structure that is shown; of none where nothing is open.
fn structure_of(state: &State) -> Weak<Session> {
    let document = state.document.as_ref();
    document.map_or_else(Weak::new, |it| Arc::downgrade(&it.session))
}

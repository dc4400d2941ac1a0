//! What is done in the window becomes shots: where the camera comes to rest, what is played and how fast, what is
//! chosen, expanded, collapsed, opened and coloured otherwise.

use std::time::Duration;

use super::talk::Recorder;
use crate::desk::Desk;
use callscape_base::units::{ModuleId, Time, TimeSpec};
use callscape_model::arcs::ArcMode;
use callscape_presentation::kept::camera_of;
use callscape_presentation::scene::{
    Arcs, Clock, Compare, Easing, Go, Look, Play, Run, Shot, TimeText, ViewName,
};
use callscape_presentation::scene_state::SceneState;
use callscape_state::State;
use callscape_state::document::Document;
use callscape_state::panes::ViewId;
use callscape_state::runs::RunsLayout;

/// What follows so soon is one motion.
const REST: Duration = Duration::from_millis(450);
/// A pause is a shot of its own when it lasts so long, and no longer than this.
const PAUSE: Duration = Duration::from_millis(1200);
const LONGEST_PAUSE: f64 = 8.0;
/// Motions take no less and no more, in seconds.
const LENGTHS: [f64; 2] = [0.6, 600.0];

impl Desk {
    pub fn toggle_recording(&mut self) {
        if let Some(recorder) = self.talk.recorder.take() {
            let now = self.state.now();
            self.finish_motion(recorder, now);
            let recorded = self.talk.script.scene.shots.len();
            self.state
                .tell_briefly(format!("The scene has {recorded} shots now"));
            return;
        }
        if self.state.document.is_none() || self.is_live() {
            return;
        }
        let now = self.state.now();
        let last = SceneState::of(&self.state);
        // A recording begins where it did, whatever stands before it.
        let is_first = self.talk.script.scene.shots.is_empty();
        let first = first(&last, is_first, &self.state);
        self.add_shot(first);
        self.talk.recorder = Some(Recorder {
            pose: last.kept.pose,
            time: last.kept.time,
            last,
            since: now,
            began: None,
            moved: now,
            played: None,
            shots: 0,
        });
        self.state
            .tell_briefly("Recording: fly and click; F9 ends it".to_owned());
    }

    /// Notes what has changed since the last frame.
    pub fn record(&mut self) {
        let Some(mut recorder) = self.talk.recorder.take() else {
            return;
        };
        let now = self.state.now();
        let playback = self
            .state
            .document
            .as_ref()
            .and_then(|it| it.playback.as_ref());
        let is_playing = playback.is_some_and(|it| it.is_playing());
        let now_shown = SceneState::of(&self.state);
        let time = now_shown.kept.time;
        let pose = self.state.moving.camera.pose();
        let is_moving = pose != recorder.pose
            || self.state.moving.camera.is_moving()
            || self.state.moving.pointer.is_pressed()
            || is_playing
            || time != recorder.time;
        if is_playing && recorder.played.is_none() {
            recorder.played = Some((recorder.time, now));
        }
        (recorder.pose, recorder.time) = (pose, time);
        if is_moving || now_shown != recorder.last {
            if recorder.began.is_none() {
                recorder.began = Some(now);
                self.pause(&mut recorder, now);
            }
            if is_moving {
                recorder.moved = now;
            }
        }
        let rests = now.saturating_sub(recorder.moved) > REST;
        // What plays by itself is a shot of its own, whatever the camera did before.
        if recorder.began.is_some() && rests {
            recorder = self.finish_motion(recorder, now.saturating_sub(REST));
        }
        self.talk.recorder = Some(recorder);
    }

    /// When the recorder has to look again although nothing happens.
    pub fn recorder_waits(&self) -> Option<Duration> {
        let recorder = self.talk.recorder.as_ref()?;
        let rest = recorder.moved + REST + Duration::from_millis(30);
        recorder
            .began
            .map(|_| rest.saturating_sub(self.state.now()))
    }

    fn pause(&mut self, recorder: &mut Recorder, now: Duration) {
        let pause = now.saturating_sub(recorder.since);
        if pause >= PAUSE && recorder.shots > 0 {
            let seconds = rounded(pause.as_secs_f64().min(LONGEST_PAUSE));
            self.add_shot(Shot {
                name: "Pause".to_owned(),
                seconds: Some(seconds),
                ..Shot::default()
            });
        }
    }

    /// Makes a shot of what has gone on.
    fn finish_motion(&mut self, mut recorder: Recorder, end: Duration) -> Recorder {
        let Some(began) = recorder.began.take() else {
            return recorder;
        };
        let now = SceneState::of(&self.state);
        let length = end.saturating_sub(began).as_secs_f64();
        let played = recorder.played.take();
        if let Some(shot) = shot(&recorder.last, &now, played, length, &self.state) {
            self.add_shot(shot);
            recorder.shots += 1;
        }
        recorder.last = now;
        recorder.since = self.state.now();
        recorder
    }
}

fn rounded(seconds: f64) -> f64 {
    (seconds * 10.0).round() / 10.0
}

fn at(time: Time) -> TimeText {
    TimeText(TimeSpec::At(time))
}

fn compared(together: RunsLayout) -> Compare {
    match together {
        RunsLayout::One => Compare::Difference,
        RunsLayout::SideBySide => Compare::SideBySide,
        RunsLayout::Wipe => Compare::Wipe,
    }
}

/// What a scene has to say so that it begins as the window is now.
pub(super) fn first(shown: &SceneState, is_first: bool, state: &State) -> Shot {
    let Some(document) = &state.document else {
        return Shot::default();
    };
    let path = |module: ModuleId| document.session.hierarchy.path(module);
    let now = &shown.kept;
    let whole = now.bookmark(String::new(), None, document);
    let is_pair = document.runs.is_some();
    // What inputs have nothing to show in may be open all the same.
    let shows = now.views.iter().copied();
    let shows = shows.filter(|view| document.has(view.line().needs));
    Shot {
        name: if is_first { "Begin" } else { "Go on" }.to_owned(),
        seconds: Some(if is_first { 1.0 } else { 2.0 }),
        camera: Some(Go {
            at: Some(camera_of(&now.pose)),
            easing: if is_first {
                Easing::Cut
            } else {
                Easing::Smooth
            },
            ..Go::default()
        }),
        at: whole.time,
        summary: now.summary.then_some(true),
        range: whole.range.filter(|range| !range.is_empty()),
        collapse: now.cut.collapsed().map(path).collect(),
        select: now.module.map(path),
        run: (is_pair && shown.side == 1).then_some(Run::B),
        compare: (is_pair && shown.together != RunsLayout::One).then(|| compared(shown.together)),
        show: shows.map(ViewName).collect(),
        look: whole.look,
        ..Shot::default()
    }
}

/// What has changed between two moments, none where nothing has that a shot can say.
fn shot(
    before: &SceneState,
    now: &SceneState,
    played: Option<(Time, Duration)>,
    length: f64,
    state: &State,
) -> Option<Shot> {
    let document = state.document.as_ref()?;
    let mut change = Change {
        before,
        now,
        document,
        shot: Shot::default(),
        names: Vec::new(),
    };
    change.runs();
    change.structure();
    change.look();
    change.time(played);
    change.camera();
    let Change {
        mut shot, names, ..
    } = change;
    if names.is_empty() {
        return None;
    }
    shot.seconds = Some(rounded(length.clamp(LENGTHS[0], LENGTHS[1])));
    let mut name = names.join(", ");
    if let Some(first) = name.get(..1) {
        name = format!("{}{}", first.to_uppercase(), &name[1..]);
    }
    shot.name = name;
    Some(shot)
}

/// A shot of what has changed between two moments, as it is found out.
struct Change<'a> {
    before: &'a SceneState,
    now: &'a SceneState,
    document: &'a Document,
    shot: Shot,
    /// What it does, in words.
    names: Vec<String>,
}

impl Change<'_> {
    /// Which of two runs is shown, and how they stand beside each other.
    fn runs(&mut self) {
        let (before, now) = (self.before, self.now);
        if self.document.runs.is_none() {
            return;
        }
        if now.side != before.side {
            let (run, letter) = [(Run::A, "A"), (Run::B, "B")][now.side.min(1)];
            self.shot.run = Some(run);
            self.names.push(format!("run {letter}"));
        }
        if now.together != before.together {
            self.shot.compare = Some(compared(now.together));
            self.names.push("compare".to_owned());
        }
    }

    /// What is collapsed, chosen and open.
    fn structure(&mut self) {
        let (before, now) = (&self.before.kept, &self.now.kept);
        let hierarchy = &self.document.session.hierarchy;
        let path = |module: ModuleId| hierarchy.path(module);
        if now.cut != before.cut {
            let expanded = before
                .cut
                .collapsed()
                .filter(|&it| !now.cut.is_collapsed(it));
            let collapsed = now
                .cut
                .collapsed()
                .filter(|&it| !before.cut.is_collapsed(it));
            (self.shot.expand, self.shot.collapse) =
                (expanded.map(path).collect(), collapsed.map(path).collect());
            let name = |module: &String| module.rsplit('/').next().unwrap_or(module).to_owned();
            match (&self.shot.expand[..], &self.shot.collapse[..]) {
                ([one], []) => self.names.push(format!("expand {}", name(one))),
                ([], [one]) => self.names.push(format!("collapse {}", name(one))),
                _ => self.names.push("expand and collapse".to_owned()),
            }
        }
        if now.module != before.module {
            self.shot.select = Some(now.module.map(path).unwrap_or_default());
            self.names.extend(
                now.module
                    .map(|it| format!("choose {}", hierarchy.name(it))),
            );
        }
        let has = |view: &&ViewId| self.document.has(view.line().needs);
        for &view in now.views.difference(&before.views).filter(has) {
            self.shot.show.push(ViewName(view));
            self.names
                .push(format!("show {}", view.title().to_lowercase()));
        }
        for &view in before.views.difference(&now.views).filter(has) {
            self.shot.hide.push(ViewName(view));
            self.names
                .push(format!("hide {}", view.title().to_lowercase()));
        }
    }

    /// What the landscape looks like.
    fn look(&mut self) {
        let (before, now) = (&self.before.kept, &self.now.kept);
        let document = self.document;
        let mut settings = before.settings;
        settings.arcs = now.settings.arcs;
        if now.settings.arcs != before.settings.arcs {
            self.shot.arcs = Some(match now.settings.arcs {
                ArcMode::All => Arcs::All,
                ArcMode::Step => Arcs::Step,
                ArcMode::Whole => Arcs::Whole,
                ArcMode::Selection => Arcs::Selection,
                ArcMode::Difference => Arcs::Difference,
                ArcMode::Together => Arcs::Together,
                ArcMode::None => Arcs::None,
            });
            self.names.push("arcs".to_owned());
        }
        if settings != now.settings
            || now.legend != before.legend
            || now.text_scale != before.text_scale
        {
            let (a, b) = (
                before
                    .bookmark(String::new(), None, document)
                    .look
                    .unwrap_or_default(),
                now.bookmark(String::new(), None, document)
                    .look
                    .unwrap_or_default(),
            );
            self.shot.look = Some(changed(a, b));
            self.names.push("look".to_owned());
        }
    }

    /// Range and time, and what was played.
    fn time(&mut self, played: Option<(Time, Duration)>) {
        let (before, now) = (&self.before.kept, &self.now.kept);
        let playback = self.document.playback.as_ref();
        if now.range != before.range {
            let ends = now.range.map(|range| vec![at(range.start), at(range.end)]);
            self.shot.range = Some(ends.unwrap_or_default());
            self.names.push("range".to_owned());
        }
        if now.summary != before.summary {
            self.shot.summary = Some(now.summary);
            self.names.push("summary".to_owned());
        }
        if let (Some((from, _)), Some(playback)) = (played, playback)
            && from != now.time
        {
            self.shot.play = Some(Play {
                from: Some(at(from)),
                to: Some(at(now.time)),
                speed: None,
                clock: match playback.settings().clock {
                    callscape_state::playback::Clock::Wall => Clock::Time,
                    _ => Clock::Events,
                },
            });
            self.names.push(format!("play to {}", now.time));
        } else if now.time != before.time {
            self.shot.at = Some(at(now.time));
            self.names.push(format!("at {}", now.time));
        }
    }

    fn camera(&mut self) {
        let (before, now) = (&self.before.kept, &self.now.kept);
        let went = now.pose.eye().distance(before.pose.eye()) > 0.5
            || now.pose.target.distance(before.pose.target) > 0.5
            || (now.pose.yaw - before.pose.yaw).abs() > 0.01
            || (now.pose.pitch - before.pose.pitch).abs() > 0.01;
        if went {
            self.shot.camera = Some(Go {
                at: Some(camera_of(&now.pose)),
                ..Go::default()
            });
            self.names.push("fly".to_owned());
        }
    }
}

/// What `b` says otherwise than `a`.
fn changed(a: Look, b: Look) -> Look {
    fn other<T: PartialEq>(a: &Option<T>, b: Option<T>) -> Option<T> {
        if *a == b { None } else { b }
    }
    Look {
        theme: other(&a.theme, b.theme),
        area: other(&a.area, b.area),
        height: other(&a.height, b.height),
        height_scale: other(&a.height_scale, b.height_scale),
        color: other(&a.color, b.color),
        scale: other(&a.scale, b.scale),
        layout: other(&a.layout, b.layout),
        // Shots say that by themselves.
        arcs: None,
        arc_width: other(&a.arc_width, b.arc_width),
        bundling: other(&a.bundling, b.bundling),
        most_arcs: other(&a.most_arcs, b.most_arcs),
        legend: other(&a.legend, b.legend),
        highlight: other(&a.highlight, b.highlight),
        text_scale: match other(&a.text_scale, b.text_scale) {
            None if a.text_scale.is_some() && b.text_scale.is_none() => Some(1.0),
            other => other,
        },
    }
}

//! The state: its pieces, and what goes on in all of them from frame to frame.

use std::time::Duration;

use super::ask::ViewAsk;
use super::cards::Cards;
use super::document::Document;
use super::errands::Errands;
use super::findings::Findings;
use super::look::Look;
use super::mapping::MappingEditor;
use super::moving::Moving;
use super::opening::Opening;
use super::panes::{Panes, ViewId};
use super::runs_view::RunsView;
use super::search::Search;
use super::steps::Steps;
use super::told::Told;
use super::viewport::Viewport;
use super::work::{Wake, Work};
use callscape_base::units::Time;
use callscape_model::landscape::LandscapeSettings;

/// What is open and what is shown of it.
pub struct State {
    pub document: Option<Document>,
    pub settings: LandscapeSettings,
    pub look: Look,
    pub moving: Moving,
    pub panes: Panes,
    pub cards: Cards,
    pub search: Search,
    pub runs_view: RunsView,
    /// What was changed of what is shown, to be undone and done again.
    pub steps: Steps,
    /// The mapping file and its editor.
    pub mapping: MappingEditor,
    /// What is known of functions from elsewhere.
    pub findings: Findings,
    pub opening: Opening,
    /// What goes on on other threads.
    pub work: Work,
    pub told: Told,
    pub errands: Errands,
}

impl State {
    /// Nothing open; the camera moves in the first of `views`.
    pub fn new(views: Vec<ViewId>, wake: Wake) -> State {
        State {
            document: None,
            settings: LandscapeSettings::default(),
            look: Look::default(),
            moving: Moving::default(),
            panes: Panes::new(views),
            cards: Cards::default(),
            search: Search::default(),
            runs_view: RunsView::default(),
            steps: Steps::default(),
            mapping: MappingEditor::default(),
            findings: Findings::default(),
            opening: Opening::default(),
            work: Work::new(wake),
            told: Told::default(),
            errands: Errands::default(),
        }
    }

    /// Whether the pointer is drawing a range.
    pub fn draws_range(&self) -> bool {
        let document = self.document.as_ref();
        document.is_some_and(|it| it.selection.is_dragged())
    }

    /// Asks something of a view, or of all views that it concerns.
    pub fn ask_views(&mut self, view: Option<ViewId>, ask: ViewAsk) {
        self.errands.view_asks.push((view, ask));
    }

    /// The panels leave a part of the window to the landscape.
    pub fn set_viewport(&mut self, viewport: Viewport) {
        if self.moving.viewport.size == Viewport::default().size {
            self.cards.fit(viewport.size);
        }
        self.moving.place(viewport, self.document.as_ref());
    }

    /// The landscape is not to be seen: nothing waits for its place.
    pub fn hide_viewport(&mut self) {
        self.moving.hide();
    }

    /// Whether the next frame will differ from this one without any input.
    pub fn is_moving(&self) -> bool {
        let document = self.document.as_ref();
        let playback = document.and_then(|open| open.playback.as_ref());
        self.moving.is_moving()
            || document.is_some_and(|it| it.city.is_moving())
            || self.panes.is_moving()
            || playback.is_some_and(|playback| playback.is_playing())
            || self.untold_damage().is_some()
    }

    /// The time since the window opened.
    pub fn now(&self) -> Duration {
        self.moving.time.now()
    }

    /// It is `now`, whatever clocks say, from now on until told otherwise: what moves does not depend on how fast the
    /// machine is.
    pub fn tell_time(&mut self, now: Duration) {
        self.moving.time.tell(now);
    }

    /// Tells something that went wrong, unless it is told already.
    pub fn tell(&mut self, title: &str, line: String) {
        self.told.tell(title, line);
    }

    /// Shows a line for a while.
    pub fn tell_briefly(&mut self, line: String) {
        let now = self.now();
        self.told.tell_briefly(line, now);
    }

    /// The line that is shown for a while, and for how long.
    pub fn notice(&self) -> Option<(&str, Duration)> {
        self.told.notice(self.now())
    }

    /// Moves camera and playback on by the time since the last frame.
    pub fn advance(&mut self, since: Duration) {
        let now = self.now();
        let seconds = since.as_secs_f32();
        self.panes.advance(seconds);
        self.moving.advance(seconds, now, self.document.as_ref());
        if let Some(document) = &mut self.document {
            if let Some((playback, all)) = document.playing() {
                playback.advance(now, all);
            }
            let playback = document.playback.as_ref();
            let time = playback.map_or(Time::ZERO, |it| it.time());
            document.selection.change(|it| it.time = time);
            self.moving.follow(document, now);
            document.city.advance(seconds);
            if self.panes.is_main_visible() {
                let (camera, size) = (self.moving.camera.camera(), self.moving.viewport.size);
                document.city.find_filling(&camera, size);
                document.city.part_arcs(&camera, size);
            }
            if let Some(beside) = &mut document.other_city {
                beside.advance(seconds);
            }
        }
        self.update_work();
        self.update_imports();
        self.update_question();
        self.fit_detail();
        self.tell_damage();
    }

    /// What a worker calls to have the window look for its outcome.
    pub fn waker(&self) -> Box<dyn FnOnce() + Send> {
        self.work.waker()
    }
}

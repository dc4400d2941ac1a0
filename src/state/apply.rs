//! What each ask does.

use super::ask::{Ask, CancelAsk, CardAsk, LookAsk, OpenAsk};
use super::document::Change;
use super::jobs::Jobs;
use super::panes::{Arrangement, Purpose};
use super::state::State;
use callscape_model::theme::Theme;

impl State {
    /// Carries out what was asked for.
    pub fn execute(&mut self, ask: impl Into<Ask>) {
        self.steps.is_touched = true;
        match ask.into() {
            Ask::Open(OpenAsk::CancelLoading) => self.opening.cancel(),
            Ask::Open(OpenAsk::ShowValue(name)) => self.begin_change(Change::Value(name)),
            Ask::Open(OpenAsk::Source(dir)) => self.open_source(dir),
            Ask::Play(ask) => self.on_play(ask),
            Ask::Camera(ask) => self.on_camera(ask),
            Ask::Select(ask) => self.on_select(ask),
            Ask::Filter(ask) => self.on_filter(ask),
            Ask::Step(ask) => self.on_step(ask),
            Ask::Cut(ask) => self.on_cut(ask),
            Ask::Look(ask) => self.on_look(ask),
            Ask::Context(of, way) => self.choose_in_context(of, way),
            // A view that has lit nothing any more leaves what is lit for the selection.
            Ask::Light(None)
                if self
                    .document
                    .as_ref()
                    .is_some_and(|it| it.lit_for.is_some()) => {}
            Ask::Light(lit) => self.light(lit),
            Ask::LightWhileChosen(lit) => self.light_while_chosen(lit),
            Ask::Band(band) => {
                if let Some(document) = &mut self.document {
                    document.band = band;
                }
            }
            Ask::Shown(view, range) => {
                if let Some(document) = &mut self.document {
                    document.shown.retain(|(of, _)| *of != view);
                    document.shown.extend(range.map(|range| (view, range)));
                }
            }
            Ask::Finding(ask) => self.on_finding(ask),
            Ask::Runs(ask) => self.on_runs(ask),
            Ask::Search(ask) => self.on_search(ask),
            Ask::Mapping(ask) => self.on_mapping(ask),
            Ask::Card(ask) => {
                self.cards.on(ask);
                if ask == CardAsk::ToggleFrequency {
                    self.count_for_card();
                }
            }
            Ask::Pane(ask) => {
                let document = self.document.as_ref();
                let has = document.map(|it| |needs| it.has(needs));
                self.panes.on(ask, has);
            }
            Ask::View(view, ask) => self.ask_views(view, ask),
            Ask::Pointed(ask) => {
                if let Some((view, _)) = self.panes.under_pointer {
                    self.ask_views(Some(view), ask);
                }
            }
            Ask::Bookmark(chapters) => self.errands.chapters.extend(chapters),
            Ask::Present(findings) => self.errands.findings = findings,
            Ask::Edit(ask) => self.on_edit(ask),
            Ask::Show(ask) => self.on_show(ask),
            Ask::Noted(view, both) => self.steps.note_own(view, both),
            Ask::Tell(message) => self.told.messages.push(message),
            Ask::TellBriefly(line) => self.tell_briefly(line),
            Ask::Dismiss(index) => self.told.dismiss(index),
            Ask::Cancel(ask) => self.cancel(ask),
        }
    }

    fn on_look(&mut self, ask: LookAsk) {
        let mut settings = self.settings;
        match ask {
            LookAsk::Configure(all) => settings = all,
            LookAsk::SwitchTheme => {
                self.look.follows_system = false;
                settings.theme = match settings.theme {
                    Theme::Light => Theme::Dark,
                    Theme::Dark => Theme::Light,
                }
            }
            LookAsk::Theme(theme) => {
                self.look.follows_system = theme.is_none();
                settings.theme = theme
                    .or(self.look.theme_of_system)
                    .unwrap_or(settings.theme);
            }
            LookAsk::SystemTheme(theme) => {
                self.look.theme_of_system = Some(theme);
                if self.look.follows_system {
                    settings.theme = theme;
                }
            }
            LookAsk::Surface(surface) => settings.surface = surface,
            LookAsk::Height(height) => settings.height = height,
            LookAsk::Highlight(highlight) => return self.highlight(highlight),
            LookAsk::SetQuality(quality) => return self.look.quality = Some(quality),
            LookAsk::ScaleText(by) => return self.look.scale_text(by),
            LookAsk::Question(id) => return self.ask_map(id),
            LookAsk::ToggleQuestion => return self.toggle_question(),
        }
        self.configure(settings);
    }

    /// The theme to begin with; none for that of the system.
    pub fn begin_theme(&mut self, theme: Option<Theme>) {
        self.look.follows_system = theme.is_none();
        self.settings.theme = theme.unwrap_or(self.settings.theme);
    }

    fn cancel(&mut self, ask: CancelAsk) {
        match ask {
            CancelAsk::Counting => self.work.stop_counting(),
            CancelAsk::Everything => {
                self.work.jobs = Jobs::default();
                self.findings.stop();
            }
        }
    }

    /// How the views for a purpose stand; nothing where what is open has nothing for them.
    pub fn arrangement_for(&self, purpose: Purpose) -> Option<Arrangement> {
        let document = self.document.as_ref()?;
        let has = |needs| document.has(needs);
        self.panes.arrangement_for(purpose, has)
    }
}

#[cfg(test)]
mod tests {
    use super::super::ask::{PaneAsk, SearchAsk, SelectAsk, ViewAsk};
    use super::super::message::Message;
    use super::super::testing::{
        CALLS, CITY, RUNS, STACKS, nothing_open, open, range, tiny, two_runs,
    };
    use super::*;
    use glam::Vec2;

    #[test]
    fn what_is_asked_of_a_view_waits_for_it() {
        let mut state = nothing_open();
        state.execute(Ask::View(Some(CALLS), ViewAsk::ShowAll));
        state.execute(Ask::View(None, ViewAsk::ShowRange));
        state.execute(Ask::Pointed(ViewAsk::Pan(Vec2::X)));
        let waiting = [(Some(CALLS), ViewAsk::ShowAll), (None, ViewAsk::ShowRange)];
        assert_eq!(
            state.errands.view_asks, waiting,
            "the pointer is over no view"
        );
        state.panes.under_pointer = Some((STACKS, Vec2::ZERO));
        state.execute(Ask::Pointed(ViewAsk::Pan(Vec2::X)));
        let last = state.errands.view_asks.last();
        assert_eq!(last, Some(&(Some(STACKS), ViewAsk::Pan(Vec2::X))));
    }

    #[test]
    fn the_theme_goes_to_and_fro() {
        let mut state = tiny();
        let first = state.settings.theme;
        state.execute(LookAsk::SwitchTheme);
        assert_ne!(state.settings.theme, first);
        assert_eq!(open(&state).settings.theme, state.settings.theme);
        state.execute(LookAsk::SwitchTheme);
        assert_eq!(state.settings.theme, first);
    }

    #[test]
    fn cards_open_and_close_each_for_itself() {
        let mut state = nothing_open();
        let shown = |state: &State| {
            let of = state.cards;
            [
                of.help,
                of.settings,
                of.legend,
                of.stacks,
                of.timings,
                of.minimap,
                of.frequency,
            ]
        };
        let toggles = [
            CardAsk::ToggleHelp,
            CardAsk::ToggleSettings,
            CardAsk::ToggleLegend,
            CardAsk::ToggleStacks,
            CardAsk::ToggleTimings,
            CardAsk::ToggleMinimap,
            CardAsk::ToggleFrequency,
        ];
        for (place, toggle) in toggles.into_iter().enumerate() {
            let mut expected = shown(&state);
            expected[place] ^= true;
            state.execute(toggle);
            assert_eq!(shown(&state), expected, "{toggle:?}");
        }
    }

    #[test]
    fn messages_are_there_until_dismissed() {
        let mut state = nothing_open();
        let message = |title: &str| Message {
            is_error: false,
            is_open: false,
            title: title.to_owned(),
            lines: Vec::new(),
        };
        state.execute(Ask::Tell(message("one")));
        state.execute(Ask::Tell(message("two")));
        state.execute(Ask::Dismiss(2));
        assert_eq!(state.told.messages.len(), 2, "there is no third");
        state.execute(Ask::Dismiss(0));
        assert_eq!(state.told.messages, [message("two")]);
    }

    #[test]
    fn a_search_finds_marks_and_takes() {
        let mut state = tiny();
        state.execute(SearchAsk::Open);
        assert!(state.search.is_open && state.search.cue.focus);
        state.execute(SearchAsk::Query("w".into()));
        assert!(state.found().len() > 1, "{:?}", state.search);
        let last = state.found().len() - 1;
        state.execute(SearchAsk::Move(-1));
        assert_eq!(state.search.marked, 0, "not before the first");
        state.execute(SearchAsk::Move(100));
        assert_eq!(state.search.marked, last, "not past the last");
        let marked = state.found()[last];
        state.execute(SearchAsk::Take(None));
        assert!(!state.search.is_open);
        assert_eq!(state.search.query, "w", "it stays for the next time");
        assert_eq!(open(&state).selection.chosen.module, Some(marked));
        assert!(state.is_moving(), "the camera flies there");
        state.execute(SearchAsk::Query("nothing has this name".into()));
        state.execute(SearchAsk::Take(Some(0)));
        assert_eq!(open(&state).selection.chosen.module, Some(marked));
    }

    #[test]
    fn views_open_where_they_have_something_to_show() {
        let mut state = tiny();
        state.execute(PaneAsk::Toggle(RUNS));
        assert!(!state.panes.is_visible(RUNS), "one run is open");
        state.execute(PaneAsk::Toggle(STACKS));
        assert!(state.panes.is_visible(STACKS));
        state.execute(PaneAsk::Toggle(STACKS));
        assert!(!state.panes.is_visible(STACKS));
        // What is open can be closed whatever it needs.
        state.panes.open(RUNS);
        state.execute(PaneAsk::Toggle(RUNS));
        assert!(!state.panes.is_visible(RUNS));
        let mut state = two_runs();
        state.execute(PaneAsk::Toggle(RUNS));
        assert!(state.panes.is_visible(RUNS));
    }

    #[test]
    fn the_view_under_the_pointer_is_shown_alone() {
        let mut state = tiny();
        state.execute(PaneAsk::Toggle(STACKS));
        state.execute(PaneAsk::Maximise(None));
        assert_eq!(state.panes.maximised, Some(CITY), "the first one");
        state.execute(PaneAsk::Maximise(None));
        assert_eq!(state.panes.maximised, None);
        state.panes.under_pointer = Some((STACKS, Vec2::ZERO));
        state.execute(PaneAsk::Maximise(None));
        assert_eq!(state.panes.maximised, Some(STACKS));
        state.execute(PaneAsk::Reset);
        assert_eq!(state.panes.open_views(), [CITY]);
    }

    #[test]
    fn counting_that_was_stopped_is_not_begun_again() {
        let mut state = tiny();
        state.work.is_asked = true;
        state.update_work();
        assert!(state.work.counting.is_some());
        state.execute(CancelAsk::Counting);
        state.update_work();
        assert!(state.work.counting.is_none() && state.work.counting_is_stopped);
        // Another range is another question.
        state.execute(SelectAsk::SetRange(Some(range(10, 50))));
        state.update_work();
        assert!(state.work.counting.is_some());
    }
}

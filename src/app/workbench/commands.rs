//! What each ask does.

use super::super::ask::{
    Ask, CancelAsk, CardAsk, FileAsk, LookAsk, PaneAsk, PictureAsk, SearchAsk,
};
use super::super::dock::Dock;
use super::super::document::dropped;
use super::super::revision::Jobs;
use super::super::saved::is_session_file;
use super::{Message, Search, Workbench};
use crate::facts::pack;
use crate::filter::selection::Pointed;
use crate::model::landscape::LandscapeSettings;
use crate::model::search::search;
use crate::model::theme::Theme;
use crate::units::ModuleId;
use crate::views::table::ViewId;

/// Search shows no more results than one reads.
const MAX_RESULTS: usize = 50;

impl Workbench {
    /// Carries out what was asked for.
    pub fn execute(&mut self, ask: impl Into<Ask>) {
        match ask.into() {
            Ask::File(ask) => self.on_file(ask),
            Ask::Play(ask) => self.control_playback(ask),
            Ask::Camera(ask) => self.look(ask),
            Ask::Select(ask) => self.on_select(ask),
            Ask::Filter(ask) => self.on_filter(ask),
            Ask::Cut(ask) => self.change_cut(ask),
            Ask::Look(ask) => self.on_look(ask),
            Ask::Runs(ask) => self.arrange_runs(ask),
            Ask::Search(ask) => self.on_search(ask),
            Ask::Mapping(ask) => self.edit_mapping(ask),
            Ask::Card(ask) => self.on_card(ask),
            Ask::Pane(ask) => self.on_pane(ask),
            Ask::Table(ask) => self.on_table(ask),
            Ask::Sheet(ask) => self.on_sheet(ask),
            Ask::Cancel(ask) => self.cancel(ask),
            Ask::Picture(ask) => self.on_picture(ask),
            Ask::Talk(ask) => self.on_talk(ask),
            Ask::Bookmarks(ask) => self.on_bookmarks(ask),
            Ask::Script(ask) => self.on_script(ask),
            Ask::Live(ask) => self.on_live(ask),
            Ask::Escape => self.escape(),
        }
    }

    fn on_file(&mut self, ask: FileAsk) {
        match ask {
            FileAsk::Open(paths) => {
                if let Some(path) = paths.iter().find(|path| is_session_file(path)) {
                    return self.open_session(path.clone());
                }
                if let Some(path) = paths.iter().find(|path| pack::is_pack(path)) {
                    return self.open_pack(path.clone());
                }
                let open = self.document.as_ref().map(|document| &document.inputs);
                self.open(dropped(open, &paths));
            }
            FileAsk::SaveSession => {
                let (is_error, title, line) = match self.save_session() {
                    Ok(path) => (false, "The session is saved", path.display().to_string()),
                    Err(error) => (true, "The session could not be saved", format!("{error:#}")),
                };
                self.messages.push(Message {
                    is_error,
                    is_open: true,
                    title: title.to_owned(),
                    lines: vec![line],
                });
            }
            FileAsk::CancelLoading => {
                if let Some(loading) = &self.loading {
                    loading.progress.cancel();
                }
            }
            FileAsk::Share => self.share(),
            FileAsk::ShowValue(name) => self.show_value(name),
        }
    }

    fn on_look(&mut self, ask: LookAsk) {
        match ask {
            LookAsk::Configure(settings) => self.configure(settings),
            LookAsk::SwitchTheme => self.configure(LandscapeSettings {
                theme: match self.settings.theme {
                    Theme::Light => Theme::Dark,
                    Theme::Dark => Theme::Light,
                },
                ..self.settings
            }),
            LookAsk::Highlight(highlight) => self.highlight(highlight),
            LookAsk::SetQuality(quality) => self.quality = Some(quality),
            LookAsk::ScaleText(by) => self.scale_text(by),
        }
    }

    fn on_search(&mut self, ask: SearchAsk) {
        match ask {
            SearchAsk::Query(query) => self.search_for(query),
            SearchAsk::Open => {
                self.search.is_open = true;
                self.search.wants_focus = true;
            }
            SearchAsk::Move(by) => {
                let last = self.search.results.len().saturating_sub(1);
                let marked = self.search.marked.saturating_add_signed(by as isize);
                self.search.marked = marked.min(last);
                self.search.mark_moved = true;
            }
            SearchAsk::Take(index) => {
                let index = index.unwrap_or(self.search.marked);
                if let Some(&module) = self.search.results.get(index) {
                    self.close_search();
                    self.choose(Pointed::at_module(Some(module)));
                    self.fly_there(module);
                }
            }
        }
    }

    fn on_card(&mut self, ask: CardAsk) {
        match ask {
            CardAsk::ToggleHelp => self.shown.help ^= true,
            CardAsk::ToggleSettings => self.shown.settings ^= true,
            CardAsk::ToggleLegend => self.shown.legend ^= true,
            CardAsk::ToggleStacks => self.shown.stacks ^= true,
            CardAsk::ToggleTimings => self.shown.timings ^= true,
            CardAsk::ToggleMinimap => self.shown.minimap ^= true,
            CardAsk::DismissMessage(index) => {
                if index < self.messages.len() {
                    self.messages.remove(index);
                }
            }
        }
    }

    fn on_pane(&mut self, ask: PaneAsk) {
        match ask {
            PaneAsk::Toggle(view) => self.toggle_view(view),
            PaneAsk::Maximise(view) => {
                let view = view.or(self.dock.maximised()).or(self.view_pointed_at);
                self.dock.maximise(view.unwrap_or(ViewId::Landscape));
            }
            PaneAsk::Reset => self.dock = Dock::default(),
        }
    }

    fn cancel(&mut self, ask: CancelAsk) {
        match ask {
            CancelAsk::Counting => {
                self.work.counting = None;
                self.work.counting_is_stopped = true;
            }
            CancelAsk::Listing => self.work.listing = None,
            CancelAsk::Everything => {
                self.jobs = Jobs::default();
                self.work.exporting = None;
            }
        }
    }

    fn on_picture(&mut self, ask: PictureAsk) {
        match ask {
            PictureAsk::Toggle => self.toggle_picture(),
            PictureAsk::Edit(wish) => self.picture.wish = wish,
            PictureAsk::Save => self.save_picture(),
            PictureAsk::Copy => self.wants_copy = self.document.is_some(),
        }
    }

    pub(super) fn toggle_view(&mut self, view: ViewId) {
        let can_show = self.document.as_ref().is_none_or(|it| it.can_show(view));
        if can_show || self.dock.is_visible(view) {
            self.dock.toggle(view);
        }
    }

    pub(super) fn search_for(&mut self, query: String) {
        self.search.results = match &self.document {
            Some(open) => {
                let (hierarchy, metrics) = (&open.session.hierarchy, open.landscape.metrics());
                let is_known = open.calls_of(ModuleId::ROOT).is_some();
                // What ran is looked for first.
                let ran = |module| !is_known || metrics.calls(hierarchy, module) > 0;
                search(hierarchy, &query, MAX_RESULTS, ran)
            }
            None => Vec::new(),
        };
        self.names_are_new = true;
        self.search.query = query;
        self.search.marked = 0;
        self.search.is_open = true;
    }

    /// Closes the list of results; the query stays for the next time.
    pub fn close_search(&mut self) {
        self.names_are_new |= self.search.is_open;
        self.search.is_open = false;
    }

    pub(super) fn escape(&mut self) {
        let selection = self.document.as_ref().map(|open| &open.selection);
        let is_selected = selection.is_some_and(|it| it.chosen != Pointed::default());
        let is_limited = selection.is_some_and(|it| it.range.is_some());
        if let Some(loading) = &self.loading {
            loading.progress.cancel();
        } else if self.shown.help {
            self.shown.help = false;
        } else if self.search.is_open {
            self.search = Search::default();
            self.names_are_new = true;
        } else if self.shown.settings {
            self.shown.settings = false;
        } else if self.picture.is_open {
            self.picture.is_open = false;
        } else if self.mapping.is_open {
            self.mapping.is_open = false;
        } else if self.talk.is_open {
            self.talk.is_open = false;
        } else if self.camera.destination().is_some() {
            self.camera.stop();
        } else if let Some(view) = self.dock.maximised() {
            self.dock.maximise(view);
        } else if is_selected {
            self.choose(Pointed::default());
        } else if self.settings.highlight.is_some() {
            self.highlight(None);
        } else if is_limited {
            self.set_range(None);
        } else {
            self.messages.clear();
        }
    }
}

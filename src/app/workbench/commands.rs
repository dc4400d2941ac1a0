//! What each command does.

use super::super::command::Command;
use super::super::dock::Dock;
use super::super::document::{Document, dropped};
use super::super::history::{History, Place};
use super::super::revision::Jobs;
use super::super::saved::is_session_file;
use super::super::sheets::SheetAction;
use super::{Destination, Message, Search, Workbench};
use crate::facts::pack;
use crate::filter::filters::Filters;
use crate::filter::selection::Pointed;
use crate::model::landscape::LandscapeSettings;
use crate::model::search::search;
use crate::model::theme::Theme;
use crate::units::ModuleId;
use crate::views::table::ViewId;

/// Search shows no more results than one reads.
const MAX_RESULTS: usize = 50;

impl Workbench {
    pub fn execute(&mut self, command: Command) {
        match command {
            Command::Open(paths) => {
                if let Some(path) = paths.iter().find(|path| is_session_file(path)) {
                    return self.open_session(path.clone());
                }
                if let Some(path) = paths.iter().find(|path| pack::is_pack(path)) {
                    return self.open_pack(path.clone());
                }
                let open = self.document.as_ref().map(|document| &document.inputs);
                self.open(dropped(open, &paths));
            }
            Command::SaveSession => {
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
            Command::CancelLoading => {
                if let Some(loading) = &self.loading {
                    loading.progress.cancel();
                }
            }
            Command::DismissMessage(index) => {
                if index < self.messages.len() {
                    self.messages.remove(index);
                }
            }
            Command::ToggleView(view) => self.toggle_view(view),
            Command::Maximise(view) => {
                let view = view.or(self.dock.maximised()).or(self.view_pointed_at);
                self.dock.maximise(view.unwrap_or(ViewId::Landscape));
            }
            Command::ResetViews => self.dock = Dock::default(),
            Command::Sheet(view, action) => self.act_on_sheet(view, action),
            Command::SheetUnderPointer(key) => self.press_on_sheet(key),
            Command::SetRows(choice) => self.set_rows(choice),
            Command::NextRows => {
                if let Some(document) = &self.document {
                    self.set_rows(document.rows.next());
                }
            }
            Command::GoToCall(walk) => self.go_to_call(walk),
            Command::Choose(pointed) => self.choose(pointed),
            Command::Select(module) => self.choose(Pointed::at_module(module)),
            Command::SetRange(range) => self.set_range(range),
            Command::DragRange(range) => {
                if self.before_drag.is_none() {
                    let open = self.document.as_ref();
                    self.before_drag = open.map(|open| Place::of(&open.selection));
                }
                self.limit(Some(range));
            }
            Command::EndRangeDrag => {
                if let Some(place) = self.before_drag.take() {
                    self.history.leave(place);
                    self.update_rows();
                }
            }
            Command::StartRangeHere | Command::EndRangeHere => self.move_range(&command),
            Command::Back => self.go(History::back),
            Command::Forward => self.go(History::forward),
            Command::SearchFunctions(query) => {
                if let Some((table, session)) = self.document.as_mut().and_then(Document::table) {
                    table.search(session, query);
                    self.row_to_show = Some(0);
                }
            }
            Command::ChooseListed(pointed) => {
                let list_of = self.list_of;
                self.choose(pointed);
                self.list_of = list_of;
                if let Some(call) = pointed.call {
                    self.act_on_sheet(ViewId::Flame, SheetAction::Reveal(call));
                }
            }
            Command::SortCalls(column) => self.sort_calls(column),
            Command::ExportCalls => self.export_calls(),
            Command::CancelCounting => {
                self.work.counting = None;
                self.work.counting_is_stopped = true;
            }
            Command::CancelListing => self.work.listing = None,
            Command::Filter(step) => self.filter(|filters| filters.add(step)),
            Command::RemoveModule | Command::RemoveBelow | Command::HideThread => {
                self.leave_out(&command);
            }
            Command::RemoveFilter(index) => self.filter(|filters| filters.remove(index)),
            Command::UndoFilter => self.filter(Filters::undo),
            Command::RedoFilter => self.filter(Filters::redo),
            Command::SortFunctions(column) => {
                if let Some((table, session)) = self.document.as_mut().and_then(Document::table) {
                    table.sort_by(session, column);
                    self.row_to_show = Some(0);
                }
            }
            Command::SortNeighbours(order) => self.sort_neighbours(order),
            Command::Table(view, key) => self.press_on_table(view, key),
            Command::FlyTo(module) => self.fly_there(module),
            Command::FlyToSelection => {
                let selection = self.document.as_ref().map(|open| &open.selection);
                if let Some(module) =
                    selection.and_then(|it| it.chosen.module.or(it.pointed.module))
                {
                    self.fly_there(module);
                }
            }
            Command::Bookmarks(ask) => self.on_bookmarks(ask),
            Command::Script(ask) => self.on_script(ask),
            Command::Live(ask) => self.on_live(ask),
            Command::ShowScript(is_shown) => self.talk.shows_script = is_shown,
            Command::ToggleTalk
            | Command::NameTalkFile(_)
            | Command::ExportBookmarks
            | Command::ImportBookmarks => self.on_talk(command),
            Command::Share => self.share(),
            Command::ScaleText(by) => self.scale_text(by),
            Command::FlyHome if self.sheet_pointed_at().is_some() => {
                if let Some(view) = self.sheet_pointed_at() {
                    self.act_on_sheet(view, SheetAction::ShowAll);
                }
            }
            Command::FlyHome => self.fly(Destination::Home),
            Command::LookFrom(_) | Command::LookAt(..) | Command::PastView | Command::NextView => {
                self.look(command)
            }
            Command::TogglePicture => self.toggle_picture(),
            Command::EditPicture(wish) => self.picture.wish = wish,
            Command::SavePicture => self.save_picture(),
            Command::CopyPicture => self.wants_copy = self.document.is_some(),
            Command::Highlight(highlight) => self.highlight(highlight),
            Command::ToggleMinimap => self.shown.minimap ^= true,
            Command::OrbitOrFly => self.camera.toggle_mode(),
            Command::CollapseOrExpand(module) => self.collapse_or_expand(module),
            Command::ExpandWhole(_)
            | Command::ExpandAll
            | Command::ChangeLevel(_)
            | Command::SetLevel(_)
            | Command::ToggleDetailBySize => self.change_cut(&command),
            Command::ToggleMapping
            | Command::EditMapping(_)
            | Command::NameMapping(_)
            | Command::SaveMapping
            | Command::UseNoMapping => self.edit_mapping(command),
            Command::CancelJobs => {
                self.jobs = Jobs::default();
                self.work.exporting = None;
            }
            Command::Search(query) => self.search_for(query),
            Command::OpenSearch => {
                self.search.is_open = true;
                self.search.wants_focus = true;
            }
            Command::MoveInResults(by) => {
                let last = self.search.results.len().saturating_sub(1);
                let marked = self.search.marked.saturating_add_signed(by as isize);
                self.search.marked = marked.min(last);
                self.search.mark_moved = true;
            }
            Command::TakeResult(index) => {
                let index = index.unwrap_or(self.search.marked);
                if let Some(&module) = self.search.results.get(index) {
                    self.close_search();
                    self.choose(Pointed::at_module(Some(module)));
                    self.fly_there(module);
                }
            }
            Command::Configure(settings) => self.configure(settings),
            Command::SwitchTheme => self.configure(LandscapeSettings {
                theme: match self.settings.theme {
                    Theme::Light => Theme::Dark,
                    Theme::Dark => Theme::Light,
                },
                ..self.settings
            }),
            Command::ShowValue(name) => self.show_value(name),
            Command::Flip => self.flip(),
            Command::Together(_)
            | Command::SwapRuns
            | Command::CompareBy(..)
            | Command::Normalise(_)
            | Command::ListDifferences(_)
            | Command::MarkPair(_)
            | Command::CorrectPairs(_)
            | Command::DrawAlong(_)
            | Command::LinkClocks(_)
            | Command::MoveDivider(_)
            | Command::ToggleOnlyDifferences => self.arrange_pair(command),
            Command::ToggleFollowing => self.following.toggle(),
            Command::ToggleHelp => self.shown.help ^= true,
            Command::ToggleSettings => self.shown.settings ^= true,
            Command::ToggleLegend => self.shown.legend ^= true,
            Command::ToggleStacks => self.shown.stacks ^= true,
            Command::SetQuality(quality) => self.quality = Some(quality),
            Command::ToggleTimings => self.shown.timings ^= true,
            Command::Escape => self.escape(),
            Command::PlayOrPause
            | Command::PlayBackward
            | Command::StepCall(..)
            | Command::ToCel(_)
            | Command::SetStride(_)
            | Command::ToggleSummary
            | Command::ToggleSkipIdle
            | Command::Step(_)
            | Command::Seek(_)
            | Command::ToStart
            | Command::ToEnd
            | Command::SetSpeed(_)
            | Command::ScaleSpeed(_)
            | Command::SetClock(_)
            | Command::SetStep(_)
            | Command::ToggleLoop => self.control_playback(command),
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

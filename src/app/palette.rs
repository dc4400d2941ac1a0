//! The palette: every action, view and module by what one types of its name. And the menu of what is pointed at.

use egui::Pos2;

use super::command::{Command, PaletteAsk};
use super::keys::{Listed, listed};
use crate::filter::selection::Pointed;
use crate::model::search::search;
use crate::state::State;
use crate::state::action::On;
use crate::state::ask::{CameraAsk, PlayAsk, SelectAsk};
use crate::units::ModuleId;

/// How many actions, and how many modules, are listed.
const MOST_ACTIONS: usize = 60;
const MOST_MODULES: usize = 30;
/// How many of those used last are remembered.
const MOST_RECENT: usize = 12;

/// A row of the palette.
#[derive(Clone, Copy)]
pub enum Row {
    Action(Listed),
    Module(ModuleId),
}

/// The menu of what is pointed at.
#[derive(Clone, Debug)]
pub struct Menu {
    /// Its corner, in points; none for the middle of the window.
    pub at: Option<Pos2>,
    pub of: Pointed,
    pub marked: Option<usize>,
}

/// The palette as it is shown.
#[derive(Clone, Default)]
pub struct Palette {
    pub is_open: bool,
    pub query: String,
    pub rows: Vec<Row>,
    pub marked: usize,
    /// The marked row is to be brought into sight.
    pub mark_moved: bool,
    /// Its field is to have the keyboard.
    pub wants_focus: bool,
    /// The ids of actions used last, the latest first.
    recent: Vec<&'static str>,
    pub menu: Option<Menu>,
}

/// How well a title fits what is looked for; the least is the best.
fn fit(title: &str, about: &str, words: &[String]) -> Option<u32> {
    let title = title.to_lowercase();
    let mut sum = 0;
    for word in words {
        let starts = |text: &str| {
            let mut parts = text.split(|c: char| !c.is_alphanumeric());
            parts.any(|part| part.starts_with(word.as_str()))
        };
        sum += match () {
            () if title.starts_with(word.as_str()) => 0,
            () if starts(&title) => 1,
            () if title.contains(word.as_str()) => 2,
            () if starts(&about.to_lowercase()) => 4,
            () if in_order(&title, word) => 8,
            () => return None,
        };
    }
    Some(sum)
}

/// Whether the letters of `word` stand in `text` in order, with others between.
fn in_order(text: &str, word: &str) -> bool {
    let mut rest = text.chars();
    word.chars().all(|letter| rest.any(|it| it == letter))
}

impl Palette {
    /// Finds the rows for what is looked for: what can be done now before what cannot, and what was used last first.
    fn find(&mut self, state: &State) {
        let words = self.query.to_lowercase();
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        let mut found: Vec<(bool, u32, usize, Listed)> = Vec::new();
        for action in listed().filter(|it| it.id != "palette.open") {
            let Some(fit) = fit(action.title, action.about, &words) else {
                continue;
            };
            let recent = self.recent.iter().position(|id| *id == action.id);
            let cannot = action.command(state).is_none();
            found.push((cannot, fit, recent.unwrap_or(MOST_RECENT), action));
        }
        // In the order of the help where all else is equal.
        found.sort_by_key(|&(cannot, fit, recent, _)| (cannot, fit, recent));
        found.truncate(MOST_ACTIONS);
        let can = found.iter().take_while(|it| !it.0).count();
        let actions = found.into_iter().map(|it| Row::Action(it.3));
        self.rows = actions.collect();
        if let Some(open) = state.document.as_ref().filter(|_| !words.is_empty()) {
            let (hierarchy, metrics) = (&open.session.hierarchy, open.city.metrics());
            let is_known = open.calls_of(ModuleId::ROOT).is_some();
            let ran = |module| !is_known || metrics.calls(hierarchy, module) > 0;
            let modules = search(hierarchy, &self.query, MOST_MODULES, ran);
            self.rows
                .splice(can..can, modules.into_iter().map(Row::Module));
        }
        self.marked = 0;
    }

    /// Carries out what is asked, and gives back what the user chose to have done.
    pub fn on(&mut self, ask: PaletteAsk, state: &mut State) -> Vec<Command> {
        match ask {
            PaletteAsk::Toggle => {
                self.is_open ^= true;
                self.wants_focus = self.is_open;
                self.menu = None;
                self.query.clear();
                self.find(state);
            }
            PaletteAsk::Query(query) => {
                self.query = query;
                self.find(state);
            }
            PaletteAsk::Move(by) => self.move_mark(by, state),
            PaletteAsk::Take(row) => return self.take(row, state),
            PaletteAsk::Menu(at) => {
                let selection = state.document.as_ref().map(|it| &it.selection);
                let of = selection.map(|it| match it.pointed == Pointed::default() {
                    true => it.chosen,
                    false => it.pointed,
                });
                let of = of.unwrap_or_default();
                // A call relation that is chosen opens the list of its calls.
                if of.relation.is_none() && (of.module.is_some() || of.call.is_some()) {
                    state.execute(SelectAsk::Choose(of));
                }
                self.is_open = false;
                self.menu = Some(Menu {
                    at,
                    of,
                    marked: None,
                });
            }
            PaletteAsk::CloseMenu => self.menu = None,
        }
        Vec::new()
    }

    fn move_mark(&mut self, by: i32, state: &State) {
        if let Some(menu) = &self.menu {
            let last = menu.entries(state).len().saturating_sub(1);
            let marked = match menu.marked {
                Some(marked) => marked.saturating_add_signed(by as isize).min(last),
                None if by < 0 => last,
                None => 0,
            };
            self.menu = Some(Menu {
                marked: Some(marked),
                ..menu.clone()
            });
            return;
        }
        let last = self.rows.len().saturating_sub(1);
        self.marked = self.marked.saturating_add_signed(by as isize).min(last);
        self.mark_moved = true;
    }

    fn take(&mut self, row: Option<usize>, state: &State) -> Vec<Command> {
        if let Some(menu) = self.menu.take() {
            let number = row.or(menu.marked);
            let entry = number.and_then(|it| menu.entries(state).into_iter().nth(it));
            return entry.and_then(|it| it.command).into_iter().collect();
        }
        let number = row.unwrap_or(self.marked);
        match self.rows.get(number) {
            Some(&Row::Action(action)) => {
                let Some(command) = action.command(state) else {
                    return Vec::new();
                };
                self.recent.retain(|id| *id != action.id);
                self.recent.insert(0, action.id);
                self.recent.truncate(MOST_RECENT);
                self.is_open = false;
                vec![command]
            }
            Some(&Row::Module(module)) => {
                self.is_open = false;
                let chosen = SelectAsk::Select(Some(module)).into();
                vec![chosen, CameraAsk::FlyTo(module).into()]
            }
            None => Vec::new(),
        }
    }
}

/// An entry of a menu.
#[derive(Clone, Debug)]
pub struct Entry {
    pub title: String,
    pub keys: String,
    pub about: &'static str,
    /// None where it cannot be done now.
    pub command: Option<Command>,
}

impl Menu {
    /// What can be done with what it is of, the most usual first.
    pub fn entries(&self, state: &State) -> Vec<Entry> {
        let of = self.of;
        let own = |title: &str, about, command: Command| Entry {
            title: title.to_owned(),
            keys: String::new(),
            about,
            command: Some(command),
        };
        let mut entries = Vec::new();
        if let Some((caller, callee)) = of.relation {
            entries.push(own(
                "List its calls",
                "Chooses the call relation, and lists the calls behind it.",
                SelectAsk::Choose(of).into(),
            ));
            entries.push(own(
                "Go to the caller",
                "Chooses the module that calls.",
                SelectAsk::Select(Some(caller)).into(),
            ));
            entries.push(own(
                "Go to the callee",
                "Chooses the module that is called.",
                SelectAsk::Select(Some(callee)).into(),
            ));
            return entries;
        }
        if let Some(time) = of.time.filter(|_| of.module.is_none()) {
            entries.push(own(
                "Go to this time",
                "Moves the clock to the time that is pointed at.",
                PlayAsk::Seek(time).into(),
            ));
        }
        let kinds = [
            (On::Module, of.module.is_some() || of.function.is_some()),
            (On::Call, of.call.is_some()),
            (On::Thread, of.thread.is_some() && of.call.is_none()),
            (On::Time, of.time.is_some()),
        ];
        let mut kinds: Vec<On> = kinds.iter().filter(|it| it.1).map(|it| it.0).collect();
        if kinds.is_empty() {
            kinds.push(On::View);
        }
        let fits = |action: &Listed| action.on().iter().any(|on| kinds.contains(on));
        let actions = listed().filter(fits).map(|action| Entry {
            title: action.title.to_owned(),
            keys: action.keys(),
            about: action.about,
            command: action.command(state),
        });
        entries.extend(actions);
        // What cannot be done stands in the palette; a menu is short.
        entries.retain(|entry| entry.command.is_some());
        entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn titles(palette: &Palette) -> Vec<&'static str> {
        let titles = palette.rows.iter().filter_map(|row| match row {
            Row::Action(action) => Some(action.title),
            Row::Module(_) => None,
        });
        titles.collect()
    }

    #[test]
    fn words_fit_starts_before_parts_before_letters_in_order() {
        let words = |text: &str| -> Vec<String> { text.split(' ').map(str::to_owned).collect() };
        let fit = |title, query| fit(title, "Draws it.", &words(query));
        assert_eq!(fit("Light or dark", "light"), Some(0));
        assert_eq!(fit("Light or dark", "dark"), Some(1));
        assert_eq!(fit("Light or dark", "ark"), Some(2));
        assert_eq!(fit("Light or dark", "draws"), Some(4));
        assert_eq!(fit("Light or dark", "ltdk"), Some(8));
        assert_eq!(fit("Light or dark", "dark x"), None);
        assert_eq!(fit("Light or dark", "dark light"), Some(1));
    }

    #[test]
    fn what_was_used_last_comes_first_and_what_cannot_be_done_last() {
        let mut state = crate::app::desk::Desk::unattended().state;
        let mut palette = Palette::default();
        palette.on(PaletteAsk::Toggle, &mut state);
        let first = titles(&palette);
        assert!(first.len() > 10);
        palette.on(PaletteAsk::Query("dark".to_owned()), &mut state);
        assert_eq!(titles(&palette).first(), Some(&"Light or dark"));
        let done = palette.on(PaletteAsk::Take(None), &mut state);
        assert_eq!(done.len(), 1);
        assert!(!palette.is_open);
        palette.on(PaletteAsk::Toggle, &mut state);
        assert_eq!(titles(&palette).first(), Some(&"Light or dark"));
        // Nothing is open, so nothing can be played.
        palette.on(PaletteAsk::Query("play or pause".to_owned()), &mut state);
        assert!(titles(&palette).contains(&"Play or pause"));
        assert!(palette.on(PaletteAsk::Take(None), &mut state).is_empty());
    }
}

//! The palette: every action, view and module by what one types of its name. And the menu of what is pointed at.
//!
//! What was used last comes first, also after another start: it is kept in a file of the user's configuration directory.

use std::io;
use std::path::PathBuf;

use egui::Pos2;
use serde::{Deserialize, Serialize};

use super::command::{Command, PaletteAsk};
use super::keys::{Listed, listed};
use super::versioned;
use callscape_base::units::ModuleId;
use callscape_filter::selection::Pointed;
use callscape_state::action::On;
use callscape_state::ask::{CameraAsk, PlayAsk, SelectAsk};
use callscape_state::document::Document;
use callscape_state::made::Made;
use callscape_state::panes::Kind;
use callscape_state::{Cue, State};

/// How many actions, and how many modules, are listed.
const MOST_ACTIONS: usize = 60;
const MOST_MODULES: usize = 30;
/// How many of those used last are remembered.
const MOST_RECENT: usize = 12;

/// The actions in menus that are used most, in order.
const MOST_USED: [&str; 6] = [
    "camera.fly-to-selection",
    "show.code",
    "edit.chosen",
    "show.neighbours",
    "call.next",
    "cut.toggle",
];

/// A row of the palette.
#[derive(Clone, Copy)]
pub enum Row {
    Action(Listed),
    Module(Made<ModuleId>),
}

/// The menu of what is pointed at.
#[derive(Clone, Debug)]
pub struct Menu {
    /// Its corner, in points; none for the middle of the window.
    pub at: Option<Pos2>,
    of: Option<Made<Pointed>>,
    /// What that is, as far as its view says.
    on: &'static [On],
    pub marked: Option<usize>,
}

/// The palette as it is shown.
#[derive(Clone, Default)]
pub struct Palette {
    pub is_open: bool,
    pub query: String,
    pub rows: Vec<Row>,
    pub marked: usize,
    pub cue: Cue,
    /// The ids of actions used last, the latest first.
    recent: Vec<&'static str>,
    /// Where they are kept; none where the user has no configuration directory, or the file cannot be read.
    path: Option<PathBuf>,
    pub menu: Option<Menu>,
}

#[derive(Serialize, Deserialize)]
struct Contents {
    recent: Vec<String>,
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
    /// Reads what was used last, and says what could not be read.
    pub fn recall() -> (Palette, Option<String>) {
        let dir = dirs::config_dir();
        Palette::at(dir.map(|dir| dir.join("callscape").join("palette.json")))
    }

    fn at(path: Option<PathBuf>) -> (Palette, Option<String>) {
        match path.as_deref().map(versioned::read).transpose() {
            Ok(found) => {
                let found: Option<Contents> = found.flatten();
                let ids = found.map_or_else(Vec::new, |it| it.recent);
                // Actions of another version may be gone.
                let known = |id: &String| listed().find(|it| it.id == id).map(|it| it.id);
                let recent = ids.iter().take(MOST_RECENT).filter_map(known).collect();
                let palette = Palette {
                    recent,
                    path,
                    ..Palette::default()
                };
                (palette, None)
            }
            // What cannot be read is not written over either.
            Err(reason) => (Palette::default(), Some(reason)),
        }
    }

    /// Notes that an action was used.
    fn used(&mut self, id: &'static str) -> io::Result<()> {
        self.recent.retain(|it| *it != id);
        self.recent.insert(0, id);
        self.recent.truncate(MOST_RECENT);
        let recent = self.recent.iter().map(|&id| id.to_owned()).collect();
        match &self.path {
            Some(path) => versioned::write(path, &Contents { recent }),
            None => Ok(()),
        }
    }

    /// Finds the rows for what is looked for: what can be done now before what cannot, and what was used last first.
    fn find(&mut self, state: &State) {
        let words = self.query.to_lowercase();
        let words: Vec<String> = words.split_whitespace().map(str::to_owned).collect();
        let mut found: Vec<((bool, u32, usize, bool), Listed)> = Vec::new();
        for action in listed().filter(|it| it.id != "palette.open") {
            let Some(fit) = fit(action.title, action.about, &words) else {
                continue;
            };
            let recent = self.recent.iter().position(|id| *id == action.id);
            let cannot = action.command(state).is_none();
            let recent = recent.unwrap_or(MOST_RECENT);
            found.push(((cannot, fit, recent, action.is_of_view()), action));
        }
        // Then in the order of the help, what single views do last.
        found.sort_by_key(|it| it.0);
        found.truncate(MOST_ACTIONS);
        let can = found.iter().take_while(|it| !it.0.0).count();
        let actions = found.into_iter().map(|it| Row::Action(it.1));
        self.rows = actions.collect();
        if let Some(open) = state.document.as_ref().filter(|_| !words.is_empty()) {
            let (hierarchy, metrics) = (&open.session.hierarchy, open.city.metrics());
            let is_known = open.calls_of(ModuleId::ROOT).is_some();
            let ran = |module| !is_known || metrics.calls(hierarchy, module) > 0;
            let names = open.names();
            let modules = names.search(hierarchy, &self.query, MOST_MODULES, ran);
            let modules = modules.into_iter();
            let modules = modules.map(|it| Row::Module(Made::new(open.generation(), it)));
            self.rows.splice(can..can, modules);
        }
        self.marked = 0;
    }

    /// Carries out what is asked, and gives back what the user chose to have done.
    pub fn on(&mut self, ask: PaletteAsk, state: &mut State) -> Vec<Command> {
        match ask {
            PaletteAsk::Toggle => {
                self.is_open ^= true;
                self.cue.focus = self.is_open;
                self.menu = None;
                self.query.clear();
                if let Some(open) = state.document.as_ref().filter(|_| self.is_open) {
                    open.prepare_names();
                }
                self.find(state);
            }
            PaletteAsk::Query(query) => {
                self.query = query;
                self.find(state);
            }
            PaletteAsk::Move(by) => self.move_mark(by, state),
            PaletteAsk::Take(row) => return self.take(row, state),
            PaletteAsk::Menu(at, on) => {
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
                let document = state.document.as_ref();
                self.menu = Some(Menu {
                    at,
                    of: document.map(|it| Made::new(it.generation(), of)),
                    on,
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
        self.cue.reveal = true;
    }

    fn take(&mut self, row: Option<usize>, state: &mut State) -> Vec<Command> {
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
                if let Err(error) = self.used(action.id) {
                    // Told once: it is not tried again.
                    self.path = None;
                    let reason = error.to_string();
                    state.tell("The most recently used actions cannot be saved", reason);
                }
                self.is_open = false;
                vec![command]
            }
            Some(&Row::Module(module)) => {
                self.is_open = false;
                let document = state.document.as_ref();
                let Some(module) = document.and_then(|it| module.into(it.generation())) else {
                    return Vec::new();
                };
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
    /// What it is of; nothing once another document is shown.
    pub fn of(&self, state: &State) -> Pointed {
        let shown = state.document.as_ref().map(Document::generation);
        let of = self.of.zip(shown).and_then(|(of, shown)| of.into(shown));
        of.unwrap_or_default()
    }

    /// What it is of, the most particular first.
    fn kinds(&self, state: &State) -> Vec<On> {
        let of = self.of(state);
        let is_something = of != Pointed::default();
        let over = |kind| is_something && state.panes.under_pointer(kind).is_some();
        let range = state.document.as_ref().and_then(|it| it.selection.range);
        let is_in_range = of.time.zip(range).is_some_and(|(time, range)| {
            // A row has a time of its own, wherever it is pointed at.
            range.start <= time && time < range.end && !over(Kind::Table)
        });
        let kinds = [
            (On::Context, over(Kind::Chart)),
            (On::Row, over(Kind::Table)),
            (On::Module, of.module.is_some() || of.function.is_some()),
            (On::Call, of.call.is_some()),
            (On::Thread, of.thread.is_some() && of.call.is_none()),
            (On::Range, is_in_range),
            (On::Time, of.time.is_some()),
        ];
        let of_view = self.on.iter().copied();
        let mut kinds: Vec<On> = of_view
            .chain(kinds.iter().filter(|it| it.1).map(|it| it.0))
            .collect();
        if kinds.is_empty() {
            kinds.push(On::View);
        }
        kinds
    }

    /// What can be done with what it is of, the most usual first.
    pub fn entries(&self, state: &State) -> Vec<Entry> {
        let of = self.of(state);
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
                "Selects the call relation and lists its calls.",
                SelectAsk::Choose(of).into(),
            ));
            entries.push(own(
                "Go to the caller",
                "Selects the calling module.",
                SelectAsk::Select(Some(caller)).into(),
            ));
            entries.push(own(
                "Go to the callee",
                "Selects the called module.",
                SelectAsk::Select(Some(callee)).into(),
            ));
            return entries;
        }
        if let Some(time) = of.time.filter(|_| of.module.is_none()) {
            entries.push(own(
                "Go to this time",
                "Moves the clock to the time under the pointer.",
                PlayAsk::Seek(time).into(),
            ));
        }
        let kinds = self.kinds(state);
        // What a thing of its own is done with comes before what is done with the module that it is of.
        let first = |action: &Listed| {
            let places = action.on().iter();
            places.filter_map(|on| kinds.iter().position(|kind| kind == on))
        };
        let mut fitting: Vec<(usize, Listed)> = listed()
            .filter_map(|action| Some((first(&action).min()?, action)))
            .collect();
        fitting.retain(|(_, action)| can_be_done(action.id, of, state));
        let rank = |action: &Listed| MOST_USED.iter().position(|id| *id == action.id);
        fitting.sort_by_key(|(of, action)| (*of, rank(action).unwrap_or(MOST_USED.len())));
        let actions = fitting.into_iter().map(|(_, action)| Entry {
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

/// Whether an action about modules has something to do with what a menu is of: functions hold nothing to collapse, and
/// what never ran has no calls.
fn can_be_done(id: &str, of: Pointed, state: &State) -> bool {
    let document = state.document.as_ref();
    let module = document.and_then(|it| Some((it, it.complete(of).module?)));
    let Some((document, module)) = module else {
        return true;
    };
    let facts = document.city.module_facts(&document.session, module);
    match id {
        "cut.toggle" | "cut.expand" => !document.session.hierarchy.is_leaf(module),
        "filter.module" | "filter.below" | "call.next" | "call.previous" | "show.neighbours" => {
            facts.calls > 0
                || facts.self_cost.size() > 0
                || facts.total.unwrap_or_default().size() > 0
        }
        _ => true,
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
        let mut state = crate::desk::Desk::unattended().state;
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

    /// The demo with a function chosen by its menu, opened over a view that says what it is.
    fn menu_over(kind: Kind, on: &'static [On]) -> (State, Menu) {
        use callscape_analysis::session::Inputs;
        use callscape_base::progress::Progress;
        use callscape_state::document::Document;
        let mut desk = crate::desk::Desk::unattended();
        let settings = Default::default();
        let document = Document::open(&Inputs::default(), None, &settings, &Progress::new());
        desk.show(document.expect("the demo is inside the program"));
        let mut state = desk.state;
        let view = callscape_views::all()
            .into_iter()
            .find(|it| it.line().kind == kind);
        let view = view.expect("a view of this kind");
        state.panes.open(view);
        state.panes.under_pointer = Some((view, glam::Vec2::ZERO));
        let open = state.document.as_ref().expect("the demo");
        let hierarchy = &open.session.hierarchy;
        let mut modules = hierarchy.modules();
        let module = modules.find(|&it| hierarchy.name(it) == "luaH_get");
        state.update_hover(Pointed::at_module(module), |_| true);
        let mut palette = Palette::default();
        palette.on(PaletteAsk::Menu(None, on), &mut state);
        let menu = palette.menu.expect("it is open");
        (state, menu)
    }

    #[test]
    fn comparing_with_another_run_comes_before_what_single_views_compare() {
        let (mut state, _) = menu_over(Kind::AlongTime, &[]);
        let mut views = callscape_views::all().into_iter();
        let phases = views.find(|it| it.line().id == "phases");
        state.panes.open(phases.expect("a view"));
        let mut palette = Palette::default();
        palette.on(PaletteAsk::Toggle, &mut state);
        palette.on(PaletteAsk::Query("compare".to_owned()), &mut state);
        let found = titles(&palette);
        assert_eq!(found.first(), Some(&"Compare with…"));
        assert!(found.contains(&"Compare the phases"), "{found:?}");
    }

    #[test]
    fn menus_hold_what_can_be_done_and_the_most_used_first() {
        let (state, menu) = menu_over(Kind::Plain, &[]);
        let of_function: Vec<String> = menu
            .entries(&state)
            .into_iter()
            .map(|it| it.title)
            .collect();
        assert_eq!(
            of_function[..2],
            ["Fly to the selection", "Show its neighbourhood"]
        );
        // A function holds nothing.
        for title in ["Collapse or expand", "Expand the module and all in it"] {
            assert!(!of_function.iter().any(|it| it == title), "{of_function:?}");
        }
        let open = state.document.as_ref().expect("the demo");
        let hierarchy = &open.session.hierarchy;
        let never = hierarchy.modules().find(|&it| {
            let facts = open.city.module_facts(&open.session, it);
            facts.calls == 0 && facts.self_cost.size() == 0
        });
        let of = Pointed::at_module(Some(never.expect("not all of it runs")));
        assert!(!can_be_done("call.next", of, &state) && can_be_done("show.code", of, &state));
    }

    #[test]
    fn what_was_used_last_comes_first_after_another_start_too() {
        let dir = std::env::temp_dir().join(format!("callscape-palette-{}", std::process::id()));
        let path = dir.join("palette.json");
        let mut state = crate::desk::Desk::unattended().state;
        let recalled = || Palette::at(Some(path.clone()));
        let (mut palette, notice) = recalled();
        assert!(notice.is_none() && palette.recent.is_empty());
        for title in ["light or dark", "frame times"] {
            palette.on(PaletteAsk::Toggle, &mut state);
            palette.on(PaletteAsk::Query(title.to_owned()), &mut state);
            assert_eq!(palette.on(PaletteAsk::Take(None), &mut state).len(), 1);
        }
        let (mut again, _) = recalled();
        again.on(PaletteAsk::Toggle, &mut state);
        let first: Vec<&str> = titles(&again).into_iter().take(2).collect();
        assert_eq!(first, ["Frame times", "Light or dark"]);
        // Of another version, or cut in half.
        let text = std::fs::read_to_string(&path).expect("it is there");
        let gone = text.replace("look.theme", "no.such.action");
        std::fs::write(&path, gone).expect("there is room");
        assert_eq!(recalled().0.recent.len(), 1);
        for odd in [&text[..text.len() / 2], &text.replace('1', "7")] {
            std::fs::write(&path, odd).expect("there is room");
            let (mut palette, notice) = recalled();
            assert!(notice.is_some_and(|it| it.contains("palette.json")));
            palette.on(PaletteAsk::Toggle, &mut state);
            palette.on(PaletteAsk::Take(None), &mut state);
            assert_eq!(std::fs::read_to_string(&path).expect("it stays"), odd);
        }
        let _ = std::fs::remove_dir_all(&dir);
    }

    #[test]
    fn a_menu_offers_what_its_thing_is_done_with_first() {
        let titles = |kind, on| -> Vec<String> {
            let (state, menu) = menu_over(kind, on);
            let entries = menu.entries(&state).into_iter();
            entries.map(|it| it.title).collect()
        };
        let first = |kind, on| titles(kind, on).swap_remove(0);
        assert_eq!(first(Kind::Table, &[]), "Show the row");
        assert_eq!(first(Kind::Chart, &[]), "Show the rings around it");
        let of_module = titles(Kind::Plain, &[]);
        for title in [
            "Fly to the selection",
            "Exclude the module",
            "Show its neighbourhood",
        ] {
            assert!(of_module.iter().any(|it| it == title), "{of_module:?}");
        }
        // The demo has no source text.
        for title in ["Open in the editor", "Show its code"] {
            assert!(!of_module.iter().any(|it| it == title), "{of_module:?}");
        }
        // What a view says comes before all else.
        let of_phase = titles(Kind::AlongTime, &[On::Phase]);
        assert!(!of_phase.is_empty());
        for kind in [Kind::Plain, Kind::Table, Kind::Chart, Kind::Graph] {
            let titles = titles(kind, &[]);
            let mut sorted = titles.clone();
            sorted.sort();
            sorted.dedup();
            assert_eq!(sorted.len(), titles.len(), "each stands once: {titles:?}");
        }
    }

    #[test]
    fn every_kind_of_thing_has_actions() {
        for on in [
            On::View,
            On::Module,
            On::Call,
            On::Thread,
            On::Time,
            On::Range,
            On::Row,
            On::Context,
            On::Phase,
            On::Object,
        ] {
            assert!(listed().any(|it| it.on().contains(&on)), "{on:?}");
        }
    }
}

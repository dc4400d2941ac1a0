//! The settings of a view by name, as session files keep them: what `callscape render --set` takes, and *Copy as command*
//! gives.

use std::path::Path;

use serde_json::{Map, Value};

use super::desk::Desk;
use super::open_views::Views;
use callscape_state::State;
use callscape_state::panes::ViewId;
use callscape_views::{self as views, REGISTRY, SavedViews};

/// A longer command is none that a shell takes.
const LONGEST: usize = 100_000;

/// A setting as people name it: without the name of its view.
fn plain(view: ViewId, name: &str) -> &str {
    let own = view.id().replace('-', "_");
    let rest = name.strip_prefix(own.as_str());
    rest.and_then(|it| it.strip_prefix('_')).unwrap_or(name)
}

fn saved(views: &mut Views, state: &State, view: ViewId) -> SavedViews {
    let mut saved = SavedViews::default();
    if let Some(view) = views.get_mut(view, state) {
        view.save(state, &mut saved);
    }
    saved
}

/// Changes settings of a view, each a name and a value. An error says which it does not have.
pub(crate) fn set(
    views: &mut Views,
    state: &State,
    view: ViewId,
    wanted: &[(String, String)],
) -> Result<(), String> {
    for (name, value) in wanted {
        let mut now = saved(views, state, view);
        let of = view.title();
        let all = [&now.shown, &now.of_run].into_iter().flat_map(Map::keys);
        let names: Vec<&str> = all.map(|it| plain(view, it)).collect();
        let names = names.join(", ");
        let mut all = now.shown.iter_mut().chain(&mut now.of_run);
        let Some((_, field)) = all.find(|it| it.0 == name || plain(view, it.0) == name) else {
            return Err(match names.as_str() {
                "" => format!("{of}: the view has no settings; found '{name}'"),
                _ => format!("{of}: the view has no setting '{name}'; expected one of {names}"),
            });
        };
        let usual = field.clone();
        let is_text = field.is_string();
        let read = serde_json::from_str(value).ok().filter(|_| !is_text);
        *field = read.unwrap_or_else(|| value.clone().into());
        let Some(shown) = views.get_mut(view, state) else {
            continue;
        };
        if shown.restore(&now, state) > 0 {
            return Err(format!(
                "{of}: {name} cannot be '{value}'; expected a value as the window shows it, such as {usual}"
            ));
        }
    }
    Ok(())
}

/// The settings of a view that are not the usual ones.
pub(crate) fn changed(views: &mut Views, state: &State, view: ViewId) -> Vec<(String, String)> {
    let now = saved(views, state, view);
    let mut usual = SavedViews::default();
    if let Some(entry) = REGISTRY.iter().find(|it| it.line.id == view.id()) {
        (entry.open)().save(state, &mut usual);
    }
    let pairs = [(now.shown, usual.shown), (now.of_run, usual.of_run)];
    let mut changed = Vec::new();
    for (now, usual) in pairs {
        for (name, value) in now {
            if value.is_null() || usual.get(&name) == Some(&value) {
                continue;
            }
            let text = match &value {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            changed.push((plain(view, &name).to_owned(), text));
        }
    }
    changed
}

/// A word as a shell takes it.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,%+@".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.to_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

fn path(path: &Path) -> String {
    // A name that begins with a dash would be an option.
    let shown = path.display().to_string();
    match shown.starts_with('-') {
        true => format!("./{shown}"),
        false => shown,
    }
}

impl Desk {
    /// Copies the command that renders the view under the pointer with the next frame.
    pub(crate) fn copy_command(&mut self) {
        match self.command_of(self.pictured()) {
            Ok(command) => {
                self.state
                    .tell_briefly("The command is on the clipboard".to_owned());
                self.text_to_copy = Some(command);
            }
            Err(reason) => self.state.tell("The command could not be copied", reason),
        }
    }

    /// The command that renders a view as it is shown.
    pub(crate) fn command_of(&mut self, view: ViewId) -> Result<String, String> {
        let Desk { state, views, .. } = self;
        let Some(document) = &state.document else {
            return Err("nothing is open".to_owned());
        };
        if view == views::main() {
            return Err(
                "the landscape has no command for its camera; point at another view".to_owned(),
            );
        }
        let inputs = &document.inputs;
        let mut words = vec!["callscape".to_owned(), "render".to_owned()];
        words.extend(
            inputs
                .source_dir
                .iter()
                .chain(&inputs.recordings)
                .map(|it| path(it)),
        );
        words.extend(["-o", "picture.svg", "--view", view.id()].map(str::to_owned));
        let theme = format!("{:?}", state.settings.theme).to_lowercase();
        words.extend(["--theme".to_owned(), theme]);
        if let Some(range) = document.selection.range {
            let [from, to] = [range.start, range.end].map(|it| it.ns().to_string());
            words.extend(["--from".to_owned(), from, "--to".to_owned(), to]);
        }
        let recording = document.resolved().map(|it| &it.recording);
        if let Some(value) = recording.and_then(|it| it.value_shown()) {
            words.extend(["--value".to_owned(), value.name.clone()]);
        }
        if recording.is_some_and(|it| it.has_times()) {
            words.extend(["--at".to_owned(), document.selection.time.ns().to_string()]);
        }
        if let Some(module) = document.complete(document.selection.chosen).module {
            let focus = document.session.hierarchy.path(module);
            words.extend(["--focus".to_owned(), focus]);
        }
        for (name, value) in changed(views, state, view) {
            words.extend(["--set".to_owned(), format!("{name}={value}")]);
        }
        let words: Vec<String> = words.iter().map(|it| quoted(it)).collect();
        let command = words.join(" ");
        match command.len() <= LONGEST {
            true => Ok(command),
            false => Err("too much is unfolded for a command; save the session instead".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::driven::Driven;
    use callscape_analysis::session::Inputs;
    use callscape_state::ask::PaneAsk;
    use callscape_state::panes::Arrangement;

    fn with_view(id: &str) -> (Driven, ViewId) {
        let mut driven = Driven::new(&Inputs::default());
        let alone = Arrangement::View(id.to_owned());
        driven.desk.execute(PaneAsk::Arrange(alone));
        driven.settle();
        (driven, views::named(id).expect("a view"))
    }

    /// The settings in a command.
    fn settings(command: &str) -> Vec<(String, String)> {
        let settings = command.split(" --set ").skip(1).map(|it| {
            let inside = it.strip_prefix('\'').and_then(|it| it.strip_suffix('\''));
            let word = inside.unwrap_or(it).replace(r"'\''", "'");
            let (name, value) = word.split_once('=').expect("a value");
            (name.to_owned(), value.to_owned())
        });
        settings.collect()
    }

    #[test]
    fn a_command_brings_another_window_to_the_same_settings() {
        for (id, changes) in [
            (
                "rings",
                vec![
                    ("sizing", "by area"),
                    ("depth", "3"),
                    ("query", "it's 'so'"),
                ],
            ),
            ("flame-graph", vec![("order", "by name")]),
            (
                "tree",
                vec![("rows", "callers"), ("merges_recursion", "true")],
            ),
            ("neighbours", vec![("steps", "2")]),
            (
                "collaboration",
                vec![("width", "calls"), ("layout", "by distance")],
            ),
        ] {
            let (mut first, view) = with_view(id);
            let changes: Vec<(String, String)> = changes
                .into_iter()
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect();
            let Desk { state, views, .. } = &mut first.desk;
            assert_eq!(set(views, state, view, &changes), Ok(()), "{id}");
            first.settle();
            let command = first.desk.command_of(view).expect("a command");
            assert!(command.contains(" --set "), "{command}");
            let (mut second, _) = with_view(id);
            let Desk { state, views, .. } = &mut second.desk;
            assert_eq!(
                set(views, state, view, &settings(&command)),
                Ok(()),
                "{command}"
            );
            second.settle();
            assert_eq!(second.desk.command_of(view), Ok(command), "{id}");
        }
    }

    #[test]
    fn what_a_view_does_not_have_is_refused_by_name() {
        let (mut driven, view) = with_view("rings");
        let Desk { state, views, .. } = &mut driven.desk;
        let mut refused = |name: &str, value: &str| {
            let wanted = [(name.to_owned(), value.to_owned())];
            set(views, state, view, &wanted).expect_err("it is refused")
        };
        assert!(refused("steps", "2").contains("expected one of"));
        assert!(refused("sizing", "by chance").contains("by angle"));
    }
}

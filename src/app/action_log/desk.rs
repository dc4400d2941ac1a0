//! What is written to the log, and when.

use std::io::Write;

use serde_json::{Value, json};

use crate::command::Command;
use crate::desk::Desk;
use crate::keys;

impl Desk {
    /// Notes a command before it is carried out.
    pub(crate) fn note_action(&mut self, command: &Command) {
        if self.log.is_none() {
            return;
        }
        let state = &self.state;
        let known = keys::listed().find(|it| it.command(state).as_ref() == Some(command));
        let said = format!("{command:?}");
        let (name, arguments) = match known {
            Some(action) => (action.id.to_owned(), Value::Null),
            None => (named(&said), said.into()),
        };
        self.write_action(&name, arguments);
    }

    /// Notes what views show otherwise since they were last looked at: what was expanded, sorted, searched.
    pub(crate) fn note_views(&mut self) {
        if self.log.is_none() {
            return;
        }
        let saved = self.views.saved(&self.state);
        let mut now = saved.shown;
        now.extend(saved.of_run);
        let Some(log) = &mut self.log else { return };
        let is_first = log.views.is_empty();
        let before = std::mem::replace(&mut log.views, now.clone());
        now.retain(|name, value| before.get(name) != Some(value));
        if !is_first && !now.is_empty() {
            self.write_action("view.changed", now.into());
        }
    }

    fn write_action(&mut self, name: &str, arguments: Value) {
        let view = self.pictured().id();
        let source = format!("{:?}", self.source).to_lowercase();
        let Some(log) = &mut self.log else { return };
        let line = json!({
            "ms": log.begun.elapsed().as_millis() as u64,
            "action": name,
            "arguments": arguments,
            "source": source,
            "view": view,
        });
        if let Err(error) = writeln!(log.file, "{line}") {
            // Told once: no line is missing between others.
            self.log = None;
            let reason = error.to_string();
            self.state
                .tell("The log cannot be written any more", reason);
        }
    }
}

/// What a command is called that no key has: the names of its groups, such as `ask.play.seek`.
fn named(said: &str) -> String {
    let groups = said
        .split('(')
        .take(3)
        .map(|it| it.split([' ', ')', ',']).next());
    let groups = groups
        .flatten()
        .filter(|it| it.starts_with(|c: char| c.is_alphabetic()));
    groups.collect::<Vec<_>>().join(".").to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::super::log::{ActionLog, Source};
    use super::*;
    use crate::command::PaletteAsk;
    use crate::driven::{Driven, Files};
    use callscape_analysis::session::Inputs;
    use callscape_base::units::Time;
    use callscape_state::ask::{PaneAsk, PlayAsk, ViewAsk};
    use callscape_state::panes::Arrangement;

    #[test]
    fn each_action_is_a_line_with_its_source_as_soon_as_it_is_done() {
        let files = Files::new("action-log");
        let path = files.0.join("log.jsonl");
        let mut driven = Driven::new(&Inputs::default());
        let rings = Arrangement::View("rings".to_owned());
        driven.desk.execute(PaneAsk::Arrange(rings));
        driven.settle();
        driven.desk.log = Some(ActionLog::create(&path).expect("it can be written"));
        driven.desk.note_views();
        driven.desk.source = Source::Key;
        driven.desk.execute(PlayAsk::PlayOrPause);
        driven.desk.source = Source::Mouse;
        driven.desk.execute(PlayAsk::Seek(Time::from_ns(5)));
        driven.desk.execute(PaletteAsk::Toggle);
        driven
            .desk
            .execute(PaletteAsk::Query("next sizing".to_owned()));
        let view = callscape_views::named("rings");
        driven.desk.state.ask_views(view, ViewAsk::ShowAll);
        driven.desk.execute(PaletteAsk::Take(None));
        driven.frame(Vec::new());
        driven.desk.note_views();
        let text = std::fs::read_to_string(&path).expect("a log");
        let lines: Vec<Value> = text
            .lines()
            .map(|it| serde_json::from_str(it).expect("JSON"))
            .collect();
        let all = |of: &str| -> Vec<Value> { lines.iter().map(|it| it[of].clone()).collect() };
        assert_eq!(all("action")[1], "ask.play.seek", "{text}");
        assert_eq!(all("source")[..2], ["key", "mouse"], "{text}");
        assert!(all("ms").iter().all(Value::is_u64) && all("view").iter().all(Value::is_string));
        assert!(
            all("arguments")[1]
                .as_str()
                .is_some_and(|it| it.contains("Seek"))
        );
        assert!(ActionLog::create(&files.0.join("no/such.jsonl")).is_err());
    }
}

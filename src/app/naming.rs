//! Where a session or a pack is written: asked the first time, and the same file after that.

use std::path::PathBuf;

use anyhow::Context;

use super::desk::Desk;
use super::saved;
use super::welcome::typed;
use callscape_state::message::Message;

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    Session,
    Pack,
}

/// The card that asks for the name of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameCard {
    pub what: Written,
    /// As it is typed.
    pub path: String,
}

impl Desk {
    /// Writes what is open where it was written before, or asks where.
    pub(super) fn write(&mut self, what: Written) {
        let known = match what {
            Written::Session => self.session_file.clone(),
            Written::Pack => self.pack_file.clone(),
        };
        match (known, self.proposed(what)) {
            (Some(path), _) => self.write_to(what, path),
            (None, Ok(path)) => {
                let path = path.display().to_string();
                self.naming = Some(NameCard { what, path });
            }
            (None, Err(error)) => self.state.tell("It cannot be saved", format!("{error:#}")),
        }
    }

    fn proposed(&self, what: Written) -> anyhow::Result<PathBuf> {
        let document = self.state.document.as_ref().context("nothing is open")?;
        match what {
            Written::Session => saved::place(&document.inputs),
            Written::Pack => self.pack_place(),
        }
    }

    /// Writes to the file that was named.
    pub(super) fn write_named(&mut self) {
        let Some(card) = self.naming.take() else {
            return;
        };
        let ending = match card.what {
            Written::Session => saved::ENDING,
            Written::Pack => callscape_export::pack::ENDING,
        };
        let path = typed(&card.path);
        let name = path.file_name().map(|it| it.to_string_lossy().into_owned());
        match name {
            // What is opened again is known by its ending.
            Some(name) if name.ends_with(ending) => self.write_to(card.what, path),
            Some(name) => self.write_to(card.what, path.with_file_name(name + ending)),
            None => self.naming = Some(card),
        }
    }

    fn write_to(&mut self, what: Written, path: PathBuf) {
        match what {
            Written::Session => {
                let (is_error, title, line) = match self.save_session(&path) {
                    Ok(()) => {
                        let line = path.display().to_string();
                        self.session_file = Some(path);
                        (false, "The session is saved", line)
                    }
                    Err(error) => (true, "The session could not be saved", format!("{error:#}")),
                };
                self.state.told.messages.push(Message {
                    is_error,
                    is_open: true,
                    title: title.to_owned(),
                    lines: vec![line],
                });
            }
            Written::Pack => self.share(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::command::FileAsk;
    use crate::driven::{Driven, Files, inputs};

    #[test]
    fn a_session_and_a_pack_ask_for_a_name_once_and_say_where_they_are() {
        let files = Files::new("naming");
        let recording = files.recording("run.json", 0..9);
        let mut driven = Driven::new(&inputs(None, &[recording]));
        driven.settle();
        for (ask, title, name) in [
            (
                FileAsk::SaveSession,
                "The session is saved",
                "mine.callscape-session.json",
            ),
            (FileAsk::Share, "The pack is written", "mine.callscape-pack"),
        ] {
            driven.desk.execute(ask.clone());
            let card = driven.desk.naming.clone().expect("it is asked");
            let folder = files.0.display().to_string();
            assert!(card.path.starts_with(&folder), "{}", card.path);
            assert!(driven.find("Save").is_some());
            let path = files.0.join(name);
            let typed = files.0.join("mine").display().to_string();
            driven.desk.execute(FileAsk::NameFile(typed));
            driven.desk.execute(FileAsk::WriteNamed);
            driven.settle();
            let last = driven
                .desk
                .state
                .told
                .messages
                .pop()
                .expect("it says where");
            assert_eq!(last.title, title);
            assert!(last.lines[0].contains(name), "{:?}", last.lines);
            assert!(path.exists(), "{name}");
            driven.desk.execute(ask);
            assert_eq!(driven.desk.naming, None, "the same file");
            driven.settle();
        }
    }
}

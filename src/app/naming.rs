//! Where a session or a pack is written: asked the first time, and the same file after that.

mod desk;

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

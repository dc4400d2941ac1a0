//! Where a session, a pack or a page is written: asked the first time, and the same file after that. Of a film it is asked each time.

mod desk;

use super::presenting::film_wish::{FilmOf, FilmWish};

/// What is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    Session,
    Pack,
    Page,
    Film(FilmWish),
}

/// The card that asks for the name of a file.
#[derive(Clone, Debug, PartialEq)]
pub struct NameCard {
    pub what: Written,
    /// As it is typed.
    pub path: String,
    /// What films can be made of, and how many seconds each takes.
    pub films: Vec<(FilmOf, f64)>,
}

#[cfg(test)]
mod tests {
    use super::Written;
    use crate::command::FileAsk;
    use crate::driven::{Driven, Files, inputs};
    use crate::presenting::film::films;
    use crate::presenting::film_wish::{FilmOf, FilmWish};
    use callscape_presentation::scene::Shot;
    use callscape_state::ask::{Ask, CancelAsk};

    #[test]
    fn a_session_and_a_pack_ask_for_a_name_once_and_say_where_they_are() {
        let files = Files::new("naming");
        let recording = files.recording("run.json", 0..9);
        let mut driven = Driven::new(&inputs(None, &[recording]));
        driven.settle();
        // Around the pack a page has the player, which is another crate's.
        driven.desk.write_page = Some(crate::sharing::pack);
        for (ask, title, name) in [
            (
                FileAsk::SaveSession,
                "The session is saved",
                "mine.callscape-session.json",
            ),
            (FileAsk::Share, "The pack is written", "mine.callscape-pack"),
            (FileAsk::SharePage, "The page is written", "mine.html"),
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

    #[test]
    fn a_film_says_how_long_it_is_and_where_and_can_be_cancelled() {
        let files = Files::new("film");
        let recording = files.recording("run.json", 0..9);
        let mut driven = Driven::new(&inputs(None, &[recording]));
        driven.settle();
        let ask = |driven: &mut Driven, name: &str, size| {
            driven.desk.execute(FileAsk::Film);
            let Some(Written::Film(wish)) = driven.desk.naming.clone().map(|it| it.what) else {
                panic!("it is asked");
            };
            let wish = FilmWish { size, ..wish };
            let typed = files.0.join(name).display().to_string();
            driven.desk.execute(FileAsk::FilmAs(wish));
            driven.desk.execute(FileAsk::NameFile(typed));
            driven.desk.execute(FileAsk::WriteNamed);
            wish.of
        };
        assert_eq!(ask(&mut driven, "range", [640, 360]), FilmOf::Range);
        assert!(driven.desk.jobs.filming.is_some());
        driven.desk.execute(Ask::from(CancelAsk::Everything));
        assert!(driven.desk.jobs.filming.is_none());
        driven.desk.talk.script.scene.shots = vec![Shot {
            seconds: Some(0.1),
            ..Shot::default()
        }];
        let films = films(&driven.desk.state, &driven.desk.talk);
        assert_eq!(films, [(FilmOf::Scene, 0.1), (FilmOf::Range, 11.0)]);
        assert_eq!(ask(&mut driven, "scene", [64, 64]), FilmOf::Scene);
        driven.settle();
        let last = driven.desk.state.told.messages.pop();
        let last = last.expect("it says where");
        assert_eq!(last.title, "The film is saved", "{:?}", last.lines);
        assert!(files.0.join("scene.mp4").exists(), "{:?}", last.lines);
        assert!(!files.0.join("range.mp4").exists());
    }
}

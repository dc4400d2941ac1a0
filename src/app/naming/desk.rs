//! Files that the window writes, once it is said where.

use std::path::PathBuf;

use anyhow::{Context, ensure};

use super::{NameCard, Written};
use crate::desk::Desk;
use crate::presenting::film::films;
use crate::presenting::film_wish::{FilmOf, FilmWish, SIZE};
use crate::saved;
use crate::share::{folder_of, free};
use crate::sharing::pack;
use crate::welcome::typed;
use callscape_export::pack::ENDING;
use callscape_presentation::film::Format;
use callscape_state::message::Message;

/// How the name of a page ends.
const PAGE: &str = ".html";

/// How the name of a film ends that says nothing else.
const FILM: &str = ".mp4";

impl Desk {
    /// Writes what is open where it was written before, or asks where.
    pub(crate) fn write(&mut self, what: Written) {
        let known = match what {
            Written::Session => self.session_file.clone(),
            Written::Pack => self.pack_file.clone(),
            Written::Page => self.page_file.clone(),
            Written::Film(_) => None,
        };
        match (known, self.proposed(what)) {
            (Some(path), _) => self.write_to(what, path),
            (None, Ok(path)) => {
                let path = path.display().to_string();
                let films = films(&self.state, &self.talk);
                self.naming = Some(NameCard { what, path, films });
            }
            (None, Err(error)) => self.state.tell("It cannot be saved", format!("{error:#}")),
        }
    }

    /// Asks for the name of a film.
    pub(crate) fn name_film(&mut self) {
        let films = films(&self.state, &self.talk);
        let of = films.first().map_or(FilmOf::Range, |it| it.0);
        self.write(Written::Film(FilmWish { of, size: SIZE }));
    }

    fn proposed(&self, what: Written) -> anyhow::Result<PathBuf> {
        let document = self.state.document.as_ref().context("nothing is open")?;
        match what {
            Written::Session => saved::place(&document.inputs),
            Written::Pack => self.share_place(ENDING),
            Written::Page => self.share_place(PAGE),
            Written::Film(_) => {
                let nothing = "there is no scene, no bookmark, and nothing that plays";
                ensure!(!films(&self.state, &self.talk).is_empty(), nothing);
                ensure!(self.jobs.filming.is_none(), "another film is being made");
                let place = saved::place(&document.inputs)?;
                let name = place.file_name().unwrap_or_default().to_string_lossy();
                let name = name.strip_suffix(saved::ENDING).unwrap_or(&name);
                Ok(free(&folder_of(&place), name, FILM))
            }
        }
    }

    /// Writes to the file that was named.
    pub(crate) fn write_named(&mut self) {
        let Some(card) = self.naming.take() else {
            return;
        };
        let ending = match card.what {
            Written::Session => saved::ENDING,
            Written::Pack => ENDING,
            Written::Page => PAGE,
            Written::Film(_) => FILM,
        };
        let path = typed(&card.path);
        let name = path.file_name().map(|it| it.to_string_lossy().into_owned());
        let is_film = matches!(card.what, Written::Film(_)) && Format::of(&path).is_some();
        match name {
            // What is opened again is known by its ending.
            Some(name) if is_film || name.ends_with(ending) => self.write_to(card.what, path),
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
            Written::Pack => self.share(path, Some(pack)),
            Written::Page => self.share(path, self.write_page),
            Written::Film(wish) => self.make_film(wish, path),
        }
    }
}

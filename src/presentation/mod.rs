//! Scenes: what is shown when, in a talk and in a film.
//!
//! A scene is a file that people write ([`scene`]); its shots follow one another in time ([`timeline`]); the
//! camera goes along smooth paths ([`path`]). `film` makes files of the frames. What the shots do to views, and
//! how they are shown, is the application's part.

pub mod check;
pub mod film;
pub mod look;
pub mod motion;
pub mod path;
pub mod place;
pub mod scene;
pub mod schema;
pub mod timeline;

#[cfg(test)]
mod tests;

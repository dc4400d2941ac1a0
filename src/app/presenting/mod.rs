//! Presentations in the window: bookmarks, the scene that is edited, scenes before an audience, and films of them.

pub mod bookmarks;
pub mod check;
pub mod film;
pub mod film_wish;
mod live;
pub mod opening;
mod recorder;
#[cfg(test)]
mod round_trip;
pub mod script;
pub mod stage;
pub mod talk;
#[cfg(test)]
mod tests;

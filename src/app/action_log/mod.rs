//! A log of what the user does, for studies: one line of JSON for each action, written at once.

mod desk;
mod log;

pub(crate) use log::{ActionLog, Source};

//! One file per view: what it shows, what it offers for selection, how it answers one.

pub mod landscape;
pub mod metrics;
pub mod search;

//! What is shown: the cut through the hierarchy, the time range, what is left out, selection and hover.

pub mod correspond;
pub mod cut;
pub mod filters;
pub mod mapping;
pub mod matching;
pub mod operations;
pub mod regroup;
pub mod running;
pub mod selection;
pub mod starting;
pub mod summary;
pub mod walk;
mod weights;

//! What is shown: the cut through the hierarchy, the time range, what is left out, selection and hover.

pub mod correspond;
pub mod cut;
pub mod filters;
pub mod left_calls;
pub mod marked;
pub mod operations;
pub mod running;
pub mod selection;
pub mod summary;
mod totals;
pub mod walk;
mod weights;

//! What is shown: the cut through the hierarchy, the time range, what is left out, selection and hover.

pub mod cut;
pub mod filters;
pub mod mapping;
pub mod operations;
pub mod selection;
pub mod summary;
pub mod walk;

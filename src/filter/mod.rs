//! What is shown: the cut through the hierarchy, the time range, selection and hover.

pub mod cut;
pub mod mapping;
pub mod operations;
pub mod selection;

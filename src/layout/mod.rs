//! Mapping: what is shown in, plain geometry out. No GPU, no UI.

pub mod geometry;
pub mod pick;
pub mod treemap;

//! What the views share that draw a graph of who calls whom: boxes in frames, and lines between them with arrow heads.
//!
//! A view says what is shown ([`model::Graph`]), in work on another thread that also lays it out ([`laid`]). A [`chart`]
//! shows that, eases from one graph to the next, and says what is under the pointer.

pub mod chart;
mod geometry;
pub mod labels;
pub mod laid;
pub mod legend;
pub mod marks;
pub mod model;
pub mod nesting;
pub mod painting;
pub mod panel;
pub mod relations;
pub mod sight;
#[cfg(test)]
pub(crate) mod tests;
pub mod tips;
pub mod view;
mod walk;

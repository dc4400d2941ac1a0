//! What the views share that draw a graph of who calls whom: boxes in frames, and lines between them with arrow heads.
//!
//! A view says what is shown ([`model::Graph`]), in work on another thread that also lays it out ([`laid`]). A [`chart`]
//! shows that, eases from one graph to the next, and says what is under the pointer.

pub(crate) mod chart;
mod geometry;
pub(crate) mod labels;
pub(crate) mod laid;
pub(crate) mod legend;
pub(crate) mod marks;
pub(crate) mod model;
pub(crate) mod moved;
mod moving;
pub(crate) mod nesting;
pub(crate) mod painting;
pub(crate) mod panel;
pub(crate) mod relations;
pub(crate) mod sight;
#[cfg(test)]
pub(crate) mod tests;
pub(crate) mod tips;
pub(crate) mod view;
mod walk;

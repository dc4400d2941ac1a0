//! The flame graph: merged stacks of calling contexts, as wide as what they cost.

mod choice;
mod functions;
mod graph;
mod keys;
mod laid_out;
mod legend;
mod making;
mod marks;
mod merging;
mod painting;
mod places;
mod saved;
mod searching;
mod stacks;
#[cfg(test)]
mod tests;
mod tip;
mod ui;
mod view;

pub(crate) use self::view::ENTRY;

//! The calling contexts of a trace, by thread, with what the calls of each add up to in pieces of the thread: what a
//! trace merges to by call path is read from these and from the calls at the two ends of a range.
//!
//! They are found in the pass that packs the calls, or in one over all of them where an index does not have them. Where
//! contexts are nearly as many as calls they are left out.

mod grow;
mod known;
mod merge;
mod rows;
mod stored;
mod table;
#[cfg(test)]
mod tests;
mod thread;
mod waiters;

pub(super) use grow::{Counted, Grower};
pub(super) use rows::Paths;

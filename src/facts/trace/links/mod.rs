//! Links: causes that cross threads, lanes or services, from a call to a call.
//!
//! The links of a thread are rows in order of the call that they lead to, with what that call costs, so that relations
//! are found of rows alone. A call that is outermost on its thread, but linked, has a caller elsewhere: that of its first
//! link. Sums over links come of a pyramid over the rows ([`pyramid`](super::pyramid)), by pairs of functions of their own.

mod find;
mod query;
mod rows;
#[cfg(test)]
mod tests;

pub(crate) use find::Lost;
pub use rows::{Link, LinkEnd, LinkKind};
pub(crate) use rows::{LinkLengths, Links, RawLink, ThreadLinks};

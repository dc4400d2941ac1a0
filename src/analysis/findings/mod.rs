//! What is remarkable about one run, as sentences with their numbers.
//!
//! Each kind of finding is a file and a row of [`KINDS`]. It proposes candidates: contexts, a sentence about them, and
//! how much more it says than their share. The best candidate becomes the first finding and claims its contexts; what
//! it claims is not counted again, so that shares add up to at most the whole. A candidate inside what another one claims
//! is a part of that finding.

mod candidate;
mod care;
mod claims;
mod collection;
pub mod condition;
mod errors;
mod find;
mod finding;
mod growing;
mod hot;
mod instants;
mod kind;
mod limits;
mod memory;
mod names;
mod one_at_a_time;
mod one_slow;
mod paths;
mod reading;
mod recursion;
mod repeated;
mod run;
mod same_arguments;
mod series;
mod start_up;
mod table;
#[cfg(test)]
mod tests;
mod waiting;

pub use find::findings;
pub use finding::{Certainty, Finding, Whole};
pub use kind::Kind;
pub use limits::{LIMITS, Limit};
pub use table::KINDS;

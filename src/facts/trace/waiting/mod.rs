//! When threads wait: times in which a thread has no processor, and what of calls falls into them.
//!
//! A *wait* is an interval of a thread of which some or all was waiting. *W(t)* is how long a thread has waited up to
//! *t*: within a wait it grows evenly. A call has waited *W(end)* − *W(start)*, and in itself that less what its direct
//! subcalls have waited. The waits of a thread stand in order with *W* at the start of each, so that *W* of any time,
//! and with it the waiting of any call or window, is found in O(log n).
//!
//! Sums over functions and relations come of the calls that have waited at all, the *waiters*: in order, with a pyramid
//! of sums by pair over them ([`pyramid`](super::pyramid)). Where a recording knows nothing of waiting, there is none of this.

mod clean;
mod find;
pub(super) mod preempted;
mod query;
mod rows;
#[cfg(test)]
mod tests;

pub(crate) use clean::RawWait;
pub(crate) use rows::{Lengths, Piece, ThreadWaiting, WaitRow, Waiter, Waiting};
pub use rows::{Wait, Waited, WaitingKnown, Why};

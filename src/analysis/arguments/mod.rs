//! Arguments of calls: calls found by them, and values of a function's arguments over time.

mod condition;
mod search;
mod series;
#[cfg(test)]
mod tests;

pub use condition::{Condition, NoCondition};
pub use search::{Matches, Wanted, search};
pub use series::{Column, Series, series};

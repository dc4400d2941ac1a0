//! The ground floor of Callscape: names as people may see them, units and ids as types, the reporter of repairs,
//! progress and cancellation, and safe files. It knows nothing of recordings.

pub mod escape;
pub mod files;
pub mod progress;
pub mod units;
pub mod warnings;

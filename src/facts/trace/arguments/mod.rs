//! Arguments of calls: names and values as the recording has them, and `return` for what a call returns.
//!
//! An importer tells them by when a call begins ([`Told`]); the numbers of the calls are found once all calls are known.
//! They lie in packed blocks in order of thread and call, behind the calls in an index, which only their directory is read
//! of when it is opened. Neither the calls nor their summaries know of them: recordings without arguments cost nothing more.

mod blocks;
mod find;
mod kept;
mod stored;
#[cfg(test)]
mod tests;
mod told;
mod value;

pub(crate) use kept::Arguments;
pub use kept::List;
pub(crate) use told::Lost;
pub use told::{PutAside, Told};
pub use value::{Argument, Number, Value};

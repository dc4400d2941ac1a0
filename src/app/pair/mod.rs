//! Two runs put together in the window: the card in which one chooses A and B, and what is shown of them first.

mod card;
mod causes;
mod desk;
mod replace;
mod replacing;
mod revising;
mod revisions;
#[cfg(test)]
mod tests;

pub(crate) use self::card::PairCard;
pub(crate) use self::causes::CausesCard;
pub(crate) use self::replacing::{Question, Replaced, Replacement};
pub(crate) use self::revisions::RevisionsCard;

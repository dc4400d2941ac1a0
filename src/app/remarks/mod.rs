//! What is remarkable about one run, told when it is opened.

mod card;
mod changes;
mod desk;
#[cfg(test)]
mod tests;

pub(crate) use self::card::RemarksCard;

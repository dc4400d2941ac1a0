//! The addresses in samples: those of chains of calls, between words that say in which mode they are.

use super::bytes::{Bytes, Order};
use super::records::Record;
use super::samples::Sample;

/// The least of the words among addresses that say in which mode those behind are.
const LEAST_CONTEXT: u64 = -4095_i64 as u64;
const OF_KERNEL: u64 = -128_i64 as u64;
const OF_USER: u64 = -512_i64 as u64;

/// The bits of a record's word that say in which mode it was written.
const MODE: u16 = 7;
const KERNEL: u16 = 1;
const USER: u16 = 2;

/// Where an address is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Kernel,
    User,
    /// Of a hypervisor or a guest.
    Other,
}

/// The addresses of a sample, innermost first.
pub(super) struct Addresses<'r> {
    /// The only one of a sample without a chain, or with an empty one.
    alone: Option<u64>,
    chain: Bytes<'r>,
    mode: Mode,
    /// The next is where its thread ran, not where it returns to.
    is_innermost: bool,
}

/// An address of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub at: u64,
    pub mode: Mode,
    /// It is behind the call of the next frame.
    pub returns: bool,
}

impl<'r> Addresses<'r> {
    pub(super) fn of(sample: &Sample, record: &Record<'r>, order: Order) -> Addresses<'r> {
        let chain = sample.chain.clone().and_then(|it| record.body.get(it));
        let chain = chain.unwrap_or_default();
        Addresses {
            alone: sample.ip.filter(|_| chain.is_empty()),
            chain: Bytes::new(chain, order),
            mode: match record.misc & MODE {
                KERNEL => Mode::Kernel,
                USER => Mode::User,
                _ => Mode::Other,
            },
            is_innermost: true,
        }
    }
}

impl Iterator for Addresses<'_> {
    type Item = Address;

    fn next(&mut self) -> Option<Address> {
        loop {
            let address = self.alone.take().or_else(|| self.chain.u64())?;
            self.mode = match address {
                OF_KERNEL => Mode::Kernel,
                OF_USER => Mode::User,
                LEAST_CONTEXT.. => Mode::Other,
                at => {
                    let is_innermost = std::mem::take(&mut self.is_innermost);
                    return Some(Address {
                        at,
                        mode: self.mode,
                        returns: !is_innermost,
                    });
                }
            };
            self.is_innermost = true;
        }
    }
}

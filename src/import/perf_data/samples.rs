//! The fields of samples, in the order of `PERF_RECORD_SAMPLE` in perf_event_open(2), each there if its event asks for it.

use super::bytes::{Bytes, Order};
use super::records::Record;
use std::ops::Range;

/// The bits of `sample_type`.
pub(super) mod has {
    pub(in super::super) const IP: u64 = 1;
    pub(in super::super) const THREAD: u64 = 1 << 1;
    pub(in super::super) const TIME: u64 = 1 << 2;
    pub(in super::super) const ADDRESS: u64 = 1 << 3;
    pub(in super::super) const READ: u64 = 1 << 4;
    pub(in super::super) const CHAIN: u64 = 1 << 5;
    pub(in super::super) const ID: u64 = 1 << 6;
    pub(in super::super) const PROCESSOR: u64 = 1 << 7;
    pub(in super::super) const PERIOD: u64 = 1 << 8;
    pub(in super::super) const STREAM: u64 = 1 << 9;
    pub(in super::super) const RAW: u64 = 1 << 10;
    pub(in super::super) const BRANCHES: u64 = 1 << 11;
    pub(in super::super) const REGISTERS: u64 = 1 << 12;
    pub(in super::super) const STACK: u64 = 1 << 13;
    pub(in super::super) const IDENTIFIER: u64 = 1 << 16;
}

/// The layout of what `PERF_SAMPLE_READ` adds: bits of `read_format`.
const ENABLED: u64 = 1;
const RUNNING: u64 = 1 << 1;
const READ_ID: u64 = 1 << 2;
const GROUP: u64 = 1 << 3;
const READ_LOST: u64 = 1 << 4;

/// A bit of `branch_sample_type`: an index stands before the branches.
const BRANCH_INDEX: u64 = 1 << 17;

/// What an event asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    pub sample: u64,
    pub read: u64,
    pub branches: u64,
    pub registers: u64,
}

/// A sample.
#[derive(Debug, Default)]
pub(super) struct Sample {
    pub ip: Option<u64>,
    pub process: Option<i32>,
    pub thread: Option<i32>,
    pub time: Option<u64>,
    pub processor: Option<u32>,
    pub period: Option<u64>,
    /// Where its chain is in the body, in bytes; `None` where its event asks for none.
    pub chain: Option<Range<usize>>,
    /// Where the fields of its tracepoint are in the body.
    pub raw: Option<Range<usize>>,
    /// The ids of counters and what they count so far, if the event asks for it.
    pub counters: Vec<(u64, u64)>,
    /// A copy of the stack follows, which has to be unwound.
    pub has_stack: bool,
}

/// The fields of a sample; `None` if it ends before they do.
pub(super) fn sample(record: &Record<'_>, asked: &Asked, order: Order) -> Option<Sample> {
    let mut body = Bytes::new(record.body, order);
    let mut sample = Sample::default();
    let asks = |bit| asked.sample & bit != 0;
    if asks(has::IDENTIFIER) {
        body.u64()?;
    }
    if asks(has::IP) {
        sample.ip = Some(body.u64()?);
    }
    if asks(has::THREAD) {
        sample.process = Some(body.i32()?);
        sample.thread = Some(body.i32()?);
    }
    if asks(has::TIME) {
        sample.time = Some(body.u64()?);
    }
    for bit in [has::ADDRESS, has::ID, has::STREAM] {
        if asks(bit) {
            body.u64()?;
        }
    }
    if asks(has::PROCESSOR) {
        sample.processor = Some(body.u32()?);
        body.u32()?;
    }
    if asks(has::PERIOD) {
        sample.period = Some(body.u64()?);
    }
    if asks(has::READ) {
        sample.counters = counters(&mut body, asked.read)?;
    }
    if asks(has::CHAIN) {
        let count = body.u64()?;
        let start = record.body.len() - body.rest().len();
        body.skip(count)?;
        sample.chain = Some(start..record.body.len() - body.rest().len());
    }
    if asks(has::RAW) {
        let size = body.u32()?;
        let start = record.body.len() - body.rest().len();
        body.take(u64::from(size))?;
        sample.raw = Some(start..record.body.len() - body.rest().len());
    }
    sample.has_stack = asks(has::STACK) && has_stack(&mut body, asked)?;
    Some(sample)
}

/// The counters of an event or of its group; none without ids.
fn counters(body: &mut Bytes<'_>, format: u64) -> Option<Vec<(u64, u64)>> {
    let count = |bits: &[u64]| bits.iter().filter(|&&bit| format & bit != 0).count() as u64;
    let times = count(&[ENABLED, RUNNING]);
    let mut counters = Vec::new();
    let mut counter = |body: &mut Bytes<'_>, times: u64| {
        let value = body.u64()?;
        body.skip(times)?;
        if format & READ_ID != 0 {
            counters.push((body.u64()?, value));
        }
        body.skip(count(&[READ_LOST]))
    };
    if format & GROUP == 0 {
        counter(body, times)?;
        return Some(counters);
    }
    let members = body.u64()?;
    body.skip(times)?;
    for _ in 0..members {
        counter(body, 0)?;
    }
    Some(counters)
}

/// Whether a copy of the stack follows that is not empty.
fn has_stack(body: &mut Bytes<'_>, asked: &Asked) -> Option<bool> {
    let asks = |bit| asked.sample & bit != 0;
    if asks(has::BRANCHES) {
        let count = body.u64()?;
        body.skip(u64::from(asked.branches & BRANCH_INDEX != 0))?;
        body.skip(count.checked_mul(3)?)?;
    }
    if asks(has::REGISTERS) && body.u64()? != 0 {
        body.skip(u64::from(asked.registers.count_ones()))?;
    }
    let size = body.u64()?;
    if size == 0 {
        return Some(false);
    }
    body.take(size)?;
    Some(body.u64()? > 0)
}

//! One record as it is written.

pub(super) const SIZE: usize = 16;

/// A record says its depth modulo this.
pub(super) const DEPTHS: usize = 1 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Entry,
    Exit,
    Lost,
    Event,
}

/// A record: `time` u64, then from the lowest bit on 2 bits of type, 1 for arguments behind it, 3 of a
/// magic number, 10 of depth, 48 of address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub time: u64,
    pub kind: Type,
    pub arguments: bool,
    pub depth: usize,
    pub address: u64,
}

pub(super) const MAGIC: u64 = 5;

impl Record {
    /// The record at the start of `bytes`; none when they are too few or no record.
    #[inline]
    pub(super) fn read(bytes: &[u8]) -> Option<Record> {
        let (time, bytes) = bytes.split_first_chunk::<8>()?;
        let (data, _) = bytes.split_first_chunk::<8>()?;
        let data = u64::from_le_bytes(*data);
        if data >> 3 & 7 != MAGIC {
            return None;
        }
        Some(Record {
            time: u64::from_le_bytes(*time),
            kind: match data & 3 {
                0 => Type::Entry,
                1 => Type::Exit,
                2 => Type::Lost,
                _ => Type::Event,
            },
            arguments: data >> 2 & 1 == 1,
            depth: (data >> 6) as usize % DEPTHS,
            address: data >> 16,
        })
    }

    /// The time of the record at the start of `bytes`; none when they are too few or no record.
    #[inline]
    pub(super) fn time(bytes: &[u8]) -> Option<u64> {
        let (time, bytes) = bytes.split_first_chunk::<8>()?;
        let (data, _) = bytes.split_first_chunk::<8>()?;
        let is_record = u64::from_le_bytes(*data) >> 3 & 7 == MAGIC;
        is_record.then(|| u64::from_le_bytes(*time))
    }

    /// Whether it is none of those that numbers look like: negative ones of 32 bits, padded, are losses with arguments, or
    /// events with a number that none has (`enum uftrace_event_id`).
    pub(super) fn may_be_behind_arguments(self) -> bool {
        const FIRST_EVENT: u64 = 100_000;
        match self.kind {
            Type::Entry | Type::Exit => true,
            Type::Lost => !self.arguments,
            Type::Event => self.address >= FIRST_EVENT,
        }
    }

    /// Whether `next` can be the record after this one of the same task; whatever its depth where recording was off between
    /// them, until one of the times in `resumed`.
    pub(super) fn is_followed_by(self, next: Record, resumed: &[u64]) -> bool {
        /// A task that does nothing for longer is taken for other data.
        const LONGEST_PAUSE: u64 = 24 * 3600 * 1_000_000_000;
        let depth = match (self.kind, next.kind) {
            (Type::Entry, Type::Entry) => next.depth <= self.depth + 1,
            (Type::Entry, Type::Exit) => next.depth <= self.depth,
            (Type::Exit, Type::Entry) => next.depth <= self.depth,
            (Type::Exit, Type::Exit) => next.depth < self.depth.max(1),
            _ => true,
        };
        let is_gap = || {
            // In order: there may be hundreds of thousands.
            let after = resumed.partition_point(|&at| at <= self.time);
            resumed.get(after).is_some_and(|&at| at <= next.time)
        };
        let depth = depth || is_gap();
        let time = next.time.checked_sub(self.time);
        depth && time.is_some_and(|pause| pause < LONGEST_PAUSE) && next.address != 0
    }
}

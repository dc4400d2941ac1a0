//! Records in order of time. Each processor has a buffer of its own, which perf empties in turn: what was written in one round
//! is not older than what the round before the last wrote. So the records of a round can be given out, up to the latest time
//! of the round before it, when the next one ends (`tools/perf/util/ordered-events.c`).

use super::super::error::ImportError;
use super::records::Record;

/// How many bytes wait at most, whatever the rounds are: those of the buffers of a large machine.
const MOST: usize = 256 << 20;

/// simpleperf writes no rounds; its records are out of order by a few hundred.
const OF_SIMPLEPERF: usize = 1 << 20;

/// What a record that waits takes beside its body.
const ROW: usize = size_of::<Row>();

/// A record that waits.
#[derive(Clone, Copy)]
struct Row {
    time: u64,
    /// Its body is `bytes[start..end]`.
    start: usize,
    end: usize,
    kind: u32,
    misc: u16,
    at: u64,
}

pub(super) struct Rounds {
    most: usize,
    rows: Vec<Row>,
    bytes: Vec<u8>,
    /// The latest time so far, and that of the rounds before this one.
    latest: u64,
    before: u64,
}

impl Rounds {
    pub(super) fn new(is_simpleperf: bool) -> Rounds {
        Rounds {
            most: if is_simpleperf { OF_SIMPLEPERF } else { MOST },
            rows: Vec::new(),
            bytes: Vec::new(),
            latest: 0,
            before: 0,
        }
    }

    /// Takes a record with its time.
    pub(super) fn push(
        &mut self,
        time: u64,
        record: &Record<'_>,
        take: impl FnMut(&Record<'_>) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(record.body);
        self.latest = self.latest.max(time);
        self.rows.push(Row {
            time,
            start,
            end: self.bytes.len(),
            kind: record.kind,
            misc: record.misc,
            at: record.at,
        });
        if self.bytes.len() + self.rows.len() * ROW < self.most {
            return Ok(());
        }
        // Half of them.
        self.rows.sort_by_key(|row| row.time);
        let half = self.rows[self.rows.len() / 2].time;
        self.give(half, take)
    }

    /// A round has ended.
    pub(super) fn round(
        &mut self,
        take: impl FnMut(&Record<'_>) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        let until = std::mem::replace(&mut self.before, self.latest);
        self.give(until, take)
    }

    /// The file has ended.
    pub(super) fn end(
        mut self,
        take: impl FnMut(&Record<'_>) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        self.give(u64::MAX, take)
    }

    /// Gives out what is not later than this.
    fn give(
        &mut self,
        until: u64,
        mut take: impl FnMut(&Record<'_>) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        // Those of one time stay in the order of the file.
        self.rows.sort_by_key(|row| row.time);
        let count = self.rows.partition_point(|row| row.time <= until);
        if count == 0 {
            return Ok(());
        }
        for row in &self.rows[..count] {
            take(&Record {
                kind: row.kind,
                misc: row.misc,
                body: &self.bytes[row.start..row.end],
                at: row.at,
            })?;
        }
        self.rows.drain(..count);
        let mut kept = Vec::new();
        for row in &mut self.rows {
            let start = kept.len();
            kept.extend_from_slice(&self.bytes[row.start..row.end]);
            (row.start, row.end) = (start, kept.len());
        }
        self.bytes = kept;
        Ok(())
    }
}

//! Events a few at a time: the names of all of them are looked up together, so that the processor waits for
//! its memory once, not once an event.

/// How many events there are in a batch.
pub(super) const MOST: usize = 32;

/// A begin, end or complete event that lacks nothing and says no more than its name.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Plain<'a> {
    pub offset: u64,
    /// As it is written; an end may have none.
    pub name: Option<&'a [u8]>,
    /// Of the name, but for an end.
    pub hash: u64,
    /// Nanoseconds.
    pub start: i64,
    /// Of a complete event, nanoseconds, not negative.
    pub cost: i64,
    /// Its `args`, where it has arguments.
    pub args: Option<&'a [u8]>,
    /// The place of its thread.
    pub thread: u32,
    pub phase: u8,
}

/// Events in the order of the file.
pub(super) struct Batch<'a> {
    events: [Plain<'a>; MOST],
    count: usize,
}

impl<'a> Batch<'a> {
    pub(super) fn new() -> Batch<'a> {
        Batch {
            events: [Plain::default(); MOST],
            count: 0,
        }
    }

    /// Adds an event; whether the batch is full then.
    #[inline]
    pub(super) fn push(&mut self, event: Plain<'a>) -> bool {
        if let Some(place) = self.events.get_mut(self.count) {
            *place = event;
            self.count += 1;
        }
        self.count >= MOST
    }

    /// The events, which are in it no longer.
    #[inline]
    pub(super) fn take(&mut self) -> &[Plain<'a>] {
        let count = std::mem::take(&mut self.count);
        &self.events[..count]
    }
}

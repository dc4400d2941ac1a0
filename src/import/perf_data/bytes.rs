//! Numbers and texts in the order of bytes of the machine that recorded.

/// The order of bytes of a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Order {
    #[default]
    LowFirst,
    HighFirst,
}

/// Bytes that are read from their start on. `None` where they end before.
#[derive(Clone, Copy)]
pub(super) struct Bytes<'a> {
    rest: &'a [u8],
    order: Order,
}

impl<'a> Bytes<'a> {
    pub(super) fn new(rest: &'a [u8], order: Order) -> Bytes<'a> {
        Bytes { rest, order }
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(super) fn take(&mut self, count: u64) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(usize::try_from(count).ok()?)?;
        self.rest = rest;
        Some(taken)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        let bytes = self.take(2)?.try_into().ok()?;
        Some(match self.order {
            Order::LowFirst => u16::from_le_bytes(bytes),
            Order::HighFirst => u16::from_be_bytes(bytes),
        })
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        let bytes = self.take(4)?.try_into().ok()?;
        Some(match self.order {
            Order::LowFirst => u32::from_le_bytes(bytes),
            Order::HighFirst => u32::from_be_bytes(bytes),
        })
    }

    pub(super) fn i32(&mut self) -> Option<i32> {
        self.u32().map(u32::cast_signed)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        let bytes = self.take(8)?.try_into().ok()?;
        Some(match self.order {
            Order::LowFirst => u64::from_le_bytes(bytes),
            Order::HighFirst => u64::from_be_bytes(bytes),
        })
    }

    /// Passes over as many numbers of 8 bytes.
    pub(super) fn skip(&mut self, count: u64) -> Option<()> {
        self.take(count.checked_mul(8)?).map(|_| ())
    }

    /// Up to a zero, which is taken too, or all.
    pub(super) fn text(&mut self) -> &'a [u8] {
        let end = memchr::memchr(0, self.rest).unwrap_or(self.rest.len());
        let text = &self.rest[..end];
        self.rest = self.rest.get(end + 1..).unwrap_or_default();
        text
    }

    /// A text of perf's features, behind its length with padding.
    pub(super) fn padded_text(&mut self) -> Option<&'a [u8]> {
        let length = self.u32()?;
        let bytes = self.take(u64::from(length))?;
        Some(Bytes::new(bytes, self.order).text())
    }
}

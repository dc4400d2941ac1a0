//! Text in UTF-16, as consoles of Windows write what programs print into a file: handed on as UTF-8. It is recognised
//! by its byte order mark (<https://www.unicode.org/faq/utf_bom.html>).

use std::io::{self, Read};

/// The order of the bytes of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    LowFirst,
    HighFirst,
}

/// The order of a text that begins with a mark.
pub(crate) fn order(head: &[u8]) -> Option<Order> {
    match head {
        [0xff, 0xfe, ..] => Some(Order::LowFirst),
        [0xfe, 0xff, ..] => Some(Order::HighFirst),
        _ => None,
    }
}

/// Reads UTF-16 as UTF-8. What is none, such as half a pair, becomes the character that stands for such.
pub(crate) struct Utf8<R> {
    inner: R,
    order: Order,
    /// Bytes of a unit or pair that are not whole yet.
    rest: Vec<u8>,
    /// Text that was not asked for yet, from `next` on.
    text: Vec<u8>,
    next: usize,
}

/// How many bytes are read at once.
const CHUNK: usize = 32 << 10;

impl<R: Read> Utf8<R> {
    pub(crate) fn new(inner: R, order: Order) -> Utf8<R> {
        Utf8 {
            inner,
            order,
            rest: Vec::new(),
            text: Vec::new(),
            next: 0,
        }
    }

    /// Reads and converts a further part; nothing is left then at the end alone.
    fn fill(&mut self) -> io::Result<()> {
        self.text.clear();
        self.next = 0;
        while self.text.is_empty() {
            let kept = self.rest.len();
            self.rest.resize(kept + CHUNK, 0);
            let read = self.inner.read(&mut self.rest[kept..]);
            self.rest.truncate(kept + *read.as_ref().unwrap_or(&0));
            let at_end = read? == 0;
            if at_end && self.rest.is_empty() {
                return Ok(());
            }
            self.convert(at_end);
        }
        Ok(())
    }

    fn convert(&mut self, at_end: bool) {
        let unit = |pair: &[u8; 2]| match self.order {
            Order::LowFirst => u16::from_le_bytes(*pair),
            Order::HighFirst => u16::from_be_bytes(*pair),
        };
        let (pairs, half) = self.rest.as_chunks::<2>();
        // The first half of a pair waits for its second.
        let waits = !at_end
            && pairs
                .last()
                .is_some_and(|last| (0xd800..0xdc00).contains(&unit(last)));
        let ready = &pairs[..pairs.len() - usize::from(waits)];
        let mut encoded = [0; 4];
        for decoded in char::decode_utf16(ready.iter().map(unit)) {
            let next = decoded.unwrap_or(char::REPLACEMENT_CHARACTER);
            let bytes = next.encode_utf8(&mut encoded).as_bytes();
            self.text.extend_from_slice(bytes);
        }
        if at_end && !half.is_empty() {
            let bytes = char::REPLACEMENT_CHARACTER.encode_utf8(&mut encoded);
            self.text.extend_from_slice(bytes.as_bytes());
            self.rest.clear();
            return;
        }
        let done = ready.len() * 2;
        self.rest.drain(..done);
    }
}

impl<R: Read> Read for Utf8<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.next == self.text.len() {
            self.fill()?;
        }
        let ready = &self.text[self.next..];
        let count = ready.len().min(buffer.len());
        buffer[..count].copy_from_slice(&ready[..count]);
        self.next += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gives a few bytes at a time.
    struct Trickle<'a>(&'a [u8], usize);

    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(self.1).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn converted(bytes: &[u8], order: Order, at_once: usize) -> String {
        let mut text = String::new();
        let mut reader = Utf8::new(Trickle(bytes, at_once), order);
        reader.read_to_string(&mut text).expect("UTF-8");
        text
    }

    #[test]
    fn text_is_the_same_however_it_comes() {
        let text = "main;größe;🦀 12\r\nmain;日本 3\n".repeat(3);
        for order in [Order::LowFirst, Order::HighFirst] {
            let bytes: Vec<u8> = text
                .encode_utf16()
                .flat_map(|unit| match order {
                    Order::LowFirst => unit.to_le_bytes(),
                    Order::HighFirst => unit.to_be_bytes(),
                })
                .collect();
            for at_once in [1, 2, 3, 5, 7, 1 << 20] {
                assert_eq!(
                    converted(&bytes, order, at_once),
                    text,
                    "{order:?} {at_once}"
                );
            }
        }
    }

    #[test]
    fn what_is_no_text_is_replaced() {
        let half_pair = [0x61, 0x00, 0x00, 0xd8, 0x62, 0x00];
        assert_eq!(converted(&half_pair, Order::LowFirst, 1), "a\u{fffd}b");
        let cut = [0x61, 0x00, 0x00, 0xd8];
        assert_eq!(converted(&cut, Order::LowFirst, 3), "a\u{fffd}");
        assert_eq!(
            converted(&[0x61, 0x00, 0x62], Order::LowFirst, 9),
            "a\u{fffd}"
        );
        assert_eq!(converted(&[], Order::LowFirst, 9), "");
    }
}

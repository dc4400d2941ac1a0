//! Pieces of text that are expected where they stood before: compared in words of eight bytes.

/// Some bytes.
#[derive(Debug, PartialEq)]
pub(crate) struct Literal {
    /// In words, and the bits of each that count.
    words: Vec<(u64, u64)>,
    length: usize,
}

impl Literal {
    pub(crate) fn new(bytes: &[u8]) -> Literal {
        let words = bytes.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            let unused = 64 - 8 * chunk.len() as u32;
            (u64::from_le_bytes(word), u64::MAX >> unused)
        });
        Literal {
            words: words.collect(),
            length: bytes.len(),
        }
    }

    /// Where the literal ends that begins at `at`; none where something else stands there, or where the bytes at hand
    /// end soon behind it.
    #[inline]
    pub(crate) fn end(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let (chunks, _) = bytes.get(at..)?.as_chunks::<8>();
        let differ = self.words.iter().zip(chunks);
        let differ = differ.fold(0, |differ, ((word, mask), chunk)| {
            differ | (u64::from_le_bytes(*chunk) ^ word) & mask
        });
        (chunks.len() >= self.words.len() && differ == 0).then_some(at + self.length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_literal_is_found_where_it_stands_and_nowhere_else() {
        let text: Vec<u8> = (0..64).collect();
        for start in 0..20 {
            for length in 0..20 {
                let literal = Literal::new(&text[start..start + length]);
                assert_eq!(literal.end(&text, start), Some(start + length));
                if length > 0 {
                    assert_eq!(literal.end(&text, start + 1), None);
                    assert_eq!(literal.end(&text[..start + length - 1], start), None);
                }
            }
        }
    }
}

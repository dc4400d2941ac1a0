//! Zstandard (RFC 8878): the frames of a file as one stream. What comes before damage is given out: a block is
//! decompressed as a whole, so that the blocks before the damaged one are kept. What follows the last frame is left
//! out and counted.

use std::cell::Cell;
use std::io::{self, BufRead, BufReader, Read};
use std::rc::Rc;

use zstd::stream::raw::{Decoder, InBuffer, Operation, OutBuffer};

use callscape_base::warnings::{Place, Reporter};

/// What a frame begins with.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Behind any first byte from 0x50 to 0x5f: a frame without data, which pzstd and seekable files begin with.
const SKIPPED: [u8; 3] = [0x2a, 0x4d, 0x18];

/// The most that a block and the header behind it take.
const LARGEST_BLOCK: usize = (128 << 10) + 3;

/// What a decoder asks for before it knows anything of a frame.
const START: usize = 5;

/// Whether a file that begins with `head` is compressed with Zstandard.
pub(crate) fn sniff(head: &[u8]) -> bool {
    head.starts_with(&MAGIC)
        || (head.get(1..4) == Some(&SKIPPED) && (0x50..0x60).contains(&head[0]))
}

/// The bytes of a file of frames, decompressed.
pub(crate) struct Zstandard<'a, R: Read> {
    decoder: Decoder<'static>,
    rest: BufReader<R>,
    /// How many bytes the decoder wants next: up to the end of a block. It gives nothing of a block when it finds
    /// damage in the next one within the same step.
    wanted: usize,
    /// It holds more than was taken from it.
    full: bool,
    /// Nothing of the next frame has been taken yet.
    between: bool,
    /// A frame has ended.
    any: bool,
    name: String,
    /// Bytes that were taken from the file so far.
    taken: Rc<Cell<u64>>,
    reporter: &'a Reporter,
}

impl<'a, R: Read> Zstandard<'a, R> {
    /// The file `name`, of whose bytes `taken` says how many were read.
    pub(crate) fn new(
        reader: R,
        name: String,
        taken: Rc<Cell<u64>>,
        reporter: &'a Reporter,
    ) -> io::Result<Zstandard<'a, R>> {
        Ok(Zstandard {
            decoder: Decoder::new()?,
            rest: BufReader::with_capacity(LARGEST_BLOCK, reader),
            wanted: START,
            full: false,
            between: true,
            any: false,
            name,
            taken,
            reporter,
        })
    }
}

impl<R: Read> Read for Zstandard<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !buffer.is_empty() {
            let mut input: &[u8] = &[];
            if !self.full {
                input = self.rest.fill_buf()?;
                if input.is_empty() {
                    let ended = self.between && self.any;
                    return match ended {
                        true => Ok(0),
                        false => Err(io::ErrorKind::UnexpectedEof.into()),
                    };
                }
                input = &input[..input.len().min(self.wanted)];
            }
            let mut input = InBuffer::around(input);
            let mut output = OutBuffer::around(&mut *buffer);
            let left = match self.decoder.run(&mut input, &mut output) {
                Ok(left) => left,
                Err(_) if self.between && self.any => {
                    let offset = self.taken.get() - self.rest.buffer().len() as u64;
                    let place = || Place::offset(&self.name, offset);
                    self.reporter.warn("trailing-garbage", place);
                    // What follows stays where it is.
                    self.rest.consume(self.rest.buffer().len());
                    io::copy(&mut self.rest, &mut io::sink())?;
                    return Ok(0);
                }
                Err(error) => return Err(error),
            };
            let (taken, given) = (input.pos(), output.pos());
            self.rest.consume(taken);
            self.any |= left == 0;
            self.between = left == 0;
            self.wanted = if left == 0 { START } else { left };
            self.full = left > 0 && given == buffer.len();
            if given > 0 {
                return Ok(given);
            }
        }
        Ok(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpack(bytes: &[u8], step: usize) -> (io::Result<()>, Vec<u8>, Vec<String>) {
        let reporter = Reporter::new();
        let taken = Rc::new(Cell::new(bytes.len() as u64));
        let mut reader =
            Zstandard::new(bytes, "a".into(), taken, &reporter).expect("memory for a decoder");
        let (mut out, mut buffer) = (Vec::new(), vec![0; step]);
        let read = loop {
            match reader.read(&mut buffer) {
                Ok(0) => break Ok(()),
                Ok(count) => out.extend_from_slice(&buffer[..count]),
                Err(error) => break Err(error),
            }
        };
        drop(reader);
        let kinds = reporter.warnings();
        let kinds = kinds.iter().map(|warning| warning.kind.to_string());
        (read, out, kinds.collect())
    }

    /// Text that does not compress to nothing.
    fn text(length: usize) -> Vec<u8> {
        let mut state = 1_u64;
        (0..length)
            .map(|_| {
                state = state
                    .wrapping_mul(6364136223846793005)
                    .wrapping_add(1442695040888963407);
                b'a' + (state >> 60) as u8
            })
            .collect()
    }

    fn pack(text: &[u8]) -> Vec<u8> {
        let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 1).expect("memory");
        encoder.include_checksum(true).expect("an encoder");
        io::copy(&mut &text[..], &mut encoder).expect("memory");
        encoder.finish().expect("memory")
    }

    #[test]
    fn frames_follow_each_other_and_blocks_before_damage_are_kept() {
        const BLOCK: usize = 128 << 10;
        let text = text(5 * BLOCK / 2);
        let frame = pack(&text);
        let mut whole = b"\x53\x2a\x4d\x18\x02\x00\x00\x00xy".to_vec();
        assert!(sniff(&whole) && sniff(&frame));
        whole.extend_from_slice(&frame);
        let one = whole.len();
        whole.extend_from_slice(&frame);
        for step in [1, 7, 1000, 64 << 10, 1 << 20] {
            let (read, out, warnings) = unpack(&whole, step);
            read.expect("sound");
            assert!(out.len() == 2 * text.len() && out.starts_with(&text) && out.ends_with(&text));
            assert!(warnings.is_empty());
            let garbage = [&whole[..], b"no frame"].concat();
            let (read, out, warnings) = unpack(&garbage, step);
            read.expect("sound but for what follows");
            assert_eq!(out.len(), 2 * text.len());
            assert_eq!(warnings, ["trailing-garbage"]);
            // Cut, or damaged, in the second block of the second frame.
            let place = one + frame.len() * 3 / 5;
            let (read, out, _) = unpack(&whole[..place], step);
            assert_eq!(read.expect_err("cut").kind(), io::ErrorKind::UnexpectedEof);
            assert_eq!(out.len(), text.len() + BLOCK, "step {step}");
            assert!(out.starts_with(&text) && out.ends_with(&text[..BLOCK]));
        }
        let mut kept = 0;
        for bit in 0..200 {
            let mut damaged = frame.clone();
            let place = frame.len() / 2 + bit * frame.len() / 500;
            damaged[place] ^= 1 << (bit % 8);
            let (read, out, _) = unpack(&damaged, 64 << 10);
            read.expect_err("a block or the checksum is wrong");
            assert!(out.starts_with(&text[..BLOCK]));
            kept += usize::from(out.len() < text.len());
        }
        assert!(kept > 0);
    }
}

//! The bytes of an input, decompressed where it is compressed with gzip or Zstandard.

use std::cell::Cell;
use std::io::{self, BufReader, Read};
use std::rc::Rc;

use super::gzip::{self, Gzip};
use super::input::Input;
use super::zstandard::{self, Zstandard};
use callscape_base::progress::Progress;
use callscape_base::warnings::Reporter;

/// How much of a compressed file is read at once.
const CHUNK: usize = 64 << 10;

/// Bytes of a file itself, compressed or not, that were read so far.
pub(crate) type Taken = Rc<Cell<u64>>;

/// The bytes of an input as they come when it is decompressed.
pub(crate) struct Unpacked<'a> {
    pub reader: Box<dyn Read + 'a>,
    pub is_compressed: bool,
}

/// Opens an input. `taken` says from then on how many bytes of the file itself were read.
pub(crate) fn unpacked<'a>(
    input: &'a Input,
    progress: &'a Progress,
    taken: &Taken,
    reporter: &'a Reporter,
) -> io::Result<Unpacked<'a>> {
    let name = input.display().to_string();
    let mut file = Counted {
        file: input.open(progress)?,
        taken: taken.clone(),
    };
    let mut magic = [0; 4];
    let (got, error) = read_full(&mut file, &mut magic);
    if let Some(error) = error {
        return Err(error);
    }
    let magic = &magic[..got];
    let whole = io::Cursor::new(magic.to_vec()).chain(file);
    let (is_gzip, is_zstandard) = (magic.starts_with(gzip::MAGIC), zstandard::sniff(magic));
    let reader: Box<dyn Read + 'a> = if is_gzip {
        let input = BufReader::with_capacity(CHUNK, whole);
        Box::new(Gzip::new(input, name, taken.clone(), reporter))
    } else if is_zstandard {
        Box::new(Zstandard::new(whole, name, taken.clone(), reporter)?)
    } else {
        Box::new(whole)
    };
    Ok(Unpacked {
        reader,
        is_compressed: is_gzip || is_zstandard,
    })
}

/// Counts the bytes that are taken from a file.
struct Counted<'a> {
    file: Box<dyn Read + 'a>,
    taken: Taken,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(buffer)?;
        self.taken.set(self.taken.get() + count as u64);
        Ok(count)
    }
}

/// Reads until `buffer` is full, the input ends or fails; gives the error behind what was read.
pub(crate) fn read_full(reader: &mut dyn Read, buffer: &mut [u8]) -> (usize, Option<io::Error>) {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return (filled, Some(error)),
        }
    }
    (filled, None)
}

//! Requests as `callscape --listen` keeps them, in one file: each with its length and checksums, so that one that was written
//! in part, or was damaged later, harms no other.
//!
//! The file begins with [`MAGIC`]. Each request has a header of sixteen bytes: four letters for its [`Form`], its length, the
//! CRC-32 of its bytes, and the CRC-32 of these twelve bytes; numbers have their lowest byte first. Its bytes follow as they
//! came, compressed where they were.

use std::io::Read;

use super::request::{self, Encoding};
use crate::error::ImportError;
use crate::input::Input;
use crate::spans::Spans;
use crate::stream::Window;
use callscape_base::progress::Progress;
use callscape_base::warnings::Reporter;

/// The first bytes of a file.
pub const MAGIC: &[u8] = b"callscape-spans 1\n";

/// Bytes of a request at most, as it came and decompressed.
pub const LONGEST: u64 = 32 << 20;

const HEADER: usize = 16;

/// How the bytes of a request are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    pub encoding: Encoding,
    pub packing: Packing,
}

/// How the bytes of a request are compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    None,
    Gzip,
    /// `deflate` of HTTP.
    Zlib,
}

impl Packing {
    /// The decompressed bytes.
    pub fn unpack(self, body: &[u8]) -> Box<dyn Read + '_> {
        match self {
            Packing::None => Box::new(body),
            Packing::Gzip => Box::new(flate2::read::MultiGzDecoder::new(body)),
            Packing::Zlib => Box::new(flate2::read::ZlibDecoder::new(body)),
        }
    }
}

const FORMS: [(&[u8; 4], Encoding, Packing); 6] = [
    (b"json", Encoding::Json, Packing::None),
    (b"jsgz", Encoding::Json, Packing::Gzip),
    (b"jszl", Encoding::Json, Packing::Zlib),
    (b"prot", Encoding::Binary, Packing::None),
    (b"prgz", Encoding::Binary, Packing::Gzip),
    (b"przl", Encoding::Binary, Packing::Zlib),
];

/// The header of a request.
pub fn header(form: Form, body: &[u8]) -> [u8; HEADER] {
    let is_form = |it: &&(_, Encoding, Packing)| (it.1, it.2) == (form.encoding, form.packing);
    let mark = FORMS.iter().find(is_form).map_or(FORMS[0].0, |it| it.0);
    let mut header = [0; HEADER];
    header[..4].copy_from_slice(mark);
    // Nothing longer than LONGEST is kept.
    header[4..8].copy_from_slice(&(body.len() as u32).to_le_bytes());
    header[8..12].copy_from_slice(&crc32fast::hash(body).to_le_bytes());
    let checksum = crc32fast::hash(&header[..12]);
    header[12..].copy_from_slice(&checksum.to_le_bytes());
    header
}

/// What the header at the start of `bytes` says: the form, the length and the checksum of the request.
fn announced(bytes: &[u8]) -> Option<(Form, usize, u32)> {
    let (words, _) = bytes.get(..HEADER)?.as_chunks::<4>();
    let [mark, length, checksum, of_header] = words else {
        return None;
    };
    if crc32fast::hash(&bytes[..12]) != u32::from_le_bytes(*of_header) {
        return None;
    }
    let &(_, encoding, packing) = FORMS.iter().find(|it| it.0 == mark)?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let form = Form { encoding, packing };
    (length as u64 <= LONGEST).then_some((form, length, u32::from_le_bytes(*checksum)))
}

/// Whether a file that begins with `head` holds requests in this form.
pub fn sniff(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

/// Reads the spans; gives where the file ended. What was written in part or is damaged is passed over and counted.
pub fn read(
    input: &Input,
    spans: &mut Spans,
    progress: &Progress,
    reporter: &Reporter,
) -> Result<u64, ImportError> {
    let mut window = Window::open(input, progress, reporter)?;
    window.consume(MAGIC.len());
    let mut is_lost = false;
    while window.have(HEADER)? || !window.data().is_empty() {
        let offset = window.offset();
        let Some((form, length, checksum)) = announced(window.data()) else {
            let is_cut = window.data().len() < HEADER;
            if !is_lost {
                let kind = if is_cut {
                    "truncated-file"
                } else {
                    "damaged-message"
                };
                reporter.warn(kind, || window.place(offset));
            }
            // The next header is looked for.
            is_lost = true;
            let next = window.data().iter().skip(1);
            let next = next.zip(1..).find(|(byte, _)| matches!(byte, b'j' | b'p'));
            window.consume(next.map_or(window.data().len(), |(_, at)| at));
            continue;
        };
        is_lost = false;
        if !window.have(HEADER + length)? {
            reporter.warn("truncated-file", || window.place(offset));
            window.consume(window.data().len());
            break;
        }
        let body = &window.data()[HEADER..HEADER + length];
        let whole = (crc32fast::hash(body) == checksum).then(|| unpacked(form, body));
        let is_read = whole.flatten().is_some_and(|bytes| {
            let at = offset + HEADER as u64;
            let over = Window::over(bytes, window.name(), at, progress, reporter);
            request::read(over, form.encoding, spans, reporter)
                .1
                .is_ok()
        });
        if !is_read {
            reporter.warn("damaged-message", || window.place(offset));
        }
        window.consume(HEADER + length);
    }
    Ok(window.offset())
}

/// The bytes of a request, decompressed; none where that cannot be, or gives too much.
fn unpacked(form: Form, body: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let reader = form.packing.unpack(body);
    let read = reader.take(LONGEST + 1).read_to_end(&mut bytes);
    (read.is_ok() && bytes.len() as u64 <= LONGEST).then_some(bytes)
}

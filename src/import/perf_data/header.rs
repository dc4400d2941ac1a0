//! The header of a recording: in which order its bytes are, and where things are in the file.

use super::super::error::ImportError;
use super::super::stream::Window;
use super::bytes::{Bytes, Order};

/// What a recording begins with, by the order of its bytes.
pub(super) const MAGIC: [&[u8]; 2] = [b"PERFILE2", b"2ELIFREP"];

/// The length of the header of a file, and of a pipe.
const HEADER: usize = 104;
pub(super) const PIPE_HEADER: u64 = 16;

/// A part of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Section {
    pub offset: u64,
    pub size: u64,
}

impl Section {
    pub(super) fn read(bytes: &mut Bytes<'_>) -> Option<Section> {
        Some(Section {
            offset: bytes.u64()?,
            size: bytes.u64()?,
        })
    }

    /// Its bytes in the front of a file.
    pub(super) fn of<'f>(&self, front: &'f [u8]) -> Option<&'f [u8]> {
        let start = usize::try_from(self.offset).ok()?;
        let size = usize::try_from(self.size).ok()?;
        front.get(start..start.checked_add(size)?)
    }
}

/// The header of a recording.
#[derive(Clone, Debug)]
pub(super) struct Header {
    pub order: Order,
    /// None has what was written to a pipe.
    pub file: Option<Places>,
}

/// Where things are in a file.
#[derive(Clone, Debug)]
pub(super) struct Places {
    pub attribute_size: u64,
    pub attributes: Section,
    pub data: Section,
    /// A bit for each kind of feature, by its number.
    features: [u64; 4],
}

impl Header {
    /// Reads the header, and leaves the window at its start.
    pub(super) fn read(window: &mut Window<'_>) -> Result<Header, ImportError> {
        window.have(HEADER)?;
        let is_magic = |magic: &&[u8]| window.data().starts_with(magic);
        let order = match MAGIC.iter().position(is_magic) {
            Some(0) => Order::LowFirst,
            Some(_) => Order::HighFirst,
            None => {
                let place = window.place(0);
                return Err(ImportError::malformed(
                    place,
                    "PERFILE2",
                    "another beginning",
                ));
            }
        };
        let mut bytes = Bytes::new(&window.data()[MAGIC[0].len()..], order);
        let header = Header::places(&mut bytes).map(|file| Header { order, file });
        header.ok_or_else(|| {
            let found = format!("{} bytes", window.data().len());
            ImportError::malformed(window.place(0), "a header of 104 bytes", found)
        })
    }

    fn places(bytes: &mut Bytes<'_>) -> Option<Option<Places>> {
        if bytes.u64()? == PIPE_HEADER {
            return Some(None);
        }
        let attribute_size = bytes.u64()?;
        let attributes = Section::read(bytes)?;
        let data = Section::read(bytes)?;
        // Types of events, no more in use.
        Section::read(bytes)?;
        let mut features = [0; 4];
        for word in &mut features {
            *word = bytes.u64()?;
        }
        Some(Some(Places {
            attribute_size,
            attributes,
            data,
            features,
        }))
    }

    /// Where the data end; `None` at the end of the file, as perf had no time to say or wrote to a pipe.
    pub(super) fn data_end(&self) -> Option<u64> {
        let data = self.file.as_ref()?.data;
        (data.size > 0).then(|| data.offset.saturating_add(data.size))
    }

    /// The numbers of the features that the file has.
    pub(super) fn features(&self) -> Vec<u64> {
        let words = self.file.as_ref().map_or([0; 4], |file| file.features);
        let has = |number: &u64| words[(number / 64) as usize] >> (number % 64) & 1 != 0;
        (0..256).filter(has).collect()
    }
}

//! What simpleperf says of a recording: names of events, and the symbols of files on the device. Source:
//! `record_file.proto` and `record_file_writer.cpp` in <https://android.googlesource.com/platform/system/extras/+/main/simpleperf>.

use super::super::protobuf::Fields;
use super::bytes::{Bytes, Order};
use super::table::Table;

/// Types of files.
const KERNEL: u32 = 0;
const ELF: u32 = 2;
const COMPILED: u32 = 4;

/// The symbols of a file.
#[derive(Debug)]
pub(super) struct Symbols {
    pub path: Box<[u8]>,
    /// They are at addresses of the process, not of the file.
    pub is_absolute: bool,
    /// What to add to a place in the file.
    pub shift: u64,
    pub table: Table,
}

/// Names of events by type and configuration, from pairs of texts.
pub(super) fn kinds(bytes: &[u8]) -> Vec<(u32, u64, String)> {
    let mut texts = bytes.split(|&byte| byte == 0);
    let mut events: &[u8] = &[];
    while let (Some(key), Some(value)) = (texts.next(), texts.next()) {
        if key == b"event_type_info" {
            events = value;
        }
    }
    let events = String::from_utf8_lossy(events);
    let event = |line: &str| {
        let mut words = line.rsplitn(3, ',');
        let config = words.next()?.trim().parse().ok()?;
        let kind = words.next()?.parse().ok()?;
        Some((kind, config, words.next()?.to_owned()))
    };
    events.lines().filter_map(event).collect()
}

impl Symbols {
    /// Those in a message.
    pub(super) fn of_message(bytes: &[u8]) -> Option<Symbols> {
        let mut table = Table::default();
        let (mut path, mut kind, mut least, mut offset) = (&b""[..], 0, 0, None);
        let mut fields = Fields::new(bytes);
        for (number, value) in &mut fields {
            match number {
                1 => path = value.bytes()?,
                2 => kind = u32::try_from(value.number()?).ok()?,
                3 => least = value.number()?,
                4 => {
                    let (mut start, mut length, mut name) = (0, 0, &b""[..]);
                    for (number, value) in Fields::new(value.bytes()?) {
                        match number {
                            1 => start = value.number()?,
                            2 => length = value.number()?,
                            3 => name = value.bytes()?,
                            _ => {}
                        }
                    }
                    table.add(start, length, name, 0);
                }
                6 => {
                    let mut about = Fields::new(value.bytes()?);
                    let found = about.find(|it| it.0 == 1);
                    offset = Some(found.and_then(|it| it.1.number()).unwrap_or(0));
                }
                _ => {}
            }
        }
        fields.rest().is_empty().then_some(())?;
        Some(Symbols::new(path, (kind, least, offset), table))
    }

    /// Those in fields, as before Android 13.
    pub(super) fn of_fields(bytes: &[u8], order: Order) -> Option<Symbols> {
        let mut bytes = Bytes::new(bytes, order);
        let path = bytes.text();
        let (kind, least, count) = (bytes.u32()?, bytes.u64()?, bytes.u32()?);
        let mut table = Table::default();
        for _ in 0..count {
            let (start, length) = (bytes.u64()?, bytes.u32()?);
            table.add(start, u64::from(length), bytes.text(), 0);
        }
        let offset = bytes.u64().filter(|_| kind == ELF);
        Some(Symbols::new(path, (kind, least, offset), table))
    }

    fn new(
        path: &[u8],
        (kind, least, offset): (u32, u64, Option<u64>),
        mut table: Table,
    ) -> Symbols {
        table.sort();
        let offset = offset.filter(|&offset| offset != u64::MAX);
        Symbols {
            path: path.into(),
            is_absolute: matches!(kind, KERNEL | COMPILED),
            shift: match kind {
                ELF => least.wrapping_sub(offset.unwrap_or(0)),
                _ => 0,
            },
            table,
        }
    }
}

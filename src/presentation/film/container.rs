//! Encoded frames, and how a part of a film keeps them.

use std::io::{self, Read, Write};

/// One encoded frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Packet {
    /// It can be decoded without those before it.
    pub is_key: bool,
    pub bytes: Vec<u8>,
}

/// Writes a length, a flag, and the bytes of each packet.
pub(super) fn write(packets: &[Packet], out: &mut impl Write) -> io::Result<()> {
    for packet in packets {
        let length = u32::try_from(packet.bytes.len())
            .map_err(|_| io::Error::other("an encoded frame of 4 GB"))?;
        out.write_all(&length.to_le_bytes())?;
        out.write_all(&[u8::from(packet.is_key)])?;
        out.write_all(&packet.bytes)?;
    }
    Ok(())
}

/// The next packet of what [`write`] wrote; none at its end.
pub(super) fn read(from: &mut impl Read) -> io::Result<Option<Packet>> {
    let mut head = [0; 5];
    match from.read(&mut head[..1])? {
        0 => return Ok(None),
        _ => from.read_exact(&mut head[1..])?,
    }
    let [a, b, c, d, flag] = head;
    let length = u64::from(u32::from_le_bytes([a, b, c, d]));
    let mut bytes = Vec::new();
    if from.by_ref().take(length).read_to_end(&mut bytes)? as u64 != length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some(Packet {
        is_key: flag != 0,
        bytes,
    }))
}

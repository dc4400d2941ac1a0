//! Fields of protocol buffers, as tests and benches write them.

/// A number of as many bytes as it needs (LEB128).
pub fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// A field that is a number.
pub fn number(field: u64, value: u64, out: &mut Vec<u8>) {
    varint(field << 3, out);
    varint(value, out);
}

/// A field of bytes: text or a message.
pub fn bytes(field: u64, content: &[u8], out: &mut Vec<u8>) {
    varint(field << 3 | 2, out);
    varint(content.len() as u64, out);
    out.extend_from_slice(content);
}

/// A message made by `fill`, as a field.
pub fn message(field: u64, out: &mut Vec<u8>, fill: impl FnOnce(&mut Vec<u8>)) {
    let mut content = Vec::new();
    fill(&mut content);
    bytes(field, &content, out);
}

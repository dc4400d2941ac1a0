//! Animated GIF: what changed since the frame before, in a palette of its own.
//! <https://www.w3.org/Graphics/GIF/spec-gif89a.txt>

use std::io::{self, BufReader, Read, Write};

use gif::{DisposalMethod, Frame, Repeat};

use super::container::{self, Packet};
use super::settings::{FilmError, FilmSettings};
use callscape_look::image::Image;

/// Of 1 (best) to 30 (fastest): how many pixels the palette is made from.
const SPEED: i32 = 10;

pub(super) struct Gif {
    size: [u32; 2],
    /// The frame before; none at the start of a part.
    before: Option<Image>,
}

impl Gif {
    pub(super) fn new(settings: &FilmSettings) -> Gif {
        Gif {
            size: settings.size,
            before: None,
        }
    }

    pub(super) fn push(&mut self, image: &Image, out: &mut Vec<Packet>) -> Result<(), FilmError> {
        let is_key = self.before.is_none();
        let [left, top, right, bottom] = match &self.before {
            Some(before) => changed(before, image),
            None => [0, 0, self.size[0] as usize, self.size[1] as usize],
        };
        let (width, height) = (right - left, bottom - top);
        let row = image.width as usize * 4;
        let mut pixels = Vec::with_capacity(width * height * 4);
        for y in top..bottom {
            let start = y * row + left * 4;
            pixels.extend_from_slice(&image.rgba[start..start + width * 4]);
        }
        // The format has no half-transparent pixels.
        for pixel in pixels.chunks_exact_mut(4) {
            pixel[3] = 255;
        }
        let mut frame = Frame::from_rgba_speed(width as u16, height as u16, &mut pixels, SPEED);
        frame.make_lzw_pre_encoded();
        let mut bytes = Vec::new();
        for side in [left, top, width, height] {
            bytes.extend_from_slice(&(side as u16).to_le_bytes());
        }
        let palette = frame.palette.unwrap_or_default();
        bytes.extend_from_slice(&(palette.len() as u16).to_le_bytes());
        bytes.extend_from_slice(&palette);
        bytes.extend_from_slice(&frame.buffer);
        out.push(Packet { is_key, bytes });
        self.before = Some(image.clone());
        Ok(())
    }
}

/// The smallest rectangle that holds all pixels that differ, as left, top, right and bottom; one pixel for none.
fn changed(before: &Image, now: &Image) -> [usize; 4] {
    let row = now.width as usize * 4;
    let rows = before
        .rgba
        .chunks_exact(row)
        .zip(now.rgba.chunks_exact(row));
    let mut area: Option<[usize; 4]> = None;
    for (y, (a, b)) in rows.enumerate() {
        if a == b {
            continue;
        }
        let differs = |x: &usize| a[x * 4..x * 4 + 4] != b[x * 4..x * 4 + 4];
        let pixels = 0..row / 4;
        let first = pixels.clone().find(differs).unwrap_or(0);
        let last = pixels.rev().find(differs).unwrap_or(first);
        let [left, top, right, _] = area.unwrap_or([first, y, last + 1, 0]);
        area = Some([left.min(first), top, right.max(last + 1), y + 1]);
    }
    area.unwrap_or([0, 0, 1, 1])
}

/// Writes the whole film.
pub(super) fn write(
    settings: &FilmSettings,
    parts: &mut dyn Iterator<Item = io::Result<std::fs::File>>,
    out: &mut (impl Write + ?Sized),
) -> Result<(), FilmError> {
    let failed = |error: gif::EncodingError| match error {
        gif::EncodingError::Io(error) => FilmError::Io(error),
        other => FilmError::Encoder {
            encoder: "GIF",
            reason: other.to_string(),
        },
    };
    let [width, height] = settings.size.map(|side| side as u16);
    let mut encoder = gif::Encoder::new(out, width, height, &[]).map_err(failed)?;
    encoder.set_repeat(Repeat::Infinite).map_err(failed)?;
    let mut number = 0u64;
    let fps = u64::from(settings.fps);
    // Delays count hundredths of a second: what one frame's is short of, a later one's has more.
    let at = |frame: u64| (frame * 100 + fps / 2) / fps;
    for part in parts {
        let mut part = BufReader::new(part?);
        while let Some(packet) = container::read(&mut part)? {
            let mut frame = decode(&packet.bytes)?;
            frame.delay = (at(number + 1) - at(number)) as u16;
            number += 1;
            encoder
                .write_lzw_pre_encoded_frame(&frame)
                .map_err(failed)?;
        }
    }
    Ok(())
}

fn decode(mut bytes: &[u8]) -> io::Result<Frame<'static>> {
    let mut next = || -> io::Result<u16> {
        let mut two = [0; 2];
        bytes.read_exact(&mut two)?;
        Ok(u16::from_le_bytes(two))
    };
    let (left, top, width, height) = (next()?, next()?, next()?, next()?);
    let palette = usize::from(next()?);
    let (palette, buffer) = bytes
        .split_at_checked(palette)
        .ok_or(io::ErrorKind::UnexpectedEof)?;
    Ok(Frame {
        left,
        top,
        width,
        height,
        palette: Some(palette.to_vec()),
        buffer: buffer.to_vec().into(),
        dispose: DisposalMethod::Keep,
        ..Frame::default()
    })
}

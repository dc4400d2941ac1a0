//! A picture of a virtual display: Xvfb keeps what it shows in a file, in the format of `xwd`.
//!
//! See `XWDFile.h` of X11: a header of 25 numbers, a name, colours of 12 bytes each, and then the rows.

use std::path::Path;

use callscape::render::image::Image;

/// Writes what the display shows whose server has `folder`.
pub fn write(folder: &Path, picture: &Path) -> std::io::Result<()> {
    let bytes = std::fs::read(folder.join("Xvfb_screen0"))?;
    let wrong = || std::io::Error::other("the file of the display is in another format");
    let image = image(&bytes).ok_or_else(wrong)?;
    image.write_png(picture).map_err(std::io::Error::other)
}

fn image(bytes: &[u8]) -> Option<Image> {
    let number = |at: usize| {
        let bytes = bytes.get(4 * at..4 * at + 4)?.try_into().ok()?;
        usize::try_from(u32::from_be_bytes(bytes)).ok()
    };
    let (header, width, height) = (number(0)?, number(4)?, number(5)?);
    let (is_big_endian, bits, row, colors) =
        (number(7)? == 1, number(11)?, number(12)?, number(19)?);
    let rows = bytes.get(header + 12 * colors..)?;
    if bits != 32 || row < 4 * width {
        return None;
    }
    let mut rgba = Vec::with_capacity(4 * width * height);
    for row in rows.chunks(row).take(height) {
        for pixel in row.get(..4 * width)?.chunks_exact(4) {
            let [b, g, r] = match is_big_endian {
                true => [pixel[3], pixel[2], pixel[1]],
                false => [pixel[0], pixel[1], pixel[2]],
            };
            rgba.extend([r, g, b, 255]);
        }
    }
    let (width, height) = (u32::try_from(width).ok()?, u32::try_from(height).ok()?);
    (rgba.len() == 4 * width as usize * height as usize).then_some(Image {
        width,
        height,
        rgba,
    })
}

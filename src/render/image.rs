//! A picture read back from the GPU, and its PNG file.

use std::io::{self, Write};
use std::path::Path;

/// sRGB colours with straight alpha, rows from the top, four bytes a pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    pub width: u32,
    pub height: u32,
    pub rgba: Vec<u8>,
}

impl Image {
    /// Writes a PNG beside `path` and renames it into place.
    pub fn write_png(&self, path: &Path) -> io::Result<()> {
        let mut temporary = path.as_os_str().to_owned();
        temporary.push(".part");
        let written = self.encode_to(Path::new(&temporary));
        written
            .and_then(|()| std::fs::rename(&temporary, path))
            .inspect_err(|_| {
                // What was begun is of no use; that it could not be removed adds nothing to the error.
                let _ = std::fs::remove_file(&temporary);
            })
    }

    /// The bytes of a PNG.
    pub fn png(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.encode(&mut bytes)?;
        Ok(bytes)
    }

    fn encode_to(&self, path: &Path) -> io::Result<()> {
        let mut file = io::BufWriter::new(std::fs::File::create(path)?);
        self.encode(&mut file)?;
        file.flush()
    }

    fn encode(&self, out: &mut impl Write) -> io::Result<()> {
        let mut encoder = png::Encoder::new(out, self.width, self.height);
        encoder.set_color(png::ColorType::Rgba);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let mut writer = encoder.write_header().map_err(io::Error::other)?;
        writer
            .write_image_data(&self.rgba)
            .map_err(io::Error::other)?;
        writer.finish().map_err(io::Error::other)
    }
}

//! A picture read back from the GPU, and its PNG file.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::theme::{decoded, encoded};
use callscape_base::files::Temporary;

/// sRGB colours with straight alpha, rows from the top, four bytes a pixel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Image {
    pub width: u32,
    pub height: u32,
    pub rgba: Vec<u8>,
}

impl Image {
    /// Writes a PNG beside `path` and renames it into place.
    pub fn write_png(&self, path: &Path) -> io::Result<()> {
        let mut writer = PngWriter::create(path, [self.width, self.height])?;
        writer.rows(self)?;
        writer.finish()
    }

    /// The bytes of a PNG.
    pub fn png(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut writer = encoder(&mut bytes, [self.width, self.height])?;
        writer
            .write_image_data(&self.rgba)
            .map_err(io::Error::other)?;
        writer.finish().map_err(io::Error::other)?;
        Ok(bytes)
    }

    /// A part with sides of `size` pixels from `left` and `top` on; what lies outside of the picture is left out.
    pub fn part(&self, [left, top]: [u32; 2], size: [u32; 2]) -> Image {
        let left = left.min(self.width);
        let width = size[0].min(self.width - left);
        let top = top.min(self.height);
        let height = size[1].min(self.height - top);
        let mut rgba = Vec::with_capacity(width as usize * height as usize * 4);
        for y in top..top + height {
            let start = (y as usize * self.width as usize + left as usize) * 4;
            rgba.extend_from_slice(&self.rgba[start..start + width as usize * 4]);
        }
        Image {
            width,
            height,
            rgba,
        }
    }

    /// Lays `part` over this from `left` and `top` on, as far as it fits.
    pub fn put(&mut self, part: &Image, [left, top]: [u32; 2]) {
        let width = part.width.min(self.width.saturating_sub(left)) as usize * 4;
        for y in 0..part.height.min(self.height.saturating_sub(top)) {
            let to = ((top + y) as usize * self.width as usize + left as usize) * 4;
            let from = y as usize * part.width as usize * 4;
            self.rgba[to..to + width].copy_from_slice(&part.rgba[from..from + width]);
        }
    }

    /// Makes alpha straight where linear colours were multiplied by it before they were encoded.
    pub fn divide_by_alpha(&mut self) {
        for pixel in self.rgba.chunks_exact_mut(4) {
            let alpha = f32::from(pixel[3]) / 255.0;
            match pixel[3] {
                255 => {}
                0 => pixel.fill(0),
                _ => {
                    for part in &mut pixel[..3] {
                        *part = encoded((decoded(*part) / alpha).min(1.0));
                    }
                }
            }
        }
    }
}

fn encoder<W: Write>(out: W, [width, height]: [u32; 2]) -> io::Result<png::Writer<W>> {
    let mut encoder = png::Encoder::new(out, width, height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
    encoder.write_header().map_err(io::Error::other)
}

/// Where an encoder writes, which it keeps to itself.
#[derive(Clone)]
struct Shared(Arc<Mutex<BufWriter<File>>>);

impl Shared {
    fn out(&self) -> MutexGuard<'_, BufWriter<File>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out().flush()
    }
}

/// A PNG that is written row by row, beside its path until it is finished: memory does not grow with the picture.
pub struct PngWriter {
    stream: Option<png::StreamWriter<'static, Shared>>,
    out: Shared,
    path: PathBuf,
    temporary: Temporary,
}

impl PngWriter {
    /// Begins a picture with sides of `size` pixels.
    pub fn create(path: &Path, size: [u32; 2]) -> io::Result<PngWriter> {
        let temporary = Temporary::beside(path)?;
        let out = Shared(Arc::new(Mutex::new(BufWriter::new(
            temporary.file.try_clone()?,
        ))));
        let mut writer = PngWriter {
            stream: None,
            out: out.clone(),
            path: path.to_owned(),
            temporary,
        };
        let stream = encoder(out, size)?.into_stream_writer();
        writer.stream = Some(stream.map_err(io::Error::other)?);
        Ok(writer)
    }

    /// Adds the next rows, as wide as the picture.
    pub fn rows(&mut self, rows: &Image) -> io::Result<()> {
        match &mut self.stream {
            Some(stream) => stream.write_all(&rows.rgba),
            None => Ok(()),
        }
    }

    /// Renames what is whole into place; an error where rows are missing.
    pub fn finish(mut self) -> io::Result<()> {
        if let Some(stream) = self.stream.take() {
            stream.finish()?;
        }
        // The encoder writes its end when it is dropped, and takes no notice of errors there.
        self.out.flush()?;
        self.temporary.keep_as(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checkered(width: u32, height: u32) -> Image {
        let value = |at: u32| (at % 251) as u8;
        Image {
            width,
            height,
            rgba: (0..width * height * 4).map(value).collect(),
        }
    }

    #[test]
    fn parts_that_are_put_together_are_the_picture() {
        let image = checkered(37, 23);
        let mut again = Image {
            rgba: vec![0; image.rgba.len()],
            ..image.clone()
        };
        for top in (0..23).step_by(7) {
            for left in (0..37).step_by(10) {
                let part = image.part([left, top], [10, 7]);
                again.put(&part, [left, top]);
            }
        }
        assert_eq!(again, image);
        assert_eq!(image.part([99, 99], [5, 5]), Image::default());
        again.put(&image, [30, 20]);
    }

    #[test]
    fn strips_give_the_file_that_the_whole_picture_gives() {
        let folder = std::env::temp_dir().join(format!("callscape-png-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a temporary folder");
        let read = |path: &Path| {
            let file = io::BufReader::new(File::open(path).expect("it was written"));
            let mut reader = png::Decoder::new(file).read_info().expect("a PNG");
            let mut rgba = vec![0; reader.output_buffer_size().expect("a small picture")];
            reader.next_frame(&mut rgba).expect("a PNG");
            rgba
        };
        let image = checkered(37, 23);
        let path = folder.join("strips.png");
        let mut writer = PngWriter::create(&path, [37, 23]).expect("it can be written");
        for top in (0..23).step_by(7) {
            let strip = image.part([0, top], [37, 7]);
            writer.rows(&strip).expect("it can be written");
        }
        writer.finish().expect("all rows are there");
        assert_eq!(read(&path), image.rgba);
        // Half a picture leaves nothing behind.
        let path = folder.join("half.png");
        let mut writer = PngWriter::create(&path, [37, 23]).expect("it can be written");
        writer.rows(&image.part([0, 0], [37, 7])).expect("written");
        drop(writer);
        let left = std::fs::read_dir(&folder)
            .expect("the folder is there")
            .count();
        let _ = std::fs::remove_dir_all(&folder);
        assert_eq!(left, 1);
    }

    #[test]
    fn alpha_becomes_straight() {
        // Half of a linear 0.5, which is stored as 188.
        let mut image = Image {
            width: 3,
            height: 1,
            rgba: vec![188, 0, 255, 128, 9, 9, 9, 255, 7, 7, 7, 0],
        };
        image.divide_by_alpha();
        assert_eq!(image.rgba[..3], [255, 0, 255]);
        assert_eq!(image.rgba[4..], [9, 9, 9, 255, 0, 0, 0, 0]);
    }
}

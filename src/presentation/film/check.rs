//! Whether a film can be made of what is asked for.

use super::ffmpeg;
use super::settings::{FilmError, FilmSettings, Format};

impl FilmSettings {
    /// Whether a film can be made of them.
    pub fn check(&self) -> Result<(), FilmError> {
        if self.format == Format::WebM && cfg!(not(feature = "webm")) {
            return Err(FilmError::Unfit(
                "this program was built without the encoder for .webm; use .mp4, or build it with --features webm".to_owned(),
            ));
        }
        if self.by_ffmpeg {
            if self.format != Format::Mp4 {
                return Err(FilmError::Unfit(format!(
                    "expected a name that ends in .mp4 with --ffmpeg, found .{}",
                    self.format.ending()
                )));
            }
            ffmpeg::check()?;
        }
        let [longer, shorter] = self.format.largest();
        let [width, height] = self.size;
        let halves_colour = matches!(self.format, Format::Mp4 | Format::WebM);
        if halves_colour && (width % 2 + height % 2 > 0 || width.min(height) < 16) {
            return Err(FilmError::Unfit(format!(
                "a .{} has even sides of at least 16 pixels, found {width}x{height}",
                self.format.ending()
            )));
        }
        if width.max(height) > longer || width.min(height) > shorter {
            return Err(FilmError::Unfit(format!(
                "a .{} has at most {longer}x{shorter} pixels, found {width}x{height}",
                self.format.ending()
            )));
        }
        Ok(())
    }
}

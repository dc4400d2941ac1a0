//! Films: frames in, one file out.
//!
//! Frames are encoded in parts of a second, each of which can be decoded by itself, several at a time (`workers`).
//! Parts are kept beside the film until that is whole ([`parts`]): what was interrupted goes on where it stood. The
//! parts are then put into a container. Pictures in sequence (`sequence`) are parts by themselves.

#[cfg(feature = "webm")]
mod av1;
mod container;
mod encode;
mod ffmpeg;
mod gif;
mod h264;
mod mp4;
pub mod parts;
mod sequence;
#[cfg(feature = "webm")]
mod webm;
mod workers;
mod yuv;

use std::path::Path;

pub use parts::{Film, Plan};

/// What kind of file a film becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// H.264 in MP4: plays everywhere.
    Mp4,
    /// AV1 in WebM: free of licences, plays in browsers; slow to encode.
    WebM,
    /// Plays in every document; 256 colours a frame.
    Gif,
    /// No film but numbered pictures: a name with `%05d` where the number stands.
    Png,
}

impl Format {
    pub const ALL: [Format; 4] = [Format::Mp4, Format::WebM, Format::Gif, Format::Png];

    /// How names of such files end.
    pub fn ending(self) -> &'static str {
        match self {
            Format::Mp4 => "mp4",
            Format::WebM => "webm",
            Format::Gif => "gif",
            Format::Png => "png",
        }
    }

    /// By the ending of a file's name.
    pub fn of(path: &Path) -> Option<Format> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        let format = Format::ALL.into_iter().find(|it| it.ending() == ending)?;
        (format != Format::Png || sequence::has_number(path)).then_some(format)
    }

    /// The longer and the shorter side that a film of this kind can have, in pixels.
    pub fn largest(self) -> [u32; 2] {
        match self {
            // OpenH264 knows levels up to 5.2.
            Format::Mp4 => [3840, 2160],
            Format::WebM | Format::Gif | Format::Png => [8192, 8192],
        }
    }
}

/// What all frames of a film share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FilmSettings {
    pub format: Format,
    /// Even sides, in pixels.
    pub size: [u32; 2],
    /// Frames a second.
    pub fps: u32,
    /// An installed ffmpeg encodes them; of MP4 alone.
    pub by_ffmpeg: bool,
}

/// Why a film cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum FilmError {
    #[error(transparent)]
    Io(#[from] std::io::Error),
    #[error("the {encoder} encoder failed: {reason}")]
    Encoder {
        encoder: &'static str,
        reason: String,
    },
    #[error("{0}")]
    Unfit(String),
}

impl FilmSettings {
    /// Whether a film can be made of them.
    pub fn check(&self) -> Result<(), FilmError> {
        if self.format == Format::WebM && cfg!(not(feature = "webm")) {
            return Err(FilmError::Unfit(
                "this program was built without its encoder for .webm".to_owned(),
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

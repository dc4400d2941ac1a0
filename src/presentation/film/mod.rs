//! Films: frames in, one file out.
//!
//! Frames are encoded in parts of some seconds, each of which can be decoded by itself and is kept beside the film
//! until that is whole ([`parts`]): what was interrupted goes on where it stood. The parts are then put into a
//! container.

#[cfg(feature = "webm")]
mod av1;
mod container;
mod encode;
mod gif;
mod h264;
mod mp4;
pub mod parts;
#[cfg(feature = "webm")]
mod webm;
mod yuv;

use std::path::Path;

pub use encode::Encoder;
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
}

impl Format {
    pub const ALL: [Format; 3] = [Format::Mp4, Format::WebM, Format::Gif];

    /// How names of such files end.
    pub fn ending(self) -> &'static str {
        match self {
            Format::Mp4 => "mp4",
            Format::WebM => "webm",
            Format::Gif => "gif",
        }
    }

    /// By the ending of a file's name.
    pub fn of(path: &Path) -> Option<Format> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Format::ALL.into_iter().find(|it| it.ending() == ending)
    }

    /// The longer and the shorter side that a film of this kind can have, in pixels.
    pub fn largest(self) -> [u32; 2] {
        match self {
            // OpenH264 knows levels up to 5.2.
            Format::Mp4 => [3840, 2160],
            Format::WebM | Format::Gif => [8192, 8192],
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
}

/// Why a film cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum FilmError {
    #[error("{0}")]
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
        let [longer, shorter] = self.format.largest();
        let [width, height] = self.size;
        if width.max(height) > longer || width.min(height) > shorter {
            return Err(FilmError::Unfit(format!(
                "a .{} has at most {longer}x{shorter} pixels, found {width}x{height}",
                self.format.ending()
            )));
        }
        Ok(())
    }
}

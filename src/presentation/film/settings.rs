//! What all frames of a film share, and why a film cannot be made.

use std::io;
use std::path::Path;

use super::sequence;

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

pub(super) fn at(path: &Path) -> impl Fn(io::Error) -> FilmError {
    let path = path.to_owned();
    move |error| {
        FilmError::Io(io::Error::new(
            error.kind(),
            format!("{}: {error}", path.display()),
        ))
    }
}

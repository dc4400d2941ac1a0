//! The encoder of one part of a film.

use std::path::Path;

#[cfg(feature = "webm")]
use super::av1::Av1;
use super::container::Packet;
use super::ffmpeg::Ffmpeg;
use super::gif::Gif;
#[cfg(not(target_arch = "wasm32"))]
use super::h264::H264;
use super::settings::{FilmError, FilmSettings, Format};
use super::yuv::Planes;
use callscape_look::image::Image;

/// A frame as an encoder takes it.
#[derive(Debug)]
pub(super) enum Picture {
    Planes(Planes),
    Whole(Image),
}

impl Picture {
    /// Of an image with the film's sides; what `spare` has of memory is used again.
    pub(super) fn new(settings: &FilmSettings, image: &Image, spare: Option<Picture>) -> Picture {
        match (settings.format, spare) {
            (Format::Mp4 | Format::WebM, Some(Picture::Planes(mut planes))) => {
                planes.fill(image);
                Picture::Planes(planes)
            }
            (Format::Mp4 | Format::WebM, _) => {
                let mut planes = Planes::new(settings.size);
                planes.fill(image);
                Picture::Planes(planes)
            }
            (Format::Gif | Format::Png, Some(Picture::Whole(mut whole))) => {
                whole.clone_from(image);
                Picture::Whole(whole)
            }
            (Format::Gif | Format::Png, _) => Picture::Whole(image.clone()),
        }
    }

    /// Bytes that one takes.
    pub(super) fn bytes(settings: &FilmSettings) -> usize {
        let pixels = settings.size[0] as usize * settings.size[1] as usize;
        match settings.format {
            Format::Mp4 | Format::WebM => pixels * 3 / 2,
            Format::Gif | Format::Png => pixels * 4,
        }
    }
}

/// Makes packets of frames, as many as frames when it is finished.
pub(super) struct Encoder {
    codec: Codec,
    packets: Vec<Packet>,
}

enum Codec {
    #[cfg(not(target_arch = "wasm32"))]
    H264(Box<H264>),
    Ffmpeg(Ffmpeg),
    #[cfg(feature = "webm")]
    Av1(Box<Av1>),
    Gif(Gif),
}

impl Encoder {
    pub(super) fn new(settings: &FilmSettings) -> Result<Encoder, FilmError> {
        let codec = match settings.format {
            Format::Mp4 if settings.by_ffmpeg => Codec::Ffmpeg(Ffmpeg::new(settings)?),
            #[cfg(not(target_arch = "wasm32"))]
            Format::Mp4 => Codec::H264(Box::new(H264::new(settings)?)),
            // No film is written in a browser.
            #[cfg(target_arch = "wasm32")]
            Format::Mp4 => return Err(FilmError::Unfit("no .mp4".to_owned())),
            #[cfg(feature = "webm")]
            Format::WebM => Codec::Av1(Box::new(Av1::new(settings)?)),
            Format::Gif => Codec::Gif(Gif::new(settings)),
            // Refused by `FilmSettings::check`, and no film.
            #[cfg(not(feature = "webm"))]
            Format::WebM => return Err(FilmError::Unfit("no .webm".to_owned())),
            Format::Png => {
                return Err(FilmError::Unfit(
                    "a sequence of pictures is not a film".to_owned(),
                ));
            }
        };
        Ok(Encoder {
            codec,
            packets: Vec::new(),
        })
    }

    /// Takes the next frame, of the film's size and kind.
    pub(super) fn push(&mut self, picture: &Picture) -> Result<(), FilmError> {
        match (&mut self.codec, picture) {
            #[cfg(not(target_arch = "wasm32"))]
            (Codec::H264(h264), Picture::Planes(planes)) => h264.push(planes, &mut self.packets),
            (Codec::Ffmpeg(ffmpeg), Picture::Planes(planes)) => ffmpeg.push(planes),
            #[cfg(feature = "webm")]
            (Codec::Av1(av1), Picture::Planes(planes)) => av1.push(planes, &mut self.packets),
            (Codec::Gif(gif), Picture::Whole(image)) => gif.push(image, &mut self.packets),
            _ => Err(FilmError::Unfit("a frame of another kind".to_owned())),
        }
    }

    /// All packets of the part.
    pub(super) fn finish(mut self) -> Result<Vec<Packet>, FilmError> {
        match &mut self.codec {
            #[cfg(feature = "webm")]
            Codec::Av1(av1) => av1.finish(&mut self.packets)?,
            Codec::Ffmpeg(ffmpeg) => ffmpeg.finish(&mut self.packets)?,
            #[cfg(not(target_arch = "wasm32"))]
            Codec::H264(_) => {}
            Codec::Gif(_) => {}
        }
        Ok(self.packets)
    }
}

/// Writes a picture of a sequence.
pub(super) fn write_picture(picture: &Picture, path: &Path) -> Result<(), FilmError> {
    match picture {
        Picture::Whole(image) => Ok(image.write_png(path)?),
        Picture::Planes(_) => Err(FilmError::Unfit("a frame of another kind".to_owned())),
    }
}

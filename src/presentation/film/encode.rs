//! The encoder of one part of a film.

#[cfg(feature = "webm")]
use super::av1::Av1;
use super::container::Packet;
use super::gif::Gif;
use super::h264::H264;
use super::{FilmError, FilmSettings, Format};
use crate::render::image::Image;

/// Makes packets of frames, as many as frames when it is finished.
pub struct Encoder {
    codec: Codec,
    packets: Vec<Packet>,
}

enum Codec {
    H264(Box<H264>),
    #[cfg(feature = "webm")]
    Av1(Box<Av1>),
    Gif(Gif),
}

impl Encoder {
    pub fn new(settings: &FilmSettings) -> Result<Encoder, FilmError> {
        let codec = match settings.format {
            Format::Mp4 => Codec::H264(Box::new(H264::new(settings)?)),
            #[cfg(feature = "webm")]
            Format::WebM => Codec::Av1(Box::new(Av1::new(settings)?)),
            // Refused by `FilmSettings::check`.
            #[cfg(not(feature = "webm"))]
            Format::WebM => return Err(FilmError::Unfit("no .webm".to_owned())),
            Format::Gif => Codec::Gif(Gif::new(settings)),
        };
        Ok(Encoder {
            codec,
            packets: Vec::new(),
        })
    }

    /// Takes the next frame, of the film's size.
    pub fn push(&mut self, image: &Image) -> Result<(), FilmError> {
        match &mut self.codec {
            Codec::H264(h264) => h264.push(image, &mut self.packets),
            #[cfg(feature = "webm")]
            Codec::Av1(av1) => av1.push(image, &mut self.packets),
            Codec::Gif(gif) => gif.push(image, &mut self.packets),
        }
    }

    /// All packets of the part.
    #[cfg_attr(not(feature = "webm"), expect(unused_mut))]
    pub fn finish(mut self) -> Result<Vec<Packet>, FilmError> {
        #[cfg(feature = "webm")]
        if let Codec::Av1(av1) = &mut self.codec {
            av1.finish(&mut self.packets)?;
        }
        Ok(self.packets)
    }
}

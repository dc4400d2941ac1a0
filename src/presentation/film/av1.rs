//! AV1 by rav1e: temporal units as the containers take them, <https://github.com/xiph/rav1e>.

use rav1e::prelude::{
    ChromaSampling, ColorDescription, ColorPrimaries, Config, Context, EncoderConfig,
    EncoderStatus, FrameType, MatrixCoefficients, PixelRange, Rational, TransferCharacteristics,
};

use super::container::Packet;
use super::settings::{FilmError, FilmSettings};
use super::yuv::Planes;

/// Of 10: the fastest; slower ones take minutes a second of film.
const SPEED: u8 = 10;
/// Of 255.
const QUANTIZER: usize = 70;

pub(super) struct Av1 {
    context: Context<u8>,
}

fn failed(error: impl std::fmt::Display) -> FilmError {
    FilmError::Encoder {
        encoder: "AV1",
        reason: error.to_string(),
    }
}

fn context(settings: &FilmSettings) -> Result<Context<u8>, FilmError> {
    let mut config = EncoderConfig::with_speed_preset(SPEED);
    config.width = settings.size[0] as usize;
    config.height = settings.size[1] as usize;
    config.time_base = Rational::new(1, u64::from(settings.fps));
    config.chroma_sampling = ChromaSampling::Cs420;
    config.pixel_range = PixelRange::Limited;
    config.color_description = Some(ColorDescription {
        color_primaries: ColorPrimaries::BT709,
        transfer_characteristics: TransferCharacteristics::BT709,
        matrix_coefficients: MatrixCoefficients::BT709,
    });
    config.quantizer = QUANTIZER;
    // A frame of delay at most; packets come in the order of frames.
    config.low_latency = true;
    config.set_key_frame_interval(1, u64::from(settings.fps) * 2);
    // The same number on every machine, so that the bytes are the same.
    config.tiles = 4;
    let config = Config::new().with_encoder_config(config);
    config.new_context().map_err(failed)
}

/// The configuration record that containers hold, with the sequence header after it.
/// <https://aomediacodec.github.io/av1-isobmff/#av1codecconfigurationbox-section>
pub(super) fn configuration(settings: &FilmSettings) -> Result<Vec<u8>, FilmError> {
    Ok(context(settings)?.container_sequence_header())
}

impl Av1 {
    /// For one part of a film.
    pub(super) fn new(settings: &FilmSettings) -> Result<Av1, FilmError> {
        Ok(Av1 {
            context: context(settings)?,
        })
    }

    pub(super) fn push(&mut self, planes: &Planes, out: &mut Vec<Packet>) -> Result<(), FilmError> {
        let width = planes.width;
        let mut frame = self.context.new_frame();
        frame.planes[0].copy_from_raw_u8(&planes.y, width, 1);
        frame.planes[1].copy_from_raw_u8(&planes.u, width / 2, 1);
        frame.planes[2].copy_from_raw_u8(&planes.v, width / 2, 1);
        self.context.send_frame(frame).map_err(failed)?;
        self.receive(out)
    }

    pub(super) fn finish(&mut self, out: &mut Vec<Packet>) -> Result<(), FilmError> {
        self.context.flush();
        self.receive(out)
    }

    fn receive(&mut self, out: &mut Vec<Packet>) -> Result<(), FilmError> {
        loop {
            match self.context.receive_packet() {
                Ok(packet) => out.push(Packet {
                    is_key: packet.frame_type == FrameType::KEY,
                    bytes: packet.data,
                }),
                Err(EncoderStatus::Encoded) => {}
                Err(EncoderStatus::NeedMoreData | EncoderStatus::LimitReached) => return Ok(()),
                Err(status) => return Err(failed(status)),
            }
        }
    }
}

//! H.264 by OpenH264: packets in Annex B form, <https://www.openh264.org>.

use openh264::OpenH264API;
use openh264::encoder::{
    self, BitRate, Complexity, EncoderConfig, FrameRate, FrameType, IntraFramePeriod, QpRange,
    RateControlMode, SpsPpsStrategy, UsageType, VuiConfig,
};
use openh264::formats::YUVSlices;

use super::container::Packet;
use super::settings::{FilmError, FilmSettings};
use super::yuv::Planes;

/// How coarsely is quantized, of 51: large even surfaces and thin lines show coarse steps early.
const QUANTIZER: u8 = 20;

pub(super) struct H264 {
    encoder: encoder::Encoder,
}

fn failed(error: impl std::fmt::Display) -> FilmError {
    FilmError::Encoder {
        encoder: "H.264",
        reason: error.to_string(),
    }
}

impl H264 {
    /// For one part of a film.
    pub(super) fn new(settings: &FilmSettings) -> Result<H264, FilmError> {
        let config = EncoderConfig::new()
            // With a fixed quantizer a part does not depend on those before it.
            .rate_control_mode(RateControlMode::Off)
            .qp(QpRange::new(QUANTIZER, QUANTIZER))
            .bitrate(BitRate::from_bps(40_000_000))
            .skip_frames(false)
            .max_frame_rate(FrameRate::from_hz(settings.fps as f32))
            .usage_type(UsageType::CameraVideoRealTime)
            .complexity(Complexity::Medium)
            .sps_pps_strategy(SpsPpsStrategy::ConstantId)
            // A part begins with a key frame and has no other.
            .intra_frame_period(IntraFramePeriod::from_num_frames(0))
            .scene_change_detect(false)
            .background_detection(false)
            .adaptive_quantization(false)
            // Slices of several threads would show at their borders.
            .num_threads(1)
            .vui(VuiConfig::bt709());
        Ok(H264 {
            encoder: encoder::Encoder::with_api_config(OpenH264API::from_source(), config)
                .map_err(failed)?,
        })
    }

    pub(super) fn push(&mut self, planes: &Planes, out: &mut Vec<Packet>) -> Result<(), FilmError> {
        let (width, height) = (planes.width, planes.height);
        let source = YUVSlices::new(
            (&planes.y, &planes.u, &planes.v),
            (width, height),
            (width, width / 2, width / 2),
        );
        let stream = self.encoder.encode(&source).map_err(failed)?;
        let bytes = stream.to_vec();
        if bytes.is_empty() {
            return Err(failed("a frame was dropped"));
        }
        out.push(Packet {
            is_key: stream.frame_type() == FrameType::IDR,
            bytes,
        });
        Ok(())
    }
}

//! H.264 in an MP4 file whose index stands before the frames, so that it plays while it loads.

use std::io::{self, BufReader, Seek, SeekFrom, Write};
use std::num::NonZeroU32;

use shiguredo_mp4::bitstream::h264::{
    H264NalUnitType, H264SampleEntryConfig, LengthSize, build_avc1_box_from_annexb,
    parse_annexb_nal_units,
};
use shiguredo_mp4::boxes::{SampleEntry, UnknownBox};
use shiguredo_mp4::mux::{
    Mp4FileMuxer, Mp4FileMuxerOptions, Sample, estimate_maximum_moov_box_size,
};
use shiguredo_mp4::{BoxSize, BoxType, TrackKind};

use super::container;
use super::settings::{FilmError, FilmSettings};

fn failed(error: impl std::fmt::Display) -> FilmError {
    FilmError::Encoder {
        encoder: "MP4",
        reason: error.to_string(),
    }
}

/// Writes the whole film of `frames` frames.
pub(super) fn write(
    settings: &FilmSettings,
    frames: usize,
    parts: &mut dyn Iterator<Item = io::Result<std::fs::File>>,
    out: &mut (impl Write + Seek),
) -> Result<(), FilmError> {
    let options = Mp4FileMuxerOptions {
        reserved_moov_box_size: estimate_maximum_moov_box_size(&[frames]),
        ..Mp4FileMuxerOptions::default()
    };
    let mut muxer = Mp4FileMuxer::with_options(options).map_err(failed)?;
    let head = muxer.initial_boxes_bytes();
    out.write_all(head)?;
    let mut offset = head.len() as u64;
    let (mut entry, mut parameters) = (None, Vec::new());
    for part in parts {
        let mut part = BufReader::new(part?);
        while let Some(packet) = container::read(&mut part)? {
            if entry.is_none() {
                let config = H264SampleEntryConfig {
                    length_size: LengthSize::FourBytes,
                };
                let avc1 = build_avc1_box_from_annexb(&packet.bytes, &config);
                let mut avc1 = avc1.map_err(failed)?;
                avc1.unknown_boxes.push(colour());
                entry = Some(SampleEntry::Avc1(avc1));
            }
            let bytes = sample(&packet.bytes, &mut parameters)?;
            out.write_all(&bytes)?;
            let sample = Sample {
                track_kind: TrackKind::Video,
                sample_entry: entry.clone(),
                keyframe: packet.is_key,
                timescale: NonZeroU32::new(settings.fps).unwrap_or(NonZeroU32::MIN),
                duration: 1,
                composition_time_offset: None,
                data_offset: offset,
                data_size: bytes.len(),
            };
            muxer.append_sample(&sample).map_err(failed)?;
            offset += bytes.len() as u64;
        }
    }
    let finished = muxer.finalize().map_err(failed)?;
    for (offset, bytes) in finished.offset_and_bytes_pairs() {
        out.seek(SeekFrom::Start(offset))?;
        out.write_all(bytes)?;
    }
    Ok(())
}

/// What colours mean, for players that look for it beside the frames as well as in them: BT.709 of limited range
/// (ISO/IEC 14496-12, 12.1.5, `nclx`).
fn colour() -> UnknownBox {
    let mut payload = b"nclx".to_vec();
    for code in [1u16, 1, 1] {
        payload.extend_from_slice(&code.to_be_bytes());
    }
    payload.push(0);
    let kind = BoxType::Normal(*b"colr");
    UnknownBox {
        box_type: kind,
        box_size: BoxSize::with_payload_size(kind, payload.len() as u64),
        payload,
    }
}

/// The units of a frame in Annex B form as samples hold them, each after its length. Parameters, which stand in the
/// file's head, and delimiters are not in them (ISO/IEC 14496-15, 5.3 and 5.4: an `avc1` has none); `parameters` gets
/// those of the first frame that has some, and all others have to have the same.
fn sample(frame: &[u8], parameters: &mut Vec<Vec<u8>>) -> Result<Vec<u8>, FilmError> {
    let units = parse_annexb_nal_units(frame).map_err(failed)?;
    let of = |kind: H264NalUnitType| matches!(kind, H264NalUnitType::Sps | H264NalUnitType::Pps);
    let is_first = parameters.is_empty();
    let mut bytes = Vec::with_capacity(frame.len() + 16);
    for unit in units {
        if of(unit.nal_unit_type) {
            if is_first {
                parameters.push(unit.data.to_vec());
            } else if !parameters.iter().any(|it| it == unit.data) {
                return Err(failed(
                    "parts of the film are encoded differently from the first",
                ));
            }
            continue;
        }
        if unit.nal_unit_type == H264NalUnitType::Aud {
            continue;
        }
        let length = u32::try_from(unit.data.len()).map_err(failed)?;
        bytes.extend_from_slice(&length.to_be_bytes());
        bytes.extend_from_slice(unit.data);
    }
    Ok(bytes)
}

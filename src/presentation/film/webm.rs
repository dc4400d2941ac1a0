//! AV1 in a WebM file: EBML elements by hand, as none of the kept crates of a fitting licence writes them.
//! <https://www.rfc-editor.org/rfc/rfc9559> (Matroska), <https://www.webmproject.org/docs/container/>

use std::io::{self, BufReader, Seek, SeekFrom, Write};

use super::settings::{FilmError, FilmSettings};
use super::{av1, container};

/// A cluster's blocks count their times in 16 bits: a new one in time.
const CLUSTER_MS: u64 = 5_000;

/// An element with the bytes that it holds.
fn element(id: u32, content: &[u8]) -> Vec<u8> {
    let mut bytes = id_bytes(id);
    bytes.extend_from_slice(&size_bytes(content.len() as u64));
    bytes.extend_from_slice(content);
    bytes
}

fn id_bytes(id: u32) -> Vec<u8> {
    let bytes = id.to_be_bytes();
    let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
    bytes[zeros..].to_vec()
}

/// Always eight bytes: a size can be written again where it was not known.
fn size_bytes(size: u64) -> [u8; 8] {
    (size | 1 << 56).to_be_bytes()
}

fn number(id: u32, value: u64) -> Vec<u8> {
    element(id, &value.to_be_bytes())
}

fn text(id: u32, value: &str) -> Vec<u8> {
    element(id, value.as_bytes())
}

const SEGMENT: u32 = 0x1853_8067;
const INFO: u32 = 0x1549_A966;
const CUES: u32 = 0x1C53_BB6B;
const CLUSTER: u32 = 0x1F43_B675;

/// Writes the whole film of `frames` frames.
pub(super) fn write(
    settings: &FilmSettings,
    frames: usize,
    parts: &mut dyn Iterator<Item = io::Result<std::fs::File>>,
    out: &mut (impl Write + Seek),
) -> Result<(), FilmError> {
    let fps = u64::from(settings.fps);
    let header = [
        number(0x4286, 1),
        number(0x42F7, 1),
        number(0x42F2, 4),
        number(0x42F3, 8),
        text(0x4282, "webm"),
        number(0x4287, 4),
        number(0x4285, 2),
    ]
    .concat();
    out.write_all(&element(0x1A45_DFA3, &header))?;
    out.write_all(&id_bytes(SEGMENT))?;
    let size_at = out.stream_position()?;
    out.write_all(&size_bytes((1 << 56) - 1))?;
    let start = out.stream_position()?;

    let [info, tracks] = about(settings, frames)?;
    // The index stands at the end; where, is written when that is known.
    out.write_all(&seek_head(0))?;
    out.write_all(&info)?;
    out.write_all(&tracks)?;

    let cues = write_clusters(fps, start, parts, out)?;
    let cues_at = out.stream_position()? - start;
    out.write_all(&element(CUES, &cues))?;
    let end = out.stream_position()?;
    out.seek(SeekFrom::Start(size_at))?;
    out.write_all(&size_bytes(end - start))?;
    out.write_all(&seek_head(cues_at))?;
    out.seek(SeekFrom::Start(end))?;
    Ok(())
}

/// What the film is of, and its only track.
fn about(settings: &FilmSettings, frames: usize) -> Result<[Vec<u8>; 2], FilmError> {
    let fps = u64::from(settings.fps);
    let info = [
        // A millisecond.
        number(0x002A_D7B1, 1_000_000),
        element(0x4489, &(ms(frames as u64, fps) as f64).to_be_bytes()),
        text(0x4D80, "Callscape"),
        text(0x5741, "Callscape"),
    ]
    .concat();
    let color = [
        // Matrix, range, transfer, primaries: BT.709, limited.
        number(0x55B1, 1),
        number(0x55B9, 1),
        number(0x55BA, 1),
        number(0x55BB, 1),
    ]
    .concat();
    let video = [
        number(0xB0, u64::from(settings.size[0])),
        number(0xBA, u64::from(settings.size[1])),
        element(0x55B0, &color),
    ]
    .concat();
    let track = [
        number(0xD7, 1),
        number(0x73C5, 1),
        number(0x83, 1),
        number(0x9C, 0),
        text(0x86, "V_AV1"),
        number(0x0023_E383, 1_000_000_000 / fps),
        element(0x63A2, &av1::configuration(settings)?),
        element(0xE0, &video),
    ]
    .concat();
    let tracks = element(0x1654_AE6B, &element(0xAE, &track));
    Ok([element(INFO, &info), tracks])
}

/// Where the two other parts stand, behind this one: the length does not depend on where.
fn seek_head(cues: u64) -> Vec<u8> {
    let entry = |id: u32, at: u64| {
        let seek = [element(0x53AB, &id_bytes(id)), number(0x53AC, at)].concat();
        element(0x4DBB, &seek)
    };
    let length = element(0x114D_9B74, &[entry(INFO, 0), entry(CUES, 0)].concat()).len() as u64;
    element(
        0x114D_9B74,
        &[entry(INFO, length), entry(CUES, cues)].concat(),
    )
}

/// When a frame is shown, in milliseconds.
fn ms(frame: u64, fps: u64) -> u64 {
    (frame * 1000 + fps / 2) / fps
}

/// Writes the frames, and gives the index of those that can be jumped to. Places count from `start`.
fn write_clusters(
    fps: u64,
    start: u64,
    parts: &mut dyn Iterator<Item = io::Result<std::fs::File>>,
    out: &mut (impl Write + Seek),
) -> Result<Vec<u8>, FilmError> {
    let mut cues = Vec::new();
    let mut cluster: Option<(u64, Vec<u8>)> = None;
    let mut frame = 0u64;
    for part in parts {
        let mut part = BufReader::new(part?);
        while let Some(packet) = container::read(&mut part)? {
            let now = ms(frame, fps);
            let is_full = cluster
                .as_ref()
                .is_none_or(|(at, _)| now - at >= CLUSTER_MS);
            if packet.is_key || is_full {
                if let Some((_, content)) = cluster.take() {
                    out.write_all(&element(CLUSTER, &content))?;
                }
                let position = out.stream_position()? - start;
                if packet.is_key {
                    let place = [number(0xF7, 1), number(0xF1, position)].concat();
                    let cue = [number(0xB3, now), element(0xB7, &place)].concat();
                    cues.extend(element(0xBB, &cue));
                }
                cluster = Some((now, number(0xE7, now)));
            }
            let Some((at, content)) = &mut cluster else {
                continue;
            };
            let mut block = vec![0x81];
            block.extend_from_slice(&((now - *at) as i16).to_be_bytes());
            block.push(if packet.is_key { 0x80 } else { 0 });
            block.extend_from_slice(&packet.bytes);
            content.extend(element(0xA3, &block));
            frame += 1;
        }
    }
    if let Some((_, content)) = cluster {
        out.write_all(&element(CLUSTER, &content))?;
    }
    Ok(cues)
}

//! H.264 by an installed `ffmpeg` with libx264, which is only called when it is asked for: smaller files of the same
//! looks. Frames go in through a pipe, packets in Annex B form come out, <https://ffmpeg.org/ffmpeg-codecs.html#libx264_002c-libx264rgb>.

use std::io::{self, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::thread::JoinHandle;

use super::container::Packet;
use super::settings::{FilmError, FilmSettings};
use super::yuv::Planes;

/// The program, as it is found in the search path.
const PROGRAM: &str = "ffmpeg";

/// How coarsely is quantized, of 51, as eyes see it: by the likeness of frames the looks of the own encoder.
const CRF: &str = "22";

/// Of what it says when it fails, so many bytes are kept.
const MOST_SAID: u64 = 4096;

pub(super) struct Ffmpeg {
    child: Child,
    frames: Option<ChildStdin>,
    packets: Option<JoinHandle<io::Result<Vec<u8>>>>,
    said: Option<JoinHandle<String>>,
}

fn failed(reason: impl std::fmt::Display) -> FilmError {
    FilmError::Encoder {
        encoder: PROGRAM,
        reason: reason.to_string(),
    }
}

fn not_started(error: io::Error) -> FilmError {
    match error.kind() {
        io::ErrorKind::NotFound => FilmError::Unfit(
            "expected an installed ffmpeg for --ffmpeg, found none in the search path; omit --ffmpeg to use the \
             built-in encoder"
                .to_owned(),
        ),
        _ => failed(error),
    }
}

/// Whether there is one, and it has the encoder.
pub(super) fn check() -> Result<(), FilmError> {
    let asked = Command::new(PROGRAM)
        .args(["-hide_banner", "-loglevel", "error", "-encoders"])
        .stdin(Stdio::null())
        .output()
        .map_err(not_started)?;
    match String::from_utf8_lossy(&asked.stdout).contains("libx264") {
        true => Ok(()),
        false => Err(FilmError::Unfit(
            "the installed ffmpeg has no libx264; omit --ffmpeg to use the built-in encoder"
                .to_owned(),
        )),
    }
}

impl Ffmpeg {
    /// For one part of a film.
    pub(super) fn new(settings: &FilmSettings) -> Result<Ffmpeg, FilmError> {
        let [width, height] = settings.size;
        let (size, fps) = (format!("{width}x{height}"), settings.fps.to_string());
        let input = [
            "-f",
            "rawvideo",
            "-pixel_format",
            "yuv420p",
            "-video_size",
            &size,
            "-framerate",
            &fps,
            "-i",
            "pipe:0",
        ];
        let colors = [
            "-color_range",
            "tv",
            "-colorspace",
            "bt709",
            "-color_primaries",
            "bt709",
            "-color_trc",
            "bt709",
        ];
        // A part has one key frame, its first, and frames in the order in which they are shown. On one thread, as parts
        // are encoded beside each other; delimiters say where a frame begins.
        let codec = [
            "-c:v",
            "libx264",
            "-preset",
            "medium",
            "-crf",
            CRF,
            "-pix_fmt",
            "yuv420p",
            "-bf",
            "0",
            "-g",
            "100000",
            "-sc_threshold",
            "0",
            "-threads",
            "1",
            "-x264-params",
            "aud=1:repeat-headers=1",
            "-f",
            "h264",
            "pipe:1",
        ];
        let mut child = Command::new(PROGRAM)
            .args(["-hide_banner", "-loglevel", "error"])
            .args(input)
            .arg("-an")
            .args(colors)
            .args(codec)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(not_started)?;
        // It would wait for ever if nobody read what it writes.
        let packets = child.stdout.take().map(read_whole);
        let said = child.stderr.take().map(keep_beginning);
        Ok(Ffmpeg {
            frames: child.stdin.take(),
            child,
            packets,
            said,
        })
    }

    pub(super) fn push(&mut self, planes: &Planes) -> Result<(), FilmError> {
        let Some(frames) = &mut self.frames else {
            return Err(failed("it has ended"));
        };
        let planes = [&planes.y, &planes.u, &planes.v];
        let written = planes
            .into_iter()
            .try_for_each(|plane| frames.write_all(plane));
        written.map_err(|error| self.reason(&error.to_string()))
    }

    pub(super) fn finish(&mut self, out: &mut Vec<Packet>) -> Result<(), FilmError> {
        self.frames = None;
        let packets = self.packets.take().map(JoinHandle::join);
        let status = self.child.wait()?;
        let Some(Ok(Ok(bytes))) = packets.filter(|_| status.success()) else {
            return Err(self.reason(&status.to_string()));
        };
        out.extend(split(&bytes));
        Ok(())
    }

    /// Why it failed: what it said, else `otherwise`.
    fn reason(&mut self, otherwise: &str) -> FilmError {
        self.frames = None;
        // It ends when it has failed, and is ended where it has not.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let said = self.said.take().and_then(|said| said.join().ok());
        match said.as_deref().and_then(|said| said.lines().last()) {
            Some(last) => failed(last),
            None => failed(otherwise),
        }
    }
}

/// Reads to the end, on a thread of its own.
fn read_whole(mut out: ChildStdout) -> JoinHandle<io::Result<Vec<u8>>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        out.read_to_end(&mut bytes).map(|_| bytes)
    })
}

/// Reads to the end on a thread of its own, and keeps the first [`MOST_SAID`] bytes.
fn keep_beginning(mut errors: ChildStderr) -> JoinHandle<String> {
    std::thread::spawn(move || {
        let mut text = Vec::new();
        // What cannot be read adds nothing to the failure that it is about.
        let _ = errors.by_ref().take(MOST_SAID).read_to_end(&mut text);
        let _ = io::copy(&mut errors, &mut io::sink());
        String::from_utf8_lossy(&text).trim().to_owned()
    })
}

impl Drop for Ffmpeg {
    /// Nobody waits for what it is still at.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The frames of a stream in which a delimiter (unit 9) stands before each.
fn split(bytes: &[u8]) -> Vec<Packet> {
    const DELIMITER: u8 = 9;
    const KEY: u8 = 5;
    let kind = |at: usize| bytes.get(at + 3).map_or(0, |byte| byte & 0x1F);
    let starts = memchr::memmem::find_iter(bytes, &[0, 0, 1]);
    let mut packets: Vec<Packet> = Vec::new();
    let mut begin: Option<usize> = None;
    let mut is_key = false;
    for at in starts {
        match kind(at) {
            DELIMITER => {
                // A longer start code begins one byte before.
                let next = at - usize::from(at > 0 && bytes[at - 1] == 0);
                if let Some(begin) = begin.replace(next) {
                    let bytes = bytes[begin..next].to_vec();
                    packets.push(Packet { is_key, bytes });
                }
                is_key = false;
            }
            KEY => is_key = true,
            _ => {}
        }
    }
    if let Some(begin) = begin {
        let bytes = bytes[begin..].to_vec();
        packets.push(Packet { is_key, bytes });
    }
    packets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_begin_at_delimiters() {
        let stream = [
            &[0, 0, 0, 1, 9, 0x10][..],
            &[0, 0, 1, 7, 1, 2],
            &[0, 0, 0, 1, 5, 7, 7],
            &[0, 0, 0, 1, 9, 0x30, 0, 0, 1, 0x41, 8],
            &[0, 0, 1, 9, 0x30, 0, 0, 1, 0x41],
        ]
        .concat();
        let packets = split(&stream);
        let found: Vec<(bool, usize)> = packets
            .iter()
            .map(|it| (it.is_key, it.bytes.len()))
            .collect();
        assert_eq!(found, [(true, 19), (false, 11), (false, 9)]);
        assert_eq!(
            packets
                .iter()
                .flat_map(|it| it.bytes.clone())
                .collect::<Vec<u8>>(),
            stream
        );
        assert!(
            split(&[]).is_empty()
                && split(&[0, 0, 1]).is_empty()
                && split(&stream[6..13]).is_empty()
        );
    }
}

//! What comes from a connection, request by request: bounded in bytes and in time, whoever sends and however slowly.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use super::answer::Answer;
use super::guests::Seat;
use super::head::{Head, Length, Reach};
use super::limits::Limits;

/// How much is read at once.
const CHUNK: usize = 64 << 10;

/// Why no request follows.
#[derive(Debug)]
pub(super) enum Stop {
    /// The connection has ended, or stayed without a request for too long.
    Gone,
    Refused(Answer),
}

impl Stop {
    fn refused<T>(status: u16, reason: impl Into<String>) -> Result<T, Stop> {
        Err(Stop::Refused(Answer::of(status, reason)))
    }
}

impl From<io::Error> for Stop {
    fn from(_: io::Error) -> Stop {
        Stop::Gone
    }
}

/// The requests of one connection.
pub(super) struct Incoming<'a> {
    stream: &'a TcpStream,
    seat: &'a Seat,
    limits: &'a Limits,
    /// What has come; `at` of its bytes are done with.
    bytes: Vec<u8>,
    at: usize,
    /// When the request at hand has to be whole.
    until: Instant,
}

impl<'a> Incoming<'a> {
    pub(super) fn new(stream: &'a TcpStream, seat: &'a Seat, limits: &'a Limits) -> Incoming<'a> {
        Incoming {
            stream,
            seat,
            limits,
            bytes: Vec::new(),
            at: 0,
            until: Instant::now(),
        }
    }

    fn rest(&self) -> &[u8] {
        &self.bytes[self.at..]
    }

    /// Waits until something comes, at most until `until`; false at the end.
    fn more(&mut self, until: Instant) -> io::Result<bool> {
        self.bytes.drain(..self.at);
        self.at = 0;
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream
            .set_read_timeout(Some(left.max(Duration::from_millis(1))))?;
        let before = self.bytes.len();
        self.bytes.resize(before + CHUNK, 0);
        let read = loop {
            match self.stream.read(&mut self.bytes[before..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.bytes.truncate(before + *read.as_ref().unwrap_or(&0));
        Ok(read? > 0)
    }

    /// Waits for further bytes of the request.
    fn need(&mut self) -> Result<(), Stop> {
        let before = self.rest().len();
        let more = self.more(self.until);
        self.seat.came(self.rest().len() - before);
        if self.seat.is_sent_away() {
            return Stop::refused(
                408,
                "other connections were waiting, and this request was the slowest",
            );
        }
        match more {
            Ok(true) => Ok(()),
            Ok(false) => Stop::refused(408, "the request ended before it was complete"),
            Err(error) if is_late(&error) => {
                let time = self.limits.request.as_secs_f32();
                Stop::refused(408, format!("the request took longer than {time} s"))
            }
            Err(_) => Err(Stop::Gone),
        }
    }

    /// The head of the next request.
    pub(super) fn head(&mut self, reach: Reach) -> Result<Head, Stop> {
        if self.rest().is_empty() && !self.more(Instant::now() + self.limits.idle)? {
            return Err(Stop::Gone);
        }
        self.seat.begins();
        self.seat.came(self.rest().len());
        self.until = Instant::now() + self.limits.request;
        let mut seen = 0;
        loop {
            // So that a head that comes byte by byte is taken apart once.
            let rest = self.rest();
            let line_ends = rest[seen..]
                .windows(2)
                .any(|it| it == b"\n\n" || it == b"\n\r");
            seen = rest.len().saturating_sub(1);
            if line_ends || rest.len() > self.limits.head {
                match Head::read(&rest[..rest.len().min(self.limits.head)], reach) {
                    Ok(Some((head, length))) => {
                        self.at += length;
                        return Ok(head);
                    }
                    Err(refused) => return Err(Stop::Refused(refused)),
                    Ok(None) => {}
                }
            }
            if self.rest().len() > self.limits.head {
                let most = self.limits.head >> 10;
                return Stop::refused(431, format!("expected a head of at most {most} KiB"));
            }
            self.need()?;
        }
    }

    /// The body of a request, as it comes.
    pub(super) fn body(&mut self, head: &Head) -> Result<Vec<u8>, Stop> {
        let mut body = Held::new(self.seat, self.limits);
        if matches!(head.length, Length::Known(length) if length > self.limits.body) {
            return Err(Stop::Refused(too_large(self.limits)));
        }
        if head.is_asking {
            self.stream.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        match head.length {
            Length::Known(length) => self.take(length, &mut body)?,
            Length::Chunked => loop {
                let size = self.chunk_size()?;
                self.take(size, &mut body)?;
                if size == 0 {
                    self.trailers()?;
                    break;
                }
                while self.rest().len() < 2 {
                    self.need()?;
                }
                if !self.rest().starts_with(b"\r\n") {
                    return Stop::refused(400, "expected the end of a line after a chunk");
                }
                self.at += 2;
            },
        }
        Ok(body.bytes)
    }

    /// Moves `length` bytes into the body.
    fn take(&mut self, mut length: u64, body: &mut Held<'_>) -> Result<(), Stop> {
        while length > 0 {
            if self.rest().is_empty() {
                self.need()?;
            }
            let most = usize::try_from(length).unwrap_or(usize::MAX);
            let count = self.rest().len().min(most);
            body.push(&self.bytes[self.at..self.at + count])
                .map_err(Stop::Refused)?;
            self.at += count;
            length -= count as u64;
        }
        Ok(())
    }

    fn chunk_size(&mut self) -> Result<u64, Stop> {
        loop {
            match httparse::parse_chunk_size(self.rest()) {
                Ok(httparse::Status::Complete((length, size))) => {
                    self.at += length;
                    return Ok(size);
                }
                Ok(httparse::Status::Partial) if self.rest().len() <= self.limits.head => {}
                _ => return Stop::refused(400, "expected the size of a chunk"),
            }
            self.need()?;
        }
    }

    /// Passes over what may follow the last chunk, up to an empty line.
    fn trailers(&mut self) -> Result<(), Stop> {
        let mut passed = 0;
        loop {
            let line = self.rest().iter().position(|&it| it == b'\n');
            let Some(end) = line else {
                if passed + self.rest().len() > self.limits.head {
                    return Stop::refused(431, "expected shorter trailers");
                }
                self.need()?;
                continue;
            };
            let is_last = matches!(&self.rest()[..end], b"" | b"\r");
            self.at += end + 1;
            passed += end + 1;
            if is_last {
                return Ok(());
            }
        }
    }

    /// Reads what still comes and drops it, for a short time: the system takes an answer back from whoever is not done sending.
    pub(super) fn drop_rest(&mut self) {
        let until = Instant::now() + self.limits.farewell;
        let _ = self.stream.shutdown(std::net::Shutdown::Write);
        while !self.seat.is_sent_away() && matches!(self.more(until), Ok(true)) {
            self.at = self.bytes.len();
        }
    }
}

fn is_late(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock
    )
}

fn too_large(limits: &Limits) -> Answer {
    let most = limits.body >> 10;
    Answer::of(
        413,
        format!("expected a body of at most {most} KiB, also after decompression"),
    )
}

/// Bytes of a request in memory, which are counted while they grow.
pub(super) struct Held<'a> {
    pub bytes: Vec<u8>,
    seat: &'a Seat,
    limits: &'a Limits,
}

impl<'a> Held<'a> {
    pub(super) fn new(seat: &'a Seat, limits: &'a Limits) -> Held<'a> {
        Held {
            bytes: Vec::new(),
            seat,
            limits,
        }
    }

    /// Adds bytes, where the body may be as long and there is room for them.
    pub(super) fn push(&mut self, more: &[u8]) -> Result<(), Answer> {
        let length = self.bytes.len() + more.len();
        let most = usize::try_from(self.limits.body).unwrap_or(usize::MAX);
        if length > most {
            return Err(too_large(self.limits));
        }
        if length > self.bytes.capacity() {
            let capacity = length
                .max(self.bytes.capacity() * 2)
                .clamp(CHUNK.min(most), most);
            let grows = capacity - self.bytes.capacity();
            if !self.seat.hold(grows as u64) {
                return Err(Answer::of(429, "too many bytes at once"));
            }
            self.bytes.reserve_exact(capacity - self.bytes.len());
        }
        self.bytes.extend_from_slice(more);
        Ok(())
    }
}

//! Listens, and serves who connects, each on a thread of its own.

use std::collections::VecDeque;
use std::io::{self, Read};
use std::net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use super::super::error::RecordError;
use super::answer::Answer;
use super::file::SpanFile;
use super::guests::{Guests, Seat};
use super::head::{Head, Reach};
use super::incoming::{Held, Incoming, Stop};
use super::limits::Limits;
use callscape_base::units;
use callscape_import::otlp::kept::{Form, Packing};
use callscape_import::otlp::request;

/// The port that exporters send to by default.
pub const PORT: u16 = 4318;

/// Where to listen, as `4318`, `127.0.0.1:4318` or `[::1]:4318`: on the loopback address unless another is named.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    if let Ok(port) = text.parse() {
        return Ok(SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port));
    }
    if let Ok(ip) = text.parse() {
        return Ok(SocketAddr::new(ip, PORT));
    }
    text.parse().map_err(|_| {
        format!("expected a port or an address with one, such as 127.0.0.1:{PORT}, found '{text}'")
    })
}

/// Refused connections that are left open for their answer to be read.
const TURNED_AWAY: usize = 32;

/// Listens until the program ends.
pub struct Listener {
    socket: TcpListener,
    guests: Arc<Guests>,
    shared: Arc<Shared>,
}

struct Shared {
    limits: Limits,
    reach: Reach,
    file: SpanFile,
    arrived: Sender<PathBuf>,
    say: Box<dyn Fn(&str) + Send + Sync>,
}

impl Listener {
    /// Begins to listen. Spans go into a file of this name in `folder`, which `arrived` is told of when the first are in it;
    /// `say` is told of spans that could not be kept.
    pub fn begin(
        at: SocketAddr,
        (folder, name): (&Path, &str),
        limits: Limits,
        arrived: Sender<PathBuf>,
        say: Box<dyn Fn(&str) + Send + Sync>,
    ) -> Result<Listener, RecordError> {
        let cannot =
            |error: io::Error| RecordError::Recorder(format!("cannot listen on {at}: {error}"));
        let file = SpanFile::new(folder, name, limits.kept)?;
        let socket = TcpListener::bind(at).map_err(cannot)?;
        let reach = match at.ip().to_canonical().is_loopback() {
            true => Reach::Loopback,
            false => Reach::Digits,
        };
        Ok(Listener {
            socket,
            guests: Arc::new(Guests::new(limits)),
            shared: Arc::new(Shared {
                limits,
                reach,
                file,
                arrived,
                say,
            }),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Serves who connects. Does not return.
    pub fn serve(&self) {
        let mut turned_away = VecDeque::new();
        for stream in self.socket.incoming() {
            let Ok(stream) = stream else {
                // Of open files, say, there are too many for now.
                std::thread::sleep(Duration::from_millis(10));
                continue;
            };
            let stream = Arc::new(stream);
            let Some(seat) = self.guests.admit(&stream) else {
                turn_away(&stream);
                // The system takes an answer back where the socket is closed before all that was sent is read.
                turned_away.push_front(stream);
                turned_away.truncate(TURNED_AWAY);
                continue;
            };
            let shared = Arc::clone(&self.shared);
            let work = move || shared.talk(&stream, &seat);
            // Without a thread the connection ends.
            let _ = std::thread::Builder::new()
                .name("spans".to_owned())
                .spawn(work);
        }
    }
}

/// Refuses a connection without waiting for anything.
fn turn_away(stream: &TcpStream) {
    // Whoever goes away is no error.
    if stream.set_nonblocking(true).is_ok() {
        let _ = Answer::of(503, "too many connections").send(stream, false);
        let _ = stream.shutdown(Shutdown::Write);
    }
}

impl Shared {
    /// One connection: requests one after the other, until one is refused in its midst or it ends.
    fn talk(&self, stream: &TcpStream, seat: &Seat) {
        let limits = &self.limits;
        let set = stream.set_write_timeout(Some(limits.farewell));
        if set.and_then(|()| stream.set_nodelay(true)).is_err() {
            return;
        }
        let mut incoming = Incoming::new(stream, seat, limits);
        loop {
            let received = self.receive(&mut incoming);
            seat.is_served();
            let (answer, stays) = match received {
                Ok((head, body)) => (self.take(head.form, body, seat), head.stays),
                Err(Stop::Gone) => return,
                Err(Stop::Refused(answer)) => {
                    // What follows may be the rest of it.
                    if answer.send(stream, false).is_ok() {
                        seat.rests();
                        incoming.drop_rest();
                    }
                    return;
                }
            };
            if answer.send(stream, stays).is_err() || !stays {
                return;
            }
            seat.rests();
            if seat.is_sent_away() {
                return;
            }
        }
    }

    /// The next request.
    fn receive(&self, incoming: &mut Incoming<'_>) -> Result<(Head, Vec<u8>), Stop> {
        let head = incoming.head(self.reach)?;
        match incoming.body(&head) {
            Err(Stop::Refused(answer)) => Err(Stop::Refused(Answer {
                encoding: Some(head.form.encoding),
                ..answer
            })),
            body => Ok((head, body?)),
        }
    }

    /// Keeps a request that can be read.
    fn take(&self, form: Form, body: Vec<u8>, seat: &Seat) -> Answer {
        let taken = self.keep(form, body, seat);
        let answer = taken.unwrap_or_else(|refused| refused);
        Answer {
            encoding: Some(form.encoding),
            ..answer
        }
    }

    fn keep(&self, form: Form, body: Vec<u8>, seat: &Seat) -> Result<Answer, Answer> {
        let unpacked = match form.packing {
            Packing::None => None,
            packing => Some(self.unpack(packing, &body, seat)?),
        };
        let (body, whole, checked) = match unpacked {
            Some(unpacked) => {
                let whole = unpacked.len();
                (body, whole, request::check(unpacked, form.encoding).1)
            }
            None => {
                let (body, checked) = request::check(body, form.encoding);
                let whole = body.len();
                (body, whole, checked)
            }
        };
        let counted = checked.map_err(|why| Answer::of(400, why))?;
        if counted.kept > 0 {
            let first = self.file.add(form, &body, whole as u64).map_err(|why| {
                let spans = units::counted(counted.kept, "span is", "spans are");
                (self.say)(&format!("{spans} not kept: {why}"));
                Answer::of(507, why)
            })?;
            if let Some(path) = first {
                // Nobody may wait for it any more.
                let _ = self.arrived.send(path);
            }
        }
        let left_out = counted.left_out;
        let reason = if left_out > 0 {
            "spans without a start"
        } else {
            ""
        };
        Ok(Answer {
            left_out,
            ..Answer::of(200, reason)
        })
    }

    fn unpack(&self, packing: Packing, body: &[u8], seat: &Seat) -> Result<Vec<u8>, Answer> {
        let mut unpacked = Held::new(seat, &self.limits);
        let mut reader = packing.unpack(body);
        let mut chunk = [0; 16 << 10];
        loop {
            match reader.read(&mut chunk) {
                Ok(0) => return Ok(unpacked.bytes),
                Ok(count) => unpacked.push(&chunk[..count])?,
                Err(_) => {
                    let found = "expected a body compressed as its Content-Encoding says";
                    return Err(Answer::of(400, found));
                }
            }
        }
    }
}

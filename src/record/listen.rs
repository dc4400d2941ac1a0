//! Receives spans over HTTP as OpenTelemetry's exporters send them, and appends them to files that are followed as they grow.
//! <https://opentelemetry.io/docs/specs/otlp/#otlphttp>
//!
//! What is served is `POST /v1/traces`, in protocol buffers or JSON, and nothing else. Nothing that comes in is trusted: heads
//! and bodies are bounded, so is how many are connected, and a body goes into the file only when the importer has read it.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::de::IgnoredAny;

use super::error::RecordError;
use crate::import;
use crate::progress::Progress;

/// The port that exporters send to unless told otherwise.
pub const PORT: u16 = 4318;

/// Bytes of a head, and of a body as it comes and unpacked, at most.
const LONGEST_HEAD: u64 = 16 << 10;
const LONGEST_BODY: u64 = 32 << 20;

/// So many may be connected at once.
const MOST_CONNECTED: usize = 64;

/// Whoever says nothing for so long is left.
const PATIENCE: Duration = Duration::from_secs(30);

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

/// How a body is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encoding {
    Json,
    Binary,
}

impl Encoding {
    fn ending(self) -> &'static str {
        match self {
            Encoding::Json => "json",
            Encoding::Binary => "pb",
        }
    }
}

/// Listens until the program ends.
pub struct Listener {
    socket: TcpListener,
    shared: Arc<Shared>,
}

struct Shared {
    /// Files are named after it; each encoding has its own.
    name: String,
    received: Mutex<Received>,
    connected: AtomicUsize,
    arrived: Sender<PathBuf>,
}

#[derive(Default)]
struct Received {
    bodies: u64,
    files: Vec<(Encoding, File)>,
}

impl Listener {
    /// Begins to listen. `arrived` is told of each file when the first spans are in it; files are named `name` with an ending.
    pub fn begin(
        at: SocketAddr,
        name: &str,
        arrived: Sender<PathBuf>,
    ) -> Result<Listener, RecordError> {
        let cannot =
            |error: io::Error| RecordError::Recorder(format!("cannot listen on {at}: {error}"));
        let socket = TcpListener::bind(at).map_err(cannot)?;
        Ok(Listener {
            socket,
            shared: Arc::new(Shared {
                name: name.to_owned(),
                received: Mutex::default(),
                connected: AtomicUsize::new(0),
                arrived,
            }),
        })
    }

    /// Where it listens.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Serves who connects, each on a thread of its own. Does not return.
    pub fn serve(&self) {
        for stream in self.socket.incoming().flatten() {
            let shared = Arc::clone(&self.shared);
            if shared.connected.fetch_add(1, Ordering::Relaxed) >= MOST_CONNECTED {
                shared.connected.fetch_sub(1, Ordering::Relaxed);
                let _ = answer(
                    &stream,
                    &Answer::of(503, "too many are connected"),
                    GoesOn::No,
                );
                continue;
            }
            let begun = std::thread::Builder::new()
                .name("spans".to_owned())
                .spawn(move || {
                    // Whoever goes away is no error.
                    let _ = talk(&stream, &shared);
                    shared.connected.fetch_sub(1, Ordering::Relaxed);
                });
            if begun.is_err() {
                self.shared.connected.fetch_sub(1, Ordering::Relaxed);
            }
        }
    }
}

/// What is said to a request.
struct Answer {
    status: u16,
    reason: String,
    encoding: Encoding,
}

impl Answer {
    fn of(status: u16, reason: impl Into<String>) -> Answer {
        Answer {
            status,
            reason: reason.into(),
            encoding: Encoding::Json,
        }
    }
}

/// One connection: requests one after the other, until one is refused or it ends.
fn talk(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(stream);
    loop {
        let (encoding, body) = match request(&mut reader)? {
            None => return Ok(()),
            Some(Ok(request)) => request,
            // What follows it may be the rest of it.
            Some(Err(refused)) => return answer(stream, &refused, GoesOn::No),
        };
        let said = match shared.take(encoding, &body) {
            Ok(()) => Answer {
                encoding,
                ..Answer::of(200, "")
            },
            Err(refused) => refused,
        };
        answer(stream, &said, GoesOn::Yes)?;
    }
}

type Request = Result<(Encoding, Vec<u8>), Answer>;

/// Reads a request; none where the connection ends before one.
fn request(reader: &mut BufReader<&TcpStream>) -> io::Result<Option<Request>> {
    let mut head = Vec::new();
    let mut limited = reader.by_ref().take(LONGEST_HEAD);
    loop {
        let before = head.len();
        if limited.read_until(b'\n', &mut head)? == 0 {
            return Ok((!head.is_empty()).then(|| Err(Answer::of(431, "the head does not end"))));
        }
        if matches!(&head[before..], b"\r\n" | b"\n") {
            break;
        }
    }
    let head = String::from_utf8_lossy(&head).into_owned();
    let length = match wanted(&head) {
        Ok(length) => length,
        Err(answer) => return Ok(Some(Err(answer))),
    };
    let (encoding, length, is_packed) = length;
    if head.to_ascii_lowercase().contains("expect: 100-continue") {
        reader
            .get_mut()
            .write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
    }
    let mut body = Vec::new();
    reader.by_ref().take(length).read_to_end(&mut body)?;
    if (body.len() as u64) < length {
        return Ok(Some(Err(Answer::of(
            408,
            "the body is shorter than announced",
        ))));
    }
    if is_packed {
        let mut whole = Vec::new();
        let unpacked = flate2::read::GzDecoder::new(&body[..])
            .take(LONGEST_BODY + 1)
            .read_to_end(&mut whole);
        if unpacked.is_err() {
            return Ok(Some(Err(Answer::of(
                400,
                "expected a body compressed with gzip",
            ))));
        }
        if whole.len() as u64 > LONGEST_BODY {
            return Ok(Some(Err(Answer::of(
                413,
                "the body unpacks to more than 32 MiB",
            ))));
        }
        body = whole;
    }
    Ok(Some(Ok((encoding, body))))
}

/// What the head of a request announces: how the body is written, its length, and whether it is compressed.
fn wanted(head: &str) -> Result<(Encoding, u64, bool), Answer> {
    let mut lines = head.lines();
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (method, path) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );
    let version = words.next().unwrap_or_default();
    if !version.starts_with("HTTP/1.") {
        return Err(Answer::of(400, "expected HTTP/1.1"));
    }
    if path != "/v1/traces" {
        return Err(Answer::of(
            404,
            "spans are taken at /v1/traces, and nothing else is served",
        ));
    }
    if method != "POST" {
        return Err(Answer::of(405, "spans are posted"));
    }
    let header = |name: &str| {
        let mut all = head.lines().skip(1).filter_map(|line| line.split_once(':'));
        let found = all.find(|(key, _)| key.trim().eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.trim().to_ascii_lowercase())
    };
    let kind = header("content-type").unwrap_or_default();
    let encoding = match kind.split(';').next().unwrap_or_default().trim() {
        "application/json" => Encoding::Json,
        "application/x-protobuf" => Encoding::Binary,
        _ => {
            return Err(Answer::of(
                415,
                "expected application/json or application/x-protobuf",
            ));
        }
    };
    let is_packed = match header("content-encoding").as_deref() {
        None | Some("" | "identity") => false,
        Some("gzip") => true,
        Some(_) => return Err(Answer::of(415, "expected no compression but gzip")),
    };
    let Some(length) = header("content-length").and_then(|it| it.parse::<u64>().ok()) else {
        return Err(Answer::of(411, "expected the length of the body"));
    };
    if length > LONGEST_BODY {
        return Err(Answer::of(413, "a body holds 32 MiB at most"));
    }
    Ok((encoding, length, is_packed))
}

/// Whether the connection is kept for another request.
#[derive(Clone, Copy, PartialEq)]
enum GoesOn {
    Yes,
    No,
}

fn answer(mut stream: &TcpStream, said: &Answer, goes_on: GoesOn) -> io::Result<()> {
    let (status, reason) = (said.status, &said.reason);
    let meaning = if status == 200 { "OK" } else { "Refused" };
    let (kind, body) = match (status, said.encoding) {
        (200, Encoding::Json) => ("application/json", "{}"),
        (200, Encoding::Binary) => ("application/x-protobuf", ""),
        _ => ("text/plain", &**reason),
    };
    let length = body.len();
    let goes_on = match goes_on {
        GoesOn::Yes => "keep-alive",
        GoesOn::No => "close",
    };
    let text = format!(
        "HTTP/1.1 {status} {meaning}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: {goes_on}\r\n\r\n{body}"
    );
    stream.write_all(text.as_bytes())
}

impl Shared {
    /// Appends a body to the file of its encoding, when it can be read.
    fn take(&self, encoding: Encoding, body: &[u8]) -> Result<(), Answer> {
        let refuse = |why: String| Answer::of(400, why);
        // The importer makes the best of what is cut or wrong; who sends can be told.
        if encoding == Encoding::Json {
            let read = serde_json::from_slice::<IgnoredAny>(body);
            read.map_err(|error| refuse(format!("expected JSON: {error}")))?;
        }
        // Nothing is left half done by a thread that panics here.
        let mut received = self.received.lock().unwrap_or_else(PoisonError::into_inner);
        received.bodies += 1;
        let (process, number) = (std::process::id(), received.bodies);
        let trial = format!("callscape-spans-{process}-{number}.{}", encoding.ending());
        let trial = std::env::temp_dir().join(trial);
        let failed = |error: io::Error| Answer::of(500, error.to_string());
        fs::write(&trial, body).map_err(failed)?;
        let read = import::read_as("otlp", &trial, &Progress::new());
        fs::remove_file(&trial).map_err(failed)?;
        match read {
            // Whoever has no spans to tell says so in an empty request.
            Some(Ok(of)) if of.warnings.iter().any(|it| it.kind == "truncated-file") => {
                return Err(refuse(
                    "expected a whole request, found one that is cut".to_owned(),
                ));
            }
            Some(Ok(recording)) if recording.trace.calls() == 0 => return Ok(()),
            Some(Ok(_)) => {}
            Some(Err(error)) => return Err(refuse(error.to_string())),
            None => return Err(refuse("the format is not known".to_owned())),
        }
        let known = received.files.iter().position(|(of, _)| *of == encoding);
        let (place, is_first) = match known {
            Some(place) => (place, false),
            None => {
                let file = File::options()
                    .append(true)
                    .create_new(true)
                    .open(self.path(encoding));
                received.files.push((encoding, file.map_err(failed)?));
                (received.files.len() - 1, true)
            }
        };
        let (_, file) = &mut received.files[place];
        file.write_all(body).map_err(failed)?;
        if encoding == Encoding::Json {
            file.write_all(b"\n").map_err(failed)?;
        }
        if is_first {
            // Nobody may wait for it any more.
            let _ = self.arrived.send(self.path(encoding));
        }
        Ok(())
    }

    fn path(&self, encoding: Encoding) -> PathBuf {
        PathBuf::from(format!("{}.{}", self.name, encoding.ending()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPANS: &str = r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"5b8efff798038103d269b633813fc60c",
        "spanId":"eee19b7ec3c1b174","name":"work","startTimeUnixNano":"1544712660000000000",
        "endTimeUnixNano":"1544712661000000000"}]}]}]}"#;

    /// What is answered to `requests` on one connection.
    fn said(at: SocketAddr, requests: &[u8]) -> String {
        let mut stream = TcpStream::connect(at).expect("it listens");
        stream.write_all(requests).expect("it reads");
        // Whoever is refused may be left in the midst of what they say.
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut text = String::new();
        let _ = stream.read_to_string(&mut text);
        text
    }

    fn post(kind: &str, body: &[u8]) -> Vec<u8> {
        let length = body.len();
        let head = format!(
            "POST /v1/traces HTTP/1.1\r\nHost: x\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
        );
        [head.as_bytes(), body].concat()
    }

    #[test]
    fn spans_are_taken_and_all_else_is_refused() {
        let folder = std::env::temp_dir().join(format!("callscape-listen-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let name = folder.join("spans");
        let (sender, arrived) = std::sync::mpsc::channel();
        let any = address("127.0.0.1:0").expect("an address");
        let listener = Listener::begin(any, &name.to_string_lossy(), sender).expect("it listens");
        let at = listener.address().expect("an address");
        std::thread::spawn(move || listener.serve());
        let json = post("application/json", SPANS.as_bytes());
        // Two on one connection, a bad one between them.
        let bad = post("application/json", b"{\"resourceSpans\": 7");
        let all = said(at, &[&json[..], &bad, &json].concat());
        let statuses: Vec<&str> = all.split("HTTP/1.1 ").skip(1).map(|it| &it[..3]).collect();
        assert_eq!(statuses, ["200", "400", "200"], "{all}");
        let file = arrived.recv().expect("the first spans");
        let of_file = import::open(&file, &Progress::new()).expect("it opens");
        assert_eq!(of_file.format, "otlp");
        let noise = post("application/x-protobuf", b"\x0a\xff\xff\xff\xff noise");
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(SPANS.as_bytes()).expect("memory");
        let packed = packed.finish().expect("memory");
        let zipped = post(
            "application/json; charset=utf-8\r\nContent-Encoding: gzip",
            &packed,
        );
        for (request, status) in [
            (&b"GET /v1/traces HTTP/1.1\r\n\r\n"[..], 405),
            (b"GET / HTTP/1.1\r\n\r\n", 404),
            (b"POST /v1/traces HTTP/1.1\r\nContent-Type: application/json\r\n\r\n", 411),
            (b"POST /v1/traces HTTP/1.1\r\nContent-Type: text/html\r\nContent-Length: 1\r\n\r\n1", 415),
            (b"POST /v1/traces HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 99999999\r\n\r\n", 413),
            (b"POST /v1/traces HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{}", 408),
            (b"no HTTP at all\r\n\r\n", 400),
            (&noise[..], 400),
            (&zipped[..], 200),
            (&post("application/json\r\nContent-Encoding: gzip", b"no gzip")[..], 400),
        ] {
            let found = said(at, request);
            let shown = String::from_utf8_lossy(request);
            assert!(found.starts_with(&format!("HTTP/1.1 {status} ")), "{shown}: {found}");
        }
        assert!(said(at, &vec![b'a'; 20 << 10]).starts_with("HTTP/1.1 431 "));
        fs::remove_dir_all(folder).expect("it can be removed");
    }

    #[test]
    fn addresses_are_loopback_unless_named() {
        for (text, expected) in [
            ("4318", "127.0.0.1:4318"),
            ("0.0.0.0", "0.0.0.0:4318"),
            ("[::1]:99", "[::1]:99"),
            ("10.0.0.1:1", "10.0.0.1:1"),
        ] {
            assert_eq!(
                address(text).map(|it| it.to_string()),
                Ok(expected.to_owned())
            );
        }
        for text in ["", "host:4318", "99999", "1.2.3.4:x"] {
            assert!(
                address(text).is_err_and(|it| it.contains("expected")),
                "{text}"
            );
        }
    }
}

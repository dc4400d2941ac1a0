//! Through the public interface: spans received over HTTP, what is refused, and that it harms nothing else. All over loopback.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};

use callscape::import;
use callscape::progress::Progress;
use callscape::record::listen::{Limits, Listener, address};
use serde_json::{Value, json};

use super::common::{Scratch, gzip};
use super::otlp::binary;

mod attacks;
mod limits;
mod lost;

/// A receiver in this process.
struct Spans {
    at: SocketAddr,
    folder: Scratch,
    arrived: Receiver<PathBuf>,
    said: Arc<Mutex<Vec<String>>>,
}

impl Spans {
    fn start(limits: Limits) -> Spans {
        Spans::start_at("127.0.0.1:0", limits)
    }

    fn start_at(at: &str, limits: Limits) -> Spans {
        let folder = Scratch::new("listen");
        let (sender, arrived) = channel();
        let said: Arc<Mutex<Vec<String>>> = Arc::default();
        let told = Arc::clone(&said);
        let say = move |why: &str| told.lock().expect("no panic").push(why.to_owned());
        let at = address(at).expect("an address");
        let listener = Listener::begin(at, (&folder.0, "spans"), limits, sender, Box::new(say));
        let listener = listener.expect("it listens");
        let at = listener.address().expect("an address");
        // It ends with the process.
        std::thread::spawn(move || listener.serve());
        Spans {
            at: SocketAddr::from(([127, 0, 0, 1], at.port())),
            folder,
            arrived,
            said,
        }
    }

    fn file(&self) -> PathBuf {
        self.folder.0.join("spans.otlp")
    }

    fn post(&self, request: &[u8]) -> u16 {
        status(&exchange(self.at, request))
    }

    /// What of the spans with these names was not kept, and what others were.
    fn differ(&self, names: &BTreeSet<String>) -> Vec<String> {
        let (found, warnings) = read(&self.file());
        assert_eq!(warnings, [""; 0]);
        found.symmetric_difference(names).cloned().collect()
    }
}

/// The names of the spans in a file, and what was repaired in it.
fn read(file: &Path) -> (BTreeSet<String>, Vec<String>) {
    let input = import::input::Input::on_disk(file.to_owned());
    let recording = import::read(&input, &Progress::new());
    let recording = recording.unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(recording.format, "otlp");
    let functions = &recording.functions;
    let names = functions.ids().map(|id| functions.get(id).name.to_owned());
    // All spans here have one id.
    let kinds = recording.warnings.iter().map(|it| it.kind.to_string());
    let warnings = kinds.filter(|it| it != "duplicate-id");
    (names.collect(), warnings.collect())
}

/// What is answered to `bytes`, behind which nothing comes.
fn exchange(at: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(at).expect("it listens");
    // Whoever is refused may be left in the midst of what they say.
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(Shutdown::Write);
    let mut text = Vec::new();
    let _ = stream.read_to_end(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

fn status(answer: &str) -> u16 {
    let digits = answer.strip_prefix("HTTP/1.1 ").and_then(|it| it.get(..3));
    digits.and_then(|it| it.parse().ok()).unwrap_or(0)
}

const JSON: &str = "Content-Type: application/json\r\n";
const PROTOBUF: &str = "Content-Type: application/x-protobuf\r\n";
const GZIP: &str = "Content-Encoding: gzip\r\n";
const HOST: &str = "Host: localhost:4318\r\n";

/// A request with these lines in its head, which end like lines.
fn request(lines: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!("POST /v1/traces HTTP/1.1\r\n{HOST}{lines}Content-Length: {length}\r\n\r\n");
    [head.as_bytes(), body].concat()
}

/// The same in chunks of this many bytes.
fn chunked(lines: &str, body: &[u8], size: usize) -> Vec<u8> {
    let coding = "Transfer-Encoding: chunked\r\n";
    let mut bytes = format!("POST /v1/traces HTTP/1.1\r\n{HOST}{lines}{coding}\r\n").into_bytes();
    for chunk in body.chunks(size) {
        bytes.extend(format!("{:x};name=value\r\n", chunk.len()).into_bytes());
        bytes.extend([chunk, b"\r\n"].concat());
    }
    bytes.extend(b"0\r\nTrailer: x\r\n\r\n");
    bytes
}

/// A request with one span of this name, whose first attribute is as long.
fn span(name: &str, length: usize) -> Value {
    let attribute = json!({"key": "text", "value": {"stringValue": "x".repeat(length)}});
    json!({"resourceSpans": [{"resource": {"attributes": [attribute]}, "scopeSpans": [{"spans": [{
        "traceId": "5b8efff798038103d269b633813fc60c", "spanId": "eee19b7ec3c1b174", "name": name,
        "startTimeUnixNano": "1544712660000000000", "endTimeUnixNano": "1544712661000000000"}]}]}]})
}

fn as_json(name: &str) -> Vec<u8> {
    span(name, 0).to_string().into_bytes()
}

fn as_protobuf(name: &str) -> Vec<u8> {
    binary(&span(name, 0))
}

#[test]
fn every_encoding_that_exporters_send_is_read() {
    let spans = Spans::start(Limits::default());
    let spaced = |name: &str| {
        let text = span(name, 0).to_string();
        let (open, rest) = text.split_at(1);
        [open, &" ".repeat(300_000), rest].concat().into_bytes()
    };
    let halves = |name: &str| {
        let body = as_protobuf(name);
        let (a, b) = body.split_at(body.len() / 2);
        [gzip(a), gzip(b)].concat()
    };
    let long = binary(&span("long", 200_000));
    let requests = [
        ("spaced", request(JSON, &spaced("spaced"))),
        ("long", request(PROTOBUF, &long)),
        (
            "json",
            request(
                "content-type: Application/JSON; charset=utf-8\r\n",
                &as_json("json"),
            ),
        ),
        ("binary", request(PROTOBUF, &as_protobuf("binary"))),
        ("chunks", chunked(JSON, &as_json("chunks"), 7)),
        (
            "large chunks",
            chunked(PROTOBUF, &binary(&span("large chunks", 100_000)), 65_536),
        ),
        (
            "zipped",
            request(&[JSON, GZIP].concat(), &gzip(&as_json("zipped"))),
        ),
        (
            "members",
            request(&[PROTOBUF, GZIP].concat(), &halves("members")),
        ),
        (
            "zipped chunks",
            chunked(&[JSON, GZIP].concat(), &gzip(&as_json("zipped chunks")), 64),
        ),
    ];
    let mut names = BTreeSet::new();
    for (name, request) in &requests {
        assert_eq!(spans.post(request), 200, "{name}");
        names.insert((*name).to_owned());
        assert_eq!(spans.differ(&names), [""; 0]);
    }
    // All on one connection, and one that is asked for first.
    let all: Vec<u8> = requests.iter().flat_map(|(_, it)| it.clone()).collect();
    let answers = exchange(spans.at, &all);
    assert_eq!(
        answers.matches("HTTP/1.1 200 ").count(),
        requests.len(),
        "{answers}"
    );
    let asking = request(
        &[JSON, "Expect: 100-continue\r\n"].concat(),
        &as_json("json"),
    );
    let answers = exchange(spans.at, &asking);
    assert!(answers.starts_with("HTTP/1.1 100 "), "{answers}");
    assert!(answers.contains("HTTP/1.1 200 "), "{answers}");
    assert_eq!(spans.arrived.try_iter().collect::<Vec<_>>(), [spans.file()]);
}

#[test]
fn what_cannot_be_read_is_refused_and_harms_nothing() {
    let spans = Spans::start(Limits::default());
    let good = as_protobuf("good");
    let group = [&good[..], b"\x7b"].concat();
    let cut = &good[..good.len() - 3];
    let json_body = as_json("good");
    let mut names = BTreeSet::new();
    let bad: [(&str, &[u8]); 18] = [
        (PROTOBUF, &json_body),
        (PROTOBUF, &group),
        (PROTOBUF, cut),
        (PROTOBUF, b"\x0a\xff\xff\xff\xff noise"),
        (PROTOBUF, b"\x10\x01"),
        (PROTOBUF, b"\x0a\x04\x12\x02\x12\x00"),
        (JSON, &good),
        (JSON, b""),
        (JSON, b"7"),
        (JSON, b"[]"),
        (JSON, b"null"),
        (JSON, b"{\"hello\": \"world\"}"),
        (JSON, b"{\"resourceMetrics\": []}"),
        (JSON, b"{\"resourceSpans\": 7}"),
        (JSON, b"{\"resourceSpans\": [7]}"),
        (JSON, b"{\"resourceSpans\": [}"),
        (
            JSON,
            b"{\"resourceSpans\": [{\"scopeSpans\": [{\"spans\": [{\"name\": \"no time\"}]}]}]}",
        ),
        (&[JSON, GZIP].concat(), b"no gzip"),
    ];
    for (number, (lines, body)) in bad.into_iter().enumerate() {
        let name = format!("before {number}");
        assert_eq!(spans.post(&request(PROTOBUF, &as_protobuf(&name))), 200);
        names.insert(name);
        let body_shown = String::from_utf8_lossy(body);
        assert_eq!(
            spans.post(&request(lines, body)),
            400,
            "{lines}{body_shown}"
        );
        let name = format!("after {number}");
        assert_eq!(spans.post(&request(JSON, &as_json(&name))), 200);
        names.insert(name);
        assert_eq!(spans.differ(&names), [""; 0], "{lines}{body_shown}");
    }
    // Nothing to tell is no error, and what has no time is left out of the others.
    for (lines, body) in [
        (PROTOBUF, &b""[..]),
        (JSON, b"{}"),
        (JSON, b"{\"resourceSpans\": []}"),
    ] {
        assert_eq!(spans.post(&request(lines, body)), 200);
    }
    let mut both = span("one of two", 0);
    let list = both["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array_mut();
    list.expect("spans").push(json!({"name": "no time"}));
    let answer = exchange(spans.at, &request(JSON, both.to_string().as_bytes()));
    assert!(answer.contains(r#""rejectedSpans":"1""#), "{answer}");
    names.insert("one of two".to_owned());
    let (found, _) = read(&spans.file());
    assert_eq!(found, names);
}

#[test]
fn only_posts_of_spans_from_this_machine_are_served() {
    let spans = Spans::start(Limits::default());
    let body = as_json("span");
    let post = |lines: &str| {
        let length = body.len();
        let head =
            format!("POST /v1/traces HTTP/1.1\r\n{lines}{JSON}Content-Length: {length}\r\n\r\n");
        [head.as_bytes(), &body].concat()
    };
    for host in ["localhost:4318", "127.0.0.1:1", "[::1]:4318", "LOCALHOST"] {
        assert_eq!(
            spans.post(&post(&format!("Host: {host}\r\n"))),
            200,
            "{host}"
        );
        let origin = format!("{HOST}Origin: http://{host}\r\n");
        assert_eq!(spans.post(&post(&origin)), 200, "{host}");
    }
    for host in [
        "evil.example",
        "evil.example:4318",
        "127.0.0.1.evil.example",
        "10.0.0.1:4318",
        "",
    ] {
        assert_eq!(
            spans.post(&post(&format!("Host: {host}\r\n"))),
            403,
            "{host}"
        );
        let origin = format!("{HOST}Origin: http://{host}\r\n");
        assert_eq!(spans.post(&post(&origin)), 403, "{host}");
    }
    assert_eq!(spans.post(&post(&format!("{HOST}Origin: null\r\n"))), 403);
    for (request, status) in [
        (post(""), 400),
        (post(&format!("{HOST}Host: evil.example\r\n")), 400),
        (post(&format!("{HOST}Content-Length: 1\r\n")), 400),
        (post(&format!("{HOST}Transfer-Encoding: chunked\r\n")), 400),
        (post(&format!("{HOST}Expect: tea\r\n")), 417),
        (format!("GET /v1/traces HTTP/1.1\r\n{HOST}\r\n").into_bytes(), 405),
        (format!("OPTIONS /v1/traces HTTP/1.1\r\n{HOST}\r\n").into_bytes(), 405),
        (format!("GET / HTTP/1.1\r\n{HOST}\r\n").into_bytes(), 404),
        (format!("POST /v1/traces HTTP/1.1\r\n{HOST}{JSON}\r\n").into_bytes(), 411),
        (format!("POST /v1/traces HTTP/1.1\r\n{HOST}{JSON}Transfer-Encoding: gzip\r\n\r\n").into_bytes(), 400),
        (format!("POST /v1/traces HTTP/1.1\r\n{HOST}{JSON}Content-Length: +2\r\n\r\n{{}}").into_bytes(), 400),
        (format!("POST /v1/traces HTTP/1.1\r\n{HOST}{JSON}Content-Length: 9\r\n\r\n{{}}").into_bytes(), 408),
        (format!("POST /v1/traces HTTP/1.1\r\n{HOST}{JSON}Content-Length: 99999999\r\n\r\n").into_bytes(), 413),
        (request("Content-Type: text/html\r\n", b"1"), 415),
        (request(&[JSON, "Content-Encoding: br\r\n"].concat(), b"1"), 415),
        (b"no HTTP at all\r\n\r\n".to_vec(), 400),
        (b"\x16\x03\x01\r\n\r\n".to_vec(), 400),
        (chunked(JSON, b"{}", 1)[..100].to_vec(), 408),
        (format!("POST /v1/traces HTTP/1.1\r\n{HOST}{JSON}Transfer-Encoding: chunked\r\n\r\nx\r\n").into_bytes(), 400),
        (format!("POST /v1/traces HTTP/1.1\r\n{HOST}{JSON}Transfer-Encoding: chunked\r\n\r\n1\r\n{{}}\r\n").into_bytes(), 400),
    ] {
        let shown = String::from_utf8_lossy(&request).into_owned();
        assert_eq!(spans.post(&request), status, "{shown}");
    }
    assert_eq!(spans.differ(&BTreeSet::from(["span".to_owned()])), [""; 0]);
}

#[test]
fn whoever_listens_to_others_still_refuses_names_of_others() {
    let spans = Spans::start_at("0.0.0.0:0", Limits::default());
    let post = |host: &str| {
        let body = as_json("span");
        let head = format!(
            "POST /v1/traces HTTP/1.1\r\nHost: {host}\r\n{JSON}Content-Length: {}\r\n\r\n",
            body.len()
        );
        [head.as_bytes(), &body].concat()
    };
    assert_eq!(spans.post(&post("10.1.2.3:4318")), 200);
    assert_eq!(spans.post(&post("evil.example:4318")), 403);
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

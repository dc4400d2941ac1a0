//! Each limit of the receiver with the status that says so. Nothing waits for a time: what is slow goes on until it is refused.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use callscape::record::listen::{Limits, MOST_KEPT};

use super::{
    GZIP, HOST, JSON, PROTOBUF, Spans, as_json, binary, chunked, exchange, gzip, request, span,
    status,
};

const LONG: Duration = Duration::from_secs(3600);
const SHORT: Duration = Duration::from_millis(20);

fn said(mut stream: &TcpStream) -> String {
    let mut text = Vec::new();
    // A connection that is reset has been answered before.
    let _ = stream.read_to_end(&mut text);
    String::from_utf8_lossy(&text).into_owned()
}

fn good(spans: &Spans) -> u16 {
    spans.post(&request(JSON, &as_json("good")))
}

fn only_good(spans: &Spans) {
    assert_eq!(spans.differ(&BTreeSet::from(["good".to_owned()])), [""; 0]);
}

#[test]
fn heads_and_bodies_are_bounded() {
    let spans = Spans::start(Limits {
        body: 64 << 10,
        ..Limits::default()
    });
    let long = span("long", 70_000).to_string().into_bytes();
    assert_eq!(spans.post(&vec![b'a'; 20 << 10]), 431);
    assert_eq!(
        spans.post(&request(&format!("X: {}\r\n", "a".repeat(20 << 10)), b"")),
        431
    );
    assert_eq!(spans.post(&request(&"X: a\r\n".repeat(100), b"")), 431);
    assert_eq!(spans.post(&request(JSON, &long)), 413);
    assert_eq!(spans.post(&chunked(JSON, &long, 1000)), 413);
    assert_eq!(
        spans.post(&chunked(JSON, &vec![b' '; 1 << 20], 1 << 20)),
        413
    );
    assert_eq!(
        spans.post(&request(&[JSON, GZIP].concat(), &gzip(&long))),
        413
    );
    assert_eq!(good(&spans), 200);
    only_good(&spans);
}

#[test]
fn a_whole_request_has_a_time_and_not_each_read() {
    let spans = Spans::start(Limits {
        request: SHORT,
        farewell: SHORT,
        ..Limits::default()
    });
    let body = [request(JSON, b"").as_slice(), b""].concat();
    let head = String::from_utf8_lossy(&body).replace("Length: 0", "Length: 9999999");
    for start in [
        b"POST /v1/traces HTTP/1.1\r\nX: ".to_vec(),
        head.into_bytes(),
        chunked(JSON, b"", 1)[..120].to_vec(),
    ] {
        let mut stream = TcpStream::connect(spans.at).expect("it listens");
        let _ = stream.write_all(&start);
        let mut dripping = stream.try_clone().expect("a stream");
        // A byte each millisecond, until nobody takes it.
        let drip = std::thread::spawn(move || {
            while dripping.write_all(b" ").is_ok() {
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        let answer = said(&stream);
        assert_eq!(status(&answer), 408, "{answer}");
        drop(stream);
        drip.join().expect("no panic");
    }
    assert_eq!(good(&spans), 200);
}

#[test]
fn a_connection_without_requests_is_closed() {
    let spans = Spans::start(Limits {
        idle: SHORT,
        ..Limits::default()
    });
    let mut stream = TcpStream::connect(spans.at).expect("it listens");
    stream
        .write_all(&request(JSON, &as_json("good")))
        .expect("it reads");
    // Ends by itself, with one answer.
    assert_eq!(said(&stream).matches("HTTP/1.1").count(), 1);
}

#[test]
fn slow_connections_make_room_and_lock_nobody_out() {
    let spans = Spans::start(Limits {
        connections: 4,
        undisturbed: Duration::ZERO,
        patience: LONG,
        ..Limits::default()
    });
    let begun: [&[u8]; 3] = [b"", b"POST", b"POST /v1/traces HTTP/1.1\r\nContent-"];
    let slow: Vec<TcpStream> = (0..20)
        .map(|number| {
            let mut stream = TcpStream::connect(spans.at).expect("it listens");
            let _ = stream.write_all(begun[number % 3]);
            stream
        })
        .collect();
    for _ in 0..10 {
        assert_eq!(good(&spans), 200);
    }
    drop(slow);
    only_good(&spans);
}

#[test]
fn more_connections_than_there_is_room_for_are_told() {
    let spans = Spans::start(Limits {
        connections: 1,
        undisturbed: LONG,
        patience: Duration::from_millis(1),
        ..Limits::default()
    });
    let first = TcpStream::connect(spans.at).expect("it listens");
    let answer = exchange(spans.at, &request(JSON, &as_json("bad")));
    assert_eq!(status(&answer), 503);
    assert!(answer.contains("Retry-After: 1"), "{answer}");
    drop(first);
    while good(&spans) != 200 {}
    only_good(&spans);
}

/// Connections that announce a body and send most of it.
fn unfinished(spans: &Spans, count: usize, sent: usize) -> Vec<TcpStream> {
    let head = format!("POST /v1/traces HTTP/1.1\r\n{HOST}{JSON}Content-Length: 131072\r\n\r\n");
    let body = vec![b' '; sent];
    let begin = |_| {
        let mut stream = TcpStream::connect(spans.at).expect("it listens");
        let _ = stream.write_all(&[head.as_bytes(), &body].concat());
        stream
    };
    (0..count).map(begin).collect()
}

#[test]
fn bytes_under_way_are_bounded_and_unfinished_bodies_make_room() {
    let limits = Limits {
        under_way: 256 << 10,
        own: 0,
        patience: LONG,
        ..Limits::default()
    };
    let spans = Spans::start(Limits {
        undisturbed: Duration::ZERO,
        ..limits
    });
    let begun = unfinished(&spans, 8, 100_000);
    for _ in 0..10 {
        assert_eq!(good(&spans), 200);
    }
    drop(begun);
    // Where nobody has to make room, the next is told; it needs as much as all of them together.
    let spans = Spans::start(Limits {
        undisturbed: LONG,
        patience: Duration::from_millis(1),
        ..limits
    });
    let begun = unfinished(&spans, 1, 100_000);
    let long = request(PROTOBUF, &binary(&span("long", 200_000)));
    while spans.post(&long) != 429 {}
    drop(begun);
    while good(&spans) != 200 {}
}

#[test]
fn bytes_on_disk_are_bounded_and_what_was_kept_stays() {
    let spans = Spans::start(Limits {
        kept: 4000,
        ..Limits::default()
    });
    let mut names = BTreeSet::new();
    let full = (0..).find(|number| {
        let name = format!("span {number}");
        let status = spans.post(&request(JSON, &as_json(&name)));
        assert!(matches!(status, 200 | 507), "{status}");
        if status == 200 {
            names.insert(name);
        }
        status == 507
    });
    assert!(full > Some(2));
    assert_eq!(spans.differ(&names), [""; 0]);
    let said = spans.said.lock().expect("no panic");
    assert!(said.len() == 1 && said[0].contains(MOST_KEPT), "{said:?}");
}

#[test]
fn what_was_compressed_takes_no_more_on_disk_than_it_came_with() {
    let spans = Spans::start(Limits {
        kept: 1 << 20,
        ..Limits::default()
    });
    let packed = gzip(span("good", 4 << 20).to_string().as_bytes());
    assert!(packed.len() < 20_000);
    let post = request(&[JSON, GZIP].concat(), &packed);
    let kept = (0..64).filter(|_| spans.post(&post) == 200).count();
    // Each counts a sixteenth of what it decompresses to.
    assert_eq!(kept, 3);
    let size = spans.file().metadata().expect("a file").len();
    assert!(size < 70_000, "{size}");
    only_good(&spans);
}

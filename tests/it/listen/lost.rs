//! What was answered with 200 is in the file, whatever else comes, and nothing else is.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::net::TcpStream;
use std::sync::mpsc::channel;

use callscape::record::listen::{Limits, Listener, address};

use super::super::common::{Random, Scratch};
use super::{
    GZIP, HOST, JSON, PROTOBUF, Spans, as_json, as_protobuf, binary, chunked, exchange, gzip, read,
    request, span, status,
};

/// A request of any kind, with one span of this name, and whether it is a good one.
fn any(random: &mut Random, name: &str) -> (Vec<u8>, bool) {
    let padding = random.below(3000) as usize;
    let body = span(name, padding);
    let (json, protobuf) = (body.to_string().into_bytes(), binary(&body));
    let both = |lines: &str| [lines, GZIP].concat();
    let at = |body: &[u8], random: &mut Random| 1 + random.below(body.len() as u64 - 1) as usize;
    match random.below(12) {
        0 => (request(JSON, &json), true),
        1 => (request(PROTOBUF, &protobuf), true),
        2 => (request(&both(JSON), &gzip(&json)), true),
        3 => {
            let (a, b) = protobuf.split_at(at(&protobuf, random));
            (request(&both(PROTOBUF), &[gzip(a), gzip(b)].concat()), true)
        }
        4 => (chunked(JSON, &json, 1 + random.below(500) as usize), true),
        5 => (request(PROTOBUF, &json), false),
        6 => (request(JSON, &protobuf), false),
        7 => (request(JSON, &json[..at(&json, random)]), false),
        8 => (request(PROTOBUF, &protobuf[..at(&protobuf, random)]), false),
        9 => {
            let whole = request(PROTOBUF, &protobuf);
            (whole[..at(&whole, random)].to_vec(), false)
        }
        10 => (request(PROTOBUF, &[&protobuf[..], b"\x7b"].concat()), false),
        _ => {
            let mut packed = gzip(&json);
            let last = packed.len() - 6;
            packed[last] ^= 1;
            (request(&both(JSON), &packed), false)
        }
    }
}

#[test]
fn of_good_bad_and_torn_requests_the_good_ones_are_kept() {
    let spans = Spans::start(Limits::default());
    let mut names = BTreeSet::new();
    let mut random = Random(43);
    for number in 0..300 {
        let name = format!("span {number}");
        let (request, is_good) = any(&mut random, &name);
        let answer = exchange(spans.at, &request);
        let shown = String::from_utf8_lossy(&request);
        assert_eq!(
            status(&answer) == 200,
            is_good,
            "{number}: {answer}\n{shown}"
        );
        if is_good {
            names.insert(name);
        }
    }
    assert_eq!(spans.differ(&names), [""; 0]);
}

#[test]
fn a_file_that_is_cut_or_damaged_loses_only_what_is_hit() {
    let spans = Spans::start(Limits::default());
    let mut ends = Vec::new();
    for (number, name) in ["a", "b", "c"].into_iter().enumerate() {
        let body = match number {
            1 => request(JSON, &as_json(name)),
            _ => request(PROTOBUF, &as_protobuf(name)),
        };
        assert_eq!(spans.post(&body), 200);
        ends.push(spans.file().metadata().expect("a file").len() as usize);
    }
    let whole = fs::read(spans.file()).expect("a file");
    let first = b"callscape-spans 1\n".len();
    let changed = spans.folder.0.join("changed");
    for length in first..whole.len() {
        fs::write(&changed, &whole[..length]).expect("room");
        let (names, warnings) = read(&changed);
        let complete = ends.iter().filter(|&&end| end <= length).count();
        assert_eq!(names.len(), complete, "cut at {length}");
        let is_between = length == first || ends.contains(&length);
        assert_eq!(
            warnings.is_empty(),
            is_between,
            "cut at {length}: {warnings:?}"
        );
    }
    for at in first..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x20;
        fs::write(&changed, &bytes).expect("room");
        let (names, warnings) = read(&changed);
        let hit = ends.iter().filter(|&&end| end <= at).count();
        let others = ["a", "b", "c"]
            .into_iter()
            .enumerate()
            .filter(|(number, _)| *number != hit);
        let others: BTreeSet<String> = others.map(|(_, name)| name.to_owned()).collect();
        assert_eq!(names, others, "changed at {at}");
        assert_eq!(warnings, ["damaged-message"], "changed at {at}");
    }
}

#[test]
fn a_file_that_is_gone_is_said_each_time_and_nothing_is_kept_in_another() {
    let spans = Spans::start(Limits::default());
    let post = |name: &str| spans.post(&request(JSON, &as_json(name)));
    assert_eq!(post("a"), 200);
    let aside = spans.folder.0.join("aside");
    fs::rename(spans.file(), &aside).expect("it can be renamed");
    assert_eq!((post("lost"), post("lost")), (507, 507));
    fs::write(spans.file(), "of somebody else").expect("room");
    assert_eq!(post("lost"), 507);
    assert_eq!(fs::read(spans.file()).expect("a file"), b"of somebody else");
    fs::rename(&aside, spans.file()).expect("it can be renamed");
    assert_eq!(post("b"), 200);
    let names = ["a", "b"].map(str::to_owned);
    assert_eq!(spans.differ(&BTreeSet::from(names)), [""; 0]);
    let said = spans.said.lock().expect("no panic");
    assert_eq!(said.len(), 3, "{said:?}");
    assert!(said.iter().all(|it| it.contains("spans.otlp")), "{said:?}");
}

#[test]
fn a_folder_that_cannot_be_written_is_said_at_the_start_and_each_time() {
    let scratch = Scratch::new("listen-nowhere");
    let nowhere = scratch.0.join("nowhere");
    let at = address("127.0.0.1:0").expect("an address");
    let begun = Listener::begin(
        at,
        (&nowhere, "spans"),
        Limits::default(),
        channel().0,
        Box::new(|_| {}),
    );
    let error = begun.err().expect("no folder").to_string();
    assert!(error.contains("nowhere"), "{error}");
    let spans = Spans::start(Limits::default());
    fs::remove_dir(&spans.folder.0).expect("it is empty");
    for _ in 0..2 {
        assert_eq!(spans.post(&request(JSON, &as_json("lost"))), 507);
    }
    assert_eq!(spans.said.lock().expect("no panic").len(), 2);
    fs::create_dir(&spans.folder.0).expect("it can be made");
    assert_eq!(spans.post(&request(JSON, &as_json("kept"))), 200);
    assert_eq!(spans.differ(&BTreeSet::from(["kept".to_owned()])), [""; 0]);
}

#[cfg(unix)]
#[test]
fn nothing_that_is_there_is_written_to() {
    let spans = Spans::start(Limits::default());
    let victim = spans.folder.write("victim", b"precious");
    std::os::unix::fs::symlink(&victim, spans.file()).expect("a link");
    fs::write(spans.folder.0.join("spans-2.otlp"), "another").expect("room");
    assert_eq!(spans.post(&request(JSON, &as_json("span"))), 200);
    let file = spans.arrived.recv().expect("it is told");
    assert_eq!(file, spans.folder.0.join("spans-3.otlp"));
    assert_eq!(read(&file).0, BTreeSet::from(["span".to_owned()]));
    assert_eq!(fs::read(&victim).expect("a file"), b"precious");
    let names = fs::read_dir(&spans.folder.0).expect("a folder").flatten();
    let mut names: Vec<_> = names.map(|it| it.file_name()).collect();
    names.sort();
    assert_eq!(
        names,
        ["spans-2.otlp", "spans-3.otlp", "spans.otlp", "victim"]
    );
}

#[test]
fn what_a_killed_receiver_left_is_swept_by_the_next() {
    let spans = Spans::start(Limits::default());
    let left = spans
        .folder
        .write(".1-0.callscape-tmp", b"callscape-spans 1\n");
    let at = address("127.0.0.1:0").expect("an address");
    let place = (&*spans.folder.0, "next");
    let next = Listener::begin(at, place, Limits::default(), channel().0, Box::new(|_| {}));
    assert!(next.is_ok() && !left.exists());
}

#[test]
fn two_receivers_of_one_second_have_a_file_each() {
    let spans = Spans::start(Limits::default());
    let at = address("127.0.0.1:0").expect("an address");
    let (sender, arrived) = channel();
    let place = (&*spans.folder.0, "spans");
    let other = Listener::begin(at, place, Limits::default(), sender, Box::new(|_| {}));
    let other = other.expect("it listens");
    let to = other.address().expect("an address");
    std::thread::spawn(move || other.serve());
    assert_eq!(spans.post(&request(JSON, &as_json("a"))), 200);
    assert_eq!(status(&exchange(to, &request(JSON, &as_json("b")))), 200);
    assert_eq!(read(&spans.file()).0, BTreeSet::from(["a".to_owned()]));
    let second = arrived.recv().expect("it is told");
    assert_eq!(read(&second).0, BTreeSet::from(["b".to_owned()]));
}

#[test]
fn whoever_leaves_in_the_midst_harms_nobody() {
    let spans = Spans::start(Limits::default());
    for _ in 0..50 {
        let mut stream = TcpStream::connect(spans.at).expect("it listens");
        let head = format!("POST /v1/traces HTTP/1.1\r\n{HOST}{JSON}Content-Length: 500\r\n\r\n{{");
        stream.write_all(head.as_bytes()).expect("it reads");
    }
    assert_eq!(spans.post(&request(JSON, &as_json("span"))), 200);
    assert_eq!(spans.differ(&BTreeSet::from(["span".to_owned()])), [""; 0]);
}

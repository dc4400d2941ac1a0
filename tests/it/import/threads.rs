//! An import with one thread and with two: the same index, the same warnings and errors.

use std::io::Write;
use std::path::Path;

use callscape::import::index;
use callscape::progress::Progress;
use flate2::{Compression, write::GzEncoder};

use crate::common::Scratch;
use crate::generate::{Plan, Program, write_chrome, write_uftrace};

/// The index of a recording as it is made with this number of threads, or the error.
fn built(path: &Path, index: &Path, threads: usize) -> Result<Vec<u8>, String> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.expect("threads");
    let built = pool.install(|| index::build(path, Some(index), &Progress::new()));
    built
        .map(|index| std::fs::read(index).expect("just written"))
        .map_err(|error| error.to_string())
}

fn is_the_same(scratch: &Scratch, path: &Path) -> Result<Vec<u8>, String> {
    let index = scratch.0.join("index");
    let [one, two] = [1, 2].map(|threads| built(path, &index, threads));
    assert!(one == two, "{}", path.display());
    two
}

/// A program whose traces are read ahead, and packed beside the import: more calls than are packed together.
fn program() -> Program {
    Program::new(Plan {
        calls: 90_000,
        functions: 400,
        threads: 3,
        seed: 11,
    })
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut gzip = GzEncoder::new(Vec::new(), Compression::none());
    gzip.write_all(content).expect("memory");
    gzip.finish().expect("memory")
}

#[test]
fn two_threads_give_the_index_that_one_gives() {
    let scratch = Scratch::new("threads");
    let directory = scratch.0.join("uftrace.data");
    write_uftrace(&program(), &directory).expect("there is room");
    let of_uftrace = is_the_same(&scratch, &directory).expect("sound");
    let mut chrome = Vec::new();
    write_chrome(&program(), &mut chrome).expect("memory");
    let plain = scratch.write("plain", &chrome);
    let expected = is_the_same(&scratch, &plain).expect("sound");
    assert!(of_uftrace.len() > 300_000 && expected.len() > 300_000);
    for (name, content) in [
        ("gzip", gzip(&chrome)),
        ("zstd", zstd::encode_all(&*chrome, -50).expect("memory")),
    ] {
        assert!(content.len() > 1 << 20, "{name} is not read ahead");
        let path = scratch.write(name, &content);
        is_the_same(&scratch, &path).expect("sound");
        // Cut short, damaged, and with something behind it.
        for cut in [1 << 20, content.len() - 100_000, content.len() - 3] {
            let path = scratch.write(name, &content[..cut]);
            is_the_same(&scratch, &path).expect("the start is kept");
        }
        let mut damaged = content.clone();
        let middle = damaged.len() / 2;
        damaged[middle..middle + 5000].fill(0x55);
        let path = scratch.write(name, &damaged);
        let _ = is_the_same(&scratch, &path);
        let path = scratch.write(name, &[&content[..], b"garbage"].concat());
        is_the_same(&scratch, &path).expect("what follows is counted");
    }
    // A decompression bomb, found at the same place.
    let bomb = GzEncoder::new(Vec::new(), Compression::best());
    let mut bomb = std::io::BufWriter::new(bomb);
    bomb.write_all(b"{\"traceEvents\":[").expect("memory");
    for _ in 0..5_000 {
        bomb.write_all(&[b' '; 64 << 10]).expect("memory");
    }
    let bomb = bomb.into_inner().expect("memory");
    let bomb = [gzip(&vec![b' '; 1 << 20]), bomb.finish().expect("memory")].concat();
    let path = scratch.write("bomb", &bomb);
    let error = is_the_same(&scratch, &path).expect_err("a bomb");
    assert!(error.contains("bomb"), "{error}");
}

#[test]
fn malformed_events_are_counted_at_the_same_places() {
    let scratch = Scratch::new("threads-damage");
    let mut chrome = Vec::new();
    write_chrome(&program(), &mut chrome).expect("memory");
    let mut random = crate::common::Random(9);
    for _ in 0..6 {
        let mut damaged = chrome.clone();
        for _ in 0..1 + random.below(20) {
            let at = random.below(damaged.len() as u64) as usize;
            damaged[at] = random.below(256) as u8;
        }
        damaged.truncate(damaged.len() - random.below(200_000) as usize);
        let path = scratch.write("damaged", &damaged);
        let _ = is_the_same(&scratch, &path);
    }
}

#[test]
fn an_import_on_two_threads_can_be_cancelled() {
    let scratch = Scratch::new("threads-cancel");
    let mut chrome = Vec::new();
    write_chrome(&program(), &mut chrome).expect("memory");
    let path = scratch.write("plain", &chrome);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build();
    let pool = pool.expect("threads");
    let progress = Progress::new();
    let watcher = progress.clone();
    let cancel = std::thread::spawn(move || {
        // Some of it has been read, or all: then the next import meets the wish.
        while watcher.state().1 == 0 {
            std::thread::yield_now();
        }
        watcher.cancel();
    });
    let import = || index::build(&path, Some(&scratch.0.join("index")), &progress);
    let mut last = pool.install(import);
    cancel.join().expect("it only waits");
    if last.is_ok() {
        last = pool.install(import);
    }
    let error = last.expect_err("cancelled").to_string();
    assert!(error.contains("cancelled"), "{error}");
}

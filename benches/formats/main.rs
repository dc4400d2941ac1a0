//! Import of formats beside an existing reader of each, on the same file in the same run: a typed parse of JSON with
//! `serde_json`, `inferno-collapse-perf`, and those of benches/peers (prost, callgrind-parser, jfrs, opentelemetry-proto).
//!
//! Run with `cargo bench --bench formats [SCALE] [FORMAT]… [JFR_FILE]`: recordings of one program are made with a seed, in
//! every format that can be; a scale of 10 stands for 40 to 100 MB each. Peers are looked for in `$PEERS/cargo/bin` and
//! on the path, and left out where they are not there. CPU times of user and system mode, the least of three.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use callscape::import;
use callscape::progress::Progress;

mod program;
mod text;
mod typed;
mod wire;

use callscape_testing::measured::Measured;
use callscape_testing::random::Random;
use callscape_testing::timing::least_cpu;
use program::Program;
use text::Out;

fn least(work: impl FnMut()) -> f64 {
    least_cpu(work).as_secs_f64()
}

/// Where a program is installed.
fn installed(name: &str) -> Option<PathBuf> {
    let peers = std::env::var_os("PEERS").map(|dir| PathBuf::from(dir).join("cargo/bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = peers.into_iter().chain(std::env::split_paths(&path));
    folders.find_map(|folder| Some(folder.join(name)).filter(|it| it.is_file()))
}

fn run(program: &Path, arguments: &[&str], path: &Path) -> f64 {
    least(|| {
        let mut command = Command::new(program);
        command.args(arguments).arg(path);
        let command = command.stdout(Stdio::null()).stderr(Stdio::null());
        assert!(command.status().expect("the peer").success());
    })
}

/// The time of a parse of a JSON format into typed structs, which makes nothing of them; none of other formats.
fn bare_parse(format: &str, path: &Path) -> Option<(String, f64)> {
    let typed = |parse: &dyn Fn(&[u8]) -> usize| {
        let time = least(|| {
            let file = File::open(path).expect("a file");
            // SAFETY: nothing writes to the file meanwhile.
            let map = unsafe { memmap2::Mmap::map(&file) }.expect("a map");
            assert!(parse(&map) > 0);
        });
        Some(("serde_json, typed".to_owned(), time))
    };
    fn parse<'a, T: serde::Deserialize<'a>>(text: &'a [u8]) -> T {
        serde_json::from_slice(text).expect("the file just written")
    }
    match format {
        "cpuprofile" => typed(&|text| parse::<typed::CpuProfile<'_>>(text).samples.len()),
        "firefox" => typed(&|text| {
            parse::<typed::Firefox<'_>>(text).threads[0]
                .samples
                .stack
                .len()
        }),
        "jaeger" => typed(&|text| parse::<typed::Jaeger<'_>>(text).data[0].spans.len()),
        "otlp" => typed(&|text| {
            parse::<typed::Request<'_>>(text).resource_spans[0].scope_spans[0]
                .spans
                .len()
        }),
        // No reader is named: each line is taken apart into method, file and line, and nothing is made of it.
        "hprof" => {
            let time = least(|| {
                let text = std::fs::read_to_string(path).expect("text");
                let frames = text.lines().filter_map(|line| {
                    let (method, place) = line.trim().strip_suffix(')')?.rsplit_once('(')?;
                    let (file, line) = place.rsplit_once(':')?;
                    Some(method.len() + file.len() + line.parse::<usize>().ok()?)
                });
                assert!(frames.sum::<usize>() > 0);
            });
            Some(("its lines taken apart".to_owned(), time))
        }
        _ => None,
    }
}

/// The time of the peer of a format; none where it is not there.
fn peer(format: &str, path: &Path) -> Option<(String, f64)> {
    match format {
        "cpuprofile" | "firefox" | "jaeger" | "hprof" => None,
        "perf-script" => {
            let name = "inferno-collapse-perf";
            let program = installed(name)?;
            Some((name.to_owned(), run(&program, &["--nthreads", "1"], path)))
        }
        "folded" => {
            let name = "inferno-flamegraph";
            let program = installed(name)?;
            Some((name.to_owned(), run(&program, &[], path)))
        }
        _ => {
            let program = installed("callscape-peers")?;
            let reader = match format {
                "callgrind" => "callgrind-parser",
                "jfr" => "jfrs",
                "otlp" | "otlp-protobuf" => "opentelemetry-proto",
                _ => "prost",
            };
            Some((reader.to_owned(), run(&program, &[format], path)))
        }
    }
}

fn measure(format: &str, path: &Path) -> std::io::Result<()> {
    let megabytes = path.metadata()?.len() as f64 / 1e6;
    let mut found = String::new();
    let index = path.with_extension("callscape");
    let time = least(|| {
        // Left by the run before.
        let _ = std::fs::remove_file(&index);
        let recording = import::open(path, &Progress::new()).expect("a sound recording");
        // Both forms of OpenTelemetry are one format.
        let id = format.strip_suffix("-protobuf").unwrap_or(format);
        assert_eq!(recording.format, id);
        found.clear();
        let (calls, samples) = (recording.trace.calls(), recording.samples);
        let _ = write!(
            found,
            "{samples} samples, {calls} calls, {} kinds of repairs",
            recording.warnings.len()
        );
    });
    print!(
        "{format}: {megabytes:.0} MB, {found}: import {time:.2} s, {:.0} MB/s",
        megabytes / time
    );
    let readers = [
        (peer(format, path), "≤ 1 (0.5) ×"),
        (bare_parse(format, path), ""),
    ];
    let readers: Vec<_> = readers
        .into_iter()
        .filter_map(|(found, aim)| Some((found?, aim)))
        .collect();
    for ((name, beside), _) in &readers {
        print!("; {name} {beside:.2} s, {:.2} ×", beside / time);
    }
    println!();
    for ((name, beside), aim) in &readers {
        Measured {
            target: &format!("formats: {format} beside {name}, {megabytes:.0} MB"),
            value: time,
            unit: "s",
            peer: Some((name, *beside)),
            aim,
            ..Measured::default()
        }
        .print();
    }
    Ok(())
}

type Writer = fn(&Program, Out<'_>) -> std::io::Result<()>;

const FORMATS: &[(&str, Writer)] = &[
    ("cpuprofile", text::write_cpuprofile),
    ("firefox", text::write_firefox),
    ("jaeger", text::write_jaeger),
    ("otlp", text::write_otlp),
    ("otlp-protobuf", wire::write_otlp_protobuf),
    ("hprof", text::write_hprof),
    ("perf-script", text::write_perf),
    ("pprof", wire::write_pprof),
    ("callgrind", text::write_callgrind),
    ("folded", text::write_folded),
    ("perfetto", wire::write_perfetto),
];

fn main() -> std::io::Result<()> {
    // Cargo passes --bench and whatever stands behind --.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let scale = arguments
        .iter()
        .find_map(|it| it.parse::<u64>().ok())
        .unwrap_or(2);
    let wanted = |format: &str| {
        let mut named = FORMATS
            .iter()
            .filter(|it| arguments.contains(&it.0.to_owned()));
        named.next().is_none() || arguments.iter().any(|it| it == format)
    };
    let dir = std::env::temp_dir().join(format!("callscape-formats-{}", std::process::id()));
    std::fs::create_dir_all(&dir)?;
    let program = Program::new(scale * 400_000, &mut Random(7));
    for (format, write) in FORMATS {
        if wanted(format) {
            // No index is kept of it from one run to the next.
            let path = dir.join("recording");
            let mut out = BufWriter::new(File::create(&path)?);
            write(&program, &mut out)?;
            out.flush()?;
            drop(out);
            measure(format, &path)?;
        }
    }
    for path in arguments
        .iter()
        .map(Path::new)
        .filter(|path| path.is_file())
    {
        measure("jfr", path)?;
    }
    std::fs::remove_dir_all(&dir)
}

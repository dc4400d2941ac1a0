//! What the program says of profiles.

use serde_json::Value;

use super::Scratch;
use crate::common::{data, json, run};

#[test]
fn profiles_are_described_in_their_own_unit() {
    let pprof = data("import/pprof/markdown-render.pb.gz");
    let pprof = pprof.to_str().expect("text");
    let info = json(&["info", pprof, "--json"]);
    assert_eq!(info["kind"], "profile");
    assert_eq!(info["unit"], "nanoseconds");
    assert_eq!(info["duration_ns"], 0);
    assert_eq!(info["samples"], 507);
    assert_eq!(info["calls"], 0);
    assert_eq!(info["calls_known"], false);
    assert_eq!(info["max_depth"], 46);
    assert_eq!(info["contexts"], 440);
    assert_eq!(info["values"][0]["name"], "samples");
    assert_eq!(info["values"][0]["total"], 507);
    assert_eq!(info["values"][1]["total"], 1_016_032_057);
    assert_eq!(info["threads"], Value::Array(Vec::new()));
    let (_, text, _) = run(&["info", pprof]);
    assert!(
        text.contains("calls      not counted") && text.contains("--value samples"),
        "{text}"
    );

    let of_time = json(&["functions", pprof, "--json", "--top", "1"]);
    assert_eq!(of_time[0]["total_ns"], 1_016_032_057);
    assert_eq!(of_time[0]["unit"], Value::Null);
    let of_samples = json(&[
        "functions",
        pprof,
        "--json",
        "--top",
        "1",
        "--value",
        "samples",
    ]);
    assert_eq!(of_samples[0]["total_ns"], 507);
    assert_eq!(of_samples[0]["unit"], "samples");
    let graph = json(&["graph", pprof, "--json", "--value", "samples"]);
    assert_eq!(graph["unit"], "samples");
    let (code, _, error) = run(&["functions", pprof, "--value", "space"]);
    assert!(
        code == Some(1) && error.contains("one of: samples, cpu"),
        "{error}"
    );

    let callgrind = data("import/callgrind/fib.callgrind.out");
    let callgrind = callgrind.to_str().expect("text");
    let info = json(&["info", callgrind, "--json"]);
    assert_eq!(info["contexts"], Value::Null);
    assert_eq!(info["calls_known"], true);
    assert_eq!(info["unit"], "instructions");
    let (_, text, _) = run(&["functions", callgrind, "--top", "3"]);
    assert!(text.contains("13\u{202f}745 instructions"), "{text}");
}

#[test]
fn what_needs_times_is_refused_of_a_profile() {
    let scratch = Scratch::new("refused");
    let folded = scratch.write("stacks", b"a;b 3\n");
    let folded = folded.to_str().expect("text");
    let out = scratch.0.join("out.png");
    let out = out.to_str().expect("text");
    for arguments in [
        &["stack", folded, "--at", "0"][..],
        &["graph", folded, "--from", "10%"],
        &["index", folded],
        &["render", folded, "-o", out, "--at", "50%"],
        &["render", folded, "-o", out, "--area", "calls"],
    ] {
        let (code, printed, error) = run(arguments);
        assert_eq!(code, Some(1), "{arguments:?}");
        assert!(printed.is_empty() && error.contains("profile"), "{error}");
        assert_eq!(error.trim_end().lines().count(), 1, "{error}");
    }
    assert_eq!(
        std::fs::read_dir(&scratch.0).expect("the folder").count(),
        1
    );
}

/// What is written of a profile is read as the same profile.
#[test]
fn profiles_are_exported_as_folded_stacks_and_as_a_table() {
    let scratch = Scratch::new("exported");
    let folded = scratch.write("stacks", b"a;b 1.5\na 2\na;c;a 0.25\nb 4\n");
    let pprof = data("import/pprof/markdown-render.pb.gz");
    for path in [&folded, &pprof] {
        let text = path.to_str().expect("text");
        let (code, out, error) = run(&["export", text, "--format", "folded", "-o", "-"]);
        assert_eq!(code, Some(0), "{error}");
        let again = super::read(&scratch.write("again", out.as_bytes()));
        let before = super::read(path);
        assert_eq!(super::tree(&again).len(), super::tree(&before).len());
        let sums = |recording| super::profile(recording).weight();
        assert_eq!(sums(&again), sums(&before));
    }
    let text = folded.to_str().expect("text");
    let (code, out, _) = run(&["export", text, "--format", "csv", "-o", "-"]);
    assert_eq!((code, out.lines().count()), (Some(0), 4), "{out}");
    let callgrind = data("import/callgrind/fib.callgrind.out");
    let callgrind = callgrind.to_str().expect("text");
    for arguments in [
        &["export", text, "--format", "chrome-json", "-o", "-"][..],
        &["export", callgrind, "--format", "speedscope", "-o", "-"],
        &["export", callgrind, "--format", "folded", "-o", "-"],
    ] {
        let (code, out, error) = run(arguments);
        assert!(
            code == Some(1) && out.is_empty() && error.contains(": "),
            "{error}"
        );
    }
}

/// Number of pixels of two pictures that differ.
fn difference(a: &std::path::Path, b: &std::path::Path) -> usize {
    let pixels = |path: &std::path::Path| {
        let file = std::fs::File::open(path).expect("a picture");
        let mut reader = png::Decoder::new(std::io::BufReader::new(file))
            .read_info()
            .expect("a PNG");
        let mut pixels = vec![0; reader.output_buffer_size().expect("a size")];
        reader.next_frame(&mut pixels).expect("pixels");
        pixels
    };
    let (a, b) = (pixels(a), pixels(b));
    a.chunks(4).zip(b.chunks(4)).filter(|(a, b)| a != b).count()
}

#[test]
fn a_profile_is_drawn_with_its_call_relations_and_beside_a_trace() {
    let scratch = Scratch::new("drawn");
    let pprof = data("import/pprof/markdown-render.pb.gz");
    let trace = data("import/toml-threads.viztracer.json");
    let text = |path: &std::path::Path| path.to_str().expect("text").to_owned();
    let picture = |name: &str, more: &[&str]| {
        let out = scratch.0.join(name);
        let out_text = text(&out);
        let mut arguments = vec!["render", "-o", &out_text, "--size", "320x200"];
        arguments.extend_from_slice(more);
        let (code, _, error) = run(&arguments);
        assert_eq!(code, Some(0), "{error}");
        out
    };
    let (pprof, trace) = (text(&pprof), text(&trace));
    let arcs = picture("arcs.png", &[&pprof, "--area", "self"]);
    let none = picture("none.png", &[&pprof, "--area", "self", "--arcs", "none"]);
    assert!(
        difference(&arcs, &none) > 300,
        "{}",
        difference(&arcs, &none)
    );
    picture("mixed.png", &[&pprof, &trace, "--color", "self"]);
    picture("mixed-too.png", &[&trace, &pprof, "--height", "self"]);
}

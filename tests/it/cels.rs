//! Pictures of cels: with the sum of all up to them, and with the arcs of the whole recording.

use std::path::Path;

use super::common::{self, Scratch, text};

fn pixels(path: &Path) -> (usize, Vec<[u8; 4]>) {
    let file = std::fs::File::open(path).expect("the picture");
    let mut reader = png::Decoder::new(std::io::BufReader::new(file))
        .read_info()
        .expect("a PNG");
    let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
    let frame = reader.next_frame(&mut bytes).expect("pixels");
    let all = bytes.chunks_exact(4);
    (
        frame.width as usize,
        all.map(|it| [it[0], it[1], it[2], it[3]]).collect(),
    )
}

/// A file in which `f` calls `g` first and `h` then.
fn recording(scratch: &Scratch) -> std::path::PathBuf {
    let event = |(name, start, length): (&str, u32, u32)| {
        format!(r#"{{"ph":"X","pid":1,"tid":1,"ts":{start},"dur":{length},"name":"{name}"}}"#)
    };
    let events = [
        ("f (a.py:1)", 0, 1000),
        ("g (b.py:1)", 100, 50),
        ("h (c.py:1)", 800, 50),
    ];
    let events = events.map(event).join(",");
    scratch.write("cels.json", format!("[{events}]").as_bytes())
}

#[test]
fn the_sum_up_to_a_cel_is_drawn_next_to_it() {
    let scratch = Scratch::new("cels-sum");
    let trace = recording(&scratch);
    let draw = |name: &str, more: &[&str]| {
        let path = scratch.0.join(name);
        let fixed = ["render", text(&trace), "-o", text(&path)];
        let (code, _, err) = common::run(&[&fixed, more].concat());
        assert_eq!(code, Some(0), "{err}");
        path
    };
    let wide = ["--with-sum", "--arcs", "step", "--size", "640x240"];
    let halves = |time: &str| {
        let path = draw("both.png", &[&wide[..], &["--at", time]].concat());
        let (width, all) = pixels(&path);
        assert_eq!((width, all.len()), (640, 640 * 240));
        let half = |from: usize| -> Vec<[u8; 4]> {
            let rows = all.chunks_exact(width);
            rows.flat_map(|row| row[from..from + 300].to_vec())
                .collect()
        };
        // Without the captions.
        [half(0), half(340)].map(|it| it[300 * 40..].to_vec())
    };
    // Events of memory make cels, too.
    let memory = common::data("import/heaptrack/python-start.heaptrack.zst");
    let path = scratch.0.join("memory.png");
    let fixed = ["render", text(&memory), "-o", text(&path), "--at", "50%"];
    let (code, _, err) = common::run(&[&fixed[..], &wide].concat());
    assert_eq!(code, Some(0), "{err}");
    // Of the last cel only the second call; of the sum both.
    let [cel, sum] = halves("840us");
    let differing = cel.iter().zip(&sum).filter(|(a, b)| a != b).count();
    assert!(differing > 500, "{differing}");
    let [cel_before, sum_before] = halves("700us");
    assert!(cel_before != cel && sum_before != sum);
    let profile = scratch.write("profile.folded", b"main;f 10\nmain 2\n");
    let path = scratch.0.join("no.png");
    let refused = |arguments: &[&str], said: &str| {
        let fixed = ["--with-sum", "-o", text(&path)];
        let (code, _, err) = common::run(&[arguments, &fixed[..]].concat());
        assert!(code == Some(1) && err.contains(said), "{code:?} {err}");
    };
    refused(&["render", text(&profile)], "it has no cels");
    let flame = ["render", text(&trace), "--view", "flame"];
    refused(&flame, "only the landscape is drawn twice");
}

#[test]
fn arcs_of_the_whole_recording_are_there_before_their_calls() {
    let scratch = Scratch::new("cels-whole");
    let trace = recording(&scratch);
    let draw = |arcs: &str, time: &str| {
        let path = scratch.0.join(format!("{arcs}.png"));
        let fixed = [
            "render",
            text(&trace),
            "-o",
            text(&path),
            "--size",
            "400x300",
        ];
        let more = ["--arcs", arcs, "--at", time, "--no-labels"];
        let (code, _, err) = common::run(&[&fixed[..], &more].concat());
        assert_eq!(code, Some(0), "{err}");
        pixels(&path).1
    };
    let [none, all, whole] = ["none", "all", "whole"].map(|it| draw(it, "500us"));
    let lie_over = |of: &[[u8; 4]]| of.iter().zip(&none).filter(|(a, b)| a != b).count();
    let [all, whole] = [lie_over(&all), lie_over(&whole)];
    assert!(all > 50 && whole > all + 50, "{all} {whole}");
}

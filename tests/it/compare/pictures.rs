//! The pictures of `callscape compare`.

use std::path::Path;

use super::*;

/// The colours of a picture.
fn pixels(path: &Path) -> Vec<[u8; 3]> {
    let file = std::fs::File::open(path).expect("the picture");
    let mut reader = png::Decoder::new(std::io::BufReader::new(file))
        .read_info()
        .expect("a PNG");
    let mut bytes = vec![0; reader.output_buffer_size().expect("a size")];
    reader.next_frame(&mut bytes).expect("pixels");
    bytes
        .chunks_exact(4)
        .map(|it| [it[0], it[1], it[2]])
        .collect()
}

/// How many pixels are clearly blue, and clearly orange.
fn blue_and_orange(path: &Path) -> [usize; 2] {
    let all = pixels(path);
    // Below the captions and above the legend.
    let inside = &all[all.len() / 8..all.len() * 7 / 8];
    let count = |is: &dyn Fn(i32, i32, i32) -> bool| {
        let seen = inside
            .iter()
            .filter(|[r, g, b]| is(i32::from(*r), i32::from(*g), i32::from(*b)));
        seen.count()
    };
    [count(&|r, _, b| b > r + 60), count(&|r, _, b| r > b + 60)]
}

#[test]
fn pictures_show_less_in_blue_and_more_in_orange_and_mirror() {
    let scratch = Scratch::new("compare-pictures");
    let calls = |sort: u32, parse: u32| {
        [
            ("sort", "/app/p.py:1", 2, sort),
            ("parse", "/app/p.py:9", 2, parse),
            ("keep", "/app/q.py:1", 1, 100),
        ]
    };
    let a = flat(&scratch, "a.json", &calls(900, 100));
    let b = flat(&scratch, "b.json", &calls(100, 100));
    let picture = |a: &Path, b: &Path, name: &str| {
        let path = scratch.0.join(name);
        let answer = run(&[
            text(a),
            text(b),
            "-o",
            text(&path),
            "--size",
            "640x480",
            "--no-arcs",
        ]);
        assert_eq!(answer.code, Some(0), "{}", answer.err);
        assert!(answer.out.is_empty(), "{}", answer.out);
        path
    };
    let [blue, orange] = blue_and_orange(&picture(&a, &b, "less.png"));
    assert!(blue > 250 && orange == 0, "{blue} {orange}");
    let [blue, orange] = blue_and_orange(&picture(&b, &a, "more.png"));
    assert!(blue == 0 && orange > 250, "{blue} {orange}");
    let [blue, orange] = blue_and_orange(&picture(&a, &a, "same.png"));
    assert_eq!([blue, orange], [0, 0]);

    // A report holds both pictures and all tables, and nothing of a name is taken for markup.
    let wild = flat(
        &scratch,
        "wild.json",
        &[
            ("<script>alert('x')</script>", "", 3, 50),
            ("sort", "/app/p.py:1", 2, 500),
        ],
    );
    let report = scratch.0.join("report.html");
    let answer = run(&[
        text(&a),
        text(&wild),
        "-o",
        text(&report),
        "--size",
        "320x240",
    ]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let page = std::fs::read_to_string(&report).expect("the report");
    assert_eq!(page.matches("data:image/").count(), 3);
    assert!(page.contains("Call tree") && page.contains("<details"));
    assert_eq!(
        page.matches("<details").count(),
        page.matches("</details>").count()
    );
    assert!(page.contains("&lt;script&gt;alert") && !page.contains("<script"));
    assert!(page.contains("Call relations") && page.contains("callscape compare"));
    // Links stay on the page.
    let links = page.matches("href=").count();
    assert_eq!(links, page.matches("href=\"#").count());
    assert!(!page.contains("src=\"http"));
    assert_eq!(
        run(&[text(&a), text(&b), "-o", "/nowhere/x.png"]).code,
        Some(1)
    );
    assert_eq!(run(&[text(&a), text(&b), "-o", "x.gif"]).code, Some(1));
}

/// `run` calls `fetch` in another line in B, and both are further down there.
#[test]
fn a_report_shows_the_lines_behind_the_first_differences() {
    let scratch = Scratch::new("compare-lines");
    let a = "def fetch(n):\n    return n\n\ndef run():\n    for n in range(9):\n        fetch(n)\n        keep(n)\n";
    let b = "# new\n".repeat(40)
        + "def fetch(n):\n    return n\n\ndef run():\n    all = [fetch(n) for n in '<b>']\n    for n in all:\n        keep(n)\n";
    for (folder, text) in [("old", a), ("new", b.as_str())] {
        std::fs::create_dir_all(scratch.0.join(folder)).expect("a folder");
        scratch.write(&format!("{folder}/app.py"), text.as_bytes());
    }
    let calls = |at: u32, fetch: u32| {
        format!(
            r#"[{{"ph":"X","pid":1,"tid":1,"ts":0,"dur":{all},"name":"run (app.py:{run})"}},
            {{"ph":"X","pid":1,"tid":1,"ts":10,"dur":{fetch},"name":"fetch (app.py:{at})"}}]"#,
            all = fetch + 50,
            run = at + 3,
        )
    };
    let before = scratch.write("a.json", calls(1, 900).as_bytes());
    let after = scratch.write("b.json", calls(41, 100).as_bytes());
    let trees = ["old", "new"].map(|it| scratch.0.join(it));
    let report = scratch.0.join("report.html");
    let answer = run(&[
        text(&before),
        text(&after),
        text(&trees[0]),
        text(&trees[1]),
        "-o",
        text(&report),
        "--size",
        "320x240",
    ]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let page = std::fs::read_to_string(&report).expect("the report");
    let lines = page.split("<h2>Lines</h2>").nth(1).expect("lines");
    let lines = lines.split("<h2>").next().unwrap_or_default();
    for row in [
        "<td>6 (A)</td><td>900 µs</td><td></td><td><code>        fetch(n)</code>",
        "<td>45</td><td></td><td>100 µs</td><td><code>    all = [fetch(n) for n in &#39;&lt;b&gt;&#39;]</code>",
        "inferred",
    ] {
        assert!(lines.contains(row), "{row}: {lines}");
    }
    // One tree for both: the line of A is that of the same number.
    let answer = run(&[
        text(&before),
        text(&after),
        text(&trees[0]),
        "-o",
        text(&report),
        "--size",
        "320x240",
    ]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let page = std::fs::read_to_string(&report).expect("the report");
    let row = "<td>6</td><td>900 µs</td><td>100 µs</td><td><code>        fetch(n)</code>";
    assert!(page.contains(row) && page.contains("one source tree"));
}

#[test]
fn both_runs_are_drawn_along_one_time_axis() {
    let scratch = Scratch::new("compare-along");
    let calls = |sort: u32| {
        [
            ("keep", "/app/q.py:1", 1, 100),
            ("sort", "/app/p.py:1", 2, sort),
            ("parse", "/app/p.py:9", 2, 100),
        ]
    };
    let a = flat(&scratch, "a.json", &calls(900));
    let b = flat(&scratch, "b.json", &calls(100));
    for view in ["flame", "mural"] {
        for align in ["share", "time", "events", "calls"] {
            let picture = |a: &Path, b: &Path, name: &str| {
                let path = scratch.0.join(name);
                let mut arguments = vec![text(a), text(b), "-o", text(&path), "--view", view];
                arguments.extend(["--align", align, "--size", "640x400"]);
                let answer = run(&arguments);
                assert_eq!(answer.code, Some(0), "{}", answer.err);
                // The band between them says by how much B is slower or faster.
                let colors = pixels(&path);
                let plots = [40 * 640..150 * 640, 260 * 640..360 * 640];
                plots.map(|plot| {
                    let count = |is: &dyn Fn(i32, i32) -> bool| {
                        let seen = colors[plot.clone()].iter();
                        seen.filter(|it| is(i32::from(it[0]), i32::from(it[2])))
                            .count()
                    };
                    [count(&|r, b| b > r + 40), count(&|r, b| r > b + 40)]
                })
            };
            let less = picture(&a, &b, "less.png");
            let more = picture(&b, &a, "more.png");
            let said = format!("{view} {align}: {less:?} {more:?}");
            assert!(less[0][0] > 400 && more[0][1] + more[1][1] > 400, "{said}");
            assert!(more[0][0] + more[1][0] == 0, "{said}");
            assert!(less[0][1] + less[1][1] == 0, "{said}");
        }
    }
    // A profile has no times to lay along an axis.
    let folded = scratch.write("c.folded", b"main;sort 60\nmain 20\n");
    let out = scratch.0.join("no.png");
    let answer = run(&[text(&a), text(&folded), "-o", text(&out), "--view", "flame"]);
    assert_eq!(answer.code, Some(1));
    assert!(answer.err.contains("has no times"), "{}", answer.err);
    // A page of the two holds what can be drawn.
    let page = scratch.0.join("page.html");
    let answer = run(&[
        text(&a),
        text(&folded),
        "-o",
        text(&page),
        "--size",
        "320x240",
    ]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let page = std::fs::read_to_string(&page).expect("the report");
    assert_eq!(page.matches("data:image/").count(), 2);
}

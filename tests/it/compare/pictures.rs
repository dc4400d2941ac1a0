//! The pictures of `callscape compare`.

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
    assert_eq!(page.matches("data:image/png;base64,").count(), 3);
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
    assert!(answer.err.contains("need times"), "{}", answer.err);
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
    assert_eq!(page.matches("data:image/png;base64,").count(), 2);
}

//! Texts of two versions, texts that cannot be shown, and those that must not be opened.

use super::*;

#[test]
fn two_versions_stand_beside_each_other_with_what_differs() {
    let folder = Folder::new();
    folder.write("old/a.c", TEXT);
    // A line more before `run`, and another cost of `twice`.
    let new = TEXT.replace("int run(void) {\n", "int run(void) {\n\tint more = 0;\n");
    folder.write("tree/a.c", new);
    let slower = [
        ("run", 0, 140),
        ("leaf", 10, 10),
        ("twice", 30, 100),
        ("leaf", 35, 20),
        ("leaf", 60, 20),
    ];
    let mut alone = Alone::new(&Inputs {
        source_dir: Some(folder.tree()),
        recordings: vec![
            folder.write("a.json", trace(&EVENTS)),
            folder.write("b.json", trace(&slower)),
        ],
        sides: Sides {
            runs_of_a: 1,
            source_of_a: Some(folder.0.join("old")),
        },
        ..Inputs::default()
    });
    alone.choose("run");
    let texts = alone.texts();
    let count = |what: &str| texts.iter().filter(|(text, _)| text == what).count();
    assert_eq!(count("int run(void) {"), 2, "{texts:?}");
    assert_eq!(count("    int more = 0;"), 1);
    assert_eq!(count("+ 9"), 1, "the line is new");
    let aligned = alone.view.aligned.as_ref().expect("both were read");
    assert_eq!(aligned.alone, [0, 1]);
    let compared = alone.view.compared.as_ref().expect("two runs");
    assert_eq!(compared.change(1, 11), Some(40_000));
    assert_eq!(compared.change(0, 10), Some(40_000));
    assert_eq!(compared.change(1, 10), None, "it costs the same");
    let [a, b] = [0, 1].map(|side| {
        let line = if side == 0 { 10 } else { 11 };
        let at = texts
            .iter()
            .filter(|(text, _)| text == "    return s + twice(s);");
        let at: Vec<f32> = at.map(|(_, place)| place.center().y).collect();
        assert_eq!(at.len(), 2);
        (alone.view.row_of(side, line), at[side])
    });
    assert_eq!(a, b, "they stand in one row");
    // Alone it is the text of the run that is shown.
    alone.view.is_beside = false;
    let texts = alone.texts();
    let count = |what: &str| texts.iter().filter(|(text, _)| text == what).count();
    assert_eq!(count("int run(void) {"), 1);
}

#[test]
fn functions_that_stand_elsewhere_in_a_have_their_lines_there() {
    let folder = Folder::new();
    folder.write("old/a.c", TEXT);
    // Further down by more than all of it is long, so that no function is where it was.
    let moved = "// what was added\n".repeat(30) + TEXT;
    folder.write("tree/a.c", moved);
    let mut alone = Alone::new(&Inputs {
        source_dir: Some(folder.tree()),
        recordings: vec![
            folder.write("a.json", trace(&EVENTS)),
            folder.write("b.json", trace(&EVENTS)),
        ],
        sides: Sides {
            runs_of_a: 1,
            source_of_a: Some(folder.0.join("old")),
        },
        ..Inputs::default()
    });
    alone.choose("run");
    alone.shapes();
    for (side, before) in [(0, 0), (1, 30)] {
        let numbers = alone.view.numbers(side).expect("they were counted");
        let calls = |line: u32| numbers.lines.line(before + line).map(|it| it.calls);
        assert_eq!(
            [calls(4), calls(9), calls(10)],
            [Some(2), Some(1), Some(1)],
            "{side}"
        );
        let ran = [4, 7, 10].map(|line| numbers.ran(before + line));
        assert_eq!(ran, [Some(true), Some(false), Some(true)], "{side}");
    }
    let compared = alone.view.compared.as_ref().expect("two runs");
    assert_eq!(compared.most(), 0, "nothing differs");
}

#[test]
fn files_that_cannot_be_shown_say_why_and_name_their_functions() {
    let folder = Folder::new();
    let mut alone = Alone::small(&folder);
    alone.choose("run");
    fs::remove_file(folder.tree().join("a.c")).expect("it is there");
    assert!(alone.says("file not found"));
    for name in ["leaf", "twice", "unused", "run"] {
        assert!(alone.says(name), "{name}");
    }
    assert!(alone.says("4 functions, of which 3 ran"));
    // It comes back as something else: the watcher says so.
    for (bytes, says) in [
        (&b"\0\x01\x02binary"[..], "binary data"),
        (&b"int a;\xff\xfe\r\nint b;"[..], "shown as \u{fffd}"),
        (&b"int x;\r\n\tint y;\r\n"[..], "    int y;"),
        (&b"int z;"[..], "int z;"),
        (&b""[..], "a.c"),
    ] {
        fs::write(folder.tree().join("a.c"), bytes).expect("there is room");
        alone.state.opening.sources += 1;
        assert!(alone.says(says), "{says}: {:?}", alone.texts());
    }
}

#[test]
fn nothing_outside_of_the_tree_is_opened() {
    let folder = Folder::new();
    folder.write("tree/a.c", TEXT);
    let event = r#"{"ph":"X","pid":1,"tid":1,"ts":0,"dur":9,"name":"root (/etc/passwd:1)"}"#;
    let inputs = Inputs {
        source_dir: Some(folder.tree()),
        recordings: vec![folder.write("trace.json", format!("[{event}]"))],
        ..Inputs::default()
    };
    let mut alone = Alone::new(&inputs);
    let functions = &alone.document().resolved().expect("it").recording.functions;
    let id = functions.ids().next().expect("one");
    assert_eq!(functions.get(id).file, "/etc/passwd");
    alone.state.execute(SelectAsk::Choose(Pointed {
        function: Some(id),
        ..Pointed::default()
    }));
    alone.choose("a.c");
    alone.shapes();
    alone.state.execute(SelectAsk::Choose(Pointed {
        function: Some(id),
        ..Pointed::default()
    }));
    assert!(alone.says("the recording names /etc/passwd, which is not opened"));
    assert!(!alone.says("root:"));
    // Nor where a link of the tree leads there.
    #[cfg(unix)]
    {
        fs::remove_file(folder.tree().join("a.c")).expect("it is there");
        std::os::unix::fs::symlink("/etc/passwd", folder.tree().join("a.c")).expect("a link");
        alone.state.opening.sources += 1;
        assert!(alone.says("not in the source tree"));
        assert!(!alone.says("root:"));
    }
}

#[test]
fn without_a_source_tree_there_are_names_and_a_way_to_have_the_text() {
    let folder = Folder::new();
    let tree = folder.tree();
    folder.write("tree/a.c", TEXT);
    let names =
        ["run", "leaf"].map(|name| format!("{name} ({}:{})", tree.join("a.c").display(), 1));
    let events = [(names[0].as_str(), 0, 100), (names[1].as_str(), 10, 20)];
    let mut alone = Alone::new(&Inputs {
        recordings: vec![folder.write("trace.json", trace(&events))],
        ..Inputs::default()
    });
    alone.choose("leaf");
    assert!(alone.says("No source tree is open"));
    assert!(alone.says("run") && alone.says("leaf"));
    assert!(
        !alone.says("return"),
        "nothing is read before it is asked for"
    );
    assert_eq!(alone.view.folder, tree.to_str().expect("text"));
    let button = alone.place("Open");
    let (asks, _) = alone.click(button, egui::Modifiers::NONE, false);
    assert_eq!(asks, [Ask::Open(OpenAsk::Source(tree))]);
    let mut demo = Alone::new(&Inputs::default());
    assert!(demo.says("The built-in demo comes without the source"));
}

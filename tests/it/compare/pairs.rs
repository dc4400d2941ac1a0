//! Which function of one run is which of the other, and recordings that hardly fit together.

use std::path::Path;

use super::*;

#[test]
fn compare_finds_functions_again_that_moved_or_were_renamed() {
    let scratch = Scratch::new("compare-pairs");
    let a = flat(
        &scratch,
        "a.json",
        &[
            ("keep", "/app/v1/one.py:3", 2, 5),
            ("Parser.parse_tokens", "/app/v1/one.py:9", 4, 50),
            ("walk", "/app/v1/two.py:1", 1, 5),
            ("tree", "/app/v1/two.py:10", 1, 5),
            ("lost", "/app/v1/two.py:20", 3, 5),
        ],
    );
    let b = flat(
        &scratch,
        "b.json",
        &[
            ("keep", "/app/v2/one.py:5", 2, 5),
            ("Parser.parse_all_tokens", "/app/v2/one.py:11", 4, 10),
            ("walk", "/app/v2/sub/two.py:1", 1, 5),
            ("tree", "/app/v2/sub/two.py:10", 1, 5),
            ("brand_new", "/app/v2/sub/two.py:30", 2, 5),
        ],
    );
    let found = document(&[text(&a), text(&b)]);
    let renamed = row(&found, "Parser.parse_all_tokens");
    assert_eq!(renamed["before"]["how"], "renamed");
    assert_eq!(renamed["before"]["name"], "Parser.parse_tokens");
    assert_eq!(side(&renamed["a"]).own, 200_000);
    assert_eq!(side(&renamed["b"]).own, 40_000);
    assert_eq!(found["functions"][0]["name"], "Parser.parse_all_tokens");
    for name in ["keep", "walk", "tree"] {
        assert_eq!(row(&found, name)["change"], "both", "{name}");
    }
    assert_eq!(row(&found, "lost")["change"], "gone");
    assert_eq!(row(&found, "brand_new")["change"], "added");
    assert_eq!(found["paired"]["only_a"], 1);
    assert_eq!(found["paired"]["only_b"], 1);

    // A function renamed in a file that was renamed, which another function of it tells.
    let a_file = [
        ("enter", "/app/v1/wizard.py:1", 3, 5),
        ("copy_entry", "/app/v1/wizard.py:9", 9, 50),
    ];
    let b_file = [
        ("enter", "/app/v1/importer.py:1", 3, 5),
        ("copy_file_entry", "/app/v1/importer.py:7", 9, 10),
    ];
    let [from, to] = [("old.json", a_file), ("new.json", b_file)]
        .map(|(name, calls)| flat(&scratch, name, &calls));
    let found = document(&[text(&from), text(&to)]);
    assert_eq!(row(&found, "enter")["before"]["how"], "moved");
    assert_eq!(
        row(&found, "copy_file_entry")["before"]["name"],
        "copy_entry"
    );

    // Corrected by the user: nothing is guessed, the lost one is the new one.
    let found = document(&[text(&a), text(&b), "--exact", "--pair", "lost=brand_new"]);
    assert_eq!(row(&found, "Parser.parse_tokens")["change"], "gone");
    assert_eq!(row(&found, "brand_new")["before"]["how"], "given");
    let pairs = scratch.write(
        "pairs",
        b"# what we know\nParser.parse_tokens =\nlost = brand_new\n",
    );
    let found = document(&[text(&a), text(&b), "--pairs", text(&pairs)]);
    assert_eq!(row(&found, "Parser.parse_tokens")["change"], "gone");
    assert_eq!(row(&found, "brand_new")["before"]["name"], "lost");
    let answer = run(&[text(&a), text(&b), "--pair", "nobody=keep"]);
    assert!(
        answer.err.contains("nobody: A has no function"),
        "{}",
        answer.err
    );

    // A function renamed into one that existed is not taken for it.
    let c = flat(&scratch, "c.json", &[("walk", "/app/v1/two.py:1", 6, 5)]);
    let found = document(&[text(&a), text(&c)]);
    assert_eq!(side(&row(&found, "walk")["a"]).calls, 1);
    assert_eq!(side(&row(&found, "walk")["b"]).calls, 6);
}

#[test]
fn unlike_recordings_are_compared_as_far_as_they_can_be() {
    let scratch = Scratch::new("compare-unlike");
    let trace = flat(
        &scratch,
        "a.json",
        &[("hot", "", 3, 50), ("cold", "", 1, 50)],
    );
    let folded = scratch.write("b.folded", b"main;hot 60\nmain;cold 20\nmain 20\n");
    let found = document(&[text(&trace), text(&folded), "--sort", "self"]);
    assert_eq!(found["compared"], "shares");
    let said = found["warnings"].to_string();
    assert!(said.contains("shares") && said.contains("folded"), "{said}");
    let hot = row(&found, "hot");
    assert!(
        (hot["compared"]["b"].as_f64().expect("a share") - 0.6).abs() < 1e-9,
        "{hot}"
    );
    assert_eq!(side(&hot["a"]).own, 150_000);
    // A limit in times means nothing there, a ratio does.
    let (a, b) = (text(&trace), text(&folded));
    assert_eq!(run(&[a, b, "--fail-if", "self(hot) > 5ms"]).code, Some(1));
    assert_eq!(run(&[a, b, "--fail-if", "self(hot) > 5x"]).code, Some(0));

    let empty = scratch.write("empty.json", b"[]");
    let found = document(&[text(&trace), text(&empty)]);
    assert!(found["warnings"].to_string().contains("no calls"));
    assert_eq!(row(&found, "hot")["change"], "gone");
    let found = document(&[text(&empty), text(&empty)]);
    assert_eq!(found["functions"].as_array().map(Vec::len), Some(0));

    let other = flat(
        &scratch,
        "c.json",
        &[
            ("unlike", "/x/y.rb:1", 3, 50),
            ("anything", "/x/y.rb:7", 1, 5),
        ],
    );
    let third = flat(
        &scratch,
        "d.json",
        &[
            ("else", "/z/q.go:1", 3, 50),
            ("whatever", "/z/q.go:7", 1, 5),
            ("so", "/z/q.go:9", 1, 5),
            ("on", "/z/q.go:19", 1, 5),
        ],
    );
    let said = document(&[text(&other), text(&third)])["warnings"].to_string();
    // `main` is the only one in both, of three.
    assert!(!said.contains("Formats"), "{said}");

    // Thousands on one side only, and a name that breaks tables.
    let many: Vec<String> = (0..4000).map(|i| format!("f{i}")).collect();
    let many: Vec<(&str, &str, u32, u32)> = many.iter().map(|it| (it.as_str(), "", 1, 1)).collect();
    let many = flat(&scratch, "many.json", &many);
    let found = document(&[text(&trace), text(&many)]);
    assert_eq!(found["paired"]["only_b"], 4000);

    let truncated = std::fs::read(&trace).expect("the trace");
    let truncated = scratch.write("cut.json", &truncated[..truncated.len() * 2 / 3]);
    let answer = run(&[text(&trace), text(&truncated), "--json"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert!(answer.err.contains("repair"), "{}", answer.err);
}

#[test]
fn two_files_of_one_distributed_trace_are_compared_when_that_is_asked_for() {
    let scratch = Scratch::new("compare-otlp");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/import/otlp/shop.jsonl");
    let bytes = std::fs::read(&file).expect("the spans");
    let [a, b] = ["a.jsonl", "b.jsonl"].map(|name| scratch.write(name, &bytes));
    let found = document(&[text(&a), text(&b)]);
    assert_eq!(found["runs"]["a"].as_array().map(Vec::len), Some(1));
    assert_eq!(found["runs"]["b"].as_array().map(Vec::len), Some(1));
    let answer = run(&[text(&a), text(&b)]);
    assert!(answer.out.contains("no function differs"), "{}", answer.out);
}

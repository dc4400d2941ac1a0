//! Tests of the parts of the format.

use super::*;

#[test]
fn frames_are_taken_apart() {
    let parts = |frame| {
        let it = function(frame);
        (it.name, it.file, it.line, it.library)
    };
    for (frame, expected) in [
        ("main", ("main", "", 0, "")),
        ("read_[k]", ("read", "", 0, "[kernel]")),
        ("Vec::push_[j]", ("Vec::push", "", 0, "")),
        ("_[j]", ("_[j]", "", 0, "")),
        ("a.b (c.py:7)", ("a.b", "c.py", 7, "")),
        ("<module> (a.py:7)_[i]", ("<module>", "a.py", 7, "")),
        ("libc.so.1`malloc", ("malloc", "", 0, "libc.so.1")),
        ("`a", ("`a", "", 0, "")),
        ("a`b`c", ("a`b`c", "", 0, "")),
        (
            "operator new (unsigned long)",
            ("operator new (unsigned long)", "", 0, ""),
        ),
    ] {
        assert_eq!(parts(frame), expected, "{frame}");
    }
}

#[test]
fn frames_and_notes_of_austin_are_taken_apart() {
    let of = |frame| of_austin(frame).map(|it| (it.name, it.file));
    assert_eq!(of("/a b/m.py:run:5"), Some(("run", "/a b/m.py")));
    assert_eq!(of("C:\\m.py:<module>:10"), Some(("<module>", "C:\\m.py")));
    assert_eq!((of("T0:1235"), of("a:b:c")), (None, None));
    assert_eq!(note(b"# interval: 10000"), Some(("interval", "10000")));
    assert_eq!((note(b"#a: 1"), note(b"# a: b;c 1")), (None, None));
    assert_eq!(note(b"# std::f 1"), None);
}

#[test]
fn folded_stacks_are_recognised_and_other_texts_are_not() {
    for folded in [
        "main;f 3\n",
        "main;f 3",
        "main 3\n",
        "# made by hand\nmain;f 3\nnothing\nmain;g 4\n",
        "a;b 1 2\n",
        "a;b 1.5\n",
        ";;a;;b 2\n;c 1\n 5\n",
        "a;b\t12\r\n",
    ] {
        assert!(sniff(folded.as_bytes()), "{folded}");
    }
    let long = "f;".repeat(200_000);
    assert!(sniff(long.as_bytes()));
    let lambdas = "run(int)::{lambda()#1};".repeat(20_000);
    assert!(sniff(lambdas.as_bytes()));
    let minified = "function f(a){return a*a};".repeat(20_000);
    assert!(!sniff(minified.as_bytes()));
    for other in [
        "",
        "\n",
        "hello world",
        "{\"a\": 1, \"b\": 12 3\n",
        "[1, 2]",
        "a;b\nc;d\n",
        "fn main() {\n    let a = 3;\n    let b = 4;\n}\n",
        "x;y;z",
    ] {
        assert!(!sniff(other.as_bytes()), "{other}");
    }
}

#[test]
fn common_prefixes_are_found() {
    for (a, b, expected) in [
        ("", "", 0),
        ("abcdefghij", "abcdefghij", 10),
        ("abcdefghij", "abcdefghXj", 8),
        ("abcdefgh", "abcdefg", 7),
        ("Xb", "ab", 0),
    ] {
        assert_eq!(common_prefix(a.as_bytes(), b.as_bytes()), expected);
    }
}

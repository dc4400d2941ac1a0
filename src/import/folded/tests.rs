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

#[test]
fn logs_code_and_lists_are_no_stacks() {
    for text in [
        "[INFO] foo;bar 17",
        "2024-01-01 12:00:00 request;done 17",
        "2024-01-01T12:00:00Z INFO request;done 17",
        "2024/01/01 request;done 17",
        "[2024-01-01 12:00:00,123] {a.py:3} INFO - request;done 17",
        "12:00:00.123 [main] a;b 17",
        "Jan  1 12:00:00 host app[12]: a;b 17",
        "I0101 12:00:00.123456    12 a.cc:12] a;b 17",
        "INFO:root:a;b 17",
        "INFO  [main] a;b 17",
        "warning: a;b 17",
        "[main] ERROR org.x.Y - a;b 17",
        "npm WARN a;b 17",
        "level=info msg=a;b 17",
        "1700000000.123 a;b 17",
        "[    0.123456] usb;hub 17",
        "127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] \"GET /a;b HTTP/1.0\" 200 2326",
        "x = 3;y = 4",
        "- a;b 17",
        "| a;b | 17",
        "> a;b 17",
        "<!-- a;b --> 17",
        "import os\nx = 3;y = 4\nprint(x) # 5",
        "#!/bin/sh\nexport A=1; echo 17\nsleep 5",
    ] {
        assert!(!sniff(format!("{text}\n{text}\n").as_bytes()), "{text}");
    }
}

#[test]
fn stacks_of_all_profilers_are_stacks() {
    for text in [
        "[INFO];foo;bar 17",
        "error (a.py:3);b 17",
        "main (a.py:12);<module> (x y.py:4) 12",
        "process 12:\"python 3.py\";main (a.py:1) 3",
        "Web Content;[unknown];operator new (unsigned long);do_syscall_64_[k] 5",
        "swapper/0;secondary_startup_64_[k];cpu_idle_[k] 5",
        "[tid=1234];java/lang/Thread.run;Foo.bar_[j] 3",
        "[pool-1-thread-1 tid=27];java.lang.Thread.run;Foo.bar 3",
        "Process64 app (12) Args: -x;Thread (13);mod!A.B(class C,int32) 3",
        "perl;main::f;A::B::__ANON__ 3",
        "{main};require_once::/a b.php;A->b 3",
        "<main> - /a.rb:3;block in A#b - /a.rb:9 3",
        "~(anonymous) /a.js:10:20;LazyCompile:*f node:internal:3:1 3",
        "-[NSObject init];+[A b:] 3",
        "void f<int>(int) [with T = int];std::operator== <char> 3",
        "a;b -3",
        "a;b 1.5",
        "a;b 3 4",
        "all 3",
        "1234 prog;main 3",
        "# a comment\na;b 3",
    ] {
        assert!(sniff(format!("{text}\n{text}\n").as_bytes()), "{text}");
    }
}

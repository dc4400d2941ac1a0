//! Texts written by hand in the form of each tool, against what they say.

use super::*;
use crate::made;

const SAMPLE: &str = include_str!("../../../tests/data/import/macos-sample/app.sample.txt");

const SPINDUMP: &str = include_str!("../../../tests/data/import/macos-sample/two.spindump.txt");

#[test]
fn the_call_graph_of_sample_is_read() {
    let recording = made::found(FORMAT, SAMPLE);
    let main = "Thread_1043432 DispatchQueue_1: com.apple.main-thread (serial);start;main";
    let push = "std::vector<int, std::allocator<int> >::push_back(int const&)";
    assert_eq!(
        made::contexts(&recording, 0),
        [
            format!("{main} 10"),
            // Twice, at two addresses.
            format!("{main};-[Controller run:] 40"),
            format!("{main};-[Controller run:];{push} 15"),
            format!("{main};-[Controller run:];{push};[unknown] 25"),
            format!("{main};-[Controller run:];mach_msg2_trap 10"),
            "Thread_1043450: worker;thread_start 1".to_owned(),
            "Thread_1043450: worker;thread_start;work 49".to_owned(),
        ]
    );
    assert_eq!(recording.samples, 150);
    assert_eq!(made::counted(&recording), [""; 0]);
}

#[test]
fn trees_of_spindump_are_read() {
    let recording = made::found(FORMAT, SPINDUMP);
    let main = "app [123];Thread 0x1a2b;start;main";
    assert_eq!(
        made::contexts(&recording, 0),
        [
            format!("{main} 10"),
            format!("{main};work(int);hndl_alltraps 70"),
            format!("{main};[unknown] 20"),
            "app [123];Thread 0x1a2c;start_wqthread 100".to_owned(),
            "other [9];Thread 0x77;start 3".to_owned(),
        ]
    );
    assert_eq!(made::counted(&recording), [""; 0]);
}

#[test]
fn frames_come_apart() {
    for (text, expected) in [
        ("main  (in app) + 12  [0x1]  main.c:12", "main main.c app"),
        ("f(int)  (in a b) + 1,2,...  [0x1,0x2,...]", "f(int)  a b"),
        ("???  (in x)  load address 0x1 + 0x2  [0x3]", "[unknown]  x"),
        ("a + 12 (lib c + 34) [0x1] 1-3", "a  lib c"),
        ("-[A b] (Kit + 34) [0x1]", "-[A b]  Kit"),
        ("nothing else", "nothing else  "),
    ] {
        let it = frame(text);
        assert_eq!(format!("{} {} {}", it.name, it.file, it.library), expected);
    }
}

#[test]
fn damaged_texts_are_read_as_far_as_they_go() {
    for text in [SAMPLE, SPINDUMP] {
        made::survives(import, text.as_bytes());
    }
    let text = "Call graph:\n    3 Thread_1\n    + 2 a  (in x) + 1  [0x1]\n    +   5 b  (in x) + 1  [0x1]\n    nonsense\n";
    let recording = made::found(FORMAT, text);
    assert_eq!(
        made::contexts(&recording, 0),
        ["Thread_1 1", "Thread_1;a;b 5"]
    );
    let found = made::counted(&recording);
    assert_eq!(found, ["count-too-small 1", "malformed-line 1"]);
}

#[test]
fn other_texts_are_not_taken() {
    for text in [
        "Call graph:\n\nmain\n",
        "Call graph:\n    12 apples\n",
        "    12 a_b\n",
        "index % time    self  children    called     name\n",
        "",
    ] {
        assert!(!sniff(text.as_bytes()), "{text}");
    }
}

//! Texts written by hand in the form of the tool, against what they say.

use super::*;
use crate::made;

const COPY: &str = include_str!("../../../tests/data/import/instruments/deep-copy.txt");

#[test]
fn weights_of_functions_themselves_are_those_that_are_written() {
    let recording = made::found(FORMAT, COPY);
    let main = "app (123);Main Thread  0x1a2b;main";
    assert_eq!(
        made::contexts(&recording, 0),
        [
            format!("{main} 400000000"),
            format!("{main};-[Controller run:] 999250000"),
            format!("{main};-[Controller run:];malloc 750000"),
            "app (123);worker  0x1a2c;work 100000000".to_owned(),
        ]
    );
    assert_eq!(made::counted(&recording), [""; 0]);
}

#[test]
fn older_copies_have_a_unit_in_their_header() {
    let text = "Running Time\tSelf (ms)\t\tSymbol Name\n4273.0ms   99.9%\t0\t \tstart\n4273.0ms   99.9%\t1.5\t \t main\n713.0ms   16.6%\t696\t \t   alpha()\n";
    let recording = made::found(FORMAT, text);
    assert_eq!(
        made::contexts(&recording, 0),
        ["start;main 1500000", "start;main;alpha() 696000000"]
    );
    assert_eq!(made::counted(&recording), [""; 0]);
    let text = "Weight\tSelf Weight\tSymbol Names\n4.93 s  100.0%\t0 s\t   start\n2.45 s  \u{2010}0.0%\t846.00 ms\t    delta()\n";
    let recording = made::found(FORMAT, text);
    assert_eq!(made::contexts(&recording, 0), ["start;delta() 846000000"]);
}

#[test]
fn without_them_they_are_what_is_left() {
    let text = "Bytes Used\tCount\tSymbol Name\n3.00 KB  100.0%\t7\tmain\n1.00 KB\t2\t a\n500 Bytes\t2\t  b\n2.00 KB\t2\t c\n3 s\t1\t d\n";
    let recording = made::found(FORMAT, text);
    assert_eq!(
        made::contexts(&recording, 0),
        ["main;a 500", "main;a;b 500", "main;c 2000"]
    );
    assert_eq!(made::counted(&recording), ["unknown-unit 1"]);
    let text = "Running Time\tSymbol Name\n1 ms\tmain\n2 ms\t a\n";
    let recording = made::found(FORMAT, text);
    assert_eq!(made::contexts(&recording, 0), ["main;a 2000000"]);
    assert_eq!(made::counted(&recording), ["weight-too-small 1"]);
}

#[test]
fn weights_are_read_in_all_units() {
    for (text, expected) in [
        ("1.50 ms  100.0%", Some((Some(Kind::Time), 1_500_000))),
        ("2 min", Some((Some(Kind::Time), 120_000_000_000))),
        ("1,234.5 µs", Some((Some(Kind::Time), 1_234_500))),
        ("1.5 KiB", Some((Some(Kind::Bytes), 1536))),
        ("2.25 Mc", Some((Some(Kind::Cycles), 2_250_000))),
        ("1.5ms   99.9%", Some((Some(Kind::Time), 1_500_000))),
        ("0", Some((None, 0))),
        ("7", None),
        ("x ms", None),
        ("", None),
    ] {
        assert_eq!(weight(text, ""), expected, "{text}");
    }
}

#[test]
fn damaged_texts_are_read_as_far_as_they_go() {
    made::survives(import, COPY.as_bytes());
    let text = "Weight\tSelf Weight\tSymbol Name\nnonsense\n1 ms\t1 ms\t\n1 ms\t1 ms\tmain\n";
    let recording = made::found(FORMAT, text);
    assert_eq!(made::contexts(&recording, 0), ["main 1000000"]);
    assert_eq!(made::counted(&recording), ["malformed-line 2"]);
}

#[test]
fn other_tables_are_not_taken() {
    for text in [
        "Weight\tName\n1\ta\n",
        "Symbol Name\tunit\n",
        "Weight,Symbol Name\n",
        "",
    ] {
        assert!(!sniff(text.as_bytes()), "{text}");
    }
}

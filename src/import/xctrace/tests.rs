//! An export written by hand in the form of the tool, against what it says.

use super::*;
use crate::made;

const EXPORT: &str = include_str!("../../../tests/data/import/instruments/time-profile.xml");

/// The functions with the nanoseconds that they took themselves and in all.
fn costs(recording: &Recording) -> Vec<String> {
    let metrics = recording.function_metrics(None);
    let functions = recording.functions.ids().zip(metrics);
    let shown = functions.map(|(id, it)| {
        let function = recording.functions.get(id);
        let (own, total) = (it.self_cost.ns(), it.total.ns());
        format!(
            "{} {} {} {own} {total}",
            function.name, function.file, function.library
        )
    });
    shown.collect()
}

#[test]
fn samples_weigh_what_their_rows_say() {
    let recording = made::found(FORMAT, EXPORT);
    assert_eq!(
        costs(&recording),
        [
            "inner<int> /x/a.c app 2000000 2000000",
            "main /x/a.c app 500000 2500000",
            "start  dyld 0 4500000",
            "work   2000000 2000000",
        ]
    );
    assert_eq!(recording.samples, 6);
    let threads = recording.trace.threads().iter();
    let threads: Vec<String> = threads
        .map(|it| format!("{} {} {}", it.process, it.id, it.name))
        .collect();
    assert_eq!(threads, ["12 0x1a2b Main Thread", "12 0x1a2c app"]);
    assert_eq!(made::counted(&recording), ["empty-stack 1"]);
    assert!(recording.lines.is_some());
}

#[test]
fn what_is_missing_is_counted() {
    for (from, to, expected) in [
        (
            "<frame ref=\"13\"/>",
            "<frame ref=\"99\"/>",
            "unknown-reference 1",
        ),
        (">2500000<", ">x<", "malformed-number 1"),
        (">2500000<", ">x<", "missing-time 1"),
        (
            "</node></trace-query-result>",
            "</node>",
            "truncated-file 1",
        ),
        (
            "</node>",
            "<schema name=\"other\"/><row></row></node>",
            "table-not-shown 1",
        ),
        ("<sentinel/>", "</sentinel>", "end-without-begin 1"),
    ] {
        let text = EXPORT.replacen(from, to, 1);
        let found = made::counted(&made::found(FORMAT, &text));
        assert!(found.contains(&expected.to_owned()), "{from} {found:?}");
    }
}

#[test]
fn damaged_exports_are_read_as_far_as_they_go() {
    let begin = EXPORT.find("<!--").expect("a comment");
    made::survives(import, &EXPORT.as_bytes()[..begin + 40]);
    let empty = EXPORT.find("<row>").expect("a row");
    assert!(made::read(import, &EXPORT.as_bytes()[..empty]).is_err());
}

#[test]
fn other_texts_are_not_taken() {
    let toc = "<?xml version=\"1.0\"?>\n<trace-toc><run number=\"1\"><data><table schema=\"time-profile\"/></data></run></trace-toc>";
    let other = EXPORT.replace("\"time-profile\"", "\"cpu-state\"");
    for text in [toc, &other, "<html>time-profile</html>", ""] {
        assert!(!sniff(text.as_bytes()), "{text}");
    }
}

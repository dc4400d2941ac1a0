//! Arguments held against what was told, on random traces, before and after an index.

use std::collections::BTreeMap;

use super::super::Trace;
use super::super::random::random_numbers;
use super::*;
use crate::builder::{Timestamp, TraceBuilder};
use crate::functions::{Function, Functions};
use crate::index::{self, Beside};
use callscape_base::units::{CallId, FunctionId, ThreadId};
use callscape_base::warnings::{Place, Reporter};

/// The arguments of each call that has any.
type Of = BTreeMap<(ThreadId, CallId), Vec<Argument<'static>>>;

/// A value of any kind; texts differ in length, and some look like numbers.
fn value(below: &mut impl FnMut(u64) -> u64) -> Value<'static> {
    let bits = (below(1 << 31) << 33) ^ below(1 << 31);
    match below(6) {
        0 => Value::Integer(i128::from(bits as i64) * i128::from(below(9) as i64 - 4)),
        1 => Value::Integer(below(20) as i128 - 10),
        2 => Value::Address(bits),
        3 => Value::Real(bits as f64 / 7.0),
        4 => Value::Flag(bits.is_multiple_of(2)),
        _ => Value::Text("ä7".repeat(below(40) as usize).into()),
    }
}

/// A call that was begun, and when it ended.
struct Begun {
    thread: ThreadId,
    call: CallId,
    function: FunctionId,
    start: i64,
    end: i64,
}

/// A random trace and what its calls were told to have. Where `ties`, calls may begin together, and ends tell these apart;
/// otherwise arguments come in any order, and ends are not told.
fn random(seed: u64, ties: bool, reporter: &Reporter) -> (Functions, Trace, Of) {
    let mut below = random_numbers(seed);
    let place = || Place::file("random");
    let mut builder = TraceBuilder::new(reporter);
    let functions: Vec<FunctionId> = ["f", "g", "h"]
        .map(|name| {
            builder.function(Function {
                name,
                ..Function::default()
            })
        })
        .into();
    let mut begun: Vec<Begun> = Vec::new();
    for thread in 0..1 + below(3) {
        let id = builder.thread("p", &thread.to_string());
        let mut open: Vec<usize> = Vec::new();
        let mut now = -50;
        for _ in 0..below(300) {
            now += if ties { below(2) } else { 1 + below(3) } as i64;
            if open.is_empty() || below(9) < 5 {
                let function = functions[below(3) as usize];
                open.push(begun.len());
                let call = builder.next_call(id);
                begun.push(Begun {
                    thread: id,
                    call,
                    function,
                    start: now,
                    end: now,
                });
                builder.enter(id, Timestamp::from_ns(now), function, place);
            } else if let Some(ended) = open.pop() {
                begun[ended].end = now;
                builder.exit(id, Timestamp::from_ns(now), None, place);
            }
        }
        open.iter().for_each(|&it| begun[it].end = now);
    }
    let mut order: Vec<usize> = (0..begun.len()).collect();
    if !ties {
        order.sort_by_cached_key(|_| below(1 << 30));
    }
    let mut expected = Of::new();
    for it in order.into_iter().map(|at| &begun[at]) {
        let mut list = Vec::new();
        // What is told of no call of several that are alike would be told of another.
        for _ in 0..below(4) + u64::from(ties) {
            let name = ["a", "size", "return", "naïve"][below(4) as usize];
            let value = value(&mut below);
            builder.arguments().add(name, &value);
            let name = name.into();
            list.push(Argument { name, value });
        }
        let end = ties.then(|| Timestamp::from_ns(it.end));
        let start = Timestamp::from_ns(it.start);
        let of = (it.thread, it.function);
        builder.arguments().of_begun(of, start, end, 7);
        if !list.is_empty() {
            expected.insert((it.thread, it.call), list);
        }
    }
    let (functions, trace) = builder.finish(place);
    (functions, trace, expected)
}

fn compare(trace: &Trace, expected: &Of, below: &mut impl FnMut(u64) -> u64) {
    assert_eq!(trace.calls_with_arguments(), expected.len() as u64);
    for (thread, of) in trace.thread_ids().zip(trace.threads()) {
        let calls = of.calls as u32;
        for call in (0..calls).map(CallId) {
            let known = expected.get(&(thread, call)).cloned().unwrap_or_default();
            assert_eq!(trace.arguments(thread, call), known, "{thread:?} {call:?}");
        }
        let (a, b) = (below(400) as u32, below(400) as u32);
        let most = below(90) as usize;
        let mut found = Vec::new();
        trace.visit_arguments(thread, a..b, |call, list| {
            let list = list.map(|it| (it.name.to_string(), it.value.into_owned()));
            found.push((call, list.collect::<Vec<_>>()));
            found.len() <= most
        });
        let inside = expected
            .iter()
            .filter(|((of, call), _)| *of == thread && (a..b).contains(&call.0));
        let inside = inside.take(most + 1).map(|((_, call), list)| {
            let list = list
                .iter()
                .map(|it| (it.name.to_string(), it.value.clone()));
            (*call, list.collect::<Vec<_>>())
        });
        assert_eq!(found, inside.collect::<Vec<_>>());
    }
}

/// A place for an index, removed at the end.
struct Index(std::path::PathBuf);

impl Index {
    fn new(test: &str) -> Index {
        let name = format!("callscape-{test}-{}.callscape", std::process::id());
        Index(std::env::temp_dir().join(name))
    }
}

impl Drop for Index {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

#[test]
fn arguments_are_those_that_were_told_also_in_an_index() {
    let place = Index::new("arguments");
    for seed in 0..120 {
        println!("seed {seed}");
        let reporter = Reporter::new();
        let (functions, trace, expected) = random(seed, seed % 2 == 0, &reporter);
        assert!(
            reporter
                .warnings()
                .iter()
                .all(|it| it.kind == "open-at-end")
        );
        let mut below = random_numbers(seed);
        compare(&trace, &expected, &mut below);
        index::write(&place.0, &functions, &trace, Beside::default(), b"", 1).expect("room");
        let opened = index::open(&place.0, true).expect("just written").trace;
        compare(&opened, &expected, &mut below);
        assert_eq!(opened.argument_names(), trace.argument_names());
        // An index of what was opened.
        index::write(&place.0, &functions, &opened, Beside::default(), b"", 1).expect("room");
        let again = index::open(&place.0, false).expect("just written").trace;
        compare(&again, &expected, &mut below);
    }
}

#[test]
fn a_flipped_byte_of_arguments_is_found_and_repaired() {
    let place = Index::new("flipped-arguments");
    let (functions, trace, expected) = random(4, true, &Reporter::new());
    index::write(&place.0, &functions, &trace, Beside::default(), b"", 1).expect("room");
    let whole = std::fs::read(&place.0).expect("just written");
    let blocks = trace.store().arguments.blocks();
    let at = memchr(&whole, blocks).expect("they are in the index");
    for flipped in (at..at + blocks.len()).step_by(37) {
        let mut damaged = whole.clone();
        damaged[flipped] ^= 1 << (flipped % 8);
        std::fs::write(&place.0, &damaged).expect("room");
        assert!(index::open(&place.0, true).is_err());
        let opened = index::open(&place.0, false).expect("blocks are checked when read");
        let original = trace.clone();
        let opened = opened.trace.with_repair(move || Some(original.clone()));
        compare(&opened, &expected, &mut random_numbers(7));
        assert!(opened.store().is_damaged() && !opened.is_damaged());
    }
}

fn memchr(whole: &[u8], part: &[u8]) -> Option<usize> {
    whole.windows(part.len()).position(|it| it == part)
}

#[test]
fn what_is_not_kept_is_counted() {
    let reporter = Reporter::new();
    let mut builder = TraceBuilder::new(&reporter);
    let place = || Place::file("input");
    let function = builder.function(Function {
        name: "f",
        ..Function::default()
    });
    let thread = builder.thread("p", "1");
    builder.enter(thread, Timestamp::from_ns(5), function, place);
    let long = "ä".repeat(200);
    let told = builder.arguments();
    for number in 0..40 {
        told.add(&format!("a{number}"), &Value::Text(long.as_str().into()));
    }
    told.of_begun((thread, function), Timestamp::from_ns(5), None, 11);
    told.add("a", &Value::Flag(true));
    told.of_begun((thread, function), Timestamp::from_ns(6), None, 22);
    told.add("a", &Value::Flag(true));
    told.forget();
    told.of_begun((thread, function), Timestamp::from_ns(5), None, 33);
    let (_, trace) = builder.finish(place);
    let kept = trace.arguments(thread, CallId(0));
    assert_eq!(kept.len(), 32);
    assert_eq!(
        kept[31].value,
        Value::Text(format!("{}…", "ä".repeat(128)).into())
    );
    let warnings = reporter.warnings().into_iter();
    let warnings: Vec<_> = warnings
        .map(|it| (it.kind.to_string(), it.count, it.first))
        .collect();
    let expected = [
        ("argument-text-cut", 32, 11),
        ("arguments-cut", 8, 11),
        ("arguments-without-call", 1, 22),
    ]
    .map(|(kind, count, at)| (kind.to_owned(), count, Place::offset("input", at)));
    assert_eq!(warnings[..3], expected);
}

#[test]
fn numbers_are_read_from_texts_and_compared_exactly() {
    let number = |text: &str| Value::Text(text.to_owned().into()).number();
    let order = |a: &str, b: &str| number(a)?.order(number(b)?);
    use std::cmp::Ordering::*;
    assert_eq!(order("9007199254740993", "9007199254740992"), Some(Greater));
    assert_eq!(order("0x10", "16"), Some(Equal));
    assert_eq!(order("-1.5", "-1"), Some(Less));
    assert_eq!(order("1e3", "999"), Some(Greater));
    for text in ["", "nan", "inf", "ten", "'7'", "-", "0x", "1e999"] {
        assert!(number(text).is_none(), "{text}");
    }
}

#[test]
fn values_are_written_as_json_of_their_kind() {
    let values = [
        Value::Integer(-3),
        Value::Integer(u64::MAX.into()),
        Value::Integer(i128::MAX),
        Value::Address(255),
        Value::Real(0.5),
        Value::Real(f64::NAN),
        Value::Flag(true),
        Value::Text("a\"".into()),
    ];
    let json = serde_json::to_string(&values).expect("plain data");
    let largest = i128::MAX;
    assert_eq!(
        json,
        format!(r#"[-3,18446744073709551615,"{largest}","0xff",0.5,"NaN",true,"a\""]"#)
    );
}

//! Searches and series held against their definitions on random arguments.

use super::*;
use callscape_base::progress::Progress;
use callscape_base::units::{CallId, FunctionId, ThreadId, TimeRange};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::builder::{Timestamp, TraceBuilder};
use callscape_facts::functions::Function;
use callscape_facts::trace::{Argument, Trace, Value};

/// Numbers of a linear congruential generator, below a limit.
fn numbers(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed.wrapping_mul(2).wrapping_add(1);
    move |limit| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) % limit
    }
}

/// A trace of calls one behind the other, most of which have arguments.
fn random(seed: u64) -> Trace {
    let mut below = numbers(seed);
    let reporter = Reporter::new();
    let place = || Place::file("random");
    let mut builder = TraceBuilder::new(&reporter);
    let functions: [FunctionId; 2] = ["f", "g"].map(|name| {
        builder.function(Function {
            name,
            ..Function::default()
        })
    });
    for thread in 0..1 + below(3) {
        let id = builder.thread("p", &thread.to_string());
        let mut now = 0;
        for _ in 0..below(200) {
            now += 1 + below(5) as i64;
            let function = functions[below(2) as usize];
            let start = Timestamp::from_ns(now);
            builder.enter(id, start, function, place);
            builder.exit(id, Timestamp::from_ns(now + 1), None, place);
            now += 1;
            let told = builder.arguments();
            for _ in 0..below(3) {
                let number = below(20) as i128 - 10;
                let value = match below(4) {
                    0 => Value::Integer(number),
                    1 => Value::Real(number as f64 + 0.5),
                    2 => Value::Text(number.to_string().into()),
                    _ => Value::Text(["left", "right"][below(2) as usize].into()),
                };
                told.add(["size", "side"][below(2) as usize], &value);
            }
            told.of_begun((id, function), start, None, 0);
        }
    }
    builder.finish(place).1
}

/// All calls with their arguments.
fn all(trace: &Trace) -> Vec<(ThreadId, CallId, Vec<Argument<'static>>)> {
    let threads = trace.thread_ids().zip(trace.threads());
    let calls = threads
        .flat_map(|(thread, of)| (0..of.calls as u32).map(move |call| (thread, CallId(call))));
    calls
        .map(|(thread, call)| (thread, call, trace.arguments(thread, call)))
        .filter(|(.., list)| !list.is_empty())
        .collect()
}

#[test]
fn a_search_finds_the_calls_that_hold_and_lists_the_first() {
    type Holds = fn(&Value<'_>) -> bool;
    let conditions: [(&str, &str, Holds); 8] = [
        ("size > 3", "size", |it| {
            it.number().is_some_and(|it| it.real() > 3.0)
        }),
        ("size>=3", "size", |it| {
            it.number().is_some_and(|it| it.real() >= 3.0)
        }),
        ("size < -2.5", "size", |it| {
            it.number().is_some_and(|it| it.real() < -2.5)
        }),
        ("size <= 0", "size", |it| {
            it.number().is_some_and(|it| it.real() <= 0.0)
        }),
        ("size = 7", "size", |it| {
            it.number().is_some_and(|it| it.real() == 7.0)
        }),
        ("side != left", "side", |it| it.to_string() != "left"),
        ("side = \"left\"", "side", |it| it.to_string() == "left"),
        ("side ~ igh", "side", |it| it.to_string().contains("igh")),
    ];
    for seed in 0..60 {
        let trace = random(seed);
        let mut below = numbers(seed);
        let (text, name, holds) = conditions[below(8) as usize];
        let (other, other_name, other_holds) = conditions[below(8) as usize];
        let wanted: Vec<Condition> = [text, other]
            .iter()
            .map(|it| it.parse().expect("a condition"))
            .collect();
        let functions = [FunctionId(0)];
        let functions = (below(2) == 0).then_some(&functions[..]);
        let threads: Vec<ThreadId> = trace.thread_ids().collect();
        let limit = below(10) as usize;
        let found = search(
            &trace,
            Wanted {
                conditions: &wanted,
                functions,
                threads: &threads,
                limit,
            },
            &Progress::new(),
        );
        let mut expected = all(&trace);
        expected.retain(|(thread, call, list)| {
            let any = |name: &str, holds: Holds| {
                list.iter().any(|it| it.name == name && holds(&it.value))
            };
            let function = trace.call(*thread, *call).function;
            functions.is_none_or(|it| it.contains(&function))
                && any(name, holds)
                && any(other_name, other_holds)
        });
        expected.sort_by_key(|(thread, call, _)| (trace.call(*thread, *call).start, *thread));
        let calls = expected.iter().map(|(thread, call, _)| (*thread, *call));
        let matches = Matches {
            count: expected.len() as u64,
            calls: calls.take(limit).collect(),
        };
        assert_eq!(found, Ok(matches), "seed {seed}: {text}, {other}");
    }
}

#[test]
fn a_series_has_the_numbers_of_each_part_of_the_range() {
    for seed in 0..60 {
        let trace = random(seed);
        let mut below = numbers(seed);
        let range = trace.range();
        let columns = 1 + below(9) as usize;
        let function = FunctionId(below(2) as u32);
        let found = series(&trace, &[function], range, columns, &Progress::new());
        let found = found.expect("nobody cancels");
        let length = range.end.since(range.start).ns().max(1);
        for of in &found {
            let mut expected = vec![Vec::new(); columns];
            let mut others = 0;
            for (thread, call, list) in all(&trace) {
                let call = trace.call(thread, call);
                if call.function != function {
                    continue;
                }
                for it in list.iter().filter(|it| it.name == of.name) {
                    let at = call.start.ns() * columns as u64 / length;
                    match it.value.number() {
                        Some(number) => expected[at as usize].push(number.real()),
                        None => others += 1,
                    }
                }
            }
            assert_eq!(of.others, others);
            assert_eq!(of.whole.calls as usize, expected.concat().len());
            for (column, numbers) in of.columns.iter().zip(&expected) {
                assert_eq!(column.calls as usize, numbers.len(), "seed {seed}");
                if numbers.is_empty() {
                    continue;
                }
                assert_eq!(
                    column.least,
                    numbers.iter().copied().fold(f64::MAX, f64::min)
                );
                assert_eq!(
                    column.most,
                    numbers.iter().copied().fold(f64::MIN, f64::max)
                );
                let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
                assert!((column.mean() - mean).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn both_end_where_they_are_cancelled() {
    let mut below = numbers(1);
    let reporter = Reporter::new();
    let place = || Place::file("many");
    let mut builder = TraceBuilder::new(&reporter);
    let function = builder.function(Function {
        name: "f",
        ..Function::default()
    });
    let thread = builder.thread("p", "1");
    for now in 0..10_000 {
        let start = Timestamp::from_ns(now);
        builder.enter(thread, start, function, place);
        builder.exit(thread, start, None, place);
        let told = builder.arguments();
        told.add("size", &Value::Integer(below(9).into()));
        told.of_begun((thread, function), start, None, 0);
    }
    let trace = builder.finish(place).1;
    let progress = Progress::new();
    progress.cancel();
    let wanted = Wanted {
        conditions: &[],
        functions: None,
        threads: &[ThreadId(0)],
        limit: 5,
    };
    assert!(search(&trace, wanted, &progress).is_err());
    let range = TimeRange::new(trace.range().start, trace.range().end);
    assert!(series(&trace, &[function], range, 4, &progress).is_err());
}

#[test]
fn texts_that_are_no_condition_are_refused() {
    let refused = |text: &str| text.parse::<Condition>().expect_err("no condition");
    assert_eq!(refused("size"), NoCondition::Operator);
    assert_eq!(refused("size ! 3"), NoCondition::Operator);
    assert_eq!(refused(" > 3"), NoCondition::Name(">"));
    let number = NoCondition::Number("<=", "three".to_owned());
    assert_eq!(refused("size <= three"), number);
}

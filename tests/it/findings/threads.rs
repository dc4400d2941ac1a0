//! What calls of several threads and services tell together: who wakes whom, which spans fail, which of many is slow; and
//! memory that grows with alike calls.

use super::planted::{Writing, found, of_kind, recording};
use callscape::analysis::findings::Kind;
use callscape::facts::builder::Timestamp;
use callscape::facts::memory::{Detail, MemoryBuilder, StackId};
use callscape::facts::recording::Recording;
use callscape::facts::trace::{LinkEnd, LinkKind, Why};
use callscape::units::{FunctionId, ThreadId, Time};

/// A consumer that waits for its producer; `links` says that the producer wakes it.
fn queue(links: bool) -> Recording {
    recording(|w| {
        w.call("produce", 10, |w| {
            for number in 0..12 {
                w.leaf(&format!("make_{number}"), 90);
                w.leaf("put", 10);
            }
        });
        let producer = w.thread;
        w.thread(1, 0);
        w.call("consume", 10, |w| {
            for number in 0..12 {
                w.call("get", 0, |w| {
                    w.wait(95, Why::Voluntary);
                    let at = Timestamp::from_ns(w.now * 1000);
                    if links {
                        let before = Timestamp::from_ns(w.now * 1000 - 1);
                        let to = LinkEnd::Waits(w.thread, before);
                        let from = LinkEnd::Open(producer, at);
                        w.builder.link(LinkKind::WakeUp, from, to, number);
                    }
                });
                w.leaf("use", 5);
            }
        });
    })
}

#[test]
fn who_is_waited_for_is_said_where_links_know() {
    let text = |recording: &Recording| {
        let all = found(recording);
        let it = of_kind(&all, recording, Kind::Waiting, "get");
        it.unwrap_or_else(|| panic!("{all:#?}")).text.clone()
    };
    let known = text(&queue(true));
    assert!(known.contains("until put wakes it ("), "{known}");
    assert!(!text(&queue(false)).contains("wakes it"));
}

#[test]
fn calls_that_end_with_an_error_are_counted_where_errors_begin() {
    let shop = |failed: u64| {
        let mut made = recording(|w| {
            for _ in 0..200 {
                w.call("checkout", 10, |w| {
                    w.leaf("stock", 5);
                    w.call("payment", 10, |w| w.leaf("charge", 20));
                });
            }
        });
        let named = |name: &str| {
            let mut ids = made.functions.ids();
            ids.find(|&it| made.functions.get(it).name == name)
                .expect("it is called")
        };
        let mut all: Vec<(FunctionId, u64)> = ["charge", "payment", "checkout"]
            .map(|it| (named(it), failed))
            .to_vec();
        all.sort();
        made.failed = all;
        made
    };
    let planted = shop(13);
    let all = found(&planted);
    let it = of_kind(&all, &planted, Kind::Errors, "charge").unwrap_or_else(|| panic!("{all:#?}"));
    let words =
        "13 of 200 calls of charge end with an error (6.5 %), as do calls of payment, checkout";
    assert!(it.text.contains(words), "{}", it.text);
    let clean = found(&shop(1));
    assert!(clean.iter().all(|it| it.kind != Kind::Errors), "{clean:#?}");
}

/// So many requests on threads of their own, of which one takes so long.
fn requests(slow: i64) -> Recording {
    recording(|w| {
        for thread in 0..9 {
            w.thread(thread, 0);
            w.call("handle", 10, |w: &mut Writing<'_>| {
                w.leaf("parse", 20);
                w.leaf("query", if thread == 6 { slow } else { 25 });
            });
        }
    })
}

#[test]
fn one_of_many_threads_is_slow() {
    let planted = requests(3000);
    let all = found(&planted);
    let it = of_kind(&all, &planted, Kind::OneSlow, "query").unwrap_or_else(|| panic!("{all:#?}"));
    let words = "call 7 of 9 calls of query takes 3.00 ms, and half of the others at most 25.0 µs";
    assert!(it.text.contains(words), "{}", it.text);
    let clean = found(&requests(60));
    assert!(
        clean.iter().all(|it| it.kind != Kind::OneSlow),
        "{clean:#?}"
    );
}

/// Twenty alike calls, each of which allocates a hundred objects; it keeps or releases them.
fn serving(keeps: bool) -> Recording {
    let made = recording(|w| {
        w.call("main", 10, |w| (0..20).for_each(|_| w.leaf("serve", 1000)));
    });
    let serve = made
        .functions
        .ids()
        .find(|&it| made.functions.get(it).name == "serve");
    let mut builder = MemoryBuilder::new();
    let stack = builder.stack(StackId::EMPTY, serve.expect("it is called"));
    let site = builder.site(100, stack, 0);
    let thread = ThreadId(0);
    for call in 0..20_u64 {
        let at = |step: u64| Time::from_ns((10 + call * 1000 + step) * 1000);
        let live: Vec<_> = (1..=100)
            .filter_map(|step| builder.allocate(at(step), thread, site, |_| ()))
            .collect();
        for (step, object) in (500..).zip(live).filter(|_| !keeps) {
            builder.release(at(step), thread, object, |_| ());
        }
    }
    let end = made.trace.range().end;
    Recording {
        memory: Some(builder.finish(Detail::Events, end)),
        ..made
    }
}

#[test]
fn memory_that_grows_with_alike_calls_names_them() {
    let all = found(&serving(true));
    let words =
        "grows with the calls of serve: 10.0 kB after the first of 20, 200 kB after the last";
    assert!(all.iter().any(|it| it.text.contains(words)), "{all:#?}");
    let all = found(&serving(false));
    assert!(all.iter().all(|it| !it.text.contains("grows")), "{all:#?}");
}

/// A thread that waits for the end of another, which runs or sleeps meanwhile.
fn joined(runs: bool) -> Recording {
    recording(|w| {
        w.call("main", 10, |w| {
            w.call("pthread_join", 0, |w| w.wait(1000, Why::Voluntary));
        });
        w.thread(1, 10);
        w.call("worker", 10, |w| {
            w.builder.knows_waiting();
            for number in 0..18 {
                w.call(&format!("part_{number}"), 0, |w| match runs {
                    true => w.now += 55,
                    false => w.wait(55, Why::Voluntary),
                });
            }
        });
    })
}

#[test]
fn the_end_of_working_threads_is_no_finding() {
    let of = |recording: &Recording| {
        let all = found(recording);
        of_kind(&all, recording, Kind::Waiting, "pthread_join").is_some()
    };
    assert!(!of(&joined(true)));
    assert!(of(&joined(false)));
}

//! A planted case for each kind with its clean twin.

use std::collections::{BTreeSet, VecDeque};
use std::path::Path;

use super::super::random::Random;
use callscape::analysis::findings::{Certainty, Finding, KINDS, Kind, LIMITS, condition, findings};
use callscape::facts::builder::{Timestamp, TraceBuilder};
use callscape::facts::functions::{Function, Functions};
use callscape::facts::memory::{Detail, Live, MemoryBuilder, StackId};
use callscape::facts::recording::{Recording, RecordingKind};
use callscape::facts::trace::Why;
use callscape::progress::Progress;
use callscape::units::{FunctionId, ThreadId, Time};
use callscape::warnings::{Place, Reporter};

fn place() -> Place {
    Place::file("a test")
}

/// A run that is written down as it happens, in microseconds.
pub(super) struct Writing<'a> {
    pub(super) builder: TraceBuilder<'a>,
    pub(super) thread: ThreadId,
    pub(super) now: i64,
}

impl Writing<'_> {
    fn at(&self) -> Timestamp {
        Timestamp::from_ns(self.now * 1000)
    }

    /// A call that takes so long itself before what is called in it.
    pub(super) fn call(&mut self, name: &str, own: i64, inside: impl FnOnce(&mut Self)) {
        let function = self.builder.function(Function {
            name,
            ..Function::default()
        });
        self.builder.enter(self.thread, self.at(), function, place);
        self.now += own;
        inside(self);
        self.builder
            .exit(self.thread, self.at(), Some(function), place);
    }

    pub(super) fn leaf(&mut self, name: &str, own: i64) {
        self.call(name, own, |_| ());
    }

    /// What is written from now on happens on another thread, from then on.
    pub(super) fn thread(&mut self, id: i64, now: i64) {
        self.thread = self.builder.thread("1", &id.to_string());
        self.now = now;
    }

    /// The thread waits for something.
    pub(super) fn wait(&mut self, long: i64, why: Why) {
        let start = self.at();
        self.now += long;
        self.builder
            .wait(self.thread, (start, self.at()), None, why);
    }
}

pub(super) fn recording(write: impl FnOnce(&mut Writing<'_>)) -> Recording {
    let reporter = Reporter::new();
    let mut builder = TraceBuilder::new(&reporter);
    let thread = builder.thread("1", "0");
    let mut writing = Writing {
        builder,
        thread,
        now: 0,
    };
    write(&mut writing);
    let made = writing.builder.finish(place);
    Recording::of_calls(Path::new("a test"), "test", None, made, Vec::new())
}

pub(super) fn found(recording: &Recording) -> Vec<Finding> {
    findings(recording, &Progress::new()).expect("not cancelled")
}

/// The first finding of a kind that names this function, if any.
pub(super) fn of_kind<'f>(
    findings: &'f [Finding],
    recording: &Recording,
    kind: Kind,
    name: &str,
) -> Option<&'f Finding> {
    let name_of = |it: FunctionId| recording.functions.get(it).name;
    let is_of = |it: &&Finding| {
        let mut functions = it.functions.iter();
        it.kind == kind && (name.is_empty() || functions.any(|&it| name_of(it) == name))
    };
    findings.iter().find(is_of)
}

/// The planted case has the finding, first of all and with these words; its clean twin has no finding of the kind.
fn check(kind: Kind, name: &str, words: &str, planted: &Recording, clean: &Recording) {
    let all = found(planted);
    let it = of_kind(&all, planted, kind, name).unwrap_or_else(|| panic!("{kind:?}: {all:#?}"));
    assert!(it.text.contains(words), "{}", it.text);
    assert_eq!(all[0].kind, kind, "{all:#?}");
    let all = found(clean);
    assert!(all.iter().all(|it| it.kind != kind), "{all:#?}");
}

/// So many functions that take equally long.
fn even(w: &mut Writing<'_>, functions: u32, own: i64) {
    for number in 0..functions {
        w.leaf(&format!("step_{number}"), own);
    }
}

#[test]
fn every_kind_has_its_row() {
    let names: BTreeSet<&str> = KINDS.iter().map(|it| it.name).collect();
    assert_eq!(names.len(), KINDS.len());
    for row in &KINDS {
        assert_eq!(Kind::named(row.name), Some(row.kind));
        assert_eq!((row.kind.name(), row.kind.title()), (row.name, row.title));
    }
    let limits: BTreeSet<&str> = LIMITS.iter().map(|it| it.name).collect();
    assert_eq!(limits.len(), LIMITS.len());
}

#[test]
fn an_even_run_is_not_remarkable() {
    let even = recording(|w| w.call("main", 10, |w| (0..3).for_each(|_| even(w, 20, 50))));
    assert_eq!(found(&even), []);
    assert_eq!(found(&recording(|_| ())), []);
}

#[test]
fn repeated_work() {
    let run = |queries: u32| {
        recording(move |w| {
            w.call("main", 10, |w| {
                even(w, 14, 1000);
                for _ in 0..5 {
                    w.call("totals", 10, |w| {
                        (0..queries).for_each(|_| w.call("query", 3, |w| even(w, 6, 3)))
                    });
                }
            });
        })
    };
    check(
        Kind::Repeated,
        "query",
        "query is called 50 times for each call of totals, 250 times in all",
        &run(50),
        &run(4),
    );
}

#[test]
fn chains_of_repetitions_are_one() {
    let chain = recording(|w| {
        w.call("main", 10, |w| {
            (0..30).for_each(|_| w.call("place", 1, |w| (0..20).for_each(|_| w.leaf("measure", 5))))
        });
    });
    let all = found(&chain);
    assert_eq!(
        all[0].text,
        "below main → place: measure is called 600 times for the one call of main, through place \
                             (30 times for the one call of main): 98.7 % of the run"
    );
    assert!(
        all.iter().skip(1).all(|it| it.kind != Kind::Repeated),
        "{all:#?}"
    );
}

#[test]
fn a_hot_function() {
    let run = |own: i64| {
        recording(move |w| {
            w.call("main", 10, |w| {
                w.leaf("parse", own);
                even(w, 20, 100);
            })
        })
    };
    check(
        Kind::Hot,
        "parse",
        "parse itself takes 3.00 ms",
        &run(3000),
        &run(100),
    );
}

#[test]
fn waiting_is_recorded_or_named() {
    let disk = |wait: i64| {
        recording(move |w| {
            w.call("main", 10, |w| {
                w.builder.knows_waiting();
                (0..5).for_each(|_| w.call("commit", 5, |w| w.wait(wait, Why::Voluntary)));
                even(w, 20, 100);
            })
        })
    };
    check(
        Kind::Waiting,
        "commit",
        "commit waits 5.00 ms in 5 calls",
        &disk(1000),
        &disk(10),
    );
    let asleep = |sleep: i64| {
        recording(move |w| {
            w.call("main", 10, |w| {
                w.call("poll_server", 1, |w| w.leaf("time.sleep", sleep));
                even(w, 20, 100);
            })
        })
    };
    check(
        Kind::Waiting,
        "time.sleep",
        "sleeps 4.00 ms in 1 call",
        &asleep(4000),
        &asleep(50),
    );
    let it = &found(&asleep(4000))[0];
    assert_eq!(it.certainty, Certainty::Inferred);
    // What other programs take is no waiting.
    let preempted = recording(|w| {
        w.call("main", 10, |w| {
            w.call("commit", 100, |w| w.wait(1000, Why::Preempted));
            even(w, 20, 100);
        })
    });
    let all = found(&preempted);
    assert!(all.iter().all(|it| it.kind == Kind::Care), "{all:#?}");
}

#[test]
fn start_up() {
    let imports = |own: i64| {
        recording(move |w| {
            w.call("main", 10, |w| {
                (0..3).for_each(|_| w.call("_find_and_load", 1, |w| even(w, 9, own)));
                even(w, 20, 100);
            })
        })
    };
    check(
        Kind::StartUp,
        "_find_and_load",
        "takes 1.35 ms in _find_and_load (3 calls)",
        &imports(50),
        &imports(3),
    );
    let first = |own: i64| {
        recording(move |w| {
            w.call("main", 10, |w| {
                w.call("render", 5, |w| even(w, 10, own));
                (0..6).for_each(|_| w.call("render", 5, |w| even(w, 10, 10)));
                even(w, 14, 200);
            })
        })
    };
    check(
        Kind::StartUp,
        "render",
        "the first of 7 calls of render takes 2.0",
        &first(200),
        &first(12),
    );
}

#[test]
fn one_of_many_is_slow() {
    let run = |own: i64| {
        recording(move |w| {
            w.call("main", 10, |w| {
                for number in 0..7 {
                    let own = if number == 4 { own } else { 5 };
                    w.call("request", 10, |w| {
                        w.leaf("lookup", own);
                        even(w, 20, 5);
                    });
                }
            })
        })
    };
    check(
        Kind::OneSlow,
        "request",
        "call 5 of 7 calls of request takes 4.11 ms",
        &run(4000),
        &run(20),
    );
    let slow = run(4000);
    let all = found(&slow);
    assert!(
        all[0].text.contains("4.00 ms of it in lookup") && all[0].when.is_some(),
        "{all:#?}"
    );
}

#[test]
fn growing() {
    let run = |grows: bool| {
        recording(move |w| {
            w.call("main", 10, |w| {
                let mut random = Random(3);
                for number in 0..64_u64 {
                    let own = if grows { 4 * number } else { 128 } + random.below(30);
                    w.call("append", 5, |w| w.leaf("copy", own as i64));
                    even(w, 20, 10);
                }
            })
        })
    };
    let (planted, clean) = (run(true), run(false));
    let all = found(&planted);
    let it = of_kind(&all, &planted, Kind::Growing, "append").unwrap_or_else(|| panic!("{all:#?}"));
    assert!(
        it.text.contains("takes longer each time") && it.text.contains("as the power"),
        "{}",
        it.text
    );
    let all = found(&clean);
    assert!(all.iter().all(|it| it.kind != Kind::Growing), "{all:#?}");
}

#[test]
fn one_at_a_time() {
    let run = |apart: i64| {
        recording(move |w| {
            for thread in 0..4_i64 {
                w.thread(thread, 0);
                w.call("run", 0, |w| {
                    w.call("worker", 0, |w| {
                        w.now += thread * apart;
                        w.call("fetch", 100, |w| even(w, 9, 100));
                        w.now += (3 - thread) * apart;
                    })
                });
            }
        })
    };
    check(
        Kind::OneAtATime,
        "worker",
        "up to 4 threads are in worker at once, but only one at a time calls anything",
        &run(1000),
        &run(100),
    );
}

#[test]
fn recursion() {
    fn tree(w: &mut Writing<'_>, depth: u32, branches: u32) {
        w.call("visit", 2, |w| {
            (0..if depth > 0 { branches } else { 0 }).for_each(|_| tree(w, depth - 1, branches))
        });
    }
    let run = |depth: u32, branches: u32| {
        recording(move |w| {
            w.call("main", 10, |w| {
                tree(w, depth, branches);
                even(w, 6, 10);
            })
        })
    };
    check(
        Kind::Recursion,
        "visit",
        "255 calls for 1 from outside, up to 8 open at once",
        &run(7, 2),
        &run(4, 2),
    );
    check(
        Kind::Recursion,
        "visit",
        "301 calls for 1 from outside, up to 301 open at once",
        &run(300, 1),
        &run(50, 1),
    );
}

#[test]
fn garbage_collection() {
    let run = |own: i64| {
        recording(move |w| {
            w.call("main", 10, |w| {
                even(w, 10, 100);
                w.leaf("(garbage collector)", own);
            })
        })
    };
    check(
        Kind::Collection,
        "(garbage collector)",
        "Garbage collection takes 500 µs",
        &run(500),
        &run(20),
    );
}

#[test]
fn exceptions() {
    let run = |thrown: u32| {
        recording(move |w| {
            w.call("main", 10, |w| {
                even(w, 20, 1000);
                (0..thrown).for_each(|_| w.call("convert", 3, |w| w.leaf("__cxa_throw", 2)));
            })
        })
    };
    let (planted, clean) = (run(300), run(5));
    let all = found(&planted);
    let it = of_kind(&all, &planted, Kind::Errors, "convert").unwrap_or_else(|| panic!("{all:#?}"));
    assert!(
        it.text
            .contains("__cxa_throw throws 300 exceptions, 300 times by convert"),
        "{}",
        it.text
    );
    assert!(found(&clean).iter().all(|it| it.kind != Kind::Errors));
}

#[test]
fn measured_with_care() {
    let mut few = recording(|w| w.call("main", 10, |w| even(w, 20, 100)));
    few.kind = RecordingKind::Sampled;
    few.samples = 40;
    let many = Recording {
        samples: 4000,
        ..few.clone()
    };
    check(Kind::Care, "", "only 40 samples were taken", &few, &many);
    // Calls that are shorter than what recording them takes.
    let short = |calls: i64| {
        recording(move |w| {
            w.call("main", 10, |w| {
                even(w, 20, 100);
                (0..calls).for_each(|number| w.leaf("get", i64::from(number % 4 == 0)));
            })
        })
    };
    let (planted, clean) = (short(8000), short(400));
    let all = found(&planted);
    let it = of_kind(&all, &planted, Kind::Care, "get").unwrap_or_else(|| panic!("{all:#?}"));
    assert!(
        it.text
            .contains("8\u{202f}000 calls take less than 300 ns each"),
        "{}",
        it.text
    );
    assert!(found(&clean).iter().all(|it| it.kind != Kind::Care));
}

/// A run that allocates in `make`: so many objects that are released at once, that stay, that are released in the end, and
/// that are released soon.
fn allocating([temporary, left, later, soon]: [u32; 4]) -> Recording {
    let mut functions = Functions::default();
    let make = functions.intern(Function {
        name: "make",
        ..Function::default()
    });
    let mut builder = MemoryBuilder::new();
    let stack = builder.stack(StackId::EMPTY, make);
    let site = builder.site(100, stack, 0);
    let (mut now, mut live): (u64, Vec<Live>) = (0, Vec::new());
    let mut time = || {
        now += 1000;
        Time::from_ns(now)
    };
    for _ in 0..later {
        live.extend(builder.allocate(time(), ThreadId(0), site, |_| ()));
    }
    for _ in 0..left {
        builder.allocate(time(), ThreadId(0), site, |_| ());
    }
    for _ in 0..temporary {
        if let Some(object) = builder.allocate(time(), ThreadId(0), site, |_| ()) {
            builder.release(time(), ThreadId(0), object, |_| ());
        }
    }
    let mut recent: VecDeque<Live> = VecDeque::new();
    for _ in 0..soon {
        recent.extend(builder.allocate(time(), ThreadId(0), site, |_| ()));
        if let Some(object) = (recent.len() > 10).then(|| recent.pop_front()).flatten() {
            builder.release(time(), ThreadId(0), object, |_| ());
        }
    }
    for object in live.into_iter().chain(recent) {
        builder.release(time(), ThreadId(0), object, |_| ());
    }
    let memory = builder.finish(Detail::Events, time());
    Recording::of_memory(Path::new("a test"), "test", functions, memory, Vec::new())
}

#[test]
fn memory() {
    let (some, many) = (500, 4000);
    for (planted, words) in [
        (
            allocating([many, some, some, 0]),
            "4\u{202f}000 of 5\u{202f}000 objects are released by the next event",
        ),
        (
            allocating([some, many, some, 0]),
            "400 kB of 500 kB allocated is never released, in 4\u{202f}000 objects",
        ),
        (allocating([some, some, many, 0]), "is in use at the peak"),
    ] {
        let all = found(&planted);
        let first = of_kind(&all, &planted, Kind::Memory, "make");
        let is_it =
            first.is_some_and(|it| it.text.contains(words) && it.text.contains("; most by make"));
        assert!(is_it, "{all:#?}");
    }
    let clean = found(&allocating([100, 100, 100, many]));
    assert!(clean.iter().all(|it| it.kind != Kind::Memory), "{clean:#?}");
}

#[test]
fn conditions_hold_as_they_say() {
    let run = recording(|w| {
        w.call("main", 10, |w| {
            w.leaf("parse", 3000);
            even(w, 20, 100);
        })
    });
    let all = found(&run);
    let holds = |text: &str| {
        text.parse::<condition::Condition>()
            .map(|it| it.check(&all).0)
    };
    assert_eq!(holds("finding(hot) > 50%"), Ok(true));
    assert_eq!(holds(" finding( hot ) >= 60 % "), Ok(false));
    assert_eq!(holds("finding(repeated) > 0%"), Ok(false));
    assert_eq!(holds("finding(*)<100%"), Ok(true));
    for wrong in [
        "",
        "hot > 1%",
        "finding(hot)",
        "finding(hot) > 10",
        "finding(hot) > 101%",
        "finding(x) > 1%",
        "finding(hot) = 1%",
    ] {
        assert!(holds(wrong).is_err(), "{wrong}");
    }
}

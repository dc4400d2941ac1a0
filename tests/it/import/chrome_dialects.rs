//! What Chrome traces say besides their calls, in the words of those who write them.

use callscape::facts::recording::Recording;

use super::{Expected, Scratch, calls_of, read, warnings};

fn trace(name: &str, events: &str) -> Recording {
    let scratch = Scratch::new(name);
    read(&scratch.write("trace", events.as_bytes()))
}

#[test]
fn events_that_are_no_calls_are_counted_by_what_they_are() {
    let mut events = vec![r#"{"ph":"X","name":"f","ts":0,"dur":1,"pid":1,"tid":1}"#.to_owned()];
    for phase in "iIRCstfbenSTpFPNODvVc()=?".chars() {
        events.push(format!(
            r#"{{"ph":"{phase}","name":"g","ts":1,"pid":1,"tid":1,"id":7,"args":{{"value":3}}}}"#
        ));
    }
    let recording = trace("chrome-kinds", &format!("[{}]", events.join(",")));
    // The complete one and two asynchronous ones.
    assert_eq!(recording.trace.calls(), 3);
    let counted: Vec<(&str, u64)> = warnings(&recording).into_iter().collect();
    let expected = [
        ("arguments-of-end-not-shown", 2),
        ("async-event-not-shown", 3),
        ("counter-not-shown", 1),
        ("event-not-shown", 6),
        ("instant-not-shown", 3),
        // A flow whose three ends lie in one call.
        ("link-to-itself", 2),
        ("sample-not-shown", 1),
        ("snapshot-not-shown", 1),
        ("unknown-phase", 1),
    ];
    assert_eq!(counted, expected);
    // An object is created and destroyed.
    let memory = recording.memory.as_ref().and_then(|it| it.events());
    assert_eq!(memory.map(|events| events.end()), Some(2));
}

#[test]
fn threads_stand_where_their_sort_indices_say() {
    let call = |pid: u32, tid: u32| {
        format!(r#"{{"ph":"X","name":"f","ts":1,"dur":1,"pid":{pid},"tid":{tid}}}"#)
    };
    let index = |what: &str, pid: u32, tid: u32, index: i32| {
        format!(
            r#"{{"ph":"M","name":"{what}_sort_index","pid":{pid},"tid":{tid},"args":{{"sort_index":{index}}}}}"#
        )
    };
    let events = [
        call(1, 1),
        call(1, 2),
        call(2, 3),
        call(2, 4),
        call(3, 5),
        index("process", 1, 0, 10),
        index("process", 2, 0, -1),
        index("thread", 1, 1, 5),
        index("thread", 1, 2, -5),
        r#"{"ph":"M","name":"thread_name","pid":2,"tid":4,"args":{"name":"fourth"}}"#.to_owned(),
        r#"{"ph":"M","name":"process_name","pid":3,"args":{"name":"third process"}}"#.to_owned(),
    ];
    let recording = trace("chrome-order", &format!("[{}]", events.join(",")));
    let threads = recording.trace.threads().iter();
    let threads: Vec<(&str, &str)> = threads
        .map(|thread| (thread.id.as_str(), thread.name.as_str()))
        .collect();
    let expected = [
        ("3", ""),
        ("4", "fourth"),
        ("5", "third process"),
        ("2", ""),
        ("1", ""),
    ];
    assert_eq!(threads, expected);
}

#[test]
fn locations_are_read_in_the_words_of_every_writer() {
    for (writer, members, expected) in [
        (
            "VizTracer",
            r#""name":"Parser.parse (/a/b.py:12)""#,
            ("Parser.parse", "/a/b.py", 12),
        ),
        (
            "uftrace",
            r#""name":"main","args":{"arguments":"(1)","srcline":"/a/main.c:7"}"#,
            ("main", "/a/main.c", 7),
        ),
        (
            "clang",
            r#""name":"ParseClass","args":{"detail":"C","file":"/a/c.h","line":31}"#,
            ("ParseClass", "/a/c.h", 31),
        ),
        (
            "tracing-chrome",
            r#""name":"visit","cat":"syn",".file":"src/visit.rs",".line":44"#,
            ("visit", "src/visit.rs", 44),
        ),
        (
            "Tracy",
            r#""name":"Tick","loc":"src/tick.cpp:9""#,
            ("Tick", "src/tick.cpp", 9),
        ),
        (
            "Chrome",
            r#""name":"ThreadPool","args":{"src_file":"base/pool.cc","src_func":"Run"}"#,
            ("ThreadPool", "base/pool.cc", 0),
        ),
        ("others", r#""name":"f (x)","cat":"a""#, ("f (x)", "", 0)),
    ] {
        // Twice: the second is read by the shape of the first.
        let event =
            |ts: u32| format!(r#"{{"ph":"X","ts":{ts},"dur":1,"pid":1,"tid":1,{members}}}"#);
        let events = [0, 2, 4, 6].map(event).join(",\n");
        let recording = trace("chrome-locations", &format!("[{events}]"));
        assert_eq!(recording.trace.calls(), 4, "{writer}");
        let functions = &recording.functions;
        let found: Vec<_> = functions.ids().map(|id| functions.get(id)).collect();
        assert_eq!(found.len(), 1, "{writer}: {found:?}");
        let function = (found[0].name, found[0].file, found[0].line);
        assert_eq!(function, expected, "{writer}");
    }
}

/// Members may differ from one event to the next in ways that a reader of their shape must not overlook.
#[test]
fn events_that_look_almost_the_same_are_told_apart() {
    let events = [
        r#"{"ph":"X","name":"f","ts":10,"dur":1,"pid":1,"tid":1}"#,
        r#"{"ph":"X","name":"f","ts":20,"dur":1,"pid":1,"tid":1}"#,
        r#"{"ph":"X","name":"f","ts":30,"dur":1,"pid":1,"tid":11}"#,
        r#"{"ph":"X","name":"f","ts":40,"dur":1,"pid":1,"tid":1,"loc":"a.c:3"}"#,
        r#"{"ph":"X","name":"\u0066","ts":50,"dur":1,"pid":1,"tid":1}"#,
        r#"{"ph":"X","name":"a\"b","ts":60,"dur":1,"pid":1,"tid":1}"#,
        r#"{"ph":"X","name":"f","ts":"70","dur":1,"pid":1,"tid":1}"#,
        r#"{"ph":"X","name":"f","ts":8e1,"dur":1.5,"pid":1,"tid":1}"#,
        r#"{"ph":"X","name":"f","ts":90,"dur":0.0005,"pid":1,"tid":1}"#,
        r#"{"ph":"X","name":"f","ts":100,"dur":-1,"pid":1,"tid":1}"#,
        r#"{"ph":"i","name":"f","ts":110,"dur":1,"pid":1,"tid":1}"#,
        r#"{"ph":"X","name":"f","ts":120,"dur":1,"pid":1,"tid":1,"ts":125}"#,
        r#"{"ph":"X","name":"","ts":130,"dur":1,"pid":1,"tid":1}"#,
        r#"{"ph":"X","name":"f","ts":140,"dur":1,"pid":1,"tid":1}"#,
    ];
    let recording = trace("chrome-almost", &format!("[{}]", events.join(",")));
    let shown = |id: &str| {
        let calls = super::calls_of(&recording, id);
        let calls = calls.iter();
        calls
            .map(|call| format!("{}@{}+{}", call.name, call.start, call.end - call.start))
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(
        shown("1"),
        "f@0+1000 f@10000+1000 f@30000+1000 f@40000+1000 a\"b@50000+1000 f@60000+1000 f@70000+1500 \
         f@80000+1 f@90000+0 f@115000+1000 @120000+1000 f@130000+1000"
    );
    assert_eq!(shown("11"), "f@20000+1000");
    assert_eq!(recording.functions.len(), 4);
    let counted: Vec<(&str, u64)> = warnings(&recording).into_iter().collect();
    assert_eq!(
        counted,
        [("instant-not-shown", 1), ("negative-duration", 1)]
    );
}

/// An event that is left out must not be remembered as one of the thread before it.
#[test]
fn events_without_a_time_say_nothing_about_the_thread_of_the_next() {
    let events = [
        r#"{"ph":"X","name":"f","ts":0,"dur":1,"pid":1,"tid":1}"#,
        r#"{"ph":"X","name":"f","ts":2,"dur":1,"pid":1,"tid":1}"#,
        r#"{"ph":"X","name":"f","ts":-,"dur":1,"pid":1,"tid":2}"#,
        r#"{"ph":"X","name":"f","ts":4,"dur":1,"pid":1,"tid":2}"#,
        r#"{"ph":"X","name":"f","ts":6,"dur":1,"pid":1,"tid":2}"#,
    ];
    let recording = trace("chrome-left-out", &format!("[{}]", events.join(",")));
    let calls = |id| super::calls_of(&recording, id).len();
    assert_eq!((calls("1"), calls("2")), (2, 2));
}

#[test]
fn asynchronous_events_are_calls_also_beside_others() {
    let event = |phase: &str, name: &str, id: &str, ts: u32| {
        format!(
            r#"{{"ph":"{phase}","name":"{name}","cat":"web","pid":1,"tid":9,"ts":{ts},{id},".file":"a.rs",".line":3}}"#
        )
    };
    let (one, two, three) = (r#""id":1"#, r#""id2":{"local":"0x2"}"#, r#""id":"3""#);
    let events = [
        event("b", "request", one, 1),
        event("b", "request", two, 2),
        event("b", "query", one, 3),
        event("n", "mark", one, 4),
        event("e", "query", one, 5),
        event("e", "request", one, 6),
        // On the lane that is free again.
        event("S", "old", three, 7),
        event("e", "request", two, 8),
        event("F", "old", three, 9),
        event("e", "request", one, 10),
    ];
    let file = format!("[{}]", events.join(","));
    let recording = trace("chrome-async", &file);
    let call = |start: u64, end: u64, depth, name: &str| Expected {
        start: start * 1000,
        end: end * 1000,
        depth,
        name: name.to_owned(),
    };
    let first = [
        call(0, 5, 0, "request"),
        call(2, 4, 1, "query"),
        call(6, 8, 0, "old"),
    ];
    assert_eq!(calls_of(&recording, "async web"), first);
    assert_eq!(
        calls_of(&recording, "async web 2"),
        [call(1, 7, 0, "request")]
    );
    assert_eq!(recording.trace.threads().len(), 2);
    let counted: Vec<(&str, u64)> = warnings(&recording).into_iter().collect();
    let expected = [("async-event-not-shown", 1), ("end-without-begin", 1)];
    assert_eq!(counted, expected);
    // Beside a call they are the same.
    let call = r#"{"ph":"X","name":"f","ts":0,"dur":1,"pid":1,"tid":1}"#;
    let recording = trace(
        "chrome-async-and",
        &format!("[{call},{}]", events.join(",")),
    );
    assert_eq!(recording.trace.calls(), 5);
    assert_eq!(warnings(&recording).get("async-event-not-shown"), Some(&1));
}

//! Texts of each kind against what they say, and random calls against themselves.

use super::*;
use crate::made;
use callscape_facts::memory::random::Random;

const PLAIN: &str = include_str!("../../../tests/data/import/function-graph/processors.txt");

#[test]
fn lines_without_times_follow_each_other() {
    let recording = made::found(FORMAT, PLAIN);
    assert_eq!(
        made::calls(&recording),
        [
            "/processor 0 sh: sys_open@0+16250^0 handle_irq@0+631^1 do_open@631+2000^1 lock@631+250^2 after@17250+500^0",
            "/0 on processor 0 <idle>: tick@16250+1000^0",
            "/processor 1 : other@0+5000^0",
        ]
    );
    let library = |name| {
        let functions = &recording.functions;
        let of = functions.ids().map(|id| functions.get(id));
        of.filter(|it| it.name == name).map(|it| it.library).next()
    };
    assert_eq!(library("do_open"), Some("[ext4]"));
    assert_eq!(library("lock"), Some(KERNEL));
    assert_eq!(
        made::counted(&recording),
        [
            "end-without-begin 1",
            "event-not-shown 1",
            "events-lost 7",
            "interrupt-not-shown 2",
            "missing-duration 1",
            "missing-time 7",
            "overruns 3"
        ]
    );
}

#[test]
fn all_columns_are_read() {
    let text = "\
#     TIME        CPU  TASK/PID         DURATION                  FUNCTION CALLS
  360.774522 |   1)  bash-12    |  d..1 |               |  outer() {
  360.774523 |   1)  bash-12    |  d..1 | ! 123.250 us  |    inner();
  360.774700 |   1)  bash-12    |  d..1 | ! 180.500 us  |  } /* outer ret=0x1 */
";
    let recording = made::found(FORMAT, text);
    assert_eq!(
        made::calls(&recording),
        ["/12 bash: outer@0+180500^0 inner@1000+123250^1"]
    );
    assert_eq!(made::counted(&recording), [""; 0]);
    // Without the processor and the duration.
    let text = "# tracer: function_graph\n  2.000001 |  outer() {\n  2.000002 |    inner();\n  2.000009 |  }\n";
    let recording = made::found(FORMAT, text);
    assert_eq!(
        made::calls(&recording),
        ["/all : outer@0+8000^0 inner@1000+0^1"]
    );
}

const EVENTS: &str = include_str!("../../../tests/data/import/function-graph/trace-cmd.txt");

#[test]
fn events_of_trace_cmd_are_read() {
    let recording = made::found(FORMAT, EVENTS);
    assert_eq!(
        made::calls(&recording),
        [
            "/77 ls-7: outer@0+9125^0 inner@2000+750^1 open@19000+0^0",
            "/0 on processor 1 <idle>: idle@3000+125^0"
        ]
    );
    assert_eq!(
        made::counted(&recording),
        ["event-not-shown 1", "open-at-end 1"]
    );
}

#[test]
fn damaged_texts_are_read_as_far_as_they_go() {
    for text in [PLAIN, EVENTS] {
        made::survives(import, text.as_bytes());
    }
    let text =
        " 0)   |  a() {\n 0)   |    b() {\n 0)   3.000 us |  }\n 0)  nonsense\n 0)   x us | c();\n";
    let recording = made::read(import, text.as_bytes()).expect("a recording");
    assert_eq!(
        made::calls(&recording),
        ["/processor 0 : a@0+3000^0 b@0+0^1"]
    );
    let found = made::counted(&recording);
    assert_eq!(
        found,
        ["malformed-line 2", "missing-end 1", "missing-time 2"]
    );
    let short = " 0)   |  a() {\n 0)   5.000 us  |    b();\n 0)   3.000 us |  }\n";
    let recording = made::found(FORMAT, short);
    assert_eq!(
        made::calls(&recording),
        ["/processor 0 : a@0+5000^0 b@0+5000^1"]
    );
    assert!(made::counted(&recording).contains(&"duration-too-short 1".to_owned()));
}

#[test]
fn other_texts_are_not_taken() {
    for text in [
        "# tracer: nop\n 0)   0.631 us    |  a();\n 0)   0.631 us    |  a();\n",
        "   0.631 us [ 1234] |   main();\n   0.631 us [ 1234] |   main();\n",
        " my-app-12 [000] 100.000100: print: B|10|f",
        "1) a | b\n2) c | d\n",
        "main;a 3\n",
        "",
    ] {
        assert!(!sniff(text.as_bytes()), "{text}");
    }
}

/// A call: its name, start, end and depth.
type Made = (u64, i64, i64, usize);

/// Random calls of one task in order of their begins.
fn random_calls(random: &mut Random) -> Vec<Made> {
    let (mut calls, mut open): (Vec<Made>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut now = 5_000_000_000;
    let mut left = 60;
    while left > 0 || !open.is_empty() {
        now += random.below(1500) as i64;
        if left > 0 && open.len() < 8 && random.below(2) == 0 {
            calls.push((random.below(5), now, now, open.len()));
            open.push(calls.len() - 1);
            left -= 1;
        } else if let Some(call) = open.pop() {
            calls[call].2 = now;
        }
    }
    calls
}

/// The lines of these calls, each with what `before` makes of its time, and whether it ends a call.
fn lines_of(calls: &[Made], before: impl Fn(i64, bool) -> String) -> String {
    let mut text = String::new();
    let mut open: Vec<Made> = Vec::new();
    let duration = |call: &Made| {
        let ns = call.2 - call.1;
        format!("{:>4}.{:03} us   |  ", ns / 1000, ns % 1000)
    };
    let close = |text: &mut String, call: Made| {
        *text += &format!(
            "{}{}{}}}\n",
            before(call.2, true),
            duration(&call),
            " ".repeat(2 * call.3)
        );
    };
    for (number, call) in calls.iter().enumerate() {
        while open.len() > call.3 {
            let ended = open.pop().expect("open");
            close(&mut text, ended);
        }
        let is_leaf = calls.get(number + 1).is_none_or(|next| next.3 <= call.3);
        let indent = " ".repeat(2 * call.3);
        let (time, name) = (before(call.1, false), call.0);
        if is_leaf {
            text += &format!("{time}{}{indent}f{name}();\n", duration(call));
        } else {
            text += &format!("{time}              |  {indent}f{name}() {{\n");
            open.push(*call);
        }
    }
    while let Some(ended) = open.pop() {
        close(&mut text, ended);
    }
    text
}

#[test]
fn durations_are_exact_whatever_the_columns() {
    for seed in 0..100 {
        let random = &mut Random(seed);
        let calls = random_calls(random);
        let micros = |ns: i64| format!("{}.{:06}", ns / 1_000_000_000, ns / 1000 % 1_000_000);
        let texts = [
            lines_of(&calls, |_, _| " 3) ".to_owned()),
            lines_of(&calls, |ns, _| format!(" {} |   3)  sh-5 | ", micros(ns))),
            lines_of(&calls, |ns, ends| {
                let event = if ends { "exit" } else { "entry" };
                format!("sh-5 [003] {}: funcgraph_{event}: ", micros(ns))
            }),
        ];
        let origin = calls[0].1 / 1000 * 1000;
        for (kind, text) in texts.iter().enumerate() {
            let recording = made::found(FORMAT, text);
            let trace = &recording.trace;
            let thread = trace.thread_ids().next().expect("a thread");
            let found = trace.calls_numbered(thread, 0..u32::MAX);
            assert_eq!(found.len(), calls.len());
            for (found, call) in found.iter().zip(&calls) {
                let name = recording.functions.get(found.function).name;
                assert_eq!(name, format!("f{}", call.0));
                assert_eq!(found.depth as usize, call.3);
                assert_eq!(found.cost().ns(), (call.2 - call.1) as u64, "{seed} {kind}");
                let start = found.start.ns() as i64 + origin;
                assert!(kind == 0 || (start - call.1).abs() <= 1000, "{seed} {kind}");
            }
        }
    }
}

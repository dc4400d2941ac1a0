//! Import of formats beside an existing reader of each, on the same file in the same run: a typed parse of JSON with
//! `serde_json`, `inferno-collapse-perf`, and those of benches/peers (prost, callgrind-parser, jfrs, opentelemetry-proto).
//!
//! Run with `cargo bench --bench formats [SCALE] [FORMAT]… [JFR_FILE]`: recordings of one program are made with a seed, in
//! every format that can be; a scale of 10 stands for 40 to 100 MB each. Peers are looked for in `$PEERS/cargo/bin` and
//! on the path, and left out where they are not there. CPU times of user and system mode, the least of three.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use callscape::import;
use callscape::progress::Progress;

/// A small random number generator (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }
}

const FUNCTIONS: u32 = 3_000;

fn name(function: u32) -> String {
    format!(
        "app::module{}::Type{}::function_{function}",
        function % 37,
        function % 211
    )
}

/// A program: its calling contexts, parents first, and the context that each sample found.
struct Program {
    /// By context: the one around it, its function, its depth.
    contexts: Vec<(u32, u32, u32)>,
    samples: Vec<u32>,
}

impl Program {
    fn new(samples: u64, random: &mut Random) -> Program {
        let mut contexts: Vec<(u32, u32, u32)> = vec![(0, 0, 0)];
        let mut children: Vec<Vec<u32>> = vec![Vec::new()];
        let mut at = 0_usize;
        let samples = (0..samples)
            .map(|_| {
                for _ in 0..1 + random.below(4) {
                    let (around, function, depth) = contexts[at];
                    if depth < 3 || (depth < 40 && random.below(100) < 54) {
                        let callee = random.below(1 + u64::from(function) % 7) as usize;
                        if let Some(&known) = children[at].get(callee) {
                            at = known as usize;
                        } else if contexts.len() < 30_000 {
                            let number = contexts.len() as u32;
                            let callee =
                                (function * 31 + children[at].len() as u32 * 97 + 1) % FUNCTIONS;
                            contexts.push((at as u32, callee, depth + 1));
                            children.push(Vec::new());
                            children[at].push(number);
                            at = number as usize;
                        } else {
                            at = around as usize;
                        }
                    } else {
                        at = around as usize;
                    }
                }
                at as u32
            })
            .collect();
        Program { contexts, samples }
    }

    /// The contexts around a context, itself first.
    fn stack(&self, context: u32) -> impl Iterator<Item = u32> + '_ {
        let mut at = Some(context);
        std::iter::from_fn(move || {
            let context = at?;
            at = (context > 0).then(|| self.contexts[context as usize].0);
            Some(context)
        })
    }
}

type Out<'f> = &'f mut BufWriter<File>;

fn joined<T: ToString>(values: impl IntoIterator<Item = T>) -> String {
    let mut text = String::new();
    for value in values {
        if !text.is_empty() {
            text.push(',');
        }
        text += &value.to_string();
    }
    text
}

fn write_cpuprofile(program: &Program, out: Out<'_>) -> std::io::Result<()> {
    write!(out, "{{\"nodes\":[")?;
    for (id, &(around, function, _)) in program.contexts.iter().enumerate() {
        let comma = if id > 0 { "," } else { "" };
        let parent = if id > 0 {
            format!(",\"parent\":{}", around + 1)
        } else {
            String::new()
        };
        write!(
            out,
            "{comma}{{\"id\":{},\"callFrame\":{{\"functionName\":\"{}\",\"scriptId\":\"7\",\"url\":\"file:///src/m{}.js\",\"lineNumber\":{function},\"columnNumber\":4}},\"hitCount\":1{parent}}}",
            id + 1,
            name(function),
            function % 37,
        )?;
    }
    let ids = joined(program.samples.iter().map(|context| context + 1));
    let deltas = joined(program.samples.iter().map(|context| 900 + context % 211));
    let end = program.samples.len() * 1200;
    write!(
        out,
        "],\"startTime\":1000,\"endTime\":{end},\"samples\":[{ids}],\"timeDeltas\":[{deltas}]}}"
    )
}

fn write_firefox(program: &Program, out: Out<'_>) -> std::io::Result<()> {
    let names: Vec<String> = (0..FUNCTIONS)
        .map(|it| format!("\"{}\"", name(it)))
        .collect();
    let functions = 0..FUNCTIONS;
    let nulls = |count: u32| joined((0..count).map(|_| "null"));
    let rows = program.contexts.len();
    let prefixes = program.contexts.iter().enumerate();
    let prefixes = prefixes.map(|(row, it)| {
        if row == 0 {
            "null".to_owned()
        } else {
            it.0.to_string()
        }
    });
    write!(
        out,
        "{{\"meta\":{{\"version\":24,\"preprocessedProfileVersion\":48,\"interval\":1,\"startTime\":0,\"product\":\"bench\"}},\"libs\":[],\"threads\":[{{\"name\":\"main\",\"pid\":\"1\",\"tid\":1,\"processType\":\"default\",\"stringArray\":[{}],\"funcTable\":{{\"length\":{FUNCTIONS},\"name\":[{}],\"resource\":[{}],\"fileName\":[{}],\"lineNumber\":[{}],\"columnNumber\":[{}]}},\"frameTable\":{{\"length\":{FUNCTIONS},\"func\":[{}],\"line\":[{}]}},\"stackTable\":{{\"length\":{rows},\"prefix\":[{}],\"frame\":[{}]}},",
        names.join(","),
        joined(functions.clone()),
        joined(functions.clone().map(|_| -1)),
        nulls(FUNCTIONS),
        joined(functions.clone()),
        nulls(FUNCTIONS),
        joined(functions.clone()),
        nulls(FUNCTIONS),
        joined(prefixes),
        joined(program.contexts.iter().map(|it| it.1)),
    )?;
    let times = (0..program.samples.len()).map(|at| format!("{}.{:03}", at, at * 7 % 1000));
    write!(
        out,
        "\"samples\":{{\"length\":{},\"stack\":[{}],\"time\":[{}]}}}}]}}",
        program.samples.len(),
        joined(program.samples.iter()),
        joined(times),
    )
}

/// Spans: number, the one around it, function, start and duration in nanoseconds.
fn spans(program: &Program) -> impl Iterator<Item = (u64, Option<u64>, u32, u64, u64)> + '_ {
    let count = program.contexts.len() as u64;
    // Spans inside a span follow each other, each as long as there are spans in it.
    let mut sizes = vec![1_u64; program.contexts.len()];
    for context in (1..program.contexts.len()).rev() {
        sizes[program.contexts[context].0 as usize] += sizes[context];
    }
    let mut starts = vec![0_u64; program.contexts.len()];
    let mut next = vec![1_u64; program.contexts.len()];
    for context in 1..program.contexts.len() {
        let around = program.contexts[context].0 as usize;
        starts[context] = starts[around] + next[around];
        next[around] += sizes[context];
    }
    (0..program.samples.len() as u64 / 20).map(move |number| {
        let context = (number % count) as usize;
        let (around, function, _) = program.contexts[context];
        let parent = (context > 0).then(|| number - context as u64 + u64::from(around));
        // A run through all contexts after the other.
        let before = number / count * (count + 1) + starts[context];
        let start = 1_700_000_000_000_000_000 + before * 1_000_000;
        (number, parent, function, start, sizes[context] * 1_000_000)
    })
}

fn write_jaeger(program: &Program, out: Out<'_>) -> std::io::Result<()> {
    write!(
        out,
        "{{\"data\":[{{\"traceID\":\"0af7651916cd43dd8448eb211c80319c\",\"spans\":["
    )?;
    for (number, parent, function, start, length) in spans(program) {
        let comma = if number > 0 { "," } else { "" };
        let refs = parent.map_or(String::new(), |parent| {
            format!("{{\"refType\":\"CHILD_OF\",\"traceID\":\"0af7651916cd43dd8448eb211c80319c\",\"spanID\":\"{parent:016x}\"}}")
        });
        write!(
            out,
            "{comma}{{\"traceID\":\"0af7651916cd43dd8448eb211c80319c\",\"spanID\":\"{number:016x}\",\"operationName\":\"{}\",\"references\":[{refs}],\"startTime\":{},\"duration\":{},\"tags\":[{{\"key\":\"span.kind\",\"type\":\"string\",\"value\":\"server\"}}],\"logs\":[],\"processID\":\"p{}\",\"warnings\":null}}",
            name(function),
            start / 1000,
            length / 1000,
            function % 7,
        )?;
    }
    let processes =
        (0..7).map(|it| format!("\"p{it}\":{{\"serviceName\":\"service{it}\",\"tags\":[]}}"));
    write!(
        out,
        "],\"processes\":{{{}}},\"warnings\":null}}]}}",
        joined(processes)
    )
}

fn write_otlp(program: &Program, out: Out<'_>) -> std::io::Result<()> {
    write!(
        out,
        "{{\"resourceSpans\":[{{\"resource\":{{\"attributes\":[{{\"key\":\"service.name\",\"value\":{{\"stringValue\":\"shop\"}}}}]}},\"scopeSpans\":[{{\"spans\":["
    )?;
    for (number, parent, function, start, length) in spans(program) {
        let comma = if number > 0 { "," } else { "" };
        let parent = parent.map_or(String::new(), |parent| format!("{parent:016x}"));
        write!(
            out,
            "{comma}{{\"traceId\":\"0af7651916cd43dd8448eb211c80319c\",\"spanId\":\"{number:016x}\",\"parentSpanId\":\"{parent}\",\"name\":\"{}\",\"kind\":2,\"startTimeUnixNano\":\"{start}\",\"endTimeUnixNano\":\"{}\",\"attributes\":[{{\"key\":\"thread.id\",\"value\":{{\"intValue\":\"7\"}}}}],\"status\":{{}}}}",
            name(function),
            start + length,
        )?;
    }
    write!(out, "]}}]}}]}}")
}

fn write_otlp_protobuf(program: &Program, out: Out<'_>) -> std::io::Result<()> {
    let fixed = |field: u64, value: u64, out: &mut Vec<u8>| {
        varint(field << 3 | 1, out);
        out.extend_from_slice(&value.to_le_bytes());
    };
    let attribute = |key: &str, out: &mut Vec<u8>, value: &dyn Fn(&mut Vec<u8>)| {
        bytes(1, key.as_bytes(), out);
        message(2, out, |out| value(out));
    };
    let mut all = Vec::new();
    message(1, &mut all, |resource| {
        message(1, resource, |it| {
            message(1, it, |out| {
                attribute("service.name", out, &|out| bytes(1, b"shop", out));
            });
        });
        message(2, resource, |scope| {
            for (place, parent, function, start, length) in spans(program) {
                message(2, scope, |span| {
                    bytes(1, b"0123456789abcdef", span);
                    bytes(2, &(place + 1).to_be_bytes(), span);
                    if let Some(parent) = parent {
                        bytes(4, &(parent + 1).to_be_bytes(), span);
                    }
                    bytes(5, name(function).as_bytes(), span);
                    number(6, 2, span);
                    fixed(7, start, span);
                    fixed(8, start + length, span);
                    message(9, span, |out| {
                        attribute("thread.id", out, &|out| number(3, 7, out));
                    });
                });
            }
        });
    });
    out.write_all(&all)
}

/// As the agent writes it, with a trace for each context.
fn write_hprof(program: &Program, out: Out<'_>) -> std::io::Result<()> {
    let title = "JAVA PROFILE 1.0.1, created Tue Apr  6 17:20:40 2010";
    writeln!(out, "{title}\n\n--------\n")?;
    let method = |context: u32| name(program.contexts[context as usize].1).replace("::", ".");
    let mut counts = vec![0_u64; program.contexts.len()];
    for &context in &program.samples {
        counts[context as usize] += 1;
    }
    for context in 0..program.contexts.len() as u32 {
        writeln!(out, "TRACE {}:", context + 1)?;
        for around in program.stack(context) {
            let line = program.contexts[around as usize].1 + 1;
            writeln!(out, "\tapp.{}(App.java:{line})", method(around))?;
        }
    }
    let total = program.samples.len();
    let when = "Tue Apr  6 17:20:40 2010";
    writeln!(out, "CPU SAMPLES BEGIN (total = {total}) {when}")?;
    writeln!(out, "rank   self  accum   count trace method")?;
    for (context, &count) in counts.iter().enumerate().filter(|it| *it.1 > 0) {
        let rank = context + 1;
        let method = method(context as u32);
        writeln!(out, "{rank:4} 0.10% 0.10% {count:7} {rank:5} app.{method}")?;
    }
    writeln!(out, "CPU SAMPLES END")
}

fn write_perf(program: &Program, out: Out<'_>) -> std::io::Result<()> {
    for (at, &context) in program.samples.iter().enumerate().step_by(40) {
        let (seconds, micros) = (at / 1000, at % 1000 * 1000);
        writeln!(
            out,
            "app {:5} {:5}.{micros:06}:    1001001 cpu-clock: ",
            4711,
            5000 + seconds
        )?;
        for around in program.stack(context) {
            let function = program.contexts[around as usize].1;
            let address = 0x5000 + function * 0x100;
            writeln!(
                out,
                "\t{address:16x} {}+0x{:x} (/usr/lib/libapp.so)",
                name(function),
                around % 0x100
            )?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn write_folded(program: &Program, out: Out<'_>) -> std::io::Result<()> {
    let mut counts = vec![0_u64; program.contexts.len()];
    for round in 0..10 {
        for &context in &program.samples {
            counts[context as usize] += round;
        }
        for (context, count) in counts.iter().enumerate() {
            let mut stack: Vec<String> = program
                .stack(context as u32)
                .map(|it| name(program.contexts[it as usize].1))
                .collect();
            stack.reverse();
            writeln!(out, "{} {}", stack.join(";"), count + 1)?;
        }
    }
    Ok(())
}

fn write_callgrind(program: &Program, out: Out<'_>) -> std::io::Result<()> {
    writeln!(
        out,
        "# callgrind format\nversion: 1\ncreator: bench\npositions: line\nevents: Ir Dr Dw\n"
    )?;
    let random = &mut Random(11);
    for (around, function, _) in program
        .contexts
        .iter()
        .cycle()
        .take(program.samples.len() / 20)
    {
        let callee = program.contexts[*around as usize].1;
        writeln!(
            out,
            "fl=({}) m{}.c\nfn=({function}) {}",
            function % 37,
            function % 37,
            name(*function)
        )?;
        for line in 0..8 {
            writeln!(
                out,
                "+{} {} {} {}",
                line + 1,
                random.below(9000),
                random.below(500),
                line
            )?;
        }
        writeln!(
            out,
            "cfi=({})\ncfn=({callee}) {}\ncalls={} 17\n* {} 40 2",
            callee % 37,
            name(callee),
            1 + random.below(5),
            random.below(90_000)
        )?;
    }
    Ok(())
}

fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

fn number(field: u64, value: u64, out: &mut Vec<u8>) {
    varint(field << 3, out);
    varint(value, out);
}

fn bytes(field: u64, content: &[u8], out: &mut Vec<u8>) {
    varint(field << 3 | 2, out);
    varint(content.len() as u64, out);
    out.extend_from_slice(content);
}

/// A message made by `fill`, as a field.
fn message(field: u64, out: &mut Vec<u8>, fill: impl FnOnce(&mut Vec<u8>)) {
    let mut content = Vec::new();
    fill(&mut content);
    bytes(field, &content, out);
}

fn write_pprof(program: &Program, out: Out<'_>) -> std::io::Result<()> {
    let mut all = Vec::new();
    for (kind, unit) in [(1, 2), (3, 4)] {
        message(1, &mut all, |it| {
            number(1, kind, it);
            number(2, unit, it);
        });
    }
    for (at, &context) in program.samples.iter().enumerate().step_by(4) {
        message(2, &mut all, |it| {
            let mut ids = Vec::new();
            for around in program.stack(context) {
                // Several addresses a function, as programs have.
                let function = u64::from(program.contexts[around as usize].1);
                varint(function * 4 + u64::from(around % 4) + 1, &mut ids);
            }
            bytes(1, &ids, it);
            let mut values = Vec::new();
            varint(1, &mut values);
            varint(10_000_000 + at as u64 % 1000, &mut values);
            bytes(2, &values, it);
        });
    }
    for location in 0..u64::from(FUNCTIONS) * 4 {
        message(4, &mut all, |it| {
            number(1, location + 1, it);
            number(3, 0x40_0000 + location * 16, it);
            message(4, it, |line| {
                number(1, location / 4 + 1, line);
                number(2, location % 1000, line);
            });
        });
    }
    for function in 0..u64::from(FUNCTIONS) {
        message(5, &mut all, |it| {
            number(1, function + 1, it);
            number(2, function + 5, it);
        });
    }
    for text in ["", "samples", "count", "cpu", "nanoseconds"] {
        bytes(6, text.as_bytes(), &mut all);
    }
    for function in 0..FUNCTIONS {
        bytes(6, name(function).as_bytes(), &mut all);
    }
    out.write_all(&all)
}

fn write_perfetto(program: &Program, out: Out<'_>) -> std::io::Result<()> {
    let mut packet = Vec::new();
    let mut emit = |fill: &mut dyn FnMut(&mut Vec<u8>)| {
        packet.clear();
        message(1, &mut packet, |it| fill(it));
        out.write_all(&packet)
    };
    emit(&mut |it| {
        number(10, 1, it);
        message(60, it, |track| {
            number(1, 7, track);
            message(4, track, |thread| {
                number(1, 1, thread);
                number(2, 2, thread);
            });
        });
    })?;
    emit(&mut |it| {
        number(8, 1, it);
        number(10, 1, it);
        number(13, 1, it);
        message(12, it, |interned| {
            for function in 0..FUNCTIONS {
                message(2, interned, |entry| {
                    number(1, u64::from(function) + 1, entry);
                    bytes(2, name(function).as_bytes(), entry);
                });
            }
        });
    })?;
    let mut event = |time: u64, begin: Option<u32>| {
        emit(&mut |it| {
            number(8, 1_000_000_000 + time, it);
            number(10, 1, it);
            number(13, 2, it);
            message(11, it, |event| {
                number(9, if begin.is_some() { 1 } else { 2 }, event);
                number(11, 7, event);
                if let Some(function) = begin {
                    number(10, u64::from(function) + 1, event);
                }
            });
        })
    };
    let (mut open, mut time) = (vec![0_u32], 0);
    for &context in &program.samples {
        time += 400;
        while let Some(&top) = open.last()
            && program.stack(context).all(|around| around != top)
        {
            open.pop();
            event(time, None)?;
            time += 40;
        }
        let top = open.last().copied();
        let new: Vec<u32> = program
            .stack(context)
            .take_while(|&it| Some(it) != top)
            .collect();
        for &context in new.iter().rev() {
            event(time, Some(program.contexts[context as usize].1))?;
            time += 40;
            open.push(context);
        }
    }
    Ok(())
}

/// What a typed parse takes of each JSON format: no more than an importer needs.
mod typed {
    #![expect(dead_code, reason = "parsed as an importer would, and not looked at")]

    use std::borrow::Cow;

    use serde::Deserialize;

    type Text<'a> = Cow<'a, str>;

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct CpuProfile<'a> {
        #[serde(borrow)]
        pub nodes: Vec<Node<'a>>,
        pub samples: Vec<u32>,
        pub time_deltas: Vec<i64>,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct Node<'a> {
        pub id: u32,
        #[serde(borrow)]
        pub call_frame: CallFrame<'a>,
        pub parent: Option<u32>,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct CallFrame<'a> {
        #[serde(borrow)]
        pub function_name: Text<'a>,
        #[serde(borrow)]
        pub url: Text<'a>,
        pub line_number: i64,
    }

    #[derive(Deserialize)]
    pub struct Firefox<'a> {
        #[serde(borrow)]
        pub threads: Vec<Thread<'a>>,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct Thread<'a> {
        #[serde(borrow)]
        pub string_array: Vec<Text<'a>>,
        pub func_table: Functions,
        pub frame_table: Frames,
        pub stack_table: Stacks,
        pub samples: Samples,
    }

    #[derive(Deserialize)]
    pub struct Functions {
        pub name: Vec<u32>,
    }

    #[derive(Deserialize)]
    pub struct Frames {
        pub func: Vec<u32>,
    }

    #[derive(Deserialize)]
    pub struct Stacks {
        pub prefix: Vec<Option<u32>>,
        pub frame: Vec<u32>,
    }

    #[derive(Deserialize)]
    pub struct Samples {
        pub stack: Vec<Option<u32>>,
        pub time: Vec<f64>,
    }

    #[derive(Deserialize)]
    pub struct Jaeger<'a> {
        #[serde(borrow)]
        pub data: Vec<JaegerTrace<'a>>,
    }

    #[derive(Deserialize)]
    pub struct JaegerTrace<'a> {
        #[serde(borrow)]
        pub spans: Vec<JaegerSpan<'a>>,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct JaegerSpan<'a> {
        #[serde(rename = "traceID", borrow)]
        pub trace: Text<'a>,
        #[serde(rename = "spanID", borrow)]
        pub id: Text<'a>,
        #[serde(borrow)]
        pub operation_name: Text<'a>,
        #[serde(borrow)]
        pub references: Vec<Reference<'a>>,
        pub start_time: u64,
        pub duration: u64,
        #[serde(rename = "processID", borrow)]
        pub process: Text<'a>,
    }

    #[derive(Deserialize)]
    pub struct Reference<'a> {
        #[serde(rename = "spanID", borrow)]
        pub id: Text<'a>,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct Request<'a> {
        #[serde(borrow)]
        pub resource_spans: Vec<ResourceSpans<'a>>,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct ResourceSpans<'a> {
        #[serde(borrow)]
        pub scope_spans: Vec<ScopeSpans<'a>>,
    }

    #[derive(Deserialize)]
    pub struct ScopeSpans<'a> {
        #[serde(borrow)]
        pub spans: Vec<Span<'a>>,
    }

    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    pub struct Span<'a> {
        #[serde(borrow)]
        pub trace_id: Text<'a>,
        #[serde(borrow)]
        pub span_id: Text<'a>,
        #[serde(borrow)]
        pub parent_span_id: Text<'a>,
        #[serde(borrow)]
        pub name: Text<'a>,
        #[serde(borrow)]
        pub start_time_unix_nano: Text<'a>,
        #[serde(borrow)]
        pub end_time_unix_nano: Text<'a>,
        #[serde(borrow)]
        pub attributes: Vec<Attribute<'a>>,
    }

    #[derive(Deserialize)]
    pub struct Attribute<'a> {
        #[serde(borrow)]
        pub key: Text<'a>,
    }
}

/// CPU time of this process and of its children that have ended, in user and system mode.
fn cpu_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // Behind the name in parentheses; ticks of a hundredth of a second.
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = fields.split_ascii_whitespace().skip(11).take(4);
    let ticks: u64 = ticks.filter_map(|it| it.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

/// The least CPU time of three runs.
fn least(mut work: impl FnMut()) -> f64 {
    let times = (0..3).map(|_| {
        let before = cpu_time();
        work();
        cpu_time() - before
    });
    times.min().unwrap_or_default().as_secs_f64()
}

/// Where a program is installed.
fn installed(name: &str) -> Option<PathBuf> {
    let peers = std::env::var_os("PEERS").map(|dir| PathBuf::from(dir).join("cargo/bin"));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = peers.into_iter().chain(std::env::split_paths(&path));
    folders.find_map(|folder| Some(folder.join(name)).filter(|it| it.is_file()))
}

fn run(program: &Path, arguments: &[&str], path: &Path) -> f64 {
    least(|| {
        let mut command = Command::new(program);
        command.args(arguments).arg(path);
        let command = command.stdout(Stdio::null()).stderr(Stdio::null());
        assert!(command.status().expect("the peer").success());
    })
}

/// The time of a parse of a JSON format into typed structs, which makes nothing of them; none of other formats.
fn bare_parse(format: &str, path: &Path) -> Option<(String, f64)> {
    let typed = |parse: &dyn Fn(&[u8]) -> usize| {
        let time = least(|| {
            let file = File::open(path).expect("a file");
            // SAFETY: nothing writes to the file meanwhile.
            let map = unsafe { memmap2::Mmap::map(&file) }.expect("a map");
            assert!(parse(&map) > 0);
        });
        Some(("serde_json, typed".to_owned(), time))
    };
    fn parse<'a, T: serde::Deserialize<'a>>(text: &'a [u8]) -> T {
        serde_json::from_slice(text).expect("the file just written")
    }
    match format {
        "cpuprofile" => typed(&|text| parse::<typed::CpuProfile<'_>>(text).samples.len()),
        "firefox" => typed(&|text| {
            parse::<typed::Firefox<'_>>(text).threads[0]
                .samples
                .stack
                .len()
        }),
        "jaeger" => typed(&|text| parse::<typed::Jaeger<'_>>(text).data[0].spans.len()),
        "otlp" => typed(&|text| {
            parse::<typed::Request<'_>>(text).resource_spans[0].scope_spans[0]
                .spans
                .len()
        }),
        // No reader is named: each line is taken apart into method, file and line, and nothing is made of it.
        "hprof" => {
            let time = least(|| {
                let text = std::fs::read_to_string(path).expect("text");
                let frames = text.lines().filter_map(|line| {
                    let (method, place) = line.trim().strip_suffix(')')?.rsplit_once('(')?;
                    let (file, line) = place.rsplit_once(':')?;
                    Some(method.len() + file.len() + line.parse::<usize>().ok()?)
                });
                assert!(frames.sum::<usize>() > 0);
            });
            Some(("its lines taken apart".to_owned(), time))
        }
        _ => None,
    }
}

/// The time of the peer of a format; none where it is not there.
fn peer(format: &str, path: &Path) -> Option<(String, f64)> {
    match format {
        "cpuprofile" | "firefox" | "jaeger" | "hprof" => None,
        "perf-script" => {
            let name = "inferno-collapse-perf";
            let program = installed(name)?;
            Some((name.to_owned(), run(&program, &["--nthreads", "1"], path)))
        }
        "folded" => {
            let name = "inferno-flamegraph";
            let program = installed(name)?;
            Some((name.to_owned(), run(&program, &[], path)))
        }
        _ => {
            let program = installed("callscape-peers")?;
            let reader = match format {
                "callgrind" => "callgrind-parser",
                "jfr" => "jfrs",
                "otlp" | "otlp-protobuf" => "opentelemetry-proto",
                _ => "prost",
            };
            Some((reader.to_owned(), run(&program, &[format], path)))
        }
    }
}

fn measure(format: &str, path: &Path) -> std::io::Result<()> {
    let megabytes = path.metadata()?.len() as f64 / 1e6;
    let mut found = String::new();
    let index = path.with_extension("callscape");
    let time = least(|| {
        // Left by the run before.
        let _ = std::fs::remove_file(&index);
        let recording = import::open(path, &Progress::new()).expect("a sound recording");
        // Both forms of OpenTelemetry are one format.
        let id = format.strip_suffix("-protobuf").unwrap_or(format);
        assert_eq!(recording.format, id);
        found.clear();
        let (calls, samples) = (recording.trace.calls(), recording.samples);
        let _ = write!(
            found,
            "{samples} samples, {calls} calls, {} kinds of repairs",
            recording.warnings.len()
        );
    });
    print!(
        "{format}: {megabytes:.0} MB, {found}: import {time:.2} s, {:.0} MB/s",
        megabytes / time
    );
    for (name, beside) in peer(format, path)
        .into_iter()
        .chain(bare_parse(format, path))
    {
        print!("; {name} {beside:.2} s, {:.2} ×", beside / time);
    }
    println!();
    Ok(())
}

type Writer = fn(&Program, Out<'_>) -> std::io::Result<()>;

const FORMATS: &[(&str, Writer)] = &[
    ("cpuprofile", write_cpuprofile),
    ("firefox", write_firefox),
    ("jaeger", write_jaeger),
    ("otlp", write_otlp),
    ("otlp-protobuf", write_otlp_protobuf),
    ("hprof", write_hprof),
    ("perf-script", write_perf),
    ("pprof", write_pprof),
    ("callgrind", write_callgrind),
    ("folded", write_folded),
    ("perfetto", write_perfetto),
];

fn main() -> std::io::Result<()> {
    // Cargo passes --bench and whatever stands behind --.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let scale = arguments
        .iter()
        .find_map(|it| it.parse::<u64>().ok())
        .unwrap_or(2);
    let wanted = |format: &str| {
        let mut named = FORMATS
            .iter()
            .filter(|it| arguments.contains(&it.0.to_owned()));
        named.next().is_none() || arguments.iter().any(|it| it == format)
    };
    let dir = std::env::temp_dir().join(format!("callscape-formats-{}", std::process::id()));
    std::fs::create_dir_all(&dir)?;
    let program = Program::new(scale * 400_000, &mut Random(7));
    for (format, write) in FORMATS {
        if wanted(format) {
            // No index is kept of it from one run to the next.
            let path = dir.join("recording");
            let mut out = BufWriter::new(File::create(&path)?);
            write(&program, &mut out)?;
            out.flush()?;
            drop(out);
            measure(format, &path)?;
        }
    }
    for path in arguments
        .iter()
        .map(Path::new)
        .filter(|path| path.is_file())
    {
        measure("jfr", path)?;
    }
    std::fs::remove_dir_all(&dir)
}

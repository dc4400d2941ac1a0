//! Recordings of a program in the formats of text and JSON.

use std::fs::File;
use std::io::{BufWriter, Write};

use super::program::{FUNCTIONS, Program, name};
use callscape_testing::random::Random;

pub type Out<'f> = &'f mut BufWriter<File>;

pub fn joined<T: ToString>(values: impl IntoIterator<Item = T>) -> String {
    let mut text = String::new();
    for value in values {
        if !text.is_empty() {
            text.push(',');
        }
        text += &value.to_string();
    }
    text
}

pub fn write_cpuprofile(program: &Program, out: Out<'_>) -> std::io::Result<()> {
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

pub fn write_firefox(program: &Program, out: Out<'_>) -> std::io::Result<()> {
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
pub fn spans(program: &Program) -> impl Iterator<Item = (u64, Option<u64>, u32, u64, u64)> + '_ {
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

pub fn write_jaeger(program: &Program, out: Out<'_>) -> std::io::Result<()> {
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

pub fn write_otlp(program: &Program, out: Out<'_>) -> std::io::Result<()> {
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

/// As the agent writes it, with a trace for each context.
pub fn write_hprof(program: &Program, out: Out<'_>) -> std::io::Result<()> {
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

pub fn write_perf(program: &Program, out: Out<'_>) -> std::io::Result<()> {
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

pub fn write_folded(program: &Program, out: Out<'_>) -> std::io::Result<()> {
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

pub fn write_callgrind(program: &Program, out: Out<'_>) -> std::io::Result<()> {
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

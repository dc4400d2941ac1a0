//! The formats in one table: what writes each, and what can be expected of it. `docs/formats.md` and the help of the window show
//! it.

/// How large a recording may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// Calls are read as they stream by, and put aside in a file.
    Any,
    /// Memory grows with the samples.
    Samples,
    /// Memory grows with the spans, since a parent may come after its children.
    Spans,
    /// Memory grows with the different stacks or functions, not with the size of the file.
    Stacks,
    /// Memory grows with the objects.
    Objects,
}

impl Room {
    /// For people.
    pub fn text(self) -> &'static str {
        match self {
            Room::Any => "any size",
            Room::Samples => "samples fit in memory",
            Room::Spans => "spans fit in memory",
            Room::Stacks => "different stacks fit in memory",
            Room::Objects => "objects fit in memory",
        }
    }
}

/// A format.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// Its identifier in `info`.
    pub id: &'static str,
    /// What writes it.
    pub by: &'static str,
    /// How to make one, in one line.
    pub make: &'static str,
    /// Of calls, samples, waiting, memory, lines, links.
    pub holds: &'static str,
    pub room: Room,
    /// With what its numbers were compared.
    pub compared: &'static str,
}

impl Known {
    /// What such recordings are, the heading of the table that it belongs to.
    pub fn kind(&self) -> &'static str {
        let starts = |word| self.holds.starts_with(word);
        match self.holds.contains("profile") {
            true => "Profiles: sums by stack",
            false if starts("samples") => "Samples: stacks at instants",
            false if starts("memory") => "Memory",
            false => "Traces: every call",
        }
    }

    /// Whether some text of it contains a word, in upper or lower case.
    pub fn has(&self, word: &str) -> bool {
        let word = word.to_lowercase();
        let texts = [self.id, self.by, self.make, self.holds];
        texts.iter().any(|text| text.to_lowercase().contains(&word))
    }
}

const fn row(
    id: &'static str,
    by: &'static str,
    make: &'static str,
    holds: &'static str,
    room: Room,
    compared: &'static str,
) -> Known {
    Known {
        id,
        by,
        make,
        holds,
        room,
        compared,
    }
}

/// If there is no tool to compare with at hand.
const TESTS: &str = "values worked out in tests";

/// All formats: calls, then samples, profiles and memory.
#[rustfmt::skip]
pub static KNOWN: &[Known] = {
    use Room::{Any, Objects, Samples, Spans, Stacks};
    &[
        row("uftrace", "uftrace (C, C++, Rust)", "gcc -pg app.c -o app; uftrace record --srcline ./app", "calls, waiting, memory, lines of definitions", Any, "uftrace report"),
        row("chrome-json", "VizTracer (Python), clang, tracing-chrome (Rust), webpack", "viztracer app.py", "calls, waiting, memory, links", Any, "jq, speedscope"),
        row("chrome-json", "DevTools of Chrome and Edge (JavaScript)", "panel Performance, Save trace", "calls, samples, waiting, memory, lines, links", Any, "a count of its events, Node.js's SourceMap"),
        row("perfetto", "Perfetto, Chrome, Android", "adb shell perfetto -o /data/misc/perfetto-traces/t sched ftrace/print -t 5s", "calls, waiting, links", Any, TESTS),
        row("systrace", "systrace, atrace, trace-cmd", "adb shell atrace -t 5 -b 32768 sched view am > out.txt", "calls, waiting, links", Any, TESTS),
        row("function-graph", "ftrace", "trace-cmd record -p function_graph sleep 1; trace-cmd report > out.txt", "calls", Any, TESTS),
        row("perf-trace", "perf trace", "perf trace -o out.txt ./app", "calls", Any, TESTS),
        row("go-trace", "Go 1.22 and later", "go test -trace out.trace", "calls, samples, waiting, links", Any, "go tool trace"),
        row("measureme", "rustc", "cargo +nightly rustc -- -Zself-profile", "calls", Any, "decodeme"),
        row("git-history", "git", "git clone URL", "commits as calls", Any, "git log --numstat"),
        row("callscape-revision", "callscape, two revisions", "callscape src --rev v1.0..v2.0", "lines and complexity of functions", Stacks, "callscape tree"),
        row("speedscope", "py-spy (Python), rbspy (Ruby), speedscope", "py-spy record -f speedscope -o out.json -- python app.py", "calls or samples, lines", Any, "speedscope"),
        row("otlp", "OpenTelemetry (any language)", "callscape --listen 4318", "calls, links", Spans, TESTS),
        row("jaeger", "Jaeger", "curl 'http://localhost:16686/api/traces?service=shop' > out.json", "calls, links", Spans, "its references"),
        row("zipkin", "Zipkin", "curl 'http://localhost:9411/api/v2/traces' > out.json", "calls, links", Spans, "jq"),
        row("skywalking", "Apache SkyWalking", "the answer of the query queryTrace", "calls, links", Spans, TESTS),
        row("datadog", "Datadog", "Download of a trace as JSON", "calls, links", Spans, TESTS),
        row("xray", "AWS X-Ray", "aws xray batch-get-traces --trace-ids ID > out.json", "calls, links", Spans, TESTS),
        row("perf-data", "perf, simpleperf (C, C++, Rust)", "perf record -g ./app", "samples, lines, links", Samples, "perf script"),
        row("perf-script", "perf script (C, C++, Rust)", "perf record -g ./app; perf script > out.txt", "samples, lines, links", Samples, "perf report, stackcollapse-perf.pl"),
        row("cpuprofile", "Node.js, Chrome (JavaScript)", "node --cpu-prof app.js", "samples, lines", Samples, "speedscope"),
        row("firefox", "samply (C, C++, Rust), Firefox Profiler", "samply record --save-only -o out.json.gz ./app", "samples, waiting, lines", Samples, "profiler-cli"),
        row("xctrace", "Instruments (macOS)", "xctrace export --input app.trace --xpath '//table[@schema=\"time-profile\"]'", "samples", Samples, TESTS),
        row("jfr", "Java, async-profiler", "java -XX:StartFlightRecording=filename=app.jfr App", "samples, waiting, memory, lines", Samples, "jfr print"),
        row("sentry", "Sentry", "a profile as the SDK sends it", "samples", Samples, TESTS),
        row("nettrace", ".NET (C#, F#)", "dotnet-trace collect -- dotnet app.dll", "samples", Samples, TESTS),
        row("dart", "Dart, Flutter", "DevTools, CPU profiler, Export", "samples", Samples, TESTS),
        row("folded", "stackcollapse, py-spy (Python), async-profiler (Java)", "py-spy record -f raw -o out.folded -- python app.py", "profile", Stacks, "its own counts"),
        row("bpf-stacks", "bpftrace, bcc", "bpftrace -e 'profile:hz:99 { @[ustack] = count(); }' > out.txt", "profile", Stacks, TESTS),
        row("macos-sample", "sample, spindump (macOS)", "sample app 5 -file app.sample.txt", "profile", Stacks, TESTS),
        row("instruments-copy", "Instruments (macOS)", "Edit, Deep Copy of a call tree", "profile", Stacks, TESTS),
        row("pprof", "Go, the crate pprof", "go test -cpuprofile out.pb.gz", "profile, lines", Stacks, "go tool pprof, speedscope"),
        row("callgrind", "valgrind (C, C++), Xdebug (PHP)", "valgrind --tool=callgrind ./app", "profile, lines", Stacks, "callgrind_annotate"),
        row("gprof2dot", "memray (Python), gprof2dot", "memray transform gprof2dot app.bin", "profile, memory", Stacks, TESTS),
        row("memray-stats", "memray (Python)", "memray stats --json app.bin", "profile, memory", Stacks, TESTS),
        row("scalene", "scalene (Python)", "scalene run app.py", "profile, memory, lines", Stacks, TESTS),
        row("rbspy", "rbspy (Ruby)", "rbspy record --raw-file app.raw.gz -- ruby app.rb", "profile", Stacks, "rbspy report"),
        row("gprof", "gprof (C, C++)", "gcc -pg app.c -o app; ./app; gprof ./app > out.txt", "profile, calls counted", Stacks, "its own report"),
        row("pstats", "cProfile, profile (Python)", "python -m cProfile -o app.pstats app.py", "profile, calls counted", Stacks, "pstats"),
        row("pyinstrument", "pyinstrument (Python)", "pyinstrument -r json -o app.json app.py", "profile", Stacks, TESTS),
        row("stackprof", "stackprof (Ruby)", "stackprof --json FILE > app.json", "profile", Stacks, TESTS),
        row("austin", "austin (Python)", "austin -b -o app.mojo python app.py", "profile, memory", Stacks, TESTS),
        row("hprof", "Java up to 8", "java -agentlib:hprof=cpu=samples App", "profile, calls counted", Stacks, "its own shares"),
        row("csv", "VTune, nsys, Very Sleepy, Visual Studio, queries", "nsys stats --format csv -o out report.nsys-rep", "profile", Stacks, TESTS),
        row("parquet", "callscape query, DuckDB, Spark", "callscape query functions runs -o out.parquet", "profile", Stacks, "the recordings"),
        row("tables", "callscape export", "callscape export app.json --format parquet -o DIR", "calls or profile, waiting, memory", Any, "the recordings"),
        row("heaptrack", "heaptrack (C, C++, Rust)", "heaptrack ./app", "memory", Objects, "heaptrack_print"),
        row("dhat", "valgrind (C, C++), the crate dhat (Rust)", "valgrind --tool=dhat ./app", "memory at two instants", Stacks, TESTS),
        row("massif", "valgrind (C, C++)", "valgrind --tool=massif ./app", "memory at instants", Stacks, TESTS),
        row("heapprofile", "Node.js (JavaScript)", "node --heap-prof app.js", "memory at the end", Stacks, TESTS),
        row("heapsnapshot", "Node.js, Chrome (JavaScript)", "node --heapsnapshot-signal=SIGUSR2 app.js", "memory at one instant", Objects, TESTS),
    ]
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::FORMATS;
    use std::fmt::Write as _;

    #[test]
    fn the_document_shows_the_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formats.md");
        let document = std::fs::read_to_string(path).expect("the document of formats");
        let mut table =
            "\n| written by | how to make one | holds | how large | compared with |\n".to_owned();
        table += "|---|---|---|---|---|\n";
        for it in KNOWN {
            let room = it.room.text();
            let row = [
                it.by,
                &format!("`{}`", it.make),
                it.holds,
                room,
                it.compared,
            ];
            writeln!(table, "| {} |", row.join(" | ")).expect("text");
        }
        table.push('\n');
        let (begin, end) = ("<!-- from src/import/known.rs -->\n", "<!-- end -->\n");
        let (before, rest) = document.split_once(begin).expect("where the table begins");
        let (found, after) = rest.split_once(end).expect("where the table ends");
        if std::env::var_os("CALLSCAPE_GOLDEN").is_some() {
            std::fs::write(path, [before, begin, &table, end, after].concat()).expect("a file");
            return;
        }
        assert!(
            found == table,
            "docs/formats.md is made by this test with CALLSCAPE_GOLDEN=1"
        );
    }

    #[test]
    fn kinds_stand_together_and_formats_are_found_by_language() {
        let mut kinds: Vec<&str> = KNOWN.iter().map(Known::kind).collect();
        kinds.dedup();
        assert_eq!(kinds.len(), 4, "{kinds:?}");
        for language in ["python", "Ruby", "JAVA", "javascript", "rust", "c#", "PHP"] {
            assert!(KNOWN.iter().any(|it| it.has(language)), "{language}");
        }
        assert!(!KNOWN.iter().any(|it| it.has("no such program")));
    }

    #[test]
    fn every_format_is_in_the_table() {
        for format in FORMATS {
            let of: Vec<_> = KNOWN.iter().filter(|it| it.id == format.id).collect();
            assert!(!of.is_empty(), "{}", format.id);
            for it in of {
                let texts = [it.by, it.make, it.holds, it.compared];
                assert!(
                    texts.iter().all(|it| !it.is_empty() && !it.contains('|')),
                    "{}",
                    it.id
                );
            }
        }
    }
}

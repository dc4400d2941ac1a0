//! Planted defects in small programs that are recorded now, with their clean twins.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

use super::super::common::{Scratch, text};
use super::listed;
use callscape_testing::tools;

/// Whether a command ends well.
fn runs(scratch: &Scratch, command: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(command);
    let command = command.args(arguments).current_dir(&scratch.0);
    let command = command.env("PATH", tools::path()).stdin(Stdio::null());
    let output = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    output.is_ok_and(|it| it.success())
}

/// A C program under uftrace.
pub(super) fn of_c(scratch: &Scratch, name: &str, source: &str) -> Option<PathBuf> {
    if !tools::has("uftrace", "--version") || !tools::has("gcc", "--version") {
        return None;
    }
    scratch.write(&format!("{name}.c"), source.as_bytes());
    let (code, recording) = (format!("{name}.c"), format!("{name}.uftrace"));
    let built = runs(
        scratch,
        "gcc",
        &["-O0", "-g", "-pg", "-pthread", &code, "-o", name],
    );
    let program = format!("./{name}");
    if !built
        || !runs(
            scratch,
            "uftrace",
            &["record", "--no-pager", "-d", &recording, &program],
        )
    {
        eprintln!("left out: {name} cannot be recorded");
        return None;
    }
    Some(scratch.0.join(recording))
}

/// A C program under heaptrack.
pub(super) fn of_heap(scratch: &Scratch, name: &str, source: &str) -> Option<PathBuf> {
    if !tools::has("heaptrack", "--version") || !tools::has("gcc", "--version") {
        return None;
    }
    scratch.write(&format!("{name}.c"), source.as_bytes());
    let (code, program) = (format!("{name}.c"), format!("./{name}"));
    let built = runs(scratch, "gcc", &["-O0", "-g", &code, "-o", name]);
    let recording = scratch.0.join(format!("{name}.heap"));
    if !built || !runs(scratch, "heaptrack", &["-o", text(&recording), &program]) {
        return None;
    }
    ["zst", "gz"]
        .iter()
        .map(|it| scratch.0.join(format!("{name}.heap.{it}")))
        .find(|it| it.exists())
}

/// A Python script under VizTracer.
pub(super) fn of_python(scratch: &Scratch, name: &str, source: &str) -> Option<PathBuf> {
    if !tools::has("viztracer", "--help") {
        return None;
    }
    let (code, recording) = (format!("{name}.py"), format!("{name}.json"));
    scratch.write(&code, source.as_bytes());
    let recorded = runs(scratch, "viztracer", &["-o", &recording, "--quiet", &code]);
    recorded.then(|| scratch.0.join(recording))
}

/// A script under node's sampling profiler.
pub(super) fn of_node(scratch: &Scratch, name: &str, source: &str) -> Option<PathBuf> {
    if !tools::has("node", "--version") {
        return None;
    }
    let (code, recording) = (format!("{name}.js"), format!("{name}.cpuprofile"));
    scratch.write(&code, source.as_bytes());
    let profiled = ["--cpu-prof", "--cpu-prof-name", &recording, &code];
    runs(scratch, "node", &profiled).then(|| scratch.0.join(recording))
}

/// How to record a program of one language.
pub(super) type Record = fn(&Scratch, &str, &str) -> Option<PathBuf>;

/// A defect: its kind, the function in it, and what the program has with it and without it in place of `@`.
struct Planted {
    name: &'static str,
    record: Record,
    kind: &'static str,
    function: &'static str,
    source: &'static str,
    defect: &'static str,
    clean: &'static str,
}

fn names(finding: &Value) -> Vec<&str> {
    let list = |field: &str| finding[field].as_array().expect("names").iter();
    list("functions")
        .chain(list("path"))
        .filter_map(Value::as_str)
        .collect()
}

fn has(found: &[Value], of: &Planted) -> bool {
    let mut found = found.iter().filter(|it| it["kind"] == of.kind);
    found.any(|it| names(it).contains(&of.function))
}

fn listed_of(path: &Path) -> Vec<Value> {
    assert!(path.exists(), "{}", text(path));
    listed(path)
}

#[rustfmt::skip]
const PLANTED: [Planted; 20] = [
    Planted { name: "queries", record: of_python, kind: "repeated", function: "query", defect: "400", clean: "3",
        source: "def query(key):\n    return sum(range(key % 7 + 40))\ndef other(n):\n    return 7 ** n % 11\ndef totals(n):\n    return [query(key) for key in range(n)]\ndef main():\n    totals(@)\n    other(4000)\nmain()\n" },
    Planted { name: "sleeps", record: of_python, kind: "waiting", function: "time.sleep", defect: "0.4", clean: "0.0",
        source: "import time\ndef fetch():\n    time.sleep(@)\ndef work():\n    return 3 ** 2000000 % 7\nfetch()\nwork()\n" },
    Planted { name: "rounds", record: of_python, kind: "recursion", function: "fib", defect: "17", clean: "4",
        source: "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\ndef work():\n    return 3 ** 100000 % 7\nfib(@)\nwork()\n" },
    Planted { name: "strings", record: of_c, kind: "repeated", function: "length", defect: "i < length(text)", clean: "text[i]",
        source: "#include <string.h>\nstatic long n; static char text[2000];\nint length(const char *t) { int k = 0; while (t[k]) k++; return k; }\nvoid count(void) { for (int i = 0; @; i++) n += text[i] == 'a'; }\nvoid fill(void) { for (int r = 0; r < 400; r++) memset(text, 'a' + r % 3, 1999); }\nint main(void) { fill(); count(); n += length(text); return n < 0; }\n" },
    Planted { name: "grows", record: of_c, kind: "growing", function: "append", defect: "used", clean: "1000",
        source: "static volatile char list[400000]; static int used;\nvoid append(int v) { int k = @; for (int i = 0; i < k; i++) list[i + 1] = list[i]; list[0] = v; used += 20; }\nint main(void) { for (int v = 0; v < 1500; v++) append(v); return 0; }\n" },
    Planted { name: "slow", record: of_c, kind: "one-slow", function: "handle", defect: "r == 6 ? 20000000 : 60000", clean: "60000",
        source: "static volatile long n;\nvoid spin(int k) { for (int i = 0; i < k; i++) n += i; }\nvoid handle(int r) { spin(@); }\nint main(void) { for (int r = 0; r < 12; r++) handle(r); return 0; }\n" },
    Planted { name: "turns", record: of_python, kind: "one-at-a-time", function: "worker", defect: "lock", clean: "threading.Lock()",
        source: "import threading, time\nlock = threading.Lock()\ndef fetch():\n    time.sleep(0.01)\ndef worker():\n    for _ in range(6):\n        with @:\n            fetch()\nthreads = [threading.Thread(target=worker) for _ in range(4)]\n[it.start() for it in threads]\n[it.join() for it in threads]\n" },
    Planted { name: "hot", record: of_node, kind: "hot", function: "spin", defect: "6e8", clean: "1e4",
        source: "function spin(n) { let x = 0; for (let i = 0; i < n; i++) x = (x * 31 + i) | 0; return x; }\nfunction other(n) { const a = []; for (let i = 0; i < n; i++) a.push(`${i}`); return a.sort().length; }\nconsole.log(spin(@), other(2e5));\n" },
    Planted { name: "garbage", record: of_node, kind: "collection", function: "(garbage collector)", defect: "kept.push({ i, text: [i, i] })", clean: "kept[0] = i",
        source: "const kept = [];\nfunction make(n) { let x = 0; for (let i = 0; i < n; i++) { @; x = (x * 31 + i) | 0; } return x; }\nlet s = 0; for (let r = 0; r < 8; r++) { kept.length = 0; s += make(6e5); }\nfunction other(n) { let x = 0; for (let i = 0; i < n; i++) x = (x * 7 + i) | 0; return x; }\nconsole.log(s, other(1e8));\n" },
    Planted { name: "imports", record: of_python, kind: "start-up", function: "_find_and_load", defect: "import asyncio, unittest.mock, xml.dom.minidom, email.mime.text, http.server", clean: "pass",
        source: "@\ndef work():\n    return 3 ** 100000 % 7\nwork()\n" },
    Planted { name: "labels", record: of_heap, kind: "memory", function: "label", defect: "label(i)", clean: "i",
        source: "#include <stdlib.h>\n#include <string.h>\nstatic long n;\nlong label(int i) { char *t = malloc(24); t[0] = i; long k = t[0]; free(t); return k; }\nint main(void) { void *kept[4000]; for (int i = 0; i < 4000; i++) kept[i] = malloc(300); for (int i = 0; i < 4000; i++) n += @; for (int i = 0; i < 4000; i++) free(kept[i]); return n < 0; }\n" },
    Planted { name: "keeps", record: of_heap, kind: "memory", function: "enter", defect: "", clean: "if (i >= 8) free(all[i - 8]);",
        source: "#include <stdlib.h>\nstatic char *all[6000]; static long n;\nvoid enter(int i) { all[i] = malloc(200 + i % 16); all[i][0] = i; n += all[i][0]; @ }\nint main(void) { for (int i = 0; i < 6000; i++) enter(i); return n < 0; }\n" },
    Planted { name: "cells", record: of_c, kind: "repeated", function: "cell", defect: "4000", clean: "4",
        source: "static volatile long n;\nvoid cell(int c) { for (int i = 0; i < 3000; i++) n += c; }\nvoid row(void) { for (int c = 0; c < @; c++) cell(c); }\nvoid other(void) { for (int i = 0; i < 9000000; i++) n += i; }\nint main(void) { row(); other(); return 0; }\n" },
    Planted { name: "locks", record: of_c, kind: "waiting", function: "pthread_mutex_lock", defect: "spin(200000000); pthread_mutex_unlock(&lock);", clean: "pthread_mutex_unlock(&lock); spin(200000000);",
        source: "#include <pthread.h>\n#include <unistd.h>\nstatic pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; static volatile long n;\nvoid spin(int k) { for (int i = 0; i < k; i++) n += i; }\nvoid *worker(void *of) { usleep(1000); pthread_mutex_lock(&lock); n++; pthread_mutex_unlock(&lock); return of; }\nint main(void) { pthread_t t; pthread_mutex_lock(&lock); pthread_create(&t, 0, worker, 0); @ pthread_join(t, 0); return 0; }\n" },
    Planted { name: "naps", record: of_c, kind: "waiting", function: "usleep", defect: "200000", clean: "1",
        source: "#include <unistd.h>\nstatic volatile long n;\nvoid answer(void) { usleep(@); }\nvoid spin(void) { for (int i = 0; i < 60000000; i++) n += i; }\nint main(void) { answer(); spin(); return 0; }\n" },
    Planted { name: "deep", record: of_c, kind: "recursion", function: "down", defect: "20000", clean: "20",
        source: "static volatile long n;\nvoid spin(int k) { for (int i = 0; i < k; i++) n += i; }\nvoid down(int k) { spin(20); if (k) down(k - 1); }\nint main(void) { down(@); spin(300000); return 0; }\n" },
    Planted { name: "sweeps", record: of_python, kind: "collection", function: "gc.collect", defect: "gc.collect()", clean: "len(kept)",
        source: "import gc\nkept = [[i] for i in range(200000)]\ndef answer():\n    return @\nfor _ in range(8):\n    answer()\ndef work():\n    return 3 ** 100000 % 7\nwork()\n" },
    Planted { name: "known", record: of_python, kind: "growing", function: "known", defect: "seen", clean: "[x]",
        source: "seen = []\ndef known(x):\n    return sum(map(abs, @)) < 0\nfor x in range(300):\n    known(x)\n    seen.extend(range(300))\n" },
    Planted { name: "requests", record: of_python, kind: "one-slow", function: "handle", defect: "r == 5", clean: "r == 50",
        source: "def render(n):\n    return 3 ** n % 7\ndef handle(r):\n    return render(5000000 if @ else 300000)\nfor r in range(12):\n    handle(r)\n" },
    Planted { name: "busy", record: of_c, kind: "hot", function: "digest", defect: "90000000", clean: "9000",
        source: "static volatile long n;\nvoid digest(void) { for (int i = 0; i < @; i++) n = n * 31 + i; }\nvoid other(int k) { for (int i = 0; i < k; i++) n += i; }\nint main(void) { for (int i = 0; i < 30; i++) other(300000 + i * 1000); digest(); return 0; }\n" },
];

/// Number of recordings of a program, if other programs disturb the first.
pub(super) const ATTEMPTS: usize = 3;

#[test]
fn planted_defects_are_found_and_their_clean_twins_have_none() {
    let scratch = &Scratch::new("findings-recorded");
    for of in &PLANTED {
        let recordings = |twin: &'static str, with: &'static str| {
            (0..ATTEMPTS).map_while(move |it| {
                let name = format!("{}_{twin}{it}", of.name);
                (of.record)(scratch, &name, &of.source.replace('@', with))
            })
        };
        let mut planted = recordings("planted", of.defect).peekable();
        if planted.peek().is_none() {
            eprintln!("left out: {} was not recorded", of.name);
            continue;
        }
        assert!(
            planted.any(|it| has(&listed_of(&it), of)),
            "{}: not found",
            of.name
        );
        let mut clean = recordings("clean", of.clean);
        assert!(
            clean.any(|it| !has(&listed_of(&it), of)),
            "{} without its defect: found",
            of.name
        );
    }
}

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
fn of_c(scratch: &Scratch, name: &str, source: &str) -> Option<PathBuf> {
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

/// A Python script under VizTracer.
fn of_python(scratch: &Scratch, name: &str, source: &str) -> Option<PathBuf> {
    if !tools::has("viztracer", "--help") {
        return None;
    }
    let (code, recording) = (format!("{name}.py"), format!("{name}.json"));
    scratch.write(&code, source.as_bytes());
    let recorded = runs(scratch, "viztracer", &["-o", &recording, "--quiet", &code]);
    recorded.then(|| scratch.0.join(recording))
}

/// A script under node's sampling profiler.
fn of_node(scratch: &Scratch, name: &str, source: &str) -> Option<PathBuf> {
    if !tools::has("node", "--version") {
        return None;
    }
    let (code, recording) = (format!("{name}.js"), format!("{name}.cpuprofile"));
    scratch.write(&code, source.as_bytes());
    let profiled = ["--cpu-prof", "--cpu-prof-name", &recording, &code];
    runs(scratch, "node", &profiled).then(|| scratch.0.join(recording))
}

/// How to record a program of one language.
type Record = fn(&Scratch, &str, &str) -> Option<PathBuf>;

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
const PLANTED: [Planted; 9] = [
    Planted { name: "queries", record: of_python, kind: "repeated", function: "query", defect: "400", clean: "3",
        source: "def query(key):\n    return sum(range(key % 7 + 40))\ndef other(n):\n    return len(str(7 ** n))\ndef totals(n):\n    return [query(key) for key in range(n)]\ndef main():\n    totals(@)\n    other(4000)\nmain()\n" },
    Planted { name: "sleeps", record: of_python, kind: "waiting", function: "time.sleep", defect: "0.1", clean: "0.0",
        source: "import time\ndef fetch():\n    time.sleep(@)\ndef work():\n    return len(str(7 ** 20000))\nfetch()\nwork()\n" },
    Planted { name: "rounds", record: of_python, kind: "recursion", function: "fib", defect: "17", clean: "4",
        source: "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\ndef work():\n    return len(str(7 ** 9000))\nfib(@)\nwork()\n" },
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
];

#[test]
fn planted_defects_are_found_and_their_clean_twins_have_none() {
    let scratch = Scratch::new("findings-recorded");
    for of in &PLANTED {
        let record = |twin: &str, with: &str| {
            let name = format!("{}_{twin}", of.name);
            (of.record)(&scratch, &name, &of.source.replace('@', with))
        };
        let (Some(planted), Some(clean)) =
            (record("planted", of.defect), record("clean", of.clean))
        else {
            eprintln!("left out: {} was not recorded", of.name);
            continue;
        };
        let found = listed_of(&planted);
        assert!(has(&found, of), "{}: {found:#?}", of.name);
        let found = listed_of(&clean);
        assert!(
            !has(&found, of),
            "{} without its defect: {found:#?}",
            of.name
        );
    }
}

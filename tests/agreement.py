#!/usr/bin/env python3
"""Compares Callscape's numbers with those of the tools that wrote or read the same files, and writes docs/agreement.md.

usage: agreement.py PROGRAM [-o FILE]

Recordings are those in tests/data, the public samples in the folder that CALLSCAPE_TEST_DATA names, and new recordings of
small programs where the recorder is installed. A tool that is missing here is listed as not compared. Needs only Python's
standard library. Exit code 1 if a figure differs by more than its row allows."""
import collections, gzip, json, os, pathlib, re, shutil, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
OWN = ROOT / "tests/data/import"
DATA = pathlib.Path(os.environ["CALLSCAPE_TEST_DATA"]) if os.environ.get("CALLSCAPE_TEST_DATA") else None
PUBLIC = {
    "flamegraph-samples": "https://github.com/brendangregg/FlameGraph, test",
    "speedscope-samples": "https://github.com/jlfwong/speedscope, sample/profiles",
    "jaeger": "https://github.com/jaegertracing/jaeger-ui and jaeger, test fixtures",
    "firefox": "https://github.com/mstange/samply, a recording of ours",
}


class Absent(Exception):
    """Why something cannot be compared here."""


def output(*command, **options):
    if not shutil.which(str(command[0])):
        raise Absent(f"{pathlib.Path(command[0]).name} is not installed")
    done = subprocess.run([*map(str, command)], capture_output=True, text=True, errors="replace", timeout=300, **options)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise Absent(f"{command[0]} failed: {last[:80]}")
    return done.stdout


def callscape(*arguments):
    return json.loads(output(PROGRAM, *arguments, "--json"))


def functions(path, *options):
    """Rows of `callscape functions`, added up by name: other tools do not know modules."""
    found = callscape("functions", path, *options)
    sums = collections.defaultdict(lambda: collections.Counter())
    for row in found["functions"] if isinstance(found, dict) else found:
        for field, value in row.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                sums[row["name"]][field] += value
    return sums


def public(name):
    if DATA is None or not (DATA / name).exists():
        raise Absent("the public samples are not here")
    return DATA / name


def opened(path):
    data = pathlib.Path(path).read_bytes()
    return (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode(errors="replace")


COMPARISONS = []


def comparison(form, recording, tool, what, allowed=0.0):
    """Registers a function that returns two tables: what the tool says, and what Callscape says, by name."""
    def add(function):
        COMPARISONS.append((form, recording, tool, what, allowed, function))
        return function
    return add


# uftrace: times are printed with three digits after the point of their unit, so they agree to that.
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "m": 60e9}


def uftrace_report(folder):
    kept = folder.with_suffix(".report.txt")  # of recordings whose symbol files were cut down afterwards
    text = kept.read_text() if kept.exists() else output(
        "uftrace", "report", "-d", folder, "-f", "total,self,call", "--no-pager")
    rows = {}
    for line in text.splitlines():
        found = re.match(r"\s*([\d.]+) +(\w+) +([\d.]+) +(\w+) +(\d+) +(.*)", line)
        if found and not found[6].startswith(("linux:", "<")):  # "<5596772e72ec>" has no symbol
            rows[found[6]] = (float(found[1]) * UNITS[found[2]], float(found[3]) * UNITS[found[4]], int(found[5]))
    return rows


def uftrace(name, folder):
    for index, what in enumerate(("total time", "self time without waiting", "calls")):
        @comparison("uftrace", name, "uftrace report", what, 0.0 if index == 2 else 0.001)
        def _(index=index):
            ours = functions(folder())
            value = (lambda it: it["total_ns"], lambda it: it["self_ns"] - it["self_waiting_ns"], lambda it: it["calls"])[index]
            return {k: v[index] for k, v in uftrace_report(folder()).items()}, {k: value(v) for k, v in ours.items()}


for name in ("lists", "lost", "threads"):
    uftrace(f"tests/data/import/{name}.uftrace", lambda name=name: OWN / f"{name}.uftrace")


@comparison("uftrace", "a new recording of tests/data/import/tasks.c", "uftrace report", "calls")
def _():
    folder = SCRATCH / "tasks.uftrace"
    output("gcc", "-g", "-pg", "-O1", "-fno-inline", OWN / "tasks.c", "-o", SCRATCH / "tasks", "-lpthread")
    output("uftrace", "record", "-d", folder, SCRATCH / "tasks", cwd=SCRATCH)
    return {k: v[2] for k, v in uftrace_report(folder).items()}, {k: v["calls"] for k, v in functions(folder).items()}


# perf: shares of samples by function.
SLEEPER = """import time
def busy(n):
    total = 0
    for i in range(n):
        total += i * i
    return total
for _ in range(10):
    busy(150_000)
    time.sleep(0.05)
"""


def shares(rows):
    whole = sum(rows.values()) or 1
    return {name: value / whole for name, value in rows.items()}


@comparison("perf script", "a new recording of a Python program that sleeps", "perf report", "share of self time, above 1 %", 0.005)
def _():
    data, text = SCRATCH / "perf.data", SCRATCH / "perf.txt"
    (SCRATCH / "sleeper.py").write_text(SLEEPER)
    output("perf", "record", "-q", "-e", "cpu-clock", "-F", "999", "-g", "-o", data, sys.executable, SCRATCH / "sleeper.py")
    text.write_text(output("perf", "script", "-i", data))
    theirs = {}
    for line in output("perf", "report", "-i", data, "--stdio", "--no-children", "-g", "none", "-s", "sym",
                       "-F", "sample,sym").splitlines():
        found = re.match(r"\s*(\d+)\s+\[[k.]\] (.*?)\s*$", line)
        if found:
            theirs[found[2]] = theirs.get(found[2], 0) + int(found[1])
    ours = shares({k: v["self_ns"] for k, v in functions(text).items()})
    return {k: v for k, v in shares(theirs).items() if v > 0.01 and not k.startswith("0x")}, ours


for name, options in (("perf-java-stacks-01", ()), ("perf-dd-stacks-01", ()), ("perf-js-stacks-01", ()),
                      ("perf-rust-Yamakaky-dcpu", ("--value", "cycles:u"))):
    @comparison("perf script", f"FlameGraph: {name}", "stackcollapse-perf.pl", "share by top function, above 1 %", 0.0001)
    def _(name=name, options=options):
        folder = public("flamegraph-samples")
        theirs = collections.Counter()
        for line in (folder / f"results/{name}-collapsed-all.txt").read_text().splitlines():
            stack, count = line.rsplit(" ", 1)
            theirs[simple(re.sub(r"_\[\w\]$", "", stack.split(";")[-1]))] += int(count)
        # The peer prints a sample at the empty line after it, so it loses a last one without.
        text = (folder / f"{name}.txt").read_text(errors="replace")
        whole = SCRATCH / f"{name}.txt"
        whole.write_text(text[:text.rindex("\n\n") + 2])
        ours = collections.Counter()
        for full, row in functions(whole, *options).items():
            ours[simple(full)] += row["self_ns"]
        return {k: v for k, v in shares(theirs).items() if v > 0.01 and not k.startswith("[")}, shares(ours)


def simple(name):
    """A name as both ways to write it have it: classes of Java by their last part, no parameters, no hash."""
    name = re.sub(r"::h[0-9a-f]{16}$", "", name.split("(")[0]).strip().lstrip("L")
    return re.split(r"[/.:;]+", name.rstrip(";:"))[-1]


# callgrind: instructions, as callgrind_annotate adds them up.
def annotated(path, *options):
    rows = collections.Counter()
    for line in output("callgrind_annotate", "--threshold=100", "--auto=no", *options, path).splitlines():
        found = re.match(r"\s*([\d,]+) \([ \d.]+%\)\s+(?:\S*?):(\S.*?)(?: \[.*\])?$", line)
        if found:
            rows[re.sub(r"'\d+$", "", found[2])] += int(found[1].replace(",", ""))
    return rows


def callgrind(name, path):
    @comparison("callgrind", name, "callgrind_annotate", "instructions of each function itself")
    def _():
        return annotated(path()), {k: v["self_ns"] for k, v in functions(path()).items()}


callgrind("tests/data/import/callgrind/fib.callgrind.out", lambda: OWN / "callgrind/fib.callgrind.out")
callgrind("tests/data/import/callgrind/lines.callgrind.out", lambda: OWN / "callgrind/lines.callgrind.out")
callgrind("speedscope: callgrind.example.log", lambda: public("speedscope-samples") / "callgrind/callgrind.example.log")


# Memory.
@comparison("heaptrack", "tests/data/import/heaptrack/python-start.heaptrack.zst", "heaptrack_print", "allocations, peak, leaked", 0.0001)
def _():
    path = OWN / "heaptrack/python-start.heaptrack.zst"
    text = output("heaptrack_print", "-f", path)
    theirs = {"allocations": float(re.search(r"calls to allocation functions: (\d+)", text)[1])}
    for key, label in (("peak", "peak heap memory consumption"), ("leaked", "total memory leaked")):
        found = re.search(label + r": ([\d.]+)([KMG]?)B?", text)
        theirs[key] = float(found[1]) * {"": 1, "K": 1e3, "M": 1e6, "G": 1e9}[found[2]]
    info = callscape("info", path)
    values = {value["name"]: value["total"] for value in info["values"]}
    return theirs, {"allocations": values["allocations"], "peak": info["memory"]["peak_bytes"], "leaked": values["live"]}


# Java Flight Recorder: samples by the function on top, as the JDK's own tool prints them.
def jfr(name, path):
    @comparison("Java Flight Recorder", name, "jfr print", "samples by top function, as a share, above 1 %", 0.005)
    def _():
        plain = SCRATCH / "recording.jfr"
        data = path().read_bytes()
        plain.write_bytes(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
        theirs = collections.Counter()
        for event in json.loads(output("jfr", "print", "--json", "--events", "jdk.ExecutionSample", plain))["recording"]["events"]:
            frames = (event["values"].get("stackTrace") or {}).get("frames") or []
            if frames:
                theirs[frames[0]["method"]["name"]] += 1
        ours = collections.Counter()
        for full, row in functions(path()).items():
            ours[re.split(r"\.|::", full.split("(")[0])[-1]] += row["self_ns"]
        return {k: v for k, v in shares(theirs).items() if v > 0.01}, shares(ours)


jfr("tests/data/import/jfr/spin.jfr.gz", lambda: OWN / "jfr/spin.jfr.gz")
jfr("speedscope: heavy.jfr", lambda: public("speedscope-samples") / "java-flight-recorder/heavy.jfr")


# Counted from the file, by a few lines that share nothing with Callscape.
@comparison("V8 CPU profile", "tests/data/import/cpuprofile/words.cpuprofile", "the file's time deltas", "share of self time, above 1 %", 0.01)
def _():
    path = OWN / "cpuprofile/words.cpuprofile"
    profile = json.loads(opened(path))
    names = {node["id"]: node["callFrame"]["functionName"] or "(anonymous)" for node in profile["nodes"]}
    deltas = profile["timeDeltas"][1:] + [0]
    theirs = collections.Counter()
    for sample, delta in zip(profile["samples"], deltas):
        theirs[names[sample]] += delta
    ours = collections.Counter({k: v["self_ns"] for k, v in functions(path).items()})
    return {k: v for k, v in shares(theirs).items() if v > 0.01 and k in ours}, shares(ours)


@comparison("folded stacks", "tests/data/import/folded/markdown-render.folded.gz", "the file's counts", "samples by top function")
def _():
    path = OWN / "folded/markdown-render.folded.gz"
    theirs = collections.Counter()
    for line in opened(path).splitlines():
        stack, count = line.rsplit(" ", 1)
        theirs[stack.split(";")[-1]] += int(count)
    return theirs, {k: v["self_ns"] for k, v in functions(path).items()}


@comparison("pprof", "tests/data/import/pprof/markdown-render.pb.gz", "folded stacks of the same recording", "samples by top function")
def _():
    theirs, ours = collections.Counter(), collections.Counter()
    for line in opened(OWN / "folded/markdown-render.folded.gz").splitlines():
        stack, count = line.rsplit(" ", 1)
        theirs[stack.split(";")[-1]] += int(count)
    for name, row in functions(OWN / "pprof/markdown-render.pb.gz", "--value", "samples").items():
        ours[name] += row["self_ns"]
    return theirs, ours


def jq(path, program):
    """Counts that jq takes of a document."""
    return {name: value for name, value in json.loads(output("jq", "-c", program, path))}


# Complete events and begins are calls; what they last is their cost.
for name in "tinyxml2.ftime-trace.json", "toml-threads.viztracer.json", "syn-spans.tracing-chrome.json":
    @comparison("Chrome Trace Event JSON", f"tests/data/import/{name}", "jq", "calls by name")
    def _(path=OWN / name):
        theirs = jq(path, 'if type == "array" then . else .traceEvents end | map(select(.ph == "X" or .ph == "B") | .name)'
                          ' | group_by(.) | map([.[0], length])')
        ours = collections.Counter()
        for name, row in functions(path).items():
            ours[name] += row["calls"]
        # Of VizTracer's names file and line are taken off.
        summed = collections.Counter()
        for name, count in theirs.items():
            summed[re.sub(r" \(.*:\d+\)$", "", name)] += count
        return summed, ours


@comparison("Zipkin", "tests/data/import/zipkin/shop.json", "jq", "spans with a time, those with a parent in the file")
def _():
    path = OWN / "zipkin/shop.json"
    theirs = jq(path, 'flatten | map(select(.timestamp)) | map(.id) as $ids | [["spans", length],'
                      ' ["children", (map(select(.parentId as $p | any($ids[]; . == $p))) | length)]]')
    graph = callscape("graph", path)
    return theirs, {"spans": callscape("info", path)["calls"], "children": sum(r["calls"] for r in graph["relations"])}


@comparison("speedscope", "tests/data/import/speedscope/evented.speedscope.json", "jq", "openings by frame")
def _():
    path = OWN / "speedscope/evented.speedscope.json"
    theirs = jq(path, '.shared.frames as $f | [.profiles[].events[]? | select(.type == "O") | $f[.frame].name]'
                      ' | group_by(.) | map([.[0], length])')
    return theirs, {name: row["calls"] for name, row in functions(path).items()}


@comparison("pprof", "tests/data/import/pprof/markdown-render.pb.gz", "go tool pprof", "samples by top function")
def _():
    path = OWN / "pprof/markdown-render.pb.gz"
    text = output("go", "tool", "pprof", "-top", "-nodecount=100000", "-nodefraction=0", "-sample_index=samples", path)
    theirs = collections.Counter()
    for line in text.splitlines():
        row = re.match(r"\s*(\d+)\s+[\d.]+%\s+[\d.]+%\s+\d+\s+[\d.]+%\s+(.*?)(?: \(inline\))?$", line)
        if row:
            theirs[row[2]] += int(row[1])
    ours = functions(path, "--value", "samples").items()
    return theirs, {name: row["self_ns"] for name, row in ours}


@comparison("Jaeger", "jaeger-ui: testTrace.json", "the file's references", "spans, spans with a parent in the file")
def _():
    path = public("jaeger") / "ui-testTrace.json"
    document = json.loads(opened(path))
    data = document["data"]
    spans = [span for trace in (data if isinstance(data, list) else [data]) for span in trace["spans"]]
    ids = {span["spanID"] for span in spans}
    child = [s for s in spans if any(r.get("spanID") in ids for r in s.get("references") or [])]
    child += [s for s in spans if s not in child and s.get("parentSpanID") in ids]
    graph = callscape("graph", path)
    return ({"spans": len(spans), "children": len(child)},
            {"spans": callscape("info", path)["calls"], "children": sum(r["calls"] for r in graph["relations"])})


# The importers of speedscope and of Firefox Profiler, out of their packages on npm.
SPEEDSCOPE = "speedscope@1.25.0"
FIREFOX = "@firefox-devtools/profiler-cli@0.10.0"


def package(name):
    folder = SCRATCH / "node_modules" / name.rsplit("@", 1)[0]
    if not folder.exists():
        output("npm", "install", "--no-audit", "--no-fund", "--prefix", SCRATCH, name)
    return folder


@comparison("Firefox Profiler", "lua-queens11.samply.symbolicated.json", FIREFOX, "samples of its busiest thread by top function")
def _():
    path = public("firefox") / "lua-queens11.samply.symbolicated.json.gz"
    cli = package(FIREFOX) / "dist/profiler-cli.js"
    options = {"env": {**os.environ, "HOME": str(SCRATCH)}}
    # It answers from a process of its own, which is slow to start at times.
    for attempt in range(3):
        try:
            output("node", cli, "load", path, **options)
            break
        except Absent:
            if attempt == 2:
                raise
    try:
        found = json.loads(output("node", cli, "thread", "functions", "--json", "--include-idle", "--limit", "0", **options))
    finally:
        output("node", cli, "stop", "--all", **options)
    theirs, ours = collections.Counter(), functions(path, "--value", "samples")
    for row in found["functions"]:
        theirs[row["name"]] += row["selfSamples"]
    return {k: v for k, v in theirs.items() if not k.startswith("0x")}, {k: v["self_ns"] for k, v in ours.items()}


def speedscope(path):
    sums = collections.Counter()
    for name, own, _ in json.loads(output("node", ROOT / "tests/speedscope.mjs", package(SPEEDSCOPE), path)):
        sums[plain(name)] += own
    return sums


def plain(name):
    """A function without what speedscope adds to a name, its module and line."""
    return re.sub(r" \(.*\)$", "", re.sub(r"^\((?:anonymous) .*\)$|^anonymous.*", "(anonymous)", name))


for form, name in (
        ("V8 CPU profile", "cpuprofile/words.cpuprofile"),
        ("pprof", "pprof/markdown-render.pb.gz"),
        ("folded stacks", "folded/markdown-render.folded.gz"),
        ("speedscope", "speedscope/evented.speedscope.json"),
        ("Chrome Trace Event JSON", "toml-threads.viztracer.json")):
    @comparison(form, f"tests/data/import/{name}", SPEEDSCOPE, "share of self weight, above 1 %", 0.01)
    def _(path=OWN / name):
        ours = collections.Counter()
        for name, row in functions(path).items():
            ours[plain(name)] += row["self_ns"]
        return {k: v for k, v in shares(speedscope(path)).items() if v > 0.01 and not k.startswith("0x")}, shares(ours)


def compare(theirs, ours):
    """The largest difference, relative, or absolute for shares, and of which name."""
    worst, name = 0.0, ""
    for key, value in theirs.items():
        other = ours.get(key, 0)
        is_share = isinstance(value, float) and value <= 1
        difference = abs(other - value) / (1 if is_share else max(abs(value), 1e-12))
        if difference > worst:
            worst, name = difference, key
    return worst, name


def main():
    rows, failed, absent = [], 0, []
    for form, recording, tool, what, allowed, function in COMPARISONS:
        try:
            theirs, ours = function()
            if not theirs:
                raise Absent(f"{tool} names nothing")
        except Absent as reason:
            absent.append((form, recording, tool, what, str(reason)))
            continue
        worst, name = compare(theirs, ours)
        wrong = worst > allowed
        failed += wrong
        rows.append((form, recording, tool, what, len(theirs), "none" if worst == 0 else f"{100 * worst:.2g} %"))
        print(f"{'differs' if wrong else 'agrees '} {form}: {recording}: {what}: {rows[-1][5]}"
              + (f" ({name}: {theirs[name]}, here {ours.get(name, 0)})" if wrong else ""))
    for form, recording, tool, what, reason in absent:
        print(f"left out {form}: {recording}: {tool}: {reason}")
    if "-o" in sys.argv:
        write(pathlib.Path(sys.argv[sys.argv.index("-o") + 1]), rows, absent)
    print(f"{len(rows)} compared, {failed} differ by more than allowed, {len(absent)} left out")
    return 1 if failed else 0


HEAD = """# Agreement with other tools

`./x agreement` compares Callscape's numbers with those of the tools that wrote or read the same recordings, and makes this
page. A difference is the largest of any function in the row: relative for times, calls and bytes, in percentage points for
shares. Tools that print rounded numbers agree to their rounding.

| format | recording | compared with | quantity | values | largest difference |
|---|---|---|---|---:|---:|
"""


def write(path, rows, absent):
    text = HEAD + "".join("| " + " | ".join(map(str, row)) + " |\n" for row in rows)
    text += "\nPublic recordings come from " + "; ".join(PUBLIC.values()) + ".\n"
    if absent:
        text += "\nNot compared when this page was made:\n\n" + "".join(
            f"- {form}, {recording}, with {tool}: {reason}\n" for form, recording, tool, _, reason in absent)
    path.write_text(text)


if __name__ == "__main__":
    PROGRAM = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        SCRATCH = pathlib.Path(scratch)
        sys.exit(main())

#!/usr/bin/env python3
"""Holds running counts, increments and call stacks at random times against an evaluation of the recording itself.

    benches/peers/running.py target/release/callscape RECORDING.json[.gz] [MOMENTS [SEED]]

The recording is in the Trace Event format with complete events or begins and ends, such as VizTracer, `uftrace dump
--chrome` and clang write. It is read here by nothing but Python's own JSON, and what was called by whom is found by
keeping stacks. At random times, from the last to the first and again from the first to the last, so that moments come
backward and forward, `callscape graph --at T --since S --json` and `callscape stack --at T --json` are asked for the
same: how often every function has called every other by then, how often since, the time that these calls have taken,
and which calls are open. Prints what was compared; any difference is a failure.
"""

import gzip
import json
import random
import subprocess
import sys
from collections import Counter, defaultdict
from fractions import Fraction
from pathlib import Path


def events_of(path):
    data = path.read_bytes()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    # Times as they are written: as binary fractions they would be rounded twice.
    document = json.loads(data, parse_float=Fraction)
    return document["traceEvents"] if isinstance(document, dict) else document


def calls_of(events):
    """By thread the calls in order of start, the outer of two first: (start, end, name), in nanoseconds."""
    spans, open_calls, first = defaultdict(list), defaultdict(list), None
    for place, event in enumerate(events):
        kind = event.get("ph")
        if kind not in ("X", "B", "E"):
            continue
        begin = Fraction(event["ts"]) * 1000
        thread = (event.get("pid"), event.get("tid"))
        if kind == "E":
            stack = open_calls[thread]
            names = [name for _, name, _ in stack]
            name = event.get("name", names[-1] if names else None)
            if name in names:
                at = len(names) - 1 - names[::-1].index(name)
                begun, name, order = stack.pop(at)
                spans[thread].append((begun, begin, name, order))
            continue
        first = begin if first is None else min(first, begin)
        if kind == "B":
            open_calls[thread].append((begin, event["name"], place))
        else:
            end = begin + Fraction(event.get("dur", 0)) * 1000
            spans[thread].append((begin, end, event["name"], place))
    assert not any(open_calls.values()), "calls without an end: another recording is needed"
    calls = {}
    for thread, of in spans.items():
        of = [(round(a - first), round(b - first), name, order) for a, b, name, order in of]
        calls[thread] = sorted(of, key=lambda it: (it[0], -it[1], it[3]))
    return calls


def plain(name):
    """As people know the function: without the file and line that VizTracer writes behind it."""
    if name.endswith(")") and " (" in name:
        head, _, tail = name[:-1].rpartition(" (")
        place, _, line = tail.rpartition(":")
        if place and line.isdigit():
            return head
    return name


def evaluate(calls, at, since):
    counts, steps, costs, stacks = Counter(), Counter(), Counter(), Counter()
    for of_thread in calls.values():
        stack = []
        for start, end, name, _ in of_thread:
            if start > at:
                break
            while stack and stack[-1][1] <= start and stack[-1][:2] != (start, end):
                stack.pop()
            if stack:
                pair = (stack[-1][2], name)
                counts[pair] += 1
                steps[pair] += start > since
                costs[pair] += min(end, at) - start
            stack.append((start, end, name))
        frames = [(name, start, end) for start, end, name in stack if start <= at < end]
        if frames:
            stacks[tuple(frames)] += 1
    return counts, steps, costs, stacks


def main():
    program, recording = sys.argv[1], Path(sys.argv[2])
    moments, seed = (int(it) for it in (sys.argv[3:] + ["20", "1"][len(sys.argv) - 3 :])[:2])
    calls = {
        thread: [(a, b, plain(name), order) for a, b, name, order in of]
        for thread, of in calls_of(events_of(recording)).items()
    }
    last = max(end for of in calls.values() for _, end, _, _ in of)
    chance = random.Random(seed)
    times = sorted(chance.randrange(last + 1) for _ in range(moments))
    wrong = relations = frames = 0

    def ask(*question):
        found = subprocess.run(
            [program, question[0], recording, *question[1:], "--json"],
            check=True,
            capture_output=True,
        )
        return json.loads(found.stdout)

    for at in times[::-1] + times:
        since = max(at - chance.randrange(last // 20 + 1), 0)
        counts, steps, costs, stacks = evaluate(calls, at, since)
        found = Counter(), Counter(), Counter()
        for of in ask("graph", "--at", str(at), "--since", str(since))["relations"]:
            pair = (of["from"], of["to"])
            for sum_of, value in zip(found, (of["calls"], of["step_calls"], of["cost_ns"])):
                sum_of[pair] += value
        for what, expected, ours in zip(("calls", "step", "cost"), (counts, steps, costs), found):
            for pair in expected.keys() | ours.keys():
                relations += what == "calls"
                if expected[pair] != ours[pair]:
                    wrong += 1
                    print(f"at {at}, since {since}, {what} of {pair}: {ours[pair]}, not {expected[pair]}")
        shown = Counter(
            tuple((it["name"], it["start_ns"], it["end_ns"]) for it in of["frames"])
            for of in ask("stack", "--at", str(at))
            if of["frames"]
        )
        frames += sum(map(len, stacks.elements()))
        if shown != stacks:
            wrong += 1
            innermost = [sorted((len(it), *it[-1]) for it in of) for of in (shown, stacks)]
            print(f"at {at}: stacks of {innermost[0]}, not {innermost[1]}")
    total = sum(map(len, calls.values()))
    print(
        f"{recording.name}: {total} calls, {2 * moments} moments, {relations} relations and {frames} frames compared,"
        f" {wrong} wrong"
    )
    sys.exit(wrong > 0)


main()

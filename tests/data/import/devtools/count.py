#!/usr/bin/env python3
"""usage: count.py RECORDING.json.gz - what a recording of DevTools holds, counted event by event: tasks, samples, and the own
time of each JavaScript function, by which the test compares."""
import collections, gzip, json, sys

events = json.load(gzip.open(sys.argv[1]))
events = events["traceEvents"] if isinstance(events, dict) else events
tasks = [e.get("dur", 0) for e in events if e["ph"] == "X" and e["name"] == "RunTask"]
print("tasks", len(tasks), "µs", sum(tasks), "over 50 ms", sum(it > 50000 for it in tasks))
for name in ("Layout", "MinorGC", "MajorGC", "Screenshot", "EventDispatch"):
    print(name, sum(e["name"] == name and e["ph"] in "XBO" for e in events))
profiles = {}
for e in events:
    if e["name"] == "Profile":
        profiles[e["pid"], e["id"]] = (e["args"]["data"]["startTime"], {}, [], [])
for e in events:
    if e["name"] == "ProfileChunk":
        start, nodes, samples, deltas = profiles[e["pid"], e["id"]]
        data = e["args"]["data"]
        nodes.update((n["id"], n["callFrame"]) for n in data["cpuProfile"].get("nodes", []))
        samples += data["cpuProfile"].get("samples", [])
        deltas += data.get("timeDeltas", [])
for start, nodes, samples, deltas in profiles.values():
    now, times = start, []
    for delta in deltas:
        now += delta
        times.append(now)
    own = collections.Counter()
    order = sorted(range(len(times)), key=lambda at: times[at])
    for at, then in zip(order, order[1:]):
        frame = nodes[samples[at]]
        own[frame["functionName"] or "(anonymous)", frame.get("lineNumber", -1) + 1] += times[then] - times[at]
    print("samples", len(samples))
    for name, time in own.most_common(12):
        print(time, *name)

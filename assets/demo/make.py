#!/usr/bin/env python3
"""Makes the recording of the built-in demo from a uftrace data directory.

usage: make.py UFTRACE_DIR > recording.json      (then: zstd -19 --ultra recording.json)

Writes Chrome Trace Event JSON with one complete event a call and its function's file and line, which
`uftrace dump --chrome` leaves out. Needs uftrace 0.13 and nothing else.
"""
import glob
import json
import os
import subprocess
import sys

folder = sys.argv[1]
locations, ambiguous = {}, set()
for path in sorted(glob.glob(os.path.join(folder, "*.dbg"))):
    name = None
    for line in open(path):
        if line.startswith("F: "):
            name = line.split(maxsplit=2)[2].strip()
        elif line.startswith("L: ") and name:
            number, file = line[3:].strip().split(" ", 1)
            if name in locations and locations[name] != (file, int(number)):
                ambiguous.add(name)
            locations.setdefault(name, (os.path.basename(file), int(number)))

dump = subprocess.run(["uftrace", "dump", "--chrome", "-d", folder], capture_output=True, check=True)
events = json.loads(dump.stdout)["traceEvents"]
open_calls, calls, origin = [], [], None
for event in events:
    if event["ph"] not in "BE":
        continue
    ns = round(event["ts"] * 1000)
    origin = ns if origin is None else origin
    if event["ph"] == "B":
        open_calls.append(len(calls))
        calls.append([event["name"], ns - origin, 0])
    elif open_calls and calls[open_calls[-1]][0] == event["name"]:
        calls[open_calls.pop()][2] = ns - origin
    # Else the end of a scheduler event, which uftrace 0.13 writes without its begin.
end = max(call[2] for call in calls)
for call in open_calls:
    calls[call][2] = end

print('{"traceEvents":[')
print('{"ph":"M","pid":1,"tid":1,"name":"process_name","args":{"name":"lua"}},')
print('{"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"main"}}', end="")
for name, start, stop in calls:
    def micros(ns):
        return f"{ns // 1000}.{ns % 1000:03}"
    place = ""
    if name in locations and name not in ambiguous:
        file, line = locations[name]
        place = f',"args":{{"file":"{file}","line":{line}}}'
    print(f',\n{{"ph":"X","pid":1,"tid":1,"name":{json.dumps(name)},"ts":{micros(start)},'
          f'"dur":{micros(stop - start)}{place}}}', end="")
print("\n]}")
print(f"{len(calls)} calls, ambiguous names: {sorted(ambiguous)}", file=sys.stderr)

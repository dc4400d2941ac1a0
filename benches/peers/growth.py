#!/usr/bin/env python3
"""Says what importing costs as recordings grow: processor time a call and memory, to 4 GB and beyond.

    benches/peers/growth.py target/release/callscape FOLDER [GIGABYTES…]

Traces in the Trace Event format of a made program are written to FOLDER, which needs room for the largest of them and its
index (a tenth of it), once with begin and end events and once with complete events in order of end, four threads; 0.5, 1,
2 and 4 GB of each unless sizes are given. Each is read by `callscape index` three times, after a first time that is not
counted, so that it lies in memory where that is large enough. Printed are the least user and system time a call, its ratio
to that of the smallest, and the most memory that was the process's own (anonymous and shared, without mapped files),
looked at a hundred times a second. Everything is removed at the end.
"""

import os
import random
import resource
import subprocess
import sys
import threading
import time
from pathlib import Path

THREADS = 4
FUNCTIONS = 5000


def write(path, size, complete, seed=1):
    """A trace of about `size` bytes; how many calls it has."""
    rand = random.Random(seed)
    names = [f"module{f % 37}::function_{f}" for f in range(FUNCTIONS)]
    # A stretch of the program is written many times, each later than the one before.
    stretch, open_calls, now = [], [[] for _ in range(THREADS)], 0
    while len(stretch) < 200_000 or any(open_calls):
        now += rand.randrange(20, 900)
        thread = rand.randrange(THREADS)
        stack = open_calls[thread]
        if len(stretch) < 200_000 and len(stack) < 50 and (not stack or rand.random() < 0.5):
            caller = stack[-1][0] if stack else 0
            stack.append(((caller * 31 + rand.randrange(1, 12)) % FUNCTIONS, now))
            if not complete:
                stretch.append(("B", stack[-1][0], now, 0, thread))
        elif stack:
            function, begun = stack.pop()
            stretch.append(("X" if complete else "E", function, begun if complete else now, now - begun, thread))
    calls = sum(1 for event in stretch if event[0] != "E")
    written = total = base = 0
    with open(path, "w", buffering=1 << 20) as out:
        out.write("[")
        while written < size:
            lines = []
            for phase, function, at, cost, thread in stretch:
                at += base
                dur = f',"dur":{cost // 1000}.{cost % 1000:03}' if phase == "X" else ""
                lines.append(
                    f'{{"ph":"{phase}","pid":1,"tid":{thread + 1},"ts":{at // 1000}.{at % 1000:03}{dur},"name":"{names[function]}"}}'
                )
            text = ("" if total == 0 else ",\n") + ",\n".join(lines)
            out.write(text)
            written += len(text)
            total += calls
            base += now + 1000
        out.write("]\n")
    return total


def own_memory(pid, done, most):
    """The most kilobytes of a process that are backed by no file."""
    while not done.is_set():
        try:
            status = Path(f"/proc/{pid}/status").read_text()
        except OSError:
            return
        own = sum(int(line.split()[1]) for line in status.splitlines() if line.startswith(("RssAnon", "RssShmem")))
        most[0] = max(most[0], own)
        time.sleep(0.01)


def index(program, path, out):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen([program, "index", path, "-o", out], stderr=subprocess.DEVNULL)
    done, most = threading.Event(), [0]
    watch = threading.Thread(target=own_memory, args=(process.pid, done, most))
    watch.start()
    status = process.wait()
    done.set()
    watch.join()
    assert status == 0, f"callscape index {path} failed"
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime, most[0]


def main():
    program, folder = sys.argv[1], Path(sys.argv[2])
    sizes = [float(size) for size in sys.argv[3:]] or [0.5, 1, 2, 4]
    rounds = int(os.environ.get("ROUNDS", "3"))
    for complete in (False, True):
        first = None
        for size in sizes:
            path, out = folder / "growth.json", folder / "growth.callscape"
            try:
                calls = write(path, size * 1e9, complete)
                index(program, path, out)
                runs = [index(program, path, out) for _ in range(rounds)]
                user = min(run[0] for run in runs) * 1e9 / calls
                both = min(run[0] + run[1] for run in runs) * 1e9 / calls
                first = first or (user, both)
                print(
                    f"{'complete events' if complete else 'begin and end'}, {path.stat().st_size / 1e9:.2f} GB, "
                    f"{calls / 1e6:.1f} million calls: user {user:.0f} ns a call ({user / first[0]:.2f} ×), user and system "
                    f"{both:.0f} ns ({both / first[1]:.2f} ×), {max(run[2] for run in runs) / 1024:.0f} MB of its own, "
                    f"index {out.stat().st_size / 1e6:.0f} MB",
                    flush=True,
                )
            finally:
                path.unlink(missing_ok=True)
                out.unlink(missing_ok=True)


if __name__ == "__main__":
    main()

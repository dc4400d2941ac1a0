#!/usr/bin/env python3
"""Holds the pixels of the temporal overview against coverage computed from the calls alone.

    benches/peers/mural.py target/release/callscape RECORDING [--from TIME --to TIME]

The calls come from `callscape export --format chrome-json`, which is read here by nothing but Python's own JSON; the
picture from `callscape render --view mural`. Of every function and pixel column it is computed for how long a call of it
is open on a thread and for how long one is on top of the stack, and from these the colour that the pixel has to have
(docs/views.md: darker the larger the share of a column in which a function is on top, lighter where it is on a stack). Rows
stand in order of the first call. Recordings of one process only: threads are told apart by their id. Prints how many
pixels were compared and how far they are off; more than 2 of 255 anywhere is a failure.
"""

import json
import struct
import subprocess
import sys
import tempfile
import zlib
from collections import Counter, defaultdict
from math import ceil
from pathlib import Path

# No wider: a larger picture has larger letters, and another layout.
WIDTH, ON_STACK = 1080, 0.32


def png(path):
    """Rows of (r, g, b) of a PNG of 8 bits without palette."""
    data = path.read_bytes()
    at, body = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        chunk = data[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, color = struct.unpack(">IIBB", chunk[:10])
            assert depth == 8 and color in (2, 6), "another kind of PNG"
        elif kind == b"IDAT":
            body += chunk
        at += 12 + size
    channels = 3 if color == 2 else 4
    raw, stride = zlib.decompress(body), width * channels
    rows, before = [], bytearray(stride)
    for y in range(height):
        kind = raw[y * (stride + 1)]
        line = bytearray(raw[y * (stride + 1) + 1 : (y + 1) * (stride + 1)])
        for i in range(stride):
            a = line[i - channels] if i >= channels else 0
            b = before[i]
            c = before[i - channels] if i >= channels else 0
            if kind == 1:
                line[i] = (line[i] + a) & 255
            elif kind == 2:
                line[i] = (line[i] + b) & 255
            elif kind == 3:
                line[i] = (line[i] + (a + b) // 2) & 255
            elif kind == 4:
                p = a + b - c
                pa, pb, pc = abs(p - a), abs(p - b), abs(p - c)
                best = a if pa <= pb and pa <= pc else b if pb <= pc else c
                line[i] = (line[i] + best) & 255
        rows.append([tuple(line[i : i + 3]) for i in range(0, stride, channels)])
        before = line
    return rows


def linear(value):
    value /= 255
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def encoded(value):
    value = value * 12.92 if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055
    return round(value * 255)


def calls_of(path):
    """By thread the calls in order of start: function, start, end in nanoseconds."""
    events = json.loads(path.read_text())["traceEvents"]
    stacks, calls, last = defaultdict(list), defaultdict(list), 0
    for event in events:
        if event["ph"] not in "BE":
            continue
        thread = (event["pid"], event["tid"])
        ns = round(event["ts"] * 1000)
        last = max(last, ns)
        if event["ph"] == "B":
            args = event.get("args", {})
            function = (event["name"], args.get("file"), args.get("line"))
            calls[thread].append([function, ns, None])
            stacks[thread].append(calls[thread][-1])
        else:
            stacks[thread].pop()[2] = ns
    for thread, stack in stacks.items():
        assert not stack, "calls without an end"
    return calls, last


def main():
    program, recording = sys.argv[1:3]
    part = sys.argv[3:]
    folder = Path(tempfile.mkdtemp())
    whole = folder / "whole.json"
    subprocess.run(
        [program, "export", recording, "--format", "chrome-json", "-o", whole], check=True
    )
    calls, duration = calls_of(whole)
    start, end = 0, duration
    if part:
        start, end = (int(part[part.index(it) + 1]) for it in ("--from", "--to"))
    first = {}
    for thread, of_thread in calls.items():
        for place, (function, begin, _) in enumerate(of_thread):
            key = (begin, list(calls).index(thread), place)
            first[function] = min(first.get(function, key), key)
    order = {function: row for row, function in enumerate(sorted(first, key=first.get))}
    # High enough for every row to have pixels of its own.
    height = max(800, 3 * len(order) + 200)
    picture = folder / "mural.png"
    subprocess.run(
        [program, "render", recording, "-o", picture, "--view", "mural", "--at", str(start)]
        + ["--size", f"{WIDTH}x{height}", *part],
        check=True,
    )
    rows = png(picture)
    # As the view is laid out: names, a line of colours, the plot; curves above, axis and legend below.
    left = 188
    high = height - 20 - 18
    top = round(min(max(high * 0.17, 28), 72))
    columns = WIDTH - left
    edges = [start + (end - start) * k // columns for k in range(columns + 1)]

    def column(t):
        k = min(max((t - start) * columns // (end - start), 0), columns - 1)
        while k + 1 < columns and edges[k + 1] <= t:
            k += 1
        while edges[k] > t:
            k -= 1
        return k

    cells = defaultdict(lambda: [0, 0])

    def add(row, begin, stop, which):
        begin, stop = max(begin, start), min(stop, end)
        if begin >= stop:
            return
        k = column(begin)
        while begin < stop:
            until = min(stop, edges[k + 1])
            cells[row, k][which] += until - begin
            begin, k = until, k + 1

    for of_thread in calls.values():
        stack = []

        def leave(t):
            while stack and stack[-1][1] <= t:
                row, stop, since, is_outer, begin = stack.pop()
                add(row, since, stop, 1)
                if is_outer:
                    add(row, begin, stop, 0)
                if stack:
                    stack[-1][2] = stop

        for function, begin, stop in of_thread:
            leave(begin)
            row = order[function]
            if stack:
                add(stack[-1][0], stack[-1][2], begin, 1)
            if stop > begin:
                is_outer = all(it[0] != row for it in stack)
                stack.append([row, stop, begin, is_outer, begin])
        leave(float("inf"))

    paper = Counter(it for row in rows[top:high] for it in row[left:]).most_common(1)[0][0]
    by_column = defaultdict(list)
    compared, filled, worst, off = 0, 0, 0, 0
    for row in range(len(order)):
        y = int(top + (row + 0.5) * (high - top) / len(order))
        color = rows[y][left - 3]
        for k in range(columns):
            stacked, own = cells.get((row, k), (0, 0))
            length = edges[k + 1] - edges[k]
            # Of several threads together, all of the column at most.
            alpha = ON_STACK * min(stacked / length, 1) ** 0.5
            alpha += (1 - ON_STACK) * min(own / length, 1) ** 0.5
            alpha = ceil(alpha * 255 - 1e-6) / 255
            expected = tuple(
                encoded(linear(a) + (linear(b) - linear(a)) * alpha) for a, b in zip(paper, color)
            )
            found = rows[y][left + k]
            difference = max(abs(a - b) for a, b in zip(found, expected))
            by_column[k].append((stacked == 0, difference))
    # A line of the grid or of the time crosses all rows: where no empty cell is plain, nothing can be said.
    for differences in by_column.values():
        if not any(is_empty and it == 0 for is_empty, it in differences):
            continue
        compared += len(differences)
        filled += sum(not is_empty for is_empty, _ in differences)
        off += sum(it > 2 for _, it in differences)
        worst = max(worst, *(it for _, it in differences))
    print(
        f"{compared} pixels of {len(order)} rows and {len(by_column)} columns, {filled} of them filled:"
        f" {off} off by more than 2 of 255, at most by {worst}"
    )
    sys.exit(off > 0)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Mean absolute difference of consecutive frames of a film, and the frames that stand out: jumps and flicker.

usage: jumps.py FILM [FPS]   (needs ffmpeg in the search path)
A frame is told when it differs from the one before far more than its neighbours do from theirs.
"""
import statistics
import subprocess
import sys

WIDTH, HEIGHT = 320, 180
film = sys.argv[1]
fps = float(sys.argv[2]) if len(sys.argv) > 2 else 30.0
pipe = subprocess.Popen(
    ["ffmpeg", "-loglevel", "error", "-i", film, "-vf", f"scale={WIDTH}:{HEIGHT}:flags=area", "-f", "rawvideo",
     "-pix_fmt", "gray", "-"], stdout=subprocess.PIPE)
size, before, differences = WIDTH * HEIGHT, None, [0.0]
try:
    import numpy
    def difference(a, b):
        a, b = (numpy.frombuffer(it, numpy.uint8).astype(numpy.int16) for it in (a, b))
        return float(numpy.abs(a - b).mean())
except ImportError:
    def difference(a, b):
        return sum(abs(x - y) for x, y in zip(a, b)) / len(a)
while len(frame := pipe.stdout.read(size)) == size:
    if before is not None:
        differences.append(difference(before, frame))
    before = frame
print(f"{len(differences)} frames, mean difference {statistics.mean(differences):.2f} of 255")
for at, own in enumerate(differences):
    around = differences[max(1, at - 4):at] + differences[at + 1:at + 5]
    usual = statistics.median(around) if around else 0.0
    if own > 1.0 and own > 3.0 * usual + 0.5:
        print(f"frame {at:5}  {at / fps:7.2f} s  differs by {own:5.2f}, those around by {usual:.2f}")

#!/usr/bin/env python3
"""How long it takes from the key for the next shot of a talk to the end of its first frame, on a virtual display.

usage: present.py PROGRAM SCENE [ROUNDS]   (needs Xvfb, openbox and xdotool)
The program writes for each frame what it shows to the file that CALLSCAPE_STATE names; `key_ms` there is the time from
when the key was heard to when the frame was handed to the display, which on a software renderer waits until it is drawn. Processor time of all threads says more on a busy machine; it counts
what was still drawn before the key too.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

program, scene = sys.argv[1], sys.argv[2]
rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
folder = tempfile.mkdtemp(prefix="callscape-present-")
log = os.path.join(folder, "state")
children = []


def start(*command, **options):
    child = subprocess.Popen(command, **options)
    children.append(child)
    return child


def lines():
    try:
        with open(log, encoding="utf-8") as file:
            return [json.loads(line) for line in file.read().split("\n")[:-1]]
    except FileNotFoundError:
        return []


def wait(is_there, seconds=120):
    end = time.time() + seconds
    while time.time() < end:
        states = lines()
        if states and is_there(states[-1]):
            return states[-1]
        time.sleep(0.1)
    raise SystemExit(f"waited in vain; the last state was {lines()[-1:]}")


try:
    server = start("Xvfb", "-displayfd", "1", "-screen", "0", "1280x720x24", stdout=subprocess.PIPE,
                   stderr=subprocess.DEVNULL)
    display = ":" + server.stdout.readline().decode().strip()
    env = dict(os.environ, DISPLAY=display, XDG_CONFIG_HOME=folder, CALLSCAPE_STATE=log)
    env.pop("WAYLAND_DISPLAY", None)
    start("openbox", "--startup", f"touch {folder}/up", env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not os.path.exists(f"{folder}/up"):
        time.sleep(0.1)
    start(program, "present", scene, env=env)

    def key(name):
        subprocess.run(["xdotool", "key", name], env=env, check=True)

    first = wait(lambda state: state["talk"]["shot"] == 1 and not state["moving"])
    window = subprocess.run(["xdotool", "search", "--onlyvisible", "--class", "callscape"], env=env,
                            capture_output=True, text=True, check=True).stdout.split()
    subprocess.run(["xdotool", "windowactivate", window[-1]], env=env, check=True)
    time.sleep(1)
    taken, processor = {}, {}
    for _ in range(rounds):
        key("Home")
        wait(lambda state: state["talk"]["shot"] == 1 and not state["moving"])
        time.sleep(1)
        for shot in range(2, first["talk"]["shots"] + 1):
            before = len(lines())
            key("Right")
            wait(lambda state, shot=shot: state["talk"]["shot"] >= shot and not state["moving"])
            states = lines()
            keyed = [at for at, state in enumerate(states) if at >= before and state["talk"]["key_ms"] is not None]
            for at in keyed[:1]:
                taken.setdefault(shot, []).append(states[at]["talk"]["key_ms"])
                processor.setdefault(shot, []).append(states[at]["processor_ms"] - states[at - 1]["processor_ms"])
            # Until nothing is drawn any more.
            time.sleep(1.5)
    for shot, times in taken.items():
        print(f"shot {shot:3}  {min(times):6.0f} ms at best, {statistics.median(times):6.0f} ms, {max(times):6.0f} ms at worst, "
              f"{statistics.median(processor[shot]):6.0f} ms of all processors")
    print(f"the slowest of the medians: {max(map(statistics.median, taken.values())):.0f} ms (must 100)")
finally:
    for child in reversed(children):
        child.terminate()

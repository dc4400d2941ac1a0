#!/usr/bin/env python3
"""usage: cut.py TRACE.json.gz OUT.json - the main thread of one renderer of a recording of DevTools, as the panel Performance
saves it: events of the timeline and samples, without what they say of the page."""
import gzip, json, sys

events = json.load(gzip.open(sys.argv[1]))
main = next((e["pid"], e["tid"]) for e in events if e["name"] == "Profile")


def is_kept(event):
    if event["pid"] != main[0]:
        return False
    if event["name"] in ("Profile", "ProfileChunk"):
        return True
    of_thread = event["tid"] == main[1]
    return event["name"] == "thread_name" and of_thread or "devtools.timeline" in event["cat"] and of_thread


kept = [event for event in events if is_kept(event)]
kept += [event for event in events if event["name"] == "Screenshot"][:2]
for event in kept:
    if event["name"] == "Screenshot":
        event["args"]["snapshot"] = event["args"]["snapshot"][:16]
    elif event["name"] in ("EventDispatch", "UpdateCounters", "ProfileChunk", "Profile", "thread_name"):
        continue
    else:
        event["args"] = {}
text = json.dumps({"metadata": {"source": "DevTools"}, "traceEvents": kept}, separators=(",", ":"))
open(sys.argv[2], "w").write(text.replace("},{\"", "},\n{\""))

# Records every call of a running Python with VizTracer, until this is told to end. VizTracer's own command needs itself
# to be installed in that process, and tells nobody what went wrong there. Callscape writes this beside the recording.
import json
import os
import signal
import sys
import time

_, pid, output, entries, files = sys.argv
folder = os.path.dirname(os.path.abspath(__file__))
answer = os.path.join(folder, "answer")

import viztracer
from viztracer.attach_process.add_code_to_python_process import run_python_code

PACKAGES = os.path.dirname(os.path.dirname(os.path.abspath(viztracer.__file__)))
OPTIONS = {
    "output_file": output, "tracer_entries": int(entries), "verbose": 0, "pid_suffix": False, "file_info": False,
    "register_global": True, "dump_raw": False, **json.loads(files),
}
# A name of its own for all that it needs: the code runs among the names of the program's main module.
START = f"""
def _callscape():
    import atexit, base64, json, sys
    try:
        sys.path.append({PACKAGES!r})
        try:
            import viztracer.attach as attach
        finally:
            sys.path.remove({PACKAGES!r})
        if attach.get_tracer() is not None:
            raise RuntimeError("it is recorded by VizTracer already")
        options = json.dumps({OPTIONS!r}).encode()
        atexit.register(attach.stop_attach)
        sys.modules["_callscape_stop"] = lambda: (atexit.unregister(attach.stop_attach), attach.stop_attach())
        attach.start_attach(base64.urlsafe_b64encode(options).decode())
        said = "{{}}.{{}}".format(*sys.version_info)
    except BaseException as error:
        said = "{{}}: {{}}".format(type(error).__name__, error)
    with open({answer!r}, "w", encoding="utf-8") as file:
        file.write(said)
_callscape()
del _callscape
"""
STOP = """
import sys
sys.modules.pop("_callscape_stop")()
"""


def inject(code):
    """Has the process run a piece of code; what the debugger said of it."""
    path = os.path.join(folder, "injected.py")
    with open(path, "w", encoding="utf-8") as file:
        file.write(code)
    # What the debugger is told of passes a shell, and gdb: no quotes.
    of = path.encode().hex()
    return run_python_code(int(pid), f"exec(open(bytes.fromhex(\\\"{of}\\\")).read())")[2].decode(errors="replace")


stops = []
for number in (signal.SIGINT, signal.SIGTERM):
    signal.signal(number, lambda number, _: stops.append(number))
said = inject(START)
if not os.path.exists(answer):
    sys.exit(f"gdb could not make the process run code: {said.strip()[-500:]}")
with open(answer, encoding="utf-8") as file:
    said = file.read()
if not said[:1].isdigit():
    sys.exit(f"the process did not start VizTracer of Python {sys.version_info[0]}.{sys.version_info[1]}: {said}")
while not stops and os.path.exists(f"/proc/{pid}"):
    time.sleep(0.05)
if os.path.exists(f"/proc/{pid}"):
    inject(STOP)

# Runs what a command line of Python runs, as Python does, while VizTracer records its calls. What the program is told never
# passes the parser of VizTracer, which would take some of it for its own. Callscape writes this beside the recording.
import io
import json
import os
import pkgutil
import sys
import types

_, output, entries, kind, skips, files, what, *arguments = sys.argv
folder = os.path.dirname(os.path.abspath(__file__))

# As Python was asked to run this file it has put its folder first; none where it is not to.
is_safe = sys.flags.isolated or getattr(sys.flags, "safe_path", False)
if not is_safe:
    del sys.path[0]

import tempfile

from viztracer.main import VizUI

# What it writes meanwhile goes with the recording.
tempfile.tempdir = folder
ui = VizUI()
tempfile.tempdir = None
options = ["viztracer", "--quiet", "--tracer_entries", entries, "--output_file", output]
for option, value in json.loads(files).items():
    options += ["--" + option, *(value if isinstance(value, list) else [str(value)])]
is_ready, why = ui.parse(options)
if not is_ready:
    sys.exit(why)

main = types.ModuleType("__main__")
main.__dict__["__builtins__"] = __builtins__
# The same module by its other name, for what is sent to other processes.
own = sys.modules["__main__"]
sys.modules["__main__"] = sys.modules["__mp_main__"] = main


def first_on_path(entry):
    if not is_safe:
        sys.path.insert(0, entry)


def read(path):
    opened = getattr(io, "open_code", lambda path: open(path, "rb"))
    try:
        with opened(path) as file:
            code = pkgutil.read_code(file)
            file.seek(0)
            source = file.read()
    except OSError as error:
        print(f"{sys.executable}: can't open file {path!r}: [Errno {error.errno}] {error.strerror}", file=sys.stderr)
        sys.exit(2)
    if code is not None:
        return code
    if skips == "skips":
        source = b"\n" + source.partition(b"\n")[2]
    return compile(source, path, "exec", dont_inherit=True)


def as_module(name, is_named):
    import runpy

    # What `python -m` itself does.
    return "run(name, is_named)", {"run": runpy._run_module_as_main, "name": name, "is_named": is_named}


def prepare():
    names = {"file": what, "module": "-m", "code": "-c", "named input": "-", "input": ""}
    sys.argv = [names[kind]] + arguments
    if kind == "module":
        first_on_path(os.getcwd())
        return as_module(what, True)
    if kind == "file" and pkgutil.get_importer(what) is not None:
        # A folder or an archive: also where nothing else is put first.
        sys.path.insert(0, os.path.abspath(what))
        return as_module("__main__", False)
    if kind == "file":
        first_on_path(os.path.dirname(os.path.realpath(what)))
        main.__file__ = os.path.abspath(what)
        main.__cached__ = None
        return read(main.__file__), main.__dict__
    first_on_path("")
    if kind == "code":
        return compile(what, "<string>", "exec", dont_inherit=True), main.__dict__
    return compile(sys.stdin.buffer.read(), "<stdin>", "exec", dont_inherit=True), main.__dict__


if hasattr(sys, "orig_argv"):
    begin = {"module": ["-m", what], "code": ["-c", what], "file": [what], "named input": ["-"], "input": []}
    sys.orig_argv = sys.orig_argv[: -len(sys.argv)] + begin[kind] + arguments
ui.run_code(*prepare())

"""Records every call of a Python program as Chrome Trace Event JSON: record.py OUT.json PROGRAM."""
import json, os, sys, time
out, program = sys.argv[1:3]
events, stack, base = [], [], os.path.dirname(os.path.abspath(program))
# Of the processor, for other programs take time too.
clock = time.thread_time_ns
def seen(frame, event, arg):
    now = clock()
    if event == 'call':
        stack.append((frame.f_code, now))
    elif event == 'return' and stack:
        code, start = stack.pop()
        name = code.co_qualname if hasattr(code, 'co_qualname') else code.co_name
        file = code.co_filename
        if not file.startswith('<'):
            file = os.path.relpath(file, base)
        events.append({'ph': 'X', 'pid': 1, 'tid': 1, 'ts': (start - begin) / 1000, 'dur': (now - start) / 1000,
                       'name': f'{name} ({file}:{code.co_firstlineno})'})
sys.path.insert(0, base); sys.argv = [program]
code = compile(open(program).read(), program, 'exec')
begin = clock()
sys.setprofile(seen)
exec(code, {'__name__': '__main__'})
sys.setprofile(None)
json.dump({'traceEvents': events, 'viztracer_metadata': {'version': '1.0'}}, open(out, 'w'), separators=(',', ':'))

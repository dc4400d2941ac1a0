"""Seeded faults: how often the change that breaks a program is among the first three that `callscape faults` names.

    python3 benches/peers/faults.py CALLSCAPE [TRIALS [running]]

Needs git, and a Python with `viztracer` and `markdown-it-py` installed. Each trial takes the sources of markdown-it-py, makes
one fault in a function that runs (an operator, a constant, a condition is exchanged), and in nine other functions of the package,
whether they run or not, a change that leaves what they do as it is. A fault counts only if the program then prints something
else, or fails. With `running` the nine are functions that run, which leaves nothing to filter. Then the run is recorded and the fault looked for, with a recording of the good run and without one. Prints the
rank of each and sums up.
"""

import ast
import functools
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile

import markdown_it

PROGRAM = '''
import sys
sys.path.insert(0, sys.argv[1])
from markdown_it import MarkdownIt
text = open(sys.argv[2]).read()
md = MarkdownIt("commonmark", {"html": True, "linkify": False, "typographer": True}).enable(
    ["table", "strikethrough", "replacements", "smartquotes"])
print(md.render(text))
'''

TEXT = '''
# A heading with *emphasis*, **strong** and `code`

A paragraph with a [link](http://example.org "title"), an ![image](a.png) and <http://auto.link>.
Entities &amp; &copy; and "quotes" -- with (c) and ... typography. ~~Gone~~. A hard  
break and a backslash \\\\* escape.

> A quote
> > nested, with a list:
> 1. one
> 2. two

- item
  - nested item

    with a paragraph
- [ref]

[ref]: /reference 'Reference'

```python
def f(x):
    return x
```

    indented code

| a | b |
|---|:-:|
| 1 | 2 |

Setext
------

***

<div>html <b>inline</b></div>
'''

DECOYS = 9


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=20, **more)


def git(tree, *args):
    names = ["-c", "user.name=someone", "-c", "user.email=someone@example.org", "-c", "commit.gpgsign=false"]
    done = run(["git", "-C", str(tree), *names, *args])
    if done.returncode != 0:
        raise RuntimeError(done.stderr)


def record(tree, work, name):
    out = work / f"{name}.json"
    command = [sys.executable, "-m", "viztracer", "--quiet", "--ignore_frozen", "--ignore_c_function", "--tracer_entries",
               "2000000", "-o", str(out), str(work / "program.py"), str(tree), str(work / "text.md")]
    done = run(command, env={**os.environ, "PYTHONHASHSEED": "0", "PYTHONDONTWRITEBYTECODE": "1"})
    return out, done.stdout, done.returncode


def executed(recording, tree):
    """(file, line) of the functions of the package that ran."""
    ran = set()
    for event in json.loads(recording.read_text())["traceEvents"]:
        name = event.get("name", "")
        if event.get("ph") == "X" and str(tree) in name:
            place = name[name.rindex("(") + 1:-1]
            file, line = place.rsplit(":", 1)
            ran.add((str(pathlib.Path(file).relative_to(tree)), int(line)))
    return ran


def functions(tree, ran):
    """The functions: file, node, and whether it ran."""
    found = []
    for path in sorted(tree.rglob("*.py")):
        file = str(path.relative_to(tree))
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef):
                first = min([node.lineno] + [it.lineno for it in node.decorator_list])
                found.append((file, node, bool({(file, node.lineno), (file, first)} & ran)))
    return found


def own(node):
    """The nodes of a function without those of functions in it."""
    open_nodes = list(ast.iter_child_nodes(node))
    while open_nodes:
        inner = open_nodes.pop()
        if isinstance(inner, (ast.FunctionDef, ast.Lambda, ast.ClassDef)):
            continue
        yield inner
        open_nodes.extend(ast.iter_child_nodes(inner))


def segment(text, node):
    """The text of a node in one line; None of any other. `ast.get_source_segment` cuts the whole text for each."""
    if node.lineno != node.end_lineno:
        return None
    line = lines_of(text)[node.lineno - 1].encode()
    return line[node.col_offset:node.end_col_offset].decode()


@functools.lru_cache
def lines_of(text):
    return text.split("\n")


OPERATORS = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==", ast.In: "not in",
             ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is"}


def mutations(node, text):
    """Replacements that change what a function does."""
    def source(of):
        return segment(text, of)

    changes = []
    for inner in own(node):
        if isinstance(inner, ast.Compare) and len(inner.ops) == 1:
            operator = OPERATORS.get(type(inner.ops[0]))
            if operator:
                changes.append((inner, f"{source(inner.left)} {operator} {source(inner.comparators[0])}"))
        elif isinstance(inner, ast.BinOp) and isinstance(inner.op, (ast.Add, ast.Sub)):
            sign = "-" if isinstance(inner.op, ast.Add) else "+"
            changes.append((inner, f"{source(inner.left)} {sign} {source(inner.right)}"))
        elif isinstance(inner, ast.BoolOp) and len(inner.values) == 2:
            sign = "or" if isinstance(inner.op, ast.And) else "and"
            changes.append((inner, f"{source(inner.values[0])} {sign} {source(inner.values[1])}"))
        elif isinstance(inner, ast.Constant) and type(inner.value) is int:
            changes.append((inner, str(inner.value + 1)))
        elif isinstance(inner, ast.Constant) and type(inner.value) is bool:
            changes.append((inner, str(not inner.value)))
        elif isinstance(inner, ast.If):
            changes.append((inner.test, f"not ({source(inner.test)})"))
    return [(at, new) for at, new in changes if at.lineno == at.end_lineno and source(at) and source(at) != new]


def harmless(node, text):
    """Replacements that leave what a function does as it is."""
    changes = []
    for inner in own(node):
        statement = segment(text, inner) or "" if hasattr(inner, "lineno") else ""
        if isinstance(inner, ast.If) and inner.test.lineno == inner.test.end_lineno:
            changes.append((inner.test, f"not not ({segment(text, inner.test)})"))
        elif isinstance(inner, ast.Return) and inner.value is not None and inner.lineno == inner.end_lineno:
            value = segment(text, inner.value)
            changes.append((inner, f"result_ = {value}; return result_"))
        elif isinstance(inner, ast.Assign) and len(inner.targets) == 1 and inner.lineno == inner.end_lineno:
            changes.append((inner, f"done_ = True; {statement}"))
    changes = [[change] for change in changes]
    changes.extend(renamed(node))
    return changes


def renamed(node):
    """One local variable under another name."""
    names = [it for it in ast.walk(node) if isinstance(it, ast.Name)]
    stored = {it.id for it in names if isinstance(it.ctx, ast.Store)}
    outer = {name for it in ast.walk(node) if isinstance(it, (ast.Global, ast.Nonlocal)) for name in it.names}
    arguments = {it.arg for it in ast.walk(node) if isinstance(it, ast.arg)}
    has_inner = any(isinstance(it, (ast.FunctionDef, ast.Lambda, ast.comprehension, ast.JoinedStr)) for it in ast.walk(node)
                    if it is not node)
    return [] if has_inner else [[(it, name + "_") for it in names if it.id == name]
                                 for name in sorted(stored - outer - arguments)]


def replace(path, node, new):
    lines = path.read_bytes().decode().split("\n")
    line = lines[node.lineno - 1].encode()
    line = line[:node.col_offset] + new.encode() + line[node.end_col_offset:]
    lines[node.lineno - 1] = line.decode()
    path.write_text("\n".join(lines))


def rank(callscape, tree, recording, good, file, name):
    command = [callscape, "faults", str(tree), "--good", "good", "--json", str(recording)]
    if good:
        command += ["--good-recording", str(good)]
    done = run(command)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    found = json.loads(done.stdout)
    for at, it in enumerate(found):
        if it["file"] == file and it["function"].split(".<locals>.")[-1].split(".")[-1] == name:
            return at + 1, len(found)
    return None, len(found)


def trial(seed, callscape, work, base, good, good_output, functions):
    """The ranks with and without the good recording; none where the fault does nothing."""
    choice = random.Random(seed)
    tree = work / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(base, tree)
    all_functions = list(functions)
    choice.shuffle(all_functions)
    culprit = None
    decoys = []
    for file, node, has_run in all_functions:
        path = tree / file
        text = path.read_text()
        if culprit is None and has_run:
            changes = mutations(node, text)
            if changes:
                culprit = (file, node.name, *choice.choice(changes))
            continue
        changes = harmless(node, text)
        is_meant = has_run or "running" not in sys.argv
        if culprit and changes and is_meant and len(decoys) < DECOYS and (file, node.name) != culprit[:2]:
            decoys.append((file, choice.choice(changes)))
    commits = [(culprit[0], [culprit[2:]])] + decoys
    choice.shuffle(commits)
    for file, changes in commits:
        for node, new in sorted(changes, key=lambda it: (it[0].lineno, it[0].col_offset), reverse=True):
            replace(tree / file, node, new)
        ast.parse((tree / file).read_text())
    git(tree, "commit", "-qam", "changes")
    recording, output, code = record(tree, work, "bad")
    if output == good_output and code == 0:
        return None
    ranks = [rank(callscape, tree, recording, with_good, culprit[0], culprit[1]) for with_good in (good, None)]
    return culprit, ranks


def main():
    callscape = sys.argv[1]
    trials = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    work = pathlib.Path(tempfile.mkdtemp(prefix="faults-"))
    base = work / "base"
    tree = work / "tree"
    package = pathlib.Path(markdown_it.__file__).parent
    for to in (base, tree):
        shutil.copytree(package, to / "markdown_it", ignore=shutil.ignore_patterns("__pycache__"))
        git(to, "init", "-q")
        git(to, "add", "-A")
        git(to, "commit", "-qm", "good")
        git(to, "tag", "good")
    (work / "program.py").write_text(PROGRAM)
    (work / "text.md").write_text(TEXT)
    good, good_output, code = record(tree, work, "good")
    assert code == 0 and good_output, "the good run failed"
    all_functions = functions(tree, executed(good, tree))
    done, seed, sums = 0, 0, [[0, 0, 0], [0, 0, 0]]
    while done < trials:
        seed += 1
        try:
            found = trial(seed, callscape, work, base, good, good_output, all_functions)
        except (SyntaxError, subprocess.TimeoutExpired):
            continue
        if found is None:
            continue
        done += 1
        culprit, ranks = found
        for which, (at, _) in enumerate(ranks):
            for place, least in enumerate((1, 3, 5)):
                sums[which][place] += at is not None and at <= least
        print(f"seed {seed}: {culprit[0]} {culprit[1]} line {culprit[2].lineno}: {culprit[3]!r}: rank {ranks[0][0]} with, "
              f"{ranks[1][0]} without, of {ranks[0][1]}", flush=True)
    for name, counts in zip(("with", "without"), sums):
        print(f"{name} a good recording: first {counts[0]}, among the first three {counts[1]}, five {counts[2]} of {done}")
    shutil.rmtree(work)


if __name__ == "__main__":
    main()

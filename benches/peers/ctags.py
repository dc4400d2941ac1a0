#!/usr/bin/env python3
"""Functions of source trees beside those that Universal Ctags finds, function by function.

    ctags.py CALLSCAPE TREE... [--list]

CALLSCAPE is the program. A function of ctags is one of ours where its line lies in a span of ours of that name. What
only one side has is sorted by what the text says; what no rule explains counts against the agreement, whoever is right.
Only files of which both sides say the same language are compared; ctags 5.9 knows no Swift.

Where node finds `typescript` (5), `luaparse` and `mvdan-sh` (in NODE_PATH), second_reader.mjs says of JavaScript, TypeScript,
Lua and shell scripts who is right: what no rule explains is explained where that third reader sees what Callscape sees, and only there.
"""
import collections, json, os, re, subprocess, sys

# By language as ctags names it: its kinds that are functions, and the names that Callscape gives the language.
LANGUAGES = {
    "C": ({"function"}, {"C", "CHeader"}), "C++": ({"function"}, {"C++", "CppHeader", "C Header", "C++ Header"}),
    "Rust": ({"function", "method"}, {"Rust"}), "Python": ({"function", "member"}, {"Python"}),
    "JavaScript": ({"function", "method", "generator", "getter", "setter"}, {"JavaScript", "JSX"}),
    "TypeScript": ({"function", "method", "generator"}, {"TypeScript", "TSX"}),
    "Java": ({"method"}, {"Java"}), "Kotlin": ({"method"}, {"Kotlin"}), "C#": ({"method"}, {"C#"}),
    "Go": ({"func"}, {"Go"}), "Ruby": ({"method", "singletonMethod"}, {"Ruby", "Rakefile"}),
    "PHP": ({"function"}, {"PHP"}), "Lua": ({"function"}, {"Lua"}), "Sh": ({"function"}, {"Shell", "BASH", "Sh", "Bash"}),
}
KEYWORDS = set("if else for while do switch return catch function async await new super this constructor get set".split())
SEPARATORS = re.compile(r"::|\.<locals>\.|[.:#]")


def last_part(name):
    """The name without those around it; one in backquotes may hold anything."""
    if re.match(r"operator\W", name):
        return name
    if "`" in name:
        parts = re.findall(r"`[^`]*`|[^.:#`]+", name)
        return parts[-1].strip("`") if parts else name
    if name.startswith("["):
        return name.strip("[]").strip("\"'")
    return SEPARATORS.split(name)[-1] or name


def ours(program, tree):
    """By file: language and functions as (name, first line, last line)."""
    text = subprocess.run([program, "tree", "--json", tree], capture_output=True, check=True).stdout
    files = {}

    def walk(node, path, file):
        if node["kind"] == "file" and file is None:
            file = files[path] = (node["language"], [])
        elif node["kind"] == "function" and file is not None:
            name = node["name"]
            file[1].append((last_part(name), node["line"], node["end_line"]))
        for child in node["children"]:
            walk(child, os.path.join(path, child["name"]) if file is None else path, file)

    sys.setrecursionlimit(100_000)
    walk(json.loads(text), "", None)
    return files


def theirs(tree):
    """By file: language and functions as (name, line)."""
    command = ["ctags", "-R", "--output-format=json", "--fields=+nKl", "--links=no", "-f", "-", "."]
    text = subprocess.run(command, cwd=tree, capture_output=True).stdout
    files = collections.defaultdict(lambda: collections.defaultdict(set))
    for line in text.decode(errors="replace").splitlines():
        tag = json.loads(line)
        language = tag.get("language")
        if tag.get("_type") == "tag" and tag.get("kind") in LANGUAGES.get(language, (set(),))[0]:
            files[os.path.normpath(tag["path"])][language].add((tag["name"], tag["line"]))
    return files


def seconds(tree, paths):
    """By file: the functions of a third reader as (name, first line, last line), where there is one."""
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "second_reader.mjs")
    paths = [os.path.join(tree, path) for path in paths if re.search(r"\.([cm]?[jt]s|[jt]sx|lua|sh|bash|bats)$", path)]
    try:
        out = subprocess.run(["node", script], input="\n".join(paths).encode(), capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return {}
    read = (json.loads(line) for line in out.splitlines())
    return {os.path.relpath(path, tree): functions for path, functions in read}


def sees(functions, name, line, end):
    """Whether one of these has this name and shares a line with these."""
    return any(last_part(f[0]) in (name, last_part(name)) and f[1] <= end and line <= f[2] for f in functions)


def has_no_kotlin_body(name, line, lines):
    """Whether neither a brace nor an equals sign follows the parameters and the type of a function of Kotlin, on their
    line or, before anything else, on the next."""
    text = "\n".join(lines[line - 1:line + 30])
    head = re.search(r"\bfun\b[^\n(]*\b" + re.escape(name) + r"\s*\(", text)
    if not head:
        return False
    depth, at = 1, head.end()
    while depth and at < len(text):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    rest = text[at:].split("\n", 1)
    following = rest[1].lstrip() if len(rest) > 1 else ""
    return not re.search(r"[{=]", rest[0]) and not following.startswith(("{", "=", ":", "where"))


def only_ctags(name, line, lines, language):
    """Why a function of ctags is none of ours, where the text says so."""
    if language == "Kotlin" and has_no_kotlin_body(name, line, lines):
        return "no body"
    text = lines[line - 1] if line <= len(lines) else ""
    if len(text) > 1000:
        return "minified"
    if re.match(r"(?i)anonymousFunction|__anon|anonFunc", name):
        return "anonymous"
    if name in KEYWORDS:
        return "keyword"
    if re.match(r"\s*(//|\*|/\*|#|--)", text):
        return "comment"
    if name.endswith("=") or name + "=(" in text:
        return "array"
    if re.search(r"\{[^{}]*\b" + re.escape(name) + r"\b[^{}]*->", text) or name == "_":
        return "parameter of a lambda"
    if name in ("exports", "default"):
        return "exported under another name"
    if re.match(r"\s*[A-Z0-9_]+\s*\(.*\{\s*$", text):
        return "enum constant"
    if re.search(r"\brecord\s+" + re.escape(name), text):
        return "record"
    if re.search(re.escape(name) + r"\s*=\s*(?!function\b|async\b|lambda\b)[\w.:]*\s*\(", text) or name not in text:
        return "result of a call, or text"
    if re.search(r"\w\[.*\]\s*=\s*function", text):
        return "assigned to an index"
    at = text.find(name)
    rest = text[max(at, 0):] + "\n" + "\n".join(lines[line:line + 40])
    depth, end = 0, ""
    for c in rest:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(c, 0)
        if depth <= 0 and c in "{;=}":
            end = c
            break
    if end in (";", "}", ""):
        return "no body"
    if re.search(re.escape(name) + r"\s*[:=]\s*\w*\s*\(?[\w\s,{}=]*\)?\s*=>", text) or "lambda" in text:
        return "lambda"
    if not re.search(re.escape(name) + r"\W*(\(|=|:|$|\{|<)", text):
        return "no definition"
    return None


def is_in_anonymous_class(line, lines):
    """Whether the next line above with less before it opens neither a class nor anything else with a name."""
    margin = lambda text: len(text) - len(text.lstrip())
    own = margin(lines[line - 1])
    for text in reversed(lines[:line - 1]):
        if text.strip() and margin(text) < own and not text.lstrip().startswith(("@", "*", "/", ")", "#")):
            return not re.search(r"\b(class|interface|enum|record|object\s+\w|struct|impl|trait|namespace|mod)\b", text)
    return False


def only_ours(name, line, end, lines):
    """Why a function of ours is none of ctags, where the text says so."""
    text = " ".join(lines[line - 1:line + 3])
    if len(lines[line - 1] if line <= len(lines) else "") > 1000:
        return "minified"
    if name.startswith("operator") or name.startswith("~") or not re.search(r"\w", name):
        return "operator"
    if re.search(r"(=>|=\s*(async\s+)?function|:\s*(async\s+)?function|lambda|->|=\s*(proc|\{)|define_method)", text):
        return "assigned"
    if re.search(r"\b(constructor|init|deinit|get|set|subscript)\b", text):
        return "accessor or constructor"
    if re.search(r"^\s*[A-Z_0-9]{2,}\s*\(", text):
        return "made by a macro"
    if is_in_anonymous_class(line, lines):
        return "in an anonymous class, a function or a condition"
    return None


def compare(program, tree, listing):
    total = collections.defaultdict(lambda: [0, collections.Counter(), collections.Counter(), [], []])
    tags, files = theirs(tree), ours(program, tree)
    third = seconds(tree, files)
    for path, (language, functions) in sorted(files.items()):
        for theirs_language, (_, names) in LANGUAGES.items():
            if language not in names:
                continue
            # A header of C is one of C++ to ctags.
            found = set().union(*tags[path].values()) if language in ("C Header", "CHeader") else tags[path][theirs_language]
            with open(os.path.join(tree, path), errors="replace") as file:
                lines = file.read().split("\n")
            result, left = total[theirs_language], list(functions)
            for name, line in sorted(found, key=lambda tag: tag[1]):
                name = name.strip("`")
                short = last_part(name)
                hits = [f for f in left if f[0] in (name, short) and f[1] <= line <= f[2]]
                if hits:
                    left.remove(max(hits, key=lambda f: f[1]))
                    result[0] += 1
                elif any(f[0] in (name, short) and f[1] <= line <= f[2] for f in functions):
                    result[1]["twice"] += 1
                elif reason := only_ctags(name, line, lines, theirs_language):
                    result[1][reason] += 1
                elif path in third and not sees(third[path], name, line, line):
                    result[1]["none to the third reader"] += 1
                else:
                    result[3].append(f"ctags {path}:{line} {name}")
            for name, line, end in left:
                if reason := only_ours(name, line, end, lines):
                    result[2][reason] += 1
                elif path in third and sees(third[path], name, line, end):
                    result[2]["one to the third reader"] += 1
                else:
                    result[4].append(f"ours {path}:{line} {name}")
    for language, (both, a, b, ctags, own) in sorted(total.items()):
        if both + len(ctags) + len(own) < 20:
            continue
        share = 100 * both / (both + len(ctags) + len(own))
        reasons = lambda counter: ", ".join(f"{n} {why}" for why, n in counter.most_common()) or "0"
        print(f"| {os.path.basename(os.path.normpath(tree))}, {language} | {both} | {reasons(a)} | {reasons(b)} | "
              f"{len(ctags)}, {len(own)} | {share:.1f} % |", flush=True)
        if listing:
            print("\n".join(ctags + own))


if __name__ == "__main__":
    arguments = [a for a in sys.argv[1:] if a != "--list"]
    if len(arguments) < 2:
        sys.exit(__doc__)
    print("| tree | functions of both | ctags alone | Callscape alone | neither explained | agreement |\n|---|---|---|---|---|---|")
    for tree in arguments[1:]:
        compare(arguments[0], tree, "--list" in sys.argv)

use std::path::PathBuf;

use super::*;
use callscape_source::Scan;

/// A tree of these files, and its relations.
fn relations(name: &str, files: &[(&str, &str)]) -> Relations {
    let dir = std::env::temp_dir().join(format!("callscape-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&dir);
    for (path, text) in files {
        let path: PathBuf = dir.join(path);
        std::fs::create_dir_all(path.parent().expect("inside")).expect("writable");
        std::fs::write(path, text).expect("writable");
    }
    let progress = Progress::new();
    let mut scan = Scan::start_with_cache(&dir, None, &progress).expect("a tree");
    scan.read_relations();
    scan.finish(&progress).expect("it is read");
    let found = find(&dir, scan.files(), &progress).expect("not cancelled");
    let _ = std::fs::remove_dir_all(&dir);
    found
}

fn edges(relations: &Relations) -> Vec<String> {
    let path = |file: FileId| &relations.paths[file as usize];
    let mut imports = relations.imports.clone();
    imports.sort_by_key(|it| (it.from, it.line, it.to));
    let imports = imports.iter();
    imports
        .map(|it| format!("{}:{} {}", path(it.from), it.line, path(it.to)))
        .collect()
}

fn calls(relations: &Relations) -> Vec<String> {
    let path = |file: FileId| &relations.paths[file as usize];
    let calls = relations.calls.iter();
    calls
        .map(|it| format!("{} {} {}", path(it.from), path(it.to), it.count))
        .collect()
}

#[test]
fn imports_of_python_lead_to_the_longest_part_that_is_a_module() {
    let found = relations(
        "python",
        &[
            ("setup.py", "import p.a\nimport json\n"),
            (
                "p/__init__.py",
                "from . import a\nfrom .a import f\nfrom . import f\n",
            ),
            (
                "p/a.py",
                "import os, p.q.b as c\nfrom p import q\nfrom .q import b, nothing\nfrom .missing import x\n",
            ),
            (
                "p/q/__init__.py",
                "from .. import a\nfrom ..a import *\nfrom ... import up\n",
            ),
            (
                "p/q/b.py",
                "def g():\n    from p.a import h\n    import numpy.linalg\n",
            ),
            ("p/json.py", ""),
            (
                "tests/t.py",
                "import p\nimport helper\nimport p.json as j\n",
            ),
            ("tests/helper.py", "from p.q.b import g\ng()\n"),
        ],
    );
    assert_eq!(
        edges(&found),
        [
            "p/__init__.py:1 p/a.py",
            "p/__init__.py:2 p/a.py",
            "p/a.py:1 p/q/b.py",
            "p/a.py:2 p/q/__init__.py",
            "p/a.py:3 p/q/__init__.py",
            "p/a.py:3 p/q/b.py",
            "p/q/__init__.py:1 p/a.py",
            "p/q/__init__.py:2 p/a.py",
            "p/q/b.py:2 p/a.py",
            "setup.py:1 p/a.py",
            "tests/helper.py:1 p/q/b.py",
            "tests/t.py:1 p/__init__.py",
            "tests/t.py:2 tests/helper.py",
            "tests/t.py:3 p/json.py",
        ]
    );
    // json, os, numpy.linalg.
    assert_eq!(found.outside, 3);
    let unresolved: Vec<&str> = found.unresolved.iter().map(|it| &*it.path).collect();
    assert_eq!(unresolved, [".missing x", "... up"]);
    assert_eq!(calls(&found), ["tests/helper.py p/q/b.py 1"]);
    let cycles: Vec<Vec<&str>> = found
        .cycles()
        .iter()
        .map(|cycle| cycle.iter().map(|&it| &*found.paths[it as usize]).collect())
        .collect();
    assert_eq!(cycles, [["p/a.py", "p/q/__init__.py", "p/q/b.py"]]);
    assert_eq!(found.directory_cycles(), [["p", "p/q"]]);
}

#[test]
fn a_tree_that_is_a_package_itself_is_known_by_its_name() {
    let name = format!("own-{}", std::process::id());
    let import = format!("from callscape-{name} import b\n").replace('-', "_");
    let found = relations(
        "own",
        &[("__init__.py", ""), ("a.py", &import), ("b.py", "")],
    );
    // The folder's name is no name of Python: nothing is found, and nothing is wrong.
    assert_eq!((found.imports.len(), found.outside), (0, 1));
}

#[test]
fn imports_of_rust_lead_to_the_innermost_module_that_they_name() {
    let found = relations(
        "rust",
        &[
            (
                "Cargo.toml",
                "[package]\nname = \"my-app\"\nedition = \"2021\"\n[dependencies]\nother = { path = \"o\" }\n",
            ),
            (
                "src/lib.rs",
                "pub mod a;\nmod b { pub mod c; use super::a::A; }\npub use a::inner::X;\nmod gone;\nuse std::fs;\n",
            ),
            (
                "src/a/mod.rs",
                "pub mod inner;\nuse crate::b::c::{self, C};\nuse self::inner::{X, Y};\nuse super::b;\nuse serde::Value;\n\
                 enum K { L }\nuse K::L;\nmod tests { use super::*; use super::inner::X; }\n",
            ),
            (
                "src/a/inner.rs",
                "use super::super::a;\nuse crate::Top;\nuse other::deep::Z;\nuse other::W;\n",
            ),
            (
                "src/b/c.rs",
                "use crate::{a::{inner as i, A}, b};\nuse i::X;\nuse crate::nothing::N;\n",
            ),
            (
                "src/main.rs",
                "use my_app::a::A;\nmod only;\nuse only::f;\nfn main() { f(); my_app::go(); }\n",
            ),
            (
                "src/only.rs",
                "pub fn f() { crate::main() }\nuse other_unknown::x;\n",
            ),
            ("src/lost.rs", "use crate::a::A;\n"),
            (
                "tests/t.rs",
                "mod common;\nuse common::helper;\nuse my_app::a;\n#[path = \"odd/name.rs\"]\nmod odd;\n",
            ),
            ("tests/common/mod.rs", "pub fn helper() {}\n"),
            ("tests/odd/name.rs", ""),
            (
                "o/Cargo.toml",
                "[package]\nname = \"other\"\nedition = \"2021\"\n",
            ),
            (
                "o/src/lib.rs",
                "pub mod deep;\ncfg_if! { if #[cfg(a)] { mod hidden; } }\n",
            ),
            ("o/src/deep.rs", "use my_app::a;\nuse crate::hidden::H;\n"),
            ("o/src/hidden.rs", ""),
        ],
    );
    assert_eq!(
        edges(&found),
        [
            "o/src/deep.rs:2 o/src/hidden.rs",
            "o/src/lib.rs:1 o/src/deep.rs",
            "o/src/lib.rs:2 o/src/hidden.rs",
            "src/a/inner.rs:1 src/a/mod.rs",
            "src/a/inner.rs:2 src/lib.rs",
            "src/a/inner.rs:3 o/src/deep.rs",
            "src/a/inner.rs:4 o/src/lib.rs",
            "src/a/mod.rs:1 src/a/inner.rs",
            "src/a/mod.rs:2 src/b/c.rs",
            "src/a/mod.rs:3 src/a/inner.rs",
            "src/a/mod.rs:4 src/lib.rs",
            "src/a/mod.rs:8 src/a/inner.rs",
            "src/b/c.rs:1 src/a/inner.rs",
            "src/b/c.rs:1 src/a/mod.rs",
            "src/b/c.rs:1 src/lib.rs",
            "src/b/c.rs:2 src/a/inner.rs",
            "src/b/c.rs:3 src/lib.rs",
            "src/lib.rs:1 src/a/mod.rs",
            "src/lib.rs:2 src/a/mod.rs",
            "src/lib.rs:2 src/b/c.rs",
            "src/lib.rs:3 src/a/inner.rs",
            "src/lost.rs:1 src/a/mod.rs",
            "src/main.rs:1 src/a/mod.rs",
            "src/main.rs:2 src/only.rs",
            "src/main.rs:3 src/only.rs",
            "tests/t.rs:1 tests/common/mod.rs",
            "tests/t.rs:2 tests/common/mod.rs",
            "tests/t.rs:3 src/a/mod.rs",
            "tests/t.rs:5 tests/odd/name.rs",
        ]
    );
    let unresolved: Vec<&str> = found.unresolved.iter().map(|it| &*it.path).collect();
    assert_eq!(unresolved, ["gone"]);
    assert_eq!(calls(&found), ["src/main.rs src/only.rs 1"]);
}

#[test]
fn each_other_language_is_looked_up_by_its_rules() {
    let found = relations(
        "others",
        &[
            (
                "c/a.c",
                "#include \"a.h\"\n#include <stdio.h>\n#include <lib/b.h>\n#include \"/etc/passwd\"\n#include \"../../up.h\"\n#include \"none.h\"\nint main(void) { return b(); }\n",
            ),
            ("c/a.h", "#include \"b.h\"\n"),
            ("c/include/lib/b.h", "#include \"../../a.h\"\n"),
            ("c/src/b.c", "int b(void) { return 1; }\n"),
            (
                "js/a.ts",
                "import { x } from './b.js';\nimport y from './dir';\nimport z from '@/c';\nimport w from 'pkg/sub';\nimport q from 'react';\nimport r from './gone';\n",
            ),
            ("js/b.ts", "export const x = 1;\n"),
            ("js/dir/index.tsx", ""),
            ("js/app/c.ts", ""),
            (
                "js/tsconfig.json",
                "{ \"compilerOptions\": { \"paths\": { \"@/*\": [\"./app/*\"] } } }",
            ),
            (
                "js/p/package.json",
                "{ \"name\": \"pkg\", \"main\": \"m.js\" }",
            ),
            ("js/p/sub.js", "const m = require('pkg');\n"),
            ("js/p/m.js", ""),
            (
                "j/A.java",
                "package a.b;\nimport a.c.D;\nimport static a.c.D.Inner.f;\nimport a.c.*;\nimport java.util.List;\nclass A {}\n",
            ),
            (
                "j/D.java",
                "package a.c;\nclass D { static class Inner {} }\n",
            ),
            ("j/E.java", "package a.c;\nclass E {}\n"),
            ("go/go.mod", "module example.com/m\n"),
            (
                "go/main.go",
                "package main\n\nimport (\n\t\"fmt\"\n\tx \"example.com/m/util\"\n)\n\nfunc main() { fmt.Println(x.Two()) }\n",
            ),
            (
                "go/util/one.go",
                "package util\n\nfunc One() int { return 1 }\n",
            ),
            (
                "go/util/two.go",
                "package util\n\nfunc Two() int { return 2 }\n",
            ),
            ("rb/lib/g/v.rb", "require_relative '../h'\n"),
            ("rb/lib/h.rb", "require 'g/v'\nrequire 'json'\n"),
            (
                "php/a.php",
                "<?php\nnamespace N;\nuse N\\M\\C;\nrequire __DIR__ . '/b.php';\n",
            ),
            ("php/b.php", "<?php\nnamespace N\\M;\nclass C {}\n"),
            (
                "lua/a.lua",
                "local b = require('x.b')\nlocal s = require 'socket'\n",
            ),
            ("lua/x/b.lua", ""),
            ("sh/a.sh", "source ./b.sh\n. /etc/profile\n"),
            ("sh/b.sh", ""),
        ],
    );
    assert_eq!(
        edges(&found),
        [
            "c/a.c:1 c/a.h",
            "c/a.c:3 c/include/lib/b.h",
            "c/a.h:1 c/include/lib/b.h",
            "c/include/lib/b.h:1 c/a.h",
            "go/main.go:5 go/util/two.go",
            "j/A.java:2 j/D.java",
            "j/A.java:3 j/D.java",
            "js/a.ts:1 js/b.ts",
            "js/a.ts:2 js/dir/index.tsx",
            "js/a.ts:3 js/app/c.ts",
            "js/a.ts:4 js/p/sub.js",
            "js/p/sub.js:1 js/p/m.js",
            "lua/a.lua:1 lua/x/b.lua",
            "php/a.php:3 php/b.php",
            "php/a.php:4 php/b.php",
            "rb/lib/g/v.rb:1 rb/lib/h.rb",
            "rb/lib/h.rb:1 rb/lib/g/v.rb",
            "sh/a.sh:1 sh/b.sh",
        ]
    );
    let unresolved: Vec<&str> = found.unresolved.iter().map(|it| &*it.path).collect();
    assert_eq!(unresolved, ["none.h", "a.c *", "./gone"]);
    let outside: Vec<&str> = found.outside_paths.keys().map(String::as_str).collect();
    assert_eq!(
        outside,
        [
            "../../up.h",
            "/etc/passwd",
            "/etc/profile",
            "fmt",
            "java.util.List",
            "json",
            "react",
            "socket",
            "stdio.h"
        ]
    );
    assert_eq!(
        calls(&found),
        ["c/a.c c/src/b.c 1", "go/main.go go/util/two.go 1"]
    );
}

#[test]
fn hostile_trees_do_no_harm() {
    let long = "a".repeat(10_000);
    let nested = format!("use {}x{};\n", "a::{".repeat(5000), "}".repeat(5000));
    let found = relations(
        "hostile",
        &[
            (
                "a.rs",
                "#[path = \"b.rs\"]\nmod b;\nuse super::super::x;\nuse ::;\nuse crate;\n",
            ),
            (
                "b.rs",
                "#[path = \"a.rs\"]\nmod a;\n#[path = \"b.rs\"]\nmod b;\n#[path = \"/etc/passwd\"]\nmod p;\nuse crate::a::z;\n",
            ),
            ("deep.rs", &nested),
            (
                "long.py",
                &format!(
                    "import {long}\nfrom {} import x\nfrom .. import y\n",
                    ".".repeat(500)
                ),
            ),
            (
                "bidi.js",
                "import '\u{202e}./a';\nimport './\u{1f600}';\nimport '/abs';\nimport '../../../x';\nimport '';\n",
            ),
            ("\u{1f600}.js", "import './\u{1f600}';\n"),
        ],
    );
    assert_eq!(
        edges(&found),
        [
            "a.rs:2 b.rs",
            "b.rs:2 a.rs",
            "b.rs:7 a.rs",
            "bidi.js:2 \u{1f600}.js"
        ]
    );
}

fn inherits(relations: &Relations) -> Vec<String> {
    let path = |file: FileId| &relations.paths[file as usize];
    let inherits = relations.inherits.iter();
    inherits
        .map(|it| {
            let (from, to) = (path(it.from_file), path(it.to_file));
            format!("{from}:{} {} < {to} {}", it.line, it.class, it.base)
        })
        .collect()
}

#[test]
fn bases_are_the_classes_that_alone_have_their_names() {
    let found = relations(
        "inherits",
        &[
            ("p/__init__.py", "from .base import Base\n"),
            ("p/base.py", "class Base: pass\nclass Twice: pass\n"),
            ("p/other.py", "class Twice: pass\nclass Far: pass\n"),
            (
                "p/use.py",
                "from .base import Base as B, Twice\nfrom . import other\nfrom p import Base\nclass A(B): pass\n\
                 class C(A, other.Far): pass\nclass D(Twice): pass\nclass E(Base): pass\nclass F(Exception): pass\n\
                 class G(G): pass\n",
            ),
            (
                "p/star.py",
                "from .base import *\nfrom .other import *\nclass H(Twice): pass\nclass I(Far): pass\n",
            ),
            ("j/A.java", "package j;\nclass A extends B {}\n"),
            ("j/B.java", "package j;\nclass B {}\n"),
            ("k/C.java", "package k;\nclass C extends B {}\n"),
        ],
    );
    assert_eq!(
        inherits(&found),
        [
            "j/A.java:2 A < j/B.java B",
            "p/star.py:4 I < p/other.py Far",
            "p/use.py:4 A < p/base.py Base",
            "p/use.py:5 C < p/other.py Far",
            "p/use.py:5 C < p/use.py A",
            "p/use.py:6 D < p/base.py Twice",
            "p/use.py:7 E < p/base.py Base",
        ]
    );
    // `Twice` of two files that are imported with all that they have; `Exception`, `G` of itself and `B` of another package.
    assert_eq!((found.ambiguous_bases, found.outside_bases), (1, 3));
}

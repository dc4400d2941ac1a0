use super::super::languages;
use super::super::reader::Reader;
use super::*;
use callscape_base::progress::Progress;
use tokei::LanguageType;

fn read(language: LanguageType, text: &str) -> FileRelations {
    let language = languages::of(language).expect("in the table");
    let mut reader = Reader::default();
    reader.reads_relations = true;
    let read = reader.read(&[language], text.as_bytes(), 1000, 1000, &Progress::new());
    let (_, relations) = read.expect("it is read");
    relations.expect("asked for")
}

/// Line, path and what is imported of it, or a `!` and the kind where that is not a name.
fn imports(language: LanguageType, text: &str) -> Vec<String> {
    let found = read(language, text).imports;
    let text = |it: &Import| {
        let mut text = format!("{} {}", it.line, it.path);
        for (sign, part) in [(":", &it.name), (" as ", &it.alias), (" in ", &it.scope)] {
            if !part.is_empty() {
                text += sign;
                text += part;
            }
        }
        match it.kind {
            ImportKind::Name | ImportKind::From => text,
            kind => format!("{text} !{kind:?}"),
        }
    };
    found.iter().map(text).collect()
}

#[test]
fn each_language_says_what_it_imports() {
    use LanguageType as L;
    let cases: &[(L, &str, &[&str])] = &[
        (
            L::Python,
            "import a.b, c as d\nfrom . import e\nfrom ..f.g import (\n  h,\n  i as j)\nfrom k import *\n\
             def f():\n  import l\nfrom __future__ import annotations\n'''import no'''\n",
            &[
                "1 a.b",
                "1 c as d",
                "2 .:e",
                "3 ..f.g:h",
                "3 ..f.g:i as j",
                "6 k:*",
                "8 l",
                "9 __future__",
            ],
        ),
        (
            L::Rust,
            "use std::fs;\npub(crate) use crate::a::{self, b::{C, d as e}, f::*};\n#[cfg(test)]\n#[path = \"x.rs\"]\n\
             mod g;\nmod h { use super::i; mod j; }\nextern crate k as l;\nuse ::m::n;\nuse a::\n  // why\n  r#type;\n\
             cfg_if! { if #[cfg(unix)] { mod o; pub use self::o::P; } else { #[path = \"q.rs\"] mod q; } }\n\
             macro_rules! r { () => { mod s; use t::u; } }\nfn v() { use w::x; vec![use_y]; }\n",
            &[
                "1 std::fs",
                "2 crate::a",
                "2 crate::a::b::C",
                "2 crate::a::b::d as e",
                "2 crate::a::f",
                "5 g:x.rs !Module",
                "6 super::i in h",
                "6 j in h !Module",
                "7 ::k as l",
                "8 ::m::n",
                "9 a::type",
                "12 o !Module",
                "12 self::o::P",
                "12 q:q.rs !Module",
                "14 w::x",
            ],
        ),
        (
            L::C,
            "#include <a.h>\n#if X\n#include \"b/c.h\"\n#endif\n#include M\n// #include \"no.h\"\n",
            &["1 a.h !Search", "3 b/c.h !Path"],
        ),
        (
            L::TypeScript,
            "import a, { b } from './a';\nexport * from \"./c\";\nimport d = require('./d');\nimport type { E } from './e';\n\
             const f = require('f'), g = await import('./g');\nimport './h';\nexport const i = 1;\nrequire(j);\n",
            &[
                "1 ./a !Path",
                "2 ./c !Path",
                "3 ./d !Path",
                "4 ./e !Path",
                "5 f !Path",
                "5 ./g !Path",
                "6 ./h !Path",
            ],
        ),
        (
            L::JavaScript,
            "import(`./a`);\nimport(`./${b}`);\n",
            &["1 ./a !Path"],
        ),
        (
            L::Java,
            "package p.q;\nimport a.b.C;\nimport static a.b.D.e;\nimport f.*;\nclass X {}\n",
            &["2 a.b.C", "3 a.b.D.e", "4 f:*"],
        ),
        #[cfg(feature = "kotlin")]
        (
            L::Kotlin,
            "package p\nimport a.b.C\nimport a.D as E\nimport f.*\nclass X\n",
            &["2 a.b.C", "3 a.D as E", "4 f:*"],
        ),
        #[cfg(feature = "csharp")]
        (
            L::CSharp,
            "using A.B;\nusing static C.D;\nusing E = F.G;\nnamespace H { class X {} }\n",
            &["1 A.B", "2 C.D", "3 F.G as E"],
        ),
        (
            L::Go,
            "package p\nimport \"a/b\"\nimport (\n\tc \"d/e\"\n\t_ \"f\"\n)\n",
            &["2 a/b", "4 d/e as c", "5 f as _"],
        ),
        (
            L::Ruby,
            "require 'a/b'\nrequire_relative \"../c\"\nautoload :D, 'd'\nx.require 'no'\nrequire \"#{e}\"\n",
            &["1 a/b !Search", "2 ../c !Path", "3 d !Search"],
        ),
        (
            L::Php,
            "<?php\nnamespace P\\Q;\nuse A\\B;\nuse function C\\{d, e as f};\nrequire_once __DIR__ . '/g.php';\n\
             include 'h.php';\nrequire dirname(__FILE__) . '/i.php';\ninclude $j . 'k.php';\n",
            &[
                "3 A.B",
                "4 C.d",
                "4 C.e as f",
                "5 g.php !Path",
                "6 h.php !Path",
                "7 i.php !Path",
            ],
        ),
        #[cfg(feature = "swift")]
        (L::Swift, "import A\nimport struct B.C\n", &["1 A", "2 B.C"]),
        (
            L::Lua,
            "local a = require \"b.c\"\nrequire('d')\ndofile('e.lua')\n",
            &["1 b.c", "2 d", "3 e.lua !Path"],
        ),
        (
            L::Bash,
            "source ./a.sh\n. \"$DIR/b.sh\"\nsource \"${BASH_SOURCE%/*}/c.sh\"\necho source d.sh\n",
            &["1 ./a.sh !Path", "2 b.sh !Path", "3 c.sh !Path"],
        ),
    ];
    for (language, text, expected) in cases {
        assert_eq!(imports(*language, text), *expected, "{language}");
    }
}

#[test]
fn calls_have_the_function_around_them_and_what_stands_before_their_names() {
    use LanguageType as L;
    let text = "def f():\n  a()\n  b.c()\n  def g():\n    a(); a()\n  x[0].d()\na()\n";
    let found = read(L::Python, text);
    let name = |index: u32| match index {
        PLAIN => "",
        METHOD => "?",
        index => &found.names[index as usize],
    };
    let mut calls: Vec<_> = found
        .calls
        .iter()
        .map(|it| (it.caller, name(it.qualifier), name(it.name), it.count))
        .collect();
    calls.sort();
    let expected = [
        (0, "", "a", 1),
        (0, "?", "d", 1),
        (0, "b", "c", 1),
        (1, "", "a", 2),
        (OUTSIDE, "", "a", 1),
    ];
    assert_eq!(calls, expected);
    let rust = read(
        L::Rust,
        "fn f(&self) { a::b::c::<T>(1); self.d(); e().g(); }\n",
    );
    let all: Vec<&str> = rust.names.iter().map(|it| &**it).collect();
    assert!(
        ["a::b", "c", "self", "d", "e", "g"]
            .iter()
            .all(|it| all.contains(it)),
        "{all:?}"
    );
}

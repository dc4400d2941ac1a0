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

/// The names of the owners of global variables with their number, and each class with its base.
fn declared(language: LanguageType, text: &str) -> (Vec<String>, Vec<String>) {
    let language = languages::of(language).expect("in the table");
    let mut reader = Reader::default();
    reader.reads_relations = true;
    let read = reader.read(&[language], text.as_bytes(), 1000, 1000, &Progress::new());
    let (definitions, relations) = read.expect("it is read");
    let relations = relations.expect("asked for");
    let name = |at: u32| match at {
        OUTSIDE => "",
        at => definitions[at as usize].name.as_str(),
    };
    let globals = relations.globals.iter();
    let mut globals: Vec<String> = globals
        .map(|it| format!("{}:{}", name(it.owner), it.count))
        .collect();
    globals.sort();
    let bases = relations.bases.iter();
    let bases = bases.map(|it| format!("{} {} < {}", it.line, name(it.class), it.name));
    (globals, bases.collect())
}

#[test]
fn each_language_says_which_variables_are_global_and_what_classes_inherit_from() {
    use LanguageType as L;
    let cases: &[(L, &str, &[&str], &[&str])] = &[
        (
            L::C,
            "int a, *b = 0, c[3];\nextern int no;\nextern int d = 1;\nstatic int (*e)(int);\nint f(int);\nint *g(void);\n\
             typedef int h;\nstruct s { int no; } i;\n#if X\nint j;\n#else\nint j;\n#endif\nint k(void) { static int no; int n; return n; }\n",
            &[":7"],
            &[],
        ),
        (
            L::Cpp,
            "namespace n { int a; extern \"C\" { int b; } }\nint C::no = 1;\nclass C : public n::A, private B<int> {\n  static int d;\n  int no;\n  \
             static int f();\n};\nstruct D : C {};\nint e{3};\n",
            &[":1", "C:1", "n:2"],
            &["3 C < n::A", "3 C < B", "8 D < C"],
        ),
        (
            L::Rust,
            "static A: u8 = 0;\nconst NO: u8 = 1;\nmod m { pub static mut B: u8 = 0; }\nfn f() { static C: u8 = 0; }\n\
             struct S;\nimpl a::T<u8> for S {}\ntrait U: V + W {}\nimpl S {}\n",
            &[":1", "m:1"],
            &["6 S < a::T", "7 U < V", "7 U < W"],
        ),
        (
            L::Python,
            "a = b = 1\na = 2\nc, (d, *e) = f()\ng: int = 3\nno: int\nif a:\n  h = 1\nx.no = 1\nx[0] = 1\nf = lambda: 1\n\
             def f():\n  no = 1\nclass C(m.A, Generic[T], metaclass=M):\n  no = 1\nclass D(C): pass\n",
            &[":7"],
            &["13 C < m.A", "13 C < Generic", "15 D < C"],
        ),
        (
            L::JavaScript,
            "let a = 1, b;\nexport const { c, d: e, ...f } = x;\nvar [g, h = 1] = y;\nconst no = () => 1;\nconst m = require('m');\n\
             function k() { let no = 1; }\nclass C extends m.A { static s = 1; t = 2; }\n{ let no; }\n",
            &[":7", "C:1"],
            &["7 C < m.A"],
        ),
        (
            L::TypeScript,
            "export let a: number = 1;\ndeclare const b: string;\nabstract class C<T> extends A<T> implements B, n.D<T> { static s: T; t = 1; }\n\
             interface I extends J, K<C> {}\n",
            &[":2", "C:1"],
            &["3 C < A", "3 C < B", "3 C < n.D", "4 I < J", "4 I < K"],
        ),
        (
            L::Java,
            "class C extends a.A<B> implements D, E<F> {\n  static int a, b = 1;\n  private static final int c = 1;\n  int no;\n  \
             void f() { int no; }\n}\ninterface I extends J { int X = 1; }\nenum G implements H { P }\n",
            &["C:3", "I:1"],
            &["1 C < a.A", "1 C < D", "1 C < E", "7 I < J", "8 G < H"],
        ),
        #[cfg(feature = "kotlin")]
        (
            L::Kotlin,
            "var a = 1\nconst val no = 1\nval b get() = 1\n\nclass C : A(1), B<T> {\n  val no = 1\n\n  companion object {\n    var c = 1\n  }\n}\n\n\
             object O : D {\n  val d = 1\n}\n",
            &[":1", "Companion:1", "O:1"],
            &["5 C < A", "5 C < B", "13 O < D"],
        ),
        #[cfg(feature = "csharp")]
        (
            L::CSharp,
            "class C : a.A, I<B> {\n  static int a, b = 1;\n  const int no = 1;\n  int no2;\n}\nstruct S : J {}\n",
            &["C:2"],
            &["1 C < a.A", "1 C < I", "6 S < J"],
        ),
        (
            L::Go,
            "package p\nvar a, b = 1, 2\nvar (\n\tc int\n\t_ I = T{}\n)\nconst no = 1\nfunc f() { var no int }\n\
             type T struct {\n\tA\n\t*q.B\n\tc C\n}\ntype I interface {\n\tJ\n\tm()\n}\n",
            &[":3"],
            &["9 T < A", "9 T < q.B", "14 I < J"],
        ),
        (
            L::Ruby,
            "$a = 1\nno = 1\ndef f; $b = 1; $a = 2; end\nclass C < M::A\n  @@c = 1\n  @no = 1\nend\n",
            &[":2", "C:1"],
            &["4 C < M::A"],
        ),
        (
            L::Php,
            "<?php\n$a = 1;\n$a = 2;\nfunction f() { $no = 1; }\nclass C extends \\n\\A implements B {\n  static $s = 1, $t;\n  public $no;\n}\n",
            &[":1", "C:2"],
            &["5 C < \\n\\A", "5 C < B"],
        ),
        #[cfg(feature = "swift")]
        (
            L::Swift,
            "var a = 1\nlet b: Int = 2\nvar no: Int { 1 }\nclass C: A, B<T> {\n  static var c = 1\n  var no = 2\n}\nprotocol P: Q {}\n",
            &[":2", "C:1"],
            &["4 C < A", "4 C < B", "8 P < Q"],
        ),
        (
            L::Lua,
            "local a, b = 1, 2\nc = 3\nlocal m = require('m')\nlocal f = function() local no = 1 end\nt.no = 1\n",
            &[":3"],
            &[],
        ),
        (
            L::Bash,
            "A=1\nexport B=2\nA=3\nC=1 command\nf() { NO=1; }\n",
            &[":2"],
            &[],
        ),
    ];
    let mut wrong = Vec::new();
    for (language, text, globals, bases) in cases {
        let found = declared(*language, text);
        let globals: Vec<String> = globals.iter().map(|it| (*it).to_owned()).collect();
        let bases: Vec<String> = bases.iter().map(|it| (*it).to_owned()).collect();
        if found != (globals, bases) {
            wrong.push((language, found));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

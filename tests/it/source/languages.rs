//! What each language defines.

use callscape::facts::hierarchy::ModuleKind;

use super::{Scratch, definitions};

#[test]
fn definitions_of_c() {
    let text = r#"#define API extern
struct point { int x; };
typedef struct {
  int y;
} named;
enum { ANONYMOUS };

API named length (int a) { return a; }
int old(a, b)
  int a;
  char *b;
{
  /* nothing

  */
  return a;
}
static void *(*get(int x))(int) { return 0; }
void (in_parentheses) (int a) { }
int declared(int);
#ifdef A
int variant(void) { return 1; }
#else
int variant(void) { return 2; }
#endif
void dispatching(int op) {
  switch (op) {
    dispatch (CODE(op)) { break; }
  }
}
"#;
    assert_eq!(
        definitions("a.c", text),
        [
            "class point 2-2 1",
            "class named 3-5 3",
            "function length 8-8 1",
            "function old 9-17 6",
            "function get 18-18 1",
            "function in_parentheses 19-19 1",
            "function variant 22-22 1",
            "function variant 24-24 1",
            "function dispatching 26-30 5",
        ]
    );
}

#[test]
fn definitions_of_cpp() {
    let text = r#"extern "C" { int c_function(void) { return 1; } }
namespace a::b {
template <typename T>
class EXPORT Stack : public Base {
 public:
  Stack() : size_(0) {}
  ~Stack() = default;
  void push(T t) LOCKS_EXCLUDED(mu_) {
    auto f = [&] { return t; };
  }
  operator bool() const { return size_ > 0; }
  bool operator<(const Stack& o) const { return size_ < o.size_; }
  struct Node { T t; };
};
}
namespace {
int hidden() { return 0; }
}
a::b::Stack<int>::Stack(int n) {}
void a::b::Stack<int>::pop() {
  struct Local { void run() {} };
}
"#;
    assert_eq!(
        definitions("a.cc", text),
        [
            "function c_function 1-1 1",
            "namespace a::b 2-15 14",
            "class a::b/Stack 4-14 11",
            "function a::b/Stack/Stack 6-6 1",
            "function a::b/Stack/push 8-10 3",
            "function a::b/Stack/operator bool 11-11 1",
            "function a::b/Stack/operator< 12-12 1",
            "class a::b/Stack/Node 13-13 1",
            "function hidden 17-17 1",
            "class a 19-22 4",
            "class a/b 19-22 4",
            "class a/b/Stack 19-22 4",
            "function a/b/Stack/Stack 19-19 1",
            "function a/b/Stack/pop 20-22 2",
            "class a/b/Stack/pop::Local 21-21 1",
            "function a/b/Stack/pop::Local/run 21-21 1",
        ]
    );
}

#[test]
fn headers_are_read_by_the_grammar_that_fits() {
    assert_eq!(
        definitions("c.h", "static int class(int new) { return new; }\n"),
        ["function class 1-1 1"]
    );
    assert_eq!(
        definitions(
            "cpp.h",
            "class A {\n public:\n  int f() { return 1; }\n};\n"
        ),
        ["class A 1-4 4", "function A/f 3-3 1"]
    );
}

#[test]
fn definitions_of_rust() {
    let text = r#"struct Type<T>(T);

/// Documented.
impl<T> Type<T> {
    fn new(t: T) -> Self {
        fn nested() {}
        Type(t)
    }
}
impl<T: Display> Display for Type<T> {
    fn fmt(&self) { /* nothing */ }
}
trait Shape {
    fn area(&self) -> f32;
    fn twice(&self) -> f32 { 2.0 * self.area() }
}
mod inner {
    impl Shape for &super::Type<u8> {
        fn area(&self) -> f32 { 1.0 }
    }
}
mod elsewhere;
const TEXT: &str = "fn not_a_function() {}";
"#;
    assert_eq!(
        definitions("a.rs", text),
        [
            "class Type 1-12 10",
            "function Type/new 5-8 3",
            "function Type/new::nested 6-6 1",
            "function Type/fmt 11-11 1",
            "class Shape 13-16 4",
            "function Shape/twice 15-15 1",
            "namespace inner 17-21 5",
            "class inner/Type 18-20 3",
            "function inner/Type/area 19-19 1",
        ]
    );
}

#[test]
fn definitions_of_python() {
    let text = r#"@decorator
def outer(a):
    """Text

    with a blank line"""
    # a comment
    def inner():
        class Local:
            def method(self): pass
        return Local
    return inner

class C(Base):
    @property
    async def value(self):
        return 1

    square = lambda self, x: x * x
"#;
    assert_eq!(
        definitions("a.py", text),
        [
            "function outer 2-11 5",
            "function outer.<locals>.inner 7-10 2",
            "class outer.<locals>.inner.<locals>.Local 8-9 2",
            "function outer.<locals>.inner.<locals>.Local/method 9-9 1",
            "class C 13-18 5",
            "function C/value 15-16 2",
            "function C/square 18-18 1",
        ]
    );
}

#[test]
fn definitions_of_javascript() {
    let text = r#"function* generator() { yield 1; }
const arrow = async (a) => {
  const inner = function () { return a; };
};
export default function () {}
class A extends B {
  #hidden() {}
  get size() { return 1; }
  handler = () => {};
  static [Symbol.iterator]() {}
}
A.prototype.late = function named() {};
module.exports.f = () => 1;
const object = { method() {}, 'quoted': function () {}, short: (x) => x };
(function () { function inside() {} })();
list.map((x) => x);
"#;
    assert_eq!(
        definitions("a.js", text),
        [
            "function generator 1-1 1",
            "function arrow 2-4 2",
            "function arrow.inner 3-3 1",
            "function default 5-5 1",
            "class A 6-11 6",
            "function A/#hidden 7-7 1",
            "function A/size 8-8 1",
            "function A/handler 9-9 1",
            "function A/[Symbol.iterator] 10-10 1",
            "function named 12-12 1",
            "function f 13-13 1",
            "function method 14-14 1",
            "function quoted 14-14 1",
            "function short 14-14 1",
            "function inside 15-15 1",
        ]
    );
}

#[test]
fn definitions_of_typescript() {
    let text = r#"export namespace N {
  export interface I { f(): void }
  export abstract class A<T> implements I {
    constructor(private t: T) { super(); }
    abstract g(): void;
    f(): void {}
    h = (x: number): number => x;
  }
  enum E { One }
}
declare function outside(): void;
type Fn = () => void;
const view = <T,>(x: T) => { return x; };
"#;
    let expected = [
        "namespace N 1-10 10",
        "class N/I 2-2 1",
        "class N/A 3-8 6",
        "function N/A/constructor 4-4 1",
        "function N/A/f 6-6 1",
        "function N/A/h 7-7 1",
        "class N/E 9-9 1",
        "function view 13-13 1",
    ];
    assert_eq!(definitions("a.ts", text), expected);
    assert_eq!(definitions("a.tsx", text), expected);
}

/// The functions of one file, a line each: path below the file, cyclomatic complexity, comment lines.
fn metrics(file: &str, text: &str) -> Vec<String> {
    let scratch = Scratch::new(&format!("metrics-{}", file.replace('.', "-")));
    let (hierarchy, _) = scratch.write(file, text).scan();
    let functions = hierarchy
        .modules()
        .filter(|id| hierarchy.kind(*id) == ModuleKind::Function);
    functions
        .map(|id| {
            let module = hierarchy.module(id);
            format!(
                "{} {} {}",
                module.name, module.complexity, module.comment_lines
            )
        })
        .collect()
}

#[test]
fn functions_around_a_torn_statement_are_found() {
    let text = r#"int before(int a) {
#ifdef A
  if (a > 1 &&
#else
  if (
#endif
      a < 9) {
    return 1;
  }
  return a;
}
#if defined B
int split(int a) {
#elif defined C
int split(long a) {
#else
int split(void) {
#endif
  return 0;
}
#if X
int one(void) { return 1; }
#elif Y
int two(void) { return 2; }
#else
int three(void) { return 3; }
#endif
int after(void) { return 2; }
"#;
    assert_eq!(
        definitions("torn.c", text),
        [
            "function before 1-11 11",
            "function split 13-20 8",
            "function one 22-22 1",
            "function two 24-24 1",
            "function three 26-26 1",
            "function after 28-28 1",
        ]
    );
}

#[test]
fn definitions_of_java() {
    let text = r#"package a.b;
public class Outer<T> extends Base {
  private final Runnable run = () -> { };
  public Outer(int a) { super(a); }
  abstract void declared();
  @Override
  public T get(int a) {
    return new Other() {
      public void inner() { }
    };
  }
  enum Color { RED { void paint() { } } }
  interface Shape { double area(); default int sides() { return 0; } }
  record Point(int x, int y) { Point { } }
}
"#;
    assert_eq!(
        definitions("Outer.java", text),
        [
            "class Outer 2-15 14",
            "function Outer/run 3-3 1",
            "function Outer/Outer 4-4 1",
            "function Outer/get 6-11 5",
            "function Outer/get.inner 9-9 1",
            "class Outer/Color 12-12 1",
            "function Outer/Color/paint 12-12 1",
            "class Outer/Shape 13-13 1",
            "function Outer/Shape/sides 13-13 1",
            "class Outer/Point 14-14 1",
            "function Outer/Point/Point 14-14 1",
        ]
    );
}

#[cfg(feature = "kotlin")]
#[test]
fn definitions_of_kotlin() {
    let text = r#"package a.b
fun top(a: Int): Int = a
class Store<T>(val size: Int) {
  constructor() : this(1) { }
  fun get(i: Int): T { fun inner() = 1; return x }
  val isEmpty: Boolean get() = size == 0
  companion object {
    fun make() = Store<Int>()
  }
}
object Single {
  fun run() { }
}
interface Shape {
  fun area(): Double
}
val action = { x: Int -> x + 1 }
fun String.shout() = uppercase()
"#;
    assert_eq!(
        definitions("a.kt", text),
        [
            "function top 2-2 1",
            "class Store 3-10 8",
            "function Store/constructor 4-4 1",
            "function Store/get 5-5 1",
            "function Store/get.inner 5-5 1",
            "function Store/isEmpty 6-6 1",
            "class Store/Companion 7-9 3",
            "function Store/Companion/make 8-8 1",
            "class Single 11-13 3",
            "function Single/run 12-12 1",
            "class Shape 14-16 3",
            "function action 17-17 1",
            "function shout 18-18 1",
        ]
    );
}

#[cfg(feature = "kotlin")]
#[test]
fn kotlin_scripts_are_kotlin() {
    let text = "plugins { id(\"x\") }\nfun helper(): Int = 1\n";
    assert_eq!(
        definitions("build.gradle.kts", text),
        ["function helper 2-2 1"]
    );
}

#[cfg(feature = "csharp")]
#[test]
fn definitions_of_csharp() {
    let text = r#"using System;
namespace A.B;
public class Store<T> : Base {
  public int Auto { get; set; }
  public int Size => 1;
  public int Counted { get { return 1; } set { } }
  public Store() { }
  ~Store() { }
  public static Store operator +(Store a, Store b) => a;
  public T this[int i] => null;
  T IList.Get(int i) {
    int Local(int x) { return x; }
    Func<int, int> twice = x => 2 * x;
    return default;
  }
  struct Inner { void Run() { } }
}
interface IShape { double Area(); }
"#;
    assert_eq!(
        definitions("a.cs", text),
        [
            "namespace A.B 2-18 17",
            "class A.B/Store 3-17 15",
            "function A.B/Store/Size 5-5 1",
            "function A.B/Store/Counted 6-6 1",
            "function A.B/Store/Store 7-7 1",
            "function A.B/Store/~Store 8-8 1",
            "function A.B/Store/operator + 9-9 1",
            "function A.B/Store/this 10-10 1",
            "function A.B/Store/Get 11-15 3",
            "function A.B/Store/Get.Local 12-12 1",
            "function A.B/Store/Get.twice 13-13 1",
            "class A.B/Store/Inner 16-16 1",
            "function A.B/Store/Inner/Run 16-16 1",
            "class A.B/IShape 18-18 1",
        ]
    );
}

#[test]
fn definitions_of_go() {
    let text = r#"package a
type Store[T any] struct { x T }
func (s *Store[T]) Get(i int) T {
  inner := func() int { return 1 }
  return s.x
}
func (s Store[T]) Size() int { return 1 }
func free() {}
var handler = func(i int) {}
func (Other) Late() {}
type Shape interface { Area() float64 }
func declared()
"#;
    assert_eq!(
        definitions("a.go", text),
        [
            "class Store 2-7 6",
            "function Store/Get 3-6 3",
            "function Store/Get.inner 4-4 1",
            "function Store/Size 7-7 1",
            "function free 8-8 1",
            "function handler 9-9 1",
            "class Other 10-10 1",
            "function Other/Late 10-10 1",
            "class Shape 11-11 1",
        ]
    );
}

#[test]
fn definitions_of_ruby() {
    let text = r#"module A
  class B::C < Base
    def get(i) = i
    def self.make; new; end
    def []=(k, v)
      helper = ->(x) { x }
    end
    def size=(n); end
    define_method(:dynamic) { 1 }
    class << self
      def hidden; end
    end
  end
end
Point = Struct.new(:x) do
  def length; end
end
"#;
    assert_eq!(
        definitions("a.rb", text),
        [
            "class A 1-14 14",
            "class A/B 2-13 12",
            "class A/B/C 2-13 12",
            "function A/B/C/get 3-3 1",
            "function A/B/C/make 4-4 1",
            "function A/B/C/[]= 5-7 2",
            "function A/B/C/[]=.helper 6-6 1",
            "function A/B/C/size= 8-8 1",
            "function A/B/C/dynamic 9-9 1",
            "function A/B/C/hidden 11-11 1",
            "class Point 15-17 3",
            "function Point/length 16-16 1",
        ]
    );
}

#[test]
fn definitions_of_php() {
    let text = r#"<html><?php
namespace A\B;
function free($a) { return $a; }
abstract class C extends D {
  abstract function declared();
  public static function make(): static { $f = fn($x) => $x; return new static; }
}
trait T { function shared() {} }
$handler = function ($x) { return $x; };
namespace E;
function other() {}
"#;
    assert_eq!(
        definitions("a.php", text),
        [
            "namespace A\\B 2-9 8",
            "function A\\B/free 3-3 1",
            "class A\\B/C 4-7 4",
            "function A\\B/C/make 6-6 1",
            "function A\\B/C/make.f 6-6 1",
            "class A\\B/T 8-8 1",
            "function A\\B/T/shared 8-8 1",
            "function A\\B/handler 9-9 1",
            "namespace E 10-11 2",
            "function E/other 11-11 1",
        ]
    );
}

#[cfg(feature = "swift")]
#[test]
fn definitions_of_swift() {
    let text = r#"struct Store<T> {
  init(size: Int) { }
  deinit { }
  func get(_ i: Int) -> T { func inner() { }; return x }
  var isEmpty: Bool { return true }
  subscript(i: Int) -> T { return x }
}
extension Store { func extra() { } }
protocol Shape { func area() -> Double }
enum Color { case red; func name() -> String { "" } }
func free() { }
let handler = { (x: Int) in x }
"#;
    assert_eq!(
        definitions("a.swift", text),
        [
            "class Store 1-8 8",
            "function Store/init 2-2 1",
            "function Store/deinit 3-3 1",
            "function Store/get 4-4 1",
            "function Store/get.inner 4-4 1",
            "function Store/isEmpty 5-5 1",
            "function Store/subscript 6-6 1",
            "function Store/extra 8-8 1",
            "class Shape 9-9 1",
            "class Color 10-10 1",
            "function Color/name 10-10 1",
            "function free 11-11 1",
            "function handler 12-12 1",
        ]
    );
}

#[test]
fn definitions_of_lua() {
    let text = r#"local function hidden() end
function M.open(a) return a end
function M.sub:close() end
M.late = function() end
local short = function(x)
  local function inner() end
end
return { field = function() end }
"#;
    assert_eq!(
        definitions("a.lua", text),
        [
            "function hidden 1-1 1",
            "class M 2-2 1",
            "function M/open 2-2 1",
            "class M.sub 3-3 1",
            "function M.sub/close 3-3 1",
            "class M 4-4 1",
            "function M/late 4-4 1",
            "function short 5-7 2",
            "function short.inner 6-6 1",
            "function field 8-8 1",
        ]
    );
}

#[test]
fn definitions_of_shell_scripts() {
    let text = "#!/bin/bash
function one {
  echo
}
two() { echo; }
three() (
  echo
)
";
    assert_eq!(
        definitions("a.sh", text),
        [
            "function one 2-4 3",
            "function two 5-5 1",
            "function three 6-8 3",
        ]
    );
}

#[test]
fn files_of_an_amalgamation_are_modules() {
    let text = r#"int first(void) { return 1; }
/************** Begin file a.c ****/
int of_a(void) { return 1; }
/************** Begin file b.h ****/
int of_b(void) { return 1; }
/************** End of b.h ****/
/************** Continuing where we left off in a.c ****/
int also_of_a(void) { return 1; }
/************** End of a.c ****/
int last(void) { return 1; }
"#;
    assert_eq!(
        definitions("all.c", text),
        [
            "file a.c 3-8 2",
            "function a.c/of_a 3-3 1",
            "function a.c/also_of_a 8-8 1",
            "file b.h 5-5 1",
            "function b.h/of_b 5-5 1",
            "function first 1-1 1",
            "function last 10-10 1",
        ]
    );
}

#[test]
fn complexity_counts_the_decisions_of_each_language() {
    for (file, text, expected) in [
        (
            "a.c",
            "int f(int a) {\n // c\n if (a && a || 1) return a ? 1 : 2;\n switch (a) { case 1: case 2: default: ; }\n for (;;) while (1) do ; while (0);\n}\nint g(void) { return 1; }\n",
            &["f 10 1", "g 1 0"][..],
        ),
        (
            "a.cpp",
            "void f(T&& t) { for (auto x : y) try { } catch (...) { } if (a && b or c) ; }\n",
            &["f 6 0"],
        ),
        (
            "a.rs",
            "fn f() {\n match a { 1 if b => 1, 2 => 2, _ => 3 }\n if let A = b && c { d? }\n let g = |x| x || y;\n}\n",
            &["f 7 0"],
        ),
        (
            "a.py",
            "def f(a):\n  # c\n  if a and b or c: pass\n  elif d: pass\n  for x in y: pass\n  return [x for x in y if z] if a else b\ndef g():\n  def h():\n    if a: pass\n",
            &["f 9 1", "g 1 0", "g.<locals>.h 2 0"],
        ),
        (
            "a.js",
            "function f(a) { return a ? b ?? c : d && e || g; }\nconst g = () => { for (const x of y) switch (x) { case 1: default: } };\n",
            &["f 5 0", "g 3 0"],
        ),
        (
            "a.java",
            "class A { int f() { for (int x : y) if (a && b) { } try { } catch (E e) { } return switch (a) { case 1, 2 -> 3; default -> 4; }; } }\n",
            &["f 6 0"],
        ),
        (
            "a.go",
            "package a\nfunc f() { if a && b { }; for range c { }; switch d { case 1: default: }; select { case <-e: } }\n",
            &["f 6 0"],
        ),
        (
            "a.rb",
            "def f\n  return 1 if a && b\n  case c when 1 then 2 else 3 end\n  begin; rescue E; end\nend\n",
            &["f 5 0"],
        ),
        (
            "a.php",
            "<?php function f($a) { foreach ($a as $b) if ($b && $c) { } return $a ?? match($b) { 1 => 2, default => 3 }; }\n",
            &["f 6 0"],
        ),
        (
            "a.lua",
            "function f() if a and b then elseif c then end end\n",
            &["f 4 0"],
        ),
        (
            "a.sh",
            "f() { if a && b; then c; elif d; then e; fi; case $x in 1) ;; *) ;; esac; }\n",
            &["f 6 0"],
        ),
    ] {
        assert_eq!(metrics(file, text), expected, "{file}");
    }
}

#[cfg(feature = "swift")]
#[test]
fn complexity_counts_the_decisions_of_swift() {
    let text = "func f() { guard a else { return }\n if b && c { }\n switch d { case 1: e()\n default: g() }\n let h = a ? b : c ?? d\n}\n";
    assert_eq!(metrics("a.swift", text), ["f 7 0"]);
}

#[cfg(feature = "kotlin")]
#[test]
fn complexity_counts_the_decisions_of_kotlin() {
    let text = "fun f() {\n  if (a && b) { }\n  when (c) { 1, 2 -> d; else -> e }\n  for (x in y) { z ?: w }\n}\n";
    assert_eq!(metrics("a.kt", text), ["f 6 0"]);
}

#[cfg(feature = "csharp")]
#[test]
fn complexity_counts_the_decisions_of_csharp() {
    let text = "class A { int F() { foreach (var x in y) if (a && b) { } switch (c) { case 1: break; default: break; } return d ?? e switch { 1 => 2, _ => 3 }; } }\n";
    assert_eq!(metrics("a.cs", text), ["F 8 0"]);
}

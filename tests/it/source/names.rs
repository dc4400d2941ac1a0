//! Names that are written in a way of their own: operators, words between backticks, bodies of test macros.

use super::{Scratch, definitions};
use callscape::units::ModuleId;

/// The names of what a text defines, without lines.
fn names(path: &str, text: &str) -> Vec<String> {
    let found = definitions(path, text).into_iter();
    let name = |it: String| it.rsplitn(3, ' ').last().map(str::to_owned);
    found.filter_map(name).collect()
}

#[cfg(feature = "swift")]
#[test]
fn operators_of_swift_have_their_own_names() {
    let text = r#"struct N: Comparable {
  static func < (lhs: N, rhs: N) -> Bool { return true }
  static func == (lhs: N, rhs: N) -> Bool {
    return true
  }
  static prefix func - (x: N) -> N { x }
  static func +=(lhs: inout N, rhs: N) { }
  static func <= <T>(lhs: N, rhs: T) -> Bool { true }
  func `default`() -> Int { 1 }
}
func ~= (a: N, b: Int) -> Bool { a.v == b }
func <*> (a: N, b: N) -> N { a }
"#;
    let expected = [
        "class N",
        "function N/<",
        "function N/==",
        "function N/-",
        "function N/+=",
        "function N/<=",
        "function N/default",
        "function ~=",
        "function <*>",
    ];
    assert_eq!(names("names.swift", text), expected);
}

#[cfg(feature = "kotlin")]
#[test]
fn constructors_and_backticks_of_kotlin_harm_no_name() {
    let text = r#"class T {
  @Test fun `adds two numbers`() { }
  @Test fun `is a.b (c)`() = 1
}
class J {
  public class Options
  private constructor(
    internal val s: Int,
  ) {
    fun strings() = 1
  }
  class Generic<T : Any>
  @Inject internal constructor(val f: (T) -> Int) : Base() {
    fun inside() { }
  }
  fun f() = 1
}
class Top
constructor(val a: Int)
fun last() { }
"#;
    let expected = [
        "class T",
        "function T/adds two numbers",
        "function T/is a.b (c)",
        "class J",
        "class J/Options",
        "function J/Options/strings",
        "class J/Generic",
        "function J/Generic/inside",
        "function J/f",
        "class Top",
        "function last",
    ];
    assert_eq!(names("names.kt", text), expected);
}

#[test]
fn bodies_of_googletest_are_known_by_suite_and_test() {
    let text = "TEST(Math, Adds) {\n  f();\n}\nTEST_F(Shop, Opens) { }\nTEST(only) { }\nint f(void) { return 1; }\n";
    let found = names("names.cpp", text);
    for expected in ["Math_Adds_Test::TestBody", "Shop_Opens_Test::TestBody"] {
        let expected = expected.replace("::", "/");
        assert!(found.iter().any(|it| it.ends_with(&expected)), "{found:?}");
    }
    assert!(!found.iter().any(|it| it.ends_with("TEST_F")), "{found:?}");
}

/// Texts of older encodings are Windows-1252, whatever their language.
#[test]
fn names_in_older_encodings_are_read() {
    let scratch = Scratch::new("older");
    let files = [
        ("a.py", "def gr\u{f6}\u{df}e():\n    return 1\n"),
        ("A.java", "class A { void gr\u{f6}\u{df}e() { f(); } }\n"),
        ("a.c", "void gr\u{f6}\u{df}e(void) { f(); }\n"),
        ("a.cs", "class B { void gr\u{f6}\u{df}e() { f(); } }\n"),
        ("a.js", "function gr\u{f6}\u{df}e() { return f(); }\n"),
        ("a.php", "<?php function gr\u{f6}\u{df}e() { return 1; }\n"),
    ];
    for (name, text) in files {
        let bytes: Vec<u8> = text.chars().map(|it| it as u8).collect();
        scratch.write(name, bytes);
    }
    let (tree, _) = scratch.scan();
    let is_it = |id: &ModuleId| tree.name(*id) == "größe";
    assert_eq!(tree.modules().filter(is_it).count(), files.len());
}

//! Knots: files that use each other, directly or through others. None of them can be understood, tested or moved
//! without the rest.

use std::collections::{BTreeMap, BTreeSet};

use super::imports::{Imports, Segments};

/// The strongly connected components of more than one file, each in order; by the algorithm of Tarjan, *Depth-first
/// search and linear graph algorithms*.
pub fn knots(imports: &Imports) -> BTreeSet<Vec<String>> {
    let edges = imports.edges();
    let mut search = Search {
        edges: &edges,
        seen: BTreeMap::new(),
        path: Vec::new(),
        knots: BTreeSet::new(),
    };
    for file in edges.keys() {
        if !search.seen.contains_key(file) {
            search.visit(file);
        }
    }
    search.knots
}

struct Search<'a> {
    edges: &'a BTreeMap<Segments, BTreeSet<Segments>>,
    /// By file, its number in order of visits, and the least one that it leads back to.
    seen: BTreeMap<&'a Segments, (usize, usize)>,
    /// Files whose component is not known yet.
    path: Vec<&'a Segments>,
    knots: BTreeSet<Vec<String>>,
}

impl<'a> Search<'a> {
    /// The least number that `file` leads back to.
    fn visit(&mut self, file: &'a Segments) -> usize {
        let number = self.seen.len();
        self.seen.insert(file, (number, number));
        self.path.push(file);
        let mut least = number;
        for next in self.edges.get(file).into_iter().flatten() {
            let known = self.seen.get(next).map(|&(number, _)| number);
            least = least.min(match known {
                None => self.visit(next),
                Some(number) if self.path.contains(&next) => number,
                Some(_) => continue,
            });
        }
        if least == number {
            let start = self.path.iter().position(|&it| it == file);
            let found = self.path.split_off(start.unwrap_or(0));
            if found.len() > 1 {
                let mut names: Vec<String> = found.iter().map(|it| it.join("/")).collect();
                names.sort();
                self.knots.insert(names);
            }
        }
        least
    }
}

fn knots_of(files: &[(&str, &str)]) -> Vec<String> {
    let in_floor = |&(path, text): &(&str, &str)| (format!("floor/{path}"), text.to_owned());
    let files: Vec<(String, String)> = files.iter().map(in_floor).collect();
    let files = files.iter().map(|(path, text)| (&**path, &**text));
    let names = |knot: &Vec<String>| knot.join(" ").replace("floor/", "");
    knots(&Imports::of(files)).iter().map(names).collect()
}

#[test]
fn files_in_one_direction_are_no_knot() {
    let files = [
        ("lib.rs", "pub mod a; pub mod b;"),
        ("a.rs", "use crate::b::B; use std::fmt;"),
        ("b.rs", "pub struct B;"),
    ];
    assert!(knots_of(&files).is_empty());
}

#[test]
fn files_that_use_each_other_are_found_however_they_say_so() {
    for (a, b) in [
        ("use crate::b::B;", "use crate::a::A;"),
        (
            "use crate::{c, b::{self, B as Other}};",
            "use super::a::{A};",
        ),
        ("fn f() { crate::b::f() }", "fn f() -> super::a::A { A }"),
        (
            "mod inner { use super::super::b::B; }",
            "pub(in crate::c) use super::a;\nfn f(_: super::a::A) {}",
        ),
    ] {
        let files = [("a.rs", a), ("b.rs", b), ("c.rs", "")];
        assert_eq!(knots_of(&files), ["a b"], "{a}\n{b}");
    }
}

#[test]
fn a_knot_of_three_is_one() {
    let files = [
        ("a.rs", "use crate::b::B;"),
        ("b.rs", "use crate::c::C;"),
        ("c.rs", "use crate::a::A;"),
        ("d.rs", "use crate::a::A;"),
    ];
    assert_eq!(knots_of(&files), ["a b c"]);
}

#[test]
fn a_parent_that_only_hands_on_is_in_no_knot() {
    let child = ("a/child.rs", "use super::item::Item;");
    let item = ("a/item.rs", "pub struct Item;");
    let files = [
        ("a/mod.rs", "mod child; mod item; pub use item::Item;"),
        child,
        item,
    ];
    assert!(knots_of(&files).is_empty());
    // Through the parent it is the same item.
    let child = ("a/child.rs", "use super::Item;");
    let files = [
        ("a/mod.rs", "use child::f; pub use item::Item;"),
        child,
        item,
    ];
    assert!(knots_of(&files).is_empty());
    // What the parent has itself is another thing.
    for own in [
        "use child::f; pub struct Item;",
        "mod child; pub struct Item; fn g() { child::f() }",
        "mod child; pub struct Item; fn g() -> Option<child::F> { None }",
        "mod child; pub struct Item; const F: F = F { f: child::f };",
        "mod child; pub struct Item; fn g() { println!(\"{}\", child::F); }",
    ] {
        assert_eq!(
            knots_of(&[("a/mod.rs", own), child, item]),
            ["a a/child"],
            "{own}"
        );
    }
    // Only tests call the child.
    let own = "mod child; pub struct Item; #[cfg(test)] /* why */ fn g() { child::f() }";
    assert!(knots_of(&[("a/mod.rs", own), child, item]).is_empty());
}

#[test]
fn tests_comments_texts_and_visibility_use_nothing() {
    let quiet = r##"
        // use crate::b::B;
        /* use crate::b::B; /* crate::b */ */
        const TEXT: &str = "use crate::b::B; \" crate::b";
        const RAW: &str = r#"crate::b " crate::b"#;
        const SIGN: char = '"';
        fn f<'a>(_: &'a str) -> impl Sized + use<'a> {}
        pub(in crate::b) fn g() {}
        #[cfg(test)]
        use crate::b::B;
        #[cfg(test)]
        mod tests { use crate::b::B; fn f() { crate::b::f(); } }
    "##;
    let b = ("b.rs", "use crate::a::A;");
    assert!(knots_of(&[("a.rs", quiet), b]).is_empty());
    let loud = format!("{quiet} fn h() {{ crate::b::f() }}");
    assert_eq!(knots_of(&[("a.rs", &loud), b]), ["a b"]);
    let of_tests = [("a/tests.rs", "use crate::b::B;"), ("a/mod.rs", ""), b];
    assert!(knots_of(&of_tests).is_empty());
}

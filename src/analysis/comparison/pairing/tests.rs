use super::*;
use callscape_facts::hierarchy::{HierarchyBuilder, Module, NodeId};

/// `unique` with a generator in it, and a function of C++ with its parameters.
#[test]
fn a_name_or_path_is_that_of_the_function_and_not_of_what_stands_in_it() {
    let mut builder = HierarchyBuilder::new("app");
    let file = builder.add(NodeId::ROOT, Module::named(ModuleKind::File, "a.py"));
    let nodes = ["unique", "parse"]
        .map(|name| builder.add(file, Module::named(ModuleKind::Function, name)));
    let (hierarchy, ids) = builder.build();
    let [unique, parse] = nodes.map(|node| ids[node.index()]);
    let functions = [
        ("unique.<locals>.<genexpr>", unique),
        ("unique", unique),
        ("parse(int)", parse),
        ("Text.unique", unique),
    ];
    let found = |text: &str| {
        let all = (0u32..).zip(functions);
        let all = all.map(|(number, (name, module))| (number, name, module));
        named(&hierarchy, text, all)
    };
    assert_eq!(found("unique"), [1, 3]);
    assert_eq!(found("a.py/unique"), [1, 3]);
    assert_eq!(found("unique.<locals>.<genexpr>"), [0]);
    assert_eq!(found("parse"), [2]);
    assert_eq!(found("a.py/parse"), [2]);
    assert!(found("nique").is_empty());
}

#[test]
fn what_every_program_has_is_no_name() {
    for name in [
        "",
        "<module>",
        "f.<locals>.<lambda>",
        "Version.__init__.<locals>.<genexpr>",
        "(anonymous)",
        "[unknown]",
    ] {
        assert!(is_nameless(name), "{name}");
    }
    for name in [
        "f",
        "f(int)",
        "operator->",
        "Vec<T>",
        "<A as B>::clone",
        "<A as B>::f<C>",
        "f.<locals>.g",
    ] {
        assert!(!is_nameless(name), "{name}");
    }
}

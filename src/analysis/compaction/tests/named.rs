//! Names of what has source and of what has none.

use super::super::*;
use crate::session::{Inputs, Session};
use callscape_base::progress::Progress;
use callscape_base::units::FunctionId;

/// The full names of all functions of folded stacks, beside a source tree of these files.
fn names(files: &[(&str, &str)], stacks: &str) -> Vec<String> {
    let folder = std::env::temp_dir().join(format!(
        "callscape-names-{}-{}",
        std::process::id(),
        stacks.len()
    ));
    let _ = std::fs::remove_dir_all(&folder);
    for (path, text) in files {
        let path = folder.join("source").join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, text).expect("a file");
    }
    std::fs::create_dir_all(&folder).expect("a folder");
    let recording = folder.join("made.folded");
    std::fs::write(&recording, stacks).expect("a file");
    let inputs = Inputs {
        source_dir: (!files.is_empty()).then(|| folder.join("source")),
        recordings: vec![recording],
        ..Inputs::default()
    };
    let session = Session::open(&inputs, &Progress::new()).expect("inputs that can be read");
    let resolved = &session.recordings[0];
    let functions = &resolved.recording.functions;
    let called = |it: FunctionId| functions.get(it).name;
    let names = Names::new(&session.hierarchy, &resolved.resolution.modules, called);
    let all = functions.ids().map(|it| {
        let name = names.shortened(it, u16::MAX);
        let levels = (1..=names.full_length(it)).map(|level| names.shortened(it, level));
        let mut last = None;
        for level in levels {
            assert!(
                last.is_none_or(|it| names.is_prefix(it, level) && names.without_last(level) == it)
            );
            last = Some(level);
        }
        names.path(&session.hierarchy, name)
    });
    let mut all: Vec<String> = all.collect();
    all.sort();
    let _ = std::fs::remove_dir_all(&folder);
    all
}

const JAVA: &str =
    "java.lang.Thread.run;org.apache.axis.Client.call;com.acme.Foo.bar;java.util.HashMap.put 3\n";

#[test]
fn what_has_no_source_begins_with_its_own_package() {
    let files = [(
        "src/main/java/com/acme/Foo.java",
        "package com.acme;\nclass Foo {\n  void bar() {}\n}\n",
    )];
    let found = names(&files, JAVA);
    assert_eq!(
        found[1..],
        [
            "java.lang.Thread.run",
            "java.util.HashMap.put",
            "org.apache.axis.Client.call"
        ]
    );
    // What has source begins with its package too, not with the directories around it.
    assert!(
        found[0].starts_with("com.acme.") && found[0].ends_with("bar"),
        "{found:?}"
    );
}

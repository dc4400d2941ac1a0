//! Source trees that nobody would write, or that are damaged.

use std::fs;

use callscape::facts::hierarchy::ModuleKind;
use callscape::source;
use callscape::units::ModuleId;

use super::Scratch;
use crate::common::callscape;

#[test]
fn odd_files_do_no_harm() {
    let scratch = Scratch::new("odd");
    let mut utf16: Vec<u8> = vec![0xff, 0xfe];
    for unit in "int f(void) {\r\n  return 1;\r\n}\r\n".encode_utf16() {
        utf16.extend(unit.to_le_bytes());
    }
    scratch
        .write("utf16.c", utf16)
        .write("bom.py", b"\xef\xbb\xbf# comment\ndef f(): pass\n")
        .write(
            "latin1.c",
            b"int \xe9t\xe9(void) { return '\xff'; }\nint g(void) { return 0; }\n",
        )
        .write("nul.c", b"int f(void) {\0\0 return 1; }\n\0")
        .write("deep.c", "(".repeat(20_000))
        .write("deep.js", "function f() {".repeat(3000))
        .write("deep.py", "[".repeat(200_000))
        .write("long.js", format!("x = '{}';", "a".repeat(3 << 20)))
        .write(
            "white.c",
            format!("char *s = \"a\n{}\n\";", " ".repeat(200_000)),
        )
        .write("large.c", "int x;\n\n".repeat(2_200_000));
    let (hierarchy, mut warnings) = scratch.scan();
    // Whether the deep ones are parsed in time depends on the machine.
    warnings.retain(|(kind, _)| *kind != "file-took-too-long-to-parse");
    let find = |path: &str| {
        let mut modules = hierarchy.modules();
        let id = modules.find(|id| hierarchy.path(*id) == path);
        hierarchy.module(id.unwrap_or_else(|| panic!("{path} is a module")))
    };
    assert_eq!(find("utf16.c/f").end_line, 3);
    assert_eq!(find("bom.py").loc, 1);
    assert_eq!(find("latin1.c/g").line, 2);
    assert_eq!(find("nul.c/f").loc, 1);
    assert_eq!(find("large.c").loc, 2_200_000);
    assert_eq!(
        warnings,
        [
            ("file-too-large-to-parse".to_owned(), 1),
            ("file-too-sparse-to-parse".to_owned(), 1)
        ]
    );
}

#[cfg(unix)]
#[test]
fn links_and_names_that_are_no_text_do_no_harm() {
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::symlink;
    let scratch = Scratch::new("links");
    scratch.write("a/f.c", "int f(void) { return 1; }\n");
    symlink("..", scratch.0.join("a/loop")).expect("links are possible");
    symlink("f.c", scratch.0.join("a/same.c")).expect("links are possible");
    symlink("nowhere.c", scratch.0.join("a/broken.c")).expect("links are possible");
    let name = std::ffi::OsStr::from_bytes(b"\xff\xfe.c");
    fs::write(scratch.0.join(name), "int g(void) { return 1; }\n").expect("writable");
    let (hierarchy, warnings) = scratch.scan();
    assert_eq!(hierarchy.module(ModuleId::ROOT).loc, 2);
    assert_eq!(hierarchy.len(), 6);
    assert_eq!(warnings, [("link-not-followed".to_owned(), 3)]);
}

#[test]
fn directories_may_lie_deep() {
    let scratch = Scratch::new("deep");
    let path = "d/".repeat(900) + "f.c";
    scratch.write(&path, "int f(void) { return 1; }\n");
    let (hierarchy, _) = scratch.scan();
    assert_eq!(hierarchy.len(), 903);
    let output = callscape()
        .arg("tree")
        .arg(&scratch.0)
        .arg("--json")
        .output()
        .expect("it runs");
    assert!(output.status.success());
    assert_eq!(
        output.stdout.iter().filter(|&&byte| byte == b'{').count(),
        903
    );
}

#[cfg(unix)]
#[test]
fn what_cannot_be_read_is_listed_and_nothing_else_is_lost() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let scratch = Scratch::new("unreadable");
    scratch
        .write("a/f.c", "int f(void) { return 1; }\n")
        .write("closed/g.c", "int g(void) { return 1; }\n")
        .write("h.c", "int h(void) { return 1; }\n");
    symlink(".", scratch.0.join("self")).expect("links are possible");
    symlink("/", scratch.0.join("a/all")).expect("links are possible");
    let close = |path: &str, mode| {
        let path = scratch.0.join(path);
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("it is ours");
    };
    close("closed", 0o000);
    close("h.c", 0o000);
    // Nothing is closed to the superuser.
    let is_closed = fs::read_dir(scratch.0.join("closed")).is_err();
    let (hierarchy, warnings) = scratch.scan();
    let output = callscape()
        .arg("tree")
        .arg(&scratch.0)
        .arg("--skipped")
        .output()
        .expect("it runs");
    close("closed", 0o755);
    assert!(output.status.success());
    let listed = String::from_utf8_lossy(&output.stdout);
    if is_closed {
        assert_eq!(hierarchy.module(ModuleId::ROOT).loc, 1);
        let expected = [
            ("link-not-followed".to_owned(), 2),
            ("unreadable".to_owned(), 2),
        ];
        assert_eq!(warnings, expected);
        assert_eq!(listed.lines().count(), 4, "{listed}");
    } else {
        assert_eq!(hierarchy.module(ModuleId::ROOT).loc, 3);
        assert_eq!(warnings, [("link-not-followed".to_owned(), 2)]);
    }
}

#[test]
fn errors_of_syntax_are_listed_with_the_lines_that_they_hide() {
    let scratch = Scratch::new("syntax");
    scratch
        .write("good.py", "def f():\n    return 1\n")
        .write("bad.rs", "fn f() {}\n)))\n%%% $$\nfn g() {}\n");
    let output = callscape()
        .args(["tree", "--skipped"])
        .arg(&scratch.0)
        .output()
        .expect("it runs");
    assert!(output.status.success());
    let listed = String::from_utf8_lossy(&output.stdout);
    let [line] = listed.lines().collect::<Vec<_>>()[..] else {
        panic!("{listed}");
    };
    assert!(line.starts_with("syntax error: bad.rs, line 2: "), "{line}");
    assert!(line.ends_with("hiding 2 lines"), "{line}");
}

#[cfg(unix)]
#[test]
fn pipes_and_the_longest_paths_do_no_harm() {
    let scratch = Scratch::new("pipes");
    scratch.write("a.c", "int f(void) { return 1; }\n");
    let pipe = std::process::Command::new("mkfifo")
        .arg(scratch.0.join("pipe.c"))
        .status();
    assert!(pipe.is_ok_and(|status| status.success()));
    // As long as the system takes it; deeper ones are made from inside, as an archive would.
    let mut path = scratch.0.clone();
    while path.as_os_str().len() < 3_800 {
        path.push("d".repeat(200));
    }
    fs::create_dir_all(&path).expect("the system takes such paths");
    fs::write(path.join("long.c"), "int g(void) { return 1; }\n").expect("writable");
    let (hierarchy, warnings) = scratch.scan();
    assert_eq!(hierarchy.module(ModuleId::ROOT).loc, 2);
    assert_eq!(warnings, [("no-regular-file".to_owned(), 1)]);
    assert_eq!(hierarchy.module(ModuleId::ROOT).functions, 2);
}

#[test]
fn binary_files_and_endless_lines_do_no_harm() {
    let scratch = Scratch::new("binary");
    let noise: Vec<u8> = (0..300_000u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8)
        .collect();
    scratch
        .write("noise.c", &noise)
        .write("noise.py", &noise)
        .write("noise.rb", &noise)
        .write("noise.rs", &noise)
        .write("zeros.js", vec![0; 100_000])
        .write("line.css", "a".repeat(20 << 20))
        .write("good.c", "int f(void) { return 1; }\n");
    let (hierarchy, warnings) = scratch.scan();
    let binary = ("binary-file".to_owned(), 5);
    let endless = ("file-too-large-to-parse".to_owned(), 1);
    assert_eq!(warnings, [binary, endless]);
    let files = hierarchy
        .modules()
        .filter(|id| hierarchy.kind(*id) == ModuleKind::File);
    assert_eq!(files.count(), 7);
    let mut modules = hierarchy.modules();
    assert!(modules.any(|id| hierarchy.path(id) == "good.c/f"));
}

#[test]
fn files_larger_than_memory_should_hold_are_counted_by_what_is_blank() {
    let scratch = Scratch::new("large");
    let path = scratch.0.join("large.c");
    let file = fs::File::create(&path).expect("writable");
    // A hole: it takes no space on the disk.
    file.set_len(500 << 20).expect("holes are possible");
    scratch.write("a.c", "int f(void) { return 1; }\n");
    let (hierarchy, warnings) = scratch.scan();
    assert_eq!(warnings, [("file-too-large-to-parse".to_owned(), 1)]);
    assert_eq!(hierarchy.module(ModuleId::ROOT).functions, 1);
}

#[test]
fn a_tree_may_change_while_it_is_scanned() {
    let scratch = Scratch::new("changing");
    for file in 0..40 {
        scratch.write(&format!("f{file}.c"), "int f(void) { return 1; }\n");
    }
    let progress = callscape::progress::Progress::new();
    let mut scan = source::Scan::start_with_cache(&scratch.0, None, &progress).expect("a tree");
    // Between the two steps.
    scratch.write("f0.c", "int f(void) {\n  return 1;\n}\nint g(void) {\n}\n");
    fs::remove_file(scratch.0.join("f1.c")).expect("it was there");
    fs::remove_file(scratch.0.join("f2.c")).expect("it was there");
    fs::create_dir(scratch.0.join("f2.c")).expect("writable");
    scan.finish(&progress).expect("a tree");
    let hierarchy = scan.hierarchy();
    super::check(&hierarchy);
    let find = |path: &str| hierarchy.modules().find(|id| hierarchy.path(*id) == path);
    assert_eq!(hierarchy.module(find("f0.c").expect("a file")).loc, 5);
    assert!(find("f0.c/g").is_some());
    assert!(find("f1.c").is_some() && find("f1.c/f").is_none());
    let problems = scan.problems();
    assert_eq!(problems.len(), 3, "{problems:?}");
    let is_change = |kind: &str| kind == "changed-while-it-was-scanned";
    assert!(problems.iter().all(|problem| is_change(problem.kind)));
}

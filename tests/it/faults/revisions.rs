//! Revisions, and repositories that are not as one would wish.

use std::path::Path;

use callscape::progress::Progress;
use callscape::source::history::change::Changes;
use callscape::source::history::{HistoryError, changes};

use super::{Call, commit, faults, git, recording, text, write};
use crate::common::Scratch;

fn read(dir: &Path, good: &str, bad: Option<&str>) -> Result<Changes, HistoryError> {
    changes(dir, good, bad, &[], &Progress::new())
}

fn repository(name: &str) -> Option<(Scratch, Vec<String>)> {
    let scratch = Scratch::new(name);
    git(&scratch.0, &["init", "-q", "-b", "main"])?;
    let ids = (0..4).map(|n| {
        write(
            &scratch.0,
            "a.c",
            &format!("int f(void) {{ return {n}; }}\n"),
        );
        commit(&scratch.0, &format!("commit {n}"))
    });
    let ids = ids.collect();
    Some((scratch, ids))
}

#[test]
fn revisions_are_read_as_git_reads_them() {
    let Some((scratch, ids)) = repository("faults-names") else {
        return;
    };
    let dir = &scratch.0;
    git(dir, &["tag", "-a", "-m", "x", "v1", &ids[1]]).expect("a tag");
    git(dir, &["branch", "topic", &ids[2]]).expect("a branch");
    for name in [
        "v1",
        "v1^{}",
        "v1^{commit}",
        "topic~",
        "topic^",
        "topic~1",
        "HEAD~2",
        "@~2",
        "main~1~1",
        "refs/tags/v1",
        &ids[1],
        &ids[1][..9],
    ] {
        let expected =
            git(dir, &["rev-parse", &format!("{name}^{{commit}}")]).expect("git knows it");
        let found = read(dir, name, Some("HEAD")).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(found.good.id, expected.trim(), "{name}");
    }
    for name in [
        "none",
        "HEAD~9",
        "HEAD^2",
        "abcdef1",
        "v1~",
        "0000000000000000000000000000000000000000",
    ] {
        let error = read(dir, name, None);
        let is_known = git(
            dir,
            &["rev-parse", "-q", "--verify", &format!("{name}^{{commit}}")],
        )
        .is_some();
        assert_eq!(error.is_ok(), is_known, "{name}");
    }
    for name in ["", "HEAD@{1}", ":/x", "a..b", "HEAD~x", "x y"] {
        assert!(
            matches!(read(dir, name, None), Err(HistoryError::RevisionForm(_))),
            "{name}"
        );
    }
    git(dir, &["branch", "v1", &ids[0]]).expect("a branch");
    let error = read(dir, "v1", None)
        .expect_err("tag or branch")
        .to_string();
    assert!(
        error.contains("refs/tags/v1") && error.contains("refs/heads/v1"),
        "{error}"
    );
    assert!(read(dir, "refs/heads/v1", None).is_ok());
}

#[test]
fn nothing_that_a_repository_configures_is_executed() {
    let Some((scratch, ids)) = repository("faults-hostile") else {
        return;
    };
    let dir = &scratch.0;
    let proof = dir.join("executed");
    let program = dir.join("program.sh");
    write(
        dir,
        "program.sh",
        &format!("#!/bin/sh\ntouch {}\ncat\n", proof.display()),
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&program, mode.clone()).expect("permissions");
        for hook in [
            "post-index-change",
            "post-checkout",
            "reference-transaction",
            "fsmonitor-watchman",
        ] {
            let path = dir.join(".git/hooks").join(hook);
            std::fs::create_dir_all(dir.join(".git/hooks")).expect("a folder");
            std::fs::copy(&program, &path).expect("a hook");
            std::fs::set_permissions(&path, mode.clone()).expect("permissions");
        }
    }
    let program = text(&program);
    for (name, value) in [
        ("core.fsmonitor", program),
        ("core.pager", program),
        ("core.sshCommand", program),
        ("filter.x.clean", program),
        ("filter.x.smudge", program),
        ("filter.x.process", program),
        ("diff.x.textconv", program),
        ("diff.external", program),
        ("core.attributesFile", "attributes"),
    ] {
        git(dir, &["config", name, value]).expect("configured");
    }
    write(dir, ".gitattributes", "* filter=x diff=x\n");
    std::fs::remove_file(&proof).ok();
    write(dir, "a.c", "int f(void) { return 9; }\n");
    let found = read(dir, &ids[0], None).expect("changes");
    assert_eq!(found.files.len(), 1);
    let bad = recording(&scratch, "bad.json", vec![Call("f", "/x/a.c:1", 3, vec![])]);
    let (code, _, error) = faults(&[text(dir), "--good", &ids[0], text(&bad)]);
    assert_eq!(code, 0, "{error}");
    assert!(!proof.exists());
}

#[test]
fn what_is_wrong_is_said_in_a_line() {
    let Some((scratch, ids)) = repository("faults-wrong") else {
        return;
    };
    let dir = &scratch.0;
    let bad = recording(&scratch, "bad.json", vec![Call("f", "/x/a.c:1", 3, vec![])]);
    let other = recording(
        &scratch,
        "other.json",
        vec![Call("g", "/y/b.py:1", 3, vec![])],
    );
    let outside = Scratch::new("faults-outside");
    write(&outside.0, "a.c", "int f;\n");
    let cases = [
        (
            vec![text(dir), "--good", "none", text(&bad)],
            1,
            "no commit is named 'none'",
        ),
        (
            vec![text(dir), "--good", "HEAD", text(&other)],
            1,
            "expected a recording of this program",
        ),
        (
            vec![text(&outside.0), "--good", "HEAD", text(&bad)],
            1,
            "not in a git repository",
        ),
        (
            vec![text(dir), "--good", "HEAD", "none.json"],
            1,
            "none.json",
        ),
        (
            vec!["none", "--good", "HEAD", text(&bad)],
            1,
            "expected the directory",
        ),
        (vec![text(dir), text(&bad)], 2, "--good"),
    ];
    for (args, code, said) in cases {
        let (found, _, error) = faults(&args);
        assert!(
            found == code && error.contains(said),
            "{args:?}: {found} {error}"
        );
    }
    // A clone that has no more than its newest commit.
    let clone = Scratch::new("faults-shallow");
    let url = format!("file://{}", text(dir));
    let into = clone.0.join("tree");
    if git(
        &clone.0,
        &["clone", "-q", "--depth", "1", &url, text(&into)],
    )
    .is_some()
    {
        let error = read(&into, &ids[0], None)
            .expect_err("it is not there")
            .to_string();
        assert!(error.contains("shallow"), "{error}");
        assert!(read(&into, "HEAD", None).expect("itself").is_shallow);
    }
}

#[test]
fn submodules_links_and_what_is_no_text_are_counted_and_not_followed() {
    let Some((scratch, ids)) = repository("faults-kinds") else {
        return;
    };
    let dir = &scratch.0;
    let (inner, _) = repository("faults-inner").expect("git is there");
    let added = git(dir, &["submodule", "-q", "add", text(&inner.0), "inner"]);
    write(dir, "data.c", "\0\u{1}\0");
    #[cfg(unix)]
    std::os::unix::fs::symlink("/etc/passwd", dir.join("link.c")).expect("a link");
    commit(dir, "kinds");
    let found = read(dir, &ids[3], Some("HEAD")).expect("changes");
    assert_eq!(found.left_out.binary, 1);
    assert_eq!(found.left_out.submodules, u32::from(added.is_some()));
    #[cfg(unix)]
    assert_eq!(found.left_out.links, 1);
    let of_tree = read(dir, &ids[3], None).expect("changes");
    assert_eq!(of_tree.left_out.binary, 1);
    assert!(
        of_tree
            .files
            .iter()
            .all(|it| !it.path.starts_with("inner/") && it.path != "link.c")
    );
}

//! Texts of all kinds, and paths that lead elsewhere.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::*;

fn of(bytes: &[u8]) -> SourceText {
    SourceText::of(bytes.to_vec()).expect("it is text")
}

fn lines(text: &SourceText) -> Vec<&str> {
    (1..=text.lines())
        .map(|number| text.line(number).expect("there is such a line"))
        .collect()
}

#[test]
fn lines_are_those_that_compilers_count() {
    for (bytes, expected) in [
        (&b""[..], &[][..]),
        (b"\n", &[""]),
        (b"a", &["a"]),
        (b"a\nb", &["a", "b"]),
        (b"a\nb\n", &["a", "b"]),
        (b"a\r\nb\r\n", &["a", "b"]),
        (b"a\rb\n", &["a\rb"]),
        (b"\n\n\tc\n", &["", "", "\tc"]),
        (b"\r\n\r", &["", ""]),
        (b"\xef\xbb\xbfa\nb", &["a", "b"]),
        (b"\xff\xfea\0\r\0\n\0b\0", &["a", "b"]),
        (b"\xfe\xff\0a\0\n\0b", &["a", "b"]),
        (b"Stra\xdfe\n\x80 \xe4\n", &["Straße", "€ ä"]),
    ] {
        let text = of(bytes);
        assert_eq!(lines(&text), expected, "{bytes:?}");
        assert_eq!(text.line(0), None);
        assert_eq!(text.line(text.lines() + 1), None);
        assert_eq!(text.replaced(), 0);
    }
}

#[test]
fn lines_of_random_bytes_are_those_between_line_ends() {
    let mut state = 7_u64;
    for _ in 0..500 {
        let bytes: Vec<u8> = (0..state % 60)
            .map(|_| {
                state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(11);
                b"\n\n\r\ta\xff\xc3\xa9"[(state >> 60) as usize % 8]
            })
            .collect();
        state = state.wrapping_add(3);
        let text = of(&bytes);
        // What has a character of UTF-8, or the byte that Windows-1252 lacks, is damaged UTF-8. In the others it is Latin-1.
        let is_damaged = bytes.contains(&0xff) || bytes.windows(2).any(|it| it == b"\xc3\xa9");
        let latin = || bytes.iter().copied().map(char::from).collect();
        let whole = match std::str::from_utf8(&bytes) {
            Err(_) if !is_damaged => latin(),
            _ => String::from_utf8_lossy(&bytes).into_owned(),
        };
        let mut expected: Vec<&str> = whole.split('\n').collect();
        if expected.last() == Some(&"") {
            expected.pop();
        }
        let expected: Vec<&str> = expected
            .iter()
            .map(|line| line.strip_suffix('\r').unwrap_or(line))
            .collect();
        assert_eq!(lines(&text), expected, "{bytes:?}");
        assert_eq!(text.text(), whole);
        let longest = expected.iter().map(|line| line.len()).max().unwrap_or(0);
        assert_eq!(text.longest() as usize, longest);
        for place in 0..whole.len() {
            let breaks = whole.as_bytes()[..place].iter();
            let before = breaks.filter(|&&byte| byte == b'\n').count() as u32;
            assert_eq!(text.line_at(place), before + 1, "{bytes:?} at {place}");
        }
    }
}

#[test]
fn what_is_no_text_is_counted_or_refused() {
    let text = of(b"ok\n\xff\xfe and \xe4\xf6\n\xc3\xa9");
    assert_eq!(text.replaced(), 4);
    assert_eq!(text.line(3), Some("é"));
    assert_eq!(SourceText::of(b"\x7fELF\0\0\0".to_vec()), None);
    // A zero far behind is no sign of other data.
    let mut late = vec![b'a'; TOLD_BY];
    late.push(0);
    assert!(SourceText::of(late).is_some());
}

#[test]
fn a_line_of_a_megabyte_is_a_line() {
    let mut bytes = vec![b'x'; 1 << 20];
    bytes.extend_from_slice(b"\nend");
    let text = of(&bytes);
    assert_eq!(text.lines(), 2);
    assert_eq!(text.longest(), 1 << 20);
    assert_eq!(text.line(2), Some("end"));
    assert_eq!(text.line_at(1 << 20), 1);
    assert_eq!(text.line_at((1 << 20) + 1), 2);
}

struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let name = format!("callscape-text-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(folder.join("tree/inner")).expect("a folder");
        std::fs::write(folder.join("secret"), "secret\n").expect("a file");
        std::fs::write(folder.join("tree/inner/a.c"), "int a;\n").expect("a file");
        Folder(folder)
    }

    fn tree(&self) -> TextTree {
        TextTree::new(&self.0.join("tree")).expect("a tree")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_file_is_read_only_inside_the_tree() {
    let folder = Folder::new("inside");
    let tree = folder.tree();
    let read = |path: &Path| tree.read(path);
    for path in ["inner/a.c", "./inner/a.c", "inner/../inner/a.c"] {
        let text = read(Path::new(path)).expect("it lies inside");
        assert_eq!(text.line(1), Some("int a;"));
        assert!(text.modified().is_some());
    }
    let whole = tree.root().join("inner/a.c");
    assert!(read(&whole).is_ok(), "an absolute path inside");
    let secret = folder.0.join("secret");
    for path in [
        "/etc/passwd",
        "../secret",
        "inner/../../secret",
        "../../../../../../../../etc/passwd",
        "..",
        secret.to_str().expect("text"),
        &format!("{}/../secret", tree.root().display()),
    ] {
        let found = read(Path::new(path));
        assert!(matches!(found, Err(TextError::Outside(_))), "{path}");
    }
    assert!(matches!(read(Path::new("gone.c")), Err(TextError::Gone(_))));
    assert!(matches!(
        read(Path::new("inner/a.c/b")),
        Err(TextError::Gone(_))
    ));
    assert!(matches!(
        read(Path::new("inner")),
        Err(TextError::NotAFile(_))
    ));
    assert!(TextTree::new(&folder.0.join("secret")).is_err());
}

#[test]
fn a_structure_has_its_text_beside_it() {
    let folder = Folder::new("beside");
    let structure = folder.0.join("a.callscape-structure");
    std::fs::write(&structure, "").expect("a file");
    assert!(TextTree::new(&structure).is_err(), "no text yet");
    std::fs::rename(folder.0.join("tree"), folder.0.join("a.text")).expect("it is ours");
    let tree = TextTree::new(&structure).expect("a tree");
    assert!(tree.read(Path::new("inner/a.c")).is_ok());
    let found = tree.read(Path::new("../secret"));
    assert!(matches!(found, Err(TextError::Outside(_))));
}

#[cfg(unix)]
#[test]
fn links_are_followed_inside_the_tree_alone() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new("links");
    let tree = folder.tree();
    let root = tree.root();
    symlink(folder.0.join("secret"), root.join("out.c")).expect("a link");
    symlink(&folder.0, root.join("up")).expect("a link");
    symlink("inner/a.c", root.join("in.c")).expect("a link");
    symlink("loop.c", root.join("loop.c")).expect("a link");
    let read = |path: &str| tree.read(Path::new(path));
    assert!(read("in.c").is_ok());
    for path in ["out.c", "up/secret"] {
        assert!(matches!(read(path), Err(TextError::Outside(_))), "{path}");
    }
    assert!(matches!(read("loop.c"), Err(TextError::Io { .. })));
    // Named through a link: the tree is where that leads.
    let named = folder.0.join("named");
    symlink(root, &named).expect("a link");
    let tree = TextTree::new(&named).expect("a tree");
    assert!(tree.read(&named.join("inner/a.c")).is_ok());
}

#[cfg(unix)]
#[test]
fn no_pipe_is_opened() {
    let folder = Folder::new("pipe");
    let tree = folder.tree();
    let pipe = tree.root().join("pipe.c");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    if made.is_ok_and(|status| status.success()) {
        let found = tree.read(Path::new("pipe.c"));
        assert!(matches!(found, Err(TextError::NotAFile(_))));
    }
}

#[test]
fn a_file_changed_after_the_recording_is_newer() {
    let folder = Folder::new("newer");
    let text = folder.tree().read(Path::new("inner/a.c")).expect("a text");
    let modified = text.modified().expect("the system says");
    assert!(!text.is_newer_than(modified));
    assert!(text.is_newer_than(modified - Duration::from_secs(1)));
    assert!(!text.is_newer_than(modified + Duration::from_secs(1)));
}

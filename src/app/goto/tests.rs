use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use super::*;

/// A folder for one test, gone after it.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("cs-goto-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).expect("a temporary folder");
        Folder(path)
    }

    fn sockets(&self) -> PathBuf {
        self.0.join("callscape")
    }

    fn mode(&self, name: &str) -> u32 {
        let metadata = fs::symlink_metadata(self.sockets().join(name)).expect("it is there");
        metadata.permissions().mode() & 0o777
    }

    fn listener(&self, name: &str) -> Listener {
        Listener::at(&self.sockets(), name, || ()).expect("a socket")
    }

    /// What is answered to these bytes.
    fn send(&self, name: &str, bytes: &[u8]) -> String {
        let mut stream = UnixStream::connect(self.sockets().join(name)).expect("it listens");
        // It may answer, and close, before it has all.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A window that answers the same to everything.
struct Window {
    asked: Arc<Mutex<Vec<Place>>>,
    is_closed: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Window {
    fn open(listener: Listener, answer: Result<(), &'static str>) -> Window {
        let (asked, is_closed) = (Arc::default(), Arc::default());
        let window = Window {
            asked: Arc::clone(&asked),
            is_closed: Arc::clone(&is_closed),
            thread: None,
        };
        let thread = std::thread::spawn(move || {
            while !is_closed.load(Ordering::Relaxed) {
                listener.answer(|place| {
                    asked.lock().expect("no panic").push(place.clone());
                    answer.map_err(str::to_owned)
                });
                std::thread::yield_now();
            }
        });
        Window {
            thread: Some(thread),
            ..window
        }
    }

    /// What it was asked.
    fn close(mut self) -> Vec<Place> {
        self.is_closed.store(true, Ordering::Relaxed);
        let thread = self.thread.take().expect("it was started");
        thread.join().expect("no panic");
        std::mem::take(&mut self.asked.lock().expect("no panic"))
    }
}

fn at(file: &str, line: u32) -> Place {
    let file = PathBuf::from(file);
    Place { file, line }
}

#[test]
fn a_window_shows_what_it_is_asked_and_only_its_user_may_ask() {
    let folder = Folder::new();
    let listener = folder.listener("1.sock");
    assert_eq!((folder.mode(""), folder.mode("1.sock")), (0o700, 0o600));
    let window = Window::open(listener, Ok(()));
    let places = [at("/src/a.c", 12), at("/a b/\"'\n\\é.c", u32::MAX)];
    for place in &places {
        tell::tell(&folder.sockets(), place).expect("it is shown");
    }
    assert_eq!(window.close(), places);
    assert!(
        !folder.sockets().join("1.sock").exists(),
        "it is gone with the window"
    );
}

#[test]
fn the_window_that_shows_the_tree_is_found_among_others() {
    let folder = Folder::new();
    let refuses = Window::open(folder.listener("1.sock"), Err("not here"));
    let shows = Window::open(folder.listener("2.sock"), Ok(()));
    let refuses_too = Window::open(folder.listener("3.sock"), Err("nor here"));
    // One that ended without tidying up, and what is no socket at all.
    drop(UnixListener::bind(folder.sockets().join("4.sock")).expect("a socket"));
    fs::write(folder.sockets().join("5.sock"), "x").expect("a file");
    tell::tell(&folder.sockets(), &at("/a.c", 1)).expect("one of them shows it");
    assert!(!folder.sockets().join("4.sock").exists(), "it is tidied up");
    assert_eq!(shows.close(), [at("/a.c", 1)]);
    let refused = tell::tell(&folder.sockets(), &at("/a.c", 1));
    let refused = refused.expect_err("nobody shows it").to_string();
    assert!(
        refused.starts_with("/a.c: ") && refused.ends_with("here"),
        "{refused}"
    );
    refuses.close();
    refuses_too.close();
    let nobody = tell::tell(&folder.sockets(), &at("/a.c", 1));
    assert!(
        nobody
            .expect_err("nobody is there")
            .to_string()
            .contains("no window")
    );
}

#[test]
fn what_is_not_understood_is_refused_and_changes_nothing() {
    let folder = Folder::new();
    let window = Window::open(folder.listener("1.sock"), Ok(()));
    let long = format!("{{\"file\": \"/{}\", \"line\": 1}}\n", "a".repeat(1 << 20));
    let hostile: [&[u8]; 13] = [
        b"",
        b"\n",
        b"hello\n",
        b"{}\n",
        b"{\"file\": \"/a.c\"}\n",
        b"{\"file\": \"/a.c\", \"line\": 0}\n",
        b"{\"file\": \"/a.c\", \"line\": -1}\n",
        b"{\"file\": \"/a.c\", \"line\": 99999999999}\n",
        b"{\"file\": \"a.c\", \"line\": 1}\n",
        b"{\"file\": \"/a.c\", \"line\": 1, \"run\": \"x\"}\n",
        b"{\"file\": \"/a.c\", \"line\": 1}",
        b"\xff\xfe\0\0\n",
        long.as_bytes(),
    ];
    for bytes in hostile {
        let answer = folder.send("1.sock", bytes);
        let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(80)]).into_owned();
        // What is too long may find no reader for its end, and so no answer.
        assert!(
            answer.contains("error") || bytes.len() > 1 << 20,
            "{shown}: {answer}"
        );
    }
    let answer = folder.send("1.sock", b"{\"file\": \"/a.c\", \"line\": 3}\nmore\n");
    assert_eq!(answer, "{}\n");
    assert_eq!(window.close(), [at("/a.c", 3)]);
}

#[test]
fn nobody_listens_where_others_may_enter() {
    let folder = Folder::new();
    fs::create_dir(folder.sockets()).expect("a folder");
    let set = |mode| {
        let mode = fs::Permissions::from_mode(mode);
        fs::set_permissions(folder.sockets(), mode).expect("its mode");
    };
    set(0o755);
    assert!(Listener::at(&folder.sockets(), "1.sock", || ()).is_err());
    assert!(!folder.sockets().join("1.sock").exists(), "nothing is left");
    set(0o700);
    drop(folder.listener("1.sock"));
    // A folder that lies somewhere else.
    let link = folder.0.join("link");
    symlink(folder.sockets(), &link).expect("a link");
    assert!(Listener::at(&link, "1.sock", || ()).is_err());
    assert!(Listener::at(&folder.0.join("no/such"), "1.sock", || ()).is_err());
}

#[test]
fn a_place_is_a_file_and_a_line_and_perhaps_a_column() {
    let folder = Folder::new();
    let name = |name: &str| {
        let path = folder.0.join(name);
        fs::write(&path, "").expect("a file");
        path.canonicalize().expect("it is there")
    };
    let (plain, odd) = (name("a.c"), name("b:7"));
    let of = |text: &str| place(text).expect("the file is there");
    let text = |path: &PathBuf| path.to_str().expect("text").to_owned();
    let expected = |file: &PathBuf, line| Place {
        file: file.clone(),
        line,
    };
    assert_eq!(of(&text(&plain)), expected(&plain, 1));
    assert_eq!(of(&(text(&plain) + ":12")), expected(&plain, 12));
    assert_eq!(of(&(text(&plain) + ":12:5")), expected(&plain, 12));
    assert_eq!(of(&text(&odd)), expected(&odd, 1));
    assert_eq!(of(&(text(&odd) + ":3")), expected(&odd, 3));
    for wrong in ["", ":", ":3", "/no/such:1"] {
        assert!(place(wrong).is_err(), "{wrong}");
    }
    for wrong in [":0", ":x", ":-1", ":1:2:3", ":"] {
        assert!(place(&(text(&plain) + wrong)).is_err(), "{wrong}");
    }
}

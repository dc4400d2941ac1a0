//! What killed processes have left beside recordings: found when the next recording begins there, and removed. A private
//! folder is abandoned when nobody holds its lock, and no recorder that goes on without us still writes into it.

use std::fs;
use std::path::Path;

use super::keep::KEPT;
use super::private::{PRIVATE, is_same, open};
use super::recorder::Recorder;
use super::{driver, others, rename};

/// Removes what is abandoned beside the private folder `own`.
pub(crate) fn around(own: &Path) {
    let Some(entries) = own.parent().and_then(|it| fs::read_dir(it).ok()) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_private = name.as_encoded_bytes().ends_with(PRIVATE.as_bytes());
        let path = entry.path();
        if is_private && path != own && is_of_same_user(&path, own) {
            remove_abandoned(&path);
        }
    }
}

/// Removes a private folder where it is abandoned; whether it did.
pub(crate) fn remove_abandoned(folder: &Path) -> bool {
    let Ok(file) = open(folder) else {
        return false;
    };
    // Where it is not known that it can be locked, nothing is ever abandoned.
    if file.try_lock().is_err() || !is_same(&file, folder) || is_in_use(folder) {
        return false;
    }
    rescue(folder);
    fs::remove_dir_all(folder).is_ok()
}

/// What `--keep` was told to be kept, and what Frida has recorded, is not removed: it gets a name that people see.
fn rescue(folder: &Path) {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let name = name.trim_start_matches('.').trim_end_matches(PRIVATE);
    // What Frida has recorded is whole up to when it was killed.
    let recording = driver::recording(folder);
    let is_whole = driver::finish(folder) && others::merge(&recording).is_ok();
    if is_whole && others::has_records(&recording) {
        let to = folder.with_file_name(name);
        let _ = rename::to_free(&recording, &to, Recorder::Frida.ending());
    }
    let kept = fs::read_dir(folder.join(KEPT)).into_iter().flatten();
    for file in kept.flatten() {
        let to = folder.with_file_name(name).with_extension("data");
        let _ = rename::to_free(&file.path(), &to, "data");
    }
}

/// Whether the command line or the environment of a process names a folder: a recorder writes into it.
fn is_in_use(folder: &Path) -> bool {
    let Some(name) = folder.file_name() else {
        return false;
    };
    let own = std::process::id().to_string();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut others = processes.filter(|it| it.file_name() != *own);
    others.any(|process| {
        ["cmdline", "environ"].into_iter().any(|about| {
            let text = fs::read(process.path().join(about)).unwrap_or_default();
            memchr::memmem::find(&text, name.as_encoded_bytes()).is_some()
        })
    })
}

#[cfg(unix)]
fn is_of_same_user(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;

    let [a, b] = [a, b].map(|it| it.symlink_metadata().map(|it| it.uid()).ok());
    a.is_some() && a == b
}

#[cfg(not(unix))]
fn is_of_same_user(_: &Path, _: &Path) -> bool {
    false
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::path::PathBuf;
    use std::process::{Command, Stdio};

    use super::super::place::Place;
    use super::super::private::is_held;
    use super::super::recorder::Recorder;
    use super::*;

    fn private(folder: &Path, name: &str) -> PathBuf {
        let folder = folder.join(format!(".{name}{PRIVATE}"));
        fs::create_dir_all(folder.join(KEPT)).expect("a folder");
        fs::write(folder.join("half"), "of it").expect("writable");
        folder
    }

    #[test]
    fn only_what_is_ours_and_abandoned_is_removed() {
        let name = format!("callscape-sweep-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).expect("a folder");
        let abandoned = private(&folder, "killed");
        fs::write(abandoned.join(KEPT).join("perf.data.1"), "kept").expect("writable");
        let held = private(&folder, "held");
        let lock = open(&held).expect("a folder");
        lock.try_lock().expect("nobody holds it");
        let recorded = private(&folder, "recorded");
        let mut recorder = Command::new("cat")
            .arg("-")
            .arg(recorded.join("half"))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .expect("it starts");
        // The kernel lets `spawn` return before it shows the arguments.
        let arguments = format!("/proc/{}/cmdline", recorder.id());
        while fs::read(&arguments).is_ok_and(|it| it.is_empty()) {
            std::thread::yield_now();
        }
        // Links and what others call their temporary files are left alone.
        let linked = private(&folder.join("elsewhere"), "linked");
        let link = folder.join(format!(".link{PRIVATE}"));
        std::os::unix::fs::symlink(&linked, &link).expect("a link");
        let other = folder.join(".export.callscape-tmp");
        fs::create_dir(&other).expect("a folder");
        let output = folder.join("new.jfr");
        let take = || Place::take(Some(&output), Path::new(""), "", Recorder::Jfr);
        drop(take().expect("it is free"));
        let all = [&abandoned, &held, &recorded, &linked, &link, &other];
        let there = all.map(|it| it.exists());
        assert_eq!(there, [false, true, true, true, true, true]);
        let kept = fs::read_to_string(folder.join("killed.data"));
        assert_eq!(kept.ok().as_deref(), Some("kept"));
        assert!(is_held(&held) && !is_held(&recorded));
        drop(recorder.stdin.take());
        recorder.wait().expect("it ends");
        drop(lock);
        drop(take().expect("it is free"));
        assert!(!held.exists() && !recorded.exists());
        fs::remove_dir_all(folder).expect("it can be removed");
    }

    #[test]
    fn a_name_that_a_killed_process_had_is_free() {
        let name = format!("callscape-sweep-name-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).expect("a folder");
        let before = private(&folder, "out.jfr");
        let output = folder.join("out.jfr");
        let place = Place::take(Some(&output), Path::new(""), "", Recorder::Jfr);
        assert!(place.is_ok_and(|it| it.folder == before && !before.join("half").exists()));
        fs::remove_dir_all(folder).expect("it can be removed");
    }
}

//! Through the public interface: packs, written, opened where the originals are not, and refused when they are
//! damaged or hostile.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::Output;

use callscape::export::pack::{self, PackError};
use callscape::progress::Progress;
use serde_json::json;

use crate::common::{self, Random, Scratch};

/// Runs the program with a cache of its own.
fn run(scratch: &Scratch, arguments: &[&str]) -> Output {
    common::callscape()
        .args(arguments)
        .current_dir(&scratch.0)
        .env("XDG_CACHE_HOME", scratch.0.join("cache"))
        .output()
        .expect("the program is built")
}

fn done(scratch: &Scratch, arguments: &[&str]) -> Vec<u8> {
    let output = run(scratch, arguments);
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {told}");
    output.stdout
}

/// What is told of a failure; it is one.
fn refused(scratch: &Scratch, arguments: &[&str]) -> String {
    let output = run(scratch, arguments);
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1), "{arguments:?}: {told}");
    told
}

fn copy_all(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in from.read_dir().expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy_all(&entry.path(), &target),
            false => drop(std::fs::copy(entry.path(), target).expect("it can be copied")),
        }
    }
}

/// A scratch folder with a source tree and a recording of it.
fn meal(test: &str) -> Scratch {
    let scratch = Scratch::new(test);
    copy_all(&common::data("window/source"), &scratch.0.join("meal"));
    let recording = common::data("window/meal.json");
    std::fs::copy(recording, scratch.0.join("meal.json")).expect("it can be copied");
    scratch
}

#[test]
fn a_pack_shows_the_same_where_the_originals_are_not() {
    let scratch = meal("pack");
    let path = |name: &str| scratch.0.join(name);
    let picture = |inputs: &[&str], out: &str| {
        let mut arguments = vec!["render"];
        arguments.extend(inputs);
        arguments.extend(["--size", "160x120", "--at", "50%", "-o", out]);
        done(&scratch, &arguments);
        std::fs::read(path(out)).expect("it was written")
    };
    let functions = |inputs: &[&str]| {
        let mut arguments = vec!["functions", "--json"];
        arguments.extend(inputs);
        String::from_utf8(done(&scratch, &arguments)).expect("it is text")
    };
    let whole = ["meal.json", "--source", "meal"];
    let before = (
        functions(&whole),
        done(&scratch, &["tree", "meal", "--json"]),
        picture(&["meal", "meal.json"], "before.png"),
    );
    let name = "a.callscape-pack";
    done(&scratch, &["pack", "meal", "meal.json", "-o", name]);
    // A second pack of the same is the same.
    done(
        &scratch,
        &["pack", "meal", "meal.json", "-o", "b.callscape-pack"],
    );
    let bytes = std::fs::read(path(name)).expect("it was written");
    assert_eq!(
        std::fs::read(path("b.callscape-pack")).ok(),
        Some(bytes.clone())
    );
    let tar = zstd::decode_all(&bytes[..]).expect("it is compressed");
    let source = std::fs::read_to_string(path("meal/kitchen/stove.c"));
    if let Some(text) = source
        .ok()
        .and_then(|text| text.lines().next().map(str::to_owned))
    {
        assert!(
            memchr::memmem::find(&tar, text.as_bytes()).is_none(),
            "no text of the source"
        );
    }
    std::fs::rename(path("meal"), path("gone")).expect("it is ours");
    std::fs::remove_file(path("meal.json")).expect("it is ours");
    let after = (
        functions(&[name]),
        done(&scratch, &["tree", name, "--json"]),
        picture(&[name], "after.png"),
    );
    assert_eq!(before, after);

    // With the text of the source it is a source tree.
    std::fs::rename(path("gone"), path("meal")).expect("it is ours");
    let with = ["pack", "meal", "--with-source", "-o", "c.callscape-pack"];
    done(&scratch, &with);
    std::fs::remove_dir_all(path("meal")).expect("it is ours");
    let tree = done(&scratch, &["tree", "c.callscape-pack", "--json"]);
    assert_eq!(tree, before.1);
    let told = refused(&scratch, &with);
    assert!(told.contains("--force"), "{told}");
    let told = refused(&scratch, &["functions", "c.callscape-pack"]);
    assert!(told.contains("expected a pack with a recording"), "{told}");
}

#[test]
fn a_pack_of_two_recordings_is_compared_and_one_that_was_cut_off_says_so() {
    let scratch = meal("pack-pair");
    let meal = std::fs::read_to_string(scratch.0.join("meal.json")).expect("it is there");
    // The same run, of which something took longer.
    scratch.write(
        "late.json",
        meal.replacen("\"ts\"", "\"other\": 1, \"ts\"", 1)
            .as_bytes(),
    );
    let name = "two.callscape-pack";
    done(
        &scratch,
        &["pack", "meal", "meal.json", "late.json", "-o", name],
    );
    let apart = done(
        &scratch,
        &["compare", "meal.json", "late.json", "meal", "--json"],
    );
    let packed = done(&scratch, &["compare", name, "--json"]);
    let read = |bytes: &[u8]| -> serde_json::Value {
        serde_json::from_slice(bytes).expect("one document")
    };
    assert_eq!(read(&apart)["functions"], read(&packed)["functions"]);
    done(
        &scratch,
        &["pack", "meal", "meal.json", "-o", "one.callscape-pack"],
    );
    let told = refused(&scratch, &["compare", "one.callscape-pack"]);
    assert!(
        told.contains("expected a pack with the recordings A and B, found 1"),
        "{told}"
    );
    let bytes = std::fs::read(scratch.0.join(name)).expect("it was written");
    for length in [0, 3, 60] {
        scratch.write("cut.callscape-pack", &bytes[..length]);
        for command in ["info", "compare", "present", "tree"] {
            let told = refused(&scratch, &[command, "cut.callscape-pack"]);
            assert!(
                told.contains("cut.callscape-pack") && told.contains("expected "),
                "{told}"
            );
            assert!(
                !told.contains("UTF-8") && !told.contains("known format"),
                "{told}"
            );
        }
    }
}

#[test]
fn a_profile_goes_along_as_it_is() {
    let scratch = Scratch::new("pack-profile");
    let profile = common::data("import/folded");
    let file = profile
        .read_dir()
        .expect("a folder")
        .flatten()
        .map(|it| it.path());
    let file = file.filter(|path| path.is_file()).min().expect("a profile");
    let text = file.display().to_string();
    let before = done(&scratch, &["functions", "--json", &text]);
    done(&scratch, &["pack", &text, "-o", "p.callscape-pack"]);
    let after = done(&scratch, &["functions", "--json", "p.callscape-pack"]);
    assert_eq!(String::from_utf8(before), String::from_utf8(after));
}

#[test]
fn sessions_and_scenes_find_their_parts_in_the_pack() {
    let scratch = meal("pack-scene");
    scratch.write(
        "rooms.map",
        b"category KITCHEN file kitchen/*\ncategory REST file *\n",
    );
    scratch.write(
        "talk.toml",
        b"[inputs]\nsource = \"meal\"\nrecordings = [\"meal.json\"]\ngood = \"v1\"\n[[bookmark]]\nname = \"a\"\nmapping = \"rooms.map\"\nleft-out = [\"not-marked\", { thread = 1 }]\n[[shot]]\nseconds = 1\n",
    );
    let arguments = [
        "pack",
        "meal",
        "meal.json",
        "--scene",
        "talk.toml",
        "-o",
        "t.callscape-pack",
    ];
    let told = run(&scratch, &arguments);
    let told = String::from_utf8_lossy(&told.stderr).into_owned();
    assert!(
        told.contains("no changes since a revision and no results of other tools, which talk.toml"),
        "{told}"
    );
    let kept = scratch.0.join("kept");
    let packed = scratch.0.join("t.callscape-pack");
    let unpacked = pack::unpack(&packed, &kept, &Progress::new()).expect("it was just written");
    let scene = unpacked.path(&unpacked.parts.scenes[0]);
    let file = callscape::presentation::scene::SceneFile::read(&scene).expect("it is a scene");
    let inputs = &file.scene.inputs;
    // There is no repository in which changes could be looked for.
    assert_eq!(inputs.good, None);
    let left_out = file.scene.bookmarks[0].left_out.as_ref();
    assert_eq!(left_out.map(Vec::len), Some(1));
    let named = [inputs.source.clone(), inputs.recordings.first().cloned()];
    let mapping = file.scene.bookmarks[0].mapping.clone();
    for name in named.into_iter().chain([mapping]) {
        let name = name.expect("the scene names it");
        let found = scene.parent().map(|folder| folder.join(&name));
        assert!(
            found.is_some_and(|path| path.is_file()),
            "{}",
            name.display()
        );
    }
    // Unpacked once, it is there.
    let again = pack::unpack(&packed, &kept, &Progress::new()).expect("it is there");
    assert_eq!(again, unpacked);
}

/// A pack made by hand.
fn made(manifest: &serde_json::Value, members: &[(&str, tar::EntryType, &[u8])]) -> Vec<u8> {
    let mut tar = tar::Builder::new(Vec::new());
    let manifest = manifest.to_string();
    let first = (
        "callscape-pack.json",
        tar::EntryType::Regular,
        manifest.as_bytes(),
    );
    for &(name, kind, bytes) in [first].iter().chain(members) {
        let mut header = tar::Header::new_ustar();
        header.set_path(name).expect("a short name");
        header.set_size(bytes.len() as u64);
        header.set_entry_type(kind);
        if kind == tar::EntryType::Symlink {
            header.set_link_name("/etc/passwd").expect("a short name");
        }
        header.set_cksum();
        tar.append(&header, bytes).expect("memory takes it");
    }
    let tar = tar.into_inner().expect("memory takes it");
    zstd::encode_all(&tar[..], 3).expect("memory takes it")
}

fn manifest(files: &[(&str, u64)], source: &str) -> serde_json::Value {
    let files: Vec<_> = files
        .iter()
        .map(|(name, bytes)| json!({"name": name, "bytes": bytes}))
        .collect();
    let source = Some(source).filter(|it| !it.is_empty());
    json!({"format": "callscape-pack", "version": 1, "source": source, "files": files})
}

/// Why a pack is refused; nothing of it is left, and nothing beside the folder that it was to have.
fn refusal(scratch: &Scratch, bytes: &[u8]) -> String {
    let path = scratch.write("wrong.callscape-pack", bytes);
    let outer = scratch.0.join("outer");
    let kept = outer.join("kept");
    let error = pack::unpack(&path, &kept, &Progress::new()).expect_err("it is refused");
    assert!(matches!(error, PackError::Malformed { .. }), "{error}");
    let found = |folder: &Path| folder.read_dir().map_or(0, Iterator::count);
    assert_eq!((found(&kept), found(&outer)), (0, 1), "{error}");
    error.to_string()
}

/// Against the entries of the archive.
#[test]
fn what_is_in_a_pack_is_listed_without_unpacking_it() {
    let scratch = meal("pack-list");
    done(
        &scratch,
        &["pack", "meal", "meal.json", "-o", "meal.callscape-pack"],
    );
    let list = done(&scratch, &["pack", "--list", "meal.callscape-pack"]);
    let list = String::from_utf8(list).expect("it is text");
    let row = |line: &str| {
        let (bytes, name) = line.trim_start().split_once("  ")?;
        let digits: String = bytes.chars().filter(char::is_ascii_digit).collect();
        Some((name.trim().to_owned(), digits.parse::<u64>().ok()?))
    };
    let mut listed: Vec<_> = list.lines().filter_map(row).collect();
    let file = std::fs::File::open(scratch.0.join("meal.callscape-pack")).expect("a pack");
    let mut archive = tar::Archive::new(zstd::Decoder::new(file).expect("compressed"));
    let entries = archive.entries().expect("entries");
    let entry = |entry: std::io::Result<tar::Entry<'_, _>>| {
        let entry = entry.expect("an entry");
        let name = entry.path().expect("a name").display().to_string();
        (name, entry.size())
    };
    // The first is what says what the others are.
    let mut expected: Vec<_> = entries.skip(1).map(entry).collect();
    listed.sort();
    expected.sort();
    assert!(expected.len() >= 2, "{expected:?}");
    assert_eq!(listed, expected, "{list}");
    let told = refused(&scratch, &["pack", "--list", "meal.json"]);
    assert!(
        told.contains("meal.json") && told.contains("expected"),
        "{told}"
    );
}

#[test]
fn hostile_packs_are_refused_and_leave_nothing() {
    use tar::EntryType::{Regular, Symlink};
    let scratch = Scratch::new("pack-hostile");
    let one: &[(&str, tar::EntryType, &[u8])] = &[("a", Regular, b"12345")];
    let fine = made(&manifest(&[("a", 5)], "a"), one);
    let path = scratch.write("fine.callscape-pack", &fine);
    let kept = scratch.0.join("fine");
    pack::unpack(&path, &kept, &Progress::new()).expect("this one is fine");
    for name in [
        "../a",
        "/a",
        "b/../../a",
        "",
        "a//b",
        "./a",
        "a\\b",
        "C:a",
        "callscape-pack.json",
        "a\0b",
    ] {
        let told = refusal(&scratch, &made(&manifest(&[(name, 5)], ""), one));
        assert!(
            told.contains("expected names inside of the pack"),
            "{name}: {told}"
        );
    }
    let cases: [(&str, Vec<u8>); 9] = [
        (
            "a name for each file",
            made(&manifest(&[("a", 5), ("a", 5)], ""), &[one[0], one[0]]),
        ),
        ("expected 6 bytes", made(&manifest(&[("a", 6)], ""), one)),
        (
            "the file that is listed",
            made(&manifest(&[("a", 5), ("b", 1)], ""), one),
        ),
        (
            "no more files than are listed",
            made(&manifest(&[("a", 5)], ""), &[one[0], ("b", Regular, b"")]),
        ),
        (
            "expected a file",
            made(&manifest(&[("a", 0)], ""), &[("a", Symlink, b"")]),
        ),
        (
            "parts that are in the pack",
            made(&manifest(&[("a", 5)], "../x"), one),
        ),
        (
            "at most",
            made(&manifest(&[("a", u64::MAX), ("b", 9)], ""), one),
        ),
        (
            "callscape-pack of version 1",
            made(
                &json!({"format": "callscape-pack", "version": 2, "files": []}),
                &[],
            ),
        ),
        ("a manifest", made(&json!([1, 2]), &[])),
    ];
    for (expected, bytes) in cases {
        let told = refusal(&scratch, &bytes);
        assert!(told.contains(expected), "{expected}: {told}");
        assert!(
            told.contains("wrong.callscape-pack") && told.contains("found"),
            "{told}"
        );
    }
    // A session that would read what lies outside.
    let session = |recording: &str| {
        let text = json!({
            "format": "callscape-session", "version": 1, "source": null, "recordings": [recording],
            "views": {"view": "landscape"}, "range_ns": null, "module": null, "call": null, "relation": null,
            "thread": null, "value": null, "run": null, "camera": null, "mapping": null, "playback": null,
        });
        let text = text.to_string();
        let name = "session.callscape-session.json";
        let mut all = manifest(&[(name, text.len() as u64)], "");
        all["session"] = json!(name);
        made(&all, &[(name, Regular, text.as_bytes())])
    };
    for outside in ["../../../../etc/passwd", "/etc/passwd"] {
        scratch.write("s.callscape-pack", &session(outside));
        let told = refused(&scratch, &["functions", "s.callscape-pack"]);
        assert!(told.contains("expected paths inside the pack"), "{told}");
    }
}

#[test]
fn a_bomb_is_refused_before_it_has_unfolded() {
    let scratch = Scratch::new("pack-bomb");
    // 4 GB of zeros in some hundred kilobytes.
    let size: u64 = 4 << 30;
    let listed = manifest(&[("a", size)], "").to_string();
    let mut tar = tar::Builder::new(zstd::Encoder::new(Vec::new(), 1).expect("memory"));
    for (name, bytes) in [("callscape-pack.json", listed.len() as u64), ("a", size)] {
        let mut header = tar::Header::new_ustar();
        header.set_path(name).expect("a short name");
        header.set_size(bytes);
        header.set_cksum();
        if name == "a" {
            // Not all of it: what is announced is enough to be refused.
            tar.append(&header, std::io::repeat(0).take(size / 64)).ok();
        } else {
            tar.append(&header, listed.as_bytes()).expect("memory");
        }
    }
    let bytes = tar.into_inner().and_then(|it| it.finish()).expect("memory");
    let told = refusal(&scratch, &bytes);
    assert!(told.contains("for a pack of this size"), "{told}");
    // A member before the manifest is said to be as large as memory.
    let mut tar = tar::Builder::new(zstd::Encoder::new(Vec::new(), 1).expect("memory"));
    let mut header = tar::Header::new_gnu();
    header
        .set_path("callscape-pack.json")
        .expect("a short name");
    header.set_size(1 << 40);
    header.set_cksum();
    tar.append(&header, std::io::repeat(0).take(1 << 28)).ok();
    let bytes = tar.into_inner().and_then(|it| it.finish()).expect("memory");
    let told = refusal(&scratch, &bytes);
    assert!(told.contains("a pack of Callscape"), "{told}");
}

#[test]
fn damage_anywhere_is_noticed() {
    let scratch = meal("pack-damage");
    done(
        &scratch,
        &["pack", "meal", "meal.json", "-o", "a.callscape-pack"],
    );
    let whole = std::fs::read(scratch.0.join("a.callscape-pack")).expect("it was written");
    let mut random = Random(7);
    for _ in 0..60 {
        let length = random.below(whole.len() as u64) as usize;
        let told = refusal(&scratch, &whole[..length]);
        assert!(
            told.contains("wrong.callscape-pack"),
            "cut at {length}: {told}"
        );
    }
    let mut noticed = 0;
    for _ in 0..150 {
        let (at, bit) = (random.below(whole.len() as u64) as usize, random.below(8));
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << bit;
        let path: PathBuf = scratch.write("damaged.callscape-pack", &damaged);
        let kept = scratch.0.join("kept");
        match pack::unpack(&path, &kept, &Progress::new()) {
            Err(error) => {
                noticed += 1;
                assert!(
                    matches!(error, PackError::Malformed { .. }),
                    "byte {at}: {error}"
                );
            }
            // A bit that means nothing: what is unpacked is the same.
            Ok(unpacked) => {
                let sound = scratch.0.join("a.callscape-pack");
                let sound = pack::unpack(&sound, &kept, &Progress::new()).expect("it is sound");
                for name in sound.parts.recordings.iter().chain(&sound.parts.source) {
                    let read = |of: &pack::Unpacked| std::fs::read(of.path(name)).ok();
                    assert_eq!(read(&sound), read(&unpacked), "byte {at}");
                }
            }
        }
    }
    assert!(noticed > 140, "{noticed}");
}

#[test]
fn unpacking_ends_when_one_cancels() {
    let scratch = meal("pack-cancel");
    done(
        &scratch,
        &["pack", "meal", "meal.json", "-o", "a.callscape-pack"],
    );
    let progress = Progress::new();
    progress.cancel();
    let kept = scratch.0.join("kept");
    let error = pack::unpack(&scratch.0.join("a.callscape-pack"), &kept, &progress);
    assert!(matches!(error, Err(PackError::Cancelled(_))), "{error:?}");
    assert_eq!(kept.read_dir().map_or(0, Iterator::count), 0);
}

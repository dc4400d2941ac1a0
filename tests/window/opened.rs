//! What a window opens, shows of it, and keeps for the next time.

use std::path::Path;

use serde_json::Value;

use crate::common;
use crate::display::{Display, Window, distance, point, time, views};
use crate::folder::{Folder, blank_some_events, flip_all_calls, write_with_large_index};

#[test]
fn what_changes_on_disk_is_shown_and_the_camera_stays() {
    let Some(display) = Display::open() else {
        return;
    };
    let folder = common::Scratch::new("watched");
    let tree = folder.0.join("tree");
    std::fs::create_dir_all(tree.join("lib")).expect("a folder");
    let write = |name: &str, functions: usize| {
        let function = |at| format!("def f{at}(x):\n    return x + {at}\n\n");
        let text: String = (0..functions).map(function).collect();
        std::fs::write(tree.join(name), text).expect("a file");
    };
    write("main.py", 3);
    write("lib/one.py", 4);
    write("lib/two.py", 5);
    let map = folder.write("city.map", b"category ALL file *\n");
    let window = Window::open(&display, &[&tree, Path::new("--map"), &map]);
    // Root, entity, files and functions, and directories within the entity.
    let modules = |state: &Value| state["modules"].as_u64().unwrap_or_default();
    let opened = window.wait("functions", |state| modules(state) >= 16);
    window.key("slash");
    window.wait("search", |state| state["search"].is_string());
    window.write("f4", 12);
    window.wait("result", |state| state["results"].as_u64() > Some(0));
    window.key("Return");
    let selected = window.wait("selection", |state| state["selected"].is_string());
    let selected = selected["selected"].as_str().map(str::to_owned);
    let before = window.wait_for_rest();
    let stays = |state: &Value| {
        let name = selected.as_deref().and_then(|path| path.rsplit('/').next());
        let now = state["selected"].as_str();
        let now = now.and_then(|path| path.rsplit('/').next());
        assert_eq!(now, name, "{state}");
        // In what the city is measured by: a thousand is its width.
        let moved = distance(point(state, "eye"), point(&before, "eye"));
        assert!(moved < 0.5, "{moved}");
    };

    write("lib/three.py", 7);
    let more = window.wait("new file", |state| modules(state) == modules(&opened) + 8);
    stays(&more);
    write("main.py", 6);
    let more = window.wait("new functions", |state| {
        modules(state) == modules(&opened) + 11
    });
    stays(&more);
    std::fs::remove_file(tree.join("lib/three.py")).expect("it is there");
    let less = window.wait("file gone", |state| modules(state) == modules(&opened) + 3);
    stays(&less);

    // Another mapping takes main.py out: what is left lies in one directory, which goes without saying.
    folder.write(
        "city.map",
        b"category MAIN file *main.py\ncategory ALL file *\n",
    );
    assert_eq!(less["selected"], "ALL/lib/two.py/f4");
    let mapped = window.wait("new mapping", |state| state["selected"] == "ALL/two.py/f4");
    stays(&mapped);
    window.close();
}

#[test]
fn a_window_remembers_how_its_views_are_arranged() {
    let Some(display) = Display::open() else {
        return;
    };
    let source = common::data("window/source");
    let trace = common::data("window/meal.json");
    let open = || Window::open(&display, &[&source, &trace]);
    let window = open();
    let first = window.wait("open session", |state| state["open"].is_string());
    assert_eq!(views(&first), ["landscape"]);
    window.key("4");
    window.wait("the functions", |state| {
        views(state) == ["landscape", "functions"]
    });
    window.key("1");
    window.wait("no landscape", |state| views(state) == ["functions"]);
    window.wait_for_rest();
    window.close();
    let again = open();
    let state = again.wait("open session", |state| state["open"].is_string());
    assert_eq!(views(&state), ["functions"]);
    again.close();
    let file = display.remembered();
    std::fs::write(&file, "{\"version\": 1, \"views\": [").expect("it can be written");
    let mended = open();
    let state = mended.wait("open session", |state| state["open"].is_string());
    assert_eq!(views(&state), ["landscape"]);
    let message = &state["messages"][0];
    assert_eq!(message, "The views are in their default arrangement");
    mended.close();
}

#[test]
fn a_session_is_saved_and_opened_again() {
    let Some(display) = Display::open() else {
        return;
    };
    let folder = Folder::new("session");
    let trace = folder.file("meal.json");
    std::fs::copy(common::data("window/meal.json"), &trace).expect("it can be copied");
    let window = Window::open(&display, &[&trace]);
    window.wait("open session", |state| state["open"].is_string());
    window.key("2");
    window.wait("the overview", |state| views(state).contains(&"mural"));
    window.key("period");
    let end = time(&window.wait("the end", |state| time(state) > 0));
    window.key("shift+Left");
    window.wait("ten steps back", |state| time(state) < end);
    window.key("bracketleft");
    window.wait("a range", |state| state["range_ns"].is_array());
    window.key("slash");
    window.wait("search", |state| state["search"].is_string());
    window.write("tast", 60);
    window.wait("results", |state| state["search"] == "tast");
    window.key("Return");
    window.wait("selection", |state| state["selected"].is_string());
    let before = window.wait_for_rest();
    window.key("ctrl+s");
    window.wait("a name to confirm", |state| {
        state["on_top"][0] == "the name of a file"
    });
    window.key("Return");
    window.wait("word of it", |state| {
        state["messages"][0] == "The session is saved"
    });
    window.close();

    let file = folder.file("meal.json.callscape-session.json");
    let again = Window::open(&display, &[&file]);
    again.wait("open session", |state| state["selected"].is_string());
    let state = again.wait_for_rest();
    for same in ["selected", "range_ns", "time_ns", "views", "eye", "open"] {
        assert_eq!(state[same], before[same], "{same}");
    }
    again.close();

    std::fs::remove_file(&trace).expect("it is there");
    let bare = Window::open(&display, &[&file]);
    bare.wait("word of it", |state| {
        state["messages"][0] == "Parts of the session are missing"
    });
    bare.close();
}

#[test]
fn a_session_keeps_which_value_of_a_profile_is_shown() {
    let Some(display) = Display::open() else {
        return;
    };
    let folder = Folder::new("value");
    let profile = folder.file("render.pb.gz");
    let recorded = common::data("import/pprof/markdown-render.pb.gz");
    std::fs::copy(recorded, &profile).expect("it can be copied");
    let window = Window::open(&display, &[&profile]);
    let opened = window.wait("open profile", |state| state["value"].is_string());
    window.key("ctrl+s");
    window.wait("a name to confirm", |state| {
        state["on_top"][0] == "the name of a file"
    });
    window.key("Return");
    window.wait("word of it", |state| {
        state["messages"][0] == "The session is saved"
    });
    window.close();
    let file = folder.file("render.pb.gz.callscape-session.json");
    let text = std::fs::read_to_string(&file).expect("a session");
    let mut saved: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(saved["value"], opened["value"]);
    let other = match opened["value"] == "samples" {
        true => "cpu",
        false => "samples",
    };
    saved["value"] = other.into();
    std::fs::write(&file, saved.to_string()).expect("it can be written");
    let again = Window::open(&display, &[&file]);
    again.wait("the other value", |state| state["value"] == other);
    again.close();
}

#[test]
fn two_recordings_are_compared_and_v_flips_between_them() {
    let Some(display) = Display::open() else {
        return;
    };
    let scratch = common::Scratch::new("window-compare");
    let trace = |name: &str, sort: u32| {
        let events = [("main", 0, 3000), ("sort", 10, sort), ("keep", 2500, 100)];
        let events = events.map(|(name, ts, dur)| {
            serde_json::json!({"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": ts, "dur": dur})
        });
        scratch.write(name, &serde_json::to_vec(&events).expect("JSON"))
    };
    let (a, b) = (trace("a.json", 2000), trace("b.json", 500));
    let window = Window::open(&display, &[&a, &b]);
    let opened = window.wait("the first run", |state| state["run"] == "A");
    window.wait_for_rest();
    window.key("v");
    let flipped = window.wait("the other run", |state| state["run"] == "B");
    assert_eq!(opened["blocks"], flipped["blocks"]);
    window.wait_for_rest();
    window.key("v");
    window.wait("the first run again", |state| state["run"] == "A");
    window.close();
}

#[test]
fn a_window_tells_what_could_not_be_opened_and_keeps_running() {
    let Some(display) = Display::open() else {
        return;
    };
    let readme = common::data("window/README.md");
    let window = Window::open(&display, &[&readme]);
    let state = window.wait("message", |state| state["messages"][0].is_string());
    assert_eq!(state["messages"][0], "README.md could not be opened");
    assert!(state["open"].is_null());
    window.key("F1");
    window.wait("help", |state| state["help"] == true);
    window.close();
}

#[test]
fn a_window_tells_once_what_a_damaged_index_leaves_out() {
    let Some(display) = Display::open() else {
        return;
    };
    let folder = Folder::new("told");
    let (recording, index) = (folder.file("run.json"), folder.file("run.json.callscape"));
    write_with_large_index(&recording);
    assert!(folder.run(&["index", "run.json"]).status.success());
    blank_some_events(&recording);
    flip_all_calls(&index);
    let window = Window::open(&display, &[&recording]);
    let title = "Parts of the recording are missing";
    let told = |state: &Value| {
        let messages = state["messages"].as_array().into_iter().flatten();
        messages.filter(|message| *message == title).count()
    };
    window.wait("message", |state| told(state) == 1);
    window.key("period");
    window.wait("end", |state| state["time_ns"].as_u64() > Some(0));
    assert_eq!(told(&window.wait_for_rest()), 1);
    // Dismissed, it does not come back.
    window.key("Escape");
    window.wait("no message", |state| told(state) == 0);
    window.key("Home");
    assert_eq!(told(&window.wait_for_rest()), 0);
    window.close();
}

/// In the title, panels and tooltips.
#[test]
fn names_steer_neither_the_title_nor_the_text_of_a_window() {
    let Some(display) = Display::open() else {
        return;
    };
    let scratch = common::Scratch::new("window-names");
    let name = "a\u{1b}]0;owned\u{7}b\nc\u{202e}d";
    let event =
        serde_json::json!([{"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": 0, "dur": 90}]);
    let trace = scratch.write(&format!("{name}.json"), event.to_string().as_bytes());
    let window = Window::open(&display, &[&trace]);
    window.wait("open session", |state| state["open"].is_string());
    window.wait_for_rest();
    let title = window.title();
    assert_eq!(title, r"a\u{1b}]0;owned\u{7}b\nc\u{202e}d.json — Callscape");
    window.close();
}

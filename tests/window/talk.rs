//! Through the public interface: bookmarks, presenting and recording, driven by keys on a virtual display. The display
//! and the window are those of `display.rs`.

use std::path::Path;

use serde_json::Value;

use crate::common::Scratch;
use crate::display::{Display, Window};

const SCENE: &str = r#"
[[shot]]
name = "Hello"
title = "Hello"
seconds = 0.5
[[shot]]
name = "Fly"
camera = { module = "lvm.c" }
seconds = 1
[[shot]]
name = "Gone"
select = "no/such/module"
seconds = 0.2
[[shot]]
name = "Play"
play = { from = "0%", to = "20%" }
seconds = 1
"#;

fn talk<'a>(state: &'a Value, field: &str) -> &'a Value {
    &state["talk"][field]
}

fn eye(state: &Value) -> [f64; 3] {
    std::array::from_fn(|axis| state["eye"][axis].as_f64().expect("a coordinate"))
}

fn names(state: &Value, field: &str) -> Vec<String> {
    let names = talk(state, field).as_array().into_iter().flatten();
    names.filter_map(Value::as_str).map(str::to_owned).collect()
}

#[test]
fn a_scene_is_presented_by_keys_and_what_is_done_after_it_is_recorded() {
    let Some(display) = Display::open() else {
        return;
    };
    let scratch = Scratch::new("present");
    let scene = scratch.write("talk.toml", SCENE.as_bytes());
    let window = Window::open(&display, &[Path::new("present"), &scene]);
    let at_shot = |number: u64| {
        move |state: &Value| talk(state, "shot") == number && state["moving"] == false
    };
    let first = window.wait("the first shot", at_shot(1));
    assert_eq!(talk(&first, "live"), true);
    assert_eq!(talk(&first, "shots"), 4);
    let told = first["messages"].to_string();
    assert!(told.contains("the rest plays"), "{told}");
    window.key("Right");
    let flown = window.wait("the second shot", at_shot(2));
    assert_ne!(eye(&first), eye(&flown));
    // The end of a shot waits.
    window.key("b");
    window.wait("black", |state| talk(state, "black") == true);
    window.key("b");
    window.key("l");
    window.wait("the laser", |state| talk(state, "points_with") == "laser");
    window.key("f");
    window.wait("the flashlight", |state| {
        talk(state, "points_with") == "flashlight"
    });
    window.key("4");
    window.key("Return");
    let played = window.wait("the last shot", at_shot(4));
    assert!(played["time_ns"].as_u64() > Some(0), "{played}");
    window.key("Prior");
    window.wait("a shot before", |state| {
        talk(state, "shot").as_u64() <= Some(4)
    });
    window.key("Home");
    window.wait("the first shot again", at_shot(1));
    // Free to look around, and back to the script with one key.
    window.point(500, 400);
    window.click(5, 1);
    let away = window.wait("someone looks around", |state| talk(state, "away") == true);
    assert_eq!(talk(&away, "live"), true);
    window.key("BackSpace");
    let back = window.wait("the script", |state| {
        talk(state, "away") == false && state["moving"] == false
    });
    let off: f64 = eye(&back)
        .iter()
        .zip(eye(&first))
        .map(|(a, b)| (a - b).abs())
        .sum();
    assert!(off < 1.0, "{off}");
    window.key("Escape");
    window.wait("the window", |state| talk(state, "live") == false);

    window.key("F9");
    window.wait("a recording", |state| talk(state, "recording") == true);
    window.key("t");
    window.key("Prior");
    window.wait("a flight", |state| {
        names(state, "recorded").len() > 5 && state["moving"] == false
    });
    window.key("F9");
    let recorded = window.wait("its end", |state| talk(state, "recording") == false);
    let shots = names(&recorded, "recorded").join("; ");
    assert!(
        shots.contains("Go on") && shots.contains("fly") | shots.contains("Fly"),
        "{shots}"
    );
    assert!(shots.to_lowercase().contains("look"), "{shots}");
    window.close();
}

#[test]
fn bookmarks_are_taken_gone_to_and_kept_in_the_session() {
    let Some(display) = Display::open() else {
        return;
    };
    let scratch = Scratch::new("bookmarks");
    let meal = scratch.write(
        "meal.json",
        &std::fs::read(crate::common::data("window/meal.json")).expect("it is there"),
    );
    let window = Window::open(&display, &[&meal]);
    let count = |wanted: usize| move |state: &Value| names(state, "bookmarks").len() == wanted;
    window.key("period");
    let end = window.wait("the end", |state| state["time_ns"].as_u64() > Some(0));
    window.key("F2");
    window.wait("a bookmark", count(1));
    window.key("comma");
    window.wait("the start", |state| state["time_ns"] == 0);
    window.key("Prior");
    let above = window.wait_for_rest();
    window.key("F2");
    window.wait("a second one", count(2));
    window.key("alt+1");
    let back = window.wait("the first one", |state| {
        state["time_ns"] == end["time_ns"] && state["moving"] == false
    });
    assert_ne!(eye(&back), eye(&above));
    window.key("ctrl+s");
    window.wait("a name to confirm", |state| {
        state["on_top"][0] == "the name of a file"
    });
    window.key("Return");
    window.wait("a saved session", |state| {
        state["messages"].to_string().contains("session is saved")
    });
    let kept = names(&window.state(), "bookmarks");
    window.close();
    let session = scratch.0.join("meal.json.callscape-session.json");
    let again = Window::open(&display, &[&session]);
    let state = again.wait("its bookmarks", count(2));
    assert_eq!(names(&state, "bookmarks"), kept);
    again.key("alt+2");
    again.wait("the second one", |state| state["time_ns"] == 0);
    again.close();
}

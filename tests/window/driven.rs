//! The window, driven by keys and mouse: camera, playback, search, views, ranges, tables.

use std::time::Duration;

use serde_json::Value;

use crate::common;
use crate::display::{Display, Window, distance, draws_nothing_at_rest, point, time, views};

/// Where the camera has stood still for less is no view to go back to; more does no harm.
const RESTED: Duration = Duration::from_millis(1500);

#[test]
fn a_window_is_driven_by_keys_and_mouse() {
    let Some(display) = Display::open() else {
        return;
    };
    let source = common::data("window/source");
    let trace = common::data("window/meal.json");
    let window = Window::open(&display, &[&source, &trace]);
    let opened = window.wait("open session", |state| state["open"].is_string());
    assert_eq!(opened["messages"], serde_json::json!([]));
    assert!(opened["modules"].as_u64() >= Some(10), "{opened}");
    let home = point(&window.wait_for_rest(), "eye");

    plays_and_steps(&window);
    finds_and_selects(&window);

    // The wheel zooms in, Home shows everything again.
    let far = window.wait_for_rest();
    window.point(500, 350);
    window.click(4, 4);
    let near = window.wait("zoom", |state| {
        distance(point(state, "eye"), point(&far, "eye")) > 30.0
    });
    assert!(point(&near, "eye")[2] < point(&far, "eye")[2]);
    follows_the_path_beside_the_title(&window);
    window.key("Home");
    window.wait("way home", |state| {
        distance(point(state, "eye"), home) < 0.5
    });

    // A drag turns the view.
    window.point(500, 400);
    window.press();
    for step in 1..=5 {
        window.point(500 + step * 20, 400);
    }
    window.release();
    window.wait("turn", |state| distance(point(state, "eye"), home) > 30.0);

    // Fly mode goes ahead while the key is held.
    window.key("Tab");
    let start = window.wait("fly mode", |state| state["mode"] == "fly");
    window.hold("w");
    window.wait("flight", |state| {
        distance(point(state, "eye"), point(&start, "eye")) > 20.0
    });
    window.let_go("w");
    window.wait_for_rest();
    window.key("Tab");
    window.wait("orbit mode", |state| state["mode"] == "orbit");

    looks_from_presets_and_back(&window);

    leaves_what_lies_on_top(&window);

    draws_nothing_at_rest(&window);
    window.close();
}

#[test]
fn keys_go_to_the_list_that_has_dropped_down() {
    let Some(display) = Display::open() else {
        return;
    };
    let source = common::data("window/source");
    let trace = common::data("window/meal.json");
    let window = Window::open(&display, &[&source, &trace]);
    window.wait("open session", |state| state["open"].is_string());
    window.key("4");
    window.wait("the functions", |state| {
        views(state) == ["landscape", "functions"]
    });
    window.wait_for_rest();
    window.point(800, 300);
    window.key("Down");
    let row = window.wait("a row", |state| state["selected"].is_string());
    // The menu of views hangs over the table.
    window.point(786, 19);
    window.click(1, 1);
    for key in ["Down", "Down", "Return"] {
        window.key(key);
    }
    let after = window.wait("the second view of the list", |state| {
        views(state).contains(&"mural")
    });
    assert_eq!(after["selected"], row["selected"]);
    window.close();
}

/// The notice of a copy, which is there before, takes no key from the help.
fn leaves_what_lies_on_top(window: &Window<'_>) {
    let on_top = |names: &[&str]| {
        let names = serde_json::json!(names);
        move |state: &Value| state["on_top"] == names && state["moving"] == false
    };
    window.wait("the notice alone", on_top(&["notices"]));
    window.key("F1");
    window.wait("help", on_top(&["the help", "notices"]));
    window.key("o");
    window.wait("settings", on_top(&["the settings", "the help", "notices"]));
    window.key("Escape");
    window.wait("end of settings", on_top(&["the help", "notices"]));
    window.key("Escape");
    window.wait("end of help", on_top(&["notices"]));
    window.key("Escape");
    window.wait("no notice", on_top(&[]));
}

fn plays_and_steps(window: &Window<'_>) {
    window.key("space");
    window.wait("playback", |state| {
        state["playing"] == true && time(state) > 1_000
    });
    window.key("space");
    let paused = window.wait("pause", |state| state["playing"] == false);
    window.key("Right");
    let later = window.wait("step forward", |state| time(state) > time(&paused));
    window.key("Left");
    window.wait("step back", |state| time(state) < time(&later));
    window.key("comma");
    window.wait("the start", |state| time(state) == 0);
}

fn finds_and_selects(window: &Window<'_>) {
    let before = window.wait_for_rest();
    window.key("slash");
    window.wait("search", |state| state["search"].is_string());
    // Shortcuts are letters like any other while one types: no collapsing, no change of theme.
    window.write("tast", 60);
    let found = window.wait("results", |state| state["search"] == "tast");
    assert!(found["results"].as_u64() >= Some(1), "{found}");
    window.key("Return");
    let selected = window.wait("selection", |state| state["selected"].is_string());
    assert_eq!(selected["selected"], "tools.py/taste");
    assert_eq!(selected["blocks"], before["blocks"]);
    window.wait("flight to it", |state| {
        distance(point(state, "eye"), point(&before, "eye")) > 30.0 && state["moving"] == false
    });
    // What was looked for last is typed over, and Enter waits for what was typed before it.
    window.key("slash");
    window.wait("search again", |state| state["search"].is_string());
    window.write("tools", 1);
    window.key("Return");
    window.wait("what was typed", |state| state["selected"] == "tools.py");
    window.wait("an end of it", |state| {
        state["search"].is_null() && state["moving"] == false
    });
    window.key("Escape");
    window.wait("no selection", |state| state["selected"].is_null());
    window.key("Home");
    let home = point(&before, "eye");
    window.wait("way home", |state| {
        distance(point(state, "eye"), home) < 0.5
    });
}

/// Nearer still one module fills the landscape, and the bar says which; a click there flies to it.
fn follows_the_path_beside_the_title(window: &Window) {
    window.click(4, 12);
    let inside = window.wait("a module that fills the landscape", |state| {
        state["filling"].is_string() && state["moving"] == false
    });
    // Behind the menu's button: a menu that opens moves too, and takes the keys that follow.
    let left = (80..330).step_by(20).find(|&x| {
        window.point(x, 20);
        window.click(1, 1);
        let state = window.wait_for_rest();
        distance(point(&state, "eye"), point(&inside, "eye")) > 1.0
    });
    assert!(left.is_some(), "nothing there flies: {inside}");
    window.wait_for_rest();
    window.point(500, 350);
}

/// From above, from a corner, and back through the views.
fn looks_from_presets_and_back(window: &Window<'_>) {
    let lens = |state: &Value| state["fov_y"].as_f64().unwrap_or_default();
    window.key("Home");
    let home = window.wait_for_rest();
    std::thread::sleep(RESTED);
    let flat = |state: &Value| {
        let (eye, target) = (point(state, "eye"), point(state, "target"));
        distance([eye[0], eye[1], 0.0], [target[0], target[1], 0.0]) / distance(eye, target)
    };
    window.key("Prior");
    let above = window.wait("a view from above", |state| {
        flat(state) < 0.05 && state["moving"] == false
    });
    std::thread::sleep(RESTED);
    window.key("Next");
    window.wait("an isometric view", |state| {
        lens(state) < 0.06 && state["moving"] == false
    });
    window.key("ctrl+Left");
    window.wait("the view before", |state| {
        distance(point(state, "eye"), point(&above, "eye")) < 1.0 && state["moving"] == false
    });
    window.key("ctrl+Left");
    window.wait("the first view", |state| {
        distance(point(state, "eye"), point(&home, "eye")) < 1.0 && state["moving"] == false
    });
    window.key("ctrl+Right");
    window.wait("the view after", |state| {
        distance(point(state, "eye"), point(&above, "eye")) < 1.0 && state["moving"] == false
    });
    window.key("Home");
    let home = window.wait("everything", |state| {
        distance(point(state, "eye"), point(&home, "eye")) < 1.0 && state["moving"] == false
    });
    // Sideways the wheel turns.
    window.point(500, 350);
    window.click(7, 3);
    let turned = window.wait("a turn", |state| {
        distance(point(state, "eye"), point(&home, "eye")) > 20.0
    });
    let height = |state: &Value| point(state, "eye")[2];
    assert!((height(&turned) - height(&home)).abs() < 0.02 * height(&home));
    window.key("shift+m");
    window.wait("no map", |state| state["minimap"] == false);
    window.key("ctrl+c");
    window.wait("a copy", |state| {
        let messages = state["messages"].as_array();
        messages.is_some_and(|all| all.iter().any(|it| it == "The picture is on the clipboard"))
    });
}

#[test]
fn a_range_limits_what_is_shown_and_the_way_back_leads_through_it() {
    let Some(display) = Display::open() else {
        return;
    };
    let trace = common::data("window/meal.json");
    let window = Window::open(&display, &[&trace]);
    window.wait("open session", |state| state["open"].is_string());
    window.key("period");
    let end = time(&window.wait("the end", |state| time(state) > 0));
    window.key("shift+Left");
    let later = window.wait("ten steps back", |state| time(state) < end);
    window.key("bracketleft");
    let state = window.wait("a range", |state| state["range_ns"].is_array());
    assert_eq!(state["range_ns"], serde_json::json!([time(&later), end]));
    window.key("Right");
    let middle = window.wait("a step on", |state| time(state) > time(&later));
    window.key("bracketright");
    let state = window.wait("another range", |state| state["range_ns"][1] != end);
    assert_eq!(
        state["range_ns"],
        serde_json::json!([time(&later), time(&middle)])
    );
    window.key("alt+Left");
    window.wait("the range before", |state| state["range_ns"][1] == end);
    window.key("alt+Left");
    window.wait("no range", |state| state["range_ns"].is_null());
    window.key("alt+Right");
    window.wait("the range again", |state| state["range_ns"][1] == end);
    window.key("Escape");
    window.wait("no range", |state| state["range_ns"].is_null());
    window.close();
}

#[test]
fn what_is_clicked_in_one_view_is_chosen_in_all_and_can_be_left_out() {
    let Some(display) = Display::open() else {
        return;
    };
    let source = common::data("window/source");
    let trace = common::data("window/meal.json");
    let window = Window::open(&display, &[&source, &trace]);
    window.wait("open session", |state| state["open"].is_string());
    window.key("3");
    window.wait("call stacks", |state| views(state).contains(&"flame"));
    window.wait_for_rest();
    // A call of the outermost one, in the middle of the window and below the landscape.
    window.point(450, 426);
    window.wait("a call pointed at", |state| state["hovered"].is_string());
    let before = window.state();
    window.click(1, 1);
    let state = window.wait("a call chosen", |state| state["call"].is_array());
    assert!(state["selected"].is_string(), "{state}");
    let state = window.wait("its time", |state| time(state) > 0);
    // Pointing has moved nothing.
    assert_eq!(state["eye"], before["eye"]);

    window.key("5");
    window.wait("its calls", |state| state["listed"].as_u64() >= Some(1));
    let all = window.wait_for_rest();
    window.key("x");
    let left = window.wait("something left out", |state| state["calls_left"].is_u64());
    assert_eq!(left["filters"], 1);
    window.key("ctrl+z");
    window.wait("all again", |state| state["filters"] == 0);
    window.key("ctrl+y");
    window.wait("left out again", |state| state["filters"] == 1);
    window.key("ctrl+z");
    window.wait("all again", |state| state["filters"] == 0);
    window.wait("its calls", |state| state["listed"] == all["listed"]);

    // The call becomes the range of every view; the way back leads out of it.
    window.key("shift+g");
    let limited = window.wait("its range", |state| state["range_ns"].is_array());
    let limits = [0, 1].map(|end| limited["range_ns"][end].as_u64());
    assert!(limits[0] <= Some(time(&limited)) && Some(time(&limited)) < limits[1]);
    assert_eq!(limited["call"], state["call"]);
    window.key("alt+Left");
    window.wait("all of it", |state| state["range_ns"].is_null());
    for rows in ["Level 1", "Level 2"] {
        window.key("p");
        window.wait(rows, |state| state["rows"] == rows);
    }

    window.key("m");
    window.wait("one view alone", |state| state["maximised"].is_string());
    window.key("m");
    window.wait("all views", |state| state["maximised"].is_null());

    draws_nothing_at_rest(&window);
    window.close();
}

#[test]
fn keys_walk_through_the_function_table() {
    let Some(display) = Display::open() else {
        return;
    };
    let folder = common::Scratch::new("table");
    // More functions than a page holds, each longer than the one before it.
    let call = |at: u64| {
        let (start, length) = (at * 1000, at + 1);
        format!(r#"{{"name":"f{at:02}","ph":"X","ts":{start},"dur":{length},"pid":1,"tid":1}}"#)
    };
    let calls: Vec<String> = (0..90).map(call).collect();
    let trace = format!(r#"{{"traceEvents":[{}]}}"#, calls.join(","));
    let trace = folder.write("many.json", trace.as_bytes());
    let window = Window::open(&display, &[&trace]);
    window.wait("open session", |state| state["open"].is_string());
    window.key("4");
    window.wait("the functions", |state| views(state).len() == 2);
    window.key("1");
    window.wait("no landscape", |state| views(state) == ["functions"]);
    window.wait_for_rest();
    // The table has the keys where the pointer is on it.
    window.point(500, 300);
    window.wait("a row pointed at", |state| state["hovered"].is_string());
    // How far down the table the row is that a key leads to: the longest call stands first.
    let mut last = String::new();
    let mut press = |key: &str| {
        window.key(key);
        let state = window.wait(key, |state| {
            state["selected"].as_str().is_some_and(|now| now != last)
        });
        last = state["selected"].as_str().unwrap_or_default().to_owned();
        let number = last.rsplit('f').next().and_then(|it| it.parse().ok());
        89 - number.unwrap_or(usize::MAX)
    };
    assert_eq!(press("Home"), 0);
    assert_eq!(press("Down"), 1);
    let page = press("Next") - 1;
    assert!((5..60).contains(&page), "{page}");
    assert_eq!(press("Next"), 1 + 2 * page);
    assert_eq!(press("Prior"), 1 + page);
    assert_eq!(press("End"), 89);
    assert_eq!(press("Up"), 88);
    assert_eq!(press("Home"), 0);
    // Flying there needs the landscape.
    window.key("Return");
    window.wait("the landscape", |state| {
        views(state) == ["landscape", "functions"]
    });
    window.close();
}

#[test]
fn a_profile_opens_with_its_flame_graph_which_keys_and_clicks_zoom() {
    let Some(display) = Display::open() else {
        return;
    };
    let folder = common::Scratch::new("flame-graph-window");
    let stacks = folder.write(
        "a.folded",
        b"main;parse;read 60\nmain;sort;cmp 30\nmain 10\n",
    );
    let window = Window::open(&display, &[&stacks]);
    let of = |state: &Value, what: &str| state["flame-graph"][what].clone();
    window.wait("all bars", |state| of(state, "bars") == 5);
    window.wait_for_rest();
    // In its pane, and not where details open.
    window.point(680, 495);
    for name in ["main", "parse", "read"] {
        window.key("Down");
        window.wait(name, |state| of(state, "cursor") == name);
    }
    window.key("Return");
    let zoomed = window.wait("a zoom", |state| of(state, "seen").is_array());
    assert_eq!(of(&zoomed, "seen"), serde_json::json!([0.0, 60.0]));
    assert_eq!(of(&zoomed, "chosen"), 1);
    window.key("BackSpace");
    window.wait("everything", |state| of(state, "seen").is_null());
    window.key("c");
    window.wait("its callers", |state| of(state, "function") == "read");
    window.key("shift+c");
    window.wait("all stacks", |state| of(state, "function").is_null());
    window.key("o");
    window.wait("by name", |state| of(state, "order") == "by name");
    window.key("u");
    window.wait("upside down", |state| of(state, "callees") == "above");
    window.key("exclam");
    window.wait("closed", |state| !views(state).contains(&"flame-graph"));
    window.close();
}

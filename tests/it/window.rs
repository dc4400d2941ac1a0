//! Through the public interface: the window, driven by keys and mouse on a virtual display.
//!
//! What the window shows is read from the log of states that `CALLSCAPE_STATE` asks for, one line for
//! every frame.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common;
use crate::facts::{Folder, blank_some_events, flip_all_calls, write_with_large_index};

/// Software rendering on a busy machine takes its time.
const PATIENCE: Duration = Duration::from_secs(90);

/// A process that ends with the test, however that ends.
struct Owned(Child);

impl Drop for Owned {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A virtual display with a window manager, without which windows get no keys.
pub struct Display {
    name: String,
    /// Where the windows on it keep what they remember.
    settings: PathBuf,
    _manager: Owned,
    _server: Owned,
}

impl Drop for Display {
    fn drop(&mut self) {
        // What is left in the temporary folder does no harm.
        let _ = std::fs::remove_dir_all(&self.settings);
    }
}

fn is_installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

impl Display {
    /// None, with a line that says why, where something that it needs is not installed.
    pub fn open() -> Option<Display> {
        for program in ["Xvfb", "openbox", "xdotool"] {
            if !is_installed(program) {
                eprintln!("left out: needs {program} to drive a window");
                return None;
            }
        }
        // The server chooses a free number and tells it.
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-screen", "0", "1000x700x24"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Xvfb is installed");
        let mut number = String::new();
        let output = server.stdout.take().expect("its output is piped");
        let server = Owned(server);
        BufReader::new(output)
            .read_line(&mut number)
            .expect("Xvfb tells its number");
        let name = format!(":{}", number.trim());
        static OPENED: AtomicU32 = AtomicU32::new(0);
        let number = OPENED.fetch_add(1, Ordering::Relaxed);
        let folder = format!("callscape-settings-{}-{number}", std::process::id());
        let settings = std::env::temp_dir().join(folder);
        std::fs::create_dir_all(&settings).expect("a temporary folder");
        let ready = settings.join("manager");
        let manager = Command::new("openbox")
            .arg("--startup")
            .arg(format!("touch {}", ready.display()))
            .env("DISPLAY", &name)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("openbox is installed");
        // A window that comes while the window manager starts may never be shown, and so never get a key.
        let begin = Instant::now();
        while !ready.exists() {
            assert!(begin.elapsed() < PATIENCE, "the window manager never came");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(Display {
            name,
            settings,
            _manager: Owned(manager),
            _server: server,
        })
    }

    /// The file in which windows remember the arrangement of the views.
    fn remembered(&self) -> PathBuf {
        self.settings.join("callscape/window.json")
    }

    fn xdotool(&self, arguments: &[&str]) -> String {
        let output = Command::new("xdotool")
            .env("DISPLAY", &self.name)
            .args(arguments)
            .output()
            .expect("xdotool is installed");
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    fn callscape(&self) -> Command {
        let mut command = common::callscape();
        command
            .env("DISPLAY", &self.name)
            .env("XDG_CONFIG_HOME", &self.settings)
            .env_remove("WAYLAND_DISPLAY");
        command
    }
}

pub struct Window<'a> {
    display: &'a Display,
    process: Owned,
    id: String,
    log: PathBuf,
}

impl Drop for Window<'_> {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.log);
    }
}

impl Window<'_> {
    pub fn open<'a>(display: &'a Display, inputs: &[&Path]) -> Window<'a> {
        Window::open_with(display, inputs, "")
    }

    /// One in which a fault of the graphics device happens; none for an empty text.
    fn open_with<'a>(display: &'a Display, inputs: &[&Path], fault: &str) -> Window<'a> {
        Window::open_as(display, inputs, &[("CALLSCAPE_FAULT", fault)])
    }

    /// One on a screen of a scale.
    fn open_scaled<'a>(display: &'a Display, inputs: &[&Path], scale: &str) -> Window<'a> {
        Window::open_as(display, inputs, &[("WINIT_X11_SCALE_FACTOR", scale)])
    }

    fn open_as<'a>(
        display: &'a Display,
        inputs: &[&Path],
        variables: &[(&str, &str)],
    ) -> Window<'a> {
        static OPENED: AtomicU32 = AtomicU32::new(0);
        let number = OPENED.fetch_add(1, Ordering::Relaxed);
        let name = format!("callscape-state-{}-{number}", std::process::id());
        let log = std::env::temp_dir().join(name);
        let process = display
            .callscape()
            .args(inputs)
            .env("CALLSCAPE_STATE", &log)
            .envs(variables.iter().copied())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program is built");
        let pid = process.id().to_string();
        let mut window = Window {
            display,
            process: Owned(process),
            id: String::new(),
            log,
        };
        window.wait("a first frame", |_| true);
        // Not by xdotool's own waiting, which has no end where it misses the window's coming.
        let begin = Instant::now();
        let ready = |window: &Window| !window.id.is_empty() && window.state()["focused"] == true;
        while !ready(&window) && begin.elapsed() < PATIENCE {
            let found = display.xdotool(&["search", "--onlyvisible", "--pid", &pid]);
            window.id = found.lines().last().unwrap_or_default().to_owned();
            display.xdotool(&["windowactivate", &window.id]);
            std::thread::sleep(Duration::from_millis(200));
        }
        window.wait("focus", |state| state["focused"] == true);
        window.wait("its inputs", |state| state["loading"] == false);
        window
    }

    /// The states logged so far that are complete.
    fn states(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(&self.log).unwrap_or_default();
        let lines = text.lines();
        lines
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect()
    }

    pub fn state(&self) -> Value {
        self.states().pop().unwrap_or_default()
    }

    /// Waits until the last state is as wanted.
    pub fn wait(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let start = Instant::now();
        loop {
            let state = self.state();
            if state.is_object() && wanted(&state) {
                return state;
            }
            assert!(start.elapsed() < PATIENCE, "no {what}: {state}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    pub fn wait_for_rest(&self) -> Value {
        self.wait("rest", |state| state["moving"] == false)
    }

    pub fn key(&self, key: &str) {
        self.display.xdotool(&["key", key]);
    }

    /// Turns the wheel towards the user.
    pub fn click_wheel(&self) {
        self.display.xdotool(&["click", "5"]);
    }

    /// Moves the pointer to a place in the window.
    pub fn point(&self, x: u32, y: u32) {
        let (x, y) = (x.to_string(), y.to_string());
        self.display
            .xdotool(&["mousemove", "--window", &self.id, &x, &y]);
    }

    pub fn close(mut self) {
        // The window manager asks the window to close.
        self.key("alt+F4");
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if let Some(status) = self.process.0.try_wait().expect("it is our process") {
                assert!(status.success(), "{status}");
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("the window did not close");
    }
}

fn point(state: &Value, name: &str) -> [f64; 3] {
    std::array::from_fn(|axis| state[name][axis].as_f64().expect("a coordinate"))
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
    squares.sum::<f64>().sqrt()
}

fn time(state: &Value) -> u64 {
    state["time_ns"].as_u64().expect("a recording is open")
}

/// Nearer still one module fills the landscape, and the bar says which; a click there flies to it.
fn follows_the_path_beside_the_title(window: &Window) {
    window.display.xdotool(&["click", "--repeat", "12", "4"]);
    let inside = window.wait("a module that fills the landscape", |state| {
        state["filling"].is_string() && state["moving"] == false
    });
    let left = (40..500).step_by(20).find(|&x| {
        window.point(x, 20);
        window.display.xdotool(&["click", "1"]);
        std::thread::sleep(Duration::from_millis(300));
        distance(point(&window.state(), "eye"), point(&inside, "eye")) > 1.0
    });
    assert!(left.is_some(), "nothing there flies: {inside}");
    window.wait_for_rest();
    window.point(500, 350);
}

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
    window.display.xdotool(&["click", "--repeat", "4", "4"]);
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
    window.display.xdotool(&["mousedown", "1"]);
    for step in 1..=5 {
        window.point(500 + step * 20, 400);
    }
    window.display.xdotool(&["mouseup", "1"]);
    window.wait("turn", |state| distance(point(state, "eye"), home) > 30.0);

    // Fly mode goes ahead while the key is held.
    window.key("Tab");
    let start = window.wait("fly mode", |state| state["mode"] == "fly");
    window.display.xdotool(&["keydown", "w"]);
    window.wait("flight", |state| {
        distance(point(state, "eye"), point(&start, "eye")) > 20.0
    });
    window.display.xdotool(&["keyup", "w"]);
    window.wait_for_rest();
    window.key("Tab");
    window.wait("orbit mode", |state| state["mode"] == "orbit");

    looks_from_presets_and_back(&window);

    window.key("F1");
    window.wait("help", |state| state["help"] == true);
    window.key("Escape");
    window.wait("end of help", |state| state["help"] == false);

    draws_nothing_at_rest(&window);
    window.close();
}

/// From above, from a corner, and back through the views.
fn looks_from_presets_and_back(window: &Window<'_>) {
    let lens = |state: &Value| state["fov_y"].as_f64().unwrap_or_default();
    window.key("Home");
    std::thread::sleep(Duration::from_millis(2500));
    let home = window.wait_for_rest();
    let flat = |state: &Value| {
        let (eye, target) = (point(state, "eye"), point(state, "target"));
        distance([eye[0], eye[1], 0.0], [target[0], target[1], 0.0]) / distance(eye, target)
    };
    window.key("Prior");
    window.wait("a view from above", |state| {
        flat(state) < 0.05 && state["moving"] == false
    });
    // Where the camera rests is a view to go back to.
    std::thread::sleep(Duration::from_millis(2500));
    let above = window.wait_for_rest();
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
    window.display.xdotool(&["click", "--repeat", "3", "7"]);
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
    window.display.xdotool(&["type", "f4"]);
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
    window.display.xdotool(&["type", "--delay", "60", "tast"]);
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
    window.display.xdotool(&["type", "--delay", "1", "tools"]);
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

fn draws_nothing_at_rest(window: &Window<'_>) {
    let start = Instant::now();
    let mut frames = window.states().len();
    loop {
        std::thread::sleep(Duration::from_millis(1500));
        let now = window.states().len();
        if now == frames {
            return;
        }
        frames = now;
        assert!(start.elapsed() < PATIENCE, "it never comes to rest");
    }
}

fn views(state: &Value) -> Vec<&str> {
    let views = state["views"].as_array().into_iter().flatten();
    views.filter_map(Value::as_str).collect()
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
    assert_eq!(message, "The views are arranged as at first");
    mended.close();
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
    window.display.xdotool(&["click", "1"]);
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
    window.display.xdotool(&["type", "--delay", "60", "tast"]);
    window.wait("results", |state| state["search"] == "tast");
    window.key("Return");
    window.wait("selection", |state| state["selected"].is_string());
    let before = window.wait_for_rest();
    window.key("ctrl+s");
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

/// Opens a window in which a fault happens, and sees that it goes on; the messages that it shows then.
fn goes_on_after(fault: &str) -> Option<Value> {
    let display = Display::open()?;
    let source = common::data("window/source");
    let trace = common::data("window/meal.json");
    let window = Window::open_with(&display, &[&source, &trace], &format!("{fault}@12"));
    window.wait("open session", |state| state["open"].is_string());
    for round in 0..4 {
        window.key("F1");
        window.wait("help", |state| state["help"] == (round % 2 == 0));
    }
    let state = window.wait("more frames", |state| state["frame"].as_u64() > Some(16));
    draws_nothing_at_rest(&window);
    window.close();
    Some(state["messages"].clone())
}

#[test]
fn a_lost_device_is_replaced() {
    if let Some(messages) = goes_on_after("device") {
        assert_eq!(messages, serde_json::json!([]));
    }
}

#[test]
fn a_lost_surface_is_replaced() {
    if let Some(messages) = goes_on_after("surface") {
        assert_eq!(messages, serde_json::json!([]));
    }
}

#[test]
fn a_device_without_memory_is_made_do_with_and_told() {
    if let Some(messages) = goes_on_after("memory") {
        let told = serde_json::json!(["The graphics device has no memory left"]);
        assert_eq!(messages, told);
    }
}

#[test]
fn a_window_may_have_any_size() {
    let Some(display) = Display::open() else {
        return;
    };
    let source = common::data("window/source");
    let window = Window::open(&display, &[&source]);
    window.wait("open session", |state| state["open"].is_string());
    for [width, height] in [
        ["1", "1"],
        ["3000", "2500"],
        ["330", "2000"],
        ["900", "600"],
    ] {
        let before = window.state()["frame"].as_u64();
        display.xdotool(&["windowsize", &window.id, width, height]);
        let state = window.wait("a frame", |state| state["frame"].as_u64() > before);
        assert_eq!(
            state["messages"],
            serde_json::json!([]),
            "{width} × {height}"
        );
    }
    window.wait_for_rest();
    window.close();
}

/// On a screen of twice the scale all is twice as large, and what lies under the pointer is still found.
#[test]
fn a_window_has_the_scale_of_its_screen() {
    let Some(display) = Display::open() else {
        return;
    };
    let source = common::data("window/source");
    for scale in ["1", "2", "1.25"] {
        let window = Window::open_scaled(&display, &[&source], scale);
        window.wait("open session", |state| state["open"].is_string());
        window.wait_for_rest();
        // The middle of the landscape is in the picture however large what stands around it is.
        window.point(480, 330);
        window.wait("something pointed at", |state| state["hovered"].is_string());
        let found = window.state()["hovered"].clone();
        window.display.xdotool(&["click", "1"]);
        let state = window.wait("a selection", |state| state["selected"].is_string());
        assert_eq!(state["selected"], found, "at {scale}");
        assert_eq!(state["messages"], serde_json::json!([]), "at {scale}");
        draws_nothing_at_rest(&window);
        window.close();
    }
}

/// Runs a window that cannot open; what it says on standard error.
fn refusal(mut command: Command) -> String {
    let child = command
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program is built");
    let mut child = Owned(child);
    let mut said = String::new();
    let stderr = child.0.stderr.as_mut().expect("it is piped");
    stderr.read_to_string(&mut said).expect("messages are text");
    let status = child.0.wait().expect("it is our process");
    assert_eq!(status.code(), Some(1), "{said}");
    said
}

#[test]
fn without_a_display_the_window_says_what_is_missing() {
    let mut command = common::callscape();
    command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
    command.env_remove("WAYLAND_SOCKET");
    let said = refusal(command);
    assert!(said.contains("DISPLAY"), "{said}");
    assert!(said.contains("callscape render"), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
}

#[test]
fn without_an_adapter_the_window_says_what_to_install() {
    let Some(display) = Display::open() else {
        return;
    };
    let mut command = display.callscape();
    command
        .env("VK_ICD_FILENAMES", "/nowhere.json")
        .env("VK_DRIVER_FILES", "/nowhere.json");
    let said = refusal(command);
    assert!(said.contains("mesa-vulkan-drivers"), "{said}");
}

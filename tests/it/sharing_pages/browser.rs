//! A page in a browser. Left out where there is no Chromium, or where `./x web` has not made the viewer.

use std::path::Path;
use std::process::Command;

use callscape_testing::browser::Browser;
use serde_json::json;

use crate::common::{self, Scratch};
use crate::perceive::difference;
use crate::render::read_png;

/// The digits of a keyboard, then what they are with Shift.
const VIEW_KEYS: &str = "0123456789)!@#$%^&*(";

/// A browser; none, and said so, where it or the viewer that `./x web` makes is missing.
fn ready(extra: &[&str]) -> Option<Browser> {
    let viewer = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/web/viewer.html");
    if !viewer.is_file() {
        eprintln!("left out: needs the viewer of pages, which `./x web` makes");
        return None;
    }
    let is_there = Command::new("chromium").arg("--version").output();
    if !is_there.is_ok_and(|it| it.status.success()) {
        eprintln!("left out: needs chromium");
        return None;
    }
    Some(Browser::start(extra).expect("Chromium starts"))
}

/// The address of a page that the program makes with these arguments.
fn page(scratch: &Scratch, arguments: &[&str]) -> String {
    let page = scratch.0.join("page.html");
    let mut command = common::callscape();
    command.args(arguments).args(["--page", "-o"]).arg(&page);
    command.env("XDG_CACHE_HOME", scratch.0.join("cache"));
    let done = command.output().expect("the program runs");
    let told = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{told}");
    format!("file://{}", page.display())
}

/// Keeps the devices that the page opens, to take them away.
const DEVICES: &str = "const open = GPUAdapter.prototype.requestDevice; window.devices = []; \
    GPUAdapter.prototype.requestDevice = async function (...of) { \
        const device = await open.apply(this, of); devices.push(device); return device; }";

#[test]
fn the_demo_plays_in_a_browser() {
    let Some(mut browser) = ready(&[]) else {
        return;
    };
    let scratch = Scratch::new("page-demo");
    let page = page(&scratch, &["pack"]);
    let devices = json!({"source": DEVICES});
    browser.ask("Page.addScriptToEvaluateOnNewDocument", devices);
    browser.play(&page);
    let time = browser.seen("time_ns");
    browser.until(&format!("seen.playing && seen.time_ns != {time}"));
    browser.press(" ", "Space", 32);
    browser.until("!seen.playing");
    let time = browser.seen("time_ns");
    browser.press("ArrowRight", "ArrowRight", 39);
    browser.until(&format!("seen.time_ns != {time}"));
    browser.click(640, 400);
    browser.until("seen.selected != null");
    browser.press("/", "Slash", 191);
    browser.until("seen.search != null");
    browser.type_letters("luaH");
    browser.until("seen.search == 'luaH' && seen.results > 5");
    browser.press("Enter", "Enter", 13);
    browser.until("seen.selected == 'ltable.c/luaH_new'");
    browser.press("Escape", "Escape", 27);
    browser.until("seen.search == null");
    for (key, view) in [
        ("2", "mural"),
        ("3", "flame"),
        ("4", "functions"),
        ("5", "calls"),
        ("8", "phases"),
        ("9", "tree"),
        ("0", "rings"),
        ("!", "flame-graph"),
        ("#", "fan"),
        ("$", "code"),
        ("%", "collaboration"),
        ("&", "neighbours"),
        ("@", "faults"),
        ("^", "findings"),
    ] {
        let number = VIEW_KEYS.find(key).map_or(0, |at| at % 10);
        let code = format!("Digit{number}");
        browser.press(key, &code, u32::from(b'0') + number as u32);
        browser.until(&format!("seen.views.includes('{view}')"));
        // All of them at once leave no room.
        browser.press(key, &code, u32::from(b'0') + number as u32);
    }
    browser.say("location.hash = '#t=20ms&select=lgc.c'");
    browser.until("seen.time_ns == 20000000 && seen.selected == 'lgc.c' && !seen.playing");
    browser.resize(900, 600);
    browser.wait_for("callscape.width == 900 && callscape.height == 600");
    let frame = browser.seen("frame");
    browser.say("devices.at(-1).destroy()");
    browser.until(&format!("devices.length == 2 && seen.frame > {frame}"));
    assert_eq!(browser.seen("messages"), json!([]));
    assert_eq!(browser.errors, Vec::<String>::new());
}

const STILL: &str = r#"
[look]
theme = "dark"
[[bookmark]]
name = "here"
time = "40%"
[[shot]]
bookmark = "here"
arcs = "none"
seconds = 1
"#;

/// A scene is presented at once, and what the browser's driver draws looks as what the window's draws: on average at most 1.5
/// of 100 from black to white. Of golden pictures 1 is allowed; here names lie elsewhere too, which films place anew.
#[test]
fn a_scene_is_presented_as_the_window_does() {
    let Some(mut browser) = ready(&[]) else {
        return;
    };
    let scratch = Scratch::new("page-scene");
    let scene = scratch.write("still.toml", STILL.as_bytes());
    let scene = scene.display().to_string();
    let native = scratch.0.join("native.png");
    let mut command = common::callscape();
    command.args(["render", "--scene", &scene, "--second", "0.9", "--size"]);
    let drawn = command.arg("1280x720").arg("-o").arg(&native).output();
    let drawn = drawn.expect("the program runs");
    assert!(
        drawn.status.success(),
        "{}",
        String::from_utf8_lossy(&drawn.stderr)
    );
    let page = page(&scratch, &["pack", "--scene", &scene]);
    browser.play(&page);
    browser.until(
        "seen.talk.live && seen.talk.shot_at >= 0.9 && !seen.moving && seen.waits_for.length == 0",
    );
    // What comes last fades in.
    std::thread::sleep(std::time::Duration::from_secs(2));
    let played = scratch.0.join("played.png");
    let picture = scratch.write("played.base64", browser.picture().as_bytes());
    let decoded = Command::new("base64").arg("-d").arg(picture).output();
    let decoded = decoded.expect("base64 is part of coreutils").stdout;
    std::fs::write(&played, decoded).expect("written");
    let found = difference(&read_png(&native), &read_png(&played));
    println!("{found:?}");
    assert!(found.mean < 1.5, "{found:?}");
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn fingers_move_and_select() {
    let Some(mut browser) = ready(&[]) else {
        return;
    };
    let scratch = Scratch::new("page-touch");
    let page = page(&scratch, &["pack"]);
    browser.play(&page);
    browser.press(" ", "Space", 32);
    browser.touch("touchStart", &[(640, 400)]);
    browser.touch("touchEnd", &[]);
    browser.until("seen.selected != null");
    let before = browser.seen("eye");
    browser.touch("touchStart", &[(600, 400)]);
    browser.touch("touchStart", &[(600, 400), (700, 400)]);
    browser.touch("touchMove", &[(500, 400), (800, 400)]);
    browser.touch("touchEnd", &[]);
    browser.until(&format!("JSON.stringify(seen.eye) != '{before}'"));
    assert_eq!(browser.errors, Vec::<String>::new());
}

/// What stands before a pack in a page.
const PACK: &str = "id=\"pack\" data-base=\"85\">";

#[test]
fn a_pack_that_cannot_be_opened_leaves_the_text() {
    let Some(mut browser) = ready(&[]) else {
        return;
    };
    let scratch = Scratch::new("page-damaged");
    let recording = "tests/data/import/toml-threads.viztracer.json";
    let address = page(&scratch, &["pack", recording]);
    let path = scratch.0.join("page.html");
    let text = std::fs::read_to_string(&path).expect("a page");
    let (before, pack) = text.split_once(PACK).expect("a pack");
    let half = pack.find('<').expect("its end") / 2 / 5 * 5;
    let (kept, rest) = pack.split_at(half);
    let end = rest.find('<').expect("its end");
    let cut = format!("{before}{PACK}{kept}{}", &rest[end..]);
    std::fs::write(&path, cut).expect("written");
    browser.open(&address);
    browser
        .wait_for("document.getElementById('note')?.textContent.includes('could not be opened')");
    browser.wait_for("text.offsetHeight > 300 && !document.body.classList.contains('plays')");
}

#[test]
fn a_link_leads_to_a_bookmark() {
    let Some(mut browser) = ready(&[]) else {
        return;
    };
    let scratch = Scratch::new("page-bookmark");
    let session = "tests/data/sessions/one-run.callscape-session.json";
    let page = page(&scratch, &["pack", session]);
    browser.play(&format!("{page}#1"));
    browser.until("seen.time_ns == 62000000");
    browser.until("seen.selected == 'external/python3.11/tomllib'");
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn a_comparison_plays_in_a_browser() {
    let Some(mut browser) = ready(&[]) else {
        return;
    };
    let scratch = Scratch::new("page-both");
    let demo = |name: &str| format!("assets/demo/lua-report-{name}.json.zst");
    let (a, b) = (demo("unoptimized"), demo("optimized"));
    let page = page(&scratch, &["compare", &a, &b]);
    browser.play(&page);
    browser.until("seen.run != null && !seen.loading && seen.blocks > 10");
    browser.wait_for("document.querySelector('h1').textContent.includes('against')");
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn without_webgpu_the_text_is_there() {
    let Some(mut browser) = ready(&["--disable-features=WebGPU", "--disable-webgpu"]) else {
        return;
    };
    let scratch = Scratch::new("page-text");
    let page = page(&scratch, &["pack"]);
    browser.say("Object.defineProperty(navigator, 'gpu', {value: undefined})");
    let script =
        json!({"source": "Object.defineProperty(Navigator.prototype, 'gpu', {value: undefined})"});
    browser.ask("Page.addScriptToEvaluateOnNewDocument", script);
    browser.open(&page);
    browser.wait_for("document.getElementById('note')?.textContent.includes('no WebGPU')");
    browser.wait_for("text.offsetHeight > 300 && !document.body.classList.contains('plays')");
    browser.wait_for(
        "[...document.querySelectorAll('h2')].some((it) => it.textContent == 'Functions')",
    );
}

#[test]
fn without_scripts_the_text_is_there() {
    let Some(mut browser) = ready(&[]) else {
        return;
    };
    let scratch = Scratch::new("page-scripts");
    let page = page(&scratch, &["pack"]);
    browser.ask(
        "Emulation.setScriptExecutionDisabled",
        json!({"value": true}),
    );
    browser.open(&page);
    browser.wait_for("document.readyState == 'complete'");
    let snapshot = browser.ask("Page.getLayoutMetrics", json!({}));
    let height = snapshot["cssContentSize"]["height"].as_f64();
    assert!(height.is_some_and(|it| it > 720.0), "{snapshot}");
    assert_eq!(browser.errors, Vec::<String>::new());
}

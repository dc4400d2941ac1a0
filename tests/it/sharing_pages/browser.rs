//! A page in headless Chromium, driven by its protocol through pipes: <https://chromedevtools.github.io/devtools-protocol/>.
//! Left out where there is no Chromium, or where `./x web` has not made the viewer.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::{self, Scratch};

/// Maximum number of looks at a page that a test waits for.
const LOOKS: usize = 1200;
const PAUSE: Duration = Duration::from_millis(100);

/// The digits of a keyboard, then what they are with Shift.
const VIEW_KEYS: &str = "0123456789)!@#$%^&*(";

struct Browser {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    session: Option<String>,
    number: u64,
    /// Errors on the console.
    errors: Vec<String>,
    _profile: Scratch,
}

impl Browser {
    /// None where it cannot be started.
    fn start(extra: &[&str]) -> Option<Browser> {
        let profile = Scratch::new("chromium");
        let mut command = Command::new("sh");
        // Chromium's pipes are the files 3 and 4.
        command.args([
            "-c",
            "exec chromium \"$@\" 3<&0 4>&1 0</dev/null 1>&2",
            "sh",
        ]);
        command.args([
            "--headless=new",
            "--no-sandbox",
            "--no-first-run",
            "--remote-debugging-pipe",
            "--window-size=1280,720",
            "--enable-unsafe-webgpu",
            "--enable-features=Vulkan",
            "--use-vulkan=swiftshader",
            "--use-angle=vulkan",
            "--use-webgpu-adapter=swiftshader",
        ]);
        command.arg(format!("--user-data-dir={}", profile.0.display()));
        command.args(extra).arg("about:blank");
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().ok()?;
        let (to, from) = (child.stdin.take()?, BufReader::new(child.stdout.take()?));
        let mut browser = Browser {
            child,
            to,
            from,
            session: None,
            number: 0,
            errors: Vec::new(),
            _profile: profile,
        };
        let targets = browser.ask("Target.getTargets", json!({}));
        let targets = targets["targetInfos"].as_array().cloned();
        let page = targets?.into_iter().find(|it| it["type"] == "page")?;
        let wanted = json!({"targetId": page["targetId"], "flatten": true});
        let attached = browser.ask("Target.attachToTarget", wanted);
        browser.session = attached["sessionId"].as_str().map(str::to_owned);
        for domain in ["Page.enable", "Runtime.enable", "Log.enable"] {
            browser.ask(domain, json!({}));
        }
        let size = json!({"width": 1280, "height": 720, "deviceScaleFactor": 1, "mobile": false});
        browser.ask("Emulation.setDeviceMetricsOverride", size);
        Some(browser)
    }

    fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.number += 1;
        let mut message = json!({"id": self.number, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            message["sessionId"] = json!(session);
        }
        write!(self.to, "{message}\0").expect("Chromium listens");
        loop {
            let mut text = Vec::new();
            let read = self.from.read_until(0, &mut text);
            assert!(read.expect("Chromium answers") > 0, "Chromium has ended");
            let said: Value =
                serde_json::from_slice(text.strip_suffix(b"\0").unwrap_or(&text)).expect("JSON");
            if said["id"] == self.number {
                assert!(said["error"].is_null(), "{method}: {said}");
                return said["result"].clone();
            }
            self.hear(&said);
        }
    }

    fn hear(&mut self, said: &Value) {
        let of = &said["params"];
        let is_error = match said["method"].as_str() {
            Some("Runtime.exceptionThrown") => true,
            Some("Runtime.consoleAPICalled") => of["type"] == "error",
            Some("Log.entryAdded") => of["entry"]["level"] == "error",
            _ => false,
        };
        if is_error {
            self.errors.push(of.to_string());
        }
    }

    fn open(&mut self, address: &str) {
        self.ask("Page.navigate", json!({"url": address}));
    }

    fn say(&mut self, script: &str) -> Value {
        let wanted = json!({"expression": script, "returnByValue": true});
        self.ask("Runtime.evaluate", wanted)["result"]["value"].clone()
    }

    /// Waits until a script says `true`. The script itself cannot wait: a page that is left answers no promise, and one
    /// whose scripts are off has no timers.
    fn wait_for(&mut self, script: &str) {
        for _ in 0..LOOKS {
            if self.say(script) == json!(true) {
                return;
            }
            std::thread::sleep(PAUSE);
        }
        panic!("{script}: {:?}", self.errors);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

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

impl Browser {
    /// Opens a page and waits for its first frame.
    fn play(&mut self, address: &str) {
        self.open(address);
        self.wait_for(
            "typeof wasm_bindgen != 'undefined' && document.body.classList.contains('plays')",
        );
        self.wait_for("!!wasm_bindgen.state()");
    }

    /// Waits until this is true of what a frame shows, `seen`.
    fn until(&mut self, condition: &str) {
        self.wait_for(&format!(
            "((seen) => {condition})(JSON.parse(wasm_bindgen.state()))"
        ));
    }

    fn seen(&mut self, field: &str) -> Value {
        self.say(&format!("JSON.parse(wasm_bindgen.state()).{field}"))
    }

    /// Presses a key by its name, its place and its number.
    fn press(&mut self, key: &str, code: &str, number: u32) {
        let text = if key.len() == 1 { key } else { "" };
        let of = |what: &str| json!({"type": what, "key": key, "code": code, "text": text, "windowsVirtualKeyCode": number});
        let mut up = of("keyUp");
        up["text"] = json!("");
        self.ask("Input.dispatchKeyEvent", of("keyDown"));
        self.ask("Input.dispatchKeyEvent", up);
    }

    fn type_letters(&mut self, text: &str) {
        for letter in text.chars() {
            let upper = letter.to_ascii_uppercase();
            self.press(&letter.to_string(), &format!("Key{upper}"), upper.into());
        }
    }

    fn click(&mut self, x: u32, y: u32) {
        for what in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let button = if what == "mouseMoved" { "none" } else { "left" };
            let of = json!({"type": what, "x": x, "y": y, "button": button, "clickCount": 1});
            self.ask("Input.dispatchMouseEvent", of);
        }
    }

    /// What fingers do that are down at these places then.
    fn touch(&mut self, what: &str, at: &[(u32, u32)]) {
        let points = at.iter().zip(1..);
        let points = points.map(|((x, y), id)| json!({"x": x, "y": y, "id": id}));
        let points: Vec<Value> = points.collect();
        let of = json!({"type": what, "touchPoints": points});
        self.ask("Input.dispatchTouchEvent", of);
    }

    fn resize(&mut self, width: u32, height: u32) {
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.ask("Emulation.setDeviceMetricsOverride", size);
    }
}

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
    let (before, pack) = text.split_once("id=\"pack\">").expect("a pack");
    let half = pack.find('<').expect("its end") / 2 / 4 * 4;
    let (kept, rest) = pack.split_at(half);
    let end = rest.find('<').expect("its end");
    let cut = format!("{before}id=\"pack\">{kept}{}", &rest[end..]);
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

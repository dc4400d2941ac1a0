//! A page in headless Chromium, driven by its protocol through pipes: <https://chromedevtools.github.io/devtools-protocol/>.
//! Left out where there is no Chromium, or where `./x web` has not made the viewer.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::{self, Scratch};

/// How often a page is looked at, which a test waits for: one that hangs ends the test.
const LOOKS: usize = 1200;
const PAUSE: Duration = Duration::from_millis(100);

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

/// The viewer that `./x web` has made, and a browser; none, and said so, where one of them is missing.
fn ready(extra: &[&str]) -> Option<(PathBuf, Browser)> {
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
    let browser = Browser::start(extra).expect("Chromium starts");
    Some((viewer, browser))
}

/// The demo's page, and its address.
fn demo(scratch: &Scratch) -> String {
    let page = scratch.0.join("demo.html");
    let mut command = common::callscape();
    let done = command.args(["pack", "--page", "-o"]).arg(&page).output();
    let done = done.expect("the program runs");
    assert!(
        done.status.success(),
        "{}",
        String::from_utf8_lossy(&done.stderr)
    );
    format!("file://{}", page.display())
}

#[test]
fn the_demo_plays_in_a_browser() {
    let Some((_, mut browser)) = ready(&[]) else {
        return;
    };
    let scratch = Scratch::new("page-demo");
    let page = demo(&scratch);
    browser.open(&page);
    browser.wait_for("document.body?.classList.contains('plays') && callscape.dataset.frames > 10");
    let (first, then) = ("+callscape.dataset.frames", "callscape.dataset.time");
    let frames = browser.say(first).as_f64().expect("a number");
    let time = browser.say(then);
    // It plays by itself.
    browser.wait_for(&format!(
        "callscape.dataset.time != {time} && {first} > {frames}"
    ));
    browser.open(&format!("{page}#t=50%25"));
    browser.wait_for("callscape.dataset.frames > 10");
    assert_eq!(browser.errors, Vec::<String>::new());
}

#[test]
fn without_webgpu_the_text_is_there() {
    let Some((_, mut browser)) = ready(&["--disable-features=WebGPU", "--disable-webgpu"]) else {
        return;
    };
    let scratch = Scratch::new("page-text");
    let page = demo(&scratch);
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
    let Some((_, mut browser)) = ready(&[]) else {
        return;
    };
    let scratch = Scratch::new("page-scripts");
    let page = demo(&scratch);
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

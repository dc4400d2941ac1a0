//! A page in headless Chromium, driven by its protocol through pipes: <https://chromedevtools.github.io/devtools-protocol/>.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

/// Maximum number of looks at a page that a test waits for.
const LOOKS: usize = 1200;
const PAUSE: Duration = Duration::from_millis(100);

/// Headless Chromium on one page of 1280 × 720 pixels; it ends with this.
pub struct Browser {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    session: Option<String>,
    number: u64,
    /// Errors on the console.
    pub errors: Vec<String>,
    profile: PathBuf,
}

impl Browser {
    /// None where it is not installed, or cannot be started.
    pub fn start(extra: &[&str]) -> Option<Browser> {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let name = format!("callscape-chromium-{}-{number}", std::process::id());
        let profile = std::env::temp_dir().join(name);
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
        command.arg(format!("--user-data-dir={}", profile.display()));
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
            profile,
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

    /// What the browser answers to a method of its protocol.
    pub fn ask(&mut self, method: &str, parameters: Value) -> Value {
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

    pub fn open(&mut self, address: &str) {
        self.ask("Page.navigate", json!({"url": address}));
    }

    /// What a script of the page says.
    pub fn say(&mut self, script: &str) -> Value {
        let wanted = json!({"expression": script, "returnByValue": true});
        self.ask("Runtime.evaluate", wanted)["result"]["value"].clone()
    }

    /// Waits until a script says `true`. The script itself cannot wait: a page that is left answers no promise, and one
    /// whose scripts are off has no timers.
    pub fn wait_for(&mut self, script: &str) {
        for _ in 0..LOOKS {
            if self.say(script) == json!(true) {
                return;
            }
            std::thread::sleep(PAUSE);
        }
        panic!("{script}: {:?}", self.errors);
    }
}

impl Browser {
    /// A picture of the page, as PNG in base64.
    pub fn picture(&mut self) -> String {
        let picture = self.ask("Page.captureScreenshot", json!({"format": "png"}));
        picture["data"].as_str().unwrap_or_default().to_owned()
    }

    /// Resident bytes of the process that shows the page.
    pub fn memory(&self) -> Option<u64> {
        let profile = self.profile.display().to_string();
        let processes = std::fs::read_dir("/proc").ok()?.flatten();
        let of = processes.filter_map(|process| {
            let command = std::fs::read_to_string(process.path().join("cmdline")).ok()?;
            let is_ours = command.contains("--type=renderer") && command.contains(&profile);
            let status = std::fs::read_to_string(process.path().join("status")).ok()?;
            let line = status.lines().find_map(|it| it.strip_prefix("VmRSS:"))?;
            let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().ok()?;
            is_ours.then_some(kilobytes * 1024)
        });
        of.max()
    }
}

impl Browser {
    /// Opens a page and waits for its first frame.
    pub fn play(&mut self, address: &str) {
        self.open(address);
        self.wait_for(
            "typeof wasm_bindgen != 'undefined' && document.body.classList.contains('plays')",
        );
        self.wait_for("!!wasm_bindgen.state()");
    }

    /// Waits until this is true of what a frame shows, `seen`.
    pub fn until(&mut self, condition: &str) {
        self.wait_for(&format!(
            "((seen) => {condition})(JSON.parse(wasm_bindgen.state()))"
        ));
    }

    pub fn seen(&mut self, field: &str) -> Value {
        self.say(&format!("JSON.parse(wasm_bindgen.state()).{field}"))
    }

    /// Presses a key by its name, its place and its number.
    pub fn press(&mut self, key: &str, code: &str, number: u32) {
        let text = if key.len() == 1 { key } else { "" };
        let of = |what: &str| json!({"type": what, "key": key, "code": code, "text": text, "windowsVirtualKeyCode": number});
        let mut up = of("keyUp");
        up["text"] = json!("");
        self.ask("Input.dispatchKeyEvent", of("keyDown"));
        self.ask("Input.dispatchKeyEvent", up);
    }

    pub fn type_letters(&mut self, text: &str) {
        for letter in text.chars() {
            let upper = letter.to_ascii_uppercase();
            self.press(&letter.to_string(), &format!("Key{upper}"), upper.into());
        }
    }

    pub fn click(&mut self, x: u32, y: u32) {
        for what in ["mouseMoved", "mousePressed", "mouseReleased"] {
            let button = if what == "mouseMoved" { "none" } else { "left" };
            let of = json!({"type": what, "x": x, "y": y, "button": button, "clickCount": 1});
            self.ask("Input.dispatchMouseEvent", of);
        }
    }

    /// What fingers do that are down at these places then.
    pub fn touch(&mut self, what: &str, at: &[(u32, u32)]) {
        let points = at.iter().zip(1..);
        let points = points.map(|((x, y), id)| json!({"x": x, "y": y, "id": id}));
        let points: Vec<Value> = points.collect();
        let of = json!({"type": what, "touchPoints": points});
        self.ask("Input.dispatchTouchEvent", of);
    }

    pub fn resize(&mut self, width: u32, height: u32) {
        let size =
            json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false});
        self.ask("Emulation.setDeviceMetricsOverride", size);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        // A leftover temporary folder is harmless.
        let _ = std::fs::remove_dir_all(&self.profile);
    }
}

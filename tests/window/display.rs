//! A virtual display, and the program's window on it.
//!
//! What the window shows is read from the log of states that `CALLSCAPE_STATE` asks for, one line for every frame.
//! Whatever a test does to the window begins when the window is at rest, and returns when the window has heard it and
//! shows what it asked for: the log counts keys, and a display hands everything on in order. A key that the count shows to
//! be lost is pressed again. What does not go on fails with a picture of the display.

use std::cell::{Cell, RefCell};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common;
use crate::screenshot;

/// A window that shows nothing new for so long, and takes no processor time either, waits for nothing that comes.
const STILL: Duration = Duration::from_secs(60);

/// Only what hangs takes as long, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(300);

/// Of a second, what a window takes of a processor that does something.
const BUSY: f64 = 0.05;

/// A key that has not been heard for so long may be lost.
const UNHEARD: Duration = Duration::from_secs(5);

/// A key that means nothing alone.
const MEANINGLESS: &str = "Shift_L";

/// A process that ends with the test, however that ends.
pub struct Owned(pub Child);

impl Drop for Owned {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A virtual display with a window manager, without which windows get no keys. One test at a time has one.
pub struct Display {
    name: String,
    /// Where the windows on it keep what they remember.
    settings: PathBuf,
    _manager: Owned,
    _server: Owned,
    _turn: MutexGuard<'static, ()>,
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
        static TURN: Mutex<()> = Mutex::new(());
        // A test that failed has left nothing behind.
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        static OPENED: AtomicU32 = AtomicU32::new(0);
        let number = OPENED.fetch_add(1, Ordering::Relaxed);
        let folder = format!("callscape-settings-{}-{number}", std::process::id());
        let settings = std::env::temp_dir().join(folder);
        std::fs::create_dir_all(&settings).expect("a temporary folder");
        // The server chooses a free number and tells it. Keys that a busy machine releases late are not repeated.
        let mut server = Command::new("Xvfb")
            .args(["-displayfd", "1", "-r", "-screen", "0", "1000x700x24"])
            .arg("-fbdir")
            .arg(&settings)
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
            _turn: turn,
        })
    }

    /// The file in which windows remember the arrangement of the views.
    pub fn remembered(&self) -> PathBuf {
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

    pub fn callscape(&self) -> Command {
        let mut command = common::callscape();
        command
            .env("DISPLAY", &self.name)
            .env("XDG_CONFIG_HOME", &self.settings)
            .env("XDG_STATE_HOME", &self.settings)
            .env_remove("WAYLAND_DISPLAY");
        command
    }
}

pub struct Window<'a> {
    display: &'a Display,
    process: RefCell<Owned>,
    id: String,
    /// How often a key has gone down or up.
    keys: Cell<u64>,
    log: PathBuf,
}

impl Drop for Window<'_> {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.log);
        let _ = std::fs::remove_file(self.said());
    }
}

impl Window<'_> {
    pub fn open<'a>(display: &'a Display, inputs: &[&Path]) -> Window<'a> {
        Window::open_with(display, inputs, "")
    }

    /// One in which a fault of the graphics device happens; none for an empty text.
    pub fn open_with<'a>(display: &'a Display, inputs: &[&Path], fault: &str) -> Window<'a> {
        Window::open_as(display, inputs, &[("CALLSCAPE_FAULT", fault)])
    }

    /// One on a screen of a scale.
    pub fn open_scaled<'a>(display: &'a Display, inputs: &[&Path], scale: &str) -> Window<'a> {
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
        let said = std::fs::File::create(log.with_extension("said")).expect("a temporary file");
        let process = display
            .callscape()
            .args(inputs)
            .env("CALLSCAPE_STATE", &log)
            .envs(variables.iter().copied())
            .stderr(said)
            .spawn()
            .expect("the program is built");
        let pid = process.id().to_string();
        let mut window = Window {
            display,
            process: RefCell::new(Owned(process)),
            id: String::new(),
            keys: Cell::new(0),
            log,
        };
        window.wait("a first frame", |_| true);
        // Not by xdotool's own waiting, which has no end where it misses the window's coming.
        let begin = Instant::now();
        let ready = |window: &Window| !window.id.is_empty() && window.state()["focused"] == true;
        while !ready(&window) && begin.elapsed() < STILL {
            let found = display.xdotool(&["search", "--onlyvisible", "--pid", &pid]);
            window.id = found.lines().last().unwrap_or_default().to_owned();
            display.xdotool(&["windowactivate", &window.id]);
            std::thread::sleep(Duration::from_millis(200));
        }
        window.wait("focus", |state| state["focused"] == true);
        window.wait("its inputs", is_calm);
        window
    }

    /// What the program writes on standard error.
    fn said(&self) -> PathBuf {
        self.log.with_extension("said")
    }

    /// The last state that is logged; null before the first.
    pub fn state(&self) -> Value {
        /// More than a line has.
        const END: u64 = 1 << 16;
        let Ok(mut file) = std::fs::File::open(&self.log) else {
            return Value::Null;
        };
        let length = file.metadata().map_or(0, |it| it.len());
        let mut text = String::new();
        // A letter of several bytes may be cut at the start.
        let mut bytes = Vec::new();
        if file
            .seek(SeekFrom::Start(length.saturating_sub(END)))
            .is_ok()
            && file.read_to_end(&mut bytes).is_ok()
        {
            text = String::from_utf8_lossy(&bytes).into_owned();
        }
        // The last line may be under way.
        let whole = text
            .lines()
            .rev()
            .find_map(|line| serde_json::from_str(line).ok());
        whole.unwrap_or_default()
    }

    /// Waits until the last state is as wanted.
    pub fn wait(&self, what: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let state = self.wait_at_most(PATIENCE, &wanted);
        state.unwrap_or_else(|state| self.fail(what, &state))
    }

    /// The same, or the last state where that is not as wanted by then, or nothing goes on for long.
    fn wait_at_most(
        &self,
        most: Duration,
        wanted: &dyn Fn(&Value) -> bool,
    ) -> Result<Value, Value> {
        let start = Instant::now();
        let (mut shown, mut since, mut used) = (Value::Null, start, self.processor_seconds());
        loop {
            let ended = self.process.borrow_mut().0.try_wait();
            let ended = ended.expect("it is our process");
            let state = self.state();
            if state.is_object() && wanted(&state) {
                return Ok(state);
            }
            let mut now = state.clone();
            if let Some(now) = now.as_object_mut() {
                now.retain(|field, _| !["frame", "processor_ms"].contains(&field.as_str()));
            }
            let busy = self.processor_seconds() - used;
            let is_busy = since.elapsed() >= STILL && busy > BUSY * STILL.as_secs_f64();
            if now != shown || is_busy {
                (shown, since, used) = (now, Instant::now(), self.processor_seconds());
            }
            if ended.is_some() || start.elapsed() >= most || since.elapsed() >= STILL {
                return Err(state);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Ends the test, and keeps what the window shows and what it has logged.
    fn fail(&self, what: &str, state: &Value) -> ! {
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let name = self.log.file_name().unwrap_or_default();
        let (picture, log) = (kept.join(name).with_extension("png"), kept.join(name));
        let drawn = screenshot::write(&self.display.settings, &picture);
        let copied = std::fs::copy(&self.log, &log);
        let said = std::fs::read_to_string(self.said()).unwrap_or_default();
        let ended = self.process.borrow_mut().0.try_wait();
        panic!(
            "no {what}; ended: {ended:?}; picture: {} ({drawn:?}); log: {} ({copied:?}); last state: {state}; said: {said}",
            picture.display(),
            log.display()
        );
    }

    /// The processor time that the window has taken; 0 where the system does not say.
    fn processor_seconds(&self) -> f64 {
        let pid = self.process.borrow().0.id();
        let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        // Its name, in brackets, may have spaces; 100 ticks are a second wherever Linux runs.
        let fields = text.rsplit(')').next().unwrap_or_default();
        let ticks = fields.split_whitespace().skip(11).take(2);
        ticks.filter_map(|it| it.parse::<f64>().ok()).sum::<f64>() / 100.0
    }

    pub fn wait_for_rest(&self) -> Value {
        self.wait("rest", |state| state["moving"] == false && is_calm(state))
    }

    /// Has xdotool do something once nothing is under way, with `keys` that go down or up, and waits until the window
    /// shows what that asks for.
    fn send(&self, arguments: &[&str], keys: u64) {
        self.wait(&format!("rest before {arguments:?}"), is_calm);
        let before = self.keys.get();
        self.keys.set(before + keys);
        self.display.xdotool(arguments);
        let is_heard = |state: &Value| state["keys"].as_u64() >= Some(self.keys.get());
        // A key that is behind it and heard says that it was lost: one that is late comes first.
        while self.wait_at_most(UNHEARD, &is_heard).is_err() {
            self.display.xdotool(&["windowactivate", &self.id]);
            self.display.xdotool(&["key", MEANINGLESS]);
            let state = self.wait(&format!("any key after {arguments:?}"), |state| {
                state["keys"].as_u64() >= Some(self.keys.get() - keys + 2)
            });
            let lost = self.keys.get() - keys + 2;
            self.keys.set(self.keys.get() + 2);
            if state["keys"].as_u64() == Some(lost)
                && self.wait_at_most(UNHEARD, &is_heard).is_err()
            {
                self.display.xdotool(arguments);
            }
        }
        self.wait(&format!("answer to {arguments:?}"), is_calm);
    }

    /// The same of what is no key: it has been heard with the key behind it.
    fn send_before_key(&self, arguments: &[&str]) {
        self.send(&[arguments, &["key", MEANINGLESS]].concat(), 2);
    }

    pub fn key(&self, key: &str) {
        self.send(&["key", key], 2 * key.split('+').count() as u64);
    }

    /// Writes small letters, this many milliseconds apart.
    pub fn write(&self, letters: &str, apart: u32) {
        let apart = apart.to_string();
        self.send(
            &["type", "--delay", &apart, letters],
            2 * letters.len() as u64,
        );
    }

    /// Holds a key down.
    pub fn hold(&self, key: &str) {
        self.send(&["keydown", key], 1);
    }

    pub fn let_go(&self, key: &str) {
        self.send(&["keyup", key], 1);
    }

    /// Clicks with a button of the mouse; turns the wheel away with the fourth, towards the user with the fifth.
    pub fn click(&self, button: u32, times: u32) {
        let (button, times) = (button.to_string(), times.to_string());
        self.send_before_key(&["click", "--repeat", &times, &button]);
    }

    /// Presses the left button of the mouse.
    pub fn press(&self) {
        self.send_before_key(&["mousedown", "1"]);
    }

    pub fn release(&self) {
        self.send_before_key(&["mouseup", "1"]);
    }

    /// Moves the pointer to a place in the window.
    pub fn point(&self, x: u32, y: u32) {
        let (x, y) = (x.to_string(), y.to_string());
        self.send_before_key(&["mousemove", "--window", &self.id, &x, &y]);
    }

    /// Asks for a size, and waits for a frame.
    pub fn resize(&self, width: &str, height: &str) -> Value {
        let before = self.state()["frame"].as_u64();
        self.display
            .xdotool(&["windowsize", &self.id, width, height]);
        self.wait("a frame", |state| state["frame"].as_u64() > before)
    }

    /// What the window manager writes over it.
    pub fn title(&self) -> String {
        self.display.xdotool(&["getwindowname", &self.id])
    }

    pub fn close(self) {
        let start = Instant::now();
        let mut asked: Option<Instant> = None;
        while start.elapsed() < STILL {
            // The window manager asks the window to close; on a busy machine it may miss the key.
            if asked.is_none_or(|it| it.elapsed() > Duration::from_secs(5)) {
                self.display.xdotool(&["key", "alt+F4"]);
                asked = Some(Instant::now());
            }
            let ended = self.process.borrow_mut().0.try_wait();
            if let Some(status) = ended.expect("it is our process") {
                assert!(status.success(), "{status}");
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        self.fail("end of the window", &self.state());
    }
}

/// Whether nothing is worked out that would change what is shown, and nothing that was asked for is still to be.
fn is_calm(state: &Value) -> bool {
    let waits_for = state["waits_for"].as_array();
    let is_waiting = waits_for.is_some_and(|all| !all.is_empty());
    state["focused"] == true
        && state["loading"] == false
        && state["goes_on"] == false
        && !is_waiting
}

pub fn point(state: &Value, name: &str) -> [f64; 3] {
    std::array::from_fn(|axis| state[name][axis].as_f64().expect("a coordinate"))
}

pub fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
    squares.sum::<f64>().sqrt()
}

pub fn time(state: &Value) -> u64 {
    state["time_ns"].as_u64().expect("a recording is open")
}

pub fn views(state: &Value) -> Vec<&str> {
    let views = state["views"].as_array().into_iter().flatten();
    views.filter_map(Value::as_str).collect()
}

/// Waits until no frame has come for a while.
pub fn draws_nothing_at_rest(window: &Window<'_>) {
    let start = Instant::now();
    let mut frame = window.state()["frame"].clone();
    loop {
        std::thread::sleep(Duration::from_millis(1500));
        let now = window.state()["frame"].clone();
        if now == frame {
            return;
        }
        frame = now;
        assert!(
            start.elapsed() < PATIENCE,
            "it never comes to rest: {}",
            window.state()
        );
    }
}

//! Pages that play, in headless Chromium: their sizes, the first picture and a frame of the demo beside those of the window
//! in the same run, the memory of the tab, and a pack of many calls that is opened while frames are drawn.
//!
//! Needs `./x web` before, Chromium and Xvfb. `PAGE_CALLS` (10,000,000) calls are in the pack, `RUNS` (3) starts are made,
//! and the median is told.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use callscape_testing::browser::Browser;
use callscape_testing::generate::{Plan, Program, write_chrome};
use callscape_testing::measured::{Measured, amount};
use serde_json::{Value, json};

/// Frames from which the median is taken: software devices draw few while the demo plays.
const FRAMES: usize = 10;
const LOOK: Duration = Duration::from_millis(20);
/// Calls and functions of each side of the comparison.
const SIDE: (u64, u32) = (200_000, 10_000);

fn main() -> anyhow::Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    if !root.join("target/web/viewer.html").is_file() {
        println!("page: left out, for `./x web` has not made the viewer");
        return Ok(());
    }
    let place = root.join("target/pages");
    fs::create_dir_all(&place)?;
    let demo = page(&place, "demo", &["pack".into()])?;
    size("page: the demo, whole file", &demo, "≤ 12 (6) MB")?;
    let sides = ["a", "b"].map(|side| {
        let recording = place.join(format!("{side}.json"));
        recorded(&recording, SIDE.0, SIDE.1, u64::from(side.as_bytes()[0]))?;
        anyhow::Ok(recording.display().to_string())
    });
    let [a, b] = sides;
    let compared = page(&place, "compared", &["compare".into(), a?, b?])?;
    let target = "page: a comparison of 200,000 calls over 10,000 functions each";
    size(target, &compared, "≤ 16 (8) MB")?;
    starts(&demo)?;
    large(&place)
}

/// A page that the program makes with these arguments.
fn page(place: &Path, name: &str, arguments: &[String]) -> anyhow::Result<PathBuf> {
    let path = place.join(format!("{name}.html"));
    // That of the run before, if any.
    let _ = fs::remove_file(&path);
    let mut command = Command::new(env!("CARGO_BIN_EXE_callscape"));
    command.args(arguments).args(["--page", "-o"]).arg(&path);
    let output = command.output()?;
    let told = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{told}");
    Ok(path)
}

/// Writes a recording, unless it is there.
fn recorded(path: &Path, calls: u64, functions: u32, seed: u64) -> anyhow::Result<()> {
    if path.is_file() {
        return Ok(());
    }
    let plan = Plan {
        calls,
        functions,
        threads: 2,
        seed,
    };
    let mut out = std::io::BufWriter::new(fs::File::create(path)?);
    write_chrome(&Program::new(plan), &mut out)?;
    Ok(())
}

fn size(target: &str, page: &Path, aim: &str) -> anyhow::Result<()> {
    let value = fs::metadata(page)?.len() as f64 / 1e6;
    let figure = Measured {
        target,
        value,
        unit: "MB",
        aim,
        ..Measured::default()
    };
    figure.print();
    Ok(())
}

/// A start: milliseconds to the first picture and for a frame while playing, without drawing, and the bytes of the tab.
struct Started {
    first_ms: f64,
    frame_ms: f64,
    bytes: f64,
}

fn median(of: &[Started], what: impl Fn(&Started) -> f64) -> f64 {
    let mut values: Vec<f64> = of.iter().map(what).collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn address(page: &Path) -> String {
    format!("file://{}", page.display())
}

fn starts(demo: &Path) -> anyhow::Result<()> {
    let runs = std::env::var("RUNS").ok().and_then(|it| it.parse().ok());
    let (mut pages, mut windows) = (Vec::new(), Vec::new());
    for _ in 0..runs.unwrap_or(3usize).max(1) {
        pages.push(in_browser(demo)?);
        windows.push(in_window()?);
    }
    let print = |target, what: fn(&Started) -> f64, aim| {
        Measured {
            target,
            value: median(&pages, what),
            unit: "ms",
            peer: Some(("the window", median(&windows, what))),
            aim,
            adapter: "SwiftShader beside llvmpipe",
        }
        .print();
    };
    print(
        "page: first picture of the demo",
        |it| it.first_ms,
        "≤ 4 (2) ×",
    );
    let target = "page: own part of a frame of the demo that plays";
    print(target, |it| it.frame_ms, "≤ 3 (1.5) ×");
    let figure = Measured {
        target: "page: memory of the tab with the demo",
        value: median(&pages, |it| it.bytes) / 1e6,
        unit: "MB",
        aim: "≤ 300 (150) MB",
        ..Measured::default()
    };
    figure.print();
    Ok(())
}

fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

fn in_browser(page: &Path) -> anyhow::Result<Started> {
    let mut browser = Browser::start(&[]).context("Chromium is not installed")?;
    let begin = Instant::now();
    browser.play(&address(page));
    let first_ms = begin.elapsed().as_secs_f64() * 1e3;
    browser.until("seen.playing");
    let (mut frames, mut last) = (Vec::new(), Value::Null);
    while frames.len() < FRAMES {
        std::thread::sleep(LOOK);
        let frame = browser.seen("frame");
        if frame != last {
            frames.extend(browser.seen("own_ms").as_f64());
            last = frame;
        }
    }
    let bytes = browser.memory().unwrap_or_default() as f64;
    Ok(Started {
        first_ms,
        frame_ms: middle(frames),
        bytes,
    })
}

/// Ends with what it holds.
struct Owned(Child);

impl Drop for Owned {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn in_window() -> anyhow::Result<Started> {
    let mut server = Command::new("Xvfb");
    server.args(["-displayfd", "1", "-screen", "0", "1280x720x24"]);
    let server = server.stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
    let mut server = Owned(server.context("Xvfb is not installed")?);
    let mut number = String::new();
    let output = server.0.stdout.take().context("its output is piped")?;
    BufReader::new(output).read_line(&mut number)?;
    let place = std::env::temp_dir().join(format!("callscape-bench-page-{}", std::process::id()));
    fs::create_dir_all(&place)?;
    let log = place.join("states");
    let begin = Instant::now();
    let mut program = Command::new(env!("CARGO_BIN_EXE_callscape"));
    program.env("DISPLAY", format!(":{}", number.trim()));
    for name in ["XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"] {
        program.env(name, &place);
    }
    let program = program.env("CALLSCAPE_STATE", &log).spawn()?;
    let mut program = Owned(program);
    let mut first_ms = None;
    let mut playing = Vec::new();
    while playing.len() < FRAMES {
        std::thread::sleep(LOOK);
        ensure!(program.0.try_wait()?.is_none(), "the window has ended");
        let text = fs::read_to_string(&log).unwrap_or_default();
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let states = whole.lines().flat_map(serde_json::from_str::<Value>);
        let states: Vec<Value> = states.collect();
        let is_drawn = |it: &&Value| it["blocks"].as_u64() > Some(10);
        if first_ms.is_none() && states.iter().any(|it| is_drawn(&it)) {
            first_ms = Some(begin.elapsed().as_secs_f64() * 1e3);
        }
        let plays = states.iter().filter(|it| it["playing"] == json!(true));
        playing = plays.filter_map(|it| it["own_ms"].as_f64()).collect();
    }
    drop(program);
    fs::remove_dir_all(&place)?;
    Ok(Started {
        first_ms: first_ms.context("nothing was drawn")?,
        frame_ms: middle(playing),
        bytes: f64::NAN,
    })
}

/// The longest time without a frame while a pack of many calls is opened, beside the whole.
fn large(place: &Path) -> anyhow::Result<()> {
    let calls = std::env::var("PAGE_CALLS").ok();
    let calls: u64 = calls.and_then(|it| it.parse().ok()).unwrap_or(10_000_000);
    let recording = place.join(format!("{calls}.json"));
    recorded(&recording, calls, 1_000, 7)?;
    let pack = ["pack".to_owned(), recording.display().to_string()];
    let large = page(place, "large", &pack)?;
    let mut browser = Browser::start(&[]).context("Chromium is not installed")?;
    browser.ask(
        "Page.addScriptToEvaluateOnNewDocument",
        json!({"source": GAPS}),
    );
    let begin = Instant::now();
    browser.play(&address(&large));
    let first = begin.elapsed().as_secs_f64();
    browser.until("seen.blocks > 10 && !seen.loading && seen.time_ns != null");
    let whole = begin.elapsed().as_secs_f64();
    let longest = browser.say("longest").as_f64().unwrap_or(f64::NAN);
    let target = format!(
        "page: longest pause while a pack of {} calls opens",
        amount(calls)
    );
    println!("{target}: {longest:.0} ms; progress after {first:.1} s, open after {whole:.1} s");
    let figure = Measured {
        target: &target,
        value: longest / 1e3,
        unit: "s",
        peer: Some(("opening it", whole)),
        aim: "≤ 0.05 s",
        adapter: "SwiftShader",
    };
    figure.print();
    Ok(())
}

/// Keeps the longest time in milliseconds between two turns of the page, once it plays.
const GAPS: &str = "window.longest = 0; let last; const turns = new MessageChannel(); \
    turns.port1.onmessage = () => { const now = performance.now(); \
        if (last && document.body?.classList.contains('plays')) longest = Math.max(longest, now - last); \
        last = now; setTimeout(() => turns.port2.postMessage(0), 5); }; \
    turns.port2.postMessage(0);";

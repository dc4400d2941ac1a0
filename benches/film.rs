//! A film at 1920 × 1080 beside its frames drawn alone and encoded alone in the same run, the memory that it takes, and
//! whether it is the same twice. `--frames N` takes other than 24.

use std::path::Path;
use std::time::{Duration, Instant};

use callscape::app::presenting::opening::Opens;
use callscape::app::presenting::stage::{FrameIs, Stage, StageSettings};
use callscape::look::image::Image;
use callscape::look::quality::{Light, Quality};
use callscape::presentation::film::{Film, FilmSettings, Format, Plan};
use callscape::presentation::scene::SceneFile;
use callscape::progress::Progress;

use callscape_testing::measured::Measured;

const SIZE: [u32; 2] = [1920, 1080];
const FPS: u32 = 24;
/// Must, and aim: the film's time by the larger of both, and megabytes.
const TIME: [f64; 2] = [1.3, 1.1];
const MEMORY: [f64; 2] = [600.0, 300.0];

fn stage(seconds: f64) -> Stage {
    let text = format!(
        "[[shot]]\nseconds = {seconds}\ncamera = {{ module = \"lgc.c\", turn = 20 }}\n\
         play = {{ from = \"20%\", to = \"30%\" }}\ncaption = \"A caption\"\n"
    );
    let file = SceneFile::parse(Path::new("bench.toml"), text).expect("it is a scene");
    let opens = Opens::of(&file).expect("the demo is built in");
    let opened = opens.open(&file, &Progress::new()).expect("the demo");
    let quality = Quality {
        samples: 4,
        light: Light::Medium,
        shadow: true,
    };
    let settings = StageSettings {
        size: SIZE,
        fps: FPS,
        quality,
        theme: None,
    };
    Stage::new(file, opened, settings).expect("a device to draw with")
}

fn begin(path: &Path, frames: u64) -> Film {
    let settings = FilmSettings {
        format: Format::Mp4,
        size: SIZE,
        fps: FPS,
        by_ffmpeg: false,
    };
    Film::begin(path, settings, frames, &Plan("bench".to_owned())).expect("it can be begun")
}

/// The time that the whole film takes, without opening.
fn film(path: &Path, seconds: f64) -> Duration {
    let mut stage = stage(seconds);
    let start = Instant::now();
    let mut film = begin(path, stage.frames());
    while stage.next() < film.frames() {
        let image = match stage.draw().expect("it can be drawn") {
            FrameIs::New => Some(stage.image()),
            FrameIs::Same => None,
        };
        film.push(image).expect("it can be encoded");
    }
    film.finish().expect("it can be put together");
    start.elapsed()
}

/// The most memory that the program has had, in megabytes; none where the system does not say.
fn most_memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: f64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes / 1024.0)
}

fn held(value: f64, [must, aim]: [f64; 2]) -> &'static str {
    match value {
        value if value <= aim => "reaches the aim",
        value if value <= must => "holds",
        _ => "misses",
    }
}

fn main() {
    let mut args = std::env::args().skip_while(|arg| arg != "--frames").skip(1);
    let frames = args
        .next()
        .and_then(|arg| arg.parse().ok())
        .unwrap_or(24u64);
    let seconds = frames as f64 / f64::from(FPS);
    let folder = std::env::temp_dir().join(format!("callscape-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let path = |name: &str| folder.join(name);

    let whole = film(&path("a.mp4"), seconds);
    let memory = most_memory();

    let mut of = stage(seconds);
    println!("{} frames of {SIZE:?} on {}", of.frames(), of.adapter());
    let mut images: Vec<Image> = Vec::new();
    let mut drawing = Duration::ZERO;
    while of.next() < frames {
        let start = Instant::now();
        of.draw().expect("it can be drawn");
        drawing += start.elapsed();
        images.push(of.image().clone());
    }
    let start = Instant::now();
    let mut encoded = begin(&path("b.mp4"), frames);
    for image in &images {
        encoded.push(Some(image)).expect("it can be encoded");
    }
    encoded.finish().expect("it can be put together");
    let encoding = start.elapsed();

    let read = |name: &str| std::fs::read(path(name)).expect("it was written");
    let is_same = read("a.mp4") == read("b.mp4");
    let larger = drawing.max(encoding).as_secs_f64();
    let ratio = whole.as_secs_f64() / larger;
    println!("drawing alone   {drawing:9.2?}\nencoding alone  {encoding:9.2?}");
    println!(
        "film            {whole:9.2?}  {ratio:.2} × the larger (must {}, aim {}): {}",
        TIME[0],
        TIME[1],
        held(ratio, TIME)
    );
    let adapter = of.adapter().to_string();
    Measured {
        target: &format!("film: {frames} frames of 1920 × 1080"),
        value: whole.as_secs_f64(),
        unit: "s",
        peer: Some(("the longer of drawing and encoding alone", larger)),
        aim: &format!("≤ {} ({}) ×", TIME[0], TIME[1]),
        adapter: &adapter,
    }
    .print();
    if let Some(memory) = memory {
        println!(
            "memory          {memory:6.0} MB  (must {}, aim {}): {}",
            MEMORY[0],
            MEMORY[1],
            held(memory, MEMORY)
        );
        Measured {
            target: "film: memory",
            value: memory,
            unit: "MB",
            aim: &format!("≤ {} ({}) MB", MEMORY[0], MEMORY[1]),
            adapter: &adapter,
            ..Measured::default()
        }
        .print();
    }
    println!(
        "drawn twice, encoded twice: {}",
        if is_same {
            "the same bytes"
        } else {
            "DIFFERENT"
        }
    );
    // A folder that cannot be removed does no harm.
    let _ = std::fs::remove_dir_all(&folder);
}

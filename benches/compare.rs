//! Comparing two indexed traces of `CALLS` calls each (a million by default): opening both, which is the floor, then
//! both tables of functions and relations, and linking the clocks, held against it.
//!
//! Then a frame of two landscapes side by side against twice the frame of one, and a report against rendering its
//! pictures, in CPU time of all threads: on a software renderer that is the work, whatever else runs.
//!
//! Run with `CALLS=10000000 cargo bench --bench compare`. Least times of five, in one process.

use std::hint::black_box;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;

use callscape::analysis::alignment::{Alignment, Link, Run};
use callscape::analysis::comparison::tables::Given;
use callscape::analysis::comparison::{Comparison, Inputs, Settings};
use callscape::facts::trace::Trace;
use callscape::filter::cut::Cut;
use callscape::filter::selection::Selection;
use callscape::import;
use callscape::look::camera::Camera;
use callscape::look::quality::Quality;
use callscape::model::landscape::LandscapeSettings;
use callscape::model::metrics::ModuleMetrics;
use callscape::model::moment::Moment;
use callscape::model::theme::Theme;
use callscape::progress::Progress;
use callscape::render::gpu::Gpu;
use callscape::render::renderer::{Frame, Renderer};
use callscape::state::city::{City, Lettering};
use callscape::units::{ThreadId, Time};
use glam::{Vec2, Vec3};

use callscape_testing::built::record;
use callscape_testing::generate::Plan;
use callscape_testing::measured::{Measured, amount};
use callscape_testing::timing::{least, setting};

const FUNCTIONS: u32 = 5_000;
const THREADS: u32 = 4;
const TIMES: usize = 5;

/// Looks at every call: the sum of their costs.
fn scan(trace: &Trace) -> u64 {
    let of_thread = |(thread, calls): (ThreadId, u64)| {
        let starts = (0..calls as u32).step_by(4096);
        let runs = starts.map(|start| start..(start + 4096).min(calls as u32));
        let calls = runs.flat_map(|run| trace.calls_numbered(thread, run));
        calls.map(|call| call.cost().ns()).sum::<u64>()
    };
    let calls = trace.threads().iter().map(|thread| thread.calls);
    trace.thread_ids().zip(calls).map(of_thread).sum()
}

/// CPU time of this process, or of its children that have ended, in hundredths of a second.
fn cpu(of_children: bool) -> u64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let fields: Vec<u64> = fields
        .split_whitespace()
        .map(|it| it.parse().unwrap_or(0))
        .collect();
    // proc(5): utime and stime are the 14th and 15th, cutime and cstime follow; the state is the third.
    let first = if of_children { 13 } else { 11 };
    fields.get(first..first + 2).map_or(0, |it| it.iter().sum())
}

const FRAMES: u64 = 12;

/// A landscape and what draws it.
struct Drawn {
    view: City,
    renderer: Renderer,
    recording: usize,
}

impl Drawn {
    fn new(gpu: &Gpu, view: City, recording: usize) -> Drawn {
        let mut renderer = Renderer::new(gpu, wgpu::TextureFormat::Rgba8UnormSrgb);
        renderer.set_blocks(gpu, view.blocks());
        Drawn {
            view,
            renderer,
            recording,
        }
    }

    /// One frame of a playback, as the window makes it.
    fn frame(&mut self, gpu: &Gpu, comparison: &Comparison, share: u64, size: [u32; 2]) {
        let session = &comparison.session;
        let trace = &session.recordings[self.recording].recording.trace;
        let at = |share: u64| Time::from_ns(trace.duration().ns() / 100 * share);
        let moment = Moment {
            recording: self.recording,
            time: at(share),
            previous: at(share - 1),
            ..Moment::default()
        };
        self.view.show(session, Some(moment));
        let camera = Camera {
            eye: Vec3::new(480.0, -560.0, 900.0),
            target: Vec3::new(500.0, 340.0, 0.0),
            fov_y: 0.7,
        };
        let pixels = Vec2::new(size[0] as f32, size[1] as f32);
        let selection = Selection::default();
        self.view.label(
            session,
            &selection,
            &[],
            &camera,
            &Lettering::whole(pixels, 13.0),
        );
        let (view, renderer) = (&self.view, &mut self.renderer);
        renderer.set_changed_looks(view.looks(), view.changed_looks());
        renderer.set_arcs(gpu, view.arcs());
        renderer.set_labels(gpu, view.flat_labels(), view.screen_labels());
        let frame = Frame {
            camera,
            size,
            theme: Theme::Light,
            hovered: [None; 2],
            selected: [None; 2],
            quality: Quality {
                samples: 1,
                ..Quality::default()
            },
        };
        black_box(renderer.image(gpu, &frame).expect("a picture"));
    }
}

fn frames(comparison: &Comparison, calls: u64) {
    let Ok(gpu) = Gpu::headless() else {
        return println!("no adapter: frames are not measured");
    };
    let settings = LandscapeSettings::default();
    let session = &comparison.session;
    let view = City::new(session, &settings, &Cut::all());
    let other = Arc::new(ModuleMetrics::new(session, 1));
    let twin = view.for_other_run(session, other);
    let modules = session.hierarchy.len();
    let mut both = [Drawn::new(&gpu, view, 0), Drawn::new(&gpu, twin, 1)];
    let measure = |drawn: &mut [Drawn], size: [u32; 2]| {
        let mut least = u64::MAX;
        for _ in 0..3 {
            let start = cpu(false);
            for share in 0..FRAMES {
                for one in &mut *drawn {
                    one.frame(&gpu, comparison, 40 + share, size);
                }
            }
            least = least.min(cpu(false) - start);
        }
        least as f64 * 10.0 / FRAMES as f64
    };
    let one = measure(&mut both[..1], [1280, 720]);
    let two = measure(&mut both, [640, 720]);
    println!(
        "{modules} modules: a frame {one:.1} ms of CPU, two side by side {two:.1} ms, {:.2} × twice one",
        two / (2.0 * one)
    );
    Measured {
        target: &format!(
            "compare: frame of two runs side by side, {} calls each",
            amount(calls)
        ),
        value: two,
        unit: "ms",
        peer: Some(("twice a frame of one run", 2.0 * one)),
        aim: "≤ 1.2 (0.8) ×",
        adapter: &gpu.adapter.get_info().name,
    }
    .print();
}

/// The CPU time of `callscape compare` with these arguments, in hundredths of a second.
fn compare_process(paths: &[PathBuf; 2], more: &[&str]) -> u64 {
    let mut least = u64::MAX;
    for _ in 0..3 {
        let start = cpu(true);
        let status = Command::new(env!("CARGO_BIN_EXE_callscape"))
            .arg("compare")
            .args(paths)
            .args(more)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        assert!(status.expect("the program runs").success(), "{more:?}");
        least = least.min(cpu(true) - start);
    }
    least
}

fn report(paths: &[PathBuf; 2], calls: u64) {
    let folder = paths[0].parent().expect("a folder");
    let out = |name: &str| folder.join(name).to_string_lossy().into_owned();
    let page = compare_process(paths, &["-o", &out("report.html")]);
    // Each picture opens both; the report does so once.
    let opening = compare_process(paths, &["--top", "1"]);
    let pictures: u64 = ["difference", "side-by-side", "flame"]
        .iter()
        .map(|view| compare_process(paths, &["-o", &out("view.png"), "--view", view]))
        .sum();
    let pictures = pictures.saturating_sub(2 * opening).max(1);
    println!(
        "report {page} cs of CPU, its pictures {pictures} cs: {:.2} ×",
        page as f64 / pictures as f64
    );
    Measured {
        target: &format!("compare: report, {} calls each", amount(calls)),
        value: page as f64 / 100.0,
        unit: "s",
        peer: Some(("its pictures one by one", pictures as f64 / 100.0)),
        aim: "≤ 1.3 (1.1) ×",
        ..Measured::default()
    }
    .print();
}

fn main() {
    let calls = setting("CALLS", 1_000_000);
    let plan = Plan {
        calls,
        functions: FUNCTIONS,
        threads: THREADS,
        seed: 1,
    };
    let folder = std::env::temp_dir().join(format!("callscape-compare-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let paths = [record(&folder, "a", plan), record(&folder, "b", plan)];
    let open = || {
        paths
            .each_ref()
            .map(|path| import::open(path, &Progress::new()).expect("a trace"))
    };
    let (opening, both) = least(TIMES, open);
    let counted: Vec<u64> = both.iter().map(|it| it.calls()).collect();
    println!(
        "{calls} calls asked for, {counted:?} recorded, {FUNCTIONS} functions, {THREADS} threads each"
    );
    println!("opening both               {opening:>12.3?}");
    let inputs = Inputs {
        recordings: paths.clone().map(|path| vec![path]),
        source_dirs: Vec::new(),
    };
    let compare = || {
        let settings = Settings::default();
        let comparison = Comparison::open(&inputs, &settings, &Progress::new());
        let comparison = comparison.expect("a comparison");
        let functions = comparison.functions(Given::Compared);
        let relations = comparison.relations(Given::Compared);
        (comparison, functions, relations)
    };
    let (tables, (comparison, functions, relations)) = least(TIMES, compare);
    let ratio = tables.as_secs_f64() / opening.as_secs_f64();
    println!(
        "opening and tables         {tables:>12.3?}  {ratio:.1} × opening, {} functions, {} relations",
        functions.len(),
        relations.len()
    );
    let size = format!("{} calls each", amount(calls));
    Measured {
        target: &format!("compare: opening and tables, {size}"),
        value: tables.as_secs_f64() * 1e3,
        unit: "ms",
        peer: Some(("opening alone", opening.as_secs_f64() * 1e3)),
        aim: "≤ 2000 (300) ms",
        ..Measured::default()
    }
    .print();
    let (scanning, all) = least(TIMES, || both.iter().map(|of| scan(&of.trace)).sum::<u64>());
    println!("a scan of both             {scanning:>12.3?}  {all} ns in all calls");
    for (name, link) in [
        ("by events", Link::Events),
        ("by calls at the top", Link::Calls),
        ("by calls of a function", Link::CallsOf(0)),
    ] {
        let run = |place: usize| Run {
            trace: &comparison.session.recordings[place].recording.trace,
            row_of: &comparison.row_of[place],
        };
        let (took, alignment) = least(TIMES, || Alignment::new(run(0), run(1), &link));
        let points = alignment.points().count();
        let ratio = took.as_secs_f64() / scanning.as_secs_f64();
        println!("clocks {name:<23} {took:>9.3?}  {points} points, {ratio:.2} × a scan of both");
        Measured {
            target: &format!("compare: clocks linked {name}, {size}"),
            value: took.as_secs_f64() * 1e3,
            unit: "ms",
            peer: Some(("a scan of both", scanning.as_secs_f64() * 1e3)),
            aim: "≤ 3000 (500) ms",
            ..Measured::default()
        }
        .print();
    }
    frames(&comparison, calls);
    report(&paths, calls);
    // What was written is of no use to anybody; that it stays does no harm.
    let _ = std::fs::remove_dir_all(&folder);
}

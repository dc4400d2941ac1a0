//! The code view on files of 20,000 and 100,000 lines: from the choice of the file to its first picture, until it is
//! coloured and its costs are known, and frames while it scrolls: a few new lines in each, and all of them new. Beside reading the file and counting its lines.

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use callscape::analysis::session::Inputs;
use callscape::progress::Progress;
use callscape::state::State;
use callscape::state::ask::{Asks, SelectAsk};
use callscape::state::document::Document;
use callscape::units::ModuleId;
use callscape::views::{self, Pane, View};
use egui::{Event, MouseWheelUnit, Pos2, RawInput, Rect, vec2};

use callscape_testing::measured::{Measured, amount};
use callscape_testing::timing::ms;

const WINDOW: Rect = Rect {
    min: Pos2::ZERO,
    max: Pos2 {
        x: 1280.0,
        y: 720.0,
    },
};

/// Lines of each function.
const LINES: u32 = 10;

/// Writes a file of `lines` lines, and a trace that calls every function in it twice.
fn write(folder: &Path, lines: u32) -> std::io::Result<PathBuf> {
    std::fs::create_dir_all(folder.join("tree"))?;
    let mut text = String::new();
    let mut events = String::from("[");
    let functions = lines / LINES;
    for number in 0..functions {
        let next = (number + 1) % functions;
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "/* Function {number}. */\nstatic int step_{number}(struct state *state, int value)\n{{\n\tif (value > {number}) {{\n\
             \t\treturn step_{next}(state, value - 1);\n\t}}\n\tstate->count += \"{number}\"[0] * 0x{number:x};\n\
             \treturn value * {number};\n}}\n"
        );
        let start = u64::from(number) * 10;
        let _ = write!(
            events,
            "{}{{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":{start},\"dur\":9,\"name\":\"step_{number}\"}},\
             {{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":{},\"dur\":4,\"name\":\"step_{next}\"}}",
            if number > 0 { "," } else { "" },
            start + 2
        );
    }
    events.push(']');
    std::fs::write(folder.join("tree/long.c"), text)?;
    let recording = folder.join("trace.json");
    std::fs::write(&recording, events)?;
    Ok(recording)
}

/// The view with what is open.
struct Shown {
    state: State,
    view: Box<dyn View>,
    ctx: egui::Context,
    file: ModuleId,
    time: f64,
}

impl Shown {
    fn new(folder: &Path, recording: PathBuf) -> Shown {
        let inputs = Inputs {
            source_dir: Some(folder.join("tree")),
            recordings: vec![recording],
            ..Inputs::default()
        };
        let mut state = State::new(views::all(), Box::new(|| Box::new(|| ())));
        state.tell_time(Duration::ZERO);
        let document = Document::open(&inputs, None, &state.settings, &Progress::new());
        let document = document.expect("what was written");
        let hierarchy = &document.session.hierarchy;
        let file = hierarchy
            .modules()
            .find(|&it| hierarchy.name(it) == "long.c");
        let file = file.expect("the file");
        state.show(document, |_, _| ());
        state.panes.open(views::named("code").expect("the view"));
        let ctx = egui::Context::default();
        views::style::set_fonts(&ctx, []);
        let view = (views::code::ENTRY.open)();
        let mut shown = Shown {
            state,
            view,
            ctx,
            file,
            time: 0.0,
        };
        // The letters are made.
        shown.frame(Vec::new());
        shown
    }

    /// A frame: how long the view's own part of it took, and how many lines of the text are drawn.
    fn frame(&mut self, events: Vec<Event>) -> (Duration, usize) {
        self.time += 1.0 / 60.0;
        let input = RawInput {
            screen_rect: Some(WINDOW),
            time: Some(self.time),
            events,
            ..RawInput::default()
        };
        let mut asks = Asks::default();
        let mut taken = Duration::ZERO;
        let (view, state) = (&mut self.view, &self.state);
        let output = self.ctx.run_ui(input, |ui| {
            let begin = Instant::now();
            view.update(state, &mut asks);
            let mut pane = Pane {
                state,
                asks: &mut asks,
                pictures: [None; 2],
                window: WINDOW,
                room: WINDOW,
                pointed: Default::default(),
                placed: None,
                offer: Default::default(),
            };
            view.ui(ui, &mut pane);
            taken += begin.elapsed();
        });
        let of_text = |shape: &egui::Shape| match shape {
            egui::Shape::Text(text) => text.galley.text().contains("step_"),
            _ => false,
        };
        let lines = output.shapes.iter().filter(|it| of_text(&it.shape));
        (taken, lines.count())
    }

    /// From the choice of the file to the first frame with its text, and to the one after which nothing more changes.
    fn open(&mut self) -> [Duration; 2] {
        let begin = Instant::now();
        self.state.execute(SelectAsk::Select(Some(self.file)));
        let mut first = None;
        loop {
            let (_, lines) = self.frame(Vec::new());
            if lines > 3 {
                first = first.or(Some(begin.elapsed()));
            }
            match first {
                Some(first) if !self.view.is_waiting() => return [first, begin.elapsed()],
                _ => std::thread::sleep(Duration::from_micros(200)),
            }
        }
    }

    /// The 99th percentile of the view's part of a frame while the wheel turns `points` points in each.
    fn scroll(&mut self, points: f32) -> Duration {
        let mut times = Vec::new();
        for step in 0..600u32 {
            let at = Pos2::new(400.0, 300.0);
            let wheel = Event::MouseWheel {
                unit: MouseWheelUnit::Point,
                delta: vec2(0.0, if step % 400 < 200 { -points } else { points }),
                modifiers: egui::Modifiers::NONE,
                phase: egui::TouchPhase::Move,
                source: egui::MouseWheelSource::Wheel,
            };
            let (taken, lines) = self.frame(vec![Event::PointerMoved(at), wheel]);
            assert!(lines > 0, "there is text everywhere");
            times.push(taken);
        }
        times.sort_unstable();
        times[times.len() * 99 / 100]
    }
}

fn main() -> std::io::Result<()> {
    for lines in [20_000, 100_000] {
        let name = format!("callscape-code-{}-{lines}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        let recording = write(&folder, lines)?;
        let mut shown = Shown::new(&folder, recording);
        let begin = Instant::now();
        let bytes = std::fs::read(folder.join("tree/long.c"))?;
        black_box(bytes.iter().filter(|it| **it == b'\n').count());
        let plain = begin.elapsed();
        let [first, whole] = shown.open();
        println!("coloured, with all costs, after {:.1} ms", ms(whole));
        Measured {
            target: &format!("code: a file of {} lines opened", amount(lines.into())),
            value: ms(first),
            unit: "ms",
            peer: Some(("reading it and counting its lines", ms(plain))),
            aim: if lines == 20_000 { "≤ 30 ms" } else { "" },
            ..Measured::default()
        }
        .print();
        for (points, how, aim) in [
            (60.0, "wheel turned", "≤ 2 ms"),
            (6000.0, "another page in every frame", ""),
        ] {
            Measured {
                target: &format!("code: scrolling {} lines, {how}", amount(lines.into())),
                value: ms(shown.scroll(points)),
                unit: "ms of a frame, 99th percentile",
                aim: if lines == 100_000 { aim } else { "" },
                ..Measured::default()
            }
            .print();
        }
        // What was written is of no use to anybody; that it stays does no harm.
        let _ = std::fs::remove_dir_all(&folder);
    }
    Ok(())
}

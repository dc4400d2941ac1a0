//! Keys, clicks, drags, wheel, drops and replaced files in random order, over recordings, comparisons, sessions and scenes.
//!
//! `./x monkey SECONDS [SEED]` goes on with other seeds, and says the seed and how many steps lead to what it finds.

use callscape_base::clock::Instant;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::Duration;

use egui::{Event, Key, Modifiers, PointerButton, pos2, vec2};

use super::command::{Command, FileAsk, LiveAsk, PaletteAsk, ReplaceAsk};
use super::driven::{Driven, Files, inputs};
use super::keys;
use callscape_analysis::session::Inputs;
use callscape_base::progress::Progress;
use callscape_facts::trace::random::random_numbers;
use callscape_model::landscape::LandscapeSettings;
use callscape_state::ask::{PaneAsk, RunsAsk};
use callscape_state::document::Document;
use callscape_views as views;

/// What `./x test` does, always with this seed.
const SEED: u64 = 43;
const STEPS: usize = 5_000;

/// Of a run with other seeds; a new window after each.
const STEPS_OF_A_SEED: usize = 3_000;

const KEYS: [Key; 9] = [
    Key::Enter,
    Key::Escape,
    Key::Tab,
    Key::ArrowDown,
    Key::ArrowUp,
    Key::ArrowLeft,
    Key::ArrowRight,
    Key::Backspace,
    Key::Space,
];

struct Monkey {
    driven: Driven,
    files: Files,
    random: Box<dyn FnMut(u64) -> u64>,
    is_down: bool,
}

impl Monkey {
    fn new(seed: u64) -> Monkey {
        let files = Files::new(&format!("monkey-{seed}"));
        let tree = files.source(0..5);
        let recording = files.recording("0.json", 0..60);
        Monkey {
            driven: Driven::new(&inputs(Some(&tree), &[recording])),
            files,
            random: Box::new(random_numbers(seed)),
            is_down: false,
        }
    }

    fn below(&mut self, limit: u64) -> u64 {
        (self.random)(limit)
    }

    /// Does something, and says what.
    fn step(&mut self) -> String {
        match self.below(100) {
            0..50 => self.action(),
            50..56 => {
                let view = views::all()[self.below(views::all().len() as u64) as usize];
                self.driven.execute(PaneAsk::Toggle(view));
                format!("view {}", view.id())
            }
            56..70 => {
                let at = self.place();
                self.driven.move_pointer(at);
                format!("pointer to {at:?}")
            }
            70..80 => {
                let button = match self.below(6) {
                    0 => PointerButton::Secondary,
                    1 => PointerButton::Middle,
                    _ => PointerButton::Primary,
                };
                self.is_down ^= true;
                self.driven.press(button, self.is_down);
                format!("{button:?} {}", self.is_down)
            }
            80..84 => {
                let by = vec2(0.0, self.below(9) as f32 - 4.0);
                self.driven.modifiers = match self.below(3) {
                    0 => Modifiers::SHIFT,
                    _ => Modifiers::NONE,
                };
                self.driven.scroll(by);
                self.driven.modifiers = Modifiers::NONE;
                format!("wheel {by:?}")
            }
            84..90 => self.typed(),
            90 => {
                let [x, y] = [
                    [1000.0, 640.0],
                    [320.0, 200.0],
                    [1600.0, 90.0],
                    [90.0, 900.0],
                    [1.0, 1.0],
                ][self.below(5) as usize];
                self.driven.size = vec2(x, y);
                self.driven.frame(Vec::new());
                format!("size {x} × {y}")
            }
            91..95 => self.open(),
            95..98 => self.replace(),
            _ => {
                self.driven.wait();
                "waited".to_owned()
            }
        }
    }

    fn place(&mut self) -> egui::Pos2 {
        let [x, y] = [self.below(1000) as f32, self.below(1000) as f32];
        let size = self.driven.size;
        pos2(x * size.x / 1000.0, y * size.y / 1000.0)
    }

    /// What a key or an entry of a menu does.
    fn action(&mut self) -> String {
        let all: Vec<_> = keys::listed().collect();
        let action = all[self.below(all.len() as u64) as usize];
        if let Some(command) = action.command(&self.driven.desk.state) {
            self.driven.execute(command);
        }
        if self.below(4) == 0 {
            self.driven.frame(Vec::new());
        }
        action.id.to_owned()
    }

    fn typed(&mut self) -> String {
        match self.below(4) {
            0 => {
                let text = ["f", "f1", "m", "%", "e\u{301}"][self.below(5) as usize];
                self.driven.frame(vec![Event::Text(text.to_owned())]);
                format!("text {text}")
            }
            1 => {
                let row = self.below(9) as usize;
                let ask = match self.below(3) {
                    0 => PaletteAsk::Take(Some(row)),
                    1 => PaletteAsk::Menu(None, &[]),
                    _ => PaletteAsk::Query("f1".to_owned()),
                };
                self.driven.execute(ask.clone());
                format!("{ask:?}")
            }
            2 => {
                self.driven.execute(Command::Escape);
                "Escape".to_owned()
            }
            _ => {
                let key = KEYS[self.below(KEYS.len() as u64) as usize];
                let event = |pressed| Event::Key {
                    key,
                    physical_key: None,
                    pressed,
                    repeat: false,
                    modifiers: Modifiers::NONE,
                };
                self.driven.frame(vec![event(true), event(false)]);
                format!("{key:?}")
            }
        }
    }

    /// Drops or opens something.
    fn open(&mut self) -> String {
        let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        let number = self.below(4) as u32;
        let (path, other) = (
            self.files
                .recording(&format!("{number}.json"), number..20 * number + 9),
            self.files.0.join("0.json"),
        );
        let which = self.below(11);
        let paths = match which {
            0 | 1 => vec![path],
            2 => vec![self.files.source(0..number)],
            3 => vec![root.join("tests/data/import/pprof/markdown-render.pb.gz")],
            4 => vec![root.join("tests/data/import/orders.viztracer.json")],
            5 => vec![root.join("tests/data/sessions/two-runs.callscape-session.json")],
            6 => vec![root.join("no such file")],
            7 | 8 => {
                self.driven.show(&inputs(None, &[other, path]));
                return "two runs".to_owned();
            }
            9 => {
                let scene =
                    ["tests/data/scenes/views.toml", "scenes/tour.toml"][number as usize % 2];
                self.driven.desk.execute(LiveAsk::Open(root.join(scene)));
                return format!("scene {scene}");
            }
            _ => {
                let path = self.files.0.join("all.callscape-session.json");
                if let Some(Ok(saved)) = self.driven.desk.session_for(&path) {
                    std::fs::write(&path, saved).expect("a file");
                }
                vec![path]
            }
        };
        let said = format!("drop {paths:?}");
        self.driven.execute(FileAsk::Open(paths));
        if self.driven.desk.question.is_none() {
            return said;
        }
        let answers = [ReplaceAsk::Instead, ReplaceAsk::AsSecond, ReplaceAsk::Keep];
        let answer = answers[number as usize % 3];
        self.driven.execute(answer);
        format!("{said}, {answer:?}")
    }

    /// Replaces what is open on disk, or part of what is shown of it.
    fn replace(&mut self) -> String {
        let number = self.below(5) as u32;
        let state = &mut self.driven.desk.state;
        let which = (self.random)(5);
        match which {
            0 => {
                let names = ["0.json", "1.json"];
                self.files
                    .recording(names[number as usize % 2], number..13 * number + 4);
                let Some(document) = &state.document else {
                    return "nothing open".to_owned();
                };
                let (of, map) = (document.inputs.clone(), document.map.clone());
                let (part, settings) = (document.part(), state.settings);
                if let Ok(anew) = open_again(&of, map, &settings)
                    .and_then(|it| it.showing(&part, &Progress::new()))
                {
                    state.take_grown(anew);
                }
            }
            1 => {
                self.files.source(0..number);
                let map = state.document.as_ref().and_then(|it| it.map.clone());
                state.revise(true, map);
            }
            2 => {
                let text = format!("category A method f{number}*\ncategory B class *\n");
                let map = self
                    .files
                    .mapping(&text[..text.len() - 18 * (number as usize % 2)]);
                state.use_map_file(&map);
                state.revise_through_map();
            }
            3 => {
                state.revise_without_map();
            }
            _ => state.execute(RunsAsk::Flip),
        }
        format!("replaced {which} {number}")
    }
}

fn open_again(
    of: &Inputs,
    map: Option<std::sync::Arc<callscape_analysis::mapping::Mapping>>,
    settings: &LandscapeSettings,
) -> anyhow::Result<Document> {
    Document::open(of, map, settings, &Progress::new())
}

/// Does so many steps, unless one of them panics or there is no more time: how many were done, and the last of them.
fn run(seed: u64, steps: usize, until: Option<Instant>) -> Result<usize, (usize, Vec<String>)> {
    let mut said = Vec::new();
    let done = catch_unwind(AssertUnwindSafe(|| {
        let mut monkey = Monkey::new(seed);
        for _ in 0..steps {
            if until.is_some_and(|until| Instant::now() >= until) {
                break;
            }
            said.push(String::new());
            let step = monkey.step();
            if let Some(last) = said.last_mut() {
                *last = step;
            }
        }
    }));
    match done {
        Ok(()) => Ok(said.len()),
        Err(_) => Err((said.len(), said.split_off(said.len().saturating_sub(30)))),
    }
}

fn tell(seed: u64, (steps, last): &(usize, Vec<String>)) -> String {
    format!("seed {seed} fails in step {steps}: ./x monkey 0 {seed}; the last steps: {last:#?}")
}

#[test]
fn random_keys_clicks_and_drops_stop_nothing() {
    let done = run(SEED, STEPS, None);
    assert_eq!(done.map_err(|failed| tell(SEED, &failed)), Ok(STEPS));
}

/// Seconds and the first seed come from the environment, as `./x monkey` sets them.
#[test]
#[ignore = "goes on as long as it is told to"]
fn other_seeds_stop_nothing_either() {
    let number = |name: &str| std::env::var(name).ok().and_then(|it| it.parse().ok());
    let seconds: u64 = number("CALLSCAPE_MONKEY_SECONDS").unwrap_or(60);
    let first: u64 = number("CALLSCAPE_MONKEY_SEED").unwrap_or(1);
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut steps = 0;
    for seed in first.. {
        // Of no seconds one seed is done to its end, as where what it found is looked at again.
        let until = (seconds > 0).then_some(until);
        match run(seed, STEPS_OF_A_SEED, until) {
            Ok(done) => steps += done,
            Err(failed) => panic!("{}", tell(seed, &failed)),
        }
        if until.is_none_or(|until| Instant::now() >= until) {
            println!("{steps} steps, seeds {first} to {seed}");
            return;
        }
    }
}

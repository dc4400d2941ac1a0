//! What explains a recording, asked of its index: contexts, phases, causes and charts as whole processes, for recordings of
//! `SIZES` calls (a million by default, several separated by commas). With a program in `BEFORE`, an earlier version of
//! this one, each figure is held against what that takes with an index of its own.
//!
//! Run with `SIZES=1000000,10000000 cargo bench --bench answers`. Least times of three.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::ensure;
use callscape_testing::common::callscape;
use callscape_testing::generate::{Plan, Program, write_uftrace};
use callscape_testing::measured::{Measured, amount};
use callscape_testing::timing::{least, ms, setting};

const TIMES: usize = 3;

/// A question, the arguments that ask it (`RUN` is the recording), and its target at 100 million calls, if there is one.
const ASKED: [(&str, &str, &str); 12] = [
    ("info", "info RUN --json", ""),
    ("functions", "functions RUN --json", ""),
    ("graph", "graph RUN --json", ""),
    ("stack", "stack RUN --at 40%", ""),
    ("contexts", "contexts RUN", "≤ 100 (20) ms"),
    ("contexts of a thread", "contexts RUN --thread 1000", ""),
    (
        "contexts of a fifth",
        "contexts RUN --from 40% --to 60%",
        "≤ 300 (50) ms",
    ),
    ("phases", "phases RUN", "≤ 150 (30) ms"),
    ("comparison with causes", "compare RUN RUN", "≤ 100 ms"),
    (
        "rings",
        "render RUN --view rings -o OUT --size 800x600",
        "≤ 500 (300) ms",
    ),
    ("tree", "render RUN --view tree -o OUT --size 800x600", ""),
    ("fan", "render RUN --view fan -o OUT --size 800x600", ""),
];

/// A recording with its index.
struct Asked {
    folder: PathBuf,
    calls: u64,
}

impl Asked {
    fn run(&self) -> PathBuf {
        self.folder.join("run")
    }

    /// How long a program takes to answer.
    fn time(
        &self,
        program: &dyn Fn() -> Command,
        arguments: &str,
        times: usize,
    ) -> anyhow::Result<Duration> {
        let arguments = arguments.split(' ').map(|it| match it {
            "RUN" => self.run(),
            "OUT" => self.folder.join("picture.png"),
            other => PathBuf::from(other),
        });
        let arguments: Vec<PathBuf> = arguments.collect();
        let (time, result) = least(times, || {
            let mut command = program();
            command
                .args(&arguments)
                .stdout(Stdio::null())
                .stderr(Stdio::null());
            command.status()
        });
        ensure!(result?.success(), "{arguments:?} failed");
        Ok(time)
    }

    /// Makes the index, and asks everything once: what an index lacks is added to it then.
    fn answers(&self, program: &dyn Fn() -> Command) -> anyhow::Result<Vec<Duration>> {
        let mut times = vec![self.time(program, "index RUN", 1)?];
        for (_, arguments, _) in ASKED {
            self.time(program, arguments, 1)?;
            times.push(self.time(program, arguments, TIMES)?);
        }
        Ok(times)
    }

    fn index_bytes(&self) -> f64 {
        let index = self.run().with_extension("callscape");
        index.metadata().map_or(0.0, |it| it.len() as f64)
    }

    fn print(&self, what: &str, times: (Duration, Option<Duration>), aim: &str) {
        let (now, before) = times;
        if aim.is_empty() {
            println!("{what}: {now:.1?}, before {before:.1?}");
            return;
        }
        Measured {
            target: &format!("answers: {what}, {} calls", amount(self.calls)),
            value: ms(now),
            unit: "ms",
            peer: before.map(|it| ("before", ms(it))),
            aim,
            ..Measured::default()
        }
        .print();
    }
}

fn main() -> anyhow::Result<()> {
    let sizes = std::env::var("SIZES").unwrap_or_else(|_| "1000000".to_owned());
    let before = std::env::var_os("BEFORE").map(PathBuf::from);
    let place = std::env::var_os("PLACE").map_or_else(std::env::temp_dir, PathBuf::from);
    for size in sizes.split(',') {
        let asked = Asked {
            folder: place.join(format!("callscape-answers-{}", std::process::id())),
            calls: size.trim().parse()?,
        };
        std::fs::create_dir_all(&asked.folder)?;
        let result = measure(&asked, before.as_deref());
        std::fs::remove_dir_all(&asked.folder)?;
        result?;
    }
    Ok(())
}

fn measure(asked: &Asked, before: Option<&Path>) -> anyhow::Result<()> {
    let program = Program::new(Plan {
        calls: asked.calls,
        functions: setting("FUNCTIONS", 5000) as u32,
        threads: setting("THREADS", 2) as u32,
        seed: 1,
    });
    write_uftrace(&program, &asked.run())?;
    let before = before.map(|path| {
        let times = asked.answers(&|| Command::new(path))?;
        Ok::<_, anyhow::Error>((times, asked.index_bytes()))
    });
    let before = before.transpose()?;
    let times = asked.answers(&callscape)?;
    let bytes = |it: f64| it / asked.calls as f64;
    println!("index: {:.2} bytes a call", bytes(asked.index_bytes()));
    if let Some((_, of_before)) = &before {
        println!("before: {:.2} bytes a call", bytes(*of_before));
    }
    let all = [("import", "", "≤ 1.1 ×")].into_iter().chain(ASKED);
    for (place, (what, _, aim)) in all.enumerate() {
        let before = before.as_ref().map(|it| it.0[place]);
        let aim = if before.is_none() && aim.ends_with('×') {
            ""
        } else {
            aim
        };
        asked.print(what, (times[place], before), aim);
    }
    Ok(())
}

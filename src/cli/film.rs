//! `callscape render --scene`: a film of a scene, its frames as pictures, or one of them.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::progress::{self, with_progress};
use super::render::{QualityArg, RenderArgs, inputs};
use callscape_app::presenting::film;
use callscape_app::presenting::film_wish::{FPS, SIZE};
use callscape_app::presenting::opening::{Opened, Opens};
use callscape_app::presenting::stage::{Stage, StageSettings, Tell};
use callscape_base::escape;
use callscape_base::units::{TimeSpec, counted};
use callscape_look::quality::{Light, Quality};
use callscape_model::metric::Metric;
use callscape_presentation::check::film_size;
use callscape_presentation::film::Film;
use callscape_presentation::scene::{
    Clock, Easing, Go, Look, Overview, Play, Scene, SceneFile, SceneInputs, Shot, TimeText,
};

/// How far the camera turns about a recording, in degrees, and how long the end is shown, in seconds.
const TURN: f32 = 24.0;
/// Turned, a landscape needs more room than before.
const AWAY: f32 = 0.75;
const REST: f64 = 2.0;

/// Renders the scene at `path` as requested by `args`.
pub(crate) fn run(path: &Path, args: &RenderArgs) -> anyhow::Result<()> {
    make_of(SceneFile::read(path)?, args)
}

/// Renders a film of the requested recordings that lasts `seconds`.
pub(crate) fn of_recordings(seconds: f64, args: &RenderArgs) -> anyhow::Result<()> {
    let inputs = inputs(args)?;
    let whole = |path: &PathBuf| {
        let found = std::fs::canonicalize(path);
        found.with_context(|| path.display().to_string())
    };
    let recordings = inputs.recordings.iter().map(whole);
    let recordings = recordings.collect::<anyhow::Result<Vec<_>>>()?;
    ensure!(
        !recordings.is_empty() || args.inputs.is_empty(),
        "--film: expected a recording, found only a source tree; --history plays its history"
    );
    let share = |of: f64| Some(TimeText(TimeSpec::Share(of)));
    let scene = Scene {
        inputs: SceneInputs {
            source: inputs.source_dir.as_ref().map(whole).transpose()?,
            recordings,
            ..SceneInputs::default()
        },
        look: Look {
            color: args.color.map(|it| it.0.name().to_owned()),
            height: args
                .height
                .map(|it| it.0.map_or("even", Metric::name).to_owned()),
            area: args.area.map(|it| it.name().to_owned()),
            arcs: Some(args.arcs.mode().name().to_owned()),
            legend: Some(true),
            ..Look::default()
        },
        shots: vec![
            Shot {
                seconds: Some(0.0),
                camera: Some(Go {
                    to: Some(Overview::Home),
                    zoom: Some(AWAY),
                    ..Go::default()
                }),
                ..Shot::default()
            },
            Shot {
                seconds: Some(seconds),
                camera: Some(Go {
                    turn: Some(TURN),
                    easing: Easing::Linear,
                    ..Go::default()
                }),
                play: Some(Play {
                    from: share(0.0),
                    to: share(1.0),
                    clock: Clock::Events,
                    ..Play::default()
                }),
                ..Shot::default()
            },
            // Time to look at the end.
            Shot {
                seconds: Some(REST),
                ..Shot::default()
            },
        ],
        ..Scene::default()
    };
    make_of(SceneFile::of(Path::new("--film"), &scene)?, args)
}

fn make_of(file: SceneFile, args: &RenderArgs) -> anyhow::Result<()> {
    let output = &args.output;
    let of = &file.scene.film;
    let size = match (args.size, &of.size) {
        (Some(size), _) => size,
        (None, Some(text)) => film_size(text).map_err(anyhow::Error::msg)?,
        (None, None) => SIZE,
    };
    let settings = StageSettings {
        size,
        fps: args.fps.or(of.fps).unwrap_or(FPS),
        quality: quality(args.quality),
        theme: args.theme.map(|theme| theme.theme()),
    };
    if let Some(second) = args.second {
        let is_png = output
            .extension()
            .is_some_and(|it| it.eq_ignore_ascii_case("png"));
        let shown = output.display();
        ensure!(
            is_png,
            "{shown}: expected a name that ends in .png for one picture"
        );
        return still(file, settings, second, output);
    }
    let film_settings = film::settings_of(output, (size, settings.fps), args.ffmpeg)?;
    let opens = Opens::of(&file)?;
    let inputs = film::fingerprint(&file, &opens);
    let opened = open(&file, opens)?;
    let mut stage = begin(file, opened, settings)?;
    let film = film::begin(&stage, output, (film_settings, settings), &inputs)?;
    make(&mut stage, film, output, settings.fps)
}

/// Draws and encodes all frames that are not there yet.
fn make(stage: &mut Stage, film: Film, output: &Path, fps: u32) -> anyhow::Result<()> {
    let (frames, kept) = (film.frames(), film.next());
    let bar = Bar::new(frames);
    stage.set_tell(bar.waits());
    if kept > 0 && kept < frames {
        let frames = counted(frames, "frame", "frames");
        bar.say(&format!("going on after {kept} of {frames}"));
    }
    film::make(stage, film, output, |done, is_drawn| {
        match is_drawn {
            true => bar.at(done, "drawing"),
            false => bar.at(done, "finding the position"),
        }
        if done == kept {
            bar.begin();
        }
        Ok(())
    })?;
    bar.end();
    let seconds = frames as f64 / f64::from(fps);
    let frames = counted(frames, "frame", "frames");
    say!("callscape: {frames}, {seconds:.1} s");
    Ok(())
}

fn still(
    file: SceneFile,
    settings: StageSettings,
    second: f64,
    output: &Path,
) -> anyhow::Result<()> {
    let opens = Opens::of(&file)?;
    let opened = open(&file, opens)?;
    let mut stage = begin(file, opened, settings)?;
    let number = (second * f64::from(settings.fps)).round() as u64;
    let number = number.min(stage.frames() - 1);
    let bar = Bar::new(number);
    stage.set_tell(bar.waits());
    while stage.next() < number {
        stage.skip()?;
        bar.at(stage.next(), "finding the position");
    }
    bar.end();
    stage.draw()?;
    let written = stage.image().write_png(output);
    written.with_context(|| format!("cannot write {}", output.display()))
}

fn open(file: &SceneFile, opens: Opens) -> anyhow::Result<Opened> {
    with_progress(|progress| opens.open(file, progress))?
}

/// Returns the first shot once it is at rest. Shows the progress of pending work, and problems with the scene.
fn begin(file: SceneFile, opened: Opened, settings: StageSettings) -> anyhow::Result<Stage> {
    let bar = progress::Bar::new()?;
    let mut stage = Stage::watched(file, opened, settings, Box::new(move |it| bar.show(it)))?;
    // Its bar is gone.
    stage.set_tell(Box::new(|_| ()));
    tell_problems(&stage);
    Ok(stage)
}

fn tell_problems(stage: &Stage) {
    let problems = stage.scene().map_or(&[][..], |show| &show.problems);
    /// More are hardly read.
    const MOST: usize = 50;
    for problem in problems.iter().take(MOST) {
        say!("callscape: {problem}");
    }
    if problems.len() > MOST {
        say!(
            "callscape: and {} more such problems",
            problems.len() - MOST
        );
    }
}

fn quality(of: QualityArg) -> Quality {
    let (samples, light) = match of {
        QualityArg::Low => (1, Light::Low),
        QualityArg::Medium => (4, Light::Medium),
        QualityArg::High => (16, Light::High),
    };
    Quality {
        samples,
        light,
        shadow: true,
    }
}

/// How far the film is, on a terminal; elsewhere a line for each tenth.
struct Bar {
    bar: Option<indicatif::ProgressBar>,
    frames: u64,
}

impl Bar {
    fn new(frames: u64) -> Bar {
        let bar = std::io::stderr().is_terminal().then(|| {
            let template = "{msg} {bar:30} {percent:>3} %, {pos} of {len} frames, {eta} left";
            let style = indicatif::ProgressStyle::with_template(template);
            let bar = indicatif::ProgressBar::new(frames);
            match style {
                Ok(style) => bar.with_style(style),
                Err(_) => bar,
            }
        });
        Bar { bar, frames }
    }

    fn say(&self, text: &str) {
        match &self.bar {
            Some(bar) => bar.println(&*escape::name(&format!("callscape: {text}"))),
            None => say!("callscape: {text}"),
        }
    }

    /// What shows how far work is that a frame waits for.
    fn waits(&self) -> Tell {
        let bar = self.bar.clone();
        Box::new(move |progress| {
            if let Some(bar) = &bar {
                let (step, done, total) = progress.state();
                let percent = done.saturating_mul(100) / total.max(1);
                bar.set_message(format!("{}: {percent} %", escape::name(&step)));
            }
        })
    }

    /// Excludes frames that existed already from the estimate of the remaining time.
    fn begin(&self) {
        if let Some(bar) = &self.bar {
            bar.reset_eta();
        }
    }

    fn at(&self, done: u64, step: &'static str) {
        match &self.bar {
            Some(bar) => {
                bar.set_message(step);
                bar.set_position(done);
            }
            None => {
                let tenth = |frame: u64| frame * 10 / self.frames.max(1);
                if tenth(done) > tenth(done - 1) && step == "drawing" {
                    let frames = counted(self.frames, "frame", "frames");
                    say!("callscape: {done} of {frames}");
                }
            }
        }
    }

    fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

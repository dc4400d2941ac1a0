//! The film of a scene: its frames go from a stage into a file, for the command line and for the window.

use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

use super::film_wish::{FPS, FilmOf, FilmWish};
use super::live::parsed;
use super::opening::Opens;
use super::recorder::first;
use super::script::shots_of;
use super::stage::{FrameIs, Stage, StageSettings};
use super::talk::Talk;
use crate::desk::Desk;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{Time, TimeSpec};
use callscape_look::quality::Quality;
use callscape_presentation::film::{Film, FilmSettings, Format, Plan};
use callscape_presentation::scene::{Play, Scene, SceneFile, Shot, TimeText};
use callscape_presentation::scene_state::SceneState;
use callscape_presentation::timeline::Timeline;
use callscape_state::State;
use callscape_state::job::{Job, take};
use callscape_state::message::Message;

/// What a film becomes in the file `output`.
pub fn settings_of(
    output: &Path,
    (size, fps): ([u32; 2], u32),
    by_ffmpeg: bool,
) -> anyhow::Result<FilmSettings> {
    let shown = output.display();
    let format = Format::of(output).with_context(|| {
        format!(
            "{shown}: expected a name that ends in .mp4, .webm or .gif for a film, or one such as frames_%05d.png for \
             its frames; --second renders one picture of a scene"
        )
    })?;
    ensure!(!output.is_dir(), "{shown} is a directory");
    let settings = FilmSettings {
        format,
        size,
        fps,
        by_ffmpeg,
    };
    settings
        .check()
        .with_context(|| format!("cannot write {shown}"))?;
    Ok(settings)
}

/// What the frames depend on besides the program: the scene, and the files that it opens as they are now.
pub fn fingerprint(file: &SceneFile, opens: &Opens) -> String {
    let mut text = format!("{:08x}", crc32fast::hash(file.text().as_bytes()));
    let session = opens.session.as_ref().map(|(path, _)| path);
    let paths = opens
        .inputs
        .source_dir
        .iter()
        .chain(&opens.inputs.sides.source_of_a)
        .chain(&opens.inputs.recordings);
    for path in paths.chain(&opens.mapping).chain(session) {
        text += &format!("\n{}", stamp(path));
    }
    text
}

/// A file's size and modification time; for a folder, those of its direct entries.
fn stamp(path: &Path) -> String {
    let of = |path: &Path| {
        let metadata = path.metadata().ok();
        let changed = metadata.as_ref().and_then(|it| it.modified().ok());
        let since = changed.and_then(|it| it.duration_since(std::time::UNIX_EPOCH).ok());
        let size = metadata.as_ref().map_or(0, std::fs::Metadata::len);
        format!("{} {size} {:?}", path.display(), since.unwrap_or_default())
    };
    let mut all = vec![of(path)];
    if let Ok(entries) = path.read_dir() {
        all.extend(entries.flatten().map(|entry| of(&entry.path())));
        all[1..].sort();
    }
    all.join("; ")
}

/// Begins the film of a scene, or goes on with the part of it that there is.
pub fn begin(
    stage: &Stage,
    output: &Path,
    (film, settings): (FilmSettings, StageSettings),
    inputs: &str,
) -> anyhow::Result<Film> {
    let plan = Plan(format!(
        "callscape {}\n{}\n{settings:?}\n{inputs}",
        env!("CARGO_PKG_VERSION"),
        stage.adapter()
    ));
    let begun = Film::begin(output, film, stage.frames(), &plan);
    begun.with_context(|| format!("cannot write {}", output.display()))
}

/// Draws and encodes all frames that are not there yet. `at` is told how many there are after each, and whether it was
/// drawn.
pub fn make(
    stage: &mut Stage,
    film: Film,
    output: &Path,
    at: impl FnMut(u64, bool) -> Result<(), Cancelled>,
) -> anyhow::Result<()> {
    let folder = film.folder().to_owned();
    let shown = output.display();
    draw(stage, film, at).map_err(|error| match folder.is_dir() {
        true => error.context(format!(
            "cannot finish {shown}; the finished part is kept in {}, and making the same film resumes it",
            folder.display()
        )),
        false => error.context(format!("cannot write {shown}")),
    })
}

fn draw(
    stage: &mut Stage,
    mut film: Film,
    mut at: impl FnMut(u64, bool) -> Result<(), Cancelled>,
) -> anyhow::Result<()> {
    let (frames, kept) = (film.frames(), film.next());
    while stage.next() < kept {
        stage.skip()?;
        at(stage.next(), false)?;
    }
    while stage.next() < frames {
        let image = match stage.draw()? {
            FrameIs::New => Some(stage.image()),
            FrameIs::Same => None,
        };
        film.push(image)?;
        at(stage.next(), true)?;
    }
    Ok(film.finish()?)
}

/// The whole of it, for a worker thread.
fn film(file: SceneFile, output: &Path, size: [u32; 2], progress: &Progress) -> anyhow::Result<()> {
    let film = settings_of(output, (size, FPS), false)?;
    let settings = StageSettings {
        size,
        fps: FPS,
        quality: Quality::default(),
        theme: None,
    };
    let opens = Opens::of(&file)?;
    let inputs = fingerprint(&file, &opens);
    let opened = opens.open(&file, progress)?;
    progress.start("preparing the film", 0);
    let mut stage = Stage::new(file, opened, settings)?;
    let film = begin(&stage, output, (film, settings), &inputs)?;
    progress.start("making the film", stage.frames());
    make(&mut stage, film, output, |done, _| progress.set(done))
}

/// What films can be made of now, and how many seconds each takes.
pub fn films(state: &State, talk: &Talk) -> Vec<(FilmOf, f64)> {
    let document = state.document.as_ref();
    let plays = document.is_some_and(|it| it.playback.is_some());
    let all = [
        (FilmOf::Scene, !talk.script.scene.shots.is_empty()),
        (FilmOf::Way, !talk.bookmarks.is_empty()),
        (FilmOf::Range, plays),
    ];
    let resolved = document.and_then(|it| it.resolved());
    let duration = resolved.map(|it| it.recording.trace.duration());
    let there = all.into_iter().filter(|it| it.1).map(|(of, _)| {
        let scene = scene(of, state, talk);
        (of, Timeline::new(&scene, duration).0.total())
    });
    there.collect()
}

/// The scene of a film, without what it opens.
fn scene(of: FilmOf, state: &State, talk: &Talk) -> Scene {
    let mut scene = talk.script.scene.clone();
    match of {
        FilmOf::Scene => {}
        FilmOf::Way => scene.shots = shots_of(&talk.bookmarks),
        FilmOf::Range => {
            let document = state.document.as_ref();
            let range = document.and_then(|it| it.selection.range);
            let at = |time: Time| TimeText(TimeSpec::At(time));
            let plays = Shot {
                play: Some(Play {
                    from: Some(at(range.map_or(Time::ZERO, |it| it.start))),
                    to: range.map(|it| at(it.end)),
                    ..Play::default()
                }),
                ..Shot::default()
            };
            scene.shots = vec![first(&SceneState::of(state), true, state), plays];
        }
    }
    scene
}

impl Desk {
    /// Begins to make a film.
    pub(crate) fn make_film(&mut self, wish: FilmWish, output: PathBuf) {
        let output = std::path::absolute(&output).unwrap_or(output);
        let path = output.with_extension("toml");
        let scene = self.scene_for(&path, scene(wish.of, &self.state, &self.talk));
        let file = match parsed(path, &scene) {
            Ok(file) => file,
            Err(error) => return self.say_of_film(Err(error)),
        };
        let work = move |progress: &Progress| {
            let made = film(file, &output, wish.size, progress);
            progress.check()?;
            Ok(made.map(|()| output))
        };
        self.jobs.filming = Some(Job::named("film", self.state.waker(), work));
    }

    /// Takes what came of it.
    pub(crate) fn poll_film(&mut self) {
        if let Some(made) = take(&mut self.jobs.filming) {
            self.say_of_film(made);
        }
    }

    fn say_of_film(&mut self, made: anyhow::Result<PathBuf>) {
        match made {
            Ok(path) => self.state.told.messages.push(Message {
                is_error: false,
                is_open: true,
                title: "The film is saved".to_owned(),
                lines: vec![path.display().to_string()],
            }),
            Err(error) => {
                let title = "The film could not be made";
                self.state.tell(title, format!("{error:#}"));
            }
        }
    }
}

//! Scenes and films without a window: what is written is shown, the same every time, and what goes wrong is said.

use std::path::{Path, PathBuf};

use callscape::app::presenting::check::check;
use callscape::app::presenting::opening::Opens;
use callscape::app::presenting::stage::{FrameIs, Stage, StageSettings};
use callscape::presentation::film::{Film, FilmSettings, Format, Plan};
use callscape::presentation::scene::SceneFile;
use callscape::progress::Progress;
use callscape::render::image::Image;
use callscape::render::renderer::{Light, Quality};

use super::common::{Scratch, callscape};

mod views;

/// Camera, playback, a view and words within three seconds.
const SCENE: &str = r#"
[[shot]]
title = "A"
seconds = 0.4
[[shot]]
camera = { module = "lgc.c", turn = 30 }
play = { from = "10%", to = "12%" }
show = ["mural"]
seconds = 1
[[shot]]
seconds = 0.4
[[shot]]
hide = ["mural"]
collapse = ["lapi.c"]
look = { theme = "dark", text-scale = 1.5, legend = true }
seconds = 0.6
"#;

const SIZE: [u32; 2] = [96, 64];
const FPS: u32 = 5;

fn stage(folder: &Scratch) -> Stage {
    stage_of(folder, SCENE, FPS)
}

fn stage_of(folder: &Scratch, scene: &str, fps: u32) -> Stage {
    sized_stage_of(folder, scene, fps, SIZE)
}

fn sized_stage_of(folder: &Scratch, scene: &str, fps: u32, size: [u32; 2]) -> Stage {
    let path = folder.write("talk.toml", scene.as_bytes());
    let file = SceneFile::read(&path).expect("it is a scene");
    let opens = Opens::of(&file).expect("the demo is built in");
    let opened = opens.open(&file, &Progress::new()).expect("the demo");
    let quality = Quality {
        samples: 2,
        light: Light::Low,
        shadow: true,
    };
    let settings = StageSettings {
        size,
        fps,
        quality,
        theme: None,
    };
    Stage::new(file, opened, settings).expect("a device to draw with")
}

/// Makes a film, up to a frame only if so asked; how many frames were not like those before.
fn film(folder: &Scratch, path: &Path, stop: Option<u64>) -> usize {
    try_film(folder, path, stop).expect("it can be encoded")
}

/// The same, or what went wrong with the encoding.
fn try_film(folder: &Scratch, path: &Path, stop: Option<u64>) -> Result<usize, String> {
    let mut stage = stage(folder);
    let settings = FilmSettings {
        format: Format::of(path).expect("a film"),
        size: SIZE,
        fps: FPS,
        by_ffmpeg: false,
    };
    let plan = Plan("test".to_owned());
    let frames = stage.frames();
    assert_eq!(frames, 12);
    let mut film = Film::begin(path, settings, frames, &plan).expect("it can be begun");
    while stage.next() < film.next() {
        stage.skip().expect("it can be gone on");
    }
    let mut new = 0;
    while stage.next() < stop.unwrap_or(frames) {
        let image = match stage.draw().expect("it can be drawn") {
            FrameIs::New => Some(stage.image()),
            FrameIs::Same => None,
        };
        new += usize::from(image.is_some());
        film.push(image).map_err(|error| error.to_string())?;
    }
    if stop.is_none() {
        film.finish().map_err(|error| error.to_string())?;
    }
    Ok(new)
}

#[cfg(unix)]
#[test]
fn an_installed_ffmpeg_encodes_where_it_is_asked_for_and_what_it_says_is_told() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Scratch::new("ffmpeg");
    folder.write(
        "talk.toml",
        b"[[shot]]\ncamera = { module = \"lgc.c\" }\nseconds = 1.5\n",
    );
    let run = |out: &str, path: Option<&Path>| {
        let mut command = callscape();
        let args = [
            "render",
            "--scene",
            "talk.toml",
            "--size",
            "64x48",
            "--fps",
            "4",
            "--quality",
            "low",
        ];
        command
            .args(args)
            .args(["--ffmpeg", "-o", out])
            .current_dir(&folder.0);
        if let Some(path) = path {
            command.env("PATH", path);
        }
        let output = command.output().expect("the program runs");
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), told)
    };
    let (code, told) = run("a.gif", None);
    assert_eq!(code, Some(1));
    assert!(
        told.contains("expected a name that ends in .mp4 with --ffmpeg"),
        "{told}"
    );
    let programs = folder.0.join("programs");
    std::fs::create_dir(&programs).expect("a temporary folder");
    let (code, told) = run("a.mp4", Some(&programs));
    assert_eq!(code, Some(1));
    assert!(told.contains("expected an installed ffmpeg"), "{told}");
    // One that fails half-way.
    let script = "#!/bin/sh\ncase \"$*\" in *-encoders*) echo libx264; exit 0;; esac\n\
        /usr/bin/head -c 6000 >/dev/null\necho 'no room left' >&2\nexit 3\n";
    let program = programs.join("ffmpeg");
    std::fs::write(&program, script).expect("a temporary file");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
    let (code, told) = run("a.mp4", Some(&programs));
    assert_eq!(code, Some(1));
    assert!(
        told.contains("the ffmpeg encoder failed: no room left"),
        "{told}"
    );
    assert!(
        told.contains("a.mp4.parts") && !folder.0.join("a.mp4").exists(),
        "{told}"
    );
    // The one that is installed, if there is one.
    let (code, told) = run("a.mp4", None);
    if code != Some(0) {
        assert!(
            told.contains("expected an installed ffmpeg") || told.contains("libx264"),
            "{told}"
        );
        eprintln!("left out: needs an installed ffmpeg");
        return;
    }
    let (code, told) = run("b.mp4", None);
    assert_eq!(code, Some(0), "{told}");
    let read = |name: &str| std::fs::read(folder.0.join(name)).expect("it was written");
    assert!(read("a.mp4") == read("b.mp4"), "they differ");
}

#[test]
fn a_film_is_the_same_each_time_also_when_it_was_interrupted() {
    let folder = Scratch::new("film");
    let path = |name: &str| folder.0.join(name);
    let new = film(&folder, &path("a.mp4"), None);
    // Frames that show what the one before shows are not drawn.
    assert!((8..12).contains(&new), "{new}");
    let read = |name: &str| std::fs::read(path(name)).expect("it is there");
    // In the middle of a shot, and of what dissolves at the start of the last one.
    for stop in [8, 10] {
        film(&folder, &path("b.mp4"), Some(stop));
        assert!(path("b.mp4.parts").is_dir() && !path("b.mp4").exists());
        film(&folder, &path("b.mp4"), None);
        assert!(!path("b.mp4.parts").exists());
        assert!(read("a.mp4") == read("b.mp4"), "they differ after {stop}");
        std::fs::remove_file(path("b.mp4")).expect("it is ours");
    }
    // What cannot be written ends the film, and what is there of it is gone on with.
    film(&folder, &path("b.mp4"), Some(6));
    let obstacle = path("b.mp4.parts/00002");
    std::fs::create_dir(&obstacle).expect("a temporary folder");
    let error = try_film(&folder, &path("b.mp4"), None).expect_err("it cannot be written");
    assert!(error.contains("b.mp4.parts/00002: "), "{error}");
    assert!(path("b.mp4.parts/00001").is_file() && !path("b.mp4").exists());
    std::fs::remove_dir(&obstacle).expect("it is ours");
    film(&folder, &path("b.mp4"), None);
    assert!(
        read("a.mp4") == read("b.mp4"),
        "they differ after a failure"
    );
    film(&folder, &path("f_%03d.png"), None);
    let pictures: Vec<Vec<u8>> = (1..=12).map(|it| read(&format!("f_{it:03}.png"))).collect();
    assert!(pictures[0] != pictures[4] && pictures[4] != pictures[11]);
    assert!(!path("f_%03d.png.parts").exists());
}

/// The mean difference of two pictures, of 255.
fn difference(a: &Image, b: &Image) -> f64 {
    let sum: u64 = a
        .rgba
        .iter()
        .zip(&b.rgba)
        .map(|(a, b)| u64::from(a.abs_diff(*b)))
        .sum();
    sum as f64 / a.rgba.len().max(1) as f64
}

#[test]
fn what_shots_change_comes_by_degrees_in_films() {
    const FPS: u32 = 20;
    const CHANGES: [&str; 5] = [
        "level = 1",
        "level = 9",
        "look = { color = \"calls\", height = \"calls\" }",
        "at = \"30%\"\narcs = \"all\"",
        "look = { theme = \"dark\" }",
    ];
    /// Frames of a shot: what changes has come by the middle of them.
    const LENGTH: usize = 16;
    let mut scene = "[[shot]]\nseconds = 0.2\narcs = \"none\"\n".to_owned();
    for change in CHANGES {
        scene += &format!("[[shot]]\nseconds = 0.8\n{change}\n");
    }
    let folder = Scratch::new("degrees");
    let mut stage = stage_of(&folder, &scene, FPS);
    let mut images: Vec<Image> = Vec::new();
    for _ in 0..stage.frames() {
        stage.draw().expect("it can be drawn");
        images.push(stage.image().clone());
    }
    assert_eq!(images.len(), 4 + LENGTH * CHANGES.len());
    for (images, change) in images[3..].windows(LENGTH + 1).step_by(LENGTH).zip(CHANGES) {
        let whole = difference(&images[0], &images[LENGTH]);
        assert!(whole > 0.3, "{change}: nothing changes");
        let steps: Vec<f64> = images
            .windows(2)
            .map(|it| difference(&it[0], &it[1]))
            .collect();
        let largest = steps.iter().copied().fold(0.0, f64::max);
        // Evenly eased over half a second the largest is a sixth of it.
        assert!(
            largest < whole * 0.3 + 0.1,
            "{change}: {whole:.2} in {steps:.2?}"
        );
    }
}

#[test]
fn a_folder_of_something_else_is_left_alone() {
    let folder = Scratch::new("film-parts");
    let parts = folder.0.join("a.gif.parts");
    std::fs::create_dir(&parts).expect("a temporary folder");
    std::fs::write(parts.join("mine"), "mine").expect("a temporary file");
    let settings = FilmSettings {
        format: Format::Gif,
        size: SIZE,
        fps: FPS,
        by_ffmpeg: false,
    };
    let plan = Plan("test".to_owned());
    let begun = Film::begin(&folder.0.join("a.gif"), settings, 3, &plan);
    let error = begun.err().expect("it is refused").to_string();
    assert!(
        error.contains("a.gif.parts: expected parts of a film"),
        "{error}"
    );
    assert!(parts.join("mine").is_file());
}

fn shipped() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes");
    let entries = std::fs::read_dir(folder).expect("a folder of the repository");
    let paths = entries.map(|entry| entry.expect("an entry").path());
    paths
        .filter(|path| path.extension().is_some_and(|it| it == "toml"))
        .collect()
}

#[test]
fn shipped_scenes_find_all_they_name() {
    let scenes = shipped();
    assert_eq!(scenes.len(), 3);
    for path in scenes {
        let file = SceneFile::read(&path).unwrap_or_else(|error| panic!("{error}"));
        let opens = Opens::of(&file).unwrap_or_else(|error| panic!("{error}"));
        if !opens.inputs.recordings.is_empty() {
            // Long to read where nothing is optimized; what it names are its files.
            continue;
        }
        let opened = opens.open(&file, &Progress::new()).expect("the demo");
        let checked = check(&file, opened);
        assert!(checked.problems.is_empty(), "{:?}", checked.problems);
        if path.ends_with("tour.toml") {
            assert_eq!(checked.timeline.total(), 120.0);
        }
    }
}

#[test]
fn the_command_line_says_what_is_wrong_with_a_scene() {
    let folder = Scratch::new("scene");
    let run = |args: &[&str]| {
        let output = callscape().args(args).current_dir(&folder.0).output();
        let output = output.expect("the program runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (
            output.status.code(),
            text(&output.stdout),
            text(&output.stderr),
        )
    };
    folder.write("wrong.toml", b"[[shot]]\nseconds = -2\n");
    folder.write("gone.toml", b"[inputs]\nrecordings = [\"no.json\"]\n");
    let loose = "[[shot]]\nseconds = 1\nselect = \"lvm.x\"\n[[shot]]\nrun = \"b\"\nat = \"9s\"\n";
    folder.write("loose.toml", loose.as_bytes());
    folder.write("look.toml", b"[look]\ncolor = \"purple\"\n");
    let wrong = [
        (
            "wrong.toml",
            "wrong.toml:2:11: shot 1, seconds: expected 0 to 3600 seconds, found -2",
        ),
        (
            "gone.toml",
            "gone.toml:2:15: inputs.recordings 1: expected a file or folder, found nothing at",
        ),
        ("none.toml", "none.toml"),
        (
            "look.toml",
            "look.toml:2:9: look.color: expected one of kind, ",
        ),
    ];
    for (file, expected) in wrong {
        for args in [
            &["scene", file][..],
            &["render", "--scene", file, "-o", "a.mp4"],
        ] {
            let (code, out, errors) = run(args);
            assert_eq!((code, out.as_str()), (Some(1), ""), "{args:?}: {errors}");
            assert!(errors.contains(expected), "{args:?}: {errors}");
        }
    }
    let (code, out, errors) = run(&["scene", "loose.toml", "--json"]);
    assert_eq!(code, Some(0), "{errors}");
    let document: serde_json::Value = serde_json::from_str(&out).expect("one document");
    let lines: Vec<_> = document["problems"]
        .as_array()
        .expect("a list")
        .iter()
        .collect();
    let lines: Vec<_> = lines
        .iter()
        .map(|it| it["line"].as_u64().unwrap_or(0))
        .collect();
    assert_eq!(lines, [3, 5, 6]);
    assert_eq!(document["shots"][1]["line"], 4);
    for (args, code) in [
        (&["render", "--scene", "loose.toml", "-o", "a.mp3"][..], 1),
        (&["render", "--scene", "loose.toml", "-o", "a.png"], 1),
        (
            &[
                "render",
                "--scene",
                "loose.toml",
                "-o",
                "a.mp4",
                "--size",
                "31x20",
            ],
            1,
        ),
        (
            &[
                "render",
                "--scene",
                "loose.toml",
                "-o",
                "a.mp4",
                "--fps",
                "0",
            ],
            2,
        ),
        (
            &[
                "render",
                "--scene",
                "loose.toml",
                "-o",
                "a.mp4",
                "--at",
                "1s",
            ],
            2,
        ),
        (&["render", "-o", "a.mp4", "--fps", "30"], 2),
    ] {
        let (found, _, errors) = run(args);
        assert_eq!(found, Some(code), "{args:?}: {errors}");
        assert!(!folder.0.join("a.mp4").exists());
    }
}

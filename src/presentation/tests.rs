//! Scenes as people write them, right and wrong, and films of made frames.

use std::path::{Path, PathBuf};

use super::film::{Film, FilmSettings, Format, Plan};
use super::scene::{Scene, SceneFile};
use super::timeline::Timeline;
use callscape_base::units::{Cost, Time};
use callscape_look::image::Image;

fn parse(text: &str) -> Result<SceneFile, String> {
    SceneFile::parse(Path::new("talk.toml"), text.to_owned()).map_err(|error| error.to_string())
}

#[test]
fn a_problem_is_told_with_file_line_and_field() {
    let wrong = [
        (
            "[[shot]]\nsecond = 1\n",
            "talk.toml:2:1: shot 1, second: unknown field",
        ),
        (
            "[[shot]]\n[[shot]]\nseconds = -1.0\n",
            "talk.toml:3:11: shot 2, seconds: expected 0 to 3600 seconds, found -1",
        ),
        (
            "[[shot]]\nseconds = nan\n",
            "talk.toml:2:11: shot 1, seconds: expected 0 to 3600 seconds, found NaN",
        ),
        (
            "[[shot]]\nplay = { from = \"soon\" }\n",
            "talk.toml:2:17: shot 1, play.from: expected a time like",
        ),
        (
            "[[shot]]\nat = -5\n",
            "talk.toml:2:6: shot 1, at: expected a time from the start of the recording on, found -5",
        ),
        (
            "[[shot]]\ncamera = { to = \"home\", module = \"a\" }\n",
            "talk.toml:2:10: shot 1, camera: expected one of `to`, `module` and `at`",
        ),
        (
            "[[bookmark]]\nname = \"a\"\n[[bookmark]]\nname = \"a\"\n",
            "talk.toml:4:8: bookmark 2, name: there is another bookmark named 'a'",
        ),
        (
            "[film]\nsize = \"1921x1080\"\n",
            "talk.toml:2:8: film.size: expected even sides",
        ),
        ("[[shot]\n", "talk.toml:1:"),
        (
            "[[shot]]\ncaption = { text = \"\" }\n",
            "talk.toml:2:20: shot 1, caption.text: expected words",
        ),
        (
            "[[shot]]\nshow = [\"mural\", \"clouds\"]\n",
            "talk.toml:2:18: shot 1, show 2: unknown variant `clouds`, expected one of `landscape`, `mural`, `flame`, \
             `functions`, `calls`, `differences`, `timelines`",
        ),
        (
            "[[shot]]\nhide = [3]\n",
            "talk.toml:2:9: shot 1, hide 1: wanted string or table",
        ),
        (
            "[[bookmark]]\nname = \"a\"\nviews = [\"Mural\"]\n",
            "talk.toml:3:10: bookmark 1, views 1: unknown variant `Mural`",
        ),
        ("[look]\ntheme = 3\n", "talk.toml:2:9: look.theme: "),
        (
            "[[shot]]\nshow = \"mural\"\n",
            "talk.toml:2:8: shot 1, show: found string \"mural\", expected a list, such as [\"a\", \"b\"]",
        ),
    ];
    for (text, expected) in wrong {
        let found = parse(text).expect_err(text);
        assert!(found.starts_with(expected), "{text}\n{found}");
    }
}

#[test]
fn what_is_written_is_read_again() {
    let text = r#"
title = "A talk"
[inputs]
recordings = ["a.json", "b.json"]
[look]
theme = "dark"
text-scale = 1.5
[film]
size = "1280x720"
fps = 24
[[bookmark]]
name = "here"
camera = { target = [1.0, 2.0, 0.0], distance = 30.0, yaw = 90.0, pitch = 40.0 }
left-out = [{ thread = 2 }, { below = "a/b" }]
range = ["10%", "3ms"]
[[shot]]
title = "Short"
[[shot]]
caption = { text = "Long", position = "top-left", style = "plain" }
camera = { module = "src/a.c", through = ["x"], turn = -90, easing = "out" }
play = { from = "10%", to = "40%", speed = "2ms" }
arcs = "selection"
show = ["mural"]
"#;
    let file = parse(text).expect("it is a scene");
    let again = toml::to_string(&file.scene).expect("it can be written");
    let read: Scene = toml::from_str(&again).expect("what was written can be read");
    assert_eq!(read, file.scene);
    assert_eq!(
        file.scene.shots[0].title.as_ref().map(|it| &*it.text),
        Some("Short")
    );
}

#[test]
fn shots_follow_one_another_for_as_long_as_they_need() {
    let text = r#"
[[shot]]
seconds = 2.5
[[shot]]
play = { from = "10%", to = "60%", speed = "10us" }
[[shot]]
play = { to = "10%" }
seconds = 4
[[shot]]
at = "400%"
[[shot]]
camera = { to = "home", through = ["a", "b"] }
"#;
    // A share above the whole is refused where it is read.
    assert!(parse(text).is_err());
    let file = parse(&text.replace("400%", "9s")).expect("it is a scene");
    let duration = Cost::from_ns(100_000);
    let (timeline, problems) = Timeline::new(&file.scene, Some(duration));
    let lengths: Vec<f64> = timeline.shots.iter().map(|shot| shot.length).collect();
    assert_eq!(lengths, [2.5, 5.0, 4.0, 0.0, 7.0]);
    assert_eq!(timeline.total(), 18.5);
    let back = timeline.shots[2].played.expect("it plays");
    assert_eq!((back.from.ns(), back.to.ns()), (60_000, 10_000));
    assert_eq!(back.at(0.5), Time::from_ns(35_000));
    assert_eq!(back.at(1.0), Time::from_ns(10_000));
    assert_eq!(timeline.at(0.0), Some((0, 0.0)));
    assert_eq!(timeline.at(5.0), Some((1, 0.5)));
    assert_eq!(timeline.at(11.5).map(|(shot, _)| shot), Some(4));
    assert_eq!(timeline.at(99.0), Some((4, 1.0)));
    assert_eq!(problems.len(), 1);
    assert!(
        file.problem(&problems[0].0, problems[0].1.clone())
            .to_string()
            .contains("shot 4, at: ")
    );
    // Without a recording nothing plays, and everything else does.
    let (timeline, problems) = Timeline::new(&file.scene, None);
    assert_eq!(timeline.shots.len(), 5);
    assert_eq!(problems.len(), 4);
}

#[test]
fn a_hundred_thousand_shots_are_no_trouble() {
    let text = "[[shot]]\nseconds = 0.5\ncaption = \"x\"\n".repeat(100_000);
    let file = parse(&text).expect("it is a scene");
    let (timeline, problems) = Timeline::new(&file.scene, None);
    assert!(problems.is_empty());
    assert_eq!(timeline.at(25_000.25), Some((50_000, 0.5)));
}

/// A picture that differs from frame to frame.
fn frame([width, height]: [u32; 2], number: u32) -> Image {
    let mut rgba = Vec::new();
    for y in 0..height {
        for x in 0..width {
            let lit = (x / 8 + y / 8 + number / 4).is_multiple_of(2);
            rgba.extend([
                if lit { 230 } else { 40 },
                (x * 2) as u8,
                (number * 5) as u8,
                255,
            ]);
        }
    }
    Image {
        width,
        height,
        rgba,
    }
}

fn folder(name: &str) -> PathBuf {
    let name = format!("callscape-film-{name}-{}", std::process::id());
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder).expect("the folder of temporary files can be written");
    folder
}

/// A film of `frames` frames; made in one go, or interrupted after `interrupted` of them.
fn film(path: &Path, format: Format, frames: u64, interrupted: Option<u64>) -> Vec<u8> {
    let settings = FilmSettings {
        format,
        size: [64, 48],
        fps: 5,
        by_ffmpeg: false,
    };
    let plan = Plan("test".to_owned());
    let mut made = 0;
    for stop in interrupted.into_iter().chain([frames]) {
        let mut film = Film::begin(path, settings, frames, &plan).expect("it can be begun");
        // What was lost is no more than the part that was not whole.
        assert!(film.next() + 20 > made);
        while film.next() < stop {
            let image = frame(settings.size, film.next() as u32);
            film.push(Some(&image)).expect("it can be encoded");
        }
        made = stop;
        if stop == frames {
            film.finish().expect("it can be put together");
        }
    }
    std::fs::read(path).expect("the film is there")
}

#[test]
fn a_film_that_was_interrupted_is_the_same_as_one_that_was_not() {
    for format in [Format::Mp4, Format::WebM, Format::Gif] {
        if format == Format::WebM && cfg!(not(feature = "webm")) {
            continue;
        }
        let folder = folder(format.ending());
        let path = folder.join("film").with_extension(format.ending());
        let frames = if format == Format::WebM { 12 } else { 53 };
        let whole = film(&path, format, frames, None);
        let resumed = film(&path, format, frames, Some(frames - 4));
        assert!(whole == resumed, "{format:?} differs");
        let begins: &[u8] = match format {
            Format::Mp4 => b"ftyp",
            Format::WebM => &[0x1A, 0x45, 0xDF, 0xA3],
            Format::Gif | Format::Png => b"GIF89a",
        };
        let at = if format == Format::Mp4 { 4 } else { 0 };
        assert_eq!(&whole[at..at + begins.len()], begins);
        let left: Vec<_> = std::fs::read_dir(&folder).expect("the folder").collect();
        assert_eq!(left.len(), 1, "parts are left behind");
        std::fs::remove_dir_all(&folder).expect("the folder can be removed");
    }
}

/// What an independent program says of a film, where it is installed.
#[test]
fn films_are_what_an_independent_reader_takes_them_for() {
    let is_there = std::process::Command::new("ffprobe")
        .arg("-version")
        .output();
    if is_there.is_err() {
        eprintln!("ffprobe is not installed: nothing is compared");
        return;
    }
    for (format, codec) in [
        (Format::Mp4, "h264"),
        (Format::WebM, "av1"),
        (Format::Gif, "gif"),
    ] {
        if format == Format::WebM && cfg!(not(feature = "webm")) {
            continue;
        }
        let folder = folder(&format!("probe-{}", format.ending()));
        let path = folder.join("film").with_extension(format.ending());
        film(&path, format, 11, None);
        let said = std::process::Command::new("ffprobe")
            .args([
                "-v",
                "error",
                "-count_frames",
                "-of",
                "default=nw=1",
                "-show_entries",
            ])
            .arg("stream=codec_name,width,height,nb_read_frames,r_frame_rate:format=duration")
            .arg(&path)
            .output()
            .expect("it is installed");
        let (out, errors) = (
            String::from_utf8_lossy(&said.stdout).into_owned(),
            String::from_utf8_lossy(&said.stderr).into_owned(),
        );
        assert!(errors.is_empty(), "{format:?}: {errors}");
        for expected in [
            format!("codec_name={codec}"),
            "width=64".to_owned(),
            "height=48".to_owned(),
            "nb_read_frames=11".to_owned(),
            "r_frame_rate=5/1".to_owned(),
            "duration=2.2".to_owned(),
        ] {
            assert!(
                out.contains(&expected),
                "{format:?}: {expected} is not in\n{out}"
            );
        }
        std::fs::remove_dir_all(&folder).expect("the folder can be removed");
    }
}

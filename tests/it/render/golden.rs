//! Pictures held against those kept in the repository, and pictures to be looked at.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use callscape::look::camera::Camera;
use callscape::look::image::Image;
use callscape::model::theme::Theme;
use callscape::render::renderer::Frame;
use glam::{Vec2, Vec3};

use super::{draw, frame, gpu, read_png, renderer};
use crate::common::{Scratch, data};
use crate::perceive::difference;
use crate::scene::Scene;

/// Small pictures, drawn by llvmpipe of Mesa 22.3: the city with all that lies on it, and its light alone from near.
/// Other drivers round edges and blends differently: on average the eye is to see no difference (1 of 100 from black to
/// white), and in one pixel of a hundred at most a slight one (8: an edge is another by half a pixel).
/// `CALLSCAPE_GOLDEN=1` draws them anew.
#[test]
fn golden_pictures() {
    let near = Camera {
        eye: Vec3::new(330.0, 60.0, 130.0),
        target: Vec3::new(400.0, 250.0, 15.0),
        fov_y: 0.7,
    };
    let themes = [(Theme::Light, "light"), (Theme::Dark, "dark")];
    for (theme, name) in themes {
        let scene = Scene::new(1_200, 6.0, 12, theme);
        let mut renderer = renderer(&scene.blocks);
        for (camera, before) in [(near, "near-"), (Scene::overview(), "")] {
            let file = format!("{before}{name}.png");
            if before.is_empty() {
                renderer.set_looks(0, &scene.looks);
                renderer.set_arcs(gpu(), &scene.arcs);
                renderer.set_labels(gpu(), &scene.flat, &[]);
            }
            let image = draw(&mut renderer, &frame(camera, theme, 8));
            hold(&image, &file);
        }
    }
}

/// The same of what the program draws: a recording that plays, and the difference of two.
#[test]
fn golden_pictures_of_recordings() {
    let scratch = Scratch::new("golden");
    let picture = scratch.0.join("picture.png");
    let drawn = |arguments: &[&OsStr], file: &str| {
        let mut command = crate::common::callscape();
        command.args(arguments).arg("-o").arg(&picture);
        let output = command.args(["--size", "320x180"]).output();
        let output = output.expect("the program runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        hold(&read_png(&picture), file);
    };
    let playback = ["render", "--no-labels", "--at", "40%", "--theme"].map(OsStr::new);
    drawn(
        &[&playback[..], &[OsStr::new("light")]].concat(),
        "playback-light.png",
    );
    drawn(
        &[&playback[..], &[OsStr::new("dark")]].concat(),
        "playback-dark.png",
    );

    let stacks = |name: &str, lines: &[u8]| scratch.write(name, lines);
    let a = stacks(
        "a.folded",
        b"main;parse;read 60\nmain;sort;cmp 30\nmain 10\n",
    );
    let b = stacks(
        "b.folded",
        b"main;parse;read 20\nmain;parse;check 50\nmain 12\n",
    );
    for theme in ["light", "dark"] {
        let options = ["--view", "flame-graph", "--theme", theme].map(OsStr::new);
        let render = [OsStr::new("render"), a.as_os_str()];
        let file = format!("flame-graph-{theme}.png");
        drawn(&[&render[..], &options].concat(), &file);
        let compare = [OsStr::new("compare"), a.as_os_str(), b.as_os_str()];
        let file = format!("flame-graph-compared-{theme}.png");
        drawn(&[&compare[..], &options].concat(), &file);
    }

    let paths = data("compare/paths");
    let sides = ["stored", "parsed"];
    // An index is written beside a recording.
    let recordings = sides.map(|side| {
        let name = format!("{side}.json.gz");
        let content = std::fs::read(paths.join(&name)).expect("a recording");
        scratch.write(&name, &content)
    });
    let sources = sides.map(|side| paths.join(side));
    let inputs = sources.iter().chain(&recordings).map(|it| it.as_os_str());
    for theme in ["light", "dark"] {
        let mut arguments = vec![OsStr::new("compare")];
        arguments.extend(inputs.clone());
        arguments.extend(["--theme", theme].map(OsStr::new));
        drawn(&arguments, &format!("comparison-{theme}.png"));
    }
}

/// Holds a picture against that of this name, or replaces it.
fn hold(image: &Image, file: &str) {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let path = golden.join(file);
    if std::env::var_os("CALLSCAPE_GOLDEN").is_some() {
        image.write_png(&path).expect("a file");
        return;
    }
    let found = difference(&read_png(&path), image);
    println!("{file}: {found:?}");
    assert!(found.mean < 1.0 && found.most < 8.0, "{file}: {found:?}");
}

/// What can be said of the passes on the command line is said as one document.
#[test]
fn passes_are_timed_on_the_command_line() {
    let path = std::env::temp_dir().join(format!("callscape-timings-{}.png", std::process::id()));
    let mut command = crate::common::callscape();
    command
        .arg("render")
        .arg(crate::common::data("window/source"));
    command.args(["--size", "160x90", "--quality", "low", "--shadow", "none"]);
    command.args(["--timings", "--json", "-o"]).arg(&path);
    let output = command.output().expect("the program is built");
    let _ = std::fs::remove_file(&path);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let report: serde_json::Value =
        serde_json::from_slice(&output.stdout).expect("one JSON document");
    assert!(report["adapter"].is_string() && report["driver"].is_string());
    let picture = &report["pictures"][0];
    assert_eq!(picture["file"], path.display().to_string());
    // Nothing is left out in silence.
    assert!(picture["modules"].as_u64() > Some(4), "{picture}");
    for none in ["modules_left_out", "arcs", "arcs_left_out"] {
        assert_eq!(picture[none], 0, "{none}");
    }
    // Not every device tells; one that does tells of all passes.
    if let Some(passes) = picture["passes"].as_array() {
        let names: Vec<&str> = passes.iter().filter_map(|it| it["name"].as_str()).collect();
        for pass in [
            "cull",
            "heights",
            "blocks",
            "resolve",
            "accumulate",
            "compose",
        ] {
            assert!(names.contains(&pass), "{pass} is not among {names:?}");
        }
        assert!(passes.iter().all(|it| it["ms"].as_f64() >= Some(0.0)));
    }
}

/// Not a check: draws pictures to be looked at into the folder that `CALLSCAPE_PICTURES` names; only
/// those whose names contain `CALLSCAPE_PICTURE`.
#[test]
fn pictures_to_be_looked_at() {
    let Some(folder) = std::env::var_os("CALLSCAPE_PICTURES").map(PathBuf::from) else {
        return;
    };
    let only = std::env::var("CALLSCAPE_PICTURE").unwrap_or_default();
    let camera = |eye: [f32; 3], target: [f32; 3]| Camera {
        eye: eye.into(),
        target: target.into(),
        fov_y: 0.7,
    };
    let views = [
        ("overview", Scene::overview()),
        ("close", camera([330.0, 60.0, 130.0], [400.0, 250.0, 15.0])),
        ("street", camera([362.0, 205.0, 42.0], [350.0, 230.0, 18.0])),
        ("above", camera([500.0, 360.0, 1300.0], [500.0, 360.0, 0.0])),
        ("back", camera([800.0, 1300.0, 500.0], [500.0, 400.0, 0.0])),
    ];
    for (theme, name) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
        let mut scene = Scene::new(15_000, 3.0, 60, theme);
        let mut renderer = renderer(&scene.blocks);
        renderer.set_looks(0, &scene.looks);
        renderer.set_arcs(gpu(), &scene.arcs);
        let district = scene.blocks.iter().find(|block| {
            let extent = block.max - block.min;
            block.level == 2 && extent.x > 80.0 && extent.y > 60.0
        });
        let selected = district.map(|block| block.module);
        for (view, camera) in views {
            scene.label_on_screen(&camera, Vec2::new(1280.0, 720.0), 8);
            renderer.set_labels(gpu(), &scene.flat, &scene.screen);
            for (samples, kind) in [(1, "moving"), (16, "still")] {
                let name = format!("{name}-{view}-{kind}.png");
                if !name.contains(&only) {
                    continue;
                }
                let frame = Frame {
                    size: [1280, 720],
                    selected: [selected, None],
                    ..frame(camera, theme, samples)
                };
                let image = draw(&mut renderer, &frame);
                image.write_png(&folder.join(name)).expect("a file");
            }
        }
    }
}

//! Pictures and models without a window, from the library and from the command line.

use callscape::analysis::session::Session;
use callscape::app::headless::{PictureSettings, Studio, Viewpoint};
use callscape::look::image::Image;
use callscape::look::quality::Quality;
use callscape::model::moment::Moment;
use callscape::units::ModuleId;

use super::{moment, session, settings};
use crate::common::callscape;

fn picture(session: &Session, at: Option<Moment>, size: [u32; 2]) -> Option<Image> {
    let settings = PictureSettings {
        size,
        landscape: settings(),
        level: None,
        viewpoint: Viewpoint::default(),
        quality: Quality {
            samples: 4,
            ..Quality::default()
        },
        legend: false,
    };
    match Studio::new(session, &settings) {
        Ok(mut studio) => Some(studio.picture(at).expect("a picture")),
        Err(error) => {
            eprintln!("left out: {error}");
            None
        }
    }
}

fn count(image: &Image, is_wanted: impl Fn([u8; 3]) -> bool) -> usize {
    let pixels = image.rgba.chunks_exact(4);
    pixels
        .filter(|pixel| is_wanted([pixel[0], pixel[1], pixel[2]]))
        .count()
}

/// Amber to red, as only activity, and the callee's end of relations, are.
fn is_warm([r, _, b]: [u8; 3]) -> bool {
    r > 170 && b < r / 2
}

#[test]
fn a_picture_shows_the_city_its_names_and_what_runs() {
    let session = session(9);
    let size = [960, 600];
    let Some(still) = picture(&session, None, size) else {
        return;
    };
    let all = (size[0] * size[1]) as usize;
    assert_eq!(count(&still, is_warm), 0, "nothing runs");
    let dark = count(&still, |[r, g, b]| r.max(g).max(b) < 110);
    assert!(dark > 60, "letters: {dark} dark pixels");
    assert!(dark < all / 20, "letters only: {dark} dark pixels");
    let playing = picture(&session, moment(500_000), size).expect("as before");
    let warm = count(&playing, is_warm);
    assert!(warm > all / 1000, "{warm} warm pixels of {all}");
}

#[test]
fn the_same_moment_gives_the_same_bytes() {
    let session = session(10);
    let first = picture(&session, moment(400_000), [200, 320]);
    assert_eq!(first, picture(&session, moment(400_000), [200, 320]));
}

#[test]
fn render_refuses_what_it_cannot_do_before_it_works() {
    let refused = |arguments: &[&str]| {
        let output = callscape().arg("render").args(arguments).output();
        let output = output.expect("the program starts");
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), message)
    };
    let here = env!("CARGO_MANIFEST_DIR");
    let source = format!("{here}/src/layout");
    let nowhere = format!("{here}/no such folder/city.png");
    let (code, message) = refused(&[&source, "-o", &nowhere]);
    assert_eq!(code, Some(1));
    assert!(message.contains("cannot write"), "{message}");
    assert_eq!(refused(&[&source, "-o", here]).0, Some(1), "a directory");
    assert_eq!(refused(&[&source, "-o", "city.jpeg"]).0, Some(1));
    let wrong_usage: [&[&str]; 5] = [
        &[&source],
        &[&source, "-o", "a.png", "--size", "0x10"],
        &[&source, "-o", "a.png", "--at", "yesterday"],
        &[&source, "-o", "a.png", "--frames", "3", "--at", "1s"],
        &[&source, "-o", "a.png", "--distance", "-4"],
    ];
    for arguments in wrong_usage {
        assert_eq!(refused(arguments).0, Some(2), "{arguments:?}");
    }
    let target = std::env::temp_dir().join(format!("callscape-refused-{}.png", std::process::id()));
    let target = target.to_string_lossy();
    let (code, message) = refused(&[&source, "-o", &target, "--at", "1s"]);
    assert_eq!(
        (code, message.contains("recording")),
        (Some(1), true),
        "{message}"
    );
    let (code, message) = refused(&[&source, "-o", &target, "--focus", "treemap/squarify"]);
    assert_eq!(code, Some(1));
    assert!(message.contains("treemap/squarify.rs"), "{message}");
}

/// A studio with a legend and, where one is asked for, with a module outlined; none without a device.
fn studio<'a>(
    session: &'a Session,
    size: [u32; 2],
    samples: u32,
    focus: Option<ModuleId>,
) -> Option<Studio<'a>> {
    let settings = PictureSettings {
        size,
        landscape: settings(),
        level: None,
        viewpoint: Viewpoint {
            focus,
            ..Viewpoint::default()
        },
        quality: Quality {
            samples,
            ..Quality::default()
        },
        legend: true,
    };
    Studio::new(session, &settings).ok()
}

#[test]
fn a_picture_in_tiles_is_the_picture() {
    let session = session(9);
    for samples in [1, 5] {
        let Some(mut studio) = studio(&session, [500, 430], samples, Some(ModuleId(3))) else {
            return;
        };
        let whole = studio.picture(moment(500_000)).expect("a picture");
        studio.set_tile([173, 97]);
        let tiled = studio.picture(moment(500_000)).expect("a picture");
        assert_eq!((tiled.width, tiled.height), (whole.width, whole.height));
        let pairs = whole.rgba.iter().zip(&tiled.rgba);
        let apart = pairs.clone().filter(|(a, b)| a.abs_diff(**b) > 1).count();
        // Edges that run exactly through the middle of pixels round to either side.
        assert!(apart * 5_000 < whole.rgba.len(), "{apart} parts of pixels");
        let seam = |x: u32, y: u32| {
            let at = (y as usize * whole.width as usize + x as usize) * 4;
            (0..3).all(|part| whole.rgba[at + part].abs_diff(tiled.rgba[at + part]) <= 2)
        };
        let off = (0..430).filter(|&y| !seam(172, y) || !seam(173, y)).count();
        assert!(off < 3, "{off} pixels differ along a seam");
    }
}

#[test]
fn without_a_ground_only_what_is_built_and_its_shadows_cover() {
    let session = session(9);
    let Some(mut studio) = studio(&session, [480, 320], 4, None) else {
        return;
    };
    let [width, height] = [480usize, 320];
    let opaque = studio.picture(moment(500_000)).expect("a picture");
    assert!(opaque.rgba.chunks_exact(4).all(|pixel| pixel[3] == 255));
    studio.set_transparent(true);
    let clear = studio.picture(moment(500_000)).expect("a picture");
    let pixel = |image: &Image, x: usize, y: usize| -> [u8; 4] {
        let at = (y * width + x) * 4;
        [0, 1, 2, 3].map(|part| image.rgba[at + part])
    };
    assert_eq!(pixel(&clear, 2, 2), [0; 4], "far from the city");
    let mut covered = 0;
    for y in 0..height {
        for x in 0..width {
            let (a, b) = (pixel(&opaque, x, y), pixel(&clear, x, y));
            if b[3] == 255 {
                covered += 1;
                let apart = (0..3).map(|part| a[part].abs_diff(b[part])).max();
                assert!(apart <= Some(1), "{x}, {y}: {a:?} and {b:?}");
            }
        }
    }
    assert!(covered > width * height / 4, "{covered} pixels");
    // The shadow at its foot is a veil.
    let veil = clear
        .rgba
        .chunks_exact(4)
        .filter(|it| (1..255).contains(&it[3]));
    assert!(veil.count() > 100);
}

#[test]
fn pictures_have_names_unless_told_otherwise() {
    let session = session(9);
    let Some(mut studio) = studio(&session, [640, 400], 2, None) else {
        return;
    };
    let named = studio.picture(None).expect("a picture");
    studio.set_labels(false);
    let plain = studio.picture(None).expect("a picture");
    let pairs = named.rgba.chunks_exact(4).zip(plain.rgba.chunks_exact(4));
    let ink = pairs
        .filter(|(a, b)| a[0].saturating_add(40) < b[0])
        .count();
    assert!(ink > 20, "{ink} pixels of letters");
}

#[test]
fn pictures_and_models_are_written_from_the_command_line() {
    let folder = crate::common::Scratch::new("models");
    let source = crate::common::data("window/source");
    let out = |name: &str| folder.0.join(name);
    let run = |arguments: &[&str], name: &str| {
        let output = callscape()
            .arg("render")
            .arg(&source)
            .args(arguments)
            .arg("-o")
            .arg(out(name))
            .output()
            .expect("the program is built");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), said)
    };
    let (code, said) = run(&["--color", "loc", "--highlight", "loc:2.."], "city.glb");
    assert_eq!(code, Some(0), "{said}");
    let bytes = std::fs::read(out("city.glb")).expect("it was written");
    assert_eq!(&bytes[..4], b"glTF");
    assert_eq!(
        bytes.len() as u64,
        std::fs::metadata(out("city.glb")).expect("there").len()
    );
    for (arguments, name) in [
        (&["--view", "mural"][..], "city.glb"),
        (&["--highlight", "loc:9..2"], "city.png"),
        (&["--highlight", "beauty:1..2"], "city.png"),
        (&["--size", "16385x10"], "city.png"),
        (&[], "city.obj"),
    ] {
        let (code, said) = run(arguments, name);
        assert!(matches!(code, Some(1 | 2)), "{arguments:?}: {said}");
        assert!(!said.contains("panicked"), "{said}");
    }
    let (code, said) = run(
        &[
            "--camera",
            "iso",
            "--transparent",
            "--no-labels",
            "--size",
            "90x60",
        ],
        "a.png",
    );
    assert_eq!(code, Some(0), "{said}");
    let image = crate::render::read_png(&out("a.png"));
    assert_eq!(image.rgba[..4], [0; 4]);
    let left = std::fs::read_dir(&folder.0).expect("it is there").count();
    assert_eq!(left, 2, "nothing half-written stays");
}

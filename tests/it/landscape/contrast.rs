//! Letters in pictures of the landscape, held against what is drawn below them.

use callscape::analysis::session::{Inputs, Session};
use callscape::app::headless::{PictureSettings, Studio, moment_at};
use callscape::filter::cut::Cut;
use callscape::layout::geometry::FlatLabel;
use callscape::layout::labels::text;
use callscape::look::camera::Camera;
use callscape::look::image::Image;
use callscape::look::quality::Quality;
use callscape::look::theme::decoded;
use callscape::model::arcs::ArcMode;
use callscape::model::landscape::LandscapeSettings;
use callscape::model::theme::Theme;
use callscape::progress::Progress;
use callscape::state::city::City;
use callscape::state::viewpoint::Viewpoint;
use callscape::units::{Cost, Time};
use glam::{Vec2, Vec3};

use super::frame::label;
use crate::common::data;

/// The least contrast (Web Content Accessibility Guidelines 2.2, criterion 1.4.3), less what the rounding of colours and
/// the grain of light take, and the share of names on what glows or not that may have less, for light that is uneven
/// below one.
const LEAST: f32 = 4.4;
const PALE: f32 = 0.02;

/// Letters lower than this have no pixel that is all ink.
const LEAST_EM: f32 = 15.0;

fn luminance(image: &Image, x: u32, y: u32) -> f32 {
    let at = (y * image.width + x) as usize * 4;
    let [r, g, b] = [0, 1, 2].map(|part| decoded(image.rgba[at + part]));
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// The contrast of a name on the ground, `with` it and `without`; none for one that lies at the edge of the picture.
fn contrast(
    (camera, rise): (&Camera, f32),
    label: &FlatLabel,
    [with, without]: [&Image; 2],
) -> Option<f32> {
    let size = Vec2::new(with.width as f32, with.height as f32);
    let low = label.origin + Vec3::Z * rise;
    let width = text::width(&label.text) * label.em;
    let corners = [
        low,
        low + label.right * width,
        low + label.up * (label.em * 0.7),
    ];
    let [a, b, c] = corners.map(|at| camera.project(at, size));
    let (a, b, c) = (a?, b?, c?);
    let (min, max) = (a.min(b).min(c).floor(), a.max(b).max(c).ceil());
    if min.cmplt(Vec2::ZERO).any() || max.cmpge(size).any() || a.y - c.y < 0.6 * LEAST_EM {
        return None;
    }
    let columns = min.x as u32..max.x as u32;
    let pixels = columns.flat_map(|x| (min.y as u32..max.y as u32).map(move |y| (x, y)));
    let ink = pixels.map(|(x, y)| [with, without].map(|image| luminance(image, x, y) + 0.05));
    let ratios = ink.map(|[ink, ground]| ink.max(ground) / ink.min(ground));
    ratios.reduce(f32::max)
}

#[test]
fn names_on_what_glows_keep_their_contrast_in_both_themes() {
    let inputs = Inputs {
        recordings: vec![data("import/orders.viztracer.json")],
        ..Inputs::default()
    };
    let session = Session::open(&inputs, &Progress::new()).expect("a recording");
    let end = session.recordings[0].recording.trace.duration().ns();
    for theme in [Theme::Light, Theme::Dark] {
        let settings = PictureSettings {
            size: [1600, 1000],
            landscape: LandscapeSettings {
                theme,
                arcs: ArcMode::None,
                half_life: Cost::from_ns(end / 40),
                ..LandscapeSettings::default()
            },
            level: None,
            viewpoint: Viewpoint::default(),
            quality: Quality::LOW,
            legend: false,
        };
        let mut studio = match Studio::new(&session, &settings) {
            Ok(studio) => studio,
            Err(error) => return eprintln!("left out: {error}"),
        };
        let mut city = City::new(&session, &settings.landscape, &Cut::all());
        let moment = moment_at(&session, 0, Time::from_ns(end / 2));
        city.show(&session, moment);
        let camera = label(&mut city, &session, settings.size);
        let with = studio.picture(moment).expect("a picture");
        studio.set_labels(false);
        let without = studio.picture(moment).expect("a picture");
        let (mut all, mut glowing, mut pale) = (0, 0, Vec::new());
        for label in city.flat_labels().iter().filter(|it| it.opacity > 0.95) {
            let look = city.looks()[label.block as usize];
            let Some(found) = contrast((&camera, look.rise), label, [&with, &without]) else {
                continue;
            };
            all += 1;
            glowing += usize::from(look.glow > 0.1);
            if found < LEAST {
                pale.push((label.text.clone(), look.glow, found));
            }
        }
        println!(
            "{theme:?}: {} of {all} pale, {glowing} glow: {pale:?}",
            pale.len()
        );
        assert!(
            all > 8 && glowing > 1,
            "{all} names, {glowing} on what glows"
        );
        assert!(
            pale.len() as f32 <= PALE * all as f32,
            "{theme:?}: {pale:?}"
        );
    }
}

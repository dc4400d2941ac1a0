//! Sheets as the views draw them: coverage of fills, cells of rasters, letters, order.

use std::sync::OnceLock;

use callscape::layout::curves::Pen;
use callscape::layout::sheet::{Corner, Fill, Mesh, Raster, Rect, Sheet};
use callscape::look::image::Image;
use callscape::look::theme::{encoded, linear};
use callscape::model::theme::Theme;
use callscape::render::gpu::Gpu;
use callscape::render::sheet::SheetRenderer;
use glam::Vec2;

use crate::random::Random;

const SIZE: [u32; 2] = [240, 120];
const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;

fn gpu() -> &'static Gpu {
    static GPU: OnceLock<Gpu> = OnceLock::new();
    GPU.get_or_init(|| Gpu::headless().unwrap_or_else(|error| panic!("{error}")))
}

fn draw(sheet: &Sheet, theme: Theme) -> Image {
    let mut renderer = SheetRenderer::new(gpu(), FORMAT);
    renderer
        .image(gpu(), sheet, SIZE, theme)
        .expect("a picture")
}

fn pixel(image: &Image, x: u32, y: u32) -> [u8; 3] {
    let at = (y * image.width + x) as usize * 4;
    [0, 1, 2].map(|channel| image.rgba[at + channel])
}

fn fill(min: [f32; 2], max: [f32; 2], color: [f32; 4]) -> Fill {
    Fill {
        rect: Rect::new(min.into(), max.into()),
        color,
    }
}

#[test]
fn sheet_fills_cover_what_their_edges_say() {
    for seed in 0..20 {
        let mut random = Random(seed);
        let mut place = |most: u64| random.below(most * 64) as f32 / 64.0 - 8.0;
        let (left, top) = (place(200), place(80));
        let (right, bottom) = (left + place(120).abs(), top + place(70).abs());
        let sheet = Sheet {
            fills: vec![fill([left, top], [right, bottom], [0.0, 0.0, 0.0, 1.0])],
            ..Sheet::default()
        };
        let image = draw(&sheet, Theme::Light);
        for y in 0..SIZE[1] {
            for x in 0..SIZE[0] {
                let along = |low: f32, high: f32, pixel: u32| {
                    (high.min(pixel as f32 + 1.0) - low.max(pixel as f32)).clamp(0.0, 1.0)
                };
                let cover = along(left, right, x) * along(top, bottom, y);
                let expected = encoded(1.0 - cover);
                let found = pixel(&image, x, y)[0];
                // Blending rounds once more than this does.
                assert!(
                    found.abs_diff(expected) <= 2,
                    "seed {seed}, {x} {y}: {found} {expected}"
                );
            }
        }
    }
}

#[test]
fn sheet_rasters_show_the_cell_of_each_pixels_middle() {
    for seed in 0..10 {
        let mut random = Random(seed);
        let size = [1 + random.below(300) as u32, 1 + random.below(60) as u32];
        let cells = size[0] * size[1];
        let pixels = (0..cells).map(|_| {
            let mut channel = || random.below(256) as u8;
            [channel(), channel(), channel(), 255]
        });
        let pixels: Vec<[u8; 4]> = pixels.collect();
        let min = Vec2::new(20.25, 10.5);
        let max = Vec2::new(217.0, 101.75);
        let raster = Raster {
            rect: Rect::new(min, max),
            size,
            pixels: pixels.clone(),
        };
        let sheet = Sheet {
            rasters: vec![raster],
            ..Sheet::default()
        };
        let image = draw(&sheet, Theme::Light);
        for y in 0..SIZE[1] {
            for x in 0..SIZE[0] {
                let middle = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
                let expected = if middle.cmpge(min).all() && middle.cmplt(max).all() {
                    let at =
                        (middle - min) / (max - min) * Vec2::new(size[0] as f32, size[1] as f32);
                    // On the border between two cells either is right.
                    let border = at.fract().min(1.0 - at.fract()).min_element() < 1e-3;
                    if border {
                        continue;
                    }
                    pixels[at.y as usize * size[0] as usize + at.x as usize]
                } else {
                    [255; 4]
                };
                let found = pixel(&image, x, y);
                let is_near = found.iter().zip(expected).all(|(a, b)| a.abs_diff(b) <= 1);
                assert!(is_near, "seed {seed}, {x} {y}: {found:?} {expected:?}");
            }
        }
    }
}

/// How dark all of a picture is together, in pixels of black on white.
fn darkness(image: &Image) -> f32 {
    let pixels = image.rgba.chunks_exact(4);
    pixels
        .map(|it| 1.0 - linear(u32::from_be_bytes([0, it[0], it[1], it[2]]))[0])
        .sum()
}

#[test]
fn sheet_curves_are_as_wide_as_they_say_and_fade_at_their_edges() {
    let black = [0.0, 0.0, 0.0, 1.0];
    let mut pen = Pen::default();
    for seed in 0..12 {
        let mut random = Random(seed);
        let mut sheet = Sheet::default();
        let place = |random: &mut Random, most: u64| 10.0 + random.below(most * 64) as f32 / 64.0;
        let from = Vec2::new(place(&mut random, 40), place(&mut random, 90));
        let to = Vec2::new(from.x + 170.0, place(&mut random, 90));
        let width = 0.5 + random.below(5 * 64) as f32 / 64.0;
        pen.line(&mut sheet.mesh, &[from, to], width, [black; 2]);
        let image = draw(&sheet, Theme::Light);
        let (found, expected) = (darkness(&image), width * from.distance(to));
        assert!(
            (found - expected).abs() < 3.0 + 0.04 * expected,
            "seed {seed}: {found} {expected}"
        );
        let greys = image
            .rgba
            .chunks_exact(4)
            .filter(|it| (20..236).contains(&it[0]));
        assert!(greys.count() > 100, "seed {seed}: its edges fade");
    }
    // What comes later lies over what came before, letters over both.
    let mut sheet = Sheet::default();
    let all = Rect::new(Vec2::ZERO, Vec2::new(240.0, 120.0));
    sheet
        .fills
        .push(fill([0.0, 0.0], [240.0, 120.0], [0.0, 0.0, 1.0, 1.0]));
    pen.fill_box(&mut sheet.mesh, all, 0.0, [1.0, 0.0, 0.0, 1.0]);
    pen.fill_box(&mut sheet.mesh, all, 0.0, [0.0, 1.0, 0.0, 1.0]);
    sheet.write("mmmm", Vec2::new(34.0, 60.0), 20.0, black, all);
    let image = draw(&sheet, Theme::Light);
    assert_eq!(pixel(&image, 200, 20), [0, 255, 0]);
    let dark = image.rgba.chunks_exact(4).filter(|it| it[1] < 60);
    assert!(dark.count() > 60);
}

#[test]
fn sheet_triangles_that_are_not_whole_are_left_out() {
    let black = [0.0, 0.0, 0.0, 1.0];
    let corner = |x: f32, y: f32| Corner {
        at: Vec2::new(x, y),
        across: Vec2::new(0.0, 1.0),
        color: black,
    };
    let corners = vec![corner(0.0, 0.0), corner(240.0, 0.0), corner(0.0, 120.0)];
    let mesh = |corners: &[Corner], triangles: &[u32]| Sheet {
        mesh: Mesh {
            corners: corners.to_vec(),
            triangles: triangles.to_vec(),
        },
        ..Sheet::default()
    };
    assert!(darkness(&draw(&mesh(&corners, &[0, 1, 2]), Theme::Light)) > 10_000.0);
    let mut broken = corners.clone();
    broken[1].at.x = f32::NAN;
    for sheet in [
        mesh(&corners, &[0, 1, 3]),
        mesh(&corners, &[0, 1]),
        mesh(&broken, &[0, 1, 2]),
        mesh(&[], &[]),
    ] {
        assert!(darkness(&draw(&sheet, Theme::Light)) < 1.0);
    }
}

#[test]
fn sheet_letters_stay_in_their_clip_and_marks_lie_over_them() {
    let mut sheet = Sheet::default();
    let clip = Rect::new(Vec2::new(30.0, 40.0), Vec2::new(90.0, 80.0));
    let black = [0.0, 0.0, 0.0, 1.0];
    sheet.write("mmmmmmmmmmmmmm", Vec2::new(34.0, 60.0), 20.0, black, clip);
    let image = draw(&sheet, Theme::Light);
    let dark = |image: &Image, x: u32, y: u32| pixel(image, x, y)[0] < 128;
    let mut inside = 0;
    let (mut top, mut bottom) = (SIZE[1], 0);
    for y in 0..SIZE[1] {
        for x in 0..SIZE[0] {
            if dark(&image, x, y) {
                assert!((30..90).contains(&x) && (40..80).contains(&y), "{x} {y}");
                inside += 1;
                (top, bottom) = (top.min(y), bottom.max(y));
            }
        }
    }
    assert!(inside > 100, "{inside}");
    // Small letters stand about the middle of the line.
    assert!(
        (48..60).contains(&top) && (60..72).contains(&bottom),
        "{top} {bottom}"
    );

    sheet
        .marks
        .push(fill([0.0, 0.0], [240.0, 120.0], [1.0, 0.0, 0.0, 1.0]));
    let covered = draw(&sheet, Theme::Light);
    let pixels = covered.rgba.chunks_exact(4);
    assert!(pixels.clone().all(|pixel| pixel == [255, 0, 0, 255]));
}

#[test]
fn sheet_drops_what_cannot_be_drawn_and_draws_the_rest() {
    let nan = f32::NAN;
    let black = [0.0, 0.0, 0.0, 1.0];
    let mut sheet = Sheet {
        fills: vec![
            fill([nan, 0.0], [10.0, 10.0], black),
            fill([20.0, 0.0], [10.0, 10.0], black),
            fill([-1e9, 5.0], [1e9, 6.0], black),
        ],
        rasters: vec![
            Raster {
                rect: Rect::new(Vec2::ZERO, Vec2::splat(9.0)),
                size: [3, 3],
                pixels: Vec::new(),
            },
            Raster::default(),
        ],
        ..Sheet::default()
    };
    sheet.write(
        "x",
        Vec2::splat(f32::INFINITY),
        12.0,
        black,
        Rect::default(),
    );
    let image = draw(&sheet, Theme::Dark);
    assert_eq!(pixel(&image, 3, 5), [0, 0, 0]);
    let ground = linear(0x14171C).map(encoded);
    assert_eq!(pixel(&image, 3, 20), ground);
    assert_eq!(pixel(&image, 5, 3), ground);
}

/// A renderer that is used again draws what a new one draws.
#[test]
fn sheet_renderers_keep_nothing_of_earlier_sheets() {
    let mut renderer = SheetRenderer::new(gpu(), FORMAT);
    let mut random = Random(7);
    for round in 0..12 {
        let mut sheet = Sheet::default();
        for _ in 0..random.below(4) {
            let size = [1 + random.below(3) as u32 * 8, 4];
            let value = random.below(256) as u8;
            let min = Vec2::new(random.below(200) as f32, random.below(90) as f32);
            sheet.rasters.push(Raster {
                rect: Rect::new(min, min + 30.0),
                size,
                pixels: vec![[value, 90, 20, 200]; (size[0] * size[1]) as usize],
            });
        }
        for _ in 0..random.below(40) {
            let min = [random.below(200) as f32, random.below(100) as f32];
            let max = [min[0] + 9.5, min[1] + 3.25];
            sheet.fills.push(fill(min, max, [0.2, 0.4, 0.9, 0.7]));
            let clip = Rect::new(Vec2::ZERO, Vec2::new(240.0, 120.0));
            let name = format!("name {}", random.below(9));
            sheet.write(&name, min.into(), 11.0, [0.1, 0.1, 0.1, 1.0], clip);
            let route = [Vec2::from(min), Vec2::new(120.0, 60.0)];
            Pen::default().route(&mut sheet.mesh, &route, 2.0, [[0.3, 0.1, 0.1, 1.0]; 2]);
        }
        let again = renderer.image(gpu(), &sheet, SIZE, Theme::Light);
        assert_eq!(
            again.expect("a picture"),
            draw(&sheet, Theme::Light),
            "{round}"
        );
    }
}

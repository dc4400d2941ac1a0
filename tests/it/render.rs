//! What the renderer draws, on whatever adapter there is.

use std::path::PathBuf;

use callscape::render::gpu::Gpu;
use callscape::render::renderer::{Frame, Quality, Renderer};
use callscape::render::theme::Theme;

use glam::Vec2;

use crate::scene::Scene;

const FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Rgba8UnormSrgb;

/// Not a check: draws pictures to be looked at into the folder that `CALLSCAPE_PICTURES` names.
#[test]
fn pictures_to_be_looked_at() {
    let Some(folder) = std::env::var_os("CALLSCAPE_PICTURES").map(PathBuf::from) else {
        return;
    };
    let only = std::env::var("CALLSCAPE_PICTURE").unwrap_or_default();
    let gpu = Gpu::headless().expect("an adapter");
    let mut renderer = Renderer::new(&gpu, FORMAT);
    for (theme, name) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
        let mut scene = Scene::new(15_000, 3.0, 60, theme);
        renderer.set_blocks(&gpu, &scene.blocks);
        renderer.set_looks(&gpu, 0, &scene.looks);
        renderer.set_arcs(&gpu, &scene.arcs);
        for (camera, view) in [
            (Scene::overview(), "overview"),
            (Scene::close_up(), "close"),
            (Scene::street(), "street"),
            (Scene::above(), "above"),
        ] {
            scene.label_on_screen(&camera, Vec2::new(1280.0, 720.0), 8);
            renderer.set_labels(&gpu, &scene.flat, &scene.screen);
            for (samples, kind) in [(1, "moving"), (16, "still")] {
                let name = format!("{name}-{view}-{kind}.png");
                if !name.contains(&only) {
                    continue;
                }
                let frame = Frame {
                    camera,
                    size: [1280, 720],
                    theme,
                    hovered: None,
                    selected: Some(scene.district()),
                    quality: Quality {
                        samples,
                        shade: true,
                    },
                };
                let start = std::time::Instant::now();
                let image = renderer.image(&gpu, &frame).expect("a picture");
                println!("{name} {:?}", start.elapsed());
                image.write_png(&folder.join(name)).expect("a file");
            }
        }
    }
}

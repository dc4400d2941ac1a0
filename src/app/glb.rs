//! The landscape as a model for other programs.

use std::path::Path;

use serde_json::json;

use callscape_analysis::session::Session;
use callscape_base::progress::Progress;
use callscape_export::ExportError;
use callscape_export::glb::{self, Solid};
use callscape_layout::geometry::BlockKind;
use callscape_look::theme::Palette;
use callscape_state::city::City;

/// Writes the blocks of `view` as they look now, as glTF; see [`glb`].
pub fn write(
    session: &Session,
    view: &City,
    path: &Path,
    progress: &Progress,
) -> Result<(), ExportError> {
    let settings = view.settings();
    let palette = Palette::of(settings.theme);
    let levels = view.levels();
    let mix = |a: [f32; 3], b: [f32; 3], share: f32| -> [f32; 3] {
        let share = share.clamp(0.0, 1.0);
        std::array::from_fn(|part| a[part] + (b[part] - a[part]) * share)
    };
    let solids = view.blocks().iter().zip(view.looks());
    let solids = solids.map(|(block, look)| {
        let neutral = mix(
            palette.root,
            palette.deepest,
            f32::from(block.level) / levels,
        );
        let [r, g, b, strength] = look.data;
        let mut color = mix(neutral, [r, g, b], strength);
        if block.kind != BlockKind::Terrace && look.glow > 0.0 {
            let activity = mix(palette.warm, palette.hot, look.glow);
            color = mix(color, activity, look.glow * 4.0);
        }
        Solid {
            module: block.module,
            low: block.min.to_array(),
            high: [block.max.x, block.max.y, block.max.z + look.rise],
            color,
            end: block.subtree_end,
        }
    });
    let solids: Vec<Solid> = solids.collect();
    let measure = view.metrics().measure();
    let about = json!({
        "area": measure.title(settings.area),
        "height": settings.height.map_or("level of the hierarchy".to_owned(), |it| measure.title(it)),
        "color": settings.surface.name(),
        "unit": "a metre is 1000 units of the landscape",
    });
    glb::to_file(&session.hierarchy, &solids, about, path, progress)
}

//! Colour by data: languages by hue, metrics by a single map of rising strength.

use super::LandscapeSettings;
use crate::facts::hierarchy::Hierarchy;
use crate::layout::geometry::{Block, BlockKind, Color};
use crate::render::theme::{Theme, linear};
use crate::views::metrics::{Metric, ModuleMetrics};

/// What the colour of the blocks says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Surface {
    /// Level of the hierarchy by lightness alone.
    #[default]
    Neutral,
    Language,
    /// On a logarithmic scale.
    Metric(Metric),
}

/// Hues that colour-blind people tell apart (after Okabe and Ito, 2008), muted.
const LANGUAGES: [u32; 8] = [
    0x4C8DBF, 0xD9A441, 0x4BA58A, 0xC77BA3, 0xC9694B, 0x7FB5D6, 0xA7A04A, 0x8A7FBF,
];

/// Equal steps in lightness from barely different from the neutral to strong.
const LIGHT_MAP: [u32; 5] = [0xD7E3EE, 0xA6CBE0, 0x66A9CF, 0x2F7FB8, 0x0F4C8A];
const DARK_MAP: [u32; 5] = [0x2C4A63, 0x2F6A94, 0x3E8FC0, 0x74B8DE, 0xBFE3F6];

/// The data colour of every block; alpha zero where there is nothing to say.
pub(super) fn colors(
    settings: &LandscapeSettings,
    hierarchy: &Hierarchy,
    metrics: &ModuleMetrics,
    blocks: &[Block],
) -> Vec<Color> {
    match settings.surface {
        Surface::Neutral => vec![Color::default(); blocks.len()],
        Surface::Language => languages(hierarchy, blocks),
        Surface::Metric(metric) => {
            let values = metrics.values(hierarchy, metric);
            by_metric(settings.theme, &values, blocks)
        }
    }
}

/// The languages of a hierarchy, the one with most modules first: its place is its colour.
fn languages(hierarchy: &Hierarchy, blocks: &[Block]) -> Vec<Color> {
    let mut counts = std::collections::BTreeMap::<&str, usize>::new();
    for id in hierarchy.modules() {
        *counts.entry(hierarchy.module(id).language).or_default() += 1;
    }
    counts.remove("");
    let mut ranked: Vec<(&str, usize)> = counts.into_iter().collect();
    ranked.sort_by_key(|&(name, count)| (std::cmp::Reverse(count), name));
    let color = |block: &Block| {
        let language = hierarchy.module(block.module).language;
        let rank = ranked.iter().position(|&(name, _)| name == language)?;
        let [r, g, b] = linear(*LANGUAGES.get(rank)?);
        let strength = if block.kind == BlockKind::Terrace {
            0.35
        } else {
            0.75
        };
        Some([r, g, b, strength])
    };
    blocks
        .iter()
        .map(|block| color(block).unwrap_or_default())
        .collect()
}

fn by_metric(theme: Theme, values: &[f64], blocks: &[Block]) -> Vec<Color> {
    let solid = blocks
        .iter()
        .filter(|block| block.kind != BlockKind::Terrace);
    let largest = solid
        .filter_map(|block| values.get(block.module.index()))
        .fold(0.0f64, |largest, &value| largest.max(value));
    let map = match theme {
        Theme::Light => LIGHT_MAP,
        Theme::Dark => DARK_MAP,
    };
    let color = |block: &Block| {
        let value = *values.get(block.module.index())?;
        if block.kind == BlockKind::Terrace || value <= 0.0 {
            return None;
        }
        let share = (value.ln_1p() / largest.ln_1p()).clamp(0.0, 1.0) as f32;
        let [r, g, b] = mapped(&map, share);
        Some([r, g, b, 1.0])
    };
    blocks
        .iter()
        .map(|block| color(block).unwrap_or_default())
        .collect()
}

/// The colour at `share` (0 to 1) of a map of equally spaced colours.
fn mapped(map: &[u32; 5], share: f32) -> [f32; 3] {
    let at = share * 4.0;
    let first = (at as usize).min(3);
    let t = at - first as f32;
    let (a, b) = (linear(map[first]), linear(map[first + 1]));
    std::array::from_fn(|i| a[i] + (b[i] - a[i]) * t)
}

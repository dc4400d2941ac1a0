//! Colour by data: languages by hue, metrics by a single map of rising strength, and what its colours mean.

use callscape_analysis::session::Session;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};
use callscape_facts::kinds::Purpose;
use callscape_layout::geometry::{Block, BlockKind, Color};
use callscape_layout::hues::Hues;
use callscape_look::ink::{Ink, diverging};
use callscape_look::theme::linear;
use callscape_model::landscape::LandscapeSettings;
use callscape_model::measure::Measure;
use callscape_model::metric::{Metric, Unit};
use callscape_model::metrics::ModuleMetrics;
use callscape_model::surface::{Scale, Surface};
use callscape_model::theme::Theme;

/// How many bars the distribution of values is shown in.
pub const BARS: usize = 24;

/// The smallest value on a logarithmic scale is at least this part of the largest.
const LOG_RANGE: f64 = 1e-7;

/// What the colours of a metric mean: which values stand where, and how many blocks there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColorScale {
    pub metric: Option<Metric>,
    /// Shares are never spread by their logarithm.
    pub scale: Scale,
    /// The values of the blocks that have one, in rising order; at most [`SAMPLES`] of them, evenly taken.
    values: Vec<f64>,
    /// By bar, how many blocks have a value there.
    pub bars: [u32; BARS],
    /// Blocks without a value: they are neutral.
    pub without: u32,
    measure: Measure,
}

/// Where on the map of colours zero stands that says something.
const LEAST_KNOWN: f32 = 0.2;

/// Quantiles need no more values than this.
const SAMPLES: usize = 4096;

impl ColorScale {
    /// The scale of these values.
    pub(super) fn new(
        metric: Metric,
        scale: Scale,
        measure: Measure,
        values: impl Iterator<Item = f64>,
    ) -> ColorScale {
        let mut all = 0;
        let counted = values.inspect(|_| all += 1);
        let mut known: Vec<f64> = counted.filter(|value| metric.is_known(*value)).collect();
        known.sort_unstable_by(f64::total_cmp);
        let scale = match (metric.unit(), scale) {
            (Unit::Percent, Scale::Log) => Scale::Linear,
            (_, scale) => scale,
        };
        let mut color = ColorScale {
            metric: Some(metric),
            scale,
            without: u32::try_from(all - known.len()).unwrap_or(u32::MAX),
            measure,
            ..ColorScale::default()
        };
        let count = known.len();
        color.values = if count <= SAMPLES {
            known.clone()
        } else {
            // The first and the last are among them: they are the ends of the scale.
            let at = |sample: usize| known[sample * (count - 1) / (SAMPLES - 1)];
            (0..SAMPLES).map(at).collect()
        };
        for value in known {
            let bar = (color.share(value) * BARS as f32) as usize;
            color.bars[bar.min(BARS - 1)] += 1;
        }
        color
    }

    /// Whether there is anything to show.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    fn ends(&self) -> (f64, f64) {
        let last = self.values.last().copied().unwrap_or(0.0);
        let first = match self.metric {
            // A file alone is no cycle: where there is one cycle only, it stands out.
            Some(Metric::ImportCycle) => 1.0,
            _ => self.values.first().copied().unwrap_or(0.0),
        };
        match self.scale {
            Scale::Linear if self.metric.map(Metric::unit) == Some(Unit::Percent) => (0.0, 100.0),
            Scale::Linear if self.metric.map(Metric::unit) != Some(Unit::Day) => (0.0, last),
            Scale::Linear | Scale::Quantile => (first, last),
            Scale::Log => {
                let zeros = self.values.partition_point(|&it| it <= 0.0);
                let first = self.values.get(zeros).copied().unwrap_or(0.0);
                (first.max(last * LOG_RANGE), last)
            }
        }
    }

    /// Where on the scale a value stands, 0 to 1.
    pub fn share(&self, value: f64) -> f32 {
        let (low, high) = self.ends();
        let share = match self.scale {
            // Where all have the same none stands out.
            _ if high <= low => 0.0,
            Scale::Linear => (value - low) / (high - low),
            Scale::Log => (value.max(low) / low).ln() / (high / low).ln(),
            Scale::Quantile => {
                // Equal values stand together, in the middle of their share.
                let below = self.values.partition_point(|&it| it < value);
                let up_to = self.values.partition_point(|&it| it <= value);
                let most = self.values.len() - 1;
                0.5 * (below + up_to.max(below + 1) - 1) as f64 / most.max(1) as f64
            }
        };
        share.clamp(0.0, 1.0) as f32
    }

    /// The value that stands at a share of the scale.
    pub fn value_at(&self, share: f32) -> f64 {
        let share = f64::from(share.clamp(0.0, 1.0));
        let (low, high) = self.ends();
        match self.scale {
            _ if high <= low => high,
            // Where there is zero, it stands at the least that is more.
            Scale::Log if share <= 0.0 && self.values.first() == Some(&0.0) => 0.0,
            Scale::Linear => low + (high - low) * share,
            Scale::Log => low * (high / low).powf(share),
            Scale::Quantile => {
                let at = share * (self.values.len() - 1) as f64;
                self.values[at.round() as usize]
            }
        }
    }

    /// The values between two shares of the scale, the first and the last of all where they are its ends.
    pub fn range(&self, from: f32, to: f32) -> [f64; 2] {
        let first = self.values.first().copied().unwrap_or(0.0);
        let low = if from <= 0.0 {
            first
        } else {
            self.value_at(from)
        };
        [low, self.value_at(to)]
    }

    /// The linear colour at a share. Where zero says something, it is told from what is not known by its colour.
    pub fn color(&self, theme: Theme, share: f32) -> [f32; 3] {
        let zero_counts = self.metric.is_some_and(|metric| metric.is_known(0.0));
        let least = if zero_counts { LEAST_KNOWN } else { 0.0 };
        color_at(theme, least + (1.0 - least) * share.clamp(0.0, 1.0))
    }

    /// What the values are, with what they count.
    pub fn title(&self) -> String {
        let metric = self.metric.unwrap_or(Metric::LinesOfCode);
        self.measure.title(metric)
    }

    /// A value with its unit.
    pub fn text(&self, value: f64) -> String {
        let metric = self.metric.unwrap_or(Metric::LinesOfCode);
        self.measure.text(metric, value)
    }
}

/// The values of the blocks that are no terraces.
pub(super) fn solid(values: &[f64], blocks: &[Block]) -> impl Iterator<Item = f64> {
    let solid = blocks
        .iter()
        .filter(|block| block.kind != BlockKind::Terrace);
    solid.map(|block| values.get(block.module.index()).copied().unwrap_or(0.0))
}

/// How strong the colours are of what was not written by hand.
const PALE: f32 = 0.25;

/// How many blocks stand out by their value.
const STANDING_OUT: usize = 10;

/// The blocks that have most of what colours say, the most first, each with its name; where two runs differ with the
/// amount behind it.
pub(super) fn standing_out(
    settings: &LandscapeSettings,
    session: &Session,
    metrics: &ModuleMetrics,
    blocks: &[Block],
) -> Vec<(u32, String)> {
    let hierarchy = &session.hierarchy;
    let difference = metrics.difference();
    let difference = difference.filter(|_| settings.surface == Surface::Difference);
    let metric = match difference {
        Some(_) => Some(Metric::Difference),
        None => settings.surface.metric(),
    };
    let Some(metric) = metric else {
        return Vec::new();
    };
    let mut values = metrics.values(hierarchy, metric);
    if difference.is_none() {
        for (id, value) in hierarchy.modules().zip(&mut values) {
            if !hierarchy.file_kind(id).is_by_hand() {
                *value = f64::NAN;
            }
        }
    }
    let found = most(metric, &values, blocks).into_iter();
    let named = found.filter_map(|index| {
        let module = blocks.get(index as usize)?.module;
        let name = session.module_name(module);
        Some(match difference {
            Some(difference) => (index, format!("{name} {}", difference.delta_text(module))),
            None => (index, name.to_owned()),
        })
    });
    named.collect()
}

/// The blocks with the largest values, by their index, the largest first. O(n).
fn most(metric: Metric, values: &[f64], blocks: &[Block]) -> Vec<u32> {
    let mut found: Vec<(f64, u32)> = Vec::new();
    for (index, block) in (0..).zip(blocks) {
        let value = values.get(block.module.index()).copied().unwrap_or(0.0);
        if block.kind == BlockKind::Terrace || !metric.is_known(value) {
            continue;
        }
        // Of equal ones the first stays.
        let place = found.partition_point(|&(other, _)| other >= value);
        if place < STANDING_OUT {
            found.truncate(STANDING_OUT - 1);
            found.insert(place, (value, index));
        }
    }
    // Of more that all have the same none stands out.
    let [first, last] = [found.first(), found.last()].map(|it| it.map(|it| it.0));
    if found.len() == STANDING_OUT && first == last {
        found.clear();
    }
    found.into_iter().map(|(_, index)| index).collect()
}

/// Hues after Okabe and Ito (2008), spread in lightness too: seen with each of three colour-vision deficiencies, as
/// Machado, Oliveira and Fernandes (2009) simulate them, no two are nearer than 0.12 in Oklab.
const LANGUAGES: [u32; 8] = [
    0x64ACFE, 0xDFC75D, 0x179252, 0xE27AAD, 0x984B02, 0xA5CBF8, 0x9BA85D, 0x877CDB,
];

/// Equal steps in lightness from barely different from the neutral to strong.
const LIGHT_MAP: [u32; 5] = [0xD7E3EE, 0xA6CBE0, 0x66A9CF, 0x2F7FB8, 0x0F4C8A];
const DARK_MAP: [u32; 5] = [0x2C4A63, 0x2F6A94, 0x3E8FC0, 0x74B8DE, 0xBFE3F6];

/// The linear colour at a share (0 to 1) of a metric's scale.
pub(crate) fn color_at(theme: Theme, share: f32) -> [f32; 3] {
    let map = match theme {
        Theme::Light => LIGHT_MAP,
        Theme::Dark => DARK_MAP,
    };
    let at = share.clamp(0.0, 1.0) * 4.0;
    let first = (at as usize).min(3);
    let t = at - first as f32;
    let (a, b) = (linear(map[first]), linear(map[first + 1]));
    std::array::from_fn(|i| a[i] + (b[i] - a[i]) * t)
}

/// The data colour of every block, alpha zero where there is nothing to say, and what a metric's colours mean.
pub(super) fn colors(
    settings: &LandscapeSettings,
    hierarchy: &Hierarchy,
    metrics: &ModuleMetrics,
    blocks: &[Block],
) -> (Vec<Color>, ColorScale) {
    match settings.surface {
        Surface::Neutral => (vec![Color::default(); blocks.len()], ColorScale::default()),
        Surface::District => {
            let colors = by_district(settings.theme, hierarchy, blocks);
            (colors, ColorScale::default())
        }
        Surface::Language => (by_language(hierarchy, blocks), ColorScale::default()),
        Surface::Purpose => (by_purpose(hierarchy, blocks), ColorScale::default()),
        Surface::Person => {
            let color = |block: &Block| {
                let is_shown = block.kind != BlockKind::Terrace;
                person_color(metrics.main_person(block.module).filter(|_| is_shown))
            };
            (blocks.iter().map(color).collect(), ColorScale::default())
        }
        Surface::Difference => {
            let color = |block: &Block| {
                let strength = metrics.difference()?.strength(block.module);
                let is_shown = block.kind != BlockKind::Terrace && strength != 0.0;
                let [r, g, b] = diverging(settings.theme, strength);
                is_shown.then_some([r, g, b, 1.0])
            };
            let colors = blocks.iter().map(|block| color(block).unwrap_or_default());
            (colors.collect(), ColorScale::default())
        }
        Surface::Metric(metric) => {
            let values = metrics.values(hierarchy, metric);
            let measure = metrics.measure();
            let scale = ColorScale::new(metric, settings.scale, measure, solid(&values, blocks));
            let mut colors = by_metric(settings.theme, &values, &scale, blocks);
            pale(hierarchy, blocks, &mut colors);
            (colors, scale)
        }
    }
}

/// The languages of a hierarchy that have a colour, the one with most modules first, and their linear colours.
pub fn languages(hierarchy: &Hierarchy) -> Vec<(&str, [f32; 3])> {
    let mut counts = std::collections::BTreeMap::<&str, usize>::new();
    for id in hierarchy.modules() {
        *counts.entry(hierarchy.module(id).language).or_default() += 1;
    }
    counts.remove("");
    let mut ranked: Vec<(&str, usize)> = counts.into_iter().collect();
    ranked.sort_by_key(|&(name, count)| (std::cmp::Reverse(count), name));
    let ranked = ranked.into_iter().zip(LANGUAGES);
    ranked
        .map(|((name, _), color)| (name, linear(color)))
        .collect()
}

/// The hues of the views along time, so that what is seen there is recognised here. Terraces show them fainter:
/// their level is told by lightness.
fn by_district(theme: Theme, hierarchy: &Hierarchy, blocks: &[Block]) -> Vec<Color> {
    let (hues, tones) = (Hues::new(hierarchy), Ink::of(theme).tones);
    let colors = blocks.iter().map(|block| {
        let [r, g, b, _] = hues.color(hierarchy, block.module, &tones);
        let strength = match (block.kind, block.module) {
            (_, ModuleId::ROOT) => return Color::default(),
            (BlockKind::Terrace, _) => 0.45,
            _ => 1.0,
        };
        [r, g, b, strength]
    });
    colors.collect()
}

fn by_language(hierarchy: &Hierarchy, blocks: &[Block]) -> Vec<Color> {
    let ranked = languages(hierarchy);
    let color = |block: &Block| {
        let language = hierarchy.module(block.module).language;
        let (_, [r, g, b]) = *ranked.iter().find(|(name, _)| *name == language)?;
        let strength = if block.kind == BlockKind::Terrace {
            0.35
        } else {
            0.75
        };
        Some([r, g, b, strength])
    };
    let colors = blocks.iter().map(|block| color(block).unwrap_or_default());
    colors.collect()
}

/// The colour of the person at a place among [`ModuleMetrics::people`]; none for others.
pub(super) fn person_color(place: Option<usize>) -> Color {
    let hue = place.and_then(|place| LANGUAGES.get(place));
    hue.map_or(Color::default(), |&hue| {
        let [r, g, b] = linear(hue);
        [r, g, b, 0.75]
    })
}

/// The linear colours of the people who changed most, in their order.
pub fn people_colors() -> impl Iterator<Item = [f32; 3]> {
    LANGUAGES.into_iter().map(linear)
}

/// What files are for, as far as any has that purpose, and the linear colour of each.
pub fn purposes(hierarchy: &Hierarchy) -> Vec<(Purpose, [f32; 3])> {
    let mut is_there = [false; Purpose::ALL.len()];
    for id in hierarchy.modules() {
        if hierarchy.kind(id) == ModuleKind::File {
            is_there[hierarchy.file_kind(id).purpose as usize] = true;
        }
    }
    let all = Purpose::ALL.into_iter().zip(LANGUAGES);
    let there = all.filter(|&(purpose, _)| is_there[purpose as usize]);
    there
        .map(|(purpose, color)| (purpose, linear(color)))
        .collect()
}

/// The hue of the purpose; neutral where files were not written by hand, or differ.
fn by_purpose(hierarchy: &Hierarchy, blocks: &[Block]) -> Vec<Color> {
    let color = |block: &Block| {
        let kind = hierarchy.file_kind(block.module);
        if block.kind == BlockKind::Terrace || !kind.is_by_hand() {
            return Color::default();
        }
        let [r, g, b] = linear(LANGUAGES[kind.purpose as usize]);
        [r, g, b, 0.75]
    };
    blocks.iter().map(color).collect()
}

/// What was not written by hand stands back: its colours are pale.
fn pale(hierarchy: &Hierarchy, blocks: &[Block], colors: &mut [Color]) {
    for (block, color) in blocks.iter().zip(colors) {
        if !hierarchy.file_kind(block.module).is_by_hand() {
            color[3] *= PALE;
        }
    }
}

fn by_metric(theme: Theme, values: &[f64], scale: &ColorScale, blocks: &[Block]) -> Vec<Color> {
    let metric = scale.metric.unwrap_or(Metric::LinesOfCode);
    let color = |block: &Block| {
        let value = *values.get(block.module.index())?;
        if block.kind == BlockKind::Terrace || !metric.is_known(value) {
            return None;
        }
        let [r, g, b] = scale.color(theme, scale.share(value));
        Some([r, g, b, 1.0])
    };
    let colors = blocks.iter().map(|block| color(block).unwrap_or_default());
    colors.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec3;

    fn blocks(count: u32) -> Vec<Block> {
        let block = |module| Block {
            module: ModuleId(module),
            kind: BlockKind::Leaf,
            level: 1,
            min: Vec3::ZERO,
            max: Vec3::ONE,
            subtree_end: module + 1,
        };
        (0..count).map(block).collect()
    }

    #[test]
    fn a_scale_and_its_inverse_agree_and_every_block_is_counted() {
        for count in [1, 2, 7, 10_000] {
            let values: Vec<f64> = (0..count).map(|i| f64::from(i * i % 977)).collect();
            for scale in Scale::ALL {
                let color = ColorScale::new(
                    Metric::Calls,
                    scale,
                    Measure::default(),
                    solid(&values, &blocks(count)),
                );
                let counted: u32 = color.bars.iter().sum();
                assert_eq!(counted + color.without, count);
                if color.is_empty() {
                    continue;
                }
                let mut last = 0.0f32;
                for step in 0..=20 {
                    let share = step as f32 / 20.0;
                    let again = color.share(color.value_at(share));
                    assert!(again >= last - 1e-4, "{scale:?} {share} {again}");
                    last = again;
                    if scale != Scale::Quantile && color.ends().0 < color.ends().1 {
                        assert!((again - share).abs() < 1e-3, "{scale:?} {share} {again}");
                    }
                }
                let largest = values.iter().copied().fold(0.0, f64::max);
                assert_eq!(color.value_at(1.0), largest);
            }
        }
    }

    #[test]
    fn those_with_most_stand_out_the_most_first() {
        let values: Vec<f64> = (0..100).map(|i| f64::from(i * 37 % 101)).collect();
        let mut expected: Vec<u32> = (0..100).collect();
        expected.sort_by(|&a, &b| values[b as usize].total_cmp(&values[a as usize]));
        assert_eq!(
            most(Metric::Calls, &values, &blocks(100)),
            expected[..STANDING_OUT]
        );
        assert_eq!(
            most(Metric::Calls, &[0.0, f64::NAN, 2.0, 2.0], &blocks(4)),
            [2, 3]
        );
        assert_eq!(most(Metric::Calls, &[3.0; 30], &blocks(30)), [0_u32; 0]);
    }

    #[test]
    fn quantiles_split_the_blocks_evenly() {
        let values: Vec<f64> = (1..=2400).map(|i| f64::from(i).powi(3)).collect();
        let measure = Measure::default();
        let color = ColorScale::new(
            Metric::Calls,
            Scale::Quantile,
            measure,
            solid(&values, &blocks(2400)),
        );
        for bar in color.bars {
            assert!((95..=105).contains(&bar), "{:?}", color.bars);
        }
    }
}

//! What stands on a block as one even surface: its mean height and colour, for where it is too small to be told
//! apart.

use super::records::{gpu, half_value, halves};
use callscape_base::units::ModuleId;
use callscape_layout::geometry::{Block, BlockKind};

/// On what nothing stands nothing is merged: no pixel is so wide.
const WIDE: f32 = 60_000.0;

/// Margins and gaps lie lower than what stands between them, in its shade.
const GAPS: f32 = 0.75;

/// Writes for each block the place of the one that it stands on. O(n).
pub(super) fn set_parents(records: &mut [gpu::Block], blocks: &[Block]) {
    // The blocks whose subtrees are being filled, and where these end.
    let mut open: Vec<(u32, u32)> = Vec::new();
    for ((place, block), record) in (0u32..).zip(blocks).zip(records) {
        while open.pop_if(|&mut (_, end)| end <= place).is_some() {}
        record.parent = open.last().map_or(place, |&(parent, _)| parent);
        open.push((place, block.subtree_end));
    }
}

/// The glow of what does not rise: what rises is never merged, and terraces only pass on that something on them runs.
pub(super) fn flat_glow(is_terrace: bool, look: &gpu::Look) -> f32 {
    if is_terrace || look.rise > 0.0 {
        0.0
    } else {
        look.glow
    }
}

fn is_terrace(record: &gpu::Block) -> bool {
    record.level_kind >> 16 == BlockKind::Terrace as u32
}

/// Sums over a footprint.
#[derive(Clone, Copy, Default)]
struct Sum {
    area: f32,
    top: f32,
    side: f32,
    level: f32,
    glow: f32,
    data: [f32; 4],
}

impl Sum {
    fn add(&mut self, other: &Sum, by: f32) {
        self.area += other.area * by;
        self.top += other.top * by;
        self.level += other.level * by;
        self.glow += other.glow * by;
        for (sum, data) in self.data.iter_mut().zip(other.data) {
            *sum += data * by;
        }
    }
}

/// A terrace whose children are being summed up.
struct Open {
    place: usize,
    end: u32,
    own: Sum,
    children: Sum,
}

/// Finds the means of all blocks; `modules` has for each one past the last block of its subtree, `levels` the
/// steps from the root's lightness to the deepest. O(n), and no new memory the second time.
pub(super) fn find(
    records: &[gpu::Block],
    modules: &[(ModuleId, u32)],
    looks: &[gpu::Look],
    levels: f32,
    means: &mut Vec<gpu::Merged>,
) {
    means.clear();
    means.resize(records.len(), gpu::Merged::default());
    let mut open: Vec<Open> = Vec::with_capacity(32);
    for (place, ((record, look), &(_, end))) in records.iter().zip(looks).zip(modules).enumerate() {
        while let Some(done) = open.pop_if(|open| open.end as usize <= place) {
            close(done, &mut open, means);
        }
        let extent = [0, 1].map(|axis| (record.high[axis] - record.low[axis]).max(0.0));
        let side = extent[0].min(extent[1]);
        let area = extent[0] * extent[1];
        let own = surface(
            record,
            look,
            levels,
            if area.is_finite() { area } else { 0.0 },
        );
        if end as usize > place + 1 {
            open.push(Open {
                place,
                end,
                own,
                children: Sum::default(),
            });
            if let [.., parent, _] = &mut open[..] {
                parent.children.side += side * own.area;
            }
        } else {
            means[place] = record_of(&own, own.area, WIDE, record.high[2]);
            if let Some(parent) = open.last_mut() {
                parent.children.add(&own, 1.0);
                parent.children.side += side * own.area;
            }
        }
    }
    while let Some(done) = open.pop() {
        close(done, &mut open, means);
    }
}

fn surface(record: &gpu::Block, look: &gpu::Look, levels: f32, area: f32) -> Sum {
    let level = (record.level_kind & 0xFFFF) as f32 / levels;
    let [rg, ba] = look.data;
    let (marked, b) = (half_value(ba >> 16), half_value(ba));
    // Twice the number of the pattern is added to the alpha.
    let alpha = marked - 2.0 * (marked * 0.5).floor();
    let step = (flat_glow(is_terrace(record), look) / 0.22).clamp(0.0, 1.0);
    let weight = step * step * (3.0 - 2.0 * step);
    let [r, g] = [rg, rg >> 16].map(half_value);
    Sum {
        area,
        top: record.high[2] * area,
        side: 0.0,
        level: level.min(1.0) * (1.0 - alpha) * area,
        glow: weight * area,
        data: [r * alpha, g * alpha, b * alpha, alpha].map(|part| part * area),
    }
}

/// Adds a terrace to the one on which it stands.
fn close(done: Open, open: &mut [Open], means: &mut [gpu::Merged]) {
    let Open {
        place,
        own,
        mut children,
        ..
    } = done;
    let side = if children.area > 0.0 {
        children.side / children.area
    } else {
        WIDE
    };
    if own.area > 0.0 {
        let free = ((own.area - children.area) / own.area).clamp(0.0, 1.0);
        let mut gaps = own;
        gaps.level *= GAPS;
        let area = own.area * free + children.area;
        children.add(&gaps, free);
        children.area = area;
    }
    let top = own.top / own.area;
    let mean = if children.area > 0.0 { children } else { own };
    means[place] = record_of(&mean, mean.area, side, top);
    if let Some(parent) = open.last_mut() {
        // Children that lie on each other count for no more than there is.
        parent.children.add(&mean, 1.0);
    }
}

fn record_of(sum: &Sum, area: f32, side: f32, least_top: f32) -> gpu::Merged {
    let mean = |sum: f32| {
        let mean = sum / area;
        if mean.is_finite() { mean } else { 0.0 }
    };
    let byte = |share: f32| (mean(share).clamp(0.0, 1.0) * 255.0).round() as u32;
    let least_top = if least_top.is_finite() {
        least_top
    } else {
        0.0
    };
    let side = if side.is_finite() { side } else { WIDE };
    let [r, g, b, a] = sum.data.map(mean);
    gpu::Merged {
        top: mean(sum.top).max(least_top),
        side_level_glow: halves([side.clamp(0.0, WIDE), 0.0])
            | byte(sum.level) << 16
            | byte(sum.glow) << 24,
        data: [halves([r, g]), halves([b, a])],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block(kind: BlockKind, level: u16, min: [f32; 3], max: [f32; 3], end: u32) -> Block {
        Block {
            module: ModuleId(0),
            kind,
            level,
            min: min.into(),
            max: max.into(),
            subtree_end: end,
        }
    }

    #[test]
    fn a_terrace_is_the_mean_of_what_is_seen_of_it_from_above() {
        let blocks = [
            block(BlockKind::Terrace, 0, [0.0; 3], [10.0, 10.0, 1.0], 3),
            block(BlockKind::Leaf, 1, [0.0, 0.0, 1.0], [5.0, 10.0, 3.0], 2),
            block(BlockKind::Leaf, 1, [5.0, 0.0, 1.0], [10.0, 5.0, 2.0], 3),
        ];
        let mut records: Vec<gpu::Block> = blocks
            .iter()
            .map(|block| gpu::Block {
                low: block.min.to_array(),
                level_kind: u32::from(block.level) | (block.kind as u32) << 16,
                high: block.max.to_array(),
                parent: 9,
            })
            .collect();
        set_parents(&mut records, &blocks);
        assert_eq!(
            records.iter().map(|it| it.parent).collect::<Vec<_>>(),
            [0, 0, 0]
        );
        let red = gpu::Look {
            data: [halves([1.0, 0.0]), halves([0.0, 1.0])],
            ..gpu::Look::default()
        };
        let looks = [gpu::Look::default(), red, gpu::Look::default()];
        let ends = [3, 2, 3].map(|end| (ModuleId(0), end));
        let mut means = Vec::new();
        find(&records, &ends, &looks, 2.0, &mut means);
        // Half of it red and 3 high, a quarter 2 high, a quarter its own top.
        assert_eq!(means[0].top, 0.5 * 3.0 + 0.25 * 2.0 + 0.25);
        assert_eq!(half_value(means[0].data[0]), 0.5);
        assert_eq!(half_value(means[0].data[1] >> 16), 0.5);
        // A quarter of it half way to the deepest level.
        let level = means[0].side_level_glow >> 16 & 0xFF;
        assert_eq!(level, (0.25f32 * 0.5 * 255.0).round() as u32);
        let side = half_value(means[0].side_level_glow);
        assert!((side - 5.0).abs() < 0.01, "{side}");
        assert_eq!(means[1].top, 3.0);
        assert!(half_value(means[1].side_level_glow) > 1e4);
    }

    #[test]
    fn playing_changes_no_means() {
        let look = |glow, rise| gpu::Look {
            glow,
            rise,
            ..gpu::Look::default()
        };
        assert_eq!(flat_glow(false, &look(0.5, 3.0)), 0.0);
        assert_eq!(flat_glow(true, &look(0.5, 0.0)), 0.0);
        assert_eq!(flat_glow(false, &look(0.5, 0.0)), 0.5);
    }

    #[test]
    fn half_floats_come_back() {
        for value in [0.0, 0.25, 1.0, 3.5, 1000.0, 60_000.0] {
            let back = half_value(halves([value, 7.0]));
            assert!((back - value).abs() <= value / 500.0, "{value} {back}");
            assert_eq!(half_value(halves([value, 7.0]) >> 16), 7.0);
        }
        for nothing in [-0.0, -3.0, 1e-9, f32::NAN, f32::NEG_INFINITY] {
            assert_eq!(halves([nothing, 0.0]), 0, "{nothing}");
        }
        assert_eq!(half_value(halves([f32::INFINITY, 0.0])), 65504.0);
    }
}

//! How many levels of the hierarchy the lightness of terraces spans.

use callscape_layout::geometry::Block;

/// Nine in ten blocks lie within these levels: a single deep branch does not darken the rest.
pub fn levels(blocks: &[Block]) -> f32 {
    let mut counts = [0usize; 64];
    for block in blocks {
        let level = usize::from(block.level).min(counts.len() - 1);
        counts[level] += 1;
    }
    let mut below = 0;
    let level = counts
        .iter()
        .position(|count| {
            below += count;
            below * 10 >= blocks.len() * 9
        })
        .unwrap_or(0);
    (level as f32).clamp(2.0, 12.0)
}

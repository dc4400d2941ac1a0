//! Stable tiling: the same child at nearly the same place when weights change or children come and go.
//!
//! Cuts the children, in their order, into two parts of about half the weight each and goes on with each part
//! (Engdahl, "Ordered and unordered treemap algorithms and their applications on handheld devices", 2005). Where
//! the cuts go and which way they run is decided by weights of reference, those of an earlier layout, so that
//! other weights only move the cuts and nothing jumps from one side of one to the other.

use super::Rect;

/// A part more than so many times as long as it is wide is cut across, whatever the reference says.
const LONGEST: f64 = 3.5;

/// What the cutting needs, kept from family to family.
#[derive(Clone, Debug, Default)]
pub(super) struct Cuts {
    sums: Vec<f64>,
    reference_sums: Vec<f64>,
    parts: Vec<Part>,
}

/// The children `first..end`, what they get, and what they got in the layout of reference.
#[derive(Clone, Copy, Debug)]
struct Part {
    first: usize,
    end: usize,
    rect: Rect,
    reference: [f64; 2],
}

/// Divides `rect` among `weights`, which are positive, in their order. `references` are the weights that decide
/// on the cuts; those that are zero or missing are of children that are new, and decide nothing. O(n log n).
pub(super) fn stable(
    weights: &[f32],
    references: &[f32],
    rect: Rect,
    cuts: &mut Cuts,
    mut place: impl FnMut(usize, Rect),
) {
    let Cuts {
        sums,
        reference_sums,
        parts,
    } = cuts;
    if weights.is_empty() {
        return;
    }
    prefix_sums(sums, weights.iter().copied());
    let known = references.iter().copied().chain(std::iter::repeat(0.0));
    prefix_sums(reference_sums, known.take(weights.len()));
    if reference_sums[weights.len()] <= 0.0 {
        reference_sums.clone_from(sums);
    }
    // Parts nest as deep as there are children when each is heavier than all before it: an explicit stack.
    parts.clear();
    parts.push(Part {
        first: 0,
        end: weights.len(),
        rect,
        reference: [rect.width(), rect.height()],
    });
    while let Some(part) = parts.pop() {
        let Part { first, end, .. } = part;
        if end - first == 1 {
            place(first, part.rect);
            continue;
        }
        let middle = middle(reference_sums, first, end);
        let of = |sums: &[f64]| {
            let share = (sums[middle] - sums[first]) / (sums[end] - sums[first]);
            if share.is_finite() {
                share.clamp(0.0, 1.0)
            } else {
                (middle - first) as f64 / (end - first) as f64
            }
        };
        let (share, reference_share) = (of(sums), of(reference_sums));
        let mut later = part.rect;
        let mut reference_later = part.reference;
        let mut reference_earlier = part.reference;
        let axis = axis(part.rect, part.reference);
        let earlier = if axis == 0 {
            later.cut_west(share)
        } else {
            later.cut_south(share)
        };
        reference_earlier[axis] *= reference_share;
        reference_later[axis] -= reference_earlier[axis];
        parts.push(Part {
            first: middle,
            end,
            rect: later,
            reference: reference_later,
        });
        parts.push(Part {
            first,
            end: middle,
            rect: earlier,
            reference: reference_earlier,
        });
    }
}

/// Across the longer side in the layout of reference, unless that would make splinters here. 0 cuts from west to
/// east, 1 from south to north.
fn axis(rect: Rect, reference: [f64; 2]) -> usize {
    let sides = [rect.width(), rect.height()];
    let wanted = usize::from(reference[0] < reference[1]);
    let other = 1 - wanted;
    if sides[other] > sides[wanted] * LONGEST {
        other
    } else {
        wanted
    }
}

fn prefix_sums(sums: &mut Vec<f64>, weights: impl Iterator<Item = f32>) {
    sums.clear();
    let mut sum = 0.0;
    sums.push(sum);
    sums.extend(weights.map(|weight| {
        sum += f64::from(weight.max(0.0));
        sum
    }));
}

/// Where `first..end`, of at least two, is cut into two parts of nearly the same weight, none of them empty.
fn middle(sums: &[f64], first: usize, end: usize) -> usize {
    let half = 0.5 * (sums[first] + sums[end]);
    let after = first + sums[first..end].partition_point(|&sum| sum < half);
    let after = after.clamp(first + 1, end - 1);
    let before = (after - 1).max(first + 1);
    if half - sums[before] < sums[after] - half {
        before
    } else {
        after
    }
}

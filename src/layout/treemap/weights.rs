//! Weights: the footprint metric of each module, or the sum of its children's weights, whichever is larger.

use super::shown::Columns;
use crate::geometry::BlockKind;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::Hierarchy;
use callscape_filter::cut::Cut;

/// The smallest weight of a leaf as a share of the mean: what has no lines or was never called still has
/// its place, and all of these together no more than this share of the city.
const LEAST_WEIGHT: f64 = 0.05;

/// What areas are weighed by: a leaf of mean area weighs 1, so that weights keep their precision as `f32`
/// whatever the unit of the metric.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scales {
    /// Weight by area.
    by_area: f64,
}

/// The blocks whose children are being weighed: a stack.
#[derive(Clone, Copy, Debug)]
pub(super) struct Open {
    at: u32,
    end: u32,
    sum: f64,
}

impl Scales {
    /// By the mean area of the leaves that are not hidden.
    pub(super) fn new(hierarchy: &Hierarchy, cut: &Cut, areas: &[f64]) -> Scales {
        let ends = hierarchy.ends();
        let areas = &areas[..areas.len().min(ends.len())];
        let (mut sum, mut count) = (0.0, 0);
        let mut add = |from: usize, to: usize| {
            let leaves = ends[from..to].iter().zip(from as u32 + 1..);
            count += leaves
                .map(|(&end, next)| u32::from(end == next))
                .sum::<u32>();
            let measured = from.min(areas.len())..to.min(areas.len());
            let of = areas[measured.clone()].iter().zip(&ends[measured]);
            for ((&area, &end), next) in of.zip(from as u32 + 1..) {
                sum += if end == next { positive(area) } else { 0.0 };
            }
        };
        let mut from = 0;
        for module in cut.hidden().filter(|&module| module != ModuleId::ROOT) {
            let hidden = hierarchy.subtree(module);
            // What lies inside of what is hidden has been passed over.
            if hidden.start as usize >= from {
                add(from, hidden.start as usize);
                from = hidden.end as usize;
            }
        }
        add(from, ends.len());
        let by_area = (f64::from(count) / sum).min(1e300);
        Scales {
            by_area: if sum > 0.0 { by_area } else { 0.0 },
        }
    }

    /// The weight of a module of this area, of whose children the weights sum up to `sum`.
    pub(super) fn weight(self, area: f64, sum: f64) -> f32 {
        (positive(area) * self.by_area).max(sum).max(LEAST_WEIGHT) as f32
    }

    /// The weights of all blocks, positive and finite. O(n).
    pub(super) fn weigh(
        self,
        hierarchy: &Hierarchy,
        cut: &Cut,
        columns: Columns<'_>,
        areas: &[f64],
        open: &mut Vec<Open>,
        weights: &mut Vec<f32>,
    ) {
        let ends = columns.ends;
        let area = |at: usize| {
            areas
                .get(columns.module(at).index())
                .copied()
                .unwrap_or(0.0)
        };
        if weights.len() != ends.len() {
            weights.clear();
            weights.resize(ends.len(), 0.0);
        }
        open.clear();
        let mut at = 0;
        while at < ends.len() {
            if ends[at] as usize > at + 1 {
                open.push(Open {
                    at: at as u32,
                    end: ends[at],
                    sum: 0.0,
                });
                at += 1;
                continue;
            }
            // Leaves stand side by side.
            let (end, mut sum) = open
                .last()
                .map_or((1, 0.0), |top| (top.end as usize, top.sum));
            if columns.is_whole() && areas.len() >= end {
                let run = ends[at..end]
                    .iter()
                    .zip(&areas[at..end])
                    .zip(&mut weights[at..end]);
                for ((&end, &area), weight) in run {
                    if end as usize != at + 1 {
                        break;
                    }
                    *weight = self.weight(area, 0.0);
                    sum += f64::from(*weight);
                    at += 1;
                }
            } else {
                while at < end && ends[at] as usize == at + 1 {
                    let inside = match columns.kind(at) {
                        BlockKind::Collapsed => {
                            self.collapsed(hierarchy, cut, areas, columns.module(at))
                        }
                        _ => 0.0,
                    };
                    weights[at] = self.weight(area(at), inside);
                    sum += f64::from(weights[at]);
                    at += 1;
                }
            }
            if let Some(top) = open.last_mut() {
                top.sum = sum;
            }
            while let Some(top) = open.pop_if(|top| top.end as usize <= at) {
                let weight = self.weight(area(top.at as usize), top.sum);
                weights[top.at as usize] = weight;
                if let Some(below) = open.last_mut() {
                    below.sum += f64::from(weight);
                }
            }
        }
    }

    /// The sum of the weights of a collapsed module's children, as they would be if it were expanded. Linear in
    /// its subtree.
    pub(super) fn collapsed(
        self,
        hierarchy: &Hierarchy,
        cut: &Cut,
        areas: &[f64],
        module: ModuleId,
    ) -> f64 {
        let area = |at: u32| areas.get(at as usize).copied().unwrap_or(0.0);
        let subtree = hierarchy.subtree(module);
        let mut hidden = cut.hidden_in(subtree.clone()).peekable();
        let mut open = vec![Open {
            at: module.0,
            end: subtree.end,
            sum: 0.0,
        }];
        let mut at = subtree.start + 1;
        let mut sum = 0.0;
        loop {
            while let Some(top) = open.pop_if(|top| top.end <= at) {
                match open.last_mut() {
                    Some(below) => below.sum += f64::from(self.weight(area(top.at), top.sum)),
                    None => sum = top.sum,
                }
            }
            let Some(top) = open.last_mut() else {
                return sum;
            };
            let end = hierarchy.subtree(ModuleId(at)).end;
            while hidden.next_if(|&id| id.0 < at).is_some() {}
            if hidden.peek() == Some(&ModuleId(at)) {
                at = end;
            } else if end == at + 1 {
                top.sum += f64::from(self.weight(area(at), 0.0));
                at = end;
            } else {
                open.push(Open { at, end, sum: 0.0 });
                at += 1;
            }
        }
    }
}

/// Zero where an area is no positive finite number.
fn positive(area: f64) -> f64 {
    // A bound far above any metric keeps the sums finite.
    if area > 0.0 { area.min(1e30) } else { 0.0 }
}

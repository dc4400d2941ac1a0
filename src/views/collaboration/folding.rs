//! Which modules are unfolded: by hand, or by themselves as far as there is room.

use std::collections::{BTreeSet, BinaryHeap};

use crate::parts::graph::relations::Relations;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};
use callscape_filter::cut::Cut;

/// So many boxes are shown at first: they are read at first sight. Fewer where their names could not be read, down to these.
pub(super) const AT_FIRST: u32 = 26;
pub(super) const FEWEST: u32 = 10;

/// Functions are shown at first only where hardly anything else is.
const FEW: u32 = 8;

/// Which modules take part in calls, and with how much.
pub(super) struct Active {
    /// By module how many active functions stand before it, one entry more than modules.
    before: Vec<u32>,
    /// The same of their self costs, of two runs in A and B.
    costs: Vec<[f64; 2]>,
}

impl Active {
    /// What is hidden takes no part. O(modules + relations).
    pub(super) fn new(hierarchy: &Hierarchy, relations: &Relations<'_>, cut: &Cut) -> Active {
        let mut counts = vec![0_u32; hierarchy.len() + 1];
        let mut costs = vec![[0.0_f64; 2]; hierarchy.len() + 1];
        let mut is_active = vec![false; relations.ends.len()];
        for relation in &relations.all {
            for end in [relation.from, relation.to] {
                if let Some(active) = is_active.get_mut(end as usize) {
                    *active = true;
                }
            }
        }
        for (end, is_active) in relations.ends.iter().zip(is_active) {
            let at = end.module.index() + 1;
            if let (Some(count), Some(cost)) = (counts.get_mut(at), costs.get_mut(at)) {
                // What neither calls nor is called has its box beside the others.
                let has_cost = !relations.all.is_empty() && end.own != [0.0; 2];
                *count += u32::from(is_active || has_cost);
                *cost = sum(*cost, end.own);
            }
        }
        for hidden in cut.hidden() {
            let range = hierarchy.subtree(hidden);
            let range = range.start as usize + 1..range.end as usize + 1;
            if let Some(counts) = counts.get_mut(range.clone()) {
                counts.fill(0);
            }
            if let Some(costs) = costs.get_mut(range) {
                costs.fill([0.0; 2]);
            }
        }
        for at in 1..counts.len() {
            counts[at] += counts[at - 1];
            costs[at] = sum(costs[at], costs[at - 1]);
        }
        Active {
            before: counts,
            costs,
        }
    }

    /// How many active functions a module has in it.
    pub(super) fn count(&self, hierarchy: &Hierarchy, module: ModuleId) -> u32 {
        let range = hierarchy.subtree(module);
        self.before[range.end as usize] - self.before[range.start as usize]
    }

    /// How large they are by their self costs.
    pub(super) fn cost(&self, hierarchy: &Hierarchy, module: ModuleId) -> f64 {
        let [a, b] = self.own(hierarchy, (module, false));
        a.max(b).max(0.0)
    }

    /// The self costs of a module with all in it, or of what it does itself.
    pub(super) fn own(
        &self,
        hierarchy: &Hierarchy,
        (module, is_itself): (ModuleId, bool),
    ) -> [f64; 2] {
        let range = match is_itself {
            true => module.0..module.0 + 1,
            false => hierarchy.subtree(module),
        };
        let [start, end] = [range.start, range.end].map(|it| self.costs[it as usize]);
        sum(end, start.map(|it| -it))
    }

    /// Whether a module is itself an active function.
    pub(super) fn is_itself(&self, module: ModuleId) -> bool {
        self.before[module.index() + 1] > self.before[module.index()]
    }

    /// The modules in a module that take part.
    pub(super) fn children<'a>(
        &'a self,
        hierarchy: &'a Hierarchy,
        module: ModuleId,
    ) -> impl Iterator<Item = ModuleId> + 'a {
        let children = hierarchy.children(module);
        children.filter(move |&it| self.count(hierarchy, it) > 0)
    }

    /// Into how many boxes a module unfolds.
    pub(super) fn parts(&self, hierarchy: &Hierarchy, module: ModuleId) -> u32 {
        let children = self.children(hierarchy, module).count() as u32;
        children + u32::from(self.is_itself(module) && children > 0)
    }
}

/// Of A and of B.
pub(super) fn sum(one: [f64; 2], other: [f64; 2]) -> [f64; 2] {
    [one[0] + other[0], one[1] + other[1]]
}

/// What is unfolded, the root always.
pub(super) type Open = BTreeSet<ModuleId>;

/// The outermost modules, unfolded level by level as long as no more than `most` boxes come of it, the costliest first.
/// Functions, and what has no source and is the smaller part, are left folded where there is enough else.
pub(super) fn at_first(hierarchy: &Hierarchy, active: &Active, cut: &Cut, most: u32) -> Open {
    let mut open = Open::from([ModuleId::ROOT]);
    let mut boxes = active.parts(hierarchy, ModuleId::ROOT);
    let mut next = BinaryHeap::new();
    // The shallowest first, of one depth the costliest.
    let entry = |module: ModuleId| {
        let cost = active.cost(hierarchy, module) as u64;
        let depth = hierarchy.depth(module);
        (std::cmp::Reverse(depth), cost, std::cmp::Reverse(module))
    };
    next.extend(active.children(hierarchy, ModuleId::ROOT).map(entry));
    let all = active.count(hierarchy, ModuleId::ROOT);
    while let Some((_, _, std::cmp::Reverse(module))) = next.pop() {
        let Some(way) = way_to_parts(hierarchy, active, cut, module) else {
            continue;
        };
        let last = way.last().copied().unwrap_or(module);
        let parts = active.parts(hierarchy, last);
        let holds_functions = active
            .children(hierarchy, last)
            .any(|it| hierarchy.is_leaf(it));
        let is_outside = hierarchy.kind(module) == ModuleKind::External
            && 2 * active.count(hierarchy, module) < all;
        if boxes - 1 + parts > most || ((holds_functions || is_outside) && boxes >= FEW) {
            continue;
        }
        open.extend(way);
        boxes = boxes - 1 + parts;
        next.extend(active.children(hierarchy, last).map(entry));
    }
    open
}

/// What has to be unfolded to see more than one box in place of a module; none where that cannot be.
fn way_to_parts(
    hierarchy: &Hierarchy,
    active: &Active,
    cut: &Cut,
    module: ModuleId,
) -> Option<Vec<ModuleId>> {
    let mut way = vec![module];
    let mut at = module;
    loop {
        if cut.is_collapsed(at) {
            return None;
        }
        match active.parts(hierarchy, at) {
            0 => return None,
            1 => {
                at = active.children(hierarchy, at).next()?;
                way.push(at);
            }
            _ => return Some(way),
        }
    }
}

/// Folds modules again until there are no more than `most` boxes, the cheapest first; `last` and what it lies in stay.
/// Which were folded.
pub(super) fn fold_to_fit(
    hierarchy: &Hierarchy,
    active: &Active,
    cut: &Cut,
    open: &mut Open,
    last: Option<ModuleId>,
    most: u32,
) -> Vec<ModuleId> {
    let is_kept = |module: ModuleId| {
        module == ModuleId::ROOT || last.is_some_and(|last| hierarchy.contains(module, last))
    };
    let mut folded = Vec::new();
    while count_boxes(hierarchy, active, cut, open) > most {
        let seen = |module: ModuleId| is_seen(hierarchy, cut, open, module);
        let innermost = open.iter().copied().filter(|&module| {
            !is_kept(module)
                && seen(module)
                && active.parts(hierarchy, module) > 1
                && !active.children(hierarchy, module).any(|it| {
                    open.contains(&it) && !cut.is_collapsed(it) && active.parts(hierarchy, it) > 0
                })
        });
        let cheapest = innermost.min_by(|&a, &b| {
            let cost = |it| active.cost(hierarchy, it);
            cost(a).total_cmp(&cost(b)).then(a.cmp(&b))
        });
        let Some(module) = cheapest else {
            break;
        };
        open.remove(&module);
        folded.push(module);
    }
    folded
}

/// Whether everything around a module is unfolded, and it is too.
fn is_seen(hierarchy: &Hierarchy, cut: &Cut, open: &Open, module: ModuleId) -> bool {
    let mut around = hierarchy.ancestors(module);
    around.all(|it| open.contains(&it) && !cut.is_collapsed(it))
}

fn count_boxes(hierarchy: &Hierarchy, active: &Active, cut: &Cut, open: &Open) -> u32 {
    let mut count = 0;
    let mut next = vec![ModuleId::ROOT];
    while let Some(module) = next.pop() {
        let is_open = open.contains(&module) && !cut.is_collapsed(module);
        let parts = active.parts(hierarchy, module);
        if is_open && parts > 0 {
            count += u32::from(active.is_itself(module));
            next.extend(active.children(hierarchy, module));
        } else {
            count += 1;
        }
    }
    count
}

/// The box that stands for a module: the outermost that is not unfolded, else the module itself, which is then
/// [`Of::Itself`](crate::parts::graph::model::Of::Itself) where others are in it.
pub(super) fn box_of(
    hierarchy: &Hierarchy,
    active: &Active,
    cut: &Cut,
    open: &Open,
    module: ModuleId,
) -> (ModuleId, bool) {
    let mut found = None;
    for around in hierarchy.ancestors(module) {
        if !open.contains(&around)
            || cut.is_collapsed(around)
            || active.parts(hierarchy, around) == 0
        {
            found = Some(around);
        }
    }
    match found {
        Some(found) => (found, false),
        None => (module, true),
    }
}

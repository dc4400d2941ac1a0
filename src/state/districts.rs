//! The districts of the outermost level, which the user may put in another order.

use std::cmp::Reverse;

use super::ask::CutAsk;
use super::document::Document;
use super::state::State;
use callscape_base::units::ModuleId;
use callscape_layout::geometry::Block;
use callscape_model::tiling::Tiling;

/// The district of the outermost level that a module is in.
pub(super) fn district_of(document: &Document, module: ModuleId) -> Option<ModuleId> {
    let hierarchy = &document.session.hierarchy;
    let around = document.cut.around_districts(hierarchy)?;
    if module.index() >= hierarchy.len() {
        return None;
    }
    let mut ancestors = hierarchy.ancestors(module);
    ancestors.find(|&it| hierarchy.parent(it) == Some(around))
}

/// The districts in the order in which they are laid out, as far as that is known without the user's own order: where
/// weights decide, the largest first.
fn in_order(document: &Document) -> Vec<ModuleId> {
    let hierarchy = &document.session.hierarchy;
    let Some(around) = document.cut.around_districts(hierarchy) else {
        return Vec::new();
    };
    let mut all: Vec<ModuleId> = document.cut.districts_in(hierarchy, around).collect();
    if let Tiling::Squarified | Tiling::Stable = document.settings.tiling {
        let blocks = document.city.blocks();
        // In steps of a thousandth of a doubling: where rounding alone makes a difference, the first comes first.
        let area = |block: &Block| {
            let size = block.max - block.min;
            ((size.x * size.y).log2() * 1000.0).round() as i64
        };
        let area_of = |module: ModuleId| {
            let found = blocks.binary_search_by_key(&module, |it| it.module);
            found.map_or(i64::MIN, |at| area(&blocks[at]))
        };
        all.sort_by_key(|&module| (Reverse(area_of(module)), module));
    }
    // Those that were put in order stand in the places of these.
    let order = document.cut.order();
    let places = (0..all.len()).filter(|&at| order.contains(&all[at]));
    let places: Vec<usize> = places.collect();
    let known: Vec<ModuleId> = order
        .iter()
        .copied()
        .filter(|it| all.contains(it))
        .collect();
    for (place, module) in places.into_iter().zip(known) {
        all[place] = module;
    }
    all
}

impl State {
    /// Puts districts in another order.
    pub(super) fn on_districts(&mut self, ask: CutAsk) {
        let Some(document) = &mut self.document else {
            return;
        };
        let mut order = in_order(document);
        let place = |module: Option<ModuleId>| {
            let district = district_of(document, module?)?;
            order.iter().position(|&it| it == district)
        };
        match ask {
            CutAsk::Swap(a, b) => {
                let (Some(a), Some(b)) = (place(Some(a)), place(Some(b))) else {
                    return;
                };
                if a == b {
                    return;
                }
                order.swap(a, b);
            }
            CutAsk::MoveDistrict(by) => {
                let selection = &document.selection;
                let meant = selection.chosen.module.or(selection.pointed.module);
                let Some(from) = place(meant) else {
                    return;
                };
                let last = order.len() as i64 - 1;
                let to = (from as i64 + i64::from(by)).clamp(0, last) as usize;
                if to == from {
                    return;
                }
                let district = order.remove(from);
                order.insert(to, district);
            }
            _ if document.cut.order().is_empty() => return,
            _ => order.clear(),
        }
        let session = std::sync::Arc::clone(&document.session);
        document.cut.set_order(&session.hierarchy, order);
        self.lay_out();
    }

    /// The district of the landscape under a pixel.
    pub(super) fn district_at(&self, at: glam::Vec2) -> Option<ModuleId> {
        let (module, _) = self.pick(at)?;
        district_of(self.document.as_ref()?, module)
    }
}

#[cfg(test)]
mod tests {
    use super::super::ask::StepAsk;
    use super::super::testing::{open, tiny};
    use super::*;

    #[test]
    fn districts_change_places_stay_so_and_are_put_back() {
        let mut state = tiny();
        let natural = open(&state).city.blocks().to_vec();
        let order = in_order(open(&state));
        assert!(order.len() > 1, "{order:?}");
        let (first, last) = (order[0], order[order.len() - 1]);
        state.note_step(false);
        state.execute(CutAsk::Swap(last, first));
        let swapped = in_order(open(&state));
        assert_eq!((swapped[0], swapped[order.len() - 1]), (last, first));
        assert_eq!(open(&state).cut.order(), swapped);
        let arranged = open(&state).city.blocks().to_vec();
        assert_ne!(arranged, natural);
        // A layout of the same gives the same.
        state.lay_out();
        assert_eq!(open(&state).city.blocks(), arranged);
        state.note_step(false);
        state.execute(StepAsk::Undo);
        assert_eq!(open(&state).city.blocks(), natural);
        state.execute(StepAsk::Redo);
        assert_eq!(open(&state).city.blocks(), arranged);
        state.execute(CutAsk::PutBack);
        assert_eq!(open(&state).city.blocks(), natural);
        assert!(open(&state).cut.order().is_empty());
    }

    #[test]
    fn the_selected_district_moves_as_far_as_there_are_others() {
        let mut state = tiny();
        let order = in_order(open(&state));
        let first = order[0];
        state.execute(super::super::ask::SelectAsk::Select(Some(first)));
        state.execute(CutAsk::MoveDistrict(-1));
        assert!(open(&state).cut.order().is_empty(), "it is the first");
        state.execute(CutAsk::MoveDistrict(1));
        assert_eq!(in_order(open(&state))[1], first);
        state.execute(CutAsk::MoveDistrict(1000));
        assert_eq!(in_order(open(&state)).last(), Some(&first));
    }
}

//! Views that come and go in a scene: those beside them make room, or take it, in the course of a moment.
//!
//! A view on its way is laid out as large as where it stands, and seen through an opening that grows or shrinks: what
//! it shows moves with its edge and is not made anew in every frame.

use egui::Rect;
use egui_tiles::{Container, LinearDir, Tile, TileId, Tiles};

use callscape_state::panes::{Coming, ViewId};

/// An opening is no smaller than this part of the room.
const LEAST: f32 = 1e-4;

/// What a view on its way is seen through.
pub(super) struct Opening {
    pub view: ViewId,
    /// Its height in a column, its width in a row, where it stands.
    whole: f32,
    is_column: bool,
}

impl Opening {
    /// As large as the view is where it stands, when `seen` of it is to be seen now.
    pub(super) fn whole(&self, seen: Rect) -> Rect {
        let mut size = seen.size();
        match self.is_column {
            true => size.y = self.whole,
            false => size.x = self.whole,
        }
        Rect::from_min_size(seen.min, size)
    }
}

/// The shares of tiles as they were before some were on their way.
pub(super) type Shares = Vec<(TileId, TileId, f32)>;

/// Gives the tiles of views on their way as much room as they have at this moment; what they had.
pub(super) fn squeeze(coming: &[Coming], tiles: &mut Tiles<ViewId>) -> Shares {
    let mut before = Shares::new();
    let held: Vec<(TileId, TileId, f32)> = (coming.iter())
        .filter_map(|it| {
            let (linear, child) = holder(tiles, it.view)?;
            Some((linear, child, (it.open() * it.share).max(LEAST)))
        })
        .collect();
    for &(parent, ..) in &held {
        if before.iter().any(|(of, ..)| *of == parent) {
            continue;
        }
        let own: Vec<(TileId, f32)> = (held.iter().filter(|(of, ..)| *of == parent))
            .map(|&(_, child, share)| (child, share))
            .collect();
        let Some(Tile::Container(Container::Linear(linear))) = tiles.get_mut(parent) else {
            continue;
        };
        let is_on_its_way = |child| own.iter().any(|(of, _)| *of == child);
        let taken: f32 = own.iter().map(|(_, share)| share).sum();
        let settled: Vec<TileId> = (linear.children.iter().copied())
            .filter(|&child| !is_on_its_way(child))
            .collect();
        let sum: f32 = settled.iter().map(|&child| linear.shares[child]).sum();
        before.extend(
            linear
                .children
                .iter()
                .map(|&it| (parent, it, linear.shares[it])),
        );
        for child in settled {
            let share = linear.shares[child] / sum.max(LEAST) * (1.0 - taken).max(LEAST);
            linear.shares.set_share(child, share);
        }
        for (child, share) in own {
            linear.shares.set_share(child, share);
        }
    }
    before
}

/// What views on their way are seen through, where all views have `room` with `gap` between them.
pub(super) fn openings(
    coming: &[Coming],
    tiles: &Tiles<ViewId>,
    room: Rect,
    gap: f32,
) -> Vec<Opening> {
    let openings = coming.iter().filter_map(|it| {
        let (parent, _) = holder(tiles, it.view)?;
        let size = tiles.rect(parent).unwrap_or(room).size();
        let is_column = direction(tiles, parent) == Some(LinearDir::Vertical);
        let size = if is_column { size.y } else { size.x };
        Some(Opening {
            view: it.view,
            whole: it.share * (size - gap),
            is_column,
        })
    });
    openings.collect()
}

/// How much of the gap between views there is, 0 to 1, of `open` views.
pub(super) fn gap(coming: &[Coming], open: usize) -> f32 {
    match open > coming.len() + 1 {
        true => 1.0,
        false => (coming.iter()).map(Coming::open).fold(0.0, f32::max),
    }
}

/// Gives tiles the shares back that they had.
pub(super) fn restore(tiles: &mut Tiles<ViewId>, before: Shares) {
    for (parent, child, share) in before {
        if let Some(Tile::Container(Container::Linear(linear))) = tiles.get_mut(parent) {
            linear.shares.set_share(child, share);
        }
    }
}

fn direction(tiles: &Tiles<ViewId>, tile: TileId) -> Option<LinearDir> {
    match tiles.get(tile)? {
        Tile::Container(Container::Linear(linear)) => Some(linear.dir),
        _ => None,
    }
}

/// The row or column in which a view stands, and the tile there that holds it alone; none where it shares a place.
fn holder(tiles: &Tiles<ViewId>, view: ViewId) -> Option<(TileId, TileId)> {
    let mut all = tiles.iter();
    let (&pane, _) = all.find(|(_, tile)| matches!(tile, Tile::Pane(of) if *of == view))?;
    let mut tile = pane;
    loop {
        let parent = tiles.parent_of(tile)?;
        match tiles.get(parent)? {
            Tile::Container(Container::Linear(_)) => return Some((parent, tile)),
            Tile::Container(container) if container.num_children() == 1 => tile = parent,
            _ => return None,
        }
    }
}

//! Gives each item of a level its rank: the column that it stands in.
//!
//! By longest paths, evened out: an item with room moves to where its edges are shorter together, which is the local
//! optimum of what network simplex does (E. R. Gansner et al., *A technique for drawing directed graphs*, 1993).

use super::graph::{Graph, Memory};
use super::levels::Level;

/// A column with more items than this is broken, where that is possible.
const ROWS: usize = 18;

/// How often items are moved at most.
const PASSES: usize = 12;

/// By item its rank, from 0 without a gap. `line` is the order in which all edges go on, but for those `turned`. What
/// `before` knows keeps its rank, or moves on to the right where an edge asks for it. O(passes × links).
pub(super) fn ranks(
    graph: &Graph<'_>,
    level: &Level,
    turned: &[bool],
    line: &[u32],
    before: &Memory,
) -> Vec<u32> {
    let items = level.items.len();
    let known = level.items.iter().map(|it| before.of(it.key(graph)));
    let known: Vec<Option<u32>> = known.map(|it| it.map(|it| it.rank)).collect();
    // By item what stands left of it, and right.
    let mut sides: Vec<[Vec<u32>; 2]> = vec![Default::default(); items];
    let mut pulls = vec![[0_u32; 2]; items];
    for link in &level.links {
        let (left, right) = match turned[link.edge as usize] {
            true => (link.to as usize, link.from as usize),
            false => (link.from as usize, link.to as usize),
        };
        sides[left][1].push(right as u32);
        sides[right][0].push(left as u32);
        if graph.edges[link.edge as usize].is_drawn {
            pulls[left][1] += 1;
            pulls[right][0] += 1;
        }
    }
    let mut ranks = vec![0_u32; items];
    for &item in line {
        let item = item as usize;
        let least = sides[item][0]
            .iter()
            .map(|&it| ranks[it as usize] + 1)
            .max();
        ranks[item] = least.unwrap_or(0).max(known[item].unwrap_or(0));
    }
    for pass in 0..PASSES {
        let mut has_moved = false;
        let mut even = |item: u32| {
            let item = item as usize;
            if known[item].is_some() {
                return;
            }
            let least = sides[item][0]
                .iter()
                .map(|&it| ranks[it as usize] + 1)
                .max();
            let most = sides[item][1]
                .iter()
                .map(|&it| ranks[it as usize].saturating_sub(1))
                .min();
            let [from_left, from_right] = pulls[item];
            let to = match most {
                Some(most) if from_right > from_left => most,
                _ if from_left > from_right => least.unwrap_or(0),
                _ => ranks[item],
            };
            has_moved |= to != ranks[item];
            ranks[item] = to;
        };
        match pass % 2 {
            0 => line.iter().rev().for_each(|&item| even(item)),
            _ => line.iter().for_each(|&item| even(item)),
        }
        if !has_moved && pass > 0 {
            break;
        }
    }
    spread_lonely(level, &sides, &known, &mut ranks);
    close_gaps(&mut ranks);
    break_columns(level, turned, &sides, &known, &mut ranks);
    ranks
}

/// A column that is too long is broken: what ends there goes on in a column after it, what begins there in one before it.
/// `turned` says of edges that leave the level to which side they do.
fn break_columns(
    level: &Level,
    turned: &[bool],
    sides: &[[Vec<u32>; 2]],
    known: &[Option<u32>],
    ranks: &mut [u32],
) {
    // By item whether something leads on from it, to the left and to the right.
    let mut leads: Vec<[bool; 2]> = sides
        .iter()
        .map(|it| [0, 1].map(|side| !it[side].is_empty()))
        .collect();
    for way in &level.ways_out {
        let is_right = way.is_of_caller != turned[way.edge as usize];
        leads[way.item as usize][usize::from(is_right)] = true;
    }
    let leads = &leads;
    let mut rank = 0;
    while rank <= ranks.iter().copied().max().unwrap_or(0) {
        let here: Vec<usize> = (0..ranks.len()).filter(|&it| ranks[it] == rank).collect();
        // All of them alike.
        let columns = here.len().div_ceil(ROWS).max(1);
        let over = here.len() - here.len().div_ceil(columns);
        // Every so many, so that what is moved is passed to in the gaps between what stays.
        let free = |side: usize| {
            let free = here
                .iter()
                .filter(|&&it| !leads[it][side] && leads[it][1 - side]);
            let free = free.filter(|&&it| known[it].is_none()).copied();
            let moved = free.enumerate().filter(|(number, _)| number % columns != 0);
            moved.map(|it| it.1).take(over).collect::<Vec<usize>>()
        };
        let (ends, begins) = (free(1), free(0));
        if over == 0 || ends.len().max(begins.len()) == 0 {
            rank += 1;
            continue;
        }
        let is_after = ends.len() >= begins.len();
        let moved = if is_after { ends } else { begins };
        let from = rank + u32::from(is_after);
        ranks
            .iter_mut()
            .filter(|it| **it >= from)
            .for_each(|it| *it += 1);
        for item in moved {
            ranks[item] = from;
        }
        // What was moved before may be too much as well: it stands at this rank now.
        rank = if is_after { rank + 1 } else { rank };
    }
}

/// Items without an edge go where there is most room, so that no column is higher than it has to be.
fn spread_lonely(level: &Level, sides: &[[Vec<u32>; 2]], known: &[Option<u32>], ranks: &mut [u32]) {
    let mut leaves = vec![false; ranks.len()];
    for way in &level.ways_out {
        leaves[way.item as usize] = true;
    }
    let is_lonely = |item: usize| {
        sides[item].iter().all(Vec::is_empty) && !leaves[item] && known[item].is_none()
    };
    let lonely: Vec<usize> = (0..ranks.len()).filter(|&it| is_lonely(it)).collect();
    if lonely.is_empty() {
        return;
    }
    let others = (0..ranks.len()).filter(|&it| !is_lonely(it));
    let columns = others.map(|it| ranks[it] + 1).max().unwrap_or(0) as usize;
    // A square of boxes that are wider than high needs fewer columns than rows.
    let wanted = (lonely.len() as f32).sqrt() * 0.6;
    let mut filled = vec![0_u32; columns.max(wanted.ceil() as usize)];
    for item in (0..ranks.len()).filter(|&it| !is_lonely(it)) {
        filled[ranks[item] as usize] += 1;
    }
    for item in lonely {
        let least = (0..filled.len()).min_by_key(|&it| filled[it]).unwrap_or(0);
        filled[least] += 1;
        ranks[item] = least as u32;
    }
}

/// Ranks that nothing has are taken out.
fn close_gaps(ranks: &mut [u32]) {
    let mut used: Vec<u32> = ranks.to_vec();
    used.sort_unstable();
    used.dedup();
    for rank in ranks {
        *rank = used.partition_point(|it| it < rank) as u32;
    }
}

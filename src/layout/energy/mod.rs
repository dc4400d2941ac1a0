//! Energy-based layout of clustered graphs: boxes are as far apart on the sheet as they are in the graph, so that
//! modules which call each other much are close together.
//!
//! Each connected part is placed by stress majorization (E. R. Gansner, Y. Koren, S. North, *Graph drawing by stress
//! majorization*, 2004), starting from pivot MDS (U. Brandes, C. Pich, *Eigensolver methods for progressive
//! multidimensional scaling of large data*, 2006), and then freed of overlaps as in T. Dwyer, K. Marriott, P. J. Stuckey
//! (*Fast node overlap removal*, 2005). Parts are packed into rows. As in the layered layout, each cluster is laid out by
//! itself with the clusters in it as boxes, from the inside out, so clusters never overlap.
//!
//! In any unit, x to the right and y down. Lines are straight.

mod distances;
mod joining;
mod lines;
mod overlaps;
mod packing;
mod parts;
mod start;
mod stress;
#[cfg(test)]
mod tests;

use crate::layered::{Graph, Layout, Spacing};

/// More boxes than these take longer than a second.
pub const MOST_BOXES: usize = 2_000;

/// The same seed gives the same layout.
const SEED: u64 = 1;

/// Lays a graph out. With `n` boxes, `m` edges and `i` iterations, at most 200 and fewer for large graphs,
/// O(n × (n + m) log n + i × n²) time and O(n²) memory.
pub fn lay_out(graph: &Graph<'_>, spacing: &Spacing) -> Layout {
    joining::lay_out(graph, spacing, SEED)
}

//! What is laid out, and what comes of it.

use std::collections::HashMap;

use glam::Vec2;

use crate::sheet::Rect;

/// Names a node or a cluster from one layout to the next.
pub type Key = u64;

/// A box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    pub size: Vec2,
    /// The innermost cluster around it.
    pub cluster: Option<u32>,
    pub key: Key,
}

/// A box around nodes and clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cluster {
    /// A cluster that stands before it.
    pub parent: Option<u32>,
    /// The room that its title needs above what is in it.
    pub title: Vec2,
    pub key: Key,
}

/// An edge, or only the wish that one node stands left of another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    pub from: u32,
    pub to: u32,
    /// How wide its line is.
    pub width: f32,
    /// Which of two edges in a cycle is turned round: that of less weight.
    pub weight: f32,
    /// Without a line it only keeps order, and is never turned round.
    pub is_drawn: bool,
}

/// What is laid out. Edges from a node to itself, and those that name no node, have no route.
#[derive(Clone, Copy, Debug)]
pub struct Graph<'a> {
    pub nodes: &'a [Node],
    pub clusters: &'a [Cluster],
    pub edges: &'a [Edge],
}

/// How far things stand apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spacing {
    /// Between boxes of a column.
    pub node: f32,
    /// Between lines.
    pub edge: f32,
    /// Between columns, at least.
    pub column: f32,
    /// Between the border of a cluster and what is in it.
    pub inside: f32,
    /// So far lines go straight on from a box.
    pub lead: f32,
}

/// Where everything is. The top left corner of all is at zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    pub size: Vec2,
    pub nodes: Vec<Rect>,
    pub clusters: Vec<Rect>,
    /// By edge the points that it goes through, from its caller to its callee: along each piece it is level at both ends.
    /// Empty where it has no route.
    pub routes: Vec<Vec<Vec2>>,
    /// Of each node and cluster.
    pub memory: Memory,
}

/// Where nodes and clusters stood within the cluster around them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Memory {
    pub(super) places: HashMap<Key, Place>,
}

/// The rank within the cluster around it, and how far down its middle was in that.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Place {
    pub rank: u32,
    pub middle: f32,
}

impl Memory {
    pub(super) fn of(&self, key: Key) -> Option<Place> {
        self.places.get(&key).copied()
    }

    /// Takes what another one knows and this one does not.
    pub fn complete(&mut self, older: &Memory) {
        for (&key, &place) in &older.places {
            self.places.entry(key).or_insert(place);
        }
    }

    /// How many places it knows.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether it knows none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }
}

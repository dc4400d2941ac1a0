use super::*;
use crate::curves::flatten;
use crate::sheet::Rect;
use callscape_facts::trace::random::random_numbers;
use glam::Vec2;

const SPACING: Spacing = Spacing {
    node: 10.0,
    edge: 4.0,
    column: 40.0,
    inside: 12.0,
    lead: 8.0,
};

/// Boxes and lines of a graph, to be laid out.
#[derive(Clone, Debug, Default)]
struct Made {
    nodes: Vec<Node>,
    clusters: Vec<Cluster>,
    edges: Vec<Edge>,
}

impl Made {
    fn graph(&self) -> Graph<'_> {
        Graph {
            nodes: &self.nodes,
            clusters: &self.clusters,
            edges: &self.edges,
        }
    }

    fn layout(&self) -> Layout {
        lay_out(&self.graph(), &SPACING, &Memory::default())
    }

    fn node(&mut self, cluster: Option<u32>) -> u32 {
        let number = self.nodes.len() as u32;
        self.nodes.push(Node {
            size: Vec2::new(60.0, 24.0),
            cluster,
            key: 1000 + u64::from(number),
        });
        number
    }

    fn cluster(&mut self, parent: Option<u32>) -> u32 {
        let number = self.clusters.len() as u32;
        self.clusters.push(Cluster {
            parent,
            title: Vec2::new(50.0, 16.0),
            key: u64::from(number),
        });
        number
    }

    fn edge(&mut self, from: u32, to: u32) {
        self.edges.push(Edge {
            from,
            to,
            width: 1.5,
            weight: 1.0,
            is_drawn: true,
        });
    }

    /// The clusters around a node, the innermost first.
    fn around(&self, node: u32) -> Vec<u32> {
        let first = self.nodes[node as usize].cluster;
        std::iter::successors(first, |&it| self.clusters[it as usize].parent).collect()
    }
}

/// A random graph with so many nodes and edges.
fn random(seed: u64, nodes: u64, edges: u64) -> Made {
    let mut below = random_numbers(seed);
    let mut made = Made::default();
    for number in 0..below(nodes / 4 + 1) {
        let parent = (number > 0 && below(3) > 0).then(|| below(number) as u32);
        made.cluster(parent);
    }
    let clusters = made.clusters.len() as u64;
    for _ in 0..nodes {
        let cluster = (clusters > 0 && below(4) > 0).then(|| below(clusters) as u32);
        let node = made.node(cluster) as usize;
        made.nodes[node].size = Vec2::new(20.0 + below(90) as f32, 12.0 + below(40) as f32);
    }
    for _ in 0..edges {
        let [from, to] = [below(nodes) as u32, below(nodes) as u32];
        made.edge(from, to);
        let last = made.edges.last_mut().expect("just added");
        last.width = 1.0 + below(6) as f32;
        last.weight = below(100) as f32;
    }
    made
}

fn is_inside(inner: Rect, outer: Rect) -> bool {
    let least = 1e-2;
    inner.min.cmpge(outer.min - least).all() && inner.max.cmple(outer.max + least).all()
}

fn overlaps(a: Rect, b: Rect) -> bool {
    let least = 1e-2;
    a.min.x + least < b.max.x
        && b.min.x + least < a.max.x
        && a.min.y + least < b.max.y
        && b.min.y + least < a.max.y
}

/// Everything that holds of every layout.
fn check(made: &Made, layout: &Layout, seed: u64) {
    let whole = Rect::new(Vec2::ZERO, layout.size);
    let boxes: Vec<(Rect, Option<u32>)> = (layout.nodes.iter().copied())
        .zip(made.nodes.iter().map(|it| it.cluster))
        .chain((layout.clusters.iter().copied()).zip(made.clusters.iter().map(|it| it.parent)))
        .collect();
    for (number, &(rect, parent)) in boxes.iter().enumerate() {
        let around = parent.map_or(whole, |it| {
            let around = layout.clusters[it as usize];
            let title = made.clusters[it as usize].title.y;
            Rect::new(around.min + Vec2::new(0.0, title), around.max)
        });
        assert!(
            is_inside(rect, around),
            "seed {seed}: {rect:?} in {around:?}"
        );
        for &(other, of) in &boxes[..number] {
            let are_siblings = of == parent;
            assert!(
                !(are_siblings && overlaps(rect, other)),
                "seed {seed}: {rect:?} and {other:?}"
            );
        }
    }
    for (edge, route) in made.edges.iter().zip(&layout.routes) {
        if edge.from == edge.to {
            assert!(route.is_empty());
            continue;
        }
        check_route(made, layout, edge, route, seed);
    }
}

/// A line begins and ends at the sides of its boxes, and goes through no other and through no cluster of neither.
fn check_route(made: &Made, layout: &Layout, edge: &Edge, route: &[Vec2], seed: u64) {
    let [from, to] = [edge.from, edge.to].map(|it| layout.nodes[it as usize]);
    let on_side = |rect: Rect, at: Vec2| {
        let is_beside = (at.x - rect.min.x).abs() < 0.05 || (at.x - rect.max.x).abs() < 0.05;
        is_beside && at.y >= rect.min.y && at.y <= rect.max.y
    };
    let [.., last] = route[..] else {
        panic!("seed {seed}: no route")
    };
    assert!(
        on_side(from, route[0]),
        "seed {seed}: {from:?} {:?}",
        route[0]
    );
    assert!(on_side(to, last), "seed {seed}: {to:?} {last:?}");
    let mut points = Vec::new();
    flatten(route, 3.0, &mut points);
    let own = [made.around(edge.from), made.around(edge.to)].concat();
    let nodes = layout
        .nodes
        .iter()
        .zip(0..)
        .filter(|(_, it)| *it != edge.from && *it != edge.to);
    let clusters = layout
        .clusters
        .iter()
        .zip(0..)
        .filter(|(_, it)| !own.contains(it));
    for (rect, number) in nodes.chain(clusters) {
        let inner = Rect::new(rect.min + 0.5, rect.max - 0.5);
        let hit = points.iter().find(|it| inner.contains(**it));
        assert!(
            hit.is_none(),
            "seed {seed}: {edge:?} through {number} {rect:?} at {hit:?}"
        );
    }
}

#[test]
fn boxes_lie_in_their_clusters_and_lines_go_past_what_is_not_theirs() {
    for seed in 0..300 {
        let mut below = random_numbers(seed + 9_000);
        let (nodes, edges) = (1 + below(40), below(120));
        let made = random(seed, nodes, edges);
        let layout = made.layout();
        check(&made, &layout, seed);
        assert_eq!(layout, made.layout(), "the same again");
    }
}

#[test]
fn callers_stand_left_where_nothing_goes_in_a_circle() {
    for seed in 0..100 {
        let mut made = random(seed, 30, 60);
        made.clusters.clear();
        made.nodes.iter_mut().for_each(|it| it.cluster = None);
        for edge in &mut made.edges {
            (edge.from, edge.to) = (edge.from.min(edge.to), edge.from.max(edge.to));
        }
        let layout = made.layout();
        check(&made, &layout, seed);
        for edge in made.edges.iter().filter(|it| it.from != it.to) {
            let [from, to] = [edge.from, edge.to].map(|it| layout.nodes[it as usize]);
            assert!(from.max.x < to.min.x, "seed {seed}");
        }
    }
}

#[test]
fn the_lightest_edge_of_a_circle_is_turned() {
    let mut made = Made::default();
    let nodes: Vec<u32> = (0..4).map(|_| made.node(None)).collect();
    for at in 0..4 {
        made.edge(nodes[at], nodes[(at + 1) % 4]);
        made.edges[at].weight = if at == 1 { 1.0 } else { 50.0 };
    }
    let layout = made.layout();
    let x: Vec<f32> = layout.nodes.iter().map(|it| it.min.x).collect();
    assert!(x[2] < x[3] && x[3] < x[0] && x[0] < x[1], "{x:?}");
    // It runs from right to left.
    let route = &layout.routes[1];
    assert!(route[0].x > route[route.len() - 1].x);
}

#[test]
fn edges_without_a_line_only_keep_order_and_are_never_turned() {
    for seed in 0..60 {
        let mut made = random(seed, 14, 40);
        made.clusters.clear();
        made.nodes.iter_mut().for_each(|it| it.cluster = None);
        // Nodes 0 to 3 are left of node 4, that left of 5 to 8.
        for (from, to) in (0..4).map(|it| (it, 4)).chain((5..9).map(|it| (4, it))) {
            made.edge(from, to);
            let last = made.edges.last_mut().expect("just added");
            (last.is_drawn, last.weight) = (false, 0.0);
        }
        let layout = made.layout();
        let x = |node: usize| layout.nodes[node].min.x;
        assert!(
            (0..4).all(|it| x(it) < x(4)) && (5..9).all(|it| x(4) < x(it)),
            "seed {seed}"
        );
        let drawn = made.edges.iter().zip(&layout.routes);
        let mut unseen = drawn.filter(|(edge, _)| !edge.is_drawn);
        assert!(unseen.all(|(_, route)| route.is_empty()));
    }
}

/// By item of the whole its column and how far down it is.
fn places(made: &Made, layout: &Layout) -> HashMap<Key, (f32, f32)> {
    let nodes = made
        .nodes
        .iter()
        .zip(&layout.nodes)
        .map(|(it, rect)| (it.key, *rect));
    let clusters = made
        .clusters
        .iter()
        .zip(&layout.clusters)
        .map(|(it, rect)| (it.key, *rect));
    let middle = |rect: Rect| (rect.min + rect.max) * 0.5;
    nodes
        .chain(clusters)
        .map(|(key, rect)| (key, (middle(rect).x, middle(rect).y)))
        .collect()
}

#[test]
fn what_stays_keeps_its_order_when_a_node_unfolds_and_folds_again() {
    for seed in 0..80 {
        let mut below = random_numbers(seed);
        let mut folded = random(seed, 24, 50);
        folded.clusters.clear();
        folded.nodes.iter_mut().for_each(|it| it.cluster = None);
        // The last node becomes a cluster of five.
        let node = folded.nodes.len() as u32 - 1;
        let mut open = folded.clone();
        open.nodes.pop();
        let cluster = open.cluster(None);
        open.clusters[cluster as usize].key = folded.nodes[node as usize].key;
        let inner: Vec<u32> = (0..5).map(|_| open.node(Some(cluster))).collect();
        open.nodes[node as usize].key = 7;
        for edge in &mut open.edges {
            for end in [&mut edge.from, &mut edge.to] {
                if *end == node {
                    *end = inner[below(5) as usize];
                }
            }
        }
        let first = folded.layout();
        let second = lay_out(&open.graph(), &SPACING, &first.memory);
        check(&open, &second, seed);
        let [before, after] = [places(&folded, &first), places(&open, &second)];
        let stays: Vec<Key> = folded.nodes.iter().map(|it| it.key).collect();
        for a in &stays {
            for b in &stays {
                let order = |of: &HashMap<Key, (f32, f32)>| {
                    let ([ax, ay], [bx, by]) = ([of[a].0, of[a].1], [of[b].0, of[b].1]);
                    let column = match (ax - bx).abs() < 0.1 {
                        true => std::cmp::Ordering::Equal,
                        false => ax.total_cmp(&bx),
                    };
                    (column, column.is_eq().then(|| ay.total_cmp(&by)))
                };
                assert_eq!(order(&before), order(&after), "seed {seed}: {a} and {b}");
            }
        }
        let mut memory = second.memory.clone();
        memory.complete(&first.memory);
        let third = lay_out(&folded.graph(), &SPACING, &memory);
        check(&folded, &third, seed);
        let again = lay_out(&folded.graph(), &SPACING, &first.memory);
        let columns = |of: &Layout| of.nodes.iter().map(|it| it.min.x).collect::<Vec<_>>();
        assert_eq!(columns(&third), columns(&again), "seed {seed}");
    }
}

#[test]
fn crossings_are_counted_as_each_pair_would_be() {
    for seed in 0..100 {
        let mut below = random_numbers(seed);
        let made = {
            let (nodes, edges) = (2 + below(30), below(90));
            random(seed, nodes, edges)
        };
        let graph = made.graph();
        let levels = levels::levels(&graph);
        let mut turned = vec![false; made.edges.len()];
        let nothing = Memory::default();
        let line = cycles::turn(&graph, &levels[0], &nothing, &mut turned);
        let ranks = ranks::ranks(&graph, &levels[0], &turned, &line, &nothing);
        let mut net = net::Net::new(&graph, &levels[0], &turned, &ranks, None);
        let count = |net: &net::Net| {
            let mut pieces = Vec::new();
            for chain in &net.chains {
                pieces.extend(chain.places.windows(2).map(|pair| (pair[0], pair[1])));
            }
            let mut count = 0;
            for (number, &(a, b)) in pieces.iter().enumerate() {
                for &(c, d) in &pieces[..number] {
                    let at = |place: u32| i64::from(net.at[place as usize]);
                    let is_same = net.rank_of[a as usize] == net.rank_of[c as usize];
                    count += u64::from(is_same && (at(a) - at(c)) * (at(b) - at(d)) < 0);
                }
            }
            count
        };
        let before = count(&net);
        assert_eq!(
            crossings::Counter::default().all(&net),
            before,
            "seed {seed}"
        );
        order::order(&mut net, &vec![None; levels[0].items.len()]);
        let after = count(&net);
        assert_eq!(
            crossings::Counter::default().all(&net),
            after,
            "seed {seed}"
        );
        assert!(after <= before, "seed {seed}: {before} to {after}");
    }
}

#[test]
fn odd_graphs_have_a_layout_too() {
    let empty = Made::default();
    assert_eq!(empty.layout().size, Vec2::ZERO);
    let mut odd = Made::default();
    let cluster = odd.cluster(Some(7));
    let bare = odd.cluster(Some(cluster));
    odd.cluster(Some(3));
    odd.nodes.push(Node {
        size: Vec2::new(f32::NAN, -4.0),
        cluster: Some(99),
        key: 0,
    });
    let node = odd.node(Some(cluster));
    odd.edge(node, node);
    odd.edge(node, 55);
    odd.edge(77, node);
    odd.edge(0, node);
    odd.edges[3].width = f32::NAN;
    let layout = odd.layout();
    assert!(layout.routes[..3].iter().all(Vec::is_empty));
    assert!(
        layout
            .nodes
            .iter()
            .chain(&layout.clusters)
            .all(|it| it.max.is_finite())
    );
    assert!(is_inside(
        layout.clusters[bare as usize],
        layout.clusters[cluster as usize]
    ));
    assert!(layout.routes[3].iter().all(|it| it.is_finite()) && layout.routes[3].len() > 1);
    // Wishes that go in a circle are given up.
    let mut circle = Made::default();
    let [a, b] = [0, 1].map(|_| circle.node(None));
    for (from, to) in [(a, b), (b, a)] {
        circle.edge(from, to);
        circle.edges.iter_mut().for_each(|it| it.is_drawn = false);
    }
    check(&circle, &circle.layout_without_routes(), 0);
}

impl Made {
    /// The same, of which only boxes are looked at.
    fn layout_without_routes(&self) -> Layout {
        let mut layout = self.layout();
        layout.routes.clear();
        layout
    }
}

//! The rows of the tree table: contexts by their callers, or by their callees, made as they are opened.

use std::cmp::Ordering;
use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;

use crate::parts::contexts::ShownContexts;
use callscape_base::units::{ContextId, Cost, FunctionId};

/// What the rows are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Mode {
    /// Outermost contexts, and below each what is called in it.
    #[default]
    Calls,
    /// Functions by what they cost themselves, and below each its callers: the inverted tree.
    Callers,
    /// One function with all its callers above and all its callees below, whatever the context.
    Sandwich(FunctionId),
}

/// What rows are sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum By {
    #[default]
    Total,
    Own,
    Calls,
    Average,
    Waiting,
    Other,
    Delta,
}

/// Of one row no more rows are below it than these, the hottest.
const MOST_CHILDREN: usize = 2_000;

/// What a row stands for.
#[derive(Clone, Debug, Default)]
enum Members {
    One(ContextId),
    /// Contexts of one function, none within another at first.
    Down(Vec<ContextId>),
    /// Contexts of one function, each with what flows into it from the contexts that it leads to.
    Up(Vec<Flow>),
    /// Rows that are too many.
    #[default]
    Rest,
}

/// Costs that come from a context further inside.
#[derive(Clone, Copy, Debug)]
struct Flow {
    at: ContextId,
    cost: Sums,
}

/// What is known of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sums {
    pub total: Cost,
    pub own: Cost,
    pub calls: u64,
    pub waiting: Cost,
    /// The total in the other run.
    pub other: Cost,
}

impl Sums {
    fn add(&mut self, more: &Sums) {
        self.total += more.total;
        self.own += more.own;
        self.calls = self.calls.saturating_add(more.calls);
        self.waiting += more.waiting;
        self.other += more.other;
    }

    pub(super) fn average(&self) -> Cost {
        Cost::from_ns(self.total.ns() / self.calls.max(1))
    }

    /// How much the run shown has more than the other one.
    pub(super) fn delta(&self) -> i128 {
        i128::from(self.total) - i128::from(self.other)
    }

    fn order(&self, other: &Sums, by: By) -> Ordering {
        match by {
            By::Total => self.total.size().cmp(&other.total.size()),
            By::Own => self.own.size().cmp(&other.own.size()),
            By::Calls => self.calls.cmp(&other.calls),
            By::Average => self.average().cmp(&other.average()),
            By::Waiting => self.waiting.cmp(&other.waiting),
            By::Other => self.other.cmp(&other.other),
            By::Delta => self.delta().abs().cmp(&other.delta().abs()),
        }
    }
}

/// A row.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub function: FunctionId,
    pub sums: Sums,
    pub depth: u32,
    pub is_open: bool,
    /// It stands for so many rows that are not shown.
    pub left_out: u32,
    /// It has, or may have, rows below it.
    pub has_children: bool,
    parent: Option<u32>,
    members: Members,
    /// None until it is opened.
    children: Option<Vec<u32>>,
}

/// All rows that have been opened, and those that are seen.
pub(super) struct Forest {
    shown: Arc<ShownContexts>,
    mode: Mode,
    by: By,
    nodes: Vec<Node>,
    roots: Vec<u32>,
    visible: Vec<u32>,
}

impl Forest {
    /// The outermost rows, the hottest opened as far as `rows` rows go.
    pub(super) fn new(shown: Arc<ShownContexts>, mode: Mode, by: By, rows: usize) -> Forest {
        let mut forest = Forest {
            shown,
            mode,
            by,
            nodes: Vec::new(),
            roots: Vec::new(),
            visible: Vec::new(),
        };
        forest.roots = match mode {
            Mode::Calls => {
                let outermost = forest.shown.contexts.children(None).collect();
                forest.down(None, outermost)
            }
            Mode::Callers => forest.inverted(),
            Mode::Sandwich(function) => forest.sandwich(function),
        };
        forest.open_first(rows);
        forest
    }

    pub(super) fn shown(&self) -> &Arc<ShownContexts> {
        &self.shown
    }

    pub(super) fn mode(&self) -> Mode {
        self.mode
    }

    pub(super) fn by(&self) -> By {
        self.by
    }

    /// The rows that are seen, in order.
    pub(super) fn rows(&self) -> &[u32] {
        &self.visible
    }

    pub(super) fn node(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }

    /// The node of the row at a place.
    pub(super) fn at(&self, place: usize) -> Option<u32> {
        self.visible.get(place).copied()
    }

    pub(super) fn place_of(&self, node: u32) -> Option<usize> {
        self.visible.iter().position(|&it| it == node)
    }

    pub(super) fn parent(&self, node: u32) -> Option<u32> {
        self.node(node).parent
    }

    /// The one context that a row stands for.
    pub(super) fn context(&self, node: u32) -> Option<ContextId> {
        match self.node(node).members {
            Members::One(context) => Some(context),
            _ => None,
        }
    }

    /// Whether one of the contexts of a row, or one below it, is meant.
    pub(super) fn leads_to(&self, node: u32, hits: &crate::parts::hits::Hits) -> bool {
        let below = |it: &ContextId| hits.within(self.shown.contexts.subtree(*it));
        match &self.node(node).members {
            Members::One(context) => below(context),
            Members::Down(contexts) => contexts.iter().any(below),
            Members::Up(flows) => flows.iter().any(|it| {
                std::iter::successors(Some(it.at), |at| self.shown.contexts.parent(*at))
                    .any(|at| hits.holds(at))
            }),
            Members::Rest => false,
        }
    }

    /// Opens or closes a row.
    pub(super) fn toggle(&mut self, node: u32) {
        let is_open = self.node(node).is_open;
        self.set_open(node, !is_open);
        self.list();
    }

    /// Opens or closes a row, if that changes anything; whether it does.
    pub(super) fn change(&mut self, node: u32, is_open: bool) -> bool {
        let of = self.node(node);
        if of.is_open == is_open || !of.has_children {
            return false;
        }
        self.set_open(node, is_open);
        self.list();
        true
    }

    /// Opens a row, the hottest below it, and so on to the end; the last of them.
    pub(super) fn open_hottest(&mut self, node: u32) -> u32 {
        /// Longer ways nobody follows.
        const LONGEST: usize = 5_000;
        let mut at = node;
        for _ in 0..LONGEST {
            self.set_open(at, true);
            let children = self.node(at).children.iter().flatten();
            let mut real = children.filter(|it| self.node(**it).left_out == 0);
            let hottest = real.next().copied();
            match hottest {
                Some(hottest) => at = hottest,
                None => break,
            }
        }
        self.list();
        at
    }

    /// Opens the rows around a context, where rows are contexts; its row.
    pub(super) fn reveal(&mut self, context: ContextId) -> Option<u32> {
        if self.mode != Mode::Calls {
            return None;
        }
        let mut siblings = self.roots.clone();
        let mut found = None;
        for on_way in self.shown.path(context) {
            let is_it = |it: &&u32| self.context(**it) == Some(on_way);
            let Some(&node) = siblings.iter().find(is_it) else {
                break;
            };
            found = Some(node).filter(|_| on_way == context);
            if on_way != context {
                self.set_open(node, true);
            }
            siblings = self.node(node).children.clone().unwrap_or_default();
        }
        self.list();
        found
    }

    /// Sorts all rows by something else.
    pub(super) fn sort_by(&mut self, by: By) {
        self.by = by;
        let mut roots = std::mem::take(&mut self.roots);
        if !matches!(self.mode, Mode::Sandwich(_)) {
            self.sort(&mut roots);
        }
        self.roots = roots;
        for at in 0..self.nodes.len() {
            if let Some(mut children) = self.nodes[at].children.take() {
                self.sort(&mut children);
                self.nodes[at].children = Some(children);
            }
        }
        self.list();
    }

    fn sort(&self, rows: &mut [u32]) {
        rows.sort_by(|&x, &y| {
            let (of_x, of_y) = (self.node(x), self.node(y));
            // What is left out stands last.
            let rest = (of_x.left_out > 0).cmp(&(of_y.left_out > 0));
            let by = || of_y.sums.order(&of_x.sums, self.by);
            let total = || of_y.sums.total.cmp(&of_x.sums.total);
            rest.then_with(by).then_with(total).then(x.cmp(&y))
        });
    }

    /// The contexts whose rows are seen and open, in order; none where rows are no contexts.
    pub(super) fn open_contexts(&self) -> Vec<ContextId> {
        if self.mode != Mode::Calls {
            return Vec::new();
        }
        let open = self.visible.iter().filter(|it| self.node(**it).is_open);
        let mut contexts: Vec<ContextId> = open.filter_map(|it| self.context(*it)).collect();
        contexts.sort_unstable();
        contexts
    }

    /// Opens the rows of these contexts, which are in order, and closes all others; nothing where rows are no contexts.
    pub(super) fn open_alone(&mut self, contexts: &[ContextId]) {
        if self.mode != Mode::Calls {
            return;
        }
        for node in &mut self.nodes {
            node.is_open = false;
        }
        let of = |forest: &Forest, rows: &[u32]| -> Vec<(ContextId, u32)> {
            let rows = rows.iter();
            rows.filter_map(|&it| Some((forest.context(it)?, it)))
                .collect()
        };
        let mut rows: HashMap<ContextId, u32> = of(self, &self.roots).into_iter().collect();
        for context in contexts {
            if let Some(&node) = rows.get(context) {
                self.set_open(node, true);
                let children = self.node(node).children.clone().unwrap_or_default();
                rows.extend(of(self, &children));
            }
        }
        self.list();
    }

    /// Opens the hottest rows first, until so many are seen.
    fn open_first(&mut self, rows: usize) {
        let mut closed: BinaryHeap<(Cost, std::cmp::Reverse<u32>)> = BinaryHeap::new();
        let push = |closed: &mut BinaryHeap<_>, forest: &Forest, nodes: &[u32]| {
            let open = nodes.iter().filter(|it| forest.node(**it).has_children);
            closed.extend(open.map(|&it| (forest.node(it).sums.total, std::cmp::Reverse(it))));
        };
        push(&mut closed, self, &self.roots);
        let mut seen = self.roots.len();
        while seen < rows
            && let Some((_, std::cmp::Reverse(node))) = closed.pop()
        {
            self.set_open(node, true);
            let children = self.node(node).children.clone().unwrap_or_default();
            // What has very many callees stays closed, unless most of the time is spent in it.
            let is_most = self.shown.share(self.node(node).sums.total) >= 0.5;
            if seen + children.len() > rows.saturating_mul(2) && !is_most {
                self.nodes[node as usize].is_open = false;
                continue;
            }
            seen += children.len();
            push(&mut closed, self, &children);
        }
        self.list();
    }

    fn set_open(&mut self, node: u32, is_open: bool) {
        if is_open && self.node(node).children.is_none() {
            let children = match std::mem::take(&mut self.nodes[node as usize].members) {
                Members::One(context) => {
                    let below: Vec<_> = self.shown.contexts.children(Some(context)).collect();
                    self.nodes[node as usize].members = Members::One(context);
                    self.down(Some(node), below)
                }
                Members::Down(contexts) => {
                    let below = contexts.iter();
                    let below = below.flat_map(|it| self.shown.contexts.children(Some(*it)));
                    let below = below.collect();
                    self.nodes[node as usize].members = Members::Down(contexts);
                    self.down(Some(node), below)
                }
                Members::Up(flows) => {
                    let rows = self.callers(node, &flows);
                    self.nodes[node as usize].members = Members::Up(flows);
                    rows
                }
                Members::Rest => Vec::new(),
            };
            self.nodes[node as usize].has_children = !children.is_empty();
            self.nodes[node as usize].children = Some(children);
        }
        let of = &mut self.nodes[node as usize];
        of.is_open = is_open && of.has_children;
    }

    /// Lists the rows that are seen. O(their number).
    fn list(&mut self) {
        self.visible.clear();
        let mut open: Vec<u32> = self.roots.iter().rev().copied().collect();
        while let Some(node) = open.pop() {
            self.visible.push(node);
            let of = &self.nodes[node as usize];
            if let Some(children) = of.children.as_ref().filter(|_| of.is_open) {
                open.extend(children.iter().rev());
            }
        }
    }

    fn sums(&self, context: ContextId) -> Sums {
        let shown = &self.shown;
        Sums {
            total: shown.total(context),
            own: shown.own(context),
            calls: shown.calls(context),
            waiting: shown.waiting(context),
            other: shown.other_total(context),
        }
    }

    /// Rows of contexts, those of one function together.
    fn down(&mut self, parent: Option<u32>, contexts: Vec<ContextId>) -> Vec<u32> {
        // Below one context each function stands once.
        let is_plain = parent.is_none_or(|it| matches!(self.node(it).members, Members::One(_)));
        let groups: Vec<(FunctionId, Vec<ContextId>)> = match is_plain {
            true => {
                let function = |it: ContextId| self.shown.contexts.function(it);
                contexts
                    .into_iter()
                    .map(|it| (function(it), vec![it]))
                    .collect()
            }
            false => grouped(contexts, |it| self.shown.contexts.function(*it)),
        };
        let rows = groups.into_iter().map(|(function, contexts)| {
            let mut sums = Sums::default();
            for &context in &contexts {
                sums.add(&self.sums(context));
            }
            let has_children = contexts
                .iter()
                .any(|&it| self.shown.contexts.subtree(it).len() > 1);
            let members = match contexts[..] {
                [context] => Members::One(context),
                _ => Members::Down(contexts),
            };
            (function, sums, has_children, members)
        });
        let rows = rows.collect();
        self.add(parent, rows)
    }

    /// Rows of the callers of what flows into a row.
    fn callers(&mut self, node: u32, flows: &[Flow]) -> Vec<u32> {
        let contexts = &self.shown.contexts;
        let outwards = flows.iter().filter_map(|flow| {
            let at = contexts.parent(flow.at)?;
            Some(Flow { at, ..*flow })
        });
        let groups = grouped(outwards.collect(), |it| contexts.function(it.at));
        let rows = groups.into_iter().map(|(function, flows)| {
            let mut sums = Sums::default();
            for flow in &flows {
                sums.add(&flow.cost);
            }
            let has_children = flows.iter().any(|it| contexts.parent(it.at).is_some());
            (function, sums, has_children, Members::Up(flows))
        });
        let rows = rows.collect();
        self.add(Some(node), rows)
    }

    /// Every function by what its contexts cost themselves.
    fn inverted(&mut self) -> Vec<u32> {
        let shown = &self.shown;
        let flows = shown.contexts.ids().map(|at| {
            let own = shown.own(at);
            let cost = Sums {
                total: own,
                own,
                calls: shown.calls(at),
                ..Sums::default()
            };
            Flow { at, cost }
        });
        let has_weight = |it: &Flow| it.cost.total > Cost::ZERO;
        let groups = grouped(flows.filter(has_weight).collect(), |it| {
            shown.contexts.function(it.at)
        });
        let rows = groups.into_iter().map(|(function, flows)| {
            let mut sums = Sums::default();
            for flow in &flows {
                sums.add(&flow.cost);
            }
            let has_children = flows
                .iter()
                .any(|it| shown.contexts.parent(it.at).is_some());
            (function, sums, has_children, Members::Up(flows))
        });
        let rows = rows.collect();
        self.add(None, rows)
    }

    /// A function twice: with its callers, and with its callees. Of contexts within each other the outermost counts.
    fn sandwich(&mut self, function: FunctionId) -> Vec<u32> {
        let shown = &self.shown;
        let contexts = &shown.contexts;
        let mut end = 0;
        let outermost: Vec<ContextId> = contexts
            .ids()
            .filter(|&it| {
                let is_it = contexts.function(it) == function && it.0 >= end;
                if is_it {
                    end = contexts.subtree(it).end;
                }
                is_it
            })
            .collect();
        let mut sums = Sums::default();
        let flows: Vec<Flow> = outermost
            .iter()
            .map(|&at| {
                let cost = self.sums(at);
                sums.add(&cost);
                Flow { at, cost }
            })
            .collect();
        if flows.is_empty() {
            return Vec::new();
        }
        let has_callers = flows.iter().any(|it| contexts.parent(it.at).is_some());
        let has_callees = outermost.iter().any(|&it| contexts.subtree(it).len() > 1);
        let callers = (function, sums, has_callers, Members::Up(flows));
        let callees = (function, sums, has_callees, Members::Down(outermost));
        let mut rows = self.make(None, vec![callers, callees]);
        rows.sort_unstable();
        rows
    }

    /// Adds rows, the hottest first; those that are too many as one.
    fn add(
        &mut self,
        parent: Option<u32>,
        mut rows: Vec<(FunctionId, Sums, bool, Members)>,
    ) -> Vec<u32> {
        let mut rest = None;
        if rows.len() > MOST_CHILDREN {
            let by = self.by;
            rows.sort_by(|x, y| y.1.order(&x.1, by).then(x.0.cmp(&y.0)));
            let left_out = rows.split_off(MOST_CHILDREN);
            let mut sums = Sums::default();
            for row in &left_out {
                sums.add(&row.1);
            }
            rest = Some((left_out.len() as u32, left_out[0].0, sums));
        }
        let mut made = self.make(parent, rows);
        self.sort(&mut made);
        if let Some((left_out, function, sums)) = rest {
            let row = (function, sums, false, Members::Rest);
            let rest = self.make(parent, vec![row]);
            for &node in &rest {
                self.nodes[node as usize].left_out = left_out;
            }
            made.extend(rest);
        }
        made
    }

    fn make(
        &mut self,
        parent: Option<u32>,
        rows: Vec<(FunctionId, Sums, bool, Members)>,
    ) -> Vec<u32> {
        let depth = parent.map_or(0, |it| self.node(it).depth + 1);
        let first = self.nodes.len() as u32;
        let rows = rows.into_iter();
        self.nodes
            .extend(rows.map(|(function, sums, has_children, members)| Node {
                function,
                sums,
                depth,
                is_open: false,
                left_out: 0,
                has_children,
                parent,
                members,
                children: None,
            }));
        (first..self.nodes.len() as u32).collect()
    }
}

/// Groups by function, in order of first appearance.
fn grouped<T>(all: Vec<T>, function: impl Fn(&T) -> FunctionId) -> Vec<(FunctionId, Vec<T>)> {
    let mut places: HashMap<FunctionId, usize> = HashMap::new();
    let mut groups: Vec<(FunctionId, Vec<T>)> = Vec::new();
    for one in all {
        let function = function(&one);
        let place = *places.entry(function).or_insert(groups.len());
        if place == groups.len() {
            groups.push((function, Vec::new()));
        }
        groups[place].1.push(one);
    }
    groups
}

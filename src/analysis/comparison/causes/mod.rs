//! Why two runs differ: the difference of their totals taken apart along the call tree of both, into parts that add up to
//! all of it.
//!
//! The trees are merged over threads and recursion. Each pair of contexts has a scale: how much more often its caller
//! runs in B than in A, which is told above it. Where the pair itself is called more or less often, and that explains
//! what differs in it, that is one cause and the new scale goes on to what it calls; what is left is a difference of its
//! own time, or of its callees.

mod renamed;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use super::Comparison;
use super::amounts::{Amounts, Change, Measure};
use super::contexts::ContextTree;
use callscape_base::progress::{Cancelled, Progress};
use callscape_facts::recording::RecordingKind;
use renamed::Names;

/// What differs of a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    CalledMore,
    CalledLess,
    /// Without counts of calls: all that it calls, and it itself, costs as many times more.
    MoreWork,
    LessWork,
    /// What it costs itself, without waiting where that is known.
    OwnTime,
    /// How long it has waited itself.
    Waiting,
    /// Called in B alone.
    New,
    /// Called in A alone.
    Gone,
}

impl Kind {
    /// As documents name it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::CalledMore => "called more",
            Kind::CalledLess => "called less",
            Kind::MoreWork => "more work",
            Kind::LessWork => "less work",
            Kind::OwnTime => "own time",
            Kind::Waiting => "waiting",
            Kind::New => "new",
            Kind::Gone => "gone",
        }
    }

    /// What it is a difference of.
    fn measure(self) -> Measure {
        match self {
            Kind::OwnTime | Kind::Waiting => Measure::SelfCost,
            _ => Measure::Total,
        }
    }
}

/// One reason of a difference: what differs of a function below one caller, in all contexts of the two.
#[derive(Clone, Debug, PartialEq)]
pub struct Cause {
    pub kind: Kind,
    /// Rows of the comparison, outermost first, of the context with the largest part.
    pub path: Vec<u32>,
    /// The function as A has it, where it is paired as renamed.
    pub was: Option<u32>,
    /// In how many contexts it differs.
    pub contexts: u32,
    /// What all of these have, and whether their difference is more than noise.
    pub change: Change,
    /// How much of the difference it is.
    pub amount: f64,
    /// The same as share of the whole difference: negative of what makes it smaller.
    pub explains: f64,
}

impl Cause {
    /// The row of the function.
    pub fn row(&self) -> u32 {
        self.path.last().copied().unwrap_or_default()
    }
}

/// The reasons, largest first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Causes {
    pub causes: Vec<Cause>,
    /// Total of B less total of A.
    pub difference: f64,
    /// The share of what is too small to be told, or noise. With those of the causes it makes 1; nothing explains a
    /// difference of nothing, of which all is the rest.
    pub rest: f64,
    /// Whether both sides know when their threads wait.
    pub knows_waiting: bool,
    /// Whether calls are counted.
    pub counts_calls: bool,
}

/// A cause below this share of all parts is too small to be told.
const LEAST: f64 = 0.001;

/// With counts of calls, a new scale leaves at most so much of what the old one leaves unexplained.
const LEFT_BY_CALLS: f64 = 0.9;

/// Without them, a new scale leaves at most so much,
const LEFT_BY_WORK: f64 = 0.5;

/// and no single callee has so much of all.
const ONE_CALLEE: f64 = 0.8;

impl Comparison {
    /// Why B costs more or less than A. For a worker thread: linear in the calls of traces and the contexts of profiles.
    pub fn causes(&self, progress: &Progress) -> Result<Causes, Cancelled> {
        let tree = self.contexts_without_recursion(progress)?;
        Ok(self.causes_of(&tree))
    }

    /// The same of the tree [without recursion](Comparison::contexts_without_recursion), or of its mirror image.
    pub fn causes_of(&self, tree: &ContextTree) -> Causes {
        let names = |row: u32| [0, 1].map(|side| self.function_of(row, side).name);
        let name = |row: u32| match names(row) {
            [a, ""] => a,
            [_, b] => b,
        };
        // Calls that samples were merged to are not those that ran, whatever value is shown.
        let mut kinds = self
            .session
            .recordings
            .iter()
            .map(|it| it.recording.recorded_as());
        let counts_calls = self.are_calls_alike() && kinds.all(|it| it != RecordingKind::Sampled);
        let units = self.session.recordings.iter().map(|it| it.recording.unit());
        let knows_waiting = [0, 1].iter().all(|&side| self.knows_waiting(side));
        if tree.without > 0 || units.clone().any(|it| Some(it) != units.clone().next()) {
            // There is no difference of what is no measure of the other.
            return Causes {
                rest: 1.0,
                knows_waiting,
                counts_calls,
                ..Causes::default()
            };
        }
        explain(tree, name, counts_calls, knows_waiting)
    }
}

/// Takes the difference of a tree apart. O(contexts), but for the names of what is left over below one caller.
pub fn explain<'a>(
    tree: &ContextTree,
    name: impl Fn(u32) -> &'a str,
    counts_calls: bool,
    knows_waiting: bool,
) -> Causes {
    let mut taking = Taking {
        tree,
        children: Children::of(tree),
        names: Names::new(&name),
        counts_calls,
        knows_waiting,
        parts: HashMap::new(),
    };
    taking.all();
    let difference: f64 = taking
        .children
        .of_node(None)
        .map(|it| taking.delta(it))
        .sum();
    let mut causes = Causes {
        difference,
        knows_waiting,
        counts_calls,
        rest: 1.0,
        ..Causes::default()
    };
    if difference == 0.0 {
        return causes;
    }
    let mut found: Vec<(Key, Part)> = taking.parts.into_iter().collect();
    let size = |part: &Part| part.amount.abs();
    // By the context where they differ most last, so that the order never changes.
    found.sort_by(|(x_key, x), (y_key, y)| {
        size(y)
            .total_cmp(&size(x))
            .then_with(|| (x.context, x_key).cmp(&(y.context, y_key)))
    });
    let all: f64 = found.iter().map(|(_, part)| size(part)).sum();
    let (mut told, mut rest) = (Vec::new(), 0.0);
    for (key, part) in found {
        let explains = part.amount / difference;
        if size(&part) < LEAST * all || !part.change.is_significant(key.kind.measure()) {
            rest += explains;
            continue;
        }
        told.push(Cause {
            kind: key.kind,
            path: tree.path(part.context),
            was: part.was,
            contexts: part.contexts,
            change: part.change,
            amount: part.amount,
            explains,
        });
    }
    causes.rest = rest;
    causes.causes = told;
    causes
}

/// Parts of one function below one caller with one kind are one cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Key {
    caller: Option<u32>,
    row: u32,
    kind: Kind,
}

/// What is known of a cause as its parts are found.
struct Part {
    amount: f64,
    contexts: u32,
    change: Change,
    /// The context with the largest part, that part, and what it was called before.
    context: u32,
    largest: f64,
    was: Option<u32>,
}

/// Contexts of A and B that are compared: those of one path, or of a function and what it is called now.
#[derive(Clone, Copy, Debug)]
struct Pair {
    a: u32,
    b: u32,
}

/// By context, what is called in it.
struct Children {
    /// By context, and at the end for the outermost ones, where its children begin.
    starts: Vec<u32>,
    children: Vec<u32>,
}

impl Children {
    /// O(contexts).
    fn of(tree: &ContextTree) -> Children {
        let count = tree.contexts.len();
        let place = |parent: Option<u32>| parent.map_or(count, |it| it as usize);
        let mut starts = vec![0_u32; count + 2];
        for context in &tree.contexts {
            starts[place(context.parent) + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut children = vec![0; count];
        for (number, context) in (0u32..).zip(&tree.contexts) {
            let next = &mut next[place(context.parent)];
            children[*next as usize] = number;
            *next += 1;
        }
        Children { starts, children }
    }

    /// Those of a context, of none the outermost.
    fn of_node(&self, node: Option<u32>) -> impl Iterator<Item = u32> + '_ {
        let at = node.map_or(self.starts.len() - 2, |it| it as usize);
        let range = self.starts[at] as usize..self.starts[at + 1] as usize;
        self.children[range].iter().copied()
    }
}

/// The callees of a pair: paired, and those of one side alone.
#[derive(Default)]
struct Callees {
    pairs: Vec<Pair>,
    gone: Vec<u32>,
    new: Vec<u32>,
}

/// Takes a difference apart.
struct Taking<'t, 'n, N> {
    tree: &'t ContextTree,
    children: Children,
    names: Names<'n, N>,
    counts_calls: bool,
    knows_waiting: bool,
    parts: HashMap<Key, Part>,
}

impl<'a, N: Fn(u32) -> &'a str> Taking<'_, '_, N> {
    fn amounts(&self, context: u32) -> (&Amounts, &Amounts) {
        let change = &self.tree.contexts[context as usize].change;
        (&change.a, &change.b)
    }

    fn delta(&self, context: u32) -> f64 {
        let (a, b) = self.amounts(context);
        b.total - a.total
    }

    /// All contexts, callers before what they call.
    fn all(&mut self) {
        let mut open: Vec<(Pair, f64)> = Vec::new();
        let outermost = self.callees(None);
        self.one_sided(&outermost, 1.0);
        open.extend(outermost.pairs.into_iter().rev().map(|pair| (pair, 1.0)));
        while let Some((pair, scale)) = open.pop() {
            let callees = self.callees(Some(pair));
            let scale = self.pair(pair, scale, &callees);
            self.one_sided(&callees, scale);
            open.extend(callees.pairs.into_iter().rev().map(|pair| (pair, scale)));
        }
    }

    /// Pairs what both contexts of a pair call, or what is outermost in both trees.
    fn callees(&mut self, of: Option<Pair>) -> Callees {
        let mut found = Callees::default();
        match of {
            Some(Pair { a, b }) if a != b => {
                let is_there = |side: fn(&Change) -> &Amounts| {
                    let tree = self.tree;
                    move |it: &u32| side(&tree.contexts[*it as usize].change).is_there()
                };
                let row = |it: u32| self.tree.contexts[it as usize].row;
                let of_b = self.children.of_node(Some(b)).filter(is_there(|it| &it.b));
                let mut of_b: HashMap<u32, u32> = of_b.map(|it| (row(it), it)).collect();
                for a in self.children.of_node(Some(a)).filter(is_there(|it| &it.a)) {
                    match of_b.remove(&row(a)) {
                        Some(b) => found.pairs.push(Pair { a, b }),
                        None => found.gone.push(a),
                    }
                }
                found.new.extend(of_b.into_values());
                found.new.sort_unstable();
            }
            of => {
                for child in self.children.of_node(of.map(|it| it.a)) {
                    let (a, b) = self.amounts(child);
                    match (a.is_there(), b.is_there()) {
                        (true, true) => found.pairs.push(Pair { a: child, b: child }),
                        (true, false) => found.gone.push(child),
                        (false, true) => found.new.push(child),
                        (false, false) => {}
                    }
                }
            }
        }
        if !found.gone.is_empty() && !found.new.is_empty() {
            self.rename(&mut found);
        }
        found
    }

    /// Pairs what is left over below one caller and named alike.
    fn rename(&mut self, found: &mut Callees) {
        let tree = self.tree;
        let row = |it: u32| tree.contexts[it as usize].row;
        let children = &self.children;
        let callees = |side: usize, it: u32| -> Vec<u32> {
            let of_side = children.of_node(Some(it)).filter(|&it| {
                let change = &tree.contexts[it as usize].change;
                [&change.a, &change.b][side].is_there()
            });
            let mut rows: Vec<u32> = of_side.map(row).collect();
            rows.sort_unstable();
            rows
        };
        let size = |it: u32| {
            let change = &tree.contexts[it as usize].change;
            change.a.total.max(change.b.total)
        };
        let renamed = self.names.pair(&found.gone, &found.new, row, callees, size);
        found
            .gone
            .retain(|it| !renamed.iter().any(|(a, _)| a == it));
        found.new.retain(|it| !renamed.iter().any(|(_, b)| b == it));
        let pairs = renamed.into_iter().map(|(a, b)| Pair { a, b });
        found.pairs.extend(pairs);
    }

    /// What differs of a pair itself; gives the scale that its callees go on with.
    fn pair(&mut self, pair: Pair, scale: f64, callees: &Callees) -> f64 {
        let (a, b) = (*self.amounts(pair.a).0, *self.amounts(pair.b).1);
        let left = |scale: f64| {
            let pairs = callees.pairs.iter();
            let pairs =
                pairs.map(|it| self.amounts(it.b).1.total - scale * self.amounts(it.a).0.total);
            let gone = callees
                .gone
                .iter()
                .map(|&it| scale * self.amounts(it).0.total);
            let new = callees.new.iter().map(|&it| self.amounts(it).1.total);
            let below: f64 = pairs.chain(gone).chain(new).map(f64::abs).sum();
            below + (b.self_cost - scale * a.self_cost).abs()
        };
        let (wanted, most_left, [more, less]) = match self.counts_calls {
            true => (
                (a.calls > 0.0).then(|| b.calls / a.calls),
                LEFT_BY_CALLS,
                [Kind::CalledMore, Kind::CalledLess],
            ),
            false => (
                self.median(&a, &b, callees),
                LEFT_BY_WORK,
                [Kind::MoreWork, Kind::LessWork],
            ),
        };
        let before = left(scale);
        let taken =
            wanted.filter(|&it| it != scale && before > 0.0 && left(it) <= most_left * before);
        let next = taken.unwrap_or(scale);
        let kind = if next > scale { more } else { less };
        self.part(pair, kind, (next - scale) * a.total);
        if self.knows_waiting {
            let running = |of: &Amounts| of.self_cost - of.self_waiting;
            self.part(pair, Kind::OwnTime, running(&b) - next * running(&a));
            self.part(pair, Kind::Waiting, b.self_waiting - next * a.self_waiting);
        } else {
            self.part(pair, Kind::OwnTime, b.self_cost - next * a.self_cost);
        }
        next
    }

    /// The weighted median of how many times more the callees and the own time of a pair are in B; none where one
    /// callee is nearly all of it, for then the difference is its.
    fn median(&self, a: &Amounts, b: &Amounts, callees: &Callees) -> Option<f64> {
        let pairs = callees.pairs.iter();
        let pairs = pairs.map(|it| (self.amounts(it.a).0.total, self.amounts(it.b).1.total));
        let gone = callees
            .gone
            .iter()
            .map(|&it| (self.amounts(it).0.total, 0.0));
        let mut parts: Vec<(f64, f64)> = pairs.chain(gone).collect();
        if parts.iter().any(|(of_a, _)| *of_a >= ONE_CALLEE * a.total) {
            return None;
        }
        parts.push((a.self_cost, b.self_cost));
        parts.retain(|(of_a, _)| *of_a > 0.0);
        let mut ratios: Vec<(f64, f64)> = parts.iter().map(|(a, b)| (b / a, *a)).collect();
        ratios.sort_by(|x, y| x.0.total_cmp(&y.0));
        let half = ratios.iter().map(|(_, weight)| weight).sum::<f64>() / 2.0;
        let mut sum = 0.0;
        let mut middle = ratios.iter().skip_while(|(_, weight)| {
            sum += weight;
            sum < half
        });
        middle.next().map(|(ratio, _)| *ratio)
    }

    /// What is called on one side alone.
    fn one_sided(&mut self, callees: &Callees, scale: f64) {
        for &a in &callees.gone {
            let amount = -scale * self.amounts(a).0.total;
            self.part(Pair { a, b: a }, Kind::Gone, amount);
        }
        for &b in &callees.new {
            let amount = self.amounts(b).1.total;
            self.part(Pair { a: b, b }, Kind::New, amount);
        }
    }

    fn part(&mut self, pair: Pair, kind: Kind, amount: f64) {
        if amount == 0.0 {
            return;
        }
        let of_b = &self.tree.contexts[pair.b as usize];
        let of_a = &self.tree.contexts[pair.a as usize];
        let parent = of_b.parent.map(|it| self.tree.contexts[it as usize].row);
        let key = Key {
            caller: parent,
            row: of_b.row,
            kind,
        };
        let part = self.parts.entry(key).or_insert_with(|| Part {
            amount: 0.0,
            contexts: 0,
            change: Change::default(),
            context: pair.b,
            largest: 0.0,
            was: None,
        });
        part.amount += amount;
        part.contexts += 1;
        part.change.a.add(&of_a.change.a);
        part.change.b.add(&of_b.change.b);
        if amount.abs() > part.largest {
            part.largest = amount.abs();
            part.context = pair.b;
            part.was = (pair.a != pair.b).then_some(of_a.row);
            part.change.chance = of_b.change.chance;
            part.change.is_significant = of_b.change.is_significant;
        }
    }
}

//! The skeleton of calls that are handed in one after the other: of those that are left of a thread where something is
//! left out, for which no table holds what they trigger.

use std::collections::HashMap;

use super::nodes::{Floor, Light, Node, Skeleton};
use super::sets::{FunctionSets, SetId};
use callscape_base::units::{CallId, Cost, FunctionId, ThreadId};

/// A call that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    pub call: CallId,
    /// The last call that it triggers in the whole thread; itself where it triggers none.
    pub last: CallId,
    pub function: FunctionId,
    /// The innermost call around it, of those that are handed in.
    pub caller: Option<CallId>,
    pub cost: Cost,
}

/// Gathers calls in order of their end.
pub struct Gatherer {
    out: Skeleton,
    /// Of the calls that are open, those below which one has ended; outermost first.
    open: Vec<Open>,
    spare: Vec<Open>,
    /// By cost how many calls have it that call nothing.
    short: HashMap<u64, u64>,
}

/// A call around one that has ended.
#[derive(Default)]
struct Open {
    /// None of the root.
    call: Option<CallId>,
    triggered: u64,
    /// How many levels of calls there are below it, without those below other nodes.
    height: u32,
    /// Of its subcalls that are no nodes, several rows of one callee among them.
    lights: Vec<Light>,
    /// Of these and what they trigger, some twice.
    functions: Vec<u32>,
    /// How many rows and functions there were when they were last put together.
    tidy: [usize; 2],
}

/// Rows or functions are put together when they have doubled, and are this many more.
const TOGETHER: usize = 64;

impl Open {
    /// A lightweight subcall has ended, with what it triggered.
    fn take(&mut self, light: Light, below: &mut Open) {
        self.lights.push(light);
        if self.functions.len() < below.functions.len() {
            std::mem::swap(&mut self.functions, &mut below.functions);
            self.tidy[1] = below.tidy[1];
        }
        self.functions.extend_from_slice(&below.functions);
        self.functions.push(light.function.0);
        if self.lights.len() > 2 * self.tidy[0] + TOGETHER {
            self.put_lights_together();
        }
        if self.functions.len() > 2 * self.tidy[1] + TOGETHER {
            self.put_functions_together();
        }
    }

    fn put_lights_together(&mut self) {
        self.lights.sort_unstable_by_key(|light| light.function);
        self.lights.dedup_by(|next, kept| {
            let is_same = next.function == kept.function;
            if is_same {
                kept.add(next);
            }
            is_same
        });
        self.tidy[0] = self.lights.len();
    }

    fn put_functions_together(&mut self) {
        self.functions.sort_unstable();
        self.functions.dedup();
        self.tidy[1] = self.functions.len();
    }

    /// As new, keeping what it holds memory for.
    fn clear(&mut self) {
        self.lights.clear();
        self.functions.clear();
        *self = Open {
            lights: std::mem::take(&mut self.lights),
            functions: std::mem::take(&mut self.functions),
            ..Open::default()
        };
    }
}

impl Gatherer {
    pub fn new(thread: ThreadId, floor: Floor) -> Gatherer {
        let root = Node {
            call: CallId(u32::MAX),
            last: CallId(u32::MAX),
            function: FunctionId(u32::MAX),
            parent: 0,
            end: 1,
            triggered: 0,
            depth: 0,
            deepest: 0,
            functions: SetId::default(),
            cost: Cost::ZERO,
            lights: (0, 0),
        };
        Gatherer {
            out: Skeleton {
                thread,
                floor,
                nodes: vec![root],
                lights: Vec::new(),
                sets: FunctionSets::default(),
                linked: Vec::new(),
            },
            open: vec![Open::default()],
            spare: Vec::new(),
            short: HashMap::new(),
        }
    }

    /// The next call that has ended. What it triggered was handed in before, and what is around it follows.
    pub fn add(&mut self, ended: &Ended) {
        let is_innermost = self.open.last().is_some_and(|it| {
            // The root is nobody's own.
            it.call == Some(ended.call)
        });
        let mut own = match is_innermost {
            true => self.open.pop().unwrap_or_default(),
            false => {
                *self.short.entry(ended.cost.ns()).or_default() += 1;
                self.spare.pop().unwrap_or_default()
            }
        };
        if self.open.last().is_none_or(|it| it.call != ended.caller) {
            let mut around = self.spare.pop().unwrap_or_default();
            around.call = ended.caller;
            self.open.push(around);
        }
        if let Some(around) = self.open.last_mut() {
            around.triggered += own.triggered + 1;
        }
        if ended.caller.is_none() {
            self.out.nodes[0].cost += ended.cost;
        }
        if self.out.floor.keeps(own.triggered, ended.cost) {
            own.functions.push(ended.function.0);
            let node = self.node(&mut own, ended);
            self.out.nodes.push(node);
        } else if let Some(around) = self.open.last_mut() {
            around.height = around.height.max(own.height + 1);
            let light = Light {
                function: ended.function,
                of: 1,
                calls: own.triggered + 1,
                cost: ended.cost,
            };
            around.take(light, &mut own);
        }
        own.clear();
        self.spare.push(own);
    }

    /// The node of a call; how deep it lies is found in the end.
    fn node(&mut self, own: &mut Open, ended: &Ended) -> Node {
        own.put_lights_together();
        own.put_functions_together();
        let first = self.out.lights.len() as u32;
        self.out.lights.extend_from_slice(&own.lights);
        Node {
            call: ended.call,
            last: ended.last,
            function: ended.function,
            parent: 0,
            end: 0,
            triggered: u32::try_from(own.triggered).unwrap_or(u32::MAX),
            depth: 0,
            deepest: own.height,
            functions: self.out.sets.intern(&own.functions),
            cost: ended.cost,
            lights: (first, self.out.lights.len() as u32),
        }
    }

    /// The skeleton, and by cost how many of the calls call nothing.
    pub fn finish(mut self) -> (Skeleton, HashMap<u64, u64>) {
        let mut root = self.open.pop().unwrap_or_default();
        let of_root = Ended {
            call: CallId(u32::MAX),
            last: CallId(u32::MAX),
            function: FunctionId(u32::MAX),
            caller: None,
            cost: self.out.nodes[0].cost,
        };
        let mut root = self.node(&mut root, &of_root);
        root.deepest = root.deepest.saturating_sub(1);
        let nodes = &mut self.out.nodes;
        // In order of start; what is around a node is a node too.
        nodes[1..].sort_unstable_by_key(|node| node.call);
        root.end = nodes.len() as u32;
        nodes[0] = root;
        let mut around: Vec<u32> = Vec::new();
        for index in 1..nodes.len() {
            let call = nodes[index].call;
            while let Some(ended) = around.pop_if(|it| nodes[*it as usize].last < call) {
                nodes[ended as usize].end = index as u32;
            }
            let depth = around.len() as u32;
            let node = &mut nodes[index];
            node.parent = around.last().copied().unwrap_or(0);
            node.depth = depth;
            node.deepest += depth;
            around.push(index as u32);
        }
        for open in around {
            nodes[open as usize].end = nodes.len() as u32;
        }
        (self.out, self.short)
    }
}

/// The median of costs, by cost how many have it; of two in the middle their mean.
pub fn median(counts: &HashMap<u64, u64>) -> Option<Cost> {
    let mut counts: Vec<(u64, u64)> = counts.iter().map(|(&cost, &count)| (cost, count)).collect();
    counts.sort_unstable();
    let total: u64 = counts.iter().map(|&(_, count)| count).sum();
    let last = total.checked_sub(1)?;
    let nth = |rank: u64| {
        let mut before = 0;
        let found = counts.iter().find(|&&(_, count)| {
            before += count;
            rank < before
        });
        found.map_or(0, |&(cost, _)| cost)
    };
    let (low, high) = (nth(last / 2), nth(total / 2));
    Some(Cost::from_ns(low + (high - low) / 2))
}

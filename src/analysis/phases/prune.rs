//! Phases and gathered calls out of skeletons.

use std::collections::HashMap;

use super::{Dropped, Gathered, Kind, Parameters, Phase, Phases, Root};
use callscape_base::units::ThreadId;
use callscape_facts::trace::{Floor, FunctionSets, Light, Node, SetId, Skeleton};

/// What is found of one thread. Phases are numbered from 0.
struct Pruned<'a> {
    skeleton: &'a Skeleton,
    phases: Vec<Phase>,
    root: Dropped,
    /// By phase and one more, 0 for none, and callee; in order.
    gathered: Vec<(u32, Light)>,
}

/// By node how many of its direct subcalls are heavy; none of a node that is not heavy itself.
fn heavy_subcalls(skeleton: &Skeleton, heavy: &Floor) -> Vec<u32> {
    let mut counts = vec![0; skeleton.nodes.len()];
    let mut next = 1;
    while let Some(node) = skeleton.nodes.get(next) {
        if is_heavy(node, heavy) {
            counts[node.parent as usize] += 1;
            next += 1;
        } else {
            next = node.end as usize;
        }
    }
    counts
}

fn is_heavy(node: &Node, heavy: &Floor) -> bool {
    heavy.keeps(u64::from(node.triggered), node.cost)
}

/// Puts lightweight calls together by the phase that they are met in and by callee.
#[derive(Default)]
struct Gathering {
    rows: Vec<(u32, Light)>,
    /// By function the phase whose row stands last, and which.
    last: Vec<(u32, u32)>,
}

impl Gathering {
    fn add(&mut self, owner: u32, light: &Light) {
        let function = light.function.index();
        if self.last.len() <= function {
            self.last.resize(function + 1, (u32::MAX, 0));
        }
        let (of, row) = self.last[function];
        if of == owner
            && let Some((_, known)) = self.rows.get_mut(row as usize)
        {
            return known.add(light);
        }
        self.last[function] = (owner, self.rows.len() as u32);
        self.rows.push((owner, *light));
    }

    /// What is heavy together.
    fn heavy(mut self, heavy: &Floor) -> Vec<(u32, Light)> {
        self.rows
            .sort_unstable_by_key(|(owner, light)| (*owner, light.function));
        self.rows.dedup_by(|(next_owner, next), (owner, kept)| {
            let is_same = owner == next_owner && kept.function == next.function;
            if is_same {
                kept.add(next);
            }
            is_same
        });
        self.rows
            .retain(|(_, light)| heavy.keeps(light.calls, light.cost));
        self.rows
    }
}

fn prune<'a>(skeleton: &'a Skeleton, heavy: &Floor) -> Pruned<'a> {
    let counts = heavy_subcalls(skeleton, heavy);
    let mut out = Pruned {
        skeleton,
        phases: Vec::new(),
        root: Dropped::default(),
        gathered: Vec::new(),
    };
    let mut gathering = Gathering::default();
    // By heavy node the phase that it is or lies in, and one more.
    let mut owners = vec![0u32; skeleton.nodes.len()];
    let mut next = 0;
    while let Some(node) = skeleton.nodes.get(next) {
        let around = owners[node.parent as usize];
        if next > 0 && !is_heavy(node, heavy) {
            let light = Light {
                function: node.function,
                of: 1,
                calls: u64::from(node.triggered) + 1,
                cost: node.cost,
            };
            gathering.add(around, &light);
            drop_light(out.dropped(around), &light);
            next = node.end as usize;
            continue;
        }
        let kind = match counts[next] {
            0 => Some(Kind::Leaf),
            1 => None,
            _ => Some(Kind::Inner),
        };
        let owner = match kind.filter(|_| next > 0) {
            Some(kind) => out.add(next as u32, node, kind, around),
            None => {
                if next > 0 {
                    out.dropped(around).delegating += 1;
                }
                around
            }
        };
        owners[next] = owner;
        for light in skeleton.lights(node) {
            gathering.add(owner, light);
            drop_light(out.dropped(owner), light);
        }
        next += 1;
    }
    out.find_ends();
    out.gathered = gathering.heavy(heavy);
    out
}

fn drop_light(dropped: &mut Dropped, light: &Light) {
    dropped.light += light.of;
    dropped.calls += light.calls;
    dropped.cost += light.cost;
}

impl Pruned<'_> {
    /// What is dropped right below a phase; `owner` is its number and one more, 0 the root.
    fn dropped(&mut self, owner: u32) -> &mut Dropped {
        let phase = owner.checked_sub(1);
        match phase.and_then(|phase| self.phases.get_mut(phase as usize)) {
            Some(phase) => &mut phase.dropped,
            None => &mut self.root,
        }
    }

    /// Adds a phase below another, and gives back its number and one more.
    fn add(&mut self, index: u32, node: &Node, kind: Kind, around: u32) -> u32 {
        let parent = around.checked_sub(1);
        let depth = parent.and_then(|parent| self.phases.get(parent as usize));
        let depth = depth.map_or(1, |parent| parent.depth + 1);
        self.phases.push(Phase {
            thread: self.skeleton.thread,
            call: node.call,
            last: node.last,
            function: node.function,
            caller: self.skeleton.caller(node),
            parent,
            end: 0,
            depth,
            kind,
            calls: u64::from(node.triggered),
            cost: node.cost,
            levels: 0,
            functions: SetId::default(),
            class: 0,
            is_outlier: false,
            dropped: Dropped::default(),
            node: index,
        });
        self.phases.len() as u32
    }

    fn find_ends(&mut self) {
        for index in (0..self.phases.len()).rev() {
            let phase = &mut self.phases[index];
            phase.end = phase.end.max(index as u32 + 1);
            let (end, parent) = (phase.end, phase.parent);
            if let Some(parent) = parent {
                let parent = &mut self.phases[parent as usize];
                parent.end = parent.end.max(end);
            }
        }
    }

    /// By node how deep the calls below it go.
    fn deepest(&self) -> Vec<u32> {
        let nodes = &self.skeleton.nodes;
        let mut deepest: Vec<u32> = nodes.iter().map(|node| node.deepest).collect();
        for (index, node) in nodes.iter().enumerate().skip(1).rev() {
            let parent = node.parent as usize;
            deepest[parent] = deepest[parent].max(deepest[index]);
        }
        deepest
    }
}

/// Finds which functions are active in phases.
struct Fingerprints<'a> {
    skeleton: &'a Skeleton,
    /// By set of the skeleton the last phase that has it, and by function the last union that has it.
    seen: Vec<u32>,
    active: Vec<u32>,
    marks: u32,
    /// What unions of sets are: the skeleton's sets and those of subphases, in order.
    known: HashMap<Vec<(bool, SetId)>, SetId>,
    functions: Vec<u32>,
}

impl<'a> Fingerprints<'a> {
    fn new(skeleton: &'a Skeleton) -> Fingerprints<'a> {
        Fingerprints {
            skeleton,
            seen: vec![0; skeleton.sets.len()],
            active: Vec::new(),
            marks: 0,
            known: HashMap::new(),
            functions: Vec::new(),
        }
    }

    /// Of the last phases first, so that those of the subphases are known.
    fn find(&mut self, phases: &mut [Phase], sets: &mut FunctionSets) {
        for index in (0..phases.len()).rev() {
            let phase = phases[index];
            let Some(node) = self.skeleton.nodes.get(phase.node as usize) else {
                continue;
            };
            self.marks += 1;
            let mut of: Vec<(bool, SetId)> = Vec::new();
            let (mut next, mut subphase) = (phase.node, index + 1);
            while next < node.end {
                if let Some(inner) = phases.get(subphase)
                    && subphase < phase.end as usize
                    && inner.node == next
                {
                    of.push((true, inner.functions));
                    next = self.skeleton.nodes[next as usize].end;
                    subphase = inner.end as usize;
                    continue;
                }
                let set = self.skeleton.nodes[next as usize].functions;
                let seen = &mut self.seen[set.index()];
                if *seen != self.marks {
                    *seen = self.marks;
                    of.push((false, set));
                }
                next += 1;
            }
            of.sort_unstable();
            of.dedup();
            phases[index].functions = match self.known.get(&of) {
                Some(&known) => known,
                None => {
                    let set = self.union(&of, sets);
                    self.known.insert(of, set);
                    set
                }
            };
        }
    }

    fn union(&mut self, of: &[(bool, SetId)], sets: &mut FunctionSets) -> SetId {
        self.functions.clear();
        let mark = self.known.len() as u32 + 1;
        for &(is_of_phase, set) in of {
            let functions = match is_of_phase {
                true => sets.get(set),
                false => self.skeleton.sets.get(set),
            };
            for &function in functions {
                if self.active.len() <= function as usize {
                    self.active.resize(function as usize + 1, 0);
                }
                if self.active[function as usize] != mark {
                    self.active[function as usize] = mark;
                    self.functions.push(function);
                }
            }
        }
        self.functions.sort_unstable();
        sets.intern(&self.functions)
    }
}

/// How many phases and gathered rows there are for these thresholds.
pub(super) fn rows(skeletons: &[Skeleton], heavy: &Floor) -> usize {
    let of_thread = |skeleton: &Skeleton| {
        let pruned = prune(skeleton, heavy);
        pruned.phases.len() + pruned.gathered.len()
    };
    skeletons.iter().map(of_thread).sum()
}

/// The phases of all threads, not compared yet.
pub(super) fn phases(skeletons: &[Skeleton], parameters: Parameters) -> Phases {
    let mut all = Phases {
        parameters,
        roots: Vec::new(),
        phases: Vec::new(),
        gathered: Vec::new(),
        sets: FunctionSets::default(),
    };
    let mut outside: Vec<Gathered> = Vec::new();
    for skeleton in skeletons {
        let mut pruned = prune(skeleton, &parameters.heavy);
        let deepest = pruned.deepest();
        Fingerprints::new(skeleton).find(&mut pruned.phases, &mut all.sets);
        let first = all.phases.len() as u32;
        for phase in &mut pruned.phases {
            let node = skeleton.nodes.get(phase.node as usize);
            let depth = node.map_or(0, |node| node.depth);
            let deepest = deepest.get(phase.node as usize).copied().unwrap_or(depth);
            phase.levels = deepest.saturating_sub(depth);
            phase.parent = phase.parent.map(|parent| parent + first);
            phase.end += first;
        }
        all.phases.append(&mut pruned.phases);
        all.roots.push(Root {
            thread: skeleton.thread,
            calls: skeleton.calls(),
            cost: skeleton
                .nodes
                .first()
                .map(|root| root.cost)
                .unwrap_or_default(),
            dropped: pruned.root,
            first,
        });
        for (owner, light) in &pruned.gathered {
            let row = gathered(
                skeleton.thread,
                owner.checked_sub(1).map(|it| it + first),
                light,
            );
            match row.phase {
                None => outside.push(row),
                Some(_) => all.gathered.push(row),
            }
        }
    }
    all.gathered.splice(0..0, outside);
    // Stable: those of equal cost stay in order of function.
    all.gathered.sort_by_key(|row| {
        let thread = row.phase.is_none().then_some(row.thread);
        (row.phase, thread, std::cmp::Reverse(row.cost))
    });
    all
}

fn gathered(thread: ThreadId, phase: Option<u32>, light: &Light) -> Gathered {
    Gathered {
        thread,
        phase,
        function: light.function,
        of: light.of,
        calls: light.calls,
        cost: light.cost,
    }
}

//! A session seen through a mapping: its entities as districts, in which modules keep their inner structure.

use std::sync::Arc;

use super::Mapping;
use super::matching::Matching;
use crate::resolve::Resolution;
use crate::session::{Resolved, Session};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::{Hierarchy, HierarchyBuilder, Module, ModuleKind, NodeId};

/// The name of the district of what no entry takes. It is there so that every function has a module, and
/// hidden.
const LEFT_OUT: &str = "left out by the mapping";

/// So many of the functions that an entry takes are listed.
pub const LISTED: usize = 200;

/// Which entry takes which functions of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assignment {
    /// By entry of the mapping, how many functions it takes: those of the structure, recorded or not.
    pub taken: Vec<u64>,
    /// By entry, the first of the functions that it takes, as modules of the structure without the mapping, in its
    /// order: at most [`LISTED`].
    pub listed: Vec<Vec<ModuleId>>,
    /// The functions that no entry takes, as modules of the structure without the mapping, in its order.
    pub unmatched: Vec<ModuleId>,
    /// Which of them a recording speaks of; parallel to `unmatched`.
    pub is_recorded: Vec<bool>,
    /// By recording and function, the entity; none for what is left out.
    entities: Vec<Vec<Option<u32>>>,
    /// Entity and module for everything that is in an entity, in this order; what is left out stands in a last
    /// entity of its own.
    placed: Vec<(u32, ModuleId)>,
}

/// A session through a mapping.
#[derive(Debug)]
pub struct Regrouped {
    pub session: Session,
    pub assignment: Assignment,
    /// By entity of the mapping, its district; none when no function is in it.
    pub entities: Vec<Option<ModuleId>>,
    /// The district to hide, of what is left out.
    pub left_out: Option<ModuleId>,
    /// By module, the module that it was without the mapping; the root for districts.
    pub origins: Vec<ModuleId>,
}

/// Holds every function of `session` against `mapping`: the recorded ones by the names in the recordings, the
/// others by those of the structure; files without functions count as functions.
/// O(functions × entries).
pub fn assign(
    session: &Session,
    mapping: &Mapping,
    progress: &Progress,
) -> Result<Assignment, Cancelled> {
    let hierarchy = &session.hierarchy;
    let left_out = mapping.entities().len() as u32;
    let mut assignment = Assignment {
        taken: vec![0; mapping.entries().len()],
        listed: vec![Vec::new(); mapping.entries().len()],
        ..Assignment::default()
    };
    // Entity, module, entry.
    let mut placed: Vec<(u32, ModuleId, Option<usize>)> = Vec::with_capacity(hierarchy.len());
    let mut is_recorded = vec![false; hierarchy.len()];
    let mut matching = Matching::new(mapping.entries(), hierarchy);
    let mut place = |module, entry: Option<usize>| {
        let entity = entry.map(|entry| mapping.entries()[entry].entity as u32);
        placed.push((entity.unwrap_or(left_out), module, entry));
        entity
    };
    for Resolved {
        recording,
        resolution,
    } in &session.recordings
    {
        let functions = &recording.functions;
        // In order of modules, so that each place is looked at once.
        let mut order: Vec<_> = functions.ids().zip(&resolution.modules).collect();
        order.sort_by_key(|(_, module)| **module);
        let mut entities = vec![None; functions.len()];
        for (done, (id, &module)) in order.into_iter().enumerate() {
            if done % 1024 == 0 {
                progress.check()?;
            }
            if let Some(recorded) = is_recorded.get_mut(module.index()) {
                *recorded = true;
                let entry = matching.of_function(functions.get(id), module);
                entities[id.index()] = place(module, entry);
            }
        }
        assignment.entities.push(entities);
    }
    for module in hierarchy.modules().skip(1) {
        if module.0 % 1024 == 0 {
            progress.check()?;
        }
        if hierarchy.is_leaf(module) && !is_recorded[module.index()] {
            place(module, matching.of_module(module));
        }
    }
    placed.sort_unstable();
    placed.dedup_by_key(|(entity, module, _)| (*entity, *module));
    for (entity, module, entry) in placed {
        match entry {
            Some(entry) => {
                assignment.taken[entry] += 1;
                let listed = &mut assignment.listed[entry];
                if listed.len() < LISTED {
                    listed.push(module);
                }
            }
            None => {
                assignment.unmatched.push(module);
                assignment.is_recorded.push(is_recorded[module.index()]);
            }
        }
        assignment.placed.push((entity, module));
    }
    Ok(assignment)
}

/// The session through the mapping. Its recordings are the same, not copied. O(n log n) in modules.
pub fn regroup(session: &Session, mapping: &Mapping, assignment: Assignment) -> Regrouped {
    let hierarchy = &session.hierarchy;
    let mut builder = HierarchyBuilder::new(hierarchy.name(ModuleId::ROOT));
    let mut districts: Vec<Option<NodeId>> = vec![None; mapping.entities().len() + 1];
    let mut origin_of_nodes = vec![ModuleId::ROOT];
    let mut nodes: Vec<NodeId> = Vec::with_capacity(assignment.placed.len());
    let mut whole = Sums::default();
    let everywhere = Occurrences::new(hierarchy, &assignment.placed);
    for placed in assignment
        .placed
        .chunk_by(|(entity, _), (next, _)| entity == next)
    {
        let entity = placed[0].0 as usize;
        let (kind, name) = match mapping.entities().get(entity) {
            Some(name) => (ModuleKind::Entity, name.as_str()),
            None => (ModuleKind::External, LEFT_OUT),
        };
        let district = builder.add(NodeId::ROOT, Module::named(kind, name));
        origin_of_nodes.push(ModuleId::ROOT);
        districts[entity] = Some(district);
        let mut copy = Copying {
            hierarchy,
            everywhere: &everywhere,
            placed,
            builder: &mut builder,
            origins: &mut origin_of_nodes,
            district,
            made: Vec::new(),
        };
        copy.copy(&mut nodes);
        let sums = copy.finish();
        if kind == ModuleKind::Entity {
            whole.add(&sums);
        }
        let named = Module::named(kind, name);
        builder.set(district, sums.on(named));
    }
    let root = hierarchy.module(ModuleId::ROOT);
    builder.set(
        NodeId::ROOT,
        whole.on(Module {
            language: "",
            ..root
        }),
    );
    let (regrouped, modules) = builder.build();
    let mut origins = vec![ModuleId::ROOT; regrouped.len()];
    for (module, &origin) in modules.iter().zip(&origin_of_nodes) {
        origins[module.index()] = origin;
    }
    let left_out_entity = mapping.entities().len() as u32;
    let module_of = |entity: Option<u32>, module: ModuleId| {
        let key = (entity.unwrap_or(left_out_entity), module);
        let at = assignment.placed.binary_search(&key).ok();
        at.map_or(ModuleId::ROOT, |at| modules[nodes[at].index()])
    };
    let recordings = session.recordings.iter().zip(&assignment.entities);
    let recordings = recordings.map(|(resolved, entities)| moved(resolved, entities, module_of));
    let recordings = recordings.collect();
    let district = |node: Option<NodeId>| node.map(|node| modules[node.index()]);
    let mut entities: Vec<Option<ModuleId>> = districts.into_iter().map(district).collect();
    let left_out = entities.pop().flatten();
    Regrouped {
        session: Session {
            source_dir: session.source_dir.clone(),
            hierarchy: regrouped,
            recordings,
            source_warnings: session.source_warnings.clone(),
            named: Default::default(),
        },
        assignment,
        entities,
        left_out,
        origins,
    }
}

/// The same recording, each function in the module that `module_of` gives for its entity and its module before.
fn moved(
    resolved: &Resolved,
    entities: &[Option<u32>],
    module_of: impl Fn(Option<u32>, ModuleId) -> ModuleId,
) -> Resolved {
    let before = &resolved.resolution.modules;
    let modules = entities.iter().zip(before);
    Resolved {
        recording: Arc::clone(&resolved.recording),
        resolution: Resolution {
            modules: modules
                .map(|(&of, &module)| module_of(of, module))
                .collect(),
            ..resolved.resolution.clone()
        },
    }
}

/// How many functions, each in each of its entities, stand before a module.
struct Occurrences {
    before: Vec<u32>,
}

impl Occurrences {
    fn new(hierarchy: &Hierarchy, placed: &[(u32, ModuleId)]) -> Occurrences {
        let mut before = vec![0u32; hierarchy.len() + 1];
        for (_, module) in placed {
            before[module.index() + 1] += 1;
        }
        for index in 1..before.len() {
            before[index] += before[index - 1];
        }
        Occurrences { before }
    }

    fn within(&self, subtree: std::ops::Range<u32>) -> usize {
        (self.before[subtree.end as usize] - self.before[subtree.start as usize]) as usize
    }
}

/// What adds up.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    loc: u64,
    bytes: u64,
    comment_lines: u64,
    functions: u64,
    complexity: u64,
}

impl Sums {
    fn of(module: &Module<'_>) -> Sums {
        Sums {
            loc: u64::from(module.loc),
            bytes: module.bytes,
            comment_lines: u64::from(module.comment_lines),
            functions: u64::from(module.functions),
            complexity: u64::from(module.complexity),
        }
    }

    fn add(&mut self, other: &Sums) {
        self.loc = self.loc.saturating_add(other.loc);
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.comment_lines = self.comment_lines.saturating_add(other.comment_lines);
        self.functions = self.functions.saturating_add(other.functions);
        self.complexity = self.complexity.saturating_add(other.complexity);
    }

    fn on<'a>(&self, module: Module<'a>) -> Module<'a> {
        let column = |sum: u64| u32::try_from(sum).unwrap_or(u32::MAX);
        Module {
            loc: column(self.loc),
            bytes: self.bytes,
            comment_lines: column(self.comment_lines),
            functions: column(self.functions),
            complexity: column(self.complexity),
            ..module
        }
    }
}

/// A copy of a module in a district.
struct Made {
    node: NodeId,
    origin: ModuleId,
    /// Its place among those made; none below the district itself.
    parent: Option<usize>,
}

/// Copies what one entity holds below its district.
struct Copying<'a> {
    hierarchy: &'a Hierarchy,
    everywhere: &'a Occurrences,
    /// In order of modules.
    placed: &'a [(u32, ModuleId)],
    builder: &'a mut HierarchyBuilder,
    origins: &'a mut Vec<ModuleId>,
    district: NodeId,
    made: Vec<Made>,
}

impl Copying<'_> {
    /// The innermost module around everything in the entity: what is around that says nothing new.
    fn around(&self) -> ModuleId {
        let ends = [self.placed.first(), self.placed.last()];
        let [first, last] = ends.map(|end| end.map_or(ModuleId::ROOT, |(_, module)| *module));
        let parent = self.hierarchy.parent(first).unwrap_or(ModuleId::ROOT);
        let mut ancestors = self.hierarchy.ancestors(parent);
        ancestors
            .find(|&id| id != last && self.hierarchy.contains(id, last))
            .unwrap_or(ModuleId::ROOT)
    }

    /// Adds the node of each module placed to `nodes`.
    fn copy(&mut self, nodes: &mut Vec<NodeId>) {
        let around = self.around();
        // The copies that are open while modules pass in preorder.
        let mut open: Vec<usize> = Vec::new();
        let mut missing: Vec<ModuleId> = Vec::new();
        for &(_, module) in self.placed {
            while let Some(&last) = open.last()
                && !self.hierarchy.contains(self.made[last].origin, module)
            {
                open.pop();
            }
            let inner = open.last().map_or(around, |&last| self.made[last].origin);
            missing.clear();
            missing.extend(
                self.hierarchy
                    .ancestors(module)
                    .take_while(|&id| id != inner),
            );
            for &origin in missing.iter().rev() {
                let parent = open.last().copied();
                let parent_node = parent.map_or(self.district, |at| self.made[at].node);
                let node = self.builder.add(parent_node, self.hierarchy.module(origin));
                self.origins.push(origin);
                open.push(self.made.len());
                self.made.push(Made {
                    node,
                    origin,
                    parent,
                });
            }
            let node = open
                .last()
                .map_or(self.district, |&last| self.made[last].node);
            nodes.push(node);
        }
    }

    /// Gives every copy that holds only a part of its origin what that part sums up to; the sum of all.
    fn finish(&mut self) -> Sums {
        let mut parts = vec![Sums::default(); self.made.len()];
        let mut all = Sums::default();
        for at in (0..self.made.len()).rev() {
            let Made {
                node,
                origin,
                parent,
            } = self.made[at];
            let subtree = self.hierarchy.subtree(origin);
            let place = |id: u32| self.placed.partition_point(|(_, module)| module.0 < id);
            let here = place(subtree.end) - place(subtree.start);
            let module = self.hierarchy.module(origin);
            let of_whole = Sums::of(&module);
            // A function that is in two entities is whole in both.
            let is_whole = subtree.len() == 1 || here == self.everywhere.within(subtree);
            let sums = if is_whole {
                of_whole
            } else {
                let mut sums = parts[at];
                if module.kind == ModuleKind::File {
                    // A part of a file is as large as its share of the lines.
                    let share = sums.loc as f64 / of_whole.loc.max(1) as f64;
                    sums.bytes = (of_whole.bytes as f64 * share.min(1.0)) as u64;
                }
                self.builder.set(node, sums.on(module));
                sums
            };
            match parent {
                Some(parent) => parts[parent].add(&sums),
                None => all.add(&sums),
            }
        }
        all
    }
}

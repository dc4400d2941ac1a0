//! The numbers of rows, and which there are.

use std::collections::BTreeMap;

use super::super::choice::{By, Column, Mode};
use super::super::groups::{
    Amounts, Groups, NONE, Source, add_up, arrange, rows_at, rows_of_range, rows_of_sums,
};
use callscape_base::progress::Progress;
use callscape_base::units::ModuleId;
use callscape_facts::functions::{Function, Functions};
use callscape_facts::hierarchy::{Hierarchy, HierarchyBuilder, Module, ModuleKind, NodeId};
use callscape_facts::memory::oracle::RawEvent;
use callscape_facts::memory::random::{Random, made};
use callscape_facts::memory::{Cell, Memory, SumRow};
use callscape_filter::cut::Cut;

/// Twenty functions in four files, and to which of them the objects of each cell belong.
struct World {
    functions: Functions,
    hierarchy: Hierarchy,
    modules: Vec<ModuleId>,
    owners: Vec<Option<ModuleId>>,
}

impl World {
    fn new(memory: &Memory, random: &mut Random) -> World {
        let mut functions = Functions::default();
        let mut builder = HierarchyBuilder::new("app");
        let names: Vec<String> = (0..20).map(|it| format!("f{it}")).collect();
        let mut nodes = Vec::new();
        for file in 0..4 {
            let name = format!("{file}.c");
            let of = builder.add(NodeId::ROOT, Module::named(ModuleKind::File, &name));
            for name in &names[file * 5..file * 5 + 5] {
                nodes.push(builder.add(of, Module::named(ModuleKind::Function, name)));
            }
        }
        for name in &names {
            functions.intern(Function {
                name,
                ..Function::default()
            });
        }
        let (hierarchy, _) = builder.build();
        let modules: Vec<ModuleId> = names
            .iter()
            .map(|name| {
                let mut all = hierarchy.modules();
                let found = all.find(|it| hierarchy.name(*it) == name);
                found.expect("a module for each")
            })
            .collect();
        let owner = |_: &Cell| match random.below(6) {
            0 => None,
            _ => Some(modules[random.below(20) as usize]),
        };
        let owners = memory.cells().iter().map(owner).collect();
        World {
            functions,
            hierarchy,
            modules,
            owners,
        }
    }

    fn groups(&self, memory: &Memory, cut: &Cut, by: By) -> Groups {
        let source = Source {
            memory,
            functions: &self.functions,
            hierarchy: &self.hierarchy,
            modules: &self.modules,
            owners: &self.owners,
            cut,
            session: None,
        };
        Groups::new(&source, by)
    }

    /// What a cell's objects are counted with, said directly; none where they are hidden.
    fn key(&self, memory: &Memory, cut: &Cut, by: By, cell: Cell) -> Option<String> {
        let unknown = || "(not known)".to_owned();
        let name = |it: callscape_base::units::FunctionId| self.functions.get(it).name.to_owned();
        Some(match by {
            By::Function => memory
                .stacks
                .function(cell.stack)
                .map_or_else(unknown, name),
            By::Context => format!("{:?}", cell.stack),
            By::Type => match memory.types[cell.kind as usize].as_str() {
                "" => unknown(),
                name => name.to_owned(),
            },
            By::Module => {
                let place = memory.cells().iter().position(|it| *it == cell);
                let Some(mut module) = self.owners[place.expect("a cell")] else {
                    return Some(unknown());
                };
                let around: Vec<ModuleId> = self.hierarchy.ancestors(module).collect();
                if around
                    .iter()
                    .any(|it| cut.hidden().any(|hidden| hidden == *it))
                {
                    return None;
                }
                for outer in around {
                    if cut.is_collapsed(outer) {
                        module = outer;
                    }
                }
                self.hierarchy.path(module)
            }
        })
    }
}

/// Sums by key over the events of a stretch.
fn replay(
    raw: &[RawEvent],
    counts: impl Fn(usize, &RawEvent) -> bool,
    key: impl Fn(Cell) -> Option<String>,
) -> BTreeMap<String, Amounts> {
    let mut sums: BTreeMap<String, Amounts> = BTreeMap::new();
    for (number, event) in raw.iter().enumerate() {
        let Some(key) = key(event.cell).filter(|_| counts(number, event)) else {
            continue;
        };
        let nothing = Amounts {
            live_bytes: Some(0),
            live: Some(0),
            allocated: Some(0),
            allocations: Some(0),
            releases: Some(0),
            temporary: Some(0),
            ..Amounts::default()
        };
        let of = sums.entry(key).or_insert(nothing);
        let change = |of: &mut Option<u64>, by: i64| *of = of.map(|it| it.strict_add_signed(by));
        let size = event.size as i64;
        if !event.is_release {
            change(&mut of.allocations, 1);
            change(&mut of.allocated, size);
            change(&mut of.live, 1);
            change(&mut of.live_bytes, size);
            continue;
        }
        change(&mut of.releases, 1);
        change(&mut of.live, -1);
        change(&mut of.live_bytes, -size);
        let before = number.checked_sub(1).map(|it| &raw[it]);
        if before.is_some_and(|it| it.object == event.object) {
            change(&mut of.temporary, 1);
        }
    }
    sums
}

/// By name, but for contexts, of which several may have one name.
fn named(groups: &Groups, memory: &Memory, by: By, group: u32) -> String {
    if by == By::Context {
        let cell = groups.of.iter().position(|it| *it == group);
        return format!("{:?}", memory.cells()[cell.expect("a cell")].stack);
    }
    groups.all[group as usize].name.clone()
}

fn cuts(world: &World, random: &mut Random) -> Cut {
    let mut files = world.hierarchy.children(ModuleId::ROOT);
    let hidden = files.nth(random.below(4) as usize);
    match random.below(4) {
        0 => Cut::all(),
        1 => Cut::all().hiding(hidden),
        2 => Cut::at_level(&world.hierarchy, 1).hiding(hidden),
        _ => Cut::at_level(&world.hierarchy, random.below(3) as u16),
    }
}

#[test]
fn numbers_of_rows_are_what_a_replay_says() {
    for seed in 1..16 {
        let (raw, memory) = made(seed, 1500, seed % 2 == 0);
        let events = memory.events().expect("events");
        let temporary = events
            .find_temporary(&Progress::new())
            .expect("nobody stops");
        let mut random = Random(seed * 31);
        let world = World::new(&memory, &mut random);
        for by in By::ALL {
            let cut = cuts(&world, &mut random);
            let groups = world.groups(&memory, &cut, by);
            let position = random.below(1501) as u32;
            let totals = add_up(events, &events.state(position), &groups);
            let temporary = events.temporary_at(&temporary, position);
            let mut rows = rows_at(&totals, &groups, Some(&temporary));
            arrange(&mut rows, &groups, Mode::Live, (Column::Live, true));
            assert!(
                rows.windows(2)
                    .all(|it| it[0].amounts.live >= it[1].amounts.live)
            );
            let found: BTreeMap<String, Amounts> = rows
                .iter()
                .map(|row| (named(&groups, &memory, by, row.group), row.amounts))
                .collect();
            assert_eq!(found.len(), rows.len());
            let key = |cell| world.key(&memory, &cut, by, cell);
            let expected = replay(&raw, |number, _| number < position as usize, key);
            assert_eq!(found, expected, "seed {seed}, {by:?} at {position}");
            let most = replay(&raw, |_, _| true, key);
            let most = most.values().filter_map(|it| it.allocations).max();
            assert_eq!(groups.most, most.unwrap_or_default());
        }
    }
}

#[test]
fn rows_of_a_range_are_what_was_created_in_it_and_lives_at_its_end() {
    for seed in 1..16 {
        let (raw, memory) = made(seed, 900, false);
        let events = memory.events().expect("events");
        let mut random = Random(seed * 17);
        let world = World::new(&memory, &mut random);
        let (a, b) = (random.below(901) as usize, random.below(901) as usize);
        let range = a.min(b)..a.max(b);
        let positions = (range.start as u32, range.end as u32);
        let outcomes = events
            .outcomes(positions, &Progress::new())
            .expect("nobody stops");
        for by in By::ALL {
            let cut = cuts(&world, &mut random);
            let groups = world.groups(&memory, &cut, by);
            let mut rows = rows_of_range(&outcomes, &groups);
            arrange(&mut rows, &groups, Mode::Range, (Column::LiveBytes, true));
            let created = |event: &RawEvent| {
                let of_it = |it: &RawEvent| !it.is_release && it.object == event.object;
                raw.iter().position(of_it).expect("it was created")
            };
            let counts = |number: usize, event: &RawEvent| {
                range.contains(&number) && range.contains(&created(event))
            };
            let key = |cell| world.key(&memory, &cut, by, cell);
            let expected = replay(&raw, counts, key);
            let expected: BTreeMap<&String, Option<u64>> = expected
                .iter()
                .filter(|it| it.1.live > Some(0))
                .map(|it| (it.0, it.1.live_bytes))
                .collect();
            let names: Vec<String> = rows
                .iter()
                .map(|row| named(&groups, &memory, by, row.group))
                .collect();
            let found: BTreeMap<&String, Option<u64>> = names
                .iter()
                .zip(&rows)
                .map(|(name, row)| (name, row.amounts.live_bytes))
                .collect();
            assert_eq!(found, expected, "seed {seed}, {by:?} {range:?}");
            assert!(rows.iter().all(|row| row.amounts.stay <= row.amounts.live));
        }
    }
}

#[test]
fn what_sums_do_not_tell_is_not_known_and_not_zero() {
    let (_, memory) = made(3, 300, false);
    let world = World::new(&memory, &mut Random(5));
    let groups = world.groups(&memory, &Cut::all(), By::Function);
    let row = SumRow {
        live_bytes: Some(10),
        live: Some(2),
        ..SumRow::default()
    };
    let cells = vec![row; memory.cells().len()];
    let rows = rows_of_sums(&cells, &groups);
    for found in rows {
        let cells = groups.of.iter().filter(|it| **it == found.group).count() as u64;
        let of = found.amounts;
        assert_eq!(
            (of.live_bytes, of.live),
            (Some(10 * cells), Some(2 * cells))
        );
        assert_eq!(
            (of.allocations, of.releases, of.temporary),
            (None, None, None)
        );
    }
    assert!(groups.of.iter().all(|it| *it != NONE));
}

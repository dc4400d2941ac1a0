//! Makes the graph around a function from call relations, and lays it out.

use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};
use std::sync::Arc;

use crate::parts::graph::laid::Laid;
use crate::parts::graph::model::{By, Graph, GraphBox, Line, Of, Sign, Sum};
use crate::parts::graph::nesting::{Nested, around, nest};
use crate::parts::graph::relations::{Between, Given, Relations};
use crate::parts::text::counted;
use callscape_analysis::comparison::amounts::Measure;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{Cost, FunctionId, ModuleId, grouped};
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};
use callscape_layout::layered::{Key, Memory};
use callscape_model::difference::Amount;

/// A side of the function in the middle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Side {
    Callers,
    Callees,
}

impl Side {
    pub(super) const BOTH: [Side; 2] = [Side::Callers, Side::Callees];

    /// Boxes of it share frames.
    fn group(self) -> u8 {
        match self {
            Side::Callers => 4,
            Side::Callees => 5,
        }
    }

    fn of_group(group: u8) -> Option<Side> {
        Side::BOTH.into_iter().find(|it| it.group() == group)
    }

    /// Of a relation the end farther from the middle, and the one nearer to it.
    fn ends(self, of: &Between) -> (u32, u32) {
        match self {
            Side::Callers => (of.from, of.to),
            Side::Callees => (of.to, of.from),
        }
    }
}

const MIDDLE: u8 = 3;
const MORE: Key = 1 << 55;

/// The side that a box with this key is on; none for the one in the middle.
pub(super) fn side_of(key: Key) -> Option<Side> {
    Side::of_group((key >> 56) as u8)
}

/// What is to be shown.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wanted {
    pub given: Given,
    pub middle: FunctionId,
    /// So many steps out from the middle on both sides.
    pub steps: u32,
    /// Functions that are shown with their own callers or callees, too.
    pub further: BTreeSet<(Side, FunctionId)>,
    pub by: By,
    /// So many functions at most.
    pub most: u32,
    /// Nobody chose it.
    pub is_by_itself: bool,
    pub has_times: bool,
}

/// For a worker thread. O(functions + relations) and the layout.
pub(super) fn make(
    wanted: &Wanted,
    (memory, past): (Memory, Vec<Arc<Laid>>),
    progress: &Progress,
) -> Result<Arc<Laid>, Cancelled> {
    progress.start("callers and callees", 0);
    let relations = Relations::new(&wanted.given);
    progress.check()?;
    let mut graph = match relations.end_of(wanted.middle) {
        Some(middle) => Maker::new(wanted, &relations, middle).graph(),
        None => Graph::default(),
    };
    progress.check()?;
    let end = |place: u32| {
        let of = graph.boxes.get(place as usize);
        of.filter(|it| it.of.module().is_some())
            .map(|it| it.key as u32)
    };
    let ends = |line: &Line| Some((end(line.from)?, end(line.to)?));
    (wanted.given).add_moments(&mut graph.lines, ends, &Some, progress)?;
    let known = past.into_iter().find(|it| it.graph == graph);
    Ok(known.unwrap_or_else(|| Arc::new(Laid::new(graph, &memory))))
}

/// A function on a side.
struct Shown {
    side: Side,
    end: u32,
    is_further: bool,
}

struct Maker<'a> {
    wanted: &'a Wanted,
    relations: &'a Relations<'a>,
    hierarchy: &'a Hierarchy,
    middle: u32,
    /// By side and nearer end the relations there.
    around: [HashMap<u32, Vec<u32>>; 2],
    shown: Vec<Shown>,
    places: HashMap<(Side, u32), u32>,
    /// By side how many functions there was no room for.
    left: [u32; 2],
}

impl<'a> Maker<'a> {
    fn new(wanted: &'a Wanted, relations: &'a Relations<'a>, middle: u32) -> Maker<'a> {
        let mut around = [HashMap::new(), HashMap::new()];
        for (relation, number) in relations.all.iter().zip(0_u32..) {
            for (side, around) in Side::BOTH.iter().zip(&mut around) {
                let (_, near) = side.ends(relation);
                let list: &mut Vec<u32> = around.entry(near).or_default();
                list.push(number);
            }
        }
        let mut maker = Maker {
            wanted,
            relations,
            hierarchy: &wanted.given.session.hierarchy,
            middle,
            around,
            shown: Vec::new(),
            places: HashMap::new(),
            left: [0; 2],
        };
        maker.choose();
        maker
    }

    fn relations_at(&self, side: Side, near: u32) -> impl Iterator<Item = &'a Between> + '_ {
        let all = self.around[side as usize].get(&near);
        let relations = self.relations;
        all.into_iter()
            .flatten()
            .map(|&it| &relations.all[it as usize])
    }

    fn is_further(&self, side: Side, end: u32, step: u32) -> bool {
        let function = self.relations.ends[end as usize].function;
        let is_asked = function.is_some_and(|it| self.wanted.further.contains(&(side, it)));
        step < self.wanted.steps || is_asked
    }

    /// Takes what is nearest to the middle, of that what costs most, as long as there is room.
    fn choose(&mut self) {
        let mut next = BinaryHeap::new();
        let by = self.wanted.by;
        let entry = |side: Side, step: u32, relation: &Between| {
            let (far, _) = side.ends(relation);
            let value = relation.sum.by(by) as u64;
            (
                std::cmp::Reverse(step),
                value,
                std::cmp::Reverse((side, far)),
            )
        };
        for side in Side::BOTH {
            next.extend(
                self.relations_at(side, self.middle)
                    .map(|it| entry(side, 1, it)),
            );
        }
        let mut left: BTreeSet<(Side, u32)> = BTreeSet::new();
        while let Some((std::cmp::Reverse(step), _, std::cmp::Reverse((side, end)))) = next.pop() {
            if end == self.middle || self.places.contains_key(&(side, end)) {
                continue;
            }
            if self.shown.len() as u32 + 1 >= self.wanted.most {
                left.insert((side, end));
                continue;
            }
            let is_further = self.is_further(side, end, step);
            self.places.insert((side, end), self.shown.len() as u32);
            self.shown.push(Shown {
                side,
                end,
                is_further,
            });
            if is_further {
                next.extend(
                    self.relations_at(side, end)
                        .map(|it| entry(side, step + 1, it)),
                );
            }
        }
        for (side, _) in left {
            self.left[side as usize] += 1;
        }
    }

    fn graph(&self) -> Graph {
        let mut nested = vec![self.nested_middle()];
        nested.extend(self.shown.iter().map(|it| self.nested(it)));
        let mut order: Vec<(u32, u32)> = Vec::new();
        // A box after the one in the middle.
        let mut stands = |place: u32, side: Side| match side {
            Side::Callers => order.push((place, 0)),
            Side::Callees => order.push((0, place)),
        };
        for (shown, place) in self.shown.iter().zip(1..) {
            stands(place, shown.side);
        }
        for side in Side::BOTH {
            let left = self.left[side as usize];
            if left > 0 {
                stands(nested.len() as u32, side);
                nested.push(self.gathered(side, left));
            }
        }
        let lines = self.lines();
        let (boxes, frames) = nest(self.hierarchy, nested, true, false);
        Graph {
            boxes,
            frames,
            lines,
            order,
            by: self.wanted.by,
            amount: self.relations.amount.clone(),
            notes: self.notes(),
            ..Graph::default()
        }
    }

    /// Lines between what is shown, on each side only where it was gone on from.
    fn lines(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        for side in Side::BOTH {
            let further = self
                .shown
                .iter()
                .filter(|it| it.side == side && it.is_further);
            let near = std::iter::once(self.middle).chain(further.map(|it| it.end));
            for near in near {
                let near_place = match near == self.middle {
                    true => 0,
                    false => self.places[&(side, near)] + 1,
                };
                for relation in self.relations_at(side, near) {
                    let (far, _) = side.ends(relation);
                    let Some(&far) = self.places.get(&(side, far)).filter(|_| far != near) else {
                        continue;
                    };
                    let (from, to) = match side {
                        Side::Callers => (far + 1, near_place),
                        Side::Callees => (near_place, far + 1),
                    };
                    lines.push(Line {
                        from,
                        to,
                        sum: relation.sum,
                        moments: Vec::new(),
                        label: self.label(&relation.sum),
                        label_at_caller: side == Side::Callers,
                    });
                }
            }
        }
        lines.sort_by_key(|it| (it.from, it.to));
        lines
    }

    /// How many calls, of two runs of both and what B has more; what they cost where calls are not counted.
    fn label(&self, sum: &Sum) -> String {
        let resolved = self.wanted.given.resolved();
        let counts = resolved.is_some_and(|it| it.recording.counts_calls());
        match (&self.relations.amount, sum.change, resolved) {
            (Some(amount), Some(change), _) => {
                let measure = if counts {
                    Measure::Calls
                } else {
                    Measure::Total
                };
                let amount: Amount = amount.by(measure);
                let [a, b] = [&change.a, &change.b].map(|it| amount.text(it.of(measure)));
                match change.delta(measure) == 0.0 {
                    true => a,
                    false => format!("{a} → {b}, {}", amount.delta(&change)),
                }
            }
            (_, _, Some(resolved)) if !counts => resolved
                .recording
                .unit()
                .show(Cost::from_ns(sum.cost.round() as u64)),
            _ => grouped(sum.calls.round() as u64),
        }
    }

    /// The modules around a function, the outermost first.
    fn around(&self, module: ModuleId) -> Vec<ModuleId> {
        let is_own = self.hierarchy.kind(module) == ModuleKind::Function;
        around(self.hierarchy, module, !is_own)
    }

    /// What a function is called.
    fn title(&self, end: u32) -> String {
        let end = &self.relations.ends[end as usize];
        end.name.to_owned()
    }

    /// The calls of a function of itself.
    fn own(&self, end: u32) -> Option<&Between> {
        let mut all = self.relations_at(Side::Callees, end);
        all.find(|it| it.from == it.to)
    }

    /// The box of a function in a group, without a sign.
    fn box_of(&self, group: u8, place: u32) -> GraphBox {
        let end = &self.relations.ends[place as usize];
        let of = Of::Function(end.function, end.module);
        GraphBox {
            own: self.relations.own_text(&self.wanted.given, end.own),
            inner: self.own(place).map(|it| it.sum).unwrap_or_default(),
            ..GraphBox::new(key(group, place), of, self.title(place))
        }
    }

    fn nested_middle(&self) -> Nested {
        let end = &self.relations.ends[self.middle as usize];
        let own = self.own(self.middle).map(|it| self.label(&it.sum));
        Nested {
            of: GraphBox {
                detail: own.map_or_else(String::new, |own| format!("calls itself: {own}")),
                is_middle: true,
                ..self.box_of(MIDDLE, self.middle)
            },
            around: self.around(end.module),
            group: MIDDLE,
        }
    }

    fn nested(&self, shown: &Shown) -> Nested {
        let end = &self.relations.ends[shown.end as usize];
        let mut beyond = self.relations_at(shown.side, shown.end);
        let has_more = beyond.any(|it| {
            let (far, near) = shown.side.ends(it);
            far != near && far != self.middle
        });
        Nested {
            of: GraphBox {
                // What only the other run has cannot be asked for.
                sign: (has_more && end.function.is_some()).then_some(match shown.is_further {
                    true => Sign::Less,
                    false => Sign::More,
                }),
                ..self.box_of(shown.side.group(), shown.end)
            },
            around: self.around(end.module),
            group: shown.side.group(),
        }
    }

    /// The box for what there was no room for on a side.
    fn gathered(&self, side: Side, count: u32) -> Nested {
        let whose = match side {
            Side::Callers => "callers",
            Side::Callees => "callees",
        };
        let title = format!("{} more {whose}", grouped(u64::from(count)));
        let key = u64::from(side.group()) << 56 | MORE;
        Nested::more(key, count, title, side.group())
    }

    fn notes(&self) -> Vec<String> {
        let direct: BTreeMap<Side, u64> = Side::BOTH
            .into_iter()
            .map(|side| {
                let all = self.relations_at(side, self.middle);
                let others = all.filter(|it| it.from != it.to);
                (side, others.count() as u64)
            })
            .collect();
        let callers = counted(direct[&Side::Callers], "caller", "callers");
        let callees = counted(direct[&Side::Callees], "callee", "callees");
        let mut notes = vec![format!("{callers}, {callees}")];
        let left: u32 = self.left.iter().sum();
        if left > 0 {
            notes.push(format!(
                "{} left out, R shows more",
                counted(u64::from(left), "function", "functions")
            ));
        }
        if self.wanted.is_by_itself {
            notes.push("nothing is chosen: this is one that costs much".to_owned());
        }
        if self.wanted.has_times {
            notes.push("red: on the call stack at the time shown".to_owned());
        }
        notes
    }
}

fn key(group: u8, end: u32) -> Key {
    u64::from(group) << 56 | 1 << 40 | u64::from(end)
}

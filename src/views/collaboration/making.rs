//! Makes the graph of modules from call relations, and lays it out.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::folding::{self, AT_FIRST, Active, FEWEST, Open};
use crate::parts::graph::laid::Laid;
use crate::parts::graph::model::{Arrangement, By, Graph, GraphBox, Line, Of, Sign, Sum};
use crate::parts::graph::nesting::{Nested, around, module_key, nest};
use crate::parts::graph::relations::{Given, Relations};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{ModuleId, grouped};
use callscape_facts::hierarchy::Hierarchy;
use callscape_filter::cut::Cut;
use callscape_layout::energy::MOST_BOXES;
use callscape_layout::layered::Memory;

/// What is to be shown.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Wanted {
    pub given: Given,
    pub cut: Cut,
    /// None at first.
    pub open: Option<Open>,
    /// What was unfolded last.
    pub last: Option<ModuleId>,
    pub by: By,
    /// So many boxes and lines at most.
    pub most: u32,
    pub most_lines: u32,
    pub arrangement: Arrangement,
}

/// What came of it.
#[derive(Debug)]
pub(super) struct Made {
    pub laid: Arc<Laid>,
    pub open: Open,
    /// How many boxes there are at most.
    pub most: u32,
}

/// Groups of keys: modules, what they do themselves, and what there was no room for.
const MODULES: u8 = 0;
const ITSELF: u8 = 1;
const MORE: u8 = 2;

/// For a worker thread. O(modules + relations × depth) and the layout.
pub(super) fn make(
    wanted: &Wanted,
    (memory, past): (Memory, Vec<Arc<Laid>>),
    progress: &Progress,
) -> Result<Made, Cancelled> {
    progress.start("who calls whom", 0);
    let hierarchy = &wanted.given.session.hierarchy;
    let relations = Relations::new(&wanted.given);
    progress.check()?;
    let active = Active::new(hierarchy, &relations, &wanted.cut);
    let Some(open) = &wanted.open else {
        // As many boxes as can be read where all are in sight.
        let mut few = wanted.clone();
        loop {
            let count = AT_FIRST.min(few.most);
            let open = folding::at_first(hierarchy, &active, &few.cut, count);
            let of = (open, &memory, &past[..]);
            let made = make_of(&few, (&relations, &active), of, progress)?;
            if made.laid.is_readable() || few.most <= FEWEST {
                return Ok(made);
            }
            few.most = (few.most * 3 / 4).max(FEWEST);
        }
    };
    let of = (open.clone(), &memory, &past[..]);
    make_of(wanted, (&relations, &active), of, progress)
}

/// The graph with what is unfolded in it, as far as there is room.
fn make_of(
    wanted: &Wanted,
    (relations, active): (&Relations<'_>, &Active),
    (mut open, memory, past): (Open, &Memory, &[Arc<Laid>]),
    progress: &Progress,
) -> Result<Made, Cancelled> {
    let hierarchy = &wanted.given.session.hierarchy;
    open.insert(ModuleId::ROOT);
    let cut = &wanted.cut;
    let folded = folding::fold_to_fit(hierarchy, active, cut, &mut open, wanted.last, wanted.most);
    progress.check()?;
    let mut maker = Maker {
        wanted,
        hierarchy,
        active,
        open: &open,
        boxes: BTreeMap::new(),
        notes: Vec::new(),
    };
    maker.note_folded(&folded);
    let mut graph = maker.graph(relations);
    progress.check()?;
    let boxes = maker.boxes_of_ends(relations);
    let of = |end: u32| boxes.get(end as usize).copied().flatten();
    let is_whole = |place: u32| match graph.boxes.get(place as usize)?.of {
        Of::More(_) => None,
        _ => Some(place),
    };
    let ends = |line: &Line| Some((is_whole(line.from)?, is_whole(line.to)?));
    (wanted.given).add_moments(&mut graph.lines, ends, &of, progress)?;
    let known = past.iter().find(|it| it.graph == graph).cloned();
    let laid = known.unwrap_or_else(|| Arc::new(Laid::new(graph, memory)));
    Ok(Made {
        laid,
        open,
        most: wanted.most,
    })
}

struct Maker<'a> {
    wanted: &'a Wanted,
    hierarchy: &'a Hierarchy,
    active: &'a Active,
    open: &'a Open,
    /// By module and whether it is what the module does itself, the number of its box.
    boxes: BTreeMap<(ModuleId, bool), u32>,
    notes: Vec<String>,
}

/// A box: its module, and whether it stands for the module itself beside what is in it.
type BoxOf = (ModuleId, bool);

/// By module how many boxes in it are left out, and their self costs.
type Gathered = BTreeMap<ModuleId, (u32, [f64; 2])>;

/// By the boxes at both ends.
type Sums = BTreeMap<(BoxOf, BoxOf), Sum>;

impl Maker<'_> {
    fn note_folded(&mut self, folded: &[ModuleId]) {
        const NAMED: usize = 3;
        if folded.is_empty() {
            return;
        }
        let names = folded
            .iter()
            .take(NAMED)
            .map(|&it| self.wanted.given.session.module_name(it));
        let mut names = names.collect::<Vec<_>>().join(", ");
        if folded.len() > NAMED {
            names.push_str(&format!(
                " and {} more",
                grouped((folded.len() - NAMED) as u64)
            ));
        }
        let most = grouped(u64::from(self.wanted.most));
        self.notes.push(format!(
            "folded automatically to stay within {most} boxes: {names}"
        ));
    }

    fn graph(&mut self, relations: &Relations<'_>) -> Graph {
        let cut = &self.wanted.cut;
        // By end of relations its box, where it takes part.
        let mut places: HashMap<ModuleId, BoxOf> = HashMap::new();
        let mut box_of = |module: ModuleId| {
            let known = places.entry(module);
            *known.or_insert_with(|| {
                folding::box_of(self.hierarchy, self.active, cut, self.open, module)
            })
        };
        let mut sums: Sums = BTreeMap::new();
        for relation in &relations.all {
            let ends = [relation.from, relation.to].map(|it| relations.ends.get(it as usize));
            let [Some(from), Some(to)] = ends.map(|it| it.filter(|it| self.is_shown(it.module)))
            else {
                continue;
            };
            let (from, to) = (box_of(from.module), box_of(to.module));
            sums.entry((from, to)).or_default().add(&relation.sum);
        }
        let ends = relations.ends.iter().map(|it| it.module);
        let mut all: Vec<BoxOf> = ends
            .filter(|&it| self.is_shown(it))
            .map(&mut box_of)
            .collect();
        all.sort_unstable();
        all.dedup();
        let (kept, more) = self.within_room(all);
        let own_text = |own: [f64; 2]| relations.own_text(&self.wanted.given, own);
        let nested = kept.iter().map(|&it| {
            let own = own_text(self.active.own(self.hierarchy, it));
            self.nested(it, &sums, own)
        });
        let nested: Vec<Nested> = nested.collect();
        let gathered = more
            .iter()
            .map(|(&parent, &(count, own))| self.gathered(parent, count, own_text(own)));
        let nested: Vec<Nested> = nested.into_iter().chain(gathered).collect();
        self.boxes = kept.iter().copied().zip(0..).collect();
        let first_more = kept.len() as u32;
        let place_more: BTreeMap<ModuleId, u32> = more.keys().copied().zip(first_more..).collect();
        let place = |of: (ModuleId, bool)| {
            let known = self.boxes.get(&of).copied();
            known.or_else(|| place_more.get(&self.parent(of)).copied())
        };
        let mut lines: BTreeMap<(u32, u32), Sum> = BTreeMap::new();
        for ((from, to), sum) in &sums {
            if let (Some(from), Some(to)) = (place(*from), place(*to))
                && from != to
            {
                lines.entry((from, to)).or_default().add(sum);
            }
        }
        let lines = self.lines(lines, relations);
        let (boxes, frames) = nest(self.hierarchy, nested, false, true);
        self.note_size(&boxes, lines.len());
        let (arrangement, note) = arranged(self.wanted.arrangement, boxes.len());
        self.notes.extend(note);
        Graph {
            boxes,
            frames,
            lines,
            order: Vec::new(),
            by: self.wanted.by,
            arrangement,
            amount: relations.amount.clone(),
            notes: std::mem::take(&mut self.notes),
        }
    }

    /// By end of relations the number of its box; none of what is in no box of its own. O(ends).
    fn boxes_of_ends(&self, relations: &Relations<'_>) -> Vec<Option<u32>> {
        let cut = &self.wanted.cut;
        let box_of = |module: ModuleId| {
            let of = folding::box_of(self.hierarchy, self.active, cut, self.open, module);
            self.boxes.get(&of).copied()
        };
        let ends = relations.ends.iter().map(|it| it.module);
        ends.map(|it| box_of(it).filter(|_| self.is_shown(it)))
            .collect()
    }

    /// Whether a module takes part: what is hidden does not.
    fn is_shown(&self, module: ModuleId) -> bool {
        module.index() < self.hierarchy.len() && self.active.is_itself(module)
    }

    /// What a box lies in.
    fn parent(&self, (module, is_itself): BoxOf) -> ModuleId {
        match is_itself {
            true => module,
            false => self.hierarchy.parent(module).unwrap_or(ModuleId::ROOT),
        }
    }

    /// Of more boxes than there is room for the costliest, and by module how many of those in it are left out, with their
    /// self costs.
    fn within_room(&self, all: Vec<BoxOf>) -> (Vec<BoxOf>, Gathered) {
        let most = self.wanted.most as usize;
        let mut more = Gathered::new();
        if all.len() <= most {
            return (all, more);
        }
        let mut order = all.clone();
        let cost = |of: &BoxOf| self.active.cost(self.hierarchy, of.0);
        order.sort_by(|a, b| cost(b).total_cmp(&cost(a)).then(a.cmp(b)));
        let kept = order.split_off(most.saturating_sub(1).max(1));
        for &of in &kept {
            let (count, own) = more.entry(self.parent(of)).or_default();
            *count += 1;
            *own = folding::sum(*own, self.active.own(self.hierarchy, of));
        }
        order.sort_unstable();
        (order, more)
    }

    fn nested(&self, (module, is_itself): BoxOf, sums: &Sums, own: String) -> Nested {
        let hierarchy = self.hierarchy;
        let parts = self.active.parts(hierarchy, module);
        let of = (module, is_itself);
        let (group, of_box, title) = match is_itself {
            true => (ITSELF, Of::Itself(module), "itself"),
            false => {
                let name = self.wanted.given.session.module_name(module);
                (MODULES, Of::Module(module), name)
            }
        };
        Nested {
            of: GraphBox {
                detail: own.clone(),
                own,
                sign: (parts > 0 && !is_itself).then_some(Sign::More),
                inner: sums.get(&(of, of)).copied().unwrap_or_default(),
                ..GraphBox::new(module_key(group, module), of_box, title.to_owned())
            },
            around: around(hierarchy, module, is_itself),
            group: MODULES,
        }
    }

    /// The box for what there was no room for in a module.
    fn gathered(&self, parent: ModuleId, count: u32, own: String) -> Nested {
        let title = format!("{} more", grouped(u64::from(count)));
        let more = Nested::more(module_key(MORE, parent), count, title, MODULES);
        Nested {
            of: GraphBox {
                detail: own.clone(),
                own,
                ..more.of
            },
            around: around(self.hierarchy, parent, true),
            group: MODULES,
        }
    }

    /// The lines with most, in order of their ends.
    fn lines(&mut self, sums: BTreeMap<(u32, u32), Sum>, relations: &Relations<'_>) -> Vec<Line> {
        let by = self.wanted.by;
        let all = sums.len();
        let whole: f64 = sums.values().map(|it| it.by(by)).sum();
        let mut order: Vec<((u32, u32), Sum)> = sums.into_iter().collect();
        order.sort_by(|a, b| b.1.by(by).total_cmp(&a.1.by(by)).then(a.0.cmp(&b.0)));
        order.truncate(self.wanted.most_lines as usize);
        if order.len() < all {
            let share: f64 = order.iter().map(|it| it.1.by(by)).sum();
            let share = 100.0 * share / whole.max(1e-9);
            let (drawn, all) = (grouped(order.len() as u64), grouped(all as u64));
            let title = by.title();
            self.notes.push(format!(
                "the {drawn} largest of {all} relations, {share:.1} % of the {title}"
            ));
        }
        order.sort_by_key(|it| it.0);
        let resolved = self.wanted.given.resolved();
        let counts = resolved.is_some_and(|it| it.recording.counts_calls());
        // More labels than these nobody reads.
        const LABELS: usize = 80;
        let has_labels = counts && relations.amount.is_none() && order.len() <= LABELS;
        // A label stands at the end that fewer lines have.
        let mut degrees: HashMap<(u32, bool), u32> = HashMap::new();
        for ((from, to), _) in &order {
            *degrees.entry((*from, true)).or_default() += 1;
            *degrees.entry((*to, false)).or_default() += 1;
        }
        let lines = order.into_iter().map(|((from, to), sum)| Line {
            from,
            to,
            sum,
            moments: Vec::new(),
            label: match has_labels {
                true => grouped(sum.calls.round() as u64),
                false => String::new(),
            },
            label_at_caller: degrees[&(from, true)] <= degrees[&(to, false)],
        });
        lines.collect()
    }

    fn note_size(&mut self, boxes: &[GraphBox], lines: usize) {
        let shown = boxes
            .iter()
            .filter(|it| !matches!(it.of, Of::More(_)))
            .count() as u64;
        let modules = crate::parts::text::counted(shown, "module", "modules");
        let relations =
            crate::parts::text::counted(lines as u64, "call relation", "call relations");
        self.notes.insert(0, format!("{modules}, {relations}"));
    }
}

/// How so many boxes are placed, and why not as wanted.
pub(super) fn arranged(wanted: Arrangement, boxes: usize) -> (Arrangement, Option<String>) {
    if wanted == Arrangement::Layered || boxes <= MOST_BOXES {
        return (wanted, None);
    }
    let [boxes, most] = [boxes, MOST_BOXES].map(|it| grouped(it as u64));
    let note = format!("layered: {boxes} boxes, and at most {most} can be placed by distance");
    (Arrangement::Layered, Some(note))
}

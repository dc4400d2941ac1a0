//! What differs between two runs, by module: how strong, by which pattern it is marked, what the colours mean.

use std::sync::Arc;

use crate::mark::Mark;
use callscape_analysis::comparison::Comparison;
use callscape_analysis::comparison::amounts::{Amounts, Change, Measure, Standing};
use callscape_analysis::comparison::causes::{Cause, Causes};
use callscape_analysis::comparison::tables::{Given, RelationChange};
use callscape_base::units::{Cost, ModuleId, Unit};
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};

/// What the strength of a colour says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strength {
    /// How large the difference is beside the whole of the larger run: equal runs stay neutral, whatever they are.
    #[default]
    Absolute,
    /// How many times as much it is; of what is at least a thousandth of its run.
    Relative,
}

impl Strength {
    pub const ALL: [Strength; 2] = [Strength::Absolute, Strength::Relative];

    /// As the command line names it.
    pub fn name(self) -> &'static str {
        match self {
            Strength::Absolute => "absolute",
            Strength::Relative => "relative",
        }
    }
}

/// A difference of this share of the whole has the full colour.
const FULL_SHARE: f64 = 0.25;

/// Less than this share of the whole is no difference that a picture shows.
const LEAST_SHARE: f64 = 1e-4;

/// Times differ from run to run of one program. Where one run of each side does not tell by how much, smaller shares of
/// the whole than this, and smaller parts of an amount, are taken for chance.
const CHANCE: f64 = 0.01;
const CHANCE_OF_AMOUNT: f64 = 0.1;

/// What is less of its run than this says nothing by how many times it is more.
const LEAST_FOR_RATIO: f64 = 1e-3;

/// This many times as much, or as little, has the full colour.
const FULL_RATIO: f64 = 4.0;

/// How two runs differ in a call relation between functions, or between modules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RelationDifference {
    pub from: ModuleId,
    pub to: ModuleId,
    /// What B has more than A.
    pub more: i64,
    /// Whether only one of them has it.
    pub is_one_sided: bool,
}

/// Why two runs differ, as the landscape shows it: a function, and who calls it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CauseAt {
    /// `None` for an outermost function.
    pub from: Option<ModuleId>,
    pub to: ModuleId,
    /// It makes B cost more than A.
    pub is_more: bool,
}

/// A cause that explains less of the difference is not worth a mark.
const LEAST_EXPLAINED: f64 = 0.01;
/// No more causes are shown.
const MOST_CAUSES: usize = 12;

impl CauseAt {
    /// Where a cause lies, by row of the comparison its module. `None` for one that explains next to nothing.
    pub fn of(cause: &Cause, places: &[ModuleId]) -> Option<CauseAt> {
        let place = |&row: &u32| places.get(row as usize).copied();
        let (to, callers) = cause.path.split_last()?;
        let is_much = cause.explains.abs() >= LEAST_EXPLAINED;
        let to = place(to).filter(|_| is_much)?;
        Some(CauseAt {
            from: callers.last().and_then(place),
            to,
            is_more: cause.amount > 0.0,
        })
    }

    /// The largest of all causes.
    pub fn first(causes: &Causes, places: &[ModuleId]) -> Arc<[CauseAt]> {
        let all = causes.causes.iter();
        let told = all.filter_map(|cause| CauseAt::of(cause, places));
        told.take(MOST_CAUSES).collect()
    }
}

/// How an amount of what is compared is written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Amount {
    pub measure: Measure,
    unit: Unit,
    is_by_shares: bool,
    is_per_call: bool,
}

impl Amount {
    pub fn of(comparison: &Comparison, measure: Measure) -> Amount {
        Amount {
            measure,
            unit: comparison.unit().clone(),
            is_by_shares: comparison.is_by_shares && comparison.per.is_none(),
            is_per_call: comparison.per.is_some(),
        }
    }

    /// What arcs between functions stand for: calls where both count them, as in the landscape of one run.
    pub fn of_relations(comparison: &Comparison) -> Amount {
        let counts = comparison.counts_calls() && comparison.per.is_none();
        let measure = match counts {
            true => Measure::Calls,
            false => Measure::Total,
        };
        Amount::of(comparison, measure)
    }

    /// The same of another measure.
    pub fn by(&self, measure: Measure) -> Amount {
        Amount {
            measure,
            ..self.clone()
        }
    }

    /// An amount with its unit.
    pub fn text(&self, value: f64) -> String {
        if self.is_by_shares {
            return format!("{:.2} %", value * 100.0);
        }
        match (self.measure.is_cost(), self.is_per_call) {
            (true, _) => self.unit.show(Cost::signed(value.round() as i64)),
            (false, true) => format!("{value:.3}"),
            (false, false) if value.fract() != 0.0 => format!("{value:.1}"),
            (false, false) => callscape_base::units::grouped(value.round() as u64),
        }
    }

    /// What costs count beside times and bytes, such as samples; none where this is no such cost.
    pub fn counted(&self) -> Option<&str> {
        match &self.unit {
            Unit::Things(name) | Unit::Thousandths(name) => {
                (self.measure.is_cost() && !self.is_by_shares).then_some(name)
            }
            _ => None,
        }
    }

    /// An amount as [`text`](Self::text) gives it, without the name of what it counts, for columns where that is said
    /// once.
    pub fn bare(&self, text: String) -> String {
        match (self.counted(), text.split_once(' ')) {
            (Some(_), Some((number, _))) => number.to_owned(),
            _ => text,
        }
    }

    /// What B has more or less, with its sign.
    pub fn delta(&self, change: &Change) -> String {
        let delta = change.delta(self.measure);
        let sign = match delta {
            delta if delta > 0.0 => "+",
            delta if delta < 0.0 => "−",
            _ => "",
        };
        format!("{sign}{}", self.text(delta.abs()))
    }
}

/// How many times that of A it is in B, or on which side alone it is.
pub fn ratio(change: &Change, measure: Measure) -> String {
    match (change.standing(), change.ratio(measure)) {
        (Standing::Both, Some(ratio)) if ratio >= 100.0 => format!("×{ratio:.0}"),
        (Standing::Both, Some(ratio)) => format!("×{ratio:.2}"),
        (Standing::Both, None) => "–".to_owned(),
        (standing, _) => standing.name().to_owned(),
    }
}

/// Which of two runs, or what differs between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    A,
    B,
    /// How much they differ, to more or to less.
    Difference,
}

/// What differs between two runs, by module of their structure.
#[derive(Clone, Debug, Default)]
pub struct Difference {
    pub measure: Measure,
    pub strength: Strength,
    pub amount: Amount,
    changes: Arc<[Change]>,
    /// By module, whether A and B have it in their source or ran it.
    known: Arc<[[bool; 2]]>,
    relations: Arc<[RelationDifference]>,
    /// What these count, and how much of it is one.
    relation_amount: Amount,
    relation_scale: f64,
    /// The measure of the larger run as a whole.
    whole: f64,
}

impl Difference {
    /// What differs, from the changes of all rows of `comparison`.
    pub fn new(
        comparison: &Comparison,
        functions: &[Change],
        measure: Measure,
        strength: Strength,
    ) -> Difference {
        let places: Vec<ModuleId> = comparison.rows.iter().map(|row| row.module).collect();
        let hierarchy = &comparison.session.hierarchy;
        let amount = Amount::of(comparison, measure);
        let modules = comparison.modules(Given::Compared);
        let difference = Difference::over(hierarchy, &places, functions, modules, amount, strength);
        Difference {
            known: comparison.known.as_slice().into(),
            ..difference
        }
    }

    /// What differs over a structure, from the changes of functions, by function the module that it is in, and the
    /// `changes` of modules. O(functions + modules).
    pub fn over(
        hierarchy: &Hierarchy,
        places: &[ModuleId],
        functions: &[Change],
        mut changes: Vec<Change>,
        amount: Amount,
        strength: Strength,
    ) -> Difference {
        let measure = amount.measure;
        let root = changes.first().copied().unwrap_or_default();
        // A function is noise here where it is in tables.
        for (change, place) in functions.iter().zip(places) {
            if hierarchy.is_leaf(*place)
                && let Some(of) = changes.get_mut(place.index())
            {
                of.is_significant = change.is_significant;
            }
        }
        // A cost per call has no whole: only by how many times it differs says something.
        let strength = match measure {
            Measure::Average => Strength::Relative,
            _ => strength,
        };
        Difference {
            measure,
            strength,
            amount,
            changes: changes.into(),
            known: Arc::default(),
            relations: Arc::default(),
            relation_amount: Amount::default(),
            relation_scale: 1.0,
            whole: root.a.of(measure).max(root.b.of(measure)),
        }
    }

    /// The same with call relations between functions: by how much of `amount` they differ.
    pub fn with_relations(
        mut self,
        places: &[ModuleId],
        relations: &[RelationChange<u32>],
        amount: Amount,
    ) -> Difference {
        let measure = amount.measure;
        // Shares are parts of one, and arcs are counted in whole numbers.
        let scale = match amount.is_by_shares || amount.is_per_call {
            true => 1e9,
            false => 1.0,
        };
        let noted = relations
            .iter()
            .filter(|it| it.change.is_significant(measure));
        let differences = noted.filter_map(|relation| {
            Some(RelationDifference {
                from: *places.get(relation.from as usize)?,
                to: *places.get(relation.to as usize)?,
                more: (relation.change.delta(measure) * scale).round() as i64,
                is_one_sided: relation.change.a.is_there() != relation.change.b.is_there(),
            })
        });
        self.relations = differences.collect();
        self.relation_amount = amount;
        self.relation_scale = scale;
        self
    }

    /// The size of a relation's difference with its unit.
    pub fn relation_text(&self, more: u64) -> String {
        self.relation_amount
            .text(more as f64 / self.relation_scale.max(1.0))
    }

    /// What the differences of relations count.
    pub fn measure_of_relations(&self) -> Measure {
        self.relation_amount.measure
    }

    pub fn relations(&self) -> &[RelationDifference] {
        &self.relations
    }

    /// By module, what one of both has of the measure, or by how much they differ; noise is no difference.
    pub fn values(&self, which: Which) -> Vec<f64> {
        let value = |change: &Change| match which {
            Which::A => change.a.of(self.measure),
            Which::B => change.b.of(self.measure),
            Which::Difference if !change.is_significant(self.measure) => 0.0,
            Which::Difference => change.delta(self.measure).abs(),
        };
        self.changes.iter().map(value).collect()
    }

    /// By module, the larger amount of both: footprints by it are the same in both.
    pub fn larger(&self, measure: Measure) -> Vec<f64> {
        let of = |amounts: &Amounts| amounts.of(measure);
        let larger = self.changes.iter().map(|it| of(&it.a).max(of(&it.b)));
        larger.collect()
    }

    /// Whether a module is to be seen as different: by its colour or by its pattern.
    pub fn is_seen(&self, module: ModuleId) -> bool {
        self.strength(module) != 0.0 || self.mark(module) != Mark::None
    }

    /// The outermost modules in which nothing differs, in preorder. O(modules).
    pub fn unchanged(&self, hierarchy: &Hierarchy) -> Vec<ModuleId> {
        let mut differs: Vec<bool> = hierarchy
            .modules()
            .map(|id| {
                let is_function = hierarchy.kind(id) == ModuleKind::Function;
                (is_function || hierarchy.is_leaf(id)) && self.is_seen(id)
            })
            .collect();
        for id in (1..hierarchy.len() as u32).rev().map(ModuleId) {
            if differs[id.index()]
                && let Some(parent) = hierarchy.parent(id)
            {
                differs[parent.index()] = true;
            }
        }
        let is_outermost = |id: ModuleId| {
            let parent = hierarchy.parent(id);
            !differs[id.index()] && parent.is_some_and(|parent| differs[parent.index()])
        };
        let all = hierarchy.modules();
        all.filter(|&id| is_outermost(id) && !hierarchy.is_leaf(id))
            .collect()
    }

    /// By how much B has more or less of the measure in a module, with its sign and unit.
    pub fn delta_text(&self, module: ModuleId) -> String {
        self.amount.delta(&self.change(module))
    }

    pub fn change(&self, module: ModuleId) -> Change {
        self.changes
            .get(module.index())
            .copied()
            .unwrap_or_default()
    }

    /// How much a module differs: -1 much less in B, 0 not at all, 1 much more.
    pub fn strength(&self, module: ModuleId) -> f32 {
        let change = self.change(module);
        if !change.is_significant(self.measure) {
            return 0.0;
        }
        let delta = change.delta(self.measure);
        let size = match self.strength {
            Strength::Absolute if self.whole > 0.0 => {
                let share = delta.abs() / self.whole;
                let least = match self.may_be_chance(&change) {
                    true => CHANCE,
                    false => LEAST_SHARE,
                };
                if share < least {
                    return 0.0;
                }
                (share / FULL_SHARE).sqrt()
            }
            Strength::Absolute => 0.0,
            Strength::Relative => self.by_ratio(&change),
        };
        (size.min(1.0) * delta.signum()) as f32
    }

    /// Whether nothing is known of the noise of what is measured: calls are counted.
    fn may_be_chance(&self, change: &Change) -> bool {
        let is_time = self.amount.unit.is_time() && self.measure.is_cost();
        is_time && change.chance(self.measure).is_none()
    }

    fn by_ratio(&self, change: &Change) -> f64 {
        let (a, b) = (change.a.of(self.measure), change.b.of(self.measure));
        let is_much = match self.measure {
            Measure::Average => a.max(b) > 0.0,
            _ => a.max(b) >= LEAST_FOR_RATIO * self.whole,
        };
        if !is_much || a == b {
            return 0.0;
        }
        if a.min(b) <= 0.0 {
            return 1.0;
        }
        if self.may_be_chance(change) && (b - a).abs() < CHANCE_OF_AMOUNT * a.max(b) {
            return 0.0;
        }
        (b / a).ln().abs() / FULL_RATIO.ln()
    }

    /// The pattern on a module: what is on one side alone, and what is less.
    pub fn mark(&self, module: ModuleId) -> Mark {
        let change = self.change(module);
        let is_there = change.a.is_there() || change.b.is_there();
        match change.standing() {
            // Now and then it runs, and now and then it does not.
            _ if is_there && !change.is_significant(self.measure) => Mark::None,
            Standing::Added => Mark::Added,
            Standing::Gone => Mark::Gone,
            Standing::Both if is_there => match self.strength(module) {
                strength if strength < 0.0 => Mark::Less,
                strength if strength > 0.0 => Mark::More,
                _ => Mark::None,
            },
            Standing::Both => match self.known.get(module.index()) {
                Some([false, true]) => Mark::Added,
                Some([true, false]) => Mark::Gone,
                _ => Mark::None,
            },
        }
    }

    /// What both runs have of the measure in a module, for people; none where neither ran it.
    pub fn text(&self, module: ModuleId) -> Option<String> {
        let both = self.both(module, self.measure)?;
        let change = self.change(module);
        let times = match (change.standing(), change.ratio(self.measure)) {
            (Standing::Both, Some(ratio)) => format!(", ×{ratio:.2}"),
            _ => String::new(),
        };
        Some(format!("{}: {both}{times}", self.measure.title()))
    }

    /// What both runs have of any measure in a module, for people; `None` if neither ran it.
    pub fn both(&self, module: ModuleId, measure: Measure) -> Option<String> {
        self.both_of(&self.change(module), measure)
    }

    /// The same of a function, a relation or a module.
    pub fn both_of(&self, change: &Change, measure: Measure) -> Option<String> {
        let amount = self.amount.by(measure);
        let [a, b] = [change.a, change.b].map(|it| match it.is_there() {
            true => amount.text(it.of(measure)),
            false => "not run".to_owned(),
        });
        let is_there = change.a.is_there() || change.b.is_there();
        is_there.then(|| format!("A {a}, B {b}"))
    }

    /// Where on the way from less (-1) to more (1) which differences stand, as texts with units.
    pub fn ticks(&self) -> Vec<(f32, String)> {
        let mut ticks = vec![(0.0, "equal".to_owned())];
        for (strength, sign) in [(1.0f32, "+"), (-1.0, "−")] {
            match self.strength {
                // Of nothing no part is much.
                Strength::Absolute if self.whole <= 0.0 => {}
                Strength::Absolute => {
                    for at in [0.4f32, 1.0] {
                        let mut value = f64::from(at * at) * FULL_SHARE * self.whole;
                        let is_counted = !self.measure.is_cost() && value >= 10.0;
                        if is_counted && !self.amount.is_by_shares && !self.amount.is_per_call {
                            value = value.round();
                        }
                        ticks.push((at * strength, format!("{sign}{}", self.amount.text(value))));
                    }
                }
                Strength::Relative => {
                    let (half, full) = match strength > 0.0 {
                        true => ("×2", "×4 or more"),
                        false => ("½", "¼ or less"),
                    };
                    ticks.push((0.5 * strength, half.to_owned()));
                    ticks.push((strength, full.to_owned()));
                }
            }
        }
        ticks.sort_by(|a, b| a.0.total_cmp(&b.0));
        ticks
    }
}

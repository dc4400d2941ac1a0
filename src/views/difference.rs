//! What differs between two runs, by module: how strong, by which pattern it is marked, what the colours mean.

use crate::analysis::comparison::Comparison;
use crate::analysis::comparison::amounts::{Change, Measure, Standing};
use crate::layout::geometry::Mark;
use crate::render::theme::{Theme, linear};
use crate::units::{Cost, ModuleId, Unit};

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

/// What is less of its run than this says nothing by how many times it is more.
const LEAST_FOR_RATIO: f64 = 1e-3;

/// So many times as much, or so many times less, has the full colour.
const FULL_RATIO: f64 = 4.0;

/// What differs between two runs, by module of their structure.
#[derive(Clone, Debug, Default)]
pub struct Difference {
    pub measure: Measure,
    pub strength: Strength,
    unit: Unit,
    is_by_shares: bool,
    changes: Vec<Change>,
    /// By module, whether A and B have it in their source or ran it.
    known: Vec<[bool; 2]>,
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
        let changes = comparison.modules(functions);
        let root = changes.first().copied().unwrap_or_default();
        let noise = functions.iter().zip(&comparison.rows);
        let mut changes = changes;
        // What is noise in a function is no difference; districts add up what is left to be seen.
        for (change, row) in noise.filter(|(change, _)| !change.is_significant(measure)) {
            let module = &mut changes[row.module.index()];
            if comparison.session.hierarchy.is_leaf(row.module) {
                module.is_significant = change.is_significant;
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
            unit: comparison.unit().clone(),
            is_by_shares: comparison.is_by_shares && comparison.per.is_none(),
            changes,
            known: comparison.known.clone(),
            whole: root.a.of(measure).max(root.b.of(measure)),
        }
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
                if share < LEAST_SHARE {
                    return 0.0;
                }
                (share / FULL_SHARE).sqrt()
            }
            Strength::Absolute => 0.0,
            Strength::Relative => self.by_ratio(&change),
        };
        (size.min(1.0) * delta.signum()) as f32
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
        (b / a).ln().abs() / FULL_RATIO.ln()
    }

    /// The pattern on a module: what is on one side alone, and what is less.
    pub fn mark(&self, module: ModuleId) -> Mark {
        let change = self.change(module);
        let is_there = change.a.is_there() || change.b.is_there();
        match change.standing() {
            Standing::Added => Mark::Added,
            Standing::Gone => Mark::Gone,
            Standing::Both if is_there => {
                if self.strength(module) < 0.0 {
                    Mark::Less
                } else {
                    Mark::None
                }
            }
            Standing::Both => match self.known.get(module.index()) {
                Some([false, true]) => Mark::Added,
                Some([true, false]) => Mark::Gone,
                _ => Mark::None,
            },
        }
    }

    fn amount(&self, value: f64) -> String {
        if self.is_by_shares {
            return format!("{:.2} %", value * 100.0);
        }
        match self.measure.is_cost() {
            true => self.unit.show(Cost::from_ns(value.round() as u64)),
            false => crate::units::grouped(value.round() as u64),
        }
    }

    /// What both runs have of the measure in a module, for people; none where neither ran it.
    pub fn text(&self, module: ModuleId) -> Option<String> {
        let change = self.change(module);
        let [a, b] = [change.a, change.b].map(|it| match it.is_there() {
            true => self.amount(it.of(self.measure)),
            false => "not run".to_owned(),
        });
        let times = match (change.standing(), change.ratio(self.measure)) {
            (Standing::Both, Some(ratio)) => format!(", ×{ratio:.2}"),
            _ => String::new(),
        };
        let is_there = change.a.is_there() || change.b.is_there();
        is_there.then(|| format!("{}: A {a}, B {b}{times}", self.measure.title()))
    }

    /// Where on the way from less (-1) to more (1) which differences stand, as texts with units.
    pub fn ticks(&self) -> Vec<(f32, String)> {
        let mut ticks = vec![(0.0, "equal".to_owned())];
        for (strength, sign) in [(1.0f32, "+"), (-1.0, "−")] {
            match self.strength {
                Strength::Absolute => {
                    for at in [0.4f32, 1.0] {
                        let value = f64::from(at * at) * FULL_SHARE * self.whole;
                        ticks.push((at * strength, format!("{sign}{}", self.amount(value))));
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

/// From barely to much less, and from barely to much more: blue and orange differ for colour-blind people, and both
/// grow away from the lightness of the terraces.
const LESS: [[u32; 3]; 2] = [
    [0xC3D9EE, 0x5E9BD1, 0x12529B],
    [0x31506F, 0x3E86C8, 0x86C5FF],
];
const MORE: [[u32; 3]; 2] = [
    [0xF7DDBB, 0xEE9A4D, 0xC24E00],
    [0x6B4A2B, 0xC9732A, 0xFFB066],
];

/// The linear colour of a difference from -1 to 1.
pub fn diverging(theme: Theme, strength: f32) -> [f32; 3] {
    let of_theme = usize::from(theme == Theme::Dark);
    let map = if strength < 0.0 {
        LESS[of_theme]
    } else {
        MORE[of_theme]
    };
    let at = strength.abs().clamp(0.0, 1.0) * 2.0;
    let first = (at as usize).min(1);
    let (from, to) = (linear(map[first]), linear(map[first + 1]));
    let part = at - first as f32;
    std::array::from_fn(|i| from[i] + (to[i] - from[i]) * part)
}

/// The colour of an arc of which B has more, or less.
pub fn difference_color(theme: Theme, is_more: bool) -> [f32; 3] {
    diverging(theme, if is_more { 0.9 } else { -0.9 })
}

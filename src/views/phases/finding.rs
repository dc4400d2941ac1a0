//! Phases found on another thread, as the sliders stand.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::parts::kept;
use callscape_analysis::phases::folding::Folded;
use callscape_analysis::phases::names::Labels;
use callscape_analysis::phases::{Alike, Phases, Pruning, SIMILARITY, Wish};
use callscape_analysis::session::Session;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{Cost, Time, TimeRange};
use callscape_facts::recording::Recording;
use callscape_facts::trace::{CostOf, Trace};
use callscape_filter::filters::FilterRules;
use callscape_filter::left_calls::LeftCalls;
use callscape_model::band::{Band, Stretch};
use callscape_state::State;
use callscape_state::job::Job;

/// What the sliders say; what is open is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Settings {
    pub calls: Option<u64>,
    pub cost: Option<Cost>,
    pub similarity: f64,
    pub alike: Alike,
    pub costs: CostOf,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            calls: None,
            cost: None,
            similarity: SIMILARITY,
            alike: Alike::Functions,
            costs: CostOf::Running,
        }
    }
}

/// The same in a session file.
#[derive(Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    min_calls: Option<u64>,
    min_cost_ns: Option<u64>,
    similarity: f64,
    same_calls: bool,
    elapsed: bool,
}

impl Default for Kept {
    fn default() -> Kept {
        Kept::of(&Settings::default())
    }
}

impl Kept {
    fn of(settings: &Settings) -> Kept {
        Kept {
            min_calls: settings.calls,
            min_cost_ns: settings.cost.map(Cost::ns),
            similarity: settings.similarity,
            same_calls: settings.alike == Alike::Calls,
            elapsed: settings.costs == CostOf::Elapsed,
        }
    }
}

impl Settings {
    pub(super) fn save(&self, out: &mut Map<String, Value>) {
        kept::put(&Kept::of(self), out);
    }

    /// As they were saved, and how many of them mean nothing.
    pub(super) fn restore(saved: &Map<String, Value>) -> (Settings, usize) {
        let (kept, lost) = kept::read::<Kept>(saved);
        let is_share = (0.0..=1.0).contains(&kept.similarity);
        let settings = Settings {
            calls: kept.min_calls,
            cost: kept.min_cost_ns.map(Cost::from_ns),
            similarity: if is_share {
                kept.similarity
            } else {
                SIMILARITY
            },
            alike: match kept.same_calls {
                true => Alike::Calls,
                false => Alike::Functions,
            },
            costs: match kept.elapsed {
                true => CostOf::Elapsed,
                false => CostOf::Running,
            },
        };
        (settings, lost + usize::from(!is_share))
    }
}

/// What phases are found of.
#[derive(Clone)]
pub(super) struct FoundIn {
    /// What names its functions, and the place of the recording in it.
    pub named: (Arc<Session>, usize),
    pub recording: Arc<Recording>,
    /// What the filters leave out of it.
    pub rules: Arc<FilterRules>,
    pub costs: CostOf,
}

impl PartialEq for FoundIn {
    fn eq(&self, other: &FoundIn) -> bool {
        Arc::ptr_eq(&self.named.0, &other.named.0)
            && Arc::ptr_eq(&self.recording, &other.recording)
            && self.rules == other.rules
            && self.costs == other.costs
    }
}

impl FoundIn {
    fn left(&self) -> LeftCalls<'_> {
        LeftCalls {
            costs: self.costs,
            trace: &self.recording.trace,
            rules: &self.rules,
        }
    }
}

/// Phases, and what they were found from.
pub(super) struct Found {
    pub of: FoundIn,
    pub pruning: Arc<Pruning>,
    pub phases: Phases,
    pub labels: Labels,
    pub folded: Folded,
    /// By root.
    pub bars: Vec<Vec<Bar>>,
    /// By root the same bars for the views along time.
    pub bands: Vec<Arc<Band>>,
}

/// A phase in the band along time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bar {
    pub index: u32,
    /// From 1.
    pub depth: u32,
    pub start: Time,
    pub end: Time,
}

/// How many depths the band has.
pub(super) const DEPTHS: u32 = 4;
/// Of phases narrower than such a part of the recording that lie on each other one is drawn.
const PARTS: u64 = 8192;

/// The bars of the phases of each root.
fn bars(trace: &Trace, phases: &Phases) -> Vec<Vec<Bar>> {
    let least = trace.duration().ns() / PARTS;
    let of_root = |root: usize| {
        let first = phases.roots[root].first;
        let end = phases.roots.get(root + 1).map(|next| next.first);
        let end = end.unwrap_or(phases.phases.len() as u32);
        let mut bars = Vec::new();
        let mut drawn_to = [None; DEPTHS as usize];
        let mut next = first;
        while next < end {
            let phase = &phases.phases[next as usize];
            let index = next;
            let Some(to) = drawn_to.get_mut(phase.depth as usize - 1) else {
                next = phase.end;
                continue;
            };
            let call = trace.call(phase.thread, phase.call);
            // What is as narrow holds nothing wider.
            if to.is_some_and(|to: Time| call.end < to + Cost::from_ns(least)) {
                next = phase.end;
                continue;
            }
            *to = Some(call.end);
            bars.push(Bar {
                index,
                depth: phase.depth,
                start: call.start,
                end: call.end,
            });
            next += 1;
        }
        bars
    };
    (0..phases.roots.len()).map(of_root).collect()
}

/// The bars of a root, to be shown by other views.
fn band(bars: &[Bar], phases: &Phases, labels: &Labels) -> Band {
    let mut rows = Vec::new();
    for bar in bars {
        let row = bar.depth as usize - 1;
        while rows.len() <= row {
            rows.push(Vec::new());
        }
        let phase = &phases.phases[bar.index as usize];
        rows[row].push(Stretch {
            name: labels.phase(bar.index, phase).to_owned(),
            range: TimeRange::new(bar.start, bar.end),
            thread: phase.thread,
            call: phase.call,
            function: phase.function,
        });
    }
    Band {
        title: "phases",
        rows,
    }
}

/// Finds phases.
#[derive(Default)]
pub(super) struct Finding {
    pub settings: Settings,
    /// What phases are being found, or were, in which recording.
    of: Option<(FoundIn, Settings)>,
    pruning: Option<Arc<Pruning>>,
    job: Option<Job<Found>>,
    /// A call whose phase is to be unfolded when they are found.
    pub to_unfold: Option<callscape_filter::selection::CallOf>,
}

impl Finding {
    pub(super) fn change(&mut self, settings: Settings) {
        self.settings = settings;
    }

    /// Begins to find what is not found yet. Whether it is of another recording than before.
    pub(super) fn begin(&mut self, of: FoundIn, state: &State) -> bool {
        let known = self.of.as_ref();
        let settings = self.settings;
        if known.is_some_and(|it| *it == (of.clone(), settings)) {
            return false;
        }
        let is_same = |it: &&(FoundIn, Settings)| Arc::ptr_eq(&it.0.recording, &of.recording);
        let is_of_same_recording = known.is_some_and(|it| is_same(&it));
        if known.is_none_or(|it| it.0 != of) {
            self.pruning = None;
        }
        self.of = Some((of.clone(), settings));
        let pruning = self.pruning.clone();
        // One that is under way is cancelled when it goes.
        self.job = Some(Job::named("phases", state.waker(), move |progress| {
            find(of, pruning, settings, progress)
        }));
        !is_of_same_recording
    }

    /// What was found, once.
    pub(super) fn poll(&mut self) -> Option<Found> {
        let found = callscape_state::job::take(&mut self.job)?;
        self.pruning = Some(Arc::clone(&found.pruning));
        Some(found)
    }

    pub(super) fn is_running(&self) -> bool {
        self.job.is_some()
    }

    pub(super) fn slow(&self) -> Option<&Progress> {
        self.job.as_ref().and_then(Job::slow)
    }

    pub(super) fn cancel(&mut self) {
        self.job = None;
    }
}

/// Moves thresholds over the skeletons where these reach so far; else reads the calls.
pub(super) fn find(
    of: FoundIn,
    pruning: Option<Arc<Pruning>>,
    settings: Settings,
    progress: &Progress,
) -> Result<Found, Cancelled> {
    let left = of.left();
    let mut wish = Wish {
        calls: settings.calls,
        cost: settings.cost,
        short: pruning.as_ref().and_then(|it| it.short),
        similarity: settings.similarity,
        alike: settings.alike,
        ..Wish::of(left.threads())
    };
    let reaches = |pruning: &Pruning, wish: &Wish| pruning.reaches(&pruning.parameters(wish).heavy);
    let pruning = match pruning {
        Some(pruning) if reaches(&pruning, &wish) => pruning,
        Some(_) => Arc::new(Pruning::new(&left, &wish, progress)?),
        None => {
            // Far below most thresholds, so that the next ones are found without a look at the calls.
            let open = Wish {
                calls: None,
                cost: None,
                ..wish.clone()
            };
            let low = Pruning::new(&left, &open, progress)?;
            wish.short = low.short;
            match reaches(&low, &wish) {
                true => Arc::new(low),
                false => Arc::new(Pruning::new(&left, &wish, progress)?),
            }
        }
    };
    let phases = pruning.wished(&left, &wish, progress)?;
    progress.check()?;
    let (session, place) = &of.named;
    let name = |function| session.function_name(*place, function).to_owned();
    let labels = Labels::named(&phases, &of.recording.functions, &pruning, name);
    let folded = Folded::new(&phases);
    let bars = bars(&of.recording.trace, &phases);
    let bands = bars.iter().map(|bars| band(bars, &phases, &labels));
    let bands = bands.map(Arc::new).collect();
    Ok(Found {
        of,
        folded,
        bars,
        bands,
        pruning,
        phases,
        labels,
    })
}

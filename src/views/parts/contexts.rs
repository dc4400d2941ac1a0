//! What the views of calling contexts share: the tree of the run that is shown, counted on another thread, with that of
//! the other run.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use callscape_analysis::call_sites::{self, NoCallSites};
use callscape_analysis::{contexts, sampled};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{ContextId, Cost, FunctionId, TimeRange, Unit};
use callscape_base::warnings::Reporter;
use callscape_facts::contexts::{Contexts, ContextsBuilder, Merge};
use callscape_facts::profile::Value;
use callscape_facts::recording::Recording;
use callscape_filter::selection::Pointed;
use callscape_state::State;
use callscape_state::document::Document;
use callscape_state::job::Job;
use callscape_state::runs::Runs;

/// Of no context of the other run.
const NONE: u32 = u32::MAX;

/// A calling context tree that is shown.
#[derive(Debug)]
pub(crate) struct ShownContexts {
    pub contexts: Contexts,
    /// The value shown.
    pub value: usize,
    /// What the values of contexts are: those of the recording, or time and what of it was waiting.
    pub values: Vec<Value>,
    /// Whether the second value says what of the first was waiting.
    pub knows_waiting: bool,
    pub merge: Merge,
    /// Why contexts are not told apart by call site, where that is wished.
    pub without_sites: Option<NoCallSites>,
    /// The recording that has the call sites, where contexts are told apart by them.
    of_sites: Option<Arc<Recording>>,
    /// By function, the way to the root that all of it is below.
    pub below: Option<Arc<[FunctionId]>>,
    pub whole: Cost,
    /// What shares are shares of: the whole, or where weights have both signs the sum of their sizes.
    pub size: u64,
    /// By context how many contexts before it are drawn as nothing, for they weigh less than that; one entry more than
    /// contexts, and empty if none does.
    pub negative_before: Vec<u32>,
    other: Option<Other>,
    /// By context the calls of all contexts before it, made when first asked for.
    calls_before: OnceLock<Vec<u64>>,
}

/// The tree of the other run.
#[derive(Debug)]
struct Other {
    contexts: Contexts,
    value: usize,
    /// By context of the run shown, the one of the other with the same path.
    pairs: Vec<u32>,
}

impl ShownContexts {
    /// Of one run, by the first value.
    #[cfg(test)]
    pub(crate) fn of(contexts: Contexts) -> ShownContexts {
        ShownContexts {
            whole: contexts.weight(0),
            size: size(&contexts, 0),
            negative_before: contexts.negative_before(0),
            values: values(&contexts, &[], None),
            contexts,
            value: 0,
            knows_waiting: false,
            merge: Merge::Paths,
            without_sites: None,
            of_sites: None,
            below: None,
            other: None,
            calls_before: OnceLock::new(),
        }
    }

    /// Whether a context is drawn as nothing, for it weighs less than that.
    pub(crate) fn is_negative(&self, context: ContextId) -> bool {
        let count = |at: usize| self.negative_before.get(at).copied().unwrap_or(0);
        count(context.index() + 1) > count(context.index())
    }

    /// Which part of everything a cost is; below 0 if that is.
    pub(crate) fn share(&self, cost: Cost) -> f64 {
        cost.weight() as f64 / self.size.max(1) as f64
    }

    pub(crate) fn total(&self, context: ContextId) -> Cost {
        self.contexts.total(self.value, context)
    }

    pub(crate) fn own(&self, context: ContextId) -> Cost {
        self.contexts.self_weight(self.value, context)
    }

    /// 0 where calls are not counted.
    pub(crate) fn calls(&self, context: ContextId) -> u64 {
        self.contexts.calls(context).unwrap_or_default()
    }

    /// The line that makes the calls of a context, and its file, where contexts are told apart by it and it is known.
    pub(crate) fn site(&self, context: ContextId) -> Option<(&str, u32)> {
        call_sites::site(self.of_sites.as_ref()?, context)
    }

    /// How much of the total was waiting.
    pub(crate) fn waiting(&self, context: ContextId) -> Cost {
        match self.knows_waiting {
            true => self.contexts.total(contexts::WAITING, context),
            false => Cost::ZERO,
        }
    }

    /// By context the calls of all contexts before it, one entry more than contexts. O(contexts) for the first time.
    pub(crate) fn calls_before(&self) -> &[u64] {
        self.calls_before.get_or_init(|| {
            let mut sum = 0_u64;
            let calls = self.contexts.ids().map(|it| {
                sum = sum.saturating_add(self.calls(it));
                sum
            });
            std::iter::once(0).chain(calls).collect()
        })
    }

    /// Whether there is another run beside it.
    pub(crate) fn has_other(&self) -> bool {
        self.other.is_some()
    }

    /// The contexts of the other run, the value of them that is shown, and by context of the run shown the one with the
    /// same path, which is past the last where there is none.
    pub(crate) fn other(&self) -> Option<(&Contexts, usize, &[u32])> {
        let other = self.other.as_ref()?;
        Some((&other.contexts, other.value, &other.pairs))
    }

    /// The total of the same context in the other run; nothing where that has none.
    pub(crate) fn other_total(&self, context: ContextId) -> Cost {
        let other = self.other.as_ref();
        let pair = other.and_then(|it| Some((it, *it.pairs.get(context.index())?)));
        match pair {
            Some((other, pair)) if pair != NONE => {
                other.contexts.total(other.value, ContextId(pair))
            }
            _ => Cost::ZERO,
        }
    }

    /// The total of a context or of everything, of two runs of both.
    pub(crate) fn total_text(&self, document: &Document, context: Option<ContextId>) -> String {
        let own = context.map_or(self.whole, |it| self.total(it));
        let other = self.other.as_ref().map(|it| match context {
            Some(context) => self.other_total(context),
            None => it.contexts.weight(it.value),
        });
        let both = other.and_then(|other| sides(document, own, other));
        let costs = both.map_or_else(|| vec![own], Vec::from);
        document.show_costs(&costs).unwrap_or_default()
    }

    /// The functions on the way to a context, outermost first and its own last. O(depth).
    pub(crate) fn path(&self, context: ContextId) -> Vec<ContextId> {
        let around = std::iter::successors(Some(context), |it| self.contexts.parent(*it));
        let mut path: Vec<ContextId> = around.collect();
        path.reverse();
        path
    }
}

/// What contexts were counted of.
#[derive(Clone, Debug)]
struct Of {
    recordings: Vec<Arc<Recording>>,
    range: Option<TimeRange>,
    other_range: Option<TimeRange>,
    merge: Merge,
    /// By function, only what is below the end of this way.
    below: Option<Arc<[FunctionId]>>,
    revision: u64,
}

impl Of {
    fn has_recordings_of(&self, other: &Of) -> bool {
        let alike = |(a, b): (&Arc<Recording>, &Arc<Recording>)| Arc::ptr_eq(a, b);
        self.recordings.len() == other.recordings.len()
            && self.recordings.iter().zip(&other.recordings).all(alike)
    }
}

impl PartialEq for Of {
    fn eq(&self, other: &Of) -> bool {
        self.has_recordings_of(other)
            && (self.range, self.other_range) == (other.range, other.other_range)
            && (self.merge, self.revision) == (other.merge, other.revision)
            && self.below == other.below
    }
}

/// The tree that a view shows, and the work on another.
#[derive(Debug, Default)]
pub(crate) struct Counted {
    shown: Option<Arc<ShownContexts>>,
    /// Whether what is open tells no call paths.
    has_none: bool,
    of: Option<Of>,
    job: Option<Job<Option<ShownContexts>>>,
}

impl Counted {
    pub(crate) fn shown(&self) -> Option<&Arc<ShownContexts>> {
        self.shown.as_ref()
    }

    pub(crate) fn is_waiting(&self) -> bool {
        self.job.is_some()
    }

    /// Whether what is open has weights but no call paths.
    pub(crate) fn has_none(&self) -> bool {
        self.has_none
    }

    /// How far the work is, where it takes long.
    pub(crate) fn progress(&self) -> Option<&Progress> {
        self.job.as_ref().and_then(Job::slow)
    }

    /// Takes what was counted, and begins to count where something else is shown. Whether there is another tree.
    pub(crate) fn update(&mut self, state: &State, merge: Merge) -> bool {
        self.update_below(state, merge, &Arc::default())
    }

    /// The same; contexts that are merged by function are those at the end of a way and below it.
    pub(crate) fn update_below(
        &mut self,
        state: &State,
        merge: Merge,
        way: &Arc<[FunctionId]>,
    ) -> bool {
        let mut is_new = false;
        if let Some(done) = self.job.as_ref().and_then(Job::poll) {
            self.job = None;
            if let Ok(found) = done {
                self.has_none = found.is_none();
                self.shown = found.map(Arc::new);
                is_new = true;
            }
        }
        let document = state.document.as_ref();
        let Some((document, resolved)) = document.and_then(|it| Some((it, it.resolved()?))) else {
            is_new |= self.shown.take().is_some();
            (self.of, self.job) = (None, None);
            return is_new;
        };
        let runs = document.runs.as_ref();
        let of_other = runs.and_then(|it| document.session.recordings.get(it.place_of_other()));
        let range = document.selection.range;
        let all = std::iter::once(resolved).chain(of_other);
        let of = Of {
            recordings: all.map(|it| Arc::clone(&it.recording)).collect(),
            range,
            other_range: range
                .zip(runs)
                .map(|(range, runs)| runs.range_of_other(range)),
            merge,
            below: (merge == Merge::Functions && !way.is_empty()).then(|| Arc::clone(way)),
            revision: runs.map_or(0, |it| it.revision()),
        };
        if self.of.as_ref() == Some(&of) {
            return is_new;
        }
        let before = self.of.as_ref();
        if !before.is_some_and(|before| before.has_recordings_of(&of)) {
            // The functions of its contexts are those of another run.
            is_new |= self.shown.take().is_some();
        }
        self.of = Some(of.clone());
        let runs = runs.cloned();
        self.job = Some(Job::named("contexts", state.waker(), move |progress| {
            count(&of, runs.as_deref(), progress)
        }));
        is_new
    }
}

/// The tree of one recording.
fn tree(
    recording: &Recording,
    range: Option<TimeRange>,
    merge: Merge,
    progress: &Progress,
) -> Result<Option<(Contexts, usize)>, Cancelled> {
    let tree = sampled::contexts_in(recording, range.into(), None, progress)?;
    let tree = tree.map(|(tree, value)| match merge {
        Merge::Paths | Merge::CallSites => Ok((tree.into_owned(), value)),
        _ => Ok((tree.merged(merge, |function| function, progress)?, value)),
    });
    tree.transpose()
}

fn count(
    of: &Of,
    runs: Option<&Runs>,
    progress: &Progress,
) -> Result<Option<ShownContexts>, Cancelled> {
    let Some(recording) = of.recordings.first() else {
        return Ok(None);
    };
    let by_site = (of.merge == Merge::CallSites).then(|| match of.range {
        Some(_) => Err(NoCallSites::Part),
        None => call_sites::contexts(recording),
    });
    let (by_site, without_sites) = match by_site {
        Some(Ok(by_site)) => (Some(by_site), None),
        Some(Err(why)) => (None, Some(why)),
        None => (None, None),
    };
    let of_sites = by_site.is_some().then(|| Arc::clone(recording));
    let merge = match of.below {
        Some(_) => Merge::Paths,
        None => of.merge,
    };
    let found = match by_site {
        Some(by_site) => Some((by_site, recording.value())),
        None => tree(recording, of.range, merge, progress)?,
    };
    let Some((mut contexts, value)) = found else {
        return Ok(None);
    };
    // Shares are those of everything, also below a root.
    let size = size(&contexts, value);
    let mut other = None;
    if let (Some(recording), Some(runs), None) = (of.recordings.get(1), runs, &of_sites) {
        let found = tree(recording, of.other_range, merge, progress)?;
        other = found.map(|(found, value)| Other {
            pairs: pairs(&contexts, &found, runs),
            value,
            contexts: found,
        });
    }
    let mut below = None;
    if let Some(way) = &of.below {
        let root = contexts.at_way(way, Merge::Paths, value);
        below = Some(root.map_or_else(Vec::new, |it| contexts.way(it)).into());
        let all = functions_below(&contexts, root, progress)?;
        if let (Some(other), Some(runs)) = (&mut other, runs) {
            let pair = root.map(|it| ContextId(other.pairs[it.index()]));
            other.contexts = functions_below(&other.contexts, pair, progress)?;
            other.pairs = pairs(&all, &other.contexts, runs);
        }
        contexts = all;
    }
    Ok(Some(ShownContexts {
        whole: contexts.weight(value),
        size,
        negative_before: contexts.negative_before(value),
        knows_waiting: recording.trace.knows_waiting() && of_sites.is_none(),
        merge: match without_sites {
            Some(_) => Merge::Paths,
            None => of.merge,
        },
        without_sites,
        of_sites,
        below,
        values: values(&contexts, recording.values(), recording.value_shown()),
        value,
        contexts,
        other,
        calls_before: OnceLock::new(),
    }))
}

/// What the values of contexts are, from those of their recording: these, or the one shown and what of it was waiting.
fn values(contexts: &Contexts, all: &[Value], shown: Option<&Value>) -> Vec<Value> {
    if contexts.values() == all.len() {
        return all.to_vec();
    }
    let time = |name: &str| Value {
        name: name.to_owned(),
        unit: Unit::Nanoseconds,
    };
    let first = shown.cloned().unwrap_or_else(|| time("time"));
    let values = std::iter::once(first).chain([time("waiting")]);
    values.take(contexts.values()).collect()
}

/// The functions of a context and of all below it, or of everything; nothing of a context that is not there.
fn functions_below(
    of: &Contexts,
    root: Option<ContextId>,
    progress: &Progress,
) -> Result<Contexts, Cancelled> {
    let merged = |of: &Contexts| of.merged(Merge::Functions, |function| function, progress);
    match root {
        None => merged(of),
        Some(root) if root.index() < of.len() => merged(&of.below(root)),
        Some(_) => Ok(ContextsBuilder::new(of.values(), &Reporter::new()).finish()),
    }
}

fn size(contexts: &Contexts, value: usize) -> u64 {
    contexts.sizes_before(value).last().copied().unwrap_or(0)
}

/// By context of the run shown, the one of the other with the same path of functions. O(contexts).
fn pairs(shown: &Contexts, other: &Contexts, runs: &Runs) -> Vec<u32> {
    let side = runs.side();
    let row = |side: usize, function: FunctionId| runs.row_of(side, function).unwrap_or(NONE);
    let mut places: HashMap<(u32, u32), u32> = HashMap::with_capacity(other.len());
    for context in other.ids() {
        let parent = other.parent(context).map_or(NONE, |it| it.0);
        let row = row(1 - side, other.function(context));
        places.entry((parent, row)).or_insert(context.0);
    }
    let mut pairs = Vec::with_capacity(shown.len());
    for context in shown.ids() {
        let parent = match shown.parent(context) {
            None => Some(NONE),
            Some(parent) => Some(pairs[parent.index()]).filter(|it| *it != NONE),
        };
        let row = row(side, shown.function(context));
        let pair = parent.and_then(|parent| places.get(&(parent, row)));
        pairs.push(pair.copied().unwrap_or(NONE));
    }
    pairs
}

/// What a context has in A and in B, and how much more that is in B; `own` of the run that is shown. None of one run.
pub(crate) fn of_both(document: &Document, own: Cost, other: Cost) -> Option<String> {
    let sides = sides(document, own, other)?;
    let [a, b] = sides;
    let difference = match (b.saturating_sub(a), a.saturating_sub(b)) {
        (Cost::ZERO, Cost::ZERO) => "no difference".to_owned(),
        (more, Cost::ZERO) => format!("+{}", document.show_cost(more)),
        (_, less) => format!("−{}", document.show_cost(less)),
    };
    Some(format!("{}: {difference}", document.show_costs(&sides)?))
}

/// What the run that is shown has and what the other has, as A and B.
fn sides(document: &Document, own: Cost, other: Cost) -> Option<[Cost; 2]> {
    let mut sides = [own, other];
    sides.rotate_left(document.runs.as_ref()?.side());
    Some(sides)
}

/// What is meant by a context of `function`.
pub(crate) fn pointed_at(document: &Document, function: FunctionId) -> Pointed {
    Pointed {
        module: document.module_of(function),
        function: Some(function),
        ..Pointed::default()
    }
}

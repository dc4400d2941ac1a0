//! The times that `callscape compare` takes: the same of both runs, or that at which each makes a call.

use anyhow::{bail, ensure};

use crate::progress::with_progress;
use crate::range::ensure_ranges;
use callscape_analysis::comparison::Comparison;
use callscape_analysis::comparison::pairing::is_path_of;
use callscape_analysis::mapping::regroup::Regrouped;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::{FunctionId, ModuleId, Time, TimeSpec};
use callscape_facts::trace::Trace;
use callscape_filter::filters::FilterRules;
use callscape_filter::walk::walk;

/// A time of each run.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Moment {
    At(TimeSpec),
    Call(Called),
}

/// The start of a call of one function, or module, by another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Called {
    caller: String,
    callee: String,
    /// From 1 on.
    number: usize,
}

/// Stands for every name.
const ANY: &str = "*";

impl std::str::FromStr for Moment {
    type Err = String;

    /// A time, or `CALLER -> CALLEE`, followed by `#N` for the Nth such call.
    fn from_str(text: &str) -> Result<Moment, String> {
        let parts = text.split_once(" -> ").or_else(|| text.split_once('→'));
        let Some((caller, callee)) = parts else {
            let time = text.parse::<TimeSpec>().map(Moment::At);
            return time.map_err(|error| format!("{error}; or a call, 'CALLER -> CALLEE'"));
        };
        let numbered = callee.rsplit_once('#');
        let numbered = numbered.and_then(|(name, number)| Some((name, number.parse().ok()?)));
        let (callee, number) = numbered.unwrap_or((callee, 1));
        let [caller, callee] = [caller, callee].map(|name| name.trim().to_owned());
        if caller.is_empty() || callee.is_empty() || number == 0 {
            return Err(format!(
                "expected 'CALLER -> CALLEE' or 'CALLER -> CALLEE#2', found '{text}'"
            ));
        }
        Ok(Moment::Call(Called {
            caller,
            callee,
            number,
        }))
    }
}

impl std::fmt::Display for Called {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} -> {}", self.caller, self.callee)?;
        match self.number {
            1 => Ok(()),
            number => write!(f, "#{number}"),
        }
    }
}

/// Resolves the names of functions, modules and entities of a mapping.
pub(super) struct Names<'a> {
    pub comparison: &'a Comparison,
    pub mapped: Option<&'a Regrouped>,
}

impl Names<'_> {
    /// By function of a recording, whether `name` means it.
    fn functions(&self, recording: usize, name: &str) -> Vec<bool> {
        let comparison = self.comparison;
        let hierarchy = &comparison.session.hierarchy;
        let of = &comparison.session.recordings[recording];
        let functions = &of.recording.functions;
        if name == ANY {
            return vec![true; functions.len()];
        }
        let is_entity = |function: FunctionId| {
            let mapped = self.mapped?;
            let resolved = mapped.session.recordings.get(recording)?;
            let module = *resolved.resolution.modules.get(function.index())?;
            let hierarchy = &mapped.session.hierarchy;
            let mut around = hierarchy.ancestors(module);
            around.find(|&id| mapped.entities.contains(&Some(id)) && hierarchy.name(id) == name)
        };
        let is_in = |module: ModuleId| {
            let mut around = hierarchy.ancestors(module);
            around.any(|id| is_path_of(hierarchy, id, name))
        };
        let modules = &of.resolution.modules;
        let means = |function: FunctionId| {
            functions.get(function).name == name
                || is_entity(function).is_some()
                || modules.get(function.index()).is_some_and(|&it| is_in(it))
        };
        functions.ids().map(means).collect()
    }

    /// Time of the call in each recording, `None` in one that does not make it; an error if nothing has the name.
    /// O(calls).
    pub(super) fn times(&self, called: &Called) -> anyhow::Result<Vec<Option<Time>>> {
        let recordings = &self.comparison.session.recordings;
        let mut known = [false; 2];
        let mut times = Vec::new();
        for (place, of) in recordings.iter().enumerate() {
            let ends = [&called.caller, &called.callee].map(|name| self.functions(place, name));
            for (known, end) in known.iter_mut().zip(&ends) {
                *known |= end.contains(&true);
            }
            let trace = of.recording.timed();
            let starts = with_progress(|progress| starts(trace, &ends, progress))??;
            times.push(starts.get(called.number - 1).copied());
        }
        for (known, name) in known.into_iter().zip([&called.caller, &called.callee]) {
            if !known {
                bail!("{called}: no function, module or entity is called {name}");
            }
        }
        if times.iter().all(Option::is_none) {
            bail!("{called}: neither run makes that call");
        }
        for (place, time) in times.iter().enumerate() {
            if time.is_none() {
                let name = recordings[place].recording.name();
                say!("callscape: {name} does not make the call {called}");
            }
        }
        Ok(times)
    }
}

/// Times at which functions of the first end call functions of the second, in order.
fn starts(
    trace: &Trace,
    [from, to]: &[Vec<bool>; 2],
    progress: &Progress,
) -> Result<Vec<Time>, Cancelled> {
    let is_in = |of: &[bool], function: FunctionId| of.get(function.index()) == Some(&true);
    let mut starts = Vec::new();
    progress.start("searching for calls", trace.calls());
    for thread in trace.thread_ids() {
        let rules = FilterRules::default();
        walk(trace, thread, None, &rules, progress, |left| {
            let is_meant = is_in(to, left.call.function)
                && left.caller.is_some_and(|(_, caller)| is_in(from, caller));
            if is_meant {
                starts.push(left.call.start);
            }
        })?;
    }
    starts.sort_unstable();
    Ok(starts)
}

/// Limits each run to the range between `moments`, given by `--from` and `--to`. If a run does not make the call, all
/// of the run comes before it and nothing after it.
pub(super) fn limit(
    moments: [Option<&Moment>; 2],
    comparison: &mut Comparison,
    mapped: Option<&Regrouped>,
) -> anyhow::Result<()> {
    if moments == [None; 2] {
        return Ok(());
    }
    for resolved in &comparison.session.recordings {
        ensure_ranges(&resolved.recording, comparison.enclosing)?;
        if let [Some(Moment::At(from)), Some(Moment::At(to))] = moments {
            let duration = resolved.recording.timed().duration();
            let [from, to] = [from, to].map(|spec| spec.resolve(duration));
            ensure!(
                from <= to,
                "expected --from before --to, found {from} and {to}"
            );
        }
    }
    let mut limits = vec![[None; 2]; comparison.session.recordings.len()];
    // The end first: without a start nothing is left, whatever the end.
    for (end, moment) in moments.into_iter().enumerate().rev() {
        let Some(moment) = moment else {
            continue;
        };
        let times = match moment {
            Moment::At(spec) => {
                let recordings = comparison.session.recordings.iter();
                let durations = recordings.map(|it| it.recording.timed().duration());
                durations.map(|it| Some(spec.resolve(it))).collect()
            }
            Moment::Call(called) => Names { comparison, mapped }.times(called)?,
        };
        for ((limits, time), resolved) in limits
            .iter_mut()
            .zip(times)
            .zip(&comparison.session.recordings)
        {
            let last = resolved.recording.timed().range().end;
            match (time, end) {
                (Some(_), _) => limits[end] = time,
                (None, 0) => *limits = [Some(last); 2],
                (None, _) => {}
            }
        }
    }
    comparison.limits = limits;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_times_or_calls() {
        let call = |caller: &str, callee: &str, number| {
            Ok(Moment::Call(Called {
                caller: caller.to_owned(),
                callee: callee.to_owned(),
                number,
            }))
        };
        assert_eq!("33%".parse(), Ok(Moment::At(TimeSpec::Share(0.33))));
        assert_eq!("UI -> CORE".parse(), call("UI", "CORE", 1));
        assert_eq!("UI→CORE#2".parse(), call("UI", "CORE", 2));
        assert_eq!("* -> C#".parse(), call("*", "C#", 1));
        assert_eq!("A->b -> operator->".parse(), call("A->b", "operator->", 1));
        for wrong in ["UI", "-> CORE", "UI -> ", "UI -> CORE#0", " -> #2"] {
            assert!(wrong.parse::<Moment>().is_err(), "{wrong}");
        }
    }
}

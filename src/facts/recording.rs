//! One recorded execution: its functions, its calls, and what had to be repaired to read it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::frequency::LeftOut;
use super::functions::Functions;
use super::gaps::Gaps;
use super::history::Played;
use super::lines::Lines;
use super::memory::Memory;
use super::profile::{NoSuchValue, Profile, Value};
use super::revised::Revision;
use super::sampling::Sampling;
use super::trace::{Enclosing, FunctionMetrics, Relation, Thread, Trace, Within};
use super::weighed::Weighed;
use callscape_base::units::{Cost, FunctionId, Time, TimeRange, TimeSpec, Unit, When, date};
use callscape_base::warnings::Warning;

/// What kind of facts a recording holds about time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordingKind {
    /// Exact enter and exit of every call.
    Trace,
    /// Ordered stacks with times: calls known to the sampling interval.
    Sampled,
    /// Weights per calling context, no times.
    Profile,
}

/// One recorded execution as read from its file.
#[derive(Clone, Debug)]
pub struct Recording {
    /// The file or directory it was read from.
    pub path: PathBuf,
    /// The identifier of the format in `info`: `chrome-json`, `uftrace`, …
    pub format: &'static str,
    pub kind: RecordingKind,
    pub functions: Functions,
    /// Without calls in a profile.
    pub trace: Trace,
    /// What a profile weighs; none of the other kinds.
    pub profile: Option<Profile>,
    /// What the samples of a sampled recording weigh; `None` if that is the duration of its calls.
    pub weighed: Option<Weighed>,
    /// What is known of allocations and releases; none where the recording has none.
    pub memory: Option<Memory>,
    /// What is known of source lines, over the whole recording; none where the recording does not say which line ran.
    pub lines: Option<Lines>,
    /// What was kept of a larger recording, where this was made from one by sampling.
    pub sampling: Option<Sampling>,
    /// What it does not hold because it is called too often; none where nothing was limited.
    pub left_out: Option<LeftOut>,
    /// When recording was switched off, and no process was recorded.
    pub gaps: Gaps,
    /// How many calls of a function ended with an error, for functions with such calls, in order; empty unless the recording
    /// says so.
    pub failed: Vec<(FunctionId, u64)>,
    /// Of the history of a source tree; none of other recordings.
    pub played: Option<Arc<Played>>,
    /// Of a source tree as it was in a revision; none of other recordings.
    pub revision: Option<Arc<Revision>>,
    /// How many samples were taken, as far as known; none of a trace.
    pub samples: u64,
    pub warnings: Vec<Warning>,
}

impl Recording {
    /// A recording of calls: a trace, or a sampled one with so many samples.
    pub fn of_calls(
        path: &Path,
        format: &'static str,
        samples: Option<u64>,
        (functions, trace): (Functions, Trace),
        warnings: Vec<Warning>,
    ) -> Recording {
        Recording {
            path: path.to_path_buf(),
            format,
            kind: match samples {
                None => RecordingKind::Trace,
                Some(_) => RecordingKind::Sampled,
            },
            functions,
            trace,
            profile: None,
            weighed: None,
            memory: None,
            lines: None,
            sampling: None,
            left_out: None,
            gaps: Gaps::default(),
            failed: Vec::new(),
            played: None,
            revision: None,
            samples: samples.unwrap_or(0),
            warnings,
        }
    }

    /// A profile: the weights of its functions, and the number of samples they come from.
    pub fn of_profile(
        path: &Path,
        format: &'static str,
        samples: u64,
        (functions, profile): (Functions, Profile),
        warnings: Vec<Warning>,
    ) -> Recording {
        Recording {
            kind: RecordingKind::Profile,
            profile: Some(profile),
            ..Recording::of_calls(
                path,
                format,
                Some(samples),
                (functions, Trace::default()),
                warnings,
            )
        }
    }

    /// A recording of memory alone, shown as a profile of what each stack has allocated.
    pub fn of_memory(
        path: &Path,
        format: &'static str,
        mut functions: Functions,
        memory: Memory,
        warnings: Vec<Warning>,
    ) -> Recording {
        let profile = memory.profile(&mut functions);
        Recording {
            trace: Trace::default().lasting(memory.end_of_events()),
            memory: Some(memory),
            ..Recording::of_profile(path, format, 0, (functions, profile), warnings)
        }
    }

    /// How many calls of a function ended with an error. O(log n).
    pub fn failed(&self, function: FunctionId) -> u64 {
        let found = self.failed.binary_search_by_key(&function, |it| it.0);
        found.map_or(0, |at| self.failed[at].1)
    }

    /// The same recording with what is known of its lines.
    pub fn with_lines(self, lines: Option<Lines>) -> Recording {
        Recording { lines, ..self }
    }

    /// The same recording with what its samples weigh.
    pub fn with_weights(self, weighed: Option<Weighed>) -> Recording {
        Recording { weighed, ..self }
    }

    /// Shows the value of this name from now on. A sampled recording has times only as long as its first value is shown;
    /// for the others it is a profile. A trace has no values.
    pub fn show_value(&mut self, name: &str) -> Result<(), NoSuchValue> {
        let Some(weighed) = &mut self.weighed else {
            let Some(profile) = &mut self.profile else {
                let (wanted, known) = (name.to_owned(), Vec::new());
                return Err(NoSuchValue { wanted, known });
            };
            return profile.show(name);
        };
        let value = Value::find(weighed.values(), name)?;
        if let Some((trace, memory)) = weighed.times_again() {
            (self.trace, self.memory, self.profile) = (trace, memory, None);
            self.kind = RecordingKind::Sampled;
        }
        if value > 0 {
            let times = (std::mem::take(&mut self.trace), self.memory.take());
            self.profile = Some(weighed.without_times(value, times));
            self.kind = RecordingKind::Profile;
        }
        Ok(())
    }

    /// The same of a recording that others may have, too: they keep showing what they show.
    pub fn show_value_in(this: &mut Arc<Recording>, name: &str) -> Result<(), NoSuchValue> {
        if this.values().is_empty() {
            // Nothing is copied to be told so.
            let (wanted, known) = (name.to_owned(), Vec::new());
            return Err(NoSuchValue { wanted, known });
        }
        Arc::make_mut(this).show_value(name)
    }

    /// The values that can be shown; none of a trace.
    pub fn values(&self) -> &[Value] {
        match (&self.weighed, &self.profile) {
            (Some(weighed), _) => weighed.values(),
            (None, Some(profile)) => profile.values(),
            (None, None) => &[],
        }
    }

    /// How exactly the times at which calls began and ended are known: one interval of the sampler. `None` if exactly, or
    /// if the interval is not known.
    pub fn known_to(&self) -> Option<Cost> {
        self.weighed.as_ref().and_then(Weighed::interval)
    }

    /// The value shown; `None` for a trace.
    pub fn value_shown(&self) -> Option<&Value> {
        self.values().get(self.value())
    }

    /// How it was recorded: a recording of samples stays one while a value without times is shown.
    pub fn recorded_as(&self) -> RecordingKind {
        match self.weighed {
            Some(_) => RecordingKind::Sampled,
            None => self.kind,
        }
    }

    /// The number of the value shown, where there are several: 0 but for a profile.
    pub fn value(&self) -> usize {
        self.profile.as_ref().map_or(0, Profile::shown)
    }

    /// A time of it as people read it, of a history its day.
    pub fn written(&self, time: Time) -> String {
        match &self.played {
            Some(played) => date(played.seconds_at(time).div_euclid(86_400)),
            None => time.to_string(),
        }
    }

    /// The time that is meant in it. A day of a history means its end, or its beginning for the start of a range.
    ///
    /// # Errors
    /// If a day is meant, and the recording is no history or has no such day.
    pub fn when(&self, when: When, is_start: bool) -> Result<Time, String> {
        const DAY: i64 = 86_400;
        let end = self.timed().duration();
        match (when, &self.played) {
            // In a history, less than a second is nothing: a year is meant.
            (When::Time(TimeSpec::At(time)), Some(_))
                if (1..1_000_000_000).contains(&time.ns()) =>
            {
                Err(format!(
                    "expected a day of the history such as 2019-05-01, or a share such as 40%, found {}",
                    time.ns()
                ))
            }
            (When::Time(spec), _) => Ok(spec.resolve(end)),
            (When::Day(day), Some(played)) => {
                let ends = [Time::ZERO, Time::ZERO + end];
                let [first, last] = ends.map(|it| played.seconds_at(it).div_euclid(DAY));
                if !(first..=last).contains(&day) {
                    let [first, last] = [first, last].map(date);
                    return Err(format!(
                        "expected a day of the history, which goes from {first} to {last}, found {when}"
                    ));
                }
                let seconds = match is_start {
                    true => day * DAY,
                    false => (day + 1) * DAY - 1,
                };
                Ok(played.time_at(seconds).min(Time::ZERO + end))
            }
            (When::Day(_), None) => Err(format!(
                "expected a time such as 12.5ms or 40%, found the day {when}: only the history of a source tree has days"
            )),
        }
    }

    /// Whether it can be played: calls or events of memory have times.
    pub fn has_times(&self) -> bool {
        let memory = self.memory.as_ref();
        self.profile.is_none() || memory.is_some_and(|memory| memory.timed().is_some())
    }

    /// Whether a range of time can be counted: calls or events of memory have times, or samples count with their weights,
    /// in any value.
    pub fn has_ranges(&self) -> bool {
        self.has_times() || self.weighed.is_some()
    }

    /// What to tell once answers leave parts out, because the index has turned out to be damaged and what
    /// it was made from does not give the same calls again; none as long as answers are whole.
    pub fn damage(&self) -> Option<String> {
        self.trace.is_damaged().then(|| {
            let what = match self.trace.was_cut() {
                true => "the index was cut while it was read",
                false => "parts of the index are damaged",
            };
            format!(
                "{}: {what}, and the recording that it was made from is missing or gives other calls now",
                self.path.display()
            )
        })
    }

    /// What its costs count: nanoseconds, but for a profile that weighs something else.
    pub fn unit(&self) -> &Unit {
        static TIME: Unit = Unit::Nanoseconds;
        self.profile.as_ref().map_or(&TIME, Profile::unit)
    }

    /// Whether it counts calls. Where it does not they are 0 in all answers.
    pub fn counts_calls(&self) -> bool {
        self.profile.as_ref().is_none_or(Profile::counts_calls)
    }

    /// The threads that it names. Those of a profile have no calls.
    pub fn threads(&self) -> &[Thread] {
        let of_profile = self.profile.as_ref().map(Profile::threads);
        of_profile.unwrap_or_else(|| self.trace.threads())
    }

    /// The number of calls; 0 where they are not counted.
    pub fn calls(&self) -> u64 {
        match &self.profile {
            Some(profile) => profile.calls(),
            None => self.trace.calls(),
        }
    }

    /// The number of calls of each function; 0 where they are not counted. Less work than all of
    /// [`function_metrics`](Self::function_metrics).
    pub fn calls_by_function(&self) -> Vec<u64> {
        match (&self.profile, &self.weighed) {
            (Some(profile), _) => profile.calls_by_function(),
            (None, Some(_)) => {
                let metrics = self.function_metrics(None);
                metrics.into_iter().map(|it| it.calls).collect()
            }
            (None, None) => {
                let metrics = self.trace.function_metrics(None);
                metrics.into_iter().map(|it| it.calls).collect()
            }
        }
    }

    /// The largest number of calls open at once; of a profile the length of its longest path of contexts, 0
    /// where it has no contexts.
    pub fn max_depth(&self) -> u32 {
        match &self.profile {
            Some(profile) => profile.contexts().map_or(0, |it| it.max_depth()),
            None => self.trace.max_depth(),
        }
    }

    /// The calls along time, also while a value without times is shown.
    pub fn timed(&self) -> &Trace {
        let aside = self.weighed.as_ref().and_then(Weighed::aside);
        aside.unwrap_or(&self.trace)
    }

    /// The samples of a recording and a range in which they count with their weights; `None` if calls count instead.
    pub fn samples_in(&self, within: Within) -> Option<(&Weighed, TimeRange)> {
        let range = within
            .range
            .filter(|_| within.enclosing == Enclosing::Parts)?;
        Some((self.weighed.as_ref()?, range))
    }

    /// What a profile weighs in a range: that of memory whose events have times. `None` where all of it or something else
    /// counts. O(stacks + events to the nearest checkpoints).
    pub fn profile_in(&self, within: Within) -> Option<Profile> {
        let (profile, memory) = (self.profile.as_ref()?, self.memory.as_ref()?);
        let of_range = memory.profile_within(within.range?, &self.functions)?;
        Some(of_range.showing(profile.shown()))
    }

    /// Calls, total and self cost of each function, indexed by function, over the whole recording or over
    /// a range of time, which a profile without times has not. Costs are in the [`unit`](Self::unit). Samples count with their weights.
    pub fn function_metrics(&self, within: impl Into<Within>) -> Vec<FunctionMetrics> {
        let within = within.into();
        if let Some((weighed, range)) = self.samples_in(within) {
            return weighed.metrics_within(self.value(), range, self.timed());
        }
        if let Some(profile) = self.profile_in(within) {
            return profile.function_metrics().to_vec();
        }
        match (&self.profile, &self.weighed, within.range) {
            (Some(profile), ..) => profile.function_metrics().to_vec(),
            (None, Some(weighed), None) => weighed.function_metrics(&self.trace),
            _ => self.trace.function_metrics(within),
        }
    }

    /// The call relations between functions, sorted by caller, then callee, over the whole recording or over
    /// a range of time, as [`function_metrics`](Self::function_metrics).
    pub fn relations(&self, within: impl Into<Within>) -> Vec<Relation> {
        let within = within.into();
        if let Some((weighed, range)) = self.samples_in(within) {
            return weighed.relations_within(self.value(), range, self.timed());
        }
        if let Some(profile) = self.profile_in(within) {
            return profile.relations().to_vec();
        }
        match (&self.profile, &self.weighed, within.range) {
            (Some(profile), ..) => profile.relations().to_vec(),
            (None, Some(weighed), None) => weighed.relations(&self.trace),
            _ => self.trace.relations(within),
        }
    }

    /// The name of the recording's file, to be shown.
    pub fn name(&self) -> String {
        let name = self.path.file_name().unwrap_or(self.path.as_os_str());
        name.to_string_lossy().into_owned()
    }
}

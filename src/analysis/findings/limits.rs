//! Thresholds of findings, each with the reason for its value.

use serde::Serialize;

/// A threshold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Limit {
    pub name: &'static str,
    pub value: f64,
    /// Why it has this value.
    pub reason: &'static str,
}

/// A constant for each threshold, and all of them together.
macro_rules! limits {
    ($($limit:ident: $name:literal, $value:literal, $reason:literal;)*) => {
        $(pub(super) const $limit: Limit = Limit { name: $name, value: $value, reason: $reason };)*

        /// All thresholds.
        pub const LIMITS: &[Limit] = &[$($limit),*];
    };
}

limits! {
    LEAST_SHARE: "least share", 0.08, "below a twelfth of the run, the noise of two runs on one machine hides what is saved";
    CERTAIN: "least share that samples are certain of", 0.04, "half of the least share: a share that is less or more by its error is not remarkable";
    REPEATED: "calls for each call of the caller", 8.0, "fewer calls are written by hand: one for each field, argument or step";
    SAME_CHAIN: "share of a chain that its inner repetition has", 0.8, "the outer repetition then says nothing more";
    SAME_ARGUMENTS: "share of repeated calls with the same arguments", 0.5, "with fewer, most of the calls have work of their own";
    MOSTLY: "share of a context that one function has itself", 0.25, "a function with less is one of many below it";
    SPREAD: "weight of a context whose cost is spread", 0.5, "it names no function that has the cost itself";
    WHOLE: "largest share of a context whose cost is spread", 0.9, "one with more is the run itself, of which it says nothing";
    NAMELESS: "weight of functions without a name", 0.3, "all that is known is that something else ran";
    WAITS: "weight of waiting", 3.0, "a wait can be saved as a whole, as seven calls of eight can: log₂(1 + 7)";
    IDLE: "weight of idle threads", 0.3, "a thread without work does not delay the others";
    PART: "weight of a part of another finding", 0.4, "most of it is already said";
    COLLECTION: "weight of garbage collection", 2.0, "it names no function of the program, so that a repetition says more";
    TURNS: "share of instants at which threads take turns", 0.9, "threads that run independently meet more often than at one of ten instants";
    TURNS_WEIGHT: "weight of threads that take turns", 3.0, "as for waiting: the threads wait for each other";
    INSTANTS: "instants at which threads are sampled", 256.0, "a share of 90 % is then known to ± 4 %";
    SLOW: "times that a slow call takes of the median", 8.0, "calls of one function usually differ by their data, but seldom by this much";
    SLOW_CALLS: "calls of which one can be slow", 5.0, "with fewer calls, the median depends on the outlier";
    SLOW_PART: "share of all calls that the slow call has", 0.5, "otherwise the others are the reason";
    GROWING_CALLS: "calls that can grow", 16.0, "two for each of the eight means that are fitted";
    GROWING: "times that the last eighth takes of the first", 2.0, "less is within what caches and data change";
    GROWING_FIT: "R² of the fit", 0.85, "with eight means, a lower value is no evidence of growth";
    LOOKED_AT: "calls that are read one by one", 1_048_576.0, "they take less than 100 ms";
    DEEP: "levels of a deep recursion", 200.0, "a fifth of what Python allows; balanced trees of any size are shallower";
    WIDE: "calls of a wide recursion for each call from outside", 64.0, "a tree with six levels of two branches, so that the shape of the data decides";
    RECURSION: "weight of a recursion", 0.5, "each of its calls may have other data";
    GROWS: "weight of growing", 3.0, "as for waiting: without growth, the later calls would cost as little as the first";
    TEMPORARY: "share of objects that the next event of memory releases", 0.25, "most programs have fewer than a tenth";
    MEMORY: "weight of what becomes of memory", 2.0, "it says more than who allocates";
    OBJECTS: "objects that are enough to be many", 1000.0, "fewer cost nothing that a recording shows";
    LEFT: "share of allocated bytes never released", 0.25, "what lives until the end on purpose, such as tables and caches, is seldom more of all that is allocated";
    PEAK: "share of the peak that one function has", 0.25, "a function with less is one of many";
    GROWTH: "tenths of the run in which live memory grows", 9.0, "a program that reaches a steady state grows in fewer";
    PREEMPTED: "share of the run in which threads were pre-empted", 0.25, "another program then had more than a quarter of the processor";
    FEW_SAMPLES: "samples that are few", 100.0, "half of the run is then known to ± 10 %";
    SHORT: "nanoseconds of a call that recording distorts", 300.0, "uftrace takes about 240 ns a call, other tracers more";
    SHORT_PART: "share of the run in such calls", 0.25, "less distorts no other share by more than a quarter";
    GAPS: "share of the run that was not recorded", 0.08, "as for the least share";
    FAILED: "share of the calls of a function that end with an error", 0.01, "services usually promise that 99 % of their requests succeed";
    THROWN: "exceptions that are many", 100.0, "fewer are exceptional";
}

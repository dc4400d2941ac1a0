//! The kinds of findings.

/// What is remarkable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A function is called many times for each call of its caller.
    Repeated,
    /// A function has much of the cost itself.
    Hot,
    /// Threads wait for locks, disks, the network, or because they sleep.
    Waiting,
    /// Imports, linking, class loading; or a first call that takes longer than the later ones.
    StartUp,
    /// One call takes far longer than the others.
    OneSlow,
    /// A call takes longer each time.
    Growing,
    /// Threads take turns that could run together.
    OneAtATime,
    /// A function calls itself deeply or widely.
    Recursion,
    /// Temporary allocations, memory that is never released, the peak.
    Memory,
    /// Garbage collection and other work of the runtime.
    Collection,
    /// The recording itself limits what can be said.
    Care,
    /// Exceptions are thrown often, or calls end with an error.
    Errors,
}

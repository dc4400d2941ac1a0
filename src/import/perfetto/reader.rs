//! What is known while a Perfetto trace is read: its sequences, clocks and tracks, and the calls so far.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::atrace::Lanes as AsyncLanes;
use crate::chrome::completes::Completes;
use crate::chrome::nesting::{Mark, Marks, OpenBegins};
use crate::flows::Flows;
use crate::input::Input;
use crate::kernel::Kernel;
use callscape_base::units::{FunctionId, ThreadId};
use callscape_base::warnings::Reporter;
use callscape_facts::builder::TraceBuilder;
use callscape_facts::hashing::BuildFast;
use callscape_facts::names::{NameId, Names};

/// A source location: function, file and line.
pub(super) type Location = (NameId, NameId, u32);

/// What one writer of packets said before, which its packets refer to.
#[derive(Default)]
pub(super) struct Sequence {
    pub names: HashMap<u64, NameId, BuildFast>,
    pub locations: HashMap<u64, Location, BuildFast>,
    /// Names of annotations, and texts that are values of some.
    pub annotations: HashMap<u64, NameId, BuildFast>,
    pub texts: HashMap<u64, NameId, BuildFast>,
    pub clocks: HashMap<u64, Clock, BuildFast>,
    pub clock: Option<u64>,
    pub track: u64,
}

/// Reads packet after packet.
pub(super) struct Reader<'a> {
    pub builder: TraceBuilder<'a>,
    pub reporter: &'a Reporter,
    pub file: String,
    /// Of the packet at hand.
    pub offset: u64,
    /// Bytes that were compressed in packets so far.
    pub unpacked: u64,
    pub names: Names,
    pub functions: HashMap<Location, FunctionId, BuildFast>,
    /// By name, the function of it that has no place.
    pub plain: Vec<Option<FunctionId>>,
    /// The sequence of the last packet, and the others.
    pub current: (u64, Box<Sequence>),
    pub sequences: HashMap<u64, Box<Sequence>, BuildFast>,
    /// By clock of the machine, what makes the trace's time of its own.
    pub clocks: HashMap<u64, i64, BuildFast>,
    pub tracks: BTreeMap<u64, Track>,
    /// The tracks with events, in order of their first.
    pub lanes: Vec<Lane>,
    /// The processes and ids that threads have.
    pub known: HashSet<(String, String)>,
    /// The place of the last event's track.
    pub lane: usize,
    /// All events wait to be put in order.
    pub sorts: bool,
    /// They have to, and did not.
    pub out_of_order: bool,
    /// The events of all tracks, which wait to be put in order.
    pub completes: Completes,
    pub marks: Marks,
    /// By thread, the track of its marks.
    pub thread_tracks: HashMap<u64, u64, BuildFast>,
    /// Of marks that belong to no thread.
    pub async_lanes: AsyncLanes,
    /// What the kernel told of threads.
    pub kernel: Kernel,
    /// By processor, the thread that the last of its switches in columns gave it to.
    pub running: HashMap<u64, u64, BuildFast>,
    pub flows: Flows,
}

/// A clock of a sequence.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    /// Its last time in its own count of nanoseconds.
    pub last: i64,
    /// Packets give the time since the last.
    pub incremental: bool,
    pub nanoseconds: i64,
    /// To the trace's clock.
    pub offset: i64,
}

/// A track: its events so far and who it is.
#[derive(Default)]
pub(super) struct Track {
    /// Its place in the order of the tracks, once it has events.
    pub place: Option<usize>,
    pub parent: Option<u64>,
    pub name: String,
    pub process: Option<u64>,
    pub thread: Option<u64>,
}

/// A track with events.
pub(super) struct Lane {
    pub uuid: u64,
    /// Known only in the end where events wait.
    pub thread: ThreadId,
    /// What its thread is called, as far as was known at its first event.
    pub process: String,
    pub id: String,
    /// The time of its last begin or end.
    pub last: Option<i64>,
    pub open: OpenBegins,
}

impl<'a> Reader<'a> {
    pub(super) fn new(input: &Input, sorts: bool, reporter: &'a Reporter) -> Reader<'a> {
        Reader {
            builder: TraceBuilder::new(reporter),
            reporter,
            file: input.display().to_string(),
            offset: 0,
            unpacked: 0,
            names: Names::default(),
            functions: HashMap::default(),
            plain: Vec::new(),
            current: (0, Box::default()),
            sequences: HashMap::default(),
            clocks: HashMap::default(),
            tracks: BTreeMap::new(),
            lanes: Vec::new(),
            known: HashSet::new(),
            lane: 0,
            sorts,
            out_of_order: false,
            completes: Completes::default(),
            marks: Marks::new(Mark::key),
            thread_tracks: HashMap::default(),
            async_lanes: AsyncLanes::default(),
            kernel: Kernel::default(),
            running: HashMap::default(),
            flows: Flows::default(),
        }
    }
}

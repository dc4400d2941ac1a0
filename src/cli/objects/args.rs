//! What `callscape objects` can be asked.

use std::path::PathBuf;

use callscape_base::units::TimeSpec;

#[derive(Debug, clap::Args)]
#[command(about = "Show live objects and bytes, grouped by what allocated them", after_help = HELP)]
pub(crate) struct ObjectsArgs {
    #[command(flatten)]
    pub input: crate::trace_arg::TraceArg,
    /// Time at which to count live objects: 12.5ms, 3s, 250us, 40% of the recording, or plain nanoseconds [default: the
    /// end]
    #[arg(long, value_name = "TIME")]
    pub at: Option<TimeSpec>,
    /// Only objects allocated after this time
    #[arg(long, value_name = "TIME")]
    pub from: Option<TimeSpec>,
    /// Only objects allocated before this time
    #[arg(long, value_name = "TIME")]
    pub to: Option<TimeSpec>,
    /// Grouping of the entries
    #[arg(long, value_enum, default_value_t = By::Function)]
    pub by: By,
    /// Group by the entities of this mapping file
    #[arg(long, value_name = "FILE", conflicts_with = "by")]
    pub map: Option<PathBuf>,
    /// With --map: entity to which an object belongs
    #[arg(long, value_enum, default_value_t = Owner::Class, requires = "map")]
    pub owner: Owner,
    /// Show objects that another module released than created, by both modules; with --map, by both entities
    #[arg(long, conflicts_with = "by")]
    pub released_elsewhere: bool,
    /// In the table, only the first N
    #[arg(long, value_name = "N", default_value_t = 30, conflicts_with = "json")]
    pub top: usize,
    /// Print one JSON document
    #[arg(long)]
    pub json: bool,
}

const HELP: &str = "Examples:
  callscape objects app.heaptrack.zst --by context
  callscape objects app.heaptrack.zst --from 10% --to 50% --json
  callscape objects dhat.out.json --by module
  callscape objects app.jfr --map architecture.map
  callscape objects app.uftrace --released-elsewhere

With --from and --to, only objects allocated in that range count. Those still live at --at (by default the end) are \
the leaks. An object belongs to the innermost function of the stack that allocated it, or to the module around that \
function; with --map, to the entity of its class, if the recording has it and an entry matches it, otherwise to the \
entity of the innermost function on the stack that matches an entry. Values missing from the recording are shown as a \
dash, in the JSON document as null; an instant without any data is refused. For a sampled recording, allocations are \
the samples, and bytes are estimated from them.

With --released-elsewhere, the releaser is the innermost function that is open at the release on its thread, except for \
functions such as free, which stand for their callers. It is unknown if nothing is open then, or if the recording has no \
calls; such objects are counted separately.";

/// Grouping of the entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum By {
    /// The module around the function that allocated
    Module,
    /// The function that allocated
    Function,
    /// The stack of calls that allocated
    Context,
    /// The type or the allocator, if recorded
    Type,
}

/// Which entity of a mapping file an object belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Owner {
    /// Entity of its class, if the recording has it and an entry matches it, otherwise of its creator
    Class,
    /// Entity of the innermost function on the allocation stack that matches an entry
    Creator,
}

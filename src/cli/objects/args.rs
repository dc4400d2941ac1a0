//! What `callscape objects` can be asked.

use std::path::PathBuf;

use callscape_base::units::TimeSpec;

#[derive(Debug, clap::Args)]
#[command(about = "What lives in memory: objects and bytes by who allocated them", after_help = HELP)]
pub struct ObjectsArgs {
    #[command(flatten)]
    pub input: crate::trace_arg::TraceArg,
    /// The instant, the end by default: 12.5ms, 3s, 250us, 40% of the recording, or plain nanoseconds
    #[arg(long, value_name = "TIME")]
    pub at: Option<TimeSpec>,
    /// Only what was allocated from this time on
    #[arg(long, value_name = "TIME")]
    pub from: Option<TimeSpec>,
    /// Only what was allocated up to this time
    #[arg(long, value_name = "TIME")]
    pub to: Option<TimeSpec>,
    /// What an entry is
    #[arg(long, value_enum, default_value_t = By::Function)]
    pub by: By,
    /// An entry is an entity of this mapping file
    #[arg(long, value_name = "FILE", conflicts_with = "by")]
    pub map: Option<PathBuf>,
    /// With --map: which entity an object belongs to
    #[arg(long, value_enum, default_value_t = Owner::Class, requires = "map")]
    pub owner: Owner,
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

With --from and --to only what was allocated between them counts, and lives where it does at --at, the end by \
default: what is left is what leaks. An object belongs to the innermost function of the stack that allocated it, or \
to the module around that function; with --map to the entity of its class, where the recording names one that an \
entry matches, else to that of the innermost function of the stack that an entry matches. What a recording does not \
tell is a dash, in the JSON document null; an instant at which it tells nothing is refused. Of a recording that holds \
samples, allocations are the samples, and bytes what they stand for.";

/// What an entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum By {
    /// The module around the function that allocated
    Module,
    /// The function that allocated
    Function,
    /// The stack of calls that allocated
    Context,
    /// The type or the allocator, where the recording names it
    Type,
}

/// Which entity of a mapping file an object belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Owner {
    /// That of its class, where the recording names one that an entry matches, else that of its creator
    Class,
    /// That of the innermost function of the stack that allocated it which an entry matches
    Creator,
}

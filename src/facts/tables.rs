//! Tables that a recording is written as and read from: what their folders are called.
//!
//! `DIR/TABLE/recording=ID/part-0.parquet`, as Hive partitions.

pub mod replacing;

use std::fmt;
use std::path::Path;

/// Version of the tables. Another one has other columns.
pub const VERSION: u32 = 1;

/// What the name of a recording's folder begins with, in that of a table.
pub const PARTITION: &str = "recording=";

/// A table, as `--tables` and the folders name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Table {
    Recordings,
    Threads,
    Functions,
    Calls,
    Links,
    Relations,
    Contexts,
    Samples,
    Objects,
    Stacks,
    Modules,
}

impl Table {
    pub const ALL: [Table; 11] = [
        Table::Recordings,
        Table::Threads,
        Table::Functions,
        Table::Calls,
        Table::Links,
        Table::Relations,
        Table::Contexts,
        Table::Samples,
        Table::Objects,
        Table::Stacks,
        Table::Modules,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Table::Recordings => "recordings",
            Table::Threads => "threads",
            Table::Functions => "functions",
            Table::Calls => "calls",
            Table::Links => "links",
            Table::Relations => "relations",
            Table::Contexts => "contexts",
            Table::Samples => "samples",
            Table::Objects => "objects",
            Table::Stacks => "stacks",
            Table::Modules => "modules",
        }
    }

    /// The table of this name.
    pub fn named(name: &str) -> Option<Table> {
        Table::ALL.into_iter().find(|it| it.name() == name)
    }

    /// The table whose folder this is, by its name.
    pub fn of_folder(folder: &Path) -> Option<Table> {
        Table::named(folder.file_name()?.to_str()?)
    }
}

/// Whether a folder is that of a recording in a table, by its name.
pub fn is_partition(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default();
    name.as_encoded_bytes().starts_with(PARTITION.as_bytes())
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

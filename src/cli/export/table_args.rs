//! The arguments of `callscape export --format parquet`.

use anyhow::bail;

use callscape_export::tables::Table;

/// What the format is called on the command line.
pub(super) const NAME: &str = "parquet";

#[derive(Debug, clap::Args)]
pub(crate) struct TablesArgs {
    /// Parquet only: tables to write, out of recordings, threads, functions, calls, links, relations, contexts,
    /// samples, objects, stacks and modules [default: all that the recording has]
    #[arg(long, value_delimiter = ',', value_parser = parse_table, value_name = "TABLE")]
    pub tables: Vec<Table>,
    /// Parquet only: name of the recording in the tables [default: its file name]
    #[arg(long, value_name = "NAME")]
    pub id: Option<String>,
    /// Parquet only: overwrite a recording of the same name
    #[arg(long)]
    pub replace: bool,
}

fn parse_table(text: &str) -> Result<Table, String> {
    Table::named(text).ok_or_else(|| {
        let known: Vec<&str> = Table::ALL.into_iter().map(Table::name).collect();
        format!("expected one of {}", known.join(", "))
    })
}

impl TablesArgs {
    /// Refuses options for tables if no tables are written.
    pub(crate) fn refuse(&self) -> anyhow::Result<()> {
        let said = [
            ("--tables", !self.tables.is_empty()),
            ("--id", self.id.is_some()),
            ("--replace", self.replace),
        ];
        match said.into_iter().find(|(_, is_there)| *is_there) {
            Some((option, _)) => bail!("{option}: expected --format {NAME}"),
            None => Ok(()),
        }
    }
}

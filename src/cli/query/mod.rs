//! `callscape query`: A question to a recording or a folder of tables, through an installed DuckDB

mod answer;
mod catalog;
mod engine;
mod recording;

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::output;
use catalog::{QUESTIONS, Question};
use recording::{ReadingArgs, Tables};

#[derive(Debug, clap::Args)]
#[command(about = "Query a recording, or the exported tables of many, with an installed DuckDB", after_help = HELP)]
pub(crate) struct QueryArgs {
    /// The query; `--list` lists all queries with their results
    #[arg(value_parser = questions(), value_name = "NAME", required_unless_present = "list")]
    question: Option<&'static Question>,
    /// A recording in any supported format, or a folder of tables written by `callscape export --format parquet`
    #[arg(value_name = "TRACE_OR_DIR", required_unless_present_any = ["list", "sql"])]
    of: Option<PathBuf>,
    /// Set a parameter of the query; may be repeated
    #[arg(long, value_name = "NAME=VALUE")]
    param: Vec<String>,
    /// List the queries, their parameters and their columns
    #[arg(long, conflicts_with_all = ["question", "of", "param", "sql", "csv", "json"])]
    list: bool,
    #[command(flatten)]
    reading: ReadingArgs,
    /// Print the query as SQL for another engine, without running it; of a recording, also where its tables are, on
    /// standard error
    #[arg(long, conflicts_with_all = ["csv", "json"])]
    sql: bool,
    /// Print CSV
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

const HELP: &str = "Examples:
  callscape query --list
  callscape query functions trace.json
  callscape query never-run trace.json --source src --json
  callscape query functions runs --param most=10
  callscape query differences runs --param a=monday-% --param b=tuesday-% --json
  callscape query stack runs --param recording=run-7.json --param at=12.5ms
  callscape query contexts runs --sql

The tables are read by the DuckDB program, or by its Python module if the program is not installed. Missing tables \
count as empty. The tables of a single recording are written to the cache directory by its first query, and again if it \
changes. DataFusion and Spark run the same SQL: see docs/fleet.md.";

/// Parses the name of a query.
fn questions() -> impl TypedValueParser<Value = &'static Question> {
    let names = QUESTIONS.iter().map(|it| it.name);
    // What the first parser lets through is the name of one.
    PossibleValuesParser::new(names).map(|name| Question::named(&name).unwrap_or(&QUESTIONS[0]))
}

pub(crate) fn run(args: QueryArgs) -> anyhow::Result<()> {
    let Some(question) = args.question else {
        return list();
    };
    let sql = question.with(&args.param)?;
    let tables = args.of.as_deref().map(|of| args.reading.tables(of));
    let tables = match tables.transpose()? {
        Some(tables) if !args.sql => tables,
        tables => {
            if let Some(Tables::Kept(kept)) = &tables {
                say!("callscape: its tables: {}", kept.folder().display());
            }
            return output::print(|out| writeln!(out, "{sql}"));
        }
    };
    let answer = engine::ask(&tables.folder(), &sql)?;
    let columns = question.columns();
    let columns: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
    match (args.json, args.csv) {
        (true, _) => answer.print_json(),
        (_, true) => answer.print_csv(&columns),
        _ => answer.print_table(&columns),
    }
}

fn list() -> anyhow::Result<()> {
    output::print(|out| {
        for question in QUESTIONS {
            writeln!(out, "{}\n  {}\n", question.name, question.about())?;
            for parameter in question.parameters() {
                let default = match parameter.default {
                    Some(default) => format!(" [default: {default}]"),
                    None => String::new(),
                };
                writeln!(
                    out,
                    "  --param {}=…  {}{default}",
                    parameter.name, parameter.about
                )?;
            }
            let columns = question.columns();
            let columns: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
            writeln!(out, "  columns: {}\n", columns.join(", "))?;
        }
        Ok(())
    })
}

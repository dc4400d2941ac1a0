//! `callscape export --format parquet`: recordings as a folder of tables

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

use super::args::ExportArgs;
use super::table_args::NAME;
use crate::output;
use crate::progress::with_progress;
use crate::trace_arg::TraceArg;
use callscape_export::Part;
use callscape_export::tables::{self, IfThere, Table};

pub(super) fn run(args: ExportArgs) -> anyhow::Result<()> {
    let Some(dir) = &args.output else {
        bail!("--format {NAME}: expected -o with the folder of the tables");
    };
    ensure!(
        dir.as_os_str() != "-",
        "-o -: expected a folder for the tables, which are several files; found standard output"
    );
    let has_part = args.from.is_some() || args.to.is_some() || args.thread.is_some();
    ensure!(
        !has_part,
        "--format {NAME} writes whole recordings; select a range or a thread in SQL"
    );
    ensure!(
        args.tables.id.is_none() || args.traces.len() == 1,
        "--id: expected one recording, found {}",
        args.traces.len()
    );
    let ids = ids(&args)?;
    for (trace, id) in args.traces.iter().zip(ids) {
        write(&args, trace, (dir, &id))?;
    }
    Ok(())
}

/// The names of the recordings, no two of them equal.
fn ids(args: &ExportArgs) -> anyhow::Result<Vec<String>> {
    let mut ids: Vec<String> = Vec::new();
    for trace in &args.traces {
        let name = || {
            trace
                .file_name()
                .unwrap_or(trace.as_os_str())
                .to_string_lossy()
        };
        let id = match &args.tables.id {
            Some(id) => {
                ensure!(
                    *id == tables::id_of(id),
                    "--id {id}: expected letters, digits, dots, - and _"
                );
                id.clone()
            }
            None => tables::id_of(&name()),
        };
        ensure!(
            !ids.contains(&id),
            "{}: expected a name other than {id}, which an earlier recording has",
            trace.display()
        );
        ids.push(id);
    }
    Ok(ids)
}

fn write(args: &ExportArgs, trace: &Path, (dir, id): (&PathBuf, &str)) -> anyhow::Result<()> {
    let mut session = output::open(&TraceArg {
        trace: trace.to_owned(),
        source: args.source.clone(),
        value: args.value.clone(),
        left_out: args.left_out,
    })?;
    args.without.apply(&mut session)?;
    let resolved = output::recording(&session)?;
    let part = Part {
        recording: &resolved.recording,
        resolution: &resolved.resolution,
        hierarchy: &session.hierarchy,
        range: None,
        threads: None,
    };
    let all = Table::ALL;
    let wanted = match args.tables.tables.is_empty() {
        true => &all[..],
        false => &args.tables.tables,
    };
    let if_there = match args.tables.replace {
        true => IfThere::Replace,
        false => IfThere::Refuse,
    };
    let written =
        with_progress(|progress| tables::write(&part, dir, (id, if_there), wanted, progress))?;
    written.with_context(|| format!("cannot write {}", trace.display()))
}

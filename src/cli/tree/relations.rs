//! `callscape tree --relations`: which file imports which, calls by name, inheritance, and cycles.

use std::collections::BTreeSet;
use std::io::{self, Write};

use anyhow::ensure;
use serde::Serialize;

use crate::output::{self, Align, Table};
use crate::progress::with_progress;
use callscape_analysis::relations::{self, FileId, Relations};
use callscape_base::escape;
use callscape_base::units::counted;
use callscape_base::warnings::Reporter;
use callscape_source::Scan;

#[derive(Serialize)]
struct Document<'a> {
    imports: Vec<Imported<'a>>,
    calls: Vec<Called<'a>>,
    inherits: Vec<Inherited<'a>>,
    /// Base classes whose name several classes have, and those outside the tree.
    ambiguous_bases: u64,
    outside_bases: u64,
    /// Imports from outside the tree.
    outside: u64,
    /// Imports that should lead into the tree and do not.
    unresolved: usize,
    share_resolved: f64,
    /// Files whose imports could not be read.
    unread: u64,
    cycles: Vec<Vec<&'a str>>,
    directory_cycles: Vec<Vec<&'a str>>,
    outside_imports: Vec<Outside<'a>>,
    unresolved_imports: Vec<Nowhere<'a>>,
}

#[derive(Serialize)]
struct Imported<'a> {
    from: &'a str,
    to: &'a str,
    line: u32,
}

#[derive(Serialize)]
struct Called<'a> {
    from: &'a str,
    to: &'a str,
    count: u64,
    /// Always true: calls are matched only by name.
    inferred: bool,
}

#[derive(Serialize)]
struct Inherited<'a> {
    from: &'a str,
    to: &'a str,
    line: u32,
    class: &'a str,
    base: &'a str,
    /// Always true: base classes are matched only by name.
    inferred: bool,
}

#[derive(Serialize)]
struct Outside<'a> {
    path: &'a str,
    count: u64,
}

#[derive(Serialize)]
struct Nowhere<'a> {
    from: &'a str,
    line: u32,
    path: &'a str,
}

pub(super) fn run(scan: &Scan, reporter: &Reporter, json: bool) -> anyhow::Result<()> {
    ensure!(
        !scan.files().is_empty(),
        "expected a source tree, found a saved structure, which contains no imports"
    );
    for warning in reporter.warnings() {
        say!("callscape: {warning}");
    }
    let (dir, files) = (scan.dir(), scan.files());
    let relations = with_progress(|progress| relations::find(dir, files, progress))??;
    match json {
        true => output::print_json(&document(&relations)),
        false => output::print(|out| write(&relations, out)),
    }
}

fn document(relations: &Relations) -> Document<'_> {
    let path = |file: FileId| relations.paths[file as usize].as_str();
    let imports = relations.imports.iter().map(|it| Imported {
        from: path(it.from),
        to: path(it.to),
        line: it.line,
    });
    let calls = relations.calls.iter().map(|it| Called {
        from: path(it.from),
        to: path(it.to),
        count: it.count,
        inferred: true,
    });
    let inherits = relations.inherits.iter().map(|it| Inherited {
        from: path(it.from_file),
        to: path(it.to_file),
        line: it.line,
        class: &it.class,
        base: &it.base,
        inferred: true,
    });
    let cycles = relations.cycles().into_iter();
    let outside = relations.outside_paths.iter();
    let unresolved = relations.unresolved.iter().map(|it| Nowhere {
        from: path(it.from),
        line: it.line,
        path: &it.path,
    });
    Document {
        imports: imports.collect(),
        calls: calls.collect(),
        inherits: inherits.collect(),
        ambiguous_bases: relations.ambiguous_bases,
        outside_bases: relations.outside_bases,
        outside: relations.outside,
        unresolved: relations.unresolved.len(),
        share_resolved: relations.share_resolved(),
        unread: relations.unread,
        cycles: cycles
            .map(|cycle| cycle.into_iter().map(path).collect())
            .collect(),
        directory_cycles: relations.directory_cycles(),
        outside_imports: outside
            .map(|(path, &count)| Outside { path, count })
            .collect(),
        unresolved_imports: unresolved.collect(),
    }
}

/// How many files of a cycle are named.
const NAMED: usize = 20;

fn write(relations: &Relations, out: &mut dyn Write) -> io::Result<()> {
    writeln!(
        out,
        "{} between files; of those meant for the tree {:.1} % were found, {} were not; {} of what is not in it",
        counted(relations.imports.len() as u64, "import", "imports"),
        100.0 * relations.share_resolved(),
        relations.unresolved.len(),
        relations.outside,
    )?;
    writeln!(
        out,
        "{} inferred by name; {} with an ambiguous name, {} not in the tree",
        counted(
            relations.inherits.len() as u64,
            "base class",
            "base classes"
        ),
        relations.ambiguous_bases,
        relations.outside_bases,
    )?;
    let cycles = relations.cycles();
    let files = cycles.iter().map(|cycle| {
        let names = cycle
            .iter()
            .map(|&it| relations.paths[it as usize].as_str());
        names.collect()
    });
    write_cycles("files", files.collect(), out)?;
    let directories = relations.directory_cycles();
    write_cycles("directories", directories, out)?;
    let mut from: Vec<BTreeSet<FileId>> = vec![BTreeSet::new(); relations.paths.len()];
    let mut to = from.clone();
    for import in &relations.imports {
        from[import.to as usize].insert(import.from);
        to[import.from as usize].insert(import.to);
    }
    let mut order: Vec<usize> = (0..relations.paths.len()).collect();
    order.retain(|&file| !from[file].is_empty() || !to[file].is_empty());
    order.sort_by_key(|&file| (std::cmp::Reverse(from[file].len()), file));
    let mut table = Table::new(&[
        ("imported by", Align::Right),
        ("imports", Align::Right),
        ("file", Align::Left),
    ]);
    for file in order {
        let (from, to) = (from[file].len(), to[file].len());
        table.row([
            from.to_string(),
            to.to_string(),
            relations.paths[file].clone(),
        ]);
    }
    table.write(out)
}

fn write_cycles(of: &str, cycles: Vec<Vec<&str>>, out: &mut dyn Write) -> io::Result<()> {
    for cycle in cycles {
        let count = cycle.len();
        let names = cycle.iter().take(NAMED).map(|name| match *name {
            "" => ".".into(),
            name => escape::name(name),
        });
        let names = names.collect::<Vec<_>>().join(", ");
        let more = if count > NAMED { ", …" } else { "" };
        writeln!(out, "cycle of {count} {of}: {names}{more}")?;
    }
    Ok(())
}

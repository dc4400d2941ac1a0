//! The recordings that lie in a folder of tables.

use std::path::Path;

use crate::error::ImportError;
use crate::input::Input;
use callscape_base::warnings::Place;
use callscape_facts::tables::{PARTITION, Table, replacing};

/// Recordings named in an error message, at most.
const NAMED: usize = 8;

/// A folder of tables, and which recordings in it are meant.
pub(super) struct Folder {
    dir: Input,
    /// In order; an empty one where tables lie in their folders without partitions.
    pub ids: Vec<String>,
    /// Recordings that are not whole: their writer has not finished, or was stopped.
    pub half_written: Vec<String>,
}

fn name(input: &Input) -> &str {
    input.file_name().and_then(|it| it.to_str()).unwrap_or("")
}

fn is_table(input: &Input) -> bool {
    let name = name(input);
    // A file that is being written begins with a dot.
    name.ends_with(".parquet") && !name.starts_with('.')
}

fn entries(dir: &Input) -> Vec<Input> {
    match dir.is_dir() {
        true => dir.entries().unwrap_or_default(),
        false => Vec::new(),
    }
}

/// Whether a folder holds tables of functions or recordings, by partition or without.
fn holds_tables(dir: &Input) -> bool {
    ["recordings", "functions"].iter().any(|table| {
        let entries = entries(&dir.join(table));
        entries
            .iter()
            .any(|it| is_table(it) || name(it).starts_with(PARTITION))
    })
}

/// The folder of tables that `input` is or lies in, and the recording that it is the folder of.
fn find(input: &Input) -> Option<(Input, Option<String>)> {
    if holds_tables(input) {
        return Some((input.clone(), None));
    }
    let path = input.file()?;
    let above = |path: &Path| Some(Input::on_disk(path.parent()?.to_owned()));
    let is_of_table = |path: &Path| Table::of_folder(path).is_some();
    if is_of_table(path) {
        let dir = above(path)?;
        return holds_tables(&dir).then_some((dir, None));
    }
    let id = name(input).strip_prefix(PARTITION)?;
    let of_table = path.parent().filter(|it| is_of_table(it))?;
    let dir = above(of_table)?;
    holds_tables(&dir).then(|| (dir, Some(id.to_owned())))
}

/// Whether `input` is a folder of tables, one of a table in it, or that of a recording there.
pub(crate) fn sniff(input: &Input) -> bool {
    find(input).is_some()
}

impl Folder {
    /// The folder, with its recordings. O(recordings).
    pub(super) fn open(input: &Input) -> Result<Folder, ImportError> {
        let (dir, id) = find(input).unwrap_or_else(|| (input.clone(), None));
        let mut folder = Folder {
            dir,
            ids: Vec::new(),
            half_written: Vec::new(),
        };
        // What a killed writer was about to do, where that can still be done.
        let mixed = folder.dir.file().map(replacing::recover);
        let mixed = mixed.unwrap_or_default();
        let is_whole = |folder: &Folder, id: &String| !mixed.contains(id) && folder.is_whole(id);
        if let Some(id) = id {
            match is_whole(&folder, &id) {
                true => folder.ids.push(id),
                false => folder.half_written.push(id),
            }
        } else {
            let mut ids = folder.partitions("recordings");
            ids.extend(folder.partitions("functions"));
            ids.sort();
            ids.dedup();
            for id in ids {
                match is_whole(&folder, &id) {
                    true => folder.ids.push(id),
                    false => folder.half_written.push(id),
                }
            }
        }
        if folder.ids.is_empty() {
            let place = Place::file(input.display().to_string());
            let found = match folder.half_written.len() {
                0 => "none".to_owned(),
                _ => format!("half written ones: {}", listed(&folder.half_written)),
            };
            return Err(ImportError::malformed(
                place,
                "a recording as tables, of which 'recordings' is written last",
                found,
            ));
        }
        Ok(folder)
    }

    /// The recordings that a table has partitions of.
    fn partitions(&self, table: &str) -> Vec<String> {
        let entries = entries(&self.dir.join(table));
        let is_flat = entries.iter().any(is_table);
        let ids = entries.iter().filter(|it| it.is_dir());
        let ids = ids.filter_map(|it| name(it).strip_prefix(PARTITION));
        let mut ids: Vec<String> = ids.map(str::to_owned).collect();
        if is_flat {
            ids.push(String::new());
        }
        ids
    }

    /// Another engine may write no table of recordings; Callscape writes it last.
    fn is_whole(&self, id: &str) -> bool {
        !self.files("recordings", id).is_empty() || !self.dir.join("recordings").is_dir()
    }

    /// The files of a table of a recording, in order of name; none where it has none.
    pub(super) fn files(&self, table: &str, id: &str) -> Vec<Input> {
        let dir = self.dir.join(table);
        let dir = match id {
            "" => dir,
            id => dir.join(&format!("{PARTITION}{id}")),
        };
        let mut files = entries(&dir);
        files.retain(is_table);
        files
    }

    /// The same of a table that there is nothing without.
    pub(super) fn needed(&self, table: &str, id: &str) -> Result<Vec<Input>, ImportError> {
        let files = self.files(table, id);
        match files.is_empty() {
            false => Ok(files),
            true => {
                let place = Place::file(self.dir.display().to_string());
                let expected = format!("the table '{table}' of recording '{id}'");
                Err(ImportError::malformed(place, expected, "no file of it"))
            }
        }
    }

    /// The path by which a recording of it is opened alone.
    pub(super) fn place_of(&self, id: &str) -> String {
        let dir = self
            .dir
            .join("recordings")
            .join(&format!("{PARTITION}{id}"));
        dir.display().to_string()
    }

    pub(super) fn place(&self) -> Place {
        Place::file(self.dir.display().to_string())
    }
}

/// The first few of some names.
pub(super) fn listed(ids: &[String]) -> String {
    let mut text = ids[..ids.len().min(NAMED)].join(", ");
    if ids.len() > NAMED {
        text.push_str(&format!(" and {} more", ids.len() - NAMED));
    }
    text
}

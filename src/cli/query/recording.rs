//! The tables of a single recording, which are made for its first query and kept.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};

use crate::frequency::FrequencyArg;
use crate::output;
use crate::progress::with_progress;
use crate::trace_arg::TraceArg;
use callscape_export::Part;
use callscape_export::tables::kept::{self, Kept, Key};
use callscape_export::tables::{self, Table};
use callscape_facts::fnv::Fnv;
use callscape_import as import;
use callscape_import::input::STANDARD_INPUT;

/// How a recording is read for its tables.
#[derive(Debug, clap::Args)]
pub(super) struct ReadingArgs {
    /// For a recording: source tree in which to look up its functions
    #[arg(long, value_name = "SOURCE_DIR")]
    source: Option<PathBuf>,
    /// For a recording: value to count, of a profile or sampled recording: alloc_space, samples, cycles, 'wall time';
    /// `info` lists them
    #[arg(long, value_name = "NAME")]
    value: Option<String>,
    #[command(flatten)]
    left_out: FrequencyArg,
}

/// The tables that a query reads.
pub(super) enum Tables {
    Exported(PathBuf),
    Kept(Kept),
}

impl Tables {
    pub(super) fn folder(&self) -> PathBuf {
        match self {
            Tables::Exported(folder) => folder.clone(),
            Tables::Kept(kept) => kept.folder(),
        }
    }
}

impl ReadingArgs {
    /// The tables in a folder, or of a recording.
    pub(super) fn tables(&self, of: &Path) -> anyhow::Result<Tables> {
        if Table::ALL.iter().any(|it| of.join(it.name()).is_dir()) {
            self.refuse(of)?;
            return Ok(Tables::Exported(of.to_owned()));
        }
        let is_folder = of.is_dir() && of.as_os_str() != STANDARD_INPUT;
        ensure!(
            !is_folder || import::is_recording(of),
            "{}: expected a folder of tables written by `callscape export --format parquet`, or a recording; found \
             neither",
            of.display()
        );
        self.tables_of(of).map(Tables::Kept)
    }

    /// Refuses options of recordings for a folder of tables.
    fn refuse(&self, tables: &Path) -> anyhow::Result<()> {
        let given = [
            ("--source", self.source.is_some()),
            ("--value", self.value.is_some()),
            ("--max-frequency", self.left_out.max_frequency.is_some()),
        ];
        match given.into_iter().find(|(_, is_given)| *is_given) {
            Some((option, _)) => bail!(
                "{option}: expected a recording, found the folder of tables {}",
                tables.display()
            ),
            None => Ok(()),
        }
    }

    /// The tables of a recording: those in the cache if they are up to date, otherwise new ones.
    fn tables_of(&self, trace: &Path) -> anyhow::Result<Kept> {
        let is_pipe = trace.as_os_str() == STANDARD_INPUT;
        let name = match is_pipe {
            true => "standard-input".into(),
            false => trace
                .file_name()
                .unwrap_or(trace.as_os_str())
                .to_string_lossy(),
        };
        let id = tables::id_of(&name);
        let folder = kept::default_folder().context("cannot keep tables")?;
        // With a source tree the key is known only after both were read, which is fast for unchanged ones.
        let state = || match is_pipe {
            true => None,
            false => import::fingerprint(&[trace]).ok(),
        };
        let before = state();
        let recording = self.hash(trace, &id);
        let key = |state| Key { recording, state };
        if self.source.is_none()
            && let Some(kept) = before.and_then(|it| kept::find(&folder, key(it)))
        {
            return Ok(kept);
        }
        let session = output::open(&TraceArg {
            trace: trace.to_owned(),
            source: self.source.clone(),
            value: self.value.clone(),
            left_out: self.left_out,
        })?;
        let resolved = output::recording(&session)?;
        let part = Part {
            recording: &resolved.recording,
            resolution: &resolved.resolution,
            hierarchy: &session.hierarchy,
            range: None,
            threads: None,
        };
        // Tables of a recording that changed while it was read fit nothing.
        let key = before.filter(|_| before == state()).map(|it| {
            let mut hash = Fnv::START;
            hash.add_number(it);
            hash.add_number(kept::state_of_modules(&part));
            key(if self.source.is_some() {
                hash.get()
            } else {
                it
            })
        });
        if let Some(kept) = key.and_then(|it| kept::find(&folder, it)) {
            return Ok(kept);
        }
        let made = with_progress(|progress| kept::make(&part, (&folder, key), &id, progress))?;
        made.with_context(|| format!("{}: cannot write its tables", trace.display()))
    }

    /// Hash of the recording's path and of the options.
    fn hash(&self, trace: &Path, id: &str) -> u64 {
        let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let mut hash = Fnv::START;
        let mut add = |bytes: &[u8]| {
            hash.add_number(bytes.len() as u64);
            hash.add(bytes);
        };
        add(whole(trace).as_os_str().as_encoded_bytes());
        add(id.as_bytes());
        let source = self.source.as_deref().map(whole).unwrap_or_default();
        add(source.as_os_str().as_encoded_bytes());
        add(self.value.as_deref().unwrap_or_default().as_bytes());
        add(format!("{:?}", self.left_out.max_frequency).as_bytes());
        hash.get()
    }
}

//! A session: one structure and any number of recordings of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::demo;
use super::frequency::{FrequencyError, leave_out_frequent};
use super::history;
use super::names::Named;
use super::refinement::Refinement;
use super::resolve::{Resolution, resolve, rules};
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::warnings::{Reporter, Warning};
use callscape_facts::frequency::Frequency;
use callscape_facts::hierarchy::{Hierarchy, HierarchyBuilder};
use callscape_facts::profile::NoSuchValue;
use callscape_facts::recording::Recording;
use callscape_import::input::STANDARD_INPUT;
use callscape_import::{self as import, ImportError};
use callscape_source::{self as source, SourceError};

/// A recording and the module of each of its functions.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// Shared by the sessions that show it in different structures.
    pub recording: Arc<Recording>,
    pub resolution: Resolution,
}

/// One structure, and the recordings of it.
#[derive(Clone, Debug)]
pub struct Session {
    pub source_dir: Option<PathBuf>,
    pub hierarchy: Hierarchy,
    pub recordings: Vec<Resolved>,
    /// What was repaired or left out while scanning the source tree.
    pub source_warnings: Vec<Warning>,
    /// How modules and functions are called in all views.
    pub named: Named,
}

/// Why a session could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error(transparent)]
    Source(#[from] SourceError),
    #[error(transparent)]
    Import(#[from] ImportError),
    #[error(transparent)]
    Frequency(#[from] FrequencyError),
    #[error("{name}: {why}")]
    Value { name: String, why: NoSuchValue },
    #[error("the built-in demo: {0}")]
    Demo(#[from] std::io::Error),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// What to open: at most one source tree, any number of recordings; the built-in demo for neither.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inputs {
    /// Of two that are compared, that of B.
    pub source_dir: Option<PathBuf>,
    pub recordings: Vec<PathBuf>,
    pub sides: Sides,
    pub elsewhere: Elsewhere,
}

/// What functions of the first recording are looked up in, beside its source tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Elsewhere {
    /// What changed since a revision.
    pub since: Option<Since>,
    /// What other tools have found: files, `-` for standard input.
    pub results: Vec<PathBuf>,
}

impl Elsewhere {
    /// The results that can be read again: not what came from standard input.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let is_file = |path: &&PathBuf| path.as_os_str() != STANDARD_INPUT;
        self.results.iter().filter(is_file)
    }
}

/// Between which revisions changes are looked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Since {
    /// In which all was well.
    pub good: String,
    /// That was recorded; none for the working tree.
    pub bad: Option<String>,
    /// A recording of the same run in which all was well.
    pub good_recording: Option<PathBuf>,
}

/// What is said of two sides to compare beyond a recording of each over one source tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sides {
    /// So many of the recordings, the first ones, are runs of A, the others of B; 0 where nothing is said: then two
    /// recordings are one of each, if they are not parts of one.
    pub runs_of_a: usize,
    /// The source tree of A, where it is another than that of B.
    pub source_of_a: Option<PathBuf>,
}

impl Inputs {
    /// The recordings of A and of B; none where there are no two sides.
    pub fn recordings_of_sides(&self) -> Option<[&[PathBuf]; 2]> {
        let runs_of_a = match (self.sides.runs_of_a, self.recordings.len()) {
            (0, 2) => 1,
            (0, _) => return None,
            (runs, _) => runs,
        };
        let (a, b) = self.recordings.split_at_checked(runs_of_a)?;
        (!b.is_empty()).then_some([a, b])
    }

    /// The same with A and B exchanged.
    pub fn swapped(mut self) -> Inputs {
        let Some([a, b]) = self.recordings_of_sides() else {
            return self;
        };
        let of_b = b.len();
        self.recordings = b.iter().chain(a).cloned().collect();
        if self.sides.runs_of_a > 0 {
            self.sides.runs_of_a = of_b;
        }
        if let Some(of_a) = self.sides.source_of_a.take() {
            self.sides.source_of_a = self.source_dir.replace(of_a);
        }
        self
    }
}

impl Session {
    /// Scans and imports `inputs`, the built-in demo when there are none, then resolves the recordings
    /// against the structure.
    pub fn open(inputs: &Inputs, progress: &Progress) -> Result<Session, OpenError> {
        Session::open_as(inputs, progress, Session::of)
    }

    /// As [`Session::open`], for those who only count by which rules functions are resolved: the structure is that of
    /// the source alone, and no function has a module.
    pub fn open_counting(inputs: &Inputs, progress: &Progress) -> Result<Session, OpenError> {
        Session::open_as(inputs, progress, Session::counting)
    }

    fn open_as(
        inputs: &Inputs,
        progress: &Progress,
        of: fn(&Hierarchy, Vec<Arc<Recording>>) -> Session,
    ) -> Result<Session, OpenError> {
        if inputs.source_dir.is_none() && inputs.recordings.is_empty() {
            return Session::demo(progress);
        }
        let reporter = Reporter::new();
        let source = match &inputs.source_dir {
            Some(dir) => source::scan(dir, progress, &reporter)?,
            None => {
                let first = inputs.recordings.first().map(PathBuf::as_path);
                // The history of a repository has the name of the repository.
                let first = first.map(|path| {
                    path.parent()
                        .filter(|_| path.ends_with(".git"))
                        .unwrap_or(path)
                });
                let name = first.and_then(Path::file_stem);
                let name = name.map(|name| name.to_string_lossy()).unwrap_or_default();
                HierarchyBuilder::new(&name).build().0
            }
        };
        let recordings = import::open_all(&inputs.recordings, progress)?;
        Ok(Session {
            source_dir: inputs.source_dir.clone(),
            source_warnings: reporter.warnings(),
            ..of(&source, recordings)
        })
    }

    /// As [`Session::open`], with no more than the files of a source tree where reading what is in them takes a
    /// while: then [`Session::refine`] goes on.
    pub fn open_first(
        inputs: &Inputs,
        progress: &Progress,
    ) -> Result<(Session, Option<Refinement>), OpenError> {
        let Some(dir) = &inputs.source_dir else {
            return Ok((Session::open(inputs, progress)?, None));
        };
        let (step, refinement) = Refinement::start(dir, progress)?;
        let recordings = import::open_all(&inputs.recordings, progress)?;
        let session = Session {
            source_dir: inputs.source_dir.clone(),
            source_warnings: step.warnings,
            ..Session::of(&step.source, recordings)
        };
        Ok((session, refinement))
    }

    /// The same recordings over what is known of the source tree after another step; and whether that is all. For a
    /// worker thread: a step takes a second or more.
    pub fn refine(
        &self,
        refinement: &Refinement,
        progress: &Progress,
    ) -> Result<(Session, bool), OpenError> {
        let step = refinement.read_on(progress)?;
        let recordings = self.recordings.iter().map(|it| Arc::clone(&it.recording));
        let session = Session {
            source_dir: self.source_dir.clone(),
            source_warnings: step.warnings,
            ..Session::of(&step.source, recordings.collect())
        };
        Ok((session, step.is_whole))
    }

    /// The same recordings over the source tree as it is now; none where there is no source tree.
    pub fn rescan(&self, progress: &Progress) -> Result<Option<Session>, OpenError> {
        let Some(dir) = &self.source_dir else {
            return Ok(None);
        };
        let reporter = Reporter::new();
        let source = source::scan(dir, progress, &reporter)?;
        let recordings = self.recordings.iter().map(|it| Arc::clone(&it.recording));
        Ok(Some(Session {
            source_dir: self.source_dir.clone(),
            source_warnings: reporter.warnings(),
            ..Session::of(&source, recordings.collect())
        }))
    }

    /// Leaves out of all recordings what is called more often than `limit` allows. O(calls).
    pub fn leave_out_frequent(
        &mut self,
        limit: Frequency,
        progress: &Progress,
    ) -> Result<(), FrequencyError> {
        let all = self.recordings.iter().map(|it| Arc::clone(&it.recording));
        let mut all: Vec<Arc<Recording>> = all.collect();
        leave_out_frequent(&mut all, limit, progress)?;
        for (resolved, recording) in self.recordings.iter_mut().zip(all) {
            resolved.recording = recording;
        }
        Ok(())
    }

    fn demo(progress: &Progress) -> Result<Session, OpenError> {
        let recording = import::open(&demo::recording()?, progress)?;
        Ok(Session::of(&demo::structure()?, vec![Arc::new(recording)]))
    }

    /// The recordings over what a scan has found of a source tree.
    pub fn over(scan: &source::Scan, recordings: Vec<Arc<Recording>>) -> Session {
        let reporter = Reporter::new();
        scan.report(&reporter);
        Session {
            source_dir: Some(scan.dir().to_path_buf()),
            source_warnings: reporter.warnings(),
            ..Session::of(&scan.hierarchy(), recordings)
        }
    }

    fn of(source: &Hierarchy, recordings: Vec<Arc<Recording>>) -> Session {
        let functions: Vec<_> = recordings.iter().map(|it| &it.functions).collect();
        let with_files = history::with_files(source, &recordings);
        let (hierarchy, resolutions) = resolve(with_files.as_ref().unwrap_or(source), &functions);
        Session::with(hierarchy, recordings, resolutions)
    }

    fn counting(source: &Hierarchy, recordings: Vec<Arc<Recording>>) -> Session {
        let functions: Vec<_> = recordings.iter().map(|it| &it.functions).collect();
        let counted = rules(source, &functions).into_iter();
        let resolutions = counted.map(|rules| Resolution {
            modules: Vec::new(),
            rules,
        });
        let resolutions = resolutions.collect();
        Session::with(source.clone(), recordings, resolutions)
    }

    fn with(
        hierarchy: Hierarchy,
        recordings: Vec<Arc<Recording>>,
        resolutions: Vec<Resolution>,
    ) -> Session {
        let recordings = recordings.into_iter().zip(resolutions);
        let recordings = recordings.map(|(recording, resolution)| Resolved {
            recording,
            resolution,
        });
        Session {
            source_dir: None,
            hierarchy,
            recordings: recordings.collect(),
            source_warnings: Vec::new(),
            named: Default::default(),
        }
    }
}

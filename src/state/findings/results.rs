//! What other tools have found, as functions that ran.

use std::path::PathBuf;
use std::sync::Arc;

use super::marking::marked_in;
use callscape_analysis::coverage::Coverage;
use callscape_analysis::numbers::Numbers;
use callscape_analysis::result_sets::NamedSet;
use callscape_analysis::session::Session;
use callscape_base::progress::{Cancelled, Progress};
use callscape_filter::marked::Marked;
use callscape_import::input::STANDARD_INPUT;
use callscape_import::results::{self, ResultSet};

/// Where a set comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SetFrom {
    /// A file, `-` for standard input.
    File(PathBuf),
    /// What was pasted, as the first, second, … such text.
    Text(usize, Arc<str>),
    /// What is in both of two sets before it.
    Both([usize; 2]),
}

impl SetFrom {
    /// As people may call it.
    pub fn title(&self) -> String {
        match self {
            SetFrom::File(path) if path.as_os_str() == STANDARD_INPUT => {
                "standard input".to_owned()
            }
            SetFrom::File(path) => {
                let name = path.file_name().unwrap_or(path.as_os_str());
                name.to_string_lossy().into_owned()
            }
            SetFrom::Text(1, _) => "pasted".to_owned(),
            SetFrom::Text(number, _) => format!("pasted {number}"),
            SetFrom::Both(_) => "both".to_owned(),
        }
    }
}

/// What came of a set.
#[derive(Debug, Default)]
pub struct Hits {
    from: Option<SetFrom>,
    /// What was read, to be looked up again where the structure changes.
    read: Option<Arc<ResultSet>>,
    pub named: NamedSet,
    /// Results that name no place.
    pub left_out: u64,
    pub is_coverage: bool,
    /// Whether it has numbers of modules, and no places.
    pub is_numbers: bool,
    pub is_cut: bool,
    /// Why there is nothing.
    pub failure: Option<String>,
    pub marked: Arc<Marked>,
}

/// What came of all sets.
#[derive(Default)]
pub struct Found {
    pub hits: Vec<Arc<Hits>>,
    /// What the reports of coverage among them say together.
    pub coverage: Option<Arc<Coverage>>,
    /// What the tables of numbers among them say together.
    pub numbers: Option<Arc<Numbers>>,
}

/// Looks the sets up; those that were read before are not read again. For a worker thread.
pub(crate) fn find(
    sets: &[SetFrom],
    known: &[Arc<Hits>],
    session: &Session,
    progress: &Progress,
) -> Result<Found, Cancelled> {
    let mut found: Vec<Arc<Hits>> = Vec::new();
    for set in sets {
        progress.check()?;
        progress.start(format!("reading {}", set.title()), 0);
        let before = known.iter().find(|it| it.from.as_ref() == Some(set));
        let before = before.and_then(|it| it.read.clone());
        let mut hits = match (set, before) {
            (_, Some(read)) => Hits::of(read, session),
            (SetFrom::File(path), None) => match results::read(path, progress) {
                Ok(read) => Hits::of(Arc::new(read), session),
                Err(error) => Hits::failed(error.to_string()),
            },
            (SetFrom::Text(_, text), None) => {
                let read = results::read_from(text.as_bytes(), &set.title(), progress);
                match read {
                    Ok(read) => Hits::of(Arc::new(read), session),
                    Err(error) => Hits::failed(error.to_string()),
                }
            }
            (SetFrom::Both(of), None) => match of.map(|it| found.get(it)) {
                [Some(a), Some(b)] => Hits {
                    named: a.named.clone().and(&b.named),
                    ..Hits::default()
                },
                _ => Hits::default(),
            },
        };
        progress.check()?;
        if let Some(resolved) = session.recordings.first() {
            let modules = hits.named.functions.keys().copied().collect();
            let title = match set {
                SetFrom::Both(_) => hits.named.name.clone(),
                _ => set.title(),
            };
            hits.marked = Arc::new(marked_in(title, modules, resolved));
        }
        if session.recordings.is_empty() {
            hits.forget_functions();
        }
        hits.from = Some(set.clone());
        found.push(Arc::new(hits));
    }
    progress.check()?;
    let reports = found.iter().filter_map(|it| it.read.as_deref());
    let coverage = Coverage::new(reports.clone(), &session.hierarchy);
    let numbers = Numbers::new(reports, &session.hierarchy);
    Ok(Found {
        coverage: coverage.map(Arc::new),
        numbers: numbers.map(Arc::new),
        hits: found,
    })
}

impl Hits {
    fn of(read: Arc<ResultSet>, session: &Session) -> Hits {
        Hits {
            named: NamedSet::new(&read, session),
            left_out: read.left_out,
            is_coverage: read.is_coverage,
            is_numbers: read.numbers.is_some(),
            is_cut: read.is_cut,
            read: Some(read),
            ..Hits::default()
        }
    }

    fn failed(reason: String) -> Hits {
        Hits {
            failure: Some(reason),
            ..Hits::default()
        }
    }

    /// Without a recording nothing ran in which places could lie: coverage and numbers alone say something.
    fn forget_functions(&mut self) {
        self.named = NamedSet {
            name: std::mem::take(&mut self.named.name),
            ..NamedSet::default()
        };
        if !self.is_coverage && !self.is_numbers && self.failure.is_none() {
            let reason = "no recording is open whose functions it could refer to";
            self.failure = Some(reason.to_owned());
        }
    }

    /// What is not shown of the set, in words; nothing where all of it is.
    pub fn dropped(&self) -> String {
        let named = &self.named;
        let all = [
            (named.not_run, "in functions that did not run"),
            (named.outside, "outside any function"),
            (named.unknown, "in files outside the source"),
            (
                self.left_out,
                match self.is_numbers {
                    true => "numbers below zero, without a file or beyond four columns",
                    false => "without a place",
                },
            ),
        ];
        let parts = all.iter().filter(|(count, _)| *count > 0);
        let mut parts: Vec<String> = parts
            .map(|(count, what)| format!("{} {what}", callscape_base::units::grouped(*count)))
            .collect();
        if self.is_cut {
            parts.push("the file ends in the middle".to_owned());
        }
        parts.join(", ")
    }
}

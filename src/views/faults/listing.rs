//! The rows of the list.

use std::collections::BTreeMap;

use crate::parts::text;
use callscape_analysis::faults::by_commit::groups;
use callscape_analysis::faults::{Fault, Faults};
use callscape_base::units::{Cost, FunctionId, ModuleId, Time, date};
use callscape_filter::marked::First;
use callscape_filter::selection::Pointed;
use callscape_source::history::change::Commit;
use callscape_state::State;
use callscape_state::ask::Shown;
use callscape_state::document::Document;
use callscape_state::findings::{Changed, Hits};

/// In a day.
const SECONDS: i64 = 86_400;

/// What the rows are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Of {
    #[default]
    Functions,
    Commits,
    /// Whom to ask.
    Authors,
    /// What changed and did not run, and what a person has to look at.
    Rest,
}

impl Of {
    pub(super) const ALL: [Of; 4] = [Of::Functions, Of::Commits, Of::Authors, Of::Rest];

    /// Its name in session files.
    pub(super) fn id(self) -> &'static str {
        match self {
            Of::Functions => "functions",
            Of::Commits => "commits",
            Of::Authors => "authors",
            Of::Rest => "rest",
        }
    }

    /// What its rows are sorted by at first, and whether from the largest.
    pub(super) fn order(self) -> Option<(Column, bool)> {
        match self {
            Of::Functions | Of::Commits => Some((Column::Rank, true)),
            Of::Authors => Some((Column::Count, true)),
            Of::Rest => None,
        }
    }

    pub(super) fn title(self) -> &'static str {
        match self {
            Of::Functions => "Functions",
            Of::Commits => "Commits",
            Of::Authors => "Authors",
            Of::Rest => "The rest",
        }
    }

    pub(super) fn about(self) -> &'static str {
        match self {
            Of::Functions => "Functions that changed and ran, the most suspect first",
            Of::Commits => {
                "The same by the commits that touched them: where to begin with bisecting"
            }
            Of::Authors => "Authors, and how many of the functions they changed",
            Of::Rest => "Changes that did not run, and macros and build files to review",
        }
    }
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Rank,
    Name,
    Reason,
    First,
    Calls,
    SelfCost,
    /// How many of the functions.
    Count,
}

impl Column {
    pub(super) fn is_number(self) -> bool {
        !matches!(self, Column::Name | Column::Reason)
    }
}

/// A row.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Row {
    pub name: String,
    /// What is said when the pointer is on it.
    pub about: String,
    pub module: Option<ModuleId>,
    pub function: Option<FunctionId>,
    /// From 0 to 1; none for hits of other tools.
    pub score: Option<f64>,
    /// Hits of other tools, or how many functions there are.
    pub count: u64,
    pub reason: String,
    pub first: Option<Time>,
    pub calls: u64,
    pub self_cost: Cost,
    /// Index of the fault that it is about.
    pub fault: Option<usize>,
}

impl Row {
    pub(super) fn pointed(&self) -> Pointed {
        Pointed {
            module: self.module,
            function: self.function,
            ..Pointed::default()
        }
    }
}

/// All rows, and what stands over them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Listing {
    pub rows: Vec<Row>,
    /// How much is shown of what.
    pub summary: String,
    /// What is not shown, in words.
    pub rest: Vec<String>,
}

impl Listing {
    /// O(n log n) in what is known.
    pub(super) fn new(
        state: &State,
        document: &Document,
        of: Of,
        sort: Option<(Column, bool)>,
    ) -> Listing {
        let findings = &state.findings;
        let mut listing = match (findings.shown, findings.changed_in(&document.base)) {
            (Shown::Changed, Some(changed)) => of_changed(changed, document, of),
            (Shown::Set(at), _) => match findings.hits_in(at, &document.base) {
                Some(hits) => of_hits(hits, document),
                None => Listing::default(),
            },
            _ => Listing::default(),
        };
        if document.recording() != 0 {
            // They are of the first run: another has other numbers.
            listing.rows.iter_mut().for_each(|it| it.function = None);
            listing.summary += "; first runs, calls and cost are those of the other run";
        }
        if let Some((column, from_largest)) = sort {
            listing.sort_by(column, from_largest);
        }
        listing
    }

    /// Sorts rows; those that are equal keep their order. O(n log n).
    pub(super) fn sort_by(&mut self, column: Column, from_largest: bool) {
        let number = |row: &Row| match column {
            Column::Rank => row.score.unwrap_or(row.count as f64),
            Column::First => row.first.map_or(f64::INFINITY, |it| it.ns() as f64),
            Column::Calls => row.calls as f64,
            Column::SelfCost => row.self_cost.ns() as f64,
            Column::Count => row.count as f64,
            Column::Name | Column::Reason => 0.0,
        };
        self.rows.sort_by(|a, b| {
            let order = match column {
                Column::Name => a.name.cmp(&b.name),
                Column::Reason => a.reason.cmp(&b.reason),
                _ => number(a).total_cmp(&number(b)),
            };
            match from_largest {
                true => order.reverse(),
                false => order,
            }
        });
    }
}

/// A commit's day.
pub(super) fn day(commit: &Commit) -> String {
    date(commit.time.div_euclid(SECONDS))
}

/// The beginning of a commit's id, as people write it.
pub(super) fn short(commit: &Commit) -> &str {
    commit.id.get(..10).unwrap_or(&commit.id)
}

fn of_changed(changed: &Changed, document: &Document, of: Of) -> Listing {
    let faults = &changed.faults;
    let counts = &faults.counts;
    let mut listing = Listing {
        summary: format!(
            "{} of {} that ran were touched, by {} in {}",
            text::counted(faults.faults.len() as u64, "function", "functions"),
            text::count(faults.executed),
            text::counted(faults.between, "commit", "commits"),
            text::counted(u64::from(counts.files), "file", "files"),
        ),
        ..Listing::default()
    };
    listing.rows = match of {
        Of::Functions => functions(changed, document),
        Of::Commits => commits(changed, document),
        Of::Authors => authors(changed, document),
        Of::Rest => rest(faults),
    };
    let not_run = faults.not_run.len() as u64;
    let flagged = faults.flagged.len() as u64;
    let told = [
        text::counted(not_run, "changed function", "changed functions") + " did not run",
        text::counted(
            flagged,
            "changed macro, inclusion or build file to look at",
            "changed macros, inclusions and build files to look at",
        ),
    ];
    let told = told.into_iter().zip([not_run, flagged]);
    let told = told.filter(|(_, count)| *count > 0);
    listing.rest = told.map(|(told, _)| told).collect();
    let not_looked_into = counts.not_looked_into();
    let told = not_looked_into.map(|(count, what)| format!("{} {what}", text::count(count)));
    listing.rest.extend(told);
    let left_out = changed.changes.left_out.reasons();
    listing.rest.extend(left_out.map(|(count, what)| {
        let files = text::counted(u64::from(count), "changed file", "changed files");
        format!("{files} ({what})")
    }));
    if changed.changes.is_shallow || faults.is_cut_off {
        let line = "the history is not whole here: commits may be missing";
        listing.rest.push(line.to_owned());
    }
    listing
}

/// What a module of the session without a mapping is in the one that is shown.
fn shown_as(document: &Document) -> impl Fn(ModuleId) -> Option<ModuleId> + use<> {
    let shown = document.of_base();
    move |module| match &shown {
        None => Some(module),
        Some(shown) => shown.get(&module).copied(),
    }
}

fn row_of(changed: &Changed, fault: &Fault, place: usize, module: Option<ModuleId>) -> Row {
    Row {
        name: changed.name(fault).to_owned(),
        about: changed.session.hierarchy.path(fault.module),
        module,
        function: fault.functions.first().copied(),
        score: Some(fault.score),
        count: 0,
        reason: fault.reason.name().to_owned(),
        first: fault.first.map(|(time, _)| time),
        calls: fault.calls,
        self_cost: fault.self_cost,
        fault: Some(place),
    }
}

fn functions(changed: &Changed, document: &Document) -> Vec<Row> {
    let shown = shown_as(document);
    let all = changed.faults.faults.iter().enumerate();
    all.map(|(place, fault)| row_of(changed, fault, place, shown(fault.module)))
        .collect()
}

fn commits(changed: &Changed, document: &Document) -> Vec<Row> {
    let faults = &changed.faults;
    let shown = shown_as(document);
    let groups = groups(faults).into_iter();
    let rows = groups.map(|group| {
        let commit = group.commit.and_then(|it| faults.commits.get(it as usize));
        let (name, about) = match commit {
            Some(commit) => (
                format!("{}  {}", short(commit), commit.summary),
                format!("{} <{}>, {}", commit.author, commit.email, day(commit)),
            ),
            None => ("not committed yet".to_owned(), String::new()),
        };
        let place = group.faults.first().copied();
        let first = place.and_then(|it| faults.faults.get(it));
        Row {
            name,
            about,
            module: first.and_then(|it| shown(it.module)),
            function: first.and_then(|it| it.functions.first().copied()),
            score: Some(group.score),
            count: group.faults.len() as u64,
            reason: commit.map_or_else(String::new, |it| it.author.clone()),
            fault: place,
            ..Row::default()
        }
    });
    rows.collect()
}

/// Who touched how many of the functions, whoever touched most first.
fn authors(changed: &Changed, document: &Document) -> Vec<Row> {
    let faults = &changed.faults;
    let shown = shown_as(document);
    let mut by: BTreeMap<(&str, &str), Vec<usize>> = BTreeMap::new();
    for (place, fault) in faults.faults.iter().enumerate() {
        let commits = fault.commits.iter();
        for commit in commits.filter_map(|&it| faults.commits.get(it as usize)) {
            let of = by.entry((&commit.author, &commit.email)).or_default();
            if of.last() != Some(&place) {
                of.push(place);
            }
        }
    }
    let rows = by.into_iter().map(|((author, email), places)| {
        let place = places.first().copied();
        let first = place.and_then(|it| faults.faults.get(it));
        Row {
            name: format!("{author} <{email}>"),
            about: first.map_or_else(String::new, |it| {
                format!("most suspect of what they touched: {}", changed.name(it))
            }),
            module: first.and_then(|it| shown(it.module)),
            function: first.and_then(|it| it.functions.first().copied()),
            score: first.map(|it| it.score),
            count: places.len() as u64,
            reason: first.map_or_else(String::new, |it| changed.name(it).to_owned()),
            fault: place,
            ..Row::default()
        }
    });
    let mut rows: Vec<Row> = rows.collect();
    rows.sort_by_key(|it| std::cmp::Reverse(it.count));
    rows
}

fn rest(faults: &Faults) -> Vec<Row> {
    let lines = |lines: &[u32]| {
        let mut text: Vec<String> = lines.iter().take(6).map(u32::to_string).collect();
        if lines.len() > 6 {
            text.push("…".to_owned());
        }
        text.join(", ")
    };
    let flagged = faults.flagged.iter().map(|it| Row {
        name: match it.name.as_str() {
            "" => it.file.clone(),
            name => format!("{name} in {}", it.file),
        },
        about: format!("{}, line {}", it.file, lines(&it.lines)),
        reason: it.flag.name().to_owned(),
        ..Row::default()
    });
    let not_run = faults.not_run.iter().map(|it| Row {
        name: it.name.clone(),
        about: format!("{}, line {}", it.file, lines(&it.lines)),
        reason: "did not run".to_owned(),
        ..Row::default()
    });
    flagged.chain(not_run).collect()
}

fn of_hits(hits: &Hits, document: &Document) -> Listing {
    let shown = shown_as(document);
    let named = &hits.named;
    let Some(resolved) = document.base.recordings.first() else {
        return Listing::default();
    };
    let firsts: BTreeMap<ModuleId, &First> = hits
        .marked
        .firsts
        .iter()
        .map(|it| (it.module, it))
        .collect();
    let metrics = resolved.recording.function_metrics(None);
    let mut rows: BTreeMap<ModuleId, Row> = BTreeMap::new();
    for &function in hits.marked.functions.iter() {
        let (Some(&module), Some(of)) = (
            resolved.resolution.modules.get(function.index()),
            metrics.get(function.index()),
        ) else {
            continue;
        };
        let row = rows.entry(module).or_insert_with(|| Row {
            name: resolved.recording.functions.get(function).name.to_owned(),
            about: document.base.hierarchy.path(module),
            module: shown(module),
            function: Some(function),
            count: named.functions.get(&module).copied().unwrap_or(0),
            first: firsts.get(&module).map(|it| it.time),
            ..Row::default()
        });
        row.calls += of.calls;
        row.self_cost += of.self_cost;
    }
    let mut rows: Vec<Row> = rows.into_values().collect();
    rows.sort_by_key(|it| std::cmp::Reverse(it.count));
    let what = match hits.is_coverage {
        true => "lines that ran",
        false => "places",
    };
    let dropped = hits.dropped();
    Listing {
        summary: format!(
            "{} with {what} in them ran",
            text::counted(rows.len() as u64, "function", "functions")
        ),
        rest: dropped
            .split(", ")
            .filter(|it| !it.is_empty())
            .map(str::to_owned)
            .collect(),
        rows,
    }
}

//! Questions that only the history of a tree answers, each with the files that stand out and why.

use std::collections::{HashMap, HashSet};

use super::{Couplings, Limits, Span, by_file, coupled};
use callscape_base::units::{counted, date};
use callscape_facts::history::Timeline;

/// How many files or pairs stand out.
const MOST: usize = 10;

/// Seconds of a day, and of the year before the last commit.
const DAY: i64 = 86_400;
const YEAR: i64 = 365 * DAY;

/// Years without a change.
const UNTOUCHED: i64 = 2;

/// A question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Question {
    Recent,
    Hotspots,
    OneAuthor,
    Together,
    Untouched,
}

impl Question {
    pub const ALL: [Question; 5] = [
        Question::Recent,
        Question::Hotspots,
        Question::OneAuthor,
        Question::Together,
        Question::Untouched,
    ];

    /// As the command line names it.
    pub fn id(self) -> &'static str {
        match self {
            Question::Recent => "recent",
            Question::Hotspots => "hotspots",
            Question::OneAuthor => "one-author",
            Question::Together => "together",
            Question::Untouched => "untouched",
        }
    }

    pub fn title(self) -> &'static str {
        match self {
            Question::Recent => "Where does it change most lately?",
            Question::Hotspots => "Which files are complex and change often?",
            Question::OneAuthor => "Which files does a single person know?",
            Question::Together => "What changes together without an import?",
            Question::Untouched => "Which files run, but have not changed for years?",
        }
    }

    /// What the value of an answer counts.
    pub fn unit(self) -> &'static str {
        match self {
            Question::Recent => "commits",
            Question::Hotspots => "complexity × commits",
            Question::OneAuthor => "lines",
            Question::Together => "commits together",
            Question::Untouched => "calls",
        }
    }
}

/// A file that stands out, or two that do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Indices into the files of the history.
    pub files: Vec<u32>,
    pub value: u64,
    pub why: String,
}

/// Facts from elsewhere, by path.
#[derive(Clone, Debug, Default)]
pub struct Beside {
    /// The sum over the functions of a file.
    pub complexity: HashMap<String, u64>,
    /// Pairs of files of which one imports the other, in order of path.
    pub imports: HashSet<(String, String)>,
    /// Calls of the functions of a file in a recording.
    pub calls: HashMap<String, u64>,
}

/// The files that stand out for a question over some commits, the most first. As [`by_file`] and [`coupled`].
pub fn answers(
    timeline: &Timeline,
    span: &Span,
    question: Question,
    beside: &Beside,
) -> Vec<Answer> {
    let mut answers = match question {
        Question::Recent => recent(timeline, span, |_| Some(1)),
        Question::Hotspots => recent(timeline, span, |path| beside.complexity.get(path).copied()),
        Question::OneAuthor => one_author(timeline, span),
        Question::Together => {
            return together(
                timeline,
                coupled(timeline, span, &Limits::default()),
                beside,
            );
        }
        Question::Untouched => untouched(timeline, span, beside),
    };
    let path = |it: &Answer| timeline.path(it.files[0], span.end()).to_owned();
    answers.sort_by_cached_key(|it| (std::cmp::Reverse(it.value), path(it)));
    answers.truncate(MOST);
    answers
}

/// The files that are there after `span`.
fn there(timeline: &Timeline, span: &Span) -> impl Iterator<Item = u32> {
    let states = timeline.states(span.end());
    let files = (0..).zip(states);
    files
        .filter(|(_, state)| state.lines.is_some())
        .map(|(file, _)| file)
}

/// Commits of the year before the end, times a factor by path; files without one are left out.
fn recent(timeline: &Timeline, span: &Span, factor: impl Fn(&str) -> Option<u64>) -> Vec<Answer> {
    let end = span.end();
    let last = end
        .checked_sub(1)
        .map_or(0, |at| timeline.clock[at as usize]);
    let year = Span::of(timeline, timeline.before(last - YEAR)..end).within(span);
    let files = by_file(timeline, &year)
        .into_iter()
        .filter(|of| of.lines.is_some());
    let answers = files.filter_map(|of| {
        let factor = factor(timeline.path(of.file, end)).filter(|it| *it > 0)?;
        let commits = counted(of.changes.into(), "commit", "commits");
        let people = counted(of.authors.into(), "person", "people");
        let complexity = match factor {
            1 => String::new(),
            factor => format!("complexity {factor}, "),
        };
        Some(Answer {
            files: vec![of.file],
            value: u64::from(of.changes) * factor,
            why: format!(
                "{complexity}{commits} in the year before {} by {people}",
                date(last.div_euclid(DAY))
            ),
        })
    });
    answers.collect()
}

fn one_author(timeline: &Timeline, span: &Span) -> Vec<Answer> {
    let files = by_file(timeline, span)
        .into_iter()
        .filter(|of| of.authors == 1);
    let answers = files.filter_map(|of| {
        let lines = of.lines.filter(|it| *it > 0)?;
        let author = &timeline.authors[of.main_author? as usize];
        let commits = counted(of.changes.into(), "commit", "commits");
        Some(Answer {
            files: vec![of.file],
            value: lines.into(),
            why: format!(
                "{commits}, all by {}, the last on {}",
                author.name,
                date(of.last.div_euclid(DAY))
            ),
        })
    });
    answers.collect()
}

fn together(timeline: &Timeline, couplings: Couplings, beside: &Beside) -> Vec<Answer> {
    let path = |file: u32| timeline.files[file as usize].path.clone();
    let pairs = couplings.pairs.into_iter().filter(|pair| {
        let (a, b) = (path(pair.a), path(pair.b));
        let is_there = [pair.a, pair.b]
            .iter()
            .all(|&it| timeline.files[it as usize].is_there);
        let known = if a < b { (a, b) } else { (b, a) };
        is_there && !beside.imports.contains(&known)
    });
    let answers = pairs.take(MOST).map(|pair| Answer {
        files: vec![pair.a, pair.b],
        value: pair.together.into(),
        why: format!(
            "in {:.0} % of the commits of the first, {:.1} times as often as by chance, and neither imports the other",
            pair.confidence * 100.0,
            pair.lift
        ),
    });
    answers.collect()
}

fn untouched(timeline: &Timeline, span: &Span, beside: &Beside) -> Vec<Answer> {
    let end = span.end();
    let last = end
        .checked_sub(1)
        .map_or(0, |at| timeline.clock[at as usize]);
    let answers = there(timeline, span).filter_map(|file| {
        let calls = *beside.calls.get(&timeline.files[file as usize].path)?;
        let changes = timeline.changes_of(file).rev();
        let changed = changes
            .filter(|it| it.commit < end && it.is_counted())
            .map(|it| it.commit)
            .next()?;
        let changed = timeline.clock[changed as usize];
        (calls > 0 && last - changed >= UNTOUCHED * YEAR).then(|| Answer {
            files: vec![file],
            value: calls,
            why: format!(
                "last changed on {}, {} years before the last commit",
                date(changed.div_euclid(DAY)),
                (last - changed) / YEAR
            ),
        })
    });
    answers.collect()
}

//! The commits that `callscape history` is asked for.

use std::path::Path;

use anyhow::{anyhow, bail};

use super::args::HistoryArgs;
use callscape_analysis::history::Span;
use callscape_base::progress::Progress;
use callscape_base::units::{counted, date, day, is_like_day};
use callscape_facts::history::Timeline;
use callscape_source::history;

pub(super) const DAY: i64 = 86_400;

/// A history, and the commits of it that are asked for.
pub(super) struct Asked {
    pub timeline: Timeline,
    pub span: Span,
}

pub(super) fn asked(args: &HistoryArgs, progress: &Progress) -> anyhow::Result<Asked> {
    let dir = &args.source_dir;
    // The tree of the last commit of a day, without branches that go on beside it.
    let at = args.at.as_deref().map(|at| commit_at(dir, at, progress));
    let at = at.transpose()?;
    let end = at.as_deref().or(args.to.as_deref());
    let revision = |text: &'_ Option<&str>| text.filter(|it| day(it).is_none()).map(str::to_owned);
    let midnight = |day: i64| day.saturating_mul(DAY);
    let read = |revision: Option<&str>| {
        history::timeline(dir, revision, progress).map_err(|error| match revision {
            Some(text) if is_like_day(text) => anyhow!("{error}, or a day such as 2019-05-01"),
            _ => error.into(),
        })
    };
    let timeline = read(revision(&end).as_deref())?;
    let total = timeline.commits.len() as u32;
    let to = end
        .and_then(day)
        .map_or(total, |day| timeline.before(midnight(day + 1)));
    let from = args.from.as_deref();
    let start = from
        .and_then(day)
        .map_or(0, |day| timeline.before(midnight(day)));
    let mut span = Span::of(&timeline, start..to.max(start));
    if let Some(from) = revision(&from) {
        span = span.without(&timeline, &read(Some(&from))?);
    }
    if span.end() == 0 {
        bail!(none(dir, "between --from and --to", &timeline));
    }
    Ok(Asked { timeline, span })
}

/// The commit that a revision names, or that was the last at the end of a day.
pub(crate) fn commit_at(dir: &Path, at: &str, progress: &Progress) -> anyhow::Result<String> {
    let Some(day) = day(at) else {
        return Ok(at.to_owned());
    };
    let timeline = history::timeline(dir, None, progress)?;
    let last = timeline.before(day.saturating_add(1).saturating_mul(DAY));
    let last = last.checked_sub(1);
    let last = last.and_then(|last| timeline.commits.get(last as usize));
    let last = last.ok_or_else(|| anyhow!(none(dir, &format!("until {at}"), &timeline)))?;
    Ok(last.id.clone())
}

/// The error for a range without commits.
fn none(dir: &Path, asked: &str, timeline: &Timeline) -> String {
    let days = [timeline.clock.first(), timeline.clock.last()];
    let [first, last] = days.map(|time| time.map_or(0, |time| time.div_euclid(DAY)));
    format!(
        "{}: no commits {asked}: the history is from {} to {}",
        dir.display(),
        date(first),
        date(last)
    )
}

/// Limits of a history, each a sentence.
pub(super) fn limits(timeline: &Timeline) -> Vec<String> {
    let missing = &timeline.missing;
    let mut limits = Vec::new();
    if missing.is_shallow {
        limits.push(
            "the clone is shallow: older changes are not known; `git fetch --unshallow` fetches them".to_owned(),
        );
    }
    if missing.is_cut_off {
        limits.push(format!(
            "only the {} newest commits are read",
            history::MOST_COMMITS
        ));
    }
    let counts = [
        (
            missing.commits,
            "commit",
            "commits",
            "could not be read: missing or damaged objects",
        ),
        (
            missing.versions,
            "change",
            "changes",
            "without lines: objects are missing, damaged or too large",
        ),
        (
            missing.submodules,
            "submodule",
            "submodules",
            "left out: they have histories of their own",
        ),
    ];
    for (count, one, many, what) in counts.into_iter().filter(|it| it.0 > 0) {
        limits.push(format!("{} {what}", counted(count.into(), one, many)));
    }
    limits
}

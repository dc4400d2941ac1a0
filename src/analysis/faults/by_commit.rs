//! The affected functions by commit, for those who bisect.

use super::Faults;

/// What one commit affects.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Index into the commits; none for what is not committed yet.
    pub commit: Option<u32>,
    /// Indices of faults, most suspect first.
    pub faults: Vec<usize>,
    /// How many changed functions that did not run it touched.
    pub not_run: u32,
    /// That of its most suspect function.
    pub score: f64,
}

/// The commits that touched something, the most suspect first; of equals the newest.
pub fn groups(faults: &Faults) -> Vec<Group> {
    let commits = (0..faults.commits.len() as u32).map(Some);
    let all = std::iter::once(None).chain(commits);
    let groups = all.map(|commit| {
        let is_of = |commits: &[u32], is_uncommitted: bool| match commit {
            Some(commit) => commits.contains(&commit),
            None => is_uncommitted,
        };
        let of = faults.faults.iter().enumerate();
        let of = of.filter(|(_, it)| is_of(&it.commits, it.is_uncommitted));
        let of: Vec<usize> = of.map(|(at, _)| at).collect();
        let not_run = faults
            .not_run
            .iter()
            .filter(|it| is_of(&it.commits, it.is_uncommitted));
        Group {
            commit,
            not_run: not_run.count() as u32,
            score: of.first().map_or(0.0, |&at| faults.faults[at].score),
            faults: of,
        }
    });
    let mut groups: Vec<Group> = groups
        .filter(|it| !it.faults.is_empty() || it.not_run > 0)
        .collect();
    groups.sort_by(|a, b| b.score.total_cmp(&a.score));
    groups
}

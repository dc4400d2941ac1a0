//! Revisions that one may mean when one says since when something is wrong, or what is to be compared.

use std::cmp::Reverse;
use std::path::Path;

use super::change::Named;
use super::record::HistoryError;
use super::repository::Found;

/// So many digits of an id are told apart by people.
const DIGITS: usize = 10;

/// More tags are not looked at.
const MOST_TAGS: usize = 20_000;

pub(super) fn revisions(dir: &Path, most: usize) -> Result<Vec<Named>, HistoryError> {
    let found = Found::new(dir)?;
    let references = found.repository.references();
    let references = references.map_err(|error| found.unreadable(error))?;
    let tags = references.tags().map_err(|error| found.unreadable(error))?;
    let mut named: Vec<Named> = Vec::new();
    for tag in tags.filter_map(Result::ok).take(MOST_TAGS) {
        let name = tag.name().shorten().to_string();
        let Ok(id) = tag.into_fully_peeled_id() else {
            continue;
        };
        // Of a tag of something else than a commit there is nothing to compare with.
        if found.repository.find_commit(id.detach()).is_ok() {
            named.push(Named {
                name,
                is_tag: true,
                commit: found.commit(id.detach()),
            });
        }
    }
    named.sort_by(|a, b| {
        let key = |it: &Named| (Reverse(it.commit.time), Reverse(it.name.clone()));
        key(a).cmp(&key(b))
    });
    named.truncate(most);
    let branches = references.local_branches();
    let branches = branches.map_err(|error| found.unreadable(error))?;
    for branch in branches.filter_map(Result::ok).take(most) {
        let name = branch.name().shorten().to_string();
        let Ok(id) = branch.into_fully_peeled_id() else {
            continue;
        };
        named.push(Named {
            name,
            is_tag: false,
            commit: found.commit(id.detach()),
        });
    }
    let mut at = Some(found.head);
    for _ in 0..most {
        let Some(id) = at else { break };
        let commit = found.commit(id);
        named.push(Named {
            name: commit.id.chars().take(DIGITS).collect(),
            is_tag: false,
            commit,
        });
        let commit = found.repository.find_commit(id).ok();
        at = commit.and_then(|it| it.parent_ids().next().map(|id| id.detach()));
    }
    Ok(named)
}

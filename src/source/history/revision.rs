//! Which commit a revision names: a branch, a tag, a commit's id or the beginning of one, with `~2` and `^` behind it.
//!
//! <https://git-scm.com/docs/gitrevisions>. What depends on the log of references (`@{…}`) or on messages (`:/…`) is refused.

use std::collections::HashSet;

use gix::ObjectId;

use super::change::Commit;
use super::record::HistoryError;
use super::repository::Found;

/// Where a short name may stand, in git's order.
const PLACES: [&str; 4] = ["refs/", "refs/tags/", "refs/heads/", "refs/remotes/"];

/// The least digits of an id that are taken for one.
const LEAST_DIGITS: usize = 4;

impl Found {
    /// The commit that `revision` names.
    pub(super) fn commit_named(&self, revision: &str) -> Result<ObjectId, HistoryError> {
        let text = revision.trim();
        if text.is_empty()
            || text.contains("@{")
            || text.contains([':', ' ', '\0'])
            || text.contains("..")
        {
            return Err(HistoryError::RevisionForm(revision.to_owned()));
        }
        let end = text.find(['~', '^']).unwrap_or(text.len());
        let (base, mut steps) = text.split_at(end);
        let mut commit = self.base(base, revision)?;
        while !steps.is_empty() {
            (commit, steps) = self.step(commit, steps, revision)?;
        }
        Ok(commit)
    }

    fn base(&self, base: &str, revision: &str) -> Result<ObjectId, HistoryError> {
        if base.is_empty() || base == "@" || base == "HEAD" {
            return Ok(self.head);
        }
        let mut found: Vec<(String, ObjectId)> = Vec::new();
        let is_whole = base.starts_with("refs/") || base.ends_with("HEAD");
        let whole = is_whole.then(|| base.to_owned());
        let short = PLACES.iter().map(|place| format!("{place}{base}"));
        for name in whole.into_iter().chain(short) {
            let reference = self.repository.try_find_reference(name.as_str());
            let Ok(Some(reference)) = reference else {
                continue;
            };
            let name = reference.name().as_bstr().to_string();
            let Ok(id) = reference.into_fully_peeled_id() else {
                return Err(self.unknown(revision));
            };
            if !found.iter().any(|(known, _)| *known == name) {
                found.push((name, id.detach()));
            }
        }
        let Some(&(_, first)) = found.first() else {
            return self.by_digits(base, revision);
        };
        if found.iter().any(|&(_, id)| id != first) {
            let names: Vec<String> = found.into_iter().map(|(name, _)| name).collect();
            return Err(HistoryError::Ambiguous {
                revision: revision.to_owned(),
                candidates: names.join(", "),
            });
        }
        self.peeled(first, revision)
    }

    /// The commit whose id begins so; also of what `git describe` says, `v1.0-3-gabc123`.
    fn by_digits(&self, base: &str, revision: &str) -> Result<ObjectId, HistoryError> {
        let described = base.rsplit_once("-g").map(|(_, digits)| digits);
        let digits = described.unwrap_or(base);
        let is_id = digits.len() >= LEAST_DIGITS && digits.bytes().all(|it| it.is_ascii_hexdigit());
        let prefix = gix::hash::Prefix::from_hex(digits).ok().filter(|_| is_id);
        let Some(prefix) = prefix else {
            return Err(self.unknown(revision));
        };
        let mut ids: HashSet<ObjectId> = HashSet::new();
        let looked_up = self
            .repository
            .objects
            .lookup_prefix(prefix, Some(&mut ids));
        looked_up.map_err(|error| self.unreadable(error))?;
        let mut commits: Vec<ObjectId> = Vec::new();
        commits.extend(ids.iter().filter_map(|&id| self.peeled(id, revision).ok()));
        commits.sort_unstable();
        commits.dedup();
        match *commits {
            [] => Err(self.unknown(revision)),
            [one] => Ok(one),
            _ => Err(HistoryError::Ambiguous {
                revision: revision.to_owned(),
                candidates: {
                    let names = commits
                        .iter()
                        .take(8)
                        .map(|id| id.to_hex_with_len(12).to_string());
                    names.collect::<Vec<_>>().join(", ")
                },
            }),
        }
    }

    /// The commit of a commit or a tag of one.
    fn peeled(&self, id: ObjectId, revision: &str) -> Result<ObjectId, HistoryError> {
        let object = self
            .repository
            .find_object(id)
            .map_err(|_| self.unknown(revision))?;
        let commit = object
            .peel_to_commit()
            .map_err(|_| self.unknown(revision))?;
        Ok(commit.id)
    }

    /// One step of `~n`, `^n`, `^{}` and `^{commit}`, and the rest.
    fn step<'a>(
        &self,
        commit: ObjectId,
        steps: &'a str,
        revision: &str,
    ) -> Result<(ObjectId, &'a str), HistoryError> {
        let (sign, rest) = steps.split_at(1);
        for peels in ["{}", "{commit}"] {
            if let Some(rest) = rest.strip_prefix(peels).filter(|_| sign == "^") {
                return Ok((commit, rest));
            }
        }
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = rest.split_at(digits);
        let number: u32 = match number {
            "" => 1,
            number => number.parse().map_err(|_| self.unknown(revision))?,
        };
        let is_form = rest.is_empty() || rest.starts_with(['~', '^']);
        if !matches!(sign, "~" | "^") || !is_form {
            return Err(HistoryError::RevisionForm(revision.to_owned()));
        }
        let parent = |commit: ObjectId, which: usize| {
            let found = self.repository.find_commit(commit).ok();
            let parent = found.and_then(|it| it.parent_ids().nth(which).map(|id| id.detach()));
            parent.ok_or_else(|| self.unknown(revision))
        };
        if sign == "^" {
            return match number.checked_sub(1) {
                None => Ok((commit, rest)),
                Some(which) => Ok((parent(commit, which as usize)?, rest)),
            };
        }
        let mut at = commit;
        for _ in 0..number {
            at = parent(at, 0)?;
        }
        Ok((at, rest))
    }

    pub(super) fn unknown(&self, revision: &str) -> HistoryError {
        let (path, revision) = (self.dir.clone(), revision.to_owned());
        match self.repository.is_shallow().unwrap_or(false) {
            true => HistoryError::UnknownInShallow { path, revision },
            false => HistoryError::Unknown { path, revision },
        }
    }

    /// What is known of a commit.
    pub(super) fn commit(&self, id: ObjectId) -> Commit {
        let hex = id.to_string();
        let Ok(object) = self.repository.find_commit(id) else {
            return Commit {
                id: hex,
                ..Commit::default()
            };
        };
        let (author, email) = object.author().map_or_else(
            |_| Default::default(),
            |it| (it.name.to_string(), it.email.to_string()),
        );
        let summary = object.message().map(|it| it.summary().to_string());
        Commit {
            id: hex,
            author,
            email,
            time: object.time().map_or(0, |time| time.seconds),
            summary: summary.unwrap_or_default(),
        }
    }
}

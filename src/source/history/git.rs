//! The history of files from the git repository around them. Only objects are read: no configuration, no hook and
//! no program has a say.

use std::path::Path;
use std::sync::Arc;

use gix::ObjectId;
use gix::bstr::ByteSlice;

use super::kept;
use super::log::Log;
use super::record::{History, HistoryError};
use super::repository::Found;
use super::timeline::{self, Given};
use callscape_base::files;
use callscape_base::progress::Progress;
use callscape_facts::history::{Author, Missing, Timeline};

/// Submodules of submodules, and so on, are looked into so deep.
const DEEPEST_SUBMODULE: usize = 8;

/// A larger `.mailmap` is not read, in bytes.
const LARGEST_MAILMAP: u64 = 4 << 20;

/// More tags are not looked at.
const MOST_TAGS: usize = 20_000;

/// See [`super::timeline`].
pub(super) fn timeline(
    dir: &Path,
    tip: Option<&str>,
    progress: &Progress,
) -> Result<Timeline, HistoryError> {
    let found = Found::new(dir)?;
    let tip = tip.map_or(Ok(found.head), |tip| found.commit_named(tip))?;
    found.timeline(tip, progress)
}

/// See [`super::history`].
pub(super) fn history(dir: &Path, progress: &Progress) -> Result<History, HistoryError> {
    with_submodules(dir, 0, progress)
}

/// The history of a directory, with that of the submodules in it that are checked out.
fn with_submodules(dir: &Path, depth: usize, progress: &Progress) -> Result<History, HistoryError> {
    let found = Found::new(dir)?;
    let mut history = History::of(&Arc::new(found.timeline(found.head, progress)?));
    for path in found.submodules_of(found.head) {
        let inside = dir.join(&path);
        // What is not checked out has no files here either.
        if depth == DEEPEST_SUBMODULE || !inside.join(".git").exists() {
            continue;
        }
        match with_submodules(&inside, depth + 1, progress) {
            Ok(submodule) => history.add_submodule(&path, submodule),
            Err(HistoryError::Cancelled(cancelled)) => return Err(cancelled.into()),
            Err(error) => history.unread.push(error.to_string()),
        }
    }
    Ok(history)
}

impl Found {
    /// The history that ends with commit `tip`, from what is kept and what the repository has beyond that.
    fn timeline(&self, tip: ObjectId, progress: &Progress) -> Result<Timeline, HistoryError> {
        let mut head = Vec::new();
        if let Some(tree) = self.tree_of(tip) {
            self.list(tree, &mut String::new(), 0, &mut |path, id| {
                head.push((path.to_owned(), id))
            });
        }
        if head.is_empty() {
            return Err(HistoryError::NoFiles {
                path: self.dir.clone(),
            });
        }
        let place = kept::place(self);
        let is_shallow = self.repository.is_shallow().unwrap_or(false);
        // What a shallow clone lacks may be there the next time.
        let place = place.filter(|_| !is_shallow);
        let mut log = place.as_deref().map_or_else(Log::default, kept::read);
        let walked = self.add_to(&mut log, tip, progress)?;
        let has_merged = self.add_merged(&mut log, tip, progress)?;
        if let Some(place) = place.filter(|_| walked.added > 0 || has_merged) {
            kept::write(&place, &log);
        }
        let mailmap = self.mailmap();
        let named = |(name, address): &(String, String)| {
            let signature = gix::actor::SignatureRef {
                name: name.as_bytes().as_bstr(),
                email: address.as_bytes().as_bstr(),
                time: "",
            };
            let resolved = mailmap.resolve(signature);
            Author {
                name: resolved.name.to_string(),
                email: resolved.email.to_string().to_lowercase(),
            }
        };
        let given = Given {
            head: &head,
            lines: &|version| self.lines_of(version),
            authors: &named,
            tags: &self.tags(),
        };
        let missing = Missing {
            is_shallow,
            is_cut_off: walked.is_cut_off,
            commits: walked.unreadable,
            versions: 0,
            submodules: self.submodules_of(tip).len() as u32,
        };
        Ok(timeline::timeline(&log, &tip, &given, missing))
    }

    fn submodules_of(&self, commit: ObjectId) -> Vec<String> {
        let mut submodules = Vec::new();
        if let Some(tree) = self.tree_of(commit) {
            self.submodules(tree, &mut String::new(), 0, &mut submodules);
        }
        submodules
    }

    /// Names from the `.mailmap` of the work tree, or of the last commit in a bare repository, as in git.
    fn mailmap(&self) -> gix_mailmap::Snapshot {
        let bytes = match self.repository.workdir() {
            Some(top) => {
                let path = Some(top.join(".mailmap")).filter(|path| path.is_file());
                path.and_then(|path| files::read(&path, LARGEST_MAILMAP).ok())
            }
            None => self.bytes_at_top(b".mailmap"),
        };
        gix_mailmap::Snapshot::from_bytes(&bytes.unwrap_or_default())
    }

    /// Contents of a file at the top of the last commit; none if it is missing or too large.
    fn bytes_at_top(&self, name: &[u8]) -> Option<Vec<u8>> {
        let commit = self.repository.find_commit(self.head).ok()?;
        let entries = self.entries(Some(commit.tree_id().ok()?.detach()));
        let id = entries.iter().find(|entry| entry.name == name)?.id;
        let header = self.repository.find_header(id).ok()?;
        let is_small = header.size() <= LARGEST_MAILMAP;
        let blob = is_small.then(|| self.repository.find_blob(id).ok())??;
        Some(blob.data.clone())
    }

    fn tags(&self) -> Vec<(String, ObjectId, Option<i64>)> {
        let references = self.repository.references().ok();
        let tags = references.as_ref().and_then(|it| it.tags().ok());
        let tags = tags.into_iter().flatten().filter_map(Result::ok);
        let tags = tags.take(MOST_TAGS).filter_map(|tag| {
            let name = tag.name().shorten().to_string();
            let id = tag.into_fully_peeled_id().ok()?;
            // One that names no commit has no time.
            let commit = id.object().ok().and_then(|it| it.try_into_commit().ok());
            let time = commit.and_then(|it| Some(it.time().ok()?.seconds));
            Some((name, id.detach(), time))
        });
        tags.collect()
    }
}

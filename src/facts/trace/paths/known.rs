//! The contexts of a trace where they are known, found where they are not, and kept in its index.

use std::io;
use std::sync::Arc;

use super::super::answers::Answers;
use super::super::appendix::{Appendix, Kind};
use super::super::store::Store;
use super::grow::of_thread;
use super::rows::Paths;
use callscape_base::progress::{Cancelled, Progress};

impl Store {
    /// The calling contexts of all threads; none where they are too many. O(n) for the first time where the index does
    /// not have them.
    pub(crate) fn paths(&self, progress: &Progress) -> Result<Option<&Paths>, Cancelled> {
        let answers = &self.answers;
        if let Some(paths) = answers.paths.get() {
            return Ok(paths.as_ref());
        }
        let known = answers.get(Kind::Paths);
        let known = known.and_then(|bytes| Paths::from_bytes(&bytes, self));
        let paths = match known {
            Some(known) => known,
            None => {
                let found = self.find_paths(progress)?;
                // What is damaged is not kept, for the trace is made anew.
                if !self.is_damaged()
                    && let Ok(bytes) = Paths::to_bytes(found.as_ref())
                {
                    answers.put(Kind::Paths, bytes);
                }
                found
            }
        };
        Ok(answers.paths.get_or_init(|| paths).as_ref())
    }

    fn find_paths(&self, progress: &Progress) -> Result<Option<Paths>, Cancelled> {
        if self.overflows {
            return Ok(None);
        }
        let all = self.infos.iter().map(|it| it.calls).sum();
        progress.start("merging calls by call path", all);
        let mut threads = Vec::new();
        for calls in self.all_calls() {
            let Some(paths) = of_thread(calls, progress)? else {
                return Ok(None);
            };
            threads.push(paths);
        }
        Ok(self.with_waiters(Paths::of(Some(threads), all)))
    }

    /// The contexts with those of the calls that have waited; none where these are not known.
    fn with_waiters(&self, paths: Option<Paths>) -> Option<Paths> {
        let mut paths = paths?;
        let waiting = self.waiting.iter().flat_map(|it| &it.threads);
        for ((calls, of), waiting) in self.all_calls().zip(&mut paths.threads).zip(waiting) {
            of.waiters.clear();
            if !of.learn_waiters(calls, waiting) {
                return None;
            }
        }
        Some(paths)
    }

    /// Finds out the contexts of the calls that have waited.
    pub(crate) fn learn_waiters(&mut self) {
        let known = Arc::get_mut(&mut self.answers).and_then(|it| it.paths.take());
        let known = known.map(|paths| Answers::new(self.with_waiters(paths)));
        self.answers = Arc::new(known.unwrap_or_default());
    }

    /// What is known of all calls as the end of an index.
    pub(crate) fn appendix(&self) -> io::Result<Vec<u8>> {
        let mut appendix = Appendix::default();
        if let Some(paths) = self.answers.paths.get() {
            appendix.put(Kind::Paths, Paths::to_bytes(paths.as_ref())?.into());
        }
        // Far cheaper than all that an index is written for.
        if let Ok((_, Some(bytes))) = self.count_by_depth(&Progress::new()) {
            appendix.put(Kind::Depths, bytes.into());
        }
        for kind in Kind::ALL {
            if let Some(bytes) = self.answers.get(kind) {
                appendix.put(kind, bytes);
            }
        }
        Ok(appendix.to_bytes())
    }
}

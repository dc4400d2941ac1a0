//! The text of one file, read, parsed and coloured on other threads: the text first, colours of what is seen after it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use super::page::Page;
use crate::parts::found::Found;
use callscape_analysis::lines::recorded_at;
use callscape_base::progress::Progress;
use callscape_source::relations::sites::CallSite;
use callscape_source::syntax::{Span, Syntax};
use callscape_source::text::TextTree;
use callscape_state::State;
use callscape_state::document::source::TreeFile;
use callscape_state::job::Job;

/// Which text: of a file of a tree as it was when the tree was last seen to change.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TextKey {
    pub file: TreeFile,
    /// [`callscape_state::Stamps::sources`].
    pub sources: u64,
    /// Columns between tab stops.
    pub tab: u32,
    /// The recording whose lines it has.
    pub recording: Option<PathBuf>,
}

/// So many lines are coloured at once, and so many such parts are kept.
const PART: u32 = 1024;
const MOST_PARTS: usize = 64;

type Read = Result<Arc<Page>, Arc<str>>;

/// The text, and what has been found out of it.
#[derive(Default)]
pub(super) struct Reading {
    page: Found<TextKey, Read>,
    syntax: Found<TextKey, Option<Arc<Syntax>>>,
    sites: Found<TextKey, Arc<Vec<CallSite>>>,
    part: Found<(TextKey, u32), Vec<Span>>,
    /// The coloured parts of the text that is shown.
    parts: BTreeMap<u32, Vec<Span>>,
    /// Which of them are wanted.
    wanted: Range<u32>,
    key: Option<TextKey>,
}

impl Reading {
    /// Begins to read what is wanted; `wants_sites` where its calls are to be found too. Takes what was read meanwhile: whether
    /// there is something new beside colours, which change nothing but the lines that are seen.
    pub(super) fn update(&mut self, key: &TextKey, wants_sites: bool, state: &State) -> bool {
        if self.key.as_ref() != Some(key) {
            // A text that is read anew has other parts.
            self.parts.clear();
            self.part.forget();
            self.key = Some(key.clone());
        }
        let of = key.clone();
        self.page.want(key.clone(), || {
            Job::named("reading a source file", state.waker(), move |progress| {
                progress.start("reading the file", 0);
                let recorded = of.recording.as_deref().and_then(recorded_at);
                let read = Page::read(&of.file, of.tab, recorded);
                Ok(read.map(Arc::new).map_err(Arc::from))
            })
        });
        let mut is_new = self.page.poll();
        let Some(page) = self.page().cloned() else {
            return is_new;
        };
        let of = Arc::clone(&page);
        self.syntax.want(key.clone(), || {
            Job::named("reading syntax", state.waker(), move |progress| {
                progress.start("reading the syntax", 0);
                let text = of.text.text().as_bytes();
                Ok(Syntax::read(&of.located, text, progress)?.map(Arc::new))
            })
        });
        if wants_sites {
            let root = key.file.root.clone();
            self.sites.want(key.clone(), || {
                Job::named("looking for calls", state.waker(), move |progress| {
                    progress.start("looking for calls in the text", 0);
                    let root = TextTree::new(&root).map_or(root, |it| it.root().to_owned());
                    let found = page.text.calls(&page.located, &root, progress);
                    progress.check()?;
                    Ok(Arc::new(found.unwrap_or_default()))
                })
            });
        }
        is_new |= self.syntax.poll();
        is_new |= self.sites.poll();
        self.color(state);
        is_new
    }

    /// Has the lines from the first up to the last coloured, and those around them.
    pub(super) fn want_colors(&mut self, first: u32, last: u32, state: &State) {
        // A screen further in both directions, so that what scrolls into sight has its colours.
        let around = last.saturating_sub(first) + 1;
        let first = first.saturating_sub(around).saturating_sub(1) / PART;
        let last = last.saturating_add(around) / PART;
        self.wanted = first..last + 1;
        self.color(state);
    }

    /// Colours the next part that is wanted, and takes the one before.
    fn color(&mut self, state: &State) {
        if self.part.poll()
            && let Some(((_, part), spans)) = self.part.last()
        {
            while self.parts.len() >= MOST_PARTS {
                // The one furthest from what is seen.
                let middle = self.wanted.start;
                let ends = [self.parts.first_key_value(), self.parts.last_key_value()];
                let ends = ends.into_iter().flatten().map(|(part, _)| *part);
                let Some(far) = ends.max_by_key(|part| part.abs_diff(middle)) else {
                    break;
                };
                self.parts.remove(&far);
            }
            self.parts.insert(*part, spans.clone());
        }
        let (Some(key), Some(page), Some(syntax)) = (&self.key, self.page(), self.syntax()) else {
            return;
        };
        let parts = page.text.lines().div_ceil(PART);
        let mut wanted = self.wanted.start..self.wanted.end.min(parts);
        let next = wanted.find(|part| !self.parts.contains_key(part));
        let (page, syntax) = (Arc::clone(page), Arc::clone(syntax));
        if let Some(part) = next {
            let key = (key.clone(), part);
            self.part.want_next(key, || {
                Job::named("colouring", state.waker(), move |_| {
                    let text = page.text.text().as_bytes();
                    Ok(syntax.spans(text, bytes_of(&page, part)))
                })
            });
        }
    }

    /// Which text it is.
    pub(super) fn key(&self) -> Option<&TextKey> {
        self.key.as_ref()
    }

    /// The text, once it has been read.
    pub(super) fn page(&self) -> Option<&Arc<Page>> {
        self.page.of(self.key.as_ref()?)?.as_ref().ok()
    }

    /// Why there is no text.
    pub(super) fn failure(&self) -> Option<&str> {
        let read = self.page.of(self.key.as_ref()?)?;
        read.as_ref().err().map(|reason| &**reason)
    }

    fn syntax(&self) -> Option<&Arc<Syntax>> {
        self.syntax.of(self.key.as_ref()?)?.as_ref()
    }

    /// The calls in the text, once they have been looked for.
    pub(super) fn sites(&self) -> Option<&Arc<Vec<CallSite>>> {
        self.sites.of(self.key.as_ref()?)
    }

    /// The coloured stretches around a line; nothing while they are not known.
    pub(super) fn spans(&self, line: u32) -> &[Span] {
        let part = self.parts.get(&(line.saturating_sub(1) / PART));
        part.map_or(&[], Vec::as_slice)
    }

    /// How many parts of the text are coloured.
    #[cfg(test)]
    pub(super) fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Whether something more will be known by itself.
    pub(super) fn is_waiting(&self) -> bool {
        self.page.is_running()
            || self.syntax.is_running()
            || self.sites.is_running()
            || self.part.is_running()
    }

    /// The work that takes long enough to be shown.
    pub(super) fn slow(&self) -> Option<&Progress> {
        let syntax = || self.syntax.slow().or_else(|| self.sites.slow());
        self.page.slow().or_else(syntax)
    }

    /// Stops it.
    pub(super) fn stop(&mut self) {
        self.page.stop();
        self.syntax.stop();
        self.sites.stop();
        self.part.stop();
    }
}

/// The bytes of the lines of a part.
fn bytes_of(page: &Page, part: u32) -> Range<usize> {
    let (first, last) = (part * PART + 1, (part + 1).saturating_mul(PART));
    let last = last.min(page.text.lines());
    match (page.text.range(first), page.text.range(last)) {
        (Some(first), Some(last)) => first.start..last.end,
        _ => 0..0,
    }
}

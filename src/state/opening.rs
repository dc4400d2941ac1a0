//! What is being opened, and how what is open goes on: it grows, it is watched, and another document takes its place.

use super::document::Document;
use super::growing::Growing;
use super::loading::{Loading, Outcome};
use super::made::Generation;
use super::message::Message;
use super::watch::Watch;
use callscape_facts::frequency::Frequency;

/// What is being opened, and what of the files is watched.
#[derive(Default)]
pub struct Opening {
    pub loading: Option<Loading>,
    /// Recordings are followed as they grow.
    pub growing: Option<Growing>,
    /// What is called more often is left out of what is opened first.
    pub frequency_at_start: Option<Frequency>,
    /// The calls of all functions but those that changed are left out once these are looked for.
    pub changed_alone_at_start: bool,
    /// Of the source tree and the mapping file.
    pub(super) watch: Option<Watch>,
    /// The document that was shown before, until views have said what of it is to go on.
    replaced: Option<Document>,
    /// That parts of the document are damaged.
    pub(super) damage_is_told: bool,
    /// [`super::Stamps::opened`]
    pub(super) opened: u64,
    /// [`super::Stamps::document`]
    pub documents: u64,
    /// [`super::Stamps::run`]
    pub(super) runs: u64,
    /// [`super::Stamps::sources`]
    pub sources: u64,
}

impl Opening {
    pub(super) fn cancel(&self) {
        if let Some(loading) = &self.loading {
            loading.cancel();
        }
    }

    /// What came of loading, once there is something: a document, or what to tell.
    pub(super) fn poll(&mut self) -> Option<Result<Box<Document>, Option<Message>>> {
        let outcome = self.loading.as_ref()?.poll()?;
        let name = self.loading.take().map(|loading| loading.name);
        Some(match outcome {
            Outcome::Opened(document) => Ok(document),
            Outcome::Cancelled => Err(None),
            Outcome::Failed(reason) => {
                let title = format!("{} could not be opened", name.unwrap_or_default());
                Err(Some(Message::error(&title, reason)))
            }
        })
    }

    /// Other inputs are shown.
    pub(super) fn begin(&mut self) {
        self.opened += 1;
        self.runs += 1;
        self.damage_is_told = false;
    }

    /// Another document is shown than `before`. Where two follow each other in one frame, views are of the first still.
    pub(super) fn replace(&mut self, before: Option<Document>) {
        self.replaced = self.replaced.take().or(before);
        self.documents += 1;
    }

    /// The document before, where it is the one that is asked for; forgotten here.
    pub(super) fn take_replaced(&mut self, of: Option<Generation>) -> Option<Document> {
        let replaced = self.replaced.take();
        replaced.filter(|it| Some(it.generation()) == of)
    }

    /// What is open is no longer watched for changes.
    pub fn stop_watching(&mut self) {
        self.watch = None;
    }
}

//! Work on other threads that only the window begins: pictures, films, packs and scenes.

use std::path::PathBuf;

use super::command::Chosen;
use super::presenting::opening::Opened;
use super::sharing;
use callscape_base::progress::Progress;
use callscape_presentation::scene::SceneFile;
use callscape_source::history::HistoryError;
use callscape_state::job::Job;
use callscape_state::message::Message;

/// What came of a pack: where it is, what is in it, and its size in bytes.
pub(crate) type Packed = anyhow::Result<(PathBuf, Vec<String>, u64)>;

/// What was chosen in which dialog; nothing where it was left.
pub(crate) type Picked = Option<(Chosen, Vec<PathBuf>)>;

/// Work under way beside that of the state.
#[derive(Default)]
pub struct Jobs {
    pub saving: Option<Job<anyhow::Result<PathBuf>>>,
    pub filming: Option<Job<anyhow::Result<PathBuf>>>,
    pub packing: Option<Job<Packed>>,
    pub staging: Option<Job<anyhow::Result<(SceneFile, Opened)>>>,
    pub unpacking: Option<Job<anyhow::Result<sharing::Opened>>>,
    /// A dropped folder is looked at; the message if it contains recordings and other files.
    pub listing: Option<Job<Option<Message>>>,
    /// A tree as it was at some commit is read.
    pub earlier: Option<Job<Result<PathBuf, HistoryError>>>,
    /// A dialog of the desktop is open; what was chosen in it, nothing where it was left.
    pub choosing: Option<Job<Picked>>,
}

impl Jobs {
    /// Names of all of it but for dialogs, which wait for the user.
    pub fn under_way(&self) -> impl Iterator<Item = &'static str> {
        let all = [
            (self.saving.is_some(), "a picture"),
            (self.filming.is_some(), "a film"),
            (self.packing.is_some(), "a pack"),
            (self.is_unpacking(), "the inputs"),
        ];
        all.into_iter().filter_map(|(is, name)| is.then_some(name))
    }

    pub fn is_unpacking(&self) -> bool {
        self.unpacking.is_some() || self.staging.is_some()
    }

    /// The work that takes long enough to be shown.
    pub fn slow(&self) -> impl Iterator<Item = &Progress> {
        let saving = self.saving.as_ref().and_then(Job::slow);
        let filming = self.filming.as_ref().and_then(Job::slow);
        let packing = self.packing.as_ref().and_then(Job::slow);
        let staging = self.staging.as_ref().and_then(Job::slow);
        let unpacking = self.unpacking.as_ref().and_then(Job::slow);
        let listing = self.listing.as_ref().and_then(Job::slow);
        let earlier = self.earlier.as_ref().and_then(Job::slow);
        let all = saving.into_iter().chain(filming).chain(packing);
        all.chain(staging)
            .chain(unpacking)
            .chain(listing)
            .chain(earlier)
    }
}

//! What views show of their own, as steps keep it: which discs are expanded, which rows are open.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::panes::ViewId;

/// What a view shows after something was done in it, in numbers that it reads, and in words what that was.
#[derive(Clone, Debug)]
pub struct OwnView(Arc<(String, Vec<u32>)>);

/// By view, of those in which something was done.
pub type OwnViews = BTreeMap<ViewId, OwnView>;

impl OwnView {
    pub fn new(words: String, kept: Vec<u32>) -> OwnView {
        OwnView(Arc::new((words, kept)))
    }

    pub fn words(&self) -> &str {
        &self.0.0
    }

    pub fn kept(&self) -> &[u32] {
        &self.0.1
    }
}

/// After one thing done, which is no other: what is kept may be long.
impl PartialEq for OwnView {
    fn eq(&self, other: &OwnView) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

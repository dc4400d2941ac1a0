//! The names of what is in a session, once they are found.

use std::collections::HashMap;
use std::sync::OnceLock;

use callscape_base::units::FunctionId;

/// The names of a session, found when the first is asked for. A clone finds its own: it may become another session.
#[derive(Debug, Default)]
pub struct Named(pub(crate) OnceLock<Names>);

impl Clone for Named {
    fn clone(&self) -> Named {
        Named::default()
    }
}

#[derive(Debug)]
pub(crate) struct Names {
    /// By module, the place of its name in `longer` plus one; 0 for its own name.
    pub(crate) modules: Vec<u32>,
    /// By recording, the names of functions that share a module with others.
    pub(crate) functions: Vec<HashMap<FunctionId, u32>>,
    pub(crate) longer: Vec<Box<str>>,
}

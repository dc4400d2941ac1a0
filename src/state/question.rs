//! The question that the map answers: what its colours say, and which modules stand out.

use std::sync::Arc;

use callscape_analysis::session::Session;
use callscape_facts::kinds::Purposes;
use callscape_model::metrics::ModuleMetrics;
use callscape_model::presets::{Preset, StandsOut};

/// What stands out, and of what that was found.
#[derive(Debug)]
pub(super) struct Found {
    pub preset: &'static Preset,
    pub session: Arc<Session>,
    pub metrics: Arc<ModuleMetrics>,
    pub without: Purposes,
    /// Of a history that is played, how many commits it is answered for.
    pub commits: Option<u32>,
    pub modules: Vec<StandsOut>,
}

/// The question that was asked last.
#[derive(Debug, Default)]
pub struct Question {
    pub(super) asked: Option<&'static Preset>,
    /// Whether its panel is shown.
    pub is_open: bool,
    pub(super) found: Option<Found>,
}

/// Why a question cannot be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    Recording,
    Source,
    /// Imports are looked up where there is no recording.
    Imports,
}

impl Question {
    /// The question that is answered now.
    pub fn asked(&self) -> Option<&'static Preset> {
        self.asked
    }

    /// Of a history that is played, for how many of its commits it is answered.
    pub fn commits(&self) -> Option<u32> {
        self.found.as_ref()?.commits
    }

    /// The modules that stand out, the first the most; none while what it takes is still being read.
    pub fn modules(&self) -> &[StandsOut] {
        self.found.as_ref().map_or(&[], |found| &found.modules)
    }
}

//! `--rev A..B`: two revisions of a source tree, compared like two runs over two trees.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::bail;

use super::progress::with_progress;
use callscape_analysis::session::Inputs;
use callscape_source::history::{self, Written};

/// Two revisions; an empty name stands for the checked-out commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Between([String; 2]);

impl FromStr for Between {
    type Err = String;

    fn from_str(text: &str) -> Result<Between, String> {
        let expected =
            || format!("expected two revisions, A..B, such as v1.0..v2.0, found '{text}'");
        let (a, b) = text.split_once("..").ok_or_else(expected)?;
        match b.starts_with('.') || b.contains("..") || a.is_empty() && b.is_empty() {
            true => Err(expected()),
            false => Ok(Between([a, b].map(|it| it.trim().to_owned()))),
        }
    }
}

impl std::fmt::Display for Between {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [a, b] = &self.0;
        write!(f, "{a}..{b}")
    }
}

impl Between {
    /// Opens both revisions in place of the source tree, or the two sides that are compared already over them.
    pub(crate) fn open(&self, inputs: &mut Inputs) -> anyhow::Result<()> {
        let sources = inputs.sides.source_of_a.iter().chain(&inputs.source_dir);
        let written = self.written(&sources.cloned().collect::<Vec<_>>())?;
        let [of_a, of_b] = written.source_dirs;
        if inputs.recordings.is_empty() {
            inputs.recordings = written.recordings.into();
        } else if inputs.recordings_of_sides().is_none() {
            bail!(
                "--rev {self}: expected no recording, or the recordings A and B, found {}",
                inputs.recordings.len()
            );
        }
        inputs.sides.runs_of_a = inputs.sides.runs_of_a.max(1);
        inputs.sides.source_of_a = Some(of_a);
        inputs.source_dir = Some(of_b);
        Ok(())
    }

    /// Both revisions of the one source tree among the inputs, with what is read of them beside it.
    pub(crate) fn written(&self, sources: &[PathBuf]) -> anyhow::Result<Written> {
        let [dir] = sources else {
            bail!(
                "--rev {self}: expected one source tree, in a git repository, found {}",
                sources.len()
            );
        };
        if !Path::is_dir(dir) {
            bail!(
                "{}: expected a source tree, in a git repository, found a file",
                dir.display()
            );
        }
        let [a, b] = &self.0;
        Ok(with_progress(|progress| {
            history::written(dir, [a, b], progress)
        })??)
    }
}

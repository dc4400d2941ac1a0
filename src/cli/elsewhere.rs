//! What functions of a recording are looked up in, beside its source tree.

use std::path::PathBuf;

use anyhow::ensure;

use callscape_analysis::session::{Elsewhere, Inputs, Since};

/// What changed, and what other tools have found.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct ElsewhereArgs {
    /// Mark functions that ran and changed since this last known good revision; see `callscape faults --help`
    #[arg(long, value_name = "REV")]
    pub good: Option<String>,
    /// The revision that was recorded [default: the working tree]
    #[arg(long, value_name = "REV", requires = "good")]
    pub bad: Option<String>,
    /// A recording of a good run of the same scenario
    #[arg(long, value_name = "RECORDING", requires = "good")]
    pub good_recording: Option<PathBuf>,
    /// Mark functions that ran and have results of another tool: SARIF, lcov, Cobertura, ripgrep's JSON, file:line or a
    /// stack trace, - for standard input; may be repeated. lcov and Cobertura files also provide the metrics coverage
    /// and uncovered, even without a recording
    #[arg(long, value_name = "FILE")]
    pub results: Vec<PathBuf>,
    /// Numbers of files or functions, as the metrics own, own-2, own-3 and own-4: a table in CSV or JSON with a column of
    /// paths, a cc.json of CodeCharta, or measures of SonarQube; may be repeated
    #[arg(long = "metric", value_name = "FILE")]
    pub metrics: Vec<PathBuf>,
    #[command(flatten)]
    pub fixes: FixesArg,
}

/// How commits are known that fix faults.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct FixesArg {
    /// Words in the summaries of commits that fix faults, in upper or lower case [default: fix, bug, defect, fault,
    /// regression, crash and their forms]
    #[arg(long, value_name = "WORD,…", value_delimiter = ',', value_parser = word)]
    fix_words: Vec<String>,
}

fn word(text: &str) -> Result<String, String> {
    match !text.is_empty() && text.chars().all(char::is_alphanumeric) {
        true => Ok(text.to_owned()),
        false => Err("expected a word of letters and digits".into()),
    }
}

impl FixesArg {
    /// Takes the words, before anything is counted.
    pub(crate) fn apply(&self) {
        if !self.fix_words.is_empty() {
            callscape_facts::history::know_fixes_by(&self.fix_words);
        }
    }
}

impl ElsewhereArgs {
    pub(crate) fn is_any(&self) -> bool {
        self.good.is_some() || !self.results.is_empty() || !self.metrics.is_empty()
    }

    /// Adds the lookups to the inputs, which need a source tree, and for changes also a recording.
    pub(crate) fn add_to(&self, inputs: &mut Inputs) -> anyhow::Result<()> {
        if !self.is_any() {
            return Ok(());
        }
        ensure!(
            inputs.source_dir.is_some(),
            "--good, --results and --metric are about a source tree: expected a source tree as well"
        );
        ensure!(
            self.good.is_none() || !inputs.recordings.is_empty(),
            "--good marks functions of a recording: expected a recording as well"
        );
        for path in self.results.iter().chain(&self.metrics) {
            let is_stream = path.as_os_str() == callscape_import::input::STANDARD_INPUT;
            ensure!(
                is_stream || path.exists(),
                "{}: expected a file with results of another tool, found nothing",
                path.display()
            );
        }
        inputs.elsewhere = self.elsewhere();
        Ok(())
    }

    pub(crate) fn elsewhere(&self) -> Elsewhere {
        Elsewhere {
            since: self.good.clone().map(|good| Since {
                good,
                bad: self.bad.clone(),
                good_recording: self.good_recording.clone(),
            }),
            results: [self.results.clone(), self.metrics.clone()].concat(),
        }
    }
}

//! `--without`: modules and functions are excluded from what a sub-command writes.

use super::progress::with_progress;
use callscape_analysis::session::Session;
use callscape_analysis::without::Without;
use callscape_base::escape;
use callscape_base::units::counted;

/// An excluded list names this many functions.
const NAMED: usize = 8;

#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct WithoutArg {
    /// Exclude a module, by its path, or functions, by their name, in which * matches any text; their callees are
    /// attributed to their callers; may be repeated
    #[arg(long, value_name = "NAME")]
    pub without: Vec<String>,
}

impl WithoutArg {
    /// Excludes them from the recording of a session, and reports that on standard error.
    pub(crate) fn apply(&self, session: &mut Session) -> anyhow::Result<()> {
        if self.without.is_empty() {
            return Ok(());
        }
        let found = with_progress(|progress| Without::apply(session, &self.without, progress))??;
        let recording = session.recordings.first().map(|it| it.recording.name());
        let functions = counted(found.names.len() as u64, "function", "functions");
        let mut line = format!("{}: {functions} excluded", recording.unwrap_or_default());
        if found.of > 0 {
            let calls = counted(found.calls, "call", "calls");
            line += &format!(" with {calls} of {}", found.of);
        }
        let names = found.names.iter().take(NAMED);
        let mut names: Vec<_> = names.map(|it| escape::name(it).into_owned()).collect();
        if found.names.len() > NAMED {
            names.push(format!("and {} more", found.names.len() - NAMED));
        }
        say!("callscape: {line}: {}", names.join(", "));
        Ok(())
    }
}

//! Which functions a name on the command line means.

use super::mapping::wildcard;
use super::session::{Resolved, Session};
use callscape_base::units::FunctionId;
use callscape_facts::functions::Functions;

/// The functions of a recording, ready to be asked for by name.
pub(crate) struct MeantBy<'a> {
    functions: &'a Functions,
    /// By function the path of its module.
    paths: Vec<String>,
}

impl<'a> MeantBy<'a> {
    /// O(functions).
    pub(crate) fn new(session: &Session, resolved: &'a Resolved) -> MeantBy<'a> {
        let functions = &resolved.recording.functions;
        let path = |id: FunctionId| {
            let module = resolved.resolution.modules.get(id.index());
            module.map_or_else(String::new, |&it| session.hierarchy.path(it))
        };
        MeantBy {
            functions,
            paths: functions.ids().map(path).collect(),
        }
    }

    /// Whether `name` means a function: by its name, in which `*` stands for anything, or as everything in the module with
    /// this path.
    pub(crate) fn is(&self, name: &str, id: FunctionId) -> bool {
        let path = self.paths.get(id.index()).map_or("", String::as_str);
        let inside = path.strip_prefix(name.trim_end_matches('/'));
        wildcard(name, self.functions.get(id).name)
            || inside.is_some_and(|it| it.is_empty() || it.starts_with('/'))
    }
}

//! The modules that a scene names by their paths.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::kept::{CALLED, Modules, named_by};
use super::place::{Step, of_shot};
use super::scene::{Bookmark, SceneFile};
use super::timeline::Problem;
use callscape_analysis::session::Session;
use callscape_base::units::ModuleId;
use callscape_model::search::search;

/// What the paths of a scene mean in the structure that is open.
#[derive(Debug, Default)]
pub struct Places {
    /// Which structure they were looked up in.
    session: Option<Arc<Session>>,
    modules: Modules,
}

impl Places {
    /// Looks all paths up again where another structure is open than before; whether it is. O(modules) then.
    pub fn find(
        &mut self,
        file: &SceneFile,
        bookmarks: &[Bookmark],
        session: Option<&Arc<Session>>,
    ) -> bool {
        let is_same = match (&self.session, session) {
            (Some(old), Some(new)) => Arc::ptr_eq(old, new),
            (None, None) => true,
            _ => false,
        };
        if !is_same {
            self.session = session.cloned();
            self.modules = session.map_or_else(Modules::default, |session| {
                Modules::find(&session.hierarchy, &all_named(file, bookmarks))
            });
        }
        !is_same
    }

    pub fn module(&self, path: &str) -> Option<ModuleId> {
        self.modules.get(path)
    }

    pub fn modules(&self) -> &Modules {
        &self.modules
    }

    /// What those shots name which `are_asked`, and the structure does not have.
    pub fn problems(&self, file: &SceneFile, are_asked: impl Fn(usize) -> bool) -> Vec<Problem> {
        /// For so many a module that is alike is sought: each is looked for among all.
        const MOST_HINTS: usize = 20;
        let mut problems = Vec::new();
        for (field, path) in of_shots(file) {
            let is_asked = matches!(field[..], [_, Step::Number(shot), ..] if are_asked(shot));
            if !is_asked {
                continue;
            }
            if path.is_empty() || self.modules.has(path) {
                continue;
            }
            let session = self.session.as_ref();
            let alike = session
                .filter(|_| problems.len() < MOST_HINTS)
                .and_then(|session| {
                    let hierarchy = &session.hierarchy;
                    let found = search(hierarchy, last(path), 1, |_| true);
                    found.first().map(|&module| hierarchy.path(module))
                });
            let hint = alike.map_or(String::new(), |it| format!("; '{it}' is there"));
            problems.push((field, format!("no module has the path '{path}'{hint}")));
        }
        problems
    }
}

fn last(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.strip_suffix(CALLED).unwrap_or(name)
}

/// All paths of modules that shots name, with the fields that do.
fn of_shots(file: &SceneFile) -> Vec<(Vec<Step>, &String)> {
    let mut all = Vec::new();
    for (number, shot) in file.scene.shots.iter().enumerate() {
        for (field, paths) in [("expand", &shot.expand), ("collapse", &shot.collapse)] {
            for (index, path) in paths.iter().enumerate() {
                all.push((of_shot(number, &[field, &index.to_string()]), path));
            }
        }
        let selected = shot.select.iter();
        all.extend(selected.map(|path| (of_shot(number, &["select"]), path)));
        if let Some(go) = &shot.camera {
            let module = go.module.iter();
            all.extend(module.map(|path| (of_shot(number, &["camera", "module"]), path)));
            for (index, path) in go.through.iter().enumerate() {
                let field = of_shot(number, &["camera", "through", &index.to_string()]);
                all.push((field, path));
            }
        }
    }
    all
}

/// All paths of modules that a scene and its bookmarks name.
fn all_named(file: &SceneFile, bookmarks: &[Bookmark]) -> BTreeSet<String> {
    let of_shots = of_shots(file).into_iter().map(|(_, path)| path);
    let of_bookmarks = bookmarks.iter().flat_map(named_by);
    of_shots.chain(of_bookmarks).cloned().collect()
}

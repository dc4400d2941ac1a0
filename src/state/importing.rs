//! Which file imports which, found beside the window where no recording says who calls whom.

use std::sync::Arc;

use super::job::{Job, take_for};
use super::made::Made;
use super::state::State;
use callscape_analysis::relations;
use callscape_model::imports::Imports;

impl State {
    /// Begins to find the imports of a source tree once its functions are known, and takes them when they are found. O(1)
    /// otherwise.
    pub(super) fn update_imports(&mut self) {
        let Some(document) = &mut self.document else {
            self.work.jobs.finding_imports = None;
            return;
        };
        let shown = document.generation();
        if let Some(Ok(Some(imports))) = take_for(&mut self.work.jobs.finding_imports, shown) {
            document.set_imports(Arc::new(imports));
            self.blocks_moved();
        }
        let Some(document) = &self.document else {
            return;
        };
        let is_wanted = document.resolved().is_none()
            && document.refinement.is_none()
            && document.map.is_none()
            && !self.work.jobs.is_revising()
            && self.work.jobs.finding_imports.is_none();
        let Some(dir) = document.inputs.source_dir.clone().filter(|_| is_wanted) else {
            return;
        };
        let session = &document.session;
        let was_tried = self.work.jobs.imports_of.as_ref();
        if was_tried.is_some_and(|of| Arc::ptr_eq(of, session)) {
            return;
        }
        let session = Arc::clone(session);
        self.work.jobs.imports_of = Some(Arc::clone(&session));
        let finding = Job::start(self.waker(), move |progress| {
            // What cannot be read was told of when the tree was opened.
            let Ok(found) = relations::of_tree(&dir, progress) else {
                progress.check()?;
                return Ok(None);
            };
            let pairs = found.pairs(&session.hierarchy, |id| session.hierarchy.path(id));
            let calls =
                found.calls_of_functions(&session.hierarchy, |id| session.hierarchy.path(id));
            let bases = found.bases_of_classes(&session.hierarchy, |id| session.hierarchy.path(id));
            let globals =
                found.globals_of_modules(&session.hierarchy, |id| session.hierarchy.path(id));
            let imports = Imports::new(&session.hierarchy, pairs).with_calls(calls);
            let imports = imports.with_bases(bases).with_globals(globals);
            Ok(Some(imports))
        });
        self.work.jobs.finding_imports = Some(Made::new(shown, finding));
    }
}

#[cfg(test)]
mod tests {
    use super::super::ask::{LookAsk, SelectAsk};
    use super::super::testing::{module, opened};
    use callscape_analysis::session::Inputs;
    use callscape_filter::selection::Selection;

    #[test]
    fn a_tree_alone_shows_the_imports_of_what_is_chosen() {
        let dir = std::env::temp_dir().join(format!("callscape-imports-{}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("there is room");
        for (name, text) in [
            ("main.py", "import a\nimport b\n\ndef run():\n    a.go()\n"),
            ("a.py", "import b\n\ndef go():\n    pass\n"),
            ("b.py", "import a\n\ndef stay():\n    pass\n"),
        ] {
            std::fs::write(dir.join(name), text).expect("there is room");
        }
        let mut state = opened(&Inputs {
            source_dir: Some(dir.clone()),
            ..Inputs::default()
        });
        let is_known = |state: &super::State| {
            let document = state.document.as_ref().expect("open");
            document.city.metrics().imports().is_some()
        };
        while !is_known(&state) {
            std::thread::yield_now();
            state.poll_jobs();
            state.update_imports();
        }
        let [a, b] = ["a.py", "b.py"].map(|name| module(&state, name));
        let document = state.document.as_mut().expect("open");
        let imports = document.city.metrics().imports().expect("known").clone();
        assert_eq!(imports.pairs().len(), 4);
        assert_eq!(imports.cycles().len(), 1);
        let shown = |state: &mut super::State| {
            let document = state.document.as_mut().expect("open");
            let selection: Selection = document.selection.clone();
            document.city.point(&selection);
            document.city.show(&document.session.clone(), None);
            let relations = document.city.relations();
            relations.map(|it| (it.from, it.to)).collect::<Vec<_>>()
        };
        assert_eq!(shown(&mut state), [], "nothing is chosen");
        state.execute(SelectAsk::Select(Some(a)));
        let mut found = shown(&mut state);
        found.sort_unstable();
        let main = module(&state, "main.py");
        let mut expected = vec![(a, b), (b, a), (main, a)];
        expected.sort_unstable();
        assert_eq!(found, expected);
        // Of a function the calls told by name.
        let [run, go] = ["run", "go"].map(|name| module(&state, name));
        state.execute(SelectAsk::Select(Some(go)));
        assert_eq!(shown(&mut state), [(run, go)]);
        state.execute(LookAsk::Question("tangled"));
        state.update_question();
        let tangled: Vec<_> = state.look.question.modules().iter().collect();
        let values: Vec<_> = tangled.iter().map(|it| (it.module, it.value)).collect();
        assert_eq!(values, [(a, 2.0)], "of the cycle one file stands for both");
        let _ = std::fs::remove_dir_all(&dir);
    }
}

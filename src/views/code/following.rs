//! Which file is shown: that of what is chosen, wherever it was chosen; at first that of the function that costs most.

use super::view::{CodeView, Goal};
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::ModuleKind;
use callscape_filter::selection::Pointed;
use callscape_state::document::Document;
use callscape_state::document::source::{SourceLine, file_around};

impl CodeView {
    /// Goes to what was chosen elsewhere.
    pub(super) fn follow(&mut self, document: &Document) {
        let chosen = document.selection.chosen;
        let stamp = document.selection.chosen_stamp();
        if let Some(restored) = self.restored.take()
            && self.bring_back(&restored, document)
        {
            self.followed = stamp;
            return;
        }
        let is_first = self.file.is_none();
        if self.followed == stamp && !is_first {
            return;
        }
        self.followed = stamp;
        let is_own = std::mem::take(&mut self.is_own);
        let of_chosen = place_of(document, &chosen);
        let costliest = || is_first.then(|| costliest(document)).flatten();
        let Some(place) = of_chosen.or_else(costliest) else {
            return;
        };
        let stays = is_own && self.file == Some(place.file);
        self.show_file(place.file);
        if !stays {
            self.goal = Some(match (of_chosen, chosen.relation) {
                (None, _) => Goal::Hottest(place.line),
                (Some(_), Some(_)) => Goal::Relation(place.line),
                (Some(_), None) => Goal::Line(place.line),
            });
        }
    }

    /// Shows another file from its top, unless something is to be brought into sight.
    pub(super) fn show_file(&mut self, file: ModuleId) {
        if self.file == Some(file) {
            return;
        }
        self.file = Some(file);
        (self.goal, self.caret, self.compared) = (None, None, None);
        self.scroll = Default::default();
        self.revision += 1;
    }

    /// Shows a line, and has the caret there.
    pub(super) fn go_to_line(&mut self, place: SourceLine) {
        self.show_file(place.file);
        self.caret = Some((self.own, place.line));
        self.goal = Some(Goal::Line(place.line));
    }

    /// Carries out what waits for text and numbers, once these are there.
    pub(super) fn settle(&mut self, document: &Document) {
        let Some(goal) = self.goal else {
            return;
        };
        let own = self.own;
        let line = match (goal, self.numbers(own)) {
            (Goal::Line(line), _) => line,
            (_, None) if document.resolved().is_some() => return,
            (Goal::Relation(line) | Goal::Hottest(line), None) => line,
            (Goal::Relation(begins), Some(numbers)) => {
                // What is chosen has been marked with the numbers.
                let lines = self.marks[1].lines.iter();
                let known = lines.filter_map(|&line| numbers.lines.line(line));
                known
                    .max_by_key(|line| line.cost)
                    .map_or(begins, |line| line.line)
            }
            (Goal::Hottest(begins), Some(numbers)) => {
                let function = numbers.function_at(begins);
                let hottest = function.and_then(|it| numbers.hottest(self.tint(), it.lines));
                hottest.unwrap_or(begins)
            }
        };
        self.goal = None;
        self.caret = Some((own, line));
        self.reveal(own, line);
        // Of a minified script nearly all functions stand in one line.
        let functions = document.resolved().map(|it| &it.recording.functions);
        let column = document.selection.chosen.function.zip(functions);
        let column = column.map(|(function, all)| all.column(function));
        self.scroll.reveal_column(column.unwrap_or(0));
    }

    /// Scrolls to a line: with a part of what stands above it, or as it is where it is seen already.
    pub(super) fn reveal(&mut self, side: usize, line: u32) {
        if let Some(row) = self.row_of(side, line) {
            self.scroll.reveal(row);
        }
    }
}

/// Where the text of what is meant stands; of what has no file, what is around it.
fn place_of(document: &Document, of: &Pointed) -> Option<SourceLine> {
    if let Some(place) = document.line_of(of) {
        return Some(place);
    }
    let hierarchy = &document.base.hierarchy;
    // Without a source tree its neighbours can be named at least.
    if document.source_root().is_some() {
        return None;
    }
    let module = document.base_module_of(of)?;
    if module.index() >= hierarchy.len() || of.relation.is_some() {
        return None;
    }
    let file = match hierarchy.kind(module) {
        ModuleKind::Function => hierarchy.parent(module)?,
        _ => module,
    };
    Some(SourceLine { file, line: 1 })
}

/// Where the function begins that costs most itself, of those with a file. O(functions).
fn costliest(document: &Document) -> Option<SourceLine> {
    let hierarchy = &document.base.hierarchy;
    let resolved = document.base.recordings.get(document.recording())?;
    let metrics = resolved.recording.function_metrics(None);
    let modules = &resolved.resolution.modules;
    let all = metrics.iter().zip(modules);
    let with_file = all.filter(|(_, module)| file_around(hierarchy, **module).is_some());
    let (_, &module) = with_file.max_by_key(|(metrics, _)| metrics.self_cost)?;
    let file = file_around(hierarchy, module)?;
    let line = hierarchy.module(module).line.max(1);
    Some(SourceLine { file, line })
}

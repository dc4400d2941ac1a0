//! Where keys and clicks on lines lead.

use super::*;

#[test]
fn a_line_leads_to_the_calls_behind_it() {
    let folder = Folder::new();
    let mut alone = Alone::small(&folder);
    alone.choose("twice");
    let [run, twice] = ["run", "twice"].map(|name| alone.module(name));
    let text = alone.place("    return s + twice(s);");
    let cost = alone.place("~60.0 µs");
    // The number is a link to the calls, the text belongs to its function.
    let (asks, on) = alone.click(cost, egui::Modifiers::NONE, false);
    assert_eq!(on.relation, Some((run, twice)));
    let [Ask::Select(SelectAsk::Choose(of))] = asks[..] else {
        panic!("{asks:?}");
    };
    assert_eq!(of.relation, Some((run, twice)));
    assert_eq!(alone.caret(), Some(10));
    let (asks, _) = alone.click(text, egui::Modifiers::NONE, false);
    let [Ask::Select(SelectAsk::Choose(of))] = asks[..] else {
        panic!("{asks:?}");
    };
    assert_eq!((of.relation, of.module), (None, Some(run)));
    // Nothing moves for what was chosen here.
    alone.state.execute(SelectAsk::Choose(of));
    alone.shapes();
    assert_eq!(alone.caret(), Some(10));
    // Behind the line stands what it calls.
    assert!(alone.says("1 call that cost 60.0 µs, 85.7 % of what all calls"));
    let row = alone.place("~ twice");
    let (asks, on) = alone.click(row, egui::Modifiers::NONE, false);
    assert_eq!(on.relation, Some((run, twice)));
    let [Ask::Select(SelectAsk::Choose(of))] = asks[..] else {
        panic!("{asks:?}");
    };
    assert_eq!((of.relation, of.module), (Some((run, twice)), Some(twice)));
}

#[test]
fn lines_open_in_the_editor() {
    let folder = Folder::new();
    let mut alone = Alone::small(&folder);
    alone.choose("run");
    let file = alone.module("a.c");
    let at = alone.place("    return leaf(x) + leaf(x);");
    let edit = Ask::Edit(EditAsk::Line(SourceLine { file, line: 4 }));
    let command = egui::Modifiers::COMMAND;
    let (asks, _) = alone.click(at, command, false);
    assert_eq!(asks, std::slice::from_ref(&edit));
    let (asks, _) = alone.click(at, egui::Modifiers::NONE, true);
    assert!(asks.contains(&edit), "{asks:?}");
    assert_eq!(alone.act(ViewAsk::Press(TableKey::Enter)), [edit]);
    // It is a file of the tree that is handed on.
    alone.state.execute(EditAsk::Meant(Pointed::at_module(Some(
        alone.module("twice"),
    ))));
    let to_edit = std::mem::take(&mut alone.state.errands.to_edit);
    let [to_edit] = &to_edit[..] else {
        panic!("{to_edit:?}");
    };
    assert_eq!((&to_edit.file.root, to_edit.line), (&folder.tree(), 3));
    assert_eq!(to_edit.file.path, Path::new("a.c"));
}

#[test]
fn another_program_can_ask_for_a_line() {
    let folder = Folder::new();
    let mut alone = Alone::small(&folder);
    alone.shapes();
    let path = folder.tree().join("a.c").canonicalize().expect("it");
    alone.state.go_to_line(&path, 9).expect("it is shown");
    let asked = std::mem::take(&mut alone.state.errands.view_asks);
    // What was chosen is followed first, as in a frame.
    alone.wait();
    for (of, ask) in asked {
        assert_eq!(of, Some(ViewId::of(&ENTRY.line)));
        alone.act(ask);
    }
    alone.shapes();
    assert_eq!(alone.caret(), Some(9));
    let chosen = alone.document().selection.chosen.module;
    assert_eq!(chosen, Some(alone.module("run")));
    for wrong in ["/etc/passwd", "/", "/no/such"] {
        assert!(alone.state.go_to_line(Path::new(wrong), 1).is_err());
    }
    // Past the end there is no function.
    alone.state.go_to_line(&path, 4_000_000).expect("the file");
    let chosen = alone.document().selection.chosen.module;
    assert_eq!(chosen, Some(alone.module("a.c")));
}

#[test]
fn keys_go_from_line_to_line() {
    let folder = Folder::new();
    let mut alone = Alone::small(&folder);
    alone.choose("run");
    alone.shapes();
    let mut press = |ask: ViewAsk| {
        alone.act(ask);
        alone.shapes();
        alone.caret()
    };
    let steps = [
        (does(Does::Next), 9),
        (does(Does::Next), 10),
        (does(Does::Next), 10),
        (does(Does::Previous), 9),
        (does(Does::Previous), 4),
        (does(Does::Previous), 4),
        (ViewAsk::Press(TableKey::Last), 11),
        // In `run`, then in the file.
        (does(Does::Hottest), 10),
        (ViewAsk::Press(TableKey::First), 1),
        (does(Does::Hottest), 10),
        (ViewAsk::Press(TableKey::Rows(-1)), 9),
        (ViewAsk::Press(TableKey::Rows(2)), 11),
        (ViewAsk::Press(TableKey::Pages(-1)), 1),
        (ViewAsk::Press(TableKey::Rows(-5)), 1),
    ];
    for (number, (ask, line)) in steps.into_iter().enumerate() {
        assert_eq!(press(ask), Some(line), "{number}: {ask:?}");
    }
    alone.view.query = "LEAF".to_owned();
    alone.view.find(true);
    assert_eq!(alone.caret(), Some(1), "capitals are meant");
    alone.view.query = "leaf".to_owned();
    for line in [4, 7, 9, 1] {
        alone.view.find(true);
        assert_eq!(alone.caret(), Some(line));
    }
    for line in [9, 7] {
        alone.view.find(false);
        assert_eq!(alone.caret(), Some(line));
    }
    alone.view.query = "no [such( thing".to_owned();
    alone.view.find(true);
    assert_eq!(alone.caret(), Some(7));
}

use super::hunks::{self, Side};
use super::listing::{Listing, Of};
use super::*;
use crate::analysis::session::{Inputs, Since};
use crate::progress::Progress;
use crate::source::history::change::{FileChange, Hunk};
use crate::source::text::SourceText;

fn text(text: &str) -> SourceText {
    SourceText::of(text.as_bytes().to_vec()).expect("text")
}

#[test]
fn a_change_shows_old_and_new_lines_and_what_is_around_them() {
    let before: Vec<String> = (1..=30).map(|it| format!("line {it}\n")).collect();
    let mut after = before.clone();
    after[9] = "changed\n".to_owned();
    after.remove(20);
    let file = FileChange {
        path: "a.txt".to_owned(),
        texts: [text(&before.concat()), text(&after.concat())],
        hunks: vec![
            Hunk {
                before: 10..11,
                after: 10..11,
            },
            Hunk {
                before: 21..22,
                after: 21..21,
            },
        ],
        ..FileChange::default()
    };
    let progress = Progress::new();
    let shown = |wanted: &[u32]| {
        let found = hunks::lines_of(&file, wanted, &progress);
        let lines = found.lines.iter();
        lines
            .map(|it| (it.side, it.number, it.text.clone()))
            .collect::<Vec<_>>()
    };
    let line = |side, number: u32, text: &str| (side, number, text.to_owned());
    let first = [
        line(Side::Same, 8, "line 8"),
        line(Side::Same, 9, "line 9"),
        line(Side::Old, 10, "line 10"),
        line(Side::New, 10, "changed"),
        line(Side::Same, 11, "line 11"),
        line(Side::Same, 12, "line 12"),
    ];
    assert_eq!(shown(&[10]), first);
    // A deletion is known by the line before it.
    let second = [
        line(Side::Same, 19, "line 19"),
        line(Side::Same, 20, "line 20"),
        line(Side::Old, 21, "line 21"),
        line(Side::Same, 21, "line 22"),
        line(Side::Same, 22, "line 23"),
    ];
    assert_eq!(shown(&[20]), second);
    let both = shown(&[10, 20]);
    let gap = both.iter().filter(|it| it.0 == Side::Gap).count();
    assert_eq!((both.len(), gap), (first.len() + second.len() + 1, 1));
    assert_eq!(shown(&[1, 15, 30]), []);
}

#[test]
fn what_steers_text_and_long_lines_are_shown_as_they_may_be() {
    let long = format!("\ta\u{202e}{}\n", "x".repeat(5000));
    let file = FileChange {
        texts: [text(""), text(&long)],
        is_added: true,
        hunks: vec![Hunk {
            before: 1..1,
            after: 1..2,
        }],
        ..FileChange::default()
    };
    let found = hunks::lines_of(&file, &[1], &Progress::new());
    let line = &found.lines[0];
    assert!(line.text.starts_with("    a\\u{202e}xxx"), "{}", line.text);
    assert!(line.text.len() < 500);
    let end = line.classes.last().map(|it| it.0);
    assert_eq!(end, Some(line.text.len()));
}

#[test]
fn results_that_are_pasted_are_listed_marked_and_forgotten() {
    let dir = std::env::temp_dir().join(format!("callscape-faults-view-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("there is room");
    let source = "def a():\n    b()\n\ndef b():\n    pass\n\ndef c():\n    pass\n";
    std::fs::write(dir.join("m.py"), source).expect("there is room");
    let recording = dir.join("run.json");
    let event = |name: &str, line: u32, ts: u32, dur: u32| {
        format!(
            "{{\"ph\":\"X\",\"name\":\"{name} ({}:{line})\",\"ts\":{ts},\"dur\":{dur},\"pid\":1,\"tid\":1}}",
            dir.join("m.py").display()
        )
    };
    let events = [
        event("a", 1, 0, 100),
        event("b", 4, 10, 20),
        event("b", 4, 50, 20),
    ];
    std::fs::write(&recording, format!("[{}]", events.join(","))).expect("there is room");
    let inputs = Inputs {
        source_dir: Some(dir.clone()),
        recordings: vec![recording],
        ..Inputs::default()
    };
    let mut state = State::new(crate::views::all(), Box::new(|| Box::new(|| ())));
    let document = Document::open(&inputs, None, &state.settings, &Progress::new());
    state.show(document.expect("it can be read"), |_, _| ());
    let wait = |state: &mut State| {
        loop {
            state.poll_jobs();
            state.update_findings();
            let is_busy = state.jobs.is_any() || state.findings.is_under_way();
            if !is_busy {
                return;
            }
            std::thread::yield_now();
        }
    };
    state.execute(FindingAsk::Paste(
        "m.py:5: here\nm.py:8: there\nx.py:1: no\n".to_owned(),
    ));
    wait(&mut state);
    let document = state.document.as_ref().expect("open");
    let listing = Listing::new(&state, document, Of::Functions, None);
    let names: Vec<&str> = listing.rows.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names.len(), 1, "{listing:?}");
    assert!(names[0].contains('b'));
    assert_eq!(listing.rows[0].calls, 2);
    assert_eq!(listing.rest.len(), 2, "{:?}", listing.rest);
    let marked = document.selection.marked.clone().expect("marked");
    assert_eq!(marked.modules.len(), 1);
    // Calls of what is marked are stepped through.
    state.execute(SelectAsk::GoToCall(CallWalk::NextMarked));
    let time = |state: &State| {
        let chosen = state.document.as_ref().map(|it| it.selection.chosen);
        chosen.and_then(|it| it.time)
    };
    let first = time(&state);
    state.execute(SelectAsk::GoToCall(CallWalk::NextMarked));
    assert!(time(&state) > first);
    state.execute(SelectAsk::GoToCall(CallWalk::PreviousMarked));
    assert_eq!(time(&state), first);
    // What is in both of two sets.
    state.execute(FindingAsk::Paste("m.py:2: in a\nm.py:5: in b\n".to_owned()));
    state.execute(FindingAsk::Both(0, 1));
    wait(&mut state);
    let counts = |state: &State| -> Vec<usize> {
        let hits = state.findings.hits.iter();
        hits.map(|it| it.named.functions.len()).collect()
    };
    assert_eq!(counts(&state), [1, 2, 1]);
    // With a set goes what is made of it.
    state.execute(FindingAsk::Forget(0));
    wait(&mut state);
    assert_eq!(counts(&state), [2]);
    assert_eq!(state.findings.shown, Shown::Nothing);
    let document = state.document.as_ref().expect("open");
    assert_eq!(document.selection.marked, None);
    // Where there is no repository that is said.
    let since = Since {
        good: "v1".to_owned(),
        ..Since::default()
    };
    state.execute(FindingAsk::Since(Some(since)));
    wait(&mut state);
    let changed = state.findings.changed.as_ref();
    let reason = changed.and_then(|it| it.as_ref().err()).expect("a reason");
    assert!(reason.contains("in no git repository"), "{reason}");
    state.execute(FindingAsk::Since(None));
    wait(&mut state);
    assert!(state.findings.changed.is_none());
    let _ = std::fs::remove_dir_all(&dir);
}

use super::hunks::{self, Side};
use super::listing::Column;
use super::listing::Row;
use super::listing::{Listing, Of};
use super::view::*;
use super::*;
use crate::parts::list::At;
use crate::testing::document as document_of;
use callscape_analysis::session::{Inputs, Since};
use callscape_base::progress::Progress;
use callscape_base::units::ModuleId;
use callscape_filter::marked::Marked;
use callscape_source::history::change::{FileChange, Hunk};
use callscape_source::text::SourceText;
use callscape_state::ask::{Ask, CancelAsk};
use callscape_state::document::Document;
use callscape_state::findings::SetFrom;

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
        let found = hunks::lines_of(&file, wanted, &progress).expect("not cancelled");
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
    let found = hunks::lines_of(&file, &[10, 20], &progress).expect("not cancelled");
    assert_eq!(found.widest(), ("line 10".len(), 22));
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
    let found = hunks::lines_of(&file, &[1], &Progress::new()).expect("not cancelled");
    let line = &found.lines[0];
    assert!(line.text.starts_with("    a\\u{202e}xxx"), "{}", line.text);
    assert!(line.text.len() < 500);
    let end = line.classes.last().map(|it| it.0);
    assert_eq!(end, Some(line.text.len()));
}

#[test]
fn of_a_long_change_the_first_lines_are_shown_and_reading_it_can_be_stopped() {
    let file = FileChange {
        texts: [text(""), text(&"a line\n".repeat(50_000))],
        is_added: true,
        hunks: vec![Hunk {
            before: 1..1,
            after: 1..50_001,
        }],
        ..FileChange::default()
    };
    let progress = Progress::new();
    let found = hunks::lines_of(&file, &[7], &progress).expect("not cancelled");
    assert_eq!((found.lines.len(), found.is_cut), (4_000, true));
    assert_eq!(found.widest(), ("a line".len(), 4_000));
    progress.cancel();
    assert!(hunks::lines_of(&file, &[7], &progress).is_err());
}

/// A view with these rows: name, module, and what stands in the column of calls.
fn with_rows(rows: &[(&str, Option<u32>, u64)]) -> FaultsView {
    let rows = rows.iter().map(|&(name, module, calls)| Row {
        name: name.to_owned(),
        module: module.map(ModuleId),
        calls,
        ..Row::default()
    });
    FaultsView {
        listing: Arc::new(Listing {
            rows: rows.collect(),
            ..Listing::default()
        }),
        at: At {
            seen: 10,
            to_show: None,
        },
        ..FaultsView::default()
    }
}

#[test]
fn keys_walk_through_rows_of_the_same_module_and_of_none() {
    let mut view = with_rows(&[
        ("a", Some(3), 0),
        ("b", Some(3), 0),
        ("c", None, 0),
        ("d", Some(4), 0),
    ]);
    let mut walked = Vec::new();
    for _ in 0..5 {
        let mut asks = Asks::default();
        view.walk(TableKey::Rows(1), &mut asks);
        walked.push((view.row, view.at.to_show, asks.take().len()));
        // What was chosen comes back as what is chosen everywhere.
        let row = view.row.and_then(|it| view.listing.rows.get(it));
        if let Some(module) = row.and_then(|it| it.module) {
            view.follow(Some(module));
        }
    }
    let at = |row: usize, asks: usize| (Some(row), Some(row), asks);
    assert_eq!(walked, [at(0, 1), at(1, 1), at(2, 0), at(3, 1), at(3, 1)]);
    // What is chosen elsewhere is found, or no row is chosen.
    view.follow(Some(ModuleId(3)));
    assert_eq!(view.row, Some(0));
    view.follow(Some(ModuleId(9)));
    assert_eq!(view.row, None);
    view.row = Some(2);
    view.follow(None);
    assert_eq!(view.row, None);
}

#[test]
fn names_are_sorted_from_a_and_equal_rows_keep_their_order() {
    let view = with_rows(&[("b", None, 1), ("c", None, 2), ("a", None, 1)]);
    let sorted = |column, from_largest| {
        let mut listing = (*view.listing).clone();
        listing.sort_by(column, from_largest);
        let names = listing.rows.iter().map(|it| it.name.as_str());
        names.collect::<String>()
    };
    assert_eq!(sorted(Column::Name, false), "abc");
    assert_eq!(sorted(Column::Calls, true), "cba");
    assert_eq!(sorted(Column::Calls, false), "bac");
    let mut view = FaultsView::default();
    let mut by = |column| {
        view.sort_by(column);
        view.sort
    };
    assert_eq!(by(Column::Rank), Some((Column::Rank, false)));
    assert_eq!(by(Column::Name), Some((Column::Name, false)));
    assert_eq!(by(Column::Name), Some((Column::Name, true)));
    assert_eq!(by(Column::Calls), Some((Column::Calls, true)));
    let mut view = FaultsView {
        of: Of::Authors,
        ..FaultsView::default()
    };
    view.sort_by(Column::Count);
    assert_eq!(view.sort, Some((Column::Count, false)));
}

#[test]
fn rows_that_a_session_asks_for_wait_for_what_changed() {
    let state = State::new(crate::all(), Box::new(|| Box::new(|| ())));
    for of in Of::ALL {
        let mut saved = SavedViews::default();
        let view = FaultsView {
            wanted: of,
            ..FaultsView::default()
        };
        view.save(&state, &mut saved);
        let mut view = FaultsView::default();
        assert_eq!(view.restore(&saved, &state), 0);
        let mut again = SavedViews::default();
        view.save(&state, &mut again);
        assert_eq!(view.wanted, of);
        assert_eq!(saved.shown, again.shown);
    }
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
    let mut state = State::new(crate::all(), Box::new(|| Box::new(|| ())));
    let document = Document::open(&inputs, None, &state.settings, &Progress::new());
    state.show(document.expect("it can be read"), |_, _| ());
    let wait = |state: &mut State| {
        loop {
            state.poll_jobs();
            state.update_findings();
            let is_busy = state.work.jobs.is_any() || state.findings.is_under_way();
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
    // Rows that a session asks for wait until what changed is shown.
    state.execute(PaneAsk::Toggle(ViewId::of(&ENTRY.line)));
    let mut view = FaultsView {
        wanted: Of::Commits,
        ..FaultsView::default()
    };
    view.update(&state, &mut Asks::default());
    assert_eq!((view.of, view.wanted), (Of::Functions, Of::Commits));
    assert_eq!(view.listing.rows.len(), 1);
    // In another session modules have other numbers.
    let other = Document::open(&inputs, None, &state.settings, &Progress::new());
    let other = other.expect("it can be read");
    assert!(state.findings.marked(&document_of(&state).base).is_some());
    assert!(state.findings.marked(&other.base).is_none());
    let listing = Listing::new(&state, &other, Of::Functions, None);
    assert_eq!(listing, Listing::default());
    // What is lit by a view stands out before what is marked.
    let lit = |state: &State| document_of(state).city.highlighted().0;
    assert_eq!(lit(&state), 0);
    state.execute(FindingAsk::Color(true));
    assert_eq!(lit(&state), 1);
    let all = document_of(&state).session.recordings[0]
        .resolution
        .modules
        .clone();
    let mut all: Vec<ModuleId> = all.to_vec();
    all.sort_unstable();
    let all = Marked::new(String::new(), all.into(), [].into(), Vec::new());
    state.execute(Ask::Light(Some(all.into())));
    assert_eq!(lit(&state), 2);
    state.execute(Ask::Light(None));
    assert_eq!(lit(&state), 1);
    state.execute(FindingAsk::Color(false));
    assert_eq!(lit(&state), 0);
    // What is in both of two sets.
    state.execute(FindingAsk::Paste("m.py:2: in a\nm.py:5: in b\n".to_owned()));
    state.execute(FindingAsk::Both(0, 1));
    wait(&mut state);
    let counts = |state: &State| -> Vec<usize> {
        let hits = state.findings.hits.iter();
        hits.map(|it| it.named.functions.len()).collect()
    };
    assert_eq!(counts(&state), [1, 2, 1]);
    // What is stopped is said to be, until it is looked for again.
    state.execute(FindingAsk::Paste("m.py:5: in b\n".to_owned()));
    state.execute(CancelAsk::Everything);
    wait(&mut state);
    let failure = |state: &State| {
        let failure = state.findings.failure(&document_of(state).base);
        failure.map(str::to_owned)
    };
    assert_eq!(failure(&state).as_deref(), Some("it was stopped"));
    assert!(document_of(&state).selection.marked.is_none());
    state.execute(FindingAsk::Again);
    wait(&mut state);
    assert_eq!(failure(&state), None);
    assert!(document_of(&state).selection.marked.is_some());
    state.execute(FindingAsk::Forget(3));
    wait(&mut state);
    // With a set goes what is made of it.
    state.execute(FindingAsk::Forget(0));
    wait(&mut state);
    assert_eq!(counts(&state), [2]);
    assert_eq!(state.findings.shown, Shown::Nothing);
    let document = state.document.as_ref().expect("open");
    assert_eq!(document.selection.marked, None);
    // A text that is pasted now has another name than all before, and a set that is known is shown.
    state.execute(FindingAsk::Paste("m.py:2: in a\n".to_owned()));
    let title = |state: &State| state.findings.sets.last().map(SetFrom::title);
    assert_eq!(title(&state).as_deref(), Some("pasted 3"));
    let file = dir.join("a.txt");
    std::fs::write(&file, "m.py:2: in a\n").expect("there is room");
    state.execute(FindingAsk::Read(file.clone()));
    state.execute(FindingAsk::Paste("m.py:5: in b\n".to_owned()));
    assert_eq!(state.findings.shown, Shown::Set(3));
    state.execute(FindingAsk::Read(file));
    assert_eq!(state.findings.shown, Shown::Set(2));
    assert_eq!(state.findings.sets.len(), 4);
    wait(&mut state);
    // Where there is no repository that is said.
    let since = Since {
        good: "v1".to_owned(),
        ..Since::default()
    };
    state.execute(FindingAsk::Since(Some(since)));
    wait(&mut state);
    let changed = state.findings.changed.as_ref();
    let reason = changed.and_then(|it| it.as_ref().err()).expect("a reason");
    assert!(reason.contains("is not in a git repository"), "{reason}");
    state.execute(FindingAsk::Since(None));
    wait(&mut state);
    assert!(state.findings.changed.is_none());
    let _ = std::fs::remove_dir_all(&dir);
}

//! Stacks against a direct evaluation of what they are, and the view as one uses it.

use std::collections::BTreeMap;

use egui::{Event, Modifiers, PointerButton, RawInput, Rect, Shape, pos2};
use serde_json::{Map, Value};

use super::merging::{OfOther, Rows};
use super::stacks::Stacks;
use super::view::ENTRY;
use crate::{SavedViews, View, testing};
use callscape_base::progress::Progress;
use callscape_facts::memory::random::Random;
use callscape_layout::stacks::NONE;
use callscape_state::State;
use callscape_state::ask::{Ask, Asks, PaneAsk};
use callscape_state::panes::Arrangement;
use callscape_state::runs_view::testing::paths;

fn random(seed: u64) -> Random {
    Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
}

/// Some rows of few functions, which recur; siblings differ.
fn random_rows(random: &mut Random, count: u32) -> Rows {
    let mut rows = Rows::default();
    for _ in 0..count {
        let around = random.below(u64::from(rows.len() as u32) + 1) as u32;
        let parent = around.checked_sub(1).unwrap_or(NONE);
        let key = random.below(6) as u32;
        let is_there = (0..rows.len()).any(|it| rows.parents[it] == parent && rows.keys[it] == key);
        if !is_there {
            let row = rows.push(parent, key) as usize;
            let weight = random.below(9);
            rows.weights[row].width = weight;
            rows.weights[row].costs[0] = weight as i64;
            rows.calls[row] = random.below(4);
        }
    }
    rows
}

/// The functions on the way to a row, outermost first.
fn path(rows: &Rows, row: u32) -> Vec<u32> {
    let parent = |&it: &u32| Some(rows.parents[it as usize]).filter(|&it| it != NONE);
    let around = std::iter::successors(Some(row), parent);
    let mut path: Vec<u32> = around.map(|it| rows.keys[it as usize]).collect();
    path.reverse();
    path
}

/// By path the width of the stack with all below it.
fn widths(stacks: &Stacks) -> BTreeMap<Vec<u32>, u64> {
    let of = |node: u32| {
        let path = stacks.path(node).into_iter().map(|it| stacks.key(it));
        (path.collect(), stacks.forest.total(node))
    };
    let found: BTreeMap<Vec<u32>, u64> = (0..stacks.forest.len() as u32).map(of).collect();
    assert_eq!(found.len(), stacks.forest.len(), "one stack for each path");
    found
}

/// A path, and all that are around it.
fn add_to_all(sums: &mut BTreeMap<Vec<u32>, u64>, path: &[u32], weight: u64) {
    for end in 1..=path.len() {
        *sums.entry(path[..end].to_vec()).or_default() += weight;
    }
}

#[test]
fn callers_and_callees_are_those_of_each_outermost_call() {
    let mut seen = 0;
    for seed in 0..200 {
        let mut random = random(seed);
        let rows = random_rows(&mut random, 40);
        for key in 0..6 {
            let [callees, callers] = rows.around(key, &Progress::new()).expect("not cancelled");
            let (mut of_callees, mut of_callers) = (BTreeMap::new(), BTreeMap::new());
            let mut total = 0;
            for row in 0..rows.len() as u32 {
                // What this row weighs itself counts for the outermost call of the function around it.
                let (path, own) = (path(&rows, row), rows.weights[row as usize].width);
                let Some(place) = path.iter().position(|it| *it == key) else {
                    continue;
                };
                total += own;
                add_to_all(&mut of_callees, &path[place..], own);
                let mut outwards = path[..=place].to_vec();
                outwards.reverse();
                add_to_all(&mut of_callers, &outwards, own);
            }
            for (rows, expected) in [(callees, of_callees), (callers, of_callers)] {
                let stacks = Stacks::new(rows, None);
                assert_eq!(widths(&stacks), expected, "seed {seed}, function {key}");
                assert_eq!(stacks.forest.whole(), total, "seed {seed}, function {key}");
                seen += expected.len();
            }
        }
    }
    assert!(seen > 10_000, "{seen}");
}

#[test]
fn siblings_are_sorted_and_their_widths_and_their_callers_own_add_up() {
    for seed in 0..200 {
        let rows = random_rows(&mut random(seed), 60);
        let ranks = [3, 1, 5, 0, 4, 2];
        for ranks in [None, Some(&ranks[..])] {
            let stacks = Stacks::new(rows.clone(), ranks);
            let forest = &stacks.forest;
            let mut own = 0;
            for node in 0..forest.len() as u32 {
                let children = forest.children(Some(node));
                let below: u64 = children.iter().map(|&it| forest.total(it)).sum();
                assert_eq!(forest.total(node), below + stacks.own(node).size());
                own += stacks.own(node).size();
                assert_eq!(stacks.calls(node), rows.calls[stacks.row(node) as usize]);
                assert_eq!(stacks.node_of(stacks.row(node)), Some(node));
                let is_sorted = match ranks {
                    None => children.is_sorted_by_key(|&it| std::cmp::Reverse(forest.total(it))),
                    Some(ranks) => children.is_sorted_by_key(|&it| ranks[stacks.key(it) as usize]),
                };
                assert!(is_sorted, "seed {seed}");
            }
            assert_eq!(own, forest.whole());
        }
    }
}

#[test]
fn what_only_the_other_run_has_stays_at_its_size() {
    let mut gone = 0;
    for seed in 0..200 {
        let mut random = random(seed);
        let (shown, other) = (random_rows(&mut random, 30), random_rows(&mut random, 30));
        let row_of = |path: &[u32]| {
            let all = 0..shown.len() as u32;
            all.into_iter().find(|&it| self::path(&shown, it) == path)
        };
        let mut both = shown.clone();
        both.add_other((0..other.len() as u32).map(|row| OfOther {
            parent: Some(other.parents[row as usize]).filter(|&it| it != NONE),
            key: other.keys[row as usize],
            row: row_of(&path(&other, row)),
            cost: other.weights[row as usize].costs[0],
            width: other.weights[row as usize].width,
        }));
        let (mut of_shown, mut of_other) = (BTreeMap::new(), BTreeMap::new());
        for (rows, sums) in [(&shown, &mut of_shown), (&other, &mut of_other)] {
            for row in 0..rows.len() as u32 {
                add_to_all(sums, &path(rows, row), rows.weights[row as usize].width);
            }
        }
        let stacks = Stacks::new(both, None);
        let of = |sums: &BTreeMap<Vec<u32>, u64>, path: &[u32]| {
            sums.get(path).copied().unwrap_or_default()
        };
        for node in 0..stacks.forest.len() as u32 {
            let path: Vec<u32> = stacks
                .path(node)
                .into_iter()
                .map(|it| stacks.key(it))
                .collect();
            let [here, there] = [of(&of_shown, &path), of(&of_other, &path)];
            assert_eq!(stacks.totals(node).map(|it| it.size()), [here, there]);
            assert_eq!(stacks.is_gone(node), here == 0 && there > 0, "seed {seed}");
            // All that is gone somewhere below keeps its size, and the rest has that of the run shown.
            let is_outermost_gone = |path: &[u32]| {
                let around = path.len() - 1;
                of(&of_shown, path) == 0 && (around == 0 || of(&of_shown, &path[..around]) > 0)
            };
            let below = of_other.iter().filter(|(it, _)| it.starts_with(&path));
            let lost: u64 = below
                .filter(|(it, _)| is_outermost_gone(it))
                .map(|it| it.1)
                .sum();
            let expected = if here == 0 { there } else { here + lost };
            assert_eq!(stacks.forest.total(node), expected, "seed {seed}, {path:?}");
            gone += u64::from(stacks.is_gone(node));
        }
    }
    assert!(gone > 1_000, "{gone}");
}

const WINDOW: Rect = Rect {
    min: pos2(0.0, 0.0),
    max: pos2(900.0, 500.0),
};

/// A view of its own, in a window.
struct Shown {
    view: Box<dyn View>,
    state: State,
    ctx: egui::Context,
    time: f64,
}

impl Shown {
    fn new(state: State) -> Shown {
        let ctx = egui::Context::default();
        crate::style::set_fonts(&ctx, []);
        let mut shown = Shown {
            view: (ENTRY.open)(),
            state,
            ctx,
            time: 0.0,
        };
        let alone = Arrangement::View(ENTRY.line.id.to_owned());
        shown.state.execute(PaneAsk::Move(alone));
        shown.frames(Vec::new());
        shown
    }

    /// A few frames, the first with these events; what is drawn in the last, and all that was asked.
    fn frames(&mut self, events: Vec<Event>) -> (Vec<Shape>, Vec<Ask>) {
        let (mut drawn, mut asked) = (Vec::new(), Vec::new());
        for k in 0..4 {
            testing::wait(&mut *self.view, &self.state);
            self.time += 0.5;
            let input = RawInput {
                time: Some(self.time),
                events: if k == 0 { events.clone() } else { Vec::new() },
                ..RawInput::default()
            };
            let of = (WINDOW, None);
            let (shapes, _, asks) =
                testing::frame(&self.ctx, &mut *self.view, &self.state, of, input);
            drawn = shapes;
            for ask in asks {
                self.state.execute(ask.clone());
                asked.push(ask);
            }
        }
        (drawn, asked)
    }

    fn press(&mut self, id: &str) {
        let mut actions = ENTRY.keys.iter().flat_map(|line| line.actions);
        let action = actions.find(|action| action.id == id).expect("an action");
        let mut asks = Asks::default();
        self.view.act((action.ask)(), &self.state, &mut asks);
        for ask in asks.take() {
            self.state.execute(ask);
        }
        self.frames(Vec::new());
    }

    fn click(&mut self, x: f32, y: f32) -> Vec<Ask> {
        let pos = pos2(x, y);
        let button = |pressed| Event::PointerButton {
            pos,
            button: PointerButton::Primary,
            pressed,
            modifiers: Modifiers::NONE,
        };
        self.frames(vec![Event::PointerMoved(pos)]);
        self.frames(vec![button(true), button(false)]).1
    }

    fn log(&self) -> Value {
        let mut line = Map::new();
        self.view.log(&mut line);
        line.remove("flame-graph").unwrap_or_default()
    }

    /// All that is written.
    fn texts(&mut self) -> Vec<String> {
        let (shapes, _) = self.frames(Vec::new());
        let texts = shapes.iter().filter_map(|it| match it {
            Shape::Text(text) => Some(text.galley.text().to_owned()),
            _ => None,
        });
        texts.collect()
    }
}

#[test]
fn a_click_zooms_and_chooses_and_keys_walk_through_bars() {
    let mut shown = Shown::new(paths());
    let log = shown.log();
    assert!(log["bars"].as_u64() > Some(5), "{log}");
    assert!(log["seen"].is_null(), "{log}");
    // Two runs: what is more and less in B has a legend, and what only one of them has.
    let texts = shown.texts().join("\n");
    for said in [
        "less in B",
        "more in B",
        "only in B, as wide as it is there",
    ] {
        assert!(texts.contains(said), "{texts}");
    }
    shown.press("flame-graph.down");
    let first = shown.log()["cursor"].clone();
    assert!(first.is_string());
    let mut deeper = Vec::new();
    for _ in 0..3 {
        shown.press("flame-graph.down");
        deeper.push(shown.log()["cursor"].clone());
    }
    assert!(deeper.iter().all(Value::is_string), "{deeper:?}");
    assert_ne!(deeper[2], first);
    assert!(shown.log()["chosen"].as_u64() > Some(0));
    for _ in 0..9 {
        shown.press("flame-graph.up");
    }
    assert_eq!(shown.log()["cursor"], first);
    // The first bar that is not as wide as the picture.
    let bars = shown.log()["bars"].as_u64();
    let mut zoomed = Value::Null;
    for _ in 0..12 {
        shown.press("flame-graph.down");
        shown.press("flame-graph.zoom");
        zoomed = shown.log()["seen"].clone();
        if zoomed.is_array() {
            break;
        }
    }
    assert!(zoomed.is_array(), "{zoomed}");
    shown.press("flame-graph.back");
    assert!(shown.log()["seen"].is_null());
    assert_eq!(shown.log()["bars"].as_u64(), bars);
    // Rows begin below the choices.
    let asked = (60..120).step_by(8).find_map(|y| {
        let asked = shown.click(450.0, y as f32);
        (!asked.is_empty()).then_some(asked)
    });
    assert!(
        matches!(asked.as_deref(), Some([Ask::Select(_), ..])),
        "{asked:?}"
    );
}

#[test]
fn callers_and_callees_of_one_function_and_everything_again() {
    let mut shown = Shown::new(paths());
    let stacks = shown.log()["stacks"].clone();
    for _ in 0..4 {
        shown.press("flame-graph.down");
    }
    let name = shown.log()["cursor"].clone();
    shown.press("flame-graph.around");
    let around = shown.log();
    assert_eq!(around["function"], name);
    let texts = shown.texts();
    let said = format!("callers and callees of {}", name.as_str().expect("a name"));
    assert!(texts.iter().any(|it| it.contains(&said)), "{texts:?}");
    // A caller on one side, a callee or nothing on the other.
    shown.press("flame-graph.up");
    shown.press("flame-graph.up");
    let caller = shown.log()["cursor"].clone();
    assert!(caller.is_string() && caller != name, "{caller} and {name}");
    let mut saved = SavedViews::default();
    shown.view.save(&shown.state, &mut saved);
    shown.press("flame-graph.everything");
    assert_eq!(shown.log()["stacks"], stacks);
    let mut again = (ENTRY.open)();
    assert_eq!(again.restore(&saved, &shown.state), 0);
    std::mem::swap(&mut shown.view, &mut again);
    shown.frames(Vec::new());
    assert_eq!(shown.log()["function"], name);
}

#[test]
fn a_search_says_what_share_it_finds_and_a_session_keeps_it() {
    let mut shown = Shown::new(paths());
    for (query, is_all) in [
        ("total > 0 %", true),
        ("self > 1 %", false),
        ("no such name", false),
    ] {
        let mut saved = SavedViews::default();
        saved
            .shown
            .insert("flame_graph_query".to_owned(), query.into());
        saved
            .shown
            .insert("flame_graph_order".to_owned(), "by name".into());
        saved
            .shown
            .insert("flame_graph_callees".to_owned(), "above".into());
        assert_eq!(shown.view.restore(&saved, &shown.state), 0);
        let texts = shown.texts();
        let of_whole = |it: &&String| it.contains(" % of the whole in ");
        let said = texts.iter().find(of_whole).expect("the share");
        // Stacks in stacks that are found count once.
        let share: f64 = said
            .split(' ')
            .next()
            .and_then(|it| it.parse().ok())
            .expect("a number");
        assert!(share <= 100.0, "{said}");
        assert_eq!(share > 99.0, is_all, "{query}: {said}");
        let log = shown.log();
        assert_eq!(
            (&log["order"], &log["callees"]),
            (&"by name".into(), &"above".into())
        );
        let mut kept = SavedViews::default();
        shown.view.save(&shown.state, &mut kept);
        assert_eq!(kept.shown.get("flame_graph_query"), Some(&query.into()));
    }
}

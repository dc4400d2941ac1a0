//! The rows of the call tree against the tree itself.

use std::collections::HashMap;
use std::sync::Arc;

use super::forest::{By, Forest, Mode};
use crate::parts::contexts::ShownContexts;
use crate::parts::text::percent;
use callscape_base::units::FunctionId;
use callscape_base::units::{ContextId, Cost};
use callscape_base::warnings::{Place, Reporter};
use callscape_facts::contexts::{Contexts, ContextsBuilder, NodeId};

const FUNCTIONS: u32 = 6;

fn contexts(seed: u64) -> Contexts {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = move |limit: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % limit
    };
    let place = || Place::file("made here");
    let reporter = Reporter::new();
    let mut builder = ContextsBuilder::new(1, &reporter);
    for _ in 0..random(50) {
        let mut context = NodeId::ROOT;
        for _ in 0..1 + random(6) {
            context = builder.child(context, FunctionId(random(FUNCTIONS.into()) as u32), place);
            builder.add_calls(context, 1, place);
        }
        builder.add(context, 0, random(100), place);
    }
    builder.finish()
}

fn forest(seed: u64, mode: Mode) -> Forest {
    let shown = Arc::new(ShownContexts::of(contexts(seed)));
    Forest::new(shown, mode, By::Total, 4)
}

/// Opens everything.
fn open_all(forest: &mut Forest) {
    let mut place = 0;
    while let Some(node) = forest.at(place) {
        forest.change(node, true);
        place += 1;
    }
}

/// By row the rows right below it.
fn children(forest: &Forest) -> HashMap<Option<u32>, Vec<u32>> {
    let mut children: HashMap<Option<u32>, Vec<u32>> = HashMap::new();
    for &node in forest.rows() {
        children.entry(forest.parent(node)).or_default().push(node);
    }
    children
}

#[test]
fn rows_of_callees_are_the_contexts_the_hottest_first() {
    for seed in 0..200 {
        let mut forest = forest(seed, Mode::Calls);
        open_all(&mut forest);
        let shown = Arc::clone(forest.shown());
        assert_eq!(forest.rows().len(), shown.contexts.len(), "seed {seed}");
        for (parent, rows) in children(&forest) {
            let totals: Vec<Cost> = rows.iter().map(|&it| forest.node(it).sums.total).collect();
            assert!(totals.is_sorted_by(|x, y| x >= y), "seed {seed}");
            let below: Cost = totals.into_iter().sum();
            let whole = match parent {
                None => shown.whole,
                Some(parent) => {
                    let of = forest.node(parent).sums;
                    of.total.saturating_sub(of.own)
                }
            };
            assert_eq!(below, whole, "seed {seed}");
        }
    }
}

#[test]
fn the_inverted_tree_gives_own_costs_to_the_callers_they_come_through() {
    for seed in 0..200 {
        let mut forest = forest(seed, Mode::Callers);
        open_all(&mut forest);
        let shown = Arc::clone(forest.shown());
        let metrics = shown.contexts.function_metrics(0, FUNCTIONS as usize);
        for (parent, rows) in children(&forest) {
            let below: Cost = rows.iter().map(|&it| forest.node(it).sums.total).sum();
            match parent {
                None => assert_eq!(below, shown.whole, "seed {seed}"),
                // The rest is of outermost contexts.
                Some(parent) => assert!(below <= forest.node(parent).sums.total, "seed {seed}"),
            }
            for node in rows.into_iter().filter(|_| parent.is_none()) {
                let of = forest.node(node);
                assert_eq!(of.sums.own, metrics[of.function.index()].self_cost);
            }
        }
        // By the definition: contexts whose innermost functions are these.
        for &node in forest.rows() {
            let way: Vec<FunctionId> = std::iter::successors(Some(node), |it| forest.parent(*it))
                .map(|it| forest.node(it).function)
                .collect();
            let is_it = |it: &ContextId| {
                let path = shown.path(*it);
                let inner = path.len().checked_sub(way.len());
                inner.is_some_and(|from| {
                    let inner = path[from..].iter().map(|&it| shown.contexts.function(it));
                    inner.eq(way.iter().copied())
                })
            };
            let direct: Cost = shown
                .contexts
                .ids()
                .filter(is_it)
                .map(|it| shown.own(it))
                .sum();
            assert_eq!(forest.node(node).sums.total, direct, "seed {seed}");
        }
    }
}

#[test]
fn a_sandwich_has_the_total_of_the_function_on_both_sides() {
    for seed in 0..200 {
        for function in (0..FUNCTIONS).map(FunctionId) {
            let mut forest = forest(seed, Mode::Sandwich(function));
            let metrics = forest
                .shown()
                .contexts
                .function_metrics(0, FUNCTIONS as usize);
            open_all(&mut forest);
            let roots: Vec<u32> = children(&forest).remove(&None).unwrap_or_default();
            for &root in &roots {
                let of = forest.node(root);
                assert_eq!(of.function, function);
                assert_eq!(
                    of.sums.total,
                    metrics[function.index()].total,
                    "seed {seed}"
                );
            }
            let Some(&callees) = roots.get(1) else {
                continue;
            };
            // Below: all that the outermost contexts call.
            let all = children(&forest);
            let mut open = vec![callees];
            while let Some(node) = open.pop() {
                let below = all.get(&Some(node)).cloned().unwrap_or_default();
                let sum: Cost = below.iter().map(|&it| forest.node(it).sums.total).sum();
                let of = forest.node(node).sums;
                assert_eq!(sum, of.total.saturating_sub(of.own), "seed {seed}");
                open.extend(below);
            }
        }
    }
}

#[test]
fn a_context_is_revealed_and_the_hottest_way_is_opened() {
    for seed in 0..100 {
        let mut forest = forest(seed, Mode::Calls);
        let shown = Arc::clone(forest.shown());
        for context in shown.contexts.ids() {
            let node = forest.reveal(context).expect("every context has a row");
            assert_eq!(forest.context(node), Some(context));
            assert!(forest.place_of(node).is_some());
        }
        let Some(first) = forest.at(0) else {
            continue;
        };
        let last = forest.open_hottest(first);
        assert!(!forest.node(last).has_children);
        let mut at = last;
        while let Some(around) = forest.parent(at) {
            let of = forest.node(around);
            let rows = children(&forest).remove(&Some(around)).expect("rows below");
            assert!(of.is_open && rows[0] == at, "seed {seed}");
            at = around;
        }
        assert_eq!(at, first);
    }
}

#[test]
fn of_very_many_rows_the_hottest_are_shown_and_the_rest_is_one() {
    let place = || Place::file("made here");
    let reporter = Reporter::new();
    let mut builder = ContextsBuilder::new(1, &reporter);
    for function in 0..10_000 {
        let context = builder.child(NodeId::ROOT, FunctionId(function), place);
        builder.add(context, 0, u64::from(function), place);
    }
    let shown = Arc::new(ShownContexts::of(builder.finish()));
    let forest = Forest::new(Arc::clone(&shown), Mode::Calls, By::Total, 10);
    assert_eq!(forest.rows().len(), 2_001);
    let last = forest.node(*forest.rows().last().expect("rows"));
    assert_eq!(last.left_out, 8_000);
    let sum: Cost = forest
        .rows()
        .iter()
        .map(|&it| forest.node(it).sums.total)
        .sum();
    assert_eq!(sum, shown.whole);
}

#[test]
fn where_weights_have_signs_shares_are_of_their_sizes_and_the_largest_stand_first() {
    let place = || Place::file("made here");
    let reporter = Reporter::new();
    let mut builder = ContextsBuilder::new(1, &reporter);
    let main = builder.child(NodeId::ROOT, FunctionId(0), place);
    for (function, weight) in [(1, -2_i64), (2, 10), (3, -7)] {
        let context = builder.child(main, FunctionId(function), place);
        builder.add(context, 0, weight, place);
    }
    let shown = Arc::new(ShownContexts::of(builder.finish()));
    let forest = Forest::new(Arc::clone(&shown), Mode::Calls, By::Total, 10);
    let rows = forest.rows().iter().map(|&it| {
        let node = forest.node(it);
        let share = percent(shown.share(node.sums.total));
        (node.function.0, node.sums.total.weight(), share)
    });
    let expected = [
        (0, 1, "5.3"),
        (2, 10, "52.6"),
        (3, -7, "−36.8"),
        (1, -2, "−10.5"),
    ];
    let expected = expected.map(|(function, total, share)| (function, total, share.to_owned()));
    assert_eq!(rows.collect::<Vec<_>>(), expected);
}

/// Whether a row is opened or closed, by key or by its triangle, the list of changes has it and takes it back.
#[test]
fn opened_rows_are_in_the_list_of_changes() {
    use super::{Does, ENTRY, Tree, View};
    use crate::testing::{data, opened, wait};
    use callscape_state::State;
    use callscape_state::ask::{Ask, Asks, StepAsk};
    use callscape_state::own::Own;
    let mut state = opened(vec![data("import/hprof/figure1.hprof.txt")], &ENTRY);
    let mut view = Tree::default();
    wait(&mut view, &state);
    let done = |view: &mut Tree, state: &mut State, asks: Vec<Ask>| {
        asks.into_iter().for_each(|ask| state.execute(ask));
        state.note_step(false);
        wait(view, state);
        view.forest.as_ref().expect("rows").open_contexts()
    };
    done(&mut view, &mut state, Vec::new());
    let first = done(&mut view, &mut state, Vec::new());
    view.row = view.forest.as_ref().and_then(|it| it.at(0));
    let mut asks = Asks::default();
    view.act(Own::of(Does::Close), &state, &mut asks);
    let closed = done(&mut view, &mut state, asks.take());
    assert!(closed.len() < first.len(), "{closed:?} {first:?}");
    let name = state.steps.all().last().map(|it| it.name.clone());
    assert!(name.is_some_and(|it| it.starts_with("Closed ") && it.ends_with(" in the call tree")));
    done(&mut view, &mut state, vec![StepAsk::Undo.into()]);
    assert_eq!(done(&mut view, &mut state, Vec::new()), first);
    done(&mut view, &mut state, vec![StepAsk::Redo.into()]);
    assert_eq!(done(&mut view, &mut state, Vec::new()), closed);
}

/// Text is read on bars of any share, and longer bars have another colour.
#[test]
fn bars_say_their_share_by_colour_and_text_is_read_on_them() {
    use crate::parts::{rows, style};
    use callscape_model::theme::Theme;
    let luminance = |color: egui::Color32| {
        let [r, g, b, _] = egui::Rgba::from(color).to_array();
        0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
    };
    for theme in [Theme::Light, Theme::Dark] {
        let text = luminance(style::colors(theme).text);
        let all: Vec<_> = (0..=10)
            .map(|it| rows::share_color(theme, it as f32 / 10.0))
            .collect();
        for color in &all {
            let own = luminance(*color);
            let contrast = own.max(text) / own.min(text);
            assert!(contrast > 4.5, "{theme:?}: {contrast}");
        }
        let light = |it: egui::Color32| (luminance(it) - 0.05).cbrt();
        let steps = all.windows(2).map(|it| (light(it[0]) - light(it[1])).abs());
        assert!(
            steps.clone().all(|it| it > 0.0) && steps.sum::<f32>() > 0.1,
            "{theme:?}"
        );
    }
}

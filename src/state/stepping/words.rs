//! What a step did, in plain words, by what is shown before and after it.

use super::super::destination::{Destination, Goal};
use super::super::document::Document;
use super::super::panes::Arrangement;
use super::super::runs::RunsLayout;
use super::super::state::State;
use super::super::steps::{Kind, Shown};
use super::shown::is_same_choice;
use callscape_analysis::alignment::Link;
use callscape_analysis::comparison::tables::Norm;
use callscape_base::escape;
use callscape_base::units::ModuleId;
use callscape_filter::cut::Cut;
use callscape_filter::filters::FilterStep;
use callscape_filter::selection::Pointed;
use callscape_model::arcs::{ArcMeasure, ArcMode};
use callscape_model::metric::Metric;
use callscape_model::surface::Surface;
use callscape_model::theme::Theme;

/// What changed, and whether by degrees; `goal` is where the camera flies. What was asked for comes before what followed
/// from it.
pub(super) fn name(
    state: &State,
    (before, after): (&Shown, &Shown),
    goal: Option<Goal>,
) -> (String, Kind) {
    let Some(document) = &state.document else {
        return (String::new(), Kind::AtOnce);
    };
    let at_once = |name: String| (name, Kind::AtOnce);
    let named = of_run(document, before, after)
        .or_else(|| of_own(before, after))
        .or_else(|| of_filters(document, before, after))
        .or_else(|| of_cut(document, before, after))
        .or_else(|| of_range(before, after))
        .map(at_once);
    let named = named
        .or_else(|| of_surface(before, after).map(at_once))
        .or_else(|| of_drawing(before, after))
        .or_else(|| of_runs(before, after));
    let named = named.or_else(|| of_choice(document, before, after));
    let named = named
        .or_else(|| of_views(state, before, after))
        .or_else(|| of_text(before, after))
        .or_else(|| goal.map(|goal| at_once(of_flight(document, goal))));
    named.unwrap_or_else(|| at_once("Changed the display".to_owned()))
}

fn module_name(document: &Document, module: ModuleId) -> String {
    let hierarchy = &document.session.hierarchy;
    match module.index() < hierarchy.len() {
        true => escape::name(document.module_name(module)).into_owned(),
        false => String::new(),
    }
}

/// What a filter leaves out, in a word or two.
pub fn left_out(document: &Document, step: FilterStep) -> String {
    match step {
        FilterStep::HideThread(thread) => {
            let name = document.thread_name(thread);
            let name = name.strip_prefix("thread ").unwrap_or(name);
            format!("thread {name}")
        }
        FilterStep::RemoveModule(of) => module_name(document, of),
        FilterStep::RemoveBelow(of) => format!("below {}", module_name(document, of)),
        FilterStep::RemoveFrequent(limit) => format!("called more than {limit}"),
        FilterStep::RemoveNotMarked => "unmarked functions".to_owned(),
        FilterStep::RemoveBelowCall(of) => {
            let name = document.resolved().and_then(|resolved| {
                let trace = &resolved.recording.trace;
                let thread = trace.threads().get(of.thread.index())?;
                let function = (u64::from(of.call.0) < thread.calls)
                    .then(|| trace.call(of.thread, of.call).function)?;
                Some(document.function_name(function))
            });
            let name = escape::name(name.unwrap_or_default()).into_owned();
            format!("below one call of {name}")
        }
    }
}

fn of_run(document: &Document, before: &Shown, after: &Shown) -> Option<String> {
    if before.value != after.value {
        let recording = &document.resolved()?.recording;
        let name = &recording.values().get(recording.value())?.name;
        return Some(format!("Showed {}", escape::name(name)));
    }
    let ((_, was_swapped), (_, is_swapped)) = (before.run?, after.run?);
    if was_swapped != is_swapped {
        return Some("Swapped A and B".to_owned());
    }
    let letter = document.runs.as_ref()?.letter();
    (before.run != after.run).then(|| format!("Showed run {letter}"))
}

/// What was done in a view.
fn of_own(before: &Shown, after: &Shown) -> Option<String> {
    let mut own = after.own.iter();
    let done = own.find(|(view, own)| before.own.get(view) != Some(own))?;
    Some(done.1.words().to_owned())
}

fn of_filters(document: &Document, before: &Shown, after: &Shown) -> Option<String> {
    let (old, new) = (before.filters.steps(), after.filters.steps());
    let added: Vec<_> = new.iter().filter(|it| !old.contains(it)).collect();
    let removed: Vec<_> = old.iter().filter(|it| !new.contains(it)).collect();
    match (&added[..], &removed[..]) {
        ([], []) => None,
        ([one], []) => Some(format!("Excluded {}", left_out(document, **one))),
        ([], [one]) => Some(format!("Included {}", left_out(document, **one))),
        ([], many) => Some(format!("Included {} items", many.len())),
        (many, []) => Some(format!("Excluded {} items", many.len())),
        _ => Some("Changed the exclusions".to_owned()),
    }
}

fn of_cut(document: &Document, before: &Shown, after: &Shown) -> Option<String> {
    if before.detail_by_size != after.detail_by_size {
        return Some(match after.detail_by_size {
            true => "Collapsed small modules".to_owned(),
            false => "Showed small modules".to_owned(),
        });
    }
    if before.cut == after.cut {
        return None;
    }
    if before.cut.order() != after.cut.order() {
        return Some(match after.cut.order() {
            [] => "Put districts back".to_owned(),
            _ => "Moved a district".to_owned(),
        });
    }
    let one = |of: &Cut, other: &Cut| {
        let mut only = of.collapsed().filter(|&it| !other.is_collapsed(it));
        only.next().map(|first| (first, only.next().is_none()))
    };
    let collapsed = one(&after.cut, &before.cut);
    let expanded = one(&before.cut, &after.cut);
    let level = after.cut.level(&document.session.hierarchy);
    Some(match (collapsed, expanded, level) {
        (Some((module, true)), None, _) => format!("Collapsed {}", module_name(document, module)),
        (None, Some((module, true)), _) => format!("Expanded {}", module_name(document, module)),
        (.., None) => "Expanded everything".to_owned(),
        (Some(_), ..) => "Collapsed deeper modules".to_owned(),
        (None, ..) => "Expanded a part".to_owned(),
    })
}

fn of_range(before: &Shown, after: &Shown) -> Option<String> {
    if before.range == after.range {
        return None;
    }
    Some(match after.range {
        Some(range) => format!("Limited the time to {} – {}", range.start, range.end),
        None => "Showed the whole time".to_owned(),
    })
}

/// What the colours say.
fn of_surface(before: &Shown, after: &Shown) -> Option<String> {
    let (old, new) = (&before.settings, &after.settings);
    if old.surface != new.surface {
        return Some(match new.surface {
            Surface::Neutral => "Coloured by kind".to_owned(),
            Surface::District => "Coloured by district".to_owned(),
            Surface::Language => "Coloured by language".to_owned(),
            Surface::Purpose => "Coloured by purpose".to_owned(),
            Surface::Person => "Coloured by person".to_owned(),
            Surface::Metric(metric) => format!("Coloured by {}", metric.title()),
            Surface::Difference => "Coloured by difference".to_owned(),
        });
    }
    if old.highlight != new.highlight {
        return Some(match new.highlight {
            Some(highlight) => format!("Highlighted values of {}", highlight.metric.title()),
            None => "Cleared the highlight".to_owned(),
        });
    }
    None
}

/// What else the landscape maps to what.
fn of_drawing(before: &Shown, after: &Shown) -> Option<(String, Kind)> {
    let (old, new) = (&before.settings, &after.settings);
    let mut changes: Vec<(String, Kind)> = Vec::new();
    let mut note = |is_changed: bool, name: String, kind: Kind| {
        if is_changed {
            changes.push((name, kind));
        }
    };
    let theme = match new.theme {
        Theme::Light => "light",
        Theme::Dark => "dark",
    };
    let height = new.height.map_or("nothing", Metric::title);
    let arcs = match new.arcs {
        ArcMode::All => "all calls",
        ArcMode::Selection => "arcs of the selection",
        ArcMode::Step => "arcs of the last step",
        ArcMode::Whole => "calls of the whole recording",
        ArcMode::Difference => "differences",
        ArcMode::Together => "files that change together",
        ArcMode::None => "none",
    };
    let width = match new.arc_measure {
        ArcMeasure::Calls => "calls",
        ArcMeasure::Cost => "cost",
    };
    let area = format!("Area by {}", new.area.title());
    note(old.area != new.area, area, Kind::AtOnce);
    let height = format!("Height by {height}");
    note(old.height != new.height, height, Kind::AtOnce);
    let theme = format!("Switched to the {theme} theme");
    note(old.theme != new.theme, theme, Kind::AtOnce);
    let arcs = format!("Arcs: {arcs}");
    note(old.arcs != new.arcs, arcs, Kind::AtOnce);
    let width = format!("Arcs as wide as their {width}");
    note(old.arc_measure != new.arc_measure, width, Kind::AtOnce);
    let scale = format!("Colours on a {} scale", new.scale.name());
    note(old.scale != new.scale, scale, Kind::AtOnce);
    let scale = "Heights on another scale".to_owned();
    note(old.height_scale != new.height_scale, scale, Kind::AtOnce);
    let tiling = format!("Laid out {}", new.tiling.name());
    note(old.tiling != new.tiling, tiling, Kind::AtOnce);
    let size = match new.full_size {
        true => "Showed generated files at full size",
        false => "Showed generated files at reduced size",
    };
    note(
        old.full_size != new.full_size,
        size.to_owned(),
        Kind::AtOnce,
    );
    let without = "Showed files with other purposes".to_owned();
    note(old.without != new.without, without, Kind::AtOnce);
    let bundling = "Changed the bundling of arcs".to_owned();
    note(old.bundling != new.bundling, bundling, Kind::Bundling);
    let most = format!("Maximum arcs: {}", new.most_arcs);
    note(old.most_arcs != new.most_arcs, most, Kind::MostArcs);
    let glow = format!("Glow halves in {}", new.half_life);
    note(old.half_life != new.half_life, glow, Kind::HalfLife);
    match changes.len() {
        0 | 1 => changes.pop(),
        _ => Some(("Changed the look".to_owned(), Kind::AtOnce)),
    }
}

fn of_runs(before: &Shown, after: &Shown) -> Option<(String, Kind)> {
    let (old, new) = (before.runs?, after.runs?);
    let at_once = |name: &str| Some((name.to_owned(), Kind::AtOnce));
    if old.together != new.together {
        return at_once(match new.together {
            RunsLayout::One => "Showed the difference of two runs",
            RunsLayout::SideBySide => "Showed two runs side by side",
            RunsLayout::Wipe => "Showed two runs with a divider",
        });
    }
    if old.only_differences != new.only_differences {
        return at_once(match new.only_differences {
            true => "Showed only differences",
            false => "Showed equal modules",
        });
    }
    if old.measure != new.measure || old.strength != new.strength {
        let name = format!("Compared by {}", new.measure.title());
        return Some((name, Kind::AtOnce));
    }
    if old.norm != new.norm {
        return at_once(match new.norm {
            Norm::Recorded => "Compared amounts as recorded",
            Norm::Shares { .. } => "Compared shares",
            Norm::PerCallOf(_) => "Compared amounts per call",
        });
    }
    if old.timed != new.timed {
        let name = format!("Compared {} time", new.timed.name());
        return Some((name, Kind::AtOnce));
    }
    if old.link != new.link {
        return at_once(match new.link {
            Link::Share => "Aligned the runs by shares",
            Link::WallTime => "Aligned the runs by time",
            Link::Events => "Aligned the runs by events",
            Link::CallsOf(_) | Link::Calls => "Aligned the runs by calls",
            Link::Phases => "Aligned the runs by phases",
        });
    }
    (old.divider != new.divider).then(|| ("Moved the divider".to_owned(), Kind::Divider))
}

fn of_choice(document: &Document, before: &Shown, after: &Shown) -> Option<(String, Kind)> {
    if is_same_choice(&before.chosen, &after.chosen) {
        return None;
    }
    let of = after.chosen;
    let name = match of {
        Pointed {
            relation: Some((caller, callee)),
            ..
        } => {
            let [caller, callee] = [caller, callee].map(|it| module_name(document, it));
            format!("Selected {caller} → {callee}")
        }
        Pointed {
            call: Some(_),
            module: Some(module),
            ..
        } => format!("Selected a call of {}", module_name(document, module)),
        Pointed {
            module: Some(module),
            ..
        } => format!("Selected {}", module_name(document, module)),
        Pointed {
            function: Some(function),
            ..
        } => {
            let name = document.function_name(function);
            format!("Selected {}", escape::name(name))
        }
        Pointed {
            thread: Some(thread),
            ..
        } => format!(
            "Selected {}",
            left_out(document, FilterStep::HideThread(thread))
        ),
        _ => "Cleared the selection".to_owned(),
    };
    Some((name, Kind::Choice))
}

/// An arrangement with equal shares.
fn without_shares(of: &Arrangement) -> Arrangement {
    let all = |parts: &[Arrangement]| parts.iter().map(without_shares).collect();
    match of {
        Arrangement::View(_) => of.clone(),
        Arrangement::Tabs { active, parts } => Arrangement::Tabs {
            active: *active,
            parts: all(parts),
        },
        Arrangement::Row { parts, .. } => Arrangement::Row {
            shares: Vec::new(),
            parts: all(parts),
        },
        Arrangement::Column { parts, .. } => Arrangement::Column {
            shares: Vec::new(),
            parts: all(parts),
        },
    }
}

fn of_views(state: &State, before: &Shown, after: &Shown) -> Option<(String, Kind)> {
    let at_once = |name: String| Some((name, Kind::AtOnce));
    let title = |id: &str| state.panes.named(id).map_or("a view", |view| view.title());
    let (old, new) = (&*before.views, &*after.views);
    if old != new {
        let [was_open, is_open] = [old, new].map(|of| -> Vec<&str> {
            let views = of.views().into_iter();
            views.map(|(id, _)| id).collect()
        });
        let opened: Vec<_> = is_open.iter().filter(|it| !was_open.contains(it)).collect();
        let closed: Vec<_> = was_open.iter().filter(|it| !is_open.contains(it)).collect();
        return match (&opened[..], &closed[..]) {
            ([one], []) => at_once(format!("Opened {}", title(one))),
            ([], [one]) => at_once(format!("Closed {}", title(one))),
            ([], []) if without_shares(old) == without_shares(new) => {
                Some(("Resized views".to_owned(), Kind::Shares))
            }
            _ => at_once("Arranged the views".to_owned()),
        };
    }
    if before.maximised != after.maximised {
        return at_once(match after.maximised {
            Some(view) => format!("Maximised {}", view.title()),
            None => "Showed all views".to_owned(),
        });
    }
    None
}

fn of_text(before: &Shown, after: &Shown) -> Option<(String, Kind)> {
    let is_other = before.text_scale != after.text_scale;
    is_other.then(|| {
        let percent = after.text_scale * 100.0;
        (format!("Text at {percent:.0} %"), Kind::Text)
    })
}

fn of_flight(document: &Document, goal: Goal) -> String {
    match goal {
        Goal::To(Destination::Home) => "Flew to see everything".to_owned(),
        Goal::To(Destination::Module(module)) => {
            format!("Flew to {}", module_name(document, module))
        }
        Goal::Pose(_) => "Moved the camera".to_owned(),
    }
}

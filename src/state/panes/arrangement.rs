//! How views stand: side by side, one above the other, or in tabs.

use serde::{Deserialize, Serialize};

use super::line::ViewId;

/// An arrangement as files keep it. Tidy it holds no view twice, and no part that is nothing or one part alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Arrangement {
    /// The id of a view.
    View(String),
    Tabs {
        active: usize,
        parts: Vec<Arrangement>,
    },
    /// From left to right, with the share of each.
    Row {
        shares: Vec<f32>,
        parts: Vec<Arrangement>,
    },
    /// From top to bottom.
    Column {
        shares: Vec<f32>,
        parts: Vec<Arrangement>,
    },
}

use Arrangement::{Column, Row, Tabs, View};

/// What a part has beside others. A share that is no number, or missing, is an even one.
fn share(shares: &[f32], index: usize) -> f32 {
    match shares.get(index) {
        Some(share) if share.is_finite() => share.clamp(0.01, 100.0),
        _ => 1.0,
    }
}

impl Arrangement {
    pub(super) fn of(view: ViewId) -> Arrangement {
        View(view.id().to_owned())
    }

    /// Parts from top to bottom; one alone as it is.
    pub(super) fn column(shares: Vec<f32>, mut parts: Vec<Arrangement>) -> Arrangement {
        match parts.len() {
            1 => parts.remove(0),
            _ => Column { shares, parts },
        }
    }

    /// The ids of all views in it, and whether each is not behind another tab.
    pub fn views(&self) -> Vec<(&str, bool)> {
        let mut found = Vec::new();
        self.find(true, &mut found);
        found
    }

    fn find<'a>(&'a self, is_visible: bool, found: &mut Vec<(&'a str, bool)>) {
        match self {
            View(id) => found.push((id, is_visible)),
            Tabs { active, parts } => {
                for (number, part) in parts.iter().enumerate() {
                    part.find(is_visible && number == *active, found);
                }
            }
            Row { parts, .. } | Column { parts, .. } => {
                parts.iter().for_each(|part| part.find(is_visible, found));
            }
        }
    }

    pub(super) fn holds(&self, view: ViewId) -> bool {
        match self {
            View(id) => id == view.id(),
            Tabs { parts, .. } | Row { parts, .. } | Column { parts, .. } => {
                parts.iter().any(|part| part.holds(view))
            }
        }
    }

    /// Whether a view is in it and not behind another tab.
    pub(super) fn shows(&self, view: ViewId) -> bool {
        match self {
            View(id) => id == view.id(),
            Tabs { active, parts } => parts.get(*active).is_some_and(|part| part.shows(view)),
            Row { parts, .. } | Column { parts, .. } => parts.iter().any(|part| part.shows(view)),
        }
    }

    /// Tidy, of the views that `keeps` says; nothing without any.
    pub(super) fn tidied(self, keeps: &mut dyn FnMut(&str) -> bool) -> Option<Arrangement> {
        let tidied = match self {
            View(id) => return keeps(&id).then_some(View(id)),
            Tabs { active, parts } => tabs(active, parts, keeps),
            Row { shares, parts } => {
                let (shares, parts) = beside(&shares, parts, false, keeps);
                Row { shares, parts }
            }
            Column { shares, parts } => {
                let (shares, parts) = beside(&shares, parts, true, keeps);
                Column { shares, parts }
            }
        };
        match tidied {
            Tabs { mut parts, .. } | Row { mut parts, .. } | Column { mut parts, .. }
                if parts.len() < 2 =>
            {
                parts.pop()
            }
            tidied => Some(tidied),
        }
    }

    /// Has a view seen: the tab that it is in is the open one.
    pub(super) fn activate(&mut self, view: ViewId) {
        match self {
            View(_) => {}
            Tabs { active, parts } => {
                if let Some(at) = parts.iter().position(|part| part.holds(view)) {
                    *active = at;
                    parts[at].activate(view);
                }
            }
            Row { parts, .. } | Column { parts, .. } => {
                parts.iter_mut().for_each(|part| part.activate(view));
            }
        }
    }

    /// Adds a view to the tabs in which `other` is, and shows it.
    pub(super) fn add_tab(&mut self, other: ViewId, view: ViewId) {
        match self {
            View(id) if id == other.id() => {
                let parts = vec![Arrangement::of(other), Arrangement::of(view)];
                *self = Tabs { active: 1, parts };
            }
            View(_) => {}
            Tabs { active, parts } => {
                if parts.contains(&Arrangement::of(other)) {
                    *active = parts.len();
                    parts.push(Arrangement::of(view));
                } else {
                    parts.iter_mut().for_each(|part| part.add_tab(other, view));
                }
            }
            Row { parts, .. } | Column { parts, .. } => {
                parts.iter_mut().for_each(|part| part.add_tab(other, view));
            }
        }
    }

    /// Adds a view beside all others, to the right or below: it gets `share` of the room of those that do not go.
    pub(super) fn add_after(
        self,
        view: ViewId,
        share: f32,
        is_below: bool,
        goes: impl Fn(&Arrangement) -> bool,
    ) -> Arrangement {
        let mut whole = self;
        if let (Column { shares, parts }, true) | (Row { shares, parts }, false) =
            (&mut whole, is_below)
        {
            let sum = staying(shares, parts, goes);
            shares.push(sum * share / (1.0 - share));
            parts.push(Arrangement::of(view));
            return whole;
        }
        let shares = halves(1.0 - share);
        let parts = vec![whole, Arrangement::of(view)];
        match is_below {
            true => Column { shares, parts },
            false => Row { shares, parts },
        }
    }

    /// Adds a view at the left of all others, where it gets `share` of the room.
    pub(super) fn add_before(self, view: ViewId, share: f32) -> Arrangement {
        Row {
            shares: halves(share),
            parts: vec![Arrangement::of(view), self],
        }
    }

    /// What a view has of the room of those beside it that do not go, 0 to 1; none where it shares a place.
    pub(super) fn share(&self, view: ViewId, goes: &dyn Fn(&Arrangement) -> bool) -> Option<f32> {
        let (Row { shares, parts } | Column { shares, parts }) = self else {
            return None;
        };
        let of = Arrangement::of(view);
        match parts.iter().position(|part| *part == of) {
            Some(at) => {
                let sum = staying(shares, parts, goes);
                (sum > 0.0).then(|| shares[at] / sum)
            }
            None => parts.iter().find_map(|part| part.share(view, goes)),
        }
    }
}

/// Shares of two parts, of which the first has this fraction.
fn halves(fraction: f32) -> Vec<f32> {
    vec![2.0 * fraction, 2.0 * (1.0 - fraction)]
}

fn staying(shares: &[f32], parts: &[Arrangement], goes: impl Fn(&Arrangement) -> bool) -> f32 {
    let all = shares.iter().zip(parts);
    all.filter(|(_, part)| !goes(part))
        .map(|(share, _)| share)
        .sum()
}

/// Tabs of tidy parts, none of them tabs; the one that was open stays open.
fn tabs(
    active: usize,
    parts: Vec<Arrangement>,
    keeps: &mut dyn FnMut(&str) -> bool,
) -> Arrangement {
    let (mut tidy, mut open) = (Vec::new(), 0);
    for (number, part) in parts.into_iter().enumerate() {
        let is_open = number == active;
        match part.tidied(keeps) {
            Some(Tabs { active, parts }) => {
                open = if is_open { tidy.len() + active } else { open };
                tidy.extend(parts);
            }
            Some(part) => {
                open = if is_open { tidy.len() } else { open };
                tidy.push(part);
            }
            None => {}
        }
    }
    Tabs {
        active: open,
        parts: tidy,
    }
}

/// Tidy parts beside or below each other; those that stand in the same direction again are parts themselves.
fn beside(
    shares: &[f32],
    parts: Vec<Arrangement>,
    is_column: bool,
    keeps: &mut dyn FnMut(&str) -> bool,
) -> (Vec<f32>, Vec<Arrangement>) {
    let mut tidy = (Vec::new(), Vec::new());
    for (number, part) in parts.into_iter().enumerate() {
        let own = share(shares, number);
        match (part.tidied(keeps), is_column) {
            (Some(Column { shares, parts }), true) | (Some(Row { shares, parts }), false) => {
                let normal = own / shares.iter().sum::<f32>();
                tidy.0.extend(shares.iter().map(|share| share * normal));
                tidy.1.extend(parts);
            }
            (Some(part), _) => {
                tidy.0.push(own);
                tidy.1.push(part);
            }
            (None, _) => {}
        }
    }
    tidy
}

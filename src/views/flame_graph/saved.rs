//! What a session file keeps of the flame graph: what was chosen, the part that is seen, and the function whose callers and
//! callees are shown. Of another number of contexts or functions these two are forgotten.

use serde::{Deserialize, Serialize};

use super::choice::{Callees, Choice, Order};
use super::graph::{FlameGraph, Restored};
use crate::SavedViews;
use crate::parts::context_chart::choice::{Metric, Tint};
use crate::parts::kept::{self, Named};
use callscape_facts::contexts::Merge;

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    flame_graph_metric: Named<Metric>,
    flame_graph_colour: Option<Named<Tint>>,
    flame_graph_order: Named<Order>,
    flame_graph_callees: Named<Callees>,
    flame_graph_merge: Named<Merge>,
    flame_graph_query: String,
    /// The function, and of how many.
    flame_graph_function: Option<(u32, usize)>,
    /// What is seen of callees and of callers, and of how many contexts.
    flame_graph_seen: Option<([Option<[f64; 2]>; 2], usize)>,
}

pub(super) fn save(view: &FlameGraph, out: &mut SavedViews) {
    let restored = view.now().unwrap_or(view.restored);
    let choice = view.choice;
    let kept = Kept {
        flame_graph_metric: Named(choice.metric),
        flame_graph_colour: choice.tint.map(Named),
        flame_graph_order: Named(choice.order),
        flame_graph_callees: Named(choice.callees),
        flame_graph_merge: Named(choice.merge),
        flame_graph_query: view.query.clone(),
        flame_graph_function: restored.function,
        flame_graph_seen: restored.seen,
    };
    kept::put(&kept, &mut out.shown);
}

/// Shows what a session file says; how many of its names mean nothing.
pub(super) fn restore(view: &mut FlameGraph, from: &SavedViews) -> usize {
    let (kept, lost) = kept::read::<Kept>(&from.shown);
    view.choice = Choice {
        metric: kept.flame_graph_metric.0,
        tint: kept.flame_graph_colour.map(|it| it.0),
        order: kept.flame_graph_order.0,
        callees: kept.flame_graph_callees.0,
        merge: kept.flame_graph_merge.0,
    };
    view.query = kept.flame_graph_query;
    view.restored = Restored {
        function: kept.flame_graph_function,
        seen: kept.flame_graph_seen,
    };
    lost
}

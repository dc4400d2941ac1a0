//! Opening and arranging views.

use crate::command::Command;
use callscape_state::action::{Line, On};
use callscape_state::ask::PaneAsk;
use callscape_state::keys;
use callscape_state::panes::Purpose;

pub(super) const LINES: &[Line<Command>] = keys! {
    "maximise the view under the pointer, restore all" { "pane.maximise" ["M"] "Maximise a view", "Maximises the view under the pointer, or restores all." => PaneAsk::Maximise(None), on(&[On::View]); }
    "send keys to the next view, with Shift to the previous one, until the pointer moves" {
        "pane.keys-next" ["Ctrl + Tab"] "Keys to the next view", "Keys work in the next visible view, wherever the pointer is, until it moves." => PaneAsk::GiveKeys { is_back: false };
        "pane.keys-back" ["Ctrl + Shift + Tab"] "Keys to the view before", "Keys work in the visible view before, wherever the pointer is, until it moves." => PaneAsk::GiveKeys { is_back: true };
    }
    ["Menu, Ctrl + P"] "the views that belong together for a question" {
        "views.going-on" [] "Views: what is going on?", "Opens the findings about a run and the call stacks." => PaneAsk::For(Purpose::GoingOn), when(|state| state.arrangement_for(Purpose::GoingOn).is_some());
        "views.what-runs" [] "Views: which code runs?", "Opens the views that show which code runs when." => PaneAsk::For(Purpose::WhatRuns), when(|state| state.arrangement_for(Purpose::WhatRuns).is_some());
        "views.time" [] "Views: where does the time go?", "Opens the views for time spent." => PaneAsk::For(Purpose::TimeGoes), when(|state| state.arrangement_for(Purpose::TimeGoes).is_some());
        "views.who-calls" [] "Views: who calls whom?", "Opens the views that show who calls whom." => PaneAsk::For(Purpose::WhoCalls), when(|state| state.arrangement_for(Purpose::WhoCalls).is_some());
        "views.phases" [] "Views: what happens one after the other?", "Opens the views that show the phases of a run." => PaneAsk::For(Purpose::Phases), when(|state| state.arrangement_for(Purpose::Phases).is_some());
        "views.memory" [] "Views: where does memory go?", "Opens the views for live memory." => PaneAsk::For(Purpose::Memory), when(|state| state.arrangement_for(Purpose::Memory).is_some());
        "views.slower" [] "Views: why is one run slower?", "Opens the views that show why two runs differ in time." => PaneAsk::For(Purpose::Slower), when(|state| state.arrangement_for(Purpose::Slower).is_some());
        "views.changed" [] "Views: what changed between two runs?", "Opens the views that show what two runs do differently." => PaneAsk::For(Purpose::WhatChanged), when(|state| state.arrangement_for(Purpose::WhatChanged).is_some());
    }
    ["Drag a title"] "move the view next to others or into their tabs" {}
};

//! What one wants to find out: the views that belong together open together.

/// A question, and with it the views that answer it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    GoingOn,
    WhatRuns,
    TimeGoes,
    WhoCalls,
    Phases,
    Memory,
    Slower,
    WhatChanged,
    WhatBroke,
}

impl Purpose {
    pub const ALL: [Purpose; 9] = [
        Purpose::GoingOn,
        Purpose::WhatRuns,
        Purpose::TimeGoes,
        Purpose::WhoCalls,
        Purpose::Phases,
        Purpose::Memory,
        Purpose::Slower,
        Purpose::WhatChanged,
        Purpose::WhatBroke,
    ];

    /// As menus have it.
    pub fn title(self) -> &'static str {
        match self {
            Purpose::GoingOn => "What is going on?",
            Purpose::WhatRuns => "Which code runs?",
            Purpose::TimeGoes => "Where does the time go?",
            Purpose::WhoCalls => "Who calls whom?",
            Purpose::Phases => "What happens in which order?",
            Purpose::Memory => "Where does memory go?",
            Purpose::Slower => "Why is one run slower?",
            Purpose::WhatChanged => "What changed between two runs?",
            Purpose::WhatBroke => "Which change broke it?",
        }
    }
}

//! The table of keys: for each page of the help its lines, and the actions that they are about.

mod along_time;
mod bookmarks;
mod feature;
mod files;
mod find;
mod graphs;
mod look;
mod look_around;
mod play;
mod possible;
mod present;
mod runs;
mod tables;
mod views;
mod window;

use crate::command::Command;
use callscape_state::action::Page;

/// The page that has the views of two runs, and the one that has all others.
pub(crate) const TWO_RUNS: &str = "Two runs";
pub(super) const VIEWS: &str = "Views";
/// Those that have the keys of views along time, of tables, and of graphs.
pub(super) const ALONG_TIME: &str = "Overview and call stacks";
pub(super) const TABLES: &str = "Functions and calls";
pub(super) const GRAPHS: &str = "Collaboration and neighbours";

/// What is opened and kept.
pub(crate) const FILES: &str = "Open and save";

/// What keys and the mouse do, page by page.
pub(crate) const PAGES: &[Page<Command>] = &[
    Page {
        title: "Look around",
        lines: look_around::LINES,
    },
    Page {
        title: "Code that runs for a feature",
        lines: feature::LINES,
    },
    Page {
        title: "Play",
        lines: play::LINES,
    },
    Page {
        title: TWO_RUNS,
        lines: runs::LINES,
    },
    Page {
        title: VIEWS,
        lines: views::LINES,
    },
    Page {
        title: ALONG_TIME,
        lines: along_time::LINES,
    },
    Page {
        title: TABLES,
        lines: tables::LINES,
    },
    Page {
        title: GRAPHS,
        lines: graphs::LINES,
    },
    Page {
        title: "Find and choose",
        lines: find::LINES,
    },
    Page {
        title: "Colours and heights",
        lines: look::LINES,
    },
    Page {
        title: "Bookmarks",
        lines: bookmarks::LINES,
    },
    Page {
        title: "Present",
        lines: present::LINES,
    },
    Page {
        title: FILES,
        lines: files::LINES,
    },
    Page {
        title: "Window",
        lines: window::LINES,
    },
];

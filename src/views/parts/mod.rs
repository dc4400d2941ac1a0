//! What several views share. Nothing here names a view.

pub(crate) mod along_time;
pub(crate) mod beside;
pub mod both_along_time;
pub mod causes;
pub(crate) mod code_look;
pub(crate) mod context_chart;
pub(crate) mod context_query;
pub(crate) mod contexts;
pub(crate) mod drawing;
pub(crate) mod export;
pub(crate) mod found;
pub(crate) mod graph;
pub mod hatching;
pub(crate) mod kept;
pub mod legend;
pub(crate) mod list;
pub(crate) mod noted;
pub mod pane;
pub mod remarks;
pub mod rows;
pub(crate) mod shading;
pub mod style;
pub mod text;
pub(crate) mod time_band;
pub mod tip;
pub mod widgets;

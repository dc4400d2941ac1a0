//! What can be pointed at in the timelines.

use callscape_base::units::{FunctionId, ModuleId};
use callscape_filter::selection::CallOf;
use callscape_layout::sheet::Rect;

/// Something that can be pointed at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spot {
    pub rect: Rect,
    pub side: usize,
    pub module: ModuleId,
    pub function: Option<FunctionId>,
    pub call: Option<CallOf>,
}

//! What can be pointed at in the timelines.

use crate::filter::selection::CallOf;
use crate::layout::sheet::Rect;
use crate::units::{FunctionId, ModuleId};

/// Something that can be pointed at.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    pub rect: Rect,
    pub side: usize,
    pub module: ModuleId,
    pub function: Option<FunctionId>,
    pub call: Option<CallOf>,
}

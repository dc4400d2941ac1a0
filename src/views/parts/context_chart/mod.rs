//! What the charts of calling contexts share: rings, flame graph, fan and call tree.

pub(crate) mod amount;
pub(crate) mod choice;
pub(crate) mod colors;
pub(crate) mod frame;

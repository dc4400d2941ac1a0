//! What names that lie flat have to fit into.

use crate::geometry::BlockLook;
use callscape_base::units::ModuleId;

/// What is known about blocks apart from their places at rest.
pub struct Around<'a, S, I> {
    pub looks: &'a [BlockLook],
    /// How many of some points along a line on the top of a block show.
    pub seen: S,
    /// How a module is called; none for its own name.
    pub name: Option<&'a dyn Fn(ModuleId) -> &'a str>,
    /// How important a block, which stands for a module, is; 0 is like all others, and none has no name.
    pub importance: I,
    /// How many names are shown at most, those of lines of a name counted each.
    pub most: usize,
}

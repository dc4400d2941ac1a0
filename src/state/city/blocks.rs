//! Which block of the city stands for a module or a function.

use callscape_analysis::session::Resolved;
use callscape_base::units::{FunctionId, ModuleId};

/// Stands for the block of what is hidden.
pub(super) const NO_BLOCK: u32 = u32::MAX;

/// The block that stands for a module, by what stands for each; none for one that is hidden.
pub(super) fn block_of_module(module: ModuleId, block_of: &[u32]) -> Option<u32> {
    let block = block_of.get(module.index()).copied();
    block.filter(|&block| block != NO_BLOCK)
}

/// The block that stands for the module of a function; none for one that is hidden.
pub(super) fn block_of_function(
    resolved: &Resolved,
    function: FunctionId,
    block_of: &[u32],
) -> Option<u32> {
    let module = resolved.resolution.modules.get(function.index())?;
    block_of_module(*module, block_of)
}

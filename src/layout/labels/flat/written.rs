//! Names as they are written on districts and roofs.

use crate::escape;
use crate::facts::hierarchy::Hierarchy;
use crate::units::ModuleId;

/// A name as it was written last, kept for the next time.
#[derive(Clone, Debug, Default)]
pub(super) struct Written {
    /// The block that it is of plus one; 0 for none.
    pub of: u32,
    pub text: String,
    /// In em.
    pub width: f32,
}

/// No more modules are named with one: the innermost say most.
const MOST_JOINED: u32 = 16;

/// Writes the name of a module, and before it those of `joined` modules that it is all there is of: `src/main/java`.
/// A name that says nothing beyond the one before it is left out, such as that of the class in a file of its name.
pub(super) fn name_of(hierarchy: &Hierarchy, module: ModuleId, joined: u32, name: &mut String) {
    name.clear();
    // The outermost is named first: recursion would be as deep as the tree.
    for above in (0..=joined.min(MOST_JOINED) as usize).rev() {
        let Some(of) = hierarchy.ancestors(module).nth(above) else {
            continue;
        };
        let part = hierarchy.name(of);
        let before = name.rsplit('/').next().unwrap_or_default();
        let stem = before.rsplit_once('.').map_or(before, |(stem, _)| stem);
        if !name.is_empty() && stem == part {
            continue;
        }
        if !name.is_empty() {
            name.push('/');
        }
        name.push_str(&escape::name(part));
    }
}

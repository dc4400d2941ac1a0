//! Which function a module stands for.

use callscape_analysis::session::Session;
use callscape_base::units::FunctionId;

/// By module, the function of the recording that it stands for, where it is one alone. O(modules + functions).
pub(crate) fn functions_by_module(session: &Session, recording: usize) -> Vec<Option<FunctionId>> {
    let mut functions = vec![None; session.hierarchy.len()];
    let Some(resolved) = session.recordings.get(recording) else {
        return functions;
    };
    let mut counts = vec![0u8; functions.len()];
    for (module, function) in resolved.resolution.modules.iter().zip(0..) {
        if let (Some(of), Some(count)) = (
            functions.get_mut(module.index()),
            counts.get_mut(module.index()),
        ) {
            *count = count.saturating_add(1);
            *of = (*count == 1).then_some(FunctionId(function));
        }
    }
    functions
}

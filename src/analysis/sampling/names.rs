//! Functions under new ids: only those that what is kept is of.

use callscape_base::units::FunctionId;
use callscape_facts::builder::TraceBuilder;
use callscape_facts::functions::Functions;

/// The functions of a recording by the ids that they have in what is made of it.
pub(super) struct Renamed<'a> {
    functions: &'a Functions,
    ids: Vec<Option<FunctionId>>,
}

impl<'a> Renamed<'a> {
    pub(super) fn new(functions: &'a Functions) -> Renamed<'a> {
        Renamed {
            functions,
            ids: vec![None; functions.len()],
        }
    }

    /// The new id of a function, given with the first question. O(1).
    pub(super) fn get(&mut self, id: FunctionId, builder: &mut TraceBuilder<'_>) -> FunctionId {
        if let Some(Some(known)) = self.ids.get(id.index()) {
            return *known;
        }
        let functions = self.functions;
        let new = builder.function_at(functions.get(id), functions.column(id));
        if let Some(known) = self.ids.get_mut(id.index()) {
            *known = Some(new);
        }
        new
    }
}

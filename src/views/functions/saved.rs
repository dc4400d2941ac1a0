//! What a session file keeps of the function table: how it is sorted and searched.

use serde::{Deserialize, Serialize};

use super::view::Functions;
use crate::SavedViews;
use crate::parts::kept::{self, Named, named};
use callscape_model::functions::Column;
use callscape_state::State;

named! { Column: Column::ALL, |it: Column| it.title().to_lowercase(); }

#[derive(Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    functions_by: Option<Named<Column>>,
    functions_descending: bool,
    functions_query: String,
}

impl Default for Kept {
    fn default() -> Kept {
        Kept {
            functions_by: None,
            functions_descending: true,
            functions_query: String::new(),
        }
    }
}

pub(super) fn save(view: &Functions, out: &mut SavedViews) {
    let kept = view.table.as_ref().map(|table| Kept {
        functions_by: Some(Named(table.sort().0)),
        functions_descending: table.sort().1,
        functions_query: table.query().to_owned(),
    });
    kept::put(&kept.unwrap_or_default(), &mut out.shown);
}

/// Brings the table to where a session file has it; how many names mean nothing.
pub(super) fn restore(view: &mut Functions, from: &SavedViews, state: &State) -> usize {
    let (Some(table), Some(document)) = (&mut view.table, &state.document) else {
        return 0;
    };
    let (kept, lost) = kept::read::<Kept>(&from.shown);
    if let Some(Named(column)) = kept.functions_by {
        table.set_sort(&document.session, column, kept.functions_descending);
    }
    table.search(&document.session, kept.functions_query);
    lost
}

//! What a session file keeps of the view: what its rows are. What is looked for is of the inputs.

use serde::{Deserialize, Serialize};

use super::listing::Of;
use crate::parts::kept::{Named, named};

named! { Of: Of::ALL, Of::id; }

#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Kept {
    pub faults_rows: Named<Of>,
}

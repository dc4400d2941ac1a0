//! What two runs have of the calls between two modules.

use std::sync::PoisonError;

use super::Runs;
use callscape_analysis::comparison::amounts::Change;
use callscape_analysis::session::Session;
use callscape_base::units::ModuleId;

impl Runs {
    /// What calls from one module to another, both with what is in them, come to in A and B. Added up once for the last that
    /// was asked for: O(functions + relations).
    pub fn between(&self, session: &Session, from: ModuleId, to: ModuleId) -> Change {
        // Nothing is left half done by a thread that panics here.
        let known = self.between.lock();
        let mut known = known.unwrap_or_else(PoisonError::into_inner);
        let asked = (self.revision, from, to);
        if let Some((of, change)) = *known
            && of == asked
        {
            return change;
        }
        let places = self.modules(session);
        let is_in = |outer: ModuleId, row: u32| {
            let module = places.get(row as usize);
            module.is_some_and(|&it| session.hierarchy.contains(outer, it))
        };
        let all = self.relations.iter();
        let mut sum = Change::default();
        for relation in all.filter(|it| is_in(from, it.from) && is_in(to, it.to)) {
            sum.a.add(&relation.change.a);
            sum.b.add(&relation.change.b);
        }
        *known = Some((asked, sum));
        sum
    }
}

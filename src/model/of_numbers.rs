//! What tables of other tools say of modules, as metrics.

use std::sync::Arc;

use crate::metrics::ModuleMetrics;
use crate::number_columns::NumberColumns;
use callscape_analysis::numbers::Numbers;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::Hierarchy;

impl ModuleMetrics {
    /// Takes what tables of numbers say, or that there are none; `origin` is as for [`set_coverage`](Self::set_coverage).
    pub fn set_numbers(
        &mut self,
        hierarchy: &Hierarchy,
        numbers: Option<&Arc<Numbers>>,
        origin: impl Fn(ModuleId) -> ModuleId,
    ) {
        self.numbers = numbers.map(|it| NumberColumns::new(hierarchy, it, origin));
    }

    /// What tables of numbers say, where there are any.
    pub fn numbers(&self) -> Option<&Arc<Numbers>> {
        self.numbers.as_ref().map(|it| &it.of)
    }

    /// The number of a module in a column of the tables; none if there is none. O(1).
    pub fn number(&self, column: u8, module: ModuleId) -> Option<f64> {
        self.numbers.as_ref()?.of(column.into(), module)
    }

    /// The dates of a column of the tables, and the number of a module at each, which may be none. O(1).
    pub fn trend(&self, column: u8, module: ModuleId) -> Option<(&[String], &[f64])> {
        self.numbers.as_ref()?.trend(column.into(), module)
    }
}

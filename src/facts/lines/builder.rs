//! Adds up what places and the calls from them weigh, in any order.

use std::collections::HashMap;

use super::call_sites::CallSitesBuilder;
use super::place_id::PlaceId;
use super::{Knows, Lines, Place, SiteRow};
use crate::names::Names;
use crate::trace::storage::Table;
use callscape_base::units::FunctionId;

/// A file that lines lie in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileId(u32);

impl FileId {
    /// That of the function itself.
    pub const OWN: FileId = FileId(0);
}

/// Weights past 63 bits stay at the largest number there is; whoever reads the same weights counts that.
#[derive(Debug)]
pub struct LinesBuilder {
    knows: Knows,
    /// That of [`FileId::OWN`], which is empty, first.
    files: Names,
    places: Vec<Place>,
    place_ids: HashMap<Place, u32>,
    /// By value, by place.
    own: Vec<Vec<i64>>,
    totals: Vec<Vec<i64>>,
    samples: Vec<u64>,
    sites: Vec<SiteRow>,
    site_ids: HashMap<SiteRow, u32>,
    calls: Vec<u64>,
    /// By value, by site.
    costs: Vec<Vec<i64>>,
    call_sites: CallSitesBuilder,
}

impl LinesBuilder {
    /// Nothing yet; everything weighs `values` values.
    pub fn new(values: usize, knows: Knows) -> LinesBuilder {
        LinesBuilder {
            knows,
            files: Names::default(),
            places: Vec::new(),
            place_ids: HashMap::new(),
            own: vec![Vec::new(); values],
            totals: vec![Vec::new(); values],
            samples: Vec::new(),
            sites: Vec::new(),
            site_ids: HashMap::new(),
            calls: Vec::new(),
            costs: vec![Vec::new(); values],
            call_sites: CallSitesBuilder::default(),
        }
    }

    /// One value more; what there is so far weighs nothing of it.
    pub fn add_value(&mut self) {
        self.own.push(vec![0; self.places.len()]);
        self.totals.push(vec![0; self.places.len()]);
        self.costs.push(vec![0; self.sites.len()]);
    }

    /// The file of this name, which is not the function's own.
    pub fn file(&mut self, name: &str) -> FileId {
        FileId(self.files.intern(name).0)
    }

    /// A line of a function, from 1, or 0 where it is not known. O(1).
    pub fn place(&mut self, function: FunctionId, file: FileId, line: u32) -> PlaceId {
        let place = Place {
            function: function.0,
            file: file.0,
            line,
        };
        let next = self.places.len() as u32;
        let id = *self.place_ids.entry(place).or_insert(next);
        if id == next {
            self.places.push(place);
            for column in self.own.iter_mut().chain(&mut self.totals) {
                column.push(0);
            }
            self.samples.push(0);
        }
        PlaceId(id)
    }

    /// Whether the line of any place is known.
    fn knows_a_line(&self) -> bool {
        self.places.iter().any(|place| place.line > 0)
    }

    /// Whether contexts can be told apart by call site.
    pub(super) fn has_call_sites(&self) -> bool {
        self.knows.sites && self.knows_a_line()
    }

    /// Takes the calling contexts by call site.
    pub(super) fn take_call_sites(&mut self, call_sites: CallSitesBuilder) {
        self.call_sites = call_sites;
    }

    pub(super) fn place_of(&self, id: PlaceId) -> Place {
        self.places[id.index()]
    }

    /// Adds to what a place itself weighs of `value`.
    pub fn add(&mut self, place: PlaceId, value: usize, weight: impl Into<i128>) {
        add(&mut self.own, value, place.index(), weight);
    }

    /// Adds to what weighs while a place is on the stack.
    pub fn add_total(&mut self, place: PlaceId, value: usize, weight: impl Into<i128>) {
        add(&mut self.totals, value, place.index(), weight);
    }

    /// Adds samples that found a place running.
    pub fn add_samples(&mut self, place: PlaceId, samples: u64) {
        let sum = &mut self.samples[place.index()];
        *sum = sum.saturating_add(samples);
    }

    /// Adds calls from a place, and by value what they weigh with all below them.
    pub fn add_calls(
        &mut self,
        place: PlaceId,
        callee: FunctionId,
        calls: u64,
        weights: impl IntoIterator<Item = (usize, impl Into<i128>)>,
    ) {
        let row = SiteRow {
            place: place.0,
            callee: callee.0,
        };
        let next = self.sites.len() as u32;
        let id = *self.site_ids.entry(row).or_insert(next);
        if id == next {
            self.sites.push(row);
            self.calls.push(0);
            for column in &mut self.costs {
                column.push(0);
            }
        }
        let sum = &mut self.calls[id as usize];
        *sum = sum.saturating_add(calls);
        for (value, weight) in weights {
            add(&mut self.costs, value, id as usize, weight);
        }
    }

    /// Adds what another recording of the same program knows; `function` gives its functions as they are known here.
    pub fn add_lines(&mut self, lines: &Lines, function: impl Fn(FunctionId) -> FunctionId) {
        for number in 0..lines.len() {
            let place = lines.place(number);
            let file = lines.other_file(place).map(|name| self.file(name));
            let own = function(place.function());
            let id = self.place(own, file.unwrap_or(FileId::OWN), place.line());
            self.add_samples(id, lines.samples(number).unwrap_or(0));
            for value in 0..lines.values().min(self.own.len()) {
                self.add(id, value, lines.own(value, number));
                let total = lines.total(value, number).unwrap_or_default();
                self.add_total(id, value, total);
                for site in lines.sites(value, number) {
                    let calls = match value {
                        0 => site.calls.unwrap_or(0),
                        _ => 0,
                    };
                    let weight = [(value, site.cost)];
                    self.add_calls(id, function(site.callee), calls, weight);
                }
            }
        }
    }

    /// All of it; none where no line is known. O(n log n).
    pub fn finish(self) -> Option<Lines> {
        if !self.knows_a_line() {
            return None;
        }
        let order = order_of(&self.places);
        // By place as it was built, its number in order.
        let mut numbers = vec![0_u32; order.len()];
        for (number, &id) in (0..).zip(&order) {
            numbers[id as usize] = number;
        }
        let sites = self.sites.iter().map(|row| SiteRow {
            place: numbers[row.place as usize],
            ..*row
        });
        let sites: Vec<SiteRow> = sites.collect();
        let site_order = match self.knows.sites {
            true => order_of(&sites),
            false => Vec::new(),
        };
        let columns = |columns: &[Vec<i64>], order: &[u32], are_known: bool| {
            let known = columns.iter().filter(|_| are_known);
            let rows = known.flat_map(|it| column(it, order));
            Table::Rows(rows.collect::<Vec<i64>>().into())
        };
        let known = |rows: Vec<u64>, are_known: bool| match are_known {
            true => Table::Rows(rows.into()),
            false => Table::default(),
        };
        let names = (0..self.files.len() as u32).map(crate::names::NameId);
        let sorted = |order: &[u32]| -> Vec<Place> {
            order.iter().map(|&id| self.places[id as usize]).collect()
        };
        Some(Lines {
            knows: self.knows,
            call_sites: self.call_sites.finish(&numbers, self.knows.calls),
            values: self.own.len(),
            files: names.map(|id| self.files.get(id).to_owned()).collect(),
            places: Table::Rows(sorted(&order).into()),
            own: columns(&self.own, &order, true),
            totals: columns(&self.totals, &order, self.knows.totals),
            samples: known(column(&self.samples, &order), self.knows.samples),
            calls: known(column(&self.calls, &site_order), self.knows.calls),
            costs: columns(&self.costs, &site_order, true),
            sites: {
                let rows = site_order.iter().map(|&id| sites[id as usize]);
                Table::Rows(rows.collect::<Vec<SiteRow>>().into())
            },
        })
    }
}

fn add(columns: &mut [Vec<i64>], value: usize, row: usize, weight: impl Into<i128>) {
    if let Some(sum) = columns.get_mut(value).and_then(|it| it.get_mut(row)) {
        *sum = sum.saturating_add(fitting(weight));
    }
}

/// A weight in 63 bits.
pub(super) fn fitting(weight: impl Into<i128>) -> i64 {
    weight.into().clamp(i64::MIN.into(), i64::MAX.into()) as i64
}

/// The rows of a column in this order.
fn column<T: Copy>(column: &[T], order: &[u32]) -> Vec<T> {
    order.iter().map(|&id| column[id as usize]).collect()
}

/// The numbers of rows in the order of what they hold.
fn order_of<T: Ord>(rows: &[T]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..rows.len() as u32).collect();
    order.sort_unstable_by(|&a, &b| rows[a as usize].cmp(&rows[b as usize]));
    order
}

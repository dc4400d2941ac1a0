//! All that is known of lines as bytes, for the index file.
//!
//! A length, a header as JSON, then the tables of numbers, each at a multiple of eight bytes.

use std::ops::Range;

use bytemuck::Pod;
use serde::{Deserialize, Serialize};

use super::call_sites::CallSites;
use super::{Knows, Lines, Place, SiteRow};
use crate::trace::storage::{Bytes, Table};

/// What is small.
#[derive(Serialize, Deserialize)]
struct Header {
    knows: Knows,
    values: usize,
    files: Vec<String>,
    /// Of the tables, in bytes.
    lengths: Vec<usize>,
}

fn bytes_of<T: Pod>(rows: &[T]) -> &[u8] {
    bytemuck::cast_slice(rows)
}

impl Lines {
    /// The bytes, a multiple of eight of them.
    pub(crate) fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        let tables = [
            bytes_of(&self.places),
            bytes_of(&self.own),
            bytes_of(&self.totals),
            bytes_of(&self.samples),
            bytes_of(&self.sites),
            bytes_of(&self.calls),
            bytes_of(&self.costs),
        ];
        let all = || tables.into_iter().chain(self.call_sites.tables());
        let header = serde_json::to_vec(&Header {
            knows: self.knows,
            values: self.values,
            files: self.files.clone(),
            lengths: all().map(<[u8]>::len).collect(),
        })?;
        let mut out = (header.len() as u64).to_le_bytes().to_vec();
        for part in std::iter::once(header.as_slice()).chain(all()) {
            out.extend_from_slice(part);
            out.resize(out.len().next_multiple_of(8), 0);
        }
        Ok(out)
    }

    /// What lies in `range` of `bytes`, of a recording with `functions` functions; none where it does not belong together.
    pub(crate) fn from_bytes(
        bytes: &Bytes,
        range: Range<usize>,
        functions: usize,
    ) -> Option<Lines> {
        let length = bytes.get(range.clone())?.first_chunk()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let start = range.start.checked_add(size_of::<u64>())?;
        let end = start.checked_add(length).filter(|&end| end <= range.end)?;
        let header: Header = serde_json::from_slice(bytes.get(start..end)?).ok()?;
        let mut at = end.checked_next_multiple_of(8)?;
        let mut lengths = header.lengths.iter();
        let mut next = || {
            let end = at.checked_add(*lengths.next()?)?;
            let part = at..Some(end).filter(|&end| end <= range.end)?;
            at = end.checked_next_multiple_of(8)?;
            Some(part)
        };
        let places = Table::part(bytes, next()?)?;
        let (own, totals) = (Table::part(bytes, next()?)?, Table::part(bytes, next()?)?);
        let samples = Table::part(bytes, next()?)?;
        let sites = Table::part(bytes, next()?)?;
        let (calls, costs) = (Table::part(bytes, next()?)?, Table::part(bytes, next()?)?);
        let call_sites = CallSites::of_tables(bytes, next)?;
        let lines = Lines {
            knows: header.knows,
            values: header.values,
            files: header.files,
            places,
            own,
            totals,
            samples,
            sites,
            calls,
            costs,
            call_sites,
        };
        lines.belongs_together(functions).then_some(lines)
    }

    /// Whether every number refers to what is there, and the tables are as long as one another says. O(n).
    fn belongs_together(&self, functions: usize) -> bool {
        let (places, sites) = (self.places.len(), self.sites.len());
        let each = |rows: usize| rows.checked_mul(self.values);
        let if_known = |is_known: bool, rows: Option<usize>| match is_known {
            true => rows,
            false => Some(0),
        };
        let fits = |place: &Place| {
            (place.function as usize) < functions && (place.file as usize) < self.files.len()
        };
        let site_fits =
            |row: &SiteRow| (row.place as usize) < places && (row.callee as usize) < functions;
        Some(self.own.len()) == each(places)
            && Some(self.totals.len()) == if_known(self.knows.totals, each(places))
            && Some(self.samples.len()) == if_known(self.knows.samples, Some(places))
            && Some(self.calls.len()) == if_known(self.knows.calls, Some(sites))
            && Some(self.costs.len()) == each(sites)
            && self.places.iter().all(fits)
            && self.places.is_sorted()
            && self.sites.iter().all(site_fits)
            && self.sites.is_sorted()
            && (self.call_sites).belongs_together((functions, places, self.values))
    }
}

//! Which finding explains which cost.

use std::ops::Range;

/// Which self cost of contexts: running, waiting, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Running,
    Waiting,
    Both,
}

impl Part {
    fn has(self, column: usize) -> bool {
        match self {
            Part::Running => column == 0,
            Part::Waiting => column == 1,
            Part::Both => true,
        }
    }
}

/// The own costs of some contexts.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    pub contexts: Range<u32>,
    pub part: Part,
}

/// No finding.
const FREE: u8 = u8::MAX;

/// By context, what it costs itself and which finding explains that.
pub(super) struct Ledger<'a> {
    own: &'a [[u64; 2]],
    owners: Vec<[u8; 2]>,
}

/// What of some claims is already explained.
pub(super) struct Standing {
    pub all: u64,
    pub free: u64,
    /// The finding that explains most of the rest, and how much.
    pub holder: Option<(usize, u64)>,
}

impl<'a> Ledger<'a> {
    pub(super) fn new(own: &'a [[u64; 2]]) -> Ledger<'a> {
        Ledger {
            own,
            owners: vec![[FREE; 2]; own.len()],
        }
    }

    fn cells(claims: &[Claim]) -> impl Iterator<Item = (usize, usize)> + '_ {
        claims.iter().flat_map(|claim| {
            let cells = |context| [0, 1].map(|column| (context as usize, column));
            let cells = claim.contexts.clone().flat_map(cells);
            cells.filter(|(_, column)| claim.part.has(*column))
        })
    }

    /// O(contexts of the claims).
    pub(super) fn standing(&self, claims: &[Claim], findings: usize) -> Standing {
        let mut held = vec![0; findings];
        let mut standing = Standing {
            all: 0,
            free: 0,
            holder: None,
        };
        for (context, column) in Ledger::cells(claims) {
            let cost = self.own[context][column];
            standing.all += cost;
            match held.get_mut(usize::from(self.owners[context][column])) {
                None => standing.free += cost,
                Some(held) => *held += cost,
            }
        }
        let most = (0..findings).rev().max_by_key(|&it| held[it]);
        standing.holder = most.map(|it| (it, held[it])).filter(|it| it.1 > 0);
        standing
    }

    /// Explains what is still free by this finding.
    pub(super) fn claim(&mut self, claims: &[Claim], finding: usize) {
        let finding = u8::try_from(finding).unwrap_or(FREE);
        for (context, column) in Ledger::cells(claims) {
            let owner = &mut self.owners[context][column];
            if *owner == FREE {
                *owner = finding;
            }
        }
    }
}

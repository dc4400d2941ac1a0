//! What a file is: how its text came about, and what it is for.

use serde::{Deserialize, Serialize};

/// How the text of a file came about.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Made {
    /// Written by hand, as far as anyone can tell.
    #[default]
    Hand,
    /// By a program: it says so itself, or git's attributes do.
    Generated,
    /// Elsewhere, and copied into this tree.
    Vendored,
    /// By a program that removes what only people need.
    Minified,
    /// Tables of values, not statements.
    Data,
}

impl Made {
    pub const ALL: [Made; 5] = [
        Made::Hand,
        Made::Generated,
        Made::Vendored,
        Made::Minified,
        Made::Data,
    ];

    /// As documents and the command line name it.
    pub fn name(self) -> &'static str {
        match self {
            Made::Hand => "hand",
            Made::Generated => "generated",
            Made::Vendored => "vendored",
            Made::Minified => "minified",
            Made::Data => "data",
        }
    }

    /// As a legend names it.
    pub fn title(self) -> &'static str {
        match self {
            Made::Hand => "written by hand",
            Made::Data => "data-like",
            other => other.name(),
        }
    }
}

/// What a file is for.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Purpose {
    /// What runs for those who use it.
    #[default]
    Product,
    Test,
    Example,
    Bench,
    Documentation,
}

impl Purpose {
    pub const ALL: [Purpose; 5] = [
        Purpose::Product,
        Purpose::Test,
        Purpose::Example,
        Purpose::Bench,
        Purpose::Documentation,
    ];

    /// As documents, the command line and legends name it.
    pub fn name(self) -> &'static str {
        match self {
            Purpose::Product => "product",
            Purpose::Test => "test",
            Purpose::Example => "example",
            Purpose::Bench => "bench",
            Purpose::Documentation => "documentation",
        }
    }

    /// As a sentence names the files that have it.
    pub fn plural(self) -> &'static str {
        match self {
            Purpose::Product => "product",
            Purpose::Test => "tests",
            Purpose::Example => "examples",
            Purpose::Bench => "benches",
            Purpose::Documentation => "documentation",
        }
    }
}

/// Some of the purposes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Purposes(u8);

impl Purposes {
    pub const NONE: Purposes = Purposes(0);

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn contains(self, purpose: Purpose) -> bool {
        self.0 & (1 << purpose as u8) != 0
    }

    /// The same with `purpose` if it was not among them, and without it if it was.
    pub fn toggled(self, purpose: Purpose) -> Purposes {
        Purposes(self.0 ^ (1 << purpose as u8))
    }

    pub fn iter(self) -> impl Iterator<Item = Purpose> {
        let all = Purpose::ALL.into_iter();
        all.filter(move |&purpose| self.contains(purpose))
    }
}

impl FromIterator<Purpose> for Purposes {
    fn from_iter<I: IntoIterator<Item = Purpose>>(purposes: I) -> Purposes {
        let bits = purposes.into_iter().map(|purpose| 1 << purpose as u8);
        Purposes(bits.fold(0, |all, bit| all | bit))
    }
}

/// The kind of a file, and of all that stands in it. A directory has what all of its files agree on, and else
/// what is most common: written by hand, and product.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct FileKind {
    pub made: Made,
    pub purpose: Purpose,
}

impl FileKind {
    /// What a directory with files of both kinds is.
    pub fn common(self, other: FileKind) -> FileKind {
        FileKind {
            made: match self.made == other.made {
                true => self.made,
                false => Made::Hand,
            },
            purpose: match self.purpose == other.purpose {
                true => self.purpose,
                false => Purpose::Product,
            },
        }
    }

    pub fn is_by_hand(self) -> bool {
        self.made == Made::Hand
    }
}

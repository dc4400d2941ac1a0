//! Which frames a profile itself wants left out: those of functions that `drop_frames` names and `keep_frames`
//! does not, with all that they call. As pprof does it, see `profile/prune.go` in its sources.

use std::collections::HashMap;

use regex::bytes::{Regex, RegexBuilder};

/// The longest expression that is tried, and the memory that one may take: a profile may come from anywhere.
const LONGEST: usize = 64 << 10;
const MEMORY: usize = 1 << 20;

/// What names are left out.
pub(super) struct Prune {
    drop: Regex,
    keep: Option<Regex>,
    known: HashMap<Box<[u8]>, bool>,
}

/// How a location is affected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pruning {
    None,
    /// Its innermost functions, this many, and what they call.
    Innermost(usize),
    /// All of it and what it calls.
    Whole,
}

impl Prune {
    /// None where nothing is to be left out; an error for what is no regular expression.
    pub(super) fn new(drop: &[u8], keep: &[u8]) -> Result<Option<Prune>, ()> {
        if drop.is_empty() {
            return Ok(None);
        }
        Ok(Some(Prune {
            drop: whole(drop)?,
            keep: match keep {
                b"" => None,
                keep => Some(whole(keep)?),
            },
            known: HashMap::new(),
        }))
    }

    fn drops(&mut self, name: &[u8]) -> bool {
        if name.is_empty() {
            return false;
        }
        if let Some(&known) = self.known.get(name) {
            return known;
        }
        let simple = simplified(name);
        let keeps = |keep: &Regex| keep.is_match(simple);
        let drops = self.drop.is_match(simple) && !self.keep.as_ref().is_some_and(keeps);
        self.known.insert(name.into(), drops);
        drops
    }

    /// How a location is affected whose functions have these names, innermost first.
    pub(super) fn of<'a>(&mut self, names: impl DoubleEndedIterator<Item = &'a [u8]>) -> Pruning {
        let names: Vec<&[u8]> = names.collect();
        match names.iter().rposition(|name| self.drops(name)) {
            None => Pruning::None,
            Some(outermost) if outermost + 1 == names.len() => Pruning::Whole,
            Some(outermost) => Pruning::Innermost(outermost + 1),
        }
    }
}

fn whole(expression: &[u8]) -> Result<Regex, ()> {
    let text = std::str::from_utf8(expression).map_err(|_| ())?;
    if text.len() > LONGEST {
        return Err(());
    }
    let mut builder = RegexBuilder::new(&format!("^(?:{text})$"));
    builder.size_limit(MEMORY).dfa_size_limit(MEMORY);
    builder.build().map_err(|_| ())
}

/// A name without its arguments, which the expressions do not speak of.
fn simplified(name: &[u8]) -> &[u8] {
    let name = name.strip_prefix(b".").unwrap_or(name);
    let mut start = 0;
    while let Some(at) = memchr::memchr(b'(', &name[start..]) {
        let at = start + at;
        let reserved = name[at..].starts_with(b"(anonymous namespace)")
            || (name[at..].starts_with(b"()") && name[..at].ends_with(b"operator"));
        if !reserved {
            return &name[..at];
        }
        start = at + 1;
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(drop: &str, keep: &str, names: &[&str]) -> Pruning {
        let prune = Prune::new(drop.as_bytes(), keep.as_bytes());
        let mut prune = prune.expect("expressions").expect("some");
        prune.of(names.iter().map(|name| name.as_bytes()))
    }

    #[test]
    fn whole_names_without_arguments_are_left_out() {
        assert_eq!(of("malloc|.*::alloc", "", &["malloc"]), Pruning::Whole);
        assert_eq!(
            of("malloc|.*::alloc", "", &["a::alloc(int)"]),
            Pruning::Whole
        );
        assert_eq!(of("malloc", "", &["my_malloc"]), Pruning::None);
        assert_eq!(of("malloc", "", &["malloc", "f"]), Pruning::Innermost(1));
        assert_eq!(
            of("malloc", "", &["f", "malloc", "g"]),
            Pruning::Innermost(2)
        );
        assert_eq!(of("m.*", "malloc", &["malloc"]), Pruning::None);
        assert_eq!(of("operator\\(\\)", "", &["operator()"]), Pruning::Whole);
        assert!(Prune::new(b"(", b"").is_err());
        assert!(Prune::new(b"", b"x").is_ok_and(|prune| prune.is_none()));
        assert!(Prune::new(&b"a{1000}{1000}"[..], b"").is_err());
    }
}

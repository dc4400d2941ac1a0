//! What contexts have: each value of the recording, with and without callees, and calls. A chart shows one as sizes and one as
//! colours, and a search limits any of them.

use std::borrow::Cow;

use crate::parts::contexts::ShownContexts;
use callscape_base::units::{ContextId, Cost, grouped};

/// One of these, the values by their numbers in the tree that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Amount {
    Total(usize),
    Own(usize),
    Calls,
}

impl Amount {
    /// All that contexts have, those of the value shown first.
    pub(crate) fn all(shown: &ShownContexts) -> Vec<Amount> {
        let others = (0..shown.values.len()).filter(|it| *it != shown.value);
        let values = std::iter::once(shown.value).chain(others);
        let both = values.flat_map(|it| [Amount::Total(it), Amount::Own(it)]);
        let calls = shown.contexts.counts_calls().then_some(Amount::Calls);
        both.chain(calls).collect()
    }

    /// All with their names.
    pub(crate) fn named(shown: &ShownContexts) -> Vec<(Cow<'_, str>, Amount)> {
        let all = Amount::all(shown).into_iter();
        all.map(|it| (it.title(shown), it)).collect()
    }

    /// The same of merged stacks, which have the value shown alone.
    pub(crate) fn of_stacks(shown: &ShownContexts) -> Vec<(Cow<'_, str>, Amount)> {
        let all = [
            Amount::Total(shown.value),
            Amount::Own(shown.value),
            Amount::Calls,
        ];
        all.map(|it| (it.title(shown), it)).into()
    }

    /// The one that session files and people call `title`.
    pub(crate) fn find(shown: &ShownContexts, title: &str) -> Option<Amount> {
        let mut all = Amount::all(shown).into_iter();
        all.find(|it| it.title(shown) == title)
    }

    /// `total` and `self` are of the value shown; others have their names.
    pub(crate) fn title(self, shown: &ShownContexts) -> Cow<'_, str> {
        match self {
            Amount::Calls => "calls".into(),
            Amount::Total(value) if value == shown.value => "total".into(),
            Amount::Own(value) if value == shown.value => "self".into(),
            Amount::Total(value) => shown.values[value].name.as_str().into(),
            Amount::Own(value) => format!("self {}", shown.values[value].name).into(),
        }
    }

    /// With the name of the value shown.
    pub(crate) fn words(self, shown: &ShownContexts) -> String {
        let title = self.title(shown);
        match self {
            Amount::Total(value) | Amount::Own(value) if value == shown.value => {
                format!("{title} {}", shown.values[value].name)
            }
            _ => title.into_owned(),
        }
    }

    pub(crate) fn of(self, shown: &ShownContexts, context: ContextId) -> Cost {
        match self {
            Amount::Total(value) => shown.contexts.total(value, context),
            Amount::Own(value) => shown.contexts.self_weight(value, context),
            Amount::Calls => Cost::from_ns(shown.calls(context)),
        }
    }

    /// What everything shown has; shares of the value shown are those of the whole run.
    pub(crate) fn whole(self, shown: &ShownContexts) -> u64 {
        let last = |of: &[u64]| of.last().copied().unwrap_or_default();
        match self {
            Amount::Total(value) | Amount::Own(value) if value == shown.value => shown.size,
            Amount::Total(value) | Amount::Own(value) => last(&shown.contexts.sizes_before(value)),
            Amount::Calls => last(shown.calls_before()),
        }
    }

    /// An amount for people.
    pub(crate) fn show(self, shown: &ShownContexts, amount: Cost) -> String {
        match self {
            Amount::Total(value) | Amount::Own(value) => shown.values[value].unit.show(amount),
            Amount::Calls => grouped(amount.size()),
        }
    }

    /// Its sums before each context, as lengths and areas show them, and how many contexts before each they do not show.
    pub(crate) fn before(self, shown: &ShownContexts) -> (Cow<'_, [u64]>, Cow<'_, [u32]>) {
        match self {
            Amount::Calls => (shown.calls_before().into(), Cow::default()),
            Amount::Total(value) | Amount::Own(value) => {
                let negative = match value == shown.value {
                    true => Cow::from(&shown.negative_before),
                    false => shown.contexts.negative_before(value).into(),
                };
                (shown.contexts.shown_before(value), negative)
            }
        }
    }
}

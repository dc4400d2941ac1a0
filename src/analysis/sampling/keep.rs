//! Calls that are kept whatever the sampling says: every call from A to B, every call of f that is longer than a time.

use crate::meant_by::MeantBy;
use crate::session::{Resolved, Session};
use callscape_base::units::{Cost, FunctionId, Time, TimeSpec};
use callscape_facts::trace::Call;

/// A rule as it is written: `A -> B`, `f > 5ms`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeepRule {
    pub text: String,
    of: Of<String, String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Of<Caller, Callee> {
    /// Every call from one to the other.
    Between(Caller, Callee),
    /// Every call that is longer.
    Longer(Callee, Cost),
}

impl std::str::FromStr for KeepRule {
    type Err = String;

    fn from_str(text: &str) -> Result<KeepRule, String> {
        let wrong = || format!("expected a rule like \"A -> B\" or \"f > 5ms\", found '{text}'");
        let name = |part: &str| match part.trim() {
            "" => Err(wrong()),
            part => Ok(part.to_owned()),
        };
        // Names have arrows and angles too, but none between spaces.
        let longer = text.rsplit_once(" > ");
        if let Some((function, time)) = longer
            && let Ok(TimeSpec::At(time)) = time.trim().parse()
        {
            return Ok(KeepRule {
                text: text.to_owned(),
                of: Of::Longer(name(function)?, time.since(Time::ZERO)),
            });
        }
        let (caller, callee) = text.split_once(" -> ").ok_or_else(wrong)?;
        Ok(KeepRule {
            text: text.to_owned(),
            of: Of::Between(name(caller)?, name(callee)?),
        })
    }
}

/// By function, whether it is one of those meant.
type Among = Vec<bool>;

/// Rules as they are true of the functions of one recording.
#[derive(Clone, Debug, Default)]
pub struct Keep {
    /// Each as it is written, with the functions that it names.
    rules: Vec<(String, Of<Among, Among>)>,
}

impl Keep {
    /// Finds the functions that rules name: by their name, in which `*` stands for anything, or as everything in the
    /// module with this path. An error where there are none. O(rules × functions).
    pub fn new(rules: &[KeepRule], session: &Session, resolved: &Resolved) -> Result<Keep, String> {
        let functions = resolved.recording.functions.len();
        if rules.is_empty() {
            return Ok(Keep::default());
        }
        let meant = MeantBy::new(session, resolved);
        Keep::among(rules, functions, |name, id| meant.is(name, id))
    }

    /// The same with `is` saying whether a name means a function.
    pub fn among(
        rules: &[KeepRule],
        functions: usize,
        is: impl Fn(&str, FunctionId) -> bool,
    ) -> Result<Keep, String> {
        let find = |rule: &KeepRule, name: &str| {
            let ids = (0..functions as u32).map(FunctionId);
            let found: Vec<bool> = ids.map(|id| is(name, id)).collect();
            match found.contains(&true) {
                true => Ok(found),
                false => Err(format!(
                    "expected functions or modules of the recording in the rule \"{}\", found none called '{name}'",
                    rule.text
                )),
            }
        };
        let rules = rules.iter().map(|rule| {
            let of = match &rule.of {
                Of::Between(caller, callee) => {
                    Of::Between(find(rule, caller)?, find(rule, callee)?)
                }
                Of::Longer(function, cost) => Of::Longer(find(rule, function)?, *cost),
            };
            Ok((rule.text.clone(), of))
        });
        let rules: Result<_, String> = rules.collect();
        Ok(Keep { rules: rules? })
    }

    /// The rules as they are written.
    pub fn rules(&self) -> impl Iterator<Item = &str> {
        self.rules.iter().map(|(text, _)| text.as_str())
    }

    /// Whether a call is kept, and counts it for each rule that is true of it. O(rules).
    pub(super) fn count(
        &self,
        caller: Option<FunctionId>,
        call: &Call,
        counts: &mut [u64],
    ) -> bool {
        let mut is_kept = false;
        let has = |of: &[bool], id: FunctionId| of.get(id.index()) == Some(&true);
        for ((_, rule), count) in self.rules.iter().zip(counts) {
            let is_true = match rule {
                Of::Between(from, to) => {
                    has(to, call.function) && caller.is_some_and(|caller| has(from, caller))
                }
                Of::Longer(functions, cost) => call.cost() > *cost && has(functions, call.function),
            };
            *count += u64::from(is_true);
            is_kept |= is_true;
        }
        is_kept
    }
}

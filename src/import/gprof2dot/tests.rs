//! Tests with the numbers that memray gives.

use super::*;
use crate::made;

#[test]
fn chains_are_contexts_and_costs_those_of_memray() {
    let recording = made::found(FORMAT, made::sample("memray/store.gprof2dot.json"));
    assert_eq!(made::warnings(&recording), []);
    let stacks = made::stacks(&recording, 0);
    let grow = "<module> (store.py);main (store.py);grow (store.py) 1310740";
    assert!(
        stacks.iter().any(|stack| stack.ends_with(grow)),
        "{stacks:#?}"
    );
    let profile = recording.profile.expect("a profile");
    assert_eq!(
        (profile.values()[0].name.as_str(), profile.unit()),
        ("Memory", &Unit::Bytes)
    );
    // What `memray stats` prints as the peak.
    assert_eq!(profile.weight().weight(), 1_368_209);
}

#[test]
fn several_costs_are_values() {
    let text = br#"{"version":0,"costs":[{"description":"Time","unit":"s"},{"description":"Hits","unit":"hits"},
        {"description":"Visits","unit":"visits"}],"functions":[{"name":"f","module":"lib"},{"name":"g"}],
        "events":[{"callchain":[1,0],"cost":[0.25,3,1.5]},{"callchain":[0],"cost":[1e-3,4]},{"callchain":[7],"cost":[0,1,0,2]}]}"#;
    let recording = made::found(FORMAT, text);
    let mut found = made::warnings(&recording);
    found.sort();
    let expected = [
        ("empty-stack", 1),
        ("more-costs-than-events", 1),
        ("unknown-frame", 1),
    ];
    assert_eq!(found, expected);
    assert_eq!(made::stacks(&recording, 0), ["f 1000000", "f;g 250000000"]);
    assert_eq!(
        made::stacks(&recording, 1),
        ["[no frames] 1", "f 4", "f;g 3"]
    );
    assert_eq!(made::stacks(&recording, 2), ["f;g 1500"]);
    let profile = recording.profile.as_ref().expect("a profile");
    assert_eq!(
        profile.values()[2].unit,
        Unit::Thousandths("visits".to_owned())
    );
}

#[test]
fn what_is_cut_or_damaged_is_repaired_or_refused() {
    let sample = made::sample("memray/store.gprof2dot.json");
    assert!(made::cut(import, &sample) > 1000);
    made::damage(import, &sample[..400]);
    let early = br#"{"events":[{"callchain":[0],"cost":[1]}],"costs":[{"description":"a","unit":"b"}],"functions":[]}"#;
    assert!(made::read(import, early).is_err());
    assert!(made::read(import, br#"{"costs":[],"events":[{"callchain":[0]}]}"#).is_err());
}

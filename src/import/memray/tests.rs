//! Tests with the numbers that memray prints.

use super::*;
use crate::made;

#[test]
fn numbers_are_those_of_memray() {
    let recording = made::found(FORMAT, made::sample("memray/store.stats.json"));
    assert_eq!(made::warnings(&recording), []);
    let size = made::functions(&recording, 0);
    assert!(
        size.contains(&"grow (store.py) 0 1310740 1310740".to_owned()),
        "{size:?}"
    );
    assert!(size.contains(&"churn (store.py) 0 819250 819250".to_owned()));
    let counts = made::functions(&recording, 1);
    assert!(
        counts.contains(&"churn (store.py) 0 50 50".to_owned()),
        "{counts:?}"
    );
    assert!(counts.contains(&"[other locations] 0 42 42".to_owned()));
    let profile = recording.profile.expect("a profile");
    assert_eq!(
        [0, 1].map(|it| profile.weight_of(it).weight()),
        [2_384_391, 200]
    );
}

#[test]
fn what_is_cut_or_damaged_is_repaired_or_refused() {
    let sample = made::sample("memray/store.stats.json");
    assert!(made::cut(import, &sample) > 100);
    made::damage(import, &sample[..120]);
    made::damage(import, &sample[900..1300]);
    let less = br#"{"total_num_allocations":1,"total_bytes_allocated":2,"top_allocations_by_size":[{"location":"f","size":3}],
        "top_allocations_by_count":[]}"#;
    let recording = made::found(FORMAT, less);
    assert_eq!(made::warnings(&recording), [("total-below-self", 1)]);
}

//! Tests with the numbers that stackprof gives.

use super::*;
use crate::made;

/// What all stacks begin with.
const OUTER: &str = "<main> (rec.rb);<main> (/app/rec.rb);Array#each;block in <main> (/app/rec.rb:8);StackProf.run;\
    block (2 levels) in <main> (/app/rec.rb:9);Object#work (/app/rec.rb:5);Integer#times;Object#work (/app/rec.rb:5)";

#[test]
fn stacks_are_those_of_stackcollapse() {
    let recording = made::found(FORMAT, made::sample("stackprof/words-wall.json"));
    assert_eq!(made::warnings(&recording), []);
    assert_eq!(recording.samples, 19);
    let count = format!("{OUTER};Words#count (/app/words.rb:2)");
    let each = format!("{count};Enumerable#each_with_object;Array#each");
    let deep = "Words#deep (/app/words.rb:6);".repeat(3);
    let mut expected = vec![
        "(garbage collection);(marking) 1".to_owned(),
        format!("{each} 1"),
        format!("{each};Enumerable#each_with_object;Words#count (/app/words.rb:2) 2"),
        format!("{count};String#split 2"),
        format!("{OUTER};{deep}Words#wait (/app/words.rb:10);Kernel#sleep 13"),
    ];
    expected.sort();
    assert_eq!(made::stacks(&recording, 1), expected);
    let profile = recording.profile.expect("a profile");
    assert_eq!(profile.values()[0].name, samplers::WALL_TIME);
    // The sum of the deltas in microseconds.
    assert_eq!(profile.weight().weight(), 21_850_000);
}

#[test]
fn without_raw_stacks_functions_and_edges_are_read() {
    let recording = made::found(FORMAT, made::sample("stackprof/words-edges.json"));
    assert_eq!(made::warnings(&recording), []);
    assert_eq!(recording.samples, 18);
    let functions = made::functions(&recording, 1);
    for expected in [
        "Kernel#sleep 0 12 12",
        "Words#count (/app/words.rb:2) 0 4 6",
        "Array#each 0 1 18",
        "Words#deep (/app/words.rb:6) 0 0 12",
    ] {
        assert!(functions.contains(&expected.to_owned()), "{functions:?}");
    }
    let relations = made::relations(&recording, 0);
    let edge = "Array#each > Enumerable#each_with_object 0 0 5000000";
    assert!(relations.contains(&edge.to_owned()), "{relations:?}");
}

#[test]
fn samples_of_processor_time_last_an_interval_and_those_of_objects_no_time() {
    let sample = String::from_utf8(made::sample("stackprof/words-wall.json")).expect("a text");
    let cpu = sample.replace("\"mode\":\"wall\"", "\"mode\":\"cpu\"");
    let profile = made::found(FORMAT, cpu.as_bytes())
        .profile
        .expect("a profile");
    assert_eq!(profile.values()[0].name, "processor time");
    assert_eq!(profile.weight().weight(), 19_000_000);
    let recording = made::found(FORMAT, made::sample("stackprof/words-object.json"));
    assert_eq!(made::warnings(&recording), []);
    let expected = format!("{OUTER};Words#count (/app/words.rb:2);String#split 30");
    assert_eq!(made::stacks(&recording, 0), [expected]);
}

#[test]
fn times_of_samples_stand_for_their_distances() {
    let text = br#"{"mode":"wall","interval":10,"missed_samples":3,"raw":[1,7,2,2,7,8,1,1,9,1],
        "raw_sample_timestamps":[100,130,170,165],
        "frames":{"7":{"name":"f","line":3,"file":"f.rb"},"8":{"name":"g"}}}"#;
    let recording = made::found(FORMAT, text);
    assert_eq!(
        made::stacks(&recording, 0),
        ["f (f.rb:3) 40000", "f (f.rb:3);g 40000"]
    );
    let mut found = made::warnings(&recording);
    found.sort();
    let expected = [
        ("empty-stack", 1),
        ("missed-samples", 3),
        ("unknown-frame", 1),
    ];
    assert_eq!(found, expected);
}

#[test]
fn what_is_cut_or_damaged_is_repaired_or_refused() {
    let sample = made::sample("stackprof/words-object.json");
    assert!(made::cut(import, &sample) > 1000);
    made::damage(import, &sample[sample.len() - 300..]);
    made::damage(import, &sample[..300]);
    let wrong = br#"{"mode":"wall","interval":1,"gc_samples":0,"frames":{"1":{"name":"f"}},"raw":[999,1,1]}"#;
    let recording = made::found(FORMAT, wrong);
    assert_eq!(made::warnings(&recording), [("truncated-sample", 1)]);
}

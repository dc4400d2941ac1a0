//! Tests with the numbers that pstats gives.

use super::*;
use crate::made;

#[test]
fn numbers_are_those_of_pstats() {
    let recording = made::found(FORMAT, made::sample("pstats/fib.pstats"));
    assert_eq!(made::warnings(&recording), []);
    assert_eq!(
        made::functions(&recording, 0),
        [
            "<lambda> (/app/fib.py:19) 3 1342 1342",
            "even (/app/fib.py:8) 5 5358 8225",
            "fib (/app/fib.py:4) 465 798037 798037",
            "main (/app/fib.py:16) 1 37250 860804",
            "odd (/app/fib.py:12) 5 2867 5020",
            "{built-in method builtins.sorted} 1 10129 11471",
            "{built-in method math.sqrt} 5 5821 5821",
            "{method 'disable' of '_lsprof.Profiler' objects} 1 591 591",
        ]
    );
    assert_eq!(
        made::relations(&recording, 0),
        [
            "even (/app/fib.py:8) > odd (/app/fib.py:12) 5 2867 5020",
            "fib (/app/fib.py:4) > fib (/app/fib.py:4) 464 791354 791354",
            "main (/app/fib.py:16) > even (/app/fib.py:8) 1 3205 8225",
            "main (/app/fib.py:16) > fib (/app/fib.py:4) 1 6683 798037",
            "main (/app/fib.py:16) > {built-in method builtins.sorted} 1 10129 11471",
            "main (/app/fib.py:16) > {built-in method math.sqrt} 5 5821 5821",
            "odd (/app/fib.py:12) > even (/app/fib.py:8) 4 2153 4078",
            "{built-in method builtins.sorted} > <lambda> (/app/fib.py:19) 3 1342 1342",
        ]
    );
    let profile = recording.profile.expect("a profile");
    // `total_tt`, `total_calls` and `prim_calls` of pstats.
    assert_eq!(profile.weight_of(0).weight(), 861_395);
    let calls: u64 = profile.function_metrics().iter().map(|it| it.calls).sum();
    assert_eq!((calls, profile.weight_of(1).weight()), (486, 14));
}

#[test]
fn calls_of_the_module_profile_have_no_times() {
    let recording = made::found(FORMAT, made::sample("pstats/fib-profile.pstats"));
    assert_eq!(made::warnings(&recording), [("call-without-cost", 11)]);
    let functions = made::functions(&recording, 0);
    assert!(functions.contains(&"fib (/app/fib.py:4) 465 1751305 1751305".to_owned()));
    assert!(functions.contains(&"sqrt 5 11611 11611".to_owned()));
    let relations = made::relations(&recording, 0);
    assert!(relations.contains(&"main (/app/fib.py:16) > sqrt 5 0 0".to_owned()));
    let profile = recording.profile.expect("a profile");
    assert_eq!(profile.weight_of(0).weight(), 2_354_048);
}

/// `{('m.py', 7, 'f'): (2, 2**40, 0.5, 1.5, {})}` as versions before references wrote it, floats as text.
const OLD: &[u8] = b"{(\x03\0\0\0u\x04\0\0\0m.pyi\x07\0\0\0u\x01\0\0\0f(\x05\0\0\0i\x02\0\0\0\
    l\x03\0\0\0\0\0\0\0\0\x04f\x030.5f\x031.5{00";

#[test]
fn older_versions_are_read() {
    let recording = made::found(FORMAT, OLD);
    assert_eq!(made::warnings(&recording), []);
    let expected = format!("f (m.py:7) {} 500000000 1500000000", 1_u64 << 40);
    assert_eq!(made::functions(&recording, 0), [expected]);
    assert_eq!(
        made::functions(&recording, 1)[0].split(' ').next_back(),
        Some("2")
    );
}

#[test]
fn what_is_cut_or_damaged_is_repaired_or_refused() {
    let sample = made::sample("pstats/fib.pstats");
    assert!(made::cut(import, &sample) > 500);
    let recording = made::read(import, &sample[..600]).expect("the first functions");
    assert_eq!(made::warnings(&recording), [("truncated-file", 1)]);
    made::damage(import, &sample[..400]);
    // A tuple of more than there is, a text of a gigabyte, and an object of an unknown kind.
    for wrong in [
        &b"{(\xff\xff\xff\x7f"[..],
        b"{u\0\0\0\x40",
        b"{)\x03<\0\0\0\0",
    ] {
        assert!(made::read(import, wrong).is_err());
    }
}

#[test]
fn other_files_are_not_taken() {
    for other in [&b"{\"a\": 1}"[..], b"{)\x02z\x01a", b"{", b"", b"{(\x03) }"] {
        assert!(!sniff(other), "{other:?}");
    }
}

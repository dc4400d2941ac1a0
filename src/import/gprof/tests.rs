//! Tests with a report, against what stands in it.

use super::*;
use crate::made;

#[test]
fn numbers_are_those_of_the_report() {
    let recording = made::found(FORMAT, made::sample("gprof/jobs.gprof.txt"));
    assert_eq!(made::warnings(&recording), []);
    assert_eq!(recording.samples, 21);
    assert_eq!(
        made::functions(&recording, 0),
        [
            "__libc_start_call_main 0 0 210000000",
            "batch 1 0 30000000",
            "deep 109 0 160000000",
            "even 5 0 10000000",
            "main 1 0 210000000",
            "odd 5 0 10000000",
            "work 139 210000000 210000000",
        ]
    );
    assert_eq!(
        made::relations(&recording, 0),
        [
            "__libc_start_call_main > main 1 0 210000000",
            "batch > work 20 30000000 30000000",
            "deep > deep 108 0 0",
            "deep > work 109 160000000 160000000",
            "even > odd 5 0 0",
            "even > work 5 10000000 10000000",
            "main > batch 1 0 30000000",
            "main > deep 1 0 160000000",
            "main > even 1 0 20000000",
            "odd > even 4 0 0",
            "odd > work 5 10000000 10000000",
        ]
    );
}

#[test]
fn one_table_is_enough() {
    let report = made::sample("gprof/jobs.gprof.txt");
    let end = memchr::memchr(0xc, &report).expect("a second table");
    let flat = made::found(FORMAT, &report[..end]);
    assert_eq!(made::warnings(&flat), [("total-cost-inferred", 6)]);
    let functions = made::functions(&flat, 0);
    assert!(
        functions.contains(&"deep 1 0 164680000".to_owned()),
        "{functions:?}"
    );
    assert!(functions.contains(&"work 139 210000000 210000000".to_owned()));
    let graph = made::found(FORMAT, &report[end + 1..]);
    let whole = made::found(FORMAT, &report);
    assert_eq!(made::functions(&graph, 0), made::functions(&whole, 0));
}

#[test]
fn names_have_blanks_and_brackets_and_functions_no_calls() {
    let text = "Flat profile:\n\nEach sample counts as 0.01 seconds.\n  %   cumulative   self              self     total\n\
         time   seconds   seconds    calls   s/call   s/call  name\n\
         60,00      0,06     0,06        2     0,03     0,04  std::vector<int, A>::at(unsigned long) [2]\n\
         40.00      0.10     0.04                             operator new[](unsigned long)\n\n\
         \x0c\t\t\tCall graph\n\n\nindex % time    self  children    called     name\n\
         <spontaneous>\n[1]    100.0    0.04    0.06                 operator new[](unsigned long) [1]\n\
         0.06    0.00       2/2           a<(b)3> [7]\n---------------------\n\n";
    let recording = made::found(FORMAT, text.as_bytes());
    assert_eq!(made::warnings(&recording), [("total-cost-inferred", 1)]);
    assert_eq!(
        made::functions(&recording, 0),
        [
            "a<(b)3> 0 0 0",
            "operator new[](unsigned long) 0 40000000 100000000",
            "std::vector<int, A>::at(unsigned long) [2] 2 60000000 80000000",
        ]
    );
    let call = "operator new[](unsigned long) > a<(b)3> 2 60000000 60000000";
    assert_eq!(made::relations(&recording, 0), [call]);
}

#[test]
fn what_is_cut_or_damaged_is_repaired_or_refused() {
    let report = made::sample("gprof/jobs.gprof.txt");
    assert!(made::cut(import, &report) > 1000);
    let recording = made::read(import, &report[..1000]).expect("a report");
    assert!(made::warnings(&recording).contains(&("truncated-file", 1)));
    made::damage(import, &report[150..600]);
    made::damage(import, &report[700..1100]);
    assert_eq!(
        [calls("1+6"), calls("3/7"), calls("f")],
        [Some(7), Some(3), None]
    );
    assert_eq!(calls("18446744073709551615+1"), None);
    assert!(!sniff(b"Flat profile: none\n") && !sniff(b"Call graph\n") && !sniff(b""));
}

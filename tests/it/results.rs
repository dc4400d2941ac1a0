//! The table of results is what the recorded figures make.

use std::path::Path;

use callscape_testing::measured::{self, Measured};
use callscape_testing::results as table;

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("benches")
        .join(name);
    std::fs::read_to_string(path).expect("the results are kept")
}

#[test]
fn the_page_of_results_is_made_from_the_recorded_figures() {
    let rows = table::rows(&read("results.csv")).expect("results.csv is a table");
    let page = table::markdown(&rows);
    assert!(
        page == read("RESULTS.md"),
        "RESULTS.md is not what results.csv makes: run `cargo bench --bench results`"
    );
    assert!(page.lines().count() <= 260, "it is no longer read");
    let again = table::to_csv(&rows).expect("rows can be written");
    assert_eq!(again, read("results.csv"), "as the recorder writes it");
}

#[test]
fn what_benches_print_becomes_rows_and_the_last_of_a_target_is_shown() {
    let frame = |value| Measured {
        target: "time: a frame",
        value,
        unit: "ms",
        peer: Some(("a hundredth", 7.0)),
        aim: "≤ 8 (3) ms",
        ..Measured::default()
    };
    let jumps = Measured {
        target: "time: jumps, all",
        value: 3.0,
        unit: "ms",
        peer: Some(("a scan", 1.0)),
        aim: "≤ 2 ×",
        adapter: "a card",
    };
    let lines = [
        frame(12.0).line(),
        "some words".into(),
        frame(7.0).line(),
        jumps.line(),
    ];
    let run = table::Run {
        machine: "2 cores",
        date: "2026-11-24",
        commit: "abc",
    };
    let rows = table::printed(&lines.join("\n"), &run).expect("the lines are records");
    assert_eq!(rows.len(), 3);
    let page = table::markdown(&rows);
    let frame = "| time: a frame | 7 ms | a hundredth: 7 ms | 1 × | ≤ 8 (3) ms, reached | 2026-11-24, abc, 2 cores |";
    let jumps = "| time: jumps, all | 3 ms | a scan: 1 ms | 3 × | ≤ 2 ×, **missed** | 2026-11-24, abc, 2 cores, a card |";
    assert!(page.contains(frame) && page.contains(jumps), "{page}");
    assert!(!page.contains("12 ms"), "{page}");
}

#[test]
fn figures_of_all_sizes_are_one_row() {
    let answer = |target, value, peer| Measured {
        target,
        value,
        unit: "ms",
        peer,
        aim: if value > 9.0 { "≤ 100 ms" } else { "" },
        ..Measured::default()
    };
    let lines = [
        answer("answers: contexts, 1 million calls", 5.0, None).line(),
        answer("answers: contexts, 99.9 million calls", 101.0, None).line(),
        answer("answers: phases, 250,000 calls", 2.0, None).line(),
        answer(
            "answers: contexts, 1 million calls of a C program",
            36.0,
            Some(("before", 9.0)),
        )
        .line(),
        answer("answers: contexts, 1 million calls", 7.0, None).line(),
    ];
    let run = table::Run {
        machine: "2 cores",
        date: "2026-11-27",
        commit: "abc",
    };
    let rows = table::printed(&lines.join("\n"), &run).expect("the lines are records");
    let page = table::markdown(&rows);
    let expected = "\
        | target | 10^5 calls | 10^6 calls | 10^8 calls | asked | measured |\n\
        | --- | --- | --- | --- | --- | --- |\n\
        | answers: contexts |  | 7 ms | 101 ms, **missed** | ≤ 100 ms | 2026-11-27, abc, 2 cores |\n\
        | answers: phases | 2 ms |  |  |  | 2026-11-27, abc, 2 cores |\n\
        | answers: contexts of a C program |  | 36 ms (before: 9 ms) |  | ≤ 100 ms | 2026-11-27, abc, 2 cores |\n";
    assert!(page.ends_with(expected), "{page}");
}

#[test]
fn numbers_have_three_digits_and_amounts_are_words() {
    let numbers = [0.0, 1.0, 0.001_234, 52.19, 1234.5, 7.0 / 3.0];
    let texts = numbers.map(measured::significant);
    assert_eq!(texts, ["0", "1", "0.00123", "52.2", "1234", "2.33"]);
    let amounts = [640, 250_000, 1_234_567, 1_500_000, 100_000_000].map(measured::amount);
    let texts = ["640", "250,000", "1,234,567", "1.5 million", "100 million"];
    assert_eq!(amounts, texts);
}

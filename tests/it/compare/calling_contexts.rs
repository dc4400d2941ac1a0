//! The two case studies of the paper on calling context ring charts (section 6) on real programs with the paper's changes:
//! JLex 1.2.6, sampled in the interpreter, and a store of secrets that are shared by Shamir's method. `tests/data/papers`
//! has the recordings, and what their authors' own tools say of them.
//!
//! P. Moret, W. Binder, A. Villazón, D. Ansaloni, A. Heydarnoori, "Visualizing and exploring profiles with calling
//! context ring charts", Software: Practice and Experience 40, 2010.

use super::*;

fn recorded(name: &str) -> String {
    let path = common::data("papers").join(name);
    text(&path).to_owned()
}

/// By side, what a function has in each of its calling contexts: the context, and its cost with those below it.
fn contexts_of(found: &Value, function: &str) -> Vec<(Vec<String>, [u64; 2])> {
    let rows = found["contexts"].as_array().expect("a list").iter();
    let of = rows.filter_map(|row| {
        let path = row["path"].as_array()?.iter();
        let path: Vec<String> = path
            .map(|name| name.as_str().unwrap_or_default().to_owned())
            .collect();
        (path.last().is_some_and(|last| last == function)).then(|| {
            let total = |side: &str| row[side]["total_ns"].as_u64().expect("a number");
            (path, ["a", "b"].map(total))
        })
    });
    of.collect()
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole as f64
}

#[test]
fn jlex_sorts_its_states_in_one_calling_context_that_matters() {
    let [a, b] = ["selection", "merge"].map(|it| recorded(&format!("jlex-{it}-sort.jfr.gz")));
    let contexts = [&*a, &*b, "--contexts", "--sort", "total", "--search"];
    let found = document(&[&contexts[..], &["sortStates"]].concat());
    let mut sorting = contexts_of(&found, "JLex.CNfa2Dfa.sortStates");
    assert_eq!(sorting.len(), 3, "{sorting:?}");
    // What the cost changes most in stands first.
    let (path, hot) = sorting.remove(0);
    assert_eq!(
        path[5..7],
        ["JLex.CNfa2Dfa.make_dtrans", "JLex.CNfa2Dfa.e_closure"]
    );
    let everything = document(&[&contexts[..], &["Again.main"]].concat());
    let (_, all) = contexts_of(&everything, "Again.main").remove(0);
    // As `jfr print` has them: 2,631 of 6,842 samples, and 240 of 3,567.
    let shares = [percent(hot[0], all[0]), percent(hot[1], all[1])];
    assert!(
        (shares[0] - 38.45).abs() < 0.1 && (shares[1] - 6.73).abs() < 0.1,
        "{shares:?}"
    );
    for (path, aside) in &sorting {
        assert!(
            aside.iter().all(|&it| percent(it, all[1]) < 4.0),
            "{path:?}"
        );
    }
    // The first of the causes says it.
    let path = everything["causes"][0]["path"].as_array().expect("names");
    assert_eq!(
        path[6..],
        ["JLex.CNfa2Dfa.e_closure", "JLex.CNfa2Dfa.sortStates"]
    );
}

#[test]
fn sharing_secrets_loses_randomness_and_hashing_by_the_changes_of_the_paper() {
    let [secure, random, last] = ["secure", "plain-random", "plain-random-no-hash"]
        .map(|it| recorded(&format!("sss-{it}.viztracer.json.gz")));
    let calls = |found: &Value, function: &str| {
        let row = row(found, function);
        let of = |side: &Value| side["calls"].as_u64().unwrap_or(0);
        [of(&row["a"]), of(&row["b"])]
    };
    let all = ["--contexts", "--exact"];

    // The first change: where the coefficients come from, and nothing else.
    let found = document(&[&[&*secure, &*random], &all[..]].concat());
    assert_eq!(calls(&found, "SystemRandom.getrandbits"), [80, 0]);
    assert_eq!(calls(&found, "Random.randrange"), [0, 80]);
    assert_eq!(calls(&found, "_hashlib.openssl_sha256"), [840, 840]);
    let bits = contexts_of(&found, "SystemRandom.getrandbits");
    let [(path, _)] = &bits[..] else {
        panic!("one calling context: {bits:?}");
    };
    assert!(path.iter().any(|it| it == "split"), "{path:?}");
    // Putting returns what was there before, and so joins as getting does.
    let joins = found["relations"].as_array().expect("a list").iter();
    let joins: Vec<&Value> = joins.filter(|row| row["to"] == "join").collect();
    let [join] = &joins[..] else {
        panic!("one relation: {joins:?}");
    };
    assert_eq!(
        (&join["a"]["calls"], &join["b"]["calls"]),
        (&json!(70), &json!(70))
    );
    let above = contexts_of(&found, "join");
    let puts = above
        .iter()
        .filter(|(path, _)| path.iter().any(|it| it == "Store.put"));
    assert_eq!((above.len(), puts.count()), (2, 1));

    // The second: hashing.
    let found = document(&[&[&*random, &*last], &all[..]].concat());
    assert_eq!(calls(&found, "_hashlib.openssl_sha256"), [840, 0]);
    assert_eq!(calls(&found, "places_by_hash"), [120, 0]);
    assert_eq!(calls(&found, "join"), [70, 70]);
    // Below putting and below getting, which putting calls.
    assert_eq!(contexts_of(&found, "places_by_hash").len(), 3);
}

//! The two case studies of the paper on calling context ring charts (section 6), on profiles made to have their
//! features: what each counts are executed bytecodes.
//!
//! P. Moret, W. Binder, A. Villazón, D. Ansaloni, A. Heydarnoori, "Visualizing and exploring profiles with calling
//! context ring charts", Software: Practice and Experience 40, 2010.

use super::*;

/// A profile: its calling contexts, and how many bytecodes each executed itself.
fn profile(scratch: &Scratch, name: &str, contexts: &[(&str, u64)]) -> std::path::PathBuf {
    let lines = contexts.iter().map(|(path, own)| format!("{path} {own}\n"));
    scratch.write(name, lines.collect::<String>().as_bytes())
}

/// By side, what a function has in each of its calling contexts: the context, and its bytecodes with those below it.
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

fn total(found: &Value, function: &str) -> [u64; 2] {
    let row = row(found, function);
    [side(&row["a"]).total, side(&row["b"]).total]
}

fn percent(part: u64, whole: u64) -> f64 {
    100.0 * part as f64 / whole as f64
}

/// A run of JLex: in all so many bytecodes, of them so many in the one calling context of `sortStates` that matters and
/// in the other one.
fn jlex(scratch: &Scratch, name: &str, all: u64, sorting: [u64; 2]) -> std::path::PathBuf {
    const DFA: &str = "JLex.Main.main;JLex.CLexGen.generate;JLex.CNfa2Dfa.make_dfa";
    let closure = format!("{DFA};JLex.CNfa2Dfa.make_dtrans;JLex.CNfa2Dfa.e_closure");
    let (hot, cold) = (
        format!("{closure};JLex.CNfa2Dfa.sortStates"),
        format!("{DFA};JLex.CNfa2Dfa.e_closure;JLex.CNfa2Dfa.sortStates"),
    );
    let [sorting, aside] = sorting;
    let rest = all - sorting - aside;
    let share = |percent: u64| rest * percent / 100;
    let elements = [sorting, aside].map(|it| it * 3 / 5);
    let vector = ";java.util.Vector.elementAt";
    let contexts = [
        (&*hot, sorting - elements[0]),
        (&*format!("{hot}{vector}"), elements[0]),
        (&*cold, aside - elements[1]),
        (&*format!("{cold}{vector}"), elements[1]),
        (&*format!("{closure};java.util.Stack.push"), share(17)),
        (&*format!("{DFA};JLex.CMinimize.min_dfa"), share(33)),
        (
            "JLex.Main.main;JLex.CLexGen.generate;JLex.CEmit.emit",
            share(29),
        ),
        (
            "JLex.Main.main;JLex.CLexGen.generate",
            rest - share(17) - share(33) - share(29),
        ),
    ];
    profile(scratch, name, &contexts)
}

#[test]
fn jlex_sorts_its_states_in_one_calling_context_that_matters() {
    let scratch = Scratch::new("jlex");
    let (before, after) = (20_393_685, 16_955_185);
    let a = jlex(
        &scratch,
        "selection-sort.folded",
        before,
        [4_812_910, 61_000],
    );
    let b = jlex(&scratch, "merge-sort.folded", after, [1_841_333, 25_000]);
    let found = document(&[text(&a), text(&b), "--contexts"]);
    assert_eq!(total(&found, "JLex.Main.main"), [before, after]);
    // What changed stands first: what sorting reads, in the calling context that is hot.
    let first = &found["contexts"][0]["path"];
    let first: Vec<&str> = first
        .as_array()
        .expect("names")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert_eq!(first.last(), Some(&"java.util.Vector.elementAt"));
    assert!(first.contains(&"JLex.CNfa2Dfa.make_dtrans"), "{first:?}");
    assert!(first.contains(&"JLex.CNfa2Dfa.sortStates"), "{first:?}");
    let by_total = document(&[
        text(&a),
        text(&b),
        "--contexts",
        "--sort",
        "total",
        "--search",
        "sortStates",
    ]);
    let mut sorting = contexts_of(&by_total, "JLex.CNfa2Dfa.sortStates");
    assert_eq!(sorting.len(), 2, "two calling contexts: {sorting:?}");
    let (path, hot) = sorting.remove(0);
    assert_eq!(path[3], "JLex.CNfa2Dfa.make_dtrans");
    let shares = [percent(hot[0], before), percent(hot[1], after)];
    assert!(
        (shares[0] - 23.6).abs() < 0.01 && (shares[1] - 10.86).abs() < 0.01,
        "{shares:?}"
    );
    let cold = sorting[0].1;
    assert!(cold.iter().all(|&it| percent(it, after) < 0.5), "{cold:?}");
    // 20.3 % faster.
    let faster = |times: &str| {
        run(&[
            text(&a),
            text(&b),
            "--fail-if",
            &format!("total(JLex.Main.main) > {times}"),
        ])
    };
    assert_eq!(faster("0.832x").code, Some(0));
    assert_eq!(faster("0.831x").code, Some(1));
}

/// A hundred thousand times put and get of shared secrets, in millions of bytecodes.
struct Sharing {
    random: (&'static str, u64),
    hash: u64,
    rest: u64,
}

impl Sharing {
    fn write(&self, scratch: &Scratch, name: &str) -> (std::path::PathBuf, u64) {
        const MILLION: u64 = 1_000_000;
        let (source, random) = self.random;
        let (split, join) = ("SSS.put;SSS.split", self.rest / 3);
        let bits = format!("{split};java.math.BigInteger.<init>;java.math.BigInteger.randomBits");
        let contexts = [
            (format!("{bits};{source}"), random * MILLION),
            (split.to_owned(), (self.rest - 2 * join) * MILLION),
            ("SSS.put;SSS.join".to_owned(), join * MILLION),
            ("SSS.get;SSS.join".to_owned(), join * MILLION),
            (
                "SSS.put;SSS.hash;java.security.MessageDigest.digest".to_owned(),
                self.hash / 2 * MILLION,
            ),
            (
                "SSS.get;SSS.hash;java.security.MessageDigest.digest".to_owned(),
                self.hash / 2 * MILLION,
            ),
        ];
        let with_main: Vec<(String, u64)> = contexts
            .into_iter()
            .filter(|(_, own)| *own > 0)
            .map(|(path, own)| (format!("SSS.main;{path}"), own))
            .collect();
        let lines: Vec<(&str, u64)> = with_main
            .iter()
            .map(|(path, own)| (path.as_str(), *own))
            .collect();
        let all = lines.iter().map(|(_, own)| own).sum();
        (profile(scratch, name, &lines), all)
    }
}

#[test]
fn sharing_secrets_is_dominated_by_randomness_and_hashing() {
    let scratch = Scratch::new("sharing");
    // 5.96 % of 29,568 million; 0.43 % without the secure source; 15,129 million without hashing too.
    let secure = "java.security.SecureRandom.nextBytes";
    let plain = "java.util.Random.nextInt";
    let initial = Sharing {
        random: (secure, 1_762),
        hash: 12_808,
        rest: 14_998,
    };
    let random = Sharing {
        random: (plain, 120),
        hash: 12_808,
        rest: 14_998,
    };
    let last = Sharing {
        random: (plain, 131),
        hash: 0,
        rest: 14_998,
    };
    let (initial, of_initial) = initial.write(&scratch, "initial.folded");
    let (random, of_random) = random.write(&scratch, "random.folded");
    let (last, of_last) = last.write(&scratch, "final.folded");
    assert_eq!(
        (of_initial / 1_000_000, of_last / 1_000_000),
        (29_568, 15_129)
    );

    // The first change: the source of randomness, and nothing else.
    let found = document(&[text(&initial), text(&random), "--contexts"]);
    assert_eq!(found["functions"][0]["name"], secure);
    assert_eq!(found["functions"][0]["change"], "gone");
    let bits = contexts_of(&found, "java.math.BigInteger.randomBits");
    let [(path, bits)] = &bits[..] else {
        panic!("one calling context: {bits:?}");
    };
    assert_eq!(path[2], "SSS.split");
    let shares = [percent(bits[0], of_initial), percent(bits[1], of_random)];
    assert!(
        (shares[0] - 5.96).abs() < 0.01 && (shares[1] - 0.43).abs() < 0.01,
        "{shares:?}"
    );
    // Putting and getting are symmetric: both join.
    let relations = found["relations"].as_array().expect("a list").iter();
    let joins = relations.filter(|row| row["to"] == "SSS.join");
    let joins: Vec<&Value> = joins.map(|row| &row["a"]["cost_ns"]).collect();
    assert_eq!(joins.len(), 2);
    assert_eq!(joins[0], joins[1]);

    // All changes: hashing is what has gone.
    let found = document(&[text(&initial), text(&last), "--contexts"]);
    assert_eq!(
        found["functions"][0]["name"],
        "java.security.MessageDigest.digest"
    );
    assert_eq!(found["functions"][0]["change"], "gone");
    let hashing = contexts_of(&found, "SSS.hash");
    assert_eq!(hashing.len(), 2);
    assert!(
        hashing
            .iter()
            .all(|(_, [a, b])| percent(*a, of_initial) > 20.0 && *b == 0)
    );
    assert_eq!(total(&found, "SSS.main"), [of_initial, of_last]);
    let halved = "total(SSS.main) < 0.52x";
    assert_eq!(
        run(&[text(&initial), text(&last), "--fail-if", halved]).code,
        Some(1)
    );
    assert_eq!(
        run(&[text(&initial), text(&random), "--fail-if", halved]).code,
        Some(0)
    );
}

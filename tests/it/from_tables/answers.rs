//! What a query answers, opened as a profile.

use callscape::facts::profile::{Profile, Spread, Value};
use callscape::units::FunctionId;

use super::written::{Column, write};
use super::*;

fn profile(recording: &Recording) -> &Profile {
    recording.profile.as_ref().expect("a profile")
}

/// Name, file, library and self cost of each function, of the value shown.
fn shown(recording: &Recording) -> Vec<(String, String, String, u64)> {
    let metrics = recording.function_metrics(None);
    let row = |id: FunctionId| {
        let function = recording.functions.get(id);
        let own = metrics[id.index()].self_cost.ns();
        let [name, file, library] = [function.name, function.file, function.library];
        (name.to_owned(), file.to_owned(), library.to_owned(), own)
    };
    recording.functions.ids().map(row).collect()
}

fn row(name: &str, file: &str, library: &str, own: u64) -> (String, String, String, u64) {
    (name.to_owned(), file.to_owned(), library.to_owned(), own)
}

#[test]
fn a_file_of_function_module_and_number_is_a_profile() {
    let scratch = Scratch::new("answers");
    let csv = "function,module,slower\n\
               parse,src/parser.py/parse,1.5\n\
               \"a \"\"quoted\"\", name\",src/parser.py/x,2\n\
               malloc,external/libc.so.6/malloc,nan\n\
               parse,src/parser.py/parse,0.25\n\
               f,m/f,-3\n\
               g,m/g,text\n\
               too,few\n";
    let path = scratch.write("answer.csv", csv.as_bytes());
    let recording = read(&path).expect("a profile");
    assert_eq!(recording.format, "csv");
    assert_eq!(
        shown(&recording),
        [
            row("parse", "src/parser.py", "", 1750),
            row("a \"quoted\", name", "src/parser.py", "", 2000),
            row("malloc", "", "libc.so.6", 0),
            row("f", "", "m", 0),
            row("g", "", "m", 0),
        ]
    );
    assert_eq!(recording.unit().name(), "1/1000 slower");
    assert!(!recording.counts_calls() && !recording.has_times());
    let kinds: Vec<_> = recording
        .warnings
        .iter()
        .map(|it| (&*it.kind, it.count))
        .collect();
    assert_eq!(
        kinds,
        [
            ("negative-number", 1),
            ("not-a-number", 2),
            ("record-of-another-length", 1)
        ]
    );
}

#[test]
fn each_column_of_numbers_is_a_value_and_the_cost_is_shown() {
    let scratch = Scratch::new("values");
    let path = scratch.0.join("answer.parquet");
    write(
        &path,
        &[
            ("name", Column::text(&["a", "b"])),
            ("module", Column::text(&["x.c/a", "x.c/b"])),
            ("line", Column::Long(vec![Some(3), Some(4)])),
            ("mean_ns", Column::Double(vec![Some(1.5), Some(f64::NAN)])),
            ("calls", Column::Long(vec![Some(7), Some(8)])),
            ("total", Column::Double(vec![Some(12.0), Some(5.0)])),
            ("self", Column::Long(vec![Some(10), None])),
        ],
    );
    let mut recording = read(&path).expect("a profile");
    assert_eq!(
        shown(&recording),
        [row("a", "x.c", "", 10), row("b", "x.c", "", 0)]
    );
    let metrics = recording.function_metrics(None);
    let totals: Vec<_> = metrics.iter().map(|it| (it.calls, it.total.ns())).collect();
    assert_eq!(totals, [(7, 12), (8, 5)]);
    let names: Vec<&str> = profile(&recording)
        .values()
        .iter()
        .map(|it| &*it.name)
        .collect();
    assert_eq!(names, ["self", "mean_ns"]);
    let profile = recording.profile.as_mut().expect("a profile");
    profile.show("mean_ns").expect("a value");
    assert!(profile.unit().is_time());
    assert_eq!(shown(&recording)[0].3, 2);
}

#[test]
fn what_callscape_writes_as_csv_opens_with_its_costs() {
    let recording = read(&common::data("import/orders.viztracer.json")).expect("a recording");
    let source = HierarchyBuilder::new("").build().0;
    let (hierarchy, resolutions) = resolve(&source, &[&recording.functions]);
    let part = Part {
        recording: &recording,
        resolution: &resolutions[0],
        hierarchy: &hierarchy,
        range: None,
        threads: None,
    };
    let mut out = Vec::new();
    let csv = callscape::export::Format::all().find(|it| it.name() == "csv");
    let csv = csv.expect("a format");
    callscape::export::write(&part, csv, &mut out, &Progress::new()).expect("written");
    let scratch = Scratch::new("csv");
    let again = read(&scratch.write("functions.csv", &out)).expect("a profile");
    let sorted = |it: &Recording| {
        let mut costs: Vec<_> = it.function_metrics(None);
        costs.retain(|it| it.calls > 0);
        let of = costs.iter().map(|it| (it.total, it.self_cost, it.calls));
        let mut of: Vec<_> = of.collect();
        of.sort();
        of
    };
    assert_eq!(sorted(&again), sorted(&recording));
    assert!(again.unit().is_time());
}

#[test]
fn a_table_without_functions_is_refused_with_what_it_has() {
    let scratch = Scratch::new("nothing");
    let path = scratch.0.join("numbers.parquet");
    write(
        &path,
        &[
            ("function", Column::Long(vec![Some(1)])),
            ("x", Column::Long(vec![Some(1)])),
        ],
    );
    let error = read(&path).expect_err("no functions");
    assert!(
        error.contains("numbers.parquet: expected a column 'function'"),
        "{error}"
    );
    assert!(error.contains("found columns function, x"), "{error}");
}

#[test]
fn what_duckdb_writes_is_read_and_a_codec_that_is_not_built_in_is_named() {
    for name in [
        "duckdb-zstd.parquet",
        "duckdb-v2.parquet",
        "duckdb-snappy.parquet",
    ] {
        let mut recording = read(&common::data("import/parquet").join(name)).expect("a profile");
        let expected = [
            row("parse", "src/parser.py", "", 1500),
            row("malloc", "", "libc.so.6", 0),
            row("emit", "src/out.py", "", 500),
        ];
        let profile = recording.profile.as_mut().expect("a profile");
        let names: Vec<&str> = profile.values().iter().map(|it| &*it.name).collect();
        assert_eq!(names, ["spread_ns", "times"], "{name}");
        profile.show("times").expect("a value");
        let own: Vec<u64> = shown(&recording).into_iter().map(|it| it.3).collect();
        assert_eq!(own, [3250, 1000, 2500], "{name}");
        let profile = recording.profile.as_mut().expect("a profile");
        profile.show("spread_ns").expect("a value");
        let places =
            |it: &(String, String, String, u64)| (it.0.clone(), it.1.clone(), it.2.clone());
        let found: Vec<_> = shown(&recording).iter().map(places).collect();
        assert_eq!(
            found,
            expected.iter().map(places).collect::<Vec<_>>(),
            "{name}"
        );
        assert!(profile_counts(&recording));
    }
    let error = read(&common::data("import/parquet/duckdb-gzip.parquet")).expect_err("gzip");
    assert!(
        error.contains("compressed with GZIP, which is not built in"),
        "{error}"
    );
}

#[test]
fn of_columns_of_one_name_the_first_counts_and_the_others_are_told() {
    let scratch = Scratch::new("twice");
    let path = scratch.write("answer.csv", b"name,self,calls,self,calls\nf,1,2,30,40\n");
    let recording = read(&path).expect("a profile");
    assert_eq!(shown(&recording), [row("f", "", "", 1)]);
    assert_eq!(recording.calls(), 2);
    let told = recording.warnings.iter().map(|it| (&*it.kind, it.count));
    assert_eq!(told.collect::<Vec<_>>(), [("column-left-out", 2)]);
}

/// Runs of one value take no room in Parquet: a few hundred bytes are millions of rows, or texts of a megabyte in each.
#[test]
fn small_files_that_take_long_to_read_are_refused() {
    for (name, expected, found) in [
        ("many-rows", "no more than", "15000000"),
        ("many-columns", "no more than", "1000000"),
        ("long-names", "column 'name'", "once unpacked"),
    ] {
        let path = common::data("import/parquet").join(format!("{name}.parquet"));
        let error = read(&path).expect_err(name);
        let is_told = error.contains(expected) && error.contains(found);
        assert!(error.contains(name) && is_told, "{error}");
    }
}

/// Whatever stands in the columns that tell of runs: the means stay, and what cannot be is counted and tells nothing.
#[test]
fn spreads_that_cannot_be_tell_nothing_and_are_counted() {
    let scratch = Scratch::new("spreads");
    let csv = "name,runs,recordings,mean_self,spread_self,mean_calls,spread_calls,samples,functions\n\
               a,4,4,10,1.5,2.5,0.5,0,9\n\
               b,4,4,10,nan,2,-1,0,9\n\
               c,4,4,10,text,2,inf,0,9\n\
               d,4,4,10,20.1,2,4,0,9\n\
               e,3,3,10,1,2,0,0,9\n\
               f,0,0,10,1,2,0,0,9\n\
               g,2.5,2,10,1,2,0,0,9\n\
               h,4,5,10,1,,,0,9\n\
               i,4,4,10,1,2,0,0,9\n\
               i,4,4,10,1,2,0,0,9\n\
               j,,4,10,1,2,0,0,9\n\
               k,4,4,-3,1,2,0,0,9\n";
    let path = scratch.write("answer.csv", csv.as_bytes());
    let recording = read(&path).expect("a profile");
    let told = profile(&recording).mean_runs().expect("runs");
    assert_eq!((told.runs, told.is_whole), (4, true));
    let spread = |mean: f64, deviation: f64| {
        let logs = None;
        Some(Spread {
            mean,
            deviation,
            logs,
        })
    };
    let found: Vec<_> = told
        .functions
        .iter()
        .map(|it| it.map(|it| (it.there, it.self_cost, it.calls)))
        .collect();
    assert_eq!(
        found,
        [
            Some((4, spread(10_000.0, 1500.0), spread(2.5, 0.5))),
            Some((4, None, None)),
            Some((4, None, None)),
            Some((4, None, spread(2.0, 4.0))),
            None,
            None,
            None,
            Some((4, spread(10_000.0, 1000.0), None)),
            None,
            None,
            Some((4, None, spread(2.0, 0.0))),
        ]
    );
    let own: Vec<u64> = shown(&recording).into_iter().map(|it| it.3).collect();
    assert_eq!(own[..3], [10_000; 3]);
    assert_eq!(recording.unit().name(), "1/1000 units");
    let warned = recording.warnings.iter().map(|it| (&*it.kind, it.count));
    assert_eq!(
        warned.collect::<Vec<_>>(),
        [
            ("more-runs-than-there-are", 1),
            ("negative-number", 2),
            ("not-a-number", 3),
            ("not-a-whole-number", 1),
            ("runs-not-those-of-others", 4),
            ("spread-of-several-rows", 1),
            ("spread-out-of-range", 1),
        ]
    );
}

#[test]
fn logarithms_that_cannot_be_leave_mean_and_spread() {
    let scratch = Scratch::new("logarithms");
    let head =
        "name,runs,recordings,mean_self,spread_self,log_self,log_spread_self,least_self,samples\n";
    for (row, warned) in [
        ("4,4,10,1,2.3,0.1,9,0", None),
        ("4,4,10,1,2.4,0.1,9,0", Some("logarithms-out-of-range")),
        ("4,4,10,1,2.4,0.1,9,7", None),
        ("4,4,10,1,2.1,0.1,9,0", Some("logarithms-out-of-range")),
        ("4,4,10,1,2.3,1e9,9,0", Some("logarithms-out-of-range")),
        ("4,4,10,1,nan,0.1,9,0", Some("not-a-number")),
        ("4,4,10,1,-1e9,0.1,0,0", Some("not-a-number")),
        ("4,4,10,1,2.3,-0.1,9,0", Some("negative-number")),
        ("4,4,10,1,2.3,0.1,x,0", Some("not-a-number")),
        ("4,2,10,1,2.9,0.1,9,0", None),
    ] {
        let csv = format!("{head}f,{row}\n");
        let recording = read(&scratch.write("answer.csv", csv.as_bytes())).expect("a profile");
        let told = profile(&recording).mean_runs().expect("runs");
        let spread = told.functions[0].expect("told").self_cost.expect("told");
        assert_eq!(spread.logs.is_some(), warned.is_none(), "{row}");
        let found: Vec<&str> = recording.warnings.iter().map(|it| &*it.kind).collect();
        assert_eq!(found, warned.into_iter().collect::<Vec<_>>(), "{row}");
    }
}

#[test]
fn without_runs_and_mean_a_spread_is_a_number_like_others() {
    let scratch = Scratch::new("spread-alone");
    for csv in [
        "name,self,spread_self\nf,10,1\n",
        "name,runs,self,spread_self\nf,3,10,1\n",
        "name,runs,mean_total,spread_total\nf,3,10,1\n",
    ] {
        let recording = read(&scratch.write("answer.csv", csv.as_bytes())).expect("a profile");
        let profile = profile(&recording);
        assert_eq!(profile.mean_runs(), None, "{csv}");
        let spread = |it: &Value| it.name.starts_with("spread_");
        assert!(profile.values().iter().any(spread), "{csv}");
        let warned = recording.warnings.iter().map(|it| (&*it.kind, it.count));
        assert_eq!(
            warned.collect::<Vec<_>>(),
            [("spread-without-runs-and-mean", 1)],
            "{csv}"
        );
    }
    // In Parquet a text is none, whatever it looks like.
    let path = scratch.0.join("answer.parquet");
    write(
        &path,
        &[
            ("name", Column::text(&["f"])),
            ("runs", Column::Long(vec![Some(3)])),
            ("mean_self", Column::Double(vec![Some(2.5)])),
            ("spread_self", Column::text(&["1"])),
        ],
    );
    let recording = read(&path).expect("a profile");
    assert_eq!(profile(&recording).mean_runs(), None);
    assert_eq!(recording.warnings.len(), 1);
}

#[test]
fn means_in_parquet_tell_of_their_runs() {
    let scratch = Scratch::new("means-parquet");
    let path = scratch.0.join("answer.parquet");
    write(
        &path,
        &[
            ("says", Column::text(&["x"])),
            ("name", Column::text(&["f"])),
            ("functions", Column::Long(vec![Some(2)])),
            ("spread_self", Column::Double(vec![Some(0.5)])),
            ("other", Column::Long(vec![Some(7)])),
            ("mean_self", Column::Long(vec![Some(2)])),
            ("runs", Column::Double(vec![Some(3.0)])),
        ],
    );
    let mut recording = read(&path).expect("a profile");
    let told = profile(&recording).mean_runs().expect("runs");
    assert_eq!((told.runs, told.is_whole), (3, false));
    let of = told.functions[0].expect("told").self_cost;
    let expected = Spread {
        mean: 2000.0,
        deviation: 500.0,
        logs: None,
    };
    assert_eq!(of, Some(expected));
    // Without any mean that is a number, another value is shown, of which nothing is told.
    let csv = b"name,other,runs,mean_self,spread_self\nf,7,3,,1\n";
    let without = read(&scratch.write("without.csv", csv)).expect("a profile");
    assert_eq!(profile(&without).mean_runs(), None);
    assert_eq!(profile(&without).values()[0].name, "other");
    // Of another value nothing is told.
    let profile = recording.profile.as_mut().expect("a profile");
    profile.show("other").expect("a value");
    assert_eq!(profile.mean_runs(), None);
}

/// Each relation: caller, callee, calls, cost and self cost.
fn related(recording: &Recording) -> Vec<(String, String, u64, i64, i64)> {
    let name = |id: FunctionId| recording.functions.get(id).name.to_owned();
    let row = |it: &callscape::facts::trace::Relation| {
        let costs = (it.cost.weight(), it.self_cost.weight());
        (name(it.caller), name(it.callee), it.calls, costs.0, costs.1)
    };
    recording.relations(None).iter().map(row).collect()
}

fn relation(caller: &str, callee: &str, numbers: [i64; 3]) -> (String, String, u64, i64, i64) {
    let [calls, cost, own] = numbers;
    let calls = calls.unsigned_abs();
    (caller.to_owned(), callee.to_owned(), calls, cost, own)
}

#[test]
fn a_file_of_call_relations_is_a_profile_of_functions_and_relations() {
    let scratch = Scratch::new("relations");
    let csv = "caller,caller_module,callee,callee_module,recordings,calls,total_ns,self_ns,other\n\
               main,a.c/main,walk,a.c/walk,2,3,100,40,1\n\
               walk,a.c/walk,walk,a.c/walk,2,5,60,20,1\n\
               walk,a.c/walk,read,external/libc.so.6/read,1,7,30,30,1\n\
               main,a.c/main,walk,a.c/walk,1,1,20,20,1\n\
               main,a.c/main,\"x,y\",b.c/x,1,nan,-4,text,1\n";
    let recording = read(&scratch.write("relations.csv", csv.as_bytes())).expect("a profile");
    assert_eq!(
        related(&recording),
        [
            relation("main", "walk", [4, 120, 60]),
            relation("main", "x,y", [0, -4, 0]),
            relation("walk", "walk", [5, 60, 20]),
            relation("walk", "read", [7, 30, 30]),
        ]
    );
    let metrics = recording.function_metrics(None);
    let found: Vec<_> = recording
        .functions
        .ids()
        .map(|id| {
            let of = metrics[id.index()];
            let function = recording.functions.get(id);
            let costs = (of.total.weight(), of.self_cost.weight());
            (function.name, of.calls, costs.0, costs.1)
        })
        .collect();
    // Recursion counts once. Where some costs are negative, nothing bounds the sums.
    assert_eq!(
        found,
        [
            ("main", 0, 116, 0),
            ("walk", 9, 110, 80),
            ("read", 7, 30, 30),
            ("x,y", 0, 0, 0),
        ]
    );
    assert!(recording.unit().is_time() && recording.counts_calls());
    let warned = recording.warnings.iter().map(|it| (&*it.kind, it.count));
    let expected = [
        ("column-left-out", 1),
        ("negative-number", 1),
        ("not-a-number", 2),
    ];
    assert_eq!(warned.collect::<Vec<_>>(), expected);
}

#[test]
fn relations_without_self_costs_have_them_inferred_and_without_costs_are_refused() {
    let scratch = Scratch::new("relations-parquet");
    let path = scratch.0.join("relations.parquet");
    let ends = || {
        [
            ("callee", Column::text(&["f", "g"])),
            ("caller", Column::text(&["main", "f"])),
        ]
    };
    let [callee, caller] = ends();
    let cost = ("cost", Column::Double(vec![Some(10.5), Some(4.0)]));
    write(&path, &[callee, cost, caller]);
    let recording = read(&path).expect("a profile");
    assert!(!recording.counts_calls());
    assert_eq!(recording.unit().name(), "1/1000 units");
    let own: Vec<_> = shown(&recording)
        .into_iter()
        .map(|it| (it.0, it.3))
        .collect();
    let expected = [("main", 0), ("f", 6500), ("g", 4000)];
    assert_eq!(own, expected.map(|(name, own)| (name.to_owned(), own)));
    let warned = recording.warnings.iter().map(|it| (&*it.kind, it.count));
    assert_eq!(warned.collect::<Vec<_>>(), [("self-cost-inferred", 2)]);
    write(&path, &ends());
    let error = read(&path).expect_err("no costs");
    assert!(
        error.contains("a numeric column 'total' or 'cost'"),
        "{error}"
    );
    assert!(error.contains("found columns callee, caller"), "{error}");
    // Costs without end do not overflow.
    let most = u64::MAX;
    let csv = format!(
        "caller,callee,calls,total,self\na,b,{most},1e30,{most}\nb,a,1,{most},1e30\na,b,{most},1,1\n"
    );
    let recording = read(&scratch.write("huge.csv", csv.as_bytes())).expect("a profile");
    assert!(
        recording
            .warnings
            .iter()
            .any(|it| it.kind == "number-out-of-range")
    );
    assert_eq!(recording.function_metrics(None).len(), 2);
}

fn profile_counts(recording: &Recording) -> bool {
    recording.counts_calls() && recording.calls() == 24
}

#[test]
fn texts_stay_as_they_are_whatever_they_look_like() {
    let scratch = Scratch::new("texts");
    let csv = "name,module,file,self\n\
               '-[NSObject init],'=m,'@f,1\n\
               null,m,,2\n\
               007,m,,3\n\
               1e5,,1e3,4\n\
               ''=1,,,5\n\
               'a,,,6\n\
               \"two\r\nlines, \"\"quoted\"\"\",,,7\n";
    let path = scratch.write("answer.csv", csv.as_bytes());
    let recording = read(&path).expect("a profile");
    assert_eq!(
        shown(&recording),
        [
            row("-[NSObject init]", "@f", "", 1),
            row("null", "", "m", 2),
            row("007", "", "m", 3),
            row("1e5", "1e3", "", 4),
            row("'=1", "", "", 5),
            row("'a", "", "", 6),
            row("two\nlines, \"quoted\"", "", "", 7),
        ]
    );
    let path = scratch.write("open.csv", b"name,self\n\"a\nb\",1\n\"c\n,2\n");
    let error = read(&path).expect_err("a quotation mark is open");
    assert!(
        error.contains("open.csv, line 4") || error.contains("open.csv:4"),
        "{error}"
    );
}

#[test]
fn a_column_says_the_unit_of_costs_whose_names_do_not() {
    let scratch = Scratch::new("unit");
    for (csv, unit, own, warned) in [
        (
            "name,self,unit\na,5,nanoseconds\nb,7,nanoseconds\n",
            "nanoseconds",
            12,
            0,
        ),
        ("name,self,unit\na,5,bytes\n", "bytes", 5, 0),
        ("name,self,unit\na,5.5,samples\n", "1/1000 samples", 5500, 0),
        (
            "name,self,unit\na,5,1/1000 samples\n",
            "1/1000 samples",
            5,
            0,
        ),
        ("name,self,unit\na,5,\n", "units", 5, 0),
        ("name,self_ns,unit\na,5,bytes\n", "nanoseconds", 5, 0),
        // The unit of another row is counted, and the first holds.
        (
            "name,self,unit\na,5,bytes\nb,6,samples\nc,1,\n",
            "bytes",
            12,
            2,
        ),
        (
            "name,runs,mean_self,spread_self,unit\na,4,5.25,1,nanoseconds\n",
            "nanoseconds",
            5,
            0,
        ),
        (
            "caller,callee,total,self,unit\na,b,5,5,nanoseconds\n",
            "nanoseconds",
            5,
            0,
        ),
    ] {
        let path = scratch.write("answer.csv", csv.as_bytes());
        let recording = read(&path).expect("a profile");
        assert_eq!(recording.unit().name(), unit, "{csv}");
        let sum: u64 = shown(&recording).into_iter().map(|it| it.3).sum();
        assert_eq!(sum, own, "{csv}");
        let of_units = |it: &&callscape::warnings::Warning| it.kind == "unit-not-that-of-others";
        let counted = recording.warnings.iter().find(of_units);
        assert_eq!(counted.map_or(0, |it| it.count), warned, "{csv}");
    }
}

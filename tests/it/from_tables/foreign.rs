//! Tables that other tools write: which of their columns are costs, and how their numbers are written.

use super::*;

/// Name, self cost and calls of each function, of the value of this name.
fn value(recording: &Recording, name: &str) -> Vec<(String, u64, u64)> {
    let mut recording = recording.clone();
    let profile = recording.profile.as_mut().expect("a profile");
    profile.show(name).expect("a value of this name");
    let metrics = recording.function_metrics(None);
    let row = |(id, it): (_, &callscape::facts::trace::FunctionMetrics)| {
        let name = recording.functions.get(id).name.to_owned();
        (name, it.self_cost.ns(), it.calls)
    };
    recording
        .functions
        .ids()
        .zip(metrics.iter())
        .map(row)
        .collect()
}

fn names(recording: &Recording) -> Vec<String> {
    let profile = recording.profile.as_ref().expect("a profile");
    profile.values().iter().map(|it| it.name.clone()).collect()
}

fn rows<const N: usize>(rows: [(&str, u64, u64); N]) -> Vec<(String, u64, u64)> {
    rows.map(|(name, own, calls)| (name.to_owned(), own, calls))
        .to_vec()
}

#[test]
fn places_and_shares_of_a_table_are_no_costs() {
    let csv = "name,src_file,src_line,total_ns,total_perc,counts,mean_ns,min_ns,max_ns,std_ns\n\
               Frame,main.cpp,10,5000000,50,100,50000,1000,90000,20.5\n\
               Draw,draw.cpp,20,2000000,20,200,10000,500,30000,10.1\n";
    let scratch = Scratch::new("foreign");
    let recording = read(&scratch.write("tracy.csv", csv.as_bytes())).expect("a profile");
    let expected = ["total_ns", "mean_ns", "min_ns", "max_ns", "std_ns"];
    assert_eq!(names(&recording), expected);
    let expected = rows([("Frame", 5_000_000, 100), ("Draw", 2_000_000, 200)]);
    assert_eq!(value(&recording, "total_ns"), expected);
    let ids = recording.functions.ids();
    let places = ids.map(|id| recording.functions.get(id));
    let places: Vec<(&str, u32)> = places.map(|it| (it.file, it.line)).collect();
    assert_eq!(places, [("main.cpp", 10), ("draw.cpp", 20)]);
    let left = recording
        .warnings
        .iter()
        .find(|it| it.kind == "column-left-out");
    assert_eq!(left.map(|it| it.count), Some(1));
}

#[test]
fn numbers_of_other_countries_are_numbers() {
    let scratch = Scratch::new("foreign-numbers");
    for csv in [
        "name;self_us;thread_id;hits\nf;1,5;7;1.234.567\ng;1.000,25;8;3\n",
        "name,self_us,thread_id,hits\nf,1.5,7,\"1,234,567\"\ng,\"1,000.25\",8,3\n",
        "name\tself_us\tthread_id\thits\nf\t1,5\t7\t1234567\ng\t1000,25\t8\t3\n",
    ] {
        let recording = read(&scratch.write("table.csv", csv.as_bytes())).expect(csv);
        assert_eq!(names(&recording), ["self_us", "hits"], "{csv}");
        let expected = rows([("f", 1_500, 0), ("g", 1_000_250, 0)]);
        assert_eq!(value(&recording, "self_us"), expected, "{csv}");
        assert_eq!(
            value(&recording, "hits"),
            rows([("f", 1_234_567, 0), ("g", 3, 0)]),
            "{csv}"
        );
    }
}

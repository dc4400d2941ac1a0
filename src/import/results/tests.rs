use super::set::LONGEST;
use super::*;

fn set(text: &[u8]) -> ResultSet {
    read_from(text, "test", &Progress::new()).unwrap_or_else(|error| panic!("{error}"))
}

fn places(text: &str) -> Vec<(String, u32)> {
    let set = set(text.as_bytes());
    let hits = set.hits.iter();
    hits.map(|it| (it.file.to_string(), it.line)).collect()
}

const SARIF: &str = r#"{"$schema":"x","version":"2.1.0","runs":[{"tool":{"driver":{"name":"lint"}},
"results":[{"ruleId":"a","message":{"text":"m"},"locations":[{"physicalLocation":{"artifactLocation":{"uri":"src/a%20b.c"},
"region":{"startLine":3,"endLine":4}}}]},{"locations":[{"physicalLocation":{"artifactLocation":{"index":1},
"region":{"startLine":7}}}]},{"message":{"text":"of no place"}}],
"artifacts":[{"location":{"uri":"x"}},{"location":{"uri":"file:///w/src/c.py"}}]}]}"#;

const LCOV: &str = "TN:\nSF:src/a.c\nFN:1,f\nFNDA:2,f\nDA:1,2\nDA:2,0\nend_of_record\nSF:src/b.c\nDA:5,1,abc\nend_of_record\n";

const COBERTURA: &str = r#"<?xml version="1.0" ?>
<!DOCTYPE coverage SYSTEM "http://example.org/coverage-04.dtd">
<coverage line-rate="0.5"><packages><package name="p"><classes>
<class name="C" filename="src/c.py"><methods><method name="f"><lines><line number="3" hits="4"/></lines></method></methods>
<lines><line number="3" hits="4"/><line number="4" hits="0"/></lines></class>
</classes></package></packages></coverage>"#;

const RIPGREP: &str = concat!(
    r#"{"type":"begin","data":{"path":{"text":"src/a.rs"}}}"#,
    "\n",
    r#"{"type":"match","data":{"path":{"text":"src/a.rs"},"lines":{"text":"x\n"},"line_number":12,"absolute_offset":3,"submatches":[]}}"#,
    "\n",
    r#"{"type":"end","data":{"path":{"text":"src/a.rs"}}}"#,
    "\n"
);

const TRACES: &str = r#"Traceback (most recent call last):
  File "/x/app/main.py", line 7, in work
    check(x)
Exception in thread "main" java.lang.IllegalStateException: no
	at org.example.app.Main$Inner.run(Main.java:42)
	at java.base/java.lang.Thread.run(Thread.java:840)
TypeError: x is not a function
    at work (/x/src/app.js:10:5)
    at file:///x/src/b.mjs:3:1
thread 'main' panicked at src/main.rs:3:9:
   4: app::work
             at ./src/work.rs:11:5
goroutine 1 [running]:
main.work(0x1)
	/x/cmd/main.go:15 +0x1d
#0  0x00005555 in work (x=1) at lib/work.c:21
    #1 0x4f in std::sort /x/lib/sort.cc:33:7
src/a.cpp(9,3): error C2065: no
src/b.c:8:2: warning: unused
src/with space.h:4:text
"#;

#[test]
fn places_are_read_from_each_format() {
    assert_eq!(
        places(SARIF),
        [("src/a b.c".into(), 3), ("/w/src/c.py".into(), 7)]
    );
    assert_eq!(set(SARIF.as_bytes()).left_out, 1);
    assert_eq!(
        places(LCOV),
        [
            ("src/a.c".into(), 1),
            ("src/a.c".into(), 2),
            ("src/b.c".into(), 5)
        ]
    );
    assert_eq!(set(LCOV.as_bytes()).hits[0].count, 2);
    assert_eq!(
        places(COBERTURA),
        [("src/c.py".into(), 3), ("src/c.py".into(), 4)]
    );
    assert_eq!(places(RIPGREP), [("src/a.rs".into(), 12)]);
    let expected = [
        ("/x/app/main.py", 7),
        ("org/example/app/Main.java", 42),
        ("java/lang/Thread.java", 840),
        ("/x/src/app.js", 10),
        ("/x/src/b.mjs", 3),
        ("src/main.rs", 3),
        ("src/work.rs", 11),
        ("/x/cmd/main.go", 15),
        ("lib/work.c", 21),
        ("/x/lib/sort.cc", 33),
        ("src/a.cpp", 9),
        ("src/b.c", 8),
        ("src/with space.h", 4),
    ];
    let expected = expected.map(|(file, line)| (file.to_owned(), line));
    assert_eq!(places(TRACES), expected);
}

#[test]
fn cut_and_mutated_files_are_read_as_far_as_they_go_or_refused() {
    let mut state = 7_u64;
    let mut below = |n: usize| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) as usize % n
    };
    for text in [SARIF, LCOV, COBERTURA, RIPGREP, TRACES] {
        let whole = set(text.as_bytes());
        for cut in 0..text.len() {
            if let Ok(part) = read_from(&text.as_bytes()[..cut], "cut", &Progress::new()) {
                assert!(part.hits.len() <= whole.hits.len());
            }
        }
        for _ in 0..500 {
            let mut bytes = text.as_bytes().to_vec();
            for _ in 0..=below(4) {
                let at = below(bytes.len());
                bytes[at] = below(256) as u8;
            }
            let _ = read_from(bytes.as_slice(), "mutated", &Progress::new());
        }
    }
    let error =
        read_from(&b"nothing here"[..], "none.txt", &Progress::new()).expect_err("no place");
    assert!(error.to_string().contains("none.txt"), "{error}");
    assert!(read_from(&b"{\"a\": 1}"[..], "a.json", &Progress::new()).is_err());
    assert!(read_from(&b"<html></html>"[..], "a.xml", &Progress::new()).is_err());
}

#[test]
fn large_results_are_read_as_they_come() {
    let one = r#"{"ruleId":"a","locations":[{"physicalLocation":{"artifactLocation":{"uri":"a.c"},"region":{"startLine":3}}}]},"#;
    let count = 50_000;
    let text = format!(
        "{{\"runs\":[{{\"results\":[{}{{\"locations\":[]}}]}}]}}",
        one.repeat(count)
    );
    let found = set(text.as_bytes());
    assert_eq!((found.hits.len(), found.left_out), (count, 1));
    let long = format!("a.c:3:{}\nb.c:4:x\n", "y".repeat(LONGEST * 3));
    assert_eq!(places(&long), [("a.c".into(), 3), ("b.c".into(), 4)]);
}

/// Path, function and values of a row.
type Told = (String, String, Vec<f64>);

/// The names of the columns, and the rows.
fn numbers(text: &str) -> (Vec<String>, Vec<Told>) {
    let numbers = set(text.as_bytes()).numbers.expect("numbers");
    let columns = numbers.columns.iter().map(|it| it.name.clone()).collect();
    let rows = numbers.rows.into_iter();
    (
        columns,
        rows.map(|it| (it.file, it.function, it.values)).collect(),
    )
}

#[test]
fn tables_of_numbers_are_read() {
    let text = "File;debt (min, more is worse);function;line;note;age\n\
                ./src/a.c;3,5;f;7;x;1\nsrc/b.c;;;;y;-2\nsrc/c.c;4;g;;;2\n";
    let set = set(text.as_bytes());
    let table = set.numbers.as_ref().expect("numbers");
    let debt = &table.columns[0];
    assert_eq!((debt.name.as_str(), debt.unit.as_str()), ("debt", "min"));
    assert!(debt.more_is_worse && !table.columns[1].more_is_worse);
    assert_eq!(table.rows.len(), 2, "one row has a number below zero alone");
    assert_eq!(
        (table.rows[0].line, table.rows[0].file.as_str()),
        (7, "src/a.c")
    );
    assert_eq!((set.format, set.left_out), ("numbers", 1));
    let (columns, rows) = numbers(text);
    assert_eq!(columns, ["debt", "age"]);
    assert_eq!(
        rows[1],
        ("src/c.c".to_owned(), "g".to_owned(), vec![4.0, 2.0])
    );
}

#[test]
fn documents_of_numbers_are_read() {
    let cc = r#"{"checksum":"x","data":{"projectName":"p","apiVersion":"1.3","nodes":[{"name":"root","type":"Folder",
        "attributes":{"mcc":9},"children":[{"name":"src","type":"Folder","attributes":{},"children":[
        {"name":"a.c","type":"File","attributes":{"rloc":10,"mcc":3}}]}]}],
        "attributeDescriptors":{"mcc":{"direction":-1},"rloc":{"direction":1}}}}"#;
    let (mut columns, rows) = numbers(cc);
    columns.sort();
    assert_eq!(columns, ["mcc", "rloc"]);
    assert_eq!((rows.len(), rows[0].0.as_str()), (1, "src/a.c"));
    let table = set(cc.as_bytes()).numbers.expect("numbers");
    let worse = table.columns.iter().filter(|it| it.more_is_worse);
    assert!(worse.map(|it| it.name.as_str()).eq(["mcc"]));
    let sonar = r#"{"paging":{},"components":[{"key":"p:src/a.c","qualifier":"FIL","path":"src/a.c",
        "measures":[{"metric":"ncloc","value":"12"},{"metric":"coverage","value":"81.5"}]},
        {"qualifier":"DIR","path":"src","measures":[{"metric":"ncloc","value":"12"}]}]}"#;
    let found = numbers(sonar);
    assert_eq!(
        found.1,
        [("src/a.c".to_owned(), String::new(), vec![12.0, 81.5])]
    );
    let rows = r#"[{"file":"src/a.c","function":"f","debt":1},{"path":"b.c","debt":2,"line":3}]"#;
    assert_eq!(numbers(rows).1.len(), 2);
    for end in 0..cc.len() {
        let _ = read_from(&cc.as_bytes()[..end], "test", &Progress::new());
    }
    assert!(read_from(br#"{"a":1}"#.as_slice(), "test", &Progress::new()).is_err());
}

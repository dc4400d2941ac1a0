//! What is no recording, or none that is read, is refused with the reason; and what texts contain stays as it is.

use super::*;

fn error(scratch: &Scratch, name: &str, bytes: &[u8]) -> String {
    let opened = open(&scratch.write(name, bytes));
    match opened {
        Err(error) => error.to_string(),
        Ok(recording) => panic!("{name} was opened as {}", recording.format),
    }
}

#[test]
fn what_no_format_claims_by_its_content_is_refused() {
    let scratch = Scratch::new("refused");
    for (name, bytes, says) in [
        (
            "prose.txt",
            &b"\nthis\nis an unknown\nformat\n"[..],
            "a text that begins with 'this'",
        ),
        (
            "numbers.txt",
            b"The first chapter is 12\nThe second one is 30\n",
            "'The first chapter is 12'",
        ),
        (
            "labels.txt",
            b"Total: 12\nThe cat; the dog 7\n",
            "'Total: 12'",
        ),
        ("pairs.yml", b"a: 1\nb: 2\n", "'a: 1'"),
        ("tab.txt", b"\tsome\xe9 text\n", "'someé text'"),
        (
            "people.csv",
            b"name,age,city\nAnn,31,Rome\n",
            "expected a column whose name or unit says that it is a cost",
        ),
        (
            "years.csv",
            b"function,year,cpu_percent\nf,1999,3\n",
            "found columns function, year, cpu_percent",
        ),
        (
            "app.log",
            b"[INFO] foo;bar 17\n[WARN] foo;baz 3\n",
            "a text that begins with '[INFO] foo;bar 17'",
        ),
        (
            "dated.log",
            b"2024-01-01 12:00:00 request;done 17\n",
            "'2024-01-01 12:00:00 request;done 17'",
        ),
        (
            "people.json",
            br#"[{"name":"Ann","age":3},{"name":"Bob","age":4}]"#,
            "an array of objects with the members name, age",
        ),
    ] {
        let error = error(&scratch, name, bytes);
        assert!(error.contains(says), "{name}: {error}");
        assert!(
            !error.contains("bytes 0a") && !error.contains("bytes 09"),
            "{error}"
        );
    }
}

#[test]
fn recordings_in_which_nothing_is_are_refused_with_the_reason() {
    let scratch = Scratch::new("refused-empty");
    for (name, text, says) in [
        ("empty.json", r#"{"traceEvents":[]}"#, "found none"),
        (
            "instants.json",
            r#"[{"ph":"I","ts":1,"pid":1,"tid":1,"name":"a"},{"ph":"I","ts":2,"pid":1,"tid":1,"name":"a"}]"#,
            "found none; instant not shown: 2, first at ",
        ),
        ("spans.json", r#"{"resourceSpans":[]}"#, "found none"),
        ("zero.folded", "main;f 0\n", "found none"),
        (
            "none.heaptrack",
            "v 10400 3\ns 4 main\ni 10 0 1\nt 1 0\na -10 1\n+ 0\n",
            "found none; malformed line: 1",
        ),
        ("nop.systrace", "# tracer: nop\n#\n", "found none"),
    ] {
        let error = error(&scratch, name, text.as_bytes());
        assert!(error.contains(says), "{name}: {error}");
        assert!(
            error.contains("expected calls or samples"),
            "{name}: {error}"
        );
    }
}

#[test]
fn formats_that_are_not_read_are_named_with_what_converts_them() {
    let scratch = Scratch::new("refused-known");
    for (name, bytes, what, remedy) in [
        (
            "trace.out",
            &b"go 1.21 trace\0\0\0\x01"[..],
            "Go 1.21 or older",
            "go tool trace",
        ),
        (
            "app.nettrace",
            b"Nettrace\0\0\0\0",
            ".NET",
            "dotnet-trace convert",
        ),
        ("app.bin", b"memray\0\x0b\0\0\0", "memray", "heaptrack"),
        (
            "diff.txt",
            b"reading file \"a.zst\" - please wait, this might take some time...\n",
            "heaptrack_print",
            "-F",
        ),
        ("gmon.out", b"gmon\x01\0\0\0", "gprof", "gprof PROGRAM FILE"),
        (
            "app.trace",
            b"*version\n3\ndata-file-overflow=false\n",
            "Android's runtime",
            "simpleperf",
        ),
        (
            "report.nsys-rep",
            b"\x01\x02\x03\x04",
            "Nsight Systems",
            "nsys export",
        ),
        (
            "dump.bin",
            b"\x04\x08{\n:\x0cversion",
            "stackprof",
            "--json",
        ),
    ] {
        let error = error(&scratch, name, bytes);
        assert!(
            error.contains(what) && error.contains("not read"),
            "{name}: {error}"
        );
        assert!(error.contains(remedy), "{name}: {error}");
    }
    let folder = scratch.0.join("r000hs");
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("r000hs.vtune"), b"x").expect("a file");
    let error = open(&folder).expect_err("a result of VTune").to_string();
    assert!(error.contains("vtune -report"), "{error}");
}

#[test]
fn what_json_forbids_in_texts_stays_as_it_is() {
    let scratch = Scratch::new("refused-escapes");
    let text = b"[{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"pid\":1,\"tid\":1,\"name\":\"outer\\pkg\\utils\\main.py(3): run\"},\
        {\"ph\":\"X\",\"ts\":5,\"dur\":2,\"pid\":1,\"tid\":1,\"name\":\"a\tb\"},\
        {\"ph\":\"X\",\"ts\":9,\"dur\":2,\"pid\":1,\"tid\":1,\"name\":\"caf\xe9\"}]";
    let recording = read(&scratch.write("windows.json", text));
    let names: Vec<String> = calls(&recording, 0).into_iter().map(|it| it.name).collect();
    assert_eq!(
        names,
        ["outer\\pkg\\utils\\main.py(3): run", "a\tb", "café"]
    );
    assert_eq!(warnings(&recording), BTreeMap::from([("invalid-text", 3)]));
}

#[test]
fn numbers_with_commas_are_numbers() {
    let scratch = Scratch::new("refused-commas");
    let folded = read(&scratch.write("a.folded", b"main;f 1,234\nmain;f 1.5\nmain;g 2,25\n"));
    let weight = folded.profile.as_ref().expect("a profile").weight();
    // In thousandths.
    assert_eq!(weight.ns(), 1_234_000 + 1_500 + 2_250);
    let hprof = "CPU TIME (ms) BEGIN (total = 633138) Mon Aug 04\n\
        rank   self  accum   count trace method\n\
        1 23,26% 23,26%      59 300 a.b\n\
        2 10.00% 33,26%   1.234 301 a.c\n\
        CPU TIME (ms) END\n";
    let hprof = read(&scratch.write("a.hprof.txt", hprof.as_bytes()));
    let metrics = hprof.function_metrics(None);
    let of: Vec<(u64, u64)> = metrics
        .iter()
        .map(|it| (it.self_cost.ns(), it.calls))
        .collect();
    assert_eq!(of, [(147_267_898_800, 59), (63_313_800_000, 1234)]);
}

/// A small text is in packed data as it is.
#[test]
fn packed_texts_are_refused_with_the_command_that_unpacks_them() {
    let scratch = Scratch::new("refused-packed");
    let xz =
        b"\xfd7zXZ\0\0\x04\xe6\xd6\xb4F\x02\0!\x01\x16\0\0\0t/\xe5\x01\0\x0dmain;f 5\nmain;g 3\n";
    let bzip2 = b"BZh91AY&SY main;f 5\nmain;g 3\n";
    for (name, bytes, says) in [
        ("a.folded.xz", &xz[..], "xz -dc"),
        ("a.folded.bz2", &bzip2[..], "bzip2 -dc"),
    ] {
        assert!(error(&scratch, name, bytes).contains(says), "{name}");
    }
}

/// Sums of memory at an instant are never negative.
#[test]
fn negative_bytes_that_live_are_refused_with_their_place() {
    let scratch = Scratch::new("refused-negative");
    let node = r#"{"head":{"callFrame":{"functionName":"f"},"selfSize":-8,"children":[]}}"#;
    let dhat = r#"{"dhatFileVersion":2,"tu":"instrs","te":9,"pps":[{"tb":-5,"tbk":1,"fs":[0]}],"ftbl":["0x1: f (a.c:1)"]}"#;
    let massif = "desc: a\ncmd: b\ntime_unit: i\nsnapshot=0\ntime=9\nmem_heap_B=-100\n";
    let tree = "desc: a\ncmd: b\ntime_unit: i\nsnapshot=0\ntime=9\nmem_heap_B=1\n\
                heap_tree=detailed\nn0: -3 0x1: f (a.c:1)\n";
    for (name, text, says) in [
        ("a.heapprofile", node, "found -8"),
        ("a.dhat.json", dhat, "found -5"),
        (
            "a.massif",
            massif,
            "line 6: expected a number of bytes that is not negative, found mem_heap_B=-100",
        ),
        (
            "b.massif",
            tree,
            "line 8: expected a number of bytes that is not negative, found n0: -3",
        ),
    ] {
        let error = error(&scratch, name, text.as_bytes());
        assert!(
            error.contains(name) && error.contains("expected"),
            "{error}"
        );
        assert!(error.contains(says), "{error}");
    }
}

//! Tests with samples written after the source that describes them.

use super::*;
use crate::made;

const SAMPLES: &str = r#"rbspy02
{"sample_rate":100,"rbspy_version":"0.27.0","start_time":{"secs_since_epoch":1,"nanos_since_epoch":5}}
{"trace":[{"name":"sleep [c function]","relative_path":"(unknown)","absolute_path":null,"lineno":null},{"name":"run","relative_path":"jobs.rb","absolute_path":"/app/jobs.rb","lineno":7},{"name":"<main>","relative_path":"jobs.rb","absolute_path":"/app/jobs.rb","lineno":12}],"pid":9,"thread_id":9,"time":{"secs_since_epoch":1,"nanos_since_epoch":7},"on_cpu":true}
{"trace":[{"name":"run","relative_path":"jobs.rb","absolute_path":"/app/jobs.rb","lineno":8},{"name":"<main>","relative_path":"jobs.rb","absolute_path":"/app/jobs.rb","lineno":12}],"pid":9,"thread_id":9,"time":null,"on_cpu":null}
{"trace":[{"name":"run","relative_path":"jobs.rb","absolute_path":"/app/jobs.rb","lineno":9},{"name":"<main>","relative_path":"jobs.rb","absolute_path":"/app/jobs.rb","lineno":12}],"pid":9,"thread_id":9,"time":null,"on_cpu":true}
{"trace":[],"pid":9,"thread_id":10,"time":null,"on_cpu":true}
"#;

#[test]
fn stacks_are_counted() {
    let recording = made::found(FORMAT, SAMPLES.as_bytes());
    assert_eq!(made::warnings(&recording), [("empty-stack", 1)]);
    assert_eq!(recording.samples, 4);
    let expected = [
        "<main> (/app/jobs.rb);run (/app/jobs.rb) 2",
        "<main> (/app/jobs.rb);run (/app/jobs.rb);sleep [c function] 1",
        "[no frames] 1",
    ];
    assert_eq!(made::stacks(&recording, 0), expected);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut packed, SAMPLES.as_bytes()).expect("memory");
    let packed = packed.finish().expect("memory");
    let packed = made::read(import, &packed).expect("a recording");
    assert_eq!(made::stacks(&packed, 0), expected);
}

#[test]
fn first_version_has_stacks_alone() {
    let text = "rbspy00\n[{\"name\":\"f\",\"relative_path\":\"a.rb\",\"lineno\":1}]\n[{\"name\":\"f\",\"relative_path\":\"a.rb\"}]\n";
    let recording = made::found(FORMAT, text.as_bytes());
    assert_eq!(made::stacks(&recording, 0), ["f (a.rb) 2"]);
}

#[test]
fn what_is_cut_or_damaged_is_repaired_or_refused() {
    assert!(made::cut(import, SAMPLES.as_bytes()) > 500);
    made::damage(import, &SAMPLES.as_bytes()[..500]);
    let recording = made::read(import, &SAMPLES.as_bytes()[..900]).expect("the first samples");
    assert!(made::warnings(&recording).contains(&("truncated-file", 1)));
    assert!(made::read(import, b"rbspy77\n[]").is_err());
    assert!(!sniff(b"rbspy is a profiler\n") && !sniff(b"rbspy02"));
}

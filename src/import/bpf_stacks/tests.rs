//! Texts of each tool against what they say.

use super::*;
use crate::made;

const BPFTRACE: &str = include_str!("../../../tests/data/import/bpf-stacks/spin.bpftrace.txt");

const BCC: &str = include_str!("../../../tests/data/import/bpf-stacks/offcputime.bcc.txt");

const COUNTED: &str = "\
Tracing 2 functions for \"vfs_*\"... Hit Ctrl-C to end.
^C
  vfs_open
  do_sys_open
    cat [12]
    7

  vfs_read
    0x7f0000001234
    5

Detaching...
";

/// The values with what all stacks weigh.
fn sums(recording: &Recording) -> Vec<String> {
    let profile = recording.profile.as_ref().expect("a profile");
    let values = profile.values().iter().enumerate();
    let shown = values.map(|(value, it)| format!("{} {}", it.name, profile.weight_of(value).ns()));
    shown.collect()
}

#[test]
fn maps_of_bpftrace_are_values() {
    let recording = made::found(FORMAT, BPFTRACE);
    assert_eq!(sums(&recording), ["samples 4", "pf 3", "st 15", "t 9"]);
    assert_eq!(
        made::contexts(&recording, 0),
        [
            "spin;[unknown];__GI___libc_open;do_sys_openat2;do_filp_open;path_openat;link_path_walk;step_into;atime_needs_update 1",
            "spin;[unknown];__GI___libc_open;do_sys_openat2;do_filp_open;path_openat;lookup_fast;pid_revalidate;task_dump_owner 1",
            "spin;[unknown];__GI___libc_open;entry_SYSCALL_64_after_hwframe;do_syscall_64 1",
            "spin;__libc_read;seq_read;seq_read_iter;proc_single_show;do_task_stat;seq_put_decimal_ll;num_to_str 1",
        ]
    );
    assert_eq!(made::counted(&recording), ["map-not-shown 3"]);
    let of_perf = made::contexts(&recording, 1);
    assert_eq!(of_perf.len(), 3, "{of_perf:?}");
    let functions = &recording.functions;
    let is_there = |name, library| {
        let mut all = functions.ids().map(|id| functions.get(id));
        all.any(|it| it.name == name && it.library == library)
    };
    assert!(is_there(
        "__libc_read",
        "/usr/lib/x86_64-linux-gnu/libc.so.6"
    ));
    assert!(is_there("seq_read", KERNEL) && is_there("[unknown]", ""));
}

#[test]
fn indented_stacks_of_bcc_are_read() {
    let recording = made::found(FORMAT, BCC);
    assert_eq!(sums(&recording), ["off-CPU time 2020000"]);
    assert_eq!(
        made::contexts(&recording, 0),
        [
            "sleep;main;clock_nanosleep;do_nanosleep;schedule 1500000",
            "sleep;main;do_nanosleep;schedule 500000",
            "my app (x);read;[Missed Kernel Stack] 20000",
        ]
    );
    assert_eq!(
        made::counted(&recording),
        ["line-not-shown 1", "samples-lost 3"]
    );
    let recording = made::found(FORMAT, COUNTED);
    assert_eq!(
        made::contexts(&recording, 0),
        ["cat;do_sys_open;vfs_open 7", "[unknown];vfs_read 5"]
    );
}

#[test]
fn frames_come_apart() {
    for (frame, expected) in [
        ("main+12", ("main", "")),
        ("operator++0x1f", ("operator+", "")),
        ("a+b+7", ("a+b", "")),
        ("ffffffff8179b8f5 task_vsize+5", ("task_vsize", "")),
        ("7f36 f+1 (/a b/c.so)", ("7f36 f+1 (/a b/c.so)", "")),
        ("7f3612 f+1 (/a b/c.so)", ("f", "/a b/c.so")),
        ("0x746174732f666c", ("[unknown]", "")),
        ("schedule_[k]", ("schedule", KERNEL)),
        ("b'read'", ("read", "")),
    ] {
        assert_eq!(parts(frame), expected, "{frame}");
    }
}

#[test]
fn damaged_texts_are_read_as_far_as_they_go() {
    for text in [BPFTRACE, BCC, COUNTED] {
        made::survives(import, text.as_bytes());
    }
    let text = "@[\n    a+1\n    b+2\n@[\n    c+1\n]: 3\n@[\n    d\nnonsense\n@[\n    e\n";
    let recording = made::found(FORMAT, text);
    assert_eq!(made::contexts(&recording, 0), ["c 3"]);
    assert_eq!(
        made::counted(&recording),
        ["malformed-line 1", "missing-count 2"]
    );
}

#[test]
fn other_texts_are_not_taken() {
    for text in [
        "@[\n]: 3\n",
        "@property[\n    a\n]\n",
        "@n: 12\n@by[spin]: 3\n",
        "    a\n    b (12)\n    7\n",
        "- one (1)\n- two\n  3\n",
        "",
    ] {
        assert!(!sniff(text.as_bytes()), "{text}");
    }
}

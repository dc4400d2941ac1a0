#![no_main]

use libfuzzer_sys::fuzz_target;

/// The files that an input may hold, in the order of their numbers.
const NAMES: &[&str] = &[
    "info",
    "task.txt",
    "sid-a.map",
    "app.sym",
    "app.dbg",
    "1.dat",
    "2.dat",
    "lib.sym",
];

fuzz_target!(|input: &[u8]| {
    callscape_fuzz::directory("uftrace", NAMES, input);
});

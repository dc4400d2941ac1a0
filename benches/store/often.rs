//! Leaving out what is called often, beside the import of the same recording.

use std::hint::black_box;
use std::sync::Arc;
use std::time::Duration;

use callscape::analysis::frequency::leave_out_frequent;
use callscape::facts::frequency::Frequency;
use callscape::facts::recording::Recording;
use callscape::progress::Progress;
use callscape::units::Cost;

use callscape_testing::measured::{Measured, amount};
use callscape_testing::timing::cpu_time;

/// Limits that take away little, much and all: calls in 100 ms.
const LIMITS: [u64; 3] = [20_000, 1_000, 0];

/// The processor's time; `import` is what the import of the recording takes.
pub fn leave_out(recording: Recording, import: Duration) {
    let calls = recording.trace.calls();
    let each = |time: Duration| time.as_nanos() as f64 / calls.max(1) as f64;
    let recording = Arc::new(recording);
    for most in LIMITS {
        let limit = Frequency {
            most,
            window: Cost::from_ns(100_000_000),
        };
        let mut of = [Arc::clone(&recording)];
        let begin = cpu_time();
        leave_out_frequent(&mut of, limit, &Progress::new()).expect("it has times");
        let taken = cpu_time() - begin;
        let [left] = &of;
        let said = left.left_out.as_ref().map(ToString::to_string);
        println!("{limit}: {}", said.unwrap_or_default());
        Measured {
            target: &format!(
                "store: leaving out what is called more than {limit}, {} calls",
                amount(calls)
            ),
            value: each(taken),
            unit: "ns a call",
            peer: Some(("import", each(import))),
            aim: "≤ 1.2 ×",
            ..Measured::default()
        }
        .print();
        black_box(left);
    }
}

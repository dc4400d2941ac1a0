//! A random walk through 5000 functions, some thirty deep: calls that hardly repeat, the worst for an index.

use callscape::facts::builder::{Timestamp, TraceBuilder};
use callscape::facts::functions::{Function, Functions};
use callscape::facts::trace::Trace;
use callscape::warnings::{Place, Reporter};

use callscape_testing::random::Random;

const FUNCTIONS: u32 = 5000;
/// The depth that the walk is drawn to.
const DEPTH: f64 = 30.0;

fn unit(random: &mut Random) -> f64 {
    (random.next() >> 11) as f64 / (1u64 << 53) as f64
}

/// Which functions each function may call; low numbers more often.
fn callees(random: &mut Random) -> Vec<Vec<u32>> {
    let of_function = |_| {
        let count = 1 + random.below(12);
        let callee = |_| (unit(random).powi(3) * f64::from(FUNCTIONS)) as u32;
        (0..count).map(callee).collect()
    };
    (0..FUNCTIONS).map(of_function).collect()
}

/// The trace of a thread with this number of calls.
pub fn walk(calls: u64) -> (Functions, Trace) {
    let reporter = Reporter::new();
    let mut builder = TraceBuilder::new(&reporter);
    let place = || Place::file("walk");
    let functions = (0..FUNCTIONS).map(|function| {
        let name = format!("app{}::mod{}::fn_{function}", function % 7, function % 211);
        builder.function(Function {
            name: &name,
            ..Function::default()
        })
    });
    let ids: Vec<_> = functions.collect();
    let thread = builder.thread("1", "1");
    let mut random = Random(7);
    let callees = callees(&mut random);
    let (mut stack, mut time, mut phase, mut started) = (Vec::<u32>::new(), 0, 0, 0);
    while started < calls || !stack.is_empty() {
        time += 15 + random.below(120);
        let enters = 0.5 + (DEPTH - stack.len() as f64) * 0.012;
        let enters = stack.is_empty() || unit(&mut random) < enters.clamp(0.02, 0.98);
        if started == calls || !enters {
            let function = stack.pop().unwrap_or_default();
            let id = ids[function as usize];
            builder.exit(thread, Timestamp::from_ns(time as i64), Some(id), place);
            continue;
        }
        let function = match stack.last() {
            None => {
                phase += 1;
                phase % 17 * 29
            }
            Some(&top) => {
                let callees = &callees[top as usize];
                callees[(unit(&mut random).powi(2) * callees.len() as f64) as usize]
            }
        };
        stack.push(function);
        started += 1;
        let id = ids[function as usize];
        builder.enter(thread, Timestamp::from_ns(time as i64), id, place);
    }
    builder.finish(place)
}

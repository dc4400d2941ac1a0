//! Random memory events for tests: the same for the same seed.

use super::oracle::RawEvent;
use super::*;
use callscape_base::units::ThreadId;

/// Numbers that are the same for the same seed, which is not zero: xorshift.
pub struct Random(pub u64);

impl Random {
    /// A number below `limit`.
    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit.max(1)
    }
}

/// Events of some cells with what was made of them, `youngest` where only sizes and stacks tell objects apart.
pub fn made(seed: u64, count: usize, youngest: bool) -> (Vec<RawEvent>, Memory) {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let mut builder = MemoryBuilder::new();
    let mut stacks = vec![StackId::EMPTY];
    for function in 0..20 {
        let parent = stacks[random.below(stacks.len() as u64) as usize];
        stacks.push(builder.stack(parent, FunctionId(function)));
    }
    let (mut events, mut living): (Vec<RawEvent>, Vec<(RawEvent, Live, u32)>) = Default::default();
    let (mut time, mut objects) = (0, 0);
    while events.len() < count {
        time += [0, 0, 1, 7, 1000, 5_000_000_000][random.below(6) as usize];
        let at = Time::from_ns(time);
        let thread = ThreadId(random.below(3) as u32);
        if random.below(5) < 2 && !living.is_empty() {
            let mut which = random.below(living.len() as u64) as usize;
            if youngest {
                let site = living[which].2;
                which = living
                    .iter()
                    .rposition(|it| it.2 == site)
                    .expect("one of it");
            }
            let (raw, live, site) = match youngest {
                true => living.remove(which),
                false => living.swap_remove(which),
            };
            match youngest {
                true => builder.release_youngest(at, thread, site, |kind| panic!("{kind}")),
                false => builder.release(at, thread, live, |kind| panic!("{kind}")),
            }
            events.push(RawEvent {
                time,
                is_release: true,
                ..raw
            });
            continue;
        }
        let stack = stacks[random.below(stacks.len() as u64) as usize];
        let kind = match random.below(2) {
            0 => 0,
            _ => builder.kind("Node"),
        };
        let size = [0, 1, 16, 16, 4096, 1 << 40][random.below(6) as usize];
        let site = builder.site(size, stack, kind);
        let live = builder
            .allocate(at, thread, site, |kind| panic!("{kind}"))
            .expect("room");
        let raw = RawEvent {
            time,
            cell: Cell { stack, kind },
            size,
            object: objects,
            is_release: false,
        };
        objects += 1;
        events.push(raw);
        living.push((raw, live, site));
    }
    (events, builder.finish(Detail::Events, Time::ZERO))
}

//! The program whose recordings are made: its calling contexts and what samples of it found.

use callscape_testing::random::Random;

pub const FUNCTIONS: u32 = 3_000;

pub fn name(function: u32) -> String {
    format!(
        "app::module{}::Type{}::function_{function}",
        function % 37,
        function % 211
    )
}

/// A program: its calling contexts, parents first, and the context that each sample found.
pub struct Program {
    /// By context: the one around it, its function, its depth.
    pub contexts: Vec<(u32, u32, u32)>,
    pub samples: Vec<u32>,
}

impl Program {
    pub fn new(samples: u64, random: &mut Random) -> Program {
        let mut contexts: Vec<(u32, u32, u32)> = vec![(0, 0, 0)];
        let mut children: Vec<Vec<u32>> = vec![Vec::new()];
        let mut at = 0_usize;
        let samples = (0..samples)
            .map(|_| {
                for _ in 0..1 + random.below(4) {
                    let (around, function, depth) = contexts[at];
                    if depth < 3 || (depth < 40 && random.below(100) < 54) {
                        let callee = random.below(1 + u64::from(function) % 7) as usize;
                        if let Some(&known) = children[at].get(callee) {
                            at = known as usize;
                        } else if contexts.len() < 30_000 {
                            let number = contexts.len() as u32;
                            let callee =
                                (function * 31 + children[at].len() as u32 * 97 + 1) % FUNCTIONS;
                            contexts.push((at as u32, callee, depth + 1));
                            children.push(Vec::new());
                            children[at].push(number);
                            at = number as usize;
                        } else {
                            at = around as usize;
                        }
                    } else {
                        at = around as usize;
                    }
                }
                at as u32
            })
            .collect();
        Program { contexts, samples }
    }

    /// The contexts around a context, itself first.
    pub fn stack(&self, context: u32) -> impl Iterator<Item = u32> + '_ {
        let mut at = Some(context);
        std::iter::from_fn(move || {
            let context = at?;
            at = (context > 0).then(|| self.contexts[context as usize].0);
            Some(context)
        })
    }
}

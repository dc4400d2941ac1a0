//! The skeleton of a range out of that of all calls: nodes that lie in the range as a whole, with all below them, are
//! taken from there, and only the calls between them are gone through.

use super::build::Builder;
use super::nodes::Node;
use callscape_base::units::Cost;

impl Builder<'_> {
    /// Closes the frames before a call, the calls before `end` being below it, and counts it if it is outermost.
    #[inline]
    pub(super) fn reach(&mut self, call: u32, cost: Cost, end: u64) {
        while self
            .frames
            .last()
            .is_some_and(|frame| frame.end <= u64::from(call))
        {
            self.close();
        }
        if u64::from(call) >= self.inside_until
            && let Some(root) = self.out.nodes.first_mut()
        {
            root.cost += cost;
            self.inside_until = end;
        }
    }

    /// Takes a call with all that it triggers from the skeleton of all calls, where it is a node there and lies in the
    /// range as a whole. Gives back where the calls go on.
    #[inline]
    pub(super) fn take(&mut self, call: u32) -> Option<u64> {
        let known = self.known.as_mut()?;
        let place = known.place(call)?;
        let whole = known.whole;
        let node = &whole.nodes[place];
        let end = u64::from(node.last.0) + 1;
        self.reach(call, node.cost, end);
        let parent = self.frames.last().map_or(0, |frame| frame.node);
        let first = self.out.nodes.len() as u32;
        for node in whole
            .nodes
            .get(place..node.end as usize)
            .unwrap_or_default()
        {
            let lights = self.out.lights.len() as u32;
            self.out.lights.extend_from_slice(whole.lights(node));
            let moved = |index: u32| index - place as u32 + first;
            self.out.nodes.push(Node {
                parent: match node.call.0 == call {
                    true => parent,
                    false => moved(node.parent),
                },
                end: moved(node.end),
                functions: self.out.sets.intern(whole.sets.get(node.functions)),
                lights: (lights, self.out.lights.len() as u32),
                ..*node
            });
        }
        Some(end)
    }
}

//! Which names and counts are shown.

use glam::{Vec2, Vec3};

use super::relations::Count;
use super::unsaid::Unsaid;
use super::{City, eye, motion, surface};
use crate::analysis::session::Session;
use crate::filter::selection::{Pointed, Selection};
use crate::layout::labels::Covered;
use crate::layout::labels::flat::{Around, SPREAD, SPREAD_AT_REST};
use crate::layout::labels::screen::{Reason, Request, Subject};
use crate::layout::pick::Scene;
use crate::model::arcs::ArcMeasure;
use crate::render::camera::Camera;
use crate::render::pose::FreeArea;
use crate::units::{Cost, ModuleId, push_grouped};

/// What glows more than this runs.
const RUNNING_GLOW: f32 = 0.5;

/// Names of running functions shown at once.
const MOST_RUNNING_NAMES: usize = 6;

/// Counts at arcs shown at once: of the cel, and of the module chosen. More hide what they stand at.
const MOST_COUNTS_OF_CEL: usize = 7;
const MOST_COUNTS_OF_CHOSEN: usize = 9;

/// While names are held, others take their places after so many seconds.
const HELD: f32 = 0.6;

/// Names of what runs, and counts, that stay for a moment while it plays: what changes with every frame cannot be read.
#[derive(Debug, Default)]
pub(super) struct Held {
    is_on: bool,
    /// Seconds since they were chosen.
    since: f32,
    running: Vec<ModuleId>,
    /// Those of the cel.
    counts: Vec<Subject>,
}

impl Held {
    pub fn pass(&mut self, seconds: f32) {
        self.since += seconds;
    }

    /// Whether others are to be chosen now.
    fn is_due(&self) -> bool {
        !self.is_on || self.since >= HELD || self.running.is_empty()
    }
}

/// What names were chosen for: for the same they stay.
#[derive(Debug, Default)]
pub(super) struct Named {
    /// Blocks, looks or arcs are others since.
    pub is_old: bool,
    by: Option<(Camera, Lettering, [Pointed; 2])>,
    found: Vec<ModuleId>,
}

impl Named {
    /// Takes what names are to be chosen for; whether it is something else than before.
    fn take(
        &mut self,
        by: (Camera, Lettering, [Pointed; 2]),
        found: &[ModuleId],
        are_others: bool,
    ) -> bool {
        let is_same = self.by.replace(by) == Some(by) && self.found == found;
        self.found.clear();
        self.found.extend_from_slice(found);
        std::mem::take(&mut self.is_old) | are_others | !is_same
    }
}

/// The picture that names are for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lettering {
    /// In physical pixels.
    pub size: Vec2,
    /// What of it can be seen: names on the screen stay in it.
    pub free: FreeArea,
    /// What of it lies under cards and captions, in its pixels: names stand beside these.
    pub covered: Covered,
    /// The height of letters on the screen, in pixels.
    pub em: f32,
    /// The picture stays as it is: districts far away are named over them, and then stay so while one looks around.
    pub is_still: bool,
    /// It is not followed by one from nearby: names are there or not, none is on its way.
    pub is_single: bool,
    /// So many times as large as plain pixels are those that letters on terraces are read at.
    pub scale: f32,
}

impl Lettering {
    /// Nothing lies over the picture.
    pub fn whole(size: Vec2, em: f32) -> Lettering {
        let free = FreeArea::WINDOW;
        let covered = Covered::default();
        Lettering {
            size,
            free,
            covered,
            em,
            scale: 1.0,
            is_still: false,
            is_single: false,
        }
    }
}

/// A count that stands at an arc.
#[derive(Debug)]
struct CountShown {
    of: Subject,
    text: String,
    at: Vec3,
}

/// The counts at arcs, and for what is pointed at and chosen; none once arcs are others.
#[derive(Debug, Default)]
pub(super) struct Counts {
    of: Option<[Pointed; 2]>,
    /// Those shown, then spare ones whose texts keep their memory.
    all: Vec<CountShown>,
    shown: usize,
}

impl Counts {
    /// The arcs are others.
    pub fn outdate(&mut self) {
        self.of = None;
    }

    fn shown(&self) -> &[CountShown] {
        &self.all[..self.shown]
    }

    /// One more, with an empty text.
    fn add(&mut self, of: Subject) -> &mut CountShown {
        if self.shown == self.all.len() {
            self.all.push(CountShown {
                of,
                text: String::new(),
                at: Vec3::ZERO,
            });
        }
        let count = &mut self.all[self.shown];
        self.shown += 1;
        count.of = of;
        count.text.clear();
        count
    }
}

impl City {
    /// Has names of what runs stay for a moment, or be those of the moment shown.
    pub fn hold_names(&mut self, is_on: bool) {
        self.named.is_old |= self.held.is_on != is_on;
        self.held.is_on = is_on;
    }

    /// Has names be chosen over several frames where they are many, or in each all that are to be.
    pub fn spread_names(&mut self, is_on: bool) {
        self.spreads_names = is_on;
    }

    /// Whether the names are those for what [`label`](Self::label) was asked for last: otherwise it is to be asked again.
    pub fn names_are_settled(&self) -> bool {
        self.flat_labels.is_settled()
    }

    /// Chooses the names for a camera: districts by their size on the screen; what is pointed at, chosen, `found` or
    /// running by request. For what they were chosen for already they stay.
    pub fn label(
        &mut self,
        session: &Session,
        selection: &Selection,
        found: &[ModuleId],
        camera: &Camera,
        lettering: &Lettering,
    ) {
        let &Lettering { size, free, em, .. } = lettering;
        let meant = [selection.pointed, selection.chosen];
        // Where nothing runs they are always due: a choice on its way comes to its end first.
        let is_at_rest = matches!(self.named.by, Some((before, ..)) if before == *camera);
        let is_waited_for = self.flat_labels.is_settled() && self.held.is_on && self.held.is_due();
        let by = (*camera, *lettering, meant);
        if self.named.take(by, found, is_waited_for) {
            self.flat_labels.outdate();
        } else if self.flat_labels.is_settled() {
            return;
        }
        let are_others = self.held.is_due();
        if are_others {
            self.held.since = 0.0;
            let running = self.relations.innermost().iter().take(MOST_RUNNING_NAMES);
            let running = running.filter_map(|&index| self.blocks.get(index as usize));
            self.held.running.clear();
            self.held.running.extend(running.map(|block| block.module));
        }
        self.find_counts(selection, are_others);
        let hierarchy = &session.hierarchy;
        // Letters on terraces are read at so many points, whatever a point takes.
        let reader = eye(camera, size / lettering.scale.max(0.1));
        let eye = eye(camera, size);
        let (looks, picker, parents) = (&self.looks, &self.picker, &self.parents);
        // Names go along with their blocks. What stands before what is known only of blocks at rest.
        let moving = self.motion.as_ref();
        let is_moving = moving.is_some();
        let blocks = moving.map_or(self.blocks.as_slice(), motion::Motion::blocks);
        let scene = Scene {
            blocks,
            parents,
            looks,
        };
        let meant = [selection.pointed.module, selection.chosen.module];
        let glows = |block: u32| {
            let look = looks.get(block as usize);
            look.is_some_and(|look| look.glow > RUNNING_GLOW)
        };
        let around = Around {
            looks,
            seen: |on, line, points: &[Vec3]| match is_moving {
                true => points.len(),
                false => picker.seen(&scene, on, line, points, eye.position),
            },
            importance: |block, module| match module {
                _ if meant.contains(&Some(module)) => 3,
                _ if found.contains(&module) => 2,
                _ => u8::from(glows(block)),
            },
        };
        let theme = self.settings.theme;
        // Names go along with blocks on their way.
        let work = match (self.spreads_names && !is_moving, is_at_rest) {
            (true, false) => SPREAD,
            (true, true) => SPREAD_AT_REST,
            (false, _) => u32::MAX,
        };
        if self
            .flat_labels
            .update(hierarchy, blocks, &reader, &around, work)
        {
            if lettering.is_single {
                self.flat_labels.decide();
            }
            let looks = &self.looks;
            self.flat_labels.ink(|block| {
                let look = looks.get(block as usize);
                look.is_some_and(|look| surface::hides_ink(theme, look.data))
            });
        }

        let of = |module: ModuleId, reason: Reason| {
            let index = *self.block_of.get(module.index())?;
            let block = blocks.get(index as usize)?;
            let rise = self.looks.get(index as usize)?.rise;
            let middle = (block.min + block.max) * 0.5;
            Some(Request {
                of: Subject::Module(module),
                name: hierarchy.name(module),
                reason,
                top: middle.with_z(block.max.z + rise),
            })
        };
        let running = self.held.running.iter().copied();
        let requests = selection
            .pointed
            .module
            .map(|module| (module, Reason::Hovered))
            .into_iter()
            .chain(
                selection
                    .chosen
                    .module
                    .map(|module| (module, Reason::Selected)),
            )
            .chain(found.iter().map(|&module| (module, Reason::Found)))
            .chain(running.map(|module| (module, Reason::Running)))
            // A district whose name can be read on its terrace needs no second one.
            .filter(|&(module, _)| !self.flat_labels.is_read(module))
            .filter_map(|(module, reason)| of(module, reason));
        let unsaid = Unsaid::new(
            hierarchy,
            &scene,
            (!is_moving).then_some(picker),
            (&self.flat_labels, &self.screen_labels),
            (&eye, lettering),
        );
        let unsaid = unsaid.requests();
        let requests = requests.chain(unsaid);
        let counts = self.counts.shown().iter().map(|count| Request {
            of: count.of,
            name: &count.text,
            reason: Reason::Counted,
            top: count.at,
        });
        let room = [
            Vec2::new(free.min.x, -free.max.y),
            Vec2::new(free.max.x, -free.min.y),
        ];
        let room = room.map(|corner| (corner * 0.5 + 0.5) * size);
        self.screen_labels
            .update(requests.chain(counts), &eye, room, &lettering.covered, em);
        let plates = self.screen_labels.plates();
        self.flat_labels.give_way(plates, &eye, &self.looks);
    }

    /// The counts that stand at arcs: of the relation that is pointed at or chosen, of the relations of the
    /// module chosen, and of the most frequent ones of the cel, `123 +5` where the cel added 5 to make 123
    /// (AVID section 2.1).
    ///
    /// They are worked out anew only when arcs or what is meant are others: not because the camera moves.
    fn find_counts(&mut self, selection: &Selection, are_others: bool) {
        let meant = [selection.pointed, selection.chosen];
        if self.counts.of.replace(meant) == Some(meant) {
            return;
        }
        let mut counts = std::mem::take(&mut self.counts);
        counts.shown = 0;
        let mut held = std::mem::take(&mut self.held.counts);
        if are_others {
            held.clear();
        }
        let module = |block: u32| self.blocks[block as usize].module;
        // Thousands of relations are gone through in every frame that plays: they are told apart by their blocks, which
        // they hold themselves.
        let ends = |(from, to): (ModuleId, ModuleId)| {
            let block = |module: ModuleId| {
                let block = self.block_of.get(module.index()).copied()?;
                let shown = self.blocks.get(block as usize)?.module;
                (shown == module).then_some(block)
            };
            Some((block(from)?, block(to)?))
        };
        let mut held_ends = [None; MOST_COUNTS_OF_CEL];
        for (ends_of, of) in held_ends.iter_mut().zip(&held) {
            if let &Subject::Relation(from, to) = of {
                *ends_of = ends((from, to));
            }
        }
        let [pointed, chosen] = [selection.pointed, selection.chosen];
        let meant_ends = [pointed, chosen].map(|of| of.relation.and_then(ends));
        let chosen_block = chosen.module.and_then(|it| self.block_of.get(it.index()));
        let (mut of_cel, mut of_chosen) = (0, 0);
        // Where nothing is meant the most important relations alone have counts: what comes after them is not looked at.
        let is_any_meant = meant != [Pointed::default(); 2];
        let mut to_find = match are_others {
            true => MOST_COUNTS_OF_CEL,
            false => held.len(),
        };
        for Count {
            relation,
            arc,
            sign,
        } in self.relations.counts()
        {
            if to_find == 0 && !is_any_meant {
                break;
            }
            let of = || Subject::Relation(module(relation.from), module(relation.to));
            let ends = Some((relation.from, relation.to));
            let is_meant = meant_ends.contains(&ends);
            let is_chosen =
                chosen_block.is_some_and(|block| [relation.from, relation.to].contains(block));
            // A count at an arc that has stepped back would stand in the air.
            let arcs = &self.relations.arcs().arcs;
            let is_there = arcs.get(arc).is_some_and(|arc| !self.focus.steps_back(arc));
            let wanted = if is_meant {
                true
            } else if !is_there {
                false
            } else if is_chosen {
                of_chosen += 1;
                of_chosen <= MOST_COUNTS_OF_CHOSEN
            } else {
                let stands_out = relation.step_calls > 0
                    || !sign.is_empty()
                    || self.shown.is_some_and(|it| it.summary);
                if are_others && !stands_out {
                    // Those of the cel come first.
                    to_find = 0;
                }
                of_cel += usize::from(stands_out && are_others);
                if stands_out && are_others && of_cel <= MOST_COUNTS_OF_CEL {
                    held_ends[of_cel - 1] = ends;
                    held.push(of());
                }
                let is_held = held_ends.contains(&ends);
                to_find = to_find.saturating_sub(usize::from(is_held));
                is_held
            };
            if wanted {
                let count = counts.add(of());
                let text = &mut count.text;
                text.push_str(sign);
                let by_cost = self.settings.arc_measure == ArcMeasure::Cost && sign.is_empty();
                match (sign, &self.weighs, self.metrics.difference()) {
                    ("", None, _) if !by_cost => push_grouped(text, relation.calls),
                    ("", ..) => {
                        text.push_str(&self.arc_amount(relation.amount(self.settings.arc_measure)));
                    }
                    (_, _, Some(difference)) => {
                        text.push_str(&difference.relation_text(relation.calls));
                    }
                    (_, Some(unit), None) => {
                        text.push_str(&unit.show(Cost::from_ns(relation.calls)));
                    }
                    (_, None, None) => push_grouped(text, relation.calls),
                }
                if !by_cost && relation.step_calls > 0 && relation.step_calls < relation.calls {
                    text.push_str(" +");
                    push_grouped(text, relation.step_calls);
                }
                let ends = [relation.from, relation.to];
                let rises = ends.map(|end| self.looks.get(end as usize).map_or(0.0, |it| it.rise));
                count.at = self.relations.middle(arc, rises);
            }
        }
        (self.counts, self.held.counts) = (counts, held);
    }
}

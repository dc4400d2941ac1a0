//! Which names are shown: on districts, and over blocks.

use std::cmp::Reverse;

use glam::{Vec2, Vec3};

use super::overhead::Overhead;
use super::{City, Lettering, eye, motion};
use callscape_analysis::session::Session;
use callscape_base::units::ModuleId;
use callscape_facts::hierarchy::Hierarchy;
use callscape_filter::selection::Selection;
use callscape_layout::geometry::{Block, BlockKind};
use callscape_layout::labels::Eye;
use callscape_layout::labels::flat::{Around, SPREAD, SPREAD_AT_REST};
use callscape_layout::labels::screen::{COUNT, Reason, Request, Subject, plate_over};
use callscape_layout::pick::Scene;
use callscape_look::camera::Camera;

/// What glows more than this runs.
const RUNNING_GLOW: f32 = 0.5;

/// Names of running functions shown at once.
const MOST_RUNNING_NAMES: usize = 10;

/// Names on districts and roofs: a bound on what a frame costs, and a single picture. They are large enough to be read,
/// so fewer fit.
const MOST: usize = 1500;
const MOST_IN_A_PICTURE: usize = 20_000;

/// What is named whether or not there is room for all names.
#[derive(Clone, Copy)]
struct Asked<'a> {
    session: &'a Session,
    /// What is pointed at, and what is chosen.
    meant: [Option<ModuleId>; 2],
    found: &'a [ModuleId],
}

impl Asked<'_> {
    /// The modules around what is chosen, up to the root.
    fn around(&self) -> impl Iterator<Item = ModuleId> {
        let hierarchy = &self.session.hierarchy;
        let chosen = self.meant[1].filter(|it| it.index() < hierarchy.len());
        std::iter::successors(chosen, |&it| hierarchy.parent(it)).skip(1)
    }
}

impl City {
    /// Has names of what runs stay for a moment, or be those of the moment shown.
    pub fn hold_names(&mut self, is_on: bool) {
        self.named.is_old |= self.held.is_on != is_on;
        self.held.is_on = is_on;
    }

    /// Has names be chosen over several frames where they are many, or all of them in each frame.
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
        let is_due = self.held.is_due();
        if is_due {
            self.hold_running(&session.hierarchy);
        }
        self.find_counts(selection, is_due);
        let asked = Asked {
            session,
            meant: meant.map(|of| of.module),
            found,
        };
        self.name_districts(asked, camera, lettering, is_at_rest);
        self.name_blocks(asked, &eye(camera, lettering.size), lettering);
    }

    /// Notes what runs now as what is named until names are due again.
    fn hold_running(&mut self, hierarchy: &Hierarchy) {
        self.held.since = 0.0;
        let runs = |&index: &u32| {
            let look = self.looks.get(index as usize);
            look.is_some_and(|look| look.glow > RUNNING_GLOW)
        };
        let others = self.activity.glowing().filter(runs);
        let others = others.filter_map(|index| self.blocks.get(index as usize));
        let others = others.filter(|block| block.kind != BlockKind::Terrace);
        let others = others.map(|block| block.module);
        let cost = |module: &ModuleId| Reverse(self.metrics.self_cost(hierarchy, *module));
        // What runs innermost comes first, then what costs most.
        let innermost = self.relations.innermost().iter();
        let innermost = innermost.filter_map(|&index| self.blocks.get(index as usize));
        let held = &mut self.held.running;
        held.clear();
        for block in innermost {
            if held.len() < MOST_RUNNING_NAMES && !held.contains(&block.module) {
                held.push(block.module);
            }
        }
        // A frame takes no memory: the few that are named are looked for one by one.
        while held.len() < MOST_RUNNING_NAMES {
            let rest = others.clone().filter(|module| !held.contains(module));
            let Some(next) = rest.min_by_key(|module| (cost(module), *module)) else {
                break;
            };
            held.push(next);
        }
    }

    /// The modules whose names, or parts or numbers of these, can be read.
    pub fn named(&self) -> impl Iterator<Item = ModuleId> {
        let subjects = self.screen_labels.subjects();
        let over = subjects.filter_map(|(of, _)| match of {
            Subject::Module(module) => Some(module),
            Subject::Relation(..) => None,
        });
        let read = self.flat_labels().iter().filter(|it| it.opacity > 0.9);
        over.chain(read.map(|it| it.module))
    }

    /// Chooses the names that are written on districts.
    fn name_districts(
        &mut self,
        asked: Asked<'_>,
        camera: &Camera,
        lettering: &Lettering,
        is_at_rest: bool,
    ) {
        // Letters on terraces are read at a size in points, however many pixels a point takes.
        let reader = eye(camera, lettering.size / lettering.scale.max(0.1));
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
        let glows = |block: u32| {
            let look = looks.get(block as usize);
            look.is_some_and(|look| look.glow > RUNNING_GLOW)
        };
        // What is not there has no name.
        let is_lot = |block: u32| {
            looks
                .get(block as usize)
                .is_some_and(|look| look.rise < 0.0)
        };
        let name = |module: ModuleId| asked.session.module_name(module);
        let chosen = asked.meant[1];
        let hierarchy = &asked.session.hierarchy;
        let is_around = |module: ModuleId| {
            chosen.is_some_and(|it| it.index() < hierarchy.len() && hierarchy.contains(module, it))
        };
        let around = Around {
            looks,
            seen: |on, line, points: &[Vec3]| match is_moving {
                true => points.len(),
                false => picker.seen(&scene, on, line, points, camera.eye),
            },
            name: Some(&name),
            importance: |block, module| match module {
                _ if asked.meant.contains(&Some(module)) || is_around(module) => Some(3),
                _ if asked.found.contains(&module) => Some(2),
                _ if is_lot(block) => None,
                _ => Some(u8::from(glows(block))),
            },
            most: if lettering.is_single {
                MOST_IN_A_PICTURE
            } else {
                MOST
            },
        };
        // Names go along with blocks on their way.
        let work = match (self.spreads_names && !is_moving, is_at_rest) {
            (true, false) => SPREAD,
            (true, true) => SPREAD_AT_REST,
            (false, _) => u32::MAX,
        };
        let is_changed =
            self.flat_labels
                .update(&asked.session.hierarchy, blocks, &reader, &around, work);
        if is_changed && lettering.is_single {
            self.flat_labels.decide();
        }
    }

    /// Chooses the names and counts that stand upright on the screen, over their blocks.
    fn name_blocks(&mut self, asked: Asked<'_>, eye: &Eye, lettering: &Lettering) {
        let &Lettering { size, free, em, .. } = lettering;
        let moving = self.motion.as_ref();
        let is_moving = moving.is_some();
        let blocks = moving.map_or(self.blocks.as_slice(), motion::Motion::blocks);
        let scene = Scene {
            blocks,
            parents: &self.parents,
            looks: &self.looks,
        };
        let [hovered, selected] = asked.meant;
        let running = self.held.running.iter().copied();
        let standing_out = || {
            let all = self.standing_out.iter();
            all.filter_map(|(block, name)| Some((blocks.get(*block as usize)?.module, name)))
        };
        let stands_out = |module: ModuleId| standing_out().any(|(other, _)| other == module);
        let most = standing_out().map(|(module, _)| (module, Reason::StandsOut));
        let requests = hovered
            .map(|module| (module, Reason::Hovered))
            .into_iter()
            .chain(selected.map(|module| (module, Reason::Selected)))
            .chain(asked.around().map(|module| (module, Reason::Around)))
            .chain(asked.found.iter().map(|&module| (module, Reason::Found)))
            .chain(running.map(|module| (module, Reason::Running)))
            .chain(most)
            // A district whose name can be read on its terrace needs no second one.
            .filter(|&(module, _)| !self.flat_labels.is_read(module))
            .filter_map(|(module, reason)| {
                let (block, rise) = block_under(module, &self.block_of, &scene)?;
                if rise < 0.0 && reason == Reason::StandsOut {
                    return None;
                }
                let top = ((block.min + block.max) * 0.5).with_z(block.max.z + rise);
                let mut name = asked.session.module_name(module);
                let of_it = standing_out().find(|(other, _)| *other == module);
                if let (Reason::Found | Reason::StandsOut, Some((_, text))) = (reason, of_it) {
                    name = text;
                }
                if reason == Reason::StandsOut {
                    // The name of another that stands out and is read on its roof stays.
                    let place = plate_over(eye.project(top)?, name, em * COUNT);
                    if self
                        .flat_labels
                        .would_hide(place, stands_out, eye, scene.looks)
                    {
                        return None;
                    }
                }
                Some(Request {
                    of: Subject::Module(module),
                    name,
                    own: "",
                    reason,
                    top,
                    site: None,
                })
            });
        let overhead = Overhead::new(
            asked.session,
            &scene,
            (!is_moving).then_some(&self.picker),
            (&self.flat_labels, &self.screen_labels),
            (eye, lettering),
        );
        let counts = self.counts.shown().iter().map(|count| Request {
            of: count.of,
            name: &count.text,
            own: "",
            reason: Reason::Counted,
            top: count.at,
            site: None,
        });
        let requests = requests.chain(overhead.requests()).chain(counts);
        let room = [
            Vec2::new(free.min.x, -free.max.y),
            Vec2::new(free.max.x, -free.min.y),
        ];
        let room = room.map(|corner| (corner * 0.5 + 0.5) * size);
        let ground = blocks.first().and_then(|root| site_of(root, eye));
        self.screen_labels
            .lie_beside(&self.flat_labels, eye, &self.looks, ground);
        self.screen_labels
            .update(requests, eye, room, &lettering.covered, em);
        let plates = self.screen_labels.plates();
        self.flat_labels.give_way(plates, eye, &self.looks);
    }
}

/// The block that stands for a module itself or for what it lies in, and how far it has risen.
fn block_under<'a>(
    module: ModuleId,
    block_of: &[u32],
    scene: &Scene<'a>,
) -> Option<(&'a Block, f32)> {
    let index = *block_of.get(module.index())?;
    let block = scene.blocks.get(index as usize)?;
    Some((block, scene.looks.get(index as usize)?.rise))
}

/// The corners of what a block covers of the picture: the top, and more where it is near.
fn site_of(block: &Block, eye: &Eye) -> Option<[Vec2; 4]> {
    let (min, max) = (block.min, block.max.with_z(block.min.z));
    let around = [min, min.with_x(max.x), max, max.with_x(min.x)];
    let [a, b, c, d] = around.map(|corner| eye.project(corner));
    Some([a?, b?, c?, d?])
}

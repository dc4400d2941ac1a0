//! A second landscape of one layout: the same blocks in the same places, with another recording on them.

use std::sync::{Arc, OnceLock};

use super::activity::Activity;
use super::memory::LiveMemory;
use super::past::Past;
use super::relations::Relations;
use super::{City, Focus};
use callscape_analysis::session::Session;
use callscape_layout::labels::flat::FlatLabels;
use callscape_layout::labels::screen::ScreenLabels;
use callscape_model::left::Left;
use callscape_model::metrics::ModuleMetrics;

impl City {
    /// The same layout for another recording, whose `metrics` give the colours. O(blocks).
    pub fn for_other_run(&self, session: &Session, metrics: Arc<ModuleMetrics>) -> City {
        let mut twin = City {
            settings: self.settings,
            metrics,
            cut: self.cut.clone(),
            references: Arc::clone(&self.references),
            blocks: Vec::new(),
            left_out: 0,
            parents: Vec::new(),
            looks: Vec::new(),
            color_scale: super::ColorScale::default(),
            not_by_hand: self.not_by_hand,
            keeps_small: self.keeps_small,
            of_purposes: self.of_purposes,
            standing_out: Vec::new(),
            ground_scales: [OnceLock::new(), OnceLock::new()],
            plain: super::highlight::Plain::default(),
            lit: None,
            causes: Arc::clone(&self.causes),
            outlined: None,
            amounts: self.amounts,
            levels: self.levels,
            motion: None,
            fading: None,
            has_moved: false,
            block_of: Vec::new(),
            ends: Default::default(),
            picker: super::Picker::default(),
            filling: None,
            activity: Activity::default(),
            past: Past::default(),
            memory: LiveMemory::default(),
            relations: Relations::default(),
            flat_labels: FlatLabels::default(),
            screen_labels: ScreenLabels::default(),
            counts: super::names::Counts::default(),
            named: Default::default(),
            spreads_names: self.spreads_names,
            shown: None,
            left: Left::default(),
            weighs: None,
            marked: Vec::new(),
            were_moving: false,
            focused: [None; 2],
            held: Default::default(),
            focus: Focus {
                share: 1.0,
                ..Focus::default()
            },
        };
        twin.follow(session, self);
        twin
    }

    /// Takes the layout, on its way as it is, and the settings of another landscape of the session. What was shown
    /// of a recording has to be shown again. O(blocks).
    pub fn follow(&mut self, session: &Session, of: &City) {
        self.settings = of.settings;
        self.cut.clone_from(&of.cut);
        self.references = Arc::clone(&of.references);
        self.blocks.clone_from(&of.blocks);
        self.left_out = of.left_out;
        self.keeps_small = of.keeps_small;
        self.parents.clone_from(&of.parents);
        self.block_of.clone_from(&of.block_of);
        self.picker.clone_from(&of.picker);
        self.amounts = of.amounts;
        self.levels = of.levels;
        self.ground_scales = [OnceLock::new(), OnceLock::new()];
        self.motion.clone_from(&of.motion);
        self.has_moved = true;
        self.flat_labels = FlatLabels::new(&self.blocks);
        self.relations = Relations::default();
        self.activity.outdate();
        self.memory.outdate();
        self.paint(session);
    }
}

//! What the window holds, whatever shows it: the state, the open views and where they are, and presentations.

use std::path::{Path, PathBuf};

use egui::Pos2;
use glam::Vec2;

use super::action_log::{ActionLog, Source};
use super::command::{Command, EditorAsk, FileAsk, OwnAsk, OwnDoes, OwnList, PictureAsk};
use super::dock::Dock;
use super::done::Done;
use super::editor::Editors;
use super::jobs::Jobs;
use super::naming::{NameCard, Written};
use super::open_views::Views;
use super::own::Own;
use super::pair::{CausesCard, PairCard, Question, Replaced, Replacement};
use super::palette::Palette;
use super::picture_card::{PictureCard, Snapshot};
use super::presenting::talk::Talk;
use super::recording::RecordCard;
use super::remarks::RemarksCard;
use super::remembered::Memory;
use super::rescue::Rescue;
use super::saved::{SavedSession, is_session_file};
use super::sharing;
use super::tour::Tour;
use super::welcome::Welcome;
use callscape_analysis::session::Inputs;
use callscape_base::progress::Progress;
use callscape_export::pack;
use callscape_model::moment::lively;
use callscape_presentation::saved_look::SavedLook;
use callscape_presentation::show::Show;
use callscape_state::State;
use callscape_state::ask::{Ask, CancelAsk, FindingAsk, LookAsk, PaneAsk, PlayAsk};
use callscape_state::document::{dropped, is_results};
use callscape_state::panes::{Arrangement, ViewId};

/// What is open and how it is shown, in a window or without one.
pub struct Desk {
    pub state: State,
    pub views: Views,
    pub dock: Dock,
    /// Bookmarks and presentations.
    pub talk: Talk,
    /// The scene that is shown.
    pub show: Option<Show>,
    /// Where one asks for a picture to be saved.
    pub picture: PictureCard,
    /// What a picture is to be taken of: the landscape as soon as it has been drawn well.
    pub wants_picture: Option<Snapshot>,
    /// What the next frame puts on the clipboard.
    pub text_to_copy: Option<String>,
    pub jobs: Jobs,
    /// What the user does, where that is logged, and what it is done with.
    pub log: Option<ActionLog>,
    pub source: Source,
    /// Looks and arrangements that the user keeps.
    pub own_looks: Own<SavedLook>,
    pub own_views: Own<Arrangement>,
    /// What is kept from one start to the next.
    pub memory: Memory,
    pub palette: Palette,
    pub welcome: Welcome,
    /// Where A and B are chosen, and why they differ.
    pub pair: PairCard,
    pub causes: CausesCard,
    /// What is remarkable about one run.
    pub remarks: RemarksCard,
    /// What is asked before something takes the place of what is open.
    pub question: Option<Question>,
    /// What was open before.
    pub replaced: Option<Replaced>,
    /// What was just done.
    pub done: Option<Done>,
    /// Asks for the name of a file.
    pub naming: Option<NameCard>,
    /// The pack that was written of what is open.
    pub pack_file: Option<PathBuf>,
    /// Writes pages that play in a browser, and the last page of the open inputs.
    pub write_page: Option<sharing::Writer>,
    pub page_file: Option<PathBuf>,
    pub recording: RecordCard,
    pub rescue: Rescue,
    pub tour: Tour,
    /// The view that the pointer was over last, and where in it: that of the actions of a menu.
    last_over: Option<(ViewId, Vec2)>,
    /// Where the pointer was, in points.
    last_pointer: Option<Pos2>,
    pub editors: Editors,
    /// The first button or field of the window is to have the keyboard.
    pub wants_focus: bool,
    /// A button of the pointer is down: what changes is one change until it is up.
    pub is_held: bool,
    /// The file that the session was opened from.
    pub session_file: Option<PathBuf>,
    /// Where to bring what is being opened.
    pub to_restore: Option<SavedSession>,
    /// The document that was last seen: [`callscape_state::Stamps::document`].
    document_seen: u64,
}

/// What panels read of a desk while views and dock are being shown.
#[derive(Clone, Copy)]
pub struct DeskRef<'a> {
    pub state: &'a State,
    pub talk: &'a Talk,
    pub show: Option<&'a Show>,
    pub picture: &'a PictureCard,
    pub jobs: &'a Jobs,
    pub own_looks: &'a Own<SavedLook>,
    pub own_views: &'a Own<Arrangement>,
    pub palette: &'a Palette,
    pub welcome: &'a Welcome,
    pub pair: &'a PairCard,
    pub causes: &'a CausesCard,
    pub remarks: &'a RemarksCard,
    pub question: Option<&'a Question>,
    pub done: Option<&'a Done>,
    pub naming: Option<&'a NameCard>,
    pub can_write_pages: bool,
    pub recording: &'a RecordCard,
    pub rescue: &'a Rescue,
    pub tour: &'a Tour,
    pub editors: &'a Editors,
}

/// What panels read of a desk, by its fields: the others can be changed meanwhile.
macro_rules! reading {
    ($desk:ident) => {
        DeskRef {
            state: &$desk.state,
            talk: &$desk.talk,
            show: $desk.show.as_ref(),
            picture: &$desk.picture,
            jobs: &$desk.jobs,
            own_looks: &$desk.own_looks,
            own_views: &$desk.own_views,
            palette: &$desk.palette,
            welcome: &$desk.welcome,
            pair: &$desk.pair,
            causes: &$desk.causes,
            remarks: &$desk.remarks,
            question: $desk.question.as_ref(),
            done: $desk.done.as_ref(),
            naming: $desk.naming.as_ref(),
            can_write_pages: $desk.write_page.is_some(),
            recording: &$desk.recording,
            rescue: &$desk.rescue,
            tour: &$desk.tour,
            editors: &$desk.editors,
        }
    };
}

impl<'a> DeskRef<'a> {
    /// Whether something goes on on other threads.
    pub fn is_working(self) -> bool {
        self.under_way().next().is_some()
    }

    /// Names of what does.
    pub fn under_way(self) -> impl Iterator<Item = &'static str> {
        let others = [
            (self.state.findings.is_under_way(), "the findings"),
            (self.recording.is_working(), "a recorded program"),
            (self.causes.is_waiting(), "the causes"),
            (self.remarks.is_waiting(), "findings"),
            (self.pair.is_looking(), "other runs"),
        ];
        let others = others
            .into_iter()
            .filter_map(|(is, name)| is.then_some(name));
        let jobs = self
            .state
            .work
            .jobs
            .under_way()
            .chain(self.jobs.under_way());
        jobs.chain(others)
    }

    /// The work on other threads that takes long enough to be shown.
    pub fn slow(self) -> impl Iterator<Item = &'a Progress> {
        let of_state = self
            .state
            .work
            .jobs
            .slow()
            .chain(self.state.findings.slow());
        let jobs = of_state.chain(self.jobs.slow());
        let revisions = self.pair.revisions.as_ref();
        jobs.chain(self.recording.slow())
            .chain(self.remarks.slow())
            .chain(revisions.and_then(|it| it.slow()))
    }
}

impl Desk {
    /// Nothing open. `wake` makes what a worker calls to have the window look for its outcome.
    pub fn new(wake: Box<dyn Fn() -> Box<dyn FnOnce() + Send>>) -> Desk {
        let views = Views::default();
        Desk {
            state: State::new(views.ids().collect(), wake),
            views,
            dock: Dock::default(),
            talk: Talk::default(),
            show: None,
            picture: PictureCard::default(),
            wants_picture: None,
            text_to_copy: None,
            jobs: Jobs::default(),
            log: None,
            source: Source::default(),
            own_looks: Own::default(),
            own_views: Own::default(),
            memory: Memory::default(),
            palette: Palette::default(),
            welcome: Welcome::default(),
            pair: PairCard::default(),
            causes: CausesCard::default(),
            remarks: RemarksCard::default(),
            question: None,
            replaced: None,
            done: None,
            naming: None,
            pack_file: None,
            write_page: None,
            page_file: None,
            recording: RecordCard::default(),
            rescue: Rescue::default(),
            tour: Tour::default(),
            last_over: None,
            last_pointer: None,
            editors: Editors::default(),
            wants_focus: false,
            is_held: false,
            session_file: None,
            to_restore: None,
            document_seen: 0,
        }
    }

    /// Without anyone who waits for workers: what is shown without a window.
    pub fn unattended() -> Desk {
        Desk::new(Box::new(|| Box::new(|| ())))
    }

    /// What panels read, and what they change by being shown.
    pub fn parts(&mut self) -> (DeskRef<'_>, &mut Views, &mut Dock) {
        (reading!(self), &mut self.views, &mut self.dock)
    }

    /// What panels read.
    pub fn read(&self) -> DeskRef<'_> {
        reading!(self)
    }

    /// Whether something goes on on other threads.
    pub fn is_working(&self) -> bool {
        self.read().is_working()
    }

    /// Collects what other threads have finished; whether other inputs are open now.
    pub fn collect(&mut self) -> bool {
        let opened = self.state.poll_loading();
        let is_opened = opened.is_some();
        if let Some(document) = opened {
            self.welcome.recent.add(&document.inputs);
            let begins = self.to_restore.is_none() && self.talk.scenes.is_empty();
            let before = self.state.document.as_ref().map(|it| it.inputs.clone());
            let begins_anew = self.to_restore.is_none();
            self.show(document);
            if begins_anew {
                self.arrange_anew(before.as_ref());
            }
            self.tell_of_recording();
            self.tell_replaced();
            if begins {
                self.start_lively();
            }
        }
        self.poll_jobs();
        self.poll_pair();
        self.causes.update(&self.state);
        self.remarks.update(&self.state);
        self.state.tell_causes(&self.causes.causes().lines.places);
        self.forget_done();
        is_opened
    }

    /// Arranges the views as they were when what has just been opened was open before. What takes the place of something else
    /// does not inherit the arrangement that was made for that.
    fn arrange_anew(&mut self, before: Option<&Inputs>) {
        let Some(document) = &self.state.document else {
            return;
        };
        let now = &document.inputs;
        let is_same = before.is_some_and(|before| {
            let gets_a_run = before.recordings.is_empty()
                && before.source_dir.is_some()
                && before.source_dir == now.source_dir;
            let shares_a_run = before
                .recordings
                .iter()
                .any(|it| now.recordings.contains(it));
            before.recordings == now.recordings || shares_a_run || gets_a_run
        });
        if is_same && before != Some(&Inputs::default()) {
            return;
        }
        if let Some(before) = before {
            self.memory.note(before, self.state.panes.arrangement());
        }
        match self.memory.arrangement(now).cloned() {
            Some(views) => self.state.execute(PaneAsk::Arrange(views)),
            None if before.is_some() => self.state.execute(PaneAsk::Reset),
            None => {}
        }
    }

    /// Begins with what has just been opened where much is going on; the demo plays from there.
    fn start_lively(&mut self) {
        let Some(document) = &self.state.document else {
            return;
        };
        let is_demo = document.inputs == Inputs::default();
        let Some(resolved) = document.resolved().filter(|_| document.playback.is_some()) else {
            return;
        };
        let time = lively(&resolved.recording);
        self.state.execute(PlayAsk::Seek(time));
        if is_demo {
            // It goes on behind the welcome.
            self.state.execute(PlayAsk::ToggleLoop);
            self.state.execute(PlayAsk::PlayOrPause);
        }
    }

    /// Takes what workers have finished, but for other inputs.
    pub fn poll_jobs(&mut self) {
        self.state.poll_jobs();
        self.poll_pack();
        self.poll_picture();
        self.poll_film();
        self.poll_staged();
        self.poll_unpacked();
        self.poll_listed();
        self.poll_tree_then();
        self.poll_chosen();
        self.poll_recording();
        let document = self.state.stamps().document;
        if std::mem::replace(&mut self.document_seen, document) != document {
            self.go_on_to_bookmark();
        }
    }

    /// Goes on to now: camera, playback, the scene that is shown, and what views make of it all.
    pub fn update(&mut self) {
        let since = self.state.moving.time.begin_frame();
        self.advance_show(since.as_secs_f64());
        self.state.advance(since);
        self.note_script();
        self.views.update(&mut self.state);
        self.edit();
        self.add_chapters();
        self.present_findings();
        self.record();
        self.state
            .note_step(self.is_held || self.show.is_some() || self.is_live());
        self.go_through_tour();
        let is_moving = self.is_moving();
        self.state.moving.time.end_frame(is_moving);
    }

    /// Whether the next frame will differ from this one without any input.
    pub fn is_moving(&self) -> bool {
        let moves_by_itself = self.show_is_moving() || self.tour.is_moving();
        self.state.is_moving() || moves_by_itself
    }

    /// Notes over which view the pointer is, and where in it, `points` pixels a point. While a menu or the palette is open
    /// that is where it was last, so that their actions are about the view they were opened over.
    pub fn note_pointer(
        &mut self,
        view: Option<ViewId>,
        at: Option<Pos2>,
        points: f32,
        has_menu: bool,
    ) {
        let over = view.and_then(|view| {
            let at = (at? - self.dock.place(view)?.min) * points;
            Some((view, Vec2::new(at.x, at.y)))
        });
        if has_menu || self.palette.is_open || self.palette.menu.is_some() {
            let is_there = |it: &(ViewId, Vec2)| self.state.panes.is_visible(it.0);
            self.state.panes.under_pointer = self.last_over.filter(is_there);
            return;
        }
        let has_moved = self.last_pointer != at;
        self.last_pointer = at;
        let panes = &mut self.state.panes;
        panes.note_pointer(over, has_moved, points);
        self.last_over = panes.under_pointer.or(self.last_over);
    }

    /// Carries out what was asked for.
    pub fn execute(&mut self, command: impl Into<Command>) {
        let command = command.into();
        self.note_action(&command);
        match command {
            Command::Ask(ask) => self.ask(ask),
            Command::File(ask) => self.on_file(ask),
            Command::Replace(ask) => self.on_replace(ask),
            Command::Pair(ask) => self.on_pair(ask),
            Command::Remark(ask) => self.on_remark(ask),
            Command::Record(ask) => self.on_record(ask),
            Command::Picture(ask) => self.on_picture(ask),
            Command::Own(ask) => self.on_own(ask),
            Command::Talk(ask) => self.on_talk(ask),
            Command::Bookmarks(ask) => self.on_bookmarks(ask),
            Command::Script(ask) => self.on_script(ask),
            Command::Live(ask) => self.on_live(ask),
            Command::Palette(ask) => {
                let source = std::mem::replace(&mut self.source, Source::Palette);
                for command in self.palette.on(ask, &mut self.state) {
                    self.execute(command);
                }
                self.source = source;
            }
            Command::Editor(ask) => self.on_editor(ask),
            Command::Tour(ask) => self.on_tour(ask),
            Command::Focus => self.wants_focus = true,
            Command::Escape => self.escape(),
        }
    }

    fn ask(&mut self, ask: Ask) {
        if ask == Ask::Cancel(CancelAsk::Everything) {
            self.jobs = Jobs::default();
            self.recording.stop();
            self.views.cancel();
        }
        let had_editor = self.state.mapping.is_open;
        self.state.execute(ask);
        if self.state.mapping.is_open && !had_editor {
            // Both lie in one corner.
            self.talk.is_open = false;
        }
    }

    fn on_own(&mut self, OwnAsk { of, does }: OwnAsk) {
        let kept = match (of, does) {
            (OwnList::Looks, OwnDoes::Use(number)) => {
                if let Some(own) = self.own_looks.get(number) {
                    let mut settings = self.state.settings;
                    own.kept.restore(&mut settings);
                    self.state.execute(LookAsk::Configure(settings));
                }
                return;
            }
            (OwnList::Views, OwnDoes::Use(number)) => {
                if let Some(own) = self.own_views.get(number) {
                    let arrangement = own.kept.clone();
                    self.state.execute(PaneAsk::Arrange(arrangement));
                }
                return;
            }
            (OwnList::Looks, OwnDoes::Keep(name)) => {
                let look = SavedLook::of(&self.state.settings);
                self.own_looks.keep(name, look)
            }
            (OwnList::Views, OwnDoes::Keep(name)) => {
                let arrangement = self.state.panes.arrangement();
                self.own_views.keep(name, arrangement.clone())
            }
            (OwnList::Looks, OwnDoes::Remove(number)) => self.own_looks.remove(number),
            (OwnList::Views, OwnDoes::Remove(number)) => self.own_views.remove(number),
        };
        if let Err(error) = kept {
            self.state.tell(
                "The look or arrangement could not be saved",
                error.to_string(),
            );
        }
    }

    fn on_editor(&mut self, ask: EditorAsk) {
        match ask {
            EditorAsk::Command(command) => self.editors.command = command,
            EditorAsk::Keep => {
                if let Err(error) = self.editors.keep() {
                    let reason = error.to_string();
                    self.state.tell("The editor could not be kept", reason);
                }
            }
        }
    }

    /// Has the editor show what was asked for, and tells what became of it.
    fn edit(&mut self) {
        for to_edit in std::mem::take(&mut self.state.errands.to_edit) {
            match self.editors.open(&to_edit, self.state.waker()) {
                Ok(None) => {}
                Ok(Some(notice)) => self.state.tell_briefly(notice),
                Err(reason) => self
                    .state
                    .tell("It could not be opened in an editor", reason),
            }
        }
        for reason in self.editors.poll() {
            self.state.tell("The editor ended", reason);
        }
    }

    fn on_file(&mut self, ask: FileAsk) {
        match ask {
            FileAsk::Choose(chosen) => self.choose_file(chosen),
            FileAsk::Demo => self.replace_with(Replacement::Demo),
            FileAsk::History => self.open_history(),
            FileAsk::Tree => self.open_tree(),
            FileAsk::TreeThen => self.read_tree_then(),
            FileAsk::Recent(number) => self.open_recent(number),
            FileAsk::Last => self.open_last(),
            FileAsk::Welcome => self.welcome.is_open ^= true,
            FileAsk::Path(path) => self.welcome.path = path,
            FileAsk::OpenPath => self.open_typed(),
            FileAsk::Open(paths) if self.are_results(&paths) => {
                self.welcome.is_open = false;
                for path in paths {
                    self.state.execute(FindingAsk::Read(path));
                }
            }
            FileAsk::Open(paths) => self.replace_with(Replacement::Paths(paths)),
            FileAsk::SaveSession => self.write(Written::Session),
            FileAsk::Share => self.write(Written::Pack),
            FileAsk::SharePage => self.write(Written::Page),
            FileAsk::Film => self.name_film(),
            FileAsk::FilmAs(wish) => {
                if let Some(card) = &mut self.naming {
                    card.what = Written::Film(wish);
                }
            }
            FileAsk::NameFile(path) => {
                if let Some(card) = &mut self.naming {
                    card.path = path;
                }
            }
            FileAsk::WriteNamed => self.write_named(),
            FileAsk::LeaveName => self.naming = None,
            FileAsk::OpenLeft => self.open_left(),
            FileAsk::DiscardLeft => self.rescue.discard(),
        }
    }

    /// Whether files are what other tools have found in the source tree that is open.
    fn are_results(&self, paths: &[PathBuf]) -> bool {
        let open = self.state.document.as_ref().map(|it| &it.inputs);
        open.is_some_and(|it| it.source_dir.is_some()) && paths.iter().all(|it| is_results(it))
    }

    /// Opens what was dropped or chosen.
    pub(super) fn open_paths(&mut self, paths: Vec<PathBuf>) {
        self.welcome.is_open = false;
        if let Some(path) = paths.iter().find(|path| is_session_file(path)) {
            return self.open_session(path.clone());
        }
        if let Some(path) = paths.iter().find(|path| pack::is_pack(path)) {
            return self.open_pack(path.clone());
        }
        if let [path] = &paths[..] {
            self.list_folder(path);
        }
        let open = self.state.document.as_ref();
        self.open(dropped(open.map(|it| &it.inputs), &paths));
    }

    fn on_picture(&mut self, ask: PictureAsk) {
        match ask {
            PictureAsk::Toggle => self.toggle_picture(),
            PictureAsk::Edit(wish) => self.picture.wish = wish,
            PictureAsk::Save => self.save_picture(),
            PictureAsk::Command => self.copy_command(),
            PictureAsk::Copy(view) => {
                let view = view.unwrap_or_else(|| self.pictured());
                let wanted = self.state.document.is_some();
                self.wants_picture = wanted.then_some(Snapshot { view, file: None });
            }
        }
    }

    /// Reads a mapping file; its editor opens where something in it is wrong.
    pub fn use_map_file(&mut self, path: &Path) {
        self.state.use_map_file(path);
        // Both lie in one corner.
        self.talk.is_open &= !self.state.mapping.is_open;
    }
}

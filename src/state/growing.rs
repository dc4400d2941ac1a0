//! Following recordings that still grow. Their files are looked at on a thread of its own; when they have changed they
//! are read anew in the background, and what is shown is carried over to what was read.
//!
//! Reading anew costs as much as opening. So that it never takes more than a fifth of the time, as much time passes
//! after it as it took, four times over, and two seconds at least.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::document::Document;
use super::job::{Job, take_for};
use super::made::{Generation, Made};
use crate::analysis::session::Inputs;
use crate::facts::hierarchy::Hierarchy;
use crate::filter::filters::{FilterStep, Filters};
use crate::filter::selection::{CallOf, Pointed, Selection};
use crate::model::landscape::LandscapeSettings;
use crate::progress::{Cancelled, Progress};
use crate::units::{FunctionId, ModuleId, ThreadId};

/// How often the files are looked at.
const LOOK: Duration = Duration::from_millis(500);
/// Files that are written without a pause are read in the midst of it after this many looks.
const MOST_LOOKS: u32 = 4;
/// The least that passes between two readings.
const LEAST_REST: Duration = Duration::from_secs(2);
/// How many times as long as reading took passes before the next.
const REST: u32 = 4;

/// What reading an unfinished recording repairs at its end; these are no repairs while it grows. An index is not
/// kept of what changes while it is read.
const UNFINISHED: [&str; 5] = [
    "truncated-file",
    "truncated-compression",
    "unterminated-array",
    "open-at-end",
    "index-not-written",
];

/// The sizes and times of change of all files of recordings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Stamp(Vec<(PathBuf, u64, Option<SystemTime>)>);

impl Stamp {
    fn of(inputs: &Inputs) -> Stamp {
        let mut stamp = Stamp::default();
        for path in &inputs.recordings {
            match path.read_dir() {
                Ok(entries) => {
                    let paths = entries.flatten().map(|entry| entry.path());
                    paths.for_each(|path| stamp.add(&path));
                }
                Err(_) => stamp.add(path),
            }
        }
        stamp.0.sort();
        stamp
    }

    fn add(&mut self, path: &Path) {
        let is_index = path.extension().is_some_and(|end| end == "callscape");
        if let Ok(metadata) = path.metadata()
            && metadata.is_file()
            && !is_index
        {
            let changed = metadata.modified().ok();
            self.0.push((path.to_owned(), metadata.len(), changed));
        }
    }
}

/// What a reading anew has brought: nothing where the files could not be read.
struct News {
    document: Option<Box<Document>>,
    stamp: Stamp,
    cost: Duration,
}

/// The recordings of a window as they grow.
#[derive(Default)]
pub struct Growing {
    /// The files as they were when they were read last.
    stamp: Stamp,
    began: Option<Instant>,
    cost: Duration,
    watching: Option<Made<Job<News>>>,
}

impl Growing {
    /// Other inputs begin to be read.
    pub fn opening(&mut self, inputs: &Inputs) {
        self.watching = None;
        self.stamp = Stamp::of(inputs);
        self.began = Some(Instant::now());
    }

    /// They were read: waits until they grow. `wake` is called when there is something to hear.
    pub fn watch(
        &mut self,
        document: &Document,
        settings: LandscapeSettings,
        wake: impl FnOnce() + Send + 'static,
    ) {
        if let Some(began) = self.began.take() {
            self.cost = began.elapsed();
        }
        let (inputs, known) = (document.inputs.clone(), self.stamp.clone());
        let (map, part) = (document.map.clone(), document.part());
        let rest = LEAST_REST.max(self.cost.saturating_mul(REST));
        let work = move |progress: &Progress| {
            let stamp = wait(&inputs, &known, rest, progress)?;
            let began = Instant::now();
            let opened = Document::open(&inputs, map, &settings, progress);
            let document = opened.and_then(|it| it.showing(&part, progress)).ok();
            Ok(News {
                document: document.map(Box::new),
                stamp,
                cost: began.elapsed(),
            })
        };
        // Without a thread nothing is followed, and what is shown stays.
        let job = Job::named("growing", wake, work);
        self.watching = Some(Made::new(document.generation(), job));
    }

    /// Whether it waits for the files to grow: no longer once they were read anew, and not for another document.
    pub fn is_watching(&self) -> bool {
        self.watching.is_some()
    }

    /// What was read anew in place of the document shown, once it was: then it has to watch again.
    pub fn poll(&mut self, shown: Generation) -> Option<Option<Box<Document>>> {
        let news = take_for(&mut self.watching, shown)?.ok()?;
        self.stamp = news.stamp;
        self.cost = news.cost;
        Some(news.document)
    }
}

/// Waits until the files have changed and stay as they are for a moment; cancelled when the user has turned to
/// something else.
fn wait(
    inputs: &Inputs,
    known: &Stamp,
    rest: Duration,
    progress: &Progress,
) -> Result<Stamp, Cancelled> {
    let began = Instant::now();
    let mut last = known.clone();
    let mut changing = 0;
    loop {
        std::thread::sleep(LOOK);
        progress.check()?;
        if began.elapsed() < rest {
            continue;
        }
        let stamp = Stamp::of(inputs);
        if stamp == *known {
            continue;
        }
        changing += 1;
        if stamp == last || changing >= MOST_LOOKS {
            return Ok(stamp);
        }
        last = stamp;
    }
}

/// Leaves out of a document what reading has repaired only because the recording is not finished.
pub fn forget_the_end(document: &mut Document) {
    document.forgiven = &UNFINISHED;
}

/// Which ids of a document read anew mean what those of the one before did, by name.
struct Same<'a> {
    old: &'a Document,
    new: &'a Document,
}

impl Same<'_> {
    fn module(&self, module: ModuleId) -> Option<ModuleId> {
        let [old, new] = [self.old, self.new].map(|of| &of.session.hierarchy);
        same_module(old, module, new)
    }

    /// Functions keep their numbers when others follow them.
    fn function(&self, id: FunctionId) -> Option<FunctionId> {
        let known = |of: &'_ Document| {
            let functions = &of.resolved()?.recording.functions;
            let function = (id.index() < functions.len()).then(|| functions.get(id))?;
            let [name, file] = [function.name, function.file].map(str::to_owned);
            Some((name, file, function.line))
        };
        let known = [self.old, self.new].map(known);
        (known[0].is_some() && known[0] == known[1]).then_some(id)
    }

    fn thread(&self, thread: ThreadId) -> Option<ThreadId> {
        let is_same = self.old.thread_name(thread) == self.new.thread_name(thread);
        let trace = &self.new.resolved()?.recording.trace;
        let of = trace.threads().get(thread.index())?;
        (is_same && of.calls > 0).then_some(thread)
    }

    /// So do calls: the one with this number is the same where it is of the same function.
    fn call(&self, of: CallOf) -> Option<CallOf> {
        let thread = self.thread(of.thread)?;
        let function = |document: &Document| {
            let trace = &document.resolved()?.recording.trace;
            let calls = trace.threads().get(thread.index())?.calls;
            let is_there = u64::from(of.call.0) < calls;
            is_there.then(|| trace.call(thread, of.call).function)
        };
        let [old, new] = [self.old, self.new].map(function);
        (new.is_some() && new == self.function(old?)).then_some(of)
    }

    fn pointed(&self, of: Pointed) -> Pointed {
        let module = |it: ModuleId| self.module(it);
        Pointed {
            module: of.module.and_then(module),
            relation: of.relation.and_then(|(a, b)| module(a).zip(module(b))),
            function: of.function.and_then(|it| self.function(it)),
            thread: of.thread.and_then(|it| self.thread(it)),
            call: of.call.and_then(|it| self.call(it)),
            time: of.time,
        }
    }

    fn step(&self, step: FilterStep) -> Option<FilterStep> {
        Some(match step {
            FilterStep::RemoveModule(of) => FilterStep::RemoveModule(self.module(of)?),
            FilterStep::RemoveBelow(of) => FilterStep::RemoveBelow(self.module(of)?),
            FilterStep::HideThread(of) => FilterStep::HideThread(self.thread(of)?),
            FilterStep::RemoveBelowCall(of) => FilterStep::RemoveBelowCall(self.call(of)?),
            FilterStep::RemoveFrequent(_) | FilterStep::RemoveNotMarked => step,
        })
    }
}

/// Shows in `new` what `old` shows of the same recordings, as they were before they grew: what is collapsed and
/// chosen, the range, the clock. A clock at the end stays at the end.
pub fn carry_over(old: &Document, new: &mut Document, now: Duration) {
    let same = Same { old, new };
    let collapsed: Vec<ModuleId> = old.cut.collapsed().filter_map(|it| same.module(it)).collect();
    let steps = old.filters.steps().iter();
    let filters = Filters::new(steps.filter_map(|step| same.step(*step)));
    let selection = Selection {
        chosen: same.pointed(old.selection.chosen),
        pointed: Pointed::default(),
        range: None,
        // Whoever marked them does so again.
        marked: None,
        ..old.selection.clone()
    };
    for module in collapsed {
        new.cut.collapse(&new.session.hierarchy, module);
    }
    new.selection = selection;
    let range = old.selection.range.and_then(|range| new.within(range));
    let end = old.resolved().map(|it| it.recording.trace.range().end);
    if let (Some(before), Some((playback, trace))) = (&old.playback, new.playing()) {
        playback.configure(&before.settings());
        let is_at_end = range.is_none() && Some(before.time()) == end;
        let time = match is_at_end {
            true => trace.range().end,
            false => before.time(),
        };
        playback.seek(time, now, trace);
        playback.summary = before.summary;
        if before.is_playing() {
            playback.play(now, trace);
        }
    }
    new.limit(range, filters);
    let settings = old.settings;
    new.lay_out(&settings);
}

/// The module of `new` with the names and kinds of `module` and all around it.
pub fn same_module(old: &Hierarchy, module: ModuleId, new: &Hierarchy) -> Option<ModuleId> {
    let Some(parent) = old.parent(module) else {
        return Some(ModuleId::ROOT);
    };
    let parent = same_module(old, parent, new)?;
    let mut children = new.children(parent);
    children
        .find(|&child| new.name(child) == old.name(module) && new.kind(child) == old.kind(module))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Time, TimeRange};

    fn event(ph: &str, ts: u64, name: &str) -> String {
        format!("{{\"ph\":\"{ph}\",\"pid\":1,\"tid\":1,\"ts\":{ts},\"name\":\"{name}\"}},\n")
    }

    #[test]
    fn what_is_shown_is_carried_over_to_what_has_grown() {
        let name = format!("callscape-growing-{}.json", std::process::id());
        let path = std::env::temp_dir().join(name);
        let mut text = String::from("[");
        text += &event("B", 0, "b.run");
        text += &event("B", 10, "b.step");
        text += &event("E", 20, "b.step");
        std::fs::write(&path, &text).expect("a temporary file");
        let inputs = Inputs {
            source_dir: None,
            recordings: vec![path.clone()],
            ..Inputs::default()
        };
        let open = || {
            let settings = LandscapeSettings::default();
            Document::open(&inputs, None, &settings, &Progress::new()).expect("a recording")
        };
        let mut old = open();
        let stamp = Stamp::of(&inputs);
        assert_eq!(stamp, Stamp::of(&inputs));
        // What grows may come before what was there.
        text += &event("B", 30, "a.other");
        text += &event("E", 40, "a.other");
        std::fs::write(&path, &text).expect("a temporary file");
        assert_ne!(stamp, Stamp::of(&inputs));
        let mut new = open();
        let _ = std::fs::remove_file(&path);
        forget_the_end(&mut new);
        assert_eq!(new.warnings().count(), 0);

        let module = |document: &Document, name: &str| {
            let hierarchy = &document.session.hierarchy;
            hierarchy
                .modules()
                .find(|&id| hierarchy.name(id) == name)
                .expect("a module")
        };
        let step = module(&old, "step");
        let parent = old.session.hierarchy.parent(step).expect("a parent");
        old.cut.toggle(parent);
        old.selection.chosen.module = Some(step);
        let end = old
            .resolved()
            .expect("a recording")
            .recording
            .trace
            .range()
            .end;
        let (playback, trace) = old.playing().expect("something to play");
        playback.seek(end, Duration::ZERO, trace);
        carry_over(&old, &mut new, Duration::ZERO);
        assert_eq!(new.selection.chosen.module, Some(module(&new, "step")));
        let hierarchy = &new.session.hierarchy;
        assert!(
            new.cut
                .is_collapsed(hierarchy.parent(module(&new, "step")).expect("a parent"))
        );
        // At the live end.
        assert_eq!(
            new.playback.as_ref().map(|it| it.time()),
            Some(Time::from_ns(40_000))
        );

        let range = TimeRange::new(Time::from_ns(5_000), Time::from_ns(15_000));
        let (playback, trace) = old.playing().expect("something to play");
        playback.seek(Time::from_ns(12_000), Duration::ZERO, trace);
        old.limit(Some(range), Filters::default());
        let mut again = open_again(&inputs, &text);
        carry_over(&old, &mut again, Duration::ZERO);
        assert_eq!(again.selection.range, Some(range));
        assert_eq!(
            again.playback.as_ref().map(|it| it.time()),
            Some(Time::from_ns(12_000))
        );
    }

    fn open_again(inputs: &Inputs, text: &str) -> Document {
        std::fs::write(&inputs.recordings[0], text).expect("a temporary file");
        let settings = LandscapeSettings::default();
        let document = Document::open(inputs, None, &settings, &Progress::new());
        let _ = std::fs::remove_file(&inputs.recordings[0]);
        document.expect("a recording")
    }
}

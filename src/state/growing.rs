//! Following recordings that still grow. Their files are looked at on a thread of its own; when they have changed they
//! are read anew in the background, and what is shown is carried over to what was read.
//!
//! Reading anew costs as much as opening. So that it never takes more than a fifth of the time, as much time passes
//! after it as it took, four times over, and two seconds at least.

use callscape_base::clock::Instant;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::document::{Document, Same};
use super::job::{Job, take_for};
use super::made::{Generation, Made};
use callscape_analysis::session::Inputs;
use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::ModuleId;
use callscape_model::landscape::LandscapeSettings;

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
    pub(crate) fn is_watching(&self) -> bool {
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
pub(crate) fn forget_the_end(document: &mut Document) {
    document.forgiven = &UNFINISHED;
}

/// Shows in `new` what `old` shows of the same recordings, as they were before they grew: what is collapsed and
/// chosen, the range, the clock. A clock at the end stays at the end.
pub(crate) fn carry_over(old: &Document, new: &mut Document, now: Duration) {
    let same = Same {
        old,
        new,
        moved: None,
    };
    let collapsed: Vec<ModuleId> = old
        .cut
        .collapsed()
        .filter_map(|it| same.module(it))
        .collect();
    let filters = old.filters.moved(&same);
    let chosen = same.pointed(old.selection.chosen);
    for module in collapsed {
        new.cut.collapse(&new.session.hierarchy, module);
    }
    // Whoever marked functions does so again.
    new.selection.change(|it| {
        it.chosen = chosen;
        it.time = old.selection.time;
    });
    let range = old.selection.range.and_then(|range| new.within(range));
    let end = old.resolved().map(|it| it.recording.trace.range().end);
    if let (Some(before), Some((playback, all))) = (&old.playback, new.playing()) {
        playback.configure(&before.settings());
        let is_at_end = range.is_none() && Some(before.time()) == end;
        let time = match is_at_end {
            true => all.trace.range().end,
            false => before.time(),
        };
        playback.seek(time, now, all);
        playback.summary = before.summary;
        if before.is_playing() {
            playback.play(now, all);
        }
    }
    new.limit(range, filters);
    let settings = old.settings;
    new.lay_out(&settings);
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_base::units::{Time, TimeRange};
    use callscape_filter::filters::Filters;

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
        old.selection.change(|it| it.chosen.module = Some(step));
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

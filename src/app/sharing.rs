//! Packs of what is open: structure, recordings, session and scenes in one file for another machine.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, bail, ensure};

use super::saved::SavedSession;
use callscape_analysis::sampling::{self, Keep};
use callscape_analysis::session::{Inputs, Sides};
use callscape_base::files::Folder;
use callscape_base::progress::Progress;
use callscape_base::units::{ModuleId, Time, TimeSpec, counted, grouped};
use callscape_base::warnings::Reporter;
use callscape_export::pack::{self, Packed, Parts};
use callscape_facts::hierarchy::{Hierarchy, ModuleKind};
use callscape_facts::recording::Recording;
use callscape_facts::sampling::{Flow, Objects, Plan, Rule, Stretch};
use callscape_import as import;
use callscape_import::input::STANDARD_INPUT;
use callscape_presentation::scene::{Bookmark, LeftOut, SceneFile, SceneInputs};
use callscape_source::{self as source, structure};

const SESSION: &str = "session.callscape-session.json";

/// What is to be packed.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    pub inputs: Inputs,
    pub session: Option<PathBuf>,
    pub mapping: Option<PathBuf>,
    pub scenes: Vec<PathBuf>,
    pub source: Source,
    /// The part of each recording that is kept.
    pub kept: Kept,
}

/// What of a source tree is packed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Source {
    /// Its structure.
    #[default]
    Structure,
    /// The text of its files, whose structure is read again where the pack is opened.
    Text,
    /// Both: no structure can be read in a browser.
    Both,
}

/// The part of a recording that is kept.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kept {
    /// From here on.
    pub from: Option<TimeSpec>,
    /// Up to here.
    pub to: Option<TimeSpec>,
    /// Only the stacks at every Nth entry or exit of a function.
    pub stacks: Option<u64>,
}

impl Kept {
    /// Nothing is left out.
    pub fn is_all(&self) -> bool {
        self.from.is_none() && self.to.is_none() && self.stacks.is_none()
    }

    fn plan(&self, recording: &Recording) -> anyhow::Result<Plan> {
        let rule = Rule {
            flow: self.stacks.map_or(Flow::All, Flow::Stacks),
            ..Rule::ALL
        };
        if self.from.is_none() && self.to.is_none() {
            return Ok(Plan::of(rule));
        }
        let resolve = |spec: TimeSpec| spec.resolve(recording.timed().duration());
        let start = self.from.map_or(Time::ZERO, resolve);
        let end = self.to.map_or(Time::MAX, resolve);
        ensure!(
            start <= end,
            "expected --from before --to, found {start} and {end}"
        );
        Ok(Plan {
            ranges: vec![Stretch { start, end, rule }],
            default: Rule {
                flow: Flow::Off,
                objects: Objects::Off,
                with_stack: false,
            },
        })
    }

    /// The kept part of a recording.
    fn of(&self, recording: &Recording, progress: &Progress) -> anyhow::Result<Recording> {
        let (plan, keep) = (self.plan(recording)?, Keep::default());
        let kept = sampling::sample(recording, &plan, &keep, progress)?;
        ensure!(
            kept.trace.calls() > 0,
            "{}: no call is left of {self}",
            recording.name()
        );
        Ok(kept)
    }
}

impl fmt::Display for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        if let Some(from) = self.from {
            parts.push(format!("from {from}"));
        }
        if let Some(to) = self.to {
            parts.push(format!("to {to}"));
        }
        if let Some(every) = self.stacks {
            parts.push(format!(
                "sampled by the stacks at every {every}th entry or exit"
            ));
        }
        f.write_str(&parts.join(", "))
    }
}

/// What of a pack one opens.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Opened {
    pub inputs: Inputs,
    pub session: Option<PathBuf>,
    pub mapping: Option<PathBuf>,
    pub scenes: Vec<PathBuf>,
}

/// Writes a pack or a page: returns a line for each part, and the size in bytes.
pub type Writer = fn(&Wanted, &Path, &Progress) -> anyhow::Result<(Vec<String>, u64)>;

/// Writes a pack to `out`; what is in it, a line for each part, and its size in bytes.
pub fn pack(
    wanted: &Wanted,
    out: &Path,
    progress: &Progress,
) -> anyhow::Result<(Vec<String>, u64)> {
    let mut packing = Packing::new(out)?;
    let inputs = &wanted.inputs;
    let mut source = |dir: &Option<PathBuf>, folder: &str| -> anyhow::Result<_> {
        let packed = dir
            .as_ref()
            .map(|dir| packing.source(dir, folder, wanted.source, progress));
        packed.transpose()
    };
    let sources = [
        source(&inputs.source_dir, "source")?,
        source(&inputs.sides.source_of_a, "source-of-a")?,
    ];
    [packing.parts.source, packing.parts.source_of_a] = sources;
    let (of_a, of_b) = inputs
        .recordings
        .split_at_checked(inputs.sides.runs_of_a)
        .unwrap_or_default();
    packing.recordings(of_a, &wanted.kept, progress)?;
    packing.parts.runs_of_a = packing.parts.recordings.len();
    packing.recordings(of_b, &wanted.kept, progress)?;
    if let Some(mapping) = &wanted.mapping {
        packing.parts.mapping = Some(packing.mapping(mapping)?);
    }
    if let Some(session) = &wanted.session {
        packing.session(session)?;
    }
    for scene in &wanted.scenes {
        packing.scene(scene)?;
    }
    progress.check()?;
    let size = pack::write(out, &packing.parts, &packing.files, progress)?;
    Ok((std::mem::take(&mut packing.said), size))
}

/// Files on their way into a pack.
struct Packing {
    parts: Parts,
    files: Vec<Packed>,
    said: Vec<String>,
    /// By where they lie, the names of mapping files.
    mappings: BTreeMap<PathBuf, String>,
    /// What is made for the pack alone; removed with this.
    folder: Folder,
}

impl Packing {
    fn new(out: &Path) -> anyhow::Result<Packing> {
        let folder = Folder::beside(out).with_context(|| out.display().to_string())?;
        Ok(Packing {
            parts: Parts::default(),
            files: Vec::new(),
            said: Vec::new(),
            mappings: BTreeMap::new(),
            folder,
        })
    }

    fn add(&mut self, name: String, path: PathBuf) {
        self.files.push(Packed { name, path });
    }

    /// A path in the folder of what is made for the pack.
    fn made(&self) -> PathBuf {
        self.folder.path().join(self.files.len().to_string())
    }

    /// The name that the tree gets in `folder` of the pack.
    fn source(
        &mut self,
        dir: &Path,
        folder: &str,
        wanted: Source,
        progress: &Progress,
    ) -> anyhow::Result<String> {
        let hierarchy = source::scan(dir, progress, &Reporter::new())?;
        let root = plain(hierarchy.name(ModuleId::ROOT));
        let modules = hierarchy.len();
        ensure!(
            wanted == Source::Structure || dir.is_dir(),
            "{}: expected a source tree for --with-source, found a structure without text",
            dir.display()
        );
        let name = format!("{folder}/{root}{}", structure::ENDING);
        let text = match wanted {
            Source::Structure => None,
            Source::Text => Some(format!("{folder}/{root}")),
            Source::Both => Some(
                structure::text_beside(Path::new(&name))
                    .display()
                    .to_string(),
            ),
        };
        if let Some(text) = text {
            let files = files(&hierarchy);
            for file in &files {
                let path = dir.join(file);
                // Names that are no text stand otherwise in the structure; they are left out.
                if path.is_file() {
                    self.add(format!("{text}/{file}"), path);
                }
            }
            self.said
                .push(format!("{} source files of {root}", files.len()));
            if wanted == Source::Text {
                return Ok(text);
            }
        }
        let path = self.made();
        let file = File::create(&path).with_context(|| path.display().to_string())?;
        let mut out = BufWriter::new(file);
        structure::write(&hierarchy, &mut out)
            .and_then(|()| out.flush())
            .with_context(|| path.display().to_string())?;
        self.add(name.clone(), path);
        let without = if wanted == Source::Structure {
            ", no text"
        } else {
            ""
        };
        self.said.push(format!(
            "the structure of {root}: {modules} modules{without}"
        ));
        Ok(name)
    }

    fn recordings(
        &mut self,
        paths: &[PathBuf],
        kept: &Kept,
        progress: &Progress,
    ) -> anyhow::Result<()> {
        let opened = import::open_all(paths, progress)?;
        let has_profile = opened.iter().any(|it| it.profile.is_some());
        ensure!(
            !has_profile || kept.is_all(),
            "a profile is packed as it is: it contains no calls that could be left out"
        );
        if has_profile {
            // A profile has no index: what it was read from goes along.
            for path in paths {
                self.original(path)?;
            }
            return Ok(());
        }
        for recording in &opened {
            let name = self.recording_name(&recording.path);
            let path = self.made();
            progress.start(format!("writing the index of {}", recording.name()), 0);
            progress.check()?;
            let part = match kept.is_all() {
                true => None,
                false => Some(kept.of(recording, progress)?),
            };
            import::index::save(part.as_ref().unwrap_or(recording), &path)
                .with_context(|| path.display().to_string())?;
            if let Some(damage) = recording.damage() {
                bail!(damage);
            }
            let calls = counted(recording.trace.calls(), "call", "calls");
            self.said.push(match &part {
                None => format!("{}: {calls}", recording.name()),
                Some(part) => {
                    let left = grouped(part.trace.calls());
                    format!("{}: {left} of {calls}, {kept}", recording.name())
                }
            });
            self.add(name.clone(), path);
            self.parts.recordings.push(name);
        }
        Ok(())
    }

    fn recording_name(&self, path: &Path) -> String {
        let number = self.parts.recordings.len() + 1;
        let name = path.file_name().unwrap_or(path.as_os_str());
        format!("recordings/{number}/{}", plain(&name.to_string_lossy()))
    }

    /// A recording as it is.
    fn original(&mut self, path: &Path) -> anyhow::Result<()> {
        ensure!(
            path.as_os_str() != STANDARD_INPUT,
            "a profile that was read from a pipe cannot be packed: it has to be a file"
        );
        let name = self.recording_name(path);
        if path.is_dir() {
            let entries = fs::read_dir(path).with_context(|| path.display().to_string())?;
            let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            files.sort();
            for file in files.into_iter().filter(|file| file.is_file()) {
                let own = file.file_name().unwrap_or_default().to_string_lossy();
                self.add(format!("{name}/{}", plain(&own)), file);
            }
        } else {
            self.add(name.clone(), path.to_owned());
        }
        self.said.push(format!("{} as it is", own_name(path)));
        self.parts.recordings.push(name);
        Ok(())
    }

    /// The name of a mapping file in the pack.
    fn mapping(&mut self, path: &Path) -> anyhow::Result<String> {
        let shown = || path.display().to_string();
        let whole = fs::canonicalize(path).with_context(shown)?;
        if let Some(name) = self.mappings.get(&whole) {
            return Ok(name.clone());
        }
        let own = own_name(path);
        let name = format!("mappings/{}/{}", self.mappings.len() + 1, plain(&own));
        self.add(name.clone(), whole.clone());
        self.mappings.insert(whole, name.clone());
        Ok(name)
    }

    fn session(&mut self, path: &Path) -> anyhow::Result<()> {
        let mut saved = SavedSession::read(path)?;
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let mapping = match saved.mapping(path) {
            Some((mapping, true)) => Some(self.mapping(&mapping)?),
            _ => None,
        };
        for bookmark in &mut saved.bookmarks {
            self.bookmark(bookmark, &folder, "")?;
        }
        if saved.forget_elsewhere() {
            self.say_nothing_is_marked(path);
        }
        if self.parts.mapping.is_none() {
            self.parts.mapping.clone_from(&mapping);
        }
        saved.set_inputs(
            inputs_of(&self.parts, |name| PathBuf::from(name)),
            mapping.map(PathBuf::from),
        );
        let made = self.made();
        fs::write(&made, serde_json::to_vec_pretty(&saved)?)
            .with_context(|| made.display().to_string())?;
        self.add(SESSION.to_owned(), made);
        self.parts.session = Some(SESSION.to_owned());
        let bookmarks = counted(saved.bookmarks.len() as u64, "bookmark", "bookmarks");
        self.said.push(format!("the session, with {bookmarks}"));
        Ok(())
    }

    /// A pack has neither a repository nor what other tools have found.
    fn say_nothing_is_marked(&mut self, path: &Path) {
        self.said.push(format!(
            "no changes since a revision and no results of other tools, which {} names",
            own_name(path)
        ));
    }

    /// Has a bookmark of a file in `folder` find its mapping from `up` in the pack, where nothing is marked.
    fn bookmark(&mut self, of: &mut Bookmark, folder: &Path, up: &str) -> anyhow::Result<()> {
        (of.marked, of.color_marked) = (None, None);
        if let Some(left_out) = &mut of.left_out {
            left_out.retain(|it| *it != LeftOut::NotMarked);
        }
        let named = of.mapping.as_ref().filter(|it| !it.as_os_str().is_empty());
        if let Some(mapping) = named {
            let path = folder.join(mapping);
            of.mapping = match path.is_file() {
                true => Some(format!("{up}{}", self.mapping(&path)?).into()),
                false => None,
            };
        }
        Ok(())
    }

    fn scene(&mut self, path: &Path) -> anyhow::Result<()> {
        const UP: &str = "../";
        let file = SceneFile::read(path)?;
        let mut scene = file.scene.clone();
        for bookmark in &mut scene.bookmarks {
            self.bookmark(bookmark, file.folder(), UP)?;
        }
        if scene.inputs.good.is_some() || !scene.inputs.results.is_empty() {
            self.say_nothing_is_marked(path);
        }
        let up = |name: &String| PathBuf::from(format!("{UP}{name}"));
        let mapping = match &scene.inputs.mapping {
            Some(mapping) => Some(self.mapping(&file.folder().join(mapping))?),
            None => self.parts.mapping.clone(),
        };
        let session = scene
            .inputs
            .session
            .as_ref()
            .and(self.parts.session.as_ref());
        scene.inputs = match session {
            Some(session) => SceneInputs {
                session: Some(up(session)),
                mapping: scene.inputs.mapping.and(mapping.as_ref().map(up)),
                ..SceneInputs::default()
            },
            None => SceneInputs {
                source: self.parts.source.as_ref().map(up),
                recordings: self.parts.recordings.iter().map(up).collect(),
                runs_of_a: self.parts.runs_of_a,
                source_of_a: self.parts.source_of_a.as_ref().map(up),
                mapping: mapping.as_ref().map(up),
                ..SceneInputs::default()
            },
        };
        let own = own_name(path);
        let mut name = format!("scenes/{}", plain(&own));
        if self.parts.scenes.contains(&name) {
            let number = self.parts.scenes.len() + 1;
            name = format!("scenes/{number}-{}", plain(&own));
        }
        let made = self.made();
        fs::write(&made, toml::to_string(&scene)?).with_context(|| made.display().to_string())?;
        self.add(name.clone(), made);
        self.parts.scenes.push(name);
        self.said.push(format!("the scene {}", own_name(path)));
        Ok(())
    }
}

/// What a pack opens, `path` saying where each of its names lies.
fn inputs_of(parts: &Parts, path: impl Fn(&String) -> PathBuf) -> Inputs {
    Inputs {
        source_dir: parts.source.as_ref().map(&path),
        recordings: parts.recordings.iter().map(&path).collect(),
        sides: Sides {
            runs_of_a: parts.runs_of_a,
            source_of_a: parts.source_of_a.as_ref().map(&path),
        },
        ..Inputs::default()
    }
}

/// The name of a file without its folder, which is nobody's business but the sender's.
fn own_name(path: &Path) -> std::borrow::Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}

/// A name without what leads elsewhere.
fn plain(name: &str) -> String {
    let kept: String = name
        .chars()
        .map(|c| match c {
            '/' | '\\' | ':' | '\0' => '_',
            c => c,
        })
        .collect();
    match kept.as_str() {
        "" | "." | ".." => "_".to_owned(),
        _ => kept,
    }
}

/// The paths of the files of a source tree, below it.
fn files(hierarchy: &Hierarchy) -> Vec<String> {
    let files = hierarchy.modules();
    let files = files.filter(|&id| hierarchy.kind(id) == ModuleKind::File);
    files.map(|id| hierarchy.path(id)).collect()
}

/// Unpacks a pack and says what of it one opens. An error where it is damaged, or would lead out of itself.
pub fn open(path: &Path, progress: &Progress) -> anyhow::Result<Opened> {
    let unpacked = pack::open(path, progress)?;
    let parts = &unpacked.parts;
    let found = |name: &String| unpacked.path(name);
    let opened = Opened {
        inputs: inputs_of(parts, found),
        session: parts.session.as_ref().map(found),
        mapping: parts.mapping.as_ref().map(found),
        scenes: parts.scenes.iter().map(found).collect(),
    };
    let inside = |file: &Path, names: &[PathBuf]| {
        let odd = names
            .iter()
            .find(|name| !leads_inside(&unpacked.folder, file, name));
        match odd {
            Some(odd) => bail!(
                "{}, {}: expected paths inside the pack, found {}",
                path.display(),
                file.strip_prefix(&unpacked.folder)
                    .unwrap_or(file)
                    .display(),
                odd.display()
            ),
            None => Ok(()),
        }
    };
    if let Some(session) = &opened.session {
        inside(session, &SavedSession::read(session)?.paths())?;
    }
    for scene in &opened.scenes {
        let of = SceneFile::read(scene)?.scene;
        let mut names = of.inputs.recordings;
        names.extend(of.inputs.source);
        names.extend(of.inputs.source_of_a);
        names.extend(of.inputs.mapping);
        names.extend(of.inputs.good_recording);
        names.extend(of.inputs.results);
        names.extend(of.inputs.session);
        names.extend(of.bookmarks.into_iter().filter_map(|it| it.mapping));
        inside(scene, &names)?;
    }
    Ok(opened)
}

/// Whether `name`, as `file` in `folder` says it, is a path in `folder`.
fn leads_inside(folder: &Path, file: &Path, name: &Path) -> bool {
    let from = file
        .parent()
        .and_then(|parent| parent.strip_prefix(folder).ok());
    let Some(from) = from else { return false };
    let mut depth = from.components().count();
    for part in name.components() {
        match part {
            Component::Normal(_) => depth += 1,
            Component::CurDir => {}
            Component::ParentDir if depth > 0 => depth -= 1,
            _ => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_that_lead_out_of_a_pack_are_told_from_those_that_do_not() {
        let folder = Path::new("/cache/1");
        let scene = Path::new("/cache/1/scenes/a.toml");
        let inside = |name: &str| leads_inside(folder, scene, Path::new(name));
        assert!(inside("../source/a") && inside("b.toml") && inside("x/../../c") && inside(""));
        assert!(!inside("../../a") && !inside("/etc/passwd") && !inside("../x/../../y"));
        assert!(!leads_inside(
            folder,
            Path::new("/cache/2/a"),
            Path::new("b")
        ));
    }
}

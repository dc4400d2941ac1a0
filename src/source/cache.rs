//! What a scan has read, kept in the user's cache directory: opening an unchanged tree again reads no file of it.
//!
//! One file for each tree. A source file whose stamp (size, times, inode) is as it was is not opened; one whose
//! content is as it was, here or anywhere in the tree, is not parsed. What is kept carries a version, the fingerprint
//! of the languages and a checksum, is written beside and renamed, so that two windows may scan one tree, and
//! is made anew when anything does not fit: what is wrong with it is never an error.

use std::collections::HashMap;
use std::fs;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokei::LanguageType;

use super::cache_bytes::{Input, Output};
use super::cache_relations;
use super::count::{self, Counted, Stamp};
use super::definitions::Definition;
use super::file::SourceFile;
use super::languages;
use super::relations::FileRelations;
use callscape_base::files;
use callscape_facts::hierarchy::ModuleKind;
use callscape_facts::index;
use callscape_facts::kinds::Made;

const MAGIC: &[u8; 8] = b"CSSCAN\x00\x04";
/// Magic, fingerprint of the languages, length and checksum of what follows.
const HEADER: usize = 8 + 8 + 8 + 4;
const EXTENSION: &str = "scan";

/// Smaller trees, in bytes, are read faster than anyone waits for.
const WORTH_KEEPING: u64 = 2 << 20;
/// What is kept of one tree is no larger.
const LARGEST: usize = 512 << 20;
/// What is kept of all trees: the oldest go first.
const MOST_KEPT: u64 = 1 << 30;
/// A file that has changed so shortly before the scan may have changed again with the same stamp.
const RACE: Duration = Duration::from_secs(2);

/// Kinds of warnings that are kept.
const WARNINGS: [&str; 4] = [
    "file-too-large-to-parse",
    "file-too-sparse-to-parse",
    "grammar-does-not-fit",
    "binary-file",
];
const KINDS: [ModuleKind; 4] = [
    ModuleKind::File,
    ModuleKind::Namespace,
    ModuleKind::Class,
    ModuleKind::Function,
];

/// The place of what is kept of one tree, and what was there.
pub(crate) struct Cache {
    path: PathBuf,
    known: Arc<Known>,
    started: SystemTime,
}

impl Cache {
    /// Where scans are kept unless the caller says otherwise.
    pub(crate) fn default_folder() -> Option<PathBuf> {
        Some(index::cache_dir()?.join("sources"))
    }

    /// What is kept in `folder` of the tree `dir`. None when `dir` is not to be found.
    pub(crate) fn open(folder: &Path, dir: &Path) -> Option<Cache> {
        let dir = fs::canonicalize(dir).ok()?;
        let name = count::hash(dir.as_os_str().as_encoded_bytes());
        let path = folder.join(format!("{name:016x}.{EXTENSION}"));
        let known = fs::metadata(&path)
            .ok()
            .filter(|metadata| metadata.len() <= (LARGEST + HEADER) as u64)
            .and_then(|_| Known::new(fs::read(&path).ok()?));
        Some(Cache {
            path,
            known: Arc::new(known.unwrap_or_default()),
            started: SystemTime::now(),
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn known(&self) -> Arc<Known> {
        Arc::clone(&self.known)
    }

    /// Keeps what is known of `files`, if they are worth it. False when it should have been kept and could not.
    pub(crate) fn keep(&self, files: &[SourceFile]) -> bool {
        let bytes: u64 = files.iter().map(|file| file.counted.stamp.bytes).sum();
        if bytes < WORTH_KEEPING {
            return true;
        }
        let payload = encode(files, &self.known, self.started);
        if payload.len() > LARGEST {
            return true;
        }
        let Some(folder) = self.path.parent() else {
            return false;
        };
        let written = fs::create_dir_all(folder).and_then(|()| self.write(&payload));
        prune(folder, &self.path, EXTENSION, MOST_KEPT);
        written.is_ok()
    }

    fn write(&self, payload: &[u8]) -> std::io::Result<()> {
        files::write_with(&self.path, |out| {
            out.write_all(MAGIC)?;
            out.write_all(&languages::fingerprint().to_le_bytes())?;
            out.write_all(&(payload.len() as u64).to_le_bytes())?;
            out.write_all(&crc32fast::hash(payload).to_le_bytes())?;
            out.write_all(payload)
        })
    }
}

/// Removes what is kept of other trees in files with this extension, the oldest first, until it is at most `most` bytes.
pub(crate) fn prune(folder: &Path, newest: &Path, extension: &str, most: u64) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    let mut kept: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
    for entry in entries.flatten() {
        let (path, Ok(metadata)) = (entry.path(), entry.metadata()) else {
            continue;
        };
        let modified = metadata.modified().unwrap_or(UNIX_EPOCH);
        if path.extension().is_some_and(|it| it == extension) {
            kept.push((modified, metadata.len(), path));
        }
    }
    kept.sort();
    let mut total: u64 = kept.iter().map(|(_, bytes, _)| bytes).sum();
    for (_, bytes, path) in kept {
        if total <= most || path == newest {
            continue;
        }
        if fs::remove_file(path).is_ok() {
            total -= bytes;
        }
    }
}

/// What an earlier scan knew.
#[derive(Default)]
pub(crate) struct Known {
    data: Vec<u8>,
    files: Vec<KnownFile>,
    by_path: HashMap<Box<[u8]>, usize>,
    /// By hash of the content.
    by_content: HashMap<u64, usize>,
}

struct KnownFile {
    counted: Counted,
    hash: u64,
    /// Where its definitions are in the data, and how many.
    definitions: Range<usize>,
    count: usize,
    /// Where it stands in the data what it says of other files; empty where that was not read.
    relations: Range<usize>,
}

impl Known {
    /// None when `data` is not what this version has written with these languages.
    fn new(data: Vec<u8>) -> Option<Known> {
        let payload = data.get(HEADER..)?;
        let number = |at: usize| Some(u64::from_le_bytes(data.get(at..at + 8)?.try_into().ok()?));
        let checksum = u32::from_le_bytes(data.get(24..28)?.try_into().ok()?);
        let fits = data.starts_with(MAGIC)
            && number(8)? == languages::fingerprint()
            && number(16)? == payload.len() as u64
            && checksum == crc32fast::hash(payload);
        if !fits {
            return None;
        }
        let mut known = Known::default();
        let mut input = Input {
            data: &data,
            at: HEADER,
        };
        let names = input.count()?;
        let mut all: HashMap<&str, LanguageType> = HashMap::new();
        for &(language, _) in LanguageType::list() {
            all.insert(language.name(), language);
        }
        let mut languages = Vec::new();
        for _ in 0..names {
            let name = std::str::from_utf8(input.bytes()?).ok()?;
            languages.push(*all.get(name)?);
        }
        for _ in 0..input.count()? {
            let path = Box::from(input.bytes()?);
            let language = *languages.get(input.count()?)?;
            let stamp = Stamp {
                bytes: input.number()?,
                modified: input.number()?,
                changed: input.number()?,
                inode: input.number()?,
            };
            let hash = input.number()?;
            let counted = Counted {
                language,
                loc: input.small()?,
                comment_lines: input.small()?,
                lines: input.small()?,
                stamp,
                warning: match input.count()? {
                    0 => None,
                    kind => Some(WARNINGS.get(kind - 1)?),
                },
                made: *Made::ALL.get(input.count()?)?,
            };
            let count = input.count()?;
            let length = input.count()?;
            let end = input
                .at
                .checked_add(length)
                .filter(|&end| end <= data.len())?;
            let file = known.files.len();
            known.by_path.insert(path, file);
            if hash != 0 {
                known.by_content.insert(hash, file);
            }
            known.files.push(KnownFile {
                counted,
                hash,
                definitions: input.at..end,
                count,
                relations: 0..0,
            });
            input.at = end;
            let length = input.bytes()?.len();
            if let Some(file) = known.files.last_mut() {
                file.relations = input.at - length..input.at;
            }
        }
        known.data = data;
        Some(known)
    }

    /// The lines, hash and definitions of the file at `path`, if its stamp is what it was.
    pub(crate) fn unchanged(
        &self,
        path: &Path,
        stamp: Stamp,
    ) -> Option<(Counted, u64, Vec<Definition>)> {
        let file = *self.by_path.get(path.as_os_str().as_encoded_bytes())?;
        let file = &self.files[file];
        let is_trusted = file.counted.stamp == stamp && stamp != Stamp::default();
        is_trusted.then_some(())?;
        Some((file.counted, file.hash, self.definitions(file)?))
    }

    /// The definitions, and what was left out, of a file with this content.
    pub(crate) fn with_content(
        &self,
        language: LanguageType,
        hash: u64,
        bytes: u64,
    ) -> Option<(Vec<Definition>, Option<&'static str>)> {
        let file = &self.files[*self.by_content.get(&hash)?];
        let fits = file.counted.language == language && file.counted.stamp.bytes == bytes;
        fits.then_some(())?;
        Some((self.definitions(file)?, file.counted.warning))
    }

    /// What a file with this content says of other files, if that was read.
    pub(crate) fn relations(&self, hash: u64) -> Option<FileRelations> {
        let data = self.encoded_relations(hash);
        (!data.is_empty()).then_some(())?;
        cache_relations::decode(&mut Input { data, at: 0 })
    }

    /// The same as it is kept; empty where it was not read.
    fn encoded_relations(&self, hash: u64) -> &[u8] {
        let file = self.by_content.get(&hash).map(|&file| &self.files[file]);
        let place = file.map(|file| file.relations.clone());
        place
            .and_then(|place| self.data.get(place))
            .unwrap_or_default()
    }

    fn definitions(&self, file: &KnownFile) -> Option<Vec<Definition>> {
        let mut input = Input {
            data: self.data.get(..file.definitions.end)?,
            at: file.definitions.start,
        };
        let mut definitions = Vec::with_capacity(file.count.min(file.definitions.len()));
        for index in 0..file.count {
            let kind = *KINDS.get(input.count()?)?;
            let parent = input.count()?.checked_sub(1);
            // Functions are leaves, parents stand before their children.
            let is_sound = parent.is_none_or(|parent| {
                parent < index
                    && definitions
                        .get(parent)
                        .is_some_and(|parent: &Definition| parent.kind != ModuleKind::Function)
            });
            is_sound.then_some(())?;
            let name = std::str::from_utf8(input.bytes()?).ok()?.to_owned();
            let line = input.small()?;
            definitions.push(Definition {
                kind,
                name,
                line,
                end_line: line.checked_add(input.small()?)?,
                loc: input.small()?,
                comment_lines: input.small()?,
                functions: input.small()?,
                complexity: input.small()?,
                parent,
            });
        }
        Some(definitions)
    }
}

/// What files say of one another is taken from `known` where it was not asked for this time.
fn encode(files: &[SourceFile], known: &Known, started: SystemTime) -> Vec<u8> {
    let now = started.duration_since(UNIX_EPOCH).unwrap_or_default();
    let latest = u64::try_from(now.saturating_sub(RACE).as_nanos()).unwrap_or(u64::MAX);
    let mut names: Vec<LanguageType> = Vec::new();
    let mut indices: HashMap<LanguageType, usize> = HashMap::new();
    for file in files {
        let language = file.counted.language;
        indices.entry(language).or_insert_with(|| {
            names.push(language);
            names.len() - 1
        });
    }
    let mut out = Output::default();
    out.number(names.len() as u64);
    for language in &names {
        out.bytes(language.name().as_bytes());
    }
    out.number(files.len() as u64);
    let mut inner = Output::default();
    for file in files {
        let Counted {
            language,
            loc,
            comment_lines,
            lines,
            stamp,
            warning,
            made,
        } = file.counted;
        out.bytes(file.path.as_os_str().as_encoded_bytes());
        out.number(indices.get(&language).map_or(0, |&index| index as u64));
        let is_safe = stamp.modified.max(stamp.changed) < latest;
        out.number(stamp.bytes);
        for part in [stamp.modified, stamp.changed, stamp.inode] {
            out.number(if is_safe { part } else { 0 });
        }
        out.number(file.hash);
        for part in [loc, comment_lines, lines] {
            out.number(u64::from(part));
        }
        let warning = warning.and_then(|kind| WARNINGS.iter().position(|known| *known == kind));
        out.number(warning.map_or(0, |kind| kind as u64 + 1));
        out.number(made as u64);
        out.number(file.definitions.len() as u64);
        inner.0.clear();
        for definition in &file.definitions {
            let kind = KINDS.iter().position(|kind| *kind == definition.kind);
            inner.number(kind.unwrap_or(0) as u64);
            inner.number(definition.parent.map_or(0, |parent| parent as u64 + 1));
            inner.bytes(definition.name.as_bytes());
            inner.number(u64::from(definition.line));
            inner.number(u64::from(
                definition.end_line.saturating_sub(definition.line),
            ));
            for part in [
                definition.loc,
                definition.comment_lines,
                definition.functions,
                definition.complexity,
            ] {
                inner.number(u64::from(part));
            }
        }
        out.bytes(&inner.0);
        match &file.relations {
            Some(relations) => {
                inner.0.clear();
                cache_relations::encode(relations, &mut inner);
                out.bytes(&inner.0);
            }
            None => out.bytes(known.encoded_relations(file.hash)),
        }
    }
    out.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::relations::{Base, CallByName, Globals, Import, ImportKind, METHOD, OUTSIDE, PLAIN};
    use callscape_facts::kinds::FileKind;

    fn file(path: &str, hash: u64, definitions: Vec<Definition>) -> SourceFile {
        SourceFile {
            path: path.into(),
            counted: Counted {
                language: LanguageType::Rust,
                loc: 300,
                comment_lines: 20,
                lines: 400,
                stamp: Stamp {
                    bytes: 4 << 20,
                    modified: 5,
                    changed: 6,
                    inode: 7,
                },
                warning: Some("grammar-does-not-fit"),
                made: Made::Minified,
            },
            hash,
            kind: FileKind::default(),
            definitions,
            relations: None,
        }
    }

    fn definition(kind: ModuleKind, parent: Option<usize>) -> Definition {
        Definition {
            kind,
            name: "näme".into(),
            line: 3,
            end_line: 300,
            loc: 128,
            comment_lines: 1,
            functions: 1,
            complexity: 1 << 30,
            parent,
        }
    }

    #[test]
    fn what_is_kept_comes_back_and_damage_is_noticed() {
        let folder = std::env::temp_dir().join(format!("callscape-cache-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("writable");
        let definitions = vec![
            definition(ModuleKind::Class, None),
            definition(ModuleKind::Function, Some(0)),
        ];
        let files = [
            file("a/b.rs", 77, definitions.clone()),
            file("c.rs", 0, Vec::new()),
        ];
        let cache = Cache::open(&folder, &folder).expect("a folder");
        assert!(cache.known().files.is_empty());
        assert!(cache.keep(&files));
        let cache = Cache::open(&folder, &folder).expect("a folder");
        let known = cache.known();
        let stamp = files[0].counted.stamp;
        let (counted, hash, found) = known
            .unchanged(Path::new("a/b.rs"), stamp)
            .expect("it was kept");
        assert_eq!((counted, hash), (files[0].counted, 77));
        assert_eq!(found, definitions);
        let touched = Stamp {
            modified: 6,
            ..stamp
        };
        assert!(known.unchanged(Path::new("a/b.rs"), touched).is_none());
        assert!(known.unchanged(Path::new("b.rs"), stamp).is_none());
        let (found, _) = known
            .with_content(LanguageType::Rust, 77, stamp.bytes)
            .expect("its content was kept");
        assert_eq!(found, definitions);
        assert!(
            known
                .with_content(LanguageType::C, 77, stamp.bytes)
                .is_none()
        );
        assert!(known.relations(77).is_none());
        let mut with_relations = file("a/b.rs", 77, definitions.clone());
        let call = |caller, qualifier| CallByName {
            caller,
            qualifier,
            name: 0,
            count: 3,
        };
        let relations = FileRelations {
            globals: vec![Globals {
                owner: OUTSIDE,
                count: 300,
            }],
            bases: vec![Base {
                class: 0,
                line: 3,
                name: "a::B".into(),
            }],
            imports: vec![Import {
                line: 7,
                kind: ImportKind::From,
                path: "a.b".into(),
                alias: "é".into(),
                ..Import::default()
            }],
            calls: vec![
                call(0, PLAIN),
                call(1, METHOD),
                call(1, 0),
                call(OUTSIDE, 0),
            ],
            names: vec!["f".into()],
            package: "p".into(),
        };
        with_relations.relations = Some(relations.clone());
        assert!(cache.keep(&[with_relations, file("c.rs", 0, Vec::new())]));
        // Who does not ask for them keeps them all the same.
        let cache = Cache::open(&folder, &folder).expect("a folder");
        assert!(cache.keep(&files));
        let cache = Cache::open(&folder, &folder).expect("a folder");
        assert_eq!(cache.known().relations(77), Some(relations));
        let whole = fs::read(cache.path()).expect("it was written");
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << (at % 8);
            assert!(Known::new(damaged).is_none(), "byte {at}");
            assert!(Known::new(whole[..at].to_vec()).is_none());
        }
        fs::remove_dir_all(&folder).ok();
    }

    #[test]
    fn what_has_just_changed_is_not_trusted_by_its_stamp() {
        let mut fresh = file("a.rs", 1, Vec::new());
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.expect("later than 1970").as_nanos() as u64;
        fresh.counted.stamp.modified = now;
        let payload = encode(
            std::slice::from_ref(&fresh),
            &Known::default(),
            SystemTime::now(),
        );
        let mut data = MAGIC.to_vec();
        data.extend(languages::fingerprint().to_le_bytes());
        data.extend((payload.len() as u64).to_le_bytes());
        data.extend(crc32fast::hash(&payload).to_le_bytes());
        data.extend(payload);
        let known = Known::new(data).expect("whole");
        assert!(
            known
                .unchanged(Path::new("a.rs"), fresh.counted.stamp)
                .is_none()
        );
        assert!(known.with_content(LanguageType::Rust, 1, 4 << 20).is_some());
    }
}

//! Scene files: read, checked, and where in them what stands.

use std::path::{Path, PathBuf};

use super::super::place::{self, Places, Step};
use super::Scene;
use crate::place::of_shot;
use callscape_base::files;

/// More bytes than any scene that people write or record.
const MAX_BYTES: u64 = 256 << 20;

/// What is wrong with a scene, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}:{column}: {}{problem}", file.display(), with_colon(field))]
pub struct SceneError {
    pub file: PathBuf,
    /// From 1.
    pub line: usize,
    pub column: usize,
    /// Such as `shot 3, play.from`; empty where it is no field.
    pub field: String,
    /// What was expected and what was found.
    pub problem: String,
}

/// What a reader of TOML says, in the words of TOML.
fn plainly(message: &str) -> String {
    let words = [
        (
            "expected a sequence",
            "expected a list, such as [\"a\", \"b\"]",
        ),
        ("expected a map", "expected a table, such as { … }"),
        ("expected struct ", "expected a table of "),
        ("invalid type: ", "found "),
    ];
    let mut said = message.trim().to_owned();
    for (from, to) in words {
        said = said.replace(from, to);
    }
    said
}

fn with_colon(field: &str) -> String {
    match field {
        "" => String::new(),
        field => format!("{field}: "),
    }
}

/// A scene with the text that it was read from.
#[derive(Clone, Debug)]
pub struct SceneFile {
    pub path: PathBuf,
    pub scene: Scene,
    text: String,
}

impl SceneFile {
    /// Reads and checks a scene file.
    pub fn read(path: &Path) -> anyhow::Result<SceneFile> {
        use anyhow::Context;
        let shown = || path.display().to_string();
        let size = files::disk::metadata(path).with_context(shown)?.len();
        anyhow::ensure!(
            size <= MAX_BYTES,
            "{}: expected a scene of at most {MAX_BYTES} bytes, found {size}",
            path.display()
        );
        let bytes = files::read(path, MAX_BYTES).with_context(shown)?;
        let text = String::from_utf8(bytes).map_err(|error| {
            let at = error.utf8_error().valid_up_to();
            anyhow::anyhow!(
                "{}: expected a scene in UTF-8, found other bytes at offset {at}",
                path.display()
            )
        })?;
        Ok(SceneFile::parse(path, text)?)
    }

    /// Of a scene that no file has; `path` is what errors call it.
    pub fn of(path: &Path, scene: &Scene) -> anyhow::Result<SceneFile> {
        Ok(SceneFile::parse(path, toml::to_string(scene)?)?)
    }

    /// The same of a text; `path` is what errors call it, and what its inputs are relative to.
    pub fn parse(path: &Path, text: String) -> Result<SceneFile, SceneError> {
        let scene: Scene = toml::from_str(&text).map_err(|error| {
            let span = error.span().unwrap_or(0..0);
            let (line, column) = place::line_and_column(&text, span.start);
            let field = Places::of(&text).map(|places| place::name(&places.path_of(&span)));
            SceneError {
                file: path.to_owned(),
                line,
                column,
                field: field.unwrap_or_default(),
                problem: plainly(error.message()),
            }
        })?;
        let file = SceneFile {
            path: path.to_owned(),
            scene,
            text,
        };
        match super::super::check::first_problem(&file.scene) {
            Some((field, problem)) => Err(file.problem(&field, problem)),
            None => Ok(file),
        }
    }

    /// As it was read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What is wrong with the field at `path`.
    pub fn problem(&self, path: &[Step], problem: String) -> SceneError {
        let offset = Places::of(&self.text).map_or(0, |places| places.offset(path));
        let (line, column) = place::line_and_column(&self.text, offset);
        self.error((line, column), path, problem)
    }

    /// The same of many fields, in the order of the file. O(size of the file + n log n).
    pub fn problems(&self, of: Vec<(Vec<Step>, String)>) -> Vec<SceneError> {
        if of.is_empty() {
            return Vec::new();
        }
        let places = Places::of(&self.text);
        let offset = |path: &[Step]| places.as_ref().map_or(0, |places| places.offset(path));
        let mut of: Vec<_> = of.into_iter().map(|it| (offset(&it.0), it)).collect();
        of.sort_by_key(|(offset, _)| *offset);
        let offsets: Vec<usize> = of.iter().map(|(offset, _)| *offset).collect();
        let found = place::lines_and_columns(&self.text, &offsets).into_iter();
        let all = found.zip(of);
        all.map(|(at, (_, (path, problem)))| self.error(at, &path, problem))
            .collect()
    }

    fn error(&self, (line, column): (usize, usize), path: &[Step], problem: String) -> SceneError {
        SceneError {
            file: self.path.clone(),
            line,
            column,
            field: place::name(path),
            problem,
        }
    }

    /// The lines at which shots begin, from 1. O(size of the file).
    pub fn shot_lines(&self) -> Vec<usize> {
        let shots = 0..self.scene.shots.len();
        let places = Places::of(&self.text);
        let offset = |shot| {
            places
                .as_ref()
                .map_or(0, |places| places.offset(&of_shot(shot, &[])))
        };
        let offsets: Vec<usize> = shots.map(offset).collect();
        let found = place::lines_and_columns(&self.text, &offsets);
        found.into_iter().map(|(line, _)| line).collect()
    }

    /// The folder that the scene's paths are relative to.
    pub fn folder(&self) -> &Path {
        match self.path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        }
    }
}

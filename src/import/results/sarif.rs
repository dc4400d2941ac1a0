//! SARIF 2.1.0: <https://docs.oasis-open.org/sarif/sarif/v2.1.0/>. Each location of each result is a place. One result is held at a
//! time, and of the rest of the document nothing, so that its size does not matter.

use std::fmt;
use std::io::BufRead;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::set::{Failed, MOST, ResultSet};
use callscape_base::progress::Progress;

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Found {
    locations: Vec<Location>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Location {
    physical_location: Option<PhysicalLocation>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: Option<ArtifactLocation>,
    region: Option<Region>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ArtifactLocation {
    uri: Option<String>,
    index: Option<i64>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Region {
    start_line: Option<u32>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Artifact {
    location: Option<ArtifactLocation>,
}

/// What is read of a run until it ends: its table of files may stand behind what refers to it.
#[derive(Default)]
struct Run {
    files: Vec<String>,
    /// Index of a file and line.
    referring: Vec<(usize, u32)>,
}

pub(super) fn read(
    from: impl BufRead,
    set: &mut ResultSet,
    progress: &Progress,
) -> Result<(), Failed> {
    set.format = "sarif";
    let mut document = serde_json::Deserializer::from_reader(from);
    let mut reading = Reading {
        set,
        progress,
        has_runs: false,
    };
    let read = Whole(&mut reading).deserialize(&mut document);
    let has_runs = reading.has_runs;
    progress.check()?;
    match read {
        Ok(()) if has_runs => Ok(()),
        Ok(()) => Err(Failed::Form("JSON without the runs of SARIF".to_owned())),
        Err(error) if error.is_io() => Err(Failed::Io(error.into())),
        // What was read up to there is as good as before.
        Err(_) if has_runs && !set.hits.is_empty() => {
            set.is_cut = true;
            Ok(())
        }
        Err(error) => Err(Failed::Form(error.to_string())),
    }
}

struct Reading<'a> {
    set: &'a mut ResultSet,
    progress: &'a Progress,
    has_runs: bool,
}

/// Reads one part of the document; implements what all parts share.
macro_rules! part {
    ($name:ident, $what:literal, $visit:ident, $access:ident) => {
        impl<'de> DeserializeSeed<'de> for $name<'_, '_> {
            type Value = ();

            fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
                from.deserialize_any(self)
            }
        }

        impl<'de> Visitor<'de> for $name<'_, '_> {
            type Value = ();

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str($what)
            }

            fn $visit<A: $access<'de>>(self, access: A) -> Result<(), A::Error> {
                self.take(access)
            }
        }
    };
}

struct Whole<'r, 'a>(&'r mut Reading<'a>);
struct Runs<'r, 'a>(&'r mut Reading<'a>);
struct OneRun<'r, 'a>(&'r mut Reading<'a>);
struct Results<'r, 'a>(&'r mut Reading<'a>, &'r mut Run);

part!(Whole, "a SARIF document", visit_map, MapAccess);
part!(Runs, "runs", visit_seq, SeqAccess);
part!(OneRun, "a run", visit_map, MapAccess);
part!(Results, "results", visit_seq, SeqAccess);

impl Whole<'_, '_> {
    fn take<'de, A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            if key == "runs" {
                self.0.has_runs = true;
                map.next_value_seed(Runs(self.0))?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

impl Runs<'_, '_> {
    fn take<'de, A: SeqAccess<'de>>(self, mut runs: A) -> Result<(), A::Error> {
        while runs.next_element_seed(OneRun(self.0))?.is_some() {}
        Ok(())
    }
}

impl OneRun<'_, '_> {
    fn take<'de, A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut run = Run::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "results" => map.next_value_seed(Results(self.0, &mut run))?,
                "artifacts" => {
                    let files = map.next_value::<Vec<Artifact>>()?.into_iter();
                    let path = |it: Artifact| it.location.and_then(|it| it.uri).unwrap_or_default();
                    run.files = files.map(path).collect();
                }
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        for (file, line) in run.referring {
            let file = run.files.get(file).map_or("", String::as_str);
            self.0.set.add(file, line, 1);
        }
        Ok(())
    }
}

impl Results<'_, '_> {
    fn take<'de, A: SeqAccess<'de>>(self, mut results: A) -> Result<(), A::Error> {
        while let Some(found) = results.next_element::<Found>()? {
            if self.0.progress.check().is_err() {
                return Err(serde::de::Error::custom("cancelled"));
            }
            if found.locations.is_empty() {
                self.0.set.left_out += 1;
            }
            for location in found.locations {
                let at = location.physical_location.unwrap_or_default();
                let line = at.region.and_then(|it| it.start_line).unwrap_or(0);
                let file = at.artifact_location.unwrap_or_default();
                match (file.uri, file.index.and_then(|it| usize::try_from(it).ok())) {
                    (Some(uri), _) => self.0.set.add(&uri, line, 1),
                    (None, Some(index)) if self.1.referring.len() < MOST => {
                        self.1.referring.push((index, line));
                    }
                    (None, _) => self.0.set.left_out += 1,
                }
            }
        }
        Ok(())
    }
}

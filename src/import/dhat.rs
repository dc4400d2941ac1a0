//! valgrind's DHAT, its JSON of version 2. Specification:
//! <https://sourceware.org/git/?p=valgrind.git;a=blob;f=dhat/dh_main.c>, "File format".
//!
//! Read are the program points (`pps`) with blocks and bytes in all (`tbk`, `tb`), at the instant when most was live
//! (`gbk`, `gb`, at `tg`) and at the end (`ebk`, `eb`, at `te`), and the frames of their stacks (`fs`, `ftbl`); the
//! function of valgrind's own at the inner end of a stack is the type of its objects, `malloc`. Times are
//! in the unit that the file names, most often instructions. Not read: lifetimes and accesses, and the modes that
//! record no lifetimes say nothing of what lives.

use super::document::{self, Document};
use super::error::ImportError;
use super::frame_text;
use super::input::Input;
use callscape_base::progress::Progress;
use callscape_base::units::Unit;
use callscape_base::warnings::Reporter;
use callscape_facts::functions::Functions;
use callscape_facts::memory::{Cells, Detail, Instant, Memory, StackId, SumRow, Sums};
use callscape_facts::recording::Recording;

/// The identifier in `info`.
pub(crate) const FORMAT: &str = "dhat";

const VERSION: u64 = 2;

/// Whether it says that it is one.
pub(crate) fn sniff(head: &[u8]) -> bool {
    document::paths(head)
        .iter()
        .any(|path| path == "dhatFileVersion")
}

/// A program point.
#[derive(Default)]
struct Point {
    all: [u64; 2],
    most: [u64; 2],
    end: [u64; 2],
    /// Innermost first, by their place in the table of frames.
    frames: Vec<u32>,
}

#[derive(Default)]
struct File {
    version: Option<u64>,
    unit: String,
    has_lifetimes: bool,
    end: u64,
    most_at: Option<u64>,
    points: Vec<Point>,
    frames: Vec<String>,
}

/// Reads the sums. O(size).
pub(crate) fn import(input: &Input, progress: &Progress) -> Result<Recording, ImportError> {
    let reporter = Reporter::new();
    let mut document = Document::open(input, progress, &reporter)?;
    let mut file = File {
        has_lifetimes: true,
        ..File::default()
    };
    if document.object()? {
        while let Some(key) = document.member()? {
            match key {
                b"dhatFileVersion" => {
                    let version = document.size()?;
                    file.version = Some(version);
                    if version != VERSION {
                        let expected = format!("DHAT's format of version {VERSION}");
                        return Err(document.error(&expected, format!("version {version}")));
                    }
                }
                b"tu" => file.unit = document.text()?,
                b"bklt" => file.has_lifetimes = document.scalar()? != Some(b"false"),
                b"te" => file.end = document.size()?,
                b"tg" => file.most_at = Some(document.size()?),
                b"pps" => {
                    if document.array()? {
                        while document.element()? {
                            if document.object()? {
                                file.points.push(point(&mut document)?);
                            }
                        }
                    }
                }
                b"ftbl" => {
                    if document.array()? {
                        while document.element()? {
                            file.frames.push(document.text()?);
                        }
                    }
                }
                _ => document.skip()?,
            }
        }
    }
    document.close()?;
    if file.version.is_none() {
        return Err(document.error("a member dhatFileVersion", "none"));
    }
    let (functions, memory) = file.finish(&document);
    Ok(Recording::of_memory(
        input,
        FORMAT,
        functions,
        memory,
        reporter.warnings(),
    ))
}

fn point(document: &mut Document<'_>) -> Result<Point, ImportError> {
    let mut point = Point::default();
    while let Some(key) = document.member()? {
        let place = match key {
            b"tbk" => &mut point.all[0],
            b"tb" => &mut point.all[1],
            b"gbk" => &mut point.most[0],
            b"gb" => &mut point.most[1],
            b"ebk" => &mut point.end[0],
            b"eb" => &mut point.end[1],
            b"fs" => {
                if document.array()? {
                    while document.element()? {
                        let frame = document.index()?.unwrap_or(u32::MAX);
                        point.frames.push(frame);
                    }
                }
                continue;
            }
            _ => {
                document.skip()?;
                continue;
            }
        };
        *place = document.size()?;
    }
    Ok(point)
}

impl File {
    /// The names of valgrind's allocating functions, the first without letters, and by frame the number of its own.
    fn allocators(&self) -> (Vec<String>, Vec<u32>) {
        let mut types = vec![String::new()];
        let numbers = self.frames.iter().map(|frame| {
            let Some(name) = frame_text::allocator(frame) else {
                return 0;
            };
            let known = types.iter().position(|it| *it == name);
            known.unwrap_or_else(|| {
                types.push(name);
                types.len() - 1
            }) as u32
        });
        let numbers = numbers.collect();
        (types, numbers)
    }

    fn finish(self, document: &Document<'_>) -> (Functions, Memory) {
        let mut functions = Functions::default();
        let frames = self.frames.iter();
        let ids = frames.map(|frame| frame_text::function(frame, |it| functions.intern(it)));
        let ids: Vec<_> = ids.collect();
        let (types, allocators) = self.allocators();
        let mut cells = Cells::default();
        let lifetimes = |amount: u64| self.has_lifetimes.then_some(amount);
        let (mut most, mut end): (Vec<SumRow>, Vec<SumRow>) = Default::default();
        for point in &self.points {
            let mut stack = StackId::EMPTY;
            // Who allocated is who called valgrind's own function, which says how.
            let allocator = point
                .frames
                .first()
                .and_then(|&it| allocators.get(it as usize));
            let kind = allocator.copied().unwrap_or(0);
            let own = usize::from(kind != 0);
            for &frame in point.frames.iter().skip(own).rev() {
                match ids.get(frame as usize) {
                    // Where the stacks of all begin, and no function.
                    Some(_) if self.frames[frame as usize] == "[root]" => {}
                    Some(&function) => stack = cells.stack(stack, function),
                    None => document.warn("unknown-frame"),
                }
            }
            let cell = cells.cell(stack, kind) as usize;
            if most.len() <= cell {
                most.resize(
                    cell + 1,
                    SumRow {
                        allocations: None,
                        allocated: None,
                        ..SumRow::NOTHING
                    },
                );
                end.resize(
                    cell + 1,
                    SumRow {
                        live: lifetimes(0),
                        live_bytes: lifetimes(0),
                        ..SumRow::NOTHING
                    },
                );
            }
            let of_most = SumRow {
                allocations: None,
                allocated: None,
                live: Some(point.most[0]),
                live_bytes: Some(point.most[1]),
            };
            let of_end = SumRow {
                allocations: Some(point.all[0]),
                allocated: Some(point.all[1]),
                live: lifetimes(point.end[0]),
                live_bytes: lifetimes(point.end[1]),
            };
            most[cell] = most[cell].plus(of_most);
            end[cell] = end[cell].plus(of_end);
        }
        let mut sums = Sums::default();
        if let Some(at) = self
            .most_at
            .filter(|&at| self.has_lifetimes && at < self.end)
        {
            sums.instants.push(Instant::new(at, most));
        }
        sums.instants.push(Instant::new(self.end, end));
        sums.peak = sums
            .instants
            .first()
            .filter(|_| self.has_lifetimes)
            .and_then(|it| Some((it.whole.live_bytes?, it.time())));
        let clock = match self.unit.as_str() {
            "instrs" => "instructions",
            "" => "units",
            unit => unit,
        };
        let (stacks, cells) = cells.finish();
        sums.cells = cells;
        let clock = Unit::Things(clock.to_owned());
        let memory = Memory {
            types,
            types_are_classes: false,
            ..Memory::of_sums(Detail::Sums, clock, stacks, sums)
        };
        (functions, memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use callscape_facts::memory::Known;

    #[test]
    fn totals_are_those_of_dh_view() {
        let path = concat!(
            concat!(env!("CARGO_MANIFEST_DIR"), "/../.."),
            "/tests/data/import/dhat/xz.dhat.json.gz"
        );
        let input = Input::on_disk(path.into());
        let recording = import(&input, &Progress::new()).expect("a recording");
        assert!(recording.warnings.is_empty(), "{:?}", recording.warnings);
        let memory = recording.memory.expect("memory");
        let Known::Sums(sums) = &memory.known else {
            panic!("sums");
        };
        let end = sums.instants.last().expect("the end").whole;
        assert_eq!(
            (end.allocated, end.allocations),
            (Some(9_013_266), Some(227))
        );
        assert_eq!((end.live_bytes, end.live), (Some(8_993_839), Some(14)));
        assert_eq!(
            sums.peak.map(|it| (it.0, it.1.ns())),
            Some((9_006_238, 26_057_593))
        );
        assert_eq!(memory.types, ["", "malloc", "calloc"]);
    }
}

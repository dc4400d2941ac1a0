//! The formats with their seeds, and how an input of each is read.

use std::io::Read;
use std::path::Path;

use callscape_base::progress::Progress;
use callscape_import as import;
use callscape_testing::check::{check, check_results};

/// Longer seeds are cut: what is read in a thousandth of a second can be tried often.
const LONGEST: usize = 400_000;

/// The files of a recording of uftrace, in the order of their numbers in a seed.
const UFTRACE: &[&str] = &[
    "info",
    "task.txt",
    "sid-a.map",
    "app.sym",
    "app.dbg",
    "1.dat",
    "2.dat",
    "lib.sym",
];

/// The tables of one recording, in the order of their numbers in a seed.
const TABLES: &[&str] = &[
    "recordings/recording=a/part-0.parquet",
    "functions/recording=a/part-0.parquet",
    "relations/recording=a/part-0.parquet",
    "contexts/recording=a/part-0.parquet",
    "samples/recording=a/part-0.parquet",
    "threads/recording=a/part-0.parquet",
    "calls/recording=a/part-0.parquet",
];

pub struct Format {
    pub name: &'static str,
    /// Folders and files.
    seeds: &'static [&'static str],
    is: Is,
}

/// How a format is read.
enum Is {
    /// As this one of the importers.
    File(&'static str),
    /// As this one, of which a seed holds several files.
    Folder(&'static str, &'static [&'static str]),
    /// As what it seems to be.
    Any,
    /// As what another tool has found.
    Results,
}

const fn file(name: &'static str, id: &'static str, seeds: &'static [&'static str]) -> Format {
    Format {
        name,
        seeds,
        is: Is::File(id),
    }
}

const fn results(name: &'static str, seeds: &'static [&'static str]) -> Format {
    Format {
        name,
        seeds,
        is: Is::Results,
    }
}

pub const FORMATS: &[Format] = &[
    file("callgrind", "callgrind", &["fuzz/seeds/callgrind"]),
    file("chrome-json", "chrome-json", &["fuzz/seeds/chrome"]),
    results(
        "cobertura",
        &[
            "tests/data/results/names.coverage.xml",
            "tests/data/results/shapes.gcovr.xml",
        ],
    ),
    file("cpuprofile", "cpuprofile", &["fuzz/seeds/cpuprofile"]),
    file("csv", "csv", &["fuzz/seeds/csv"]),
    file("dhat", "dhat", &["fuzz/seeds/dhat"]),
    file("firefox", "firefox", &["fuzz/seeds/firefox"]),
    file("folded", "folded", &["fuzz/seeds/folded"]),
    file("heapprofile", "heapprofile", &["fuzz/seeds/heapprofile"]),
    file("heaptrack", "heaptrack", &["fuzz/seeds/heaptrack"]),
    file("hprof", "hprof", &["fuzz/seeds/hprof"]),
    file("jaeger", "jaeger", &["fuzz/seeds/jaeger"]),
    file("jfr", "jfr", &["fuzz/seeds/jfr"]),
    results(
        "lcov",
        &[
            "tests/data/results/names.info",
            "tests/data/results/shapes.info",
        ],
    ),
    results(
        "lines",
        &["tests/data/results/gcc.txt", "tests/data/results/grep.txt"],
    ),
    file("massif", "massif", &["fuzz/seeds/massif"]),
    file("otlp", "otlp", &["fuzz/seeds/otlp"]),
    file("parquet", "parquet", &["fuzz/seeds/parquet"]),
    file("perf-script", "perf-script", &["fuzz/seeds/perf_script"]),
    file("perfetto", "perfetto", &["fuzz/seeds/perfetto"]),
    file("pprof", "pprof", &["fuzz/seeds/pprof"]),
    results("ripgrep", &["tests/data/results/rg.json"]),
    results("sarif", &["tests/data/results/ruff.sarif"]),
    file("speedscope", "speedscope", &["fuzz/seeds/speedscope"]),
    Format {
        name: "tables",
        seeds: &["fuzz/seeds/tables"],
        is: Is::Folder("tables", TABLES),
    },
    Format {
        name: "tar and zip",
        seeds: &["fuzz/seeds/archive"],
        is: Is::Any,
    },
    Format {
        name: "uftrace",
        seeds: &["fuzz/seeds/uftrace"],
        is: Is::Folder("uftrace", UFTRACE),
    },
];

impl Format {
    /// The seeds as they are and decompressed, in order of their names.
    pub fn seeds(&self) -> Vec<Vec<u8>> {
        let mut paths = Vec::new();
        for place in self.seeds.iter().map(Path::new) {
            match place.read_dir() {
                Ok(entries) => paths.extend(entries.flatten().map(|it| it.path())),
                Err(_) => paths.push(place.to_owned()),
            }
        }
        paths.sort();
        let mut seeds = Vec::new();
        for path in paths {
            let bytes = std::fs::read(&path);
            let bytes = bytes.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            if let Some(mut plain) = decompressed(&bytes) {
                plain.truncate(LONGEST);
                // Three in four inputs are of what lies within.
                seeds.extend([plain.clone(), plain.clone(), plain]);
            }
            seeds.push(bytes);
        }
        assert!(!seeds.is_empty(), "no seeds of {}", self.name);
        seeds
    }

    /// Reads an input, and says whether it was one; fails where it crashes, or where the answer is false.
    pub fn read(&self, input: &[u8], number: u32) -> bool {
        let file = |read: &dyn Fn(&Path) -> bool| {
            let path = callscape_fuzz::place();
            std::fs::write(&path, input).expect("room for the input");
            read(&path)
        };
        let any = |path: &Path| {
            let input = import::input::Input::on_disk(path.to_owned());
            check(import::read(&input, &Progress::new()))
        };
        match self.is {
            // Which one it seems to be, it is now and then.
            Is::File(_) if number % 8 == 7 => file(&any),
            Is::File(id) => file(&|path| {
                let read = import::read_as(id, path, &Progress::new());
                check(read.expect("a format of the table"))
            }),
            Is::Folder(id, names) => callscape_fuzz::directory(id, names, input),
            Is::Any => file(&any),
            Is::Results => {
                let read = import::results::read_from(input, "input", &Progress::new());
                if let Ok(set) = &read {
                    check_results(set);
                }
                read.is_ok()
            }
        }
    }
}

fn decompressed(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut plain = Vec::new();
    if bytes.starts_with(b"\x1f\x8b") {
        flate2::read::MultiGzDecoder::new(bytes)
            .read_to_end(&mut plain)
            .ok()?;
    } else if bytes.starts_with(b"\x28\xb5\x2f\xfd") {
        zstd::Decoder::new(bytes)
            .ok()?
            .read_to_end(&mut plain)
            .ok()?;
    } else {
        return None;
    }
    Some(plain)
}

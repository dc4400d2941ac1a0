//! Tables of functions that profilers export as CSV, with columns named and numbers written in their own way:
//! - VTune, `vtune -report hotspots -format csv`:
//!   <https://www.intel.com/content/www/us/en/docs/vtune-profiler/user-guide/2025-0/hotspots-report.html>, in seconds;
//! - Nsight Systems, `nsys stats --format csv -o FILE`:
//!   <https://docs.nvidia.com/nsight-systems/AnalysisGuide/index.html>, in the unit behind each name;
//! - Very Sleepy: <https://github.com/VerySleepy/verysleepy/blob/master/src/wxProfilerGUI/mainwin.cpp>,
//!   `OnExportAsCsv`, in seconds;
//! - Visual Studio, `VSPerfReport /summary:all`, in samples or milliseconds, and rows of its CPU usage, in milliseconds
//!   and shares: <https://learn.microsoft.com/en-us/visualstudio/profiling/vsperfreport>.
//!
//! Other columns of theirs are left out: parts of a time that is there, shares, means and extremes, which do not add up.

use crate::decimal::{self, Unit};

/// How numbers are written in a column.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// As in tables of our own.
    Ours,
    Time(Unit),
    /// Milliseconds, and a share in brackets behind them.
    WithShare,
    /// Samples.
    Samples,
}

use Holds::{Ours, Samples, Time, WithShare};

/// Their name of a column, ours, and what it holds.
const COLUMNS: &[(&str, &str, Holds)] = &[
    ("Function", "name", Ours),
    ("Function Name", "name", Ours),
    ("Name", "name", Ours),
    ("Range", "name", Ours),
    ("Module", "library", Ours),
    ("Module Name", "library", Ours),
    ("Source File", "file", Ours),
    ("Source File Name", "file", Ours),
    ("Source Line", "line", Ours),
    ("Function Line Number", "line", Ours),
    ("Instances", "calls", Ours),
    ("Num Calls", "calls", Ours),
    ("Number of Calls", "calls", Ours),
    ("Instructions Retired", "instructions retired", Ours),
    ("Total Time (ns)", "self_ns", Time(Unit::Nanoseconds)),
    ("Total Time (us)", "self_ns", Time(Unit::Microseconds)),
    ("Total Time (ms)", "self_ns", Time(Unit::Milliseconds)),
    ("Total Time (s)", "self_ns", Time(Unit::Seconds)),
    ("CPU Time", "self_ns", Time(Unit::Seconds)),
    ("Exclusive secs", "self_ns", Time(Unit::Seconds)),
    ("Inclusive secs", "total_ns", Time(Unit::Seconds)),
    (
        "Elapsed Exclusive Time",
        "self_ns",
        Time(Unit::Milliseconds),
    ),
    (
        "Elapsed Inclusive Time",
        "total_ns",
        Time(Unit::Milliseconds),
    ),
    ("Self CPU [unit, %]", "self_ns", WithShare),
    ("Total CPU [unit, %]", "total_ns", WithShare),
    ("Exclusive Samples", "self", Samples),
    ("Inclusive Samples", "total", Samples),
];

/// What each table has to have: a name of functions, a cost, and one more where these are not enough to know it.
const TABLES: &[(&str, &str, &str)] = &[
    ("Function", "CPU Time", "Module"),
    ("Function", "CPU Time", "Source File"),
    ("Name", "Total Time (", ""),
    ("Range", "Total Time (", ""),
    ("Name", "Exclusive secs", "Inclusive secs"),
    ("Function Name", "Exclusive Samples", ""),
    ("Function Name", "Elapsed Exclusive Time", ""),
    ("Function Name", "Self CPU [unit, %]", ""),
];

/// A table of theirs.
pub(super) struct Table {
    /// By column; of those that are left out, none.
    known: Vec<Option<(&'static str, Holds)>>,
    /// Rows get the unit of their costs as a column more.
    has_samples: bool,
}

impl Table {
    /// The table with these columns; none of other tables.
    pub(super) fn of(names: &[String]) -> Option<Table> {
        let has = |wanted: &str| names.iter().any(|it| it == wanted);
        let begins = |wanted: &str| names.iter().any(|it| it.starts_with(wanted));
        let is_one = TABLES.iter().any(|&(name, cost, more)| {
            let has_cost = if cost.ends_with('(') {
                begins(cost)
            } else {
                has(cost)
            };
            has(name) && has_cost && (more.is_empty() || has(more))
        });
        let known = |name: &String| {
            let found = COLUMNS.iter().find(|(theirs, ..)| theirs == name);
            found.map(|&(_, ours, holds)| (ours, holds))
        };
        let known: Vec<_> = names.iter().map(known).collect();
        let has_samples = known
            .iter()
            .any(|it| it.is_some_and(|(_, holds)| holds == Samples));
        let has_cost = known
            .iter()
            .any(|it| it.is_some_and(|(_, holds)| holds != Ours));
        (is_one && has_cost).then_some(Table { known, has_samples })
    }

    /// Our names of its columns.
    pub(super) fn names(&self) -> Vec<String> {
        let known = self.known.iter();
        let names = known.map(|it| it.map_or("", |(name, _)| name).to_owned());
        let unit = self.has_samples.then(|| "unit".to_owned());
        names.chain(unit).collect()
    }

    /// A row as our tables have it. What is no number stays, and is counted where it is read.
    pub(super) fn row(&self, fields: &[String]) -> Vec<String> {
        let known = self.known.iter().copied().chain(std::iter::repeat(None));
        let ours = fields.iter().zip(known).map(|(field, known)| match known {
            Some((_, holds)) => plain(field, holds).unwrap_or_else(|| field.clone()),
            None => field.clone(),
        });
        let unit = self.has_samples.then(|| "samples".to_owned());
        ours.chain(unit).collect()
    }
}

/// A field in our way of writing; none of one that needs no other.
fn plain(field: &str, holds: Holds) -> Option<String> {
    let (number, unit) = match holds {
        Ours | Samples => return None,
        Time(unit) => (field, unit),
        WithShare => (
            field.split('(').next().unwrap_or_default(),
            Unit::Milliseconds,
        ),
    };
    let number = number.trim();
    let number = match number.contains(',') {
        true => decimal::plain(number, true)?,
        false => number.to_owned(),
    };
    let time = decimal::nanoseconds(number.as_bytes(), unit).ok()?;
    Some(time.to_string())
}

#[cfg(test)]
mod tests {
    use super::super::CSV;
    use crate::made;

    const VTUNE: &str = "Function\tCPU Time\tCPU Time:Effective Time\tModule\tFunction (Full)\tSource File\tStart Address\n\
        multiply1\t22.346217\t22.3\tmatrix\tmultiply1\tmultiply.c\t0x401a20\n\
        [vmlinux]\t0.005005\t0\tvmlinux\t[vmlinux]\t[Unknown]\t0\n";

    const NSYS: &str = "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name\n\
        75.0,3000000,3,1000000.0,1000000.0,900000,1100000,81650.1,\"void add<float>(float*, int)\"\n\
        25.0,1000000,1,1000000.0,1000000.0,1000000,1000000,0.0,scale\n";

    const SLEEPY: &str = "Name,Exclusive secs,Inclusive secs,% Exclusive,% Inclusive,Module,Source File,Source Line\n\
        \"parse\",1.25,2.5,40,80,\"app\",\"c:\\src\\parse.cpp\",12\n";

    const SAMPLES: &str = "Function Name,Inclusive Samples,Exclusive Samples,Module Name,Process ID\n\
        main,120,20,app.exe,77\nrun,100,100,app.exe,77\n";

    const USAGE: &str = "Function Name\tTotal CPU [unit, %]\tSelf CPU [unit, %]\tModule\n\
        main\t1,203 (86.12%)\t2 (0.14%)\tapp.exe\n";

    #[test]
    fn columns_of_profilers_are_known() {
        for (table, expected) in [
            (
                VTUNE,
                vec![
                    "[vmlinux] ([Unknown]) 0 5005000 5005000",
                    "multiply1 (multiply.c) 0 22346217000 22346217000",
                ],
            ),
            (
                NSYS,
                vec![
                    "scale 1 1000000 1000000",
                    "void add<float>(float*, int) 3 3000000 3000000",
                ],
            ),
            (
                SLEEPY,
                vec!["parse (c:\\src\\parse.cpp:12) 0 1250000000 2500000000"],
            ),
            (SAMPLES, vec!["main 0 20 120", "run 0 100 100"]),
            (USAGE, vec!["main 0 2000000 1203000000"]),
        ] {
            let recording = made::found(CSV, table.as_bytes());
            assert_eq!(made::functions(&recording, 0), expected);
            let warnings = made::warnings(&recording);
            assert!(
                warnings.iter().all(|it| it.0 == "column-left-out"),
                "{warnings:?}"
            );
        }
        let recording = made::found(CSV, SAMPLES.as_bytes());
        let profile = recording.profile.as_ref().expect("a profile");
        assert_eq!(
            profile.unit(),
            &callscape_base::units::Unit::Things("samples".to_owned())
        );
        let mut ids = recording.functions.ids();
        assert!(ids.all(|id| recording.functions.get(id).library == "app.exe"));
    }

    #[test]
    fn what_is_cut_or_damaged_is_repaired_or_refused() {
        for table in [VTUNE, NSYS, SLEEPY, SAMPLES, USAGE] {
            let import = super::super::import_csv;
            assert!(made::cut(import, table.as_bytes()) > 10);
            made::damage(import, table.as_bytes());
        }
        let wrong = NSYS.replace(",3000000,", ",three,");
        let recording = made::found(CSV, wrong.as_bytes());
        assert!(made::warnings(&recording).contains(&("not-a-number", 1)));
    }

    #[test]
    fn other_tables_stay_as_they_are() {
        for names in [
            "Function,CPU Time",
            "Name,Exclusive secs",
            "name,Total Time (ns)",
            "Name,Total Time (h)",
        ] {
            let names: Vec<String> = names.split(',').map(str::to_owned).collect();
            assert!(super::Table::of(&names).is_none(), "{names:?}");
        }
    }
}

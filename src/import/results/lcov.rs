//! lcov's tracefiles: geninfo(1). Of each file the lines that can run, and how often they did.

use std::io::BufRead;

use super::set::{Failed, ResultSet, each_line};
use callscape_base::progress::Progress;

pub(super) fn read(
    from: impl BufRead,
    set: &mut ResultSet,
    progress: &Progress,
) -> Result<(), Failed> {
    set.format = "lcov";
    set.is_coverage = true;
    let mut file = String::new();
    each_line(from, progress, |line| {
        let line = String::from_utf8_lossy(line);
        let line = line.trim();
        if let Some(path) = line.strip_prefix("SF:") {
            file = path.to_owned();
        } else if let Some(data) = line.strip_prefix("DA:") {
            let mut numbers = data.split(',');
            let number = numbers.next().and_then(|it| it.parse().ok());
            let count = numbers.next().and_then(|it| it.parse::<f64>().ok());
            match (number, count) {
                (Some(number), Some(count)) => set.add(&file, number, count.max(0.0) as u64),
                _ => set.left_out += 1,
            }
        } else if line == "end_of_record" {
            file.clear();
        }
    })?;
    set.is_cut = !file.is_empty();
    Ok(())
}

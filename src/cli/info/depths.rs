//! Calls by depth of the stack (thesis, table 5.1).

use callscape_base::progress::{Cancelled, Progress};
use callscape_base::units::grouped;
use callscape_facts::recording::Recording;

/// Columns of the chart.
const COLUMNS: usize = 48;

/// By depth, from 1, the number of calls; none without call paths, or if calls are not counted.
pub(super) fn counts(
    recording: &Recording,
    progress: &Progress,
) -> Result<Option<Vec<u64>>, Cancelled> {
    let Some(profile) = &recording.profile else {
        return recording.trace.calls_by_depth(progress).map(Some);
    };
    let contexts = profile.contexts().filter(|_| recording.counts_calls());
    Ok(contexts.map(|it| it.calls_by_depth()))
}

/// One column per depth, or per few depths if there are many; none without calls.
pub(super) fn chart(counts: &[u64]) -> Option<String> {
    const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let depths = counts.len().div_ceil(COLUMNS).max(1);
    let columns: Vec<u64> = counts.chunks(depths).map(|it| it.iter().sum()).collect();
    let largest = columns.iter().copied().max().filter(|&it| it > 0)?;
    let level = |&calls: &u64| match calls {
        0 => ' ',
        _ => LEVELS[((calls as f64 / largest as f64 * 8.0).ceil() as usize).clamp(1, 8) - 1],
    };
    let chart: String = columns.iter().map(level).collect();
    let most = counts.iter().max()?;
    let depth = counts.iter().position(|it| it == most)? + 1;
    let per = match depths {
        1 => String::new(),
        _ => format!(", {depths} depths per column"),
    };
    Some(format!(
        "{chart}  most at depth {depth}: {}{per}",
        grouped(*most)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_high_as_depths_have_calls() {
        assert_eq!(chart(&[]), None);
        let shown = chart(&[1, 0, 1600, 800]).expect("calls");
        assert_eq!(shown, "▁ █▄  most at depth 3: 1\u{202f}600");
        let deep = chart(&vec![2; 1000]).expect("calls");
        assert_eq!(deep.chars().take_while(|it| *it == '█').count(), 47);
        assert!(deep.ends_with("most at depth 1: 2, 21 depths per column"));
    }
}

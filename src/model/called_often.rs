//! What is not shown because it is called too often.

use callscape_base::units::grouped;
use callscape_facts::frequency::percent;
use callscape_facts::recording::Recording;
use callscape_filter::filters::Filters;

/// What is not in a recording because it is called too often, or is left out by a filter for that: `12 functions left out:
/// 97.3 % of the calls`. None where nothing is.
pub fn left_out(recording: &Recording, filters: &Filters) -> Option<String> {
    let of_filters = filters.all_frequent().map(|found| {
        let functions = found.functions.len() as u64;
        let word = if functions == 1 {
            "function"
        } else {
            "functions"
        };
        let share = percent(found.share());
        format!(
            "{} {word} excluded: {share} of the calls",
            grouped(functions)
        )
    });
    let of_recording = recording.left_out.iter().map(ToString::to_string);
    let said: Vec<String> = of_recording.chain(of_filters).collect();
    (!said.is_empty()).then(|| said.join("; "))
}

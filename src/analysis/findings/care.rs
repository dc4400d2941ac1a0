//! Measured with care: what limits what this recording can say.

use super::candidate::Candidate;
use super::finding::Whole;
use super::kind::Kind;
use super::limits::{FEW_SAMPLES, GAPS, PREEMPTED, SHORT, SHORT_PART};
use super::run::{Run, largest, sum};
use callscape_base::progress::Cancelled;
use callscape_base::units::{ContextId, Cost, counted, grouped};
use callscape_facts::frequency::percent;
use callscape_facts::recording::RecordingKind;

pub(super) fn propose(run: &Run<'_>, found: &mut Vec<Candidate>) -> Result<(), Cancelled> {
    let recording = run.recording;
    let duration = recording.timed().duration().ns();
    let mut notes: Vec<String> = Vec::new();
    if let Some(known) = recording.trace.waiting_known() {
        let all = run
            .whole()
            .saturating_add(if run.is_running { known.total.ns() } else { 0 });
        let share = known.preempted.ns() as f64 / all.max(1) as f64;
        if share >= PREEMPTED.value {
            let left = match run.is_running {
                true => ": costs are running times here",
                false => "",
            };
            notes.push(format!(
                "other programs had the processor for {} of {} ({}){left}",
                known.preempted,
                Cost::from_ns(all),
                percent(share)
            ));
        }
    }
    if recording.recorded_as() != RecordingKind::Trace
        && recording.samples > 0
        && (recording.samples as f64) < FEW_SAMPLES.value
    {
        let error = 100.0 / (recording.samples as f64).sqrt();
        notes.push(format!(
            "only {} were taken: a share of 50 % is known to ± {error:.0} %",
            counted(recording.samples, "sample", "samples")
        ));
    }
    let gaps = recording.gaps.total();
    if duration > 0 && gaps.ns() as f64 >= GAPS.value * duration as f64 {
        notes.push(format!(
            "{gaps} of {} was not recorded",
            Cost::from_ns(duration)
        ));
    }
    if let Some(left_out) = &recording.left_out {
        notes.push(format!(
            "frequently called functions are excluded: {left_out}"
        ));
    }
    let note = |said| Candidate::apart(Kind::Care, 0.0, Whole::Nothing, said);
    found.extend(notes.into_iter().map(note));
    found.extend(short(run).map(|(context, said)| Candidate {
        context: Some(context),
        functions: vec![run.function(context)],
        ..note(said)
    }));
    Ok(())
}

/// Functions whose calls are shorter than the time it takes to record them.
fn short(run: &Run<'_>) -> Option<(ContextId, String)> {
    let is_timed = run.counts_calls && run.recording.profile.is_none();
    if !is_timed || run.recording.recorded_as() != RecordingKind::Trace {
        return None;
    }
    let own = |it: ContextId| run.own[it.index()][0];
    let is_short = |it: &ContextId| {
        let calls = run.calls(*it);
        calls > 0 && own(*it) as f64 / (calls as f64) < SHORT.value
    };
    let contexts: Vec<ContextId> = run.tree.ids().filter(is_short).collect();
    let all = sum(contexts.iter().map(|&it| own(it)));
    let calls = run.calls_of(&contexts);
    if run.share(all) < SHORT_PART.value || run.whole() == 0 {
        return None;
    }
    let most = largest(&contexts, |it| run.calls(it))?;
    let said = format!(
        "{} calls take less than {:.0} ns each and {} of the run together, most often {}: recording them may cost as much",
        grouped(calls),
        SHORT.value,
        percent(run.share(all)),
        run.name(most)
    );
    Some((most, said))
}

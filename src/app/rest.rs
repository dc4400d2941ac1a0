//! The one way to wait until all is there that is shown, for films, pictures and the window.
//!
//! What is under way is worked out on other threads. Some of it is taken by the state, some by views as they are brought
//! up to date or drawn: whoever waits goes through all of that, as frames of the window do, and nothing is waited for
//! that nobody takes.

use callscape_base::clock::Instant;
use std::time::Duration;

use super::desk::Desk;
use callscape_base::progress::Progress;

/// Work that neither ends nor tells of progress for so long never ends.
const PATIENCE: Duration = Duration::from_secs(300);

/// How often what other threads work out is looked for: soon at first, and less often the longer it takes.
const LOOK: [Duration; 2] = [Duration::from_micros(500), Duration::from_millis(20)];

/// What is shown never comes to rest.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "still waiting for {} after {seconds} s; the picture can be made without the views that need it",
    waits_for.join(", ")
)]
pub struct Stuck {
    pub waits_for: Vec<String>,
    pub seconds: u64,
}

impl Stuck {
    pub fn new(desk: &Desk, since: Instant) -> Stuck {
        Stuck {
            waits_for: desk.waits_for().map(str::to_owned).collect(),
            seconds: since.elapsed().as_secs(),
        }
    }
}

impl Desk {
    /// Whatever is under way and changes what is shown, by name; nothing at rest.
    pub fn waits_for(&self) -> impl Iterator<Item = &'static str> {
        let state = &self.state;
        let own = [
            (state.opening.loading.is_some(), "the inputs"),
            (!state.runs_view.to_do.is_empty(), "the other run"),
        ];
        let own = own.into_iter().filter_map(|(is, name)| is.then_some(name));
        let views = self.views.waiting(state).map(|view| view.title());
        own.chain(self.read().under_way())
            .chain(state.work.under_way())
            .chain(views)
    }

    /// Whether something is.
    pub fn is_waiting(&self) -> bool {
        self.waits_for().next().is_some()
    }
}

/// Takes `step` after `step`, each of which takes what other threads have finished, until nothing is waited for any more.
/// `tell` is told how far long work is.
pub(crate) fn wait(
    desk: &mut Desk,
    tell: &dyn Fn(&Progress),
    step: impl FnMut(&mut Desk),
) -> Result<(), Stuck> {
    wait_at_most(PATIENCE, desk, tell, step)
}

/// The same for those who draw nothing.
pub(crate) fn wait_for_jobs(desk: &mut Desk) -> Result<(), Stuck> {
    wait(desk, &|_| (), |desk| {
        desk.poll_jobs();
        desk.state.update_work();
        desk.views.update(&mut desk.state);
    })
}

fn wait_at_most(
    patience: Duration,
    desk: &mut Desk,
    tell: &dyn Fn(&Progress),
    mut step: impl FnMut(&mut Desk),
) -> Result<(), Stuck> {
    let mut seen = (Vec::new(), Vec::new());
    let (mut since, mut pause) = (Instant::now(), LOOK[0]);
    loop {
        step(desk);
        let waits_for: Vec<_> = desk.waits_for().collect();
        if waits_for.is_empty() {
            return Ok(());
        }
        let slow = desk.read().slow().chain(desk.state.work.slow());
        let slow = slow.chain(desk.views.slow());
        let slow = slow.inspect(|progress| tell(progress));
        let now = (waits_for, slow.map(Progress::state).collect());
        if now != seen {
            (seen, since) = (now, Instant::now());
        } else if since.elapsed() > patience {
            return Err(Stuck::new(desk, since));
        }
        std::thread::sleep(pause);
        pause = (2 * pause).min(LOOK[1]);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::sync::mpsc::channel;

    use super::*;
    use callscape_state::job::Job;
    use callscape_state::made::{Generation, Made};

    #[test]
    fn what_never_ends_is_named_and_what_goes_on_is_told() {
        let mut desk = Desk::unattended();
        assert_eq!(wait(&mut desk, &|_| (), |_| ()), Ok(()), "nothing is open");
        let (sender, receiver) = channel::<()>();
        let job = Job::start(
            || (),
            move |progress| {
                progress.start("looking", 7);
                // Nothing is ever sent.
                let _ = receiver.recv();
                Ok(None)
            },
        );
        desk.state.work.jobs.finding_imports = Some(Made::new(Generation::next(), job));
        let told = RefCell::new(Vec::new());
        let tell = |progress: &Progress| told.borrow_mut().push(progress.state());
        let patience = Duration::from_millis(20);
        // Long enough to be told of.
        std::thread::sleep(Duration::from_millis(500));
        let stuck = wait_at_most(patience, &mut desk, &tell, |desk| desk.poll_jobs());
        let stuck = stuck.expect_err("it never ends");
        assert_eq!(stuck.waits_for, ["the imports"]);
        let said = stuck.to_string();
        assert!(
            said.starts_with("still waiting for the imports after 0 s"),
            "{said}"
        );
        assert_eq!(told.borrow().last(), Some(&("looking".to_owned(), 0, 7)));
        // It ends, and somebody takes what came of it.
        drop(sender);
        let ended = wait_at_most(PATIENCE, &mut desk, &tell, Desk::update);
        assert_eq!(ended, Ok(()));
    }
}

//! Who is connected, and what their requests hold in memory. Where there is no room for another, whoever is slowest makes it:
//! so nobody can lock others out by being slow, however often.

use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::limits::Limits;

/// How often it is looked whether somebody can be asked to make room, while somebody waits for it.
const LOOK: Duration = Duration::from_millis(10);

/// What a connection is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    /// Sends a request, or was never seen to send one.
    Sending,
    /// Its request is read, kept and answered, which takes no time of theirs.
    Waiting,
    /// Had an answer, and may send another request.
    Resting,
}

struct Guest {
    number: u64,
    stream: Arc<TcpStream>,
    doing: Doing,
    since: Instant,
    /// Bytes of the request that came so far.
    came: u64,
    /// Bytes that it holds in memory.
    held: u64,
    is_sent_away: bool,
}

impl Guest {
    /// Bytes a second.
    fn speed(&self, now: Instant) -> u64 {
        let time = now.duration_since(self.since).as_millis().max(1) as u64;
        self.came.saturating_mul(1000) / time
    }
}

#[derive(Default)]
struct State {
    guests: Vec<Guest>,
    next: u64,
}

/// All who are connected.
pub(super) struct Guests {
    limits: Limits,
    state: Mutex<State>,
    changed: Condvar,
}

impl Guests {
    pub(super) fn new(limits: Limits) -> Guests {
        Guests {
            limits,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // No update is left half done by a thread that panics.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A seat for a connection; none where nobody can make room.
    pub(super) fn admit(self: &Arc<Guests>, stream: &Arc<TcpStream>) -> Option<Seat> {
        let has_room = |state: &State| state.guests.len() < self.limits.connections;
        let mut state = self.make_room(has_room, |_| true, |_| false)?;
        state.next += 1;
        let number = state.next;
        state.guests.push(Guest {
            number,
            stream: Arc::clone(stream),
            doing: Doing::Sending,
            since: Instant::now(),
            came: 0,
            held: 0,
            is_sent_away: false,
        });
        Some(Seat {
            guests: Arc::clone(self),
            number,
        })
    }

    /// Waits until there is room, and sends away whoever of `may_go` is slowest, one after the other. None after a while, or
    /// when whoever waits `gives_up`.
    fn make_room(
        &self,
        has_room: impl Fn(&State) -> bool,
        may_go: impl Fn(&Guest) -> bool,
        gives_up: impl Fn(&State) -> bool,
    ) -> Option<MutexGuard<'_, State>> {
        let until = Instant::now() + self.limits.patience;
        let mut state = self.lock();
        while !has_room(&state) {
            let now = Instant::now();
            if now >= until || gives_up(&state) {
                return None;
            }
            let is_going = state.guests.iter().any(|it| it.is_sent_away && may_go(it));
            let can_go = |it: &&mut Guest| {
                let is_disturbed = now.duration_since(it.since) >= self.limits.undisturbed;
                is_disturbed && it.doing != Doing::Waiting && may_go(it)
            };
            let slowest = state.guests.iter_mut().filter(can_go);
            let slowest =
                slowest.min_by_key(|it| (it.doing == Doing::Resting, it.speed(now), it.since));
            if let Some(slowest) = slowest.filter(|_| !is_going) {
                slowest.is_sent_away = true;
                // Its thread, which reads, wakes up.
                let _ = slowest.stream.shutdown(Shutdown::Read);
            }
            let waited = self.changed.wait_timeout(state, LOOK);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Some(state)
    }
}

/// The place of one connection, which is free again when this is dropped.
pub(super) struct Seat {
    guests: Arc<Guests>,
    number: u64,
}

impl Seat {
    fn update<T>(&self, with: impl FnOnce(&mut Guest) -> T) -> Option<T> {
        let mut state = self.guests.lock();
        let guest = state.guests.iter_mut().find(|it| it.number == self.number);
        guest.map(with)
    }

    fn does(&self, doing: Doing) {
        self.update(|guest| {
            guest.doing = doing;
            guest.since = Instant::now();
            guest.came = 0;
        });
    }

    /// The first byte of a request has come.
    pub(super) fn begins(&self) {
        self.does(Doing::Sending);
    }

    /// Bytes of the request have come.
    pub(super) fn came(&self, bytes: usize) {
        self.update(|guest| guest.came += bytes as u64);
    }

    /// The request is whole.
    pub(super) fn is_served(&self) {
        self.does(Doing::Waiting);
    }

    /// The request was answered, and nothing of it is held any more.
    pub(super) fn rests(&self) {
        self.does(Doing::Resting);
        self.update(|guest| guest.held = 0);
        self.guests.changed.notify_all();
    }

    /// Whether others need its place.
    pub(super) fn is_sent_away(&self) -> bool {
        self.update(|guest| guest.is_sent_away).unwrap_or(true)
    }

    /// Takes memory for the request; false where nobody can make room.
    pub(super) fn hold(&self, bytes: u64) -> bool {
        let Limits { under_way, own, .. } = self.guests.limits;
        let is_own = |guest: &Guest| guest.number == self.number;
        let beyond_own = |guest: &Guest, more: u64| (guest.held + more).saturating_sub(own);
        let has_room = |state: &State| {
            let after = |it: &Guest| beyond_own(it, if is_own(it) { bytes } else { 0 });
            let mine = state.guests.iter().find(|it| is_own(it)).map_or(0, after);
            mine == 0 || state.guests.iter().map(after).sum::<u64>() <= under_way
        };
        let may_go = |guest: &Guest| beyond_own(guest, 0) > 0 && !is_own(guest);
        let gives_up = |state: &State| state.guests.iter().any(|it| is_own(it) && it.is_sent_away);
        let Some(mut state) = self.guests.make_room(has_room, may_go, gives_up) else {
            return false;
        };
        let guest = state.guests.iter_mut().find(|it| it.number == self.number);
        if let Some(guest) = guest {
            guest.held += bytes;
        }
        true
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.guests
            .lock()
            .guests
            .retain(|it| it.number != self.number);
        self.guests.changed.notify_all();
    }
}

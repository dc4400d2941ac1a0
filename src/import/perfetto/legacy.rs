//! What an event says in the manner of the older JSON format (`LegacyEvent` in `track_event.proto`), flows among it.

use super::clocks::in_range;
use super::reader::Reader;
use crate::flows::{At, Role, Step};
use crate::protobuf::{Fields, Value};
use callscape_facts::names::NameId;
use callscape_facts::trace::LinkKind;

#[derive(Default)]
pub(super) struct Legacy {
    pub phase: Option<u8>,
    /// In nanoseconds.
    pub duration: i64,
    /// The number of the field that it stands in says how far it reaches.
    id: Option<(u64, u64)>,
    binds_around: bool,
    bind_id: Option<u64>,
    direction: u64,
}

impl Legacy {
    pub(super) fn read(&mut self, bytes: &[u8]) {
        for (number, value) in Fields::new(bytes) {
            let Value::Number(value) = value else {
                continue;
            };
            match number {
                2 => self.phase = u8::try_from(value).ok(),
                3 => self.duration = in_range(value).saturating_mul(1000),
                6 | 10 | 11 => self.id = Some((number.into(), value)),
                8 => self.bind_id = Some(value),
                12 => self.binds_around = value != 0,
                13 => self.direction = value,
                _ => {}
            }
        }
    }

    /// The flow that a slice is a part of.
    pub(super) fn flow(&self) -> Option<(Role, u64)> {
        let role = match self.direction {
            1 => Role::End,
            2 => Role::Start,
            3 => Role::Step,
            _ => return None,
        };
        Some((role, self.bind_id?))
    }

    /// What an event that is nothing but a part of a flow is in it.
    fn role(&self) -> Option<(Role, At)> {
        Some(match self.phase? {
            b's' => (Role::Start, At::Open),
            b't' => (Role::Step, At::Open),
            b'f' if self.binds_around => (Role::End, At::Open),
            b'f' => (Role::End, At::Next),
            _ => return None,
        })
    }
}

/// The field of an id that only events of one process share.
const LOCAL: u64 = 10;

impl Reader<'_> {
    /// Takes what an event of a track says of flows.
    pub(super) fn flows(&mut self, flows: &[(Role, u64)], track: u64, time: i64, at: At) {
        for (role, id) in flows {
            self.step(&id.to_le_bytes(), *role, track, time, at);
        }
    }

    fn step(&mut self, flow: &[u8], role: Role, track: u64, time: i64, at: At) {
        let step = Step {
            role,
            at,
            kind: LinkKind::Flow,
            thread: track,
            time,
            offset: self.offset,
        };
        self.flows.push(flow, step);
    }

    /// Takes an event that is nothing but a part of a flow: name and id tell which. Whether it is one.
    pub(super) fn legacy_flow(
        &mut self,
        legacy: &Legacy,
        name: Option<NameId>,
        (track, time): (u64, i64),
    ) -> bool {
        let (Some((role, at)), Some((reach, id))) = (legacy.role(), legacy.id) else {
            return false;
        };
        let process = match reach {
            LOCAL => self.process_of(track).unwrap_or_default(),
            _ => 0,
        };
        let name = u64::from(name.unwrap_or(NameId::EMPTY).0);
        // Longer than the ids of other flows.
        let flow = [id, process, name].map(u64::to_le_bytes).concat();
        self.step(&flow, role, track, time, at);
        true
    }
}

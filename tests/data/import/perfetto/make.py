"""Writes slices.perfetto-trace with the package perfetto (pip install perfetto)."""
from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import TrackEvent, ClockSnapshot
from perfetto.trace_builder.proto_builder import TraceProtoBuilder

builder = TraceProtoBuilder()

# Clocks: one of the sequence counts microseconds from the last packet, 7 us behind the boot time.
packet = builder.add_packet()
packet.trusted_packet_sequence_id = 1
packet.sequence_flags = 1
clock = packet.clock_snapshot.clocks.add()
clock.clock_id, clock.timestamp = 6, 1_000_007_000
clock = packet.clock_snapshot.clocks.add()
clock.clock_id, clock.timestamp, clock.is_incremental, clock.unit_multiplier_ns = 64, 1_000_000, True, 1000
packet.trace_packet_defaults.timestamp_clock_id = 64
packet.trace_packet_defaults.track_event_defaults.track_uuid = 11

packet = builder.add_packet()
packet.trusted_packet_sequence_id = 1
packet.timestamp = 0
packet.track_descriptor.uuid = 10
packet.track_descriptor.process.pid = 4
packet.track_descriptor.process.process_name = "shop"
packet = builder.add_packet()
packet.trusted_packet_sequence_id = 1
packet.timestamp = 0
packet.track_descriptor.uuid = 11
packet.track_descriptor.parent_uuid = 10
packet.track_descriptor.thread.pid = 4
packet.track_descriptor.thread.tid = 5
packet.track_descriptor.thread.thread_name = "main"


def event(delta, kind, name=None, name_iid=None, location=None):
    packet = builder.add_packet()
    packet.trusted_packet_sequence_id = 1
    packet.sequence_flags = 2
    packet.timestamp = delta
    packet.track_event.type = kind
    if name:
        packet.track_event.name = name
    if name_iid:
        packet.track_event.name_iid = name_iid
    if location:
        packet.track_event.source_location_iid = location
    return packet


BEGIN, END = TrackEvent.TYPE_SLICE_BEGIN, TrackEvent.TYPE_SLICE_END
packet = event(3, BEGIN, name_iid=1, location=1)
entry = packet.interned_data.event_names.add()
entry.iid, entry.name = 1, "serve"
entry = packet.interned_data.source_locations.add()
entry.iid, entry.file_name, entry.function_name, entry.line_number = 1, "serve.cc", "serve()", 12
event(2, BEGIN, name="parse")
event(5, END)
event(1, TrackEvent.TYPE_INSTANT, name="tick")
event(1, BEGIN, name_iid=1, location=1)
event(4, END)
event(10, END)

# A track of its own below the process, on the clock of the trace, out of order.
packet = builder.add_packet()
packet.trusted_packet_sequence_id = 2
packet.track_descriptor.uuid = 12
packet.track_descriptor.parent_uuid = 10
packet.track_descriptor.name = "requests"
for time, kind, name in [(1_000_040_000, BEGIN, "request"), (1_000_050_000, END, None), (1_000_020_000, BEGIN, "earlier"), (1_000_030_000, END, None)]:
    packet = builder.add_packet()
    packet.trusted_packet_sequence_id = 2
    packet.timestamp = time
    packet.track_event.track_uuid = 12
    packet.track_event.type = kind
    if name:
        packet.track_event.name = name

with open("slices.perfetto-trace", "wb") as file:
    file.write(builder.serialize())

//! Receives spans over HTTP as OpenTelemetry's exporters send them, and keeps them in a file that is followed as it grows.
//! <https://opentelemetry.io/docs/specs/otlp/#otlphttp>
//!
//! What is served is `POST /v1/traces`, in protocol buffers or JSON, and nothing else. Nothing that comes in is trusted. A
//! request is read as the importer reads it before it is kept, and is written before it is answered with 200; what is refused
//! harms no other request. Only the file itself is written, and it is never one that is there already.
//!
//! No server of others is taken, for none bounds what is bounded here ([`Limits`]). tiny_http 0.12 (2022), and rouille above it,
//! bound neither connections nor the time of a request, and read as long as bytes drip in. hyper 1 is kept well, and has a
//! limit for heads alone; limits for whole requests, for memory across connections, and who makes room for whom would be ours
//! on top of it, with an executor and its timers; astra 0.4 is hyper with threads, and brings both. So heads and sizes of chunks
//! are taken apart by hyper's own parser, httparse, and threads wait for bytes.

mod answer;
mod file;
mod guests;
mod head;
mod incoming;
mod limits;
mod server;

pub use limits::{Limits, MOST_KEPT};
pub use server::{Listener, PORT, address};

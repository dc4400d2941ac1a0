//! Tests with recordings of perf itself, and records written after the manual.

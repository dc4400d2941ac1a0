//! The formats of recordings in one table: how each is recognised and read.

use super::error::ImportError;
#[cfg(feature = "git")]
use super::git_history;
use super::input::Input;
#[cfg(feature = "parquet")]
use super::tables;
use super::{
    austin, bpf_stacks, callgrind, chrome, cpuprofile, dart, datadog, dhat, firefox, folded,
    function_graph, go_trace, gprof, gprof2dot, heapprofile, heapsnapshot, heaptrack, hprof,
    instruments_copy, jaeger, jfr, macos_sample, massif, measureme, memray, nettrace, otlp,
    perf_data, perf_script, perf_trace, perfetto, pprof, pstats, pyinstrument, rbspy, revision,
    scalene, sentry, skywalking, speedscope, stackprof, systrace, uftrace, xctrace, xray, zipkin,
};
use callscape_base::progress::Progress;
use callscape_facts::recording::Recording;

/// A format of recordings.
pub(super) struct Format {
    /// Its identifier in `info`.
    pub id: &'static str,
    pub kind: Kind,
}

/// How a format is recognised and read.
pub(super) enum Kind {
    /// A file: recognised by its first bytes, after decompression.
    File {
        sniff: fn(&[u8]) -> bool,
        import: Import,
    },
    /// A directory: recognised by the files in it.
    Directory {
        sniff: fn(&Input) -> bool,
        import: Import,
    },
}

pub(super) type Import = fn(&Input, &Progress) -> Result<Recording, ImportError>;

/// The formats, in the order in which they are asked. An importer's file begins with the link to its
/// specification.
pub(super) const FORMATS: &[Format] = &[
    Format {
        id: speedscope::FORMAT,
        kind: Kind::File {
            sniff: speedscope::sniff,
            import: speedscope::import,
        },
    },
    Format {
        id: revision::FORMAT,
        kind: Kind::File {
            sniff: revision::sniff,
            import: revision::import,
        },
    },
    Format {
        id: dhat::FORMAT,
        kind: Kind::File {
            sniff: dhat::sniff,
            import: dhat::import,
        },
    },
    Format {
        id: heapprofile::FORMAT,
        kind: Kind::File {
            sniff: heapprofile::sniff,
            import: heapprofile::import,
        },
    },
    Format {
        id: heapsnapshot::FORMAT,
        kind: Kind::File {
            sniff: heapsnapshot::sniff,
            import: heapsnapshot::import,
        },
    },
    Format {
        id: cpuprofile::FORMAT,
        kind: Kind::File {
            sniff: cpuprofile::sniff,
            import: cpuprofile::import,
        },
    },
    Format {
        id: firefox::FORMAT,
        kind: Kind::File {
            sniff: firefox::sniff,
            import: firefox::import,
        },
    },
    Format {
        id: otlp::FORMAT,
        kind: Kind::File {
            sniff: otlp::sniff,
            import: otlp::import,
        },
    },
    Format {
        id: jaeger::FORMAT,
        kind: Kind::File {
            sniff: jaeger::sniff,
            import: jaeger::import,
        },
    },
    Format {
        id: zipkin::FORMAT,
        kind: Kind::File {
            sniff: zipkin::sniff,
            import: zipkin::import,
        },
    },
    Format {
        id: pyinstrument::FORMAT,
        kind: Kind::File {
            sniff: pyinstrument::sniff,
            import: pyinstrument::import,
        },
    },
    Format {
        id: stackprof::FORMAT,
        kind: Kind::File {
            sniff: stackprof::sniff,
            import: stackprof::import,
        },
    },
    Format {
        id: gprof2dot::FORMAT,
        kind: Kind::File {
            sniff: gprof2dot::sniff,
            import: gprof2dot::import,
        },
    },
    Format {
        id: memray::FORMAT,
        kind: Kind::File {
            sniff: memray::sniff,
            import: memray::import,
        },
    },
    Format {
        id: scalene::FORMAT,
        kind: Kind::File {
            sniff: scalene::sniff,
            import: scalene::import,
        },
    },
    Format {
        id: skywalking::FORMAT,
        kind: Kind::File {
            sniff: skywalking::sniff,
            import: skywalking::import,
        },
    },
    Format {
        id: datadog::FORMAT,
        kind: Kind::File {
            sniff: datadog::sniff,
            import: datadog::import,
        },
    },
    Format {
        id: xray::FORMAT,
        kind: Kind::File {
            sniff: xray::sniff,
            import: xray::import,
        },
    },
    Format {
        id: sentry::FORMAT,
        kind: Kind::File {
            sniff: sentry::sniff,
            import: sentry::import,
        },
    },
    Format {
        id: dart::FORMAT,
        kind: Kind::File {
            sniff: dart::sniff,
            import: dart::import,
        },
    },
    Format {
        id: chrome::FORMAT,
        kind: Kind::File {
            sniff: chrome::sniff,
            import: chrome::import,
        },
    },
    Format {
        id: go_trace::FORMAT,
        kind: Kind::File {
            sniff: go_trace::sniff,
            import: go_trace::import,
        },
    },
    Format {
        id: jfr::FORMAT,
        kind: Kind::File {
            sniff: jfr::sniff,
            import: jfr::import,
        },
    },
    Format {
        id: pstats::FORMAT,
        kind: Kind::File {
            sniff: pstats::sniff,
            import: pstats::import,
        },
    },
    Format {
        id: austin::FORMAT,
        kind: Kind::File {
            sniff: austin::sniff,
            import: austin::import,
        },
    },
    Format {
        id: rbspy::FORMAT,
        kind: Kind::File {
            sniff: rbspy::sniff,
            import: rbspy::import,
        },
    },
    Format {
        id: nettrace::FORMAT,
        kind: Kind::File {
            sniff: nettrace::sniff,
            import: nettrace::import,
        },
    },
    Format {
        id: measureme::FORMAT,
        kind: Kind::File {
            sniff: measureme::sniff,
            import: measureme::import,
        },
    },
    Format {
        id: pprof::FORMAT,
        kind: Kind::File {
            sniff: pprof::sniff,
            import: pprof::import,
        },
    },
    Format {
        id: perfetto::FORMAT,
        kind: Kind::File {
            sniff: perfetto::sniff,
            import: perfetto::import,
        },
    },
    Format {
        id: function_graph::FORMAT,
        kind: Kind::File {
            sniff: function_graph::sniff,
            import: function_graph::import,
        },
    },
    Format {
        id: systrace::FORMAT,
        kind: Kind::File {
            sniff: systrace::sniff,
            import: systrace::import,
        },
    },
    Format {
        id: macos_sample::FORMAT,
        kind: Kind::File {
            sniff: macos_sample::sniff,
            import: macos_sample::import,
        },
    },
    Format {
        id: instruments_copy::FORMAT,
        kind: Kind::File {
            sniff: instruments_copy::sniff,
            import: instruments_copy::import,
        },
    },
    Format {
        id: xctrace::FORMAT,
        kind: Kind::File {
            sniff: xctrace::sniff,
            import: xctrace::import,
        },
    },
    Format {
        id: bpf_stacks::FORMAT,
        kind: Kind::File {
            sniff: bpf_stacks::sniff,
            import: bpf_stacks::import,
        },
    },
    Format {
        id: perf_trace::FORMAT,
        kind: Kind::File {
            sniff: perf_trace::sniff,
            import: perf_trace::import,
        },
    },
    Format {
        id: perf_data::FORMAT,
        kind: Kind::File {
            sniff: perf_data::sniff,
            import: perf_data::import,
        },
    },
    Format {
        id: perf_script::FORMAT,
        kind: Kind::File {
            sniff: perf_script::sniff,
            import: perf_script::import,
        },
    },
    Format {
        id: hprof::FORMAT,
        kind: Kind::File {
            sniff: hprof::sniff,
            import: hprof::import,
        },
    },
    Format {
        id: gprof::FORMAT,
        kind: Kind::File {
            sniff: gprof::sniff,
            import: gprof::import,
        },
    },
    Format {
        id: callgrind::FORMAT,
        kind: Kind::File {
            sniff: callgrind::sniff,
            import: callgrind::import,
        },
    },
    Format {
        id: heaptrack::FORMAT,
        kind: Kind::File {
            sniff: heaptrack::sniff,
            import: heaptrack::import,
        },
    },
    Format {
        id: massif::FORMAT,
        kind: Kind::File {
            sniff: massif::sniff,
            import: massif::import,
        },
    },
    #[cfg(feature = "parquet")]
    Format {
        id: tables::FORMAT,
        kind: Kind::File {
            sniff: tables::sniff_file,
            import: tables::import_file,
        },
    },
    #[cfg(feature = "parquet")]
    Format {
        id: tables::CSV,
        kind: Kind::File {
            sniff: tables::sniff_csv,
            import: tables::import_csv,
        },
    },
    Format {
        id: folded::FORMAT,
        kind: Kind::File {
            sniff: folded::sniff,
            import: folded::import,
        },
    },
    Format {
        id: uftrace::FORMAT,
        kind: Kind::Directory {
            sniff: uftrace::sniff,
            import: uftrace::import,
        },
    },
    #[cfg(feature = "git")]
    Format {
        id: git_history::FORMAT,
        kind: Kind::File {
            sniff: git_history::sniff_file,
            import: git_history::import,
        },
    },
    #[cfg(feature = "git")]
    Format {
        id: git_history::FORMAT,
        kind: Kind::Directory {
            sniff: git_history::sniff,
            import: git_history::import,
        },
    },
    #[cfg(feature = "parquet")]
    Format {
        id: tables::FOLDER,
        kind: Kind::Directory {
            sniff: tables::sniff,
            import: tables::import,
        },
    },
];

/// The format that a file with these first bytes is in, and its import function.
pub(super) fn format_of(head: &[u8]) -> Option<(&'static Format, Import)> {
    FORMATS.iter().find_map(|format| match format.kind {
        Kind::File { sniff, import } if sniff(head) => Some((format, import)),
        _ => None,
    })
}

/// Whether a file with these first bytes is a recording. JSON is not taken for one because it is JSON, nor a text because
/// its lines end with numbers.
pub(super) fn is_recording_head(head: &[u8]) -> bool {
    let has = |word: &[u8]| memchr::memmem::find(head, word).is_some();
    format_of(head).is_some_and(|(format, _)| match format.id {
        chrome::FORMAT => has(b"\"ph\"") || has(b"\"traceEvents\""),
        folded::FORMAT => folded::has_stacks(head),
        _ => true,
    })
}

/// Whether a directory holds a recording.
pub(super) fn is_recording_directory(input: &Input) -> bool {
    FORMATS.iter().any(|format| match format.kind {
        Kind::Directory { sniff, .. } => sniff(input),
        Kind::File { .. } => false,
    })
}

//! `callscape-peers FORMAT FILE`: reads a file with an existing reader, for benches/formats/ to be held against.
//! Prints how many samples, events or costs it found.

use std::error::Error;
use std::fs::File;
use std::io::BufReader;

use jfrs::reader::JfrReader;
use opentelemetry_proto::tonic::trace::v1::TracesData;
use prost::Message;

/// `proto/profile.proto` of google/pprof, as far as a reader of samples needs it.
mod pprof {
    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Profile {
        #[prost(message, repeated, tag = "1")]
        pub sample_type: Vec<ValueType>,
        #[prost(message, repeated, tag = "2")]
        pub sample: Vec<Sample>,
        #[prost(message, repeated, tag = "4")]
        pub location: Vec<Location>,
        #[prost(message, repeated, tag = "5")]
        pub function: Vec<Function>,
        #[prost(string, repeated, tag = "6")]
        pub string_table: Vec<String>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct ValueType {
        #[prost(int64, tag = "1")]
        pub r#type: i64,
        #[prost(int64, tag = "2")]
        pub unit: i64,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Sample {
        #[prost(uint64, repeated, tag = "1")]
        pub location_id: Vec<u64>,
        #[prost(int64, repeated, tag = "2")]
        pub value: Vec<i64>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Location {
        #[prost(uint64, tag = "1")]
        pub id: u64,
        #[prost(uint64, tag = "3")]
        pub address: u64,
        #[prost(message, repeated, tag = "4")]
        pub line: Vec<Line>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Line {
        #[prost(uint64, tag = "1")]
        pub function_id: u64,
        #[prost(int64, tag = "2")]
        pub line: i64,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Function {
        #[prost(uint64, tag = "1")]
        pub id: u64,
        #[prost(int64, tag = "2")]
        pub name: i64,
        #[prost(int64, tag = "4")]
        pub filename: i64,
    }
}

/// `protos/perfetto/trace/` of google/perfetto, as far as a reader of slices needs it.
mod perfetto {
    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Trace {
        #[prost(message, repeated, tag = "1")]
        pub packet: Vec<Packet>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Packet {
        #[prost(uint64, tag = "8")]
        pub timestamp: u64,
        #[prost(uint32, tag = "10")]
        pub sequence: u32,
        #[prost(message, tag = "11")]
        pub track_event: Option<TrackEvent>,
        #[prost(message, tag = "12")]
        pub interned: Option<Interned>,
        #[prost(uint32, tag = "13")]
        pub flags: u32,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct TrackEvent {
        #[prost(int32, tag = "9")]
        pub r#type: i32,
        #[prost(uint64, tag = "10")]
        pub name_iid: u64,
        #[prost(uint64, tag = "11")]
        pub track: u64,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Interned {
        #[prost(message, repeated, tag = "2")]
        pub names: Vec<Name>,
    }

    #[derive(Clone, PartialEq, prost::Message)]
    pub struct Name {
        #[prost(uint64, tag = "1")]
        pub iid: u64,
        #[prost(string, tag = "2")]
        pub name: String,
    }
}

/// Every stack of the samples of execution, frame by frame.
fn jfr(path: &str) -> Result<usize, Box<dyn Error>> {
    let mut reader = JfrReader::new(File::open(path)?);
    let mut frames = 0;
    for (mut reader, chunk) in reader.chunks().flatten() {
        for event in reader.events(&chunk).flatten() {
            if event.class.name() != "jdk.ExecutionSample" {
                continue;
            }
            let stack = event.value().get_field("stackTrace");
            let Some(all) = stack.and_then(|stack| stack.get_field("frames")) else {
                continue;
            };
            for frame in all.as_iter().into_iter().flatten() {
                let name = frame
                    .get_field("method")
                    .and_then(|method| method.get_field("name"))
                    .and_then(|name| name.get_field("string"))
                    .and_then(|name| <&str>::try_from(name.value).ok());
                frames += usize::from(name.is_some());
            }
        }
    }
    Ok(frames)
}

fn main() -> Result<(), Box<dyn Error>> {
    let [_, format, path] = <[String; 3]>::try_from(std::env::args().collect::<Vec<_>>())
        .map_err(|_| "expected a format and a file")?;
    let found = match format.as_str() {
        "pprof" => pprof::Profile::decode(&*std::fs::read(path)?)?.sample.len(),
        "perfetto" => perfetto::Trace::decode(&*std::fs::read(path)?)?
            .packet
            .len(),
        "callgrind" => {
            let file = BufReader::new(File::open(path)?);
            callgrind_parser::parse_reader(file)?;
            1
        }
        "jfr" => jfr(&path)?,
        "otlp" => {
            let traces: TracesData = serde_json::from_slice(&std::fs::read(path)?)?;
            let scopes = traces.resource_spans.iter().flat_map(|it| &it.scope_spans);
            scopes.map(|scope| scope.spans.len()).sum()
        }
        "otlp-protobuf" => {
            let traces = TracesData::decode(&*std::fs::read(path)?)?;
            let scopes = traces.resource_spans.iter().flat_map(|it| &it.scope_spans);
            scopes.map(|scope| scope.spans.len()).sum()
        }
        other => return Err(format!("no reader of {other}").into()),
    };
    println!("{found}");
    Ok(())
}

//! What a typed parse takes of each JSON format: no more than an importer needs.

#![expect(dead_code, reason = "parsed as an importer would, and not looked at")]

use std::borrow::Cow;

use serde::Deserialize;

type Text<'a> = Cow<'a, str>;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CpuProfile<'a> {
    #[serde(borrow)]
    pub nodes: Vec<Node<'a>>,
    pub samples: Vec<u32>,
    pub time_deltas: Vec<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Node<'a> {
    pub id: u32,
    #[serde(borrow)]
    pub call_frame: CallFrame<'a>,
    pub parent: Option<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallFrame<'a> {
    #[serde(borrow)]
    pub function_name: Text<'a>,
    #[serde(borrow)]
    pub url: Text<'a>,
    pub line_number: i64,
}

#[derive(Deserialize)]
pub struct Firefox<'a> {
    #[serde(borrow)]
    pub threads: Vec<Thread<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Thread<'a> {
    #[serde(borrow)]
    pub string_array: Vec<Text<'a>>,
    pub func_table: Functions,
    pub frame_table: Frames,
    pub stack_table: Stacks,
    pub samples: Samples,
}

#[derive(Deserialize)]
pub struct Functions {
    pub name: Vec<u32>,
}

#[derive(Deserialize)]
pub struct Frames {
    pub func: Vec<u32>,
}

#[derive(Deserialize)]
pub struct Stacks {
    pub prefix: Vec<Option<u32>>,
    pub frame: Vec<u32>,
}

#[derive(Deserialize)]
pub struct Samples {
    pub stack: Vec<Option<u32>>,
    pub time: Vec<f64>,
}

#[derive(Deserialize)]
pub struct Jaeger<'a> {
    #[serde(borrow)]
    pub data: Vec<JaegerTrace<'a>>,
}

#[derive(Deserialize)]
pub struct JaegerTrace<'a> {
    #[serde(borrow)]
    pub spans: Vec<JaegerSpan<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct JaegerSpan<'a> {
    #[serde(rename = "traceID", borrow)]
    pub trace: Text<'a>,
    #[serde(rename = "spanID", borrow)]
    pub id: Text<'a>,
    #[serde(borrow)]
    pub operation_name: Text<'a>,
    #[serde(borrow)]
    pub references: Vec<Reference<'a>>,
    pub start_time: u64,
    pub duration: u64,
    #[serde(rename = "processID", borrow)]
    pub process: Text<'a>,
}

#[derive(Deserialize)]
pub struct Reference<'a> {
    #[serde(rename = "spanID", borrow)]
    pub id: Text<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Request<'a> {
    #[serde(borrow)]
    pub resource_spans: Vec<ResourceSpans<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceSpans<'a> {
    #[serde(borrow)]
    pub scope_spans: Vec<ScopeSpans<'a>>,
}

#[derive(Deserialize)]
pub struct ScopeSpans<'a> {
    #[serde(borrow)]
    pub spans: Vec<Span<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Span<'a> {
    #[serde(borrow)]
    pub trace_id: Text<'a>,
    #[serde(borrow)]
    pub span_id: Text<'a>,
    #[serde(borrow)]
    pub parent_span_id: Text<'a>,
    #[serde(borrow)]
    pub name: Text<'a>,
    #[serde(borrow)]
    pub start_time_unix_nano: Text<'a>,
    #[serde(borrow)]
    pub end_time_unix_nano: Text<'a>,
    #[serde(borrow)]
    pub attributes: Vec<Attribute<'a>>,
}

#[derive(Deserialize)]
pub struct Attribute<'a> {
    #[serde(borrow)]
    pub key: Text<'a>,
}

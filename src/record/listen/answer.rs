//! What is said to a request, as OTLP has it.
//! <https://opentelemetry.io/docs/specs/otlp/#otlphttp-response>

use std::io::{self, Write};
use std::net::TcpStream;

use serde_json::json;

use callscape_import::otlp::request::Encoding;

/// What is said to a request.
#[derive(Debug)]
pub(super) struct Answer {
    pub status: u16,
    /// Why it is refused, or spans of it were left out.
    pub reason: String,
    /// That of the request, once it is known.
    pub encoding: Option<Encoding>,
    /// Spans of the request that cannot be kept.
    pub left_out: u64,
}

impl Answer {
    pub(super) fn of(status: u16, reason: impl Into<String>) -> Answer {
        Answer {
            status,
            reason: reason.into(),
            encoding: None,
            left_out: 0,
        }
    }

    /// Writes the answer; `goes_on` says whether the connection is kept for another request.
    pub(super) fn send(&self, mut to: &TcpStream, goes_on: bool) -> io::Result<()> {
        let kind = match self.encoding {
            Some(Encoding::Json) => "application/json",
            Some(Encoding::Binary) => "application/x-protobuf",
            None => "text/plain; charset=utf-8",
        };
        let body = self.body();
        let more = match self.status {
            405 => "Allow: POST\r\n",
            415 => {
                "Accept-Post: application/json, application/x-protobuf\r\nAccept-Encoding: gzip, deflate\r\n"
            }
            429 | 503 => "Retry-After: 1\r\n",
            _ => "",
        };
        let head = format!(
            "HTTP/1.1 {} {}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{more}Connection: {}\r\n\r\n",
            self.status,
            self.phrase(),
            body.len(),
            if goes_on { "keep-alive" } else { "close" },
        );
        to.write_all(&[head.as_bytes(), &body].concat())
    }

    fn phrase(&self) -> &'static str {
        match self.status {
            200 => "OK",
            400 => "Bad Request",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            408 => "Request Timeout",
            411 => "Length Required",
            413 => "Content Too Large",
            415 => "Unsupported Media Type",
            417 => "Expectation Failed",
            429 => "Too Many Requests",
            431 => "Request Header Fields Too Large",
            503 => "Service Unavailable",
            507 => "Insufficient Storage",
            _ => "Refused",
        }
    }

    /// `ExportTraceServiceResponse` or `google.rpc.Status`.
    fn body(&self) -> Vec<u8> {
        let (is_good, reason, left_out) = (self.status == 200, &self.reason, self.left_out);
        match self.encoding {
            None => reason.clone().into_bytes(),
            Some(Encoding::Json) => match (is_good, left_out) {
                (true, 0) => json!({}),
                // 64 bits are texts in JSON.
                (true, _) => json!({"partialSuccess":
                    {"rejectedSpans": left_out.to_string(), "errorMessage": reason}}),
                (false, _) => json!({"message": reason}),
            }
            .to_string()
            .into_bytes(),
            Some(Encoding::Binary) => match (is_good, left_out) {
                (true, 0) => Vec::new(),
                (true, _) => {
                    let mut partial = vec![1 << 3];
                    varint(left_out, &mut partial);
                    partial.extend(field(2, reason.as_bytes()));
                    field(1, &partial)
                }
                (false, _) => field(2, reason.as_bytes()),
            },
        }
    }
}

/// A field of protocol buffers with a length.
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    let mut out = vec![number << 3 | 2];
    varint(content.len() as u64, &mut out);
    out.extend_from_slice(content);
    out
}

fn varint(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_said_in_the_encoding_of_the_request() {
        let mut answer = Answer {
            left_out: 300,
            ..Answer::of(200, "why")
        };
        answer.encoding = Some(Encoding::Binary);
        assert_eq!(answer.body(), b"\x0a\x08\x08\xac\x02\x12\x03why");
        answer.encoding = Some(Encoding::Json);
        let text = String::from_utf8(answer.body()).expect("text");
        assert!(text.contains(r#""rejectedSpans":"300""#), "{text}");
    }
}

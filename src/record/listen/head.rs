//! The head of a request: who may send what.

use std::net::IpAddr;

use httparse::{Header, Request, Status};

use super::answer::Answer;
use callscape_import::otlp::kept::{Form, Packing};
use callscape_import::otlp::request::Encoding;

/// Headers at most; exporters send about ten.
const MOST_HEADERS: usize = 64;

/// Which names the receiver answers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// Those of the loopback address.
    Loopback,
    /// These, and any address in digits: names could be anybody's, who lets them stand for an address of ours while a browser
    /// is on their page (DNS rebinding).
    Digits,
}

/// How long a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Length {
    Known(u64),
    Chunked,
}

/// What the head of a good request says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub form: Form,
    pub length: Length,
    /// The client waits to be told to go on.
    pub is_asking: bool,
    /// The connection stays for another request.
    pub stays: bool,
}

impl Head {
    /// Reads a head, and gives how many bytes it takes; none where it is not whole yet.
    pub(super) fn read(bytes: &[u8], reach: Reach) -> Result<Option<(Head, usize)>, Answer> {
        let mut headers = [httparse::EMPTY_HEADER; MOST_HEADERS];
        let mut request = Request::new(&mut headers);
        match request.parse(bytes) {
            Ok(Status::Partial) => Ok(None),
            Ok(Status::Complete(length)) => Ok(Some((Head::of(&request, reach)?, length))),
            Err(httparse::Error::TooManyHeaders) => {
                let found = format!("expected at most {MOST_HEADERS} headers");
                Err(Answer::of(431, found))
            }
            Err(error) => Err(Answer::of(400, format!("expected HTTP/1.1: {error}"))),
        }
    }

    fn of(request: &Request<'_, '_>, reach: Reach) -> Result<Head, Answer> {
        let of = Of(request.headers);
        of.may_send(reach)?;
        if request.path != Some("/v1/traces") {
            let found = "spans are received only at /v1/traces";
            return Err(Answer::of(404, found));
        }
        if request.method != Some("POST") {
            return Err(Answer::of(405, "expected POST"));
        }
        let form = of.form()?;
        let of_form = |answer: Answer| Answer {
            encoding: Some(form.encoding),
            ..answer
        };
        let length = of.length().map_err(of_form)?;
        let is_asking = match of.only("expect").map_err(of_form)? {
            None => false,
            Some(text) if text.eq_ignore_ascii_case("100-continue") => true,
            Some(_) => return Err(of_form(Answer::of(417, "expected 100-continue"))),
        };
        let connection = of.only("connection").map_err(of_form)?.unwrap_or_default();
        let mut words = connection.split(',').map(str::trim);
        let closes = words.any(|it| it.eq_ignore_ascii_case("close"));
        Ok(Head {
            form,
            length,
            is_asking,
            stays: !closes && request.version == Some(1),
        })
    }
}

/// The headers of a request.
struct Of<'a>(&'a [Header<'a>]);

impl<'a> Of<'a> {
    /// The value of a header; an error where it is there twice, for others may read another one.
    fn only(&self, name: &str) -> Result<Option<&'a str>, Answer> {
        let mut all = self
            .0
            .iter()
            .filter(|it| it.name.eq_ignore_ascii_case(name));
        let Some(first) = all.next() else {
            return Ok(None);
        };
        if all.next().is_some() {
            return Err(Answer::of(400, format!("expected {name} once")));
        }
        let text = std::str::from_utf8(first.value);
        let text = text.map_err(|_| Answer::of(400, format!("expected text in {name}")))?;
        Ok(Some(text.trim()))
    }

    /// Refuses what a browser sends for a page of somebody else.
    fn may_send(&self, reach: Reach) -> Result<(), Answer> {
        let Some(host) = self.only("host")? else {
            return Err(Answer::of(400, "expected a Host"));
        };
        if !is_ours(host, reach) {
            let found = match reach {
                Reach::Loopback => {
                    "expected a Host on the loopback address, such as localhost:4318"
                }
                Reach::Digits => "expected localhost or an address in digits as Host",
            };
            return Err(Answer::of(403, found));
        }
        let Some(origin) = self.only("origin")? else {
            return Ok(());
        };
        let host = origin.split_once("://").map(|(_, host)| host);
        match host.is_some_and(|it| is_ours(it, Reach::Loopback)) {
            true => Ok(()),
            false => Err(Answer::of(
                403,
                "expected no Origin, or one on the loopback address",
            )),
        }
    }

    fn form(&self) -> Result<Form, Answer> {
        let kind = self.only("content-type")?.unwrap_or_default();
        let kind = kind.split(';').next().unwrap_or_default().trim();
        let encoding = match kind.to_ascii_lowercase().as_str() {
            "application/json" => Encoding::Json,
            "application/x-protobuf" => Encoding::Binary,
            _ => {
                let found = "expected application/json or application/x-protobuf";
                return Err(Answer::of(415, found));
            }
        };
        let packing = self.only("content-encoding")?.unwrap_or_default();
        let packing = match packing.to_ascii_lowercase().as_str() {
            "" | "identity" => Packing::None,
            "gzip" | "x-gzip" => Packing::Gzip,
            "deflate" => Packing::Zlib,
            _ => {
                let found = "expected gzip, deflate or no compression";
                return Err(Answer::of(415, found));
            }
        };
        Ok(Form { encoding, packing })
    }

    fn length(&self) -> Result<Length, Answer> {
        match (
            self.only("transfer-encoding")?,
            self.only("content-length")?,
        ) {
            (Some(_), Some(_)) => {
                let found = "expected Content-Length or Transfer-Encoding, found both";
                Err(Answer::of(400, found))
            }
            (Some(coding), None) if coding.eq_ignore_ascii_case("chunked") => Ok(Length::Chunked),
            (Some(_), None) => Err(Answer::of(
                400,
                "expected no Transfer-Encoding other than chunked",
            )),
            (None, None) => Err(Answer::of(
                411,
                "expected the length of the body, or chunks",
            )),
            (None, Some(digits)) if digits.bytes().all(|it| it.is_ascii_digit()) => digits
                .parse()
                .map(Length::Known)
                .map_err(|_| Answer::of(413, "expected a shorter body")),
            (None, Some(_)) => Err(Answer::of(400, "expected digits in Content-Length")),
        }
    }
}

/// Whether a host, with or without a port, is one that the receiver answers to.
fn is_ours(host: &str, reach: Reach) -> bool {
    let is_port = |it: &str| it.bytes().all(|it| it.is_ascii_digit());
    let name = match host.rsplit_once(':') {
        Some((name, port)) if is_port(port) && (!name.contains(':') || name.ends_with(']')) => name,
        _ => host,
    };
    if name.eq_ignore_ascii_case("localhost") {
        return true;
    }
    let in_brackets = name.strip_prefix('[').and_then(|it| it.strip_suffix(']'));
    let address: Option<IpAddr> = match in_brackets {
        Some(inner) => inner.parse().ok().map(IpAddr::V6),
        None => name.parse().ok().map(IpAddr::V4),
    };
    address.is_some_and(|it| reach == Reach::Digits || it.to_canonical().is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_hosts_on_the_loopback_address_are_ours() {
        for host in [
            "localhost",
            "LocalHost:4318",
            "127.0.0.1",
            "127.9.8.7:1",
            "[::1]",
            "[::1]:4318",
            "[::ffff:127.0.0.1]:2",
        ] {
            assert!(is_ours(host, Reach::Loopback), "{host}");
        }
        for host in [
            "",
            ":4318",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example:4318",
            "localhost:x",
            "localhost:1:2",
            "evil@localhost",
            "localhost/",
            "::1",
            "[::1",
            "[::2]",
            "10.0.0.1:4318",
            "0.0.0.0",
            "127.1",
            "[localhost]",
            "2130706433",
            "[127.0.0.1]",
        ] {
            assert!(!is_ours(host, Reach::Loopback), "{host}");
        }
        assert!(is_ours("10.0.0.1:4318", Reach::Digits) && is_ours("[fe80::1]", Reach::Digits));
        assert!(!is_ours("evil.example:4318", Reach::Digits));
    }
}

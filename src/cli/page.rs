//! What all pages in HTML share: their look, their head, and text made safe for them.

use std::fmt::Write;

use callscape_base::escape;

pub(crate) const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#22262e;--ground:#fff;--line:#d5dae2;--weak:#667085;--less:#12529b;--more:#b04600}\
@media(prefers-color-scheme:dark){:root{--ink:#e6e9ef;--ground:#14171c;--line:#343a45;--weak:#98a2b3;--less:#86c5ff;--more:#ffb066}}\
body{font:15px/1.45 system-ui,sans-serif;color:var(--ink);background:var(--ground);max-width:1280px;margin:2em auto;padding:0 1.2em}\
h1{font-size:1.5em}.head{font-size:1.15em;margin:.3em 0}h2{font-size:1.15em;margin-top:2em}img{max-width:100%;height:auto;border:1px solid var(--line);border-radius:4px}\
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}\
th,td{padding:.2em .6em;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap;vertical-align:top}\
th{color:var(--weak);font-weight:500}th:last-child,td:last-child{text-align:left;white-space:normal;overflow-wrap:anywhere;width:60%}\
.less{color:var(--less)}.more{color:var(--more)}.weak{color:var(--weak)}.tag{border:1px solid;border-radius:3px;padding:0 .3em;font-size:.85em}\
code,pre{font:13px/1.5 ui-monospace,monospace}pre{border:1px solid var(--line);border-radius:4px;padding:.7em;overflow:auto}\
details{margin-left:1.1em}details:not(:has(details))>summary{list-style:none}summary{overflow-wrap:anywhere}\
.bars{display:inline-block;width:90px;vertical-align:middle}.bars i{display:block;height:4px;margin:1px 0;min-width:1px;background:var(--less)}.bars i+i{background:var(--more)}\
table.code{width:auto;min-width:60%}.code td{border:0;padding:0 .8em}.code td:last-child{white-space:pre}\
.doubt{border-left:3px solid var(--more);padding-left:.7em}.wide{overflow-x:auto}\
@media print{body{max-width:none;margin:0;padding:0}h2{break-after:avoid}li,tr{break-inside:avoid}.wide,pre{overflow:visible}pre{white-space:pre-wrap;overflow-wrap:anywhere}}";

/// The begin of a page, with its title as the first heading.
pub(crate) fn head(page: &mut String, title: &str) -> std::fmt::Result {
    writeln!(
        page,
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>\n<meta name=\"viewport\" \
         content=\"width=device-width,initial-scale=1\">\n<style>{STYLE}</style></head><body>\n<h1>{title}</h1>",
        title = escaped(title)
    )
}

/// Text made safe for a page: escapes markup and characters that change the direction of text.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in escape::name(text).chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}

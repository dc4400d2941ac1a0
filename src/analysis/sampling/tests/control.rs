//! Control files and rules, as they are written.

use super::*;

const FIGURE_3: &str = r#"<sampling>
<range>
<sample object="0"
method="0"
stack="50"
stackonobject="no"
type="event"
start="10000"
end="200000"/>
</range>
<default>
<trace/>
</default>
</sampling>
"#;

fn read(text: &str) -> Result<Plan, String> {
    read_control("control.xml", text.as_bytes(), Cost::from_ns(1000)).map_err(|it| it.to_string())
}

#[test]
fn the_control_file_of_figure_3_is_read_as_it_is() {
    let stretch = Stretch {
        start: Time::from_ns(10_000),
        end: Time::from_ns(200_000),
        rule: Rule {
            flow: Flow::Stacks(50),
            objects: Objects::Off,
            with_stack: false,
        },
    };
    let plan = Plan {
        ranges: vec![stretch],
        default: Rule::ALL,
    };
    assert_eq!(read(FIGURE_3), Ok(plan));
}

#[test]
fn control_files_mix_ways_and_ranges() {
    let text = "\u{feff}<?xml version='1.0'?>\n<!-- two ranges -->\n<sampling>\n\
        <range><trace start='50%' end='2us'/></range>\n\
        <range><sample stack='10us' object='5us' stackonobject='yes' type='timestamp' start='0' end='500'/></range>\n\
        <default><sample method='10' object='100'/></default></sampling>";
    let plan = read(text).expect("it is one");
    assert_eq!(plan.ranges.len(), 2);
    let [first, second] = plan.ranges[..] else {
        panic!("two ranges");
    };
    assert_eq!(first.rule.flow, Flow::StacksEvery(Cost::from_ns(10_000)));
    assert_eq!(first.rule.objects, Objects::Every(Cost::from_ns(5_000)));
    assert!(first.rule.with_stack);
    assert_eq!(
        (second.start.ns(), second.end.ns(), second.rule),
        (500, 2000, Rule::ALL)
    );
    assert_eq!(plan.default.flow, Flow::Events(10));
    assert_eq!(plan.default.objects, Objects::Events(100));
    assert_eq!(plan.rule_at(Time::from_ns(1999)), Rule::ALL);
    assert_eq!(plan.rule_at(Time::from_ns(2000)), plan.default);
}

#[test]
fn hostile_control_files_give_one_error_with_the_line() {
    let range = |start: &str, end: &str| {
        format!("<range>\n<sample stack=\"5\" start=\"{start}\" end=\"{end}\"/></range>\n")
    };
    let whole = |inner: &str| format!("<sampling>\n{inner}</sampling>");
    let cases = [
        (String::new(), 1, "an element"),
        ("<sampling>".into(), 1, "</sampling>"),
        ("<trace/>".into(), 1, "<sampling>"),
        (whole(&range("20", "10")), 3, "before it ends"),
        (whole(&range("10", "10")), 3, "before it ends"),
        (whole(&range("10", "18446744073709551615")), 3, "that ends"),
        (
            whole(&range("10", "99999999999999999999999")),
            3,
            "that ends",
        ),
        (whole(&range("10", "-5")), 3, "a time"),
        (whole(&range("10", "never")), 3, "a time"),
        (
            whole("<range><sample stack=\"5\" start=\"1\"/></range>"),
            2,
            "end, since",
        ),
        (
            whole(&(range("10", "30") + &range("29", "40"))),
            5,
            "do not overlap",
        ),
        (
            whole(&(range("29", "40") + &range("10", "30"))),
            3,
            "do not overlap",
        ),
        (
            format!(
                "<!DOCTYPE s [<!ENTITY a \"b\">]>\n{}",
                whole("<default><trace/></default>")
            ),
            1,
            "entities",
        ),
        (
            whole("<default>\n<sample stack=\"&a;\"/></default>"),
            3,
            "entities",
        ),
        (whole("<default>&a;</default>"), 2, "an element"),
        (whole("<default><![CDATA[x]]></default>"), 2, "an element"),
        (whole("<default/>"), 2, "one <sample"),
        (
            whole("<default><trace/></default>\n<default><trace/></default>"),
            3,
            "one <default>",
        ),
        (
            whole("<default><trace/><trace/></default>"),
            2,
            "one <sample",
        ),
        (
            whole("<default><sample stack=\"1\" stack=\"2\"/></default>"),
            2,
            "once",
        ),
        (
            whole("<default><sample stack=\"1\" method=\"2\"/></default>"),
            2,
            "method or stack",
        ),
        (
            whole("<default><sample method=\"2\" type=\"timestamp\"/></default>"),
            2,
            "type event",
        ),
        (
            whole("<default><sample stack=\"x\"/></default>"),
            2,
            "a number",
        ),
        (
            whole("<default><sample stack=\"1\" end=\"3\"/></default>"),
            2,
            "object, method",
        ),
        (
            whole("<default><sample stack=1/></default>"),
            2,
            "in quotes",
        ),
        (
            whole("<default><sample stack=\"1/></default>"),
            2,
            "the quote",
        ),
        (whole("<other/>"), 2, "<range> or <default>"),
        (whole("") + "<more/>", 2, "nothing after"),
        ("<a>".repeat(100_000), 1, "no more elements"),
        (whole("<!-- <default>"), 2, "-->"),
        (" ".repeat(2 << 20), 1, "at most"),
    ];
    for (text, line, expected) in cases {
        let shown: String = text.chars().take(80).collect();
        let error = read(&text).expect_err(&shown);
        let place = format!("control.xml, line {line}: expected ");
        assert!(
            error.starts_with(&place) && error.contains(expected) && error.contains(", found "),
            "{shown}: {error}"
        );
        assert!(error.len() < 400, "{error}");
    }
    let error = read_control("c", b"<sampling>\n\xff", Cost::ZERO).expect_err("no text");
    assert_eq!(
        error.to_string(),
        "c, line 2: expected UTF-8, found other bytes"
    );
}

#[test]
fn rules_are_read_as_they_are_written() {
    for good in [
        "A -> B",
        "f > 5ms",
        "operator-> -> vector<int>",
        "operator> > 10us",
    ] {
        assert!(good.parse::<KeepRule>().is_ok(), "{good}");
    }
    for wrong in ["", "A", "A->B", " -> B", "f > soon", "f > 5%"] {
        assert!(wrong.parse::<KeepRule>().is_err(), "{wrong}");
    }
    let rule: KeepRule = "main -> nobody".parse().expect("a rule");
    let error = Keep::among(&[rule], 2, |name, id| name == "main" && id.0 == 0);
    assert!(error.expect_err("nobody is not there").contains("'nobody'"));
}

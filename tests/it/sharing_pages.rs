//! Through the program: the text of pages, for browsers without scripts, and the files in them. Their player
//! is left out, as it is the same in each: `sharing_pages/browser.rs` has it played.

mod browser;

use std::path::PathBuf;
use std::process::{Command, Output};

use crate::common::{self, Scratch};
use crate::random::Random;

/// The viewer before its player is put in.
const VIEWER: &str = include_str!("../../src/web/page.html");

/// A copy of the program beside a viewer, and inputs.
struct Maker {
    scratch: Scratch,
    program: PathBuf,
}

impl Maker {
    fn new(test: &str) -> Maker {
        let scratch = Scratch::new(test);
        let program = scratch.0.join("callscape");
        let original = PathBuf::from(common::callscape().get_program());
        if std::fs::hard_link(&original, &program).is_err() {
            std::fs::copy(&original, &program).expect("there is room");
        }
        // Any player will do.
        let viewer = VIEWER.replace("@VIEWER@", "AAAA");
        scratch.write("viewer.html", viewer.as_bytes());
        Maker { scratch, program }
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let mut command = Command::new(&self.program);
        command
            .args(arguments)
            .current_dir(&self.scratch.0)
            .env("XDG_CACHE_HOME", self.scratch.0.join("cache"));
        command.output().expect("the program runs")
    }

    fn done(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {told}");
        String::from_utf8(output.stdout).expect("it is text")
    }

    fn refused(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {told}");
        told
    }

    fn page(&self, arguments: &[&str]) -> String {
        let output = ["--page", "--force", "-o", "page.html"];
        self.done(&[&["pack"], arguments, &output].concat());
        self.read("page.html")
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.scratch.0.join(name)).expect("it was written")
    }

    /// A Chrome trace of `calls` calls by functions with these names, in turn.
    fn trace(&self, name: &str, functions: &[&str], calls: usize) {
        let mut random = Random(7);
        let events = (0..calls).map(|call| {
            let name = functions[call % functions.len()];
            // As uneven as measured times, which do not compress well.
            let nanoseconds = 1000 + random.below(8000);
            let event = serde_json::json!({
                "ph": "X", "pid": 1, "tid": 1, "name": name, "ts": 10 * call, "dur": nanoseconds as f64 / 1000.0
            });
            event.to_string()
        });
        let events: Vec<String> = events.collect();
        let text = format!("[{}]", events.join(","));
        self.scratch.write(name, text.as_bytes());
    }
}

#[test]
fn names_are_text_and_no_markup() {
    let maker = Maker::new("page-names");
    let names = [
        "<script>alert(1)</script>",
        "\"><img src=x onerror=alert(2)>",
        "--><!--callscape text-->",
        "'nonce-callscape' @VIEWER@ &amp;",
        "plain",
    ];
    maker.trace("odd <b>.json", &names, 40);
    let page = maker.page(&["odd <b>.json"]);
    for tag in ["<script", "</script", "<img", "<b>"] {
        let own = if tag == "<img" { 1 } else { 0 };
        assert!(
            page.matches(tag).count()
                <= VIEWER.matches(tag).count() + own + page.matches("<li><p><b>").count(),
            "{tag}"
        );
    }
    assert!(page.contains("&lt;script&gt;alert(1)&lt;/script&gt;"));
    assert!(page.contains("&lt;img src=x onerror=alert(2)&gt;"));
    assert!(page.contains("<h2>Functions</h2>") && page.contains("<h2>Phases</h2>"));
    assert!(page.contains("<title>odd &lt;b&gt;.json</title>"));
    // It asks nothing of the network, and runs no script but its own.
    assert!(page.contains("default-src 'none'") && page.contains("connect-src 'none'"));
    assert!(!page.contains("nonce=\"callscape\"") && !page.contains("connect-src *"));
    assert_eq!(page, maker.page(&["odd <b>.json"]), "the same again");
}

#[test]
fn what_is_in_a_page_is_listed() {
    let maker = Maker::new("page-list");
    let folder = maker.scratch.0.join("meal");
    std::fs::create_dir(&folder).expect("there is room");
    std::fs::write(folder.join("soup.c"), "int stir(void) { return 4242; }\n").expect("written");
    maker.trace("meal.json", &["stir", "boil"], 1000);
    let page = maker.page(&["meal", "meal.json"]);
    let listed = maker.done(&["pack", "--list", "page.html"]);
    assert!(listed.contains("recordings/1/meal.json"), "{listed}");
    assert!(
        listed.contains("source/meal.callscape-structure"),
        "{listed}"
    );
    assert!(!listed.contains("soup.c"), "text of the source: {listed}");
    maker.done(&["pack", "meal", "meal.json", "-o", "meal.callscape-pack"]);
    let names = |listed: &str| -> Vec<String> {
        let lines = listed.lines().map(|it| it.split_whitespace().last());
        lines.flatten().map(str::to_owned).collect()
    };
    let of_pack = maker.done(&["pack", "--list", "meal.callscape-pack"]);
    assert_eq!(names(&listed), names(&of_pack));
    maker.page(&["meal", "meal.json", "--with-source"]);
    let listed = names(&maker.done(&["pack", "--list", "page.html"]));
    let text = "source/meal.text/soup.c".to_owned();
    assert!(listed.contains(&text), "{listed:?}");
    let structure = "source/meal.callscape-structure".to_owned();
    assert!(listed.contains(&structure), "{listed:?}");
    maker.page(&["meal", "meal.json", "--from", "10%", "--to", "1.2ms"]);
    let part = maker.read("page.html");
    // Calls begin every 10 µs.
    assert!(part.contains("meal.json: 20 of 1\u{202f}000 calls, from 10 %, to 1.20 ms"));
    let half = &page.as_bytes()[..page.len() / 2];
    maker.scratch.write("half.html", half);
    let told = maker.refused(&["pack", "--list", "half.html"]);
    assert!(told.contains("half.html"), "{told}");
    let told = maker.refused(&["pack", "--list", "meal.json"]);
    assert!(told.contains("expected a pack or a page"), "{told}");
}

#[test]
fn a_page_says_nothing_of_what_is_left_out_of_it() {
    let maker = Maker::new("page-part");
    let names: Vec<String> = (0..400)
        .map(|call| {
            format!(
                "{}_{}",
                if call < 200 { "secret" } else { "open" },
                call % 7
            )
        })
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    maker.trace("run.json", &names, 400);
    assert!(maker.page(&["run.json"]).contains("secret_3"));
    // A call takes up to 9 of the 10 µs between two.
    let part = maker.page(&["run.json", "--from", "50.5%"]);
    assert!(part.contains("open_3") && !part.contains("secret"));
}

#[test]
fn a_scene_brings_what_it_opens() {
    let maker = Maker::new("page-scene");
    maker.trace("meal.json", &["stir", "boil"], 100);
    maker.trace("other.json", &["fry"], 100);
    let scene = |name: &str, recording: &str| {
        let text = format!(
            "title = \"{name}\"\n[inputs]\nrecordings = [\"{recording}\"]\n[[shot]]\nseconds = 2\n"
        );
        maker.scratch.write(name, text.as_bytes());
    };
    scene("one.toml", "meal.json");
    scene("two.toml", "other.json");
    let page = maker.page(&["--scene", "one.toml"]);
    assert!(page.contains(">stir ") && page.contains("<title>meal"));
    let listed = maker.done(&["pack", "--list", "page.html"]);
    assert!(listed.contains("recordings/1/meal.json") && listed.contains("scenes/one.toml"));
    let scenes = ["--scene", "one.toml", "--scene", "two.toml"];
    let pack = ["pack", "-o", "x.callscape-pack"];
    let told = maker.refused(&[&pack[..], &scenes].concat());
    assert!(
        told.contains("two.toml: expected a scene of the same inputs"),
        "{told}"
    );
}

#[test]
fn a_page_is_sampled_to_the_size_that_it_may_have() {
    let maker = Maker::new("page-size");
    let names: Vec<String> = (0..400).map(|it| format!("function_{it}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    maker.trace("long.json", &names, 60_000);
    let whole = maker.page(&["long.json"]);
    assert!(!whole.contains("sampled by the stacks"));
    let most = whole.len() - 50_000;
    let less = maker.page(&["long.json", "--at-most", &format!("{most}B")]);
    assert!(less.len() <= most, "{} of {most}", less.len());
    assert!(less.contains("calls, sampled by the stacks at every 17th entry or exit"));
    assert!(!less.contains("long.json: 0 of") && less.contains(">function_"));
    let told = maker.refused(&[
        "pack",
        "long.json",
        "--page",
        "--force",
        "-o",
        "page.html",
        "--at-most",
        "1kB",
    ]);
    assert!(
        told.contains("cannot be made smaller than --at-most 1\u{202f}000"),
        "{told}"
    );
    assert_eq!(maker.read("page.html"), less, "the page before stays");
}

#[test]
fn a_comparison_says_why_in_its_page() {
    let maker = Maker::new("page-compare");
    maker.trace("a.json", &["stir", "boil"], 1000);
    maker.trace("b.json", &["stir", "stir", "<i>boil"], 1000);
    maker.done(&["compare", "a.json", "b.json", "--page", "-o", "page.html"]);
    let page = maker.read("page.html");
    maker.done(&["compare", "a.json", "b.json", "-o", "report.html"]);
    let report = maker.read("report.html");
    let functions = |page: &str| {
        let from = page.find("<h2>Functions").expect("a table");
        page[from..].split("<h2>").nth(1).map(str::to_owned)
    };
    assert_eq!(functions(&page), functions(&report));
    assert!(page.contains("&lt;i&gt;boil") && !page.contains("<i>boil"));
    let listed = maker.done(&["pack", "--list", "page.html"]);
    assert!(
        listed.contains("/a.json") && listed.contains("/b.json"),
        "{listed}"
    );
}

#[test]
fn without_a_viewer_it_is_said_how_to_get_one() {
    let maker = Maker::new("page-viewer");
    std::fs::remove_file(maker.scratch.0.join("viewer.html")).expect("it is there");
    let told = maker.refused(&["pack", "--page", "-o", "page.html"]);
    assert!(told.contains("`./x web`"), "{told}");
    maker.scratch.write("viewer.html", b"<html>another</html>");
    let told = maker.refused(&["pack", "--page", "-o", "page.html"]);
    assert!(told.contains("another version"), "{told}");
}

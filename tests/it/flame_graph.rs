//! Pictures of flame graphs, as the command line makes them.

use std::path::PathBuf;

use crate::folder::Folder;
use crate::render::read_png;

/// Writes stacks, and names the file.
fn stacks(folder: &Folder, name: &str, lines: &str) -> String {
    let path: PathBuf = folder.file(name);
    std::fs::write(&path, lines).expect("a file");
    path.to_str().expect("a path").to_owned()
}

/// What was drawn, and what was said.
fn drawn(folder: &Folder, arguments: &[&str]) -> (callscape::look::image::Image, String) {
    let mut all = arguments.to_vec();
    all.extend(["-o", "picture.png", "--size", "640x320"]);
    let run = folder.run(&all);
    let said = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.success(), "{said}");
    (read_png(&folder.file("picture.png")), said)
}

/// The colours in the middle of each row of bars at a share of the width, from the top, without repetitions.
fn column(image: &callscape::look::image::Image, share: f32) -> Vec<[u8; 3]> {
    let width = image.width as usize;
    let x = 10 + ((width - 20) as f32 * share) as usize;
    // Below the choices, above the legend.
    let rows = 50..image.height as usize - 30;
    let mut found: Vec<[u8; 3]> = rows
        .map(|y| {
            let at = (y * width + x) * 4;
            [image.rgba[at], image.rgba[at + 1], image.rgba[at + 2]]
        })
        .collect();
    found.dedup();
    found
}

#[test]
fn a_profile_without_times_is_drawn_as_merged_stacks() {
    let folder = Folder::new("flame-graph-profile");
    let file = stacks(
        &folder,
        "a.folded",
        "main;parse 60\nmain;sort;cmp 30\nmain 10\n",
    );
    let (graph, said) = drawn(&folder, &["render", &file, "--view", "flame-graph"]);
    assert_eq!(said, "");
    let (instead, said) = drawn(&folder, &["render", &file, "--view", "flame"]);
    let line = "callscape: a.folded has no times; drawing --view flame-graph instead\n";
    assert_eq!(said, line);
    assert!(instead.rgba == graph.rgba, "the same picture");
    // On the left the hottest callee, then the other with what it calls, then what is main's own.
    let depth = |share| column(&graph, share).len();
    assert!(
        depth(0.7) > depth(0.55),
        "{} and {}",
        depth(0.7),
        depth(0.55)
    );
    assert!(
        depth(0.55) > depth(0.95),
        "{} and {}",
        depth(0.55),
        depth(0.95)
    );
    // What is chosen is framed.
    let chosen = ["render", &file, "--view", "flame-graph", "--focus", "sort"];
    assert!(drawn(&folder, &chosen).0.rgba != graph.rgba);
}

#[test]
fn what_grew_and_shrank_is_coloured_and_what_is_gone_stays() {
    let folder = Folder::new("flame-graph-compared");
    let a = stacks(
        &folder,
        "a.folded",
        "main;less 70\nmain;gone 30\nmain;more 10\n",
    );
    let b = stacks(&folder, "b.folded", "main;less 20\nmain;more 90\n");
    let of = |a: &str, b: &str| {
        let arguments = ["compare", a, b, "--view", "flame-graph"];
        drawn(&folder, &arguments).0
    };
    let colours = |image: &callscape::look::image::Image, from: f32, to: f32| {
        let width = image.width as usize;
        let x = |share: f32| 10 + ((width - 20) as f32 * share) as usize;
        let mut sums = [0_usize; 2];
        for y in 50..image.height as usize - 30 {
            for x in x(from)..x(to) {
                let [r, b] = [0, 2].map(|it| i32::from(image.rgba[(y * width + x) * 4 + it]));
                sums[0] += usize::from(b > r + 40);
                sums[1] += usize::from(r > b + 40);
            }
        }
        sums
    };
    let image = of(&a, &b);
    // Of 140, B has 90 more, then 30 gone and 20 less: both are blue.
    let more = colours(&image, 0.05, 0.6);
    let less = colours(&image, 0.66, 0.99);
    assert!(more[1] > 1_000 && less[0] > 1_000, "{more:?} {less:?}");
    assert!(less[1] == 0, "{less:?}");
    // The other way round the one that is gone is new.
    let back = colours(&of(&b, &a), 0.0, 1.0);
    assert!(back[0] > 500 && back[1] > 500, "{back:?}");
}

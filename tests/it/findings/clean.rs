//! Programs with nothing wrong, recorded now: they have no finding but about the recording itself.

use super::super::common::Scratch;
use super::listed;
use super::recorded::{ATTEMPTS, Record, of_c, of_heap, of_node, of_python};
use serde_json::Value;

/// About what the recorder and the machine do, which no program can help.
const CARE: &str = "care";

/// Number of steps: each has a twentieth of the run.
const STEPS: usize = 20;

/// A program of alike steps.
struct Clean {
    name: &'static str,
    record: Record,
    /// A step, `@` being its number.
    step: &'static str,
    /// A call of it.
    call: &'static str,
    /// The program: `$` is replaced by the steps, `@` by the calls.
    program: &'static str,
}

impl Clean {
    fn source(&self) -> String {
        let all = |of: &str| -> String {
            let each = (0..STEPS).map(|number| of.replace('@', &number.to_string()));
            each.collect()
        };
        let program = self.program.replace('$', &all(self.step));
        program.replace('@', &all(self.call))
    }
}

#[rustfmt::skip]
const CLEAN: [Clean; 10] = [
    Clean { name: "stages", record: of_c, call: " stage_@();",
        step: "void stage_@(void) { for (int i = 0; i < 2000000; i++) n += i; }\n",
        program: "static volatile long n;\n$int main(void) {@ return 0; }\n" },
    Clean { name: "laps", record: of_c, call: " lap_@();",
        step: "void lap_@(void) { for (int i = 0; i < 400000; i++) n += i; }\n",
        program: "static volatile long n;\n$void round(void) {@ }\nint main(void) { for (int r = 0; r < 5; r++) round(); return 0; }\n" },
    Clean { name: "pairs", record: of_c, call: " both_@();",
        step: "void half_@(void) { for (int i = 0; i < 900000; i++) n += i; }\nvoid both_@(void) { half_@(); half_@(); }\n",
        program: "static volatile long n;\n$int main(void) {@ return 0; }\n" },
    Clean { name: "crews", record: of_c, call: " shift_@();",
        step: "void shift_@(void) { volatile long m = 0; for (int i = 0; i < 2500000; i++) m += i; }\n",
        program: "#include <pthread.h>\n$void *crew(void *of) {@ return of; }\nint main(void) { pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, crew, 0); for (int i = 0; i < 2; i++) pthread_join(t[i], 0); return 0; }\n" },
    Clean { name: "chapters", record: of_python, call: "    chapter_@()\n",
        step: "def chapter_@():\n    return 3 ** 60000 % 7\n", program: "$for _ in range(4):\n@" },
    Clean { name: "verses", record: of_python, call: "    verse_@()\n",
        step: "def verse_@():\n    return 3 ** 60000 % 7\n", program: "$def song():\n@for _ in range(5):\n    song()\n" },
    Clean { name: "sellers", record: of_python, call: "    shop.sell_@()\n",
        step: "    def price_@(self):\n        return 3 ** 60000 % 7\n    def sell_@(self):\n        return self.price_@() + self.price_@()\n", program: "class Shop:\n$shop = Shop()\nfor _ in range(3):\n@" },
    Clean { name: "fills", record: of_node, call: "s += fill_@(4e7);\n",
        step: "function fill_@(n) { let x = 0; for (let i = 0; i < n; i++) x = (x * 31 + i) | 0; return x; }\n", program: "$let s = 0;\n@console.log(s);\n" },
    Clean { name: "shelves", record: of_heap, call: " keep_@(all[@]);",
        step: "void keep_@(void **all) { for (int i = 0; i < 40; i++) all[i] = malloc(20000); }\n",
        program: "#include <stdlib.h>\n$int main(void) { static void *all[20][40];@ for (int i = 0; i < 20; i++) for (int k = 0; k < 40; k++) free(all[i][k]); return 0; }\n" },
    Clean { name: "buffers", record: of_heap, call: " fill_@();",
        step: "void fill_@(void) { void *all[8]; for (int i = 0; i < 8; i++) all[i] = malloc(60000); for (int i = 0; i < 8; i++) free(all[i]); }\n",
        program: "#include <stdlib.h>\n$int main(void) {@ return 0; }\n" },
];

#[test]
fn nothing_is_remarkable_about_programs_with_nothing_wrong() {
    let scratch = Scratch::new("findings-clean");
    for of in &CLEAN {
        // Found in every recording so far; `None` before the first.
        let mut remarkable: Option<Vec<Value>> = None;
        for attempt in 0..ATTEMPTS {
            let name = format!("{}_{attempt}", of.name);
            let Some(recording) = (of.record)(&scratch, &name, &of.source()) else {
                eprintln!("left out: {} was not recorded", of.name);
                break;
            };
            let mut found = listed(&recording);
            found.retain(|it| it["kind"] != CARE);
            if let Some(before) = remarkable {
                let is_same = |a: &Value, b: &Value| {
                    a["kind"] == b["kind"] && a["functions"] == b["functions"]
                };
                found.retain(|it| before.iter().any(|of| is_same(it, of)));
            }
            let is_clean = found.is_empty();
            remarkable = Some(found);
            if is_clean {
                break;
            }
        }
        let remarkable = remarkable.unwrap_or_default();
        assert!(remarkable.is_empty(), "{}: {remarkable:#?}", of.name);
    }
}

//! Traces of any size: the run of a made-up program with nested loops, hot leaves, recursion, threads and
//! phases. The same seed gives the same trace everywhere.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::random::Random;

/// Layers of the program: a function mostly calls functions of the next ones.
const LAYERS: u32 = 20;
/// Calls that are open at once on a thread at most.
const DEEPEST: usize = 60;

/// What to generate.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Of all threads together.
    pub calls: u64,
    pub functions: u32,
    pub threads: u32,
    pub seed: u64,
}

/// An enter or exit of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// Nanoseconds since the program began.
    pub time: u64,
    pub function: u32,
    pub enter: bool,
}

/// A place in a function that calls another.
#[derive(Clone, Copy)]
struct Site {
    callee: u32,
    /// How often of 256 it is reached.
    chance: u8,
    /// The most often that it runs in a row.
    loops: u32,
}

/// What every thread of a plan runs.
pub struct Program {
    pub(crate) plan: Plan,
    sites: Vec<Vec<Site>>,
}

impl Program {
    pub fn new(plan: Plan) -> Program {
        let mut random = Random(plan.seed);
        let functions = plan.functions.max(LAYERS * 2);
        let layer_size = functions / LAYERS;
        let hot = functions - layer_size.min(64);
        let sites = (0..functions).map(|function| {
            let layer = function / layer_size;
            if layer + 1 >= LAYERS {
                return Vec::new();
            }
            let site = |random: &mut Random| {
                let kind = random.below(100);
                let callee = if kind < 30 {
                    // Hot leaves, some hotter than others.
                    let leaf = random.below(64) * random.below(64) / 64;
                    (hot + leaf as u32).min(functions - 1)
                } else if kind < 34 {
                    function
                } else {
                    let layer = (layer + 1 + random.below(2) as u32).min(LAYERS - 1);
                    let near = function % layer_size + random.below(40) as u32;
                    layer * layer_size + near % layer_size
                };
                let loops = if random.below(8) == 0 { 30 } else { 3 };
                Site {
                    callee,
                    chance: 40 + random.below(200) as u8,
                    loops: 1 + random.below(loops) as u32,
                }
            };
            let count = 1 + random.below(6);
            (0..count).map(|_| site(&mut random)).collect()
        });
        let sites = sites.collect();
        Program { plan, sites }
    }

    pub fn threads(&self) -> u32 {
        self.plan.threads
    }

    pub fn functions(&self) -> u32 {
        self.sites.len() as u32
    }

    /// The name of a function, in a namespace of about 25.
    pub fn name(&self, function: u32) -> String {
        format!("unit{}::function{function}", function / 25)
    }

    /// The events of one thread in order of time.
    pub fn run(&self, thread: u32) -> Run<'_> {
        let threads = u64::from(self.plan.threads.max(1));
        let extra = u64::from(u64::from(thread) < self.plan.calls % threads);
        Run {
            program: self,
            random: Random(self.plan.seed ^ (u64::from(thread) + 1) << 32),
            left: self.plan.calls / threads + extra,
            total: self.plan.calls / threads + extra,
            request: 0,
            stack: Vec::new(),
            time: 1000 * u64::from(thread),
        }
    }
}

struct Frame {
    function: u32,
    site: usize,
    /// How often the site still runs.
    loops: u32,
}

/// A thread at work.
pub struct Run<'a> {
    program: &'a Program,
    random: Random,
    total: u64,
    /// Calls still to make, and those of the current request.
    left: u64,
    request: u64,
    stack: Vec<Frame>,
    time: u64,
}

impl Run<'_> {
    fn enter(&mut self, function: u32) -> Event {
        self.left -= 1;
        self.request = self.request.saturating_sub(1);
        self.stack.push(Frame {
            function,
            site: usize::MAX,
            loops: 0,
        });
        Event {
            time: self.time,
            function,
            enter: true,
        }
    }
}

impl Iterator for Run<'_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        let random = self.random.next();
        self.time += 15 + random % 64;
        if self.stack.is_empty() {
            return (self.left > 0).then(|| self.enter(0));
        }
        let depth = self.stack.len();
        let frame = self.stack.last_mut()?;
        let sites = &self.program.sites[frame.function as usize];
        if depth == 1 {
            // The main loop: requests of many sizes to functions that depend on the phase.
            if self.left > 0 {
                self.request = 100 << ((random >> 20) % 13);
                let phase = (self.total - self.left) * 8 / self.total;
                let layer_size = u64::from(self.program.functions() / LAYERS);
                let function = layer_size + (phase * 31 + (random >> 40) % 96) % layer_size;
                // Waiting for the next request.
                self.time += (random >> 8) % 20_000;
                return Some(self.enter(function as u32));
            }
        } else if self.left > 0 && self.request > 0 && depth < DEEPEST {
            let mut dice = random >> 16;
            loop {
                if frame.loops > 0 {
                    frame.loops -= 1;
                    let callee = sites[frame.site].callee;
                    return Some(self.enter(callee));
                }
                frame.site = frame.site.wrapping_add(1);
                let Some(site) = sites.get(frame.site) else {
                    break;
                };
                if (dice as u8) < site.chance {
                    frame.loops = 1 + (dice >> 8) as u32 % site.loops;
                }
                dice = dice.rotate_right(13) ^ random;
            }
        }
        if sites.is_empty() {
            // A leaf works: mostly a little, now and then for long.
            self.time +=
                (random >> 24) % (20 << ((random >> 50) % 256).leading_zeros().saturating_sub(56));
        }
        let function = frame.function;
        self.stack.pop();
        Some(Event {
            time: self.time,
            function,
            enter: false,
        })
    }
}

/// Where the made-up program lies in memory.
const BASE: u64 = 0x5555_5555_4000;
const CODE: u64 = 0x1000;

/// Writes a directory as `uftrace record` writes it.
pub fn write_uftrace(program: &Program, dir: &Path) -> io::Result<()> {
    std::fs::create_dir_all(dir)?;
    let file =
        |name: &str| Ok::<_, io::Error>(BufWriter::new(std::fs::File::create(dir.join(name))?));
    let (exe, session) = ("/src/generated", "0123456789abcdef");
    let tids: Vec<u32> = (0..program.plan.threads)
        .map(|thread| 1000 + thread)
        .collect();
    // Exit status, command line and task information; see `uftrace.h` for the header and `cmds/info.c`.
    let mut info = file("info")?;
    info.write_all(b"Ftrace!\0")?;
    info.write_all(&4u32.to_le_bytes())?;
    info.write_all(&[40, 0, 1, 2])?;
    let (features, infos) = (0x63u64, 0xcfu64);
    info.write_all(&features.to_le_bytes())?;
    info.write_all(&infos.to_le_bytes())?;
    info.write_all(&1024u16.to_le_bytes())?;
    info.write_all(&[0; 6])?;
    let list: Vec<String> = tids.iter().map(u32::to_string).collect();
    write!(
        info,
        "exename:{exe}\nbuild_id:{}\nexit_status:0\ncmdline:uftrace record {exe}\n",
        "0".repeat(40)
    )?;
    write!(
        info,
        "osinfo:lines=3\nosinfo:kernel=Linux\nosinfo:hostname=demo\nosinfo:distro=\"Debian\"\n"
    )?;
    write!(
        info,
        "taskinfo:lines=2\ntaskinfo:nr_tid={}\ntaskinfo:tids={}\n",
        tids.len(),
        list.join(",")
    )?;
    info.flush()?;
    file("default.opts")?.flush()?;
    let mut task = file("task.txt")?;
    writeln!(
        task,
        "SESS timestamp=0.000000001 pid=1000 sid={session} exename=\"{exe}\""
    )?;
    for tid in &tids {
        writeln!(task, "TASK timestamp=0.000000002 tid={tid} pid=1000")?;
    }
    task.flush()?;
    let code_end = CODE + 16 * u64::from(program.functions());
    let mut map = file(&format!("sid-{session}.map"))?;
    let end = BASE + code_end.next_multiple_of(4096);
    writeln!(
        map,
        "{BASE:012x}-{end:012x} r-xp 00000000 00:00 0                          {exe}"
    )?;
    let stack = 0x7ffd_0000_0000u64;
    writeln!(
        map,
        "{stack:012x}-{:012x} rw-p 00000000 00:00 0                          [stack]",
        stack + 0x21000
    )?;
    map.flush()?;
    let mut symbols = file("generated.sym")?;
    writeln!(symbols, "# symbols: {}", program.functions())?;
    writeln!(symbols, "# path name: {exe}\n# build-id: ")?;
    for function in 0..program.functions() {
        let at = CODE + 16 * u64::from(function);
        writeln!(symbols, "{at:016x} T {}", program.name(function))?;
    }
    writeln!(symbols, "{code_end:016x} ? __sym_end")?;
    symbols.flush()?;
    for (thread, tid) in tids.iter().enumerate() {
        let mut records = file(&format!("{tid}.dat"))?;
        let mut depth = 0u64;
        for event in program.run(thread as u32) {
            let exit = !event.enter;
            if exit {
                depth -= 1;
            }
            let address = BASE + CODE + 16 * u64::from(event.function);
            let word = u64::from(exit) | 5 << 3 | depth << 6 | address << 16;
            records.write_all(&(1_000_000 + event.time).to_le_bytes())?;
            records.write_all(&word.to_le_bytes())?;
            depth += u64::from(event.enter);
        }
        records.flush()?;
    }
    Ok(())
}

/// Writes a Chrome trace in JSON, all threads in order of time.
pub fn write_chrome(program: &Program, out: &mut impl Write) -> io::Result<()> {
    out.write_all(b"{\"traceEvents\":[\n")?;
    let mut runs: Vec<_> = (0..program.plan.threads)
        .map(|thread| program.run(thread).peekable())
        .collect();
    let mut separator = "";
    loop {
        let heads = runs.iter_mut().enumerate();
        let next = heads.filter_map(|(thread, run)| Some((run.peek()?.time, thread)));
        let Some((_, thread)) = next.min() else {
            break;
        };
        let Some(event) = runs[thread].next() else {
            break;
        };
        write!(
            out,
            "{separator}{{\"name\":\"{}\",\"ph\":\"{}\",\"ts\":{}.{:03},\"pid\":1,\"tid\":{}}}",
            program.name(event.function),
            if event.enter { 'B' } else { 'E' },
            event.time / 1000,
            event.time % 1000,
            thread + 1,
        )?;
        separator = ",\n";
    }
    out.write_all(b"\n]}\n")
}

//! Events of MOJO, versions 1 to 4.

use std::collections::HashMap;
use std::rc::Rc;

use super::super::error::ImportError;
use super::super::input::Input;
use super::super::stream::Window;
use super::super::text;
use super::stacks::{Stacks, Weight};
use callscape_base::progress::Progress;
use callscape_base::units::FunctionId;
use callscape_base::warnings::Place;
use callscape_facts::functions::Function;
use callscape_facts::hashing::BuildFast;

/// The string that stands for a name that is not known; it is never written.
const UNKNOWN: i128 = 1;

/// As many frames as austin reads of a stack: more come of damage, where one stack repeats on another again and again.
const DEEPEST: usize = 4096;

/// A frame. If a stack repeats the one before it, native frames outside of the interpreter are written again.
#[derive(Clone, Copy)]
struct Frame {
    function: FunctionId,
    is_native: bool,
}

/// The stack whose events come next.
struct Open {
    process: i128,
    thread: Rc<str>,
    frames: Vec<Frame>,
    weight: Weight,
    has_weight: bool,
}

/// Why reading ends.
enum Stop {
    /// The file ends within an event.
    Cut,
    Error(ImportError),
}

impl From<ImportError> for Stop {
    fn from(error: ImportError) -> Stop {
        Stop::Error(error)
    }
}

struct Mojo<'a, 's, 'r> {
    window: Window<'a>,
    stacks: &'s mut Stacks<'r>,
    version: i128,
    /// By process and key.
    strings: HashMap<(i128, i128), Rc<str>, BuildFast>,
    frames: HashMap<(i128, i128), Frame, BuildFast>,
    /// The last stack of each thread.
    last: HashMap<(i128, Rc<str>), Vec<Frame>, BuildFast>,
    open: Option<Open>,
    /// Frames that follow of a task.
    of_task: i128,
}

/// Reads the samples of a binary recording.
pub(super) fn read(
    input: &Input,
    progress: &Progress,
    stacks: &mut Stacks<'_>,
) -> Result<(), ImportError> {
    let mut window = Window::open_binary(input, progress, stacks.reporter)?;
    window.consume(b"MOJ".len());
    let mut mojo = Mojo {
        window,
        stacks,
        version: 0,
        strings: HashMap::default(),
        frames: HashMap::default(),
        last: HashMap::default(),
        open: None,
        of_task: 0,
    };
    match mojo.events() {
        Err(Stop::Error(error)) => return Err(error),
        Err(Stop::Cut) => mojo.warn("truncated-file"),
        Ok(()) => {}
    }
    mojo.close();
    Ok(())
}

impl Mojo<'_, '_, '_> {
    fn place(&self) -> Place {
        self.window.place(self.window.offset())
    }

    fn warn(&self, kind: &'static str) {
        self.stacks.reporter.warn(kind, || self.place());
    }

    fn byte(&mut self) -> Result<u8, Stop> {
        if !self.window.have(1)? {
            return Err(Stop::Cut);
        }
        let byte = self.window.data().first().copied().ok_or(Stop::Cut)?;
        self.window.consume(1);
        Ok(byte)
    }

    /// Six bits with a sign, then seven a byte, the lowest first.
    fn number(&mut self) -> Result<i128, Stop> {
        let mut byte = self.byte()?;
        let is_negative = byte & 0x40 != 0;
        let mut value = i128::from(byte & 0x3f);
        let mut shift = 6;
        while byte & 0x80 != 0 {
            byte = self.byte()?;
            // Sixty-four bits take ten bytes.
            if shift > 69 {
                let found = "a longer one";
                let expected = "a number of 64 bits";
                return Err(ImportError::malformed(self.place(), expected, found).into());
            }
            value |= i128::from(byte & 0x7f) << shift;
            shift += 7;
        }
        Ok(if is_negative { -value } else { value })
    }

    /// A number that is added up; 0 of one that does not fit, which is counted.
    fn amount(&mut self) -> Result<i64, Stop> {
        let number = self.number()?;
        Ok(i64::try_from(number).unwrap_or_else(|_| {
            self.warn("number-out-of-range");
            0
        }))
    }

    /// Skips `count` numbers.
    fn pass(&mut self, count: usize) -> Result<(), Stop> {
        for _ in 0..count {
            self.number()?;
        }
        Ok(())
    }

    /// What ends with a zero.
    fn text(&mut self) -> Result<Rc<str>, Stop> {
        let mut searched = 0;
        let length = loop {
            let data = self.window.data();
            if let Some(at) = memchr::memchr(0, &data[searched..]) {
                break searched + at;
            }
            searched = data.len();
            if !self.window.more()? {
                return Err(Stop::Cut);
            }
        };
        let (text, is_sound) = text::checked(&self.window.data()[..length]);
        let text: Rc<str> = text.as_ref().into();
        if !is_sound {
            self.warn("invalid-text");
        }
        self.window.consume(length + 1);
        Ok(text)
    }

    fn events(&mut self) -> Result<(), Stop> {
        self.version = self.number()?;
        while self.window.have(1)? {
            let event = self.byte()?;
            self.event(event)?;
        }
        Ok(())
    }

    fn event(&mut self, event: u8) -> Result<(), Stop> {
        match event {
            1 => {
                let (key, value) = (self.text()?, self.text()?);
                self.stacks.note(&key, &value);
            }
            2 => self.stack()?,
            3 => self.frame()?,
            4 => self.special(":INVALID:"),
            5 => {
                let key = self.number()?;
                self.refer(key);
            }
            6 => {
                let name = self.text()?;
                let function = self.stacks.functions.intern(Function {
                    name: &name,
                    library: "[kernel]",
                    ..Function::default()
                });
                self.push(function, true);
            }
            7 => self.special(":GC:"),
            8 => self.weigh(|weight| weight.is_idle = true),
            9 => {
                let time = self.amount()?;
                self.metric(|weight| weight.time = time);
            }
            10 => {
                let memory = self.amount()?;
                self.metric(|weight| weight.memory = memory);
            }
            11 => {
                let (key, text) = (self.number()?, self.text()?);
                self.strings.insert((self.process(), key), text);
            }
            12 | 16 => self.pass(1)?,
            13 => self.repeat(),
            14 => {
                self.pass(2)?;
                self.of_task = self.number()?;
                self.warn("task-not-shown");
            }
            15 => self.pass(2)?,
            other => {
                let found = format!("the event {other}");
                let error = ImportError::malformed(self.place(), "an event of MOJO", found);
                return Err(error.into());
            }
        }
        Ok(())
    }

    /// References are those of a process.
    fn process(&self) -> i128 {
        self.open.as_ref().map_or(0, |open| open.process)
    }

    fn stack(&mut self) -> Result<(), Stop> {
        // The next stack ends the one before it.
        self.close();
        let process = self.number()?;
        let interpreter = match self.version {
            ..3 => None,
            _ => Some(self.number()?),
        };
        let thread = self.text()?;
        // Text has the number of a thread in decimal digits.
        let number = i64::from_str_radix(&thread, 16);
        let thread = number.map_or(thread.to_string(), |it| it.to_string());
        let thread = match interpreter {
            Some(interpreter) => format!("T{interpreter}:{thread}"),
            None => format!("T{thread}"),
        };
        self.of_task = 0;
        self.open = Some(Open {
            process,
            thread: thread.into(),
            frames: Vec::new(),
            weight: Weight::default(),
            has_weight: false,
        });
        Ok(())
    }

    /// A frame that is referred to later.
    fn frame(&mut self) -> Result<(), Stop> {
        let [key, file, name, _line] = [
            self.number()?,
            self.number()?,
            self.number()?,
            self.number()?,
        ];
        if self.version > 1 {
            self.pass(3)?;
        }
        let [file, name] = [file, name].map(|key| {
            let text = self.strings.get(&(self.process(), key)).cloned();
            text.unwrap_or_else(|| {
                if key != UNKNOWN {
                    self.warn("unknown-id");
                }
                "<unknown>".into()
            })
        });
        let function = self.stacks.functions.intern(Function {
            name: &name,
            file: &file,
            ..Function::default()
        });
        let is_native = !(file.ends_with(".py") || file.starts_with('<') && file.ends_with('>'));
        let process = self.process();
        self.frames.insert(
            (process, key),
            Frame {
                function,
                is_native,
            },
        );
        Ok(())
    }

    fn refer(&mut self, key: i128) {
        if self.of_task > 0 {
            self.of_task -= 1;
            return;
        }
        match self.frames.get(&(self.process(), key)).copied() {
            Some(frame) => self.push(frame.function, frame.is_native),
            None => self.warn("unknown-frame"),
        }
    }

    fn special(&mut self, name: &str) {
        let function = self.stacks.bare(name);
        self.push(function, true);
    }

    fn push(&mut self, function: FunctionId, is_native: bool) {
        match &mut self.open {
            Some(open) => open.frames.push(Frame {
                function,
                is_native,
            }),
            None => self.warn("frame-without-stack"),
        }
    }

    /// Adds the frames of the thread's last stack below the new ones.
    fn repeat(&mut self) {
        let Some(open) = &mut self.open else {
            return self.warn("frame-without-stack");
        };
        let key = (open.process, Rc::clone(&open.thread));
        let mut frames = self.last.get(&key).cloned().unwrap_or_default();
        while frames.last().is_some_and(|frame| frame.is_native) {
            frames.pop();
        }
        frames.append(&mut open.frames);
        let is_cut = frames.len() > DEEPEST;
        frames.truncate(DEEPEST);
        open.frames = frames;
        if is_cut {
            self.warn("stack-cut");
        }
    }

    fn weigh(&mut self, change: impl FnOnce(&mut Weight)) {
        match &mut self.open {
            Some(open) => change(&mut open.weight),
            None => self.warn("count-without-stack"),
        }
    }

    fn metric(&mut self, change: impl FnOnce(&mut Weight)) {
        self.weigh(change);
        if let Some(open) = &mut self.open {
            open.has_weight = true;
        }
    }

    /// Takes the stack that is open.
    fn close(&mut self) {
        let Some(open) = self.open.take() else {
            return;
        };
        if !open.has_weight {
            return self.warn("missing-count");
        }
        let outer = [
            self.stacks.bare(&format!("P{}", open.process)),
            self.stacks.bare(&open.thread),
        ];
        let frames = open.frames.iter().map(|frame| frame.function);
        let place = self.place();
        self.stacks
            .add(outer.into_iter().chain(frames), open.weight, || {
                place.clone()
            });
        if self.version > 3 {
            self.last.insert((open.process, open.thread), open.frames);
        }
    }
}

//! Traces written after the description of the format, in both of its encodings of headers.

use super::*;
use crate::made;

#[derive(Default)]
struct Writer {
    file: Vec<u8>,
}

fn text(text: &str) -> Vec<u8> {
    let units = text.encode_utf16().chain([0]);
    units.flat_map(u16::to_le_bytes).collect()
}

fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let byte = (number & 0x7f) as u8;
        number >>= 7;
        bytes.push(byte | if number > 0 { 0x80 } else { 0 });
        if number == 0 {
            return bytes;
        }
    }
}

/// An event: description, thread, stack, time and payload.
type Event = (u32, u64, u32, u64, Vec<u8>);

impl Writer {
    fn new(frequency: u64, pointer: u32) -> Writer {
        let mut writer = Writer {
            file: BEGINNING.to_vec(),
        };
        writer.begin("Trace", 4);
        writer.file.extend([0; 16]);
        writer.file.extend(1_000_u64.to_le_bytes());
        writer.file.extend(frequency.to_le_bytes());
        for number in [pointer, 77, 4, 1_000_000] {
            writer.file.extend(number.to_le_bytes());
        }
        writer.file.push(END);
        writer
    }

    fn begin(&mut self, name: &str, version: u32) {
        self.file.extend([BEGIN, BEGIN, NULL]);
        for number in [version, version, name.len() as u32] {
            self.file.extend(number.to_le_bytes());
        }
        self.file.extend(name.as_bytes());
        self.file.push(END);
    }

    fn block(&mut self, name: &str, content: &[u8]) {
        self.begin(name, 2);
        self.file.extend((content.len() as u32).to_le_bytes());
        self.file.resize(self.file.len().next_multiple_of(4), 0);
        self.file.extend(content);
        self.file.push(END);
    }

    fn events(&mut self, name: &str, compressed: bool, events: &[Event]) {
        let mut block = Vec::new();
        block.extend(20_u16.to_le_bytes());
        block.extend(u16::from(compressed).to_le_bytes());
        block.extend([0; 16]);
        let mut last = (0, 0, 0, 0, Vec::new());
        for event in events {
            let (metadata, thread, stack, time, payload) = event;
            if compressed {
                let flags = u8::from(*metadata != last.0)
                    | u8::from(*thread != last.1) << 2
                    | u8::from(*stack != last.2) << 3
                    | u8::from(payload.len() != last.4.len()) << 7;
                block.push(flags);
                let fields = [
                    (1, u64::from(*metadata)),
                    (4, *thread),
                    (8, u64::from(*stack)),
                ];
                for (_, number) in fields.into_iter().filter(|it| flags & it.0 != 0) {
                    block.extend(varint(number));
                }
                block.extend(varint(time.wrapping_sub(last.3)));
                if flags & 128 != 0 {
                    block.extend(varint(payload.len() as u64));
                }
                block.extend(payload);
                last = event.clone();
                continue;
            }
            block.extend((80 - 4 + payload.len() as u32).to_le_bytes());
            block.extend((metadata | 1 << 31).to_le_bytes());
            block.extend(5_u32.to_le_bytes());
            block.extend(thread.to_le_bytes());
            block.extend([0; 12]);
            block.extend(stack.to_le_bytes());
            block.extend(time.to_le_bytes());
            block.extend([0; 32]);
            block.extend((payload.len() as u32).to_le_bytes());
            block.extend(payload);
            block.resize(block.len().next_multiple_of(4), 0);
        }
        self.block(name, &block);
    }

    fn stacks(&mut self, first: u32, pointer: usize, stacks: &[&[u64]]) {
        let mut block = first.to_le_bytes().to_vec();
        block.extend((stacks.len() as u32).to_le_bytes());
        for stack in stacks {
            block.extend(((stack.len() * pointer) as u32).to_le_bytes());
            for address in *stack {
                block.extend(&address.to_le_bytes()[..pointer]);
            }
        }
        self.block("StackBlock", &block);
    }
}

fn description(number: u32, provider: &str, event: u32) -> Event {
    let mut payload = number.to_le_bytes().to_vec();
    payload.extend(text(provider));
    payload.extend(event.to_le_bytes());
    payload.extend(text("a name"));
    payload.extend([0; 20]);
    (0, 0, 0, 0, payload)
}

fn method(start: u64, size: u32, class: &str, name: &str) -> Vec<u8> {
    let mut payload = Vec::new();
    for number in [start, 9, start] {
        payload.extend(number.to_le_bytes());
    }
    payload.extend(size.to_le_bytes());
    payload.extend([0; 8]);
    for part in [class, name, "void  (int32)"] {
        payload.extend(text(part));
    }
    payload.extend([0; 10]);
    payload
}

/// Two threads: the first goes through `main` into `work` and back, the second is somewhere unknown.
fn made_trace(compressed: bool, pointer: usize) -> Vec<u8> {
    let mut writer = Writer::new(1_000_000, pointer as u32);
    const RUNDOWN: &str = "Microsoft-Windows-DotNETRuntimeRundown";
    let descriptions = [
        description(1, "Microsoft-DotNETCore-SampleProfiler", 0),
        description(2, RUNDOWN, 144),
        description(3, RUNDOWN, 154),
        description(4, "System.Runtime", 1),
    ];
    writer.events("MetadataBlock", compressed, &descriptions);
    let kind = vec![2, 0, 0, 0];
    writer.stacks(1, pointer, &[&[0x1010], &[0x2004, 0x1020]]);
    writer.events(
        "EventBlock",
        compressed,
        &[
            (1, 5, 1, 2_000, kind.clone()),
            (1, 5, 2, 3_000, kind.clone()),
            (4, 5, 0, 3_500, Vec::new()),
        ],
    );
    // Numbers of stacks are new behind it.
    writer.block("SPBlock", &[0; 12]);
    writer.stacks(1, pointer, &[&[0x9999], &[0x1010]]);
    writer.events(
        "EventBlock",
        compressed,
        &[
            (1, 6, 1, 4_000, kind.clone()),
            (1, 5, 2, 5_000, kind.clone()),
            (1, 6, 7, 5_000, kind),
        ],
    );
    let mut module = 9_u64.to_le_bytes().to_vec();
    module.extend([0; 16]);
    module.extend(text("/app/app.dll"));
    // The end of a method belongs to it where it is the address that a call returns to.
    writer.events(
        "EventBlock",
        compressed,
        &[
            (2, 0, 0, 9_000, method(0x2000, 0x10, "App", "Work")),
            (2, 0, 0, 9_000, method(0x1000, 0x20, "App", "Main")),
            (3, 0, 0, 9_000, module),
        ],
    );
    writer.file.push(NULL);
    writer.file
}

#[test]
fn samples_are_calls_of_methods_in_both_encodings() {
    for (compressed, pointer) in [(true, 8), (false, 8), (true, 4), (false, 4)] {
        let file = made_trace(compressed, pointer);
        let recording = made::found(FORMAT, &file);
        assert_eq!(
            made::linked_calls(&recording),
            [
                ": App.Main(int32) 0+4000000 ^0",
                ": App.Work(int32) 1000000+2000000 ^1",
                ": (unknown) 2000000+1000000 ^0",
            ]
        );
        let threads = recording.threads().iter();
        let threads: Vec<_> = threads.map(|it| (&*it.process, &*it.id)).collect();
        assert_eq!(threads, [("77", "5"), ("77", "6")]);
        let library = recording
            .functions
            .ids()
            .map(|it| recording.functions.get(it).library);
        assert!(library.into_iter().any(|it| it == "app.dll"));
        assert_eq!(recording.samples, 4);
        let mut kinds = made::kinds(&recording);
        kinds.sort_unstable();
        assert_eq!(
            kinds,
            ["event-not-shown", "sample-without-stack", "unknown-address"]
        );
    }
}

#[test]
fn cut_and_damaged_traces_are_borne() {
    for compressed in [true, false] {
        made::survives(import, &made_trace(compressed, 8));
    }
}

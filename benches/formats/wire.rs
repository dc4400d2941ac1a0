//! Recordings of a program in the formats of protocol buffers.

use std::io::Write;

use super::program::{FUNCTIONS, Program, name};
use super::text::{Out, spans};
use callscape_testing::wire::{bytes, message, number, varint};

pub fn write_pprof(program: &Program, out: Out<'_>) -> std::io::Result<()> {
    let mut all = Vec::new();
    for (kind, unit) in [(1, 2), (3, 4)] {
        message(1, &mut all, |it| {
            number(1, kind, it);
            number(2, unit, it);
        });
    }
    for (at, &context) in program.samples.iter().enumerate().step_by(4) {
        message(2, &mut all, |it| {
            let mut ids = Vec::new();
            for around in program.stack(context) {
                // Several addresses a function, as programs have.
                let function = u64::from(program.contexts[around as usize].1);
                varint(function * 4 + u64::from(around % 4) + 1, &mut ids);
            }
            bytes(1, &ids, it);
            let mut values = Vec::new();
            varint(1, &mut values);
            varint(10_000_000 + at as u64 % 1000, &mut values);
            bytes(2, &values, it);
        });
    }
    for location in 0..u64::from(FUNCTIONS) * 4 {
        message(4, &mut all, |it| {
            number(1, location + 1, it);
            number(3, 0x40_0000 + location * 16, it);
            message(4, it, |line| {
                number(1, location / 4 + 1, line);
                number(2, location % 1000, line);
            });
        });
    }
    for function in 0..u64::from(FUNCTIONS) {
        message(5, &mut all, |it| {
            number(1, function + 1, it);
            number(2, function + 5, it);
        });
    }
    for text in ["", "samples", "count", "cpu", "nanoseconds"] {
        bytes(6, text.as_bytes(), &mut all);
    }
    for function in 0..FUNCTIONS {
        bytes(6, name(function).as_bytes(), &mut all);
    }
    out.write_all(&all)
}

pub fn write_perfetto(program: &Program, out: Out<'_>) -> std::io::Result<()> {
    let mut packet = Vec::new();
    let mut emit = |fill: &mut dyn FnMut(&mut Vec<u8>)| {
        packet.clear();
        message(1, &mut packet, |it| fill(it));
        out.write_all(&packet)
    };
    emit(&mut |it| {
        number(10, 1, it);
        message(60, it, |track| {
            number(1, 7, track);
            message(4, track, |thread| {
                number(1, 1, thread);
                number(2, 2, thread);
            });
        });
    })?;
    emit(&mut |it| {
        number(8, 1, it);
        number(10, 1, it);
        number(13, 1, it);
        message(12, it, |interned| {
            for function in 0..FUNCTIONS {
                message(2, interned, |entry| {
                    number(1, u64::from(function) + 1, entry);
                    bytes(2, name(function).as_bytes(), entry);
                });
            }
        });
    })?;
    let mut event = |time: u64, begin: Option<u32>| {
        emit(&mut |it| {
            number(8, 1_000_000_000 + time, it);
            number(10, 1, it);
            number(13, 2, it);
            message(11, it, |event| {
                number(9, if begin.is_some() { 1 } else { 2 }, event);
                number(11, 7, event);
                if let Some(function) = begin {
                    number(10, u64::from(function) + 1, event);
                }
            });
        })
    };
    let (mut open, mut time) = (vec![0_u32], 0);
    for &context in &program.samples {
        time += 400;
        while let Some(&top) = open.last()
            && program.stack(context).all(|around| around != top)
        {
            open.pop();
            event(time, None)?;
            time += 40;
        }
        let top = open.last().copied();
        let new: Vec<u32> = program
            .stack(context)
            .take_while(|&it| Some(it) != top)
            .collect();
        for &context in new.iter().rev() {
            event(time, Some(program.contexts[context as usize].1))?;
            time += 40;
            open.push(context);
        }
    }
    Ok(())
}

pub fn write_otlp_protobuf(program: &Program, out: Out<'_>) -> std::io::Result<()> {
    let fixed = |field: u64, value: u64, out: &mut Vec<u8>| {
        varint(field << 3 | 1, out);
        out.extend_from_slice(&value.to_le_bytes());
    };
    let attribute = |key: &str, out: &mut Vec<u8>, value: &dyn Fn(&mut Vec<u8>)| {
        bytes(1, key.as_bytes(), out);
        message(2, out, |out| value(out));
    };
    /// What the Collector sends together.
    const BATCH: usize = 8192;
    let all: Vec<_> = spans(program).collect();
    for batch in all.chunks(BATCH) {
        let mut request = Vec::new();
        message(1, &mut request, |resource| {
            message(1, resource, |it| {
                message(1, it, |out| {
                    attribute("service.name", out, &|out| bytes(1, b"shop", out));
                });
            });
            message(2, resource, |scope| {
                for &(place, parent, function, start, length) in batch {
                    message(2, scope, |span| {
                        bytes(1, b"0123456789abcdef", span);
                        bytes(2, &(place + 1).to_be_bytes(), span);
                        if let Some(parent) = parent {
                            bytes(4, &(parent + 1).to_be_bytes(), span);
                        }
                        bytes(5, name(function).as_bytes(), span);
                        number(6, 2, span);
                        fixed(7, start, span);
                        fixed(8, start + length, span);
                        message(9, span, |out| {
                            attribute("thread.id", out, &|out| number(3, 7, out));
                        });
                    });
                }
            });
        });
        out.write_all(&request)?;
    }
    Ok(())
}

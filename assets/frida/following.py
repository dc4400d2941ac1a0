"""Follows processes into the programs that they become: these wait where they begin, until they are recorded.

A process asks before (`execute` in calls.c), through a fifo, and waits for the answer. Then it is traced until the other
program is there, in which it gets a page with the code below, and the loader is told that the program begins in it. It waits
there, and asks for no more than that somebody reads the fifo: where this process has ended, all that wait go on.
"""

import os
import select
import stat
import struct
import time

from stopping import (
    CONTINUE, DETACH, EXEC, INSTRUCTION_POINTER, INTERRUPT, LISTEN, LOOK, MARK_SYSTEM_CALLS, SEIZE, SET_REGISTERS, SINGLE_STEP,
    STACK_POINTER, STOP, STOPPING, SYSTEM_CALL, TELL_EXEC, TO_SYSTEM_CALL, TRAP, ptrace, registers_of, state_of, stop_of,
)

# A message in the fifo: who asks, and four values.
MESSAGE = struct.Struct("<5Q")
# The answer in calls.c.
GO = 1
# From a program that waits where it begins, in place of who asks; others are greater.
BEGINS = 1
# It is waited for a program to begin, and calls.c and the code below wait for this: a minute.
PATIENCE = 60
REQUESTS = "requests"
STRIPPED = "it has no names of functions (it is stripped)"

# x86-64: tells the program its true beginning (auxv), opens the fifo, writes the message, and polls for a millisecond at a
# time, until `go` is set, nobody reads the fifo any more, or a minute has passed. Then it goes to the beginning with all
# registers as they were. Frida runs code in the process meanwhile, which ends at a wrong address that Frida waits for: where
# that is gone, a handler of SIGSEGV, which lasts as long, leads back here.
WAIT = bytes.fromhex(
    "f30f1efa"                                                    # endbr64
    "5051525657415041514152415353" "4154" "4883ec10"              # push all that it changes; sub rsp, 16
    "488b0569010000" "488b0d6a010000" "488901"                    # [slot] = entry
    "b802000000" "488d3dd3010000" "be01080800" "0f05"             # open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
    "85c0" "0f889f000000" "89c3"                                  # if negative: out
    "891c24" "c744240400000000" "48892540010000"                  # pollfd at rsp; saved = rsp
    "b80d000000" "bf0b000000" "488d3537010000" "488d1550010000" "41ba08000000" "0f05"  # rt_sigaction(11, action, old, 8)
    "b801000000" "89df" "488d355a010000" "ba28000000" "0f05"      # write(file, message, 40)
    "83f828" "752d" "41bc60ea0000"                                # if not 40: over; r12 = 60,000
    "833de100000000" "751e"                                       # wait: if go: over
    "b807000000" "4889e7" "be01000000" "ba01000000" "0f05"        # poll(rsp, 1, 1)
    "83f801" "7405" "41ffcc" "75d9"                               # if 1: over; if --r12: wait
    "b80d000000" "bf0b000000" "488d35f0000000" "31d2" "41ba08000000" "0f05"  # over: rt_sigaction(11, old, 0, 8)
    "b803000000" "89df" "0f05"                                    # close(file)
    "4883c410" "415c" "5b415b415a415941585f5e5a5958" "ff258b000000"  # out: pop; jmp [entry]
    "f30f1efa" "488b2590000000" "8b1c24" "ebb2"                   # handler: rsp = saved; over
)
# Behind the code: go, entry, slot, saved, action, old, message, path.
DATA, HANDLER, PAGE = 0x180, 0xfd, 4096
LONGEST = PAGE - DATA - 4 * 8 - 2 * 32 - MESSAGE.size - 1
# Of an action: SA_RESTORER, which is needed and not used, and SA_NODEFER.
FLAGS = 0x44000000
# In the registers that ptrace tells, and system calls of x86-64.
RAX, RDI, RSI, RDX, R10, R8, R9, ORIGINAL = 10, 14, 13, 12, 7, 9, 8, 15
MMAP, EXECVE, EXECVEAT, READ_WRITE_RUN, PRIVATE_ANONYMOUS = 9, 59, 322, 7, 0x22
INSTRUCTION = b"\x0f\x05"
# What is told of a system call that has begun, and so many stops at most until it has.
BEGUN, TURNS = (1 << 64) - 38, 1000
NONE = (1 << 64) - 1
# Of the auxiliary vector.
ENTRY = 9
# So much is read of a stack, and of a path.
STACK, PATH = 16 << 20, 4096
# How a process names what it has open.
OPEN = b"/proc/self/fd/"
# Scripts that run scripts.
MOST_STEPS = 5


class Entrance:
    """A process that becomes another program, until that waits where it begins, with its libraries loaded."""

    def __init__(self, pid, thread, fifo, number):
        self.pid, self.thread, self.fifo, self.number = pid, thread, fifo, number
        self.signals, self.page, self.turns = [], None, 0
        self.until = time.monotonic() + PATIENCE
        ptrace(SEIZE, thread, TELL_EXEC | MARK_SYSTEM_CALLS)

    def follow(self, at, nonce):
        """Answers a thread that asks, and follows it through its system calls; whether it still waited for that."""
        ptrace(INTERRUPT, self.thread)
        self.await_stop()
        if word_at(self.pid, at) != nonce:
            self.detach()
            return False
        answer_at(self.pid, at, GO)
        ptrace(TO_SYSTEM_CALL, self.thread)
        return True

    def look(self):
        """Prepares the program once it is there. Gives whether that is done; None so far."""
        # A thread that is not the first one becomes that.
        for one in {self.thread, self.pid}:
            try:
                stop = stop_of(one)
            except ChildProcessError:
                if one == self.thread and one == self.pid:
                    raise
                continue
            if stop is None:
                continue
            signal, event = stop
            if event == EXEC:
                self.prepare()
                return True
            if signal == SYSTEM_CALL and self.is_over(one):
                self.detach()
                return False
            if event == STOP and signal != TRAP:
                ptrace(LISTEN, one)
            else:
                is_signal = event == 0 and signal != SYSTEM_CALL
                ptrace(TO_SYSTEM_CALL if self.turns else CONTINUE, one, signal if is_signal else 0)
        return None

    def is_over(self, thread):
        """Whether the thread has not become another program, or does something else."""
        registers = registers_of(thread)
        self.turns += 1
        has_failed = registers[ORIGINAL] in (EXECVE, EXECVEAT) and registers[RAX] not in (0, BEGUN)
        return has_failed or self.turns > TURNS

    def detach(self):
        ptrace(DETACH, self.thread, self.signals.pop(0) if self.signals else 0)
        for signal in self.signals:
            os.kill(self.pid, signal)

    def leave(self):
        """Lets a process go that has not become another program."""
        try:
            ptrace(INTERRUPT, self.thread)
            self.await_stop()
            self.detach()
        except OSError:
            pass  # It has ended.

    def await_stop(self):
        """The next stop that is no signal's."""
        until = time.monotonic() + STOPPING
        while time.monotonic() < until:
            stop = stop_of(self.thread)
            if stop is None:
                time.sleep(LOOK)
                continue
            signal, event = stop
            if event or signal in (TRAP, SYSTEM_CALL):
                return
            self.signals.append(signal)
            ptrace(CONTINUE, self.thread)
        raise TimeoutError(f"process {self.pid} does not stop")

    def turn(self, request):
        """Goes on to the next stop that is no signal's, which comes at once."""
        ptrace(request, self.pid)
        until = time.monotonic() + STOPPING
        while time.monotonic() < until:
            stop = stop_of(self.pid)
            if stop is None:
                continue
            signal, event = stop
            if signal in (TRAP, SYSTEM_CALL) and event == 0:
                return
            if event == 0:
                self.signals.append(signal)
            ptrace(request, self.pid)
        raise TimeoutError(f"process {self.pid} does not stop")

    def prepare(self):
        """Has the program begin in a page of ours, where it has stopped before its loader runs."""
        pid = self.thread = self.pid
        try:
            self.turn(TO_SYSTEM_CALL)
            before = registers_of(pid)
            with open(f"/proc/{pid}/mem", "r+b", buffering=0) as memory:
                entry, slot = self.entry(memory, before[STACK_POINTER])
                changed = type(before)(*before)
                changed[INSTRUCTION_POINTER] = self.system_call(memory, before[INSTRUCTION_POINTER])
                changed[ORIGINAL] = NONE
                for at, value in ((RAX, MMAP), (RDI, 0), (RSI, PAGE), (RDX, READ_WRITE_RUN), (R10, PRIVATE_ANONYMOUS), (R8, NONE), (R9, 0)):
                    changed[at] = value
                ptrace(SET_REGISTERS, pid, changed)
                self.turn(SINGLE_STEP)
                after = registers_of(pid)
                ptrace(SET_REGISTERS, pid, before)
                page = after[RAX]
                if page > NONE - PAGE:
                    raise MemoryError(f"process {pid} gets no memory")
                handler = page + HANDLER
                data = struct.pack("<8Q32x", 0, entry, slot, 0, handler, FLAGS, handler, 0)
                data += MESSAGE.pack(BEGINS, self.number, 0, 0, 0) + self.fifo + b"\0"
                write(memory, page, WAIT.ljust(DATA, b"\0") + data)
                write(memory, slot, struct.pack("<Q", page))
                self.page = page
        finally:
            self.detach()

    def entry(self, memory, stack):
        """Where the program begins, and where its loader finds that: behind its arguments and environment."""
        with open(f"/proc/{self.pid}/maps", encoding="utf-8", errors="replace") as maps:
            ranges = [line.split(" ")[0].split("-") for line in maps]
        end = next(int(high, 16) for low, high in ranges if int(low, 16) <= stack < int(high, 16))
        memory.seek(stack)
        bytes_of = memory.read(min(end - stack, STACK))
        words = memoryview(bytes_of[:len(bytes_of) // 8 * 8]).cast("Q")
        at = words[0] + 2
        while words[at] != 0:
            at += 1
        at += 1
        while words[at] != ENTRY:
            if words[at] == 0:
                raise ValueError("the program has no beginning")
            at += 2
        return words[at + 1], stack + 8 * (at + 1)

    def system_call(self, memory, near):
        """Where some instruction in the loader makes a system call."""
        with open(f"/proc/{self.pid}/maps", encoding="utf-8", errors="replace") as maps:
            ranges = [[int(it, 16) for it in line.split(" ")[0].split("-")] for line in maps]
        low, high = next(it for it in ranges if it[0] <= near < it[1])
        memory.seek(low)
        found = memory.read(high - low).find(INSTRUCTION)
        if found < 0:
            raise ValueError("the loader of the program makes no system calls")
        return low + found

    def go(self):
        """Lets the program begin."""
        try:
            with open(f"/proc/{self.pid}/mem", "r+b", buffering=0) as memory:
                write(memory, self.page + DATA, struct.pack("<Q", 1))
        except OSError:
            pass  # It has ended.


def write(memory, at, data):
    memory.seek(at)
    memory.write(data)


class Following:
    """The processes that become other programs. `record` records one that waits where it begins; `unrecorded` is told of
    those that cannot be, with the reason."""

    def __init__(self, folder, record, unrecorded):
        self.fifo = os.fsencode(os.path.join(os.path.abspath(folder), REQUESTS))
        os.mkfifo(self.fifo, 0o600)
        # Open for writing too: otherwise it would be at its end where nobody asks.
        self.file = os.open(self.fifo, os.O_RDWR | os.O_NONBLOCK)
        self.record, self.unrecorded = record, unrecorded
        # By number: those that are not there yet, and those that are and will say so.
        self.asked, self.expected, self.count = {}, {}, 0

    def enter(self, pid, thread):
        self.count += 1
        # What nothing can be told to: it would not know whether to wait.
        if len(self.fifo) > LONGEST:
            raise ValueError("the name of the folder is too long")
        return Entrance(pid, thread, self.fifo, self.count)

    def await_begin(self, entrance):
        """Waits for a program to begin that nobody asks about, before all others."""
        while time.monotonic() < entrance.until:
            if select.select([self.file], [], [], LOOK)[0]:
                os.read(self.file, MESSAGE.size)
                return
            if state_of(entrance.pid) == b"Z":
                break
        raise ProcessLookupError(f"process {entrance.pid} does not begin")

    def is_busy(self):
        return bool(self.asked)

    def is_awaiting(self):
        return bool(self.asked or self.expected)

    def look(self):
        """Answers all that ask, and has what waits recorded."""
        try:
            messages = os.read(self.file, 4096 // MESSAGE.size * MESSAGE.size)
        except BlockingIOError:
            messages = b""
        for message in MESSAGE.iter_unpack(messages):
            if message[0] == BEGINS:
                self.begin(message[1])
            else:
                self.answer(*message)
        for number, asked in list(self.asked.items()):
            self.step(number, *asked)
        for number, (entrance, path, _) in list(self.expected.items()):
            if time.monotonic() > entrance.until or not os.path.exists(f"/proc/{entrance.pid}"):
                del self.expected[number]
                self.unrecorded(path, "it did not begin")

    def answer(self, nonce, pid, thread, path, at):
        pid, name = find(pid, nonce, at), b""
        if pid is None:
            return
        try:
            name = text_at(pid, path)
            if name.startswith(OPEN):
                # What the process has open is named so only by itself.
                name = b"/proc/%d/fd/" % pid + name[len(OPEN):]
                file = os.readlink(name) if name.count(b"/") == 4 else name
                name = file if os.path.exists(file) else name
            reason, has_names = obstacle(pid, name)
            if reason is None:
                entrance = self.enter(pid, thread_of(pid, thread))
                # It may have gone on meanwhile.
                if entrance.follow(at, nonce):
                    self.asked[self.count] = entrance, os.fsdecode(name), has_names
                return
        except Exception as error:  # What it asks for may be anything.
            reason = f"{type(error).__name__}: {error}"
        if reason:
            self.unrecorded(os.fsdecode(name), reason)
        try:
            if word_at(pid, at) == nonce:
                answer_at(pid, at, GO)
        except OSError:
            pass  # It has ended.

    def step(self, number, entrance, path, has_names):
        try:
            is_there = entrance.look()
            if is_there is None:
                return
            del self.asked[number]
            if is_there:
                self.expected[number] = entrance, path, has_names
        except Exception as error:
            if self.asked.pop(number, None) and entrance.page is None:
                entrance.leave()
            if os.path.exists(f"/proc/{entrance.pid}"):
                self.unrecorded(path, f"{type(error).__name__}: {error}")

    def begin(self, number):
        entrance, path, has_names = self.expected.pop(number, (None, None, None))
        if entrance is None:
            return
        try:
            self.record(entrance.pid, path, has_names)
        except Exception as error:
            if os.path.exists(f"/proc/{entrance.pid}"):
                self.unrecorded(path, f"{type(error).__name__}: {error}")
        entrance.go()

    def end(self):
        """Lets all go that wait: nobody reads the fifo any more."""
        for entrance, _, _ in self.asked.values():
            entrance.leave()
        for entrance, _, _ in self.expected.values():
            entrance.go()
        os.close(self.file)


def word_at(pid, at):
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        memory.seek(at)
        return int.from_bytes(memory.read(8), "little")


def answer_at(pid, at, answer):
    with open(f"/proc/{pid}/mem", "r+b", buffering=0) as memory:
        write(memory, at, struct.pack("<Q", answer))


def text_at(pid, at):
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        memory.seek(at)
        # What follows may be no memory.
        text = memory.read(min(PATH, PAGE - at % PAGE))
        if b"\0" not in text:
            text += memory.read(PATH)
        return text.partition(b"\0")[0]


def find(pid, nonce, at):
    """The process that asks: in a container it has another number than here."""
    def asks(pid):
        try:
            return word_at(pid, at) == nonce
        except OSError:
            return False
    if asks(pid):
        return pid
    for other in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{other}/status", encoding="utf-8", errors="replace") as file:
                inner = next((line.split()[1:] for line in file if line.startswith("NSpid:")), [])
        except OSError:
            continue
        if len(inner) > 1 and inner[-1] == str(pid) and asks(int(other)):
            return int(other)
    return None


def thread_of(pid, thread):
    """The thread that asks, by its number here."""
    if os.path.exists(f"/proc/{pid}/task/{thread}"):
        return thread
    return pid


def obstacle(pid, name):
    """Why a program cannot be followed, or None; empty where nothing is to be said. And whether it names its functions."""
    root = os.readlink(f"/proc/{pid}/root")
    for _ in range(MOST_STEPS):
        start = f"/proc/{pid}/cwd/".encode() if not name.startswith(b"/") else b"" if root == "/" else f"/proc/{pid}/root".encode()
        path = start + name
        about = os.stat(path)
        if not stat.S_ISREG(about.st_mode):
            return "", False
        if about.st_mode & 0o6000 or has_capabilities(path):
            return "it gets rights of its own, which tracing takes away", False
        try:
            file = open(path, "rb")
        except OSError:
            return "it may be run, but not read", False
        with file:
            head = file.read(256)
            if not head.startswith(b"#!"):
                return of_elf(file, head)
        words = head[2:].partition(b"\n")[0].split()
        if not words:
            return "", False
        name = words[0]
    return "", False


def has_capabilities(path):
    try:
        return b"security.capability" in map(os.fsencode, os.listxattr(path))
    except OSError:
        return False  # The file system has none.


def of_elf(file, head):
    """The same of an executable that begins so."""
    if head[:5] != b"\x7fELF\x02" or len(head) < 64 or struct.unpack_from("<H", head, 18)[0] != 62:
        return ("our script for Frida supports 64-bit programs for x86-64" if head[:4] == b"\x7fELF" else ""), False
    programs, sections = struct.unpack_from("<QQ", head, 32)
    size, count = struct.unpack_from("<HH", head, 54)
    file.seek(programs)
    kinds = [it[0] for it in struct.iter_unpack("<I", b"".join(file.read(size)[:4] for _ in range(count)))]
    if 3 not in kinds:
        return "it is statically linked", False
    file.seek(sections)
    size, count, names = struct.unpack_from("<HHH", head, 58)
    rows = [struct.unpack_from("<IIQQQQ", file.read(size)) for _ in range(count)]
    def content(row):
        file.seek(row[4])
        return file.read(row[5])
    if rows and b".gopclntab" in content(rows[names]):
        return "Frida does not support Go's stacks", False
    has_names = any(it[1] == 2 for it in rows)
    # What starts no other programs by itself need not be followed.
    linked = b"".join(content(it) for it in rows if it[1] == 3 and it[2] & 2)
    if not has_names and not any(it in linked for it in (b"exec", b"spawn", b"popen", b"system")):
        return STRIPPED, False
    return None, has_names

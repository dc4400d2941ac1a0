"""Records the calls of a program with Frida, into a folder as uftrace writes it.

    driver.py FOLDER [WORD...]      runs a program, or attaches to the process that the wish names
    driver.py --finish FOLDER       makes what was recorded whole, where the one before was killed

FOLDER holds `wish.json`, and gets `recording`, `log` and `ended`, the status of the program as waitpid has it and how
long it ran, in nanoseconds.
"""

import bisect
import ctypes
import json
import mmap
import os
import re
import signal
import struct
import sys
import threading
import time

TRACE_ME, PEEK_REGISTERS, SET_REGISTERS, CONTINUE, DETACH, SEIZE, INTERRUPT = 0, 12, 13, 7, 17, 0x4206, 0x4207
SET_SIGNAL_MASK = 0x420b
# For waitpid: threads too.
ALL_CHILDREN = 0x40000000
# So often threads are stopped again that are where code is about to change.
TURNS = 1000
JUMP = 5
SESSION = "0123456789abcdef"
# x86-64: asks for its parent until that is another one, that is, this one was killed; then exits with 125.
LOOP = b"\xb8\x6e\0\0\0\x0f\x05\x3d%b\x74\xf2\xb8\xe7\0\0\0\xbf\x7d\0\0\0\x0f\x05"
BREAKPOINT = b"\xcc"
# In the registers that ptrace tells.
INSTRUCTION_POINTER, STACK_POINTER, REGISTERS = 16, 19, 27
# Words at the top of a stack in which a return address may be, and in which that of a thread's first function may be.
TOP, STACK = 16, 2048
# What Frida's threads block, by which they are known: all but the C library's own signals and one that nobody sends.
BLOCKED = ((1 << 64) - 1) & ~(1 << 8 | 1 << 18 | 1 << 31 | 1 << 32 | 1 << 15)
# Of the auxiliary vector.
ENTRY = 9
PAUSE = 0.01
# It is looked so often, and for so long, whether a thread has stopped; and for so long, whether all have left calls.c.
LOOK, STOPPING, PATIENCE = 0.0002, 10, 1
# Bytes of a function as calls.c has it, where in it stands that it is taken out, and bytes behind all.
FUNCTION, IS_OUT, STATE = 24, 12, 8
FUNCTIONS = "functions"
TOGETHER = 2000

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long


def ptrace(request, pid, data=None):
    if libc.ptrace(request, pid, None, data) == -1:
        raise OSError(ctypes.get_errno(), "ptrace: " + os.strerror(ctypes.get_errno()))


def registers_of(thread):
    registers = (ctypes.c_ulonglong * REGISTERS)()
    ptrace(PEEK_REGISTERS, thread, registers)
    return registers


def environment():
    """That of this process when it began: Python has added to it since."""
    with open("/proc/self/environ", "rb") as file:
        return dict(line.split(b"=", 1) for line in file.read().split(b"\0") if b"=" in line)


class Started:
    """A program that waits where it begins, with its libraries loaded, until it is let go."""

    def __init__(self, words):
        self.status, own = None, os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                # Python ignores these itself.
                for number in (signal.SIGPIPE, signal.SIGXFSZ):
                    signal.signal(number, signal.SIG_DFL)
                ptrace(TRACE_ME, 0)
                os.execve(words[0], words[1:], environment())
            finally:
                os._exit(127)
        self.step()
        with open(f"/proc/{self.pid}/auxv", "rb") as file:
            entry = dict(struct.iter_unpack("QQ", file.read()))[ENTRY]
        self.entry, self.memory = entry, open(f"/proc/{self.pid}/mem", "r+b", buffering=0)
        loop = LOOP % struct.pack("<I", own)
        self.code = self.read(len(loop))
        self.write(BREAKPOINT)
        ptrace(CONTINUE, self.pid)
        while self.step() != signal.SIGTRAP:
            ptrace(CONTINUE, self.pid, os.WSTOPSIG(self.status))
        self.rewind()
        self.write(loop)
        ptrace(DETACH, self.pid)

    def step(self):
        self.status = os.waitpid(self.pid, 0)[1]
        if not os.WIFSTOPPED(self.status):
            raise RuntimeError("the program ended before it began")
        return os.WSTOPSIG(self.status)

    def read(self, length):
        self.memory.seek(self.entry)
        return self.memory.read(length)

    def write(self, code):
        self.memory.seek(self.entry)
        self.memory.write(code)

    def rewind(self):
        registers = registers_of(self.pid)
        registers[INSTRUCTION_POINTER] = self.entry
        ptrace(SET_REGISTERS, self.pid, registers)

    def go(self):
        with Stopped([self.pid], []):
            self.write(self.code)
            self.rewind()
        self.memory.close()


class Stopped:
    """Threads of a process, stopped where none is inside of a beginning that is about to be replaced."""

    def __init__(self, threads, beginnings):
        self.threads, self.beginnings = list(threads), beginnings

    def __enter__(self):
        self.held = []
        for thread in self.threads:
            try:
                ptrace(SEIZE, thread)
            except OSError:
                continue  # It has ended.
            self.held.append(thread)
            for _ in range(TURNS):
                if not self.stop(thread) or not self.is_inside(thread):
                    break
                ptrace(CONTINUE, thread)
        return self

    def stop(self, thread):
        try:
            ptrace(INTERRUPT, thread)
            until = time.monotonic() + STOPPING
            while time.monotonic() < until:
                told, status = os.waitpid(thread, ALL_CHILDREN | os.WNOHANG)
                if told == 0:
                    time.sleep(LOOK)
                elif not os.WIFSTOPPED(status):
                    return False
                # The stop that was asked for is no signal's; one that comes before it is for the program.
                elif status >> 16:
                    return True
                else:
                    ptrace(CONTINUE, thread, os.WSTOPSIG(status))
            # Frida waits for threads too, and may have been told of this stop.
            with open(f"/proc/{thread}/stat", "rb") as file:
                return file.read().rpartition(b")")[2].split()[0] == b"t"
        except OSError:
            return False

    def is_inside(self, thread):
        at = registers_of(thread)[INSTRUCTION_POINTER]
        before = bisect.bisect_left(self.beginnings, at) - 1
        return before >= 0 and self.beginnings[before] < at < self.beginnings[before] + JUMP

    def __exit__(self, *_):
        for thread in self.held:
            try:
                ptrace(DETACH, thread)
            except OSError:
                pass


class Recorder:
    def __init__(self, folder, pid, wish):
        import frida

        self.folder, self.recording, self.pid, self.wish = folder, os.path.join(folder, "recording"), pid, wish
        self.is_gone, self.taken = False, 0
        self.before = set(tasks(pid))
        # The program's own signals, exits and threads are none of Frida's business. Older ones know no such options.
        options = {"exceptor": "off", "exit_monitor": False, "thread_suspend_monitor": False, "unwind_broker": False}
        try:
            self.session = frida.attach(pid, **options)
        except (TypeError, AttributeError):
            self.session = frida.attach(pid)
        self.session.on("detached", lambda *_: setattr(self, "is_gone", True))
        self.script = self.session.create_script(self.source("agent.js"))
        self.script.on("message", lambda message, _: print(message, flush=True))
        self.script.load()
        self.calls = self.script.exports_sync
        self.shield()

    def shield(self):
        """Leaves the signals of the program to its own threads: those of Frida block them."""
        with open(f"/proc/{self.pid}/maps", encoding="utf-8", errors="replace") as maps:
            ranges = [line.split("-", 2)[:2] for line in maps if "frida-agent" in line]
        ranges = [(int(low, 16), int(high.split()[0], 16)) for low, high in ranges]
        mask = (ctypes.c_ubyte * 8)(*struct.pack("<Q", BLOCKED))
        with Stopped([it for it in tasks(self.pid) if it not in self.before], []) as stopped:
            for thread in stopped.held:
                # Their stacks lead into it.
                top = self.top_of(registers_of(thread), STACK)
                if any(low <= word < high for word in top for low, high in ranges):
                    libc.ptrace(SET_SIGNAL_MASK, thread, 8, ctypes.addressof(mask))

    def top_of(self, registers, words):
        """So many words at the top of a thread's stack."""
        with open(f"/proc/{self.pid}/mem", "rb", buffering=0) as memory:
            memory.seek(registers[STACK_POINTER])
            top = memory.read(8 * words)
            return [word for word, in struct.iter_unpack("Q", top[:len(top) // 8 * 8])]

    def threads(self):
        """The threads of the program."""
        def is_of_program(thread):
            try:
                with open(f"/proc/{self.pid}/task/{thread}/status", encoding="utf-8", errors="replace") as file:
                    return f"SigBlk:\t{BLOCKED:016x}\n" not in file.read()
            except OSError:
                return False
        return [it for it in tasks(self.pid) if is_of_program(it)]

    def is_free(self, places):
        """Whether no thread runs calls.c, or the code around it."""
        within = lambda ranges, at: any(int(low, 16) <= at < int(high, 16) for low, high in ranges)
        with Stopped(self.threads(), []) as stopped:
            for thread in stopped.held:
                registers = registers_of(thread)
                if within(places["own"], registers[INSTRUCTION_POINTER]):
                    return False
                if within(places["short"], registers[INSTRUCTION_POINTER]):
                    if any(within(places["own"], word) for word in self.top_of(registers, TOP)):
                        return False
        return True

    def source(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def begin(self):
        """Hooks what the wish wants."""
        of = self.calls.list()
        os.makedirs(self.recording, exist_ok=True)
        self.describe(of)
        only, without = self.wish["only"], set(self.wish["without"])
        gates = set(self.wish["gates"])
        wanted = []
        for number, (name, offset, size) in enumerate(of["functions"]):
            is_chosen = (only is None or name in only or name in gates) and name not in without
            if is_chosen:
                wanted.append([offset, size, number, name in gates])
        total = len(of["functions"])
        massive = os.path.join(self.recording, "massive")
        functions = os.path.join(self.folder, FUNCTIONS)
        for path, size in ((massive, 16 + 16 * total), (functions, FUNCTION * total + STATE)):
            with open(path, "wb"):
                os.truncate(path, size)
        self.calls.begin({
            "source": self.source("records.c") + self.source("calls.c"), "folder": self.recording, "total": total, "massive": massive, "functions": functions,
            "most": self.wish["most"], "within": str(self.wish["within"]), "hasGate": bool(gates),
            "paused": self.wish["paused"],
        })
        failed = []
        for at in range(0, len(wanted), TOGETHER):
            failed += self.calls.hook(wanted[at:at + TOGETHER])
        with open(os.path.join(self.recording, "unrecorded.txt"), "w", encoding="utf-8") as file:
            for number, why in failed:
                print(f"{of['functions'][number][0]}\t{why}", file=file)
        base = int(of["base"], 16)
        self.beginnings = sorted(base + int(it[0], 16) for it in wanted)
        if not self.wish["paused"]:
            self.turn(True)
        with open(os.path.join(self.folder, "process"), "w", encoding="utf-8") as file:
            print(self.pid, file=file)

    def turn(self, is_on):
        """Switches recording; only what replaces code needs the program to stand still."""
        if not is_on:
            return self.calls.turn(False)
        with Stopped(self.threads(), self.beginnings):
            self.calls.turn(True)

    def describe(self, of):
        """The map and the symbols, as uftrace writes them."""
        path, base, size = of["path"], int(of["base"], 16), of["size"]
        name, build = os.path.basename(path), build_id(f"/proc/{self.pid}/exe")
        with open(os.path.join(self.recording, f"sid-{SESSION}.map"), "w", encoding="utf-8") as file:
            print(f"{base:012x}-{base + size:012x} r-xp 00000000 00:00 0                          {path} build-id:{build}",
                  file=file)
            # Where the kernel begins is told from this.
            with open(f"/proc/{self.pid}/maps", encoding="utf-8", errors="replace") as maps:
                file.writelines(line for line in maps if line.endswith("[stack]\n"))
        with open(os.path.join(self.recording, name + ".sym"), "w", encoding="utf-8") as file:
            print(f"# symbols: {len(of['functions'])}\n# path name: {path}\n# build-id: {build}", file=file)
            for symbol, offset, _ in of["functions"]:
                print(f"{int(offset, 16):016x} T {symbol}", file=file)
            print(f"{size:016x} ? __sym_end", file=file)
        with open(os.path.join(self.recording, "task.txt"), "w", encoding="utf-8") as file:
            now = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
            print(f"SESS timestamp={now // 10**9}.{now % 10**9:09} pid={self.pid} sid={SESSION} exename=\"{path}\"", file=file)
        open(os.path.join(self.recording, "default.opts"), "w", encoding="utf-8").close()

    def listen(self):
        """Opens the fifos by which recording is switched."""
        of = lambda name: os.open(os.path.join(self.folder, name), os.O_RDWR | os.O_NONBLOCK)
        self.words, self.answers = of("words"), of("answers")

    def look(self):
        """Takes out what is called too often, and switches recording as it was asked."""
        if self.wish["most"]:
            self.taken = self.calls.take_out(self.taken)
        try:
            word = os.read(self.words, 64)
        except BlockingIOError:
            return
        for it in word.split():
            self.turn(it == b"enable")
            os.write(self.answers, b"ack\n")

    def end(self):
        if self.is_gone:
            return
        places = self.calls.quiet()
        until = time.monotonic() + PATIENCE
        # Where a thread may still run the script's code, that stays, and is not waited for.
        is_free = places is None or self.has_left(places, until) and self.calls.forget() and self.has_left(places, until)
        if places is not None:
            self.calls.end(is_free)
        if is_free:
            self.script.unload()
            self.session.detach()

    def has_left(self, places, until):
        while time.monotonic() < until:
            # One that was stopped within the code may have put the trap in place before.
            if self.is_free(places) and self.calls.restore() == 0 and self.is_free(places):
                return True
            time.sleep(PAUSE)
        return False


def tasks(pid):
    return [int(it) for it in os.listdir(f"/proc/{pid}/task")]


def watch(pid, ended):
    """Appends the status of a child of ours once it has ended; none where somebody else was told."""
    try:
        it = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        while it.si_code not in (os.CLD_EXITED, os.CLD_KILLED, os.CLD_DUMPED):
            # A stop, which is for the thread that traces it.
            time.sleep(LOOK)
            it = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        ended.append(it.si_status << 8 if it.si_code == os.CLD_EXITED else it.si_status)
    except ChildProcessError:
        ended.append(None)


def build_id(path):
    """The build id of an ELF file, in hexadecimal; zeros for none."""
    try:
        with open(path, "rb") as file:
            head = file.read(64)
            at, size, count = struct.unpack_from("<Q", head, 32)[0], *struct.unpack_from("<HH", head, 54)
            file.seek(at)
            for row in struct.iter_unpack("<IIQQQQQQ", file.read(size * count)):
                if row[0] == 4:
                    file.seek(row[2])
                    note = file.read(min(row[5], 1 << 16))
                    found = re.search(rb"\x14\0\0\0\x03\0\0\0GNU\0(.{20})", note, re.DOTALL)
                    if found:
                        return found[1].hex()
    except (OSError, struct.error):
        pass
    return "0" * 40


def silence(folder):
    """Takes all functions out of what was forked and goes on: its code has the jumps, which then cost little."""
    try:
        with open(os.path.join(folder, FUNCTIONS), "r+b") as file, mmap.mmap(file.fileno(), 0) as shared:
            state = len(shared) - STATE
            # Off first: what they have mapped is about to be cut.
            for at in (state, *range(IS_OUT, state, FUNCTION)):
                shared[at] = 1
        os.remove(file.name)
    except (FileNotFoundError, ValueError):
        pass  # Nothing was hooked yet.


def finish(folder, status=-1):
    """Cuts what was mapped and not written, and writes the head of the recording."""
    silence(folder)
    recording = os.path.join(folder, "recording")
    tasks = []
    for name in sorted(os.listdir(recording)):
        if re.fullmatch(r"\d+\.dat", name):
            path = os.path.join(recording, name)
            if cut(path):
                tasks.append(name[:-4])
            else:
                os.remove(path)
    with open(os.path.join(recording, "task.txt"), encoding="utf-8") as file:
        path = re.search(r'exename="(.*)"', file.read())[1]
    info = [
        f"exename:{path}", f"build_id:{build_id(path)}", f"exit_status:{status}", f"cmdline:callscape record {path}",
        "osinfo:lines=3", "osinfo:kernel=Linux", "osinfo:hostname=localhost", 'osinfo:distro="Linux"',
        "taskinfo:lines=2", f"taskinfo:nr_tid={len(tasks)}", f"taskinfo:tids={','.join(tasks)}",
    ]
    # The head in `uftrace.h`: version 4, its length, little endian, 64 bits, features, contents, the greatest depth.
    head = b"Ftrace!\0" + struct.pack("<IHBBQQH6x", 4, 40, 1, 2, 0x63, 0xCF, 1024)
    with open(os.path.join(recording, "info"), "wb") as file:
        file.write(head + ("\n".join(info) + "\n").encode("utf-8", "surrogateescape"))


def cut(path):
    """Cuts a file of records behind the last whole one; whether any is left."""
    size = os.path.getsize(path) // 16 * 16
    with open(path, "r+b") as file:
        while size > 0:
            begin = max(0, size - (1 << 16))
            file.seek(begin)
            part = file.read(size - begin)
            whole = len(part.rstrip(b"\0") if any(part) else b"")
            whole = min(len(part), -(-whole // 16) * 16)
            # A record has a time, and 5 in bits 3 to 5 of its second word.
            while whole and not (part[whole - 8] >> 3 & 7 == 5 and any(part[whole - 16:whole - 8])):
                whole -= 16
            size = begin + whole
            if whole:
                break
        file.truncate(size)
    return size > 0


def main():
    if sys.argv[1] == "--finish":
        return finish(sys.argv[2])
    folder, words = sys.argv[1], sys.argv[2:]
    stops = []
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # What is ignored, as by nohup, the program ignores too.
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda number, _: stops.append(number))
    with open(os.path.join(folder, "wish.json"), encoding="utf-8") as file:
        wish = json.load(file)
    # Where whoever wants this is killed, the program goes on as before.
    libc.prctl(1, signal.SIGTERM)
    if os.getppid() != wish["parent"]:
        return 125
    started = Started(words) if words else None
    # Standard streams are the program's.
    log = os.open(os.path.join(folder, "log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 1)
    os.dup2(log, 2)
    try:
        pid = started.pid if started else wish["pid"]
        recorder = Recorder(folder, pid, wish)
        recorder.listen()
        recorder.begin()
        if started:
            started.go()
    except BaseException as error:
        if started:
            os.kill(started.pid, signal.SIGKILL)
        print(f"{type(error).__name__}: {error}", flush=True)
        return 125
    ended, begin = [], time.monotonic_ns()
    if started:
        threading.Thread(target=watch, args=(pid, ended), daemon=True).start()
    while not stops and not ended and not (recorder.is_gone and not started):
        time.sleep(PAUSE)
        try:
            if not recorder.is_gone:
                recorder.look()
        except Exception as error:  # The program has just ended.
            if not recorder.is_gone and os.path.exists(f"/proc/{pid}"):
                print(f"{type(error).__name__}: {error}", flush=True)
    status = ended[0] if ended else None
    ended_at = time.monotonic_ns()
    try:
        recorder.end()
    except Exception as error:
        print(f"{type(error).__name__}: {error}", flush=True)
    finish(folder, -1 if status is None else status)
    if status is not None:
        with open(os.path.join(folder, "ended"), "w", encoding="utf-8") as file:
            print(status, ended_at - begin, file=file)
    return 0


sys.exit(main())

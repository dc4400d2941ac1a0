"""Records the calls of one program in one process, into a folder as uftrace writes it, and makes such a folder whole."""

import ctypes
import hashlib
import mmap
import os
import re
import struct
import time

from following import REQUESTS
from stopping import INSTRUCTION_POINTER, SET_SIGNAL_MASK, STACK_POINTER, Stopped, libc, registers_of, tasks

# Words at the top of a stack in which a return address may be, and in which that of a thread's first function may be.
TOP, STACK = 16, 2048
# What Frida's threads block, by which they are known: all but the C library's own signals and one that nobody sends.
BLOCKED = ((1 << 64) - 1) & ~(1 << 8 | 1 << 18 | 1 << 31 | 1 << 32 | 1 << 15)
# So long it is waited until all threads have left calls.c, in steps.
PATIENCE, PAUSE = 1, 0.01
# Bytes of a function as calls.c has it, where in it stands that it is taken out, and bytes behind all.
FUNCTION, IS_OUT, STATE = 24, 12, 8
FUNCTIONS = "functions"
# What is called too often, and where in it stands how many there are.
MASSIVE, FOUND = "massive", 8
# Libraries that calls.c itself calls, or that unwind stacks.
OWN = re.compile(r"(libc|libpthread|libdl|libgcc_s|ld-linux.*|ld-musl.*|linux-vdso|frida-agent.*)(\.so|[-.]|$)")
TOGETHER = 2000
SESSION = "0123456789abcdef"
# In the recording of the first program: those of others, by number.
PROGRAMS = "programs"


class Recorder:
    """Of the program number `number`, 0 for the first one."""

    def __init__(self, folder, pid, number):
        import frida

        self.folder, self.pid, self.number = folder, pid, number
        self.recording = os.path.join(folder, "recording", *((PROGRAMS, str(number)) if number else ()))
        self.functions = os.path.join(self.recording if number else folder, FUNCTIONS)
        self.is_gone, self.is_patched, self.taken = False, False, 0
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
        """Whether no thread runs calls.c, or the code around it. Of one that a debugger holds, nobody else learns it."""
        if is_debugged(self.pid):
            return False
        within = lambda ranges, at: any(int(low, 16) <= at < int(high, 16) for low, high in ranges)
        with Stopped(self.threads(), []) as stopped:
            for thread in stopped.held:
                registers = registers_of(thread)
                if within(places["own"], registers[INSTRUCTION_POINTER]):
                    return False
                if within(places["short"], registers[INSTRUCTION_POINTER]):
                    if any(within(places["own"], word) for word in self.top_of(registers, TOP)):
                        return False
            # The child of a vfork runs in the same memory.
            return len(stopped.held) == len(stopped.traced)

    def source(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as file:
            return file.read()

    def begin(self, wish, is_off, has_names=True):
        """Hooks what the wish wants."""
        modules = self.calls.list(self.libraries(wish))
        if not has_names:
            modules[0]["functions"] = []
        os.makedirs(self.recording, exist_ok=True)
        if any(it["functions"] for it in modules) or not self.number:
            self.describe(modules)
        only, without, gates = wish["only"], set(wish["without"]), set(wish["gates"])
        names, wanted, beginnings = [], [], []
        for index, module in enumerate(modules):
            for name, offset, size in module["functions"]:
                is_named = only is None or name in only or name in gates
                is_large = size >= wish["leastSize"] or name in gates
                # Libraries were chosen as a whole.
                if is_large and (index or is_named and name not in without):
                    wanted.append([index, offset, size, len(names), not index and name in gates])
                    beginnings.append(int(module["base"], 16) + int(offset, 16))
                names.append(name)
        total, self.beginnings = len(names), sorted(beginnings)
        massive = os.path.join(self.recording, MASSIVE)
        for path, size in ((massive, 16 + 16 * total), (self.functions, FUNCTION * total + STATE)):
            with open(path, "wb"):
                os.truncate(path, size)
        self.calls.begin({
            "source": self.source("records.c") + self.source("calls.c"), "folder": self.recording, "total": total,
            "counts": [len(it["functions"]) for it in modules], "massive": massive, "functions": self.functions,
            "requests": os.path.join(self.folder, REQUESTS), "most": wish["most"], "within": str(wish["within"]),
            "hasGate": wish["hasGate"], "deepest": wish["deepest"], "paused": is_off,
        })
        failed = []
        for at in range(0, len(wanted), TOGETHER):
            failed += self.calls.hook(wanted[at:at + TOGETHER])
        with open(os.path.join(self.recording, "unrecorded.txt"), "w", encoding="utf-8") as file:
            for number, why in failed:
                print(f"{names[number]}\t{why}", file=file)
        if not is_off:
            self.turn(True)

    def libraries(self, wish):
        """The names of the loaded libraries that the wish wants. An error where it names one that the first program has not."""
        if not wish["libraries"]:
            return []
        loaded = self.calls.libraries()
        means = lambda pattern, name: re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), name)
        found = []
        for pattern in wish["libraries"]:
            named = [it for it in loaded if means(pattern, it)]
            found += [it for it in named if not OWN.match(it)]
            if not self.number and (not named or all(map(OWN.match, named))):
                what = f"only {named[0]}, which recording itself needs" if named else f"none of this name among {len(loaded)}"
                raise ValueError(f"expected a library that is loaded when the program begins, found {what}: '{pattern}'")
        excluded = wish["notLibraries"]
        return [it for it in found if not any(means(pattern, it) for pattern in excluded)]

    def turn(self, is_on):
        """Switches recording; only what replaces code needs the program to stand still. A debugger stops the threads of the
        script too, and nobody else can stop the program: then its code stays as it is. Gives whether it was switched."""
        if is_debugged(self.pid):
            return self.turn_lightly(is_on)
        if not is_on:
            self.calls.turn(False)
        else:
            with Stopped(self.threads(), self.beginnings):
                self.calls.turn(True)
        self.is_patched = is_on
        return True

    def turn_lightly(self, is_on):
        """Switches recording in the memory that the program shares, where nothing is to be patched."""
        if is_on and not self.is_patched:
            return False
        with open(self.functions, "r+b") as file, mmap.mmap(file.fileno(), 0) as shared:
            is_off, periods = struct.unpack("<II", shared[-STATE:])
            shared[-STATE:] = struct.pack("<II", not is_on, periods + (not is_on and not is_off))
        return True

    def describe(self, modules):
        """The map and the symbols, as uftrace writes them."""
        session = SESSION if not self.number else f"{self.number:016x}"
        path = modules[0]["path"]
        with open(os.path.join(self.recording, f"sid-{session}.map"), "w", encoding="utf-8") as file:
            for index, module in enumerate(modules):
                build = build_id(module["path"] if index else f"/proc/{self.pid}/exe")
                if self.number and not build.strip("0"):
                    # It tells programs of one name apart.
                    build = hashlib.sha1(path.encode("utf-8", "surrogateescape")).hexdigest()
                base = int(module["base"], 16)
                print(f"{base:012x}-{base + module['size']:012x} r-xp 00000000 00:00 0                          "
                      f"{module['path']} build-id:{build}", file=file)
                self.write_symbols(module, build)
            # Where the kernel begins is told from this.
            with open(f"/proc/{self.pid}/maps", encoding="utf-8", errors="replace") as maps:
                file.writelines(line for line in maps if line.endswith("[stack]\n"))
        with open(os.path.join(self.recording, "task.txt"), "w", encoding="utf-8") as file:
            if self.number:
                print(f"FORK timestamp={now()} pid={self.pid} ppid={parent(self.pid)}", file=file)
            print(f"SESS timestamp={now()} pid={self.pid} sid={session} exename=\"{path}\"", file=file)
        if not self.number:
            open(os.path.join(self.recording, "default.opts"), "w", encoding="utf-8").close()

    def write_symbols(self, module, build):
        path, functions = module["path"], module["functions"]
        with open(os.path.join(self.recording, os.path.basename(path) + ".sym"), "w", encoding="utf-8") as file:
            print(f"# symbols: {len(functions)}\n# path name: {path}\n# build-id: {build}", file=file)
            for symbol, offset, _ in functions:
                print(f"{int(offset, 16):016x} T {symbol}", file=file)
            print(f"{module['size']:016x} ? __sym_end", file=file)

    def take_out(self):
        """Takes out what is called too often. While a debugger holds the program, its script would not answer."""
        with open(os.path.join(self.recording, MASSIVE), "rb") as file:
            found, = struct.unpack_from("<I", file.read(FOUND + 4), FOUND)
        if found > self.taken and not is_debugged(self.pid):
            self.taken = self.calls.take_out(self.taken)

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


def now():
    """The time as uftrace writes it."""
    time_of = time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    return f"{time_of // 10**9}.{time_of % 10**9:09}"


def is_debugged(pid):
    """Whether another process traces this one."""
    with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as file:
        tracer = next(line for line in file if line.startswith("TracerPid:"))
    return int(tracer.split()[1]) not in (0, os.getpid())


def parent(pid):
    with open(f"/proc/{pid}/stat", "rb") as file:
        return int(file.read().rpartition(b")")[2].split()[1])


def silence(path):
    """Takes all functions out of what was forked and goes on: its code has the jumps, which then cost little."""
    try:
        with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as shared:
            state = len(shared) - STATE
            # Off first: what they have mapped is about to be cut.
            for at in (state, *range(IS_OUT, state, FUNCTION)):
                shared[at] = 1
        os.remove(file.name)
    except (FileNotFoundError, ValueError):
        pass  # Nothing was hooked yet.


def finish(folder, status=-1):
    """Cuts what was mapped and not written, and writes the head of the recording."""
    recording = os.path.join(folder, "recording")
    others = os.path.join(recording, PROGRAMS)
    others = [os.path.join(others, it) for it in os.listdir(others)] if os.path.isdir(others) else []
    tasks = set()
    for one in [recording, *others]:
        silence(os.path.join(folder if one == recording else one, FUNCTIONS))
        for name in os.listdir(one):
            if re.fullmatch(r"\d+\.dat", name):
                path = os.path.join(one, name)
                if cut(path):
                    tasks.add(name[:-4])
                else:
                    os.remove(path)
    with open(os.path.join(recording, "task.txt"), encoding="utf-8") as file:
        path = re.search(r'exename="(.*)"', file.read())[1]
    info = [
        f"exename:{path}", f"build_id:{build_id(path)}", f"exit_status:{status}", f"cmdline:callscape record {path}",
        "osinfo:lines=3", "osinfo:kernel=Linux", "osinfo:hostname=localhost", 'osinfo:distro="Linux"',
        "taskinfo:lines=2", f"taskinfo:nr_tid={len(tasks)}", f"taskinfo:tids={','.join(sorted(tasks))}",
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

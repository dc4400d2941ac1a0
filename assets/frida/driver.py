"""Records the calls of a program with Frida, and of those that it starts or becomes, into a folder as uftrace writes it.

    driver.py FOLDER [WORD...]      runs a program, or attaches to the process that the wish names
    driver.py --finish FOLDER       makes what was recorded whole, where the one before was killed

FOLDER holds `wish.json`, and gets `recording`, `log` and `ended`, the status of the program as waitpid has it and how
long it ran, in nanoseconds.
"""

import json
import os
import resource
import select
import signal
import sys
import threading
import time

# Python may have been told not to look there.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import stopping
from following import PATIENCE, STRIPPED, Following
from recording import Recorder, finish
from stopping import LOOK, libc, release_late, state_of

# So often it is looked for all else than messages; and for processes that are about to become other programs.
PAUSE, SOON = 0.01, 0.0003
# What whoever wants this is asked, and answers: which functions of another program are recorded.
ASKED, ANSWERED = "asked", "answered"
SWITCHES = "callscape-switches.txt"
# The answer of one that a debugger holds, and that would have to be patched.
HELD = b"held\n"
# Bytes of Frida's files.
NEEDED = 64 << 20


def environment():
    """That of this process when it began: Python has added to it since."""
    with open("/proc/self/environ", "rb") as file:
        return dict(line.split(b"=", 1) for line in file.read().split(b"\0") if b"=" in line)


class Started:
    """A program that waits where it begins, with its libraries loaded, until it is let go."""

    def __init__(self, words, following, limit):
        ready, told = os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.close(told)
                os.read(ready, 1)
                # Python ignores these itself.
                for number in (signal.SIGPIPE, signal.SIGXFSZ):
                    signal.signal(number, signal.SIG_DFL)
                resource.setrlimit(resource.RLIMIT_FSIZE, limit)
                os.execve(words[0], words[1:], environment())
            finally:
                os._exit(127)
        stopping.children.add(self.pid)
        self.entrance = following.enter(self.pid, self.pid)
        os.close(told)
        os.close(ready)
        try:
            while not self.entrance.look():
                time.sleep(LOOK)
            following.await_begin(self.entrance)
        except OSError as error:
            raise RuntimeError(f"the program ended before it began: {error}") from None


class Driver:
    """The first program, and those that came of it."""

    def __init__(self, folder, wish):
        self.folder, self.wish, self.is_off = folder, wish, wish["paused"]
        # By process; of the first one only the number remains where it becomes another program.
        self.recorders, self.count, self.first = {}, 0, None
        self.following = Following(folder, self.follow, self.unrecorded)
        of = lambda name: os.open(os.path.join(folder, name), os.O_RDWR | os.O_NONBLOCK)
        self.words, self.answers = of("words"), of("answers")

    def record(self, pid, wish, number, has_names=True):
        recorder = Recorder(self.folder, pid, number)
        try:
            recorder.begin(wish, self.is_off, has_names)
        except BaseException:
            recorder.end()
            raise
        self.recorders[pid] = recorder

    def begin(self, pid):
        self.first = pid
        if not self.wish["hasNames"]:
            self.unrecorded(os.readlink(f"/proc/{pid}/exe"), STRIPPED)
        self.record(pid, self.wish, 0, self.wish["hasNames"])
        with open(os.path.join(self.folder, "process"), "w", encoding="utf-8") as file:
            print(pid, file=file)

    def follow(self, pid, path, has_names):
        """Records the program that a process has become."""
        before = self.recorders.pop(pid, None)
        until = time.monotonic() + PATIENCE
        while before and not before.is_gone and time.monotonic() < until:
            time.sleep(LOOK)
        if not has_names:
            self.unrecorded(path, STRIPPED)
        self.count += 1
        self.record(pid, self.chosen(pid) if has_names else self.wish, self.count, has_names)
        if self.is_off:
            self.note(pid, False)

    def unrecorded(self, path, reason):
        with open(os.path.join(self.folder, "others"), "a", encoding="utf-8", errors="surrogateescape") as file:
            print(path.replace("\n", " "), reason.replace("\n", " "), sep="\t", file=file)

    def chosen(self, pid):
        """What is wanted of another program: the names are looked for among its own."""
        if not self.wish["asks"]:
            return self.wish
        asked, answered = (os.path.join(self.folder, it) for it in (ASKED, ANSWERED))
        with open(asked + ".new", "w", encoding="utf-8") as file:
            file.write(f"/proc/{pid}/exe")
        os.rename(asked + ".new", asked)
        while not os.path.exists(answered):
            time.sleep(SOON)
        with open(answered, encoding="utf-8") as file:
            answer = json.load(file)
        os.remove(answered)
        return {**self.wish, **answer}

    def note(self, pid, is_on):
        """Notes a switch as whoever asks for it does for the first process."""
        if pid == self.first:
            return
        with open(os.path.join(self.folder, "recording", SWITCHES), "a", encoding="utf-8") as file:
            print("on" if is_on else "off", pid, time.clock_gettime_ns(time.CLOCK_MONOTONIC), file=file)

    def wait(self):
        """Waits until something is to be done, and a moment at most."""
        pause = SOON if self.following.is_busy() else PAUSE
        select.select([self.following.file, self.words], [], [], pause)

    def look(self):
        """Follows programs, takes out what is called too often, and switches recording as it was asked."""
        release_late()
        self.following.look()
        for pid, recorder in list(self.recorders.items()):
            if recorder.is_gone and self.recorders.get(pid) is recorder:
                del self.recorders[pid]
            elif self.wish["most"]:
                attempt(recorder, recorder.take_out)
        try:
            word = os.read(self.words, 64)
        except BlockingIOError:
            return
        for it in word.split():
            is_on = it == b"enable"
            before, self.is_off = self.is_off, not is_on
            answer = b"ack\n"
            for pid, recorder in list(self.recorders.items()):
                self.note(pid, is_on)
                if attempt(recorder, lambda: recorder.turn(is_on)) is False:
                    self.note(pid, not is_on)
                    answer, self.is_off = HELD, before
            os.write(self.answers, answer)

    def is_over(self):
        """Whether a process that was attached to has ended, or became what cannot be recorded."""
        try:
            return state_of(self.first) in (b"Z", b"X") or not (self.recorders or self.following.is_awaiting())
        except OSError:
            return True

    def end(self):
        self.following.end()
        for recorder in self.recorders.values():
            attempt(recorder, recorder.end)


def attempt(recorder, action):
    try:
        if not recorder.is_gone:
            return action()
    except Exception as error:  # The program has just ended.
        if not recorder.is_gone and os.path.exists(f"/proc/{recorder.pid}"):
            print(f"{type(error).__name__}: {error}", flush=True)


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


def raised():
    """Lifts the limit of file sizes for this process, where Frida needs more; gives what it was, for the program."""
    limit = soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    unlimited = resource.RLIM_INFINITY
    if soft != unlimited and soft < NEEDED:
        try:
            enough = unlimited if hard != unlimited and hard < NEEDED else hard
            resource.setrlimit(resource.RLIMIT_FSIZE, (enough, enough))
        except (OSError, ValueError):
            raise RuntimeError(
                f"the limit of file sizes is {soft >> 10} KiB, and Frida needs {NEEDED >> 10}: `ulimit -f unlimited` in a "
                "new shell permits it") from None
    return limit


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
    started = None
    # Standard streams are the program's.
    log = os.open(os.path.join(folder, "log"), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    try:
        limit = raised()
        driver = Driver(folder, wish)
        if words:
            started = Started(words, driver.following, limit)
        os.dup2(log, 1)
        os.dup2(log, 2)
        driver.begin(started.pid if started else wish["pid"])
        if started:
            started.entrance.go()
    except BaseException as error:
        if started:
            os.kill(started.pid, signal.SIGKILL)
        os.write(log, f"{type(error).__name__}: {error}\n".encode(errors="replace"))
        return 125
    ended, begin = [], time.monotonic_ns()
    if started:
        threading.Thread(target=watch, args=(started.pid, ended), daemon=True).start()
    while not stops and not ended and not (not started and driver.is_over()):
        driver.wait()
        driver.look()
    status = ended[0] if ended else None
    ended_at = time.monotonic_ns()
    driver.end()
    finish(folder, -1 if status is None else status)
    if status is not None:
        with open(os.path.join(folder, "ended"), "w", encoding="utf-8") as file:
            print(status, ended_at - begin, file=file)
    return 0


sys.exit(main())

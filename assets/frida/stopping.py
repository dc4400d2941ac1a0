"""Stops threads of other processes, and changes their registers: https://man7.org/linux/man-pages/man2/ptrace.2.html.

Whatever is stopped goes on when this process ends, however it does: the system lets it go.
"""

import bisect
import ctypes
import os
import time

PEEK_REGISTERS, SET_REGISTERS, CONTINUE, SINGLE_STEP, DETACH, TO_SYSTEM_CALL = 12, 13, 7, 9, 17, 24
SEIZE, INTERRUPT, LISTEN, SET_SIGNAL_MASK = 0x4206, 0x4207, 0x4208, 0x420b
# What is told of beside signals: that another program begins, and stops that are no signal's.
# And how stops at the beginning and end of system calls are told.
TELL_EXEC, EXEC, STOP, MARK_SYSTEM_CALLS, TRAP, SYSTEM_CALL = 0x10, 4, 128, 1, 5, 0x85
# For waitid: threads too.
ALL_CHILDREN = 0x40000000
# So often threads are stopped again that are where code is about to change.
TURNS = 1000
JUMP = 5
# In the registers that ptrace tells.
INSTRUCTION_POINTER, STACK_POINTER, REGISTERS = 16, 19, 27
# Of x86-64: clone, vfork and clone3.
VFORKS = (b"56", b"58", b"435")
# It is looked so often, and for so long, whether a thread has stopped.
LOOK, STOPPING = 0.0002, 10

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
libc.ptrace.restype = ctypes.c_long

# Processes that we began: how they end is asked elsewhere.
children = set()
# Threads that did not stop in time: they are let go when they do.
late = set()


def ptrace(request, pid, data=None):
    if libc.ptrace(request, pid, None, data) == -1:
        raise OSError(ctypes.get_errno(), "ptrace: " + os.strerror(ctypes.get_errno()))


def registers_of(thread):
    registers = (ctypes.c_ulonglong * REGISTERS)()
    ptrace(PEEK_REGISTERS, thread, registers)
    return registers


def stop_of(thread):
    """The signal and the event for which a traced thread has stopped; none so far. An error where it has ended."""
    options = os.WSTOPPED | os.WNOHANG | ALL_CHILDREN
    it = os.waitid(os.P_PID, thread, options | os.WEXITED | os.WNOWAIT)
    if it is None:
        return None
    if it.si_code in (os.CLD_EXITED, os.CLD_KILLED, os.CLD_DUMPED):
        # Its parent is told only when we have been.
        if thread not in children:
            os.waitpid(thread, ALL_CHILDREN | os.WNOHANG)
        raise ProcessLookupError(f"{thread} has ended")
    it = os.waitid(os.P_PID, thread, options)
    return None if it is None else (it.si_status & 0xff, it.si_status >> 8)


def release_late():
    for thread in list(late):
        try:
            stop = stop_of(thread)
            if stop is None:
                continue
            ptrace(DETACH, thread, 0 if stop[1] else stop[0])
        except OSError:
            pass  # It has ended.
        late.discard(thread)


def tasks(pid):
    return [int(it) for it in os.listdir(f"/proc/{pid}/task")]


class Stopped:
    """Threads of a process, stopped where none is inside of a beginning that is about to be replaced."""

    def __init__(self, threads, beginnings):
        self.threads, self.beginnings = list(threads), beginnings

    def __enter__(self):
        # All that are traced, and of these those that stand still.
        self.traced, self.held = [], []
        for thread in self.threads:
            try:
                ptrace(SEIZE, thread)
            except OSError:
                continue  # It has ended, or another program begins in it.
            self.traced.append(thread)
            for _ in range(TURNS):
                if not self.stop(thread):
                    break
                if not self.is_inside(thread):
                    self.held.append(thread)
                    break
                ptrace(CONTINUE, thread)
        return self

    def stop(self, thread):
        try:
            ptrace(INTERRUPT, thread)
            until = time.monotonic() + STOPPING
            while time.monotonic() < until:
                stop = stop_of(thread)
                if stop is None:
                    # One that waits for the child of its vfork cannot stop, and runs nothing meanwhile.
                    if self.waits_for_child(thread):
                        return False
                    time.sleep(LOOK)
                # The stop that was asked for is no signal's; one that comes before it is for the program.
                elif stop[1]:
                    return True
                else:
                    ptrace(CONTINUE, thread, stop[0])
            # Frida waits for threads too, and may have been told of this stop.
            return state_of(thread) == b"t"
        except OSError:
            return False

    def waits_for_child(self, thread):
        if state_of(thread) != b"D":
            return False
        with open(f"/proc/{thread}/syscall", "rb") as file:
            return file.read().split()[0] in VFORKS

    def is_inside(self, thread):
        at = registers_of(thread)[INSTRUCTION_POINTER]
        before = bisect.bisect_left(self.beginnings, at) - 1
        return before >= 0 and self.beginnings[before] < at < self.beginnings[before] + JUMP

    def __exit__(self, *_):
        for thread in self.traced:
            try:
                ptrace(DETACH, thread)
            except OSError:
                if thread not in self.held and os.path.exists(f"/proc/{thread}"):
                    late.add(thread)


def state_of(thread):
    """The letter that stands for what a thread does."""
    with open(f"/proc/{thread}/stat", "rb") as file:
        return file.read().rpartition(b")")[2].split()[0]

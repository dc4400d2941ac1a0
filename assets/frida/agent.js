// Hooks the functions of a program, so that calls.c runs where they begin and end, by Frida's JavaScript API:
// https://frida.re/docs/javascript-api/. A hooked function jumps to a stub of its own, which saves registers, calls
// `enter`, and continues with the function. `enter` replaces the return address by the trap, which asks `leave` where to
// return to. Unlike those of Frida's Interceptor.attach, the stubs save only registers that functions may change.

// Places in calls.c, in bytes.
const SHARED = {functions: 4096, most: 4100, hasGate: 4104, deepest: 4108, within: 4112, lost: 4120, found: 4128, massive: 4136,
  trap: 4144, withSaved: 4152, replace: 4160, state: 4168, requests: 4176, size: 4232};
const STATE = {isOff: 0, periods: 4, size: 8};
const FUNCTION = {address: 0, number: 8, isOut: 12, isGate: 16, size: 24};
// Massive functions, behind how many calls were lost, how many functions were found, and whether another program began.
const MASSIVE = {address: 0, time: 8, size: 16}, FIRST_MASSIVE = 16;
const STUB = 96;
// Bytes of the code that all stubs share, of that of calls.c at most, and of short functions.
const COMMON = 512, CALLS = 16384, SHORT = 256;
// So often it is looked whether threads have left calls.c.
const TURNS = 200;
// A jump to the stub takes so many bytes, and reaches so far; memory for stubs is looked for in steps.
const JUMP = 5, REACH = 0x70000000, STEP = 0x1000000;

const LIBC = ['clock_gettime', 'getrlimit', 'mincore', 'pthread_key_create', 'pthread_key_delete', 'pthread_getspecific', 'pthread_setspecific', 'mmap', 'munmap',
  'madvise', 'open', 'close', 'lseek', 'write', 'ftruncate', 'posix_fallocate', 'getpid', 'getppid',
  'syscall', 'snprintf', '__errno_location', 'pthread_self', '__libc_stack_end'];
// Programs may have these in themselves; then no stub is put there.
const BEFORE_UNWINDING = ['_Unwind_RaiseException', '_Unwind_Resume', '_Unwind_Resume_or_Rethrow',
  '_Unwind_ForcedUnwind', '_Unwind_Backtrace', 'pthread_exit', '__pthread_unwind', '__pthread_unwind_next', 'backtrace'];
const AFTER_UNWINDING = ['__cxa_begin_catch', '__cxa_end_catch'];

let ownUnwinders = [];
// Kept, as its address alone keeps no memory.
let requests;
let calls, shared, state, functions, massive, mayJumpBack, ranges;
// The program and libraries, and the memory for the stubs of each: where it begins, its common code, and where it is free.
let modules = [], areas = [];
const hooked = new Map();
const unwinders = new Map();
const watched = [];

// Registers that a function may change.
const VOLATILE = ['rax', 'rcx', 'rdx', 'rsi', 'rdi', 'r8', 'r9', 'r10', 'r11'];

function native(name, returns, takes) {
  return new NativeFunction(Module.getGlobalExportByName(name), returns, takes);
}

function writeEnter(code) {
  // Here r11 has the function; on the stack are where the stub goes on, r11 as it was, and the return address.
  const saved = VOLATILE.filter((it) => it != 'r11');
  code.putBytes(new Uint8Array([0x41, 0x83, 0x7b, FUNCTION.isOut, 0]).buffer); // cmp dword [r11 + isOut], 0
  code.putJccShortLabel('jne', 'out', 'no-hint');
  for (const register of saved) code.putPushReg(register);
  code.putSubRegImm('rsp', 8);
  code.putMovRegReg('rdi', 'r11');
  code.putLeaRegRegOffset('rsi', 'rsp', 8 + 8 * saved.length + 16);
  code.putCallAddress(calls.enter);
  code.putAddRegImm('rsp', 8);
  for (const register of saved.reverse()) code.putPopReg(register);
  code.putLabel('out');
  code.putRet();
}

function writeTrap(code) {
  code.putSubRegImm('rsp', 8);
  for (const register of VOLATILE) code.putPushReg(register);
  code.putLeaRegRegOffset('rdi', 'rsp', 8 * VOLATILE.length);
  code.putCallAddress(calls.leave);
  code.putMovRegOffsetPtrReg('rsp', 8 * VOLATILE.length, 'rax');
  for (const register of [...VOLATILE].reverse()) code.putPopReg(register);
  code.putRet();
}

// Calls a function, rdi, of a value, rsi, with all vector registers saved at rdx: functions of libraries use them.
function writeWithSaved(code) {
  for (const register of ['rbx', 'r12', 'r13']) code.putPushReg(register);
  code.putMovRegReg('rbx', 'rdi');
  code.putMovRegReg('r12', 'rsi');
  code.putMovRegReg('r13', 'rdx');
  code.putMovRegU64('rax', 0xe7);
  code.putXorRegReg('rdx', 'rdx');
  code.putBytes(new Uint8Array([0x49, 0x0f, 0xae, 0x65, 0]).buffer); // xsave64 [r13]
  code.putMovRegReg('rdi', 'r12');
  code.putCallReg('rbx');
  code.putMovRegU64('rax', 0xe7);
  code.putXorRegReg('rdx', 'rdx');
  code.putBytes(new Uint8Array([0x49, 0x0f, 0xae, 0x6d, 0]).buffer); // xrstor64 [r13]
  for (const register of ['r13', 'r12', 'rbx']) code.putPopReg(register);
  code.putRet();
}

// Replaces a pointer, at rdi, where it is rsi, by rdx; gives whether it was.
function writeReplace(code) {
  // mov rax, rsi; lock cmpxchg [rdi], rdx; sete al; movzx eax, al; ret
  const bytes = [0x48, 0x89, 0xf0, 0xf0, 0x48, 0x0f, 0xb1, 0x17, 0x0f, 0x94, 0xc0, 0x0f, 0xb6, 0xc0, 0xc3];
  code.putBytes(new Uint8Array(bytes).buffer);
}

function write(at, what) {
  const code = new X86Writer(at, {pc: at});
  what(code);
  code.flush();
  const end = at.add(code.offset);
  code.dispose();
  return end.add(15).and(ptr(15).not());
}

function unwinder(name, what) {
  const own = ownUnwinders.filter((it) => it.name == name).map((it) => it.address);
  for (const address of [Module.findGlobalExportByName(name), ...own]) {
    if (address === null || unwinders.has(address.toString())) continue;
    try { unwinders.set(address.toString(), Interceptor.attach(address, what)); } catch (error) {}
  }
}

function isUnwinder(name) {
  return BEFORE_UNWINDING.includes(name) || AFTER_UNWINDING.includes(name);
}

function leaveUnwinders() {
  for (const it of unwinders.values()) it.detach();
  unwinders.clear();
  Interceptor.flush();
}

function watchUnwinders() {
  BEFORE_UNWINDING.forEach((name) => unwinder(name, calls.unwind));
  AFTER_UNWINDING.forEach((name) => unwinder(name, calls.unwound));
}

// Until the end, also while recording is off: other programs are switched with this one.
function watchPrograms() {
  for (const [name, what] of [['execve', calls.execute], ['execveat', calls.execute_at], ['fexecve', calls.execute_open]]) {
    const address = Module.findGlobalExportByName(name);
    if (address !== null) watched.push(Interceptor.attach(address, what));
  }
  Interceptor.flush();
}

// Memory for stubs within reach of a module. It stays when this ends: a call may be on its way through it.
function reserve(module, size) {
  const map = native('mmap', 'pointer', ['pointer', 'size_t', 'int', 'int', 'int', 'int64']);
  const unmap = native('munmap', 'int', ['pointer', 'size_t']);
  for (let away = STEP; away < REACH; away += STEP) {
    const below = module.base.compare(ptr(size + away)) > 0 ? [module.base.sub(size + away)] : [];
    for (const from of [module.base.add(module.size + away), ...below]) {
      const at = map(from.and(ptr(0xfff).not()), size, 7, 0x22, -1, 0);
      const distance = int64(at.toString()).sub(int64(module.base.toString()));
      if (distance.compare(-REACH) > 0 && distance.compare(REACH) < 0) return at;
      if (at.compare(ptr(-1)) != 0) unmap(at, size);
    }
  }
  throw new Error('no memory near the code of the program');
}

// Copies the beginning of a function to where `code` writes, followed by a jump to the rest.
function copyBeginning(address, code) {
  const relocator = new X86Relocator(address, code);
  let length = 0;
  while (length < JUMP) {
    if (relocator.eoi) throw new Error('too short');
    const read = relocator.readOne();
    if (read == 0) throw new Error('unknown instructions');
    const instruction = relocator.input;
    if (instruction.mnemonic == 'call') {
      if (read < JUMP) throw new Error('a call at its beginning');
      const operand = instruction.operands[0], isTable = operand.type == 'mem' && operand.value.base == 'rip';
      if (operand.type != 'imm' && !isTable) throw new Error('a call at its beginning');
      // The call returns to the function itself, where those who unwind stacks know it.
      const back = address.add(read);
      relocator.skipOne();
      code.putLeaRegRegOffset('rsp', 'rsp', -8);
      const low = back.and(ptr(0xffffffff)).toUInt32(), high = back.shr(32).toUInt32();
      const bytes = (it) => [it & 255, it >>> 8 & 255, it >>> 16 & 255, it >>> 24];
      code.putBytes(new Uint8Array([0xc7, 0x04, 0x24, ...bytes(low), 0xc7, 0x44, 0x24, 4, ...bytes(high)]).buffer);
      if (!isTable) code.putJmpAddress(ptr(operand.value.toString()));
      else {
        // jmp [rip + distance]
        const distance = back.add(operand.value.disp).sub(code.pc.add(6)).toInt32();
        code.putBytes(new Uint8Array([0xff, 0x25, ...bytes(distance)]).buffer);
      }
      return;
    }
    relocator.writeOne();
    length = read;
  }
  if (!relocator.eoi) code.putJmpAddress(address.add(length));
  relocator.dispose();
}

function checkJumps(address, size) {
  if (mayJumpBack(address, size, JUMP) == 0) return;
  const end = address.add(size), beginning = address.add(JUMP);
  for (let at = address; at.compare(end) < 0;) {
    const instruction = Instruction.parse(at);
    const operand = instruction.operands[0];
    if (instruction.groups.includes('jump') && operand.type == 'imm') {
      const target = ptr(operand.value.toString());
      const isBack = target.compare(address) >= 0 && target.compare(beginning) < 0;
      if (isBack) throw new Error('a jump to its beginning');
    }
    at = at.add(instruction.size);
  }
}

function hook(area, address, size, number, isGate) {
  const of = functions.add(FUNCTION.size * number), at = area.begin.add(area.used);
  if (size < JUMP) throw new Error('too short');
  const end = address.add(size);
  const isWithin = (it) => address.compare(it.base) >= 0 && end.compare(it.base.add(it.size)) <= 0;
  if (!ranges.some(isWithin)) throw new Error('not in its code');
  checkJumps(address, size);
  of.add(FUNCTION.address).writePointer(address);
  of.add(FUNCTION.number).writeU32(number);
  of.add(FUNCTION.isGate).writeU64(isGate ? 1 : 0);
  const code = new X86Writer(at, {pc: at});
  code.putPushReg('r11');
  code.putMovRegAddress('r11', of);
  code.putCallAddress(area.common);
  code.putPopReg('r11');
  copyBeginning(address, code);
  code.flush();
  if (code.offset > STUB) throw new Error('unknown instructions');
  code.dispose();
  area.used += STUB;
  const to = at.sub(address.add(JUMP)).toInt32();
  const jump = [0xe9, to & 255, to >> 8 & 255, to >> 16 & 255, to >> 24 & 255];
  hooked.set(number, {address, jump, code: [...new Uint8Array(address.readByteArray(JUMP))]});
}

// Where all bytes are in one word, other threads see all of them or none.
function patch(address, bytes) {
  const offset = address.and(ptr(7)).toInt32();
  if (offset + bytes.length <= 8) {
    const word = address.sub(offset), all = new Uint8Array(word.readByteArray(8));
    all.set(bytes, offset);
    const view = new DataView(all.buffer);
    word.writeU64(uint64(view.getUint32(4, true)).shl(32).or(view.getUint32(0, true)));
  } else {
    // Others wait in a loop of two bytes until the jump is whole.
    address.writeU16(0xfeeb);
    address.add(2).writeByteArray(bytes.slice(2));
    address.writeU16(bytes[0] | bytes[1] << 8);
  }
}

function withWritableCode(action) {
  const protect = native('mprotect', 'int', ['pointer', 'size_t', 'int']);
  ranges = modules.flatMap((it) => it.enumerateRanges('--x'));
  for (const it of ranges) {
    if (protect(it.base, it.size, 7) != 0) throw new Error('the code of the program cannot be changed');
  }
  action();
  for (const it of ranges) protect(it.base, it.size, 5);
}

// A program's functions: symbols that are no parts of others, each address once.
function functionsOf(module) {
  const all = new Map();
  for (const it of module.enumerateSymbols().concat(module.enumerateExports())) {
    // Those of libraries are listed as well, without their place.
    if (it.type != 'function' || it.address.compare(module.base) <= 0) continue;
    if (isUnwinder(it.name)) ownUnwinders.push(it);
    // Those that unwind stacks look at their own return addresses.
    const isFunction = !isUnwinder(it.name) && !/\.cold(\.|$)|^_start$|^_init$|^_fini$|^_Unwind_|^uw_/.test(it.name);
    const at = it.address.toString();
    if (isFunction && !all.has(at)) all.set(at, it);
  }
  return [...all.values()].sort((a, b) => a.address.compare(b.address));
}

// Memory that forked processes share, of this program or in a file.
function mapShared(size, file) {
  const map = native('mmap', 'pointer', ['pointer', 'size_t', 'int', 'int', 'int', 'int64']);
  if (!file) return map(NULL, size, 3, 0x21, -1, 0);
  const opened = native('open', 'int', ['pointer', 'int'])(Memory.allocUtf8String(file), 2);
  if (opened < 0) throw new Error('cannot open ' + file);
  const at = map(NULL, size, 3, 1, opened, 0);
  native('close', 'int', ['int'])(opened);
  return at;
}

function patchAll(isOn) {
  withWritableCode(() => {
    for (const it of hooked.values()) patch(it.address, isOn ? it.jump : it.code);
  });
}

// Where threads are that run calls.c, or the code around it: [[from, to]]. While calls.c calls others, it notes so itself,
// except for two short functions of the C library: there a return address at the top of the stack shows it.
function placesOf() {
  const addresses = ['enter', 'leave', 'prepare'].map((name) => calls[name]);
  const least = addresses.reduce((a, b) => (a.compare(b) < 0 ? a : b));
  const own = areas.map((it) => [it.begin, it.common.add(COMMON)]);
  own.push([least.sub(CALLS), least.add(2 * CALLS)]);
  const short = ['pthread_getspecific', '__errno_location', 'syscall'].map((name) => {
    const from = Module.getGlobalExportByName(name);
    return [from, from.add(SHORT)];
  });
  const text = (list) => list.map(([from, to]) => [from.toString(), to.toString()]);
  return {own: text(own), short: text(short)};
}

// Ends recording: nothing jumps to the stubs any more, and those that still run go straight on.
function quiet() {
  state.add(STATE.isOff).writeU32(1);
  patchAll(false);
  // Processes that were forked keep the jumps, which cost little now.
  for (let number = 0; number < shared.add(SHARED.functions).readU32(); number++) {
    functions.add(FUNCTION.size * number + FUNCTION.isOut).writeU32(1);
  }
  for (const it of watched.splice(0)) it.detach();
  leaveUnwinders();
}

rpc.exports = {
  // The names of the libraries that are loaded.
  libraries() { return Process.enumerateModules().slice(1).map((it) => it.name); },
  // The functions of the program and of some libraries: [[name, offset, size]], and where each lies.
  list(libraries) {
    const isWanted = (it) => libraries.includes(it.name) && it.base.compare(Process.mainModule.base) != 0;
    modules = [Process.mainModule, ...Process.enumerateModules().filter(isWanted)];
    return modules.map((module) => {
      const all = functionsOf(module).map((it) => [it.name, it.address.sub(module.base).toString(), it.size || 0]);
      return {base: module.base.toString(), size: module.size, path: module.path, functions: all};
    });
  },
  begin(wish) {
    if (Process.arch != 'x64' || Process.platform != 'linux') throw new Error('needs Linux on x86-64');
    shared = Memory.alloc(SHARED.size);
    shared.writeUtf8String(wish.folder);
    shared.add(SHARED.functions).writeU32(wish.total);
    shared.add(SHARED.most).writeU32(wish.most);
    shared.add(SHARED.hasGate).writeU32(wish.hasGate ? 1 : 0);
    shared.add(SHARED.deepest).writeU32(wish.deepest);
    shared.add(SHARED.within).writeU64(uint64(wish.within));
    const found = mapShared(FIRST_MASSIVE + MASSIVE.size * wish.total, wish.massive);
    shared.add(SHARED.lost).writePointer(found);
    shared.add(SHARED.found).writePointer(found.add(8));
    shared.add(SHARED.massive).writePointer(found.add(FIRST_MASSIVE));
    massive = found;
    functions = mapShared(FUNCTION.size * wish.total + STATE.size, wish.functions);
    state = functions.add(FUNCTION.size * wish.total);
    shared.add(SHARED.state).writePointer(state);
    requests = Memory.allocUtf8String(wish.requests);
    shared.add(SHARED.requests).writePointer(requests);
    const symbols = {shared};
    for (const name of LIBC) symbols[name] = Module.getGlobalExportByName(name);
    calls = new CModule(wish.source, symbols);
    areas = modules.map((module, index) => {
      const begin = reserve(module, 4096 + STUB * wish.counts[index]), common = write(begin, () => 0);
      const rest = write(common, writeEnter);
      return {begin, common, rest, used: rest.sub(begin).toInt32()};
    });
    const trap = areas[0].rest;
    shared.add(SHARED.trap).writePointer(trap);
    const withSaved = write(trap, writeTrap);
    shared.add(SHARED.withSaved).writePointer(withSaved);
    const replace = write(withSaved, writeWithSaved);
    shared.add(SHARED.replace).writePointer(replace);
    areas[0].used = write(replace, writeReplace).sub(areas[0].begin).toInt32();
    mayJumpBack = new NativeFunction(calls.may_jump_back, 'int', ['pointer', 'int', 'int']);
    if (new NativeFunction(calls.prepare, 'int', [])() == 0) throw new Error('no memory');
    if (wish.paused) state.add(STATE.isOff).writeU32(1);
    watchPrograms();
  },
  // Hooks functions, [[module, offset, size, number, whether it is a gate]]; tells those that cannot be, and why.
  hook(list) {
    const failed = [];
    ranges = modules.flatMap((it) => it.enumerateRanges('--x'));
    for (const [module, offset, size, number, isGate] of list) {
      try {
        hook(areas[module], modules[module].base.add(offset), size, number, isGate);
      } catch (error) { failed.push([number, error.message]); }
    }
    return failed;
  },
  turn(isOn) {
    state.add(STATE.isOff).writeU32(isOn ? 0 : 1);
    if (!isOn) state.add(STATE.periods).writeU32(state.add(STATE.periods).readU32() + 1);
    if (isOn) watchUnwinders();
    patchAll(isOn);
    if (isOn) return;
    // A thread that is on its way through may put the trap in place once more: calls.c stays, and knows what to do.
    new NativeFunction(calls.restore, 'int', [])();
    leaveUnwinders();
  },
  // Takes functions out that are called too often, from this one on; gives how many have been.
  takeOut(from) {
    const end = massive.add(8).readU32(), found = new Set();
    for (let i = from; i < end; i++) found.add(massive.add(FIRST_MASSIVE + MASSIVE.size * i).readU64().toString());
    if (found.size == 0) return end;
    withWritableCode(() => {
      for (const [number, it] of hooked) {
        if (!found.has(uint64(it.address.toString()).toString())) continue;
        patch(it.address, it.code);
        hooked.delete(number);
      }
    });
    return end;
  },
  quiet() {
    if (calls) quiet();
    return calls ? placesOf() : null;
  },
  // Puts all return addresses back; gives how many there were, and threads in calls.c. One of these may put the trap in place
  // once more.
  restore() { return new NativeFunction(calls.restore, 'int', [])(); },
  // Lets threads end without calls.c; whether that came true.
  forget() { return new NativeFunction(calls.forget_threads, 'int', [])() == 0; },
  // The code of calls.c has to stay where a thread may still run it.
  end(isFree) {
    if (!isFree) Script.pin();
    new NativeFunction(calls.settle_all, 'void', [])();
    calls = null;
  },
  // Where whoever drives this is gone.
  dispose() {
    if (!calls) return;
    quiet();
    let left = this.restore();
    for (let turn = 0; turn < TURNS && left != 0; turn++) {
      Thread.sleep(0.005);
      left = this.restore();
    }
    const isFree = left == 0 && this.forget();
    // A thread may be about to end.
    Thread.sleep(0.05);
    this.end(isFree);
  },
};

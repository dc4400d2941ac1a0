// Takes samples of a running node by its inspector, until this is told to end:
// https://chromedevtools.github.io/devtools-protocol/v8/Profiler/. Callscape writes this beside the recording.
'use strict';
const fs = require('fs');

const [, , pid, output, interval] = process.argv;
const PATIENCE = 10000, LOOK = 50;
const sleep = (time) => new Promise((resolve) => setTimeout(resolve, time));
const isThere = () => fs.existsSync(`/proc/${pid}`);

// Ports of this machine itself on which the process listens: https://www.kernel.org/doc/html/latest/networking/proc_net_tcp.html
function ports() {
  const own = new Set();
  for (const name of fs.readdirSync(`/proc/${pid}/fd`)) {
    try { own.add(fs.readlinkSync(`/proc/${pid}/fd/${name}`)); } catch {}
  }
  const rows = fs.readFileSync(`/proc/${pid}/net/tcp`, 'utf8').split('\n').slice(1).map((row) => row.trim().split(/\s+/));
  const found = rows.filter((row) => row[3] === '0A' && own.has(`socket:[${row[9]}]`));
  return found.map((row) => parseInt(row[1].split(':')[1], 16));
}

async function inspector() {
  const before = ports();
  for (const port of before) {
    const address = await addressAt(port);
    if (address) return {address, isOurs: false};
  }
  process.kill(Number(pid), 'SIGUSR1');
  for (const until = Date.now() + PATIENCE; Date.now() < until && isThere(); await sleep(LOOK)) {
    for (const port of ports().filter((it) => !before.includes(it))) {
      const address = await addressAt(port);
      if (address) return {address, isOurs: true};
    }
  }
  throw new Error('the process opened no inspector: its port 9229 may be taken');
}

async function addressAt(port) {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/json/list`, {signal: AbortSignal.timeout(1000)});
    return (await answer.json())[0].webSocketDebuggerUrl;
  } catch { return undefined; }
}

async function main() {
  let stop;
  const stopped = new Promise((resolve) => { stop = resolve; });
  for (const name of ['SIGINT', 'SIGTERM']) process.on(name, stop);
  const {address, isOurs} = await inspector();
  const socket = new WebSocket(address), waiting = new Map();
  let last = 0;
  const ask = (method, params = {}) => new Promise((resolve, reject) => {
    waiting.set(++last, {resolve, reject});
    socket.send(JSON.stringify({id: last, method, params}));
  });
  socket.onmessage = ({data}) => {
    const said = JSON.parse(data);
    // A process that ends waits for us: what it did is written before.
    if (said.method === 'NodeRuntime.waitingForDisconnect') stop();
    const asked = waiting.get(said.id);
    if (asked) said.error ? asked.reject(new Error(said.error.message)) : asked.resolve(said.result);
  };
  await new Promise((resolve, reject) => Object.assign(socket, {onopen: resolve, onerror: reject}));
  socket.onclose = stop;
  await ask('NodeRuntime.notifyWhenWaitingForDisconnect', {enabled: true});
  await ask('Profiler.enable');
  await ask('Profiler.setSamplingInterval', {interval: Number(interval)});
  await ask('Profiler.start');
  await stopped;
  const gone = new Promise((_, reject) => { socket.onclose = () => reject(new Error('the process has ended')); });
  const {profile} = await Promise.race([ask('Profiler.stop'), gone]);
  fs.writeFileSync(output, JSON.stringify(profile));
  const close = {expression: 'require("inspector").close()', includeCommandLineAPI: true};
  // Its answer may be lost with the connection.
  if (isOurs) socket.send(JSON.stringify({id: 0, method: 'Runtime.evaluate', params: close}));
  await sleep(LOOK);
  socket.close();
}

main().then(() => process.exit(0), (error) => { console.error(error.message); process.exit(1); });

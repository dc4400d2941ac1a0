// What speedscope's own importer reads: usage: node speedscope.mjs PACKAGE FILE
//
// Its package on npm holds only the page, so the page's script runs here without a browser, and its importer, which the
// page loads when it is first needed, is called. Prints [name, self weight, total weight] of each frame, of all profiles.
import fs from 'node:fs'
import path from 'node:path'
import vm from 'node:vm'
import zlib from 'node:zlib'

const [folder, file] = process.argv.slice(2)
const release = path.join(folder, 'dist/release')
const script = fs.readdirSync(release).find((name) => /^speedscope-.*\.js$/.test(name))
let code = fs.readFileSync(path.join(release, script), 'utf8')
const [, exported] = /(\w+),\{[^{}]*importProfilesFromArrayBuffer:\(\)=>/.exec(code)
const [, load] = new RegExp(`(\\w+)\\(\\),${exported}\\)`).exec(code)
code = code.replace('(()=>{', `(()=>{globalThis.importer=()=>(${load}(),${exported});`)

// Whatever the page asks of a browser.
const anything = new Proxy(function () {}, {
  get: (_, key) => (key === Symbol.toPrimitive ? () => '' : key === 'length' ? 0 : anything),
  set: () => true,
  apply: () => anything,
  construct: () => anything,
})
const location = { hash: '', href: 'file:///', protocol: 'file:' }
const browser = { window: globalThis, self: globalThis, document: anything, location, addEventListener() {} }
Object.assign(globalThis, browser, { requestAnimationFrame() {}, localStorage: anything, matchMedia: () => anything })
console.log = console.warn = () => {}
try {
  vm.runInThisContext(code)
} catch {
  // The page cannot be drawn; its importer is there all the same.
}

let data = fs.readFileSync(file)
if (data[0] === 0x1f && data[1] === 0x8b) data = zlib.gunzipSync(data)
const bytes = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength)
const name = path.basename(file).replace(/\.gz$/, '')
const { profiles } = await globalThis.importer().importProfilesFromArrayBuffer(name, bytes)
const frames = []
for (const profile of profiles) {
  profile.forEachFrame((it) => frames.push([it.name, it.getSelfWeight(), it.getTotalWeight()]))
}
fs.writeSync(1, JSON.stringify(frames))
process.exit(0)

import { builtinModules } from 'node:module'
import { type GlobalUse, findGlobals } from './globals.ts'
import { type Import, type SourceFile, lineAt } from './sources.ts'
import type { House } from './tables.ts'

/** A thing of the world, as named in the second table of `src/README.md`. */
type Thing =
  | 'clock'
  | 'randomness'
  | 'timers'
  | 'network'
  | 'files'
  | 'process'
  | '`node:` modules'
  | 'console'
  | 'code made from strings'

const wholeGlobals: Readonly<Record<string, Thing>> = {
  performance: 'clock',
  crypto: 'randomness',
  setTimeout: 'timers',
  setInterval: 'timers',
  setImmediate: 'timers',
  requestAnimationFrame: 'timers',
  requestIdleCallback: 'timers',
  scheduler: 'timers',
  MessageChannel: 'timers',
  fetch: 'network',
  XMLHttpRequest: 'network',
  WebSocket: 'network',
  EventSource: 'network',
  WebTransport: 'network',
  BroadcastChannel: 'network',
  navigator: 'network',
  localStorage: 'files',
  sessionStorage: 'files',
  indexedDB: 'files',
  caches: 'files',
  process: 'process',
  Deno: 'process',
  Bun: 'process',
  Worker: 'process',
  SharedWorker: 'process',
  require: '`node:` modules',
  console: 'console',
  eval: 'code made from strings',
  Function: 'code made from strings',
}

/** Globals that are harmless except for some members; used bare they could be passed on, so that counts too. */
const partGlobals: Readonly<Record<string, Readonly<Record<string, Thing>>>> = {
  Date: { now: 'clock' },
  Math: { random: 'randomness' },
  AbortSignal: { timeout: 'timers' },
}

const bareThing: Readonly<Record<string, Thing>> = { Date: 'clock', Math: 'randomness' }

const platformNames = new Set(['globalThis', 'self', 'window', 'global'])

/** Modules of Node that bring a thing with an owner of its own. */
const moduleThings: Readonly<Record<string, Thing>> = {
  timers: 'timers',
  'timers/promises': 'timers',
  perf_hooks: 'clock',
  vm: 'code made from strings',
}

const randomMembers = /^(random|getRandom|webcrypto|generateKey|generatePrime|\*)/

/** Everything in a source file that reaches for a thing whose owner is another room. */
export function checkWorld(file: SourceFile, house: House): string[] {
  if (file.room === undefined || file.isTest) return []
  const uses = [
    ...findGlobals(file.program).flatMap((use) => readUse(use, file)),
    ...file.imports.flatMap((found) => readImport(found)),
  ]
  return uses
    .filter((use) => !house.owners.get(use.thing)?.includes(file.room!))
    .map((use) => `${file.path}:${use.line}: ${use.what} is ${use.thing}, ${ownersOf(house, use.thing)}`)
}

interface WorldUse {
  readonly thing: Thing
  readonly what: string
  readonly line: number
}

function ownersOf(house: House, thing: Thing): string {
  const owners = house.owners.get(thing)
  if (owners === undefined) throw new Error(`src/README.md names no owner of ${thing}`)
  return owners.length === 0 ? 'which no room may use' : `owned by ${owners.join(', ')}`
}

function readUse(use: GlobalUse, file: SourceFile): WorldUse[] {
  const { name, member } = unfold(use)
  const line = lineAt(file.text, use.node.start)
  const what = member === undefined ? name : `${name}.${member}`
  // Core asks Node for its hash and for installed packages, and only where they are there.
  if (file.room === 'core' && what === 'process.getBuiltinModule') return []
  if (platformNames.has(name)) return file.room === 'core' ? [] : [{ thing: 'process', what: `bare ${name}`, line }]
  const whole = wholeGlobals[name]
  if (whole !== undefined) return [{ thing: whole, what, line }]
  const parts = Object.hasOwn(partGlobals, name) ? partGlobals[name] : undefined
  if (parts === undefined) return []
  if (member !== undefined) return parts[member] === undefined ? [] : [{ thing: parts[member], what, line }]
  const bare = bareThing[name]
  return bare === undefined || isHarmless(use) ? [] : [{ thing: bare, what: `bare ${name}`, line }]
}

/** Turns `globalThis.fetch` into `fetch`, and tells the member that is taken of it, when it is written out. */
function unfold(use: GlobalUse): { name: string; member: string | undefined } {
  const members = memberNames(use)
  return platformNames.has(use.name) && members[0] !== undefined
    ? { name: members[0], member: members[1] }
    : { name: use.name, member: members[0] }
}

function memberNames(use: GlobalUse): string[] {
  const names: string[] = []
  let inner = use.node
  for (const around of use.ancestors.toReversed()) {
    if (around.type === 'ChainExpression' || around.type.startsWith('TS')) {
      inner = around
      continue
    }
    if (around.type !== 'MemberExpression' || around.object !== inner) break
    const property = around.property as { name?: string; value?: unknown }
    const name = around.computed ? property.value : property.name
    if (typeof name !== 'string') break
    names.push(name)
    inner = around
  }
  return names
}

/** `new Date(x)` and `x instanceof Date` read no clock. */
function isHarmless(use: GlobalUse): boolean {
  const parent = use.ancestors.at(-1)
  if (parent?.type === 'NewExpression') return parent.callee === use.node && parent.arguments.length > 0
  return parent?.type === 'BinaryExpression' && parent.operator === 'instanceof'
}

function readImport(found: Import): WorldUse[] {
  const name = found.specifier.replace(/^node:/, '')
  if (!found.specifier.startsWith('node:') && !builtinModules.includes(name)) return []
  const uses: Thing[] = ['`node:` modules']
  const thing = Object.hasOwn(moduleThings, name) ? moduleThings[name] : undefined
  if (thing !== undefined) uses.push(thing)
  if (name === 'crypto' && found.names.some((one) => randomMembers.test(one))) uses.push('randomness')
  return uses.map((one) => ({ thing: one, what: found.specifier, line: found.line }))
}

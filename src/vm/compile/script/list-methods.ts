import { script } from '../../script/script.ts'
import type { BuiltinTable } from '../../value/builtin-table.ts'
import { DEFAULT_VM_LIMITS } from '../../meter/limits.ts'
import { GuestMap, GuestRegExp, GuestSet } from '../../value/collections.ts'
import type { Guest } from '../../value/guest.ts'
import { GuestArray } from '../../value/guest-array.ts'
import { GuestFunction } from '../../value/guest-function.ts'
import { GuestObject } from '../../value/guest-object.ts'
import { rootShape } from '../../value/shape.ts'
import { FunctionCode } from '../code.ts'
import { Emitter } from '../emit/emitter.ts'
import type { Unit } from '../emit/emitter.ts'
import type { Fn } from '../ir.ts'
import type { Language, ListMethods } from '../language.ts'
import { Lowering } from '../lower/lowering.ts'
import { Resolver } from '../lower/resolver.ts'
import type { Globals } from '../lower/resolver.ts'
import { ScriptDeclarations } from './declarations.ts'

/** Collects the items to sort; `undefined` and holes come last. */
const HELD =
  'const n = a.length; const held = []; let k = 0; let none = 0; for (let i = 0; i < n; i++) if (i in a) { if (a[i] === undefined) none++; else { held[k] = a[i]; k++ } }'

/** A stable bottom-up merge sort in which each comparison is a suspendable call. */
const MERGE = `let all = held; for (let width = 1; width < k; width *= 2) {
  const next = []; let to = 0
  for (let low = 0; low < k; low += width * 2) {
    const middle = low + width < k ? low + width : k; const high = middle + width < k ? middle + width : k
    let x = low; let y = middle
    while (x < middle || y < high) {
      let isLeft = y >= high
      if (!isLeft && x < middle) { const order = f(all[x], all[y]); isLeft = !(order > 0) }
      if (isLeft) { next[to] = all[x]; x++ } else { next[to] = all[y]; y++ }
      to++
    }
  }
  all = next
}`

/** Calls the replacer with a match, its groups, index, text, and named groups if any. */
const CALL_WITH_MATCH = 'const x = m.groups === undefined ? f(...m, m.index, s) : f(...m, m.index, s, m.groups);'

/**
 * Guest implementations of built-ins with callbacks. They replace the built-ins when a callback may run long, because
 * built-ins run on the native stack and cannot be suspended.
 */
const SOURCE = `
function map(a, f) { const n = a.length; const r = []; for (let i = 0; i < n; i++) if (i in a) r[i] = f(a[i], i, a); r.length = n; return r }
function forEach(a, f) { const n = a.length; for (let i = 0; i < n; i++) if (i in a) f(a[i], i, a) }
function filter(a, f) { const n = a.length; const r = []; let k = 0; for (let i = 0; i < n; i++) if (i in a) { const x = a[i]; if (f(x, i, a)) { r[k] = x; k++ } } return r }
function some(a, f) { const n = a.length; for (let i = 0; i < n; i++) if (i in a && f(a[i], i, a)) return true; return false }
function every(a, f) { const n = a.length; for (let i = 0; i < n; i++) if (i in a && !f(a[i], i, a)) return false; return true }
function find(a, f) { const n = a.length; for (let i = 0; i < n; i++) { const x = a[i]; if (f(x, i, a)) return x } }
function findIndex(a, f) { const n = a.length; for (let i = 0; i < n; i++) if (f(a[i], i, a)) return i; return -1 }
function findLast(a, f) { for (let i = a.length - 1; i >= 0; i--) { const x = a[i]; if (f(x, i, a)) return x } }
function findLastIndex(a, f) { for (let i = a.length - 1; i >= 0; i--) if (f(a[i], i, a)) return i; return -1 }
function reduce(a, f, ...given) { const n = a.length; let i = given.length > 0 ? 0 : 1; let sum = given.length > 0 ? given[0] : a[0]; for (; i < n; i++) if (i in a) sum = f(sum, a[i], i, a); return sum }
function reduceRight(a, f, ...given) { let i = a.length - 1; let sum = given[0]; if (given.length === 0) { sum = a[i]; i-- } for (; i >= 0; i--) if (i in a) sum = f(sum, a[i], i, a); return sum }
function sort(a, f) { ${HELD} ${MERGE} for (let i = 0; i < k; i++) a[i] = all[i]; for (let i = k; i < k + none; i++) a[i] = undefined; for (let i = k + none; i < n; i++) delete a[i]; return a }
function toSorted(a, f) { ${HELD} for (let i = 0; i < n; i++) if (!(i in a)) none++; ${MERGE} const r = []; for (let i = 0; i < k; i++) r[i] = all[i]; for (let i = k; i < k + none; i++) r[i] = undefined; return r }
function flatMap(a, f) { const n = a.length; const r = []; let k = 0; for (let i = 0; i < n; i++) if (i in a) { const x = f(a[i], i, a); for (const y of [x].flat()) { r[k] = y; k++ } } return r }
function mapForEach(m, f) { for (const [k, v] of m) f(v, k, m) }
function setForEach(m, f) { for (const v of m) f(v, v, m) }
function fromList(_, a, f) { const r = []; for (let i = 0; i < a.length; i++) r[i] = f(a[i], i); return r }
function fromItems(_, items, f) { const a = [...items]; const r = []; for (let i = 0; i < a.length; i++) r[i] = f(a[i], i); return r }
function fromLength(_, a, f) { const n = a.length; const r = []; for (let i = 0; i < n; i++) r[i] = f(a[i], i); return r }
function groupMap(_, items, f, groups) { const a = [...items]; for (let i = 0; i < a.length; i++) { const k = f(a[i], i); if (groups.has(k)) groups.get(k).push(a[i]); else groups.set(k, [a[i]]) } return groups }
function groupObject(_, items, f, known) { const a = [...items]; const groups = {}; for (let i = 0; i < a.length; i++) { const x = f(a[i], i); const k = \`\${x}\`; if (known.has(k)) known.get(k).push(a[i]); else { const list = [a[i]]; known.set(k, list); groups[k] = list } } return groups }
function replaceText(s, p, f) { const at = s.indexOf(p); if (at < 0) return s; const x = f(p, at, s); return s.slice(0, at) + \`\${x}\` + s.slice(at + p.length) }
function replaceTexts(s, p, f) { const step = p.length > 0 ? p.length : 1; let out = ''; let end = 0; let at = s.indexOf(p); while (at >= 0) { const x = f(p, at, s); out += s.slice(end, at) + \`\${x}\`; end = at + p.length; at = at + step > s.length ? -1 : s.indexOf(p, at + step) } return out + s.slice(end) }
function replaceMatch(s, p, f) { const m = s.match(p); if (m === null) return s; ${CALL_WITH_MATCH} return s.slice(0, m.index) + \`\${x}\` + s.slice(m.index + m[0].length) }
function replaceMatches(s, p, f) { p.lastIndex = 0; let out = ''; let end = 0; for (const m of [...s.matchAll(p)]) { ${CALL_WITH_MATCH} out += s.slice(end, m.index) + \`\${x}\`; end = m.index + m[0].length } return out + s.slice(end) }
`

/** A function of the source above that replaces a built-in. */
interface StandIn {
  readonly name: string
  /** The position of the callback; 0 if absent. */
  readonly callback?: 1
  /** Whether it is equivalent for this receiver and these arguments. */
  readonly fits: (receiver: Guest, args: readonly Guest[]) => boolean
  /** Extra arguments of the stand-in. */
  readonly fresh?: () => Guest
}

const ofList = (receiver: Guest): boolean => receiver instanceof GuestArray

/** `reduce` without an initial value needs at least one item. */
const acceptsCall = {
  folding: (receiver: Guest, args: readonly Guest[]): boolean =>
    ofList(receiver) &&
    (args.length > 1 || !((receiver as GuestArray).hasGaps || (receiver as GuestArray).items.length === 0)),
  iterable: (_: Guest, [source, , ...more]: readonly Guest[]): boolean => more.length === 0 && isListed(source),
  text: (receiver: Guest, [pattern]: readonly Guest[]): boolean =>
    typeof receiver === 'string' && typeof pattern === 'string',
  pattern:
    (isGlobal: boolean) =>
    (receiver: Guest, [pattern]: readonly Guest[]): boolean =>
      typeof receiver === 'string' && pattern instanceof GuestRegExp && pattern.flags.includes('g') === isGlobal,
}

function isListed(value: Guest): boolean {
  return (
    typeof value === 'string' || value instanceof GuestArray || value instanceof GuestMap || value instanceof GuestSet
  )
}

/** An array-like whose `length` is a valid count. */
function isLike(value: Guest): boolean {
  return (
    value instanceof GuestObject && Number.isSafeInteger(value.get('length')) && (value.get('length') as number) >= 0
  )
}

const listMethods = 'map forEach filter some every find findIndex findLast findLastIndex flatMap toSorted'

/** The stand-ins of each built-in; the first that accepts the call is used. */
const STAND_INS: ReadonlyMap<string, readonly StandIn[]> = new Map<string, readonly StandIn[]>([
  ...listMethods.split(' ').map((name): [string, StandIn[]] => [`array.${name}`, [{ name, fits: ofList }]]),
  ['array.sort', [{ name: 'sort', fits: (receiver) => receiver instanceof GuestArray && !receiver.isFrozen }]],
  ['array.reduce', [{ name: 'reduce', fits: acceptsCall.folding }]],
  ['array.reduceRight', [{ name: 'reduceRight', fits: acceptsCall.folding }]],
  ['map.forEach', [{ name: 'mapForEach', fits: (receiver) => receiver instanceof GuestMap }]],
  ['set.forEach', [{ name: 'setForEach', fits: (receiver) => receiver instanceof GuestSet }]],
  [
    'Array.from',
    [
      { name: 'fromList', callback: 1, fits: (_, [source]) => source instanceof GuestArray },
      { name: 'fromItems', callback: 1, fits: (_, [source]) => isListed(source) },
      { name: 'fromLength', callback: 1, fits: (_, [source]) => isLike(source) },
    ],
  ],
  ['Map.groupBy', [{ name: 'groupMap', callback: 1, fits: acceptsCall.iterable, fresh: () => new GuestMap() }]],
  ['Object.groupBy', [{ name: 'groupObject', callback: 1, fits: acceptsCall.iterable, fresh: () => new GuestMap() }]],
  [
    'string.replace',
    [
      { name: 'replaceText', callback: 1, fits: acceptsCall.text },
      { name: 'replaceMatch', callback: 1, fits: acceptsCall.pattern(false) },
      { name: 'replaceMatches', callback: 1, fits: acceptsCall.pattern(true) },
    ],
  ],
  [
    'string.replaceAll',
    [
      { name: 'replaceTexts', callback: 1, fits: acceptsCall.text },
      { name: 'replaceMatches', callback: 1, fits: acceptsCall.pattern(true) },
    ],
  ],
])

/** Compiled on first use and shared; they hold no state. */
export function makeListMethods(language: () => Language): ListMethods {
  let made: ReadonlyMap<string, GuestFunction> | undefined
  const all = (): ReadonlyMap<string, GuestFunction> => (made ??= compileMethods(language()))
  return {
    standIn: ({ path }, receiver, args) => {
      for (const { name, callback = 0, fits: isFit, fresh } of STAND_INS.get(path) ?? []) {
        const fn = args[callback]
        if (!(fn instanceof GuestFunction) || !fn.code.isLong) return undefined
        if (!isFit(receiver, args)) continue
        return { target: all().get(name)!, args: [receiver, ...args, ...(fresh === undefined ? [] : [fresh()])] }
      }
      return undefined
    },
    compiledIn: makeListMethods,
  }
}

function compileMethods(language: Language): ReadonlyMap<string, GuestFunction> {
  const low = new Lowering({ language, atoms: new Map(), limits: DEFAULT_VM_LIMITS })
  const builtins: BuiltinTable = { methods: new Map(), getters: new Map(), globals: new Map() }
  const unit: Unit = { language, root: rootShape(), codes: [], isTraced: false, builtins }
  const globals: Globals = {
    isScript: true,
    has: () => false,
    find: () => undefined,
    declarations: (resolver) => new ScriptDeclarations(resolver, false),
  }
  const found = new Map<string, GuestFunction>()
  for (const st of low.steps(script(SOURCE) as never, 'steps')) {
    if (st.k !== 'function') continue
    const fn: Fn = { ...st.fn, isIsolated: true }
    const info = new Resolver(globals).fn(fn, undefined)
    language.labels?.reserve(fn)
    const code = new FunctionCode(-1 - found.size, fn, new Emitter(unit, info))
    found.set(fn.name, new GuestFunction(code, []))
  }
  return found
}

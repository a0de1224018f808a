import { script } from '../../script/script.ts'
import { BuiltinTable } from '../../door.ts'
import { DEFAULT_VM_LIMITS } from '../../meter/limits.ts'
import { GuestFunction } from '../../value/guest-function.ts'
import { rootShape } from '../../value/shape.ts'
import { FunctionCode } from '../code.ts'
import { Emitter } from '../emitter.ts'
import type { Unit } from '../emitter.ts'
import type { Fn } from '../ir.ts'
import type { Language, ListMethods } from '../language.ts'
import { Lowering } from '../lowering.ts'
import { Resolver } from '../resolver.ts'
import type { Globals } from '../resolver.ts'
import { ScriptDeclarations } from './declarations.ts'

/** What a list holds, without what is `undefined`, which comes last. */
const HELD =
  'const n = a.length; const held = []; let k = 0; let none = 0; for (let i = 0; i < n; i++) if (i in a) { if (a[i] === undefined) none++; else { held[k] = a[i]; k++ } }'

/** A merge sort from the bottom up: stable, and each comparison is a call that can be put aside. */
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

/**
 * Methods of lists with callbacks, as functions of a program: where a callback may run long, these stand in for the
 * built-ins, which run on the native stack and cannot be put aside.
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
function mapForEach(m, f) { for (const [k, v] of m) f(v, k, m) }
function setForEach(m, f) { for (const v of m) f(v, v, m) }
`

/** Made when first needed, then shared: nothing in them changes. */
export function makeListMethods(language: () => Language): ListMethods {
  let made: ReadonlyMap<string, GuestFunction> | undefined
  const all = (): ReadonlyMap<string, GuestFunction> => (made ??= compileMethods(language()))
  return {
    get: (name) => all().get(name),
    compiledIn: makeListMethods,
  }
}

function compileMethods(language: Language): ReadonlyMap<string, GuestFunction> {
  const low = new Lowering({ language, atoms: new Map(), limits: DEFAULT_VM_LIMITS })
  const builtins = new BuiltinTable({ methods: new Map(), getters: new Map(), globals: new Map() })
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

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

/**
 * Methods of lists with callbacks, as functions of a program: where a callback may run long, these stand in for the
 * built-ins, which run on the native stack and cannot be put aside. Their order is part of snapshots.
 */
const SOURCE = `
function map(a, f) { const n = a.length; const r = []; for (let i = 0; i < n; i++) if (i in a) r[i] = f(a[i], i, a); r.length = n; return r }
function forEach(a, f) { const n = a.length; for (let i = 0; i < n; i++) if (i in a) f(a[i], i, a) }
function filter(a, f) { const n = a.length; const r = []; let k = 0; for (let i = 0; i < n; i++) if (i in a) { const x = a[i]; if (f(x, i, a)) { r[k] = x; k++ } } return r }
function some(a, f) { const n = a.length; for (let i = 0; i < n; i++) if (i in a && f(a[i], i, a)) return true; return false }
function every(a, f) { const n = a.length; for (let i = 0; i < n; i++) if (i in a && !f(a[i], i, a)) return false; return true }
function find(a, f) { const n = a.length; for (let i = 0; i < n; i++) { const x = a[i]; if (f(x, i, a)) return x } }
function findIndex(a, f) { const n = a.length; for (let i = 0; i < n; i++) if (f(a[i], i, a)) return i; return -1 }
`

/** Made when first needed, then shared: nothing in them changes. */
export function makeListMethods(language: () => Language): ListMethods {
  let made: ReadonlyMap<string, GuestFunction> | undefined
  const all = (): ReadonlyMap<string, GuestFunction> => (made ??= compileMethods(language()))
  return {
    get: (name) => all().get(name),
    codeAt: (id) => [...all().values()][-1 - id]?.code,
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

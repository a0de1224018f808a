import type { FunctionCode } from '../code.ts'
import type { Shape } from '../../value/shape.ts'
import type { Ex, Var } from '../ir.ts'
import type { Block, St } from '../ir-statements.ts'
import { FunctionInfo, Scope } from './scope.ts'

/** The kind of the last declaration of a shared variable. A `var` keeps its value when it is declared again without one. */
export type DeclaredKind = 'let' | 'const' | 'var' | 'function'

/** One variable that programs share. */
export interface SharedVariable {
  readonly kind: DeclaredKind
  /** Whether it has a value. Otherwise reads are checked. */
  readonly isSet: boolean
  /** The same object in every program. */
  readonly identity: object
}

/** The variables that several programs share, in one session. */
export interface SharedScope {
  /** The shape of empty objects of all programs. */
  readonly root: Shape
  readonly world: { readonly codes: readonly FunctionCode[] }
  readonly names: Iterable<string>
  /** Returns the variable of a name, including one that is about to be declared. */
  variable(name: string): SharedVariable
  /** Whether a declaration of this name stays inside its program. */
  isLocal(name: string): boolean
}

/** Turns declarations at the top level of a program into assignments of shared variables; functions come first. */
export function shareDeclarations(
  { body, ...block }: Block,
  shared: SharedScope,
): { readonly body: Block; readonly declared: Map<string, DeclaredKind> } {
  const declared = new Map<string, DeclaredKind>()
  const first: St[] = []
  const rest: St[] = []
  for (const st of body) {
    const name = st.k === 'let' ? st.name : st.k === 'function' ? st.fn.name : undefined
    // Names with `%` are temporaries of the front end.
    if (name === undefined || name.startsWith('%') || shared.isLocal(name)) rest.push(st)
    else if (st.k === 'function') {
      declared.set(name, 'function')
      first.push({ ...place(st), k: 'expr', value: assign(name, st.fn, st) })
    } else if (st.k === 'let') {
      // The front end hoists `var` declarations to the start, without a position.
      const isVar = st.value === undefined && st.at === undefined
      declared.set(name, isVar ? 'var' : st.kind)
      if (!isVar)
        rest.push({
          ...place(st),
          k: 'expr',
          value: assign(name, st.value ?? { k: 'unary', op: 'void', argument: ZERO }, st),
        })
    }
  }
  return { body: { ...block, body: [...first, ...rest] }, declared }
}

const ZERO: Ex = { k: 'lit', value: 0 }

function place({ at, path, op, cost }: St): Pick<St, 'at' | 'path' | 'op' | 'cost'> {
  return { at, path, op, cost }
}

function assign(name: string, value: Ex, { at }: St): Ex {
  const target: Var = { k: 'var', name, declares: true, at }
  return { k: 'assign', op: '', target, value, at }
}

/** The scope around a program that shares variables. */
export function sharedScope(shared: SharedScope, declared: ReadonlyMap<string, DeclaredKind>): Scope {
  const scope = new Scope(undefined, new FunctionInfo(undefined))
  for (const name of new Set([...shared.names, ...declared.keys()])) {
    const { kind, isSet, identity } = shared.variable(name)
    const now = declared.get(name) ?? kind
    const variable = scope.declare(name, now === 'const' ? 'const' : 'let')
    variable.isDeclared = true
    variable.isChecked = !isSet
    variable.shared = identity
  }
  return scope
}

import type { Emitter } from '../../../src/vm/compile/emit/emitter.ts'
import type { Assign, Call, Ex, Method, New, IteratedItems } from '../../../src/vm/compile/ir.ts'
import type { CallTo, St } from '../../../src/vm/compile/ir-statements.ts'
import type { EmitExpr, EmitStep, Language } from '../../../src/vm/compile/language.ts'
import { scriptLanguage } from '../../../src/vm/compile/script/index.ts'
import { BUILTIN_RULES } from '../../../src/vm/labels/rules/builtin-rules.ts'
import { withLabels } from '../../../src/vm/labels/index.ts'
import { NEXT } from '../../../src/vm/machine/activation.ts'
import { live } from '../../../src/vm/meter/live.ts'
import type { Closure } from '../../../src/vm/value/guest-function.ts'

/** A closure that computes and says nothing of where its value came from. */
function silent(run: Closure): Closure {
  return (frame) => {
    const outer = live.label
    const value = run(frame)
    live.label = outer
    return value
  }
}

/** What stands for a kind whose rule is missing. Kinds that only labels know compute what they hold. */
function bareExpr(kind: Ex['k'], language: Language): EmitExpr {
  const base = language.exprs.get(kind)
  if (base !== undefined) return (node, emit) => silent(base(node, emit))
  return (node: Ex, emit: Emitter) => {
    if (node.k === 'decide') return silent(emit.ex(node.test))
    if (node.k === 'part') return silent(emit.ex(node.value))
    return silent(emit.ex((node as IteratedItems).items))
  }
}

const nothing: EmitStep = () => (): unknown => NEXT

/** The language with labels, where the rule of one kind of expression is missing, or of some nodes of it. */
export function withoutExpr(
  kind: Ex['k'],
  isMeant: (node: Ex) => boolean = () => true,
  base: Language = scriptLanguage,
): Language {
  const labelled = withLabels(base)
  const bare = bareExpr(kind, base)
  const own = labelled.exprs.get(kind)!
  const either = ((node: Ex, emit: Emitter): Closure => (isMeant(node) ? bare : own)(node as never, emit)) as EmitExpr
  return { ...labelled, exprs: new Map(labelled.exprs).set(kind, either) }
}

/** The same for a kind of statement. */
export function withoutStatement(kind: St['k'], base: Language = scriptLanguage): Language {
  const labelled = withLabels(base)
  const drop = (table: 'steps' | 'resumables'): Map<string, EmitStep> => {
    const made = new Map(labelled[table])
    const bare = base[table].get(kind)
    if (bare !== undefined) made.set(kind, bare)
    else if (kind === 'mark' && table === 'steps') made.set(kind, nothing)
    return made
  }
  const plain = (st: St, emit: Emitter): Closure => {
    if (st.k !== kind) return labelled.labels!.simpleStatement(st, emit)
    if (st.k === 'expr') return emit.ex(st.value)
    return base.emitLet!(st as never, emit)
  }
  const isPlain = kind === 'let' || kind === 'expr'
  return {
    ...labelled,
    steps: drop('steps'),
    resumables: drop('resumables'),
    labels: { ...labelled.labels!, ...(isPlain ? { simpleStatement: plain } : {}) },
  }
}

/** The same for an operator. */
export function withoutOperator(kind: 'binary' | 'unary' | 'logical' | 'assign', op: string): Language {
  return withoutExpr(kind, (node) => (node as Assign).op === op)
}

/** The same for a built-in: calls by its name lose what labels they had. */
export function withoutBuiltin(path: string): Language {
  const name = path.slice(path.lastIndexOf('.') + 1)
  const calls = (node: Ex): boolean => {
    const { callee } = node as Call | New
    return callee.k === 'var' && callee.name === path
  }
  const methods = (node: Ex): boolean => (node as Method).name === name
  const labelled = withoutExpr('method', path.includes('.') ? methods : () => false)
  const exprs = new Map(labelled.exprs)
  for (const kind of ['call', 'new'] as const) exprs.set(kind, withoutExpr(kind, calls).exprs.get(kind)!)
  // Calls that stand alone are statements.
  const alone = labelled.resumables.get('callto')!
  const bare = scriptLanguage.resumables.get('callto')!
  const isMeant = ({ call }: CallTo): boolean => (call.k === 'call' ? calls(call) : path.includes('.') && methods(call))
  const callTo = ((st: CallTo, emit: Emitter) => (isMeant(st) ? bare : alone)(st as never, emit)) as EmitStep
  return { ...labelled, exprs, resumables: new Map(labelled.resumables).set('callto', callTo) }
}

export const BUILTIN_PATHS: readonly string[] = [...BUILTIN_RULES.keys()]

import type { BuiltinTable } from '../../value/builtin-table.ts'
import { refused } from '../../meter/stop.ts'
import type { Closure } from '../../value/guest-function.ts'
import { HIDDEN_READS } from '../../value/text/javascript-names.ts'
import type { Shape } from '../../value/shape.ts'
import { FunctionCode } from '../code.ts'
import type { CodeMaker } from '../code.ts'
import { emitPrologue, functionBody } from './emit-function.ts'
import { emitResumableBody } from './emit-resumable.ts'
import type { Ex, Fn } from '../ir.ts'
import type { St } from '../ir-statements.ts'
import type { Action, Language } from '../language.ts'
import { locate } from '../error-location.ts'
import type { FunctionInfo } from '../lower/scope.ts'
import { suspends } from '../suspends.ts'
import type { Tracing } from '../trace.ts'

/** A compilation unit: what all functions of a program share. */
export interface Unit {
  readonly language: Language
  readonly root: Shape
  /** By function id. */
  readonly codes: FunctionCode[]
  readonly isTraced: boolean
  /** The tracer, if tracing is on. */
  readonly tracing?: Tracing | undefined
  readonly builtins: BuiltinTable
  /** The functions of all programs that share values, if this is one of several. */
  readonly world?: { readonly codes: readonly FunctionCode[] } | undefined
}

/** All functions that a value of a unit may come from. */
export function allCodes({ codes, world }: Unit): readonly FunctionCode[] {
  return world?.codes ?? codes
}

/** Emits the closures of one function. */
export class Emitter implements CodeMaker {
  readonly unit: Unit
  readonly fn: FunctionInfo
  /** Inside an optional chain, short-circuiting returns `SKIP`. */
  inChain = false

  constructor(unit: Unit, fn: FunctionInfo) {
    this.unit = unit
    this.fn = fn
  }

  suspends(node: Ex | St): 0 | 1 | 2 {
    return suspends(node)
  }

  ex(node: Ex): Closure {
    const emitted = this.unit.language.exprs.get(node.k)!(node as never, this)
    const made = hiddenName(node) === undefined ? emitted : guarded(emitted, node)
    return this.unit.tracing?.seen(node, made, this) ?? made
  }

  st(node: St): Action {
    const action = this.unit.language.steps.get(node.k)!(node as never, this)
    return this.unit.tracing?.traced(node, action, this) ?? action
  }

  /** The slot of an uncaptured local, or below 0: such operands need no closure. */
  slot(node: Ex): number {
    const { labels } = this.unit.language
    if (labels !== undefined && !labels.isUnlabelled(node, this)) return -1
    if (node.k === 'temp') return node.slot
    if (node.k !== 'var' || node.ref?.to !== 'local') return -1
    const { variable } = node.ref
    return variable.isCaptured || variable.isChecked ? -1 : variable.slot
  }

  body(code: FunctionCode): Closure {
    const { labels } = this.unit.language
    const body = functionBody(code, this.#prologue(code.fn), this)
    return labels === undefined ? body : labels.body(code, body, this)
  }

  resumable(code: FunctionCode): Action {
    const { labels } = this.unit.language
    const body = emitResumableBody(code.fn, this.#prologue(code.fn), this)
    return labels === undefined ? body : labels.resumable(code, body, this)
  }

  #prologue(fn: Fn): Closure[] {
    return this.unit.language.labels?.prologue(fn, this) ?? emitPrologue(fn, this)
  }
}

/** The constant property name of a read that JavaScript would find on a prototype. */
function hiddenName(node: Ex): string | undefined {
  if (node.k === 'member') return HIDDEN_READS.has(node.name) ? node.name : undefined
  if (node.k !== 'index' || node.key.k !== 'lit') return undefined
  const { value } = node.key
  return typeof value === 'string' && HIDDEN_READS.has(value) ? value : undefined
}

/** Guards a read that other engines resolve on a prototype: stops the program unless the value has the property itself. */
function guarded(read: Closure, node: Ex): Closure {
  return (frame) => {
    const value = read(frame)
    if (value !== undefined) return value
    throw locate(refused(`\`${hiddenName(node)!}\` cannot be read: ${NO_HIDDEN}`), node.at)
  }
}

const NO_HIDDEN =
  'it would reach what all values share. Ask `typeof value`, `Array.isArray(value)` or `Object.hasOwn(value, key)`.'

/** Registers the functions of a program. They are compiled when they are first called. */
export function addCodes(unit: Unit, fns: readonly Fn[]): void {
  for (const fn of fns) unit.language.labels?.reserve(fn)
  for (const fn of fns) unit.codes.push(new FunctionCode(unit.codes.length, fn, new Emitter(unit, fn.info!)))
}

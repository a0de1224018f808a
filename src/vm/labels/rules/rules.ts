import type { Ex } from '../../compile/ir.ts'
import type { St } from '../../compile/ir-statements.ts'
import type { EmitExpr, EmitStep } from '../../compile/language.ts'
import { call, lookUpOnly, input, method } from '../calls.ts'
import { classValue, newObject, privates, superRead } from '../classes.ts'
import { readArg, readTemp, readVar } from './variables.ts'
import { binary, list, object, omit, part, toList } from './literals.ts'
import { index, member } from '../reads.ts'
import { chain, conditional, decide, logical, regionOf, iteratedItems } from './regions.ts'
import {
  append,
  assign,
  constSet,
  throwValue,
  returnValue,
  mark,
  simpleStep,
  setTemp,
  statement,
  unary,
} from '../writes.ts'
import { awaitTo, callTo, request } from '../waits.ts'
import { yieldTo } from './yields.ts'

/**
 * How a kind of node propagates labels: by its own closures, made from those without labels; or by the latter unchanged, because they only
 * evaluate their children, which join their labels into `live.label` (`carries`), or because the node can
 * carry no label (`clean`).
 */
type Rule<Emit> = 'carries' | 'clean' | ((base: Emit, isResumable: boolean) => Emit)

/** The label rule of every kind of expression. The type requires one for each kind. */
export const EXPRESSION_RULES: Readonly<Record<Ex['k'], Rule<EmitExpr>>> = {
  lit: 'clean',
  data: 'clean',
  // Captured variables are boxes with their own labels.
  fn: 'clean',
  regex: 'clean',
  var: readVar,
  temp: () => readTemp,
  arg: readArg,
  member: () => member,
  index: () => index,
  binary,
  unary,
  logical,
  conditional,
  chain,
  list,
  object,
  tolist: () => toList,
  omit,
  template: 'carries',
  sequence: 'carries',
  // Compiled by the call or literal that contains it.
  spread: 'carries',
  // Hoisted into the statement `awaitto`.
  await: 'carries',
  // Hoisted into the statement `yieldto`.
  yield: 'carries',
  call: () => call,
  method: () => method,
  found: () => lookUpOnly,
  new: () => newObject,
  class: classValue,
  // A fresh object: the reference has the label of the target of `new`.
  create: 'carries',
  super: () => superRead,
  private: privates,
  strings: 'clean',
  input: () => input,
  assign,
  update: assign,
  decide: () => decide,
  part: () => part,
  iterated: () => iteratedItems,
}

/** The label rule of every kind of statement. */
export const STATEMENT_RULES: Readonly<Record<St['k'], Rule<EmitStep>>> = {
  expr: statement,
  let: () => simpleStep,
  // A function has the labels of its captured boxes.
  function: 'clean',
  block: 'carries',
  if: regionOf('if'),
  loop: regionOf('loop'),
  forof: regionOf('forof'),
  switch: regionOf('switch'),
  // Handled by the region that it leaves.
  exit: 'carries',
  labeled: regionOf('labeled'),
  throw: throwValue,
  try: regionOf('try'),
  return: returnValue,
  settemp: () => setTemp,
  awaitto: () => awaitTo,
  yieldto: () => yieldTo,
  callto: () => callTo,
  request: () => request,
  append: () => append,
  constset: () => constSet,
  mark: () => mark,
}

/** Kinds that exist only in programs that track labels. */
const OWN_EXPRESSIONS = ['decide', 'part', 'iterated'] as const
const OWN_STATEMENTS = ['mark'] as const

function applied<Emit>(rule: Rule<Emit>, base: Emit, isResumable: boolean): Emit {
  return typeof rule === 'function' ? rule(base, isResumable) : base
}

export function labelledExprs(base: ReadonlyMap<string, EmitExpr>): Map<string, EmitExpr> {
  const none: EmitExpr = undefined as never
  return new Map([
    ...[...base].map(([kind, emit]): [string, EmitExpr] => [
      kind,
      applied(EXPRESSION_RULES[kind as Ex['k']], emit, false),
    ]),
    ...OWN_EXPRESSIONS.map((kind): [string, EmitExpr] => [kind, applied(EXPRESSION_RULES[kind], none, false)]),
  ])
}

export function labelledSteps(base: ReadonlyMap<string, EmitStep>, isResumable: boolean): Map<string, EmitStep> {
  const none: EmitStep = undefined as never
  const own = isResumable ? [] : OWN_STATEMENTS
  return new Map([
    ...[...base].map(([kind, emit]): [string, EmitStep] => [
      kind,
      applied(STATEMENT_RULES[kind as St['k']], emit, isResumable),
    ]),
    ...own.map((kind): [string, EmitStep] => [kind, applied(STATEMENT_RULES[kind], none, false)]),
  ])
}

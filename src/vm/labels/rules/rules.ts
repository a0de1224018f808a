import type { Ex, St } from '../../compile/ir.ts'
import type { EmitExpr, EmitStep } from '../../compile/language.ts'
import { call, lookUpOnly, input, emitNew, method } from '../calls.ts'
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

/**
 * How labels pass a kind of node: by closures of its own, made from those that only compute; or by those themselves, because all
 * they do is to compute their parts one after the other, which add what they carry (`carries`), or because there is nothing
 * that could carry any (`clean`).
 */
type Rule<Emit> = 'carries' | 'clean' | ((base: Emit, canBePutAside: boolean) => Emit)

/** The label rule of every kind of expression: a kind without one does not compile. */
export const EXPRESSION_RULES: Readonly<Record<Ex['k'], Rule<EmitExpr>>> = {
  lit: 'clean',
  data: 'clean',
  // What a function sees of others stands in boxes, with labels of their own.
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
  // Those that hold it compile what is spread.
  spread: 'carries',
  // A statement of its own does the waiting.
  await: 'carries',
  call: () => call,
  method: () => method,
  found: () => lookUpOnly,
  new: () => emitNew,
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
  // Labels of functions are those of the boxes they carry.
  function: 'clean',
  block: 'carries',
  if: regionOf('if'),
  loop: regionOf('loop'),
  forof: regionOf('forof'),
  switch: regionOf('switch'),
  // Where it leads to is noted by the region that it leaves.
  exit: 'carries',
  labeled: regionOf('labeled'),
  throw: throwValue,
  try: regionOf('try'),
  return: returnValue,
  settemp: () => setTemp,
  awaitto: () => awaitTo,
  callto: () => callTo,
  request: () => request,
  append: () => append,
  constset: () => constSet,
  mark: () => mark,
}

/** Kinds that only stand in programs that follow labels. */
const OWN_EXPRESSIONS = ['decide', 'part', 'iterated'] as const
const OWN_STATEMENTS = ['mark'] as const

function applied<Emit>(rule: Rule<Emit>, base: Emit, canBePutAside: boolean): Emit {
  return typeof rule === 'function' ? rule(base, canBePutAside) : base
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

export function labelledSteps(base: ReadonlyMap<string, EmitStep>, canBePutAside: boolean): Map<string, EmitStep> {
  const none: EmitStep = undefined as never
  const own = canBePutAside ? [] : OWN_STATEMENTS
  return new Map([
    ...[...base].map(([kind, emit]): [string, EmitStep] => [
      kind,
      applied(STATEMENT_RULES[kind as St['k']], emit, canBePutAside),
    ]),
    ...own.map((kind): [string, EmitStep] => [kind, applied(STATEMENT_RULES[kind], none, false)]),
  ])
}
